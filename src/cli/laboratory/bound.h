/* SPDX-License-Identifier: MIT
 *
 * bound.h - one command for each bound (bound.c, bound_values.c).
 */
#ifndef ADMIT_CLI_LABORATORY_BOUND_H
#define ADMIT_CLI_LABORATORY_BOUND_H

int command_bound_values(int argc, char **argv);

#endif
