/* SPDX-License-Identifier: MIT
 *
 * The set of states: what is put in is found again, under the same number, however much is put in after it.
 */
#include "unit.h"

#include "base/hash.h"

enum { MANY = 200000 };

/* State number s of a test, in words that differ in few bits, as packed states do. */
static void make_state(uint64_t *state, unsigned words, uint64_t s)
{
    for (unsigned w = 0; w < words; w++)
        state[w] = w == words - 1 ? s : 7;
}

static uint32_t add(struct store *store, const uint64_t *state, uint32_t parent)
{
    uint64_t entry[WORDS_MAX + 1];
    uint32_t number;
    memcpy(entry, state, store->words * sizeof *entry);
    entry[store->words] = parent;
    store_add(store, partition_of(hash_words(state, store->words)), entry, store->words + 1, 1, &number);
    return number;
}

static void keeps_what_it_is_given(unsigned words, bool fingerprints)
{
    struct store store;
    uint64_t state[WORDS_MAX];
    uint32_t *numbers = calloc(MANY, sizeof *numbers);
    store_open(&store, words, fingerprints);
    for (uint32_t s = 0; s < MANY; s++) {
        make_state(state, words, s);
        assert_int_equal(store_find(&store, state), NO_STATE);
        numbers[s] = add(&store, state, s / 2);
        assert_int_equal(store_count(&store), s + 1);
    }
    for (uint32_t s = 0; s < MANY; s++) {
        make_state(state, words, s);
        assert_int_equal(store_find(&store, state), numbers[s]);
        /* A second time it is known already, and keeps its first parent. */
        assert_int_equal(add(&store, state, 0), numbers[s]);
        assert_int_equal(store_parent(&store, numbers[s]), s / 2);
        if (fingerprints)
            assert_true(*store_record(&store, numbers[s]) == hash_words(state, words));
        else
            assert_memory_equal(store_record(&store, numbers[s]), state, words * sizeof *state);
    }
    assert_int_equal(store_count(&store), MANY);
    make_state(state, words, MANY);
    assert_int_equal(store_find(&store, state), NO_STATE);
    store_close(&store);
    free(numbers);
}

static void one_word(void **state)
{
    (void)state;
    keeps_what_it_is_given(1, false);
}

static void three_words(void **state)
{
    (void)state;
    keeps_what_it_is_given(3, false);
}

static void fingerprints(void **state)
{
    (void)state;
    keeps_what_it_is_given(2, true);
}

static int ascending(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

static void numbers_are_distinct(void **test_state)
{
    (void)test_state;
    struct store store;
    uint64_t state[1];
    uint32_t *numbers = calloc(MANY, sizeof *numbers);
    store_open(&store, 1, false);
    for (uint32_t s = 0; s < MANY; s++) {
        make_state(state, 1, s);
        numbers[s] = add(&store, state, NO_STATE);
    }
    qsort(numbers, MANY, sizeof *numbers, ascending);
    for (uint32_t s = 1; s < MANY; s++)
        assert_true(numbers[s - 1] < numbers[s]);
    store_close(&store);
    free(numbers);
}

/* A batch is the same as its states one after the other, those that are in it twice included. */
static void batches(void **test_state)
{
    (void)test_state;
    enum { BATCH = 1000, STRIDE = 2 };
    struct store store;
    uint64_t *entries = calloc(BATCH * STRIDE, sizeof *entries);
    uint32_t *numbers = calloc(BATCH, sizeof *numbers);
    size_t count = 0;
    store_open(&store, 1, false);
    for (uint64_t s = 0; count < BATCH; s++) {
        if (partition_of(hash_words(&s, 1)) != 5)
            continue;
        for (unsigned twice = 0; twice < 2; twice++, count++) {
            entries[count * STRIDE] = s;
            entries[count * STRIDE + 1] = s * 2 + twice;
        }
    }
    store_add(&store, 5, entries, STRIDE, count, numbers);
    assert_int_equal(store_count(&store), count / 2);
    for (size_t e = 0; e < count; e++) {
        assert_int_equal(numbers[e], numbers[e / 2 * 2]);
        assert_int_equal(store_find(&store, &entries[e * STRIDE]), numbers[e]);
        assert_int_equal(store_parent(&store, numbers[e]), (uint32_t)(entries[e * STRIDE] * 2));
    }
    store_close(&store);
    free(entries);
    free(numbers);
}

/* --- what hash_is_exact() claims: the steps of XXH3 for 8 bytes, undone one by one -------------------------------- */

static uint64_t rotated(uint64_t word, unsigned by)
{
    return word << by | word >> (64 - by);
}

/* The multiplication by XXH3's constant, undone: Newton's iteration for the inverse of an odd number. */
static uint64_t divided(uint64_t word)
{
    const uint64_t factor = UINT64_C(0x9FB21C651E98DF25);
    uint64_t inverse = factor;
    for (int round = 0; round < 6; round++)
        inverse *= 2 - factor * inverse;
    return word * inverse;
}

static uint64_t keyed_word_of(uint64_t hash)
{
    uint64_t word = hash ^ hash >> 28 ^ hash >> 56;
    word = divided(word);
    uint64_t before = word;
    for (int round = 0; round < 3; round++)
        before = word ^ ((before >> 35) + 8);
    word = divided(before);
    /* The map w ^ rot(w, 49) ^ rot(w, 24) is the identity when it is applied 64 times. */
    for (int round = 0; round < 63; round++)
        word ^= rotated(word, 49) ^ rotated(word, 24);
    return word;
}

static void a_word_can_be_told_from_its_hash(void **state)
{
    (void)state;
    assert_true(hash_is_exact(1));
    const uint64_t zero = 0, flipped = keyed_word_of(hash_words(&zero, 1));
    uint64_t word = 1;
    for (int sample = 0; sample < 100000; sample++) {
        word = word * UINT64_C(6364136223846793005) + 1442695040888963407u;
        assert_int_equal(rotated(keyed_word_of(hash_words(&word, 1)) ^ flipped, 32), word);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_word),     cmocka_unit_test(three_words),
        cmocka_unit_test(fingerprints), cmocka_unit_test(numbers_are_distinct),
        cmocka_unit_test(batches),      cmocka_unit_test(a_word_can_be_told_from_its_hash),
    };
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
