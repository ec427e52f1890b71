/* SPDX-License-Identifier: MIT
 *
 * Questions about single states or single steps that a sentence of a paper asks: what a register holds while its writer
 * stands somewhere, who reads it, who has written before entering.
 */
#include "base/die.h"
#include "claims/claims.h"
#include "claims/look.h"
#include "counter/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The registers of process i in the array of this name. */
static unsigned own_registers(const struct instance *instance, const char *array, unsigned i, unsigned *list)
{
    unsigned count = 0;
    for (unsigned r = 0; r < instance->reg_count; r++)
        if (instance->regs[r].writer == (int)i && strcmp(instance->regs[r].array->name, array) == 0)
            list[count++] = r;
    if (count == 0)
        die("internal error: %s has no registers %s that process %u writes", instance->setting.algorithm->about.id,
            array, i);
    return count;
}

static void show_state(struct finding *finding, const struct exploration *exploration, uint32_t state, unsigned i,
                       unsigned reg)
{
    char name[64];
    register_name(&exploration->model->instance, reg, name, sizeof name);
    finding->verdict = VIOLATED;
    finding->has_witness = true;
    finding->i = i;
    witness_open(&finding->witness, exploration, exploration->graph.numbers[state]);
    finding->witness.at = state;
    snprintf(finding->what, sizeof finding->what, "process %u in a state in which %s is %llu", i, name,
             (unsigned long long)value_of(exploration, state, reg));
}

/* Whether a state is one that the invariant is about, for process i. */
typedef bool premise(const struct exploration *exploration, uint32_t state, unsigned i, const struct judge *judge);

/* In every state with the premise, all registers of i in `array` hold `value`. */
static void ask_invariant(struct finding *finding, const struct exploration *exploration, const struct judge *judge,
                          premise *holds, const char *array, uint64_t value)
{
    const struct graph *graph = &exploration->graph;
    unsigned *own = must_allocate(exploration->model->regs * sizeof *own);
    for (unsigned i = 0; i < graph->n; i++) {
        unsigned count = own_registers(&exploration->model->instance, array, i, own);
        for (uint32_t state = 0; state < graph->states && finding->verdict == HOLDS; state++) {
            if (!holds(exploration, state, i, judge))
                continue;
            finding->fired++;
            for (unsigned r = 0; r < count && finding->verdict == HOLDS; r++)
                if (value_of(exploration, state, own[r]) != value)
                    show_state(finding, exploration, state, i, own[r]);
        }
    }
    free(own);
}

static bool stands_at_label(const struct exploration *exploration, uint32_t state, unsigned i,
                            const struct judge *judge)
{
    const struct standing *standing = &exploration->graph.standing[state];
    return trying(standing) >> i & 1 && stands_at(exploration, state, i, judge->label);
}

void ask_value_at_label(struct finding *finding, const struct exploration *exploration, const struct judge *judge)
{
    ask_invariant(finding, exploration, judge, stands_at_label, judge->array, judge->value);
}

static bool is_inside(const struct exploration *exploration, uint32_t state, unsigned i, const struct judge *judge)
{
    (void)judge;
    return exploration->graph.standing[state].critical >> i & 1;
}

void ask_value_inside(struct finding *finding, const struct exploration *exploration, const struct judge *judge)
{
    ask_invariant(finding, exploration, judge, is_inside, judge->array, judge->value);
}

static bool has_value(const struct exploration *exploration, uint32_t state, unsigned i, const struct judge *judge)
{
    unsigned own[CHECKED_PROCESSES_MAX];
    own_registers(&exploration->model->instance, judge->array, i, own);
    return value_of(exploration, state, own[0]) == judge->value;
}

void ask_implied_false(struct finding *finding, const struct exploration *exploration, const struct judge *judge)
{
    ask_invariant(finding, exploration, judge, has_value, judge->label, false);
}

/* Whoever is in its remainder has its registers at their declared initial values. */
static void ask_rests_with_defaults(struct finding *finding, const struct exploration *exploration,
                                    const struct judge *judge)
{
    (void)judge;
    const struct graph *graph = &exploration->graph;
    const struct instance *instance = &exploration->model->instance;
    for (uint32_t state = 0; state < graph->states; state++) {
        finding->fired += graph->standing[state].remainder != 0;
        for (unsigned r = 0; r < instance->reg_count && finding->verdict == HOLDS; r++) {
            int writer = instance->regs[r].writer;
            uint64_t initial = instance->regs[r].array->initial;
            if (writer >= 0 && initial != ANY_VALUE && graph->standing[state].remainder >> writer & 1 &&
                value_of(exploration, state, r) != initial)
                show_state(finding, exploration, state, (unsigned)writer, r);
        }
    }
}
const struct judge rests_with_defaults = {
    "defaults in the remainder", ask_rests_with_defaults, PROPERTIES, NULL, NULL, 0};

/* Whether a step of i from one state to another is a write: one that puts the value there again is one too, unless it
 * is written only if different. */
static bool is_write(const struct exploration *exploration, uint32_t from, uint32_t to, unsigned i)
{
    const struct model *model = exploration->model;
    const struct local *local = local_of(model, record_of(exploration, from), i);
    if (local->moves == 0)
        return false;
    /* Where a for_all may choose, all its choices are accesses of one kind. */
    const struct move *move = &model->automaton[i].moves[local->first_move];
    if (move->kind == WRITE_IF_DIFFERENT)
        return value_of(exploration, from, move->reg) != value_of(exploration, to, move->reg) ||
               local->open_register >= 0;
    return move->kind != READ;
}

/* Nobody gets from its remainder into the critical section without a write of its own. For each i, the states that it
 * can be in since it left its remainder without having written are searched. */
static void ask_writes_before_entering(struct finding *finding, const struct exploration *exploration,
                                       const struct judge *judge)
{
    (void)judge;
    const struct graph *graph = &exploration->graph;
    uint8_t *silent = must_allocate(graph->states);
    uint32_t *queue = must_allocate(graph->states * sizeof *queue);
    for (unsigned i = 0; i < graph->n && finding->verdict == HOLDS; i++) {
        uint32_t tail = 0;
        for (uint32_t state = 0; state < graph->states; state++) {
            silent[state] = graph->standing[state].remainder >> i & 1;
            if (silent[state])
                queue[tail++] = state;
        }
        for (uint32_t head = 0; head < tail && finding->verdict == HOLDS; head++)
            for (uint64_t edge = graph->first[queue[head]]; edge < graph->first[queue[head] + 1]; edge++) {
                uint32_t to = graph->targets[edge];
                bool own = (graph->kinds[edge] & EDGE_PROCESS) == i;
                finding->fired += own && graph->kinds[edge] & EDGE_ENTERS_DOORWAY;
                if (silent[to] || (own && is_write(exploration, queue[head], to, i)))
                    continue;
                if (graph->standing[to].critical >> i & 1) {
                    finding->verdict = VIOLATED;
                    finding->i = i;
                    snprintf(finding->what, sizeof finding->what, "process %u can enter without having written", i);
                    break;
                }
                silent[to] = 1;
                queue[tail++] = to;
            }
    }
    free(silent);
    free(queue);
}
const struct judge writes_before_entering = {
    "writes before entering", ask_writes_before_entering, PROPERTIES, NULL, NULL, 0};

/* --- who reads, who writes for ever ------------------------------------------------------------------------------- */

/* Element e of a row of `array` (one element for each other process, in order) is read by that process alone, and
 * maybe by its writer. */
void ask_read_by_column(struct finding *finding, const struct exploration *exploration, const struct judge *judge)
{
    const struct instance *instance = &exploration->model->instance;
    unsigned n = exploration->model->n;
    unsigned *own = must_allocate(exploration->model->regs * sizeof *own);
    uint16_t *who = readers(exploration);
    for (unsigned i = 0; i < n; i++) {
        unsigned count = own_registers(instance, judge->array, i, own);
        for (unsigned e = 0; e < count && finding->verdict == HOLDS; e++) {
            /* Rows have n columns, of which i's own is never used, or n - 1. */
            unsigned reader = count == n ? e : e < i ? e : e + 1;
            uint16_t others = who[own[e]] & (uint16_t) ~(1u << i | 1u << reader);
            finding->fired += (unsigned)__builtin_popcount(who[own[e]]);
            if (others == 0)
                continue;
            char name[64];
            register_name(instance, own[e], name, sizeof name);
            finding->verdict = VIOLATED;
            finding->i = (unsigned)__builtin_ctz(others);
            snprintf(finding->what, sizeof finding->what, "process %u reads %s", finding->i, name);
        }
    }
    free(who);
    free(own);
}

/* Goes back from where the witness is to `start`, inside their component of the part, by the shortest way. */
static void close_loop(struct witness *witness, const struct exploration *exploration, const struct part *part,
                       const struct components *components, uint32_t start)
{
    const struct graph *graph = part->graph;
    uint32_t *before = must_allocate(graph->states * sizeof *before),
             *queue = must_allocate(graph->states * sizeof *queue);
    uint8_t *process = must_allocate(graph->states), *seen = must_allocate(graph->states);
    uint32_t tail = 0, from = witness->at;
    queue[tail++] = from;
    seen[from] = 1;
    for (uint32_t head = 0; head < tail && !seen[start]; head++)
        for (uint64_t edge = graph->first[queue[head]]; edge < graph->first[queue[head] + 1]; edge++) {
            uint32_t to = graph->targets[edge];
            if (seen[to] || !part_has_edge(part, queue[head], edge) || components->of[to] != components->of[start])
                continue;
            seen[to] = 1;
            before[to] = queue[head];
            process[to] = graph->kinds[edge] & EDGE_PROCESS;
            queue[tail++] = to;
        }
    uint32_t length = 0;
    for (uint32_t at = start; at != from; at = before[at])
        queue[length++] = at;
    while (length-- > 0)
        witness_go(witness, exploration, queue[length], process[queue[length]]);
    free(before);
    free(queue);
    free(process);
    free(seen);
}

static bool changes(const struct exploration *exploration, uint32_t from, uint32_t to, const char *array, unsigned *reg)
{
    const struct instance *instance = &exploration->model->instance;
    for (*reg = 0; *reg < instance->reg_count; ++*reg)
        if (strcmp(instance->regs[*reg].array->name, array) == 0 &&
            value_of(exploration, from, *reg) != value_of(exploration, to, *reg))
            return true;
    return false;
}

/* In a run without entries the registers of `array` change only finitely often. */
void ask_stabilizes_without_entries(struct finding *finding, const struct exploration *exploration,
                                    const struct judge *judge)
{
    const struct graph *graph = &exploration->graph;
    uint8_t *in = must_allocate(graph->states);
    memset(in, 1, graph->states);
    struct part part = {.graph = graph, .in = in, .forbidden = EDGE_ENTERS_CRITICAL};
    struct components components;
    components_find(&components, &part);
    for (uint32_t state = 0; state < graph->states && finding->verdict == HOLDS; state++)
        for (uint64_t edge = graph->first[state]; edge < graph->first[state + 1]; edge++) {
            uint32_t to = graph->targets[edge];
            unsigned reg;
            if (!part_has_edge(&part, state, edge))
                continue;
            finding->fired++;
            if (components.of[to] != components.of[state] || !changes(exploration, state, to, judge->array, &reg))
                continue;
            show_state(finding, exploration, state, graph->kinds[edge] & EDGE_PROCESS, reg);
            finding->witness.loop = finding->witness.count;
            witness_go(&finding->witness, exploration, to, finding->i);
            close_loop(&finding->witness, exploration, &part, &components, state);
            finding->witness.loop_end = finding->witness.count;
            char name[64];
            register_name(&exploration->model->instance, reg, name, sizeof name);
            snprintf(finding->what, sizeof finding->what, "%s changes again and again while nobody enters", name);
            break;
        }
    components_close(&components);
    free(in);
}
