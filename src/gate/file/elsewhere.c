/* SPDX-License-Identifier: MIT */
#include "gate/file/elsewhere.h"

#include "gate/file/file.h"

/* Weak: libadmit does without. */
extern provide_elsewhere admit_elsewhere_provide __attribute__((weak));
extern __typeof__(admit_elsewhere_load) admit_elsewhere_load __attribute__((weak));

static const struct elsewhere_host host = {.version = ELSEWHERE_VERSION, .fails = admit_gate_error};

bool admit_is_elsewhere(const char *name)
{
    return strncmp(name, "etcd:", 5) == 0;
}

static provide_elsewhere *provider(const char *name)
{
    if (admit_elsewhere_provide != NULL)
        return admit_elsewhere_provide;
    if (admit_elsewhere_load != NULL)
        return admit_elsewhere_load(name);
    admit_gate_error(ADMIT_UNSUPPORTED, "gate \"%.80s\": this program is linked without libadmit-etcd", name);
    return NULL;
}

const struct elsewhere *admit_elsewhere(const char *name)
{
    static const struct elsewhere *_Atomic known;
    const struct elsewhere *elsewhere = atomic_load(&known);
    if (elsewhere != NULL)
        return elsewhere;
    provide_elsewhere *provide = provider(name);
    if (provide == NULL)
        return NULL;
    elsewhere = provide(&host);
    if (elsewhere == NULL || elsewhere->version != ELSEWHERE_VERSION) {
        admit_gate_error(ADMIT_UNSUPPORTED, "gate \"%.80s\": libadmit and libadmit-etcd are of different versions",
                         name);
        return NULL;
    }
    atomic_store(&known, elsewhere);
    return elsewhere;
}

admit_error admit_not_elsewhere(const admit_gate *gate, const char *what)
{
    return admit_gate_error(ADMIT_UNSUPPORTED, "gate \"%s\" is on etcd, where %s", gate->path, what);
}
