/* SPDX-License-Identifier: MIT
 *
 * gate_holder.h - a process that is inside a gate until it is killed.
 */
#ifndef ADMIT_TESTS_GATE_HOLDER_H
#define ADMIT_TESTS_GATE_HOLDER_H

#include "gate_witness.h"

/* A child that holds, and has said so, until it is killed. */
static inline pid_t start_holder(admit_gate *gate)
{
    int told[2];
    assert_int_equal(pipe(told), 0);
    pid_t holder = fork();
    if (holder == 0) {
        admit_hold hold;
        if (admit_gate_enter(gate, &hold) != ADMIT_OK)
            _exit(1);
        say(told[1]);
        for (;;)
            pause();
    }
    close(told[1]);
    assert_true(hear(told[0]));
    close(told[0]);
    return holder;
}

static inline void end_child(pid_t child)
{
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

#endif
