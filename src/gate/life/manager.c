/* SPDX-License-Identifier: MIT
 *
 * The manager. One process at a time manages a gate: it has a life word that belongs to no record, a post, as a
 * participant has its own. So the kernel says if it was killed, and neither a child that it forks nor a process that
 * may only read the file can have it instead. Nobody that enters, waits or leaves ever waits for a manager, which may
 * have been stopped; others that manage wait for some seconds, and then say for whom.
 */
#include "gate/life/life.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MANAGER_PATIENCE_NS INT64_C(5000000000)
#define STOPPED_PATIENCE_NS INT64_C(100000000) /* it may be continued at once, as at a debugger */
enum { TRY_AGAIN_NS = 1000000 };

struct seat *admit_post_take(admit_gate *gate, unsigned who, bool *failed)
{
    uint32_t marked = (uint32_t)LIFE_MARKED;
    admit_life_mark_if_gone(gate, who);
    atomic_compare_exchange_strong(life_of(gate, who), &marked, LIFE_JUDGED);
    uint32_t life = atomic_load(life_of(gate, who)), from = life & FUTEX_OWNER_DIED ? LIFE_JUDGED : LIFE_NOBODY;
    struct seat *post = life == from ? admit_life_claim(gate, who, from, failed) : NULL;
    if (post != NULL) {
        admit_life_begin(post);
        admit_introduce_process(person_of(gate, who));
    }
    return post;
}

void admit_post_leave(struct seat *post)
{
    admit_life_release(post, LIFE_NOBODY);
}

struct seat *admit_manage(admit_gate *gate, bool wait)
{
    bool failed = false;
    const struct person *other = person_of(gate, manager_of(gate));
    int64_t now = admit_monotonic(), patient = now + STOPPED_PATIENCE_NS, until = now + MANAGER_PATIENCE_NS;
    bool is_stopped = false;
    do {
        struct seat *manager = admit_post_take(gate, manager_of(gate), &failed);
        if (manager != NULL || failed || !wait)
            return manager;
        struct timespec pause = {.tv_nsec = TRY_AGAIN_NS};
        syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause, NULL);
        now = admit_monotonic();
        is_stopped = now > patient && atomic_load(&other->pid_namespace) == admit_namespace_in_sight() &&
                     admit_process_is_stopped(atomic_load(&other->pid));
    } while (now < until && !is_stopped);
    admit_gate_error(ADMIT_BUSY, "gate \"%s\": process %u is managing it and %s; continue it, or end it", gate->name,
                     atomic_load(&other->pid), is_stopped ? "is stopped" : "does not go on");
    return NULL;
}

void admit_manage_end(struct seat *manager)
{
    admit_post_leave(manager);
}
