/* SPDX-License-Identifier: MIT
 *
 * own(r): what a process has written into a register of its own, without a step.
 */
#include "unit.h"

#include <sys/wait.h>
#include <unistd.h>

#define ADMIT_STEPPED
#define ADMIT_ID "unit:own"
#define ADMIT_SYMBOL stepped_unit_own
#include "registers/language.h"

struct shared {
    array turn, other;
};

struct locals {
    position at;
    number seen;
};

/* What it does wrong is chosen by k; 1 is right. */
enum { RIGHT = 1, FOREIGN, NOT_REMEMBERED };

DECLARE
{
    S->turn = registers("turn", n, 4, 1, .writer = OWN_ELEMENT, .remembered = true);
    S->other = registers("other", n, BOOLEAN, false, .writer = OWN_ELEMENT);
}

ENTER
BEGIN
    AT("next turn")
    put(S->turn[i], (own(S->turn[i]) + 1) % 4);
    L.seen = (number)own(S->turn[i]); /* as just written */
    AT("look")
    (void)get(S->other[i]);
    if (k != RIGHT)
        L.seen = (number)own((k == FOREIGN ? S->turn : S->other)[k == FOREIGN ? (i + 1) % n : i]);
END

LEAVE
BEGIN
    AT("leave")
    put(S->other[i], own(S->turn[i]) % 2);
END

ALGORITHM(.title = "own", .paper = "-", .figure = "", .bits = "3 * n", .fairness = "none",
          CLAIMS({DEADLOCK_FREEDOM, ATOMIC, 0}));

static struct setting of(unsigned n, unsigned k)
{
    struct setting setting = {.algorithm = &stepped_unit_own, .n = n, .k = k};
    memset(setting.passages, UNBOUNDED_PASSAGES, sizeof setting.passages);
    return setting;
}

static void step(const struct instance *instance, unsigned i, struct process *process, uint64_t value,
                 struct access *access)
{
    struct process from = *process;
    assert_true(process_step(instance, i, &from, 0, value, process, access));
}

static number seen_by(const struct process *process)
{
    struct locals locals;
    memcpy(&locals, process->locals, sizeof locals);
    return locals.seen;
}

static void it_is_remembered_from_passage_to_passage(void **state)
{
    (void)state;
    struct setting setting = of(2, RIGHT);
    struct instance instance;
    struct process process;
    struct access access;
    instance_open(&instance, &setting);
    process_start(&instance, 1, &process);
    for (unsigned turn = 2; turn < 12; turn++) {
        step(&instance, 1, &process, 77, &access); /* what the register holds is not looked at */
        assert_int_equal(access.kind, WRITE);
        assert_int_equal(access.result, turn % 4);
        assert_int_equal(seen_by(&process), turn % 4);
        step(&instance, 1, &process, 0, &access);
        assert_int_equal(access.kind, READ);
        assert_int_equal(process.section, CRITICAL);
        step(&instance, 1, &process, 0, &access);
        assert_int_equal(access.result, turn % 2);
        assert_int_equal(process.section, REMAINDER);
    }
    instance_close(&instance);
}

/* On registers that are not atomic the copy changes when the write ends. */
static void a_write_that_takes_time(void **state)
{
    (void)state;
    struct setting setting = of(1, RIGHT);
    struct instance instance;
    struct process process;
    struct access access;
    setting.registers = SAFE;
    instance_open(&instance, &setting);
    process_start(&instance, 0, &process);
    step(&instance, 0, &process, 1, &access);
    assert_true(access.begins);
    step(&instance, 0, &process, 1, &access);
    assert_int_equal(access.result, 2);
    assert_int_equal(seen_by(&process), 2);
    instance_close(&instance);
}

/* The copy agrees with the register in every state, also after faults that write it. */
static void copies_agree(void **state)
{
    (void)state;
    for (unsigned fault = 0; fault < 3; fault++) {
        struct setting setting = of(2, RIGHT);
        setting.aborts = fault == 1;
        setting.failures = fault == 2;
        struct explored *explored = explored_open(&setting);
        for (uint32_t s = 0; s < explored->exploration.states; s++) {
            for (unsigned i = 0; i < 2; i++) {
                const struct process *process = process_in(explored, s, i);
                uint64_t copy;
                memcpy(&copy, process->locals + copies_at(&explored->model.instance), sizeof copy);
                if (process->mode == FOLLOWS_TEXT)
                    assert_int_equal(copy, value_in(explored, s, i));
            }
        }
        explored_close(explored);
    }
}

/* The exit status of a run that ends the program. */
static int status_of(void (*run)(unsigned), unsigned k)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        fclose(stderr);
        run(k);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void two_steps(unsigned k)
{
    struct setting setting = of(2, k);
    struct instance instance;
    struct process process;
    struct access access;
    instance_open(&instance, &setting);
    process_start(&instance, 0, &process);
    step(&instance, 0, &process, 1, &access);
    step(&instance, 0, &process, 0, &access);
}

static void open_transient(unsigned k)
{
    struct setting setting = of(2, k);
    struct instance instance;
    setting.transient = true;
    instance_open(&instance, &setting);
}

static void only_own_registers(void **state)
{
    (void)state;
    assert_int_equal(status_of(two_steps, RIGHT), 0);
    assert_int_equal(status_of(two_steps, FOREIGN), 2);
    assert_int_equal(status_of(two_steps, NOT_REMEMBERED), 2);
    assert_int_equal(status_of(open_transient, RIGHT), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_remembered_from_passage_to_passage),
        cmocka_unit_test(a_write_that_takes_time),
        cmocka_unit_test(copies_agree),
        cmocka_unit_test(only_own_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
