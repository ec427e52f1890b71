/* SPDX-License-Identifier: MIT
 *
 * `admit jobserver` beside a pool of make's own, of one make: what a token's round trip takes, what a job costs, and how
 * three builds share. The builds are makefiles whose jobs are this program again, which waits and notes when it did.
 */
#include "base/clock.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { K = 4, REPETITIONS = 5, TRIPS = 20000, TRUES = 500, JOBS = 60, JOB_MS = 50, SPANS_MAX = 1000 };
enum { LINE_SIZE = 3 * PATH_MAX, COMMAND_SIZE = 6 * PATH_MAX };

static char self[PATH_MAX], admit[PATH_MAX + 16], directory[] = "/tmp/bench-jobserver-XXXXXX";

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static int by_number(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *found, unsigned count)
{
    qsort(found, count, sizeof *found, by_number);
    return found[count / 2];
}

/* --- what builds run ------------------------------------------------------------------------------------------------ */

/* Takes a token and returns it, again and again: the median of a trip, in microseconds. */
static int client(const char *out)
{
    static double took[TRIPS];
    const char *tokens = strstr(getenv("MAKEFLAGS"), "--jobserver-auth=");
    int in, back;
    char path[PATH_MAX], byte;
    if (tokens != NULL && sscanf(tokens, "--jobserver-auth=fifo:%4000s", path) == 1)
        in = back = open(path, O_RDWR);
    else if (tokens == NULL || sscanf(tokens, "--jobserver-auth=%d,%d", &in, &back) != 2)
        return 1;
    fcntl(in, F_SETFL, fcntl(in, F_GETFL) & ~O_NONBLOCK);
    for (unsigned t = 0; t < TRIPS; t++) {
        double began = now();
        if (read(in, &byte, 1) != 1 || write(back, &byte, 1) != 1)
            return 1;
        took[t] = (now() - began) * 1e6;
    }
    FILE *file = fopen(out, "w");
    if (file == NULL)
        return 1;
    double middle = median(took, TRIPS);
    fprintf(file, "%g %g\n", middle, took[TRIPS * 95 / 100]);
    return fclose(file);
}

static int job(const char *log, const char *tag)
{
    char line[128];
    double began = now();
    usleep(JOB_MS * 1000);
    int length = snprintf(line, sizeof line, "%f %f %s\n", began, now(), tag);
    int file = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    return write(file, line, (size_t)length) != length;
}

/* --- builds --------------------------------------------------------------------------------------------------------- */

static pid_t start(const char *format, ...)
{
    char command[COMMAND_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", command, NULL);
        _exit(127);
    }
    return pid;
}

static void finish(pid_t pid)
{
    int status;
    if (waitpid(pid, &status, 0) != pid || status != 0) {
        fprintf(stderr, "a build failed\n");
        exit(1);
    }
}

/* A makefile of so many jobs, which run `line`. */
static void write_makefile(const char *name, unsigned jobs, const char *line)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        fail(path);
    fprintf(file, "all: $(patsubst %%,j%%,$(shell seq %u))\nj%%: ; +@%s\n", jobs, line);
    fclose(file);
}

struct share {
    unsigned most;  /* at once */
    double seconds; /* from the first job's begin to the last one's end */
    double of[3];   /* how many jobs of a, b and c there were on average, from each one's first to its last */
    double first;   /* b's first */
};

/* Reads the log, and takes it away. */
static struct share shares(const char *log)
{
    static struct span {
        double began, ended;
        char tag;
    } span[SPANS_MAX];
    struct share share = {0};
    unsigned count = 0;
    double begin = 1e18, end = 0, first[3] = {1e18, 1e18, 1e18}, last[3] = {0}, sum[3] = {0};
    FILE *file = fopen(log, "r");
    if (file == NULL)
        fail(log);
    while (count < SPANS_MAX &&
           fscanf(file, "%lf %lf %c", &span[count].began, &span[count].ended, &span[count].tag) == 3)
        count++;
    fclose(file);
    unlink(log);
    for (unsigned s = 0; s < count; s++) {
        const unsigned tag = (unsigned)(span[s].tag - 'a');
        unsigned at_once = 0;
        for (unsigned o = 0; o < count; o++)
            at_once += span[o].began <= span[s].began && span[s].began < span[o].ended;
        share.most = at_once > share.most ? at_once : share.most;
        begin = span[s].began < begin ? span[s].began : begin;
        end = span[s].ended > end ? span[s].ended : end;
        first[tag] = span[s].began < first[tag] ? span[s].began : first[tag];
        last[tag] = span[s].ended > last[tag] ? span[s].ended : last[tag];
        sum[tag] += span[s].ended - span[s].began;
    }
    share.seconds = end - begin;
    share.first = first[1];
    for (unsigned t = 0; t < 3; t++)
        share.of[t] = sum[t] / (last[t] - first[t]);
    return share;
}

/* --- the tables ----------------------------------------------------------------------------------------------------- */

static const char *const pools[] = {"make -j", "admit, pipes", "admit, fifo"};
enum { POOLS = 3 };

/* Make itself in the first place is of any version; a fifo is only for the client that knows it. */
static void pool_command(unsigned pool, const char *what, char *command, size_t size)
{
    if (pool == 0)
        snprintf(command, size, "make -s -j%d -f %s/%s", K, directory, what);
    else
        snprintf(command, size, "%s jobserver -k %d %s bench -- make -s -f %s/%s", admit, K,
                 pool == 1 ? "--pipe" : "--fifo", directory, what);
}

static void trips(void)
{
    double found[POOLS][REPETITIONS], high[POOLS][REPETITIONS];
    char out[PATH_MAX], line[LINE_SIZE], command[COMMAND_SIZE];
    snprintf(out, sizeof out, "%s/out", directory);
    snprintf(line, sizeof line, "%s client %s", self, out);
    write_makefile("trips", 1, line);
    for (unsigned r = 0; r < REPETITIONS; r++)
        for (unsigned p = 0; p < POOLS; p++) {
            pool_command(p, "trips", command, sizeof command);
            if (p == 2)
                snprintf(command, sizeof command, "%s jobserver -k %d --fifo bench -- %s", admit, K, line);
            finish(start("%s", command));
            FILE *file = fopen(out, "r");
            if (file == NULL || fscanf(file, "%lf %lf", &found[p][r], &high[p][r]) != 2)
                fail(out);
            fclose(file);
        }
    printf("a token taken and returned, us                  median     of 20 one\n");
    for (unsigned p = 0; p < POOLS; p++)
        printf("  %-40s %12.1f %12.1f\n", pools[p], median(found[p], REPETITIONS), median(high[p], REPETITIONS));
}

static double cpu_of_children(void)
{
    struct rusage use;
    getrusage(RUSAGE_CHILDREN, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

static void trues(void)
{
    double cpu[2][REPETITIONS], wall[2][REPETITIONS];
    char command[COMMAND_SIZE];
    write_makefile("trues", TRUES, "/bin/true");
    for (unsigned r = 0; r < REPETITIONS; r++)
        for (unsigned p = 0; p < 2; p++) {
            pool_command(p, "trues", command, sizeof command);
            double used = cpu_of_children(), began = now();
            finish(start("%s", command));
            cpu[p][r] = cpu_of_children() - used;
            wall[p][r] = now() - began;
        }
    double plain = median(cpu[0], REPETITIONS), wall_plain = median(wall[0], REPETITIONS);
    printf("\n%d times /bin/true                         CPU, ms a job      ratio    wall, ratio\n", TRUES);
    for (unsigned p = 0; p < 2; p++)
        printf("  %-40s %12.3f %10.2f %12.2f\n", pools[p], median(cpu[p], REPETITIONS) * 1e3 / TRUES,
               median(cpu[p], REPETITIONS) / plain, median(wall[p], REPETITIONS) / wall_plain);
}

static void write_builds(const char *log, const unsigned jobs[3])
{
    char line[LINE_SIZE];
    for (unsigned b = 0; b < 3; b++) {
        snprintf(line, sizeof line, "%s job %s %c", self, log, 'a' + b);
        write_makefile((char[]){'a' + (char)b, '\0'}, jobs[b], line);
    }
}

static void print_share(const char *name, const struct share *share)
{
    printf("  %-40s %6u %10.2f %10.2f %6.2f %6.2f\n", name, share->most, share->seconds, share->of[0], share->of[1],
           share->of[2]);
}

/* As sub-makes of one make, each with a pool of its own, and with admit. */
static void three(const char *log)
{
    char path[PATH_MAX], command[3][COMMAND_SIZE];
    write_builds(log, (const unsigned[]){JOBS, JOBS, JOBS});
    snprintf(path, sizeof path, "%s/all", directory);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        fail(path);
    fprintf(file, "all: a b c\n.PHONY: a b c\na b c: ; @$(MAKE) -s -f %s/$@ all\n", directory);
    fclose(file);
    printf("\nthree builds of %d times %d ms, k = %d         at once     wall, s    jobs of each\n", JOBS, JOB_MS, K);
    finish(start("make -s -j%d -f %s", K, path));
    struct share share = shares(log);
    print_share("one make -j, three sub-makes", &share);
    for (unsigned p = 0; p < 2; p++) {
        pid_t pid[3];
        for (unsigned b = 0; b < 3; b++) {
            pool_command(p, (char[]){'a' + (char)b, '\0'}, command[b], sizeof command[b]);
            pid[b] = start("%s", command[b]);
        }
        for (unsigned b = 0; b < 3; b++)
            finish(pid[b]);
        share = shares(log);
        print_share(p == 0 ? "three make -j" : "three of admit", &share);
    }
}

static void late(const char *log)
{
    char command[COMMAND_SIZE];
    write_builds(log, (const unsigned[]){160, 40, 0});
    pool_command(1, "a", command, sizeof command);
    pid_t greedy = start("%s", command);
    usleep(500000);
    pool_command(1, "b", command, sizeof command);
    double came = now();
    finish(start("%s", command));
    finish(greedy);
    struct share share = shares(log);
    printf(
        "\na build that comes late, beside one that takes all: its first job begins after %.0f ms (a job takes %d),\n"
        "and it has %.2f slots of %d\n",
        (share.first - came) * 1e3, JOB_MS, share.of[1], K);
}

int main(int argc, char **argv)
{
    char gates[PATH_MAX], log[PATH_MAX];
    if (argc == 3 && strcmp(argv[1], "client") == 0)
        return client(argv[2]);
    if (argc == 4 && strcmp(argv[1], "job") == 0)
        return job(argv[2], argv[3]);
    if (realpath(argv[0], self) == NULL || mkdtemp(directory) == NULL)
        fail(argv[0]);
    snprintf(admit, sizeof admit, "%.*s../admit", (int)(strrchr(self, '/') - self) + 1, self);
    snprintf(gates, sizeof gates, "%s/gates", directory);
    snprintf(log, sizeof log, "%s/log", directory);
    mkdir(gates, 0700);
    setenv("ADMIT_DIR", gates, 1);
    setenv("TMPDIR", directory, 1);
    unsetenv("MAKEFLAGS");
    unsetenv("MFLAGS");
    unsetenv("GNUMAKEFLAGS");
    printf("admit jobserver and make's own pool, medians of %d\n\n", REPETITIONS);
    trips();
    trues();
    three(log);
    late(log);
    finish(start("rm -r %s", directory));
    return 0;
}
