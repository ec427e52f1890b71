/* SPDX-License-Identifier: MIT
 *
 * Nobody polls who need not. Promised: with up to 100 who take part, one that waits wakes at most three times a second,
 * whatever the gate has room for and whoever waits: a program, with a function of its own, or `admit run`. Behind a
 * command whose starter was killed, one of all who wait looks more often, and not more than 50 times a second. Where more
 * take part, or futex_waitv is refused, all who wait together wake fewer than 100 times a second.
 *
 * What is counted are voluntary context switches, of which each sleep is one; nothing depends on how fast the machine is.
 * One that polls does so in every window of time: so it is enough that there is one in which nobody did, and others'
 * starts, which wake everybody, may be late.
 */
#include "faults.h"

enum { WINDOWS = 6, WINDOW_S = 2, EACH_A_SECOND = 3, FIRST_A_SECOND = 50, ALL_A_SECOND = 100, CROWD_MAX = 400 };

/* --- counting ----------------------------------------------------------------------------------------------------- */

struct wakes {
    double most, second, sum; /* a second: of the one that woke most often, of the next, of all */
};

static struct wakes count_wakes(const pid_t *process, unsigned many)
{
    static unsigned long before[CROWD_MAX];
    struct wakes wakes = {0};
    uint64_t begin = monotonic_ns();
    for (unsigned p = 0; p < many; p++)
        before[p] = sleeps_of(process[p]);
    sleep(WINDOW_S);
    for (unsigned p = 0; p < many; p++)
        before[p] = sleeps_of(process[p]) - before[p];
    double seconds = (double)(monotonic_ns() - begin) / 1e9;
    for (unsigned p = 0; p < many; p++) {
        double rate = (double)before[p] / seconds;
        wakes.sum += rate;
        wakes.second = rate > wakes.most ? wakes.most : rate > wakes.second ? rate : wakes.second;
        wakes.most = rate > wakes.most ? rate : wakes.most;
    }
    return wakes;
}

static bool is_within(struct wakes found, struct wakes allowed)
{
    return found.most <= allowed.most && found.second <= allowed.second && found.sum <= allowed.sum;
}

static void assert_wakes(const char *what, const pid_t *process, unsigned many, struct wakes allowed)
{
    struct wakes found = {0};
    bool within = false;
    for (unsigned window = 0; window < WINDOWS && !within; window++) {
        found = count_wakes(process, many);
        within = is_within(found, allowed);
    }
    print_message("# %s: %u who wait woke %.1f times a second in all, one of them %.1f times\n", what, many, found.sum,
                  found.most);
    if (!within)
        fail_msg("%s: %.1f, %.1f and in all %.1f times a second", what, found.most, found.second, found.sum);
}

static const struct wakes few = {.most = EACH_A_SECOND, .second = EACH_A_SECOND, .sum = 100 * EACH_A_SECOND};

/* --- those who wait ----------------------------------------------------------------------------------------------- */

static int goes_on(void *data, unsigned place)
{
    (void)data, (void)place;
    return 0;
}

typedef admit_error enter_fn(admit_gate *gate, admit_hold *hold);

static admit_error with_a_function(admit_gate *gate, admit_hold *hold)
{
    return admit_gate_enter_with(gate, hold, &(admit_wait){.waiting = goes_on, .interruptible = 1});
}

static admit_error with_a_deadline(admit_gate *gate, admit_hold *hold)
{
    return enter_within(gate, hold, 2 * LONG_S);
}

static bool waitv_is_refused;

static pid_t start_in_line(admit_gate *gate, enter_fn *enter)
{
    pid_t child = start();
    if (child == 0) {
        admit_hold hold;
        if (waitv_is_refused && !refuse(SYS_futex_waitv, ENOSYS))
            _exit(CANNOT);
        admit_error error = enter(gate, &hold);
        _exit(error != ADMIT_OK ? (int)error : (int)admit_gate_leave(gate, &hold));
    }
    return child;
}

/* All pass when the one inside has gone. */
static void let_pass(admit_gate *gate, pid_t holder, const pid_t *waiter, unsigned many)
{
    end(holder);
    for (unsigned w = 0; w < many; w++) {
        int ended = outcome(waiter[w], LONG_S);
        if (ended != 0)
            fail_msg("one of %u in line ended with %d", many, ended);
    }
    assert_slots(gate, 1);
    admit_gate_close(gate);
}

/* --- few ---------------------------------------------------------------------------------------------------------- */

static void stand_behind_one(const char *what, const admit_gate_options *options, unsigned many)
{
    static enter_fn *const ways[] = {admit_gate_enter, with_a_function, with_a_deadline};
    static pid_t waiter[CROWD_MAX];
    admit_gate *gate = fresh_gate(options);
    pid_t holder = start_holder(gate);
    for (unsigned w = 0; w < many; w++)
        waiter[w] = start_in_line(gate, ways[w % 3]);
    await_waiters(gate, many);
    assert_wakes(what, waiter, many, few);
    let_pass(gate, holder, waiter, many);
}

static void three_at_gates_of_any_size(void **state)
{
    (void)state;
    stand_behind_one("a small gate", &(admit_gate_options){.k = 1, .most_k = 1, .capacity = 8}, 3);
    stand_behind_one("as admit run makes it", &(admit_gate_options){.k = 1, .most_k = 256, .capacity = 256}, 3);
    stand_behind_one("the largest",
                     &(admit_gate_options){.k = 1, .most_k = ADMIT_GATE_K_MAX, .capacity = ADMIT_GATE_CAPACITY_MAX}, 3);
}

static void ninety_nine(void **state)
{
    (void)state;
    stand_behind_one("a hundred who take part", &(admit_gate_options){.k = 1, .most_k = 256, .capacity = 256}, 99);
}

static void commands_in_line(void **state)
{
    (void)state;
    enum { COMMANDS = 3 };
    pid_t waiter[COMMANDS];
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .most_k = 256, .capacity = 256});
    pid_t holder = start_holder(gate);
    for (unsigned w = 0; w < COMMANDS; w++) {
        waiter[w] = start();
        if (waiter[w] == 0)
            become_admit(ADMIT("run", (char *)admit_gate_name(gate), "--", "true"));
    }
    await_waiters(gate, COMMANDS);
    assert_wakes("admit run", waiter, COMMANDS, few);
    let_pass(gate, holder, waiter, COMMANDS);
}

/* --- behind a command whose starter was killed ---------------------------------------------------------------------- */

static _Atomic uint32_t *command;

static void starts_a_command(admit_gate *gate, const admit_hold *hold)
{
    if (admit_gate_bequeath(gate, hold, 0) != ADMIT_OK)
        _exit(1);
    pid_t child = fork();
    if (child == 0) {
        if (admit_gate_inherit(gate, hold) != ADMIT_OK)
            _exit(1);
        atomic_store(command, (uint32_t)getpid());
        stay();
    }
}

static void one_of_all_looks_at_an_orphan(void **state)
{
    (void)state;
    enum { WAITERS = 20 };
    pid_t waiter[WAITERS];
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .most_k = 256, .capacity = 256});
    command = shared_words();
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* the command's end is this process's to see to */
    pid_t starter = start_holder_that(gate, starts_a_command);
    for (unsigned look = 0; look < SOON_S * 1000 && atomic_load(command) == 0; look++)
        usleep(1000);
    pid_t orphan = (pid_t)atomic_load(command);
    assert_true(orphan > 0);
    children[children_count++] = orphan;
    end(starter);
    for (unsigned w = 0; w < WAITERS; w++)
        waiter[w] = start_in_line(gate, w % 2 == 0 ? with_a_function : admit_gate_enter);
    await_waiters(gate, WAITERS);
    assert_wakes("behind an orphan", waiter, WAITERS,
                 (struct wakes){.most = FIRST_A_SECOND, .second = EACH_A_SECOND, .sum = ALL_A_SECOND});
    let_pass(gate, orphan, waiter, WAITERS);
    munmap((void *)command, 4096);
}

/* --- many --------------------------------------------------------------------------------------------------------- */

static void stand_in_a_crowd(const char *what, unsigned many)
{
    static pid_t waiter[CROWD_MAX];
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .most_k = 256, .capacity = 512});
    pid_t holder = start_holder(gate);
    for (unsigned w = 0; w < many; w++)
        waiter[w] = start_in_line(gate, w % 2 == 0 ? with_a_function : admit_gate_enter);
    await_waiters(gate, many);
    assert_wakes(what, waiter, many,
                 (struct wakes){.most = FIRST_A_SECOND, .second = FIRST_A_SECOND, .sum = ALL_A_SECOND});
    let_pass(gate, holder, waiter, many);
}

static void a_crowd(void **state)
{
    (void)state;
    stand_in_a_crowd("a crowd", unless_quick(CROWD_MAX, 200));
}

static void a_crowd_that_watches_nobody(void **state)
{
    (void)state;
    skip_without_filters();
    waitv_is_refused = true;
    stand_in_a_crowd("a few, without futex_waitv", 5);
    stand_in_a_crowd("a crowd, without futex_waitv", 200);
    waitv_is_refused = false;
}

/* --- more than there are records -------------------------------------------------------------------------------------- */

static void more_than_there_is_room_for(void **state)
{
    (void)state;
    static pid_t waiter[CROWD_MAX];
    enum { RECORDS = 64 };
    const unsigned many = unless_quick(CROWD_MAX, 200);
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .capacity = RECORDS});
    pid_t holder = start_holder(gate);
    for (unsigned w = 0; w < many; w++)
        waiter[w] = start_in_line(gate, w % 2 == 0 ? with_a_function : admit_gate_enter);
    for (unsigned look = 0; look < LONG_S * 100 && admit_gate_waiters(gate) < many; look++)
        usleep(10000);
    assert_int_equal(admit_gate_waiters(gate), many);
    assert_wakes("more than there is room for", waiter, many,
                 (struct wakes){.most = FIRST_A_SECOND, .second = FIRST_A_SECOND, .sum = ALL_A_SECOND});
    let_pass(gate, holder, waiter, many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAULT(three_at_gates_of_any_size),    FAULT(ninety_nine), FAULT(commands_in_line),
        FAULT(one_of_all_looks_at_an_orphan), FAULT(a_crowd),     FAULT(a_crowd_that_watches_nobody),
        FAULT(more_than_there_is_room_for),
    };
    return run_faults("polling", tests);
}
