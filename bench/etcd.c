/* SPDX-License-Identifier: MIT
 *
 * Gates on etcd, on one server and on three, which are started and stopped here: passes a second, how long entering takes,
 * and how many round trips a pass is; and `admit run` beside `etcdctl lock`, one after the other.
 *
 *   etcd [-r REPETITIONS] [-s SECONDS] [-d DIRECTORY]
 *
 * Clients are processes with nothing to do inside, which come back at once. Each line is measured REPETITIONS times, in
 * rounds of all lines; that one is printed whose passes a second are the median. The servers keep their data below
 * DIRECTORY (/var/tmp): they wait until it is written, so that what is measured is also the disk.
 *
 * What is counted: of each client the requests that it waits for, as it says itself, which are those of entering and
 * leaving. Apart from them: watches, one for each wait, whose answer is what the wait waits for; and keep-alives, by the
 * session's thread. A connection is not counted; a watch makes one.
 */
#include "cluster/client.h"
#include "cluster/participant.h"
#include "etcd_nodes.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>

enum { CLIENTS_MAX = 64, SAMPLES_MAX = 20000, REPETITIONS_MAX = 15, COMMANDS = 40 };

/* --- what is measured --------------------------------------------------------------------------------------------- */

struct shared {
    atomic_uint ready;
    atomic_bool go, stop;
    struct count {
        uint64_t passes, requests, watches, renewals;
        unsigned samples;
        double enter_ms[SAMPLES_MAX];
    } client[CLIENTS_MAX];
};

struct figures {
    double passes_s, p50, p99, requests, watches, renewals_s;
};

static double now_ms(void)
{
    return (double)etcd_now() / 1e6;
}

static int by_size(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

static double part_of(double *found, size_t count, double part)
{
    qsort(found, count, sizeof *found, by_size);
    return count > 0 ? found[(size_t)(part * (double)(count - 1))] : 0;
}

static admit_error say(admit_error error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return error;
}

static struct cluster_gate gate;
static struct told told;

static void pass(struct participant *participant, double *enter_ms)
{
    const struct participant_wait wait = {.told = &told, .until = INT64_MAX};
    struct participant_hold hold;
    const double began = now_ms();
    if (participant_enter(participant, &wait, &hold) != ADMIT_OK)
        die("cannot enter");
    *enter_ms = now_ms() - began;
    if (participant_leave(participant) != ADMIT_OK)
        die("cannot leave");
}

static _Noreturn void be_client(struct shared *shared, struct count *count)
{
    double unused;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    told_of_process(&told);
    struct participant *participant = participant_new(&gate);
    if (participant == NULL)
        die("no participant");
    pass(participant, &unused);
    atomic_fetch_add(&shared->ready, 1);
    while (!atomic_load(&shared->go))
        usleep(1000);
    const uint64_t requests = participant_requests(participant), watches = participant_watches(participant);
    const uint64_t renewals = participant_renewals(participant);
    while (!atomic_load(&shared->stop)) {
        pass(participant, &count->enter_ms[count->samples]);
        count->samples += count->samples + 1 < SAMPLES_MAX;
        count->passes++;
    }
    count->requests = participant_requests(participant) - requests;
    count->watches = participant_watches(participant) - watches;
    count->renewals = participant_renewals(participant) - renewals;
    participant_free(participant);
    _exit(0);
}

static struct figures sum_up(const struct shared *shared, unsigned clients, double seconds)
{
    static double all[CLIENTS_MAX * SAMPLES_MAX];
    struct count sum = {0};
    size_t samples = 0;
    for (unsigned c = 0; c < clients; c++) {
        const struct count *one = &shared->client[c];
        sum.passes += one->passes;
        sum.requests += one->requests;
        sum.watches += one->watches;
        sum.renewals += one->renewals;
        memcpy(all + samples, one->enter_ms, one->samples * sizeof *all);
        samples += one->samples;
    }
    const double passes = sum.passes > 0 ? (double)sum.passes : 1;
    return (struct figures){.passes_s = passes / seconds,
                            .p50 = part_of(all, samples, 0.5),
                            .p99 = part_of(all, samples, 0.99),
                            .requests = (double)sum.requests / passes,
                            .watches = (double)sum.watches / passes,
                            .renewals_s = (double)sum.renewals / seconds};
}

static struct figures measure(unsigned clients, unsigned k, double seconds)
{
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        die("no memory");
    snprintf(gate.name, sizeof gate.name, "etcd://%s/bench-%u", nodes.endpoints, k);
    if (address_read(&gate.address, gate.name, true) != ADMIT_OK)
        die("no address");
    gate.ttl = DEFAULT_TTL;
    atomic_store(&gate.k, k);
    for (unsigned c = 0; c < clients; c++) {
        const pid_t child = fork();
        if (child < 0)
            die("no process");
        if (child == 0)
            be_client(shared, &shared->client[c]);
    }
    while (atomic_load(&shared->ready) < clients)
        usleep(1000);
    const double began = now_ms();
    atomic_store(&shared->go, true);
    usleep((useconds_t)(seconds * 1e6));
    atomic_store(&shared->stop, true);
    const double took = (now_ms() - began) / 1e3;
    for (unsigned c = 0; c < clients; c++) {
        int status = 0;
        if (wait(&status) < 0 || status != 0)
            die("a client, or a server, has ended before its time");
    }
    const struct figures figures = sum_up(shared, clients, took);
    munmap(shared, sizeof *shared);
    return figures;
}

/* --- before the servers ------------------------------------------------------------------------------------------- */

static struct etcd *connect_to(void)
{
    const struct etcd_options options = {.endpoints = nodes.endpoints};
    struct etcd *etcd = etcd_open(&options);
    if (etcd == NULL)
        die(etcd_open_failure());
    return etcd;
}

static void put(struct etcd *etcd, const char *key, const char *value)
{
    const struct etcd_txn txn = {.thens = 1, .then = {{.deed = ETCD_PUT, .key = key, .value = value}}};
    struct etcd_answer answer;
    enum etcd_result result;
    do
        result = etcd_do(etcd, &txn, etcd_now() + INT64_C(30000000000), &answer);
    while (result == ETCD_UNKNOWN && etcd_reason(etcd) != ETCD_NO_SPACE);
    if (result != ETCD_DONE)
        die(etcd_text(etcd));
    etcd_answer_free(&answer);
}

/* A gate is there as soon as its k is. */
static void make_gates(void)
{
    struct etcd *etcd = connect_to();
    put(etcd, "admit/bench-1/k", "1");
    put(etcd, "admit/bench-1/declared", "1");
    put(etcd, "admit/bench-4/k", "4");
    put(etcd, "admit/bench-4/declared", "4");
    etcd_close(etcd);
}

static double trip_ms(void)
{
    enum { TRIPS = 300 };
    double took[TRIPS];
    struct etcd *etcd = connect_to();
    put(etcd, "bench", "");
    for (unsigned t = 0; t < TRIPS; t++) {
        const double began = now_ms();
        put(etcd, "bench", "");
        took[t] = now_ms() - began;
    }
    etcd_close(etcd);
    return part_of(took, TRIPS, 0.5);
}

/* --- what servers carry ------------------------------------------------------------------------------------------- */

static void set_a_key(struct etcd *etcd, int64_t lease)
{
    (void)lease;
    put(etcd, "bench", "");
}

static void keep_alive(struct etcd *etcd, int64_t lease)
{
    unsigned granted;
    if (etcd_keep_alive(etcd, lease, etcd_now() + INT64_C(10000000000), &granted) != ETCD_DONE)
        die(etcd_text(etcd));
}

/* Asked by so many clients, each again and again. */
static double requests_s(void (*ask)(struct etcd *etcd, int64_t lease), double seconds)
{
    enum { ASKERS = 16 };
    struct {
        atomic_uint done, ready;
        atomic_bool go, stop;
    } *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t asker[ASKERS];
    for (unsigned c = 0; c < ASKERS; c++) {
        asker[c] = fork();
        if (asker[c] != 0)
            continue;
        struct etcd *etcd = connect_to();
        int64_t lease;
        unsigned granted;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (etcd_grant(etcd, 60, etcd_now() + INT64_C(10000000000), &lease, &granted) != ETCD_DONE)
            die(etcd_text(etcd));
        ask(etcd, lease);
        for (atomic_fetch_add(&shared->ready, 1); !atomic_load(&shared->go);)
            usleep(1000);
        for (; !atomic_load(&shared->stop); atomic_fetch_add(&shared->done, 1))
            ask(etcd, lease);
        _exit(0);
    }
    while (atomic_load(&shared->ready) < ASKERS)
        usleep(1000);
    atomic_store(&shared->go, true);
    usleep((useconds_t)(seconds * 1e6));
    const double rate = atomic_load(&shared->done) / seconds;
    atomic_store(&shared->stop, true);
    for (unsigned c = 0; c < ASKERS; c++)
        waitpid(asker[c], NULL, 0);
    munmap(shared, sizeof *shared);
    return rate;
}

/* As a client that comes when so many are in line gets it. */
static void measure_list(unsigned places)
{
    struct etcd *etcd = connect_to();
    char key[KEY_SIZE];
    double took[11];
    told_of_process(&told);
    snprintf(told.command, sizeof told.command, "./train --data /srv/data --epochs 100");
    char *text = told_write(&told);
    for (unsigned p = 1; p <= places; p++) {
        snprintf(key, sizeof key, "admit/bench-list/line/%016x", p);
        put(etcd, key, text);
    }
    free(text);
    const struct etcd_txn look = {
        .thens = 1, .then = {{.deed = ETCD_LIST, .key = "admit/bench-list/line/", .prefix = true, .keys_only = true}}};
    for (unsigned t = 0; t < 11; t++) {
        struct etcd_answer answer;
        const double began = now_ms();
        if (etcd_do(etcd, &look, etcd_now() + INT64_C(10000000000), &answer) != ETCD_DONE)
            die(etcd_text(etcd));
        took[t] = now_ms() - began;
        etcd_answer_free(&answer);
    }
    printf("; to list a line of %u: %.1f ms\n", places, part_of(took, 11, 0.5));
    etcd_close(etcd);
}

static void measure_load(double seconds)
{
    printf("\n16 clients that do nothing else: %.0f transactions a second that set a key; ",
           requests_s(set_a_key, seconds));
    printf("%.0f keep-alives a second", requests_s(keep_alive, seconds));
    measure_list(1000);
}

/* --- commands ----------------------------------------------------------------------------------------------------- */

static double command_ms(const char *const *argv)
{
    const double began = now_ms();
    const pid_t child = fork();
    if (child == 0) {
        const int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, STDOUT_FILENO);
        execvp(argv[0], (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0)
        die(argv[0]);
    return now_ms() - began;
}

/* One of each in turn, so that both see the same machine. */
static void measure_commands(const char *admit)
{
    static char endpoints[120];
    double ours[COMMANDS], theirs[COMMANDS];
    setenv("ADMIT_ETCD", nodes.endpoints, 1);
    setenv("ETCDCTL_API", "3", 1);
    snprintf(endpoints, sizeof endpoints, "--endpoints=%s", nodes.endpoints);
    const char *const run[] = {admit, "run", "-k", "1", "etcd:bench-run", "--", "true", NULL};
    const char *const lock[] = {"etcdctl", endpoints, "lock", "bench-lock", "true", NULL};
    command_ms(run);
    command_ms(lock);
    for (unsigned c = 0; c < COMMANDS; c++) {
        ours[c] = command_ms(run);
        theirs[c] = command_ms(lock);
    }
    const double our = part_of(ours, COMMANDS, 0.5), their = part_of(theirs, COMMANDS, 0.5);
    printf("\n`admit run -k 1 etcd:x -- true`: %.1f ms, %.1f a second; `etcdctl lock x true`: %.1f ms, %.1f a second: "
           "%.2fx, aim at least 1.5x: %s\n",
           our, 1e3 / our, their, 1e3 / their, their / our, their / our >= 1.5 ? "met" : "MISSED");
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static const struct {
    unsigned clients, k;
} lines[] = {{1, 1}, {1, 4}, {16, 1}, {16, 4}, {64, 1}, {64, 4}};
enum { LINES = sizeof lines / sizeof lines[0] };

static int by_passes(const void *a, const void *b)
{
    return by_size(&((const struct figures *)a)->passes_s, &((const struct figures *)b)->passes_s);
}

static void measure_on(unsigned count, const char *where, unsigned repetitions, double seconds, const char *admit)
{
    static struct figures found[LINES][REPETITIONS_MAX];
    start_nodes(count, where);
    make_gates();
    const double trip = trip_ms();
    printf("\n%u server%s; a transaction that sets one key: %.2f ms\n\n", count, count > 1 ? "s" : "", trip);
    for (unsigned r = 0; r < repetitions; r++)
        for (unsigned l = 0; l < LINES; l++)
            found[l][r] = measure(lines[l].clients, lines[l].k, seconds);
    puts("| clients | k | passes/s | enter p50 ms | in transactions | enter p99 ms | requests a pass | aim | watches a "
         "pass | keep-alives/s |");
    puts("|---|---|---|---|---|---|---|---|---|---|");
    for (unsigned l = 0; l < LINES; l++) {
        qsort(found[l], repetitions, sizeof found[l][0], by_passes);
        const struct figures *is = &found[l][repetitions / 2];
        const double aim = lines[l].k == 1 ? 2.2 : 3.2;
        printf("| %u | %u | %.0f | %.2f | %.1f | %.2f | %.2f | %.1f: %s | %.2f | %.1f |\n", lines[l].clients,
               lines[l].k, is->passes_s, is->p50, is->p50 / trip, is->p99, is->requests, aim,
               is->requests <= aim ? "met" : "MISSED", is->watches, is->renewals_s);
    }
    measure_load(seconds);
    measure_commands(admit);
    stop_nodes();
}

int main(int argc, char **argv)
{
    const char *where = "/var/tmp";
    unsigned repetitions = 3;
    double seconds = 4;
    char admit[4096];
    for (int option; (option = getopt(argc, argv, "r:s:d:")) != -1;)
        if (option == 'r')
            repetitions = (unsigned)atoi(optarg);
        else if (option == 's')
            seconds = atof(optarg);
        else if (option == 'd')
            where = optarg;
        else
            return 2;
    if (repetitions < 1 || repetitions > REPETITIONS_MAX || seconds <= 0)
        die("-r is 1 to 15, and -s more than 0");
    if (system("command -v etcd etcdctl >/dev/null") != 0) {
        puts("bench: there is no etcd, or no etcdctl: ./setup installs them");
        return 0;
    }
    const char *slash = strrchr(argv[0], '/');
    snprintf(admit, sizeof admit, "%.*s../admit", slash != NULL ? (int)(slash - argv[0]) + 1 : 0, argv[0]);
    gate_fails = say;
    setvbuf(stdout, NULL, _IOLBF, 0);
    atexit(stop_nodes);
    printf("Gates on etcd: %ld cores, for clients and servers; the servers' data is below %s; medians of %u\n",
           sysconf(_SC_NPROCESSORS_ONLN), where, repetitions);
    measure_on(1, where, repetitions, seconds, admit);
    measure_on(3, where, repetitions, seconds, admit);
    return 0;
}
