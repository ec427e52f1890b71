/* SPDX-License-Identifier: MIT
 *
 * catalogue.h - the catalogue's algorithms in their native form.
 */
#ifndef ADMIT_NATIVE_CATALOGUE_H
#define ADMIT_NATIVE_CATALOGUE_H

#include "admit.h"
#include "registers/language.h"

/* NULL if there is none with this id. */
const struct native_algorithm *admit_native_find(const char *id);

/* Whether a lock with these numbers can be made. */
admit_error admit_native_supports(const struct native_algorithm *algorithm, unsigned n, unsigned k);

#endif
