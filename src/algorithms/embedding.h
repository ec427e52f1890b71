/* SPDX-License-Identifier: MIT
 *
 * embedding.h - a mutual exclusion algorithm ME embedded in a first-come-first-served algorithm FC.
 * L. Lamport, The Mutual Exclusion Problem, Part II: Statement and Solutions, JACM 33(2), 1986, section 3.5:
 *
 *     repeat forever
 *       noncritical section;
 *       FC trying;
 *       FC critical section: begin
 *         ME trying;
 *         ME critical section;
 *         ME exit
 *       end;
 *       FC exit
 *     end repeat
 *
 * The doorway is FC's. FC gives the order and ME the exclusion; it is deadlock free if both are. An algorithm that is
 * made so says which two, then what the catalogue says of it:
 *
 *     #define FC "algorithms/n_bit.c"
 *     #define ME "algorithms/one_bit.c"
 *     #include "algorithms/embedding.h"
 *     ALGORITHM(...);
 *
 * The two texts are those of the algorithms that can be used alone, as they stand; only the names that every text has
 * are told apart. Their registers must have different names, and FC's leave must not need what its enter has left in
 * its locals.
 */
#include "registers/language.h"

#pragma push_macro("ALGORITHM")
#undef ALGORITHM
#define ALGORITHM(...) _Static_assert(true, "what the catalogue says of a part alone is not said here")

#define shared FC_shared
#define locals FC_locals
#define declare FC_declare
#define enter FC_enter
#define leave FC_leave
#include FC
#undef shared
#undef locals
#undef declare
#undef enter
#undef leave

#define shared ME_shared
#define locals ME_locals
#define declare ME_declare
#define enter ME_enter
#define leave ME_leave
#include ME
#undef shared
#undef locals
#undef declare
#undef enter
#undef leave

#pragma pop_macro("ALGORITHM")

struct shared {
    struct FC_shared fc;
    struct ME_shared me;
};

struct locals {
    position at;
    struct FC_locals fc;
    struct ME_locals me;
};

DECLARE
{
    FC_declare(D, &S->fc, n, k);
    ME_declare(D, &S->me, n, k);
}

ENTER
BEGIN
    CALL_PART(FC_enter, S->fc, L.fc); /* FC trying */
    forget(L.fc);
    CALL_PART(ME_enter, S->me, L.me); /* ME trying */
    forget(L.me.at);
END

LEAVE
BEGIN
    CALL_PART(ME_leave, S->me, L.me); /* ME exit */
    forget(L.me);
    CALL_PART(FC_leave, S->fc, L.fc); /* FC exit */
END
