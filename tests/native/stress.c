/* SPDX-License-Identifier: MIT
 *
 * Every algorithm of the catalogue keeps exclusion among real threads and processes, as an independent witness sees it;
 * and the witness does notice a lock that does not. An algorithm that does not exclude lets everybody through.
 */
#include "test.h"

#include "crowd.h"
#include "native/lock.h"

#include <fcntl.h>

#if defined(__SANITIZE_THREAD__)
#define UNDER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_TSAN 1
#endif
#endif
#ifndef UNDER_TSAN
#define UNDER_TSAN 0
#endif

extern const struct native_algorithm broken_barges_in, broken_unordered;

static const char *const kind_names[] = {[THREADS] = "threads", [PROCESSES] = "processes"};

struct setting {
    const char *id;
    unsigned n, k;
    enum crowd_kind kind;
};

/* Whoever waits there waits for any of many registers, and a sleeper watches one. */
static bool looks_again_from_time_to_time(const char *id)
{
    return strncmp(id, "afek/", 5) == 0 || strncmp(id, "zehavi/", 7) == 0;
}

/* As many of each participant as can be waited for; a passage that goes through all registers takes its time. */
static unsigned passages_of(const struct setting *setting)
{
    enum { LARGE = 1 << 20 };
    unsigned slower = setting->n > 8 ? 4 : admit_lock_size(setting->id, setting->n, setting->k) > LARGE ? 200 : 1;
    if (looks_again_from_time_to_time(setting->id))
        slower *= 250;
    unsigned passages = unless_quick(40000, 4000) / setting->n / slower;
    return passages > 0 ? passages : 1;
}

static void keeps_exclusion(void **state)
{
    const struct setting *setting = *state;
    struct witness *witness = make_witness_for(setting->id, setting->n, setting->k);
    struct crowd crowd = {.kind = setting->kind,
                          .lock = admit_lock_create(setting->id, setting->n, setting->k),
                          .passages = passages_of(setting),
                          .linger_every = 16,
                          .witness = witness};
    assert_non_null(crowd.lock);
    assert_true(run_crowd(&crowd));
    assert_int_equal(witness->violations, 0);
    assert_true(all_was_well(witness, (uint64_t)setting->n * crowd.passages));
    admit_lock_destroy(crowd.lock);
    dismiss_witness(witness);
}

static void witness_notices_a_broken_lock(void **state)
{
    const struct setting *setting = *state;
    struct witness *witness = make_witness(1);
    struct crowd crowd = {.kind = setting->kind,
                          .lock = admit_lock_create_by(&broken_barges_in, setting->n, 1),
                          .passages = 1000,
                          .linger_every = 1,
                          .witness = witness};
    /* Longer each time: where it takes longer to start a process than to pass, they never meet. */
    for (unsigned round = 0; round < 10 && witness->violations == 0; round++, crowd.passages *= 2)
        assert_true(run_crowd(&crowd));
    assert_true(witness->violations > 0);
    assert_false(all_was_well(witness, witness->entries));
    admit_lock_destroy(crowd.lock);
    dismiss_witness(witness);
}

/* Run as a program of its own, since ThreadSanitizer gives its verdict by the exit status. */
static int run_unordered_lock(void)
{
    struct witness *witness = make_witness(1);
    struct crowd crowd = {.kind = THREADS,
                          .lock = admit_lock_create_by(&broken_unordered, 2, 1),
                          .passages = 1000,
                          .linger_every = 4,
                          .witness = witness};
    return run_crowd(&crowd) ? 0 : 1;
}

static void tsan_reports_a_lock_without_memory_order(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        execl("/proc/self/exe", "stress", "--unordered", (char *)NULL);
        _exit(1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 66); /* ThreadSanitizer's own */
}

static void add_setting(struct cases *cases, CMUnitTestFunction test, struct setting setting)
{
    static struct setting kept[CASES_MAX];
    char name[200];
    struct setting *mine = &kept[cases->count];
    *mine = setting;
    snprintf(name, sizeof name, "%s: %u %s, k = %u", setting.id, setting.n, kind_names[setting.kind], setting.k);
    add_case(cases, test, mine, name);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--unordered") == 0)
        return run_unordered_lock();

    static const unsigned sizes[] = {1, 2, 3, 8, 64};
    static const unsigned slots[] = {1, 2, 3, 7, 21}; /* the last two: as many as some packed words have room for */
    static struct cases cases;
    const char *id;
    enum crowd_kind kinds = UNDER_TSAN ? THREADS : PROCESSES; /* TSan sees one process only */
    for (unsigned a = 0; (id = admit_algorithm_id(a)) != NULL; a++)
        for (unsigned s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            for (unsigned k = 0; k < sizeof slots / sizeof slots[0]; k++)
                for (enum crowd_kind kind = THREADS; kind <= kinds; kind++)
                    if (admit_algorithm_supports(id, sizes[s], slots[k]) == ADMIT_OK)
                        add_setting(&cases, keeps_exclusion, (struct setting){id, sizes[s], slots[k], kind});
    if (UNDER_TSAN) {
        add_case(&cases, tsan_reports_a_lock_without_memory_order, NULL, "TSan reports a lock without memory order");
    } else {
        add_setting(&cases, witness_notices_a_broken_lock, (struct setting){"broken lock noticed", 3, 1, THREADS});
        add_setting(&cases, witness_notices_a_broken_lock, (struct setting){"broken lock noticed", 3, 1, PROCESSES});
    }
    return run_cases("native stress", &cases);
}
