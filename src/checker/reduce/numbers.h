/* SPDX-License-Identifier: MIT
 *
 * numbers.h - how numbers without bound that are packed into a word are kept finite.
 *
 * The tickets of Fischer, Lynch, Burns, Borodin 1989 that grow for ever are numbers (or colours) of which the text only
 * asks how they compare with the two that the word holds, ISSUE and VALID, and which it only makes one larger. So
 * subtracting the same number from all of them changes nothing that a process can see: it is a bisimulation. And a held
 * ticket that is valid for good, whatever comes (a number up to VALID, since VALID only grows; a colour that both ISSUE
 * and VALID have left behind, since no colour comes back), is as good as any other such ticket. The algorithm's file
 * supplies both as a struct number_renaming (about.h): `word` subtracts the most that leaves no number negative, `ticket`
 * subtracts the same from a held ticket, and makes one that is valid for good the one that stands for them all.
 *
 * What is left is finite: ISSUE and VALID differ by max(k, N - k) at most (section 2.4), and a held ticket that is not
 * yet valid lies between them. The renaming is exact, unlike that of tickets.h: no step is ambiguous. A process in its
 * remainder, and a crashed one, hold no ticket.
 *
 * Where many states have the same future for another reason, the algorithm's file says which one stands for all of them
 * (states_alike in about.h), and why: timestamps/linear_alike.h. That is done here, too.
 *
 * In an execution (trace.h) nothing is renamed. Numbers wrap around after 2^NUMBER_BITS tickets there, as they do
 * natively, which the comparisons allow for.
 */
#ifndef ADMIT_CHECKER_REDUCE_NUMBERS_H
#define ADMIT_CHECKER_REDUCE_NUMBERS_H

#include "checker/model/fault_info.h"
#include "checker/model/model.h"

/* Whether the text says which states are alike (about.h), and may be asked: it reckons with its own writes, each read
 * for what it is. */
static inline bool has_alike(const struct model *model)
{
    const struct setting *setting = &model->instance.setting;
    bool others_write = (faults_in(setting) & ~(unsigned)CRASH) != 0;
    return setting->algorithm->about.alike != NULL && setting->registers == ATOMIC && !others_write;
}

/* Whether this is for them, or for states that are alike, and not for tickets.h. */
static inline bool has_numbers(const struct model *model)
{
    const struct about *about = &model->instance.setting.algorithm->about;
    return about->renumbering.word != NULL || about->rename_all != NULL || has_alike(model);
}

/* As in struct normal_form; no step is ambiguous. */
enum applied numbers_normalise(const struct model *model, uint64_t *state, bool gap_is_gone);
void numbers_learn(struct model *model, const uint64_t *state, bool gap_is_gone);

#endif
