/* SPDX-License-Identifier: MIT
 *
 * afek/linear, watched.
 */
#include "watched.h"

#include "algorithms/afek/linear.c"
