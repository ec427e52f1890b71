/* SPDX-License-Identifier: MIT
 *
 * references.h - which accesses are remote memory references: the two models of M. Zehavi, 2013, section I, and the one
 * that it names beside them. docs/properties.md (V16) says the same in words.
 *
 *   cc              cache-coherent, write-through, write-invalidate. A process that sees a register of which it has no
 *                   copy makes a reference and then has one. Every write is a reference and takes the copies of all
 *                   others away. What the writer has, it keeps: its own copy, if any, is up to date; if none, none.
 *   cc-write-back   cache-coherent, write-back, write-invalidate. A copy may also be exclusive: a write needs one, and
 *                   is a reference only if the writer has none; it takes the copies of all others away. A look by
 *                   another process makes an exclusive copy a shared one.
 *   dsm             distributed shared memory. Every access to a register that lies in another process's memory is a
 *                   reference, and no other.
 *
 * One access is at most one reference. An update sees and writes, whatever it writes. put_if_different sees, and writes
 * only if the value differs. A failed test of a wait is a look like any other. own() is no access.
 */
#ifndef ADMIT_CHECKER_MODEL_REFERENCES_H
#define ADMIT_CHECKER_MODEL_REFERENCES_H

#include "checker/model/process.h"

enum memory_model { CC, DSM, CC_WRITE_BACK, MEMORY_MODELS };
extern const char *const memory_model_name[MEMORY_MODELS];

/* What a process has of a register in its cache. */
enum copy { NO_COPY, SHARED_COPY, EXCLUSIVE_COPY };

/* What an access does to the register. */
struct effect {
    bool sees, writes;
};

static inline struct effect effect_of(enum access_kind kind, uint64_t value, uint64_t result)
{
    return (struct effect){.sees = kind != WRITE,
                           .writes =
                               kind == WRITE || kind == UPDATE || (kind == WRITE_IF_DIFFERENT && value != result)};
}

/* Whether an access by the process that has `copy` of the register is remote; and its copy afterwards. */
static inline bool is_remote(enum memory_model model, bool at_home, struct effect effect, enum copy *copy)
{
    const enum copy before = *copy;
    switch (model) {
    case CC:
        if (effect.sees)
            *copy = SHARED_COPY;
        return effect.writes || before == NO_COPY;
    case CC_WRITE_BACK:
        *copy = effect.writes ? EXCLUSIVE_COPY : before == NO_COPY ? SHARED_COPY : before;
        return effect.writes ? before != EXCLUSIVE_COPY : before == NO_COPY;
    default:
        return !at_home;
    }
}

/* What is left of the copy of a process when another one makes an access. */
static inline enum copy copy_after_other(enum memory_model model, struct effect effect, enum copy copy)
{
    if (effect.writes)
        return NO_COPY;
    return model == CC_WRITE_BACK && copy == EXCLUSIVE_COPY ? SHARED_COPY : copy;
}

#endif
