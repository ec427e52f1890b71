/* SPDX-License-Identifier: MIT
 *
 * Watches: one request whose answer goes on, line by line, each with any number of events.
 *
 * A watch that has lost a piece of the stream cannot tell which, so that it has ended, whatever it was that was lost.
 */
#include "cluster/client.h"
#include "cluster/message.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct etcd_watch {
    struct etcd *etcd; /* its connection, and where it leads */
    char *body;
    bool begun, created, ended;
    int64_t answer_due;
    int64_t made_at; /* the store's revision then */
    json_t *line;    /* with these events; the next to be told is */
    size_t events, next;
    struct etcd_pair told;
};

struct etcd_watch *etcd_watch_open(const struct etcd *etcd, const char *prefix, int64_t from, bool deletions_only)
{
    struct etcd_watch *watch = calloc(1, sizeof *watch);
    if (watch == NULL)
        return NULL;
    watch->etcd = etcd_open(&etcd->options);
    watch->body = etcd_message_watch(prefix, from, deletions_only);
    if (watch->etcd == NULL || watch->body == NULL) {
        etcd_watch_close(watch);
        return NULL;
    }
    watch->etcd->favourite = etcd->favourite; /* which the other calls have found to work */
    watch->etcd->patience = etcd->patience;
    if (etcd->token != NULL && (watch->etcd->token = strdup(etcd->token)) == NULL) {
        etcd_watch_close(watch);
        return NULL;
    }
    return watch;
}

void etcd_watch_close(struct etcd_watch *watch)
{
    if (watch == NULL)
        return;
    json_decref(watch->line);
    etcd_pair_free(&watch->told);
    etcd_close(watch->etcd);
    free(watch->body);
    free(watch);
}

void etcd_watch_interrupt(struct etcd_watch *watch)
{
    etcd_interrupt(watch->etcd);
}

const char *etcd_watch_text(const struct etcd_watch *watch)
{
    return watch->etcd->text;
}

static enum etcd_news end(struct etcd_watch *watch, const char *why)
{
    struct etcd *etcd = watch->etcd;
    long status;
    etcd_note(etcd, ETCD_OTHER_REASON, "the watch at %s has ended: %s", etcd->endpoint[etcd->favourite].name, why);
    if (etcd->http.process == getpid())
        etcd_http_end(&etcd->http, &status);
    watch->ended = true;
    return ETCD_WATCH_ENDED;
}

static void begin(struct etcd_watch *watch)
{
    struct etcd *etcd = watch->etcd;
    const struct etcd_http_request request = {etcd->endpoint[etcd->favourite].name, "/v3/watch", watch->body,
                                              etcd->token};
    watch->begun = true;
    watch->answer_due = etcd_now() + etcd->patience;
    if (!etcd_http_begin(&etcd->http, &request))
        end(watch, etcd_http_error(&etcd->http));
}

/* Takes the next line from what has come, if it is whole: an answer that has ended may lack the last line's end. */
static bool take_line(struct etcd_watch *watch)
{
    struct etcd_http *http = &watch->etcd->http;
    const char *line_end = http->size > 0 ? memchr(http->text, '\n', http->size) : NULL;
    if (line_end == NULL && (http->size == 0 || !http->over))
        return false;
    const size_t length = line_end != NULL ? (size_t)(line_end - http->text) : http->size;
    json_decref(watch->line);
    watch->line = etcd_message_read(http->text, length);
    etcd_http_taken(http, length + (line_end != NULL));
    watch->next = watch->events = 0;
    struct etcd_complaint complaint;
    char why[TEXT_ROOM / 2];
    if (watch->line == NULL)
        end(watch, "its news is not JSON");
    else if (etcd_message_complains(watch->line, &complaint))
        end(watch, complaint.text);
    else if (etcd_message_watch_ended(watch->line, why, sizeof why))
        end(watch, why);
    else
        watch->events = etcd_message_events(watch->line);
    if (!watch->created && watch->line != NULL)
        watch->made_at = etcd_message_revision(watch->line);
    watch->created = true;
    return true;
}

static enum etcd_news tell(struct etcd_watch *watch, struct etcd_event *event)
{
    if (!etcd_message_event(watch->line, watch->next, &event->deleted, &watch->told))
        return end(watch, "its news is not etcd's");
    watch->next++;
    event->key = watch->told.key;
    event->value = watch->told.value;
    event->revision = watch->told.modified;
    return ETCD_EVENT;
}

/* event: NULL: until it is known to be there. Lines without events, and pieces of lines, may come without end: the time is looked
 * at after each of them, but not before all that could be read at once has been. */
static enum etcd_news next(struct etcd_watch *watch, int64_t until, struct etcd_event *event)
{
    struct etcd_http *http = &watch->etcd->http;
    bool has_read = false;
    if (!watch->begun)
        begin(watch);
    else if (!watch->ended && http->process != getpid())
        return end(watch, "it belongs to the process that this one was forked from");
    while (!watch->ended) {
        if (event == NULL && watch->created)
            return ETCD_WATCH_BEGUN;
        if (watch->next < watch->events)
            return tell(watch, event);
        if (take_line(watch))
            continue;
        const int64_t now = etcd_now();
        if (!watch->created && now >= watch->answer_due)
            return end(watch, "no answer in time");
        if (has_read && now >= until)
            return ETCD_NO_NEWS;
        has_read = true;
        const int64_t limit = !watch->created && watch->answer_due < until ? watch->answer_due : until;
        switch (etcd_http_wait(http, limit)) {
        case HTTP_ENDED:
            if (http->size == 0)
                return end(watch, http->whole ? "the server has ended it" : etcd_http_error(http));
            break;
        case HTTP_INTERRUPTED:
            return ETCD_WATCH_STOPPED;
        case HTTP_RUNS:
            break;
        }
    }
    return ETCD_WATCH_ENDED;
}

enum etcd_news etcd_watch_next(struct etcd_watch *watch, int64_t until, struct etcd_event *event)
{
    *event = (struct etcd_event){0};
    etcd_pair_free(&watch->told);
    return next(watch, until, event);
}

enum etcd_news etcd_watch_begin(struct etcd_watch *watch, int64_t until, int64_t *revision)
{
    const enum etcd_news news = next(watch, until, NULL);
    *revision = watch->made_at;
    return news;
}

bool etcd_watch_is_near(const struct etcd_watch *watch, const struct etcd *etcd)
{
    return !watch->ended && watch->etcd->favourite == etcd->favourite;
}
