/* SPDX-License-Identifier: MIT
 *
 * Killed for memory. A user-space OOM killer (earlyoom, systemd-oomd, Android's) kills a process and then takes away
 * its memory by process_mrelease(2), before the kernel has read from it, on the process's way out, which words it
 * should mark: of such a death the robust list tells nothing. Promised: what the dead one had comes back all the same,
 * all of it and within about a second; and what lives, or may live, is never taken for dead, whatever it, its children
 * or strangers do with the gate's file.
 */
#include "faults.h"

#include <pthread.h>

enum { MANY = 50 };

static const admit_gate_options one = {.k = 1, .capacity = 16};

/* --- dead without a word ------------------------------------------------------------------------------------------ */

static void all_slots_come_back(void **state)
{
    (void)state;
    skip_without_mrelease();
    unsigned many = unless_quick(MANY, 10);
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = many, .capacity = 2 * many});
    pid_t holder[MANY];
    for (unsigned h = 0; h < many; h++)
        holder[h] = start_holder(gate);
    for (unsigned h = 0; h < many; h++)
        assert_true(end_without_memory(holder[h]));
    assert_slots(gate, many);
    admit_gate_close(gate);
}

static void all_slots_of_a_gate_without_a_name_come_back(void **state)
{
    (void)state;
    skip_without_mrelease();
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 4, .capacity = 16});
    assert_non_null(gate);
    for (unsigned h = 0; h < 4; h++)
        assert_true(end_without_memory(start_holder(gate)));
    assert_slots(gate, 4);
    admit_gate_close(gate);
}

/* As an OOM killer does it, without a debugger's stops: whether memory or process goes first is luck. */
static void touches_much_memory(admit_gate *gate, const admit_hold *hold)
{
    (void)gate, (void)hold;
    size_t size = (size_t)8 << 20;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED)
        memset(memory, 1, size);
}

static void as_an_oom_killer_does_it(void **state)
{
    (void)state;
    skip_without_mrelease();
    unsigned many = unless_quick(MANY, 10);
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = many, .capacity = 2 * many});
    pid_t holder[MANY];
    unsigned first = 0;
    for (unsigned h = 0; h < many; h++)
        holder[h] = start_holder_that(gate, touches_much_memory);
    usleep(50000);
    for (unsigned h = 0; h < many; h++) {
        int pidfd = (int)syscall(SYS_pidfd_open, holder[h], 0);
        kill(holder[h], SIGKILL);
        first += syscall(SYS_process_mrelease, pidfd, 0) == 0;
        close(pidfd);
    }
    for (unsigned h = 0; h < many; h++)
        end(holder[h]);
    print_message("# of %u, %u were alive enough to lose their memory\n", many, first);
    assert_slots(gate, many);
    admit_gate_close(gate);
}

/* One asleep, and another who comes later. */
static void the_next_in_line_learns_it(void **state)
{
    (void)state;
    skip_without_mrelease();
    admit_gate *gate = fresh_gate(&one);
    pid_t holder = start_holder(gate), waiter = start_waiter(gate, 1);
    usleep(100000);
    assert_true(end_without_memory(holder));
    uint64_t before = monotonic_ns();
    assert_int_equal(outcome(waiter, SOON_S), 0);
    print_message("# the next in line was in and out after %.0f ms\n", (double)(monotonic_ns() - before) / 1e6);
    assert_slots(gate, 1);
    admit_gate_close(gate);
}

static void one_in_line_is_passed_over(void **state)
{
    (void)state;
    skip_without_mrelease();
    admit_gate *gate = fresh_gate(&one);
    admit_hold hold;
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    pid_t first = start_waiter(gate, 1), second = start_waiter(gate, 2);
    assert_true(end_without_memory(first));
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    assert_int_equal(outcome(second, SOON_S), 0);
    assert_slots(gate, 1);
    admit_gate_close(gate);
}

/* It is told, as after any death inside: what it did may be half-done. */
/* Where all records are taken, whoever comes looks whether one is a dead one's, and need not be let in to do so. */
static void a_full_gate_has_room_again(void **state)
{
    (void)state;
    skip_without_mrelease();
    admit_hold hold;
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = 2});
    pid_t holder = start_holder(gate), waiter = start_waiter(gate, 1);
    assert_int_equal(admit_gate_try(gate, &hold), ADMIT_FULL);
    assert_true(end_without_memory(waiter));
    admit_error error = ADMIT_FULL;
    for (unsigned look = 0; look < SOON_S * 100 && error == ADMIT_FULL; look++, usleep(10000)) /* now and then */
        error = admit_gate_try(gate, &hold);
    assert_int_equal(error, ADMIT_NO_SLOT);
    end(holder);
    admit_gate_close(gate);
}

static void the_next_is_told_that_the_owner_died(void **state)
{
    (void)state;
    skip_without_mrelease();
    admit_gate *gate = fresh_gate(&one);
    admit_hold hold;
    assert_true(end_without_memory(start_holder(gate)));
    assert_int_equal(enter_within(gate, &hold, SOON_S), ADMIT_OK);
    assert_int_equal(hold.owner_died, 1);
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    admit_gate_close(gate);
}

/* --- who must not hold in its place ------------------------------------------------------------------------------- */

static _Atomic uint32_t *grandchild;

static void forks(admit_gate *gate, const admit_hold *hold)
{
    (void)gate, (void)hold;
    pid_t child = fork();
    if (child == 0) {
        atomic_store(grandchild, (uint32_t)getpid());
        stay();
    }
}

static void forks_and_execs(admit_gate *gate, const admit_hold *hold)
{
    (void)gate, (void)hold;
    pid_t child = fork();
    if (child == 0) {
        atomic_store(grandchild, (uint32_t)getpid());
        execlp("sleep", "sleep", "60", (char *)NULL);
        _exit(127);
    }
}

static void forked_children_do_not_hold_in_its_place(void **state)
{
    (void)state;
    skip_without_mrelease();
    static inside_fn *const ways[] = {forks, forks_and_execs};
    for (unsigned w = 0; w < 2; w++) {
        grandchild = shared_words();
        admit_gate *gate = fresh_gate(&one);
        pid_t holder = start_holder_that(gate, ways[w]);
        while (atomic_load(grandchild) == 0)
            usleep(500);
        usleep(50000);
        bool taken = end_without_memory(holder);
        unsigned slots = slots_within(gate, 1, SOON_S);
        bool lived = kill((pid_t)atomic_load(grandchild), 0) == 0;
        kill((pid_t)atomic_load(grandchild), SIGKILL); /* a child of the dead one, whom init reaps */
        assert_true(taken && lived);
        if (slots != 1)
            fail_msg("%s child holds the slot", w == 0 ? "a forked" : "an executed");
        admit_gate_close(gate);
        munmap((void *)grandchild, 4096);
    }
}

/* Nor can a process that may only read, and comes after it. */
static void a_reader_does_not_hold_in_its_place(void **state)
{
    (void)state;
    skip_without_mrelease();
    admit_gate *gate = fresh_gate(&one);
    pid_t holder = start_holder(gate), reader = start_reader(gate);
    assert_true(end_without_memory(holder));
    assert_slots(gate, 1);
    end(reader);
    admit_gate_close(gate);
}

/* --- threads, several gates, containers, commands ----------------------------------------------------------------- */

enum { THREADS = 8 };

static _Atomic uint32_t *threads_inside;

static void *thread_enters(void *gate)
{
    admit_hold hold;
    if (enter_within(gate, &hold, SOON_S) == ADMIT_OK)
        atomic_fetch_add(threads_inside, 1);
    stay();
}

static void threads_give_back_what_each_had(void **state)
{
    (void)state;
    skip_without_mrelease();
    threads_inside = shared_words();
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = THREADS, .capacity = 32});
    pid_t child = start();
    if (child == 0) {
        for (unsigned t = 0; t < THREADS; t++) {
            pthread_t thread;
            pthread_create(&thread, NULL, thread_enters, gate);
        }
        stay();
    }
    assert_true(comes_true(threads_inside, THREADS, SOON_S));
    assert_true(end_without_memory(child));
    assert_slots(gate, THREADS);
    admit_gate_close(gate);
    munmap((void *)threads_inside, 4096);
}

static admit_gate *second_gate;

static void enters_the_second_gate_twice(admit_gate *gate, const admit_hold *hold)
{
    (void)gate, (void)hold;
    admit_hold other;
    if (enter_within(second_gate, &other, SOON_S) != ADMIT_OK || enter_within(second_gate, &other, SOON_S) != ADMIT_OK)
        _exit(1);
    atomic_store(threads_inside, 1);
}

static void all_gates_get_theirs_back(void **state)
{
    (void)state;
    skip_without_mrelease();
    threads_inside = shared_words();
    admit_gate *gate = fresh_gate(&one);
    second_gate = fresh_gate(&(admit_gate_options){.k = 2, .capacity = 16});
    pid_t holder = start_holder_that(gate, enters_the_second_gate_twice);
    assert_true(comes_true(threads_inside, 1, SOON_S));
    assert_true(end_without_memory(holder));
    assert_slots(gate, 1);
    assert_slots(second_gate, 2);
    admit_gate_close(gate);
    admit_gate_close(second_gate);
    munmap((void *)threads_inside, 4096);
}

/* The holder in a pid namespace of its own: first who looks is outside, then in a third one. */
static void containers_are_no_obstacle(void **state)
{
    (void)state;
    skip_without_mrelease();
    skip_without_containers();
    for (unsigned looker_contained = 0; looker_contained < 2; looker_contained++) {
        _Atomic uint32_t *words = shared_words();
        admit_gate *gate = fresh_gate(&one);
        admit_hold hold;
        pid_t holder = start_in_container(&words[0]);
        if (holder == 0) {
            if (enter_within(gate, &hold, SOON_S) != ADMIT_OK)
                _exit(1);
            atomic_store(&words[1], 1);
            stay();
        }
        assert_true(comes_true(&words[1], 1, SOON_S));
        assert_false(another_gets_in(gate, 0.7));
        assert_true(kill_without_memory((pid_t)atomic_load(&words[0])));
        outcome(holder, SOON_S);
        if (looker_contained) {
            pid_t looker = start_in_container(NULL);
            if (looker == 0) {
                admit_error error = enter_within(gate, &hold, SOON_S);
                _exit(error != ADMIT_OK ? 1 : (int)admit_gate_leave(gate, &hold));
            }
            assert_int_equal(outcome(looker, 2 * SOON_S), 0);
        }
        assert_slots(gate, 1);
        admit_gate_close(gate);
        munmap((void *)words, 4096);
    }
}

static _Atomic uint32_t *command;

static void starts_a_command(admit_gate *gate, const admit_hold *hold)
{
    if (admit_gate_bequeath(gate, hold, 0) != ADMIT_OK)
        _exit(1);
    if (fork() == 0) {
        if (admit_gate_inherit(gate, hold) != ADMIT_OK)
            _exit(2);
        atomic_store(command, (uint32_t)getpid());
        stay();
    }
}

static void a_command_holds_on(void **state)
{
    (void)state;
    skip_without_mrelease();
    command = shared_words();
    admit_gate *gate = fresh_gate(&one);
    pid_t starter = start_holder_that(gate, starts_a_command);
    while (atomic_load(command) == 0)
        usleep(500);
    bool taken = end_without_memory(starter), got_in = another_gets_in(gate, 2);
    kill((pid_t)atomic_load(command), SIGKILL);
    assert_true(taken);
    assert_false(got_in);
    assert_slots(gate, 1);
    admit_gate_close(gate);
    munmap((void *)command, 4096);
}

/* --- the living --------------------------------------------------------------------------------------------------- */

static void *thread_passes_by(void *gate)
{
    (void)gate;
    return NULL;
}

/* What takes away a process's POSIX locks, or may be thought to end it. */
static void is_busy_with_the_file(admit_gate *gate, const admit_hold *hold)
{
    (void)hold;
    for (;;) {
        int fd = open(admit_gate_path(gate), O_RDWR | O_CLOEXEC);
        int copy = dup(fd);
        close(copy), close(fd);
        close(open(admit_gate_path(gate), O_RDONLY | O_CLOEXEC));
        admit_gate *second = admit_gate_open(admit_gate_path(gate), 1);
        admit_hold other;
        if (second == NULL || admit_gate_try(second, &other) != ADMIT_NO_SLOT)
            _exit(1);
        admit_gate_close(second);
        pid_t child = fork();
        if (child == 0)
            _exit(0);
        waitpid(child, NULL, 0);
        child = fork();
        if (child == 0) { /* one that uses the gate, and is killed */
            admit_gate_try(gate, &other);
            raise(SIGKILL);
        }
        waitpid(child, NULL, 0);
        child = fork();
        if (child == 0) /* and one that closes it */
            admit_gate_close(gate), _exit(0);
        waitpid(child, NULL, 0);
        pthread_t thread;
        if (pthread_create(&thread, NULL, thread_passes_by, gate) == 0)
            pthread_join(thread, NULL);
    }
}

static void the_living_are_never_judged_dead(void **state)
{
    (void)state;
    admit_gate *gate = fresh_gate(&one);
    pid_t holder = start_holder_that(gate, is_busy_with_the_file);
    bool got_in = another_gets_in(gate, unless_quick(3, 1));
    assert_false(has_ended(holder));
    assert_false(got_in);
    end(holder);
    assert_slots(gate, 1);
    admit_gate_close(gate);
}

/* The main thread is inside and waits; and the thread that opened the gate and came by first has ended. */
static void *opens_and_passes(void *data)
{
    admit_gate **gate = data;
    admit_hold hold;
    *gate = admit_gate_open(admit_gate_path(*gate), 1);
    if (*gate == NULL || enter_within(*gate, &hold, SOON_S) != ADMIT_OK || admit_gate_leave(*gate, &hold) != ADMIT_OK)
        _exit(1);
    return NULL;
}

static void a_process_outlives_its_threads(void **state)
{
    (void)state;
    admit_gate *gate = fresh_gate(&one);
    _Atomic uint32_t *inside = shared_words();
    pid_t holder = start();
    if (holder == 0) {
        pthread_t thread;
        admit_hold hold;
        if (pthread_create(&thread, NULL, opens_and_passes, &gate) != 0 || pthread_join(thread, NULL) != 0 ||
            enter_within(gate, &hold, SOON_S) != ADMIT_OK)
            _exit(1);
        atomic_store(inside, 1);
        stay();
    }
    assert_true(comes_true(inside, 1, SOON_S));
    bool got_in = another_gets_in(gate, 1.5);
    assert_false(has_ended(holder));
    assert_false(got_in);
    end(holder);
    assert_slots(gate, 1);
    admit_gate_close(gate);
    munmap((void *)inside, 4096);
}

static void the_stopped_are_not_dead(void **state)
{
    (void)state;
    admit_gate *gate = fresh_gate(&one);
    pid_t holder = start_holder(gate);
    kill(holder, SIGSTOP);
    assert_false(another_gets_in(gate, 1.5));
    kill(holder, SIGCONT);
    assert_false(another_gets_in(gate, 0.2));
    end(holder);
    assert_slots(gate, 1);
    admit_gate_close(gate);
}

/* --- the kernel's own OOM killer ---------------------------------------------------------------------------------- */

static bool write_text(const char *directory, const char *file, const char *text)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", directory, file);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return written;
}

/* A memory cgroup of either version, with little memory. */
static bool make_small_cgroup(char directory[PATH_MAX])
{
    static const char *const roots[][2] = {
        {"/sys/fs/cgroup", "memory.max"},
        {"/sys/fs/cgroup/unified", "memory.max"},
        {"/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
    };
    for (unsigned r = 0; r < sizeof roots / sizeof roots[0]; r++) {
        snprintf(directory, PATH_MAX, "%s/admit-test-%ld", roots[r][0], (long)getpid());
        if (mkdir(directory, 0755) != 0)
            continue;
        if (write_text(directory, roots[r][1], "33554432")) {
            write_text(directory, "memory.swap.max", "0");
            return true;
        }
        rmdir(directory);
    }
    return false;
}

static void the_kernel_kills_it_for_memory(void **state)
{
    (void)state;
    char directory[PATH_MAX];
    if (!make_small_cgroup(directory))
        skip_because("no memory cgroup can be made here");
    unsigned rounds = unless_quick(5, 2), killed = 0;
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 2, .capacity = 16});
    for (unsigned round = 0; round < rounds; round++) {
        pid_t child = start();
        if (child == 0) {
            admit_hold hold;
            if (!write_text(directory, "cgroup.procs", "0") || enter_within(gate, &hold, SOON_S) != ADMIT_OK)
                _exit(1);
            for (unsigned mb = 0; mb < 256; mb++) {
                char *memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                if (memory != MAP_FAILED)
                    memset(memory, 1, 1 << 20);
            }
            _exit(2);
        }
        killed += outcome(child, LONG_S) == BY_SIGNAL + SIGKILL;
    }
    for (unsigned attempt = 0; rmdir(directory) != 0 && attempt < 100; attempt++)
        usleep(10000);
    assert_slots(gate, 2);
    admit_gate_close(gate);
    if (killed != rounds)
        skip_because("the kernel does not kill in a small memory cgroup");
}

/* --- dead with its program only ----------------------------------------------------------------------------------- */

/* Of a thread that executes another program, and is not its process's first, the kernel marks no word either: it has the
 * first one's number by then. The process lives on, as `sleep`. */
struct executor {
    admit_gate *gate;
    bool bequeaths, stays_outside;
    int told;
};

static void *executes(void *data)
{
    const struct executor *executor = data;
    admit_hold hold;
    if (admit_gate_enter(executor->gate, &hold) != ADMIT_OK ||
        (executor->stays_outside && admit_gate_leave(executor->gate, &hold) != ADMIT_OK) ||
        (executor->bequeaths && admit_gate_bequeath(executor->gate, &hold, 0) != ADMIT_OK))
        _exit(1);
    say(executor->told);
    execlp("sleep", "sleep", "1000", (char *)NULL);
    _exit(127);
}

static void a_thread_executes_another_program(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 3; round++) {
        admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = 1});
        int told[2];
        assert_int_equal(pipe2(told, O_CLOEXEC), 0);
        pid_t process = fork();
        if (process == 0) {
            struct executor executor = {
                .gate = gate, .bequeaths = round == 1, .stays_outside = round == 2, .told = told[1]};
            pthread_t thread;
            pthread_create(&thread, NULL, executes, &executor);
            pthread_join(thread, NULL);
            _exit(1);
        }
        assert_true(hear(told[0]));
        assert_slots(gate, 1);
        end(process);
        close(told[0]), close(told[1]);
        admit_gate_close(gate);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAULT(all_slots_come_back),
        FAULT(all_slots_of_a_gate_without_a_name_come_back),
        FAULT(as_an_oom_killer_does_it),
        FAULT(the_next_in_line_learns_it),
        FAULT(one_in_line_is_passed_over),
        FAULT(a_full_gate_has_room_again),
        FAULT(the_next_is_told_that_the_owner_died),
        FAULT(forked_children_do_not_hold_in_its_place),
        FAULT(a_reader_does_not_hold_in_its_place),
        FAULT(threads_give_back_what_each_had),
        FAULT(all_gates_get_theirs_back),
        FAULT(containers_are_no_obstacle),
        FAULT(a_command_holds_on),
        FAULT(the_living_are_never_judged_dead),
        FAULT(a_process_outlives_its_threads),
        FAULT(the_stopped_are_not_dead),
        FAULT(the_kernel_kills_it_for_memory),
        FAULT(a_thread_executes_another_program),
    };
    return run_faults("oom", tests);
}
