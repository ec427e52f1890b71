/* SPDX-License-Identifier: MIT
 *
 * session.h - a client's session with a store (store.h) in the checked world: what becomes of its lease, of its watch and of
 * a request whose answer has not come. It is among the locals of the text, and outlives a passage.
 *
 * The client learns of it by the words of store.h alone. Faults change it (checker/model/faults.c), and what happens at the
 * store beside the text (enum happening).
 */
#ifndef ADMIT_REGISTERS_SESSION_H
#define ADMIT_REGISTERS_SESSION_H

#include <stdint.h>

/* Revisions of a client's own keys, which no other client compares with: 0, there is no such key; 1, of one that is gone;
 * above that they are numbered anew after each step, in their order. */
typedef uint8_t revision;

#define NO_SLOT UINT8_MAX

/* What a client knows of its own keys: all that its requests depend on. */
struct own {
    revision drawn;   /* at which it drew last by this lease; it outlives the passage */
    revision created; /* of its key in the line; 0 before it knows that it has drawn */
    uint8_t slot;
};

/* IN_TIME: its deadline has not passed. PAST: it has, and the lease lives at the store still. */
enum lease { IN_TIME, PAST, ENDED };
/* HALTED until its lease has ended; STOPPED for ever. */
enum motion { RUNS_ON, HALTED, STOPPED };

/* What happens to a client at the store beside its text. */
enum happening { LEASE_ENDS, ARRIVES };

struct session {
    uint8_t lease;           /* enum lease */
    uint8_t motion;          /* enum motion */
    uint8_t follows, missed; /* it has a watch; which has ended, and it has not been told so yet */
    uint8_t unanswered;      /* it does not wait any longer for the answer to what it asks */
    struct {
        uint8_t request; /* 0: none */
        uint8_t earlier; /* it was made by a session before this one */
        struct own own;  /* as it was then */
    } in_flight;
    struct own own;
};

#endif
