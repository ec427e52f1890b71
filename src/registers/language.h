/* SPDX-License-Identifier: MIT
 *
 * language.h - the register language: the only way in which an algorithm touches shared memory.
 *
 * An algorithm is one file written in the words below. The same text is compiled twice: as straight-line C over C11
 * atomics (native.h), and as a process that stops before every shared access (stepped.h), which the checker interleaves
 * and the counter charges. There is no other model of an algorithm in what ships.
 *
 *   struct shared { array x; };         the register arrays; `#define x (S->x)` lets the text say x[i]
 *   struct locals { position at; ... }; private variables, zero at the start of a passage, kept until its end unless they
 *                                       are local to a block; `position at` comes first, in every frame
 *   DECLARE { x = registers(...); }     name, how many, domain, initial value (ANY_VALUE: none is declared), who
 *                                       writes, and .home: in whose memory each element lies, if not in its writer's
 *                                       (process 0's, if it has several)
 *                                       .remembered: its writer may say own() of it
 *                                       .grows: no value comes back, since each change is to one that comes after by
 *                                       this order. The checker insists on it, and knows by it which comparisons will
 *                                       fail for ever (checker/reduce/idle.h)
 *           { z = register_rows(...); } the same with rows and columns: of c columns, z[r * c + e] is element e of
 *                                       row r; .elements tells how they are called
 *           { m = shared_word(...); }   one register, m[0], that holds several variables: name, bits, initial value;
 *                                       .shown prints it; .unbounded: some of them grow without bound. fields.h packs
 *                                       and unpacks them
 *   ENTER BEGIN ... END                 from the remainder to the critical section
 *   LEAVE BEGIN ... END                 from the critical section to the remainder
 *   PROCEDURE(p) BEGIN ... END          a nested procedure with frame `struct p`; CALL(p, L.f) runs it on frame L.f, which
 *                                       is forgotten at the next marker, unless it is local to a block;
 *                                       CALL_PART(p, S->s, L.f) does so for a part with registers of its own
 *   PROCEDURE_ON(p, f) BEGIN ... END    the same with frame `struct f`, which several procedures may have: called on one frame, one
 *                                       right after the other, each finds what the one before has left there
 *   SELDOM(p) BEGIN ... END             a procedure that needs nothing of its caller, leaves it nothing, and is called
 *                                       where time does not matter, by CALL_SELDOM(p, L.f); natively a function apart
 *   ALGORITHM(...)                      what the catalogue says (about.h)
 *
 * In scope in every procedure: i (this process), n, k, and L (this procedure's frame).
 *
 *   AT("label")                         stands before each shared access and carries the figure's own line or label
 *   get(r)                              read
 *   put(r, v)                           write
 *   put_if_different(r, v)              write unless the register has that value already (Lamport's *:=*)
 *   own(r)                              the value of a register that this process alone writes, and whose array is
 *                                       declared .remembered. No access, no step, no marker: the process could keep a
 *                                       copy from its last write on. (It does not: a native text reads its register,
 *                                       the stepped world keeps the copy, beside the locals, from passage to passage.)
 *   update(r, old, e)                   atomically: old := r; r := e, where e may use old
 *   act(r, w, f)                        atomically: w := r; f; r := w, where f is any statement that changes w and
 *                                       private variables; w, a C variable, keeps the new value up to the next marker.
 *                                       Natively f is done again if another process was faster: what it assigns, it
 *                                       computes from w and from what it does not assign
 *   all(c, d, ...), any(c, d, ...)      conditions, each of which reads one register: evaluated from left to right and no
 *                                       further than needed. Each read is a step, all of them at the marker that stands
 *                                       before the first; what stands between that marker and the condition is done
 *                                       again before each. Up to eight, not nested, and not in an await
 *   await(c)                            wait until c, which reads one register once
 *   await_in(bay, c)                    the same; natively it sleeps in this bay (a number, modulo 64) of that
 *                                       register, and whoever ends the wait must ring it
 *   ring(r, bay)                        natively: wakes the process that sleeps in this bay of r, and nobody else
 *   try_again(l)                        goto l, for a wait that reads more than one register; natively it watches the
 *                                       one that this procedure itself read last
 *   for_all("label", v, from, to) ...   v takes from..to-1 in any order; carries the AT of the body's first access;
 *                                       needs a set `todo` in the frame that is wide enough for to-1
 *   for_all_others("label", v) ...      the same over every process but i
 *   for_all_in("label", v, set) ...     the same over the elements of a set that does not contain i; the body may
 *                                       take v out of that set
 *                                       "Any order" is what `--order any` checks. Natively, and in the checker by
 *                                       default, it is one: for_all goes upwards; for_all_others and for_all_in go
 *                                       downwards and round, i-1, ..., 0, n-1, ..., i+1. A text that is right in one
 *                                       order alone says so by the next two
 *   for_in_order("label", v, from, to)  v takes from..to-1 in this order; otherwise like for_all, but without `todo`
 *   for_cyclically("label", v, from, to) the same modulo n: from, from+1, ..., up to the one before `to`
 *   waiting_room()                      the doorway ends here; never said by an algorithm that has none
 *   while_waiting()                     where a wait begins another round: nothing, unless an embedding has something to
 *                                       do there (algorithms/embedding.h)
 *
 * So that equal states look equal, a variable that is not used any more must be zero wherever a process stands:
 *
 *   local(L.v, ...);                    at the beginning of a block, or further down: from here on, where it is 0, and
 *                                       until the block ends, L.v lives; where a process stands elsewhere, it has been forgotten, by
 *                                       whatever way the block was left. Said once in each block, of up to eight.
 *                                       (The variable and the `todo` of a loop live in the loop.)
 *   forget(L.v, ...);                   L.v is not used any more, though its block goes on: it is 0 again
 *   lasts(L.f);                         after the call of a procedure: L.f is not forgotten, it lives as long as this frame
 *
 * Natively a variable keeps its value when its block ends. The checker takes every local step twice, once with garbage in
 * what does not live there, and refuses a text that uses it.
 *
 * Types of private variables: proc (a process number), flag, procset (a set of processes: only(v) has one element,
 * has(set, v), and elements(set) is how many), number and numberset (the same for a for_all over other things; below 64 when it is checked), ticket
 * (an unbounded number that is only compared, and grown by one; see checker/reduce/tickets.h for how it is kept finite), word
 * (what act works on; act_on and look_at, in fields.h, work on the variables in it). An unbounded number inside a word has
 * NUMBER_BITS bits, and wraps around: checker/reduce/numbers.h.
 *
 * An array with an element for each process has PROCESSES_MAX of them.
 *
 * One marker, one access: the stepped world refuses an algorithm that does otherwise.
 */
#ifndef ADMIT_REGISTERS_LANGUAGE_H
#define ADMIT_REGISTERS_LANGUAGE_H

#include "registers/about.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* --- lists of up to eight ----------------------------------------------------------------------------------------- */

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define HOW_MANY(...) NINTH(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, )
#define NINTH(a, b, c, d, e, f, g, h, ninth, ...) ninth

#define all(...) (JOIN(ALL_, HOW_MANY(__VA_ARGS__))(__VA_ARGS__))
#define ALL_2(a, b) AND_(0, a) && AND_(1, b)
#define ALL_3(a, b, c) ALL_2(a, b) && AND_(2, c)
#define ALL_4(a, b, c, d) ALL_3(a, b, c) && AND_(3, d)
#define ALL_5(a, b, c, d, e) ALL_4(a, b, c, d) && AND_(4, e)
#define ALL_6(a, b, c, d, e, f) ALL_5(a, b, c, d, e) && AND_(5, f)
#define ALL_7(a, b, c, d, e, f, g) ALL_6(a, b, c, d, e, f) && AND_(6, g)
#define ALL_8(a, b, c, d, e, f, g, h) ALL_7(a, b, c, d, e, f, g) && AND_(7, h)

#define any(...) (JOIN(ANY_, HOW_MANY(__VA_ARGS__))(__VA_ARGS__))
#define ANY_2(a, b) OR_(0, a) || OR_(1, b)
#define ANY_3(a, b, c) ANY_2(a, b) || OR_(2, c)
#define ANY_4(a, b, c, d) ANY_3(a, b, c) || OR_(3, d)
#define ANY_5(a, b, c, d, e) ANY_4(a, b, c, d) || OR_(4, e)
#define ANY_6(a, b, c, d, e, f) ANY_5(a, b, c, d, e) || OR_(5, f)
#define ANY_7(a, b, c, d, e, f, g) ANY_6(a, b, c, d, e, f) || OR_(6, g)
#define ANY_8(a, b, c, d, e, f, g, h) ANY_7(a, b, c, d, e, f, g) || OR_(7, h)

#ifdef ADMIT_STEPPED
#include "registers/blocks.h"
#include "registers/stepped.h"
#elif defined(TEXT_SLEEPS) /* sleeping.h */
#include "registers/sleeping_native.h"
#else
#include "registers/native.h"
#endif

/* The domain of a register of so many bits; a full word has any value. */
static inline uint64_t word_values(unsigned bits)
{
    return bits < 64 ? UINT64_C(1) << bits : TICKET;
}

/* How many bits the numbers 0 .. most take. */
static inline unsigned bits_up_to(unsigned most)
{
    return most == 0 ? 0 : 32 - (unsigned)__builtin_clz(most);
}

#define shared_word(name_, bits_, initial_, ...)                                                                       \
    registers(name_, 1, word_values(bits_), initial_, .writer = ANYBODY, __VA_ARGS__)

static inline procset only(unsigned v)
{
    return (procset)((procset)1 << v);
}

static inline unsigned elements(procset set)
{
    return (unsigned)__builtin_popcountll(set);
}

static inline bool has(procset set, unsigned v)
{
    return set >> v & 1;
}

#endif
