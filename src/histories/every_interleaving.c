/* SPDX-License-Identifier: MIT
 *
 * Every interleaving of a plan, depth first. A state is what the registers hold, where the processes stand, and of the
 * history what still matters: for each operation under way the labels when it began and since, and which label must be
 * smaller than which, among those that an operation may still see. States are told apart by 128 bits of a hash.
 */
#include "base/die.h"
#include "base/hash.h"
#include "checker/model/process.h"
#include "histories/drive.h"

#include <stdio.h>
#include <stdlib.h>

enum { PROCESSES = 4, LABELS = 8, NODES = PROCESSES * LABELS, REGISTERS = 64, DEPTH_MAX = 512, PLAN_MAX = 16 };

struct party {
    struct process process;
    uint8_t done;      /* operations of the plan that have begun */
    uint8_t operation; /* under way: enum operation; else OPERATIONS */
    uint8_t wrote;
    uint8_t labelling; /* those that were, at the moment of its view */
    uint8_t at_begin[PROCESSES], at_moment[PROCESSES];
    uint8_t writers[PLAN_MAX]; /* of labels since it began, plus 1, in order */
};

struct state {
    uint64_t values[REGISTERS];
    uint8_t current[PROCESSES];
    uint32_t above[NODES]; /* of label s of process j, at j * LABELS + s: the labels that must be larger */
    struct party party[PROCESSES];
};

struct fingerprint {
    uint64_t a, b;
};

struct exploration {
    const struct driven *system;
    struct instance instance;
    struct drive_report *report;
    unsigned n;
    char plan[PROCESSES][PLAN_MAX + 1];
    uint64_t states_max;
    struct fingerprint *seen;
    uint64_t seen_size;
    uint8_t path[DEPTH_MAX];
    unsigned depth;
    const char *complaint;
    enum history_property violated;
};

/* --- states that have been seen ----------------------------------------------------------------------------------- */

static struct fingerprint fingerprint_of(const struct exploration *exploration, const struct state *state)
{
    size_t size = 0;
    uint8_t bytes[sizeof *state];
    const struct instance *instance = &exploration->instance;
#define ADD(from, length) (memcpy(bytes + size, (from), (length)), size += (length))
    ADD(state->values, instance->reg_count * sizeof *state->values);
    ADD(state->current, exploration->n);
    ADD(state->above, exploration->n * LABELS * sizeof *state->above);
    for (unsigned i = 0; i < exploration->n; i++) {
        const struct party *party = &state->party[i];
        ADD(&party->process, instance->process_size);
        ADD(&party->done, sizeof *party - offsetof(struct party, done));
    }
#undef ADD
    return (struct fingerprint){hash_bytes(bytes, size), XXH3_64bits_withSeed(bytes, size, 1)};
}

static struct fingerprint *place_of(const struct exploration *exploration, struct fingerprint wanted)
{
    uint64_t at = wanted.a & (exploration->seen_size - 1);
    while ((exploration->seen[at].a | exploration->seen[at].b) != 0 &&
           (exploration->seen[at].a != wanted.a || exploration->seen[at].b != wanted.b))
        at = (at + 1) & (exploration->seen_size - 1);
    return &exploration->seen[at];
}

/* False if it was there already. */
static bool is_new(struct exploration *exploration, const struct state *state)
{
    struct fingerprint fingerprint = fingerprint_of(exploration, state);
    struct fingerprint *place = place_of(exploration, fingerprint);
    if ((place->a | place->b) != 0)
        return false;
    *place = fingerprint;
    exploration->report->states++;
    if (2 * exploration->report->states > exploration->seen_size) {
        struct fingerprint *old = exploration->seen;
        uint64_t old_size = exploration->seen_size;
        exploration->seen_size *= 2;
        exploration->seen = must_allocate(exploration->seen_size * sizeof *exploration->seen);
        for (uint64_t at = 0; at < old_size; at++)
            if ((old[at].a | old[at].b) != 0)
                *place_of(exploration, old[at]) = old[at];
        free(old);
    }
    return true;
}

/* --- the history -------------------------------------------------------------------------------------------------- */

static void violates(struct exploration *exploration, enum history_property property, const char *complaint)
{
    if (exploration->complaint != NULL)
        return;
    exploration->complaint = complaint;
    exploration->violated = property;
}

static unsigned node(unsigned j, unsigned serial)
{
    return j * LABELS + serial;
}

static void must_be_smaller(struct exploration *exploration, struct state *state, unsigned from, unsigned to)
{
    uint32_t larger = state->above[to] | UINT32_C(1) << to;
    if (larger >> from & 1)
        violates(exploration, DEFINITION, "a label would be smaller than itself");
    for (unsigned v = 0; v < NODES; v++)
        if (v == from || state->above[v] >> from & 1)
            state->above[v] |= larger;
}

/* Labels that no operation can see any more need not be kept: those before what is current, and before what was current
 * when an operation under way began. */
static void forget_labels(const struct exploration *exploration, struct state *state)
{
    uint32_t alive = 0;
    for (unsigned j = 0; j < exploration->n; j++) {
        unsigned first = state->current[j];
        for (unsigned i = 0; i < exploration->n; i++)
            if (state->party[i].operation != OPERATIONS && state->party[i].at_begin[j] < first)
                first = state->party[i].at_begin[j];
        for (unsigned serial = first; serial <= state->current[j] + 1u && serial < LABELS; serial++)
            alive |= UINT32_C(1) << node(j, serial);
    }
    for (unsigned v = 0; v < NODES; v++)
        state->above[v] = alive >> v & 1 ? state->above[v] & alive : 0;
}

static bool is_atomic(const struct exploration *exploration, const struct party *party, const uint32_t serial[])
{
    uint8_t vector[PROCESSES];
    memcpy(vector, party->at_begin, sizeof vector);
    for (unsigned w = 0;; w++) {
        bool same = true;
        for (unsigned j = 0; j < exploration->n; j++)
            same &= vector[j] == serial[j];
        if (same || w == PLAN_MAX || party->writers[w] == 0)
            return same;
        vector[party->writers[w] - 1]++;
    }
}

static void begin(struct exploration *exploration, struct state *state, unsigned i)
{
    struct party *party = &state->party[i];
    party->operation = exploration->plan[i][party->done++] == 'L' ? LABEL_OPERATION : SCAN_OPERATION;
    memcpy(party->at_begin, state->current, sizeof party->at_begin);
}

static void end(struct exploration *exploration, struct state *state, unsigned i)
{
    const struct driven *system = exploration->system;
    struct party *party = &state->party[i];
    unsigned n = exploration->n, last = 0;
    _Alignas(16) uint8_t locals[LOCALS_MAX];
    struct view view = {0};
    memcpy(locals, party->process.locals, sizeof locals);
    system->order(locals, (enum operation)party->operation, n, view.rank);
    system->view(locals, (enum operation)party->operation, n, view.serial);
    uint32_t ranks = 0;
    for (unsigned j = 0; j < n; j++) {
        ranks |= UINT32_C(1) << view.rank[j];
        last = view.rank[j] == n - 1 ? j : last;
        uint32_t seen = view.serial[j], then = party->at_moment[j];
        if (seen < party->at_begin[j] || seen > state->current[j])
            violates(exploration, DEFINITION, "saw a label that was not current at any moment of the operation");
        else if (system->moment != NULL && seen != then && (seen != then + 1 || !(party->labelling >> j & 1)))
            violates(exploration, SNAPSHOTS, "saw a label that was not of the moment of its view");
    }
    if (ranks != (UINT32_C(1) << n) - 1)
        violates(exploration, DEFINITION, "what it saw is not ordered: labels go round in a circle");
    else if (system->moment == NULL && !is_atomic(exploration, party, view.serial))
        violates(exploration, SNAPSHOTS, "what it saw was never so at one moment");
    if (exploration->complaint != NULL)
        return;
    for (unsigned j = 0; j < n; j++) {
        if (party->operation == LABEL_OPERATION && j != i)
            must_be_smaller(exploration, state, node(j, view.serial[j]), node(i, view.serial[i] + party->wrote));
        for (unsigned m = 0; party->operation == SCAN_OPERATION && m < n; m++)
            if (view.rank[m] == view.rank[j] + 1)
                must_be_smaller(exploration, state, node(j, view.serial[j]), node(m, view.serial[m]));
    }
    if (party->wrote)
        must_be_smaller(exploration, state, node(i, view.serial[i]), node(last, view.serial[last]));
    /* Nothing of the operation matters any more; the text forgets its frame when it goes on. */
    memset(party->process.locals + sizeof(position), 0, copies_at(&exploration->instance) - sizeof(position));
    party->operation = OPERATIONS;
    party->wrote = party->labelling = 0;
    memset(party->at_begin, 0, sizeof party->at_begin);
    memset(party->at_moment, 0, sizeof party->at_moment);
    memset(party->writers, 0, sizeof party->writers);
    exploration->report->operations[exploration->plan[i][party->done - 1] == 'L' ? LABEL_OPERATION : SCAN_OPERATION]++;
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

static void access_by(struct exploration *exploration, struct state *state, unsigned i)
{
    const struct driven *system = exploration->system;
    const struct instance *instance = &exploration->instance;
    struct party *party = &state->party[i];
    struct process next;
    struct access access;
    process_peek(instance, i, &party->process, 0, &access);
    process_step(instance, i, &party->process, 0, state->values[access.reg], &next, &access);
    if (system->moment != NULL && strcmp(party->process.label, system->moment) == 0) {
        memcpy(party->at_moment, state->current, sizeof party->at_moment);
        party->labelling = 0;
        for (unsigned j = 0; j < exploration->n; j++)
            if (state->party[j].operation == LABEL_OPERATION)
                party->labelling |= (uint8_t)(1u << j);
    }
    if (access.reg < exploration->n && access.result != access.value &&
        system->current(access.result, i, exploration->n) != system->current(access.value, i, exploration->n)) {
        state->current[i]++;
        party->wrote = 1;
        for (unsigned j = 0; j < exploration->n; j++) {
            uint8_t *writers = state->party[j].writers;
            if (state->party[j].operation != OPERATIONS && j != i)
                writers[strnlen((const char *)writers, PLAN_MAX - 1)] = (uint8_t)(i + 1);
        }
    }
    state->values[access.reg] = access.result;
    party->process = next;
}

static bool is_idle(const struct party *party)
{
    return strcmp(party->process.label, NEXT_OPERATION) == 0;
}

/* An operation begins just before its first access, and ends with its last. */
static void step(struct exploration *exploration, struct state *state, unsigned i)
{
    struct party *party = &state->party[i];
    if (is_idle(party)) {
        begin(exploration, state, i);
        uint64_t *next = &state->values[exploration->instance.reg_count - exploration->n + i];
        *next = party->operation;
        access_by(exploration, state, i);
        *next = 0;
    }
    access_by(exploration, state, i);
    if (is_idle(party)) {
        end(exploration, state, i);
        forget_labels(exploration, state);
    }
}

static void explore_from(struct exploration *exploration, const struct state *from)
{
    for (unsigned i = 0; i < exploration->n && exploration->complaint == NULL; i++) {
        if (is_idle(&from->party[i]) && exploration->plan[i][from->party[i].done] == '\0')
            continue;
        if (exploration->report->states >= exploration->states_max || exploration->depth == DEPTH_MAX) {
            exploration->report->complete = false;
            return;
        }
        struct state to = *from;
        exploration->path[exploration->depth++] = (uint8_t)i;
        exploration->report->transitions++;
        step(exploration, &to, i);
        if (exploration->complaint != NULL)
            return; /* with the path */
        if (is_new(exploration, &to))
            explore_from(exploration, &to);
        if (exploration->complaint == NULL)
            exploration->depth--;
    }
}

static void read_plan(struct exploration *exploration, const char *plan)
{
    for (const char *at = plan;; at++) {
        char *row = exploration->plan[exploration->n];
        size_t length = strcspn(at, "/");
        if (exploration->n == PROCESSES || length > PLAN_MAX || strspn(at, "LS") != length)
            die("a plan has up to %d processes, each up to %d times L or S, not '%s'", PROCESSES, PLAN_MAX, plan);
        memcpy(row, at, length);
        exploration->n++;
        size_t labels = 0;
        for (size_t l = 0; l < length; l++)
            labels += row[l] == 'L';
        if (labels + 2 > LABELS)
            die("a plan has up to %d Labels of a process", LABELS - 2);
        at += length;
        if (*at == '\0')
            return;
    }
}

static char *complaint_of(const struct exploration *exploration)
{
    size_t size = 128 + strlen(exploration->complaint) + 2 * exploration->depth;
    char *text = must_allocate(size);
    int used = snprintf(text, size, "%s: process %u %s; steps of:", history_property_name[exploration->violated],
                        exploration->path[exploration->depth - 1], exploration->complaint);
    for (unsigned d = 0; d < exploration->depth && used > 0 && (size_t)used < size; d++)
        used += snprintf(text + used, size - (size_t)used, " %u", exploration->path[d]);
    return text;
}

void drive_everywhere(struct drive_report *report, const struct driven *system, const char *plan, uint64_t states_max)
{
    struct exploration exploration = {
        .system = system, .report = report, .states_max = states_max, .seen_size = 1 << 16};
    *report = (struct drive_report){.complete = true, .violated = HISTORY_PROPERTIES};
    read_plan(&exploration, plan);
    struct setting setting = {.algorithm = &system->text, .n = exploration.n, .k = 1};
    memset(setting.passages, UNBOUNDED_PASSAGES, sizeof setting.passages);
    system->restart();
    instance_open(&exploration.instance, &setting);
    if (!system->has_views || exploration.instance.reg_count > REGISTERS)
        die("%s cannot be explored for %u processes", system->name, exploration.n);
    exploration.seen = must_allocate(exploration.seen_size * sizeof *exploration.seen);
    struct state *start = must_allocate(sizeof *start);
    for (unsigned r = 0; r < exploration.instance.reg_count; r++)
        start->values[r] = initial_value(exploration.instance.regs[r].array);
    for (unsigned i = 0; i < exploration.n; i++) {
        process_start(&exploration.instance, i, &start->party[i].process);
        start->party[i].operation = OPERATIONS;
    }
    for (unsigned i = 0; i + 1 < exploration.n; i++)
        must_be_smaller(&exploration, start, node(i, 0), node(i + 1, 0));
    is_new(&exploration, start);
    explore_from(&exploration, start);
    if (exploration.complaint != NULL) {
        report->complete = false;
        report->violated = exploration.violated;
        report->complaint = complaint_of(&exploration);
    }
    free(start);
    free(exploration.seen);
    instance_close(&exploration.instance);
}
