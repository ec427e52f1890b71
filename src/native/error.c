/* SPDX-License-Identifier: MIT
 *
 * The texts of a thread's last errors are on the heap, behind one pointer: a library that a program loads at run time
 * finds little room for variables of each thread (static TLS), and the fast path of gates needs its share of it.
 * Without memory for the texts an error still has its number, and the sentence that goes with it.
 */
#include "native/error.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(number) TEXT_OF(number)
#define TEXT_OF(number) #number

/* Each is empty if there is none. */
struct texts {
    char last[512];
    char n_too_large[128], does_not_fit[160]; /* of the last such error */
};

static _Thread_local admit_error last_error = ADMIT_OK;
static _Thread_local struct texts *own_texts; /* NULL: none yet, or no memory */

static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static _Atomic bool key_made;

static void thread_ends(void *texts)
{
    own_texts = NULL; /* another key's destructor may fail at something after this one */
    free(texts);
}

static void make_key(void)
{
    key_made = pthread_key_create(&key, thread_ends) == 0;
}

/* A thread that outlives the library, unloaded with the plugin it was linked into, must not end in code that is gone.
 * What such a thread has of texts is lost. */
__attribute__((destructor)) static void delete_key(void)
{
    if (atomic_exchange(&key_made, false))
        pthread_key_delete(key);
}

/* Of this thread, made if need be; NULL: there is no memory, or nobody would free it. */
static struct texts *texts(void)
{
    if (own_texts != NULL)
        return own_texts;
    pthread_once(&key_once, make_key);
    struct texts *made = key_made ? calloc(1, sizeof *made) : NULL;
    if (made != NULL && pthread_setspecific(key, made) != 0) {
        free(made);
        made = NULL;
    }
    return own_texts = made;
}

void *admit_fail(admit_error error)
{
    last_error = error;
    if (own_texts != NULL)
        own_texts->last[0] = '\0';
    return NULL;
}

admit_error admit_gate_error(admit_error error, const char *format, ...)
{
    struct texts *own = texts();
    if (own != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(own->last, sizeof own->last, format, arguments);
        va_end(arguments);
    }
    last_error = error;
    return error;
}

static admit_error meaning_of(int error)
{
    switch (error) {
    case EACCES:
    case EPERM:
    case EROFS:
        return ADMIT_NO_PERMISSION;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return ADMIT_DISK_FULL;
    case ENOMEM:
        return ADMIT_NO_MEMORY;
    default:
        return ADMIT_SYSTEM;
    }
}

/* There are two functions of this name. */
static const char *reason_of(int error, char *text, size_t size)
{
#ifdef __GLIBC__
    return strerror_r(error, text, size);
#else
    return strerror_r(error, text, size) == 0 ? text : "an unknown error";
#endif
}

admit_error admit_gate_system_error(const char *what, const char *path)
{
    char reason[100];
    int error = errno;
    return admit_gate_error(meaning_of(error), "cannot %s %s: %s", what, path, reason_of(error, reason, sizeof reason));
}

const char *admit_last_error_text(void)
{
    return own_texts != NULL && own_texts->last[0] != '\0' ? own_texts->last : admit_error_message(last_error);
}

admit_error admit_n_too_large(const char *id, unsigned n, unsigned max_n)
{
    struct texts *own = texts();
    if (own != NULL)
        snprintf(own->n_too_large, sizeof own->n_too_large,
                 "%s is for n up to %u, not for n = %u: its registers would be too large", id, max_n, n);
    return ADMIT_N_TOO_LARGE;
}

admit_error admit_does_not_fit(const char *id, unsigned n, unsigned k, unsigned bits, unsigned room)
{
    struct texts *own = texts();
    if (own != NULL)
        snprintf(own->does_not_fit, sizeof own->does_not_fit,
                 "%s with n = %u and k = %u packs %u bits into one word, which has %u", id, n, k, bits, room);
    return ADMIT_DOES_NOT_FIT;
}

admit_error admit_last_error(void)
{
    return last_error;
}

const char *admit_error_message(admit_error error)
{
    switch (error) {
    case ADMIT_OK:
        return "no error";
    case ADMIT_UNKNOWN_ALGORITHM:
        return "no algorithm of the catalogue has this id";
    case ADMIT_BAD_N:
        return "n must be from 1 to " TEXT(ADMIT_PARTICIPANTS_MAX);
    case ADMIT_BAD_K:
        return "k must be from 1 to n, and 1 for an algorithm that knows no other";
    case ADMIT_BAD_PARTICIPANT:
        return "participants are numbered from 0 to n-1";
    case ADMIT_ALREADY_INSIDE:
        return "this participant is inside already";
    case ADMIT_NOT_INSIDE:
        return "this participant is not inside";
    case ADMIT_MEMORY_TOO_SMALL:
        return "the memory is too small for the lock";
    case ADMIT_MEMORY_MISALIGNED:
        return "the memory must start at a multiple of " TEXT(ADMIT_ALIGNMENT) " bytes";
    case ADMIT_NOT_A_LOCK:
        return "there is no lock in this memory";
    case ADMIT_OTHER_LAYOUT:
        return "the lock was made by a library with another layout of shared memory";
    case ADMIT_CORRUPT:
        return "the lock's memory has been overwritten";
    case ADMIT_NO_MEMORY:
        return "out of memory";
    case ADMIT_N_TOO_LARGE:
        return own_texts != NULL && own_texts->n_too_large[0] != '\0'
                   ? own_texts->n_too_large
                   : "n is more than the algorithm's registers leave room for";
    case ADMIT_DOES_NOT_FIT:
        return own_texts != NULL && own_texts->does_not_fit[0] != '\0'
                   ? own_texts->does_not_fit
                   : "the algorithm's word has no room for this n and k";
    case ADMIT_TIMED_OUT:
        return "timed out";
    case ADMIT_NO_SLOT:
        return "all slots are taken";
    case ADMIT_INTERRUPTED:
        return "interrupted";
    case ADMIT_FULL:
        return "as many take part as the gate has capacity for";
    case ADMIT_NO_GATE:
        return "there is no such gate";
    case ADMIT_OTHER_K:
        return "the gate has another k";
    case ADMIT_BAD_NAME:
        return "a gate's name is 1 to 64 of A-Z a-z 0-9 . _ -, or a path with a slash";
    case ADMIT_BAD_OPTION:
        return "a number is out of range";
    case ADMIT_NOT_A_GATE:
        return "the file is not a gate";
    case ADMIT_OTHER_GATE_LAYOUT:
        return "the gate was made by a library with another layout";
    case ADMIT_GATE_CORRUPT:
        return "the gate's file has been overwritten";
    case ADMIT_NOT_YOURS:
        return "the gate belongs to somebody else";
    case ADMIT_NO_PERMISSION:
        return "permission denied";
    case ADMIT_DISK_FULL:
        return "no room for the gate's file";
    case ADMIT_BUSY:
        return "the gate is in use";
    case ADMIT_REMOVED:
        return "the gate has been removed";
    case ADMIT_NOT_HOLDING:
        return "this thread is not inside";
    case ADMIT_SYSTEM:
        return "the system refused";
    case ADMIT_UNSUPPORTED:
        return "this system, or this kind of gate, lacks what is needed";
    case ADMIT_LOST:
        return "the hold is lost: its lease is over";
    case ADMIT_CHECKED_ONLY:
        return "the algorithm is for admit check alone: no machine has its steps";
    }
    return "unknown error";
}

const char *admit_version(void)
{
    return TEXT(ADMIT_VERSION_MAJOR) "." TEXT(ADMIT_VERSION_MINOR) "." TEXT(ADMIT_VERSION_PATCH);
}
