/* SPDX-License-Identifier: MIT
 *
 * What is in a gate's file: where its parts are, files that nobody should trust, and those of earlier versions and boots.
 */
#include "gate_open.h"

#include "gate/calls/calls.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static _Alignas(64) char image[1 << 20];
static size_t image_size;

static void write_file(const char *path, const void *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    close(fd);
}

static void read_image(void)
{
    int fd = open(path_of("image"), O_RDONLY);
    image_size = (size_t)read(fd, image, sizeof image);
    close(fd);
    assert_true(image_size > 8192 && image_size < sizeof image);
}

/* With this capacity a page more is needed than in earlier layouts; with one more, than in layout 3. */
static admit_gate_options of_image = {.k = 2, .most_k = 3, .capacity = 9};

static void make_image(void)
{
    admit_gate_close(admit_gate_open_with("image", &of_image));
    read_image();
    assert_int_equal(admit_gate_remove("image", 0), ADMIT_OK);
}

/* Before layout 5 life words were the first half of 8 bytes each. In layout 3 each participant had 128 bytes: the first 24, which are
 * what they are now, the process and its namespace, and the command. */
static void place_people_as_before(unsigned layout)
{
    struct gate_places places;
    admit_gate_places(&places, of_image.most_k, of_image.capacity);
    for (size_t page = places.people; page < image_size; page += GATE_PAGE)
        for (unsigned p = 0; p < LIVES_PER_PAGE; p++) {
            struct people *people = (struct people *)(image + page);
            struct person one = people->person[p];
            uint32_t life[] = {people->life[p].word, people->life[p].anchor};
            if (layout < 5)
                memcpy(&people->life[p], life, sizeof life);
            if (layout > 3)
                continue;
            uint32_t process[] = {one.pid, one.pid_namespace};
            char *before = image + page + p * 128;
            memcpy(before, &one, 24);
            memcpy(before + 24, process, sizeof process);
            memcpy(before + 32, one.command, ADMIT_COMMAND_SIZE);
        }
}

/* Where layouts 4 and 5 had the two words of the participant, or of the manager, and which of them is its life. */
static uint32_t *words_in_layout(unsigned who)
{
    struct gate_places places;
    admit_gate_places(&places, of_image.most_k, of_image.capacity);
    return (uint32_t *)(void *)(image + places.people + (who / 3 + 1) * GATE_PAGE - 24 + who % 3 * 8);
}

static uint32_t *life_in_layout(unsigned layout, unsigned who)
{
    return words_in_layout(who) + (layout >= 5);
}

/* The image, as layouts 3, 4 and 5 were. */
static void make_older(unsigned layout)
{
    struct gate_header *header = (struct gate_header *)image;
    struct gate_places places;
    admit_gate_places(&places, of_image.most_k, of_image.capacity);
    place_people_as_before(layout);
    memset(image + 188, 0, 2048 + 256 - 188); /* what is new in the header, and hints, which were elsewhere */
    image_size = places.people + (places.records + (layout > 3) + 2) / 3 * GATE_PAGE; /* three on a page; a manager */
    header->size = image_size;
    header->layout = layout;
    header->checksum = 0xcbf29ce484222325;
    for (size_t at = 0; at < offsetof(struct gate_header, checksum); at++)
        header->checksum = (header->checksum ^ (unsigned char)image[at]) * 0x100000001b3;
}

static void make_older_image(unsigned layout, bool with_one_inside)
{
    admit_hold hold;
    admit_gate *gate = admit_gate_open_with("image", &of_image);
    if (with_one_inside)
        assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    read_image();
    if (with_one_inside)
        assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    admit_gate_close(gate);
    assert_int_equal(admit_gate_remove("image", 0), ADMIT_OK);
    make_older(layout);
}

/* With two inside, and all others in line. */
static void make_older_image_with(unsigned layout, unsigned people)
{
    pid_t child[16];
    admit_gate *gate = admit_gate_open_with("image", &of_image);
    for (unsigned c = 0; c < people; c++) {
        child[c] = fork();
        if (child[c] == 0) {
            admit_hold hold;
            admit_gate_enter(gate, &hold);
            for (;;)
                pause();
        }
    }
    while (waiters_of(gate) < people - of_image.k)
        usleep(500);
    read_image();
    for (unsigned c = 0; c < people; c++) {
        kill(child[c], SIGKILL);
        waitpid(child[c], NULL, 0);
    }
    admit_gate_close(gate);
    assert_int_equal(admit_gate_remove("image", 1), ADMIT_OK);
    make_older(layout);
}

/* As docs/gate.md tells, for m = 3 and r = 10. */
static void parts_of_the_file_are_where_they_should_be(void **state)
{
    (void)state;
    admit_gate gate = {0};
    struct gate_places places;
    admit_gate_places(&places, 3, 8);
    assert_int_equal(places.records, 10);
    admit_gate_set_up(&gate, image, &places, 3, 8);
    assert_ptr_equal(gate.header, image);
    assert_ptr_equal(gate.cells.issue, image + 4096);
    assert_ptr_equal(gate.cells.valid, image + 4160);
    assert_ptr_equal(gate.cells.slot, image + 4224);
    assert_ptr_equal(gate.cells.record, image + 4224 + 64 * 2);
    assert_ptr_equal(gate.cells.heir, image + 4224 + 64 * (2 + 10));
    assert_ptr_equal(gate.spot, image + 4224 + 64 * (2 + 20));
    assert_ptr_equal(gate.people, image + 8192);
    assert_int_equal(places.size, 8192 + 4 * 4096);
    admit_gate_places(&places, 3, 9); /* eleven, the manager and the first outside */
    assert_int_equal(places.size, 8192 + 5 * 4096);
}

static void strange_files_are_refused(void **state)
{
    (void)state;
    char path[PATH_MAX];
    strcpy(path, path_of("bad"));
    struct gate_header *header = (struct gate_header *)image;
    const admit_gate_options two = {.k = 2};
    make_image();
    write_file(path, "", 0);
    assert_refused("bad", &two, ADMIT_NOT_A_GATE, "0 bytes");
    write_file(path, "hello", 5);
    assert_refused("bad", &two, ADMIT_NOT_A_GATE, "5 bytes");
    assert_int_equal(admit_gate_remove("bad", 1), ADMIT_NOT_A_GATE);
    write_file(path, image, image_size - 1);
    assert_refused("bad", &two, ADMIT_GATE_CORRUPT, "bytes");
    write_file(path, image, 4096);
    assert_refused("bad", &two, ADMIT_GATE_CORRUPT, "bytes");
    header->layout++;
    write_file(path, image, image_size);
    assert_refused("bad", &two, ADMIT_OTHER_GATE_LAYOUT, "layout 6");
    header->layout--;
    header->machine ^= 12 << 16;
    write_file(path, image, image_size);
    assert_refused("bad", &two, ADMIT_OTHER_GATE_LAYOUT, "32-bit");
    header->machine ^= 12 << 16;
    header->most_k = 100000;
    write_file(path, image, image_size);
    assert_refused("bad", &two, ADMIT_GATE_CORRUPT, "checksum");
    make_image();
    header->k = 9;
    write_file(path, image, image_size);
    assert_refused("bad", &two, ADMIT_GATE_CORRUPT, "k is out of range");
    header->k = 2;
    for (unsigned declared = 0; declared <= 4; declared += 4) {
        header->declared_k = declared;
        write_file(path, image, image_size);
        assert_refused("bad", &two, ADMIT_GATE_CORRUPT, "k is out of range");
    }
    unlink(path);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    assert_refused("bad", &two, ADMIT_NOT_A_GATE, "symbolic link");
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_refused("bad", &two, ADMIT_NOT_A_GATE, "regular");
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_refused("bad", &two, ADMIT_SYSTEM, "directory");
    rmdir(path);
    if (geteuid() == 0) {
        make_image();
        write_file(path, image, image_size);
        assert_int_equal(chown(path, 12345, 12345), 0);
        assert_refused("bad", &two, ADMIT_NOT_YOURS, "user 12345");
        unlink(path);
    }
}

static void is_made_anew(unsigned layout)
{
    const char *path = path_of("older");
    struct stat before, after;
    make_older_image(layout, false);
    write_file(path, image, image_size);
    assert_int_equal(chmod(path, 0660), 0);
    assert_int_equal(stat(path, &before), 0);
    assert_refused("older", &(admit_gate_options){.look_only = 1}, ADMIT_OTHER_GATE_LAYOUT, "makes it anew");
    const unsigned descriptors = descriptors_of_this_process();
    admit_gate *gate = admit_gate_open("older", 0);
    if (gate == NULL)
        fail_msg("%s", admit_last_error_text());
    assert_int_equal(descriptors_of_this_process(), descriptors + 2); /* the file, and its directory */
    assert_int_equal(admit_gate_k(gate), 2);
    assert_int_equal(admit_gate_declared_k(gate), 2);
    assert_int_equal(admit_gate_most_k(gate), 3);
    assert_int_equal(admit_gate_capacity(gate), of_image.capacity);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(after.st_mode, before.st_mode);
    assert_int_not_equal(after.st_ino, before.st_ino);
    assert_all_slots_are_there(gate, 2);
    admit_gate_close(gate);
    assert_int_equal(admit_gate_remove("older", 0), ADMIT_OK);
}

static void a_gate_of_an_earlier_version_is_made_anew(void **state)
{
    (void)state;
    for (of_image.capacity = 8; of_image.capacity <= 10; of_image.capacity++)
        for (unsigned layout = 3; layout <= 5; layout++)
            is_made_anew(layout);
    of_image.capacity = 9;
}

/* As it is in `image`; and it stays so. */
static void is_refused_as_used(const char *by)
{
    write_file(path_of("older"), image, image_size);
    assert_refused("older", &(admit_gate_options){.k = 2}, ADMIT_OTHER_GATE_LAYOUT, by);
    assert_non_null(strstr(admit_last_error_text(), "admit remove --force"));
    assert_int_equal(admit_gate_remove("older", 0), ADMIT_OTHER_GATE_LAYOUT);
    int fd = open(path_of("older"), O_RDONLY);
    static char now[sizeof image];
    assert_int_equal(read(fd, now, sizeof now), image_size);
    close(fd);
    assert_memory_equal(now, image, image_size); /* nothing has happened to it */
    unlink(path_of("older"));
}

static void a_gate_of_an_earlier_version_in_use_is_refused(void **state)
{
    (void)state;
    char who[32];
    snprintf(who, sizeof who, "%ld (gate_image)", (long)getpid());
    for (unsigned layout = 3; layout <= 5; layout++) {
        make_older_image(layout, true);
        is_refused_as_used(who);
    }
    for (unsigned layout = 4; layout <= 5; layout++) {
        make_older_image(layout, false);
        *life_in_layout(layout, of_image.capacity + of_image.most_k - 1) = (uint32_t)getpid();
        is_refused_as_used("a process that manages it");
    }
}

/* Not all of them: a line has an end. */
static void some_of_those_who_use_an_earlier_version_are_named(void **state)
{
    (void)state;
    for (unsigned layout = 3; layout <= 5; layout++)
        for (unsigned people = 4; people <= 6; people++) {
            unsigned named = 0;
            make_older_image_with(layout, people);
            is_refused_as_used("(gate_image)");
            for (const char *at = admit_last_error_text(); (at = strstr(at, "(gate_image)")) != NULL; at++)
                named++;
            assert_int_equal(named, 4);
        }
}

static void is_made_anew_with_all_slots(void)
{
    write_file(path_of("older"), image, image_size);
    admit_gate *gate = admit_gate_open("older", 2);
    if (gate == NULL)
        fail_msg("%s", admit_last_error_text());
    assert_all_slots_are_there(gate, 2);
    admit_gate_close(gate);
    assert_int_equal(admit_gate_remove("older", 0), ADMIT_OK);
}

/* With one that was killed inside, and its heir word. */
static struct cell *make_older_image_with_dead(unsigned layout, struct person **person)
{
    struct gate_places places;
    admit_gate_places(&places, of_image.most_k, of_image.capacity);
    struct cell *heir = (struct cell *)(void *)(image + GATE_PAGE) + 2 + of_image.most_k - 1 + places.records;
    make_older_image(layout, true);
    unsigned who = 0;
    while (who < places.records && !admit_life_names_thread(*life_in_layout(layout, who)))
        who++;
    assert_true(who < places.records);
    *life_in_layout(layout, who) = (uint32_t)LIFE_MARKED;
    *person = &((struct people *)(void *)(image + places.people))[who / LIVES_PER_PAGE].person[who % LIVES_PER_PAGE];
    return &heir[who];
}

static uint64_t heir_of_kind(uint64_t kind, uint64_t rest)
{
    return kind << 40 | rest;
}

static pid_t one_that_has_ended(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    return child;
}

enum { MAY_INHERIT = 0xffffff, MAY_INHERIT_WITH_CHILDREN = 0xfffffe, HAVE_LOCKED = 0xfffffd, LOCKED_TICKET = 7 };

/* One that was killed inside has left; one whose command may have inherited its hold, and may run still, has not. */
static void dead_do_not_keep(unsigned layout)
{
    struct person *person;
    struct cell *heir = make_older_image_with_dead(layout, &person);
    const uint64_t ended = heir_of_kind((uint64_t)one_that_has_ended(), 1);
    const uint32_t namespace = person->pid_namespace;
    heir->value = heir_of_kind((uint64_t)getpid(), 0); /* which of those who have had this number is not known */
    is_refused_as_used("(gate_image)");
    heir->value = ended;
    person->pid_namespace = namespace + 1; /* where somebody may have it */
    is_refused_as_used("(gate_image)");
    person->pid_namespace = namespace;
    is_made_anew_with_all_slots();
    heir->value = 0;
    uint32_t *manager = words_in_layout(of_image.capacity + of_image.most_k - 1);
    manager[layout >= 5] = 4711; /* killed, with no mark but that nobody has this anchor's lock */
    manager[layout < 5] = 0x80000000 + 9;
    is_made_anew_with_all_slots();
}

/* A command with all that it has started: as long as anybody has the lock. */
static void families_keep(unsigned layout)
{
    struct person *person;
    struct flock byte = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = ((off_t)1 << 61) + LOCKED_TICKET, .l_len = 1};
    make_older_image_with_dead(layout, &person)->value = heir_of_kind(HAVE_LOCKED, LOCKED_TICKET);
    int fd = open(path_of("older"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(fcntl(fd, F_OFD_SETLK, &byte), 0);
    is_refused_as_used("(gate_image)");
    close(fd);
    is_made_anew_with_all_slots();
}

/* Who comes too late to inherit runs no command. */
static void permissions_are_taken_back(unsigned layout)
{
    static const unsigned kinds[] = {MAY_INHERIT, MAY_INHERIT_WITH_CHILDREN};
    for (unsigned k = 0; k < 2; k++) {
        struct person *person;
        struct cell *heir = make_older_image_with_dead(layout, &person);
        heir->value = heir_of_kind(kinds[k], 1);
        int fd = open(path_of("older"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        is_made_anew_with_all_slots();
        uint64_t now = 1;
        assert_int_equal(pread(fd, &now, sizeof now, (char *)&heir->value - image), sizeof now);
        assert_int_equal(now, 0);
        close(fd);
    }
}

static void the_dead_do_not_keep_an_earlier_version(void **state)
{
    (void)state;
    for (unsigned layout = 4; layout <= 5; layout++) {
        dead_do_not_keep(layout);
        families_keep(layout);
        permissions_are_taken_back(layout);
    }
}

/* There heirs were told otherwise: of none is it known that it has ended. */
static void any_heir_keeps_a_gate_of_layout_3(void **state)
{
    (void)state;
    struct person *person;
    struct cell *heir = make_older_image_with_dead(3, &person);
    heir->value = heir_of_kind((uint64_t)one_that_has_ended(), 1);
    is_refused_as_used("(gate_image)");
    heir->value = heir_of_kind(HAVE_LOCKED, LOCKED_TICKET);
    is_refused_as_used("(gate_image)");
    heir->value = 0;
    is_made_anew_with_all_slots();
}

/* From now on whoever renames a file is killed as it does. */
static bool dies_of_renaming(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof code[0], .filter = code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Whoever makes it anew and is killed is in nobody's way: neither one that is anchored, nor one that cannot be, since
 * another has all these locks. */
static void who_is_killed_as_it_makes_one_anew_does_not_keep_it(void **state)
{
    (void)state;
    struct flock anchors = {
        .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = (off_t)1 << 60, .l_len = (off_t)1 << 31};
    for (unsigned layout = 3; layout <= 5; layout++)
        for (unsigned is_anchored = 0; is_anchored < 2; is_anchored++) {
            int status;
            make_older_image(layout, false);
            write_file(path_of("older"), image, image_size);
            int fd = open(path_of("older"), O_RDONLY | O_CLOEXEC);
            if (!is_anchored)
                assert_int_equal(fcntl(fd, F_OFD_SETLK, &anchors), 0);
            pid_t child = fork();
            if (child == 0)
                _exit(!dies_of_renaming() ? 77 : admit_gate_open("older", 2) != NULL);
            assert_int_equal(waitpid(child, &status, 0), child);
            close(fd);
            if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
                skip();
            assert_true(WIFSIGNALED(status));
            admit_gate *gate = admit_gate_open("older", 2);
            if (gate == NULL)
                fail_msg("layout %u, %sanchored: %s", layout, is_anchored ? "" : "not ", admit_last_error_text());
            assert_all_slots_are_there(gate, 2);
            admit_gate_close(gate);
            assert_int_equal(admit_gate_remove("older", 0), ADMIT_OK);
        }
}

/* The image, open and locked as by a process that takes part: so those who make a gate of this name find it though it
 * is deleted. */
static int open_as_participant(void)
{
    const char *path = path_of("older");
    write_file(path, image, image_size);
    int directory = open(test_directory(), O_RDONLY | O_DIRECTORY), fd = open(path, O_RDWR);
    struct flock byte = {.l_type = F_WRLCK,
                         .l_whence = SEEK_SET,
                         .l_start = (off_t)admit_gate_name_bytes(directory, strrchr(path, '/') + 1) + 1,
                         .l_len = 1};
    assert_int_equal(fcntl(fd, F_OFD_SETLK, &byte), 0);
    close(directory);
    return fd;
}

/* Those inside go on, in no gate, and are in nobody's way. */
static void a_gate_of_an_earlier_version_is_removed_by_force(void **state)
{
    (void)state;
    for (unsigned layout = 3; layout <= 5; layout++) {
        make_older_image(layout, true);
        int fd = open_as_participant();
        assert_int_equal(admit_gate_remove("older", 0), ADMIT_OTHER_GATE_LAYOUT);
        if (admit_gate_remove("older", 1) != ADMIT_OK)
            fail_msg("%s", admit_last_error_text());
        assert_int_not_equal(access(path_of("older"), F_OK), 0);
        struct gate_header header;
        assert_int_equal(pread(fd, &header, sizeof header, 0), sizeof header);
        assert_int_equal(removal_in(header.removed), REMOVAL_DONE);
        admit_gate *gate = admit_gate_open("older", 2);
        if (gate == NULL)
            fail_msg("%s", admit_last_error_text());
        assert_all_slots_are_there(gate, 2);
        admit_gate_close(gate);
        close(fd);
        assert_int_equal(admit_gate_remove("older", 0), ADMIT_OK);
    }
}

static void a_gate_of_an_earlier_version_that_was_deleted_in_use_keeps_its_name(void **state)
{
    (void)state;
    for (unsigned with_one_inside = 0; with_one_inside < 2; with_one_inside++) {
        make_older_image(5, with_one_inside);
        int fd = open_as_participant();
        unlink(path_of("older"));
        assert_refused("older", &(admit_gate_options){.k = 2}, ADMIT_OTHER_GATE_LAYOUT,
                       with_one_inside ? "(gate_image)" : "deleted");
        close(fd);
    }
}

enum { RENEWERS = 6 };

struct renewal {
    _Atomic uint32_t begin, inside, most_inside;
    _Atomic uint64_t inode[RENEWERS];
};

static _Noreturn void renews_and_enters(struct renewal *renewal, unsigned number)
{
    admit_hold hold;
    struct timespec until;
    uint64_t device, inode;
    alarm(60);
    while (atomic_load(&renewal->begin) == 0)
        ;
    admit_gate *gate = admit_gate_open("older", 1);
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += 30;
    if (gate == NULL || admit_gate_enter_until(gate, &hold, &until) != ADMIT_OK) {
        fprintf(stderr, "%s\n", admit_last_error_text());
        _exit(1);
    }
    uint32_t inside = atomic_fetch_add(&renewal->inside, 1) + 1, most = atomic_load(&renewal->most_inside);
    while (inside > most && !atomic_compare_exchange_weak(&renewal->most_inside, &most, inside))
        ;
    usleep(10000);
    admit_gate_identity(gate, &device, &inode);
    atomic_store(&renewal->inode[number], inode);
    atomic_fetch_sub(&renewal->inside, 1);
    _exit(admit_gate_leave(gate, &hold) == ADMIT_OK ? 0 : 2);
}

/* One of them makes it anew, and the others find what that one has made. */
static void several_find_a_gate_of_an_earlier_version(void **state)
{
    (void)state;
    for (unsigned round = 0; round < unless_quick(30, 10); round++) {
        struct renewal *renewal =
            mmap(NULL, sizeof *renewal, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        assert_true(renewal != MAP_FAILED);
        make_older_image(3 + round % 3, false);
        ((struct gate_header *)image)->k = 1;
        write_file(path_of("older"), image, image_size);
        pid_t child[RENEWERS];
        int failed = 0, status;
        for (unsigned c = 0; c < RENEWERS; c++)
            if ((child[c] = fork()) == 0)
                renews_and_enters(renewal, c);
        atomic_store(&renewal->begin, 1);
        for (unsigned c = 0; c < RENEWERS; c++) {
            assert_int_equal(waitpid(child[c], &status, 0), child[c]);
            failed += status != 0;
        }
        assert_int_equal(failed, 0);
        if (atomic_load(&renewal->most_inside) != 1)
            fail_msg("round %u: %u inside at once, with k = 1", round, atomic_load(&renewal->most_inside));
        struct stat now;
        assert_int_equal(stat(path_of("older"), &now), 0);
        for (unsigned c = 0; c < RENEWERS; c++)
            assert_int_equal(atomic_load(&renewal->inode[c]), now.st_ino);
        admit_gate *gate = admit_gate_open("older", 1);
        assert_non_null(gate);
        assert_all_slots_are_there(gate, 1);
        admit_gate_close(gate);
        assert_int_equal(admit_gate_remove("older", 0), ADMIT_OK);
        munmap(renewal, sizeof *renewal);
    }
}

static void a_gate_of_an_earlier_boot_starts_empty(void **state)
{
    (void)state;
    struct gate_header *header = (struct gate_header *)image;
    make_image();
    const char *path = path_of("old");
    memset(image + GATE_PAGE, 0xee, image_size - GATE_PAGE); /* whatever the crash left */
    header->boot_id[3] ^= 1;
    header->k = 3;
    write_file(path, image, image_size);
    admit_gate *gate = admit_gate_open("old", 3);
    if (gate == NULL)
        fail_msg("%s", admit_last_error_text());
    assert_all_slots_are_there(gate, 3);
    admit_gate_close(gate);
    assert_int_equal(admit_gate_remove("old", 0), ADMIT_OK);
}

/* What a process does with a file that somebody has scribbled upon: it may be refused, time out, or be let in; it never
 * crashes and never hangs. In a child, so that a crash is seen. */
static void use_scribbled(const char *name)
{
    admit_hold hold;
    struct timespec until;
    admit_gate *gate = admit_gate_open(name, 0);
    if (gate == NULL)
        _exit(admit_last_error_text()[0] != '\0' ? 0 : 3);
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += 2000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    for (unsigned pass = 0; pass < 3; pass++)
        if (admit_gate_enter_until(gate, &hold, &until) == ADMIT_OK)
            admit_gate_leave(gate, &hold);
    admit_view_free(admit_gate_inspect(gate));
    admit_gate_resize(gate, 1);
    admit_gate_close(gate);
    _exit(0);
}

static void scribbled_files_neither_crash_nor_hang(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252u;
    unsigned rounds = unless_quick(1500, 200);
    char *scribbled = malloc(sizeof image);
    make_image();
    const char *path = path_of("scribbled");
    for (unsigned round = 0; round < rounds; round++) {
        memcpy(scribbled, image, image_size);
        for (unsigned change = 0; change <= round % 5; change++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            size_t at = (random >> 20) % (round % 2 ? image_size : GATE_PAGE + 2000);
            scribbled[at] = round % 3 == 0 ? (char)(random >> 50) : (char)(scribbled[at] ^ (1 << (random >> 50) % 8));
        }
        write_file(path, scribbled, image_size);
        pid_t child = fork();
        if (child == 0)
            use_scribbled("scribbled");
        int status = 0;
        uint64_t before = monotonic_ns();
        while (waitpid(child, &status, WNOHANG) == 0) {
            if (monotonic_ns() - before > 10000000000u) {
                kill(child, SIGKILL);
                waitpid(child, &status, 0);
                fail_msg("round %u hangs", round);
            }
            usleep(200);
        }
        if (status != 0)
            fail_msg("round %u: status %x", round, (unsigned)status);
        unlink(path);
    }
    free(scribbled);
}

int main(void)
{
    test_directory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_the_file_are_where_they_should_be),
        cmocka_unit_test(strange_files_are_refused),
        cmocka_unit_test(a_gate_of_an_earlier_version_is_made_anew),
        cmocka_unit_test(a_gate_of_an_earlier_version_in_use_is_refused),
        cmocka_unit_test(some_of_those_who_use_an_earlier_version_are_named),
        cmocka_unit_test(the_dead_do_not_keep_an_earlier_version),
        cmocka_unit_test(any_heir_keeps_a_gate_of_layout_3),
        cmocka_unit_test(who_is_killed_as_it_makes_one_anew_does_not_keep_it),
        cmocka_unit_test(a_gate_of_an_earlier_version_is_removed_by_force),
        cmocka_unit_test(a_gate_of_an_earlier_version_that_was_deleted_in_use_keeps_its_name),
        cmocka_unit_test(several_find_a_gate_of_an_earlier_version),
        cmocka_unit_test(a_gate_of_an_earlier_boot_starts_empty),
        cmocka_unit_test(scribbled_files_neither_crash_nor_hang),
    };
    int failed = cmocka_run_group_tests_name("gate image", tests, NULL, NULL);
    remove_test_directory();
    return failed;
}
