/* SPDX-License-Identifier: MIT
 *
 * watched.h - gates that are looked at again and again, and what has happened there meanwhile.
 *
 * It looks as `admit status` does, for which reading suffices: nobody is woken, helped or recovered by it. A handle is kept as
 * long as the gate's file is the one that it was opened by.
 */
#ifndef ADMIT_CLI_GATES_WATCHED_H
#define ADMIT_CLI_GATES_WATCHED_H

#include "cli/gates/changes.h"

#include <sys/types.h>
#include <time.h>

struct watched {
    char *name;
    bool is_listed;   /* it is there since its file is, and goes with it */
    bool is_known;    /* it has been looked at */
    bool is_removed;  /* there is none of this name */
    admit_view *view; /* NULL: it cannot be looked at, */
    char error[512];  /* for this reason */
    struct comparison comparison;
    /* Of the file, as it was opened. */
    admit_gate *gate;
    off_t size;
    struct timespec modified;
    admit_view *taken; /* the picture of this look; NULL: there is none, */
    bool is_cut_short; /* perhaps since the file ended before it should */
};

struct watch {
    struct watched **gate; /* those of the directory in alphabetical order */
    unsigned count;
    bool has_all;    /* of the directory */
    bool is_looking; /* for the second time or later: what is found now is new */
    time_t listed;
    int64_t took; /* the last look, in ns */
    /* Told of each change, and then, once for each gate and look, whether anything is shown otherwise. */
    void (*note)(void *context, const struct watched *watched, const struct change *change, int64_t at);
    void (*looked)(void *context, const struct watched *watched, bool is_other, int64_t at);
    void *context;
};

/* Of these names; all of the directory if there is none. */
void watch_open(struct watch *watch, char *const *names, unsigned count);
void watch_look(struct watch *watch);
void watch_close(struct watch *watch);

/* Until the next look, in ms: it takes a hundredth of the time at most, whatever there is to see. */
int watch_pause(const struct watch *watch);
/* Gates that were named, and of which none is there any more. */
bool watch_is_over(const struct watch *watch);
/* How wide a column of their names is; 0: there is one gate, which need not be named. */
unsigned watch_gate_columns(const struct watch *watch);

#endif
