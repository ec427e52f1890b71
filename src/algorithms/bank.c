/* SPDX-License-Identifier: MIT
 *
 * The Bank Algorithm.
 * M. J. Fischer, N. A. Lynch, J. E. Burns, A. Borodin, Distributed FIFO Allocation of Identical Resources Using Small
 * Shared Space, TOPLAS 11(1), 1989, section 1.3.2.
 *
 * Design summary
 *  - The place at the head of the line is a resource that one process has at a time, in the order in which they came:
 *    any first-come-first-served 1-exclusion algorithm manages it. The process that has it goes to any of k tellers as
 *    soon as one is free, and then lets the next one to the head of the line.
 *  - The line is numbered_ticket.c with k = 1, the tellers are semaphore.c: both texts as they stand. COUNT, of k + 1
 *    values, is what the tellers add to the shared memory of the line.
 *  - Nobody overtakes on the way to the head. But if the process there is slow, all behind it wait although tellers are
 *    free; and if it fails, they wait for ever: k-deadlock is not avoided.
 *
 * Deviations from the text: none that it would tell; it does not say which 1-exclusion is used. The doorway is that of
 * the line.
 */
#include "registers/language.h"

#pragma push_macro("ALGORITHM")
#undef ALGORITHM
#define ALGORITHM(...) _Static_assert(true, "what the catalogue says of a part alone is not said here")

#define shared line_shared
#define locals line_locals
#define declare line_declare
#define enter line_enter
#define leave line_leave
#include "algorithms/numbered_ticket.c"
#undef shared
#undef locals
#undef declare
#undef enter
#undef leave

#define shared tellers_shared
#define locals tellers_locals
#define declare tellers_declare
#define enter tellers_enter
#define leave tellers_leave
#include "algorithms/semaphore.c"
#undef shared
#undef locals
#undef declare
#undef enter
#undef leave

#pragma pop_macro("ALGORITHM")

struct shared {
    struct line_shared line;
    struct tellers_shared tellers;
};

struct locals {
    position at;
    struct line_locals line;
    struct tellers_locals tellers;
};

DECLARE
{
    line_declare(D, &S->line, n, 1);
    tellers_declare(D, &S->tellers, n, k);
}

ENTER
BEGIN
    local(L.line);
    CALL_PART(line_enter, S->line, L.line);
    CALL_PART(tellers_enter, S->tellers, L.tellers);
    CALL_PART(line_leave, S->line, L.line);
END

LEAVE
BEGIN
    CALL_PART(tellers_leave, S->tellers, L.tellers);
END

ALGORITHM(.title = "The Bank Algorithm", .paper = "flbb89", .figure = "section 1.3.2", .doorway = true,
          .bits = "unbounded", .fairness = "in order to the head of the line; who fails there stops all",
          .renumbering = {renumber_word, renumber_ticket, offsetof(struct locals, line.TICKET), sizeof(struct ticket)},
          CLAIMS({EXCLUSION, ATOMIC, CRASH}, {DEADLOCK_FREEDOM, ATOMIC, 0}, {LOCKOUT_FREEDOM, ATOMIC, 0},
                 {FCFS, ATOMIC, CRASH}, {BOUNDED_DOORWAY, ATOMIC, CRASH}, {BOUNDED_EXIT, ATOMIC, CRASH},
                 {FIFO_ENABLING, ATOMIC, 0}));
