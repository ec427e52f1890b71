/* SPDX-License-Identifier: MIT
 *
 * unit.h - cmocka, and what the tests of the checker's parts share: an explored algorithm and a look into its states.
 */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "checker/explore/explore.h"
#include "checker/model/catalogue.h"

/* n processes, atomic registers, no faults, any number of passages; the test changes what it wants to. */
static inline struct setting setting_of(const char *id, unsigned n, unsigned k)
{
    const struct entry *entry = catalogue_find(id);
    if (entry == NULL)
        fail_msg("there is no algorithm %s", id);
    struct setting setting = {.algorithm = entry->algorithm, .n = n, .k = k};
    memset(setting.passages, UNBOUNDED_PASSAGES, sizeof setting.passages);
    return setting;
}

/* The same run for the same seed, which is not 0. */
static inline uint64_t next_random(uint64_t *random)
{
    *random ^= *random << 13, *random ^= *random >> 7, *random ^= *random << 17;
    return *random;
}

/* Does in a child what may end the program: its exit status, and what it said on stderr. */
static inline int end_of(void (*deed)(unsigned which), unsigned which, char *message, size_t size)
{
    int pipe_ends[2];
    assert_return_code(pipe(pipe_ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(pipe_ends[1], STDERR_FILENO);
        deed(which);
        _exit(0);
    }
    close(pipe_ends[1]);
    FILE *said = fdopen(pipe_ends[0], "r");
    message[fread(message, 1, size - 1, said)] = '\0';
    fclose(said);
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct explored {
    struct model model;
    struct exploration exploration;
};

static inline struct explored *explored_open(const struct setting *setting)
{
    struct explored *explored = calloc(1, sizeof *explored);
    struct exploration_options options = {.want_graph = true};
    explore(&explored->exploration, &explored->model, setting, &options);
    assert_null(explored->exploration.stopped);
    assert_int_equal(explored->exploration.graph.states, explored->exploration.states);
    return explored;
}

static inline void explored_close(struct explored *explored)
{
    exploration_close(&explored->exploration); /* and the model */
    free(explored);
}

/* How many states a setting has. */
static inline uint64_t states_of(const struct setting *setting)
{
    struct explored *explored = explored_open(setting);
    uint64_t states = explored->exploration.states;
    explored_close(explored);
    return states;
}

/* Process i, and the value of a register, in a state of the graph. */
static inline const struct process *process_in(const struct explored *explored, uint32_t state, unsigned i)
{
    const uint64_t *record = store_record(&explored->exploration.store, explored->exploration.graph.numbers[state]);
    uint64_t number = field_get(record, explored->model.process_field[i]);
    return &explored->model.automaton[i].processes[number];
}

static inline uint64_t value_in(const struct explored *explored, uint32_t state, unsigned reg)
{
    const uint64_t *record = store_record(&explored->exploration.store, explored->exploration.graph.numbers[state]);
    return field_get(record, explored->model.register_field[reg]);
}

#endif
