/* SPDX-License-Identifier: MIT
 *
 * A run as a space-time diagram in text: one lane per process, one line per step, time running down. Each lane shows on
 * every line where its process is; the one that steps shows its label and access; the last column what changed.
 */
#include "checker/model/faults.h"
#include "checker/show/told_step.h"

#include <stdlib.h>

/* A register and its value, as " x[2]=1"; a packed word tells the names of what is in it itself. */
static void print_value(const struct instance *instance, unsigned r, uint64_t value, FILE *out)
{
    char text[128] = "";
    word_printer *shown = instance->regs[r].array->shown;
    if (shown != NULL) {
        shown(text, sizeof text, instance->setting.n, instance->setting.k, value);
        fprintf(out, " %s", text);
    } else {
        register_name(instance, r, text, sizeof text);
        fprintf(out, " %s=%llu", text, (unsigned long long)value);
    }
}

static void describe_step(const struct trace *trace, const struct execution *execution, size_t s, char *text,
                          size_t size)
{
    const struct instance *instance = &execution->model.instance;
    const struct told_step told = tell_step(trace, execution, s);
    const unsigned long long value = told.value, before = told.before;
    char name[64];
    if (trace->steps[s].fault) {
        snprintf(text, size, "%s", told.label);
        return;
    }
    /* What a packed word is now stands at the end of the line, once for all lanes. */
    if (told.kind == STEP_OF_KERNEL || instance->regs[told.reg].array->shown != NULL) {
        snprintf(text, size, "%s%s", told.label, told.changes ? "" : ": no change");
        return;
    }
    register_name(instance, told.reg, name, sizeof name);
    switch (told.kind) {
    case STEP_BEGINS_WRITE:
        snprintf(text, size, "%s: %s := %llu begins", told.label, name, value);
        break;
    case STEP_READS_AMID_WRITE:
        snprintf(text, size, "%s: %s reads %llu!", told.label, name, value);
        break;
    case STEP_READS:
        snprintf(text, size, "%s: %s is %llu", told.label, name, value);
        break;
    case STEP_UPDATES:
        snprintf(text, size, "%s: %s %llu -> %llu", told.label, name, before, value);
        break;
    case STEP_ENDS_WRITE:
        snprintf(text, size, "%s: %s := %llu ends", told.label, name, value);
        break;
    default:
        snprintf(text, size, "%s: %s := %llu", told.label, name, value);
    }
}

static void print_changes(const struct execution *execution, size_t s, FILE *out)
{
    const struct instance *instance = &execution->model.instance;
    for (unsigned r = 0; r < instance->reg_count; r++) {
        uint64_t value = execution->moments[s + 1].values[r];
        if (value == execution->moments[s].values[r])
            continue;
        print_value(instance, r, value, out);
    }
}

static void print_line(const struct trace *trace, const struct execution *execution, size_t s, int width, FILE *out)
{
    char text[128] = "";
    describe_step(trace, execution, s, text, sizeof text);
    fprintf(out, "%5zu ", s + 1);
    for (unsigned i = 0; i < processes_of(&trace->setting); i++) {
        fprintf(out, "| %c %-*s ", section_sign_at(execution, s + 1, i), width,
                i == trace->steps[s].process ? text : "");
    }
    fputc('|', out);
    print_changes(execution, s, out);
    fputc('\n', out);
}

/* Where everybody stands at the start, if that is not where the algorithm starts. */
static void print_start(const struct trace *trace, const struct execution *execution, int width, FILE *out)
{
    const struct instance *instance = &execution->model.instance;
    const struct moment *start = &execution->moments[0];
    if (trace->start.values == NULL)
        return;
    fprintf(out, "start ");
    for (unsigned i = 0; i < processes_of(&trace->setting); i++) {
        fprintf(out, "| %c %-*s ", section_sign_at(execution, 0, i), width,
                trace->setting.transient ? start->process[i].label : "");
    }
    fputc('|', out);
    for (unsigned r = 0; r < instance->reg_count; r++) {
        if (start->values[r] != 0)
            print_value(instance, r, start->values[r], out);
    }
    fputc('\n', out);
}

void trace_print(const struct trace *trace, const struct execution *execution, FILE *out)
{
    int width = 9;
    if (execution->count == 0)
        return; /* there is no such start */
    for (size_t s = 0; s + 1 < execution->count; s++) {
        char text[128];
        describe_step(trace, execution, s, text, sizeof text);
        int length = (int)strlen(text);
        width = length > width ? length : width;
    }
    for (unsigned i = 0; i < processes_of(&trace->setting) && trace->setting.transient; i++) {
        int length = (int)strlen(execution->moments[0].process[i].label);
        width = length > width ? length : width;
    }
    fprintf(out, "      ");
    for (unsigned i = 0; i < processes_of(&trace->setting); i++)
        fprintf(out, "|   %s %-*u ", kind_of_process(&trace->setting, i), width - 8,
                number_of_process(&trace->setting, i));
    fprintf(out, "| registers\n");
    print_start(trace, execution, width, out);
    for (size_t s = 0; s + 1 < execution->count; s++) {
        if (s == trace->loop && s == trace->loop_end)
            fprintf(out, "      ---- so long as anybody likes, all rest; then:\n");
        else if (s == trace->loop)
            fprintf(out, "      ---- from here on, again and again%s:\n",
                    trace->loop_end < trace->count ? ", as often as anybody likes" : "");
        else if (s == trace->loop_end)
            fprintf(out, "      ---- and then:\n");
        if (s + 1 == trace->count && trace->before_last != NULL)
            fprintf(out, "      ---- %s\n", trace->before_last);
        print_line(trace, execution, s, width, out);
    }
    fprintf(out, "      . remainder  d doorway  w waiting  # critical section  e exit  %sx %s%s\n",
            faults_allowed(&trace->setting) & ~(unsigned)CRASH ? "f faulty  " : "",
            trace->setting.shutdowns > 0 ? "stopped" : "crashed",
            trace->setting.registers != ATOMIC ? "   ! read during a write" : "");
}
