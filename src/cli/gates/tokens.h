/* SPDX-License-Identifier: MIT
 *
 * tokens.h - the tokens of make's jobserver protocol: one byte each, which a build reads before it starts one more job than
 * one, and writes back when that has ended. What a token stands for is the caller's.
 *
 * There are two ways. Two pipes: what is offered is read from the one and returned by the other, so that each token comes
 * back to whoever offered it. Or one named pipe, a fifo, where the builds read also what they have returned.
 */
#ifndef ADMIT_CLI_GATES_TOKENS_H
#define ADMIT_CLI_GATES_TOKENS_H

#include <limits.h>
#include <stdbool.h>

struct tokens {
    bool fifo;
    int offers;   /* written to: can be written, if there are two pipes, exactly when nothing is on offer */
    int untaken;  /* read, to withdraw an offer */
    int returns;  /* read: what comes back; the same as untaken, of a fifo */
    int given[2]; /* what the command inherits: 100 or more; -1: none, of a fifo */
    char path[PATH_MAX];
};

/* Whether they could be made; else why not has been said. */
bool tokens_open(struct tokens *tokens, bool fifo);
/* As MAKEFLAGS names them, after --jobserver-auth= */
void tokens_name(const struct tokens *tokens, char *text, unsigned size);
/* The fifo is taken away. */
void tokens_close(struct tokens *tokens);

/* How many lie there to be taken; of a fifo, those too that have been returned. */
unsigned tokens_on_offer(const struct tokens *tokens);
void tokens_offer(const struct tokens *tokens, unsigned number);
/* Takes up to so many back that nobody has taken. Returns how many. */
unsigned tokens_withdraw(const struct tokens *tokens, unsigned most);
/* How many bytes have come back since: 0 of a fifo, where they are on offer again. */
unsigned tokens_returned(const struct tokens *tokens);

#endif
