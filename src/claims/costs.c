/* SPDX-License-Identifier: MIT
 *
 * Remote references, counted in single runs (counter/passage_costs.h): for more processes than can be explored. What is found is
 * a sample, unless a configuration comes again within one passage: then there is no bound.
 */
#include "base/die.h"
#include "claims/claims.h"
#include "counter/growth.h"

#include <stdio.h>
#include <string.h>

enum { SEED = 2013 };

static enum memory_model model_named(const char *name)
{
    for (unsigned m = 0; m < MEMORY_MODELS; m++)
        if (strcmp(memory_model_name[m], name) == 0)
            return (enum memory_model)m;
    die("internal error: there is no model of memory %s", name);
}

/* The most of a passage under all schedules; UINT64_MAX if `tally` shows that there is none. */
static uint64_t most_references(const struct setting *setting, const char *model, struct tally *tally)
{
    struct instance instance;
    uint64_t most = 0;
    instance_open(&instance, setting);
    for (unsigned s = 0; s < SCHEDULES && most != UINT64_MAX; s++) {
        count_run(tally, &instance, model_named(model), (enum schedule)s, SEED);
        if (tally->starved || tally->waiting != ENDS)
            most = UINT64_MAX;
        else if (tally->references_max > most)
            most = tally->references_max;
    }
    instance_close(&instance);
    return most;
}

static void compute_references(struct row *row, uint64_t memory_limit)
{
    struct tally tally;
    (void)memory_limit;
    uint64_t most = most_references(&row->setting, row->statement->other, &tally);
    row->has_measured = most != UINT64_MAX;
    row->measured = row->has_measured ? most : 0;
    if (most != UINT64_MAX)
        row->found = !row->has_bound || most <= row->bound ? HOLDS : VIOLATED;
    else
        row->found = tally.waiting == REPEATS ? VIOLATED : UNDECIDED;
    if (most != UINT64_MAX)
        snprintf(row->note, sizeof row->note, "a sample: the most in passages of %u schedules", (unsigned)SCHEDULES);
    else if (tally.waiting == REPEATS)
        snprintf(row->note, sizeof row->note, "while one waits it makes %llu references in every %llu steps, for ever",
                 (unsigned long long)tally.wait_references, (unsigned long long)tally.wait_steps);
}
const struct calculation references_counted = {"remote references:", compute_references};

/* How they grow up to the row's n: by how many percent they are off a line. */
static void compute_growth(struct row *row, uint64_t memory_limit)
{
    static const unsigned sizes[] = {2, 4, 6, 8, 11};
    struct series series = {.model = model_named(row->statement->other)};
    struct growth growth;
    struct tally tally;
    (void)memory_limit;
    for (unsigned s = 0; s < sizeof sizes / sizeof sizes[0] && sizes[s] <= row->setting.n; s++) {
        struct setting setting = row->setting;
        setting.n = sizes[s];
        series.points[series.count].n = sizes[s];
        series.points[series.count++].most = most_references(&setting, row->statement->other, &tally);
    }
    growth_fit(&growth, &series);
    row->found = UNDECIDED;
    if (!growth.known)
        return;
    row->has_measured = true;
    row->measured = (uint64_t)(100 * growth.line_error + 0.5);
    row->found = is_linear(&growth) ? HOLDS : VIOLATED;
    snprintf(row->note, sizeof row->note, "a fit to samples, n = %u to %u: %.1f n %c %.1f", growth.from, growth.to,
             growth.slope, growth.offset < 0 ? '-' : '+', growth.offset < 0 ? -growth.offset : growth.offset);
}
const struct calculation references_grow = {"percent off a line, remote references:", compute_growth};
