/* SPDX-License-Identifier: MIT
 *
 * Handles: options, endpoints, texts.
 */
#include "cluster/client.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local char open_failure[300];

const char *etcd_open_failure(void)
{
    return open_failure;
}

static struct etcd *refuse(struct etcd *etcd, const char *why, const char *what)
{
    snprintf(open_failure, sizeof open_failure, why, what);
    etcd_close(etcd);
    return NULL;
}

/* Letters, digits and what else a host or an address may have; and a port. What it is not must not become a part of
 * a URL. */
static bool is_endpoint(const char *name, size_t length)
{
    const char *colon = memrchr(name, ':', length);
    if (colon == NULL || colon == name)
        return false;
    const size_t host = (size_t)(colon - name), digits = length - host - 1;
    const bool in_brackets = *name == '[' && name[host - 1] == ']';
    const char *also = in_brackets ? ":.%" : ".-_";
    for (size_t c = in_brackets; c < host - in_brackets; c++)
        if (!isalnum((unsigned char)name[c]) && (name[c] == '\0' || strchr(also, name[c]) == NULL))
            return false;
    return host > 2u * in_brackets && host < 256 && digits >= 1 && digits <= 5 &&
           strspn(colon + 1, "0123456789") >= digits && atoi(colon + 1) >= 1 && atoi(colon + 1) <= 65535;
}

static struct etcd *take_endpoints(struct etcd *etcd, const char *list)
{
    for (const char *at = list; list != NULL; at += strcspn(at, ",") + 1) {
        const size_t length = strcspn(at, ",");
        if (!is_endpoint(at, length))
            return refuse(etcd, "the endpoints are not HOST:PORT,HOST:PORT,...: %.80s", list);
        if (etcd->endpoints == ENDPOINTS_MAX)
            return refuse(etcd, "there are too many endpoints: %.80s", list);
        if ((etcd->endpoint[etcd->endpoints].name = strndup(at, length)) == NULL)
            return refuse(etcd, "out of memory%s", "");
        etcd->endpoints++;
        if (at[length] == '\0')
            return etcd;
    }
    return refuse(etcd, "no endpoints are given%s", "");
}

static bool copy(const char **to, const char *from)
{
    *to = from != NULL ? strdup(from) : NULL;
    return from == NULL || *to != NULL;
}

static bool is_utf8(const char *text)
{
    json_t *string = json_string(text);
    json_decref(string);
    return string != NULL;
}

/* A request takes some milliseconds. One that was on its way when the leader died gets no answer; nor does the next
 * one, if it is sent before the others have noticed, which is after one or two seconds. With others to ask it is not
 * worth while to wait for longer; and if one waits for less, the next is lost as well. A single server gets as long
 * as it takes itself before it gives up. */
static const int64_t with_others = 2 * INT64_C(1000000000), alone = 7 * INT64_C(1000000000);

struct etcd *etcd_open(const struct etcd_options *options)
{
    struct etcd *etcd = calloc(1, sizeof *etcd);
    if (etcd == NULL)
        return refuse(NULL, "out of memory%s", "");
    etcd->http.timer = etcd->http.interrupt = -1;
    if (take_endpoints(etcd, options->endpoints) == NULL)
        return NULL;
    if ((options->user == NULL) != (options->password == NULL))
        return refuse(etcd, "a user needs a password, and a password a user%s", "");
    if (options->user != NULL && (!is_utf8(options->user) || !is_utf8(options->password)))
        return refuse(etcd, "user and password must be UTF-8%s", "");
    if ((options->certificate == NULL) != (options->key == NULL))
        return refuse(etcd, "a certificate needs its key, and a key its certificate%s", "");
    if (!options->tls && (options->ca != NULL || options->certificate != NULL))
        return refuse(etcd, "certificates are of no use without TLS%s", "");
    etcd->options.tls = options->tls;
    etcd->patience = etcd->endpoints > 1 ? with_others : alone;
    if (!copy(&etcd->options.endpoints, options->endpoints) || !copy(&etcd->options.ca, options->ca) ||
        !copy(&etcd->options.certificate, options->certificate) || !copy(&etcd->options.key, options->key) ||
        !copy(&etcd->options.user, options->user) || !copy(&etcd->options.password, options->password))
        return refuse(etcd, "out of memory%s", "");
    if (!etcd_http_open(&etcd->http, &etcd->options))
        return refuse(etcd, "%s", etcd->http.error);
    return etcd;
}

static void free_secret(const char *secret)
{
    if (secret != NULL)
        explicit_bzero((char *)(uintptr_t)secret, strlen(secret));
    free((char *)(uintptr_t)secret);
}

void etcd_close(struct etcd *etcd)
{
    if (etcd == NULL)
        return;
    if (etcd->http.options != NULL)
        etcd_http_close(&etcd->http);
    etcd_moved_leave(etcd->moved);
    for (unsigned e = 0; e < etcd->endpoints; e++)
        free(etcd->endpoint[e].name);
    const struct etcd_options *options = &etcd->options;
    const char *const words[] = {options->endpoints, options->ca,       options->certificate, options->key,
                                 options->user,      options->password, etcd->token};
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++)
        free_secret(words[w]);
    free(etcd);
}

const char *etcd_text(const struct etcd *etcd)
{
    return etcd->text;
}

enum etcd_reason etcd_reason(const struct etcd *etcd)
{
    return etcd->reason;
}

uint64_t etcd_requests(const struct etcd *etcd)
{
    return etcd->requests;
}

void etcd_interrupt(struct etcd *etcd)
{
    etcd_http_interrupt(&etcd->http);
}

void etcd_note(struct etcd *etcd, enum etcd_reason reason, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(etcd->text, sizeof etcd->text, format, arguments);
    va_end(arguments);
    etcd->reason = reason;
}
