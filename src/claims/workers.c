/* SPDX-License-Identifier: MIT */
#include "claims/workers.h"

#include "base/die.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct queue {
    atomic_uint next;
    bool again[]; /* for each question: its share of the memory was not enough */
};

static void work(struct queue *queue, answer_question *answer, void *context, unsigned count, uint64_t memory)
{
    for (unsigned q; (q = atomic_fetch_add_explicit(&queue->next, 1, memory_order_relaxed)) < count;)
        queue->again[q] = !answer(context, q, memory);
}

void *shared_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        die("not enough memory");
    return memory;
}

void shared_memory_close(void *memory, size_t size)
{
    munmap(memory, size);
}

static void wait_for_all(unsigned workers)
{
    for (; workers > 0; workers--) {
        int status;
        if (wait(&status) < 0)
            die("a worker process is lost");
        if (WIFSIGNALED(status))
            die("a worker process was killed by signal %d%s", WTERMSIG(status),
                WTERMSIG(status) == SIGKILL ? " (out of memory?)" : "");
        if (WEXITSTATUS(status) != 0)
            exit(WEXITSTATUS(status)); /* it has said why */
    }
}

void answer_by_workers(answer_question *answer, void *context, unsigned count, unsigned workers, uint64_t memory)
{
    size_t size = sizeof(struct queue) + count * sizeof(bool);
    struct queue *queue = shared_memory(size);
    if (workers > count)
        workers = count;
    if (workers < 2) {
        work(queue, answer, context, count, memory);
    } else {
        pid_t parent = getpid();
        fflush(NULL);
        for (unsigned w = 0; w < workers; w++) {
            pid_t worker = fork();
            if (worker < 0)
                die("cannot start a process");
            if (worker > 0)
                continue;
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() == parent)
                work(queue, answer, context, count, memory / workers);
            _exit(0);
        }
        wait_for_all(workers);
        for (unsigned q = 0; q < count; q++)
            if (queue->again[q])
                answer(context, q, memory);
    }
    shared_memory_close(queue, size);
}
