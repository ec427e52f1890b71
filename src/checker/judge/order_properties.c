/* SPDX-License-Identifier: MIT
 *
 * Order: fcfs (P4), fife (P9), strong-fife (P10), fifo-enabling (P12), served-before (P17).
 *
 * All speak of a pair: i was there first, j came later, and j gets ahead. The pair's history is one bit
 * ("j came later and i still waits"), so each pair is a second layer over the graph: the states in which the bit is
 * set. The layer is searched breadth first, by distance from the start, so that a counterexample is a shortest one.
 */
#include "base/die.h"
#include "base/parallel.h"
#include "checker/judge/properties.h"

#include <stdio.h>
#include <stdlib.h>

struct pair_question {
    enum property property;
    bool leaving; /* the second half of fifo-enabling: about the way out */
    const struct graph *graph;
    const struct enabled *enabled;
    const uint32_t *depth; /* of each state */
    unsigned i, j;
};

struct pair_answer {
    uint64_t fired, bound;
    bool found;
    uint32_t distance, state;
};

/* Where a state of the layer was reached from; first: from outside the layer. */
struct arrival {
    uint32_t from;
    uint8_t process;
    bool first;
};

static bool has(uint16_t set, unsigned i)
{
    return set >> i & 1;
}

/* i waits: in the waiting room, or (fifo-enabling) trying, respectively leaving, and not enabled; or (served-before) has
 * not been served yet. */
static bool first_one_waits(const struct pair_question *question, uint32_t state)
{
    const struct standing *standing = &question->graph->standing[state];
    if (question->property == SERVED_BEFORE)
        return has(standing->waiting_room | standing->critical, question->i);
    if (question->property != FIFO_ENABLING)
        return has(standing->waiting_room, question->i);
    if (question->leaving)
        return has(exiting(standing), question->i) && !has(question->enabled->remainder[state], question->i);
    return has(trying(standing), question->i) && !has(question->enabled->critical[state], question->i);
}

/* The pair's history begins in a state (fifo-enabling) or with a step of j (the others). */
static bool begins_in_state(const struct pair_question *question, uint32_t state)
{
    const struct standing *standing = &question->graph->standing[state];
    return question->property == FIFO_ENABLING && first_one_waits(question, state) &&
           has(question->leaving ? standing->critical : standing->remainder, question->j);
}

static bool begins_with_step(const struct pair_question *question, uint32_t state, uint64_t edge)
{
    uint8_t kind = question->graph->kinds[edge];
    return question->property != FIFO_ENABLING && (kind & EDGE_PROCESS) == question->j && kind & EDGE_ENTERS_DOORWAY &&
           !(kind & EDGE_FAULT) && first_one_waits(question, state);
}

static bool goes_on(const struct pair_question *question, uint32_t state)
{
    const struct standing *standing = &question->graph->standing[state];
    return first_one_waits(question, state) &&
           (question->property == FIFO_ENABLING || has(trying(standing) | standing->critical, question->j));
}

/* j has got ahead in this state of the layer; then i should be enabled (for fcfs and served-before that is no excuse). */
static bool is_ahead(const struct pair_question *question, uint32_t state)
{
    const struct standing *standing = &question->graph->standing[state];
    const struct enabled *enabled = question->enabled;
    switch (question->property) {
    case FCFS:
    case SERVED_BEFORE:
    case FIFE:
        return has(standing->critical, question->j);
    case STRONG_FIFE:
        return counts_as_enabled(standing, enabled->critical[state], question->j) &&
               has(standing->waiting_room | standing->critical, question->j);
    default:
        /* The dead, and those who take their places, are not on their way. */
        if (question->graph->recovers && !question->leaving && !has(trying(standing) | standing->critical, question->j))
            return false;
        return counts_as_enabled(standing, question->leaving ? enabled->remainder[state] : enabled->critical[state],
                                 question->j);
    }
}

static bool is_excused(const struct pair_question *question, uint32_t state)
{
    return (question->property == FIFE || question->property == STRONG_FIFE) &&
           has(question->enabled->critical[state], question->i);
}

struct layer {
    const struct pair_question *question;
    struct pair_answer *answer;
    uint8_t *in;
    struct arrival *arrivals; /* NULL if nobody asks for the way */
    uint32_t *queue;
    uint32_t tail;
};

static void arrive(struct layer *layer, uint32_t state, struct arrival arrival, uint32_t distance)
{
    const struct pair_question *question = layer->question;
    struct pair_answer *answer = layer->answer;
    if (layer->in[state])
        return;
    layer->in[state] = 1;
    if (layer->arrivals != NULL)
        layer->arrivals[state] = arrival;
    layer->queue[layer->tail++] = state;
    bool ahead = is_ahead(question, state);
    answer->fired += question->property == FIFE || question->property == STRONG_FIFE ? ahead : 1;
    if (!ahead)
        return;
    if (is_excused(question, state)) {
        uint64_t steps = question->enabled->own_steps[question->i][state];
        if (steps > answer->bound)
            answer->bound = steps;
    } else if (!answer->found) {
        *answer = (struct pair_answer){answer->fired, answer->bound, true, distance, state};
    }
}

/* Searches the layer of one pair. */
static void ask_pair(const struct pair_question *question, struct pair_answer *answer, struct arrival *arrivals)
{
    const struct graph *graph = question->graph;
    struct layer layer = {.question = question,
                          .answer = answer,
                          .in = must_allocate(graph->states),
                          .arrivals = arrivals,
                          .queue = must_allocate(graph->states * sizeof(uint32_t))};
    *answer = (struct pair_answer){0};
    uint32_t scan = 0, head = 0;
    for (uint32_t distance = 0; scan < graph->states || head < layer.tail; distance++) {
        uint32_t level_end = layer.tail;
        uint32_t level_scan = scan;
        for (; level_scan < graph->states && question->depth[level_scan] == distance; level_scan++)
            if (begins_in_state(question, level_scan))
                arrive(&layer, level_scan, (struct arrival){.from = level_scan, .first = true}, distance);
        if (question->property == FIFO_ENABLING)
            level_end = layer.tail;
        for (; head < level_end; head++) {
            uint32_t state = layer.queue[head];
            for (uint64_t edge = graph->first[state]; edge < graph->first[state + 1]; edge++)
                if (goes_on(question, graph->targets[edge]))
                    arrive(&layer, graph->targets[edge],
                           (struct arrival){state, graph->kinds[edge] & EDGE_PROCESS, false}, distance + 1);
        }
        for (; scan < level_scan; scan++)
            for (uint64_t edge = graph->first[scan]; edge < graph->first[scan + 1]; edge++)
                if (begins_with_step(question, scan, edge))
                    arrive(&layer, graph->targets[edge],
                           (struct arrival){scan, graph->kinds[edge] & EDGE_PROCESS, true}, distance + 1);
    }
    free(layer.in);
    free(layer.queue);
}

static uint32_t *depths(const struct graph *graph)
{
    uint32_t *depth = must_allocate(graph->states * sizeof *depth);
    for (uint32_t state = 0; state < graph->states; state++)
        for (uint64_t edge = graph->first[state]; edge < graph->first[state + 1]; edge++)
            if (graph->targets[edge] > state && graph->targets[edge] >= graph->roots &&
                depth[graph->targets[edge]] == 0)
                depth[graph->targets[edge]] = depth[state] + 1;
    return depth;
}

/* --- all pairs ---------------------------------------------------------------------------------------------------- */

struct pairs {
    struct pair_question question;
    unsigned count;
    struct pair_answer *answers; /* of every half and pair, in order */
};

static struct pair_question question_of(const struct pairs *pairs, unsigned number)
{
    struct pair_question question = pairs->question;
    unsigned n = question.graph->participants;
    question.leaving = number / (n * n) == 1;
    question.i = number / n % n;
    question.j = number % n;
    return question;
}

static void ask_share(void *context, unsigned share, unsigned shares)
{
    struct pairs *pairs = context;
    for (unsigned number = share; number < pairs->count; number += shares) {
        struct pair_question question = question_of(pairs, number);
        if (question.i != question.j)
            ask_pair(&question, &pairs->answers[number], NULL);
    }
}

static void walk_layer(struct witness *witness, const struct exploration *exploration, const struct arrival *arrivals,
                       uint32_t state)
{
    const struct arrival *arrival = &arrivals[state];
    if (arrival->first)
        witness_open(witness, exploration, exploration->graph.numbers[arrival->from]);
    else
        walk_layer(witness, exploration, arrivals, arrival->from);
    if (arrival->from != state)
        witness_go(witness, exploration, state, arrival->process);
    witness->at = state;
}

static bool is_not_inside(const struct standing *standing, unsigned i)
{
    return !has(standing->critical, i);
}

static bool is_not_in_remainder(const struct standing *standing, unsigned i)
{
    return !has(standing->remainder, i);
}

static void show_pair(struct finding *finding, const struct exploration *exploration,
                      const struct pair_question *question, uint32_t state)
{
    struct pair_answer answer;
    struct arrival *arrivals = must_allocate(exploration->graph.states * sizeof *arrivals);
    ask_pair(question, &answer, arrivals);
    finding->verdict = VIOLATED;
    finding->has_witness = true;
    finding->has_bound = false;
    finding->i = question->i;
    finding->j = question->j;
    walk_layer(&finding->witness, exploration, arrivals, state);
    free(arrivals);
    const char *ahead =
        question->property == STRONG_FIFE || question->property == FIFO_ENABLING ? "is enabled" : "is inside";
    if (question->property == FCFS || question->property == SERVED_BEFORE) {
        snprintf(finding->what, sizeof finding->what,
                 "process %u is inside, but process %u had left the doorway before %u entered it%s", question->j,
                 question->i, question->j, question->property == SERVED_BEFORE ? ", and has not been served" : "");
        return;
    }
    /* That i is not enabled is shown too: it can step for ever from here in vain. */
    uint8_t *in =
        states_where(&exploration->graph, question->leaving ? is_not_in_remainder : is_not_inside, question->i);
    struct part part = {.graph = &exploration->graph, .in = in};
    witness_loop_of(&finding->witness, exploration, &part, step_of(question->i));
    snprintf(finding->what, sizeof finding->what,
             "process %u %s, but process %u, which %s, is not: it can step for ever in vain", question->j,
             question->leaving ? "is enabled to leave" : ahead, question->i,
             question->property == FIFO_ENABLING ? "has been waiting since before" : "left the doorway first");
    free(in);
}

void judge_order(struct finding *finding, const struct exploration *exploration, const struct enabled *enabled)
{
    const struct graph *graph = &exploration->graph;
    uint32_t *depth = depths(graph);
    unsigned n = graph->participants, halves = finding->property == FIFO_ENABLING ? 2 : 1;
    struct pairs pairs = {
        .question = {.property = finding->property, .graph = graph, .enabled = enabled, .depth = depth},
        .count = halves * n * n,
        .answers = must_allocate(halves * n * n * sizeof *pairs.answers)};
    parallel(core_count(), ask_share, &pairs);
    unsigned worst = pairs.count;
    for (unsigned number = 0; number < pairs.count; number++) {
        const struct pair_answer *answer = &pairs.answers[number];
        finding->fired += answer->fired;
        if (answer->bound > finding->bound)
            finding->bound = answer->bound;
        if (answer->found && (worst == pairs.count || answer->distance < pairs.answers[worst].distance))
            worst = number;
    }
    finding->has_bound = finding->property == FIFE || finding->property == STRONG_FIFE;
    if (worst < pairs.count) {
        struct pair_question question = question_of(&pairs, worst);
        show_pair(finding, exploration, &question, pairs.answers[worst].state);
    }
    free(pairs.answers);
    free(depth);
}
