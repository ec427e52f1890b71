/* SPDX-License-Identifier: MIT
 *
 * What makes sense to explore, and how much memory it may take.
 */
#include "cli/cli.h"

void check_setting(const char *command, const struct setting *setting, const enum property *properties, unsigned count)
{
    const struct about *about = &setting->algorithm->about;
    for (unsigned p = 0; p < count; p++)
        if (property_info[properties[p]].needs_doorway && !about->doorway)
            usage_error(command, "%s speaks of the doorway, and %s has none", property_info[properties[p]].name,
                        about->id);
    if (setting->crashes > setting->n)
        usage_error(command, "%u processes cannot crash when there are %u", setting->crashes, setting->n);
    struct instance instance;
    instance_open(&instance, setting);
    for (unsigned r = 0; r < instance.reg_count && setting->registers != ATOMIC; r++) {
        char name[64];
        register_name(&instance, r, name, sizeof name);
        if (instance.regs[r].writer < 0)
            usage_error(command, "%s registers are defined for one writer each, and %s of %s has several",
                        register_kind_name[setting->registers], name, about->id);
        if (setting->registers == SAFE && register_domain(&instance, r) == TICKET)
            usage_error(command,
                        "%s of %s is unbounded: a safe read of it could return infinitely many values; "
                        "try --registers regular",
                        name, about->id);
    }
    instance_close(&instance);
}
