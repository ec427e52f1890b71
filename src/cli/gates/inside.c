/* SPDX-License-Identifier: MIT
 *
 * ADMIT_INSIDE is a list of DEVICE:INODE:TICKET, in hexadecimal, one for each gate that the command is inside of; with a +
 * where all that the command leaves running is waited for.
 */
#include "cli/gates/inside.h"

#include "cli/gates/process.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_held(admit_gate *gate, uint64_t ticket)
{
    admit_view *view = admit_gate_inspect(gate);
    bool held = false;
    for (unsigned h = 0; view != NULL && h < view->holders; h++)
        held |= view->holder[h].ticket == ticket;
    admit_view_free(view);
    return held;
}

/* One entry of the list; false at its end. */
struct entry {
    const char *text;
    size_t length;
    uint64_t device, inode, ticket;
};

static bool next_entry(const char **list, struct entry *entry)
{
    do {
        *list += strspn(*list, " ");
        entry->text = *list;
        entry->length = strcspn(*list, " ");
        *list += entry->length;
        if (entry->length == 0)
            return false;
    } while (sscanf(entry->text, "%" SCNx64 ":%" SCNx64 ":%" SCNx64, &entry->device, &entry->inode, &entry->ticket) !=
             3);
    return true;
}

/* A shell that goes in and out again and again passes its list on: what it has left of this gate is dropped. */
void note_inside(admit_gate *gate, const admit_hold *hold, bool children)
{
    const char *outer = getenv("ADMIT_INSIDE");
    uint64_t device, inode;
    struct entry entry;
    char mine[64], *list = NULL;
    size_t size;
    admit_gate_identity(gate, &device, &inode);
    snprintf(mine, sizeof mine, "%" PRIx64 ":%" PRIx64 ":%" PRIx64 "%s", device, inode, hold->ticket,
             children ? "+" : "");
    FILE *out = outer == NULL || outer[0] == '\0' ? NULL : open_memstream(&list, &size);
    while (out != NULL && next_entry(&outer, &entry))
        if (entry.device != device || entry.inode != inode || is_held(gate, entry.ticket))
            fprintf(out, "%.*s ", (int)entry.length, entry.text);
    if (out != NULL) {
        fputs(mine, out);
        fclose(out);
    }
    setenv("ADMIT_INSIDE", list != NULL ? list : mine, 1);
    free(list);
}

static bool waits_for_children(const struct entry *entry)
{
    return entry->text[entry->length - 1] == '+';
}

void note_detached(void)
{
    const char *outer = getenv("ADMIT_INSIDE");
    struct entry entry;
    char *list = NULL;
    size_t size;
    FILE *out = outer != NULL ? open_memstream(&list, &size) : NULL;
    while (out != NULL && next_entry(&outer, &entry))
        if (waits_for_children(&entry))
            fprintf(out, "%.*s ", (int)entry.length, entry.text);
    if (out != NULL)
        fclose(out);
    if (list != NULL)
        setenv("ADMIT_INSIDE", list, 1);
    free(list);
}

/* The last of those that are held still: with which ticket, if that is wanted. */
static bool is_listed(admit_gate *gate, bool with_children, uint64_t *ticket)
{
    const char *list = getenv("ADMIT_INSIDE");
    uint64_t device, inode;
    struct entry entry;
    bool inside = false;
    if (list == NULL)
        return false;
    admit_gate_identity(gate, &device, &inode);
    while (next_entry(&list, &entry))
        if (entry.device == device && entry.inode == inode && (!with_children || waits_for_children(&entry)) &&
            is_held(gate, entry.ticket)) {
            inside = true;
            if (ticket != NULL)
                *ticket = entry.ticket;
        }
    return inside;
}

bool inside_by_environment(admit_gate *gate, uint64_t *ticket)
{
    return is_listed(gate, false, ticket);
}

bool inside_with_children(admit_gate *gate)
{
    return is_listed(gate, true, NULL);
}

bool inside_pool(const admit_gate *gate)
{
    const char *pool = getenv("ADMIT_POOL");
    uint64_t device, inode, of_device, of_inode;
    admit_gate_identity(gate, &device, &inode);
    return pool != NULL && sscanf(pool, "%" SCNx64 ":%" SCNx64 ":", &of_device, &of_inode) == 2 &&
           of_device == device && of_inode == inode;
}

bool inside_by_ancestry(admit_gate *gate)
{
    admit_view *view = admit_gate_inspect(gate);
    bool inside = false;
    for (long pid = getpid(); view != NULL && pid > 1 && !inside; pid = process_starter(pid))
        for (unsigned h = 0; h < view->holders; h++)
            inside |= view->holder[h].pid == pid;
    admit_view_free(view);
    return inside;
}
