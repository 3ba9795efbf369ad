/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of fuzz_api that touch data. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/api_program.h"
#include "fuzz/walk.h"

typedef struct box {
    int       ncid, varid, ndims;
    nc_type   type;
    size_t    start[NC_MAX_VAR_DIMS], count[NC_MAX_VAR_DIMS], total;
    ptrdiff_t stride[NC_MAX_VAR_DIMS], map[NC_MAX_VAR_DIMS]; /* the map turns the order of dimensions round */
    unsigned  how;                                           /* vara, vars, varm, and those with a type in memory */
} box;

/* Inside of the variable as a rule, else anywhere. False: there is no such variable. */
static bool
take_box(program *p, box *b)
{
    int dimids[NC_MAX_VAR_DIMS];

    b->ncid = take_group(p);
    b->varid = take_var(p, b->ncid);
    b->total = 1;
    b->how = take(p);
    if (nc_inq_varndims(b->ncid, b->varid, &b->ndims) != NC_NOERR || b->ndims > NC_MAX_VAR_DIMS ||
        nc_inq_vartype(b->ncid, b->varid, &b->type) != NC_NOERR ||
        nc_inq_vardimid(b->ncid, b->varid, dimids) != NC_NOERR)
        return false;
    for (int d = 0; d < b->ndims; d++) {
        size_t   len = 0, most = FUZZ_MOST_ELEMS / b->total;
        unsigned where = take(p);

        (void)nc_inq_dimlen(b->ncid, dimids[d], &len);
        b->stride[d] = where % 8 == 7 ? (ptrdiff_t)(take(p) % 4) - 1 : 1;
        b->map[d] = (ptrdiff_t)b->total;
        if (where >= 224) { /* wherever */
            b->start[d] = take_number(p);
            b->count[d] = take_number(p) % (most + 1);
        } else {
            b->count[d] = len < most ? len : most;
            if (where % 2 != 0 && b->count[d] > 0)
                b->count[d] = take(p) % b->count[d] + 1;
            b->start[d] = where % 3 == 0 || len == 0 ? 0 : (size_t)take(p) * 37 % (len - b->count[d] + 1);
            if (b->count[d] == 0)
                b->count[d] = take(p) % 3; /* records that are new */
        }
        b->total *= b->count[d] == 0 ? 1 : b->count[d];
    }
    return true;
}

static int
get_box(const box *b, void *values)
{
    switch (b->how % 3) {
    case 0: return fuzz_said(nc_get_vara(b->ncid, b->varid, b->start, b->count, values));
    case 1: return fuzz_said(nc_get_vars(b->ncid, b->varid, b->start, b->count, b->stride, values));
    default: return fuzz_said(nc_get_varm(b->ncid, b->varid, b->start, b->count, b->stride, b->map, values));
    }
}

static int
put_box(const box *b, const void *values)
{
    switch (b->how % 3) {
    case 0: return fuzz_said(nc_put_vara(b->ncid, b->varid, b->start, b->count, values));
    case 1: return fuzz_said(nc_put_vars(b->ncid, b->varid, b->start, b->count, b->stride, values));
    default: return fuzz_said(nc_put_varm(b->ncid, b->varid, b->start, b->count, b->stride, b->map, values));
    }
}

static void
get_converted(const box *b)
{
    void *values = calloc(b->total, 8);

    switch (b->how % 5) {
    case 0: (void)fuzz_said(nc_get_vara_double(b->ncid, b->varid, b->start, b->count, values)); break;
    case 1: (void)fuzz_said(nc_get_vara_schar(b->ncid, b->varid, b->start, b->count, values)); break;
    case 2: (void)fuzz_said(nc_get_vara_ulonglong(b->ncid, b->varid, b->start, b->count, values)); break;
    case 3: (void)fuzz_said(nc_get_vara_text(b->ncid, b->varid, b->start, b->count, values)); break;
    default:
        (void)fuzz_said(nc_get_vara_string(b->ncid, b->varid, b->start, b->count, values));
        (void)nc_free_string(b->total, values);
    }
    free(values);
}

static void *
new_values(const box *b, size_t *bytes)
{
    size_t elem = 8;

    (void)nc_inq_type(b->ncid, b->type, NULL, &elem);
    *bytes = b->total * elem;
    return b->total <= FUZZ_MOST_ELEMS && elem <= FUZZ_MOST_BYTES / b->total ? calloc(b->total, elem + 1) : NULL;
}

void
call_get(program *p)
{
    box    b = {0};
    size_t bytes;
    void  *values;

    if (!take_box(p, &b))
        return;
    if (b.how >= 200) {
        get_converted(&b);
    } else if ((values = new_values(&b, &bytes)) != NULL) {
        (void)get_box(&b, values);
        (void)nc_reclaim_data(b.ncid, b.type, values, b.total);
        free(values);
    }
}

/* Codecs without an HDF5 filter of which some values of integers do not come back. */
static bool
has_lossy_codec(const box *b)
{
    static const char *const ids[] = {"packbits",   "fixedscaleoffset", "quantize", "astype",
                                      "cast_value", "scale_offset",     "zfp"};
    size_t                   len = 0;
    char                    *text;
    bool                     found = true;

    if (nczarr_inq_var_encoding(b->ncid, b->varid, &len, NULL) != NC_NOERR)
        return true;
    text = malloc(len + 1);
    if (nczarr_inq_var_encoding(b->ncid, b->varid, &len, text) == NC_NOERR) {
        found = false;
        for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
            found = found || strstr(text, ids[i]) != NULL;
    }
    free(text);
    return found;
}

/* Is what is read the very bytes that were put? Not where a codec, a width or rounding is between. */
static bool
is_exact(const box *b)
{
    char   dtype[64];
    size_t len = 0, nfilters = 1;
    int    mode = 0;

    for (int d = 0; d < b->ndims; d++)
        if (b->stride[d] < 1 || b->count[d] == 0)
            return false;
    return b->type >= NC_BYTE && b->type <= NC_UINT64 && b->type != NC_CHAR && b->type != NC_FLOAT &&
           b->type != NC_DOUBLE && nc_inq_var_filter_ids(b->ncid, b->varid, &nfilters, NULL) == NC_NOERR &&
           nfilters == 0 && !has_lossy_codec(b) && nc_inq_var_quantize(b->ncid, b->varid, &mode, NULL) == NC_NOERR &&
           mode == NC_NOQUANTIZE && nczarr_inq_var_dtype(b->ncid, b->varid, &len, NULL) == NC_NOERR &&
           len < sizeof dtype && nczarr_inq_var_dtype(b->ncid, b->varid, &len, dtype) == NC_NOERR &&
           strpbrk(dtype, "iu") != NULL;
}

void
call_put(program *p)
{
    box    b = {0};
    size_t bytes;
    void  *values, *back;

    if (!take_box(p, &b) || (values = take_values(p, b.ncid, b.type, b.total)) == NULL)
        return;
    if (b.how >= 200) {
        memset(values, 0, b.total); /* numbers, of any size */
        (void)fuzz_said(nc_put_vara_schar(b.ncid, b.varid, b.start, b.count, values));
    } else if (put_box(&b, values) == NC_NOERR && is_exact(&b) && (back = new_values(&b, &bytes)) != NULL) {
        if (get_box(&b, back) == NC_NOERR && memcmp(values, back, bytes) != 0)
            abort();
        free(back);
    }
    free(values);
}

void
call_grow(program *p)
{
    int ncid = take_group(p);

    (void)fuzz_said(nczarr_grow_dim(ncid, take_dim(p, ncid), take_number(p)));
}
