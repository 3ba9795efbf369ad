/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls, right and wrong, with the code that each returns: one line "section: call = code" for each. Compiled once with
 * netCDF-C and once with this library; return_codes.py compares what the two print.
 *
 * usage: return_codes FOLDER SUFFIX netcdf4|classic|cdf1|cdf2|cdf5
 * Datasets are FOLDER/N and the suffix, ".nc" or ".zarr#mode=...".
 */
#include <netcdf.h>
#include <netcdf_filter.h>

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *folder, *suffix, *section;
static const char *no_name; /* NULL; but netCDF-C 4.9.0 crashes on that with classic files */
static int        *no_int;  /* the same */
static char       *no_text;
static int         cmode;

/* The code is what the call returns; a number that it gives may follow. */
#define T(call) printf("%s: %s = %d\n", section, #call, call)
/* Must succeed in both, or nothing that follows means anything. */
#define MUST(call)                                                                                                   \
    do {                                                                                                             \
        int must_rc = call;                                                                                          \
        if (must_rc != NC_NOERR) {                                                                                   \
            printf("%s: %s failed: %d\n", section, #call, must_rc);                                                  \
            fflush(stdout);                                                                                          \
            _exit(1);                                                                                                \
        }                                                                                                            \
    } while (0)

static const char *
place(int n)
{
    static char path[600];

    snprintf(path, sizeof path, "%s/%s%d%s", folder, section, n, suffix);
    return path;
}

/* ---- a dataset to call with ------------------------------------------------------------------------------------ */

/* In define mode: x = 4, y = 3, t unlimited; v(x, y) int, s short, w(t, x) double, c(x) char, text str(x). */
struct ids {
    int nc, x, y, t, v, s, w, c;
};

static struct ids
defined(int n)
{
    struct ids d;

    MUST(nc_create(place(n), cmode | NC_CLOBBER, &d.nc));
    MUST(nc_def_dim(d.nc, "x", 4, &d.x));
    MUST(nc_def_dim(d.nc, "y", 3, &d.y));
    MUST(nc_def_dim(d.nc, "t", NC_UNLIMITED, &d.t));
    MUST(nc_def_var(d.nc, "v", NC_INT, 2, (int[]){d.x, d.y}, &d.v));
    MUST(nc_def_var(d.nc, "s", NC_SHORT, 0, NULL, &d.s));
    MUST(nc_def_var(d.nc, "w", NC_DOUBLE, 2, (int[]){d.t, d.x}, &d.w));
    MUST(nc_def_var(d.nc, "c", NC_CHAR, 1, &d.x, &d.c));
    MUST(nc_put_att_text(d.nc, NC_GLOBAL, "title", 5, "title"));
    MUST(nc_put_att_int(d.nc, d.v, "n", NC_INT, 3, (int[]){1, 2, 3}));
    return d;
}

static struct ids
with_data(int n)
{
    struct ids d = defined(n);

    MUST(nc_enddef(d.nc));
    MUST(nc_put_var_int(d.nc, d.v, (int[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
    MUST(nc_put_vara_double(d.nc, d.w, (size_t[]){0, 0}, (size_t[]){2, 4}, (double[]){1, 2, 3, 4, 5, 6, 7, 8}));
    MUST(nc_put_var_text(d.nc, d.c, "abcd"));
    return d;
}

/* ---- the sections ---------------------------------------------------------------------------------------------- */

static void
bad_ids(void)
{
    static const int ncids[] = {-1, 0, 1, 12345, 40 << 16, 0x7fff0000};
    struct ids       d = with_data(0);
    int              i, j, k[NC_MAX_VAR_DIMS];
    size_t           n;
    nc_type          type;
    char             name[NC_MAX_NAME + 1];
    float            f;
    size_t           zero[2] = {0, 0}, one[2] = {1, 1};

    for (size_t a = 0; a < sizeof ncids / sizeof *ncids; a++) {
        int bad = ncids[a];

        T(nc_inq(bad, &i, &i, &i, &i));
        T(nc_inq_ndims(bad, &i));
        T(nc_inq_nvars(bad, &i));
        T(nc_inq_natts(bad, &i));
        T(nc_inq_unlimdim(bad, &i));
        T(nc_inq_format(bad, &i));
        T(nc_inq_path(bad, &n, NULL));
        T(nc_redef(bad));
        T(nc_enddef(bad));
        T(nc_sync(bad));
        T(nc_close(bad));
        T(nc_abort(bad));
        T(nc_set_fill(bad, NC_FILL, &i));
        T(nc_def_dim(bad, "d", 3, &i));
        T(nc_inq_dim(bad, 0, name, &n));
        T(nc_inq_dimid(bad, "x", &i));
        T(nc_rename_dim(bad, 0, "z"));
        T(nc_def_var(bad, "u", NC_INT, 0, NULL, &i));
        T(nc_inq_var(bad, 0, name, &type, &i, k, &j));
        T(nc_inq_varid(bad, "v", &i));
        T(nc_rename_var(bad, 0, "z"));
        T(nc_put_att_text(bad, NC_GLOBAL, "a", 1, "a"));
        T(nc_get_att_float(bad, NC_GLOBAL, "a", &f));
        T(nc_inq_att(bad, NC_GLOBAL, "a", &type, &n));
        T(nc_inq_attname(bad, NC_GLOBAL, 0, name));
        T(nc_del_att(bad, NC_GLOBAL, "a"));
        T(nc_rename_att(bad, NC_GLOBAL, "a", "b"));
        T(nc_copy_att(bad, NC_GLOBAL, "title", d.nc, NC_GLOBAL));
        T(nc_copy_att(d.nc, NC_GLOBAL, "title", bad, NC_GLOBAL));
        T(nc_get_vara_float(bad, 0, zero, one, &f));
        T(nc_put_vara_float(bad, 0, zero, one, &f));
        T(nc_inq_grps(bad, &i, NULL));
        T(nc_inq_grpname(bad, name));
        T(nc_inq_grp_parent(bad, &i));
        T(nc_inq_grp_ncid(bad, "g", &i));
        T(nc_def_grp(bad, "g", &i));
        T(nc_def_var_deflate(bad, 0, 0, 1, 1));
        T(nc_def_var_chunking(bad, 0, NC_CHUNKED, one));
        T(nc_def_var_fill(bad, 0, NC_FILL, &i));
        T(nc_inq_unlimdims(bad, &i, k));
        T(nc_inq_typeids(bad, &i, NULL));
    }
    {
        static const int varids[] = {-2, -1, 4, 100, INT_MAX};
        for (size_t a = 0; a < sizeof varids / sizeof *varids; a++) {
            int bad = varids[a];

            T(nc_inq_var(d.nc, bad, name, &type, &i, k, &j));
            T(nc_inq_varname(d.nc, bad, name));
            T(nc_inq_vartype(d.nc, bad, &type));
            T(nc_inq_varndims(d.nc, bad, &i));
            T(nc_inq_vardimid(d.nc, bad, k));
            T(nc_inq_varnatts(d.nc, bad, &i));
            T(nc_rename_var(d.nc, bad, "z"));
            T(nc_get_vara_float(d.nc, bad, zero, one, &f));
            T(nc_put_vara_float(d.nc, bad, zero, one, &f));
            T(nc_get_var1_float(d.nc, bad, zero, &f));
            T(nc_put_var1_float(d.nc, bad, zero, &f));
            T(nc_get_var_float(d.nc, bad, &f));
            T(nc_put_var_float(d.nc, bad, &f));
            T(nc_get_vars_float(d.nc, bad, zero, one, NULL, &f));
            T(nc_get_varm_float(d.nc, bad, zero, one, NULL, NULL, &f));
            T(nc_inq_att(d.nc, bad, "n", &type, &n));
            T(nc_inq_attid(d.nc, bad, "n", &i));
            T(nc_inq_attname(d.nc, bad, 9, name));
            T(nc_get_att_float(d.nc, bad, "zz", &f));
            T(nc_put_att_float(d.nc, bad == -1 ? -3 : bad, "zz", NC_FLOAT, 1, &f));
            T(nc_del_att(d.nc, bad, "zz"));
            T(nc_rename_att(d.nc, bad, "zz", "a"));
            T(nc_copy_att(d.nc, bad == -1 ? -3 : bad, "title", d.nc, NC_GLOBAL));
            T(nc_copy_att(d.nc, NC_GLOBAL, "title", d.nc, bad == -1 ? -3 : bad));
            T(nc_inq_var_deflate(d.nc, bad, &i, &i, &i));
            T(nc_inq_var_chunking(d.nc, bad, &i, NULL));
            T(nc_inq_var_fill(d.nc, bad, &i, NULL));
            T(nc_inq_var_endian(d.nc, bad, &i));
            T(nc_inq_var_fletcher32(d.nc, bad, &i));
            T(nc_inq_var_szip(d.nc, bad, &i, &i));
        }
    }
    {
        static const int dimids[] = {-1, 3, 100, INT_MAX, INT_MIN};
        for (size_t a = 0; a < sizeof dimids / sizeof *dimids; a++) {
            int bad = dimids[a];

            T(nc_inq_dim(d.nc, bad, name, &n));
            T(nc_inq_dimname(d.nc, bad, name));
            T(nc_inq_dimlen(d.nc, bad, &n));
            T(nc_rename_dim(d.nc, bad, "z"));
            MUST(nc_redef(d.nc));
            T(nc_def_var(d.nc, "bad", NC_INT, 1, &bad, &i));
            MUST(nc_enddef(d.nc));
        }
    }
    MUST(nc_close(d.nc));
    T(nc_close(d.nc));
    T(nc_sync(d.nc));
    T(nc_inq_ndims(d.nc, &i));
}

static void
dimensions(void)
{
    struct ids d = defined(0);
    int        i;
    char       long_name[NC_MAX_NAME + 20];

    memset(long_name, 'a', sizeof long_name);
    long_name[NC_MAX_NAME + 1] = '\0';
    T(nc_def_dim(d.nc, "x", 3, &i));
    T(nc_def_dim(d.nc, no_name, 3, &i));
    T(nc_def_dim(d.nc, "", 3, &i));
    T(nc_def_dim(d.nc, "a/b", 3, &i));
    T(nc_def_dim(d.nc, " a", 3, &i));
    T(nc_def_dim(d.nc, "a ", 3, &i));
    T(nc_def_dim(d.nc, "a b", 3, &i));
    T(nc_def_dim(d.nc, "a\tb", 3, &i));
    T(nc_def_dim(d.nc, "a\n", 3, &i));
    T(nc_def_dim(d.nc, "\xff", 3, &i));
    T(nc_def_dim(d.nc, "+a", 3, &i));
    T(nc_def_dim(d.nc, "-a", 3, &i));
    T(nc_def_dim(d.nc, "9a", 3, &i));
    T(nc_def_dim(d.nc, "_a", 3, &i));
    T(nc_def_dim(d.nc, "a.b@c", 3, &i));
    T(nc_def_dim(d.nc, "\xc3\xa4", 3, &i));
    T(nc_def_dim(d.nc, long_name, 3, &i));
    long_name[NC_MAX_NAME] = '\0';
    T(nc_def_dim(d.nc, "minus", (size_t)-1, &i));
    T(nc_def_dim(d.nc, "one", 1, &i));
    T(nc_def_dim(d.nc, "noid", 1, NULL));
    T(nc_def_dim(d.nc, "t2", NC_UNLIMITED, &i));
    T(nc_inq_unlimdim(d.nc, &i));
    T(nc_inq_dimid(d.nc, "none", &i));
    T(nc_inq_dimid(d.nc, no_name, &i));
    T(nc_inq_dimid(d.nc, "", &i));
    T(nc_inq_dimid(d.nc, "x", NULL));
    T(nc_inq_dim(d.nc, d.x, NULL, NULL));
    T(nc_rename_dim(d.nc, d.x, "y"));
    T(nc_rename_dim(d.nc, d.x, "x"));
    T(nc_rename_dim(d.nc, d.x, no_name));
    T(nc_rename_dim(d.nc, d.x, ""));
    T(nc_rename_dim(d.nc, d.x, "a/b"));
    T(nc_rename_dim(d.nc, d.x, "longer"));
    T(nc_rename_dim(d.nc, d.x, long_name));
}

static void
late_dimensions(void)
{
    struct ids d = defined(0);
    int        i;
    size_t     n;
    char       name[NC_MAX_NAME + 1];

    MUST(nc_enddef(d.nc));
    T(nc_def_dim(d.nc, "late", 3, &i));
    T(nc_def_dim(d.nc, "x", 3, &i));
    T(nc_rename_dim(d.nc, d.y, "a_longer_name"));
    T(nc_rename_dim(d.nc, d.x, "q"));
    T(nc_inq_dimid(d.nc, "q", &i));
    T(nc_inq_dim(d.nc, d.x, name, &n));
    MUST(nc_close(d.nc));
    MUST(nc_open(place(0), NC_NOWRITE, &d.nc));
    T(nc_def_dim(d.nc, "late", 3, &i));
    T(nc_rename_dim(d.nc, d.x, "r"));
    T(nc_redef(d.nc));
    T(nc_enddef(d.nc));
    MUST(nc_close(d.nc));
}

static void
variables(void)
{
    static const nc_type types[] = {-1,        0,        NC_BYTE,   NC_CHAR, NC_SHORT, NC_INT,    NC_FLOAT,
                                    NC_DOUBLE, NC_UBYTE, NC_USHORT, NC_UINT, NC_INT64, NC_UINT64, NC_STRING,
                                    13,        31,       32,        99,      1000};
    struct ids           d = defined(0);
    int                  i, k[NC_MAX_VAR_DIMS];
    nc_type              type;
    char                 name[NC_MAX_NAME + 1], long_name[NC_MAX_NAME + 20];

    memset(long_name, 'a', sizeof long_name);
    long_name[NC_MAX_NAME + 1] = '\0';
    for (size_t a = 0; a < sizeof types / sizeof *types; a++) {
        nc_type a_type = types[a];
        char    a_name[20];

        snprintf(a_name, sizeof a_name, "type%d", a_type);
        printf("%s: type %d: %d\n", section, a_type, nc_def_var(d.nc, a_name, a_type, 0, NULL, &i));
        printf("%s: nc_inq_type %d: %d\n", section, a_type, nc_inq_type(d.nc, a_type, NULL, NULL));
        printf("%s: nc_inq_type of 0, %d: %d\n", section, a_type, nc_inq_type(0, a_type, NULL, NULL));
        printf("%s: attribute of type %d: %d\n", section, a_type,
               nc_put_att(d.nc, NC_GLOBAL, "of_type", a_type, 0, NULL));
    }
    T(nc_def_var(d.nc, "v", NC_INT, 0, NULL, &i));
    T(nc_def_var(d.nc, no_name, NC_INT, 0, NULL, &i));
    T(nc_def_var(d.nc, "", NC_INT, 0, NULL, &i));
    T(nc_def_var(d.nc, "a/b", NC_INT, 0, NULL, &i));
    T(nc_def_var(d.nc, "trailing ", NC_INT, 0, NULL, &i));
    T(nc_def_var(d.nc, long_name, NC_INT, 0, NULL, &i));
    T(nc_def_var(d.nc, "minus", NC_INT, -1, NULL, &i));
    T(nc_def_var(d.nc, "nodims", NC_INT, 1, NULL, &i));
    T(nc_def_var(d.nc, "toomany", NC_INT, NC_MAX_VAR_DIMS + 1, k, &i));
    T(nc_def_var(d.nc, "twice", NC_INT, 2, (int[]){d.x, d.x}, &i));
    T(nc_def_var(d.nc, "second", NC_INT, 2, (int[]){d.x, d.t}, &i));
    T(nc_def_var(d.nc, "noid", NC_INT, 0, NULL, NULL));
    T(nc_inq_varid(d.nc, "none", &i));
    T(nc_inq_varid(d.nc, no_name, &i));
    T(nc_inq_varid(d.nc, "", &i));
    T(nc_inq_varid(d.nc, "v", no_int));
    T(nc_inq_varid(d.nc, long_name, &i));
    T(nc_inq_var(d.nc, d.v, NULL, NULL, NULL, NULL, NULL));
    T(nc_inq_var(d.nc, NC_GLOBAL, name, &type, &i, k, &i));
    T(nc_inq_varnatts(d.nc, NC_GLOBAL, &i));
    T(nc_inq_varname(d.nc, NC_GLOBAL, name));
    T(nc_rename_var(d.nc, d.v, "w"));
    T(nc_rename_var(d.nc, d.v, "v"));
    T(nc_rename_var(d.nc, d.v, no_name));
    T(nc_rename_var(d.nc, d.v, ""));
    T(nc_rename_var(d.nc, d.v, "a/b"));
    T(nc_rename_var(d.nc, NC_GLOBAL, "g"));
    T(nc_rename_var(d.nc, d.v, "longer_name"));
}

static void
late_variables(void)
{
    struct ids d = defined(0);
    int        i;

    MUST(nc_enddef(d.nc));
    T(nc_enddef(d.nc));
    T(nc_def_var(d.nc, "late", NC_INT, 0, NULL, &i));
    T(nc_def_var(d.nc, "v", NC_INT, 0, NULL, &i));
    T(nc_rename_var(d.nc, d.v, "much_longer_name"));
    T(nc_rename_var(d.nc, d.v, "u"));
    T(nc_redef(d.nc));
    T(nc_redef(d.nc));
    T(nc_enddef(d.nc));
    T(nc__enddef(d.nc, 0, 4, 0, 4));
    T(nc_enddef(d.nc));
    MUST(nc_close(d.nc));
}

static void
attributes(void)
{
    struct ids  d = defined(0), e = defined(1);
    int         i;
    size_t      n;
    nc_type     type;
    float       f = 1.5f, three[9];
    short       sh[9];
    signed char sc[9];
    double      db = 1e300;
    char        text[100], long_name[NC_MAX_NAME + 20];

    memset(long_name, 'a', sizeof long_name);
    long_name[NC_MAX_NAME + 1] = '\0';
    T(nc_put_att_float(d.nc, d.v, no_name, NC_FLOAT, 1, &f));
    T(nc_put_att_float(d.nc, d.v, "", NC_FLOAT, 1, &f));
    T(nc_put_att_float(d.nc, d.v, "a/b", NC_FLOAT, 1, &f));
    T(nc_put_att_float(d.nc, d.v, "a ", NC_FLOAT, 1, &f));
    T(nc_put_att_float(d.nc, d.v, long_name, NC_FLOAT, 1, &f));
    T(nc_put_att_float(d.nc, d.v, "f", NC_CHAR, 1, &f));
    T(nc_put_att_float(d.nc, d.v, "f", NC_STRING, 1, &f));
    T(nc_put_att_float(d.nc, d.v, "f", NC_FLOAT, 1, NULL));
    T(nc_put_att_float(d.nc, d.v, "f", NC_FLOAT, (size_t)-1, &f));
    T(nc_put_att_float(d.nc, d.v, "f", 0, 1, &f));
    T(nc_put_att_float(d.nc, d.v, "f", 99, 1, &f));
    T(nc_put_att_float(d.nc, d.v, "none", NC_FLOAT, 0, NULL));
    T(nc_inq_attlen(d.nc, d.v, "none", &n));
    T(nc_put_att_double(d.nc, d.v, "big", NC_FLOAT, 1, &db));
    T(nc_put_att_double(d.nc, d.v, "big", NC_INT, 1, &db));
    T(nc_put_att_double(d.nc, d.v, "big", NC_BYTE, 1, &db));
    T(nc_put_att_string(d.nc, d.v, "string", 1, (const char *[]){"abc"}));
    T(nc_get_att_float(d.nc, d.v, "string", three));
    T(nc_get_att_text(d.nc, d.v, "string", text));
    T(nc_get_att_string(d.nc, d.v, "n", (char *[3]){NULL}));
    T(nc_put_att_text(d.nc, d.v, "text", 3, "abc"));
    T(nc_get_att_string(d.nc, d.v, "text", (char *[3]){NULL}));
    T(nc_put_att_text(d.nc, d.v, "empty", 0, NULL));
    T(nc_put_att_text(d.nc, d.v, "null", 3, NULL));
    T(nc_get_att_text(d.nc, d.v, "text", text));
    T(nc_get_att_text(d.nc, d.v, "empty", text));
    T(nc_get_att_text(d.nc, d.v, "n", text));
    T(nc_get_att_float(d.nc, d.v, "text", three));
    T(nc_get_att_float(d.nc, d.v, "n", three));
    T(nc_get_att_float(d.nc, d.v, "missing", three));
    T(nc_get_att_float(d.nc, d.v, no_name, three));
    T(nc_get_att_float(d.nc, d.v, "", three));
    T(nc_get_att_float(d.nc, d.v, "none", three));
    T(nc_put_att_int(d.nc, d.v, "wide", NC_INT, 1, (int[]){70000}));
    T(nc_get_att_short(d.nc, d.v, "wide", sh));
    T(nc_get_att_schar(d.nc, d.v, "wide", sc));
    T(nc_put_att_short(d.nc, d.v, "narrow", NC_BYTE, 1, (short[]){300}));
    T(nc_put_att_int(d.nc, d.v, "minus", NC_UBYTE, 1, (int[]){-1}));
    T(nc_put_att_uchar(d.nc, d.v, "uchar", NC_BYTE, 1, (unsigned char[]){200}));
    T(nc_put_att_uchar(d.nc, d.v, "uchar", NC_UBYTE, 1, (unsigned char[]){200}));
    T(nc_inq_att(d.nc, d.v, "missing", &type, &n));
    T(nc_inq_att(d.nc, d.v, no_name, &type, &n));
    T(nc_inq_att(d.nc, d.v, "n", NULL, NULL));
    T(nc_inq_attid(d.nc, d.v, "missing", &i));
    T(nc_inq_attid(d.nc, d.v, "n", NULL));
    T(nc_inq_attname(d.nc, d.v, -1, text));
    T(nc_inq_attname(d.nc, d.v, 99, text));
    T(nc_inq_attname(d.nc, d.v, 0, no_text));
    T(nc_rename_att(d.nc, d.v, "missing", "a"));
    T(nc_rename_att(d.nc, d.v, "n", "text"));
    T(nc_rename_att(d.nc, d.v, "n", "n"));
    T(nc_rename_att(d.nc, d.v, "n", no_name));
    T(nc_rename_att(d.nc, d.v, "n", ""));
    T(nc_rename_att(d.nc, d.v, "n", "a/b"));
    T(nc_rename_att(d.nc, d.v, "n", "m"));
    T(nc_rename_att(d.nc, d.v, "m", "n"));
    T(nc_del_att(d.nc, d.v, "missing"));
    T(nc_del_att(d.nc, d.v, no_name));
    T(nc_del_att(d.nc, d.v, "text"));
    T(nc_del_att(d.nc, d.v, "text"));
    T(nc_copy_att(d.nc, d.v, "missing", e.nc, e.v));
    T(nc_copy_att(d.nc, d.v, "n", e.nc, e.v));
    T(nc_copy_att(d.nc, d.v, "n", d.nc, d.v));
    T(nc_copy_att(d.nc, d.v, "n", d.nc, NC_GLOBAL));
    T(nc_copy_att(d.nc, d.v, no_name, e.nc, e.v));
    T(nc_put_att_int(d.nc, d.v, "_FillValue", NC_INT, 1, (int[]){-7}));
    T(nc_put_att_int(d.nc, d.v, "_FillValue", NC_INT, 2, (int[]){-7, 8}));
    T(nc_put_att_int(d.nc, d.v, "_FillValue", NC_SHORT, 1, (int[]){-7}));
    T(nc_put_att_int(d.nc, d.v, "_FillValue", NC_INT, 0, NULL));
    T(nc_put_att_int(d.nc, NC_GLOBAL, "_FillValue", NC_INT, 1, (int[]){-7}));
    T(nc_put_att_text(d.nc, NC_GLOBAL, "_NCProperties", 1, "x"));
    T(nc_put_att_text(d.nc, NC_GLOBAL, "_Format", 1, "x"));
    T(nc_put_att_int(d.nc, NC_GLOBAL, "_IsNetcdf4", NC_INT, 1, (int[]){1}));
    T(nc_put_att_int(d.nc, NC_GLOBAL, "_SuperblockVersion", NC_INT, 1, (int[]){1}));
    T(nc_get_att_text(d.nc, NC_GLOBAL, "_Format", text));
    T(nc_inq_attlen(d.nc, NC_GLOBAL, "_IsNetcdf4", &n));
    T(nc_del_att(d.nc, NC_GLOBAL, "_NCProperties"));
    T(nc_rename_att(d.nc, NC_GLOBAL, "title", "_NCProperties"));
}

static void
late_attributes(void)
{
    struct ids d = defined(0), e = defined(1);

    MUST(nc_enddef(d.nc));
    MUST(nc_enddef(e.nc));
    T(nc_put_att_int(d.nc, d.v, "n", NC_INT, 3, (int[]){4, 5, 6}));
    T(nc_put_att_int(d.nc, d.v, "n", NC_INT, 2, (int[]){4, 5}));
    T(nc_put_att_int(d.nc, d.v, "n", NC_INT, 5, (int[]){4, 5, 6, 7, 8}));
    T(nc_put_att_int(d.nc, d.v, "fresh", NC_INT, 1, (int[]){4}));
    T(nc_rename_att(d.nc, d.v, "n", "k"));
    T(nc_rename_att(d.nc, d.v, "k", "longer"));
    T(nc_del_att(d.nc, d.v, "k"));
    T(nc_copy_att(d.nc, d.v, "fresh", e.nc, e.v));
    MUST(nc_close(d.nc));
    MUST(nc_close(e.nc));
    MUST(nc_open(place(1), NC_NOWRITE, &e.nc));
    T(nc_put_att_int(e.nc, e.v, "n", NC_INT, 3, (int[]){4, 5, 6}));
    T(nc_del_att(e.nc, e.v, "n"));
    T(nc_rename_att(e.nc, e.v, "n", "m"));
    MUST(nc_close(e.nc));
}

/* start, count and stride; the number of values that they name follows from the code. */
static void
selections(void)
{
    struct ids d = with_data(0);
    int        got[64], i = 0;
    double     dbl[64];

    memset(got, 0, sizeof got);
    memset(dbl, 0, sizeof dbl);
#define AT(...) ((const size_t[]){__VA_ARGS__})
#define BY(...) ((const ptrdiff_t[]){__VA_ARGS__})
    T(nc_get_var1_int(d.nc, d.v, AT(3, 2), got));
    T(nc_get_var1_int(d.nc, d.v, AT(4, 0), got));
    T(nc_get_var1_int(d.nc, d.v, AT(0, 3), got));
    T(nc_get_var1_int(d.nc, d.v, NULL, got));
    T(nc_put_var1_int(d.nc, d.v, NULL, got));
    T(nc_get_vara_int(d.nc, d.v, AT(0, 0), AT(4, 3), got));
    T(nc_get_vara_int(d.nc, d.v, AT(0, 0), AT(5, 3), got));
    T(nc_get_vara_int(d.nc, d.v, AT(1, 0), AT(4, 3), got));
    T(nc_get_vara_int(d.nc, d.v, AT(4, 0), AT(1, 1), got));
    T(nc_get_vara_int(d.nc, d.v, AT(4, 0), AT(0, 1), got));
    T(nc_get_vara_int(d.nc, d.v, AT(5, 0), AT(0, 1), got));
    T(nc_get_vara_int(d.nc, d.v, AT(4, 3), AT(0, 0), got));
    T(nc_get_vara_int(d.nc, d.v, AT(0, 0), AT(0, 0), got));
    T(nc_get_vara_int(d.nc, d.v, AT(0, 0), AT(0, 9), got));
    T(nc_get_vara_int(d.nc, d.v, AT(0, 0), AT((size_t)-1, 1), got));
    T(nc_get_vara_int(d.nc, d.v, AT((size_t)-1, 0), AT(1, 1), got));
    T(nc_get_vara_int(d.nc, d.v, NULL, AT(1, 1), got));
    T(nc_get_vara_int(d.nc, d.v, AT(0, 0), NULL, got));
    T(nc_get_vara_int(d.nc, d.v, AT(1, 0), NULL, got));
    T(nc_put_vara_int(d.nc, d.v, NULL, AT(1, 1), got));
    T(nc_put_vara_int(d.nc, d.v, AT(0, 0), NULL, got));
    T(nc_put_vara_int(d.nc, d.v, AT(1, 0), AT(4, 3), got));
    T(nc_put_vara_int(d.nc, d.v, AT(4, 0), AT(1, 1), got));
    T(nc_put_vara_int(d.nc, d.v, AT(4, 0), AT(0, 1), got));
    T(nc_put_vara_int(d.nc, d.v, AT(5, 0), AT(0, 1), got));
    T(nc_put_vara_int(d.nc, d.v, AT(0, 0), AT(0, 1), got));
    T(nc_put_vara_int(d.nc, d.v, AT(0, 0), AT(0, 9), got));
    T(nc_get_vars_int(d.nc, d.v, AT(0, 0), AT(2, 2), BY(2, 2), got));
    T(nc_get_vars_int(d.nc, d.v, AT(0, 0), AT(2, 2), BY(3, 2), got));
    T(nc_get_vars_int(d.nc, d.v, AT(0, 0), AT(2, 2), BY(4, 2), got));
    T(nc_get_vars_int(d.nc, d.v, AT(0, 0), AT(2, 2), BY(0, 1), got));
    T(nc_get_vars_int(d.nc, d.v, AT(0, 0), AT(2, 2), BY(-1, 1), got));
    T(nc_get_vars_int(d.nc, d.v, AT(0, 0), AT(2, 2), BY(PTRDIFF_MAX, 1), got));
    T(nc_get_vars_int(d.nc, d.v, AT(0, 0), AT(1, 1), BY(100, 100), got));
    T(nc_get_vars_int(d.nc, d.v, AT(0, 0), AT(0, 1), BY(1, 1), got));
    T(nc_get_vars_int(d.nc, d.v, AT(0, 0), AT(0, 1), BY(0, 0), got));
    T(nc_get_vars_int(d.nc, d.v, AT(4, 0), AT(0, 1), BY(1, 1), got));
    T(nc_get_vars_int(d.nc, d.v, AT(4, 0), AT(1, 1), BY(1, 1), got));
    T(nc_get_vars_int(d.nc, d.v, AT(0, 0), AT(2, 2), NULL, got));
    T(nc_get_vars_int(d.nc, d.v, AT(0, 0), NULL, NULL, got));
    T(nc_get_vars_int(d.nc, d.v, NULL, AT(1, 1), NULL, got));
    T(nc_put_vars_int(d.nc, d.v, AT(0, 0), AT(2, 2), BY(2, 2), got));
    T(nc_put_vars_int(d.nc, d.v, AT(0, 0), AT(2, 2), BY(4, 2), got));
    T(nc_put_vars_int(d.nc, d.v, AT(0, 0), AT(2, 2), BY(0, 1), got));
    T(nc_put_vars_int(d.nc, d.v, AT(0, 0), AT(2, 2), BY(-1, 1), got));
    T(nc_put_vars_int(d.nc, d.v, NULL, AT(1, 1), BY(1, 1), got));
    T(nc_get_varm_int(d.nc, d.v, AT(0, 0), AT(2, 2), BY(1, 1), BY(2, 1), got));
    T(nc_get_varm_int(d.nc, d.v, AT(0, 0), AT(2, 2), BY(1, 1), NULL, got));
    T(nc_get_varm_int(d.nc, d.v, AT(0, 0), AT(2, 2), NULL, BY(1, 2), got));
    T(nc_get_varm_int(d.nc, d.v, AT(0, 0), AT(2, 2), NULL, NULL, got));
    T(nc_get_varm_int(d.nc, d.v, AT(0, 0), AT(5, 2), NULL, BY(1, 2), got));
    T(nc_get_varm_int(d.nc, d.v, AT(4, 0), AT(1, 1), NULL, BY(1, 2), got));
    T(nc_get_varm_int(d.nc, d.v, AT(0, 0), AT(2, 2), BY(0, 1), BY(1, 2), got));
    T(nc_put_varm_int(d.nc, d.v, AT(0, 0), AT(2, 2), BY(1, 1), BY(2, 1), got));
    T(nc_put_varm_int(d.nc, d.v, AT(0, 0), AT(5, 2), BY(1, 1), BY(2, 1), got));
    T(nc_put_varm_int(d.nc, d.v, AT(0, 0), AT(2, 2), NULL, NULL, got));
    T(nc_put_varm_int(d.nc, d.v, AT(0, 0), AT(2, 2), BY(-1, 1), BY(2, 1), got));
    /* scalars */
    T(nc_get_var1_int(d.nc, d.s, NULL, got));
    T(nc_get_vara_int(d.nc, d.s, NULL, NULL, got));
    T(nc_get_vars_int(d.nc, d.s, NULL, NULL, NULL, got));
    T(nc_get_varm_int(d.nc, d.s, NULL, NULL, NULL, NULL, got));
    T(nc_put_var1_int(d.nc, d.s, NULL, &i));
    T(nc_put_vara_int(d.nc, d.s, NULL, NULL, &i));
    T(nc_put_vars_int(d.nc, d.s, NULL, NULL, NULL, &i));
    T(nc_put_varm_int(d.nc, d.s, NULL, NULL, NULL, NULL, &i));
    /* along the unlimited dimension, of length 2 */
    T(nc_get_vara_double(d.nc, d.w, AT(0, 0), AT(2, 4), dbl));
    T(nc_get_vara_double(d.nc, d.w, AT(0, 0), AT(3, 4), dbl));
    T(nc_get_vara_double(d.nc, d.w, AT(2, 0), AT(1, 4), dbl));
    T(nc_get_vara_double(d.nc, d.w, AT(2, 0), AT(0, 4), dbl));
    T(nc_get_vara_double(d.nc, d.w, AT(3, 0), AT(0, 4), dbl));
    T(nc_get_vara_double(d.nc, d.w, AT(3, 0), AT(1, 4), dbl));
    T(nc_get_var1_double(d.nc, d.w, AT(2, 0), dbl));
    T(nc_get_vars_double(d.nc, d.w, AT(0, 0), AT(2, 2), BY(2, 1), dbl));
    T(nc_get_vars_double(d.nc, d.w, AT(1, 0), AT(1, 2), BY(5, 1), dbl));
    T(nc_put_vara_double(d.nc, d.w, AT(3, 0), AT(1, 5), dbl));
    T(nc_put_vara_double(d.nc, d.w, AT(3, 4), AT(1, 0), dbl));
    T(nc_put_vara_double(d.nc, d.w, AT(9, 0), AT(0, 4), dbl));
    {
        size_t n = 0;
        T(nc_inq_dimlen(d.nc, d.t, &n));
        printf("%s: length %zu\n", section, n);
        T(nc_put_vara_double(d.nc, d.w, AT(4, 0), AT(1, 4), dbl));
        MUST(nc_inq_dimlen(d.nc, d.t, &n));
        printf("%s: length %zu\n", section, n);
        T(nc_put_vara_double(d.nc, d.w, AT(7, 1), AT(1, 0), dbl));
        MUST(nc_inq_dimlen(d.nc, d.t, &n));
        printf("%s: length %zu\n", section, n);
        T(nc_put_vars_double(d.nc, d.w, AT(5, 0), AT(2, 2), BY(3, 2), dbl));
        MUST(nc_inq_dimlen(d.nc, d.t, &n));
        printf("%s: length %zu\n", section, n);
        T(nc_put_var1_double(d.nc, d.w, AT(10, 3), dbl));
        MUST(nc_inq_dimlen(d.nc, d.t, &n));
        printf("%s: length %zu\n", section, n);
    }
    T(nc_put_vara_double(d.nc, d.w, AT((size_t)-1, 0), AT(1, 4), dbl));
    T(nc_put_vara_double(d.nc, d.w, AT((size_t)-1, 0), AT(2, 4), dbl));
    /* text and numbers */
    T(nc_get_var_int(d.nc, d.c, got));
    T(nc_put_var_int(d.nc, d.c, got));
    T(nc_get_var_text(d.nc, d.v, (char *)got));
    T(nc_put_var_text(d.nc, d.v, (char *)got));
    T(nc_get_var_text(d.nc, d.c, (char *)got));
    T(nc_get_var_uchar(d.nc, d.c, (unsigned char *)got));
    T(nc_get_var_schar(d.nc, d.c, (signed char *)got));
    T(nc_get_var_string(d.nc, d.v, (char **)got));
    T(nc_put_var_string(d.nc, d.v, (const char *[]){"a", "a", "a", "a", "a", "a", "a", "a", "a", "a", "a", "a"}));
    T(nc_get_var1_text(d.nc, d.v, AT(9, 9), (char *)got));
    T(nc_get_vara_text(d.nc, d.v, AT(9, 9), AT(1, 1), (char *)got));
    MUST(nc_close(d.nc));
}

/* In define mode, in data mode, in what is open to be read. */
static void
modes(void)
{
    struct ids d = defined(0);
    int        got[64] = {0}, i;

    T(nc_put_var_int(d.nc, d.v, got));
    T(nc_get_var_int(d.nc, d.v, got));
    T(nc_sync(d.nc));
    T(nc_redef(d.nc));
    T(nc_enddef(d.nc));
    T(nc_enddef(d.nc));
    T(nc_sync(d.nc));
    MUST(nc_close(d.nc));
    MUST(nc_open(place(0), NC_WRITE, &d.nc));
    T(nc_enddef(d.nc));
    T(nc_redef(d.nc));
    T(nc_redef(d.nc));
    T(nc_sync(d.nc));
    T(nc_enddef(d.nc));
    T(nc_put_att_text(d.nc, NC_GLOBAL, "n", 1, "x"));
    T(nc_enddef(d.nc));
    T(nc_def_dim(d.nc, "z", 3, &i));
    T(nc_redef(d.nc));
    T(nc_enddef(d.nc));
    T(nc_def_var(d.nc, "z", NC_INT, 0, NULL, &i));
    T(nc_put_var_int(d.nc, d.v, got));
    T(nc_def_var_deflate(d.nc, d.v, 0, 1, 1));
    T(nc_def_var_fill(d.nc, d.v, NC_FILL, got));
    T(nc_def_var_chunking(d.nc, d.v, NC_CHUNKED, (size_t[]){1, 1}));
    T(nc_def_var_endian(d.nc, d.v, NC_ENDIAN_BIG));
    T(nc_def_var_fletcher32(d.nc, d.v, 1));
    T(nc_put_att_int(d.nc, d.v, "_FillValue", NC_INT, 1, got));
    T(nc_put_att_int(d.nc, d.s, "_FillValue", NC_SHORT, 1, got));
    T(nc_set_fill(d.nc, NC_NOFILL, &i));
    T(nc_set_fill(d.nc, NC_FILL, &i));
    T(nc_set_fill(d.nc, 77, &i));
    T(nc_set_fill(d.nc, NC_FILL, NULL));
    MUST(nc_close(d.nc));
    MUST(nc_open(place(0), NC_NOWRITE, &d.nc));
    T(nc_put_var_int(d.nc, d.v, got));
    T(nc_put_var1_int(d.nc, d.v, AT(9, 9), got));
    T(nc_put_vara_int(d.nc, 99, AT(0, 0), AT(1, 1), got));
    T(nc_def_var(d.nc, "new", NC_INT, 0, NULL, &i));
    T(nc_rename_var(d.nc, d.v, "z"));
    T(nc_put_att_text(d.nc, NC_GLOBAL, "m", 1, "x"));
    T(nc_del_att(d.nc, NC_GLOBAL, "title"));
    T(nc_set_fill(d.nc, NC_NOFILL, &i));
    T(nc_redef(d.nc));
    T(nc_enddef(d.nc));
    T(nc_sync(d.nc));
    T(nc_def_grp(d.nc, "g", &i));
    T(nc_def_var_deflate(d.nc, d.v, 0, 1, 1));
    T(nc_abort(d.nc));
    T(nc_open(place(77), NC_NOWRITE, &i));
    T(nc_open(place(77), NC_WRITE, &i));
    T(nc_create(place(0), cmode | NC_NOCLOBBER, &i));
    T(nc_create("/nowhere/at/all", cmode, &i));
    T(nc_delete(place(77)));
}

static void
properties(void)
{
    struct ids d = defined(0);
    int        i, no_fill, level, on, shuffle;
    size_t     big[2] = {5, 3}, one[2] = {1, 1}, zero[2] = {0, 1}, huge[2] = {(size_t)-1, 1};
    double     db = 1;

    T(nc_def_var_deflate(d.nc, d.v, 0, 1, -1));
    T(nc_def_var_deflate(d.nc, d.v, 0, 1, 10));
    T(nc_def_var_deflate(d.nc, d.v, 0, 0, 99));
    T(nc_def_var_deflate(d.nc, d.v, 1, 1, 5));
    T(nc_def_var_deflate(d.nc, d.v, 1, 1, 0));
    T(nc_def_var_deflate(d.nc, d.s, 0, 1, 1));
    T(nc_def_var_deflate(d.nc, NC_GLOBAL, 0, 1, 1));
    T(nc_inq_var_deflate(d.nc, d.v, &shuffle, &on, &level));
    T(nc_inq_var_deflate(d.nc, d.v, NULL, NULL, NULL));
    T(nc_inq_var_deflate(d.nc, d.s, &shuffle, &on, &level));
    T(nc_def_var_fletcher32(d.nc, d.v, 1));
    T(nc_def_var_fletcher32(d.nc, d.v, 0));
    T(nc_def_var_fletcher32(d.nc, d.s, 1));
    T(nc_inq_var_fletcher32(d.nc, d.v, &i));
    T(nc_inq_var_fletcher32(d.nc, d.v, NULL));
    T(nc_def_var_chunking(d.nc, d.v, NC_CHUNKED, big));
    T(nc_def_var_chunking(d.nc, d.v, NC_CHUNKED, zero));
    T(nc_def_var_chunking(d.nc, d.v, NC_CHUNKED, huge));
    T(nc_def_var_chunking(d.nc, d.v, NC_CHUNKED, one));
    T(nc_def_var_chunking(d.nc, d.v, NC_CHUNKED, NULL));
    T(nc_def_var_chunking(d.nc, d.v, NC_CONTIGUOUS, NULL));
    T(nc_def_var_chunking(d.nc, d.v, 77, one));
    T(nc_def_var_chunking(d.nc, d.s, NC_CHUNKED, one));
    T(nc_def_var_chunking(d.nc, d.s, NC_CONTIGUOUS, NULL));
    T(nc_def_var_chunking(d.nc, d.w, NC_CONTIGUOUS, NULL));
    T(nc_def_var_chunking(d.nc, d.w, NC_COMPACT, NULL));
    T(nc_def_var_chunking(d.nc, d.c, NC_COMPACT, NULL));
    T(nc_def_var_chunking(d.nc, d.c, NC_CONTIGUOUS, NULL));
    T(nc_inq_var_chunking(d.nc, d.c, &i, NULL));
    printf("%s: storage %d\n", section, i);
    T(nc_inq_var_chunking(d.nc, d.v, NULL, NULL));
    T(nc_def_var_deflate(d.nc, d.c, 0, 1, 1));
    T(nc_inq_var_chunking(d.nc, d.c, &i, NULL));
    printf("%s: storage %d\n", section, i);
    T(nc_def_var_endian(d.nc, d.v, NC_ENDIAN_BIG));
    T(nc_def_var_endian(d.nc, d.v, 77));
    T(nc_def_var_endian(d.nc, d.c, NC_ENDIAN_BIG));
    T(nc_inq_var_endian(d.nc, d.v, &i));
    printf("%s: endian %d\n", section, i);
    T(nc_inq_var_endian(d.nc, d.v, NULL));
    T(nc_def_var_fill(d.nc, d.v, NC_FILL, NULL));
    T(nc_def_var_fill(d.nc, d.v, NC_NOFILL, NULL));
    T(nc_def_var_fill(d.nc, d.v, 77, NULL));
    T(nc_def_var_fill(d.nc, NC_GLOBAL, NC_FILL, &i));
    T(nc_def_var_fill(d.nc, NC_GLOBAL, NC_NOFILL, NULL));
    T(nc_def_var_fill(d.nc, d.w, NC_FILL, &db));
    T(nc_inq_var_fill(d.nc, d.w, &no_fill, &db));
    T(nc_inq_var_fill(d.nc, d.w, NULL, NULL));
    T(nc_inq_var_fill(d.nc, d.v, &no_fill, &i));
    T(nc_def_var_quantize(d.nc, d.w, NC_QUANTIZE_BITGROOM, 3));
    T(nc_def_var_quantize(d.nc, d.w, NC_QUANTIZE_BITGROOM, 0));
    T(nc_def_var_quantize(d.nc, d.w, NC_QUANTIZE_BITGROOM, 16));
    T(nc_def_var_quantize(d.nc, d.w, 77, 3));
    T(nc_def_var_quantize(d.nc, d.w, NC_NOQUANTIZE, 0));
    T(nc_def_var_quantize(d.nc, d.v, NC_QUANTIZE_GRANULARBR, 3));
    T(nc_def_var_quantize(d.nc, NC_GLOBAL, NC_QUANTIZE_GRANULARBR, 3));
    T(nc_inq_var_quantize(d.nc, d.w, &i, &on));
    T(nc_inq_var_quantize(d.nc, d.w, NULL, NULL));
    T(nc_set_var_chunk_cache(d.nc, d.v, 1000, 10, 0.5f));
    T(nc_set_var_chunk_cache(d.nc, d.v, 1000, 10, 1.5f));
    T(nc_set_var_chunk_cache(d.nc, d.v, 1000, 10, -1.f));
    T(nc_set_var_chunk_cache(d.nc, 99, 1000, 10, 0.5f));
    T(nc_get_var_chunk_cache(d.nc, d.v, NULL, NULL, NULL));
    T(nc_set_chunk_cache(1000, 10, 1.5f));
    T(nc_set_chunk_cache(4194304, 1009, 0.75f));
    T(nc_def_var_szip(d.nc, d.v, 32, 8));
    T(nc_inq_var_szip(d.nc, d.v, &i, &on));
    T(nc_def_var_filter(d.nc, d.v, 99999, 0, NULL));
    T(nc_inq_var_filter_ids(d.nc, d.v, NULL, NULL));
    T(nc_inq_var_filter(d.nc, d.w, NULL, NULL, NULL));
    T(nc_inq_var_filter_info(d.nc, d.v, 777, NULL, NULL));
    MUST(nc_enddef(d.nc));
    T(nc_def_var_deflate(d.nc, d.c, 0, 1, 1));
    T(nc_def_var_chunking(d.nc, d.w, NC_CHUNKED, one));
    T(nc_def_var_endian(d.nc, d.w, NC_ENDIAN_LITTLE));
    T(nc_def_var_fill(d.nc, d.w, NC_FILL, &db));
    T(nc_def_var_fletcher32(d.nc, d.w, 1));
    T(nc_def_var_quantize(d.nc, d.w, NC_QUANTIZE_BITGROOM, 3));
    MUST(nc_close(d.nc));
}

static void
groups(void)
{
    struct ids d = defined(0);
    int        g = -1, h = -1, i, ids[20];
    size_t     n;
    char       name[300], long_name[NC_MAX_NAME + 20];

    memset(long_name, 'a', sizeof long_name);
    long_name[NC_MAX_NAME + 1] = '\0';
    T(nc_def_grp(d.nc, "g", &g));
    T(nc_def_grp(d.nc, "g", &i));
    T(nc_def_grp(d.nc, "v", &i));
    T(nc_def_grp(d.nc, NULL, &i));
    T(nc_def_grp(d.nc, "", &i));
    T(nc_def_grp(d.nc, "a/b", &i));
    T(nc_def_grp(d.nc, long_name, &i));
    T(nc_def_grp(d.nc, "noid", NULL));
    T(nc_inq_grps(d.nc, &i, ids));
    T(nc_inq_grps(d.nc, NULL, NULL));
    T(nc_inq_grp_parent(d.nc, &i));
    T(nc_inq_grpname(d.nc, name));
    T(nc_inq_grpname_full(d.nc, &n, name));
    T(nc_inq_grpname_len(d.nc, &n));
    T(nc_inq_ncid(d.nc, NULL, &i));
    T(nc_inq_ncid(d.nc, "none", &i));
    T(nc_inq_ncid(d.nc, "g", &i));
    T(nc_inq_grp_ncid(d.nc, "none", &i));
    T(nc_inq_grp_ncid(d.nc, NULL, &i));
    T(nc_inq_grp_full_ncid(d.nc, "/none", &i));
    T(nc_inq_grp_full_ncid(d.nc, NULL, &i));
    T(nc_inq_grp_full_ncid(d.nc, "/", &i));
    T(nc_inq_grp_full_ncid(d.nc, "", &i));
    T(nc_rename_grp(d.nc, "root"));
    if (g >= 0) {
        T(nc_def_grp(g, "h", &h));
        T(nc_def_dim(g, "x", 9, &i));
        T(nc_inq_dimid(h, "x", &i));
        T(nc_inq_dimid(h, "y", &i));
        T(nc_inq_dimid(h, "none", &i));
        T(nc_def_var(h, "v", NC_INT, 1, &d.y, &i));
        T(nc_def_var(h, "v", NC_INT, 1, &d.y, &i));
        T(nc_inq_varid(h, "v", &i));
        T(nc_inq_varid(g, "v", &i));
        T(nc_inq_varid(d.nc, "g/h/v", &i));
        T(nc_inq_varid(d.nc, "/g/h/v", &i));
        T(nc_def_grp(d.nc, "x", &i));
        T(nc_def_var(d.nc, "g", NC_INT, 0, NULL, &i));
        T(nc_inq_grp_full_ncid(d.nc, "/g/h", &i));
        T(nc_inq_grp_full_ncid(g, "/g", &i));
        T(nc_inq_grp_full_ncid(d.nc, "g", &i));
        T(nc_inq_grp_full_ncid(d.nc, "/g/", &i));
        T(nc_rename_grp(g, "v"));
        T(nc_rename_grp(g, "g"));
        T(nc_rename_grp(g, NULL));
        T(nc_rename_grp(g, ""));
        T(nc_rename_grp(g, "a/b"));
        T(nc_rename_grp(g, "k"));
        T(nc_inq_dimids(h, &i, NULL, 0));
        T(nc_inq_dimids(h, &i, ids, 1));
        T(nc_inq_varids(h, &i, ids));
        T(nc_inq_unlimdims(h, &i, ids));
        printf("%s: unlimited, seen from below: %d\n", section, i);
        T(nc_inq_unlimdim(h, &i));
        T(nc_redef(h));
        T(nc_enddef(h));
        T(nc_sync(h));
        T(nc_set_fill(h, NC_NOFILL, &i));
        T(nc_inq_format(h, &i));
        T(nc_close(h));
    }
    (void)nc_close(d.nc);
}

static void
user_types(void)
{
    struct ids d = defined(0);
    nc_type    c = -1, e = -1, v = -1, o = -1, t = -1;
    int        i, class, n[2] = {2, 2};
    size_t     size, nf;
    char       name[NC_MAX_NAME + 1];

    T(nc_def_compound(d.nc, 8, "com", &c));
    T(nc_insert_compound(d.nc, c, "a", 0, NC_INT));
    T(nc_insert_compound(d.nc, c, "a", 4, NC_INT));
    T(nc_insert_compound(d.nc, c, "b", 4, NC_INT));
    T(nc_insert_compound(d.nc, c, NULL, 4, NC_INT));
    T(nc_insert_compound(d.nc, c, "", 4, NC_INT));
    T(nc_insert_compound(d.nc, c, "a/b", 4, NC_INT));
    T(nc_insert_compound(d.nc, c, "z", 4, 99));
    T(nc_insert_compound(d.nc, 99, "z", 4, NC_INT));
    T(nc_insert_compound(d.nc, NC_INT, "z", 4, NC_INT));
    T(nc_insert_array_compound(d.nc, 99, "z", 4, NC_INT, 1, n));
    T(nc_def_compound(d.nc, 8, "com", &t));
    T(nc_def_compound(d.nc, 8, NULL, &t));
    T(nc_def_compound(d.nc, 8, "", &t));
    T(nc_def_compound(d.nc, 8, "a/b", &t));
    T(nc_def_compound(d.nc, 0, "zero", &t));
    T(nc_def_enum(d.nc, NC_INT, "e", &e));
    T(nc_insert_enum(d.nc, e, "one", (int[]){1}));
    T(nc_insert_enum(d.nc, e, "one", (int[]){2}));
    T(nc_insert_enum(d.nc, e, "other", (int[]){1}));
    T(nc_insert_enum(d.nc, e, NULL, (int[]){3}));
    T(nc_insert_enum(d.nc, e, "", (int[]){3}));
    T(nc_insert_enum(d.nc, 99, "x", (int[]){3}));
    T(nc_insert_enum(d.nc, c, "x", (int[]){3}));
    T(nc_insert_enum(d.nc, NC_INT, "x", (int[]){3}));
    T(nc_def_enum(d.nc, NC_FLOAT, "f", &t));
    T(nc_def_enum(d.nc, NC_STRING, "f", &t));
    T(nc_def_enum(d.nc, NC_CHAR, "f2", &t));
    T(nc_def_enum(d.nc, 99, "f", &t));
    T(nc_def_enum(d.nc, NC_INT, "e", &t));
    T(nc_def_vlen(d.nc, "l", NC_INT, &v));
    T(nc_def_vlen(d.nc, "l", NC_INT, &t));
    T(nc_def_vlen(d.nc, "l2", 99, &t));
    T(nc_def_vlen(d.nc, NULL, NC_INT, &t));
    T(nc_def_opaque(d.nc, 5, "o", &o));
    T(nc_def_opaque(d.nc, 5, "o", &t));
    T(nc_def_opaque(d.nc, 0, "o0", &t));
    T(nc_def_opaque(d.nc, 5, NULL, &t));
    T(nc_inq_typeids(d.nc, &i, NULL));
    T(nc_inq_user_type(d.nc, c, name, &size, &t, &nf, &class));
    T(nc_inq_user_type(d.nc, NC_INT, name, &size, &t, &nf, &class));
    T(nc_inq_user_type(d.nc, 99, name, &size, &t, &nf, &class));
    T(nc_inq_compound(d.nc, c, name, &size, &nf));
    T(nc_inq_compound(d.nc, e, name, &size, &nf));
    T(nc_inq_compound(d.nc, NC_INT, name, &size, &nf));
    T(nc_inq_compound_nfields(d.nc, 99, &nf));
    T(nc_inq_compound_field(d.nc, c, 0, name, &size, &t, &i, n));
    T(nc_inq_compound_field(d.nc, c, 2, name, &size, &t, &i, n));
    T(nc_inq_compound_field(d.nc, c, -1, name, &size, &t, &i, n));
    T(nc_inq_compound_fieldindex(d.nc, c, "b", &i));
    T(nc_inq_compound_fieldindex(d.nc, c, "none", &i));
    T(nc_inq_compound_fieldname(d.nc, c, 9, name));
    T(nc_inq_compound_fieldtype(d.nc, c, 0, &t));
    T(nc_inq_compound_fieldndims(d.nc, c, 0, &i));
    T(nc_inq_compound_fieldoffset(d.nc, c, 9, &size));
    T(nc_inq_enum(d.nc, e, name, &t, &size, &nf));
    T(nc_inq_enum(d.nc, c, name, &t, &size, &nf));
    T(nc_inq_enum_member(d.nc, e, 0, name, &i));
    T(nc_inq_enum_member(d.nc, e, 9, name, &i));
    T(nc_inq_enum_member(d.nc, e, -1, name, &i));
    T(nc_inq_enum_member(d.nc, c, 0, name, &i));
    T(nc_inq_enum_ident(d.nc, e, 1, name));
    T(nc_inq_enum_ident(d.nc, e, 77, name));
    T(nc_inq_enum_ident(d.nc, e, 0, name));
    T(nc_inq_enum_ident(d.nc, c, 1, name));
    T(nc_inq_vlen(d.nc, v, name, &size, &t));
    T(nc_inq_vlen(d.nc, c, name, &size, &t));
    T(nc_inq_opaque(d.nc, o, name, &size));
    T(nc_inq_typeid(d.nc, "com", &t));
    T(nc_inq_typeid(d.nc, "none", &t));
    T(nc_inq_typeid(d.nc, "int", &t));
    T(nc_inq_type(d.nc, c, name, &size));
    T(nc_def_var(d.nc, "vc", c, 0, NULL, &i));
    T(nc_get_var_int(d.nc, i, n));
    T(nc_get_var_text(d.nc, i, name));
    T(nc_put_var_int(d.nc, i, n));
    T(nc_put_att_int(d.nc, NC_GLOBAL, "ac", c, 1, n));
    T(nc_put_att(d.nc, NC_GLOBAL, "ac", c, 1, n));
    T(nc_get_att_int(d.nc, NC_GLOBAL, "ac", n));
    T(nc_get_att_text(d.nc, NC_GLOBAL, "ac", name));
    T(nc_def_var_deflate(d.nc, i, 0, 1, 1));
    (void)nc_close(d.nc);
}

/* Every pair of types, each value: what is stored and read, and NC_ERANGE. */
static const struct {
    nc_type     type;
    const char *name;
} atomic[] = {{NC_BYTE, "byte"},     {NC_SHORT, "short"},  {NC_INT, "int"},       {NC_FLOAT, "float"},
              {NC_DOUBLE, "double"}, {NC_UBYTE, "ubyte"},  {NC_USHORT, "ushort"}, {NC_UINT, "uint"},
              {NC_INT64, "int64"},   {NC_UINT64, "uint64"}};
enum { ATOMIC = sizeof atomic / sizeof *atomic };

static int
put_as(int nc, int var, nc_type as, double value)
{
    size_t at = 0;

    switch (as) {
    case NC_BYTE: return nc_put_var1_schar(nc, var, &at, (signed char[]){(signed char)value});
    case NC_UBYTE: return nc_put_var1_uchar(nc, var, &at, (unsigned char[]){(unsigned char)value});
    case NC_SHORT: return nc_put_var1_short(nc, var, &at, (short[]){(short)value});
    case NC_USHORT: return nc_put_var1_ushort(nc, var, &at, (unsigned short[]){(unsigned short)value});
    case NC_INT: return nc_put_var1_int(nc, var, &at, (int[]){(int)value});
    case NC_UINT: return nc_put_var1_uint(nc, var, &at, (unsigned[]){(unsigned)value});
    case NC_INT64: return nc_put_var1_longlong(nc, var, &at, (long long[]){(long long)value});
    case NC_UINT64: return nc_put_var1_ulonglong(nc, var, &at, (unsigned long long[]){(unsigned long long)value});
    case NC_FLOAT: return nc_put_var1_float(nc, var, &at, (float[]){(float)value});
    default: return nc_put_var1_double(nc, var, &at, &value);
    }
}

static int
get_as(int nc, int var, nc_type as)
{
    union {
        signed char        sc;
        unsigned char      uc;
        short              s;
        unsigned short     us;
        int                i;
        unsigned           u;
        long long          ll;
        unsigned long long ull;
        float              f;
        double             d;
    } b;
    size_t at = 0;

    switch (as) {
    case NC_BYTE: return nc_get_var1_schar(nc, var, &at, &b.sc);
    case NC_UBYTE: return nc_get_var1_uchar(nc, var, &at, &b.uc);
    case NC_SHORT: return nc_get_var1_short(nc, var, &at, &b.s);
    case NC_USHORT: return nc_get_var1_ushort(nc, var, &at, &b.us);
    case NC_INT: return nc_get_var1_int(nc, var, &at, &b.i);
    case NC_UINT: return nc_get_var1_uint(nc, var, &at, &b.u);
    case NC_INT64: return nc_get_var1_longlong(nc, var, &at, &b.ll);
    case NC_UINT64: return nc_get_var1_ulonglong(nc, var, &at, &b.ull);
    case NC_FLOAT: return nc_get_var1_float(nc, var, &at, &b.f);
    default: return nc_get_var1_double(nc, var, &at, &b.d);
    }
}

/* Whether a C type holds the value, so that the conversion in put_as() is defined. */
static int
holds(nc_type type, double value)
{
    switch (type) {
    case NC_BYTE: return value >= -128 && value <= 127;
    case NC_UBYTE: return value >= 0 && value <= 255;
    case NC_SHORT: return value >= -32768 && value <= 32767;
    case NC_USHORT: return value >= 0 && value <= 65535;
    case NC_INT: return value >= -2147483648.0 && value <= 2147483647.0;
    case NC_UINT: return value >= 0 && value <= 4294967295.0;
    case NC_INT64: return value >= -9223372036854775808.0 && value < 9223372036854775808.0;
    case NC_UINT64: return value >= 0 && value < 18446744073709551616.0;
    case NC_FLOAT: return isnan(value) || fabs(value) <= FLT_MAX || isinf(value);
    default: return 1;
    }
}

static void
conversions(void)
{
    static const double values[] = {
        0,      1.75,       -1,           -1.75,        127,          128,           200,           255,
        256,    -128,       -129,         32767,        32768,        65535,         65536,         -32768,
        -32769, 2147483647, 2147483648.0, 4294967295.0, 4294967296.0, -2147483648.0, -2147483649.0, 9.2e18,
        9.3e18, 1.8e19,     2e19,         -9.2e18,      -9.3e18,      1e38,          1e39,          -1e39,
        1e300};
    int nc, vars[ATOMIC], x;

    MUST(nc_create(place(0), cmode | NC_CLOBBER, &nc));
    MUST(nc_def_dim(nc, "x", 1, &x));
    for (int i = 0; i < ATOMIC; i++)
        if (nc_def_var(nc, atomic[i].name, atomic[i].type, 1, &x, &vars[i]) != NC_NOERR)
            vars[i] = -1;
    MUST(nc_enddef(nc));
    for (int to = 0; to < ATOMIC; to++)
        for (int from = 0; from < ATOMIC && vars[to] >= 0; from++)
            for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
                double stored = 0;
                size_t at = 0;
                int    rc;

                if (!holds(atomic[from].type, values[k]))
                    continue;
                rc = put_as(nc, vars[to], atomic[from].type, values[k]);
                printf("%s: %s into %s: %.9g: %d", section, atomic[from].name, atomic[to].name, values[k], rc);
                MUST(nc_get_var1_double(nc, vars[to], &at, &stored));
                if (rc == NC_NOERR)
                    printf(", stored %.9g", stored);
                printf("\n");
            }
    for (int from = 0; from < ATOMIC; from++)
        for (int as = 0; as < ATOMIC && vars[from] >= 0; as++)
            for (size_t k = 0; k < sizeof values / sizeof *values; k++)
                if (holds(atomic[from].type, values[k])) {
                    MUST(put_as(nc, vars[from], atomic[from].type, values[k]));
                    printf("%s: %s read as %s: %.9g: %d\n", section, atomic[from].name, atomic[as].name, values[k],
                           get_as(nc, vars[from], atomic[as].type));
                }
    MUST(nc_close(nc));
}

/* ---- the program ----------------------------------------------------------------------------------------------- */

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } sections[] = {{"bad_ids", bad_ids},
                    {"dimensions", dimensions},
                    {"late_dimensions", late_dimensions},
                    {"variables", variables},
                    {"late_variables", late_variables},
                    {"attributes", attributes},
                    {"late_attributes", late_attributes},
                    {"selections", selections},
                    {"modes", modes},
                    {"properties", properties},
                    {"groups", groups},
                    {"user_types", user_types},
                    {"conversions", conversions}};

    static const struct {
        const char *name;
        int         cmode;
    } models[] = {{"netcdf4", NC_NETCDF4},
                  {"classic", NC_NETCDF4 | NC_CLASSIC_MODEL},
                  {"cdf1", 0},
                  {"cdf2", NC_64BIT_OFFSET},
                  {"cdf5", NC_64BIT_DATA}};
    size_t model = 0;

    while (argc == 4 && model < sizeof models / sizeof *models && strcmp(argv[3], models[model].name) != 0)
        model++;
    if (argc != 4 || model == sizeof models / sizeof *models)
        return 2;
    folder = argv[1];
    suffix = argv[2];
    cmode = models[model].cmode;
    no_name = model < 2 ? NULL : "";
    no_int = model < 2 ? NULL : &(int){0};
    no_text = model < 2 ? NULL : (char[NC_MAX_NAME + 1]){0};
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* of a call that crashes the output before it is there */
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        int   status = 0;
        pid_t child;

        section = sections[i].name;
        if (sections[i].run == user_types && model == 1)
            continue; /* it has none, and netCDF-C's codes say so in many ways */
        fflush(stdout);
        child = fork(); /* so that a section that crashes ends alone */
        if (child == 0) {
            sections[i].run();
            fflush(stdout);
            _exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
            printf("%s: ended with status %d\n", section, status);
    }
    return 0;
}
