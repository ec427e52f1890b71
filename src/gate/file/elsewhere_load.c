/* SPDX-License-Identifier: MIT
 *
 * The loader of libadmit-etcd, a file of its own: nothing refers to it so that a linker would take it out of libadmit.a, and a
 * program that is linked statically has no loader. libadmit.so has it.
 */
#include "gate/file/elsewhere.h"

#include "native/error.h"

#include <dlfcn.h>

/* It stays loaded, as what its threads run does. */
provide_elsewhere *admit_elsewhere_load(const char *name)
{
    static const char library[] = "libadmit-etcd.so.0";
    void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (loaded == NULL) {
        admit_gate_error(ADMIT_UNSUPPORTED, "gate \"%.80s\": gates on etcd need %s: %s", name, library, dlerror());
        return NULL;
    }
    provide_elsewhere *found;
    *(void **)&found = dlsym(loaded, "admit_elsewhere_provide");
    if (found == NULL)
        admit_gate_error(ADMIT_UNSUPPORTED, "gate \"%.80s\": %s is another library of that name", name, library);
    return found;
}
