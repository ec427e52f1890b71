/* SPDX-License-Identifier: MIT
 *
 * Bakery (src/algorithms/bakery.c) in Promela, with real numbers as tickets and therefore a bounded number of passages:
 * a second opinion on the state counts of `admit check bakery --passages P,...,P`, and with -DANY_ORDER of the same
 * with `--order any`. One option, one shared access: see one_bit.pml. `ticket` is the largest one seen, then the
 * process's own until it enters; variables are 0 wherever they are not used.
 *
 *   -DPASSAGES=1  how often each process may go through. The checker renames tickets (src/checker/reduce/tickets.h); with one
 *                 passage each, gaps are too small for that to merge anything, and the counts must agree. With more,
 *                 they need not.
 */
#include "for_all.h"
#ifndef PASSAGES
#define PASSAGES 1
#endif
#define p _pid
#define OTHERS (ALL & ~(1 << p))
/* The others are visited downwards from p - 1 and round. */
#ifdef ANY_ORDER
#define NEXT_OTHER(v) NEXT(v)
#else
#define NEXT_OTHER(v) (((todo & BELOW) -> todo & BELOW : todo) >> v == 1)
#endif
/* Line 4b: (theirs, j) > (mine, p), or they have no ticket. */
#define NOT_BEFORE(theirs, j) (theirs == 0 || theirs > ticket || (theirs == ticket && j > p))

byte Num[N];
bit Choosing[N];
byte inside;

active [N] proctype process()
{
    byte todo, ticket, j;
    byte left = PASSAGES;

end_remainder:  /* line 1; a process that may not pass any more ends here */
    if
    :: d_step { left > 0 -> left--; Choosing[p] = 1; todo = ALL }           goto maximum
    fi;

maximum:  /* line 2, the reads */
    if
#define MAXIMUM(v)                                                                                                     \
    :: d_step { NEXT(v) && MORE(v) -> todo = WITHOUT(v); ticket = (Num[v] > ticket -> Num[v] : ticket) }  goto maximum   \
    :: d_step { NEXT(v) && !MORE(v) -> todo = 0; ticket = (Num[v] > ticket -> Num[v] : ticket) + 1 }  goto line_2
    EACH(MAXIMUM)
    fi;

line_2:
    Num[p] = ticket;

line_3:
    if
    :: d_step { true -> Choosing[p] = 0; todo = OTHERS }                    goto line_4a
    fi;

line_4a:
    if
#define LINE_4A(v)                                                                                                     \
    :: d_step { NEXT_OTHER(v) && !Choosing[v] -> j = v }                          goto line_4b                               \
    FAILED(NEXT_OTHER(v) && Choosing[v], line_4a)
    EACH(LINE_4A)
    fi;

line_4b:
    if
    :: d_step { NOT_BEFORE(Num[j], j) && MORE(j) -> todo = WITHOUT(j); j = 0 }  goto line_4a
    :: d_step { NOT_BEFORE(Num[j], j) && !MORE(j) -> todo = 0; j = 0; ticket = 0; inside++; assert(inside <= 1) }  goto critical
    FAILED(!NOT_BEFORE(Num[j], j), line_4b)
    fi;

critical:  /* line 5 */
    if
    :: d_step { true -> Num[p] = 0; inside-- }                              goto end_remainder
    fi
}
