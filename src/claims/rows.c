/* SPDX-License-Identifier: MIT
 *
 * From statements to rows: one for each setting and property that a statement is about.
 */
#include "claims/claims.h"

#include "base/die.h"
#include "checker/model/catalogue.h"
#include "histories/driven.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ADDRESS_OF(id) &id,
const struct paper *const papers[PAPER_COUNT] = {PAPERS(ADDRESS_OF)};

const struct paper *paper_find(const char *id)
{
    for (unsigned p = 0; p < PAPER_COUNT; p++)
        if (strcmp(papers[p]->id, id) == 0)
            return papers[p];
    return NULL;
}

/* --- words -------------------------------------------------------------------------------------------------------- */

static bool is_single(unsigned bits)
{
    return (bits & (bits - 1)) == 0;
}

/* "Theorem 3: mutual exclusion, shutdown safe". Where the statement has its own words, only what they leave open is
 * added. */
static void write_claim(struct row *row, unsigned behaviours, const char *behaviour)
{
    const struct statement *statement = row->statement;
    unsigned property = 0;
    while (row->properties != 0 && !(row->properties >> property & 1))
        property++;
    size_t size = sizeof row->claim;
    size_t used = (size_t)snprintf(row->claim, size, "%s: ", statement->where);
    if (statement->says != NULL)
        used += (size_t)snprintf(row->claim + used, size - used, "%s", statement->says);
    bool add_property = statement->says == NULL || !(is_single(statement->properties) || statement->together);
    if (add_property && used < size)
        used += (size_t)snprintf(row->claim + used, size - used, "%s%s", statement->says != NULL ? ", " : "",
                                 property_info[property].words);
    bool add_behaviour = behaviour != NULL && (statement->says == NULL || !is_single(behaviours));
    if (add_behaviour && used < size)
        used += (size_t)snprintf(row->claim + used, size - used, ", %s", behaviour);
    if (statement->passages > 0 && used < size)
        used += (size_t)snprintf(row->claim + used, size - used, ", %u passage%s each", statement->passages,
                                 statement->passages > 1 ? "s" : "");
    for (unsigned i = 0; i < statement->n.to && statement->passages_of[0] > 0 && used < size; i++)
        used += (size_t)snprintf(row->claim + used, size - used, "%s%u", i > 0 ? "," : ", passages ",
                                 statement->passages_of[i]);
    if (statement->led_to != NULL && used < size)
        snprintf(row->claim + used, size - used, ", %s", statement->led_to);
}

static void write_property(struct row *row)
{
    const struct statement *statement = row->statement;
    const char *name = statement->judge != NULL           ? statement->judge->name
                       : statement->enabled_judge != NULL ? statement->enabled_judge->name
                       : statement->quantity != NULL      ? statement->quantity->name
                       : statement->calculation != NULL   ? statement->calculation->name
                                                          : NULL;
    size_t used = 0;
    if (name != NULL && statement->other != NULL)
        snprintf(row->property, sizeof row->property, "%s %s", name, statement->other);
    else if (name != NULL)
        snprintf(row->property, sizeof row->property, "%s", name);
    else if (statement->history.system != NULL)
        history_name(statement, row->property, sizeof row->property);
    for (unsigned p = 0; p < PROPERTIES && used < sizeof row->property; p++)
        if (row->properties >> p & 1)
            used += (size_t)snprintf(row->property + used, sizeof row->property - used, "%s%s", used > 0 ? " + " : "",
                                     property_info[p].name);
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static struct setting setting_of(const struct statement *statement, const struct stepped_algorithm *algorithm,
                                 unsigned n, unsigned k, enum register_kind registers, unsigned behaviour)
{
    struct setting setting = {.algorithm = algorithm, .n = n, .registers = registers};
    if (algorithm != NULL)
        setting.k = k > 0 ? k : algorithm->about.k > 0 ? algorithm->about.k : 1;
    setting.any_order = statement->any_order;
    for (unsigned f = 0; f < FAULTS; f++)
        if (behaviour == 1u << f)
            setting.struck[f] = fault_info[f].counted && statement->struck > 0 ? statement->struck
                                : fault_info[f].papers_mean_all                ? n
                                                                               : fault_info[f].without_count;
    memset(setting.passages, statement->passages > 0 ? (int)statement->passages : UNBOUNDED_PASSAGES,
           sizeof setting.passages);
    if (statement->passages_of[0] > 0)
        memcpy(setting.passages, statement->passages_of, sizeof statement->passages_of);
    return setting;
}

static bool is_wanted(const struct row *row, const char *only)
{
    const char *id = row->setting.algorithm != NULL ? row->setting.algorithm->about.id : "";
    return only == NULL || strcasestr(row->claim, only) != NULL || strcasestr(id, only) != NULL ||
           strcasestr(row->property, only) != NULL;
}

static void add_row(struct rows *rows, const struct row *blank, bool full, const char *only)
{
    struct row copy = *blank, *row = &copy;
    const struct statement *statement = row->statement;
    write_property(row);
    row->full = statement->full_from > 0 && row->setting.n >= statement->full_from;
    row->found = UNDECIDED;
    if (statement->note != NULL)
        snprintf(row->note, sizeof row->note, "%s", statement->note);
    if (statement->bound != NULL) {
        row->has_bound = true;
        row->bound = statement->bound(row->setting.n);
    } else if (statement->bound_of_k != NULL) {
        row->has_bound = true;
        row->bound = statement->bound_of_k(row->setting.n, row->setting.k);
    }
    if ((row->full && !full) || !is_wanted(row, only))
        return;
    if (rows->count == rows->room) {
        rows->room = rows->room == 0 ? 256 : rows->room * 2;
        rows->row = must_reallocate(rows->row, rows->room * sizeof *rows->row);
    }
    rows->row[rows->count++] = *row;
}

/* A program that is built without mutants has none at all. */
static bool has_mutants(void)
{
    for (unsigned e = 0; e < catalogue_count; e++)
        if (catalogue[e].kind == MUTANT)
            return true;
    return false;
}

static bool has_mutants_of_timestamps(void)
{
    for (unsigned s = 0; s < driven_systems_count; s++)
        if (strchr(driven_systems[s].system->name, ':') != NULL)
            return true;
    return false;
}

static bool lacks_its_mutant(const struct statement *statement)
{
    const char *system = statement->history.system;
    return (statement->algorithm != NULL && catalogue_find(statement->algorithm) == NULL && !has_mutants()) ||
           (system != NULL && driven_find(system) == NULL && !has_mutants_of_timestamps());
}

/* All settings of a statement with one behaviour, and what is asked of them: some properties, or something else. */
static void add_settings(struct rows *rows, struct row row, unsigned behaviour, bool full, const char *only)
{
    const struct statement *statement = row.statement;
    const struct entry *entry = statement->algorithm != NULL ? catalogue_find(statement->algorithm) : NULL;
    if (statement->algorithm != NULL && entry == NULL)
        die("internal error: \"%s\" is about %s, and there is no such algorithm", statement->where,
            statement->algorithm);
    unsigned registers = statement->registers != 0 ? statement->registers : ON_ATOMIC;
    write_claim(&row, statement->behaviours, behaviour == NORMALLY ? NULL : fault_info[FAULT_NUMBER(behaviour)].words);
    for (unsigned n = statement->n.from; n <= statement->n.to; n++)
        for (unsigned k = statement->k.from; k <= statement->k.to && k + statement->more <= n; k++)
            for (unsigned kind = 0; kind < REGISTER_KINDS; kind++)
                if (registers >> kind & 1) {
                    row.setting = setting_of(statement, entry != NULL ? entry->algorithm : NULL, n, k,
                                             (enum register_kind)kind, behaviour);
                    add_row(rows, &row, full, only);
                }
}

/* The rows of a statement with one behaviour; none, if it is 0. */
static void add_behaviour(struct rows *rows, struct row row, unsigned behaviour, bool full, const char *only)
{
    const struct statement *statement = row.statement;
    if (behaviour == 0)
        return;
    if (statement->properties == 0 || statement->together)
        add_settings(rows, row, behaviour, full, only);
    for (unsigned p = 0; p < PROPERTIES && !statement->together; p++)
        if (statement->properties >> p & 1) {
            row.properties = P(p);
            add_settings(rows, row, behaviour, full, only);
        }
}

static void add_statement(struct rows *rows, const struct paper *paper, const struct statement *statement, bool full,
                          const char *only)
{
    struct row row = {.paper = paper, .statement = statement, .properties = statement->properties};
    unsigned behaviours = statement->behaviours != 0 ? statement->behaviours : NORMALLY;
    add_behaviour(rows, row, behaviours & NORMALLY, full, only);
    for (unsigned f = 0; f < FAULTS; f++)
        add_behaviour(rows, row, behaviours & 1u << f, full, only);
}

void rows_add(struct rows *rows, const struct paper *paper, bool full, const char *only)
{
    for (unsigned c = 0; c < CHAPTERS_MAX && paper->chapters[c] != NULL; c++)
        for (unsigned s = 0; s < paper->chapters[c]->count; s++) {
            const struct statement *statement = &paper->chapters[c]->statements[s];
            if (lacks_its_mutant(statement))
                rows->lacks_mutants = true;
            else
                add_statement(rows, paper, statement, full, only);
        }
}

void rows_close(struct rows *rows)
{
    for (unsigned r = 0; r < rows->count; r++)
        if (rows->row[r].has_trace)
            trace_close(&rows->row[r].trace);
    free(rows->row);
    *rows = (struct rows){0};
}

enum agreement row_agreement(const struct row *row)
{
    enum published published = row->statement->published;
    if (row->found == UNDECIDED || row->found == VACUOUS || published == UNSAID)
        return NEITHER;
    return (row->found == HOLDS) == (published == AFFIRMED) ? AGREES : DISAGREES;
}
