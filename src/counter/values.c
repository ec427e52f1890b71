/* SPDX-License-Identifier: MIT */
#include "counter/values.h"

#include "base/die.h"
#include "base/hash.h"

#include <stdlib.h>

/* The states without what the processes are up to, kept as states are: exact, and each once. */
uint64_t shared_values(const struct exploration *exploration)
{
    const struct model *model = exploration->model;
    struct store different;
    store_open(&different, model->words, false);
    for (unsigned p = 0; p < PARTITIONS; p++) {
        for (uint32_t place = 0; place < exploration->store.partition[p].count; place++) {
            const uint64_t *state = store_record(&exploration->store, place << PARTITION_BITS | p);
            uint64_t values[WORDS_MAX + 1] = {0};
            uint32_t number;
            for (unsigned r = 0; r < model->regs; r++)
                field_set(values, model->register_field[r], field_get(state, model->register_field[r]));
            store_add(&different, partition_of(hash_words(values, model->words)), values, model->words + 1, 1, &number);
        }
    }
    uint64_t count = store_count(&different);
    store_close(&different);
    return count;
}

unsigned variables_of(const struct instance *instance, unsigned i)
{
    unsigned count = 0;
    for (unsigned r = 0; r < instance->reg_count; r++)
        count += instance->regs[r].writer == (int)i;
    return count;
}

uint16_t *readers(const struct exploration *exploration)
{
    const struct model *model = exploration->model;
    uint16_t *who = must_allocate(model->regs * sizeof *who);
    for (unsigned i = 0; i < model->n; i++) {
        /* The automaton also knows local states that were only tried, so those that occur are marked first. */
        const struct automaton *automaton = &model->automaton[i];
        uint8_t *occurs = must_allocate(automaton->count);
        for (unsigned p = 0; p < PARTITIONS; p++)
            for (uint32_t place = 0; place < exploration->store.partition[p].count; place++) {
                const uint64_t *state = store_record(&exploration->store, place << PARTITION_BITS | p);
                occurs[field_get(state, model->process_field[i])] = 1;
            }
        for (uint32_t number = 0; number < automaton->count; number++)
            for (unsigned m = 0; occurs[number] && m < automaton->locals[number].moves; m++) {
                const struct move *move = &automaton->moves[automaton->locals[number].first_move + m];
                if (move->kind == READ || move->kind == UPDATE)
                    who[move->reg] |= (uint16_t)(1u << i);
            }
        free(occurs);
    }
    return who;
}
