/* SPDX-License-Identifier: MIT
 *
 * haste.h - the words of sleeping.h about haste for the checked world, if it is to see what the library does: a process
 * enters and leaves hastily at first, and what is seldom true ends that; then it begins again at leisure, or goes on from
 * half way, with nothing but what the text hands on. And whatever is done if need be is done only then. A text that defines
 * TEXT_IN_HASTE before it includes sleeping.h is compiled so (tests/algorithms/gate_in_haste.c); the others are at leisure
 * all the time, and do all that may be needless, so that they have fewer states.
 *
 * A frame that can be hasty has two flags: `hasty`, and `half`, whether it is so and half_way() is behind it.
 */
#ifndef ADMIT_REGISTERS_HASTE_H
#define ADMIT_REGISTERS_HASTE_H

#define seldom(c)                                                                                                      \
    __extension__({                                                                                                    \
        bool c_ = (c);                                                                                                 \
        if (c_ && L.hasty)                                                                                             \
            return TOO_HASTY;                                                                                          \
        c_;                                                                                                            \
    })
#define mostly(c) (!seldom(!(c)))
#define if_need_be(c) seldom(c)
#define ASKED_AT(name) AT(name)
#define in_haste() (L.hasty)
#define half_way() ((void)(L.half = L.hasty))
#define resume_from(l, handed_on)                                                                                      \
    do {                                                                                                               \
        if (!L.hasty) {                                                                                                \
            bool half_ = L.half;                                                                                       \
            __typeof__(handed_on) kept_ = (handed_on);                                                                 \
            memset(frame, 0, sizeof *frame);                                                                           \
            (handed_on) = kept_;                                                                                       \
            if (half_)                                                                                                 \
                goto l;                                                                                                \
        }                                                                                                              \
    } while (0)

/* One step of a part of the text, which begins hastily; a step that was too hasty leads to where it begins again. */
#define STEP_IN_HASTE(part, P, S, f)                                                                                   \
    __extension__({                                                                                                    \
        struct locals *frame_ = (f);                                                                                   \
        if (frame_->at == 0)                                                                                           \
            frame_->hasty = true, frame_->half = false;                                                                \
        enum outcome ended_ = part(P, S, frame_);                                                                      \
        if (ended_ == TOO_HASTY) {                                                                                     \
            frame_->at = 0;                                                                                            \
            frame_->hasty = false;                                                                                     \
            ended_ = part(P, S, frame_);                                                                               \
        }                                                                                                              \
        if (ended_ == DONE)                                                                                            \
            frame_->hasty = frame_->half = false;                                                                      \
        ended_;                                                                                                        \
    })
#undef run_enter
#define run_enter(P, S, f) STEP_IN_HASTE(enter, P, S, f)
#undef run_leave
#define run_leave(P, S, f) STEP_IN_HASTE(leave, P, S, f)

#endif
