/* SPDX-License-Identifier: MIT */
#include "cli/gates/gates.h"
#include "cli/gates/report.h"

#include "native/printable.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LABEL = 11, NARROW = 30 };

const char *date_for_people(int64_t us, char buffer[32])
{
    const time_t seconds = us / 1000000;
    struct tm local;
    if (localtime_r(&seconds, &local) == NULL || strftime(buffer, 32, "%Y-%m-%d %H:%M:%S", &local) == 0)
        strcpy(buffer, "-");
    return buffer;
}

/* --- lines that are broken where the terminal ends ------------------------------------------------------------------ */

struct paragraph {
    unsigned width, column;
};

/* In characters, of which each begins with a byte of this kind. */
static unsigned length_of(const char *text)
{
    unsigned length = 0;
    for (; *text != '\0'; text++)
        length += ((unsigned char)*text & 0xc0) != 0x80;
    return length;
}

static struct paragraph begin(const char *label)
{
    const unsigned width = width_of_terminal();
    printf("  %-*s", LABEL, label);
    return (struct paragraph){.width = width == 0 || width < NARROW ? 79 : width, .column = LABEL + 2};
}

/* A phrase, which is not broken; one that is not the first is set off by `between`. */
__attribute__((format(printf, 3, 4))) static void say(struct paragraph *to, const char *between, const char *format,
                                                      ...)
{
    char phrase[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(phrase, sizeof phrase, format, arguments);
    va_end(arguments);
    const unsigned length = length_of(phrase);
    if (to->column > LABEL + 2) {
        fputs(between, stdout);
        to->column += length_of(between) + 1;
        if (to->column + length + 1 > to->width) {
            printf("\n  %*s", LABEL, "");
            to->column = LABEL + 2;
        } else {
            putchar(' ');
        }
    }
    fputs(phrase, stdout);
    to->column += length;
}

static void end(void)
{
    putchar('\n');
}

static void say_span(struct paragraph *to, const char *name, int64_t us)
{
    char span[32];
    say(to, ",", "%s %s", name, span_for_people(us, span));
}

static void say_spread(struct paragraph *to, const struct spread *spread)
{
    say_span(to, "p50", spread->p50);
    say_span(to, "p90", spread->p90);
    say_span(to, "p99", spread->p99);
    say_span(to, "longest", spread->most);
}

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

/* --- what happened -------------------------------------------------------------------------------------------------- */

/* So that the number is 1 at least, where one can be found. */
static void say_rate(struct paragraph *to, uint64_t count, int64_t us)
{
    static const struct {
        const char *name;
        double us;
    } units[] = {{"a second", 1e6}, {"a minute", 60e6}, {"an hour", 3600e6}, {"a day", 86400e6}};
    unsigned u = 0;
    if (us <= 0 || count == 0)
        return;
    while (u < 3 && (double)count * units[u].us < (double)us)
        u++;
    say(to, ",", "%.1f %s", (double)count * units[u].us / (double)us, units[u].name);
}

static void print_time(const struct reckoning *r)
{
    char from[32], to[32], span[32];
    struct paragraph line = begin("time");
    say(&line, "", "%s", date_for_people(r->first, from));
    say(&line, "", "to %s", date_for_people(r->last, to));
    say(&line, ",", "%s", span_for_people(r->last - r->first, span));
    end();
}

static void print_k(const struct reckoning *r)
{
    enum { SHOWN = 5 };
    char date[32];
    struct paragraph line = begin("slots");
    say(&line, "", "%u", r->ks[0].k);
    for (size_t c = 1; c < r->k_count && c <= SHOWN; c++)
        say(&line, ";", "%u from %s", r->ks[c].k, date_for_people(r->ks[c].time, date));
    if (r->k_count > SHOWN + 1)
        say(&line, ";", "and %zu changes more", r->k_count - SHOWN - 1);
    end();
}

static void print_entries(const struct reckoning *r)
{
    struct paragraph line = begin("entered");
    say(&line, "", "%" PRIu64, r->entered);
    say(&line, ",", "%" PRIu64 " of them after a wait", r->waited);
    end();
    if (r->waits.count > 0) {
        line = begin("waited");
        say_spread(&line, &r->waits);
        end();
    }
}

static void print_who_gave_up(const struct reckoning *r)
{
    static const char *const whys[LOG_WHYS] = {"timed out", "found no slot", "by a signal", "failed"};
    uint64_t all = 0;
    for (unsigned w = 0; w < LOG_WHYS; w++)
        all += r->gave_up[w];
    if (all == 0)
        return;
    struct paragraph line = begin("gave up");
    say(&line, "", "%" PRIu64 ":", all);
    for (unsigned w = 0, said = 0; w < LOG_WHYS; w++)
        if (r->gave_up[w] > 0)
            say(&line, said++ > 0 ? "," : "", "%" PRIu64 " %s", r->gave_up[w], whys[w]);
    say(&line, ";", "waited");
    char span[32];
    say(&line, "", "p50 %s", span_for_people(r->vain_waits.p50, span));
    say_span(&line, "longest", r->vain_waits.most);
    end();
}

/* The most frequent first. */
static void say_statuses(struct paragraph *to, const struct reckoning *r)
{
    enum { SHOWN = 4 };
    uint64_t unsaid[256];
    memcpy(unsaid, r->statuses, sizeof unsaid);
    unsaid[0] = 0;
    for (unsigned said = 0;; said++) {
        unsigned next = 0;
        for (unsigned s = 1; s < 256; s++)
            if (unsaid[s] > unsaid[next])
                next = s;
        if (next == 0)
            return;
        if (said == SHOWN) {
            say(to, ",", "...");
            return;
        }
        say(to, said > 0 ? "," : ":", "%" PRIu64 " with status %u", unsaid[next], next);
        unsaid[next] = 0;
    }
}

static void print_exits(const struct reckoning *r)
{
    struct paragraph line = begin("left");
    say(&line, "", "%" PRIu64, r->left);
    say_rate(&line, r->left, r->last - r->first);
    if (r->failed > 0) {
        say(&line, ",", "%" PRIu64 " failed", r->failed);
        say_statuses(&line, r);
    }
    end();
    if (r->inside.count > 0) {
        line = begin("inside");
        say_spread(&line, &r->inside);
        end();
    }
}

static void print_tokens(const struct reckoning *r)
{
    char span[32];
    if (r->tokens_entered + r->tokens_left == 0)
        return;
    struct paragraph line = begin("tokens");
    say(&line, "", "%" PRIu64 " taken for jobs of builds", r->tokens_entered);
    say(&line, ",", "%" PRIu64 " of them after the build stood in line", r->tokens_waited);
    if (r->token_inside.count > 0)
        say(&line, ";", "inside p50 %s", span_for_people(r->token_inside.p50, span));
    end();
}

/* What the log does not say, or says of its end. */
static void print_open_ends(const struct reckoning *r)
{
    struct paragraph line;
    if (r->recovered > 0) {
        line = begin("recovered");
        say(&line, "", "%" PRIu64 ", after a death inside", r->recovered);
        end();
    }
    if (r->not_over + r->still_waiting > 0) {
        line = begin("at the end");
        say(&line, "", "%" PRIu64 " inside,", r->not_over);
        say(&line, "", "%" PRIu64 " waiting", r->still_waiting);
        end();
    }
    if (r->began_before + r->end_unknown + r->vanished == 0)
        return;
    line = begin("not told");
    if (r->end_unknown > 0) {
        say(&line, "", "exits: %" PRIu64 " (killed;", r->end_unknown);
        say(&line, "", "taken to be inside");
        say(&line, "", "until the next in their slot)");
    }
    if (r->began_before > 0)
        say(&line, ";", "entries: %" PRIu64 " (before the log began)", r->began_before);
    if (r->vanished > 0)
        say(&line, ";", "how waits ended: %" PRIu64 " (killed)", r->vanished);
    end();
}

/* --- use ------------------------------------------------------------------------------------------------------------- */

static void print_use(const struct reckoning *r)
{
    enum { SHOWN = 32 };
    const double span = (double)(r->last - r->first);
    char date[32];
    struct paragraph line = begin("use");
    if (r->offered <= 0) {
        say(&line, "", "all lines are of one moment");
        end();
        return;
    }
    say(&line, "", "%.1f %% of the slots", percent(r->used, r->offered));
    if (r->used_unknown > 0) {
        say(&line, ",", "of which %.1f %%", percent(r->used_unknown, r->offered));
        say(&line, "", "by those whose exits are not told");
    }
    end();
    line = begin("by slot");
    for (unsigned s = 0; s < r->slots && s < SHOWN; s++)
        say(&line, ",", "%u: %.0f %%", s, percent((double)r->slot_used[s], span));
    if (r->slots > SHOWN)
        say(&line, ",", "and %u slots more", r->slots - SHOWN);
    end();
    line = begin("line");
    if (r->longest_line == 0)
        say(&line, "", "nobody waited");
    else
        say(&line, "", "%u at most, on %s", r->longest_line, date_for_people(r->longest_line_at, date));
    end();
    line = begin("full");
    say(&line, "", "all slots busy and somebody waiting: %.1f %% of the time", percent((double)r->short_of, span));
    end();
}

void print_reckoning(const struct reckoning *r, const struct log *log, const struct event *events, size_t count)
{
    char text[PATH_MAX];
    admit_printable(r->name, text, sizeof text);
    puts(text);
    if (strcmp(r->name, r->path) != 0) {
        admit_printable(r->path, text, sizeof text);
        printf("  %-*s%s\n", LABEL, "path", text);
    }
    print_time(r);
    print_k(r);
    print_entries(r);
    print_who_gave_up(r);
    print_exits(r);
    print_tokens(r);
    print_open_ends(r);
    print_use(r);
    print_shares(r, log, events, count, true);
    print_shares(r, log, events, count, false);
    if (!print_visits(r, log, events, count))
        print_over_time(r);
}

/* --- a log ----------------------------------------------------------------------------------------------------------- */

void print_oddities(const struct log *log)
{
    static const char *const whys[LINE_KINDS] = {[LINE_TORN] = "torn",
                                                 [LINE_FOREIGN] = "that are no log's",
                                                 [LINE_UNKNOWN_EVENT] = "of an event unknown here",
                                                 [LINE_MISDATED] = "dated before 2000 or after tomorrow"};
    uint64_t odd = log->too_long + log->repeated;
    char span[32];
    for (unsigned k = LINE_GOOD + 1; k < LINE_KINDS; k++)
        odd += log->kinds[k];
    if (odd + (log->back > 0) == 0)
        return;
    puts("log");
    struct paragraph line = begin("lines");
    say(&line, "", "%" PRIu64 " in all", log->lines);
    for (unsigned k = LINE_GOOD + 1, said = 0; k < LINE_KINDS; k++)
        if (log->kinds[k] > 0)
            say(&line, said++ > 0 ? "," : "; left out:", "%" PRIu64 " %s", log->kinds[k], whys[k]);
    if (log->too_long > 0)
        say(&line, odd > log->too_long + log->repeated ? "," : "; left out:", "%" PRIu64 " too long", log->too_long);
    if (log->repeated > 0)
        say(&line, ";", "%" PRIu64 " twice there", log->repeated);
    end();
    if (log->back > 0) {
        line = begin("order");
        say(&line, "", "in a file times go back by up to %s:", span_for_people(log->back, span));
        say(&line, "", "a clock was set, or lines were mixed");
        end();
    }
}
