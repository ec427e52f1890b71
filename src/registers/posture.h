/* SPDX-License-Identifier: MIT
 *
 * posture.h - the kernel's view of who sleeps on a word, in the checked world (sleeping.h): it stands above what was put
 * into the word.
 */
#ifndef ADMIT_REGISTERS_POSTURE_H
#define ADMIT_REGISTERS_POSTURE_H

#include "registers/stepped.h"

enum life { ALIVE, DEAD, CLAIMED, NOBODYS, LIVES };
/* The low bits of an heir word. */
enum heir_kind { NO_HEIR, ALLOWED, RUNS, ENDED, KIND_BITS = 2 };
/* The low bits of the word that says whether a gate is there; above them is who removes it. */
enum removal { IS_THERE, IS_REMOVED, IS_UNDECIDED, REMOVAL_BITS = 2 };
enum { UP, LYING, ASLEEP, WOKEN, POSTURE_BITS = 2, POSTURE_AT = 18 };

static inline enum heir_kind kind_of_heir(word heir)
{
    return (enum heir_kind)(heir & ((1 << KIND_BITS) - 1));
}

static inline word heir_of_kind(word heir, enum heir_kind kind)
{
    return heir >> KIND_BITS << KIND_BITS | (word)kind;
}

static inline enum removal removal_of(word w)
{
    return (enum removal)(w & ((1 << REMOVAL_BITS) - 1));
}

static inline word undecided_by(unsigned remover)
{
    return (word)remover << REMOVAL_BITS | IS_UNDECIDED;
}

static inline word told(word w)
{
    return w & ((UINT64_C(1) << POSTURE_AT) - 1);
}

static inline unsigned posture(word w)
{
    return (unsigned)(w >> POSTURE_AT);
}

static inline word with_posture(word w, unsigned posture)
{
    return told(w) | (word)posture << POSTURE_AT;
}

#endif
