/* SPDX-License-Identifier: MIT
 *
 * Gates as files: names, modes, k, resizing, removing, and files that nobody should trust.
 */
#include "gate_witness.h"

#include "gate/calls/calls.h"

#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>

static void assert_refused(const char *name, const admit_gate_options *options, admit_error error, const char *says)
{
    admit_gate *gate = admit_gate_open_with(name, options);
    assert_null(gate);
    if (admit_last_error() != error || strstr(admit_last_error_text(), says) == NULL)
        fail_msg("%s: error %d, \"%s\" instead of %d, \"%s\"", name, (int)admit_last_error(), admit_last_error_text(),
                 (int)error, says);
}

static const char *path_of(const char *name)
{
    static char paths[4][PATH_MAX];
    static unsigned last;
    char *path = paths[last++ % 4];
    assert_int_equal(admit_gate_resolve(name, path, PATH_MAX), ADMIT_OK);
    return path;
}

static void k_belongs_to_the_gate(void **state)
{
    (void)state;
    assert_refused("k", &(admit_gate_options){.k = 0}, ADMIT_NO_GATE, "no gate \"k\"");
    admit_gate *gate = admit_gate_open("k", 3);
    assert_non_null(gate);
    assert_refused("k", &(admit_gate_options){.k = 4}, ADMIT_OTHER_K, "k = 3, not 4");
    admit_gate *again = admit_gate_open("k", 0);
    assert_int_equal(admit_gate_k(again), 3);
    assert_string_equal(admit_gate_name(again), "k");
    struct stat status;
    assert_int_equal(stat(path_of("k"), &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_true((size_t)status.st_blocks * 512 >= (size_t)status.st_size); /* no holes */
    uint64_t device, inode;
    admit_gate_identity(again, &device, &inode);
    assert_int_equal(inode, status.st_ino);
    admit_gate_close(gate);
    admit_gate_close(again);
    assert_int_equal(admit_gate_remove("k", 0), ADMIT_OK);
    assert_int_equal(admit_gate_remove("k", 0), ADMIT_NO_GATE);
}

static void bad_names_and_numbers_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",    ".",        "..", "a b",
        "a\n", "\xc3\xa4", "x*", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "dir/"};
    for (unsigned b = 0; b < sizeof bad / sizeof bad[0]; b++)
        assert_refused(bad[b], &(admit_gate_options){.k = 1}, ADMIT_BAD_NAME, "name");
    assert_refused(NULL, &(admit_gate_options){.k = 1}, ADMIT_BAD_NAME, "name");
    assert_refused("x", &(admit_gate_options){.k = 1025}, ADMIT_BAD_OPTION, "1025");
    assert_refused("x", &(admit_gate_options){.k = 4, .most_k = 3}, ADMIT_BAD_OPTION, "most_k = 3");
    assert_refused("x", &(admit_gate_options){.k = 4, .capacity = 3}, ADMIT_BAD_OPTION, "capacity 3");
    assert_refused("x", &(admit_gate_options){.k = 4, .capacity = 5000}, ADMIT_BAD_OPTION, "5000");
    assert_refused("x", &(admit_gate_options){.k = 4, .mode = 0777}, ADMIT_BAD_OPTION, "0777");
    assert_refused("x", &(admit_gate_options){.k = 4, .mode = 0066}, ADMIT_BAD_OPTION, "0066");
    assert_refused("/nowhere/at/all", &(admit_gate_options){.k = 1}, ADMIT_SYSTEM, "/nowhere/at");
}

/* Many make one gate at the same time: all find it whole, and it is one. */
static void a_gate_is_made_whole_and_once(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 20; round++) {
        for (unsigned c = 0; c < 6; c++)
            if (fork() == 0) {
                admit_gate *gate = admit_gate_open("race", 2);
                admit_hold hold;
                if (gate == NULL)
                    fprintf(stderr, "%s\n", admit_last_error_text());
                _exit(gate != NULL && admit_gate_enter(gate, &hold) == ADMIT_OK ? 0 : 1);
            }
        for (unsigned c = 0; c < 6; c++) {
            int status;
            wait(&status);
            assert_int_equal(status, 0);
        }
        admit_gate *gate = admit_gate_open("race", 2);
        assert_all_slots_are_there(gate, 2);
        admit_gate_close(gate);
        assert_int_equal(admit_gate_remove("race", 0), ADMIT_OK);
    }
}

static int counts(void *data, const char *name, const char *path)
{
    (void)path;
    strcat(data, name);
    strcat(data, " ");
    return 0;
}

/* As systemd-tmpfiles does: it leaves a directory alone that somebody has locked, and files that are young. */
static void cleaners_of_old_files_see_that_a_gate_is_in_use(void **state)
{
    (void)state;
    static const struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    struct stat status;
    admit_gate *gate = admit_gate_open("in-use", 1);
    assert_non_null(gate);
    int directory = open(test_directory(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(directory, LOCK_EX | LOCK_NB), -1);
    admit_gate_close(gate);
    assert_int_equal(flock(directory, LOCK_EX | LOCK_NB), 0);
    assert_int_equal(flock(directory, LOCK_UN), 0);
    assert_int_equal(utimensat(AT_FDCWD, path_of("in-use"), long_ago, 0), 0);
    gate = admit_gate_open(path_of("in-use"), 0);
    assert_int_equal(stat(path_of("in-use"), &status), 0);
    assert_true(status.st_mtim.tv_sec > long_ago[1].tv_sec);
    assert_int_equal(flock(directory, LOCK_EX | LOCK_NB), 0); /* who gave a path sees to it itself */
    close(directory);
    admit_gate_close(gate);
    assert_int_equal(admit_gate_remove("in-use", 0), ADMIT_OK);
}

/* Whatever number a gate's descriptors get, and also those that were moved from where a program prints to. */
static void no_descriptor_outlives_exec(void **state)
{
    (void)state;
    enum { NUMBERS = 64 };
    for (int closed = 0; closed < 3; closed++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            bool was_open[NUMBERS];
            for (int fd = 0; fd <= closed; fd++)
                close(fd);
            for (int fd = 0; fd < NUMBERS; fd++)
                was_open[fd] = fcntl(fd, F_GETFD) >= 0;
            admit_hold hold;
            admit_gate *gate = admit_gate_open("kept", 1);
            if (gate == NULL || admit_gate_enter(gate, &hold) != ADMIT_OK)
                _exit(1);
            for (int fd = 0; fd < NUMBERS; fd++) {
                int flags = fcntl(fd, F_GETFD);
                if (!was_open[fd] && flags >= 0 && ((flags & FD_CLOEXEC) == 0 || fd < 3))
                    _exit(2);
            }
            _exit(admit_gate_leave(gate, &hold) == ADMIT_OK ? 0 : 3);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    assert_int_equal(admit_gate_remove("kept", 0), ADMIT_OK);
}

static void gates_are_listed(void **state)
{
    (void)state;
    char names[200] = "";
    admit_gate_close(admit_gate_open("b", 1));
    admit_gate_close(admit_gate_open("a.1", 1));
    assert_int_equal(admit_gate_list(counts, names), ADMIT_OK);
    assert_string_equal(names, "a.1 b ");
    admit_gate_remove("a.1", 0), admit_gate_remove("b", 0);
}

/* --- resize and remove -------------------------------------------------------------------------------------------- */

static void a_gate_can_be_resized(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 2, .most_k = 6, .capacity = 10});
    admit_hold hold[6];
    assert_all_slots_are_there(gate, 2);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned k = 1; k <= 6; k++) { /* up and down, with nobody there */
            assert_int_equal(admit_gate_resize(gate, k), ADMIT_OK);
            assert_all_slots_are_there(gate, k);
            assert_int_equal(admit_gate_resize(gate, 7 - k), ADMIT_OK);
            assert_all_slots_are_there(gate, 7 - k);
        }
    }
    assert_int_equal(admit_gate_resize(gate, 7), ADMIT_BAD_OPTION);
    assert_int_equal(admit_gate_resize(gate, 0), ADMIT_BAD_OPTION);
    assert_int_equal(admit_gate_resize(gate, 4), ADMIT_OK);
    for (unsigned s = 0; s < 4; s++)
        assert_int_equal(admit_gate_enter(gate, &hold[s]), ADMIT_OK);
    assert_int_equal(admit_gate_resize(gate, 2), ADMIT_OK); /* fewer as holders leave */
    assert_int_equal(admit_gate_k(gate), 2);
    for (unsigned s = 0; s < 2; s++) {
        assert_int_equal(admit_gate_leave(gate, &hold[s]), ADMIT_OK);
        assert_int_equal(admit_gate_try(gate, &hold[4]), ADMIT_NO_SLOT);
    }
    assert_int_equal(admit_gate_leave(gate, &hold[2]), ADMIT_OK);
    assert_int_equal(admit_gate_try(gate, &hold[4]), ADMIT_OK);
    assert_true(hold[4].slot < 2);
    assert_int_equal(admit_gate_try(gate, &hold[5]), ADMIT_NO_SLOT);
    assert_int_equal(admit_gate_resize(gate, 3), ADMIT_OK); /* more at once */
    assert_int_equal(admit_gate_try(gate, &hold[5]), ADMIT_OK);
    for (unsigned s = 3; s < 6; s++)
        assert_int_equal(admit_gate_leave(gate, &hold[s]), ADMIT_OK);
    assert_all_slots_are_there(gate, 3);
    admit_view *view = admit_gate_inspect(gate);
    assert_int_equal(view->k, 3);
    assert_int_equal(view->holders, 0);
    admit_view_free(view);
    admit_gate_close(gate);
}

/* Who resizes may be killed, as may be who removes: the next one finishes it, and does not wait for itself. */
static void a_resize_or_removal_may_be_cut_short(void **state)
{
    (void)state;
    admit_hold hold;
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = 3});
    atomic_store(&gate->header->resizing, 1);
    atomic_store(&gate->header->k, 3);
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    assert_all_slots_are_there(gate, 3);
    assert_int_equal(gate->header->resizing, 0);
    atomic_store(&gate->header->removed, 2);
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        _exit(admit_gate_resize(gate, 2));
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_all_slots_are_there(gate, 2);
    admit_gate_close(gate);
}

/* A waiter sleeps; one slot more wakes it. */
static void more_slots_wake_who_waits(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_create_private(&(admit_gate_options){.k = 1, .most_k = 2});
    admit_hold hold;
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    pid_t child = fork();
    if (child == 0)
        _exit(admit_gate_enter(gate, &hold) == ADMIT_OK ? 0 : 1);
    usleep(20000);
    assert_int_equal(admit_gate_resize(gate, 2), ADMIT_OK);
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    admit_gate_leave(gate, &hold);
    assert_all_slots_are_there(gate, 2);
    admit_gate_close(gate);
}

static void a_gate_in_use_is_not_removed(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_open("used", 1);
    admit_hold hold;
    char pid[20];
    assert_int_equal(admit_gate_describe(gate, "the test itself"), ADMIT_OK);
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    pid_t child = fork();
    if (child == 0)
        _exit(admit_gate_enter(gate, &hold) == ADMIT_REMOVED ? 0 : 1);
    while (waiters_of(gate) == 0)
        sched_yield();
    assert_int_equal(admit_gate_remove("used", 0), ADMIT_BUSY);
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    assert_non_null(strstr(admit_last_error_text(), pid));
    assert_non_null(strstr(admit_last_error_text(), "the test itself"));
    snprintf(pid, sizeof pid, "%ld", (long)child);
    assert_non_null(strstr(admit_last_error_text(), pid));
    assert_int_equal(admit_gate_remove("used", 1), ADMIT_OK);
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0); /* at once */
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_REMOVED);
    assert_int_equal(admit_gate_resize(gate, 1), ADMIT_REMOVED);
    admit_gate_close(gate);
    gate = admit_gate_open("used", 2); /* a new one */
    assert_all_slots_are_there(gate, 2);
    admit_gate_close(gate);
    assert_int_equal(admit_gate_remove("used", 0), ADMIT_OK);
}

static void a_gate_can_be_looked_at_only(void **state)
{
    (void)state;
    admit_gate *gate = admit_gate_open("seen", 2), *looker;
    admit_hold hold;
    assert_int_equal(admit_gate_enter_with(gate, &hold, &(admit_wait){.record_since = 1}), ADMIT_OK);
    looker = admit_gate_open_with("seen", &(admit_gate_options){.look_only = 1});
    assert_non_null(looker);
    admit_view *view = admit_gate_inspect(looker);
    assert_int_equal(view->holders, 1);
    assert_int_equal(view->holder[0].pid, getpid());
    assert_int_equal(view->holder[0].slot, hold.slot);
    assert_int_equal(view->holder[0].ticket, hold.ticket);
    assert_true(view->holder[0].since > 1500000000000000000 && view->holder[0].condition == ADMIT_LIVES);
    admit_view_free(view);
    assert_int_equal(admit_gate_try(looker, &hold), ADMIT_NO_PERMISSION);
    assert_int_equal(admit_gate_resize(looker, 1), ADMIT_NO_PERMISSION);
    admit_gate_close(looker);
    admit_gate_close(gate); /* while inside: comes back */
    gate = admit_gate_open("seen", 2);
    assert_all_slots_are_there(gate, 2);
    admit_gate_close(gate);
    admit_gate_remove("seen", 0);
}

/* --- hostile files ------------------------------------------------------------------------------------------------ */

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

static const admit_gate_options of_image = {.k = 2, .most_k = 3, .capacity = 8};

static void make_image(void)
{
    admit_gate_close(admit_gate_open_with("image", &of_image));
    read_image();
    assert_int_equal(admit_gate_remove("image", 0), ADMIT_OK);
}

/* Life words were the first half of 8 bytes each. In layout 3 each participant had 128 bytes: the first 24, which are
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

/* Where layout 4 had the word of the participant, or of the manager. */
static uint32_t *life_in_layout_4(unsigned who)
{
    struct gate_places places;
    admit_gate_places(&places, of_image.most_k, of_image.capacity);
    return (uint32_t *)(void *)(image + places.people + (who / 3 + 1) * GATE_PAGE - 24 + who % 3 * 8);
}

/* As layouts 3 and 4 were. With this capacity the file of layout 3 is as long as now. */
static void make_older_image(unsigned layout, bool with_one_inside)
{
    admit_hold hold;
    struct gate_header *header = (struct gate_header *)image;
    admit_gate *gate = admit_gate_open_with("image", &of_image);
    if (with_one_inside)
        assert_int_equal(admit_gate_enter(gate, &hold), ADMIT_OK);
    read_image();
    if (with_one_inside)
        assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    admit_gate_close(gate);
    assert_int_equal(admit_gate_remove("image", 0), ADMIT_OK);
    place_people_as_before(layout);
    header->layout = layout;
    header->checksum = 0xcbf29ce484222325;
    for (size_t at = 0; at < offsetof(struct gate_header, checksum); at++)
        header->checksum = (header->checksum ^ (unsigned char)image[at]) * 0x100000001b3;
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
    assert_refused("bad", &two, ADMIT_OTHER_GATE_LAYOUT, "layout 5");
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
    admit_gate *gate = admit_gate_open("older", 0);
    if (gate == NULL)
        fail_msg("%s", admit_last_error_text());
    assert_int_equal(admit_gate_k(gate), 2);
    assert_int_equal(admit_gate_most_k(gate), 3);
    assert_int_equal(admit_gate_capacity(gate), 8);
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
    is_made_anew(3);
    is_made_anew(4);
}

/* As it is in `image`; and it stays so. */
static void is_refused_as_used(const char *by)
{
    write_file(path_of("older"), image, image_size);
    assert_refused("older", &(admit_gate_options){.k = 2}, ADMIT_OTHER_GATE_LAYOUT, by);
    assert_int_equal(admit_gate_remove("older", 1), ADMIT_OTHER_GATE_LAYOUT);
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
    char who[24];
    snprintf(who, sizeof who, "%ld (gate_file)", (long)getpid());
    make_older_image(3, true);
    is_refused_as_used(who);
    make_older_image(4, true);
    is_refused_as_used(who);
    make_older_image(4, false);
    *life_in_layout_4(of_image.capacity + of_image.most_k - 1) = (uint32_t)getpid();
    is_refused_as_used("one who manages it");
}

/* One that was killed inside has left; one whose command may have inherited its hold has not. */
static void the_dead_do_not_keep_an_earlier_version(void **state)
{
    (void)state;
    struct gate_places places;
    admit_gate_places(&places, of_image.most_k, of_image.capacity);
    struct cell *heir = (struct cell *)(void *)(image + GATE_PAGE) + 2 + of_image.most_k - 1 + places.records;
    make_older_image(4, true);
    unsigned who = 0;
    while (who < places.records && !admit_life_names_thread(*life_in_layout_4(who)))
        who++;
    assert_true(who < places.records);
    *life_in_layout_4(who) = (uint32_t)LIFE_MARKED;
    heir[who].value = 1;
    is_refused_as_used("(gate_file)");
    heir[who].value = 0;
    uint32_t *manager = life_in_layout_4(places.records);
    manager[0] = 4711; /* killed, with no mark but that nobody has this anchor's lock */
    manager[1] = 0x80000000 + 9;
    write_file(path_of("older"), image, image_size);
    admit_gate *gate = admit_gate_open("older", 2);
    if (gate == NULL)
        fail_msg("%s", admit_last_error_text());
    assert_all_slots_are_there(gate, 2);
    admit_gate_close(gate);
    assert_int_equal(admit_gate_remove("older", 0), ADMIT_OK);
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
        make_older_image(3 + round % 2, false);
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
        cmocka_unit_test(k_belongs_to_the_gate),
        cmocka_unit_test(bad_names_and_numbers_are_refused),
        cmocka_unit_test(a_gate_is_made_whole_and_once),
        cmocka_unit_test(cleaners_of_old_files_see_that_a_gate_is_in_use),
        cmocka_unit_test(no_descriptor_outlives_exec),
        cmocka_unit_test(gates_are_listed),
        cmocka_unit_test(a_gate_can_be_resized),
        cmocka_unit_test(a_resize_or_removal_may_be_cut_short),
        cmocka_unit_test(more_slots_wake_who_waits),
        cmocka_unit_test(a_gate_in_use_is_not_removed),
        cmocka_unit_test(a_gate_can_be_looked_at_only),
        cmocka_unit_test(parts_of_the_file_are_where_they_should_be),
        cmocka_unit_test(strange_files_are_refused),
        cmocka_unit_test(a_gate_of_an_earlier_version_is_made_anew),
        cmocka_unit_test(a_gate_of_an_earlier_version_in_use_is_refused),
        cmocka_unit_test(the_dead_do_not_keep_an_earlier_version),
        cmocka_unit_test(several_find_a_gate_of_an_earlier_version),
        cmocka_unit_test(a_gate_of_an_earlier_boot_starts_empty),
        cmocka_unit_test(scribbled_files_neither_crash_nor_hang),
    };
    int failed = cmocka_run_group_tests_name("gate file", tests, NULL, NULL);
    remove_test_directory();
    return failed;
}
