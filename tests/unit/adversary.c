/* SPDX-License-Identifier: MIT
 *
 * The adversary of Theorem 5.1 against algorithms made by chance. The proof is about every read/write system, so that
 * no step of it may fail (the program would end), all that it finds must be confirmed, and whoever has fewer than n
 * variables must lose.
 */
#include "unit.h"

#include "bounds/variables.h"

/* --- an algorithm that is a table --------------------------------------------------------------------------------- */

enum { VALUES = 3, STATES = 6, VARIABLES_MAX = 6, PROCESSES = 4 };

/* In each state a process accesses one variable; where it goes on depends on what it reads. STATES: it is through. */
struct row {
    bool writes;
    uint8_t variable, value, next[VALUES];
};

static struct row entering[PROCESSES][STATES], leaving[PROCESSES][STATES];
static unsigned variables;

#define ADMIT_STEPPED
#define ADMIT_ID "unit:table"
#define ADMIT_SYMBOL stepped_unit_table
#include "registers/language.h"

struct shared {
    array v;
};

struct locals {
    position at;
    uint8_t state;
};

DECLARE
{
    S->v = registers("v", variables, VALUES, 0, .writer = ANYBODY);
}

ENTER
BEGIN
    local(L.state);
    do {
        AT("enter")
        const struct row *row = &entering[i][L.state];
        if (row->writes) {
            put(S->v[row->variable], row->value);
            L.state = row->next[0];
        } else {
            L.state = row->next[get(S->v[row->variable])];
        }
    } while (L.state < STATES);
END

LEAVE
BEGIN
    do {
        AT("leave")
        const struct row *row = &leaving[i][L.state];
        put(S->v[row->variable], row->value);
        L.state = row->next[0];
    } while (L.state < STATES);
END

ALGORITHM(.title = "A table", .paper = "-", .figure = "", .k = 1, .bits = "", .fairness = "none",
          CLAIMS({BOUNDED_EXIT, ATOMIC, 0}));

/* --- chance ------------------------------------------------------------------------------------------------------- */

static uint64_t seed;

static unsigned chance(unsigned bound)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 33) % bound;
}

/* Tables that are not hopeless from the start: on reading 0, and after writing, a process goes forward, so that often
 * one gets in alone; on its way out it cleans up. What it does on other values is left to chance. */
static void make_tables(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        for (unsigned s = 0; s < STATES; s++) {
            struct row *row = &entering[i][s];
            *row = (struct row){.writes = chance(2) == 0,
                                .variable = (uint8_t)chance(variables),
                                .value = (uint8_t)(1 + chance(VALUES - 1)),
                                .next = {(uint8_t)(s + 1)}};
            for (unsigned value = 1; value < VALUES; value++)
                row->next[value] = (uint8_t)(chance(3) == 0 ? chance(STATES + 1) : s);
            leaving[i][s] = (struct row){.writes = true,
                                         .variable = (uint8_t)(s % variables),
                                         .next = {(uint8_t)(s + 1 < variables ? s + 1 : STATES)}};
        }
    }
    /* Whoever reads back what it has written must get past it. */
    for (unsigned i = 0; i < n; i++)
        for (unsigned s = 0; s < STATES; s++)
            for (unsigned before = 0; before < s && !entering[i][s].writes; before++)
                if (entering[i][before].writes && entering[i][before].variable == entering[i][s].variable &&
                    chance(4) != 0)
                    entering[i][s].next[entering[i][before].value] = (uint8_t)(s + 1);
}

static void made_by_chance(void **state)
{
    (void)state;
    const unsigned games = getenv("ADMIT_TEST_QUICK") != NULL ? 2000 : 20000;
    unsigned outcomes[BOUND_REFUSED + 1] = {0}, exclusion = 0, deep = 0;
    seed = 1993;
    for (unsigned game = 0; game < games; game++) {
        struct setting setting = {.algorithm = &stepped_unit_table, .n = 2 + chance(PROCESSES - 1), .k = 1};
        memset(setting.passages, UNBOUNDED_PASSAGES, sizeof setting.passages);
        variables = 1 + chance(VARIABLES_MAX);
        make_tables(setting.n);
        struct variables_bound bound;
        bound_variables(&bound, &setting, 100000);
        outcomes[bound.outcome]++;
        if (variables < setting.n)
            assert_int_equal(bound.outcome, BOUND_VIOLATED);
        exclusion += bound.outcome == BOUND_VIOLATED && bound.violation.property == EXCLUSION;
        deep += bound.outcome == BOUND_VIOLATED && bound.levels[2].times > 0;
        variables_bound_close(&bound);
    }
    print_message("%u nullified, %u violated (%u of exclusion; %u after two variables had been nullified)\n",
                  outcomes[BOUND_NULLIFIED], outcomes[BOUND_VIOLATED], exclusion, deep);
    assert_int_equal(outcomes[BOUND_UNDECIDED] + outcomes[BOUND_REFUSED], 0);
    /* Not all of it the same game. */
    assert_in_range(outcomes[BOUND_NULLIFIED], games / 50, games);
    assert_in_range(exclusion, games / 50, games);
    assert_in_range(outcomes[BOUND_VIOLATED] - exclusion, games / 50, games);
    assert_in_range(deep, games / 200, games);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(made_by_chance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
