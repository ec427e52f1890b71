/* SPDX-License-Identifier: MIT
 *
 * MAKEFLAGS is words with blanks between them, where a backslash takes the next character's meaning away. The first may be
 * letters of options without their dash; after "--" come variables.
 */
#include "cli/gates/makeflags.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char makes_with_value[] = "C:E:I:O::W:f:l::o:";

const char *jobs_among(const char *word, const char *options)
{
    for (const char *letter = word; *letter != '\0' && *letter != ':'; letter++) {
        const char *known = strchr(options, *letter);
        if (*letter == 'j')
            return letter;
        if (known != NULL && known[1] == ':')
            return NULL;
    }
    return NULL;
}

/* The next word, which ends at the returned place; NULL: there is none. */
static const char *word_end(const char **word)
{
    const char *end = *word += strspn(*word, " \t");
    for (; *end != '\0' && *end != ' ' && *end != '\t'; end++)
        if (*end == '\\' && end[1] != '\0')
            end++;
    return end > *word ? end : NULL;
}

static bool is_number(const char *word)
{
    return word[0] != '\0' && word[strspn(word, "0123456789")] == '\0';
}

static bool begins(const char *word, const char *with)
{
    return strncmp(word, with, strlen(with)) == 0;
}

enum kind { OTHER, JOBS, JOBS_AND_NUMBER, POOL };

/* What a word says, which is left without its -j: "-kj6" becomes "-k". */
static enum kind take_jobs_out(char *word, bool first)
{
    if (begins(word, "--jobserver-"))
        return word[0] = '\0', POOL;
    if (begins(word, "--jobs")) {
        const enum kind kind = strchr(word, '=') != NULL ? JOBS : JOBS_AND_NUMBER;
        word[0] = '\0';
        return kind;
    }
    const bool letters = word[0] == '-' ? word[1] != '-' : first && strchr(word, '=') == NULL;
    char *jobs = letters ? (char *)jobs_among(word, makes_with_value) : NULL;
    if (jobs == NULL)
        return OTHER;
    const size_t digits = strspn(jobs + 1, "0123456789");
    const enum kind kind = digits == 0 && jobs[1] == '\0' ? JOBS_AND_NUMBER : JOBS;
    memmove(jobs, jobs + 1 + digits, strlen(jobs + 1 + digits) + 1);
    if (strcmp(word, "-") == 0)
        word[0] = '\0';
    return kind;
}

struct found {
    bool jobs, pool;
    char said[64]; /* what says a number of jobs, as it stands there */
};

/* A word that does, of which "-j6" is all that matters in "-kj6"; or the number that follows it. */
static void note_said(struct found *found, const char *word)
{
    const size_t length = strlen(found->said);
    const char *jobs = begins(word, "--") || is_number(word) ? NULL : jobs_among(word, makes_with_value);
    const char *blank = length > 0 ? " " : "";
    if (jobs != NULL)
        snprintf(found->said + length, sizeof found->said - length, "%s-j%.*s", blank,
                 (int)strspn(jobs + 1, "0123456789"), jobs + 1);
    else
        snprintf(found->said + length, sizeof found->said - length, "%s%s", blank, word);
}

/* Into `text`, which has room for all of it, what `flags` says but for jobs, up to the variables; returns those, with
 * their "--". */
static const char *without_jobs(const char *flags, char *text, struct found *found)
{
    bool first = true, number_may_follow = false;
    text[0] = '\0';
    for (const char *end; (end = word_end(&flags)) != NULL; flags = end, first = false) {
        char *at = text + strlen(text), *word = at + !first;
        memcpy(word, flags, (size_t)(end - flags));
        word[end - flags] = '\0';
        if (!first)
            *at = ' ';
        if (strcmp(word, "--") == 0) {
            *at = '\0';
            break;
        }
        char before[64];
        snprintf(before, sizeof before, "%s", word);
        const enum kind kind = number_may_follow && is_number(word) ? JOBS : take_jobs_out(word, first);
        number_may_follow = kind == JOBS_AND_NUMBER;
        if (kind == JOBS || kind == JOBS_AND_NUMBER) {
            found->jobs = true;
            note_said(found, before);
        }
        found->pool |= kind == POOL;
        if (word[0] == '\0' || (kind == JOBS && is_number(word)))
            *at = '\0';
    }
    return flags;
}

bool makeflags_have_jobs(const char *flags)
{
    struct found found = {0};
    char *text = malloc(strlen(flags) + 2);
    if (text != NULL)
        without_jobs(flags, text, &found);
    free(text);
    return found.jobs || found.pool;
}

static void tell_ignored(const char *what, const char *between, const char *where, const char *gate)
{
    if (gate != NULL)
        fprintf(stderr, "admit jobserver: ignoring %s%s%s: gate '%s' says how many jobs there may be\n", what, between,
                where, gate);
}

static void set_flags(const char *name, const char *more, const char *gate)
{
    const char *flags = getenv(name);
    if (flags == NULL && more[0] == '\0')
        return;
    if (flags == NULL)
        flags = "";
    struct found found = {0};
    char *text = malloc(2 * strlen(flags) + strlen(more) + 8), *rest = malloc(strlen(flags) + 2);
    if (text == NULL || rest == NULL) {
        fputs("admit jobserver: no memory\n", stderr);
        exit(125);
    }
    const char *variables = without_jobs(flags, rest, &found);
    sprintf(text, "%s%s%s%s", rest, more, variables[0] != '\0' ? " " : "", variables);
    if (found.jobs && !found.pool) /* of an outer make's pool the number is no wish of anybody's */
        tell_ignored(found.said, " in ", name, gate);
    setenv(name, text, 1);
    free(text);
    free(rest);
}

void makeflags_set(const char *tokens, const char *gate)
{
    const char *level = getenv("CMAKE_BUILD_PARALLEL_LEVEL");
    char more[4200];
    snprintf(more, sizeof more, " -j --jobserver-auth=%s", tokens);
    set_flags("GNUMAKEFLAGS", "", gate);
    set_flags("MAKEFLAGS", more, gate);
    if (level != NULL)
        tell_ignored("CMAKE_BUILD_PARALLEL_LEVEL", "=", level, gate);
    unsetenv("CMAKE_BUILD_PARALLEL_LEVEL");
    unsetenv("CARGO_MAKEFLAGS"); /* which cargo reads first */
    unsetenv("MFLAGS");
}

/* If there are several, the last is meant. */
void makeflags_tokens(char *tokens, unsigned size)
{
    static const char name[] = "--jobserver-auth=";
    const char *flags = getenv("MAKEFLAGS");
    tokens[0] = '\0';
    if (flags == NULL)
        return;
    for (const char *end; (end = word_end(&flags)) != NULL && strncmp(flags, "-- ", 3) != 0; flags = end)
        if (begins(flags, name))
            snprintf(tokens, size, "%.*s", (int)(end - flags - (long)strlen(name)), flags + strlen(name));
}
