/* SPDX-License-Identifier: MIT
 *
 * A text that uses a variable outside its block is refused: the checker would see zero there, and the native lock the
 * value that it had last. For k = 1 this text is right, and for each larger k wrong in another way.
 */
#include "unit.h"

#define ADMIT_STEPPED
#define ADMIT_ID "unit:dead_variables"
#define ADMIT_SYMBOL stepped_unit_dead_variables
#include "registers/language.h"

struct shared {
    array x;
};

struct look {
    position at;
    proc j;
    flag seen;
};

struct locals {
    position at;
    proc j;
    flag seen, later;
    struct look look;
};

enum { RIGHT = 1, AFTER_ITS_BLOCK, KEPT_FOR_LATER, AFTER_ITS_LOOP, IN_A_PROCEDURE };

DECLARE
{
    S->x = registers("x", n, BOOLEAN, true, .writer = OWN_ELEMENT);
}

PROCEDURE(look)
BEGIN
    {
        local(L.seen);
        AT("look")
        L.seen = get(S->x[i]);
    }
    for_in_order ("around", L.j, 0, n)
        (void)get(S->x[L.j]);
    if (k == IN_A_PROCEDURE && L.seen) {
        AT("seen")
        (void)get(S->x[i]);
    }
END

ENTER
BEGIN
    {
        local(L.seen);
        AT("see")
        L.seen = get(S->x[i]);
        AT("see again")
        (void)get(S->x[i]);
    }
    AT("outside")
    (void)get(S->x[i]);
    if (k == AFTER_ITS_BLOCK && L.seen) {
        AT("seen")
        (void)get(S->x[i]);
    }
    if (k == KEPT_FOR_LATER)
        L.later = L.seen;
    for_in_order ("loop", L.j, 0, n)
        if (get(S->x[L.j]))
            break;
    AT("behind")
    put(S->x[i], k != AFTER_ITS_LOOP || L.j == i);
    CALL(look, L.look);
END

LEAVE
BEGIN
    AT("leave")
    put(S->x[i], true);
END

ALGORITHM(.title = "Dead variables", .paper = "-", .figure = "", .bits = "n", .fairness = "none",
          CLAIMS({BOUNDED_EXIT, ATOMIC, 0}));

static void explore_for(unsigned k)
{
    struct setting setting = {.algorithm = &stepped_unit_dead_variables, .n = 8, .k = k, .registers = ATOMIC};
    setting.passages[0] = 1; /* and nobody else moves */
    explored_close(explored_open(&setting));
}

static void what_lives_may_be_used(void **state)
{
    char message[512];
    (void)state;
    assert_int_equal(end_of(explore_for, RIGHT, message, sizeof message), 0);
    assert_string_equal(message, "");
}

static void what_does_not_live_may_not(void **state)
{
    char message[512];
    (void)state;
    for (unsigned k = AFTER_ITS_BLOCK; k <= IN_A_PROCEDURE; k++) {
        int status = end_of(explore_for, k, message, sizeof message);
        if (status != 2 || strstr(message, "uses a variable that does not live there") == NULL)
            fail_msg("k = %u: exit status %d, \"%s\"", k, status, message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lives_may_be_used),
        cmocka_unit_test(what_does_not_live_may_not),
    };
    return cmocka_run_group_tests_name("dead_variables", tests, NULL, NULL);
}
