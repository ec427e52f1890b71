/* SPDX-License-Identifier: MIT
 *
 * What README.md's table says of sem_t, SysV semaphores with SEM_UNDO and flock(2), and of a gate beside them: each cell is
 * a case here. The table's commands are in tests/cli/peers.bats.
 */
#include "peers.h"

/* --- order -------------------------------------------------------------------------------------------------------------- */

/* In each round a visitor sleeps, and this process leaves and tries again at once. Returns how often it was in again before
 * the sleeper; the first time suffices if `until_once`. */
static unsigned passed(const struct peer *peer, unsigned rounds, bool until_once)
{
    unsigned times = 0;
    begin(peer, 1);
    for (unsigned round = 0; round < rounds && (times == 0 || !until_once); round++) {
        memset(book, 0, sizeof *book);
        assert_int_not_equal(peer->enter(true), NO_SLOT);
        visit_and_sleep(peer, 0);
        peer->leave();
        if (peer->enter(false) != NO_SLOT) {
            times++;
            peer->leave();
        }
        lets_go(0);
        reap(visitor[0]);
    }
    peer->unmake();
    return times;
}

static void in_order(const struct peer *peer)
{
    begin(peer, 1);
    assert_int_not_equal(peer->enter(true), NO_SLOT);
    for (unsigned v = 0; v < VISITORS; v++) {
        lets_go(v);
        visit_and_sleep(peer, v);
    }
    peer->leave();
    for (unsigned v = 0; v < VISITORS; v++)
        reap(visitor[v]);
    for (unsigned v = 0; v < VISITORS; v++)
        assert_int_equal(book->order[v], v);
    peer->unmake();
}

static void a_running_process_passes_sleeping_ones_at_a_sem_t(void **state)
{
    (void)state;
    assert_int_equal(passed(&posix, ROUNDS, true), 1);
}

static void a_running_process_passes_sleeping_ones_at_flock(void **state)
{
    (void)state;
    assert_int_equal(passed(&locked, ROUNDS, true), 1);
}

static void undo_is_in_order(void **state)
{
    (void)state;
    in_order(&undo);
    assert_int_equal(passed(&undo, 10, false), 0);
}

static void a_gate_is_in_order(void **state)
{
    (void)state;
    in_order(&admits);
    assert_int_equal(passed(&admits, 10, false), 0);
}

/* --- a holder is killed ---------------------------------------------------------------------------------------------------- */

static void a_holder_is_killed(const struct peer *peer)
{
    begin(peer, 1);
    visit_inside(peer, 0, false);
    assert_int_equal(peer->enter(false), NO_SLOT);
    kill_and_reap(visitor[0]);
}

/* It comes back, and once. */
static void comes_back(const struct peer *peer)
{
    assert_int_not_equal(peer->enter(false), NO_SLOT);
    if (peer != &locked) /* where a second lock of the same description is none */
        assert_int_equal(peer->enter(false), NO_SLOT);
}

static void a_sem_t_loses_it(void **state)
{
    (void)state;
    a_holder_is_killed(&posix);
    assert_int_equal(posix.enter(false), NO_SLOT);
    posix.unmake();
}

static void undo_gives_it_back(void **state)
{
    (void)state;
    a_holder_is_killed(&undo);
    comes_back(&undo);
    undo.unmake();
}

static void flock_gives_it_back(void **state)
{
    (void)state;
    a_holder_is_killed(&locked);
    comes_back(&locked);
    locked.unmake();
}

static void a_gate_gives_it_back_and_tells(void **state)
{
    (void)state;
    a_holder_is_killed(&admits);
    admit_hold more;
    assert_int_equal(admit_gate_try(gate, &hold), ADMIT_OK);
    assert_int_equal(hold.owner_died, 1);
    assert_int_equal(admit_gate_try(gate, &more), ADMIT_NO_SLOT);
    gate_leave();
    admits.unmake();
}

/* --- and a child that it has forked lives on ---------------------------------------------------------------------------------- */

/* Returns the child. */
static pid_t a_parent_is_killed(const struct peer *peer)
{
    begin(peer, 1);
    visit_inside(peer, 0, true);
    kill_and_reap(visitor[0]);
    return book->of[0].child;
}

static void a_sem_t_has_lost_it(void **state)
{
    (void)state;
    pid_t child = a_parent_is_killed(&posix);
    assert_int_equal(posix.enter(false), NO_SLOT);
    kill_and_reap(child);
    assert_int_equal(posix.enter(false), NO_SLOT);
    posix.unmake();
}

static void undo_does_not_count_children(void **state)
{
    (void)state;
    pid_t child = a_parent_is_killed(&undo);
    comes_back(&undo);
    kill_and_reap(child);
    undo.unmake();
}

static void flock_is_still_held(void **state)
{
    (void)state;
    pid_t child = a_parent_is_killed(&locked);
    assert_int_equal(locked.enter(false), NO_SLOT);
    kill_and_reap(child);
    comes_back(&locked);
    locked.unmake();
}

static void a_gate_does_not_count_children(void **state)
{
    (void)state;
    pid_t child = a_parent_is_killed(&admits);
    assert_int_equal(admit_gate_try(gate, &hold), ADMIT_OK);
    gate_leave();
    kill_and_reap(child);
    admits.unmake();
}

/* --- a slot of one's own --------------------------------------------------------------------------------------------------------- */

static bool two_are_told_apart(const struct peer *peer)
{
    begin(peer, 2);
    for (unsigned v = 0; v < 2; v++)
        visit_inside(peer, v, false);
    assert_int_equal(peer->enter(false), NO_SLOT);
    for (unsigned v = 0; v < 2; v++) {
        lets_go(v);
        reap(visitor[v]);
    }
    peer->unmake();
    return book->of[0].told != book->of[1].told;
}

static void only_a_gate_has_slots(void **state)
{
    (void)state;
    assert_false(two_are_told_apart(&posix));
    assert_false(two_are_told_apart(&undo));
    assert_true(two_are_told_apart(&admits));
}

/* --- who is inside, who waits ------------------------------------------------------------------------------------------------------- */

/* The first is inside, two more wait. */
static void a_line(const struct peer *peer)
{
    begin(peer, 1);
    visit_inside(peer, 0, false);
    for (unsigned v = 1; v < 3; v++)
        visit_and_sleep(peer, v);
}

static void end_line(const struct peer *peer)
{
    for (unsigned v = 0; v < 3; v++)
        kill_and_reap(visitor[v]);
    peer->unmake();
}

static void a_sem_t_tells_nothing(void **state)
{
    (void)state;
    int alone, waited_for;
    begin(&posix, 1);
    assert_int_equal(posix.enter(true), 0);
    sem_getvalue(semaphore, &alone);
    posix.unmake();
    a_line(&posix);
    sem_getvalue(semaphore, &waited_for);
    assert_int_equal(alone, waited_for);
    end_line(&posix);
}

static void undo_counts(void **state)
{
    (void)state;
    a_line(&undo);
    assert_int_equal(semctl(sysv, 0, GETVAL), 0);
    assert_int_equal(semctl(sysv, 0, GETNCNT), 2);
    end_line(&undo);
    /* The only process that it names is the last that did anything, which need not be inside. */
    begin(&undo, 2);
    visit_inside(&undo, 0, false);
    visit_inside(&undo, 1, false);
    lets_go(1);
    reap(visitor[1]);
    assert_int_equal(semctl(sysv, 0, GETPID), visitor[1]);
    kill_and_reap(visitor[0]);
    undo.unmake();
}

/* Whether /proc/locks has a lock of this process on our file: one that it has, or one that it waits for. */
static bool is_listed(pid_t process, bool waits)
{
    struct stat status;
    char line[256], name[80];
    bool found = false;
    assert_int_equal(stat(lock_path, &status), 0);
    snprintf(name, sizeof name, " FLOCK  ADVISORY  WRITE %d ", (int)process);
    char inode[40];
    snprintf(inode, sizeof inode, ":%llu ", (unsigned long long)status.st_ino);
    FILE *locks = fopen("/proc/locks", "re");
    while (locks != NULL && fgets(line, sizeof line, locks) != NULL)
        found = found ||
                (strstr(line, name) != NULL && strstr(line, inode) != NULL && (strstr(line, "->") != NULL) == waits);
    if (locks != NULL)
        fclose(locks);
    return found;
}

static void flock_is_in_proc_locks(void **state)
{
    (void)state;
    if (access("/proc/locks", R_OK) != 0)
        skip();
    a_line(&locked);
    assert_true(is_listed(visitor[0], false));
    assert_true(is_listed(visitor[1], true));
    assert_true(is_listed(visitor[2], true));
    end_line(&locked);
}

static void a_gate_shows_them(void **state)
{
    (void)state;
    a_line(&admits);
    admit_view *view = admit_gate_inspect(gate);
    assert_int_equal(view->holders, 1);
    assert_int_equal(view->holder[0].pid, visitor[0]);
    assert_true(view->holder[0].since > 0);
    assert_int_equal(view->waiters, 2);
    for (unsigned w = 0; w < 2; w++) {
        assert_int_equal(view->waiter[w].pid, visitor[w + 1]);
        assert_int_equal(view->waiter[w].place, w + 1);
        assert_true(view->waiter[w].since >= view->holder[0].since);
    }
    admit_view_free(view);
    end_line(&admits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_running_process_passes_sleeping_ones_at_a_sem_t),
        cmocka_unit_test(a_running_process_passes_sleeping_ones_at_flock),
        cmocka_unit_test(undo_is_in_order),
        cmocka_unit_test(a_gate_is_in_order),
        cmocka_unit_test(a_sem_t_loses_it),
        cmocka_unit_test(undo_gives_it_back),
        cmocka_unit_test(flock_gives_it_back),
        cmocka_unit_test(a_gate_gives_it_back_and_tells),
        cmocka_unit_test(a_sem_t_has_lost_it),
        cmocka_unit_test(undo_does_not_count_children),
        cmocka_unit_test(flock_is_still_held),
        cmocka_unit_test(a_gate_does_not_count_children),
        cmocka_unit_test(only_a_gate_has_slots),
        cmocka_unit_test(a_sem_t_tells_nothing),
        cmocka_unit_test(undo_counts),
        cmocka_unit_test(flock_is_in_proc_locks),
        cmocka_unit_test(a_gate_shows_them),
    };
    test_directory();
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* to wait for children of those that were killed */
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_test_directory();
    return failed;
}
