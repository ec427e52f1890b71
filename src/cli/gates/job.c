/* SPDX-License-Identifier: MIT */
#include "cli/gates/job.h"

#include "cli/gates/process.h"
#include "cli/usage.h"

#include <admit.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const char magic[8] = "admitjob";
enum { TEXT_MAX = 1 << 18, READS_MAX = 1000 };
#define KEPT_NS (INT64_C(86400) * 1000000000)

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* --- where they are ------------------------------------------------------------------------------------------------ */

static char jobs_path[PATH_MAX];

/* This user's, or -1 with errno. In a directory that is shared anybody could make one of that name. */
static int open_directory(bool make)
{
    const char *directory = admit_gate_directory();
    struct stat status;
    if (directory == NULL) {
        errno = ENOENT;
        return -1;
    }
    snprintf(jobs_path, sizeof jobs_path, "%s/@jobs-%lu", directory, (unsigned long)geteuid());
    if (make && mkdir(jobs_path, 0700) != 0 && errno != EEXIST)
        return -1;
    int fd = open(jobs_path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, &status) != 0 || status.st_uid != geteuid() || (status.st_mode & 077) != 0)) {
        close(fd);
        errno = EPERM;
        return -1;
    }
    return fd;
}

static const char *where_jobs_are(void)
{
    return admit_gate_directory() == NULL ? admit_last_error_text() : jobs_path;
}

/* Once for each process: it is where the last job was looked for, too. */
static int directory(void)
{
    static int fd = -1;
    if (fd < 0)
        fd = open_directory(false);
    return fd;
}

static void name_of(uint32_t id, const char *ending, char name[32])
{
    snprintf(name, 32, "%u%s", id, ending);
}

uint32_t job_id(const char *text)
{
    char *end;
    if (text[0] != '@' || text[1] < '0' || text[1] > '9')
        return 0;
    unsigned long id = strtoul(text + 1, &end, 10);
    return *end == '\0' && id <= UINT32_MAX ? (uint32_t)id : 0;
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

/* The file has room for them, so this fails only where the disk does; and then the job goes on. */
void job_note(struct job *job)
{
    job->facts.checksum = checksum_of(&job->facts);
    const struct job_facts facts = job->facts;
    ssize_t written = pwrite(job->fd, &facts, sizeof facts, 0);
    (void)written;
}

/* Its supervisor may be writing them just now. */
static bool read_facts(struct job *job)
{
    for (unsigned tries = 0; tries < READS_MAX; tries++) {
        if (pread(job->fd, &job->facts, sizeof job->facts, 0) != sizeof job->facts ||
            memcmp(job->facts.magic, magic, sizeof magic) != 0)
            break;
        if (job->facts.checksum == checksum_of(&job->facts))
            return true;
        sched_yield();
    }
    errno = EBADMSG;
    return false;
}

/* That it has ended is known before the facts are read: then they are the last. */
bool job_look(struct job *job)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    job->supervised = fcntl(job->fd, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
    return read_facts(job);
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
    ssize_t size = pread(job->fd, job->text, job->facts.text_size, sizeof job->facts);
    if (size < 0 || (uint64_t)size != job->facts.text_size) {
        errno = EBADMSG;
        return false;
    }
    return cut_texts(job);
}

static void add_text(struct job *job, const char *text)
{
    size_t size = strlen(text) + 1, used = job->facts.text_size;
    if (used + size > TEXT_MAX) /* of a command that is as long as that, the first words are shown */
        return;
    memcpy(job->text + used, text, size);
    job->facts.text_size += size;
}

static void add_path(struct job *job, const char *where, const char *path)
{
    char whole[2 * PATH_MAX + 64];
    snprintf(whole, sizeof whole, "%s%s%s", path[0] == '/' ? "" : where, path[0] == '/' ? "" : "/", path);
    add_text(job, whole);
}

/* --- to make one --------------------------------------------------------------------------------------------------- */

static _Noreturn void cannot(const char *what, const char *path, int error)
{
    fprintf(stderr, "admit run: -b: cannot %s %s: %s\n", what, path,
            error == EPERM ? "it is not yours alone" : strerror(error));
    exit(usage_exit_status);
}

/* Numbers are given one after the other, by whoever has this file locked. Returns the new job's file, locked before
 * anybody else can have seen it. */
static int make_file(int jobs, uint32_t *id)
{
    char text[24] = "", name[32];
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int last = openat(jobs, "last", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600), fd = -1;
    while (last >= 0 && fcntl(last, F_OFD_SETLKW, &lock) != 0)
        if (errno != EINTR)
            return -1;
    if (last < 0 || pread(last, text, sizeof text - 1, 0) < 0)
        return -1;
    unsigned long number = strtoul(text, NULL, 10);
    do {
        number = number < UINT32_MAX ? number + 1 : 1;
        name_of((uint32_t)number, "", name);
        fd = openat(jobs, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    } while (fd < 0 && errno == EEXIST);
    int length = snprintf(text, sizeof text, "%lu\n", number);
    *id = (uint32_t)number;
    if (fd >= 0 && (fcntl(fd, F_OFD_SETLK, &lock) != 0 || pwrite(last, text, (size_t)length, 0) != length)) {
        int error = errno != 0 ? errno : ENOSPC;
        unlinkat(jobs, name, 0);
        close(fd);
        fd = -1;
        errno = error;
    }
    int error = errno;
    close(last);
    errno = error;
    return fd;
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

static void nothing(void *data, struct job *job)
{
    (void)data;
    (void)job;
}

/* So that those that are old are deleted, whether anybody ever lists them or not. */
enum { NUMBERS_BETWEEN_SWEEPS = 64 };

void job_make(struct job *job, const char *gate, char *const *words, const char *output, int *output_fd)
{
    char where[PATH_MAX], path[PATH_MAX], file[PATH_MAX + 64];
    *job = (struct job){.fd = -1, .supervised = true};
    int jobs = open_directory(true);
    if (jobs < 0)
        cannot("keep jobs in", where_jobs_are(), errno);
    job->fd = make_file(jobs, &job->id);
    if (job->fd < 0)
        cannot("make a file in", jobs_path, errno);
    if (output != NULL)
        expand(output, job->id, file, sizeof file);
    else
        snprintf(file, sizeof file, "%s/%u.out", jobs_path, job->id);
    job->text = malloc(TEXT_MAX);
    if (getcwd(where, sizeof where) == NULL)
        snprintf(where, sizeof where, "/");
    if (job->text == NULL || admit_gate_resolve(gate, path, sizeof path) != ADMIT_OK)
        snprintf(path, sizeof path, "%s", gate); /* which cannot be opened either */
    *output_fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, output != NULL ? 0666 : 0600);
    if (*output_fd < 0 || job->text == NULL) {
        int error = errno;
        job_forget(job);
        cannot("write to", file, error);
    }
    memcpy(job->facts.magic, magic, sizeof magic);
    job->facts.submitted = now();
    add_text(job, gate);
    add_path(job, where, path);
    add_text(job, where);
    add_path(job, where, file);
    for (unsigned w = 0; words[w] != NULL; w++)
        add_text(job, words[w]);
    struct stat namespace;
    if (stat("/proc/self/ns/pid", &namespace) == 0)
        job->facts.pid_namespace = namespace.st_ino;
    int error = posix_fallocate(job->fd, 0, (off_t)(sizeof job->facts + job->facts.text_size));
    if (error == 0 && pwrite(job->fd, job->text, job->facts.text_size, sizeof job->facts) < 0)
        error = errno;
    if (error != 0) {
        job_forget(job);
        cannot("write a job's file in", jobs_path, error);
    }
    job_note(job);
    close(jobs);
    if (job->id % NUMBERS_BETWEEN_SWEEPS == 0)
        job_list(nothing, NULL);
}

static void delete_files(uint32_t id)
{
    char name[32];
    name_of(id, "", name);
    unlinkat(directory(), name, 0);
    name_of(id, ".out", name);
    unlinkat(directory(), name, 0);
}

void job_forget(struct job *job)
{
    delete_files(job->id);
    job_close(job);
}

/* --- to read them --------------------------------------------------------------------------------------------------- */

bool job_open(struct job *job, uint32_t id)
{
    char name[32];
    name_of(id, "", name);
    *job = (struct job){.id = id, .fd = -1};
    if (directory() < 0)
        return false;
    job->fd = openat(directory(), name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (job->fd < 0)
        return false;
    if (job_look(job) && read_texts(job))
        return true;
    int error = errno;
    job_close(job);
    errno = error;
    return false;
}

void job_close(struct job *job)
{
    if (job->fd >= 0)
        close(job->fd);
    free(job->text);
    free(job->words);
    *job = (struct job){.id = job->id, .fd = -1};
}

static bool sees_its_numbers(const struct job *job)
{
    struct stat namespace;
    return stat("/proc/self/ns/pid", &namespace) == 0 && namespace.st_ino == job->facts.pid_namespace;
}

/* Of a process that has the command's number. */
static bool may_be_command(const struct job *job)
{
    uint64_t start = process_start_time((long)job->facts.command);
    return start == 0 || start == job->facts.started;
}

static bool is_ready(int pidfd)
{
    return poll(&(struct pollfd){.fd = pidfd, .events = POLLIN}, 1, 0) > 0;
}

bool job_is_orphan(const struct job *job, int *end)
{
    if (end != NULL)
        *end = -1;
    if (job->supervised || job->facts.state != JOB_RUNS || job->facts.command == 0)
        return false;
    if (!sees_its_numbers(job))
        return true;
    int pidfd = (int)syscall(SYS_pidfd_open, (pid_t)job->facts.command, 0);
    bool lives = pidfd >= 0 ? may_be_command(job) && !is_ready(pidfd) : errno != ESRCH;
    if (end != NULL && lives)
        *end = pidfd;
    else if (pidfd >= 0)
        close(pidfd);
    return lives;
}

/* --- to wait for one ------------------------------------------------------------------------------------------------ */

enum { LOOK_AGAIN_MS = 100 };

static void interrupted(int signal)
{
    (void)signal;
}

/* What is left until then, in ms, at least 0 and at most what poll takes; -1: for ever. */
static int left_until(const struct timespec *until)
{
    struct timespec time;
    if (until == NULL)
        return -1;
    clock_gettime(CLOCK_MONOTONIC, &time);
    int64_t left = (until->tv_sec - time.tv_sec) * INT64_C(1000) + (until->tv_nsec - time.tv_nsec + 999999) / 1000000;
    return left < 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

/* The kernel wakes us when the supervisor's lock goes. An alarm that came just before we sleep comes again. */
static bool await_supervisor(struct job *job, const struct timespec *until)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    struct sigaction action = {.sa_handler = interrupted};
    sigset_t alarm;
    int left = left_until(until);
    if (until != NULL) {
        sigaction(SIGALRM, &action, NULL);
        sigemptyset(&alarm);
        sigaddset(&alarm, SIGALRM);
        sigprocmask(SIG_UNBLOCK, &alarm, NULL);
        struct itimerval timer = {.it_interval.tv_usec = LOOK_AGAIN_MS * 1000};
        timer.it_value = (struct timeval){.tv_sec = left / 1000, .tv_usec = left % 1000 * 1000 + 1};
        setitimer(ITIMER_REAL, &timer, NULL);
    }
    bool gone = fcntl(job->fd, F_OFD_SETLK, &lock) == 0;
    while (!gone && left_until(until) != 0)
        gone = fcntl(job->fd, F_OFD_SETLKW, &lock) == 0;
    if (until != NULL)
        setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    lock.l_type = F_UNLCK;
    if (gone)
        fcntl(job->fd, F_OFD_SETLK, &lock);
    return gone;
}

static bool await_orphan(struct job *job, const struct timespec *until)
{
    for (int end; job_is_orphan(job, &end);) {
        int left = left_until(until);
        if (left == 0) {
            close(end);
            return false;
        }
        bool looks = end < 0 && (left < 0 || left > LOOK_AGAIN_MS);
        poll(&(struct pollfd){.fd = end, .events = POLLIN}, end >= 0, looks ? LOOK_AGAIN_MS : left);
        close(end);
    }
    return true;
}

bool job_await(struct job *job, const struct timespec *until)
{
    return await_supervisor(job, until) && job_look(job) && await_orphan(job, until);
}

int job_status(const struct job *job)
{
    return job->facts.state == JOB_DONE ? (int)job->facts.status : 128 + SIGKILL;
}

/* --- all of them ---------------------------------------------------------------------------------------------------- */

static bool is_old(const struct job *job)
{
    struct stat status;
    int64_t ended = job->facts.ended;
    if (ended == 0 && fstat(job->fd, &status) == 0) /* it was killed; then nobody has written since */
        ended = status.st_mtime * INT64_C(1000000000);
    return now() - ended > KEPT_NS;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Of the files that are jobs'. */
static uint32_t *list_numbers(size_t *count)
{
    size_t room = 0;
    uint32_t *number = NULL;
    *count = 0;
    int fd = directory() >= 0 ? openat(directory(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    DIR *files = fd >= 0 ? fdopendir(fd) : NULL;
    for (const struct dirent *file; files != NULL && (file = readdir(files)) != NULL;) {
        char name[PATH_MAX] = "@";
        snprintf(name + 1, sizeof name - 1, "%s", file->d_name);
        uint32_t id = job_id(name);
        if (id == 0)
            continue;
        if (*count == room) {
            room = room == 0 ? 64 : 2 * room;
            uint32_t *more = realloc(number, room * sizeof *number);
            if (more == NULL)
                break;
            number = more;
        }
        number[(*count)++] = id;
    }
    if (files != NULL)
        closedir(files);
    if (*count > 0)
        qsort(number, *count, sizeof *number, by_number);
    return number;
}

void job_list(void (*one)(void *data, struct job *job), void *data)
{
    size_t count;
    uint32_t *number = list_numbers(&count);
    for (size_t n = 0; n < count; n++) {
        struct job job;
        if (!job_open(&job, number[n]))
            continue;
        bool lives = job.supervised || job_is_orphan(&job, NULL);
        if (!lives && is_old(&job))
            delete_files(job.id);
        else
            one(data, &job);
        job_close(&job);
    }
    free(number);
}
