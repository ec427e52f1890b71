/* SPDX-License-Identifier: MIT
 *
 * posture.h - the kernel's view of who sleeps on a word, in the checked world (sleeping.h): it stands above what was put
 * into the word.
 */
#ifndef ADMIT_REGISTERS_POSTURE_H
#define ADMIT_REGISTERS_POSTURE_H

#include "registers/stepped.h"

enum life { ALIVE, DEAD, CLAIMED, NOBODYS, LIVES };
enum { UP, LYING, ASLEEP, WOKEN, POSTURE_BITS = 2, POSTURE_AT = 18 };

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
