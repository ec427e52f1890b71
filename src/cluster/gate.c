/* SPDX-License-Identifier: MIT
 *
 * A handle of a gate on etcd, as elsewhere.h asks for it.
 */
#include "cluster/there.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sessions that are kept for the next passage, which saves a round trip and more; but each has a thread. */
enum { IDLE_MAX = 8 };

/* --- participants ---------------------------------------------------------------------------------------------------- */

struct etcd *there_etcd(struct there *there)
{
    if (there->etcd == NULL && (there->etcd = etcd_open(&there->gate.address.options)) == NULL)
        gate_fails(ADMIT_BAD_OPTION, "gate \"%s\": %s", there->gate.name, etcd_open_failure());
    return there->etcd;
}

static struct etcd *spare_etcd(struct there *there)
{
    if (pthread_mutex_trylock(&there->asking) != 0)
        return NULL; /* it is used just now */
    struct etcd *etcd = there->etcd;
    there->etcd = NULL;
    pthread_mutex_unlock(&there->asking);
    return etcd;
}

/* NULL: an error has been noted. The connection by which the gate was opened is the first participant's: most processes ask
 * for nothing else. */
static struct seat *new_seat(struct there *there)
{
    struct seat *seat = calloc(1, sizeof *seat);
    if (seat == NULL) {
        gate_fails(ADMIT_NO_MEMORY, "out of memory");
        return NULL;
    }
    seat->participant = participant_new_with(&there->gate, spare_etcd(there));
    if (seat->participant == NULL) {
        free(seat);
        return NULL;
    }
    seat->next = atomic_load(&there->seats);
    return seat;
}

/* One that is idle, or a new one. */
static struct seat *take_seat(struct there *there)
{
    pthread_mutex_lock(&there->lock);
    struct seat *seat = atomic_load(&there->seats);
    while (seat != NULL && seat->busy)
        seat = seat->next;
    if (seat != NULL) {
        there->idle--;
    } else {
        seat = new_seat(there);
        if (seat != NULL)
            atomic_store(&there->seats, seat);
    }
    if (seat != NULL)
        seat->busy = true;
    pthread_mutex_unlock(&there->lock);
    return seat;
}

static void return_seat(struct there *there, struct seat *seat)
{
    pthread_mutex_lock(&there->lock);
    const bool rests = there->idle >= IDLE_MAX;
    pthread_mutex_unlock(&there->lock);
    if (rests)
        participant_rest(seat->participant);
    pthread_mutex_lock(&there->lock);
    seat->busy = false;
    there->idle++;
    pthread_mutex_unlock(&there->lock);
}

/* With the lock; NULL: nobody is inside with this hold. */
static struct seat *seat_of(const struct there *there, const admit_hold *hold)
{
    for (struct seat *seat = atomic_load(&there->seats); seat != NULL; seat = seat->next)
        if (seat->ticket == hold->ticket && hold->ticket != 0)
            return seat;
    return NULL;
}

/* --- in and out ------------------------------------------------------------------------------------------------------ */

static bool is_parents(const struct there *there)
{
    return there->process != getpid();
}

/* What was asked for as CLOCK_MONOTONIC counts. */
static int64_t deadline_of(const struct timespec *until)
{
    struct timespec now;
    if (until == NULL)
        return INT64_MAX;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t left = (until->tv_sec - now.tv_sec) * INT64_C(1000000000) + (until->tv_nsec - now.tv_nsec);
    return etcd_now() + (left > 0 ? left : 0);
}

static admit_error enter(void *handle, admit_hold *hold, const admit_wait *how)
{
    struct there *there = handle;
    struct participant_hold had;
    if (is_parents(there))
        return gate_fails(ADMIT_UNSUPPORTED,
                          "gate \"%s\" was opened before the fork, and its lease is the parent's: open it again",
                          there->gate.name);
    pthread_mutex_lock(&there->lock);
    const struct told told = there->told;
    pthread_mutex_unlock(&there->lock);
    const struct participant_wait wait = {.told = &told,
                                          .until = deadline_of(how->until),
                                          .only_if_free = how->only_if_free,
                                          .interruptible = how->interruptible,
                                          .waiting = how->waiting,
                                          .lost = how->lost,
                                          .data = how->data};
    if (how->outside != NULL)
        *how->outside = 0;
    struct seat *seat = take_seat(there);
    const admit_error error = seat == NULL ? ADMIT_NO_MEMORY : participant_enter(seat->participant, &wait, &had);
    if (error != ADMIT_OK) {
        if (seat != NULL)
            return_seat(there, seat);
        return error;
    }
    *hold = (admit_hold){.slot = had.slot, .ticket = had.ticket};
    pthread_mutex_lock(&there->lock);
    seat->ticket = had.ticket;
    seat->token = had.token;
    pthread_mutex_unlock(&there->lock);
    return ADMIT_OK;
}

/* Of several threads that leave with one hold, one does. */
static struct seat *seat_to_leave(struct there *there, const admit_hold *hold)
{
    pthread_mutex_lock(&there->lock);
    struct seat *seat = is_parents(there) ? NULL : seat_of(there, hold);
    if (seat != NULL)
        seat->ticket = 0;
    pthread_mutex_unlock(&there->lock);
    return seat;
}

static admit_error leave(void *handle, const admit_hold *hold)
{
    struct there *there = handle;
    struct seat *seat = seat_to_leave(there, hold);
    if (seat == NULL)
        return gate_fails(ADMIT_NOT_HOLDING, "gate \"%s\": nobody of this process is inside with ticket %llu",
                          there->gate.name, (unsigned long long)hold->ticket);
    const admit_error error = participant_leave(seat->participant);
    return_seat(there, seat);
    return error;
}

static int64_t time_left(void *handle, const admit_hold *hold)
{
    struct there *there = handle;
    pthread_mutex_lock(&there->lock);
    const struct seat *seat = is_parents(there) ? NULL : seat_of(there, hold);
    const int64_t left = seat != NULL ? participant_time_left(seat->participant) : 0;
    pthread_mutex_unlock(&there->lock);
    return left;
}

static uint64_t token(void *handle, const admit_hold *hold)
{
    struct there *there = handle;
    pthread_mutex_lock(&there->lock);
    const struct seat *seat = seat_of(there, hold);
    const uint64_t token = seat != NULL ? seat->token : 0;
    pthread_mutex_unlock(&there->lock);
    return token;
}

/* From a signal handler, too. */
static void interrupt(void *handle)
{
    struct there *there = handle;
    atomic_fetch_add(&there->gate.interrupts, 1);
    for (struct seat *seat = is_parents(there) ? NULL : atomic_load(&there->seats); seat != NULL; seat = seat->next)
        participant_interrupt(seat->participant);
}

static admit_error describe(void *handle, const char *command)
{
    struct there *there = handle;
    pthread_mutex_lock(&there->lock);
    snprintf(there->told.command, sizeof there->told.command, "%s", command != NULL ? command : "");
    pthread_mutex_unlock(&there->lock);
    return ADMIT_OK;
}

/* --- the handle ------------------------------------------------------------------------------------------------------ */

static unsigned k_of(void *handle)
{
    return atomic_load(&((struct there *)handle)->gate.k);
}

/* Of a cluster and a name: two spellings of one cluster are two. */
static void identity(void *handle, uint64_t *device, uint64_t *inode)
{
    const struct there *there = handle;
    const char *const names[] = {there->gate.address.options.endpoints, there->gate.address.gate};
    uint64_t *const sums[] = {device, inode};
    for (unsigned n = 0; n < 2; n++) {
        *sums[n] = UINT64_C(14695981039346656037); /* FNV-1a */
        for (const char *byte = names[n]; *byte != '\0'; byte++)
            *sums[n] = (*sums[n] ^ (unsigned char)*byte) * UINT64_C(1099511628211);
    }
}

static admit_error check_options(const admit_gate_options *options)
{
    if (options->k > ADMIT_GATE_K_MAX)
        return gate_fails(ADMIT_BAD_OPTION, "k = %u is more than %d", options->k, ADMIT_GATE_K_MAX);
    if (options->ttl != 0 && options->ttl < 2)
        return gate_fails(ADMIT_BAD_OPTION, "a ttl of %u s is too short: 2 s at least", options->ttl);
    return ADMIT_OK;
}

static void free_there(struct there *there)
{
    etcd_close(there->etcd);
    pthread_mutex_destroy(&there->lock);
    pthread_mutex_destroy(&there->asking);
    explicit_bzero(&there->gate.address, sizeof there->gate.address);
    free(there);
}

struct there *there_new(const char *name, unsigned ttl)
{
    struct there *there = calloc(1, sizeof *there);
    if (there == NULL) {
        gate_fails(ADMIT_NO_MEMORY, "out of memory");
        return NULL;
    }
    pthread_mutex_init(&there->lock, NULL);
    pthread_mutex_init(&there->asking, NULL);
    there->process = getpid();
    there->gate.ttl = ttl != 0 ? ttl : DEFAULT_TTL;
    snprintf(there->gate.name, sizeof there->gate.name, "%s", name);
    told_of_process(&there->told);
    if (address_read(&there->gate.address, name, true) != ADMIT_OK || there_etcd(there) == NULL) {
        free_there(there);
        return NULL;
    }
    return there;
}

static void *open_there(const char *name, const admit_gate_options *options)
{
    struct there *there = check_options(options) == ADMIT_OK ? there_new(name, options->ttl) : NULL;
    if (there != NULL && there_agree(there, options->k) != ADMIT_OK) {
        free_there(there);
        return NULL;
    }
    return there;
}

void there_close(void *handle)
{
    struct there *there = handle;
    for (struct seat *seat = atomic_load(&there->seats), *next; seat != NULL; seat = next) {
        next = seat->next;
        if (is_parents(there))
            participant_forget(seat->participant);
        else
            participant_free(seat->participant);
        free(seat);
    }
    free_there(there);
}

const struct elsewhere *admit_elsewhere_provide(const struct elsewhere_host *host);

__attribute__((visibility("default"))) const struct elsewhere *
admit_elsewhere_provide(const struct elsewhere_host *host)
{
    static const struct elsewhere elsewhere = {.version = ELSEWHERE_VERSION,
                                               .open = open_there,
                                               .close = there_close,
                                               .k = k_of,
                                               .declared_k = there_declared_k,
                                               .identity = identity,
                                               .enter = enter,
                                               .leave = leave,
                                               .time_left = time_left,
                                               .token = token,
                                               .interrupt = interrupt,
                                               .describe = describe,
                                               .inspect = there_inspect,
                                               .waiters = there_waiters,
                                               .set_k = there_set_k,
                                               .remove = there_remove,
                                               .list = there_list};
    if (host->version != ELSEWHERE_VERSION)
        return NULL;
    gate_fails = host->fails;
    return &elsewhere;
}
