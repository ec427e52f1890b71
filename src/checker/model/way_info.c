/* SPDX-License-Identifier: MIT */
#include "checker/model/way_info.h"

const struct way_info way_info[WAYS] = {
    [WAY_NUMBER(TRY)] = {.name = "try"},         [WAY_NUMBER(ALONE)] = {.name = "alone"},
    [WAY_NUMBER(RESIZE)] = {.name = "resize"},   [WAY_NUMBER(BEQUEST)] = {.name = "heir"},
    [WAY_NUMBER(REMOVAL)] = {.name = "removal"},
};

unsigned way_find(const char *name)
{
    for (unsigned w = 0; w < WAYS; w++)
        if (strcmp(way_info[w].name, name) == 0)
            return 1u << w;
    return 0;
}
