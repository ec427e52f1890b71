/* SPDX-License-Identifier: MIT
 *
 * gate.h - what a gate looks like in its file and in a process that uses it. The protocol itself is the text
 * algorithms/gate.c; docs/gate.md explains both.
 *
 * THE FILE. Everything in it may have been written by anybody: what is read is checked before it is used, each time.
 *
 *   header      one page (struct gate_header): the fixed part under a checksum, then what changes
 *   cells       of 64 bytes: ISSUE, VALID, SLOT[most_k - 1], RECORD[records], HEIR[records] (the cells that the text
 *               calls LIFE: the word that tells whether a record's owner has handed its hold to a command)
 *   spots       of 64 bytes, one per slot: who is in it
 *   people      pages, three participants each, and after the last of them the manager (manage.c): what is known of each
 *               (struct person), and at the very end of the page its three life words, each with its anchor (anchor.c)
 *
 * Why life words stand at the end of a page. The kernel marks a word if it finds it on the dying thread's robust list.
 * That list is libc's, and its links lie a little behind the word, by as much as libc has told the kernel: in a mutex in
 * shared memory they would be at the mercy of everybody who can write there, and libc writes where they point. So a
 * participant maps its page of the file followed by a page of its own memory, and the links are there. A link is two
 * pointers, and begins 24 bytes behind the word with glibc, 20 with musl: so the first word stands 20 bytes before the
 * end of the page, each anchor before its word, and there is no room for a fourth.
 */
#ifndef ADMIT_GATE_GATE_H
#define ADMIT_GATE_GATE_H

#include "admit.h"
#include "native/error.h"
#include "registers/cells.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <sys/types.h>

#ifndef SYS_futex_waitv /* a libc may be older than it */
#define SYS_futex_waitv 449
#endif

enum {
    GATE_LAYOUT = 5,
    GATE_PAGE = 4096,
    LIVES_PER_PAGE = 3,
    BOOT_ID_SIZE = 40,
    GATE_HINTS = 1024,
};

struct gate_header {
    char magic[8]; /* "admitgat" */
    uint32_t layout;
    uint32_t machine; /* page size, word size: see file.c */
    uint32_t most_k, capacity, records;
    uint32_t unused;
    uint64_t size; /* of the file */
    uint64_t checksum;

    /* What changes. */
    char boot_id[BOOT_ID_SIZE];      /* of the boot in which it started empty; zeros: not known. Changed by a manager */
    _Alignas(64) _Atomic uint32_t k; /* as it should be; while it may not be, `resizing` is 1 */
    _Atomic uint32_t resizing;
    _Atomic uint32_t removed; /* enum removal, and how often it was asked to look again: see remove.c */
    _Atomic uint32_t present; /* records from here on have never had an owner; sleepers watch it */
    _Atomic uint64_t recovered, abandoned, died_waiting, reserved;
    _Atomic int64_t looked_at; /* when anybody last took the second look (anchor.c): CLOCK_REALTIME in ns */
    _Atomic uint32_t anchors;  /* numbers given to processes so far */
    /* At a ticket modulo their number: participant + 1 who sleeps with it. Whoever hands over looks there first. */
    _Alignas(64) _Atomic uint16_t hint[GATE_HINTS];
};
_Static_assert(sizeof(struct gate_header) <= GATE_PAGE, "the header is one page");

/* The beginning of the file, where the fast path finds all it needs by one address. */
struct gate_front {
    union {
        struct gate_header header;
        char page[GATE_PAGE];
    };
    struct cell issue, valid, slot[];
};
_Static_assert(offsetof(struct gate_front, issue) == GATE_PAGE, "the cells come after the header's page");

enum removal {
    REMOVAL_NONE = 0,
    REMOVAL_DONE = 1,
    REMOVAL_UNDECIDED = 2, /* somebody is about to, if nobody objects (remove.c) */
    REMOVAL_LOST = 3,      /* it was not removed, but its file has been deleted */
};

enum { REMOVAL_STATES = 4 };

static inline enum removal removal_in(uint32_t removed)
{
    return (enum removal)(removed % REMOVAL_STATES);
}

static inline uint32_t with_removal(uint32_t removed, enum removal removal)
{
    return removed - removed % REMOVAL_STATES + removal;
}

static inline bool is_final(uint32_t removed)
{
    return removal_in(removed) == REMOVAL_DONE || removal_in(removed) == REMOVAL_LOST;
}

/* What others may know of a participant. Written by its owner, for inspect, and to find its heir. */
struct person {
    _Atomic int64_t waiting_since, inside_since; /* CLOCK_REALTIME in ns; 0: not recorded */
    _Atomic uint64_t ticket;                     /* which these two belong to */
    _Atomic uint64_t listed, listed_before; /* number and anchor of threads whose lists have its life word: life.c */
    _Atomic uint64_t identity;              /* of its process: see process.c */
    _Atomic uint32_t pid, pid_namespace, time_namespace;
    _Atomic uint32_t user; /* its effective user id + 1; 0: not recorded */
    char command[ADMIT_COMMAND_SIZE];
};

/* The word that the kernel marks, and beside it the second word on the same owner: see anchor.c. Whoever becomes its
 * owner writes both at once, and whoever marks a death in the kernel's place compares both. */
struct life_words {
    _Alignas(8) _Atomic uint32_t anchor;
    _Atomic uint32_t word;
};

struct people {
    struct person person[LIVES_PER_PAGE];
    char fill[GATE_PAGE - LIVES_PER_PAGE * (sizeof(struct person) + 8)];
    struct life_words life[LIVES_PER_PAGE];
};
_Static_assert(sizeof(struct people) == GATE_PAGE, "the life words end the page");

/* Values of a life word: see <linux/futex.h> for what the kernel writes. */
enum life_word {
    LIFE_NOBODY = 0,               /* no owner; not dead */
    LIFE_RESERVED = 0x3fffffff,    /* holds for ever, for no thread: a slot that a resize took away */
    LIFE_MARKED = (int)0xc0000000, /* the kernel: its thread has ended */
    LIFE_JUDGED = 0x40000000,      /* the same, and it has been counted; a newcomer's number comes beside it, as beside
                                      MARKED, until it has recovered the record (admit_life_begin) */
    LIFE_NUMBER = 0x1fffffff,      /* of a thread; no kernel has more */
};

struct spot {
    _Alignas(64) _Atomic uint64_t who; /* participant + 1 from its entry to its leaving; 0: nobody */
};

/* What one has learned of waiting here: for how long it pays to look, or to nap, before one sleeps (sleep.c). In ns. */
struct experience {
    int64_t usual, shortest; /* wait in which it slept; 0: none yet */
    int64_t until;           /* it looks; 0: not told yet */
    unsigned in_vain, skip;  /* looks, one after the other; waits from now on without a look */
};

/* One who waits, and what can end that. */
struct sleeper {
    admit_gate *gate;
    struct seat *seat;
    const admit_wait *how; /* NULL: nothing ends it */
    uint32_t interrupts;   /* as at the beginning */
    bool slept, napped, saw_dead;
    bool only_napped; /* since it looked for the dead, and goes in */
    int64_t looked;   /* around, last */
    int64_t began;    /* to wait */
    admit_error why;  /* of giving up; noted already */
    struct experience experience;
};

/* One participation of one thread, or its management of the gate. It lies in the private page behind the life word,
 * behind the links. */
struct seat {
    uint64_t state; /* its handle's serial, with flags (below); 0: wiped by fork */
    uint64_t mine;  /* its present or last ticket, with its name and the ticket's phase, as VALID has them */
    struct cell *record;
    unsigned who, slot;
    uint64_t look_at; /* the ticket from which on it looks again whether the gate's file is there still */
    uint64_t look_after;
    int64_t looked;
    admit_gate *gate;
    struct seat *next;         /* of this thread */
    struct seat *next_of_gate; /* of the handle's */
    bool closed; /* the handle is gone, and the record another's: only the thread itself can free the rest */
    struct life_words *life;
    uint32_t number; /* of its thread */
    struct anchor *anchor;
    struct sleeper sleeper;
    uint64_t seen_dead[(ADMIT_GATE_CAPACITY_MAX + ADMIT_GATE_K_MAX) / 64]; /* when it last looked */
};

/* In one word with the serial, so that the fast path compares once. */
enum seat_flag {
    SEAT_INSIDE = 1,
    SEAT_IN_LINE = 2, /* with a place that it has given up */
    SEAT_BEQUEATHED = 4,
    SEAT_AMONG_OTHERS = 8, /* others came by when it was here last */
    SEAT_FLAGS = 15,
};

static inline bool seat_is(const struct seat *seat, enum seat_flag flag)
{
    return (seat->state & flag) != 0;
}

static inline void seat_mark(struct seat *seat, enum seat_flag flag, bool on)
{
    seat->state = on ? seat->state | flag : seat->state & ~(uint64_t)flag;
}

/* Variables of a thread that are found without a call. For those of a library that is loaded later, glibc has room;
 * musl has none, and would not load it. */
#ifdef __GLIBC__
#define OF_THREAD __attribute__((tls_model("initial-exec")))
#else
#define OF_THREAD
#endif

/* The seat that this thread used last, for the fast path; with state 0 if there is none. */
extern __thread struct seat *admit_recent OF_THREAD;

/* As the text has them (struct shared); what it calls LIFE are the heirs: see THE FILE. */
struct gate_cells {
    struct cell *issue, *valid, *record, *slot, *heir;
};

/* What stands for this process beside its life words (anchor.c). It lasts as long as the handle and all seats by it. */
struct anchor {
    unsigned users;
    uint32_t number;
    void *mapping; /* which holds it; NULL: nothing does */
};

/* The part of a handle that a forked child does not inherit: it finds zeros. All but the first is under
 * admit_seats_lock. */
struct gate_local {
    _Atomic uint32_t interrupts;
    struct seat *seats;    /* of all threads, by this handle */
    struct anchor *anchor; /* NULL: none yet */
};

/* And which file it is, as long as it is that (descriptors.c). */
struct descriptor {
    int fd;
    uint64_t device, inode;
};

struct admit_gate {
    struct gate_header *header;
    struct gate_cells cells;
    struct spot *spot;
    struct people *people;
    struct gate_local *local;
    uint64_t serial;                    /* never the same for two handles of a process; the bits of SEAT_FLAGS are 0 */
    unsigned records, most_k, capacity; /* checked copies */
    size_t size;
    struct descriptor file, directory;  /* a private gate has none of the latter */
    bool look_only, is_of_earlier_boot; /* the latter only with the former: then nobody is there */
    _Atomic uint32_t removed_seen;      /* the header's, when this handle last looked for its file */
    _Atomic bool astray;                /* the file is there, but not by the name by which it was opened */
    char name[72];
    char *path;
    char command[ADMIT_COMMAND_SIZE];
    uint64_t name_bytes; /* the first of the bytes by which those who take part tell its name (predecessor.c) */
};

static inline bool seat_belongs_to(const struct seat *seat, const admit_gate *gate)
{
    return (seat->state & ~(uint64_t)SEAT_FLAGS) == gate->serial;
}

/* There is one more than there are records: that of whoever manages the gate. */
static inline unsigned manager_of(const admit_gate *gate)
{
    return gate->records;
}

static inline struct life_words *whole_life_of(const admit_gate *gate, unsigned who)
{
    return &gate->people[who / LIVES_PER_PAGE].life[who % LIVES_PER_PAGE];
}

static inline _Atomic uint32_t *life_of(const admit_gate *gate, unsigned who)
{
    return &whole_life_of(gate, who)->word;
}

static inline struct person *person_of(const admit_gate *gate, unsigned who)
{
    return &gate->people[who / LIVES_PER_PAGE].person[who % LIVES_PER_PAGE];
}

/* How many records may have an owner; never believed to be more than there are. */
static inline unsigned present_in(const admit_gate *gate)
{
    unsigned present = atomic_load_explicit(&gate->header->present, memory_order_seq_cst);
    return present < gate->records ? present : gate->records;
}

/* No call is a cancellation point, whatever it calls: from here to the end of the block the thread is not cancelled. */
static inline int admit_uncancelled(void)
{
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

static inline void admit_cancelled_as(const int *before)
{
    pthread_setcancelstate(*before, NULL);
}

#define UNCANCELLED __attribute__((cleanup(admit_cancelled_as), unused)) const int before_ = admit_uncancelled()

/* --- descriptors: descriptors.c ----------------------------------------------------------------------------------- */

/* What is open for longer has none of the numbers of the standard ones, which a program may have closed and print to:
 * this or another descriptor of the same file, or -1. */
int admit_keep(int fd);
/* One that is kept. */
struct descriptor admit_descriptor(int fd);
/* Its number, if it is still the same file; else -1. Safe in a child of vfork. */
int admit_fd(const struct descriptor *descriptor);
void admit_close(struct descriptor *descriptor);
admit_error admit_descriptor_error(const admit_gate *gate);

/* --- names: names.c ----------------------------------------------------------------------------------------------- */

/* Whether $ADMIT_DIR says where named gates are. */
bool admit_directory_is_given(void);

/* Opens the directory of named gates; makes it if it is the default one and `make` is set. -1: error noted. */
int admit_open_directory(bool make, char *path, size_t size);
bool admit_name_is_path(const char *name);
admit_error admit_check_name(const char *name);

/* --- processes: process.c ----------------------------------------------------------------------------------------- */

/* Which process it is, in one boot, whatever others have its number later; 0: cannot be told, as where times are told
 * differently from where they will be compared (!same_time) and the kernel has nothing better. */
uint64_t admit_process_identity(bool same_time);

enum heir_state { HEIR_NONE, HEIR_LIVES, HEIR_UNKNOWN };
/* Of a process of this pid namespace. Dead is only one that the kernel says there is not. same_time: whether the
 * identity was taken in this time namespace. */
enum heir_state admit_process_state(unsigned pid, uint64_t identity, bool same_time);
/* Of the pid namespace in sight: by a signal, or by a debugger. */
bool admit_process_is_stopped(long pid);
/* 0: it cannot be told. */
uint32_t admit_pid_namespace(void);
uint32_t admit_time_namespace(void);
/* That whose processes /proc shows by number, if it is ours; else 0. */
uint32_t admit_namespace_in_sight(void);

/* --- the second word on a death: anchor.c ------------------------------------------------------------------------- */

/* A description of the gate's file that is nobody else's; -1 if there is none to be had, with errno. Safe in a child of
 * vfork. */
int admit_open_again(const admit_gate *gate, int flags);
/* A lock on one byte, until the descriptor is closed; -1: somebody has one there for seconds, or locks are refused. */
int admit_lock_file(const admit_gate *gate, int64_t at);
/* That of the handle, for one user more; NULL: no memory. Both under admit_seats_lock. */
struct anchor *admit_anchor(admit_gate *gate);
void admit_anchor_release(struct anchor *anchor);
/* Whether the process that this stands for has ended beyond doubt. */
bool admit_anchor_is_gone(const admit_gate *gate, uint32_t anchor);
/* Whether it lives beyond doubt. */
bool admit_anchor_holds(const admit_gate *gate, uint32_t anchor);
/* Marks those as dead whose death the kernel has not marked; unless somebody did so a moment ago, or with `now` all the
 * same. Returns whether it did. */
bool admit_second_look(admit_gate *gate, bool now);

/* --- life and death: life.c, heir.c ------------------------------------------------------------------------------- */

/* Whether it is a thread's, alive or dead to the others. */
bool admit_life_names_thread(uint32_t life);
/* This thread becomes the owner of the life word if it has the value `from`. NULL: it has not, or an error (noted). */
struct seat *admit_life_claim(admit_gate *gate, unsigned who, uint32_t from, bool *failed);
/* One who claimed a dead one's word is dead to the others until here, so that they go on recovering its record. */
void admit_life_begin(struct seat *seat);
/* Gives it up, with this value in it. */
void admit_life_release(struct seat *seat, uint32_t to);
/* The record of another thread's idle seat is free; the thread itself will release the seat. */
void admit_life_take_away(struct seat *seat);
/* If the second word says so, the first does from now on. */
void admit_life_mark_if_gone(admit_gate *gate, unsigned who);
/* For a file of an earlier boot, in which the word may be anything. */
void admit_life_clear_unless_anchored(admit_gate *gate, unsigned who);
/* Whether the participant is dead beyond doubt: its thread has ended, and no command has inherited what it held. */
bool admit_is_dead_now(admit_gate *gate, unsigned who);
/* The same for one who only looks, but for heirs. */
bool admit_seems_dead(const admit_gate *gate, unsigned who);

/* Also takes back the permission to inherit, if nobody has made use of it. */
enum heir_state admit_heir(admit_gate *gate, unsigned who);
/* The same for one who only looks; the heir's number into *pid if it has one. */
enum heir_state admit_heir_seen(const admit_gate *gate, unsigned who, long *pid);
/* Whoever bequeathed leaves itself. */
void admit_heir_dismiss(struct seat *seat);
/* The same, but not if a command has inherited already. */
bool admit_heir_disowned(struct seat *seat);

/* --- seats: seats.c ----------------------------------------------------------------------------------------------- */

/* Which seats there are, in this process: for one that joins, closes a handle, or ends. A thread may nest it; a forked
 * child finds it open. */
void admit_seats_lock(void);
void admit_seats_unlock(void);

/* A free one of this thread; NULL: what the sleeper says. `wait`: until there is one, if that is a matter of time. */
struct seat *admit_seat_find(admit_gate *gate, struct sleeper *sleeper, bool wait);
struct seat *admit_seat_of(admit_gate *gate, const admit_hold *hold); /* the one this thread is inside by, or NULL */
void admit_seat_release(struct seat *seat, uint32_t life);            /* with this value in its life word */
/* A place that was given up is in line still. Of such seats a thread keeps one. */
void admit_seat_given_up(struct seat *seat);
/* A record that was kept back for nobody returns its ticket. */
admit_error admit_seat_free_reserved(admit_gate *gate, unsigned who);
void admit_seats_close(admit_gate *gate);
/* Takes over what the dead have left behind, so that nobody looks at them again. Returns how many there were. */
unsigned admit_bury_dead(admit_gate *gate);

/* --- the protocol: protocol.c ------------------------------------------------------------------------------------- */

void admit_protocol_join(struct seat *seat);                       /* after a claim: recovers what the record held */
bool admit_protocol_in_line(const admit_gate *gate, unsigned who); /* with a place that was given up */

/* What of a record the other files need to know. */
enum stage { STAGE_OUT, STAGE_WAITING, STAGE_VALID, STAGE_ABANDONED };
struct standing {
    enum stage stage;
    uint64_t ticket;
};
struct standing admit_protocol_standing(const admit_gate *gate, unsigned who);
/* Whether the ticket of one who waits, as its record has it, becomes valid with the next return, if it is not yet. */
bool admit_protocol_is_next(const admit_gate *gate, uint64_t record);
bool admit_ticket_before(uint64_t a, uint64_t b); /* of two in line */
/* How many tickets have been drawn since the start, reserved ones included, but for so many; modulo 2^47. */
uint64_t admit_protocol_drawn(const admit_gate *gate, uint64_t but_for);
/* Fills the cells of a fresh gate: most_k - k tickets are out, in the first records. */
void admit_protocol_format(admit_gate *gate, unsigned k);
/* Whether the words can have been written by this protocol; true also if they change too fast to tell. */
bool admit_protocol_in_order(const admit_gate *gate);
void admit_protocol_leave(struct seat *seat);
uint64_t admit_protocol_ticket(const struct seat *seat); /* of one who is inside */
/* Instead of leaving: the slot is free, the ticket stays out, for nobody. */
void admit_protocol_reserve(struct seat *seat);
/* The same for one that is dead. Whoever it may not have woken any more wakes. */
bool admit_protocol_keep_back(admit_gate *gate, unsigned who, uint64_t ticket);
bool admit_protocol_is_kept_back(const admit_gate *gate, unsigned who, uint64_t ticket); /* still */
/* A free slot, whatever is being done to the gate otherwise. */
admit_error admit_protocol_try(admit_gate *gate, admit_hold *hold);

/* --- sleep: sleep.c ----------------------------------------------------------------------------------------------- */

bool admit_deadline_passed(const struct timespec *until);
unsigned admit_place_of(const admit_gate *gate, unsigned who);
int64_t admit_now(void); /* CLOCK_REALTIME in ns */
/* A millisecond, or until the deadline. */
void admit_doze(const struct sleeper *sleeper);
/* All who sleep, where they can be told of nothing but their turn. Safe in a signal handler. */
void admit_wake_if_deaf(const admit_gate *gate);
/* Notes this error as the reason, with its text. */
void admit_give_reason(struct sleeper *sleeper, admit_error error);
int64_t admit_monotonic(void); /* in ns */

/* --- managing: manage.c ------------------------------------------------------------------------------------------- */

/* Keeps others from managing the gate until admit_manage_end, or until this process has ended. NULL: another is at it;
 * if `wait`, error noted, after seconds. */
struct seat *admit_manage(admit_gate *gate, bool wait);
void admit_manage_end(struct seat *manager);
/* Whoever stands in line cannot take a free slot away: it has no other ticket to do so, and there is none as long as it
 * waits. */
enum settler { OUTSIDE_THE_LINE, IN_LINE };
/* Sees to it that there are k slots, if nobody else is at it. */
void admit_settle_k(admit_gate *gate, enum settler settler);
/* Whether a ticket that would be returned is kept back for nobody instead. */
bool admit_keeps_back(const admit_gate *gate);
/* Leaves a gate that is being resized. Whether the seat is there still: its record may be kept back for nobody. */
bool admit_leave_resizing(admit_gate *gate, struct seat *seat);
/* What whoever waits, or finds no slot, does now and then: looks for those whose death the kernel has not marked, for a
 * resize that was not finished, and for the gate's file. Returns whether it was time to. */
bool admit_look_around(admit_gate *gate, enum settler settler);
/* --- is it there, and removing: remove.c --------------------------------------------------------------------------- */

/* By one that has entered: whether the gate has been removed. Somebody who is only about to will not. */
bool admit_was_removed(admit_gate *gate);
/* Looks whether the gate's name still leads to its file. If the file is gone, everybody learns it. */
bool admit_is_there(admit_gate *gate);
admit_error admit_removed_error(const admit_gate *gate); /* why it is not */
/* Of a gate that another is to take the place of: nobody uses it from now on, or ADMIT_BUSY. */
admit_error admit_retire(admit_gate *gate);
/* Takes away the file of a gate that has been removed, if whoever removed it was killed before. */
admit_error admit_finish_removal(admit_gate *gate);

#endif
