/* SPDX-License-Identifier: MIT
 *
 * Requests as JSON. Keys and values are base64, 64-bit numbers are strings.
 *
 * They are written, not built as trees: a tree from which something is missing, because there was no memory for it, is
 * still a request, and another one; a text that could not be written to its end is none.
 */
#include "cluster/base64.h"
#include "cluster/message.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct text {
    FILE *out;
    bool failed;
    char *written;
    size_t size;
};

static bool text_begin(struct text *text)
{
    *text = (struct text){0};
    text->out = open_memstream(&text->written, &text->size);
    return text->out != NULL;
}

static char *text_end(struct text *text)
{
    text->failed |= ferror(text->out) != 0;
    text->failed |= fclose(text->out) != 0;
    if (!text->failed)
        return text->written;
    free(text->written);
    return NULL;
}

static void write_bytes(struct text *text, const char *name, const void *bytes, size_t size)
{
    fprintf(text->out, "\"%s\":\"", name);
    etcd_base64_write(text->out, bytes, size);
    putc('"', text->out);
}

/* All keys from `key` on that are less than `range_end`, which is the least that does not begin so. A single 0 means
 * no end there; and as the key, since no key is empty, the first of all. */
static void write_range(struct text *text, const char *key, bool prefix)
{
    size_t size = strlen(key);
    write_bytes(text, "key", key, prefix && size == 0 ? 1 : size);
    if (!prefix)
        return;
    while (size > 0 && (unsigned char)key[size - 1] == 255)
        size--;
    char *end = calloc(1, size + 1);
    if (end == NULL) {
        text->failed = true;
        return;
    }
    memcpy(end, key, size);
    if (size > 0)
        end[size - 1]++;
    putc(',', text->out);
    write_bytes(text, "range_end", end, size > 0 ? size : 1);
    free(end);
}

/* The number stands in the field of its target: in another it would be compared as 0, without a complaint. */
static void write_condition(struct text *text, const struct etcd_condition *condition)
{
    static const char *const relations[] = {
        [ETCD_EQUAL] = "EQUAL", [ETCD_UNEQUAL] = "NOT_EQUAL", [ETCD_LESS] = "LESS", [ETCD_GREATER] = "GREATER"};
    static const struct {
        const char *target, *field;
    } targets[] = {[ETCD_CREATED] = {"CREATE", "create_revision"},
                   [ETCD_MODIFIED] = {"MOD", "mod_revision"},
                   [ETCD_VALUE] = {"VALUE", "value"},
                   [ETCD_LEASE] = {"LEASE", "lease"}};
    fprintf(text->out, "{\"result\":\"%s\",\"target\":\"%s\",", relations[condition->relation],
            targets[condition->target].target);
    if (condition->target == ETCD_VALUE)
        write_bytes(text, "value", condition->value, strlen(condition->value));
    else
        fprintf(text->out, "\"%s\":\"%" PRId64 "\"", targets[condition->target].field, condition->number);
    putc(',', text->out);
    write_range(text, condition->key, condition->prefix);
    putc('}', text->out);
}

static void write_put(struct text *text, const struct etcd_op *op, const char *key)
{
    fputs("{\"request_put\":{", text->out);
    write_range(text, key, false);
    putc(',', text->out);
    write_bytes(text, "value", op->value, strlen(op->value));
    fprintf(text->out, ",\"lease\":\"%" PRId64 "\"}}", op->lease);
}

/* If the first is not there it is put, otherwise: if the second is not there, and so on. */
static void write_put_first_free(struct text *text, const struct etcd_op *op)
{
    for (unsigned number = op->from; number < op->below; number++) {
        char *key;
        if (asprintf(&key, "%s%u", op->key, number) < 0) {
            text->failed = true;
            return;
        }
        const struct etcd_condition is_free = {.key = key, .target = ETCD_CREATED, .relation = ETCD_EQUAL};
        fputs("{\"request_txn\":{\"compare\":[", text->out);
        write_condition(text, &is_free);
        fputs("],\"success\":[", text->out);
        write_put(text, op, key);
        fputs("],\"failure\":[", text->out);
        free(key);
    }
    for (unsigned number = op->from; number < op->below; number++)
        fputs("]}}", text->out);
}

static void write_op(struct text *text, const struct etcd_op *op)
{
    switch (op->deed) {
    case ETCD_PUT:
        write_put(text, op, op->key);
        return;
    case ETCD_PUT_FIRST_FREE:
        write_put_first_free(text, op);
        return;
    case ETCD_DELETE:
        fputs("{\"request_delete_range\":{", text->out);
        write_range(text, op->key, op->prefix);
        break;
    case ETCD_LIST:
        fputs("{\"request_range\":{\"sort_order\":\"ASCEND\",\"sort_target\":\"CREATE\",", text->out);
        if (op->keys_only)
            fputs("\"keys_only\":true,", text->out);
        write_range(text, op->key, op->prefix);
        break;
    }
    fputs("}}", text->out);
}

char *etcd_message_txn(const struct etcd_txn *txn)
{
    struct text text;
    if (!text_begin(&text))
        return NULL;
    fputs("{\"compare\":[", text.out);
    for (unsigned c = 0; c < txn->conditions; c++) {
        fputs(c > 0 ? "," : "", text.out);
        write_condition(&text, &txn->condition[c]);
    }
    fputs("],\"success\":[", text.out);
    for (unsigned t = 0; t < txn->thens; t++) {
        fputs(t > 0 ? "," : "", text.out);
        write_op(&text, &txn->then[t]);
    }
    fputs("],\"failure\":[", text.out);
    for (unsigned e = 0; e < txn->elses; e++) {
        fputs(e > 0 ? "," : "", text.out);
        write_op(&text, &txn->otherwise[e]);
    }
    fputs("]}", text.out);
    return text_end(&text);
}

char *etcd_message_grant(unsigned seconds)
{
    char *text;
    return asprintf(&text, "{\"TTL\":\"%u\"}", seconds) < 0 ? NULL : text;
}

char *etcd_message_lease(int64_t lease)
{
    char *text;
    return asprintf(&text, "{\"ID\":\"%" PRId64 "\"}", lease) < 0 ? NULL : text;
}

char *etcd_message_watch(const char *prefix, int64_t from, bool deletions_only)
{
    struct text text;
    if (!text_begin(&text))
        return NULL;
    fputs("{\"create_request\":{", text.out);
    write_range(&text, prefix, true);
    fprintf(text.out, ",\"start_revision\":\"%" PRId64 "\"%s}}", from,
            deletions_only ? ",\"filters\":[\"NOPUT\"]" : "");
    return text_end(&text);
}

char *etcd_message_login(const char *user, const char *password)
{
    json_t *login = json_pack("{s:s,s:s}", "name", user, "password", password);
    char *text = login != NULL ? json_dumps(login, JSON_COMPACT) : NULL;
    json_decref(login);
    return text;
}
