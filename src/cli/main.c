/* SPDX-License-Identifier: MIT
 *
 * admit - the command line. One file per sub-command.
 */
#include "cli/cli.h"

#include <admit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *brief;
} commands[] = {
    {"run", command_run, "run a command once fewer than k are inside a gate, in the order of arrival"},
    {"status", command_status, "who is inside a gate, and who waits"},
    {"list", command_list, "the gates there are"},
    {"resize", command_resize, "more or fewer slots"},
    {"remove", command_remove, "take a gate away"},
    {"algorithms", command_algorithms,
     "the catalogue: where each algorithm is printed, what it needs, what is claimed of it"},
    {"check", command_check, "explore the shipped code of an algorithm: does a property hold?"},
    {"replay", command_replay, "execute a counterexample again and confirm what it shows"},
    {"equivalent", command_equivalent,
     "do two algorithms keep all processes in the same regions, whatever the schedule?"},
    {"claims", command_claims, "what the papers say of their algorithms, row by row, and what is found"},
    {"count", command_count, "steps, shared bits and shared values of an algorithm"},
    {"bound", command_bound, "play a lower bound's proof against an algorithm: has it enough variables?"},
};
enum { GATE_COMMANDS = 5, COMMANDS = sizeof commands / sizeof commands[0] };

static void list_commands(FILE *out, const char *heading, unsigned from, unsigned to)
{
    fprintf(out, "\n%s\n", heading);
    for (unsigned c = from; c < to; c++)
        fprintf(out, "  %-12s %s\n", commands[c].name, commands[c].brief);
}

static int help(FILE *out)
{
    fputs(
        "admit: at most k inside, in the order they came, whoever is killed; and a checker for the code that does it.\n"
        "\n"
        "usage: admit COMMAND [ARGUMENT...]\n"
        "\n"
        "  admit run -k 2 demo -- make test      at most two at a time, from anywhere; 'demo' is the gate's name\n",
        out);
    list_commands(out, "Gates:", 0, GATE_COMMANDS);
    list_commands(out, "The algorithms of the literature, and what is true of them:", GATE_COMMANDS, COMMANDS);
    fputs("\n'admit COMMAND --help' says more. 'admit --version' prints the version.\n", out);
    return out == stdout ? EXIT_OK : EXIT_USAGE;
}

/* At the end, however it comes: output that could not be written is no success. */
static void flush_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return;
    perror("admit: cannot write the output");
    _exit(EXIT_USAGE);
}

int main(int argc, char **argv)
{
    atexit(flush_output);
    if (argc < 2)
        return help(stderr);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return help(stdout);
    if (strcmp(argv[1], "--version") == 0) {
        printf("admit %d.%d.%d\n", ADMIT_VERSION_MAJOR, ADMIT_VERSION_MINOR, ADMIT_VERSION_PATCH);
        return EXIT_OK;
    }
    for (unsigned c = 0; c < COMMANDS; c++)
        if (strcmp(argv[1], commands[c].name) == 0)
            return commands[c].run(argc - 2, argv + 2);
    fprintf(stderr, "admit: there is no command '%s'", argv[1]);
    for (unsigned c = 0; c < COMMANDS; c++)
        if (edit_distance(argv[1], commands[c].name) <= 2)
            fprintf(stderr, "; did you mean '%s'?", commands[c].name);
    fputs("\nTry 'admit --help'.\n", stderr);
    return EXIT_USAGE;
}
