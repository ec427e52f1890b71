/* SPDX-License-Identifier: MIT
 *
 * store.h - words of the register language for clients of a store: keys with revisions, transactions, leases, watches, as
 * etcd has them. A text says nothing else of the store; it includes this instead of language.h.
 *
 * A request is one transaction, described as data by the text's own function
 *
 *   REQUESTS { switch (which) { case DRAW: return (struct transaction){...}; ... } }
 *
 * of enum request (the text's, from 1 on), `own`, what this client knows of its own keys (struct own), and k. A transaction
 * is up to four conditions, up to four deeds if they all hold (.then), and up to four otherwise:
 *
 *   is_missing(key), created_at(key, r), modified_at(key, r), says(key, number)
 *                              of a key that is not there both revisions are 0
 *   none_is_mine(family)       no key of this family has this client's lease
 *   sets(key), removes(key)    sets: with this client's lease. What it is set to is for the world to say: the number k, what
 *                              is told of the client, the lease
 *   sets_first_free(family, from, below)
 *                              of the keys with these numbers the first that is not there; nothing, if none is free. A world
 *                              looks at so many of them, from the first on, as one request can carry
 *   lists(family)              all keys of this family
 *
 *   mine(family)               the one of this client's lease; numbered(family, number); the_only(family)
 *
 * The words of a text:
 *
 *   ASK("label", REQUEST, a)   makes the request, and again until there is an answer or the session is over: the marker, and
 *                              the step that is the transaction, at once. a, a struct answer, holds up to the next marker:
 *                                a.done  the conditions held
 *                                a.over  the lease has ended. Natively also: the deadline has passed, or the caller does not
 *                                        wait any longer for an answer; so it may have been done, or be done later
 *                                a.mine  the revision at which this client's key in the listed line was created, or 0
 *   those_before(a)            a crowd: whose keys in the listed line were created before its own; of all, if it has none
 *   how_many(crowd)            are left of it
 *   slots_have_keys()          with k = 1 they have none; natively they have once k has been another
 *   own_slot(a)                the number of a listed key that has this client's lease; NO_SLOT, if none
 *   free_slot(a, from)         the first number from there on of which no key was listed; any, if there is none below k
 *   insist_on_k(a)             goes back if the store says another k than this client (natively)
 *   follow()                   after an answer: from its revision on, deletions of keys in the line are news
 *   news(crowd)                waits for such, and takes those whose keys were deleted out of the crowd: SOME_HAVE_GONE.
 *                              WATCH_ENDED: what has happened since is not known. IS_OVER: the session is
 *   follow_no_longer()         in the step of a news
 *   in_time()                  a look at the clock: the session's deadline has not passed. A step, since it may pass between
 *                              that and the next
 *   renew_session()            the lease has ended from here on, for certain; what is asked next is asked by another. The
 *                              client knows of no keys
 *   give_up_allowed()          stands before the next marker: there the caller may begin LEAVE instead of going on
 *   no_place()                 ENTER ends, and it is not inside
 *   OWN                        struct own of this client; OWN.slot may be NO_SLOT
 *
 * The checked world (store_stepped.h) has one word, in which all keys are; a transaction is one step. What may go wrong are
 * the faults V23 to V26 of docs/properties.md.
 *
 * A native world includes the text where STORE_WORLD is defined, and has defined before, with transaction.h,
 *
 *   struct client              connection, session, watch, and what the caller wants; `C` in the text
 *   revision                   a type; a number
 *   crowd                      a type; how_many_are_left(crowd) tells how many. Whose keys they are the client may know
 *                              beside it
 *   struct answer              with done, over, mine, and what else these need:
 *   void client_ask(struct client *, const struct transaction *, struct answer *);
 *   crowd client_before(struct client *, const struct answer *);
 *   bool client_has_slot_keys(const struct client *);
 *   unsigned client_own_slot(struct client *, const struct answer *);    UINT_MAX: none
 *   unsigned client_free_slot(struct client *, const struct answer *, unsigned from);
 *   bool client_agrees(struct client *, const struct answer *);          on k; if not, it has learnt the store's
 *   void client_follow(struct client *, const struct answer *);
 *   enum news client_news(struct client *, crowd *);                     WATCH_ENDED also every few seconds, as a net
 *   void client_follows_no_longer(struct client *);
 *   bool client_in_time(struct client *);
 *   void client_renew(struct client *);   revokes the lease, as well as that can be done; and if that is not answered,
 *                                         again before anything else is asked
 *   bool client_gives_up(struct client *);
 *   unsigned client_k(const struct client *);
 *
 * and then calls enter and leave (store_native.h) with a struct locals that is zero at first, and is kept as long as the
 * client: what outlives a passage is in it.
 */
#ifndef ADMIT_REGISTERS_STORE_H
#define ADMIT_REGISTERS_STORE_H

#include "registers/transaction.h"

#define OWN (L.session.own)

#ifdef ADMIT_STEPPED
#include "registers/store_stepped.h"
#else
#include "registers/store_native.h"
#endif

#define REQUESTS static inline struct transaction transaction_of(enum request which, const struct own *own, unsigned k)

#endif
