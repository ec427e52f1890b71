/* SPDX-License-Identifier: MIT */
#include "checker/picture/texts.h"

#include "base/die.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char embedded_texts[], embedded_texts_end[]; /* a 0 follows */

const char *embedded_text(const char *name, size_t *size)
{
    const size_t length = strlen(name);
    const char *at = embedded_texts;
    while (at < embedded_texts_end) {
        const char *its_name = at + strlen("text "),
                   *its_size = memchr(its_name, '\n', (size_t)(embedded_texts_end - at));
        while (its_size[-1] != ' ')
            its_size--;
        char *content;
        *size = strtoull(its_size, &content, 10);
        content++;
        if ((size_t)(its_size - 1 - its_name) == length && memcmp(its_name, name, length) == 0)
            return content;
        at = content + *size;
    }
    return NULL;
}

void write_embedded(const char *name, FILE *out)
{
    size_t size;
    const char *text = embedded_text(name, &size);
    if (text != NULL)
        fwrite(text, 1, size, out);
}

bool marker_place(const char *label, const char **path, unsigned *line)
{
    *path = label + strlen(label) + 1;
    if (**path == '\0')
        return false;
    *line = (unsigned)strtoul(*path + strlen(*path) + 1, NULL, 10);
    return true;
}

void text_path(const char *id, char *path, size_t size)
{
    static const char tests[] = "test:";
    const bool is_test = strncmp(id, tests, strlen(tests)) == 0;
    const char *name = is_test ? id + strlen(tests) : id;
    snprintf(path, size, "%s/%.*s.c", is_test ? "tests/algorithms" : "src/algorithms", (int)strcspn(name, ":"), name);
}

/* --- what a mutant has changed ------------------------------------------------------------------------------------ */

/* What is left of a text or of a list of changes. */
struct rest {
    const char *at, *end;
};

static struct text_line next_line(struct rest *rest)
{
    const char *end = memchr(rest->at, '\n', (size_t)(rest->end - rest->at));
    struct text_line line = {.text = rest->at, .length = (size_t)((end != NULL ? end : rest->end) - rest->at)};
    rest->at = end != NULL ? end + 1 : rest->end;
    return line;
}

static void add_line(struct text *text, struct text_line line)
{
    if ((text->count & (text->count + 1)) == 0)
        text->lines = must_reallocate(text->lines, 2 * (text->count + 1) * sizeof *text->lines);
    text->lines[text->count++] = line;
}

static void keep_lines(struct text *text, struct rest *original, unsigned *number, unsigned *original_number,
                       unsigned up_to)
{
    for (; original->at < original->end && *original_number < up_to; ++*original_number) {
        struct text_line line = next_line(original);
        line.number = ++*number;
        add_line(text, line);
    }
}

static bool is_header_of(const struct text_line *line, const char *path)
{
    static const char header[] = "--- ";
    const size_t length = strlen(header);
    return line->length == length + strlen(path) && memcmp(line->text, header, length) == 0 &&
           memcmp(line->text + length, path, strlen(path)) == 0;
}

/* The changes are what diff -U 0 says: for each file its two names, and then "@@ -FIRST,COUNT +FIRST,COUNT @@" before the
 * lines that are gone and those that are there instead. If COUNT is 0, FIRST is the line before. */
static void apply(struct text *text, struct rest original, struct rest changes, const char *path)
{
    unsigned number = 0, original_number = 0;
    bool is_about_it = false;
    while (changes.at < changes.end) {
        struct text_line line = next_line(&changes);
        const bool is_file = line.length > 4 && memcmp(line.text, "--- ", 4) == 0;
        unsigned first, count = 1;
        if (is_file) {
            is_about_it = is_header_of(&line, path);
            next_line(&changes);
        } else if (is_about_it && sscanf(line.text, "@@ -%u,%u", &first, &count) >= 1) {
            keep_lines(text, &original, &number, &original_number, count > 0 ? first - 1 : first);
        } else if (is_about_it && line.text[0] == '-') {
            add_line(text, next_line(&original));
            original_number++;
        } else if (is_about_it && line.text[0] == '+') {
            add_line(text, (struct text_line){line.text + 1, line.length - 1, ++number, true});
        }
    }
    keep_lines(text, &original, &number, &original_number, UINT32_MAX);
}

bool changed_path(const char *id, unsigned number, char *path, size_t size)
{
    size_t changes_size;
    const char *changes = embedded_text(id, &changes_size);
    if (changes == NULL)
        return false;
    for (struct rest rest = {changes, changes + changes_size}; rest.at < rest.end;) {
        const struct text_line line = next_line(&rest);
        if (line.length > 4 && memcmp(line.text, "--- ", 4) == 0 && number-- == 0) {
            snprintf(path, size, "%.*s", (int)line.length - 4, line.text + 4);
            return true;
        }
    }
    return false;
}

bool text_open(struct text *text, const char *id, const char *path)
{
    size_t size, changes_size = 0;
    *text = (struct text){.lines = NULL};
    const char *original = embedded_text(path, &size);
    if (original == NULL)
        return false;
    const char *changes = embedded_text(id, &changes_size);
    if (changes == NULL)
        changes = "", changes_size = 0;
    apply(text, (struct rest){original, original + size}, (struct rest){changes, changes + changes_size}, path);
    return true;
}

void text_close(struct text *text)
{
    free(text->lines);
}
