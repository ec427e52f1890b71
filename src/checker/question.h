/* SPDX-License-Identifier: MIT
 *
 * question.h - one setting and what is asked of it; one exploration and the findings.
 */
#ifndef ADMIT_CHECKER_QUESTION_H
#define ADMIT_CHECKER_QUESTION_H

#include "checker/judge/properties.h"

struct question {
    struct setting setting;
    enum property properties[PROPERTIES];
    unsigned property_count;
    bool keep_graph;                    /* whoever asks has questions of its own for all states and steps */
    bool keep_enabled;                  /* and for the enabled relation */
    bool hurry_will_do;                 /* whoever keeps the graph does not mind that idle steps are taken at once */
    bool every_step;                    /* take idle steps (idle.h) one by one, too */
    struct exploration_options options; /* want_graph, stop_at_violation, hurry and, if 0, memory_limit are filled in */
    void (*judging)(const struct exploration *exploration, enum property asked); /* may be NULL */
};

struct answer {
    struct model model;
    struct exploration exploration;
    struct enabled enabled;
    struct finding findings[PROPERTIES]; /* of the question's properties, in their order */
    bool by_contents;                    /* the states are contents of the registers only (deadlock_by_contents.h) */
    double seconds;
};

/* Adds a property, unless it is asked for already. */
void question_add(struct question *question, enum property property);
/* Whether it is asked of the whole graph, and not only of each state for itself. */
bool question_needs_graph(const struct question *question);
void question_answer(struct question *question, struct answer *answer);
void answer_close(struct answer *answer, const struct question *question);

#endif
