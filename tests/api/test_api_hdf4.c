/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HDF4 files of tests/data/hdf4 from memory and from a disk: what netCDF's functions say of them, values of each coder
 * and way to store, fill values, records; damaged chunks; allocations that fail; threads that read one file side by
 * side. Part `hdf4` compares many more with libhdf4.
 */
#include "no_memory.h"
#include "support/scratch.h"

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

    f.bytes = test_data(scratch_path("hdf4", name), &f.n);
    return f;
}

static int
open_file(const file *f, int *ncid)
{
    return nc_open_mem("file", NC_NOWRITE, f->n, f->bytes, ncid);
}

static int
varid_of(int ncid, const char *name)
{
    int varid = -1;

    OK(nc_inq_varid(ncid, name, &varid));
    return varid;
}

/* What tests/hdf4/make_files.c writes into element i of a short. */
static int
value_at(long i)
{
    return (int)(short)(((i / 7 * 37 + i % 5) % 251 - 60) * 97);
}

TEST(formats_and_modes)
{
    file f = load("types.hdf");
    int  ncid, format, mode, value, n;
    char path[1024];

    (void)snprintf(path, sizeof path, "%s/hdf4/types.hdf", NCZ_TEST_DATA);
    OK(nc_open(path, NC_NOWRITE, &ncid));
    OK(nc_inq_format(ncid, &format));
    assert_int_equal(format, NC_FORMAT_NETCDF4);
    OK(nc_inq_format_extended(ncid, &format, &mode));
    assert_int_equal(format, NC_FORMATX_NC_HDF4);
    assert_int_equal(mode & NC_NETCDF4, NC_NETCDF4);
    FAILS(NC_EPERM, nc_redef(ncid));
    FAILS(NC_EPERM, nc_put_var1_short(ncid, varid_of(ncid, "int16"), (size_t[]){0, 0}, (short[]){1}));
    OK(nc_sync(ncid));
    OK(nc_enddef(ncid));
    FAILS(NC_EPERM, nc_def_var_chunking(ncid, 0, NC_CONTIGUOUS, NULL));
    OK(nc_inq_grps(ncid, &n, NULL));
    assert_int_equal(n, 0);
    FAILS(NC_ENOTATT, nc_get_att_int(ncid, NC_GLOBAL, "_IsNetcdf4", &value)); /* as in netCDF-C */
    OK(nc_close(ncid));
    FAILS(NC_EINVAL, nc_open(path, NC_WRITE, &ncid));
    assert_non_null(strstr(nczarr_errmsg(), "nczcopy"));
    OK(nc_open(path, NC_DISKLESS, &ncid));
    OK(nc_close(ncid));
    OK(open_file(&f, &ncid));
    OK(nc_close(ncid));
    free(f.bytes);
}

TEST(types)
{
    static const struct {
        const char *name;
        nc_type     type;
        int         endian;
    } vars[] = {{"char", NC_CHAR, NC_ENDIAN_BIG},
                {"uchar", NC_UBYTE, NC_ENDIAN_BIG},
                {"int8", NC_BYTE, NC_ENDIAN_BIG},
                {"uint8", NC_UBYTE, NC_ENDIAN_BIG},
                {"int16", NC_SHORT, NC_ENDIAN_BIG},
                {"int16_little", NC_SHORT, NC_ENDIAN_LITTLE},
                {"uint16_little", NC_USHORT, NC_ENDIAN_LITTLE},
                {"int32", NC_INT, NC_ENDIAN_BIG},
                {"uint32", NC_UINT, NC_ENDIAN_BIG},
                {"float32_little", NC_FLOAT, NC_ENDIAN_LITTLE},
                {"float64", NC_DOUBLE, NC_ENDIAN_BIG}};
    file f = load("types.hdf");
    int  ncid, values[35];

    OK(open_file(&f, &ncid));
    for (size_t i = 0; i < NCZ_LEN(vars); i++) {
        nc_type type;
        int     endian, varid = varid_of(ncid, vars[i].name);

        OK(nc_inq_vartype(ncid, varid, &type));
        assert_int_equal(type, vars[i].type);
        OK(nc_inq_var_endian(ncid, varid, &endian));
        assert_int_equal(endian, vars[i].endian);
    }
    OK(nc_get_var_int(ncid, varid_of(ncid, "int16_little"), values));
    for (long i = 0; i < 35; i++)
        assert_int_equal(values[i], value_at(i));
    OK(nc_close(ncid));
    free(f.bytes);
}

TEST(coders)
{
    static const char *const names[] = {"plain", "rle", "huffman", "deflate"};
    file                     f = load("coders.hdf");
    int                      ncid, values[37][23], storage, deflate, level;
    size_t                   chunks[2];

    OK(open_file(&f, &ncid));
    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        char name[32];
        int  varid = varid_of(ncid, names[i]);

        OK(nc_get_var_int(ncid, varid, &values[0][0]));
        for (long k = 0; k < 37 * 23; k++)
            assert_int_equal(values[k / 23][k % 23], value_at(k));
        OK(nc_inq_var_chunking(ncid, varid, &storage, NULL));
        assert_int_equal(storage, NC_CONTIGUOUS);
        (void)snprintf(name, sizeof name, "%s_chunks", names[i]);
        varid = varid_of(ncid, name);
        OK(nc_inq_var_chunking(ncid, varid, &storage, chunks));
        assert_int_equal(storage, NC_CHUNKED);
        assert_int_equal(chunks[1], 6);
        OK(nc_inq_var_deflate(ncid, varid, NULL, &deflate, &level));
        assert_int_equal(deflate, i == 3);
        OK(nc_get_var_int(ncid, varid, &values[0][0]));
        for (long k = 0; k < 37 * 23; k++)
            assert_int_equal(values[k / 23][k % 23], value_at(k));
        (void)snprintf(name, sizeof name, "%s_absent", names[i]);
        OK(nc_get_var_int(ncid, varid_of(ncid, name), &values[0][0]));
        for (int y = 0; y < 37; y++)
            for (int x = 0; x < 23; x++)
                assert_int_equal(values[y][x],
                                 y >= 12 && y < 17 && x >= 7 && x < 16 ? value_at((y - 12) * 9 + x - 7) : -5);
    }
    OK(nc_close(ncid));
    free(f.bytes);
}

/* szip, which Debian's libhdf4 cannot read. */
TEST(szip)
{
    file f = load("compressed.hdf");
    int  ncid, values[16][5], others[16][5], rc;

    OK(open_file(&f, &ncid));
    OK(nc_get_var_int(ncid, varid_of(ncid, "SDSgzip"), &others[0][0]));
    if ((rc = nc_get_var_int(ncid, varid_of(ncid, "SDSszip"), &values[0][0])) == NC_NOERR)
        assert_memory_equal(values, others, sizeof values);
    else
        assert_int_equal(rc, NC_ENOFILTER); /* built without libaec */
    OK(nc_close(ncid));
    free(f.bytes);
}

TEST(what_was_never_written)
{
    file          f = load("fills.hdf");
    int           ncid;
    unsigned char u[4];
    unsigned      w[4];
    short         s[4];
    float         x[4];
    char          text[4];

    OK(open_file(&f, &ncid));
    OK(nc_get_var_uchar(ncid, varid_of(ncid, "uint8"), u));
    assert_int_equal(u[3], 129);
    OK(nc_get_var_uint(ncid, varid_of(ncid, "uint32"), w));
    assert_true(w[0] == 2147483649u);
    OK(nc_get_var_short(ncid, varid_of(ncid, "int16"), s));
    assert_int_equal(s[0], -32767);
    OK(nc_get_var_short(ncid, varid_of(ncid, "int16_own"), s));
    assert_int_equal(s[2], value_at(8));
    OK(nc_get_var_float(ncid, varid_of(ncid, "float32"), x));
    assert_true(x[1] == (float)NC_FILL_FLOAT);
    OK(nc_get_var_text(ncid, varid_of(ncid, "char"), text));
    assert_int_equal(text[0], 0);
    OK(nc_close(ncid));
    free(f.bytes);
}

TEST(records)
{
    file   f = load("records.hdf");
    int    ncid, unlimited, n, values[300][3];
    size_t len;

    OK(open_file(&f, &ncid));
    OK(nc_inq_unlimdims(ncid, &n, NULL));
    assert_int_equal(n, 2);
    OK(nc_inq_unlimdim(ncid, &unlimited));
    OK(nc_inq_dimlen(ncid, unlimited, &len));
    assert_int_equal(len, 5);
    OK(nc_get_var_int(ncid, varid_of(ncid, "r2"), &values[0][0]));
    assert_int_equal(values[1][2], 100);
    assert_int_equal(values[2][0], -2147483647);
    OK(nc_get_var_int(ncid, varid_of(ncid, "r0"), &values[0][0]));
    assert_int_equal(values[4][2], -2147483647);
    OK(nc_get_var_int(ncid, varid_of(ncid, "r300"), &values[0][0]));
    for (int i = 0; i < 300; i++)
        assert_int_equal(values[i][1], 10 * i);
    FAILS(NC_EINVALCOORDS, nc_get_var1_int(ncid, varid_of(ncid, "r2"), (size_t[]){5, 0}, values[0]));
    OK(nc_close(ncid));
    free(f.bytes);
}

TEST(names)
{
    file   f = load("names.hdf");
    int    ncid, n;
    char   name[NC_MAX_NAME + 1];
    double scale;

    OK(open_file(&f, &ncid));
    (void)varid_of(ncid, "two words");
    (void)varid_of(ncid, "a%2Fb");
    (void)varid_of(ncid, "caf%E9");
    assert_int_equal(varid_of(ncid, "same_2"), varid_of(ncid, "same") + 1);
    OK(nc_inq_dimname(ncid, 0, name));
    assert_string_equal(name, "YDim:Grid");
    OK(nc_get_att_double(ncid, varid_of(ncid, "YDim"), "scale_factor", &scale));
    assert_true(scale == 0.5);
    OK(nc_inq_varndims(ncid, varid_of(ncid, "YDim:Grid"), &n));
    assert_int_equal(n, 1);
    OK(nc_close(ncid));
    free(f.bytes);
}

TEST(data_that_are_not_read_fail_alone)
{
    file f = load("external.hdf");
    int  ncid, values[4];

    OK(open_file(&f, &ncid));
    FAILS(NC_ENOTBUILT, nc_get_var_int(ncid, varid_of(ncid, "outside"), values));
    assert_non_null(strstr(nczarr_errmsg(), "external.dat"));
    OK(nc_get_var_int(ncid, varid_of(ncid, "inside"), values));
    OK(nc_close(ncid));
    free(f.bytes);
}

/* A file that lost its end, where the descriptors still are. */
TEST(a_damaged_chunk_costs_itself)
{
    file               f = load("coders.hdf");
    int                ncid, varid, values[37][23];
    unsigned long long offset, length;
    size_t             keylen;

    OK(open_file(&f, &ncid));
    varid = varid_of(ncid, "deflate_chunks");
    OK(nczarr_inq_var_chunk_key(ncid, varid, (size_t[]){1, 1}, &keylen, NULL, &offset, &length));
    OK(nc_close(ncid));
    memset(f.bytes + offset, 0x55, (size_t)length);
    OK(open_file(&f, &ncid));
    FAILS(NC_EFILTER, nc_get_var_int(ncid, varid, &values[0][0]));
    assert_non_null(strstr(nczarr_errmsg(), "chunk 1,1"));
    OK(nc_get_vara_int(ncid, varid, (size_t[]){0, 0}, (size_t[]){10, 23}, &values[0][0]));
    OK(nc_close(ncid));
    free(f.bytes);
}

/* The record of chunk 1,1 in the table of chunks of `plain_chunks`, which is the first. */
static unsigned char *
find_record(const file *f)
{
    static const unsigned char record[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 61};

    for (size_t i = 0; i + sizeof record <= f->n; i++)
        if (memcmp(f->bytes + i, record, sizeof record) == 0)
            return (unsigned char *)f->bytes + i;
    fail_msg("no record");
    return NULL;
}

/* Reads chunks of 10 x 6 elements: how many fail, and what the last failure said of chunk 1,1. */
static int
count_lost_chunks(const file *f, const char *says)
{
    int ncid, varid, lost = 0, values[10 * 6];

    OK(open_file(f, &ncid));
    varid = varid_of(ncid, "plain_chunks");
    for (size_t y = 0; y < 4; y++)
        for (size_t x = 0; x < 4; x++) {
            size_t start[] = {10 * y, 6 * x}, count[] = {y < 3 ? 10 : 7, x < 3 ? 6 : 5};
            int    rc = nc_get_vara_int(ncid, varid, start, count, values);

            lost += rc != NC_NOERR;
            if (y == 1 && x == 1) {
                assert_int_equal(rc, NC_EHDFERR);
                assert_non_null(strstr(nczarr_errmsg(), "plain_chunks: chunk 1,1"));
                assert_non_null(strstr(nczarr_errmsg(), says));
            } else if (rc == NC_NOERR)
                assert_int_equal(values[0], value_at((long)(start[0] * 23 + start[1])));
        }
    OK(nc_close(ncid));
    return lost;
}

TEST(a_bad_place_in_the_table_costs_its_chunk)
{
    file           f = load("coders.hdf");
    unsigned char *record = find_record(&f);

    record[0] = 0x70;
    assert_int_equal(count_lost_chunks(&f, "names place 1879048193 of dimension 0"), 1);
    record[0] = 0;
    record[3] = 0; /* the place of another chunk, which two records have then */
    assert_int_equal(count_lost_chunks(&f, "has another one twice, and not this one"), 2);
    free(f.bytes);
}

/* ---- allocations that fail ---- */

static int
read_some(void *arg)
{
    static const char *const names[] = {"deflate_chunks", "rle", "huffman_absent"};
    int                      ncid, varid, rc, values[37][23];

    if ((rc = open_file(arg, &ncid)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < NCZ_LEN(names) && rc == NC_NOERR; i++)
        if ((rc = nc_inq_varid(ncid, names[i], &varid)) == NC_NOERR)
            rc = nc_get_var_int(ncid, varid, &values[0][0]);
    (void)nc_close(ncid);
    return rc;
}

static int
read_records(void *arg)
{
    int ncid, varid, rc, values[300][3];

    if ((rc = open_file(arg, &ncid)) != NC_NOERR)
        return rc;
    if ((rc = nc_inq_varid(ncid, "r300", &varid)) == NC_NOERR)
        rc = nc_get_var_int(ncid, varid, &values[0][0]);
    (void)nc_close(ncid);
    return rc;
}

/* The library can do without some of them. */
static void
fail_each(int (*use)(void *arg), file *f)
{
    for (size_t at = 1;; at++) {
        bool met;
        int  rc;

        fail_allocation(at);
        rc = use(f);
        met = end_failing();
        assert_true(rc == NC_NOERR || rc == NC_ENOMEM);
        if (rc == NC_NOERR && !met)
            return;
    }
}

TEST(allocations_may_fail)
{
    file f = load("coders.hdf"), r = load("records.hdf");

    fail_each(read_some, &f);
    fail_each(read_records, &r);
    free(f.bytes);
    free(r.bytes);
}

/* ---- threads ---- */

static void *
read_often(void *arg)
{
    int values[37][23], *ncid = arg;

    for (int i = 0; i < 20; i++) {
        if (nc_get_var_int(*ncid, 1 + 3 * (i % 4), &values[0][0]) != NC_NOERR)
            return arg;
        for (long k = 0; k < 37 * 23; k++)
            if (values[k / 23][k % 23] != value_at(k))
                return arg;
    }
    return NULL;
}

TEST(threads_read_side_by_side)
{
    file      f = load("coders.hdf");
    int       ncid;
    pthread_t threads[THREADS];

    OK(open_file(&f, &ncid));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_often, &ncid), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed = NULL;

        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    OK(nc_close(ncid));
    free(f.bytes);
}
