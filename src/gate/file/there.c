/* SPDX-License-Identifier: MIT
 *
 * Whether a gate is there still: remove.c tells what may have happened to it. And what the text calls REMOVED
 * (algorithms/gate_removal.h): the header's word `removed`, which says more.
 */
#include "gate/file/file.h"
#include "gate/words/meaning.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

void admit_wake_outside(const admit_gate *gate)
{
    syscall(SYS_futex, &gate->header->vacated, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    syscall(SYS_futex, life_of(gate, usher_of(gate)), FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Whoever sleeps in line sleeps on its record, whatever else it watches. */
void admit_wake_all(admit_gate *gate)
{
    admit_wake_outside(gate);
    for (unsigned who = 0; who < present_in(gate); who++)
        admit_wake(&gate->cells.record[who].value);
}

bool admit_has_another_name(const admit_gate *gate)
{
    struct stat status;
    int directory = admit_fd(&gate->directory);
    if (directory < 0)
        return false;
    if (fstatat(directory, file_name_of(gate), &status, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT;
    return (uint64_t)status.st_ino != gate->file.inode || (uint64_t)status.st_dev != gate->file.device;
}

/* What was removed is not lost. */
static void lose(admit_gate *gate)
{
    uint32_t removed = atomic_load(&gate->header->removed);
    while (!is_final(removed))
        if (atomic_compare_exchange_strong(&gate->header->removed, &removed, with_removal(removed, REMOVAL_LOST))) {
            admit_wake_all(gate);
            return;
        }
}

bool admit_is_there(admit_gate *gate)
{
    UNCANCELLED;
    struct stat status;
    uint32_t removed = atomic_load(&gate->header->removed);
    if (gate->directory.fd >= 0) {
        int fd = admit_fd(&gate->file);
        bool has_none = fd >= 0 && fstat(fd, &status) == 0 && status.st_nlink == 0;
        atomic_store(&gate->astray, has_none || admit_has_another_name(gate));
        if (has_none && !gate->look_only)
            lose(gate);
    }
    if (!atomic_load(&gate->astray)) /* or it looks each time: another thread may have looked before it was moved */
        atomic_store(&gate->removed_seen, with_removal(removed, REMOVAL_NONE));
    return !atomic_load(&gate->astray) && !is_final(atomic_load(&gate->header->removed));
}

bool admit_was_removed(admit_gate *gate)
{
    uint32_t removed = atomic_load(&gate->header->removed);
    if (with_removal(removed, REMOVAL_NONE) != atomic_load(&gate->removed_seen))
        admit_is_there(gate);
    struct object frame = {0};
    run_text(object, gate, 0, &frame, &(struct sleeper){.gate = gate});
    return frame.removed || atomic_load(&gate->astray);
}

/* --- the word ----------------------------------------------------------------------------------------------------- */

bool admit_is_removed(uint64_t removed)
{
    return is_final((uint32_t)removed);
}

uint64_t admit_objects(const struct sleeper *sleeper)
{
    _Atomic uint32_t *word = &sleeper->gate->header->removed;
    uint32_t removed = atomic_load(word);
    while (removal_in(removed) == REMOVAL_UNDECIDED)
        if (atomic_compare_exchange_weak(word, &removed, with_removal(removed, REMOVAL_NONE)))
            return with_removal(removed, REMOVAL_NONE);
    return removed;
}

/* Counted with those who ask all to look, so that it is another word each time: what was looked at for the one says nothing
 * to the next. */
uint64_t admit_begins_removal(const struct sleeper *sleeper)
{
    _Atomic uint32_t *word = &sleeper->gate->header->removed;
    uint32_t removed = atomic_load(word);
    while (!is_final(removed)) {
        uint32_t undecided = with_removal(removed + REMOVAL_STATES, REMOVAL_UNDECIDED);
        if (atomic_compare_exchange_weak(word, &removed, undecided))
            return undecided;
    }
    return removed;
}

bool admit_ends_removal(const struct sleeper *sleeper, uint64_t undecided, bool removes)
{
    uint32_t from = (uint32_t)undecided, to = with_removal(from, removes ? REMOVAL_DONE : REMOVAL_NONE);
    return atomic_compare_exchange_strong(&sleeper->gate->header->removed, &from, to);
}

bool admit_is_nobodys(const struct sleeper *sleeper, unsigned who)
{
    return atomic_load(life_of(sleeper->gate, who)) == LIFE_RESERVED;
}

/* --- what is said of it ------------------------------------------------------------------------------------------- */

admit_error admit_removed_error(const admit_gate *gate)
{
    switch (removal_in(atomic_load(&gate->header->removed))) {
    case REMOVAL_DONE:
        return admit_gate_error(ADMIT_REMOVED, "gate \"%s\" has been removed", gate->name);
    case REMOVAL_LOST:
        return admit_gate_error(ADMIT_REMOVED, "gate \"%s\" is gone: its file %s was deleted", gate->name, gate->path);
    default:
        return admit_gate_error(ADMIT_REMOVED, "gate \"%s\" is not at %s any more: its file was moved, or replaced",
                                gate->name, gate->path);
    }
}
