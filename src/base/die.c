/* SPDX-License-Identifier: MIT */
#include "base/die.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static _Noreturn void complain(int status, const char *format, va_list arguments)
{
    fflush(stdout);
    fputs(status == 3 ? "admit: undecided: " : "admit: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    exit(status);
}

_Noreturn void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain(2, format, arguments);
}

_Noreturn void die_undecided(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain(3, format, arguments);
}

void *must_allocate(size_t size)
{
    void *memory = calloc(1, size > 0 ? size : 1);
    if (memory == NULL)
        die_undecided("out of memory (%zu bytes)", size);
    return memory;
}

void *must_reallocate(void *memory, size_t size)
{
    memory = realloc(memory, size > 0 ? size : 1);
    if (memory == NULL)
        die_undecided("out of memory (%zu bytes)", size);
    return memory;
}

FILE *must_open_memory(char **text, size_t *size)
{
    FILE *file = open_memstream(text, size);
    if (file == NULL)
        die_undecided("out of memory");
    return file;
}

void must_close_memory(FILE *file)
{
    if (fclose(file) != 0)
        die_undecided("out of memory");
}
