/* SPDX-License-Identifier: MIT
 *
 * libcurl is not linked with, so that it is what the loader finds: libcurl.so.4 has been its name since 2006. It stays until the
 * process ends.
 */
#include "cluster/curl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static struct etcd_curl curl;
static bool is_there;
static char why_not[240];

/* POSIX has it that a function's address fits into a void *, ISO C has not; so its bytes are copied. */
static bool find(void *library, const char *name, void *function, size_t size)
{
    void *address = dlsym(library, name);
    memcpy(function, &address, size);
    return address != NULL;
}

#define FIND(name) found &= find(library, "curl_" #name, &curl.name, sizeof curl.name);

static void load(void)
{
    bool found = true;
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        snprintf(why_not, sizeof why_not, "TLS needs libcurl, which cannot be loaded (Debian: libcurl4): %s",
                 dlerror());
        return;
    }
    ETCD_CURL_FUNCTIONS(FIND)
    if (!found || curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        snprintf(why_not, sizeof why_not, "TLS needs a libcurl of 7.66 or later");
    else
        is_there = true;
}

const struct etcd_curl *etcd_curl(const char **why)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    *why = why_not;
    return is_there ? &curl : NULL;
}
