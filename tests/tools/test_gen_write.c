/* SPDX-License-Identifier: BSD-3-Clause */
/* A text written as a dataset and read back through the public calls. */
#include "support/test.h"

#include "gen_help.h"

#include <unistd.h>

static char dir[64], path[128];

static int
make_dir(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/gen_write_XXXXXX");
    if (mkdtemp(dir) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/d.zarr", dir);
    return 0;
}

static int
drop_dir(void **state)
{
    (void)state;
    nc_delete(path);
    rmdir(dir);
    return 0;
}

static int
write_cdl(const char *text, gen_opts opts, heard *h)
{
    gen_cdl *cdl = read_cdl(text, h);
    int      ncid, rc;

    assert_non_null(cdl);
    opts.report = (gen_report){hear, h};
    assert_int_equal(nc_create(path, NC_CLOBBER | NC_NETCDF4, &ncid), NC_NOERR);
    rc = gen_write(cdl, ncid, &opts);
    if (rc == NC_NOERR)
        rc = nc_close(ncid);
    else
        nc_abort(ncid);
    gen_free(cdl);
    return rc;
}

/* All `n` elements of integer variable `name` of the root group, one by one. */
static void
check_ints(int ncid, const char *name, const int *expected, size_t n)
{
    int    varid, rank, dimids[4];
    size_t shape[4], index[4], total = 1;

    assert_int_equal(nc_inq_varid(ncid, name, &varid), NC_NOERR);
    assert_int_equal(nc_inq_var(ncid, varid, NULL, NULL, &rank, dimids, NULL), NC_NOERR);
    assert_true(rank <= 4);
    for (int d = 0; d < rank; d++) {
        assert_int_equal(nc_inq_dimlen(ncid, dimids[d], &shape[d]), NC_NOERR);
        total *= shape[d];
    }
    assert_int_equal(total, n);
    for (size_t i = 0; i < n; i++) {
        size_t rest = i;
        int    value = 0;

        for (int d = rank - 1; d >= 0; d--) {
            index[d] = rest % shape[d];
            rest /= shape[d];
        }
        assert_int_equal(nc_get_var1_int(ncid, varid, index, &value), NC_NOERR);
        assert_int_equal(value, expected[i]);
    }
}

#define F NC_FILL_INT

TEST(data_lands_in_its_place)
{
    static const char text[] =
        "netcdf d { dimensions: t = unlimited, u = unlimited, x = 2, y = 3 ;"
        "variables: int a(x,y,x), b(t,x), c(x,u), d(t,u), e, f(x) ; f:_NoFill = \"true\" ;"
        "data: a = 1,2,3,4,5,6,7,_,9 ; b = 1,2,3,4,5 ; c = {1},{2,3,4,5} ; d = {1,2},_,{3} ; e = 5 ; f = 1 ; }";
    static const int a[] = {1, 2, 3, 4, 5, 6, 7, F, 9, F, F, F};
    static const int b[] = {1, 2, 3, 4, 5, F};
    static const int c[] = {1, F, F, F, 2, 3, 4, 5};
    static const int d[] = {1, 2, F, F, F, F, F, F, 3, F, F, F};
    static const int e[] = {5};
    static const int f[] = {1, F};
    heard            h;
    int              ncid;

    for (int pass = 0; pass < 2; pass++) { /* in one piece, and in small ones */
        assert_int_equal(write_cdl(text, (gen_opts){.put_bytes = pass == 0 ? 0 : 8}, &h), NC_NOERR);
        assert_int_equal(nc_open(path, NC_NOWRITE, &ncid), NC_NOERR);
        check_ints(ncid, "a", a, 12);
        check_ints(ncid, "b", b, 6);
        check_ints(ncid, "c", c, 8);
        check_ints(ncid, "d", d, 12);
        check_ints(ncid, "e", e, 1);
        check_ints(ncid, "f", f, 2);
        nc_close(ncid);
    }
}

TEST(definitions_arrive)
{
    static const char text[] =
        "netcdf d { dimensions: x = 4 ; variables: short v(x) ; v:_ChunkSizes = 2 ; v:_DeflateLevel = 3 ;"
        "v:_Shuffle = \"true\" ; v:_Endianness = \"big\" ; v:_FillValue = -9 ; string v:s = \"a\", \"bc\" ;"
        ":title = \"hello\" ; group: g { dimensions: y = 3 ; variables: float w(y,/x) ; group: h { :n = 1b ; } } }";
    heard  h;
    int    ncid, varid, grpid, storage, shuffle, deflate, level, endian, ndims, dimids[2], sub;
    size_t chunk, len;
    short  fill;
    char  *strs[2], title[6] = "";

    assert_int_equal(write_cdl(text, (gen_opts){.header_only = false}, &h), NC_NOERR);
    assert_int_equal(nc_open(path, NC_NOWRITE, &ncid), NC_NOERR);
    assert_int_equal(nc_inq_varid(ncid, "v", &varid), NC_NOERR);
    assert_int_equal(nc_inq_var_chunking(ncid, varid, &storage, &chunk), NC_NOERR);
    assert_int_equal(storage, NC_CHUNKED);
    assert_int_equal(chunk, 2);
    assert_int_equal(nc_inq_var_deflate(ncid, varid, &shuffle, &deflate, &level), NC_NOERR);
    assert_true(shuffle && deflate && level == 3);
    assert_int_equal(nc_inq_var_endian(ncid, varid, &endian), NC_NOERR);
    assert_int_equal(endian, NC_ENDIAN_BIG);
    assert_int_equal(nc_get_att_short(ncid, varid, "_FillValue", &fill), NC_NOERR);
    assert_int_equal(fill, -9);
    assert_int_equal(nc_get_att_string(ncid, varid, "s", strs), NC_NOERR);
    assert_string_equal(strs[1], "bc");
    nc_free_string(2, strs);
    assert_int_equal(nc_inq_attlen(ncid, NC_GLOBAL, "title", &len), NC_NOERR);
    assert_int_equal(len, 5);
    assert_int_equal(nc_get_att_text(ncid, NC_GLOBAL, "title", title), NC_NOERR);
    assert_string_equal(title, "hello");
    assert_int_equal(nc_inq_grp_ncid(ncid, "g", &grpid), NC_NOERR);
    assert_int_equal(nc_inq_varid(grpid, "w", &varid), NC_NOERR);
    assert_int_equal(nc_inq_var(grpid, varid, NULL, NULL, &ndims, dimids, NULL), NC_NOERR);
    assert_int_equal(nc_inq_dimlen(grpid, dimids[1], &len), NC_NOERR);
    assert_int_equal(len, 4);
    assert_int_equal(nc_inq_grp_ncid(grpid, "h", &sub), NC_NOERR);
    nc_close(ncid);
}

TEST(text_and_strings)
{
    static const char text[] =
        "netcdf d { dimensions: n = 2, len = 4, t = unlimited ; variables: char c(n,len) ;"
        "string s(t) ; s:_FillValue = \"none\" ; data: c = \"ab\", \"cdef\" ; s = \"x\", _ ; }";
    heard h;
    int   ncid, varid;
    char  bytes[8], *strs[2];

    assert_int_equal(write_cdl(text, (gen_opts){.nofill = false}, &h), NC_NOERR);
    assert_int_equal(nc_open(path, NC_NOWRITE, &ncid), NC_NOERR);
    assert_int_equal(nc_inq_varid(ncid, "c", &varid), NC_NOERR);
    assert_int_equal(nc_get_var_text(ncid, varid, bytes), NC_NOERR);
    assert_memory_equal(bytes, "ab\0\0cdef", 8);
    assert_int_equal(nc_inq_varid(ncid, "s", &varid), NC_NOERR);
    assert_int_equal(nc_get_var_string(ncid, varid, strs), NC_NOERR);
    assert_string_equal(strs[0], "x");
    assert_string_equal(strs[1], "none");
    nc_free_string(2, strs);
    nc_close(ncid);
}

TEST(failures_are_placed)
{
    heard h;

    assert_int_equal(write_cdl("netcdf d { types: opaque(3) o ;\nbyte enum e { a = 1, b = 1 } ; }",
                               (gen_opts){.nofill = false}, &h),
                     NC_EINVAL);
    assert_non_null(strstr(h.text, "t:2:22: constant b: "));
    assert_int_equal(
        write_cdl("netcdf d { types: opaque(3) o ; variables: int o ; }", (gen_opts){.nofill = false}, &h),
        NC_ENAMEINUSE);
    assert_non_null(strstr(h.text, "t:1:48: variable o: "));
    assert_int_not_equal(
        write_cdl("netcdf d { variables: int v ;\n v:_DeflateLevel = 1 ; }", (gen_opts){.nofill = false}, &h),
        NC_NOERR);
    assert_non_null(strstr(h.text, "t:2:4: compression of variable v: "));
}

/* Dumps of HDF5 files have them. */
TEST(what_cannot_be_stored_is_said)
{
    heard  h;
    int    ncid, grpid, ndims, dimid, varid, natts;
    size_t len;

    assert_int_equal(write_cdl("netcdf d { dimensions: y = 2 ; variables: int v(/g/x) ;\n v:CLASS = \"a\" ; v:b = 1 ;"
                               "group: g {\n dimensions: x = 0 ; variables: int w(/y, x) ; } }",
                               (gen_opts){.nofill = false}, &h),
                     NC_NOERR);
    assert_int_equal(h.warnings, 2);
    assert_non_null(strstr(h.text, "t:3:14: warning: dimension x becomes unlimited: no other one can be made"));
    assert_non_null(strstr(h.text, "t:2:4: warning: attribute CLASS is left out: the format reserves that name"));
    assert_int_equal(nc_open(path, NC_NOWRITE, &ncid), NC_NOERR);
    assert_int_equal(nc_inq_varid(ncid, "v", &varid), NC_NOERR);
    assert_int_equal(nc_inq_varnatts(ncid, varid, &natts), NC_NOERR);
    assert_int_equal(natts, 1);
    assert_int_equal(nc_inq_vardimid(ncid, varid, &dimid), NC_NOERR);
    assert_int_equal(nc_inq_dimlen(ncid, dimid, &len), NC_NOERR);
    assert_int_equal(len, 0);
    assert_int_equal(nc_inq_grp_ncid(ncid, "g", &grpid), NC_NOERR);
    assert_int_equal(nc_inq_unlimdims(grpid, &ndims, NULL), NC_NOERR);
    assert_int_equal(ndims, 1);
    nc_close(ncid);
}

/* Dumps of Zarr arrays name chunks that are longer than the array; netCDF's API takes none. */
/* As netCDF has it, level 0 is no compression. */
TEST(level_zero_is_no_deflate)
{
    heard h;
    int   ncid, varid, shuffle, deflate, level;

    assert_int_equal(write_cdl("netcdf d { dimensions: x = 2 ; variables: int v(x), w(x) ;\n"
                               " v:_DeflateLevel = 0 ; w:_DeflateLevel = 0 ; w:_Shuffle = \"true\" ; }",
                               (gen_opts){.nofill = false}, &h),
                     NC_NOERR);
    assert_int_equal(nc_open(path, NC_NOWRITE, &ncid), NC_NOERR);
    assert_int_equal(nc_inq_varid(ncid, "v", &varid), NC_NOERR);
    assert_int_equal(nc_inq_var_deflate(ncid, varid, &shuffle, &deflate, &level), NC_NOERR);
    assert_true(shuffle == 0 && deflate == 0 && level == 0);
    assert_int_equal(nc_inq_varid(ncid, "w", &varid), NC_NOERR);
    assert_int_equal(nc_inq_var_deflate(ncid, varid, &shuffle, &deflate, &level), NC_NOERR);
    assert_true(shuffle == 1 && deflate == 0 && level == 0);
    nc_close(ncid);
}

/* The library logs that it cuts strings; here it is known where they are. Without a width that is asked for none is. */
TEST(cut_strings_are_warned_of)
{
    static const char head[] = "netcdf d { dimensions: x = 3, t = unlimited ; variables: string s(x), r(t, x) ;\n";
    char              text[1000], s129[130], s200[201];
    heard             h;

    memset(s129, 'a', sizeof s129);
    memset(s200, 'b', sizeof s200);
    s129[129] = s200[200] = '\0';
    snprintf(text, sizeof text, "%sdata: s = \"x\",\n \"%s\", \"%s\" ; }", head, s129, s200);
    assert_int_equal(write_cdl(text, (gen_opts){.nofill = false}, &h), NC_NOERR);
    assert_string_equal(h.text, "");
    snprintf(text, sizeof text, "%s s:_nczarr_maxstrlen = 128 ; data: s = \"x\",\n \"%s\", \"%s\" ; }", head, s129,
             s200);
    assert_int_equal(write_cdl(text, (gen_opts){.nofill = false}, &h), NC_NOERR);
    assert_string_equal(h.text, "t:3:135: warning: a string of 200 bytes is cut: s has room for 128 (its attribute "
                                "_nczarr_maxstrlen says how many)\n");
    snprintf(text, sizeof text, "%s :_nczarr_default_maxstrlen = 3 ; data: r = \"abcd\" ; }", head);
    assert_int_equal(write_cdl(text, (gen_opts){.nofill = false}, &h), NC_NOERR);
    assert_int_equal(h.warnings, 1);
    snprintf(text, sizeof text, "%s s:_nczarr_maxstrlen = 200 ; data: s = \"%s\" ; r = \"%.128s\" ; }", head, s200,
             s200);
    assert_int_equal(write_cdl(text, (gen_opts){.nofill = false}, &h), NC_NOERR);
    assert_int_equal(h.warnings, 0);
    snprintf(text, sizeof text, "%s r:_nczarr_maxstrlen = 3 ; data: r = \"abcd\" ; }", head);
    assert_int_equal(write_cdl(text, (gen_opts){.nofill = false}, &h), NC_NOERR);
    assert_int_equal(h.warnings, 1);
    snprintf(text, sizeof text,
             "%s s:_FillValue = \"%s\" ; s:_Codecs = \"[{\\\"id\\\": \\\"vlen-utf8\\\"}]\" ;\n"
             "data: s = \"%s\" ; }",
             head, s129, s200);
    assert_int_equal(write_cdl(text, (gen_opts){.nofill = false}, &h), NC_NOERR);
    assert_string_equal(h.text, "");
}

TEST(header_only)
{
    static const int empty[] = {F, F};
    heard            h;
    int              ncid;

    assert_int_equal(write_cdl("netcdf d { dimensions: x = 2 ; variables: int v(x) ; data: v = 1, 2 ; }",
                               (gen_opts){.header_only = true}, &h),
                     NC_NOERR);
    assert_int_equal(nc_open(path, NC_NOWRITE, &ncid), NC_NOERR);
    check_ints(ncid, "v", empty, 2);
    nc_close(ncid);
}

/* Every allocation of the writer fails once, and says so. */
TEST(out_of_memory)
{
    heard    h, told = {.len = 0};
    gen_opts opts = {.report = {hear, &told}};
    gen_cdl *cdl =
        read_cdl("netcdf d { dimensions: x = 2 ; variables: int v(x) ; v:_NoFill = 1 ; data: v = 1 ; }", &h);
    long n = 0;
    int  ncid, rc;

    assert_non_null(cdl);
    do {
        assert_int_equal(nc_create(path, NC_CLOBBER | NC_NETCDF4, &ncid), NC_NOERR);
        told = (heard){.len = 0};
        gen_mem_fail_at(n++);
        rc = gen_write(cdl, ncid, &opts);
        gen_mem_fail_at(-1);
        assert_int_equal(told.errors, rc == NC_NOERR ? 0 : 1);
        nc_close(ncid);
    } while (rc == NC_ENOMEM);
    assert_int_equal(rc, NC_NOERR);
    assert_true(n > 5);
    gen_free(cdl);
}

int
main(void)
{
    return run_file_tests(make_dir, drop_dir);
}
