/* SPDX-License-Identifier: MIT
 *
 * The descriptors that the library keeps: the gate's file and its directory. A program that closes all descriptors, as
 * daemons do when they begin, closes these too, and what it opens next has their numbers. To map, lock or close that
 * would ruin the program's own file, and to ask it for a lock would find a living process dead. So a descriptor is
 * looked at before it is used: these calls are on no fast way.
 */
#include "gate/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOCK_PATIENCE_MS = 5000 };

/* Between the two calls it has the low number: a thread that prints to what the program has closed, just then, prints
 * into the file. */
int admit_keep(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int flags = fcntl(fd, F_GETFD);
    int moved = fcntl(fd, flags >= 0 && (flags & FD_CLOEXEC) == 0 ? F_DUPFD : F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int error = errno;
    close(fd);
    errno = error;
    return moved;
}

struct descriptor admit_descriptor(int fd)
{
    struct stat status;
    fd = admit_keep(fd);
    if (fd < 0 || fstat(fd, &status) != 0)
        return (struct descriptor){.fd = fd};
    return (struct descriptor){.fd = fd, .device = (uint64_t)status.st_dev, .inode = (uint64_t)status.st_ino};
}

int admit_fd(const struct descriptor *descriptor)
{
    struct stat status;
    if (descriptor->fd >= 0 && fstat(descriptor->fd, &status) == 0 && (uint64_t)status.st_dev == descriptor->device &&
        (uint64_t)status.st_ino == descriptor->inode)
        return descriptor->fd;
    errno = EBADF;
    return -1;
}

void admit_close(struct descriptor *descriptor)
{
    int fd = admit_fd(descriptor);
    if (fd >= 0)
        close(fd);
    descriptor->fd = -1;
}

admit_error admit_descriptor_error(const admit_gate *gate)
{
    return admit_gate_error(
        ADMIT_SYSTEM, "gate \"%s\": this process has closed the descriptor by which it has the gate open", gate->name);
}

/* By hand: a child of vfork must not use stdio. */
static void path_of_descriptor(char *path, int fd)
{
    char digits[12];
    unsigned count = 0;
    for (const char *from = "/proc/thread-self/fd/"; *from != '\0';)
        *path++ = *from++;
    do
        digits[count++] = (char)('0' + fd % 10);
    while ((fd /= 10) > 0);
    while (count > 0)
        *path++ = digits[--count];
    *path = '\0';
}

/* By its name first: in a chroot there may be no /proc. */
int admit_open_again(const admit_gate *gate, int flags)
{
    char path[40];
    struct descriptor again = gate->file;
    int directory = admit_fd(&gate->directory), file = admit_fd(&gate->file);
    if (directory >= 0) {
        again.fd = openat(directory, file_name_of(gate), flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
        if (admit_fd(&again) >= 0)
            return again.fd;
        if (again.fd >= 0)
            close(again.fd);
    }
    if (file < 0)
        return -1;
    path_of_descriptor(path, file);
    return open(path, flags);
}

int admit_lock_file(const admit_gate *gate, int64_t at)
{
    int fd = admit_keep(admit_open_again(gate, O_RDWR | O_CLOEXEC));
    struct flock byte = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)at, .l_len = 1};
    for (unsigned tries = 0; fd >= 0 && fcntl(fd, F_OFD_SETLK, &byte) != 0; tries++) {
        if (tries == LOCK_PATIENCE_MS) {
            close(fd);
            return -1;
        }
        usleep(1000);
    }
    return fd;
}
