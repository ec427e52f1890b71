/* SPDX-License-Identifier: MIT */
#include "cli/laboratory/laboratory.h"

#include "base/die.h"
#include "base/parallel.h"
#include "checker/model/fault_info.h"
#include "checker/model/way_info.h"
#include "cli/whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct entry *algorithm_argument(const char *command, const char *id)
{
    if (id == NULL)
        usage_error(command, "which algorithm? 'admit algorithms' lists them");
    const struct entry *entry = catalogue_find(id);
    char near[256];
    if (entry == NULL && catalogue_near(id, near, sizeof near))
        usage_error(command, "there is no algorithm '%s'; did you mean %s?", id, near);
    if (entry == NULL && is_id_of_mutant(id) && !catalogue_has_mutants())
        usage_error(command, "there is no algorithm '%s': this build has no mutants", id);
    if (entry == NULL)
        usage_error(command, "there is no algorithm '%s'; 'admit algorithms%s' lists them", id,
                    strchr(id, ':') != NULL ? " --mutants" : "");
    return entry;
}

enum memory_model memory_model_named(const char *command, const char *name)
{
    for (unsigned model = 0; model < MEMORY_MODELS; model++)
        if (strcmp(memory_model_name[model], name) == 0)
            return (enum memory_model)model;
    no_such_value(command, "--model", "cc, cc-write-back or dsm", name);
}

void check_size(const char *command, const struct about *about, unsigned n, unsigned k)
{
    if (about->word_bits != NULL && k <= n && about->word_bits(n, k) > STEPPED_WORD_BITS)
        usage_error(command, "%s with n = %u and k = %u packs %u bits into one word, and there is room for %d",
                    about->id, n, k, about->word_bits(n, k), STEPPED_WORD_BITS);
    if (about->max_n > 0 && n > about->max_n)
        usage_error(command, "%s is for n up to %u, not for n = %u: its registers would be too large", about->id,
                    about->max_n, n);
    if (k > n)
        usage_error(command, "k = %u is more than n = %u: nobody would ever wait", k, n);
}

void check_n_and_k(const char *command, const struct about *about, unsigned n, unsigned *k)
{
    if (*k == 0)
        *k = about->k > 0 ? about->k : 1;
    if (about->k > 0 && *k != about->k)
        usage_error(command, "%s works for k = %u only, not for k = %u", about->id, about->k, *k);
    check_size(command, about, n, *k);
}

void check_threads(const char *command)
{
    const char *threads = getenv("ADMIT_THREADS");
    if (threads != NULL && threads[0] != '\0')
        number_argument(command, "ADMIT_THREADS", threads, 1, THREADS_MAX);
}

void print_faults_and_ways(const struct setting *setting)
{
    char names[FAULTS][FAULT_NAME_SIZE];
    bool with = false;
    for (unsigned f = 0, count = fault_names(setting, names); f < count; f++, with = true)
        printf("%s %s", with ? "," : ", with", names[f]);
    for (unsigned w = 0; w < WAYS; w++)
        if (setting->ways >> w & 1)
            printf("%s %s", with ? "," : ", with", way_info[w].name), with = true;
}

void print_json(json_t *json)
{
    if (json == NULL)
        die("internal error: the result cannot be written as JSON");
    json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    putchar('\n');
    json_decref(json);
}

void refuse_dash(const char *command, const char *name)
{
    if (strcmp(name, "-") == 0)
        usage_error(command, "cannot write '-': standard output has the text; './-' is a file of that name");
}

void refuse_same_files(const char *command, const struct named_file *files, unsigned count)
{
    for (unsigned f = 0; f < count; f++)
        for (unsigned other = 0; other < f && files[f].name != NULL; other++)
            if (files[other].name != NULL && is_same_file(files[f].name, files[other].name))
                usage_error(command, "%s and %s are the same file, '%s'", files[other].option, files[f].option,
                            files[f].name);
}

FILE *open_output_file(const char *command, const char *name)
{
    if (name != NULL)
        refuse_dash(command, name);
    FILE *file = name != NULL ? fopen(name, "w") : NULL;
    if (name != NULL && file == NULL)
        usage_error(command, "cannot write '%s': %s", name, strerror(errno));
    return file;
}

void write_trace_file(const char *command, FILE *file, const char *name, const struct trace *trace)
{
    bool failed = false;
    if (trace != NULL) {
        json_t *json = trace_to_json(trace);
        failed = json_dumpf(json, file, JSON_INDENT(1)) != 0;
        fputc('\n', file);
        json_decref(json);
    }
    failed |= ferror(file) != 0;
    if (fclose(file) != 0 || failed) {
        fprintf(stderr, "admit %s: cannot write '%s': %s\n", command, name, strerror(errno));
        exit(EXIT_USAGE);
    }
    if (trace == NULL)
        fprintf(stderr, "admit %s: nothing was violated, so there is no trace; %s is empty\n", command, name);
}

const char *grouped(uint64_t number, char buffer[32])
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number), at = 0;
    for (int d = 0; d < length; d++) {
        if (d > 0 && (length - d) % 3 == 0)
            buffer[at++] = ',';
        buffer[at++] = digits[d];
    }
    buffer[at] = '\0';
    return buffer;
}
