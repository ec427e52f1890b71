/* SPDX-License-Identifier: MIT */
#include "gate/calls/calls.h"

#include <linux/futex.h>
#include <stdlib.h>

struct picture {
    admit_view view;
    admit_participant people[];
};

static void copy_command(char *to, const struct person *person)
{
    for (unsigned at = 0; at + 1 < ADMIT_COMMAND_SIZE; at++)
        to[at] = ((const volatile char *)person->command)[at];
    to[ADMIT_COMMAND_SIZE - 1] = '\0';
}

static enum admit_condition condition_of(const admit_gate *gate, unsigned who, uint32_t in_sight, long *pid)
{
    enum heir_state heir = admit_heir_seen(gate, who, pid);
    if (!admit_seems_dead(gate, who)) {
        bool seen = in_sight != 0 && atomic_load(&person_of(gate, who)->pid_namespace) == in_sight;
        /* Its heir may have ended without its knowing, if it is stopped itself. */
        const long own = (long)atomic_load(&person_of(gate, who)->pid);
        bool stopped = seen && (admit_process_is_stopped(*pid) ||
                                (heir == HEIR_NONE && own != *pid && admit_process_is_stopped(own)));
        return stopped ? ADMIT_STOPPED : ADMIT_LIVES;
    }
    return heir == HEIR_NONE ? ADMIT_DIED : heir == HEIR_LIVES ? ADMIT_ORPHAN : ADMIT_UNKNOWN;
}

static unsigned slot_of(const admit_gate *gate, unsigned who)
{
    for (unsigned s = 0; s < gate->most_k; s++)
        if (atomic_load(&gate->spot[s].who) == (uint64_t)who + 1)
            return s;
    return gate->most_k;
}

static void draw_person(const admit_gate *gate, unsigned who, struct standing standing, uint32_t in_sight,
                        admit_participant *one)
{
    const struct person *person = person_of(gate, who);
    *one = (admit_participant){.ticket = standing.ticket,
                               .pid = (long)atomic_load(&person->pid),
                               .user = (int64_t)atomic_load(&person->user) - 1};
    one->condition = condition_of(gate, who, in_sight, &one->pid);
    if (atomic_load(&person->ticket) == standing.ticket)
        one->since =
            standing.stage == STAGE_VALID ? atomic_load(&person->inside_since) : atomic_load(&person->waiting_since);
    if (standing.stage == STAGE_VALID)
        one->slot = slot_of(gate, who);
    copy_command(one->command, person);
}

static int by_slot(const void *a, const void *b)
{
    const admit_participant *one = a, *other = b;
    return (one->slot > other->slot) - (one->slot < other->slot);
}

/* By insertion: what is in the file may be in no order at all, of which a sort of libc might make anything. */
static void sort_by_ticket(admit_participant *one, unsigned count)
{
    for (unsigned next = 1; next < count; next++) {
        admit_participant moved = one[next];
        unsigned at = next;
        for (; at > 0 && admit_ticket_before(moved.ticket, one[at - 1].ticket); at--)
            one[at] = one[at - 1];
        one[at] = moved;
    }
}

/* Tickets drawn that are neither in line, nor were given up, nor kept back, nor belonged to a process that died in
 * line. */
static void count(const admit_gate *gate, admit_view *view)
{
    const struct gate_header *header = gate->header;
    view->recovered = atomic_load(&header->recovered);
    view->abandoned = atomic_load(&header->abandoned);
    uint64_t others =
        view->abandoned + atomic_load(&header->died_waiting) + atomic_load(&header->reserved) + view->waiters;
    view->entered = admit_protocol_drawn(gate, others);
}

admit_view *admit_gate_inspect(admit_gate *gate)
{
    UNCANCELLED;
    if (gate->elsewhere != NULL)
        return gate->elsewhere->inspect(gate->there);
    uint32_t in_sight = admit_namespace_in_sight();
    unsigned present = gate->is_of_earlier_boot ? 0 : present_in(gate);
    struct picture *picture = calloc(1, sizeof *picture + 2 * (size_t)present * sizeof(admit_participant));
    if (picture == NULL) {
        admit_gate_error(ADMIT_NO_MEMORY, "out of memory");
        return NULL;
    }
    admit_view *view = &picture->view;
    admit_participant *holder = picture->people, *waiter = holder + present;
    view->k = admit_gate_k(gate);
    view->declared_k = admit_gate_declared_k(gate);
    view->most_k = gate->most_k;
    view->capacity = gate->capacity;
    view->outside = gate->is_of_earlier_boot ? 0 : outside_of(gate);
    for (unsigned who = 0; who < present; who++) {
        struct standing standing = admit_protocol_standing(gate, who);
        if (atomic_load(life_of(gate, who)) == LIFE_RESERVED)
            continue;
        if (standing.stage == STAGE_VALID)
            draw_person(gate, who, standing, in_sight, &holder[view->holders++]);
        else if (standing.stage == STAGE_WAITING)
            draw_person(gate, who, standing, in_sight, &waiter[view->waiters++]);
    }
    qsort(holder, view->holders, sizeof *holder, by_slot);
    sort_by_ticket(waiter, view->waiters);
    for (unsigned w = 0; w < view->waiters; w++)
        waiter[w].place = w + 1;
    count(gate, view);
    view->holder = holder;
    view->waiter = waiter;
    return view;
}

/* A process whose death the kernel has marked waits no more. (What only its anchor tells would take a question to the
 * kernel.) */
static bool waits(const admit_gate *gate, unsigned who)
{
    uint32_t life = atomic_load(life_of(gate, who));
    return admit_life_names_thread(life) && (life & FUTEX_OWNER_DIED) == 0 &&
           admit_protocol_standing(gate, who).stage == STAGE_WAITING;
}

unsigned admit_gate_waiters(const admit_gate *gate)
{
    if (gate->elsewhere != NULL)
        return gate->elsewhere->waiters(gate->there);
    if (gate->is_of_earlier_boot)
        return 0;
    unsigned count = outside_of(gate);
    if (!admit_protocol_has_line(gate))
        return count;
    for (unsigned who = 0; who < present_in(gate); who++)
        count += waits(gate, who);
    return count;
}

void admit_view_free(admit_view *view)
{
    free(view);
}
