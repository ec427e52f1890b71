/* SPDX-License-Identifier: MIT
 *
 * What makes sense to explore.
 */
#include "checker/model/fault_info.h"
#include "cli/laboratory/laboratory.h"

/* Where several faults are in the way, the first of these is named. */
static const enum fault named_first[] = {TRANSIENT, RECOVERY, ABORT, FAILURE, SHUTDOWN,
                                         LEASE,     REPEAT,   WATCH, FREEZE,  CRASH};
_Static_assert(sizeof named_first / sizeof named_first[0] == FAULTS, "each of them may be in the way");

static void check_property(const char *command, const struct setting *setting, enum property property)
{
    unsigned undefined = property_undefined_under(property, setting);
    for (unsigned f = 0; f < FAULTS; f++)
        if (undefined & named_first[f])
            usage_error(command, "%s is not defined under %s", property_info[property].name,
                        fault_info[FAULT_NUMBER(named_first[f])].name);
}

static void check_faults(const char *command, const struct setting *setting)
{
    for (unsigned f = 0; f < FAULTS; f++)
        if (fault_info[f].counted && setting->struck[f] != RECOVERIES_WITHOUT_END && setting->struck[f] > setting->n)
            usage_error(command, "%u processes cannot %s when there are %u", setting->struck[f],
                        fault_info[f].infinitive, setting->n);
    if (setting->recoveries > 0 && setting->algorithm->more.newcomer == NULL)
        usage_error(command,
                    "recovery is for algorithms that say what a newcomer does in a dead one's place, and %s "
                    "does not",
                    setting->algorithm->about.id);
    for (unsigned f = 0; f < FAULTS; f++)
        if (fault_info[f].at_store && setting->struck[f] > 0 && setting->algorithm->about.session_at == 0)
            usage_error(command, "%s is for algorithms whose processes are clients of a store, and those of %s are not",
                        fault_info[f].name, setting->algorithm->about.id);
    for (unsigned f = 0; f < FAULTS; f++) {
        const struct fault_info *info = &fault_info[FAULT_NUMBER(named_first[f])];
        if (info->why_alone != NULL && faults_in(setting) & named_first[f] &&
            faults_in(setting) & ~(named_first[f] | info->goes_with))
            usage_error(command, "%s", info->why_alone);
    }
    if (setting->transient)
        for (unsigned i = 0; i < setting->n; i++)
            if (setting->passages[i] != UNBOUNDED_PASSAGES)
                usage_error(command, "a start after any number of passages cannot be limited by --passages");
}

/* Faults that write registers need to know whose they are, and what values there are to write. */
static void check_registers_for_faults(const char *command, const struct instance *instance)
{
    const struct setting *setting = &instance->setting;
    unsigned writing = 0, writing_anything = 0;
    for (unsigned f = 0; f < FAULTS; f++) {
        writing |= fault_info[f].writes_own ? 1u << f : 0;
        writing_anything |= fault_info[f].writes_anything ? 1u << f : 0;
    }
    if (setting->algorithm->more.give_up != NULL)
        writing &= ~(unsigned)ABORT; /* the text is followed */
    for (unsigned r = 0; r < instance->reg_count && faults_in(setting) & writing; r++) {
        char name[64];
        register_name(instance, r, name, sizeof name);
        if (instance->regs[r].writer < 0)
            usage_error(command, "this fault sets a process's own registers, and %s of %s belongs to nobody", name,
                        setting->algorithm->about.id);
        if (faults_in(setting) & writing_anything && register_domain(instance, r) == TICKET)
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
        if (property_info[properties[p]].needs_slots && about->slot_at == 0)
            usage_error(command, "%s speaks of slot numbers, and %s gives none", property_info[properties[p]].name,
                        about->id);
    for (unsigned p = 0; p < count; p++)
        check_property(command, setting, properties[p]);
    for (unsigned p = 0; p < count; p++)
        if (property_info[properties[p]].needs_atomic && setting->registers != ATOMIC)
            usage_error(command, "%s is defined for atomic registers: a cache has no old and new value at once",
                        property_info[properties[p]].name);
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
