/* SPDX-License-Identifier: MIT
 *
 * admit complete - what may stand for the last word of a command line.
 *
 * Which options there are and what they take is read from the help of the sub-command (synopsis.h), and what there is for
 * each word of a help is known by KINDS: so there is no list that could be another than the help.
 */
#include "cli/complete.h"

#include "cli/offers.h"
#include "cli/synopsis.h"
#include "cli/usage.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char help_text[] = "usage: admit complete -- WORD...\n"
                                "\n"
                                "For the completions of bash, zsh and fish, which 'make install' installs. The WORDs "
                                "are those of a command line after\n"
                                "'admit', up to the one that is being typed. Prints what may stand for that, one in "
                                "each line, and after a tab what it\n"
                                "is. A line that begins with a colon says what the shell itself is to offer: ':files', "
                                "':directories', or ':command 4':\n"
                                "what it offers for a command whose name is the fourth WORD.\n";

/* --- what is printed ---------------------------------------------------------------------------------------------------- */

/* What stands in the word before that which is completed, such as "--fault=". */
static char kept[256];
static unsigned offered;

/* In a list, such as "--state=running,done,": nobody wants the same twice. */
static bool is_in_list(const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = kept, *end; (end = strchr(at, ',')) != NULL; at = end + 1) {
        const char *equals = memchr(at, '=', (size_t)(end - at));
        at = equals != NULL ? equals + 1 : at;
        if ((size_t)(end - at) == length && strncmp(at, word, length) == 0)
            return true;
    }
    return false;
}

void offer(const char *word, const char *brief)
{
    offered++;
    if (is_in_list(word))
        return;
    printf("%s%s", kept, word);
    if (brief != NULL && brief[0] != '\0')
        printf("\t%.*s", (int)strcspn(brief, "\n\t"), brief);
    putchar('\n');
}

static void files(const char *word, const char *command)
{
    (void)word, (void)command;
    offered++;
    puts(":files");
}

static void directories(const char *word, const char *command)
{
    (void)word, (void)command;
    offered++;
    puts(":directories");
}

/* A gate that is named by a path is a file. */
static void gates_or_files(const char *word, const char *command)
{
    if (strchr(word, '/') != NULL)
        files(word, command);
    else
        offer_gates(word, command);
}

/* By the words of the helps. For those that are not here nothing is offered: numbers, times, texts. */
static const struct {
    const char *placeholder;
    void (*offer)(const char *word, const char *command);
} kinds[] = {
    {"GATE", gates_or_files},
    {"@ID", offer_jobs},
    {"STATE", offer_job_states},
    {"FILE", files},
    {"PREFIX", files},
    {"DIR", directories},
    {"ALGORITHM", offer_algorithms},
    {"FAULT", offer_faults},
    {"KIND", offer_registers},
    {"MODEL", offer_memory_models},
    {"PAPER", offer_papers},
    {"PROPERTY", offer_properties},
    {"WAY", offer_ways},
};

/* `placeholders`: one or several, with blanks between. A word in small letters stands for itself: "--order any|native". */
static void offer_what_is_called(const char *placeholders, const char *word, const char *command)
{
    char list[SYNOPSIS_WORD_SIZE], *rest;
    strcpy(list, placeholders);
    for (char *name = strtok_r(list, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
        for (unsigned k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
            if (strcmp(kinds[k].placeholder, name) == 0)
                kinds[k].offer(word, command);
        if (name[0] >= 'a' && name[0] <= 'z')
            offer(name, NULL);
    }
}

static void offer_words(const char *list)
{
    char word[SYNOPSIS_WORD_SIZE];
    for (size_t length; *list != '\0'; list += length + strspn(list + length, " ")) {
        length = strcspn(list, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, list);
        offer(word, NULL);
    }
}

/* --- the help of a sub-command ------------------------------------------------------------------------------------------ */

/* As it prints it: in a process of its own, since it may end there. */
static void read_help(const struct command *command, const char *part, struct synopsis *synopsis)
{
    static char text[1 << 16], option[] = "--help";
    int ends[2];
    size_t length = 0;
    ssize_t got;
    pid_t child;
    *synopsis = (struct synopsis){.option_count = 0};
    fflush(stdout);
    if (pipe(ends) != 0 || (child = fork()) < 0)
        return;
    if (child == 0) {
        char *words[] = {part != NULL ? (char *)part : option, part != NULL ? option : NULL, NULL};
        const int nothing = open("/dev/null", O_WRONLY);
        dup2(ends[1], STDOUT_FILENO);
        dup2(nothing, STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        exit(command->run(part != NULL ? 2 : 1, words));
    }
    close(ends[1]);
    while (length < sizeof text - 1 && (got = read(ends[0], text + length, sizeof text - 1 - length)) > 0)
        length += (size_t)got;
    close(ends[0]);
    waitpid(child, NULL, 0);
    text[length] = '\0';
    synopsis_read(synopsis, text, part);
}

/* --- the line so far ---------------------------------------------------------------------------------------------------- */

/* What the words before the last one are, and so what the last one is. */
struct line {
    const struct synopsis *synopsis;
    const struct synopsis_option *waiting; /* whose value is next; NULL: none */
    unsigned arguments;                    /* so many have been there */
    bool no_options;                       /* behind "--" */
    int command_at;                        /* behind the "--" before a command; 0: not there */
};

/* "-k", "--slots", "--slots=2", "-k2": the option, and whether its value is to come. */
static const struct synopsis_option *option_of(const struct synopsis *synopsis, const char *word, bool *value_is_next)
{
    char name[SYNOPSIS_WORD_SIZE];
    const size_t length = word[1] == '-' ? strcspn(word, "=") : 2;
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    const struct synopsis_option *option = synopsis_option(synopsis, name);
    *value_is_next = option != NULL && option->takes[0] != '\0' && word[length] == '\0';
    return option;
}

static void read_word(struct line *line, const char *word, int next)
{
    bool value_is_next;
    if (line->waiting != NULL) {
        line->waiting = NULL;
    } else if (!line->no_options && strcmp(word, "--") == 0) {
        line->no_options = true;
        line->command_at = line->synopsis->ends_in_command ? next : 0;
    } else if (!line->no_options && word[0] == '-' && word[1] != '\0') {
        const struct synopsis_option *option = option_of(line->synopsis, word, &value_is_next);
        line->waiting = value_is_next ? option : NULL;
    } else {
        line->arguments++;
    }
}

/* Of a list, such as "waiting,running", the last element. */
static void offer_value(const struct synopsis_option *option, const char *word, const char *command)
{
    const char *comma = strrchr(word, ',');
    const size_t used = strlen(kept);
    if (comma != NULL && strcmp(option->takes, "STATE") == 0) {
        snprintf(kept + used, sizeof kept - used, "%.*s", (int)(comma + 1 - word), word);
        word = comma + 1;
    }
    offer_what_is_called(option->takes, word, command);
}

static void offer_options(const struct line *line)
{
    for (unsigned o = 0; o < line->synopsis->option_count; o++)
        offer(line->synopsis->options[o].name, line->synopsis->options[o].brief);
    if (synopsis_option(line->synopsis, "--help") == NULL)
        offer("--help", "what it does, and its options");
}

static void offer_argument(const struct line *line, const char *word, const char *command)
{
    const struct synopsis *synopsis = line->synopsis;
    unsigned number = line->arguments;
    if (number >= synopsis->argument_count && synopsis->last_repeats)
        number = synopsis->argument_count - 1;
    if (number < synopsis->argument_count)
        offer_what_is_called(synopsis->arguments[number], word, command);
    else if (synopsis->ends_in_command)
        offer("--", "before the command");
    else if (!line->no_options)
        offer_options(line);
}

static void complete_words(const struct command *command, int count, char **words)
{
    static struct synopsis synopsis;
    const char *last = words[count - 1];
    int from = 1;
    read_help(command, NULL, &synopsis);
    if (synopsis.parts[0] != '\0' && count == 2 && last[0] != '-') {
        offer_words(synopsis.parts);
        return;
    }
    if (count > 2 && synopsis_has_part(&synopsis, words[1]))
        read_help(command, words[from++], &synopsis);
    struct line line = {.synopsis = &synopsis};
    for (int w = from; w < count - 1 && line.command_at == 0; w++)
        read_word(&line, words[w], w + 2);
    const bool is_option = !line.no_options && last[0] == '-' && line.waiting == NULL;
    bool value_is_next;
    if (line.command_at != 0) {
        printf(":command %d\n", line.command_at);
    } else if (line.waiting != NULL) {
        offer_value(line.waiting, last, command->name);
    } else if (is_option && strchr(last, '=') != NULL) {
        const struct synopsis_option *option = option_of(&synopsis, last, &value_is_next);
        const char *value = strchr(last, '=') + 1;
        snprintf(kept, sizeof kept, "%.*s", (int)(value - last), last);
        if (option != NULL)
            offer_value(option, value, command->name);
    } else if (is_option) {
        offer_options(&line);
    } else {
        offer_argument(&line, last, command->name);
    }
}

int complete(const struct command *commands, unsigned count, int argc, char **argv)
{
    if (argc > 0 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)) {
        fputs(help_text, stdout);
        return EXIT_OK;
    }
    if (argc < 2 || strcmp(argv[0], "--") != 0)
        usage_error("complete", "the words of a command line stand behind --");
    argc--, argv++;
    const bool asks_for_help = strcmp(argv[0], "help") == 0;
    if (argc == 1 && argv[0][0] == '-') {
        offer("--help", "what commands there are");
        offer("--version", NULL);
    } else if (argc == 1 || (argc == 2 && asks_for_help)) {
        for (unsigned c = 0; c < count; c++)
            offer(commands[c].name, commands[c].brief);
        if (argc == 1)
            offer("help", "what a command does, and its options");
    } else {
        const struct command *command = find_command(commands, count, argv[asks_for_help ? 1 : 0]);
        if (command != NULL)
            complete_words(command, argc - asks_for_help, argv + asks_for_help);
    }
    return EXIT_OK;
}
