/* SPDX-License-Identifier: MIT
 *
 * admit claims - what the papers say, row by row, and what was found.
 */
#include "claims/claims.h"
#include "base/clock.h"
#include "checker/model/fault_info.h"
#include "cli/laboratory/laboratory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help_text[] =
    "usage: admit claims [PAPER...] [--full] [--only TEXT] [--list] [--traces DIR] [--json]\n"
    "\n"
    "Goes through what the papers claim of their algorithms, sentence by sentence: what each says, and what is found\n"
    "when the shipped code is explored. Without PAPER: all of %s.\n"
    "\n"
    "  --full         also the rows that take long\n"
    "  --only TEXT    the rows that have TEXT in their claim, algorithm or property\n"
    "  --list         which rows there are, without asking them\n"
    "  --traces DIR   write the counterexample of each violated row there, for 'admit replay';\n"
    "                 it is made if it is not there\n"
    "  --json         the rows as a JSON array\n"
    "\n"
    "exit status: 0 all rows are decided, also those that disagree with the paper; 2 bad usage; 3 some are undecided\n";

struct claims_request {
    const char *paper[PAPER_COUNT];
    unsigned paper_count;
    bool full, list, json;
    const char *only, *traces;
};

/* --- what is asked ------------------------------------------------------------------------------------------------ */

static void known_papers(char *list, size_t size)
{
    size_t used = 0;
    for (unsigned p = 0; p < PAPER_COUNT && used < size; p++)
        used += (size_t)snprintf(list + used, size - used, "%s%s", p > 0 ? ", " : "", papers[p]->id);
}

static void read_request(struct claims_request *request, int argc, char **argv)
{
    struct arguments arguments = {.command = "claims", .argc = argc, .argv = argv, .plain_max = PAPER_COUNT};
    char list[256];
    known_papers(list, sizeof list);
    for (const char *option; (option = next_option(&arguments)) != NULL;) {
        if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
            printf(help_text, list);
            exit(EXIT_OK);
        } else if (strcmp(option, "--full") == 0) {
            request->full = true;
        } else if (strcmp(option, "--list") == 0) {
            request->list = true;
        } else if (strcmp(option, "--json") == 0) {
            request->json = true;
        } else if (strcmp(option, "--only") == 0) {
            request->only = option_value(&arguments, option);
        } else if (strcmp(option, "--traces") == 0) {
            request->traces = option_value(&arguments, option);
        } else {
            no_such_option("claims", option, help_text);
        }
    }
    check_threads("claims");
    for (int a = 0; a < arguments.plain_count; a++) {
        if (paper_find(plain_argument(&arguments, a)) == NULL)
            usage_error("claims", "there is no paper '%s'; there are %s", plain_argument(&arguments, a), list);
        request->paper[request->paper_count++] = plain_argument(&arguments, a);
    }
    if (request->traces != NULL)
        mkdir(request->traces, 0777); /* if it cannot be made, and is not there, what follows says so */
    if (request->traces != NULL && access(request->traces, W_OK | X_OK) != 0)
        usage_error("claims", "cannot write to '%s': %s", request->traces, strerror(errno));
}

static bool is_asked_for(const struct claims_request *request, const struct paper *paper)
{
    bool asked = request->paper_count == 0;
    for (unsigned p = 0; p < request->paper_count; p++)
        asked |= strcmp(request->paper[p], paper->id) == 0;
    return asked;
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

static json_t *number_or_null(bool has, uint64_t number)
{
    return has ? json_integer((json_int_t)number) : json_null();
}

static json_t *text_or_null(const char *text)
{
    return text != NULL && text[0] != '\0' ? json_string(text) : json_null();
}

/* A number for all, a list if they differ, or null: without end. */
static json_t *passages_json(const struct statement *statement)
{
    if (statement->passages_of[0] == 0)
        return number_or_null(statement->passages > 0, statement->passages);
    json_t *list = json_array();
    for (unsigned i = 0; i < statement->n.to; i++)
        json_array_append_new(list, json_integer(statement->passages_of[i]));
    return list;
}

static json_t *row_json(const struct row *row, bool listed_only)
{
    const struct setting *setting = &row->setting;
    const struct stepped_algorithm *algorithm = setting->algorithm;
    json_t *faults = json_array();
    char names[FAULTS][FAULT_NAME_SIZE];
    for (unsigned f = 0, count = fault_names(setting, names); f < count; f++)
        json_array_append_new(faults, json_string(names[f]));
    enum agreement agreement = row_agreement(row);
    return json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "paper",
        row->paper->id, "claim", row->claim, "algorithm", text_or_null(algorithm != NULL ? algorithm->about.id : NULL),
        "n", number_or_null(setting->n > 0, setting->n), "k", number_or_null(setting->k > 0, setting->k), "registers",
        text_or_null(algorithm != NULL ? register_kind_name[setting->registers] : NULL), "faults", faults, "passages",
        passages_json(row->statement), "property", row->property, "published",
        row->statement->published == UNSAID ? json_null() : json_boolean(row->statement->published == AFFIRMED),
        "found", text_or_null(listed_only ? NULL : verdict_name[row->found]), "measured",
        number_or_null(row->has_measured, row->measured), "bound", number_or_null(row->has_bound, row->bound), "states",
        number_or_null(row->has_states, row->states), "seconds", listed_only ? json_null() : json_real(row->seconds),
        "agrees", listed_only || agreement == NEITHER ? json_null() : json_boolean(agreement == AGREES), "note",
        text_or_null(row->note));
}

static void print_rows_json(const struct rows *rows, bool listed_only)
{
    json_t *list = json_array();
    for (unsigned r = 0; r < rows->count; r++)
        json_array_append_new(list, row_json(&rows->row[r], listed_only));
    print_json(list);
}

/* --- for a person ------------------------------------------------------------------------------------------------- */

static void faults_text(const struct row *row, char *text, size_t size)
{
    char names[FAULTS][FAULT_NAME_SIZE];
    size_t used = 0;
    snprintf(text, size, "-");
    for (unsigned f = 0, count = fault_names(&row->setting, names); f < count && used < size; f++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", f > 0 ? "," : "", names[f]);
}

/* "holds", "holds, 8 of 8" */
static void found_text(const struct row *row, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s", row_agreement(row) == DISAGREES ? "** " : "");
    used += (size_t)snprintf(text + used, size - used, "%s", verdict_name[row->found]);
    if (row->has_measured)
        used += (size_t)snprintf(text + used, size - used, ": %llu", (unsigned long long)row->measured);
    if (row->has_measured && row->has_bound)
        snprintf(text + used, size - used, " (%s%llu)",
                 row->statement->at_most    ? "at most "
                 : row->statement->at_least ? "at least "
                                            : "",
                 (unsigned long long)row->bound);
}

static const char *const published_text[] = {[AFFIRMED] = "yes", [DENIED] = "no", [UNSAID] = "-"};

/* What the columns are as wide as. */
struct widths {
    int claim, algorithm, faults, property;
};

/* The claim without where it is from, which stands above its rows. */
static const char *claim_text(const struct row *row)
{
    return row->claim + strlen(row->statement->where) + 2;
}

static const char *algorithm_text(const struct row *row)
{
    return row->setting.algorithm != NULL ? row->setting.algorithm->about.id : "-";
}

static struct widths widths_of(const struct rows *rows)
{
    struct widths widths = {5, 9, 6, 8};
    for (unsigned r = 0; r < rows->count; r++) {
        const struct row *row = &rows->row[r];
        char faults[64];
        faults_text(row, faults, sizeof faults);
        int claim = (int)strlen(claim_text(row)), algorithm = (int)strlen(algorithm_text(row));
        int fault = (int)strlen(faults), property = (int)strlen(row->property);
        widths.claim = claim > widths.claim ? claim : widths.claim;
        widths.algorithm = algorithm > widths.algorithm ? algorithm : widths.algorithm;
        widths.faults = fault > widths.faults ? fault : widths.faults;
        widths.property = property > widths.property ? property : widths.property;
    }
    return widths;
}

static void print_row(const struct row *row, const struct widths *widths, bool listed_only)
{
    char faults[64], found[96], states[32] = "-", n[16] = "-", k[16] = "-";
    faults_text(row, faults, sizeof faults);
    found_text(row, found, sizeof found);
    if (row->has_states)
        grouped(row->states, states);
    if (row->setting.n > 0)
        snprintf(n, sizeof n, "%u", row->setting.n);
    if (row->setting.k > 0)
        snprintf(k, sizeof k, "%u", row->setting.k);
    printf("  %-*s  %-*s %2s %2s %-9s %-*s  %-*s  %-5s ", widths->claim, claim_text(row), widths->algorithm,
           algorithm_text(row), n, k, row->setting.algorithm != NULL ? register_kind_name[row->setting.registers] : "-",
           widths->faults, faults, widths->property, row->property, published_text[row->statement->published]);
    if (listed_only)
        printf("%s\n", row->full ? "full" : "");
    else
        printf("%-20s %14s\n", found, states);
}

static void print_summary(const struct rows *rows, double seconds)
{
    unsigned agree = 0, disagree = 0, found[4] = {0}, unsaid = 0;
    for (unsigned r = 0; r < rows->count; r++) {
        agree += row_agreement(&rows->row[r]) == AGREES;
        disagree += row_agreement(&rows->row[r]) == DISAGREES;
        found[rows->row[r].found]++;
        unsaid += rows->row[r].statement->published == UNSAID && rows->row[r].found != UNDECIDED &&
                  rows->row[r].found != VACUOUS;
    }
    bool first = true;
    for (unsigned r = 0; r < rows->count; r++) {
        const struct row *row = &rows->row[r];
        if (row_agreement(row) != DISAGREES)
            continue;
        char faults[64];
        faults_text(row, faults, sizeof faults);
        printf("%s%s, %s: %s, n = %u, k = %u, %s, faults %s: the paper says %s, found %s%s%s\n",
               first ? "\nOther than the paper says:\n  " : "  ", row->paper->id, row->claim, algorithm_text(row),
               row->setting.n, row->setting.k, register_kind_name[row->setting.registers], faults,
               published_text[row->statement->published], verdict_name[row->found],
               row->note[0] != '\0' ? "\n    " : "", row->note);
        first = false;
    }
    printf("\n%u row%s: %u agree, %u disagree, %u undecided", rows->count, rows->count == 1 ? "" : "s", agree, disagree,
           found[UNDECIDED]);
    if (found[VACUOUS] > 0)
        printf(", %u vacuous", found[VACUOUS]);
    if (unsaid > 0)
        printf(", %u of which the paper says nothing", unsaid);
    printf(", %.1f s\n", seconds);
}

static void print_rows(const struct rows *rows, double seconds, bool listed_only)
{
    struct widths widths = widths_of(rows);
    const struct row *before = NULL;
    for (unsigned r = 0; r < rows->count; r++) {
        const struct row *row = &rows->row[r];
        if (before == NULL || before->paper != row->paper)
            printf("%s%s: %s\n", before != NULL ? "\n" : "", row->paper->id, row->paper->title);
        if (before == NULL || before->paper != row->paper ||
            strcmp(before->statement->where, row->statement->where) != 0)
            printf("\n%-*s  %-*s %2s %2s %-9s %-*s  %-*s  %-5s %s\n", widths.claim + 2, row->statement->where,
                   widths.algorithm, "algorithm", "n", "k", "registers", widths.faults, "faults", widths.property,
                   "property", "paper", listed_only ? "" : "found                        states");
        print_row(row, &widths, listed_only);
        before = row;
    }
    if (!listed_only)
        print_summary(rows, seconds);
}

/* --- counterexamples ---------------------------------------------------------------------------------------------- */

/* lamport86.one_bit.n3.safe.abort.deadlock-freedom.json: what the row is about, so that it is the same in every run. */
static void trace_name(const struct row *row, char *name, size_t size)
{
    char faults[64], k[16] = "", passages[16] = "";
    faults_text(row, faults, sizeof faults);
    if (row->setting.k > 1)
        snprintf(k, sizeof k, ".k%u", row->setting.k);
    if (row->setting.passages[0] != UNBOUNDED_PASSAGES)
        snprintf(passages, sizeof passages, ".p%u", row->setting.passages[0]);
    snprintf(name, size, "%s.%s.n%u%s%s.%s%s.%s.%s.json", row->paper->id, algorithm_text(row), row->setting.n, k,
             passages, register_kind_name[row->setting.registers], row->setting.any_order ? ".any" : "",
             strcmp(faults, "-") == 0 ? "normal" : faults, row->property);
    for (char *at = name; *at != '\0'; at++)
        if (strchr("/:, +", *at) != NULL)
            *at = '_';
}

static void write_trace(const struct row *row, const char *directory)
{
    char name[256], path[4096];
    trace_name(row, name, sizeof name);
    snprintf(path, sizeof path, "%s/%s", directory, name);
    json_t *json = trace_to_json(&row->trace);
    if (json_dump_file(json, path, JSON_INDENT(1)) != 0) {
        fprintf(stderr, "admit claims: cannot write '%s': %s\n", path, strerror(errno));
        exit(EXIT_USAGE);
    }
    json_decref(json);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void show_row(const struct row *row, unsigned done, unsigned of)
{
    fprintf(stderr, "\r%u of %u: %s, %s n = %u \033[K", done + 1, of, row->claim, algorithm_text(row), row->setting.n);
}

int command_claims(int argc, char **argv)
{
    struct claims_request request = {.full = false};
    read_request(&request, argc, argv);
    struct rows rows = {0};
    for (unsigned p = 0; p < PAPER_COUNT; p++)
        if (is_asked_for(&request, papers[p]))
            rows_add(&rows, papers[p], request.full || request.list, request.only);
    if (rows.count == 0)
        usage_error("claims", "no row is about '%s'%s", request.only != NULL ? request.only : "",
                    request.full ? "" : "; --full has more of them");
    if (rows.lacks_mutants)
        fputs("admit claims: the rows about broken variants are left out: this program was built without them\n",
              stderr);
    bool watched = isatty(STDERR_FILENO);
    double seconds = 0;
    if (!request.list) {
        double start = now();
        rows_answer(&rows, &(struct asking){.traces = request.traces != NULL, .report = watched ? show_row : NULL});
        seconds = now() - start;
    }
    if (watched)
        fputs("\r\033[K", stderr);
    if (request.json)
        print_rows_json(&rows, request.list);
    else
        print_rows(&rows, seconds, request.list);
    int status = EXIT_OK;
    for (unsigned r = 0; r < rows.count; r++) {
        if (!request.list && rows.row[r].found == UNDECIDED)
            status = EXIT_UNDECIDED;
        if (request.traces != NULL && rows.row[r].has_trace)
            write_trace(&rows.row[r], request.traces);
    }
    rows_close(&rows);
    return status;
}
