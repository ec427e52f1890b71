/* SPDX-License-Identifier: MIT
 *
 * A hold that outlives its starter: the command, not the wrapper, owns the slot.
 *
 * A robust list does not survive exec, so the command cannot have a life word. Instead the HEIR word of the starter's
 * record names it: process number and start time, which no other process has in one boot and one pid namespace.
 *
 *   0                    no heir
 *   ALLOWED, ticket      the starter has said that a child may inherit (with or without children)
 *   pid, start time      a process has inherited
 *   CHILDREN, ticket     a process has inherited, and whoever has its lock on the record's byte of the file open
 *
 * Each change is one compare-and-swap. Whoever finds the starter dead changes ALLOWED to 0 before it calls it dead: the
 * child that comes too late fails and runs no command. Since a ticket is in ALLOWED, a child that slept until the
 * record had another owner fails too.
 */
#include "gate/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { START_BITS = 40 };
#define START_MASK ((UINT64_C(1) << START_BITS) - 1)
enum { ALLOWED = 0xffffff, ALLOWED_WITH_CHILDREN = 0xfffffe, CHILDREN = 0xfffffd, PID_MAX = 0x400000 };

static uint64_t heir_word(uint64_t kind, uint64_t rest)
{
    return kind << START_BITS | (rest & START_MASK);
}

static unsigned kind_of(uint64_t word)
{
    return (unsigned)(word >> START_BITS);
}

/* The byte that stands for a record, far behind the end of the file. */
static struct flock byte_of(unsigned who, short type)
{
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)(INT64_C(1) << 40) + who, .l_len = 1};
}

/* Field 22 of /proc/PID/stat, in clock ticks since boot; 0: cannot be read. No stdio: for a child of vfork. */
static uint64_t start_time(const char *stat_path)
{
    char text[1024];
    int fd = open(stat_path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    if (length <= 0)
        return 0;
    text[length] = '\0';
    char *at = strrchr(text, ')'); /* the name before it can hold anything */
    for (unsigned field = 2; at != NULL && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at == NULL ? 0 : strtoull(at + 1, NULL, 10) & START_MASK;
}

uint32_t admit_pid_namespace(void)
{
    struct stat status;
    return stat("/proc/self/ns/pid", &status) == 0 ? (uint32_t)status.st_ino : 0;
}

/* /proc may be that of another pid namespace than ours: `unshare --pid --fork` leaves the outer one in place. There the
 * process that we call `pid` has another number, which the kernel tells of a pidfd. 0: none, or it cannot be told. */
static unsigned number_in_proc(unsigned pid, int pidfd)
{
    char path[48], text[1024];
    if (pidfd < 0) {
        ssize_t length = readlink("/proc/self", text, sizeof text - 1);
        text[length > 0 ? length : 0] = '\0';
        return strtol(text, NULL, 10) == getpid() ? pid : 0;
    }
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", pidfd);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    const char *at = strstr(text, "\nPid:");
    long number = at == NULL ? 0 : strtol(at + 5, NULL, 10);
    return number > 0 && number <= PID_MAX ? (unsigned)number : 0;
}

/* A pidfd is ready when the last thread has ended, reaped or not. It keeps the process from being mistaken for a later
 * one: if it is not ready after the start time was read, that was the start time of the one it stands for. */
static enum heir_state process_state(unsigned pid, uint64_t start)
{
    char path[40];
    int pidfd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
    if (pidfd < 0 && errno != ENOSYS && errno != EPERM)
        return HEIR_NONE; /* nobody has this number, or only a thread has */
    unsigned number = number_in_proc(pid, pidfd);
    snprintf(path, sizeof path, "/proc/%u/stat", number);
    uint64_t found = number == 0 ? 0 : start_time(path);
    bool ended = false;
    if (pidfd >= 0) {
        ended = poll(&(struct pollfd){.fd = pidfd, .events = POLLIN}, 1, 0) > 0;
        close(pidfd);
    }
    if (ended || (found != 0 && start != 0 && found != start))
        return HEIR_NONE;
    return found != 0 || start == 0 ? HEIR_LIVES : HEIR_UNKNOWN; /* /proc may hide the processes of others */
}

static enum heir_state state_of_heir(const admit_gate *gate, unsigned who, uint64_t word)
{
    if (kind_of(word) == CHILDREN) {
        struct flock byte = byte_of(who, F_WRLCK);
        if (fcntl(gate->fd, F_OFD_GETLK, &byte) != 0)
            return HEIR_UNKNOWN;
        return byte.l_type == F_UNLCK ? HEIR_NONE : HEIR_LIVES;
    }
    if (kind_of(word) == 0 || kind_of(word) > PID_MAX)
        return HEIR_NONE;
    uint32_t own = admit_pid_namespace();
    if (own == 0 || atomic_load(&person_of(gate, who)->pid_namespace) != own)
        return HEIR_UNKNOWN;
    return process_state(kind_of(word), word & START_MASK);
}

enum heir_state admit_heir(admit_gate *gate, unsigned who)
{
    UNCANCELLED;
    _Atomic uint64_t *heir = &gate->cells.heir[who].value;
    uint64_t word = atomic_load(heir);
    while (word != 0) {
        enum heir_state state = state_of_heir(gate, who, word);
        if (state != HEIR_NONE)
            return state;
        if ((atomic_load(life_of(gate, who)) & FUTEX_OWNER_DIED) == 0)
            return HEIR_LIVES; /* it is the next owner's */
        if (atomic_compare_exchange_strong(heir, &word, 0))
            break;
    }
    return HEIR_NONE;
}

enum heir_state admit_heir_seen(const admit_gate *gate, unsigned who, long *pid)
{
    UNCANCELLED;
    uint64_t word = atomic_load(&gate->cells.heir[who].value);
    bool named = kind_of(word) != 0 && kind_of(word) <= PID_MAX;
    if (named)
        *pid = (long)kind_of(word);
    return named || kind_of(word) == CHILDREN ? state_of_heir(gate, who, word) : HEIR_NONE;
}

/* --- the three calls ---------------------------------------------------------------------------------------------- */

static admit_error not_holding(const admit_gate *gate)
{
    return admit_gate_error(ADMIT_NOT_HOLDING, "gate \"%s\": this thread is not inside with this hold", gate->name);
}

/* A description of its own, on which the lock lies: it lasts until the last copy of the descriptor is closed. */
static admit_error lock_for_heirs(admit_gate *gate, struct seat *seat)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", gate->fd);
    int fd = admit_keep(open(path, O_RDWR));
    if (fd < 0)
        return admit_gate_system_error("open again", gate->path);
    struct flock byte = byte_of(seat->who, F_WRLCK);
    if (fcntl(fd, F_OFD_SETLK, &byte) != 0) {
        admit_error error = admit_gate_system_error("lock", gate->path);
        close(fd);
        return error;
    }
    seat->heirs_fd = fd;
    return ADMIT_OK;
}

admit_error admit_gate_bequeath(admit_gate *gate, const admit_hold *hold, int with_children)
{
    UNCANCELLED;
    struct seat *seat = admit_seat_of(gate, hold);
    if (seat == NULL)
        return not_holding(gate);
    if (with_children && seat->heirs_fd < 0) {
        admit_error error = lock_for_heirs(gate, seat);
        if (error != ADMIT_OK)
            return error;
    }
    seat_mark(seat, SEAT_BEQUEATHED, true);
    seat_mark(seat, SEAT_WITH_CHILDREN, with_children);
    atomic_store(&gate->cells.heir[seat->who].value,
                 heir_word(with_children ? ALLOWED_WITH_CHILDREN : ALLOWED, hold->ticket));
    return ADMIT_OK;
}

void admit_heirs_let_go(struct seat *seat)
{
    UNCANCELLED;
    if (seat->heirs_fd >= 0)
        close(seat->heirs_fd);
    seat->heirs_fd = -1;
}

void admit_heir_dismiss(struct seat *seat)
{
    atomic_store(&seat->gate->cells.heir[seat->who].value, 0);
    admit_heirs_let_go(seat);
    seat_mark(seat, SEAT_BEQUEATHED, false);
    seat_mark(seat, SEAT_WITH_CHILDREN, false);
}

/* In a child, perhaps of vfork: the file and the hold are all that can be used. */
admit_error admit_gate_inherit(admit_gate *gate, const admit_hold *hold)
{
    if (hold->slot >= gate->most_k)
        return ADMIT_NOT_HOLDING;
    uint64_t who = atomic_load(&gate->spot[hold->slot].who) - 1;
    if (who >= gate->records)
        return ADMIT_NOT_HOLDING;
    _Atomic uint64_t *heir = &gate->cells.heir[who].value;
    uint64_t allowed = heir_word(ALLOWED_WITH_CHILDREN, hold->ticket);
    if (atomic_compare_exchange_strong(heir, &allowed, heir_word(CHILDREN, hold->ticket)))
        return ADMIT_OK;
    /* Its number is looked for where the starter is. */
    uint32_t own = admit_pid_namespace(), starters = atomic_load(&person_of(gate, (unsigned)who)->pid_namespace);
    if (own != 0 && starters != 0 && own != starters)
        return ADMIT_UNSUPPORTED;
    allowed = heir_word(ALLOWED, hold->ticket);
    uint64_t me = heir_word((uint64_t)getpid(), start_time("/proc/self/stat"));
    return atomic_compare_exchange_strong(heir, &allowed, me) ? ADMIT_OK : ADMIT_NOT_HOLDING;
}

admit_error admit_gate_await_heirs(admit_gate *gate, const admit_hold *hold)
{
    UNCANCELLED;
    struct seat *seat = admit_seat_of(gate, hold);
    if (seat == NULL)
        return not_holding(gate);
    if (!seat_is(seat, SEAT_WITH_CHILDREN))
        return ADMIT_OK;
    admit_heirs_let_go(seat);
    struct flock byte = byte_of(seat->who, F_WRLCK);
    if (fcntl(gate->fd, F_OFD_SETLKW, &byte) != 0)
        return errno == EINTR ? admit_gate_error(ADMIT_INTERRUPTED, "gate \"%s\": interrupted", gate->name)
                              : admit_gate_system_error("lock", gate->path);
    byte.l_type = F_UNLCK;
    fcntl(gate->fd, F_OFD_SETLK, &byte);
    return ADMIT_OK;
}
