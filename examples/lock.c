/* SPDX-License-Identifier: MIT
 *
 * Four processes share one account. Each pays in 1000 times; the bakery lets them at it one at a time, first come,
 * first served. Prints the balance: 4000, since no payment is lost.
 *
 *     cc examples/lock.c build/libadmit.a -Iinclude -o lock && ./lock
 */
#include <admit.h>

#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CUSTOMERS = 4, PAYMENTS = 1000 };

int main(void)
{
    long *balance = mmap(NULL, sizeof *balance, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    admit_lock *lock = admit_lock_create("bakery", CUSTOMERS, 1);
    if (lock == NULL) {
        fprintf(stderr, "lock: %s\n", admit_error_message(admit_last_error()));
        return 1;
    }
    for (unsigned me = 0; me < CUSTOMERS; me++) {
        if (fork() == 0) {
            for (int p = 0; p < PAYMENTS; p++) {
                admit_lock_enter(lock, me);
                *balance += 1;
                admit_lock_leave(lock, me);
            }
            _exit(0);
        }
    }
    while (wait(NULL) > 0)
        ;
    printf("%ld\n", *balance);
    admit_lock_destroy(lock);
    return 0;
}
