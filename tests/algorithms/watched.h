/* SPDX-License-Identifier: MIT
 *
 * watched.h - the algorithm of Afek et al. with an eye on Test: who was not in it in one pass through the waiting room
 * and is in the next has made it grow, and then the process waits for ever. So lockout-freedom tells whether Test can
 * grow, which Lemma 4.2 says it cannot.
 *
 * Included before the algorithm's own file.
 */
#define WATCHED                                                                                                        \
    procset missing; /* of S, in the last pass */                                                                      \
    flag grown;
#define WATCH(set)                                                                                                     \
    do {                                                                                                               \
        L.grown |= ((set)&L.missing) != 0;                                                                             \
        if (L.grown)                                                                                                   \
            (set) = (procset)~UINT64_C(0);                                                                             \
        L.missing = elements(set) >= k ? L.S & ~(set) : 0;                                                             \
    } while (0)
