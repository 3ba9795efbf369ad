/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The environment, which no other file of the library reads. A program that runs with more rights than its user
 * sees no variable.
 */
#include "util/util.h"
#include "platform/platform.h"

#include <string.h>

const char *
ncz_env(const char *name)
{
    const char *value = ncz_sys_getenv(name);

    return value != NULL && value[0] != '\0' ? value : NULL;
}

int
ncz_env_secret(const char *name, char **out)
{
    const char *value = ncz_env(name);
    char       *copy = value != NULL ? ncz_strdup(value) : NULL;

    if (value != NULL && copy == NULL)
        return ncz_fail_nomem(strlen(value) + 1);
    *out = copy;
    return NC_NOERR;
}

void
ncz_wipe(void *p, size_t nbytes)
{
    if (p != NULL)
        ncz_sys_wipe(p, nbytes);
}

void
ncz_free_secret(char *s)
{
    ncz_wipe(s, s != NULL ? strlen(s) : 0);
    ncz_free(s);
}

bool
ncz_env_secure(void)
{
    return ncz_sys_privileged();
}

void
ncz_env_hide(const char *name)
{
    ncz_sys_empty_env(name);
}
