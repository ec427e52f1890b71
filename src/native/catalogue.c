/* SPDX-License-Identifier: MIT */
#include "native/catalogue.h"

#include "algorithms/catalogue.h"

#define DECLARED(id) extern const struct native_algorithm admit_native_##id;
CATALOGUE(DECLARED)

#define LISTED(id) &admit_native_##id,
static const struct native_algorithm *const all[] = {CATALOGUE(LISTED)};

enum { ALL = sizeof all / sizeof all[0] };

const struct native_algorithm *admit_native_find(const char *id)
{
    for (unsigned a = 0; id != NULL && a < ALL; a++)
        if (strcmp(all[a]->about.id, id) == 0)
            return all[a];
    return NULL;
}

admit_error admit_native_supports(const struct native_algorithm *algorithm, unsigned n, unsigned k)
{
    if (algorithm == NULL)
        return ADMIT_UNKNOWN_ALGORITHM;
    if (n < 1 || n > ADMIT_PARTICIPANTS_MAX)
        return ADMIT_BAD_N;
    if (k < 1 || k > n || (algorithm->about.k != 0 && algorithm->about.k != k))
        return ADMIT_BAD_K;
    return ADMIT_OK;
}

const char *admit_algorithm_id(unsigned index)
{
    return index < ALL ? all[index]->about.id : NULL;
}

const char *admit_algorithm_title(const char *id)
{
    const struct native_algorithm *algorithm = admit_native_find(id);
    return algorithm ? algorithm->about.title : NULL;
}

const char *admit_algorithm_fairness(const char *id)
{
    const struct native_algorithm *algorithm = admit_native_find(id);
    return algorithm ? algorithm->about.fairness : NULL;
}

admit_error admit_algorithm_supports(const char *id, unsigned n, unsigned k)
{
    return admit_native_supports(admit_native_find(id), n, k);
}
