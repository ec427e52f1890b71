/* SPDX-License-Identifier: MIT
 *
 * workers.h - answers to many independent questions, several at a time, each by a process of its own.
 *
 * Processes and not threads, since an exploration is itself made of threads, and what it allocates is then given back
 * as a whole. Answers go to shared memory, so which of the processes answers what makes no difference.
 */
#ifndef ADMIT_CLAIMS_WORKERS_H
#define ADMIT_CLAIMS_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Answers question number q with at most so much memory; returns false if it might go further with more. */
typedef bool answer_question(void *context, unsigned q, uint64_t memory);

/* Answers questions 0 .. count-1, `workers` at a time, each with its share of the memory; then, alone and with all of
 * the memory, those for which that was not enough. */
void answer_by_workers(answer_question *answer, void *context, unsigned count, unsigned workers, uint64_t memory);

/* Memory, zero at first, that the workers and the caller share. */
void *shared_memory(size_t size);
void shared_memory_close(void *memory, size_t size);

#endif
