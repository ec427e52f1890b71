/* SPDX-License-Identifier: MIT */
#include "cli/offers.h"

#include "checker/judge/property_info.h"
#include "checker/model/catalogue.h"
#include "checker/model/fault_info.h"
#include "checker/model/way_info.h"
#include "claims/claims.h"

#include <string.h>

void offer_algorithms(const char *word, const char *command)
{
    (void)command;
    const char *colon = strchr(word, ':');
    const size_t length = colon != NULL ? (size_t)(colon + 1 - word) : 0;
    for (unsigned e = 0; e < catalogue_count; e++) {
        const struct about *about = &catalogue[e].algorithm->about;
        const bool shipped = catalogue[e].kind == SHIPPED;
        if (colon == NULL ? shipped : !shipped && strncmp(about->id, word, length) == 0)
            offer(about->id, catalogue[e].brief != NULL ? catalogue[e].brief : about->title);
    }
}

void offer_faults(const char *word, const char *command)
{
    (void)word, (void)command;
    for (unsigned f = 0; f < FAULTS; f++)
        offer(fault_info[f].name, fault_info[f].words);
}

void offer_memory_models(const char *word, const char *command)
{
    (void)word, (void)command;
    for (unsigned m = 0; m < MEMORY_MODELS; m++)
        offer(memory_model_name[m], NULL);
}

void offer_papers(const char *word, const char *command)
{
    (void)word, (void)command;
    for (unsigned p = 0; p < PAPER_COUNT; p++)
        offer(papers[p]->id, papers[p]->title);
}

/* One that is judged in several models of memory has one name. */
void offer_properties(const char *word, const char *command)
{
    (void)word, (void)command;
    for (unsigned p = 0; p < PROPERTIES; p++)
        if (p == 0 || strcmp(property_info[p].name, property_info[p - 1].name) != 0)
            offer(property_info[p].name, property_info[p].words);
}

void offer_registers(const char *word, const char *command)
{
    (void)word, (void)command;
    for (unsigned kind = 0; kind < REGISTER_KINDS; kind++)
        offer(register_kind_name[kind], NULL);
}

void offer_ways(const char *word, const char *command)
{
    (void)word, (void)command;
    for (unsigned w = 0; w < WAYS; w++)
        offer(way_info[w].name, NULL);
}
