/* SPDX-License-Identifier: MIT
 *
 * label_gaps.h - how the labels of the unbounded timestamp system are kept finite.
 *
 * A Label reads the labels of all others and writes one that is one above the largest of these and its own, or nothing
 * (struct climb in about.h). Labels are compared, and never with a constant. So only the order of the labels that are
 * present in a state matters, in registers and in locals, and the width of each gap between neighbours lo < hi as far
 * as new labels may still climb into it. How far they may is known:
 *
 *   - Registers only grow, and a label that is present is or was in one. So the set H of processes whose register holds
 *     hi or more is not empty, and none of them ever leaves it.
 *   - The next label above lo and up to hi can come only from a Label under way whose largest is lo or less so far, and
 *     which has read all of H already: another will see hi or more. Let there be c of these. A Label that begins has
 *     all others yet to read, H among them, unless its own process is in H and its own label hi or more: it is not one
 *     of them.
 *   - Each of the c writes once, one above what it has, so that together they climb up to lo + c at most.
 *
 * Therefore all widths above c are alike, and a wider gap is made c + 1 wide. That is a bisimulation. A step that
 * writes lo + 1 into a gap wider than c leaves c - 1 of those Labels, and a gap above lo + 1 that is still wider than
 * that. When a label goes, two gaps become one. If the widths of the upper one are only known to be above its c, so is
 * the sum to be above the c of both together: whoever has all of H behind it and has seen lo or less is counted for the
 * upper one, too. A read can take a Label out of the count, and nothing brings one in.
 *
 * On registers that are not atomic a label can be read before a register holds it, and faults that write registers take
 * labels down again. So this is for atomic registers, and for no other fault than a crash.
 *
 * So the renaming is exact, unlike that of tickets.h in general: no step is ambiguous, and every verdict counts.
 */
#ifndef ADMIT_CHECKER_REDUCE_LABEL_GAPS_H
#define ADMIT_CHECKER_REDUCE_LABEL_GAPS_H

#include "checker/model/fault_info.h"
#include "checker/model/model.h"

static inline bool has_climbs(const struct model *model)
{
    const struct setting *setting = &model->instance.setting;
    bool labels_fall = (faults_in(setting) & ~(unsigned)CRASH) != 0;
    return setting->algorithm->about.climb.todo != 0 && setting->registers == ATOMIC && !labels_fall;
}

/* The width that the gap above lo, which is so wide, gets. */
unsigned climb_gap(const struct model *model, const uint64_t *state, uint16_t lo, unsigned gap);

#endif
