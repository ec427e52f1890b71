/* SPDX-License-Identifier: MIT
 *
 * for_all in Promela: `todo` is the set of what is still unread, and the next index is chosen by the access itself:
 * the lowest one, or with -DANY_ORDER any of them. EACH(option) writes the option down once for every process; NEXT(v)
 * says whether v may be read now.
 */
#ifndef N
#define N 3
#endif

#define BELOW ((1 << _pid) - 1)
#define ALL   ((1 << N) - 1)
#define ABOVE (ALL & ~BELOW & ~(1 << _pid))

#ifdef ANY_ORDER
#define NEXT(v) (todo >> v & 1)
#else
#define NEXT(v) ((todo & ((2 << v) - 1)) == 1 << v)
#endif
#define MORE(v)    (todo != 1 << v)
#define WITHOUT(v) (todo & ~(1 << v))

#if N == 2
#define EACH(option) option(0) option(1)
#elif N == 3
#define EACH(option) option(0) option(1) option(2)
#elif N == 4
#define EACH(option) option(0) option(1) option(2) option(3)
#elif N == 5
#define EACH(option) option(0) option(1) option(2) option(3) option(4)
#elif N == 6
#define EACH(option) option(0) option(1) option(2) option(3) option(4) option(5)
#endif

/* A failed test of a wait is a step that changes nothing; see one_bit.pml. */
#ifdef SELF_LOOP
#define FAILED(test, where) :: test -> goto where
#else
#define FAILED(test, where)
#endif
