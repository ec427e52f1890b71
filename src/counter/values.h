/* SPDX-License-Identifier: MIT
 *
 * values.h - how much of the shared memory is used: by whom, and how many contents it has.
 */
#ifndef ADMIT_COUNTER_VALUES_H
#define ADMIT_COUNTER_VALUES_H

#include "checker/explore/explore.h"

/* The number of different contents of all registers together in the explored states. */
uint64_t shared_values(const struct exploration *exploration);

/* The number of registers that process i alone writes. */
unsigned variables_of(const struct instance *instance, unsigned i);

/* For each register, as bits, the processes that have a step that reads it in some explored state. The caller frees
 * the result. */
uint16_t *readers(const struct exploration *exploration);

#endif
