/* SPDX-License-Identifier: MIT
 *
 * ticket.h - the basic ticket algorithm, which all ticket algorithms share.
 * M. J. Fischer, N. A. Lynch, J. E. Burns, A. Borodin, Distributed FIFO Allocation of Identical Resources Using Small
 * Shared Space, TOPLAS 11(1), 1989, Figure 2:
 *
 *     repeat forever
 *       start;
 *       TICKET := TAKE_NEXT_TICKET;
 *       wait until IS_VALID(TICKET);
 *       finish;
 *       { Critical Section }
 *       start;
 *       VALIDATE_NEXT_TICKET(TICKET);
 *       finish;
 *       { Remainder Section }
 *     end repeat
 *
 * What is between start and finish is one atomic action on all of the shared memory, and "wait until C" stands for "while
 * not C do [finish; start]": the first test of C belongs to the action that takes the ticket, and each later one is an
 * action of its own, which only reads. So the first action is the doorway, and a process that takes a valid ticket is
 * inside by it.
 *
 * A ticket algorithm defines, then includes this file:
 *
 *     struct memory               the global variables, among them VALID, PACKED into one word (fields.h)
 *     struct ticket               what TAKE_NEXT_TICKET returns
 *     TAKE_NEXT_TICKET(m)         the three routines, on the variables to which m points
 *     IS_VALID(T, m)
 *     VALIDATE_NEXT_TICKET(T, m)
 *     BAY(T)                      a number that is different for any two tickets that wait at the same time
 *     KEPT(T)                     what VALIDATE_NEXT_TICKET(T) needs to know of T
 *
 * Native: a process that waits sleeps in the bay of its ticket, and VALIDATE_NEXT_TICKET rings that of the ticket which
 * has become valid, VALID: this wakes the process that it enables, if one holds that ticket, and nobody else.
 *
 * Deviations from the figure: once TICKET is valid, all of it is forgotten that is not used any more. (The paper's
 * TICKET keeps its value, also in the remainder section, where it "does not matter".)
 */
#include "registers/fields.h"

/* Section 2.2: up to k - 1 processes that have stopped for ever are in nobody's way. (Who is to be enabled first is not
 * asked again of runs with a crash: for that question a crash is not to be scheduled, which every run may do.) */
#define TICKET_CLAIMS                                                                                                  \
    CLAIMS({EXCLUSION, ATOMIC, CRASH}, {DEADLOCK_FREEDOM, ATOMIC, 0}, {LOCKOUT_FREEDOM, ATOMIC, CRASH},                \
           {BOUNDED_DOORWAY, ATOMIC, CRASH}, {BOUNDED_EXIT, ATOMIC, CRASH}, {K_DEADLOCK_AVOIDANCE, ATOMIC, CRASH},     \
           {FIFE, ATOMIC, CRASH}, {STRONG_FIFE, ATOMIC, 0}, {FIFO_ENABLING, ATOMIC, 0})

struct shared {
    array memory;
};
#define MEMORY (S->memory[0])

struct locals {
    position at;
    struct ticket TICKET;
};

ENTER
BEGIN
    struct memory m[1];
    AT("take")
    act_on(MEMORY, m, L.TICKET = TAKE_NEXT_TICKET(m));
    waiting_room();
    if (!IS_VALID(L.TICKET, m)) {
        AT("wait until")
        await_in(BAY(L.TICKET), IS_VALID(L.TICKET, look_at(MEMORY, m)));
    }
    L.TICKET = KEPT(L.TICKET);
END

LEAVE
BEGIN
    struct memory m[1];
    AT("validate")
    act_on(MEMORY, m, VALIDATE_NEXT_TICKET(L.TICKET, m));
    ring(MEMORY, BAY(VALID));
END
