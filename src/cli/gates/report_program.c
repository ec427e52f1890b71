/* SPDX-License-Identifier: MIT */
#include "cli/gates/report_program.h"

#include <stdbool.h>
#include <string.h>

/* One that is seldom what somebody wants to know: they want to know what it runs. */
struct front {
    const char *name;   /* without the digits and points of a version */
    const char *valued; /* options of one letter whose value is the next word */
    const char *texts;  /* those behind which the program's text stands: an interpreter's */
    unsigned plain;     /* so many words of its own come before the command */
    bool runs_any;      /* what stands behind it may be another front */
};

static const struct front fronts[] = {
    {"chrt", "TPD", "", 1, true},   {"env", "uC", "", 0, true},         {"ionice", "cn", "", 0, true},
    {"nice", "n", "", 0, true},     {"nohup", "", "", 0, true},         {"setsid", "", "", 0, true},
    {"stdbuf", "ioe", "", 0, true}, {"sudo", "CDghpRTtu", "", 0, true}, {"taskset", "", "", 1, true},
    {"time", "fo", "", 0, true},    {"timeout", "ks", "", 1, true},     {"ash", "o", "cs", 0, false},
    {"bash", "oO", "cs", 0, false}, {"dash", "o", "cs", 0, false},      {"fish", "", "c", 0, false},
    {"ksh", "o", "cs", 0, false},   {"sh", "o", "cs", 0, false},        {"zsh", "o", "cs", 0, false},
    {"node", "r", "ep", 0, false},  {"perl", "I", "eE", 0, false},      {"python", "WX", "c", 0, false},
    {"ruby", "Ir", "e", 0, false},
};

/* --- words --------------------------------------------------------------------------------------------------------- */

/* The next word, as a shell reads it, into `word`; false: there is none. One that was cut may lack its last quote. */
static bool take_word(const char **at, char *word)
{
    while (**at == ' ')
        ++*at;
    if (**at == '\0')
        return false;
    for (bool quoted = false; **at != '\0' && (quoted || **at != ' '); ++*at) {
        if (**at == '\'') {
            quoted = !quoted;
            continue;
        }
        if (**at == '\\' && !quoted && (*at)[1] != '\0')
            ++*at;
        *word++ = **at;
    }
    *word = '\0';
    return true;
}

static void drop_folder(char *word)
{
    const char *slash = strrchr(word, '/');
    if (slash != NULL && slash[1] != '\0')
        memmove(word, slash + 1, strlen(slash + 1) + 1);
}

static const struct front *front_of(const char *program)
{
    size_t length = strlen(program);
    while (length > 0 && strchr(".0123456789", program[length - 1]) != NULL)
        length--;
    for (const struct front *front = fronts; front < fronts + sizeof fronts / sizeof fronts[0]; front++)
        if (strlen(front->name) == length && strncmp(front->name, program, length) == 0)
            return front;
    return NULL;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* NAME=VALUE */
static bool is_assignment(const char *word)
{
    if (!is_letter(*word) && *word != '_')
        return false;
    while (is_letter(*word) || *word == '_' || (*word >= '0' && *word <= '9'))
        word++;
    return *word == '=';
}

/* Options of one letter each, in one word; '\0': none of these is among them. */
static char one_of(const char *letters, const char *option)
{
    const char *found = strpbrk(option, letters);
    for (; *option != '\0'; option++)
        if (!is_letter(*option))
            return '\0';
    return found != NULL ? *found : '\0';
}

/* --- what stands behind a front ------------------------------------------------------------------------------------- */

enum found { NOTHING, TEXT, PROGRAM };

/* The program behind it, into `word`, which begins at *begins; or the letter of an option behind which a text stands. */
static enum found look_behind(const struct front *front, const char *at, const char **begins, char *word, char *letter)
{
    unsigned plain = front->plain;
    bool options = true;
    while (*begins = at, take_word(&at, word)) {
        if (options && strcmp(word, "--") == 0) {
            options = false;
        } else if (options && word[0] == '-') {
            const size_t length = strlen(word);
            *letter = one_of(front->texts, word + 1);
            if (*letter != '\0')
                return TEXT;
            if (length > 1 && one_of(front->valued, word + length - 1) != '\0' &&
                one_of(front->valued, word + 1) != '\0')
                take_word(&at, word);
        } else if (plain > 0) {
            plain--;
        } else if (!front->runs_any || !is_assignment(word)) {
            return PROGRAM;
        }
    }
    return NOTHING;
}

const char *name_program(const char *command, char *name)
{
    const char *at = command;
    *name = '\0';
    for (;;) {
        char letter = '\0';
        const char *const begins = at;
        if (!take_word(&at, name))
            return at;
        drop_folder(name);
        const struct front *front = front_of(name);
        if (front == NULL)
            return at;
        const char *behind;
        const enum found found = look_behind(front, at, &behind, name, &letter);
        if (found == PROGRAM && front->runs_any) {
            at = behind;
            continue;
        }
        if (found != NOTHING)
            take_word(&behind, name);
        if (found == PROGRAM) {
            drop_folder(name);
            return behind;
        }
        at = begins; /* it has no other name than its own */
        take_word(&at, name);
        drop_folder(name);
        if (found == NOTHING)
            return at;
        memcpy(name + strlen(name), (const char[]){' ', '-', letter, '\0'}, 4);
        return behind;
    }
}
