/* SPDX-License-Identifier: MIT
 *
 * Whether a gate is there still, and how it is removed.
 *
 * That nobody uses it is decided by the text (algorithms/gate_removal.h). The file goes after that; if the remover was
 * killed before, by the hand of the next process that opens it. A file that is deleted in another way is
 * found out by those who use it (admit_is_there): then it is LOST. Whoever finds another value there than the last
 * time looks for the file: so others can be asked to.
 */
#include "gate/calls/calls.h"
#include "gate/words/meaning.h"
#include "native/printable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { REMOVE_TRIES = 100 };

static void ask_to_look(admit_gate *gate)
{
    atomic_fetch_add(&gate->header->removed, REMOVAL_STATES);
    admit_wake_all(gate);
}

/* --- remove ------------------------------------------------------------------------------------------------------- */

enum { PEOPLE_SHOWN = 420 };

/* "inside 4711 (train), 4712 (train); waiting 4713 (sort)", or as many as have room. The commands are what others
 * wrote, and the text goes to terminals. */
static const char *name_people(const admit_view *view, char text[PEOPLE_SHOWN])
{
    enum { COMMAND_SHOWN = 41, ONE_SHOWN = COMMAND_SHOWN + 70 };
    size_t length = 0;
    unsigned total = view->holders + view->waiters, p = 0;
    for (; p < total && length < PEOPLE_SHOWN - ONE_SHOWN - 20; p++) {
        bool inside = p < view->holders;
        const admit_participant *one = inside ? &view->holder[p] : &view->waiter[p - view->holders];
        const char *before = p == 0 || p == view->holders ? (inside ? "inside " : "waiting ") : "";
        const char *between = p == 0 ? "" : p == view->holders ? "; " : ", ";
        char command[COMMAND_SHOWN];
        admit_printable(one->command, command, sizeof command);
        /* Whose number is another process's here, or nobody's. Of those that live it is not known. */
        const char *where = one->condition == ADMIT_UNKNOWN ? " in another pid namespace" : "";
        length += (size_t)snprintf(text + length, PEOPLE_SHOWN - length, "%s%s%ld (%s)%s", between, before, one->pid,
                                   command, where);
    }
    total += view->outside; /* of these nothing is known */
    if (p < total)
        snprintf(text + length, PEOPLE_SHOWN - length, "%s%u more", p > 0 ? ", and " : "", total - p);
    return text;
}

static bool is_used(const admit_view *view)
{
    return view->holders + view->waiters + view->outside > 0;
}

static admit_error in_use(admit_gate *gate, const admit_view *view)
{
    char text[PEOPLE_SHOWN];
    return admit_gate_error(ADMIT_BUSY, "gate \"%s\" is in use: %s", gate->name, name_people(view, text));
}

/* By the manager: nobody else takes this file's name away, so that what is looked at is what goes. */
static admit_error unlink_managed(admit_gate *gate)
{
    if (!admit_has_another_name(gate) && unlinkat(admit_fd(&gate->directory), file_name_of(gate), 0) != 0)
        return admit_gate_system_error("remove", gate->path);
    return ADMIT_OK;
}

/* Whoever is there; false if it is final already. */
static bool removes_by_force(admit_gate *gate)
{
    uint32_t removed = atomic_load(&gate->header->removed);
    while (!is_final(removed))
        if (atomic_compare_exchange_strong(&gate->header->removed, &removed, with_removal(removed, REMOVAL_DONE)))
            return true;
    return false;
}

static admit_error removed_by_another(const admit_gate *gate)
{
    return admit_gate_error(ADMIT_REMOVED, "gate \"%s\" has been removed by somebody else", gate->name);
}

/* Those in the way are told of beforehand; whoever comes later is somebody else. */
static admit_error remove_unused(admit_gate *gate)
{
    for (unsigned tries = 0; tries < REMOVE_TRIES; tries++) {
        admit_view *view = admit_gate_inspect(gate);
        admit_error error = view == NULL ? admit_last_error() : is_used(view) ? in_use(gate, view) : ADMIT_OK;
        admit_view_free(view);
        if (error != ADMIT_OK)
            return error;
        struct decide frame = {0};
        run_text(decide, gate, manager_of(gate), &frame, &(struct sleeper){.gate = gate});
        if (frame.removed)
            return ADMIT_OK;
        if (is_final(atomic_load(&gate->header->removed)))
            return removed_by_another(gate);
    }
    return admit_gate_error(ADMIT_BUSY, "gate \"%s\" is in use: others come and go all the time", gate->name);
}

/* Before anybody is told that it is gone: whether this process may take the file away. */
static admit_error check_permission(const admit_gate *gate)
{
    struct stat file, directory;
    int fd = admit_fd(&gate->directory);
    if (fd < 0 || fstat(fd, &directory) != 0 || fstatat(fd, file_name_of(gate), &file, AT_SYMLINK_NOFOLLOW) != 0 ||
        faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) != 0)
        return admit_gate_system_error("remove", gate->path);
    uid_t user = geteuid();
    if ((directory.st_mode & S_ISVTX) != 0 && user != 0 && user != file.st_uid && user != directory.st_uid) {
        errno = EPERM;
        return admit_gate_system_error("remove", gate->path);
    }
    return ADMIT_OK;
}

static admit_error remove_managed(admit_gate *gate, bool force)
{
    if (!admit_is_there(gate))
        return removed_by_another(gate);
    admit_error error = check_permission(gate);
    if (error != ADMIT_OK)
        return error;
    admit_second_look(gate, true);
    admit_bury_dead(gate); /* they are in nobody's way */
    if (!force)
        error = remove_unused(gate);
    else if (!removes_by_force(gate))
        error = removed_by_another(gate);
    if (error != ADMIT_OK)
        return error;
    error = unlink_managed(gate);
    if (error != ADMIT_OK) { /* as on a file system that has become read-only */
        uint32_t done = atomic_load(&gate->header->removed);
        atomic_compare_exchange_strong(&gate->header->removed, &done, with_removal(done, REMOVAL_NONE));
    }
    admit_wake_all(gate);
    return error;
}

admit_error admit_gate_remove(const char *name, int force)
{
    UNCANCELLED;
    if (name != NULL && admit_is_elsewhere(name)) {
        const struct elsewhere *elsewhere = admit_elsewhere(name);
        return elsewhere != NULL ? elsewhere->remove(name, force != 0) : admit_last_error();
    }
    admit_gate *gate = admit_gate_open_to_remove(name, force);
    if (gate == NULL)
        return admit_last_error();
    struct seat *manager = admit_manage(gate, true);
    admit_error error = manager == NULL ? admit_last_error() : remove_managed(gate, force);
    if (manager != NULL)
        admit_manage_end(manager);
    admit_gate_close(gate);
    return error;
}

admit_error admit_retire(admit_gate *gate)
{
    if (admit_is_there(gate)) /* somebody has just made it; and if it is gone, everybody learns it now */
        return ADMIT_OK;
    if (removal_in(atomic_load(&gate->header->removed)) == REMOVAL_DONE)
        return ADMIT_OK;
    ask_to_look(gate); /* if it was moved, only those who know it by this name are concerned */
    admit_second_look(gate, true);
    admit_bury_dead(gate);
    admit_view *view = admit_gate_inspect(gate);
    if (view == NULL)
        return admit_last_error();
    char people[PEOPLE_SHOWN];
    admit_error error = ADMIT_OK;
    if (is_used(view))
        error =
            admit_gate_error(ADMIT_BUSY,
                             "gate \"%s\" is in use, but its file was deleted or moved away: %s; another can be made "
                             "when they have gone",
                             gate->name, name_people(view, people));
    admit_view_free(view);
    return error;
}

admit_error admit_finish_removal(admit_gate *gate)
{
    UNCANCELLED;
    struct seat *manager = admit_manage(gate, true);
    if (manager == NULL)
        return admit_last_error();
    admit_error error = unlink_managed(gate);
    admit_manage_end(manager);
    return error;
}
