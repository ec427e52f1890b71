/* SPDX-License-Identifier: MIT
 *
 * Gates of any age: numbers of tickets are moved on as if so many others had passed, past half of their range and past
 * its end. Whoever is killed then, with a record that was never used, or not for so long, or inside since before, is
 * recovered all the same.
 */
#include "gate_witness.h"

#include "gate/calls/calls.h"

#define ADMIT_ID "gate"
#define ADMIT_SYMBOL gate_age_text
#include "algorithms/gate.c"

#include <poll.h>
#include <pthread.h>
#include <sys/prctl.h>

#define HALF (UINT64_C(1) << (TICKET_BITS - 1))
#define WHOLE (UINT64_C(1) << TICKET_BITS)

enum { DEADLINE_S = 20, PLACES = 1 << WHO_BITS };

/* The ticket that was drawn last when a test begins. */
static const uint64_t starts[] = {
    0,        1,        PLACES - 2,      PLACES + 2,         HALF - PLACES,      HALF - 3,
    HALF,     HALF + 5, HALF + HALF / 2, WHOLE - PLACES - 9, WHOLE - PLACES + 9, WHOLE - 3,
    WHOLE - 1};
enum { STARTS = sizeof starts / sizeof *starts };

/* How many pass one that is inside. A ticket is taken for one in line still if the next of the same number is so near
 * (docs/gate.md): these are all outside of that. */
static const uint64_t ages[] = {3, PLACES + 1, HALF - 3, HALF + 5, HALF + HALF / 2, WHOLE - PLACES - 9, WHOLE + 5};
enum { AGES = sizeof ages / sizeof *ages };

static admit_gate *new_gate(unsigned k, unsigned most_k, unsigned capacity)
{
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = k, .most_k = most_k, .capacity = capacity});
    assert_non_null(gate);
    return gate;
}

static word now(const struct cell *cell)
{
    return atomic_load(&cell->value);
}

/* As if so many had passed, of whom none is there any more: what ISSUE and VALID say has been noted. */
static void let_pass(admit_gate *gate, uint64_t many)
{
    const struct shared *words = (const struct shared *)&gate->cells;
    word issue = now(words->issue), valid = now(words->valid);
    if (who_in(issue) < gate->records) {
        struct cell *record = &words->record[who_in(issue)];
        atomic_store(&record->value, with_draw(now(record), issue));
    }
    if (who_in(valid) < gate->records) {
        struct cell *record = &words->record[who_in(valid)];
        if (says_returned(valid, who_in(valid), now(record)))
            atomic_store(&record->value, in_state(now(record), OUT));
    }
    atomic_store(&words->issue->value, named(number_of(issue) + many, UINT_MAX, 0));
    atomic_store(&words->valid->value, named(number_of(valid) + many, UINT_MAX, 0));
}

static void let_pass_up_to(admit_gate *gate, uint64_t number)
{
    let_pass(gate, number - number_of(now(gate->cells.issue)));
}

static admit_error enter_in_time(admit_gate *gate, admit_hold *hold)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += DEADLINE_S;
    return admit_gate_enter_until(gate, hold, &until);
}

/* --- others ------------------------------------------------------------------------------------------------------- */

/* A process that does one thing at a time, as it is told. */
struct other {
    pid_t pid;
    int to, from;
};

enum order { PASS = 'p', ENTER_NOW = 'e', TRY_IN_VAIN = 't', LEAVE_NOW = 'l' };

static _Noreturn void obey(admit_gate *gate, int orders, int answers)
{
    admit_hold hold;
    char order;
    while (read(orders, &order, 1) == 1) {
        if ((order == PASS || order == ENTER_NOW) && admit_gate_enter(gate, &hold) != ADMIT_OK)
            _exit(1);
        if ((order == PASS || order == LEAVE_NOW) && admit_gate_leave(gate, &hold) != ADMIT_OK)
            _exit(1);
        if (order == TRY_IN_VAIN && admit_gate_try(gate, &hold) != ADMIT_NO_SLOT)
            _exit(1);
        say(answers);
    }
    _exit(0);
}

static struct other start_other(admit_gate *gate)
{
    int orders[2], answers[2];
    assert_int_equal(pipe2(orders, O_CLOEXEC) | pipe2(answers, O_CLOEXEC), 0);
    struct other other = {.to = orders[1], .from = answers[0], .pid = fork()};
    if (other.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* after a test that fails */
        close(orders[1]);
        close(answers[0]);
        obey(gate, orders[0], answers[1]);
    }
    close(orders[0]);
    close(answers[1]);
    return other;
}

static void tell(const struct other *other, enum order order)
{
    char byte = (char)order;
    assert_int_equal(write(other->to, &byte, 1), 1);
}

static void assert_done(const struct other *other)
{
    struct pollfd answer = {.fd = other->from, .events = POLLIN};
    assert_int_equal(poll(&answer, 1, DEADLINE_S * 1000), 1);
    assert_true(hear(other->from));
}

static void let(const struct other *other, enum order order)
{
    tell(other, order);
    assert_done(other);
}

static void await_waiters(admit_gate *gate, unsigned many)
{
    uint64_t until = monotonic_ns() + DEADLINE_S * UINT64_C(1000000000);
    while (waiters_of(gate) < many) {
        assert_true(monotonic_ns() < until);
        sched_yield();
    }
}

static void end_other(struct other *other, bool by_kill)
{
    int status = 0;
    if (by_kill)
        kill(other->pid, SIGKILL);
    close(other->to);
    close(other->from);
    assert_int_equal(waitpid(other->pid, &status, 0), other->pid);
    assert_int_equal(by_kill ? WIFSIGNALED(status) : status == 0, 1);
}

/* --- what must hold ----------------------------------------------------------------------------------------------- */

static void assert_inside(admit_gate *gate, unsigned holders, unsigned waiters)
{
    admit_view *view = admit_gate_inspect(gate);
    assert_int_equal(view->holders, holders);
    assert_int_equal(view->waiters, waiters);
    assert_true(view->entered < WHOLE);
    admit_view_free(view);
}

/* All come back, each once; of so many it is told that their owner died. */
static void assert_all_come_back(admit_gate *gate, unsigned k, unsigned died, uint64_t number)
{
    admit_hold hold[3];
    unsigned told_of = 0, slots = 0;
    for (unsigned h = 0; h < k; h++) {
        if (enter_in_time(gate, &hold[h]) != ADMIT_OK)
            fail_msg("from ticket %#llx on: slot %u of %u: %s", (unsigned long long)number, h, k,
                     admit_last_error_text());
        told_of += hold[h].owner_died;
        slots |= 1u << hold[h].slot;
    }
    assert_int_equal(slots, (1u << k) - 1);
    assert_int_equal(told_of, died);
    for (unsigned h = 0; h < k; h++)
        assert_int_equal(admit_gate_leave(gate, &hold[h]), ADMIT_OK);
    assert_all_slots_are_there(gate, k);
    assert_inside(gate, 0, 0);
}

/* --- who has not been here for long ------------------------------------------------------------------------------- */

/* Whoever goes in without waiting writes nothing into its record: only ISSUE says that it has drawn. */
static void killed_with_a_record_never_used(void **state)
{
    (void)state;
    for (unsigned s = 0; s < STARTS; s++) {
        for (unsigned k = 1; k <= 3; k += 2) {
            admit_gate *gate = new_gate(k, k, 2 * k + 1);
            struct other other[3];
            let_pass_up_to(gate, starts[s]);
            for (unsigned h = 0; h < k; h++) {
                other[h] = start_other(gate);
                let(&other[h], ENTER_NOW);
                assert_inside(gate, h + 1, 0);
            }
            for (unsigned h = 0; h < k; h++)
                end_other(&other[h], true);
            assert_all_come_back(gate, k, k, starts[s]);
            admit_gate_close(gate);
        }
    }
}

static void killed_with_a_record_long_unused(void **state)
{
    (void)state;
    for (unsigned s = 0; s < STARTS; s++) {
        for (unsigned k = 1; k <= 3; k += 2) {
            admit_gate *gate = new_gate(k, k, 2 * k + 1);
            struct other other[3];
            for (unsigned h = 0; h < k; h++) {
                other[h] = start_other(gate);
                let(&other[h], PASS);
            }
            let_pass_up_to(gate, starts[s]);
            for (unsigned h = 0; h < k; h++)
                let(&other[h], ENTER_NOW);
            assert_inside(gate, k, 0);
            for (unsigned h = 0; h < k; h++)
                end_other(&other[h], true);
            assert_all_come_back(gate, k, k, starts[s]);
            admit_gate_close(gate);
        }
    }
}

/* The same with numbers as they come: one passes so often that the other's record becomes too old to be compared. */
static void killed_after_many_have_really_passed(void **state)
{
    (void)state;
    admit_gate *gate = new_gate(1, 1, 3);
    struct other other = start_other(gate);
    admit_hold hold;
    let(&other, PASS);
    for (unsigned pass = 0; pass < PLACES + 10; pass++)
        assert_true(admit_gate_enter(gate, &hold) == ADMIT_OK && admit_gate_leave(gate, &hold) == ADMIT_OK);
    let(&other, ENTER_NOW);
    word its = now(&gate->cells.record[who_in(now(gate->cells.issue))]);
    assert_true(!is_outstanding(its) && ticket_of(its) >= PLACES);
    end_other(&other, true);
    assert_all_come_back(gate, 1, 1, 0);
    admit_gate_close(gate);
}

/* Killed between its draw and all that comes after, while others are inside: the draw is made in its name. */
static void killed_when_drawn_and_not_recorded(void **state)
{
    (void)state;
    for (unsigned s = 0; s < STARTS; s++) {
        for (unsigned k = 1; k <= 3; k += 2) {
            admit_gate *gate = new_gate(k, k, 2 * k + 2);
            struct other other = start_other(gate);
            admit_hold hold[3];
            let(&other, PASS);
            unsigned who = who_in(now(gate->cells.issue));
            let_pass_up_to(gate, starts[s]);
            for (unsigned h = 0; h < k; h++)
                assert_int_equal(admit_gate_enter(gate, &hold[h]), ADMIT_OK);
            let(&other, TRY_IN_VAIN); /* all of the way in but the draw */
            atomic_store(&((const struct shared *)&gate->cells)->issue->value,
                         named(number_of(now(gate->cells.issue)) + 1, who, 0));
            assert_inside(gate, k, 1);
            end_other(&other, true);
            for (unsigned h = 0; h < k; h++)
                assert_int_equal(admit_gate_leave(gate, &hold[h]), ADMIT_OK);
            assert_all_come_back(gate, k, 0, starts[s]);
            admit_gate_close(gate);
        }
    }
}

/* --- who has been inside for long --------------------------------------------------------------------------------- */

/* It goes in with k = 3, so many pass, and it leaves or is killed; then its record serves another, that is killed too. */
static void inside_since_long_ago(void **state)
{
    (void)state;
    enum { K = 3, CAPACITY = 4 };
    for (unsigned a = 0; a < AGES; a++) {
        for (unsigned is_killed = 0; is_killed <= 1; is_killed++) {
            admit_gate *gate = new_gate(K, K, CAPACITY);
            struct other other = start_other(gate);
            admit_hold hold[K], more;
            let(&other, ENTER_NOW);
            let_pass(gate, ages[a]);
            assert_inside(gate, 1, 0);
            for (unsigned h = 0; h < K - 1; h++)
                assert_int_equal(admit_gate_try(gate, &hold[h]), ADMIT_OK);
            assert_int_equal(admit_gate_try(gate, &more), ADMIT_NO_SLOT);
            for (unsigned h = 0; h < K - 1; h++)
                assert_int_equal(admit_gate_leave(gate, &hold[h]), ADMIT_OK);
            if (!is_killed)
                let(&other, LEAVE_NOW);
            end_other(&other, is_killed);
            assert_all_come_back(gate, K, is_killed, ages[a]);
            for (unsigned again = 0; again < CAPACITY; again++) {
                other = start_other(gate);
                let(&other, ENTER_NOW);
                end_other(&other, true);
                assert_all_come_back(gate, K, 1, ages[a]);
            }
            admit_gate_close(gate);
        }
    }
}

/* Found dead by those in line, who look for the dead before they sleep. */
static void killed_inside_since_long_ago_with_others_in_line(void **state)
{
    (void)state;
    enum { K = 3 };
    for (unsigned a = 0; a < AGES; a++) {
        admit_gate *gate = new_gate(K, K, 8);
        struct other inside = start_other(gate), waiter = start_other(gate);
        admit_hold hold[K - 1];
        let(&inside, ENTER_NOW);
        let_pass(gate, ages[a]);
        for (unsigned h = 0; h < K - 1; h++)
            assert_int_equal(admit_gate_enter(gate, &hold[h]), ADMIT_OK);
        tell(&waiter, ENTER_NOW);
        await_waiters(gate, 1);
        assert_inside(gate, K, 1);
        end_other(&inside, true);
        assert_done(&waiter);
        assert_inside(gate, K, 0);
        let(&waiter, LEAVE_NOW);
        end_other(&waiter, false);
        for (unsigned h = 0; h < K - 1; h++)
            assert_int_equal(admit_gate_leave(gate, &hold[h]), ADMIT_OK);
        assert_all_slots_are_there(gate, K);
        admit_gate_close(gate);
    }
}

/* Also where its number is that of one in line by now: who leaves is not in line. */
static void leaves_after_any_number_of_others(void **state)
{
    (void)state;
    for (uint64_t age = WHOLE - 12; age < WHOLE + 4; age++) {
        admit_gate *gate = new_gate(3, 3, 5);
        struct other other = start_other(gate);
        let(&other, ENTER_NOW);
        let_pass(gate, age);
        let(&other, LEAVE_NOW);
        end_other(&other, false);
        assert_all_come_back(gate, 3, 0, age);
        admit_gate_close(gate);
    }
}

/* A gate of that age can be opened, looked at and resized: what it keeps back for a larger k has been out since its
 * beginning. */
static void an_old_gate_is_opened_and_resized(void **state)
{
    (void)state;
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/old", test_directory());
    for (unsigned a = 0; a < AGES; a++) {
        admit_gate *gate = admit_gate_open_with(path, &(admit_gate_options){.k = 2, .most_k = 3, .capacity = 6});
        assert_non_null(gate);
        struct other other = start_other(gate);
        let(&other, ENTER_NOW);
        let_pass(gate, ages[a]);
        admit_gate *again = admit_gate_open(path, 0);
        if (again == NULL)
            fail_msg("after %#llx tickets: %s", (unsigned long long)ages[a], admit_last_error_text());
        assert_inside(again, 1, 0);
        assert_int_equal(admit_gate_resize(again, 3), ADMIT_OK);
        end_other(&other, true);
        assert_all_come_back(again, 3, 1, ages[a]);
        admit_gate_close(again);
        admit_gate_close(gate);
        assert_int_equal(unlink(path), 0);
    }
}

/* Every gate that can be resized has such tickets when its numbers return. */
static void what_is_kept_back_is_not_in_line(void **state)
{
    (void)state;
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/larger", test_directory());
    for (uint64_t age = WHOLE - 12; age < WHOLE + 4; age++) {
        admit_gate *gate = admit_gate_open_with(path, &(admit_gate_options){.k = 2, .most_k = 3, .capacity = 6});
        assert_non_null(gate);
        assert_int_equal(admit_gate_resize(gate, 1), ADMIT_OK);
        let_pass(gate, age);
        admit_gate *again = admit_gate_open(path, 0);
        if (again == NULL)
            fail_msg("after %#llx tickets: %s", (unsigned long long)age, admit_last_error_text());
        for (unsigned pass = 0; pass < 20; pass++)
            assert_all_slots_are_there(again, 1);
        assert_inside(again, 0, 0);
        assert_int_equal(admit_gate_resize(again, 3), ADMIT_OK);
        assert_all_come_back(again, 3, 0, age);
        admit_gate_close(again);
        admit_gate_close(gate);
        assert_int_equal(unlink(path), 0);
    }
}

/* --- the line ----------------------------------------------------------------------------------------------------- */

struct visitor {
    admit_gate *gate;
    _Atomic unsigned *turn;
    unsigned when;
    pthread_t thread;
};

static void *visits_once(void *data)
{
    struct visitor *visitor = data;
    admit_hold hold;
    if (enter_in_time(visitor->gate, &hold) != ADMIT_OK)
        return NULL;
    visitor->when = atomic_fetch_add(visitor->turn, 1) + 1;
    return admit_gate_leave(visitor->gate, &hold) == ADMIT_OK ? visitor : NULL;
}

/* Numbers pass the half, or the end, in the middle of the line; some in line are killed, and the one inside too. */
static void the_order_is_kept(void **state)
{
    (void)state;
    enum { VISITORS = 6 };
    for (unsigned s = 0; s < STARTS; s++) {
        admit_gate *gate = new_gate(1, 1, 2 * VISITORS + 2);
        _Atomic unsigned turn = 0;
        struct visitor visitor[VISITORS];
        struct other inside = start_other(gate), doomed[VISITORS];
        let_pass_up_to(gate, starts[s]);
        let(&inside, ENTER_NOW);
        for (unsigned v = 0; v < VISITORS; v++) {
            visitor[v] = (struct visitor){.gate = gate, .turn = &turn};
            pthread_create(&visitor[v].thread, NULL, visits_once, &visitor[v]);
            await_waiters(gate, 2 * v + 1);
            doomed[v] = start_other(gate);
            tell(&doomed[v], ENTER_NOW);
            await_waiters(gate, 2 * v + 2);
        }
        admit_view *view = admit_gate_inspect(gate);
        assert_int_equal(view->holders, 1);
        assert_int_equal(view->holder[0].ticket, (starts[s] + 1) % WHOLE);
        for (unsigned w = 0; w < view->waiters; w++) {
            assert_int_equal(view->waiter[w].place, w + 1);
            assert_int_equal(view->waiter[w].ticket, (starts[s] + 2 + w) % WHOLE);
            assert_int_equal(view->waiter[w].pid, w % 2 == 0 ? getpid() : doomed[w / 2].pid);
        }
        admit_view_free(view);
        for (unsigned v = 0; v < VISITORS; v++)
            end_other(&doomed[v], true);
        end_other(&inside, true);
        for (unsigned v = 0; v < VISITORS; v++) {
            void *came;
            pthread_join(visitor[v].thread, &came);
            assert_non_null(came);
            assert_int_equal(visitor[v].when, v + 1);
        }
        assert_all_slots_are_there(gate, 1);
        assert_inside(gate, 0, 0);
        admit_gate_close(gate);
    }
}

/* --- a crowd ------------------------------------------------------------------------------------------------------ */

struct crowd {
    admit_gate *gate;
    _Atomic int inside[3];
    _Atomic unsigned violations;
    unsigned passes;
};

static void *passes_many_times(void *data)
{
    struct crowd *crowd = data;
    for (unsigned pass = 0; pass < crowd->passes; pass++) {
        admit_hold hold;
        bool alone =
            admit_gate_enter(crowd->gate, &hold) == ADMIT_OK && atomic_fetch_add(&crowd->inside[hold.slot], 1) == 0;
        if (pass % 16 == 0)
            sched_yield();
        atomic_fetch_sub(&crowd->inside[hold.slot], 1);
        if (admit_gate_leave(crowd->gate, &hold) != ADMIT_OK || !alone)
            atomic_fetch_add(&crowd->violations, 1);
    }
    return NULL;
}

static void a_crowd_passes_any_number(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    unsigned passes = sized(20000, 2000, 500);
    for (unsigned s = 0; s < STARTS; s++) {
        for (unsigned k = 1; k <= 3; k += 2) {
            pthread_t thread[THREADS];
            struct crowd crowd = {.gate = new_gate(k, k, THREADS + 4), .passes = passes};
            let_pass_up_to(crowd.gate, starts[s] - passes);
            for (unsigned t = 0; t < THREADS; t++)
                pthread_create(&thread[t], NULL, passes_many_times, &crowd);
            for (unsigned t = 0; t < THREADS; t++)
                pthread_join(thread[t], NULL);
            assert_int_equal(crowd.violations, 0);
            admit_view *view = admit_gate_inspect(crowd.gate);
            uint64_t drawn = (starts[s] + (THREADS - 1) * passes - 1) % WHOLE; /* the first ticket of all was 2 */
            assert_int_equal(view->entered, drawn < WHOLE - PLACES ? drawn : 0);
            assert_int_equal(view->recovered + view->abandoned, 0);
            admit_view_free(view);
            assert_all_slots_are_there(crowd.gate, k);
            assert_inside(crowd.gate, 0, 0);
            admit_gate_close(crowd.gate);
        }
    }
}

static int clean_up(void **state)
{
    (void)state;
    remove_test_directory();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_with_a_record_never_used),
        cmocka_unit_test(killed_with_a_record_long_unused),
        cmocka_unit_test(killed_after_many_have_really_passed),
        cmocka_unit_test(killed_when_drawn_and_not_recorded),
        cmocka_unit_test(inside_since_long_ago),
        cmocka_unit_test(killed_inside_since_long_ago_with_others_in_line),
        cmocka_unit_test(leaves_after_any_number_of_others),
        cmocka_unit_test(an_old_gate_is_opened_and_resized),
        cmocka_unit_test(what_is_kept_back_is_not_in_line),
        cmocka_unit_test(the_order_is_kept),
        cmocka_unit_test(a_crowd_passes_any_number),
    };
    return cmocka_run_group_tests_name("gate age", tests, NULL, clean_up);
}
