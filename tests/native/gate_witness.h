/* SPDX-License-Identifier: MIT
 *
 * gate_witness.h - an independent witness of exclusion across processes: the kernel. Whoever is inside with slot s
 * locks byte s of a file. That somebody else has it is a violation; so is a slot that does not exist. It also keeps the
 * book of who is to be killed, of entries, and of the longest time without one.
 *
 * The kernel marks a dead thread's life word before it takes away its file locks: whoever finds the lock of one that
 * has been killed waits for it.
 */
#ifndef ADMIT_TESTS_GATE_WITNESS_H
#define ADMIT_TESTS_GATE_WITNESS_H

#include "admit.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WITNESS_PIDS = 1 << 16 };

struct gate_witness {
    _Atomic uint64_t violations, entries, owner_died, gave_up;
    _Atomic uint64_t last_entry_ns, longest_gap_ns;
    _Atomic uint8_t doomed[WITNESS_PIDS]; /* by pid modulo */
};

static inline uint64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline struct gate_witness *make_gate_witness(void)
{
    struct gate_witness *witness =
        mmap(NULL, sizeof *witness, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(witness != MAP_FAILED);
    return witness;
}

/* A description of the file that is this process's own, for locks. */
static inline int open_witness_file(const char *path)
{
    return open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

static inline void witness_time(struct gate_witness *witness)
{
    uint64_t now = monotonic_ns(), before = atomic_exchange(&witness->last_entry_ns, now);
    uint64_t longest = atomic_load(&witness->longest_gap_ns);
    while (before != 0 && now > before && now - before > longest &&
           !atomic_compare_exchange_weak(&witness->longest_gap_ns, &longest, now - before))
        ;
}

static inline void witness_enter(struct gate_witness *witness, int file, unsigned slot, unsigned k)
{
    struct flock byte = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = slot, .l_len = 1};
    if (slot >= k)
        atomic_fetch_add(&witness->violations, 1);
    while (fcntl(file, F_SETLK, &byte) != 0) {
        struct flock other = byte;
        if (fcntl(file, F_GETLK, &other) != 0 || other.l_type == F_UNLCK)
            continue;
        if (!atomic_load(&witness->doomed[other.l_pid % WITNESS_PIDS])) {
            atomic_fetch_add(&witness->violations, 1);
            return;
        }
        sched_yield();
    }
    atomic_fetch_add(&witness->entries, 1);
    witness_time(witness);
}

static inline void witness_leave(int file, unsigned slot)
{
    struct flock byte = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = slot, .l_len = 1};
    fcntl(file, F_SETLK, &byte);
}

/* Exactly k can be had at once, and not one more. Then they are given back. */
static inline void assert_all_slots_are_there(admit_gate *gate, unsigned k)
{
    admit_hold hold[64], more;
    bool had[64] = {false};
    for (unsigned s = 0; s < k; s++) {
        if (admit_gate_try(gate, &hold[s]) != ADMIT_OK)
            fail_msg("slot %u of %u is lost: %s", s, k, admit_last_error_text());
        assert_true(hold[s].slot < k && !had[hold[s].slot]);
        had[hold[s].slot] = true;
    }
    assert_int_equal(admit_gate_try(gate, &more), ADMIT_NO_SLOT);
    for (unsigned s = 0; s < k; s++)
        assert_int_equal(admit_gate_leave(gate, &hold[s]), ADMIT_OK);
}

static inline unsigned waiters_of(admit_gate *gate)
{
    admit_view *view = admit_gate_inspect(gate);
    unsigned waiters = view->waiters;
    admit_view_free(view);
    return waiters;
}

/* A pipe end on which the parent waits until the child is where the test wants it. */
static inline void say(int fd)
{
    if (write(fd, "x", 1) != 1)
        _exit(9);
}

static inline bool hear(int fd)
{
    char byte;
    return read(fd, &byte, 1) == 1;
}

/* A directory for gates, of this test program alone. */
static inline const char *test_directory(void)
{
    static char path[PATH_MAX];
    if (path[0] == '\0') {
        snprintf(path, sizeof path, "%s/admit-test-XXXXXX", getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp");
        assert_non_null(mkdtemp(path));
        setenv("ADMIT_DIR", path, 1);
    }
    return path;
}

static inline void remove_test_directory(void)
{
    char command[PATH_MAX + 20];
    snprintf(command, sizeof command, "rm -rf '%s'", test_directory());
    assert_int_equal(system(command), 0);
}

#endif
