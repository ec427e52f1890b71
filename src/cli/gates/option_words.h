/* SPDX-License-Identifier: MIT
 *
 * option_words.h - the command lines of other programs, as they read them: which word is an option, which the value of one.
 */
#ifndef ADMIT_CLI_GATES_OPTION_WORDS_H
#define ADMIT_CLI_GATES_OPTION_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* The options that a program has: `shorts` as getopt takes them, "ab:c::" with a value for b and an optional one for c;
 * `longs` are words with blanks between them, those that need a value with = at the end. */
struct option_table {
    const char *shorts, *longs;
};

struct option_word {
    enum {
        HAS_ALL,        /* no value, or it is in the word */
        VALUE_IS_NEXT,  /* the next word is it */
        VALUE_MAY_NEXT, /* the table does not know it: perhaps */
    } reads;
    char letter;       /* of a short one, the last in the word that is read; 0: it is a long one */
    const char *name;  /* of a long one, in the table, unless that does not know it: "" */
    const char *value; /* in the word; NULL: none */
};

/* Of a word that begins with a dash. Long ones may be abbreviated. */
struct option_word read_option(const char *word, const struct option_table *table);

/* Memory for words that are made of others. It is there until the process ends, since what was found may be any of them. */
void *keep_words(size_t size);

/* The words of a command in a string, with NULL at the end: of quotes and backslashes it knows as much as to tell where words
 * end. If it is for a shell there may be several, with ; or the like between them: `line` is then at the next, and else at
 * its end. */
char **split_command(const char **line, bool for_shell);

#endif
