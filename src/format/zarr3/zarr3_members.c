/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Members of documents that have a common form: extension points, NCZarr's keys, unknown members. No state; any
 * thread.
 */
#include "format/zarr3/zarr3_int.h"

#include <string.h>

const char *
ncz_zarr3_name(const ncz_json *v)
{
    return ncz_json_cstr(ncz_json_is(v, NCZ_JSON_OBJECT) ? ncz_json_get(v, "name") : v);
}

const ncz_json *
ncz_zarr3_config(const ncz_json *v, const char *member)
{
    return ncz_json_get(ncz_json_get(v, "configuration"), member);
}

const ncz_json *
ncz_zarr3_nczarr(const ncz_json *doc, const char *key)
{
    const ncz_json *v = ncz_json_get(ncz_json_get(doc, "attributes"), key);

    return ncz_json_is(v, NCZ_JSON_OBJECT) ? v : NULL;
}

const char *
ncz_zarr3_unknown(const ncz_json *doc, const char *const *known, bool *ignored)
{
    const char *found = NULL;

    *ignored = true;
    for (size_t i = 0; i < ncz_json_len(doc) && *ignored; i++) {
        const char *name = ncz_json_key(doc, i);
        size_t      k = 0;
        bool        must = true;

        while (known[k] != NULL &&
               (name[0] != known[k][0] || strcmp(name, known[k]) != 0 || !ncz_json_key_whole(doc, i)))
            k++;
        if (known[k] != NULL)
            continue;
        found = name;
        *ignored = ncz_json_bool(ncz_json_get(ncz_json_at(doc, i), "must_understand"), &must) && !must;
    }
    return found;
}
