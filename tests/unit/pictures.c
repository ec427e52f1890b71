/* SPDX-License-Identifier: MIT
 *
 * The texts that admit carries: where a process stands is a line of its algorithm's own text, with that label in it, of
 * whichever is in the catalogue, mutants as they have been edited. What is said of a mutant's lines is what its patch
 * does. And a label is text, whatever is in it.
 */
#include "unit.h"

#include "base/die.h"
#include "checker/picture/picture.h"
#include "checker/picture/texts.h"

/* The line of the text, or NULL. */
static const struct text_line *line_of(const struct text *text, unsigned number)
{
    for (size_t l = 0; l < text->count; l++)
        if (text->lines[l].number == number)
            return &text->lines[l];
    return NULL;
}

static bool has(const struct text_line *line, const char *words)
{
    return line != NULL && memmem(line->text, line->length, words, strlen(words)) != NULL;
}

static void assert_stands_in_text(const char *id, const struct process *process)
{
    const char *path;
    unsigned number;
    struct text text;
    if (!marker_place(process->label, &path, &number))
        fail_msg("%s: \"%s\" has no place", id, process->label);
    if (!text_open(&text, id, path))
        fail_msg("%s: \"%s\" is in %s, which is not there", id, process->label, path);
    /* There an embedding has a part of its own put in (embedding.h). */
    const bool is_put_in = has(line_of(&text, number), "while_waiting()");
    if (!is_put_in && !has(line_of(&text, number), process->label))
        fail_msg("%s: \"%s\" is not in line %u of %s", id, process->label, number, path);
    text_close(&text);
}

/* Two processes in turn, some steps each. */
static void every_marker_is_in_its_text(void **state)
{
    (void)state;
    enum { TURNS = 300 };
    for (unsigned e = 0; e < catalogue_count; e++) {
        const char *id = catalogue[e].algorithm->about.id;
        if (strncmp(id, "test:unmarked", strlen("test:unmarked")) == 0)
            continue; /* they come to no marker, which ends the program */
        struct setting setting = setting_of(id, 2, 1);
        struct instance instance;
        struct process processes[2];
        uint64_t values[64] = {0};
        instance_open(&instance, &setting);
        instance.tolerant = true; /* mutants may do what the text may not */
        if (instance.reg_count > 64)
            fail_msg("%s has %u registers", id, instance.reg_count);
        for (unsigned r = 0; r < instance.reg_count; r++)
            values[r] = initial_value(instance.regs[r].array);
        for (unsigned i = 0; i < 2; i++)
            process_start(&instance, i, &processes[i]);
        for (unsigned turn = 0; turn < TURNS; turn++) {
            const unsigned i = turn / 7 % 2;
            struct process from = processes[i];
            struct access access;
            assert_stands_in_text(id, &from);
            process_peek(&instance, i, &from, 0, &access);
            if (!process_step(&instance, i, &from, 0, values[access.reg], &processes[i], &access))
                break;
            values[access.reg] = access.result;
        }
        instance_close(&instance);
    }
}

static void what_is_no_marker_has_no_place(void **state)
{
    (void)state;
    const char *path;
    unsigned line;
    assert_false(marker_place(NO_MARKER("crashed"), &path, &line));
    assert_true(marker_place(MARKER("here"), &path, &line));
    assert_string_equal(path, __FILE__);
}

/* Lines that were there before are numbered as the compiler numbers them; those that are gone have no number. */
static void a_mutants_text_is_the_edited_one(void **state)
{
    (void)state;
    struct text text, before;
    unsigned gone = 0, new = 0, number = 0;
    if (catalogue_find("one_bit:no_second_wait") == NULL)
        skip(); /* a build without mutants */
    assert_true(text_open(&text, "one_bit:no_second_wait", "src/algorithms/one_bit.c"));
    assert_true(text_open(&before, "one_bit", "src/algorithms/one_bit.c"));
    for (size_t l = 0; l < text.count; l++) {
        gone += text.lines[l].number == 0;
        new += text.lines[l].is_new;
        if (text.lines[l].number != 0)
            assert_int_equal(text.lines[l].number, ++number);
    }
    assert_true(gone > 0);
    assert_int_equal(text.count, before.count + new);
    assert_int_equal(number, before.count + new - gone);
    text_close(&text);
    text_close(&before);
}

static void paths_and_ids(void **state)
{
    (void)state;
    char path[64];
    size_t size;
    text_path("n_bit/one_bit:y_too_soon", path, sizeof path);
    assert_string_equal(path, "src/algorithms/n_bit/one_bit.c");
    text_path("test:ticket:in_turn", path, sizeof path);
    assert_string_equal(path, "tests/algorithms/ticket.c");
    assert_null(embedded_text("src/algorithms/one_bit", &size));
    assert_non_null(embedded_text("hash src/checker/picture/page.js", &size));
    struct text text;
    assert_false(text_open(&text, "one_bit", "/etc/passwd"));
    assert_int_equal(text.count, 0);
}

static void a_label_is_text(void **state)
{
    (void)state;
    static const char hostile[] = NO_MARKER("</text></script><script>\"'&amp;]]>");
    struct trace_step steps[] = {{.process = 0}, {.process = 1}};
    struct trace trace = {.setting = setting_of("one_bit", 2, 1),
                          .what = "somebody steps",
                          .steps = steps,
                          .count = 2,
                          .loop = NO_LOOP,
                          .loop_end = NO_LOOP};
    struct execution execution;
    assert_true(trace_execute(&trace, &execution));
    for (size_t m = 0; m < execution.count; m++)
        execution.moments[m].process[0].label = hostile;
    const struct picture_of picture = {.setting = &trace.setting, .trace = &trace, .execution = &execution};
    char *svg, *page;
    size_t size;
    FILE *out = must_open_memory(&svg, &size);
    draw_svg(&picture, out);
    must_close_memory(out);
    out = must_open_memory(&page, &size);
    write_page(&picture, out);
    must_close_memory(out);
    assert_null(strstr(svg, "script>"));
    assert_null(strstr(svg, "&amp;"));
    assert_non_null(strstr(svg, "&#60;/text&#62;&#60;/script&#62;&#60;script&#62;&#34;&#39;&#38;amp;]]&#62;"));
    assert_non_null(strstr(page, "\"\\u003c/text>\\u003c/script>\\u003cscript>\\\"'&amp;]]>\""));
    assert_non_null(strstr(page, "<script>"));
    assert_null(strstr(strstr(page, "<script>") + 1, "<script>")); /* its own */
    free(svg);
    free(page);
    execution_close(&execution);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_marker_is_in_its_text),
        cmocka_unit_test(what_is_no_marker_has_no_place),
        cmocka_unit_test(a_mutants_text_is_the_edited_one),
        cmocka_unit_test(paths_and_ids),
        cmocka_unit_test(a_label_is_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
