/* SPDX-License-Identifier: MIT
 *
 * Algorithms that go on while fewer than k participants have stopped for ever: processes are halted anywhere, and all
 * others still get through, with no more than k inside. And they do so for a while when nobody is halted.
 *
 * ADMIT_TEST_SECONDS says how long that while is.
 */
#include "test.h"

#include "base/clock.h"
#include "crowd.h"

#include <signal.h>

struct setting {
    const char *id;
    unsigned n, k;
};

/* What participants and parent share. */
struct scene {
    struct witness *witness;
    admit_lock *lock;
    _Atomic bool over;
    _Atomic uint64_t passages[ADMIT_PARTICIPANTS_MAX];
    pid_t processes[ADMIT_PARTICIPANTS_MAX];
};

static void take_part(struct scene *scene, unsigned i)
{
    for (unsigned p = 0; !scene->over; p++) {
        if (admit_lock_enter(scene->lock, i) != ADMIT_OK)
            abort();
        be_seen_inside(scene->witness, p % 4 == 0);
        if (admit_lock_leave(scene->lock, i) != ADMIT_OK)
            abort();
        scene->passages[i]++;
    }
    _exit(0);
}

static struct scene *begin(const struct setting *setting)
{
    struct scene *scene = mmap(NULL, sizeof *scene, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(scene != MAP_FAILED);
    scene->witness = make_witness(setting->k);
    scene->lock = admit_lock_create(setting->id, setting->n, setting->k);
    assert_non_null(scene->lock);
    for (unsigned i = 0; i < setting->n; i++) {
        pid_t process = fork();
        if (process == 0)
            take_part(scene, i);
        assert_true(process > 0);
        scene->processes[i] = process; /* by the parent alone: what the child would write is seen here */
    }
    return scene;
}

/* The first so many do not come back by themselves. */
static void end(struct scene *scene, const struct setting *setting, unsigned halted)
{
    scene->over = true;
    for (unsigned i = 0; i < setting->n; i++) {
        int status;
        if (i < halted)
            kill(scene->processes[i], SIGKILL);
        assert_int_equal(waitpid(scene->processes[i], &status, 0), scene->processes[i]);
        assert_true(i < halted || status == 0);
    }
    assert_int_equal(scene->witness->violations, 0);
    admit_lock_destroy(scene->lock);
    dismiss_witness(scene->witness);
    munmap(scene, sizeof *scene);
}

static bool all_get_through(const struct scene *scene, unsigned from, unsigned to, uint64_t passages, double limit)
{
    uint64_t before[ADMIT_PARTICIPANTS_MAX];
    double start = now();
    for (unsigned i = from; i < to; i++)
        before[i] = scene->passages[i];
    for (unsigned i = from; i < to;) {
        if (scene->passages[i] >= before[i] + passages)
            i++;
        else if (now() - start > limit)
            return false;
        else
            usleep(200);
    }
    return true;
}

static void goes_on_while_fewer_than_k_have_stopped(void **state)
{
    enum { PATIENCE_SECONDS = 60, PASSAGES = 3 };
    const struct setting *setting = *state;
    unsigned halted = setting->k - 1;
    for (unsigned round = 0; round < unless_quick(20, 5); round++) {
        struct scene *scene = begin(setting);
        assert_true(all_get_through(scene, 0, setting->n, 1, PATIENCE_SECONDS));
        usleep(round * 37 % 1000);
        for (unsigned i = 0; i < halted; i++)
            kill(scene->processes[i], SIGSTOP);
        assert_true(all_get_through(scene, halted, setting->n, PASSAGES, PATIENCE_SECONDS));
        end(scene, setting, halted);
    }
}

static void keeps_exclusion_for_a_while(void **state)
{
    const struct setting *setting = *state;
    const char *said = getenv("ADMIT_TEST_SECONDS");
    double seconds = said != NULL ? atof(said) : 0.5;
    struct scene *scene = begin(setting);
    for (double start = now(); now() - start < seconds;)
        usleep(10000);
    assert_true(all_get_through(scene, 0, setting->n, 1, 60));
    assert_int_equal(scene->witness->violations, 0);
    end(scene, setting, 0);
}

int main(void)
{
    static struct setting settings[] = {
        {"afek/unbounded", 8, 3},   {"afek/snapshot", 4, 2},   {"afek/linear", 3, 2},   {"afek/linear", 8, 3},
        {"zehavi/unbounded", 8, 3}, {"zehavi/snapshot", 4, 2}, {"zehavi/linear", 3, 2}, {"zehavi/linear", 8, 3},
    };
    static struct cases cases;
    for (unsigned s = 0; s < sizeof settings / sizeof settings[0]; s++) {
        char name[100];
        snprintf(name, sizeof name, "%s: %u processes, k = %u, of which %u stop for ever", settings[s].id,
                 settings[s].n, settings[s].k, settings[s].k - 1);
        add_case(&cases, goes_on_while_fewer_than_k_have_stopped, &settings[s], name);
        snprintf(name, sizeof name, "%s: %u processes, k = %u, for a while", settings[s].id, settings[s].n,
                 settings[s].k);
        add_case(&cases, keeps_exclusion_for_a_while, &settings[s], name);
    }
    return run_cases("native, stopped", &cases);
}
