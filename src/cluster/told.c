/* SPDX-License-Identifier: MIT
 *
 * What a participant tells of itself, as the value of its key in the line: for people, but for k. Whoever may write to the
 * cluster may have written anything, so what is read is believed as far as it can be shown.
 */
#include "cluster/gate.h"

#include <jansson.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void name_user(struct told *told)
{
    struct passwd entry, *found = NULL;
    char text[4096];
    if (getpwuid_r(geteuid(), &entry, text, sizeof text, &found) == 0 && found != NULL)
        snprintf(told->user_name, sizeof told->user_name, "%s", entry.pw_name);
    else
        snprintf(told->user_name, sizeof told->user_name, "%lu", (unsigned long)geteuid());
}

void told_of_process(struct told *told)
{
    *told = (struct told){.pid = (long)getpid(), .user = (int64_t)geteuid()};
    if (gethostname(told->host, sizeof told->host - 1) != 0)
        told->host[0] = '\0';
    name_user(told);
}

/* jansson takes UTF-8 only; what is none is told byte by byte as if each was a character. */
static json_t *text_of(const char *text)
{
    json_t *string = json_string(text);
    char latin[2 * ADMIT_COMMAND_SIZE + 1], *at = latin;
    if (string != NULL)
        return string;
    for (; *text != '\0' && at + 2 < latin + sizeof latin; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (byte >= 0x80)
            *at++ = (char)(0xc0 | byte >> 6);
        *at++ = (char)(byte >= 0x80 ? 0x80 | (byte & 0x3f) : byte);
    }
    *at = '\0';
    return json_string(latin);
}

char *told_write(const struct told *told)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    json_t *all =
        json_pack("{s:o, s:o, s:I, s:I, s:o, s:I, s:i}", "host", text_of(told->host), "user", text_of(told->user_name),
                  "uid", (json_int_t)told->user, "pid", (json_int_t)told->pid, "command", text_of(told->command),
                  "since", (json_int_t)now.tv_sec * 1000000000 + now.tv_nsec, "k", (int)told->k);
    char *text = all != NULL ? json_dumps(all, JSON_COMPACT) : NULL;
    json_decref(all);
    return text;
}

static void take_text(const json_t *all, const char *key, char *to, size_t size)
{
    const char *text = json_string_value(json_object_get(all, key));
    snprintf(to, size, "%s", text != NULL ? text : "");
}

static json_int_t number(const json_t *all, const char *key, json_int_t otherwise)
{
    const json_t *value = json_object_get(all, key);
    return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

void told_read(struct told *told, const char *text)
{
    json_t *all = text != NULL ? json_loads(text, 0, NULL) : NULL;
    *told = (struct told){.user = number(all, "uid", -1), .since = number(all, "since", 0)};
    const json_int_t pid = number(all, "pid", 0), k = number(all, "k", 0);
    told->pid = pid > 0 && pid <= INT32_MAX ? (long)pid : 0;
    told->k = k > 0 && k <= ADMIT_GATE_K_MAX ? (unsigned)k : 0;
    take_text(all, "host", told->host, sizeof told->host);
    take_text(all, "user", told->user_name, sizeof told->user_name);
    take_text(all, "command", told->command, sizeof told->command);
    json_decref(all);
}
