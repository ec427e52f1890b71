/* SPDX-License-Identifier: MIT */
#include "gate/calls/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static admit_error fill_in(admit_gate_options *all, const admit_gate_options *given)
{
    *all = *given;
    if (all->k > ADMIT_GATE_K_MAX)
        return admit_gate_error(ADMIT_BAD_OPTION, "k = %u is more than %d", all->k, ADMIT_GATE_K_MAX);
    if (all->capacity == 0)
        all->capacity = larger(all->most_k, larger(2 * all->k, ADMIT_GATE_CAPACITY));
    if (all->most_k == 0) /* as many slots as can ever be used */
        all->most_k = larger(all->k, smaller(all->capacity, ADMIT_GATE_K_MAX));
    if (all->mode == 0)
        all->mode = 0600;
    if (all->most_k < all->k || all->most_k > ADMIT_GATE_K_MAX)
        return admit_gate_error(ADMIT_BAD_OPTION, "most_k = %u is not from k = %u to %d", all->most_k, all->k,
                                ADMIT_GATE_K_MAX);
    if (all->capacity > ADMIT_GATE_CAPACITY_MAX || all->capacity < all->k)
        return admit_gate_error(ADMIT_BAD_OPTION, "capacity %u is not from k = %u to %d", all->capacity, all->k,
                                ADMIT_GATE_CAPACITY_MAX);
    if ((all->mode & ~0666u) != 0 || (all->mode & 0600) != 0600)
        return admit_gate_error(ADMIT_BAD_OPTION, "mode %04o is not between 0600 and 0666", all->mode);
    if (all->look_only && all->k != 0)
        return admit_gate_error(ADMIT_BAD_OPTION, "look_only needs k = 0");
    return ADMIT_OK;
}

static bool make_local(admit_gate *gate)
{
    gate->local = mmap(NULL, GATE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (gate->local == MAP_FAILED) {
        gate->local = NULL;
        admit_gate_system_error("map memory for", gate->path);
        return false;
    }
    if (madvise(gate->local, GATE_PAGE, MADV_WIPEONFORK) != 0 || sysconf(_SC_PAGESIZE) != GATE_PAGE) {
        admit_gate_error(ADMIT_UNSUPPORTED, "gates need pages of %d bytes and MADV_WIPEONFORK (Linux 4.14)", GATE_PAGE);
        return false;
    }
    return true;
}

static void free_handle(admit_gate *gate)
{
    int error = errno;
    if (gate->header != NULL)
        munmap(gate->header, gate->size);
    if (gate->local != NULL)
        munmap(gate->local, GATE_PAGE);
    admit_close(&gate->file);
    admit_close(&gate->directory);
    free(gate->path);
    free(gate);
    errno = error;
}

static admit_gate *new_handle(const char *name, const char *path, bool look_only)
{
    admit_gate *gate = calloc(1, sizeof *gate);
    if (gate == NULL) {
        admit_gate_error(ADMIT_NO_MEMORY, "out of memory");
        return NULL;
    }
    static _Atomic uint64_t last_serial;
    gate->serial = atomic_fetch_add(&last_serial, SEAT_FLAGS + 1) + (SEAT_FLAGS + 1);
    gate->file.fd = gate->directory.fd = -1;
    gate->look_only = look_only;
    gate->path = strdup(path);
    strncpy(gate->name, name, sizeof gate->name - 1);
    if (gate->path == NULL || !make_local(gate)) {
        if (gate->path == NULL)
            admit_gate_error(ADMIT_NO_MEMORY, "out of memory");
        free_handle(gate);
        return NULL;
    }
    return gate;
}

/* Without O_CREAT: in a sticky directory the kernel refuses that for a file of another user, though it is there. */
static admit_error open_file(admit_gate *gate, int directory, const char *file)
{
    int access = gate->look_only ? O_RDONLY : O_RDWR;
    gate->file = admit_descriptor(openat(directory, file, access | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
    if (gate->file.fd >= 0)
        return ADMIT_OK;
    if (errno == ENOENT)
        return admit_gate_error(ADMIT_NO_GATE, "there is no gate \"%s\" (%s)", gate->name, gate->path);
    if (errno == ELOOP)
        return admit_gate_error(ADMIT_NOT_A_GATE, "%s is a symbolic link", gate->path);
    return admit_gate_system_error("open", gate->path);
}

/* Whoever uses a gate of this name that was deleted, or moved away, is told; but if anybody is inside, or it cannot be
 * told, none can be made. */
static admit_error retire_predecessors(const admit_gate *gate, int directory, const char *file, bool of_others)
{
    struct files files = {.count = 0};
    bool failed;
    for (int fd; (fd = admit_open_predecessor(directory, file, &files, &failed)) >= 0;) {
        admit_gate *other = new_handle(gate->name, gate->path, false);
        if (other == NULL) {
            close(fd);
            return admit_last_error();
        }
        other->file = admit_descriptor(fd);
        other->directory = admit_descriptor(fcntl(directory, F_DUPFD_CLOEXEC, 0));
        admit_error error = other->file.fd < 0 || other->directory.fd < 0
                                ? admit_gate_system_error("look at", gate->path)
                                : admit_gate_map(other, of_others);
        if (error == ADMIT_OK)
            error = admit_retire(other);
        else if (error == ADMIT_NOT_YOURS || error == ADMIT_NOT_A_GATE)
            error = ADMIT_OK; /* somebody else's, which only looks like one */
        else if (error == ADMIT_REMOVED)
            error = ADMIT_OK; /* one of an earlier version, by force: those inside are in no gate */
        admit_gate_close(other);
        if (error != ADMIT_OK)
            return error;
    }
    return failed ? admit_gate_error(ADMIT_SYSTEM, "cannot look for processes that use a deleted gate of the name %s",
                                     gate->path)
                  : ADMIT_OK;
}

enum { OPEN_TRIES = 100 };

static admit_error open_or_make(admit_gate *gate, int directory, const char *file, bool of_others,
                                const admit_gate_options *options)
{
    admit_error error = open_file(gate, directory, file);
    for (unsigned attempt = 0; error == ADMIT_NO_GATE && options->k != 0 && attempt < OPEN_TRIES; attempt++) {
        error = retire_predecessors(gate, directory, file, of_others);
        if (error == ADMIT_OK)
            error = admit_gate_make(directory, file, gate->path, options);
        if (error == ADMIT_OK)
            error = open_file(gate, directory, file); /* which another may have removed by now */
    }
    return error;
}

static admit_error check_k(const admit_gate *gate, unsigned k)
{
    unsigned present = admit_gate_k(gate), declared = admit_gate_declared_k(gate);
    char other[32] = "";
    if (k == 0 || k == present || k == declared)
        return ADMIT_OK;
    if (declared != present)
        snprintf(other, sizeof other, " (declared with %u)", declared);
    return admit_gate_error(ADMIT_OTHER_K,
                            "gate \"%s\" has k = %u%s, not %u; `admit resize %s %u` changes it for everybody",
                            gate->name, present, other, k, gate->name, k);
}

static int parent_of(const char *path, char *directory)
{
    const char *slash = strrchr(path, '/');
    memcpy(directory, path, (size_t)(slash - path) + 1);
    directory[slash - path + 1] = '\0';
    int fd = admit_keep(open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd < 0)
        admit_gate_system_error("open the directory", directory);
    return fd;
}

/* ADMIT_REMOVED: it went away meanwhile. One that has been removed, but whose file is still there, goes now. */
static admit_error open_in(admit_gate *gate, int directory, const char *file, bool of_others,
                           const admit_gate_options *options)
{
    admit_error error = open_or_make(gate, directory, file, of_others, options);
    if (error == ADMIT_OK)
        error = admit_gate_map(gate, of_others);
    if (error != ADMIT_OK)
        return error;
    if (!admit_is_there(gate)) {
        if (gate->look_only && !atomic_load(&gate->astray)) /* only somebody who may write it can finish the removal */
            return admit_gate_error(ADMIT_NO_GATE, "gate \"%s\" has been removed", gate->name);
        if (!atomic_load(&gate->astray) && admit_finish_removal(gate) != ADMIT_OK)
            return admit_last_error();
        return ADMIT_REMOVED;
    }
    return check_k(gate, options->k);
}

/* Of the named ones, or where the path says. The stack of a thread may be small. */
static int open_directory_of(const char *name, const char *path, bool make)
{
    char *directory = malloc(PATH_MAX);
    if (directory == NULL) {
        admit_gate_error(ADMIT_NO_MEMORY, "out of memory");
        return -1;
    }
    int fd = admit_name_is_path(name) ? parent_of(path, directory) : admit_open_directory(make, directory, PATH_MAX);
    free(directory);
    return fd;
}

static admit_gate *open_path(const char *name, const char *path, const admit_gate_options *options, bool by_force)
{
    bool is_path = admit_name_is_path(name);
    int directory_fd = open_directory_of(name, path, options->k != 0);
    if (directory_fd < 0) {
        if (admit_last_error() == ADMIT_NO_GATE)
            admit_gate_error(ADMIT_NO_GATE, "there is no gate \"%s\" (%s)", name, path);
        return NULL;
    }
    admit_gate *gate = new_handle(name, path, options->look_only);
    if (gate == NULL) {
        close(directory_fd);
        return NULL;
    }
    gate->directory = admit_descriptor(directory_fd);
    gate->by_force = by_force;
    admit_error error =
        open_in(gate, directory_fd, strrchr(path, '/') + 1, is_path || admit_directory_is_given(), options);
    if (error != ADMIT_OK) {
        admit_gate_close(gate);
        if (error == ADMIT_REMOVED)
            admit_gate_error(ADMIT_REMOVED, "gate \"%s\" (%s) is being removed and made again all the time", name,
                             path);
        return NULL;
    }
    return gate;
}

/* Its serial is nobody's seat's, so that whoever enters or leaves comes to where it is handed over. */
static admit_gate *open_elsewhere(const char *name, const admit_gate_options *options)
{
    const struct elsewhere *elsewhere = admit_elsewhere(name);
    void *there = elsewhere != NULL ? elsewhere->open(name, options) : NULL;
    if (there == NULL)
        return NULL;
    admit_gate *gate = new_handle("", name, options->look_only);
    if (gate == NULL) {
        elsewhere->close(there);
        return NULL;
    }
    gate->elsewhere = elsewhere;
    gate->there = there;
    return gate;
}

static admit_gate *open_gate(const char *name, const admit_gate_options *given, bool by_force)
{
    UNCANCELLED;
    if (name != NULL && admit_is_elsewhere(name))
        return open_elsewhere(name, given);
    admit_gate_options options;
    char path[PATH_MAX + 80];
    if (admit_gate_resolve(name, path, sizeof path) != ADMIT_OK || fill_in(&options, given) != ADMIT_OK)
        return NULL;
    admit_gate *gate;
    unsigned attempt = 0;
    do
        gate = open_path(name, path, &options, by_force);
    while (gate == NULL && admit_last_error() == ADMIT_REMOVED && ++attempt < OPEN_TRIES);
    if (gate == NULL)
        return NULL;
    if (!admit_name_is_path(name))
        flock(gate->directory.fd, LOCK_SH | LOCK_NB); /* against cleaners of old files; see names.c */
    futimens(gate->file.fd, NULL);
    return gate;
}

admit_gate *admit_gate_open_with(const char *name, const admit_gate_options *options)
{
    return open_gate(name, options, false);
}

admit_gate *admit_gate_open_to_remove(const char *name, bool by_force)
{
    return open_gate(name, &(admit_gate_options){0}, by_force);
}

admit_gate *admit_gate_open(const char *name, unsigned k)
{
    return admit_gate_open_with(name, &(admit_gate_options){.k = k});
}

admit_gate *admit_gate_create_private(const admit_gate_options *given)
{
    UNCANCELLED;
    admit_gate_options options;
    struct gate_places places;
    if (fill_in(&options, given) != ADMIT_OK)
        return NULL;
    if (options.k == 0) {
        admit_gate_error(ADMIT_BAD_OPTION, "k = 0: a gate needs at least one slot");
        return NULL;
    }
    admit_gate *gate = new_handle("", "(private gate)", false);
    if (gate == NULL)
        return NULL;
    admit_gate_places(&places, options.most_k, options.capacity);
    if (admit_gate_check_size(&places, gate->path) != ADMIT_OK) {
        free_handle(gate);
        return NULL;
    }
    gate->file = admit_descriptor(memfd_create("admit", MFD_CLOEXEC));
    char *memory = MAP_FAILED;
    if (gate->file.fd >= 0 && ftruncate(gate->file.fd, (off_t)places.size) == 0)
        memory = mmap(NULL, places.size, PROT_READ | PROT_WRITE, MAP_SHARED, gate->file.fd, 0);
    if (memory == MAP_FAILED) {
        admit_gate_system_error("make", gate->path);
        free_handle(gate);
        return NULL;
    }
    admit_gate_set_up(gate, memory, &places, options.most_k, options.capacity);
    gate->name_bytes = admit_gate_name_bytes(-1, "");
    admit_gate_format(gate, options.k);
    return gate;
}

void admit_gate_close(admit_gate *gate)
{
    UNCANCELLED;
    if (gate == NULL)
        return;
    if (gate->elsewhere != NULL)
        gate->elsewhere->close(gate->there);
    else
        admit_seats_close(gate);
    free_handle(gate);
}

void admit_gate_interrupt(admit_gate *gate)
{
    int error = errno;
    if (gate->elsewhere != NULL) {
        gate->elsewhere->interrupt(gate->there);
    } else {
        atomic_fetch_add(&gate->local->interrupts, 1);
        syscall(SYS_futex, &gate->local->interrupts, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
        admit_wake_if_deaf(gate);
    }
    errno = error;
}

const char *admit_gate_name(const admit_gate *gate)
{
    return gate->elsewhere != NULL ? gate->path : gate->name;
}

const char *admit_gate_path(const admit_gate *gate)
{
    return gate->path;
}

unsigned admit_gate_k(const admit_gate *gate)
{
    return gate->elsewhere != NULL ? gate->elsewhere->k(gate->there) : atomic_load(&gate->header->k);
}

unsigned admit_gate_declared_k(const admit_gate *gate)
{
    return gate->elsewhere != NULL ? gate->elsewhere->declared_k(gate->there) : atomic_load(&gate->header->declared_k);
}

unsigned admit_gate_most_k(const admit_gate *gate)
{
    return gate->elsewhere != NULL ? ADMIT_GATE_K_MAX : gate->most_k;
}

unsigned admit_gate_capacity(const admit_gate *gate)
{
    return gate->elsewhere != NULL ? 0 : gate->capacity;
}

void admit_gate_identity(const admit_gate *gate, uint64_t *device, uint64_t *inode)
{
    if (gate->elsewhere != NULL) {
        gate->elsewhere->identity(gate->there, device, inode);
        return;
    }
    *device = gate->file.device;
    *inode = gate->file.inode;
}
