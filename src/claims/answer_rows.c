/* SPDX-License-Identifier: MIT
 *
 * Finding out what the rows ask: each setting is explored once, for all rows that are about it.
 */
#include "claims/claims.h"

#include "base/clock.h"
#include "base/die.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "claims/workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All is to fit into 16 GiB. */
static const uint64_t MEMORY_MOST = UINT64_C(14) << 30;

/* The questions asked of a graph take as much again as the graph. */
static uint64_t memory_limit(bool graph, uint64_t most)
{
    uint64_t unused = free_memory(), limit = unused > 0 && unused < most ? unused : most;
    return graph ? limit / 2 : limit;
}

static bool needs_exploration(const struct row *row)
{
    return row->properties != 0 || row->statement->judge != NULL || row->statement->enabled_judge != NULL ||
           (row->statement->quantity != NULL && row->statement->quantity->explored != NULL);
}

static bool is_explored_alike(const struct row *row, const struct row *other)
{
    return row->statement->steps == other->statement->steps && setting_equal(&row->setting, &other->setting);
}

/* --- one row ------------------------------------------------------------------------------------------------------ */

/* What an attempt with less memory has left. */
static void forget_notes(struct row *row)
{
    snprintf(row->note, sizeof row->note, "%s", row->statement->note != NULL ? row->statement->note : "");
}

static void keep_note(struct row *row, const char *text)
{
    if (row->note[0] == '\0' && text != NULL)
        snprintf(row->note, sizeof row->note, "%s", text);
}

static void compare(struct row *row)
{
    const struct statement *statement = row->statement;
    bool met = statement->at_most    ? row->measured <= row->bound
               : statement->at_least ? row->measured >= row->bound
                                     : row->measured == row->bound;
    row->has_measured = true;
    row->found = !row->has_bound || met ? HOLDS : VIOLATED;
}

static void keep_trace(struct row *row, const struct finding *finding, const struct exploration *exploration)
{
    if (!finding->has_witness || row->has_trace)
        return;
    row->has_trace = true;
    trace_of(&row->trace, finding, exploration->model);
}

static void take_finding(struct row *row, const struct finding *finding, const struct answer *answer,
                         const struct asking *asking)
{
    row->found = finding->verdict;
    if (finding->verdict == VIOLATED || finding->verdict == UNDECIDED)
        keep_note(row, finding->what[0] != '\0' ? finding->what : answer->exploration.stopped);
    if (finding->verdict == HOLDS && finding->has_bound) {
        row->measured = finding->bound;
        compare(row);
    }
    if (asking->traces && finding->verdict == VIOLATED)
        keep_trace(row, finding, &answer->exploration);
}

/* Of several properties together: the worst that was found of one. */
static bool is_worse(enum verdict a, enum verdict b)
{
    static const int badness[] = {[HOLDS] = 0, [VACUOUS] = 1, [UNDECIDED] = 2, [VIOLATED] = 3};
    return badness[a] > badness[b];
}

static void take_properties(struct row *row, const struct question *question, const struct answer *answer,
                            const struct asking *asking)
{
    const struct finding *worst = NULL;
    for (unsigned p = 0; p < question->property_count; p++)
        if (row->properties >> question->properties[p] & 1 &&
            (worst == NULL || is_worse(answer->findings[p].verdict, worst->verdict)))
            worst = &answer->findings[p];
    take_finding(row, worst, answer, asking);
    if (answer->by_contents)
        keep_note(row, "states: contents of the registers, which suffice (D10)");
}

static void ask_judge(struct row *row, const struct answer *answer, const struct asking *asking)
{
    const struct judge *judge = row->statement->judge;
    const struct enabled_judge *enabled_judge = row->statement->enabled_judge;
    struct finding finding = {.property = judge != NULL ? judge->shows : PROPERTIES, .verdict = UNDECIDED};
    if (enabled_judge != NULL && answer->exploration.ambiguous > 0) {
        snprintf(finding.what, sizeof finding.what, "tickets are not kept exactly, and so who is enabled is not known");
    } else if (answer->exploration.stopped == NULL) {
        finding.verdict = HOLDS;
        if (judge != NULL)
            judge->ask(&finding, &answer->exploration, judge);
        else
            enabled_judge->ask(&finding, &answer->exploration, &answer->enabled);
        if (finding.verdict == HOLDS && finding.fired == 0)
            finding.verdict = VACUOUS;
    }
    take_finding(row, &finding, answer, asking);
    finding_close(&finding);
}

static void take_answer(struct row *row, const struct question *question, const struct answer *answer,
                        const struct asking *asking)
{
    const struct quantity *quantity = row->statement->quantity;
    row->has_states = true;
    row->states = answer->exploration.states;
    if (row->properties != 0) {
        take_properties(row, question, answer, asking);
    } else if (row->statement->judge != NULL || row->statement->enabled_judge != NULL) {
        ask_judge(row, answer, asking);
    } else if (answer->exploration.stopped != NULL) {
        keep_note(row, answer->exploration.stopped);
    } else {
        row->measured = quantity->explored(&answer->exploration);
        compare(row);
    }
}

static void answer_alone(struct row *row, uint64_t limit)
{
    double start = now();
    forget_notes(row);
    if (row->statement->calculation != NULL) {
        row->statement->calculation->compute(row, limit);
    } else if (row->statement->history.system != NULL) {
        ask_history(row);
    } else {
        struct instance instance;
        instance_open(&instance, &row->setting);
        row->measured = row->statement->quantity->declared(&instance);
        instance_close(&instance);
        compare(row);
    }
    row->seconds = now() - start;
}

/* --- all rows ----------------------------------------------------------------------------------------------------- */

/* The rows, and for each the first one that is about the same setting: a group has one exploration. */
struct work {
    struct rows *rows;
    const struct asking *asking;
    unsigned *group;
    unsigned *first; /* the first row of each group */
    unsigned groups;
};

/* The steps that lead to where an exploration begins. */
static void read_steps(struct schedule_file *schedule, const struct row *row)
{
    char message[160];
    FILE *text = fmemopen((void *)row->statement->steps, strlen(row->statement->steps), "r");
    schedule->name = row->statement->where;
    if (text == NULL || !schedule_read(schedule, text, row->setting.n, message, sizeof message))
        die("internal error: the steps of \"%s\" cannot be read", row->statement->where);
    fclose(text);
}

/* Explores the setting of row number `first` and answers all rows of its group. Returns whether it came to an end. */
static bool answer_group(const struct work *work, unsigned first, uint64_t most)
{
    struct rows *rows = work->rows;
    struct question question = {.setting = rows->row[first].setting, .options = {.report = work->asking->progress}};
    for (unsigned r = first; r < rows->count; r++) {
        if (work->group[r] != first)
            continue;
        forget_notes(&rows->row[r]);
        for (unsigned p = 0; p < PROPERTIES; p++)
            if (rows->row[r].properties >> p & 1)
                question_add(&question, (enum property)p);
        question.keep_graph |= rows->row[r].properties == 0;
        question.keep_enabled |= rows->row[r].statement->enabled_judge != NULL;
    }
    question.options.memory_limit = memory_limit(question_needs_graph(&question), most);
    struct schedule_file schedule = {0};
    if (rows->row[first].statement->steps != NULL) {
        read_steps(&schedule, &rows->row[first]);
        question.options.schedule = &schedule;
    }
    double start = now();
    struct answer answer;
    question_answer(&question, &answer);
    bool ended = answer.exploration.stopped == NULL;
    for (unsigned r = first; r < rows->count; r++)
        if (work->group[r] == first)
            take_answer(&rows->row[r], &question, &answer, work->asking);
    answer_close(&answer, &question);
    schedule_close(&schedule);
    for (unsigned r = first; r < rows->count; r++)
        if (work->group[r] == first)
            rows->row[r].seconds = now() - start;
    return ended;
}

/* Group number g, with so much memory at most. Returns whether more memory would not help. */
static bool answer_one(void *context, unsigned g, uint64_t most)
{
    const struct work *work = context;
    struct row *row = &work->rows->row[work->first[g]];
    if (work->asking->report != NULL)
        work->asking->report(row, g, work->groups);
    if (needs_exploration(row))
        return answer_group(work, work->first[g], most);
    answer_alone(row, memory_limit(true, most));
    if (row->has_trace && !work->asking->traces)
        trace_close(&row->trace);
    row->has_trace &= work->asking->traces;
    return row->found != UNDECIDED;
}

void rows_answer(struct rows *rows, const struct asking *asking)
{
    struct work work = {.rows = rows, .asking = asking};
    work.group = must_allocate((rows->count + 1) * sizeof *work.group);
    work.first = must_allocate((rows->count + 1) * sizeof *work.first);
    for (unsigned r = 0; r < rows->count; r++) {
        work.group[r] = r;
        for (unsigned other = 0; needs_exploration(&rows->row[r]) && work.group[r] == r && other < r; other++)
            if (work.group[other] == other && needs_exploration(&rows->row[other]) &&
                is_explored_alike(&rows->row[other], &rows->row[r]))
                work.group[r] = other;
        if (work.group[r] == r)
            work.first[work.groups++] = r;
    }
    /* Counterexamples are not kept in memory that processes could share. */
    unsigned workers = asking->traces ? 1 : core_count();
    struct row *own = rows->row;
    size_t size = rows->count * sizeof *own;
    if (workers > 1) {
        rows->row = shared_memory(size);
        memcpy(rows->row, own, size);
    }
    answer_by_workers(answer_one, &work, work.groups, workers, MEMORY_MOST);
    if (workers > 1) {
        memcpy(own, rows->row, size);
        shared_memory_close(rows->row, size);
        rows->row = own;
    }
    free(work.first);
    free(work.group);
}
