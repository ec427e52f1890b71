/* SPDX-License-Identifier: MIT
 *
 * reckoning.h - what the lines of a gate come to: who was inside when, how long waits were, how much of the slots was used.
 *
 * A log may have begun in the middle, and who is killed writes no exit. An exit without its entry was inside for as long
 * as it says, from the first line on; an entry without its exit until the next entry into that slot, or, if there is
 * none, until the last line. How many of each there are is told.
 */
#ifndef ADMIT_CLI_GATES_RECKONING_H
#define ADMIT_CLI_GATES_RECKONING_H

#include "cli/gates/report_log.h"

enum stay_kind { STAY_WHOLE, STAY_BEGAN_BEFORE, STAY_END_UNKNOWN, STAY_NOT_OVER };

struct stay {
    int64_t begin, end;
    uint64_t ticket;
    uint32_t pid;
    uint16_t user, program, slot;
    int16_t status; /* -1: none */
    uint8_t kind;
};

/* The least number that so many in a hundred are no larger than. */
struct spread {
    size_t count;
    int64_t p50, p90, p99, most; /* microseconds */
};

struct k_change {
    int64_t time;
    unsigned k;
};

struct reckoning {
    const char *name, *path;
    int64_t first, last; /* line */
    struct k_change *ks;
    size_t k_count;
    unsigned slots; /* as many as there ever were, by k or by somebody inside */

    /* Of those who came; what a build that is inside takes for its jobs, its tokens, is counted apart, and nobody waits
     * for it. In the slots they are like all. */
    uint64_t entered, waited, left, recovered, failed, gave_up[LOG_WHYS];
    uint64_t tokens_entered, tokens_waited, tokens_left;
    uint64_t began_before, end_unknown, not_over; /* of the stays */
    uint64_t still_waiting, vanished; /* said that they wait, and nothing later; the latter were overtaken */
    uint64_t statuses[256];
    struct spread waits, vain_waits, inside; /* of those who entered, who gave up, who left */
    struct spread token_waits, token_inside;

    struct stay *stays;
    size_t stay_count;
    int64_t *line_begins, *line_ends; /* each in order: of those who waited at least for a moment */
    size_t line_count;
    unsigned longest_line;
    int64_t longest_line_at;
    int64_t short_of; /* for how long all slots were in use and somebody waited */

    double used, used_unknown, offered; /* slots * microseconds; by stays; by those of STAY_END_UNKNOWN; by k */
    int64_t *slot_used;                 /* each, microseconds */
};

/* Of events of one gate, in order. */
void reckon(struct reckoning *reckoning, const struct log *log, const struct event *events, size_t count);
void reckoning_free(struct reckoning *reckoning);

/* Puts the numbers in order. */
struct spread spread_of(int64_t *numbers, size_t count);

/* By columns of equal time: how many slots were used and offered, in the mean, and how long the line was at most. */
struct over_time {
    unsigned columns;
    double *used, *offered;
    unsigned *line;
};

void spread_over_time(struct over_time *over, const struct reckoning *reckoning, int64_t from, int64_t to,
                      unsigned columns);
void over_time_free(struct over_time *over);

#endif
