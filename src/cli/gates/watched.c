/* SPDX-License-Identifier: MIT */
#include "cli/gates/watched.h"

#include "base/die.h"
#include "cli/gates/columns.h"
#include "cli/gates/elsewhere.h"
#include "cli/gates/gates.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* --- a picture, whatever becomes of the file ------------------------------------------------------------------------- */

static sigjmp_buf cut_short;
static volatile sig_atomic_t is_in_file;

/* Somebody has shortened the file, and its mapping ends before what was to be read. */
static void leave_file(int signal_number)
{
    if (is_in_file)
        siglongjmp(cut_short, 1);
    signal(signal_number, SIG_DFL);
}

static void open_by_name(struct watched *watched)
{
    watched->gate = admit_gate_open_with(watched->name, &(admit_gate_options){.look_only = 1});
}

static void inspect(struct watched *watched)
{
    watched->taken = admit_gate_inspect(watched->gate);
}

/* What was begun, and was cut short, is lost: some memory, and a descriptor. */
static void guarded(struct watched *watched, void (*deed)(struct watched *watched))
{
    watched->is_cut_short = true;
    if (sigsetjmp(cut_short, 1) == 0) {
        is_in_file = 1;
        deed(watched);
        watched->is_cut_short = false;
    }
    is_in_file = 0;
}

static bool is_empty(const admit_view *view)
{
    return view->holders == 0 && view->waiters == 0 && view->outside == 0;
}

/* A gate of an earlier boot is empty for the handle by which it was opened, and one on etcd that has been removed is so, too:
 * if nobody is there it is opened once more, a file when it has changed. */
static bool is_still_that(const struct watched *watched)
{
    const bool was_empty = watched->view == NULL || is_empty(watched->view);
    if (is_elsewhere(watched->name))
        return !was_empty;
    uint64_t device, inode;
    struct stat now;
    admit_gate_identity(watched->gate, &device, &inode);
    return stat(admit_gate_path(watched->gate), &now) == 0 && now.st_dev == device && now.st_ino == inode &&
           now.st_size == watched->size &&
           (!was_empty ||
            (now.st_mtim.tv_sec == watched->modified.tv_sec && now.st_mtim.tv_nsec == watched->modified.tv_nsec));
}

static bool open_gate(struct watched *watched)
{
    struct stat file = {0};
    admit_gate_close(watched->gate);
    watched->gate = NULL;
    guarded(watched, open_by_name);
    if (watched->gate != NULL && !is_elsewhere(watched->name))
        stat(admit_gate_path(watched->gate), &file);
    watched->size = file.st_size;
    watched->modified = file.st_mtim;
    return watched->gate != NULL;
}

static bool is_another(const admit_gate *gate, const uint64_t identity[2])
{
    uint64_t device, inode;
    admit_gate_identity(gate, &device, &inode);
    return device != identity[0] || inode != identity[1];
}

/* NULL: it cannot be had; unless it was cut short, the last error says why. is_replaced: it is of another gate than that before. */
static admit_view *take_picture(struct watched *watched, bool *is_replaced)
{
    uint64_t identity[2];
    const bool was_open = watched->gate != NULL;
    *is_replaced = false;
    if (was_open)
        admit_gate_identity(watched->gate, &identity[0], &identity[1]);
    if ((!was_open || !is_still_that(watched)) && !open_gate(watched))
        return NULL;
    *is_replaced = was_open && !is_elsewhere(watched->name) && is_another(watched->gate, identity);
    watched->taken = NULL;
    guarded(watched, inspect);
    if (watched->taken == NULL) {
        admit_gate_close(watched->gate);
        watched->gate = NULL;
    }
    return watched->taken;
}

/* --- one gate ----------------------------------------------------------------------------------------------------------- */

struct noting {
    const struct watch *watch;
    const struct watched *watched;
    int64_t at;
};

static void note_on(void *context, const struct change *change)
{
    const struct noting *noting = context;
    noting->watch->note(noting->watch->context, noting->watched, change, noting->at);
}

static void note_kind(struct noting *noting, enum change_kind kind)
{
    note_on(noting, &(struct change){.kind = kind, .text = noting->watched->error});
}

static bool lose_view(struct watched *watched, struct noting *noting)
{
    const bool was_known = watched->is_known, was_removed = watched->is_removed, had_view = watched->view != NULL;
    char before[sizeof watched->error];
    strcpy(before, watched->error);
    watched->is_removed = !watched->is_cut_short && is_gone(admit_last_error());
    snprintf(watched->error, sizeof watched->error, "%s",
             watched->is_cut_short ? "its file is being shortened" : admit_last_error_text());
    admit_view_free(watched->view);
    watched->view = NULL;
    comparison_close(&watched->comparison);
    const bool is_other = had_view || was_removed != watched->is_removed || strcmp(before, watched->error) != 0;
    if (is_other && (was_known || noting->watch->is_looking) && (was_known || !watched->is_removed))
        note_kind(noting, watched->is_removed ? CHANGE_REMOVED : CHANGE_UNUSABLE);
    return is_other;
}

/* Of one that was not there, or was another, or could not be looked at. */
static void begin_view(struct watched *watched, const admit_view *now, bool is_replaced, struct noting *noting)
{
    const bool is_made = watched->is_known ? watched->is_removed : noting->watch->is_looking;
    if (is_replaced)
        note_kind(noting, CHANGE_REPLACED);
    else if (is_made)
        note_kind(noting, CHANGE_MADE);
    else if (watched->is_known)
        note_kind(noting, CHANGE_USABLE);
    if (is_replaced || is_made)
        comparison_begin_empty(&watched->comparison, now, noting->at, note_on, noting);
    else
        comparison_begin(&watched->comparison, now);
}

static bool compare(struct watched *watched, admit_view *now, bool is_replaced, struct noting *noting)
{
    const bool is_new = is_replaced || watched->view == NULL;
    bool is_other = true;
    if (is_new)
        begin_view(watched, now, is_replaced && watched->view != NULL, noting);
    else
        is_other = changes_find(&watched->comparison, watched->view, now, noting->at, note_on, noting);
    admit_view_free(watched->view);
    watched->view = now;
    watched->is_removed = false;
    watched->error[0] = '\0';
    return is_other;
}

static void look_at(struct watch *watch, struct watched *watched)
{
    struct timespec now;
    bool is_replaced;
    admit_view *view = take_picture(watched, &is_replaced);
    clock_gettime(CLOCK_REALTIME, &now);
    struct noting noting = {watch, watched, now.tv_sec * INT64_C(1000000000) + now.tv_nsec};
    const bool is_other = view != NULL ? compare(watched, view, is_replaced, &noting) : lose_view(watched, &noting);
    const bool is_told = watched->is_known || !(watched->is_listed && watched->is_removed);
    watched->is_known = true;
    if (is_told)
        watch->looked(watch->context, watched, is_other, noting.at);
}

/* --- all of them ---------------------------------------------------------------------------------------------------------- */

static void forget(struct watched *watched)
{
    admit_gate_close(watched->gate);
    admit_view_free(watched->view);
    comparison_close(&watched->comparison);
    free(watched->name);
    free(watched);
}

static void add_gate(struct watch *watch, unsigned at, const char *name)
{
    struct watched *watched = must_allocate(sizeof *watched);
    *watched = (struct watched){.name = strdup(name), .is_listed = watch->has_all};
    if (watched->name == NULL)
        die("out of memory");
    watch->gate = must_reallocate(watch->gate, (watch->count + 1) * sizeof *watch->gate);
    memmove(watch->gate + at + 1, watch->gate + at, (watch->count - at) * sizeof *watch->gate);
    watch->gate[at] = watched;
    watch->count++;
}

static int find_or_add(void *data, const char *name, const char *path)
{
    struct watch *watch = data;
    unsigned from = 0, to = watch->count;
    (void)path;
    while (from < to) {
        const unsigned middle = (from + to) / 2;
        if (strcmp(watch->gate[middle]->name, name) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == watch->count || strcmp(watch->gate[from]->name, name) != 0)
        add_gate(watch, from, name);
    return 0;
}

/* Each is two descriptors. */
static void allow_many_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

void watch_open(struct watch *watch, char *const *names, unsigned count)
{
    sigset_t none;
    sigemptyset(&none);
    sigaction(SIGBUS, &(struct sigaction){.sa_handler = leave_file, .sa_mask = none}, NULL);
    watch->has_all = count == 0;
    for (unsigned n = 0; n < count; n++)
        add_gate(watch, n, names[n]);
    allow_many_descriptors();
}

/* Once a second; what cannot be listed now may be later. */
static void list_again(struct watch *watch)
{
    const time_t now = time(NULL);
    if (watch->has_all && now != watch->listed)
        admit_gate_list(find_or_add, watch);
    watch->listed = now;
}

static void drop_removed(struct watch *watch)
{
    unsigned kept = 0;
    for (unsigned g = 0; g < watch->count; g++)
        if (watch->gate[g]->is_listed && watch->gate[g]->is_removed)
            forget(watch->gate[g]);
        else
            watch->gate[kept++] = watch->gate[g];
    watch->count = kept;
}

static int64_t monotonic_ns(void)
{
    const struct timespec now = in_future(0);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

void watch_look(struct watch *watch)
{
    const int64_t began = monotonic_ns();
    list_again(watch);
    for (unsigned g = 0; g < watch->count; g++)
        look_at(watch, watch->gate[g]);
    drop_removed(watch);
    watch->is_looking = true;
    watch->took = monotonic_ns() - began;
}

void watch_close(struct watch *watch)
{
    for (unsigned g = 0; g < watch->count; g++)
        forget(watch->gate[g]);
    free(watch->gate);
}

int watch_pause(const struct watch *watch)
{
    enum { LEAST_MS = 200, LEAST_ELSEWHERE_MS = 1000, MOST_MS = 5000, SHARE = 100 };
    int least = LEAST_MS;
    for (unsigned g = 0; g < watch->count && !watch->has_all; g++)
        if (is_elsewhere(watch->gate[g]->name))
            least = LEAST_ELSEWHERE_MS;
    const int64_t most = watch->took / 1000000 * SHARE;
    return most > MOST_MS ? MOST_MS : most < least ? least : (int)most;
}

bool watch_is_over(const struct watch *watch)
{
    for (unsigned g = 0; g < watch->count; g++)
        if (!watch->gate[g]->is_removed)
            return false;
    return !watch->has_all;
}

unsigned watch_gate_columns(const struct watch *watch)
{
    enum { LEAST = 6, MOST = 16 };
    unsigned most = LEAST;
    for (unsigned g = 0; g < watch->count; g++) {
        const unsigned columns = columns_of_text(watch->gate[g]->name);
        most = columns > most ? columns : most;
    }
    return watch->count == 1 && !watch->has_all ? 0 : most < MOST ? most : MOST;
}
