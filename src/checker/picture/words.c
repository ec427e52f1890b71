/* SPDX-License-Identifier: MIT
 *
 * words.c - what pictures and pages say of a run.
 */
#include "checker/picture/picture.h"

#include "checker/model/fault_info.h"
#include "checker/model/way_info.h"

#include <stdarg.h>
#include <stdio.h>

const struct section_words section_words[SECTION_SIGNS] = {
    {'.', "remainder", "remainder"},       {'d', "doorway", "doorway"}, {'w', "waiting", "waiting room"},
    {'#', "critical", "critical section"}, {'e', "exit", "exit"},       {'f', "faulty", "faulty"},
    {'x', "crashed", "crashed"},
};

unsigned section_words_at(const struct picture_of *picture, size_t moment, unsigned i)
{
    const char sign = section_sign_at(picture->execution, moment, i);
    unsigned s = 0;
    while (section_words[s].sign != sign)
        s++;
    return s;
}

/* Adds to the words, as far as there is room. */
__attribute__((format(printf, 3, 4))) static void say(char *words, size_t size, const char *format, ...)
{
    const size_t used = strlen(words);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words + used, size - used, format, arguments);
    va_end(arguments);
}

void picture_title(const struct picture_of *picture, char *words, size_t size)
{
    const struct trace *trace = picture->trace;
    words[0] = '\0';
    say(words, size, "%s: ", picture->setting->algorithm->about.id);
    if (trace == NULL)
        say(words, size, "no counterexample");
    else if (trace->property == PROPERTIES)
        say(words, size, "a run");
    else
        say(words, size, "%s (%s) is %sviolated", property_title(trace->property),
            property_info[trace->property].number, picture->is_shown ? "" : "not shown to be ");
}

void picture_setting(const struct setting *setting, char *words, size_t size)
{
    char names[FAULTS][FAULT_NAME_SIZE];
    bool with = false;
    words[0] = '\0';
    say(words, size, "n = %u, k = %u, %s registers%s", setting->n, setting->k, register_kind_name[setting->registers],
        setting->any_order ? ", for-all in any order" : "");
    for (unsigned f = 0, count = fault_names(setting, names); f < count; f++, with = true)
        say(words, size, ", %s%s", with ? "" : "with ", names[f]);
    for (unsigned w = 0; w < WAYS; w++)
        if (setting->ways >> w & 1) {
            say(words, size, ", %s%s", with ? "" : "with ", way_info[w].name);
            with = true;
        }
}

void describe_value(const struct instance *instance, unsigned reg, uint64_t value, char *words, size_t size)
{
    word_printer *shown = instance->regs[reg].array->shown;
    words[0] = '\0';
    if (shown != NULL)
        shown(words, size, instance->setting.n, instance->setting.k, value);
    else
        snprintf(words, size, "%llu", (unsigned long long)value);
}

static void describe_told(const struct instance *instance, const struct told_step *told, char *words, size_t size)
{
    char name[64], before[128], value[128];
    register_name(instance, told->reg, name, sizeof name);
    describe_value(instance, told->reg, told->before, before, sizeof before);
    describe_value(instance, told->reg, told->value, value, sizeof value);
    const bool is_number = instance->regs[told->reg].array->shown == NULL;
    if (strchr(value, '=') != NULL) { /* it says itself what it is the value of */
        say(words, size, "%s%s", told->changes ? "\u2192 " : "", value);
        return;
    }
    switch (told->kind) {
    case STEP_READS:
        say(words, size, "%s is %s", name, value);
        break;
    case STEP_READS_AMID_WRITE:
        say(words, size, "%s reads %s!", name, value);
        break;
    case STEP_BEGINS_WRITE:
        say(words, size, "%s := %s begins", name, value);
        break;
    case STEP_ENDS_WRITE:
        say(words, size, "%s := %s ends", name, value);
        break;
    case STEP_UPDATES:
        if (!told->changes)
            say(words, size, "%s is %s", name, value);
        else if (is_number)
            say(words, size, "%s %s \u2192 %s", name, before, value);
        else
            say(words, size, "%s := %s", name, value);
        break;
    default:
        say(words, size, "%s := %s", name, value);
    }
}

void describe_access(const struct picture_of *picture, size_t step, char *words, size_t size)
{
    const struct instance *instance = &picture->execution->model.instance;
    const struct moment *from = &picture->execution->moments[step], *to = from + 1;
    const struct told_step told = tell_step(picture->trace, picture->execution, step);
    const bool on_register = told.kind != STEP_OF_KERNEL && told.kind != STEP_GOES_WRONG;
    words[0] = '\0';
    if (on_register)
        describe_told(instance, &told, words, size);
    for (unsigned r = 0; r < instance->reg_count; r++) {
        char name[64], value[128];
        if (to->values[r] == from->values[r] || (on_register && r == told.reg))
            continue;
        register_name(instance, r, name, sizeof name);
        describe_value(instance, r, to->values[r], value, sizeof value);
        say(words, size, "%s%s := %s", words[0] != '\0' ? ", " : "", name, value);
    }
}

const char *loop_begins(const struct trace *trace, size_t step)
{
    if (step != trace->loop)
        return NULL;
    return trace->loop == trace->loop_end   ? "so long as anybody likes, all rest; then"
           : trace->loop_end < trace->count ? "from here on, again and again, as often as anybody likes"
                                            : "from here on, again and again";
}
