/* SPDX-License-Identifier: MIT
 *
 * layout.h - what a lock looks like in shared memory: a header, then its registers.
 *
 *   offset  bytes  field
 *        0      8  magic      "admitlck"; written last and erased first, so that a half-made lock is none
 *        8      4  version    of this layout; another byte order reads as another version
 *       12      4  n
 *       16      4  k
 *       20      4  registers  how many cells follow
 *       24      8  checksum   of all other fields but magic
 *       32     96  id         of the algorithm, filled up with zeros
 *      128         cells      one of 64 bytes per register (struct cell), in the order of declaration
 *
 * There are no addresses in it. Everything in it may have been written by anybody: a reader copies the header once,
 * checks the copy, and uses nothing else.
 */
#ifndef ADMIT_NATIVE_LAYOUT_H
#define ADMIT_NATIVE_LAYOUT_H

#include "admit.h"
#include "registers/language.h"

enum { LAYOUT_VERSION = 2, LAYOUT_ID_SIZE = 96 };

struct layout {
    _Alignas(64) _Atomic uint64_t magic;
    uint32_t version;
    uint32_t n, k;
    uint32_t registers;
    uint64_t checksum;
    char id[LAYOUT_ID_SIZE];
    struct cell cells[];
};
_Static_assert(offsetof(struct layout, cells) == 128, "as documented above");
_Static_assert(sizeof(struct cell) == 64, "as documented above");
_Static_assert(ADMIT_ALIGNMENT == _Alignof(struct layout), "as documented in admit.h");

/* What a header says, once it has been found to be in order. */
struct layout_contents {
    const struct native_algorithm *algorithm;
    unsigned n, k;
};

/* How many bytes a lock takes. */
size_t admit_layout_size(const struct native_algorithm *algorithm, unsigned n, unsigned k);

/* Makes the lock: every register to its initial value, then the header. Fills in `shared`, the algorithm's arrays. */
void admit_layout_create(struct layout *layout, const struct native_algorithm *algorithm, unsigned n, unsigned k,
                         void *shared);

/* Reads the header of a lock in `size` bytes of memory. */
admit_error admit_layout_read(const struct layout *layout, size_t size, struct layout_contents *contents);

/* Fills in `shared`; ADMIT_CORRUPT if a register holds what no process can have written. */
admit_error admit_layout_attach(struct layout *layout, const struct layout_contents *contents, void *shared);

#endif
