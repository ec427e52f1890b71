/* SPDX-License-Identifier: MIT
 *
 * Resize and remove.
 *
 * Resize. The protocol has most_k slots for ever. Those beyond k are held by records that belong to nobody
 * (LIFE_RESERVED): to the protocol they are participants that stay inside. To have one slot more, a process takes over
 * such a record as a newcomer does, which returns its ticket; to have one fewer, whoever would return a ticket leaves
 * it with its record to nobody instead. How many there are is counted in the life words, under the file's lock; so a
 * death at any point leaves the count right.
 *
 * Remove. Who goes in looks at `removed` after its draw; who removes writes it before it looks who is there. So one of
 * the two sees the other. 1: it has been removed. 2: somebody is about to, and holds the file's lock.
 */
#include "gate/file.h"
#include "native/printable.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* By one who has the lock: it is free when it has been decided, so that a 2 is of one who was killed. */
static void judge_removal(admit_gate *gate)
{
    uint32_t undecided = 2;
    atomic_compare_exchange_strong(&gate->header->removed, &undecided, 0);
}

/* --- resize ------------------------------------------------------------------------------------------------------- */

static unsigned reserved_now(const admit_gate *gate, unsigned *one)
{
    unsigned count = 0;
    for (unsigned who = 0; who < present_in(gate); who++)
        if (atomic_load(life_of(gate, who)) == LIFE_RESERVED) {
            *one = who;
            count++;
        }
    return count;
}

static void leave_reserved(admit_gate *gate, struct seat *seat)
{
    atomic_fetch_add(&gate->header->reserved, 1);
    admit_protocol_reserve(seat);
    admit_seat_release(seat, LIFE_RESERVED);
}

static admit_error grow(admit_gate *gate, unsigned wanted)
{
    unsigned one = 0;
    while (reserved_now(gate, &one) > wanted) {
        admit_error error = admit_seat_free_reserved(gate, one);
        if (error != ADMIT_OK)
            return error;
    }
    return ADMIT_OK;
}

void admit_leave_resizing(admit_gate *gate, struct seat *seat)
{
    UNCANCELLED;
    unsigned one;
    int lock = admit_gate_lock(gate->fd, gate->path);
    unsigned wanted = gate->most_k - admit_gate_k(gate);
    bool can = lock >= 0 && wanted < gate->most_k;
    if (can && reserved_now(gate, &one) < wanted)
        leave_reserved(gate, seat);
    else
        admit_protocol_leave(seat);
    if (can)
        grow(gate, wanted); /* whoever was at it may have been killed */
    if (can && reserved_now(gate, &one) == wanted)
        atomic_store(&gate->header->resizing, 0);
    if (lock >= 0)
        close(lock);
}

/* Free slots go at once. `resizing` is set, so that from now on those who leave see to the rest. */
static void shrink(admit_gate *gate, unsigned wanted)
{
    unsigned one = 0;
    admit_hold hold;
    while (reserved_now(gate, &one) < wanted && admit_gate_try(gate, &hold) == ADMIT_OK) {
        struct seat *seat = admit_seat_of(gate, &hold);
        atomic_store(&gate->spot[hold.slot].who, 0);
        leave_reserved(gate, seat);
    }
}

admit_error admit_gate_resize(admit_gate *gate, unsigned k)
{
    UNCANCELLED;
    unsigned one = 0;
    if (k < 1 || k > gate->most_k)
        return admit_gate_error(ADMIT_BAD_OPTION, "gate \"%s\" can have k from 1 to %u, not %u", gate->name,
                                gate->most_k, k);
    if (gate->look_only)
        return admit_gate_error(ADMIT_NO_PERMISSION, "gate \"%s\" was opened to look only", gate->name);
    int lock = admit_gate_lock(gate->fd, gate->path);
    if (lock < 0)
        return admit_last_error();
    unsigned wanted = gate->most_k - k;
    judge_removal(gate); /* or who tries below would wait for this lock */
    if (atomic_load(&gate->header->removed) == 1) {
        close(lock);
        return admit_gate_error(ADMIT_REMOVED, "gate \"%s\" has been removed", gate->name);
    }
    atomic_store(&gate->header->resizing, 1);
    atomic_store(&gate->header->k, k);
    admit_error error = grow(gate, wanted);
    if (error == ADMIT_OK)
        shrink(gate, wanted);
    if (error == ADMIT_OK && reserved_now(gate, &one) == wanted)
        atomic_store(&gate->header->resizing, 0);
    close(lock);
    return error;
}

/* --- remove ------------------------------------------------------------------------------------------------------- */

bool admit_was_removed(admit_gate *gate)
{
    UNCANCELLED;
    if (atomic_load(&gate->header->removed) == 2) {
        int lock = admit_gate_lock(gate->fd, gate->path);
        if (lock >= 0) {
            judge_removal(gate);
            close(lock);
        }
    }
    return atomic_load(&gate->header->removed) == 1;
}

static void wake_all(admit_gate *gate)
{
    syscall(SYS_futex, &gate->header->removed, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    for (unsigned who = 0; who < present_in(gate); who++)
        admit_wake(&gate->cells.record[who].value);
}

/* "gate "gpu" is in use: inside 4711 (train), 4712 (train); waiting 4713 (sort)", or as many as have room. The commands
 * are what others wrote, and the text goes to terminals. */
static admit_error in_use(admit_gate *gate, const admit_view *view)
{
    enum { COMMAND_SHOWN = 41, ONE_SHOWN = COMMAND_SHOWN + 40 };
    char text[420] = "";
    size_t length = 0;
    unsigned total = view->holders + view->waiters, p = 0;
    for (; p < total && length < sizeof text - ONE_SHOWN - 20; p++) {
        bool inside = p < view->holders;
        const admit_participant *one = inside ? &view->holder[p] : &view->waiter[p - view->holders];
        const char *before = p == 0 || p == view->holders ? (inside ? "inside " : "waiting ") : "";
        const char *between = p == 0 ? "" : p == view->holders ? "; " : ", ";
        char command[COMMAND_SHOWN];
        admit_printable(one->command, command, sizeof command);
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%s%s%ld (%s)", between, before, one->pid, command);
    }
    if (p < total)
        snprintf(text + length, sizeof text - length, ", and %u more", total - p);
    return admit_gate_error(ADMIT_BUSY, "gate \"%s\" is in use: %s", gate->name, text);
}

static admit_error remove_locked(admit_gate *gate, bool force)
{
    admit_bury_dead(gate); /* who are in nobody's way */
    atomic_store(&gate->header->removed, 2);
    admit_view *view = force ? NULL : admit_gate_inspect(gate);
    admit_error error = ADMIT_OK;
    if (!force && view == NULL)
        error = admit_last_error();
    else if (!force && view->holders + view->waiters > 0)
        error = in_use(gate, view);
    admit_view_free(view);
    struct stat status;
    const char *file = strrchr(gate->path, '/') + 1;
    if (error == ADMIT_OK && (fstatat(gate->directory_fd, file, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
                              (uint64_t)status.st_ino != gate->inode || (uint64_t)status.st_dev != gate->device))
        error = admit_gate_error(ADMIT_REMOVED, "gate \"%s\" has been removed by somebody else", gate->name);
    else if (error == ADMIT_OK && unlinkat(gate->directory_fd, file, 0) != 0)
        error = admit_gate_system_error("remove", gate->path);
    atomic_store(&gate->header->removed, error == ADMIT_OK || error == ADMIT_REMOVED ? 1 : 0);
    if (error == ADMIT_OK)
        wake_all(gate);
    return error;
}

admit_error admit_gate_remove(const char *name, int force)
{
    UNCANCELLED;
    admit_gate *gate = admit_gate_open(name, 0);
    if (gate == NULL)
        return admit_last_error();
    int lock = admit_gate_lock(gate->fd, gate->path);
    admit_error error = lock < 0 ? admit_last_error() : remove_locked(gate, force);
    if (lock >= 0)
        close(lock);
    admit_gate_close(gate);
    return error;
}
