/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a dataset: the input is a list of objects, which are put into a memory map; then it is opened,
 * inquired, read whole and closed. In a second round it is opened for writing, a few things are changed and it is
 * closed.
 *
 * Input form, kind to a text mutator: "@key\n" begins an object, its bytes follow up to the next "\n@".
 * tests/fuzz/pack makes such a file from a directory.
 */
#include <stdlib.h>
#include <string.h>

#include "nczarr.h"
#include "nczarr_zmap.h"
#include "zmap/zmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_ELEMS 65536 /* a hostile shape is not worth the fuzzer's memory; small boxes reach the same code */
#define MOST_BYTES ((size_t)64 << 20)

static void
fill_map(zmap *map, const uint8_t *data, size_t size)
{
    const uint8_t *p = data, *end = data + size;

    while (p < end && *p == '@') {
        const uint8_t *eol = memchr(p, '\n', (size_t)(end - p)), *next;
        char          *key;

        if (eol == NULL)
            return;
        next = memmem(eol, (size_t)(end - eol), "\n@", 2);
        if (next == eol) /* an empty object */
            next = eol;
        if ((key = ncz_strndup((const char *)p + 1, (size_t)(eol - p - 1))) == NULL)
            return;
        if (next == NULL)
            (void)zmap_put(map, key, eol + 1, (size_t)(end - eol - 1));
        else
            (void)zmap_put(map, key, eol + 1, next > eol ? (size_t)(next - eol - 1) : 0);
        ncz_free(key);
        if (next == NULL)
            return;
        p = next + 1;
    }
}

static void
read_atts(int ncid, int varid, int natts)
{
    for (int i = 0; i < natts; i++) {
        char    name[NC_MAX_NAME + 1];
        nc_type type;
        size_t  len;
        double *numbers;

        int rc = nc_inq_attname(ncid, varid, i, name);

        if (rc == NC_EMAXNAME) /* documents may hold names that the API's buffers do not */
            continue;
        if (rc != NC_NOERR || nc_inq_att(ncid, varid, name, &type, &len) != NC_NOERR)
            abort(); /* what is counted must be there */
        if (type == NC_STRING) {
            char **s = calloc(len + 1, sizeof *s);

            if (nc_get_att_string(ncid, varid, name, s) == NC_NOERR)
                (void)nc_free_string(len, s);
            free(s);
        } else if (type == NC_CHAR) {
            char *s = calloc(len + 1, 1);

            (void)nc_get_att_text(ncid, varid, name, s);
            free(s);
        } else if (type > NC_MAX_ATOMIC_TYPE) {
            size_t elem = 0;
            void  *values;

            if (nc_inq_type(ncid, type, NULL, &elem) != NC_NOERR)
                abort();
            if (elem <= MOST_BYTES / (len + 1) && (values = calloc(len + 1, elem)) != NULL) {
                if (nc_get_att(ncid, varid, name, values) == NC_NOERR)
                    (void)nc_reclaim_data(ncid, type, values, len);
                free(values);
            }
        } else if ((numbers = calloc(len + 1, sizeof *numbers)) != NULL) {
            (void)nc_get_att_double(ncid, varid, name, numbers);
            free(numbers);
        }
    }
}

/* Reads a box at both ends of the variable, small enough whatever the shape claims. */
static void
read_var(int ncid, int varid)
{
    int     ndims = 0, *dimids;
    nc_type type;
    size_t *start, *count, total = 1;

    if (nc_inq_varndims(ncid, varid, &ndims) != NC_NOERR || nc_inq_vartype(ncid, varid, &type) != NC_NOERR)
        abort();
    dimids = calloc((size_t)ndims + 1, sizeof *dimids);
    start = calloc((size_t)ndims + 1, sizeof *start);
    count = calloc((size_t)ndims + 1, sizeof *count);
    if (nc_inq_vardimid(ncid, varid, dimids) != NC_NOERR)
        abort();
    for (int d = ndims - 1; d >= 0; d--) {
        size_t len = 0;

        (void)nc_inq_dimlen(ncid, dimids[d], &len);
        count[d] = len > MOST_ELEMS / total ? MOST_ELEMS / total : len;
        total *= count[d] == 0 ? 1 : count[d];
    }
    for (int round = 0; round < 2; round++) {
        if (type == NC_STRING) {
            char **s = calloc(total, sizeof *s);

            if (nc_get_vara_string(ncid, varid, start, count, s) == NC_NOERR)
                (void)nc_free_string(total, s);
            free(s);
        } else {
            size_t elem = 8; /* of one whose type is not understood */
            void  *out;

            (void)nc_inq_type(ncid, type, NULL, &elem);
            if (elem <= MOST_BYTES / total && (out = calloc(total, elem)) != NULL) {
                if (nc_get_vara(ncid, varid, start, count, out) != NC_NOERR && nczarr_errmsg() == NULL)
                    abort();
                (void)nc_reclaim_data(ncid, type, out, total);
                free(out);
            }
        }
        for (int d = 0; d < ndims; d++) {
            size_t len = 0;

            (void)nc_inq_dimlen(ncid, dimids[d], &len);
            start[d] = len - count[d];
        }
    }
    free(dimids);
    free(start);
    free(count);
}

static void
walk(int ncid, int depth)
{
    int ndims, nvars, natts, unlim, ngroups, *ids;

    if (nc_inq(ncid, &ndims, &nvars, &natts, &unlim) != NC_NOERR)
        abort();
    read_atts(ncid, NC_GLOBAL, natts);
    for (int v = 0; v < nvars; v++) {
        int n;

        if (nc_inq_varnatts(ncid, v, &n) != NC_NOERR)
            abort();
        read_atts(ncid, v, n);
        read_var(ncid, v);
    }
    if (depth > 70 || nc_inq_grps(ncid, &ngroups, NULL) != NC_NOERR || ngroups == 0)
        return;
    ids = calloc((size_t)ngroups, sizeof *ids);
    (void)nc_inq_grps(ncid, &ngroups, ids);
    for (int g = 0; g < ngroups; g++)
        walk(ids[g], depth + 1);
    free(ids);
}

static void
change(int ncid)
{
    int dim, var, nvars = 0;
    int value = 7;

    (void)nc_redef(ncid);
    (void)nc_put_att_text(ncid, NC_GLOBAL, "fuzz", 2, "{}");
    if (nc_def_dim(ncid, "fuzz_dim", 3, &dim) == NC_NOERR &&
        nc_def_var(ncid, "fuzz_var", NC_INT, 1, &dim, &var) == NC_NOERR)
        (void)nc_put_var1_int(ncid, var, (size_t[]){1}, &value);
    (void)nc_inq_nvars(ncid, &nvars);
    for (int v = 0; v < nvars && v < 3; v++) {
        (void)nc_put_att_int(ncid, v, "n", NC_INT, 1, &value);
        (void)nc_del_att(ncid, v, "units");
        (void)nc_put_var1_int(ncid, v, (size_t[NC_MAX_VAR_DIMS]){0}, &value);
    }
}

/* The documents below the root are read when something is first asked: that is where they may fail it. */
static bool
loads(int ncid)
{
    int nvars;

    if (nc_inq_nvars(ncid, &nvars) == NC_NOERR)
        return true;
    if (nczarr_errmsg()[0] == '\0')
        abort(); /* it says why */
    return false;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nczarr_map *map;
    int         ncid;

    if (nczarr_map_memory(&map) != NC_NOERR)
        return 0;
    fill_map(map, data, size);
    if (nczarr_open_map(map, NULL, NC_NOWRITE, &ncid) == NC_NOERR) {
        if (loads(ncid))
            walk(ncid, 0);
        if (nc_close(ncid) != NC_NOERR)
            abort(); /* closing what was only read cannot fail */
    }
    if (nczarr_open_map(map, NULL, NC_WRITE, &ncid) == NC_NOERR) {
        change(ncid);
        if (nc_close(ncid) == NC_NOERR) {
            if (nczarr_open_map(map, NULL, NC_NOWRITE, &ncid) != NC_NOERR || !loads(ncid))
                abort(); /* what we wrote opens */
            walk(ncid, 0);
            (void)nc_close(ncid);
        }
    }
    (void)nczarr_map_close(map);
    return 0;
}
