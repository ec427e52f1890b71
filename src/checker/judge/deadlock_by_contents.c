/* SPDX-License-Identifier: MIT */
#include "checker/judge/deadlock_by_contents.h"

#include "base/die.h"
#include "checker/model/faults.h"

#include <stdio.h>
#include <stdlib.h>

enum { CONTENTS_BITS_MAX = 26 };

static bool is_trying(const struct local *local)
{
    return local->section == DOORWAY || local->section == WAITING_ROOM;
}

static bool is_leaving(const struct local *local)
{
    return local->section == EXIT;
}

static uint32_t target_of(const struct model *model, unsigned i, uint32_t number, const struct transition *transition)
{
    return number ^ (uint32_t)(transition->process_xor >> model->process_field[i].shift);
}

/* --- does waiting write? ------------------------------------------------------------------------------------------ */

/* Takes the local states of which `where` is true, and takes out of them until each one left has a successor left: what
 * remains is the loops and what leads to them. With `values`, only the transitions that these contents of the registers
 * allow. */
static void keep_loops(const struct model *model, unsigned i, bool (*where)(const struct local *local),
                       const uint64_t *values, uint8_t *in)
{
    const struct automaton *automaton = &model->automaton[i];
    for (uint32_t number = 0; number < automaton->count; number++)
        in[number] = where(&automaton->locals[number]);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t number = automaton->count; number-- > 0;) {
            const struct local *local = &automaton->locals[number];
            bool goes_on = !in[number];
            for (unsigned m = 0; m < local->moves && !goes_on; m++) {
                const struct move *move = &automaton->moves[local->first_move + m];
                uint64_t domain = register_domain(&model->instance, move->reg);
                for (uint64_t value = 0; value < domain && !goes_on; value++)
                    goes_on = (values == NULL || values[move->reg] == value) &&
                              in[target_of(model, i, number, &automaton->transitions[move->first + value])];
            }
            if (!goes_on)
                in[number] = 0, changed = true;
        }
    }
}

/* A write lies on a loop iff from where it leads one can come back to it. */
static bool reaches(const struct model *model, unsigned i, const uint8_t *in, uint32_t from, uint32_t goal)
{
    const struct automaton *automaton = &model->automaton[i];
    uint8_t *seen = must_allocate(automaton->count);
    uint32_t *queue = must_allocate(automaton->count * sizeof *queue), head = 0, tail = 0;
    queue[tail++] = from;
    seen[from] = 1;
    while (head < tail && queue[head] != goal) {
        uint32_t number = queue[head++];
        const struct local *local = &automaton->locals[number];
        for (unsigned m = 0; m < local->moves; m++) {
            const struct move *move = &automaton->moves[local->first_move + m];
            uint64_t domain = register_domain(&model->instance, move->reg);
            for (uint64_t value = 0; value < domain; value++) {
                uint32_t to = target_of(model, i, number, &automaton->transitions[move->first + value]);
                if (in[to] && !seen[to])
                    seen[queue[tail++] = to] = 1;
            }
        }
    }
    bool reached = head < tail;
    free(seen);
    free(queue);
    return reached;
}

static bool writes_while_waiting(const struct model *model, unsigned i)
{
    const struct automaton *automaton = &model->automaton[i];
    uint8_t *in = must_allocate(automaton->count);
    bool writes = false;
    keep_loops(model, i, is_trying, NULL, in);
    for (uint32_t number = 0; number < automaton->count && !writes; number++) {
        const struct local *local = &automaton->locals[number];
        for (unsigned m = 0; m < local->moves && in[number]; m++) {
            const struct move *move = &automaton->moves[local->first_move + m];
            uint64_t domain = register_domain(&model->instance, move->reg);
            for (uint64_t value = 0; value < domain && move->kind != READ; value++) {
                uint32_t to = target_of(model, i, number, &automaton->transitions[move->first + value]);
                writes |= in[to] && reaches(model, i, in, to, number);
            }
        }
    }
    free(in);
    return writes;
}

/* Whoever waits on the way out is neither trying nor at rest. */
static bool waits_in_exit(const struct model *model, unsigned i)
{
    uint8_t *in = must_allocate(model->automaton[i].count);
    keep_loops(model, i, is_leaving, NULL, in);
    bool waits = memchr(in, 1, model->automaton[i].count) != NULL;
    free(in);
    return waits;
}

static double contents_count(const struct model *model)
{
    double contents = 1;
    for (unsigned r = 0; r < model->regs; r++)
        contents *= (double)register_domain(&model->instance, r);
    return contents;
}

bool contents_suffice(const struct model *model)
{
    if (!model->instance.setting.transient || contents_count(model) > (double)(1u << CONTENTS_BITS_MAX))
        return false;
    for (unsigned i = 0; i < model->n; i++)
        if (writes_while_waiting(model, i) || waits_in_exit(model, i))
            return false;
    return true;
}

/* --- contents by contents ----------------------------------------------------------------------------------------- */

/* A local state from which the process can go round for ever with these contents, or NOT_KNOWN_YET. */
static uint32_t loop_with(const struct model *model, unsigned i, const uint64_t *values, uint8_t *in)
{
    keep_loops(model, i, is_trying, values, in);
    uint32_t number = 0;
    while (number < model->automaton[i].count && !in[number])
        number++;
    return number < model->automaton[i].count ? number : NOT_KNOWN_YET;
}

/* The next step of a process that goes round: the first that keeps it among those that can. */
static struct step step_round(const struct model *model, unsigned i, const uint64_t *values, const uint8_t *in,
                              uint32_t *number)
{
    const struct automaton *automaton = &model->automaton[i];
    const struct local *local = &automaton->locals[*number];
    for (unsigned m = 0; m < local->moves; m++) {
        const struct move *move = &automaton->moves[local->first_move + m];
        uint32_t to = target_of(model, i, *number, &automaton->transitions[move->first + values[move->reg]]);
        if (in[to]) {
            *number = to;
            return (struct step){.process = (uint8_t)i, .choice = (uint8_t)m, .value = values[move->reg]};
        }
    }
    die("internal error: a process that can go round cannot step");
}

/* A local state on the loop itself: after as many steps as there are states, the process is on it. */
static uint32_t settle(const struct model *model, unsigned i, const uint64_t *values, const uint8_t *in,
                       uint32_t number)
{
    for (uint32_t s = 0; s < model->automaton[i].count; s++)
        step_round(model, i, values, in, &number);
    return number;
}

static void show_deadlock(struct finding *finding, const struct model *model, const uint64_t *values, uint8_t *in)
{
    struct witness *witness = &finding->witness;
    *witness = (struct witness){.loop = 0};
    uint32_t start[CHECKED_PROCESSES_MAX];
    for (unsigned r = 0; r < model->regs; r++)
        field_set(witness->start, model->register_field[r], values[r]);
    for (unsigned i = 0; i < model->n; i++) {
        start[i] = loop_with(model, i, values, in);
        if (start[i] != NOT_KNOWN_YET)
            start[i] = settle(model, i, values, in, start[i]);
        field_set(witness->start, model->process_field[i], start[i] == NOT_KNOWN_YET ? 0 : start[i]);
    }
    memcpy(witness->state, witness->start, sizeof witness->state);
    for (unsigned i = 0; i < model->n; i++) {
        uint32_t number = start[i];
        keep_loops(model, i, is_trying, values, in);
        do {
            if (start[i] != NOT_KNOWN_YET)
                witness_step(witness, model, step_round(model, i, values, in, &number));
        } while (number != start[i]);
    }
    witness->loop_end = witness->count;
    finding->verdict = VIOLATED;
    finding->has_witness = true;
    snprintf(finding->what, sizeof finding->what, "from some point on somebody tries for ever and nobody enters");
}

/* Counts like an odometer; false at the end. */
static bool next_contents(const struct model *model, uint64_t *values)
{
    for (unsigned r = 0; r < model->regs; r++) {
        if (++values[r] < register_domain(&model->instance, r))
            return true;
        values[r] = 0;
    }
    return false;
}

void judge_deadlock_by_contents(struct finding *finding, struct exploration *exploration)
{
    const struct model *model = exploration->model;
    uint64_t *values = must_allocate(model->regs * sizeof *values);
    uint32_t most = 0;
    for (unsigned i = 0; i < model->n; i++)
        if (model->automaton[i].count > most)
            most = model->automaton[i].count;
    uint8_t *in = must_allocate(most);
    *finding = (struct finding){.property = DEADLOCK_FREEDOM, .verdict = HOLDS};
    do {
        unsigned loops = 0, stuck = 0;
        for (unsigned i = 0; i < model->n; i++) {
            bool goes_round = loop_with(model, i, values, in) != NOT_KNOWN_YET;
            loops += goes_round;
            stuck += goes_round || !has_registers_to_reset(&model->instance, i, values);
        }
        exploration->states++;
        finding->fired += loops > 0;
        if (loops > 0 && stuck == model->n)
            show_deadlock(finding, model, values, in);
    } while (finding->verdict == HOLDS && next_contents(model, values));
    exploration->expanded = exploration->states;
    if (finding->verdict == HOLDS && finding->fired == 0)
        finding->verdict = VACUOUS;
    free(in);
    free(values);
}
