/* SPDX-License-Identifier: MIT
 *
 * A gate whose file was deleted (rm), or moved away, while processes use it. A new gate of that name would let others
 * in beside those who are inside. So whoever makes a gate looks for one first: by the locks of those who take part
 * (anchor.c), which tell the name by their place, and then for a process that has the file open, to see who is there.
 *
 * What is not found: a file that only processes of other users, or of other pid namespaces, have open; that of a
 * command whose wrapper has been killed, which has nothing open; one that only a thread with descriptors of its own has
 * open (unshare); one on a file system that /proc/locks calls otherwise than stat does; and one that is deleted after the
 * look.
 */
#include "gate/file/file.h"
#include "gate/file/locks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { SEARCH_TRIES = 3 };

struct sought {
    dev_t device;
    uint64_t from;               /* the first of the bytes that a gate of this name has locked */
    const struct files *already; /* found */
};

static bool is_of_this_name(const struct file_lock *lock, const void *data)
{
    const struct sought *sought = data;
    if (lock->start - sought->from >= UINT64_C(1) << 31 || makedev(lock->major, lock->minor) != sought->device)
        return false;
    for (unsigned f = 0; f < sought->already->count; f++)
        if (sought->already->inode[f] == lock->inode)
            return false;
    return true;
}

static bool is_number(const char *name)
{
    return name[0] >= '1' && name[0] <= '9';
}

/* -1: none. With errno other than 0: it cannot be told, for want of something that there may be another time. */
static bool is_for_want(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM;
}

/* A folder of /proc. */
static DIR *open_list(int proc, const char *name, bool *failed)
{
    int fd = openat(proc, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
    *failed |= list == NULL && is_for_want(errno);
    if (fd >= 0 && list == NULL)
        close(fd);
    return list;
}

/* Of one process, or of one thread: `name` leads to its descriptors. -1 also if it does not let us see. */
static int open_if_has(int proc, const char *name, dev_t device, uint64_t inode, bool *is_empty, bool *failed)
{
    int found = -1;
    DIR *list = open_list(proc, name, failed);
    *is_empty = list != NULL;
    for (struct dirent *entry; list != NULL && found < 0 && (entry = readdir(list)) != NULL;) {
        struct stat status;
        *is_empty &= entry->d_name[0] == '.';
        if (fstatat(dirfd(list), entry->d_name, &status, 0) == 0 && S_ISREG(status.st_mode) &&
            status.st_dev == device && (uint64_t)status.st_ino == inode) {
            found = openat(dirfd(list), entry->d_name, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
            *failed |= found < 0 && is_for_want(errno);
        }
    }
    if (list != NULL)
        closedir(list);
    return found;
}

/* If the first thread of a process has ended, what the process has open is to be seen by its other threads alone. */
static int open_if_process_has(int proc, const char *process, dev_t device, uint64_t inode, bool *failed)
{
    char name[64];
    bool is_empty;
    snprintf(name, sizeof name, "%.20s/fd", process);
    int found = open_if_has(proc, name, device, inode, &is_empty, failed);
    if (found >= 0 || !is_empty)
        return found;
    snprintf(name, sizeof name, "%.20s/task", process);
    DIR *threads = open_list(proc, name, failed);
    for (struct dirent *entry; threads != NULL && found < 0 && (entry = readdir(threads)) != NULL;) {
        snprintf(name, sizeof name, "%.20s/task/%.20s/fd", process, entry->d_name);
        found = open_if_has(proc, name, device, inode, &is_empty, failed);
    }
    if (threads != NULL)
        closedir(threads);
    return found;
}

static int open_through_process(dev_t device, uint64_t inode, bool *failed)
{
    int found = -1;
    DIR *proc = opendir("/proc");
    *failed |= proc == NULL && is_for_want(errno);
    for (struct dirent *entry; proc != NULL && found < 0 && (entry = readdir(proc)) != NULL;)
        if (is_number(entry->d_name))
            found = open_if_process_has(dirfd(proc), entry->d_name, device, inode, failed);
    if (proc != NULL)
        closedir(proc);
    return found;
}

/* A list in several pieces may leave out what is in it. */
static enum lock_search search(const struct sought *sought, struct file_lock *lock)
{
    enum lock_search result = LOCKS_NONE;
    for (unsigned tries = 0; tries < SEARCH_TRIES && result != LOCKS_FOUND && result != LOCKS_FAILED; tries++)
        result = admit_locks_search(is_of_this_name, sought, lock);
    return result;
}

int admit_open_predecessor(int directory, const char *file, struct files *files, bool *failed)
{
    struct stat status;
    struct file_lock lock;
    *failed = false;
    if (fstat(directory, &status) != 0)
        return -1;
    struct sought sought = {status.st_dev, admit_gate_name_bytes(directory, file), files};
    enum lock_search result;
    while ((result = search(&sought, &lock)) == LOCKS_FOUND && !*failed) {
        *failed = files->count == sizeof files->inode / sizeof files->inode[0];
        if (*failed)
            return -1;
        files->inode[files->count++] = lock.inode;
        int fd = open_through_process(sought.device, lock.inode, failed);
        if (fd >= 0)
            return fd;
    }
    *failed |= result == LOCKS_FAILED;
    return -1;
}
