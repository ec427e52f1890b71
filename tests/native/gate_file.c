/* SPDX-License-Identifier: MIT
 *
 * Gates as files: names, modes, k, resizing, removing.
 */
#include "gate_open.h"

#include "gate/calls/calls.h"

#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>

static void k_belongs_to_the_gate(void **state)
{
    (void)state;
    assert_refused("k", &(admit_gate_options){.k = 0}, ADMIT_NO_GATE, "no gate \"k\"");
    admit_gate *gate = admit_gate_open("k", 3);
    assert_non_null(gate);
    assert_refused("k", &(admit_gate_options){.k = 4}, ADMIT_OTHER_K, "k = 3, not 4");
    admit_gate *again = admit_gate_open("k", 0);
    assert_int_equal(admit_gate_k(again), 3);
    assert_string_equal(admit_gate_name(again), "k");
    struct stat status;
    assert_int_equal(stat(path_of("k"), &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_true((size_t)status.st_blocks * 512 >= (size_t)status.st_size); /* no holes */
    uint64_t device, inode;
    admit_gate_identity(again, &device, &inode);
    assert_int_equal(inode, status.st_ino);
    admit_gate_close(gate);
    admit_gate_close(again);
    assert_int_equal(admit_gate_remove("k", 0), ADMIT_OK);
    assert_int_equal(admit_gate_remove("k", 0), ADMIT_NO_GATE);
}

/* Whoever made it said how many; what a resize makes of it is the present k. Both are agreed with. */
static void a_gate_has_a_declared_and_a_present_k(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_open("declared", 4);
    assert_non_null(gate);
    assert_int_equal(admit_gate_declared_k(gate), 4);
    assert_int_equal(admit_gate_resize(gate, 2), ADMIT_OK);
    assert_int_equal(admit_gate_k(gate), 2);
    assert_int_equal(admit_gate_declared_k(gate), 4);
    admit_view *view = admit_gate_inspect(gate);
    assert_int_equal(view->k, 2);
    assert_int_equal(view->declared_k, 4);
    admit_view_free(view);
    for (unsigned k = 2; k <= 4; k += 2) {
        admit_gate *agreed = admit_gate_open("declared", k);
        assert_non_null(agreed);
        admit_gate_close(agreed);
    }
    assert_refused("declared", &(admit_gate_options){.k = 3}, ADMIT_OTHER_K,
                   "k = 2 (declared with 4), not 3; `admit resize declared 3`");
    assert_int_equal(admit_gate_declare(gate, 3), ADMIT_OK);
    assert_int_equal(admit_gate_k(gate), 3);
    assert_int_equal(admit_gate_declared_k(gate), 3);
    assert_refused("declared", &(admit_gate_options){.k = 4}, ADMIT_OTHER_K, "k = 3, not 4");
    assert_int_equal(admit_gate_declare(gate, 0), ADMIT_BAD_OPTION);
    assert_int_equal(admit_gate_declare(gate, 1025), ADMIT_BAD_OPTION);
    assert_int_equal(admit_gate_declared_k(gate), 3);
    assert_all_slots_are_there(gate, 3);
    admit_gate_close(gate);
    assert_int_equal(admit_gate_remove("declared", 0), ADMIT_OK);
}

/* Whether a command made it or a program. */
static void a_gate_can_grow_unless_it_is_told_not_to(void **state)
{
    (void)state;
    static const struct {
        admit_gate_options made;
        unsigned most_k, capacity;
    } of[] = {{{.k = 1}, 256, 256},
              {{.k = 300}, 600, 600},
              {{.k = 1024}, 1024, 2048},
              {{.k = 3, .capacity = 8}, 8, 8},
              {{.k = 3, .capacity = 4096}, 1024, 4096},
              {{.k = 3, .most_k = 3}, 3, 256},
              {{.k = 3, .most_k = 500}, 500, 500}};
    for (unsigned g = 0; g < sizeof of / sizeof *of; g++) {
        admit_gate *gate = admit_gate_create_private(&of[g].made);
        assert_non_null(gate);
        assert_int_equal(admit_gate_most_k(gate), of[g].most_k);
        assert_int_equal(admit_gate_capacity(gate), of[g].capacity);
        admit_gate_close(gate);
    }
    admit_gate *gate = admit_gate_open("grows", 1);
    assert_int_equal(admit_gate_resize(gate, 20), ADMIT_OK);
    assert_all_slots_are_there(gate, 20);
    assert_int_equal(admit_gate_resize(gate, 2), ADMIT_OK);
    assert_all_slots_are_there(gate, 2);
    admit_gate_close(gate);
    assert_int_equal(admit_gate_remove("grows", 0), ADMIT_OK);
}

static void bad_names_and_numbers_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",    ".",        "..", "a b",
        "a\n", "\xc3\xa4", "x*", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "dir/"};
    for (unsigned b = 0; b < sizeof bad / sizeof bad[0]; b++)
        assert_refused(bad[b], &(admit_gate_options){.k = 1}, ADMIT_BAD_NAME, "name");
    assert_refused(NULL, &(admit_gate_options){.k = 1}, ADMIT_BAD_NAME, "name");
    assert_refused("x", &(admit_gate_options){.k = 1025}, ADMIT_BAD_OPTION, "1025");
    assert_refused("x", &(admit_gate_options){.k = 4, .most_k = 3}, ADMIT_BAD_OPTION, "most_k = 3");
    assert_refused("x", &(admit_gate_options){.k = 4, .capacity = 3}, ADMIT_BAD_OPTION, "capacity 3");
    assert_refused("x", &(admit_gate_options){.k = 4, .capacity = 5000}, ADMIT_BAD_OPTION, "5000");
    assert_refused("x", &(admit_gate_options){.k = 4, .mode = 0777}, ADMIT_BAD_OPTION, "0777");
    assert_refused("x", &(admit_gate_options){.k = 4, .mode = 0066}, ADMIT_BAD_OPTION, "0066");
    assert_refused("/nowhere/at/all", &(admit_gate_options){.k = 1}, ADMIT_SYSTEM, "/nowhere/at");
    assert_refused("/no-such-gate", &(admit_gate_options){.k = 0}, ADMIT_NO_GATE, "no gate"); /* / itself is there */
}

/* Many make one gate at the same time: all find it whole, and it is one. */
static void a_gate_is_made_whole_and_once(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 20; round++) {
        for (unsigned c = 0; c < 6; c++)
            if (fork() == 0) {
                admit_gate *gate = admit_gate_open("race", 2);
                admit_hold hold;
                if (gate == NULL)
                    fprintf(stderr, "%s\n", admit_last_error_text());
                _exit(gate != NULL && admit_gate_enter(gate, &hold) == ADMIT_OK ? 0 : 1);
            }
        for (unsigned c = 0; c < 6; c++) {
            int status;
            wait(&status);
            assert_int_equal(status, 0);
        }
        admit_gate *gate = admit_gate_open("race", 2);
        assert_all_slots_are_there(gate, 2);
        admit_gate_close(gate);
        assert_int_equal(admit_gate_remove("race", 0), ADMIT_OK);
    }
}

static int counts(void *data, const char *name, const char *path)
{
    (void)path;
    strcat(data, name);
    strcat(data, " ");
    return 0;
}

/* As systemd-tmpfiles does: it leaves a directory alone that somebody has locked, and files that are young. */
static void cleaners_of_old_files_see_that_a_gate_is_in_use(void **state)
{
    (void)state;
    static const struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    struct stat status;
    admit_gate *gate = admit_gate_open("in-use", 1);
    assert_non_null(gate);
    int directory = open(test_directory(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(directory, LOCK_EX | LOCK_NB), -1);
    admit_gate_close(gate);
    assert_int_equal(flock(directory, LOCK_EX | LOCK_NB), 0);
    assert_int_equal(flock(directory, LOCK_UN), 0);
    assert_int_equal(utimensat(AT_FDCWD, path_of("in-use"), long_ago, 0), 0);
    gate = admit_gate_open(path_of("in-use"), 0);
    assert_int_equal(stat(path_of("in-use"), &status), 0);
    assert_true(status.st_mtim.tv_sec > long_ago[1].tv_sec);
    assert_int_equal(flock(directory, LOCK_EX | LOCK_NB), 0); /* who gave a path sees to it itself */
    close(directory);
    admit_gate_close(gate);
    assert_int_equal(admit_gate_remove("in-use", 0), ADMIT_OK);
}

/* Whatever number a gate's descriptors get, and also those that were moved from where a program prints to. */
static void no_descriptor_outlives_exec(void **state)
{
    (void)state;
    enum { NUMBERS = 64 };
    for (int closed = 0; closed < 3; closed++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            bool was_open[NUMBERS];
            for (int fd = 0; fd <= closed; fd++)
                close(fd);
            for (int fd = 0; fd < NUMBERS; fd++)
                was_open[fd] = fcntl(fd, F_GETFD) >= 0;
            admit_hold hold;
            admit_gate *gate = admit_gate_open("kept", 1);
            if (gate == NULL || admit_gate_enter(gate, &hold) != ADMIT_OK)
                _exit(1);
            for (int fd = 0; fd < NUMBERS; fd++) {
                int flags = fcntl(fd, F_GETFD);
                if (!was_open[fd] && flags >= 0 && ((flags & FD_CLOEXEC) == 0 || fd < 3))
                    _exit(2);
            }
            _exit(admit_gate_leave(gate, &hold) == ADMIT_OK ? 0 : 3);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    assert_int_equal(admit_gate_remove("kept", 0), ADMIT_OK);
}

static int only_this(void *data, const char *name, const char *path)
{
    return counts(data, name, path) + 1;
}

static void gates_are_listed(void **state)
{
    (void)state;
    char names[200] = "";
    admit_gate_close(admit_gate_open("b", 1));
    admit_gate_close(admit_gate_open("a.1", 1));
    assert_int_equal(admit_gate_list(counts, names), ADMIT_OK);
    assert_string_equal(names, "a.1 b ");
    names[0] = '\0';
    assert_int_equal(admit_gate_list(only_this, names), ADMIT_OK); /* it need not see all */
    assert_string_equal(names, "a.1 ");
    admit_gate_remove("a.1", 0), admit_gate_remove("b", 0);
}

/* --- resize and remove -------------------------------------------------------------------------------------------- */

static void a_gate_can_be_resized(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 2, .most_k = 6, .capacity = 10});
    admit_hold hold[6];
    assert_all_slots_are_there(gate, 2);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned k = 1; k <= 6; k++) { /* up and down, with nobody there */
            assert_int_equal(admit_gate_resize(gate, k), ADMIT_OK);
            assert_all_slots_are_there(gate, k);
            assert_int_equal(admit_gate_resize(gate, 7 - k), ADMIT_OK);
            assert_all_slots_are_there(gate, 7 - k);
        }
    }
    assert_int_equal(admit_gate_resize(gate, 7), ADMIT_BAD_OPTION);
    assert_int_equal(admit_gate_resize(gate, 0), ADMIT_BAD_OPTION);
    assert_int_equal(admit_gate_resize(gate, 4), ADMIT_OK);
    for (unsigned s = 0; s < 4; s++)
        assert_int_equal(admit_gate_enter(gate, &hold[s]), ADMIT_OK);
    assert_int_equal(admit_gate_resize(gate, 2), ADMIT_OK); /* fewer as holders leave */
    assert_int_equal(admit_gate_k(gate), 2);
    for (unsigned s = 0; s < 2; s++) {
        assert_int_equal(admit_gate_leave(gate, &hold[s]), ADMIT_OK);
        assert_int_equal(admit_gate_try(gate, &hold[4]), ADMIT_NO_SLOT);
    }
    assert_int_equal(admit_gate_leave(gate, &hold[2]), ADMIT_OK);
    assert_int_equal(admit_gate_try(gate, &hold[4]), ADMIT_OK);
    assert_true(hold[4].slot < 2);
    assert_int_equal(admit_gate_try(gate, &hold[5]), ADMIT_NO_SLOT);
    assert_int_equal(admit_gate_resize(gate, 3), ADMIT_OK); /* more at once */
    assert_int_equal(admit_gate_try(gate, &hold[5]), ADMIT_OK);
    for (unsigned s = 3; s < 6; s++)
        assert_int_equal(admit_gate_leave(gate, &hold[s]), ADMIT_OK);
    assert_all_slots_are_there(gate, 3);
    admit_view *view = admit_gate_inspect(gate);
    assert_int_equal(view->k, 3);
    assert_int_equal(view->holders, 0);
    admit_view_free(view);
    admit_gate_close(gate);
}

/* One that comes back alone goes by how many slots there were; by then there may be more, or fewer. */
static void one_that_is_alone_meets_a_resize(void **state)
{
    (void)state;
    enum { MOST = 3, PASSES = 5 };
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = MOST, .capacity = 8});
    for (unsigned from = 1; from <= MOST; from++)
        for (unsigned to = 1; to <= MOST; to++) {
            admit_hold own, other[MOST];
            assert_int_equal(admit_gate_resize(gate, from), ADMIT_OK);
            for (unsigned pass = 0; pass < PASSES; pass++) {
                assert_int_equal(admit_gate_enter(gate, &own), ADMIT_OK);
                assert_true(own.slot < from);
                assert_int_equal(admit_gate_leave(gate, &own), ADMIT_OK);
            }
            assert_int_equal(admit_gate_enter(gate, &own), ADMIT_OK);
            assert_int_equal(admit_gate_resize(gate, to), ADMIT_OK);
            unsigned inside = 0, taken = 1U << own.slot;
            while (inside < MOST && admit_gate_try(gate, &other[inside]) == ADMIT_OK) {
                assert_int_equal(taken >> other[inside].slot & 1, 0);
                taken |= 1U << other[inside++].slot;
            }
            assert_int_equal(inside + 1, to);
            assert_int_equal(admit_gate_leave(gate, &own), ADMIT_OK);
            while (inside > 0)
                assert_int_equal(admit_gate_leave(gate, &other[--inside]), ADMIT_OK);
            assert_all_slots_are_there(gate, to);
        }
    admit_gate_close(gate);
}

/* Who resizes may be killed, as may be who removes: the next one finishes it, and does not wait for itself. */
static void a_resize_or_removal_may_be_cut_short(void **state)
{
    (void)state;
    admit_hold hold;
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = 3});
    atomic_store(&gate->header->resizing, 1);
    atomic_store(&gate->header->k, 3);
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    assert_all_slots_are_there(gate, 3);
    assert_int_equal(gate->header->resizing, 0);
    atomic_store(&gate->header->removed, 2);
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        _exit(admit_gate_resize(gate, 2));
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_all_slots_are_there(gate, 2);
    admit_gate_close(gate);
}

/* Whoever leaves while a gate is being resized may keep its slot back; not if the number of slots is nonsense. */
static void no_slot_goes_by_a_scribbled_number(void **state)
{
    (void)state;
    static const uint32_t scribbled[] = {0, 4, UINT32_MAX};
    admit_hold hold;
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = 3});
    for (unsigned s = 0; s < 3; s++) {
        assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
        atomic_store(&gate->header->k, scribbled[s]);
        atomic_store(&gate->header->resizing, 1);
        assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
        assert_int_equal(admit_gate_try(gate, &hold), ADMIT_OK);
        assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
        assert_int_equal(admit_gate_resize(gate, 1), ADMIT_OK);
        assert_all_slots_are_there(gate, 1);
    }
    admit_gate_close(gate);
}

/* A waiter sleeps; one slot more wakes it. */
static void more_slots_wake_who_waits(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = 2});
    admit_hold hold;
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    pid_t child = fork();
    if (child == 0)
        _exit(admit_gate_enter(gate, &hold) == ADMIT_OK ? 0 : 1);
    usleep(20000);
    assert_int_equal(admit_gate_resize(gate, 2), ADMIT_OK);
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    admit_gate_leave(gate, &hold);
    assert_all_slots_are_there(gate, 2);
    admit_gate_close(gate);
}

static void a_gate_in_use_is_not_removed(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_open("used", 1);
    admit_hold hold;
    char pid[20];
    assert_int_equal(admit_gate_describe(gate, "the test itself"), ADMIT_OK);
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    pid_t child = fork();
    if (child == 0)
        _exit(admit_gate_enter(gate, &hold) == ADMIT_REMOVED && strstr(admit_last_error_text(), "removed") ? 0 : 1);
    while (waiters_of(gate) == 0)
        sched_yield();
    assert_int_equal(admit_gate_remove("used", 0), ADMIT_BUSY);
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    assert_non_null(strstr(admit_last_error_text(), pid));
    assert_non_null(strstr(admit_last_error_text(), "the test itself"));
    snprintf(pid, sizeof pid, "%ld", (long)child);
    assert_non_null(strstr(admit_last_error_text(), pid));
    assert_int_equal(admit_gate_remove("used", 1), ADMIT_OK);
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0); /* at once */
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_REMOVED);
    assert_int_equal(admit_gate_resize(gate, 1), ADMIT_REMOVED);
    admit_gate_close(gate);
    gate = admit_gate_open("used", 2); /* a new one */
    assert_all_slots_are_there(gate, 2);
    admit_gate_close(gate);
    assert_int_equal(admit_gate_remove("used", 0), ADMIT_OK);
}

static void a_gate_can_be_looked_at_only(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_open("seen", 2), *looker;
    admit_hold hold;
    assert_int_equal(admit_gate_enter_with(gate, &hold, &(admit_wait){.record_since = 1}), ADMIT_OK);
    looker = admit_gate_open_with("seen", &(admit_gate_options){.look_only = 1});
    assert_non_null(looker);
    admit_view *view = admit_gate_inspect(looker);
    assert_int_equal(view->holders, 1);
    assert_int_equal(view->holder[0].pid, getpid());
    assert_int_equal(view->holder[0].slot, hold.slot);
    assert_int_equal(view->holder[0].ticket, hold.ticket);
    assert_true(view->holder[0].since > 1500000000000000000 && view->holder[0].condition == ADMIT_LIVES);
    admit_view_free(view);
    assert_int_equal(admit_gate_try(looker, &hold), ADMIT_NO_PERMISSION);
    assert_int_equal(admit_gate_resize(looker, 1), ADMIT_NO_PERMISSION);
    admit_gate_close(looker);
    admit_gate_close(gate); /* while inside: comes back */
    gate = admit_gate_open("seen", 2);
    assert_all_slots_are_there(gate, 2);
    admit_gate_close(gate);
    admit_gate_remove("seen", 0);
}

int main(void)
{
    test_directory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(k_belongs_to_the_gate),
        cmocka_unit_test(a_gate_has_a_declared_and_a_present_k),
        cmocka_unit_test(a_gate_can_grow_unless_it_is_told_not_to),
        cmocka_unit_test(bad_names_and_numbers_are_refused),
        cmocka_unit_test(a_gate_is_made_whole_and_once),
        cmocka_unit_test(cleaners_of_old_files_see_that_a_gate_is_in_use),
        cmocka_unit_test(no_descriptor_outlives_exec),
        cmocka_unit_test(gates_are_listed),
        cmocka_unit_test(a_gate_can_be_resized),
        cmocka_unit_test(one_that_is_alone_meets_a_resize),
        cmocka_unit_test(a_resize_or_removal_may_be_cut_short),
        cmocka_unit_test(no_slot_goes_by_a_scribbled_number),
        cmocka_unit_test(more_slots_wake_who_waits),
        cmocka_unit_test(a_gate_in_use_is_not_removed),
        cmocka_unit_test(a_gate_can_be_looked_at_only),
    };
    int failed = cmocka_run_group_tests_name("gate file", tests, NULL, NULL);
    remove_test_directory();
    return failed;
}
