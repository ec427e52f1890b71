/* SPDX-License-Identifier: MIT
 *
 * Rows about timestamp systems, asked of their histories.
 *
 * A plan is gone through in every interleaving, and so a row about it says that something holds, of that plan. Random
 * runs are a sample: such a row only says how many violations were met, which is to be none, and how often something
 * could have been violated.
 */
#include "base/die.h"
#include "claims/claims.h"
#include "histories/drive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES_MAX = 20000000, RUNS = 25, STEPS_EACH = 4000, SEED = 1994 };

void history_name(const struct statement *statement, char *name, size_t size)
{
    const struct histories *history = &statement->history;
    snprintf(name, size, "%s: %s", history->system, history->plan != NULL ? history->plan : "random runs");
}

/* The first line of what the judge has to say. */
static void note_complaint(struct row *row, const struct drive_report *report)
{
    snprintf(row->note, sizeof row->note, "%.*s", (int)strcspn(report->complaint, "\n"), report->complaint);
}

static void take_verdict(struct row *row, const struct drive_report *report, enum history_property asked)
{
    if (report->violated == asked)
        row->found = VIOLATED;
    else if (report->violated != HISTORY_PROPERTIES)
        row->found = UNDECIDED; /* the run ended with something else */
    else
        row->found = report->premises[asked] > 0 || asked == DEFINITION ? HOLDS : VACUOUS;
    if (report->violated != HISTORY_PROPERTIES)
        note_complaint(row, report);
}

/* With views, by states and for Definition 3.1, which implies the rest. Without, schedule by schedule. */
static void ask_plan(struct row *row, const struct driven *system)
{
    const struct histories *history = &row->statement->history;
    struct drive_report report;
    if (system->has_views)
        drive_everywhere(&report, system, history->plan, STATES_MAX);
    else
        drive_schedules(&report, system, history->plan);
    take_verdict(row, &report, history->property);
    if (row->found == HOLDS && !report.complete)
        row->found = UNDECIDED;
    row->has_states = system->has_views;
    row->states = report.states;
    if (!system->has_views && row->found == HOLDS)
        snprintf(row->note, sizeof row->note, "%llu schedules, in which the premise was met %llu times",
                 (unsigned long long)report.runs, (unsigned long long)report.premises[history->property]);
    free(report.complaint);
}

static void ask_random_runs(struct row *row, const struct driven *system)
{
    enum history_property asked = row->statement->history.property;
    struct drive_report report;
    drive_randomly(
        &report, system,
        &(struct drive_options){
            .n = row->setting.n, .runs = RUNS, .steps_each = STEPS_EACH, .seed = SEED, .histories_only = true});
    take_verdict(row, &report, asked);
    row->has_measured = row->has_bound = true;
    row->measured = row->found == VIOLATED;
    row->bound = 0;
    if (report.violated == HISTORY_PROPERTIES)
        snprintf(row->note, sizeof row->note, "a sample: %llu Labels, %llu Scans, the premise was met %llu times",
                 (unsigned long long)report.operations[LABEL_OPERATION],
                 (unsigned long long)report.operations[SCAN_OPERATION], (unsigned long long)report.premises[asked]);
    free(report.complaint);
}

void ask_history(struct row *row)
{
    const struct histories *history = &row->statement->history;
    const struct driven *system = driven_find(history->system);
    if (system == NULL)
        die("internal error: \"%s\" is about %s, and there is no such timestamp system", row->statement->where,
            history->system);
    if (history->plan != NULL)
        ask_plan(row, system);
    else
        ask_random_runs(row, system);
}
