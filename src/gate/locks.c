/* SPDX-License-Identifier: MIT
 *
 * All locks on files that there are, as /proc/locks lists them: for what a question to the kernel about one byte cannot tell.
 */
#include "gate/locks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* "12: OFDLCK ADVISORY  WRITE -1 fe:00:131 4611686018427387905 4611686018427387905"; with "->" behind the number it is one
 * that waits. */
static bool read_lock(const char *line, struct file_lock *lock)
{
    char type[8];
    return sscanf(line, "%*d: OFDLCK %*s %7s %*d %x:%x:%" SCNu64 " %" SCNu64 " %" SCNu64, type, &lock->major,
                  &lock->minor, &lock->inode, &lock->start, &lock->end) == 6;
}

enum lock_search admit_locks_search(bool (*is_it)(const struct file_lock *lock, const void *data), const void *data,
                                    struct file_lock *found)
{
    UNCANCELLED;
    FILE *list = fopen("/proc/locks", "re");
    if (list == NULL)
        return LOCKS_UNKNOWN;
    char line[256];
    enum lock_search result = LOCKS_NONE;
    while (result == LOCKS_NONE && fgets(line, sizeof line, list) != NULL)
        if (read_lock(line, found) && is_it(found, data))
            result = LOCKS_FOUND;
    if (ferror(list))
        result = LOCKS_UNKNOWN;
    fclose(list);
    return result;
}
