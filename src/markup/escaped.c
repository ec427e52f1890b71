/* SPDX-License-Identifier: MIT */
#include "markup/escaped.h"

#include "native/printable.h"

#include <stdbool.h>
#include <string.h>

void print_escaped(FILE *out, const char *text, unsigned most)
{
    for (unsigned shown = 0; *text != '\0'; shown++) {
        const unsigned length = admit_printable_character(text);
        const bool is_no_character = length == 3 && memcmp(text, "\xef\xbf", 2) == 0 && (unsigned char)text[2] >= 0xbe;
        if (shown == most) {
            fputs("...", out);
            return;
        }
        if (length == 0 || is_no_character)
            putc('?', out);
        else if (strchr("&<>\"'", *text) != NULL)
            fprintf(out, "&#%d;", *text);
        else
            fwrite(text, 1, length, out);
        text += length > 0 ? length : 1;
    }
}
