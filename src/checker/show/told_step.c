/* SPDX-License-Identifier: MIT */
#include "checker/show/told_step.h"

#include "checker/model/faults.h"

static enum step_kind kind_of(const struct trace_step *step, const struct moment *from, const struct access *access)
{
    if (access->kind == KERNEL || step->fault == TIMED_LOOK)
        return STEP_OF_KERNEL;
    if (step->fault)
        return STEP_GOES_WRONG;
    if (access->begins)
        return STEP_BEGINS_WRITE;
    if (access->kind == READ)
        return step->reading != PLAIN ? STEP_READS_AMID_WRITE : STEP_READS;
    if (access->kind == UPDATE)
        return STEP_UPDATES;
    return from->process[step->process].writing ? STEP_ENDS_WRITE : STEP_WRITES;
}

struct told_step tell_step(const struct trace *trace, const struct execution *execution, size_t s)
{
    const struct trace_step *step = &trace->steps[s];
    const struct moment *from = &execution->moments[s], *to = &execution->moments[s + 1];
    const struct access *access = &to->access;
    struct told_step told = {.kind = kind_of(step, from, access),
                             .label = access->beside != NULL ? access->beside : from->process[step->process].label,
                             .reg = access->reg,
                             .before = access->value,
                             .value = access->kind == READ ? access->value : access->result,
                             .changes = access->value != access->result};
    unsigned reg;
    if (step->fault)
        told.label = fault_info[FAULT_NUMBER(step->fault)].step;
    if (told.kind == STEP_BEGINS_WRITE)
        process_open_write(&execution->model.instance, step->process, &to->process[step->process], &reg, &told.value);
    return told;
}

char section_sign_at(const struct execution *execution, size_t moment, unsigned i)
{
    static const char sign[SECTIONS] = {
        [REMAINDER] = '.', [DOORWAY] = 'd', [WAITING_ROOM] = 'w', [CRITICAL] = '#', [EXIT] = 'e', [FAULTY] = 'f'};
    const struct process *process = &execution->moments[moment].process[i];
    return process->crashed ? 'x' : sign[process->section];
}

const char *kind_of_process(const struct setting *setting, unsigned i)
{
    return is_remover(setting, i) ? "remover" : is_command(setting, i) ? "command" : "process";
}
