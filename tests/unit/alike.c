/* SPDX-License-Identifier: MIT
 *
 * States of linear timestamps that are taken for alike (timestamps/linear_alike.h): against the same text whose states
 * are all kept apart.
 */
#include "unit.h"

#include "checker/model/automaton.h"
#include "checker/reduce/normal_form.h"
#include "checker/reduce/numbers.h"

static const char *const TEXTS[] = {"zehavi/linear", "afek/linear"};
enum { TEXTS_COUNT = 2 };

/* The same, with all states apart. `apart` is to live as long as the setting. */
static struct setting kept_apart(const struct setting *setting, struct stepped_algorithm *apart)
{
    struct setting real = *setting;
    *apart = *setting->algorithm;
    apart->about.alike = NULL;
    real.algorithm = apart;
    return real;
}

/* What stands here for a state of the model that keeps them apart. Both have numbered their processes' local states as
 * they met them. */
static void alike_here(struct model *here, const struct model *real, const uint64_t *record, uint64_t *state)
{
    memset(state, 0, WORDS_MAX * sizeof *state);
    for (unsigned r = 0; r < here->regs; r++)
        field_set(state, here->register_field[r], field_get(record, real->register_field[r]));
    for (unsigned i = 0; i < here->n; i++) {
        const struct process *process = &real->automaton[i].processes[field_get(record, real->process_field[i])];
        field_set(state, here->process_field[i], automaton_intern(here, i, process));
    }
    numbers_learn(here, state, false);
    assert_null(here->overflow);
    assert_int_equal(numbers_normalise(here, state, false), APPLIED);
}

/* --- a step makes of states that are alike states that are alike -------------------------------------------------- */

struct pair {
    struct model here, real;
    uint64_t kept[WORDS_MAX], state[WORDS_MAX]; /* the same run, in each */
    struct step steps[2 * CHECKED_PROCESSES_MAX];
    unsigned count;
};

static void note_step(void *context, struct step step, const struct move *move)
{
    struct pair *pair = context;
    (void)move;
    pair->steps[pair->count++] = step;
}

static void both_step(struct pair *pair, struct step step)
{
    uint64_t successor[WORDS_MAX], expected[WORDS_MAX];
    uint8_t events, same_events;
    unsigned i = step.process;
    assert_int_equal(model_learn(&pair->real, pair->state, step, successor, &events), APPLIED);
    memcpy(pair->state, successor, pair->real.words * sizeof *successor);
    if (!step.fault) {
        const struct local *local = local_of(&pair->here, pair->kept, i);
        struct field field = pair->here.automaton[i].moves[local->first_move + step.choice].field;
        step.value = field_get(pair->kept, field);
    }
    assert_int_equal(model_learn(&pair->here, pair->kept, step, successor, &same_events), APPLIED);
    memcpy(pair->kept, successor, pair->here.words * sizeof *successor);
    alike_here(&pair->here, &pair->real, pair->state, expected);
    assert_memory_equal(pair->kept, expected, pair->here.words * sizeof *expected);
    assert_int_equal(events, same_events);
    for (unsigned p = 0; p < pair->here.n; p++) {
        const struct local *one = local_of(&pair->here, pair->kept, p), *other = local_of(&pair->real, pair->state, p);
        assert_true(one->section == other->section && one->crashed == other->crashed);
    }
}

/* Runs in bursts, so that a process often goes round while another stands still; faults begin seldom. */
static void random_run(const char *id, unsigned n, unsigned crashes, uint64_t seed)
{
    struct setting setting = setting_of(id, n, n / 2);
    struct stepped_algorithm apart;
    struct pair *pair = calloc(1, sizeof *pair);
    uint64_t random = seed;
    unsigned burst = 0, whose = 0;
    setting.crashes = crashes;
    setting.any_order = seed % 2 == 0;
    struct setting real = kept_apart(&setting, &apart);
    open_reduced(&pair->here, &setting);
    open_reduced(&pair->real, &real);
    memcpy(pair->state, pair->real.initial, sizeof pair->state);
    memcpy(pair->kept, pair->here.initial, sizeof pair->kept);
    for (unsigned s = 0; s < 4000; s++) {
        pair->count = 0;
        for_each_step(&pair->real, pair->state, note_step, pair);
        if (burst == 0) {
            burst = 1 + (unsigned)(next_random(&random) % 40);
            whose = (unsigned)(next_random(&random) % n);
        }
        burst--;
        struct step step = pair->steps[next_random(&random) % pair->count];
        if (step.process == whose && (!step.fault || next_random(&random) % 200 == 0))
            both_step(pair, step);
    }
    model_close(&pair->here);
    model_close(&pair->real);
    free(pair);
}

static void steps_agree(void **state)
{
    (void)state;
    for (unsigned t = 0; t < TEXTS_COUNT; t++)
        for (unsigned n = 2; n <= 4; n++)
            for (uint64_t seed = 1; seed <= 4; seed++)
                random_run(TEXTS[t], n, seed > 2, seed);
}

/* --- and no more is reached than that ----------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* What stands for the states that there are is what the exploration of those that stand for others finds: all, and no
 * others. The start is kept as it is. */
static void same_states(const char *id, unsigned k, const uint8_t passages[2], unsigned crashes)
{
    struct setting setting = setting_of(id, 2, k);
    struct stepped_algorithm apart;
    memcpy(setting.passages, passages, 2);
    setting.crashes = crashes;
    struct setting real_setting = kept_apart(&setting, &apart);
    struct explored *here = explored_open(&setting), *real = explored_open(&real_setting);
    uint64_t states = real->exploration.states, distinct = 0;
    assert_true(here->exploration.states < states);
    uint32_t *met = malloc(states * sizeof *met);
    for (uint32_t s = 0; s < states; s++) {
        const uint64_t *record = store_record(&real->exploration.store, real->exploration.graph.numbers[s]);
        uint64_t state[WORDS_MAX];
        alike_here(&here->model, &real->model, record, state);
        met[s] = store_find(&here->exploration.store, s == 0 ? here->model.initial : state);
        assert_int_not_equal(met[s], NO_STATE);
    }
    qsort(met, states, sizeof *met, by_number);
    for (uint64_t s = 0; s < states; s++)
        distinct += s == 0 || met[s] != met[s - 1];
    assert_int_equal(distinct, here->exploration.states);
    free(met);
    explored_close(here);
    explored_close(real);
}

static void few_passages(void **state)
{
    (void)state;
    same_states("zehavi/linear", 1, (const uint8_t[]){2, 1}, 0);
    same_states("zehavi/linear", 2, (const uint8_t[]){1, 2}, 1);
    same_states("afek/linear", 1, (const uint8_t[]){1, 1}, 1);
    same_states("afek/linear", 2, (const uint8_t[]){2, 1}, 0);
}

static void all_passages(void **state)
{
    (void)state;
    struct setting setting = setting_of("afek/linear", 2, 1);
    assert_int_equal(states_of(&setting), 349145);
}

/* --- where it is not so ------------------------------------------------------------------------------------------- */

/* Processes take turns until one is about to read what was saved for it. That label was not dropped; if it had been, as
 * it would be if the argument were wrong, the state would be refused. */
static void what_was_dropped_is_not_read(void **state)
{
    (void)state;
    struct setting setting = setting_of("afek/linear", 2, 1);
    struct model model;
    uint64_t at[WORDS_MAX], successor[WORDS_MAX], random = 1;
    unsigned reader = 2, saved = 0;
    uint8_t events;
    open_reduced(&model, &setting);
    memcpy(at, model.initial, sizeof at);
    for (unsigned s = 0; reader == 2 && s < 100000; s++) {
        unsigned i = next_random(&random) % 2;
        const struct local *local = local_of(&model, at, i);
        struct step step = {.process = (uint8_t)i};
        step.value = field_get(at, model.automaton[i].moves[local->first_move].field);
        assert_int_equal(model_learn(&model, at, step, successor, &events), APPLIED);
        memcpy(at, successor, model.words * sizeof *at);
        if (strcmp(model.automaton[i].processes[field_get(at, model.process_field[i])].label, "view: SAV") == 0)
            reader = i;
    }
    assert_int_not_equal(reader, 2);
    char name[32], wanted[32];
    snprintf(wanted, sizeof wanted, "SAV[%u][%u]", 1 - reader, reader);
    for (unsigned r = 0; r < model.regs; r++) {
        register_name(&model.instance, r, name, sizeof name);
        saved = strcmp(name, wanted) == 0 ? r : saved;
    }
    memcpy(successor, at, sizeof successor);
    assert_int_equal(numbers_normalise(&model, successor, false), APPLIED);
    assert_memory_equal(successor, at, model.words * sizeof *at);
    assert_int_not_equal(field_get(at, model.register_field[saved]), 0);
    field_set(at, model.register_field[saved], 0);
    assert_int_equal(numbers_normalise(&model, at, false), MISSING);
    numbers_learn(&model, at, false);
    assert_non_null(model.overflow);
    model_close(&model);
}

/* Others than the text write, or a read returns what nobody wrote: then it is not asked. */
static void not_for_these(void **state)
{
    (void)state;
    struct setting settings[5];
    for (unsigned s = 0; s < 5; s++)
        settings[s] = setting_of("afek/linear", 2, 1);
    settings[0].registers = SAFE;
    settings[1].registers = REGULAR;
    settings[2].shutdowns = 1;
    settings[3].aborts = true;
    settings[4].failures = 1;
    for (unsigned s = 0; s < 5; s++) {
        struct model model;
        open_reduced(&model, &settings[s]);
        assert_false(has_alike(&model) || model.normal_form != NULL);
        model_close(&model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_agree),   cmocka_unit_test(few_passages),
        cmocka_unit_test(all_passages),  cmocka_unit_test(what_was_dropped_is_not_read),
        cmocka_unit_test(not_for_these),
    };
    return cmocka_run_group_tests_name("alike", tests, NULL, NULL);
}
