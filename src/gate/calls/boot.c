/* SPDX-License-Identifier: MIT
 *
 * After a reboot a gate starts empty; k, capacity and mode are kept. That there was one must be proved, not guessed:
 * two ids of the kernel's own differ. Containers are given an id of their own by a file that is mounted upon the
 * kernel's, and to take that for another boot would let one in beside those who are inside.
 *
 * Where nothing is proved, nothing is emptied: whoever died with an earlier boot is found dead by its anchor
 * (anchor.c). Nor is a gate emptied in which anybody lives, or has been since: whoever uses it without knowing the
 * boot takes the id away first.
 */
#include "gate/calls/calls.h"

#include <unistd.h>

#define BYTE_TO_EMPTY (INT64_C(1) << 59) /* far behind the end of the file, and before those of heir.c and anchor.c */

static bool is_of_boot(const admit_gate *gate, const char boot_id[BOOT_ID_SIZE])
{
    return memcmp(gate->header->boot_id, boot_id, BOOT_ID_SIZE) == 0;
}

static bool is_known(const char boot_id[BOOT_ID_SIZE])
{
    static const char unknown[BOOT_ID_SIZE];
    return memcmp(boot_id, unknown, BOOT_ID_SIZE) != 0;
}

static bool is_of_earlier_boot(const admit_gate *gate, const char boot_id[BOOT_ID_SIZE])
{
    return !is_of_boot(gate, boot_id) && is_known(gate->header->boot_id) && is_known(boot_id);
}

static bool anybody_lives(const admit_gate *gate)
{
    for (unsigned who = 0; who < gate->records; who++)
        if (admit_anchor_holds(gate, atomic_load(&whole_life_of(gate, who)->anchor)))
            return true;
    return admit_anchor_holds(gate, atomic_load(&whole_life_of(gate, usher_of(gate))->anchor));
}

static admit_error forget_boot(admit_gate *gate)
{
    struct seat *manager = admit_manage(gate, true);
    if (manager == NULL)
        return admit_last_error();
    memset(gate->header->boot_id, 0, BOOT_ID_SIZE);
    admit_manage_end(manager);
    return ADMIT_OK;
}

/* What the power left on the disk need not make sense, nor what it says of a manager: hence the lock. Whoever uses a
 * gate of an earlier boot without emptying it has taken the id away first. */
static admit_error empty_locked(admit_gate *gate, const char boot_id[BOOT_ID_SIZE])
{
    unsigned k = atomic_load(&gate->header->k);
    if (!is_of_earlier_boot(gate, boot_id)) /* no more */
        return ADMIT_OK;
    if (k < 1 || k > gate->most_k)
        return admit_gate_error(ADMIT_GATE_CORRUPT, "%s has been overwritten: its k is out of range", gate->path);
    admit_life_clear_unless_anchored(gate, manager_of(gate));
    admit_life_clear_unless_anchored(gate, usher_of(gate));
    struct seat *manager = admit_manage(gate, true);
    if (manager == NULL)
        return admit_last_error();
    if (anybody_lives(gate))
        memset(gate->header->boot_id, 0, BOOT_ID_SIZE);
    else if (is_of_earlier_boot(gate, boot_id))
        admit_gate_empty(gate, k);
    admit_manage_end(manager);
    return ADMIT_OK;
}

static admit_error empty(admit_gate *gate, const char boot_id[BOOT_ID_SIZE])
{
    int lock = admit_lock_file(gate, BYTE_TO_EMPTY);
    if (lock < 0)
        return admit_gate_error(
            ADMIT_NO_PERMISSION,
            "%s is of an earlier boot and must be emptied, which takes a lock on it; somebody keeps one, "
            "or locks are refused here",
            gate->path);
    admit_error error = empty_locked(gate, boot_id);
    close(lock);
    return error;
}

static admit_error empty_after_boot(admit_gate *gate)
{
    char boot_id[BOOT_ID_SIZE];
    if (!admit_boot_id(boot_id))
        return admit_gate_system_error("read /proc/sys/kernel/random/boot_id for", gate->path);
    bool is_earlier = is_of_earlier_boot(gate, boot_id);
    if (gate->look_only) {
        gate->is_of_earlier_boot = is_earlier;
        return ADMIT_OK;
    }
    if (is_earlier)
        return empty(gate, boot_id);
    if (is_of_boot(gate, boot_id))
        return ADMIT_OK;
    admit_second_look(gate, true);
    return is_known(boot_id) ? ADMIT_OK : forget_boot(gate);
}

admit_error admit_gate_map(admit_gate *gate, bool of_others)
{
    uint32_t layout;
    admit_error error = admit_gate_map_file(gate, of_others, &layout);
    if (error == ADMIT_OTHER_GATE_LAYOUT && layout != GATE_LAYOUT)
        return admit_gate_renew(gate);
    if (error == ADMIT_OK)
        error = empty_after_boot(gate);
    if (error != ADMIT_OK)
        return error;
    return gate->is_of_earlier_boot ? admit_gate_check_k(gate) : admit_gate_check_words(gate);
}
