/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The environment: the only place of the library that reads it. A program that runs with more rights than its user
 * has is not told anything.
 */
#include "util/util.h"

#include <stdlib.h>

const char *
ncz_env(const char *name)
{
    const char *value = secure_getenv(name);

    return value != NULL && value[0] != '\0' ? value : NULL;
}
