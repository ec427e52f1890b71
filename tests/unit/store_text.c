/* SPDX-License-Identifier: MIT
 *
 * The text of the gate on etcd in a native world (registers/store.h), over a store in memory: what a client asks for,
 * in how many requests, and how it goes on after each kind of answer. The store does what it is asked at once; what it is
 * made to do instead is said before.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "registers/transaction.h"

typedef int64_t revision;
typedef unsigned crowd;
#define how_many_are_left(crowd_) (crowd_)

enum { CLIENTS = 3, SLOTS_MAX = 4, AT_ONCE = 2 };

/* A key is there if it was created. */
static struct memory {
    unsigned k;
    int64_t revision;
    struct stamp {
        int64_t created, modified;
        unsigned lease; /* of the client with this number */
    } line[CLIENTS], passages[CLIENTS], slot[SLOTS_MAX];
} memory;

struct client {
    unsigned number, k, requests, times; /* it asks so many times, to be answered the last time */
    bool late, impatient, unheard;       /* its deadline has passed; it gives up; the next request is not answered */
    bool resized;                        /* k has been another */
    bool before[CLIENTS];
    void (*meanwhile)(void);
};

struct answer {
    bool done, over;
    revision mine;
};

static struct stamp *key_of(const struct client *C, struct key key)
{
    switch (key.family) {
    case LINE:
        return &memory.line[C->number];
    case PASSAGES:
        return &memory.passages[C->number];
    case SLOTS:
        return &memory.slot[key.number];
    case AGREED:
        break;
    }
    fail_msg("this key is no client's");
    return NULL;
}

/* UINT_MAX: none. */
static unsigned slot_of(unsigned lease)
{
    for (unsigned s = 0; s < SLOTS_MAX; s++)
        if (memory.slot[s].created != 0 && memory.slot[s].lease == lease)
            return s;
    return UINT_MAX;
}

static bool is_met(const struct client *C, const struct condition *condition)
{
    if (condition->aspect == ALWAYS_TRUE)
        return true;
    if (condition->aspect == LEASE_OF_OTHERS)
        return slot_of(C->number) == UINT_MAX;
    if (condition->aspect == VALUE)
        return condition->is == memory.k;
    const struct stamp *stamp = key_of(C, condition->key);
    return (condition->aspect == CREATED ? stamp->created : stamp->modified) == (int64_t)condition->is;
}

static void set(struct stamp *stamp, const struct client *C, int64_t now)
{
    *stamp = (struct stamp){stamp->created != 0 ? stamp->created : now, now, C->number};
}

static void set_first_free(const struct client *C, const struct action *action, int64_t now)
{
    unsigned s = action->key.number;
    while (s + 1 < action->below && s + 1 < action->key.number + AT_ONCE && memory.slot[s].created != 0)
        s++;
    if (memory.slot[s].created == 0)
        set(&memory.slot[s], C, now);
}

static void do_once(struct client *C, const struct transaction *transaction, struct answer *answer)
{
    *answer = (struct answer){.done = true};
    for (unsigned c = 0; c < OF_A_TRANSACTION_MAX; c++)
        answer->done &= is_met(C, &transaction->conditions[c]);
    int64_t now = ++memory.revision;
    for (unsigned a = 0; a < OF_A_TRANSACTION_MAX; a++) {
        const struct action *action = answer->done ? &transaction->then[a] : &transaction->otherwise[a];
        if (action->deed == SETS) {
            set(key_of(C, action->key), C, now);
        } else if (action->deed == SETS_FIRST_FREE) {
            set_first_free(C, action, now);
        } else if (action->deed == REMOVES) {
            *key_of(C, action->key) = (struct stamp){0};
        } else if (action->deed == LISTS && action->key.family == LINE) {
            answer->mine = memory.line[C->number].created;
        }
    }
}

static void client_ask(struct client *C, const struct transaction *transaction, struct answer *answer)
{
    unsigned times = C->times > 0 ? C->times : 1;
    for (unsigned t = 0; t < times; t++) {
        do_once(C, transaction, answer);
        C->requests++;
    }
    C->times = 0;
    answer->over = C->unheard;
    C->unheard = false;
}

static crowd client_before(struct client *C, const struct answer *answer)
{
    unsigned count = 0;
    for (unsigned c = 0; c < CLIENTS; c++) {
        int64_t created = memory.line[c].created;
        C->before[c] = created != 0 && (answer->mine == 0 || created < answer->mine);
        count += C->before[c];
    }
    return count;
}

static bool client_has_slot_keys(const struct client *C)
{
    return C->k > 1 || C->resized;
}

static unsigned client_free_slot(struct client *C, const struct answer *answer, unsigned from)
{
    (void)C, (void)answer;
    while (from < SLOTS_MAX - 1 && memory.slot[from].created != 0)
        from++;
    return from;
}

static unsigned client_own_slot(struct client *C, const struct answer *answer)
{
    (void)answer;
    return slot_of(C->number);
}

static bool client_agrees(struct client *C, const struct answer *answer)
{
    return answer->mine != 0 || C->k == memory.k;
}

static void client_follow(struct client *C, const struct answer *answer)
{
    assert_true(C->before[(C->number + 1) % CLIENTS] || C->before[(C->number + 2) % CLIENTS]);
    assert_true(answer->mine != 0);
}

static enum news client_news(struct client *C, crowd *ahead)
{
    if (C->meanwhile == NULL)
        return C->late ? IS_OVER : WATCH_ENDED;
    C->meanwhile();
    C->meanwhile = NULL;
    for (unsigned c = 0; c < CLIENTS; c++)
        if (C->before[c] && memory.line[c].created == 0) {
            C->before[c] = false;
            --*ahead;
        }
    return SOME_HAVE_GONE;
}

static void client_follows_no_longer(struct client *C)
{
    (void)C;
}

static bool client_in_time(struct client *C)
{
    return !C->late;
}

static void client_renew(struct client *C)
{
    memory.line[C->number] = memory.passages[C->number] = (struct stamp){0};
    for (unsigned s = 0; s < SLOTS_MAX; s++)
        if (memory.slot[s].lease == C->number)
            memory.slot[s] = (struct stamp){0};
    C->late = false;
}

static bool client_gives_up(struct client *C)
{
    return C->impatient;
}

static unsigned client_k(const struct client *C)
{
    return C->k;
}

#define STORE_WORLD
#include "algorithms/etcd_gate.c"

static struct client client[CLIENTS];
static struct locals frame[CLIENTS];

static int begin_with(unsigned k)
{
    memset(&memory, 0, sizeof memory);
    memset(client, 0, sizeof client);
    memset(frame, 0, sizeof frame);
    memory.k = k;
    for (unsigned c = 0; c < CLIENTS; c++)
        client[c] = (struct client){.number = c, .k = k};
    return 0;
}

static void enters(unsigned c, enum ending expected)
{
    assert_int_equal(enter(&client[c], &frame[c]), expected);
}

static void leaves(unsigned c, enum ending expected)
{
    assert_int_equal(leave(&client[c], &frame[c]), expected);
    assert_int_equal(memory.line[c].created, 0);
}

static void two_requests_a_pass(void **state)
{
    (void)state;
    begin_with(1);
    for (unsigned pass = 1; pass <= 3; pass++) {
        enters(0, TO_THE_END);
        leaves(0, TO_THE_END);
        assert_int_equal(client[0].requests, 2 * pass);
    }
}

static void three_with_slots(void **state)
{
    (void)state;
    begin_with(2);
    enters(0, TO_THE_END);
    enters(1, TO_THE_END);
    assert_int_equal(frame[0].session.own.slot + frame[1].session.own.slot, 1);
    leaves(0, TO_THE_END);
    leaves(1, TO_THE_END);
    assert_int_equal(client[0].requests + client[1].requests, 6);
    for (unsigned s = 0; s < SLOTS_MAX; s++)
        assert_int_equal(memory.slot[s].created, 0);
}

/* The store is asked for two at once, whoever has them, and for the rest only if both are taken. */
static void slots_are_found_upwards(void **state)
{
    (void)state;
    begin_with(3);
    enters(0, TO_THE_END);
    enters(1, TO_THE_END);
    assert_int_equal(client[1].requests, 2);
    assert_int_equal(frame[1].session.own.slot, 1);
    enters(2, TO_THE_END);
    assert_int_equal(client[2].requests, 3);
    assert_int_equal(frame[2].session.own.slot, 2);
    leaves(0, TO_THE_END);
    enters(0, TO_THE_END);
    assert_int_equal(client[0].requests, 5);
    assert_int_equal(frame[0].session.own.slot, 0);
}

static void the_first_leaves(void)
{
    leaves(0, TO_THE_END);
}

static void the_last_leaves(void)
{
    leaves(2, TO_THE_END);
}

/* Whichever slot has become free while it waited. */
static void one_request_finds_the_slot(void **state)
{
    (void)state;
    begin_with(2);
    enters(0, TO_THE_END);
    enters(2, TO_THE_END);
    client[1].meanwhile = the_last_leaves;
    enters(1, TO_THE_END);
    assert_int_equal(frame[1].session.own.slot, 1);
    leaves(1, TO_THE_END);
    assert_int_equal(client[1].requests, 3);
}

static void the_first_leaves_and_one_repeats(void)
{
    leaves(0, TO_THE_END);
    client[1].times = 2;
}

/* It was given when it was asked for first: it has that, and no other. */
static void a_slot_that_is_asked_for_twice_is_one(void **state)
{
    (void)state;
    begin_with(2);
    enters(0, TO_THE_END);
    enters(2, TO_THE_END);
    client[1].meanwhile = the_first_leaves_and_one_repeats;
    enters(1, TO_THE_END);
    assert_int_equal(client[1].requests, 3);
    assert_int_equal(frame[1].session.own.slot, 0);
    leaves(1, TO_THE_END);
    assert_int_equal(slot_of(1), UINT_MAX);
}

/* k was 3, is 1, and one that came then has what would be free: this one takes what is behind. */
static void slots_are_left_from_another_k(void **state)
{
    (void)state;
    begin_with(1);
    client[0].resized = true;
    memory.slot[0] = memory.slot[1] = (struct stamp){1, 1, CLIENTS};
    enters(0, TO_THE_END);
    assert_int_equal(frame[0].session.own.slot, 2);
    leaves(0, TO_THE_END);
    assert_int_equal(memory.slot[2].created, 0);
}

/* Its own place, too. */
static void places_are_removed(void)
{
    memory.line[0] = memory.line[1] = (struct stamp){0};
}

static void a_slot_is_for_one_in_line(void **state)
{
    (void)state;
    begin_with(2);
    enters(0, TO_THE_END);
    enters(2, TO_THE_END);
    client[1].meanwhile = places_are_removed;
    enters(1, HAS_NO_PLACE);
    assert_int_equal(slot_of(1), UINT_MAX);
}

static void one_waits_for_another(void **state)
{
    (void)state;
    begin_with(1);
    enters(0, TO_THE_END);
    client[1].meanwhile = the_first_leaves;
    enters(1, TO_THE_END);
    assert_int_equal(client[1].requests, 1);
    leaves(1, TO_THE_END);
}

static void what_is_asked_twice_is_done_once(void **state)
{
    (void)state;
    begin_with(2);
    client[0].times = 2;
    enters(0, TO_THE_END);
    assert_int_equal(memory.line[0].created, frame[0].session.own.created);
    client[0].times = 3;
    leaves(0, TO_THE_END); /* its session is in time: so it was done before */
    assert_int_equal(frame[0].session.own.drawn, memory.passages[0].modified);
}

static void a_deadline_that_has_passed_is_noticed(void **state)
{
    (void)state;
    begin_with(1);
    client[0].late = true;
    enters(0, HAS_NO_PLACE);
    assert_int_equal(memory.line[0].created, 0);
    enters(0, TO_THE_END); /* by another session */
    memory.line[0] = (struct stamp){0};
    client[0].late = true;
    leaves(0, WAS_LOST);
    enters(0, TO_THE_END);
}

static void an_answer_that_is_not_waited_for_ends_the_session(void **state)
{
    (void)state;
    begin_with(1);
    client[0].unheard = true;
    enters(0, HAS_NO_PLACE);
    assert_int_equal(memory.line[0].created, 0);
    enters(0, TO_THE_END);
    client[0].unheard = true;
    leaves(0, WAS_LOST);
}

static void giving_up_in_line_is_to_leave(void **state)
{
    (void)state;
    begin_with(2);
    enters(0, TO_THE_END);
    enters(1, TO_THE_END);
    client[2].impatient = true;
    enters(2, GIVES_UP);
    leaves(2, TO_THE_END);
    assert_int_not_equal(memory.slot[0].created, 0); /* the others have theirs still */
    assert_int_not_equal(memory.slot[1].created, 0);
}

static void another_k_is_told(void **state)
{
    (void)state;
    begin_with(2);
    client[0].k = 3;
    enters(0, OTHER_K);
    assert_int_equal(memory.line[0].created, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_requests_a_pass),
                                       cmocka_unit_test(three_with_slots),
                                       cmocka_unit_test(slots_are_found_upwards),
                                       cmocka_unit_test(one_request_finds_the_slot),
                                       cmocka_unit_test(a_slot_that_is_asked_for_twice_is_one),
                                       cmocka_unit_test(slots_are_left_from_another_k),
                                       cmocka_unit_test(a_slot_is_for_one_in_line),
                                       cmocka_unit_test(one_waits_for_another),
                                       cmocka_unit_test(what_is_asked_twice_is_done_once),
                                       cmocka_unit_test(a_deadline_that_has_passed_is_noticed),
                                       cmocka_unit_test(an_answer_that_is_not_waited_for_ends_the_session),
                                       cmocka_unit_test(giving_up_in_line_is_to_leave),
                                       cmocka_unit_test(another_k_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
