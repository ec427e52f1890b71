/* SPDX-License-Identifier: MIT
 *
 * The gate's file: made whole or not at all, and checked before it is used.
 */
#include "gate/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char MAGIC[8] = {'a', 'd', 'm', 'i', 't', 'g', 'a', 't'};

/* What must be the same for all who map the file. Another byte order shows in `layout`. */
static uint32_t machine(void)
{
    return (uint32_t)sizeof(void *) << 16 | (uint32_t)GATE_PAGE >> 8;
}

static size_t pages(size_t size)
{
    return (size + GATE_PAGE - 1) / GATE_PAGE * GATE_PAGE;
}

void admit_gate_places(struct gate_places *places, unsigned most_k, unsigned capacity)
{
    places->records = capacity + most_k - 1; /* a slot that a resize takes away needs a record */
    size_t cells = 2 + (most_k - 1) + 2 * (size_t)places->records;
    places->spots = GATE_PAGE + cells * sizeof(struct cell);
    places->people = pages(places->spots + most_k * sizeof(struct spot));
    unsigned lives = places->records + LIVES_WITHOUT_RECORD;
    places->size = places->people + (lives + LIVES_PER_PAGE - 1) / LIVES_PER_PAGE * GATE_PAGE;
}

/* FNV-1a. */
static uint64_t hash_of(const void *data, size_t size, uint64_t hash)
{
    const unsigned char *byte = data;
    for (size_t at = 0; at < size; at++)
        hash = (hash ^ byte[at]) * 0x100000001b3;
    return hash;
}
#define NO_HASH UINT64_C(0xcbf29ce484222325)

/* Over the fixed part. It finds accidents; nothing finds malice. */
static uint64_t checksum_of(const struct gate_header *header)
{
    return hash_of(header, offsetof(struct gate_header, checksum), NO_HASH);
}

/* See predecessor.c. By the path, where it can be told: a directory may have been deleted and made again. */
uint64_t admit_gate_name_bytes(int directory, const char *file)
{
    struct stat status;
    char link[48], path[PATH_MAX];
    uint64_t hash = NO_HASH;
    snprintf(link, sizeof link, "/proc/thread-self/fd/%d", directory);
    ssize_t length = directory >= 0 ? readlink(link, path, sizeof path) : -1;
    if (length > 0) {
        hash = hash_of(path, (size_t)length, hash);
    } else if (directory >= 0 && fstat(directory, &status) == 0) {
        hash = hash_of(&status.st_dev, sizeof status.st_dev, hash);
        hash = hash_of(&status.st_ino, sizeof status.st_ino, hash);
    }
    hash = hash_of(file, strlen(file), hash);
    return (UINT64_C(1) << 62) + ((hash ^ hash >> 32) & 0x7fffffff) * (UINT64_C(1) << 31);
}

/* --- making ------------------------------------------------------------------------------------------------------- */

void admit_gate_set_up(admit_gate *gate, char *memory, const struct gate_places *places, unsigned most_k,
                       unsigned capacity)
{
    struct gate_front *front = (struct gate_front *)memory;
    gate->header = &front->header;
    gate->cells.issue = &front->issue;
    gate->cells.valid = &front->valid;
    gate->cells.slot = front->slot;
    gate->cells.record = front->slot + (most_k - 1);
    gate->cells.heir = front->slot + (most_k - 1) + places->records;
    gate->spot = (struct spot *)(memory + places->spots);
    gate->people = (struct people *)(memory + places->people);
    gate->records = places->records;
    gate->most_k = most_k;
    gate->capacity = capacity;
    gate->size = places->size;
}

/* The boot id comes last: a process that is killed before that leaves a gate that the next one to open it empties
 * again. */
void admit_gate_empty(admit_gate *gate, unsigned k)
{
    struct gate_header *header = gate->header;
    admit_protocol_format(gate, k);
    for (unsigned s = 0; s < gate->most_k; s++)
        atomic_store(&gate->spot[s].who, 0);
    atomic_store(&header->k, k);
    atomic_store(&header->resizing, 0);
    atomic_store(&header->removed, 0);
    atomic_store(&header->recovered, 0);
    atomic_store(&header->abandoned, 0);
    atomic_store(&header->died_waiting, 0);
    atomic_store(&header->reserved, gate->most_k - k);
    atomic_store(&header->outside, 0);
    for (unsigned h = 0; h < GATE_HINTS; h++)
        atomic_store_explicit(&header->hint[h], 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    admit_boot_id(header->boot_id);
}

void admit_gate_format(admit_gate *gate, unsigned k)
{
    struct gate_header *header = gate->header;
    memcpy(header->magic, MAGIC, sizeof MAGIC);
    header->layout = GATE_LAYOUT;
    header->machine = machine();
    header->most_k = gate->most_k;
    header->capacity = gate->capacity;
    header->records = gate->records;
    header->size = gate->size;
    header->checksum = checksum_of(header);
    atomic_store(&header->declared_k, k);
    admit_gate_empty(gate, k);
}

admit_error admit_gate_check_size(const struct gate_places *places, const char *path)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || places->size <= limit.rlim_cur)
        return ADMIT_OK;
    return admit_gate_error(ADMIT_DISK_FULL,
                            "cannot make %s: it takes %zu bytes, and files of this process may have %llu (RLIMIT_FSIZE,"
                            " ulimit -f)",
                            path, places->size, (unsigned long long)limit.rlim_cur);
}

static admit_error fill_new_file(int fd, const char *path, const admit_gate_options *options,
                                 const struct gate_places *places)
{
    if (fchmod(fd, options->mode) != 0)
        return admit_gate_system_error("set the mode of", path);
    int error = posix_fallocate(fd, 0, (off_t)places->size); /* or a full disk would be a SIGBUS later */
    if (error != 0) {
        errno = error;
        return admit_gate_system_error("find room for", path);
    }
    char *memory = mmap(NULL, places->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        return admit_gate_system_error("map", path);
    admit_gate gate = {0};
    admit_gate_set_up(&gate, memory, places, options->most_k, options->capacity);
    admit_gate_format(&gate, options->k);
    munmap(memory, places->size);
    return fsync(fd) == 0 ? ADMIT_OK : admit_gate_system_error("write", path);
}

/* Gives a file without a name this one. True also if another file has it by now. */
static bool give_name(int fd, int directory, const char *file)
{
    char path[48];
    if (linkat(fd, "", directory, file, AT_EMPTY_PATH) == 0 || errno == EEXIST)
        return true;
    /* Before Linux 6.10 that takes a privilege. This thread's: it may have descriptors of its own. */
    snprintf(path, sizeof path, "/proc/thread-self/fd/%d", fd);
    return linkat(AT_FDCWD, path, directory, file, AT_SYMLINK_FOLLOW) == 0 || errno == EEXIST;
}

/* Without a name until it is whole: a process that is killed leaves nothing, and no other file can be in the way. False
 * if this file system, or the lack of /proc, does not allow it; then nothing has happened. */
static bool make_nameless(int directory, const char *file, const char *path, const admit_gate_options *options,
                          const struct gate_places *places, admit_error *error)
{
    int fd = admit_keep(openat(directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (fd < 0)
        return false;
    *error = fill_new_file(fd, path, options, places);
    bool decided = *error != ADMIT_OK || give_name(fd, directory, file);
    close(fd);
    return decided;
}

/* For a name that no neighbour foresees. Without the kernel's help the time will do: a neighbour that guesses one name
 * is not there in time for the next. */
static void random_bits(uint64_t bits[2])
{
    static _Atomic uint64_t count;
    if (getrandom(bits, 2 * sizeof bits[0], GRND_NONBLOCK) == 2 * sizeof bits[0])
        return;
    struct timespec now, up;
    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_MONOTONIC, &up);
    bits[0] = (uint64_t)now.tv_nsec << 32 ^ (uint64_t)up.tv_nsec;
    bits[1] = (uint64_t)getpid() << 32 ^ atomic_fetch_add(&count, 1);
}

/* Under a name that no gate can have and no other process uses, then renamed to its own unless there is one by now. A
 * process that is killed here leaves the file under the first name. */
static admit_error make_under_other_name(int directory, const char *file, const char *path,
                                         const admit_gate_options *options, const struct gate_places *places)
{
    char other[NAME_MAX + 1];
    int fd = -1;
    for (unsigned attempt = 0; fd < 0 && attempt < 100; attempt++) {
        uint64_t bits[2];
        random_bits(bits);
        snprintf(other, sizeof other, "%.64s~%016llx%016llx", file, (unsigned long long)bits[0],
                 (unsigned long long)bits[1]);
        fd = openat(directory, other, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0)
        return admit_gate_system_error("make", path);
    fd = admit_keep(fd);
    admit_error error = fd < 0 ? admit_gate_system_error("make", path) : fill_new_file(fd, path, options, places);
    if (fd >= 0)
        close(fd);
    if (error == ADMIT_OK && syscall(SYS_renameat2, directory, other, directory, file, RENAME_NOREPLACE) == 0)
        return ADMIT_OK;
    /* Not every file system has that. */
    if (error == ADMIT_OK && errno != EEXIST && linkat(directory, other, directory, file, 0) != 0 && errno != EEXIST)
        error = admit_gate_system_error("make", path);
    unlinkat(directory, other, 0);
    return error;
}

admit_error admit_gate_make(int directory, const char *file, const char *path, const admit_gate_options *options)
{
    struct gate_places places;
    admit_gate_places(&places, options->most_k, options->capacity);
    admit_error error = admit_gate_check_size(&places, path);
    if (error != ADMIT_OK || make_nameless(directory, file, path, options, &places, &error))
        return error;
    return make_under_other_name(directory, file, path, options, &places);
}

/* --- checking ----------------------------------------------------------------------------------------------------- */

static admit_error corrupt(const char *path, const char *what)
{
    return admit_gate_error(ADMIT_GATE_CORRUPT, "%s has been overwritten: %s", path, what);
}

admit_error admit_gate_check_numbers(const struct gate_header *header, struct gate_places *places, const char *path)
{
    if (header->machine != machine())
        return admit_gate_error(ADMIT_OTHER_GATE_LAYOUT,
                                "%s was made by a program for another kind of machine (%u-bit)", path,
                                (header->machine >> 16) % 64 * 8);
    if (header->checksum != checksum_of(header))
        return corrupt(path, "its header has another checksum");
    if (header->most_k < 1 || header->most_k > ADMIT_GATE_K_MAX || header->capacity < 1 ||
        header->capacity > ADMIT_GATE_CAPACITY_MAX)
        return corrupt(path, "its numbers are out of range");
    admit_gate_places(places, header->most_k, header->capacity);
    if (header->records != places->records)
        return corrupt(path, "its sizes do not agree");
    return ADMIT_OK;
}

/* From a copy that nobody else can change. */
static admit_error check_header(const struct gate_header *header, size_t size, struct gate_places *places,
                                const char *path)
{
    if (memcmp(header->magic, MAGIC, sizeof MAGIC) != 0)
        return admit_gate_error(ADMIT_NOT_A_GATE, "%s is not a gate", path);
    if (header->layout != GATE_LAYOUT)
        return ADMIT_OTHER_GATE_LAYOUT;
    admit_error error = admit_gate_check_numbers(header, places, path);
    if (error != ADMIT_OK)
        return error;
    if (header->size != places->size)
        return corrupt(path, "its sizes do not agree");
    if (size != places->size)
        return admit_gate_error(ADMIT_GATE_CORRUPT, "%s has %zu bytes, and should have %zu", path, size, places->size);
    return ADMIT_OK;
}

/* What is somebody else's is used if its owner wants others to, and looked at if the permissions let one read it: nothing
 * that it says can do harm then. */
static admit_error check_status(const struct stat *status, const char *path, bool of_others, bool look_only)
{
    if (!S_ISREG(status->st_mode))
        return admit_gate_error(ADMIT_NOT_A_GATE, "%s is not a regular file", path);
    bool shared = of_others && (look_only || (status->st_mode & 022) != 0);
    if (status->st_uid != geteuid() && status->st_uid != 0 && !shared)
        return admit_gate_error(ADMIT_NOT_YOURS, "%s belongs to user %lu, who has not shared it", path,
                                (unsigned long)status->st_uid);
    if (status->st_size < (off_t)sizeof(struct gate_header))
        return admit_gate_error(ADMIT_NOT_A_GATE, "%s is not a gate: it has %lld bytes only", path,
                                (long long)status->st_size);
    return ADMIT_OK;
}

/* k may have been resized by now; the rest is as it was made. */
admit_error admit_gate_check_k(const admit_gate *gate)
{
    unsigned k = atomic_load(&gate->header->k), declared = atomic_load(&gate->header->declared_k);
    return k >= 1 && k <= gate->most_k && declared >= 1 && declared <= gate->most_k
               ? ADMIT_OK
               : corrupt(gate->path, "its k is out of range");
}

admit_error admit_gate_check_words(admit_gate *gate)
{
    admit_error error = admit_gate_check_k(gate);
    if (error != ADMIT_OK)
        return error;
    if (!admit_protocol_in_order(gate))
        return corrupt(gate->path, "its tickets do not add up");
    return ADMIT_OK;
}

/* Of an open file: whose it is, what it says, and a mapping. */
admit_error admit_gate_map_file(admit_gate *gate, bool of_others, uint32_t *layout)
{
    struct stat status;
    struct gate_header header;
    struct gate_places places = {0};
    *layout = GATE_LAYOUT;
    if (fstat(gate->file.fd, &status) != 0)
        return admit_gate_system_error("look at", gate->path);
    admit_error error = check_status(&status, gate->path, of_others, gate->look_only);
    if (error != ADMIT_OK)
        return error;
    if (pread(gate->file.fd, &header, sizeof header, 0) != (ssize_t)sizeof header)
        return admit_gate_system_error("read", gate->path);
    *layout = header.layout;
    error = check_header(&header, (size_t)status.st_size, &places, gate->path);
    if (error != ADMIT_OK)
        return error;
    int protection = gate->look_only ? PROT_READ : PROT_READ | PROT_WRITE;
    char *memory = mmap(NULL, places.size, protection, MAP_SHARED, gate->file.fd, 0);
    if (memory == MAP_FAILED)
        return admit_gate_system_error("map", gate->path);
    admit_gate_set_up(gate, memory, &places, header.most_k, header.capacity);
    gate->name_bytes = admit_gate_name_bytes(gate->directory.fd, file_name_of(gate));
    return ADMIT_OK;
}
