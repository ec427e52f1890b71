/* SPDX-License-Identifier: MIT
 *
 * Every schedule of a plan, one run after another: for systems without views, whose histories cannot be told apart by
 * states. The plan must be short.
 */
#include "histories/drive.h"

#include "base/die.h"
#include "checker/model/process.h"

#include <stdlib.h>

enum { STEPS_MAX = 64, PLAN_MAX = 8 };

struct schedules {
    const struct driven *system;
    struct instance instance;
    struct timeline *timeline;
    uint64_t *values;
    unsigned n;
    char plan[HISTORY_PROCESSES_MAX][PLAN_MAX + 1];
    /* Of this run: who stands where, and how much of its plan has begun. */
    struct process process[HISTORY_PROCESSES_MAX];
    enum operation operation[HISTORY_PROCESSES_MAX];
    unsigned done[HISTORY_PROCESSES_MAX];
    /* Who stepped, and who else can step there in runs that are still to come. */
    uint8_t who[STEPS_MAX];
    uint16_t left[STEPS_MAX];
};

static void take_step(struct schedules *schedules, unsigned i)
{
    struct access access;
    struct process next;
    process_peek(&schedules->instance, i, &schedules->process[i], 0, &access);
    process_step(&schedules->instance, i, &schedules->process[i], 0, schedules->values[access.reg], &next, &access);
    schedules->values[access.reg] = access.result;
    schedules->process[i] = next;
}

static bool is_idle(const struct schedules *schedules, unsigned i)
{
    return strcmp(schedules->process[i].label, NEXT_OPERATION) == 0;
}

static void step(struct schedules *schedules, unsigned i)
{
    unsigned n = schedules->n;
    if (is_idle(schedules, i)) {
        schedules->operation[i] = schedules->plan[i][schedules->done[i]++] == 'L' ? LABEL_OPERATION : SCAN_OPERATION;
        schedules->values[schedules->instance.reg_count - n + i] = schedules->operation[i];
        take_step(schedules, i);
        timeline_begin(schedules->timeline, i, schedules->operation[i]);
    }
    take_step(schedules, i);
    if (!is_idle(schedules, i))
        return;
    _Alignas(16) uint8_t locals[LOCALS_MAX];
    struct view view = {0};
    memcpy(locals, schedules->process[i].locals, sizeof locals);
    schedules->system->order(locals, schedules->operation[i], n, view.rank);
    timeline_end(schedules->timeline, i, false, schedules->operation[i] == SCAN_OPERATION ? &view : NULL);
}

static void restart(struct schedules *schedules)
{
    schedules->system->restart();
    timeline_restart(schedules->timeline);
    for (unsigned r = 0; r < schedules->instance.reg_count; r++)
        schedules->values[r] = initial_value(schedules->instance.regs[r].array);
    for (unsigned i = 0; i < schedules->n; i++) {
        process_start(&schedules->instance, i, &schedules->process[i]);
        schedules->done[i] = 0;
    }
}

static uint16_t able(const struct schedules *schedules)
{
    uint16_t set = 0;
    for (unsigned i = 0; i < schedules->n; i++)
        if (!is_idle(schedules, i) || schedules->plan[i][schedules->done[i]] != '\0')
            set |= (uint16_t)(1u << i);
    return set;
}

/* One run: as far as `prefix` as before, then whoever comes first. Returns how many steps it had. */
static unsigned run(struct schedules *schedules, unsigned prefix)
{
    unsigned depth = 0;
    restart(schedules);
    for (uint16_t set; (set = able(schedules)) != 0 && !timeline_violated(schedules->timeline); depth++) {
        if (depth == STEPS_MAX)
            die("a plan has up to %d steps", STEPS_MAX);
        if (depth >= prefix) {
            schedules->who[depth] = (uint8_t)__builtin_ctz(set);
            schedules->left[depth] = (uint16_t)(set & (set - 1));
        }
        step(schedules, schedules->who[depth]);
    }
    timeline_finish(schedules->timeline);
    return depth;
}

static void read_plan(struct schedules *schedules, const char *plan)
{
    for (const char *at = plan; schedules->n < HISTORY_PROCESSES_MAX; at++) {
        size_t length = strcspn(at, "/");
        if (length > PLAN_MAX || strspn(at, "LS") != length)
            break;
        memcpy(schedules->plan[schedules->n++], at, length);
        at += length;
        if (*at == '\0')
            return;
    }
    die("a plan has up to %d processes, each up to %d times L or S, not '%s'", HISTORY_PROCESSES_MAX, PLAN_MAX, plan);
}

void drive_schedules(struct drive_report *report, const struct driven *system, const char *plan)
{
    struct schedules schedules = {.system = system};
    *report = (struct drive_report){.violated = HISTORY_PROPERTIES};
    read_plan(&schedules, plan);
    struct setting setting = {.algorithm = &system->text, .n = schedules.n, .k = 1};
    memset(setting.passages, UNBOUNDED_PASSAGES, sizeof setting.passages);
    system->restart();
    instance_open(&schedules.instance, &setting);
    schedules.values = must_allocate(schedules.instance.reg_count * sizeof *schedules.values);
    schedules.timeline = timeline_open(schedules.n, NO_VIEWS);
    for (unsigned prefix = 0;; prefix++) {
        unsigned depth = run(&schedules, prefix);
        report->runs++;
        report->steps += depth;
        report->violated = timeline_first_violated(schedules.timeline);
        /* The next one: the last step at which somebody else could go. */
        while (depth > 0 && schedules.left[depth - 1] == 0)
            depth--;
        if (depth == 0 || report->violated != HISTORY_PROPERTIES)
            break;
        prefix = depth - 1;
        schedules.who[prefix] = (uint8_t)__builtin_ctz(schedules.left[prefix]);
        schedules.left[prefix] &= (uint16_t)(schedules.left[prefix] - 1);
    }
    report->complete = report->violated == HISTORY_PROPERTIES;
    if (!report->complete)
        report->complaint = strdup(timeline_complaint(schedules.timeline));
    for (unsigned p = 0; p < HISTORY_PROPERTIES; p++)
        report->premises[p] = timeline_premises(schedules.timeline, (enum history_property)p);
    for (unsigned o = 0; o < OPERATIONS; o++)
        report->operations[o] = timeline_operations(schedules.timeline, (enum operation)o);
    timeline_close(schedules.timeline);
    free(schedules.values);
    instance_close(&schedules.instance);
}
