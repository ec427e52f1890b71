/* SPDX-License-Identifier: MIT
 *
 * What is over leaves no traces: neither a handle that was closed, nor a thread that has ended, nor a removal to which
 * somebody objected, nor an earlier boot. What is not over keeps them.
 */
#include "faults.h"

#include "gate/calls/calls.h"

#include <pthread.h>

enum { TIMES = 500 };

/* --- memory and descriptors --------------------------------------------------------------------------------------- */

enum which_pages { MAPPED, IN_MEMORY };

static unsigned long pages_of_this_process(enum which_pages which)
{
    unsigned long pages[2] = {0};
    FILE *file = fopen("/proc/self/statm", "re");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu %lu", &pages[MAPPED], &pages[IN_MEMORY]), 2);
    fclose(file);
    return pages[which];
}

typedef void passing_fn(admit_gate *gate);

/* After it has been done a few times: another 500 times cost not even a page for each, unless the sanitizer keeps it. */
static void assert_no_traces(passing_fn *once, admit_gate *gate)
{
    for (unsigned t = 0; t < 10; t++)
        once(gate);
    unsigned long pages = pages_of_this_process(MAPPED);
    unsigned descriptors = descriptors_of_this_process();
    for (unsigned t = 0; t < TIMES; t++)
        once(gate);
    assert_true(SANITIZED || pages_of_this_process(MAPPED) < pages + TIMES);
    assert_int_equal(descriptors_of_this_process(), descriptors);
}

static void pass_by_another_handle(admit_gate *gate)
{
    admit_hold hold;
    admit_gate *another = admit_gate_open(admit_gate_name(gate), 0);
    assert_non_null(another);
    assert_int_equal(admit_gate_try(another, &hold), ADMIT_OK);
    assert_int_equal(admit_gate_leave(another, &hold), ADMIT_OK);
    admit_gate_close(another);
}

static void of_a_handle(void **state)
{
    (void)state;
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .capacity = 8});
    assert_no_traces(pass_by_another_handle, gate);
    admit_gate_close(gate);
}

static void pass_by_a_private_gate(admit_gate *gate)
{
    (void)gate;
    admit_hold hold;
    admit_gate *another = admit_gate_create_private(&(admit_gate_options){.k = 2, .capacity = 8});
    assert_non_null(another);
    assert_int_equal(admit_gate_enter(another, &hold), ADMIT_OK);
    assert_int_equal(admit_gate_leave(another, &hold), ADMIT_OK);
    admit_gate_close(another);
}

static void of_a_private_gate(void **state)
{
    (void)state;
    assert_no_traces(pass_by_a_private_gate, NULL);
}

/* What could not be opened: for want of the gate, and for want of its like. */
static void fail_to_open(admit_gate *gate)
{
    assert_null(admit_gate_open("no-such-gate", 0));
    assert_null(admit_gate_open(admit_gate_name(gate), 2));
    assert_null(admit_gate_open_with(admit_gate_name(gate), &(admit_gate_options){.k = 1, .look_only = 1}));
}

static void of_a_handle_that_was_refused(void **state)
{
    (void)state;
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .capacity = 8});
    assert_no_traces(fail_to_open, gate);
    admit_gate_close(gate);
}

static void *passes_once(void *gate)
{
    admit_hold hold;
    return admit_gate_enter(gate, &hold) == ADMIT_OK && admit_gate_leave(gate, &hold) == ADMIT_OK ? gate : NULL;
}

static void pass_by_another_thread(admit_gate *gate)
{
    pthread_t thread;
    void *passed;
    assert_int_equal(pthread_create(&thread, NULL, passes_once, gate), 0);
    assert_int_equal(pthread_join(thread, &passed), 0);
    assert_ptr_equal(passed, gate);
}

static void of_a_thread(void **state)
{
    (void)state;
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .capacity = 8});
    assert_no_traces(pass_by_another_thread, gate);
    admit_gate_close(gate);
}

/* Its record is nobody's, and not that of one that has died. */
static void of_a_thread_in_the_gate(void **state)
{
    (void)state;
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = 8});
    pass_by_another_thread(gate);
    for (unsigned who = 0; who < gate->records; who++)
        assert_int_equal(atomic_load(life_of(gate, who)), LIFE_NOBODY);
    admit_gate_close(gate);
}

/* --- the directory's text ----------------------------------------------------------------------------------------- */

enum { TEXTS = 400, BITS = 10 };

struct askers {
    _Atomic unsigned round, answered;
    const char *_Atomic text;
};

static void *asks_each_round(void *all)
{
    struct askers *askers = all;
    for (unsigned round = 1; round <= TEXTS; round++) {
        while (atomic_load(&askers->round) != round)
            ;
        atomic_store(&askers->text, admit_gate_directory());
        atomic_fetch_add(&askers->answered, 1);
    }
    return NULL;
}

/* Another path of the test's directory, of about a page, which begins like no other. */
static void set_directory(unsigned number)
{
    static char variable[PATH_MAX + 8]; /* putenv does not copy it, and so nothing else grows */
    size_t length = (size_t)sprintf(variable, "ADMIT_DIR=");
    for (unsigned bit = 0; bit < BITS; bit++)
        length += (size_t)sprintf(variable + length, "/%c/", (number >> bit & 1) != 0 ? '.' : '/');
    const char *directory = test_directory();
    memset(variable + length, '/', PATH_MAX - length);
    strcpy(variable + PATH_MAX - strlen(directory), directory);
    putenv(variable);
}

/* A text is kept once, also if two ask for it for the first time at once. The more are kept, the longer each looks
 * whether it is among them, and the surer it is that the other does meanwhile. */
static void of_two_that_ask_for_the_directory(void **state)
{
    (void)state;
    struct askers askers = {.round = 0};
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, asks_each_round, &askers), 0);
    unsigned long pages = 0;
    for (unsigned round = 1; round <= TEXTS; round++) {
        set_directory(round);
        atomic_store(&askers.round, round);
        const char *text = admit_gate_directory();
        while (atomic_load(&askers.answered) != round)
            sched_yield();
        assert_non_null(text);
        assert_ptr_equal(atomic_load(&askers.text), text);
        if (round == 10)
            pages = pages_of_this_process(IN_MEMORY);
    }
    setenv("ADMIT_DIR", test_directory(), 1);
    assert_true(SANITIZED || pages_of_this_process(IN_MEMORY) < pages + TEXTS + TEXTS / 4);
    assert_int_equal(pthread_join(other, NULL), 0);
}

/* --- questions ---------------------------------------------------------------------------------------------------- */

static void takes_a_record(void *gate)
{
    admit_hold hold;
    admit_gate_try(gate, &hold);
}

/* Whether this libc has lists is found out once, and not for each record; with musl each time would leave a fork handler.
 * For the second record the kernel alone is asked, where this thread's list is. */
static void of_the_first_look_at_lists(void **state)
{
    (void)state;
    skip_without_ptrace();
    struct call_info info = {0};
    unsigned questions = 0;
    int ended;
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .capacity = 8});
    pid_t child = start_stepped_after(takes_a_record, takes_a_record, gate); /* goes in, and finds no slot */
    while (make_steps(child, PTRACE_SYSCALL, 1, &ended))
        questions += ptrace(PTRACE_GET_SYSCALL_INFO, child, (void *)sizeof info, &info) > 0 &&
                     info.what == CALL_BEGINS && info.number == SYS_get_robust_list;
    assert_int_equal(ended, 0);
    assert_int_equal(questions, 1);
    admit_gate_close(gate);
}

/* --- removal ------------------------------------------------------------------------------------------------------ */

/* As if a remover had been stopped, or killed, after it had asked and before it looked who is there. */
static void of_a_removal(void **state)
{
    (void)state;
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .capacity = 8});
    _Atomic uint32_t *removed = (_Atomic uint32_t *)&gate->header->removed;
    admit_hold hold;
    for (unsigned tries = 0; tries < 2; tries++) {
        atomic_store(removed, with_removal(atomic_load(removed), REMOVAL_UNDECIDED));
        assert_int_equal(tries ? admit_gate_try(gate, &hold) : admit_gate_enter(gate, &hold), ADMIT_OK);
        assert_int_equal(removal_in(atomic_load(removed)), REMOVAL_NONE); /* it has objected */
        assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    }
    admit_gate_close(gate);
}

/* --- an earlier boot ---------------------------------------------------------------------------------------------- */

/* Whoever has a lock has not been there before the boot: what its record says of lists is true still. */
static void of_an_earlier_boot(void **state)
{
    (void)state;
    admit_gate *gate = fresh_gate(&(admit_gate_options){.k = 1, .most_k = 1, .capacity = 8});
    admit_hold hold;
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    struct person *person = person_of(gate, 0);
    const uint64_t listed = atomic_load(&person->listed);
    const uint32_t life = atomic_load(life_of(gate, 0)), earlier = 4711;
    assert_true(listed != 0 && admit_life_names_thread(life));
    if (!admit_anchor_holds(gate, gate->local->anchor->number))
        skip_because("no anchors on this file system");
    atomic_store(&person->listed_before, (uint64_t)earlier);
    admit_life_clear_unless_anchored(gate, 0);
    assert_int_equal(atomic_load(&person->listed), listed);
    assert_int_equal(atomic_load(life_of(gate, 0)), life);
    assert_int_equal(atomic_load(&person->listed_before), 0);
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    admit_gate_close(gate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAULT(of_a_handle),
        FAULT(of_a_private_gate),
        FAULT(of_a_handle_that_was_refused),
        FAULT(of_a_thread),
        FAULT(of_a_thread_in_the_gate),
        FAULT(of_two_that_ask_for_the_directory),
        FAULT(of_the_first_look_at_lists),
        FAULT(of_a_removal),
        FAULT(of_an_earlier_boot),
    };
    return run_faults("traces", tests);
}
