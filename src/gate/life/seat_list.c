/* SPDX-License-Identifier: MIT
 *
 * The lock on which seats there are in this process.
 */
#include "gate/life/life.h"

#include <sys/mman.h>

static pthread_mutex_t *list_mutex; /* in memory that fork wipes */
static pthread_once_t list_once = PTHREAD_ONCE_INIT;
static __thread unsigned list_depth OF_THREAD;

static void make_list(void)
{
    static pthread_mutex_t as_good_as_any = PTHREAD_MUTEX_INITIALIZER;
    void *page = mmap(NULL, GATE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    list_mutex = page != MAP_FAILED && madvise(page, GATE_PAGE, MADV_WIPEONFORK) == 0 ? page : &as_good_as_any;
}

void admit_seats_lock(void)
{
    pthread_once(&list_once, make_list);
    if (list_depth++ == 0)
        pthread_mutex_lock(list_mutex);
}

void admit_seats_unlock(void)
{
    if (--list_depth == 0)
        pthread_mutex_unlock(list_mutex);
}
