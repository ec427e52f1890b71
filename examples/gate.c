/* SPDX-License-Identifier: MIT
 *
 * Four processes print three pages each, on two printers. A gate of two lets them in as they come, and tells each by its
 * slot which printer is its own. One is killed in the middle of a page: whoever gets that printer next is told so, and
 * throws the half page away. Who waits for longer than it wants to goes without.
 *
 *     cc examples/gate.c build/libadmit.a -Iinclude -o gate && ./gate
 *
 * With the name of a gate, as in ./gate printers, it is one of all programs that say that name, and `admit status printers`
 * shows who is inside. Threads use a gate just as these processes do.
 */
#include <admit.h>

#include <err.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PRINTERS = 2, PROCESSES = 4, PAGES = 3, KILLED = 1 };

/* Only whoever has its slot touches it, so there is nothing atomic about it. */
struct printer {
    int begun, done, thrown_away;
};

static struct timespec from_now(long milliseconds)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += milliseconds / 1000;
    time.tv_nsec += milliseconds % 1000 * 1000000;
    if (time.tv_nsec >= 1000000000) {
        time.tv_sec++;
        time.tv_nsec -= 1000000000;
    }
    return time;
}

/* False: there was no printer in time. Whatever else can go wrong here would go wrong again. */
static bool enter(admit_gate *gate, struct printer *printers, long patience, admit_hold *hold)
{
    const struct timespec deadline = from_now(patience);
    const admit_error error = admit_gate_enter_until(gate, hold, &deadline);
    if (error == ADMIT_TIMED_OUT)
        return false;
    if (error != ADMIT_OK)
        errx(1, "%s", admit_last_error_text());
    struct printer *printer = &printers[hold->slot];
    if (hold->owner_died && printer->begun > printer->done + printer->thrown_away)
        printer->thrown_away++;
    return true;
}

static void print_pages(admit_gate *gate, struct printer *printers, bool is_killed)
{
    for (int page = 0; page < PAGES; page++) {
        admit_hold hold;
        if (!enter(gate, printers, 60000, &hold))
            errx(1, "no printer for a minute");
        printers[hold.slot].begun++;
        if (is_killed && page == 1)
            raise(SIGKILL);
        usleep(1000);
        printers[hold.slot].done++;
        if (admit_gate_leave(gate, &hold) != ADMIT_OK)
            errx(1, "%s", admit_last_error_text());
    }
}

/* The number of children that were killed, and did not end by themselves. */
static int wait_for_children(void)
{
    int killed = 0;
    for (int status; wait(&status) > 0;) {
        killed += WIFSIGNALED(status);
        if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
            exit(1); /* it has said why */
    }
    return killed;
}

int main(int argc, char **argv)
{
    const admit_gate_options options = {.k = PRINTERS};
    struct printer *printers =
        mmap(NULL, PRINTERS * sizeof *printers, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    admit_gate *gate = argc > 1 ? admit_gate_open(argv[1], PRINTERS) : admit_gate_create_private(&options);
    if (printers == MAP_FAILED)
        err(1, "mmap");
    if (gate == NULL)
        errx(1, "%s", admit_last_error_text());

    for (int process = 0; process < PROCESSES; process++) {
        const pid_t child = fork();
        if (child < 0)
            err(1, "fork");
        if (child == 0) {
            print_pages(gate, printers, process == KILLED);
            _exit(0);
        }
    }
    printf("killed: %d\n", wait_for_children());

    /* Both printers for one: this finds the half page too, if nobody has had that printer since. */
    admit_hold holds[PRINTERS];
    int done = 0, thrown_away = 0;
    for (int h = 0; h < PRINTERS; h++)
        if (!enter(gate, printers, 60000, &holds[h]))
            errx(1, "no printer for a minute");
    for (int p = 0; p < PRINTERS; p++) {
        done += printers[p].done;
        thrown_away += printers[p].thrown_away;
    }
    printf("pages: %d, and %d thrown away\n", done, thrown_away);

    fflush(stdout);
    if (fork() == 0) {
        admit_hold hold;
        puts(enter(gate, printers, 20, &hold) ? "a third printer" : "no printer within 20 ms");
        fflush(stdout);
        _exit(0);
    }
    wait_for_children();
    for (int h = 0; h < PRINTERS; h++)
        admit_gate_leave(gate, &holds[h]);
    admit_gate_close(gate);
    return 0;
}
