/* SPDX-License-Identifier: MIT */
#include "checker/question.h"

#include "base/clock.h"
#include "base/die.h"
#include "base/memory.h"
#include "checker/judge/deadlock_by_contents.h"
#include "checker/reduce/normal_form.h"
#include "checker/show/trace.h"

#include <stdlib.h>

void question_add(struct question *question, enum property property)
{
    for (unsigned p = 0; p < question->property_count; p++)
        if (question->properties[p] == property)
            return;
    question->properties[question->property_count++] = property;
}

/* Without an exploration, where there is a shorter way. */
static bool answered_shortly(const struct question *question, struct answer *answer)
{
    if (!question->setting.transient || question->keep_graph || question->property_count != 1 ||
        question->properties[0] != DEADLOCK_FREEDOM)
        return false;
    open_reduced(&answer->model, &question->setting);
    if (!contents_suffice(&answer->model)) {
        model_close(&answer->model);
        return false;
    }
    answer->by_contents = true;
    memset(&answer->exploration, 0, sizeof answer->exploration);
    answer->exploration.model = &answer->model;
    judge_deadlock_by_contents(&answer->findings[0], &answer->exploration);
    return true;
}

/* From an arbitrary start most states are gone through once and never again. All questions are about the others, so
 * that these are looked for once. */
static void find_lasting(struct graph *graph)
{
    uint8_t *in = must_allocate(graph->states);
    memset(in, 1, graph->states);
    struct components components;
    graph->lasting = fair_states(&(struct part){.graph = graph, .in = in}, &components);
    components_close(&components);
    free(in);
}

/* Whoever looks at every step, or counts them, wants the idle ones too. */
static bool may_hurry(const struct question *question)
{
    bool counts = false;
    for (unsigned p = 0; p < question->property_count; p++)
        counts |= property_info[question->properties[p]].needs_every_step;
    bool wants_all = question->keep_graph || question->keep_enabled;
    return !counts && !question->every_step && (question->hurry_will_do || !wants_all);
}

bool question_needs_graph(const struct question *question)
{
    /* What holds eventually is a question about loops. */
    bool needed = question->keep_graph || question->keep_enabled || question->setting.transient;
    for (unsigned p = 0; p < question->property_count; p++)
        needed |= !property_info[question->properties[p]].needs_states_only;
    return needed;
}

void question_answer(struct question *question, struct answer *answer)
{
    struct exploration_options *options = &question->options;
    bool needs_enabled = question->keep_enabled;
    for (unsigned p = 0; p < question->property_count; p++)
        needs_enabled |= property_info[question->properties[p]].needs_enabled;
    options->want_graph = question_needs_graph(question);
    options->hurry = may_hurry(question);
    options->stop_at_violation = !options->want_graph;
    /* The questions asked of a graph need as much memory again as the graph. */
    if (options->memory_limit == 0)
        options->memory_limit = free_memory() / (options->want_graph ? 2 : 1);

    double start = now();
    answer->by_contents = false;
    memset(&answer->enabled, 0, sizeof answer->enabled);
    if (answered_shortly(question, answer)) {
        answer->seconds = now() - start;
        return;
    }
    explore(&answer->exploration, &answer->model, &question->setting, options);
    if (question->setting.transient && answer->exploration.stopped == NULL)
        find_lasting(&answer->exploration.graph);
    if (needs_enabled && answer->exploration.stopped == NULL)
        enabled_find(&answer->enabled, &answer->exploration.graph);
    for (unsigned p = 0; p < question->property_count; p++) {
        if (question->judging != NULL)
            question->judging(&answer->exploration, question->properties[p]);
        judge(&answer->findings[p], &answer->exploration, &answer->enabled, question->properties[p]);
        finding_settle(&answer->findings[p], &answer->exploration);
    }
    answer->seconds = now() - start;
}

void answer_close(struct answer *answer, const struct question *question)
{
    for (unsigned p = 0; p < question->property_count; p++)
        finding_close(&answer->findings[p]);
    enabled_close(&answer->enabled);
    exploration_close(&answer->exploration);
}
