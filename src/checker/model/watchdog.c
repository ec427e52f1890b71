/* SPDX-License-Identifier: MIT */
#include "checker/model/watchdog.h"

#include "base/die.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

/* Any step of any text takes microseconds: a second of work is beyond doubt. */
enum { LOOK_EVERY_MS = 150, LOOKS_MAX = 4, SIGNAL = SIGVTALRM };

_Thread_local struct watched_step current_step;

static _Thread_local struct {
    uint64_t number; /* of the step in which it was found */
    unsigned looks;  /* and how often, since */
    timer_t timer;
} found;

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static _Noreturn void refuse(void)
{
    const struct process *process = current_step.process;
    const char *id = current_step.instance->setting.algorithm->about.id;
    position at;
    memcpy(&at, process->locals, sizeof at);
    if (at != 0)
        die("%s: process %u meets no marker after \"%s\": it loops there for ever", id, current_step.i, process->label);
    die("%s: process %u meets no marker at the beginning of its way %s: it loops there for ever", id, current_step.i,
        process->section == CRITICAL || process->section == EXIT ? "out" : "in");
}

/* In the thread that is watched. If it stays in one step it is the text that was interrupted, which holds no lock and
 * allocates nothing: so whatever the thread could do between two steps can be done here. */
static void look(int signal)
{
    static atomic_flag refused = ATOMIC_FLAG_INIT;
    (void)signal;
    if (current_step.instance == NULL || current_step.number != found.number) {
        found.number = current_step.number;
        found.looks = 0;
    } else if (++found.looks >= LOOKS_MAX && !atomic_flag_test_and_set(&refused)) {
        refuse();
    }
}

static void thread_ends(void *timer)
{
    timer_delete(*(timer_t *)timer);
}

/* Timers are not inherited. */
static void forked(void)
{
    current_step.is_watched = false;
    pthread_setspecific(key, NULL);
}

static void prepare(void)
{
    struct sigaction action = {.sa_handler = look, .sa_flags = SA_RESTART};
    sigaction(SIGNAL, &action, NULL);
    if (pthread_key_create(&key, thread_ends) != 0 || pthread_atfork(NULL, NULL, forked) != 0)
        die("not enough memory");
}

/* Where the system has no timer to give, the thread goes unwatched. */
void watch_this_thread(void)
{
    sigset_t set;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGNAL};
    const struct timespec often = {.tv_nsec = LOOK_EVERY_MS * 1000000L};
    current_step.is_watched = true;
    pthread_once(&once, prepare);
#ifdef sigev_notify_thread_id
    event.sigev_notify_thread_id = gettid();
#else
    event._sigev_un._tid = gettid();
#endif
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &found.timer) != 0)
        return;
    pthread_setspecific(key, &found.timer);
    sigemptyset(&set);
    sigaddset(&set, SIGNAL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    timer_settime(found.timer, 0, &(struct itimerspec){.it_interval = often, .it_value = often}, NULL);
}
