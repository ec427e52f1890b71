/* SPDX-License-Identifier: MIT
 *
 * curl.h - libcurl, loaded when it is needed. A program that speaks to no cluster by TLS starts without it and the thirty
 * libraries that it needs, which takes longer than all the rest.
 */
#ifndef ADMIT_CLUSTER_CURL_H
#define ADMIT_CLUSTER_CURL_H

#include <curl/curl.h>

#define ETCD_CURL_FUNCTIONS(one)                                                                                       \
    one(global_init) one(easy_init) one(easy_setopt) one(easy_getinfo) one(easy_cleanup) one(easy_strerror)            \
        one(multi_init) one(multi_setopt) one(multi_add_handle) one(multi_remove_handle) one(multi_perform)            \
            one(multi_poll) one(multi_info_read) one(multi_cleanup) one(slist_append) one(slist_free_all)

#define ETCD_CURL_MEMBER(name) __typeof__(curl_##name) *name;

struct etcd_curl {
    ETCD_CURL_FUNCTIONS(ETCD_CURL_MEMBER)
};

/* NULL: it cannot be loaded, and `*why` says so. */
const struct etcd_curl *etcd_curl(const char **why);

#endif
