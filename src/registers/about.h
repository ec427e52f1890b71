/* SPDX-License-Identifier: MIT
 *
 * about.h - what the catalogue says of an algorithm: where it is printed, what it needs, what is claimed of it.
 *
 * The names here are the vocabulary of the whole project; docs/properties.md defines each of them exactly.
 */
#ifndef ADMIT_REGISTERS_ABOUT_H
#define ADMIT_REGISTERS_ABOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a process is. One passage leads through all of them, in this order; an algorithm without a doorway skips it.
 * FAULTY is none of them: the process does not follow its text. */
enum section { REMAINDER, DOORWAY, WAITING_ROOM, CRITICAL, EXIT, FAULTY, SECTIONS };

/* How a register behaves when a read overlaps a write. Each kind promises less than the one before. */
enum register_kind { ATOMIC, REGULAR, SAFE, REGISTER_KINDS };

/* Domains: how many values a register can have. BOOLEAN and small numbers are counted in bits and may be garbled;
 * TICKET is unbounded and order is all that matters of it. */
enum { BOOLEAN = 2, TICKET = 0 };

/* As the initial value of a register: none is declared, so that it may be anything; an abort leaves it as it is. */
#define ANY_VALUE UINT64_MAX

/* Who writes the elements of an array: process e alone writes element e; process r alone writes row r (of an array with
 * columns); or anybody writes any. */
enum writer { OWN_ELEMENT, OWN_ROW, ANYBODY };

enum property {
    EXCLUSION,
    DEADLOCK_FREEDOM,
    LOCKOUT_FREEDOM,
    FCFS,
    BOUNDED_DOORWAY,
    BOUNDED_EXIT,
    BOUNDED_WAITING,
    K_DEADLOCK_AVOIDANCE,
    FIFE,
    STRONG_FIFE,
    OVERTAKING,
    FIFO_ENABLING,
    PROPERTIES
};

/* Faults, as bits, so that a claim can name all that it tolerates. */
enum fault { CRASH = 1, SHUTDOWN = 2, ABORT = 4, FAILURE = 8, TRANSIENT = 16 };

/* "This property holds on registers as weak as `down_to`, and still holds under any one of `faults`." */
struct claim {
    enum property property;
    enum register_kind down_to;
    unsigned faults;
};

enum { CLAIMS_MAX = 12, TICKET_LOCALS_MAX = 8 };

#define CLAIMS(...) .claims = {__VA_ARGS__}, .claim_count = sizeof((struct claim[]){__VA_ARGS__}) / sizeof(struct claim)

struct about {
    const char *id;       /* the name used everywhere; given by the build, from the file's name */
    const char *title;    /* as the paper calls it */
    const char *paper;    /* lamport86, flbb89, bl93, afek94, zehavi13, or "-" */
    const char *figure;   /* where in the paper */
    unsigned k;           /* the only k it works for; 0 means any k from 1 to n */
    const char *bits;     /* shared bits as a formula in n and k, checked against the declared registers by the tests */
    const char *fairness; /* one phrase for a person */
    bool doorway;         /* whether it has one; then the text says waiting_room() */
    struct claim claims[CLAIMS_MAX];
    unsigned claim_count;
    size_t ticket_locals[TICKET_LOCALS_MAX]; /* offsets of the tickets among the locals, ended by 0 */
};

#endif
