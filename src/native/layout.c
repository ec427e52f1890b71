/* SPDX-License-Identifier: MIT */
#include "native/layout.h"

#include "native/catalogue.h"

static const char MAGIC[8] = {'a', 'd', 'm', 'i', 't', 'l', 'c', 'k'};

static uint64_t magic_number(void)
{
    uint64_t number;
    memcpy(&number, MAGIC, sizeof number);
    return number;
}

/* FNV-1a over everything between magic and cells but the checksum itself. It finds accidents; nothing finds malice. */
static uint64_t checksum_of(const struct layout *header)
{
    const unsigned char *byte = (const unsigned char *)header;
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t at = offsetof(struct layout, version); at < offsetof(struct layout, cells); at++) {
        if (at >= offsetof(struct layout, checksum) && at < offsetof(struct layout, id))
            continue;
        hash = (hash ^ byte[at]) * 0x100000001b3;
    }
    return hash;
}

static size_t count_registers(const struct native_algorithm *algorithm, unsigned n, unsigned k)
{
    char shared[algorithm->shared_size];
    struct declaration D = {.n = n, .k = k, .purpose = COUNT_REGISTERS};
    algorithm->declare(&D, shared);
    return D.registers;
}

size_t admit_layout_size(const struct native_algorithm *algorithm, unsigned n, unsigned k)
{
    return sizeof(struct layout) + count_registers(algorithm, n, k) * sizeof(struct cell);
}

void admit_layout_create(struct layout *layout, const struct native_algorithm *algorithm, unsigned n, unsigned k,
                         void *shared)
{
    atomic_exchange(&layout->magic, 0); /* not a store: what follows could overtake a store */
    struct declaration D = {.n = n, .k = k, .cells = layout->cells, .purpose = INITIALISE_REGISTERS};
    algorithm->declare(&D, shared);
    layout->version = LAYOUT_VERSION;
    layout->n = n;
    layout->k = k;
    layout->registers = (uint32_t)D.registers;
    memset(layout->id, 0, sizeof layout->id);
    strncpy(layout->id, algorithm->about.id, sizeof layout->id - 1);
    layout->checksum = checksum_of(layout);
    atomic_store(&layout->magic, magic_number());
}

/* Each word is read once: what is checked is then what is used, whoever scribbles over the memory meanwhile. */
static void copy_header(struct layout *copy, const struct layout *layout)
{
    atomic_init(&copy->magic, atomic_load(&layout->magic));
    const volatile uint64_t *from = (const volatile uint64_t *)layout;
    uint64_t *to = (uint64_t *)copy;
    for (size_t word = 1; word < sizeof(struct layout) / sizeof *to; word++)
        to[word] = from[word];
}

admit_error admit_layout_read(const struct layout *layout, size_t size, struct layout_contents *contents)
{
    if (layout == NULL || (uintptr_t)layout % ADMIT_ALIGNMENT != 0)
        return ADMIT_MEMORY_MISALIGNED;
    if (size < sizeof(struct layout))
        return ADMIT_MEMORY_TOO_SMALL;
    struct layout header;
    copy_header(&header, layout);
    if (atomic_load(&header.magic) != magic_number())
        return ADMIT_NOT_A_LOCK;
    if (header.version != LAYOUT_VERSION)
        return ADMIT_OTHER_LAYOUT;
    if (header.checksum != checksum_of(&header) || header.id[LAYOUT_ID_SIZE - 1] != '\0')
        return ADMIT_CORRUPT;
    const struct native_algorithm *algorithm = admit_native_find(header.id);
    if (algorithm == NULL)
        return ADMIT_UNKNOWN_ALGORITHM; /* a newer library's, it seems */
    if (admit_native_supports(algorithm, header.n, header.k) != ADMIT_OK ||
        header.registers != count_registers(algorithm, header.n, header.k))
        return ADMIT_CORRUPT;
    if (size < admit_layout_size(algorithm, header.n, header.k))
        return ADMIT_MEMORY_TOO_SMALL;
    *contents = (struct layout_contents){.algorithm = algorithm, .n = header.n, .k = header.k};
    return ADMIT_OK;
}

admit_error admit_layout_attach(struct layout *layout, const struct layout_contents *contents, void *shared)
{
    struct declaration D = {
        .n = contents->n, .k = contents->k, .cells = layout->cells, .purpose = CHECK_REGISTERS, .in_order = true};
    contents->algorithm->declare(&D, shared);
    return D.in_order ? ADMIT_OK : ADMIT_CORRUPT;
}
