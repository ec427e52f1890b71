/* SPDX-License-Identifier: MIT */
#include "cli/gates/columns.h"

#include "native/printable.h"

#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

unsigned columns_of_terminal(int fd)
{
    struct winsize size;
    return isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* Blocks of Unicode, and not each of its characters: enough for names of files and words of a command. */
static const struct block {
    unsigned first, last, columns;
} blocks[] = {
    {0x0300, 0x036f, 0},   {0x0483, 0x0489, 0},   {0x0591, 0x05bd, 0},   {0x064b, 0x065f, 0},   {0x0e34, 0x0e3a, 0},
    {0x0e47, 0x0e4e, 0},   {0x1100, 0x115f, 2},   {0x1160, 0x11ff, 0},   {0x1ab0, 0x1aff, 0},   {0x1dc0, 0x1dff, 0},
    {0x200b, 0x200d, 0},   {0x20d0, 0x20ff, 0},   {0x2e80, 0x303e, 2},   {0x3041, 0x3098, 2},   {0x3099, 0x309a, 0},
    {0x309b, 0xa4cf, 2},   {0xa960, 0xa97f, 2},   {0xac00, 0xd7a3, 2},   {0xf900, 0xfaff, 2},   {0xfe00, 0xfe0f, 0},
    {0xfe20, 0xfe2f, 0},   {0xfe30, 0xfe6f, 2},   {0xfeff, 0xfeff, 0},   {0xff01, 0xff60, 2},   {0xffe0, 0xffe6, 2},
    {0x1f300, 0x1f64f, 2}, {0x1f680, 0x1f6ff, 2}, {0x1f900, 0x1f9ff, 2}, {0x20000, 0x3fffd, 2}, {0xe0100, 0xe01ef, 0},
};

/* Of a UTF-8 character of this length. */
static unsigned columns_of_character(const char *character, unsigned length)
{
    static const unsigned char lead[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    unsigned code = (unsigned char)character[0] & lead[length];
    for (unsigned b = 1; b < length; b++)
        code = code << 6 | ((unsigned char)character[b] & 0x3f);
    for (unsigned b = 0; b < sizeof blocks / sizeof blocks[0]; b++)
        if (code >= blocks[b].first && code <= blocks[b].last)
            return blocks[b].columns;
    return 1;
}

/* Of the character with which it begins. */
static unsigned columns_of_first(const char *text)
{
    const unsigned length = admit_printable_character(text);
    return length > 0 ? columns_of_character(text, length) : 1;
}

/* As much of the text as fits: its length in bytes. *columns is what it takes. */
static size_t that_fits(const char *text, unsigned room, unsigned *columns)
{
    size_t at = 0;
    *columns = 0;
    while (text[at] != '\0') {
        unsigned length = admit_printable_character(text + at), wide = columns_of_first(text + at);
        if (*columns + wide > room)
            break;
        *columns += wide;
        at += length > 0 ? length : 1;
    }
    return at;
}

unsigned columns_of_text(const char *text)
{
    unsigned columns;
    that_fits(text, ~0u >> 1, &columns);
    return columns;
}

void cut_to_columns(char *text, unsigned columns)
{
    static const char cut[] = "...";
    const unsigned dots = columns < strlen(cut) ? columns : (unsigned)strlen(cut);
    unsigned taken;
    if (text[that_fits(text, columns, &taken)] == '\0')
        return;
    size_t end = that_fits(text, columns - dots, &taken), size = strlen(text) - end;
    memcpy(text + end, cut, dots < size ? dots : size);
    text[end + (dots < size ? dots : size)] = '\0';
}

/* The end has what is left of the columns when the beginning has its half: so it is found from the beginning, character by
 * character. */
void shorten_to_columns(char *text, unsigned columns)
{
    static const char cut[] = "...";
    const unsigned dots = (unsigned)strlen(cut);
    unsigned taken, tail;
    if (columns_of_text(text) <= columns)
        return;
    if (columns <= 2 * dots) {
        cut_to_columns(text, columns);
        return;
    }
    const size_t begin = that_fits(text, (columns - dots) / 2, &taken);
    const char *end = text + begin;
    while ((tail = columns_of_text(end)) > columns - dots - taken || (tail > 0 && columns_of_first(end) == 0)) {
        const unsigned length = admit_printable_character(end);
        end += length > 0 ? length : 1;
    }
    memmove(text + begin + dots, end, strlen(end) + 1);
    memcpy(text + begin, cut, dots);
}
