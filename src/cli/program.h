/* SPDX-License-Identifier: MIT
 *
 * program.h - what the programs have in common that have sub-commands: admit, and admit-etcd, which does the same for gates on
 * etcd.
 */
#ifndef ADMIT_CLI_PROGRAM_H
#define ADMIT_CLI_PROGRAM_H

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *brief;
};

/* NULL: there is none of this name. */
const struct command *find_command(const struct command *commands, unsigned count, const char *name);

/* What a sub-command exits with when it fails itself. */
int own_failure_of(const char *name);

/* Standard descriptors that are closed, and output that cannot be written, are seen to from here on. `failure`: what to exit
 * with if even that cannot be done. */
void begin_program(int failure);

#endif
