/* SPDX-License-Identifier: MIT
 *
 * kill -9 before each instruction of a passage among others: a process that finds the gate full, lies down, sleeps, is
 * woken and goes in; a process that leaves while others sleep; a process that gives up its place; a process that only
 * tries; a process that recovers the dead, and a process that takes a dead one's record. (tests/native/gate_killed.c
 * has the way of a process that is alone.)
 *
 * A debugger makes single steps. Wherever the stepped process is killed, the others must go on in their order, with
 * never more than k inside, each in a slot of its own, and afterwards there must be k slots. Each kill takes a gate and
 * processes of its own. So one goes through first, and what it passes is noted; of an instruction that comes again and
 * again, the first TIMES times count. Then others are killed there, each at a breakpoint: at every so manyeth, beginning
 * somewhere, which is told; ADMIT_TEST_SEED sets it. ADMIT_TEST_FULL=1 takes them all, and ADMIT_TEST_ONLY=TITLE one
 * scenario alone.
 */
#include "faults.h"

#include <sys/user.h>

enum { STEPS_MAX = 200000, TIMES = 3, PLACES = 8, MOST_K = 2 };

/* --- who is where ------------------------------------------------------------------------------------------------- */

/* GONE is told before it leaves, or is killed, or when it may give up: it keeps nobody behind it from going in. */
enum whereabouts { NOWHERE, IN_LINE, INSIDE, GONE };

struct book {
    _Atomic uint32_t is[PLACES]; /* by place: the order in which they came */
    _Atomic uint32_t in_slot[MOST_K];
    _Atomic uint32_t told_of_death, wrong;
    _Atomic uint32_t has_passed[PLACES];
    _Atomic uint32_t stepped_comes, holders_leave, may_give_up, all_over;
};

struct scene {
    admit_gate *gate;
    struct book *book;
    unsigned k, places; /* taken so far */
};

enum wrong { TOO_MANY = 1, OUT_OF_ORDER = 2, SLOT_TAKEN = 4 };

static void complain(struct book *book, enum wrong what)
{
    atomic_fetch_or(&book->wrong, what);
}

static void note_inside(const struct scene *scene, unsigned place, const admit_hold *hold)
{
    struct book *book = scene->book;
    unsigned before = 0, inside = 0;
    for (unsigned p = 0; p < place; p++)
        before += atomic_load(&book->is[p]) != GONE;
    if (before >= scene->k)
        complain(book, OUT_OF_ORDER);
    if (hold->slot >= scene->k || atomic_exchange(&book->in_slot[hold->slot], place + 1) != 0)
        complain(book, SLOT_TAKEN);
    atomic_fetch_add(&book->told_of_death, hold->owner_died);
    atomic_store(&book->is[place], INSIDE);
    for (unsigned p = 0; p < PLACES; p++)
        inside += atomic_load(&book->is[p]) == INSIDE;
    if (inside > scene->k)
        complain(book, TOO_MANY);
}

static void note_gone(struct book *book, unsigned place)
{
    uint32_t own;
    for (unsigned s = 0; s < MOST_K; s++)
        atomic_compare_exchange_strong(&book->in_slot[s], (own = place + 1, &own), 0);
    atomic_store(&book->is[place], GONE);
}

static void leave_place(const struct scene *scene, unsigned place, const admit_hold *hold)
{
    note_gone(scene->book, place);
    if (admit_gate_leave(scene->gate, hold) != ADMIT_OK)
        _exit(2);
}

static void pass(const struct scene *scene, unsigned place)
{
    admit_hold hold;
    if (admit_gate_enter(scene->gate, &hold) != ADMIT_OK)
        _exit(1);
    note_inside(scene, place, &hold);
    leave_place(scene, place, &hold);
}

/* --- those who are not stepped ------------------------------------------------------------------------------------ */

/* They stay until all is over: else it would be a matter of time whether the stepped one finds them dead. */
static _Noreturn void stay_outside(struct book *book, unsigned place)
{
    atomic_store(&book->has_passed[place], 1);
    while (atomic_load(&book->all_over) == 0)
        usleep(200);
    _exit(0);
}

static char state_of_process(pid_t process)
{
    char path[40], text[256], *after;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    close(fd);
    text[size > 0 ? size : 0] = '\0';
    after = strrchr(text, ')');
    return after == NULL || after[1] == '\0' ? '?' : after[2];
}

static void await_word(_Atomic uint32_t *word, uint32_t value)
{
    for (uint64_t until = monotonic_ns() + (uint64_t)SOON_S * 1000000000; atomic_load(word) != value; usleep(50))
        if (monotonic_ns() > until)
            fail_msg("somebody does not come so far within %d s", SOON_S);
}

struct other {
    pid_t process;
    unsigned place;
};

/* Goes in, and leaves when it is told to. */
static struct other place_holder(struct scene *scene)
{
    unsigned place = scene->places++;
    pid_t holder = start();
    if (holder == 0) {
        admit_hold hold;
        if (admit_gate_enter(scene->gate, &hold) != ADMIT_OK)
            _exit(1);
        note_inside(scene, place, &hold);
        while (atomic_load(&scene->book->holders_leave) == 0)
            usleep(50);
        leave_place(scene, place, &hold);
        stay_outside(scene->book, place);
    }
    await_word(&scene->book->is[place], INSIDE);
    return (struct other){holder, place};
}

static bool waits(admit_gate *gate, pid_t process)
{
    bool found = false;
    admit_view *view = admit_gate_inspect(gate);
    for (unsigned w = 0; w < view->waiters; w++)
        found |= view->waiter[w].pid == process;
    admit_view_free(view);
    return found;
}

static struct other place_in_line(struct scene *scene)
{
    unsigned place = scene->places++;
    atomic_store(&scene->book->is[place], IN_LINE);
    pid_t waiter = start();
    if (waiter == 0) {
        pass(scene, place);
        stay_outside(scene->book, place);
    }
    uint64_t until = monotonic_ns() + (uint64_t)SOON_S * 1000000000;
    while (!waits(scene->gate, waiter) || state_of_process(waiter) != 'S') {
        if (monotonic_ns() > until)
            fail_msg("a waiter does not fall asleep within %d s", SOON_S);
        usleep(50);
    }
    return (struct other){waiter, place};
}

/* --- those who are ------------------------------------------------------------------------------------------------ */

struct stepped {
    struct scene *scene;
    unsigned place;
    admit_hold hold;
};

static void go_in(void *data)
{
    struct stepped *me = data;
    if (admit_gate_enter(me->scene->gate, &me->hold) != ADMIT_OK)
        _exit(1);
    note_inside(me->scene, me->place, &me->hold);
}

static void go_out(void *data)
{
    struct stepped *me = data;
    leave_place(me->scene, me->place, &me->hold);
}

static void go_through(void *data)
{
    struct stepped *me = data;
    pass(me->scene, me->place);
}

static void try_in_vain_or_not(void *data)
{
    struct stepped *me = data;
    admit_error error = admit_gate_try(me->scene->gate, &me->hold);
    if (error == ADMIT_NO_SLOT)
        return;
    if (error != ADMIT_OK)
        _exit(1);
    note_inside(me->scene, me->place, &me->hold);
    leave_place(me->scene, me->place, &me->hold);
}

/* In line, just before it would sleep: here the steps begin. */
static int stop_in_line(void *data, unsigned place)
{
    struct stepped *me = data;
    (void)place;
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(CANNOT);
    raise(SIGSTOP);
    atomic_store(&me->scene->book->may_give_up, 1);
    return 1;
}

static void give_up_in_line(void *data)
{
    struct stepped *me = data;
    admit_wait how = {.waiting = stop_in_line, .data = me};
    _exit(admit_gate_enter_with(me->scene->gate, &me->hold, &how) == ADMIT_INTERRUPTED ? 0 : 1);
}

/* A process that sleeps a moment before it gives up may be taken for one that sleeps on, so that the others go on, and
 * be in. */
static _Noreturn void end_unless_inside(struct stepped *me, admit_error how_it_ended, admit_error expected)
{
    if (how_it_ended == ADMIT_OK)
        how_it_ended = admit_gate_leave(me->scene->gate, &me->hold) == ADMIT_OK ? expected : ADMIT_OK;
    _exit(how_it_ended == expected ? 0 : 1);
}

static int interrupt_itself(void *data, unsigned place)
{
    struct stepped *me = data;
    if (atomic_load(&me->scene->book->may_give_up) == 0) {
        stop_in_line(data, place);
        admit_gate_interrupt(me->scene->gate);
    }
    return 0;
}

static void be_interrupted_in_line(void *data)
{
    struct stepped *me = data;
    admit_wait how = {.waiting = interrupt_itself, .data = me, .interruptible = 1};
    end_unless_inside(me, admit_gate_enter_with(me->scene->gate, &me->hold, &how), ADMIT_INTERRUPTED);
}

static struct timespec its_deadline;

static int let_time_pass(void *data, unsigned place)
{
    struct stepped *me = data;
    if (atomic_load(&me->scene->book->may_give_up) == 0) {
        stop_in_line(data, place);
        its_deadline = (struct timespec){.tv_nsec = 1};
    }
    return 0;
}

static void time_out_in_line(void *data)
{
    struct stepped *me = data;
    admit_wait how = {.waiting = let_time_pass, .data = me, .until = &its_deadline};
    its_deadline = seconds_from_now(LONG_S);
    end_unless_inside(me, admit_gate_enter_with(me->scene->gate, &me->hold, &how), ADMIT_TIMED_OUT);
}

/* --- scenarios ---------------------------------------------------------------------------------------------------- */

/* In the order of `struct scenario`: the holders, those who wait before the stepped one, the stepped one itself, and
 * those who wait behind it, from its first sleep on, or, if it begins in line or inside, from the beginning. */
struct scenario {
    const char *title;
    stepped_fn *first, *call; /* what it does before the steps begin, and then */
    bool is_new;              /* it has not been here before the others came */
    unsigned holders_below_k; /* how many fewer than k */
    unsigned killed_holders, killed_waiters, waiters, behind;
    bool waiters_are_stopped; /* until it sleeps: what they would do for the dead is left to the stepped one */
    bool holders_leave_first; /* before the steps begin */
    bool takes_a_dead_record; /* there is no other */
    bool begins_in_line, begins_inside, gives_up;
};

static const struct scenario scenarios[] = {
    {"enters, with holders inside", NULL, go_through, .behind = 1},
    {"enters behind another who sleeps", NULL, go_through, .waiters = 1},
    {"enters for the first time", NULL, go_through, .is_new = true, .behind = 1},
    {"leaves, with one asleep", go_in, go_out, .holders_below_k = 1, .behind = 1, .begins_inside = true},
    {"leaves, with two asleep", go_in, go_out, .holders_below_k = 1, .behind = 2, .begins_inside = true},
    {"leaves, the only one in line dead", go_in, go_out, .holders_below_k = 1, .killed_waiters = 1,
     .begins_inside = true},
    {"leaves, the next in line dead", go_in, go_out, .holders_below_k = 1, .killed_waiters = 1, .behind = 1,
     .begins_inside = true},
    {"gives up", give_up_in_line, NULL, .behind = 1, .begins_in_line = true, .gives_up = true},
    {"gives up behind another", give_up_in_line, NULL, .waiters = 1, .behind = 1, .begins_in_line = true,
     .gives_up = true},
    {"gives up when its turn has come", give_up_in_line, NULL, .behind = 1, .holders_leave_first = true,
     .begins_in_line = true, .gives_up = true},
    {"is interrupted", be_interrupted_in_line, NULL, .behind = 1, .begins_in_line = true, .gives_up = true},
    {"its time is over", time_out_in_line, NULL, .behind = 1, .begins_in_line = true, .gives_up = true},
    {"tries in vain", NULL, try_in_vain_or_not, .waiters = 1, .gives_up = true},
    {"tries, a holder dead", NULL, try_in_vain_or_not, .killed_holders = 1, .gives_up = true},
    {"recovers a holder", NULL, go_through, .killed_holders = 1},
    {"recovers a holder for another", NULL, go_through, .killed_holders = 1, .waiters = 1, .waiters_are_stopped = true},
    {"recovers one who waited", NULL, go_through, .killed_waiters = 1, .behind = 1},
    {"recovers both", NULL, go_through, .killed_holders = 1, .killed_waiters = 1},
    {"takes a dead holder's record", NULL, go_through, .is_new = true, .killed_holders = 1,
     .takes_a_dead_record = true},
};

enum { SCENARIOS = sizeof scenarios / sizeof scenarios[0] };

/* What `stepped_comes` holds: the latter and the place. */
enum { STANDS_BY = 1, COMES = 2 };

/* Where it is killed: before the instruction at this address, when it comes there for this time; or in its so manyeth
 * sleep. Times and sleeps are counted from 1. */
struct death {
    uintptr_t at;
    unsigned time, sleep, step; /* the latter for people, and where there are no breakpoints */
};

struct play {
    const struct scenario *scenario;
    struct scene scene;
    struct stepped stepped;
    struct other holder[MOST_K], waiter[PLACES];
    unsigned holders, waiters;
    unsigned sleeps; /* of the stepped one */
    bool went_on;    /* the others have been let go */
};

static void place_behind(struct play *play)
{
    for (unsigned b = 0; b < play->scenario->behind; b++)
        play->waiter[play->waiters++] = place_in_line(&play->scene);
}

/* What waits for the stepped one to be where it should be. */
static void let_others_go_on(struct play *play)
{
    if (play->went_on)
        return;
    play->went_on = true;
    for (unsigned w = 0; play->scenario->waiters_are_stopped && w < play->waiters; w++)
        kill(play->waiter[w].process, SIGCONT);
    atomic_store(&play->scene.book->holders_leave, 1);
}

/* It joins before the others come, unless it is new, and stops where the steps begin after it has been told to come. */
static pid_t start_the_stepped(struct play *play)
{
    const struct scenario *scenario = play->scenario;
    struct stepped *me = &play->stepped;
    admit_gate *gate = play->scene.gate;
    struct book *book = play->scene.book;
    pid_t child = start();
    if (child != 0)
        return child;
    for (unsigned passage = 0; passage < 2 && !scenario->is_new; passage++)
        if (admit_gate_enter(gate, &me->hold) != ADMIT_OK || admit_gate_leave(gate, &me->hold) != ADMIT_OK)
            _exit(1);
    atomic_store(&book->stepped_comes, STANDS_BY);
    while (atomic_load(&book->stepped_comes) == STANDS_BY)
        usleep(50);
    me->place = atomic_load(&book->stepped_comes) - COMES;
    if (scenario->first != NULL)
        scenario->first(me);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(CANNOT);
    raise(SIGSTOP);
    scenario->call(me);
    _exit(0);
}

static void place_stepped(struct play *play, pid_t child)
{
    struct scene *scene = &play->scene;
    int status;
    play->stepped.place = scene->places++;
    atomic_store(&scene->book->is[play->stepped.place], IN_LINE);
    if (play->scenario->gives_up)
        note_gone(scene->book, play->stepped.place);
    atomic_store(&scene->book->stepped_comes, COMES + play->stepped.place);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSTOPPED(status));
    ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(uintptr_t)PTRACE_O_EXITKILL);
}

static void kill_other(struct book *book, struct other other)
{
    note_gone(book, other.place);
    end(other.process);
}

static void stop(pid_t process)
{
    kill(process, SIGSTOP);
    while (state_of_process(process) != 'T')
        usleep(50);
}

/* Those whom the stepped one finds dead die before it comes, and nobody else looks for them meanwhile, unless somebody
 * is behind it: so those who wait die first. */
static pid_t set_scene(struct play *play, unsigned k)
{
    const struct scenario *scenario = play->scenario;
    struct scene *scene = &play->scene;
    unsigned inside = k - scenario->holders_below_k;
    struct other holder[MOST_K], dead[PLACES];
    scene->k = k;
    scene->book = (struct book *)shared_words();
    scene->gate = admit_gate_create_private(
        &(admit_gate_options){.k = k, .most_k = k, .capacity = scenario->takes_a_dead_record ? inside + 1 : 16});
    assert_non_null(scene->gate);
    play->stepped.scene = scene;
    pid_t child = start_the_stepped(play);
    await_word(&scene->book->stepped_comes, STANDS_BY);
    for (unsigned h = 0; h < inside; h++)
        holder[h] = place_holder(scene);
    for (unsigned h = scenario->killed_holders; h < inside; h++)
        play->holder[play->holders++] = holder[h];
    if (scenario->begins_inside)
        place_stepped(play, child);
    for (unsigned w = 0; w < scenario->killed_waiters; w++)
        dead[w] = place_in_line(scene);
    for (unsigned w = 0; w < scenario->waiters; w++) {
        play->waiter[play->waiters++] = place_in_line(scene);
        if (scenario->waiters_are_stopped)
            stop(play->waiter[w].process);
    }
    for (unsigned w = 0; w < scenario->killed_waiters; w++) {
        kill_other(scene->book, dead[w]);
    }
    for (unsigned h = 0; h < scenario->killed_holders; h++) {
        kill_other(scene->book, holder[h]);
    }
    if (!scenario->begins_inside)
        place_stepped(play, child);
    if (scenario->begins_in_line || scenario->begins_inside)
        place_behind(play);
    if (scenario->holders_leave_first) {
        let_others_go_on(play);
        for (unsigned h = 0; h < play->holders; h++)
            await_word(&scene->book->has_passed[play->holder[h].place], 1);
    }
    return child;
}

/* False: it sleeps. */
static bool has_stopped(pid_t child, int *status)
{
    for (unsigned looks = 0; waitpid(child, status, WNOHANG) == 0; looks++) {
        sched_yield();
        if (looks % 64 == 63 && state_of_process(child) == 'S')
            return waitpid(child, status, WNOHANG) != 0;
    }
    return true;
}

enum stop { STOPPED, ENDED, IN_ITS_SLEEP };

/* Lets it go on, by one instruction or more, until it stops, or falls asleep for the so manyeth time. At its first
 * sleep the others go on. */
static enum stop go_on(struct play *play, pid_t child, int request, unsigned sleep)
{
    int status;
    assert_int_equal(ptrace(request, child, NULL, NULL), 0);
    if (!has_stopped(child, &status)) {
        if (++play->sleeps == sleep)
            return IN_ITS_SLEEP;
        if (!play->went_on && !play->scenario->begins_in_line && !play->scenario->begins_inside)
            place_behind(play);
        let_others_go_on(play);
        for (uint64_t until = monotonic_ns() + (uint64_t)SOON_S * 1000000000; !has_stopped(child, &status);)
            if (monotonic_ns() > until)
                fail_msg("the stepped one sleeps on");
    }
    if (WIFSTOPPED(status)) {
        if (WSTOPSIG(status) != SIGTRAP)
            fail_msg("the stepped one stopped by signal %d", WSTOPSIG(status));
        return STOPPED;
    }
    forget_child(child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("the stepped one ended with %#x", (unsigned)status);
    return ENDED;
}

static bool steps_to(struct play *play, pid_t child, const struct death *death)
{
    enum stop stop = STOPPED;
    for (unsigned made = 0; stop == STOPPED && (death->sleep != 0 || made < death->step); made++)
        stop = go_on(play, child, PTRACE_SINGLESTEP, death->sleep);
    return stop == (death->sleep != 0 ? IN_ITS_SLEEP : STOPPED);
}

#ifdef __x86_64__

enum { BREAKPOINT = 0xcc, RIP_AT = offsetof(struct user_regs_struct, rip) };

static uintptr_t where_is(pid_t child)
{
    return (uintptr_t)ptrace(PTRACE_PEEKUSER, child, (void *)(uintptr_t)RIP_AT, NULL);
}

static bool runs_to(struct play *play, pid_t child, const struct death *death)
{
    void *at = (void *)death->at;
    for (unsigned time = 1; where_is(child) != death->at || time++ < death->time;) {
        if (where_is(child) == death->at && go_on(play, child, PTRACE_SINGLESTEP, 0) == ENDED)
            return false;
        if (where_is(child) == death->at) /* a loop of one instruction */
            continue;
        long text = ptrace(PTRACE_PEEKTEXT, child, at, NULL);
        assert_int_equal(ptrace(PTRACE_POKETEXT, child, at, (void *)((text & ~0xffL) | BREAKPOINT)), 0);
        if (go_on(play, child, PTRACE_CONT, 0) == ENDED)
            return false;
        assert_int_equal(where_is(child), death->at + 1);
        assert_int_equal(ptrace(PTRACE_POKETEXT, child, at, (void *)text), 0);
        assert_int_equal(ptrace(PTRACE_POKEUSER, child, (void *)(uintptr_t)RIP_AT, at), 0);
    }
    return true;
}

#else /* every step is one of its own, and nobody runs */

static uintptr_t where_is(pid_t child)
{
    static uintptr_t steps;
    (void)child;
    return ++steps;
}

static bool runs_to(struct play *play, pid_t child, const struct death *death)
{
    return steps_to(play, child, death);
}

#endif

static const char *words_for(const struct death *death)
{
    static char text[100];
    if (death == NULL)
        return "nowhere";
    if (death->sleep != 0)
        snprintf(text, sizeof text, "in sleep %u", death->sleep);
    else
        snprintf(text, sizeof text, "before step %u, at %#lx for time %u", death->step, (unsigned long)death->at,
                 death->time);
    return text;
}

static void assert_passes(const struct book *book, const struct other *others, unsigned count,
                          const struct death *death)
{
    for (unsigned o = 0; o < count; o++)
        if (!comes_true((_Atomic uint32_t *)&book->has_passed[others[o].place], 1, SOON_S))
            fail_msg("killed %s: the one at place %u does not pass", words_for(death), others[o].place);
}

static void assert_whole(struct play *play, bool died_inside, const struct death *death)
{
    struct scene *scene = &play->scene;
    struct book *book = scene->book;
    admit_hold hold[MOST_K], more;
    unsigned told = atomic_load(&book->told_of_death), slots = 0;
    for (unsigned h = 0; h < scene->k; h++) {
        if (enter_within(scene->gate, &hold[h], SOON_S) != ADMIT_OK)
            fail_msg("killed %s: slot %u of %u: %s", words_for(death), h, scene->k, admit_last_error_text());
        told += hold[h].owner_died;
        slots |= 1u << hold[h].slot;
    }
    assert_int_equal(slots, (1u << scene->k) - 1);
    assert_int_equal(admit_gate_try(scene->gate, &more), ADMIT_NO_SLOT);
    for (unsigned h = 0; h < scene->k; h++)
        assert_int_equal(admit_gate_leave(scene->gate, &hold[h]), ADMIT_OK);
    if (told < died_inside || told > play->scenario->killed_holders + 1)
        fail_msg("killed %s: told %u times of a death", words_for(death), told);
    if (atomic_load(&book->wrong) != 0)
        fail_msg("killed %s:%s%s%s", words_for(death),
                 atomic_load(&book->wrong) & TOO_MANY ? " more than k inside" : "",
                 atomic_load(&book->wrong) & OUT_OF_ORDER ? " out of order" : "",
                 atomic_load(&book->wrong) & SLOT_TAKEN ? " two in one slot" : "");
    admit_view *view = admit_gate_inspect(scene->gate);
    assert_int_equal(view->holders + view->waiters, 0);
    admit_view_free(view);
}

/* The others must go on, whether it was killed or has ended; if it was killed inside, before a holder leaves. */
static void end_play(struct play *play, bool died_inside, const struct death *death)
{
    struct book *book = play->scene.book;
    if (died_inside && !play->scenario->waiters_are_stopped)
        assert_passes(book, play->waiter, play->waiters, death);
    let_others_go_on(play);
    assert_passes(book, play->holder, play->holders, death);
    assert_passes(book, play->waiter, play->waiters, death);
    atomic_store(&book->all_over, 1);
    while (children_count > 0)
        assert_int_equal(outcome(children[0], SOON_S), 0);
    assert_whole(play, died_inside, death);
    admit_gate_close(play->scene.gate);
    munmap(book, 4096);
}

/* False: it never came there; then too everything must be well. */
static bool kill_there(const struct scenario *scenario, unsigned k, const struct death *death,
                       bool comes_to(struct play *, pid_t, const struct death *))
{
    struct play play = {.scenario = scenario};
    pid_t child = set_scene(&play, k);
    _Atomic uint32_t *is = &play.scene.book->is[play.stepped.place];
    bool killed = comes_to(&play, child, death), died_inside = killed && atomic_load(is) == INSIDE;
    if (killed) {
        note_gone(play.scene.book, play.stepped.place);
        end(child);
    }
    end_play(&play, died_inside, death);
    return killed;
}

/* --- all places to be killed at ----------------------------------------------------------------------------------- */

struct deaths {
    struct death *list;
    unsigned count, sleeps, steps;
};

/* Notes the address of a step, if it has not come too often; by open addressing. */
static unsigned times_at(uintptr_t at)
{
    enum { SIZE = 1 << 18 };
    static struct {
        uintptr_t at;
        unsigned times;
    } * seen;
    if (at == 0) {
        free(seen);
        seen = NULL;
        return 0;
    }
    if (seen == NULL)
        assert_non_null(seen = calloc(SIZE, sizeof *seen));
    size_t s = at * UINT64_C(0x9e3779b97f4a7c15) >> 46;
    while (seen[s].at != 0 && seen[s].at != at)
        s = (s + 1) % SIZE;
    seen[s].at = at;
    return ++seen[s].times;
}

static struct deaths find_deaths(const struct scenario *scenario, unsigned k)
{
    struct play play = {.scenario = scenario};
    struct deaths deaths = {.list = malloc(STEPS_MAX * sizeof *deaths.list)};
    assert_non_null(deaths.list);
    pid_t child = set_scene(&play, k);
    do {
        uintptr_t at = where_is(child);
        unsigned time = times_at(at);
        if (time <= TIMES)
            deaths.list[deaths.count++] = (struct death){.at = at, .time = time, .step = deaths.steps};
        assert_true(++deaths.steps < STEPS_MAX);
    } while (go_on(&play, child, PTRACE_SINGLESTEP, 0) == STOPPED);
    times_at(0);
    deaths.sleeps = play.sleeps;
    end_play(&play, false, NULL);
    return deaths;
}

static unsigned seed(void)
{
    static unsigned chosen;
    if (chosen == 0) {
        const char *given = getenv("ADMIT_TEST_SEED");
        chosen = given != NULL ? (unsigned)strtoul(given, NULL, 10) : (unsigned)(monotonic_ns() / 1000 % 1000000) + 1;
        print_message("# ADMIT_TEST_SEED=%u\n", chosen);
    }
    return chosen;
}

static void killed_anywhere(void **state)
{
    const struct scenario *scenario = *state;
    skip_without_ptrace();
    static bool has_rehearsed;
    if (!has_rehearsed) /* what happens once in a program is over then */
        kill_there(scenario, 1, &(struct death){.sleep = UINT_MAX}, steps_to);
    has_rehearsed = true;
    unsigned one = unless_quick(0, 1 + seed() % MOST_K); /* k, if only one is tried */
    for (unsigned k = one != 0 ? one : 1; k <= (one != 0 ? one : MOST_K); k++) {
        struct deaths deaths = find_deaths(scenario, k);
        unsigned stride = sized(1, 1 + deaths.count / 16, 1 + deaths.count / 4), ran = 0, stepped = 0, slept = 0;
        for (unsigned d = stride == 1 ? 0 : seed() % stride; d < deaths.count; d += stride) {
            const struct death *death = &deaths.list[d];
            bool killed = kill_there(scenario, k, death, runs_to);
            ran += killed;
            if (!killed && death->time == 1) /* it comes by only if it is slow */
                stepped += kill_there(scenario, k, death, steps_to);
        }
        for (unsigned sleep = 1; sleep <= deaths.sleeps; sleep++)
            slept += kill_there(scenario, k, &(struct death){.sleep = sleep}, steps_to);
        print_message("# %s, k = %u: %u instructions, %u places to be killed at; killed at %u + %u, and in %u sleeps\n",
                      scenario->title, k, deaths.steps, deaths.count, ran, stepped, slept);
        free(deaths.list);
        assert_true(ran + stepped > 0);
    }
}

int main(void)
{
    static struct cases cases;
    const char *only = getenv("ADMIT_TEST_ONLY");
    for (unsigned s = 0; s < SCENARIOS; s++) {
        if (only != NULL && strcmp(only, scenarios[s].title) != 0)
            continue;
        add_case(&cases, killed_anywhere, (void *)&scenarios[s], scenarios[s].title);
        cases.list[cases.count - 1].teardown_func = end_all;
    }
    test_directory();
    signal(SIGALRM, program_hangs);
    alarm(sized(3600, PROGRAM_S, PROGRAM_S));
    return finish_faults(run_cases("contended killed", &cases));
}
