/* SPDX-License-Identifier: MIT
 *
 * elsewhere.h - gates that are no file of this machine: those whose names begin with "etcd:".
 *
 * A library of its own has them, libadmit-etcd: this one needs libc alone. The calls of admit.h are the same, and come here
 * first; a call that has to do with such a gate is handed over. How the other is found: it is linked with the program
 * (libadmit-etcd.a, with -u admit_elsewhere_provide for the linker), or libadmit.so loads it when such a gate is opened for
 * the first time (libadmit-etcd.so.0).
 */
#ifndef ADMIT_GATE_FILE_ELSEWHERE_H
#define ADMIT_GATE_FILE_ELSEWHERE_H

#include <admit.h>
#include <stdbool.h>

/* Both sides are to be of one version. */
enum { ELSEWHERE_VERSION = 1 };

/* What the other library has from this one. */
struct elsewhere_host {
    unsigned version;
    /* Notes an error as that of this thread's last call, with its text, and returns it. */
    admit_error (*fails)(admit_error error, const char *format, ...) __attribute__((format(printf, 2, 3)));
};

/* What this one has from the other: each as the call of admit.h of that name. `there` is what open has made of the name. */
struct elsewhere {
    unsigned version;
    void *(*open)(const char *name, const admit_gate_options *options);
    void (*close)(void *there);
    unsigned (*k)(void *there);
    unsigned (*declared_k)(void *there);
    void (*identity)(void *there, uint64_t *device, uint64_t *inode);
    /* how is never NULL. A deadline that has passed does not come here: then only_if_free is set. */
    admit_error (*enter)(void *there, admit_hold *hold, const admit_wait *how);
    admit_error (*leave)(void *there, const admit_hold *hold);
    int64_t (*time_left)(void *there, const admit_hold *hold);
    uint64_t (*token)(void *there, const admit_hold *hold);
    void (*interrupt)(void *there);
    admit_error (*describe)(void *there, const char *command);
    admit_view *(*inspect)(void *there); /* one piece of malloc's memory */
    unsigned (*waiters)(void *there);
    admit_error (*set_k)(void *there, unsigned k, bool declare);
    admit_error (*remove)(const char *name, bool force);
    admit_error (*list)(const char *where, int (*one)(void *data, const char *name, const char *path), void *data);
};

/* The one function of the other library, admit_elsewhere_provide. NULL: the versions do not fit. */
typedef const struct elsewhere *provide_elsewhere(const struct elsewhere_host *host);

/* Loads that library, in libadmit.so. NULL: it is not there; an error has been noted. */
provide_elsewhere *admit_elsewhere_load(const char *name);

/* Whether a name is of a gate elsewhere. */
bool admit_is_elsewhere(const char *name);
/* NULL: there is none; an error has been noted. */
const struct elsewhere *admit_elsewhere(const char *name);
/* For what has no meaning elsewhere. */
admit_error admit_not_elsewhere(const admit_gate *gate, const char *what);

#endif
