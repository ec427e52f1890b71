/* SPDX-License-Identifier: MIT
 *
 * A gate that an earlier version has made (layout 3, 4 or 5). If nobody is inside or waits, it is made anew, with the same
 * k, which is its declared one from now on, capacity and mode; otherwise it is refused, and those concerned are named.
 * Whoever removes it by force makes it anew in any case, and removes that: those inside go on, in no gate.
 *
 * What is known of those layouts here: the cells, and what is read of the header, are where they are now; so are life
 * words in layout 5, and 4 bytes before in layouts 3 and 4. Whoever enters looks at `removed` after its draw, and if that is
 * UNDECIDED, it objects (4 and 5), or waits for a lock on byte 0 of the file (3), which whoever makes it anew has: so that
 * either it is seen here, or it finds that the gate has been removed. In layout 3 a participant has 128 bytes, and whoever
 * manages has that lock; from layout 4 on both are as they are now, and whoever makes it anew becomes its manager first:
 * others would take away the file of a gate that has been removed, or change its k.
 */
#include "gate/calls/calls.h"
#include "native/printable.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { OLDEST_LAYOUT = 3, FIRST_WITH_MANAGER = 4, FIRST_WITH_WORD_LAST = 5 };
enum { PEOPLE_NAMED = 4, PEOPLE_SIZE = 300, RENEW_TRIES = 100 };
#define A_MANAGER "a process that manages it"

/* Of layout 3. */
struct older_person {
    int64_t waiting_since, inside_since;
    uint64_t ticket;
    uint32_t pid, pid_namespace;
    char command[ADMIT_COMMAND_SIZE];
};

/* The life word and its anchor, the one or the other first. */
struct older_life {
    _Alignas(8) _Atomic uint32_t half[2];
};

struct older_people {
    union {
        struct older_person layout_3[LIVES_PER_PAGE];
        struct person layout_4[LIVES_PER_PAGE];
        char fill[GATE_PAGE - LIVES_PER_PAGE * sizeof(struct older_life)];
    };
    struct older_life life[LIVES_PER_PAGE];
};
_Static_assert(sizeof(struct older_people) == GATE_PAGE, "as it was");

struct older {
    admit_gate gate;
    uint32_t layout; /* a checked copy */
    struct gate_local local;
    struct anchor *anchor; /* NULL: none */
    uint64_t managing;     /* what this process wrote to manage it; 0: nothing */
};

static bool has_manager(const struct older *older)
{
    return older->layout >= FIRST_WITH_MANAGER;
}

static size_t older_size(const struct gate_places *places, uint32_t layout)
{
    unsigned lives = places->records + (layout >= FIRST_WITH_MANAGER);
    return places->people + (lives + LIVES_PER_PAGE - 1) / LIVES_PER_PAGE * GATE_PAGE;
}

static const struct older_people *page_of(const struct older *older, unsigned who)
{
    return &((const struct older_people *)older->gate.people)[who / LIVES_PER_PAGE];
}

static unsigned word_at(const struct older *older)
{
    return older->layout >= FIRST_WITH_WORD_LAST;
}

static uint32_t older_life(const struct older *older, unsigned who)
{
    return atomic_load(&page_of(older, who)->life[who % LIVES_PER_PAGE].half[word_at(older)]);
}

/* The two words of the manager, at once. */
union managing {
    uint32_t half[2];
    uint64_t both;
};

static _Atomic uint64_t *manager_in(const struct older *older)
{
    const unsigned who = manager_of(&older->gate);
    return (_Atomic uint64_t *)(void *)&page_of(older, who)->life[who % LIVES_PER_PAGE];
}

/* As a process of that version would be. But the word is on no list of this thread: so it is taken only by a process that
 * is anchored, by which all learn it if it is killed. One that cannot be anchored goes on without: then one of that
 * version that removes the gate just then may take the new file's name away. */
static bool is_taken(struct older *older, union managing now)
{
    const unsigned word = word_at(older);
    union managing own;
    own.half[word] = (uint32_t)syscall(SYS_gettid) | FUTEX_WAITERS;
    admit_seats_lock();
    if (older->anchor == NULL)
        older->anchor = admit_anchor(&older->gate);
    admit_seats_unlock();
    if (older->anchor == NULL || older->anchor->mapping == NULL)
        return true;
    own.half[!word] = older->anchor->number;
    if (!atomic_compare_exchange_strong(manager_in(older), &now.both, own.both))
        return false;
    older->managing = own.both;
    admit_introduce_process(person_of(&older->gate, manager_of(&older->gate)));
    return true;
}

/* False: another does, and does not come to an end. */
static bool manages(struct older *older)
{
    if (!has_manager(older))
        return true;
    for (unsigned tries = 0; tries < RENEW_TRIES; tries++) {
        union managing now = {.both = atomic_load(manager_in(older))};
        const uint32_t life = now.half[word_at(older)], anchor = now.half[!word_at(older)];
        if (!admit_life_names_thread(life) || admit_life_is_gone(&older->gate, manager_of(&older->gate), life, anchor))
            if (is_taken(older, now))
                return true;
        usleep(1000);
    }
    return false;
}

static void manage_no_more(struct older *older)
{
    if (older->managing != 0)
        atomic_compare_exchange_strong(manager_in(older), &older->managing, LIFE_NOBODY);
}

static void let_anchor_go(struct older *older)
{
    admit_seats_lock();
    admit_anchor_release(older->anchor);
    admit_anchor_release(older->local.anchor);
    admit_seats_unlock();
}

/* Of one that was found dead: as the text's withdraw has it, but that the life word may be elsewhere. The last step tells
 * too that nothing has been bequeathed since. In layout 3 heirs have locked other bytes: of none can it be told. */
static bool has_no_heir(const struct older *older, unsigned who)
{
    long pid;
    uint64_t heir = atomic_load(&older->gate.cells.heir[who].value);
    if (heir != 0 && (!has_manager(older) || (older_life(older, who) & FUTEX_OWNER_DIED) == 0))
        return false;
    return admit_heir_seen(&older->gate, who, &pid) == HEIR_NONE && admit_heir_withdrawn(&older->gate, who, heir);
}

/* Whether it is inside or waits, as far as can be told; a dead one is not, unless it may have an heir. */
static bool takes_part(const struct older *older, unsigned who)
{
    uint32_t life = older_life(older, who);
    if (life == LIFE_RESERVED || admit_protocol_standing(&older->gate, who).stage == STAGE_OUT)
        return false;
    return (life & FUTEX_OWNER_DIED) == 0 ? life != LIFE_NOBODY : !has_no_heir(older, who);
}

/* "4711 (train), 4712 (sort)"; "" if there is nobody. */
static void name_people(const struct older *older, char *text, size_t size)
{
    size_t length = 0;
    unsigned named = 0;
    text[0] = '\0';
    for (unsigned who = 0; who < present_in(&older->gate) && named < PEOPLE_NAMED; who++) {
        if (!takes_part(older, who))
            continue;
        const struct older_person *person = &page_of(older, who)->layout_3[who % LIVES_PER_PAGE];
        const struct person *later = &page_of(older, who)->layout_4[who % LIVES_PER_PAGE];
        uint32_t pid = has_manager(older) ? atomic_load(&later->pid) : person->pid;
        char command[41];
        admit_printable(has_manager(older) ? later->command : person->command, command, sizeof command);
        length += (size_t)snprintf(text + length, size - length, "%s%u (%s)", named++ > 0 ? ", " : "", pid, command);
    }
}

/* Its group, if the new file has another: by a descriptor, lest somebody put another file there meanwhile. */
static bool has_group(int directory, const char *file, const struct stat *status)
{
    struct stat now;
    int fd = openat(directory, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool has = fd >= 0 && fstat(fd, &now) == 0 && now.st_uid == geteuid() && now.st_nlink == 1 &&
               (now.st_gid == status->st_gid || fchown(fd, (uid_t)-1, status->st_gid) == 0);
    if (fd >= 0)
        close(fd);
    return has;
}

/* The new one, under a name that no gate has. */
static admit_error make_beside(const admit_gate *gate, const struct older *older, unsigned k, const struct stat *status,
                               char other[NAME_MAX + 1])
{
    admit_gate_options options = {.k = k,
                                  .most_k = older->gate.most_k,
                                  .capacity = older->gate.capacity,
                                  .mode = (unsigned)status->st_mode & 0666};
    snprintf(other, NAME_MAX + 1, "%.64s~%llx", file_name_of(gate), (unsigned long long)admit_now());
    admit_error error = admit_gate_make(gate->directory.fd, other, gate->path, &options);
    if (error == ADMIT_OK && !has_group(gate->directory.fd, other, status)) {
        error = admit_gate_system_error("make anew", gate->path);
        unlinkat(gate->directory.fd, other, 0);
    }
    return error;
}

/* Whether the name still leads to the old file: another may have been faster. */
static bool is_named(const admit_gate *gate, const struct stat *status)
{
    struct stat now;
    return fstatat(gate->directory.fd, file_name_of(gate), &now, AT_SYMLINK_NOFOLLOW) == 0 &&
           now.st_dev == status->st_dev && now.st_ino == status->st_ino;
}

static admit_error still_used(const admit_gate *gate, const char *people)
{
    return admit_gate_error(ADMIT_OTHER_GATE_LAYOUT,
                            "%s was made by an earlier version of admit, and is in use by %s; it is made anew when "
                            "they have gone: end them, or take it from them by `admit remove --force`",
                            gate->path, people);
}

/* From now on nobody enters; or an error, if somebody is there, or objects all the time. */
static admit_error retire_older(const admit_gate *gate, const struct older *older)
{
    char people[PEOPLE_SIZE];
    _Atomic uint32_t *removed = &older->gate.header->removed;
    for (unsigned tries = 0; tries < RENEW_TRIES; tries++) {
        uint32_t before = atomic_load(removed), undecided = with_removal(before, REMOVAL_UNDECIDED);
        if (is_final(before))
            return ADMIT_OK;
        if (!atomic_compare_exchange_strong(removed, &before, undecided))
            continue;
        name_people(older, people, sizeof people);
        const bool is_in_the_way = people[0] != '\0' && !gate->by_force;
        enum removal decision = is_in_the_way ? REMOVAL_NONE : REMOVAL_DONE;
        bool decided = atomic_compare_exchange_strong(removed, &undecided, with_removal(undecided, decision));
        if (is_in_the_way)
            return still_used(gate, people);
        if (decided)
            return ADMIT_OK;
    }
    return still_used(gate, "others that come and go all the time");
}

/* The name leads to the one or the other all the time: whoever finds that the gate has been removed, and its file still
 * there, would take that away. */
static admit_error take_place(const admit_gate *gate, const struct older *older, unsigned k, const char *other)
{
    _Atomic uint32_t *removed = &older->gate.header->removed;
    const bool was_final = is_final(atomic_load(removed));
    admit_error error = retire_older(gate, older);
    if (error != ADMIT_OK)
        return error;
    uint32_t done = atomic_load(removed);
    if (atomic_load(&older->gate.header->k) != k)
        error = still_used(gate, A_MANAGER);
    else if (renameat(gate->directory.fd, other, gate->directory.fd, file_name_of(gate)) != 0)
        error = admit_gate_system_error("make anew", gate->path);
    if (error != ADMIT_OK && !was_final)
        atomic_compare_exchange_strong(removed, &done, with_removal(done, REMOVAL_NONE));
    syscall(SYS_futex, &older->gate.header->removed, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    return error;
}

static admit_error renew_managed(const admit_gate *gate, const struct older *older, const struct stat *status)
{
    char other[NAME_MAX + 1];
    uint32_t k = atomic_load(&older->gate.header->k);
    if (!is_named(gate, status))
        return ADMIT_OK;
    if (k < 1 || k > older->gate.most_k)
        return admit_gate_error(ADMIT_GATE_CORRUPT, "%s has been overwritten: its k is out of range", gate->path);
    admit_error error = make_beside(gate, older, k, status, other);
    if (error != ADMIT_OK)
        return error;
    error = take_place(gate, older, k, other);
    if (error != ADMIT_OK)
        unlinkat(gate->directory.fd, other, 0);
    return error;
}

/* With the lock. One in use is not touched. */
static admit_error renew_locked(const admit_gate *gate, struct older *older, const struct stat *status)
{
    char people[PEOPLE_SIZE];
    name_people(older, people, sizeof people);
    if (!is_named(gate, status) && !is_final(atomic_load(&older->gate.header->removed)))
        return still_used(gate, people[0] != '\0' ? people : "others, but its file was deleted or moved away");
    if (!is_named(gate, status))
        return ADMIT_OK;
    if (people[0] != '\0' && !gate->by_force)
        return still_used(gate, people);
    if (!manages(older))
        return still_used(gate, A_MANAGER);
    admit_error error = renew_managed(gate, older, status);
    manage_no_more(older);
    return error;
}

static admit_error renew_mapped(const admit_gate *gate, char *memory, const struct gate_header *header,
                                const struct gate_places *places, const struct stat *status)
{
    struct older older = {.gate = *gate, .layout = header->layout};
    older.gate.local = &older.local;
    older.gate.name_bytes = admit_gate_name_bytes(gate->directory.fd, file_name_of(gate));
    admit_gate_set_up(&older.gate, memory, places, header->most_k, header->capacity);
    int lock = admit_lock_file(gate, 0);
    if (lock < 0)
        return admit_gate_error(ADMIT_BUSY, "%s was made by an earlier version of admit, and is locked: by %s",
                                gate->path, "a process that manages it, or that may only read it");
    admit_error error = renew_locked(gate, &older, status);
    let_anchor_go(&older);
    close(lock);
    return error;
}

admit_error admit_gate_renew(const admit_gate *gate)
{
    struct stat status;
    struct gate_header header;
    struct gate_places places;
    if (fstat(gate->file.fd, &status) != 0 || pread(gate->file.fd, &header, sizeof header, 0) != (ssize_t)sizeof header)
        return admit_gate_system_error("read", gate->path);
    const bool is_older = header.layout >= OLDEST_LAYOUT && header.layout < GATE_LAYOUT;
    if (!is_older || gate->look_only)
        return admit_gate_error(ADMIT_OTHER_GATE_LAYOUT,
                                "%s was made by another version of admit (layout %u; this is admit %s, layout %d)%s",
                                gate->path, header.layout, admit_version(), GATE_LAYOUT,
                                is_older ? "; whoever uses it next makes it anew, with the same k" : "");
    admit_error error = admit_gate_check_numbers(&header, &places, gate->path);
    if (error != ADMIT_OK)
        return error;
    if (header.size != older_size(&places, header.layout) || (uint64_t)status.st_size != header.size)
        return admit_gate_error(ADMIT_GATE_CORRUPT, "%s has been overwritten: its sizes do not agree", gate->path);
    if (status.st_uid != geteuid())
        return admit_gate_error(
            ADMIT_OTHER_GATE_LAYOUT,
            "%s was made by an earlier version of admit; its owner, user %lu, makes it anew by using it", gate->path,
            (unsigned long)status.st_uid);
    char *memory = mmap(NULL, header.size, PROT_READ | PROT_WRITE, MAP_SHARED, gate->file.fd, 0);
    if (memory == MAP_FAILED)
        return admit_gate_system_error("map", gate->path);
    error = renew_mapped(gate, memory, &header, &places, &status);
    munmap(memory, header.size);
    return error == ADMIT_OK ? ADMIT_REMOVED : error;
}
