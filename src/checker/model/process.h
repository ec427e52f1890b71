/* SPDX-License-Identifier: MIT
 *
 * process.h - an algorithm set up for n processes, and one process of it, standing before its next shared access.
 *
 * This is the only place that calls an algorithm's text. A step is: the access that the process stands before, all
 * local work after it, up to the next access. Sections change inside such a step. On registers that are not atomic a
 * write is two steps, begin and end; the local work belongs to the end.
 */
#ifndef ADMIT_CHECKER_MODEL_PROCESS_H
#define ADMIT_CHECKER_MODEL_PROCESS_H

#include "registers/stepped.h"

enum { UNBOUNDED_PASSAGES = 255, RECOVERIES_WITHOUT_END = 255 };

extern const char *const register_kind_name[REGISTER_KINDS];

/* What is explored. No bytes lie between the fields, so that setting_equal compares all of them, whatever is added. (If a
 * new one leaves a gap, the compiler says so: make one of those at the end wider.) */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"
struct setting {
    const struct stepped_algorithm *algorithm;
    unsigned n, k;
    enum register_kind registers;
    unsigned ticket_gap; /* CLOSE in tickets.h; 0 leaves the choice to the explorer */
    /* What may go wrong: 0, this fault does not happen. By name; or as struck[FAULT_NUMBER(fault)], so that the names are
     * in the order of enum fault. */
    union {
        struct {
            unsigned crashes, shutdowns; /* at most so many processes crash, shut down */
            unsigned aborts;             /* not 0: every process may abort, any number of times */
            unsigned failures;           /* at most so many processes fail */
            unsigned transient;          /* not 0: the start is any local states and any values */
            /* Processes are killed at any time, and newcomers take their places: RECOVERIES_WITHOUT_END, any, any number
             * of times; otherwise at most so many, once each. */
            unsigned recoveries;
            /* At most so many lose their lease, repeat a request, lose their watch, freeze; once each. */
            unsigned leases, repeats, watches, freezes;
        };
        unsigned struck[FAULTS];
    };
    uint8_t passages[STEPPED_PROCESSES_MAX]; /* how often each may go through, or UNBOUNDED_PASSAGES */
    unsigned any_order;                      /* not 0: for_all in every order, not only in the native one */
    uint16_t undisturbed;                    /* not 0: nobody wakes by itself */
    uint16_t ways;                           /* that processes may go, as bits (enum way) */
};
#pragma GCC diagnostic pop

/* How many processes are explored: n that follow the text, and with BEQUEST behind them a command of each, which is process
 * n + i. A command is a child of whoever has the place of process i, and outlives it. With REMOVAL there is behind all these
 * one that removes, and has no number among the n; or two, if n is 1, to see what they do to each other. */
static inline unsigned first_remover(const struct setting *setting)
{
    return setting->ways & BEQUEST ? 2 * setting->n : setting->n;
}

static inline unsigned removers_of(const struct setting *setting)
{
    return setting->ways & REMOVAL ? 1 + (setting->n == 1) : 0;
}

static inline unsigned processes_of(const struct setting *setting)
{
    return first_remover(setting) + removers_of(setting);
}

static inline bool is_remover(const struct setting *setting, unsigned i)
{
    return i >= first_remover(setting);
}

static inline bool is_command(const struct setting *setting, unsigned i)
{
    return i >= setting->n && !is_remover(setting, i);
}

/* Its number in the text, and in diagrams. A command goes by the number of the one that it is a child of. */
static inline unsigned number_of_process(const struct setting *setting, unsigned i)
{
    return is_remover(setting, i) ? i - first_remover(setting) : i % setting->n;
}

static inline bool setting_equal(const struct setting *a, const struct setting *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

struct reg {
    const struct declared *array;
    unsigned element;
    int writer;    /* the only process that writes it, or -1 */
    unsigned home; /* the process in whose memory it lies */
};

struct instance {
    struct setting setting;
    struct declaration declaration;
    void *shared;
    struct cell *cells;
    struct reg *regs;
    unsigned reg_count;
    uint16_t *own;         /* registers by their only writer: those of process i are own[own_first[i]] .. */
    unsigned *own_first;   /* n + 1 of them */
    int16_t **copy_number; /* per process and register: see struct stepping */
    unsigned copies;       /* remembered registers of one process */
    bool spoils;           /* what must not matter is garbage: see automaton.c */
    bool tolerant;         /* steps on values that may never occur are being tried: do not insist on the rules */
    size_t process_size; /* how many bytes of struct process matter: the fixed part, this algorithm's locals, copies */
};

/* What a process does: it follows the algorithm's text, ENTER and LEAVE or one of the further parts (sleeping.h), or one of
 * the programs of faults.h. */
enum mode {
    FOLLOWS_TEXT,
    GIVING_UP,
    DYING,
    JOINING,
    HAS_COMMAND,
    IS_COMMAND,
    IS_REMOVER,
    ABORTING,
    SHUTTING_DOWN,
    MALFUNCTIONING,
    RETURNING
};

static inline bool follows_text(enum mode mode)
{
    return mode <= IS_REMOVER;
}

/* It has no place in line, and is not killed. */
static inline bool is_beside(enum mode mode)
{
    return mode == IS_COMMAND || mode == IS_REMOVER;
}

struct process {
    uint8_t section;            /* enum section */
    uint8_t mode;               /* enum mode */
    uint8_t writing;            /* 1 + the choice it was made with: a non-atomic write has begun and not ended */
    uint8_t crashed;            /* takes no step any more; in the remainder: it was shut down */
    uint8_t failed;             /* has malfunctioned, and does not do so again */
    uint8_t killed;             /* has been, once, and that counts: it is not killed again */
    uint8_t may_give_up;        /* where it stands: a function of all the others */
    uint8_t passages;           /* left */
    uint16_t struck;            /* of the faults that are about a store, and crash there: those that it has used up */
    uint16_t request;           /* which of the store it is about to make, or 0: a function of where it stands */
    uint32_t unused;            /* 0: a text finds its locals at a multiple of eight */
    uint8_t locals[LOCALS_MAX]; /* the algorithm's, then the copies of own registers, which end with no passage; while
                                   faulty, or after a crash, what faults.c keeps there */
    const char *label;          /* the marker it stands at: a function of all the above, never compared */
};

_Static_assert(offsetof(struct process, locals) % sizeof(uint64_t) == 0, "a text's locals are read where they lie");

/* What a step did, or would do. */
struct access {
    enum access_kind kind;
    unsigned reg;
    bool begins;     /* only the begin of a non-atomic write: the register keeps its value */
    uint64_t value;  /* what the register held, or what a read returned */
    uint64_t result; /* what the register holds afterwards */
    bool compares;   /* it matters only whether the register holds `compared` */
    uint64_t compared;
    bool only_so_often; /* the text chose what is not done infinitely often in a run */
    const char *beside; /* what happened at a store beside the text; NULL: it was the text's */
    unsigned choices;   /* how many ways on there are: more than one where a for_all, or a fault, may choose */
};

/* Sets up an algorithm; ends the program with a message if its declarations make no sense. */
void instance_open(struct instance *instance, const struct setting *setting);
void instance_close(struct instance *instance);

/* The name of a register as the paper would write it, for example x[2]. */
void register_name(const struct instance *instance, unsigned reg, char *name, size_t size);
/* The number of values of a register; 0 for a ticket. */
uint64_t register_domain(const struct instance *instance, unsigned reg);
/* The bits that the declared registers need; UINT64_MAX if one of them is unbounded. */
uint64_t shared_bits(const struct instance *instance);
/* Those that each process has to itself; UINT64_MAX if unbounded, or if a register has several writers, or if processes
 * differ. */
uint64_t shared_bits_each(const struct instance *instance);

/* Where in a process's locals the copies of its remembered registers begin, a uint64_t each. */
size_t copies_at(const struct instance *instance);

/* What the text is told of process i. */
struct stepping stepping_of(const struct instance *instance, unsigned i);
void process_start(const struct instance *instance, unsigned i, struct process *process);
bool process_can_step(const struct process *process);
/* The step of process i that takes way number `choice` (of a for_all, or of a fault), when the accessed register holds (or reads as)
 * value. False if the text breaks the rules of the register language, which ends the program unless
 * instance->tolerant. */
bool process_step(const struct instance *instance, unsigned i, const struct process *from, unsigned choice,
                  uint64_t value, struct process *to, struct access *access);
/* Stands before the first access of one of the further parts. */
void process_begin(const struct instance *instance, unsigned i, struct process *process, enum mode mode);
/* Which access the next step makes, and what a plain write would write (as result). False as in process_step. */
bool process_peek(const struct instance *instance, unsigned i, const struct process *process, unsigned choice,
                  struct access *access);
/* How many ways the text can go on: more than one only where a for_all may choose. */
unsigned text_choices(const struct instance *instance, unsigned i, const struct process *process);
/* The non-atomic write that process i has begun, if any. */
bool process_open_write(const struct instance *instance, unsigned i, const struct process *process, unsigned *reg,
                        uint64_t *value);

#endif
