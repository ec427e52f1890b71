/* SPDX-License-Identifier: MIT
 *
 * `admit run` at a gate on etcd: whatever becomes of it, its command does not outlive the lease by more than the time in
 * which it could not know; and the exit status says so.
 */
#include "crowd.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <sys/prctl.h>
#include <sys/wait.h>

static char admit[256], directory[] = "/tmp/admit-test.XXXXXX", gate[200];
enum { RUNS_MAX = 4 };
static pid_t running[RUNS_MAX];

static int start(void **context)
{
    (void)context;
    const char *build = getenv("BUILD");
    snprintf(admit, sizeof admit, "%s/admit", build != NULL ? build : "build");
    nodes = nodes_start(3, NULL, NULL);
    return 0;
}

static int begin(void **context)
{
    static unsigned gates;
    (void)context;
    strcpy(directory, "/tmp/admit-test.XXXXXX");
    snprintf(gate, sizeof gate, "etcd://%s/run%u", nodes->endpoints, gates++);
    return mkdtemp(directory) != NULL ? 0 : -1;
}

static const char *path_of(const char *name)
{
    static char path[64];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static int tidy(void **context)
{
    (void)context;
    for (unsigned r = 0; r < RUNS_MAX; r++)
        if (running[r] != 0) {
            kill(running[r], SIGKILL);
            waitpid(running[r], NULL, 0);
            running[r] = 0;
        }
    static const char *const files[] = {"a", "b", "end", "says"};
    for (unsigned f = 0; f < sizeof files / sizeof files[0]; f++)
        unlink(path_of(files[f]));
    rmdir(directory);
    nodes_mend(nodes);
    return 0;
}

/* A command that writes its process id into the file `name`, and ends when there is the file `end`. */
static pid_t run(unsigned which, const char *name)
{
    char script[400];
    snprintf(script, sizeof script,
             "cd %s && echo $$ >%s.new && mv %s.new %s; until test -e end -o ! -d %s; do sleep 0.05; done", directory,
             name, name, name, directory);
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        const int says = open(path_of("says"), O_WRONLY | O_CREAT | O_APPEND, 0600);
        dup2(says, STDOUT_FILENO);
        dup2(says, STDERR_FILENO);
        execl(admit, admit, "run", "-k", "1", "--ttl", "2", gate, "--", "sh", "-c", script, (char *)NULL);
        _exit(127);
    }
    return running[which] = child;
}

/* The command's process id; 0: it has not begun. */
static pid_t command_of(const char *name)
{
    FILE *file = fopen(path_of(name), "r");
    int pid = 0;
    if (file == NULL)
        return 0;
    if (fscanf(file, "%d", &pid) != 1)
        pid = 0;
    fclose(file);
    return pid;
}

static pid_t await_command(const char *name, double seconds)
{
    const int64_t until = in_seconds(seconds);
    pid_t pid;
    while ((pid = command_of(name)) == 0) {
        assert_true(etcd_now() < until);
        sleep_for(0.02);
    }
    return pid;
}

/* Or dead, and not buried by whoever inherits it. */
static bool is_gone(pid_t pid)
{
    char path[40], state = 'Z';
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return true;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = 'Z';
    fclose(file);
    return state == 'Z' || state == 'X';
}

static void await_gone(pid_t pid, double seconds)
{
    const int64_t until = in_seconds(seconds);
    while (!is_gone(pid)) {
        assert_true(etcd_now() < until);
        sleep_for(0.02);
    }
}

static int status_of(unsigned which)
{
    int status;
    assert_int_equal(waitpid(running[which], &status, 0), running[which]);
    running[which] = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void expect_said(const char *what)
{
    char said[2000];
    FILE *file = fopen(path_of("says"), "r");
    assert_non_null(file);
    said[fread(said, 1, sizeof said - 1, file)] = '\0';
    fclose(file);
    if (strstr(said, what) == NULL)
        fail_msg("it does not say \"%s\" but: %s", what, said);
}

static void let_end(void)
{
    close(open(path_of("end"), O_WRONLY | O_CREAT, 0600));
}

/* --- cases ---------------------------------------------------------------------------------------------------------- */

static void one_after_the_other(void **context)
{
    (void)context;
    run(0, "a");
    const pid_t a = await_command("a", 10);
    run(1, "b");
    sleep_for(1);
    assert_int_equal(command_of("b"), 0);
    let_end();
    assert_int_equal(status_of(0), 0);
    assert_int_equal(status_of(1), 0);
    assert_true(is_gone(a));
    assert_int_not_equal(command_of("b"), 0);
}

static void killed(void **context)
{
    (void)context;
    run(0, "a");
    const pid_t a = await_command("a", 10);
    run(1, "b");
    sleep_for(0.5);
    const int64_t began = etcd_now();
    kill(running[0], SIGKILL);
    assert_int_equal(status_of(0), 128 + SIGKILL);
    await_gone(a, 1);
    await_command("b", 8);
    printf("# admit run killed: the next command runs after %.2f s\n", (double)(etcd_now() - began) / 1e9);
    let_end();
    assert_int_equal(status_of(1), 0);
}

/* The command runs on beside the next one's, which nobody can prevent; and is ended as soon as admit runs again. */
static void frozen(void **context)
{
    (void)context;
    run(0, "a");
    const pid_t a = await_command("a", 10);
    run(1, "b");
    sleep_for(0.5);
    kill(running[0], SIGSTOP);
    await_command("b", 8);
    kill(running[0], SIGCONT);
    const int64_t thawed = etcd_now();
    assert_int_equal(status_of(0), 125);
    assert_true(is_gone(a));
    printf("# admit run frozen and thawed: its command is ended after %.2f s\n", (double)(etcd_now() - thawed) / 1e9);
    expect_said("is over: the command is killed, and may have run beside another");
    let_end();
    assert_int_equal(status_of(1), 0);
}

/* Here it can know: the command has ended before the lease has. */
static void no_quorum(void **context)
{
    (void)context;
    run(0, "a");
    const pid_t a = await_command("a", 10);
    run(1, "b");
    sleep_for(0.5);
    const int64_t began = etcd_now();
    node_signal(nodes, 0, SIGSTOP);
    node_signal(nodes, 2, SIGSTOP);
    await_gone(a, 5);
    const double ended = (double)(etcd_now() - began) / 1e9;
    assert_int_equal(status_of(0), 125);
    assert_int_equal(command_of("b"), 0);
    printf("# admit run without quorum: its command is ended after %.2f s\n", ended);
    expect_said("is about to end, since it could not be renewed: the command is ended");
    let_end();
}

int main(void)
{
    if (nodes_missing())
        return 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(one_after_the_other, begin, tidy),
                                       cmocka_unit_test_setup_teardown(killed, begin, tidy),
                                       cmocka_unit_test_setup_teardown(frozen, begin, tidy),
                                       cmocka_unit_test_setup_teardown(no_quorum, begin, tidy)};
    return cmocka_run_group_tests(tests, start, stop_nodes);
}
