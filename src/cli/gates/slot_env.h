/* SPDX-License-Identifier: MIT
 *
 * slot_env.h - which resource goes with a slot: an element of a list, or a number counted from another.
 */
#ifndef ADMIT_CLI_GATES_SLOT_ENV_H
#define ADMIT_CLI_GATES_SLOT_ENV_H

#include <stdbool.h>

enum { SLOT_VARIABLES_MAX = 16 };

/* "CUDA_VISIBLE_DEVICES=0,1,3" or "PORT=8000+". A list is what the caller may use at most: if the variable is set already,
 * it is those elements that are in it, too. */
struct slot_variable {
    char *name;
    char **element; /* by slot; NULL: it counts */
    unsigned length;
    bool cut; /* some of the list is not in what was inherited */
    unsigned long from;
};

struct slot_env {
    struct slot_variable variable[SLOT_VARIABLES_MAX];
    unsigned variables;
};

/* The value of a --slot-env; ends with a message if it is none. */
void slot_env_add(struct slot_env *env, const char *command, const char *text);
/* One that has a list, NULL if there is none; ends with a message if two lists differ in length, or there are fewer
 * elements than k, which is 0 if it was not given. One that was cut, if any was. */
const struct slot_variable *slot_env_list(const struct slot_env *env, const char *command, unsigned k);
/* On stderr, where k is the length of a list of which it seems that it was none. */
void slot_env_tell_odd(const struct slot_env *env, const char *command);
/* False if a list has nothing for this slot: then *lacking is its variable. */
bool slot_env_set(const struct slot_env *env, unsigned slot, const char **lacking);
void slot_env_close(struct slot_env *env);

#endif
