/* SPDX-License-Identifier: MIT
 *
 * Who holds, and until when: threads that end, fork, exec, kill -9, commands that inherit; what the next one is told.
 */
#include "gate_witness.h"

#include "gate/calls/calls.h"

#include <pthread.h>

static admit_gate *new_gate(unsigned k)
{
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = k, .most_k = k, .capacity = 20});
    assert_non_null(gate);
    return gate;
}

static void assert_enters(admit_gate *gate, admit_hold *hold)
{
    if (admit_gate_enter(gate, hold) != ADMIT_OK)
        fail_msg("%s", admit_last_error_text());
}

static struct timespec in_ms(unsigned ms)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_nsec += (long)ms * 1000000;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

static admit_error enter_within(admit_gate *gate, admit_hold *hold, unsigned ms)
{
    struct timespec until = in_ms(ms);
    return admit_gate_enter_until(gate, hold, &until);
}

static void a_killed_holder_is_followed_and_named(void **state)
{
    (void)state;
    for (unsigned k = 1; k <= 3; k++) {
        admit_gate *gate = new_gate(k);
        admit_hold hold, first[3];
        int told[2];
        assert_int_equal(pipe(told), 0);
        for (unsigned s = 0; s + 1 < k; s++) {
            assert_enters(gate, &first[s]);
            assert_false(first[s].owner_died);
        }
        pid_t child = fork();
        if (child == 0) {
            if (admit_gate_enter(gate, &hold) == ADMIT_OK)
                say(told[1]);
            pause();
            _exit(0);
        }
        assert_true(hear(told[0]));
        assert_int_equal(admit_gate_try(gate, &hold), ADMIT_NO_SLOT);
        kill(child, SIGKILL);
        assert_enters(gate, &hold);
        assert_true(hold.owner_died);
        assert_int_equal(hold.slot, k - 1);
        assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
        assert_enters(gate, &hold); /* told once */
        assert_false(hold.owner_died);
        assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
        waitpid(child, NULL, 0);
        admit_view *view = admit_gate_inspect(gate);
        assert_int_equal(view->recovered, 1);
        assert_int_equal(view->entered, k + 2);
        assert_int_equal(view->holders, k - 1);
        admit_view_free(view);
        for (unsigned s = 0; s + 1 < k; s++)
            assert_int_equal(admit_gate_leave(gate, &first[s]), ADMIT_OK);
        assert_all_slots_are_there(gate, k);
        close(told[0]), close(told[1]);
        admit_gate_close(gate);
    }
}

struct visit {
    admit_gate *gate;
    admit_hold hold;
    admit_error error;
};

static void *enters_and_ends(void *data)
{
    struct visit *visit = data;
    visit->error = admit_gate_enter(visit->gate, &visit->hold);
    return NULL;
}

static void *enters_and_leaves(void *data)
{
    struct visit *visit = data;
    visit->error = admit_gate_enter(visit->gate, &visit->hold);
    if (visit->error == ADMIT_OK)
        visit->error = admit_gate_leave(visit->gate, &visit->hold);
    return NULL;
}

static void *leaves_for_another(void *data)
{
    struct visit *visit = data;
    visit->error = admit_gate_leave(visit->gate, &visit->hold);
    return NULL;
}

static void run_thread(void *(*what)(void *), struct visit *visit)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, what, visit), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void a_thread_that_ends_inside_has_died(void **state)
{
    (void)state;
    struct visit visit = {.gate = new_gate(1)};
    admit_hold hold;
    run_thread(enters_and_ends, &visit);
    assert_int_equal(visit.error, ADMIT_OK);
    assert_enters(visit.gate, &hold);
    assert_true(hold.owner_died);
    assert_int_equal(admit_gate_leave(visit.gate, &hold), ADMIT_OK);
    admit_gate_close(visit.gate);
}

/* More threads, one after the other, than the gate has records. */
static void threads_that_end_outside_give_their_records_back(void **state)
{
    (void)state;
    struct visit visit = {.gate = new_gate(1)};
    for (unsigned t = 0; t < 100; t++) {
        run_thread(enters_and_leaves, &visit);
        assert_int_equal(visit.error, ADMIT_OK);
        assert_false(visit.hold.owner_died);
    }
    admit_view *view = admit_gate_inspect(visit.gate);
    assert_int_equal(view->recovered, 0);
    admit_view_free(view);
    admit_gate_close(visit.gate);
}

/* Every call that opens or closes something, or may; by a process that is to be cancelled as soon as it can be. */
static void *is_cancelled_afterwards(void *data)
{
    struct visit *visit = data;
    pthread_cancel(pthread_self());
    admit_gate *gate = admit_gate_open_with("cancelled", &(admit_gate_options){.k = 1, .most_k = 2});
    if (gate == NULL)
        return NULL;
    visit->error = admit_gate_enter(gate, &visit->hold) + admit_gate_bequeath(gate, &visit->hold, 1) +
                   admit_gate_await_heirs(gate, &visit->hold) + admit_gate_leave(gate, &visit->hold) +
                   admit_gate_resize(gate, 2) + admit_gate_enter(gate, &visit->hold) + admit_gate_resize(gate, 1) +
                   admit_gate_leave(gate, &visit->hold);
    admit_view_free(admit_gate_inspect(gate));
    admit_gate_close(gate);
    visit->error += admit_gate_remove("cancelled", 0);
    int could_be; /* as before; but sanitizers do not like a thread that is cancelled */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &could_be);
    return could_be == PTHREAD_CANCEL_ENABLE ? visit : NULL;
}

static void no_call_is_a_cancellation_point(void **state)
{
    (void)state;
    struct visit visit = {0};
    pthread_t thread;
    void *result;
    assert_int_equal(pthread_create(&thread, NULL, is_cancelled_afterwards, &visit), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, &visit);
    assert_int_equal(visit.error, ADMIT_OK);
}

static void only_the_thread_that_entered_can_leave(void **state)
{
    (void)state;
    struct visit visit = {.gate = new_gate(1)};
    assert_enters(visit.gate, &visit.hold);
    run_thread(leaves_for_another, &visit);
    assert_int_equal(visit.error, ADMIT_NOT_HOLDING);
    admit_hold stale = visit.hold;
    assert_int_equal(admit_gate_leave(visit.gate, &visit.hold), ADMIT_OK);
    assert_int_equal(admit_gate_leave(visit.gate, &stale), ADMIT_NOT_HOLDING);
    assert_enters(visit.gate, &visit.hold);
    assert_int_equal(admit_gate_leave(visit.gate, &stale), ADMIT_NOT_HOLDING);
    assert_int_equal(admit_gate_leave(visit.gate, &visit.hold), ADMIT_OK);
    admit_gate_close(visit.gate);
}

static void a_thread_can_be_inside_twice(void **state)
{
    (void)state;
    admit_gate *gate = new_gate(2), *other = new_gate(1);
    admit_hold one, two, three;
    assert_enters(gate, &one);
    assert_enters(gate, &two);
    assert_enters(other, &three);
    assert_int_not_equal(one.slot, two.slot);
    assert_int_equal(admit_gate_leave(gate, &one), ADMIT_OK);
    assert_int_equal(admit_gate_leave(gate, &two), ADMIT_OK);
    assert_int_equal(admit_gate_leave(other, &three), ADMIT_OK);
    admit_gate_close(gate);
    admit_gate_close(other);
}

static int status_of(pid_t child)
{
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + status;
}

/* One that was not anchored was killed while it took a record, or gave it back: it may be on the list of a thread with
 * this number. */
static void a_listed_record_is_for_other_numbers(void **state)
{
    (void)state;
    static const uint32_t was[] = {LIFE_NOBODY, LIFE_JUDGED};
    for (unsigned w = 0; w < 2; w++) {
        admit_gate *gate = new_gate(2);
        admit_hold hold;
        atomic_store(&gate->header->present, 1);
        struct life_words listed = {.word = (uint32_t)gettid(), .anchor = 1};
        uint64_t both;
        memcpy(&both, &listed, sizeof both);
        atomic_store(&person_of(gate, 0)->listed, both);
        atomic_store(life_of(gate, 0), was[w]);
        assert_enters(gate, &hold);
        assert_int_equal(gate->spot[hold.slot].who - 1, 1);
        pid_t child = fork();
        if (child == 0)
            _exit(admit_gate_enter(gate, &hold) == ADMIT_OK && gate->spot[hold.slot].who - 1 == 0 &&
                          admit_gate_leave(gate, &hold) == ADMIT_OK
                      ? 0
                      : 1);
        assert_int_equal(status_of(child), 0);
        assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
        assert_all_slots_are_there(gate, 2);
        admit_gate_close(gate);
    }
}

/* A process that takes a dead one's place and gets no further keeps nobody from what the dead one held. */
static void a_newcomer_that_stops_holds_nothing_up(void **state)
{
    (void)state;
    admit_gate *gate = new_gate(1);
    admit_hold hold;
    int told[2];
    assert_int_equal(pipe(told), 0);
    pid_t holder = fork();
    if (holder == 0) {
        if (admit_gate_enter(gate, &hold) == ADMIT_OK)
            say(told[1]);
        pause();
        _exit(0);
    }
    assert_true(hear(told[0]));
    kill(holder, SIGKILL);
    waitpid(holder, NULL, 0);
    assert_true(admit_is_dead_now(gate, 0));
    pid_t newcomer = fork();
    if (newcomer == 0) {
        bool failed;
        if (admit_life_claim(gate, 0, LIFE_JUDGED, &failed) != NULL)
            say(told[1]);
        pause();
        _exit(0);
    }
    assert_true(hear(told[0]));
    assert_int_equal(enter_within(gate, &hold, 10000), ADMIT_OK);
    assert_true(hold.owner_died);
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    kill(newcomer, SIGKILL);
    waitpid(newcomer, NULL, 0);
    assert_true(admit_is_dead_now(gate, 0));
    assert_all_slots_are_there(gate, 1);
    close(told[0]), close(told[1]);
    admit_gate_close(gate);
}

static void a_forked_child_holds_nothing(void **state)
{
    (void)state;
    admit_gate *gate = new_gate(1);
    admit_hold hold;
    assert_enters(gate, &hold);
    pid_t child = fork();
    if (child == 0) {
        admit_hold own;
        if (admit_gate_leave(gate, &hold) != ADMIT_NOT_HOLDING)
            _exit(1);
        if (admit_gate_try(gate, &own) != ADMIT_NO_SLOT)
            _exit(2);
        _exit(0);
    }
    assert_int_equal(status_of(child), 0); /* and its end is no death of its parent */
    assert_int_equal(admit_gate_try(gate, &(admit_hold){0}), ADMIT_NO_SLOT);
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    child = fork();
    if (child == 0)
        _exit(admit_gate_enter(gate, &hold) != ADMIT_OK ? 1 : admit_gate_leave(gate, &hold) != ADMIT_OK ? 2 : 0);
    assert_int_equal(status_of(child), 0);
    assert_all_slots_are_there(gate, 1);
    admit_gate_close(gate);
}

static void exec_ends_the_hold(void **state)
{
    (void)state;
    admit_gate *gate = new_gate(1);
    admit_hold hold;
    int told[2];
    assert_int_equal(pipe(told), 0);
    pid_t child = fork();
    if (child == 0) {
        if (admit_gate_enter(gate, &hold) != ADMIT_OK)
            _exit(1);
        say(told[1]);
        execlp("sleep", "sleep", "10", (char *)NULL);
        _exit(2);
    }
    assert_true(hear(told[0]));
    assert_int_equal(enter_within(gate, &hold, 5000), ADMIT_OK); /* while sleep runs */
    assert_true(hold.owner_died);
    assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    admit_gate_leave(gate, &hold);
    close(told[0]), close(told[1]);
    admit_gate_close(gate);
}

/* Until the first thread of its process has ended. It is not joined: with musl that waits for ever in a forked child. */
static void *outlives(void *unused)
{
    for (char state = '?'; state != 'Z';) {
        char text[1024] = "";
        FILE *stat = fopen("/proc/self/stat", "r");
        const char *name_ends = stat != NULL && fgets(text, sizeof text, stat) != NULL ? strrchr(text, ')') : NULL;
        if (name_ends == NULL)
            _exit(2);
        state = name_ends[2];
        fclose(stat);
        sched_yield();
    }
    _exit(0);
    return unused;
}

/* With musl a child has a list as that of the thread which forked it, and walks it when that thread ends. */
static void a_thread_of_a_forked_child_ends_alone(void **state)
{
    (void)state;
    admit_hold hold, other;
    admit_gate *gate = new_gate(1);
    assert_enters(gate, &hold);
    for (unsigned takes_part = 0; takes_part < 2; takes_part++) {
        pid_t child = fork();
        if (child == 0) {
            pthread_t last;
            if (takes_part && admit_gate_try(gate, &other) != ADMIT_NO_SLOT)
                _exit(3);
            if (pthread_create(&last, NULL, outlives, NULL) != 0)
                _exit(1);
            pthread_exit(NULL);
        }
        assert_int_equal(status_of(child), 0);
        assert_int_equal(admit_gate_try(gate, &other), ADMIT_NO_SLOT);
    }
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    assert_all_slots_are_there(gate, 1);
    admit_gate_close(gate);
}

/* The program's own robust mutexes and ours are on one list. */
static void robust_mutexes_of_the_program_keep_working(void **state)
{
    (void)state;
    enum { MUTEXES = 4 };
    pthread_mutex_t *mutex = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t robust;
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setpshared(&robust, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    for (unsigned m = 0; m < MUTEXES; m++)
        pthread_mutex_init(&mutex[m], &robust);
    for (unsigned order = 0; order < 4; order++) {
        admit_gate *gate = new_gate(1), *other = new_gate(1);
        pid_t child = fork();
        if (child == 0) {
            admit_hold hold, more;
            pthread_mutex_lock(&mutex[0]);
            admit_gate_enter(gate, &hold);
            pthread_mutex_lock(&mutex[1]);
            admit_gate_enter(other, &more);
            pthread_mutex_lock(&mutex[2]);
            if (order & 1)
                pthread_mutex_unlock(&mutex[1]);
            if (order & 2) {
                admit_gate_leave(gate, &hold);
                admit_gate_close(gate);
            }
            _exit(0);
        }
        assert_int_equal(status_of(child), 0);
        for (unsigned m = 0; m < MUTEXES; m++) {
            bool dead = m != 3 && !(m == 1 && (order & 1));
            assert_int_equal(pthread_mutex_lock(&mutex[m]), dead ? EOWNERDEAD : 0);
            if (dead)
                pthread_mutex_consistent(&mutex[m]);
            pthread_mutex_unlock(&mutex[m]);
        }
        admit_hold hold;
        assert_enters(other, &hold);
        assert_true(hold.owner_died);
        admit_gate_leave(other, &hold);
        assert_enters(gate, &hold);
        assert_int_equal(hold.owner_died, !(order & 2));
        admit_gate_leave(gate, &hold);
        admit_gate_close(gate);
        admit_gate_close(other);
    }
    munmap(mutex, 4096);
}

/* --- commands ----------------------------------------------------------------------------------------------------- */

enum moment { BEFORE_FORK, BEFORE_INHERIT, AFTER_INHERIT, AFTER_EXEC };

/* A starter that is killed at this moment. The command's end is the end of the pipe. */
static pid_t start_wrapper(admit_gate *gate, enum moment moment, int told, int alive, bool with_children)
{
    pid_t wrapper = fork();
    if (wrapper != 0)
        return wrapper;
    admit_hold hold;
    if (admit_gate_enter(gate, &hold) != ADMIT_OK || admit_gate_bequeath(gate, &hold, with_children) != ADMIT_OK)
        _exit(1);
    if (moment == BEFORE_FORK) {
        say(told);
        pause();
    }
    pid_t command = fork();
    if (command == 0) {
        if (moment == BEFORE_INHERIT) {
            uint64_t recovered = atomic_load(&gate->header->recovered);
            say(told);
            while (atomic_load(&gate->header->recovered) == recovered) /* until the starter is dead, and recovered */
                usleep(100);
        }
        if (admit_gate_inherit(gate, &hold) != ADMIT_OK)
            _exit(125);
        if (moment == AFTER_INHERIT) {
            say(told);
            usleep(1000000);
            _exit(0);
        }
        fcntl(alive, F_SETFD, 0);
        say(told);
        if (with_children)
            execlp("sh", "sh", "-c", "sleep 1 & exit 0", (char *)NULL);
        else
            execlp("sh", "sh", "-c", "sleep 1; exit 0", (char *)NULL);
        _exit(2);
    }
    waitpid(command, NULL, 0);
    pause();
    _exit(0);
}

/* The next one goes in when nobody holds any more, and not before. */
static void kill_starter(admit_gate *gate, enum moment moment, bool with_children)
{
    int told[2], alive[2];
    admit_hold hold;
    assert_int_equal(pipe(told), 0);
    assert_int_equal(pipe2(alive, O_CLOEXEC), 0);
    pid_t wrapper = start_wrapper(gate, moment, told[1], alive[1], with_children);
    close(told[1]), close(alive[1]);
    assert_true(hear(told[0]));
    if (with_children)
        usleep(50000); /* the shell has ended, and sleep holds on */
    kill(wrapper, SIGKILL);
    waitpid(wrapper, NULL, 0);
    assert_int_equal(admit_gate_try(gate, &hold), moment <= BEFORE_INHERIT ? ADMIT_OK : ADMIT_NO_SLOT);
    if (moment > BEFORE_INHERIT) {
        admit_view *view = admit_gate_inspect(gate);
        assert_int_equal(view->holders, 1);
        assert_int_equal(view->holder[0].condition, ADMIT_ORPHAN);
        admit_view_free(view);
        assert_enters(gate, &hold);
    }
    assert_true(hold.owner_died);
    char byte;
    assert_int_equal(read(alive[0], &byte, 1), 0); /* nobody has it open: the command has ended, or never ran */
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    close(told[0]), close(alive[0]);
}

static void a_command_holds_however_its_starter_dies(void **state)
{
    (void)state;
    admit_gate *gate = new_gate(1);
    kill_starter(gate, BEFORE_FORK, false);
    kill_starter(gate, BEFORE_INHERIT, false);
    kill_starter(gate, AFTER_INHERIT, false);
    kill_starter(gate, AFTER_EXEC, false);
    assert_all_slots_are_there(gate, 1);
    admit_gate_close(gate);
}

static void children_of_a_command_hold_if_asked_to(void **state)
{
    (void)state;
    admit_gate *gate = new_gate(1);
    kill_starter(gate, AFTER_EXEC, true);
    assert_all_slots_are_there(gate, 1);

    admit_hold hold; /* and with the starter alive */
    assert_enters(gate, &hold);
    assert_int_equal(admit_gate_bequeath(gate, &hold, 1), ADMIT_OK);
    uint64_t before = monotonic_ns();
    pid_t command = fork();
    if (command == 0) {
        if (admit_gate_inherit(gate, &hold) != ADMIT_OK)
            _exit(125);
        execlp("sh", "sh", "-c", "sleep 0.3 & exit 0", (char *)NULL);
    }
    assert_int_equal(status_of(command), 0);
    assert_int_equal(admit_gate_await_heirs(gate, &hold), ADMIT_OK);
    assert_true(monotonic_ns() - before > 200000000);
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    assert_all_slots_are_there(gate, 1);
    admit_gate_close(gate);
}

/* The starter gives its handle back; the command has ended: nobody holds. */
static void a_closed_handle_does_not_hold_for_children(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_open("closed", 1);
    admit_hold hold;
    assert_enters(gate, &hold);
    assert_int_equal(admit_gate_bequeath(gate, &hold, 1), ADMIT_OK);
    pid_t command = fork();
    if (command == 0)
        _exit(admit_gate_inherit(gate, &hold));
    assert_int_equal(status_of(command), 0);
    admit_gate_close(gate);
    gate = admit_gate_open("closed", 1);
    assert_int_equal(enter_within(gate, &hold, 20000), ADMIT_OK);
    assert_true(hold.owner_died);
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    admit_gate_close(gate);
    assert_int_equal(admit_gate_remove("closed", 0), ADMIT_OK);
}

static void a_hold_is_inherited_once_and_only_with_permission(void **state)
{
    (void)state;
    admit_gate *gate = new_gate(1);
    admit_hold hold;
    assert_enters(gate, &hold);
    for (int attempt = 0; attempt < 3; attempt++) {
        pid_t child = vfork();
        if (child == 0)
            _exit(admit_gate_inherit(gate, &hold) == ADMIT_OK ? 0 : 1);
        assert_int_equal(status_of(child), attempt == 1 ? 0 : 1);
        if (attempt == 0)
            assert_int_equal(admit_gate_bequeath(gate, &hold, 0), ADMIT_OK);
    }
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    pid_t child = vfork();
    if (child == 0)
        _exit(admit_gate_inherit(gate, &hold) == ADMIT_OK ? 0 : 1);
    assert_int_equal(status_of(child), 1);
    admit_gate_close(gate);
}

static void a_handle_that_looks_only_does_not_inherit(void **state)
{
    (void)state;
    for (int with_children = 0; with_children < 2; with_children++) {
        admit_hold hold;
        admit_gate *gate = admit_gate_open("looked-at", 1);
        admit_gate *looks = admit_gate_open_with("looked-at", &(admit_gate_options){.look_only = 1});
        assert_non_null(looks);
        assert_enters(gate, &hold);
        assert_int_equal(admit_gate_bequeath(gate, &hold, with_children), ADMIT_OK);
        pid_t child = fork();
        if (child == 0) {
            signal(SIGSEGV, SIG_DFL); /* cmocka would go on with the next case */
            _exit(admit_gate_inherit(looks, &hold));
        }
        assert_int_equal(status_of(child), ADMIT_NO_PERMISSION);
        child = fork(); /* nothing has changed */
        if (child == 0)
            _exit(admit_gate_inherit(gate, &hold));
        assert_int_equal(status_of(child), ADMIT_OK);
        assert_int_equal(admit_gate_await_heirs(gate, &hold), ADMIT_OK);
        assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
        assert_all_slots_are_there(gate, 1);
        admit_gate_close(looks);
        admit_gate_close(gate);
        assert_int_equal(admit_gate_remove("looked-at", 0), ADMIT_OK);
    }
}

struct start {
    admit_gate *gate;
    int with_children;
    bool by_vfork;
    int status; /* of the command */
};

enum { INHERITED = 42 };

static void *starts_while_it_is_cancelled(void *data)
{
    struct start *start = data;
    admit_hold hold;
    if (admit_gate_enter(start->gate, &hold) != ADMIT_OK ||
        admit_gate_bequeath(start->gate, &hold, start->with_children) != ADMIT_OK)
        return NULL;
    pthread_cancel(pthread_self());
    pid_t command = start->by_vfork ? vfork() : fork();
    if (command == 0)
        _exit(admit_gate_inherit(start->gate, &hold) == ADMIT_OK ? INHERITED : 1);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    if (waitpid(command, &start->status, 0) == command &&
        admit_gate_await_heirs(start->gate, &hold) + admit_gate_leave(start->gate, &hold) != ADMIT_OK)
        start->status = -1;
    return NULL;
}

/* A vforked child is its starter's thread: if it were cancelled, nothing would be right any more. Hence in a child. */
static void to_inherit_is_no_cancellation_point(void **state)
{
    (void)state;
    for (unsigned how = 0; how < 4; how++) {
        struct start start = {.gate = new_gate(1), .with_children = how & 1, .by_vfork = how & 2, .status = -1};
        pid_t child = fork();
        if (child == 0) {
            pthread_t thread;
            alarm(60);
            signal(SIGSEGV, SIG_DFL);
            if (pthread_create(&thread, NULL, starts_while_it_is_cancelled, &start) != 0 ||
                pthread_join(thread, NULL) != 0)
                _exit(2);
            _exit(WIFEXITED(start.status) && WEXITSTATUS(start.status) == INHERITED ? INHERITED : 3);
        }
        int status = status_of(child);
        if (status != INHERITED)
            fail_msg("%s, %s children: %d", start.by_vfork ? "vfork" : "fork", start.with_children ? "with" : "without",
                     status);
        assert_all_slots_are_there(start.gate, 1);
        admit_gate_close(start.gate);
    }
}

int main(void)
{
    test_directory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_holder_is_followed_and_named),
        cmocka_unit_test(a_thread_that_ends_inside_has_died),
        cmocka_unit_test(threads_that_end_outside_give_their_records_back),
        cmocka_unit_test(no_call_is_a_cancellation_point),
        cmocka_unit_test(only_the_thread_that_entered_can_leave),
        cmocka_unit_test(a_thread_can_be_inside_twice),
        cmocka_unit_test(a_listed_record_is_for_other_numbers),
        cmocka_unit_test(a_newcomer_that_stops_holds_nothing_up),
        cmocka_unit_test(a_forked_child_holds_nothing),
        cmocka_unit_test(a_thread_of_a_forked_child_ends_alone),
        cmocka_unit_test(exec_ends_the_hold),
        cmocka_unit_test(robust_mutexes_of_the_program_keep_working),
        cmocka_unit_test(a_command_holds_however_its_starter_dies),
        cmocka_unit_test(children_of_a_command_hold_if_asked_to),
        cmocka_unit_test(a_closed_handle_does_not_hold_for_children),
        cmocka_unit_test(a_hold_is_inherited_once_and_only_with_permission),
        cmocka_unit_test(a_handle_that_looks_only_does_not_inherit),
        cmocka_unit_test(to_inherit_is_no_cancellation_point),
    };
    int failed = cmocka_run_group_tests_name("gate owner", tests, NULL, NULL);
    remove_test_directory();
    return failed;
}
