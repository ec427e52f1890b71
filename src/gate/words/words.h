/* SPDX-License-Identifier: MIT
 *
 * words.h - what a gate looks like in its file and in a process that uses it, and what the words in it say. The protocol
 * itself is the text algorithms/gate.c; docs/gate.md explains both, and which layers of src/gate lie above this one.
 *
 * THE FILE. Everything in it may have been written by anybody: what is read is checked before it is used, each time.
 *
 *   header      one page (struct gate_header): the fixed part under a checksum, then what changes
 *   cells       of 64 bytes: ISSUE, VALID, SLOT[most_k - 1], RECORD[records], HEIR[records]
 *   spots       of 64 bytes, one per slot: who is in it
 *   people      pages, three participants each, and after the last of them the manager (manager.c) and the first of those
 *               who wait for a record (outside.c): what is known of each (struct person), and at the very end of the page
 *               its three life words, each with its anchor (anchor.c)
 *
 * Why life words stand at the end of a page. The kernel marks a word if it finds it on the dying thread's robust list.
 * That list is libc's, and its links lie a little behind the word, by as much as libc has told the kernel: in a mutex in
 * shared memory they would be at the mercy of everybody who can write there, and libc writes where they point. So a
 * participant maps its page of the file followed by a page of its own memory, and the links are there. A link is two
 * pointers, and begins 24 bytes behind the word with glibc, 20 with musl: so the first word stands 20 bytes before the
 * end of the page, each anchor before its word, and there is no room for a fourth.
 */
#ifndef ADMIT_GATE_WORDS_WORDS_H
#define ADMIT_GATE_WORDS_WORDS_H

#include "admit.h"
#include "native/error.h"
#include "registers/cells.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>

#ifndef SYS_futex_waitv /* a libc may be older than it */
#define SYS_futex_waitv 449
#endif

enum {
    GATE_LAYOUT = 6,
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
    _Atomic int64_t looked_at;   /* when anybody last took the second look (anchor.c): CLOCK_REALTIME in ns */
    _Atomic uint32_t anchors;    /* numbers given to processes so far */
    _Atomic uint32_t declared_k; /* by whoever made the gate, or declared it since; k is what it was resized to */
    /* Those who wait for a record (outside.c): how many there are, or were killed since there was nobody; and a word that
     * changes whenever a record becomes free. */
    _Alignas(64) _Atomic uint32_t outside;
    _Atomic uint32_t vacated;
    _Atomic uint32_t arrived, ushered; /* how many have come so far; the number of the one that was last the first */
    _Atomic int64_t called_at;         /* when one of them was last called to be the first: CLOCK_REALTIME in ns */
    /* At a ticket modulo their number: participant + 1 who sleeps with it, and how (enum hint). Whoever hands over looks
     * there first. */
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

/* What one has learned of getting up before one's turn, which nobody does but at a gate (sleep.c). */
struct rousing {
    int64_t call;           /* the shortest by which it woke a sleeper lately, in ns; 0: none yet */
    unsigned in_vain, skip; /* how often it was roused so; passes from now on after which it rouses nobody */
};

/* A process that waits, and what can end that. */
struct sleeper {
    admit_gate *gate;
    struct seat *seat;
    const admit_wait *how; /* NULL: nothing ends it */
    uint32_t interrupts;   /* as at the beginning */
    bool slept, napped, saw_dead;
    bool only_napped;      /* since it looked for the dead, and goes in */
    unsigned orphan_looks; /* so often it has slept in this wait since it found an orphan */
    int64_t looked;        /* around, last */
    int64_t began;         /* to wait */
    int64_t got_up;        /* last, when its record had changed */
    admit_error why;       /* of giving up; noted already */
    struct experience experience;
    struct rousing rousing;
};

/* One participation of one thread, or its management of the gate. It lies in the private page behind the life word,
 * behind the links. */
struct seat {
    _Atomic uint64_t
        state;     /* its handle's serial, with flags (below); 0: wiped by fork. Another thread that leaves in this
                               one's place changes it last, and in the order of release: so this one acquires it */
    uint64_t mine; /* its present or last ticket, with its name and the ticket's phase, as VALID has them */
    struct cell *record;
    unsigned who, slot;
    unsigned room;    /* how many slots there were when it was alone here, and left: if it comes back by `mine` */
    uint64_t look_at; /* the ticket from which on it looks again whether the gate's file is there still */
    uint64_t look_after;
    int64_t looked;
    admit_gate *gate;
    struct seat *next;         /* of this thread */
    struct seat *next_of_gate; /* of the handle's */
    int family;                /* the descriptor of those whom its hold is left to; 0: none (heir.c) */
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
    SEAT_ANY_THREAD = 16,  /* whoever is inside by it: any thread of the process may leave */
    SEAT_GUEST = 32,       /* of a record that goes back with each passage; only while it is inside by it */
    SEAT_FLAGS = 63,
};

static inline uint64_t seat_state(const struct seat *seat)
{
    return atomic_load_explicit(&seat->state, memory_order_acquire);
}

static inline void seat_become(struct seat *seat, uint64_t state)
{
    atomic_store_explicit(&seat->state, state, memory_order_release);
}

static inline bool seat_is(const struct seat *seat, enum seat_flag flag)
{
    return (seat_state(seat) & flag) != 0;
}

/* By one thread at a time: its own, or with admit_seats_lock whoever acts in its place. */
static inline void seat_mark(struct seat *seat, enum seat_flag flag, bool on)
{
    uint64_t state = seat_state(seat);
    seat_become(seat, on ? state | flag : state & ~(uint64_t)flag);
}

/* Variables of a thread that are found without a call. For those of a library that is loaded later, glibc has room;
 * musl has none, and would not load it. */
#ifdef __GLIBC__
#define OF_THREAD __attribute__((tls_model("initial-exec")))
#else
#define OF_THREAD
#endif

/* As the text has them (struct shared), which alone writes them (meaning.h). */
struct gate_cells {
    const struct cell *issue, *valid, *record, *slot, *heir;
    /* NULL: what the text calls LIFE are the life words, and REMOVED is a word of the header, which are no cells. */
    const struct cell *life, *removed;
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
    struct gate_header *header; /* a gate elsewhere has none, nor anything else of this but serial, name and path */
    struct gate_cells cells;
    struct spot *spot;
    struct people *people;
    struct gate_local *local;
    uint64_t serial;                    /* never the same for two handles of a process; the bits of SEAT_FLAGS are 0 */
    unsigned records, most_k, capacity; /* checked copies */
    size_t size;
    struct descriptor file, directory;  /* a private gate has none of the latter */
    bool look_only, is_of_earlier_boot; /* the latter only with the former: then nobody is there */
    bool by_force;                      /* it was opened to be removed, whoever uses it */
    _Atomic uint32_t removed_seen;      /* the header's, when this handle last looked for its file */
    _Atomic bool astray;                /* the file is there, but not by the name by which it was opened */
    char name[72];
    char *path;
    char command[ADMIT_COMMAND_SIZE];
    const struct elsewhere *elsewhere; /* NULL: it is a file */
    void *there;                       /* what that has made of its name */
    uint64_t name_bytes; /* the first of the bytes by which those who take part tell its name (predecessor.c) */
};

static inline bool seat_belongs_to(const struct seat *seat, const admit_gate *gate)
{
    return (seat_state(seat) & ~(uint64_t)SEAT_FLAGS) == gate->serial;
}

/* Beside the participant + 1: it naps, and may be roused; it was; it is up and looks (sleep.c). */
enum hint { HINT_WHO = 0x3fff, HINT_NAPS = 0x4000, HINT_ROUSED = 0x8000, HINT_AWAKE = 0xc000 };
_Static_assert(ADMIT_GATE_CAPACITY_MAX + ADMIT_GATE_K_MAX < HINT_WHO, "all participants can be told from one another");

static inline _Atomic uint16_t *hint_of(const admit_gate *gate, uint64_t ticket)
{
    return &gate->header->hint[ticket % GATE_HINTS];
}

/* There are two more than there are records: that of whoever manages the gate, and that of whoever is the next to have a
 * record, when there is none. */
enum { LIVES_WITHOUT_RECORD = 2 };

static inline unsigned manager_of(const admit_gate *gate)
{
    return gate->records;
}

static inline unsigned usher_of(const admit_gate *gate)
{
    return gate->records + 1;
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

/* Whether it is a thread's, alive or dead to the others. */
static inline bool admit_life_names_thread(uint32_t life)
{
    return (life & LIFE_NUMBER) != 0 && life != LIFE_RESERVED;
}

/* Whether one of those who wait for a record is the first of them, and alive. */
static inline bool has_usher(const admit_gate *gate)
{
    uint32_t life = atomic_load(life_of(gate, usher_of(gate)));
    return admit_life_names_thread(life) && (life & LIFE_JUDGED) == 0;
}

/* How many wait for a record, as far as is known; if nobody is the first of them, all may have been killed. */
static inline unsigned outside_of(const admit_gate *gate)
{
    uint32_t outside = atomic_load(&gate->header->outside);
    return outside != 0 && has_usher(gate) ? outside : 0;
}

/* As the gate should have it; what is in the file may be anything. */
static inline unsigned k_of(const admit_gate *gate)
{
    return atomic_load(&gate->header->k);
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

static inline int64_t now_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* In ns since 1970. */
static inline int64_t admit_now(void)
{
    return now_of(CLOCK_REALTIME);
}

static inline int64_t admit_monotonic(void)
{
    return now_of(CLOCK_MONOTONIC);
}

/* So long whoever was woken to be the first of those who wait for a record is left to it; then it may have been killed. */
#define ON_ITS_WAY_NS INT64_C(20000000)

static inline bool is_usher_on_its_way(const admit_gate *gate)
{
    uint64_t since = (uint64_t)admit_now() - (uint64_t)atomic_load(&gate->header->called_at);
    return since < (uint64_t)ON_ITS_WAY_NS; /* not if the clock was set back: then another is called */
}

/* --- what the words say: standing.c, format.c --------------------------------------------------------------------- */

bool admit_protocol_in_line(const admit_gate *gate, unsigned who); /* with a place that was given up */

/* What of a record the other files need to know. */
enum stage { STAGE_OUT, STAGE_WAITING, STAGE_VALID, STAGE_ABANDONED };
struct standing {
    enum stage stage;
    uint64_t ticket;
};
struct standing admit_protocol_standing(const admit_gate *gate, unsigned who);
/* Whether the ticket of a process that waits, as its record has it, becomes valid with the next return, if it is not
 * yet. */
bool admit_protocol_is_next(const admit_gate *gate, uint64_t record);
uint64_t admit_protocol_next(const admit_gate *gate); /* the ticket that does */
bool admit_ticket_before(uint64_t a, uint64_t b);     /* of two in line */
unsigned admit_place_of(const admit_gate *gate, unsigned who);
unsigned admit_length_of_line(const admit_gate *gate);
/* Whether anybody at all has a ticket that is not valid; a place that was given up counts. */
bool admit_protocol_has_line(const admit_gate *gate);
/* How many tickets have been drawn since the start, reserved ones included, but for so many; modulo 2^47. */
uint64_t admit_protocol_drawn(const admit_gate *gate, uint64_t but_for);
/* Fills the cells of a fresh gate: most_k - k tickets are out, in the last records. */
void admit_protocol_format(admit_gate *gate, unsigned k);
/* Whether the words can have been written by this protocol; true also if they change too fast to tell. */
bool admit_protocol_in_order(const admit_gate *gate);

/* --- kept back for nobody: reserved.c ----------------------------------------------------------------------------- */

/* How many records are; and one of them. */
unsigned admit_reserved_now(const admit_gate *gate, unsigned *one);
/* How many should be; most_k: k is not to be believed. */
unsigned admit_reserved_in_future(const admit_gate *gate);
/* Whether that is the same. */
bool admit_has_k(const admit_gate *gate);
/* Whether a ticket that would be returned is kept back for nobody instead. */
bool admit_keeps_back(const admit_gate *gate);

#endif
