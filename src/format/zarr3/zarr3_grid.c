/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The chunk grid "rectilinear": for each dimension one chunk length, or a list of lengths and of [length, count] pairs.
 * A grid whose chunks do not differ inside the array is taken for a regular one.
 */
#include "format/zarr3/zarr3_int.h"

#include <string.h>

static int
fail_lengths(const char *key, size_t d)
{
    return ncz_fail(
        NC_EZARRMETA,
        "%s: \"chunk_grid\": \"chunk_shapes\" has for dimension %zu neither a length nor a list of lengths "
        "that reach the end of the array",
        key, d);
}

/* A length, or a pair of a length and a count. */
static int
add_chunks(const ncz_json *v, size_t d, const char *key, ncz_rectilinear *g)
{
    const ncz_json *len = ncz_json_is(v, NCZ_JSON_ARRAY) ? ncz_json_at(v, 0) : v;
    uint64_t        n, count = 1;
    ncz_err         err;
    int             rc;

    if (ncz_json_is(v, NCZ_JSON_ARRAY) && (ncz_json_len(v) != 2 || !ncz_json_u64(ncz_json_at(v, 1), &count)))
        return fail_lengths(key, d);
    if (!ncz_json_u64(len, &n))
        return fail_lengths(key, d);
    if ((rc = ncz_rectilinear_add(g, d, n, count)) != NC_EBADCHUNK)
        return rc;
    ncz_err_save(&err, rc);
    return ncz_fail(NC_EZARRMETA, "%s: \"chunk_grid\": dimension %zu: %s", key, d, err.text);
}

static int
add_dimension(const ncz_json *v, size_t d, uint64_t length, const char *key, ncz_rectilinear *g)
{
    uint64_t n;
    int      rc;

    if (ncz_json_u64(v, &n))
        return n == 0 ? fail_lengths(key, d) : ncz_rectilinear_add(g, d, n, length == 0 ? 1 : (length - 1) / n + 1);
    if (!ncz_json_is(v, NCZ_JSON_ARRAY))
        return fail_lengths(key, d);
    for (size_t i = 0; i < ncz_json_len(v); i++)
        if ((rc = add_chunks(ncz_json_at(v, i), d, key, g)) != NC_NOERR)
            return rc;
    return ncz_rectilinear_end(g, d) >= length && ncz_rectilinear_end(g, d) > 0 ? NC_NOERR : fail_lengths(key, d);
}

int
ncz_zarr3_rectilinear_parse(const ncz_json *grid, const char *key, ncz_array_meta *z)
{
    const ncz_json  *shapes = ncz_zarr3_config(grid, "chunk_shapes");
    ncz_rectilinear *g = NULL;
    bool             regular = true;
    int              rc;

    if (!ncz_json_str_is(ncz_zarr3_config(grid, "kind"), "inline") || !ncz_json_is(shapes, NCZ_JSON_ARRAY) ||
        ncz_json_len(shapes) != z->rank)
        return ncz_fail(NC_EZARRMETA,
                        "%s: \"chunk_grid\": \"kind\" is not \"inline\", or \"chunk_shapes\" does not fit the shape",
                        key);
    if ((rc = ncz_rectilinear_new(z->rank, &g)) != NC_NOERR)
        return rc;
    for (size_t d = 0; rc == NC_NOERR && d < z->rank; d++)
        if ((rc = add_dimension(ncz_json_at(shapes, d), d, z->shape[d], key, g)) == NC_NOERR)
            regular = regular && ncz_rectilinear_regular(g, d, z->shape[d]);
    if (rc != NC_NOERR)
        goto done;
    if ((z->chunk = ncz_alloc_n(z->rank, sizeof *z->chunk)) == NULL) {
        rc = ncz_fail_nomem(z->rank * sizeof *z->chunk);
        goto done;
    }
    for (size_t d = 0; d < z->rank; d++)
        z->chunk[d] = ncz_rectilinear_longest(g, d, z->shape[d]);
    if (!regular) { /* a regular one is written as such when its document changes */
        z->frozen = true;
        z->rectilinear = g;
        g = NULL;
    }
done:
    ncz_rectilinear_unref(g);
    return rc;
}
