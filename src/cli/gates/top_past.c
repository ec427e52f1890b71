/* SPDX-License-Identifier: MIT */
#include "cli/gates/top_past.h"

#include "base/die.h"
#include "cli/gates/change_text.h"

#include <stdlib.h>
#include <string.h>

void past_note(struct past_lines *lines, const struct watch *watch, const struct watched *watched,
               const struct change *change, int64_t at)
{
    char line[CHANGE_LINE];
    struct past *past = &lines->past[lines->count++ % PAST_LINES];
    change_line(change, at, watched->name, watch_gate_columns(watch), line);
    free(past->gate);
    free(past->line);
    *past = (struct past){strdup(watched->name), strdup(line), change_is_harm(change)};
    if (past->gate == NULL || past->line == NULL)
        die("out of memory");
}

unsigned past_last(const struct past_lines *lines, const char *gate, const struct past **found, unsigned most)
{
    const unsigned kept = lines->count < PAST_LINES ? lines->count : PAST_LINES;
    unsigned count = 0;
    for (unsigned back = 1; back <= kept && count < most; back++) {
        const struct past *past = &lines->past[(lines->count - back) % PAST_LINES];
        if (gate == NULL || strcmp(past->gate, gate) == 0)
            found[count++] = past;
    }
    return count;
}

void past_close(struct past_lines *lines)
{
    for (unsigned p = 0; p < PAST_LINES; p++) {
        free(lines->past[p].gate);
        free(lines->past[p].line);
    }
}
