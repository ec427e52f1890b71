/* SPDX-License-Identifier: MIT
 *
 * store_native.h - the words of store.h for a native world: what it has defined does all that needs a store. Then there are
 *
 *   enum ending enter(struct client *C, struct locals *frame)     TO_THE_END: it is inside. HAS_NO_PLACE: the session was
 *                                                                 over, and is another now; if it was over before, enter
 *                                                                 can be called again at once. GIVES_UP: leave must be
 *                                                                 called next. OTHER_K: the store says another
 *   enum ending leave(struct client *C, struct locals *frame)     TO_THE_END. WAS_LOST: the hold was, before, or it is not
 *                                                                 known whether it has been given back. A deadline that
 *                                                                 has passed inside the client knows by itself
 *
 * Without STORE_WORLD, as in libadmit, where no such text can be run (checked_only), the text is compiled for nobody.
 */
#ifndef ADMIT_REGISTERS_STORE_NATIVE_H
#define ADMIT_REGISTERS_STORE_NATIVE_H

#include "registers/about.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

#ifdef STORE_WORLD
typedef unsigned char position;
typedef const void *array;
#define ALGORITHM(...) struct locals
#else
#include "registers/cells.h"
#include "registers/store_nowhere.h"
#undef DECLARE
#undef ALGORITHM
#define ALGORITHM(...)                                                                                                 \
    extern const struct native_algorithm ADMIT_SYMBOL;                                                                 \
    const struct native_algorithm ADMIT_SYMBOL = {.about = {.id = ADMIT_ID, __VA_ARGS__}}
#endif

enum ending { TO_THE_END, WAS_LOST, HAS_NO_PLACE, GIVES_UP, OTHER_K };

#define NO_SLOT UINT_MAX

/* What a client knows of its own keys (session.h). */
struct own {
    revision drawn, created;
    unsigned slot;
};

struct session {
    struct own own;
};

#undef L
#undef AT
#undef waiting_room
#undef forget
#define L (*frame)
#define AT(name_)
#define waiting_room() ((void)0)
#define forget(...) (FORGET_OF_(__VA_ARGS__, FORGET_3, FORGET_2, FORGET_1, )(__VA_ARGS__))
#define FORGET_OF_(a, b, c, forget_, ...) forget_
#define FORGET_1(v) ((void)memset(&(v), 0, sizeof(v)))
#define FORGET_2(v, ...) FORGET_1(v), FORGET_1(__VA_ARGS__)
#define FORGET_3(v, ...) FORGET_1(v), FORGET_2(__VA_ARGS__)
#define PART_(name_) __attribute__((unused)) static enum ending name_(struct client *C, struct locals *frame)
#define ENTER PART_(enter)
#define LEAVE PART_(leave)
#define BEGIN                                                                                                          \
    {                                                                                                                  \
        const unsigned k = client_k(C);                                                                                \
        enum ending ending_ = TO_THE_END;                                                                              \
        (void)k;
#define END                                                                                                            \
    return ending_;                                                                                                    \
    }
#define HAPPENINGS struct shared
#define DECLARE __attribute__((unused)) static void declare(struct shared *S)
#define shared_word(...) NULL

__attribute__((unused)) static unsigned word_bits(unsigned n, unsigned k)
{
    return (void)n, (void)k, 0;
}

#define ASK(name_, which_, a)                                                                                          \
    do {                                                                                                               \
        struct transaction transaction_ = transaction_of((which_), &OWN, k);                                           \
        client_ask(C, &transaction_, &(a));                                                                            \
    } while (0)
#define those_before(a) client_before(C, &(a))
#define how_many(crowd_) how_many_are_left(crowd_)
#define slots_have_keys() client_has_slot_keys(C)
#define free_slot(a, from) client_free_slot(C, &(a), (from))
#define own_slot(a) client_own_slot(C, &(a))
#define insist_on_k(a)                                                                                                 \
    do {                                                                                                               \
        if (!client_agrees(C, &(a)))                                                                                   \
            return OTHER_K;                                                                                            \
    } while (0)
#define follow() client_follow(C, &a)
#define news(crowd_) client_news(C, &(crowd_))
#define follow_no_longer() client_follows_no_longer(C)
#define in_time() client_in_time(C)
#define renew_session()                                                                                                \
    do {                                                                                                               \
        client_renew(C);                                                                                               \
        OWN = (struct own){0};                                                                                         \
        ending_ = WAS_LOST;                                                                                            \
    } while (0)
#define give_up_allowed()                                                                                              \
    do {                                                                                                               \
        if (client_gives_up(C))                                                                                        \
            return GIVES_UP;                                                                                           \
    } while (0)
#define no_place() return HAS_NO_PLACE

#endif
