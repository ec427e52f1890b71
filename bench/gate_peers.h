/* SPDX-License-Identifier: MIT
 *
 * gate_peers.h - what the gate is measured beside: each as its users would write it, and admit's own gate. In a header, so
 * that a compiler sees all of them where they are measured.
 */
#ifndef ADMIT_BENCH_GATE_PEERS_H
#define ADMIT_BENCH_GATE_PEERS_H

#include "admit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

static void *shared_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        die("no memory");
    return memory;
}

/* --- sem_t -------------------------------------------------------------------------------------------------------- */

static sem_t *semaphore;

static void sem_t_make(unsigned k)
{
    if (semaphore == NULL)
        semaphore = shared_memory(sizeof *semaphore);
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

/* --- a robust mutex ----------------------------------------------------------------------------------------------- */

static pthread_mutex_t *mutex;

static void mutex_make(unsigned k)
{
    (void)k;
    pthread_mutexattr_t robust;
    if (mutex == NULL)
        mutex = shared_memory(sizeof *mutex);
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setpshared(&robust, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(mutex, &robust);
    pthread_mutexattr_destroy(&robust);
}

static void mutex_enter(void)
{
    if (pthread_mutex_lock(mutex) == EOWNERDEAD)
        pthread_mutex_consistent(mutex);
}

static void mutex_leave(void)
{
    pthread_mutex_unlock(mutex);
}

static void mutex_unmake(void)
{
    pthread_mutex_destroy(mutex);
}

/* --- SysV --------------------------------------------------------------------------------------------------------- */

static int sysv;

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

/* --- locks of a file ---------------------------------------------------------------------------------------------- */

static char lock_path[] = "/tmp/admit-bench-XXXXXX";
static int lock_file;

static void file_make(unsigned k)
{
    (void)k;
    strcpy(lock_path + strlen(lock_path) - 6, "XXXXXX");
    close(mkstemp(lock_path));
    lock_file = -1;
}

/* Each process has its own description of the file. */
static int own_file(void)
{
    if (lock_file < 0)
        lock_file = open(lock_path, O_RDWR);
    return lock_file;
}

static void flock_enter(void)
{
    while (flock(own_file(), LOCK_EX) != 0)
        ;
}

static void flock_leave(void)
{
    flock(lock_file, LOCK_UN);
}

static void ofd_enter(void)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    while (fcntl(own_file(), F_OFD_SETLKW, &all) != 0)
        ;
}

static void ofd_leave(void)
{
    struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    fcntl(lock_file, F_OFD_SETLK, &all);
}

static void file_unmake(void)
{
    unlink(lock_path);
    if (lock_file >= 0)
        close(lock_file);
}

/* --- tokens that one reads ---------------------------------------------------------------------------------------- */

static int event, token[2];

static void event_make(unsigned k)
{
    event = eventfd(k, EFD_SEMAPHORE);
    if (event < 0)
        die("no eventfd");
}

static void event_enter(void)
{
    uint64_t one;
    while (read(event, &one, sizeof one) < 0)
        ;
}

static void event_leave(void)
{
    uint64_t one = 1;
    while (write(event, &one, sizeof one) < 0)
        ;
}

static void event_unmake(void)
{
    close(event);
}

static void pipe_leave(void)
{
    while (write(token[1], "+", 1) < 0)
        ;
}

static void pipe_make(unsigned k)
{
    if (pipe(token) != 0)
        die("no pipe");
    while (k-- > 0)
        pipe_leave();
}

static void pipe_enter(void)
{
    char one;
    while (read(token[0], &one, 1) < 0)
        ;
}

static void pipe_unmake(void)
{
    close(token[0]), close(token[1]);
}

/* --- numbered tickets, first in, first enabled, without recovery --------------------------------------------------- */

/* What order costs, and nothing else. Whoever has ticket t sleeps on berth[t modulo their number], of which there are
 * more than processes; the first in line looks for some time before. */
enum { BERTHS = 1024, LOOK_NS = 10000 };

static struct tickets {
    _Alignas(64) _Atomic uint32_t issue; /* the next to be drawn */
    _Alignas(64) _Atomic uint32_t valid; /* the first that may not go in */
    struct {
        _Alignas(64) _Atomic uint32_t asleep; /* ticket + 1 of a process that is, or soon will be */
    } berth[BERTHS];
} * tickets;

static void ticket_make(unsigned k)
{
    if (tickets == NULL)
        tickets = shared_memory(sizeof *tickets);
    memset(tickets, 0, sizeof *tickets);
    atomic_store(&tickets->valid, k);
}

static bool ticket_is_valid(uint32_t own)
{
    return (int32_t)(atomic_load(&tickets->valid) - own) > 0;
}

static void ticket_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

static bool ticket_becomes_valid(uint32_t own)
{
    uint64_t until = 0;
    while (atomic_load(&tickets->valid) == own) { /* and nobody is before it in line */
        for (unsigned look = 0; look < 20; look++) {
            if (ticket_is_valid(own))
                return true;
            ticket_pause();
        }
        uint64_t now = now_ns();
        until = until == 0 ? now + LOOK_NS : until;
        if (now > until)
            break;
    }
    return ticket_is_valid(own);
}

static void ticket_enter(void)
{
    uint32_t own = atomic_fetch_add(&tickets->issue, 1);
    _Atomic uint32_t *asleep = &tickets->berth[own % BERTHS].asleep;
    if (ticket_is_valid(own) || ticket_becomes_valid(own))
        return;
    /* A process that was slow while a whole round of tickets passed it may write over another's: hence the limit. */
    for (struct timespec limit = {.tv_nsec = 50000000};;) {
        atomic_store(asleep, own + 1);
        if (ticket_is_valid(own))
            break;
        syscall(SYS_futex, asleep, FUTEX_WAIT, own + 1, &limit, NULL, 0);
    }
}

static void ticket_leave(void)
{
    uint32_t next = atomic_fetch_add(&tickets->valid, 1), sleeper = next + 1;
    _Atomic uint32_t *asleep = &tickets->berth[next % BERTHS].asleep;
    if (atomic_load(asleep) == sleeper && atomic_compare_exchange_strong(asleep, &sleeper, 0))
        syscall(SYS_futex, asleep, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void ticket_unmake(void)
{
}

/* --- admit -------------------------------------------------------------------------------------------------------- */

static admit_gate *gate;
static _Thread_local admit_hold hold;

static bool gate_may_grow;

static void gate_make_for(unsigned k, unsigned capacity)
{
    unsigned most_k = gate_may_grow ? 0 : k;
    gate = admit_gate_create_private(&(admit_gate_options){.k = k, .most_k = most_k, .capacity = capacity});
    if (gate == NULL)
        die(admit_last_error_text());
}

static void gate_make(unsigned k)
{
    gate_make_for(k, 0);
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

enum who { SEM_T, MUTEX, SYSV, FLOCK, OFD, EVENTFD, PIPE, TICKET, ADMIT, PEERS };

static const struct peer {
    const char *name;
    void (*make)(unsigned k), (*enter)(void), (*leave)(void), (*unmake)(void);
    bool any_k, recovers;
} peers[PEERS] = {
    [SEM_T] = {"sem_t", sem_t_make, sem_t_enter, sem_t_leave, sem_t_unmake, true, false},
    [MUTEX] = {"robust", mutex_make, mutex_enter, mutex_leave, mutex_unmake, false, true},
    [SYSV] = {"SEM_UNDO", undo_make, undo_enter, undo_leave, undo_unmake, true, true},
    [FLOCK] = {"flock", file_make, flock_enter, flock_leave, file_unmake, false, true},
    [OFD] = {"OFD lock", file_make, ofd_enter, ofd_leave, file_unmake, false, true},
    [EVENTFD] = {"eventfd", event_make, event_enter, event_leave, event_unmake, true, false},
    [PIPE] = {"pipe", pipe_make, pipe_enter, pipe_leave, pipe_unmake, true, false},
    [TICKET] = {"ticket", ticket_make, ticket_enter, ticket_leave, ticket_unmake, true, false},
    [ADMIT] = {"admit", gate_make, gate_enter, gate_leave, gate_unmake, true, true},
};

#endif
