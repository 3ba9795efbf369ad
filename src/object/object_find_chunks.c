/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_find_chunks: brings a layout to the bytes that say where its chunks lie, before it is asked for them.
 */
#include "object/object_index.h"

typedef struct reading {
    const ncz_objects *objects;
    const char        *key; /* of the object */
} reading;

static int
read_ranges(void *arg, const ncz_read_range *ranges, size_t n)
{
    const reading *r = arg;
    zmap_get_req  *reqs = ncz_zalloc_n(n, sizeof *reqs);
    int            rc;

    if (reqs == NULL)
        return ncz_fail_nomem(n * sizeof *reqs);
    for (size_t i = 0; i < n; i++)
        reqs[i] = (zmap_get_req){.key = r->key,
                                 .off = ranges[i].at,
                                 .len = ranges[i].len,
                                 .into = ranges[i].out,
                                 .into_cap = ranges[i].len};
    rc = zmap_get_batch(r->objects->map, reqs, n, NULL, NULL);
    for (size_t i = 0; i < n && rc == NC_NOERR; i++)
        if (reqs[i].err.code != NC_NOERR)
            rc = ncz_err_adopt(&reqs[i].err);
        else if (reqs[i].nread != ranges[i].len)
            rc = ncz_fail(NC_ETRUNC, "the file ends within the %zu bytes at %llu", ranges[i].len,
                          (unsigned long long)ranges[i].at);
    ncz_free(reqs);
    return rc;
}

int
ncz_object_find_chunks(const ncz_objects *objects, const ncz_spec *spec)
{
    reading           r = {.objects = objects, .key = ""};
    ncz_layout_source source = {read_ranges, &r};

    if (spec->layout->ops->find == NULL)
        return NC_NOERR;
    if (spec->unusable->code != NC_NOERR && spec->unusable->code != NC_ENOFILTER) /* filters say nothing of places */
        return ncz_err_adopt(spec->unusable);
    return spec->layout->ops->find(spec->layout, &source);
}
