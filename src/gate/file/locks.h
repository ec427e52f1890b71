/* SPDX-License-Identifier: MIT
 *
 * locks.h - which locks of open descriptions there are on files of this machine, whoever has them.
 */
#ifndef ADMIT_GATE_FILE_LOCKS_H
#define ADMIT_GATE_FILE_LOCKS_H

#include "gate/words/words.h"

struct file_lock {
    unsigned major, minor;
    uint64_t inode, start, end;
};

enum lock_search { LOCKS_NONE, LOCKS_FOUND, LOCKS_UNKNOWN, LOCKS_FAILED };

/* The first of which is_it is true. UNKNOWN: it was not found, but may be there. FAILED: they cannot be listed now,
 * for want of a descriptor or memory. */
enum lock_search admit_locks_search(bool (*is_it)(const struct file_lock *lock, const void *data), const void *data,
                                    struct file_lock *found);

#endif
