/* SPDX-License-Identifier: MIT */
#include "cli/gates/change_text.h"

#include "cli/gates/columns.h"
#include "cli/gates/gates.h"
#include "cli/gates/view.h"
#include "native/printable.h"

#include <stdio.h>
#include <string.h>

/* For people, and for programs. */
static const struct {
    const char *word, *key;
} words[CHANGE_KINDS] = {[CHANGE_WAITS] = {"waits", "waits"},
                         [CHANGE_ENTERED] = {"entered", "entered"},
                         [CHANGE_LEFT] = {"left", "left"},
                         [CHANGE_PASSED] = {"passed", "passed"},
                         [CHANGE_GAVE_UP] = {"gave up", "gave_up"},
                         [CHANGE_GONE] = {"gone", "gone"},
                         [CHANGE_DIED] = {"died", "died"},
                         [CHANGE_RECOVERED] = {"recovered", "recovered"},
                         [CHANGE_ORPHANED] = {"orphan", "orphaned"},
                         [CHANGE_STOPPED] = {"stopped", "stopped"},
                         [CHANGE_GOES_ON] = {"goes on", "goes_on"},
                         [CHANGE_RESIZED] = {"resized", "resized"},
                         [CHANGE_OUTSIDE] = {"outside", "outside"},
                         [CHANGE_UNSEEN] = {"unseen", "unseen"},
                         [CHANGE_MADE] = {"new gate", "made"},
                         [CHANGE_REMOVED] = {"removed", "removed"},
                         [CHANGE_REPLACED] = {"replaced", "replaced"},
                         [CHANGE_UNUSABLE] = {"unusable", "unusable"},
                         [CHANGE_USABLE] = {"usable", "usable"}};

bool change_is_harm(const struct change *change)
{
    return change->kind == CHANGE_DIED || change->kind == CHANGE_RECOVERED || change->kind == CHANGE_ORPHANED ||
           change->kind == CHANGE_UNUSABLE || (change->kind == CHANGE_UNSEEN && change->recovered > 0);
}

/* --- for people ------------------------------------------------------------------------------------------------------- */

/* Of a process that is gone or has gone in: what is known beside that. Empty, or in parentheses. */
static void remark(const struct change *change, char text[128])
{
    char so_long[32] = "";
    const char *what = "";
    const bool inside = change->is_inside;
    if (change->lasted >= 0)
        span_for_people(change->lasted / 1000, so_long);
    switch (change->kind) {
    case CHANGE_PASSED:
        what = "in and out again, after";
        break;
    case CHANGE_RECOVERED:
        what = inside ? "died inside, after" : "died in line, after";
        break;
    case CHANGE_GONE:
        what = inside ? "left or died, after" : "went in, gave up or died, after";
        break;
    case CHANGE_DIED:
        what = change->was == ADMIT_ORPHAN ? "has ended; its slot is the next one's"
               : inside                    ? "inside; its slot is the next one's"
                                           : "in line";
        break;
    case CHANGE_ORPHANED:
        what = "holds on without its admit";
        break;
    default:
        what = "after";
    }
    text[0] = '\0';
    const size_t length = strlen(what), after = strlen("after");
    if (strcmp(what + length - after, "after") != 0)
        snprintf(text, 128, "(%s)", what);
    else if (so_long[0] != '\0')
        snprintf(text, 128, "(%s %s)", what, so_long);
    else if (length > after)
        snprintf(text, 128, "(%.*s)", (int)(length - after - strlen(", ")), what);
}

static void print_who(FILE *out, const struct change *change)
{
    const admit_participant *who = change->who;
    char where[32] = "-", pid[24] = "-", user[64], full[ADMIT_HOST_SIZE + 64], text[128], command[ADMIT_COMMAND_SIZE];
    if (change->number != NO_NUMBER)
        snprintf(where, sizeof where, "%s %d", change->is_inside ? "slot" : "place", change->number);
    if (who->pid > 0)
        snprintf(pid, sizeof pid, "%ld", who->pid);
    const char *name = user_of(who, user);
    snprintf(full, sizeof full, "%s%s%s", name != NULL ? name : "-", who->host[0] != '\0' ? "@" : "", who->host);
    admit_printable(full, text, sizeof text);
    fprintf(out, "%-8s  %s %s  ", where, pid, text);
    remark(change, text);
    fprintf(out, "%s%s%s", printable(who->command, command), who->command[0] != '\0' ? " " : "", text);
}

static void print_count(FILE *out, uint64_t count, const char *what, const char **joined)
{
    if (count > 0)
        fprintf(out, "%s%llu %s", *joined, (unsigned long long)count, what);
    if (count > 0)
        *joined = ", ";
}

static void print_numbers(FILE *out, const struct change *change)
{
    const char *joined = "";
    char text[512];
    switch (change->kind) {
    case CHANGE_RESIZED:
        fprintf(out, "from %llu to %llu slots", (unsigned long long)change->from, (unsigned long long)change->to);
        break;
    case CHANGE_OUTSIDE:
        if (change->to > 0)
            fprintf(out, "%llu outside: there is no more room in line", (unsigned long long)change->to);
        else
            fputs("nobody any more", out);
        break;
    case CHANGE_UNSEEN:
        print_count(out, change->entered, "more came in and left", &joined);
        print_count(out, change->recovered, "recovered", &joined);
        print_count(out, change->abandoned, "gave up", &joined);
        fputs(": between two looks, it is not known who", out);
        break;
    case CHANGE_REMOVED:
        fputs("the gate is not there any more", out);
        break;
    case CHANGE_REPLACED:
        fputs("by another gate of this name", out);
        break;
    case CHANGE_UNUSABLE:
        admit_printable(change->text, text, sizeof text);
        fputs(text, out);
        break;
    default:
        break;
    }
}

void change_line(const struct change *change, int64_t at, const char *gate, unsigned gate_columns,
                 char line[CHANGE_LINE])
{
    char when[32], name[256];
    FILE *out = fmemopen(line, CHANGE_LINE, "w");
    line[0] = '\0';
    if (out == NULL)
        return;
    fputs(time_for_people(at, when), out);
    if (gate_columns > 0) {
        admit_printable(gate, name, sizeof name);
        shorten_to_columns(name, gate_columns);
        fprintf(out, "  %s%*s", name, (int)(gate_columns - columns_of_text(name)), "");
    }
    fprintf(out, "  %-9s  ", words[change->kind].word);
    if (change->who != NULL)
        print_who(out, change);
    else
        print_numbers(out, change);
    fclose(out);
    line[CHANGE_LINE - 1] = '\0';
    for (size_t end = strlen(line); end > 0 && line[end - 1] == ' '; end--)
        line[end - 1] = '\0';
}

/* --- for programs ------------------------------------------------------------------------------------------------------- */

void change_write(struct json_writer *json, const struct change *change)
{
    json_begin_object(json, NULL);
    json_put_text(json, "event", words[change->kind].key);
    if (change->who != NULL) {
        const char *role = change->is_inside ? "slot" : "place";
        if (change->number != NO_NUMBER)
            json_put_number(json, role, (unsigned)change->number);
        else
            json_put_null(json, role);
        view_write_who(json, change->who);
        if (change->lasted >= 0)
            json_put_millionths(json, "after", change->lasted / 1000);
        else
            json_put_null(json, "after");
    }
    if (change->kind == CHANGE_RESIZED || change->kind == CHANGE_OUTSIDE) {
        json_put_number(json, "from", change->from);
        json_put_number(json, "to", change->to);
    }
    if (change->kind == CHANGE_UNSEEN) {
        json_put_number(json, "entered", change->entered);
        json_put_number(json, "recovered", change->recovered);
        json_put_number(json, "abandoned", change->abandoned);
    }
    json_end_object(json);
}
