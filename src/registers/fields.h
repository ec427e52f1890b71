/* SPDX-License-Identifier: MIT
 *
 * fields.h - words of the register language for an algorithm whose atomic actions change several variables at once: they
 * are fields of one shared_word.
 *
 *   struct memory { ...; unsigned n, k; };
 *                                       the variables; `#define x (m->x)` lets the text say x, wherever m points to them
 *   #define VARIABLES(FIELD) ...        FIELD(x, b) for each of them, from the lowest bits of the word up: variable x has
 *                                       b bits, an expression in which n, k and m->n, m->k may occur. field_bits(v, c) is
 *                                       the width of a variable up to v: in the stepped world as few bits as will do, so
 *                                       that states are small, and natively c, a constant, so that shifts are fast
 *   PACKED(VARIABLES)                   makes of that:
 *       word_bits(n, k)                   how many bits they take together: for shared_word, and for .word_bits
 *       unpacked(w, n, k)                 the variables in the word w; all of them 0, if w is
 *       packed(m)                         the word that holds them. A value that is too wide for its field is noticed
 *
 *   struct memory m[1];                 as a C variable of a procedure, for the next two: they set it, and it keeps what
 *                                       they have set up to the next marker
 *   act_on(r, m, f)                     atomically: m := the variables in r; f; r := m. This is act (language.h), and f is
 *                                       any statement that act may do
 *   look_at(r, m)                       read: m := the variables in r; the value of the expression is m. Where `x` is a
 *                                       macro for (m->x), say (look_at(r, m), x == 1)
 *
 * A variable may be a sequence of items that have the same width, the first of them in the lowest bits:
 *
 *   item(s, b, e)                       number e of the sequence s of items of b bits, counted from 0
 *   place_of(s, b, v, to)               the first of the items 0 .. to-1 that is v; `to`, if none of them is
 *   with_item(s, b, e, v)               s with v for item e, which was 0
 *   inserted(s, b, e, v)                s with v as item e, and each from there on one place further up
 *   removed(s, b, e)                    s without item e, and each behind it one place further down
 *
 * Or it may be tallies: several numbers whose sum never changes. Each of them is as many ones, then a zero, from the lowest
 * bits up; the zero of the last one is left out. So t + 1 numbers with the sum t take 2t bits.
 *
 *   tally(s, b, c)                      number c, counted from 0, of the tallies s, which have b bits in all
 *   tally_moved(s, b, from, to)         s with one less for number `from` and one more for number `to`
 *
 * And for what .shown prints:
 *
 *   append(text, size, ...)             what printf would print, behind what is in text; cut off where that is full
 *
 * In the stepped world packed() makes NO_WORD of a value that is too wide, which no register can hold: the checker refuses
 * the start, or the step. Natively debug builds end the program, and others trust the text that the checker has seen.
 */
#ifndef ADMIT_REGISTERS_FIELDS_H
#define ADMIT_REGISTERS_FIELDS_H

#include "registers/language.h"

/* ANY_VALUE, the only one above it, would be a start that nobody has declared. */
#define NO_WORD (UINT64_MAX - 1)

/* The lowest bits of w, fewer than 64. */
static inline word low_bits(word w, unsigned bits)
{
    return w & (((word)1 << bits) - 1);
}

/* Takes the lowest field out of w. It has fewer than 64 bits: a variable with all of them needs no packing. */
static inline word take_field(word *w, unsigned bits)
{
    word value = low_bits(*w, bits);
    *w >>= bits;
    return value;
}

#ifndef ADMIT_STEPPED
/* Ends the program, naming the variable whose value has more bits than its field. */
_Noreturn void admit_too_wide(const char *variable, uint64_t value, unsigned bits);
#endif

/* A word into which fields are put, from the lowest bits up. */
struct packing {
    word w;
    unsigned used;
    bool too_wide;
};

static inline void put_field(struct packing *packing, const char *variable, word value, unsigned bits)
{
#ifdef ADMIT_STEPPED
    (void)variable;
    packing->too_wide |= low_bits(value, bits) != value;
#elif defined(ADMIT_DEBUG)
    if (low_bits(value, bits) != value)
        admit_too_wide(variable, value, bits);
#else
    (void)variable;
#endif
    /* A field of no bits may come after all 64 of them. */
    packing->w |= value << (packing->used & 63);
    packing->used += bits;
}

#define WIDTH_OF_FIELD_(variable, bits) +(bits)
#define TAKE_FIELD_(variable, bits) (variable) = (__typeof__(variable))take_field(&w, (bits));
#define PUT_FIELD_(variable, bits) put_field(&packing, #variable, (variable), (bits));

#define PACKED(variables)                                                                                              \
    __attribute__((unused)) static unsigned word_bits(unsigned n, unsigned k)                                          \
    {                                                                                                                  \
        const struct memory m[1] = {{.n = n, .k = k}};                                                                 \
        (void)m;                                                                                                       \
        return 0 variables(WIDTH_OF_FIELD_);                                                                           \
    }                                                                                                                  \
    __attribute__((unused)) static inline struct memory unpacked(word w, unsigned n, unsigned k)                       \
    {                                                                                                                  \
        struct memory m[1] = {{.n = n, .k = k}};                                                                       \
        variables(TAKE_FIELD_);                                                                                        \
        return *m;                                                                                                     \
    }                                                                                                                  \
    __attribute__((unused)) static inline word packed(const struct memory *m)                                          \
    {                                                                                                                  \
        const unsigned n = m->n, k = m->k;                                                                             \
        struct packing packing = {0};                                                                                  \
        (void)n, (void)k;                                                                                              \
        variables(PUT_FIELD_);                                                                                         \
        return packing.too_wide ? NO_WORD : packing.w;                                                                 \
    }                                                                                                                  \
    struct memory /* so that a semicolon may follow */

#define act_on(r, m, ...)                                                                                              \
    do {                                                                                                               \
        word word_;                                                                                                    \
        act(r, word_, *(m) = unpacked(word_, n, k); __VA_ARGS__; word_ = packed(m));                                   \
    } while (0)

#define look_at(r, m) (*(m) = unpacked(get(r), n, k), (m))

/* --- sequences ---------------------------------------------------------------------------------------------------- */

static inline unsigned item(word s, unsigned bits, unsigned e)
{
    return (unsigned)(s >> e * bits) & ((1u << bits) - 1);
}

static inline unsigned place_of(word s, unsigned bits, unsigned v, unsigned to)
{
    unsigned e = 0;
    while (e < to && item(s, bits, e) != v)
        e++;
    return e;
}

static inline word with_item(word s, unsigned bits, unsigned e, unsigned v)
{
    return s | (word)v << e * bits;
}

static inline word inserted(word s, unsigned bits, unsigned e, unsigned v)
{
    unsigned at = e * bits;
    return (s >> at << bits | v) << at | low_bits(s, at);
}

static inline word removed(word s, unsigned bits, unsigned e)
{
    unsigned at = e * bits;
    return s >> at >> bits << at | low_bits(s, at);
}

/* --- tallies ------------------------------------------------------------------------------------------------------ */

/* Where the ones of number c end. */
static inline unsigned tally_end(word s, unsigned bits, unsigned c)
{
    word zeros = low_bits(~s, bits) | (word)1 << bits;
    for (; c > 0 && (zeros & (zeros - 1)) != 0; c--)
        zeros &= zeros - 1;
    return (unsigned)__builtin_ctzll(zeros);
}

static inline unsigned tally(word s, unsigned bits, unsigned c)
{
    unsigned end = tally_end(s, bits, c);
    return c == 0 ? end : end - tally_end(s, bits, c - 1) - 1;
}

static inline word tally_moved(word s, unsigned bits, unsigned from, unsigned to)
{
    if (from == to)
        return s;
    unsigned end = tally_end(s, bits, from);
    if (end == 0)
        return s; /* there is none to move: never, but for what the checker tries beforehand */
    s = removed(s, 1, end - 1);
    return inserted(s, 1, tally_end(s, bits - 1, to), 1);
}

/* --- for people --------------------------------------------------------------------------------------------------- */

#define append(text, size, ...) ((void)snprintf((text) + strlen(text), (size)-strlen(text), __VA_ARGS__))

#endif
