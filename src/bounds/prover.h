/* SPDX-License-Identifier: MIT
 *
 * prover.h - the hands of the proof in values.c: it steps, lets a process go alone, and when the algorithm has broken a
 * promise it turns that into a run from the initial configuration that shows so.
 */
#ifndef ADMIT_BOUNDS_PROVER_H
#define ADMIT_BOUNDS_PROVER_H

#include "bounds/values.h"

struct prover {
    struct values_bound *bound;
    unsigned n, k;   /* of the level: processes n, n + 1, ... are enabled, and are left alone */
    char where[120]; /* in the construction */
};

void walk_open_copy(struct walk *walk, const struct walk *from);
void walk_close(struct walk *walk);

/* TOO_MANY: more than k of the level are inside. LOST: tickets have grown too large, or patience has an end. */
enum ending { ARRIVES, REPEATS, TOO_MANY, LOST };

/* Lets process p step alone until it is in this section, or until it is clear that it never will be: REPEATS, from step
 * number *loop of the history on. */
enum ending go_alone(const struct prover *prover, struct walk *walk, unsigned p, enum section goal, size_t *loop);

/* The same where the proof says that it must get there; and one step. False if not: then the game is over, and what is
 * wrong has been found out. */
bool must_go(struct prover *prover, struct walk *walk, unsigned p, enum section goal);
bool must_step(struct prover *prover, struct walk *walk, unsigned p);

/* `fast` is inside, and came later than `slow`, which tries; and all slots that the level has are taken. If slow can
 * still get in, there are too many; if not, it has been overtaken. The game is over. */
void overtaken(struct prover *prover, struct walk *walk, unsigned slow, unsigned fast);

/* The game is over without a result. */
void give_up(struct prover *prover, const char *why);

/* What is so in every system, right or wrong. */
void values_insist(bool so, const char *what);

#endif
