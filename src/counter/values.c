/* SPDX-License-Identifier: MIT */
#include "counter/values.h"

#include "checker/die.h"
#include "checker/hash.h"

#include <stdlib.h>

static int compare_words(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(uint64_t));
}

uint64_t shared_values(const struct exploration *exploration)
{
    const struct model *model = exploration->model;
    uint64_t count = exploration->states, different = 0, at = 0;
    uint64_t *hashes = must_allocate(count * sizeof *hashes);
    uint64_t values[WORDS_MAX];
    for (unsigned p = 0; p < PARTITIONS; p++) {
        for (uint32_t place = 0; place < exploration->store.partition[p].count; place++) {
            const uint64_t *state = store_record(&exploration->store, place << PARTITION_BITS | p);
            memset(values, 0, sizeof values);
            for (unsigned r = 0; r < model->regs; r++)
                field_set(values, model->register_field[r], field_get(state, model->register_field[r]));
            /* One word is its own exact key; more are told apart by their hash. */
            hashes[at++] = model->words == 1 ? values[0] : hash_words(values, model->words);
        }
    }
    qsort(hashes, count, sizeof *hashes, compare_words);
    for (uint64_t h = 0; h < count; h++)
        different += h == 0 || hashes[h] != hashes[h - 1];
    free(hashes);
    return different;
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
