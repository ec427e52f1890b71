/* SPDX-License-Identifier: MIT
 *
 * A hold that outlives its starter: the command, not the wrapper, owns the slot.
 *
 * How it is handed on is text (algorithms/gate_heirs.h); here is what its words are natively. A robust list does not
 * survive exec, so the command cannot have a life word. Instead the HEIR word of the starter's record names it: process
 * number and identity (process.c), which no other process has in one boot and one pid namespace.
 *
 *   0                               no heir
 *   ALLOWED_ALONE, ticket           the starter has said that a child may inherit,
 *   ALLOWED_WITH_CHILDREN, ticket   and whatever that starts
 *   pid, identity                   a process has inherited
 *   CHILDREN, ticket                a process has inherited, and with it whoever has its lock on the ticket's byte of the
 *                                   file open
 *   AMONG_READERS, ticket           the same with a lock to read, since others who may only read have locked the file, or
 *                                   more of it: then all locks must be looked through
 *
 * The lock is taken in the child that becomes the command, by a descriptor that only it and what it starts have:
 * whatever else the starter starts meanwhile does not hold on.
 *
 * A process that is no child, such as a shell from which the starter was called, inherits without its doing: the starter
 * takes its steps.
 *
 * A family is the same for holds that are had after the fork: the starter opens the descriptor before, and locks the byte
 * of each ticket that it leaves to those who have it open; it has it open itself as long as it lives, when nobody asks.
 */
#include "gate/file/locks.h"
#include "gate/life/life.h"
#include "gate/words/meaning.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { REST_BITS = 40 };
#define REST_MASK ((UINT64_C(1) << REST_BITS) - 1)
enum {
    PROCESS = 0x3fffff, /* the largest number that a process can have */
    ALLOWED_ALONE = 0xffffff,
    ALLOWED_WITH_CHILDREN = 0xfffffe,
    CHILDREN = 0xfffffd,
    AMONG_READERS = 0xfffffc,
};
enum { LOOK_AGAIN_US = 20000 };

static uint64_t heir_word(uint64_t kind, uint64_t rest)
{
    return kind << REST_BITS | (rest & REST_MASK);
}

static unsigned kind_of(uint64_t word)
{
    return (unsigned)(word >> REST_BITS);
}

static bool is_process(uint64_t word)
{
    return kind_of(word) != 0 && kind_of(word) <= PROCESS;
}

static bool is_family(uint64_t word)
{
    return kind_of(word) == CHILDREN || kind_of(word) == AMONG_READERS;
}

/* The byte that stands for a ticket, far behind the end of the file, and before those of anchor.c. */
static struct flock byte_of(uint64_t ticket, short type)
{
    return (struct flock){.l_type = type,
                          .l_whence = SEEK_SET,
                          .l_start = (off_t)((INT64_C(1) << 61) + (int64_t)(ticket & REST_MASK)),
                          .l_len = 1};
}

struct family {
    uint64_t inode, byte;
};

static bool is_of_family(const struct file_lock *lock, const void *data)
{
    const struct family *family = data;
    return lock->inode == family->inode && lock->start == family->byte &&
           lock->end == family->byte; /* the byte is rare */
}

static enum heir_state state_of_family(const admit_gate *gate, uint64_t word)
{
    struct flock byte = byte_of(word, kind_of(word) == CHILDREN ? F_RDLCK : F_WRLCK);
    struct family family = {gate->file.inode, (uint64_t)byte.l_start};
    struct file_lock found;
    int fd = admit_fd(&gate->file);
    if (fd < 0 || fcntl(fd, F_OFD_GETLK, &byte) != 0)
        return HEIR_UNKNOWN;
    if (byte.l_type == F_UNLCK)
        return HEIR_NONE;
    if (kind_of(word) == CHILDREN)
        return HEIR_LIVES;
    switch (admit_locks_search(is_of_family, &family, &found)) {
    case LOCKS_NONE:
        return HEIR_NONE;
    case LOCKS_FOUND:
        return HEIR_LIVES;
    default:
        return HEIR_UNKNOWN;
    }
}

static enum heir_state state_of_heir(const admit_gate *gate, unsigned who, uint64_t word)
{
    if (is_family(word))
        return state_of_family(gate, word);
    if (!is_process(word))
        return HEIR_NONE;
    const struct person *starter = person_of(gate, who);
    uint32_t own = admit_pid_namespace();
    if (own == 0 || atomic_load(&starter->pid_namespace) != own)
        return HEIR_UNKNOWN;
    return admit_process_state(kind_of(word), word & REST_MASK,
                               atomic_load(&starter->time_namespace) == admit_time_namespace());
}

bool admit_has_inherited(uint64_t word)
{
    return is_process(word) || is_family(word);
}

bool admit_holds_on(const struct sleeper *sleeper, uint64_t word, unsigned who)
{
    UNCANCELLED;
    return state_of_heir(sleeper->gate, who, word) != HEIR_NONE;
}

bool admit_has_no_heir(admit_gate *gate, unsigned who)
{
    UNCANCELLED;
    struct withdraw frame = {.whose = who};
    run_text(withdraw, gate, who, &frame, &(struct sleeper){.gate = gate});
    return frame.heir == 0;
}

enum heir_state admit_heir_seen(const admit_gate *gate, unsigned who, long *pid)
{
    UNCANCELLED;
    uint64_t word = atomic_load(&gate->cells.heir[who].value);
    if (is_process(word))
        *pid = (long)kind_of(word);
    return admit_has_inherited(word) ? state_of_heir(gate, who, word) : HEIR_NONE;
}

bool admit_heir_withdrawn(const admit_gate *gate, unsigned who, uint64_t word)
{
    struct inherit nobody = {.allowed = word, .heir = 0};
    run_text(inherit, gate, who, &nobody, NULL);
    return nobody.has;
}

/* Of which kind that makes its heirs; 0: it cannot be locked. */
static unsigned lock_byte(int fd, uint64_t ticket)
{
    struct flock byte = byte_of(ticket, F_WRLCK);
    if (fcntl(fd, F_OFD_SETLK, &byte) == 0)
        return CHILDREN;
    byte.l_type = F_RDLCK;
    return fcntl(fd, F_OFD_SETLK, &byte) == 0 ? AMONG_READERS : 0;
}

static bool is_of_file(const admit_gate *gate, int family)
{
    struct descriptor descriptor = gate->file;
    descriptor.fd = family;
    return admit_fd(&descriptor) >= 0;
}

/* Nobody asks for this ticket's byte any more; but locks that are never taken away would become many. */
static void let_family_go(struct seat *seat, uint64_t ticket)
{
    struct flock byte = byte_of(ticket, F_UNLCK);
    if (seat->family > 0 && is_of_file(seat->gate, seat->family))
        fcntl(seat->family, F_OFD_SETLK, &byte);
    seat->family = 0;
}

/* --- to bequeath, to inherit, to wait for heirs -------------------------------------------------------------------- */

static void allow(struct seat *seat, const admit_hold *hold, bool with_children)
{
    struct bequeath frame = {.allowed = heir_word(with_children ? ALLOWED_WITH_CHILDREN : ALLOWED_ALONE, hold->ticket)};
    seat_mark(seat, SEAT_BEQUEATHED, true);
    run_text(bequeath, seat->gate, seat->who, &frame, NULL);
}

static admit_error bequeathed_already(const admit_gate *gate)
{
    return admit_gate_error(ADMIT_BAD_OPTION, "gate \"%s\": this hold has been bequeathed already", gate->name);
}

/* Once more, if nobody has inherited yet, or that command has ended. */
admit_error admit_heir_allow(struct seat *seat, const admit_hold *hold, bool with_children)
{
    long pid;
    if (seat_is(seat, SEAT_BEQUEATHED) && !admit_heir_disowned(seat)) {
        if (admit_heir_seen(seat->gate, seat->who, &pid) != HEIR_NONE)
            return bequeathed_already(seat->gate);
        admit_heir_dismiss(seat, hold);
    }
    allow(seat, hold, with_children);
    return ADMIT_OK;
}

void admit_heir_dismiss(struct seat *seat, const admit_hold *hold)
{
    run_text(dismiss, seat->gate, seat->who, &(struct dismiss){0}, NULL);
    seat_mark(seat, SEAT_BEQUEATHED, false);
    let_family_go(seat, hold->ticket);
}

bool admit_heir_disowned(struct seat *seat)
{
    struct disown frame = {0};
    run_text(disown, seat->gate, seat->who, &frame, NULL);
    if (frame.heir == 0)
        seat_mark(seat, SEAT_BEQUEATHED, false);
    return frame.heir == 0;
}

static admit_error becomes_heir(const admit_gate *gate, unsigned who, uint64_t allowed, uint64_t heir)
{
    struct inherit frame = {.allowed = allowed, .heir = heir};
    run_text(inherit, gate, who, &frame, NULL);
    return frame.has ? ADMIT_OK : ADMIT_NOT_HOLDING;
}

static admit_error inherit_with_children(const admit_gate *gate, unsigned who, uint64_t allowed)
{
    int fd = admit_keep(admit_open_again(gate, O_RDWR)); /* which exec keeps */
    if (fd < 0)
        return ADMIT_SYSTEM;
    unsigned kind = lock_byte(fd, allowed);
    if (kind == 0) {
        close(fd);
        return ADMIT_SYSTEM;
    }
    admit_error error = becomes_heir(gate, who, allowed, heir_word(kind, allowed));
    if (error != ADMIT_OK)
        close(fd);
    return error;
}

/* In a child, perhaps of vfork: the file and the hold are all that can be used. */
admit_error admit_gate_inherit(admit_gate *gate, const admit_hold *hold)
{
    UNCANCELLED;
    if (gate->elsewhere != NULL)
        return ADMIT_UNSUPPORTED;
    if (gate->look_only)
        return ADMIT_NO_PERMISSION;
    if (hold->slot >= gate->most_k)
        return ADMIT_NOT_HOLDING;
    uint64_t found = atomic_load(&gate->spot[hold->slot].who) - 1;
    if (found >= gate->records)
        return ADMIT_NOT_HOLDING;
    unsigned who = (unsigned)found;
    uint64_t allowed = heir_word(ALLOWED_WITH_CHILDREN, hold->ticket);
    if (atomic_load(&gate->cells.heir[who].value) == allowed)
        return inherit_with_children(gate, who, allowed);
    /* Its number is looked for where the starter is, and if it is an old one's, its identity is compared there. */
    const struct person *starter = person_of(gate, who);
    uint32_t own = admit_pid_namespace(), starters = atomic_load(&starter->pid_namespace);
    if (starters != 0 && own != starters)
        return ADMIT_UNSUPPORTED;
    bool same_time = admit_time_namespace() == atomic_load(&starter->time_namespace);
    uint64_t me = heir_word((uint64_t)getpid(), admit_process_identity(same_time));
    return becomes_heir(gate, who, heir_word(ALLOWED_ALONE, hold->ticket), me);
}

admit_error admit_heirs_await(const admit_gate *gate, unsigned who, bool is_left_to_family)
{
    uint64_t word = atomic_load(&gate->cells.heir[who].value);
    if (is_left_to_family) /* of which this process is one */
        return admit_gate_error(ADMIT_BAD_OPTION, "gate \"%s\": this hold has been left to a family", gate->name);
    if (!is_family(word))
        return ADMIT_OK;
    struct flock byte = byte_of(word, F_RDLCK);
    if (kind_of(word) == AMONG_READERS) { /* to wait for the lock would be to wait for all of them */
        while (state_of_family(gate, word) != HEIR_NONE)
            if (usleep(LOOK_AGAIN_US) != 0)
                return admit_gate_error(ADMIT_INTERRUPTED, "gate \"%s\": interrupted", gate->name);
        return ADMIT_OK;
    }
    int fd = admit_fd(&gate->file);
    if (fd < 0)
        return admit_descriptor_error(gate);
    if (fcntl(fd, F_OFD_SETLKW, &byte) != 0)
        return errno == EINTR ? admit_gate_error(ADMIT_INTERRUPTED, "gate \"%s\": interrupted", gate->name)
                              : admit_gate_system_error("lock", gate->path);
    byte.l_type = F_UNLCK;
    fcntl(fd, F_OFD_SETLK, &byte);
    return ADMIT_OK;
}

/* --- another process, which does nothing for it -------------------------------------------------------------------- */

/* The steps of one that bequeaths, and of a child that inherits. */
admit_error admit_heir_appoint(struct seat *seat, const admit_hold *hold, long pid)
{
    const admit_gate *gate = seat->gate;
    const bool same_time = admit_time_namespace() == atomic_load(&person_of(gate, seat->who)->time_namespace);
    uint64_t identity;
    if (pid < 1 || pid > PROCESS || !admit_process_identified((unsigned)pid, same_time, &identity))
        return admit_gate_error(ADMIT_BAD_OPTION, "gate \"%s\": there is no process %ld", gate->name, pid);
    admit_error error = admit_heir_allow(seat, hold, false);
    return error != ADMIT_OK ? error
                             : becomes_heir(gate, seat->who, heir_word(ALLOWED_ALONE, hold->ticket),
                                            heir_word((uint64_t)pid, identity));
}

/* --- a family: whoever has a descriptor open ----------------------------------------------------------------------- */

/* The first of the numbers that scripts do not use for their own. */
enum { FAMILY_FROM = 100 };

int admit_family_open(const admit_gate *gate)
{
    int fd = admit_open_again(gate, O_RDWR | O_CLOEXEC), family = -1;
    if (fd >= 0) {
        family = fcntl(fd, F_DUPFD, FAMILY_FROM);     /* which exec keeps */
        int error = errno == EINVAL ? EMFILE : errno; /* the limit is below these numbers */
        close(fd);
        errno = error;
    }
    if (family < 0)
        admit_gate_system_error("open a descriptor to inherit of", gate->path);
    return family;
}

/* The steps of one that bequeaths, and of a child that inherits, which the family need not take. The lock comes first:
 * whoever is killed before both are done has left nothing to anybody, and the lock is about nothing. */
admit_error admit_heir_entrust(struct seat *seat, const admit_hold *hold, int family)
{
    const admit_gate *gate = seat->gate;
    if (family == admit_fd(&gate->file) || !is_of_file(gate, family))
        return admit_gate_error(ADMIT_BAD_OPTION, "gate \"%s\": descriptor %d is not one of admit_gate_family",
                                gate->name, family);
    if (seat_is(seat, SEAT_BEQUEATHED)) /* or there would be a moment in which nobody has it */
        return bequeathed_already(gate);
    unsigned kind = lock_byte(family, hold->ticket);
    if (kind == 0)
        return admit_gate_system_error("lock", gate->path);
    seat->family = family;
    allow(seat, hold, true);
    return becomes_heir(gate, seat->who, heir_word(ALLOWED_WITH_CHILDREN, hold->ticket), heir_word(kind, hold->ticket));
}
