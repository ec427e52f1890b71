/* SPDX-License-Identifier: MIT
 *
 * base64.h - how etcd's JSON has keys and values, which may be any bytes.
 */
#ifndef ADMIT_CLUSTER_BASE64_H
#define ADMIT_CLUSTER_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

void etcd_base64_write(FILE *out, const void *bytes, size_t size);

/* NULL: not base64, or out of memory. Otherwise the bytes, with a 0 behind, which the caller frees. */
char *etcd_base64_read(const char *text, size_t length, size_t *size);

#endif
