/* SPDX-License-Identifier: MIT
 *
 * What answers mean. Fields that are zero are left out by the server, so that one which is not there is 0; one that is
 * there and of another kind makes the answer none. Numbers of 64 bits are strings, of 32 bits are numbers: both are
 * taken.
 */
#include "cluster/base64.h"
#include "cluster/message.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_MAX = 800000 };

/* What is read takes some hundred bytes for each value, however short: "{}," as much as a key of etcd's. No answer of etcd has more
 * than one for eleven bytes, which is what keys without a lease have; none at all in its texts, which are base64. */
static bool has_too_many_values(const char *text, size_t size)
{
    size_t values = 0;
    for (size_t c = 0; c < size; c++)
        values += text[c] == '{' || text[c] == '[' || text[c] == ',';
    return values > VALUES_MAX;
}

json_t *etcd_message_read(const char *text, size_t size)
{
    if (has_too_many_values(text, size))
        return NULL;
    json_t *message = json_loadb(text, size, 0, NULL);
    if (json_is_object(message))
        return message;
    json_decref(message);
    return NULL;
}

static bool number_of(const json_t *object, const char *name, int64_t *number)
{
    const json_t *field = json_object_get(object, name);
    *number = 0;
    if (field == NULL)
        return true;
    if (json_is_integer(field)) {
        *number = json_integer_value(field);
        return true;
    }
    const char *digits = json_string_value(field);
    if (digits == NULL || (*digits != '-' && (*digits < '0' || *digits > '9')))
        return false;
    char *end;
    errno = 0;
    const long long value = strtoll(digits, &end, 10);
    if (errno != 0 || end == digits || *end != '\0')
        return false;
    *number = value;
    return true;
}

static bool truth_of(const json_t *object, const char *name, bool *truth)
{
    const json_t *field = json_object_get(object, name);
    *truth = json_is_true(field);
    return field == NULL || json_is_boolean(field);
}

static char *bytes_of(const json_t *object, const char *name, size_t *size)
{
    const json_t *field = json_object_get(object, name);
    if (field != NULL && !json_is_string(field))
        return NULL;
    return field == NULL ? etcd_base64_read("", 0, size)
                         : etcd_base64_read(json_string_value(field), json_string_length(field), size);
}

/* Of a stream, what is in the frame; otherwise the answer itself. */
static const json_t *result_of(const json_t *message)
{
    const json_t *result = json_object_get(message, "result");
    return result != NULL ? result : message;
}

/* --- complaints --------------------------------------------------------------------------------------------------- */

void etcd_message_quote(const char *from, size_t length, char *text, size_t room)
{
    size_t at = 0;
    while (at < length && at + 1 < room && from[at] != '\0' && from[at] != '\n') {
        text[at] = from[at] >= ' ' && from[at] <= '~' ? from[at] : '?';
        at++;
    }
    text[at] = '\0';
}

/* An answer has {"error": TEXT, "code": NUMBER}; a line of a stream {"error": {"grpc_code": NUMBER, "message":
 * TEXT}}. */
bool etcd_message_complains(const json_t *message, struct etcd_complaint *complaint)
{
    const json_t *error = json_object_get(message, "error"), *said = error;
    const json_t *code = json_object_get(message, "code");
    if (json_is_object(error)) {
        said = json_object_get(error, "message");
        code = json_object_get(error, "grpc_code");
        if (code == NULL)
            code = json_object_get(error, "code");
    } else if (error == NULL && code != NULL) {
        said = json_object_get(message, "message");
    }
    if (error == NULL && code == NULL)
        return false;
    const json_int_t number = json_is_integer(code) ? json_integer_value(code) : -1;
    complaint->code = number >= 0 && number <= 99 ? (int)number : -1;
    etcd_message_quote(json_is_string(said) ? json_string_value(said) : "an error without a text",
                       json_is_string(said) ? json_string_length(said) : SIZE_MAX, complaint->text,
                       sizeof complaint->text);
    return true;
}

/* --- transactions ------------------------------------------------------------------------------------------------- */

void etcd_pair_free(struct etcd_pair *pair)
{
    free(pair->key);
    free(pair->value);
    *pair = (struct etcd_pair){0};
}

void etcd_answer_free(struct etcd_answer *answer)
{
    for (unsigned p = 0; p < answer->pairs; p++)
        etcd_pair_free(&answer->pair[p]);
    free(answer->pair);
    *answer = (struct etcd_answer){0};
}

static bool read_pair(const json_t *kv, struct etcd_pair *pair)
{
    *pair = (struct etcd_pair){0};
    size_t key_size;
    if (!json_is_object(kv) || !number_of(kv, "create_revision", &pair->created) ||
        !number_of(kv, "mod_revision", &pair->modified) || !number_of(kv, "lease", &pair->lease))
        return false;
    pair->key = bytes_of(kv, "key", &key_size);
    pair->value = bytes_of(kv, "value", &pair->value_size);
    if (pair->key != NULL && pair->value != NULL && key_size > 0)
        return true;
    etcd_pair_free(pair);
    return false;
}

static bool read_pairs(const json_t *kvs, struct etcd_answer *answer)
{
    if (kvs == NULL)
        return true;
    const size_t count = json_array_size(kvs); /* 0 if it is no array */
    if (!json_is_array(kvs) || count > (size_t)1 << 24)
        return false;
    if (count == 0)
        return true;
    struct etcd_pair *pair = reallocarray(answer->pair, answer->pairs + count, sizeof *pair);
    if (pair == NULL)
        return false;
    answer->pair = pair;
    for (size_t p = 0; p < count; p++) {
        if (!read_pair(json_array_get(kvs, p), &pair[answer->pairs]))
            return false;
        answer->pairs++;
    }
    return true;
}

/* One for each op of the list that was done, in order: a list that is missing must not be taken for an empty one. */
static bool read_responses(const json_t *responses, const struct etcd_txn *txn, struct etcd_answer *answer)
{
    const struct etcd_op *ops = answer->succeeded ? txn->then : txn->otherwise;
    const unsigned count = answer->succeeded ? txn->thens : txn->elses;
    if ((responses != NULL && !json_is_array(responses)) || json_array_size(responses) != count)
        return false;
    for (unsigned r = 0; r < count; r++) {
        const json_t *range = json_object_get(json_array_get(responses, r), "response_range");
        if (json_is_object(range) != (ops[r].deed == ETCD_LIST) || !read_pairs(json_object_get(range, "kvs"), answer))
            return false;
    }
    return true;
}

/* Every answer of etcd has a header with a revision that is not 0; another program's JSON has not. */
bool etcd_message_txn_answer(const json_t *message, const struct etcd_txn *txn, struct etcd_answer *answer)
{
    *answer = (struct etcd_answer){0};
    if (number_of(json_object_get(message, "header"), "revision", &answer->revision) && answer->revision > 0 &&
        truth_of(message, "succeeded", &answer->succeeded) &&
        read_responses(json_object_get(message, "responses"), txn, answer))
        return true;
    etcd_answer_free(answer);
    return false;
}

/* --- leases, tokens ----------------------------------------------------------------------------------------------- */

bool etcd_message_lease_answer(const json_t *message, int64_t *lease, int64_t *seconds)
{
    const json_t *result = result_of(message);
    return json_is_object(json_object_get(result, "header")) && number_of(result, "ID", lease) &&
           number_of(result, "TTL", seconds);
}

char *etcd_message_token(const json_t *message)
{
    const char *token = json_string_value(json_object_get(message, "token"));
    if (token == NULL || *token == '\0')
        return NULL;
    for (const char *at = token; *at != '\0'; at++)
        if (*at <= ' ' || *at > '~') /* it goes into a header, of which it must not make two */
            return NULL;
    return strdup(token);
}

/* --- watches ------------------------------------------------------------------------------------------------------ */

bool etcd_message_watch_ended(const json_t *message, char *why, size_t room)
{
    const json_t *result = result_of(message), *reason = json_object_get(result, "cancel_reason");
    bool canceled;
    int64_t compacted;
    if (!json_is_object(json_object_get(result, "header")) || !truth_of(result, "canceled", &canceled) ||
        !number_of(result, "compact_revision", &compacted)) {
        snprintf(why, room, "its news is not etcd's");
        return true;
    }
    if (compacted > 0)
        snprintf(why, room, "the history before revision %" PRId64 " is compacted", compacted);
    else if (json_is_string(reason))
        etcd_message_quote(json_string_value(reason), json_string_length(reason), why, room);
    else
        snprintf(why, room, "the watch was canceled");
    return canceled;
}

int64_t etcd_message_revision(const json_t *message)
{
    int64_t revision = 0;
    const json_t *header = json_object_get(result_of(message), "header");
    return number_of(header, "revision", &revision) ? revision : 0;
}

size_t etcd_message_events(const json_t *message)
{
    return json_array_size(json_object_get(result_of(message), "events"));
}

bool etcd_message_event(const json_t *message, size_t which, bool *deleted, struct etcd_pair *pair)
{
    const json_t *event = json_array_get(json_object_get(result_of(message), "events"), which);
    const json_t *type = json_object_get(event, "type");
    const char *name = type == NULL ? "PUT" : json_string_value(type);
    if (name == NULL || (strcmp(name, "PUT") != 0 && strcmp(name, "DELETE") != 0))
        return false;
    *deleted = *name == 'D';
    return read_pair(json_object_get(event, "kv"), pair);
}
