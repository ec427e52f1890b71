/* SPDX-License-Identifier: MIT */
#include "cli/offers.h"

#include "cli/gates/gates.h"
#include "cli/gates/job_end.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int offer_gate(void *data, const char *name, const char *path)
{
    (void)data, (void)path;
    offer(name, NULL);
    return 0;
}

void offer_gates(const char *word, const char *command)
{
    (void)word, (void)command;
    admit_gate_list(offer_gate, NULL);
}

static void offer_job(void *data, struct job *job)
{
    const bool all = data == NULL;
    const enum job_condition condition = job_condition(job);
    if (!all && condition != JOB_WAITING && condition != JOB_RUNNING && condition != JOB_ORPHAN)
        return;
    char id[16], words[64], brief[ADMIT_COMMAND_SIZE], printed[ADMIT_COMMAND_SIZE];
    snprintf(id, sizeof id, "@%u", job->id);
    snprintf(brief, sizeof brief, "%s: %s", job_condition_name(condition),
             shell_words(job->words, words, sizeof words));
    offer(id, printable(brief, printed));
}

/* To look for jobs makes the directory of gates, and what is only being typed is to make nothing. */
static bool there_is_a_directory(void)
{
    char path[PATH_MAX];
    if (admit_gate_resolve("any", path, sizeof path) != ADMIT_OK)
        return false;
    *strrchr(path, '/') = '\0';
    return access(path, X_OK) == 0;
}

void offer_jobs(const char *word, const char *command)
{
    static char some;
    (void)word;
    if (there_is_a_directory())
        job_list(offer_job, strcmp(command, "cancel") == 0 ? &some : NULL, NULL);
}

void offer_job_states(const char *word, const char *command)
{
    (void)word, (void)command;
    for (unsigned c = JOB_WAITING; c <= JOB_KILLED; c++)
        offer(job_condition_name(c), NULL);
    offer("failed", "done with a status other than 0, or killed");
}
