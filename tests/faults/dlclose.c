/* SPDX-License-Identifier: MIT
 *
 * The library loaded at run time and unloaded, as itself and as a part of a plugin, while a thread that has used it
 * lives: the thread ends without a crash, and what it had comes back.
 */
#include "gate_witness.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>

/* Beside this program, which lies in tests/faults of the build directory. */
static const char *beside(const char *file)
{
    static char path[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
    assert_true(length > 0);
    path[length] = '\0';
    strcpy(strrchr(path, '/') + 1, file);
    return path;
}

static int status_of(pid_t child)
{
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

/* The calls as the loaded library has them; this program has its own. */
struct loaded {
    void *library;
    admit_gate *(*open)(const char *name, unsigned k);
    admit_error (*enter)(admit_gate *gate, admit_hold *hold);
    admit_error (*leave)(admit_gate *gate, const admit_hold *hold);
    void (*close)(admit_gate *gate);
    const char *(*text)(void);
};

static bool load(struct loaded *loaded, const char *path)
{
    loaded->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (loaded->library == NULL) {
        fprintf(stderr, "# %s\n", dlerror());
        return false;
    }
    *(void **)&loaded->open = dlsym(loaded->library, "admit_gate_open");
    *(void **)&loaded->enter = dlsym(loaded->library, "admit_gate_enter");
    *(void **)&loaded->leave = dlsym(loaded->library, "admit_gate_leave");
    *(void **)&loaded->close = dlsym(loaded->library, "admit_gate_close");
    *(void **)&loaded->text = dlsym(loaded->library, "admit_last_error_text");
    return loaded->open != NULL && loaded->enter != NULL && loaded->leave != NULL && loaded->close != NULL &&
           loaded->text != NULL;
}

struct user {
    struct loaded loaded;
    admit_gate *gate;
    bool stays_inside, done;
    sem_t used, unloaded;
};

/* Makes use of all that a thread keeps: a seat, and a text of an error. */
static void *use(void *argument)
{
    struct user *user = argument;
    admit_hold hold;
    user->done = user->loaded.open("not there", 0) == NULL && strstr(user->loaded.text(), "not there") != NULL &&
                 user->loaded.enter(user->gate, &hold) == ADMIT_OK &&
                 (user->stays_inside || user->loaded.leave(user->gate, &hold) == ADMIT_OK);
    sem_post(&user->used);
    sem_wait(&user->unloaded);
    return NULL;
}

/* In a process of its own. */
static int load_use_unload(const char *path, bool stays_inside)
{
    for (unsigned round = 0; round < 20; round++) {
        pthread_t thread;
        struct user user = {.stays_inside = stays_inside};
        if (!load(&user.loaded, path))
            return 1;
        user.gate = user.loaded.open("loaded", 1);
        if (user.gate == NULL || sem_init(&user.used, 0, 0) != 0 || sem_init(&user.unloaded, 0, 0) != 0)
            return 2;
        if (pthread_create(&thread, NULL, use, &user) != 0)
            return 3;
        sem_wait(&user.used);
        if (!user.done)
            return 4;
        user.loaded.close(user.gate);
        dlclose(user.loaded.library);
        sem_post(&user.unloaded);
        pthread_join(thread, NULL);
    }
    return 0;
}

static void unload(const char *path, bool stays_inside)
{
    admit_gate *gate = admit_gate_open("loaded", 1);
    assert_non_null(gate);
    pid_t child = fork();
    if (child == 0)
        _exit(load_use_unload(path, stays_inside));
    assert_int_equal(status_of(child), 0);
    admit_hold hold;
    assert_int_equal(admit_gate_try(gate, &hold), ADMIT_OK);
    assert_int_equal(hold.owner_died, stays_inside);
    assert_int_equal(admit_gate_leave(gate, &hold), ADMIT_OK);
    assert_all_slots_are_there(gate, 1);
    admit_gate_close(gate);
    assert_int_equal(admit_gate_remove("loaded", 0), ADMIT_OK);
}

static void a_thread_outlives_the_library(void **state)
{
    (void)state;
    unload(beside("../../libadmit.so"), false);
    unload(beside("../../libadmit.so"), true);
}

static void a_thread_outlives_a_plugin(void **state)
{
    (void)state;
    unload(beside("plugin.so"), false);
    unload(beside("plugin.so"), true);
}

int main(void)
{
    test_directory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_outlives_the_library),
        cmocka_unit_test(a_thread_outlives_a_plugin),
    };
    int failed = cmocka_run_group_tests_name("faults: dlclose", tests, NULL, NULL);
    remove_test_directory();
    return failed;
}
