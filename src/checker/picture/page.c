/* SPDX-License-Identifier: MIT
 *
 * page.c - a run as a page that stands for itself: a person goes through it step by step, sees what the registers hold and
 * where in the algorithm's own text each process stands. page.js does that, with what is written here as JSON; the picture
 * is within the page, too, and there even where no script may run.
 *
 * Its Content-Security-Policy lets it run page.js and nothing else, and load nothing at all.
 */
#include "checker/picture/picture.h"

#include "base/die.h"
#include "checker/picture/texts.h"
#include "markup/escaped.h"

#include <stdlib.h>

enum { TEXTS_MAX = 32, PATH_SIZE = 128 };

/* The texts in which somebody stands, and those that a mutant has changed. */
struct shown_texts {
    char path[TEXTS_MAX][PATH_SIZE];
    unsigned count;
};

/* TEXTS_MAX: none, or there is no room left. */
static unsigned text_number(struct shown_texts *texts, const char *path)
{
    for (unsigned t = 0; t < texts->count; t++)
        if (strcmp(texts->path[t], path) == 0)
            return t;
    size_t size;
    if (texts->count == TEXTS_MAX || embedded_text(path, &size) == NULL)
        return TEXTS_MAX;
    snprintf(texts->path[texts->count], PATH_SIZE, "%s", path);
    return texts->count++;
}

/* --- the run as JSON -------------------------------------------------------------------------------------------------- */

static json_t *text_to_json(const char *id, const char *path)
{
    struct text text;
    json_t *lines = json_array();
    text_open(&text, id, path);
    for (size_t l = 0; l < text.count; l++) {
        const struct text_line *line = &text.lines[l];
        json_array_append_new(lines, json_pack("[i, s%, i]", (int)line->number, line->text, line->length,
                                               line->number == 0 ? -1 : (int)line->is_new));
    }
    text_close(&text);
    return json_pack("{s:s, s:o}", "path", path, "lines", lines);
}

/* Where a process is, and what comes next of it: [sign, section, label, text, line, slot]. */
static json_t *stand_to_json(const struct picture_of *picture, size_t moment, unsigned i, struct shown_texts *texts)
{
    const struct process *process = &picture->execution->moments[moment].process[i];
    const struct section_words *words = &section_words[section_words_at(picture, moment, i)];
    const size_t slot_at = picture->setting->algorithm->about.slot_at;
    const char *path;
    unsigned line = 0, text = TEXTS_MAX;
    if (marker_place(process->label, &path, &line))
        text = text_number(texts, path);
    json_t *stand = json_pack("[s, s, s]", (char[]){words->sign, '\0'}, words->words, process->label);
    json_array_append_new(stand, text < TEXTS_MAX ? json_integer(text) : json_null());
    json_array_append_new(stand, text < TEXTS_MAX ? json_integer(line) : json_null());
    if (slot_at != 0 && process->section == CRITICAL && !process->crashed)
        json_array_append_new(stand, json_integer(process->locals[slot_at]));
    return stand;
}

static json_t *value_to_json(const struct picture_of *picture, size_t moment, unsigned reg)
{
    char words[WORDS_SIZE];
    describe_value(&picture->execution->model.instance, reg, picture->execution->moments[moment].values[reg], words,
                   sizeof words);
    return json_string(words);
}

/* What is different from the moment before: of registers and of processes. */
static json_t *moment_to_json(const struct picture_of *picture, size_t moment, struct shown_texts *texts)
{
    const struct moment *moments = picture->execution->moments;
    json_t *values = json_object(), *stands = json_object();
    for (unsigned r = 0; r < picture->execution->model.instance.reg_count; r++)
        if (moment == 0 || moments[moment].values[r] != moments[moment - 1].values[r]) {
            char key[16];
            snprintf(key, sizeof key, "%u", r);
            json_object_set_new(values, key, value_to_json(picture, moment, r));
        }
    for (unsigned i = 0; i < processes_of(picture->setting); i++) {
        char key[16];
        json_t *stand = stand_to_json(picture, moment, i, texts),
               *before = moment > 0 ? stand_to_json(picture, moment - 1, i, texts) : json_null();
        snprintf(key, sizeof key, "%u", i);
        if (json_equal(stand, before))
            json_decref(stand);
        else
            json_object_set_new(stands, key, stand);
        json_decref(before);
    }
    json_t *json = json_pack("{s:o, s:o}", "values", values, "stands", stands);
    if (moment > 0) {
        char access[WORDS_SIZE];
        const struct told_step told = tell_step(picture->trace, picture->execution, moment - 1);
        describe_access(picture, moment - 1, access, sizeof access);
        json_object_set_new(json, "who", json_integer(picture->trace->steps[moment - 1].process));
        json_object_set_new(json, "label", json_string(told.label));
        json_object_set_new(json, "access", json_string(access));
        json_object_set_new(json, "fault",
                            json_boolean(told.kind == STEP_GOES_WRONG || moments[moment].access.beside != NULL));
    }
    return json;
}

static json_t *run_to_json(const struct picture_of *picture)
{
    const struct trace *trace = picture->trace;
    const struct instance *instance = &picture->execution->model.instance;
    const char *id = picture->setting->algorithm->about.id;
    struct shown_texts texts = {.count = 0};
    json_t *processes = json_array(), *registers = json_array(), *moments = json_array(), *shown = json_array();
    char words[WORDS_SIZE], text[PATH_SIZE];
    text_path(id, text, sizeof text);
    text_number(&texts, text);
    for (unsigned c = 0; changed_path(id, c, text, sizeof text); c++)
        text_number(&texts, text);
    for (unsigned i = 0; i < processes_of(picture->setting); i++) {
        snprintf(words, sizeof words, "%s %u", kind_of_process(picture->setting, i),
                 number_of_process(picture->setting, i));
        json_array_append_new(processes, json_string(words));
    }
    for (unsigned r = 0; r < instance->reg_count; r++) {
        register_name(instance, r, words, sizeof words);
        json_array_append_new(registers, json_string(words));
    }
    for (size_t m = 0; m < picture->execution->count; m++)
        json_array_append_new(moments, moment_to_json(picture, m, &texts));
    for (unsigned t = 0; t < texts.count; t++)
        json_array_append_new(shown, text_to_json(id, texts.path[t]));
    const bool has_loop = trace->loop != NO_LOOP && picture->execution->count == trace->count + 1;
    json_t *json = json_pack("{s:s, s:b, s:o, s:o, s:o, s:o}", "what", trace->what, "shown",
                             picture->is_shown && trace->property != PROPERTIES, "processes", processes, "registers",
                             registers, "moments", moments, "texts", shown);
    json_object_set_new(json, "loop", has_loop ? json_integer((json_int_t)trace->loop) : json_null());
    json_object_set_new(json, "loop_end", has_loop ? json_integer((json_int_t)trace->loop_end) : json_null());
    return json;
}

/* --- the page --------------------------------------------------------------------------------------------------------- */

static void write_head(const struct picture_of *picture, FILE *out)
{
    char words[WORDS_SIZE];
    size_t size;
    const char *hash = embedded_text("hash src/checker/picture/page.js", &size);
    picture_title(picture, words, sizeof words);
    fprintf(out,
            "<!doctype html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
            "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src 'unsafe-inline'; "
            "script-src 'sha256-%.*s'; base-uri 'none'; form-action 'none'\">\n"
            "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
            "<meta name='color-scheme' content='light dark'>\n<title>",
            (int)size - 1, hash);
    print_escaped(out, words, WORDS_SIZE);
    fputs("</title>\n<style>\n", out);
    write_embedded("src/checker/picture/page.css", out);
    fputs("</style>\n</head>\n<body>\n<header>\n<h1>", out);
    print_escaped(out, words, WORDS_SIZE);
    picture_setting(picture->setting, words, sizeof words);
    fputs("</h1>\n<p>", out);
    print_escaped(out, words, WORDS_SIZE);
    fputs("</p>\n", out);
}

static void write_paragraph(const char *words, FILE *out)
{
    if (words == NULL)
        return;
    fputs("<p>", out);
    print_escaped(out, words, WORDS_SIZE);
    fputs("</p>\n", out);
}

/* In a script no "<" of a text may end it. */
static void write_json(json_t *json, FILE *out)
{
    char *text = json != NULL ? json_dumps(json, JSON_COMPACT) : NULL;
    if (text == NULL)
        die("internal error: the run cannot be written as JSON");
    for (const char *at = text; *at != '\0'; at++)
        if (*at == '<')
            fputs("\\u003c", out);
        else
            putc(*at, out);
    free(text);
    json_decref(json);
}

static const char frame[] = "<nav aria-label='steps'>\n"
                            "<button id='first' title='Home' aria-label='to the start'>|&#x25c0;&#xfe0e;</button>"
                            "<button id='back' title='left arrow' aria-label='one step back'>&#x25c0;&#xfe0e;</button>"
                            "<input id='at' type='range' min='0' value='0' aria-label='step'>"
                            "<button id='on' title='right arrow' aria-label='one step on'>&#x25b6;&#xfe0e;</button>"
                            "<button id='last' title='End' aria-label='to the last step'>&#x25b6;&#xfe0e;|</button>\n"
                            "<p id='step' aria-live='polite'></p>\n</nav>\n"
                            "<main>\n<section id='picture' aria-label='the whole run' tabindex='0'>\n";

static const char rest_of_frame[] =
    "</section>\n<div id='now'>\n<section aria-labelledby='who'><h2 id='who'>Processes</h2><table id='processes'>"
    "</table></section>\n"
    "<section aria-labelledby='what'><h2 id='what'>Registers</h2><ul id='registers'></ul></section>\n"
    "<section aria-labelledby='where'><h2 id='where'>Text</h2><div id='files' role='group' aria-label='files'></div>"
    "<ol id='text' tabindex='0' aria-label='the text of the algorithm'></ol></section>\n</div>\n</main>\n"
    "<noscript><p>Without JavaScript there is the picture alone.</p></noscript>\n"
    "<script type='application/json' id='run'>";

void write_page(const struct picture_of *picture, FILE *out)
{
    const bool has_run = picture->trace != NULL && picture->execution->count > 0;
    write_head(picture, out);
    write_paragraph(picture->trace != NULL ? picture->trace->what : NULL, out);
    write_paragraph(picture->remark, out);
    fputs("</header>\n", out);
    if (has_run) {
        fputs(frame, out);
        struct picture_of without_headings = *picture;
        without_headings.is_within_page = true;
        draw_svg(&without_headings, out);
        fputs(rest_of_frame, out);
        write_json(run_to_json(picture), out);
        fputs("</script>\n<script>", out);
        write_embedded("src/checker/picture/page.js", out);
        fputs("</script>\n", out);
    }
    fputs("</body>\n</html>\n", out);
}
