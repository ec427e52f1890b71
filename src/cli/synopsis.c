/* SPDX-License-Identifier: MIT */
#include "cli/synopsis.h"

#include <stdio.h>
#include <string.h>

/* What is indented further is what is said of an option. */
enum { LINE_SIZE = 1024, OPTION_INDENT_MAX = 6 };

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

/* Copies as much of it as there is room for. */
static void keep(char *to, size_t size, const char *from, size_t length)
{
    if (length >= size)
        length = size - 1;
    memcpy(to, from, length);
    to[length] = '\0';
}

static void add_word(char *list, size_t size, const char *word)
{
    const size_t used = strlen(list);
    snprintf(list + used, size - used, "%s%s", used > 0 ? " " : "", word);
}

static bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

bool synopsis_has_part(const struct synopsis *synopsis, const char *part)
{
    return has_word(synopsis->parts, part);
}

static struct synopsis_option *find(struct synopsis *synopsis, const char *name)
{
    for (unsigned o = 0; o < synopsis->option_count; o++)
        if (strcmp(synopsis->options[o].name, name) == 0)
            return &synopsis->options[o];
    return NULL;
}

const struct synopsis_option *synopsis_option(const struct synopsis *synopsis, const char *name)
{
    return find((struct synopsis *)synopsis, name);
}

static struct synopsis_option *add_option(struct synopsis *synopsis, const char *name)
{
    struct synopsis_option *option = find(synopsis, name);
    if (option != NULL || synopsis->option_count == SYNOPSIS_OPTIONS_MAX)
        return option;
    option = &synopsis->options[synopsis->option_count++];
    *option = (struct synopsis_option){.takes = ""};
    keep(option->name, sizeof option->name, name, strlen(name));
    return option;
}

/* --- the lines of usage ----------------------------------------------------------------------------------------------- */

/* What is being read of them. */
struct usage {
    struct synopsis *synopsis;
    const char *part;
    unsigned line;                  /* which "admit COMMAND" it is, from 1 on */
    bool wanted;                    /* its options; and */
    bool arguments_wanted;          /* its arguments: those of the first that is wanted */
    unsigned words;                 /* of this one, behind "admit" */
    bool either;                    /* behind a | */
    struct synopsis_option *option; /* that may take the next word; NULL: it is an argument */
};

static void begin_line(struct usage *usage)
{
    usage->line++;
    usage->words = 0;
    usage->wanted = usage->part == NULL;
    usage->arguments_wanted = usage->wanted && usage->synopsis->argument_count == 0 && usage->line == 1;
}

static void read_argument(struct usage *usage, const char *word)
{
    struct synopsis *synopsis = usage->synopsis;
    char name[SYNOPSIS_WORD_SIZE];
    const size_t length = strcspn(word, ".");
    const bool repeats = strcmp(word + length, "...") == 0;
    keep(name, sizeof name, word, length);
    if (length > 0 && usage->either && synopsis->argument_count > 0)
        add_word(synopsis->arguments[synopsis->argument_count - 1], SYNOPSIS_WORD_SIZE, name);
    else if (length > 0 && synopsis->argument_count < SYNOPSIS_ARGUMENTS_MAX)
        strcpy(synopsis->arguments[synopsis->argument_count++], name);
    synopsis->last_repeats = repeats;
}

static void read_usage_word(struct usage *usage, const char *word)
{
    usage->words++;
    if (usage->words == 2 && is_lower(word[0])) {
        if (!has_word(usage->synopsis->parts, word))
            add_word(usage->synopsis->parts, SYNOPSIS_WORD_SIZE, word);
        const bool asked = usage->part != NULL && strcmp(usage->part, word) == 0;
        usage->wanted = usage->arguments_wanted = asked;
    } else if (strcmp(word, "--") == 0) {
        usage->synopsis->ends_in_command |= usage->wanted;
        usage->wanted = usage->arguments_wanted = false;
    } else if (word[0] == '-') {
        usage->option = usage->wanted ? add_option(usage->synopsis, word) : NULL;
    } else if (usage->option != NULL) {
        keep(usage->option->takes, SYNOPSIS_WORD_SIZE, word, strlen(word));
        usage->option = NULL;
    } else if (usage->arguments_wanted && usage->words > 1 && word[0] != ',' && strncmp(word, "OPTION", 6) != 0) {
        read_argument(usage, word);
    }
}

static void read_usage(struct usage *usage, const char *line)
{
    static const char blanks[] = " \t", marks[] = "[]|";
    if (strncmp(line, "usage:", 6) == 0)
        line += 6;
    line += strspn(line, blanks);
    if (strncmp(line, "admit ", 6) == 0) {
        begin_line(usage);
        line += 6;
    }
    while (*line != '\0' && *line != '(') {
        if (strchr(blanks, *line) == NULL && strchr(marks, *line) == NULL) {
            char word[SYNOPSIS_WORD_SIZE];
            const size_t length = strcspn(line, " \t[]|");
            keep(word, sizeof word, line, length);
            read_usage_word(usage, word);
            usage->either = false;
            line += length;
            continue;
        }
        if (strchr(marks, *line) != NULL)
            usage->option = NULL;
        usage->either |= *line == '|';
        line++;
    }
}

/* --- a line for an option --------------------------------------------------------------------------------------------- */

/* What is said of it first, as far as it stands in this line. */
static void keep_brief(struct synopsis_option *option, const char *text)
{
    size_t length = 0;
    while (text[length] != '\0' && !(strchr(".;:", text[length]) != NULL && text[length + 1] == ' ') &&
           strncmp(text + length, " (", 2) != 0)
        length++;
    while (length > 0 && strchr(".;:,", text[length - 1]) != NULL)
        length--;
    keep(option->brief, SYNOPSIS_BRIEF_SIZE, text, length);
}

/* "  -k, --slots K       how many may be inside", which may go on, or begin, in the next line. */
static void read_option_line(struct synopsis *synopsis, const char *line, const char *next)
{
    char names[LINE_SIZE];
    line += strspn(line, " ");
    const char *brief = strstr(line, "  ");
    keep(names, sizeof names, line, brief != NULL ? (size_t)(brief - line) : strlen(line));
    if (brief == NULL)
        brief = next;
    brief += strspn(brief, " ");
    struct synopsis_option *option = NULL, *other = NULL;
    char *rest;
    for (char *word = strtok_r(names, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        const bool more = word[strlen(word) - 1] == ',';
        if (word[0] != '-' || strcmp(word, "--") == 0) {
            if (option == NULL)
                continue;
            keep(option->takes, SYNOPSIS_WORD_SIZE, word, strcspn(word, "["));
            for (char *bar = option->takes; (bar = strchr(bar, '|')) != NULL;)
                *bar = ' '; /* "any|native": what it takes is one of several */
            if (other != NULL)
                strcpy(other->takes, option->takes);
            option = other = NULL;
            continue;
        }
        if (more)
            word[strlen(word) - 1] = '\0';
        other = option != NULL && option->name[1] != '-' ? option : NULL; /* "-k, --slots": two names of one */
        option = add_option(synopsis, word);
        if (option != NULL)
            keep_brief(option, brief);
    }
}

/* --- all of it -------------------------------------------------------------------------------------------------------- */

/* Copies the line that begins there; returns where the next one does. */
static const char *copy_line(const char *text, char line[LINE_SIZE])
{
    const size_t length = strcspn(text, "\n");
    keep(line, LINE_SIZE, text, length);
    return text + length + (text[length] == '\n');
}

void synopsis_read(struct synopsis *synopsis, const char *help, const char *part)
{
    struct usage usage = {.synopsis = synopsis, .part = part};
    char line[LINE_SIZE], next[LINE_SIZE];
    *synopsis = (struct synopsis){.option_count = 0};
    for (bool in_usage = true; *help != '\0';) {
        help = copy_line(help, line);
        copy_line(help, next);
        in_usage &= line[0] != '\0';
        const size_t indent = strspn(line, " ");
        if (in_usage)
            read_usage(&usage, line);
        else if (indent > 0 && indent <= OPTION_INDENT_MAX && line[indent] == '-')
            read_option_line(synopsis, line, next);
    }
}
