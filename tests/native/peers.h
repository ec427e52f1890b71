/* SPDX-License-Identifier: MIT
 *
 * peers.h - sem_t, SysV semaphores with SEM_UNDO, flock(2) and a gate, used alike; and visitors, processes that come, go in,
 * and leave or die.
 */
#ifndef ADMIT_TESTS_PEERS_H
#define ADMIT_TESTS_PEERS_H

#include "gate_witness.h"

#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/types.h>

/* --- the four, alike ---------------------------------------------------------------------------------------------- */

enum { NO_SLOT = -1 };

/* `enter` returns what the call tells of the slot, the same number if it tells nothing, or NO_SLOT, if it is not to wait and
 * there is none. */
struct peer {
    void (*make)(unsigned k);
    int (*enter)(bool waits);
    void (*leave)(void);
    void (*unmake)(void);
};

static sem_t *semaphore;

static void posix_make(unsigned k)
{
    semaphore = mmap(NULL, sizeof *semaphore, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(semaphore != MAP_FAILED);
    assert_int_equal(sem_init(semaphore, 1, k), 0);
}

static int posix_enter(bool waits)
{
    return waits ? sem_wait(semaphore) : sem_trywait(semaphore) == 0 ? 0 : NO_SLOT;
}

static void posix_leave(void)
{
    sem_post(semaphore);
}

static void posix_unmake(void)
{
    munmap(semaphore, sizeof *semaphore);
}

static int sysv;

static void sysv_make(unsigned k)
{
    sysv = semget(IPC_PRIVATE, 1, 0600);
    assert_true(sysv >= 0);
    assert_int_equal(semctl(sysv, 0, SETVAL, (int)k), 0);
}

static int sysv_enter(bool waits)
{
    struct sembuf take = {.sem_op = -1, .sem_flg = (short)(waits ? SEM_UNDO : SEM_UNDO | IPC_NOWAIT)};
    return semop(sysv, &take, 1) == 0 ? 0 : NO_SLOT;
}

static void sysv_leave(void)
{
    struct sembuf give = {.sem_op = 1, .sem_flg = SEM_UNDO};
    semop(sysv, &give, 1);
}

static void sysv_unmake(void)
{
    semctl(sysv, 0, IPC_RMID);
}

/* Each process opens the file for itself: a lock is one of the open file description, which forked children share. */
static char lock_path[PATH_MAX + 8];
static int lock_file;

static void flock_make(unsigned k)
{
    assert_int_equal(k, 1);
    snprintf(lock_path, sizeof lock_path, "%s/lock", test_directory());
    lock_file = open(lock_path, O_RDWR | O_CREAT, 0600);
    assert_true(lock_file >= 0);
}

static int flock_enter(bool waits)
{
    return flock(lock_file, waits ? LOCK_EX : LOCK_EX | LOCK_NB) == 0 ? 0 : NO_SLOT;
}

static void flock_leave(void)
{
    flock(lock_file, LOCK_UN);
}

static void flock_unmake(void)
{
    close(lock_file);
    unlink(lock_path);
}

static admit_gate *gate;
static admit_hold hold;

static void gate_make(unsigned k)
{
    gate = admit_gate_create_private(&(admit_gate_options){.k = k});
    assert_non_null(gate);
}

static int gate_enter(bool waits)
{
    admit_error error = admit_gate_enter_with(gate, &hold, &(admit_wait){.only_if_free = !waits, .record_since = 1});
    return error == ADMIT_OK ? (int)hold.slot : NO_SLOT;
}

static void gate_leave(void)
{
    admit_gate_leave(gate, &hold);
}

static void gate_unmake(void)
{
    admit_gate_close(gate);
}

static const struct peer posix = {posix_make, posix_enter, posix_leave, posix_unmake};
static const struct peer undo = {sysv_make, sysv_enter, sysv_leave, sysv_unmake};
static const struct peer locked = {flock_make, flock_enter, flock_leave, flock_unmake};
static const struct peer admits = {gate_make, gate_enter, gate_leave, gate_unmake};

/* --- visitors: processes that come, go in, and leave or die ------------------------------------------------------------ */

enum { VISITORS = 5, ROUNDS = 200 };

/* What they write down, and what they are told. */
static struct book {
    struct {
        _Atomic bool comes, inside, may_leave;
        _Atomic int told, child;
    } of[VISITORS];
    _Atomic unsigned entries, order[VISITORS];
} * book;

static pid_t visitor[VISITORS];

static void begin(const struct peer *peer, unsigned k)
{
    if (book == NULL)
        book = mmap(NULL, sizeof *book, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(book != MAP_FAILED);
    memset(book, 0, sizeof *book);
    peer->make(k);
}

static _Noreturn void stay(void)
{
    for (;;)
        pause();
}

/* With `a_child` it has forked one before it says that it is inside. */
static void visit(const struct peer *peer, unsigned number, bool a_child)
{
    visitor[number] = fork();
    assert_true(visitor[number] >= 0);
    if (visitor[number] != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (peer == &locked)
        lock_file = open(lock_path, O_RDWR);
    atomic_store(&book->of[number].comes, true);
    atomic_store(&book->of[number].told, peer->enter(true));
    atomic_store(&book->order[atomic_fetch_add(&book->entries, 1) % VISITORS], number);
    pid_t child = a_child ? fork() : -1;
    if (child == 0)
        stay();
    atomic_store(&book->of[number].child, child);
    atomic_store(&book->of[number].inside, true);
    while (!atomic_load(&book->of[number].may_leave))
        usleep(1000);
    peer->leave();
    _exit(0);
}

static void becomes_true(_Atomic bool *what)
{
    while (!atomic_load(what))
        usleep(500);
}

static char state_of(pid_t process)
{
    char path[40], text[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = file < 0 ? 0 : read(file, text, sizeof text - 1);
    close(file);
    const char *end = size > 0 ? strrchr(text, ')') : NULL;
    return end != NULL ? end[2] : '?';
}

/* A visitor that comes and finds no slot: returns when it sleeps. */
static void visit_and_sleep(const struct peer *peer, unsigned number)
{
    visit(peer, number, false);
    becomes_true(&book->of[number].comes);
    while (state_of(visitor[number]) != 'S')
        usleep(500);
    assert_false(atomic_load(&book->of[number].inside));
}

static void visit_inside(const struct peer *peer, unsigned number, bool a_child)
{
    visit(peer, number, a_child);
    becomes_true(&book->of[number].inside);
}

static void reap(pid_t process)
{
    assert_int_equal(waitpid(process, NULL, 0), process);
}

static void lets_go(unsigned number)
{
    atomic_store(&book->of[number].may_leave, true);
}

static void kill_and_reap(pid_t process)
{
    assert_int_equal(kill(process, SIGKILL), 0);
    reap(process);
}

#endif
