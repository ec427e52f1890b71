/* SPDX-License-Identifier: MIT
 *
 * How the kernel learns whose life a word stands for: an entry on the thread's own robust list, between those of the
 * program's robust mutexes.
 *
 * libc has told the kernel where the list of each thread begins, and that the word is 32 bytes before each link. The
 * list is linked both ways, as libc's is, so that libc can take out its neighbours. Only the thread itself changes its
 * list.
 *
 * There is no moment at which a death goes unnoticed: the link is in the list before the word names this thread, and
 * until it no longer does; the kernel passes over a word that names another.
 *
 * But it knows a thread by its number, and in another pid namespace another thread has the same. If that one took the
 * word while it is on our list, our death would be taken for its own. So a word that is, or may be, on a list without
 * naming its thread is set aside: it has that thread's number beside a bit which no number has, and whoever has the
 * same number does not take it. All others may: if the thread was killed just then, nobody else frees it.
 */
#include "gate/gate.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WORD_BEFORE_LINK = -32, SEAT_AT = 64 };

/* As libc lays it out; pointers between links point at `next`. */
struct link {
    void *prev, *next;
};

/* The private page behind a page of people. */
struct behind {
    void *links[LIVES_PER_PAGE + 1]; /* link m is links[m] and links[m + 1], 24 bytes behind life word m */
    char fill[SEAT_AT - (LIVES_PER_PAGE + 1) * sizeof(void *)];
    struct seat seat;
};

static __thread struct robust_list_head *own_list __attribute__((tls_model("initial-exec")));
static __thread uint32_t own_number __attribute__((tls_model("initial-exec")));

/* Each time: a forked child has another number, and in a new pid namespace perhaps the same process number. */
static bool find_own_list(void)
{
    size_t size;
    struct robust_list_head *head = NULL;
    if (syscall(SYS_get_robust_list, 0, &head, &size) != 0 || head == NULL || head->futex_offset != WORD_BEFORE_LINK) {
        admit_gate_error(ADMIT_UNSUPPORTED, "this libc has no robust list of the expected form");
        return false;
    }
    own_list = head;
    own_number = (uint32_t)syscall(SYS_gettid);
    return true;
}

/* Links may have bit 0 set: then they are of a mutex with priority inheritance. */
static void **next_at(void *link)
{
    return (void **)((uintptr_t)link & ~(uintptr_t)1);
}

static void **prev_at(void *link)
{
    return next_at(link) - 1;
}

static void enlist(void **link)
{
    void **first = (void **)&own_list->list.next;
    link[0] = first; /* prev */
    link[1] = *first;
    if (next_at(*first) != first)
        *prev_at(*first) = &link[1];
    atomic_signal_fence(memory_order_seq_cst); /* the kernel goes by next alone: this is the moment */
    *(void *volatile *)first = &link[1];
    atomic_signal_fence(memory_order_seq_cst);
}

static void delist(void **link)
{
    atomic_signal_fence(memory_order_seq_cst);
    *(void *volatile *)next_at(link[0]) = link[1];
    if (next_at(link[1]) != (void **)&own_list->list.next)
        *prev_at(link[1]) = link[0];
}

static void **link_of(struct seat *seat)
{
    return (void **)((char *)seat->life + 24);
}

static uint32_t aside(uint32_t life)
{
    return life | LIFE_ASIDE | own_number;
}

bool admit_life_is(uint32_t life, uint32_t what)
{
    return life == what || (life != LIFE_RESERVED && (life & ~(uint32_t)LIFE_NUMBER) == (what | LIFE_ASIDE));
}

/* If this thread may take it. What is kept for nobody need not be: only who has the file's lock takes it. */
static bool set_aside(_Atomic uint32_t *life, uint32_t from)
{
    uint32_t now = atomic_load(life);
    if (from == LIFE_RESERVED)
        return now == from;
    return admit_life_is(now, from) && now != aside(from) && atomic_compare_exchange_strong(life, &now, aside(from));
}

struct seat *admit_life_claim(admit_gate *gate, unsigned who, uint32_t from, bool *failed)
{
    *failed = true;
    if (!find_own_list())
        return NULL;
    off_t at = (off_t)((char *)&gate->people[who / LIVES_PER_PAGE] - (char *)gate->header);
    char *pages = mmap(NULL, 2 * GATE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        admit_gate_error(ADMIT_NO_MEMORY, "out of memory");
        return NULL;
    }
    if (mmap(pages, GATE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, gate->fd, at) == MAP_FAILED ||
        madvise(pages + GATE_PAGE, GATE_PAGE, MADV_WIPEONFORK) != 0) {
        admit_gate_system_error("map", gate->path);
        munmap(pages, 2 * GATE_PAGE);
        return NULL;
    }
    *failed = false;
    struct seat *seat = &((struct behind *)(pages + GATE_PAGE))->seat;
    *seat = (struct seat){.gate = gate, .state = gate->serial | SEAT_AMONG_OTHERS, .who = who, .heirs_fd = -1};
    seat->sleeper = (struct sleeper){.gate = gate, .seat = seat};
    seat->life = &((struct people *)pages)->life[who % LIVES_PER_PAGE].word;
    if (set_aside(seat->life, from)) {
        uint32_t expected = from == LIFE_RESERVED ? from : aside(from);
        enlist(link_of(seat));
        if (atomic_compare_exchange_strong(seat->life, &expected,
                                           own_number | FUTEX_WAITERS | (from & FUTEX_OWNER_DIED)))
            return seat;
        delist(link_of(seat));
    }
    munmap(pages, 2 * GATE_PAGE);
    return NULL;
}

void admit_life_begin(struct seat *seat)
{
    atomic_store(seat->life, own_number | FUTEX_WAITERS);
}

void admit_life_release(struct seat *seat, uint32_t to)
{
    char *pages = (char *)seat - SEAT_AT - GATE_PAGE;
    uint32_t beside = aside(to);
    atomic_store(seat->life, to == LIFE_NOBODY ? beside : to);
    if (to == (uint32_t)LIFE_MARKED) /* as the kernel does */
        syscall(SYS_futex, seat->life, FUTEX_WAKE, 1, NULL, NULL, 0);
    delist(link_of(seat));
    if (to == LIFE_NOBODY)
        atomic_compare_exchange_strong(seat->life, &beside, to);
    munmap(pages, 2 * GATE_PAGE);
}

/* Counted once for each death: by whoever changes the word from marked to judged. */
static void judge(admit_gate *gate, unsigned who)
{
    struct standing standing = admit_protocol_standing(gate, who);
    uint32_t marked = (uint32_t)LIFE_MARKED;
    if (!atomic_compare_exchange_strong(life_of(gate, who), &marked, LIFE_JUDGED) || standing.stage == STAGE_OUT)
        return;
    atomic_fetch_add(&gate->header->recovered, 1);
    if (standing.stage != STAGE_VALID)
        atomic_fetch_add(&gate->header->died_waiting, 1);
}

bool admit_is_dead_now(admit_gate *gate, unsigned who)
{
    uint32_t life = atomic_load(life_of(gate, who));
    if ((life & FUTEX_OWNER_DIED) == 0 || admit_heir(gate, who) != HEIR_NONE)
        return false;
    if (life == (uint32_t)LIFE_MARKED)
        judge(gate, who);
    return true;
}
