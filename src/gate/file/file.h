/* SPDX-License-Identifier: MIT
 *
 * file.h - the gate's file and its names, for those who open, make and remove it.
 */
#ifndef ADMIT_GATE_FILE_FILE_H
#define ADMIT_GATE_FILE_FILE_H

#include "gate/words/words.h"

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

/* Checks and maps the open file, but for what changes. of_others: its owner may be another user who has shared it.
 * ADMIT_OTHER_GATE_LAYOUT is not noted if *layout is another. */
admit_error admit_gate_map_file(admit_gate *gate, bool of_others, uint32_t *layout);
/* What changes: k alone, or the words of the protocol too. */
admit_error admit_gate_check_k(const admit_gate *gate);
admit_error admit_gate_check_words(admit_gate *gate);

/* --- descriptors: descriptors.c ----------------------------------------------------------------------------------- */

/* What is open for longer has none of the numbers of the standard ones, which a program may have closed and print to:
 * this or another descriptor of the same file, or -1. */
int admit_keep(int fd);
/* One that is kept. */
struct descriptor admit_descriptor(int fd);
/* Its number, if it is still the same file; else -1. Safe in a child of vfork. */
int admit_fd(const struct descriptor *descriptor);
void admit_close(struct descriptor *descriptor);
admit_error admit_descriptor_error(const admit_gate *gate);
/* A description of the gate's file that is nobody else's; -1 if there is none to be had, with errno. Safe in a child of
 * vfork. */
int admit_open_again(const admit_gate *gate, int flags);
/* A lock on one byte, until the descriptor is closed; -1: somebody has one there for seconds, or locks are refused. */
int admit_lock_file(const admit_gate *gate, int64_t at);

/* --- names: names.c ----------------------------------------------------------------------------------------------- */

/* Whether $ADMIT_DIR says where named gates are. */
bool admit_directory_is_given(void);
/* Opens the directory of named gates; makes it if it is the default one and `make` is set. -1: error noted. */
int admit_open_directory(bool make, char *path, size_t size);
bool admit_name_is_path(const char *name);
admit_error admit_check_name(const char *name);

/* --- is it there: there.c ----------------------------------------------------------------------------------------- */

static inline const char *file_name_of(const admit_gate *gate)
{
    return strrchr(gate->path, '/') + 1;
}

/* By one that has entered: whether the gate has been removed. Somebody who is only about to will not. */
bool admit_was_removed(admit_gate *gate);
/* Looks whether the gate's name still leads to its file. If the file is gone, everybody learns it. */
bool admit_is_there(admit_gate *gate);
admit_error admit_removed_error(const admit_gate *gate); /* why it is not */
/* Whether its name leads to another file, or to none; false also if that cannot be told. */
bool admit_has_another_name(const admit_gate *gate);
/* All who sleep, so that they look; and those alone who wait for a record. */
void admit_wake_all(admit_gate *gate);
void admit_wake_outside(const admit_gate *gate);

#endif
