/* SPDX-License-Identifier: MIT
 *
 * Base64 of RFC 4648 with padding, as Go's encoding/json writes and reads it.
 */
#include "cluster/base64.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void etcd_base64_write(FILE *out, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    for (size_t at = 0; at < size; at += 3) {
        const size_t have = size - at < 3 ? size - at : 3;
        uint32_t group = 0;
        for (size_t b = 0; b < 3; b++)
            group = group << 8 | (b < have ? from[at + b] : 0);
        for (size_t d = 0; d < 4; d++)
            putc(d <= have ? digits[group >> (18 - 6 * d) & 63] : '=', out);
    }
}

static int value_of(char digit)
{
    const char *found = digit != '\0' ? strchr(digits, digit) : NULL;
    return found != NULL ? (int)(found - digits) : -1;
}

char *etcd_base64_read(const char *text, size_t length, size_t *size)
{
    if (length % 4 != 0)
        return NULL;
    size_t padding = 0;
    while (padding < 2 && padding < length && text[length - 1 - padding] == '=')
        padding++;
    char *bytes = malloc(length / 4 * 3 + 1);
    if (bytes == NULL)
        return NULL;
    *size = 0;
    for (size_t at = 0; at < length; at += 4) {
        const size_t have = at + 4 < length ? 3 : 3 - padding;
        uint32_t group = 0;
        for (size_t d = 0; d < 4; d++) {
            const int value = d <= have ? value_of(text[at + d]) : 0;
            if (value < 0) {
                free(bytes);
                return NULL;
            }
            group = group << 6 | (uint32_t)value;
        }
        for (size_t b = 0; b < have; b++)
            bytes[(*size)++] = (char)(group >> (16 - 8 * b) & 255);
    }
    bytes[*size] = '\0';
    return bytes;
}
