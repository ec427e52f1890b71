/* SPDX-License-Identifier: MIT
 *
 * way_info.h - the table of ways (enum way in about.h): what each is called.
 */
#ifndef ADMIT_CHECKER_MODEL_WAY_INFO_H
#define ADMIT_CHECKER_MODEL_WAY_INFO_H

#include "checker/model/process.h"

struct way_info {
    const char *name; /* on the command line and in JSON */
};

/* By WAY_NUMBER. */
extern const struct way_info way_info[WAYS];

/* The way of this name, as a bit; 0 if there is none. */
unsigned way_find(const char *name);

#endif
