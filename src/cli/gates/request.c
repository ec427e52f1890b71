/* SPDX-License-Identifier: MIT */
#include "cli/gates/request.h"

#include <errno.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void signal_event(int event)
{
    const uint64_t one = 1;
    while (write(event, &one, sizeof one) < 0 && errno == EINTR) {
    }
}

static void await_event(int event)
{
    uint64_t number;
    while (read(event, &number, sizeof number) < 0 && errno == EINTR) {
    }
}

/* The library calls this when the wait begins, and now and then. */
static int still_waiting(void *data, unsigned place)
{
    struct request *request = data;
    atomic_store(&request->in_line, true);
    log_waits(request->stay, request->gate, place);
    return atomic_load(&request->ends);
}

static void *wait_in_line(void *data)
{
    struct request *request = data;
    const admit_wait how = {
        .waiting = still_waiting, .data = request, .interruptible = 1, .record_since = 1, .any_thread = 1};
    for (;;) {
        await_event(request->asked);
        if (request->stay == NULL)
            return NULL;
        request->error = admit_gate_enter_with(request->gate, &request->hold, &how);
        if (request->error != ADMIT_OK)
            snprintf(request->why, sizeof request->why, "%s", admit_last_error_text());
        atomic_store(&request->in_line, false);
        signal_event(request->answered);
    }
}

bool request_begin(struct request *request, admit_gate *gate)
{
    *request = (struct request){.gate = gate, .asked = eventfd(0, EFD_CLOEXEC), .answered = eventfd(0, EFD_CLOEXEC)};
    if (request->asked < 0 || request->answered < 0)
        return false;
    errno = pthread_create(&request->thread, NULL, wait_in_line, request);
    return errno == 0;
}

void request_ask(struct request *request, struct log_stay *stay)
{
    request->stay = stay;
    atomic_store(&request->ends, false);
    signal_event(request->asked);
}

bool request_is_in_line(struct request *request)
{
    return atomic_load(&request->in_line);
}

admit_error request_answer(struct request *request, admit_hold *hold)
{
    await_event(request->answered);
    *hold = request->hold;
    return request->error;
}

/* A wait that begins after the interruption ends when it first lies down. */
void request_withdraw(struct request *request)
{
    atomic_store(&request->ends, true);
    admit_gate_interrupt(request->gate);
}

void request_end(struct request *request)
{
    request_ask(request, NULL);
    pthread_join(request->thread, NULL);
    close(request->asked);
    close(request->answered);
}
