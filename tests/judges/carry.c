/* SPDX-License-Identifier: MIT
 *
 * carry POOL... --carry COMMAND [ARG...]: runs POOL... with one command more, which then becomes COMMAND ARG... . A pool
 * that looks through the arguments of what it runs for a -j does not find them: make's own suite gives -j on purpose. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failed(const char *what)
{
    perror(what);
    return 127;
}

/* The arguments, each with the 0 that ends it, as hexadecimal digits. */
static char *packed(char **arguments)
{
    size_t length = 0;

    for (char **argument = arguments; *argument != NULL; argument++)
        length += strlen(*argument) + 1;
    char *digits = malloc(2 * length + 1), *end = digits;
    for (char **argument = arguments; digits != NULL && *argument != NULL; argument++)
        for (size_t byte = 0; byte <= strlen(*argument); byte++)
            end += sprintf(end, "%02x", (unsigned char)(*argument)[byte]);
    return digits;
}

static char **unpacked(const char *digits)
{
    size_t length = strlen(digits) / 2, count = 0;
    char *bytes = malloc(length), **arguments = calloc(length + 1, sizeof *arguments);

    for (size_t byte = 0; bytes != NULL && arguments != NULL && byte < length; byte++) {
        const char two[] = {digits[2 * byte], digits[2 * byte + 1], 0};
        if (byte == 0 || bytes[byte - 1] == 0)
            arguments[count++] = bytes + byte;
        bytes[byte] = (char)strtol(two, NULL, 16);
    }
    return arguments;
}

int main(int argc, char **argv)
{
    static char self[4096];

    if (argc == 3 && strcmp(argv[1], "--unpack") == 0) {
        char **arguments = unpacked(argv[2]);
        if (arguments != NULL && arguments[0] != NULL)
            execvp(arguments[0], arguments);
        return failed("carry");
    }
    for (int at = 1; at + 1 < argc; at++)
        if (strcmp(argv[at], "--carry") == 0 && readlink("/proc/self/exe", self, sizeof self - 1) > 0) {
            char *digits = packed(argv + at + 1), **command = calloc((size_t)at + 4, sizeof *command);
            if (digits == NULL || command == NULL)
                return failed("carry");
            memcpy(command, argv + 1, (size_t)(at - 1) * sizeof *command);
            command[at - 1] = self, command[at] = "--unpack", command[at + 1] = digits;
            execvp(command[0], command);
            return failed(command[0]);
        }
    fprintf(stderr, "usage: carry POOL... --carry COMMAND [ARG...]\n");
    return 125;
}
