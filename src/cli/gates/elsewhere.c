/* SPDX-License-Identifier: MIT */
#include "cli/gates/elsewhere.h"

#include "cli/commands.h"
#include "cli/usage.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool is_elsewhere(const char *gate)
{
    return strncmp(gate, "etcd:", 5) == 0;
}

bool is_for_helper(int argc, char *const *argv)
{
    static const char *const its[] = {"run", "status", "top", "list", "resize", "remove", "jobs", "wait"};
    bool has = false, names = false;
    for (unsigned c = 0; c < sizeof its / sizeof its[0]; c++)
        has |= strcmp(argv[1], its[c]) == 0;
    for (int a = 2; a < argc && strcmp(argv[a], "--") != 0; a++)
        names |= is_elsewhere(argv[a]);
    return has && names;
}

/* Beside this program, as in a build directory, or where `make install` puts it; NULL: neither. */
static const char *helper_beside(char path[PATH_MAX + 40])
{
    static const char *const places[] = {"admit-etcd", ADMIT_TO_LIBEXEC "/admit/admit-etcd"};
    char own[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length <= 0)
        return NULL;
    own[length] = '\0';
    *strrchr(own, '/') = '\0';
    for (unsigned p = 0; p < sizeof places / sizeof places[0]; p++) {
        snprintf(path, PATH_MAX + 40, "%s/%s", own, places[p]);
        if (access(path, X_OK) == 0)
            return path;
    }
    return NULL;
}

void become_helper(char **argv, int failure)
{
    static char path[PATH_MAX + 40];
    const char *helper = helper_beside(path);
    if (helper != NULL)
        execv(helper, argv);
    if (helper != NULL)
        fprintf(stderr, "admit %s: cannot execute %s: %s\n", argv[1], helper, strerror(errno));
    else
        fprintf(stderr,
                "admit %s: gates on etcd need admit-etcd, which is not installed beside this program: build it where "
                "the headers of libcurl and jansson are (Debian: libcurl4-openssl-dev, libjansson-dev)\n",
                argv[1]);
    exit(failure);
}

void refuse_elsewhere(const char *command, const char *gate, const char *what)
{
    if (is_elsewhere(gate))
        usage_error(command, "%s is for gates of this machine, and '%s' is on etcd", what, gate);
}
