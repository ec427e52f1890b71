/* SPDX-License-Identifier: MIT
 *
 * gate_shown.h - of the gate's text (gate.c), how its words are shown to people, in counterexamples.
 */

static void show_named(char *text, size_t size, unsigned n, unsigned k, uint64_t w)
{
    (void)k;
    if (who_in(w) < n)
        snprintf(text, size, "%u by %u%s", (unsigned)number_of(w), who_in(w), phase_in(w) ? "'" : "");
    else
        snprintf(text, size, "%u", (unsigned)number_of(w));
}

static void show_entry(char *text, size_t size, unsigned n, unsigned k, uint64_t w)
{
    (void)n, (void)k;
    static const char *const state_name[8] = {"OUT", "IN", "WAITING", "GRANTED", "LEAVING", "ABANDONED"};
    static const char *const posture_name[4] = {
        [UP] = "", [LYING] = " lying", [ASLEEP] = " asleep", [WOKEN] = " woken"};
    snprintf(text, size, "%s %u%s%s", state_name[state_of(w)], (unsigned)ticket_of(w), phase_in(w) ? "'" : "",
             posture_name[posture(w) & 3]);
}

static void show_heir(char *text, size_t size, unsigned n, unsigned k, uint64_t w)
{
    (void)n, (void)k;
    static const char *const kind_name[1 << KIND_BITS] = {"nothing", "ALLOWED", "RUNS", "ENDED"};
    snprintf(text, size, "%s %u", kind_name[kind_of_heir(w)], (unsigned)(w >> HELD_TICKET_AT));
}

static void show_removed(char *text, size_t size, unsigned n, unsigned k, uint64_t w)
{
    (void)n, (void)k;
    static const char *const name[1 << REMOVAL_BITS] = {"there", "REMOVED"};
    if (removal_of(w) == IS_UNDECIDED)
        snprintf(text, size, "UNDECIDED by %u", (unsigned)(w >> REMOVAL_BITS));
    else
        snprintf(text, size, "%s", name[removal_of(w)]);
}
