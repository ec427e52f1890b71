/* SPDX-License-Identifier: MIT */
#include "checker/explore/schedule.h"

#include "base/die.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

enum { STEPS_MAX = 1 << 24 };

/* A number at *at, which it leaves behind the number; false if there is none. */
static bool read_number(const char **at, unsigned long *number)
{
    char *end;
    errno = 0;
    *number = strtoul(*at, &end, 10);
    bool ok = isdigit((unsigned char)**at) && errno == 0;
    *at = end;
    return ok;
}

static void append(struct schedule_file *schedule, unsigned long process, unsigned long times, unsigned line)
{
    if (schedule->count + times > schedule->room) {
        schedule->room = (schedule->count + times) * 2;
        schedule->steps = must_reallocate(schedule->steps, schedule->room * sizeof *schedule->steps);
    }
    for (; times > 0; times--)
        schedule->steps[schedule->count++] = (struct scheduled){(uint8_t)process, line};
}

/* One line; false, with a message, if it makes no sense. */
static bool read_line(struct schedule_file *schedule, const char *at, unsigned line, unsigned n, char *message,
                      size_t size)
{
    for (;;) {
        while (isspace((unsigned char)*at))
            at++;
        if (*at == '\0' || *at == '#')
            return true;
        int length = (int)strcspn(at, " \t\r\n#");
        const char *word = at;
        unsigned long process, times = 1;
        bool ok = read_number(&at, &process);
        if (ok && *at == '*')
            ok = (at++, read_number(&at, &times)) && times > 0;
        if (!ok || at != word + length) {
            snprintf(message, size, "line %u: '%.*s' is neither a process nor PROCESS*TIMES", line,
                     length < 40 ? length : 40, word);
            return false;
        }
        if (process >= n) {
            snprintf(message, size, "line %u: there is no process %lu when n = %u", line, process, n);
            return false;
        }
        if (times > STEPS_MAX || schedule->count + times > STEPS_MAX) {
            snprintf(message, size, "line %u: more than %d steps", line, STEPS_MAX);
            return false;
        }
        append(schedule, process, times, line);
    }
}

bool schedule_read(struct schedule_file *schedule, FILE *file, unsigned n, char *message, size_t size)
{
    char *text = NULL;
    size_t room = 0;
    bool ok = true;
    for (unsigned line = 1; ok && getline(&text, &room, file) >= 0; line++)
        ok = read_line(schedule, text, line, n, message, size);
    if (ok && ferror(file)) {
        snprintf(message, size, "it cannot be read");
        ok = false;
    }
    free(text);
    return ok;
}

void schedule_close(struct schedule_file *schedule)
{
    free(schedule->steps);
    memset(schedule, 0, sizeof *schedule);
}

static unsigned inside(const struct model *model, const uint64_t *state)
{
    unsigned count = 0;
    for (unsigned i = 0; i < model->n; i++)
        count += local_of(model, state, i)->section == CRITICAL;
    return count;
}

void schedule_follow(const struct schedule_file *schedule, struct model *model, struct beginning *beginning)
{
    *beginning = (struct beginning){.steps = must_allocate((schedule->count + 1) * sizeof *beginning->steps)};
    memcpy(beginning->state, model->initial, sizeof beginning->state);
    for (size_t s = 0; s < schedule->count; s++) {
        struct step step = {.process = schedule->steps[s].process};
        const struct local *local = local_of(model, beginning->state, step.process);
        if (local->moves == 0)
            die("%s, line %u: process %u has no passage left, and cannot take step %zu", schedule->name,
                schedule->steps[s].line, step.process, s + 1);
        step.value = field_get(beginning->state, model->automaton[step.process].moves[local->first_move].field);
        uint64_t successor[WORDS_MAX];
        uint8_t events;
        enum applied applied = model_learn(model, beginning->state, step, successor, &events);
        if (applied == MISSING)
            die_undecided("%s", model->overflow);
        if (inside(model, successor) > model->instance.setting.k)
            return;
        beginning->ambiguous += applied == AMBIGUOUS;
        memcpy(beginning->state, successor, model->words * sizeof *successor);
        beginning->steps[beginning->count++] = step;
    }
}

void beginning_close(struct beginning *beginning)
{
    free(beginning->steps);
    memset(beginning, 0, sizeof *beginning);
}
