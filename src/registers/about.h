/* SPDX-License-Identifier: MIT
 *
 * about.h - what the catalogue says of an algorithm: where it is printed, what it needs, what is claimed of it.
 *
 * The names here are the vocabulary of the whole project; docs/properties.md defines each of them exactly.
 */
#ifndef ADMIT_REGISTERS_ABOUT_H
#define ADMIT_REGISTERS_ABOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a process is. One passage leads through all of them, in this order; an algorithm without a doorway skips it.
 * FAULTY is none of them: the process does not follow its text. */
enum section { REMAINDER, DOORWAY, WAITING_ROOM, CRITICAL, EXIT, FAULTY, SECTIONS };

/* How a register behaves when a read overlaps a write. Each kind promises less than the one before. */
enum register_kind { ATOMIC, REGULAR, SAFE, REGISTER_KINDS };

/* Domains: how many values a register can have. BOOLEAN and small numbers are counted in bits and may be garbled;
 * TICKET is unbounded and order is all that matters of it. */
enum { BOOLEAN = 2, TICKET = 0 };

/* As the initial value of a register: none is declared, so that it may be anything; an abort leaves it as it is. */
#define ANY_VALUE UINT64_MAX

/* Who writes the elements of an array: process e alone writes element e; process r alone writes row r (of an array with
 * columns); or anybody writes any. */
enum writer { OWN_ELEMENT, OWN_ROW, ANYBODY };

/* Writes what a reader of the paper expects behind the array's name for the register in this row and column, for
 * example [0][2]. For people only: nothing depends on it. */
typedef void element_namer(char *name, size_t size, unsigned n, unsigned row, unsigned column);

/* In whose memory the register in this row and column lies, where memory is distributed (DSM). */
typedef unsigned element_home(unsigned n, unsigned row, unsigned column);

/* Writes the value of a packed word as the paper would, for example ISSUE=3 VALID=2. For people only. */
typedef void word_printer(char *text, size_t size, unsigned n, unsigned k, uint64_t value);

/* Whether `to` comes after `from`: of a register that takes no value twice. */
typedef bool value_order(uint64_t from, uint64_t to);

/* How the checker keeps a word of numbers without bound finite, where the text only compares such numbers and makes
 * them one larger: two functions that rename the numbers in a word, and those in a ticket that a process holds beside
 * this word. checker/reduce/numbers.h says what they must preserve. */
struct number_renaming {
    uint64_t (*word)(uint64_t word);
    void (*ticket)(uint64_t word, void *ticket);
    size_t at, size; /* of the ticket among the locals */
};

/* A process in a state: the marker that it stands at; its locals, and behind them the copies of its own remembered
 * registers. Both are NULL if it has crashed. */
struct stand {
    const char *marker;
    void *locals;
    bool removes; /* it is one that removes (REMOVAL) */
};

/* The same where several registers hold such numbers: renames those in all registers and all locals at once. Behind the
 * stands of n processes are those of their commands, if these are explored (BEQUEST, of the ways that the setting has), and then
 * of those who remove (REMOVAL); behind the last is one without locals. */
typedef void rename_all(unsigned n, unsigned k, unsigned ways, uint64_t *registers, const struct stand *stands);

/* Makes of a state the one that stands for all that have the same future. False if a state shows that some were taken
 * for alike that are not. checker/reduce/numbers.h says when this is asked. */
typedef bool states_alike(unsigned n, unsigned k, uint64_t *registers, const struct stand *stands);

/* Whether the next step of process i is idle: it changes nothing, now or whenever else it may be taken, and leads to the
 * same place. checker/reduce/idle.h says what this is for. */
typedef bool idle_step(unsigned n, unsigned k, const uint64_t *registers, const struct stand *stands, unsigned i);

/* An operation that reads the tickets of all other processes, in any order, and then gives its own process one that is
 * one above the largest of them and its own, or none; the only one that makes tickets. Where its frame is among the
 * locals: checker/reduce/label_gaps.h tells what this is for. */
struct climb {
    size_t under_way; /* a flag: from the first read to the write, and at no other time */
    size_t largest;   /* a ticket: of those read so far and its own */
    size_t todo;      /* a procset: whose tickets have not been read yet */
};

/* What is known of each is in one table, checker/judge/property_info.c. */
enum property {
    EXCLUSION,
    DEADLOCK_FREEDOM,
    LOCKOUT_FREEDOM,
    FCFS,
    BOUNDED_DOORWAY,
    BOUNDED_EXIT,
    BOUNDED_WAITING,
    K_DEADLOCK_AVOIDANCE,
    FIFE,
    STRONG_FIFE,
    OVERTAKING,
    FIFO_ENABLING,
    LOCAL_SPIN_CC, /* one property in three models of memory */
    LOCAL_SPIN_DSM,
    LOCAL_SPIN_WRITE_BACK,
    NO_SLOT_LOST,
    DISTINCT_SLOTS,
    NO_SLOT_IDLE,
    SERVED_BEFORE,
    PROPERTIES
};

/* Faults, as bits, so that a claim can name all that it tolerates. What is known of each is in one table,
 * checker/model/fault_info.c. TIMED_LOOK, behind them all, is none, and no claim names it, but happens as they do, beside the
 * text: a sleeper wakes by itself (sleeping.h). */
enum fault {
    CRASH = 1 << 0,
    SHUTDOWN = 1 << 1,
    ABORT = 1 << 2,
    FAILURE = 1 << 3,
    TRANSIENT = 1 << 4,
    RECOVERY = 1 << 5,
    LEASE = 1 << 6, /* this and the next three: of a text whose registers are keys in a store (store.h) */
    REPEAT = 1 << 7,
    WATCH = 1 << 8,
    FREEZE = 1 << 9,
    TIMED_LOOK = 1 << 10
};

/* Which bit it is, and how many faults there are. */
#define FAULT_NUMBER(fault) __builtin_ctz(fault)
enum { FAULTS = FAULT_NUMBER(TIMED_LOOK) };

/* Ways through the text that a setting has or leaves out, as bits, so that each can be explored by itself (--with) and
 * what it adds is seen. What is known of each is in one table, checker/model/way_info.c. */
enum way {
    TRY = 1 << 0,     /* some do not wait: they go back unless there is a slot for them at once */
    ALONE = 1 << 1,   /* some come back and go by what they left in the words when they were here last */
    RESIZE = 1 << 2,  /* some keep back their ticket when they leave, for nobody, until somebody takes it over */
    BEQUEST = 1 << 3, /* some run a command inside, which may outlive them; the commands are processes of their own */
    REMOVAL = 1 << 4, /* processes of their own remove it, if nobody is there */
};

/* Which bit it is, and how many ways there are. */
#define WAY_NUMBER(way) __builtin_ctz(way)
enum { WAYS = 5 };

/* "This property holds on registers as weak as `down_to`, and still holds under any one of `faults`." */
struct claim {
    enum property property;
    enum register_kind down_to;
    unsigned faults;
};

enum { CLAIMS_MAX = 16, TICKET_LOCALS_MAX = 20 };

#define CLAIMS(...) .claims = {__VA_ARGS__}, .claim_count = sizeof((struct claim[]){__VA_ARGS__}) / sizeof(struct claim)

struct about {
    const char *id;     /* the name used everywhere; given by the build, from the file's name */
    const char *title;  /* as the paper calls it */
    const char *paper;  /* the id of one of PAPERS (claims/claims.h), or "-": it is in none of them */
    const char *figure; /* where in the paper; in none of them, all of where it is printed; "": it is our own */
    unsigned k;         /* the only k it works for; 0 means any k from 1 to n */
    unsigned max_n;     /* the most processes whose registers still fit into memory, or into their words; 0: no limit */
    const char *bits;   /* shared bits as a formula in n and k, checked against the declared registers by the tests */
    const char *bits_each; /* the same for one process, where all registers are some process's own; or NULL */
    const char *fairness;  /* one phrase for a person */
    bool checked_only;     /* its steps are no machine's: the checker has it, libadmit refuses it */
    bool doorway;          /* whether it has one; then the text says waiting_room() */
    bool draws;            /* its doorway is the one step that ends in waiting_room(): what comes before is remainder */
    struct claim claims[CLAIMS_MAX];
    unsigned claim_count;
    size_t ticket_locals[TICKET_LOCALS_MAX];       /* offsets of the tickets among the locals, ended by 0 */
    struct climb climb;                            /* if tickets are made by such an operation, and only so */
    unsigned (*word_bits)(unsigned n, unsigned k); /* of the one word it packs its variables into; NULL: it has none */
    struct number_renaming renumbering;            /* if that word is unbounded */
    size_t slot_at;                                /* of the slot number, a byte, among the locals; 0: it has none */
    rename_all *rename_all;                        /* if several registers hold numbers without bound */
    /* Its states do not tell whose register a step looks at, where it does not matter what it sees. */
    bool forgets_whose;
    states_alike *alike; /* if many states have the same future */
    idle_step *is_idle;  /* if it has steps that are idle */
    unsigned ways;       /* that its text has and a setting may have (enum way) */
    size_t lasting_at;   /* where those of the locals begin that outlive a passage, at their end; 0: none do */
    size_t session_at;   /* of the session with a store (store.h), among those; 0: it has none */
};

/* What is claimed about a property, or NULL. */
static inline const struct claim *claim_about(const struct about *about, enum property property)
{
    for (unsigned c = 0; c < about->claim_count; c++)
        if (about->claims[c].property == property)
            return &about->claims[c];
    return NULL;
}

#endif
