/* SPDX-License-Identifier: MIT
 *
 * Where a gate is. The directory of named gates depends on the user id alone: so that everything a user runs, from
 * whatever environment, meets at the same gate.
 *
 * Why /var/tmp. $XDG_RUNTIME_DIR and what lies in /dev/shm go with the last logout; a home directory may be shared by
 * several machines, on which memory is not; /tmp is often emptied at boot, and with it k. What remains is cleaned of
 * files that nobody has touched for weeks: cleaners pass over a directory that is locked (flock), which it is while a
 * gate in it is open, and opening touches the file. A gate that nobody has used for weeks may go; it is made anew.
 */
#include "gate/gate.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

bool admit_name_is_path(const char *name)
{
    return strchr(name, '/') != NULL;
}

admit_error admit_check_name(const char *name)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    if (name != NULL && admit_name_is_path(name) && strlen(name) < PATH_MAX && name[strlen(name) - 1] != '/')
        return ADMIT_OK;
    if (name == NULL || name[0] == '\0')
        return admit_gate_error(ADMIT_BAD_NAME, "a gate needs a name");
    if (strlen(name) > 64 || name[strspn(name, allowed)] != '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return admit_gate_error(ADMIT_BAD_NAME,
                                "bad gate name \"%.80s\": 1 to 64 of A-Z a-z 0-9 . _ -, or a path with a slash", name);
    return ADMIT_OK;
}

/* Whether it is from the environment. */
static bool directory_path(char *path, size_t size)
{
    const char *given = getenv("ADMIT_DIR");
    bool is_given = given != NULL && given[0] != '\0';
    if (is_given)
        snprintf(path, size, "%s", given);
    else
        snprintf(path, size, "/var/tmp/admit-%lu", (unsigned long)geteuid());
    return is_given;
}

/* In /var/tmp anybody could have made it. $ADMIT_DIR is the caller's choice, and may be shared. */
static admit_error check_directory(int fd, const char *path, bool given)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return admit_gate_system_error("look at", path);
    if (given)
        return ADMIT_OK;
    if (status.st_uid != geteuid())
        return admit_gate_error(ADMIT_NOT_YOURS, "%s belongs to user %lu, not to you (user %lu)", path,
                                (unsigned long)status.st_uid, (unsigned long)geteuid());
    if ((status.st_mode & 022) != 0)
        return admit_gate_error(ADMIT_NOT_YOURS, "%s can be written by others (mode %04o)", path,
                                (unsigned)status.st_mode & 07777);
    return ADMIT_OK;
}

int admit_open_directory(bool make, char *path, size_t size)
{
    bool given = directory_path(path, size);
    enum { FLAGS = O_RDONLY | O_DIRECTORY | O_CLOEXEC };
    int fd = open(path, given ? FLAGS : FLAGS | O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT && !given && make && (mkdir(path, 0700) == 0 || errno == EEXIST))
        fd = open(path, FLAGS | O_NOFOLLOW);
    if (fd < 0) {
        if (errno == ENOENT && !given)
            admit_gate_error(ADMIT_NO_GATE, "there are no gates in %s", path);
        else if (errno == ELOOP || (errno == ENOTDIR && !given))
            admit_gate_error(ADMIT_NOT_YOURS, "%s is not a directory of yours", path);
        else
            admit_gate_system_error("open the directory of gates", path);
        return -1;
    }
    if (check_directory(fd, path, given) != ADMIT_OK) {
        close(fd);
        return -1;
    }
    return fd;
}

const char *admit_gate_directory(void)
{
    UNCANCELLED;
    static __thread char path[PATH_MAX];
    int fd = admit_open_directory(true, path, sizeof path);
    if (fd < 0)
        return NULL;
    close(fd);
    return path;
}

admit_error admit_gate_resolve(const char *name, char *path, size_t size)
{
    char directory[PATH_MAX];
    admit_error error = admit_check_name(name);
    if (error != ADMIT_OK)
        return error;
    int length;
    if (admit_name_is_path(name)) {
        length = snprintf(path, size, "%s", name);
    } else {
        directory_path(directory, sizeof directory);
        length = snprintf(path, size, "%s/%s", directory, name);
    }
    if (length < 0 || (size_t)length >= size)
        return admit_gate_error(ADMIT_BAD_NAME, "the path of gate \"%.80s\" is too long", name);
    return ADMIT_OK;
}

static int is_a_name(const struct dirent *entry)
{
    return admit_check_name(entry->d_name) == ADMIT_OK;
}

admit_error admit_gate_list(int (*one)(void *data, const char *name, const char *path), void *data)
{
    UNCANCELLED;
    char directory[PATH_MAX], path[PATH_MAX + NAME_MAX + 2];
    int fd = admit_open_directory(false, directory, sizeof directory);
    if (fd < 0)
        return admit_last_error() == ADMIT_NO_GATE ? ADMIT_OK : admit_last_error();
    struct dirent **entries;
    int count = scandirat(fd, ".", &entries, is_a_name, alphasort);
    close(fd);
    if (count < 0)
        return admit_gate_system_error("list", directory);
    bool go_on = true;
    for (int e = 0; e < count; e++) {
        snprintf(path, sizeof path, "%s/%s", directory, entries[e]->d_name);
        go_on = go_on && one(data, entries[e]->d_name, path) == 0;
        free(entries[e]);
    }
    free(entries);
    return ADMIT_OK;
}
