/* SPDX-License-Identifier: MIT
 *
 * The text that drives a timestamp system: each process does one operation after another, as register NEXT[i], which
 * nobody but the driver writes, tells it. Compiled once for each system, whose file is TIMESTAMPS.
 *
 * Labels carry serial numbers here (labels.h), and registers are as wide as these need.
 */
#define LABEL_SERIAL_BITS 20
#define CALLED_FRAMES_STAY /* what an operation has seen is asked when it has ended */
#define WIDE_RECORDS
#include TIMESTAMPS

#include "histories/driven.h"

#ifndef TIMESTAMPS_MOMENT
#define TIMESTAMPS_MOMENT NULL
#endif

struct shared {
    struct timestamps timestamps;
    array NEXT;
};
#define NEXT (S->NEXT)

struct locals {
    position at;
    number operation;
    union {
        struct Label label;
        struct Scan scan;
    };
};

DECLARE
{
    timestamps_declare(D, &S->timestamps, n, k);
    NEXT = registers("NEXT", n, OPERATIONS, LABEL_OPERATION, .writer = OWN_ELEMENT);
}

ENTER
BEGIN
    for (;;) {
        AT(NEXT_OPERATION)
        memset(&L.operation, 0, sizeof L - offsetof(struct locals, operation));
        L.operation = (number)get(NEXT[i]);
        if (L.operation == LABEL_OPERATION)
            CALL_PART(Label, S->timestamps, L.label);
        else
            CALL_PART(Scan, S->timestamps, L.scan);
    }
END

LEAVE
BEGIN
    AT("never")
    (void)get(NEXT[i]);
END

#ifdef TIMESTAMPS_VIEWS
enum { HAS_VIEWS = true };

static const label *view_in(const struct locals *locals, enum operation operation)
{
    return operation == LABEL_OPERATION ? locals->label.snap.view : locals->scan.snap.view;
}

static void order_in(const void *locals, enum operation operation, unsigned n, unsigned rank[])
{
    proc ranks[PROCESSES_MAX];
    order(view_in(locals, operation), n, ranks);
    for (unsigned j = 0; j < n; j++)
        rank[j] = ranks[j];
    if (operation == SCAN_OPERATION)
        order_of(&((const struct locals *)locals)->scan, n, rank);
}

static void serials_in(const void *locals, enum operation operation, unsigned n, uint32_t serial[])
{
    for (unsigned j = 0; j < n; j++)
        serial[j] = label_serial(view_in(locals, operation)[j], n);
}

static uint32_t current_in(uint64_t value, unsigned i, unsigned n)
{
    return label_serial(label_in(value, i, n), n);
}
#else
enum { HAS_VIEWS = false };

static void order_in(const void *locals, enum operation operation, unsigned n, unsigned rank[])
{
    if (operation == SCAN_OPERATION)
        order_of(&((const struct locals *)locals)->scan, n, rank);
}
#define serials_in NULL
#define current_in NULL
#endif

static void restart_any(void)
{
#ifdef ADMIT_TIMESTAMPS_WIDE
    restart_records();
#endif
}

static void declare_any(struct declaration *D, void *shared)
{
    declare(D, shared, D->n, D->k);
}

static enum outcome enter_any(struct stepping *P, const void *shared, void *locals)
{
    return enter(P, shared, locals);
}

static enum outcome leave_any(struct stepping *P, const void *shared, void *locals)
{
    return leave(P, shared, locals);
}

_Static_assert(sizeof(struct locals) <= LOCALS_MAX, "raise LOCALS_MAX");
extern const struct driven ADMIT_SYMBOL;
const struct driven ADMIT_SYMBOL = {.name = ADMIT_ID,
                                    .text = {.about = {.id = ADMIT_ID, .max_n = TIMESTAMPS_MAX_N},
                                             .shared_size = sizeof(struct shared),
                                             .locals_size = sizeof(struct locals),
                                             .declare = declare_any,
                                             .enter = enter_any,
                                             .leave = leave_any},
                                    .has_views = HAS_VIEWS,
                                    .moment = TIMESTAMPS_MOMENT,
                                    .restart = restart_any,
                                    .order = order_in,
                                    .view = serials_in,
                                    .current = current_in};
