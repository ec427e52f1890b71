/* SPDX-License-Identifier: MIT
 *
 * Five threads in a circle take turns with one bit each (Lamport 1986, section 3.3). A thread looks at its own bit
 * and at that of the one before it: it is its turn if they differ, but the first one's if they are equal. To pass the
 * turn on, it flips its own bit. The N-Bit and N!-Bit algorithms decide by this who waits for whom; here it is alone.
 *
 *     cc examples/ring.c -lpthread -o ring && ./ring
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { N = 5, ROUNDS = 3 };

static atomic_bool v[N];

static bool my_turn(unsigned i)
{
    bool differs = v[i] != v[(i + N - 1) % N];
    return i == 0 ? !differs : differs;
}

static void *take_turns(void *number)
{
    unsigned i = (unsigned)(uintptr_t)number;
    for (unsigned round = 0; round < ROUNDS; round++) {
        while (!my_turn(i))
            sched_yield();
        printf("%u%s", i, i == N - 1 ? "\n" : " ");
        v[i] = !v[i];
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (unsigned i = 0; i < N; i++)
        if (pthread_create(&threads[i], NULL, take_turns, (void *)(uintptr_t)i) != 0)
            return 1;
    for (unsigned i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
