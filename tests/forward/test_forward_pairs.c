/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * forward_pairs, forward_copy_var: functions of two ncids, within one library and from one to the other; types.
 */
#include "forward_test.h"

/* Two datasets, a source and a target, each of either library. */
typedef struct pair {
    char *dir;
    int   in, out;
} pair;

static int
create_one(const char *dir, const char *name, bool ours)
{
    char zarr[100];
    int  ncid = -1;

    snprintf(zarr, sizeof zarr, "%s.zarr", name);
    OK(ours ? nc_create(url_of(dir, zarr, "nczarr"), NC_CLOBBER, &ncid)
            : nc_create(scratch_path(dir, name), NC_NETCDF4 | NC_CLOBBER, &ncid));
    if (ours)
        OURS(ncid);
    else
        THEIRS(ncid);
    return ncid;
}

static void
make_pair(pair *p, int kind)
{
    p->dir = scratch_new();
    p->in = create_one(p->dir, "in", (kind & 1) != 0);
    p->out = create_one(p->dir, "out", (kind & 2) != 0);
}

static void
drop_pair(pair *p)
{
    OK(nc_close(p->in));
    OK(nc_close(p->out));
    scratch_free(p->dir);
}

static void
attributes_of(int kind)
{
    const double numbers[3] = {1.5, -2, 1e300};
    const char  *words[2] = {"one", ""};
    double       back[3] = {0};
    char        *texts[2] = {NULL};
    char         text[6] = {0};
    size_t       len;
    nc_type      type;
    pair         p;

    make_pair(&p, kind);
    OK(nc_put_att_double(p.in, NC_GLOBAL, "numbers", NC_DOUBLE, 3, numbers));
    OK(nc_put_att_text(p.in, NC_GLOBAL, "text", 5, "hello"));
    OK(nc_put_att_text(p.in, NC_GLOBAL, "empty", 0, ""));
    OK(nc_put_att_string(p.in, NC_GLOBAL, "words", 2, words));
    OK(nc_copy_att(p.in, NC_GLOBAL, "numbers", p.out, NC_GLOBAL));
    OK(nc_copy_att(p.in, NC_GLOBAL, "text", p.out, NC_GLOBAL));
    OK(nc_copy_att(p.in, NC_GLOBAL, "empty", p.out, NC_GLOBAL));
    OK(nc_copy_att(p.in, NC_GLOBAL, "words", p.out, NC_GLOBAL));
    OK(nc_get_att_double(p.out, NC_GLOBAL, "numbers", back));
    assert_memory_equal(back, numbers, sizeof back);
    OK(nc_get_att_text(p.out, NC_GLOBAL, "text", text));
    assert_string_equal(text, "hello");
    OK(nc_inq_att(p.out, NC_GLOBAL, "empty", &type, &len));
    assert_true(type == NC_CHAR && len == 0);
    OK(nc_get_att_string(p.out, NC_GLOBAL, "words", texts));
    assert_string_equal(texts[0], "one");
    OK(nc_free_string(2, texts));
    RC(NC_ENOTATT, nc_copy_att(p.in, NC_GLOBAL, "absent", p.out, NC_GLOBAL));
    RC(NC_ENOTVAR, nc_copy_att(p.in, NC_GLOBAL, "text", p.out, 7));
    drop_pair(&p);
}

TEST(attributes_are_copied_between_libraries)
{
    NEED_NETCDF();
    for (int kind = 0; kind < 4; kind++)
        attributes_of(kind);
}

static void
variables_of(int kind)
{
    const float  values[6] = {1, 2, 3, 4, 5, 6};
    const char  *words[3] = {"a", "bb", "ccc"};
    float        back[6] = {0};
    char        *texts[3] = {NULL}, units[2] = {0};
    const size_t start[2] = {0, 0}, count[2] = {2, 3};
    size_t       chunk[2], len;
    int          dims[2], v, s, scalar, ids[2], unlimited, deflate = 0, level = 0, one = 0;
    pair         p;

    make_pair(&p, kind);
    OK(nc_def_dim(p.in, "t", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(p.in, "x", 3, &dims[1]));
    OK(nc_def_var(p.in, "v", NC_FLOAT, 2, dims, &v));
    OK(nc_def_var_chunking(p.in, v, NC_CHUNKED, (size_t[]){5, 2}));
    OK(nc_def_var_deflate(p.in, v, 0, 1, 3));
    OK(nc_put_att_text(p.in, v, "units", 1, "m"));
    OK(nc_put_att_float(p.in, v, "_FillValue", NC_FLOAT, 1, &(float){-9}));
    OK(nc_def_var(p.in, "s", NC_STRING, 1, &dims[1], &s));
    OK(nc_def_var(p.in, "scalar", NC_INT, 0, NULL, &scalar));
    OK(nc_enddef(p.in));
    OK(nc_put_vara_float(p.in, v, start, count, values));
    OK(nc_put_var_string(p.in, s, words));
    OK(nc_put_var_int(p.in, scalar, &(int){42}));
    if (kind == 0) { /* libnetcdf wants the dimensions in the target */
        OK(nc_def_dim(p.out, "t", NC_UNLIMITED, &ids[0]));
        OK(nc_def_dim(p.out, "x", 3, &ids[1]));
    }
    OK(nc_copy_var(p.in, v, p.out));
    (void)nc_redef(p.out); /* a copy ends define mode where the target's library has it */
    if (kind != 0) {       /* libnetcdf copies no strings */
        OK(nc_copy_var(p.in, s, p.out));
        (void)nc_redef(p.out);
    }
    OK(nc_copy_var(p.in, scalar, p.out));
    RC(NC_ENAMEINUSE, nc_copy_var(p.in, scalar, p.out));
    RC(NC_ENOTVAR, nc_copy_var(p.in, 9, p.out));

    OK(nc_inq_varid(p.out, "v", &v));
    OK(nc_inq_vardimid(p.out, v, ids));
    OK(nc_inq_unlimdim(p.out, &unlimited));
    assert_int_equal(ids[0], unlimited);
    OK(nc_inq_dimlen(p.out, ids[0], &len));
    assert_int_equal(len, 2);
    OK(nc_get_vara_float(p.out, v, start, count, back));
    assert_memory_equal(back, values, sizeof back);
    OK(nc_get_att_text(p.out, v, "units", units));
    assert_string_equal(units, "m");
    OK(nc_inq_var_chunking(p.out, v, NULL, chunk));
    if (kind == 1 || kind == 2) { /* from one library to the other */
        assert_true(chunk[0] == 5 && chunk[1] == 2);
        OK(nc_inq_var_deflate(p.out, v, NULL, &deflate, &level));
        assert_true(deflate == 1 && level == 3);
    }
    if (kind != 0) {
        OK(nc_inq_varid(p.out, "s", &s));
        OK(nc_get_var_string(p.out, s, texts));
        assert_string_equal(texts[2], "ccc");
        OK(nc_free_string(3, texts));
    }
    OK(nc_inq_varid(p.out, "scalar", &scalar));
    OK(nc_get_var_int(p.out, scalar, &one));
    assert_int_equal(one, 42);
    drop_pair(&p);
}

TEST(variables_are_copied_between_libraries)
{
    NEED_NETCDF();
    for (int kind = 0; kind < 4; kind++)
        variables_of(kind);
}

/* More than one slab of 16 MiB. */
TEST(large_variable)
{
    enum { ROWS = 5, ROW = 1 << 20 };
    pair   p;
    int    dims[2], v;
    size_t start[2] = {0, 0}, count[2] = {1, ROW};
    int   *row = malloc(sizeof(int) * ROW);

    NEED_NETCDF();
    make_pair(&p, 1);
    OK(nc_def_dim(p.in, "y", ROWS, &dims[0]));
    OK(nc_def_dim(p.in, "x", ROW, &dims[1]));
    OK(nc_def_var(p.in, "v", NC_INT, 2, dims, &v));
    OK(nc_enddef(p.in));
    for (start[0] = 0; start[0] < ROWS; start[0]++) {
        for (int i = 0; i < ROW; i++)
            row[i] = (int)start[0] * ROW + i;
        OK(nc_put_vara_int(p.in, v, start, count, row));
    }
    OK(nc_copy_var(p.in, v, p.out));
    for (start[0] = 0; start[0] < ROWS; start[0]++) {
        OK(nc_get_vara_int(p.out, 0, start, count, row));
        for (int i = 0; i < ROW; i++)
            if (row[i] != (int)start[0] * ROW + i)
                fail_msg("row %zu, element %d: %d", start[0], i, row[i]);
    }
    free(row);
    drop_pair(&p);
}

/* A dimension of that name with another length is not taken. */
TEST(other_dimension)
{
    pair p;
    int  dim, v;

    NEED_NETCDF();
    for (int kind = 1; kind < 3; kind++) {
        make_pair(&p, kind);
        OK(nc_def_dim(p.in, "x", 3, &dim));
        OK(nc_def_var(p.in, "v", NC_INT, 1, &dim, &v));
        OK(nc_enddef(p.in));
        OK(nc_def_dim(p.out, "x", 4, &dim));
        FAILS(NC_EBADDIM, nc_copy_var(p.in, v, p.out));
        drop_pair(&p);
    }
}

TEST(types_are_compared_and_made_across_libraries)
{
    pair    p;
    int     equal = -1, v, rc;
    nc_type compound, point;
    void   *tag = NULL;
    size_t  size;

    NEED_NETCDF();
    make_pair(&p, 1); /* in is ours, out libnetcdf's */
    OK(nc_inq_type_equal(p.in, NC_INT, p.out, NC_INT, &equal));
    assert_int_equal(equal, 1);
    OK(nc_inq_type_equal(p.in, NC_INT, p.out, NC_DOUBLE, &equal));
    assert_int_equal(equal, 0);
    OK(nc_inq_type_equal(p.in, NC_INT, p.in, NC_INT, &equal));
    OK(nc_inq_type_equal(p.out, NC_INT, p.out, NC_INT, &equal));
    assert_int_equal(equal, 1);

    OK(nc_def_compound(p.out, 8, "pair_t", &compound));
    OK(nc_insert_compound(p.out, compound, "a", 0, NC_INT));
    OK(nc_insert_compound(p.out, compound, "b", 4, NC_INT));
    FAILS(NC_EBADTYPE, nc_inq_type_equal(p.in, NC_INT, p.out, compound, &equal));
    OK(nc_put_att(p.out, NC_GLOBAL, "att", compound, 1, (int[]){1, 2}));
    FAILS(NC_EBADTYPE, nc_copy_att(p.out, NC_GLOBAL, "att", p.in, NC_GLOBAL));
    OK(nc_def_var(p.out, "v", compound, 0, NULL, &v));
    FAILS(NC_EBADTYPE, nc_copy_var(p.out, v, p.in));

    OK(ncaux_begin_compound(p.out, "point_t", 0, &tag));
    rc = ncaux_add_field(tag, "x", NC_DOUBLE, 0, NULL);
    assert_true(rc == NC_NOERR || rc == NC_ENOMEM); /* libnetcdf 4.9.0 answers that to everybody */
    if (rc == NC_NOERR) {
        OK(ncaux_end_compound(tag, &point));
        OK(nc_inq_compound_size(p.out, point, &size));
        assert_int_equal(size, 8);
    }
    OK(ncaux_abort_compound(tag));
    OK(ncaux_abort_compound(NULL));
    FAILS(NC_EINVAL, ncaux_begin_compound(p.out, "t", 0, NULL));
    FAILS(NC_EINVAL, ncaux_add_field(NULL, "x", NC_DOUBLE, 0, NULL));
    FAILS(NC_EINVAL, ncaux_end_compound(NULL, &point));
    drop_pair(&p);
}

/* A tag is that of the dataset: this library's as well, which makes the type and its alignment. */
TEST(own_compounds)
{
    char   *dir = scratch_new();
    void   *tag = NULL;
    nc_type point = 0;
    size_t  size = 0, nfields = 0, offset = 0;
    int     ncid, dims = 2;

    OK(nc_create(url_of(dir, "a", "nczarr"), NC_CLOBBER, &ncid));
    OK(ncaux_begin_compound(ncid, "point_t", 1, &tag));
    OK(ncaux_add_field(tag, "flag", NC_BYTE, 0, NULL));
    OK(ncaux_add_field(tag, "xy", NC_DOUBLE, 1, &dims));
    OK(ncaux_end_compound(tag, &point));
    OK(ncaux_abort_compound(tag));
    OK(nc_inq_compound(ncid, point, NULL, &size, &nfields));
    assert_true(size == 24 && nfields == 2);
    OK(nc_inq_compound_fieldoffset(ncid, point, 1, &offset));
    assert_int_equal(offset, 8);
    OK(nc_close(ncid));
    scratch_free(dir);
}

/* ---- out of memory ---- */

static int
copy_all(const pair *p)
{
    bool theirs;
    int  rc;

    if ((rc = ncz_forward_create_path("file:///a.nc", &theirs)) != NC_NOERR ||
        (rc = ncz_forward_open_path("file:///a#mode=nczarr", &theirs)) != NC_NOERR ||
        (rc = nc_copy_att(p->in, NC_GLOBAL, "numbers", p->out, NC_GLOBAL)) != NC_NOERR)
        return rc;
    return nc_copy_var(p->in, 0, p->out);
}

/* A copy whose n-th allocation fails is refused, or complete. Each has a target of its own. */
TEST(out_of_memory)
{
    bool failed = true;
    int  dim, v, rc, back[3];
    pair p;

    NEED_NETCDF();
    make_pair(&p, 2); /* from libnetcdf into ours */
    OK(nc_put_att_double(p.in, NC_GLOBAL, "numbers", NC_DOUBLE, 2, (double[]){1, 2}));
    OK(nc_def_dim(p.in, "x", 3, &dim));
    OK(nc_def_var(p.in, "v", NC_INT, 1, &dim, &v));
    OK(nc_enddef(p.in));
    OK(nc_put_var_int(p.in, v, (int[]){1, 2, 3}));
    for (size_t n = 1; failed; n++) {
        OK(nc_abort(p.out));
        p.out = create_one(p.dir, "out", true);
        fail_allocation(n);
        rc = copy_all(&p);
        failed = end_failing();
        assert_true(rc == NC_NOERR || (failed && rc == NC_ENOMEM));
        if (rc == NC_NOERR) {
            OK(nc_get_var_int(p.out, 0, back));
            assert_true(back[0] == 1 && back[2] == 3);
        }
        assert_true(n < 10000);
    }
    drop_pair(&p);
}
