/* SPDX-License-Identifier: MIT
 *
 * The second word on a death. The first is the kernel's mark in the life word (life.c): at once, but for a kill after
 * which the dead process's memory was taken away before the kernel had walked its robust list (process_mrelease, as
 * out-of-memory killers in user space call it), or for more than the 2048 entries of a list that the kernel walks.
 * Then the mark never comes, and whoever waits finds out here, within a second.
 *
 * A process that takes part is anchored: it has a lock on a byte, far behind the end of the gate's file, that stands
 * for its number. If there is no such lock any more, the process has ended. What makes that certain:
 *
 *   - The lock belongs to a description of the file that nothing holds but a mapping in this process's memory: there is
 *     no descriptor that the program, or a library, could close, and no other close of the file takes it away, as it
 *     would a lock of the process (F_SETLK).
 *   - The mapping is not inherited by fork (MADV_DONTFORK), and gone after exec: no child holds it in the place of its
 *     dead parent. It lasts until the last thread has ended, so that a leading thread which ends early does no harm.
 *   - It does not depend on what a process, a pid namespace or a container calls whom, nor on a boot: no lock survives
 *     one.
 *   - It is a lock to write, of which whoever looks asks whether it could lock to read. So a process that may only read
 *     the file, and can only lock to read, is never mistaken for one. (It can keep a process from being anchored: then
 *     the first word is all there is of that one, and as long as it is silent, the process lives.)
 *
 * To be doubly sure, a process whose number is still that of a living one, where numbers can be compared, lives
 * (life.c).
 *
 * Some file systems do not keep the description by the mapping: overlayfs maps the file below. So whether the lock is
 * there after the descriptor has been closed is looked at once; if not, the process is not anchored.
 *
 * One window: a child that another thread forks while this one is in admit_anchor inherits the descriptor, or the
 * mapping, and then holds on in its parent's place. That is on the safe side.
 *
 * A second lock beside it tells the gate's directory and name, by a hash: see predecessor.c.
 */
#include "gate/life/life.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define ANCHOR_HELD UINT32_C(0x80000000)
enum { LOCK_TRIES = 4 };
#define LOOK_AGAIN_NS UINT64_C(400000000) /* less than the half second after which every sleeper wakes */

/* It follows from the number alone: the file may have several names, and be asked about by another than it was locked
 * by. */
static struct flock byte_of(uint32_t anchor, short type)
{
    return (struct flock){.l_type = type,
                          .l_whence = SEEK_SET,
                          .l_start = (off_t)((INT64_C(1) << 60) + (int64_t)(anchor & ~ANCHOR_HELD)),
                          .l_len = 1};
}

static uint32_t new_number(admit_gate *gate)
{
    uint32_t number;
    do
        number = (atomic_fetch_add(&gate->header->anchors, 1) + 1) & ~ANCHOR_HELD;
    while (number == 0);
    return number;
}

/* The mapping, or NULL. The second lock is for predecessor.c, and nothing depends on it. */
static void *held_at(admit_gate *gate, uint32_t *number)
{
    int fd = admit_open_again(gate, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    void *mapping = mmap(NULL, GATE_PAGE, PROT_NONE, MAP_SHARED, fd, 0);
    bool held = false;
    if (mapping != MAP_FAILED && madvise(mapping, GATE_PAGE, MADV_DONTFORK) == 0)
        for (unsigned tries = 0; tries < LOCK_TRIES && !held; tries++) {
            *number = new_number(gate);
            struct flock byte = byte_of(*number, F_WRLCK), name = byte;
            held = fcntl(fd, F_OFD_SETLK, &byte) == 0;
            name.l_start = (off_t)(gate->name_bytes + *number);
            fcntl(fd, F_OFD_SETLK, &name);
        }
    if (!held && mapping != MAP_FAILED)
        munmap(mapping, GATE_PAGE);
    close(fd);
    return held ? mapping : NULL;
}

static void make(admit_gate *gate, struct anchor *anchor)
{
    anchor->mapping = held_at(gate, &anchor->number);
    anchor->number = anchor->mapping != NULL ? anchor->number | ANCHOR_HELD : new_number(gate);
    if (anchor->mapping != NULL && !admit_anchor_holds(gate, anchor->number)) { /* as on overlayfs: see above */
        munmap(anchor->mapping, GATE_PAGE);
        anchor->mapping = NULL;
        anchor->number &= ~ANCHOR_HELD;
    }
}

struct anchor *admit_anchor(admit_gate *gate)
{
    struct gate_local *local = gate->local;
    if (local->anchor == NULL) {
        void *page = mmap(NULL, GATE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED)
            return NULL;
        local->anchor = page;
        local->anchor->users = 1; /* the handle */
        make(gate, local->anchor);
    }
    local->anchor->users++;
    return local->anchor;
}

void admit_anchor_release(struct anchor *anchor)
{
    if (anchor == NULL || --anchor->users > 0)
        return;
    if (anchor->mapping != NULL)
        munmap(anchor->mapping, GATE_PAGE);
    munmap(anchor, GATE_PAGE);
}

static bool lock_is(const admit_gate *gate, uint32_t anchor, short type)
{
    struct flock byte = byte_of(anchor, F_RDLCK);
    int fd = (anchor & ANCHOR_HELD) != 0 ? admit_fd(&gate->file) : -1;
    return fd >= 0 && fcntl(fd, F_OFD_GETLK, &byte) == 0 && byte.l_type == type;
}

bool admit_anchor_is_gone(const admit_gate *gate, uint32_t anchor)
{
    return lock_is(gate, anchor, F_UNLCK);
}

bool admit_anchor_holds(const admit_gate *gate, uint32_t anchor)
{
    return lock_is(gate, anchor, F_WRLCK);
}

bool admit_second_look(admit_gate *gate, bool now)
{
    UNCANCELLED;
    if (admit_fd(&gate->file) < 0) /* it cannot: let others */
        return false;
    int64_t time = admit_now(), last = atomic_load(&gate->header->looked_at);
    uint64_t since = (uint64_t)time - (uint64_t)last; /* the clock may have been set back */
    bool is_due = since + LOOK_AGAIN_NS >= 2 * LOOK_AGAIN_NS;
    if (!(is_due && atomic_compare_exchange_strong(&gate->header->looked_at, &last, time)) && !now)
        return false;
    for (unsigned who = 0; who < present_in(gate); who++)
        admit_life_mark_if_gone(gate, who);
    admit_life_mark_if_gone(gate, manager_of(gate));
    admit_call_usher(gate); /* before the next: to mark a death is to wake one, too */
    admit_life_mark_if_gone(gate, usher_of(gate));
    return true;
}
