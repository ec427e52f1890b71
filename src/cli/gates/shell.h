/* SPDX-License-Identifier: MIT
 *
 * shell.h - the process for which `admit enter` takes a slot: a shell, as a rule.
 */
#ifndef ADMIT_CLI_GATES_SHELL_H
#define ADMIT_CLI_GATES_SHELL_H

#include <stdbool.h>
#include <stdint.h>

enum { SHELL_WORDS_MAX = 64, SHELL_TEXT_MAX = 4096 };

struct shell {
    long pid;
    int end;          /* a descriptor that can be read when it has ended; -1: there is none to be had, */
    uint64_t started; /* then this tells it from a later process; 0: that cannot be seen either */
    char *words[SHELL_WORDS_MAX + 1]; /* its command line, or what there is to say in its place; in: */
    char text[SHELL_TEXT_MAX];
};

/* The process of this number; 0: the one from which this process was called, as a shell calls itself $$, in its subshells
 * too. Ends with a message if that cannot have a slot. */
void shell_find(struct shell *shell, const char *command, long pid);
/* False: it has ended. What cannot be seen lives. */
bool shell_lives(const struct shell *shell);
/* Returns when it has ended, or `other` can be read: whether it lives. */
bool shell_await(const struct shell *shell, int other);

/* The process from which this one was called, or the next one above that; 0: there is none, or it cannot be seen. */
long process_above(long pid);

#endif
