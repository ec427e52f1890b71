/* SPDX-License-Identifier: MIT
 *
 * catalogue.h - all algorithms, one line each: the name of the file. Everything else about an algorithm is in that
 * file.
 */
#ifndef ADMIT_ALGORITHMS_CATALOGUE_H
#define ADMIT_ALGORITHMS_CATALOGUE_H

#define CATALOGUE(ALGORITHM)                                                                                           \
    ALGORITHM(one_bit)                                                                                                 \
    ALGORITHM(burns_lynch)                                                                                             \
    ALGORITHM(bakery)

#endif
