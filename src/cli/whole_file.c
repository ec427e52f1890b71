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

/* The file behind links, if there is one already. The name is static. */
static bool is_there_already(const char *file, char **behind_links, struct stat *status)
{
    static char name[PATH_MAX]; /* the stack may be small */
    *behind_links = name;
    return realpath(file, name) != NULL && stat(name, status) == 0;
}

bool can_write_whole_file(const char *file)
{
    char *behind_links, *beside;
    struct stat status;
    const bool is_there = is_there_already(file, &behind_links, &status);
    if (is_there && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (is_there && (access(behind_links, W_OK) != 0 || !S_ISREG(status.st_mode)))
        return access(behind_links, W_OK) == 0;
    int fd = make_beside(is_there ? behind_links : file, &beside);
    if (fd < 0)
        return false;
    close(fd);
    unlink(beside);
    return true;
}

bool write_whole_file(const char *command, const char *file, const char *text, size_t size)
{
    char *behind_links;
    struct stat status;
    const bool is_there = is_there_already(file, &behind_links, &status);
    bool done;
    if (is_there && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        done = false;
    } else if (is_there && !S_ISREG(status.st_mode)) {
        done = write_into(file, text, size);
    } else {
        done = replace(is_there ? behind_links : file, is_there ? status.st_mode & 0777 : usual_mode(), text, size);
    }
    if (!done)
        fprintf(stderr, "admit %s: cannot write '%s': %s\n", command, file, strerror(errno));
    return done;
}
