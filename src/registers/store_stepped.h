/* SPDX-License-Identifier: MIT
 *
 * store_stepped.h - the words of store.h for the checked world: a store in one word, in which a transaction is one step.
 *
 * What is kept of the keys is what clients can ask about them.
 *
 *   - The line: of each client at most one key is there, since a client has one lease at a time (renew_session) and the
 *     keys of a lease end with it. Its place is its rank by the revision of creation, of which nothing else can be learnt.
 *   - Revisions are compared with by the client alone whose keys they are of: they are those of its own text, of what it
 *     has in flight, and of its keys. So after each of its steps these, and no others, are numbered anew, in their order;
 *     one that none of its keys has, and none will ever have again, is 1.
 *   - The client in whose lease a slot is. It follows from the client what the key is set to.
 *   - Of each client that follows, whose keys in the line were deleted since and have not been told as news: as a set,
 *     since that is how the text takes them in.
 */
#ifndef ADMIT_REGISTERS_STORE_STEPPED_H
#define ADMIT_REGISTERS_STORE_STEPPED_H

#define TEXT_HAS_SESSION
#include "registers/fields.h"
#include "registers/session.h"

enum { CLIENTS_MAX = 6, GONE = 1, LOWEST = 2, FRESH = LOWEST + 2, REVISION_BITS = 2 };
enum { AT_ONCE = 2 }; /* sets_first_free looks at so many: with k = 3 one request may not be enough */

typedef procset crowd;

struct answer {
    bool done, over;
    revision mine;
    procset before;
    numberset slots;
    uint8_t own_slot; /* NO_SLOT: none */
};

/* --- keys --------------------------------------------------------------------------------------------------------- */

struct keys {
    unsigned n, k;
    struct of_client {
        uint8_t place; /* in the line, from 1 on; 0: it has no key there */
        revision created, drawn;
        bool follows;
        procset news;
    } of[CLIENTS_MAX];
    uint8_t holder[CLIENTS_MAX]; /* by slot: 1 + client; 0: there is no such key */
};

/* With k = 1 there is nothing to choose. */
static inline unsigned slot_keys(unsigned k)
{
    return k > 1 ? k : 0;
}

__attribute__((unused)) static unsigned word_bits(unsigned n, unsigned k)
{
    return n * (bits_up_to(n) + 2 * REVISION_BITS + 1 + n) + slot_keys(k) * bits_up_to(n);
}

static inline struct keys keys_in(word w, unsigned n, unsigned k)
{
    struct keys keys = {.n = n, .k = k};
    for (unsigned c = 0; c < n; c++) {
        struct of_client *of = &keys.of[c];
        of->place = (uint8_t)take_field(&w, bits_up_to(n));
        of->created = (revision)take_field(&w, REVISION_BITS);
        of->drawn = (revision)take_field(&w, REVISION_BITS);
        of->follows = take_field(&w, 1);
        of->news = take_field(&w, n);
    }
    for (unsigned s = 0; s < slot_keys(k); s++)
        keys.holder[s] = (uint8_t)take_field(&w, bits_up_to(n));
    return keys;
}

static inline word word_of(const struct keys *keys)
{
    struct packing packing = {0};
    for (unsigned c = 0; c < keys->n; c++) {
        const struct of_client *of = &keys->of[c];
        put_field(&packing, "place", of->place, bits_up_to(keys->n));
        put_field(&packing, "created", of->created, REVISION_BITS);
        put_field(&packing, "drawn", of->drawn, REVISION_BITS);
        put_field(&packing, "follows", of->follows, 1);
        put_field(&packing, "news", of->news, keys->n);
    }
    for (unsigned s = 0; s < slot_keys(keys->k); s++)
        put_field(&packing, "holder", keys->holder[s], bits_up_to(keys->n));
    return packing.too_wide ? NO_WORD : packing.w;
}

static inline void set_place(struct keys *keys, unsigned i)
{
    struct of_client *of = &keys->of[i];
    if (of->place != 0)
        return;
    unsigned last = 0;
    for (unsigned c = 0; c < keys->n; c++)
        last = keys->of[c].place > last ? keys->of[c].place : last;
    of->place = (uint8_t)(last + 1);
    of->created = FRESH;
}

static inline void remove_place(struct keys *keys, unsigned i)
{
    struct of_client *of = &keys->of[i];
    if (of->place == 0)
        return;
    for (unsigned c = 0; c < keys->n; c++) {
        keys->of[c].place -= keys->of[c].place > of->place;
        keys->of[c].news |= keys->of[c].follows ? only(i) : 0;
    }
    of->place = 0;
    of->created = 0;
}

static inline void forget_news(struct keys *keys, unsigned i)
{
    keys->of[i].follows = false;
    keys->of[i].news = 0;
}

/* All keys of its lease go at once. */
static inline void end_lease(struct keys *keys, unsigned i)
{
    remove_place(keys, i);
    keys->of[i].drawn = 0;
    for (unsigned s = 0; s < slot_keys(keys->k); s++)
        if (keys->holder[s] == i + 1)
            keys->holder[s] = 0;
}

/* --- transactions ------------------------------------------------------------------------------------------------- */

/* Whose request: of a session that has a lease, or of an earlier one, whose own keys are not there. */
struct asker {
    unsigned i;
    bool has_lease, earlier;
};

static inline uint64_t revision_in(const struct keys *keys, struct asker who, struct condition condition)
{
    const struct of_client *of = &keys->of[who.i];
    switch (condition.key.family) {
    case LINE: /* when it was created; nobody asks for more */
        return who.earlier ? 0 : of->created;
    case PASSAGES:
        return who.earlier ? 0 : of->drawn;
    case SLOTS:
        return keys->holder[condition.key.number] != 0 ? UINT64_MAX : 0;
    case AGREED:
        break;
    }
    return UINT64_MAX;
}

static inline bool has_slot(const struct keys *keys, unsigned i)
{
    for (unsigned s = 0; s < slot_keys(keys->k); s++)
        if (keys->holder[s] == i + 1)
            return true;
    return false;
}

static inline bool is_met(const struct keys *keys, struct asker who, struct condition condition)
{
    switch (condition.aspect) {
    case ALWAYS_TRUE:
        return true;
    case VALUE:
        return condition.is == keys->k;
    case LEASE_OF_OTHERS:
        return who.earlier || !has_slot(keys, who.i);
    case CREATED:
    case MODIFIED:
        break;
    }
    return condition.is == revision_in(keys, who, condition);
}

static inline void take_first_free(struct keys *keys, unsigned i, unsigned from, unsigned below)
{
    for (unsigned s = from; s < below && s < from + AT_ONCE; s++)
        if (keys->holder[s] == 0) {
            keys->holder[s] = (uint8_t)(i + 1);
            return;
        }
}

static inline void do_action(struct keys *keys, struct asker who, struct action action)
{
    bool is_own = action.key.whose == MINE, sets_it = action.deed == SETS;
    if (is_own && who.earlier)
        return;
    if (action.deed == SETS_FIRST_FREE)
        take_first_free(keys, who.i, action.key.number, action.below);
    else if (action.key.family == LINE && is_own)
        sets_it ? set_place(keys, who.i) : remove_place(keys, who.i);
    else if (action.key.family == PASSAGES)
        keys->of[who.i].drawn = sets_it ? FRESH : 0;
    else if (action.key.family == SLOTS && slot_keys(keys->k) > 0)
        keys->holder[action.key.number] = (uint8_t)(sets_it ? who.i + 1 : 0);
}

static inline void list(const struct keys *keys, unsigned i, enum family family, struct answer *answer)
{
    const struct of_client *of = &keys->of[i];
    for (unsigned c = 0; c < keys->n && family == LINE; c++)
        if (keys->of[c].place != 0 && (of->place == 0 || keys->of[c].place < of->place))
            answer->before |= only(c);
    if (family == LINE)
        answer->mine = of->created;
    for (unsigned s = slot_keys(keys->k); s-- > 0 && family == SLOTS;) {
        answer->slots |= keys->holder[s] != 0 ? only(s) : 0;
        answer->own_slot = (uint8_t)(keys->holder[s] == i + 1 ? s : answer->own_slot);
    }
}

/* Nothing is done if one of the keys were to get a lease that has ended. */
static inline struct answer do_transaction(struct keys *keys, struct asker who, struct transaction transaction)
{
    struct answer answer = {.done = true, .own_slot = NO_SLOT};
    for (unsigned c = 0; c < OF_A_TRANSACTION_MAX; c++)
        answer.done &= is_met(keys, who, transaction.conditions[c]);
    const struct action *actions = answer.done ? transaction.then : transaction.otherwise;
    for (unsigned a = 0; a < OF_A_TRANSACTION_MAX; a++)
        answer.over |= (actions[a].deed == SETS || actions[a].deed == SETS_FIRST_FREE) && !who.has_lease;
    for (unsigned a = 0; a < OF_A_TRANSACTION_MAX && !answer.over; a++)
        if (actions[a].deed == LISTS)
            list(keys, who.i, actions[a].key.family, &answer);
        else if (actions[a].deed != NOTHING_MORE)
            do_action(keys, who, actions[a]);
    return answer;
}

/* --- revisions ---------------------------------------------------------------------------------------------------- */

struct renumbering {
    revision lower, upper; /* those that its keys have */
};

static inline revision renumbered(struct renumbering renumbering, revision r)
{
    return r == 0 ? 0 : r == renumbering.lower ? LOWEST : r == renumbering.upper ? LOWEST + 1 : GONE;
}

static inline void renumber(struct keys *keys, unsigned i, struct session *session, revision *more)
{
    struct of_client *of = &keys->of[i];
    bool both = of->created != 0 && of->drawn != 0;
    revision largest = of->created > of->drawn ? of->created : of->drawn;
    revision smallest = of->created < of->drawn ? of->created : of->drawn;
    struct renumbering renumbering = {both ? smallest : largest, largest};
    revision *all[] = {&of->created,
                       &of->drawn,
                       &session->own.created,
                       &session->own.drawn,
                       &session->in_flight.own.created,
                       &session->in_flight.own.drawn,
                       more};
    for (unsigned r = 0; r < sizeof all / sizeof all[0]; r++)
        *all[r] = renumbered(renumbering, *all[r]);
}

/* --- words -------------------------------------------------------------------------------------------------------- */

/* What a step does to the keys: w is what the word holds, and then what it will. */
#define STEP_ON_KEYS(them, ...)                                                                                        \
    do {                                                                                                               \
        word word_;                                                                                                    \
        act(STORE, word_, struct keys them = keys_in(word_, n, k); __VA_ARGS__; word_ = word_of(&them));               \
    } while (0)

#define ASK(name_, which_, a)                                                                                          \
    P->request = (which_);                                                                                             \
    AT(name_)                                                                                                          \
    STEP_ON_KEYS(keys_, forget_news(&keys_, i); L.session.follows = L.session.missed = 0; (a) = NOT_DONE;              \
                 if (!L.session.unanswered)(a) = do_transaction(                                                       \
                     &keys_, (struct asker){i, L.session.lease != ENDED, false}, transaction_of((which_), &OWN, k));   \
                 L.session.unanswered = false; renumber(&keys_, i, &L.session, &(a).mine))
#define NOT_DONE ((struct answer){.over = true})

#define those_before(a) ((a).before)
#define how_many(crowd_) elements(crowd_)
#define slots_have_keys() (slot_keys(k) > 0)
#define free_slot(a, from) stepped_free_slot((a).slots, (from), k)
#define own_slot(a) ((a).own_slot)
#define insist_on_k(a) ((void)(a))

static inline uint8_t stepped_free_slot(numberset taken, unsigned from, unsigned k)
{
    for (unsigned tried = 0; tried < k && has(taken, from % k); tried++)
        from++;
    return (uint8_t)(from % k);
}

#define follow()                                                                                                       \
    do {                                                                                                               \
        struct keys keys_ = keys_in(P->written, n, k);                                                                 \
        keys_.of[i].follows = true;                                                                                    \
        L.session.follows = true;                                                                                      \
        P->written = word_of(&keys_);                                                                                  \
    } while (0)
#define follow_no_longer()                                                                                             \
    do {                                                                                                               \
        struct keys keys_ = keys_in(P->written, n, k);                                                                 \
        forget_news(&keys_, i);                                                                                        \
        L.session.follows = false;                                                                                     \
        P->written = word_of(&keys_);                                                                                  \
    } while (0)
/* A watch that has ended had news that are lost. */
#define news(crowd_)                                                                                                   \
    __extension__({                                                                                                    \
        procset news_;                                                                                                 \
        bool missed_ = L.session.missed, late_ = L.session.lease != IN_TIME;                                           \
        STEP_ON_KEYS(keys_, news_ = keys_.of[i].news; keys_.of[i].news = 0);                                           \
        if (news_ == 0 && !missed_ && !late_)                                                                          \
            return STUCK;                                                                                              \
        L.session.missed = 0;                                                                                          \
        (crowd_) &= missed_ ? ~(procset)0 : ~news_;                                                                    \
        late_ ? IS_OVER : missed_ ? WATCH_ENDED : SOME_HAVE_GONE;                                                      \
    })

#define in_time() ((void)get(STORE), L.session.lease == IN_TIME)
#define renew_session()                                                                                                \
    do {                                                                                                               \
        STEP_ON_KEYS(keys_, end_lease(&keys_, i); forget_news(&keys_, i); OWN = (struct own){0};                       \
                     renumber(&keys_, i, &L.session, &OWN.created));                                                   \
        L.session.in_flight.earlier = L.session.in_flight.request != 0;                                                \
        L.session.lease = IN_TIME;                                                                                     \
        L.session.follows = L.session.missed = 0;                                                                      \
    } while (0)
/* Giving up is to leave. */
#define give_up_allowed() ((void)(P->may_give_up = true))
#define no_place()                                                                                                     \
    do {                                                                                                               \
        stepped_forget(frame, &used_, &LIVE_HERE);                                                                     \
        return TURNED_AWAY;                                                                                            \
    } while (0)

/* --- beside the text ---------------------------------------------------------------------------------------------- */

/* What happens at the store to this client; said by the text once, behind its requests. */
#define HAPPENINGS                                                                                                     \
    static enum outcome happen(struct stepping *P, const struct shared *S, struct session *session)                    \
    {                                                                                                                  \
        const unsigned i = P->i, n = P->n, k = P->k;                                                                   \
        revision none_ = 0;                                                                                            \
        struct asker who_ = {i, session->lease != ENDED && !session->in_flight.earlier, session->in_flight.earlier};   \
        STEP_ON_KEYS(                                                                                                  \
            keys_, if (P->happening == LEASE_ENDS) end_lease(&keys_, i); else do_transaction(                          \
                &keys_, who_, transaction_of((enum request)session->in_flight.request, &session->in_flight.own, k));   \
            renumber(&keys_, i, session, &none_));                                                                     \
        if (P->happening == LEASE_ENDS)                                                                                \
            session->lease = ENDED;                                                                                    \
        else                                                                                                           \
            memset(&session->in_flight, 0, sizeof session->in_flight);                                                 \
        return DONE;                                                                                                   \
    }                                                                                                                  \
    static enum outcome happen_any(struct stepping *P, const void *shared, void *session)                              \
    {                                                                                                                  \
        return happen(P, shared, session);                                                                             \
    }                                                                                                                  \
    static enum outcome give_up_any(struct stepping *P, const void *shared, void *locals)                              \
    {                                                                                                                  \
        return leave(P, shared, locals);                                                                               \
    }                                                                                                                  \
    struct shared

#undef MORE_PARTS
#define MORE_PARTS                                                                                                     \
    {                                                                                                                  \
        .give_up = give_up_any, .happen = happen_any                                                                   \
    }

/* "line 2 0*; slots 0:2": the line by clients, a star for one that has set its key again. */
static inline void show_keys(char *text, size_t size, unsigned n, unsigned k, uint64_t value)
{
    struct keys keys = keys_in(value, n, k);
    append(text, size, "line");
    for (unsigned place = 1; place <= n; place++)
        for (unsigned c = 0; c < n; c++)
            if (keys.of[c].place == place)
                append(text, size, " %u", c);
    for (unsigned s = 0; s < slot_keys(k); s++)
        if (keys.holder[s] != 0)
            append(text, size, " slot %u: %u", s, keys.holder[s] - 1u);
    for (unsigned c = 0; c < n; c++)
        if (keys.of[c].news != 0)
            append(text, size, " news for %u", c);
}

#endif
