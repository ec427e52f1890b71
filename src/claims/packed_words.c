/* SPDX-License-Identifier: MIT
 *
 * What is in the packed word of the algorithms of Fischer, Lynch, Burns, Borodin 1989: ISSUE, VALID, QUANT, the queue.
 *
 * Only an algorithm's own file knows how it packs them. It also knows how to print them, so what it prints is read back
 * here, once for each value that occurs.
 */
#include "base/die.h"
#include "claims/claims.h"
#include "claims/look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = 32 };

struct contents {
    uint64_t value;
    unsigned issue, valid, issue_color, valid_color;
    unsigned listed[PARTS_MAX], count; /* QUANT, or the queue from its head on */
};

/* All values that the word has in some state, in order. */
struct words {
    struct contents *of;
    uint32_t count;
};

static int compare_values(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void read_list(const char *at, struct contents *contents)
{
    for (int used = 0; contents->count < PARTS_MAX && sscanf(at, "%u%n", &contents->listed[contents->count], &used) > 0;
         at += used + (at[used] == ','))
        contents->count++;
}

static void read_contents(const struct instance *instance, struct contents *contents)
{
    char text[256] = "";
    instance->regs[0].array->shown(text, sizeof text, instance->setting.n, instance->setting.k, contents->value);
    const char *issue = strstr(text, "ISSUE="), *valid = strstr(text, "VALID=");
    const char *list = strstr(text, "QUANT=") != NULL ? strstr(text, "QUANT=") : strstr(text, "QUEUE=");
    if (issue != NULL && sscanf(issue, "ISSUE=(%u,%u)", &contents->issue, &contents->issue_color) == 0)
        sscanf(issue, "ISSUE=%u", &contents->issue);
    if (valid != NULL && sscanf(valid, "VALID=(%u,%u)", &contents->valid, &contents->valid_color) == 0)
        sscanf(valid, "VALID=%u", &contents->valid);
    if (list != NULL)
        read_list(list + strlen("QUANT="), contents);
}

static void words_open(struct words *words, const struct exploration *exploration)
{
    const struct instance *instance = &exploration->model->instance;
    const struct graph *graph = &exploration->graph;
    if (instance->regs[0].array->shown == NULL)
        die("internal error: %s has no packed word", instance->setting.algorithm->about.id);
    uint64_t *values = must_allocate(graph->states * sizeof *values);
    for (uint32_t state = 0; state < graph->states; state++)
        values[state] = value_of(exploration, state, 0);
    qsort(values, graph->states, sizeof *values, compare_values);
    words->count = 0;
    for (uint32_t v = 0; v < graph->states; v++)
        if (v == 0 || values[v] != values[v - 1])
            values[words->count++] = values[v];
    words->of = must_allocate(words->count * sizeof *words->of);
    for (uint32_t v = 0; v < words->count; v++) {
        words->of[v].value = values[v];
        read_contents(instance, &words->of[v]);
    }
    free(values);
}

static const struct contents *contents_in(const struct words *words, const struct exploration *exploration,
                                          uint32_t state)
{
    uint64_t value = value_of(exploration, state, 0);
    return bsearch(&value, words->of, words->count, sizeof *words->of, compare_values);
}

/* --- numbers ------------------------------------------------------------------------------------------------------ */

typedef uint64_t measure(const struct contents *contents, unsigned n, unsigned k);

static uint64_t most_of(const struct exploration *exploration, measure *measure)
{
    struct words words;
    uint64_t most = 0;
    words_open(&words, exploration);
    for (uint32_t v = 0; v < words.count; v++) {
        uint64_t here = measure(&words.of[v], exploration->graph.n, exploration->graph.k);
        most = here > most ? here : most;
    }
    free(words.of);
    return most;
}

static uint64_t unsigned_difference(unsigned a, unsigned b)
{
    return a > b ? a - b : 0;
}

/* How far VALID is ahead of ISSUE: so many tickets are valid and not issued. Colored ones are numbered by blocks, of
 * which the one that leads has the later. */
static uint64_t not_issued(const struct contents *contents, unsigned n, unsigned k)
{
    const unsigned M = 1 + (k > n - k ? k : n - k);
    if (contents->issue_color == contents->valid_color)
        return unsigned_difference(contents->valid, contents->issue);
    return contents->valid < contents->issue ? contents->valid + M - contents->issue : 0;
}

static uint64_t not_valid(const struct contents *contents, unsigned n, unsigned k)
{
    const unsigned M = 1 + (k > n - k ? k : n - k);
    if (contents->issue_color == contents->valid_color)
        return unsigned_difference(contents->issue, contents->valid);
    return contents->issue < contents->valid ? contents->issue + M - contents->valid : 0;
}

static uint64_t colors_between(const struct contents *contents, unsigned n, unsigned k)
{
    (void)n, (void)k;
    return unsigned_difference(contents->issue_color, contents->valid_color) +
           unsigned_difference(contents->valid_color, contents->issue_color);
}

static uint64_t most_not_issued(const struct exploration *exploration)
{
    return most_of(exploration, not_issued);
}
const struct quantity valid_ahead = {"VALID - ISSUE at most", NULL, most_not_issued};

static uint64_t most_not_valid(const struct exploration *exploration)
{
    return most_of(exploration, not_valid);
}
const struct quantity issue_ahead = {"ISSUE - VALID at most", NULL, most_not_valid};

static uint64_t most_colors_between(const struct exploration *exploration)
{
    return most_of(exploration, colors_between);
}
const struct quantity colors_apart = {"colors of ISSUE and VALID apart", NULL, most_colors_between};

static uint64_t count_colors(const struct exploration *exploration)
{
    struct words words;
    uint64_t seen = 0;
    words_open(&words, exploration);
    for (uint32_t v = 0; v < words.count; v++) {
        seen |= UINT64_C(1) << words.of[v].issue_color | UINT64_C(1) << words.of[v].valid_color;
        for (unsigned c = 0; c < words.of[v].count; c++)
            seen |= (uint64_t)(words.of[v].listed[c] > 0) << c;
    }
    free(words.of);
    return (uint64_t)__builtin_popcountll(seen);
}
const struct quantity colors_used = {"colors used", NULL, count_colors};

static int compare_lists(const void *a, const void *b)
{
    return memcmp(((const struct contents *)a)->listed, ((const struct contents *)b)->listed,
                  sizeof((const struct contents *)a)->listed);
}

static uint64_t count_quantities(const struct exploration *exploration)
{
    struct words words;
    uint64_t different = 0;
    words_open(&words, exploration);
    qsort(words.of, words.count, sizeof *words.of, compare_lists);
    for (uint32_t v = 0; v < words.count; v++)
        different += v == 0 || compare_lists(&words.of[v], &words.of[v - 1]) != 0;
    free(words.of);
    return different;
}
const struct quantity quantities = {"values of QUANT", NULL, count_quantities};

/* --- states ------------------------------------------------------------------------------------------------------- */

/* What is wrong in a state, or NULL. */
typedef const char *objection(const struct contents *contents, const struct graph *graph, uint32_t state,
                              uint16_t enabled);

static void ask_words(struct finding *finding, const struct exploration *exploration, const struct enabled *enabled,
                      objection *objection)
{
    const struct graph *graph = &exploration->graph;
    struct words words;
    words_open(&words, exploration);
    for (uint32_t state = 0; state < graph->states && finding->verdict == HOLDS; state++) {
        const char *what = objection(contents_in(&words, exploration, state), graph, state, enabled->critical[state]);
        finding->fired++;
        if (what == NULL)
            continue;
        finding->verdict = VIOLATED;
        finding->has_witness = true;
        witness_open(&finding->witness, exploration, graph->numbers[state]);
        finding->witness.at = state;
        snprintf(finding->what, sizeof finding->what, "%s", what);
    }
    free(words.of);
}

/* Those who are enabled hold valid tickets; the others that are valid are not issued. */
static const char *object_to_valid(const struct contents *contents, const struct graph *graph, uint32_t state,
                                   uint16_t enabled)
{
    (void)state;
    uint64_t valid = (unsigned)__builtin_popcount(enabled) + not_issued(contents, graph->n, graph->k);
    return valid == graph->k ? NULL : "not k tickets are valid";
}

static void ask_exactly_k_valid(struct finding *finding, const struct exploration *exploration,
                                const struct enabled *enabled)
{
    ask_words(finding, exploration, enabled, object_to_valid);
}
const struct enabled_judge exactly_k_valid = {"exactly k valid tickets", ask_exactly_k_valid};

static const char *object_to_quantities(const struct contents *contents, const struct graph *graph, uint32_t state,
                                        uint16_t enabled)
{
    (void)state;
    unsigned sum = 0, without = 0;
    (void)enabled;
    for (unsigned c = 0; c < contents->count; c++) {
        sum += contents->listed[c];
        without += contents->listed[c] == 0;
    }
    return sum != graph->k                                ? "the quantities of valid tickets are not k together"
           : without == 0                                 ? "no color is free"
           : contents->listed[contents->valid_color] == 0 ? "no valid ticket has the color of VALID"
                                                          : NULL;
}

static void ask_quantities(struct finding *finding, const struct exploration *exploration,
                           const struct enabled *enabled)
{
    ask_words(finding, exploration, enabled, object_to_quantities);
}
const struct enabled_judge quantities_add_up = {"QUANT adds up to k, a color is free", ask_quantities};

static const char *object_to_positions(const struct contents *contents, const struct graph *graph, uint32_t state,
                                       uint16_t enabled)
{
    (void)state;
    uint16_t first = 0;
    for (unsigned p = 0; p < contents->count && p < graph->k; p++)
        first |= (uint16_t)(1u << contents->listed[p]);
    return first == enabled ? NULL : "those in the first k positions are not those who are enabled";
}

static void ask_first_k_positions(struct finding *finding, const struct exploration *exploration,
                                  const struct enabled *enabled)
{
    ask_words(finding, exploration, enabled, object_to_positions);
}
const struct enabled_judge first_k_are_enabled = {"first k positions are enabled", ask_first_k_positions};

/* Footnote 3: whoever is about to take a ticket holds none, so that one fewer can be issued and not valid. */
static const char *object_to_distance(const struct contents *contents, const struct graph *graph, uint32_t state,
                                      uint16_t enabled)
{
    (void)enabled;
    return graph->standing[state].remainder != 0 && not_valid(contents, graph->n, graph->k) >= graph->n - graph->k
               ? "one is about to take a ticket, and N - k are issued and not valid"
               : NULL;
}

static void ask_entering_distance(struct finding *finding, const struct exploration *exploration,
                                  const struct enabled *enabled)
{
    ask_words(finding, exploration, enabled, object_to_distance);
}
const struct enabled_judge room_for_one_more = {"ISSUE - VALID < N - k before one enters", ask_entering_distance};
