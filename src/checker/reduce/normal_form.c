/* SPDX-License-Identifier: MIT */
#include "checker/reduce/normal_form.h"

#include "checker/reduce/numbers.h"
#include "checker/reduce/tickets.h"

static const struct normal_form of_numbers = {numbers_normalise, numbers_learn};
static const struct normal_form of_tickets = {tickets_normalise, tickets_learn};

static bool has_endless_registers(const struct model *model)
{
    bool endless = false;
    for (unsigned r = 0; r < model->regs; r++)
        endless |= register_domain(&model->instance, r) == TICKET || model->instance.regs[r].array->unbounded;
    return endless;
}

void open_reduced(struct model *model, const struct setting *setting)
{
    model_open(model, setting);
    if (has_alike(model) || has_endless_registers(model))
        model->normal_form = has_numbers(model) ? &of_numbers : &of_tickets;
}
