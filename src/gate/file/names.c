/* SPDX-License-Identifier: MIT
 *
 * Where a gate is. The directory of named gates depends on the user id alone: so that everything a user runs, from
 * whatever environment, meets at the same gate.
 *
 * Why /var/tmp. $XDG_RUNTIME_DIR and what lies in /dev/shm go with the last logout; a home directory may be shared by
 * several machines, on which memory is not; /tmp is often emptied at boot, and with it k. What remains is cleaned of
 * files that nobody has touched for weeks: cleaners pass over a directory that is locked (flock), which it is while a
 * gate in it is open, and opening touches the file. A gate that nobody has used for weeks may go; it is made anew.
 *
 * Which user. In a user namespace a user has another number: with `unshare -r` everybody is 0, and would make root's
 * directory, from which root would be kept from then on. So the directory has the number that the user has outside, by
 * /proc/self/uid_map, and is the same one inside and outside. Of nested namespaces the map tells of the next outer one
 * alone, and nothing tells of more: there the number may be another user's still. A user that the map leaves out has no
 * number of its own, only one that all such users see; it has no directory, and must give a path or $ADMIT_DIR.
 */
#include "gate/file/elsewhere.h"
#include "gate/file/file.h"

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
    if (name != NULL && admit_is_elsewhere(name)) /* which is no path, though it has a slash */
        return admit_gate_error(ADMIT_BAD_NAME,
                                "gate \"%.80s\" is on etcd, and has no path; a file is named ./etcd:...", name);
    if (name != NULL && admit_name_is_path(name) && strlen(name) < PATH_MAX && name[strlen(name) - 1] != '/')
        return ADMIT_OK;
    if (name == NULL || name[0] == '\0')
        return admit_gate_error(ADMIT_BAD_NAME, "a gate needs a name");
    if (name[strlen(name) - 1] == '/')
        return admit_gate_error(ADMIT_BAD_NAME, "bad gate name \"%.80s\": a gate is a file, and this is a directory",
                                name);
    if (strlen(name) > 64 || name[strspn(name, allowed)] != '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return admit_gate_error(ADMIT_BAD_NAME,
                                "bad gate name \"%.80s\": 1 to 64 of A-Z a-z 0-9 . _ -, or a path with a slash", name);
    return ADMIT_OK;
}

/* NULL: none. A setuid program does not let its caller say where it makes files. */
static const char *given_directory(void)
{
    const char *given = secure_getenv("ADMIT_DIR");
    return given != NULL && given[0] != '\0' ? given : NULL;
}

bool admit_directory_is_given(void)
{
    return given_directory() != NULL;
}

/* See "Which user" above. */
static admit_error number_outside(unsigned long *number)
{
    static const char map_path[] = "/proc/self/uid_map";
    unsigned long user = geteuid(), inside, outside, count;
    *number = user;
    FILE *map = fopen(map_path, "re");
    if (map == NULL) { /* what may be otherwise the next time would give the user two directories */
        bool always = errno == ENOENT || errno == EACCES || errno == EPERM;
        return always ? ADMIT_OK : admit_gate_system_error("read", map_path);
    }
    bool found = false;
    while (!found && fscanf(map, "%lu %lu %lu", &inside, &outside, &count) == 3)
        found = user >= inside && user - inside < count;
    bool failed = ferror(map) != 0;
    admit_error error = !found && failed ? admit_gate_system_error("read", map_path) : ADMIT_OK;
    fclose(map);
    if (found)
        *number = outside + (user - inside);
    else if (error == ADMIT_OK)
        error = admit_gate_error(ADMIT_UNSUPPORTED, "you have no number in this user namespace, and so no directory of "
                                                    "gates: give the gate a path, or set ADMIT_DIR");
    return error;
}

static admit_error directory_path(char *path, size_t size)
{
    const char *given = given_directory();
    unsigned long number;
    admit_error error = given != NULL ? ADMIT_OK : number_outside(&number);
    if (error != ADMIT_OK)
        return error;
    int length = given != NULL ? snprintf(path, size, "%s", given) : snprintf(path, size, "/var/tmp/admit-%lu", number);
    if (length < 0 || (size_t)length >= size)
        return admit_gate_error(ADMIT_BAD_NAME, "the path of the directory of gates is too long");
    return ADMIT_OK;
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
    if (directory_path(path, size) != ADMIT_OK)
        return -1;
    bool given = admit_directory_is_given();
    enum { FLAGS = O_RDONLY | O_DIRECTORY | O_CLOEXEC };
    int fd = open(path, given ? FLAGS : FLAGS | O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT && !given && make && (mkdir(path, 0700) == 0 || errno == EEXIST))
        fd = open(path, FLAGS | O_NOFOLLOW);
    fd = admit_keep(fd);
    if (fd < 0) {
        if (errno == ENOENT && !given)
            admit_gate_error(ADMIT_NO_GATE, "there are no gates in %s", path);
        else if (errno == ENOENT)
            admit_gate_error(
                ADMIT_SYSTEM,
                "cannot open the directory of gates %s: ADMIT_DIR names it, and it does not exist; make it with mkdir",
                path);
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

/* Texts that callers have been given, each once, for good: a process has one or two directories of gates in its life.
 * Each thread's own buffer would be too much for one that loads the library at run time (error.c says why). */
struct kept_text {
    struct kept_text *next;
    char text[];
};

static const char *keep_text(const char *text)
{
    static struct kept_text *_Atomic first;
    struct kept_text *seen = atomic_load(&first), *known = NULL, *made = NULL;
    for (;;) {
        for (struct kept_text *one = seen; one != known; one = one->next)
            if (strcmp(one->text, text) == 0) {
                free(made);
                return one->text;
            }
        if (made == NULL) {
            made = malloc(sizeof *made + strlen(text) + 1);
            if (made == NULL) {
                admit_gate_error(ADMIT_NO_MEMORY, "out of memory");
                return NULL;
            }
            strcpy(made->text, text);
        }
        made->next = known = seen;
        if (atomic_compare_exchange_strong(&first, &seen, made))
            return made->text;
    }
}

const char *admit_gate_directory(void)
{
    UNCANCELLED;
    char path[PATH_MAX];
    int fd = admit_open_directory(true, path, sizeof path);
    if (fd < 0)
        return NULL;
    close(fd);
    return keep_text(path);
}

admit_error admit_gate_resolve(const char *name, char *path, size_t size)
{
    UNCANCELLED;
    char directory[PATH_MAX];
    const bool elsewhere = name != NULL && admit_is_elsewhere(name);
    admit_error error = elsewhere ? ADMIT_OK : admit_check_name(name);
    if (error != ADMIT_OK)
        return error;
    int length;
    if (elsewhere || admit_name_is_path(name)) {
        length = snprintf(path, size, "%s", name);
    } else {
        error = directory_path(directory, sizeof directory);
        if (error != ADMIT_OK)
            return error;
        length = snprintf(path, size, "%s/%s", directory, name);
    }
    if (length < 0 || (size_t)length >= size)
        return admit_gate_error(ADMIT_BAD_NAME, "the path of gate \"%.80s\" is too long", name);
    return ADMIT_OK;
}

struct name_list {
    char **name;
    size_t count, room;
};

static bool adds_name(struct name_list *list, const char *name)
{
    if (list->count == list->room) {
        size_t room = 2 * list->room + 16;
        char **more = realloc(list->name, room * sizeof *more);
        if (more == NULL)
            return false;
        list->name = more;
        list->room = room;
    }
    list->name[list->count] = strdup(name);
    return list->name[list->count++] != NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcoll(*(char *const *)a, *(char *const *)b);
}

/* scandirat, which not every libc has. Takes the descriptor. */
static bool list_names(int fd, struct name_list *list)
{
    DIR *directory = fdopendir(fd);
    if (directory == NULL) {
        close(fd);
        return false;
    }
    bool fine = true;
    for (const struct dirent *entry; fine && (errno = 0, entry = readdir(directory)) != NULL;)
        if (admit_check_name(entry->d_name) == ADMIT_OK)
            fine = adds_name(list, entry->d_name);
    int error = errno;
    closedir(directory);
    if (list->count > 0 && fine)
        qsort(list->name, list->count, sizeof *list->name, by_name);
    errno = error;
    return fine && error == 0;
}

/* False: no more are wanted. */
static bool list_one(int (*one)(void *data, const char *name, const char *path), void *data, const char *directory,
                     const char *name)
{
    char path[PATH_MAX + NAME_MAX + 2];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return one(data, name, path) == 0;
}

admit_error admit_gate_list(int (*one)(void *data, const char *name, const char *path), void *data)
{
    UNCANCELLED;
    char *directory = malloc(PATH_MAX); /* the stack may be small */
    if (directory == NULL)
        return admit_gate_error(ADMIT_NO_MEMORY, "out of memory");
    int fd = admit_open_directory(false, directory, PATH_MAX);
    if (fd < 0) {
        free(directory);
        return admit_last_error() == ADMIT_NO_GATE ? ADMIT_OK : admit_last_error();
    }
    struct name_list list = {.count = 0};
    bool go_on = list_names(fd, &list);
    admit_error error = go_on ? ADMIT_OK : admit_gate_system_error("list", directory);
    for (size_t e = 0; e < list.count; e++) {
        go_on = go_on && list_one(one, data, directory, list.name[e]);
        free(list.name[e]);
    }
    free(list.name);
    free(directory);
    return error;
}

admit_error admit_gate_list_of(const char *cluster, int (*one)(void *data, const char *name, const char *path),
                               void *data)
{
    UNCANCELLED;
    if (cluster == NULL || !admit_is_elsewhere(cluster))
        return admit_gate_error(ADMIT_BAD_NAME,
                                "\"%.80s\" is no cluster: it begins with etcd:", cluster != NULL ? cluster : "");
    const struct elsewhere *elsewhere = admit_elsewhere(cluster);
    return elsewhere != NULL ? elsewhere->list(cluster, one, data) : admit_last_error();
}
