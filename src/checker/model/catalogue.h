/* SPDX-License-Identifier: MIT
 *
 * catalogue.h - every algorithm that can be explored: those that ship, and, never part of libadmit, mutants of them
 * (ALGORITHM:NAME) and small algorithms that only test the checker (test:NAME).
 */
#ifndef ADMIT_CHECKER_MODEL_CATALOGUE_H
#define ADMIT_CHECKER_MODEL_CATALOGUE_H

#include "registers/stepped.h"

enum kind_of_entry { SHIPPED, MUTANT, TEST_ALGORITHM };

struct entry {
    const struct stepped_algorithm *algorithm;
    enum kind_of_entry kind;
    const char *brief;  /* of a mutant: what is broken */
    const char *caught; /* of a mutant: the arguments of `admit check` that catch it */
};

extern const struct entry catalogue[];
extern const unsigned catalogue_count;

/* NULL if there is none. */
const struct entry *catalogue_find(const char *id);
/* Writes up to `size` bytes of a list of the ids most like this one; false if none is alike. */
bool catalogue_near(const char *id, char *list, size_t size);
/* The id of a text, a colon, and a name. The ids of test algorithms, of which there are mutants too, have one before. */
bool is_id_of_mutant(const char *id);
/* A build may leave all of them out. */
bool catalogue_has_mutants(void);

#endif
