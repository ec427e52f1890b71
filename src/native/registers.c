/* SPDX-License-Identifier: MIT */
#include "registers/fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void initialise(struct cell *cell, uint64_t initial, uint16_t writer)
{
    memset(cell, 0, sizeof *cell);
    cell->writer = writer;
    atomic_init(&cell->value, initial);
}

static bool in_order(const struct cell *cell, uint64_t domain, uint16_t writer)
{
    return cell->writer == writer && (domain == TICKET || atomic_load(&cell->value) < domain);
}

array admit_declare_registers(struct declaration *D, struct declared a)
{
    size_t first = D->registers;
    D->registers += a.count;
    if (D->purpose == COUNT_REGISTERS)
        return NULL;
    struct cell *cells = D->cells + first;
    for (size_t e = 0; e < a.count; e++) {
        uint16_t writer = a.writer == ANYBODY ? (uint16_t)NATIVE_WRITER_ANYBODY : (uint16_t)(e / a.columns);
        if (D->purpose == INITIALISE_REGISTERS)
            initialise(&cells[e], a.initial == ANY_VALUE ? 0 : a.initial, writer);
        else if (!in_order(&cells[e], a.domain, writer))
            D->in_order = false;
    }
    return cells;
}

void admit_not_the_writer(uint16_t writer, unsigned i)
{
    fprintf(stderr, "admit: process %u wrote, or called its own, a register that only process %u may write\n", i,
            (unsigned)writer);
    abort();
}

void admit_too_wide(const char *variable, uint64_t value, unsigned bits)
{
    fprintf(stderr, "admit: %s = %" PRIu64 " does not fit into the %u bits that it has in its word\n", variable, value,
            bits);
    abort();
}
