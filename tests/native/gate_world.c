/* SPDX-License-Identifier: MIT
 *
 * The gate in a world that is not as one would like it: more participants than the kernel watches at once, a kernel
 * without futex_waitv, a full disk, other users, containers, a releaser that is killed before it has woken anybody,
 * deaths and removal while those in line nap.
 * What needs root, or a kernel that allows it, is skipped elsewhere, with the reason.
 */
#include "gate_holder.h"

#include "gate/calls/calls.h"

#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static int status_of(pid_t child)
{
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + status;
}

static void await_waiters(admit_gate *gate, unsigned many)
{
    while (waiters_of(gate) < many)
        usleep(200);
}

static admit_error enter_within_seconds(admit_gate *gate, admit_hold *hold, unsigned seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += seconds;
    return admit_gate_enter_until(gate, hold, &until);
}

/* --- a crowd ------------------------------------------------------------------------------------------------------ */

enum { CROWD = 200, K = 3 };

/* All of them are in line before anybody goes in. Some are killed there, and the holders too. */
static void more_than_the_kernel_watches_at_once(void **state)
{
    (void)state;
    struct gate_witness *witness = make_gate_witness();
    char path[PATH_MAX + 16];
    pid_t holder[K], child[CROWD];
    snprintf(path, sizeof path, "%s/crowd~", test_directory());
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = K, .most_k = K, .capacity = 256});
    for (unsigned h = 0; h < K; h++)
        holder[h] = start_holder(gate);
    for (unsigned c = 0; c < CROWD; c++) {
        child[c] = fork();
        if (child[c] != 0)
            continue;
        admit_hold hold;
        int file = open_witness_file(path);
        for (unsigned pass = 0; pass < 3; pass++) {
            if (admit_gate_enter(gate, &hold) != ADMIT_OK)
                _exit(1);
            witness_enter(witness, file, hold.slot, K);
            if (c % 16 == 0)
                usleep(100);
            witness_leave(file, hold.slot);
            admit_gate_leave(gate, &hold);
        }
        _exit(0);
    }
    await_waiters(gate, CROWD);
    for (unsigned c = 0; c < CROWD; c += 10) {
        atomic_store(&witness->doomed[child[c] % WITNESS_PIDS], 1);
        end_child(child[c]);
    }
    uint64_t before = monotonic_ns();
    for (unsigned h = 0; h < K; h++)
        end_child(holder[h]);
    while (atomic_load(&witness->entries) == 0)
        usleep(100);
    print_message("# %u in line: %.1f ms from the end of %u holders to the first entry\n", CROWD - CROWD / 10,
                  (double)(monotonic_ns() - before) / 1e6, K);
    for (unsigned c = 0; c < CROWD; c++)
        if (c % 10 != 0)
            assert_int_equal(status_of(child[c]), 0);
    assert_int_equal(witness->violations, 0);
    assert_int_equal(witness->entries, (CROWD - CROWD / 10) * 3);
    assert_all_slots_are_there(gate, K);
    admit_gate_close(gate);
    munmap(witness, sizeof *witness);
}

/* --- without futex_waitv ------------------------------------------------------------------------------------------ */

/* From now on the kernel answers futex_waitv by this error. */
static bool refuse_waitv(unsigned error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex_waitv, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof code[0], .filter = code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 &&
           syscall(SYS_futex_waitv, NULL, 0, 0, NULL, 0) < 0 && errno == (int)error;
}

enum { CANNOT = 77 };

static void a_kernel_without_futex_waitv_will_do(void **state)
{
    (void)state;
    static const unsigned errors[] = {ENOSYS, EPERM};
    for (unsigned e = 0; e < 2; e++) {
        admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = 8});
        pid_t waiter[2], holder = start_holder(gate);
        for (unsigned w = 0; w < 2; w++) {
            waiter[w] = fork();
            if (waiter[w] == 0) {
                admit_hold hold;
                if (!refuse_waitv(errors[e]))
                    _exit(CANNOT);
                if (enter_within_seconds(gate, &hold, 20) != ADMIT_OK || hold.owner_died != (w == 0))
                    _exit(1);
                _exit(admit_gate_leave(gate, &hold));
            }
            for (int status; waiters_of(gate) <= w; usleep(200))
                if (waitpid(waiter[w], &status, WNOHANG) != 0) { /* it has not come so far */
                    end_child(holder);
                    if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT) {
                        print_message("# skipped: no seccomp filters here\n");
                        skip();
                    }
                    fail_msg("a waiter ended with %x", (unsigned)status);
                }
        }
        end_child(holder);
        assert_int_equal(status_of(waiter[0]), 0);
        assert_int_equal(status_of(waiter[1]), 0);
        assert_all_slots_are_there(gate, 1);
        admit_gate_close(gate);
    }
}

/* --- a full disk -------------------------------------------------------------------------------------------------- */

/* In a child with mounts of its own, so that nothing is left mounted. */
static void a_full_disk_is_named_and_leaves_nothing(void **state)
{
    (void)state;
    char directory[PATH_MAX + 16], path[PATH_MAX + 32];
    snprintf(directory, sizeof directory, "%s/small~", test_directory());
    snprintf(path, sizeof path, "%s/gate", directory);
    assert_int_equal(mkdir(directory, 0700), 0);
    pid_t child = fork();
    if (child == 0) {
        if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount("none", directory, "tmpfs", 0, "size=128k") != 0)
            _exit(CANNOT);
        if (admit_gate_open(path, 1) != NULL || admit_last_error() != ADMIT_DISK_FULL ||
            strstr(admit_last_error_text(), path) == NULL)
            _exit(1);
        if (rmdir(directory) == 0 || errno != EBUSY || access(path, F_OK) == 0)
            _exit(2);
        admit_hold hold;
        admit_gate *gate =
            admit_gate_open_with(path, &(admit_gate_options){.k = 1, .most_k = 1, .capacity = 8}); /* fits */
        if (gate == NULL || admit_gate_enter(gate, &hold) != ADMIT_OK || admit_gate_leave(gate, &hold) != ADMIT_OK)
            _exit(3);
        admit_gate_close(gate);
        _exit(0);
    }
    int status = status_of(child);
    if (status == CANNOT) {
        print_message("# skipped: it takes root to mount a small file system\n");
        skip();
    }
    assert_int_equal(status, 0);
}

/* Without /proc nobody can tell whether a gate is of an earlier boot: what is in it is left alone. */
static void a_gate_in_use_is_not_emptied_without_proc(void **state)
{
    (void)state;
    admit_hold hold;
    admit_gate *gate = admit_gate_open("used", 1);
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    pid_t child = fork();
    if (child == 0) {
        if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount("none", "/proc", "tmpfs", 0, NULL) != 0)
            _exit(CANNOT);
        admit_gate *here = admit_gate_open("used", 1);
        _exit(here != NULL && admit_gate_try(here, &hold) == ADMIT_NO_SLOT ? 0 : 1);
    }
    int status = status_of(child);
    admit_gate *again = admit_gate_open("used", 1);
    assert_int_equal(admit_gate_try(again, &(admit_hold){0}), ADMIT_NO_SLOT);
    admit_gate_close(again);
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    admit_gate_close(gate);
    assert_int_equal(admit_gate_remove("used", 0), ADMIT_OK);
    if (status == CANNOT) {
        print_message("# skipped: it takes root to hide /proc\n");
        skip();
    }
    assert_int_equal(status, 0);
}

/* --- two users ---------------------------------------------------------------------------------------------------- */

static pid_t fork_as(uid_t user)
{
    pid_t child = fork();
    if (child == 0 && (setgroups(0, NULL) != 0 || setgid(user) != 0 || setuid(user) != 0))
        _exit(CANNOT);
    return child;
}

enum { ONE = 65534, OTHER = 65533 };

static void only_root_can_be_two_users(void)
{
    if (geteuid() == 0)
        return;
    print_message("# skipped: it takes root to be two users\n");
    skip();
}

static void a_gate_is_private_unless_it_is_shared(void **state)
{
    (void)state;
    only_root_can_be_two_users();
    char directory[PATH_MAX + 16], own[PATH_MAX + 32], shared[PATH_MAX + 32];
    snprintf(directory, sizeof directory, "%s/all", test_directory());
    snprintf(own, sizeof own, "%s/own", directory);
    snprintf(shared, sizeof shared, "%s/shared", directory);
    assert_int_equal(chmod(test_directory(), 0755), 0);
    assert_int_equal(mkdir(directory, 0755), 0);
    assert_int_equal(chmod(directory, 01777), 0);
    pid_t child = fork_as(ONE);
    if (child == 0)
        _exit(admit_gate_open(own, 1) != NULL &&
                      admit_gate_open_with(shared, &(admit_gate_options){.k = 1, .mode = 0666}) != NULL
                  ? 0
                  : 1);
    assert_int_equal(status_of(child), 0);

    int told[2];
    assert_int_equal(pipe(told), 0);
    pid_t holder = fork_as(ONE);
    if (holder == 0) {
        admit_hold hold;
        admit_gate *gate = admit_gate_open(shared, 1);
        if (gate == NULL || admit_gate_enter(gate, &hold) != ADMIT_OK)
            _exit(1);
        say(told[1]);
        for (;;)
            pause();
    }
    close(told[1]);
    assert_true(hear(told[0]));
    close(told[0]);
    pid_t other = fork_as(OTHER);
    if (other == 0) {
        admit_hold hold;
        if (admit_gate_open(own, 1) != NULL || admit_last_error() != ADMIT_NO_PERMISSION)
            _exit(1);
        if (admit_gate_remove(own, 1) != ADMIT_NO_PERMISSION || access(own, F_OK) != 0)
            _exit(2);
        setenv("ADMIT_DIR", directory, 1); /* by name as by path */
        if (admit_gate_open("own", 1) != NULL || admit_last_error() != ADMIT_NO_PERMISSION)
            _exit(2);
        if (admit_gate_open("shared", 1) == NULL)
            _exit(3);
        admit_gate *gate = admit_gate_open(shared, 1);
        if (gate == NULL || admit_gate_try(gate, &hold) != ADMIT_NO_SLOT)
            _exit(4);
        if (enter_within_seconds(gate, &hold, 20) != ADMIT_OK || !hold.owner_died)
            _exit(5);
        _exit(admit_gate_leave(gate, &hold) == ADMIT_OK ? 0 : 6);
    }
    admit_gate *gate = admit_gate_open(shared, 0);
    assert_non_null(gate);
    await_waiters(gate, 1);
    end_child(holder);
    assert_int_equal(status_of(other), 0);
    assert_all_slots_are_there(gate, 1);
    admit_gate_close(gate);
}

/* --- containers --------------------------------------------------------------------------------------------------- */

/* The first process of a new pid namespace, as a container's: number 1, whoever else is. It ends with its starter. */
static pid_t fork_into_container(void)
{
    pid_t outside = fork();
    if (outside != 0)
        return outside;
    if (unshare(CLONE_NEWPID) != 0)
        _exit(CANNOT);
    pid_t inside = fork();
    if (inside == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getpid() != 1)
            _exit(8);
        return 0;
    }
    int status = 0;
    waitpid(inside, &status, 0);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 100);
}

static void skip_without_containers(void)
{
    pid_t child = fork_into_container();
    if (child == 0)
        _exit(0);
    int status = status_of(child);
    if (status == CANNOT) {
        print_message("# skipped: it takes root to make a pid namespace\n");
        skip();
    }
    assert_int_equal(status, 0);
}

/* Two containers, in which both are number 1. */
static void equal_numbers_in_containers_are_not_confused(void **state)
{
    (void)state;
    skip_without_containers();
    int told[2];
    admit_hold hold;
    admit_gate *gate = admit_gate_open("containers", 1);
    assert_int_equal(pipe(told), 0);
    pid_t holder = fork_into_container();
    if (holder == 0) {
        if (admit_gate_enter(gate, &hold) != ADMIT_OK)
            _exit(1);
        say(told[1]);
        for (;;)
            pause();
    }
    assert_true(hear(told[0]));
    pid_t brief = fork_into_container(); /* the same number comes, finds no slot, and ends: the holder holds */
    if (brief == 0)
        _exit(admit_gate_try(gate, &hold) == ADMIT_NO_SLOT ? 0 : 1);
    assert_int_equal(status_of(brief), 0);
    assert_int_equal(admit_gate_try(gate, &hold), ADMIT_NO_SLOT);
    admit_view *view = admit_gate_inspect(gate);
    assert_int_equal(view->holders, 1);
    assert_int_equal(view->holder[0].condition, ADMIT_LIVES);
    assert_int_equal(view->holder[0].pid, 1);
    admit_view_free(view);
    pid_t waiter = fork_into_container();
    if (waiter == 0) {
        if (enter_within_seconds(gate, &hold, 20) != ADMIT_OK || !hold.owner_died)
            _exit(1);
        _exit(admit_gate_leave(gate, &hold) == ADMIT_OK ? 0 : 2);
    }
    await_waiters(gate, 1);
    end_child(holder);
    assert_int_equal(status_of(waiter), 0);
    assert_all_slots_are_there(gate, 1);
    close(told[0]), close(told[1]);
    admit_gate_close(gate);
    assert_int_equal(admit_gate_remove("containers", 0), ADMIT_OK);
}

/* A command whose starter was killed, in a container: from outside nobody can tell whether it has ended. It holds. */
static void a_command_in_a_container_is_not_judged_from_outside(void **state)
{
    (void)state;
    skip_without_containers();
    int told[2], ready[2];
    admit_hold hold;
    admit_gate *gate = admit_gate_open("contained", 1);
    assert_int_equal(pipe(told), 0);
    assert_int_equal(pipe(ready), 0);
    pid_t container = fork_into_container();
    if (container == 0) {
        pid_t starter = fork();
        if (starter == 0) {
            if (admit_gate_enter(gate, &hold) != ADMIT_OK || admit_gate_bequeath(gate, &hold, 0) != ADMIT_OK)
                _exit(1);
            if (fork() == 0) {
                if (admit_gate_inherit(gate, &hold) != ADMIT_OK)
                    _exit(2);
                say(told[1]);
            }
            for (;;)
                pause();
        }
        if (!hear(told[0]))
            _exit(3);
        end_child(starter);
        if (admit_gate_try(gate, &hold) != ADMIT_NO_SLOT) /* the command lives */
            _exit(4);
        say(ready[1]);
        for (;;)
            pause();
    }
    close(ready[1]);
    assert_true(hear(ready[0]));
    for (unsigned look = 0; look < 200; look++) {
        assert_int_equal(admit_gate_try(gate, &hold), ADMIT_NO_SLOT);
        usleep(500);
    }
    admit_view *view = admit_gate_inspect(gate);
    assert_int_equal(view->holders, 1);
    assert_int_equal(view->holder[0].condition, ADMIT_UNKNOWN);
    admit_view_free(view);
    end_child(container);
    close(told[0]), close(told[1]), close(ready[0]);
    admit_gate_close(gate);
    assert_int_equal(admit_gate_remove("contained", 0), ADMIT_BUSY);
    assert_int_equal(admit_gate_remove("contained", 1), ADMIT_OK);
}

/* Where the starter is, the number of a child in a new pid namespace is another's: it may not inherit by it. */
static void a_hold_is_not_inherited_into_a_container(void **state)
{
    (void)state;
    skip_without_containers();
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1});
    admit_hold hold;
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    assert_int_equal(admit_gate_bequeath(gate, &hold, 0), ADMIT_OK);
    pid_t child = fork_into_container();
    if (child == 0)
        _exit(admit_gate_inherit(gate, &hold) == ADMIT_UNSUPPORTED ? 0 : 1);
    assert_int_equal(status_of(child), 0);
    child = fork();
    if (child == 0)
        _exit(admit_gate_inherit(gate, &hold) == ADMIT_OK ? 0 : 1);
    assert_int_equal(status_of(child), 0);
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    admit_gate_close(gate);
}

/* --- a releaser killed on its way out ----------------------------------------------------------------------------- */

/* At a random instant around the return of its ticket, with one asleep behind it: which always goes in. */
static void a_releaser_may_die_before_it_has_woken_anybody(void **state)
{
    (void)state;
    unsigned rounds = unless_quick(1000, 150);
    uint64_t random = 88172645463325252u, longest = 0;
    _Atomic uint32_t *go = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = 8});
    for (unsigned round = 0; round < rounds; round++) {
        atomic_store(go, 0);
        pid_t releaser = fork();
        if (releaser == 0) {
            admit_hold hold;
            if (admit_gate_enter(gate, &hold) != ADMIT_OK)
                _exit(1);
            atomic_store(go, 1);
            while (atomic_load(go) != 2)
                sched_yield();
            admit_gate_leave(gate, &hold);
            for (;;)
                pause();
        }
        while (atomic_load(go) != 1)
            sched_yield();
        pid_t waiter = fork();
        if (waiter == 0) {
            admit_hold hold;
            _exit(enter_within_seconds(gate, &hold, 20) == ADMIT_OK && admit_gate_leave(gate, &hold) == ADMIT_OK ? 0
                                                                                                                 : 1);
        }
        await_waiters(gate, 1);
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        uint64_t before = monotonic_ns(), until = before + (random >> 33) % 30000;
        atomic_store(go, 2);
        while (monotonic_ns() < until)
            ;
        end_child(releaser);
        assert_int_equal(status_of(waiter), 0);
        uint64_t took = monotonic_ns() - before;
        longest = took > longest ? took : longest;
    }
    print_message("# %u releasers killed; the next one was in and out after %.1f ms at most\n", rounds,
                  (double)longest / 1e6);
    assert_all_slots_are_there(gate, 1);
    admit_gate_close(gate);
    munmap((void *)go, 4096);
}

/* --- stopped just then -------------------------------------------------------------------------------------------- */

/* The kernel wakes one of those asleep when a holder dies. That one is stopped before it can do anything about it, most
 * of the time: the other goes in nevertheless. */
static void who_is_woken_and_stopped_holds_up_nobody(void **state)
{
    (void)state;
#ifdef ADMIT_NO_LOOKS
    skip(); /* the other looks by itself */
#endif
    unsigned rounds = unless_quick(20, 8);
    uint64_t longest = 0;
    for (unsigned round = 0; round < rounds; round++) {
        admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 2, .most_k = 2, .capacity = 8});
        pid_t waiter[2], holder[2] = {start_holder(gate), start_holder(gate)};
        for (unsigned w = 0; w < 2; w++) {
            waiter[w] = fork();
            if (waiter[w] == 0) {
                admit_hold hold;
                _exit(enter_within_seconds(gate, &hold, 20) == ADMIT_OK ? 0 : 1);
            }
            await_waiters(gate, w + 1);
        }
        usleep(2000);
        uint64_t before = monotonic_ns();
        kill(holder[0], SIGKILL), kill(holder[1], SIGKILL);
        while (monotonic_ns() < before + round * 10000)
            ;
        kill(waiter[0], SIGSTOP);
        assert_int_equal(status_of(waiter[1]), 0);
        uint64_t took = monotonic_ns() - before;
        longest = took > longest ? took : longest;
        end_child(waiter[0]);
        assert_int_equal(waitpid(holder[0], NULL, 0), holder[0]);
        assert_int_equal(waitpid(holder[1], NULL, 0), holder[1]);
        assert_all_slots_are_there(gate, 2);
        admit_gate_close(gate);
    }
    print_message("# with the first in line stopped, the second was in after %.1f ms at most\n", (double)longest / 1e6);
}

/* --- while they nap ----------------------------------------------------------------------------------------------- */

enum { LINE = 5, WAS_REMOVED = 2, TOO_LONG_S = 20 };

/* One behind the other, each without a condition: all but the first nap, for as long as one may. */
static void form_line(admit_gate *gate, pid_t waiter[LINE])
{
    for (unsigned w = 0; w < LINE; w++) {
        waiter[w] = fork();
        if (waiter[w] == 0) {
            admit_hold hold;
            alarm(TOO_LONG_S);
            admit_error error = admit_gate_enter(gate, &hold);
            if (error == ADMIT_OK)
                error = admit_gate_leave(gate, &hold);
            _exit(error == ADMIT_OK ? 0 : error == ADMIT_REMOVED ? WAS_REMOVED : 1);
        }
        await_waiters(gate, w + 1);
    }
}

/* The holder, and so many of those in line, from the first, who may be the only one that watches. */
static void deaths_are_noticed_by_those_who_nap(void **state)
{
    (void)state;
    for (unsigned killed = 0; killed < LINE; killed++) {
        admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = LINE + 3});
        pid_t waiter[LINE], holder = start_holder(gate);
        form_line(gate, waiter);
        for (unsigned w = 0; w < killed; w++)
            kill(waiter[w], SIGKILL);
        end_child(holder);
        for (unsigned w = 0; w < LINE; w++)
            assert_int_equal(status_of(waiter[w]), w < killed ? 100 + SIGKILL : 0);
        assert_all_slots_are_there(gate, 1);
        admit_gate_close(gate);
    }
}

/* Each of those in line is killed as soon as it is inside, so that nobody leaves. */
static void one_after_the_other_dies_inside(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = LINE + 3});
    _Atomic uint32_t *inside = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    admit_hold hold;
    pid_t child[LINE];
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    for (unsigned c = 0; c < LINE; c++) {
        child[c] = fork();
        if (child[c] == 0) {
            alarm(TOO_LONG_S);
            if (admit_gate_enter(gate, &hold) != ADMIT_OK || atomic_fetch_add(inside, 1) != c ||
                hold.owner_died != (c > 0))
                _exit(1);
            kill(getpid(), SIGKILL);
        }
        await_waiters(gate, c + 1);
    }
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    for (unsigned c = 0; c < LINE; c++)
        assert_int_equal(status_of(child[c]), 100 + SIGKILL);
    assert_int_equal(atomic_load(inside), LINE);
    assert_all_slots_are_there(gate, 1);
    admit_gate_close(gate);
    munmap((void *)inside, 4096);
}

static void a_removal_reaches_those_who_nap(void **state)
{
    (void)state;
    admit_gate *gate =
        admit_gate_open_with("napping", &(admit_gate_options){.k = 1, .most_k = 1, .capacity = LINE + 3});
    assert_non_null(gate);
    pid_t waiter[LINE], holder = start_holder(gate);
    form_line(gate, waiter);
    assert_int_equal(admit_gate_remove("napping", 1), ADMIT_OK);
    for (unsigned w = 0; w < LINE; w++)
        assert_int_equal(status_of(waiter[w]), WAS_REMOVED);
    end_child(holder);
    admit_gate_close(gate);
}

int main(void)
{
    test_directory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_than_the_kernel_watches_at_once),
        cmocka_unit_test(a_kernel_without_futex_waitv_will_do),
        cmocka_unit_test(a_full_disk_is_named_and_leaves_nothing),
        cmocka_unit_test(a_gate_in_use_is_not_emptied_without_proc),
        cmocka_unit_test(a_gate_is_private_unless_it_is_shared),
        cmocka_unit_test(equal_numbers_in_containers_are_not_confused),
        cmocka_unit_test(a_command_in_a_container_is_not_judged_from_outside),
        cmocka_unit_test(a_hold_is_not_inherited_into_a_container),
        cmocka_unit_test(a_releaser_may_die_before_it_has_woken_anybody),
        cmocka_unit_test(who_is_woken_and_stopped_holds_up_nobody),
        cmocka_unit_test(deaths_are_noticed_by_those_who_nap),
        cmocka_unit_test(one_after_the_other_dies_inside),
        cmocka_unit_test(a_removal_reaches_those_who_nap),
    };
    int failed = cmocka_run_group_tests_name("gate world", tests, NULL, NULL);
    remove_test_directory();
    return failed;
}
