/* SPDX-License-Identifier: MIT */
#include "checker/model/faults.h"

#include "base/die.h"
#include "checker/model/client.h"

void faults_count(unsigned struck[FAULTS], unsigned used)
{
    for (; used != 0; used &= used - 1)
        struck[FAULT_NUMBER(used)]++;
}

unsigned faults_within(const struct setting *setting, const unsigned struck[FAULTS])
{
    unsigned faults = 0;
    for (unsigned f = 0; f < FAULTS; f++)
        faults |= struck[f] < setting->struck[f] ? 1u << f : 0;
    return faults & ~(unsigned)TRANSIENT; /* a run begins after it */
}

unsigned faults_allowed(const struct setting *setting)
{
    return faults_within(setting, (unsigned[FAULTS]){0});
}

unsigned faults_possible(const struct instance *instance, const struct process *process)
{
    /* A process that never leaves the remainder again is no different from one that crashed there, and there is nothing
     * to abort; a crash may come in the middle of a write, or of another fault. */
    bool away = process->section != REMAINDER;
    unsigned possible = away ? CRASH : 0;
    if (process->crashed || is_beside((enum mode)process->mode)) /* to kill a command is to end it */
        return 0;
    /* One can be killed anywhere, unless one is dead and nobody has come in one's place. */
    bool is_gone = process->mode == DYING || (process->mode == JOINING && process->section == REMAINDER);
    possible |= is_gone || process->killed ? 0 : RECOVERY;
    if (is_client(instance))
        return client_faults_possible(instance, process, possible);
    bool may_abort = instance->setting.algorithm->more.give_up != NULL ? process->may_give_up : away;
    if (process->writing || process->mode != FOLLOWS_TEXT)
        return possible;
    return possible | SHUTDOWN | (may_abort ? ABORT : 0) | (process->failed ? 0 : FAILURE);
}

unsigned faults_used(const struct process *process)
{
    unsigned used = process->struck | (process->failed ? FAILURE : 0) | (process->killed ? RECOVERY : 0);
    if (process->crashed && !(process->struck & CRASH))
        used |= process->section == REMAINDER ? SHUTDOWN : CRASH;
    return used | (process->mode == SHUTTING_DOWN ? SHUTDOWN : 0);
}

/* --- the registers still to be written, as bits over the process's own ones --------------------------------------- */

static uint64_t todo_of(const struct process *process)
{
    uint64_t todo;
    memcpy(&todo, process->locals, sizeof todo);
    return todo;
}

static void set_todo(struct process *process, uint64_t todo)
{
    memcpy(process->locals, &todo, sizeof todo);
}

static const struct reg *own_register(const struct instance *instance, unsigned i, unsigned own)
{
    return &instance->regs[instance->own[instance->own_first[i] + own]];
}

static uint64_t all_own(const struct instance *instance, unsigned i)
{
    unsigned count = instance->own_first[i + 1] - instance->own_first[i];
    if (count == 0 || count > 64)
        die("%s: process %u has %u registers of its own; faults that write them need 1 to 64",
            instance->setting.algorithm->about.id, i, count);
    return UINT64_MAX >> (64 - count);
}

bool has_registers_to_reset(const struct instance *instance, unsigned i, const uint64_t *values)
{
    for (unsigned own = instance->own_first[i]; own < instance->own_first[i + 1]; own++) {
        uint64_t initial = instance->regs[instance->own[own]].array->initial;
        if (initial != ANY_VALUE && values[instance->own[own]] != initial)
            return true;
    }
    return false;
}

static bool has_declared_initial(const struct reg *reg)
{
    return reg->array->initial != ANY_VALUE;
}

static uint64_t declared_own(const struct instance *instance, unsigned i)
{
    uint64_t declared = all_own(instance, i);
    for (unsigned own = 0; own < instance->own_first[i + 1] - instance->own_first[i]; own++)
        if (!has_declared_initial(own_register(instance, i, own)))
            declared &= ~(UINT64_C(1) << own);
    return declared;
}

/* --- writes ------------------------------------------------------------------------------------------------------- */

struct write {
    unsigned own;
    uint64_t value;
    bool if_different;
    enum mode mode; /* afterwards */
    uint64_t todo;
};

/* The default of a register is its initial value; where none is declared, any value may have been it. */
static unsigned defaults_of(const struct reg *reg)
{
    return has_declared_initial(reg) ? 1 : (unsigned)reg->array->domain;
}

static uint64_t default_value(const struct reg *reg, unsigned which)
{
    return has_declared_initial(reg) ? reg->array->initial : which;
}

static unsigned lowest(uint64_t set)
{
    return (unsigned)__builtin_ctzll(set);
}

/* Number `act` of the writes to registers in `todo` of one of their defaults; returns how many there are in all. */
static unsigned default_writes(const struct instance *instance, unsigned i, uint64_t todo, unsigned act,
                               struct write *write)
{
    unsigned count = 0;
    for (uint64_t left = todo; left != 0; left &= left - 1) {
        const struct reg *reg = own_register(instance, i, lowest(left));
        if (act >= count && act < count + defaults_of(reg)) {
            write->own = lowest(left);
            write->value = default_value(reg, act - count);
            write->todo = todo & ~(UINT64_C(1) << write->own);
        }
        count += defaults_of(reg);
    }
    return count;
}

/* A malfunctioning process writes anything anywhere, or else begins to return, which it does in a fixed order: any
 * other order of the same writes can have been part of the malfunction. */
static unsigned malfunction_writes(const struct instance *instance, unsigned i, unsigned act, struct write *write)
{
    uint64_t all = all_own(instance, i);
    unsigned count = 0;
    write->mode = MALFUNCTIONING;
    write->todo = 0;
    for (uint64_t left = all; left != 0; left &= left - 1) {
        unsigned domain = (unsigned)own_register(instance, i, lowest(left))->array->domain;
        if (act >= count && act < count + domain) {
            write->own = lowest(left);
            write->value = act - count;
        }
        count += domain;
    }
    if (act < count)
        return count + defaults_of(own_register(instance, i, 0));
    count += default_writes(instance, i, all & -all, act - count, write);
    write->mode = RETURNING;
    write->todo = all & (all - 1);
    return count;
}

/* Returns how many writes there are to choose from. */
static unsigned write_of(const struct instance *instance, unsigned i, const struct process *process, unsigned act,
                         struct write *write)
{
    uint64_t todo = todo_of(process);
    *write = (struct write){.mode = (enum mode)process->mode};
    switch ((enum mode)process->mode) {
    case FOLLOWS_TEXT: /* a reset in the remainder */
        write->if_different = true;
        return default_writes(instance, i, declared_own(instance, i), act, write);
    case GIVING_UP:
    case DYING:
    case JOINING:
    case HAS_COMMAND:
    case IS_COMMAND:
    case IS_REMOVER:
        break;
    case ABORTING:
        write->if_different = true;
        return default_writes(instance, i, todo, act, write);
    case SHUTTING_DOWN:
        return default_writes(instance, i, todo, act, write);
    case MALFUNCTIONING:
        return malfunction_writes(instance, i, act, write);
    case RETURNING: {
        unsigned count = default_writes(instance, i, todo & -todo, act, write);
        write->todo = todo & (todo - 1);
        return count;
    }
    }
    return 0;
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

unsigned reset_choices(const struct instance *instance, unsigned i, const struct process *process)
{
    if (!instance->setting.transient || process->section != REMAINDER || process->mode != FOLLOWS_TEXT)
        return 0;
    return (unsigned)__builtin_popcountll(declared_own(instance, i));
}

bool is_fault_write(const struct instance *instance, unsigned i, const struct process *process, unsigned choice,
                    unsigned *act)
{
    *act = choice;
    if (!follows_text((enum mode)process->mode))
        return true;
    if (!instance->setting.transient || process->section != REMAINDER)
        return false;
    unsigned text = text_choices(instance, i, process);
    *act = choice - text;
    return choice >= text;
}

void fault_peek(const struct instance *instance, unsigned i, const struct process *process, unsigned act,
                struct access *access)
{
    struct write write;
    unsigned choices = write_of(instance, i, process, act, &write);
    if (process->mode == FOLLOWS_TEXT)
        choices += text_choices(instance, i, process);
    *access = (struct access){.kind = write.if_different ? WRITE_IF_DIFFERENT : WRITE,
                              .reg = instance->own[instance->own_first[i] + write.own],
                              .result = write.value,
                              .choices = process->writing ? 1 : choices};
}

static void return_to_remainder(const struct instance *instance, unsigned i, struct process *to)
{
    if (to->mode == SHUTTING_DOWN) {
        to->crashed = 1;
        to->section = REMAINDER;
        to->label = NO_MARKER("shut down");
        to->mode = FOLLOWS_TEXT;
        return;
    }
    uint8_t failed = to->failed, passages = to->passages;
    process_start(instance, i, to);
    to->failed = failed;
    to->passages = passages;
}

void fault_step(const struct instance *instance, unsigned i, const struct process *from, unsigned choice, unsigned act,
                uint64_t value, struct process *to, struct access *access)
{
    struct write write;
    write_of(instance, i, from, act, &write);
    fault_peek(instance, i, from, act, access);
    bool writes = !write.if_different || write.value != value;
    access->value = value;
    access->result = writes ? write.value : value;
    *to = *from;
    if (instance->setting.registers != ATOMIC && writes && !from->writing) {
        to->writing = (uint8_t)(1 + choice);
        access->begins = true;
        access->result = value;
        return;
    }
    to->writing = 0;
    if (from->mode == FOLLOWS_TEXT)
        return;
    to->mode = (uint8_t)write.mode;
    set_todo(to, write.todo);
    if (to->mode == RETURNING)
        to->label = NO_MARKER("return");
    if (to->mode != MALFUNCTIONING && write.todo == 0)
        return_to_remainder(instance, i, to);
}

static void crash(const struct instance *instance, unsigned i, const struct process *from, struct process *to)
{
    unsigned reg;
    uint64_t value;
    to->section = from->section;
    to->mode = from->mode;
    to->crashed = 1;
    to->writing = process_open_write(instance, i, from, &reg, &value) ? 1 : 0;
    to->label = NO_MARKER("crashed");
    if (to->writing) {
        uint16_t number = (uint16_t)reg;
        memcpy(to->locals, &number, sizeof number);
        memcpy(to->locals + sizeof number, &value, sizeof value);
    }
}

void fault_begin(const struct instance *instance, unsigned i, const struct process *from, enum fault fault,
                 struct process *to)
{
    const struct more_parts *parts = &instance->setting.algorithm->more;
    if (is_client(instance)) {
        client_fault_begins(instance, i, from, fault, to);
        return;
    }
    if (fault == ABORT && parts->give_up != NULL) {
        *to = *from;
        process_begin(instance, i, to, GIVING_UP);
        return;
    }
    memset(to, 0, sizeof *to);
    to->failed = from->failed;
    if (fault == CRASH) {
        crash(instance, i, from, to);
        return;
    }
    if (fault == RECOVERY) {
        to->passages = from->passages;
        to->killed = instance->setting.recoveries != RECOVERIES_WITHOUT_END;
        if (to->passages != UNBOUNDED_PASSAGES && to->passages > 0 && from->section != REMAINDER)
            to->passages--;
        process_begin(instance, i, to, DYING);
        return;
    }
    to->section = FAULTY;
    to->passages = from->passages;
    /* An aborted or failed passage is used up, like one that was gone through. */
    if (to->passages != UNBOUNDED_PASSAGES && from->section != REMAINDER)
        to->passages--;
    switch (fault) {
    case ABORT:
        to->mode = ABORTING;
        to->label = NO_MARKER("abort");
        set_todo(to, declared_own(instance, i));
        if (todo_of(to) == 0)
            return_to_remainder(instance, i, to);
        break;
    case SHUTDOWN:
        to->mode = SHUTTING_DOWN;
        to->label = NO_MARKER("shutdown");
        to->passages = 0;
        set_todo(to, all_own(instance, i));
        break;
    case FAILURE:
        to->mode = MALFUNCTIONING;
        to->label = NO_MARKER("malfunction");
        to->failed = 1;
        break;
    case CRASH:
    case RECOVERY: /* see above */
    case TRANSIENT:
    case LEASE:
    case REPEAT:
    case WATCH:
    case FREEZE:
    case TIMED_LOOK:
        die("internal error: %s begins nowhere", fault_info[FAULT_NUMBER(fault)].name);
    }
}
