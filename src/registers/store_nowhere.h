/* SPDX-License-Identifier: MIT
 *
 * store_nowhere.h - what store_native.h needs of a store where there is none: nothing is ever asked of it.
 */
#ifndef ADMIT_REGISTERS_STORE_NOWHERE_H
#define ADMIT_REGISTERS_STORE_NOWHERE_H

struct client;
typedef uint64_t revision;
typedef unsigned crowd;

struct answer {
    bool done, over;
    revision mine;
};

#define how_many_are_left(crowd_) (crowd_)
#define client_k(C) ((void)(C), 1u)
#define client_ask(C, transaction_, a) ((void)(transaction_), *(a) = (struct answer){.over = true})
#define client_before(C, a) 0
#define client_has_slot_keys(C) false
#define client_free_slot(C, a, from) (from)
#define client_own_slot(C, a) 0u
#define client_agrees(C, a) true
#define client_follow(C, a) ((void)0)
#define client_news(C, crowd_) IS_OVER
#define client_follows_no_longer(C) ((void)0)
#define client_in_time(C) false
#define client_renew(C) ((void)0)
#define client_gives_up(C) false

#endif
