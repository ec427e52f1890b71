/* SPDX-License-Identifier: MIT
 *
 * Variables packed into one word (registers/fields.h): what is packed is unpacked again, each field lies where the list
 * says, and what does not fit is noticed. Sequences and tallies are compared with arrays.
 */
#include "unit.h"

/* --- an algorithm that has fields of every kind ------------------------------------------------------------------- */

#define ADMIT_STEPPED
#define ADMIT_ID "unit:fields"
#define ADMIT_SYMBOL stepped_unit_fields
#include "registers/fields.h"

static enum { NOTHING, START, STEP, WORD } wrong;

struct memory {
    struct {
        unsigned LEFT, RIGHT;
    } PAIR;
    bool FLAG;
    word LIST;
    unsigned n, k;
};
#define PAIR (m->PAIR)
#define FLAG (m->FLAG)
#define LIST (m->LIST)

/* RIGHT has no bits if k = 1. */
#define VARIABLES(FIELD)                                                                                               \
    FIELD(PAIR.LEFT, field_bits(m->n, 6))                                                                              \
    FIELD(PAIR.RIGHT, field_bits(k - 1, 6))                                                                            \
    FIELD(FLAG, 1)                                                                                                     \
    FIELD(LIST, wrong == WORD ? 60 : 2 * n)
PACKED(VARIABLES);

static bool has_list(const struct memory *m)
{
    return LIST != 0;
}

struct shared {
    array memory;
};

struct locals {
    position at;
};

DECLARE
{
    struct memory m[1] = {unpacked(0, n, k)};
    PAIR.RIGHT = wrong == START ? k : 0;
    S->memory = shared_word("PAIR, FLAG, LIST", word_bits(n, k), packed(m));
}

ENTER
BEGIN
    struct memory m[1];
    AT("act")
    act_on(S->memory[0], m, PAIR.LEFT = n; PAIR.RIGHT += wrong == STEP ? k : 0; FLAG = !FLAG);
    if (FLAG) {
        AT("look")
        await(has_list(look_at(S->memory[0], m)));
    }
END

LEAVE
BEGIN
    struct memory m[1];
    AT("leave")
    act_on(S->memory[0], m, FLAG = false);
END

ALGORITHM(.title = "Fields", .paper = "-", .figure = "", .bits = "", .fairness = "none", .word_bits = word_bits);

enum { N_MAX = 5, K_MAX = 4, FIELDS = 4 };

/* How wide they are, said once more. */
static void widths_of(unsigned n, unsigned k, unsigned widths[FIELDS])
{
    static const unsigned bits[] = {0, 1, 2, 2, 3, 3};
    widths[0] = bits[n], widths[1] = bits[k - 1], widths[2] = 1, widths[3] = 2 * n;
}

static void values_of(const struct memory *m, word values[FIELDS])
{
    values[0] = PAIR.LEFT, values[1] = PAIR.RIGHT, values[2] = FLAG, values[3] = LIST;
}

/* --- packing ------------------------------------------------------------------------------------------------------ */

static void every_word_is_packed_as_it_was(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= N_MAX; n++)
        for (unsigned k = 1; k <= K_MAX; k++) {
            unsigned widths[FIELDS];
            widths_of(n, k, widths);
            assert_int_equal(word_bits(n, k), widths[0] + widths[1] + widths[2] + widths[3]);
            for (word w = 0; w < (word)1 << word_bits(n, k); w++) {
                struct memory m[1] = {unpacked(w, n, k)};
                word values[FIELDS], rest = w;
                values_of(m, values);
                for (unsigned f = 0; f < FIELDS; f++) {
                    assert_int_equal(values[f], rest % (UINT64_C(1) << widths[f]));
                    rest >>= widths[f];
                }
                assert_int_equal(packed(m), w);
            }
        }
}

static void a_value_that_is_too_wide_makes_no_word(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= N_MAX; n++)
        for (unsigned k = 1; k <= K_MAX; k++) {
            unsigned widths[FIELDS];
            widths_of(n, k, widths);
            for (word over = 1; over <= 64; over *= 2) {
                struct memory m[1] = {unpacked(0, n, k)};
                PAIR.LEFT = (unsigned)over << widths[0];
                assert_true(packed(m) == NO_WORD);
                m[0] = unpacked(0, n, k);
                PAIR.RIGHT = (unsigned)over << widths[1];
                assert_true(packed(m) == NO_WORD);
                m[0] = unpacked(0, n, k);
                LIST = over << widths[3];
                assert_true(packed(m) == NO_WORD);
            }
        }
}

/* --- what the checker says ---------------------------------------------------------------------------------------- */

static void act_on_and_look_at(void **state)
{
    (void)state;
    struct instance instance;
    struct process from, to;
    struct access access;
    struct setting setting = {.algorithm = &stepped_unit_fields, .n = 2, .k = 2};
    memset(setting.passages, UNBOUNDED_PASSAGES, sizeof setting.passages);
    wrong = NOTHING;
    instance_open(&instance, &setting);
    process_start(&instance, 0, &from);
    struct memory m[1] = {unpacked(0, 2, 2)};
    PAIR.RIGHT = 1;
    process_step(&instance, 0, &from, 0, packed(m), &to, &access);
    assert_int_equal(access.kind, UPDATE);
    PAIR.LEFT = 2, FLAG = true;
    assert_int_equal(access.result, packed(m));
    assert_string_equal(to.label, "look");
    /* A failed look changes nothing, another one ends the wait. */
    from = to;
    process_step(&instance, 0, &from, 0, packed(m), &to, &access);
    assert_int_equal(access.kind, READ);
    assert_memory_equal(&from, &to, instance.process_size);
    LIST = 7;
    process_step(&instance, 0, &from, 0, packed(m), &to, &access);
    assert_int_equal(to.section, CRITICAL);
    instance_close(&instance);
}

/* Process 0 takes its first step. */
static void start_and_step(unsigned which)
{
    struct instance instance;
    struct process from, to;
    struct access access;
    struct setting setting = {.algorithm = &stepped_unit_fields, .n = 3, .k = 2};
    wrong = (__typeof__(wrong))which;
    memset(setting.passages, UNBOUNDED_PASSAGES, sizeof setting.passages);
    instance_open(&instance, &setting);
    process_start(&instance, 0, &from);
    process_step(&instance, 0, &from, 0, 0, &to, &access);
}

static void refuses(void **state)
{
    static const char *const says[] = {
        [START] = "the initial value of PAIR, FLAG, LIST is not among its 1024 values",
        [STEP] = "writes 18446744073709551614 to PAIR, FLAG, LIST[0], which has 1024 values, at \"act\"",
        [WORD] = "with n = 3 and k = 2 packs 64 bits into one word",
    };
    char message[256];
    (void)state;
    assert_int_equal(end_of(start_and_step, NOTHING, message, sizeof message), 0);
    for (unsigned which = START; which <= WORD; which++) {
        assert_int_equal(end_of(start_and_step, which, message, sizeof message), 2);
        assert_non_null(strstr(message, "unit:fields"));
        if (strstr(message, says[which]) == NULL)
            fail_msg("it said: %s", message);
    }
}

/* --- sequences and tallies ---------------------------------------------------------------------------------------- */

enum { ITEMS = 5 };

static word sequence_of(const unsigned *items, unsigned count, unsigned bits)
{
    word s = 0;
    for (unsigned e = 0; e < count; e++)
        s = with_item(s, bits, e, items[e]);
    return s;
}

static void sequences(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (unsigned run = 0; run < 20000; run++) {
        unsigned bits = 1 + run % 10, items[ITEMS + 1] = {0}, others[ITEMS + 1];
        for (unsigned e = 0; e < ITEMS; e++)
            items[e] = (unsigned)(next_random(&random) % (UINT64_C(1) << bits));
        word s = sequence_of(items, ITEMS, bits);
        unsigned at = (unsigned)(next_random(&random) % ITEMS), v = (unsigned)(next_random(&random) % (1u << bits));
        for (unsigned e = 0; e < ITEMS; e++) {
            assert_int_equal(item(s, bits, e), items[e]);
            assert_true(place_of(s, bits, items[e], ITEMS) <= e);
        }
        unsigned place = place_of(s, bits, v, ITEMS);
        assert_true(place == ITEMS || items[place] == v);

        memcpy(others, items, sizeof items);
        memmove(others + at + 1, others + at, (ITEMS - at) * sizeof others[0]);
        others[at] = v;
        assert_int_equal(inserted(s, bits, at, v), sequence_of(others, ITEMS + 1, bits));
        assert_int_equal(removed(inserted(s, bits, at, v), bits, at), s);

        memcpy(others, items, sizeof items);
        memmove(others + at, others + at + 1, (ITEMS - at) * sizeof others[0]);
        assert_int_equal(removed(s, bits, at), sequence_of(others, ITEMS, bits));
    }
}

static word tallies_of(const unsigned *numbers, unsigned sum)
{
    word s = 0;
    unsigned at = 0;
    for (unsigned c = 0; c <= sum; c++, at++)
        for (unsigned ones = numbers[c]; ones > 0; ones--)
            s |= UINT64_C(1) << at++;
    return s;
}

/* sum + 1 numbers that have this sum: every one that can be moved, is, again and again. */
static void tallies(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (unsigned sum = 1; sum <= 21; sum++) {
        unsigned numbers[22] = {sum}, bits = 2 * sum;
        word s = tallies_of(numbers, sum);
        assert_int_equal(s, (UINT64_C(1) << sum) - 1);
        for (unsigned run = 0; run < 2000; run++) {
            unsigned from = (unsigned)(next_random(&random) % (sum + 1));
            unsigned to = (unsigned)(next_random(&random) % (sum + 1));
            if (numbers[from] == 0)
                continue;
            numbers[from]--, numbers[to]++;
            s = tally_moved(s, bits, from, to);
            assert_int_equal(s, tallies_of(numbers, sum));
            for (unsigned c = 0; c <= sum; c++)
                assert_int_equal(tally(s, bits, c), numbers[c]);
        }
    }
}

/* --- for people --------------------------------------------------------------------------------------------------- */

static void text_that_is_full_is_cut_off(void **state)
{
    (void)state;
    char text[9] = "a=";
    append(text, sizeof text, "%u", 12);
    assert_string_equal(text, "a=12");
    append(text, 6, "%s", " b=3");
    assert_string_equal(text, "a=12 ");
    append(text, 6, "%s", "more");
    assert_string_equal(text, "a=12 ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_is_packed_as_it_was),
        cmocka_unit_test(a_value_that_is_too_wide_makes_no_word),
        cmocka_unit_test(act_on_and_look_at),
        cmocka_unit_test(refuses),
        cmocka_unit_test(sequences),
        cmocka_unit_test(tallies),
        cmocka_unit_test(text_that_is_full_is_cut_off),
    };
    return cmocka_run_group_tests_name("fields", tests, NULL, NULL);
}
