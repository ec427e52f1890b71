/* SPDX-License-Identifier: MIT
 *
 * What makes sense to explore, and how much memory it may take.
 */
#include "checker/model/faults.h"
#include "cli/laboratory/laboratory.h"

/* The word for the fault, if any, under which a property makes no sense. */
static const char *senseless_fault(const struct setting *setting, enum property property)
{
    if (setting->transient && property != EXCLUSION && property != DEADLOCK_FREEDOM && property != LOCKOUT_FREEDOM &&
        property != FCFS && property != PROPERTIES)
        return "transient";
    if (!property_info[property].needs_enabled && !is_local_spin(property))
        return NULL;
    /* Who gives up by its text is asked for nothing, and deaths are in the graph; but nobody has said whose the
     * references are that the kernel makes. */
    if (setting->algorithm->more.give_up != NULL && !is_local_spin(property))
        return NULL;
    if (setting->recoveries > 0)
        return "recovery";
    return setting->aborts ? "abort" : setting->failures > 0 ? "failure" : setting->shutdowns > 0 ? "shutdown" : NULL;
}

static void check_faults(const char *command, const struct setting *setting)
{
    const struct {
        const char *name;
        unsigned count;
    } counted[] = {{"crash", setting->crashes},
                   {"shut down", setting->shutdowns},
                   {"fail", setting->failures},
                   {"be killed", setting->recoveries == RECOVERIES_WITHOUT_END ? 0 : setting->recoveries}};
    for (unsigned f = 0; f < sizeof counted / sizeof counted[0]; f++)
        if (counted[f].count > setting->n)
            usage_error(command, "%u processes cannot %s when there are %u", counted[f].count, counted[f].name,
                        setting->n);
    if (setting->recoveries > 0 && setting->algorithm->more.newcomer == NULL)
        usage_error(command,
                    "recovery is for algorithms that say what a newcomer does in a dead one's place, and %s "
                    "does not",
                    setting->algorithm->about.id);
    if (setting->recoveries > 0 && (setting->crashes > 0 || setting->shutdowns > 0 || setting->failures > 0))
        usage_error(command, "recovery can be combined with abort alone: it kills processes at any step itself");
    if (setting->transient && faults_allowed(setting) != 0)
        usage_error(command, "transient is about what comes after all faults: it cannot be combined with another");
    if (setting->transient)
        for (unsigned i = 0; i < setting->n; i++)
            if (setting->passages[i] != UNBOUNDED_PASSAGES)
                usage_error(command, "a start after any number of passages cannot be limited by --passages");
}

/* Faults that write registers need to know whose they are, and what values there are to write. */
static void check_registers_for_faults(const char *command, const struct instance *instance)
{
    const struct setting *setting = &instance->setting;
    bool gives_up = setting->aborts && setting->algorithm->more.give_up == NULL;
    bool writes = setting->shutdowns > 0 || gives_up || setting->failures > 0 || setting->transient;
    for (unsigned r = 0; r < instance->reg_count && writes; r++) {
        char name[64];
        register_name(instance, r, name, sizeof name);
        if (instance->regs[r].writer < 0)
            usage_error(command, "this fault sets a process's own registers, and %s of %s belongs to nobody", name,
                        setting->algorithm->about.id);
        if ((setting->failures > 0 || setting->transient) && register_domain(instance, r) == TICKET)
            usage_error(command, "%s of %s is unbounded: with this fault it could hold infinitely many values", name,
                        setting->algorithm->about.id);
    }
}

void check_setting(const char *command, const struct setting *setting, const enum property *properties, unsigned count)
{
    const struct about *about = &setting->algorithm->about;
    for (unsigned p = 0; p < count; p++)
        if (property_info[properties[p]].needs_doorway && !about->doorway)
            usage_error(command, "%s speaks of the doorway, and %s has none", property_info[properties[p]].name,
                        about->id);
    for (unsigned p = 0; p < count; p++)
        if (properties[p] == DISTINCT_SLOTS && about->slot_at == 0)
            usage_error(command, "%s speaks of slot numbers, and %s gives none", property_info[properties[p]].name,
                        about->id);
    for (unsigned p = 0; p < count; p++) {
        const char *fault = senseless_fault(setting, properties[p]);
        if (fault != NULL)
            usage_error(command, "%s is not defined under %s", property_info[properties[p]].name, fault);
    }
    for (unsigned p = 0; p < count; p++)
        if (is_local_spin(properties[p]) && setting->registers != ATOMIC)
            usage_error(command,
                        "local-spin is defined for atomic registers: a cache has no old and new value at once");
    check_faults(command, setting);
    struct instance instance;
    instance_open(&instance, setting);
    check_registers_for_faults(command, &instance);
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
