/* SPDX-License-Identifier: MIT
 *
 * A resize that is killed, between any two of its system calls and at many of its instructions; and one by a process
 * that can no longer open the gate's file; and holders that are killed while a resize waits for them, or before it.
 * Promised: whatever k the gate says it has is enforced, as many can be inside at once and not one more, without
 * anybody's having to leave first; who waits goes in if there is room; and whoever gets a dead one's slot is told.
 */
#include "faults.h"

#include <pthread.h>

enum { STEPS_MAX = 100000 };

struct call {
    admit_gate *gate;
    unsigned k;
};

static void resize(void *data)
{
    struct call *call = data;
    _exit(admit_gate_resize(call->gate, call->k) == ADMIT_OK ? 0 : 1);
}

struct setting {
    const char *title;
    unsigned before, after, inside, waiting;
};

static const struct setting settings[] = {
    {"to fewer, with nobody inside", 2, 1, 0, 0},  {"to fewer, with one inside", 2, 1, 1, 0},
    {"to far fewer, with one inside", 4, 1, 1, 0}, {"to more, with nobody inside", 1, 2, 0, 0},
    {"to more, with one asleep", 1, 2, 1, 1},      {"to many more, with two asleep", 1, 4, 1, 2},
};

/* Kills the resizer after so many steps, and looks. False: it had ended by then. */
static bool kill_after(const struct setting *setting, int request, unsigned steps)
{
    const char *unit = request == PTRACE_SYSCALL ? "half system calls" : "instructions";
    pid_t holder[4], waiter[4];
    int ended = -1;
    admit_gate *gate =
        admit_gate_create_private(&(admit_gate_options){.k = setting->before, .most_k = 4, .capacity = 16});
    assert_non_null(gate);
    for (unsigned h = 0; h < setting->inside; h++)
        holder[h] = start_holder(gate);
    for (unsigned w = 0; w < setting->waiting; w++)
        waiter[w] = start_waiter(gate, w + 1);
    pid_t resizer = start_stepped(resize, &(struct call){gate, setting->after});
    bool killed = make_steps(resizer, request, steps, &ended);
    if (killed)
        end(resizer);
    else
        assert_int_equal(ended, 0);
    unsigned k = admit_gate_k(gate);
    assert_true(k == setting->before || (k == setting->after));
    if (!killed)
        assert_int_equal(k, setting->after);
    for (unsigned w = 0; w < setting->waiting; w++)
        if (k > setting->inside) { /* there is room, though nobody leaves */
            int how = outcome(waiter[w], SOON_S);
            if (how != 0)
                fail_msg("%s: killed after %u %s, with k = %u: one in line ended with %d", setting->title, steps, unit,
                         k, how);
        }
    bool waits = setting->waiting > 0 && k <= setting->inside;
    unsigned free = k - setting->inside, found = waits ? free : slots_within(gate, free, SOON_S);
    if (found != free)
        fail_msg("%s: killed after %u %s, with k = %u and %u inside: %u can go in", setting->title, steps, unit, k,
                 setting->inside, found);
    for (unsigned h = 0; h < setting->inside; h++)
        end(holder[h]);
    for (unsigned w = 0; w < setting->waiting && waits; w++)
        assert_int_equal(outcome(waiter[w], SOON_S), 0);
    found = slots_within(gate, k, SOON_S);
    if (found != k)
        fail_msg("%s: killed after %u %s, with k = %u: %u slots in the end", setting->title, steps, unit, k, found);
    admit_gate_close(gate);
    return killed;
}

static void killed_between_system_calls(void **state)
{
    const struct setting *setting = *state;
    skip_without_ptrace();
    unsigned steps = 0, stride = sized(1, 2, 6);
    while (kill_after(setting, PTRACE_SYSCALL, steps) && steps < STEPS_MAX)
        steps += stride;
    print_message("# %s: killed at %u places\n", setting->title, steps / stride);
    assert_true(steps > 0 && steps < STEPS_MAX);
}

static void killed_at_instructions(void **state)
{
    const struct setting *setting = *state;
    skip_without_ptrace();
    admit_gate *gate =
        admit_gate_create_private(&(admit_gate_options){.k = setting->before, .most_k = 4, .capacity = 16});
    unsigned all = steps_of(start_stepped(resize, &(struct call){gate, setting->after}), PTRACE_SINGLESTEP, STEPS_MAX);
    admit_gate_close(gate);
    unsigned points = setting->waiting > 0 ? sized(60, 8, 3) : sized(200, 15, 4); /* they may take a look's time */
    for (unsigned p = 0; p < points; p++)
        kill_after(setting, PTRACE_SINGLESTEP, (unsigned)((uint64_t)all * p / points) + p % 7);
    print_message("# %s: killed at %u of some %u instructions\n", setting->title, points, all);
}

/* --- holders that are killed -------------------------------------------------------------------------------------- */

static _Atomic uint32_t *told; /* to leave */

static void leaves_when_told(admit_gate *gate, const admit_hold *hold)
{
    comes_true(told, 1, LONG_S);
    _exit(admit_gate_leave(gate, hold) == ADMIT_OK ? 0 : 1);
}

static void goes(pid_t holder, bool killed)
{
    if (killed) {
        end(holder);
        return;
    }
    atomic_store(told, 1);
    assert_int_equal(outcome(holder, SOON_S), 0);
}

/* Two are inside, and one waits, when k becomes 1: it goes in when both have gone, however they go. */
static void one_of_two_goes_while_it_becomes_one(void **state)
{
    (void)state;
    for (unsigned how = 0; how < 4; how++) {
        bool first_killed = how & 1, second_killed = how & 2;
        admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 2, .capacity = 16});
        told = shared_words();
        pid_t first = start_holder_that(gate, first_killed ? NULL : leaves_when_told);
        _Atomic uint32_t *first_told = told;
        told = shared_words();
        pid_t second = start_holder_that(gate, second_killed ? NULL : leaves_when_told);
        _Atomic uint32_t *second_told = told;
        pid_t third = start_waiter(gate, 1);
        assert_int_equal(admit_gate_resize(gate, 1), ADMIT_OK);
        told = first_told;
        goes(first, first_killed);
        usleep(2000000); /* it looks twice a second */
        if (has_ended(third))
            fail_msg("the first %s: the third goes in beside the second, with k = %u",
                     first_killed ? "was killed" : "left", admit_gate_k(gate));
        told = second_told;
        goes(second, second_killed);
        assert_int_equal(outcome(third, SOON_S), 0);
        assert_int_equal(admit_gate_k(gate), 1);
        assert_slots(gate, 1);
        admit_gate_close(gate);
        munmap((void *)first_told, 4096);
        munmap((void *)second_told, 4096);
    }
}

/* Some were killed inside, and nobody has noticed, when k becomes less: as many as come after that are told. */
static void the_next_is_told_of_a_death_before_a_resize(void **state)
{
    (void)state;
    enum { KILLED_MAX = 2 };
    for (unsigned killed = 1; killed <= KILLED_MAX; killed++) {
        admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 2 * killed, .capacity = 16});
        pid_t holder[KILLED_MAX];
        admit_hold hold[KILLED_MAX];
        for (unsigned h = 0; h < killed; h++)
            holder[h] = start_holder(gate);
        for (unsigned h = 0; h < killed; h++)
            end(holder[h]);
        assert_int_equal(admit_gate_resize(gate, killed), ADMIT_OK);
        for (unsigned h = 0; h < killed; h++) { /* theirs were the lowest slots */
            assert_int_equal(enter_within(gate, &hold[h], SOON_S), ADMIT_OK);
            assert_true(hold[h].slot < killed);
            if (!hold[h].owner_died)
                fail_msg("%u killed: the next in slot %u is not told", killed, hold[h].slot);
        }
        for (unsigned h = 0; h < killed; h++)
            assert_int_equal(admit_gate_leave(gate, &hold[h]), ADMIT_OK);
        assert_slots(gate, killed);
        admit_gate_close(gate);
    }
}

/* --- without a way to the file ------------------------------------------------------------------------------------ */

static bool drop_rights(void)
{
    return become_somebody();
}

static bool move_to_an_empty_root(void)
{
    char root[PATH_MAX + 16];
    snprintf(root, sizeof root, "%s/empty~", test_directory());
    mkdir(root, 0700);
    return chroot(root) == 0 && chdir("/") == 0;
}

static void resizes_after(bool (*change)(void))
{
    only_root("change user or root");
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 2, .capacity = 16});
    pid_t child = start();
    if (child == 0) {
        if (!change())
            _exit(CANNOT);
        _exit(admit_gate_resize(gate, 1) == ADMIT_OK ? 0 : 1);
    }
    assert_int_equal(outcome(child, SOON_S), 0);
    assert_int_equal(admit_gate_k(gate), 1);
    assert_slots(gate, 1);
    admit_gate_close(gate);
}

/* Two are inside when another makes it one; those inside leave, and only then is there one slot less. */
static void leaves_after(bool (*change)(void))
{
    only_root("change user or root");
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 2, .capacity = 16});
    _Atomic uint32_t *turn = shared_words();
    pid_t child = start();
    if (child == 0) {
        admit_hold hold[2];
        if (enter_within(gate, &hold[0], SOON_S) != ADMIT_OK || enter_within(gate, &hold[1], SOON_S) != ADMIT_OK)
            _exit(1);
        if (!change())
            _exit(CANNOT);
        atomic_store(turn, 1);
        while (atomic_load(turn) != 2)
            usleep(500);
        _exit(admit_gate_leave(gate, &hold[0]) == ADMIT_OK && admit_gate_leave(gate, &hold[1]) == ADMIT_OK ? 0 : 2);
    }
    assert_true(comes_true(turn, 1, SOON_S));
    assert_int_equal(admit_gate_resize(gate, 1), ADMIT_OK);
    atomic_store(turn, 2);
    assert_int_equal(outcome(child, SOON_S), 0);
    assert_slots(gate, 1);
    admit_gate_close(gate);
    munmap((void *)turn, 4096);
}

static _Atomic uint32_t ending_thread; /* 1: may end; then its number */

static void *is_inside_and_ends_without_a_word(void *gate)
{
    admit_hold hold;
    if (enter_within(gate, &hold, SOON_S) != ADMIT_OK)
        _exit(1);
    atomic_store(&ending_thread, (uint32_t)syscall(SYS_gettid));
    while (atomic_load(&ending_thread) != 1)
        usleep(500);
    syscall(SYS_exit, 0);
    return NULL;
}

/* Its process lives, and so does what stands for that: the record it died with is kept back, and had again. */
static void what_a_thread_died_with_is_had_again(void **state)
{
    (void)state;
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 2, .capacity = 16});
    pid_t child = start();
    if (child == 0) {
        admit_hold hold, other;
        pthread_t thread;
        if (enter_within(gate, &hold, SOON_S) != ADMIT_OK ||
            pthread_create(&thread, NULL, is_inside_and_ends_without_a_word, gate) != 0)
            _exit(1);
        while (atomic_load(&ending_thread) == 0)
            usleep(500);
        int number = (int)atomic_load(&ending_thread);
        if (admit_gate_resize(gate, 1) != ADMIT_OK)
            _exit(2);
        atomic_store(&ending_thread, 1);
        while (syscall(SYS_tgkill, getpid(), number, 0) == 0)
            usleep(500);
        admit_gate_try(gate, &other); /* which finds it dead, and keeps back its ticket */
        if (admit_gate_leave(gate, &hold) != ADMIT_OK)
            _exit(3);
        _exit(admit_gate_resize(gate, 2) == ADMIT_OK ? 0 : 4);
    }
    assert_int_equal(outcome(child, SOON_S), 0);
    assert_slots(gate, 2);
    admit_gate_close(gate);
}

static void resizes_after_setuid(void **state)
{
    (void)state;
    resizes_after(drop_rights);
}

static void resizes_after_chroot(void **state)
{
    (void)state;
    resizes_after(move_to_an_empty_root);
}

static void leaves_during_a_resize_after_setuid(void **state)
{
    (void)state;
    leaves_after(drop_rights);
}

static void leaves_during_a_resize_after_chroot(void **state)
{
    (void)state;
    leaves_after(move_to_an_empty_root);
}

int main(void)
{
    enum { SETTINGS = sizeof settings / sizeof settings[0] };
    struct CMUnitTest tests[2 * SETTINGS + 7];
    static char name[2 * SETTINGS][100];
    for (unsigned t = 0; t < 2 * SETTINGS; t++) {
        const struct setting *setting = &settings[t / 2];
        snprintf(name[t], sizeof name[t], "%s, killed %s", setting->title,
                 t % 2 == 0 ? "between system calls" : "at instructions");
        tests[t] = (struct CMUnitTest){.name = name[t],
                                       .test_func = t % 2 == 0 ? killed_between_system_calls : killed_at_instructions,
                                       .teardown_func = end_all,
                                       .initial_state = (void *)(uintptr_t)setting};
    }
    tests[2 * SETTINGS] = (struct CMUnitTest)FAULT(resizes_after_setuid);
    tests[2 * SETTINGS + 1] = (struct CMUnitTest)FAULT(resizes_after_chroot);
    tests[2 * SETTINGS + 2] = (struct CMUnitTest)FAULT(leaves_during_a_resize_after_setuid);
    tests[2 * SETTINGS + 3] = (struct CMUnitTest)FAULT(leaves_during_a_resize_after_chroot);
    tests[2 * SETTINGS + 4] = (struct CMUnitTest)FAULT(one_of_two_goes_while_it_becomes_one);
    tests[2 * SETTINGS + 5] = (struct CMUnitTest)FAULT(the_next_is_told_of_a_death_before_a_resize);
    tests[2 * SETTINGS + 6] = (struct CMUnitTest)FAULT(what_a_thread_died_with_is_had_again);
    return run_faults("resize killed", tests);
}
