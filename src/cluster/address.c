/* SPDX-License-Identifier: MIT
 *
 * Where a gate's cluster is. What a name does not say, the environment does: ADMIT_ETCD, the endpoints; ADMIT_ETCD_CA,
 * ADMIT_ETCD_CERT, ADMIT_ETCD_KEY, files; ADMIT_ETCD_USER, and its password in ADMIT_ETCD_PASSWORD or in the file that
 * ADMIT_ETCD_PASSWORD_FILE names. Neither passwords nor keys are taken from a name, which everybody can see in a process's
 * arguments.
 */
#include "cluster/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

admit_error (*gate_fails)(admit_error error, const char *format, ...);

void key_of(char key[KEY_SIZE], const char *gate, const char *rest)
{
    snprintf(key, KEY_SIZE, "admit/%s/%s", gate, rest);
}

/* Written in one way only, since the store compares texts. */
unsigned gate_number(const char *text)
{
    char again[16];
    const unsigned long number = strtoul(text, NULL, 10);
    snprintf(again, sizeof again, "%lu", number);
    return number <= ADMIT_GATE_K_MAX && strcmp(text, again) == 0 ? (unsigned)number : 0;
}

int64_t lease_in(const char *key)
{
    const char *last = strrchr(key, '/');
    return last != NULL ? (int64_t)strtoull(last + 1, NULL, 16) : 0;
}

/* A setuid program does not let its caller say where it goes, and with what. */
static const char *from_environment(const char *name)
{
    const char *value = secure_getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

static admit_error check_private(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return gate_fails(ADMIT_NO_PERMISSION, "cannot read %s: %s", path, strerror(errno));
    if ((status.st_mode & 077) != 0)
        return gate_fails(ADMIT_NO_PERMISSION, "%s can be read by others (mode %04o): chmod 600 keeps a secret", path,
                          (unsigned)status.st_mode & 07777);
    return ADMIT_OK;
}

static admit_error read_password(struct address *address, char *text, size_t size)
{
    const char *path = from_environment("ADMIT_ETCD_PASSWORD_FILE");
    address->options.password = from_environment("ADMIT_ETCD_PASSWORD");
    if (path == NULL || address->options.password != NULL)
        return ADMIT_OK;
    const admit_error error = check_private(path);
    if (error != ADMIT_OK)
        return error;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    ssize_t length = fd >= 0 ? read(fd, text, size - 1) : -1;
    if (fd >= 0)
        close(fd);
    if (length <= 0)
        return gate_fails(ADMIT_NO_PERMISSION, "cannot read a password from %s: %s", path,
                          length == 0 ? "it is empty" : strerror(errno));
    text[length] = '\0';
    text[strcspn(text, "\r\n")] = '\0';
    address->options.password = text;
    return ADMIT_OK;
}

static admit_error read_secrets(struct address *address, char *text, size_t size)
{
    struct etcd_options *options = &address->options;
    options->user = from_environment("ADMIT_ETCD_USER");
    if (options->user != NULL) {
        const admit_error error = read_password(address, text, size);
        if (error != ADMIT_OK)
            return error;
        if (options->password == NULL)
            return gate_fails(ADMIT_BAD_OPTION,
                              "ADMIT_ETCD_USER needs ADMIT_ETCD_PASSWORD_FILE or ADMIT_ETCD_PASSWORD");
    }
    if (!options->tls && (from_environment("ADMIT_ETCD_CA") != NULL || from_environment("ADMIT_ETCD_CERT") != NULL))
        return gate_fails(ADMIT_BAD_OPTION, "ADMIT_ETCD_CA and ADMIT_ETCD_CERT are for TLS: say https:// before the "
                                            "endpoints, or what goes there, passwords too, can be read on the way");
    if (!options->tls)
        return ADMIT_OK;
    options->ca = from_environment("ADMIT_ETCD_CA");
    options->certificate = from_environment("ADMIT_ETCD_CERT");
    options->key = from_environment("ADMIT_ETCD_KEY");
    return options->key != NULL ? check_private(options->key) : ADMIT_OK;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* "https://" stands before the first endpoint or before each; so does "http://". */
static admit_error read_endpoints(struct address *address, const char *given, char *text, size_t size)
{
    size_t at = 0;
    address->options.tls = begins(given, "https://");
    for (const char *next = given; *next != '\0';) {
        const bool tls = begins(next, "https://");
        if (tls || begins(next, "http://")) {
            if (tls != address->options.tls)
                return gate_fails(ADMIT_BAD_NAME, "the endpoints of etcd are all https or none: %.200s", given);
            next += tls ? strlen("https://") : strlen("http://");
        }
        const size_t length = strcspn(next, ",");
        if (at + length + 2 > size)
            return gate_fails(ADMIT_BAD_NAME, "too many endpoints of etcd");
        if (memchr(next, '@', length) != NULL)
            return gate_fails(ADMIT_BAD_NAME, "user and password of etcd do not stand in a name: ADMIT_ETCD_USER, "
                                              "ADMIT_ETCD_PASSWORD_FILE");
        at += (size_t)snprintf(text + at, size - at, "%s%.*s", at > 0 ? "," : "", (int)length, next);
        next += length + (next[length] == ',');
    }
    address->options.endpoints = text;
    return ADMIT_OK;
}

static admit_error check_gate(const struct address *address, const char *name, size_t length, bool with_gate)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    if (!with_gate && length == 0)
        return ADMIT_OK;
    if (!with_gate)
        return gate_fails(ADMIT_BAD_NAME, "\"%.80s\" is a gate, and not a cluster", name);
    if (length == 0 || length > 64 || strspn(address->gate, allowed) != length || strcmp(address->gate, ".") == 0 ||
        strcmp(address->gate, "..") == 0)
        return gate_fails(
            ADMIT_BAD_NAME,
            "bad gate name \"%.200s\": etcd:NAME or etcd://HOST:PORT,.../NAME, in which NAME has 1 to 64 of "
            "A-Z a-z 0-9 . _ -",
            name);
    return ADMIT_OK;
}

admit_error address_read(struct address *address, const char *name, bool with_gate)
{
    char endpoints[1024];
    const char *rest = name + strlen("etcd:"), *given = from_environment("ADMIT_ETCD");
    *address = (struct address){.gate = ""};
    const size_t size = sizeof address->text / 2;
    const char *scheme = strstr(rest, "//"), *gate = rest;
    if (scheme != NULL) { /* "//HOST", "https://HOST" */
        const char *authority = scheme == rest ? rest + 2 : rest;
        const char *end = strrchr(scheme + 2, '/');
        const size_t length = end != NULL ? (size_t)(end - authority) : strlen(authority);
        if (length == 0 || length >= sizeof endpoints)
            return gate_fails(ADMIT_BAD_NAME, "\"%.200s\": which endpoints? etcd://HOST:PORT,.../NAME", name);
        memcpy(endpoints, authority, length);
        endpoints[length] = '\0';
        given = endpoints;
        gate = end != NULL ? end + 1 : "";
    }
    snprintf(address->gate, sizeof address->gate, "%s", gate);
    admit_error error = check_gate(address, name, strlen(gate), with_gate);
    if (error == ADMIT_OK && given == NULL)
        error =
            gate_fails(ADMIT_BAD_NAME, "\"%.200s\": where is etcd? ADMIT_ETCD=HOST:PORT,... or etcd://HOST:PORT,.../%s",
                       name, gate);
    if (error == ADMIT_OK)
        error = read_endpoints(address, given, address->text, size);
    if (error == ADMIT_OK)
        error = read_secrets(address, address->text + size, size);
    return error;
}

admit_error gate_etcd_failed(const char *gate, const struct etcd *etcd, enum etcd_result result)
{
    const enum etcd_reason reason = etcd_reason(etcd);
    if (result == ETCD_INTERRUPTED)
        return gate_fails(ADMIT_INTERRUPTED, "gate \"%s\": interrupted", gate);
    return gate_fails(reason == ETCD_NOT_ALLOWED ? ADMIT_NO_PERMISSION
                      : reason == ETCD_NO_SPACE  ? ADMIT_DISK_FULL
                                                 : ADMIT_SYSTEM,
                      "gate \"%s\": %s", gate, etcd_text(etcd));
}
