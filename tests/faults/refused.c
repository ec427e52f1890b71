/* SPDX-License-Identifier: MIT
 *
 * System calls that are refused: by a seccomp filter, as containers and sandboxes have them, with whatever error its
 * author thought of; or because the process has no descriptor left. Promised: a call that is refused is replaced by
 * another way, or an error is returned. Nobody goes in beside a process that lives, nobody crashes, and nobody who
 * waits burns a processor. In particular, to be unable to look is no death: only "no such process" is.
 */
#include "faults.h"
#include "gate/calls/calls.h"

static const unsigned errors[] = {EACCES, EINVAL, EPERM, ENOSYS};
enum { ERRORS = sizeof errors / sizeof errors[0] };

static const admit_gate_options one = {.k = 1, .capacity = 16};

/* --- futex_waitv -------------------------------------------------------------------------------------------------- */

static void one_who_waits_does_not_spin(void **state)
{
    (void)state;
    skip_without_filters();
    admit_gate *gate[ERRORS];
    pid_t holder[ERRORS], waiter[ERRORS];
    double before[ERRORS];
    for (unsigned e = 0; e < ERRORS; e++) {
        gate[e] = fresh_gate(&one);
        holder[e] = start_holder(gate[e]);
        waiter[e] = start();
        if (waiter[e] == 0) {
            admit_hold hold;
            if (!refuse(SYS_futex_waitv, errors[e]))
                _exit(CANNOT);
            admit_error error = enter_within(gate[e], &hold, LONG_S);
            _exit(error != ADMIT_OK ? 1 : (int)admit_gate_leave(gate[e], &hold));
        }
        await_waiters(gate[e], 1);
    }
    usleep(200000);
    for (unsigned e = 0; e < ERRORS; e++)
        before[e] = processor_time(waiter[e]);
    usleep(2000000);
    for (unsigned e = 0; e < ERRORS; e++) {
        double took = processor_time(waiter[e]) - before[e];
        print_message("# futex_waitv refused with %s: %.3f s of processor time in 2 s\n", strerror((int)errors[e]),
                      took);
        if (took > 0.2)
            fail_msg("futex_waitv refused with %s: the waiter spins", strerror((int)errors[e]));
    }
    for (unsigned e = 0; e < ERRORS; e++) {
        end(holder[e]);
        assert_int_equal(outcome(waiter[e], SOON_S), 0);
        admit_gate_close(gate[e]);
    }
}

/* --- a command whose starter was killed --------------------------------------------------------------------------- */

static _Atomic uint32_t *command;

static void starts_a_command(admit_gate *gate, const admit_hold *hold)
{
    if (admit_gate_bequeath(gate, hold, 0) != ADMIT_OK)
        _exit(1);
    if (fork() == 0) {
        if (admit_gate_inherit(gate, hold) != ADMIT_OK)
            _exit(2);
        atomic_store(command, (uint32_t)getpid());
        stay();
    }
}

static bool no_descriptors_left(unsigned unused)
{
    (void)unused;
    struct rlimit limit = {0};
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && (limit.rlim_cur = 0, setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

static bool no_pidfd(unsigned error)
{
    return refuse(SYS_pidfd_open, error);
}

static bool no_files(unsigned error)
{
    return refuse(SYS_openat, error);
}

static bool neither_pidfd_nor_files(unsigned error)
{
    return refuse(SYS_pidfd_open, error) && refuse(SYS_openat, error);
}

struct hardship {
    const char *title;
    bool (*fall)(unsigned error);
    unsigned error;
};

static const struct hardship hardships[] = {
    {"no descriptor left", no_descriptors_left, 0},
    {"pidfd_open: EACCES", no_pidfd, EACCES},
    {"pidfd_open: EINVAL", no_pidfd, EINVAL},
    {"pidfd_open: EPERM", no_pidfd, EPERM},
    {"pidfd_open: ENOSYS", no_pidfd, ENOSYS},
    {"pidfd_open: EMFILE", no_pidfd, EMFILE},
    {"openat: EACCES", no_files, EACCES},
    {"openat: ENOENT", no_files, ENOENT},
    {"both: EACCES", neither_pidfd_nor_files, EACCES},
};
enum { HARDSHIPS = sizeof hardships / sizeof hardships[0] };

/* Looks for two seconds while the command lives, and again when it has ended. */
static void an_orphaned_command_is_not_taken_for_dead(void **state)
{
    (void)state;
    skip_without_filters();
    admit_gate *gate[HARDSHIPS];
    pid_t looker[HARDSHIPS], commands[HARDSHIPS];
    _Atomic uint32_t *ended = shared_words();
    unsigned failed = 0;
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* the commands' ends are this process's to see to */
    for (unsigned h = 0; h < HARDSHIPS; h++) {
        command = shared_words();
        gate[h] = fresh_gate(&one);
        pid_t starter = start_holder_that(gate[h], starts_a_command);
        for (unsigned look = 0; look < SOON_S * 1000 && atomic_load(command) == 0; look++)
            usleep(1000);
        commands[h] = (pid_t)atomic_load(command);
        assert_true(commands[h] > 0);
        children[children_count++] = commands[h];
        munmap((void *)command, 4096);
        end(starter);
        looker[h] = start();
        if (looker[h] == 0) {
            admit_hold hold;
            if (!hardships[h].fall(hardships[h].error))
                _exit(CANNOT);
            for (unsigned look = 0; look < 50; look++, usleep(10000))
                if (admit_gate_try(gate[h], &hold) == ADMIT_OK)
                    _exit(2);
            if (enter_within(gate[h], &hold, 1.5) == ADMIT_OK)
                _exit(2);
            while (atomic_load(ended) == 0)
                usleep(1000);
            _exit(enter_within(gate[h], &hold, SOON_S) == ADMIT_OK ? 0 : 3);
        }
    }
    usleep(2500000);
    for (unsigned h = 0; h < HARDSHIPS; h++)
        if (has_ended(looker[h]))
            looker[h] = -looker[h];
        else
            end(commands[h]);
    atomic_store(ended, 1);
    for (unsigned h = 0; h < HARDSHIPS; h++) {
        bool early = looker[h] < 0;
        int status = outcome(early ? -looker[h] : looker[h], 2 * SOON_S);
        if (status != 0)
            print_message("# %s: %s (%d)\n", hardships[h].title,
                          early ? "went in beside the command that lives" : "was not let in when it had ended", status);
        failed += status != 0;
        admit_gate_close(gate[h]);
    }
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    munmap((void *)ended, 4096);
    assert_int_equal(failed, 0);
}

/* --- any call ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    long call;
} calls[] = {
    {"fcntl", SYS_fcntl},
    {"flock", SYS_flock},
    {"openat", SYS_openat},
    {"fstat", SYS_fstat},
    {"newfstatat", SYS_newfstatat},
    {"statx", SYS_statx},
    {"pread64", SYS_pread64},
    {"read", SYS_read},
    {"readlinkat", SYS_readlinkat},
    {"madvise", SYS_madvise},
    {"mmap", SYS_mmap},
    {"munmap", SYS_munmap},
    {"memfd_create", SYS_memfd_create},
    {"fallocate", SYS_fallocate},
    {"renameat2", SYS_renameat2},
    {"linkat", SYS_linkat},
    {"unlinkat", SYS_unlinkat},
    {"fchmod", SYS_fchmod},
    {"fsync", SYS_fsync},
    {"utimensat", SYS_utimensat},
    {"get_robust_list", SYS_get_robust_list},
    {"futex_waitv", SYS_futex_waitv},
    {"pidfd_open", SYS_pidfd_open},
    {"gettid", SYS_gettid},
    {"kill", SYS_kill},
    {"prctl", SYS_prctl},
    {"getrandom", SYS_getrandom},
    {"sched_getaffinity", SYS_sched_getaffinity},
    {"clock_nanosleep", SYS_clock_nanosleep},
};
enum { CALLS = sizeof calls / sizeof calls[0] };

/* By the handle that it has, and by one that it opens: it may get an error or go in, if it may. */
static int do_what_can_be_done(admit_gate *gate, long call, unsigned error, bool may)
{
    admit_hold hold;
    if (!refuse(call, error))
        return CANNOT;
    for (unsigned h = 0; h < 2; h++) {
        admit_gate *used = h == 0 ? gate : admit_gate_open(admit_gate_name(gate), 1);
        if (used == NULL)
            return admit_last_error() == ADMIT_OK ? 2 : 0;
        bool inside = enter_within(used, &hold, 0.005) == ADMIT_OK;
        if (inside && !may)
            return 3;
        if (inside && admit_gate_leave(used, &hold) != ADMIT_OK)
            return 4;
        admit_gate_resize(used, 1);
        admit_view_free(admit_gate_inspect(used));
        if (h == 1)
            admit_gate_close(used);
    }
    return 0;
}

/* With somebody inside, and with nobody; then whoever is not refused anything finds the gate whole. */
static void an_error_or_another_way(void **state)
{
    (void)state;
    skip_without_filters();
    unsigned failed = 0;
    for (unsigned c = 0; c < CALLS; c++)
        for (unsigned e = c % unless_quick(1, 2); e < ERRORS; e += unless_quick(1, 2)) {
            if (SANITIZED && (calls[c].call == SYS_mmap || calls[c].call == SYS_munmap))
                continue; /* it would be the sanitizer that has no memory */
            admit_gate *gate = fresh_gate(&one);
            for (unsigned may = 0; may < 2; may++) {
                pid_t holder = may ? 0 : start_holder(gate), child = start();
                if (child == 0)
                    _exit(do_what_can_be_done(gate, calls[c].call, errors[e], may));
                int status = outcome(child, SOON_S);
                if (status != 0)
                    print_message("# %s refused with %s, %s inside: %d\n", calls[c].name, strerror((int)errors[e]),
                                  may ? "nobody" : "one", status);
                failed += status != 0;
                if (!may)
                    end(holder);
            }
            unsigned slots = slots_within(gate, 1, SOON_S);
            if (slots != 1)
                print_message("# %s refused with %s: %u slots afterwards\n", calls[c].name, strerror((int)errors[e]),
                              slots);
            failed += slots != 1;
            admit_gate_close(gate);
        }
    assert_int_equal(failed, 0);
}

/* Whoever goes in although a call is refused is inside like everybody else: nobody goes in beside it, and its slot
 * comes back when it is killed. */
static void one_who_goes_in_all_the_same_is_inside(void **state)
{
    (void)state;
    skip_without_filters();
    unsigned failed = 0;
    for (unsigned c = 0; c < CALLS; c++)
        for (unsigned e = c % unless_quick(1, ERRORS); e < ERRORS; e += unless_quick(1, ERRORS)) {
            if (SANITIZED && (calls[c].call == SYS_mmap || calls[c].call == SYS_munmap))
                continue;
            enum { INSIDE = 1, OUTSIDE };
            _Atomic uint32_t *where = shared_words();
            admit_gate *gate = fresh_gate(&one);
            pid_t child = start();
            if (child == 0) {
                admit_hold hold;
                if (!refuse(calls[c].call, errors[e]))
                    _exit(CANNOT);
                admit_error error = enter_within(gate, &hold, 0.1);
                atomic_store(where, error == ADMIT_OK ? INSIDE : OUTSIDE);
                stay();
            }
            for (unsigned look = 0; look < SOON_S * 1000 && atomic_load(where) == 0 && !has_ended(child); look++)
                usleep(1000);
            bool beside = atomic_load(where) == INSIDE && another_gets_in(gate, 0.02);
            if (atomic_load(where) == 0 || has_ended(child) || beside)
                print_message("# %s refused with %s: %s\n", calls[c].name, strerror((int)errors[e]),
                              beside ? "another goes in beside it" : "it ends, or hangs");
            failed += atomic_load(where) == 0 || has_ended(child) || beside;
            end(child);
            unsigned slots = slots_within(gate, 1, SOON_S);
            if (slots != 1)
                print_message("# %s refused with %s: %u slots afterwards\n", calls[c].name, strerror((int)errors[e]),
                              slots);
            failed += slots != 1;
            admit_gate_close(gate);
            munmap((void *)where, 4096);
        }
    assert_int_equal(failed, 0);
}

/* A gate is made whole or not at all, whatever is refused meanwhile. */
static void a_gate_is_made_or_it_is_not(void **state)
{
    (void)state;
    skip_without_filters();
    unsigned failed = 0;
    for (unsigned c = 0; c < CALLS; c++)
        for (unsigned e = c % unless_quick(1, 2); e < ERRORS; e += unless_quick(1, 2)) {
            if (SANITIZED && (calls[c].call == SYS_mmap || calls[c].call == SYS_munmap))
                continue;
            char name[32];
            snprintf(name, sizeof name, "made-%u-%u", c, e);
            pid_t child = start();
            if (child == 0) {
                admit_hold hold;
                if (!refuse(calls[c].call, errors[e]))
                    _exit(CANNOT);
                admit_gate *gate = admit_gate_open(name, 1);
                if (gate == NULL)
                    _exit(admit_last_error() == ADMIT_OK ? 2 : 0);
                if (enter_within(gate, &hold, 0.005) == ADMIT_OK && admit_gate_leave(gate, &hold) != ADMIT_OK)
                    _exit(3);
                _exit(0);
            }
            int status = outcome(child, SOON_S);
            admit_gate *gate = admit_gate_open(name, 1);
            unsigned slots = gate == NULL ? 0 : slots_within(gate, 1, SOON_S);
            if (status != 0 || slots != 1)
                print_message("# %s refused with %s: %d, then %u slots (%s)\n", calls[c].name, strerror((int)errors[e]),
                              status, slots, gate == NULL ? admit_last_error_text() : "");
            failed += status != 0 || slots != 1;
            admit_gate_close(gate);
        }
    assert_int_equal(failed, 0);
}

/* Nobody takes part of whose death nobody would learn; and the error is about that. */
static void without_a_robust_list_nobody_takes_part(void **state)
{
    (void)state;
    skip_without_filters();
    admit_gate *gate = fresh_gate(&one);
    pid_t child = start();
    if (child == 0) {
        admit_hold hold;
        if (!refuse(SYS_get_robust_list, ENOSYS))
            _exit(CANNOT);
        if (admit_gate_enter(gate, &hold) != ADMIT_UNSUPPORTED || admit_last_error() != ADMIT_UNSUPPORTED)
            _exit(1);
        _exit(strstr(admit_last_error_text(), "robust list") != NULL ? 0 : 2);
    }
    assert_int_equal(outcome(child, SOON_S), 0);
    admit_gate_close(gate);
}

enum { ANCHORED = 1U << 31 };

/* Where the kernel does not say whether an anchor holds, there is none. What stands beside the life word then is still
 * one's own: by it those are told apart whose threads have the same number, in other pid namespaces. */
static void one_without_an_anchor_has_a_number_of_its_own(void **state)
{
    (void)state;
    skip_without_filters();
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 2, .capacity = 16});
    pid_t child = start();
    if (child == 0) {
        admit_hold hold;
        admit_gate *another = admit_gate_open(admit_gate_name(gate), 0);
        if (another == NULL || !refuse_where(SYS_fcntl, 1, F_OFD_GETLK, EINVAL))
            _exit(CANNOT);
        if (admit_gate_enter(gate, &hold) != ADMIT_OK || admit_gate_enter(another, &hold) != ADMIT_OK)
            _exit(1);
        uint32_t one_of_two = gate->local->anchor->number, other = another->local->anchor->number;
        _exit((one_of_two & ANCHORED) == 0 && (other & ANCHORED) == 0 && one_of_two != other ? 0 : 2);
    }
    assert_int_equal(outcome(child, SOON_S), 0);
    admit_gate_close(gate);
}

/* However many descriptors are left: it works, or the error says what is missing. */
static void the_last_descriptors(void **state)
{
    (void)state;
    unsigned failed = 0;
    admit_gate_close(admit_gate_open("described", 1));
    for (unsigned left = 0; left < 8; left++) {
        pid_t child = start();
        if (child == 0) {
            admit_hold hold;
            int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
            close(next);
            struct rlimit limit = {.rlim_cur = (rlim_t)next + left, .rlim_max = (rlim_t)next + left};
            if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
                _exit(CANNOT);
            admit_gate *gate = admit_gate_open("described", 1);
            if (gate == NULL)
                _exit(admit_last_error() != ADMIT_SYSTEM || strstr(admit_last_error_text(), strerror(EMFILE)) == NULL);
            if (admit_gate_enter(gate, &hold) != ADMIT_OK)
                _exit(admit_last_error_text()[0] == '\0' ? 2 : 0);
            _exit(admit_gate_leave(gate, &hold) == ADMIT_OK ? 0 : 3);
        }
        int status = outcome(child, SOON_S);
        if (status != 0)
            print_message("# %u descriptors left: %d\n", left, status);
        failed += status != 0;
    }
    assert_int_equal(failed, 0);
}

/* That there is none for the directory's either, once it must not have the number of standard input, is the reason; not
 * what comes of closing that one. */
static void a_close_that_fails_hides_no_reason(void **state)
{
    (void)state;
    skip_without_filters();
    pid_t child = start();
    if (child == 0) {
        int next;
        while ((next = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0 && next < 64)
            ;
        struct rlimit limit = {.rlim_cur = 64, .rlim_max = 64};
        if (next < 0 || setrlimit(RLIMIT_NOFILE, &limit) != 0 || close(0) != 0 || !refuse(SYS_close, EIO))
            _exit(CANNOT);
        if (admit_gate_open("described", 1) != NULL)
            _exit(1);
        _exit(strstr(admit_last_error_text(), strerror(EMFILE)) != NULL ? 0 : 2);
    }
    assert_int_equal(outcome(child, SOON_S), 0);
}

/* However much memory is left: by name, and without one. */
static void the_last_memory(void **state)
{
    (void)state;
    if (SANITIZED)
        skip_because("the sanitizer needs memory of its own");
    unsigned failed = 0;
    admit_gate_close(admit_gate_open("remembered", 1));
    for (size_t left = 0; left <= 1 << 16; left = left > 0 ? 2 * left : 16)
        for (unsigned named = 0; named < 2; named++) {
            pid_t child = start();
            if (child == 0) {
                if (!use_up_memory_but(left))
                    _exit(CANNOT);
                admit_gate *gate =
                    named ? admit_gate_open("remembered", 1) : admit_gate_create_private(&(admit_gate_options){.k = 1});
                _exit(gate == NULL && admit_last_error() == ADMIT_NO_MEMORY ? 0 : 1); /* it must be mapped, too */
            }
            int status = outcome(child, SOON_S);
            if (status == CANNOT)
                skip_because("memory is not limited here");
            if (status != 0)
                print_message("# %zu bytes left: %d\n", left, status);
            failed += status != 0;
        }
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAULT(one_who_waits_does_not_spin),
        FAULT(an_orphaned_command_is_not_taken_for_dead),
        FAULT(an_error_or_another_way),
        FAULT(one_who_goes_in_all_the_same_is_inside),
        FAULT(a_gate_is_made_or_it_is_not),
        FAULT(the_last_descriptors),
        FAULT(a_close_that_fails_hides_no_reason),
        FAULT(the_last_memory),
        FAULT(without_a_robust_list_nobody_takes_part),
        FAULT(one_without_an_anchor_has_a_number_of_its_own),
    };
    return run_faults("refused", tests);
}
