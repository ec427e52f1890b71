/* SPDX-License-Identifier: MIT
 *
 * Whose gate it is: in user namespaces, in setuid programs, in a directory that users share.
 * What needs root, or a kernel that allows it, is skipped elsewhere, with the reason.
 */
#include "faults.h"

#include <grp.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

enum { ONE = 65531, OTHER = 65532 };

static int status_of(pid_t child)
{
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

static void skip_if(bool cannot, const char *why)
{
    if (!cannot)
        return;
    print_message("# skipped: %s\n", why);
    skip();
}

static bool become(uid_t user)
{
    return setgroups(0, NULL) == 0 && setgid(user) == 0 && setuid(user) == 0 &&
           prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0; /* or /proc/self would be root's */
}

/* --- user namespaces ---------------------------------------------------------------------------------------------- */

/* A new namespace in which this process is that user; -1: no user at all. */
static bool unshare_users(long inside)
{
    char map[64];
    int length = snprintf(map, sizeof map, "%ld %lu 1", inside, (unsigned long)geteuid());
    if (unshare(CLONE_NEWUSER) != 0)
        return false;
    if (inside < 0)
        return true;
    int fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
    bool written = fd >= 0 && write(fd, map, (size_t)length) == length;
    close(fd);
    return written && geteuid() == (uid_t)inside;
}

/* Not asked for by the directory itself: that would make it. */
static bool directory_is_of(unsigned long user)
{
    char path[PATH_MAX], expected[64];
    snprintf(expected, sizeof expected, "/var/tmp/admit-%lu/gate", user);
    return admit_gate_resolve("gate", path, sizeof path) == ADMIT_OK && strcmp(path, expected) == 0;
}

static void a_directory_has_the_number_outside(void **state)
{
    (void)state;
    static const long inside[] = {0, 1, 4711};
    for (unsigned n = 0; n < sizeof inside / sizeof inside[0]; n++) {
        pid_t child = fork();
        if (child == 0) {
            unsetenv("ADMIT_DIR");
            if (geteuid() == 0 && !become(ONE))
                _exit(CANNOT);
            uid_t user = geteuid();
            if (!directory_is_of(user))
                _exit(1);
            if (!unshare_users(inside[n]))
                _exit(CANNOT);
            _exit(directory_is_of(user) ? 0 : 2);
        }
        int status = status_of(child);
        skip_if(status == CANNOT, "no user namespaces here");
        assert_int_equal(status, 0);
    }
}

static void a_user_without_a_number_has_no_directory(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        char path[PATH_MAX];
        if (geteuid() == 0 && !become(ONE))
            _exit(CANNOT);
        if (!unshare_users(-1))
            _exit(CANNOT);
        if (admit_gate_resolve("gate", path, sizeof path) != ADMIT_OK) /* where it is given it matters to nobody */
            _exit(1);
        unsetenv("ADMIT_DIR");
        if (admit_gate_resolve("gate", path, sizeof path) != ADMIT_UNSUPPORTED || admit_gate_open("gate", 1) != NULL ||
            admit_gate_directory() != NULL || strstr(admit_last_error_text(), "ADMIT_DIR") == NULL)
            _exit(2);
        _exit(0);
    }
    int status = status_of(child);
    skip_if(status == CANNOT, "no user namespaces here");
    assert_int_equal(status, 0);
}

/* What cannot be told now may be told the next time: then the user would have two directories. What never can be told
 * is as where there are no user namespaces. */
static void whose_directory_it_is_may_not_be_told(void **state)
{
    (void)state;
    static const struct {
        unsigned error;
        bool always;
    } reason[] = {{ENOENT, true}, {EACCES, true}, {EPERM, true}, {EMFILE, false}, {ENOMEM, false}, {EIO, false}};
    skip_without_filters();
    for (unsigned r = 0; r < sizeof reason / sizeof reason[0]; r++) {
        pid_t child = fork();
        if (child == 0) {
            char path[PATH_MAX];
            unsetenv("ADMIT_DIR");
            if (!refuse(SYS_openat, reason[r].error) || !refuse(SYS_open, reason[r].error))
                _exit(CANNOT);
            bool told = directory_is_of(geteuid());
            _exit(told != reason[r].always                                             ? 1
                  : !told && admit_gate_resolve("gate", path, sizeof path) == ADMIT_OK ? 2
                                                                                       : 0);
        }
        assert_int_equal(status_of(child), 0);
    }
}

/* Somebody who has never made a gate. */
static void there_need_not_be_a_directory(void **state)
{
    (void)state;
    skip_if(geteuid() != 0, "it takes root to be somebody else");
    pid_t child = fork();
    if (child == 0) {
        char path[64];
        unsetenv("ADMIT_DIR");
        snprintf(path, sizeof path, "/var/tmp/admit-%d", OTHER);
        if (!become(OTHER) || access(path, F_OK) == 0)
            _exit(CANNOT);
        if (admit_gate_open("gate", 0) != NULL || admit_last_error() != ADMIT_NO_GATE ||
            strstr(admit_last_error_text(), path) == NULL)
            _exit(1);
        _exit(access(path, F_OK) == 0 ? 2 : 0);
    }
    int status = status_of(child);
    skip_if(status == CANNOT, "somebody else has gates");
    assert_int_equal(status, 0);
}

/* In a child that may. */
static bool has_own_var_tmp(void)
{
    return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", "/var/tmp", "tmpfs", 0, "mode=1777") == 0;
}

/* In /var/tmp anybody may have put something in its place; a link might lead to where others can write. */
static void what_is_in_the_place_of_a_directory_is_refused(void **state)
{
    (void)state;
    skip_if(geteuid() != 0, "it takes root to have another /var/tmp");
    pid_t child = fork();
    if (child == 0) {
        char path[64];
        unsetenv("ADMIT_DIR");
        snprintf(path, sizeof path, "/var/tmp/admit-%d", ONE);
        if (!has_own_var_tmp() || !become(ONE))
            _exit(CANNOT);
        for (int is_link = 0; is_link < 2; is_link++) {
            if (is_link ? mkdir("/var/tmp/own", 0700) != 0 || symlink("own", path) != 0
                        : mknod(path, S_IFREG | 0600, 0) != 0)
                _exit(1);
            if (admit_gate_open("gate", 1) != NULL || admit_last_error() != ADMIT_NOT_YOURS ||
                strstr(admit_last_error_text(), "not a directory of yours") == NULL)
                _exit(2 + is_link);
            unlink(path);
        }
        admit_gate *gate = admit_gate_open("gate", 1);
        _exit(gate != NULL ? 0 : 4);
    }
    int status = status_of(child);
    skip_if(status == CANNOT, "no mount namespaces here");
    assert_int_equal(status, 0);
}

/* With a /var/tmp of its own, so that nothing is left. Inside and outside they meet, and root has nothing of it. */
static void root_of_a_namespace_does_not_make_roots_directory(void **state)
{
    (void)state;
    skip_if(geteuid() != 0, "it takes root to have another /var/tmp");
    pid_t child = fork();
    if (child == 0) {
        char path[64];
        admit_hold hold;
        unsetenv("ADMIT_DIR");
        if (!has_own_var_tmp())
            _exit(CANNOT);
        pid_t user = fork();
        if (user == 0) {
            if (!become(ONE) || !unshare_users(0))
                _exit(CANNOT);
            admit_gate *gate = admit_gate_open("gate", 1);
            _exit(gate != NULL && admit_gate_enter(gate, &hold) == ADMIT_OK ? 0 : 1); /* inside */
        }
        int status = status_of(user);
        if (status != 0)
            _exit(status);
        if (access("/var/tmp/admit-0", F_OK) == 0)
            _exit(2);
        snprintf(path, sizeof path, "/var/tmp/admit-%d/gate", ONE);
        if (access(path, F_OK) != 0)
            _exit(3);
        if (admit_gate_open("gate", 1) == NULL || access("/var/tmp/admit-0/gate", F_OK) != 0) /* root's own */
            _exit(4);
        if (!become(ONE))
            _exit(5);
        admit_gate *gate = admit_gate_open("gate", 1);
        _exit(gate != NULL && admit_gate_enter(gate, &hold) == ADMIT_OK && hold.owner_died ? 0 : 6);
    }
    int status = status_of(child);
    skip_if(status == CANNOT, "no user namespaces here");
    assert_int_equal(status, 0);
}

/* --- setuid programs ---------------------------------------------------------------------------------------------- */

static bool copy_of_this_program(const char *path)
{
    char buffer[1 << 16];
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to = open(path, O_WRONLY | O_CREAT | O_EXCL, 0700);
    bool whole = from >= 0 && to >= 0;
    for (ssize_t length; whole && (length = read(from, buffer, sizeof buffer)) != 0;)
        whole = length > 0 && write(to, buffer, (size_t)length) == length;
    close(from);
    close(to);
    return whole;
}

/* What the copy does, as its owner, started by root. */
static int as_setuid_program(void)
{
    if (geteuid() != ONE || getuid() == ONE || getenv("ADMIT_DIR") == NULL)
        return CANNOT;
    return directory_is_of(ONE) ? 0 : 1;
}

static void a_setuid_program_makes_no_files_where_its_caller_says(void **state)
{
    (void)state;
    char path[PATH_MAX + 16];
    struct statvfs mounted;
    snprintf(path, sizeof path, "%s/program", test_directory());
    skip_if(geteuid() != 0, "it takes root to make a program of another user's");
    skip_if(statvfs(test_directory(), &mounted) != 0 || (mounted.f_flag & (ST_NOSUID | ST_NOEXEC)) != 0,
            "no setuid programs in the directory for temporary files");
    assert_int_equal(chmod(test_directory(), 0755), 0);
    assert_true(copy_of_this_program(path));
    assert_int_equal(chown(path, ONE, ONE), 0);
    assert_int_equal(chmod(path, 04755), 0);
    pid_t child = fork();
    if (child == 0) {
        execl(path, path, "setuid", (char *)NULL);
        _exit(CANNOT);
    }
    int status = status_of(child);
    assert_int_equal(unlink(path), 0);
    skip_if(status == CANNOT, "no setuid programs here");
    assert_int_equal(status, 0);
}

/* --- a directory that users share --------------------------------------------------------------------------------- */

static admit_error found; /* by open_listed */

static int open_listed(void *name, const char *listed, const char *path)
{
    if (strcmp(name, listed) != 0)
        return 0;
    admit_gate *gate = admit_gate_open_with(path, &(admit_gate_options){.look_only = 1});
    found = gate != NULL ? ADMIT_OK : admit_last_error();
    admit_gate_close(gate);
    return 1;
}

/* By name as by path, and as the list says: what its owner has shared, and nothing else. */
static void a_name_in_a_given_directory_is_shared_as_a_path_is(void **state)
{
    (void)state;
    skip_if(geteuid() != 0, "it takes root to be two users");
    char directory[PATH_MAX + 16], path[PATH_MAX + 32];
    snprintf(directory, sizeof directory, "%s/all", test_directory());
    assert_int_equal(chmod(test_directory(), 0755), 0);
    assert_int_equal(mkdir(directory, 0755), 0);
    assert_int_equal(chmod(directory, 01777), 0);
    setenv("ADMIT_DIR", directory, 1);
    pid_t child = fork();
    if (child == 0)
        _exit(become(ONE) && admit_gate_open_with("shared", &(admit_gate_options){.k = 1, .mode = 0666}) != NULL &&
                      admit_gate_open_with("readable", &(admit_gate_options){.k = 1, .mode = 0644}) != NULL
                  ? 0
                  : 1);
    assert_int_equal(status_of(child), 0);
    child = fork();
    if (child == 0) {
        admit_hold hold;
        if (!become(OTHER))
            _exit(1);
        if (admit_gate_list(open_listed, "shared") != ADMIT_OK || found != ADMIT_OK)
            _exit(2);
        admit_gate *gate = admit_gate_open("shared", 1);
        if (gate == NULL || admit_gate_enter(gate, &hold) != ADMIT_OK)
            _exit(3);
        /* Who may read it may see who is inside, and no more. */
        if (admit_gate_list(open_listed, "readable") != ADMIT_OK || found != ADMIT_OK)
            _exit(4);
        snprintf(path, sizeof path, "%s/readable", directory);
        if (admit_gate_open(path, 1) != NULL || admit_last_error() != ADMIT_NO_PERMISSION)
            _exit(5);
        if (admit_gate_open("readable", 1) != NULL || admit_last_error() != ADMIT_NO_PERMISSION)
            _exit(6);
        _exit(0);
    }
    int status = status_of(child);
    setenv("ADMIT_DIR", test_directory(), 1);
    assert_int_equal(status, 0);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        _exit(as_setuid_program()); /* at once: no leak detector can look into such a process */
    test_directory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_directory_has_the_number_outside),
        cmocka_unit_test(a_user_without_a_number_has_no_directory),
        cmocka_unit_test(whose_directory_it_is_may_not_be_told),
        cmocka_unit_test(there_need_not_be_a_directory),
        cmocka_unit_test(what_is_in_the_place_of_a_directory_is_refused),
        cmocka_unit_test(root_of_a_namespace_does_not_make_roots_directory),
        cmocka_unit_test(a_setuid_program_makes_no_files_where_its_caller_says),
        cmocka_unit_test(a_name_in_a_given_directory_is_shared_as_a_path_is),
    };
    int failed = cmocka_run_group_tests_name("faults: users", tests, NULL, NULL);
    remove_test_directory();
    return failed;
}
