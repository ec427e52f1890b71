/* SPDX-License-Identifier: MIT
 *
 * The gate beside what people use today, in one run: sem_t, a robust mutex, a SysV semaphore with SEM_UNDO, flock, OFD
 * locks, an eventfd, a pipe of tokens, and numbered tickets on futexes that nobody recovers. Each figure is the median of
 * repetitions that take turns, so that all see the same machine; only ratios mean anything elsewhere, and each is to the
 * first in its row.
 *
 *   gate [-r REPETITIONS] [-b PEER]... [PART...]
 *
 *   alone      one process enters and leaves, nobody else comes: ns
 *   two        two processes, 0 and 200 ns inside: passes a second
 *   many       8 and 64 processes, k = 1 and 4, 1 and 50 us inside: passes a second
 *   kill       from kill -9 of a holder to the next one's entry, in us
 *   crowd      admit alone: the same, and a hand-over from one in line to the next, with 100 and 1,000 in line, in us
 *   commands   `true` by `admit run` and by flock(1), one after the other, a second; with k = 2 flock has k = 1 still
 *
 * Several processes run twice: as the kernel likes, and each bound to a core, in turn. What is aimed at comes last, with
 * whether it was met. Without a PART, all of them; a PART may also be what the names of lines begin with, "64 bound" as well
 * as "64 bound, k = 1, 1 us". With -b, the gate beside these peers only.
 */
#include "gate_peers.h"

enum { REPETITIONS_MAX = 101, CROWD_MAX = 1000 };

/* --- what is measured --------------------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

static double median(double *found, unsigned count)
{
    qsort(found, count, sizeof found[0], by_size);
    return found[count / 2];
}

/* Called with the functions known, so that sem_t and the gate are called directly, as a program would. The median of
 * short stretches: a stretch in which somebody else had the core does not count. */
static inline double alone(void (*enter)(void), void (*leave)(void), unsigned passes)
{
    enum { STRETCHES = 101 };
    double found[STRETCHES];
    enter(), leave();
    for (unsigned stretch = 0; stretch < STRETCHES; stretch++) {
        uint64_t before = now_ns();
        for (unsigned pass = 0; pass < passes; pass++) {
            enter();
            leave();
        }
        found[stretch] = (double)(now_ns() - before) / passes;
    }
    return median(found, STRETCHES);
}

static double measure_alone(const struct peer *peer, unsigned k)
{
    peer->make(k);
    double ns = peer->enter == sem_t_enter    ? alone(sem_t_enter, sem_t_leave, 2000)
                : peer->enter == gate_enter   ? alone(gate_enter, gate_leave, 2000)
                : peer->enter == ticket_enter ? alone(ticket_enter, ticket_leave, 2000)
                                              : alone(peer->enter, peer->leave, 50);
    peer->unmake();
    return ns;
}

static void spend(unsigned ns)
{
    for (uint64_t end = now_ns() + ns; ns > 0 && now_ns() < end;)
        ;
}

/* To one of the cores that this process has. */
static void bind_to_core(unsigned number)
{
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    number %= (unsigned)CPU_COUNT(&all);
    for (unsigned core = 0; core < CPU_SETSIZE; core++)
        if (CPU_ISSET(core, &all) && number-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(core, &one);
            sched_setaffinity(0, sizeof one, &one);
        }
}

static double throughput(const struct peer *peer, unsigned processes, unsigned k, unsigned inside_ns, bool bound)
{
    enum { FOR_US = 80000 };
    struct shared {
        _Atomic uint32_t ready;
        _Atomic bool go, stop;
        _Alignas(64) _Atomic uint64_t passes;
    } *shared = shared_memory(sizeof *shared);
    peer->make(k);
    for (unsigned p = 0; p < processes; p++) {
        pid_t child = fork();
        if (child < 0)
            die("no process");
        if (child != 0)
            continue;
        uint64_t passes = 0;
        if (bound)
            bind_to_core(p);
        peer->enter();
        peer->leave();
        atomic_fetch_add(&shared->ready, 1);
        while (!atomic_load(&shared->go))
            usleep(100);
        while (!atomic_load_explicit(&shared->stop, memory_order_relaxed)) {
            peer->enter();
            spend(inside_ns);
            peer->leave();
            passes++;
        }
        atomic_fetch_add(&shared->passes, passes);
        _exit(0);
    }
    while (atomic_load(&shared->ready) < processes)
        usleep(1000);
    uint64_t before = now_ns();
    atomic_store(&shared->go, true);
    usleep(FOR_US);
    atomic_store(&shared->stop, true);
    for (unsigned p = 0; p < processes; p++)
        wait(NULL);
    double rate = (double)shared->passes / ((double)(now_ns() - before) / 1e9);
    peer->unmake();
    munmap(shared, sizeof *shared);
    return rate;
}

static double after_kill(const struct peer *peer)
{
    if (!peer->recovers)
        return 0;
    int ready[2];
    char byte;
    _Atomic uint64_t *in = shared_memory(sizeof *in);
    peer->make(1);
    if (pipe(ready) != 0)
        die("no pipe");
    pid_t holder = fork();
    if (holder == 0) {
        peer->enter();
        if (write(ready[1], "x", 1) == 1)
            pause();
        _exit(0);
    }
    if (read(ready[0], &byte, 1) != 1)
        die("no holder");
    pid_t next = fork();
    if (next == 0) {
        peer->enter();
        atomic_store(in, now_ns());
        _exit(0);
    }
    usleep(10000); /* it sleeps */
    uint64_t before = now_ns();
    kill(holder, SIGKILL);
    waitpid(next, NULL, 0);
    waitpid(holder, NULL, 0);
    double us = (double)(atomic_load(in) - before) / 1e3;
    peer->unmake();
    close(ready[0]), close(ready[1]);
    munmap((void *)in, sizeof *in);
    return us;
}

/* Until so many are in line and inside. */
static void await(unsigned in_line, unsigned holders)
{
    for (bool there = false; !there;) {
        usleep(2000);
        admit_view *view = admit_gate_inspect(gate);
        if (view == NULL)
            die(admit_last_error_text());
        there = view->waiters >= in_line && view->holders >= holders;
        admit_view_free(view);
    }
}

struct crowd_figures {
    double recovery, hand_over;
};

/* Behind a holder that is killed when all are in line: until the first is inside, and then from each to the next. */
static struct crowd_figures in_a_crowd(unsigned many)
{
    struct shared {
        _Atomic uint32_t inside;
        _Atomic uint64_t entered[CROWD_MAX];
    } *shared = shared_memory(sizeof *shared);
    static pid_t child[CROWD_MAX + 1]; /* the last is the holder */
    static double apart[CROWD_MAX];
    gate_make_for(1, many + 8);
    for (unsigned p = many; p <= many; p = p == 0 ? many + 1 : p - 1) {
        child[p] = fork();
        if (child[p] < 0)
            die("no process");
        if (child[p] == 0) {
            gate_enter();
            if (p < many) {
                atomic_store(&shared->entered[atomic_fetch_add(&shared->inside, 1)], now_ns());
                gate_leave();
            }
            pause(); /* ends are deaths, too, and would be measured with */
        }
        if (p == many)
            await(0, 1);
    }
    await(many, 1);
    usleep(50000);
    uint64_t before = now_ns();
    kill(child[many], SIGKILL);
    while (atomic_load(&shared->entered[many - 1]) == 0)
        usleep(1000);
    struct crowd_figures figures = {.recovery = (double)(shared->entered[0] - before) / 1e3};
    for (unsigned p = 1; p < many; p++)
        apart[p - 1] = (double)(shared->entered[p] - shared->entered[p - 1]) / 1e3;
    figures.hand_over = median(apart, many - 1);
    for (unsigned p = 0; p <= many; p++) {
        kill(child[p], SIGKILL);
        waitpid(child[p], NULL, 0);
    }
    gate_unmake();
    munmap(shared, sizeof *shared);
    return figures;
}

static char admit_program[PATH_MAX];
extern char **environ;

/* How many commands a second the peer's own program runs; 0: it has none, or it does not run. */
static double commands(const struct peer *peer, unsigned k)
{
    enum { COMMANDS = 100 };
    char directory[] = "/tmp/admit-bench-XXXXXX", file[PATH_MAX], number[12];
    if (peer->enter != flock_enter && peer->enter != gate_enter)
        return 0;
    if (mkdtemp(directory) == NULL)
        die("no directory in /tmp");
    snprintf(file, sizeof file, "%s/it", directory);
    snprintf(number, sizeof number, "%u", k);
    char *by_flock[] = {"flock", file, "true", NULL};
    char *by_admit[] = {admit_program, "run", "-k", number, file, "--", "true", NULL};
    char **argv = peer->enter == flock_enter ? by_flock : by_admit;
    uint64_t before = now_ns();
    bool runs = true;
    for (unsigned c = 0; c <= COMMANDS && runs; c++) {
        pid_t child;
        int status = -1;
        runs = posix_spawnp(&child, argv[0], NULL, NULL, argv, environ) == 0 && waitpid(child, &status, 0) == child &&
               status == 0;
        if (c == 0) /* which made the file */
            before = now_ns();
    }
    double took = (double)(now_ns() - before) / 1e9;
    unlink(file);
    rmdir(directory);
    return runs ? COMMANDS / took : 0;
}

/* --- what is asked, and the answers ------------------------------------------------------------------------------- */

enum figure { ALONE_NS, PASSES, AFTER_KILL_US, COMMANDS_A_SECOND };

struct row {
    const char *part;
    enum figure figure;
    unsigned processes, k, inside_ns;
    bool bound;
    bool may_grow;   /* the gate of admit: as it is unless it is told not to */
    enum who beside; /* whom admit is to be compared with; PEERS: nobody */
    double aim;      /* times that one's figure: at least, or, of times, at most */
};

#define BOTH(...)                                                                                                      \
    {__VA_ARGS__, .bound = false},                                                                                     \
    {                                                                                                                  \
        __VA_ARGS__, .bound = true                                                                                     \
    }
#define MANY(n, k_, ns)                                                                                                \
    BOTH(.part = "many", .figure = PASSES, .processes = (n), .k = (k_), .inside_ns = (ns), .beside = SYSV, .aim = 0.95)

static const struct row rows[] = {
    {.part = "alone", .figure = ALONE_NS, .processes = 1, .k = 1, .beside = SEM_T, .aim = 0.85},
    {.part = "alone", .figure = ALONE_NS, .processes = 1, .k = 4, .beside = SEM_T, .aim = 1.0},
    {.part = "alone", .figure = ALONE_NS, .processes = 1, .k = 1, .may_grow = true, .beside = PEERS},
    BOTH(.part = "two", .figure = PASSES, .processes = 2, .k = 1, .inside_ns = 0, .beside = TICKET, .aim = 0.8),
    BOTH(.part = "two", .figure = PASSES, .processes = 2, .k = 1, .inside_ns = 200, .beside = SEM_T, .aim = 0.9),
    MANY(8, 1, 1000),
    MANY(8, 1, 50000),
    MANY(8, 4, 1000),
    MANY(8, 4, 50000),
    MANY(64, 1, 1000),
    MANY(64, 1, 50000),
    MANY(64, 4, 1000),
    MANY(64, 4, 50000),
    {.part = "kill", .figure = AFTER_KILL_US, .processes = 2, .k = 1, .beside = PEERS},
    {.part = "commands", .figure = COMMANDS_A_SECOND, .processes = 1, .k = 1, .beside = PEERS},
    {.part = "commands", .figure = COMMANDS_A_SECOND, .processes = 1, .k = 2, .beside = PEERS},
};
enum { ROWS = sizeof rows / sizeof rows[0], AIMS_MAX = ROWS + 2 };

static bool left_out[PEERS];

static double measure(const struct peer *peer, const struct row *row)
{
    if (left_out[peer - peers])
        return 0;
    if (row->k > 1 && !peer->any_k && row->figure != COMMANDS_A_SECOND)
        return 0;
    gate_may_grow = row->may_grow;
    switch (row->figure) {
    case ALONE_NS:
        return measure_alone(peer, row->k);
    case PASSES:
        return throughput(peer, row->processes, row->k, row->inside_ns, row->bound) / 1e3;
    case AFTER_KILL_US:
        return after_kill(peer);
    default:
        return commands(peer, row->k);
    }
}

static void name_row(char *name, size_t size, const struct row *row)
{
    switch (row->figure) {
    case ALONE_NS:
        snprintf(name, size, "alone, k = %u%s (ns)", row->k, row->may_grow ? ", can grow" : "");
        break;
    case PASSES:
        snprintf(name, size, "%u%s, k = %u, %g us (1000/s)", row->processes, row->bound ? " bound" : "", row->k,
                 row->inside_ns / 1e3);
        break;
    case AFTER_KILL_US:
        snprintf(name, size, "after kill (us)");
        break;
    default:
        snprintf(name, size, "commands, k = %u (/s)", row->k);
    }
}

static struct aim {
    char name[48];
    const char *beside;
    double found, aim;
    bool at_most;
} aims[AIMS_MAX];
static unsigned aims_count;

static struct aim *new_aim(const char *name, const char *beside, double found, double aim, bool at_most)
{
    struct aim *new = &aims[aims_count++];
    *new = (struct aim){.beside = beside, .found = found, .aim = aim, .at_most = at_most};
    snprintf(new->name, sizeof new->name, "%s", name);
    return new;
}

static void run_row(const struct row *row, unsigned repetitions)
{
    static double found[PEERS][REPETITIONS_MAX];
    double middle[PEERS], reference = 0;
    char name[48];
    name_row(name, sizeof name, row);
    printf("%-34s", name);
    fflush(stdout);
    for (unsigned r = 0; r < repetitions; r++)
        for (unsigned p = 0; p < PEERS; p++)
            found[p][r] = measure(&peers[p], row);
    for (unsigned p = 0; p < PEERS; p++) {
        middle[p] = median(found[p], repetitions);
        reference = reference == 0 ? middle[p] : reference;
        if (middle[p] == 0)
            printf("%16s", "-");
        else
            printf("%9.1f %5.2fx", middle[p], middle[p] / reference);
    }
    printf("\n");
    if (row->beside < PEERS && !left_out[row->beside])
        new_aim(name, peers[row->beside].name, middle[ADMIT] / middle[row->beside], row->aim, row->figure == ALONE_NS);
}

static void run_crowds(unsigned repetitions)
{
    static const unsigned many[2] = {100, 1000};
    double recovery[2][REPETITIONS_MAX], hand_over[2][REPETITIONS_MAX];
    for (unsigned r = 0; r < repetitions; r++)
        for (unsigned m = 0; m < 2; m++) {
            struct crowd_figures figures = in_a_crowd(many[m]);
            recovery[m][r] = figures.recovery;
            hand_over[m][r] = figures.hand_over;
        }
    double one = median(recovery[0], repetitions), other = median(recovery[1], repetitions);
    printf("admit, after kill, %u and %u in line (us): %.1f, %.1f\n", many[0], many[1], one, other);
    new_aim("after kill, 1000 in line", "100 in line", other / one, 5, true);
    one = median(hand_over[0], repetitions), other = median(hand_over[1], repetitions);
    printf("admit, hand-over, %u and %u in line (us): %.1f, %.1f\n", many[0], many[1], one, other);
    new_aim("hand-over, 1000 in line", "100 in line", other / one, 5, true);
}

static void print_aims(void)
{
    unsigned met = 0;
    printf("\n%-34s%14s%10s  %s\n", "the gate", "beside", "found", "aim");
    for (unsigned a = 0; a < aims_count; a++) {
        const struct aim *aim = &aims[a];
        bool is_met = aim->at_most ? aim->found <= aim->aim : aim->found >= aim->aim;
        met += is_met;
        printf("%-34s%14s%9.2fx  %s %.2fx: %s\n", aim->name, aim->beside, aim->found,
               aim->at_most ? "at most " : "at least", aim->aim, is_met ? "met" : "MISSED");
    }
    printf("%u of %u met\n", met, aims_count);
}

static bool begins_with(const char *name, const char *text)
{
    return strncmp(name, text, strlen(text)) == 0;
}

static bool is_of(const struct row *row, const char *part)
{
    char name[48];
    name_row(name, sizeof name, row);
    return strcmp(row->part, part) == 0 || begins_with(name, part);
}

static bool is_asked(const struct row *row, int count, char **parts)
{
    for (int p = 0; p < count; p++)
        if (row == NULL ? strcmp(parts[p], "crowd") == 0 : is_of(row, parts[p]))
            return true;
    return count == 0;
}

static bool is_part(const char *name)
{
    for (unsigned r = 0; r < ROWS; r++)
        if (is_of(&rows[r], name))
            return true;
    return strcmp(name, "crowd") == 0;
}

/* The first time, all others are left out. */
static void take_in(const char *name)
{
    static bool chosen;
    for (unsigned p = 0; p < PEERS; p++)
        left_out[p] = p != ADMIT && (left_out[p] || !chosen) && strcmp(peers[p].name, name) != 0;
    chosen = true;
}

int main(int argc, char **argv)
{
    unsigned repetitions = 5;
    for (int option; (option = getopt(argc, argv, "r:b:")) != -1;)
        if (option == 'b')
            take_in(optarg);
        else
            repetitions = option == 'r' ? (unsigned)atoi(optarg) : 0;
    if (repetitions < 1 || repetitions > REPETITIONS_MAX)
        die("usage: gate [-r REPETITIONS] [-b PEER]... [PART...], from 1 to 101 repetitions");
    for (int p = optind; p < argc; p++)
        if (!is_part(argv[p]))
            die("the parts are alone, two, many, kill, crowd, commands, and what lines begin with");
    const char *slash = strrchr(argv[0], '/');
    snprintf(admit_program, sizeof admit_program, "%.*s../admit", slash == NULL ? 0 : (int)(slash - argv[0]) + 1,
             argv[0]);
    printf("The gate and its peers, medians of %-2u", repetitions);
    for (unsigned p = 0; p < PEERS; p++)
        printf("%*s", p == 0 ? 13 : 16, peers[p].name);
    printf("\n");
    for (unsigned r = 0; r < ROWS; r++)
        if (is_asked(&rows[r], argc - optind, argv + optind))
            run_row(&rows[r], repetitions);
    if (is_asked(NULL, argc - optind, argv + optind))
        run_crowds(repetitions);
    if (aims_count > 0)
        print_aims();
    return 0;
}
