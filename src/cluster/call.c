/* SPDX-License-Identifier: MIT
 *
 * One call: which endpoint is asked, what its answer means for the request, and whether another is asked then.
 *
 * A request is sent again only if it was certainly not done, or does no harm if it is done twice. What is certain: not
 * a byte was sent; or the server has said no by an error that it only gives before it hands the request on, or that all
 * servers agree upon when they come to it.
 */
#include "cluster/client.h"
#include "cluster/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAUSE_MS = 100 };

enum verdict {
    IT_IS_DONE,
    IT_IS_REFUSED,
    IT_MAY_BE_DONE,
    TRY_ANOTHER,   /* not done; this endpoint is of no use now */
    DISTRUST,      /* the same, and it will not be of use: certificates */
    NEEDS_A_TOKEN, /* not done */
    IT_IS_STOPPED,
};

/* --- what an answer means ----------------------------------------------------------------------------------------- */

enum { /* of gRPC */
       UNKNOWN = 2,
       INVALID_ARGUMENT = 3,
       NOT_FOUND = 5,
       ALREADY_EXISTS = 6,
       PERMISSION_DENIED = 7,
       RESOURCE_EXHAUSTED = 8,
       FAILED_PRECONDITION = 9,
       OUT_OF_RANGE = 11,
       UNIMPLEMENTED = 12,
       UNAVAILABLE = 14,
       UNAUTHENTICATED = 16
};

static const struct {
    int code;
    const char *says;
    enum verdict verdict;
    enum etcd_reason reason;
} meanings[] = {
    {UNAUTHENTICATED, "", NEEDS_A_TOKEN, ETCD_NOT_ALLOWED},
    {INVALID_ARGUMENT, "revision of auth store is old", NEEDS_A_TOKEN, ETCD_NOT_ALLOWED},
    {INVALID_ARGUMENT, "user name is empty", NEEDS_A_TOKEN, ETCD_NOT_ALLOWED},
    {INVALID_ARGUMENT, "authentication failed", IT_IS_REFUSED, ETCD_NOT_ALLOWED},
    {PERMISSION_DENIED, "", IT_IS_REFUSED, ETCD_NOT_ALLOWED},
    {NOT_FOUND, "lease not found", IT_IS_REFUSED, ETCD_LEASE_GONE},
    /* The server through which the store becomes full says so of what it has just done. */
    {RESOURCE_EXHAUSTED, "space exceeded", IT_MAY_BE_DONE, ETCD_NO_SPACE},
    {RESOURCE_EXHAUSTED, "too many requests", TRY_ANOTHER, ETCD_OTHER_REASON},
    {UNAVAILABLE, "no leader", TRY_ANOTHER, ETCD_OTHER_REASON},
    {UNKNOWN, "raft proposal dropped", TRY_ANOTHER, ETCD_OTHER_REASON},
    {INVALID_ARGUMENT, "", IT_IS_REFUSED, ETCD_OTHER_REASON},
    {NOT_FOUND, "", IT_IS_REFUSED, ETCD_OTHER_REASON},
    {ALREADY_EXISTS, "", IT_IS_REFUSED, ETCD_OTHER_REASON},
    {FAILED_PRECONDITION, "", IT_IS_REFUSED, ETCD_OTHER_REASON},
    {OUT_OF_RANGE, "", IT_IS_REFUSED, ETCD_OTHER_REASON},
    {UNIMPLEMENTED, "", IT_IS_REFUSED, ETCD_OTHER_REASON},
};

static enum verdict judge(struct etcd *etcd, const struct etcd_complaint *complaint)
{
    enum verdict verdict = IT_MAY_BE_DONE;
    enum etcd_reason reason = ETCD_OTHER_REASON;
    for (size_t m = 0; m < sizeof meanings / sizeof meanings[0]; m++)
        if (meanings[m].code == complaint->code && strstr(complaint->text, meanings[m].says) != NULL) {
            verdict = meanings[m].verdict;
            reason = meanings[m].reason;
            break;
        }
    etcd_note(etcd, reason, "etcd at %s: %s", etcd->endpoint[etcd->favourite].name, complaint->text);
    return verdict;
}

/* The text is of no use any more then. */
static enum verdict judge_answer(struct etcd *etcd, const struct etcd_call *call, long status)
{
    struct etcd_http *http = &etcd->http;
    const char *name = etcd->endpoint[etcd->favourite].name, *text = http->size > 0 ? http->text : "";
    const char *line_end = call->first_line ? memchr(text, '\n', http->size) : NULL;
    json_t *message = etcd_message_read(text, line_end != NULL ? (size_t)(line_end - text) : http->size);
    struct etcd_complaint complaint;
    enum verdict verdict = IT_MAY_BE_DONE;
    if (message != NULL && etcd_message_complains(message, &complaint)) {
        verdict = judge(etcd, &complaint);
    } else if (message != NULL && status == 200 && call->read(message, call->data)) {
        verdict = IT_IS_DONE;
    } else {
        char quoted[100];
        etcd_message_quote(text, http->size, quoted, sizeof quoted);
        etcd_note(etcd, ETCD_OTHER_REASON, "what answers at %s (status %ld) is not etcd: %s", name, status,
                  *quoted != '\0' ? quoted : "it says nothing");
        /* By statuses from 400 to 499 a server says that it does nothing; 408 is a time-out. */
        verdict = status >= 400 && status <= 499 && status != 408 ? IT_IS_REFUSED : IT_MAY_BE_DONE;
    }
    json_decref(message);
    etcd_http_taken(http, http->size);
    return verdict;
}

/* --- one request -------------------------------------------------------------------------------------------------- */

static enum verdict ask(struct etcd *etcd, const struct etcd_call *call, const char *token, int64_t until)
{
    const char *name = etcd->endpoint[etcd->favourite].name;
    long status;
    etcd->sent = etcd_now();
    etcd->requests++;
    const int64_t limit = until - etcd->sent < etcd->patience ? until : etcd->sent + etcd->patience;
    const struct etcd_http_request request = {name, call->path, call->body, token};
    const enum etcd_http_outcome outcome = etcd_http_post(&etcd->http, &request, call->first_line, limit, &status);
    switch (outcome) {
    case HTTP_ANSWERED:
        return judge_answer(etcd, call, status);
    case HTTP_STOPPED:
        etcd_note(etcd, ETCD_NO_REASON, "the request to etcd at %s was interrupted", name);
        return IT_IS_STOPPED;
    case HTTP_DISTRUSTED:
        etcd_note(etcd, ETCD_NOT_ALLOWED, "etcd at %s: %s", name, etcd_http_error(&etcd->http));
        return DISTRUST;
    case HTTP_NOT_SENT:
    case HTTP_UNANSWERED:
        break;
    }
    etcd_note(etcd, ETCD_NO_REASON, "etcd at %s %s: %s", name,
              outcome == HTTP_NOT_SENT ? "cannot be reached" : "has not answered", etcd_http_error(&etcd->http));
    return outcome == HTTP_NOT_SENT ? TRY_ANOTHER : IT_MAY_BE_DONE;
}

/* --- user and password -------------------------------------------------------------------------------------------- */

static void drop_token(struct etcd *etcd)
{
    free(etcd->token);
    etcd->token = NULL;
}

static bool read_token(const json_t *message, void *data)
{
    return (*(char **)data = etcd_message_token(message)) != NULL;
}

/* Once for all requests that follow, until the cluster does not take the token any more. A cluster that asks nobody
 * for a password is one that needs no token. */
static enum verdict log_in(struct etcd *etcd, int64_t until)
{
    const struct etcd_call call = {.path = "/v3/auth/authenticate",
                                   .body = etcd_message_login(etcd->options.user, etcd->options.password),
                                   .read = read_token,
                                   .data = &etcd->token};
    if (call.body == NULL)
        return TRY_ANOTHER;
    enum verdict verdict = ask(etcd, &call, NULL, until);
    free(call.body);
    if (verdict == IT_IS_REFUSED && strstr(etcd->text, "authentication is not enabled") != NULL)
        verdict = (etcd->token = strdup("")) != NULL ? IT_IS_DONE : TRY_ANOTHER;
    else if (verdict == IT_MAY_BE_DONE || verdict == NEEDS_A_TOKEN)
        verdict = TRY_ANOTHER; /* it is not the request itself that may be done */
    return verdict;
}

/* --- one after the other ------------------------------------------------------------------------------------------ */

/* The next is the one that has failed longest ago: of those that are dead each is met once, and then the one that
 * works stays. To take them in turn would come back to the dead ones with every failure. */
static void look_elsewhere(struct etcd *etcd)
{
    etcd->endpoint[etcd->favourite].failed = etcd_now();
    for (unsigned e = 0; e < etcd->endpoints; e++)
        if (etcd->endpoint[e].failed < etcd->endpoint[etcd->favourite].failed)
            etcd->favourite = e;
}

static void follow_session(struct etcd *etcd)
{
    const int to = etcd->moved != NULL ? atomic_exchange(&etcd->moved->to, -1) : -1;
    if (to >= 0)
        etcd->favourite = (unsigned)to;
}

/* One that has failed just now, by this call or the one before, is not asked again at once, lest what it answers wrongly is asked
 * without end. False: interrupted. */
static bool give_it_time(struct etcd *etcd, int64_t until, bool *was_given)
{
    const int64_t failed = etcd->endpoint[etcd->favourite].failed, later = failed + PAUSE_MS * INT64_C(1000000);
    *was_given = failed != 0 && etcd_now() < later;
    return !*was_given || etcd_http_pause(&etcd->http, later < until ? later : until);
}

static enum etcd_result call_until(struct etcd *etcd, const struct etcd_call *call, int64_t until)
{
    bool may_be_done = false, has_failed = false;
    unsigned distrusts = 0, tokens = 0;
    follow_session(etcd);
    for (;;) {
        bool was_given;
        if (!give_it_time(etcd, until, &was_given))
            return ETCD_INTERRUPTED;
        if (etcd_now() >= until) {
            if (!has_failed && !was_given) /* otherwise it is known why it failed */
                etcd_note(etcd, ETCD_NO_REASON, "no time was left to ask etcd at %s",
                          etcd->endpoint[etcd->favourite].name);
            return may_be_done ? ETCD_UNKNOWN : ETCD_UNREACHED;
        }
        enum verdict verdict = IT_IS_DONE;
        if (etcd->options.user != NULL && etcd->token == NULL)
            verdict = log_in(etcd, until);
        if (verdict == IT_IS_DONE)
            verdict = ask(etcd, call, etcd->token, until);
        switch (verdict) {
        case IT_IS_DONE:
            etcd_note(etcd, ETCD_NO_REASON, "%s", "");
            return ETCD_DONE;
        case IT_IS_REFUSED:
            return ETCD_REFUSED;
        case IT_IS_STOPPED:
            return ETCD_INTERRUPTED;
        case NEEDS_A_TOKEN:
            drop_token(etcd);
            if (etcd->options.user == NULL || ++tokens > 2)
                return ETCD_REFUSED;
            break;
        case DISTRUST:
            look_elsewhere(etcd);
            if (++distrusts >= etcd->endpoints)
                return ETCD_REFUSED;
            has_failed = true;
            break;
        case IT_MAY_BE_DONE:
            if (etcd->reason == ETCD_NO_SPACE)
                return ETCD_UNKNOWN;
            look_elsewhere(etcd);
            if (!call->repeatable)
                return ETCD_UNKNOWN;
            may_be_done = true;
            has_failed = true;
            distrusts = 0;
            break;
        case TRY_ANOTHER:
            look_elsewhere(etcd);
            has_failed = true;
            distrusts = 0;
            break;
        }
    }
}

enum etcd_result etcd_call(struct etcd *etcd, const struct etcd_call *call, int64_t until)
{
    if (call->body == NULL)
        return etcd_fail(etcd, ETCD_UNREACHED, ETCD_NO_REASON, "out of memory for a request to etcd at %s",
                         etcd->endpoint[etcd->favourite].name);
    const enum etcd_result result = call_until(etcd, call, until);
    free(call->body);
    return result;
}
