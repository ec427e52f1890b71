/* SPDX-License-Identifier: MIT */
#include "checker/model/references.h"

const char *const memory_model_name[MEMORY_MODELS] = {[CC] = "cc", [DSM] = "dsm", [CC_WRITE_BACK] = "cc-write-back"};
