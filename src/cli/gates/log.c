/* SPDX-License-Identifier: MIT
 *
 * A line is one write(2) to a file opened with O_APPEND: those of any number of processes stand whole, one after the
 * other. It is shorter than what a pipe takes at once (PIPE_BUF), so that this is true of a pipe, too.
 *
 * Before each line the file's name is looked at: a log that was renamed, as logrotate does, is followed by a new one of
 * that name, also by those who have waited since before. A process that may not make one goes on in the old one.
 */
#include "cli/gates/log.h"

#include "cli/gates/gates.h"
#include "native/printable.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *by_command; /* the sub-command, as messages name it */
static const char *log_path;   /* NULL: there is no log */
static int log_fd = -1;
static char own_user[64];

/* --- a line -------------------------------------------------------------------------------------------------------- */

struct line {
    char text[4096];
    size_t length;
};

/* How much of a line each text may take. All of them together, and the numbers, are less than a line. */
enum { GATE_MAX = 600, PATH_TEXT_MAX = 1200, NAME_MAX_TEXT = 100, COMMAND_MAX = 1600 };
_Static_assert(GATE_MAX + PATH_TEXT_MAX + NAME_MAX_TEXT + COMMAND_MAX + 500 < sizeof((struct line *)NULL)->text &&
                   sizeof((struct line *)NULL)->text <= PIPE_BUF,
               "a line is written at once");

__attribute__((format(printf, 2, 3))) static void put(struct line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(line->text + line->length, sizeof line->text - line->length, format, arguments);
    va_end(arguments);
    if (more > 0)
        line->length += (size_t)more;
}

/* Bytes that are no UTF-8 become U+FFFD, and a text that is too long ends in "...", as it does on a screen. */
static void put_text(struct line *line, const char *key, const char *text, size_t most)
{
    enum { LONGEST = 6, CUT = 3 }; /* \u001b, ... */
    const size_t end = line->length + most;
    put(line, ",\"%s\":\"", key);
    while (*text != '\0' && line->length + LONGEST + CUT < end) {
        const unsigned length = admit_printable_character(text), byte = (unsigned char)*text;
        if (length == 1 && (*text == '"' || *text == '\\'))
            put(line, "\\%c", *text);
        else if (length > 0)
            put(line, "%.*s", (int)length, text);
        else
            put(line, "\\u%04x", byte < 0x80 ? byte : 0xfffdu);
        text += length > 0 ? length : 1;
    }
    put(line, *text != '\0' ? "...\"" : "\"");
}

static void put_seconds(struct line *line, const char *key, int64_t ns)
{
    if (ns < 0)
        ns = 0;
    put(line, ",\"%s\":%lld.%06lld", key, (long long)(ns / 1000000000), (long long)(ns % 1000000000 / 1000));
}

static int64_t monotonic(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* What every line has. A gate that is a path may have been named from another directory by others: the file's own path
 * tells that it is the same one. */
static void begin(struct line *line, const struct log_stay *stay, const admit_gate *gate, const char *event)
{
    struct timespec now;
    struct tm utc;
    char date[32], path[PATH_MAX];
    line->length = 0;
    clock_gettime(CLOCK_REALTIME, &now);
    if (gmtime_r(&now.tv_sec, &utc) == NULL || strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc) == 0)
        strcpy(date, "1970-01-01T00:00:00");
    put(line, "{\"time\":\"%s.%06ldZ\",\"event\":\"%s\"", date, now.tv_nsec / 1000, event);
    put_text(line, "gate", stay->gate, GATE_MAX);
    const char *as_opened = admit_gate_path(gate);
    put_text(line, "path", realpath(as_opened, path) != NULL ? path : as_opened, PATH_TEXT_MAX);
    put(line, ",\"k\":%u,\"pid\":%ld", admit_gate_k(gate), (long)getpid());
    put_text(line, "user", own_user, NAME_MAX_TEXT);
}

static void put_hold(struct line *line, const admit_hold *hold)
{
    put(line, ",\"slot\":%u,\"ticket\":%llu", hold->slot, (unsigned long long)hold->ticket);
}

/* --- the file ------------------------------------------------------------------------------------------------------ */

/* Said once: whoever has no room for a log would not be helped by a word for each line. */
static void tell_failure(const char *what)
{
    static bool told;
    if (!told)
        fprintf(stderr, "admit %s: cannot %s the log '%s': %s; going on without\n", by_command, what, log_path,
                strerror(errno));
    told = true;
}

/* First as one that is there: in a directory that all may write to, the kernel may forbid to "make" others' files.
 * A pipe whose reader is slow must not keep anybody inside: what has no room there is left out. */
static int open_log(void)
{
    const int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    int fd = open(log_path, flags);
    return fd < 0 && errno == ENOENT ? open(log_path, flags | O_CREAT, 0600) : fd;
}

static void follow_name(void)
{
    struct stat named, opened;
    const bool is_there = stat(log_path, &named) == 0;
    if (is_there && fstat(log_fd, &opened) == 0 && named.st_dev == opened.st_dev && named.st_ino == opened.st_ino)
        return;
    int fd = open_log();
    if (fd < 0)
        return;
    dup3(fd, log_fd, O_CLOEXEC); /* of the same number: another thread may write at this moment */
    close(fd);
}

/* Neither a reader that is gone nor a limit on the size of files ends the process: their signals are taken back. */
static ssize_t write_quietly(const char *text, size_t length)
{
    static const struct timespec at_once;
    sigset_t those, before;
    sigemptyset(&those);
    sigaddset(&those, SIGPIPE);
    sigaddset(&those, SIGXFSZ);
    sigprocmask(SIG_BLOCK, &those, &before);
    ssize_t written = write(log_fd, text, length);
    const int error = errno;
    if (written < 0 && (error == EPIPE || error == EFBIG))
        sigtimedwait(&those, NULL, &at_once);
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return written;
}

/* What has room only in part is half a line, which `report` knows from the next one. */
static void end(struct line *line, const struct log_stay *stay)
{
    char words[COMMAND_MAX];
    if (stay->job != 0)
        put(line, ",\"job\":\"@%lu\"", (unsigned long)stay->job);
    if (stay->token)
        put(line, ",\"token\":true");
    if (stay->command != NULL)
        put_text(line, "command", shell_words(stay->command, words, sizeof words), COMMAND_MAX);
    put(line, "}\n");
    follow_name();
    ssize_t written = write_quietly(line->text, line->length);
    if (written >= 0 && (size_t)written < line->length)
        errno = ENOSPC;
    if (written < 0 || (size_t)written < line->length)
        tell_failure("write");
}

void log_open(const char *command, const char *path)
{
    const char *inherited = getenv("ADMIT_LOG");
    by_command = command;
    log_path = path != NULL ? path : inherited != NULL && inherited[0] != '\0' ? inherited : NULL;
    if (log_path == NULL)
        return;
    log_fd = open_log();
    if (log_fd < 0 && path != NULL)
        usage_error(command, "cannot open the log '%s': %s", path, strerror(errno));
    if (log_fd < 0)
        tell_failure("open");
    else
        user_name((int64_t)geteuid(), own_user);
}

/* --- what happens -------------------------------------------------------------------------------------------------- */

void log_came(struct log_stay *stay)
{
    if (log_fd < 0)
        return;
    stay->came = monotonic();
    stay->waits = false;
}

void log_waits(struct log_stay *stay, const admit_gate *gate, unsigned place)
{
    struct line line;
    if (log_fd < 0 || stay->waits)
        return;
    stay->waits = true;
    begin(&line, stay, gate, "wait");
    put(&line, ",\"place\":%u", place);
    end(&line, stay);
}

/* Of one that was let in at once it is nothing, and not how long that took. */
static void put_waited(struct line *line, const struct log_stay *stay, int64_t until)
{
    put_seconds(line, "waited", stay->waits ? until - stay->came : 0);
}

void log_entered(struct log_stay *stay, const admit_gate *gate, const admit_hold *hold)
{
    struct line line;
    if (log_fd < 0)
        return;
    stay->hold = *hold;
    stay->entered = monotonic();
    if (hold->owner_died) {
        begin(&line, stay, gate, "recover");
        put(&line, ",\"slot\":%u", hold->slot);
        end(&line, stay);
    }
    begin(&line, stay, gate, "enter");
    put_hold(&line, hold);
    put_waited(&line, stay, stay->entered);
    put(&line, ",\"owner_died\":%s", hold->owner_died ? "true" : "false");
    end(&line, stay);
}

void log_gave_up(struct log_stay *stay, const admit_gate *gate, const char *why, int status)
{
    struct line line;
    if (log_fd < 0)
        return;
    begin(&line, stay, gate, "give_up");
    put_waited(&line, stay, monotonic());
    put(&line, ",\"why\":\"%s\",\"status\":%d", why, status);
    end(&line, stay);
}

void log_left(struct log_stay *stay, const admit_gate *gate, int status)
{
    struct line line;
    if (log_fd < 0)
        return;
    begin(&line, stay, gate, "exit");
    put_hold(&line, &stay->hold);
    put_seconds(&line, "inside", monotonic() - stay->entered);
    if (status >= 0)
        put(&line, ",\"status\":%d", status);
    if (stay->why != NULL)
        put(&line, ",\"why\":\"%s\"", stay->why);
    end(&line, stay);
}
