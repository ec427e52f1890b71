/* SPDX-License-Identifier: MIT
 *
 * A lease that is kept alive by a thread of its own, and a deadline that is over here before the lease can be at a
 * server.
 *
 * A leader that is none any more and does not know yet may answer a keep-alive that nobody else hears of. It does not
 * know for an election's time at most; and a leader that is new gives each lease, from the moment at which it becomes
 * one, the whole of its time and an election's more. That is what the reckoning from the moment of sending rests on;
 * and that the clocks of this machine and of the server go alike for as long as a lease lasts. Before 3.4.31 and 3.5.13
 * of etcd there is an exception: a leader that has stood still for as long as a lease, as by a disk that does not answer,
 * has leases revoked when it goes on that others have renewed meanwhile (issue 15247 of etcd). Here that is known with the
 * next keep-alive, a third of the lease later; the fencing token is what helps against it.
 *
 * `deadline` is one atomic word, 0 from the moment at which somebody has seen that it has passed; whoever sees that
 * first, the thread or one that asks, stores the 0, and a keep-alive that is answered afterwards finds it there. All
 * accesses are sequentially consistent: there are few.
 */
#include "cluster/client.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

static const int64_t second = INT64_C(1000000000);

struct etcd_session {
    struct etcd *etcd; /* the thread's, as long as it runs */
    int64_t lease;
    _Atomic int64_t deadline;
    _Atomic uint64_t renewals;
    atomic_bool closing;
    pthread_t thread;
    void (*over)(void *data);
    void *data;
    int64_t sent, ttl; /* of the last keep-alive that was answered; the thread's */
    unsigned at;       /* which endpoint has answered it; the thread's */
    struct etcd_moved *moved;
};

void etcd_moved_leave(struct etcd_moved *moved)
{
    if (moved != NULL && atomic_fetch_sub(&moved->users, 1) == 1)
        free(moved);
}

int64_t etcd_session_lease(const struct etcd_session *session)
{
    return session->lease;
}

int64_t etcd_session_deadline(const struct etcd_session *session)
{
    return atomic_load(&session->deadline);
}

uint64_t etcd_session_renewals(const struct etcd_session *session)
{
    return atomic_load(&session->renewals);
}

static bool is_in_time(struct etcd_session *session)
{
    int64_t deadline = atomic_load(&session->deadline);
    while (deadline != 0 && etcd_now() >= deadline)
        if (atomic_compare_exchange_weak(&session->deadline, &deadline, 0))
            deadline = 0;
    return deadline != 0;
}

/* To whoever asks, a session does not change; that it is over is a truth that this call finds. */
bool etcd_session_in_time(const struct etcd_session *session)
{
    return is_in_time((struct etcd_session *)(uintptr_t)session);
}

/* Not if it was over when the answer came. */
static void extend(struct etcd_session *session, int64_t sent, unsigned granted)
{
    session->sent = sent;
    session->ttl = granted * second;
    int64_t deadline = atomic_load(&session->deadline);
    while (is_in_time(session) && deadline != 0 && sent + session->ttl > deadline)
        if (atomic_compare_exchange_weak(&session->deadline, &deadline, sent + session->ttl))
            break;
}

/* So long that several attempts fit between the moment at which one is due and the deadline. */
static int64_t patience_for(int64_t ttl, int64_t usual)
{
    const int64_t part = ttl / 6 > second / 4 ? ttl / 6 : second / 4;
    return part < usual ? part : usual;
}

static void note_endpoint(struct etcd_session *session)
{
    if (session->moved != NULL && session->etcd->favourite != session->at)
        atomic_store(&session->moved->to, (int)session->etcd->favourite);
    session->at = session->etcd->favourite;
}

static void keep(struct etcd_session *session, int64_t usual)
{
    struct etcd *etcd = session->etcd;
    int64_t due = session->sent + session->ttl / 3;
    while (is_in_time(session) && !atomic_load(&session->closing)) {
        const int64_t deadline = atomic_load(&session->deadline);
        if (etcd_now() < due) {
            etcd_http_pause(&etcd->http, due < deadline ? due : deadline);
            continue;
        }
        etcd->patience = patience_for(session->ttl, usual);
        unsigned granted;
        atomic_fetch_add(&session->renewals, 1);
        const enum etcd_result result = etcd_keep_alive(etcd, session->lease, deadline, &granted);
        due = etcd_now() + session->ttl / 12; /* if it was not done, once more, but not at once */
        if (result == ETCD_DONE) {
            note_endpoint(session);
            extend(session, etcd->sent, granted);
            due = session->sent + session->ttl / 3;
        } else if (result == ETCD_REFUSED && etcd->reason == ETCD_LEASE_GONE) {
            atomic_store(&session->deadline, 0);
        }
    }
}

static void *thread_of(void *data)
{
    struct etcd_session *session = data;
    keep(session, session->etcd->patience);
    if (!atomic_load(&session->closing) && session->over != NULL)
        session->over(session->data);
    return NULL;
}

/* Signals are for the other threads: none of the program's handlers runs in this one. */
static bool start(struct etcd_session *session)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&session->thread, NULL, thread_of, session) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void free_session(struct etcd_session *session)
{
    etcd_moved_leave(session->moved);
    etcd_close(session->etcd);
    free(session);
}

/* The session begins where the handle is, and the handle goes on where the session is. Without memory it does without. */
static void keep_together(struct etcd_session *session, struct etcd *etcd)
{
    session->etcd->favourite = session->at = etcd->favourite; /* which has answered just now */
    struct etcd_moved *moved = malloc(sizeof *moved);
    etcd_moved_leave(etcd->moved);
    etcd->moved = session->moved = moved;
    if (moved == NULL)
        return;
    atomic_init(&moved->users, 2);
    atomic_init(&moved->to, -1);
}

enum etcd_result etcd_session_open(struct etcd *etcd, const struct etcd_options *options, unsigned seconds,
                                   int64_t until, void (*over)(void *data), void *data, struct etcd_session **session)
{
    const char *name = etcd->endpoint[etcd->favourite].name;
    *session = NULL;
    struct etcd_session *made = calloc(1, sizeof *made);
    if (made == NULL)
        return etcd_fail(etcd, ETCD_UNREACHED, ETCD_NO_REASON, "out of memory for a session at %s", name);
    made->over = over;
    made->data = data;
    made->etcd = etcd_open(options);
    if (made->etcd == NULL) {
        free(made);
        return etcd_fail(etcd, ETCD_UNREACHED, ETCD_NO_REASON, "cannot make a session at %s: %s", name,
                         etcd_open_failure());
    }
    unsigned granted;
    const enum etcd_result result = etcd_grant(etcd, seconds, until, &made->lease, &granted);
    if (result != ETCD_DONE) {
        free_session(made);
        return result;
    }
    made->sent = etcd->sent;
    made->ttl = granted * second;
    atomic_init(&made->deadline, made->sent + made->ttl);
    if (made->etcd->endpoints == etcd->endpoints) /* otherwise they are not the same */
        keep_together(made, etcd);
    if (!start(made)) {
        etcd_revoke(etcd, made->lease, etcd_now() + second);
        free_session(made);
        return etcd_fail(etcd, ETCD_UNREACHED, ETCD_NO_REASON, "cannot start a thread for a session at %s", name);
    }
    *session = made;
    return ETCD_DONE;
}

static void end_thread(struct etcd_session *session)
{
    atomic_store(&session->closing, true);
    etcd_interrupt(session->etcd);
    pthread_join(session->thread, NULL);
    etcd_http_calm(&session->etcd->http);
}

void etcd_session_close(struct etcd_session *session, bool revoke)
{
    if (session == NULL)
        return;
    end_thread(session);
    if (revoke)
        etcd_revoke(session->etcd, session->lease, etcd_now() + second);
    free_session(session);
}

/* An interruption of that handle was for what it did before, or is for what it will do then. */
void etcd_session_revoke(struct etcd_session *session, struct etcd *etcd)
{
    if (session == NULL)
        return;
    end_thread(session);
    const int64_t until = etcd_now() + second;
    while (etcd_revoke(etcd, session->lease, until) == ETCD_INTERRUPTED && etcd_now() < until)
        ;
    free_session(session);
}

/* What the thread was doing when the process forked it will not end here. */
void etcd_session_forget(struct etcd_session *session)
{
    if (session != NULL)
        free_session(session);
}
