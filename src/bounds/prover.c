/* SPDX-License-Identifier: MIT */
#include "bounds/prover.h"

#include "base/die.h"
#include "checker/question.h"

#include <stdio.h>
#include <stdlib.h>

/* How long a process may go alone without arriving and without repeating itself; and how many states are explored where
 * one run does not tell which promise was broken. */
enum { PATIENCE = 1000000, STATES_MAX = 2000000 };

void values_insist(bool so, const char *what)
{
    if (!so)
        die("internal error: a step of the proof of Theorem 5.8 fails: %s", what);
}

void walk_open_copy(struct walk *walk, const struct walk *from)
{
    memset(walk, 0, sizeof *walk);
    configuration_open_copy(&walk->now, &from->now);
    history_append(&walk->history, from->history.steps, from->history.count);
}

void walk_close(struct walk *walk)
{
    configuration_close(&walk->now);
    history_close(&walk->history);
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

static unsigned size_of(procset set)
{
    return (unsigned)__builtin_popcount(set);
}

static enum ending step(const struct prover *prover, struct walk *walk, unsigned p)
{
    take_step(&walk->now, p);
    history_add(&walk->history, p);
    if (walk->now.tickets_too_large)
        return LOST;
    return size_of(those_in(&walk->now, CRITICAL)) > prover->k ? TOO_MANY : ARRIVES;
}

/* A loop of so many steps of p alone was found: goes back to where it is entered first, and once round it. */
static size_t cut_after_loop(struct walk *walk, const struct configuration *start, size_t first, size_t period,
                             unsigned p)
{
    struct configuration behind, ahead;
    size_t loop = first;
    configuration_open_copy(&behind, start);
    configuration_open_copy(&ahead, start);
    for (size_t s = 0; s < period; s++)
        take_step(&ahead, p);
    for (; !same_configuration(&behind, &ahead); loop++) {
        take_step(&behind, p);
        take_step(&ahead, p);
    }
    walk->history.count = loop + period;
    configuration_copy(&walk->now, &ahead);
    configuration_close(&behind);
    configuration_close(&ahead);
    return loop;
}

/* Nobody else steps, so that a configuration that comes again comes for ever. It is looked for as Brent does: one is
 * kept, and replaced by the present one each time that twice as many steps have passed. */
enum ending go_alone(const struct prover *prover, struct walk *walk, unsigned p, enum section goal, size_t *loop)
{
    struct configuration start, kept;
    const size_t first = walk->history.count;
    configuration_open_copy(&start, &walk->now);
    configuration_open_copy(&kept, &walk->now);
    *loop = first;
    enum ending ending = ARRIVES;
    bool repeats = false;
    for (size_t steps = 0, replace = 1; ending == ARRIVES && !repeats && walk->now.process[p].section != goal;) {
        ending = step(prover, walk, p);
        steps++;
        repeats = same_configuration(&walk->now, &kept);
        if (steps > PATIENCE)
            ending = LOST;
        if (steps == replace && !repeats) {
            configuration_copy(&kept, &walk->now);
            *loop = walk->history.count;
            replace *= 2;
        }
    }
    if (ending == ARRIVES && repeats) {
        ending = REPEATS;
        *loop = cut_after_loop(walk, &start, first, walk->history.count - *loop, p);
    }
    configuration_close(&start);
    configuration_close(&kept);
    return ending;
}

/* --- how it can end ----------------------------------------------------------------------------------------------- */

void give_up(struct prover *prover, const char *why)
{
    prover->bound->outcome = VALUES_UNDECIDED;
    snprintf(prover->bound->why, sizeof prover->bound->why, "%s: %s", prover->where, why);
}

/* A verdict is never better than its evidence: the trace machinery must find the same. */
static void keep_violation(struct prover *prover, const struct walk *walk, size_t loop, enum property property,
                           unsigned i, unsigned j)
{
    struct values_bound *bound = prover->bound;
    struct trace *trace = &bound->violation;
    *trace = (struct trace){.setting = bound->instance.setting,
                            .property = property,
                            .i = i,
                            .j = j,
                            .count = walk->history.count,
                            .loop = loop,
                            .loop_end = loop == NO_LOOP ? NO_LOOP : walk->history.count,
                            .steps = must_allocate(walk->history.count * sizeof *trace->steps)};
    for (size_t s = 0; s < trace->count; s++)
        trace->steps[s].process = walk->history.steps[s];
    if (property == EXCLUSION)
        snprintf(trace->what, sizeof trace->what, "%u processes are inside together, and k is %u",
                 size_of(those_in(&walk->now, CRITICAL)), bound->instance.setting.k);
    else if (property == FIFO_ENABLING)
        snprintf(trace->what, sizeof trace->what,
                 "process %u has entered, and process %u, which tried before %u came, can step for ever in vain", j, i,
                 j);
    else
        snprintf(trace->what, sizeof trace->what, "process %u can step for ever without progress, although %s", i,
                 walk->now.process[i].section == EXIT ? "it only has to leave" : "a slot is free");
    bound->outcome = VALUES_VIOLATED;
    struct execution execution;
    enum confirmation confirmation =
        trace_execute(trace, &execution) ? trace_confirm(trace, &execution) : NOT_CONFIRMED;
    execution_close(&execution);
    /* That fewer than k can be enabled where a process goes round in vain was found out by those who could be. */
    if (confirmation == NOT_CONFIRMED || (confirmation == NEEDS_EXPLORATION && property != K_DEADLOCK_AVOIDANCE)) {
        give_up(prover, "a violation was found that could not be confirmed by executing it");
        trace_close(trace);
        memset(trace, 0, sizeof *trace);
    }
}

/* More than k of the level are inside. The others of all K slots belong to those who are enabled and left alone: they
 * are let in, too. If one cannot get in, it has been overtaken by all of the level. */
static void too_many(struct prover *prover, struct walk *walk)
{
    const struct setting *setting = &prover->bound->instance.setting;
    const struct prover all = {.bound = prover->bound, .n = setting->n, .k = setting->n};
    const unsigned later = (unsigned)__builtin_ctz(those_in(&walk->now, CRITICAL));
    for (unsigned p = prover->n; p < setting->n; p++) {
        size_t loop;
        switch (go_alone(&all, walk, p, CRITICAL, &loop)) {
        case REPEATS:
            snprintf(prover->bound->why, sizeof prover->bound->why, "%s: process %u should have been enabled",
                     prover->where, p);
            keep_violation(prover, walk, loop, FIFO_ENABLING, p, later);
            return;
        case LOST:
            give_up(prover, "tickets or runs grow too long");
            return;
        default:
            break;
        }
    }
    values_insist(size_of(those_in(&walk->now, CRITICAL)) > setting->k, "one too many of a level is one too many");
    snprintf(prover->bound->why, sizeof prover->bound->why, "%s: one more gets in than there are slots", prover->where);
    keep_violation(prover, walk, NO_LOOP, EXCLUSION, later,
                   31 - (unsigned)__builtin_clz(those_in(&walk->now, CRITICAL)));
}

/* Where one run does not tell which promise is broken, all of them do. */
static void explore_instead(struct prover *prover, unsigned p)
{
    struct values_bound *bound = prover->bound;
    struct question question = {.setting = bound->instance.setting, .options = {.max_states = STATES_MAX}};
    question_add(&question, EXCLUSION);
    question_add(&question, FIFO_ENABLING);
    question_add(&question, K_DEADLOCK_AVOIDANCE);
    struct answer answer;
    question_answer(&question, &answer);
    give_up(prover, "a process goes round in vain, and what that violates could not be found out");
    for (unsigned f = 0; f < question.property_count && bound->outcome == VALUES_UNDECIDED; f++)
        if (answer.findings[f].verdict == VIOLATED && answer.findings[f].has_witness) {
            trace_of(&bound->violation, &answer.findings[f], &answer.model);
            bound->outcome = VALUES_VIOLATED;
            snprintf(bound->why, sizeof bound->why,
                     "%s: process %u goes round in vain, so that one promise or another is broken; of all runs, this "
                     "shows one",
                     prover->where, p);
        }
    answer_close(&answer, &question);
}

/* p goes round for ever alone. Whoever cannot get in alone is not enabled; so if too few others could be enabled to
 * fill all slots, this is a k-deadlock. */
static void stuck(struct prover *prover, const struct walk *walk, unsigned p, size_t loop)
{
    const struct setting *setting = &prover->bound->instance.setting;
    const struct prover all = {.bound = prover->bound, .n = setting->n, .k = setting->n};
    unsigned enabled_at_most = 0;
    for (unsigned other = 0; other < setting->n; other++) {
        struct walk alone;
        size_t ignored;
        walk_open_copy(&alone, walk);
        enabled_at_most += go_alone(&all, &alone, other, CRITICAL, &ignored) != REPEATS;
        walk_close(&alone);
    }
    const bool leaving = walk->now.process[p].section == EXIT;
    if (!leaving && enabled_at_most >= setting->k) {
        explore_instead(prover, p);
        return;
    }
    if (leaving)
        snprintf(prover->bound->why, sizeof prover->bound->why, "%s: process %u, alone, does not get out of its exit",
                 prover->where, p);
    else
        snprintf(prover->bound->why, sizeof prover->bound->why,
                 "%s: process %u, alone, goes round in vain, and no more than %u of %u slots can be taken",
                 prover->where, p, enabled_at_most, setting->k);
    keep_violation(prover, walk, loop, K_DEADLOCK_AVOIDANCE, p, p);
}

bool must_go(struct prover *prover, struct walk *walk, unsigned p, enum section goal)
{
    size_t loop;
    switch (go_alone(prover, walk, p, goal, &loop)) {
    case ARRIVES:
        return true;
    case TOO_MANY:
        too_many(prover, walk);
        return false;
    case REPEATS:
        stuck(prover, walk, p, loop);
        return false;
    default:
        give_up(prover, "tickets or runs grow too long");
        return false;
    }
}

bool must_step(struct prover *prover, struct walk *walk, unsigned p)
{
    enum ending ending = step(prover, walk, p);
    if (ending == TOO_MANY)
        too_many(prover, walk);
    else if (ending == LOST)
        give_up(prover, "tickets grow too large to be followed");
    return ending == ARRIVES;
}

void overtaken(struct prover *prover, struct walk *walk, unsigned slow, unsigned fast)
{
    size_t loop;
    enum ending ending = go_alone(prover, walk, slow, CRITICAL, &loop);
    values_insist(ending != ARRIVES, "there is no slot left for the one that was overtaken");
    if (ending == TOO_MANY) {
        too_many(prover, walk);
    } else if (ending == REPEATS) {
        snprintf(prover->bound->why, sizeof prover->bound->why, "%s: process %u overtakes process %u", prover->where,
                 fast, slow);
        keep_violation(prover, walk, loop, FIFO_ENABLING, slow, fast);
    } else {
        give_up(prover, "tickets or runs grow too long");
    }
}
