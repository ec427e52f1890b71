/* SPDX-License-Identifier: MIT
 *
 * Answers over HTTP/1.1 (RFC 9112), and nothing that it lets pass for the sake of old programs: no lines without a CR, no folded
 * lines, no second length, no length beside chunks, no coding but chunks.
 */
#include "cluster/response.h"

#include <string.h>
#include <strings.h>

void etcd_response_begin(struct etcd_response *response)
{
    response->at = RESPONSE_STATUS;
    response->status = 0;
    response->keeps = response->chunked = response->has_length = false;
    response->wrong = NULL;
    response->left = response->head = response->length = 0;
}

bool etcd_response_is_over(const struct etcd_response *response)
{
    return response->at == RESPONSE_ENDED || response->at == RESPONSE_WRONG;
}

static void is_wrong(struct etcd_response *response, const char *why)
{
    response->at = RESPONSE_WRONG;
    response->wrong = why;
}

/* --- lines, without their ends ------------------------------------------------------------------------------------ */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "HTTP/1.1 200 OK", of which the words need not be there. */
static void read_status(struct etcd_response *response, const char *line, size_t length)
{
    if (length < 12 || memcmp(line, "HTTP/1.", 7) != 0 || (line[7] != '0' && line[7] != '1') || line[8] != ' ' ||
        line[9] < '1' || line[9] > '5' || !is_digit(line[10]) || !is_digit(line[11]) ||
        (length > 12 && line[12] != ' ')) {
        is_wrong(response, "the answer is not HTTP/1.1");
        return;
    }
    response->status = (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
    response->keeps = line[7] == '1';
    response->at = RESPONSE_FIELDS;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_name(const char *name, size_t length)
{
    static const char also[] = "!#$%&'*+-.^_`|~";
    for (size_t c = 0; c < length; c++)
        if (!is_digit(name[c]) && !(name[c] >= 'A' && name[c] <= 'Z') && !(name[c] >= 'a' && name[c] <= 'z') &&
            memchr(also, name[c], sizeof also - 1) == NULL)
            return false;
    return length > 0;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && strncasecmp(text, word, length) == 0;
}

/* In "keep-alive, close". */
static bool lists_close(const char *text, size_t length)
{
    for (size_t begin = 0, end; begin <= length; begin = end + 1) {
        const char *comma = memchr(text + begin, ',', length - begin);
        end = comma != NULL ? (size_t)(comma - text) : length;
        size_t first = begin, last = end;
        while (first < last && is_blank(text[first]))
            first++;
        while (last > first && is_blank(text[last - 1]))
            last--;
        if (is_word(text + first, last - first, "close"))
            return true;
    }
    return false;
}

/* What is longer than can be meant is told by the limits of whoever takes the body. */
static void read_length(struct etcd_response *response, const char *value, size_t length)
{
    uint64_t left = 0;
    for (size_t c = 0; c < length; c++) {
        if (!is_digit(value[c]) || length > 18) {
            is_wrong(response, "the answer's length is no number");
            return;
        }
        left = left * 10 + (uint64_t)(value[c] - '0');
    }
    if (length == 0 || response->has_length) {
        is_wrong(response, length == 0 ? "the answer's length is no number" : "the answer has two lengths");
        return;
    }
    response->has_length = true;
    response->left = left;
}

static void read_coding(struct etcd_response *response, const char *value, size_t length)
{
    if (!is_word(value, length, "chunked") || response->chunked)
        is_wrong(response, "the answer is coded in a way that was not asked for");
    response->chunked = true;
}

/* Of the fields behind the body none means anything here. */
static void read_field(struct etcd_response *response, const char *line, size_t length, bool behind)
{
    const char *colon = memchr(line, ':', length);
    const size_t name = colon != NULL ? (size_t)(colon - line) : 0;
    if (!is_name(line, name)) {
        is_wrong(response, "the answer has a line in its head that is none");
        return;
    }
    const char *value = colon + 1, *end = line + length;
    while (value < end && is_blank(*value))
        value++;
    while (end > value && is_blank(end[-1]))
        end--;
    const size_t size = (size_t)(end - value);
    if (behind)
        return;
    if (is_word(line, name, "Content-Length"))
        read_length(response, value, size);
    else if (is_word(line, name, "Transfer-Encoding"))
        read_coding(response, value, size);
    else if (is_word(line, name, "Connection") && lists_close(value, size))
        response->keeps = false;
}

/* After one that says that there will be another, that comes; to speak something else than HTTP was not asked for. */
static void end_head(struct etcd_response *response)
{
    if (response->chunked && response->has_length)
        is_wrong(response, "the answer has both chunks and a length");
    else if (response->status == 101)
        is_wrong(response, "the server speaks something else from now on");
    else if (response->status < 200) {
        const size_t head = response->head;
        etcd_response_begin(response);
        response->head = head;
    } else if (response->status == 204 || response->status == 304) {
        response->at = RESPONSE_ENDED;
    } else if (response->chunked) {
        response->at = RESPONSE_CHUNK_SIZE;
    } else if (response->has_length) {
        response->at = response->left > 0 ? RESPONSE_BODY : RESPONSE_ENDED;
    } else {
        response->keeps = false;
        response->at = RESPONSE_REST;
    }
}

/* In hexadecimal; what stands behind it after a semicolon means nothing here. */
static void read_chunk_size(struct etcd_response *response, const char *line, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    size_t count = 0;
    uint64_t size = 0;
    for (; count < length && count <= 15; count++) {
        const char lower = line[count] >= 'A' && line[count] <= 'F' ? (char)(line[count] + 'a' - 'A') : line[count];
        const char *digit = memchr(digits, lower, 16);
        if (digit == NULL)
            break;
        size = size * 16 + (uint64_t)(digit - digits);
    }
    size_t behind = count;
    while (behind < length && is_blank(line[behind]))
        behind++;
    if (count == 0 || count > 15 || (behind < length && line[behind] != ';')) {
        is_wrong(response, "the answer has a chunk without a size");
        return;
    }
    response->left = size;
    response->at = size > 0 ? RESPONSE_CHUNK : RESPONSE_TRAILERS;
}

static void read_line(struct etcd_response *response)
{
    const char *line = response->line;
    const size_t length = response->length;
    response->length = 0;
    switch (response->at) {
    case RESPONSE_STATUS:
        read_status(response, line, length);
        break;
    case RESPONSE_FIELDS:
        if (length == 0)
            end_head(response);
        else
            read_field(response, line, length, false);
        break;
    case RESPONSE_CHUNK_SIZE:
        read_chunk_size(response, line, length);
        break;
    case RESPONSE_CHUNK_END:
        response->at = RESPONSE_CHUNK_SIZE;
        if (length > 0)
            is_wrong(response, "the answer has a chunk that is longer than its size");
        break;
    default: /* RESPONSE_TRAILERS */
        if (length == 0)
            response->at = RESPONSE_ENDED;
        else
            read_field(response, line, length, true);
    }
}

/* --- bytes -------------------------------------------------------------------------------------------------------- */

/* Up to the end of the line, if it is there. */
static size_t take_line(struct etcd_response *response, const char *bytes, size_t size)
{
    const char *end = memchr(bytes, '\n', size);
    const size_t taken = end != NULL ? (size_t)(end - bytes) + 1 : size;
    const bool is_head = response->at != RESPONSE_CHUNK_SIZE && response->at != RESPONSE_CHUNK_END;
    response->head += is_head ? taken : 0;
    if (response->length + taken > RESPONSE_LINE_MAX || response->head > RESPONSE_HEAD_MAX) {
        is_wrong(response, "the answer's head is too long");
        return taken;
    }
    memcpy(response->line + response->length, bytes, taken);
    response->length += taken;
    if (end == NULL)
        return taken;
    const char *line = response->line;
    const size_t length = response->length - 1; /* with the CR */
    if (length == 0 || line[length - 1] != '\r') {
        is_wrong(response, "the answer has a line without its end");
        return taken;
    }
    for (size_t c = 0; c + 1 < length; c++)
        if (((unsigned char)line[c] < ' ' && line[c] != '\t') || line[c] == '\x7f') {
            is_wrong(response, "the answer has control characters in its head");
            return taken;
        }
    response->length = length - 1;
    read_line(response);
    return taken;
}

static size_t take_body(struct etcd_response *response, size_t size)
{
    if (response->at == RESPONSE_REST)
        return size;
    const size_t taken = response->left < size ? (size_t)response->left : size;
    response->left -= taken;
    if (response->left == 0)
        response->at = response->at == RESPONSE_BODY ? RESPONSE_ENDED : RESPONSE_CHUNK_END;
    return taken;
}

size_t etcd_response_take(struct etcd_response *response, const char *bytes, size_t size, const char **body,
                          size_t *body_size)
{
    *body = bytes;
    *body_size = 0;
    switch (response->at) {
    case RESPONSE_BODY:
    case RESPONSE_CHUNK:
    case RESPONSE_REST:
        return *body_size = take_body(response, size);
    case RESPONSE_ENDED:
    case RESPONSE_WRONG:
        return 0;
    default:
        return take_line(response, bytes, size);
    }
}

void etcd_response_close(struct etcd_response *response)
{
    response->keeps = false;
    if (response->at == RESPONSE_REST)
        response->at = RESPONSE_ENDED;
    else if (!etcd_response_is_over(response))
        is_wrong(response, response->status == 0 ? "the server has hung up" : "the server has hung up in its answer");
}
