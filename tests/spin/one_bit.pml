/* SPDX-License-Identifier: MIT
 *
 * One-Bit (src/algorithms/one_bit.c) in Promela: a second opinion on the state counts of `admit check one_bit`, and
 * what `make bench` gives SPIN to do.
 *
 * Every stored state of pan is one configuration of ours: a process is where it stands before its next shared access,
 * each option below is one such access with the local work after it, and a d_step makes the two one. `j` is 0 wherever
 * it is not used.
 *
 *   -DN=4        how many processes (2 or more)
 *   -DSELF_LOOP  a failed test of a wait is a step that changes nothing, as in our count of transitions; without it
 *                pan, which is faster so, just finds it not executable. The states are the same.
 *   -DREST       a process may also rest in its remainder for ever. For liveness, where pan would otherwise take it that
 *                everybody comes back; the count is not ours then. Deadlock-freedom: with SELF_LOOP, no fair
 *                cycle avoids `progress` (pan.c with -DNP; pan -l -f).
 *   -DLOCKOUT    with these two, also the claim that the last process, once it tries, gets in (pan -a -f).
 */
#ifndef N
#define N 3
#endif
#define i _pid

#ifdef SELF_LOOP
#define FAILED(test, where) :: test -> goto where
#else
#define FAILED(test, where)
#endif

bit x[N];
byte inside;

#ifdef LOCKOUT
ltl lockout_freedom { [] (process[N - 1]@first_for -> <> process[N - 1]@progress_critical) }
#endif

active [N] proctype process()
{
    byte j;

remainder:
    if
    :: d_step { i > 0 -> x[i] = 1 }                        goto first_for
    :: d_step { i == 0 -> x[i] = 1; j = 1 }                goto second_for
#ifdef REST
    :: true ->                                             goto end_resting
#endif
    fi;

l:  /* again; only i > 0 has to give way */
    if
    :: d_step { true -> x[i] = 1 }                         goto first_for
    fi;

first_for:
    if
    :: x[j] ->                                             goto give_way
    :: d_step { !x[j] && j < i - 1 -> j++ }                goto first_for
    :: d_step { !x[j] && j == i - 1 && i < N - 1 -> j = i + 1 }  goto second_for
    :: d_step { !x[j] && j == i - 1 && i == N - 1 -> j = 0; inside++; assert(inside <= 1) }  goto progress_critical
    fi;

give_way:
    x[i] = 0;

wait:
    if
    :: d_step { !x[j] -> j = 0 }                           goto l
    FAILED(x[j], wait)
    fi;

second_for:
    if
    :: d_step { !x[j] && j < N - 1 -> j++ }                goto second_for
    :: d_step { !x[j] && j == N - 1 -> j = 0; inside++; assert(inside <= 1) }  goto progress_critical
    FAILED(x[j], second_for)
    fi;

progress_critical:
    if
    :: d_step { true -> x[i] = 0; inside-- }               goto remainder
    fi;

end_resting:
    false
}
