/* SPDX-License-Identifier: MIT
 *
 * check.h - what admit check was asked, and how its answer is shown.
 */
#ifndef ADMIT_CLI_LABORATORY_CHECK_H
#define ADMIT_CLI_LABORATORY_CHECK_H

#include "checker/question.h"
#include "cli/laboratory/laboratory.h"

struct request {
    const struct entry *entry;
    struct question question;
    bool passages_limited;
    struct schedule_file schedule; /* without a name: none */
    bool nothing_claimed;          /* nothing was asked, and nothing is claimed: exclusion is asked */
    const char *trace_file;
    struct picture_files pictures;
    bool json;
};

void print_result_json(const struct request *request, const struct answer *answer);
void print_result(const struct request *request, const struct answer *answer);

#endif
