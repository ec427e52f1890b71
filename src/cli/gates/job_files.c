/* SPDX-License-Identifier: MIT */
#include "cli/gates/job_files.h"

#include <admit.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char jobs_path[PATH_MAX];

/* This user's, or -1 with errno. In a directory that is shared anybody could make one of that name. */
static int open_directory(bool make)
{
    errno = 0;
    const char *beside = admit_gate_directory();
    struct stat status;
    if (beside == NULL) {
        errno = errno == 0 ? EACCES : errno; /* ENOENT, that there is none, is an answer */
        return -1;
    }
    snprintf(jobs_path, sizeof jobs_path, "%s/@jobs-%lu", beside, (unsigned long)geteuid());
    if (make && mkdir(jobs_path, 0700) != 0 && errno != EEXIST)
        return -1;
    int fd = open(jobs_path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, &status) != 0 || status.st_uid != geteuid() || (status.st_mode & 077) != 0)) {
        close(fd);
        errno = EPERM;
        return -1;
    }
    return fd;
}

/* Once for each process. */
static int directory(bool make)
{
    static int fd = -1;
    if (fd < 0)
        fd = open_directory(make);
    return fd;
}

const char *job_files_path(void)
{
    return jobs_path[0] != '\0' ? jobs_path : NULL;
}

static void name_of(uint32_t id, const char *ending, char name[32])
{
    snprintf(name, 32, "%u%s", id, ending);
}

void job_output_path(uint32_t id, char *path, size_t size)
{
    snprintf(path, size, "%s/%u.out", jobs_path, id);
}

/* --- one ------------------------------------------------------------------------------------------------------------ */

static bool lock(int fd, int how)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    while (fcntl(fd, how, &whole) != 0)
        if (errno != EINTR)
            return false;
    return true;
}

bool job_file_is_locked(int fd)
{
    struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_GETLK, &whole) != 0 || whole.l_type != F_UNLCK;
}

/* By whoever has `last` locked, in which the last number stands. One that is lost, as by a power failure, is found again by
 * the files. */
static int make_next(int last, uint32_t *id)
{
    char text[24] = "", name[32];
    if (pread(last, text, sizeof text - 1, 0) < 0)
        return -1;
    unsigned long number = strtoul(text, NULL, 10);
    int fd;
    do {
        number = number < UINT32_MAX ? number + 1 : 1;
        name_of((uint32_t)number, "", name);
        fd = openat(directory(true), name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    } while (fd < 0 && errno == EEXIST);
    *id = (uint32_t)number;
    if (fd < 0)
        return -1;
    int length = snprintf(text, sizeof text, "%lu\n", number);
    errno = ENOSPC; /* where less is written than was to be */
    if (lock(fd, F_OFD_SETLK) && pwrite(last, text, (size_t)length, 0) == length)
        return fd;
    int error = errno;
    job_file_delete(*id);
    close(fd);
    errno = error;
    return -1;
}

int job_file_make(uint32_t *id)
{
    int jobs = directory(true);
    int last = jobs >= 0 ? openat(jobs, "last", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
    if (last < 0)
        return -1;
    int fd = lock(last, F_OFD_SETLKW) ? make_next(last, id) : -1;
    int error = errno;
    close(last);
    errno = error;
    return fd;
}

int job_file_open(uint32_t id, int flags)
{
    char name[32];
    name_of(id, "", name);
    return directory(false) < 0 ? -1 : openat(directory(false), name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

/* What is found by the other comes first: of one that is killed in between nothing stays for ever. */
void job_file_delete(uint32_t id)
{
    char name[32];
    name_of(id, ".out", name);
    unlinkat(directory(false), name, 0);
    name_of(id, "", name);
    unlinkat(directory(false), name, 0);
}

/* --- all ------------------------------------------------------------------------------------------------------------ */

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* 0: it is no job's. */
static uint32_t number_of(const char *name)
{
    char *end;
    unsigned long number = name[0] >= '1' && name[0] <= '9' ? strtoul(name, &end, 10) : 0;
    return number != 0 && *end == '\0' && number <= UINT32_MAX ? (uint32_t)number : 0;
}

static DIR *open_list(void)
{
    int fd = directory(false) >= 0 ? openat(directory(false), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    DIR *files = fd >= 0 ? fdopendir(fd) : NULL;
    if (fd >= 0 && files == NULL)
        close(fd);
    return files;
}

bool job_file_numbers(uint32_t **numbers, size_t *count)
{
    size_t room = 0;
    *numbers = NULL;
    *count = 0;
    DIR *files = open_list();
    if (files == NULL)
        return errno == ENOENT; /* nobody has made one yet */
    errno = 0;
    for (const struct dirent *file; (file = readdir(files)) != NULL; errno = 0) {
        uint32_t number = number_of(file->d_name);
        if (number != 0 && *count == room) {
            room = room == 0 ? 64 : 2 * room;
            uint32_t *more = realloc(*numbers, room * sizeof **numbers);
            if (more == NULL)
                break;
            *numbers = more;
        }
        if (number != 0)
            (*numbers)[(*count)++] = number;
    }
    const int error = errno;
    closedir(files);
    if (*count > 0)
        qsort(*numbers, *count, sizeof **numbers, by_number);
    errno = error;
    return error == 0;
}
