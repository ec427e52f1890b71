/* SPDX-License-Identifier: MIT
 *
 * deadlock_by_contents.h - deadlock-freedom (P2) from an arbitrary start, where waiting never writes.
 *
 * Where every state is a state to start in, a deadlock is just a loop without entries, anywhere in the graph. If no
 * process writes while it goes round and round without entering, then in such a loop the registers stand still, and the
 * processes, having nothing to tell each other, can be followed one by one: there is a deadlock iff for some contents of
 * the registers each process either can go round for ever or may rest, and one at least goes round. So the contents of
 * the registers are gone through, and not the states, of which there are as many again for each combination of local
 * states.
 */
#ifndef ADMIT_CHECKER_JUDGE_DEADLOCK_BY_CONTENTS_H
#define ADMIT_CHECKER_JUDGE_DEADLOCK_BY_CONTENTS_H

#include "checker/judge/properties.h"

/* Whether the question can be answered so: the start is arbitrary, no process writes while it waits or waits on its way
 * out, and the contents of the registers are not too many. */
bool contents_suffice(const struct model *model);
/* The answer; exploration, which need only have its model, receives the number of contents as its states. */
void judge_deadlock_by_contents(struct finding *finding, struct exploration *exploration);

#endif
