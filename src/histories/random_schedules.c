/* SPDX-License-Identifier: MIT */
#include "histories/drive.h"

#include "base/die.h"
#include "checker/model/process.h"

#include <stdlib.h>

/* xorshift64* (S. Vigna, 2016): short, and the same everywhere. */
static uint64_t random_number(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717) >> 11;
}

static bool one_in(uint64_t *seed, unsigned odds)
{
    return random_number(seed) % odds == 0;
}

enum { LONGEST_STALL = 2000, LONGEST_BURST = 64 };

/* How a run goes: of a hundred operations, how many are Labels; one in so many writes is held up; how long a burst may
 * be, as a power of 2. */
struct temper {
    unsigned labels, holds, holds_label, bursts;
};

struct runner {
    struct process process;
    enum operation operation;
    unsigned reads, writes;
    uint64_t stalled_until;
    bool wrote; /* a label */
    bool held;  /* it was, before the access that comes now */
};

struct campaign {
    const struct driven *system;
    struct instance instance;
    struct timeline *timeline;
    struct drive_report *report;
    uint64_t *values;
    uint64_t seed, step;
    struct temper temper;
    struct runner runner[HISTORY_PROCESSES_MAX];
};

static bool is_idle(const struct process *process)
{
    return strcmp(process->label, NEXT_OPERATION) == 0;
}

static struct access take_step(struct campaign *campaign, unsigned i)
{
    const struct driven *system = campaign->system;
    struct runner *runner = &campaign->runner[i];
    unsigned n = campaign->instance.setting.n;
    struct access access;
    struct process next;
    process_peek(&campaign->instance, i, &runner->process, 0, &access);
    unsigned choice = access.choices > 1 ? (unsigned)(random_number(&campaign->seed) % access.choices) : 0;
    if (choice > 0)
        process_peek(&campaign->instance, i, &runner->process, choice, &access);
    process_step(&campaign->instance, i, &runner->process, choice, campaign->values[access.reg], &next, &access);
    bool new_label = access.reg < n && access.result != access.value && system->has_views &&
                     system->current(access.result, i, n) != system->current(access.value, i, n);
    if (new_label)
        timeline_labelled(campaign->timeline, i);
    if (system->moment != NULL && strcmp(runner->process.label, system->moment) == 0)
        timeline_moment(campaign->timeline, i);
    campaign->values[access.reg] = access.result;
    runner->wrote |= new_label;
    runner->process = next;
    return access;
}

static void begin(struct campaign *campaign, unsigned i)
{
    struct runner *runner = &campaign->runner[i];
    unsigned n = campaign->instance.setting.n;
    runner->operation =
        random_number(&campaign->seed) % 100 < campaign->temper.labels ? LABEL_OPERATION : SCAN_OPERATION;
    runner->reads = runner->writes = 0;
    runner->wrote = false;
    campaign->values[campaign->instance.reg_count - n + i] = runner->operation;
    take_step(campaign, i);
    timeline_begin(campaign->timeline, i, runner->operation);
}

static void end(struct campaign *campaign, unsigned i)
{
    const struct driven *system = campaign->system;
    struct runner *runner = &campaign->runner[i];
    unsigned n = campaign->instance.setting.n;
    _Alignas(16) uint8_t locals[LOCALS_MAX];
    struct view view = {0};
    memcpy(locals, runner->process.locals, sizeof locals);
    system->order(locals, runner->operation, n, view.rank);
    if (system->has_views)
        system->view(locals, runner->operation, n, view.serial);
    bool has_view = runner->operation == SCAN_OPERATION || system->has_views;
    timeline_end(campaign->timeline, i, runner->wrote, has_view ? &view : NULL);
    unsigned *reads = &campaign->report->reads_max[runner->operation],
             *writes = &campaign->report->writes_max[runner->operation];
    *reads = runner->reads > *reads ? runner->reads : *reads;
    *writes = runner->writes > *writes ? runner->writes : *writes;
}

/* Whether the process is to wait now, just before a write. */
static bool is_held(struct campaign *campaign, unsigned i)
{
    struct runner *runner = &campaign->runner[i];
    struct access access;
    if (runner->held) {
        runner->held = false;
        return false;
    }
    process_peek(&campaign->instance, i, &runner->process, 0, &access);
    bool label = access.reg < campaign->instance.setting.n;
    if (access.kind == READ || !one_in(&campaign->seed, label ? campaign->temper.holds_label : campaign->temper.holds))
        return false;
    unsigned power = (unsigned)(random_number(&campaign->seed) % 11);
    runner->stalled_until = campaign->step + random_number(&campaign->seed) % (LONGEST_STALL >> power) + 1;
    runner->held = true;
    return true;
}

static unsigned somebody(struct campaign *campaign)
{
    unsigned n = campaign->instance.setting.n, i = (unsigned)(random_number(&campaign->seed) % n);
    for (unsigned tries = 0; tries < n && campaign->runner[i].stalled_until > campaign->step; tries++)
        i = (i + 1) % n;
    return i; /* if all are stalled, somebody has to go on */
}

static void run(struct campaign *campaign, uint64_t steps)
{
    unsigned n = campaign->instance.setting.n;
    unsigned i = 0, burst = 0;
    campaign->system->restart();
    timeline_restart(campaign->timeline);
    /* Declarations are gone through again: what the registers start with may be a number of a wide record. */
    struct declaration D = {.n = n, .k = 1, .cells = campaign->instance.cells};
    campaign->system->text.declare(&D, campaign->instance.shared);
    for (unsigned r = 0; r < campaign->instance.reg_count; r++)
        campaign->values[r] = initial_value(campaign->instance.regs[r].array);
    for (unsigned j = 0; j < n; j++) {
        campaign->runner[j] = (struct runner){0};
        process_start(&campaign->instance, j, &campaign->runner[j].process);
    }
    for (campaign->step = 0; campaign->step < steps && !timeline_violated(campaign->timeline); campaign->step++) {
        if (burst == 0 || campaign->runner[i].stalled_until > campaign->step) {
            i = somebody(campaign);
            burst = 1 + (unsigned)(random_number(&campaign->seed) % (1u << campaign->temper.bursts));
        }
        burst--;
        struct runner *runner = &campaign->runner[i];
        if (is_idle(&runner->process))
            begin(campaign, i);
        else if (is_held(campaign, i))
            continue;
        struct access access = take_step(campaign, i);
        runner->reads += access.kind == READ;
        runner->writes += access.kind != READ;
        if (is_idle(&runner->process))
            end(campaign, i);
    }
    timeline_finish(campaign->timeline);
    campaign->report->steps += campaign->step;
    campaign->report->runs++;
}

void drive_randomly(struct drive_report *report, const struct driven *system, const struct drive_options *options)
{
    unsigned n = options->n;
    if (n < 2 || n > HISTORY_PROCESSES_MAX)
        die("%s can be driven with 2 to %d processes, not with %u", system->name, HISTORY_PROCESSES_MAX, n);
    struct setting setting = {.algorithm = &system->text, .n = n, .k = 1};
    struct campaign campaign = {.system = system, .report = report, .seed = 2 * options->seed + 1};
    *report = (struct drive_report){.violated = HISTORY_PROPERTIES};
    memset(setting.passages, UNBOUNDED_PASSAGES, sizeof setting.passages);
    system->restart();
    instance_open(&campaign.instance, &setting);
    campaign.values = must_allocate(campaign.instance.reg_count * sizeof *campaign.values);
    campaign.timeline = timeline_open(n, !system->has_views       ? NO_VIEWS
                                         : system->moment != NULL ? WEAK_VIEWS
                                                                  : ATOMIC_VIEWS);
    if (options->histories_only)
        timeline_ask_not(campaign.timeline, SNAPSHOTS);
    for (unsigned r = 0; r < 16; r++)
        random_number(&campaign.seed);
    for (uint64_t r = 0; r < options->runs && report->violated == HISTORY_PROPERTIES; r++) {
        campaign.instance.setting.any_order = one_in(&campaign.seed, 2);
        campaign.temper = (struct temper){.labels = 20 + 15 * (unsigned)(random_number(&campaign.seed) % 6),
                                          .holds = 1u << (2 + random_number(&campaign.seed) % 8),
                                          .holds_label = 1u << random_number(&campaign.seed) % 6,
                                          .bursts = (unsigned)(random_number(&campaign.seed) % 7)};
        run(&campaign, options->steps_each);
        report->violated = timeline_first_violated(campaign.timeline);
    }
    if (report->violated != HISTORY_PROPERTIES)
        report->complaint = strdup(timeline_complaint(campaign.timeline));
    for (unsigned p = 0; p < HISTORY_PROPERTIES; p++)
        report->premises[p] = timeline_premises(campaign.timeline, (enum history_property)p);
    for (unsigned o = 0; o < OPERATIONS; o++)
        report->operations[o] = timeline_operations(campaign.timeline, (enum operation)o);
    timeline_close(campaign.timeline);
    free(campaign.values);
    instance_close(&campaign.instance);
}
