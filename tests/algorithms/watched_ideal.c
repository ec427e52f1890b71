/* SPDX-License-Identifier: MIT
 *
 * afek/ideal, watched.
 */
#include "watched.h"

#include "algorithms/afek/ideal.c"
