/* SPDX-License-Identifier: MIT */
#include "native/printable.h"

#include <stdbool.h>
#include <string.h>

static bool is_printed(unsigned code)
{
    bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    bool surrogate = code >= 0xd800 && code < 0xe000;
    bool direction = code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
                     (code >= 0x2066 && code <= 0x2069);
    bool new_line = code == 0x2028 || code == 0x2029;
    return code <= 0x10ffff && !control && !surrogate && !direction && !new_line;
}

unsigned admit_printable_character(const char *start)
{
    const unsigned char *text = (const unsigned char *)start;
    static const struct {
        unsigned char mask, lead;
        unsigned length;
        unsigned least;
    } forms[] = {{0x80, 0x00, 1, 0}, {0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}};
    for (unsigned f = 0; f < 4; f++) {
        if ((text[0] & forms[f].mask) != forms[f].lead)
            continue;
        unsigned code = text[0] & (unsigned char)~forms[f].mask;
        for (unsigned b = 1; b < forms[f].length; b++) {
            if ((text[b] & 0xc0) != 0x80)
                return 0;
            code = code << 6 | (text[b] & 0x3f);
        }
        return code >= forms[f].least && is_printed(code) ? forms[f].length : 0;
    }
    return 0;
}

size_t admit_printable(const char *text, char *copy, size_t size)
{
    size_t at = 0;
    while (text[at] != '\0') {
        unsigned length = admit_printable_character(text + at), taken = length > 0 ? length : 1;
        if (at + taken >= size)
            break;
        if (length > 0)
            memcpy(copy + at, text + at, length);
        else
            copy[at] = '?';
        at += taken;
    }
    copy[at] = '\0';
    return at;
}
