/* SPDX-License-Identifier: MIT */
#include "cli/gates/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A field of /proc/PID/stat from the third on, as a number. No stdio: also for a child of vfork. */
static uint64_t field_of_stat(long pid, unsigned which)
{
    char name[40], text[1024];
    snprintf(name, sizeof name, "/proc/%ld/stat", pid);
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    char *at = strrchr(text, ')'); /* the name before it may itself have parentheses and blanks */
    for (unsigned field = 2; at != NULL && field < which; field++)
        at = strchr(at + 1, ' ');
    return at != NULL ? strtoull(at + 1, NULL, 10) : 0;
}

long process_parent(long pid)
{
    return (long)field_of_stat(pid, 4);
}

uint64_t process_start_time(long pid)
{
    return field_of_stat(pid, 22);
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
