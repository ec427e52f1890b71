/* SPDX-License-Identifier: MIT
 *
 * admit - the command line. One file per sub-command.
 */
#include "base/spelling.h"
#include "cli/commands.h"
#include "cli/complete.h"
#include "cli/program.h"
#include "cli/usage.h"

#include <admit.h>
#include <stdio.h>
#include <string.h>

static const struct command commands[] = {
    {"run", command_run, "run a command once fewer than k are inside a gate, in the order of arrival"},
    {"jobs", command_jobs, "what 'run -b' has queued: waiting, running, done"},
    {"wait", command_wait, "wait for such jobs, or until nobody is at a gate any more"},
    {"cancel", command_cancel, "take a job out of the line, or end its command"},
    {"output", command_output, "what a job's command has printed"},
    {"enter", command_enter, "hold a slot for several commands of a script"},
    {"leave", command_leave, "give it back"},
    {"jobserver", command_jobserver, "one pool of jobs for all builds: make, cargo, ninja"},
    {"status", command_status, "who is inside a gate, and who waits"},
    {"top", command_top, "the same, live"},
    {"list", command_list, "the gates there are"},
    {"resize", command_resize, "more or fewer slots"},
    {"remove", command_remove, "take a gate away"},
    {"report", command_report, "what a log tells: throughput, waits, use of slots"},
    {"algorithms", command_algorithms,
     "the catalogue: where each algorithm is printed, what it needs, what is claimed of it"},
    {"check", command_check, "explore the shipped code of an algorithm: does a property hold?"},
    {"replay", command_replay, "execute a counterexample again and confirm what it shows"},
    {"equivalent", command_equivalent,
     "do two algorithms keep all processes in the same regions, whatever the schedule?"},
    {"claims", command_claims, "what the papers say of their algorithms, row by row, and what is found"},
    {"count", command_count, "remote references, steps, shared bits and shared values of an algorithm"},
    {"bound", command_bound, "play a lower bound's proof against an algorithm: has it enough variables?"},
};
enum { GATE_COMMANDS = 14, COMMANDS = sizeof commands / sizeof commands[0] };

/* What people type because other tools call it so. */
static const struct {
    const char *meant, *typed;
    const char *also; /* NULL: nothing else may be meant */
} habits[] = {
    {"run", " exec start with create new ", NULL},
    {"run -k", " -k --slots -j ", NULL},
    {"run -w", " -w --wait --timeout ", NULL},
    {"run --try", " --try -n --nonblock ", NULL},
    {"run -b", " submit queue batch -b --background ", NULL},
    {"cancel", " kill stop abort ", NULL},
    {"output", " cat tail ", NULL},
    {"output", " log logs ", "report"},
    {"enter", " lock acquire ", NULL},
    {"leave", " unlock release ", NULL},
    {"status", " ps show stat info who inspect ", NULL},
    {"top", " watch monitor follow ", NULL},
    {"list", " ls dir gates ", NULL},
    {"resize", " set scale grow shrink limit ", NULL},
    {"remove", " rm del delete destroy unlink ", NULL},
    {"algorithms", " algorithm catalogue catalog ", NULL},
    {"check", " explore prove verify ", NULL},
    {"equivalent", " compare diff ", NULL},
    {"count", " measure ", NULL},
    {"--version", " version -v ", NULL},
};

static void list_commands(FILE *out, const char *heading, unsigned from, unsigned to)
{
    fprintf(out, "\n%s\n", heading);
    for (unsigned c = from; c < to; c++)
        fprintf(out, "  %-12s %s\n", commands[c].name, commands[c].brief);
}

static int help(FILE *out)
{
    fputs("admit: at most k inside, in the order they came, whichever is killed; and a checker for the code that does "
          "it.\n"
          "\n"
          "usage: admit COMMAND [ARGUMENT...]\n"
          "\n"
          "  admit run -k 2 demo -- make test      at most two at a time, from anywhere; 'demo' is the gate's name\n",
          out);
    list_commands(out, "Gates:", 0, GATE_COMMANDS);
    list_commands(out, "The algorithms of the literature, and what is true of them:", GATE_COMMANDS, COMMANDS);
    fputs("\n'admit help COMMAND' says more. The manual is admit(1); admit(7) says what a gate is.\n"
          "'admit --version' prints the version.\n",
          out);
    return out == stdout ? EXIT_OK : EXIT_USAGE;
}

static int no_such_command(const char *name)
{
    fprintf(stderr, "admit: there is no command '%s'", name);
    const char *meant = NULL, *also = NULL;
    char word[32];
    snprintf(word, sizeof word, " %s ", name);
    for (unsigned h = 0; h < sizeof habits / sizeof habits[0]; h++)
        if (strchr(name, ' ') == NULL && strstr(habits[h].typed, word) != NULL)
            meant = habits[h].meant, also = habits[h].also;
    if (meant != NULL && also != NULL)
        fprintf(stderr, "; did you mean '%s' or '%s'?", meant, also);
    else if (meant != NULL)
        fprintf(stderr, "; did you mean '%s'?", meant);
    const char *joined = "; did you mean";
    for (unsigned c = 0; meant == NULL && c < COMMANDS; c++)
        if (edit_distance(name, commands[c].name) <= 2) {
            fprintf(stderr, "%s '%s'", joined, commands[c].name);
            joined = " or";
        }
    if (joined[0] == ' ')
        fputc('?', stderr);
    fputs("\nTry 'admit --help'.\n", stderr);
    return EXIT_USAGE;
}

/* "help run" is "run --help", and so is "help run -k": the help has all options. Returns how many words that are. */
static int put_help_last(int argc, char **argv)
{
    static char option[] = "--help";
    int words = 2;
    while (words < argc && argv[words][0] != '-')
        words++;
    memmove(argv + 1, argv + 2, (size_t)(words - 2) * sizeof *argv);
    argv[words - 1] = option;
    return words;
}

int main(int argc, char **argv)
{
    begin_program(argc > 1 ? own_failure_of(argv[1]) : EXIT_USAGE);
    if (argc < 2)
        return help(stderr);
    if (strcmp(argv[1], "help") == 0 && argc > 2)
        argc = put_help_last(argc, argv);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return help(stdout);
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        printf("admit %d.%d.%d\n", ADMIT_VERSION_MAJOR, ADMIT_VERSION_MINOR, ADMIT_VERSION_PATCH);
        return EXIT_OK;
    }
    if (strcmp(argv[1], "complete") == 0)
        return complete(commands, COMMANDS, argc - 2, argv + 2);
    const struct command *command = find_command(commands, COMMANDS, argv[1]);
    if (command == NULL)
        return no_such_command(argv[1]);
    if (is_for_helper(argc, argv))
        become_helper(argv, own_failure_of(argv[1]));
    return command->run(argc - 2, argv + 2);
}
