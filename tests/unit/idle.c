/* SPDX-License-Identifier: MIT
 *
 * Idle steps (checker/reduce/idle.h) of the gate: whatever step somebody takes, it makes no difference whether an idle one was
 * taken before it. Shown for all states of two processes, with deaths and give-ups, and on random runs of more. With that no
 * run is lost by taking idle steps at once.
 */
#include "unit.h"

#include "checker/reduce/idle.h"
#include "checker/reduce/normal_form.h"

enum { STEPS = 4000, STEPS_MAX = 8 * CHECKED_PROCESSES_MAX };

/* What can happen in a state. */
struct ways {
    const struct model *model;
    const uint64_t *state;
    struct step step[STEPS_MAX];
    struct field field[STEPS_MAX]; /* of the register that it reads */
    unsigned count;
};

static void note_way(void *context, struct step step, const struct move *move)
{
    struct ways *ways = context;
    assert_true(ways->count < STEPS_MAX);
    ways->field[ways->count] = move != NULL ? move->field : (struct field){0};
    ways->step[ways->count++] = step;
}

static void find_ways(const struct model *model, const uint64_t *state, struct ways *ways)
{
    *ways = (struct ways){.model = model, .state = state};
    for_each_step(model, state, note_way, ways);
}

static void take(struct model *model, const uint64_t *state, struct step step, uint64_t *successor)
{
    uint8_t events;
    memset(successor, 0, WORDS_MAX * sizeof *successor);
    assert_int_equal(model_learn(model, state, step, successor, &events), APPLIED);
}

static const char *marker_of(const struct model *model, const uint64_t *state, unsigned i)
{
    return model->automaton[i].processes[field_get(state, model->process_field[i])].label;
}

/* Of three processes and more slots than one, old tickets may be told apart in the one that nobody compares any more, and not
 * in the other (algorithms/gate_states.h): there it must do that everybody stands at the same place. */
static bool is_same(const struct model *model, const uint64_t *a, const uint64_t *b)
{
    for (unsigned i = 0; i < model->n; i++) {
        const struct local *of_a = local_of(model, a, i), *of_b = local_of(model, b, i);
        if (strcmp(marker_of(model, a, i), marker_of(model, b, i)) != 0 || of_a->section != of_b->section)
            return false;
    }
    unsigned n = model->instance.setting.n, k = model->instance.setting.k;
    return n > 3 || (n == 3 && k > 1) || same_state(a, b, model->words);
}

/* The same, whether or not process i has taken its idle step? */
static void compare(struct model *model, const struct ways *ways, const uint64_t *hurried, unsigned i)
{
    uint64_t now[WORDS_MAX], later[WORDS_MAX];
    for (unsigned w = 0; w < ways->count; w++) {
        struct step step = ways->step[w];
        if (step.process == i && !step.fault)
            continue;
        take(model, ways->state, step, now);
        step.value = field_get(hurried, ways->field[w]); /* numbers may have other names there */
        take(model, hurried, step, later);
        assert_int_equal(learn_idle_steps(model, now), APPLIED);
        assert_int_equal(learn_idle_steps(model, later), APPLIED);
        if (!is_same(model, now, later))
            fail_msg("process %u at \"%s\" is not idle: it depends on process %u at \"%s\"", i,
                     marker_of(model, ways->state, i), step.process, marker_of(model, ways->state, step.process));
    }
}

/* Returns how many idle steps the state has. */
static unsigned look_at_state(struct model *model, const uint64_t *state)
{
    struct ways ways;
    struct step step;
    uint64_t hurried[WORDS_MAX];
    unsigned idle = 0;
    find_ways(model, state, &ways);
    for (unsigned i = 0; i < model->n; i++) {
        if (!idle_step_of(model, state, i, &step))
            continue;
        idle++;
        take(model, state, step, hurried);
        compare(model, &ways, hurried, i);
    }
    return idle;
}

struct size {
    unsigned n, k;
    unsigned ways; /* enum way */
};

static struct setting with_deaths(const struct size *size)
{
    struct setting setting = setting_of("gate", size->n, size->k);
    setting.recoveries = RECOVERIES_WITHOUT_END;
    setting.aborts = true;
    setting.ways = (uint16_t)size->ways;
    return setting;
}

static void all_states(void **state)
{
    struct setting setting = with_deaths(*state);
    struct explored *explored = explored_open(&setting);
    uint64_t idle = 0;
    for (uint32_t s = 0; s < explored->exploration.graph.states; s++) {
        uint64_t record[WORDS_MAX] = {0};
        memcpy(record, store_record(&explored->exploration.store, explored->exploration.graph.numbers[s]),
               explored->model.words * sizeof *record);
        idle += look_at_state(&explored->model, record);
    }
    /* One by itself finds little that is needless. */
    assert_true(idle > explored->exploration.graph.states / (setting.n > 1 ? 2 : 20));
    explored_close(explored);
}

/* Without hurry, and in bursts, so that one often goes round while another stands still. */
static unsigned random_run(const struct setting *setting, uint64_t random)
{
    struct model model;
    struct ways ways;
    uint64_t state[WORDS_MAX], successor[WORDS_MAX];
    unsigned burst = 0, whose = 0, idle = 0;
    open_reduced(&model, setting);
    memcpy(state, model.initial, sizeof state);
    for (unsigned s = 0; s < STEPS;) {
        if (burst == 0) {
            whose = (unsigned)(next_random(&random) % model.n);
            burst =
                1 + (unsigned)(next_random(&random) % (whose < setting->n ? 60 : 3)); /* the others have a few steps */
        }
        burst--;
        find_ways(&model, state, &ways);
        struct step step = ways.step[next_random(&random) % ways.count];
        if (step.process != whose || (step.fault && next_random(&random) % 8 != 0))
            continue;
        take(&model, state, step, successor);
        memcpy(state, successor, sizeof state);
        idle += look_at_state(&model, state);
        s++;
    }
    model_close(&model);
    return idle;
}

static void random_runs(void **state)
{
    struct setting setting = with_deaths(*state);
    unsigned idle = 0;
    for (uint64_t seed = 1; seed <= 20; seed++)
        idle += random_run(&setting, seed * 77);
    assert_true(idle > 20 * STEPS / 4);
}

static bool always(unsigned n, unsigned k, const uint64_t *registers, const struct stand *stands, unsigned i)
{
    (void)n, (void)k, (void)registers, (void)stands, (void)i;
    return true;
}

/* A text that calls a step idle which changes a register, or leads inside, is not believed. */
static void a_broken_word_is_noticed(void **state)
{
    struct setting setting = with_deaths(*state);
    struct stepped_algorithm liar = *setting.algorithm;
    struct exploration_options options = {.hurry = true};
    struct explored *explored = calloc(1, sizeof *explored);
    liar.about.is_idle = always;
    setting.algorithm = &liar;
    explore(&explored->exploration, &explored->model, &setting, &options);
    assert_string_equal(explored->exploration.stopped, "a step that was taken for idle is not");
    explored_close(explored);
}

int main(void)
{
    enum { ALL_WAYS = (1 << WAYS) - 1, BY_THE_N = ALL_WAYS & ~BEQUEST & ~REMOVAL };
    static struct size sizes[] = {{2, 1, 0},        {2, 2, 0},        {3, 1, 0},        {3, 2, 0},
                                  {4, 2, ALL_WAYS}, {5, 3, ALL_WAYS}, {2, 1, BY_THE_N}, {2, 2, BY_THE_N},
                                  {2, 1, BEQUEST},  {2, 2, ALL_WAYS}, {1, 1, REMOVAL},  {2, 1, REMOVAL}};
    const struct CMUnitTest tests[] = {
        {"a_broken_word_is_noticed", a_broken_word_is_noticed, NULL, NULL, &sizes[0]},
        {"all_states_n_2_k_1", all_states, NULL, NULL, &sizes[0]},
        {"all_states_n_2_k_2", all_states, NULL, NULL, &sizes[1]},
        {"all_states_n_2_k_1_by_the_n", all_states, NULL, NULL, &sizes[6]},
        {"all_states_n_2_k_2_by_the_n", all_states, NULL, NULL, &sizes[7]},
        {"random_runs_n_2_k_1_with_commands", random_runs, NULL, NULL, &sizes[8]},
        {"all_states_n_1_k_1_with_removers", all_states, NULL, NULL, &sizes[10]},
        {"random_runs_n_2_k_1_with_a_remover", random_runs, NULL, NULL, &sizes[11]},
        {"random_runs_n_2_k_2_all_ways", random_runs, NULL, NULL, &sizes[9]},
        {"random_runs_n_3_k_1", random_runs, NULL, NULL, &sizes[2]},
        {"random_runs_n_3_k_2", random_runs, NULL, NULL, &sizes[3]},
        {"random_runs_n_4_k_2_all_ways", random_runs, NULL, NULL, &sizes[4]},
        {"random_runs_n_5_k_3_all_ways", random_runs, NULL, NULL, &sizes[5]},
    };
    return cmocka_run_group_tests_name("idle", tests, NULL, NULL);
}
