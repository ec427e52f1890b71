/* SPDX-License-Identifier: MIT
 *
 * The rule of labels.h alone, in all runs that there are: views are ideal, atomic ones or weak ones, and all that
 * matters of the past is which of the labels in use must be smaller than which. Every Scan that is possible is made in
 * every state, so that what fails in some run fails here.
 *
 * A Label is: to take a view and choose the next label by it; with weak views, to begin the update, from when on each
 * view may have the old label or the new one, and which is not before every label that was seen has been written; and
 * to write.
 */
#include "unit.h"

#define ADMIT_STEPPED
#define ADMIT_ID "unit:label_rule"
#include "timestamps/labels.h"

enum { N_MAX = 3, NODES = 2 * N_MAX, SLOTS = 1 << 18 };
enum phase { IDLE, CHOSEN, UPDATING };

/* Node j is the label of process j, node n + j the one that it is about to write. */
struct state {
    label labels[NODES];
    uint8_t phase[N_MAX];
    uint8_t above[NODES]; /* as bits: which must be larger */
    uint8_t
        awaits[N_MAX]; /* whose new labels it has seen that are not written: its view has not ended before they are */
};

struct search {
    unsigned n;
    bool weak, hasty;     /* hasty: begins its update although a label that it has seen is not written */
    struct state *states; /* all that were met, in order */
    uint32_t count, transitions;
    uint32_t *slots;
    const char *wrong;
};

static void must_be_smaller(struct search *search, struct state *state, unsigned from, unsigned to)
{
    unsigned larger = state->above[to] | 1u << to;
    if (larger >> from & 1)
        search->wrong = "a label would be smaller than itself";
    for (unsigned v = 0; v < 2 * search->n; v++)
        if (v == from || state->above[v] >> from & 1)
            state->above[v] |= (uint8_t)larger;
}

/* The nodes of a view: of each process in `new` the label that it is about to write. */
static void view_of(const struct search *search, const struct state *state, unsigned new, unsigned nodes[],
                    label view[])
{
    for (unsigned j = 0; j < search->n; j++) {
        nodes[j] = new >> j & 1 ? search->n + j : j;
        view[j] = state->labels[nodes[j]];
    }
}

static void scan(struct search *search, struct state *state, unsigned new)
{
    unsigned nodes[N_MAX], found = 0;
    label view[N_MAX];
    proc rank[N_MAX];
    view_of(search, state, new, nodes, view);
    order(view, search->n, rank);
    for (unsigned j = 0; j < search->n; j++)
        found |= 1u << rank[j];
    if (found != (1u << search->n) - 1)
        search->wrong = "labels go round in a circle";
    for (unsigned j = 0; j < search->n; j++)
        for (unsigned m = 0; m < search->n; m++)
            if (rank[m] == rank[j] + 1)
                must_be_smaller(search, state, nodes[j], nodes[m]);
}

static unsigned updating(const struct search *search, const struct state *state)
{
    unsigned all = 0;
    for (unsigned j = 0; search->weak && j < search->n; j++)
        all |= state->phase[j] == UPDATING ? 1u << j : 0;
    return all;
}

/* Makes all Scans, and adds the state if it is new. */
static void arrive(struct search *search, struct state state)
{
    unsigned all = updating(search, &state);
    for (unsigned new = all;; new = (new - 1) & all) {
        scan(search, &state, new);
        if (new == 0)
            break;
    }
    search->transitions++;
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t at = 0; at < sizeof state; at++)
        hash = (hash ^ ((const unsigned char *)&state)[at]) * 0x100000001b3;
    uint32_t slot = (uint32_t)(hash ^ hash >> 32) % SLOTS;
    while (search->slots[slot] != 0) {
        if (memcmp(&search->states[search->slots[slot] - 1], &state, sizeof state) == 0)
            return;
        slot = (slot + 1) % SLOTS;
    }
    assert_true(search->count < SLOTS / 2);
    search->states[search->count++] = state;
    search->slots[slot] = search->count;
}

/* Process i takes this view and chooses. If it is the last it writes nothing, and its view is a Scan. */
static void choose(struct search *search, const struct state *from, unsigned i, unsigned new)
{
    struct state to = *from;
    unsigned nodes[N_MAX], n = search->n;
    label view[N_MAX];
    view_of(search, from, new, nodes, view);
    unsigned last = maximum_of(view, n);
    if (last == i)
        return;
    to.phase[i] = CHOSEN;
    to.awaits[i] = (uint8_t) new;
    to.labels[n + i] = next_label(view, i, n);
    for (unsigned j = 0; j < n; j++)
        if (j != i)
            must_be_smaller(search, &to, nodes[j], n + i);
    must_be_smaller(search, &to, i, nodes[last]);
    arrive(search, to);
}

static void finish(struct search *search, const struct state *from, unsigned i)
{
    struct state to = *from;
    unsigned n = search->n;
    to.phase[i] = IDLE;
    to.labels[i] = from->labels[n + i];
    to.labels[n + i] = 0;
    to.above[i] = from->above[n + i];
    to.above[n + i] = 0;
    for (unsigned j = 0; j < n; j++)
        to.awaits[j] &= (uint8_t) ~(1u << i);
    for (unsigned v = 0; v < 2 * n; v++) {
        unsigned moved = to.above[v] >> (n + i) & 1;
        to.above[v] = (uint8_t)((to.above[v] & ~(1u << i) & ~(1u << (n + i))) | moved << i);
    }
    arrive(search, to);
}

static void explore_rule(struct search *search, unsigned n, bool weak, bool hasty)
{
    struct state start;
    *search = (struct search){.n = n,
                              .weak = weak,
                              .hasty = hasty,
                              .states = calloc(SLOTS / 2, sizeof *search->states),
                              .slots = calloc(SLOTS, sizeof *search->slots)};
    memset(&start, 0, sizeof start);
    for (unsigned j = 0; j < n; j++)
        start.labels[j] = first_label(n);
    arrive(search, start);
    for (uint32_t s = 0; s < search->count && search->wrong == NULL; s++) {
        struct state from = search->states[s];
        unsigned all = updating(search, &from);
        for (unsigned i = 0; i < n; i++) {
            if (from.phase[i] == IDLE)
                for (unsigned new = all;; new = (new - 1) & all) {
                    choose(search, &from, i, new);
                    if (new == 0)
                        break;
                }
            else if (weak && from.phase[i] == CHOSEN) {
                struct state to = from;
                if (from.awaits[i] != 0 && !search->hasty)
                    continue;
                to.phase[i] = UPDATING;
                arrive(search, to);
            } else {
                finish(search, &from, i);
            }
        }
    }
    free(search->states);
    free(search->slots);
}

static void holds_for(unsigned n, bool weak, uint32_t states)
{
    struct search search;
    explore_rule(&search, n, weak, false);
    if (search.wrong != NULL)
        fail_msg("n = %u, %s views: %s", n, weak ? "weak" : "atomic", search.wrong);
    assert_int_equal(search.count, states);
}

static void atomic_views(void **state)
{
    (void)state;
    holds_for(2, false, 18);
    holds_for(3, false, 12264);
}

static void weak_views(void **state)
{
    (void)state;
    holds_for(2, true, 36);
    holds_for(3, true, 58156);
}

static void haste_is_wrong(void **state)
{
    (void)state;
    struct search search;
    explore_rule(&search, 2, true, true);
    assert_non_null(search.wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atomic_views),
        cmocka_unit_test(weak_views),
        cmocka_unit_test(haste_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
