/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * netCDF-4 files of tests/data/netcdf4 from memory: values of chunks that skip filters, that were never written, and of
 * arrays shorter than their unlimited dimension; allocations that fail; threads that read one file side by side. A file
 * on a disk that changes while it is open.
 */
#include "no_memory.h"
#include "support/scratch.h"

#include <errno.h>
#include <nczarr_zmap.h>

#include <pthread.h>

enum { THREADS = 4 };

typedef struct file {
    char  *bytes;
    size_t n;
} file;

static file
load(const char *name)
{
    file f;

    f.bytes = test_data(scratch_path("netcdf4", name), &f.n);
    return f;
}

static int
open_file(const file *f, int *ncid)
{
    return nc_open_mem("file.nc", NC_NOWRITE, f->n, f->bytes, ncid);
}

/* ---- all of a file ---- */

static uint64_t
mix(uint64_t sum, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum = (sum ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return sum;
}

/* Of elements without pointers, and of strings. */
static uint64_t
mix_values(uint64_t sum, nc_type type, const void *values, size_t n, size_t elem)
{
    if (type < NC_STRING)
        return mix(sum, values, n * elem);
    for (size_t i = 0; type == NC_STRING && i < n; i++) {
        const char *s = ((char *const *)values)[i];

        sum = s == NULL ? mix(sum, "none", 4) : mix(sum, s, strlen(s) + 1);
    }
    return sum;
}

static int
read_atts(int ncid, int varid, int natts, uint64_t *sum)
{
    int rc = NC_NOERR;

    for (int i = 0; i < natts && rc == NC_NOERR; i++) {
        char    name[NC_MAX_NAME + 1];
        nc_type type;
        size_t  len, elem;
        void   *values;

        if ((rc = nc_inq_attname(ncid, varid, i, name)) != NC_NOERR ||
            (rc = nc_inq_att(ncid, varid, name, &type, &len)) != NC_NOERR ||
            (rc = nc_inq_type(ncid, type, NULL, &elem)) != NC_NOERR)
            return rc;
        values = calloc(len + 1, elem);
        if ((rc = nc_get_att(ncid, varid, name, values)) == NC_NOERR) {
            *sum = mix_values(*sum, type, values, len, elem);
            (void)nc_reclaim_data(ncid, type, values, len);
        }
        free(values);
    }
    return rc;
}

static int
read_var(int ncid, int varid, uint64_t *sum)
{
    int     rc, ndims, natts, dims[NC_MAX_VAR_DIMS];
    nc_type type;
    size_t  n = 1, elem;
    void   *values;

    if ((rc = nc_inq_var(ncid, varid, NULL, &type, &ndims, dims, &natts)) != NC_NOERR ||
        (rc = nc_inq_type(ncid, type, NULL, &elem)) != NC_NOERR)
        return rc;
    for (int d = 0; d < ndims; d++) {
        size_t len;

        if ((rc = nc_inq_dimlen(ncid, dims[d], &len)) != NC_NOERR)
            return rc;
        n *= len;
    }
    values = calloc(n + 1, elem);
    if ((rc = nc_get_var(ncid, varid, values)) == NC_NOERR) {
        *sum = mix_values(*sum, type, values, n, elem);
        rc = nc_reclaim_data(ncid, type, values, n);
    }
    free(values);
    return rc == NC_NOERR ? read_atts(ncid, varid, natts, sum) : rc;
}

static int
read_group(int ncid, uint64_t *sum)
{
    int rc, nvars, natts, ngroups, groups[16];

    if ((rc = nc_inq(ncid, NULL, &nvars, &natts, NULL)) != NC_NOERR ||
        (rc = read_atts(ncid, NC_GLOBAL, natts, sum)) != NC_NOERR)
        return rc;
    for (int v = 0; v < nvars && rc == NC_NOERR; v++)
        rc = read_var(ncid, v, sum);
    if (rc != NC_NOERR || (rc = nc_inq_grps(ncid, &ngroups, NULL)) != NC_NOERR)
        return rc;
    assert_true(ngroups <= 16);
    if ((rc = nc_inq_grps(ncid, NULL, groups)) != NC_NOERR)
        return rc;
    for (int i = 0; i < ngroups && rc == NC_NOERR; i++)
        rc = read_group(groups[i], sum);
    return rc;
}

static int
read_file(const file *f, uint64_t *sum)
{
    int ncid, rc, closed;

    *sum = UINT64_C(0xcbf29ce484222325);
    if ((rc = open_file(f, &ncid)) != NC_NOERR)
        return rc;
    rc = read_group(ncid, sum);
    closed = nc_close(ncid);
    return rc != NC_NOERR ? rc : closed;
}

/* ---- values ---- */

TEST(masks_of_skipped_filters_are_obeyed)
{
    static const char *const names[] = {"filters.h5", "filters_old.h5"};

    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        file f = load(names[i]);
        int  ncid, v, values[20];

        OK(open_file(&f, &ncid));
        OK(nc_inq_varid(ncid, "masks", &v));
        OK(nc_get_var_int(ncid, v, values));
        for (int k = 0; k < 20; k++)
            assert_int_equal(values[k], k < 16 ? k : -1); /* the last chunk was never written */
        OK(nc_get_vars_int(ncid, v, (size_t[]){2}, (size_t[]){6}, (ptrdiff_t[]){3}, values));
        for (int k = 0; k < 6; k++)
            assert_int_equal(values[k], 2 + 3 * k < 16 ? 2 + 3 * k : -1);
        OK(nc_close(ncid));
        free(f.bytes);
    }
}

/* Where chunks lie, and which filters they skip, is known before any data are read. */
TEST(places_and_masks_of_chunks_are_known)
{
    file f = load("filters.h5");
    int  ncid, v;

    OK(open_file(&f, &ncid));
    OK(nc_inq_varid(ncid, "masks", &v));
    for (size_t i = 0; i < 5; i++) {
        unsigned long long offset = 0, length = 0;
        unsigned           mask = 99, want = i < 4 ? (unsigned)i : 0; /* chunk i skips the filters of its number */
        size_t             keylen = 1;

        OK(nczarr_inq_var_chunk_key(ncid, v, &i, &keylen, NULL, &offset, &length));
        assert_int_equal(keylen, 0);
        assert_int_equal(length != 0, i < 4); /* the last one was never written */
        assert_true(offset + length <= f.n);
        OK(nczarr_inq_var_chunk_mask(ncid, v, &i, &mask));
        assert_int_equal(mask, want);
        OK(nczarr_inq_var_chunk_mask(ncid, v, &i, NULL));
    }
    FAILS(NC_EINVALCOORDS, nczarr_inq_var_chunk_mask(ncid, v, (size_t[]){5}, NULL));
    FAILS(NC_EINVAL, nczarr_inq_var_chunk_mask(ncid, v, NULL, NULL));
    FAILS(NC_ENOTVAR, nczarr_inq_var_chunk_mask(ncid, 99, NULL, NULL));
    OK(nc_close(ncid));
    free(f.bytes);
}

/* What lies beyond an array, up to its dimension's length, is fill; data of arrays of no extent as well. */
TEST(what_lies_beyond_an_array_is_fill)
{
    file   f = load("model.nc");
    short  s[5];
    int    ncid, v, g[5][7];
    float  none[5][4];
    size_t len;

    OK(open_file(&f, &ncid));
    OK(nc_inq_dimlen(ncid, 0, &len));
    assert_int_equal(len, 5);
    OK(nc_inq_varid(ncid, "short", &v));
    OK(nc_get_var_short(ncid, v, s));
    for (int i = 0; i < 5; i++)
        assert_int_equal(s[i], i < 3 ? i + 1 : -7);
    OK(nc_inq_varid(ncid, "grown", &v));
    OK(nc_get_var_int(ncid, v, &g[0][0]));
    for (int i = 0; i < 35; i++)
        assert_int_equal(g[i / 7][i % 7], i < 14 ? i * 7 % 251 : NC_FILL_INT);
    OK(nc_inq_varid(ncid, "never", &v));
    OK(nc_get_var_float(ncid, v, &none[0][0]));
    for (int i = 0; i < 20; i++)
        assert_true(none[i / 4][i % 4] == (float)NC_FILL_FLOAT);
    OK(nc_close(ncid));
    free(f.bytes);
}

TEST(a_reader_writes_nothing)
{
    file f = load("strict.nc");
    int  ncid, format, mode;
    char path[1024];

    (void)snprintf(path, sizeof path, "%s/netcdf4/strict.nc", NCZ_TEST_DATA);
    OK(nc_open(path, NC_NOWRITE, &ncid));
    OK(nc_inq_format(ncid, &format));
    assert_int_equal(format, NC_FORMAT_NETCDF4_CLASSIC);
    OK(nc_inq_format_extended(ncid, &format, &mode));
    assert_int_equal(format, NC_FORMATX_NC_HDF5);
    FAILS(NC_EPERM, nc_redef(ncid));
    FAILS(NC_EPERM, nc_put_var1_short(ncid, 0, (size_t[]){0, 0}, (short[]){1}));
    OK(nc_close(ncid));
    free(f.bytes);
}

/* ---- what is found by its name alone; filters as they are stored ---- */

TEST(not_listed)
{
    static const unsigned bits[] = {8, 0, 3, 1, 4, 0, 12, 4};
    file                  f = load("model.nc");
    int                   ncid, varid, value, natts, level, deflate;
    size_t                n;
    unsigned              id, words[32];
    char                  text[64] = "", name[NC_MAX_NAME + 1];

    OK(open_file(&f, &ncid));
    OK(nc_inq_natts(ncid, &natts));
    for (int i = 0; i < natts; i++) {
        OK(nc_inq_attname(ncid, NC_GLOBAL, i, name));
        assert_true(name[0] != '_');
    }
    OK(nc_inq_attlen(ncid, NC_GLOBAL, "_NCProperties", &n));
    assert_true(n < sizeof text);
    OK(nc_get_att_text(ncid, NC_GLOBAL, "_NCProperties", text));
    assert_string_equal(text, "version=2,netcdf=4.9.3,hdf5=1.14.6");
    OK(nc_get_att_int(ncid, NC_GLOBAL, "_SuperblockVersion", &value));
    assert_int_equal(value, 2);
    OK(nc_get_att_int(ncid, NC_GLOBAL, "_IsNetcdf4", &value));
    assert_int_equal(value, 1);
    OK(nc_close(ncid));
    free(f.bytes);

    f = load("filters.h5");
    OK(open_file(&f, &ncid));
    OK(nc_get_att_int(ncid, NC_GLOBAL, "_IsNetcdf4", &value));
    assert_int_equal(value, 0);
    OK(nc_inq_varid(ncid, "bits", &varid));
    OK(nc_inq_var_filter(ncid, varid, &id, &n, words));
    assert_int_equal(id, 5);
    assert_int_equal(n, NCZ_LEN(bits));
    assert_memory_equal(words, bits, sizeof bits);
    OK(nc_inq_var_fill(ncid, varid, &value, NULL));
    assert_int_equal(value, 1);
    FAILS(NC_ENOFILTER, nc_inq_var_filter_info(ncid, varid, 32015, &n, words));
    OK(nc_inq_varid(ncid, "texts", &varid)); /* strings, which have other codecs here */
    OK(nc_inq_var_deflate(ncid, varid, NULL, &deflate, &level));
    assert_int_equal(deflate, 1);
    assert_int_equal(level, 4);
    OK(nc_close(ncid));
    free(f.bytes);
}

/* ---- a file that changes while it is open ---- */

static int
get_packed(int ncid, int values[12])
{
    int varid;

    OK(nc_inq_varid(ncid, "packed", &varid));
    return nc_get_var_int(ncid, varid, values);
}

TEST(a_changed_file_is_noticed)
{
    file        f = load("model.nc");
    const char *path = scratch_path(scratch_dir, "a.nc"), *other = scratch_path(scratch_dir, "b.nc");
    int         ncid, values[12], varid;
    double      x[4];

    scratch_write(path, f.bytes, f.n);
    OK(nc_open(path, NC_NOWRITE, &ncid));
    OK(nc_inq_varid(ncid, "x", &varid));
    OK(nc_get_var_double(ncid, varid, x));
    scratch_write(path, f.bytes, f.n - 1); /* the same bytes where the data are, and the same file */
    FAILS(NC_EIO, get_packed(ncid, values));
    assert_non_null(strstr(nczarr_errmsg(), "was replaced or changed since it was opened; open it again"));
    FAILS(NC_EIO, get_packed(ncid, values));
    OK(nc_close(ncid));

    scratch_write(path, f.bytes, f.n);
    OK(nc_open(path, NC_NOWRITE, &ncid));
    scratch_write(other, "other", 5);
    assert_int_equal(rename(other, path), 0);
    OK(get_packed(ncid, values)); /* of the file that was opened */
    assert_int_equal(values[11], 77);
    OK(nc_close(ncid));
    free(f.bytes);
}

/* ---- a root that cannot be read ---- */

/* nc_open() says so, not the first inquiry; nc_delete() leaves the file. */
TEST(damaged_root)
{
    static const struct {
        size_t at, n;
        int    byte;
    } rows[] = {{64, 8, 0xff}, {96, 16, 0}};
    char path[1024]; /* of its own: load() takes those of scratch_path() in turn */
    int  ncid;

    (void)snprintf(path, sizeof path, "%s/damaged.h5", scratch_dir);
    for (size_t i = 0; i < NCZ_LEN(rows) + 1; i++) {
        file f = load("view.h5");

        if (i < NCZ_LEN(rows))
            memset(f.bytes + rows[i].at, rows[i].byte, rows[i].n);
        scratch_write(path, f.bytes, i < NCZ_LEN(rows) ? f.n : 600);
        FAILS(NC_EHDFERR, nc_open(path, NC_NOWRITE, &ncid));
        FAILS(NC_EHDFERR, nc_delete(path));
        FAILS(NC_EHDFERR, nc_open(path, NC_NOWRITE, &ncid));
        free(f.bytes);
        f = load("view.h5");
        scratch_write(path, f.bytes, f.n);
        OK(nc_open(path, NC_NOWRITE, &ncid));
        OK(nc_close(ncid));
        OK(nc_delete(path));
        FAILS(ENOENT, nc_open(path, NC_NOWRITE, &ncid));
        free(f.bytes);
    }
}

/* ---- allocations ---- */

TEST(no_memory)
{
    static const char *const names[] = {"model.nc", "view.h5", "filters.h5", "strict.nc"};

    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        file     f = load(names[i]);
        uint64_t want, sum;
        bool     met = true;

        OK(read_file(&f, &want));
        for (size_t n = next_allocation(0); met; n = next_allocation(n)) {
            int rc;

            fail_allocation(n);
            rc = read_file(&f, &sum);
            met = end_failing();
            if (rc != NC_NOERR && rc != NC_ENOMEM)
                fail_msg("%s, allocation %zu: %d (%s)", names[i], n, rc, nczarr_errmsg());
            if (rc == NC_NOERR && sum != want)
                fail_msg("%s, allocation %zu: other values", names[i], n);
        }
        free(f.bytes);
    }
}

/* ---- threads ---- */

typedef struct reader {
    pthread_t   thread;
    const file *f;
    int         ncid; /* -1: its own */
    uint64_t    sum;
    int         rc;
} reader;

static void *
read_aside(void *arg)
{
    reader *r = arg;

    r->sum = UINT64_C(0xcbf29ce484222325);
    r->rc = r->ncid < 0 ? read_file(r->f, &r->sum) : read_group(r->ncid, &r->sum);
    return NULL;
}

/* All look for the chunks of the same arrays at the same time. */
TEST(side_by_side)
{
    static const char *const names[] = {"model.nc", "filters.h5", "view.h5"};

    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        file     f = load(names[i]);
        reader   r[THREADS];
        uint64_t want;
        int      ncid;

        OK(read_file(&f, &want));
        OK(open_file(&f, &ncid));
        for (int t = 0; t < THREADS; t++) {
            r[t] = (reader){.f = &f, .ncid = t == 0 ? -1 : ncid};
            assert_int_equal(pthread_create(&r[t].thread, NULL, read_aside, &r[t]), 0);
        }
        for (int t = 0; t < THREADS; t++) {
            assert_int_equal(pthread_join(r[t].thread, NULL), 0);
            assert_int_equal(r[t].rc, NC_NOERR);
            assert_true(r[t].sum == want);
        }
        OK(nc_close(ncid));
        free(f.bytes);
    }
}

int
main(void)
{
    return run_file_tests(scratch_set_up, scratch_tear_down);
}
