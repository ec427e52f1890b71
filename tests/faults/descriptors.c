/* SPDX-License-Identifier: MIT
 *
 * Programs that have closed descriptors 0, 1 or 2: what they print does not go into a gate's file. And programs that
 * close those of the library, as daemons do: it says so, and lets the files alone that have these numbers then.
 */
#include "gate_witness.h"

#include <sys/stat.h>

static int status_of(pid_t child)
{
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

static void close_some(unsigned set)
{
    for (int fd = 0; fd < 3; fd++)
        if ((set >> fd & 1) != 0)
            close(fd);
}

/* Still closed. And as a program does that does not look: it prints. */
static bool are_closed(unsigned set)
{
    static const char garbage[] = "what a program prints, to wherever that goes; long enough to do some harm there";
    bool closed = true;
    for (int fd = 0; fd < 3; fd++)
        if ((set >> fd & 1) != 0)
            closed = closed && write(fd, garbage, sizeof garbage) < 0 && errno == EBADF;
    return closed;
}

/* Everything by which the library keeps a descriptor: both kinds of gates, made and opened, and a hold that children
 * inherit. */
static int use_gates(unsigned set)
{
    admit_hold hold, own;
    admit_gate_options options = {.k = 1, .most_k = 2, .capacity = 8};
    close_some(set);
    admit_gate *made = admit_gate_open_with("closed", &options), *found = admit_gate_open("closed", 1);
    admit_gate *private = admit_gate_create_private(&options);
    if (made == NULL || found == NULL || private == NULL)
        return 1;
    if (!are_closed(set))
        return 2;
    if (admit_gate_enter(made, &hold) != ADMIT_OK || admit_gate_enter(private, &own) != ADMIT_OK)
        return 3;
    if (admit_gate_bequeath(made, &hold, 1) != ADMIT_OK || admit_gate_bequeath(private, &own, 1) != ADMIT_OK)
        return 4;
    if (!are_closed(set))
        return 5;
    if (admit_gate_resize(made, 2) != ADMIT_OK || admit_gate_resize(made, 1) != ADMIT_OK || !are_closed(set))
        return 6;
    if (admit_gate_leave(made, &hold) != ADMIT_OK || admit_gate_leave(private, &own) != ADMIT_OK)
        return 7;
    if (admit_gate_try(found, &hold) != ADMIT_OK || admit_gate_leave(found, &hold) != ADMIT_OK || !are_closed(set))
        return 8;
    return admit_gate_directory() != NULL && are_closed(set) ? 0 : 9;
}

static void what_a_program_prints_is_not_in_the_gate(void **state)
{
    (void)state;
    for (unsigned set = 0; set < 8; set++) {
        pid_t child = fork();
        if (child == 0)
            _exit(use_gates(set));
        int status = status_of(child);
        if (status != 0)
            fail_msg("with descriptors %x closed: %d", set, status);
        admit_gate *gate = admit_gate_open("closed", 1);
        if (gate == NULL)
            fail_msg("%s", admit_last_error_text());
        assert_all_slots_are_there(gate, 1);
        admit_gate_close(gate);
        assert_int_equal(admit_gate_remove("closed", 0), ADMIT_OK);
    }
}

/* A command whose standard descriptors are set up after its starter had none: it holds by another. */
static void a_command_holds_by_a_descriptor_of_its_own(void **state)
{
    (void)state;
    int told[2], go_on[2];
    admit_hold hold;
    admit_gate *gate = admit_gate_open("inherited", 1);
    assert_non_null(gate);
    assert_int_equal(pipe(told), 0);
    assert_int_equal(pipe(go_on), 0);
    pid_t starter = fork();
    if (starter == 0) {
        close(go_on[1]);
        close_some(7);
        admit_gate *own = admit_gate_open("inherited", 1);
        if (own == NULL || admit_gate_enter(own, &hold) != ADMIT_OK || admit_gate_bequeath(own, &hold, 1) != ADMIT_OK)
            _exit(1);
        char *arguments[] = {"sh", "-c", "echo; read line", NULL};
        if (fork() == 0) {
            if (admit_gate_inherit(own, &hold) != ADMIT_OK || dup2(go_on[0], 0) != 0 || dup2(told[1], 1) != 1 ||
                dup2(told[1], 2) != 2)
                _exit(2);
            execv("/bin/sh", arguments);
            _exit(3);
        }
        for (;;)
            pause();
    }
    close(told[1]);
    close(go_on[0]);
    assert_true(hear(told[0]));
    kill(starter, SIGKILL);
    assert_int_equal(status_of(starter), 100 + SIGKILL);
    assert_int_equal(admit_gate_try(gate, &hold), ADMIT_NO_SLOT); /* the shell reads on */
    close(go_on[1]);
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += 20;
    assert_int_equal(admit_gate_enter_until(gate, &hold, &until), ADMIT_OK);
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    close(told[0]);
    admit_gate_close(gate);
    assert_int_equal(admit_gate_remove("inherited", 0), ADMIT_OK);
}

enum { FROM = 3, TO = 64, SIZE = 1 << 20 };

/* Closes all but the standard ones, and opens files of its own, which have the numbers of the library's then. */
static void open_others_instead(int other[TO])
{
    char path[PATH_MAX + 16];
    for (int fd = FROM; fd < TO; fd++)
        close(fd);
    for (int fd = FROM; fd < TO; fd++) {
        snprintf(path, sizeof path, "%s/own~%d", test_directory(), fd);
        other[fd] = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
        if (other[fd] < 0 || ftruncate(other[fd], SIZE) != 0)
            _exit(90);
    }
}

static bool are_untouched(const int other[TO])
{
    static char text[SIZE];
    for (int fd = FROM; fd < TO; fd++) {
        if (pread(other[fd], text, SIZE, 0) != SIZE) /* closed, or shortened */
            return false;
        for (unsigned at = 0; at < SIZE; at++)
            if (text[at] != '\0')
                return false;
    }
    return true;
}

/* `inside`: it is inside when it closes them. */
static int close_the_librarys(bool inside)
{
    static int other[TO];
    admit_hold hold;
    admit_gate *gate = admit_gate_open("daemon", 1),
               *private = admit_gate_create_private(&(admit_gate_options){.k = 1});
    if (gate == NULL || private == NULL || (inside && admit_gate_enter(gate, &hold) != ADMIT_OK))
        return 1;
    open_others_instead(other);
    if (inside && admit_gate_leave(gate, &hold) != ADMIT_OK)
        return 2;
    for (unsigned pass = 0; pass < 3; pass++)
        if (admit_gate_enter(gate, &hold) == ADMIT_OK && admit_gate_leave(gate, &hold) != ADMIT_OK)
            return 3;
    if (!inside && (admit_gate_try(gate, &hold) != ADMIT_SYSTEM || admit_gate_try(private, &hold) != ADMIT_SYSTEM ||
                    strstr(admit_last_error_text(), "closed") == NULL))
        return 4;
    admit_gate_resize(gate, 1);
    admit_gate_close(gate);
    admit_gate_close(private);
    return are_untouched(other) ? 0 : 5;
}

static void a_program_that_closes_them_keeps_its_own_files(void **state)
{
    (void)state;
    for (int inside = 0; inside < 2; inside++) {
        pid_t child = fork();
        if (child == 0)
            _exit(close_the_librarys(inside));
        assert_int_equal(status_of(child), 0);
        admit_gate *gate = admit_gate_open("daemon", 1);
        assert_non_null(gate);
        assert_all_slots_are_there(gate, 1);
        admit_gate_close(gate);
    }
    assert_int_equal(admit_gate_remove("daemon", 0), ADMIT_OK);
}

int main(void)
{
    test_directory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_program_prints_is_not_in_the_gate),
        cmocka_unit_test(a_command_holds_by_a_descriptor_of_its_own),
        cmocka_unit_test(a_program_that_closes_them_keeps_its_own_files),
    };
    int failed = cmocka_run_group_tests_name("faults: descriptors", tests, NULL, NULL);
    remove_test_directory();
    return failed;
}
