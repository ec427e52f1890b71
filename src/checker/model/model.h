/* SPDX-License-Identifier: MIT
 *
 * model.h - an instance as a graph: packed states and the steps between them.
 *
 * A process is a pure function of its locals and of one register's value (stepped.h), so each of its local steps is run
 * once and remembered: locals are numbered as they are first met, and a step becomes two exclusive-ors on the packed
 * state, one for the process's number and one for the register. The algorithm's text itself is called for each local
 * step, not for each of the many global steps that contain it.
 *
 * A state is a few 64-bit words of bit fields: one per process (the number of its locals) and one per register.
 *
 * Exploring threads only read a model. What they find missing they hand to one thread that adds it while the others
 * rest, in the order of the states, so that all numbers, and with them counts and counterexamples, are the same in
 * every run.
 */
#ifndef ADMIT_CHECKER_MODEL_MODEL_H
#define ADMIT_CHECKER_MODEL_MODEL_H

#include "checker/model/kernel.h"
#include "checker/model/process.h"

enum { WORDS_MAX = 32, TICKET_WIDTH = 16, NOT_KNOWN_YET = UINT32_MAX };

struct field {
    uint8_t word, shift;
    uint64_t mask;
};

/* What happens to a process in a step. */
enum {
    ENTERS_DOORWAY = 1, /* leaves the remainder, whether or not there is a doorway */
    ENTERS_CRITICAL = 2,
    ONLY_SO_OFTEN = 4, /* as a fault: not infinitely often in a run */
    UNKNOWN = 128      /* not run yet */
};

struct transition {
    uint64_t process_xor, register_xor;
    uint8_t events;
};

/* One way on from a local state; several only where a for_all may choose. */
struct move {
    struct field field; /* of the register */
    uint16_t reg;
    uint8_t kind;
    bool compares;  /* it matters only whether the register holds `compared` */
    bool few;       /* the register has few values, and so a table of transitions by value: */
    uint32_t first; /* the first of them; for other registers see automaton.c */
    uint64_t compared;
};

struct local {
    uint32_t first_move;
    uint16_t can_begin, has_used; /* faults, as bits */
    uint8_t moves;                /* 0: it cannot step */
    uint8_t section;
    uint8_t crashed;
    bool must_not_stay;    /* a malfunction ends; so does a reset that has begun */
    int32_t open_register; /* the register that a begun write holds open, or -1 */
    uint64_t open_value;
};

struct far_transition;

/* The step by which a local state was first met, from a smaller number; number 0 is the start. */
struct origin {
    uint32_t from;
    uint8_t choice;
    uint64_t value;
};

struct automaton {
    struct local *locals;
    struct process *processes; /* what each number stands for */
    uint32_t *fault_target;    /* per number and FAULT_NUMBER: where it leads, or NOT_KNOWN_YET */
    struct origin *origins;    /* per number, where the start is arbitrary: how its text can get there */
    uint32_t count, capacity;
    uint32_t *index; /* hash table over processes */
    uint32_t index_size;
    struct move *moves;
    uint32_t move_count, move_capacity;
    struct transition *transitions;
    uint32_t transition_count, transition_capacity;
    struct far_transition *far; /* hash table: steps on registers with many values */
    uint32_t far_count, far_size;
};

struct model {
    struct instance instance;
    unsigned n, regs; /* all processes: see processes_of */
    unsigned words;
    struct field process_field[CHECKED_PROCESSES_MAX];
    struct field *register_field;
    struct automaton automaton[CHECKED_PROCESSES_MAX];
    uint64_t initial[WORDS_MAX];           /* the first of the states to start in */
    const struct normal_form *normal_form; /* or NULL: no state stands for another */
    bool hurries;                          /* idle steps are taken at once (idle.h) */
    unsigned faults;                       /* that may begin, as bits */
    bool has_timed_looks;
    const char *overflow; /* why the model cannot hold all states, once it cannot */
};

/* One step out of a state, as the explorer names it. */
struct step {
    uint16_t fault; /* the one that begins with it, if any (enum fault) */
    uint8_t process;
    uint8_t choice;   /* number of the move */
    bool gap_is_gone; /* the second outcome of an ambiguous step (tickets.h) */
    uint64_t value;   /* what the accessed register holds, or what the read of it returns */
};

/* AMBIGUOUS: applied, and there is a second outcome, by the same step with gap_is_gone. */
enum applied { APPLIED, AMBIGUOUS, MISSING };

/* Where states without end, or many with the same future, are kept few by letting one stand for others. What these ways
 * are is no concern of a model: reduce/normal_form.h chooses one. */
struct normal_form {
    /* Puts the state in place that stands for this one; gap_is_gone chooses the second outcome of an ambiguous step.
     * MISSING if the renamed locals of a process have no number yet. */
    enum applied (*rename)(const struct model *model, uint64_t *state, bool gap_is_gone);
    /* Gives numbers to the renamed locals of such a state, or sets model->overflow. */
    void (*learn)(struct model *model, const uint64_t *state, bool gap_is_gone);
};

/* Without a normal form; open_reduced (reduce/normal_form.h) is what an exploration begins with. */
void model_open(struct model *model, const struct setting *setting);
void model_close(struct model *model);

/* The step on a register with many values, or one whose events are UNKNOWN. */
const struct transition *far_transition(const struct automaton *automaton, uint32_t move, uint64_t value);

/* The successor of a state by a step. MISSING if it needs something that the model does not know yet. */
enum applied model_apply(const struct model *model, const uint64_t *state, struct step step, uint64_t *successor,
                         uint8_t *events);
/* The same, learning what is missing. MISSING only if the model cannot hold it (model->overflow says why). */
enum applied model_learn(struct model *model, const uint64_t *state, struct step step, uint64_t *successor,
                         uint8_t *events);

/* The states to start in: one, unless registers have no declared initial value or the start is arbitrary. In every one
 * of them all processes stand between two operations. */
struct roots {
    const struct model *model;
    uint64_t state[WORDS_MAX];
    uint32_t local[CHECKED_PROCESSES_MAX];
    bool done;
};

double roots_count(const struct model *model);
void roots_first(struct roots *roots, const struct model *model);
void roots_next(struct roots *roots);

static inline uint64_t field_get(const uint64_t *state, struct field field)
{
    return state[field.word] >> field.shift & field.mask;
}

static inline void field_set(uint64_t *state, struct field field, uint64_t value)
{
    state[field.word] = (state[field.word] & ~(field.mask << field.shift)) | value << field.shift;
}

static inline const struct local *local_of(const struct model *model, const uint64_t *state, unsigned i)
{
    return &model->automaton[i].locals[field_get(state, model->process_field[i])];
}

static inline bool same_state(const uint64_t *a, const uint64_t *b, unsigned words)
{
    for (unsigned w = 0; w < words; w++)
        if (a[w] != b[w])
            return false;
    return true;
}

/* What the kernel does about process i. */
void model_kernel(const struct model *model, kernel_deed *deed, unsigned i, unsigned choice, uint64_t *state);

/* Process i is asleep, and may wake by itself. */
bool may_wake_by_itself(const struct model *model, const uint64_t *state, unsigned i);

/* The place of process i, which is dead, is kept back for nobody: sooner or later somebody takes it over. */
bool must_be_taken_over(const struct model *model, const uint64_t *state, unsigned i);

/* The faults that may still begin in a state, each where its process can. */
unsigned faults_left(const struct model *model, const uint64_t *state);

/* A step with its move at hand, on states of so many words: the heart of model_apply, to be inlined where it is hot. */
static inline __attribute__((always_inline)) enum applied apply_move(const struct model *model, unsigned words,
                                                                     const uint64_t *state, struct step step,
                                                                     const struct move *move, uint64_t *successor,
                                                                     uint8_t *events)
{
    unsigned i = step.process;
    uint64_t value = step.value;
    const struct automaton *automaton = &model->automaton[i];
    const struct transition *transition = move->few
                                              ? &automaton->transitions[move->first + value]
                                              : far_transition(automaton, (uint32_t)(move - automaton->moves), value);
    if (transition->events & UNKNOWN)
        return MISSING;
    for (unsigned w = 0; w < words; w++)
        successor[w] = state[w];
    successor[words == 1 ? 0 : model->process_field[i].word] ^= transition->process_xor;
    successor[words == 1 ? 0 : move->field.word] ^= transition->register_xor;
    *events = transition->events;
    if (__builtin_expect(move->kind == KERNEL, 0))
        model_kernel(model, kernel_last_deed(&model->instance.setting, i), i, step.choice, successor);
    return model->normal_form != NULL ? model->normal_form->rename(model, successor, step.gap_is_gone) : APPLIED;
}

/* Calls visit for every step out of a state, in a fixed order. The order of steps is: processes, then for each its
 * moves, then for each the values that a read may return (more than one only if it overlaps a write), then the
 * beginnings of faults, and the end of a sleep by itself, which have no move. */
typedef void step_visitor(void *context, struct step step, const struct move *move);

static inline __attribute__((always_inline)) void for_each_step(const struct model *model, const uint64_t *state,
                                                                step_visitor *visit, void *context)
{
    enum register_kind kind = model->instance.setting.registers;
    unsigned faults = model->faults != 0 ? faults_left(model, state) : 0;
    for (unsigned i = 0; i < model->n; i++) {
        const struct local *local = local_of(model, state, i);
        for (unsigned m = 0; m < local->moves; m++) {
            const struct move *move = &model->automaton[i].moves[local->first_move + m];
            struct step step = {.process = (uint8_t)i, .choice = (uint8_t)m};
            step.value = field_get(state, move->field);
            if (kind != ATOMIC && move->kind == READ) {
                int writer = model->instance.regs[move->reg].writer;
                const struct local *other =
                    writer >= 0 && writer != (int)i ? local_of(model, state, (unsigned)writer) : NULL;
                if (other != NULL && other->open_register == move->reg) {
                    uint64_t old = step.value;
                    if (kind == REGULAR) {
                        visit(context, step, move);
                        step.value = other->open_value;
                        if (step.value != old)
                            visit(context, step, move);
                    } else {
                        uint64_t domain = register_domain(&model->instance, move->reg);
                        for (step.value = 0; step.value < domain; step.value++)
                            visit(context, step, move);
                    }
                    continue;
                }
            }
            visit(context, step, move);
        }
        for (unsigned begin = faults & local->can_begin; begin != 0; begin &= begin - 1)
            visit(context, (struct step){.process = (uint8_t)i, .fault = (uint16_t)(begin & -begin)}, NULL);
        if (model->has_timed_looks && !local->crashed && may_wake_by_itself(model, state, i))
            visit(context, (struct step){.process = (uint8_t)i, .fault = TIMED_LOOK}, NULL);
    }
}

#endif
