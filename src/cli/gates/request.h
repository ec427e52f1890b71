/* SPDX-License-Identifier: MIT
 *
 * request.h - a place in line for one that cannot wait there itself, because it waits for other things: a thread of its own
 * waits for it. One request at a time; the hold that it gets may be left by any thread, as long as the request is not ended.
 */
#ifndef ADMIT_CLI_GATES_REQUEST_H
#define ADMIT_CLI_GATES_REQUEST_H

#include "cli/gates/log.h"

#include <admit.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct request {
    admit_gate *gate;
    pthread_t thread;
    int asked, answered; /* eventfds; the second can be read when there is an answer */
    atomic_bool in_line, ends;
    struct log_stay *stay;
    admit_error error;
    admit_hold hold;
    char why[512]; /* if it failed */
};

/* Starts the thread, with the signals of this one. False: with errno. */
bool request_begin(struct request *request, admit_gate *gate);
/* It draws a place as soon as it runs. */
void request_ask(struct request *request, struct log_stay *stay);
/* Whether this thread is known to be one of those that admit_gate_waiters counts. */
bool request_is_in_line(struct request *request);
/* Takes the answer: ADMIT_OK and a hold, or why there is none. Waits for it. */
admit_error request_answer(struct request *request, admit_hold *hold);
/* The place in line is given up, if it has one: there is an answer soon. (Not after the answer has been taken.) */
void request_withdraw(struct request *request);
/* Ends the thread, when no answer is awaited. What it has entered with comes back. */
void request_end(struct request *request);

#endif
