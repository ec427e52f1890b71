/* SPDX-License-Identifier: MIT */
#include "bounds/hidden.h"

#include "base/die.h"

#include <stdlib.h>

static void note_rest(struct computation *computation, unsigned i, size_t prefix)
{
    if (computation->to.process[i].section != REMAINDER)
        return;
    computation->rested[i] = true;
    computation->rest[i] = prefix;
}

/* Definition 5.2, backwards in time: of each variable one need only know who reads it before it is next written. */
static void find_obliterated(struct computation *computation)
{
    const struct instance *instance = computation->from.instance;
    struct future {
        bool written;
        procset read_before;
    } *future = must_allocate(instance->reg_count * sizeof *future);
    for (size_t s = computation->count; s-- > 0;) {
        unsigned i = computation->steps[s];
        struct done *done = &computation->done[s];
        struct future *v = &future[done->action.variable];
        if (done->action.deed == WRITES) {
            done->obliterated = v->written && (v->read_before & ~the_one(i)) == 0;
            *v = (struct future){.written = true};
        } else {
            v->read_before |= the_one(i);
        }
    }
    free(future);
}

void computation_run(struct computation *computation, const struct configuration *from, const uint8_t *steps,
                     size_t count)
{
    memset(computation, 0, sizeof *computation);
    configuration_open_copy(&computation->from, from);
    configuration_open_copy(&computation->to, from);
    computation->steps = steps;
    computation->count = count;
    computation->done = must_allocate(count * sizeof *computation->done);
    for (unsigned i = 0; i < from->instance->setting.n; i++)
        note_rest(computation, i, 0);
    for (size_t s = 0; s < count; s++) {
        computation->done[s].action = take_step(&computation->to, steps[s]);
        note_rest(computation, steps[s], s + 1);
    }
    find_obliterated(computation);
}

void computation_close(struct computation *computation)
{
    configuration_close(&computation->from);
    configuration_close(&computation->to);
    free(computation->done);
    memset(computation, 0, sizeof *computation);
}

bool is_hidden(const struct computation *computation, unsigned i)
{
    if (!computation->rested[i])
        return false;
    for (size_t s = computation->rest[i]; s < computation->count; s++)
        if (computation->steps[s] == i && computation->done[s].action.deed != READS &&
            !computation->done[s].obliterated)
            return false;
    return true;
}

void without_hidden_steps(const struct computation *computation, procset hidden, struct history *shorter)
{
    for (size_t s = 0; s < computation->count; s++) {
        unsigned i = computation->steps[s];
        if (!(hidden & the_one(i)) || s < computation->rest[i])
            history_add(shorter, i);
    }
}

bool hides(const struct computation *computation, procset hidden)
{
    procset others = first_of(computation->from.instance->setting.n) & (procset)~hidden;
    struct history shorter = {0};
    struct configuration q;
    without_hidden_steps(computation, hidden, &shorter);
    configuration_open_copy(&q, &computation->from);
    for (size_t s = 0; s < shorter.count; s++)
        take_step(&q, shorter.steps[s]);
    bool at_rest = (hidden & ~those_in(&q, REMAINDER)) == 0;
    bool alike = look_alike(&q, &computation->to, others);
    configuration_close(&q);
    history_close(&shorter);
    return at_rest && alike;
}

static const char *refuted(const struct computation *computation, const unsigned *covered)
{
    const unsigned n = computation->from.instance->setting.n;
    for (size_t s = 0; s < computation->count; s++)
        if (computation->done[s].action.deed == DOES_BOTH)
            return "a step is neither a read nor a write";
    for (unsigned i = 0; i < n; i++) {
        if (!covers(&computation->to, i, covered[i]))
            return "a process does not cover its variable";
        for (unsigned j = 0; j < i; j++)
            if (covered[i] == covered[j])
                return "two processes cover the same variable";
        if (!is_hidden(computation, i))
            return "a process is not hidden (Definition 5.3)";
        if (!hides(computation, the_one(i)))
            return "a process that was hidden is missed when its hidden steps are left out (Lemma 5.3)";
    }
    if (!hides(computation, first_of(n)))
        return "the variables differ when all hidden steps are left out (Lemma 5.3)";
    return NULL;
}

const char *nullification_refuted(const struct instance *instance, const struct history *history,
                                  const unsigned *covered)
{
    struct configuration start;
    struct computation computation;
    configuration_start(&start, instance);
    computation_run(&computation, &start, history->steps, history->count);
    const char *why = refuted(&computation, covered);
    computation_close(&computation);
    configuration_close(&start);
    return why;
}
