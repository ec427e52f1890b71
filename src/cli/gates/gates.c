/* SPDX-License-Identifier: MIT */
#include "cli/gates/gates.h"

#include "base/spelling.h"
#include "cli/gates/columns.h"
#include "cli/gates/elsewhere.h"
#include "native/printable.h"

#include <pwd.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct unit {
    const char *name;
    double ns;
};

/* From the largest on, as they may follow each other. */
static const struct unit units[] = {{"d", 86400e9}, {"h", 3600e9}, {"m", 60e9}, {"s", 1e9}, {"ms", 1e6}, {"", 1e9}};
enum { UNITS = sizeof units / sizeof units[0], NO_UNIT = UNITS - 1 };

/* A number and its unit, after which the text goes on; false: it is none, or not one that may follow. *from is then the unit
 * that may. Of digits and points: neither nan nor 1e9 is a time. */
static bool take_time(const char **text, unsigned *from, double *ns)
{
    static const char digits[] = "0123456789.";
    const size_t length = strspn(*text, digits), letters = strcspn(*text + length, digits);
    unsigned unit = *from;
    char *end;
    const double number = strtod(*text, &end);
    while (unit < UNITS &&
           (strlen(units[unit].name) != letters || strncmp(*text + length, units[unit].name, letters) != 0))
        unit++;
    if (length == 0 || end != *text + length || unit == UNITS || (unit == NO_UNIT && *from > 0))
        return false;
    *ns += number * units[unit].ns;
    *text += length + letters;
    *from = unit + 1;
    return true;
}

uint64_t option_time(struct arguments *arguments, const char *option)
{
    const char *text = option_value(arguments, option), *at = text;
    unsigned from = 0;
    double ns = 0;
    while (take_time(&at, &from, &ns) && *at != '\0') {
    }
    if (text[0] == '\0' || *at != '\0' || ns > 1e18)
        usage_error(arguments->command, "%s takes a time, such as 30, 500ms, 1.5s, 10m, 2h, 1d or 1m30s, not '%s'",
                    option, text);
    return (uint64_t)ns;
}

struct timespec in_future(uint64_t ns)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    ns += (uint64_t)time.tv_nsec;
    time.tv_sec += (time_t)(ns / 1000000000);
    time.tv_nsec = (long)(ns % 1000000000);
    return time;
}

unsigned slots_argument(const char *command, const char *what, const char *text)
{
    cpu_set_t cores;
    char *end;
    const unsigned long number = strtoul(text, &end, 10); /* of too many digits the largest there is */
    const bool is_number = text[0] >= '0' && text[0] <= '9' && *end == '\0';
    if (is_number && number >= 1 && number <= ADMIT_GATE_K_MAX)
        return (unsigned)number;
    if (strcmp(text, "cores") != 0)
        usage_error(command, "%s takes a whole number from 1 to %d, or cores, not '%s'", what, ADMIT_GATE_K_MAX, text);
    int count =
        sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : (int)sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (unsigned)count;
}

unsigned option_slots(struct arguments *arguments, const char *option)
{
    return slots_argument(arguments->command, option, option_value(arguments, option));
}

unsigned option_mode(struct arguments *arguments, const char *option)
{
    const char *text = option_value(arguments, option);
    unsigned mode = (unsigned)strtoul(text, NULL, 8);
    size_t length = strlen(text);
    if (length == 0 || length > 4 || strspn(text, "01234567") != length || (mode & ~0666u) != 0 || mode == 0)
        usage_error(arguments->command, "%s takes permissions to read and write, such as 0660 or 0666, not '%s'",
                    option, text);
    return mode;
}

long option_process(struct arguments *arguments, const char *option)
{
    enum { PROCESS_MAX = 1 << 22 };
    return (long)option_number(arguments, option, 1, PROCESS_MAX);
}

unsigned option_ttl(struct arguments *arguments, const char *option)
{
    enum { LEAST_S = 2, MOST_S = 86400 };
    const uint64_t second = 1000000000, ns = option_time(arguments, option);
    if (ns < LEAST_S * second || ns > MOST_S * second || ns % second != 0)
        usage_error(arguments->command, "%s takes whole seconds, from 2 s to 1 d, such as 10, 30s or 2m", option);
    return (unsigned)(ns / second);
}

struct nearest {
    const char *name;
    char found[80];
    unsigned distance;
};

static int nearer(void *data, const char *name, const char *path)
{
    struct nearest *nearest = data;
    unsigned distance = edit_distance(nearest->name, name);
    (void)path;
    if (distance > 0 && distance < nearest->distance) {
        nearest->distance = distance;
        snprintf(nearest->found, sizeof nearest->found, "%s", name);
    }
    return 0;
}

/* A file that is no gate, or none any more, is removed by no command of admit: it may be something else that somebody
 * needs. Of a link or a directory, another name is the way out. */
static bool is_ruined_file(const char *name, admit_error error)
{
    char path[4096];
    struct stat status;
    return (error == ADMIT_NOT_A_GATE || error == ADMIT_GATE_CORRUPT) &&
           admit_gate_resolve(name, path, sizeof path) == ADMIT_OK && lstat(path, &status) == 0 &&
           S_ISREG(status.st_mode);
}

/* Those that make a gate if there is none. */
static bool goes_in(const char *command)
{
    return strcmp(command, "run") == 0 || strcmp(command, "enter") == 0 || strcmp(command, "jobserver") == 0;
}

/* A path in it may be what somebody else has named a file. */
static const char *printed_error(const char *text)
{
    static char printed[4096];
    admit_printable(text, printed, sizeof printed);
    return printed;
}

void tell_gate_error(const char *command, const char *name, admit_error error)
{
    fflush(stdout);
    if (error == ADMIT_NO_GATE && !is_elsewhere(name)) {
        /* A name that is as short has nothing in common with one so far from it. */
        const unsigned too_far = strlen(name) < 3 ? (unsigned)strlen(name) : 3;
        struct nearest nearest = {.name = name, .distance = too_far};
        fprintf(stderr, "admit %s: there is no gate '%s'", command, printed_error(name));
        if (strchr(name, '/') == NULL) {
            const char *directory = admit_gate_directory();
            if (directory != NULL)
                fprintf(stderr, " in %s", directory);
            admit_gate_list(nearer, &nearest);
        }
        if (nearest.distance < too_far)
            fprintf(stderr, "; did you mean '%s'?", nearest.found);
        if (goes_in(command))
            fprintf(stderr, "%s -k K makes one with K slots", nearest.distance < too_far ? "" : ";");
        fputc('\n', stderr);
    } else {
        fprintf(stderr, "admit %s: %s", command, printed_error(admit_last_error_text()));
        if (error == ADMIT_OTHER_K)
            fputs(", and so does --resize here", stderr);
        if (error == ADMIT_NO_GATE && goes_in(command))
            fputs("; -k K makes one with K slots", stderr);
        fputs(is_ruined_file(name, error) ? "; if nobody needs or uses this file, delete it with rm\n" : "\n", stderr);
    }
}

_Noreturn void gate_error(const char *command, const char *name, admit_error error)
{
    tell_gate_error(command, name, error);
    exit(usage_exit_status);
}

void say_there_are_no_gates(void)
{
    const char *directory = admit_gate_directory();
    fprintf(stderr, "There is no gate%s%s; 'admit run -k K GATE -- COMMAND' makes one.\n",
            directory != NULL ? " in " : "", directory != NULL ? directory : "");
}

/* No shell reads anything into these, nor into what is beyond ASCII. */
static bool is_plain_word(const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789%+,-./:=@_";
    size_t at = 0;
    while (word[at] != '\0' && ((unsigned char)word[at] >= 0x80 || strchr(plain, word[at]) != NULL))
        at++;
    return at > 0 && word[at] == '\0';
}

/* As 'it'\''s' is read by a shell. */
void print_quoted(FILE *out, const char *word)
{
    putc('\'', out);
    for (; *word != '\0'; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            putc(*word, out);
    putc('\'', out);
}

static void print_word(FILE *out, const char *word)
{
    if (is_plain_word(word))
        fputs(word, out);
    else
        print_quoted(out, word);
}

const char *shell_words(char *const *words, char *text, size_t size)
{
    static const char cut[] = "...";
    memset(text, 0, size);
    FILE *out = fmemopen(text, size, "w");
    if (out == NULL)
        return text;
    setvbuf(out, NULL, _IONBF, 0);
    for (unsigned w = 0; words[w] != NULL && !ferror(out) && ftell(out) < (long)size - 1; w++) {
        if (w > 0)
            putc(' ', out);
        print_word(out, words[w]);
    }
    fclose(out);
    text[size - 1] = '\0';
    if (strlen(text) == size - 1) {
        size_t at = size - 1 - sizeof cut;
        while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80) /* no half of a character */
            at--;
        strcpy(text + at, cut);
    }
    return text;
}

void describe(admit_gate *gate, char *const *words)
{
    char text[ADMIT_COMMAND_SIZE + 1]; /* one byte more than is shown tells that it was cut */
    admit_gate_describe(gate, shell_words(words, text, sizeof text));
}

/* From /etc/passwd alone: a program that is linked statically cannot ask elsewhere. Most of those at a gate are one user's,
 * for whom the file is read once. */
const char *user_name(int64_t user, char buffer[64])
{
    static int64_t found = -1;
    static char name[64];
    if (user < 0)
        return NULL;
    if (user == found)
        return strcpy(buffer, name);
    snprintf(name, sizeof name, "%lld", (long long)user);
    found = user;
    FILE *users = fopen("/etc/passwd", "re");
    if (users != NULL) {
        for (struct passwd *entry; (entry = fgetpwent(users)) != NULL;)
            if ((int64_t)entry->pw_uid == user) {
                snprintf(name, sizeof name, "%s", entry->pw_name);
                break;
            }
        fclose(users);
    }
    return strcpy(buffer, name);
}

unsigned living(const admit_participant *participants, unsigned count)
{
    unsigned found = 0;
    for (unsigned p = 0; p < count; p++)
        found += participants[p].condition != ADMIT_DIED;
    return found;
}

const char *those_outside(const admit_view *view, char buffer[32])
{
    buffer[0] = '\0';
    if (view->outside > 0)
        snprintf(buffer, 32, ", %u outside", view->outside);
    return buffer;
}

bool is_gone(admit_error error)
{
    return error == ADMIT_NO_GATE || error == ADMIT_REMOVED;
}

const char *duration_for_people(int64_t seconds, char buffer[32])
{
    const long long s = seconds > 0 ? seconds : 0;
    if (s < 60)
        snprintf(buffer, 32, "%lld s", s);
    else if (s < 3600)
        snprintf(buffer, 32, "%lld min %lld s", s / 60, s % 60);
    else if (s < 86400)
        snprintf(buffer, 32, "%lld h %lld min", s / 3600, s % 3600 / 60);
    else
        snprintf(buffer, 32, "%lld d %lld h", s / 86400, s % 86400 / 3600);
    return buffer;
}

const char *span_for_people(int64_t us, char buffer[32])
{
    const long long least = us > 0 ? us : 0;
    if (least >= 60000000)
        return duration_for_people(least / 1000000, buffer);
    if (least >= 10000000 || least == 0)
        snprintf(buffer, 32, "%lld s", least / 1000000);
    else if (least >= 1000000)
        snprintf(buffer, 32, "%lld.%lld s", least / 1000000, least % 1000000 / 100000);
    else if (least >= 10000)
        snprintf(buffer, 32, "%lld ms", least / 1000);
    else if (least >= 1000)
        snprintf(buffer, 32, "%lld.%lld ms", least / 1000, least % 1000 / 100);
    else
        snprintf(buffer, 32, "%lld us", least);
    return buffer;
}

const char *time_for_people(int64_t since_ns, char buffer[32])
{
    time_t since = since_ns / 1000000000, now = time(NULL);
    struct tm then, today;
    localtime_r(&since, &then);
    localtime_r(&now, &today);
    const bool same_year = then.tm_year == today.tm_year, same_day = same_year && then.tm_yday == today.tm_yday;
    if (since_ns == 0 || strftime(buffer, 32,
                                  same_day    ? "%H:%M:%S"
                                  : same_year ? "%m-%d %H:%M"
                                              : "%Y-%m-%d",
                                  &then) == 0)
        strcpy(buffer, "-");
    return buffer;
}

const char *time_for_programs(int64_t since_ns, char buffer[32])
{
    time_t since = since_ns / 1000000000;
    struct tm utc;
    if (since_ns == 0 || gmtime_r(&since, &utc) == NULL || strftime(buffer, 32, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        return NULL;
    return buffer;
}

const char *printable(const char *text, char buffer[ADMIT_COMMAND_SIZE])
{
    admit_printable(text, buffer, ADMIT_COMMAND_SIZE);
    return buffer;
}

unsigned width_of_terminal(void)
{
    return columns_of_terminal(STDOUT_FILENO);
}

/* In a row of the terminal that has room for some of it: what stands before may take a row and more of a narrow one. */
static unsigned room_from(unsigned column)
{
    enum { LEAST_ROOM = 8 };
    const unsigned width = width_of_terminal();
    unsigned rows = width;
    while (rows < column + LEAST_ROOM)
        rows += width;
    return rows - column;
}

void cut_for_terminal(char *text, unsigned column)
{
    if (width_of_terminal() > 0)
        cut_to_columns(text, room_from(column));
}

void shorten_for_terminal(char *text, unsigned column)
{
    if (width_of_terminal() > 0)
        shorten_to_columns(text, room_from(column));
}
