/* SPDX-License-Identifier: MIT */
#include "checker/model/catalogue.h"

#include "algorithms/catalogue.h"
#include "base/spelling.h"

#include <stdio.h>
#include <string.h>

#define DECLARE_STEPPED(id) extern const struct stepped_algorithm stepped_##id;
CATALOGUE(DECLARE_STEPPED)
#define MUTANT(id, brief, caught) DECLARE_STEPPED(id)
#define TEST_ALGORITHM(id) DECLARE_STEPPED(id)
#include "variants.h"
#undef MUTANT
#undef TEST_ALGORITHM

const struct entry catalogue[] = {
#define SHIPPED_ENTRY(id) {&stepped_##id, SHIPPED, NULL, NULL},
    CATALOGUE(SHIPPED_ENTRY)
#define MUTANT(id, brief, caught) {&stepped_##id, MUTANT, brief, caught},
#define TEST_ALGORITHM(id) {&stepped_##id, TEST_ALGORITHM, NULL, NULL},
#include "variants.h"
};
const unsigned catalogue_count = sizeof catalogue / sizeof catalogue[0];

const struct entry *catalogue_find(const char *id)
{
    for (unsigned e = 0; e < catalogue_count; e++)
        if (strcmp(catalogue[e].algorithm->about.id, id) == 0)
            return &catalogue[e];
    return NULL;
}

bool is_id_of_mutant(const char *id)
{
    static const char test[] = "test:";
    return strchr(strncmp(id, test, sizeof test - 1) == 0 ? id + sizeof test - 1 : id, ':') != NULL;
}

bool catalogue_has_mutants(void)
{
    for (unsigned e = 0; e < catalogue_count; e++)
        if (catalogue[e].kind == MUTANT)
            return true;
    return false;
}

bool catalogue_near(const char *id, char *list, size_t size)
{
    size_t used = 0;
    list[0] = '\0';
    for (unsigned e = 0; e < catalogue_count; e++) {
        const char *other = catalogue[e].algorithm->about.id;
        bool alike = edit_distance(id, other) <= 2 || (strlen(id) >= 3 && strstr(other, id) != NULL);
        if (alike && used < size)
            used += (size_t)snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", other);
    }
    return used > 0;
}
