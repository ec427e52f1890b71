/* SPDX-License-Identifier: MIT */
#include "checker/model/process.h"

#include "base/die.h"
#include "checker/model/client.h"
#include "checker/model/faults.h"
#include "checker/model/watchdog.h"

#include <stdio.h>
#include <stdlib.h>

enum { REGISTERS_MAX = 1 << 20 };

const char *const register_kind_name[REGISTER_KINDS] = {[ATOMIC] = "atomic", [REGULAR] = "regular", [SAFE] = "safe"};

static void list_own_registers(struct instance *instance)
{
    instance->own = must_allocate(instance->reg_count * sizeof *instance->own);
    instance->own_first = must_allocate((instance->setting.n + 1) * sizeof *instance->own_first);
    unsigned count = 0;
    for (unsigned i = 0; i < instance->setting.n; i++) {
        instance->own_first[i] = count;
        for (unsigned r = 0; r < instance->reg_count; r++)
            if (instance->regs[r].writer == (int)i)
                instance->own[count++] = (uint16_t)r;
    }
    instance->own_first[instance->setting.n] = count;
}

static struct reg reg_of(const struct setting *setting, const struct declared *array, unsigned element)
{
    unsigned row = element / array->columns, column = element % array->columns;
    struct reg reg = {.array = array, .element = element, .writer = array->writer == ANYBODY ? -1 : (int)row};
    reg.home = array->home != NULL ? array->home(setting->n, row, column) : reg.writer >= 0 ? (unsigned)reg.writer : 0;
    if (reg.home >= setting->n)
        die("%s: %s[%u] lies in the memory of process %u, of %u", setting->algorithm->about.id, array->name, element,
            reg.home, setting->n);
    return reg;
}

size_t copies_at(const struct instance *instance)
{
    return instance->setting.algorithm->locals_size;
}

static uint8_t *copy(const struct instance *instance, struct process *process, unsigned number)
{
    return process->locals + copies_at(instance) + number * sizeof(uint64_t);
}

/* Numbers the remembered registers of each process. */
static void number_copies(struct instance *instance)
{
    const char *id = instance->setting.algorithm->about.id;
    instance->copy_number = must_allocate(instance->setting.n * sizeof *instance->copy_number);
    for (unsigned i = 0; i < instance->setting.n; i++) {
        instance->copy_number[i] = must_allocate(instance->reg_count * sizeof *instance->copy_number[i]);
        unsigned count = 0;
        for (unsigned r = 0; r < instance->reg_count; r++) {
            bool has_copy = instance->regs[r].array->remembered && instance->regs[r].writer == (int)i;
            instance->copy_number[i][r] = has_copy ? (int16_t)count++ : -1;
        }
        if (count > instance->copies)
            instance->copies = count;
    }
    for (unsigned a = 0; a < instance->declaration.arrays; a++) {
        const struct declared *array = &instance->declaration.array[a];
        if (array->remembered && (array->writer == ANYBODY || array->initial == ANY_VALUE))
            die("%s: %s is remembered, so that it needs one writer each and an initial value", id, array->name);
    }
    if (copies_at(instance) + instance->copies * sizeof(uint64_t) > LOCALS_MAX)
        die("%s with n = %u: a process remembers %u registers, for which there is no room beside its locals", id,
            instance->setting.n, instance->copies);
    if (instance->copies > 0 && instance->setting.transient)
        die("%s: processes remember what their registers hold, and a transient fault may leave something else there",
            id);
}

void instance_open(struct instance *instance, const struct setting *setting)
{
    const struct stepped_algorithm *algorithm = setting->algorithm;
    memset(instance, 0, sizeof *instance);
    if (algorithm->about.max_n > 0 && setting->n > algorithm->about.max_n)
        die("%s is for n up to %u, not for n = %u", algorithm->about.id, algorithm->about.max_n, setting->n);
    unsigned word_bits = algorithm->about.word_bits != NULL ? algorithm->about.word_bits(setting->n, setting->k) : 0;
    if (word_bits > STEPPED_WORD_BITS)
        die("%s with n = %u and k = %u packs %u bits into one word; the checker has room for %d", algorithm->about.id,
            setting->n, setting->k, word_bits, STEPPED_WORD_BITS);
    instance->setting = *setting;
    instance->shared = must_allocate(algorithm->shared_size);
    instance->cells = must_allocate(REGISTERS_MAX * sizeof *instance->cells);
    instance->declaration =
        (struct declaration){.n = setting->n, .k = setting->k, .ways = setting->ways, .cells = instance->cells};
    algorithm->declare(&instance->declaration, instance->shared);
    instance->reg_count = instance->declaration.registers;
    if (instance->reg_count == 0 || instance->reg_count > REGISTERS_MAX || instance->declaration.arrays > ARRAYS_MAX)
        die("%s declares %u registers; 1 to %d are possible", algorithm->about.id, instance->reg_count, REGISTERS_MAX);
    instance->regs = must_allocate(instance->reg_count * sizeof *instance->regs);
    for (unsigned a = 0; a < instance->declaration.arrays; a++) {
        const struct declared *array = &instance->declaration.array[a];
        if (array->domain == TICKET ? array->initial == ANY_VALUE
                                    : array->initial >= array->domain && array->initial != ANY_VALUE)
            die("%s: the initial value of %s is not among its %llu values", algorithm->about.id, array->name,
                (unsigned long long)array->domain);
        if (array->writer != ANYBODY && array->count > setting->n * array->columns)
            die("%s: %s has %u elements, but only %u processes to write them", algorithm->about.id, array->name,
                array->count, setting->n);
        for (unsigned e = 0; e < array->count; e++)
            instance->regs[array->first + e] = reg_of(setting, array, e);
    }
    list_own_registers(instance);
    number_copies(instance);
    instance->process_size =
        offsetof(struct process, locals) + copies_at(instance) + instance->copies * sizeof(uint64_t);
    /* A crashed process keeps its open write where its locals were. */
    if (instance->process_size < offsetof(struct process, locals) + sizeof(uint16_t) + sizeof(uint64_t))
        instance->process_size = offsetof(struct process, locals) + sizeof(uint16_t) + sizeof(uint64_t);
}

void stepped_set_too_small(const char *id, unsigned to, unsigned room)
{
    die("%s: a for_all over %u elements is too much for the checker: it keeps the set of those left in %u bits", id, to,
        room);
}

void stepped_not_own(const char *id, unsigned i, unsigned reg)
{
    die("%s: process %u says own() of register number %u, which is not its own, or not declared .remembered", id, i,
        reg);
}

void instance_close(struct instance *instance)
{
    for (unsigned i = 0; i < instance->setting.n; i++)
        free(instance->copy_number[i]);
    free(instance->copy_number);
    free(instance->shared);
    free(instance->cells);
    free(instance->regs);
    free(instance->own);
    free(instance->own_first);
    memset(instance, 0, sizeof *instance);
}

void register_name(const struct instance *instance, unsigned reg, char *name, size_t size)
{
    const struct reg *r = &instance->regs[reg];
    unsigned row = r->element / r->array->columns, column = r->element % r->array->columns;
    int used = snprintf(name, size, "%s", r->array->name);
    if (used < 0 || (size_t)used >= size)
        return;
    if (r->array->elements != NULL)
        r->array->elements(name + used, size - (size_t)used, instance->setting.n, row, column);
    else if (r->array->columns > 1)
        snprintf(name + used, size - (size_t)used, "[%u][%u]", row, column);
    else if (r->array->count > 1)
        snprintf(name + used, size - (size_t)used, "[%u]", row);
}

uint64_t register_domain(const struct instance *instance, unsigned reg)
{
    return instance->regs[reg].array->domain;
}

uint64_t shared_bits(const struct instance *instance)
{
    uint64_t bits = 0;
    for (unsigned a = 0; a < instance->declaration.arrays; a++) {
        const struct declared *array = &instance->declaration.array[a];
        if (array->domain == TICKET || array->unbounded)
            return UINT64_MAX;
        unsigned width = 0;
        while (width < 64 && array->domain > UINT64_C(1) << width)
            width++;
        bits += (uint64_t)width * array->count;
    }
    return bits;
}

uint64_t shared_bits_each(const struct instance *instance)
{
    for (unsigned a = 0; a < instance->declaration.arrays; a++) {
        const struct declared *array = &instance->declaration.array[a];
        if (array->writer == ANYBODY || array->count != instance->setting.n * array->columns)
            return UINT64_MAX;
    }
    uint64_t bits = shared_bits(instance);
    return bits == UINT64_MAX ? UINT64_MAX : bits / instance->setting.n;
}

static bool is_leaving(enum section section)
{
    return section == CRITICAL || section == EXIT;
}

typedef enum outcome part_text(struct stepping *P, const void *shared, void *locals);

static part_text *text_of(const struct stepped_algorithm *algorithm, const struct process *process)
{
    switch ((enum mode)process->mode) {
    case GIVING_UP:
        return algorithm->more.give_up;
    case JOINING:
        return algorithm->more.newcomer;
    case HAS_COMMAND:
        return algorithm->leave;
    case IS_COMMAND:
        return is_leaving(process->section) ? algorithm->more.command : algorithm->more.inherit;
    case IS_REMOVER:
        return is_leaving(process->section) ? algorithm->more.afterwards : algorithm->more.remover;
    default:
        return is_leaving(process->section) ? algorithm->leave : algorithm->enter;
    }
}

/* Runs the text from where the process stands. */
static enum outcome resume(const struct instance *instance, struct process *process, struct stepping *stepping)
{
    part_text *text = text_of(instance->setting.algorithm, process);
    /* The frames are packed in bytes; the text wants them aligned. */
    _Alignas(16) uint8_t locals[LOCALS_MAX];
    memcpy(locals, process->locals, sizeof locals);
    stepping->copies = locals + copies_at(instance);
    step_begins(instance, stepping->i, process);
    enum outcome outcome = text(stepping, instance->shared, locals);
    step_has_ended();
    memcpy(process->locals, locals, sizeof locals);
    return outcome;
}

struct stepping stepping_of(const struct instance *instance, unsigned i)
{
    i = number_of_process(&instance->setting, i);
    return (struct stepping){.i = i,
                             .n = instance->setting.n,
                             .k = instance->setting.k,
                             .cells = instance->cells,
                             .copy_number = instance->copy_number[i % instance->setting.n],
                             .any_order = instance->setting.any_order,
                             .ways = instance->setting.ways,
                             .spoils = instance->spoils};
}

/* Goes on to the first access of what comes next: LEAVE from the critical section, ENTER from the remainder. */
static void stand_before_first_access(const struct instance *instance, unsigned i, struct process *process)
{
    struct stepping stepping = stepping_of(instance, i);
    position start = 0;
    memcpy(process->locals, &start, sizeof start);
    if (resume(instance, process, &stepping) != PAUSED || stepping.accesses != 0 || stepping.in_waiting_room)
        die("%s: process %u does not stop before its first access on the way %s", instance->setting.algorithm->about.id,
            i, is_leaving(process->section) ? "out" : "in");
    process->label = stepping.label;
    process->may_give_up = stepping.may_give_up;
    process->request = (uint16_t)stepping.request;
}

void process_begin(const struct instance *instance, unsigned i, struct process *process, enum mode mode)
{
    process->mode = (uint8_t)mode;
    process->section = mode == GIVING_UP ? EXIT : mode == DYING ? FAULTY : REMAINDER;
    if (mode == DYING)
        process->label =
            is_command(&instance->setting, i) ? NO_MARKER("kernel: command ended") : NO_MARKER("kernel: wake one");
    else
        stand_before_first_access(instance, i, process);
}

void process_start(const struct instance *instance, unsigned i, struct process *process)
{
    const struct setting *setting = &instance->setting;
    memset(process, 0, sizeof *process);
    process->section = REMAINDER;
    process->mode = is_command(setting, i) ? IS_COMMAND : is_remover(setting, i) ? IS_REMOVER : FOLLOWS_TEXT;
    process->passages = i < setting->n ? setting->passages[i] : UNBOUNDED_PASSAGES;
    for (unsigned r = 0; instance->copies > 0 && r < instance->reg_count; r++)
        if (i < setting->n && instance->copy_number[i][r] >= 0)
            memcpy(copy(instance, process, (unsigned)instance->copy_number[i][r]), &instance->regs[r].array->initial,
                   sizeof(uint64_t));
    stand_before_first_access(instance, i, process);
}

/* A newcomer takes its place, and sees to what the dead one left, though it may have no passage left. */
bool process_can_step(const struct process *process)
{
    bool has_none_left = process->section == REMAINDER && process->passages == 0 && process->mode != JOINING;
    return !process->crashed && !has_none_left;
}

/* Whether a register that takes no value twice gets one that does not come after what it holds. Faults that the text does not
 * foresee may have written anything, and a register that is not atomic reads as it never was. */
static bool goes_back(const struct instance *instance, const struct reg *reg, const struct stepping *stepping)
{
    const struct setting *setting = &instance->setting;
    bool is_what_text_wrote = setting->registers == ATOMIC && setting->shutdowns == 0 && setting->failures == 0 &&
                              !setting->transient && (!setting->aborts || setting->algorithm->more.give_up != NULL);
    return reg->array->grows != NULL && is_what_text_wrote && stepping->written != stepping->value &&
           !reg->array->grows(stepping->value, stepping->written);
}

/* Whether the text keeps the rules: one access, to a declared register, by a process that may, of a value that it can
 * hold. */
static bool keeps_rules(const struct instance *instance, unsigned i, const struct process *from,
                        const struct stepping *stepping)
{
    const char *id = instance->setting.algorithm->about.id;
    const struct reg *reg = stepping->reg < instance->reg_count ? &instance->regs[stepping->reg] : NULL;
    bool writes = stepping->kind != READ;
    bool one_access = stepping->accesses == 1;
    bool foreign = reg != NULL && writes && reg->writer >= 0 && reg->writer != (int)i;
    bool outside = reg != NULL && writes && reg->array->domain != TICKET && stepping->written >= reg->array->domain;
    bool back = reg != NULL && writes && goes_back(instance, reg, stepping);
    if (one_access && reg != NULL && !foreign && !outside && !back)
        return true;
    if (instance->tolerant)
        return false;
    if (!one_access)
        die("%s: process %u makes %u shared accesses at \"%s\"; a marker stands before exactly one", id, i,
            stepping->accesses, from->label);
    if (reg == NULL)
        die("%s: process %u accesses a register that is not declared, at \"%s\"", id, i, from->label);
    if (foreign)
        die("%s: process %u writes %s[%u], which only process %d may write, at \"%s\"", id, i, reg->array->name,
            reg->element, reg->writer, from->label);
    if (back)
        die("%s: process %u writes %llu to %s[%u], which holds %llu and is declared to grow, at \"%s\"", id, i,
            (unsigned long long)stepping->written, reg->array->name, reg->element, (unsigned long long)stepping->value,
            from->label);
    die("%s: process %u writes %llu to %s[%u], which has %llu values, at \"%s\"", id, i,
        (unsigned long long)stepping->written, reg->array->name, reg->element, (unsigned long long)reg->array->domain,
        from->label);
}

/* Where the process is once it has begun the step: the first step of a passage leaves the remainder, or, if the place
 * is drawn by one step, that step. A newcomer that has begun to join may not rest before it is done. */
static enum section section_in_step(const struct instance *instance, const struct process *process)
{
    enum section section = (enum section)process->section;
    if (section == REMAINDER && (process->mode == JOINING || is_past_deadline(instance, process)))
        return FAULTY;
    if (section == REMAINDER && !instance->setting.algorithm->about.draws)
        return instance->setting.algorithm->about.doorway ? DOORWAY : WAITING_ROOM;
    return section == CRITICAL || process->mode == HAS_COMMAND ? EXIT : section;
}

/* Back in the remainder, with nothing but what outlives a passage. */
static void end_passage(const struct instance *instance, struct process *to)
{
    to->mode = is_beside((enum mode)to->mode) ? to->mode : FOLLOWS_TEXT;
    to->section = REMAINDER;
    size_t lasting = instance->setting.algorithm->about.lasting_at;
    memset(to->locals, 0, lasting != 0 ? lasting : copies_at(instance));
    if (to->passages != UNBOUNDED_PASSAGES)
        to->passages--;
}

static void finish(const struct instance *instance, unsigned i, struct process *to)
{
    if (to->mode == DYING && is_command(&instance->setting, i)) {
        process_start(instance, i, to);
        return;
    }
    if (to->mode == DYING) {
        memset(to->locals, 0, sizeof to->locals);
        process_begin(instance, i, to, JOINING);
        return;
    }
    if (to->mode == IS_COMMAND && is_leaving(to->section)) {
        memset(to->locals, 0, sizeof to->locals);
        process_begin(instance, i, to, DYING);
        return;
    }
    if (to->mode == JOINING) {
        to->mode = FOLLOWS_TEXT;
        to->section = REMAINDER;
        memset(to->locals, 0, sizeof to->locals);
    } else if (is_leaving(to->section)) {
        end_passage(instance, to);
    } else {
        to->section = CRITICAL;
    }
    stand_before_first_access(instance, i, to);
}

static unsigned choices_of(const struct instance *instance, unsigned i, const struct process *process,
                           const struct stepping *stepping)
{
    return (stepping->choices > 0 ? stepping->choices : 1) + reset_choices(instance, i, process) +
           happenings_of(instance, process);
}

unsigned text_choices(const struct instance *instance, unsigned i, const struct process *process)
{
    struct stepping stepping = stepping_of(instance, i);
    struct process copy = *process;
    resume(instance, &copy, &stepping);
    return stepping.choices > 0 ? stepping.choices : 1;
}

/* Of the others it wakes one, of its own choice. */
static struct access kernel_access(const struct instance *instance)
{
    return (struct access){.kind = KERNEL, .choices = instance->setting.n > 1 ? instance->setting.n - 1 : 1};
}

bool process_step(const struct instance *instance, unsigned i, const struct process *from, unsigned choice,
                  uint64_t value, struct process *to, struct access *access)
{
    unsigned act;
    enum happening happening;
    if (is_happening(instance, i, from, choice, &happening)) {
        happening_step(instance, i, from, happening, value, to, access);
        return true;
    }
    if (from->mode == DYING) {
        *access = kernel_access(instance);
        *to = *from;
        finish(instance, i, to);
        return true;
    }
    if (is_fault_write(instance, i, from, from->writing ? from->writing - 1u : choice, &act)) {
        fault_step(instance, i, from, choice, act, value, to, access);
        return true;
    }
    struct stepping stepping = stepping_of(instance, i);
    stepping.choice = from->writing ? from->writing - 1u : choice;
    stepping.value = value;
    *to = *from;
    enum outcome outcome = resume(instance, to, &stepping);
    if (!keeps_rules(instance, i, from, &stepping))
        return false;
    if (instance->setting.registers != ATOMIC && stepping.kind == UPDATE)
        die("%s: the update at \"%s\" needs atomic registers", instance->setting.algorithm->about.id, from->label);

    bool writes = stepping.kind == WRITE || stepping.kind == UPDATE ||
                  (stepping.kind == WRITE_IF_DIFFERENT && stepping.written != value);
    *access = (struct access){.kind = stepping.kind,
                              .reg = stepping.reg,
                              .value = value,
                              .result = writes ? stepping.written : value,
                              .only_so_often = stepping.only_so_often,
                              .choices = from->writing ? 1 : choices_of(instance, i, from, &stepping)};
    if (instance->setting.registers != ATOMIC && writes && !from->writing) {
        *to = *from;
        to->writing = (uint8_t)(1 + choice);
        to->section = section_in_step(instance, from);
        access->begins = true;
        access->result = value;
        return true;
    }
    if (outcome == STUCK) {
        *to = *from;
        to->section = section_in_step(instance, from);
        return true;
    }
    to->writing = 0;
    if (writes && stepping.copy_number[stepping.reg] >= 0)
        memcpy(copy(instance, to, (unsigned)stepping.copy_number[stepping.reg]), &stepping.written,
               sizeof stepping.written);
    to->section = section_in_step(instance, from);
    to->label = stepping.label;
    to->may_give_up = stepping.may_give_up;
    to->request = (uint16_t)stepping.request;
    if (stepping.has_command || from->mode == HAS_COMMAND)
        to->mode = stepping.has_command ? HAS_COMMAND : FOLLOWS_TEXT;
    if (stepping.has_command)
        to->section = FAULTY;
    if (stepping.in_waiting_room && !is_past_deadline(instance, from)) {
        enum section doorway = instance->setting.algorithm->about.draws ? REMAINDER : DOORWAY;
        bool had_asked = to->section == FAULTY && instance->setting.algorithm->about.session_at != 0;
        if (to->section != doorway && !had_asked && instance->tolerant)
            return false;
        if (to->section != doorway && !had_asked)
            die("%s: the doorway of process %u ends at \"%s\", but it is not in one",
                instance->setting.algorithm->about.id, i, from->label);
        to->section = WAITING_ROOM;
    }
    if (outcome == TURNED_AWAY) {
        end_passage(instance, to);
        stand_before_first_access(instance, i, to);
    }
    if (outcome == SENT_OUT) {
        to->section = EXIT;
        stand_before_first_access(instance, i, to);
    }
    if (outcome == DONE)
        finish(instance, i, to);
    return true;
}

bool process_peek(const struct instance *instance, unsigned i, const struct process *process, unsigned choice,
                  struct access *access)
{
    unsigned act;
    enum happening happening;
    struct process ignored;
    if (is_happening(instance, i, process, choice, &happening)) {
        happening_step(instance, i, process, happening, 0, &ignored, access);
        return true;
    }
    if (process->mode == DYING) {
        *access = kernel_access(instance);
        return true;
    }
    if (is_fault_write(instance, i, process, process->writing ? process->writing - 1u : choice, &act)) {
        fault_peek(instance, i, process, act, access);
        return true;
    }
    struct stepping stepping = stepping_of(instance, i);
    struct process copy = *process;
    stepping.choice = process->writing ? process->writing - 1u : choice;
    resume(instance, &copy, &stepping);
    if (stepping.accesses != 1 || stepping.reg >= instance->reg_count)
        return keeps_rules(instance, i, process, &stepping);
    *access = (struct access){.kind = stepping.kind,
                              .reg = stepping.reg,
                              .result = stepping.written,
                              .compares = stepping.compares,
                              .compared = stepping.compared,
                              .choices = process->writing ? 1 : choices_of(instance, i, process, &stepping)};
    return true;
}

bool process_open_write(const struct instance *instance, unsigned i, const struct process *process, unsigned *reg,
                        uint64_t *value)
{
    if (!process->writing)
        return false;
    if (process->crashed) {
        uint16_t number;
        memcpy(&number, process->locals, sizeof number);
        memcpy(value, process->locals + sizeof number, sizeof *value);
        *reg = number;
        return true;
    }
    struct access access;
    process_peek(instance, i, process, 0, &access);
    *reg = access.reg;
    *value = access.result;
    return true;
}
