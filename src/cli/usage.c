/* SPDX-License-Identifier: MIT */
#include "cli/usage.h"

#include "base/spelling.h"
#include "native/printable.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int usage_exit_status = EXIT_USAGE;

/* What is complained of may be a name that somebody else gave to a file. */
_Noreturn void usage_error(const char *command, const char *format, ...)
{
    static char text[8192], printed[sizeof text]; /* the stack may be small */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    admit_printable(text, printed, sizeof printed);
    fflush(stdout);
    fprintf(stderr, "admit %s: %s\nTry 'admit %s --help'.\n", command, printed, command);
    exit(usage_exit_status);
}

/* What other tools call it, if this sub-command has it. */
static const char *by_habit(const char *option, const char *help)
{
    static const char many[] = " -j -P --jobs --max-procs --count ";
    static const char at_once[] = " --nonblock --non-block --nonblocking --non-blocking --nb --no-wait --nowait ";
    char word[32];
    snprintf(word, sizeof word, " %s ", option);
    if (strcmp(option, "-n") == 0 && strstr(help, " -k, --slots") != NULL)
        return "--try (not to wait, as flock's) or -k (how many)";
    if (strstr(at_once, word) != NULL && strstr(help, " --try") != NULL)
        return "--try";
    if (strstr(many, word) != NULL && strstr(help, " -k, --slots") != NULL)
        return "-k";
    if (strcmp(option, "--timeout") == 0 && strstr(help, " -w, --wait") != NULL)
        return strstr(help, " --limit ") != NULL ? "-w (for waiting) or --limit (for the command)" : "-w";
    return NULL;
}

static const char letters[] = "abcdefghijklmnopqrstuvwxyz-";

/* What may be meant by a word, and how near it is. */
struct likeness {
    const char *word;
    unsigned least; /* edits; only what takes fewer is nearer */
    char nearest[32];
};

/* Two letters of three are no likeness. */
static struct likeness likeness_to(const char *word)
{
    return (struct likeness){.word = word, .least = strlen(word) < 6 ? 2 : 3};
}

static void look_at(struct likeness *likeness, const char *at, size_t length)
{
    char name[sizeof likeness->nearest];
    if (length >= sizeof name)
        return;
    memcpy(name, at, length);
    name[length] = '\0';
    const unsigned distance = edit_distance(likeness->word, name);
    if (distance < likeness->least) {
        likeness->least = distance;
        strcpy(likeness->nearest, name);
    }
}

/* A long option that is near. */
static void by_spelling(struct likeness *likeness, const char *help)
{
    for (const char *at = strstr(help, " --"); at != NULL; at = strstr(at + 1, " --")) {
        const size_t length = strspn(at + 1, letters);
        if (length > 2)
            look_at(likeness, at + 1, length);
    }
}

_Noreturn void no_such_option(const char *command, const char *option, const char *help)
{
    struct likeness likeness = likeness_to(option);
    const char *meant = by_habit(option, help);
    if (meant == NULL && strncmp(option, "--", 2) == 0)
        by_spelling(&likeness, help);
    if (likeness.nearest[0] != '\0')
        meant = likeness.nearest;
    if (meant != NULL)
        usage_error(command, "there is no option '%s'; did you mean %s?", option, meant);
    usage_error(command, "there is no option '%s'", option);
}

_Noreturn void no_such_value(const char *command, const char *option, const char *known, const char *value)
{
    char word[32]; /* without a count behind it */
    snprintf(word, sizeof word, "%.*s", (int)strcspn(value, ":"), value);
    struct likeness likeness = likeness_to(word);
    for (const char *at = known; *at != '\0';) {
        const size_t length = strspn(at, letters);
        if (length > 0 && !(length == 2 && strncmp(at, "or", 2) == 0))
            look_at(&likeness, at, length);
        at += length > 0 ? length : 1;
    }
    if (likeness.nearest[0] != '\0')
        usage_error(command, "%s takes %s, not '%s'; did you mean %s?", option, known, value, likeness.nearest);
    usage_error(command, "%s takes %s, not '%s'", option, known, value);
}

/* What the last option has not taken as its value: other short options, or too much. */
static const char *rest_of_word(struct arguments *arguments)
{
    const char *rest = arguments->rest;
    if (rest == NULL)
        return NULL;
    if (rest[0] == '=' || arguments->option[1] == '-')
        usage_error(arguments->command, "%s takes no value", arguments->option);
    arguments->option[1] = rest[0];
    arguments->rest = rest[1] != '\0' ? rest + 1 : NULL;
    return arguments->option;
}

/* "--wait=3s" and "-k2" are a name and what is left. A name that is longer than any option's is none, and stays whole, as
 * does one beyond ASCII, whose first byte would be no character. */
static const char *split(struct arguments *arguments, const char *word)
{
    size_t length = word[1] == '-' ? strcspn(word, "=") : 2;
    if (word[length] == '\0' || (unsigned char)word[1] >= 0x80 || length >= sizeof arguments->option ||
        strncmp(word, "--=", 3) == 0)
        return word;
    memcpy(arguments->option, word, length);
    arguments->option[length] = '\0';
    arguments->rest = word + length;
    return arguments->option;
}

const char *plain_argument(const struct arguments *arguments, int number)
{
    return number < arguments->plain_count ? arguments->argv[number] : NULL;
}

static void collect(struct arguments *arguments, char *word)
{
    if (arguments->plain_count == arguments->plain_max)
        usage_error(arguments->command, "'%s' is one argument too many", word);
    arguments->argv[arguments->plain_count++] = word;
}

static void collect_rest(struct arguments *arguments)
{
    while (arguments->at < arguments->argc)
        collect(arguments, arguments->argv[arguments->at++]);
}

const char *next_option(struct arguments *arguments)
{
    const char *option = rest_of_word(arguments);
    while (option == NULL && arguments->at < arguments->argc) {
        char *word = arguments->argv[arguments->at++];
        if (arguments->dashes_end_options && strcmp(word, "--") == 0)
            collect_rest(arguments);
        else if (word[0] == '-' && word[1] != '\0')
            option = split(arguments, word);
        else
            collect(arguments, word);
    }
    return option;
}

bool is_option(const char *option, const char *short_name, const char *long_name)
{
    return (short_name != NULL && strcmp(option, short_name) == 0) ||
           (long_name != NULL && strcmp(option, long_name) == 0);
}

const char *option_value(struct arguments *arguments, const char *option)
{
    const char *rest = arguments->rest;
    arguments->rest = NULL;
    if (rest != NULL)
        return rest[0] == '=' ? rest + 1 : rest;
    if (arguments->at == arguments->argc)
        usage_error(arguments->command, "%s needs a value", option);
    return arguments->argv[arguments->at++];
}

uint64_t number_argument(const char *command, const char *what, const char *text, uint64_t least, uint64_t most)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < least || value > most)
        usage_error(command, "%s takes a whole number from %llu to %llu, not '%s'", what, (unsigned long long)least,
                    (unsigned long long)most, text);
    return value;
}

uint64_t option_number(struct arguments *arguments, const char *option, uint64_t least, uint64_t most)
{
    return number_argument(arguments->command, option, option_value(arguments, option), least, most);
}

uint64_t option_size(struct arguments *arguments, const char *option)
{
    const char *text = option_value(arguments, option);
    char *end;
    double value = strtod(text, &end);
    uint64_t unit = 1;
    if (*end == 'K' || *end == 'M' || *end == 'G')
        unit = *end == 'K' ? 1 << 10 : *end == 'M' ? 1 << 20 : 1 << 30, end++;
    if (end == text || *end != '\0' || !(value > 0) || value * (double)unit > 1e18)
        usage_error(arguments->command, "%s takes a size such as 500M or 16G, not '%s'", option, text);
    return (uint64_t)(value * (double)unit);
}
