/* SPDX-License-Identifier: MIT
 *
 * visit.h - to go into a gate, as the sub-commands do that go in: which gate, how long one waits, what is told meanwhile.
 *
 * A process makes one visit, with its signals held (command.h). What makes it fail ends the process.
 */
#ifndef ADMIT_CLI_GATES_VISIT_H
#define ADMIT_CLI_GATES_VISIT_H

#include "cli/gates/log.h"
#include "cli/usage.h"

#include <admit.h>
#include <stdbool.h>
#include <stdint.h>

struct visit {
    const char *command; /* the sub-command, as messages name it */
    const char *gate;
    unsigned k, capacity, mode, ttl; /* 0: not given */
    unsigned room;                   /* the capacity of a gate that is made, if none was given; 0: the library's */
    bool resize;                     /* -k is what the gate is to have, whatever it has */
    const char *list;                /* a variable of --slot-env that has a list of resources; NULL: none has */
    unsigned resources;              /* in it: a gate that has more slots is not waited at */
    bool cut;                        /* it is shorter than was said, since not all of it was inherited */
    bool try, quiet, nested, limited;
    bool detached;         /* nobody inside waits for this one, unless it was run with --children */
    uint64_t wait_ns;      /* if limited */
    int no_slot_status;    /* with which it ends if --try found no slot, */
    int timed_out_status;  /* or the time is over */
    char *const *for_whom; /* the words that `admit status` shows */
    const char *log;       /* of --log; NULL: not given */
    struct log_stay stay;  /* whoever leaves says log_left of it before */
    /* For a process that goes on in the background: called once, when the place in line is drawn or the slot is had; and before
     * the process ends since it was not let in, with the status. NULL: not called. */
    void (*placed)(void *data);
    void (*not_let_in)(void *data, int status);
    /* For one that goes in for another process. NULL: not asked. */
    bool (*is_inside)(void *data, admit_gate *gate); /* whether that one is inside already, before it waits */
    void (*lost)(void *data);      /* on etcd, by another thread, if the hold is lost. NULL: not called */
    bool (*is_wanted)(void *data); /* now and then, while it waits; if not, it says why, and the process ends */
    void *data;
};

/* With what is so unless it is said. */
struct visit new_visit(const char *command);

/* Whether this is an option of those who go in: then it has been taken. */
bool visit_option(struct visit *visit, struct arguments *arguments, const char *option);
/* After the last option: ends with a message if they contradict each other, or the log cannot be opened. */
void visit_check(const struct visit *visit);

/* Returns inside the gate. Or ends: when its time is over, there is no slot, a signal came, or it failed. */
admit_gate *visit_enter(struct visit *visit, admit_hold *hold);

#endif
