/* SPDX-License-Identifier: MIT
 *
 * Another boot, and what only looks like one. Containers (systemd-nspawn, LXC) show a boot id of their own, and share
 * gates with the machine all the same. Promised: nobody is let in beside a process that lives, however the boot ids
 * differ, and all see the same gate; that a gate is of an earlier boot is proved, not guessed. Where it is so, the gate
 * is empty with its k, whatever a power failure has left of its words.
 */
#include "faults.h"
#include "layout.h"

#include <sys/mount.h>

static const char other_boot_id[] = "01234567-89ab-4cde-8f01-23456789abcd\n";   /* a container's */
static const char earlier_boot_id[] = "76543210-89ab-4cde-8f01-23456789abcd\n"; /* of a boot that is over */

static const admit_gate_options one = {.k = 1, .capacity = 16};

/* --- two boot ids at once ----------------------------------------------------------------------------------------- */

/* From now on this process, and all that it starts, see another boot id. */
static bool see_another_boot_id(void)
{
    char path[PATH_MAX + 32], text[40] = "";
    snprintf(path, sizeof path, "%s/boot_id~%ld", test_directory(), (long)getpid());
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0444);
    bool written = fd >= 0 && write(fd, other_boot_id, sizeof other_boot_id - 1) == (ssize_t)sizeof other_boot_id - 1;
    if (fd >= 0)
        close(fd);
    static const char file[] = "/proc/sys/kernel/random/boot_id";
    if (!written || unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount(path, file, NULL, MS_BIND, NULL) != 0)
        return false;
    fd = open(file, O_RDONLY | O_CLOEXEC);
    bool seen = fd >= 0 && read(fd, text, 36) == 36 && strncmp(text, other_boot_id, 36) == 0;
    if (fd >= 0)
        close(fd);
    return seen;
}

static void skip_without_mounts(void)
{
    pid_t child = start();
    if (child == 0)
        _exit(see_another_boot_id() ? 0 : CANNOT);
    if (outcome(child, SOON_S) != 0)
        skip_because("it takes root to show another boot id");
}

/* Opens it anew: with k, without, and to look only; none of them goes in. 0: as it should be. */
static int come_and_look(const char *name)
{
    admit_hold hold;
    for (unsigned k = 0; k < 2; k++) {
        admit_gate *gate = admit_gate_open(name, k);
        if (gate == NULL)
            return 2;
        if (admit_gate_try(gate, &hold) != ADMIT_NO_SLOT || enter_within(gate, &hold, 0.6) != ADMIT_TIMED_OUT)
            return 3;
        admit_gate_close(gate);
    }
    admit_gate *gate = admit_gate_open_with(name, &(admit_gate_options){.look_only = 1});
    if (gate == NULL)
        return 4;
    admit_view *view = admit_gate_inspect(gate);
    return view == NULL ? 5 : view->holders != 1 ? 6 : view->holder[0].condition != ADMIT_LIVES ? 7 : 0;
}

/* The holder sees the one id and the newcomer the other; and the other way round. */
static void nobody_goes_in_beside_a_living_one(void **state)
{
    (void)state;
    skip_without_mounts();
    for (unsigned contained = 0; contained < 2; contained++) {
        admit_gate *gate = fresh_gate(&one);
        _Atomic uint32_t *inside = shared_words();
        pid_t holder = start();
        if (holder == 0) {
            admit_hold hold;
            if (contained && !see_another_boot_id())
                _exit(CANNOT);
            gate = admit_gate_open(admit_gate_name(gate), 1); /* as one does there */
            if (gate == NULL || enter_within(gate, &hold, SOON_S) != ADMIT_OK)
                _exit(1);
            atomic_store(inside, 1);
            stay();
        }
        assert_true(comes_true(inside, 1, SOON_S));
        pid_t newcomer = start();
        if (newcomer == 0) {
            if (!contained && !see_another_boot_id())
                _exit(CANNOT);
            _exit(come_and_look(admit_gate_name(gate)));
        }
        int came = outcome(newcomer, 2 * SOON_S);
        if (came != 0)
            fail_msg("with the %s in a container, the newcomer ended with %d", contained ? "holder" : "newcomer", came);
        assert_false(has_ended(holder));
        assert_false(another_gets_in(gate, 0.5));
        end(holder);
        assert_slots(gate, 1);
        admit_gate_close(gate);
        munmap((void *)inside, 4096);
    }
}

/* Each waits for the other in turn: one gate, and one line. */
static void both_take_turns(void **state)
{
    (void)state;
    skip_without_mounts();
    struct gate_witness *witness = make_gate_witness();
    char path[PATH_MAX + 16];
    pid_t child[4];
    snprintf(path, sizeof path, "%s/turns~", test_directory());
    admit_gate *gate = fresh_gate(&one);
    for (unsigned c = 0; c < 4; c++) {
        child[c] = start();
        if (child[c] != 0)
            continue;
        admit_hold hold;
        int file = open_witness_file(path);
        if (c % 2 == 1 && !see_another_boot_id())
            _exit(CANNOT);
        for (unsigned pass = 0; pass < 200; pass++) {
            admit_gate *own = admit_gate_open(admit_gate_name(gate), 1);
            if (own == NULL || enter_within(own, &hold, SOON_S) != ADMIT_OK)
                _exit(1);
            witness_enter(witness, file, hold.slot, 1);
            sched_yield();
            witness_leave(file, hold.slot);
            if (admit_gate_leave(own, &hold) != ADMIT_OK)
                _exit(2);
            admit_gate_close(own);
        }
        _exit(0);
    }
    for (unsigned c = 0; c < 4; c++)
        assert_int_equal(outcome(child[c], LONG_S), 0);
    assert_int_equal(witness->violations, 0);
    assert_int_equal(witness->entries, 4 * 200);
    assert_slots(gate, 1);
    admit_gate_close(gate);
    munmap(witness, sizeof *witness);
}

static void status_works_in_both(void **state)
{
    (void)state;
    skip_without_mounts();
    admit_gate *gate = fresh_gate(&one);
    pid_t holder = start_holder(gate);
    for (unsigned contained = 0; contained < 2; contained++) {
        pid_t child = start();
        if (child == 0) {
            if (contained && !see_another_boot_id())
                _exit(CANNOT);
            become_admit(ADMIT("status", (char *)(uintptr_t)admit_gate_name(gate)));
        }
        int ended = outcome(child, SOON_S);
        if (ended != 0)
            fail_msg("status %s a container ended with %d", contained ? "in" : "outside", ended);
    }
    end(holder);
    assert_slots(gate, 1);
    admit_gate_close(gate);
}

/* A process that has died is recovered from there as from here. */
static void the_dead_are_recovered_across(void **state)
{
    (void)state;
    skip_without_mounts();
    admit_gate *gate = fresh_gate(&one);
    end(start_holder(gate));
    pid_t child = start();
    if (child == 0) {
        admit_hold hold;
        if (!see_another_boot_id())
            _exit(CANNOT);
        gate = admit_gate_open(admit_gate_name(gate), 1);
        if (gate == NULL || enter_within(gate, &hold, SOON_S) != ADMIT_OK)
            _exit(1);
        _exit((int)admit_gate_leave(gate, &hold));
    }
    assert_int_equal(outcome(child, 2 * SOON_S), 0);
    assert_slots(gate, 1);
    admit_gate_close(gate);
}

/* --- an earlier boot ---------------------------------------------------------------------------------------------- */

/* As the machine would find it after a power failure: of a boot that is over, with whatever was on the disk by then. */
static void make_old(const char *path, unsigned torn)
{
    uint64_t random = 88172645463325252u + torn;
    struct stat status;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &status), 0);
    assert_int_equal(pwrite(fd, earlier_boot_id, 36, BOOT_ID_AT), 36);
    for (off_t at = WORDS_AT; torn > 0 && at + 64 <= status.st_size; at += 64) {
        uint64_t words[8];
        for (unsigned w = 0; w < 8; w++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            words[w] = torn == 3 ? 0 : torn == 4 ? UINT64_MAX : random;
        }
        if (torn != 2 || random % 2 == 0) /* 2: only some of the pages have been written */
            assert_int_equal(pwrite(fd, words, sizeof words, at), sizeof words);
    }
    close(fd);
}

static void an_earlier_boots_gate_is_empty(void **state)
{
    (void)state;
    for (unsigned torn = 0; torn < 5; torn++) {
        char name[40], path[PATH_MAX];
        admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 3, .most_k = 5, .capacity = 32});
        assert_int_equal(admit_gate_resize(gate, 2), ADMIT_OK);
        admit_hold hold;
        end(start_holder(gate)), end(start_holder(gate)); /* two were killed, */
        assert_slots(gate, 2);
        pid_t holders[] = {start_holder(gate), start_holder(gate)};
        assert_int_equal(enter_within(gate, &hold, 0.01), ADMIT_TIMED_OUT); /* one gave up, */
        end(holders[0]), end(holders[1]);                                   /* and then the power failed */
        snprintf(name, sizeof name, "%s", admit_gate_name(gate));
        snprintf(path, sizeof path, "%s", admit_gate_path(gate));
        admit_gate_close(gate);
        make_old(path, torn);
        gate = admit_gate_open(name, 0);
        if (gate == NULL)
            fail_msg("torn %u: %s", torn, admit_last_error_text());
        assert_int_equal(admit_gate_k(gate), 2);
        assert_int_equal(admit_gate_most_k(gate), 5);
        assert_int_equal(admit_gate_capacity(gate), 32);
        admit_view *view = admit_gate_inspect(gate);
        assert_int_equal(view->holders + view->waiters, 0);
        assert_int_equal(view->entered + view->recovered + view->abandoned, 0);
        admit_view_free(view);
        assert_slots(gate, 2);
        assert_int_equal(admit_gate_resize(gate, 5), ADMIT_OK);
        assert_slots(gate, 5);
        admit_gate_close(gate);
    }
}

/* Several find it at once, and one of them empties it. */
static void several_find_an_earlier_boots_gate(void **state)
{
    (void)state;
    unsigned rounds = unless_quick(30, 8);
    for (unsigned round = 0; round < rounds; round++) {
        char name[40], path[PATH_MAX];
        _Atomic uint32_t *words = shared_words();
        pid_t child[4];
        admit_gate *gate = fresh_gate(&one);
        end(start_holder(gate));
        snprintf(name, sizeof name, "%s", admit_gate_name(gate));
        snprintf(path, sizeof path, "%s", admit_gate_path(gate));
        admit_gate_close(gate);
        make_old(path, round % 3);
        for (unsigned c = 0; c < 4; c++) {
            child[c] = start();
            if (child[c] != 0)
                continue;
            admit_hold hold;
            while (atomic_load(&words[0]) == 0)
                ;
            admit_gate *own = admit_gate_open(name, 1);
            if (own == NULL || enter_within(own, &hold, SOON_S) != ADMIT_OK)
                _exit(1);
            if (atomic_fetch_add(&words[1], 1) != 0)
                _exit(2);
            usleep(2000);
            atomic_fetch_sub(&words[1], 1);
            _exit((int)admit_gate_leave(own, &hold));
        }
        usleep(2000);
        atomic_store(&words[0], 1);
        for (unsigned c = 0; c < 4; c++)
            assert_int_equal(outcome(child[c], 2 * SOON_S), 0);
        munmap((void *)words, 4096);
    }
}

/* The first who finds it is in a container, and cannot tell that the gate is of an earlier boot; the next one can. */
static void an_earlier_boots_gate_is_not_emptied_over_a_living_one(void **state)
{
    (void)state;
    skip_without_mounts();
    char name[40], path[PATH_MAX];
    _Atomic uint32_t *inside = shared_words();
    admit_gate *gate = fresh_gate(&one);
    snprintf(name, sizeof name, "%s", admit_gate_name(gate));
    snprintf(path, sizeof path, "%s", admit_gate_path(gate));
    admit_gate_close(gate);
    make_old(path, 0);
    pid_t holder = start();
    if (holder == 0) {
        admit_hold hold;
        if (!see_another_boot_id())
            _exit(CANNOT);
        gate = admit_gate_open(name, 1);
        if (gate == NULL || enter_within(gate, &hold, SOON_S) != ADMIT_OK)
            _exit(1);
        atomic_store(inside, 1);
        stay();
    }
    assert_true(comes_true(inside, 1, 2 * SOON_S));
    pid_t newcomer = start();
    if (newcomer == 0)
        _exit(come_and_look(name));
    assert_int_equal(outcome(newcomer, 2 * SOON_S), 0);
    assert_false(has_ended(holder));
    end(holder);
    gate = admit_gate_open(name, 0);
    assert_non_null(gate);
    assert_slots(gate, 1);
    admit_gate_close(gate);
    munmap((void *)inside, 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAULT(nobody_goes_in_beside_a_living_one),
        FAULT(both_take_turns),
        FAULT(status_works_in_both),
        FAULT(the_dead_are_recovered_across),
        FAULT(an_earlier_boots_gate_is_empty),
        FAULT(several_find_an_earlier_boots_gate),
        FAULT(an_earlier_boots_gate_is_not_emptied_over_a_living_one),
    };
    return run_faults("boot", tests);
}
