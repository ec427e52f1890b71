/* SPDX-License-Identifier: MIT
 *
 * check.h - what admit check was asked, and how its answer is shown.
 */
#ifndef ADMIT_CLI_CHECK_H
#define ADMIT_CLI_CHECK_H

#include "checker/explore.h"
#include "checker/properties.h"
#include "cli/cli.h"

struct request {
    const struct entry *entry;
    struct setting setting;
    bool passages_limited;
    enum property properties[PROPERTIES];
    unsigned property_count;
    struct exploration_options options;
    const char *trace_file;
    bool json;
};

void print_result_json(const struct request *request, const struct exploration *exploration,
                       const struct finding *findings, double seconds);
void print_result(const struct request *request, const struct exploration *exploration, const struct finding *findings,
                  double seconds);

#endif
