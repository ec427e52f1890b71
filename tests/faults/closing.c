/* SPDX-License-Identifier: MIT
 *
 * A handle that is closed while its owner is inside, and the owner is killed at any instruction of that, or has a
 * resize to finish by it; and deadlines that lie far in the past. Promised: the next in line, asleep, goes in at once,
 * and not when it happens to look; nobody crashes; and a deadline is passed, however long ago it was.
 */
#include "faults.h"

#include "layout.h"

enum { STEPS_MAX = 200000, HELD_UP_MS = 250, TIMES = 3 };

/* --- killed while it closes --------------------------------------------------------------------------------------- */

static admit_gate *own; /* the closer's */

static void opens_and_enters(void *name)
{
    admit_hold hold;
    own = admit_gate_open(name, 1);
    if (own == NULL || enter_within(own, &hold, SOON_S) != ADMIT_OK)
        _exit(1);
}

static void closes(void *name)
{
    (void)name;
    admit_gate_close(own);
}

/* How long the next in line took, in ms; *killed: the closer had not ended by itself. */
static double killed_after(admit_gate *gate, unsigned steps, bool *killed)
{
    int ended;
    char name[40];
    snprintf(name, sizeof name, "%s", admit_gate_name(gate));
    pid_t closer = start_stepped_after(opens_and_enters, closes, name), waiter = start_waiter(gate, 1);
    usleep(1000); /* until it sleeps */
    *killed = make_steps(closer, PTRACE_SINGLESTEP, steps, &ended);
    uint64_t before = monotonic_ns();
    if (*killed)
        end(closer);
    int how = outcome(waiter, SOON_S);
    double took = (double)(monotonic_ns() - before) / 1e6;
    if (how != 0)
        fail_msg("killed after %u instructions of close: the next in line ended with %d", steps, how);
    return took;
}

/* A busy machine may hold up anybody once; a process that is held up each time at the same place waits for a look. */
static void killed_anywhere_in_close(void **state)
{
    (void)state;
    skip_without_ptrace();
    double longest = 0;
    bool killed = true;
    unsigned held_up = 0, places = 0;
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .capacity = 8});
    unsigned all = steps_of(start_stepped_after(opens_and_enters, closes, (void *)admit_gate_name(gate)),
                            PTRACE_SINGLESTEP, STEPS_MAX);
    unsigned stride = all / unless_quick(300, 25) | 1;
    for (unsigned steps = 0; killed && steps < STEPS_MAX; steps += stride, places++) {
        double least = 1e9;
        for (unsigned time = 0; time < TIMES && least > HELD_UP_MS; time++) {
            double took = killed_after(gate, steps, &killed);
            least = took < least ? took : least;
        }
        held_up += least > HELD_UP_MS;
        longest = least > longest ? least : longest;
    }
    print_message("# killed at %u places of close: the next in line was held up by %.0f ms at most, at %u places by "
                  "more than %d ms\n",
                  places, longest, held_up, HELD_UP_MS);
    assert_false(killed);
    assert_slots(gate, 1);
    admit_gate_close(gate);
    assert_int_equal(held_up, 0);
}

/* --- a resize that is left to those who close --------------------------------------------------------------------- */

/* What a resize leaves behind that is killed as soon as it has said what it is about. */
static void begin_resize(const char *path, uint32_t k)
{
    const uint32_t resizing = 1;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 || pwrite(fd, &resizing, sizeof resizing, RESIZING_AT) != (ssize_t)sizeof resizing ||
        pwrite(fd, &k, sizeof k, K_AT) != (ssize_t)sizeof k)
        _exit(CANNOT);
    close(fd);
}

/* It is inside so many times, and has left so many more: those records are idle, and the resize takes some of them. */
static void closing_finishes_a_resize(void **state)
{
    (void)state;
    enum { K = 4 };
    for (unsigned idle = 1; idle < K; idle++) {
        admit_gate *gate = fresh_gate(&(admit_gate_options){.k = K, .capacity = 16});
        pid_t child = start();
        if (child == 0) {
            admit_hold hold[K];
            admit_gate *mine = admit_gate_open(admit_gate_name(gate), 0);
            for (unsigned h = 0; h < K; h++)
                if (mine == NULL || enter_within(mine, &hold[h], SOON_S) != ADMIT_OK)
                    _exit(1);
            for (unsigned h = 0; h < idle; h++)
                if (admit_gate_leave(mine, &hold[h]) != ADMIT_OK)
                    _exit(2);
            begin_resize(admit_gate_path(mine), 1);
            admit_gate_close(mine);
            _exit(0);
        }
        int ended = outcome(child, SOON_S);
        if (ended != 0)
            fail_msg("%u inside and %u idle: the one who closes ended with %d", K - idle, idle, ended);
        assert_slots(gate, 1);
        admit_gate_close(gate);
    }
}

/* --- deadlines ---------------------------------------------------------------------------------------------------- */

static const struct timespec long_ago[] = {
    {.tv_sec = -1},
    {.tv_sec = -1, .tv_nsec = 999999999},
    {.tv_sec = LONG_MIN},
    {.tv_sec = LONG_MIN, .tv_nsec = 999999999},
    {.tv_sec = LONG_MIN / 2},
    {.tv_sec = LONG_MIN / 1000000000},     /* as nanoseconds, the last that a word can hold */
    {.tv_sec = LONG_MIN / 1000000000 - 1}, /* and one that it cannot */
    {.tv_sec = LONG_MIN / 1000000000 - 5},
};

static void a_deadline_long_ago_is_passed(void **state)
{
    (void)state;
    unsigned failed = 0;
    for (unsigned d = 0; d < sizeof long_ago / sizeof long_ago[0]; d++)
        for (unsigned taken = 0; taken < 2; taken++) {
            admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .capacity = 8});
            pid_t holder = taken ? start_holder(gate) : 0, child = start();
            if (child == 0) {
                admit_hold hold;
                _exit((int)admit_gate_enter_until(gate, &hold, &long_ago[d]));
            }
            int ended = outcome(child, 3);
            if (ended != (taken ? ADMIT_TIMED_OUT : ADMIT_OK)) {
                print_message("# deadline %ld s, %s: %d\n", (long)long_ago[d].tv_sec, taken ? "taken" : "free", ended);
                failed++;
            }
            if (taken)
                end(holder);
            assert_slots(gate, 1);
            admit_gate_close(gate);
        }
    assert_int_equal(failed, 0);
}

static void a_deadline_at_the_end_of_time_is_not(void **state)
{
    (void)state;
    static const struct timespec never[] = {{.tv_sec = LONG_MAX, .tv_nsec = 999999999}, {.tv_sec = LONG_MAX / 2}};
    for (unsigned d = 0; d < 2; d++) {
        admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .capacity = 8});
        pid_t holder = start_holder(gate), child = start();
        if (child == 0) {
            admit_hold hold;
            _exit((int)admit_gate_enter_until(gate, &hold, &never[d]));
        }
        usleep(300000);
        assert_false(has_ended(child));
        end(holder);
        assert_int_equal(outcome(child, SOON_S), ADMIT_OK);
        admit_gate_close(gate);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAULT(killed_anywhere_in_close),
        FAULT(closing_finishes_a_resize),
        FAULT(a_deadline_long_ago_is_passed),
        FAULT(a_deadline_at_the_end_of_time_is_not),
    };
    return run_faults("closing", tests);
}
