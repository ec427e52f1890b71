/* SPDX-License-Identifier: MIT
 *
 * Where a gate is, and where those who use it are: on overlayfs, as the root of most containers is, by another name,
 * and without /proc. Promised: a living holder is never taken for dead, whatever a file system does with mappings and
 * locks and by whatever name its file is opened; and where there is no /proc, a command that holds on after its
 * starter was killed holds until it has ended, and one whose end could not be seen is not let hold.
 */
#include "faults.h"
#include "gate/calls/calls.h"

#include <sys/ioctl.h>
#include <sys/mount.h>

static const admit_gate_options one = {.k = 1, .capacity = 16};

/* A child with mounts of its own. */
static pid_t start_with_own_mounts(void)
{
    pid_t child = start();
    if (child == 0 && (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0))
        _exit(CANNOT);
    return child;
}

/* In the child: an overlay in this directory, whose parts are on a file system of memory. */
static bool mount_overlay(const char *directory, char *merged, size_t size)
{
    static const char *const parts[] = {"lower", "upper", "work", "merged"};
    char options[4 * PATH_MAX], path[PATH_MAX + 64];
    if (mount("none", directory, "tmpfs", 0, NULL) != 0)
        return false;
    for (unsigned p = 0; p < 4; p++) {
        snprintf(path, sizeof path, "%s/%s", directory, parts[p]);
        if (mkdir(path, 0700) != 0)
            return false;
    }
    snprintf(options, sizeof options, "lowerdir=%s/lower,upperdir=%s/upper,workdir=%s/work", directory, directory,
             directory);
    snprintf(merged, size, "%s/merged", directory);
    return mount("overlay", merged, "overlay", 0, options) == 0;
}

/* In a child, where an overlay is mounted: 0, or what went wrong. */
static int exclude_each_other(const char *merged)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/gate", merged);
    admit_gate *gate = admit_gate_open_with(path, &one);
    if (gate == NULL)
        return 10;
    pid_t holder = start_holder(gate);
    if (another_gets_in(gate, 2)) /* longer than anybody takes to look for the dead */
        return 11;
    end(holder);
    return slots_within(gate, 1, SOON_S) == 1 ? 0 : 12;
}

static void a_living_one_is_not_taken_for_dead_on_overlayfs(void **state)
{
    (void)state;
    char directory[PATH_MAX + 16], merged[PATH_MAX + 32];
    snprintf(directory, sizeof directory, "%s/overlay~", test_directory());
    assert_int_equal(mkdir(directory, 0700), 0);
    pid_t child = start_with_own_mounts();
    if (child == 0)
        _exit(mount_overlay(directory, merged, sizeof merged) ? exclude_each_other(merged) : CANNOT);
    int how = outcome(child, 2 * SOON_S);
    if (how == CANNOT)
        skip_because("it takes root, and overlayfs in the kernel");
    assert_int_equal(how, 0);
}

/* --- another name ------------------------------------------------------------------------------------------------- */

/* In the newcomer: from now on the gate's file has this name too, or instead. */
typedef bool naming_fn(const char *path, const char *other);

static bool link_it(const char *path, const char *other)
{
    return link(path, other) == 0;
}

static bool move_it(const char *path, const char *other)
{
    return rename(path, other) == 0;
}

/* As into a container. */
static bool mount_it(const char *path, const char *other)
{
    int fd = open(other, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    close(fd);
    return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount(path, other, NULL, MS_BIND, NULL) == 0;
}

/* 0: it went in when the holder had been killed, and not before. */
static int come_by(const char *other, _Atomic uint32_t *turn)
{
    admit_hold hold;
    admit_gate *gate = admit_gate_open(other, 1);
    if (gate == NULL)
        return 10;
    if (admit_gate_try(gate, &hold) != ADMIT_NO_SLOT || enter_within(gate, &hold, 2) != ADMIT_TIMED_OUT)
        return 11;
    atomic_store(turn, 1);
    if (!comes_true(turn, 2, LONG_S))
        return 12;
    if (enter_within(gate, &hold, SOON_S) != ADMIT_OK)
        return 13;
    return admit_gate_leave(gate, &hold) == ADMIT_OK ? 0 : 14;
}

static void come_by_another_name(naming_fn *give, const char *needed)
{
    char other[PATH_MAX + 16];
    _Atomic uint32_t *turn = shared_words();
    admit_gate *gate = fresh_gate(&one);
    snprintf(other, sizeof other, "%s-other", admit_gate_path(gate));
    pid_t holder = start_holder(gate), newcomer = start();
    if (newcomer == 0)
        _exit(give(admit_gate_path(gate), other) ? come_by(other, turn) : CANNOT);
    while (atomic_load(turn) == 0 && !has_ended(newcomer))
        usleep(1000); /* it has its deadlines */
    if (atomic_load(turn) == 1) {
        end(holder);
        atomic_store(turn, 2);
    }
    int how = outcome(newcomer, 2 * SOON_S);
    admit_gate_close(gate);
    munmap((void *)turn, 4096);
    if (how == CANNOT)
        skip_because(needed);
    assert_int_equal(how, 0);
}

static void a_hard_link_is_the_same_gate(void **state)
{
    (void)state;
    come_by_another_name(link_it, "no hard links here");
}

static void a_file_that_was_moved_is_the_same_gate(void **state)
{
    (void)state;
    come_by_another_name(move_it, "files cannot be moved here");
}

static void a_file_that_is_mounted_elsewhere_is_the_same_gate(void **state)
{
    (void)state;
    come_by_another_name(mount_it, "it takes root to mount a file elsewhere");
}

/* --- without /proc ------------------------------------------------------------------------------------------------ */

static _Atomic uint32_t *command;

/* In a child without /proc. */
static void starts_a_command_that_ends(admit_gate *gate, const admit_hold *hold)
{
    if (admit_gate_bequeath(gate, hold, 0) != ADMIT_OK)
        _exit(2);
    if (fork() == 0) {
        if (admit_gate_inherit(gate, hold) != ADMIT_OK)
            _exit(3);
        atomic_store(&command[0], (uint32_t)getpid());
        while (atomic_load(&command[1]) == 0)
            usleep(1000);
        _exit(0);
    }
}

/* By a pidfd. Asked here, and not told by the outcome: where the kernel does, there is nothing to skip. */
static bool kernel_tells_namespaces(void)
{
    enum { OF_PIDS = 5 };
    int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
    int fd = pidfd >= 0 ? ioctl(pidfd, _IO(0xff, OF_PIDS), 0) : -1;
    if (fd >= 0)
        close(fd);
    if (pidfd >= 0)
        close(pidfd);
    return fd >= 0;
}

/* The starter and the process that looks: each with or without /proc. A kernel that tells a namespace only by /proc
 * says so. */
static void an_orphaned_command_without_proc(void **state)
{
    (void)state;
    for (unsigned hidden = 0; hidden < 4; hidden++) {
        command = shared_words();
        admit_gate *gate = fresh_gate(&one);
        pid_t starter = start_with_own_mounts();
        if (starter == 0) {
            admit_hold hold;
            if ((hidden & 1) != 0 && mount("none", "/proc", "tmpfs", 0, NULL) != 0)
                _exit(CANNOT);
            if (enter_within(gate, &hold, SOON_S) != ADMIT_OK)
                _exit(1);
            starts_a_command_that_ends(gate, &hold);
            stay();
        }
        for (unsigned look = 0; look < SOON_S * 1000 && atomic_load(command) == 0 && !has_ended(starter); look++)
            usleep(1000);
        if (atomic_load(command) == 0 && outcome(starter, SOON_S) == CANNOT)
            skip_because("it takes root to hide /proc");
        end(starter);
        bool got_in = another_gets_in(gate, 1);
        atomic_store(&command[1], 1);
        assert_false(got_in);
        pid_t looker = start_with_own_mounts();
        if (looker == 0) {
            admit_hold hold;
            if ((hidden & 2) != 0 && mount("none", "/proc", "tmpfs", 0, NULL) != 0)
                _exit(CANNOT);
            _exit((int)enter_within(gate, &hold, SOON_S));
        }
        int how = outcome(looker, 2 * SOON_S);
        admit_gate_close(gate);
        munmap((void *)command, 4096);
        if (how == ADMIT_TIMED_OUT && hidden != 0 && !kernel_tells_namespaces())
            skip_because("before Linux 6.11 a namespace is told by /proc alone");
        assert_int_equal(how, ADMIT_OK);
    }
}

/* In the starter: how its child's inheriting ended. */
static int inherited_elsewhere(admit_gate *gate, const char *empty, bool knows_itself)
{
    admit_hold hold;
    int status;
    if (enter_within(gate, &hold, SOON_S) != ADMIT_OK || admit_gate_bequeath(gate, &hold, 0) != ADMIT_OK)
        return 80;
    if (unshare(CLONE_NEWPID) != 0)
        return CANNOT;
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (chroot(empty) != 0 || chdir("/") != 0 || (!knows_itself && !refuse(SYS_pidfd_open, ENOSYS)))
            _exit(CANNOT);
        _exit((int)admit_gate_inherit(gate, &hold));
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 81;
}

/* Its number there would be looked for among the starter's processes, where it is another's or nobody's. Newer kernels
 * tell a process its namespace even so: both ways. */
static void a_child_in_another_namespace_without_proc_is_refused(void **state)
{
    (void)state;
    char empty[PATH_MAX + 16];
    snprintf(empty, sizeof empty, "%s/empty~", test_directory());
    assert_int_equal(mkdir(empty, 0755), 0);
    for (unsigned knows_itself = 0; knows_itself < 2; knows_itself++) {
        admit_gate *gate = fresh_gate(&one);
        pid_t starter = start();
        if (starter == 0)
            _exit(inherited_elsewhere(gate, empty, knows_itself));
        int how = outcome(starter, 2 * SOON_S);
        admit_gate_close(gate);
        if (how == CANNOT)
            skip_because("it takes root to make a pid namespace, and seccomp filters");
        assert_int_equal(how, ADMIT_UNSUPPORTED);
    }
}

/* --- a process whose first thread has ended ------------------------------------------------------------------------ */

struct known {
    admit_gate *gate; /* without a name: its file is to be had by /proc alone */
    uint32_t pids, times;
};

static void *knows_itself(void *data)
{
    const struct known *known = data;
    admit_hold hold;
    await_the_end_of_the_first_thread(getpid());
    if (enter_within(known->gate, &hold, SOON_S) != ADMIT_OK)
        _exit(1);
    if (!admit_anchor_holds(known->gate, known->gate->local->anchor->number))
        _exit(2);
    int family = admit_gate_family(known->gate);
    if (family < 0 || admit_gate_bequeath_to(known->gate, &hold, family) != ADMIT_OK)
        _exit(3);
    if (admit_pid_namespace() != known->pids || admit_time_namespace() != known->times)
        _exit(4);
    _exit(admit_gate_leave(known->gate, &hold) == ADMIT_OK ? 0 : 5);
}

static void one_whose_first_thread_has_ended_has_all_the_same(void **state)
{
    (void)state;
    struct known known = {admit_gate_create_private(&one), admit_pid_namespace(), admit_time_namespace()};
    assert_non_null(known.gate);
    pid_t child = start();
    if (child == 0) {
        _Atomic uint32_t now = 1;
        go_on_without_the_first_thread(knows_itself, &known, &now);
    }
    assert_int_equal(outcome(child, 2 * SOON_S), 0);
    admit_gate_close(known.gate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAULT(a_living_one_is_not_taken_for_dead_on_overlayfs),
        FAULT(a_hard_link_is_the_same_gate),
        FAULT(a_file_that_was_moved_is_the_same_gate),
        FAULT(a_file_that_is_mounted_elsewhere_is_the_same_gate),
        FAULT(an_orphaned_command_without_proc),
        FAULT(a_child_in_another_namespace_without_proc_is_refused),
        FAULT(one_whose_first_thread_has_ended_has_all_the_same),
    };
    return run_faults("places", tests);
}
