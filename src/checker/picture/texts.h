/* SPDX-License-Identifier: MIT
 *
 * texts.h - the texts of all algorithms, as they were compiled: so that a picture of a run can show where in them its
 * processes stand. They lie in admit itself, which is installed without them (texts.sh).
 */
#ifndef ADMIT_CHECKER_PICTURE_TEXTS_H
#define ADMIT_CHECKER_PICTURE_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct text_line {
    const char *text; /* without its end, and not terminated */
    size_t length;
    unsigned number; /* 0: the mutant has it no more */
    bool is_new;     /* the mutant has it, and not the text that it was made of */
};

struct text {
    struct text_line *lines;
    size_t count;
};

/* The text in this file as the algorithm with this id has it. False if admit does not carry it: then there are no lines. */
bool text_open(struct text *text, const char *id, const char *path);
void text_close(struct text *text);
/* The file with the algorithm's own text. */
void text_path(const char *id, char *path, size_t size);

/* The file that the mutant changes as number 0, 1, ... False if there are no more. */
bool changed_path(const char *id, unsigned number, char *path, size_t size);

/* The file and the line of the marker with this label (MARKER). False if no text has it. */
bool marker_place(const char *label, const char **path, unsigned *line);

/* NULL if there is none. It is not terminated. */
const char *embedded_text(const char *name, size_t *size);
void write_embedded(const char *name, FILE *out);

#endif
