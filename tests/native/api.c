/* SPDX-License-Identifier: MIT
 *
 * admit.h keeps its word: sizes, errors, misuse, and memory that nobody should trust.
 */
#include "test.h"

#include "admit.h"
#include "crowd.h"
#include "native/layout.h"

static void *map_shared(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    return memory;
}

static void assert_fails(admit_lock *lock, admit_error error)
{
    assert_null(lock);
    assert_string_equal(admit_error_message(admit_last_error()), admit_error_message(error));
}

static void versions_agree(void **state)
{
    (void)state;
    char version[40];
    snprintf(version, sizeof version, "%d.%d.%d", ADMIT_VERSION_MAJOR, ADMIT_VERSION_MINOR, ADMIT_VERSION_PATCH);
    assert_string_equal(admit_version(), version);
}

static void every_error_has_its_own_message(void **state)
{
    (void)state;
    for (int one = ADMIT_OK; one <= ADMIT_LOST; one++)
        for (int other = one + 1; other <= ADMIT_LOST + 1; other++)
            assert_string_not_equal(admit_error_message((admit_error)one), admit_error_message((admit_error)other));
    assert_string_equal(admit_error_message((admit_error)-1), admit_error_message((admit_error)1000));
}

static void catalogue_can_be_enumerated(void **state)
{
    (void)state;
    unsigned count = 0;
    for (const char *id; (id = admit_algorithm_id(count)) != NULL; count++) {
        assert_non_null(admit_algorithm_title(id));
        assert_non_null(admit_algorithm_fairness(id));
        assert_int_equal(admit_algorithm_supports(id, 2, 1), ADMIT_OK);
    }
    assert_true(count >= 3);
    assert_null(admit_algorithm_id(count + 1));
    assert_null(admit_algorithm_title("no_such"));
    assert_null(admit_algorithm_fairness(NULL));
}

static void bad_parameters_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *id;
        unsigned n, k;
        admit_error error;
    } bad[] = {
        {"no_such", 2, 1, ADMIT_UNKNOWN_ALGORITHM},
        {"", 2, 1, ADMIT_UNKNOWN_ALGORITHM},
        {NULL, 2, 1, ADMIT_UNKNOWN_ALGORITHM},
        {"one_bit", 0, 1, ADMIT_BAD_N},
        {"one_bit", 65, 1, ADMIT_BAD_N},
        {"one_bit", (unsigned)-1, 1, ADMIT_BAD_N},
        {"one_bit", 4, 0, ADMIT_BAD_K},
        {"one_bit", 4, 5, ADMIT_BAD_K},
        {"one_bit", 4, 2, ADMIT_BAD_K},
        {"bakery", 4, 2, ADMIT_BAD_K},
        {"burns_lynch", 4, 4, ADMIT_BAD_K},
        {"n_factorial_bit", 10, 1, ADMIT_N_TOO_LARGE},
        {"n_factorial_bit/one_bit", 64, 1, ADMIT_N_TOO_LARGE},
        {"afek/linear", 23, 3, ADMIT_N_TOO_LARGE},
        {"zehavi/linear", 23, 3, ADMIT_N_TOO_LARGE},
        {"afek/snapshot", 5, 3, ADMIT_N_TOO_LARGE},
        {"afek/ideal", 3, 2, ADMIT_CHECKED_ONLY},
        {"zehavi/ideal", 3, 2, ADMIT_CHECKED_ONLY},
        {"etcd_gate", 3, 2, ADMIT_CHECKED_ONLY},
    };
    void *memory = map_shared(65536);
    for (unsigned b = 0; b < sizeof bad / sizeof bad[0]; b++) {
        assert_int_equal(admit_algorithm_supports(bad[b].id, bad[b].n, bad[b].k), bad[b].error);
        assert_fails(admit_lock_create(bad[b].id, bad[b].n, bad[b].k), bad[b].error);
        assert_int_equal(admit_lock_size(bad[b].id, bad[b].n, bad[b].k), 0);
        assert_int_equal(admit_last_error(), bad[b].error);
        assert_fails(admit_lock_create_in(memory, 65536, bad[b].id, bad[b].n, bad[b].k), bad[b].error);
    }
    munmap(memory, 65536);
}

static void a_limit_is_named(void **state)
{
    (void)state;
    assert_int_equal(admit_algorithm_max_n("one_bit"), ADMIT_PARTICIPANTS_MAX);
    assert_int_equal(admit_algorithm_max_n("no_such"), 0);
    unsigned max_n = admit_algorithm_max_n("n_factorial_bit/one_bit");
    assert_true(admit_lock_size("n_factorial_bit/one_bit", max_n, 1) <= 64 << 20);
    assert_fails(admit_lock_create("n_factorial_bit/one_bit", max_n + 1, 1), ADMIT_N_TOO_LARGE);
    const char *message = admit_error_message(admit_last_error());
    assert_non_null(strstr(message, "n_factorial_bit/one_bit"));
    assert_non_null(strstr(message, "up to 9"));
    assert_non_null(strstr(message, "n = 10"));
}

/* What is packed into one word has a limit for n and k together. */
static void what_does_not_fit_into_a_word_is_refused(void **state)
{
    (void)state;
    for (unsigned k = 1; k <= 21; k++)
        assert_int_equal(admit_algorithm_supports("colored_ticket", 64, k), ADMIT_OK);
    assert_int_equal(admit_algorithm_supports("colored_ticket_stack", 64, 7), ADMIT_OK);
    assert_int_equal(admit_algorithm_supports("queue", 15, 15), ADMIT_OK);
    assert_int_equal(admit_algorithm_supports("numbered_ticket", 64, 64), ADMIT_OK);
    assert_int_equal(admit_algorithm_supports("unbounded_colored_ticket", 64, 64), ADMIT_OK);
    assert_fails(admit_lock_create("queue", 16, 1), ADMIT_DOES_NOT_FIT);
    assert_fails(admit_lock_create("colored_ticket_stack", 64, 8), ADMIT_DOES_NOT_FIT);
    assert_fails(admit_lock_create("colored_ticket", 40, 22), ADMIT_DOES_NOT_FIT);
    assert_string_equal(admit_error_message(admit_last_error()),
                        "colored_ticket with n = 40 and k = 22 packs 66 bits into one word, which has 64");
}

/* The parts of the embeddings let several in, and the catalogue says so. */
static void parts_do_not_exclude(void **state)
{
    (void)state;
    assert_false(admit_algorithm_excludes("no_such"));
    assert_true(admit_algorithm_excludes("n_bit/one_bit"));
    assert_false(admit_algorithm_excludes("n_bit"));
    admit_lock *lock = admit_lock_create("n_bit", 2, 1);
    assert_int_equal(admit_lock_enter(lock, 0), ADMIT_OK);
    assert_int_equal(admit_lock_leave(lock, 0), ADMIT_OK);
    admit_lock_destroy(lock);
}

static void a_lock_knows_what_it_was_made_with(void **state)
{
    (void)state;
    admit_lock *lock = admit_lock_create("bakery", 64, 1);
    assert_non_null(lock);
    assert_string_equal(admit_lock_algorithm(lock), "bakery");
    assert_int_equal(admit_lock_n(lock), 64);
    assert_int_equal(admit_lock_k(lock), 1);
    admit_lock_destroy(lock);
    admit_lock_destroy(NULL);
}

static void misuse_of_a_lock_is_refused(void **state)
{
    (void)state;
    const char *id;
    for (unsigned a = 0; (id = admit_algorithm_id(a)) != NULL; a++) {
        admit_lock *lock = admit_lock_create(id, 3, 1);
        assert_int_equal(admit_lock_enter(lock, 3), ADMIT_BAD_PARTICIPANT);
        assert_int_equal(admit_lock_leave(lock, (unsigned)-1), ADMIT_BAD_PARTICIPANT);
        assert_int_equal(admit_lock_leave(lock, 2), ADMIT_NOT_INSIDE);
        assert_int_equal(admit_lock_enter(lock, 2), ADMIT_OK);
        assert_int_equal(admit_lock_enter(lock, 2), ADMIT_ALREADY_INSIDE);
        assert_int_equal(admit_lock_leave(lock, 1), ADMIT_NOT_INSIDE);
        assert_int_equal(admit_lock_leave(lock, 2), ADMIT_OK);
        assert_int_equal(admit_lock_leave(lock, 2), ADMIT_NOT_INSIDE);
        assert_int_equal(admit_lock_enter(lock, 0), ADMIT_OK);
        assert_int_equal(admit_lock_leave(lock, 0), ADMIT_OK);
        admit_lock_destroy(lock);
    }
}

static void memory_must_be_large_enough_and_aligned(void **state)
{
    (void)state;
    size_t size = admit_lock_size("bakery", 5, 1);
    assert_true(size > 0);
    assert_true(admit_lock_size("bakery", 6, 1) > size);
    char *memory = map_shared(size + ADMIT_ALIGNMENT);
    assert_fails(admit_lock_create_in(memory, size - 1, "bakery", 5, 1), ADMIT_MEMORY_TOO_SMALL);
    assert_fails(admit_lock_create_in(memory, 0, "bakery", 5, 1), ADMIT_MEMORY_TOO_SMALL);
    assert_fails(admit_lock_create_in(memory + 8, size, "bakery", 5, 1), ADMIT_MEMORY_MISALIGNED);
    assert_fails(admit_lock_create_in(NULL, size, "bakery", 5, 1), ADMIT_MEMORY_MISALIGNED);
    for (size_t byte = 0; byte < size; byte++)
        assert_int_equal(memory[byte], 0); /* a call that fails has changed nothing */
    assert_fails(admit_lock_attach(memory, size), ADMIT_NOT_A_LOCK);

    admit_lock *lock = admit_lock_create_in(memory, size, "bakery", 5, 1);
    assert_non_null(lock);
    assert_fails(admit_lock_attach(memory, size - 1), ADMIT_MEMORY_TOO_SMALL);
    assert_fails(admit_lock_attach(memory, 100), ADMIT_MEMORY_TOO_SMALL);
    assert_fails(admit_lock_attach(memory, 0), ADMIT_MEMORY_TOO_SMALL);
    assert_fails(admit_lock_attach(memory + 8, size), ADMIT_MEMORY_MISALIGNED);
    assert_fails(admit_lock_attach(NULL, size), ADMIT_MEMORY_MISALIGNED);
    admit_lock_destroy(lock);
    munmap(memory, size + ADMIT_ALIGNMENT);
}

/* What a process that attaches to this memory is told; ADMIT_OK if it got a lock, which then works for participant
 * 0. */
static admit_error told_by_attach(void *memory, size_t size)
{
    admit_lock *lock = admit_lock_attach(memory, size);
    if (lock == NULL)
        return admit_last_error();
    admit_lock_destroy(lock);
    return ADMIT_OK;
}

static void a_scribbled_header_is_refused(void **state)
{
    (void)state;
    size_t size = admit_lock_size("one_bit", 4, 1);
    struct layout *layout = map_shared(size);
    unsigned char *byte = (unsigned char *)layout;
    admit_lock_destroy(admit_lock_create_in(layout, size, "one_bit", 4, 1));
    assert_int_equal(told_by_attach(layout, size), ADMIT_OK);

    layout->version++;
    assert_int_equal(told_by_attach(layout, size), ADMIT_OTHER_LAYOUT);
    layout->version--;
    for (size_t at = 0; at < sizeof *layout; at++) { /* every bit of the header */
        for (unsigned bit = 0; bit < 8; bit++) {
            byte[at] ^= (unsigned char)(1u << bit);
            assert_int_not_equal(told_by_attach(layout, size), ADMIT_OK);
            byte[at] ^= (unsigned char)(1u << bit);
        }
    }
    assert_int_equal(told_by_attach(layout, size), ADMIT_OK);
    memset(layout->id, 'x', sizeof layout->id); /* no end of string */
    assert_int_equal(told_by_attach(layout, size), ADMIT_CORRUPT);
    munmap(layout, size);
}

static void registers_outside_their_domain_are_refused(void **state)
{
    (void)state;
    size_t size = admit_lock_size("one_bit", 4, 1);
    struct layout *layout = map_shared(size);
    admit_lock_destroy(admit_lock_create_in(layout, size, "one_bit", 4, 1));
    layout->cells[3].value = 2;
    assert_int_equal(told_by_attach(layout, size), ADMIT_CORRUPT);
    layout->cells[3].value = 1;
    assert_int_equal(told_by_attach(layout, size), ADMIT_OK);
    munmap(layout, size);
}

static void garbage_never_crashes_attach(void **state)
{
    (void)state;
    size_t size = admit_lock_size("bakery", 8, 1);
    unsigned char *memory = map_shared(size);
    uint64_t random = 88172645463325252;
    for (unsigned round = 0; round < 20000; round++) {
        if (round % 100 == 0)
            admit_lock_destroy(admit_lock_create_in(memory, size, "bakery", 8, 1));
        random ^= random << 13, random ^= random >> 7, random ^= random << 17; /* xorshift64 */
        memory[random % size] = (unsigned char)(random >> 40);
        told_by_attach(memory, size - random % 3 * 100);
    }
    munmap(memory, size);
}

/* One file, mapped at two places: the lock has no addresses in it. */
static void a_lock_can_be_mapped_at_any_address(void **state)
{
    (void)state;
    const char *id;
    for (unsigned a = 0; (id = admit_algorithm_id(a)) != NULL; a++) {
        size_t size = admit_lock_size(id, 2, 1);
        FILE *file = tmpfile();
        assert_int_equal(ftruncate(fileno(file), (off_t)size), 0);
        void *here = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
        void *there = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
        assert_ptr_not_equal(here, there);
        struct witness *witness = make_witness_for(id, 2, 1);
        struct crowd crowd = {.passages = 5000, .linger_every = 16, .witness = witness};
        crowd.lock = admit_lock_create_in(here, size, id, 2, 1);
        pid_t child = fork();
        if (child == 0) {
            munmap(here, size);
            struct crowd other = crowd;
            other.lock = admit_lock_attach(there, size);
            if (other.lock == NULL)
                _exit(1);
            be_a_member(&(struct crowd_member){&other, 1});
            _exit(0);
        }
        be_a_member(&(struct crowd_member){&crowd, 0});
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        assert_true(all_was_well(witness, 2 * 5000));
        admit_lock_destroy(crowd.lock);
        dismiss_witness(witness);
        munmap(here, size);
        munmap(there, size);
        fclose(file);
    }
}

enum { CANNOT = 77 };

static int status_without_memory(admit_lock *(*make)(void *memory, size_t size), void *memory, size_t size)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(!use_up_memory_but(0)                                                 ? CANNOT
              : make(memory, size) == NULL && admit_last_error() == ADMIT_NO_MEMORY ? 0
                                                                                    : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT)
        skip();
    return status;
}

static admit_lock *create(void *memory, size_t size)
{
    (void)memory, (void)size;
    return admit_lock_create("bakery", 4, 1);
}

static admit_lock *create_in(void *memory, size_t size)
{
    return admit_lock_create_in(memory, size, "bakery", 4, 1);
}

/* Also where it is for the handle alone, and the lock itself is in memory of the caller's. */
static void a_lack_of_memory_is_an_error(void **state)
{
    (void)state;
    if (SANITIZED)
        skip();
    size_t size = admit_lock_size("bakery", 4, 1);
    void *memory = map_shared(size);
    assert_int_equal(status_without_memory(create, memory, size), 0);
    assert_int_equal(status_without_memory(create_in, memory, size), 0);
    admit_lock_destroy(create_in(memory, size));
    assert_int_equal(status_without_memory(admit_lock_attach, memory, size), 0);
    munmap(memory, size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_agree),
        cmocka_unit_test(every_error_has_its_own_message),
        cmocka_unit_test(catalogue_can_be_enumerated),
        cmocka_unit_test(bad_parameters_are_refused),
        cmocka_unit_test(a_limit_is_named),
        cmocka_unit_test(what_does_not_fit_into_a_word_is_refused),
        cmocka_unit_test(parts_do_not_exclude),
        cmocka_unit_test(a_lock_knows_what_it_was_made_with),
        cmocka_unit_test(misuse_of_a_lock_is_refused),
        cmocka_unit_test(memory_must_be_large_enough_and_aligned),
        cmocka_unit_test(a_scribbled_header_is_refused),
        cmocka_unit_test(registers_outside_their_domain_are_refused),
        cmocka_unit_test(garbage_never_crashes_attach),
        cmocka_unit_test(a_lock_can_be_mapped_at_any_address),
        cmocka_unit_test(a_lack_of_memory_is_an_error),
    };
    return cmocka_run_group_tests_name("native api", tests, NULL, NULL);
}
