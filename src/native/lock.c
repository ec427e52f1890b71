/* SPDX-License-Identifier: MIT
 *
 * A lock is a handle in private memory on registers in shared memory. The handle holds what must not be shared or
 * trusted: addresses, and each participant's local variables from enter to leave.
 */
#include "native/lock.h"

#include "native/catalogue.h"
#include "native/error.h"
#include "native/layout.h"

#include <stdlib.h>
#include <sys/mman.h>

/* Where one participant keeps its side of a passage; a cache line or more each, for they are written at every entry. */
struct seat {
    bool inside;
    _Alignas(max_align_t) char locals[];
};

struct admit_lock {
    const struct native_algorithm *algorithm;
    unsigned n, k;
    size_t mapped; /* bytes that create mapped at `layout`; 0 if the memory is the caller's */
    struct layout *layout;
    void *shared; /* the algorithm's arrays of registers, at this process's addresses */
    char *seats;
    size_t seat_size;
};

static size_t round_up(size_t size, size_t multiple)
{
    return (size + multiple - 1) / multiple * multiple;
}

static admit_lock *make_handle(const struct native_algorithm *algorithm, unsigned n, unsigned k, struct layout *layout)
{
    enum { LINE = 64 };
    size_t seat_size = round_up(sizeof(struct seat) + algorithm->locals_size, LINE);
    size_t shared_at = round_up(sizeof(admit_lock), LINE);
    size_t seats_at = shared_at + round_up(algorithm->shared_size, LINE);
    size_t size = seats_at + n * seat_size;
    char *memory = aligned_alloc(LINE, size);
    if (memory == NULL)
        return admit_fail(ADMIT_NO_MEMORY);
    memset(memory, 0, size);
    admit_lock *lock = (admit_lock *)memory;
    *lock = (admit_lock){.algorithm = algorithm,
                         .n = n,
                         .k = k,
                         .layout = layout,
                         .shared = memory + shared_at,
                         .seats = memory + seats_at,
                         .seat_size = seat_size};
    return lock;
}

static struct seat *seat_of(const admit_lock *lock, unsigned i)
{
    return (struct seat *)(lock->seats + i * lock->seat_size);
}

static admit_lock *create_in(struct layout *layout, const struct native_algorithm *algorithm, unsigned n, unsigned k)
{
    admit_lock *lock = make_handle(algorithm, n, k, layout);
    if (lock != NULL)
        admit_layout_create(layout, algorithm, n, k, lock->shared);
    return lock;
}

admit_lock *admit_lock_create_by(const struct native_algorithm *algorithm, unsigned n, unsigned k)
{
    admit_error error = admit_native_supports(algorithm, n, k);
    if (error != ADMIT_OK)
        return admit_fail(error);
    size_t size = admit_layout_size(algorithm, n, k);
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return admit_fail(ADMIT_NO_MEMORY);
    admit_lock *lock = create_in(memory, algorithm, n, k);
    if (lock == NULL)
        munmap(memory, size);
    else
        lock->mapped = size;
    return lock;
}

admit_lock *admit_lock_create(const char *id, unsigned n, unsigned k)
{
    return admit_lock_create_by(admit_native_find(id), n, k);
}

size_t admit_lock_size(const char *id, unsigned n, unsigned k)
{
    const struct native_algorithm *algorithm = admit_native_find(id);
    admit_error error = admit_native_supports(algorithm, n, k);
    if (error != ADMIT_OK) {
        admit_fail(error);
        return 0;
    }
    return admit_layout_size(algorithm, n, k);
}

admit_lock *admit_lock_create_in(void *memory, size_t size, const char *id, unsigned n, unsigned k)
{
    size_t needed = admit_lock_size(id, n, k);
    if (needed == 0)
        return NULL;
    if (memory == NULL || (uintptr_t)memory % ADMIT_ALIGNMENT != 0)
        return admit_fail(ADMIT_MEMORY_MISALIGNED);
    if (size < needed)
        return admit_fail(ADMIT_MEMORY_TOO_SMALL);
    return create_in(memory, admit_native_find(id), n, k);
}

admit_lock *admit_lock_attach(void *memory, size_t size)
{
    struct layout_contents contents;
    admit_error error = admit_layout_read(memory, size, &contents);
    if (error != ADMIT_OK)
        return admit_fail(error);
    admit_lock *lock = make_handle(contents.algorithm, contents.n, contents.k, memory);
    if (lock == NULL)
        return NULL;
    error = admit_layout_attach(lock->layout, &contents, lock->shared);
    if (error != ADMIT_OK) {
        free(lock);
        return admit_fail(error);
    }
    return lock;
}

admit_error admit_lock_enter(admit_lock *lock, unsigned i)
{
    if (i >= lock->n)
        return ADMIT_BAD_PARTICIPANT;
    struct seat *seat = seat_of(lock, i);
    if (seat->inside)
        return ADMIT_ALREADY_INSIDE;
    struct native_passage passage = {.i = i, .n = lock->n, .k = lock->k};
    lock->algorithm->enter(&passage, lock->shared, seat->locals);
    seat->inside = true;
    return ADMIT_OK;
}

admit_error admit_lock_leave(admit_lock *lock, unsigned i)
{
    if (i >= lock->n)
        return ADMIT_BAD_PARTICIPANT;
    struct seat *seat = seat_of(lock, i);
    if (!seat->inside)
        return ADMIT_NOT_INSIDE;
    seat->inside = false;
    struct native_passage passage = {.i = i, .n = lock->n, .k = lock->k};
    lock->algorithm->leave(&passage, lock->shared, seat->locals);
    return ADMIT_OK;
}

const char *admit_lock_algorithm(const admit_lock *lock)
{
    return lock->algorithm->about.id;
}

unsigned admit_lock_n(const admit_lock *lock)
{
    return lock->n;
}

unsigned admit_lock_k(const admit_lock *lock)
{
    return lock->k;
}

void admit_lock_destroy(admit_lock *lock)
{
    if (lock == NULL)
        return;
    if (lock->mapped != 0)
        munmap(lock->layout, lock->mapped);
    free(lock);
}
