/* SPDX-License-Identifier: MIT */
#include "cli/gates/job.h"

#include "cli/gates/elsewhere.h"
#include "cli/gates/job_end.h"
#include "cli/gates/job_files.h"
#include "cli/gates/process.h"
#include "cli/usage.h"

#include <admit.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char magic[8] = "admitjob";
enum { TEXT_MAX = 1 << 18, READS_MAX = 1000 };
enum { CANCELLED_AT = sizeof(struct job_facts), TEXT_AT = CANCELLED_AT + sizeof(int64_t) };
#define KEPT_NS (INT64_C(86400) * 1000000000)

int64_t job_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

uint32_t job_id(const char *text)
{
    char *end;
    if (text[0] != '@' || text[1] < '0' || text[1] > '9')
        return 0;
    unsigned long id = strtoul(text + 1, &end, 10);
    return *end == '\0' && id <= UINT32_MAX ? (uint32_t)id : 0;
}

bool is_number(const char *text)
{
    return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

int job_words(char **arguments, int count, char ***words)
{
    static const char space[] = " \t\r\n";
    int found = 0;
    size_t most = (size_t)count;
    for (int a = 0; a < count; a++)
        most += strlen(arguments[a]);
    *words = calloc(most, sizeof **words);
    for (int a = 0; a < count && *words != NULL; a++) {
        char *word = arguments[a] + strspn(arguments[a], space);
        if (*word != '@') {
            (*words)[found++] = arguments[a];
            continue;
        }
        for (word = strtok(word, space); word != NULL; word = strtok(NULL, space))
            (*words)[found++] = word;
    }
    return found;
}

/* --- the facts ------------------------------------------------------------------------------------------------------ */

static uint64_t checksum_of(const struct job_facts *facts)
{
    const unsigned char *byte = (const unsigned char *)&facts->state;
    const unsigned char *end = (const unsigned char *)(facts + 1);
    uint64_t sum = UINT64_C(14695981039346656037); /* FNV-1a: what is torn is seen, nobody is kept out */
    while (byte < end)
        sum = (sum ^ *byte++) * UINT64_C(1099511628211);
    return sum;
}

/* The file has room for them, so this fails only where the disk does, or memory is short for a moment. */
bool job_note(struct job *job)
{
    enum { TRIES = 100, PAUSE_US = 10000 };
    job->facts.checksum = checksum_of(&job->facts);
    const struct job_facts facts = job->facts;
    for (unsigned tries = 0; tries < TRIES; tries++) {
        if (pwrite(job->fd, &facts, sizeof facts, 0) == sizeof facts)
            return true;
        usleep(PAUSE_US);
    }
    return false;
}

/* Its supervisor may be writing them just now. */
static bool read_facts(struct job *job)
{
    for (unsigned tries = 0; tries < READS_MAX; tries++) {
        ssize_t size = pread(job->fd, &job->facts, sizeof job->facts, 0);
        if (size == 0 || (size > 0 && job->facts.magic[0] == '\0')) {
            errno = ENOENT; /* whoever was about to make it has not come so far, or was killed */
            return false;
        }
        if (size != sizeof job->facts || memcmp(job->facts.magic, magic, sizeof magic) != 0)
            break;
        if (job->facts.checksum == checksum_of(&job->facts))
            return true;
        sched_yield();
    }
    errno = EBADMSG;
    return false;
}

/* That the supervisor has ended is known before the facts are read: then they are the last. */
bool job_look(struct job *job)
{
    job->supervised = job_file_is_locked(job->fd);
    if (!read_facts(job))
        return false;
    errno = EBADMSG; /* unless reading fails otherwise */
    if (pread(job->fd, &job->cancelled, sizeof job->cancelled, CANCELLED_AT) != sizeof job->cancelled)
        return false;
    errno = ENOENT;
    return job->facts.supervisor.pid != 0;
}

bool job_note_cancelled(struct job *job, bool cancelled)
{
    int fd = job_file_open(job->id, O_WRONLY);
    job->cancelled = cancelled ? job_time() : 0;
    bool noted = fd >= 0 && pwrite(fd, &job->cancelled, sizeof job->cancelled, CANCELLED_AT) == sizeof job->cancelled;
    int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
    return noted;
}

/* --- the texts ------------------------------------------------------------------------------------------------------ */

/* The next of them; NULL if there are no more. */
static char *next_text(char **at, const char *end)
{
    char *text = *at;
    if (text >= end)
        return NULL;
    *at += strlen(text) + 1;
    return text;
}

static bool cut_texts(struct job *job)
{
    char *at = job->text, *end = job->text + job->facts.text_size;
    size_t words = 0;
    if (job->facts.text_size == 0 || end[-1] != '\0') {
        errno = EBADMSG;
        return false;
    }
    for (const char *byte = at; byte < end; byte++)
        words += *byte == '\0';
    job->gate = next_text(&at, end);
    job->path = next_text(&at, end);
    job->where = next_text(&at, end);
    job->output = next_text(&at, end);
    job->words = calloc(words + 1, sizeof *job->words);
    if (job->output == NULL || job->words == NULL) {
        errno = job->output == NULL ? EBADMSG : ENOMEM;
        return false;
    }
    for (size_t w = 0; (job->words[w] = next_text(&at, end)) != NULL;)
        w++;
    return true;
}

static bool read_texts(struct job *job)
{
    if (job->facts.text_size > TEXT_MAX) {
        errno = EBADMSG;
        return false;
    }
    job->text = malloc(job->facts.text_size + 1);
    if (job->text == NULL)
        return false;
    ssize_t size = pread(job->fd, job->text, job->facts.text_size, TEXT_AT);
    if (size < 0 || (uint64_t)size != job->facts.text_size) {
        errno = EBADMSG;
        return false;
    }
    return cut_texts(job);
}

/* False: there is no room for it. */
static bool add_text(struct job *job, const char *text)
{
    size_t size = strlen(text) + 1, used = job->facts.text_size;
    if (used + size > TEXT_MAX)
        return false;
    memcpy(job->text + used, text, size);
    job->facts.text_size += size;
    return true;
}

static void add_path(struct job *job, const char *where, const char *path)
{
    static char whole[2 * PATH_MAX + 64]; /* the stack may be small */
    const bool below = path[0] != '/' && where[0] != '\0' && !is_elsewhere(path);
    snprintf(whole, sizeof whole, "%s%s%s", below ? where : "", below ? "/" : "", path);
    add_text(job, whole);
}

/* Of a command that is longer than there is room for, the first words are shown. */
static void add_texts(struct job *job, const char *gate, char *const *words, const char *output)
{
    static char where[PATH_MAX], path[PATH_MAX];
    if (getcwd(where, sizeof where) == NULL)
        where[0] = '\0'; /* it has been deleted: there is no path by which it could be found */
    if (admit_gate_resolve(gate, path, sizeof path) != ADMIT_OK)
        snprintf(path, sizeof path, "%s", gate); /* which cannot be opened either */
    add_text(job, gate);
    add_path(job, where, path);
    add_text(job, where);
    add_path(job, where, output);
    for (unsigned w = 0; words[w] != NULL && add_text(job, words[w]);)
        w++;
}

/* --- to make one --------------------------------------------------------------------------------------------------- */

static _Noreturn void cannot(struct job *job, const char *what, const char *path, int error)
{
    if (job->id != 0)
        job_forget(job);
    if (path == NULL)
        fprintf(stderr, "admit run: -b: %s\n", admit_last_error_text());
    else
        fprintf(stderr, "admit run: -b: cannot %s %s: %s\n", what, path,
                error == EPERM ? "it is not yours alone" : strerror(error));
    exit(usage_exit_status);
}

/* %j is the number. */
static void expand(const char *pattern, uint32_t id, char *path, size_t size)
{
    size_t at = 0;
    for (; *pattern != '\0' && at + 16 < size; pattern++) {
        if (pattern[0] == '%' && pattern[1] == 'j')
            at += (size_t)snprintf(path + at, size - at, "%u", id), pattern++;
        else if (pattern[0] == '%' && pattern[1] == '%')
            path[at++] = *pattern++;
        else
            path[at++] = *pattern;
    }
    path[at] = '\0';
}

/* A pipe that nobody reads is refused, instead of waited for. */
static int open_output(const char *path, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, mode);
    if (fd >= 0)
        fcntl(fd, F_SETFL, O_APPEND);
    return fd;
}

static uint64_t size_of(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
}

static void nothing(void *data, struct job *job)
{
    (void)data;
    (void)job;
}

/* So that those that are old are deleted, whether anybody ever lists them or not. */
enum { NUMBERS_BETWEEN_SWEEPS = 64 };

void job_make(struct job *job, const char *gate, char *const *words, const char *output, int *output_fd)
{
    static char file[PATH_MAX + 64];
    *job = (struct job){.fd = -1, .supervised = true, .facts.submitted = job_time()};
    job->fd = job_file_make(&job->id);
    if (job->fd < 0) {
        job->id = 0;
        cannot(job, "keep jobs in", job_files_path(), errno);
    }
    if (output != NULL)
        expand(output, job->id, file, sizeof file);
    else
        job_output_path(job->id, file, sizeof file);
    *output_fd = open_output(file, output != NULL ? 0666 : 0600);
    if (*output_fd < 0)
        cannot(job, "write to", file, errno);
    job->text = malloc(TEXT_MAX);
    if (job->text == NULL)
        cannot(job, "write a job's file in", job_files_path(), ENOMEM);
    add_texts(job, gate, words, file);
    memcpy(job->facts.magic, magic, sizeof magic);
    job->facts.output_from = size_of(*output_fd);
    job->facts.boot = boot_number();
    job->facts.pid_namespace = namespace_number("pid");
    job->facts.time_namespace = namespace_number("time");
    int error = posix_fallocate(job->fd, 0, (off_t)(TEXT_AT + job->facts.text_size));
    if (error == 0 && pwrite(job->fd, job->text, job->facts.text_size, TEXT_AT) != (ssize_t)job->facts.text_size)
        error = errno;
    if (error != 0)
        cannot(job, "write a job's file in", job_files_path(), error);
    job_note(job);
    free(job->text); /* which is for those who read it */
    job->text = NULL;
    if (job->id % NUMBERS_BETWEEN_SWEEPS == 0)
        job_list(nothing, NULL, NULL);
}

void job_forget(struct job *job)
{
    job_file_delete(job->id);
    job_close(job);
}

/* --- to read them --------------------------------------------------------------------------------------------------- */

bool job_open(struct job *job, uint32_t id)
{
    *job = (struct job){.id = id, .fd = job_file_open(id, O_RDONLY)};
    if (job->fd < 0)
        return false;
    if (job_look(job) && read_texts(job))
        return true;
    int error = errno;
    job_close(job);
    errno = error;
    return false;
}

void job_tell_unreadable(const char *command, const char *what, int error)
{
    const char *where = job_files_path();
    fflush(stdout);
    fprintf(stderr, "admit %s: cannot read what is kept of %s in %s: %s\n", command, what,
            where != NULL ? where : "the directory of gates",
            error == EPERM     ? "it is not yours alone"
            : error == EBADMSG ? "it was overwritten"
                               : strerror(error));
}

void job_open_or_exit(struct job *job, const char *command, const char *text)
{
    uint32_t id = job_id(text);
    if (id == 0 && is_number(text))
        usage_error(command, "'%s' is no job's id: did you mean @%s?", text, text);
    if (id == 0 && text[0] == '@' && strchr(text, ',') != NULL)
        usage_error(command, "'%s' is no job's id, such as @17: several are words of their own, as in @17 @18", text);
    if (id == 0)
        usage_error(command, "'%s' is no job's id, such as @17", text);
    if (job_open(job, id))
        return;
    if (errno == ENOENT)
        fprintf(stderr, "admit %s: there is no job %s, or it ended more than a day ago; 'admit jobs' names them\n",
                command, text);
    else
        job_tell_unreadable(command, text, errno);
    exit(usage_exit_status);
}

void job_close(struct job *job)
{
    if (job->fd >= 0)
        close(job->fd);
    free(job->text);
    free(job->words);
    *job = (struct job){.id = job->id, .fd = -1};
}

/* --- all of them ---------------------------------------------------------------------------------------------------- */

/* Nobody has written since its end, however that came. */
static bool is_old(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && job_time() - status.st_mtime * INT64_C(1000000000) > KEPT_NS;
}

/* One that was killed before it had drawn a place, or was overwritten, is no job, but litter in time: then it is deleted. */
static bool sweep_unreadable(uint32_t id)
{
    int fd = job_file_open(id, O_RDONLY);
    const bool litter = fd >= 0 && !job_file_is_locked(fd) && is_old(fd);
    if (litter)
        job_file_delete(id);
    if (fd >= 0)
        close(fd);
    return litter;
}

bool job_list(void (*one)(void *data, struct job *job), void *data, const char *command)
{
    size_t count;
    uint32_t *numbers;
    bool all = job_file_numbers(&numbers, &count);
    if (!all && command != NULL)
        job_tell_unreadable(command, "the jobs", errno);
    for (size_t n = 0; n < count; n++) {
        struct job job;
        if (!job_open(&job, numbers[n])) {
            const int error = errno;
            char id[16];
            snprintf(id, sizeof id, "@%u", numbers[n]);
            if (sweep_unreadable(numbers[n]) || error == ENOENT)
                continue;
            all = false;
            if (command != NULL)
                job_tell_unreadable(command, id, error);
            continue;
        }
        if (!job.supervised && !job_is_orphan(&job, NULL) && is_old(job.fd))
            job_file_delete(job.id);
        else
            one(data, &job);
        job_close(&job);
    }
    free(numbers);
    return all;
}
