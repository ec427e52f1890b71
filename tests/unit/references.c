/* SPDX-License-Identifier: MIT
 *
 * Remote references: runs counted by hand in each model, and the exact bound of local-spin beside many samples.
 */
#include "unit.h"

#include "checker/question.h"
#include "counter/growth.h"
#include "counter/world.h"

/* --- one access --------------------------------------------------------------------------------------------------- */

/* What each kind of access does to a register that holds `value`. */
static void effects(void **context)
{
    (void)context;
    struct effect read = effect_of(READ, 3, 3), write = effect_of(WRITE, 3, 3), update = effect_of(UPDATE, 3, 3),
                  idle = effect_of(WRITE_IF_DIFFERENT, 3, 3), busy = effect_of(WRITE_IF_DIFFERENT, 3, 4);
    assert_true(read.sees && !read.writes);
    assert_true(!write.sees && write.writes); /* the same value again is a write */
    assert_true(update.sees && update.writes);
    assert_true(idle.sees && !idle.writes);
    assert_true(busy.sees && busy.writes);
}

/* From a copy, by an access of its owner or of another: is it a reference, and what is the copy then? */
static void caches(void **context)
{
    (void)context;
    static const struct effect sees = {.sees = true}, writes = {.writes = true}, both = {true, true};
    static const struct {
        enum memory_model model;
        enum copy before;
        struct effect effect;
        bool remote;
        enum copy after, after_other;
    } expected[] = {
        {CC, NO_COPY, {.sees = true}, true, SHARED_COPY, NO_COPY},
        {CC, SHARED_COPY, {.sees = true}, false, SHARED_COPY, SHARED_COPY},
        {CC, NO_COPY, {.writes = true}, true, NO_COPY, NO_COPY},
        {CC, SHARED_COPY, {.writes = true}, true, SHARED_COPY, NO_COPY},
        {CC, NO_COPY, {true, true}, true, SHARED_COPY, NO_COPY},
        {CC_WRITE_BACK, NO_COPY, {.sees = true}, true, SHARED_COPY, NO_COPY},
        {CC_WRITE_BACK, SHARED_COPY, {.sees = true}, false, SHARED_COPY, SHARED_COPY},
        {CC_WRITE_BACK, EXCLUSIVE_COPY, {.sees = true}, false, EXCLUSIVE_COPY, SHARED_COPY},
        {CC_WRITE_BACK, NO_COPY, {.writes = true}, true, EXCLUSIVE_COPY, NO_COPY},
        {CC_WRITE_BACK, SHARED_COPY, {.writes = true}, true, EXCLUSIVE_COPY, NO_COPY},
        {CC_WRITE_BACK, EXCLUSIVE_COPY, {.writes = true}, false, EXCLUSIVE_COPY, NO_COPY},
    };
    for (unsigned e = 0; e < sizeof expected / sizeof expected[0]; e++) {
        enum copy copy = expected[e].before;
        assert_int_equal(is_remote(expected[e].model, true, expected[e].effect, &copy), expected[e].remote);
        assert_int_equal(copy, expected[e].after);
        assert_int_equal(copy_after_other(expected[e].model, expected[e].effect, expected[e].before),
                         expected[e].after_other);
    }
    const struct effect all[] = {sees, writes, both};
    for (unsigned e = 0; e < 3; e++) {
        enum copy copy = NO_COPY;
        assert_false(is_remote(DSM, true, all[e], &copy));
        assert_true(is_remote(DSM, false, all[e], &copy));
    }
}

/* --- runs counted by hand ----------------------------------------------------------------------------------------- */

struct by_hand {
    struct setting setting;
    struct instance instance;
    struct tally tally;
    struct world world;
};

static void begin(struct by_hand *hand, const char *id, unsigned n, unsigned k, enum memory_model model)
{
    hand->setting = setting_of(id, n, k);
    instance_open(&hand->instance, &hand->setting);
    world_open(&hand->world, &hand->instance, model, &hand->tally);
}

static void end(struct by_hand *hand)
{
    world_close(&hand->world);
    instance_close(&hand->instance);
}

/* Process i takes so many steps, of which so many are references. */
static void steps(struct by_hand *hand, unsigned i, unsigned count, unsigned references)
{
    struct look look;
    unsigned made = 0;
    for (unsigned s = 0; s < count; s++) {
        look_at_step(&hand->world, i, &look);
        take_looked_at(&hand->world, i, &look);
        made += look.remote;
    }
    assert_int_equal(made, references);
}

/* One-Bit, n = 2: process 0 alone writes x[0], reads x[1], is inside, writes x[0]. */
static void alone(void **context)
{
    (void)context;
    static const unsigned first[MEMORY_MODELS] = {[CC] = 3, [CC_WRITE_BACK] = 2, [DSM] = 1};
    static const unsigned second[MEMORY_MODELS] = {[CC] = 2, [CC_WRITE_BACK] = 0, [DSM] = 1};
    for (unsigned model = 0; model < MEMORY_MODELS; model++) {
        struct by_hand hand;
        begin(&hand, "one_bit", 2, 1, (enum memory_model)model);
        steps(&hand, 0, 3, first[model]);
        assert_int_equal(hand.tally.passages, 1);
        assert_int_equal(hand.tally.references_max, first[model]);
        steps(&hand, 0, 3, second[model]);
        assert_int_equal(hand.tally.passages, 2);
        assert_int_equal(hand.tally.references_max, first[model]);
        end(&hand);
        assert_true(hand.tally.references_mean == (first[model] + second[model]) / 2.0);
    }
}

/* Both come; 1 gives way to 0, waits, and reads x[0] anew only after 0 has written it. */
static void two_of_them(void **context)
{
    (void)context;
    static const struct {
        unsigned process, steps, references[MEMORY_MODELS];
    } schedule[] = {
        {0, 1, {[CC] = 1, [CC_WRITE_BACK] = 1, [DSM] = 0}}, /* x[0] := 1 */
        {1, 1, {[CC] = 1, [CC_WRITE_BACK] = 1, [DSM] = 0}}, /* x[1] := 1 */
        {1, 1, {[CC] = 1, [CC_WRITE_BACK] = 1, [DSM] = 1}}, /* x[0] is 1; 0's copy is shared now */
        {1, 1, {[CC] = 1, [CC_WRITE_BACK] = 0, [DSM] = 0}}, /* x[1] := 0 */
        {1, 3, {[CC] = 0, [CC_WRITE_BACK] = 0, [DSM] = 3}}, /* waits: x[0] is 1 */
        {0, 1, {[CC] = 1, [CC_WRITE_BACK] = 1, [DSM] = 1}}, /* x[1] is 0: inside */
        {1, 2, {[CC] = 0, [CC_WRITE_BACK] = 0, [DSM] = 2}}, /* waits */
        {0, 1, {[CC] = 1, [CC_WRITE_BACK] = 1, [DSM] = 0}}, /* x[0] := 0 */
        {1, 1, {[CC] = 1, [CC_WRITE_BACK] = 1, [DSM] = 1}}, /* x[0] is 0 */
        {1, 1, {[CC] = 1, [CC_WRITE_BACK] = 1, [DSM] = 0}}, /* x[1] := 1; 0 has a copy of it */
        {1, 1, {[CC] = 0, [CC_WRITE_BACK] = 0, [DSM] = 1}}, /* x[0] is 0: inside */
        {1, 1, {[CC] = 1, [CC_WRITE_BACK] = 0, [DSM] = 0}}, /* x[1] := 0 */
    };
    for (unsigned model = 0; model < MEMORY_MODELS; model++) {
        struct by_hand hand;
        begin(&hand, "one_bit", 2, 1, (enum memory_model)model);
        for (unsigned s = 0; s < sizeof schedule / sizeof schedule[0]; s++)
            steps(&hand, schedule[s].process, schedule[s].steps, schedule[s].references[model]);
        assert_int_equal(hand.tally.passages, 2);
        end(&hand);
    }
}

/* Generalized semaphore: a word of several writers lies with process 0, and updates are writes. */
static void updates(void **context)
{
    (void)context;
    struct by_hand hand;
    begin(&hand, "semaphore", 2, 2, DSM);
    steps(&hand, 0, 2, 0);
    steps(&hand, 1, 2, 2);
    end(&hand);
    begin(&hand, "semaphore", 2, 2, CC);
    steps(&hand, 0, 2, 2);
    steps(&hand, 0, 2, 2);
    end(&hand);
    begin(&hand, "semaphore", 2, 2, CC_WRITE_BACK);
    steps(&hand, 0, 2, 1);
    steps(&hand, 1, 1, 1);
    steps(&hand, 0, 1, 1);
    end(&hand);
}

/* Algorithm 1 of Zehavi: what is written for p lies in p's memory. */
static void declared_homes(void **context)
{
    (void)context;
    struct by_hand hand;
    begin(&hand, "zehavi/ideal", 3, 1, DSM);
    steps(&hand, 1, 4, 4); /* lines 1 and 2: Compete[1][i] and Ignore[1][i] are i's */
    end(&hand);
}

/* --- samples and the exact bound ---------------------------------------------------------------------------------- */

static void judge_in(struct answer *answer, struct question *question, enum memory_model model)
{
    question->property_count = 0;
    question->options.max_states = 100000;
    question_add(question, property_find("local-spin", memory_model_name[model]));
    question_answer(question, answer);
}

/* No sample exceeds the bound, and there is none exactly where the adversary finds a configuration again. */
static void bounds(void **context)
{
    unsigned judged = 0;
    (void)context;
    for (unsigned e = 0; e < catalogue_count; e++) {
        const struct about *about = &catalogue[e].algorithm->about;
        if (catalogue[e].kind != SHIPPED || about->forgets_whose)
            continue;
        struct setting setting = setting_of(about->id, 2, 1);
        struct instance instance;
        instance_open(&instance, &setting);
        for (unsigned model = 0; model < MEMORY_MODELS; model++) {
            struct question question = {.setting = setting};
            struct answer answer;
            judge_in(&answer, &question, (enum memory_model)model);
            const struct finding *finding = &answer.findings[0];
            judged += finding->verdict != UNDECIDED;
            if (finding->verdict == UNDECIDED) {
                answer_close(&answer, &question);
                continue; /* too large for a test */
            }
            for (unsigned schedule = RANDOM; schedule < SCHEDULES; schedule++) {
                struct tally tally;
                count_run(&tally, &instance, (enum memory_model)model, (enum schedule)schedule, 1);
                if (finding->verdict == HOLDS && tally.references_max > finding->bound)
                    fail_msg("%s, %s: %llu references, and the bound is %llu", about->id, memory_model_name[model],
                             (unsigned long long)tally.references_max, (unsigned long long)finding->bound);
                if (schedule == ADVERSARIAL && (tally.waiting == REPEATS) != (finding->verdict == VIOLATED))
                    fail_msg("%s, %s: local-spin is %s, and the adversary says %u", about->id, memory_model_name[model],
                             verdict_name[finding->verdict], tally.waiting);
            }
            answer_close(&answer, &question);
        }
        instance_close(&instance);
    }
    assert_true(judged > 60);
}

/* The bound is the most of all runs: found here by going through all runs of two passages of one process among all steps
 * of the other, which is another program than the checker's. */
static unsigned most_references(struct world *world, unsigned i, unsigned depth)
{
    unsigned most = world->runners[i].references > world->tally->references_max
                        ? (unsigned)world->runners[i].references
                        : (unsigned)world->tally->references_max;
    for (unsigned p = 0; p < world->n && depth > 0; p++) {
        struct world next = *world;
        struct tally tally = *world->tally;
        struct look look;
        next.tally = &tally;
        next.runners = malloc(world->n * sizeof *next.runners);
        next.values = malloc(world->registers * sizeof *next.values);
        next.copies = malloc((size_t)world->n * world->registers);
        memcpy(next.runners, world->runners, world->n * sizeof *next.runners);
        memcpy(next.values, world->values, world->registers * sizeof *next.values);
        memcpy(next.copies, world->copies, (size_t)world->n * world->registers);
        look_at_step(&next, p, &look);
        take_looked_at(&next, p, &look);
        unsigned found = most_references(&next, i, depth - 1);
        most = found > most ? found : most;
        free(next.runners);
        free(next.values);
        free(next.copies);
    }
    return most;
}

static void bound_by_trying(void **context)
{
    (void)context;
    enum { DEPTH = 12 };
    for (unsigned model = 0; model < MEMORY_MODELS; model++) {
        struct question question = {.setting = setting_of("numbered_ticket", 2, 1)};
        struct answer answer;
        judge_in(&answer, &question, (enum memory_model)model);
        struct by_hand hand;
        begin(&hand, "numbered_ticket", 2, 1, (enum memory_model)model);
        unsigned most = 0;
        for (unsigned i = 0; i < 2; i++) {
            unsigned found = most_references(&hand.world, i, DEPTH);
            most = found > most ? found : most;
        }
        if (model == DSM)
            assert_int_equal(answer.findings[0].verdict, VIOLATED);
        else
            assert_int_equal(answer.findings[0].bound, most);
        end(&hand);
        answer_close(&answer, &question);
    }
}

static void same_seed(void **context)
{
    (void)context;
    struct setting setting = setting_of("bakery", 5, 1);
    struct instance instance;
    instance_open(&instance, &setting);
    for (unsigned schedule = 0; schedule < SCHEDULES; schedule++) {
        struct tally one, two, other;
        count_run(&one, &instance, CC, (enum schedule)schedule, 7);
        count_run(&two, &instance, CC, (enum schedule)schedule, 7);
        count_run(&other, &instance, CC, (enum schedule)schedule, 8);
        assert_true(one.steps_mean == two.steps_mean && one.references_mean == two.references_mean);
        assert_int_equal(one.references_max, two.references_max);
        assert_int_equal(schedule == ROUND_ROBIN, one.steps_mean == other.steps_mean);
    }
    instance_close(&instance);
}

/* --- growth ------------------------------------------------------------------------------------------------------- */

static void growth(void **context)
{
    (void)context;
    struct growth fitted;
    struct series series = {.count = 4};
    for (unsigned power = 0; power <= 3; power++) {
        for (unsigned p = 0; p < 4; p++) {
            series.points[p].n = 2u << p;
            series.points[p].most = 5;
            for (unsigned f = 0; f < power; f++)
                series.points[p].most *= 2u << p;
        }
        growth_fit(&fitted, &series);
        assert_true(fitted.known && fitted.from == 2 && fitted.to == 16);
        assert_float_equal(fitted.exponent, power, 1e-9);
        assert_float_equal(fitted.last_exponent, power, 1e-9);
        assert_int_equal(is_linear(&fitted), power == 1);
    }
    assert_string_equal(growth_words(0.05), "about constant");
    assert_string_equal(growth_words(0.9), "about linear");
    assert_string_equal(growth_words(1.5), "between linear and quadratic");
    assert_string_equal(growth_words(2.1), "about quadratic");
    for (unsigned p = 0; p < 4; p++)
        series.points[p].most = 26 * series.points[p].n - 25; /* steeper than n as a power */
    growth_fit(&fitted, &series);
    assert_true(is_linear(&fitted) && fitted.exponent > 1.2);
    assert_float_equal(fitted.slope, 26, 1e-6);
    assert_float_equal(fitted.offset, -25, 1e-6);
    series.points[1].most = UINT64_MAX;
    growth_fit(&fitted, &series);
    assert_false(fitted.known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(effects),   cmocka_unit_test(caches),
                                       cmocka_unit_test(alone),     cmocka_unit_test(two_of_them),
                                       cmocka_unit_test(updates),   cmocka_unit_test(declared_homes),
                                       cmocka_unit_test(bounds),    cmocka_unit_test(bound_by_trying),
                                       cmocka_unit_test(same_seed), cmocka_unit_test(growth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
