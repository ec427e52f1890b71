/* SPDX-License-Identifier: MIT */
#include "native/catalogue.h"

#include "algorithms/catalogue.h"
#include "native/error.h"

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

static unsigned max_n(const struct native_algorithm *algorithm)
{
    return algorithm->about.max_n != 0 ? algorithm->about.max_n : ADMIT_PARTICIPANTS_MAX;
}

admit_error admit_native_supports(const struct native_algorithm *algorithm, unsigned n, unsigned k)
{
    if (algorithm == NULL)
        return ADMIT_UNKNOWN_ALGORITHM;
    if (algorithm->about.checked_only)
        return ADMIT_CHECKED_ONLY;
    if (n < 1 || n > ADMIT_PARTICIPANTS_MAX)
        return ADMIT_BAD_N;
    if (algorithm->about.word_bits != NULL && k >= 1 && k <= n && algorithm->about.word_bits(n, k) > NATIVE_WORD_BITS)
        return admit_does_not_fit(algorithm->about.id, n, k, algorithm->about.word_bits(n, k), NATIVE_WORD_BITS);
    if (n > max_n(algorithm))
        return admit_n_too_large(algorithm->about.id, n, max_n(algorithm));
    if (k < 1 || k > n || (algorithm->about.k != 0 && algorithm->about.k != k))
        return ADMIT_BAD_K;
    return ADMIT_OK;
}

const char *admit_algorithm_id(unsigned index)
{
    for (unsigned a = 0; a < ALL; a++)
        if (!all[a]->about.checked_only && index-- == 0)
            return all[a]->about.id;
    return NULL;
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

unsigned admit_algorithm_max_n(const char *id)
{
    const struct native_algorithm *algorithm = admit_native_find(id);
    return algorithm ? max_n(algorithm) : 0;
}

int admit_algorithm_excludes(const char *id)
{
    const struct native_algorithm *algorithm = admit_native_find(id);
    return algorithm != NULL && claim_about(&algorithm->about, EXCLUSION) != NULL;
}

admit_error admit_algorithm_supports(const char *id, unsigned n, unsigned k)
{
    return admit_native_supports(admit_native_find(id), n, k);
}
