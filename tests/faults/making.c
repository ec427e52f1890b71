/* SPDX-License-Identifier: MIT
 *
 * A gate is made whole or not at all: by namesakes in containers, by a maker that is killed at any system call, beside
 * a neighbour that foresees names, where the system refuses one way or another, with a limit on the size of files.
 * Whatever happens, nothing but the gate is left in the directory.
 */
#include "gate_witness.h"

#include <dirent.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum { CANNOT = 77 };

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

/* How many files the directory of gates has. */
static unsigned files(void)
{
    unsigned count = 0;
    DIR *directory = opendir(test_directory());
    assert_non_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

static void assert_only_gate(const char *name, bool there)
{
    assert_int_equal(files(), there);
    if (!there)
        return;
    admit_gate *gate = admit_gate_open(name, 1);
    if (gate == NULL)
        fail_msg("%s", admit_last_error_text());
    assert_all_slots_are_there(gate, 1);
    admit_gate_close(gate);
    assert_int_equal(admit_gate_remove(name, 0), ADMIT_OK);
}

/* --- namesakes ---------------------------------------------------------------------------------------------------- */

enum { CONTAINERS = 4 };

/* The first process of a new pid namespace: number 1, whoever else is. */
static pid_t fork_into_container(void)
{
    pid_t outside = fork();
    if (outside != 0)
        return outside;
    if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0)
        _exit(CANNOT);
    pid_t inside = fork();
    if (inside == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        return 0;
    }
    int status = 0;
    waitpid(inside, &status, 0);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 100);
}

static void namesakes_in_containers_make_one_gate(void **state)
{
    (void)state;
    unsigned rounds = unless_quick(50, 10), failures = 0;
    _Atomic unsigned *ready = mmap(NULL, sizeof *ready, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(ready != MAP_FAILED);
    for (unsigned round = 0; round < rounds; round++) {
        pid_t child[CONTAINERS];
        bool cannot = false;
        for (unsigned c = 0; c < CONTAINERS; c++) {
            child[c] = fork_into_container();
            if (child[c] != 0)
                continue;
            atomic_fetch_add(ready, 1);
            for (uint64_t begin = monotonic_ns(); atomic_load(ready) % CONTAINERS != 0;)
                if (monotonic_ns() - begin > UINT64_C(20000000000))
                    _exit(2);
            admit_gate *gate = admit_gate_open("namesakes", 1);
            if (gate == NULL)
                fprintf(stderr, "# %s\n", admit_last_error_text());
            _exit(getpid() == 1 && gate != NULL ? 0 : 1);
        }
        for (unsigned c = 0; c < CONTAINERS; c++) {
            int status = status_of(child[c]);
            cannot |= status == CANNOT;
            failures += status != 0;
        }
        skip_if(cannot, "no pid namespaces here");
        assert_only_gate("namesakes", true);
    }
    munmap((void *)ready, sizeof *ready);
    assert_int_equal(failures, 0);
}

static void *open_namesake(void *failures)
{
    admit_gate *gate = admit_gate_open("threads", 1);
    if (gate == NULL)
        atomic_fetch_add((_Atomic unsigned *)failures, 1);
    admit_gate_close(gate);
    return NULL;
}

static void threads_make_one_gate(void **state)
{
    (void)state;
    for (unsigned round = 0; round < unless_quick(50, 10); round++) {
        pthread_t thread[4];
        _Atomic unsigned failures = 0;
        for (unsigned t = 0; t < 4; t++)
            assert_int_equal(pthread_create(&thread[t], NULL, open_namesake, &failures), 0);
        for (unsigned t = 0; t < 4; t++)
            pthread_join(thread[t], NULL);
        assert_int_equal(failures, 0);
        assert_only_gate("threads", true);
    }
}

/* --- a neighbour -------------------------------------------------------------------------------------------------- */

/* That has made whatever a name with our number in it could be, as directories, which nobody can remove. */
static void foreseen_names_are_in_nobodys_way(void **state)
{
    (void)state;
    enum { MANY = 1024 };
    char path[PATH_MAX + 64];
    for (unsigned n = 0; n < MANY; n++) {
        snprintf(path, sizeof path, "%s/foreseen~%ld-%u", test_directory(), (long)getpid(), n);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    admit_gate *gate = admit_gate_open("foreseen", 1);
    if (gate == NULL)
        fail_msg("%s", admit_last_error_text());
    admit_gate_close(gate);
    assert_int_equal(files(), MANY + 1); /* and nobody's have been removed */
    for (unsigned n = 0; n < MANY; n++) {
        snprintf(path, sizeof path, "%s/foreseen~%ld-%u", test_directory(), (long)getpid(), n);
        assert_int_equal(rmdir(path), 0);
    }
    assert_only_gate("foreseen", true);
}

static void the_mode_is_as_asked_for_whatever_the_umask(void **state)
{
    (void)state;
    struct stat status;
    char path[PATH_MAX + 16];
    mode_t before = umask(0777);
    admit_gate *gate = admit_gate_open_with("mode", &(admit_gate_options){.k = 1, .mode = 0664});
    umask(before);
    assert_non_null(gate);
    snprintf(path, sizeof path, "%s/mode", test_directory());
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0664);
    assert_int_equal(status.st_nlink, 1);
    admit_gate_close(gate);
    assert_only_gate("mode", true);
}

/* --- kills and refusals ------------------------------------------------------------------------------------------- */

struct answer {
    unsigned call;
    uint32_t flag;     /* 0: always; else if it is in this argument */
    unsigned argument; /* from 0 */
    uint32_t action;
};

/* From now on the kernel does this to these calls of this thread. */
static bool answer(const struct answer *answers, unsigned count)
{
    enum { EACH = 5 };
    struct sock_filter code[EACH * 8 + 1];
    unsigned at = 0;
    for (unsigned a = 0; a < count; a++) {
        code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
        code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, answers[a].call, 0, 3);
        code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                                  offsetof(struct seccomp_data, args) + 8 * answers[a].argument +
                                                      4 * (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__));
        code[at++] = answers[a].flag != 0
                         ? (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, answers[a].flag, 0, 1)
                         : (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JA, 0, 0, 0);
        code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, answers[a].action);
    }
    code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = (unsigned short)at, .filter = code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Killed before each call that making takes, it has left a whole gate or nothing. */
static void a_maker_that_is_killed_leaves_nothing(void **state)
{
    (void)state;
    static const unsigned calls[] = {SYS_fchmod, SYS_fallocate, SYS_mmap,      SYS_munmap,   SYS_fsync,
                                     SYS_close,  SYS_linkat,    SYS_renameat2, SYS_unlinkat, SYS_utimensat};
    unsigned killed = 0;
    for (unsigned c = 0; c < sizeof calls / sizeof calls[0]; c++) {
        struct rlimit none = {0, 0};
        pid_t child = fork();
        if (child == 0) {
            setrlimit(RLIMIT_CORE, &none);
            struct answer kill_at = {.call = calls[c], .action = SECCOMP_RET_KILL_PROCESS};
            if (!answer(&kill_at, 1))
                _exit(CANNOT);
            _exit(admit_gate_open("killed", 1) != NULL ? 0 : 1);
        }
        int status = status_of(child);
        skip_if(status == CANNOT, "no seccomp filters here");
        assert_true(status == 0 || status == 100 + SIGSYS);
        killed += status != 0;
        assert_in_range(files(), 0, 1);
        assert_only_gate("killed", files() == 1);
    }
    assert_in_range(killed, 5, sizeof calls / sizeof calls[0]);
}

/* A file system without nameless files, no way to give them a name, no rename that does not replace, no random numbers:
 * each alone and all that leave a way. */
static void there_is_another_way_if_one_is_refused(void **state)
{
    (void)state;
    const uint32_t refused = SECCOMP_RET_ERRNO | EOPNOTSUPP, denied = SECCOMP_RET_ERRNO | EPERM;
    const struct answer all[] = {
        {.call = SYS_linkat, .action = denied},
        {.call = SYS_renameat2, .action = denied},
        {.call = SYS_openat, .argument = 2, .flag = O_TMPFILE & ~O_DIRECTORY, .action = refused},
        {.call = SYS_linkat, .argument = 4, .flag = AT_EMPTY_PATH, .action = SECCOMP_RET_ERRNO | ENOENT},
        {.call = SYS_getrandom, .action = denied},
    };
    enum { ALL = sizeof all / sizeof all[0] };
    for (unsigned set = 0; set < 1 << ALL; set++) {
        bool possible = (set & 3) != 3;
        pid_t child = fork();
        if (child == 0) {
            struct answer some[ALL];
            unsigned count = 0;
            for (unsigned a = 0; a < ALL; a++)
                if ((set >> a & 1) != 0)
                    some[count++] = all[a];
            if (!answer(some, count))
                _exit(CANNOT);
            admit_gate *gate = admit_gate_open("another", 1);
            if (gate == NULL && possible)
                fprintf(stderr, "# refused %x: %s\n", set, admit_last_error_text());
            if (gate == NULL && admit_last_error() != ADMIT_NO_PERMISSION)
                _exit(2);
            _exit((gate != NULL) == possible ? 0 : 1);
        }
        int status = status_of(child);
        skip_if(status == CANNOT, "no seccomp filters here");
        assert_int_equal(status, 0);
        assert_only_gate("another", possible);
    }
}

/* --- limits ------------------------------------------------------------------------------------------------------- */

/* The kernel's signal for it would kill. */
static void a_limit_on_the_size_of_files_is_named(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {8192, RLIM_INFINITY};
        admit_gate_options options = {.k = 1};
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
            _exit(9);
        if (admit_gate_open("limited", 1) != NULL || admit_last_error() != ADMIT_DISK_FULL ||
            strstr(admit_last_error_text(), "RLIMIT_FSIZE") == NULL || strstr(admit_last_error_text(), "8192") == NULL)
            _exit(1);
        if (admit_gate_create_private(&options) != NULL || admit_last_error() != ADMIT_DISK_FULL ||
            strstr(admit_last_error_text(), "RLIMIT_FSIZE") == NULL)
            _exit(2);
        limit.rlim_cur = 1 << 20; /* large enough */
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0 || admit_gate_open("limited", 1) == NULL ||
            admit_gate_create_private(&options) == NULL)
            _exit(3);
        if (admit_gate_remove("limited", 0) != ADMIT_OK)
            _exit(4);
        _exit(0);
    }
    assert_int_equal(status_of(child), 0);
    assert_only_gate("limited", false);
}

/* Whatever number of descriptors is free: a gate, or the reason; and not that there is no /proc. */
static void too_few_descriptors_are_named(void **state)
{
    (void)state;
    unsigned refused = 0;
    for (unsigned exists = 0; exists < 2; exists++)
        for (unsigned spare = 0; spare < 8; spare++) {
            if (exists)
                admit_gate_close(admit_gate_open("spare", 1));
            pid_t child = fork();
            if (child == 0) {
                struct rlimit limit;
                int last = -1;
                getrlimit(RLIMIT_NOFILE, &limit);
                limit.rlim_cur = 64;
                setrlimit(RLIMIT_NOFILE, &limit);
                for (int fd; (fd = dup(STDERR_FILENO)) >= 0;)
                    last = fd;
                for (unsigned s = 0; s < spare; s++)
                    close(last - (int)s);
                admit_gate *gate = admit_gate_open("spare", 1);
                if (gate != NULL)
                    _exit(0);
                _exit(admit_last_error() == ADMIT_SYSTEM && strstr(admit_last_error_text(), strerror(EMFILE)) != NULL
                          ? 1
                          : 2);
            }
            int status = status_of(child);
            assert_in_range(status, 0, 1);
            refused += status == 1;
            assert_only_gate("spare", files() == 1);
        }
    assert_in_range(refused, 2, 15);
}

int main(void)
{
    test_directory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(namesakes_in_containers_make_one_gate),
        cmocka_unit_test(threads_make_one_gate),
        cmocka_unit_test(foreseen_names_are_in_nobodys_way),
        cmocka_unit_test(the_mode_is_as_asked_for_whatever_the_umask),
        cmocka_unit_test(a_maker_that_is_killed_leaves_nothing),
        cmocka_unit_test(there_is_another_way_if_one_is_refused),
        cmocka_unit_test(a_limit_on_the_size_of_files_is_named),
        cmocka_unit_test(too_few_descriptors_are_named),
    };
    int failed = cmocka_run_group_tests_name("faults: making a gate", tests, NULL, NULL);
    remove_test_directory();
    return failed;
}
