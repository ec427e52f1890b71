/* SPDX-License-Identifier: MIT
 *
 * offers.h - what there is for a word of a command line that is being typed, as its help names it: GATE, FAULT. `admit
 * complete` asks for it. Nothing here says anything on standard error, and where nothing can be found out nothing is offered.
 */
#ifndef ADMIT_CLI_OFFERS_H
#define ADMIT_CLI_OFFERS_H

/* That this may stand there; `brief` says what it is, or is NULL. */
void offer(const char *word, const char *brief);

/* In gates/: the gates of the directory; jobs, as @17, of which `cancel` wants those alone that have not ended. */
void offer_gates(const char *word, const char *command);
void offer_jobs(const char *word, const char *command);
void offer_job_states(const char *word, const char *command);

/* In laboratory/. Of an algorithm that is typed with its colon its mutants. */
void offer_algorithms(const char *word, const char *command);
void offer_faults(const char *word, const char *command);
void offer_memory_models(const char *word, const char *command);
void offer_papers(const char *word, const char *command);
void offer_properties(const char *word, const char *command);
void offer_registers(const char *word, const char *command);
void offer_ways(const char *word, const char *command);

#endif
