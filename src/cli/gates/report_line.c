/* SPDX-License-Identifier: MIT
 *
 * JSON as log.c writes it: an object whose values are texts, numbers, true, false and null; nested ones are skipped.
 */
#include "cli/gates/report_line.h"

#include <admit.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 16 };
static const int64_t second = 1000000;

struct reader {
    const char *at, *end;
    char *room;
};

/* --- JSON ---------------------------------------------------------------------------------------------------------- */

static void skip_space(struct reader *reader)
{
    while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\t' || *reader->at == '\r'))
        reader->at++;
}

static bool take(struct reader *reader, char wanted)
{
    skip_space(reader);
    if (reader->at == reader->end || *reader->at != wanted)
        return false;
    reader->at++;
    return true;
}

static bool take_word(struct reader *reader, const char *word)
{
    const size_t length = strlen(word);
    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length) != 0)
        return false;
    reader->at += length;
    return true;
}

static bool take_hex(struct reader *reader, unsigned *code)
{
    static const char digits[] = "0123456789abcdef";
    *code = 0;
    for (unsigned d = 0; d < 4; d++, reader->at++) {
        const char *digit = reader->at < reader->end ? strchr(digits, *reader->at | 0x20) : NULL;
        if (digit == NULL || *reader->at < '0')
            return false;
        *code = *code << 4 | (unsigned)(digit - digits);
    }
    return true;
}

static void put_code(struct reader *reader, unsigned code)
{
    if (code == 0 || (code >= 0xd800 && code < 0xe000))
        code = 0xfffd;
    if (code < 0x80) {
        *reader->room++ = (char)code;
        return;
    }
    const unsigned more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    *reader->room++ = (char)(lead[more] | code >> 6 * more);
    for (unsigned m = more; m-- > 0;)
        *reader->room++ = (char)(0x80 | ((code >> 6 * m) & 0x3f));
}

/* After "\u". */
static bool take_code(struct reader *reader)
{
    unsigned code, low;
    if (!take_hex(reader, &code))
        return false;
    if (code >= 0xd800 && code < 0xdc00 && take_word(reader, "\\u")) {
        if (!take_hex(reader, &low))
            return false;
        code = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : 0xfffd;
    }
    put_code(reader, code);
    return true;
}

static bool take_escape(struct reader *reader)
{
    static const char written[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    if (reader->at == reader->end)
        return false;
    const char letter = *reader->at++;
    if (letter == 'u')
        return take_code(reader);
    const char *found = letter != '\0' ? strchr(written, letter) : NULL;
    if (found != NULL)
        *reader->room++ = meant[found - written];
    return found != NULL;
}

/* NULL: there is none. Bytes that are no UTF-8 are left as they are: whoever prints them sees to that. */
static const char *take_text(struct reader *reader)
{
    const char *text = reader->room;
    if (!take(reader, '"'))
        return NULL;
    while (reader->at < reader->end && *reader->at != '"') {
        if ((unsigned char)*reader->at < 0x20)
            return NULL;
        if (*reader->at != '\\')
            *reader->room++ = *reader->at++;
        else if (reader->at++, !take_escape(reader))
            return NULL;
    }
    if (reader->at == reader->end)
        return NULL;
    reader->at++;
    *reader->room++ = '\0';
    return text;
}

static bool is_digit(const struct reader *reader)
{
    return reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9';
}

struct number {
    int64_t whole;
    int64_t millionths;
};

/* No number of a line is one of these; nor has one an exponent. */
enum { ABSENT = -1, OUT_OF_RANGE = -2 };

/* One that is too large stays at the most there is; of the digits behind the point six are used. */
static bool take_number(struct reader *reader, struct number *number)
{
    const int64_t most = INT64_MAX / 100;
    const bool negative = take(reader, '-');
    *number = (struct number){0};
    if (!is_digit(reader))
        return false;
    for (; is_digit(reader); reader->at++)
        number->whole = number->whole < most ? number->whole * 10 + (*reader->at - '0') : most;
    if (take_word(reader, ".")) {
        if (!is_digit(reader))
            return false;
        for (int64_t place = second / 10; is_digit(reader); reader->at++, place /= 10)
            number->millionths += (*reader->at - '0') * place;
    }
    const bool exponent = take_word(reader, "e") || take_word(reader, "E");
    if (exponent) {
        if (!take_word(reader, "+"))
            take_word(reader, "-");
        if (!is_digit(reader))
            return false;
        while (is_digit(reader))
            reader->at++;
    }
    if (negative || exponent)
        number->whole = OUT_OF_RANGE;
    return true;
}

static bool take_truth(struct reader *reader, bool *truth)
{
    skip_space(reader);
    *truth = take_word(reader, "true");
    return *truth || take_word(reader, "false");
}

static bool skip_value(struct reader *reader, unsigned depth);

/* After its first bracket. */
static bool skip_nested(struct reader *reader, unsigned depth, char last)
{
    if (depth == DEPTH_MAX)
        return false;
    if (take(reader, last))
        return true;
    do {
        if (last == '}' && (take_text(reader) == NULL || !take(reader, ':')))
            return false;
        if (!skip_value(reader, depth + 1))
            return false;
    } while (take(reader, ','));
    return take(reader, last);
}

static bool skip_value(struct reader *reader, unsigned depth)
{
    struct number number;
    skip_space(reader);
    if (take_word(reader, "true") || take_word(reader, "false") || take_word(reader, "null"))
        return true;
    if (reader->at < reader->end && *reader->at == '"')
        return take_text(reader) != NULL;
    if (take(reader, '{'))
        return skip_nested(reader, depth, '}');
    if (take(reader, '['))
        return skip_nested(reader, depth, ']');
    return take_number(reader, &number);
}

/* --- fields -------------------------------------------------------------------------------------------------------- */

/* As they stand in a line: NULL and ABSENT are not there. */
struct fields {
    const char *time, *event, *gate, *path, *user, *command, *why, *job;
    struct number k, pid, slot, ticket, place, waited, inside, status;
    bool owner_died, token;
};

static bool take_field(struct reader *reader, const char *key, struct fields *fields)
{
    const struct {
        const char *key, **value;
    } texts[] = {{"time", &fields->time}, {"event", &fields->event}, {"gate", &fields->gate},
                 {"path", &fields->path}, {"user", &fields->user},   {"command", &fields->command},
                 {"why", &fields->why},   {"job", &fields->job}};
    const struct {
        const char *key;
        struct number *value;
    } numbers[] = {{"k", &fields->k},           {"pid", &fields->pid},       {"slot", &fields->slot},
                   {"ticket", &fields->ticket}, {"waited", &fields->waited}, {"inside", &fields->inside},
                   {"status", &fields->status}, {"place", &fields->place}};
    for (unsigned t = 0; t < sizeof texts / sizeof texts[0]; t++)
        if (strcmp(key, texts[t].key) == 0)
            return (*texts[t].value = take_text(reader)) != NULL;
    for (unsigned n = 0; n < sizeof numbers / sizeof numbers[0]; n++)
        if (strcmp(key, numbers[n].key) == 0)
            return take_number(reader, numbers[n].value);
    if (strcmp(key, "owner_died") == 0)
        return take_truth(reader, &fields->owner_died);
    if (strcmp(key, "token") == 0)
        return take_truth(reader, &fields->token);
    return skip_value(reader, 0);
}

static bool take_fields(struct reader *reader, struct fields *fields)
{
    if (!take(reader, '{'))
        return false;
    do {
        const char *key = take_text(reader);
        if (key == NULL || !take(reader, ':'))
            return false;
        skip_space(reader);
        if (!take_field(reader, key, fields))
            return false;
    } while (take(reader, ','));
    const bool whole = take(reader, '}');
    skip_space(reader);
    return whole && reader->at == reader->end;
}

/* --- what they mean ------------------------------------------------------------------------------------------------- */

/* Two digits, or four. */
static bool take_digits(const char **text, unsigned count, int *value)
{
    *value = 0;
    for (; count > 0; count--, ++*text) {
        if (**text < '0' || **text > '9')
            return false;
        *value = *value * 10 + (**text - '0');
    }
    return true;
}

/* Days since 1970 of a date of our calendar: years that begin in March have their leap day last. */
static int64_t days_of(int year, int month, int day)
{
    const int64_t y = month < 3 ? year - 1 : year;
    const int since_march = (month + 9) % 12;
    return y * 365 + y / 4 - y / 100 + y / 400 + (since_march * 306 + 5) / 10 + day - 1 - 719468;
}

static bool read_time(const char *text, int64_t *time)
{
    static const char between[] = "--T::";
    int part[6]; /* year, month, day, hour, minute, second */
    for (unsigned p = 0; p < 6; p++) {
        if (!take_digits(&text, p == 0 ? 4 : 2, &part[p]))
            return false;
        if (p < 5 && *text++ != between[p])
            return false;
    }
    if (part[1] < 1 || part[1] > 12 || part[2] < 1 || part[2] > 31 || part[3] > 23 || part[4] > 59 || part[5] > 60)
        return false;
    *time = ((days_of(part[0], part[1], part[2]) * 24 + part[3]) * 60 + part[4]) * 60 + part[5];
    *time *= second;
    if (*text == '.')
        for (int64_t place = (text++, second / 10); *text >= '0' && *text <= '9'; text++, place /= 10)
            *time += (*text - '0') * place;
    return strcmp(text, "Z") == 0;
}

static bool is_count(const struct number *number, int64_t least, int64_t most)
{
    return number->millionths == 0 && number->whole >= least && number->whole <= most;
}

/* Of seconds; none is as long as a century. */
static bool is_span(const struct number *number)
{
    return number->whole >= 0 && number->whole <= INT64_C(100) * 366 * 86400;
}

static int64_t span_of(const struct number *number)
{
    return is_span(number) ? number->whole * second + number->millionths : 0;
}

static enum log_event event_of(const char *name)
{
    static const char *const names[LOG_EVENTS] = {"wait", "enter", "exit", "give_up", "recover"};
    enum log_event event = 0;
    while (event < LOG_EVENTS && strcmp(name, names[event]) != 0)
        event++;
    return event;
}

static enum log_why why_of(const char *name)
{
    static const char *const names[WHY_OTHER] = {"timed_out", "no_slot", "signal"};
    if (name != NULL && strcmp(name, "ended") == 0)
        return WHY_ENDED;
    enum log_why why = 0;
    while (why < WHY_OTHER && (name == NULL || strcmp(name, names[why]) != 0))
        why++;
    return why;
}

static bool has_what_it_needs(const struct fields *fields, enum log_event event)
{
    const bool has_slot = event != LOG_WAIT && event != LOG_GIVE_UP;
    const bool has_ticket = event == LOG_ENTER || event == LOG_EXIT;
    const bool has_waited = event == LOG_ENTER || event == LOG_GIVE_UP;
    return (!has_slot || is_count(&fields->slot, 0, ADMIT_GATE_K_MAX - 1)) &&
           (!has_ticket || is_count(&fields->ticket, 0, INT64_MAX)) && (!has_waited || is_span(&fields->waited)) &&
           (event != LOG_EXIT || is_span(&fields->inside)) &&
           (fields->status.whole == ABSENT || is_count(&fields->status, 0, 255));
}

/* "@319" */
static uint32_t job_of(const char *text)
{
    enum { DIGITS_MAX = 9 };
    const size_t length = text != NULL ? strlen(text) : 0;
    if (length < 2 || length > 1 + DIGITS_MAX || text[0] != '@' || strspn(text + 1, "0123456789") != length - 1)
        return 0;
    return (uint32_t)strtoul(text + 1, NULL, 10);
}

static enum line_kind understand(const struct fields *fields, int64_t now, struct log_line *line)
{
    const int64_t year_2000 = INT64_C(946684800) * 1000000, day = INT64_C(86400) * 1000000;
    if (fields->time == NULL || fields->event == NULL || fields->gate == NULL || !read_time(fields->time, &line->time))
        return LINE_FOREIGN;
    line->event = event_of(fields->event);
    if (line->event == LOG_EVENTS)
        return LINE_UNKNOWN_EVENT;
    if (!is_count(&fields->k, 1, ADMIT_GATE_K_MAX) || !is_count(&fields->pid, 1, INT32_MAX) ||
        !has_what_it_needs(fields, line->event))
        return LINE_FOREIGN;
    line->gate = fields->gate;
    line->path = fields->path != NULL ? fields->path : fields->gate;
    line->user = fields->user != NULL ? fields->user : "";
    line->command = fields->command != NULL ? fields->command : "";
    line->k = (uint16_t)fields->k.whole;
    line->pid = (uint32_t)fields->pid.whole;
    line->job = job_of(fields->job);
    line->slot = is_count(&fields->slot, 0, ADMIT_GATE_K_MAX - 1) ? (uint16_t)fields->slot.whole : 0;
    line->ticket = (uint64_t)(line->event == LOG_WAIT ? fields->place.whole : fields->ticket.whole);
    line->span = span_of(line->event == LOG_EXIT ? &fields->inside : &fields->waited);
    line->status = (int16_t)fields->status.whole;
    line->why = why_of(fields->why);
    line->owner_died = fields->owner_died;
    line->token = fields->token;
    return line->time < year_2000 || line->time > now + day ? LINE_MISDATED : LINE_GOOD;
}

static const char line_begins[] = "{\"time\":\"";

enum line_kind read_log_line(const char *text, size_t length, int64_t now, char *room, struct log_line *line)
{
    struct reader reader = {.at = text, .end = text + length, .room = room};
    const struct number none = {.whole = ABSENT};
    struct fields fields = {.k = none,
                            .pid = none,
                            .slot = none,
                            .ticket = none,
                            .place = none,
                            .waited = none,
                            .inside = none,
                            .status = none};
    if (take_fields(&reader, &fields))
        return understand(&fields, now, line);
    const size_t begins = sizeof line_begins - 1;
    return length > 0 && memcmp(text, line_begins, length < begins ? length : begins) == 0 ? LINE_TORN : LINE_FOREIGN;
}

/* No text of a whole line has these bytes: its quotes are escaped. */
const char *line_behind_torn(const char *text, size_t length)
{
    const char *found = NULL;
    const size_t begins = sizeof line_begins - 1;
    for (const char *at = text + 1; length > begins && (size_t)(at - text) <= length - begins; at++) {
        at = memchr(at, '{', length - begins + 1 - (size_t)(at - text));
        if (at == NULL)
            break;
        if (memcmp(at, line_begins, begins) == 0)
            found = at;
    }
    return found;
}
