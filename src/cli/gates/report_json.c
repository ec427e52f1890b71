/* SPDX-License-Identifier: MIT */
#include "cli/gates/gates.h"
#include "cli/gates/report.h"
#include "cli/gates/shares.h"

#include <stdlib.h>

enum { COLUMNS = 60, SHARES = 100 };

static void put_moment(struct json_writer *json, const char *key, int64_t us)
{
    char text[32];
    json_put_text(json, key, time_for_programs(us * 1000, text));
}

static void put_spread(struct json_writer *json, const char *key, const struct spread *spread)
{
    json_begin_object(json, key);
    json_put_number(json, "count", spread->count);
    if (spread->count > 0) {
        json_put_millionths(json, "p50", spread->p50);
        json_put_millionths(json, "p90", spread->p90);
        json_put_millionths(json, "p99", spread->p99);
        json_put_millionths(json, "longest", spread->most);
    }
    json_end_object(json);
}

static void put_share(struct json_writer *json, const char *key, double part, double whole)
{
    if (whole > 0)
        json_put_millionths(json, key, (int64_t)(part / whole * 1e6 + 0.5));
    else
        json_put_null(json, key);
}

static void put_statuses(struct json_writer *json, const struct reckoning *r)
{
    json_begin_list(json, "statuses");
    for (unsigned s = 0; s < 256; s++) {
        if (r->statuses[s] == 0)
            continue;
        json_begin_object(json, NULL);
        json_put_number(json, "status", s);
        json_put_number(json, "count", r->statuses[s]);
        json_end_object(json);
    }
    json_end_list(json);
}

static void put_k(struct json_writer *json, const struct reckoning *r)
{
    json_begin_list(json, "k");
    for (size_t c = 0; c < r->k_count; c++) {
        json_begin_object(json, NULL);
        put_moment(json, "since", r->ks[c].time);
        json_put_number(json, "k", r->ks[c].k);
        json_end_object(json);
    }
    json_end_list(json);
}

static void put_use(struct json_writer *json, const struct reckoning *r)
{
    const double span = (double)(r->last - r->first);
    put_share(json, "use", r->used, r->offered);
    put_share(json, "use_of_unknown_end", r->used_unknown, r->offered);
    json_begin_list(json, "slots");
    for (unsigned s = 0; s < r->slots; s++) {
        json_begin_object(json, NULL);
        json_put_number(json, "slot", s);
        put_share(json, "use", (double)r->slot_used[s], span);
        json_end_object(json);
    }
    json_end_list(json);
}

static void put_over_time(struct json_writer *json, const struct reckoning *r)
{
    struct over_time over;
    json_begin_list(json, "over_time");
    if (r->last > r->first) {
        spread_over_time(&over, r, r->first, r->last, COLUMNS);
        for (unsigned c = 0; c < COLUMNS; c++) {
            json_begin_object(json, NULL);
            json_put_millionths(json, "after", (r->last - r->first) * c / COLUMNS);
            json_put_millionths(json, "inside", (int64_t)(over.used[c] * 1e6 + 0.5));
            json_put_millionths(json, "slots", (int64_t)(over.offered[c] * 1e6 + 0.5));
            json_put_number(json, "longest_line", over.line[c]);
            json_end_object(json);
        }
        over_time_free(&over);
    }
    json_end_list(json);
}

static void put_shares(struct json_writer *json, const struct reckoning *r, const struct log *log,
                       const struct event *events, size_t count, bool by_user)
{
    struct share *shares;
    const size_t found = shares_of_gate(r, log, events, count, by_user, SHARES, &shares);
    json_begin_list(json, by_user ? "users" : "commands");
    for (size_t s = 0; s < found; s++) {
        json_begin_object(json, NULL);
        json_put_text(json, by_user ? "user" : "command",
                      name_of(by_user ? &log->users : &log->programs, shares[s].number));
        json_put_number(json, "entered", shares[s].entered);
        json_put_number(json, "tokens", shares[s].tokens);
        json_put_number(json, "gave_up", shares[s].gave_up);
        json_put_millionths(json, "seconds", shares[s].used);
        put_share(json, "share", (double)shares[s].used, r->used);
        put_spread(json, "waits", &shares[s].waits);
        json_end_object(json);
    }
    json_end_list(json);
    free(shares);
}

static void put_tokens(struct json_writer *json, const struct reckoning *r)
{
    json_begin_object(json, "tokens");
    json_put_number(json, "entered", r->tokens_entered);
    json_put_number(json, "waited", r->tokens_waited);
    json_put_number(json, "left", r->tokens_left);
    put_spread(json, "waits", &r->token_waits);
    put_spread(json, "inside", &r->token_inside);
    json_end_object(json);
}

void write_reckoning(struct json_writer *json, const struct reckoning *r, const struct log *log,
                     const struct event *events, size_t count)
{
    static const char *const whys[LOG_WHYS] = {"timed_out", "no_slot", "signal", "failed"};
    json_begin_object(json, NULL);
    json_put_text(json, "gate", r->name);
    json_put_text(json, "path", r->path);
    put_moment(json, "first", r->first);
    put_moment(json, "last", r->last);
    json_put_millionths(json, "seconds", r->last - r->first);
    put_k(json, r);
    json_put_number(json, "entered", r->entered);
    json_put_number(json, "waited", r->waited);
    json_put_number(json, "left", r->left);
    put_share(json, "left_per_minute", (double)r->left * 60e6, (double)(r->last - r->first));
    json_put_number(json, "failed", r->failed);
    put_statuses(json, r);
    json_begin_object(json, "gave_up");
    for (unsigned w = 0; w < LOG_WHYS; w++)
        json_put_number(json, whys[w], r->gave_up[w]);
    json_end_object(json);
    json_put_number(json, "recovered", r->recovered);
    put_spread(json, "waits", &r->waits);
    put_spread(json, "waits_in_vain", &r->vain_waits);
    put_spread(json, "inside", &r->inside);
    json_put_number(json, "inside_at_the_end", r->not_over);
    json_put_number(json, "waiting_at_the_end", r->still_waiting);
    json_put_number(json, "exits_not_told", r->end_unknown);
    json_put_number(json, "entries_not_told", r->began_before);
    json_put_number(json, "ends_of_waits_not_told", r->vanished);
    json_put_number(json, "longest_line", r->longest_line);
    put_share(json, "all_busy_and_waiting", (double)r->short_of, (double)(r->last - r->first));
    put_tokens(json, r);
    put_shares(json, r, log, events, count, true);
    put_shares(json, r, log, events, count, false);
    put_use(json, r);
    put_over_time(json, r);
    json_end_object(json);
}

void write_lines(struct json_writer *json, const struct log *log)
{
    json_begin_object(json, "lines");
    json_put_number(json, "all", log->lines);
    json_put_number(json, "torn", log->kinds[LINE_TORN]);
    json_put_number(json, "foreign", log->kinds[LINE_FOREIGN]);
    json_put_number(json, "unknown_event", log->kinds[LINE_UNKNOWN_EVENT]);
    json_put_number(json, "misdated", log->kinds[LINE_MISDATED]);
    json_put_number(json, "too_long", log->too_long);
    json_put_number(json, "repeated", log->repeated);
    json_put_millionths(json, "times_go_back", log->back);
    json_end_object(json);
}
