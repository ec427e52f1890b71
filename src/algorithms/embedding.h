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
 * The two texts are those of the algorithms that can be used alone, as they stand; only the names that every text has are
 * told apart. Their registers must have different names, and FC's leave must not need what its enter has left in its
 * locals.
 *
 * With `#define MENDS` each of the two also sees to the other's flag whenever it waits: a process that waits in FC is in
 * ME's noncritical section, and so keeps x_i false; one that waits in ME is past FC's doorway, and so keeps y_i true. In
 * normal behaviour both are so anyway. After a transient malfunction they need not be, and nothing else would mend them:
 * docs/findings.md.
 */
#include "registers/language.h"

#ifdef MENDS
struct FC_shared;
struct ME_shared;
static array flags_of_ME(const struct FC_shared *fc);
static array flags_of_FC(const struct ME_shared *me);
#pragma push_macro("while_waiting")
#undef while_waiting
#endif

#pragma push_macro("ALGORITHM")
#undef ALGORITHM
#define ALGORITHM(...) _Static_assert(true, "what the catalogue says of a part alone is not said here")

#ifdef MENDS
#define while_waiting()                                                                                                \
    AT("mend x_i")                                                                                                     \
    put_if_different(flags_of_ME(S)[i], false)
#endif
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

#ifdef MENDS
#undef while_waiting
#define while_waiting()                                                                                                \
    AT("mend y_i")                                                                                                     \
    put_if_different(flags_of_FC(S)[i], true)
#endif
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

#ifdef MENDS
#pragma pop_macro("while_waiting")
#undef x
#undef y

static array flags_of_ME(const struct FC_shared *fc)
{
    return ((const struct shared *)(const void *)((const char *)fc - offsetof(struct shared, fc)))->me.x;
}

static array flags_of_FC(const struct ME_shared *me)
{
    return ((const struct shared *)(const void *)((const char *)me - offsetof(struct shared, me)))->fc.y;
}
#endif

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
    CALL_PART(ME_enter, S->me, L.me); /* ME trying */
    lasts(L.me);
END

LEAVE
BEGIN
    CALL_PART(ME_leave, S->me, L.me); /* ME exit */
    CALL_PART(FC_leave, S->fc, L.fc); /* FC exit */
END
