/* SPDX-License-Identifier: BSD-3-Clause */
/* nczdump's engine on whole datasets: every form, the options that choose and lay out data, variables that cannot be
 * read. */
#include "support/test.h"

#include "dump/dump.h"

#include <nczarr.h>
#include <nczarr_zmap.h>

#include <sys/stat.h>
#include <unistd.h>

#define OK(call) assert_int_equal((call), NC_NOERR)

/* Root: x = 2, t unlimited (2), five variables; group "g r" with its own x and a grandchild. */
static int
make(void)
{
    static const short rows[] = {1, 2, 3, NC_FILL_SHORT};
    static const float reals[] = {1.5f, 1e10f};
    static const char *words[] = {"a,b", "tail\n"};
    int                nc, x, t, len, grp, own, v, dims[3], secs[] = {0, 90};

    OK(nc_create("dump_test", NC_NETCDF4 | NC_DISKLESS, &nc));
    OK(nc_def_dim(nc, "x", 2, &x));
    OK(nc_def_dim(nc, "t", NC_UNLIMITED, &t));
    OK(nc_def_dim(nc, "len", 4, &len));
    OK(nc_put_att_text(nc, NC_GLOBAL, "title", 5, "a \"t\""));
    dims[0] = x;
    dims[1] = t;
    OK(nc_def_var(nc, "xt", NC_SHORT, 2, dims, &v));
    OK(nc_def_var_deflate(nc, v, 1, 1, 5));
    OK(nc_put_vara_short(nc, v, (size_t[]){0, 0}, (size_t[]){2, 2}, rows));
    OK(nc_def_var(nc, "real", NC_FLOAT, 1, &x, &v));
    OK(nc_put_att_text(nc, v, "C_format", 5, "%7.2f"));
    OK(nc_put_var_float(nc, v, reals));
    OK(nc_def_var(nc, "hostile", NC_FLOAT, 1, &x, &v));
    OK(nc_put_att_text(nc, v, "C_format", 4, "%n%s"));
    OK(nc_put_var_float(nc, v, reals));
    OK(nc_def_var(nc, "word", NC_STRING, 1, &x, &v));
    OK(nc_put_var_string(nc, v, words));
    dims[1] = len;
    OK(nc_def_var(nc, "name", NC_CHAR, 2, dims, &v));
    OK(nc_put_var_text(nc, v, "ab\0\0\351\0\0\0"));
    OK(nc_def_var(nc, "t", NC_INT, 1, &t, &v));
    OK(nc_put_att_text(nc, v, "units", 24, "seconds since 2000-01-01"));
    OK(nc_put_vara_int(nc, v, (size_t[]){0}, (size_t[]){2}, secs));
    OK(nc_def_grp(nc, "g r", &grp));
    OK(nc_def_dim(grp, "x", 1, &own));
    dims[0] = own;
    dims[1] = x;
    OK(nc_def_var(grp, "v", NC_INT64, 2, dims, &v));
    OK(nc_put_var_longlong(grp, v, (long long[]){INT64_MIN, 7}));
    return nc;
}

/* What the options make of the dataset; free it. */
static char *
dumped(int nc, const dump_opts *o, int want)
{
    static char  *s; /* static, as gcc 12 takes what the stream wrote into for gone otherwise */
    static size_t n;
    FILE         *f = open_memstream(&s, &n);

    assert_non_null(f);
    assert_int_equal(dump_run(nc, "name", o, f) == NC_NOERR, want == NC_NOERR);
    fclose(f);
    return s;
}

static void
has(const char *s, const char *part)
{
    if (strstr(s, part) == NULL)
        fail_msg("no <<%s>> in <<%s>>", part, s);
}

static const char header[] = "netcdf name {\n"
                             "dimensions:\n"
                             "\tx = 2 ;\n"
                             "\tt = UNLIMITED ; // (2 currently)\n"
                             "\tlen = 4 ;\n"
                             "variables:\n"
                             "\tshort xt(x, t) ;\n"
                             "\tfloat real(x) ;\n"
                             "\t\treal:C_format = \"%7.2f\" ;\n"
                             "\tfloat hostile(x) ;\n"
                             "\t\thostile:C_format = \"%n%s\" ;\n"
                             "\tstring word(x) ;\n"
                             "\tchar name(x, len) ;\n"
                             "\tint t(t) ;\n"
                             "\t\tt:units = \"seconds since 2000-01-01\" ;\n"
                             "\n"
                             "// global attributes:\n"
                             "\t\t:title = \"a \\\"t\\\"\" ;\n";

TEST(a_dataset_is_printed_as_cdl)
{
    dump_opts o = DUMP_OPTS_INIT;
    int       nc = make();
    char     *s = dumped(nc, &o, NC_NOERR);

    assert_memory_equal(s, header, sizeof header - 1);
    assert_string_equal(s + sizeof header - 1, "data:\n"
                                               "\n xt =\n  {1, 2},\n  {3, _} ;\n"
                                               "\n real =    1.50, 10000000000.00 ;\n"
                                               "\n hostile = 1.5, 1e+10 ;\n"
                                               "\n word = \"a,b\", \"tail\\n\" ;\n"
                                               "\n name =\n  \"ab\",\n  \"\\351\" ;\n"
                                               "\n t = 0, 90 ;\n"
                                               "\n"
                                               "group: g\\ r {\n"
                                               "  dimensions:\n"
                                               "  \tx = 1 ;\n"
                                               "  variables:\n"
                                               "  \tint64 v(x, /x) ;\n"
                                               "  data:\n"
                                               "\n   v =\n  -9223372036854775808, 7 ;\n"
                                               "  } // group g\\ r\n"
                                               "}\n");
    free(s);
    OK(nc_close(nc));
}

TEST(options_choose_what_is_printed)
{
    dump_opts o = DUMP_OPTS_INIT;
    int       nc = make();
    char     *s;

    o.part = DUMP_HEADER;
    s = dumped(nc, &o, NC_NOERR);
    assert_null(strstr(s, "data:"));
    free(s);
    o.part = DUMP_COORDS;
    s = dumped(nc, &o, NC_NOERR);
    has(s, "data:\n\n t = 0, 90 ;\n\ngroup");
    free(s);
    o.part = DUMP_ALL;
    assert_true(name_list_add_all(&o.vars, "/g r/v,real"));
    s = dumped(nc, &o, NC_NOERR);
    has(s, "data:\n\n real = ");
    has(s, "\n   v =\n");
    assert_null(strstr(s, "\n xt ="));
    free(s);
    assert_true(name_list_add_all(&o.vars, "nope"));
    s = dumped(nc, &o, NC_EINVAL);
    assert_string_equal(s, "");
    free(s);
    name_list_clear(&o.vars);
    assert_true(name_list_add_all(&o.groups, "/"));
    s = dumped(nc, &o, NC_NOERR);
    has(s, "\n xt =");
    assert_null(strstr(s, "\n   v ="));
    free(s);
    name_list_clear(&o.groups);
    OK(nc_close(nc));
}

TEST(options_lay_out_the_values)
{
    dump_opts o = DUMP_OPTS_INIT;
    int       nc = make();
    char     *s;

    o.comments = DUMP_COMMENTS_ROWS;
    s = dumped(nc, &o, NC_NOERR);
    has(s, " xt =\n  {// xt(0, 0-1)\n    1, 2},\n  {// xt(1, 0-1)\n    3, _} ;\n");
    free(s);
    o.comments = DUMP_COMMENTS_VALUES;
    o.comments_fortran = true;
    s = dumped(nc, &o, NC_NOERR);
    has(s, " xt =\n  {1,   // xt(1,1)\n    2},  // xt(2,1)\n    {3,   // xt(1,2)\n    _};  // xt(2,2)\n");
    has(s, " name =\n  \"ab\",  // name(1,1)\n    \"\\351\";  // name(1,2)\n");
    free(s);
    o = DUMP_OPTS_INIT;
    o.line_len = 24;
    o.times = true;
    o.time_separator = 'T';
    o.float_digits = 9;
    s = dumped(nc, &o, NC_NOERR);
    has(s, "\n t = \"2000-01-01\", \n    \"2000-01-01T00:01:30\" ;\n");
    has(s, "\n real = 1.5, 1e+10 ;\n");
    free(s);
    OK(nc_close(nc));
}

TEST(special_attributes_are_printed_on_demand)
{
    dump_opts o = DUMP_OPTS_INIT;
    int       nc = make();
    char     *s;

    o.special = true;
    o.part = DUMP_HEADER;
    s = dumped(nc, &o, NC_NOERR);
    has(s, "\t\txt:_Storage = \"chunked\" ;\n");
    has(s, "\t\txt:_Shuffle = \"true\" ;\n");
    has(s, "\t\txt:_DeflateLevel = 5 ;\n");
    has(s, "\t\txt:_Codecs = \"[{\\\"id\\\": \\\"shuffle\\\"");
    has(s, "\t\t:_NCProperties = \"version=2,");
    has(s, "\t\t:_Format = \"netCDF-4\" ;\n");
    free(s);
    o.filters_generic = o.hide_provenance = true;
    s = dumped(nc, &o, NC_NOERR);
    has(s, "\t\txt:_Filter = \"2,2|1,5\" ;\n");
    assert_null(strstr(s, "_DeflateLevel"));
    assert_null(strstr(s, "_NCProperties"));
    free(s);
    OK(nc_close(nc));
}

TEST(other_forms)
{
    dump_opts o = DUMP_OPTS_INIT;
    int       nc = make();
    char     *s;

    o.form = DUMP_JSON;
    s = dumped(nc, &o, NC_NOERR);
    has(s, "\"t\": {\"size\": 2, \"unlimited\": true}");
    has(s, "\"title\": {\"type\": \"char\", \"value\": \"a \\\"t\\\"\"}");
    has(s, "\"data\": [\n        [1, 2],\n        [3, -32767]\n      ]");
    has(s, "\"data\": [\n        \"ab\",\n        [233]\n      ]");
    has(s, "\"data\": [\"a,b\", \"tail\\n\"]");
    has(s, "\"dimensions\": [\"/g r/x\", \"/x\"]");
    has(s, "[-9223372036854775808, 7]");
    has(s, "{\"id\": 1, \"name\": \"deflate\", \"parameters\": [5]}");
    free(s);
    o.form = DUMP_NCML;
    s = dumped(nc, &o, NC_NOERR);
    has(s, "<dimension name=\"t\" length=\"2\" isUnlimited=\"true\" />");
    has(s, "<attribute name=\"title\" value=\"a &quot;t&quot;\" />");
    has(s, "  <group name=\"g r\">\n");
    has(s, "    <variable name=\"v\" shape=\"x x\" type=\"long\">\n");
    free(s);
    o.form = DUMP_TREE;
    s = dumped(nc, &o, NC_NOERR);
    has(s, "name (netCDF-4)  [x=2, t=2 unlimited, len=4]  ");
    has(s, " bytes  1 attribute\n");
    has(s, "xt       short (x=2, t=2)  ");
    has(s, "\xc3\x97  chunks 2\xc3\x97"
           "1  shuffle zlib\n");
    has(s, "g r/  [x=1]  0 bytes\n");
    free(s);
    o.form = DUMP_KIND;
    s = dumped(nc, &o, NC_NOERR);
    assert_string_equal(s, "netCDF-4\n");
    free(s);
    OK(nc_close(nc));
}

static void
put_file(const char *dir, const char *name, const char *content)
{
    char  path[512];
    FILE *f;

    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    assert_non_null(f = fopen(path, "w"));
    assert_true(fputs(content, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* One variable with a codec nobody has, between two good ones: told of, left out, the others printed. */
TEST(unreadable_variable)
{
    static const char array[] =
        "{\"zarr_format\": 2, \"shape\": [2], \"chunks\": [2], \"dtype\": \"<i4\", \"order\": \"C\","
        "\"fill_value\": null, \"filters\": null, \"compressor\": %s}";
    static const char *const names[] = {"a", "b", "c"};
    char                     dir[] = "/tmp/dump_testXXXXXX", path[512], text[512];
    dump_opts                o = DUMP_OPTS_INIT;
    int                      nc;
    char                    *s;

    assert_non_null(mkdtemp(dir));
    put_file(dir, ".zgroup", "{\"zarr_format\": 2}");
    for (int i = 0; i < 3; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        assert_int_equal(mkdir(path, 0700), 0);
        (void)snprintf(text, sizeof text, array, i == 1 ? "{\"id\": \"no-such-codec\"}" : "null");
        put_file(path, ".zarray", text);
        put_file(path, "0", "\1\0\0\0");
    }
    put_file(dir, "b/0", "12345678");
    unlink(strcat(strcpy(path, dir), "/a/0"));
    unlink(strcat(strcpy(path, dir), "/c/0"));

    OK(nc_open(dir, NC_NOWRITE, &nc));
    o.file = "test";
    s = dumped(nc, &o, NC_EFILTER);
    has(s, "\tint b(");
    has(s, "\n a = 0, 0 ;\n\n // b: cannot be read: codec 'no-such-codec' is neither built in nor registered\n");
    has(s, "\n\n c = 0, 0 ;\n}\n");
    free(s);
    o.form = DUMP_JSON;
    s = dumped(nc, &o, NC_EFILTER);
    has(s, "\"error\": \"");
    has(s, "\"data\": [0, 0]");
    free(s);
    OK(nc_close(nc));

    for (int i = 0; i < 3; i++) {
        (void)snprintf(path, sizeof path, "%s/%s/.zarray", dir, names[i]);
        unlink(path);
        (void)snprintf(path, sizeof path, "%s/%s/0", dir, names[i]);
        unlink(path);
        (void)snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        rmdir(path);
    }
    unlink(strcat(strcpy(path, dir), "/.zgroup"));
    rmdir(dir);
}

/* Larger than the pieces it is read in, with chunks that do not fit them: the values still come in order. */
TEST(many_pieces)
{
    enum { ROWS = 700, COLS = 2500 };
    dump_opts o = DUMP_OPTS_INIT;
    int       nc, dims[2], v, *data = malloc(sizeof *data * ROWS * COLS);
    char     *s, *p;

    assert_non_null(data);
    for (int i = 0; i < ROWS * COLS; i++)
        data[i] = i;
    OK(nc_create("dump_big", NC_NETCDF4 | NC_DISKLESS, &nc));
    OK(nc_def_dim(nc, "r", ROWS, &dims[0]));
    OK(nc_def_dim(nc, "c", COLS, &dims[1]));
    OK(nc_def_var(nc, "v", NC_INT, 2, dims, &v));
    OK(nc_def_var_chunking(nc, v, NC_CHUNKED, (size_t[]){450, 999}));
    OK(nc_put_var_int(nc, v, data));
    s = dumped(nc, &o, NC_NOERR);
    assert_non_null(p = strstr(s, " v =\n"));
    p += 5;
    for (int i = 0; i < ROWS * COLS; i++) {
        assert_int_equal(strtol(p, &p, 10), i);
        p += *p == ',';
    }
    assert_string_equal(p, " ;\n}\n");
    free(s);
    free(data);
    OK(nc_close(nc));
}

/* A variable of bounds takes its parent's units and calendar, unless it has its own. */
TEST(bounds_have_units)
{
    static const double times[] = {0, 24}, edges[] = {0, 24, 24, 48};
    dump_opts           o = DUMP_OPTS_INIT;
    int                 nc, dims[2], t, v;
    char               *s;

    OK(nc_create("dump_bounds", NC_NETCDF4 | NC_DISKLESS, &nc));
    OK(nc_def_dim(nc, "t", 2, &dims[0]));
    OK(nc_def_dim(nc, "two", 2, &dims[1]));
    OK(nc_def_var(nc, "t", NC_DOUBLE, 1, dims, &t));
    OK(nc_put_att_text(nc, t, "units", 22, "hours since 2000-01-01"));
    OK(nc_put_att_text(nc, t, "bounds", 4, "edge"));
    OK(nc_def_var(nc, "edge", NC_DOUBLE, 2, dims, &v));
    OK(nc_put_var_double(nc, t, times));
    OK(nc_put_var_double(nc, v, edges));
    o.times = true;
    s = dumped(nc, &o, NC_NOERR);
    has(s, "\n edge =\n  \"2000-01-01\", \"2000-01-02\",\n  \"2000-01-02\", \"2000-01-03\" ;\n");
    free(s);
    OK(nc_put_att_text(nc, v, "units", 21, "days since 2010-01-01"));
    s = dumped(nc, &o, NC_NOERR);
    has(s, "\n edge =\n  \"2010-01-01\", \"2010-01-25\",\n  \"2010-01-25\", \"2010-02-18\" ;\n");
    free(s);
    OK(nc_close(nc));
}

/* Chunks of another writer that are longer than the array: a dump has what netCDF can make again, JSON what is. */
TEST(long_chunks)
{
    static const char group[] = "\xEF\xBB\xBF{\"zarr_format\": 2}"; /* and an editor left its mark */
    static const char array[] = "{\"zarr_format\": 2, \"shape\": [3], \"chunks\": [10], \"dtype\": \"<i4\", "
                                "\"compressor\": null, \"filters\": null, \"fill_value\": 0, \"order\": \"C\"}";
    dump_opts         o = DUMP_OPTS_INIT;
    nczarr_map       *map;
    int               nc;
    char             *s;

    OK(nczarr_map_memory(&map));
    OK(nczarr_map_write(map, ".zgroup", strlen(group), group));
    OK(nczarr_map_write(map, "v/.zarray", strlen(array), array));
    OK(nczarr_open_map(map, NULL, NC_NOWRITE, &nc));
    o.special = true;
    s = dumped(nc, &o, NC_NOERR);
    has(s, "v:_ChunkSizes = 3 ;");
    free(s);
    o = DUMP_OPTS_INIT;
    o.form = DUMP_JSON;
    s = dumped(nc, &o, NC_NOERR);
    has(s, "\"chunks\": [10]");
    free(s);
    OK(nc_close(nc));
    OK(nczarr_map_close(map));
}

/* As ncdump has them. */
TEST(newlines_and_coordinates)
{
    dump_opts o = DUMP_OPTS_INIT;
    int       nc, dims[2], v;
    char     *s;

    OK(nc_create("dump_classic", NC_NETCDF4 | NC_CLASSIC_MODEL | NC_DISKLESS, &nc));
    OK(nc_def_dim(nc, "x", 1, &dims[0]));
    OK(nc_def_dim(nc, "y", 2, &dims[1]));
    OK(nc_put_att_text(nc, NC_GLOBAL, "end", 2, "a\n"));
    OK(nc_put_att_text(nc, NC_GLOBAL, "two", 3, "\n\nb"));
    OK(nc_def_var(nc, "x", NC_INT, 1, dims, &v));
    OK(nc_def_var(nc, "y", NC_INT, 2, dims, &v));
    OK(nc_enddef(nc));
    o.part = DUMP_COORDS;
    s = dumped(nc, &o, NC_NOERR);
    has(s, ":end = \"a\\n\",\n\t\t\t\"\" ;\n");
    has(s, ":two = \"\\n\",\n\t\t\t\"\\n\",\n\t\t\t\"b\" ;\n");
    has(s, "data:\n\n x = _ ;\n}"); /* y has two dimensions */
    free(s);
    OK(nc_close(nc));
}

/* ---- what is asked ---- */

static int asked;

int __real_nc_inq_dimids(int ncid, int *ndims, int *dimids, int include_parents);
int __real_nc_inq_unlimdims(int ncid, int *n, int *dimids);
int __wrap_nc_inq_dimids(int ncid, int *ndims, int *dimids, int include_parents);
int __wrap_nc_inq_unlimdims(int ncid, int *n, int *dimids);

int
__wrap_nc_inq_dimids(int ncid, int *ndims, int *dimids, int include_parents)
{
    asked++;
    return __real_nc_inq_dimids(ncid, ndims, dimids, include_parents);
}

int
__wrap_nc_inq_unlimdims(int ncid, int *n, int *dimids)
{
    asked++;
    return __real_nc_inq_unlimdims(ncid, n, dimids);
}

/* Each call takes as long as there are dimensions: their number must not grow with that of the variables. */
TEST(dimensions_are_asked_for_once)
{
    dump_opts o = DUMP_OPTS_INIT;
    int       nc, dim, var, few = 0;
    char      name[16], *s;

    for (int n = 2; n <= 200; n += 198) {
        OK(nc_create("dump_dims", NC_NETCDF4 | NC_DISKLESS, &nc));
        for (int i = 0; i < n; i++) {
            snprintf(name, sizeof name, "d%d", i);
            OK(nc_def_dim(nc, name, i % 2 == 0 ? NC_UNLIMITED : 3, &dim));
            OK(nc_def_var(nc, name, NC_INT, 1, &dim, &var));
        }
        for (o.form = DUMP_CDL; o.form <= DUMP_TREE; o.form++) {
            asked = 0;
            s = dumped(nc, &o, NC_NOERR);
            free(s);
            if (n == 2 && asked > few)
                few = asked;
            assert_true(asked <= few);
        }
        OK(nc_close(nc));
    }
    assert_true(few > 0);
}
