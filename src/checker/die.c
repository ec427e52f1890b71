/* SPDX-License-Identifier: MIT */
#include "checker/die.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fputs("admit: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

static _Noreturn void out_of_memory(size_t size)
{
    fflush(stdout);
    fprintf(stderr, "admit: undecided: out of memory (%zu bytes)\n", size);
    exit(3);
}

void *must_allocate(size_t size)
{
    void *memory = calloc(1, size > 0 ? size : 1);
    if (memory == NULL)
        out_of_memory(size);
    return memory;
}

void *must_reallocate(void *memory, size_t size)
{
    memory = realloc(memory, size > 0 ? size : 1);
    if (memory == NULL)
        out_of_memory(size);
    return memory;
}
