/* SPDX-License-Identifier: MIT
 *
 * How the command line shows things to people: how wide a text is on a terminal, what is left of it where there is no
 * room, and how long something took.
 */
#include "unit.h"

#include "cli/gates/columns.h"
#include "cli/gates/gates.h"

#include <string.h>

static void a_text_has_columns(void **state)
{
    static const struct {
        const char *text;
        unsigned columns;
    } of[] = {{"", 0},
              {"sleep 1", 7},
              {"d\xc3\xbcrer", 5},             /* an umlaut */
              {"du\xcc\x88rer", 5},            /* the same, as a letter and an accent */
              {"\xe6\x97\xa5\xe6\x9c\xac", 4}, /* two ideographs */
              {"\xed\x95\x9c", 2},             /* a syllable of Hangul */
              {"\xef\xbc\xa1", 2},             /* a letter of full width */
              {"\xf0\x9f\x98\x80!", 3},        /* an emoji */
              {"\xe2\x80\xa6", 1}};
    (void)state;
    for (unsigned t = 0; t < sizeof of / sizeof of[0]; t++)
        assert_int_equal(columns_of_text(of[t].text), of[t].columns);
}

static void what_is_too_wide_is_cut_between_characters(void **state)
{
    static const struct {
        const char *text;
        unsigned columns;
        const char *left;
    } of[] = {{"abcdef", 6, "abcdef"},
              {"abcdef", 5, "ab..."},
              {"abcdef", 3, "..."},
              {"abcdef", 1, "."},
              {"abcdef", 0, ""},
              {"a", 0, ""},
              {"", 0, ""},
              {"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", 6, "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e"},
              {"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", 5, "\xe6\x97\xa5..."},
              {"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", 4, "..."}, /* half of an ideograph has no room */
              {"u\xcc\x88xyzw", 4, "u\xcc\x88..."},
              {"\xe6\x97\xa5", 1, "."}};
    (void)state;
    for (unsigned t = 0; t < sizeof of / sizeof of[0]; t++) {
        char text[32];
        strcpy(text, of[t].text);
        cut_to_columns(text, of[t].columns);
        assert_string_equal(text, of[t].left);
        assert_true(columns_of_text(text) <= of[t].columns);
    }
}

static void what_is_too_wide_gives_way_in_its_middle(void **state)
{
    static const struct {
        const char *text;
        unsigned columns;
        const char *left;
    } of[] = {
        {"abcdefgh", 8, "abcdefgh"},
        {"abcdefghi", 8, "ab...ghi"},
        {"abcdefghi", 7, "ab...hi"},
        {"abcdefghi", 6, "abc..."}, /* where there is hardly any, the beginning tells more */
        {"abcdefghi", 2, ".."},
        {"abcdefghi", 0, ""},
        {"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe6\x97\xa5\xe6\x9c\xac", 9, "\xe6\x97\xa5...\xe6\x97\xa5\xe6\x9c\xac"},
        {"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe6\x97\xa5\xe6\x9c\xac", 8, "\xe6\x97\xa5...\xe6\x9c\xac"},
        {"abcdefu\xcc\x88"
         "xy",
         7, "ab...xy"}, /* no accent without its letter */
        {"abcdefgu\xcc\x88", 7, "ab...gu\xcc\x88"}};
    (void)state;
    for (unsigned t = 0; t < sizeof of / sizeof of[0]; t++) {
        char text[32];
        strcpy(text, of[t].text);
        shorten_to_columns(text, of[t].columns);
        assert_string_equal(text, of[t].left);
        assert_true(columns_of_text(text) <= of[t].columns);
    }
}

static void a_duration_has_two_units_at_most(void **state)
{
    static const struct {
        int64_t seconds;
        const char *text;
    } of[] = {{-5, "0 s"},
              {59, "59 s"},
              {60, "1 min 0 s"},
              {3599, "59 min 59 s"},
              {2 * 3600 + 3 * 60 + 59, "2 h 3 min"},
              {86399, "23 h 59 min"},
              {86400, "1 d 0 h"},
              {400 * 86400LL, "400 d 0 h"}};
    (void)state;
    for (unsigned d = 0; d < sizeof of / sizeof of[0]; d++) {
        char text[32];
        assert_string_equal(duration_for_people(of[d].seconds, text), of[d].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_has_columns),
        cmocka_unit_test(what_is_too_wide_gives_way_in_its_middle),
        cmocka_unit_test(what_is_too_wide_is_cut_between_characters),
        cmocka_unit_test(a_duration_has_two_units_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
