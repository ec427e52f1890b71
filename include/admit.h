/* SPDX-License-Identifier: MIT
 *
 * admit.h - mutual exclusion and k-exclusion by the algorithms of the literature, as locks that one can use.
 *
 * WHAT IT IS
 *
 * A lock lets at most k of its n participants in at a time. It runs one of the algorithms of the catalogue (the command
 * `admit algorithms` prints it), compiled from the very text that `admit check` explores. n, k and the algorithm are
 * fixed when the lock is made. A participant is a number, 0 .. n-1, and stands for a thread or a process: which thread
 * has which number is for the program to say, and no two may use one number at the same time.
 *
 *     admit_lock *lock = admit_lock_create("bakery", 4, 1);      four participants, one inside at a time
 *     ...
 *     admit_lock_enter(lock, me);                                waits for its turn
 *     balance += amount;                                         what the lock guards
 *     admit_lock_leave(lock, me);
 *     ...
 *     admit_lock_destroy(lock);
 *
 * Invariant: between the return of its enter and the call of its leave, a participant is inside; never are more than
 * k. (Two algorithms are parts, which only put participants in order: see admit_algorithm_excludes.) What one wrote
 * inside is seen by everybody who enters after it has left.
 *
 * WHERE IT LIVES
 *
 *   threads of one process                 admit_lock_create
 *   processes forked after its creation    admit_lock_create: parent and children share it
 *   processes that have nothing in common  one maps a file or a POSIX shared memory object and calls
 *                                          admit_lock_create_in; the others map it too and call admit_lock_attach.
 *                                          The addresses may differ.
 *
 * WHICH CALLS MAY OVERLAP, on one lock. "same" is the same participant, in any thread or process; "other" is another.
 *
 *                       enter/leave same   enter/leave other   attach   destroy, same handle   create_in, same memory
 *   enter, leave               -                  X              X               -                       -
 *   attach                     X                  X              X               X                       X (1)
 *   destroy                    -                  -              X               -                       X
 *
 *   X  may overlap    -  must not: undefined, as when two threads use one number at once
 *   (1) finds a whole lock, or fails
 *
 * Functions not in the table (sizes, messages, the catalogue) may be called by anybody at any time. None may be called
 * from a signal handler that interrupts enter or leave of the same participant.
 *
 * WHERE THE PROMISE ENDS
 *
 *   - Order and freedom from starvation are those of the algorithm: see admit_algorithm_fairness.
 *   - These algorithms do not know of death: a participant that dies inside stays inside, and one that dies while it
 *     waits may block others for ever. What the theorems say about that, `admit check --fault crash` shows.
 *   - Enter is not recursive, and nothing can interrupt it: there is no try and no time-out.
 *   - Across fork, parent and child share the numbers: a child that goes on as participant i, inside or not, does so
 *     instead of its parent.
 *   - Waiting spins for some microseconds, then yields, then sleeps until what it waits for is written. It is meant for
 *     more participants than there are cores, and for long waits too.
 *   - Any process that can write the memory can break the lock; none can make attach crash.
 */
#ifndef ADMIT_H
#define ADMIT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ADMIT_API __attribute__((visibility("default")))
#else
#define ADMIT_API
#endif

/* Before 1.0.0 a minor version may change anything; from then on the same major version means a compatible library. The
 * layout of shared memory has a version of its own, and attach refuses another one. */
#define ADMIT_VERSION_MAJOR 0
#define ADMIT_VERSION_MINOR 1
#define ADMIT_VERSION_PATCH 0

/* The version of the library that is linked, as "0.1.0"; it can differ from the header's. */
ADMIT_API const char *admit_version(void);

/* --- Errors ---------------------------------------------------------------------------------------------------------
 *
 * One convention: a call that makes something returns it, or NULL (0 for a size), and admit_last_error tells why. Every
 * other call that can fail returns its error, which is 0 when all is well. A call that fails has changed nothing. */
typedef enum admit_error {
    ADMIT_OK = 0,
    ADMIT_UNKNOWN_ALGORITHM, /* no algorithm of the catalogue has this id */
    ADMIT_BAD_N,             /* n must be 1 .. ADMIT_PARTICIPANTS_MAX */
    ADMIT_BAD_K,             /* k must be 1 .. n, and 1 for an algorithm that knows no other k */
    ADMIT_BAD_PARTICIPANT,   /* participants are numbered 0 .. n-1 */
    ADMIT_ALREADY_INSIDE,    /* enter: this participant has entered and not left */
    ADMIT_NOT_INSIDE,        /* leave: this participant has not entered */
    ADMIT_MEMORY_TOO_SMALL,  /* the memory given has fewer bytes than admit_lock_size says, or than the lock in it */
    ADMIT_MEMORY_MISALIGNED, /* the memory given is NULL or not at a multiple of ADMIT_ALIGNMENT */
    ADMIT_NOT_A_LOCK,        /* attach: no lock has been made in this memory, or it is not finished */
    ADMIT_OTHER_LAYOUT,      /* attach: the lock was made by a library with another layout of shared memory */
    ADMIT_CORRUPT,           /* attach: a lock was made here, but the memory has been overwritten since */
    ADMIT_NO_MEMORY,         /* the system has no memory left */
    ADMIT_N_TOO_LARGE,  /* n is more than admit_algorithm_max_n: the algorithm's registers would be too large */
    ADMIT_DOES_NOT_FIT, /* the algorithm keeps all that it shares in one word of 64 bits, which is too little for this
                           n and k */
    ADMIT_CHECKED_ONLY, /* the algorithm is for `admit check` alone: no machine has its steps */
} admit_error;

/* One English sentence without full stop; never NULL, also for a number that is no error. Those of ADMIT_N_TOO_LARGE and
 * ADMIT_DOES_NOT_FIT name the algorithm, the numbers and the limit of this thread's last such error, and are good until
 * the next one. */
ADMIT_API const char *admit_error_message(admit_error error);

/* Why this thread's last call that returned NULL or 0 did so. */
ADMIT_API admit_error admit_last_error(void);

/* --- The catalogue --------------------------------------------------------------------------------------------------
 *
 *     for (unsigned a = 0; admit_algorithm_id(a) != NULL; a++)
 *         puts(admit_algorithm_id(a));
 */

/* The id of the catalogue's index-th algorithm, such as "bakery"; NULL past the last one. */
ADMIT_API const char *admit_algorithm_id(unsigned index);

/* The algorithm's name in its paper, and its fairness in one phrase; NULL if there is no such id. */
ADMIT_API const char *admit_algorithm_title(const char *id);
ADMIT_API const char *admit_algorithm_fairness(const char *id);

/* The most participants that a lock by this algorithm can have; 0 if there is no such id. It is
 * ADMIT_PARTICIPANTS_MAX but for those whose registers grow as n factorial, and for "queue". The colored tickets have a
 * limit for n and k together: ask admit_algorithm_supports. */
ADMIT_API unsigned admit_algorithm_max_n(const char *id);

/* Whether the algorithm excludes: 0 for "n_bit" and "n_factorial_bit", which are printed as parts that let everybody
 * in, in the order in which they came, and in which another algorithm is embedded ("n_bit/one_bit"); 0 if there is no
 * such id. */
ADMIT_API int admit_algorithm_excludes(const char *id);

/* Whether such a lock can be made: ADMIT_OK, or the error that making it would give. */
ADMIT_API admit_error admit_algorithm_supports(const char *id, unsigned n, unsigned k);

/* --- Locks
 * ---------------------------------------------------------------------------------------------------------- */

#define ADMIT_PARTICIPANTS_MAX 64
#define ADMIT_ALIGNMENT 64

/* This process's handle on a lock. Its children inherit a handle of their own by fork. */
typedef struct admit_lock admit_lock;

/* Makes a lock for the threads of this process and for the processes it forks from now on. */
ADMIT_API admit_lock *admit_lock_create(const char *id, unsigned n, unsigned k);

/* How many bytes of shared memory such a lock takes. */
ADMIT_API size_t admit_lock_size(const char *id, unsigned n, unsigned k);

/* Makes a lock in memory that others map too, whatever the memory held before, and a handle on it. The memory stays the
 * caller's: it must outlive every handle, and nobody may shrink the file behind it meanwhile. Create a file under a
 * temporary name, make the lock, then rename it: so that nobody maps a file that is still too short. */
ADMIT_API admit_lock *admit_lock_create_in(void *memory, size_t size, const char *id, unsigned n, unsigned k);

/* A handle on a lock that admit_lock_create_in has made in this memory, perhaps mapped elsewhere. What the memory holds
 * is checked, not believed. */
ADMIT_API admit_lock *admit_lock_attach(void *memory, size_t size);

/* Returns when participant i is inside. */
ADMIT_API admit_error admit_lock_enter(admit_lock *lock, unsigned i);

/* Participant i, which entered by the same handle (or by the one its process inherited), is inside no more. Never waits
 * in the algorithms with a bounded exit. */
ADMIT_API admit_error admit_lock_leave(admit_lock *lock, unsigned i);

/* What the lock was made with. */
ADMIT_API const char *admit_lock_algorithm(const admit_lock *lock);
ADMIT_API unsigned admit_lock_n(const admit_lock *lock);
ADMIT_API unsigned admit_lock_k(const admit_lock *lock);

/* Gives back the handle, and with admit_lock_create this process's mapping of the lock; other processes' handles, and
 * memory that the caller gave, are left as they are. NULL is allowed. */
ADMIT_API void admit_lock_destroy(admit_lock *lock);

#ifdef __cplusplus
}
#endif

#endif
