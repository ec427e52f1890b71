/* SPDX-License-Identifier: MIT
 *
 * gate_open.h - of a gate that is opened by its name: where its file is, and why it was refused.
 */
#ifndef ADMIT_TESTS_GATE_OPEN_H
#define ADMIT_TESTS_GATE_OPEN_H

#include "gate_witness.h"

static inline void assert_refused(const char *name, const admit_gate_options *options, admit_error error,
                                  const char *says)
{
    admit_gate *gate = admit_gate_open_with(name, options);
    assert_null(gate);
    if (admit_last_error() != error || strstr(admit_last_error_text(), says) == NULL)
        fail_msg("%s: error %d, \"%s\" instead of %d, \"%s\"", name == NULL ? "no name" : name, (int)admit_last_error(),
                 admit_last_error_text(), (int)error, says);
}

static inline const char *path_of(const char *name)
{
    static char paths[4][PATH_MAX];
    static unsigned last;
    char *path = paths[last++ % 4];
    assert_int_equal(admit_gate_resolve(name, path, PATH_MAX), ADMIT_OK);
    return path;
}

#endif
