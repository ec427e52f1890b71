/* SPDX-License-Identifier: MIT
 *
 * error.h - why the last call of this thread made nothing.
 */
#ifndef ADMIT_NATIVE_ERROR_H
#define ADMIT_NATIVE_ERROR_H

#include "admit.h"

/* Notes the error for admit_last_error and returns NULL, which is what the caller then returns. */
void *admit_fail(admit_error error);

/* Notes the error and a text of its own for admit_last_error_text. */
admit_error admit_gate_error(admit_error error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For a system call that failed with errno: "cannot WHAT PATH: REASON". */
admit_error admit_gate_system_error(const char *what, const char *path);

/* ADMIT_N_TOO_LARGE, with its particulars noted for admit_error_message. */
admit_error admit_n_too_large(const char *id, unsigned n, unsigned max_n);

/* ADMIT_DOES_NOT_FIT, in the same way. */
admit_error admit_does_not_fit(const char *id, unsigned n, unsigned k, unsigned bits, unsigned room);

#endif
