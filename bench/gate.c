/* SPDX-License-Identifier: MIT
 *
 * The gate beside what people use today, in one run: sem_t, a SysV semaphore with SEM_UNDO, flock. Each figure is the
 * median of repetitions that take turns, so that all see the same machine; only ratios mean anything elsewhere.
 *
 *   alone        one process enters and leaves, nobody else comes: ns, and the ratio to sem_t's
 *   two          two processes, 200 ns inside: passes a second, and the ratio to sem_t's
 *   eight        eight processes, 1 us inside
 *   after kill   from kill -9 of a holder to the next one's entry, in us
 *   commands     `true` by `admit run` and by flock(1), one after the other, a second; with k = 2 flock has k = 1 still
 *
 * A ratio is to the first in its row.
 */
#include "admit.h"

#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REPETITIONS_MAX = 101 };

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

/* --- the four ----------------------------------------------------------------------------------------------------- */

static sem_t *semaphore;
static int sysv, lock_file;
static admit_gate *gate;
static _Thread_local admit_hold hold;

static void sem_t_make(unsigned k)
{
    if (semaphore == NULL)
        semaphore = mmap(NULL, sizeof *semaphore, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(semaphore, 1, k);
}

static void sem_t_enter(void)
{
    while (sem_wait(semaphore) != 0)
        ;
}

static void sem_t_leave(void)
{
    sem_post(semaphore);
}

static void sem_t_unmake(void)
{
    sem_destroy(semaphore);
}

static void undo_make(unsigned k)
{
    sysv = semget(IPC_PRIVATE, 1, 0600);
    if (sysv < 0 || semctl(sysv, 0, SETVAL, (int)k) != 0)
        die("no SysV semaphores");
}

static void undo_by(short by)
{
    struct sembuf operation = {.sem_op = by, .sem_flg = SEM_UNDO};
    while (semop(sysv, &operation, 1) != 0)
        ;
}

static void undo_enter(void)
{
    undo_by(-1);
}

static void undo_leave(void)
{
    undo_by(1);
}

static void undo_unmake(void)
{
    semctl(sysv, 0, IPC_RMID);
}

static char lock_path[] = "/tmp/admit-bench-XXXXXX";

static void flock_make(unsigned k)
{
    (void)k;
    strcpy(lock_path + strlen(lock_path) - 6, "XXXXXX");
    close(mkstemp(lock_path));
    lock_file = -1;
}

static void flock_enter(void)
{
    if (lock_file < 0)
        lock_file = open(lock_path, O_RDWR);
    while (flock(lock_file, LOCK_EX) != 0)
        ;
}

static void flock_leave(void)
{
    flock(lock_file, LOCK_UN);
}

static void flock_unmake(void)
{
    unlink(lock_path);
    if (lock_file >= 0)
        close(lock_file);
}

static void gate_make(unsigned k)
{
    gate = admit_gate_create_private(&(admit_gate_options){.k = k});
    if (gate == NULL)
        die(admit_last_error_text());
}

static void gate_enter(void)
{
    if (admit_gate_enter(gate, &hold) != ADMIT_OK)
        die(admit_last_error_text());
}

static void gate_leave(void)
{
    admit_gate_leave(gate, &hold);
}

static void gate_unmake(void)
{
    admit_gate_close(gate);
}

static const struct peer {
    const char *name;
    void (*make)(unsigned k), (*enter)(void), (*leave)(void), (*unmake)(void);
    bool any_k, recovers;
} peers[] = {
    {"sem_t", sem_t_make, sem_t_enter, sem_t_leave, sem_t_unmake, true, false},
    {"SEM_UNDO", undo_make, undo_enter, undo_leave, undo_unmake, true, true},
    {"flock", flock_make, flock_enter, flock_leave, flock_unmake, false, true},
    {"admit", gate_make, gate_enter, gate_leave, gate_unmake, true, true},
};
enum { PEERS = sizeof peers / sizeof peers[0] };

/* --- what is measured --------------------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

/* Called with the functions known, so that sem_t and the gate are called directly, as a program would. The median of
 * short stretches: a stretch in which somebody else had the core does not count. */
static inline double alone(void (*enter)(void), void (*leave)(void), unsigned passes)
{
    enum { STRETCHES = 101 };
    double found[STRETCHES];
    enter(), leave();
    for (unsigned stretch = 0; stretch < STRETCHES; stretch++) {
        uint64_t before = now_ns();
        for (unsigned pass = 0; pass < passes; pass++) {
            enter();
            leave();
        }
        found[stretch] = (double)(now_ns() - before) / passes;
    }
    qsort(found, STRETCHES, sizeof found[0], by_size);
    return found[STRETCHES / 2];
}

static double measure_alone(const struct peer *peer, unsigned k)
{
    peer->make(k);
    double ns = peer->enter == sem_t_enter  ? alone(sem_t_enter, sem_t_leave, 2000)
                : peer->enter == gate_enter ? alone(gate_enter, gate_leave, 2000)
                                            : alone(peer->enter, peer->leave, 50);
    peer->unmake();
    return ns;
}

static void spend(unsigned ns)
{
    for (uint64_t end = now_ns() + ns; now_ns() < end;)
        ;
}

static double throughput(const struct peer *peer, unsigned processes, unsigned k, unsigned inside_ns)
{
    struct shared {
        _Atomic bool go, stop;
        _Atomic uint64_t passes;
    } *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    peer->make(k);
    for (unsigned p = 0; p < processes; p++) {
        if (fork() != 0)
            continue;
        uint64_t passes = 0;
        while (!atomic_load(&shared->go))
            usleep(100);
        while (!atomic_load_explicit(&shared->stop, memory_order_relaxed)) {
            peer->enter();
            spend(inside_ns);
            peer->leave();
            passes++;
        }
        atomic_fetch_add(&shared->passes, passes);
        _exit(0);
    }
    usleep(20000);
    uint64_t before = now_ns();
    atomic_store(&shared->go, true);
    usleep(150000);
    atomic_store(&shared->stop, true);
    for (unsigned p = 0; p < processes; p++)
        wait(NULL);
    double rate = (double)shared->passes / ((double)(now_ns() - before) / 1e9);
    peer->unmake();
    munmap(shared, sizeof *shared);
    return rate;
}

static double after_kill(const struct peer *peer)
{
    if (!peer->recovers)
        return 0;
    int ready[2];
    char byte;
    _Atomic uint64_t *in = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    peer->make(1);
    if (pipe(ready) != 0)
        die("no pipe");
    pid_t holder = fork();
    if (holder == 0) {
        peer->enter();
        if (write(ready[1], "x", 1) == 1)
            pause();
        _exit(0);
    }
    if (read(ready[0], &byte, 1) != 1)
        die("no holder");
    pid_t next = fork();
    if (next == 0) {
        peer->enter();
        atomic_store(in, now_ns());
        _exit(0);
    }
    usleep(10000); /* it sleeps */
    uint64_t before = now_ns();
    kill(holder, SIGKILL);
    waitpid(next, NULL, 0);
    waitpid(holder, NULL, 0);
    double us = (double)(atomic_load(in) - before) / 1e3;
    peer->unmake();
    close(ready[0]), close(ready[1]);
    munmap((void *)in, 4096);
    return us;
}

static char admit_program[PATH_MAX];
extern char **environ;

/* How many commands a second the peer's own program runs; 0: it has none, or it does not run. */
static double commands(const struct peer *peer, unsigned k)
{
    enum { COMMANDS = 100 };
    char directory[] = "/tmp/admit-bench-XXXXXX", file[PATH_MAX], number[12];
    if (peer->enter != flock_enter && peer->enter != gate_enter)
        return 0;
    if (mkdtemp(directory) == NULL)
        die("no directory in /tmp");
    snprintf(file, sizeof file, "%s/it", directory);
    snprintf(number, sizeof number, "%u", k);
    char *by_flock[] = {"flock", file, "true", NULL};
    char *by_admit[] = {admit_program, "run", "-k", number, file, "--", "true", NULL};
    char **argv = peer->enter == flock_enter ? by_flock : by_admit;
    uint64_t before = now_ns();
    bool runs = true;
    for (unsigned c = 0; c <= COMMANDS && runs; c++) {
        pid_t child;
        int status = -1;
        runs = posix_spawnp(&child, argv[0], NULL, NULL, argv, environ) == 0 && waitpid(child, &status, 0) == child &&
               status == 0;
        if (c == 0) /* which made the file */
            before = now_ns();
    }
    double took = (double)(now_ns() - before) / 1e9;
    unlink(file);
    rmdir(directory);
    return runs ? COMMANDS / took : 0;
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

enum measure { ALONE_1, ALONE_4, TWO, EIGHT, EIGHT_4, AFTER_KILL, COMMANDS_1, COMMANDS_2, MEASURES };
static const char *const measure_name[MEASURES] = {"alone, k = 1 (ns)",
                                                   "alone, k = 4 (ns)",
                                                   "two, 200 ns inside (/s)",
                                                   "eight, 1 us inside (/s)",
                                                   "eight, k = 4, 1 us inside (/s)",
                                                   "after kill (us)",
                                                   "commands (/s)",
                                                   "commands, k = 2 (/s)"};

static double measure(const struct peer *peer, enum measure what)
{
    switch (what) {
    case ALONE_1:
        return measure_alone(peer, 1);
    case ALONE_4:
        return peer->any_k ? measure_alone(peer, 4) : 0;
    case TWO:
        return throughput(peer, 2, 1, 200);
    case EIGHT:
        return throughput(peer, 8, 1, 1000);
    case EIGHT_4:
        return peer->any_k ? throughput(peer, 8, 4, 1000) : 0;
    case AFTER_KILL:
        return after_kill(peer);
    case COMMANDS_1:
        return commands(peer, 1);
    case COMMANDS_2:
        return commands(peer, 2);
    default:
        return 0;
    }
}

int main(int argc, char **argv)
{
    static double found[MEASURES][PEERS][REPETITIONS_MAX];
    unsigned repetitions = argc > 1 ? (unsigned)atoi(argv[1]) : 9;
    if (repetitions < 1 || repetitions > REPETITIONS_MAX)
        die("from 1 to 101 repetitions");
    const char *slash = strrchr(argv[0], '/');
    snprintf(admit_program, sizeof admit_program, "%.*s../admit", slash == NULL ? 0 : (int)(slash - argv[0]) + 1,
             argv[0]);
    printf("%-32s", "The gate and its peers");
    for (unsigned p = 0; p < PEERS; p++)
        printf("%18s", peers[p].name);
    printf("\n");
    for (unsigned m = 0; m < MEASURES; m++) {
        printf("%-32s", measure_name[m]);
        for (unsigned r = 0; r < repetitions; r++)
            for (unsigned p = 0; p < PEERS; p++)
                found[m][p][r] = measure(&peers[p], (enum measure)m);
        double reference = 0;
        for (unsigned p = 0; p < PEERS; p++) {
            qsort(found[m][p], repetitions, sizeof(double), by_size);
            double median = found[m][p][repetitions / 2];
            reference = reference == 0 ? median : reference;
            if (median == 0)
                printf("%18s", "-");
            else
                printf("%10.4g %5.2fx ", median, median / reference);
        }
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
