/* SPDX-License-Identifier: MIT
 *
 * Two gates of one name: the file is taken away with rm or mv while the gate is in use, or `remove` is killed half-way.
 * Promised: whoever has the gate open learns that it is gone, a process that waits or leaves the fast way at once, a
 * process that passes alone after some thousand passes at most, or when another gate of that name is made; a newcomer
 * does not go in beside a process that lives inside, nor make another gate if it has not the means to look for that
 * one; and after a `remove` that was killed anywhere either the gate works for all as before, or all who had it open
 * are told.
 */
#include "faults.h"

enum { PASSES = 100000, STEPS_MAX = 100000, BUSY = 10000 };

/* --- how the file goes -------------------------------------------------------------------------------------------- */

static void take_away(const char *path)
{
    assert_int_equal(unlink(path), 0);
}

static void move_away(const char *path)
{
    char other[PATH_MAX + 8];
    snprintf(other, sizeof other, "%s~moved", path);
    assert_int_equal(rename(path, other), 0);
}

static void move_another_over_it(const char *path)
{
    admit_gate *other = fresh_gate(&(admit_gate_options){.k = 1, .capacity = 8});
    assert_int_equal(rename(admit_gate_path(other), path), 0);
    admit_gate_close(other);
}

struct way {
    const char *title;
    void (*go)(const char *path);
};

static const struct way ways[] = {
    {"taken away", take_away}, {"moved away", move_away}, {"another moved over it", move_another_over_it}};
enum { WAYS = sizeof ways / sizeof ways[0] };

/* Passes until it is told; ends with 0 then. */
static pid_t start_passer(admit_gate *gate, _Atomic uint32_t *passes)
{
    pid_t passer = start();
    if (passer == 0) {
        admit_hold hold;
        for (unsigned pass = 0; pass < PASSES; pass++) {
            admit_error error = enter_within(gate, &hold, SOON_S);
            if (error == ADMIT_OK)
                error = admit_gate_leave(gate, &hold);
            if (error != ADMIT_OK)
                _exit(error == ADMIT_REMOVED ? 0 : 1);
            atomic_fetch_add(passes, 1);
        }
        _exit(2);
    }
    return passer;
}

static void one_who_passes_learns_it(void **state)
{
    (void)state;
    for (unsigned w = 0; w < WAYS; w++)
        for (unsigned k = 1; k <= 3; k += 2) {
            _Atomic uint32_t *passes = shared_words();
            admit_hold hold;
            admit_gate *gate = fresh_gate(&(admit_gate_options){.k = k, .capacity = 8});
            for (unsigned pass = 0; pass < 5; pass++) { /* so that it comes back to what it knows */
                assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
                assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
            }
            ways[w].go(admit_gate_path(gate));
            int ended = outcome(start_passer(gate, passes), 2 * SOON_S);
            if (ended != 0)
                fail_msg("%s, k = %u: after %u passes it has not been told (%d)", ways[w].title, k, atomic_load(passes),
                         ended);
            print_message("# %s, k = %u: told after %u passes\n", ways[w].title, k, atomic_load(passes));
            admit_gate_close(gate);
            munmap((void *)passes, 4096);
        }
}

/* Not a forked newcomer, but one that has passed before and goes on without a pause. */
static void one_who_is_busy_learns_it(void **state)
{
    (void)state;
    for (unsigned w = 0; w < WAYS; w++) {
        admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .capacity = 8});
        _Atomic uint32_t *words = shared_words();
        pid_t passer = start();
        if (passer == 0) {
            admit_hold hold;
            for (unsigned pass = 0; pass < PASSES; pass += atomic_load(&words[1])) {
                admit_error error = enter_within(gate, &hold, SOON_S);
                if (error == ADMIT_OK)
                    error = admit_gate_leave(gate, &hold);
                if (error != ADMIT_OK)
                    _exit(error == ADMIT_REMOVED ? 0 : 1);
                atomic_store(&words[0], 1);
            }
            _exit(2);
        }
        assert_true(comes_true(&words[0], 1, SOON_S));
        ways[w].go(admit_gate_path(gate));
        atomic_store(&words[1], 1); /* from now on it counts */
        int ended = outcome(passer, 2 * SOON_S);
        if (ended != 0)
            fail_msg("%s: it ended with %d", ways[w].title, ended);
        admit_gate_close(gate);
        munmap((void *)words, 4096);
    }
}

static void one_who_waits_learns_it(void **state)
{
    (void)state;
    for (unsigned w = 0; w < WAYS; w++) {
        admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .capacity = 8});
        pid_t holder = start_holder(gate), first = start_waiter(gate, 1), second = start_waiter(gate, 2);
        ways[w].go(admit_gate_path(gate));
        int first_ended = outcome(first, SOON_S), second_ended = outcome(second, SOON_S);
        if (first_ended != ADMIT_REMOVED || second_ended != ADMIT_REMOVED)
            fail_msg("%s: those in line ended with %d and %d", ways[w].title, first_ended, second_ended);
        end(holder);
        admit_gate_close(gate);
    }
}

/* Its leaving is nothing to complain about; its next entry is. */
static void one_inside_leaves_and_learns_it(void **state)
{
    (void)state;
    for (unsigned w = 0; w < WAYS; w++) {
        _Atomic uint32_t *passes = shared_words();
        admit_hold hold;
        admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .capacity = 8});
        assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
        ways[w].go(admit_gate_path(gate));
        assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
        assert_int_equal(outcome(start_passer(gate, passes), 2 * SOON_S), 0);
        admit_gate_close(gate);
        munmap((void *)passes, 4096);
    }
}

/* --- a newcomer --------------------------------------------------------------------------------------------------- */

/* Who finds another gate in its place cannot know that there was one: so for the first two ways only. */
enum { KNOWABLE = 2 };

struct newcomer {
    const char *name;
    uint64_t until;
};

static void *comes_again_and_again(void *as)
{
    const struct newcomer *newcomer = as;
    do {
        admit_hold hold;
        admit_gate *gate = admit_gate_open(newcomer->name, 1);
        if (gate != NULL && enter_within(gate, &hold, 0.1) == ADMIT_OK)
            _exit(admit_gate_leave(gate, &hold) == ADMIT_OK ? 2 : 3);
        admit_gate_close(gate);
        usleep(20000);
    } while (monotonic_ns() < newcomer->until);
    _exit(0);
}

/* Comes with this name and k = 1, for so many seconds; 0: it never got in. */
static int come_again_and_again(const char *name, double seconds)
{
    pid_t newcomer = start();
    if (newcomer == 0)
        comes_again_and_again(&(struct newcomer){name, monotonic_ns() + (uint64_t)(seconds * 1e9)});
    return outcome(newcomer, seconds + SOON_S);
}

static void a_newcomer_does_not_go_in_beside_the_one_inside(void **state)
{
    (void)state;
    char name[40];
    for (unsigned w = 0; w < KNOWABLE; w++) {
        admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .capacity = 8});
        pid_t holder = start_holder(gate);
        ways[w].go(admit_gate_path(gate));
        int came = come_again_and_again(admit_gate_name(gate), 0.7);
        if (came != 0)
            fail_msg("%s: a newcomer went in beside the one inside (%d)", ways[w].title, came);
        assert_false(has_ended(holder));
        end(holder);
        snprintf(name, sizeof name, "%s", admit_gate_name(gate));
        admit_gate_close(gate); /* the last who had it open: from now on another gate may have the name */
        assert_int_equal(come_again_and_again(name, SOON_S), 2);
    }
}

/* --- a first thread that has ended -------------------------------------------------------------------------------- */

struct stayer {
    const char *name;
    bool opens_later; /* than the first thread has ended */
    _Atomic uint32_t *may_end, *is_inside;
};

static void *opens_enters_and_stays(void *as)
{
    const struct stayer *stayer = as;
    admit_hold hold;
    if (stayer->opens_later)
        await_the_end_of_the_first_thread(getpid());
    admit_gate *gate = admit_gate_open(stayer->name, 1);
    if (gate == NULL || enter_within(gate, &hold, SOON_S) != ADMIT_OK)
        _exit(1);
    atomic_store(stayer->may_end, 1);
    if (!stayer->opens_later)
        await_the_end_of_the_first_thread(getpid());
    atomic_store(stayer->is_inside, 1);
    stay();
}

static void *comes_later(void *as)
{
    await_the_end_of_the_first_thread(getpid());
    return comes_again_and_again(as);
}

static void a_newcomer_finds_one_whose_first_thread_has_ended(void **state)
{
    (void)state;
    for (unsigned opens_later = 0; opens_later < 2; opens_later++) {
        char name[40], path[PATH_MAX];
        _Atomic uint32_t *words = shared_words();
        struct stayer stayer = {name, opens_later != 0, &words[0], &words[1]};
        atomic_store(stayer.may_end, opens_later);
        admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .capacity = 8});
        snprintf(name, sizeof name, "%s", admit_gate_name(gate));
        snprintf(path, sizeof path, "%s", admit_gate_path(gate));
        admit_gate_close(gate);
        pid_t holder = start();
        if (holder == 0)
            go_on_without_the_first_thread(opens_enters_and_stays, &stayer, stayer.may_end);
        assert_true(comes_true(stayer.is_inside, 1, 2 * SOON_S) && shows_no_descriptors(holder));
        take_away(path);
        if (come_again_and_again(name, 0.3) != 0)
            fail_msg("a newcomer went in beside one that opened the gate %s", opens_later ? "later" : "before");
        assert_false(has_ended(holder));
        end(holder);
        assert_int_equal(come_again_and_again(name, SOON_S), 2);
        munmap((void *)words, 4096);
    }
}

static void a_newcomer_whose_first_thread_has_ended_finds_others(void **state)
{
    (void)state;
    char name[40], path[PATH_MAX];
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .capacity = 8});
    snprintf(name, sizeof name, "%s", admit_gate_name(gate));
    snprintf(path, sizeof path, "%s", admit_gate_path(gate));
    pid_t holder = start_holder(gate);
    admit_gate_close(gate);
    take_away(path);
    pid_t newcomer = start();
    if (newcomer == 0) {
        _Atomic uint32_t now = 1;
        struct newcomer as = {name, monotonic_ns() + 300000000};
        go_on_without_the_first_thread(comes_later, &as, &now);
    }
    assert_int_equal(outcome(newcomer, SOON_S), 0);
    end(holder);
}

/* --- a newcomer without descriptors ------------------------------------------------------------------------------- */

/* In a child: so many descriptors are free, and no more. */
static bool leave_descriptors(unsigned spare)
{
    enum { LIMIT = 64 };
    int last[LIMIT];
    unsigned count = 0;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || (limit.rlim_cur = LIMIT, setrlimit(RLIMIT_NOFILE, &limit) != 0))
        return false;
    for (int fd; count < LIMIT && (fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;)
        last[count++] = fd;
    if (count < spare)
        return false;
    for (unsigned s = 1; s <= spare; s++)
        close(last[count - s]);
    return true;
}

/* It cannot look for the one inside: then it makes no gate, which the next would take for the only one. */
static void a_newcomer_without_descriptors_makes_no_second_gate(void **state)
{
    (void)state;
    for (unsigned spare = 1; spare <= 6; spare++) {
        char name[40], path[PATH_MAX];
        admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .capacity = 8});
        pid_t holder = start_holder(gate);
        snprintf(name, sizeof name, "%s", admit_gate_name(gate));
        snprintf(path, sizeof path, "%s", admit_gate_path(gate));
        admit_gate_close(gate);
        take_away(path);
        pid_t newcomer = start();
        if (newcomer == 0) {
            admit_hold hold;
            if (!leave_descriptors(spare))
                _exit(CANNOT);
            gate = admit_gate_open(name, 1);
            _exit(gate != NULL && admit_gate_try(gate, &hold) == ADMIT_OK ? 2 : 0);
        }
        int came = outcome(newcomer, SOON_S);
        if (came != 0)
            fail_msg("%u descriptors: the newcomer ended with %d", spare, came);
        if (access(path, F_OK) == 0)
            fail_msg("%u descriptors: there is a second gate", spare);
        assert_false(has_ended(holder));
        end(holder);
        assert_int_equal(come_again_and_again(name, SOON_S), 2);
    }
}

/* --- a process that passes while another gate is made ------------------------------------------------------------- */

struct two_gates {
    _Atomic uint32_t is_busy;     /* it has passed so often that it seldom looks for the file */
    _Atomic uint32_t is_in_other; /* somebody is inside the other gate, and stays there */
    _Atomic uint32_t beside;      /* how often the old one was entered nevertheless */
};

/* By the old name; ends with the error that it is told. It pauses while the other gate is made, or it does not. */
static pid_t start_passer_by_name(const char *name, struct two_gates *seen, bool pauses)
{
    pid_t passer = start();
    if (passer == 0) {
        admit_hold hold;
        admit_gate *gate = admit_gate_open(name, 0);
        admit_error error = gate == NULL ? ADMIT_NO_GATE : ADMIT_OK;
        for (unsigned before = 0, after = 0; after < PASSES && error == ADMIT_OK;) {
            error = enter_within(gate, &hold, SOON_S);
            if (error != ADMIT_OK)
                break;
            after += atomic_load(&seen->is_in_other);
            atomic_store(&seen->beside, after);
            error = admit_gate_leave(gate, &hold);
            if (++before == BUSY) {
                atomic_store(&seen->is_busy, 1);
                if (pauses && !comes_true(&seen->is_in_other, 1, LONG_S))
                    _exit(HUNG);
            }
        }
        _exit((int)error);
    }
    return passer;
}

/* Comes with k until it can make another, and goes in there. */
static pid_t start_maker_of_another(const char *name, struct two_gates *seen)
{
    pid_t maker = start();
    if (maker == 0) {
        admit_hold hold;
        admit_gate *gate = NULL;
        for (uint64_t until = monotonic_ns() + SOON_S * UINT64_C(1000000000); gate == NULL && monotonic_ns() < until;)
            gate = admit_gate_open(name, 1);
        if (gate == NULL || enter_within(gate, &hold, SOON_S) != ADMIT_OK)
            _exit(1);
        atomic_store(&seen->is_in_other, 1);
        stay();
    }
    return maker;
}

static void a_gate_that_was_moved_is_not_entered_beside_another(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 6; round++) {
        char name[40], path[PATH_MAX];
        struct two_gates *seen = (struct two_gates *)(void *)shared_words();
        admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .capacity = 8});
        snprintf(name, sizeof name, "%s", admit_gate_name(gate));
        snprintf(path, sizeof path, "%s", admit_gate_path(gate));
        admit_gate_close(gate);
        pid_t passer = start_passer_by_name(name, seen, round % 2 == 0);
        assert_true(comes_true(&seen->is_busy, 1, LONG_S));
        move_away(path);
        pid_t maker = start_maker_of_another(name, seen);
        assert_true(comes_true(&seen->is_in_other, 1, 3 * SOON_S));
        int ended = outcome(passer, 2 * SOON_S);
        if (atomic_load(&seen->beside) > 0)
            fail_msg("the old gate was entered %u times beside one inside the other", atomic_load(&seen->beside));
        assert_int_equal(ended, ADMIT_REMOVED);
        end(maker);
        munmap(seen, 4096);
    }
}

/* --- a removal that is killed ------------------------------------------------------------------------------------- */

static void removes(void *name)
{
    _exit((int)admit_gate_remove(name, 0));
}

/* What there is afterwards, told by a process that has the old handle and comes anew as well: 0, all is well. */
static int look_at_both(admit_gate *old)
{
    uint64_t device[2], inode[2];
    admit_hold hold[2];
    admit_error error = enter_within(old, &hold[0], SOON_S);
    admit_gate *now = admit_gate_open(admit_gate_name(old), 1);
    if (error == ADMIT_REMOVED) {
        if (now == NULL)
            return 10;
        return enter_within(now, &hold[1], SOON_S) == ADMIT_OK ? 0 : 11;
    }
    if (error != ADMIT_OK)
        return 12;
    admit_gate_identity(old, &device[0], &inode[0]);
    if (now != NULL)
        admit_gate_identity(now, &device[1], &inode[1]);
    if (now == NULL || device[0] != device[1] || inode[0] != inode[1]) {
        if (now != NULL && admit_gate_try(now, &hold[1]) == ADMIT_OK)
            return 13; /* two gates of one name, and one inside each */
        if (admit_gate_leave(old, &hold[0]) != ADMIT_OK)
            return 14;
        for (unsigned pass = 0; pass < PASSES && error == ADMIT_OK; pass++) {
            error = enter_within(old, &hold[0], SOON_S);
            if (error == ADMIT_OK)
                admit_gate_leave(old, &hold[0]);
        }
        return error == ADMIT_REMOVED ? 0 : 15;
    }
    if (admit_gate_try(now, &hold[1]) != ADMIT_NO_SLOT)
        return 16;
    if (admit_gate_leave(old, &hold[0]) != ADMIT_OK)
        return 17;
    return enter_within(now, &hold[1], SOON_S) == ADMIT_OK && admit_gate_leave(now, &hold[1]) == ADMIT_OK ? 0 : 18;
}

static bool remove_killed_after(int request, unsigned steps)
{
    int ended = -1;
    char name[40];
    admit_gate *old = fresh_gate(&(admit_gate_options){.k = 1, .capacity = 8});
    snprintf(name, sizeof name, "%s", admit_gate_name(old));
    pid_t remover = start_stepped(removes, name);
    bool killed = make_steps(remover, request, steps, &ended);
    if (killed)
        end(remover);
    else
        assert_int_equal(ended, ADMIT_OK);
    pid_t looker = start();
    if (looker == 0)
        _exit(look_at_both(old));
    int found = outcome(looker, 3 * SOON_S);
    if (found != 0)
        fail_msg("remove killed after %u %s: %d", steps,
                 request == PTRACE_SYSCALL ? "half system calls" : "instructions", found);
    admit_gate_close(old);
    admit_gate_remove(name, 1);
    return killed;
}

static void a_removal_killed_between_system_calls(void **state)
{
    (void)state;
    skip_without_ptrace();
    unsigned steps = 0;
    while (steps < STEPS_MAX && remove_killed_after(PTRACE_SYSCALL, steps))
        steps += unless_quick(1, 2);
    print_message("# killed at each of %u places\n", steps);
    assert_true(steps > 0 && steps < STEPS_MAX);
}

static void a_removal_killed_at_instructions(void **state)
{
    (void)state;
    skip_without_ptrace();
    char name[40];
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .capacity = 8});
    snprintf(name, sizeof name, "%s", admit_gate_name(gate));
    unsigned all = steps_of(start_stepped(removes, name), PTRACE_SINGLESTEP, STEPS_MAX);
    admit_gate_close(gate);
    unsigned points = unless_quick(60, 10);
    for (unsigned p = 0; p < points; p++)
        remove_killed_after(PTRACE_SINGLESTEP, (unsigned)((uint64_t)all * p / points) + p % 7);
    print_message("# killed at %u of some %u instructions\n", points, all);
}

/* --- remove and run at once --------------------------------------------------------------------------------------- */

static void run_does_not_fail_because_the_gate_is_being_removed(void **state)
{
    (void)state;
    unsigned runs = unless_quick(200, 40), failed = 0, last = 0;
    pid_t remover = start();
    if (remover == 0)
        for (;;)
            admit_gate_remove("raced", 0);
    for (unsigned run = 0; run < runs; run++) {
        pid_t runner = start();
        if (runner == 0)
            become_admit(ADMIT("run", "-k", "1", "-q", "raced", "--", "true"));
        int ended = outcome(runner, SOON_S);
        failed += ended != 0;
        last = ended != 0 ? (unsigned)ended : last;
    }
    end(remover);
    if (failed > 0)
        fail_msg("%u of %u runs failed, the last with %u", failed, runs, last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAULT(one_who_passes_learns_it),
        FAULT(one_who_is_busy_learns_it),
        FAULT(one_who_waits_learns_it),
        FAULT(one_inside_leaves_and_learns_it),
        FAULT(a_newcomer_does_not_go_in_beside_the_one_inside),
        FAULT(a_newcomer_finds_one_whose_first_thread_has_ended),
        FAULT(a_newcomer_whose_first_thread_has_ended_finds_others),
        FAULT(a_newcomer_without_descriptors_makes_no_second_gate),
        FAULT(a_gate_that_was_moved_is_not_entered_beside_another),
        FAULT(a_removal_killed_between_system_calls),
        FAULT(a_removal_killed_at_instructions),
        FAULT(run_does_not_fail_because_the_gate_is_being_removed),
    };
    return run_faults("two gates", tests);
}
