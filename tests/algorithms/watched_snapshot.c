/* SPDX-License-Identifier: MIT
 *
 * afek/snapshot, watched.
 */
#include "watched.h"

#include "algorithms/afek/snapshot.c"
