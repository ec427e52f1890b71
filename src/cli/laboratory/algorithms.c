/* SPDX-License-Identifier: MIT
 *
 * admit algorithms - the catalogue.
 */
#include "checker/model/fault_info.h"
#include "claims/claims.h"
#include "cli/laboratory/laboratory.h"

#include <stdio.h>
#include <string.h>

static const char help_text[] =
    "usage: admit algorithms [-n N] [-k K] [--mutants] [--json]\n"
    "\n"
    "Lists the algorithms: where each is printed, for which k it is, the weakest registers it is\n"
    "claimed for, its shared bits for N processes (default 4) and how many of them each process\n"
    "has to itself, with the paper's count, and what is claimed of it.\n"
    "\n"
    "  --mutants   also the broken variants, and the algorithms that only test the checker\n";

/* As the declared registers have them. */
struct bits {
    bool known;           /* n is one that the algorithm is for */
    uint64_t total, each; /* UINT64_MAX: unbounded, or not every process's own */
};

static struct bits bits_of(const struct stepped_algorithm *algorithm, unsigned n, unsigned k)
{
    unsigned (*word_bits)(unsigned, unsigned) = algorithm->about.word_bits;
    if ((algorithm->about.max_n > 0 && n > algorithm->about.max_n) ||
        (word_bits != NULL && word_bits(n, k) > STEPPED_WORD_BITS))
        return (struct bits){.total = UINT64_MAX, .each = UINT64_MAX};
    struct setting setting = {.algorithm = algorithm, .n = n, .k = algorithm->about.k > 0 ? algorithm->about.k : k};
    struct instance instance;
    instance_open(&instance, &setting);
    struct bits bits = {.known = true, .total = shared_bits(&instance), .each = shared_bits_each(&instance)};
    instance_close(&instance);
    return bits;
}

/* The weakest registers that exclusion is claimed for; where it is not, the first claim. */
static enum register_kind weakest_registers(const struct about *about)
{
    const struct claim *exclusion = claim_about(about, EXCLUSION);
    return exclusion != NULL ? exclusion->down_to : about->claim_count > 0 ? about->claims[0].down_to : ATOMIC;
}

static json_t *number_or_null(uint64_t number)
{
    return number == UINT64_MAX ? json_null() : json_integer((json_int_t)number);
}

static json_t *claims_json(const struct about *about)
{
    json_t *claims = json_array();
    for (unsigned c = 0; c < about->claim_count; c++) {
        json_t *faults = json_array();
        for (unsigned f = 0; f < FAULTS; f++)
            if (about->claims[c].faults & (1u << f))
                json_array_append_new(faults, json_string(fault_info[f].name));
        json_array_append_new(claims, json_pack("{s:s, s:s?, s:s, s:o}", "property",
                                                property_info[about->claims[c].property].name, "model",
                                                property_info[about->claims[c].property].model, "registers",
                                                register_kind_name[about->claims[c].down_to], "faults", faults));
    }
    return claims;
}

/* "Lamport 1986, Figure 1": as a person cites it; null if it is our own. */
static json_t *printed_in(const struct about *about)
{
    const struct paper *paper = paper_find(about->paper);
    if (paper != NULL)
        return json_sprintf("%s, %s", paper->cited, about->figure);
    return about->figure[0] != '\0' ? json_string(about->figure) : json_null();
}

static json_t *entry_json(const struct entry *entry, unsigned n, unsigned k)
{
    static const char *const kinds[] = {[SHIPPED] = "algorithm", [MUTANT] = "mutant", [TEST_ALGORITHM] = "test"};
    const struct about *about = &entry->algorithm->about;
    struct bits bits = bits_of(entry->algorithm, n, k);
    json_t *object = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:s, s:b, s:i, s:s, s:o, s:s?, s:o, s:s, s:o}", "id", about->id,
        "kind", kinds[entry->kind], "title", about->title, "paper", about->paper, "figure", about->figure, "printed_in",
        printed_in(about), "k", about->k > 0 ? json_integer(about->k) : json_null(), "max_n",
        about->max_n > 0 ? json_integer(about->max_n) : json_null(), "registers",
        register_kind_name[weakest_registers(about)], "doorway", about->doorway, "n", n, "bits_formula", about->bits,
        "shared_bits", number_or_null(bits.total), "bits_per_process_formula", about->bits_each, "bits_per_process",
        number_or_null(bits.each), "fairness", about->fairness, "claims", claims_json(about));
    if (entry->kind == MUTANT) {
        json_object_set_new(object, "broken", json_string(entry->brief));
        json_object_set_new(object, "caught_by", json_string(entry->caught));
    }
    return object;
}

static void print_entry(const struct entry *entry, unsigned n, unsigned k)
{
    const struct about *about = &entry->algorithm->about;
    char where[64], total[32], own_k[16] = "any";
    struct bits bits = bits_of(entry->algorithm, n, k);
    if (paper_find(about->paper) != NULL)
        snprintf(where, sizeof where, "%s %s", about->paper, about->figure);
    else
        snprintf(where, sizeof where, "%s", about->figure[0] != '\0' ? about->figure : "here");
    if (about->k > 0)
        snprintf(own_k, sizeof own_k, "%u", about->k);
    if (!bits.known)
        snprintf(total, sizeof total, "n <= %u", about->max_n);
    else if (bits.total == UINT64_MAX)
        snprintf(total, sizeof total, "unbounded");
    else
        snprintf(total, sizeof total, "%llu", (unsigned long long)bits.total);
    printf("%-36s %-22s %-4s %-8s %-12s %s\n", about->id, where, own_k, register_kind_name[weakest_registers(about)],
           total, about->fairness);
    if (about->bits_each != NULL) {
        char each[32];
        snprintf(each, sizeof each, "%llu", (unsigned long long)bits.each);
        bool is_number = bits.each == UINT64_MAX || strcmp(each, about->bits_each) == 0;
        printf("    bits per process: %s%s%s\n", about->bits_each, is_number ? "" : " = ", is_number ? "" : each);
    }
    for (unsigned c = 0; c < about->claim_count; c++)
        printf("%s%s", c == 0 ? "    claimed: " : ", ", property_title(about->claims[c].property));
    if (about->claim_count > 0)
        putchar('\n');
}

static void print_kind(enum kind_of_entry kind, const char *heading)
{
    bool first = true;
    for (unsigned e = 0; e < catalogue_count; e++) {
        if (catalogue[e].kind != kind)
            continue;
        if (first)
            printf("\n%s\n", heading);
        first = false;
        const struct about *about = &catalogue[e].algorithm->about;
        if (kind == MUTANT)
            printf("  %-40s %s\n%45scaught by: %s\n", about->id, catalogue[e].brief, "", catalogue[e].caught);
        else
            printf("  %-40s %s\n", about->id, about->title);
    }
}

int command_algorithms(int argc, char **argv)
{
    struct arguments arguments = {.command = "algorithms", .argc = argc, .argv = argv, .plain_max = 0};
    unsigned n = 4, k = 1;
    bool mutants = false, json = false;
    for (const char *option; (option = next_option(&arguments)) != NULL;) {
        if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
            fputs(help_text, stdout);
            return EXIT_OK;
        } else if (strcmp(option, "-n") == 0) {
            n = (unsigned)option_number(&arguments, option, 1, 64);
        } else if (strcmp(option, "-k") == 0) {
            k = (unsigned)option_number(&arguments, option, 1, 64);
        } else if (strcmp(option, "--mutants") == 0) {
            mutants = true;
        } else if (strcmp(option, "--json") == 0) {
            json = true;
        } else {
            no_such_option("algorithms", option, help_text);
        }
    }
    if (k > n)
        usage_error("algorithms", "k = %u is more than n = %u", k, n);
    if (json) {
        json_t *list = json_array();
        for (unsigned e = 0; e < catalogue_count; e++)
            if (catalogue[e].kind == SHIPPED || mutants)
                json_array_append_new(list, entry_json(&catalogue[e], n, k));
        print_json(list);
        return EXIT_OK;
    }
    char heading[32];
    snprintf(heading, sizeof heading, "bits at n=%u", n);
    printf("%-36s %-22s %-4s %-8s %-12s %s\n", "algorithm", "printed in", "k", "weakest", heading, "order");
    for (unsigned e = 0; e < catalogue_count; e++)
        if (catalogue[e].kind == SHIPPED)
            print_entry(&catalogue[e], n, k);
    if (mutants) {
        if (!catalogue_has_mutants())
            puts("\nMutants: this build has none.");
        print_kind(MUTANT, "Mutants, each caught by the check beside it:");
        print_kind(TEST_ALGORITHM, "Algorithms that only test the checker:");
    }
    return EXIT_OK;
}
