/* SPDX-License-Identifier: MIT
 *
 * fixed_points.h - questions about the graph that are answered by going over all states again and again until nothing
 * changes.
 *
 * A sweep reads states and edges in the order in which they lie in memory, on all cores, and for all processes at once
 * (a bit each). States are numbered breadth first, so most edges lead forwards, and few sweeps are needed. That is much
 * faster than a depth-first search, which waits for memory at every state; what a sweep leaves over is asked of
 * components.h.
 */
#ifndef ADMIT_CHECKER_JUDGE_FIXED_POINTS_H
#define ADMIT_CHECKER_JUDGE_FIXED_POINTS_H

#include "checker/judge/components.h"

/* Per state, who can get, without entering, to where it takes a step that changes nothing, or to where it has no
 * passage left: those are not enabled. The caller frees it. */
uint16_t *sweep_for_blocked(const struct graph *graph);

/* Takes states out of `in`, which is that of the part, until each one left has an edge, of none of the forbidden kinds, to
 * another that is left, or is one in which everybody rests or can step without changing anything. */
void sweep_to_loops(const struct part *part, uint8_t *in);

#endif
