/* SPDX-License-Identifier: MIT */
#include "cli/gates/report_log.h"

#include "cli/gates/report_program.h"

#include "base/die.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* log.c writes less than 4096 bytes. What is longer than this is no line of a log, and not kept in memory. */
enum { LINE_MAX_BYTES = 1 << 16, BUFFER = 1 << 20, PROGRAMS_MAX = 4096 };

/* --- names --------------------------------------------------------------------------------------------------------- */

static uint32_t hash_of(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t c = 0; c < length; c++)
        hash = (hash ^ (unsigned char)text[c]) * UINT64_C(0x100000001b3);
    return (uint32_t)(hash ^ hash >> 32);
}

static uint32_t *cell_of(const struct names *names, const char *text, size_t length)
{
    uint32_t at = hash_of(text, length);
    for (;; at++) {
        uint32_t *cell = &names->table[at & (names->table_size - 1)];
        if (*cell == 0 ||
            (strncmp(names->text[*cell - 1], text, length) == 0 && names->text[*cell - 1][length] == '\0'))
            return cell;
    }
}

static void grow(struct names *names)
{
    free(names->table);
    names->table_size = names->table_size == 0 ? 64 : names->table_size * 2;
    names->table = must_allocate(names->table_size * sizeof *names->table);
    names->text = must_reallocate(names->text, names->table_size / 2 * sizeof *names->text);
    for (uint32_t n = 0; n < names->count; n++)
        *cell_of(names, names->text[n], strlen(names->text[n])) = n + 1;
}

/* `most`: so many are told apart. */
static uint32_t number_of(struct names *names, const char *text, size_t length, uint32_t most)
{
    if (names->count >= names->table_size / 2)
        grow(names);
    uint32_t *cell = cell_of(names, text, length);
    if (*cell != 0)
        return *cell - 1;
    if (names->count >= most)
        return NO_NAME;
    char *copy = must_allocate(length + 1);
    memcpy(copy, text, length);
    names->text[names->count] = copy;
    *cell = ++names->count;
    return names->count - 1;
}

const char *name_of(const struct names *names, uint32_t number)
{
    return number < names->count ? names->text[number] : NULL;
}

static void free_names(struct names *names)
{
    for (uint32_t n = 0; n < names->count; n++)
        free(names->text[n]);
    free(names->text);
    free(names->table);
}

static uint32_t gate_of(struct log *log, const struct log_line *line)
{
    const uint32_t before = log->paths.count, room = log->paths.table_size;
    const uint32_t gate = number_of(&log->paths, line->path, strlen(line->path), UINT32_MAX);
    if (log->paths.table_size != room)
        log->gate_names = must_reallocate(log->gate_names, log->paths.table_size / 2 * sizeof *log->gate_names);
    if (gate == before)
        log->gate_names[gate] = NULL;
    char **name = &log->gate_names[gate];
    if (*name != NULL && (strchr(*name, '/') == NULL || strchr(line->gate, '/') != NULL))
        return gate;
    free(*name);
    *name = must_allocate(strlen(line->gate) + 1);
    strcpy(*name, line->gate);
    return gate;
}

static void note_command(struct log *log, const char *command, struct event *event)
{
    static char name[LINE_MAX_BYTES + 1];
    char beginning[256];
    const char *behind = name_program(command, name);
    snprintf(beginning, sizeof beginning, "%.100s%.150s", name, behind);
    event->program = (uint16_t)number_of(&log->programs, name, strlen(name), PROGRAMS_MAX);
    event->command = (uint16_t)number_of(&log->commands, beginning, strlen(beginning), PROGRAMS_MAX);
}

/* --- lines --------------------------------------------------------------------------------------------------------- */

static void keep(struct log *log, const struct log_line *line)
{
    const uint32_t gate = gate_of(log, line);
    if (log->wanted != NULL && strcmp(log->wanted, line->gate) != 0 && strcmp(log->wanted, line->path) != 0)
        return;
    if (log->count == log->room) {
        log->room = log->room == 0 ? 1024 : log->room + log->room / 2;
        log->events = must_reallocate(log->events, log->room * sizeof *log->events);
    }
    struct event *event = &log->events[log->count++];
    *event = (struct event){.time = line->time,
                            .span = line->span,
                            .ticket = line->ticket,
                            .number = (uint32_t)log->lines,
                            .gate = gate,
                            .pid = line->pid,
                            .job = line->job,
                            .user = (uint16_t)number_of(&log->users, line->user, strlen(line->user), PROGRAMS_MAX),
                            .k = line->k,
                            .slot = line->slot,
                            .status = line->status,
                            .event = (uint8_t)line->event,
                            .why = (uint8_t)line->why,
                            .owner_died = line->owner_died,
                            .token = line->token};
    note_command(log, line->command, event);
}

struct reading {
    struct log *log;
    int64_t now, newest; /* of this file's lines so far */
    char *buffer, *room;
};

static void take(struct reading *reading, const char *text, size_t length)
{
    struct log *log = reading->log;
    struct log_line line;
    log->lines++;
    enum line_kind kind = read_log_line(text, length, reading->now, reading->room, &line);
    if (kind == LINE_TORN || kind == LINE_FOREIGN) {
        const char *behind = line_behind_torn(text, length);
        if (behind != NULL) {
            log->kinds[kind]++;
            log->lines++;
            kind = read_log_line(behind, length - (size_t)(behind - text), reading->now, reading->room, &line);
        }
    }
    log->kinds[kind]++;
    if (kind != LINE_GOOD)
        return;
    if (reading->newest - line.time > 1000000 && reading->newest - line.time > log->back)
        log->back = reading->newest - line.time;
    if (line.time > reading->newest)
        reading->newest = line.time;
    keep(log, &line);
}

/* For people who wait for it: from the first second on, twice a second. */
static void show_progress(const struct log *log, bool is_over)
{
    static struct timespec shown;
    static bool is_shown;
    struct timespec now;
    if (!isatty(STDERR_FILENO) || (is_over && !is_shown))
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (shown.tv_sec == 0)
        shown = now;
    if (is_over)
        fputs("\r\033[K", stderr);
    else if ((now.tv_sec - shown.tv_sec) * 10 + (now.tv_nsec - shown.tv_nsec) / 100000000 >= 5) {
        fprintf(stderr, "\radmit report: %llu lines\033[K", (unsigned long long)log->lines);
        shown = now;
        is_shown = true;
    }
}

static void tell_unread(struct log *log, const char *file, int error)
{
    show_progress(log, true);
    fprintf(stderr, "admit report: cannot read '%s': %s\n", file, strerror(error));
    log->unread = true;
}

/* Takes all whole lines of the buffer; returns how many bytes are left, at its beginning. */
static size_t take_lines(struct reading *reading, size_t filled, bool *in_long_line)
{
    const char *at = reading->buffer, *end = at + filled;
    for (const char *newline; (newline = memchr(at, '\n', (size_t)(end - at))) != NULL; at = newline + 1) {
        if (!*in_long_line && newline - at <= LINE_MAX_BYTES)
            take(reading, at, (size_t)(newline - at));
        else if (!*in_long_line)
            reading->log->lines++, reading->log->too_long++;
        *in_long_line = false;
    }
    size_t left = (size_t)(end - at);
    if (!*in_long_line && left > LINE_MAX_BYTES) {
        reading->log->lines++, reading->log->too_long++;
        *in_long_line = true;
    }
    if (*in_long_line)
        left = 0;
    memmove(reading->buffer, at, left);
    return left;
}

static void read_all(struct reading *reading, int fd, const char *file)
{
    size_t filled = 0;
    bool in_long_line = false;
    for (;;) {
        ssize_t more = read(fd, reading->buffer + filled, BUFFER - filled);
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0)
            tell_unread(reading->log, file, errno);
        if (more <= 0)
            break;
        filled = take_lines(reading, filled + (size_t)more, &in_long_line);
        show_progress(reading->log, false);
    }
    if (filled > 0)
        take(reading, reading->buffer, filled);
}

void log_read(struct log *log, const char *file)
{
    const bool is_stdin = strcmp(file, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        tell_unread(log, file, errno);
        return;
    }
    struct reading reading = {.log = log, .now = (int64_t)time(NULL) * 1000000};
    reading.buffer = must_allocate(BUFFER);
    reading.room = must_allocate(BUFFER + 1);
    read_all(&reading, fd, is_stdin ? "standard input" : file);
    show_progress(log, true);
    free(reading.buffer);
    free(reading.room);
    if (!is_stdin)
        close(fd);
}

/* --- order --------------------------------------------------------------------------------------------------------- */

static int in_order(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->gate != y->gate)
        return x->gate < y->gate ? -1 : 1;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* No process does the same twice in a microsecond, at the end of as long a time. */
static bool is_same(const struct event *a, const struct event *b)
{
    return a->pid == b->pid && a->event == b->event && a->slot == b->slot && a->ticket == b->ticket &&
           a->span == b->span && a->status == b->status && a->user == b->user && a->program == b->program;
}

/* Of those of the same microsecond so many are compared: more there are only in what no log is. */
enum { COMPARED_MAX = 64 };

static bool is_repeated(const struct log *log, size_t kept, const struct event *event)
{
    for (size_t e = kept; e > 0 && kept - e < COMPARED_MAX; e--) {
        const struct event *before = &log->events[e - 1];
        if (before->gate != event->gate || before->time != event->time)
            return false;
        if (is_same(before, event))
            return true;
    }
    return false;
}

void log_order(struct log *log)
{
    size_t kept = 0;
    if (log->count > 0)
        qsort(log->events, log->count, sizeof *log->events, in_order);
    for (size_t e = 0; e < log->count; e++)
        if (!is_repeated(log, kept, &log->events[e]))
            log->events[kept++] = log->events[e];
    log->repeated = log->count - kept;
    log->count = kept;
}

size_t events_of_gate(const struct log *log, size_t from)
{
    size_t to = from;
    while (to < log->count && log->events[to].gate == log->events[from].gate)
        to++;
    return to - from;
}

void log_free(struct log *log)
{
    for (uint32_t g = 0; g < log->paths.count; g++)
        free(log->gate_names[g]);
    free(log->gate_names);
    free_names(&log->paths);
    free_names(&log->users);
    free_names(&log->programs);
    free_names(&log->commands);
    free(log->events);
}
