/* SPDX-License-Identifier: MIT
 *
 * meaning.h - of the protocol's text, only what its words mean: for those who look at them. Neither its passages nor its
 * declaration are compiled here, so that nothing is needed that sleeps.
 */
#ifndef ADMIT_GATE_WORDS_MEANING_H
#define ADMIT_GATE_WORDS_MEANING_H

#include "gate/words/words.h"
#include "registers/sleeping.h"

/* All that the text defines is inline, so that no compiler keeps what is not used. */
#undef SELDOM
#define SELDOM(p)                                                                                                      \
    static inline void p##_apart(struct native_passage *P, const struct shared *S)                                     \
    {                                                                                                                  \
        (void)P, (void)S;                                                                                              \
    }                                                                                                                  \
    PROCEDURE(p)
#undef DECLARE
#define DECLARE static inline void declare(struct declaration *D, struct shared *S, unsigned n, unsigned k)
#undef ALGORITHM
#define ALGORITHM(...)                                                                                                 \
    _Static_assert(sizeof(struct shared) == sizeof(struct gate_cells), "the text's arrays are the gate's")

#pragma GCC diagnostic push /* but for what shows words to people, which needs nothing */
#pragma GCC diagnostic ignored "-Wunused-function"
#include "algorithms/gate.c"
#pragma GCC diagnostic pop

/* To write them, where the text does not: see "What is outside the text" in docs/gate.md. */
static inline const struct shared *writable_words(const admit_gate *gate)
{
    return (const struct shared *)&gate->cells;
}

/* A procedure of the text by itself, in the name of participant `who`. It needs the file and the stack, and nothing else. */
#define run_text(procedure, gate, who, frame, asleep)                                                                  \
    ((void)procedure(                                                                                                  \
        &(struct native_passage){.i = (who), .n = present_in(gate), .k = (gate)->most_k, .sleeper = (asleep)},         \
        writable_words(gate), (frame), (struct manner){0}))

#endif
