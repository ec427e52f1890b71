/* SPDX-License-Identifier: MIT
 *
 * How the kernel learns whose life a word stands for: an entry on the thread's own robust list, between those of the
 * program's robust mutexes.
 *
 * libc tells the kernel where the list of each thread begins, and how far before each link its word is: 32 bytes with
 * glibc, 28 with musl. The list is linked both ways, so that libc can take out its neighbours. Only the thread itself
 * changes its list. Whether a libc has a list like that is not asked by its name: it is made to show it.
 *
 * What glibc leaves to the kernel, musl does itself. Its threads, when they end, mark whatever is on their lists,
 * whatever the word says. So no word that may be another's is ever on the list of a thread: none is taken away from a
 * thread that has it there (admit_life_take_away). And a forked child begins with the list of the thread that forked
 * it; but it finds our links wiped, and cuts the list off there.
 *
 * There is no moment at which a death goes unnoticed: the link is in the list before the word names this thread, and
 * until it no longer does; the kernel passes over a word that names another.
 *
 * But it knows a thread by its number, and in another pid namespace another thread has the same. If that one took the
 * word while it is on our list, our death would be taken for its own. So beside each word stands on whose lists it is
 * (`listed`): nobody takes a word that is on the list of a living process without being its own, and nobody takes one
 * that may be on the list of a thread with its own number. With glibc, the record of an idle thread whose handle
 * another thread has closed is free at once; the word is then on that thread's list (`listed_before`) until the thread
 * takes it off, and may be on one more.
 *
 * Where the kernel is silent there is a second word (anchor.c), and whoever finds a process dead by that marks the
 * word in the kernel's place. It compares the anchor too: a newcomer in the record whose thread has the same number is
 * another.
 */
#include "gate/life/life.h"
#include "gate/words/meaning.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SEAT_AT = 64 };

#ifdef __GLIBC__
enum { LIBC_WALKS_LISTS = false };
#else
enum { LIBC_WALKS_LISTS = true };
#endif

/* One half of a link: first `prev`, then `next`, and both point at a `next`, or at the list's head. Words are 4 bytes
 * behind a multiple of 8: so what is a multiple of 8 with musl is not with glibc. */
typedef void *pointer __attribute__((aligned(4)));

/* The private page behind a page of people. */
struct behind {
    char links[SEAT_AT]; /* one, where the word that is used wants it */
    struct seat seat;
};

static __thread struct robust_list_head *own_list OF_THREAD;
static __thread uint32_t own_number OF_THREAD;

/* Links may have bit 0 set: then they are of a mutex with priority inheritance. */
static pointer *next_at(void *link)
{
    return (pointer *)((uintptr_t)link & ~(uintptr_t)1);
}

static pointer *prev_at(void *link)
{
    return next_at(link) - 1;
}

static void enlist(pointer *link)
{
    pointer *first = (pointer *)&own_list->list.next;
    link[0] = first; /* prev */
    link[1] = *first;
    if (next_at(*first) != first)
        *prev_at(*first) = &link[1];
    atomic_signal_fence(memory_order_seq_cst); /* the kernel goes by next alone: this is the moment */
    *(volatile pointer *)first = &link[1];
    atomic_signal_fence(memory_order_seq_cst);
}

static void delist(pointer *link)
{
    atomic_signal_fence(memory_order_seq_cst);
    *(volatile pointer *)next_at(link[0]) = link[1];
    if (next_at(link[1]) != (pointer *)&own_list->list.next)
        *prev_at(link[1]) = link[0];
}

static pointer *link_of(struct seat *seat)
{
    return prev_at((char *)&seat->life->word - own_list->futex_offset);
}

/* --- the list of this thread -------------------------------------------------------------------------------------- */

/* As the kernel knows it; NULL: it does not, or there is no such call. */
static struct robust_list_head *told_list(void)
{
    size_t size;
    struct robust_list_head *head = NULL;
    return syscall(SYS_get_robust_list, 0, &head, &size) == 0 ? head : NULL;
}

/* Whether the links of all words of a page lie behind the page, and before the seat. */
static bool is_far_enough(long futex_offset)
{
    const long first = offsetof(struct people, life[0].word),
               last = offsetof(struct people, life[LIVES_PER_PAGE - 1].word);
    const long half = sizeof(pointer);
    return futex_offset % 4 == 0 && first - futex_offset - half >= GATE_PAGE &&
           last - futex_offset + half <= GATE_PAGE + SEAT_AT;
}

static bool is_within(const void *at, const pthread_mutex_t *mutex)
{
    return (uintptr_t)at >= (uintptr_t)mutex && (uintptr_t)at < (uintptr_t)(mutex + 1);
}

/* With two mutexes locked, one after the other. */
static bool shows_links(const struct robust_list_head *head, const pthread_mutex_t *first,
                        const pthread_mutex_t *second)
{
    if (head == NULL || !is_far_enough(head->futex_offset) || !is_within(head->list.next, second))
        return false;
    pointer *later = next_at(head->list.next), *earlier = next_at(*later);
    const uint32_t *word = (const uint32_t *)((char *)later + head->futex_offset);
    return is_within(earlier, first) && *prev_at(earlier) == later && *prev_at(later) == &head->list &&
           is_within(word, second) && (*word & FUTEX_TID_MASK) == (uint32_t)syscall(SYS_gettid);
}

/* A thread of musl has a list that the kernel knows once it has locked a mutex as these are. */
static bool libc_shows_its_list(void)
{
    pthread_mutex_t mutex[2];
    pthread_mutexattr_t kind;
    bool shown = false;
    pthread_mutexattr_init(&kind);
    if (pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST) == 0 &&
        pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED) == 0) {
        for (unsigned m = 0; m < 2; m++) {
            pthread_mutex_init(&mutex[m], &kind);
            pthread_mutex_lock(&mutex[m]);
        }
        shown = shows_links(told_list(), &mutex[0], &mutex[1]);
        for (unsigned m = 2; m-- > 0;) {
            pthread_mutex_unlock(&mutex[m]);
            pthread_mutex_destroy(&mutex[m]);
        }
    }
    pthread_mutexattr_destroy(&kind);
    return shown;
}

/* In a forked child. Nothing from the first wiped link on is the child's; nor was anything before it, but what it has
 * locked itself by now. */
static void cut_off_wiped(struct robust_list_head *head)
{
    pointer *const end = (pointer *)&head->list;
    for (pointer *at = end; next_at(*at) != end; at = next_at(*at))
        if (*next_at(*at) == NULL) {
            *at = end;
            return;
        }
}

static void cut_off_own_list(void)
{
    if (own_list != NULL)
        cut_off_wiped(own_list);
}

/* Once is enough; that several threads see to it at once does no harm. */
static bool libc_has_lists(void)
{
    static _Atomic bool known;
    if (!atomic_load(&known) && libc_shows_its_list())
        atomic_store(&known, !LIBC_WALKS_LISTS || pthread_atfork(NULL, NULL, cut_off_own_list) == 0);
    return atomic_load(&known);
}

/* Each time: a forked child has another number, and in a new pid namespace perhaps the same process number. */
static bool find_own_list(void)
{
    if (sysconf(_SC_PAGESIZE) != GATE_PAGE) { /* nothing of this machine's could be mapped behind a page of the file */
        admit_gate_error(ADMIT_UNSUPPORTED, "gates are for machines with pages of %d bytes", GATE_PAGE);
        return false;
    }
    bool has_lists = libc_has_lists();
    struct robust_list_head *head = has_lists ? told_list() : NULL;
    if (has_lists && head == NULL && libc_shows_its_list()) {
        head = told_list();
        cut_off_wiped(head);
    }
    if (head == NULL) {
        admit_gate_error(ADMIT_UNSUPPORTED, "this kernel tells of no robust list, or this libc has none as expected");
        return false;
    }
    long number = syscall(SYS_gettid);
    if (number <= 0 || number > LIFE_NUMBER) {
        admit_gate_error(ADMIT_UNSUPPORTED, "the system does not tell a thread its number");
        return false;
    }
    own_list = head;
    own_number = (uint32_t)number;
    return true;
}

/* Both words at once. */
union whole {
    struct {
        uint32_t anchor, word;
    };
    uint64_t both;
};

static _Atomic uint64_t *both_of(struct life_words *life)
{
    return (_Atomic uint64_t *)(void *)life;
}

static union whole whole(uint32_t word, uint32_t anchor)
{
    return (union whole){.word = word, .anchor = anchor};
}

static union whole look_at(struct life_words *life)
{
    return (union whole){.both = atomic_load(both_of(life))};
}

static bool changes_from(struct life_words *life, union whole from, union whole to)
{
    return atomic_compare_exchange_strong(both_of(life), &from.both, to.both);
}

/* --- on whose lists it is ----------------------------------------------------------------------------------------- */

static bool lists(_Atomic uint64_t *listed, union whole from, union whole to)
{
    return atomic_compare_exchange_strong(listed, &from.both, to.both);
}

static bool is_off(const admit_gate *gate, union whole listed)
{
    return listed.both == 0 || admit_anchor_is_gone(gate, listed.anchor);
}

/* Whether this thread may put the word on its list; then that is said. `dead`: the anchor of the owner, who has died,
 * so that the word is on its list no more; or 0. Once it is said, nobody else takes the record: so what is said of
 * lists before is looked at after that. */
static bool is_put_on_list(admit_gate *gate, struct person *person, union whole own, uint32_t dead)
{
    union whole now = {.both = atomic_load(&person->listed)}, before = {.both = atomic_load(&person->listed_before)};
    bool is_free = is_off(gate, now) || (dead != 0 && now.anchor == dead && now.word != own.word);
    /* One that is not anchored may have been killed just before it took it off. It must not be forgotten. */
    bool is_doubtful = !is_free && !admit_anchor_holds(gate, now.anchor) && now.word != own.word;
    if (is_doubtful)
        is_free = is_off(gate, before) && lists(&person->listed_before, before, now);
    if (!is_free || !lists(&person->listed, now, own))
        return false;
    before.both = atomic_load(&person->listed_before);
    if (is_off(gate, before) || before.word != own.word)
        return true;
    lists(&person->listed, own, whole(0, 0));
    return false;
}

static void is_off_list(struct person *person, union whole own)
{
    lists(&person->listed, own, whole(0, 0));
    lists(&person->listed_before, own, whole(0, 0));
}

/* --- owners ------------------------------------------------------------------------------------------------------- */

static struct person *person_at(struct seat *seat)
{
    struct people *page = (struct people *)(void *)((char *)seat - SEAT_AT - GATE_PAGE);
    return &page->person[seat->who % LIVES_PER_PAGE];
}

/* The seat is among the handle's from now on; NULL: no memory. */
static struct anchor *register_seat(admit_gate *gate, struct seat *seat)
{
    struct gate_local *local = gate->local;
    admit_seats_lock();
    seat->anchor = admit_anchor(gate);
    seat->next_of_gate = local->seats;
    local->seats = seat;
    admit_seats_unlock();
    return seat->anchor;
}

static void unregister_seat(struct seat *seat)
{
    admit_seats_lock();
    if (!seat->closed)
        admit_life_disconnect(seat);
    admit_anchor_release(seat->anchor);
    admit_seats_unlock();
}

static void free_seat(struct seat *seat)
{
    unregister_seat(seat);
    munmap((char *)seat - SEAT_AT - GATE_PAGE, 2 * GATE_PAGE);
}

/* Both words at once, so that nobody finds this thread's number beside another's anchor. What is kept back for nobody may
 * have been a dead one's, or that of one that is about to take it off its list: neither's end changes a word that has
 * another's number. */
static bool is_taken(admit_gate *gate, struct seat *seat, uint32_t from)
{
    union whole now = look_at(seat->life), own = whole(own_number, seat->anchor->number);
    bool has_no_owner = (from & FUTEX_OWNER_DIED) != 0 || from == LIFE_RESERVED;
    if (now.word != from || !is_put_on_list(gate, person_at(seat), own, has_no_owner ? now.anchor : 0))
        return false;
    enlist(link_of(seat));
    if (changes_from(seat->life, now, whole(own_number | FUTEX_WAITERS | (from & FUTEX_OWNER_DIED), own.anchor)))
        return true;
    delist(link_of(seat));
    is_off_list(person_at(seat), own);
    return false;
}

struct seat *admit_life_claim(admit_gate *gate, unsigned who, uint32_t from, bool *failed)
{
    *failed = true;
    if (!find_own_list())
        return NULL;
    int fd = admit_fd(&gate->file);
    if (fd < 0) {
        admit_descriptor_error(gate);
        return NULL;
    }
    off_t at = (off_t)((char *)&gate->people[who / LIVES_PER_PAGE] - (char *)gate->header);
    char *pages = mmap(NULL, 2 * GATE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        admit_gate_system_error("map memory for", gate->path);
        return NULL;
    }
    if (mmap(pages, GATE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, at) == MAP_FAILED ||
        (LIBC_WALKS_LISTS && madvise(pages, GATE_PAGE, MADV_DONTFORK) != 0) || /* lest a child marks it */
        madvise(pages + GATE_PAGE, GATE_PAGE, MADV_WIPEONFORK) != 0) {
        admit_gate_system_error("map", gate->path);
        munmap(pages, 2 * GATE_PAGE);
        return NULL;
    }
    *failed = false;
    struct seat *seat = &((struct behind *)(pages + GATE_PAGE))->seat;
    *seat = (struct seat){.gate = gate, .state = gate->serial | SEAT_AMONG_OTHERS, .who = who, .number = own_number};
    seat->sleeper = (struct sleeper){.gate = gate, .seat = seat};
    seat->life = &((struct people *)pages)->life[who % LIVES_PER_PAGE];
    if (register_seat(gate, seat) == NULL) {
        admit_gate_error(ADMIT_NO_MEMORY, "out of memory");
        *failed = true;
    } else if (is_taken(gate, seat, from)) {
        return seat;
    }
    free_seat(seat);
    return NULL;
}

void admit_life_begin(struct seat *seat)
{
    atomic_store(&seat->life->word, own_number | FUTEX_WAITERS);
}

bool admit_life_is_own(const struct seat *seat)
{
    return seat->number == own_number;
}

/* Whoever finds the word marked takes it that it is on no list any more. So it comes off first; if the thread is killed
 * just then, its anchor tells. Without one there is only the kernel's word: then it comes off last. */
void admit_life_release(struct seat *seat, uint32_t to)
{
    struct life_words *life = seat->life;
    union whole own = whole(own_number, seat->anchor->number), now = look_at(life);
    bool off_first = to == (uint32_t)LIFE_MARKED && seat->anchor->mapping != NULL;
    if (off_first) {
        delist(link_of(seat));
        is_off_list(person_at(seat), own);
    }
    if (!seat->closed)
        atomic_store(both_of(life), whole(to, own.anchor).both);
    else if ((now.word & LIFE_NUMBER) == own.word && now.anchor == own.anchor) /* it could not be taken away */
        changes_from(life, now, whole(to, own.anchor));
    if (to == (uint32_t)LIFE_MARKED) /* as the kernel does */
        syscall(SYS_futex, &life->word, FUTEX_WAKE, 1, NULL, NULL, 0);
    if (!off_first) {
        delist(link_of(seat));
        is_off_list(person_at(seat), own);
    }
    if (!seat->closed && to == LIFE_NOBODY && seat->who < seat->gate->records)
        admit_vacated(seat->gate);
    free_seat(seat);
}

void admit_vacated(admit_gate *gate)
{
    if (atomic_load(&gate->header->outside) == 0)
        return;
    atomic_fetch_add(&gate->header->vacated, 1);
    syscall(SYS_futex, &gate->header->vacated, FUTEX_WAKE, 1, NULL, NULL, 0);
    admit_call_usher(gate); /* whoever was called may have been killed */
}

/* Whoever is woken has lost its rank among those asleep: so there are not two called for one post. */
void admit_call_usher(admit_gate *gate)
{
    if (atomic_load(&gate->header->outside) == 0 || has_usher(gate) || is_usher_on_its_way(gate))
        return;
    atomic_store(&gate->header->called_at, admit_now());
    syscall(SYS_futex, life_of(gate, usher_of(gate)), FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* If it is that thread's still: it may have ended without a word, and the record have another owner. */
bool admit_life_may_be_taken_away(struct seat *seat)
{
    if (LIBC_WALKS_LISTS) /* the record is free when the thread comes by, or ends */
        return false;
    struct person *person = person_at(seat);
    union whole own = whole(seat->number, seat->anchor->number);
    union whole before = {.both = atomic_load(&person->listed_before)};
    return look_at(seat->life).both == whole(own.word | FUTEX_WAITERS, own.anchor).both && is_off(seat->gate, before) &&
           lists(&person->listed_before, before, own);
}

void admit_life_take_away(struct seat *seat, uint32_t to)
{
    struct person *person = person_at(seat);
    union whole own = whole(seat->number, seat->anchor->number), alive = whole(own.word | FUTEX_WAITERS, own.anchor);
    if (!changes_from(seat->life, alive, whole(to, 0))) {
        lists(&person->listed_before, own, whole(0, 0));
        return;
    }
    lists(&person->listed, own, whole(0, 0));
    if (to == LIFE_NOBODY)
        admit_vacated(seat->gate);
}

void admit_life_disconnect(struct seat *seat)
{
    struct seat **at = &seat->gate->local->seats;
    while (*at != NULL && *at != seat)
        at = &(*at)->next_of_gate;
    if (*at != NULL)
        *at = seat->next_of_gate;
    seat->closed = true;
}

/* --- who is dead -------------------------------------------------------------------------------------------------- */

bool admit_goes_to_nobody(const struct sleeper *sleeper, unsigned who)
{
    struct life_words *words = whole_life_of(sleeper->gate, who);
    union whole life = look_at(words);
    return life.word == (uint32_t)LIFE_MARKED && changes_from(words, life, whole(LIFE_RESERVED, life.anchor));
}

void admit_comes_from_nobody(const struct sleeper *sleeper, unsigned who)
{
    struct life_words *words = whole_life_of(sleeper->gate, who);
    union whole life = look_at(words);
    if (life.word == LIFE_RESERVED)
        changes_from(words, life, whole(LIFE_JUDGED, life.anchor));
}

/* The ticket, read before the word was found marked, of one that was killed inside a gate which is being made smaller. */
static bool is_kept(admit_gate *gate, unsigned who, uint64_t ticket)
{
    struct sleeper sleeper = {.gate = gate};
    struct note_draw draw = {.whose = who};
    if (!admit_keeps_back(gate))
        return false;
    run_text(note_draw, gate, who, &draw, &sleeper);
    struct keep_back frame = {.whose = who, .its = draw.its};
    if (ticket_of(draw.its) == ticket && is_outstanding(draw.its))
        run_text(keep_back, gate, who, &frame, &sleeper);
    if (frame.kept)
        atomic_store(&gate->header->resizing, 1); /* a manager that did not see this one may have ended it */
    return frame.kept;
}

/* Counted once for each death: by whoever changes the word from marked. How the dead one stood was read before its heirs
 * were asked for: if the record has that ticket still, it has had no other owner since, whose command may run. */
static void take_note_of_death(admit_gate *gate, unsigned who, struct standing standing)
{
    struct life_words *words = whole_life_of(gate, who);
    union whole life = look_at(words);
    if (life.word != (uint32_t)LIFE_MARKED)
        return;
    if (!(standing.stage == STAGE_VALID && is_kept(gate, who, standing.ticket)) &&
        (!changes_from(words, life, whole(LIFE_JUDGED, life.anchor)) || standing.stage == STAGE_OUT))
        return;
    atomic_fetch_add(&gate->header->recovered, 1);
    if (standing.stage != STAGE_VALID)
        atomic_fetch_add(&gate->header->died_waiting, 1);
}

bool admit_is_marked(const struct sleeper *sleeper, unsigned who)
{
    return (atomic_load(life_of(sleeper->gate, who)) & FUTEX_OWNER_DIED) != 0;
}

bool admit_is_dead_now(admit_gate *gate, unsigned who)
{
    uint32_t life = atomic_load(life_of(gate, who));
    if ((life & FUTEX_OWNER_DIED) == 0)
        return false;
    struct standing standing = admit_protocol_standing(gate, who);
    if (!admit_has_no_heir(gate, who))
        return false;
    if (life == (uint32_t)LIFE_MARKED)
        take_note_of_death(gate, who, standing);
    return (atomic_load(life_of(gate, who)) & FUTEX_OWNER_DIED) != 0;
}

/* The anchor is gone, and nobody in sight has the number of the process that it was of, or that has no such thread any more:
 * whatever may be wrong with the one or the other, both are not. (If a thread that is not the first executes another program,
 * the kernel gives it the first one's number before it reads the list, and marks nothing; the process goes on.) */
bool admit_life_is_gone(const admit_gate *gate, unsigned who, uint32_t word, uint32_t anchor)
{
    const struct person *person = person_of(gate, who);
    if (!admit_life_names_thread(word) || !admit_anchor_is_gone(gate, anchor))
        return false;
    uint32_t pid = atomic_load(&person->pid), namespace = atomic_load(&person->pid_namespace);
    bool same_time = atomic_load(&person->time_namespace) == admit_time_namespace();
    return pid == 0 || pid > INT_MAX || namespace == 0 || namespace != admit_pid_namespace() ||
           admit_process_state(pid, atomic_load(&person->identity), same_time) != HEIR_LIVES ||
           !admit_process_has_thread(pid, word & LIFE_NUMBER);
}

/* As the kernel would have done. */
void admit_life_mark_if_gone(admit_gate *gate, unsigned who)
{
    struct life_words *life = whole_life_of(gate, who);
    union whole now = look_at(life);
    if (admit_life_is_gone(gate, who, now.word, now.anchor) &&
        changes_from(life, now, whole((uint32_t)LIFE_MARKED, now.anchor)))
        syscall(SYS_futex, &life->word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

bool admit_seems_dead(const admit_gate *gate, unsigned who)
{
    union whole now = look_at(whole_life_of(gate, who));
    return (now.word & FUTEX_OWNER_DIED) != 0 || admit_life_is_gone(gate, who, now.word, now.anchor);
}

void admit_life_clear_unless_anchored(admit_gate *gate, unsigned who)
{
    struct life_words *life = whole_life_of(gate, who);
    struct person *person = person_of(gate, who);
    _Atomic uint64_t *lists_of[] = {&person->listed, &person->listed_before};
    union whole now = look_at(life);
    if (!admit_anchor_holds(gate, now.anchor))
        changes_from(life, now, whole(LIFE_NOBODY, 0));
    for (unsigned l = 0; l < 2; l++) {
        union whole listed = {.both = atomic_load(lists_of[l])};
        if (!admit_anchor_holds(gate, listed.anchor))
            lists(lists_of[l], listed, whole(0, 0));
    }
}
