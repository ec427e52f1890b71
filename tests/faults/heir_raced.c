/* SPDX-License-Identifier: MIT
 *
 * A record that changes its owner while somebody judges the dead one that it was of. That one has asked whether a command
 * has inherited, and is held up before it makes use of the answer; meanwhile another recovers the record, goes in by it,
 * leaves its hold to a command and is killed. Promised: the command holds until it ends, and there are k slots.
 *
 * The process that is held up stops at breakpoints of a debugger: where the question begins, and where its answer goes.
 */
#include "faults.h"

#include "gate/life/life.h"

#include <sys/user.h>

#ifdef __x86_64__

enum { BREAKPOINT = 0xcc };
enum { THE_COMMAND, INHERITED }; /* places in the words that all share */

static _Atomic uint32_t *words;
static bool with_children;

static long of_user(pid_t child, size_t offset)
{
    return ptrace(PTRACE_PEEKUSER, child, (void *)offset, NULL);
}

static void run_to(pid_t child, uintptr_t where)
{
    void *at = (void *)where;
    int status;
    long text = ptrace(PTRACE_PEEKTEXT, child, at, NULL);
    assert_int_equal(ptrace(PTRACE_POKETEXT, child, at, (void *)((text & ~0xffL) | BREAKPOINT)), 0);
    assert_int_equal(ptrace(PTRACE_CONT, child, NULL, NULL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFSTOPPED(status)) {
        forget_child(child);
        fail_msg("it does not come so far, and ends with %#x", (unsigned)status);
    }
    assert_int_equal(WSTOPSIG(status), SIGTRAP);
    assert_int_equal(of_user(child, offsetof(struct user_regs_struct, rip)), where + 1);
    assert_int_equal(ptrace(PTRACE_POKETEXT, child, at, (void *)text), 0);
    assert_int_equal(ptrace(PTRACE_POKEUSER, child, (void *)offsetof(struct user_regs_struct, rip), at), 0);
}

/* Returns which record is asked about. */
static unsigned hold_up_after_the_question(pid_t child)
{
    run_to(child, (uintptr_t)admit_has_no_heir);
    unsigned who = (unsigned)of_user(child, offsetof(struct user_regs_struct, rsi));
    long stack = of_user(child, offsetof(struct user_regs_struct, rsp));
    run_to(child, (uintptr_t)ptrace(PTRACE_PEEKTEXT, child, (void *)stack, NULL));
    return who;
}

static void tries(void *data)
{
    admit_hold hold;
    _exit((int)admit_gate_try(data, &hold));
}

static void leaves_it_to_a_command(admit_gate *gate, const admit_hold *hold)
{
    if (admit_gate_bequeath(gate, hold, with_children) != ADMIT_OK)
        _exit(1);
    if (fork() == 0) {
        atomic_store(&words[THE_COMMAND], (uint32_t)getpid());
        if (admit_gate_inherit(gate, hold) == ADMIT_OK)
            atomic_store(&words[INHERITED], 1);
        stay();
    }
}

/* Held up while the record goes from the process that was killed inside to the process whose command runs. */
static pid_t start_held_up(admit_gate *gate)
{
    end(start_holder(gate));
    pid_t judge = start_stepped(tries, gate);
    unsigned who = hold_up_after_the_question(judge);
    pid_t second = start_holder_that(gate, leaves_it_to_a_command);
    assert_true(comes_true(&words[INHERITED], 1, SOON_S));
    end(second);
    long pid;
    assert_int_equal(admit_heir_seen(gate, who, &pid), HEIR_LIVES); /* in the same record */
    return judge;
}

/* When the command has ended, how many slots there are. */
static unsigned slots_afterwards(admit_gate *gate, unsigned k)
{
    kill((pid_t)atomic_load(&words[THE_COMMAND]), SIGKILL);
    unsigned slots = slots_within(gate, k, SOON_S);
    munmap((void *)words, 4096);
    admit_gate_close(gate);
    return slots;
}

static void nobody_takes_a_running_commands_place(void **state)
{
    (void)state;
    skip_without_ptrace();
    for (unsigned children = 0; children < 2; children++) {
        words = shared_words();
        with_children = children;
        admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = 8});
        pid_t judge = start_held_up(gate);
        ptrace(PTRACE_DETACH, judge, NULL, NULL);
        int tried = outcome(judge, SOON_S);
        bool early = another_gets_in(gate, 0.2);
        unsigned slots = slots_afterwards(gate, 1);
        assert_int_equal(tried, ADMIT_NO_SLOT);
        assert_false(early);
        assert_int_equal(slots, 1);
    }
}

/* Whoever finds one dead that was inside a gate which is being made smaller keeps its ticket back: not a command's. */
static void a_running_commands_ticket_is_not_kept_back(void **state)
{
    (void)state;
    skip_without_ptrace();
    for (unsigned children = 0; children < 2; children++) {
        admit_hold own;
        words = shared_words();
        with_children = children;
        admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 2, .most_k = 2, .capacity = 8});
        assert_int_equal(enter_within(gate, &own, SOON_S), ADMIT_OK);
        pid_t judge = start_held_up(gate);
        assert_int_equal(admit_gate_resize(gate, 1), ADMIT_OK);
        ptrace(PTRACE_DETACH, judge, NULL, NULL);
        int tried = outcome(judge, SOON_S);
        assert_int_equal(admit_gate_leave(gate, &own), ADMIT_OK);
        bool early = another_gets_in(gate, 0.2);
        unsigned slots = slots_afterwards(gate, 1);
        assert_int_equal(tried, ADMIT_NO_SLOT);
        assert_false(early);
        assert_int_equal(slots, 1);
    }
}

#else

static void needs_breakpoints(void **state)
{
    (void)state;
    skip_because("breakpoints are set on x86-64 only");
}

#define nobody_takes_a_running_commands_place needs_breakpoints
#define a_running_commands_ticket_is_not_kept_back needs_breakpoints

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAULT(nobody_takes_a_running_commands_place),
        FAULT(a_running_commands_ticket_is_not_kept_back),
    };
    return run_faults("heir raced", tests);
}
