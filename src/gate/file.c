/* SPDX-License-Identifier: MIT
 *
 * The gate's file: made whole or not at all, checked before it is used, empty again after a reboot.
 */
#include "gate/file.h"
#include "gate/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
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
    places->size = places->people + (places->records + LIVES_PER_PAGE) / LIVES_PER_PAGE * GATE_PAGE; /* and the manager */
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

/* Where a lock of anybody that takes part is: see anchor.c. A gate that has the name of one which was deleted has the same
 * place. */
uint64_t admit_gate_anchorage(int directory, const char *file)
{
    struct stat status;
    uint64_t hash = NO_HASH;
    if (directory >= 0 && fstat(directory, &status) == 0) {
        hash = hash_of(&status.st_dev, sizeof status.st_dev, hash);
        hash = hash_of(&status.st_ino, sizeof status.st_ino, hash);
        hash = hash_of(file, strlen(file), hash);
    }
    return (UINT64_C(1) << 62) + ((hash ^ hash >> 32) & 0x7fffffff) * (UINT64_C(1) << 31);
}

/* Zeros if it cannot be read, or is not the kernel's: containers are given one of their own, by a file that is mounted upon
 * the kernel's. */
static bool read_boot_id(char boot_id[BOOT_ID_SIZE])
{
    memset(boot_id, 0, BOOT_ID_SIZE);
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    struct statfs system;
    struct statx status;
    bool is_kernels = fstatfs(fd, &system) == 0 && system.f_type == PROC_SUPER_MAGIC &&
                      (statx(fd, "", AT_EMPTY_PATH, 0, &status) != 0 ||
                       (status.stx_attributes & status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) == 0);
    bool whole = is_kernels && read(fd, boot_id, 36) == 36;
    close(fd);
    if (!whole)
        memset(boot_id, 0, BOOT_ID_SIZE);
    return whole;
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
    gate->cells.record = gate->cells.slot + (most_k - 1);
    gate->cells.heir = gate->cells.record + places->records;
    gate->spot = (struct spot *)(memory + places->spots);
    gate->people = (struct people *)(memory + places->people);
    gate->records = places->records;
    gate->most_k = most_k;
    gate->capacity = capacity;
    gate->size = places->size;
}

/* The boot id comes last: who is killed before that leaves a gate that the next one to open it empties again. */
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
    for (unsigned h = 0; h < GATE_HINTS; h++)
        atomic_store_explicit(&header->hint[h], 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    read_boot_id(header->boot_id);
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
    admit_gate_empty(gate, k);
}

static admit_error fill_new_file(int fd, const char *path, const admit_gate_options *options)
{
    struct gate_places places;
    admit_gate_places(&places, options->most_k, options->capacity);
    if (fchmod(fd, options->mode) != 0)
        return admit_gate_system_error("set the mode of", path);
    int error = posix_fallocate(fd, 0, (off_t)places.size); /* or a full disk would be a SIGBUS later */
    if (error != 0) {
        errno = error;
        return admit_gate_system_error("find room for", path);
    }
    char *memory = mmap(NULL, places.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        return admit_gate_system_error("map", path);
    admit_gate gate = {0};
    admit_gate_set_up(&gate, memory, &places, options->most_k, options->capacity);
    admit_gate_format(&gate, options->k);
    munmap(memory, places.size);
    return fsync(fd) == 0 ? ADMIT_OK : admit_gate_system_error("write", path);
}

/* Under a name that no gate can have, then renamed to its own unless there is one by now. */
admit_error admit_gate_make(int directory, const char *file, const char *path, const admit_gate_options *options)
{
    char temporary[NAME_MAX + 1];
    static _Atomic unsigned count;
    int length =
        snprintf(temporary, sizeof temporary, "%.64s~%ld-%u", file, (long)getpid(), atomic_fetch_add(&count, 1));
    if (length < 0 || (size_t)length >= sizeof temporary)
        return admit_gate_error(ADMIT_BAD_NAME, "the name of %s is too long", path);
    unlinkat(directory, temporary, 0); /* of a namesake that was killed */
    int fd = openat(directory, temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return admit_gate_system_error("make", path);
    admit_error error = fill_new_file(fd, path, options);
    close(fd);
    if (error == ADMIT_OK && renameat2(directory, temporary, directory, file, RENAME_NOREPLACE) == 0)
        return ADMIT_OK;
    if (error == ADMIT_OK && (errno == EINVAL || errno == ENOSYS)) { /* a file system without it */
        int linked = linkat(directory, temporary, directory, file, 0);
        if (linked != 0 && errno != EEXIST)
            error = admit_gate_system_error("make", path);
    } else if (error == ADMIT_OK && errno != EEXIST) {
        error = admit_gate_system_error("make", path);
    }
    unlinkat(directory, temporary, 0);
    return error;
}

/* --- checking ----------------------------------------------------------------------------------------------------- */

static admit_error corrupt(const char *path, const char *what)
{
    return admit_gate_error(ADMIT_GATE_CORRUPT, "%s has been overwritten: %s", path, what);
}

/* From a copy that nobody else can change. */
static admit_error check_header(const struct gate_header *header, size_t size, struct gate_places *places,
                                const char *path)
{
    if (memcmp(header->magic, MAGIC, sizeof MAGIC) != 0)
        return admit_gate_error(ADMIT_NOT_A_GATE, "%s is not a gate", path);
    if (header->layout != GATE_LAYOUT)
        return admit_gate_error(ADMIT_OTHER_GATE_LAYOUT, "%s has layout %u; this library (admit %s) knows layout %d",
                                path, header->layout, admit_version(), GATE_LAYOUT);
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
    if (header->records != places->records || header->size != places->size)
        return corrupt(path, "its sizes do not agree");
    if (size != places->size)
        return admit_gate_error(ADMIT_GATE_CORRUPT, "%s has %zu bytes, and should have %zu", path, size, places->size);
    return ADMIT_OK;
}

static admit_error check_status(const struct stat *status, const char *path, bool is_path)
{
    if (!S_ISREG(status->st_mode))
        return admit_gate_error(ADMIT_NOT_A_GATE, "%s is not a regular file", path);
    bool shared = is_path && (status->st_mode & 022) != 0; /* its owner wants others to use it */
    if (status->st_uid != geteuid() && status->st_uid != 0 && !shared)
        return admit_gate_error(ADMIT_NOT_YOURS, "%s belongs to user %lu, who has not shared it", path,
                                (unsigned long)status->st_uid);
    if (status->st_size < (off_t)sizeof(struct gate_header))
        return admit_gate_error(ADMIT_NOT_A_GATE, "%s is not a gate: it has %lld bytes only", path,
                                (long long)status->st_size);
    return ADMIT_OK;
}

/* k may have been resized by now; the rest is as it was made. */
admit_error admit_gate_check_words(admit_gate *gate)
{
    unsigned k = atomic_load(&gate->header->k);
    if (k < 1 || k > gate->most_k)
        return corrupt(gate->path, "its k is out of range");
    if (!admit_protocol_in_order(gate))
        return corrupt(gate->path, "its tickets do not add up");
    return ADMIT_OK;
}

static bool is_of_boot(const admit_gate *gate, const char boot_id[BOOT_ID_SIZE])
{
    return memcmp(gate->header->boot_id, boot_id, BOOT_ID_SIZE) == 0;
}

/* Whether the gate is certainly of an earlier boot: two ids of the kernel's own differ. */
static bool is_of_earlier_boot(const admit_gate *gate, char boot_id[BOOT_ID_SIZE])
{
    static const char unknown[BOOT_ID_SIZE];
    return read_boot_id(boot_id) && !is_of_boot(gate, unknown) && !is_of_boot(gate, boot_id);
}

/* What the power left on the disk need not make sense, nor what it says of a manager: but whoever empties it is anchored.
 * Where it is not certain that there was another boot, nothing is emptied: whoever died with an earlier one is found dead by
 * its anchor. */
static admit_error empty_after_boot(admit_gate *gate)
{
    char boot_id[BOOT_ID_SIZE];
    gate->is_of_earlier_boot = is_of_earlier_boot(gate, boot_id);
    if (gate->look_only)
        return ADMIT_OK;
    if (!gate->is_of_earlier_boot) {
        if (!is_of_boot(gate, boot_id))
            admit_second_look(gate, true);
        return ADMIT_OK;
    }
    admit_seats_lock();
    admit_anchor(gate);
    bool is_anchored = gate->local->anchored != NULL;
    admit_seats_unlock();
    if (!is_anchored)
        return admit_gate_error(ADMIT_NO_PERMISSION,
                                "%s is of an earlier boot, and cannot be emptied: it cannot be locked, or others keep it "
                                "locked",
                                gate->path);
    admit_life_clear_unless_anchored(gate, manager_of(gate));
    struct seat *manager = admit_manage(gate, true);
    if (manager == NULL)
        return admit_last_error();
    unsigned k = atomic_load(&gate->header->k);
    bool in_range = k >= 1 && k <= gate->most_k;
    if (in_range && is_of_earlier_boot(gate, boot_id))
        admit_gate_empty(gate, k);
    admit_manage_end(manager);
    gate->is_of_earlier_boot = false;
    return in_range ? ADMIT_OK : corrupt(gate->path, "its k is out of range");
}

/* Of an open file: whose it is, what it says, and a mapping. */
admit_error admit_gate_map(admit_gate *gate, bool is_path)
{
    struct stat status;
    struct gate_header header;
    struct gate_places places = {0};
    if (fstat(gate->fd, &status) != 0)
        return admit_gate_system_error("look at", gate->path);
    admit_error error = check_status(&status, gate->path, is_path);
    if (error != ADMIT_OK)
        return error;
    if (pread(gate->fd, &header, sizeof header, 0) != (ssize_t)sizeof header)
        return admit_gate_system_error("read", gate->path);
    error = check_header(&header, (size_t)status.st_size, &places, gate->path);
    if (error != ADMIT_OK)
        return error;
    int protection = gate->look_only ? PROT_READ : PROT_READ | PROT_WRITE;
    char *memory = mmap(NULL, places.size, protection, MAP_SHARED, gate->fd, 0);
    if (memory == MAP_FAILED)
        return admit_gate_system_error("map", gate->path);
    admit_gate_set_up(gate, memory, &places, header.most_k, header.capacity);
    gate->device = (uint64_t)status.st_dev;
    gate->inode = (uint64_t)status.st_ino;
    gate->anchorage = admit_gate_anchorage(gate->directory_fd, strrchr(gate->path, '/') + 1);
    error = empty_after_boot(gate);
    return error != ADMIT_OK || gate->is_of_earlier_boot ? error : admit_gate_check_words(gate);
}
