/* SPDX-License-Identifier: MIT
 *
 * More who want to take part than a gate has records: those outside wait for one, in order, and whatever happens to one of
 * them holds up nobody else.
 */
#include "gate_witness.h"

#include "gate/calls/calls.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static void *shared_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    return memory;
}

static unsigned outside_now(admit_gate *gate)
{
    admit_view *view = admit_gate_inspect(gate);
    unsigned outside = view->outside;
    admit_view_free(view);
    return outside;
}

static void await_outside(admit_gate *gate, unsigned many)
{
    while (outside_now(gate) != many)
        usleep(200);
}

static int status_of(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void kill_child(pid_t child)
{
    assert_int_equal(kill(child, SIGKILL), 0);
    status_of(child);
}

/* By its state, the third field. */
static bool is_asleep(pid_t child)
{
    char path[40], text[256] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)child);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    const char *name_ends = length > 0 ? strrchr(text, ')') : NULL;
    return name_ends != NULL && name_ends[2] == 'S';
}

enum { OUTSIDE = 6 };

/* A gate for two, one inside and one in line: both children, so that their records are free when they have ended. */
struct full_gate {
    admit_gate *gate;
    int go[2];
    pid_t inside, in_line;
    struct order {
        _Atomic unsigned count;
        unsigned who[OUTSIDE];
    } * order;
};

static _Noreturn void pass(struct full_gate *full, int number)
{
    admit_hold hold;
    if (admit_gate_enter(full->gate, &hold) != ADMIT_OK)
        _exit(1);
    if (number < 0 && !hear(full->go[0]))
        _exit(2);
    if (number >= 0)
        full->order->who[atomic_fetch_add(&full->order->count, 1)] = (unsigned)number;
    _exit(admit_gate_leave(full->gate, &hold) == ADMIT_OK ? 0 : 3);
}

static pid_t start_to_pass(struct full_gate *full, int number)
{
    pid_t child = fork();
    if (child == 0)
        pass(full, number);
    return child;
}

static struct full_gate fill_gate(void)
{
    struct full_gate full = {.gate =
                                 admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = 2}),
                             .order = shared_memory(sizeof *full.order)};
    admit_view *view;
    assert_non_null(full.gate);
    assert_int_equal(pipe(full.go), 0);
    full.inside = start_to_pass(&full, -1);
    for (unsigned inside = 0; inside == 0; usleep(200)) {
        view = admit_gate_inspect(full.gate);
        inside = view->holders;
        admit_view_free(view);
    }
    full.in_line = start_to_pass(&full, -1);
    while (waiters_of(full.gate) == 0)
        usleep(200);
    return full;
}

/* Both pass. */
static void let_go(struct full_gate *full)
{
    say(full->go[1]), say(full->go[1]);
    assert_int_equal(status_of(full->inside), 0);
    assert_int_equal(status_of(full->in_line), 0);
}

static void clear_gate(struct full_gate *full)
{
    assert_int_equal(outside_now(full->gate), 0);
    assert_all_slots_are_there(full->gate, 1);
    admit_gate_close(full->gate);
    close(full->go[0]), close(full->go[1]);
    munmap(full->order, sizeof *full->order);
}

static void those_outside_come_in_order(void **state)
{
    (void)state;
    struct full_gate full = fill_gate();
    pid_t child[OUTSIDE];
    for (int c = 0; c < OUTSIDE; c++) {
        child[c] = start_to_pass(&full, c);
        await_outside(full.gate, (unsigned)c + 1);
        while (!is_asleep(child[c])) /* in the kernel's queue */
            usleep(200);
    }
    assert_int_equal(admit_gate_waiters(full.gate), 1 + OUTSIDE);
    let_go(&full);
    for (unsigned c = 0; c < OUTSIDE; c++)
        assert_int_equal(status_of(child[c]), 0);
    for (unsigned c = 0; c < OUTSIDE; c++)
        assert_int_equal(full.order->who[c], c);
    clear_gate(&full);
}

/* The first, who looks for all of them, one behind it, and at last all. */
static void killed_ones_hold_up_nobody(void **state)
{
    (void)state;
    for (unsigned all = 0; all < 2; all++) {
        struct full_gate full = fill_gate();
        pid_t child[OUTSIDE];
        for (int c = 0; c < OUTSIDE; c++) {
            child[c] = start_to_pass(&full, c);
            await_outside(full.gate, (unsigned)c + 1);
        }
        for (unsigned c = 0; c < OUTSIDE; c++)
            if (all || c == 0 || c == 2)
                kill_child(child[c]);
        let_go(&full);
        for (unsigned c = 0; c < OUTSIDE; c++)
            if (!all && c != 0 && c != 2)
                assert_int_equal(status_of(child[c]), 0);
        assert_int_equal(status_of(start_to_pass(&full, OUTSIDE - 1)), 0);
        clear_gate(&full);
    }
}

/* Nobody tells of these two: the first outside looks by itself. */
static void a_record_of_a_dead_or_of_a_passed_one_is_found(void **state)
{
    (void)state;
    struct full_gate full = fill_gate();
    pid_t child = start_to_pass(&full, 0);
    await_outside(full.gate, 1);
    kill_child(full.in_line); /* its place is passed when the one inside has left */
    say(full.go[1]);
    assert_int_equal(status_of(full.inside), 0);
    assert_int_equal(status_of(child), 0);
    clear_gate(&full);

    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = 2});
    admit_hold hold;
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    child = fork();
    if (child == 0) { /* gives up a place, and ends: its record is in line until that is passed */
        struct timespec now = {0};
        clock_gettime(CLOCK_MONOTONIC, &now);
        now.tv_sec += now.tv_nsec / 500000000;
        now.tv_nsec = (now.tv_nsec + 500000000) % 1000000000;
        _exit(admit_gate_enter_until(gate, &hold, &now) == ADMIT_TIMED_OUT ? 0 : 1);
    }
    assert_int_equal(status_of(child), 0);
    child = fork();
    if (child == 0)
        _exit(admit_gate_enter(gate, &hold) == ADMIT_OK && admit_gate_leave(gate, &hold) == ADMIT_OK ? 0 : 1);
    await_outside(gate, 1);
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    assert_int_equal(status_of(child), 0);
    assert_all_slots_are_there(gate, 1);
    admit_gate_close(gate);
}

static void nobody_goes_before_them(void **state)
{
    (void)state;
    struct full_gate full = fill_gate();
    admit_hold hold;
    assert_int_equal(admit_gate_try(full.gate, &hold), ADMIT_FULL);
    pid_t child = start_to_pass(&full, 0);
    await_outside(full.gate, 1);
    assert_int_equal(admit_gate_try(full.gate, &hold), ADMIT_NO_SLOT);
    let_go(&full);
    assert_int_equal(status_of(child), 0);
    clear_gate(&full);
}

/* --- who is called to be the first -------------------------------------------------------------------------------- */

static pid_t start_asleep_on(const _Atomic uint32_t *word)
{
    const uint32_t value = atomic_load(word);
    pid_t child = fork();
    if (child == 0) {
        syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
        _exit(0);
    }
    while (!is_asleep(child))
        usleep(200);
    return child;
}

static pid_t start_asleep_behind_the_first(admit_gate *gate)
{
    return start_asleep_on(life_of(gate, usher_of(gate)));
}

/* One has come to wait outside, when it has a record. */
static void *passes_and_ends(void *data)
{
    admit_gate *gate = data;
    admit_hold hold;
    bool passes = admit_gate_enter(gate, &hold) == ADMIT_OK && admit_gate_leave(gate, &hold) == ADMIT_OK;
    atomic_store(&gate->header->outside, 1);
    return passes ? gate : NULL;
}

/* The first of them need not wait for its next look: it is woken, since it cannot be among those asleep behind it. Here a
 * thread has ended that had a record. */
static void the_first_is_told_of_a_record(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = 2});
    assert_non_null(gate);
    pthread_t thread;
    void *passed;
    pid_t first = start_asleep_on(&gate->header->vacated);
    assert_int_equal(pthread_create(&thread, NULL, passes_and_ends, gate), 0);
    assert_int_equal(pthread_join(thread, &passed), 0);
    assert_ptr_equal(passed, gate);
    assert_int_equal(status_of(first), 0);
    admit_gate_close(gate);
}

/* Whoever is woken has lost its rank. A record that is freed before the one that was called has taken the post wakes no
 * other; one that is freed long after does. (This process may be held up for so long: so it has some tries.) */
static void one_is_called_at_a_time(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = 2});
    assert_non_null(gate);
    atomic_store(&gate->header->outside, 2);
    bool sleeps_on = false;
    pid_t child = 0;
    for (unsigned tries = 0; tries < 10 && !sleeps_on; tries++) {
        child = start_asleep_behind_the_first(gate);
        atomic_store(&gate->header->called_at, admit_now());
        admit_vacated(gate);
        usleep(50000);
        sleeps_on = waitpid(child, NULL, WNOHANG) == 0;
    }
    assert_true(sleeps_on);
    atomic_store(&gate->header->called_at, 0);
    admit_vacated(gate);
    assert_int_equal(status_of(child), 0);
    admit_gate_close(gate);
}

/* As one whose memory was taken away before the kernel could mark its death: of its anchor there is no lock. */
static void the_second_look_is_at_the_first_too(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = 2});
    assert_non_null(gate);
    atomic_store(&gate->header->outside, 2);
    struct life_words *first = whole_life_of(gate, usher_of(gate));
    first->anchor = UINT32_C(0x80000000) | 1000000;
    atomic_store(&first->word, UINT32_C(1000000) | FUTEX_WAITERS);
    assert_true(admit_second_look(gate, true));
    assert_int_equal(atomic_load(&first->word), (uint32_t)LIFE_MARKED);
    admit_gate_close(gate);
}

/* Nor does everybody who waits take it at once: it is for one of all, now and then. (This process may be held up for so
 * long that it is due again: so it has some tries.) */
static void the_second_look_is_taken_by_one_of_all(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = 2});
    assert_non_null(gate);
    bool again = true;
    for (unsigned tries = 0; tries < 10 && again; tries++) {
        atomic_store(&gate->header->looked_at, 0);
        assert_true(admit_second_look(gate, false));
        again = admit_second_look(gate, false);
    }
    assert_false(again);
    admit_gate_close(gate);
}

/* --- what ends their wait ----------------------------------------------------------------------------------------- */

static void a_removal_reaches_them(void **state)
{
    (void)state;
    admit_hold hold;
    test_directory();
    admit_gate *gate = admit_gate_open_with("outside", &(admit_gate_options){.k = 1, .most_k = 1, .capacity = 1});
    assert_non_null(gate);
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    pid_t child[2];
    for (unsigned c = 0; c < 2; c++) {
        child[c] = fork();
        if (child[c] == 0)
            _exit(admit_gate_enter(gate, &hold) == ADMIT_REMOVED ? 0 : 1);
        await_outside(gate, c + 1);
    }
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK); /* this thread has the only record still */
    assert_int_equal(admit_gate_remove("outside", 0), ADMIT_BUSY);
    assert_non_null(strstr(admit_last_error_text(), "2 more"));
    assert_int_equal(admit_gate_remove("outside", 1), ADMIT_OK);
    for (unsigned c = 0; c < 2; c++)
        assert_int_equal(status_of(child[c]), 0);
    admit_gate_close(gate);
}

struct visit {
    admit_gate *gate;
    _Atomic unsigned place;
    bool ends;
    _Atomic bool goes_on;
    admit_error error;
};

static int notes_place(void *data, unsigned place)
{
    struct visit *visit = data;
    atomic_store(&visit->place, place);
    while (visit->ends && !atomic_load(&visit->goes_on))
        usleep(200);
    if (visit->ends)
        pthread_exit(NULL);
    return 0;
}

static void *visits(void *data)
{
    struct visit *visit = data;
    admit_hold hold;
    visit->error = admit_gate_enter_with(visit->gate, &hold,
                                         &(admit_wait){.waiting = notes_place, .data = visit, .interruptible = 1});
    return NULL;
}

static void an_interrupt_reaches_them(void **state)
{
    (void)state;
    struct full_gate full = fill_gate();
    struct visit visit[2] = {{.gate = full.gate}, {.gate = full.gate}};
    pthread_t thread[2];
    for (unsigned t = 0; t < 2; t++) {
        pthread_create(&thread[t], NULL, visits, &visit[t]);
        await_outside(full.gate, t + 1);
        while (atomic_load(&visit[t].place) == 0)
            usleep(200);
        assert_int_equal(atomic_load(&visit[t].place), 2); /* behind the one in line */
    }
    admit_gate_interrupt(full.gate);
    for (unsigned t = 0; t < 2; t++) {
        pthread_join(thread[t], NULL);
        assert_int_equal(visit[t].error, ADMIT_INTERRUPTED);
    }
    let_go(&full);
    clear_gate(&full);
}

/* A thread that ends while it is the first outside, in a process that lives on. */
static void a_thread_that_ends_outside_holds_up_nobody(void **state)
{
    (void)state;
    struct full_gate full = fill_gate();
    struct visit visit = {.gate = full.gate, .ends = true};
    pthread_t thread;
    pthread_create(&thread, NULL, visits, &visit);
    await_outside(full.gate, 1);
    pid_t child = start_to_pass(&full, 0);
    await_outside(full.gate, 2);
    atomic_store(&visit.goes_on, true);
    pthread_join(thread, NULL);
    let_go(&full);
    assert_int_equal(status_of(child), 0);
    clear_gate(&full);
}

/* --- threads that do nothing -------------------------------------------------------------------------------------- */

enum passage { ENTERS, TRIES, ENTERS_FOR_ANY_THREAD };

struct idler {
    admit_gate *gate;
    admit_hold hold;
    pthread_t thread;
    pthread_barrier_t *all_have_passed;
    enum passage passage;
    bool passed;
};

/* It lives on, and does nothing more, until all have been inside. */
static void *passes_once(void *data)
{
    struct idler *idler = data;
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += 60;
    const admit_wait wait = {.until = &deadline, .any_thread = idler->passage == ENTERS_FOR_ANY_THREAD};
    admit_error error;
    do
        error = idler->passage == TRIES ? admit_gate_try(idler->gate, &idler->hold)
                                        : admit_gate_enter_with(idler->gate, &idler->hold, &wait);
    while (error == ADMIT_NO_SLOT || error == ADMIT_FULL);
    idler->passed = error == ADMIT_OK && admit_gate_leave(idler->gate, &idler->hold) == ADMIT_OK;
    pthread_barrier_wait(idler->all_have_passed);
    return NULL;
}

enum { IDLERS = 20 };

static void all_pass(unsigned k, enum passage passage)
{
    struct idler idlers[IDLERS];
    pthread_barrier_t all_have_passed;
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = k, .most_k = k, .capacity = 4});
    assert_non_null(gate);
    pthread_barrier_init(&all_have_passed, NULL, IDLERS);
    for (unsigned t = 0; t < IDLERS; t++) {
        idlers[t] = (struct idler){.gate = gate, .all_have_passed = &all_have_passed, .passage = passage};
        assert_int_equal(pthread_create(&idlers[t].thread, NULL, passes_once, &idlers[t]), 0);
    }
    for (unsigned t = 0; t < IDLERS; t++) {
        pthread_join(idlers[t].thread, NULL);
        assert_true(idlers[t].passed);
    }
    pthread_barrier_destroy(&all_have_passed);
    assert_all_slots_are_there(gate, k);
    admit_gate_close(gate);
}

/* There are more of them than the gate has records. */
static void threads_that_do_nothing_keep_nobody_out(void **state)
{
    (void)state;
    for (unsigned k = 1; k <= 2; k++) {
        all_pass(k, ENTERS);
        all_pass(k, TRIES);
        all_pass(k, ENTERS_FOR_ANY_THREAD);
    }
}

/* --- many, in and out, with kills --------------------------------------------------------------------------------- */

enum { CROWD = 40, SLOTS = 2 };

static _Noreturn void come_and_go(const char *name, struct gate_witness *witness, int file, const _Atomic bool *ends)
{
    while (!atomic_load(ends)) {
        admit_hold hold;
        admit_gate *gate = admit_gate_open(name, 0);
        if (gate == NULL || admit_gate_enter(gate, &hold) != ADMIT_OK)
            _exit(1);
        witness_enter(witness, file, hold.slot, SLOTS);
        usleep(200);
        witness_leave(file, hold.slot);
        if (admit_gate_leave(gate, &hold) != ADMIT_OK)
            _exit(2);
        admit_gate_close(gate);
    }
    _exit(0);
}

static void forty_come_and_go_where_there_is_room_for_four(void **state)
{
    (void)state;
    struct gate_witness *witness = make_gate_witness();
    _Atomic bool *ends = shared_memory(sizeof *ends);
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/witness", test_directory());
    int file = open_witness_file(path);
    assert_true(file >= 0);
    admit_gate *gate = admit_gate_open_with("crowd", &(admit_gate_options){.k = SLOTS, .capacity = 4});
    assert_non_null(gate);
    pid_t child[CROWD];
    uint64_t random = 88172645463325252u;
    for (unsigned c = 0; c < CROWD; c++)
        if ((child[c] = fork()) == 0)
            come_and_go("crowd", witness, file, ends);
    for (unsigned kills = 0; kills < unless_quick(300, 60); kills++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        unsigned victim = (random >> 20) % CROWD;
        usleep((random >> 40) % 5000);
        atomic_store(&witness->doomed[child[victim] % WITNESS_PIDS], true);
        kill_child(child[victim]); /* it stays doomed: whoever has just seen its lock may look later whether it is */
        if ((child[victim] = fork()) == 0)
            come_and_go("crowd", witness, file, ends);
        atomic_store(&witness->doomed[child[victim] % WITNESS_PIDS], false); /* the number may have been another's */
    }
    uint64_t entries = atomic_load(&witness->entries);
    while (atomic_load(&witness->entries) < entries + CROWD) /* they go on */
        usleep(1000);
    atomic_store(ends, true);
    for (unsigned c = 0; c < CROWD; c++)
        assert_int_equal(status_of(child[c]), 0);
    assert_int_equal(atomic_load(&witness->violations), 0);
    print_message("# %llu entries\n", (unsigned long long)atomic_load(&witness->entries));
    assert_int_equal(outside_now(gate), 0);
    assert_all_slots_are_there(gate, SLOTS);
    admit_gate_close(gate);
    assert_int_equal(admit_gate_remove("crowd", 0), ADMIT_OK);
    close(file);
    munmap(witness, sizeof *witness);
    munmap((void *)ends, sizeof *ends);
}

int main(void)
{
    test_directory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_outside_come_in_order),
        cmocka_unit_test(killed_ones_hold_up_nobody),
        cmocka_unit_test(a_record_of_a_dead_or_of_a_passed_one_is_found),
        cmocka_unit_test(nobody_goes_before_them),
        cmocka_unit_test(one_is_called_at_a_time),
        cmocka_unit_test(the_first_is_told_of_a_record),
        cmocka_unit_test(the_second_look_is_at_the_first_too),
        cmocka_unit_test(the_second_look_is_taken_by_one_of_all),
        cmocka_unit_test(a_removal_reaches_them),
        cmocka_unit_test(an_interrupt_reaches_them),
        cmocka_unit_test(a_thread_that_ends_outside_holds_up_nobody),
        cmocka_unit_test(threads_that_do_nothing_keep_nobody_out),
        cmocka_unit_test(forty_come_and_go_where_there_is_room_for_four),
    };
    int failed = cmocka_run_group_tests_name("gate outside", tests, NULL, NULL);
    remove_test_directory();
    return failed;
}
