/* SPDX-License-Identifier: MIT
 *
 * Numbers that papers give: communication variables, by writer and by reader, and contents of the shared memory.
 */
#include "claims/claims.h"
#include "counter/values.h"

#include <stdlib.h>

/* Of the process that has the most. */
static uint64_t most_variables(const struct instance *instance)
{
    unsigned most = 0;
    for (unsigned i = 0; i < instance->setting.n; i++)
        if (variables_of(instance, i) > most)
            most = variables_of(instance, i);
    return most;
}
const struct quantity variables_per_process = {"variables per process", most_variables, NULL};

static uint64_t all_binary(const struct instance *instance)
{
    for (unsigned r = 0; r < instance->reg_count; r++)
        if (register_domain(instance, r) != BOOLEAN)
            return 0;
    return instance->reg_count;
}
const struct quantity binary_variables = {"binary variables", all_binary, NULL};

/* What a variable with several readers becomes if each must have its own: per process, of the one that has the most. */
static uint64_t single_readers(const struct exploration *exploration)
{
    const struct instance *instance = &exploration->model->instance;
    uint16_t *who = readers(exploration);
    unsigned most = 0;
    for (unsigned i = 0; i < exploration->model->n; i++) {
        unsigned count = 0;
        for (unsigned r = 0; r < instance->reg_count; r++)
            if (instance->regs[r].writer == (int)i)
                count += (unsigned)__builtin_popcount(who[r] & ~(1u << i));
        most = count > most ? count : most;
    }
    free(who);
    return most;
}
const struct quantity single_reader_variables = {"single-reader variables per process", NULL, single_readers};

const struct quantity values_in_use = {"shared values", NULL, shared_values};

/* What the registers can hold that are not unbounded. */
static uint64_t product_of_domains(const struct instance *instance)
{
    uint64_t product = 1;
    for (unsigned r = 0; r < instance->reg_count; r++)
        if (register_domain(instance, r) != TICKET && !instance->regs[r].array->unbounded)
            product *= register_domain(instance, r);
    return product;
}
const struct quantity bounded_values = {"values of what is bounded", product_of_domains, NULL};

/* --- bits --------------------------------------------------------------------------------------------------------- */

/* UINT64_MAX where something is unbounded. */
const struct quantity bits_in_all = {"bits in all", shared_bits, NULL};
const struct quantity bits_of_each = {"bits of each process", shared_bits_each, NULL};

static uint64_t bits_of_largest(const struct instance *instance)
{
    uint64_t largest = 0;
    for (unsigned r = 0; r < instance->reg_count; r++) {
        uint64_t domain = register_domain(instance, r), bits = 0;
        while (bits < 63 && domain > UINT64_C(1) << bits)
            bits++;
        largest = bits > largest ? bits : largest;
    }
    return largest;
}
const struct quantity largest_register = {"bits of the largest register", bits_of_largest, NULL};

static uint64_t count_booleans(const struct instance *instance)
{
    uint64_t count = 0;
    for (unsigned r = 0; r < instance->reg_count; r++)
        count += register_domain(instance, r) == BOOLEAN;
    return count;
}
const struct quantity boolean_variables = {"boolean variables", count_booleans, NULL};
