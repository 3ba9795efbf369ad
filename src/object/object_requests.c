/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_requests: how a store takes requests, from workers or in batches; and the texts of what fails in an object.
 */
#include "object/object_requests.h"

bool
ncz_object_from_workers(const ncz_objects *objects)
{
    return (zmap_caps_of(objects->map) & ZMAP_FROM_WORKERS) != 0;
}

int
ncz_object_fail_key(const char *key, int rc)
{
    ncz_err why;

    ncz_err_save(&why, rc);
    return ncz_fail(rc, "%s: %s", key, why.text);
}
