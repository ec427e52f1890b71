/* SPDX-License-Identifier: MIT
 *
 * normal_form.h - which state stands for others.
 *
 * Some texts have numbers that grow for ever, and some have many states with one future. Each such way to keep an
 * exploration finite, or small, is a file of this folder, which also says why nothing is lost by it:
 *
 *   tickets.h      tickets in registers of their own: only the gaps between them matter, and of a wide one that it is
 *                  wide; label_gaps.h knows how wide is wide for the labels of the unbounded timestamp system
 *   numbers.h      numbers packed into one word, numbers in several registers, and states that the text itself calls alike
 *   idle.h         steps that might as well be taken at once: the one partial order reduction there is. It is no normal
 *                  form, but chosen anew for each exploration (exploration_options)
 */
#ifndef ADMIT_CHECKER_REDUCE_NORMAL_FORM_H
#define ADMIT_CHECKER_REDUCE_NORMAL_FORM_H

#include "checker/model/model.h"

/* Opens a model of the setting, with the normal form that its algorithm asks for. */
void open_reduced(struct model *model, const struct setting *setting);

#endif
