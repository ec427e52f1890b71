/* SPDX-License-Identifier: MIT
 *
 * client.h - processes that are clients of a store (registers/store.h): the faults V23 to V26 of docs/properties.md,
 * what crash and abort are there, and what happens at the store beside the text. All of it is in the client's session
 * (registers/session.h) and in the one register that holds the keys.
 */
#ifndef ADMIT_CHECKER_MODEL_CLIENT_H
#define ADMIT_CHECKER_MODEL_CLIENT_H

#include "checker/model/process.h"
#include "registers/session.h"

bool is_client(const struct instance *instance);
/* It does not go by its lease any more, and so is neither trying nor inside. */
bool is_past_deadline(const struct instance *instance, const struct process *process);

/* Of the faults that can begin where any process stands so, and of those of clients, the ones that can where this does. */
unsigned client_faults_possible(const struct instance *instance, const struct process *process, unsigned possible);
void client_fault_begins(const struct instance *instance, unsigned i, const struct process *from, enum fault fault,
                         struct process *to);

/* How many things can happen at the store; each is a step of this process, with the choices behind those of its text. */
unsigned happenings_of(const struct instance *instance, const struct process *process);
bool is_happening(const struct instance *instance, unsigned i, const struct process *process, unsigned choice,
                  enum happening *happening);
void happening_step(const struct instance *instance, unsigned i, const struct process *from, enum happening happening,
                    uint64_t value, struct process *to, struct access *access);

#endif
