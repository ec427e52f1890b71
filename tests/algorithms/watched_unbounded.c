/* SPDX-License-Identifier: MIT
 *
 * afek/unbounded, watched.
 */
#include "watched.h"

#include "algorithms/afek/unbounded.c"
