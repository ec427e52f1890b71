/* SPDX-License-Identifier: MIT
 *
 * file.h - the gate's file, for those who open, make and remove it.
 */
#ifndef ADMIT_GATE_FILE_H
#define ADMIT_GATE_FILE_H

#include "gate/gate.h"

/* Where things are in a file; offsets in bytes. */
struct gate_places {
    unsigned records;
    size_t spots, people, size;
};
void admit_gate_places(struct gate_places *places, unsigned most_k, unsigned capacity);

/* Points the handle into memory that holds, or will hold, such a gate. */
void admit_gate_set_up(admit_gate *gate, char *memory, const struct gate_places *places, unsigned most_k,
                       unsigned capacity);
void admit_gate_format(admit_gate *gate, unsigned k);
void admit_gate_empty(admit_gate *gate, unsigned k);

/* The id of this boot, or zeros if the kernel does not tell it. False, with errno: it might with more descriptors. */
bool admit_boot_id(char boot_id[BOOT_ID_SIZE]);
admit_error admit_gate_empty_after_boot(admit_gate *gate);

/* The first of the bytes that those who take part in a gate of this name lock. */
uint64_t admit_gate_name_bytes(int directory, const char *file);

/* What RLIMIT_FSIZE forbids to make is refused here: the kernel would kill for it. path: as an error names it. */
admit_error admit_gate_check_size(const struct gate_places *places, const char *path);

/* Which files have been looked at. */
struct files {
    uint64_t inode[64];
    unsigned count;
};
/* Opens the next file that was a gate of this name and that somebody uses still; -1: there is none, as far as can be
 * seen, or `failed`: that cannot be told for want of descriptors or memory, or because there are so many. */
int admit_open_predecessor(int directory, const char *file, struct files *files, bool *failed);

/* Makes the file; no error if another was faster. All options are filled in. */
admit_error admit_gate_make(int directory, const char *file, const char *path, const admit_gate_options *options);

/* What is fixed in a header, but for the layout and the size. */
admit_error admit_gate_check_numbers(const struct gate_header *header, struct gate_places *places, const char *path);
/* Makes a gate of an earlier version anew, if nobody uses it: then ADMIT_REMOVED. */
admit_error admit_gate_renew(const admit_gate *gate);

/* Checks and maps the open file gate->fd. of_others: its owner may be another user who has shared it. */
admit_error admit_gate_map(admit_gate *gate, bool of_others);

#endif
