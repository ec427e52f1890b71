/* SPDX-License-Identifier: MIT
 *
 * Holds that are left to a family: whoever has a descriptor open, if the process that entered is killed. They are had after
 * the fork, so that the command and what it has started know nothing of them.
 */
#include "gate_witness.h"

#include "gate/calls/calls.h"

#include <pthread.h>
#include <sys/prctl.h>

enum { SLOTS = 2 };

static _Noreturn void stay(void)
{
    for (;;)
        pause();
}

static void reap(pid_t child)
{
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void kill_and_reap(pid_t child)
{
    assert_int_equal(kill(child, SIGKILL), 0);
    reap(child);
}

static unsigned orphans_of(admit_gate *gate)
{
    unsigned orphans = 0;
    admit_view *view = admit_gate_inspect(gate);
    for (unsigned h = 0; h < view->holders; h++)
        orphans += view->holder[h].condition == ADMIT_ORPHAN;
    admit_view_free(view);
    return orphans;
}

/* Whether no slot can be had: one that only tries takes part in recovering the dead, too. */
static void assert_taken(admit_gate *gate)
{
    admit_hold hold;
    assert_int_equal(admit_gate_try(gate, &hold), ADMIT_NO_SLOT);
}

/* As they come back: the last who has the descriptor open may be about to close it. */
static void assert_back(admit_gate *gate, unsigned slots)
{
    admit_hold hold[SLOTS];
    for (unsigned s = 0; s < slots; s++)
        assert_int_equal(admit_gate_enter(gate, &hold[s]), ADMIT_OK);
    for (unsigned s = 0; s < slots; s++)
        assert_int_equal(admit_gate_leave(gate, &hold[s]), ADMIT_OK);
    assert_all_slots_are_there(gate, SLOTS);
}

/* --- one family --------------------------------------------------------------------------------------------------- */

/* What the wrapper has done when it says so, and whom it has started. */
struct household {
    admit_gate *gate;
    int done[2];
    pid_t wrapper;
    struct started {
        _Atomic int command, grandchild;
    } * started;
};

/* The command and its child, which keep whatever is open. By exec, as commands are. */
static void start_command(struct household *house)
{
    pid_t command = fork();
    if (command == 0) {
        pid_t grandchild = fork();
        if (grandchild == 0)
            atomic_store(&house->started->grandchild, getpid());
        else
            atomic_store(&house->started->command, getpid());
        execlp("sleep", "sleep", "1000", (char *)NULL);
        _exit(127);
    }
    while (atomic_load(&house->started->grandchild) == 0 || atomic_load(&house->started->command) == 0)
        usleep(200);
}

typedef void wrapper_fn(struct household *house, int family);

static struct household start_household(const admit_gate_options *options, wrapper_fn *wraps)
{
    struct household house = {.gate = admit_gate_open_with("family", options)};
    assert_non_null(house.gate);
    assert_int_equal(pipe2(house.done, O_CLOEXEC), 0);
    house.started = mmap(NULL, sizeof *house.started, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    house.wrapper = fork();
    if (house.wrapper == 0) {
        house.gate = admit_gate_open("family", 0);
        int family = house.gate != NULL ? admit_gate_family(house.gate) : -1;
        if (family < 100 || fcntl(family, F_GETFD) != 0)
            _exit(1);
        start_command(&house);
        wraps(&house, family);
        say(house.done[1]);
        stay();
    }
    assert_true(hear(house.done[0]));
    return house;
}

static void end_household(struct household *house)
{
    admit_gate_close(house->gate);
    assert_int_equal(admit_gate_remove("family", 0), ADMIT_OK);
    close(house->done[0]), close(house->done[1]);
    munmap(house->started, sizeof *house->started);
}

static void enter_for_family(admit_gate *gate, int family, admit_hold *hold)
{
    if (admit_gate_enter(gate, hold) != ADMIT_OK || admit_gate_bequeath_to(gate, hold, family) != ADMIT_OK)
        _exit(2);
}

static void takes_two(struct household *house, int family)
{
    admit_hold hold[SLOTS];
    for (unsigned h = 0; h < SLOTS; h++)
        enter_for_family(house->gate, family, &hold[h]);
    for (unsigned pass = 0; pass < 50; pass++) { /* one of them again and again */
        if (admit_gate_leave(house->gate, &hold[0]) != ADMIT_OK)
            _exit(3);
        enter_for_family(house->gate, family, &hold[0]);
    }
}

static const admit_gate_options two = {.k = SLOTS, .capacity = 16};

static unsigned locks_of_families(const admit_gate *gate)
{
    char line[200];
    unsigned count = 0;
    FILE *locks = fopen("/proc/locks", "re");
    assert_non_null(locks);
    while (fgets(line, sizeof line, locks) != NULL) {
        unsigned long long inode, start;
        const char *at = strrchr(line, ':');
        if (at != NULL && sscanf(at, ":%llu %llu", &inode, &start) == 2)
            count += inode == gate->file.inode && start >= UINT64_C(1) << 61 && start < UINT64_C(3) << 60;
    }
    fclose(locks);
    return count;
}

static void what_is_left_to_a_family_lasts_as_long_as_that(void **state)
{
    (void)state;
    struct household house = start_household(&two, takes_two);
    assert_taken(house.gate);
    assert_int_equal(orphans_of(house.gate), 0);
    assert_int_equal(locks_of_families(house.gate), SLOTS); /* what was left has been unlocked */
    kill_and_reap(house.wrapper);
    assert_int_equal(orphans_of(house.gate), SLOTS);
    assert_taken(house.gate);
    kill_and_reap(house.started->command);
    assert_taken(house.gate);
    assert_int_equal(orphans_of(house.gate), SLOTS);
    kill_and_reap(house.started->grandchild);
    assert_back(house.gate, SLOTS);
    end_household(&house);
}

static void takes_one_and_leaves_one(struct household *house, int family)
{
    admit_hold kept, left;
    enter_for_family(house->gate, family, &kept);
    enter_for_family(house->gate, family, &left);
    if (admit_gate_leave(house->gate, &left) != ADMIT_OK)
        _exit(3);
}

static void takes_one_for_itself(struct household *house, int family)
{
    admit_hold own, kept;
    if (admit_gate_enter(house->gate, &own) != ADMIT_OK)
        _exit(3);
    enter_for_family(house->gate, family, &kept);
}

/* What was left again, or never bequeathed, comes back at once. */
static void what_is_not_left_to_it_comes_back(void **state)
{
    (void)state;
    wrapper_fn *const ways[] = {takes_one_and_leaves_one, takes_one_for_itself};
    for (unsigned way = 0; way < 2; way++) {
        admit_hold hold;
        struct household house = start_household(&two, ways[way]);
        kill_and_reap(house.wrapper);
        assert_int_equal(admit_gate_try(house.gate, &hold), ADMIT_OK);
        assert_taken(house.gate);
        assert_int_equal(admit_gate_leave(house.gate, &hold), ADMIT_OK);
        kill_and_reap(house.started->command);
        kill_and_reap(house.started->grandchild);
        assert_back(house.gate, SLOTS);
        end_household(&house);
    }
}

/* --- others, descriptors, threads --------------------------------------------------------------------------------- */

/* A process that may only read has locked all of the file, before or after: then the family's lock is one among
 * several. */
static void readers_with_locks_are_no_family(void **state)
{
    (void)state;
    admit_gate_close(admit_gate_open_with("family", &two));
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/family", test_directory());
    int reader = open(path, O_RDONLY | O_CLOEXEC);
    struct flock all = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0};
    assert_true(reader >= 0);
    assert_int_equal(fcntl(reader, F_OFD_SETLK, &all), 0);
    struct household house = start_household(&two, takes_two);
    kill_and_reap(house.wrapper);
    assert_int_equal(orphans_of(house.gate), SLOTS);
    assert_taken(house.gate);
    kill_and_reap(house.started->command);
    kill_and_reap(house.started->grandchild);
    assert_back(house.gate, SLOTS);
    close(reader);
    end_household(&house);
}

struct helper {
    admit_gate *gate;
    admit_hold hold;
    int family;
    admit_error bequeathed, left;
};

static void *bequeaths_and_leaves(void *data)
{
    struct helper *helper = data;
    helper->bequeathed = admit_gate_bequeath_to(helper->gate, &helper->hold, helper->family);
    helper->left = admit_gate_leave(helper->gate, &helper->hold);
    return NULL;
}

static void by_helper(struct helper *helper)
{
    pthread_t thread;
    pthread_create(&thread, NULL, bequeaths_and_leaves, helper);
    pthread_join(thread, NULL);
}

static void who_may_bequeath_and_to_what(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_create_private(&two), *other = admit_gate_create_private(&two);
    int family = admit_gate_family(gate), elsewhere = admit_gate_family(other);
    admit_hold hold;
    assert_true(family >= 100 && elsewhere >= 100 && elsewhere != family);
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    assert_int_equal(admit_gate_bequeath_to(gate, &hold, elsewhere), ADMIT_BAD_OPTION);
    assert_int_equal(admit_gate_bequeath_to(gate, &hold, -1), ADMIT_BAD_OPTION);
    assert_int_equal(admit_gate_bequeath_to(gate, &hold, gate->file.fd), ADMIT_BAD_OPTION);
    struct helper helper = {.gate = gate, .hold = hold, .family = family};
    by_helper(&helper);
    assert_int_equal(helper.bequeathed, ADMIT_NOT_HOLDING);
    assert_int_equal(helper.left, ADMIT_NOT_HOLDING);
    assert_int_equal(admit_gate_bequeath_to(gate, &hold, family), ADMIT_OK);
    assert_int_equal(admit_gate_bequeath_to(gate, &hold, family), ADMIT_BAD_OPTION);
    assert_int_equal(admit_gate_await_heirs(gate, &hold), ADMIT_BAD_OPTION);
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    assert_int_equal(admit_gate_bequeath_to(gate, &hold, family), ADMIT_NOT_HOLDING);
    assert_int_equal(admit_gate_enter_with(gate, &helper.hold, &(admit_wait){.any_thread = 1}), ADMIT_OK);
    by_helper(&helper);
    assert_int_equal(helper.bequeathed, ADMIT_OK);
    assert_int_equal(helper.left, ADMIT_OK);
    assert_all_slots_are_there(gate, SLOTS);
    close(family), close(elsewhere);
    admit_gate_close(gate);
    admit_gate_close(other);
}

static void *ends_with_a_hold(void *data)
{
    struct helper *helper = data;
    enter_for_family(helper->gate, helper->family, &helper->hold);
    return NULL;
}

/* The end of a thread is a kill: what it had is the family's, of which this process is one. */
static void a_thread_that_ends_leaves_it_to_the_family(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_create_private(&two);
    struct helper helper = {.gate = gate, .family = admit_gate_family(gate)};
    admit_hold own;
    pthread_t thread;
    pthread_create(&thread, NULL, ends_with_a_hold, &helper);
    pthread_join(thread, NULL);
    assert_int_equal(admit_gate_enter(gate, &own), ADMIT_OK);
    assert_taken(gate);
    assert_int_equal(admit_gate_leave(gate, &helper.hold), ADMIT_NOT_HOLDING);
    close(helper.family);
    assert_int_equal(admit_gate_leave(gate, &own), ADMIT_OK);
    assert_back(gate, SLOTS);
    admit_gate_close(gate);
}

/* --- wrappers that are killed at any time -------------------------------------------------------------------------- */

/* A wrapper has a slot for each job that it gives to its command; the command, and not the wrapper, is seen by the witness.
 * It ends when it has no wrapper any more, after the job that it is at. */
static _Noreturn void do_jobs(struct gate_witness *witness, const char *path, int jobs, int results)
{
    unsigned slot;
    int file = open_witness_file(path);
    while (read(jobs, &slot, sizeof slot) == (ssize_t)sizeof slot) {
        witness_enter(witness, file, slot, SLOTS);
        usleep(3000);
        witness_leave(file, slot);
        if (write(results, &slot, sizeof slot) != (ssize_t)sizeof slot)
            break;
    }
    _exit(0);
}

static _Noreturn void wrap(struct gate_witness *witness, const char *path)
{
    admit_gate *gate = admit_gate_open("family", 0);
    int jobs[2], results[2], family = gate != NULL ? admit_gate_family(gate) : -1;
    signal(SIGPIPE, SIG_IGN);
    if (family < 0 || pipe(jobs) != 0 || pipe(results) != 0)
        _exit(1);
    if (fork() == 0) {
        close(jobs[1]), close(results[0]);
        do_jobs(witness, path, jobs[0], results[1]);
    }
    close(jobs[0]), close(results[1]);
    for (;;) {
        admit_hold hold;
        unsigned slot;
        enter_for_family(gate, family, &hold);
        if (write(jobs[1], &hold.slot, sizeof hold.slot) != (ssize_t)sizeof hold.slot ||
            read(results[0], &slot, sizeof slot) != (ssize_t)sizeof slot || slot != hold.slot ||
            admit_gate_leave(gate, &hold) != ADMIT_OK)
            _exit(2);
    }
}

static void wrappers_are_killed_at_random(void **state)
{
    (void)state;
    enum { WRAPPERS = 4 };
    pid_t wrapper[WRAPPERS];
    char path[PATH_MAX + 16];
    uint64_t random = 88172645463325252u;
    struct gate_witness *witness = make_gate_witness();
    snprintf(path, sizeof path, "%s/witness", test_directory());
    admit_gate *gate = admit_gate_open_with("family", &two);
    assert_non_null(gate);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (unsigned w = 0; w < WRAPPERS; w++)
        if ((wrapper[w] = fork()) == 0)
            wrap(witness, path);
    for (unsigned kills = 0; kills < unless_quick(200, 20); kills++) {
        uint64_t before = atomic_load(&witness->entries);
        while (atomic_load(&witness->entries) < before + 3) /* they go on */
            usleep(200);
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        usleep((random >> 40) % 5000);
        unsigned victim = (random >> 20) % WRAPPERS;
        kill_and_reap(wrapper[victim]);
        if ((wrapper[victim] = fork()) == 0)
            wrap(witness, path);
    }
    for (unsigned w = 0; w < WRAPPERS; w++)
        kill_and_reap(wrapper[w]);
    while (waitpid(-1, NULL, 0) > 0) /* their commands */
        ;
    assert_int_equal(atomic_load(&witness->violations), 0);
    print_message("# %llu jobs\n", (unsigned long long)atomic_load(&witness->entries));
    assert_back(gate, SLOTS);
    admit_gate_close(gate);
    assert_int_equal(admit_gate_remove("family", 0), ADMIT_OK);
    munmap(witness, sizeof *witness);
}

/* A child that inherits, says so, and is a command until it is killed. */
static pid_t start_heir(admit_gate *gate, const admit_hold *hold)
{
    int told[2];
    assert_int_equal(pipe(told), 0);
    pid_t child = fork();
    if (child == 0) {
        if (admit_gate_inherit(gate, hold) != ADMIT_OK)
            _exit(1);
        say(told[1]);
        stay();
    }
    close(told[1]);
    assert_true(hear(told[0]));
    close(told[0]);
    return child;
}

/* To bequeath once more must not take away what a command has by the first time: nobody would know of it. */
static void what_a_command_has_is_not_bequeathed_again(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_create_private(&two);
    int family = admit_gate_family(gate);
    admit_hold hold;
    for (int any_thread = 0; any_thread <= 1; any_thread++)
        for (int with_children = 0; with_children <= 1; with_children++) {
            assert_int_equal(admit_gate_enter_with(gate, &hold, &(admit_wait){.any_thread = any_thread}), ADMIT_OK);
            assert_int_equal(admit_gate_bequeath(gate, &hold, !with_children), ADMIT_OK);
            assert_int_equal(admit_gate_bequeath(gate, &hold, with_children), ADMIT_OK); /* nobody has inherited */
            pid_t heir = start_heir(gate, &hold);
            assert_int_equal(admit_gate_bequeath(gate, &hold, 0), ADMIT_BAD_OPTION);
            assert_int_equal(admit_gate_bequeath(gate, &hold, 1), ADMIT_BAD_OPTION);
            assert_int_equal(admit_gate_bequeath_to(gate, &hold, family), ADMIT_BAD_OPTION);
            kill_and_reap(heir);
            assert_int_equal(admit_gate_await_heirs(gate, &hold), ADMIT_OK);
            assert_int_equal(admit_gate_bequeath(gate, &hold, with_children), ADMIT_OK); /* it has ended */
            heir = start_heir(gate, &hold);
            kill_and_reap(heir);
            assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
            assert_all_slots_are_there(gate, SLOTS);
        }
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    assert_int_equal(admit_gate_bequeath_to(gate, &hold, family), ADMIT_OK);
    assert_int_equal(admit_gate_bequeath(gate, &hold, 0), ADMIT_BAD_OPTION);
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    close(family);
    admit_gate_close(gate);
}

/* The wrapper of start_household, which would take its family's hold away from it. */
static void bequeaths_twice(struct household *house, int family)
{
    admit_hold hold[SLOTS];
    for (unsigned s = 0; s < SLOTS; s++) {
        enter_for_family(house->gate, family, &hold[s]);
        if (admit_gate_bequeath(house->gate, &hold[s], 0) == ADMIT_OK)
            _exit(1);
    }
}

static void a_second_bequest_leaves_the_first_as_it_is(void **state)
{
    (void)state;
    struct household house = start_household(&two, bequeaths_twice);
    kill_and_reap(house.wrapper);
    assert_taken(house.gate);
    kill_and_reap(house.started->command);
    assert_taken(house.gate);
    kill_and_reap(house.started->grandchild);
    assert_back(house.gate, SLOTS);
    end_household(&house);
}

int main(void)
{
    test_directory();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_to_a_family_lasts_as_long_as_that),
        cmocka_unit_test(what_is_not_left_to_it_comes_back),
        cmocka_unit_test(readers_with_locks_are_no_family),
        cmocka_unit_test(who_may_bequeath_and_to_what),
        cmocka_unit_test(what_a_command_has_is_not_bequeathed_again),
        cmocka_unit_test(a_second_bequest_leaves_the_first_as_it_is),
        cmocka_unit_test(a_thread_that_ends_leaves_it_to_the_family),
        cmocka_unit_test(wrappers_are_killed_at_random),
    };
    int failed = cmocka_run_group_tests_name("gate family", tests, NULL, NULL);
    remove_test_directory();
    return failed;
}
