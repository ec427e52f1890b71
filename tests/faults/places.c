/* SPDX-License-Identifier: MIT
 *
 * Where a gate is, and where those who use it are: on overlayfs, as the root of most containers is, and without /proc.
 * Promised: a living holder is never taken for dead, whatever a file system does with mappings and locks; and where there
 * is no /proc, a command that holds on after its starter was killed holds until it has ended.
 */
#include "faults.h"

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

/* The starter and the one who looks: each with or without /proc. A kernel that tells a namespace only by /proc says so. */
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
        if (how == ADMIT_TIMED_OUT && hidden != 0)
            skip_because("before Linux 6.11 a namespace is told by /proc alone");
        assert_int_equal(how, ADMIT_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAULT(a_living_one_is_not_taken_for_dead_on_overlayfs),
        FAULT(an_orphaned_command_without_proc),
    };
    return run_faults("places", tests);
}
