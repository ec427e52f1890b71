/* SPDX-License-Identifier: MIT */
#include "cli/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, text, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        text += written;
        size -= (size_t)written;
    }
    return true;
}

static mode_t usual_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* A new file, so that the rename stays in one file system. Its name is static. */
static int make_beside(const char *file, char **name)
{
    static char beside[PATH_MAX + 16];
    snprintf(beside, sizeof beside, "%s.XXXXXX", file);
    *name = beside;
    return mkostemp(beside, O_CLOEXEC);
}

static bool replace(const char *file, mode_t mode, const char *text, size_t size)
{
    char *beside;
    int fd = make_beside(file, &beside);
    if (fd < 0)
        return false;
    bool done = write_all(fd, text, size) && fchmod(fd, mode) == 0;
    done = close(fd) == 0 && done;
    done = done && rename(beside, file) == 0;
    const int error = errno;
    if (!done)
        unlink(beside);
    errno = error;
    return done;
}

static bool write_into(const char *file, const char *text, size_t size)
{
    int fd = open(file, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return false;
    bool done = write_all(fd, text, size);
    return close(fd) == 0 && done;
}

/* How a file has to be written. */
struct way {
    bool possible;            /* if not, errno says why */
    bool in_place;            /* a device or a pipe */
    const char *behind_links; /* what is to be replaced; static */
    mode_t mode;
};

/* stat follows links that realpath cannot, such as /dev/stdout where that is a pipe. A link to nowhere is not replaced: it
 * may be such a one. */
static struct way way_to_write(const char *file)
{
    static char behind_links[PATH_MAX]; /* the stack may be small */
    struct stat status;
    if (stat(file, &status) != 0)
        return (struct way){
            .possible = errno == ENOENT && lstat(file, &status) != 0, .behind_links = file, .mode = usual_mode()};
    if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return (struct way){.possible = false};
    }
    const bool in_place = !S_ISREG(status.st_mode);
    return (struct way){.possible = in_place || realpath(file, behind_links) != NULL,
                        .in_place = in_place,
                        .behind_links = behind_links,
                        .mode = status.st_mode & 0777};
}

static const char *last_part(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash != NULL ? slash + 1 : file;
}

static bool stat_directory_of(const char *file, struct stat *status)
{
    char directory[PATH_MAX];
    const int length = (int)(last_part(file) - file);
    return length < PATH_MAX && snprintf(directory, sizeof directory, "%.*s.", length, file) < PATH_MAX &&
           stat(directory, status) == 0;
}

bool is_same_file(const char *file, const char *other)
{
    struct stat status[2];
    const bool is_there = stat(file, &status[0]) == 0, is_other_there = stat(other, &status[1]) == 0;
    if (is_there != is_other_there || (is_there && !S_ISREG(status[0].st_mode)))
        return false;
    if (!is_there && (strcmp(last_part(file), last_part(other)) != 0 || !stat_directory_of(file, &status[0]) ||
                      !stat_directory_of(other, &status[1])))
        return false;
    return status[0].st_dev == status[1].st_dev && status[0].st_ino == status[1].st_ino;
}

bool can_write_whole_file(const char *file)
{
    const struct way way = way_to_write(file);
    char *beside;
    if (!way.possible || (access(file, W_OK) != 0 && errno != ENOENT))
        return false;
    if (way.in_place)
        return true;
    int fd = make_beside(way.behind_links, &beside);
    if (fd < 0)
        return false;
    close(fd);
    unlink(beside);
    return true;
}

bool write_whole_file(const char *command, const char *file, const char *text, size_t size)
{
    const struct way way = way_to_write(file);
    const bool done =
        way.possible && (way.in_place ? write_into(file, text, size) : replace(way.behind_links, way.mode, text, size));
    if (!done)
        fprintf(stderr, "admit %s: cannot write '%s': %s\n", command, file, strerror(errno));
    return done;
}
