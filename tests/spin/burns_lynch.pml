/* SPDX-License-Identifier: MIT
 *
 * Burns-Lynch (src/algorithms/burns_lynch.c) in Promela: a second opinion on the state counts of
 * `admit check burns_lynch`, and with -DANY_ORDER of the same with `--order any`. One option, one shared access: see
 * one_bit.pml. `todo` is 0 wherever it is not used.
 */
#include "for_all.h"
#define i _pid

bit Flag[N];
byte inside;

#ifdef LOCKOUT
ltl lockout_freedom { [] (process[N - 1]@subentry -> <> process[N - 1]@progress_critical) }
#endif

active [N] proctype process()
{
    byte todo;

remainder:
    if
    :: d_step { i == 0 -> Flag[i] = 0 }                                     goto raise
    :: d_step { i > 0 -> Flag[i] = 0; todo = BELOW }                        goto subentry
#ifdef REST
    :: true ->                                                              goto end_resting
#endif
    fi;

entry:  /* again; only i > 0 can be sent back */
    if
    :: d_step { true -> Flag[i] = 0; todo = BELOW }                         goto subentry
    fi;

subentry:
    if
#define SUBENTRY(v)                                                                                                    \
    :: d_step { NEXT(v) && Flag[v] -> todo = BELOW }                        goto subentry                              \
    :: d_step { NEXT(v) && !Flag[v] && MORE(v) -> todo = WITHOUT(v) }       goto subentry                              \
    :: d_step { NEXT(v) && !Flag[v] && !MORE(v) -> todo = 0 }               goto raise
    EACH(SUBENTRY)
    fi;

raise:
    if
    :: d_step { i == 0 -> Flag[i] = 1; todo = ABOVE }                       goto gateway
    :: d_step { i > 0 -> Flag[i] = 1; todo = BELOW }                        goto until
    fi;

until:
    if
#define UNTIL(v)                                                                                                       \
    :: d_step { NEXT(v) && Flag[v] -> todo = 0 }                            goto entry                                 \
    :: d_step { NEXT(v) && !Flag[v] && MORE(v) -> todo = WITHOUT(v) }       goto until                                 \
    :: d_step { NEXT(v) && !Flag[v] && !MORE(v) && i < N - 1 -> todo = ABOVE }  goto gateway                           \
    :: d_step { NEXT(v) && !Flag[v] && !MORE(v) && i == N - 1 -> todo = 0; inside++; assert(inside <= 1) }  goto progress_critical
    EACH(UNTIL)
    fi;

gateway:
    if
#define GATEWAY(v)                                                                                                     \
    :: d_step { NEXT(v) && Flag[v] -> todo = ABOVE }                        goto gateway                               \
    :: d_step { NEXT(v) && !Flag[v] && MORE(v) -> todo = WITHOUT(v) }       goto gateway                               \
    :: d_step { NEXT(v) && !Flag[v] && !MORE(v) -> todo = 0; inside++; assert(inside <= 1) }  goto progress_critical
    EACH(GATEWAY)
    fi;

progress_critical:
    if
    :: d_step { true -> Flag[i] = 0; inside-- }                             goto remainder
    fi;

end_resting:
    false
}
