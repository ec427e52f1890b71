/* SPDX-License-Identifier: MIT */
#include "cli/gates/reckoning.h"

#include "base/die.h"

#include <admit.h>
#include <stdlib.h>
#include <string.h>

/* --- who was inside ------------------------------------------------------------------------------------------------- */

/* Of a slot: numbers of stays, or NOBODY. If a clock was set back, lines of one stay may be in the wrong order. */
struct slot_state {
    size_t inside;
    size_t displaced; /* whose exit had not been seen when the next one entered */
    size_t unentered; /* whose entry had not been seen when it left */
};

#define NOBODY SIZE_MAX

static bool is_of(const struct reckoning *r, size_t stay, const struct event *event)
{
    return stay != NOBODY && r->stays[stay].ticket == event->ticket && r->stays[stay].pid == event->pid;
}

static size_t new_stay(struct reckoning *r, const struct event *event, int64_t begin, enum stay_kind kind)
{
    r->stays[r->stay_count] = (struct stay){.begin = begin,
                                            .end = event->time,
                                            .ticket = event->ticket,
                                            .pid = event->pid,
                                            .user = event->user,
                                            .program = event->program,
                                            .slot = event->slot,
                                            .status = -1,
                                            .kind = (uint8_t)kind};
    return r->stay_count++;
}

static void one_enters(struct reckoning *r, struct slot_state *slot, const struct event *event)
{
    if (is_of(r, slot->unentered, event)) {
        r->stays[slot->unentered].kind = STAY_WHOLE;
        slot->unentered = NOBODY;
        return;
    }
    if (slot->inside != NOBODY) {
        r->stays[slot->inside].end = event->time;
        r->stays[slot->inside].kind = STAY_END_UNKNOWN;
        slot->displaced = slot->inside;
    }
    slot->inside = new_stay(r, event, event->time, STAY_NOT_OVER);
}

static void one_leaves(struct reckoning *r, struct slot_state *slot, const struct event *event)
{
    size_t stay;
    if (is_of(r, slot->inside, event)) {
        stay = slot->inside;
        slot->inside = NOBODY;
    } else if (is_of(r, slot->displaced, event)) {
        stay = slot->displaced;
        slot->displaced = NOBODY;
    } else {
        const int64_t begin = event->time - event->span;
        stay = new_stay(r, event, begin > r->first ? begin : r->first, STAY_BEGAN_BEFORE);
        slot->unentered = stay;
    }
    r->stays[stay].end = event->time;
    r->stays[stay].status = event->status;
    if (r->stays[stay].kind != STAY_BEGAN_BEFORE)
        r->stays[stay].kind = STAY_WHOLE;
}

static void find_stays(struct reckoning *r, const struct event *events, size_t count)
{
    static struct slot_state slots[ADMIT_GATE_K_MAX];
    for (unsigned s = 0; s < ADMIT_GATE_K_MAX; s++)
        slots[s] = (struct slot_state){NOBODY, NOBODY, NOBODY};
    r->stays = must_allocate((size_t)(r->entered + r->left + r->tokens_entered + r->tokens_left) * sizeof *r->stays);
    for (size_t e = 0; e < count; e++)
        if (events[e].event == LOG_ENTER)
            one_enters(r, &slots[events[e].slot], &events[e]);
        else if (events[e].event == LOG_EXIT)
            one_leaves(r, &slots[events[e].slot], &events[e]);
    r->slot_used = must_allocate(r->slots * sizeof *r->slot_used);
    for (size_t s = 0; s < r->stay_count; s++) {
        struct stay *stay = &r->stays[s];
        if (stay->kind == STAY_NOT_OVER)
            stay->end = r->last;
        r->began_before += stay->kind == STAY_BEGAN_BEFORE;
        r->end_unknown += stay->kind == STAY_END_UNKNOWN;
        r->not_over += stay->kind == STAY_NOT_OVER;
        r->slot_used[stay->slot] += stay->end - stay->begin;
        r->used += (double)(stay->end - stay->begin);
        r->used_unknown += stay->kind == STAY_END_UNKNOWN ? (double)(stay->end - stay->begin) : 0;
    }
}

/* --- who waited ------------------------------------------------------------------------------------------------------ */

static int by_size(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void sort(int64_t *numbers, size_t count)
{
    if (count > 0)
        qsort(numbers, count, sizeof *numbers, by_size);
}

struct spread spread_of(int64_t *numbers, size_t count)
{
    if (count == 0)
        return (struct spread){0};
    sort(numbers, count);
    return (struct spread){.count = count,
                           .p50 = numbers[(count * 50 + 99) / 100 - 1],
                           .p90 = numbers[(count * 90 + 99) / 100 - 1],
                           .p99 = numbers[(count * 99 + 99) / 100 - 1],
                           .most = numbers[count - 1]};
}

static bool ends_wait(const struct event *event)
{
    return event->event == LOG_ENTER || event->event == LOG_GIVE_UP;
}

static struct spread spread_of_spans(const struct event *events, size_t count, enum log_event event, bool token,
                                     int64_t *room)
{
    size_t found = 0;
    for (size_t e = 0; e < count; e++)
        if (events[e].event == event && events[e].token == token && events[e].why != WHY_ENDED)
            room[found++] = events[e].span;
    return spread_of(room, found);
}

static void note_in_line(struct reckoning *r, int64_t begin, int64_t end)
{
    if (begin < r->first)
        begin = r->first;
    if (begin >= end)
        return;
    r->line_begins[r->line_count] = begin;
    r->line_ends[r->line_count++] = end;
}

static int by_process(const void *a, const void *b)
{
    const struct event *x = *(const struct event *const *)a, *y = *(const struct event *const *)b;
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    return (x > y) - (x < y);
}

/* Those who said that they wait, and of whom nothing was heard since: they wait still, unless somebody has entered who
 * came later. */
static void note_unended(struct reckoning *r, const struct event *wait, int64_t latest_came)
{
    if (wait->time < latest_came) {
        r->vanished++;
        return;
    }
    r->still_waiting++;
    note_in_line(r, wait->time, r->last);
}

static void find_unended(struct reckoning *r, const struct event *events, size_t count)
{
    int64_t latest_came = INT64_MIN;
    size_t found = 0, oldest = 0;
    const struct event **told = must_allocate(count * sizeof *told);
    for (size_t e = 0; e < count; e++) {
        if (events[e].event == LOG_ENTER && events[e].time - events[e].span > latest_came)
            latest_came = events[e].time - events[e].span;
        if (!events[e].token && (events[e].event == LOG_WAIT || (ends_wait(&events[e]) && events[e].span > 0)))
            told[found++] = &events[e];
    }
    if (found > 0)
        qsort(told, found, sizeof *told, by_process);
    /* From `oldest` on stand, of the process at hand, the waits that have not ended. */
    size_t unended = 0;
    for (size_t t = 0; t <= found; t++) {
        if (t == found || (unended > oldest && told[oldest]->pid != told[t]->pid)) {
            for (; oldest < unended; oldest++)
                note_unended(r, told[oldest], latest_came);
            oldest = unended = 0;
        }
        if (t < found && told[t]->event == LOG_WAIT)
            told[unended++] = told[t];
        else if (oldest < unended)
            oldest++;
    }
    free(told);
}

static void find_longest_line(struct reckoning *r)
{
    sort(r->line_begins, r->line_count);
    sort(r->line_ends, r->line_count);
    for (size_t begun = 0, ended = 0; begun < r->line_count;) {
        if (r->line_ends[ended] <= r->line_begins[begun]) {
            ended++;
            continue;
        }
        begun++;
        if (begun - ended > r->longest_line) {
            r->longest_line = (unsigned)(begun - ended);
            r->longest_line_at = r->line_begins[begun - 1];
        }
    }
}

/* Numbers in order, up to which some are past. */
struct moments {
    int64_t *at;
    size_t count, past;
};

static void pass(struct moments *moments, int64_t now)
{
    while (moments->past < moments->count && moments->at[moments->past] <= now)
        moments->past++;
}

static int64_t next_of(const struct moments *moments, int64_t soonest)
{
    const bool sooner = moments->past < moments->count && moments->at[moments->past] < soonest;
    return sooner ? moments->at[moments->past] : soonest;
}

/* For how long one slot more would have let somebody in. */
static void find_short_of(struct reckoning *r)
{
    if (r->line_count == 0)
        return;
    enum { CAME, WENT, WAITED, WAITED_NO_MORE, K, KINDS };
    struct moments of[KINDS] = {[CAME] = {must_allocate(r->stay_count * sizeof(int64_t)), r->stay_count, 0},
                                [WENT] = {must_allocate(r->stay_count * sizeof(int64_t)), r->stay_count, 0},
                                [WAITED] = {r->line_begins, r->line_count, 0},
                                [WAITED_NO_MORE] = {r->line_ends, r->line_count, 0},
                                [K] = {must_allocate(r->k_count * sizeof(int64_t)), r->k_count, 0}};
    for (size_t s = 0; s < r->stay_count; s++) {
        of[CAME].at[s] = r->stays[s].begin;
        of[WENT].at[s] = r->stays[s].end;
    }
    for (size_t c = 0; c < r->k_count; c++)
        of[K].at[c] = r->ks[c].time;
    sort(of[CAME].at, r->stay_count);
    sort(of[WENT].at, r->stay_count);
    for (int64_t now = r->first, then; now < r->last; now = then) {
        then = r->last;
        for (unsigned m = 0; m < KINDS; m++) {
            pass(&of[m], now);
            then = next_of(&of[m], then);
        }
        const size_t k = of[K].past > 0 ? r->ks[of[K].past - 1].k : r->slots;
        if (of[WAITED].past > of[WAITED_NO_MORE].past && of[CAME].past >= of[WENT].past + k)
            r->short_of += then - now;
    }
    free(of[CAME].at);
    free(of[WENT].at);
    free(of[K].at);
}

static void find_waits(struct reckoning *r, const struct event *events, size_t count)
{
    int64_t *room = must_allocate(count * sizeof *room);
    r->waits = spread_of_spans(events, count, LOG_ENTER, false, room);
    r->vain_waits = spread_of_spans(events, count, LOG_GIVE_UP, false, room);
    r->inside = spread_of_spans(events, count, LOG_EXIT, false, room);
    r->token_waits = spread_of_spans(events, count, LOG_ENTER, true, room);
    r->token_inside = spread_of_spans(events, count, LOG_EXIT, true, room);
    free(room);
    r->line_begins = must_allocate(count * sizeof *r->line_begins);
    r->line_ends = must_allocate(count * sizeof *r->line_ends);
    for (size_t e = 0; e < count; e++)
        if (ends_wait(&events[e]) && !events[e].token)
            note_in_line(r, events[e].time - events[e].span, events[e].time);
    find_unended(r, events, count);
    find_longest_line(r);
    find_short_of(r);
}

/* --- a gate ---------------------------------------------------------------------------------------------------------- */

static void count_event(struct reckoning *r, const struct event *event)
{
    *(event->token ? &r->tokens_entered : &r->entered) += event->event == LOG_ENTER;
    *(event->token ? &r->tokens_waited : &r->waited) += event->event == LOG_ENTER && event->span > 0;
    *(event->token ? &r->tokens_left : &r->left) += event->event == LOG_EXIT;
    if (event->event == LOG_GIVE_UP && !event->token && event->why != WHY_ENDED)
        r->gave_up[event->why]++;
    if (event->event == LOG_EXIT && event->status >= 0)
        r->statuses[event->status & 255]++;
    r->failed += event->event == LOG_EXIT && event->status > 0;
    if (event->event != LOG_WAIT && event->event != LOG_GIVE_UP && event->slot >= r->slots)
        r->slots = event->slot + 1u;
    if (event->k > r->slots)
        r->slots = event->k;
}

static void note_k(struct reckoning *r, const struct event *event)
{
    if (r->k_count > 0 && r->ks[r->k_count - 1].k == event->k)
        return;
    if ((r->k_count & (r->k_count - 1)) == 0)
        r->ks = must_reallocate(r->ks, (r->k_count == 0 ? 1 : r->k_count * 2) * sizeof *r->ks);
    r->ks[r->k_count++] = (struct k_change){.time = event->time, .k = event->k};
}

static int64_t k_until(const struct reckoning *r, size_t change)
{
    return change + 1 < r->k_count ? r->ks[change + 1].time : r->last;
}

void reckon(struct reckoning *r, const struct log *log, const struct event *events, size_t count)
{
    uint64_t recoveries = 0, heirs = 0;
    *r = (struct reckoning){.name = log->gate_names[events[0].gate],
                            .path = log->paths.text[events[0].gate],
                            .first = events[0].time,
                            .last = events[count - 1].time};
    for (size_t e = 0; e < count; e++) {
        count_event(r, &events[e]);
        note_k(r, &events[e]);
        recoveries += events[e].event == LOG_RECOVER;
        heirs += events[e].event == LOG_ENTER && events[e].owner_died;
    }
    r->recovered = recoveries > heirs ? recoveries : heirs; /* one of the two lines may be lost */
    for (size_t c = 0; c < r->k_count; c++)
        r->offered += (double)r->ks[c].k * (double)(k_until(r, c) - r->ks[c].time);
    find_stays(r, events, count);
    find_waits(r, events, count);
}

void reckoning_free(struct reckoning *r)
{
    free(r->ks);
    free(r->stays);
    free(r->line_begins);
    free(r->line_ends);
    free(r->slot_used);
}

/* --- over time ------------------------------------------------------------------------------------------------------- */

struct scale {
    double from, column; /* microseconds */
    unsigned columns;
};

/* Adds what a time has of each column: to parts where it begins and ends, to steps where it covers all until it ends. */
static void add(const struct scale *scale, double *parts, double *steps, int64_t begin, int64_t end, double weight)
{
    double a = ((double)begin - scale->from) / scale->column, b = ((double)end - scale->from) / scale->column;
    a = a < 0 ? 0 : a;
    b = b > scale->columns ? scale->columns : b;
    if (a >= b)
        return;
    const unsigned first = (unsigned)a, last = b < scale->columns ? (unsigned)b : scale->columns - 1;
    if (first == last) {
        parts[first] += (b - a) * weight;
        return;
    }
    parts[first] += (first + 1 - a) * weight;
    parts[last] += (b - last) * weight;
    steps[first + 1] += weight;
    steps[last] -= weight;
}

static void add_up(double *parts, const double *steps, unsigned columns)
{
    double whole = 0;
    for (unsigned c = 0; c < columns; c++) {
        whole += steps[c];
        parts[c] += whole;
    }
}

static void add_line(const struct scale *scale, unsigned *line, int64_t begin, int64_t end, unsigned length)
{
    double a = ((double)begin - scale->from) / scale->column, b = ((double)end - scale->from) / scale->column;
    for (unsigned c = a < 0 ? 0 : (unsigned)a; c < scale->columns && c < b; c++)
        if (length > line[c])
            line[c] = length;
}

static void measure_line(const struct scale *scale, unsigned *line, const struct reckoning *r)
{
    int64_t since = 0;
    for (size_t begun = 0, ended = 0; ended < r->line_count;) {
        const bool begins = begun < r->line_count && r->line_begins[begun] < r->line_ends[ended];
        const int64_t now = begins ? r->line_begins[begun] : r->line_ends[ended];
        if (begun > ended)
            add_line(scale, line, since, now, (unsigned)(begun - ended));
        begun += begins;
        ended += !begins;
        since = now;
    }
}

void spread_over_time(struct over_time *over, const struct reckoning *r, int64_t from, int64_t to, unsigned columns)
{
    const struct scale scale = {
        .from = (double)from, .column = to > from ? (double)(to - from) / columns : 1, .columns = columns};
    double *used_steps = must_allocate((columns + 1) * sizeof *used_steps);
    double *offered_steps = must_allocate((columns + 1) * sizeof *offered_steps);
    *over = (struct over_time){.columns = columns,
                               .used = must_allocate(columns * sizeof *over->used),
                               .offered = must_allocate(columns * sizeof *over->offered),
                               .line = must_allocate(columns * sizeof *over->line)};
    for (size_t s = 0; s < r->stay_count; s++)
        add(&scale, over->used, used_steps, r->stays[s].begin, r->stays[s].end, 1);
    for (size_t c = 0; c < r->k_count; c++)
        add(&scale, over->offered, offered_steps, r->ks[c].time, k_until(r, c), r->ks[c].k);
    add_up(over->used, used_steps, columns);
    add_up(over->offered, offered_steps, columns);
    measure_line(&scale, over->line, r);
    free(used_steps);
    free(offered_steps);
}

void over_time_free(struct over_time *over)
{
    free(over->used);
    free(over->offered);
    free(over->line);
}
