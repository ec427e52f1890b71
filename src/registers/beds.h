/* SPDX-License-Identifier: MIT
 *
 * beds.h - the kernel's view of who sleeps on a word, in the checked world (sleeping.h): it stands above what was put
 * into the word.
 */
#ifndef ADMIT_REGISTERS_BEDS_H
#define ADMIT_REGISTERS_BEDS_H

#include "registers/stepped.h"

enum life { ALIVE, DEAD, CLAIMED, LIVES };
enum { UP, LYING, ASLEEP, WOKEN, BED_BITS = 2, BED_SHIFT = 18 };

static inline word told(word w)
{
    return w & ((UINT64_C(1) << BED_SHIFT) - 1);
}

static inline unsigned bed(word w)
{
    return (unsigned)(w >> BED_SHIFT);
}

static inline word with_bed(word w, unsigned bed)
{
    return told(w) | (word)bed << BED_SHIFT;
}

#endif
