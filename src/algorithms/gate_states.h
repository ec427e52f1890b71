/* SPDX-License-Identifier: MIT
 *
 * gate_states.h - for the checker, and compiled for it alone: which states of the gate (gate.c) are the same, as far as that
 * cannot be derived from what the registers are declared to be. Two are if whatever can happen in the one can happen in the
 * other, step by step. That depends on the text: a mutant that breaks what is said here must not be checked with it
 * (gate.no_phase, gate.notes_blindly and gate.renews_phase leave it out).
 *
 *  - Numbers. Of these the text asks only how they compare, and it makes one larger only those in ISSUE and VALID. Those
 *    from the smaller of the two on keep their distances. Of the older ones only their order matters, and only the order
 *    with regard to those that somebody has read and still compares with something, or that a slot holds: these are
 *    counted through, with gaps, and all others between two of them become the first number of the gap.
 *  - Copies. ISSUE and VALID grow with each change (.grows: the checker insists on it), so that a copy of them which is out
 *    of date stays so, and a compare-and-swap with it fails whenever it comes. Nor does a record come back to a ticket that
 *    it has not any more, or that is on its way out. Which such copy a process has makes no difference if all it can still
 *    do with it is to fail.
 *  - Names. What the name in ISSUE says is of no interest once it is in the record, nor the name in VALID: the next ticket
 *    of that participant has another phase, and before the one after it VALID moves on. (The text takes the step of looking
 *    at the record whomever they name, so that to forget the name leaves out no step.) A copy of VALID that is out of date
 *    could be taken for one that speaks of a later ticket with the same phase: then the text asks "still so?", or "still
 *    VALID?", and begins again; and so does a process that has forgotten the name, since its compare-and-swap fails.
 *    (This is where the two do not keep step; tests/unit/gate_states.c follows runs both ways.)
 *    But one that comes back alone, or will, asks for its own name: then names stay as they are, and so does the distance
 *    of its ticket from VALID, as long as VALID has not passed what it asks for.
 *  - Phases are only compared with each other: wherever one of a participant's is found, it may be the other one.
 *  - A ticket that has been returned is only compared with draws that have not been noted, all of which are later, as they
 *    are later than the number that its owner puts in its place (G10).
 *  - Heir words, too, are only compared with copies of them.
 *  - One that removes compares what it has read with what it reads next, and nothing else: a draw that is on record by then is
 *    forgotten; and as long as it will ask whether VALID says that a ticket was returned, VALID keeps the name.
 *  - One that lies (registers/posture.h) without being about to sleep might as well be up.
 *
 * Which steps might as well be taken at once is said in gate_idle.h.
 */

enum { KEPT_MAX = 8 * 16 };  /* of 16 processes, no more of which are checked */
#define STALE named(0, 0, 0) /* no ticket has this number */

/* VALID's number says whose turn it is, and so keeps its remainder by the stride. What an old copy of it says of that makes no
 * difference: whoever has one returns nothing in that round. */
struct renaming {
    word base, stride;
    word kept[KEPT_MAX], name[KEPT_MAX + 1];
    unsigned count;
};

static void keep(struct renaming *renaming, word number)
{
    unsigned at = renaming->count;
    if (number == 0 || number >= renaming->base)
        return;
    while (at > 0 && renaming->kept[at - 1] > number)
        at--;
    if (at > 0 && renaming->kept[at - 1] == number)
        return;
    memmove(&renaming->kept[at + 1], &renaming->kept[at], (renaming->count - at) * sizeof(word));
    renaming->kept[at] = number;
    renaming->count++;
}

/* No older one becomes equal to VALID by adding k. */
static void name_kept(struct renaming *renaming, unsigned k)
{
    for (unsigned at = 0; at < renaming->count; at++)
        renaming->name[at] = 3 + 2 * at;
    word base = 3 + 2 * renaming->count + k;
    while (base % renaming->stride != renaming->base % renaming->stride)
        base++;
    renaming->name[renaming->count] = base;
}

static word renamed(const struct renaming *renaming, word number)
{
    if (number >= renaming->base)
        return number - renaming->base + renaming->name[renaming->count];
    unsigned at = 0;
    while (at < renaming->count && renaming->kept[at] < number)
        at++;
    return at < renaming->count && renaming->kept[at] == number ? renaming->name[at]
           : at > 0                                             ? renaming->name[at - 1] + 1
                                                                : 1;
}

static void rename_named(const struct renaming *renaming, word *w)
{
    word low = FIELD(*w, 0, NUMBER_AT);
    if (number_of(*w) != 0)
        *w = renamed(renaming, number_of(*w)) << NUMBER_AT | low;
}

static void rename_entry(const struct renaming *renaming, word *w)
{
    if (ticket_of(*w) != 0) /* otherwise it is no copy, or of no ticket */
        *w ^= (ticket_of(*w) ^ renamed(renaming, ticket_of(*w))) << NUMBER_AT;
}

static bool is_stale(word copy, word now)
{
    return copy != 0 && copy != now;
}

/* Only if the draw is in the record: otherwise it may be noted still. One that tries still asks whether the next ticket
 * would be valid, of whichever copy it has. */
static void forget_stale_draw(unsigned n, struct locals *locals, word issue, const word *records)
{
    unsigned who = who_in(locals->issue);
    if (is_stale(locals->issue, issue) && (who >= n || has_drawn(records[who], locals->issue)))
        locals->issue = locals->tries ? named(number_of(locals->issue), UINT_MAX, 0) : STALE;
}

/* It asks only whether this is a draw of the one it recovers. */
static void forget_other_draw(struct recover *recover, const word *records)
{
    if (recover->draw.issue != 0 &&
        (who_in(recover->draw.issue) != recover->whose || has_drawn(records[recover->whose], recover->draw.issue)))
        recover->draw.issue = STALE;
}

/* Only if it cannot bury any more, nor free a slot; and if whoever may keep a ticket back finds that this one is valid, as it
 * finds the number that it gets here. */
static void forget_stale_ticket(struct recover *recover, word valid, word record, const word *slots, unsigned k,
                                unsigned ways)
{
    if (recover->its == 0 || if_outstanding(record, recover->its, ABANDONED) != record ||
        ((ways & RESIZE) != 0 && !is_valid(valid, recover->its)))
        return;
    for (unsigned s = 0; s + 1 < k; s++)
        if (slots[s] == named(ticket_of(recover->its), recover->whose, 0))
            return;
    recover->its = entry(0, IN, 0);
}

static bool is_in(procset set, unsigned i)
{
    return set >> i & 1;
}

/* It will find nobody who has this ticket. */
static bool is_gone(unsigned n, const struct round *round, word issue, const word *records)
{
    procset set = round->todo; /* whose records it has still to look at */
    word number = number_of(round->valid);
    for (unsigned i = 0; i < n; i++)
        if (is_in(set, i) && is_outstanding(told(records[i])) && ticket_of(records[i]) == number)
            return false;
    if (set == 0)
        return true;
    if (number != number_of(issue))
        return !is_ahead(number, number_of(issue));
    return who_in(issue) >= n || !is_in(set, who_in(issue)) || has_drawn(records[who_in(issue)], issue);
}

/* Which of the three procedures of a round a process is in, by the marker at which it stands. */
enum stage { LOOKS, SETTLES, MOVES_ON };

static enum stage stage_at(const char *marker)
{
    static const struct {
        const char *marker;
        enum stage stage;
    } stages[] = {{"VALID", LOOKS},        {"its ticket", LOOKS},     {"still so?", LOOKS},
                  {"drawn yet?", SETTLES}, {"whose is it?", SETTLES}, {"wake", SETTLES}};
    for (size_t s = 0; s < sizeof stages / sizeof *stages; s++)
        if (strcmp(marker, stages[s].marker) == 0)
            return stages[s].stage;
    return MOVES_ON;
}

/* VALID will not move on from there: the round ends in vain. Before it notes a return it looks at VALID again; so all that
 * it can still do is what it has looked for already (which `noted` tells), or to wake the owner of the ticket it speaks of. */
static void forget_stale_round(unsigned n, const char *marker, struct round *round, const word *registers)
{
    const word *records = registers + 2;
    if (round->valid == 0 || round->valid == registers[1])
        return;
    enum stage stage = stage_at(marker);
    if (stage == LOOKS) {
        if (who_in(round->valid) != round->whose)
            round->valid = named(number_of(round->valid), n, 0);
        return;
    }
    if (stage == SETTLES) {
        word number = is_gone(n, round, registers[0], records) ? 0 : number_of(round->valid);
        round->valid = named(number, n, 0); /* which VALID never is */
        if (round->due) {
            round->who = (proc)n;
            round->phase = 0;
        }
        return;
    }
    word noted = records[round->another];
    if (if_outstanding(noted, round->other, OUT) == noted) {
        round->valid = round->other = 0;
        round->who = (proc)n;
        round->another = round->phase = 0;
    }
}

static bool forget_name(word *copy, word was)
{
    if (*copy != was)
        return false;
    *copy = named(number_of(was), UINT_MAX, 0);
    return true;
}

/* It has read its record before the return was noted there, and will look at VALID. */
static bool asks_whether_passed(const struct locals *locals, unsigned i, word valid)
{
    return state_of(locals->own) == ABANDONED && says_returned(valid, i, locals->own);
}

/* Those who remove are behind all others. */
static const struct stand *find_removers(unsigned n, const struct stand *stands)
{
    for (stands += n; stands->locals != NULL && !stands->removes; stands++)
        ;
    return stands;
}

static struct decide *decide_of(const struct stand *remover)
{
    return &((struct locals *)remover->locals)->decide;
}

/* One that removes has found a ticket with this phase in that record, and will look at VALID. */
static bool is_asked_for(const struct stand *removers, unsigned whose, word valid)
{
    for (; removers->locals != NULL; removers++)
        if (decide_of(removers)->whose == whose && says_returned(valid, whose, decide_of(removers)->its))
            return true;
    return false;
}

/* The process that a word names comes back by that word, or will return its ticket by it: it asks for its own name. */
static bool goes_by_name(const struct locals *locals)
{
    return locals->last != 0 || locals->keeps;
}

/* Its ticket has been returned, and is on record so. */
static bool has_returned(const struct locals *locals, word record)
{
    return !is_outstanding(told(record)) && ticket_of(record) == number_of(locals->mine);
}

/* It compares VALID with its own ticket and k more, or, until that is returned, with one less, or will; but that VALID passes
 * it. */
static bool adds_to_ticket(const struct locals *locals, unsigned k, word valid, word record)
{
    return locals->mine != 0 && number_of(valid) <= number_of(locals->mine) + k &&
           (locals->keeps || (locals->last != 0 && !has_returned(locals, record)));
}

/* What a name says is of no interest once it is in the record. Each number stands once in ISSUE, and once in VALID: so
 * that a copy which is out of date is not equal. */
static void forget_names(unsigned n, word *registers, const struct stand *stands)
{
    word issue = registers[0], valid = registers[1], *records = registers + 2;
    unsigned drawer = who_in(issue), returner = who_in(valid);
    bool drawn = drawer < n && has_drawn(records[drawer], issue) && !goes_by_name(stands[drawer].locals) &&
                 forget_name(&registers[0], issue);
    bool returned = returner < n && !says_returned(valid, returner, told(records[returner])) &&
                    !asks_whether_passed(stands[returner].locals, returner, valid) &&
                    !is_asked_for(find_removers(n, stands), returner, valid) &&
                    !goes_by_name(stands[returner].locals) && forget_name(&registers[1], valid);
    for (unsigned i = 0; i < n; i++) {
        struct locals *locals = stands[i].locals;
        struct recover *recover = &locals->look.recover;
        if (drawn)
            forget_name(&locals->issue, issue);
        if (returned)
            forget_name(&recover->over.round.valid, valid);
    }
}

/* Nobody compares it any more: draws that have been noted are forgotten, and all else asks for outstanding tickets. But
 * one that will come back keeps it. */
static void forget_returned(word *record, struct locals *locals, unsigned i, word issue)
{
    word ticket = ticket_of(*record);
    if (is_outstanding(told(*record)) || issue == named(ticket, i, 0))
        return;
    *record ^= (ticket ^ 1) << NUMBER_AT;
    if (ticket_of(locals->own) == ticket)
        locals->own ^= (ticket ^ 1) << NUMBER_AT;
    if (locals->mine != 0 && number_of(locals->mine) == ticket && !locals->keeps)
        locals->mine ^= (ticket ^ 1) << NUMBER_AT;
}

/* One whose last ticket is not the last that was drawn draws in vain, if it comes back by it; or is inside, and has drawn
 * again by it already. */
static void forget_stale_last(word *last, word issue)
{
    if (*last != 0 && draw_of(*last) != issue)
        *last = STALE;
}

static void forget_stale_copies(unsigned n, unsigned k, unsigned ways, const struct stand *stand, const word *registers)
{
    struct locals *locals = stand->locals;
    const word *records = registers + 2;
    forget_stale_last(&locals->last, registers[0]);
    struct recover *recover = &locals->look.recover;
    forget_stale_draw(n, locals, registers[0], records);
    forget_other_draw(recover, records);
    forget_stale_ticket(recover, registers[1], records[recover->whose], records + n, k, ways);
    forget_stale_round(n, stand->marker, &recover->over.round, registers);
}

static void rename_locals(const struct renaming *renaming, struct locals *locals)
{
    struct recover *recover = &locals->look.recover;
    rename_entry(renaming, &locals->own);
    rename_named(renaming, &locals->mine);
    rename_named(renaming, &locals->last);
    rename_named(renaming, &locals->issue);
    rename_named(renaming, &recover->draw.issue);
    rename_entry(renaming, &recover->its);
    rename_entry(renaming, &recover->keep_back.its);
    rename_named(renaming, &recover->over.round.valid);
    rename_entry(renaming, &recover->over.round.other);
}

static void keep_locals(struct renaming *renaming, const struct locals *locals)
{
    const struct recover *recover = &locals->look.recover;
    keep(renaming, number_of(locals->issue));
    keep(renaming, number_of(recover->draw.issue));
    keep(renaming, ticket_of(recover->its));
    keep(renaming, ticket_of(recover->keep_back.its));
    keep(renaming, number_of(recover->over.round.valid));
    keep(renaming, ticket_of(recover->over.round.other));
}

/* A draw that is on record makes no difference. */
static void keep_draw(struct renaming *renaming, struct decide *decide, const word *records)
{
    if (decide->issue != 0 && has_drawn(records[decide->whose], decide->issue))
        decide->issue = 0;
    keep(renaming, number_of(decide->issue));
}

static void flip_if(bool does, word *w)
{
    if (does && *w != 0)
        *w ^= 1;
}

static void flip_phase(unsigned n, unsigned whose, uint64_t *registers, const struct stand *stands)
{
    registers[2 + whose] ^= 1;
    flip_if(who_in(registers[1]) == whose, &registers[1]);
    for (unsigned i = 0; i < n; i++) {
        struct locals *locals = stands[i].locals;
        struct recover *recover = &locals->look.recover;
        struct round *round = &recover->over.round;
        flip_if(i == whose, &locals->own);
        flip_if(i == whose, &locals->mine);
        flip_if(i == whose && locals->last != STALE, &locals->last);
        flip_if(recover->whose == whose && ticket_of(recover->its) != 0, &recover->its);
        flip_if(recover->whose == whose && ticket_of(recover->keep_back.its) != 0, &recover->keep_back.its);
        flip_if(who_in(round->valid) == whose, &round->valid);
        round->phase ^= round->due && round->who == whose;
        flip_if(round->another == whose && ticket_of(round->other) != 0, &round->other);
    }
    for (const struct stand *remover = find_removers(n, stands); remover->locals != NULL; remover++)
        flip_if(decide_of(remover)->whose == whose, &decide_of(remover)->its);
}

/* The oldest number that somebody adds to. */
static word base_of(unsigned n, unsigned k, const word *registers, const struct stand *stands)
{
    word issue = number_of(registers[0]), valid = number_of(registers[1]), base = issue < valid ? issue : valid;
    for (unsigned i = 0; i < n; i++)
        if (adds_to_ticket(stands[i].locals, k, registers[1], registers[2 + i]) &&
            number_of(((struct locals *)stands[i].locals)->mine) < base)
            base = number_of(((struct locals *)stands[i].locals)->mine);
    return base;
}

/* An heir word never comes back, and of its ticket it is only asked whether a copy is the same word still. */
static word with_any_ticket(word heir)
{
    return heir == 0 ? 0 : FIELD(heir, 0, HELD_TICKET_AT) | UINT64_C(1) << HELD_TICKET_AT;
}

static void forget_ticket_of(word *copy, word heir)
{
    if (*copy != 0)
        *copy = *copy == heir ? with_any_ticket(heir) : FIELD(*copy, 0, HELD_TICKET_AT);
}

static void forget_heirs(unsigned n, word *heirs, const struct stand *stands)
{
    for (unsigned i = 0; i < n; i++) {
        struct locals *locals = stands[i].locals, *command = stands[n + i].locals;
        struct withdraw *withdraw = &locals->look.recover.judge.withdraw;
        locals->running.bequeath.allowed = with_any_ticket(locals->running.bequeath.allowed);
        forget_ticket_of(&withdraw->heir, heirs[withdraw->whose]);
        forget_ticket_of(&command->inherit.allowed, heirs[i]);
        if (command->inherit.allowed != 0)
            command->inherit.heir = heir_of_kind(command->inherit.allowed, RUNS);
        forget_ticket_of(&command->held, heirs[i]);
    }
    for (unsigned i = 0; i < n; i++)
        heirs[i] = with_any_ticket(heirs[i]);
}

static void rename_numbers(unsigned n, unsigned k, unsigned ways, uint64_t *registers, const struct stand *stands)
{
    word *records = registers + 2, *slots = records + n;
    struct renaming renaming;
    forget_names(n, registers, stands);
    renaming.base = base_of(n, k, registers, stands);
    renaming.stride = k > 1 ? n : 1;
    renaming.count = 0;
    for (unsigned i = 0; i < n; i++) {
        if (posture(records[i]) == LYING && !((struct locals *)stands[i].locals)->lying)
            records[i] = told(records[i]);
        forget_stale_copies(n, k, ways, &stands[i], registers);
    }
    for (unsigned i = 0; i < n; i++)
        keep_locals(&renaming, stands[i].locals);
    for (const struct stand *remover = find_removers(n, stands); remover->locals != NULL; remover++)
        keep_draw(&renaming, decide_of(remover), records);
    for (unsigned s = 0; s + 1 < k; s++)
        keep(&renaming, number_of(slots[s]));
    name_kept(&renaming, k);
    rename_named(&renaming, &registers[0]);
    rename_named(&renaming, &registers[1]);
    for (unsigned i = 0; i < n; i++) {
        rename_entry(&renaming, &records[i]);
        rename_locals(&renaming, stands[i].locals);
    }
    for (const struct stand *remover = find_removers(n, stands); remover->locals != NULL; remover++)
        rename_named(&renaming, &decide_of(remover)->issue);
    for (unsigned s = 0; s + 1 < k; s++)
        rename_named(&renaming, &slots[s]);
    for (unsigned i = 0; i < n; i++)
        forget_returned(&records[i], stands[i].locals, i, registers[0]);
    for (unsigned i = 0; i < n; i++)
        if (phase_in(records[i]))
            flip_phase(n, i, registers, stands);
    if (stands[n].locals != NULL && !stands[n].removes)
        forget_heirs(n, slots + (k - 1) + n, stands);
}
