/* SPDX-License-Identifier: MIT
 *
 * picture.h - an executed run as a picture (SVG), and as a page in which a person goes through it step by step (HTML).
 */
#ifndef ADMIT_CHECKER_PICTURE_PICTURE_H
#define ADMIT_CHECKER_PICTURE_PICTURE_H

#include "checker/show/told_step.h"

/* What is drawn. */
struct picture_of {
    const struct setting *setting;
    const struct trace *trace;         /* NULL: no run, and the remark says why */
    const struct execution *execution; /* as far as the run is possible */
    bool is_shown;                     /* the run shows what the trace says */
    const char *remark;                /* what else there is to say, or NULL */
    bool is_within_page;               /* whose headings say what it is */
};

/* As long as these, of a run's last steps and of its first ones, are drawn; the page has all. */
enum { FIRST_STEPS_DRAWN = 100, STEPS_DRAWN = 400 };

void draw_svg(const struct picture_of *picture, FILE *out);
void write_page(const struct picture_of *picture, FILE *out);

/* --- what both say ------------------------------------------------------------------------------------------------ */

enum { WORDS_SIZE = 512 };

/* "one_bit: exclusion (P1) is violated" */
void picture_title(const struct picture_of *picture, char *words, size_t size);
/* "n = 3, k = 1, atomic registers, with crash:1" */
void picture_setting(const struct setting *setting, char *words, size_t size);
/* What the step did to registers, as "x[1] := 1"; empty if it was to none. */
void describe_access(const struct picture_of *picture, size_t step, char *words, size_t size);
/* A value of the register as the paper would write it. */
void describe_value(const struct instance *instance, unsigned reg, uint64_t value, char *words, size_t size);
/* "from here on, again and again"; NULL if no loop begins before this step. */
const char *loop_begins(const struct trace *trace, size_t step);

/* Where a process may be, by the sign that it has in diagrams. */
struct section_words {
    char sign;
    const char *name, *words;
};
enum { SECTION_SIGNS = 7 };
extern const struct section_words section_words[SECTION_SIGNS];
unsigned section_words_at(const struct picture_of *picture, size_t moment, unsigned i);

#endif
