/* SPDX-License-Identifier: MIT
 *
 * lock.h - for the tests: locks by algorithms that are not in the catalogue, such as broken ones.
 */
#ifndef ADMIT_NATIVE_LOCK_H
#define ADMIT_NATIVE_LOCK_H

#include "admit.h"
#include "registers/language.h"

/* As admit_lock_create. */
admit_lock *admit_lock_create_by(const struct native_algorithm *algorithm, unsigned n, unsigned k);

#endif
