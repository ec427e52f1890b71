/* SPDX-License-Identifier: MIT
 *
 * Exclusion (P1). The explorer notes the first step by which more than k are inside, and may stop there; what remains is
 * to say so, with the shortest run that ends with it. That there are never more than k from some moment on is judged in
 * stabilization.c.
 */
#include "checker/judge/properties.h"

#include <stdio.h>

void judge_exclusion(struct finding *finding, const struct exploration *exploration)
{
    finding->fired = exploration->entries;
    if (!exploration->violated)
        return;
    finding->verdict = VIOLATED;
    finding->has_witness = true;
    witness_open(&finding->witness, exploration, exploration->violation_source);
    witness_step(&finding->witness, exploration->model, exploration->violation_step);
    snprintf(finding->what, sizeof finding->what, "more than %u inside", exploration->model->instance.setting.k);
}
