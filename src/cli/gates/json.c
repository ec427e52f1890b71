/* SPDX-License-Identifier: MIT */
#include "cli/gates/json.h"

#include "base/die.h"
#include "native/printable.h"

#include <inttypes.h>
#include <stdlib.h>

void json_writer_open(struct json_writer *json)
{
    *json = (struct json_writer){.empty = true};
    json->out = open_memstream(&json->text, &json->size);
    if (json->out == NULL)
        die("there is no memory left for what is to be printed");
}

void json_writer_print(struct json_writer *json)
{
    if (fclose(json->out) != 0)
        die("there is no memory left for what is to be printed");
    puts(json->text);
    free(json->text);
}

static void print_quoted(FILE *out, const char *text)
{
    putc('"', out);
    while (*text != '\0') {
        unsigned length = admit_printable_character(text), control = (unsigned char)*text;
        if (length == 1 && (*text == '"' || *text == '\\'))
            fprintf(out, "\\%c", *text);
        else if (length > 0)
            fwrite(text, 1, length, out);
        else
            fprintf(out, "\\u%04x", control < 0x80 ? control : 0xfffd);
        text += length > 0 ? length : 1;
    }
    putc('"', out);
}

static void new_line(struct json_writer *json)
{
    if (json->on_one_line)
        return;
    putc('\n', json->out);
    for (unsigned d = 0; d < json->depth; d++)
        fputs("  ", json->out);
}

static void begin_value(struct json_writer *json, const char *key)
{
    if (!json->empty)
        fputs(json->on_one_line ? ", " : ",", json->out);
    if (json->depth > 0)
        new_line(json);
    if (key != NULL) {
        print_quoted(json->out, key);
        fputs(": ", json->out);
    }
    json->empty = false;
}

static void begin(struct json_writer *json, const char *key, char bracket)
{
    begin_value(json, key);
    putc(bracket, json->out);
    json->depth++;
    json->empty = true;
}

static void end(struct json_writer *json, char bracket)
{
    json->depth--;
    if (!json->empty)
        new_line(json);
    putc(bracket, json->out);
    json->empty = false;
}

void json_begin_list(struct json_writer *json, const char *key)
{
    begin(json, key, '[');
}

void json_end_list(struct json_writer *json)
{
    end(json, ']');
}

void json_begin_object(struct json_writer *json, const char *key)
{
    begin(json, key, '{');
}

void json_end_object(struct json_writer *json)
{
    end(json, '}');
}

void json_put_null(struct json_writer *json, const char *key)
{
    begin_value(json, key);
    fputs("null", json->out);
}

void json_put_number(struct json_writer *json, const char *key, uint64_t number)
{
    begin_value(json, key);
    fprintf(json->out, "%" PRIu64, number);
}

void json_put_millionths(struct json_writer *json, const char *key, int64_t millionths)
{
    const uint64_t size = millionths < 0 ? -(uint64_t)millionths : (uint64_t)millionths;
    begin_value(json, key);
    fprintf(json->out, "%s%" PRIu64 ".%06" PRIu64, millionths < 0 ? "-" : "", size / 1000000, size % 1000000);
}

void json_put_text(struct json_writer *json, const char *key, const char *text)
{
    if (text == NULL) {
        json_put_null(json, key);
        return;
    }
    begin_value(json, key);
    print_quoted(json->out, text);
}
