/* SPDX-License-Identifier: MIT
 *
 * The protocol at work: the text of algorithms/gate.c, compiled here so that entering and leaving are straight-line
 * code, between what the library adds before and after.
 */
#include "gate/protocol/protocol.h"

#define ADMIT_ID "gate"
#define ADMIT_SYMBOL admit_gate_text
#include "algorithms/gate.c"

_Static_assert(sizeof(struct shared) == sizeof(struct gate_cells), "the text's arrays are the gate's");
_Static_assert(ADMIT_GATE_CAPACITY_MAX + ADMIT_GATE_K_MAX <= 1 << AHEAD_BITS, "no ticket is ahead of VALID by more");

static inline const struct shared *shared_of(const admit_gate *gate)
{
    return (const struct shared *)&gate->cells;
}

static inline struct gate_front *front_of(const admit_gate *gate)
{
    return (struct gate_front *)gate->header;
}

static inline struct native_passage passage_of(struct seat *seat)
{
    const admit_gate *gate = seat->gate;
    return (struct native_passage){
        .i = seat->who, .n = gate->records, .k = gate->most_k, .slots = k_of(gate), .sleeper = &seat->sleeper};
}

/* No local is read before it is written (the checker would see another state, and debug builds fill them with garbage):
 * so that the way of a process that is alone does not begin with clearing 150 bytes. */
static inline void start_frame(struct locals *frame, word mine)
{
#ifdef ADMIT_DEBUG
    memset(frame, 0xa5, sizeof *frame);
#endif
    frame->s = 0;
    frame->mine = mine; /* a process that was too hasty to come to its end hands it on */
    frame->keeps = false;
}

#define ONE_TICKET (UINT64_C(1) << NUMBER_AT)

/* --- entering ----------------------------------------------------------------------------------------------------- */

static void record_entry(const struct seat *seat)
{
    struct person *person = person_of(seat->gate, seat->who);
    atomic_store(&person->ticket, number_of(seat->mine));
    atomic_store(&person->inside_since, admit_now());
}

static admit_error no_slot(const admit_gate *gate)
{
    return admit_gate_error(ADMIT_NO_SLOT, "gate \"%s\": no free slot", gate->name);
}

/* With a place in line that nobody will use, unless it has been passed already. */
static __attribute__((noinline, cold)) void give_up_place(struct seat *seat, word mine)
{
    struct sleeper *sleeper = &seat->sleeper;
    struct native_passage passage = passage_of(seat);
    struct locals frame;
    start_frame(&frame, mine);
    give_up(&passage, shared_of(seat->gate), &frame, (struct manner){0});
    sleeper->slept = sleeper->napped = sleeper->only_napped = sleeper->saw_dead = false;
    sleeper->orphan_looks = 0;
    seat_mark(seat, SEAT_IN_LINE, admit_protocol_in_line(seat->gate, seat->who));
    if (seat_is(seat, SEAT_IN_LINE))
        admit_seat_given_up(seat);
    atomic_fetch_add(&seat->gate->header->abandoned, 1);
}

/* What need not be fast: it waited, somebody has died, or the caller wants the time. */
static void after_waiting(struct sleeper *sleeper)
{
    bool saw_dead = sleeper->saw_dead;
    record_entry(sleeper->seat);
    sleeper->slept = sleeper->napped = sleeper->only_napped = sleeper->saw_dead = false;
    sleeper->orphan_looks = 0;
    if (saw_dead)
        admit_bury_dead(sleeper->gate);
}

/* Whoever was here before has gone and said so, or has died: nobody leaves a slot without a word. */
static inline unsigned its_owner_died(const struct spot *spot)
{
    return atomic_load_explicit(&spot->who, memory_order_relaxed) != 0;
}

static inline void take_spot(struct spot *spot, const struct seat *seat)
{
    atomic_store_explicit(&spot->who, (uint64_t)seat->who + 1, memory_order_relaxed);
}

/* A thread that does nothing keeps its record, so that it comes back at no cost. Were it so of all records, threads that
 * do nothing could keep all others out. So those of the last quarter are given back after each passage. */
static bool is_guest(const struct seat *seat)
{
    return seat->who >= seat->gate->records - seat->gate->records / 4;
}

static void be_inside(struct seat *seat, admit_hold *hold, const struct locals *frame)
{
    const admit_gate *gate = seat->gate;
    struct spot *spot = &gate->spot[frame->s];
    seat_become(seat, gate->serial | SEAT_INSIDE | SEAT_AMONG_OTHERS | (is_guest(seat) ? SEAT_GUEST : 0));
    seat->mine = frame->mine;
    seat->slot = frame->s;
    *hold = (admit_hold){.slot = frame->s, .owner_died = its_owner_died(spot), .ticket = number_of(frame->mine)};
    take_spot(spot, seat);
}

/* How often does one look whether the gate's file is there still? That is a system call: so often that it costs
 * nothing, by a process that comes all the time; every time, by a process that comes now and then. A process that is
 * alone cannot afford even to compare two numbers: it looks at every ticket of which so many digits are 0. (Whoever
 * makes another gate of that name tells it.) */
enum { OFTEN_NS = 50000000, PASSES_BETWEEN_LOOKS = 4096, DIGITS_OF_A_LOOK = 14 };
#define LOOK_DIGITS (((UINT64_C(1) << DIGITS_OF_A_LOOK) - 1) * ONE_TICKET)

static void look_whether_there(struct seat *seat)
{
    int64_t now = admit_monotonic(), since = now - seat->looked;
    bool is_there = admit_is_there(seat->gate);
    if (since > OFTEN_NS || !is_there)
        seat->look_after = 1;
    else if (seat->look_after < PASSES_BETWEEN_LOOKS)
        seat->look_after *= 2;
    seat->looked = now;
    seat->look_at = seat->mine + seat->look_after * ONE_TICKET;
}

static inline bool looks_again(const struct seat *seat)
{
    return (int64_t)(seat->mine - seat->look_at) >= 0;
}

/* It is inside; but of what? What a resize wants of those who leave is of no interest any more. */
static __attribute__((noinline, cold)) admit_error unless_removed(struct seat *seat)
{
    admit_gate *gate = seat->gate;
    if (looks_again(seat) || (seat->mine & LOOK_DIGITS) == 0)
        look_whether_there(seat);
    if (!admit_was_removed(gate))
        return ADMIT_OK;
    atomic_store_explicit(&gate->spot[seat->slot].who, 0, memory_order_release);
    admit_protocol_leave(seat);
    admit_give_reason(&seat->sleeper, ADMIT_REMOVED);
    return seat->sleeper.why;
}

static inline bool is_news(const struct gate_header *header, const admit_gate *gate)
{
    return __builtin_expect(atomic_load_explicit(&header->removed, memory_order_seq_cst) !=
                                atomic_load_explicit(&gate->removed_seen, memory_order_relaxed),
                            0);
}

static inline bool may_be_removed(const admit_gate *gate, const struct seat *seat)
{
    return is_news(gate->header, gate) || looks_again(seat);
}

/* Half way: with what its record must say. */
static __attribute__((noinline)) enum ending enter_by(struct seat *seat, admit_hold *hold, const admit_wait *how,
                                                      bool only_if_free, bool half_way, word mine)
{
    admit_gate *gate = seat->gate;
    struct sleeper *sleeper = &seat->sleeper;
    struct native_passage passage = passage_of(seat);
    struct locals frame;
    sleeper->how = how;
    sleeper->why = ADMIT_OK;
    start_frame(&frame, mine);
    enum ending ending =
        enter(&passage, shared_of(gate), &frame, (struct manner){.only_if_free = only_if_free, .half_way = half_way});
    if (ending == GIVES_UP) {
        give_up_place(seat, frame.mine);
    } else if (ending != GOES_IN) {
        sleeper->why = no_slot(gate);
    } else {
        be_inside(seat, hold, &frame);
        if (how != NULL && how->any_thread)
            seat_mark(seat, SEAT_ANY_THREAD, true);
        if (sleeper->slept || sleeper->saw_dead || (how != NULL && how->record_since))
            after_waiting(sleeper);
        if (may_be_removed(gate, seat))
            unless_removed(seat);
    }
    return ending;
}

static admit_error enter_with_seat(admit_gate *gate, admit_hold *hold, const admit_wait *how, bool only_if_free)
{
    struct sleeper sleeper = {.gate = gate, .how = how, .interrupts = atomic_load(&gate->local->interrupts)};
    for (;;) {
        struct seat *seat = admit_seat_find(gate, &sleeper, !only_if_free);
        if (seat == NULL)
            return sleeper.why;
        seat->sleeper.interrupts = sleeper.interrupts; /* what came while it looked for a seat counts too */
        /* A seat that was found is in line no more, unless somebody scribbles in the file. */
        enum ending ending = enter_by(seat, hold, how, only_if_free, false, 0);
        admit_error why = seat->sleeper.why;
        if (is_guest(seat) && !seat_is(seat, SEAT_INSIDE))
            admit_seat_release(seat, LIFE_NOBODY);
        admit_outside_next(gate);
        if (ending != STILL_IN_LINE || only_if_free)
            return why;
        if (admit_gives_up(&sleeper))
            return sleeper.why;
    }
}

/* A process that only tries recovers the dead too, but only if there is nothing for it otherwise. */
static admit_error enter_whatever(admit_gate *gate, admit_hold *hold, const admit_wait *how, bool only_if_free)
{
    admit_error error = enter_with_seat(gate, hold, how, only_if_free);
    if (error == ADMIT_NO_SLOT && admit_bury_dead(gate) > 0)
        error = enter_with_seat(gate, hold, how, only_if_free);
    return error;
}

admit_error admit_protocol_try(admit_gate *gate, admit_hold *hold)
{
    return enter_whatever(gate, hold, NULL, true);
}

static inline bool is_resizing(const struct gate_header *header)
{
    return __builtin_expect(atomic_load_explicit(&header->resizing, memory_order_relaxed) != 0, 0);
}

static admit_error enter_elsewhere(admit_gate *gate, admit_hold *hold, const admit_wait *how, bool only_if_free)
{
    UNCANCELLED;
    admit_wait all = how != NULL ? *how : (admit_wait){0};
    all.only_if_free |= only_if_free;
    return gate->elsewhere->enter(gate->there, hold, &all);
}

/* A resize that was begun is finished first, if nobody else is at it: or there could be one too many inside. */
static __attribute__((noinline)) admit_error enter_slowly(admit_gate *gate, admit_hold *hold, const admit_wait *how,
                                                          bool only_if_free)
{
    if (gate->elsewhere != NULL)
        return enter_elsewhere(gate, hold, how, only_if_free);
    if (is_resizing(gate->header) && !gate->look_only)
        admit_settle_k(gate, OUTSIDE_THE_LINE);
    admit_error error = enter_whatever(gate, hold, how, only_if_free);
    if (error != ADMIT_NO_SLOT || !admit_look_around(gate, OUTSIDE_THE_LINE))
        return error;
    return admit_is_there(gate) ? enter_whatever(gate, hold, how, only_if_free) : admit_removed_error(gate);
}

static inline struct seat *recent_seat(const admit_gate *gate)
{
    struct seat *seat = admit_recent;
    return (seat_state(seat) & ~(uint64_t)SEAT_AMONG_OTHERS) == gate->serial ? seat : NULL;
}

static __attribute__((noinline)) admit_error enter_after_haste(struct seat *seat, admit_hold *hold, bool half_way,
                                                               word mine)
{
    enum ending ending = enter_by(seat, hold, NULL, false, half_way, mine);
    return ending != STILL_IN_LINE ? seat->sleeper.why : enter_slowly(seat->gate, hold, NULL, false);
}

/* Without a function call as long as there is nobody to wait for, or to help. */
static __attribute__((noinline)) admit_error enter_hastily(admit_gate *gate, admit_hold *hold)
{
    struct seat *seat = recent_seat(gate);
    if (seat == NULL || is_resizing(gate->header))
        return enter_slowly(gate, hold, NULL, false);
    struct native_passage passage = passage_of(seat);
    struct locals frame;
    start_frame(&frame, 0);
    enum ending ending = enter(&passage, shared_of(gate), &frame, (struct manner){.hastily = true});
    if (ending != GOES_IN)
        return enter_after_haste(seat, hold, ending == TOO_HASTY_HALF_WAY, frame.mine);
    be_inside(seat, hold, &frame);
    return may_be_removed(gate, seat) ? unless_removed(seat) : ADMIT_OK;
}

/* The words as a process finds them that is alone: by one address, with k a constant. */
static inline struct shared near_words(const admit_gate *gate, const struct seat *seat)
{
    struct gate_front *front = front_of(gate);
    return (struct shared){
        .issue = &front->issue, .valid = &front->valid, .slot = front->slot, .record = seat->record - seat->who};
}

/* After the draw: that VALID and the record hold what release builds take for granted (G11). */
static inline void check_alone(const struct seat *seat, word last, word mine)
{
#ifdef ADMIT_DEBUG
    word its = get(*seat->record);
    if (!may_enter(get(seat->gate->cells.valid[0]), mine) ||
        (its != record_of(last, OUT) && its != record_of(mine, IN))) /* noted by the next to draw */
        __builtin_trap();
#else
    (void)seat, (void)last, (void)mine;
#endif
}

/* By what it left in the words when it was here last: see docs/gate.md. */
static inline __attribute__((always_inline)) admit_error enter_alone(struct seat *seat, admit_gate *gate,
                                                                     admit_hold *hold, bool has_slots)
{
    const struct shared words = near_words(gate, seat);
    const word last = seat->mine;
    struct native_passage passage = {.i = seat->who, .k = has_slots ? gate->most_k : 1};
    struct locals frame;
    start_frame(&frame, 0);
    frame.last = last;
    frame.room = has_slots ? seat->room : 1;
    if (enter(&passage, &words, &frame, (struct manner){.hastily = true, .comes_back = true}) != GOES_IN)
        return enter_hastily(gate, hold);
    check_alone(seat, last, frame.mine);
    seat->mine = frame.mine;
    seat_become(seat, gate->serial | SEAT_INSIDE);
    if (has_slots && seat->slot != frame.s) /* a look costs less than a store, just before a compare-and-swap */
        seat->slot = frame.s;
    hold->slot = frame.s;
    hold->owner_died = 0;
    hold->ticket = number_of(frame.mine);
    if (has_slots && __builtin_expect(its_owner_died(&gate->spot[frame.s]), 0))
        hold->owner_died = 1;
    take_spot(&gate->spot[frame.s], seat);
    bool looks = __builtin_expect((frame.mine & LOOK_DIGITS) == 0, 0);
    return is_news(gate->header, gate) || looks ? unless_removed(seat) : ADMIT_OK;
}

admit_error admit_gate_enter(admit_gate *gate, admit_hold *hold)
{
    struct seat *seat = admit_recent;
    if (__builtin_expect(seat_state(seat) != gate->serial, 0))
        return enter_hastily(gate, hold);
    if (gate->most_k == 1) /* which cannot be resized */
        return enter_alone(seat, gate, hold, false);
    return is_resizing(gate->header) ? enter_hastily(gate, hold) : enter_alone(seat, gate, hold, true);
}

admit_error admit_gate_try(admit_gate *gate, admit_hold *hold)
{
    struct seat *seat = recent_seat(gate);
    if (seat != NULL && !is_resizing(gate->header) && enter_by(seat, hold, NULL, true, false, 0) == GOES_IN)
        return seat->sleeper.why;
    return enter_slowly(gate, hold, NULL, true);
}

/* A process whose time is over already takes no place in line. */
admit_error admit_gate_enter_with(admit_gate *gate, admit_hold *hold, const admit_wait *how)
{
    if (how->only_if_free)
        return enter_slowly(gate, hold, how, true);
    if (!admit_deadline_passed(how->until))
        return enter_slowly(gate, hold, how, false);
    admit_error error = enter_slowly(gate, hold, how, true);
    return error != ADMIT_NO_SLOT && error != ADMIT_FULL
               ? error
               : admit_gate_error(ADMIT_TIMED_OUT, "gate \"%s\": timed out", gate->name);
}

admit_error admit_gate_enter_until(admit_gate *gate, admit_hold *hold, const struct timespec *deadline)
{
    return admit_gate_enter_with(gate, hold, &(admit_wait){.until = deadline});
}

/* --- leaving ------------------------------------------------------------------------------------------------------ */

static inline __attribute__((always_inline)) enum ending leaves(struct seat *seat, struct manner how)
{
    struct native_passage passage = passage_of(seat);
    struct locals frame;
    start_frame(&frame, seat->mine);
    frame.s = seat->slot;
    frame.keeps = how.hastily;
    enum ending ending = leave(&passage, shared_of(seat->gate), &frame, how);
    if (!how.hastily && !how.keeps_back)
        admit_rouse_next(&seat->sleeper);
    bool comes_back = ending == GOES_IN && frame.last != 0;
    if (comes_back)
        seat->room = frame.room;
    if (!how.keeps_back) /* or it is released */
        seat_become(seat, seat->gate->serial | (comes_back ? 0 : SEAT_AMONG_OTHERS));
    return ending;
}

static __attribute__((noinline)) admit_error leave_at_leisure(struct seat *seat, bool half_way)
{
    leaves(seat, (struct manner){.half_way = half_way});
    return ADMIT_OK;
}

void admit_protocol_leave(struct seat *seat)
{
    leave_at_leisure(seat, false);
}

void admit_protocol_reserve(struct seat *seat)
{
    leaves(seat, (struct manner){.keeps_back = true});
}

static void leave_by(admit_gate *gate, struct seat *seat, const admit_hold *hold)
{
    const bool guest = seat_is(seat, SEAT_GUEST);
    bool has_record = true;
    if (seat_is(seat, SEAT_BEQUEATHED))
        admit_heir_dismiss(seat, hold);
    atomic_store_explicit(&gate->spot[seat->slot].who, 0, memory_order_release);
    if (is_resizing(gate->header))
        has_record = admit_leave_resizing(gate, seat);
    else
        admit_protocol_leave(seat);
    if (guest && has_record && admit_life_is_own(seat)) /* another's, that one gives back when it comes by, or ends */
        admit_seat_release(seat, LIFE_NOBODY);
}

/* One that any thread may leave by, this or another. With the lock, so that only one does, and its thread does not end
 * meanwhile. */
static admit_error leave_as_any(admit_gate *gate, const admit_hold *hold)
{
    UNCANCELLED;
    admit_seats_lock();
    struct seat *seat = admit_seat_of_any(gate, hold);
    if (seat != NULL)
        leave_by(gate, seat, hold);
    admit_seats_unlock();
    return seat != NULL ? ADMIT_OK
                        : admit_gate_error(ADMIT_NOT_HOLDING, "gate \"%s\": this thread is not inside with ticket %llu",
                                           gate->name, (unsigned long long)hold->ticket);
}

static admit_error leave_elsewhere(admit_gate *gate, const admit_hold *hold)
{
    UNCANCELLED;
    return gate->elsewhere->leave(gate->there, hold);
}

int64_t admit_gate_time_left(const admit_gate *gate, const admit_hold *hold)
{
    return gate->elsewhere != NULL ? gate->elsewhere->time_left(gate->there, hold) : INT64_MAX;
}

uint64_t admit_gate_token(const admit_gate *gate, const admit_hold *hold)
{
    return gate->elsewhere != NULL ? gate->elsewhere->token(gate->there, hold) : 0;
}

static __attribute__((noinline)) admit_error leave_slowly(admit_gate *gate, const admit_hold *hold)
{
    if (gate->elsewhere != NULL)
        return leave_elsewhere(gate, hold);
    struct seat *seat = admit_seat_of(gate, hold);
    if (seat == NULL)
        return leave_as_any(gate, hold);
    leave_by(gate, seat, hold);
    return ADMIT_OK;
}

static __attribute__((noinline)) admit_error leave_hastily(admit_gate *gate, const admit_hold *hold)
{
    struct seat *seat = admit_recent;
    if (seat_state(seat) != (gate->serial | SEAT_INSIDE | SEAT_AMONG_OTHERS) || number_of(seat->mine) != hold->ticket ||
        is_resizing(gate->header))
        return leave_slowly(gate, hold);
    atomic_store_explicit(&gate->spot[seat->slot].who, 0, memory_order_release);
    if (leaves(seat, (struct manner){.hastily = true}) != GOES_IN)
        return leave_at_leisure(seat, true);
    return ADMIT_OK;
}

static inline __attribute__((always_inline)) admit_error leave_alone(struct seat *seat, admit_gate *gate,
                                                                     bool has_slots)
{
    const struct shared words = near_words(gate, seat);
    struct native_passage passage = {.i = seat->who, .k = has_slots ? gate->most_k : 1};
    struct locals frame;
    start_frame(&frame, seat->mine);
    frame.s = has_slots ? seat->slot : 0;
    frame.room = has_slots ? seat->room : 1;
    frame.keeps = true;
    atomic_store_explicit(&gate->spot[frame.s].who, 0, memory_order_release);
    if (leave(&passage, &words, &frame, (struct manner){.hastily = true, .comes_back = true}) != GOES_IN)
        return leave_at_leisure(seat, true);
    seat_become(seat, gate->serial);
    return ADMIT_OK;
}

admit_error admit_gate_leave(admit_gate *gate, const admit_hold *hold)
{
    struct seat *seat = admit_recent;
    if (__builtin_expect(seat_state(seat) != (gate->serial | SEAT_INSIDE) || number_of(seat->mine) != hold->ticket, 0))
        return leave_hastily(gate, hold);
    if (gate->most_k == 1) /* which cannot be resized */
        return leave_alone(seat, gate, false);
    return is_resizing(gate->header) ? leave_hastily(gate, hold) : leave_alone(seat, gate, true);
}

/* --- joining ------------------------------------------------------------------------------------------------------ */

bool admit_protocol_join(struct seat *seat, bool after_death)
{
    struct native_passage passage = passage_of(seat);
    struct locals frame;
    start_frame(&frame, 0);
    seat->record = &shared_of(seat->gate)->record[seat->who];
    seat->look_at = get(seat->gate->cells.issue[0]);
    if (newcomer(&passage, shared_of(seat->gate), &frame, (struct manner){.after_death = after_death}) != GOES_IN)
        return false;
    seat_mark(seat, SEAT_IN_LINE, admit_protocol_in_line(seat->gate, seat->who));
    return true;
}

uint64_t admit_protocol_ticket(const struct seat *seat)
{
    return number_of(seat->mine);
}
