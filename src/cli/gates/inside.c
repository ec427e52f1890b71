/* SPDX-License-Identifier: MIT
 *
 * ADMIT_INSIDE is a list of DEVICE:INODE:TICKET, in hexadecimal, one for each gate that the command is inside of.
 */
#include "cli/gates/inside.h"

#include "cli/gates/process.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void note_inside(const admit_gate *gate, const admit_hold *hold)
{
    const char *outer = getenv("ADMIT_INSIDE");
    uint64_t device, inode;
    char mine[64];
    admit_gate_identity(gate, &device, &inode);
    snprintf(mine, sizeof mine, "%" PRIx64 ":%" PRIx64 ":%" PRIx64, device, inode, hold->ticket);
    if (outer == NULL || outer[0] == '\0') {
        setenv("ADMIT_INSIDE", mine, 1);
        return;
    }
    size_t size = strlen(outer) + strlen(mine) + 2;
    char *list = malloc(size);
    if (list == NULL)
        return;
    snprintf(list, size, "%s %s", outer, mine);
    setenv("ADMIT_INSIDE", list, 1);
    free(list);
}

static bool is_held(admit_gate *gate, uint64_t ticket)
{
    admit_view *view = admit_gate_inspect(gate);
    bool held = false;
    for (unsigned h = 0; view != NULL && h < view->holders; h++)
        held |= view->holder[h].ticket == ticket;
    admit_view_free(view);
    return held;
}

bool inside_by_environment(admit_gate *gate)
{
    const char *list = getenv("ADMIT_INSIDE");
    if (list == NULL)
        return false;
    uint64_t device, inode, its_device, its_inode, ticket;
    admit_gate_identity(gate, &device, &inode);
    for (; *list != '\0'; list += strcspn(list, " "), list += strspn(list, " "))
        if (sscanf(list, "%" SCNx64 ":%" SCNx64 ":%" SCNx64, &its_device, &its_inode, &ticket) == 3 &&
            its_device == device && its_inode == inode && is_held(gate, ticket))
            return true;
    return false;
}

bool inside_by_ancestry(admit_gate *gate)
{
    admit_view *view = admit_gate_inspect(gate);
    bool inside = false;
    for (long pid = getpid(); view != NULL && pid > 1 && !inside; pid = process_parent(pid))
        for (unsigned h = 0; h < view->holders; h++)
            inside |= view->holder[h].pid == pid;
    admit_view_free(view);
    return inside;
}
