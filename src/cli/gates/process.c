/* SPDX-License-Identifier: MIT */
#include "cli/gates/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STAT_SIZE = 1024 };

/* A field of /proc/PID/stat from the third on; NULL: it cannot be seen. No stdio: also for a child of vfork. */
static const char *field_of_stat(long pid, unsigned which, char text[STAT_SIZE])
{
    char name[40];
    snprintf(name, sizeof name, "/proc/%ld/stat", pid);
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, STAT_SIZE - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    char *at = strrchr(text, ')'); /* the name before it may itself have parentheses and blanks */
    for (unsigned field = 2; at != NULL && field < which; field++)
        at = strchr(at + 1, ' ');
    return at != NULL ? at + 1 : NULL;
}

static uint64_t number_of_stat(long pid, unsigned which)
{
    char text[STAT_SIZE];
    const char *field = field_of_stat(pid, which, text);
    return field != NULL ? strtoull(field, NULL, 10) : 0;
}

bool process_numbers_are_ours(void)
{
    char text[24];
    ssize_t length = readlink("/proc/self", text, sizeof text - 1);
    text[length > 0 ? length : 0] = '\0';
    return strtol(text, NULL, 10) == getpid();
}

long process_parent(long pid)
{
    return (long)number_of_stat(pid, 4);
}

/* `if_exiting` of one that runs no program any more, and of which it cannot be told. */
static bool is_admit(long pid, bool if_exiting)
{
    char path[40];
    struct stat its, ours;
    snprintf(path, sizeof path, "/proc/%ld/exe", pid);
    if (stat(path, &its) != 0)
        return errno == ENOENT && if_exiting;
    return stat("/proc/self/exe", &ours) == 0 && its.st_dev == ours.st_dev && its.st_ino == ours.st_ino;
}

/* It leads a session of its own (background.c). */
long process_starter(long pid)
{
    const long parent = process_parent(pid);
    const bool leads = (long)number_of_stat(pid, 6) == pid;
    return leads && is_admit(pid, false) && is_admit(parent, true) ? 0 : parent;
}

uint64_t process_start_time(long pid)
{
    return number_of_stat(pid, 22);
}

char process_state(long pid)
{
    char text[STAT_SIZE];
    const char *field = field_of_stat(pid, 3, text);
    return field != NULL ? *field : '\0';
}

/* A process that has executed something has other flags, as a rule: where there is none at all, as in a kernel that only
 * looks like Linux, nothing is known. */
bool process_is_only_forked(long pid, bool *known)
{
    enum { PF_FORKNOEXEC = 0x40 }; /* as the kernel's sources have it */
    uint64_t flags = number_of_stat(pid, 9);
    *known = flags != 0;
    return (flags & PF_FORKNOEXEC) != 0;
}

uint64_t namespace_number(const char *kind)
{
    char path[40];
    struct stat status;
    snprintf(path, sizeof path, "/proc/self/ns/%s", kind);
    return stat(path, &status) == 0 ? status.st_ino : 0;
}

/* The first half of a random number of 128 bits, in hexadecimal with hyphens. */
uint64_t boot_number(void)
{
    char text[64];
    uint64_t number = 0;
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    for (unsigned at = 0, digits = 0; text[at] != '\0' && digits < 16; at++) {
        const char digit[2] = {text[at], '\0'};
        if (text[at] != '-')
            number = number << 4 | strtoul(digit, NULL, 16), digits++;
    }
    return number;
}
