/* SPDX-License-Identifier: MIT
 *
 * catalogue.h - all algorithms, one line each: the name of the file, "_with_" standing for a slash. Everything else
 * about an algorithm is in that file.
 */
#ifndef ADMIT_ALGORITHMS_CATALOGUE_H
#define ADMIT_ALGORITHMS_CATALOGUE_H

#define CATALOGUE(ALGORITHM)                                                                                           \
    ALGORITHM(one_bit)                                                                                                 \
    ALGORITHM(one_bit_stabilizing)                                                                                     \
    ALGORITHM(three_bit)                                                                                               \
    ALGORITHM(three_bit_stabilizing)                                                                                   \
    ALGORITHM(n_bit)                                                                                                   \
    ALGORITHM(n_bit_with_one_bit)                                                                                      \
    ALGORITHM(n_factorial_bit)                                                                                         \
    ALGORITHM(n_factorial_bit_with_one_bit)                                                                            \
    ALGORITHM(n_factorial_bit_with_one_bit_stabilizing)                                                                \
    ALGORITHM(n_factorial_bit_with_one_bit_mending)                                                                    \
    ALGORITHM(burns_lynch)                                                                                             \
    ALGORITHM(bakery)                                                                                                  \
    ALGORITHM(peterson)                                                                                                \
    ALGORITHM(semaphore)                                                                                               \
    ALGORITHM(bank)                                                                                                    \
    ALGORITHM(queue)                                                                                                   \
    ALGORITHM(numbered_ticket)                                                                                         \
    ALGORITHM(unbounded_colored_ticket)                                                                                \
    ALGORITHM(colored_ticket)                                                                                          \
    ALGORITHM(colored_ticket_stack)                                                                                    \
    ALGORITHM(colored_ticket_small)                                                                                    \
    ALGORITHM(gate)                                                                                                    \
    ALGORITHM(etcd_gate)                                                                                               \
    ALGORITHM(afek_with_unbounded)                                                                                     \
    ALGORITHM(afek_with_snapshot)                                                                                      \
    ALGORITHM(afek_with_linear)                                                                                        \
    ALGORITHM(afek_with_ideal)                                                                                         \
    ALGORITHM(zehavi_with_unbounded)                                                                                   \
    ALGORITHM(zehavi_with_snapshot)                                                                                    \
    ALGORITHM(zehavi_with_linear)                                                                                      \
    ALGORITHM(zehavi_with_ideal)

#endif
