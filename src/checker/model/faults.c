/* SPDX-License-Identifier: MIT */
#include "checker/model/faults.h"

#include "base/die.h"

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

/* --- clients of a store ------------------------------------------------------------------------------------------- */

/* NULL: the text has none. It is made of bytes, so that it may lie anywhere among the locals. */
static struct session *session_of(const struct instance *instance, struct process *process)
{
    size_t at = instance->setting.algorithm->about.session_at;
    _Static_assert(_Alignof(struct session) == 1, "it lies anywhere");
    return at != 0 ? (struct session *)(process->locals + at) : NULL;
}

static const struct session *session_seen(const struct instance *instance, const struct process *process)
{
    size_t at = instance->setting.algorithm->about.session_at;
    return at != 0 ? (const struct session *)(process->locals + at) : NULL;
}

bool is_halted(const struct instance *instance, const struct process *process)
{
    const struct session *session = session_seen(instance, process);
    return session != NULL && session->motion != RUNS_ON;
}

bool is_past_deadline(const struct instance *instance, const struct process *process)
{
    const struct session *session = session_seen(instance, process);
    return session != NULL && session->lease != IN_TIME;
}

unsigned happenings_possible(const struct instance *instance, const struct process *process,
                             enum happening happenings[HAPPENINGS_MAX])
{
    const struct session *session = session_seen(instance, process);
    unsigned count = 0;
    if (session == NULL || process->crashed)
        return 0;
    if (session->lease == PAST)
        happenings[count++] = LEASE_ENDS;
    if (session->in_flight.request != 0)
        happenings[count++] = ARRIVES;
    return count;
}

/* Whoever was trying or inside is neither from the deadline on; its text goes on where it is. */
static void deadline_passes(struct session *session, struct process *to)
{
    session->lease = PAST;
    if (to->section == DOORWAY || to->section == WAITING_ROOM)
        to->section = FAULTY;
    if (to->section == CRITICAL)
        to->section = EXIT;
}

/* Who was inside is on its way out then. Who was in its remainder may rest there no more, and has not drawn, as far as it knows. */
static void request_is_on_its_way(struct session *session, struct process *to)
{
    if (to->request == 0 || session->in_flight.request != 0)
        return;
    session->in_flight.request = (uint8_t)to->request;
    session->in_flight.own = session->own;
    if (to->section == REMAINDER)
        to->section = FAULTY;
    if (to->section == CRITICAL)
        to->section = EXIT;
}

/* Of the faults that begin with it, a process is struck by each once. */
static unsigned client_faults_possible(const struct process *process, const struct session *session)
{
    bool away = process->section != REMAINDER, in_time = session->lease == IN_TIME;
    unsigned possible = (in_time ? LEASE : 0) | (session->follows && !session->missed ? WATCH : 0);
    possible |= process->request != 0 && session->in_flight.request == 0 ? REPEAT : 0;
    possible |= away && in_time ? FREEZE : 0;
    return session->motion == RUNS_ON ? possible & ~(unsigned)process->struck : 0;
}

/* Where it has begun to ask, it can give up before there is an answer; its text tells how it goes on then. */
static bool waits_for_answer(const struct process *process, const struct session *session)
{
    bool asks = process->request != 0 && process->section != REMAINDER && process->section != CRITICAL;
    return session != NULL && session->motion == RUNS_ON && asks && !session->unanswered;
}

static void client_fault_begins(struct session *session, enum fault fault, struct process *to)
{
    if (fault == ABORT) {
        session->unanswered = true;
        to->section = to->section == EXIT ? EXIT : FAULTY;
        return;
    }
    to->struck |= (uint16_t)fault;
    if (fault == WATCH)
        session->missed = true;
    if (fault == REPEAT || fault == FREEZE || (fault == CRASH && to->section != CRITICAL))
        request_is_on_its_way(session, to);
    if (fault == FREEZE)
        session->motion = HALTED;
    if (fault == LEASE || fault == FREEZE)
        deadline_passes(session, to);
    if (fault != CRASH)
        return;
    session->motion = STOPPED;
    session->lease = PAST;
    to->section = to->section == CRITICAL ? CRITICAL : FAULTY;
    to->label = "crashed";
}

void process_after(const struct instance *instance, enum happening happening, struct process *process)
{
    struct session *session = session_of(instance, process);
    if (happening != LEASE_ENDS)
        return;
    if (session->motion == HALTED)
        session->motion = RUNS_ON;
    if (session->motion != STOPPED)
        return;
    uint16_t struck = process->struck;
    memset(process, 0, sizeof *process);
    process->struck = struck;
    process->crashed = 1;
    process->section = REMAINDER;
    process->label = "crashed";
}

/* --- where they begin --------------------------------------------------------------------------------------------- */

unsigned faults_possible(const struct instance *instance, const struct process *process)
{
    /* Who never leaves the remainder again is no different from one who crashed there, and there is nothing to abort;
     * a crash may come in the middle of a write, or of another fault. */
    bool away = process->section != REMAINDER;
    unsigned possible = away ? CRASH : 0;
    if (process->crashed || is_beside((enum mode)process->mode)) /* to kill a command is to end it */
        return 0;
    /* One can be killed anywhere, unless one is dead and nobody has come in one's place. */
    bool is_gone = process->mode == DYING || (process->mode == JOINING && process->section == REMAINDER);
    possible |= is_gone || process->killed ? 0 : RECOVERY;
    const struct session *session = session_seen(instance, process);
    if (session != NULL)
        possible = (session->motion != STOPPED ? possible : 0) | client_faults_possible(process, session);
    bool may_abort = instance->setting.algorithm->more.give_up != NULL ? process->may_give_up : away;
    if (waits_for_answer(process, session))
        return possible | ABORT;
    if (process->writing || process->mode != FOLLOWS_TEXT || is_halted(instance, process))
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
        to->label = "shut down";
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
        to->label = "return";
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
    to->label = "crashed";
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
    const struct session *session = session_seen(instance, from);
    bool asks = waits_for_answer(from, session);
    if (fault == ABORT && parts->give_up != NULL && !asks) {
        *to = *from;
        process_begin(instance, i, to, GIVING_UP);
        return;
    }
    if (session != NULL) {
        *to = *from;
        client_fault_begins(session_of(instance, to), fault, to);
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
        to->label = "abort";
        set_todo(to, declared_own(instance, i));
        if (todo_of(to) == 0)
            return_to_remainder(instance, i, to);
        break;
    case SHUTDOWN:
        to->mode = SHUTTING_DOWN;
        to->label = "shutdown";
        to->passages = 0;
        set_todo(to, all_own(instance, i));
        break;
    case FAILURE:
        to->mode = MALFUNCTIONING;
        to->label = "malfunction";
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
