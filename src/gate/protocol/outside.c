/* SPDX-License-Identifier: MIT
 *
 * Those who find no record to take part by, since as many take part as the gate has records. They wait outside until
 * one is free, in the order in which they came, as far as the kernel's queues go.
 *
 * The first of them has a life word of its own, as the manager has: the usher's post. It alone looks for a record: when
 * somebody has freed one (`vacated`), and from time to time, since nobody tells of a record whose owner was killed, or
 * whose place in line was given up and has been passed. The others sleep on the life word of the first, in the kernel's
 * queue; one of them is woken when the first has a record and has drawn its ticket, or gives up, and by the kernel when it
 * is killed. So a killed one leaves nothing behind that holds up the others. But the one that was woken may be killed
 * before it has taken the post, as when a whole group is killed at once. So another is called by whoever finds the post
 * empty: when it frees a record, when it comes, when it takes the second look (anchor.c). And each looks by itself, the
 * more seldom the more there are.
 *
 * A process that is awake has lost its rank in the kernel's queue. So there is one called at a time: nobody wakes
 * another for some milliseconds (`called_at`), and nobody takes the post meanwhile that has just come, or woke by
 * itself. And all look at the same time, one shortly after the other in the order of their arrival: when all have lain
 * down again, that is the order of the queue again.
 *
 * Whoever comes, and sees that somebody is outside (`outside` is not 0), goes behind it. `outside` counts those who were
 * killed, too, until the first of them finds nobody behind it.
 */
#include "gate/protocol/protocol.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The first looks four times a second, and twenty times while a place that was given up is all there is to wait for; all
 * others together twelve times, and three where those in line look more often: so that it stays below a hundred with these
 * (sleep.c). Where tests are built with ADMIT_NO_LOOKS, a wake-up that does not come is a hang. */
#define FIRST_LOOKS_NS INT64_C(250000000)
#define PASSED_LOOKS_NS INT64_C(50000000)
#ifdef ADMIT_NO_LOOKS
#define OTHERS_LOOK_NS INT64_C(3600000000000)
#else
#define OTHERS_LOOK_NS INT64_C(2000000000) /* at the earliest */
#endif
#define SHARE_NS INT64_C(80000000) /* for each of the others */
#define AFTER_ANOTHER_NS INT64_C(2000000)
enum { DEAF_SHARES = 4 };

/* Posts that this thread has: while it waits at one gate, a function of its own may wait at another. */
static __thread struct seat *own_posts OF_THREAD;

bool admit_outside_is_somebody(const admit_gate *gate, bool wait)
{
    return wait ? atomic_load(&gate->header->outside) != 0 : outside_of(gate) != 0;
}

void admit_outside_begin(struct outsider *outsider, admit_gate *gate)
{
    *outsider = (struct outsider){.gate = gate,
                                  .number = atomic_fetch_add(&gate->header->arrived, 1),
                                  .is_called = atomic_fetch_add(&gate->header->outside, 1) == 0};
}

static void take_post(struct outsider *outsider, bool *failed)
{
    outsider->post = admit_post_take(outsider->gate, usher_of(outsider->gate), failed);
    if (outsider->post == NULL)
        return;
    atomic_store(&outsider->gate->header->ushered, outsider->number);
    outsider->post->next = own_posts;
    own_posts = outsider->post;
}

/* From here on whoever frees a record tells of it, if this one is the first. */
bool admit_outside_is_first(struct outsider *outsider, bool *failed)
{
    admit_gate *gate = outsider->gate;
    uint32_t none = 0;
    *failed = false;
    if (outsider->post == NULL && outsider->is_called)
        take_post(outsider, failed);
    atomic_compare_exchange_strong(&gate->header->outside, &none, 1);
    outsider->vacated = atomic_load(&gate->header->vacated);
    return outsider->post != NULL;
}

/* Until a time that is the same for all whose count of the others is much the same, and its turn after that. */
static int64_t others_look_after(const struct outsider *outsider)
{
    const struct gate_header *header = outsider->gate->header;
    uint32_t others = atomic_load(&header->outside), turn = outsider->number - atomic_load(&header->ushered);
    if (others > ADMIT_GATE_CAPACITY_MAX) /* what is in the file may be anything */
        others = ADMIT_GATE_CAPACITY_MAX;
    int64_t share = SHARE_NS * (admit_is_deaf() ? DEAF_SHARES : 1) * others, period = OTHERS_LOOK_NS;
    while (period < share)
        period *= 2;
    return period - admit_monotonic() % period + AFTER_ANOTHER_NS * (turn < others ? turn : others);
}

/* A process that lies down here is not the one that is called: it is not asleep yet. */
void admit_outside_sleep(struct outsider *outsider, const struct sleeper *sleeper, bool for_a_place)
{
    admit_gate *gate = outsider->gate;
    const _Atomic uint32_t *first = life_of(gate, usher_of(gate));
    uint32_t life = atomic_load(first);
    if (outsider->post != NULL) {
        admit_sleep_on(sleeper, &gate->header->vacated, outsider->vacated,
                       for_a_place ? PASSED_LOOKS_NS : FIRST_LOOKS_NS);
        return;
    }
    admit_call_usher(gate);
    outsider->is_called =
        admit_sleep_on(sleeper, first, life, has_usher(gate) ? others_look_after(outsider) : ON_ITS_WAY_NS) ||
        !is_usher_on_its_way(gate);
}

/* If nobody is behind this one, all who were counted besides have been killed, or count themselves again. */
static void leave_post(admit_gate *gate, struct seat *post)
{
    for (struct seat **at = &own_posts; *at != NULL; at = &(*at)->next)
        if (*at == post) {
            *at = post->next;
            break;
        }
    atomic_store(&gate->header->called_at, admit_now());
    admit_post_leave(post);
    if (syscall(SYS_futex, life_of(gate, usher_of(gate)), FUTEX_WAKE, 1, NULL, NULL, 0) == 0)
        atomic_store(&gate->header->outside, 0);
}

void admit_outside_end(const struct outsider *outsider)
{
    struct gate_header *header = outsider->gate->header;
    uint32_t count = atomic_load(&header->outside);
    while (count > 0 && !atomic_compare_exchange_weak(&header->outside, &count, count - 1))
        ;
}

void admit_outside_next(admit_gate *gate)
{
    for (struct seat *post = own_posts, *next; post != NULL && seat_state(post) != 0; post = next) {
        next = post->next;
        if (post->gate == gate)
            leave_post(gate, post);
    }
}

void admit_outside_thread_ends(void)
{
    while (own_posts != NULL && seat_state(own_posts) != 0) /* or it is a forked child */
        leave_post(own_posts->gate, own_posts);
    own_posts = NULL;
}
