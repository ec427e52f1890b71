/* SPDX-License-Identifier: MIT
 *
 * The two tables that all else is told by, of faults and of properties: nothing is missing in them, the manual and
 * docs/properties.md have the same ones, and what the catalogue claims makes sense. And that settings are compared whole.
 */
#include "unit.h"

#include "checker/judge/properties.h"
#include "checker/model/faults.h"

/* --- nothing is missing ------------------------------------------------------------------------------------------- */

static bool is_said(const char *text)
{
    return text != NULL && text[0] != '\0';
}

static void faults_are_whole(void **state)
{
    (void)state;
    for (unsigned f = 0; f < FAULTS; f++) {
        const struct fault_info *info = &fault_info[f];
        if (!is_said(info->name) || !is_said(info->number) || !is_said(info->step) || !is_said(info->words))
            fail_msg("fault number %u: its name, its number, its step or its words are missing", f);
        assert_int_equal(info->counted, is_said(info->infinitive));
        assert_int_equal(info->counted, !is_said(info->why_uncounted));
        assert_true(info->without_count > 0);
        assert_true(info->writes_own || !info->writes_anything);
        assert_true(info->why_alone != NULL || info->goes_with == 0);
        assert_true(info->goes_with < 1u << FAULTS);
        assert_true(strlen(info->name) + strlen(":16") < FAULT_NAME_SIZE);
        assert_ptr_equal(fault_find(info->name, strlen(info->name)), info); /* no other has this name */
        assert_null(fault_find(info->name, strlen(info->name) - 1));
    }
    assert_true(is_said(fault_info[FAULT_NUMBER(TIMED_LOOK)].name));
    assert_true(is_said(fault_info[FAULT_NUMBER(TIMED_LOOK)].step));
    assert_null(fault_find("timed_look", strlen("timed_look")));
}

/* Of two faults that want to be alone, both know the other, or neither. */
static void faults_agree_what_goes_together(void **state)
{
    (void)state;
    for (unsigned f = 0; f < FAULTS; f++)
        for (unsigned g = 0; g < f; g++)
            if (fault_info[f].why_alone != NULL && fault_info[g].why_alone != NULL)
                assert_int_equal(fault_info[f].goes_with >> g & 1, fault_info[g].goes_with >> f & 1);
}

static void faults_are_listed(void **state)
{
    (void)state;
    char list[256];
    known_faults(list, sizeof list);
    assert_string_equal(
        list,
        "crash, shutdown, failure, recovery, lease, repeat, watch, freeze (each with :COUNT), abort or transient");
}

static void properties_are_whole(void **state)
{
    (void)state;
    for (unsigned p = 0; p < PROPERTIES; p++) {
        const struct property_info *info = &property_info[p];
        if (!is_said(info->name) || !is_said(info->number) || !is_said(info->words) || !is_said(info->premise))
            fail_msg("property %u: its name, its number, its words or its premise are missing", p);
        assert_int_equal(is_said(info->bound), is_said(info->bounds));
        assert_int_equal(info->model != NULL, info->title != NULL);
        assert_true(info->model != NULL || !info->only_if_model_said);
        assert_true(info->needs_enabled || !(info->shown_by_enabled || info->counts_on_looks));
        assert_true(!info->needs_states_only || info->shown_without_loop);
        assert_int_equal(property_find(info->name, info->model), p);
        for (unsigned other = 0; other < p; other++) {
            assert_int_equal(strcmp(info->number, property_info[other].number) == 0,
                             strcmp(info->name, property_info[other].name) == 0);
            assert_string_not_equal(info->words, property_info[other].words);
            assert_string_not_equal(property_title((enum property)p), property_title((enum property)other));
        }
    }
    assert_int_equal(property_find(property_info[PROPERTIES].name, NULL), PROPERTIES);
}

/* The property that has a model of memory is there in each of them, once. */
static void models_of_memory_are_complete(void **state)
{
    (void)state;
    unsigned seen[MEMORY_MODELS] = {0}, by_name_alone = 0;
    for (unsigned p = 0; p < PROPERTIES; p++)
        if (is_local_spin((enum property)p)) {
            assert_in_range(property_model((enum property)p), 0, MEMORY_MODELS - 1);
            seen[property_model((enum property)p)]++;
            by_name_alone += !property_info[p].only_if_model_said;
        }
    for (unsigned model = 0; model < MEMORY_MODELS; model++)
        assert_int_equal(seen[model], 1);
    assert_true(by_name_alone > 0);
}

/* How many there are if those that differ in the model of memory alone count once. */
static unsigned count_names(void)
{
    unsigned names = 0;
    for (unsigned p = 0; p < PROPERTIES; p++)
        names += property_find(property_info[p].name, NULL) == p;
    return names;
}

static void properties_are_listed_once(void **state)
{
    (void)state;
    char list[512];
    known_properties(list, sizeof list);
    assert_true(strlen(list) < sizeof list - 1);
    unsigned listed = 0;
    for (char *name = strtok(list, ", "); name != NULL; name = strtok(NULL, ", ")) {
        assert_int_not_equal(property_find(name, NULL), PROPERTIES);
        listed++;
    }
    assert_int_equal(listed, count_names());
}

/* --- what is written elsewhere ------------------------------------------------------------------------------------ */

/* The text of a file of this repository, with a newline before it, so that one stands before every line. */
static char *text_of(const char *name)
{
    enum { ROOM = 1 << 20 };
    FILE *file = fopen(name, "r");
    if (file == NULL)
        fail_msg("cannot read %s", name);
    char *text = calloc(1, ROOM);
    text[0] = '\n';
    assert_true(fread(text + 1, 1, ROOM - 2, file) < ROOM - 2);
    fclose(file);
    return text;
}

static unsigned count_in(const char *text, const char *part)
{
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
        count++;
    return count;
}

/* Each has a section with its number and its name, and there are no other such sections. */
static void documentation_defines_the_properties(void **state)
{
    (void)state;
    char *text = text_of("docs/properties.md"), heading[64];
    for (unsigned p = 0; p < PROPERTIES; p++) {
        snprintf(heading, sizeof heading, "\n### (%s) %s\n", property_info[p].number, property_info[p].name);
        if (count_in(text, heading) != 1)
            fail_msg("docs/properties.md does not have the section%s", heading);
    }
    assert_int_equal(count_in(text, "\n### (P"), count_names());
    free(text);
}

/* Each has a paragraph that begins like "(V12) **Shutdown** (`--fault shutdown". */
static void documentation_defines_the_faults(void **state)
{
    (void)state;
    char *text = text_of("docs/properties.md");
    for (unsigned f = 0; f < FAULTS; f++) {
        char begin[32], option[48];
        snprintf(begin, sizeof begin, "\n(%s) **", fault_info[f].number);
        snprintf(option, sizeof option, "** (`--fault %s%s", fault_info[f].name, fault_info[f].counted ? "" : "`");
        const char *at = strstr(text, begin), *named = at != NULL ? strstr(at, option) : NULL;
        if (named == NULL || memchr(at + 1, '\n', (size_t)(named - at)) != NULL)
            fail_msg("docs/properties.md does not define %s as %s", fault_info[f].name, fault_info[f].number);
    }
    free(text);
}

/* What stands in the manual between two lines. */
static char *part_of_manual(const char *begin, const char *end)
{
    char *text = text_of("docs/man/admit.1"), *from = strstr(text, begin);
    assert_non_null(from);
    char *part = strdup(from + strlen(begin) - 1), *to = strstr(part, end);
    assert_non_null(to);
    to[1] = '\0';
    free(text);
    return part;
}

/* Each is an item: .It Cm crash Ns Op : Ns Ar count */
static void manual_lists_the_faults(void **state)
{
    (void)state;
    char *part = part_of_manual("\n.It Fl -fault Ar fault\n", "\n.El\n"), item[64];
    for (unsigned f = 0; f < FAULTS; f++) {
        snprintf(item, sizeof item, "\n.It Cm %s%s\n", fault_info[f].name,
                 fault_info[f].counted ? " Ns Op : Ns Ar count" : "");
        if (count_in(part, item) != 1)
            fail_msg("docs/man/admit.1 does not have the line%s", item);
    }
    assert_int_equal(count_in(part, "\n.It "), FAULTS);
    free(part);
}

/* On lines that begin with .Cm, in the order of the table. */
static void manual_lists_the_properties(void **state)
{
    (void)state;
    char *part = part_of_manual("\n.It Fl -property Ar property\n", "\nThe default"), *rest_of_part, *rest_of_line;
    char listed[1024] = "", known[512];
    for (char *line = strtok_r(part, "\n", &rest_of_part); line != NULL; line = strtok_r(NULL, "\n", &rest_of_part)) {
        if (strncmp(line, ".Cm ", 4) != 0)
            continue;
        for (char *word = strtok_r(line + 4, " ,", &rest_of_line); word != NULL;
             word = strtok_r(NULL, " ,", &rest_of_line)) {
            size_t used = strlen(listed);
            snprintf(listed + used, sizeof listed - used, "%s%s", used > 0 ? ", " : "", word);
        }
    }
    known_properties(known, sizeof known);
    assert_string_equal(listed, known);
    free(part);
}

/* --- what is claimed ---------------------------------------------------------------------------------------------- */

static void catalogue_claims_what_makes_sense(void **state)
{
    (void)state;
    for (unsigned e = 0; e < catalogue_count; e++) {
        const struct about *about = &catalogue[e].algorithm->about;
        struct setting setting = setting_of(about->id, 2, 1);
        for (unsigned c = 0; c < about->claim_count; c++) {
            const struct claim *claim = &about->claims[c];
            const struct property_info *info = &property_info[claim->property];
            for (unsigned f = 0; f < FAULTS; f++)
                setting.struck[f] = claim->faults >> f & 1;
            if ((info->needs_doorway && !about->doorway) || (info->needs_slots && about->slot_at == 0) ||
                (info->needs_atomic && claim->down_to != ATOMIC) || claim->faults >= 1u << FAULTS ||
                property_undefined_under(claim->property, &setting) != 0)
                fail_msg("%s claims %s, which makes no sense for it", about->id, info->name);
            assert_ptr_equal(claim_about(about, claim->property), claim); /* once */
        }
    }
}

/* --- settings ----------------------------------------------------------------------------------------------------- */

/* Each byte of a setting matters, so that each field does. */
static void settings_are_compared_whole(void **state)
{
    (void)state;
    const struct setting setting = setting_of("gate", 2, 1);
    struct setting other = setting;
    assert_true(setting_equal(&setting, &other));
    for (size_t byte = 0; byte < sizeof other; byte++) {
        ((uint8_t *)&other)[byte] ^= 1;
        assert_false(setting_equal(&setting, &other));
        ((uint8_t *)&other)[byte] ^= 1;
    }
    assert_true(setting_equal(&setting, &other));
}

/* By name and by number, and in the words of the command line. */
static void faults_of_a_setting(void **state)
{
    (void)state;
    struct setting setting = setting_of("gate", 2, 1);
    char names[FAULTS][FAULT_NAME_SIZE];
    assert_int_equal(faults_in(&setting), 0);
    setting.crashes = 1;
    setting.failures = 2;
    setting.aborts = true;
    assert_int_equal(faults_in(&setting), CRASH | FAILURE | ABORT);
    assert_int_equal(fault_names(&setting, names), 3);
    assert_string_equal(names[0], "crash:1");
    assert_string_equal(names[1], "failure:2");
    assert_string_equal(names[2], "abort");
    setting = setting_of("gate", 2, 1);
    setting.transient = true;
    assert_int_equal(faults_in(&setting), TRANSIENT);
    assert_int_equal(faults_allowed(&setting), 0); /* none begins */
    setting = setting_of("gate", 2, 1);
    setting.recoveries = RECOVERIES_WITHOUT_END;
    assert_int_equal(fault_names(&setting, names), 1);
    assert_string_equal(names[0], "recovery");
}

/* A fault may begin until as many processes have been struck by it as the setting has. */
static void faults_are_used_up(void **state)
{
    (void)state;
    struct setting setting = setting_of("gate", 3, 1);
    unsigned struck[FAULTS] = {0};
    setting.crashes = 2;
    setting.failures = 1;
    setting.aborts = true;
    faults_count(struck, CRASH | FAILURE);
    assert_int_equal(faults_within(&setting, struck), CRASH | ABORT);
    faults_count(struck, CRASH);
    assert_int_equal(faults_within(&setting, struck), ABORT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(faults_are_whole),
                                       cmocka_unit_test(faults_agree_what_goes_together),
                                       cmocka_unit_test(faults_are_listed),
                                       cmocka_unit_test(properties_are_whole),
                                       cmocka_unit_test(models_of_memory_are_complete),
                                       cmocka_unit_test(properties_are_listed_once),
                                       cmocka_unit_test(documentation_defines_the_properties),
                                       cmocka_unit_test(documentation_defines_the_faults),
                                       cmocka_unit_test(manual_lists_the_faults),
                                       cmocka_unit_test(manual_lists_the_properties),
                                       cmocka_unit_test(catalogue_claims_what_makes_sense),
                                       cmocka_unit_test(settings_are_compared_whole),
                                       cmocka_unit_test(faults_of_a_setting),
                                       cmocka_unit_test(faults_are_used_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
