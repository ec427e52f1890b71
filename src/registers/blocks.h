/* SPDX-License-Identifier: MIT
 *
 * blocks.h - for the stepped world: which private variables live where a process stands.
 *
 * A variable that is local to a block must be zero wherever the process stands outside that block, by whatever way it has
 * left it: then equal states look equal. So a process that stops forgets first
 *
 *   what it has used since it went on    used_, a variable; of a process that goes on in the middle of a block, what lives
 *                                        there
 *   and does not live where it stops     live_, which every block with variables of its own declares anew. It is the type
 *                                        of live_ that tells, not its value: whoever goes on in the middle of a block
 *                                        jumps over its beginning, and finds no value there
 *
 * A set of variables is a set of bytes of the frame, as masks: bit b of mask m stands for byte MASK_BYTES * m + b. In the
 * type of live_, the member for a mask is an array of one byte more than the number that the mask is.
 */
#ifndef ADMIT_REGISTERS_BLOCKS_H
#define ADMIT_REGISTERS_BLOCKS_H

#include "registers/stepped.h"

enum { MASKS = 8, MASK_BYTES = LOCALS_MAX / MASKS };

struct bytes {
    uint64_t mask[MASKS];
};

/* What the blocks of a procedure have declared so far, and what outlives them. Only the one thread that learns steps
 * (automaton.c) runs texts while others explore. */
struct blocks {
    struct bytes known, lasting;
};

static inline void stepped_forget(void *frame, const struct bytes *used, const struct bytes *but)
{
    for (unsigned m = 0; m < MASKS; m++)
        for (uint64_t dead = used->mask[m] & ~but->mask[m]; dead != 0; dead &= dead - 1)
            ((uint8_t *)frame)[MASK_BYTES * m + (unsigned)__builtin_ctzll(dead)] = 0;
}

static inline void *stepped_use(struct bytes *used, const struct bytes *more)
{
    for (unsigned m = 0; m < MASKS; m++)
        if ((more->mask[m] & ~used->mask[m]) != 0)
            used->mask[m] |= more->mask[m];
    return NULL;
}

/* What is not used, wherever the text is right: a variable that does not live where the process goes on. Filled with
 * garbage, it shows whether the text uses it all the same (automaton.c). Each procedure knows of its own blocks: that
 * LEAVE uses what was local in ENTER is not noticed. */
static inline void stepped_spoil(void *frame, const struct blocks *blocks, const struct bytes *live, struct bytes *used)
{
    for (unsigned m = 0; m < MASKS; m++) {
        uint64_t dead = blocks->known.mask[m] & ~blocks->lasting.mask[m] & ~live->mask[m];
        used->mask[m] |= dead;
        for (; dead != 0; dead &= dead - 1)
            ((uint8_t *)frame)[MASK_BYTES * m + (unsigned)__builtin_ctzll(dead)] = 0xa5;
    }
}

static inline void stepped_let_last(struct bytes *used, const struct bytes *lasting)
{
    for (unsigned m = 0; m < MASKS; m++)
        used->mask[m] &= ~lasting->mask[m];
}

/* A variable is written L.v, where L is a macro. What the compiler is asked about it is asked of in_L.v, a member of
 * struct around_: AS_FIELDS makes one list out of the other. It must be given its list by ##, lest L be replaced
 * before. */
#define AS_FIELDS_1(f) f
#define AS_FIELDS_2(f, ...) f, AS_FIELDS_1(in_##__VA_ARGS__)
#define AS_FIELDS_3(f, ...) f, AS_FIELDS_2(in_##__VA_ARGS__)
#define AS_FIELDS_4(f, ...) f, AS_FIELDS_3(in_##__VA_ARGS__)
#define AS_FIELDS_5(f, ...) f, AS_FIELDS_4(in_##__VA_ARGS__)
#define AS_FIELDS_6(f, ...) f, AS_FIELDS_5(in_##__VA_ARGS__)
#define AS_FIELDS_7(f, ...) f, AS_FIELDS_6(in_##__VA_ARGS__)
#define AS_FIELDS_8(f, ...) f, AS_FIELDS_7(in_##__VA_ARGS__)

#define FROM_BYTE(f) offsetof(struct around_, f)
#define TO_BYTE(f) (FROM_BYTE(f) + sizeof(((struct around_ *)0)->f))
#define BIT_OF(m, byte)                                                                                                \
    ((byte) <= (m)*MASK_BYTES ? 0 : (byte) >= ((m) + 1) * MASK_BYTES ? MASK_BYTES : (byte) - (m)*MASK_BYTES)
#define MASK_1(m, f) ((UINT64_C(1) << BIT_OF(m, TO_BYTE(f))) - (UINT64_C(1) << BIT_OF(m, FROM_BYTE(f))))
#define MASK_2(m, f, ...) MASK_1(m, f) | MASK_1(m, __VA_ARGS__)
#define MASK_3(m, f, ...) MASK_1(m, f) | MASK_2(m, __VA_ARGS__)
#define MASK_4(m, f, ...) MASK_1(m, f) | MASK_3(m, __VA_ARGS__)
#define MASK_5(m, f, ...) MASK_1(m, f) | MASK_4(m, __VA_ARGS__)
#define MASK_6(m, f, ...) MASK_1(m, f) | MASK_5(m, __VA_ARGS__)
#define MASK_7(m, f, ...) MASK_1(m, f) | MASK_6(m, __VA_ARGS__)
#define MASK_8(m, f, ...) MASK_1(m, f) | MASK_7(m, __VA_ARGS__)
#define MASK_OF(m, ...) (JOIN(MASK_, HOW_MANY(__VA_ARGS__))(m, __VA_ARGS__))
#define LIVE_MASK(m) (sizeof live_->mask_##m - 1)

#define ALL_MASKS(of, ...)                                                                                             \
    ((struct bytes){{of(0, __VA_ARGS__), of(1, __VA_ARGS__), of(2, __VA_ARGS__), of(3, __VA_ARGS__),                   \
                     of(4, __VA_ARGS__), of(5, __VA_ARGS__), of(6, __VA_ARGS__), of(7, __VA_ARGS__)}})
#define LIVE_OR_MASK(m, ...) (LIVE_MASK(m) | MASK_OF(m, __VA_ARGS__))
#define LIVE_MASK_ALONE(m, ...) LIVE_MASK(m)
#define BYTES_OF(...) ALL_MASKS(MASK_OF, __VA_ARGS__)
#define LIVE_HERE ALL_MASKS(LIVE_MASK_ALONE, )
#define LIVE_AND(...) ALL_MASKS(LIVE_OR_MASK, __VA_ARGS__)

#define LIVE_MEMBER(m, ...) char mask_##m[1 + LIVE_OR_MASK(m, __VA_ARGS__)];
#define LIVES_ALSO(...)                                                                                                \
    struct {                                                                                                           \
        LIVE_MEMBER(0, __VA_ARGS__)                                                                                    \
        LIVE_MEMBER(1, __VA_ARGS__)                                                                                    \
        LIVE_MEMBER(2, __VA_ARGS__)                                                                                    \
        LIVE_MEMBER(3, __VA_ARGS__)                                                                                    \
        LIVE_MEMBER(4, __VA_ARGS__)                                                                                    \
        LIVE_MEMBER(5, __VA_ARGS__)                                                                                    \
        LIVE_MEMBER(6, __VA_ARGS__)                                                                                    \
        LIVE_MEMBER(7, __VA_ARGS__)                                                                                    \
    }

#define local(...) LOCAL_(JOIN(AS_FIELDS_, HOW_MANY(__VA_ARGS__))(in_##__VA_ARGS__))
#define LOCAL_(...)                                                                                                    \
    stepped_forget(frame, &BYTES_OF(__VA_ARGS__), &(struct bytes){{0}});                                               \
    stepped_use(&used_, &BYTES_OF(__VA_ARGS__));                                                                       \
    stepped_use(&blocks_.known, &BYTES_OF(__VA_ARGS__));                                                               \
    LIVES_ALSO(__VA_ARGS__) * live_ __attribute__((unused))
#define forget(...) FORGET_(JOIN(AS_FIELDS_, HOW_MANY(__VA_ARGS__))(in_##__VA_ARGS__))
#define FORGET_(...) stepped_forget(frame, &BYTES_OF(__VA_ARGS__), &(struct bytes){{0}})
#define lasts(...) LASTS_(JOIN(AS_FIELDS_, HOW_MANY(__VA_ARGS__))(in_##__VA_ARGS__))
#define LASTS_(...)                                                                                                    \
    (stepped_let_last(&used_, &BYTES_OF(__VA_ARGS__)), stepped_use(&blocks_.lasting, &BYTES_OF(__VA_ARGS__)))
/* Where these live, and nothing else that any block has declared so far. */
#define GOES_ON_WITH(...)                                                                                              \
    (used_ = (__VA_ARGS__), P->spoils ? stepped_spoil(frame, &blocks_, &(__VA_ARGS__), &used_) : (void)0)

#endif
