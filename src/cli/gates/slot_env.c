/* SPDX-License-Identifier: MIT */
#include "cli/gates/slot_env.h"

#include "cli/usage.h"

#include <admit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_name(const char *text)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    return text[0] != '\0' && (text[0] < '0' || text[0] > '9') && text[strspn(text, allowed)] == '\0';
}

/* "8000+" */
static bool counts(const char *text, unsigned long *from)
{
    size_t digits = strspn(text, "0123456789");
    *from = strtoul(text, NULL, 10);
    return digits > 0 && digits < 10 && strcmp(text + digits, "+") == 0;
}

/* What was meant to count and does not, "-1+", "8000+2" or "8000+,9000", would be taken for the name of a resource. */
static bool looks_like_a_count(const char *text)
{
    const size_t length = strlen(text), digits = strspn(text, "0123456789");
    return length > 0 && (text[length - 1] == '+' || (digits > 0 && text[digits] == '+')) &&
           strspn(text, "0123456789+-. ") == length;
}

/* A list of one number may have forgotten its "+". One with a digit or two is rather the one device that there is. */
static bool is_long_number(const char *text)
{
    const size_t digits = strspn(text, "0123456789");
    return digits > 2 && text[digits] == '\0';
}

static bool has_element(const char *list, const char *element)
{
    size_t length = strlen(element);
    for (; list != NULL; list = strchr(list, ',') != NULL ? strchr(list, ',') + 1 : NULL)
        if (strncmp(list, element, length) == 0 && (list[length] == ',' || list[length] == '\0'))
            return true;
    return false;
}

/* "0-3", up to a comma or the end: both its numbers. */
static bool is_range(const char *text, unsigned long *from, unsigned long *to)
{
    const size_t first = strspn(text, "0123456789");
    const char *second = text + first + (text[first] == '-');
    const size_t digits = strspn(second, "0123456789");
    *from = strtoul(text, NULL, 10);
    *to = strtoul(second, NULL, 10);
    return first > 0 && first < 10 && second > text + first && digits > 0 && digits < 10 &&
           (second[digits] == ',' || second[digits] == '\0');
}

static _Noreturn void refuse_range(const char *command, const char *name, unsigned long from, unsigned long to)
{
    enum { SPELLED_MAX = 16, NUMBER_MAX = 11 };
    char spelled[SPELLED_MAX * NUMBER_MAX + 1] = "";
    unsigned long at = from;
    size_t length = 0;
    for (unsigned n = 0; n < SPELLED_MAX; n++, at += from < to ? 1 : -1ul) {
        length += (size_t)snprintf(spelled + length, NUMBER_MAX + 1, "%s%lu", n > 0 ? "," : "", at);
        if (at == to)
            break;
    }
    usage_error(command, "--slot-env %s: '%lu-%lu' would be one element: say %s%s", name, from, to, spelled,
                at == to ? "" : ",...");
}

/* One that stands alone, or beside others that are none, is hardly meant to be one element. Where all are, as the processors
 * that go to taskset, each is a slot's. */
static void check_ranges(const char *command, const char *name, const char *list)
{
    unsigned long first = 0, last = 0, from, to;
    unsigned elements = 0, ranges = 0;
    for (const char *at = list; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL) {
        elements++;
        if (is_range(at, &from, &to) && ranges++ == 0) {
            first = from;
            last = to;
        }
    }
    if (ranges > 0 && (ranges < elements || elements == 1))
        refuse_range(command, name, first, last);
}

/* Cuts the list up, and keeps what the caller has inherited, if it has inherited anything. */
static void read_list(struct slot_variable *variable, char *list, const char *command)
{
    const char *inherited = getenv(variable->name);
    variable->element = calloc(ADMIT_GATE_K_MAX, sizeof *variable->element);
    if (variable->element == NULL)
        usage_error(command, "--slot-env %s: there is no memory left", variable->name);
    for (char *element = list, *next; element != NULL; element = next) {
        next = strchr(element, ',');
        if (next != NULL)
            *next++ = '\0';
        if (element[0] == '\0')
            usage_error(command, "--slot-env %s: an element of the list is empty", variable->name);
        if (looks_like_a_count(element))
            usage_error(command, "--slot-env %s: '%s' is no element of a list, and what counts is one number: 0+ to %s",
                        variable->name, element, "999999999+");
        for (unsigned e = 0; e < variable->length; e++)
            if (strcmp(variable->element[e], element) == 0)
                usage_error(command, "--slot-env %s: '%s' is in the list twice, and two would have it", variable->name,
                            element);
        if (inherited != NULL && !has_element(inherited, element)) {
            variable->cut = true;
            continue;
        }
        if (variable->length == ADMIT_GATE_K_MAX)
            usage_error(command, "--slot-env %s: a gate has at most %d slots", variable->name, ADMIT_GATE_K_MAX);
        variable->element[variable->length++] = element;
    }
    if (variable->length == 0)
        usage_error(command, "--slot-env %s: nothing in the list is in what was inherited, '%s'", variable->name,
                    inherited);
}

void slot_env_add(struct slot_env *env, const char *command, const char *text)
{
    if (env->variables == SLOT_VARIABLES_MAX)
        usage_error(command, "--slot-env can be given %d times", SLOT_VARIABLES_MAX);
    struct slot_variable *variable = &env->variable[env->variables++];
    char *name = strdup(text), *value = name != NULL ? strchr(name, '=') : NULL;
    if (value != NULL)
        *value++ = '\0';
    if (value != NULL && name[0] != '\0' && !is_name(name))
        usage_error(command, "--slot-env %s: '%s' cannot be the name of a variable: letters, digits and _", text, name);
    if (value == NULL || !is_name(name) || value[0] == '\0')
        usage_error(command, "--slot-env takes VARIABLE=A,B,C or VARIABLE=NUMBER+, not '%s'", text);
    if (strncmp(name, "ADMIT_", strlen("ADMIT_")) == 0)
        usage_error(command, "--slot-env %s: such names are admit's own", name);
    for (unsigned v = 0; v + 1 < env->variables; v++)
        if (strcmp(env->variable[v].name, name) == 0)
            usage_error(command, "--slot-env %s is given twice: which one?", name);
    *variable = (struct slot_variable){.name = name};
    if (!counts(value, &variable->from)) {
        check_ranges(command, name, value);
        read_list(variable, value, command);
    }
}

const struct slot_variable *slot_env_list(const struct slot_env *env, const char *command, unsigned k)
{
    const struct slot_variable *first = NULL;
    for (unsigned v = 0; v < env->variables; v++) {
        const struct slot_variable *variable = &env->variable[v];
        if (variable->element == NULL)
            continue;
        if (first != NULL && first->length != variable->length)
            usage_error(command, "--slot-env: %s has %u elements, and %s has %u", first->name, first->length,
                        variable->name, variable->length);
        if (k > variable->length && variable->length == 1 && is_long_number(variable->element[0]))
            usage_error(command, "-k %u is more than --slot-env %s has elements: 1; %s=%s+ counts up from there", k,
                        variable->name, variable->name, variable->element[0]);
        if (k > variable->length)
            usage_error(command, "-k %u is more than --slot-env %s has elements: %u", k, variable->name,
                        variable->length);
        if (first == NULL || !first->cut)
            first = variable;
    }
    return first;
}

void slot_env_tell_odd(const struct slot_env *env, const char *command)
{
    for (unsigned v = 0; v < env->variables; v++) {
        const struct slot_variable *variable = &env->variable[v];
        if (variable->element != NULL && variable->length == 1 && !variable->cut &&
            is_long_number(variable->element[0]))
            fprintf(
                stderr,
                "admit %s: --slot-env %s=%s is a list of one element, so that k is 1; %s=%s+ counts up from there\n",
                command, variable->name, variable->element[0], variable->name, variable->element[0]);
    }
}

bool slot_env_set(const struct slot_env *env, unsigned slot, const char **lacking)
{
    for (unsigned v = 0; v < env->variables; v++) {
        const struct slot_variable *variable = &env->variable[v];
        char number[32];
        snprintf(number, sizeof number, "%lu", variable->from + slot);
        if (variable->element != NULL && slot >= variable->length) {
            *lacking = variable->name;
            return false;
        }
        setenv(variable->name, variable->element != NULL ? variable->element[slot] : number, 1);
    }
    return true;
}

void slot_env_close(struct slot_env *env)
{
    for (unsigned v = 0; v < env->variables; v++) {
        free(env->variable[v].element);
        free(env->variable[v].name); /* the elements are in the same text */
    }
    env->variables = 0;
}
