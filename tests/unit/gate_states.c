/* SPDX-License-Identifier: MIT
 *
 * States of the gate that are taken for the same (algorithms/gate_states.h): a random run, with deaths and give-ups, is
 * followed twice, in the model and with real numbers, names and copies. Everybody must always stand at the same place,
 * and a process that can step in the one can step in the other.
 */
#include "unit.h"

#include "checker/reduce/normal_form.h"
#include "checker/show/trace.h"

enum { STEPS = 2500, STEPS_MAX = 8 * CHECKED_PROCESSES_MAX };

struct walk {
    struct model model;
    uint64_t state[WORDS_MAX];
    struct step steps[STEPS_MAX];
    unsigned count;
};

static void note_step(void *context, struct step step, const struct move *move)
{
    struct walk *walk = context;
    (void)move;
    if (walk->count < STEPS_MAX)
        walk->steps[walk->count++] = step;
}

/* In bursts, so that one often goes round while another stands still with an old copy. */
static void choose_run(const struct setting *setting, uint64_t seed, struct trace *trace)
{
    struct walk *walk = calloc(1, sizeof *walk);
    uint64_t random = seed;
    unsigned burst = 0, whose = 0;
    open_reduced(&walk->model, setting);
    memcpy(walk->state, walk->model.initial, sizeof walk->state);
    while (trace->count < STEPS) {
        walk->count = 0;
        for_each_step(&walk->model, walk->state, note_step, walk);
        if (burst == 0) {
            whose = (unsigned)(next_random(&random) % processes_of(setting));
            burst =
                1 + (unsigned)(next_random(&random) % (whose < setting->n ? 60 : 3)); /* the others have a few steps */
        }
        burst--;
        struct step step = walk->steps[next_random(&random) % walk->count];
        if (step.process != whose || (step.fault && next_random(&random) % 8 != 0))
            continue;
        uint64_t successor[WORDS_MAX];
        uint8_t events;
        assert_int_equal(model_learn(&walk->model, walk->state, step, successor, &events), APPLIED);
        memcpy(walk->state, successor, sizeof walk->state);
        trace->steps[trace->count++] =
            (struct trace_step){.process = step.process, .fault = step.fault, .choice = step.choice};
    }
    model_close(&walk->model);
    free(walk);
}

/* Where a round that is out of date ends: both lead back to its beginning, and change nothing. */
static bool ends_in_vain(const char *label)
{
    return strcmp(label, "still VALID?") == 0 || strcmp(label, "return") == 0;
}

/* A round with an old VALID that could be taken for one which speaks of a later ticket: only who has the name still asks.
 * The other fails, later. From there on they do not keep step. */
static bool asks_whether_old(const struct process *real, const struct process *kept)
{
    return strcmp(real->label, "still so?") == 0 && strcmp(kept->label, "still so?") != 0;
}

static unsigned follow(unsigned n, unsigned k, unsigned ways, uint64_t seed)
{
    struct trace trace = {.setting = setting_of("gate", n, k), .property = PROPERTIES};
    struct execution execution;
    unsigned entries = 0;
    trace.setting.recoveries = RECOVERIES_WITHOUT_END;
    trace.setting.aborts = true;
    trace.setting.ways = (uint16_t)ways;
    trace.steps = calloc(STEPS, sizeof *trace.steps);
    choose_run(&trace.setting, seed, &trace);
    bool whole = trace_execute(&trace, &execution);
    bool parted = false;
    for (size_t m = 0; m < execution.count && !parted; m++) {
        const struct moment *moment = &execution.moments[m];
        for (unsigned i = 0; i < processes_of(&trace.setting) && !parted; i++) {
            const struct process *real = &moment->process[i];
            uint64_t number = field_get(moment->identity, execution.model.process_field[i]);
            const struct process *kept = &execution.model.automaton[i].processes[number];
            parted = asks_whether_old(real, kept);
            if (parted)
                break;
            if (strcmp(real->label, kept->label) != 0 && !(ends_in_vain(real->label) && ends_in_vain(kept->label)))
                fail_msg("n = %u, k = %u, seed %llu, step %zu: process %u at \"%s\", not \"%s\"", n, k,
                         (unsigned long long)seed, m, i, kept->label, real->label);
            assert_int_equal(real->section, kept->section);
            assert_int_equal(real->mode, kept->mode);
            entries += real->section == CRITICAL && m > 0 && trace.steps[m - 1].process == i;
        }
    }
    if (!whole && !parted)
        fail_msg("n = %u, k = %u, seed %llu: %s", n, k, (unsigned long long)seed, execution.error);
    execution_close(&execution);
    free(trace.steps);
    return entries;
}

struct size {
    unsigned n, k;
};

static void follow_some(void **state)
{
    const struct size *size = *state;
    unsigned entries = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        entries += follow(size->n, size->k, 0, seed * 77);
        entries += follow(size->n, size->k, (1 << WAYS) - 1, seed * 79);
    }
    assert_true(entries > 800);
}

int main(void)
{
    static struct size sizes[] = {{2, 1}, {2, 2}, {3, 1}, {3, 2}, {5, 3}};
    static const char *const names[] = {"n_2_k_1", "n_2_k_2", "n_3_k_1", "n_3_k_2", "n_5_k_3"};
    struct CMUnitTest tests[5];
    for (unsigned t = 0; t < 5; t++)
        tests[t] = (struct CMUnitTest){.name = names[t], .test_func = follow_some, .initial_state = &sizes[t]};
    return cmocka_run_group_tests_name("gate_states", tests, NULL, NULL);
}
