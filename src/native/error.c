/* SPDX-License-Identifier: MIT */
#include "native/error.h"

#include <stdio.h>

#define TEXT(number) TEXT_OF(number)
#define TEXT_OF(number) #number

static _Thread_local admit_error last_error = ADMIT_OK;
static _Thread_local char n_too_large[128] = "n is more than the algorithm's registers leave room for";

static _Thread_local char does_not_fit[160] = "the algorithm's word has no room for this n and k";

void *admit_fail(admit_error error)
{
    last_error = error;
    return NULL;
}

admit_error admit_n_too_large(const char *id, unsigned n, unsigned max_n)
{
    snprintf(n_too_large, sizeof n_too_large, "%s is for n up to %u, not for n = %u: its registers would be too large",
             id, max_n, n);
    return ADMIT_N_TOO_LARGE;
}

admit_error admit_does_not_fit(const char *id, unsigned n, unsigned k, unsigned bits, unsigned room)
{
    snprintf(does_not_fit, sizeof does_not_fit, "%s with n = %u and k = %u packs %u bits into one word, which has %u",
             id, n, k, bits, room);
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
        return n_too_large;
    case ADMIT_DOES_NOT_FIT:
        return does_not_fit;
    case ADMIT_CHECKED_ONLY:
        return "the algorithm is for admit check alone: no machine has its steps";
    }
    return "unknown error";
}

const char *admit_version(void)
{
    return TEXT(ADMIT_VERSION_MAJOR) "." TEXT(ADMIT_VERSION_MINOR) "." TEXT(ADMIT_VERSION_PATCH);
}
