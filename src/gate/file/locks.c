/* SPDX-License-Identifier: MIT
 *
 * All locks on files that there are, as /proc/locks lists them: for what a question to the kernel about one byte
 * cannot tell. The kernel gives a long list in pieces, and counts where the last one ended: if a lock that was in it
 * goes meanwhile, one of the next piece is left out; if many go, there is no next piece. So it can be said that something
 * is not in the list only if the list came in one piece, after which there was room for more. What is left out then is a
 * lock with so many that wait for it that they do not fit there, if others go at the same moment: hence the second look.
 */
#include "gate/file/locks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    PIECE = 16384, /* more than the kernel gives at a time; it gives whole lines */
    KERNELS_PIECE = GATE_PAGE,
    ROOM_FOR_MORE = 512 /* one line has 130 bytes at most */
};

/* "12: OFDLCK ADVISORY  WRITE -1 fe:00:131 4611686018427387905 4611686018427387905"; with "->" behind the number it is
 * one that waits. */
static bool read_lock(const char *line, struct file_lock *lock)
{
    char type[8];
    return sscanf(line, "%*d: OFDLCK %*s %7s %*d %x:%x:%" SCNu64 " %" SCNu64 " %" SCNu64, type, &lock->major,
                  &lock->minor, &lock->inode, &lock->start, &lock->end) == 6;
}

static enum lock_search look_through(bool (*is_it)(const struct file_lock *lock, const void *data), const void *data,
                                     struct file_lock *found)
{
    int fd = open("/proc/locks", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? LOCKS_FAILED : LOCKS_UNKNOWN;
    char *text = malloc(PIECE + 1); /* a thread may have less for its stack */
    if (text == NULL) {
        close(fd);
        return LOCKS_FAILED;
    }
    bool is_whole = true;
    unsigned pieces = 0;
    ssize_t length;
    enum lock_search result = LOCKS_NONE;
    while (result == LOCKS_NONE && (length = read(fd, text, PIECE)) > 0) {
        text[length] = '\0';
        is_whole &= pieces++ == 0 && length <= KERNELS_PIECE - ROOM_FOR_MORE;
        for (char *line = text, *end; result == LOCKS_NONE && (end = strchr(line, '\n')) != NULL; line = end + 1) {
            *end = '\0';
            if (read_lock(line, found) && is_it(found, data))
                result = LOCKS_FOUND;
        }
    }
    free(text);
    close(fd);
    return result == LOCKS_NONE && (!is_whole || length < 0) ? LOCKS_UNKNOWN : result;
}

enum lock_search admit_locks_search(bool (*is_it)(const struct file_lock *lock, const void *data), const void *data,
                                    struct file_lock *found)
{
    UNCANCELLED;
    enum lock_search first = look_through(is_it, data, found);
    return first == LOCKS_NONE ? look_through(is_it, data, found) : first;
}
