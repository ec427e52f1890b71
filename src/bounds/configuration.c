/* SPDX-License-Identifier: MIT */
#include "bounds/configuration.h"

#include "base/die.h"

#include <stdlib.h>

/* Private tickets have 16 bits in the stepped world; a trace is not followed further either. */
enum { TICKET_TOO_LARGE = UINT16_MAX - 1 };

static size_t values_size(const struct configuration *q)
{
    return q->instance->reg_count * sizeof *q->values;
}

void configuration_start(struct configuration *q, const struct instance *instance)
{
    memset(q, 0, sizeof *q);
    q->instance = instance;
    q->values = must_allocate(values_size(q));
    for (unsigned r = 0; r < instance->reg_count; r++) {
        /* Where none is declared, any value will do: the proof is about every initial configuration. */
        uint64_t initial = instance->regs[r].array->initial;
        q->values[r] = initial == ANY_VALUE ? 0 : initial;
    }
    for (unsigned i = 0; i < instance->setting.n; i++)
        process_start(instance, i, &q->process[i]);
}

void configuration_open_copy(struct configuration *q, const struct configuration *from)
{
    q->values = must_allocate(values_size(from));
    configuration_copy(q, from);
}

void configuration_copy(struct configuration *q, const struct configuration *from)
{
    uint64_t *values = q->values;
    *q = *from;
    q->values = values;
    memcpy(values, from->values, values_size(from));
}

void configuration_close(struct configuration *q)
{
    free(q->values);
    memset(q, 0, sizeof *q);
}

static struct action action_of(const struct configuration *q, unsigned i, const struct access *access, uint64_t written)
{
    enum deed deed = access->kind == READ ? READS : access->kind == WRITE ? WRITES : DOES_BOTH;
    if (access->kind == WRITE_IF_DIFFERENT && q->instance->regs[access->reg].writer == (int)i)
        deed = written != q->values[access->reg] ? WRITES : READS;
    return (struct action){.deed = (uint8_t)deed, .variable = (uint16_t)access->reg};
}

struct action about_to(const struct configuration *q, unsigned i)
{
    struct access access;
    if (!process_peek(q->instance, i, &q->process[i], 0, &access))
        die("internal error: process %u cannot step", i);
    return action_of(q, i, &access, access.result);
}

struct action take_step(struct configuration *q, unsigned i)
{
    struct access access;
    struct process to;
    process_peek(q->instance, i, &q->process[i], 0, &access);
    struct action action = action_of(q, i, &access, access.result);
    process_step(q->instance, i, &q->process[i], 0, q->values[access.reg], &to, &access);
    q->process[i] = to;
    q->values[access.reg] = access.result;
    q->tickets_too_large =
        register_domain(q->instance, access.reg) == TICKET && q->values[access.reg] >= TICKET_TOO_LARGE;
    return action;
}

bool covers(const struct configuration *q, unsigned i, unsigned variable)
{
    struct action action = about_to(q, i);
    return action.deed == WRITES && action.variable == variable;
}

bool look_alike(const struct configuration *q, const struct configuration *r, procset processes)
{
    for (unsigned i = 0; i < q->instance->setting.n; i++)
        if ((processes & the_one(i)) && memcmp(&q->process[i], &r->process[i], q->instance->process_size) != 0)
            return false;
    return memcmp(q->values, r->values, values_size(q)) == 0;
}

bool same_configuration(const struct configuration *q, const struct configuration *r)
{
    return look_alike(q, r, first_of(q->instance->setting.n));
}

procset those_in(const struct configuration *q, enum section section)
{
    procset set = 0;
    for (unsigned i = 0; i < q->instance->setting.n; i++)
        set |= q->process[i].section == section ? the_one(i) : 0;
    return set;
}

static void make_room(struct history *h, size_t more)
{
    if (h->count + more <= h->room)
        return;
    h->room = 2 * (h->count + more) + 64;
    h->steps = must_reallocate(h->steps, h->room);
}

void history_add(struct history *h, unsigned i)
{
    make_room(h, 1);
    h->steps[h->count++] = (uint8_t)i;
}

void history_append(struct history *h, const uint8_t *steps, size_t count)
{
    make_room(h, count);
    if (count > 0)
        memcpy(h->steps + h->count, steps, count);
    h->count += count;
}

void history_insert(struct history *h, size_t at, const struct history *part)
{
    if (part->count == 0)
        return;
    make_room(h, part->count);
    memmove(h->steps + at + part->count, h->steps + at, h->count - at);
    memcpy(h->steps + at, part->steps, part->count);
    h->count += part->count;
}

void history_close(struct history *h)
{
    free(h->steps);
    memset(h, 0, sizeof *h);
}
