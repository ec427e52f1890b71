/* SPDX-License-Identifier: MIT
 *
 * The descriptors that the library keeps: the gate's file and its directory. A program that closes all descriptors, as
 * daemons do when they begin, closes these too, and what it opens next has their numbers. To map, lock or close that
 * would ruin the program's own file, and to ask it for a lock would find a living process dead. So a descriptor is
 * looked at before it is used: these calls are on no fast way.
 */
#include "gate/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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
