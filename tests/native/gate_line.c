/* SPDX-License-Identifier: MIT
 *
 * The line: order of arrival, giving up, time-outs by the million, capacity, interruption; threads and processes mixed.
 */
#include "gate_witness.h"

#include "gate/calls/calls.h"
#include "registers/sleeping_native.h"

#include <pthread.h>

static admit_gate *new_gate(unsigned k, unsigned capacity)
{
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = k, .most_k = k, .capacity = capacity});
    assert_non_null(gate);
    return gate;
}

static struct timespec in_us(unsigned us)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_nsec += (long)us * 1000;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

struct visitor {
    admit_gate *gate;
    _Atomic unsigned *turn;
    admit_hold hold;
    unsigned when;
    pthread_t thread;
};

static void *visits_once(void *data)
{
    struct visitor *visitor = data;
    if (admit_gate_enter(visitor->gate, &visitor->hold) != ADMIT_OK)
        return NULL;
    visitor->when = atomic_fetch_add(visitor->turn, 1) + 1;
    admit_gate_leave(visitor->gate, &visitor->hold);
    return visitor;
}

static void who_comes_first_goes_in_first(void **state)
{
    (void)state;
    enum { VISITORS = 10 };
    admit_gate *gate = new_gate(1, VISITORS + 1);
    _Atomic unsigned turn = 0;
    struct visitor visitor[VISITORS];
    admit_hold hold;
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    for (unsigned v = 0; v < VISITORS; v++) {
        visitor[v] = (struct visitor){.gate = gate, .turn = &turn};
        pthread_create(&visitor[v].thread, NULL, visits_once, &visitor[v]);
        while (waiters_of(gate) <= v)
            sched_yield();
    }
    admit_view *view = admit_gate_inspect(gate);
    for (unsigned w = 0; w < view->waiters; w++) {
        assert_int_equal(view->waiter[w].place, w + 1);
        assert_int_equal(view->waiter[w].pid, getpid());
        assert_true(w == 0 || view->waiter[w].ticket == view->waiter[w - 1].ticket + 1);
    }
    admit_view_free(view);
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    for (unsigned v = 0; v < VISITORS; v++) {
        void *came;
        pthread_join(visitor[v].thread, &came);
        assert_non_null(came);
        assert_int_equal(visitor[v].when, v + 1);
    }
    admit_gate_close(gate);
}

/* A greedy one leaves only when somebody sleeps behind it, and goes in again at once, so often. With k = 1 whoever goes
 * in notes its ticket: if it is ever smaller than the last one's, somebody was overtaken. */
struct order {
    admit_gate *gate;
    uint64_t last, overtakes; /* written inside only */
    _Atomic uint64_t greedy, polite;
    _Atomic bool stop;
};

static void go_in_in_order(struct order *order, admit_hold *hold)
{
    if (admit_gate_enter(order->gate, hold) != ADMIT_OK)
        abort();
    order->overtakes += hold->ticket <= order->last;
    order->last = hold->ticket;
}

/* Once for each time that the greedy one is inside, behind it. */
static void *is_polite(void *data)
{
    struct order *order = data;
    while (!atomic_load(&order->stop)) {
        admit_hold hold;
        if (order->polite == order->greedy) {
            sched_yield();
            continue;
        }
        go_in_in_order(order, &hold);
        order->polite++;
        admit_gate_leave(order->gate, &hold);
    }
    return NULL;
}

static void nobody_is_overtaken(void **state)
{
    (void)state;
    struct order order = {.gate = new_gate(1, 8)};
    unsigned passes = sized(1000000, 20000, 2000);
    admit_hold hold;
    pthread_t polite;
    go_in_in_order(&order, &hold);
    pthread_create(&polite, NULL, is_polite, &order);
    for (unsigned pass = 0; pass < passes; pass++) {
        order.greedy++;
        _Atomic uint16_t *hint = &order.gate->header->hint[(hold.ticket + 1) % GATE_HINTS];
        while (waiters_of(order.gate) == 0 || atomic_load(hint) == 0) /* it has said where it sleeps */
            sched_yield();
        atomic_store(hint, 0);
        admit_gate_leave(order.gate, &hold);
        go_in_in_order(&order, &hold);
    }
    atomic_store(&order.stop, true);
    admit_gate_leave(order.gate, &hold);
    pthread_join(polite, NULL);
    print_message(
        "# %u passes of a greedy one, each with one asleep behind it, which went in %lu times: %lu overtakes\n", passes,
        (unsigned long)order.polite, (unsigned long)order.overtakes);
    assert_int_equal(order.polite, passes);
    assert_int_equal(order.overtakes, 0);
    admit_gate_close(order.gate);
}

static void time_outs_by_the_million(void **state)
{
    (void)state;
    admit_gate *gate = new_gate(1, 16), *same = gate;
    admit_hold hold, other;
    unsigned many = sized(1000000, 20000, 2000);
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    pid_t child = fork();
    if (child == 0) {
        for (unsigned t = 0; t < many; t++) {
            struct timespec until = in_us(1 + t % 30);
            if (admit_gate_enter_until(same, &other, &until) != ADMIT_TIMED_OUT)
                _exit(1);
        }
        _exit(admit_gate_try(same, &other) == ADMIT_NO_SLOT ? 0 : 2);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    struct timespec until = in_us(2000000);
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    assert_int_equal(admit_gate_enter_until(gate, &hold, &until), ADMIT_OK);
    assert_false(hold.owner_died);
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    assert_all_slots_are_there(gate, 1);
    admit_gate_close(gate);
}

/* Who gives up in the middle of the line changes nobody's order. */
static void giving_up_keeps_the_order_of_others(void **state)
{
    (void)state;
    enum { VISITORS = 6 };
    admit_gate *gate = new_gate(1, 2 * VISITORS + 1);
    _Atomic unsigned turn = 0;
    struct visitor visitor[VISITORS];
    admit_hold hold;
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    for (unsigned v = 0; v < VISITORS; v++) {
        visitor[v] = (struct visitor){.gate = gate, .turn = &turn};
        pthread_create(&visitor[v].thread, NULL, visits_once, &visitor[v]);
        while (waiters_of(gate) <= v)
            sched_yield();
        pid_t impatient = fork();
        if (impatient == 0) {
            struct timespec until = in_us(3000);
            admit_hold none;
            _exit(admit_gate_enter_until(gate, &none, &until) == ADMIT_TIMED_OUT ? 0 : 1);
        }
        int status;
        waitpid(impatient, &status, 0);
        assert_int_equal(status, 0);
    }
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    for (unsigned v = 0; v < VISITORS; v++) {
        pthread_join(visitor[v].thread, NULL);
        assert_int_equal(visitor[v].when, v + 1);
    }
    assert_all_slots_are_there(gate, 1);
    admit_gate_close(gate);
}

static void try_takes_no_place(void **state)
{
    (void)state;
    admit_gate *gate = new_gate(1, 4);
    admit_hold hold, next;
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    pid_t child = fork();
    if (child == 0) {
        for (unsigned t = 0; t < 1000; t++)
            if (admit_gate_try(gate, &next) != ADMIT_NO_SLOT)
                _exit(1);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    assert_int_equal(admit_gate_enter(gate, &next), ADMIT_OK);
    assert_int_equal(next.ticket, hold.ticket + 1);
    assert_int_equal(admit_gate_leave(gate, &next), ADMIT_OK);
    admit_gate_close(gate);
}

static void a_full_gate_says_so(void **state)
{
    (void)state;
    enum { CAPACITY = 5 };
    admit_gate *gate = new_gate(1, CAPACITY);
    admit_hold hold;
    pid_t child[CAPACITY - 1];
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    for (unsigned c = 0; c < CAPACITY - 1; c++) {
        child[c] = fork();
        if (child[c] == 0)
            _exit(admit_gate_enter(gate, &hold) == ADMIT_OK && admit_gate_leave(gate, &hold) == ADMIT_OK ? 0 : 1);
        while (waiters_of(gate) <= c)
            sched_yield();
    }
    pid_t one_more = fork();
    if (one_more == 0) {
        admit_error error = admit_gate_try(gate, &hold);
        struct timespec until = in_us(50000);
        if (error != ADMIT_FULL || strstr(admit_last_error_text(), "its 5 records are taken") == NULL)
            _exit(1);
        if (admit_gate_enter_until(gate, &hold, &until) != ADMIT_TIMED_OUT) /* whoever waits does so outside */
            _exit(2);
        _exit(admit_gate_enter_until(gate, &hold, &until) == ADMIT_TIMED_OUT ? 0 : 3);
    }
    int status;
    waitpid(one_more, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(admit_gate_waiters(gate), CAPACITY - 1);
    kill(child[1], SIGKILL); /* one dies in line: its record is of use again */
    waitpid(child[1], NULL, 0);
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    for (unsigned c = 0; c < CAPACITY - 1; c++) {
        if (c == 1)
            continue;
        waitpid(child[c], &status, 0);
        assert_int_equal(status, 0);
    }
    assert_all_slots_are_there(gate, 1);
    admit_gate_close(gate);
}

/* --- ends of a wait ----------------------------------------------------------------------------------------------- */

/* How often a process that waits asks its caller, at least, while nothing happens. */
#ifdef ADMIT_NO_LOOKS
enum { LOOKS = 1 };
#else
enum { LOOKS = 3 };
#endif

struct notice {
    unsigned calls, last_place, give_up_at;
};

static int is_told(void *data, unsigned place)
{
    struct notice *notice = data;
    notice->calls++;
    notice->last_place = place;
    return notice->give_up_at != 0 && notice->calls >= notice->give_up_at;
}

static void the_caller_can_watch_and_give_up(void **state)
{
    (void)state;
    admit_gate *gate = new_gate(1, 8);
    admit_hold hold;
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    pid_t child = fork();
    if (child == 0) {
        struct notice notice = {.give_up_at = LOOKS};
        admit_hold own;
        admit_error error = admit_gate_enter_with(gate, &own, &(admit_wait){.waiting = is_told, .data = &notice});
        _exit(error == ADMIT_INTERRUPTED && notice.last_place == 1 ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    assert_all_slots_are_there(gate, 1);
    admit_gate_close(gate);
}

static admit_gate *to_interrupt;

static void interrupt(int signal)
{
    (void)signal;
    admit_gate_interrupt(to_interrupt);
}

/* The first in line, and one behind it. */
static void a_signal_can_interrupt(void **state)
{
    (void)state;
    admit_gate *gate = new_gate(1, 8);
    admit_hold hold;
    pid_t child[2];
    int status;
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    for (unsigned c = 0; c < 2; c++) {
        child[c] = fork();
        if (child[c] == 0) {
            admit_hold own;
            to_interrupt = gate;
            signal(SIGUSR1, interrupt);
            _exit(admit_gate_enter_with(gate, &own, &(admit_wait){.interruptible = 1}) == ADMIT_INTERRUPTED ? 0 : 1);
        }
        while (waiters_of(gate) <= c)
            sched_yield();
    }
    usleep(2000);
    for (unsigned c = 2; c-- > 0;) {
        kill(child[c], SIGUSR1);
        waitpid(child[c], &status, 0);
        assert_int_equal(status, 0);
        assert_int_equal(waiters_of(gate), c);
    }
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    admit_gate_close(gate);
}

/* Places that were given up, all in line still, and an interrupt of long ago: no reason to be interrupted. */
static void an_old_interrupt_is_over(void **state)
{
    (void)state;
    admit_gate *gate = new_gate(1, 16);
    admit_hold hold;
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    pid_t child = fork();
    if (child == 0) {
        admit_gate_interrupt(gate);
        for (unsigned attempt = 0; attempt < 8; attempt++) {
            struct timespec until = in_us(3000);
            if (admit_gate_enter_with(gate, &hold, &(admit_wait){.until = &until, .interruptible = 1}) !=
                ADMIT_TIMED_OUT)
                _exit(1);
        }
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    assert_all_slots_are_there(gate, 1);
    admit_gate_close(gate);
}

/* The processor time that a child takes which waits behind this process for a while. */
static double share_of_a_core(admit_gate *gate, admit_hold *hold, pid_t child)
{
    clockid_t clock;
    struct timespec spent[2];
    while (waiters_of(gate) == 0)
        sched_yield();
    usleep(20000);
    assert_int_equal(clock_getcpuclockid(child, &clock), 0);
    uint64_t before = monotonic_ns();
    clock_gettime(clock, &spent[0]);
    usleep(200000);
    clock_gettime(clock, &spent[1]);
    uint64_t took = monotonic_ns() - before;
    int status;
    assert_int_equal(admit_gate_leave(gate, hold), ADMIT_OK);
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    return ((double)(spent[1].tv_sec - spent[0].tv_sec) * 1e9 + (double)(spent[1].tv_nsec - spent[0].tv_nsec)) /
           (double)took;
}

/* Neither an interrupt that it does not want, nor a removal that somebody began and did not live to decide. */
static void who_waits_sleeps_whatever_happens(void **state)
{
    (void)state;
    enum { NEVER_INTERRUPTED, INTERRUPTED_BEFORE, INTERRUPTED_MEANWHILE, HALF_REMOVED, CASES };
    for (int how = 0; how < CASES; how++) {
        admit_gate *gate = new_gate(1, 8);
        admit_hold hold;
        assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
        pid_t child = fork();
        if (child == 0) {
            struct timespec until = in_us(30000000);
            to_interrupt = gate;
            signal(SIGALRM, interrupt);
            if (how == INTERRUPTED_BEFORE)
                admit_gate_interrupt(gate);
            if (how == INTERRUPTED_MEANWHILE)
                ualarm(5000, 0);
            admit_error error = how == INTERRUPTED_MEANWHILE ? admit_gate_enter_until(gate, &hold, &until)
                                                             : admit_gate_enter(gate, &hold);
            _exit(error == ADMIT_OK && admit_gate_leave(gate, &hold) == ADMIT_OK ? 0 : 1);
        }
        if (how == HALF_REMOVED)
            atomic_store(&gate->header->removed, 2);
        double share = share_of_a_core(gate, &hold, child);
        if (share > 0.1)
            fail_msg("case %d: a waiter takes %.0f %% of a core", how, share * 100);
        assert_all_slots_are_there(gate, 1);
        admit_gate_close(gate);
    }
}

/* Who sleeps says where it is to be found; whatever is written there instead, it is found. */
static void a_sleeper_is_found_by_its_hint_and_without(void **state)
{
    (void)state;
    static const uint16_t lies[] = {0, 1, 3, 9, 4000, UINT16_MAX};
    for (unsigned lie = 0; lie <= sizeof lies / sizeof lies[0]; lie++) {
        admit_gate *gate = new_gate(1, 8);
        admit_hold hold;
        assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
        pid_t child = fork();
        if (child == 0)
            _exit(admit_gate_enter(gate, &hold) == ADMIT_OK ? 0 : 1);
        _Atomic uint16_t *hint = &gate->header->hint[(hold.ticket + 1) % GATE_HINTS];
        while (atomic_load(hint) == 0)
            sched_yield();
        assert_int_equal(admit_protocol_standing(gate, atomic_load(hint) - 1).ticket, hold.ticket + 1);
        usleep(1000);
        if (lie > 0)
            for (unsigned h = 0; h < GATE_HINTS; h++)
                atomic_store(&gate->header->hint[h], lies[lie - 1]);
        assert_true(admit_likely(&(struct sleeper){.gate = gate}, hold.ticket + 1, 0) < present_in(gate));
        assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
        int status;
        waitpid(child, &status, 0);
        assert_int_equal(status, 0);
        assert_all_slots_are_there(gate, 1);
        admit_gate_close(gate);
    }
}

/* --- a crowd ------------------------------------------------------------------------------------------------------ */

struct crowd_thread {
    admit_gate *gate;
    struct gate_witness *witness;
    _Atomic int *inside;
    unsigned passes, k;
};

static void *passes_many_times(void *data)
{
    struct crowd_thread *own = data;
    for (unsigned pass = 0; pass < own->passes; pass++) {
        admit_hold hold;
        if (admit_gate_enter(own->gate, &hold) != ADMIT_OK || atomic_fetch_add(&own->inside[hold.slot], 1) != 0 ||
            hold.slot >= own->k)
            atomic_fetch_add(&own->witness->violations, 1);
        if (pass % 16 == 0)
            sched_yield();
        atomic_fetch_sub(&own->inside[hold.slot], 1);
        atomic_fetch_add(&own->witness->entries, 1);
        if (admit_gate_leave(own->gate, &hold) != ADMIT_OK)
            atomic_fetch_add(&own->witness->violations, 1);
    }
    return NULL;
}

static void threads_and_processes_mix(void **state)
{
    (void)state;
    enum { PROCESSES = 4, THREADS = 3 };
    unsigned passes = unless_quick(3000, 500);
    for (unsigned k = 1; k <= 5; k += 2) {
        struct gate_witness *witness = make_gate_witness();
        _Atomic int *inside = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        admit_gate *gate = new_gate(k, 20);
        for (unsigned p = 0; p < PROCESSES; p++) {
            if (fork() != 0)
                continue;
            pthread_t thread[THREADS];
            struct crowd_thread all = {gate, witness, inside, passes, k};
            for (unsigned t = 0; t < THREADS; t++)
                pthread_create(&thread[t], NULL, passes_many_times, &all);
            for (unsigned t = 0; t < THREADS; t++)
                pthread_join(thread[t], NULL);
            _exit(0);
        }
        for (unsigned p = 0; p < PROCESSES; p++)
            wait(NULL);
        assert_int_equal(witness->violations, 0);
        assert_int_equal(witness->entries, PROCESSES * THREADS * passes);
        admit_view *view = admit_gate_inspect(gate);
        assert_int_equal(view->entered, PROCESSES * THREADS * passes);
        assert_int_equal(view->recovered + view->abandoned + view->holders + view->waiters, 0);
        admit_view_free(view);
        assert_all_slots_are_there(gate, k);
        admit_gate_close(gate);
        munmap(inside, 4096);
        munmap(witness, sizeof *witness);
    }
}

/* Neither places that were given up count nor those of the dead, though the line is as long as before. */
static void whether_anybody_waits_is_told_at_once(void **state)
{
    (void)state;
    for (unsigned most_k = 1; most_k <= 4; most_k += 3) {
        admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = most_k, .capacity = 8});
        admit_hold hold, other;
        int status;
        assert_int_equal(admit_gate_waiters(gate), 0);
        assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
        assert_int_equal(admit_gate_waiters(gate), 0);
        assert_int_equal(admit_gate_try(gate, &other), ADMIT_NO_SLOT);
        assert_int_equal(admit_gate_waiters(gate), 0);
        struct timespec until = in_us(1000);
        assert_int_equal(admit_gate_enter_until(gate, &other, &until), ADMIT_TIMED_OUT);
        assert_int_equal(admit_gate_waiters(gate), 0); /* its place is there still */
        pid_t child[2];
        for (unsigned c = 0; c < 2; c++) {
            child[c] = fork();
            if (child[c] == 0)
                _exit(admit_gate_enter(gate, &other) == ADMIT_OK ? 0 : 1);
            while (admit_gate_waiters(gate) <= c)
                sched_yield();
        }
        assert_int_equal(admit_gate_waiters(gate), 2);
        kill(child[0], SIGKILL);
        assert_int_equal(waitpid(child[0], &status, 0), child[0]);
        assert_int_equal(admit_gate_waiters(gate), 1);
        assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
        assert_int_equal(waitpid(child[1], &status, 0), child[1]);
        assert_int_equal(status, 0);
        assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK); /* the one before ended inside */
        assert_int_equal(admit_gate_waiters(gate), 0);
        admit_gate_close(gate);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_comes_first_goes_in_first),
        cmocka_unit_test(nobody_is_overtaken),
        cmocka_unit_test(time_outs_by_the_million),
        cmocka_unit_test(giving_up_keeps_the_order_of_others),
        cmocka_unit_test(try_takes_no_place),
        cmocka_unit_test(a_full_gate_says_so),
        cmocka_unit_test(the_caller_can_watch_and_give_up),
        cmocka_unit_test(a_signal_can_interrupt),
        cmocka_unit_test(an_old_interrupt_is_over),
        cmocka_unit_test(who_waits_sleeps_whatever_happens),
        cmocka_unit_test(whether_anybody_waits_is_told_at_once),
        cmocka_unit_test(a_sleeper_is_found_by_its_hint_and_without),
        cmocka_unit_test(threads_and_processes_mix),
    };
    return cmocka_run_group_tests_name("gate line", tests, NULL, NULL);
}
