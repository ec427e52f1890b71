/* SPDX-License-Identifier: MIT */
#include "cli/gates/option_words.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct option_word short_option(const char *letters, const char *shorts)
{
    struct option_word option = {.reads = HAS_ALL, .name = ""};
    for (; *letters != '\0'; letters++) {
        const char *known = *letters != ':' ? strchr(shorts, *letters) : NULL;
        option.letter = *letters;
        if (known == NULL) {
            option.reads = VALUE_MAY_NEXT;
            break;
        }
        if (known[1] != ':')
            continue;
        if (letters[1] != '\0')
            option.value = letters + 1;
        else if (known[2] != ':')
            option.reads = VALUE_IS_NEXT;
        break;
    }
    return option;
}

/* The beginning of one name suffices, or of several that are alike in what they take. */
static struct option_word long_option(const char *name, const char *longs)
{
    struct option_word option = {.reads = VALUE_MAY_NEXT, .name = ""};
    const size_t length = strcspn(name, "=");
    bool any = false;
    if (name[length] == '=')
        option.value = name + length + 1;
    for (size_t size; *longs != '\0'; longs += size + strspn(longs + size, " ")) {
        size = strcspn(longs, " ");
        const bool takes = longs[size - 1] == '=';
        if (strncmp(longs, name, length) != 0)
            continue;
        const bool alike = !any || (option.reads == VALUE_IS_NEXT) == takes;
        const bool exact = size - takes == length;
        option.name = longs;
        option.reads = !alike && !exact ? VALUE_MAY_NEXT : takes ? VALUE_IS_NEXT : HAS_ALL;
        any = true;
        if (exact || !alike)
            break;
    }
    if (option.value != NULL)
        option.reads = HAS_ALL;
    return option;
}

struct option_word read_option(const char *word, const struct option_table *table)
{
    if (word[1] == '-')
        return long_option(word + 2, table->longs);
    return short_option(word + 1, table->shorts);
}

/* --- a command in a string ------------------------------------------------------------------------------------------ */

static bool ends_command(char c, bool for_shell)
{
    return for_shell && c != '\0' && strchr(";&|()\n", c) != NULL;
}

static bool is_blank(char c, bool for_shell)
{
    return c != '\0' && (strchr(" \t\n\v\f\r", c) != NULL || (for_shell && strchr("<>", c) != NULL));
}

/* Copies one word, and returns where it ends. In env's, \_ outside of quotes and \t and the like are blanks. */
static const char *copy_word(const char *line, char *word, bool for_shell)
{
    for (char quote = '\0'; *line != '\0'; line++) {
        if (quote == '\0' && (is_blank(*line, for_shell) || ends_command(*line, for_shell)))
            break;
        if (*line == quote) {
            quote = '\0';
        } else if (quote == '\0' && (*line == '"' || *line == '\'')) {
            quote = *line;
        } else if (*line == '\\' && quote != '\'' && line[1] != '\0') {
            line++;
            if (!for_shell && quote == '\0' && strchr("_tnvfr", *line) != NULL) {
                line++;
                break;
            }
            *word++ = *line;
        } else {
            *word++ = *line;
        }
    }
    *word = '\0';
    return line;
}

void *keep_words(size_t size)
{
    static struct kept {
        struct kept *before;
        max_align_t memory[];
    } * last;
    struct kept *kept = malloc(sizeof *kept + size);
    if (kept == NULL) {
        fputs("admit jobserver: no memory\n", stderr);
        exit(125);
    }
    kept->before = last;
    last = kept;
    return kept->memory;
}

char **split_command(const char **line, bool for_shell)
{
    const size_t most = strlen(*line) + 1;
    char **words = keep_words((most + 1) * sizeof *words), *text = keep_words(2 * most);
    size_t count = 0;
    for (const char *at = *line;;) {
        while (is_blank(*at, for_shell) && !ends_command(*at, for_shell))
            at++;
        if (*at == '\0' || ends_command(*at, for_shell)) {
            *line = *at == '\0' ? at : at + 1;
            break;
        }
        at = copy_word(at, text, for_shell);
        words[count++] = text;
        text += strlen(text) + 1;
    }
    words[count] = NULL;
    return words;
}
