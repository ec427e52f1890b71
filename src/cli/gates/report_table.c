/* SPDX-License-Identifier: MIT
 *
 * Who used a gate's slots and who waited for them, as a table: by user, and by command.
 */
#include "cli/gates/columns.h"
#include "cli/gates/gates.h"
#include "cli/gates/report.h"
#include "cli/gates/shares.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 5, NAME_MIN = 10, NAME_MAX_COLUMNS = 40, NUMBERS = 59, USUAL_WIDTH = 79 };

static void say_name(const struct names *names, uint32_t number, char text[ADMIT_COMMAND_SIZE])
{
    const char *name = name_of(names, number);
    if (name == NULL)
        strcpy(text, "others");
    else if (name[0] == '\0')
        strcpy(text, "unnamed");
    else
        printable(name, text);
}

static void print_row(const char *name, unsigned width, const struct share *share, double all)
{
    char p50[32] = "-", p90[32] = "-", longest[32] = "-";
    if (share->waits.count > 0) {
        span_for_people(share->waits.p50, p50);
        span_for_people(share->waits.p90, p90);
        span_for_people(share->waits.most, longest);
    }
    printf("    %s%*s %8" PRIu64 " %5.0f %% %11s %11s %11s %8" PRIu64 "\n", name, (int)(width - columns_of_text(name)),
           "", share->entered, all > 0 ? 100 * (double)share->used / all : 0, p50, p90, longest, share->gave_up);
}

void print_shares(const struct reckoning *r, const struct log *log, const struct event *events, size_t count,
                  bool by_user)
{
    struct share *shares;
    char names[SHOWN + 1][ADMIT_COMMAND_SIZE];
    const unsigned terminal = width_of_terminal(), room = terminal > 0 ? terminal : USUAL_WIDTH;
    const unsigned most = room < NUMBERS + NAME_MIN + 4 ? NAME_MIN : room - NUMBERS - 4;
    unsigned width = NAME_MIN;
    const size_t found = shares_of_gate(r, log, events, count, by_user, SHOWN, &shares);
    for (size_t s = 0; s < found; s++) {
        say_name(by_user ? &log->users : &log->programs, shares[s].number, names[s]);
        cut_to_columns(names[s], most < NAME_MAX_COLUMNS ? most : NAME_MAX_COLUMNS);
        if (columns_of_text(names[s]) > width)
            width = columns_of_text(names[s]);
    }
    if (found > 0)
        printf("  %-*s %8s %7s %11s %11s %11s %8s\n", (int)width + 2, by_user ? "by user" : "by command", "entered",
               "share", "wait p50", "wait p90", "longest", "gave up");
    for (size_t s = 0; s < found; s++)
        print_row(names[s], width, &shares[s], r->used);
    free(shares);
}
