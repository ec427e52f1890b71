/* SPDX-License-Identifier: MIT
 *
 * The Queue Algorithm.
 * M. J. Fischer, N. A. Lynch, J. E. Burns, A. Borodin, Distributed FIFO Allocation of Identical Resources Using Small
 * Shared Space, TOPLAS 11(1), 1989, Figure 1.
 *
 * Design summary
 *  - QUEUE: the numbers of all processes that try or are inside, in the order in which they came.
 *  - To enter, join the queue and wait until one of its first k positions is reached. To leave, leave the queue.
 *  - A process that waits changes nothing: it may stop for ever and is in nobody's way, but for the position it has.
 *  - First in, first enabled. It takes more shared values than there are orders of the processes.
 *
 * Deviations from the figure: the queue is one word, of n places of as many bits as i + 1 needs, the head in the lowest;
 * 0 is an empty place. So n is at most 15: 60 bits. (For 16, places of 4 bits would leave none to tell how long the
 * queue is.)
 *
 * Native: a process that waits sleeps in the bay of its number; one that leaves rings for the one that comes to position k.
 */
#include "registers/fields.h"

struct shared {
    array queue;
};
#define QUEUE (S->queue[0])

struct locals {
    position at;
};

static inline unsigned place_bits(unsigned n)
{
    return bits_up_to(n);
}

static unsigned word_bits(unsigned n, unsigned k)
{
    (void)k;
    return n * place_bits(n);
}

/* The process at a position, plus 1; 0: none. */
static inline unsigned at_position(word queue, unsigned position, unsigned n)
{
    return item(queue, place_bits(n), position);
}

/* The position of i, counted from 0; n if it has none. */
static inline unsigned position_of(word queue, unsigned i, unsigned n)
{
    return place_of(queue, place_bits(n), i + 1, n);
}

static inline word ENQUEUE(word queue, unsigned i, unsigned n)
{
    unsigned length = place_of(queue, place_bits(n), 0, n - 1);
    return with_item(queue, place_bits(n), length, i + 1);
}

static inline word REMOVE(word queue, unsigned i, unsigned n)
{
    return removed(queue, place_bits(n), position_of(queue, i, n));
}

static void show(char *text, size_t size, unsigned n, unsigned k, uint64_t value)
{
    (void)k;
    snprintf(text, size, "QUEUE=%s", value == 0 ? "empty" : "");
    for (unsigned p = 0; p < n && at_position(value, p, n) != 0; p++)
        append(text, size, "%s%u", p > 0 ? "," : "", at_position(value, p, n) - 1);
}

DECLARE
{
    S->queue = shared_word("QUEUE", word_bits(n, k), 0, .shown = show);
}

ENTER
BEGIN
    word queue;
    AT("ENQUEUE")
    act(QUEUE, queue, queue = ENQUEUE(queue, i, n));
    waiting_room();
    if (position_of(queue, i, n) >= k) {
        AT("wait until")
        await_in(i, position_of(get(QUEUE), i, n) < k);
    }
END

LEAVE
BEGIN
    word queue;
    AT("REMOVE")
    act(QUEUE, queue, queue = REMOVE(queue, i, n));
    if (at_position(queue, k - 1, n) != 0)
        ring(QUEUE, at_position(queue, k - 1, n) - 1);
END

ALGORITHM(.title = "The Queue Algorithm", .paper = "flbb89", .figure = "Figure 1", .max_n = 15, .doorway = true,
          .bits = "n * bits(n)", .fairness = "first in, first enabled", .word_bits = word_bits,
          CLAIMS({EXCLUSION, ATOMIC, CRASH}, {DEADLOCK_FREEDOM, ATOMIC, 0}, {LOCKOUT_FREEDOM, ATOMIC, CRASH},
                 {BOUNDED_DOORWAY, ATOMIC, CRASH}, {BOUNDED_EXIT, ATOMIC, CRASH}, {K_DEADLOCK_AVOIDANCE, ATOMIC, CRASH},
                 {FIFE, ATOMIC, CRASH}, {STRONG_FIFE, ATOMIC, 0}, {FIFO_ENABLING, ATOMIC, 0}));
