/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_api_errors: every public function that takes an ncid or plain values, in datasets of each state, with right
 * arguments and with one or two wrong ones. It must succeed, or return an error that include/errors.txt lists for it,
 * with a text. What gets return is not released: run without leak detection.
 *
 * usage: test_api_errors [FUNCTION]   that function alone, each call printed
 */
#include "api_test.h"

#include <errno.h>
#include <limits.h>

#include "errors_arguments.h"
#include "support/scratch.h"

static const char *const base_names[] = {"define",    "define v3",      "data",
                                         "read-only", "classic define", "classic data"};

enum { BLOCK_V2, BLOCK_V3, BLOCK_CLASSIC, BLOCK_COUNT };

static NC_memio blocks[BLOCK_COUNT];

static bool   verbose, few;
static FILE  *log_file;
static size_t ncalls, nsurprises;

/* ---- datasets ------------------------------------------------------------------------------------------------- */

static void
make_types(int ncid)
{
    struct pair {
        int    a;
        double b;
    };
    nc_type t;
    int     one = 1;

    OK(nc_def_compound(ncid, sizeof(struct pair), "pair", &t));
    assert_int_equal(t, T_COMPOUND);
    OK(nc_insert_compound(ncid, t, "a", offsetof(struct pair, a), NC_INT));
    OK(nc_insert_compound(ncid, t, "b", offsetof(struct pair, b), NC_DOUBLE));
    OK(nc_def_enum(ncid, NC_INT, "choice", &t));
    OK(nc_insert_enum(ncid, t, "one", &one));
    OK(nc_def_vlen(ncid, "sequence", NC_INT, &t));
    OK(nc_def_opaque(ncid, 8, "bytes", &t));
    assert_int_equal(t, T_OPAQUE);
}

static void
make_block(const char *path, int cmode, NC_memio *block)
{
    bool               classic = (cmode & NC_CLASSIC_MODEL) != 0;
    int                ncid, group, d, u, varid, dims[2], small = 7, smalls[4] = {1, 2, 3, 4};
    double             huge = 1e300, values[4] = {1e300, -1, 1e30, 3};
    float              floats[4] = {1e30f, 2, 3, 4};
    signed char        bytes[4] = {-1, 2, 3, 4};
    const char        *text = "text", *texts[4] = {"a", "b", "c", "d"};
    size_t             start[2] = {0, 0}, count[2] = {1, 4};
    unsigned long long ulongs[4] = {1ULL << 63, 2, 3, 4};

    OK(nc_create_mem(path, cmode, 0, &ncid));
    OK(nc_def_dim(ncid, "d", 4, &d));
    OK(nc_def_dim(ncid, "u", NC_UNLIMITED, &u));
    OK(nc_def_dim(ncid, "longer_name", 3, NULL));
    dims[0] = u;
    dims[1] = d;
    if (!classic) {
        make_types(ncid);
        OK(nc_def_grp(ncid, "g", &group));
        OK(nc_def_grp(group, "inner", NULL));
    }
    OK(nc_def_var(ncid, "v", NC_INT, 1, &d, &varid));
    OK(nc_def_var_deflate(ncid, varid, 0, 1, 1));
    OK(nc_def_var(ncid, "c", NC_CHAR, 1, &d, &varid));
    OK(nc_def_var(ncid, "s", classic ? NC_CHAR : NC_STRING, 1, &d, &varid));
    OK(nc_def_var(ncid, "r", NC_FLOAT, 2, dims, &varid));
    OK(nc_def_var(ncid, "x", NC_DOUBLE, 1, &d, &varid));
    OK(nc_def_var(ncid, "b", NC_BYTE, 1, &d, &varid));
    OK(nc_def_var(ncid, "l", classic ? NC_INT : NC_UINT64, 1, &d, &varid));
    OK(nc_def_var(ncid, "z", NC_INT, 0, NULL, &varid));
    OK(nc_def_var(ncid, "p", classic ? NC_INT : T_COMPOUND, 1, &d, &varid));
    assert_int_equal(varid, V_COMPOUND);
    for (varid = NC_GLOBAL; varid <= V_COMPOUND; varid++) {
        OK(nc_put_att_int(ncid, varid, "number", NC_INT, 1, &small));
        OK(nc_put_att_double(ncid, varid, "huge", NC_DOUBLE, 1, &huge));
        OK(nc_put_att_text(ncid, varid, "text", 4, text));
        if (!classic)
            OK(nc_put_att_string(ncid, varid, "string", 1, &text));
    }
    OK(nc_enddef(ncid));
    OK(nc_put_var_int(ncid, V_INT, smalls));
    OK(nc_put_var_text(ncid, V_CHAR, "text"));
    if (!classic) {
        OK(nc_put_var_string(ncid, V_STRING, texts));
        OK(nc_put_var_ulonglong(ncid, V_ULONG, ulongs));
    }
    OK(nc_put_vara_float(ncid, V_RECORD, start, count, floats));
    OK(nc_put_var_double(ncid, V_DOUBLE, values));
    OK(nc_put_var_schar(ncid, V_BYTE, bytes));
    OK(nc_put_var_int(ncid, V_SCALAR, &small));
    OK(nc_close_memio(ncid, block));
}

/* A dataset of its own for one call. */
static void
open_base(base b, opened *o)
{
    int       ncid, varid, d = 0, one = 1;
    nc_type   t;
    NC_memio  copy;
    NC_memio *block = &blocks[b == BASE_DEFINE_3 ? BLOCK_V3 : b >= BASE_CLASSIC_DEFINE ? BLOCK_CLASSIC : BLOCK_V2];

    copy = *block;
    copy.flags = 0;
    assert_non_null(copy.memory = malloc(block->size));
    memcpy(copy.memory, block->memory, block->size);
    OK(nc_open_memio("x.zip", b == BASE_READ ? NC_NOWRITE : NC_WRITE, &copy, &ncid));
    if (b <= BASE_DEFINE_3) {
        OK(nc_def_var(ncid, "new_int", NC_INT, 1, &d, &varid));
        OK(nc_def_var(ncid, "new_float", NC_FLOAT, 1, &d, &varid));
        OK(nc_def_var(ncid, "new_string", NC_STRING, 1, &d, &varid));
        assert_int_equal(varid, V_NEW_STRING);
        OK(nc_def_compound(ncid, 16, "new_pair", &t));
        OK(nc_insert_compound(ncid, t, "a", 8, NC_INT));
        OK(nc_def_enum(ncid, NC_INT, "new_choice", &t));
        OK(nc_insert_enum(ncid, t, "one", &one));
        assert_int_equal(t, T_NEW_ENUM);
    }
    if (b == BASE_CLASSIC_DEFINE)
        OK(nc_redef(ncid));
    *o = (opened){b, ncid, -1};
    if (b < BASE_CLASSIC_DEFINE)
        OK(nc_inq_grp_ncid(ncid, "g", &o->group));
}

/* ---- calls ---------------------------------------------------------------------------------------------------- */

static bool
is_netcdf2(const char *name)
{
    return name[2] != '_' && strncmp(name, "nczarr_", 7) != 0 && strncmp(name, "ncaux_", 6) != 0;
}

static void
describe(const function *f, base b, const value *v, int code, const char *text)
{
    char shown[300];

    printf("%s (%s):", f->name, base_names[b]);
    for (int i = 0; i < ERRORS_PARAMS && f->params[i] != NULL; i++)
        printf(" %s=%s", f->params[i], errors_show(&v[i], f->kinds[i], shown, sizeof shown));
    printf(" -> %d %s\n", code, text);
}

static bool
is_listed(const function *f, int code)
{
    for (int i = 0; i < ERRORS_CODES && f->codes[i] != 0; i++)
        if (f->codes[i] == code)
            return true;
    for (int i = 0; errors_common[i] != 0; i++)
        if (errors_common[i] == code)
            return true;
    return code == NC_NOERR;
}

/* Whether a dataset can be used again after the call, which changes at most the values of a variable. */
static bool
leaves_as_it_was(const function *f, base b)
{
    bool defining = b == BASE_DEFINE || b == BASE_DEFINE_3;
    bool inquires = has_text(f->name, "inq") || (has_text(f->name, "get") && !defining); /* a get ends define mode */
    bool puts = has_text(f->name, "put_var") || has_text(f->name, "ncvarput");

    if (has_text(f->name, "close") || has_text(f->name, "abort"))
        return false;
    return b == BASE_READ || inquires || (puts && !defining);
}

/* Whether other values of parameter j depend on the other value (v) of parameter i. */
static bool
go_together(const function *f, int i, int j, const value *v)
{
    switch (f->kinds[j]) {
    case ARG_IN:
    case ARG_SIZE:
    case ARG_LENGTHS:
    case ARG_INTS:
    case ARG_TYPE:
    case ARG_DIMS: return true;
    case ARG_INT:
    case ARG_TEXT:
    case ARG_NAME: return f->kinds[i] == ARG_VARID && (v->i == NC_GLOBAL || v->i == V_STRING || v->i == V_NEW_INT);
    case ARG_START:
    case ARG_COUNT:
    case ARG_LSTART:
    case ARG_LCOUNT: return f->kinds[i] == ARG_VARID && (v->i == V_RECORD || v->i == V_SCALAR);
    default: return false;
    }
}

static opened now = {.ncid = -1}; /* left open by the last call */

static void
drop_open(void)
{
    if (now.ncid >= 0)
        (void)nc_abort(now.ncid);
    now.ncid = -1;
}

/* One call, parameter i (and j) with its k-th (l-th) other value; -1: none. False: there is no such value. */
static bool
call_once(const function *f, base b, int i, int k, int j, int l)
{
    value v[ERRORS_PARAMS];
    int   code;
    bool  there = true;
    char  text[300] = "";

    if (now.ncid < 0 || now.base != b) {
        drop_open();
        open_base(b, &now);
    }
    for (int p = 0; p < ERRORS_PARAMS; p++)
        v[p] = errors_right(f, p, &now);
    if (i >= 0)
        there = errors_other(f, i, k, &now, &v[i]);
    if (j >= 0 && there)
        there = errors_other(f, j, l, &now, &v[j]);
    if (there && !errors_follow_rubbish(f, v)) {
        ncerr = NC_NOERR;
        code = f->call(v);
        snprintf(text, sizeof text, "%s", nczarr_errmsg());
        if (is_netcdf2(f->name))
            code = code == -1 ? ncerr : NC_NOERR;
        ncalls++;
        if (log_file != NULL)
            fprintf(log_file, "%s %d\n", f->name, code);
        if (!leaves_as_it_was(f, b))
            drop_open();
        if (verbose || !is_listed(f, code) || (code != NC_NOERR && text[0] == '\0')) {
            describe(f, b, v, code, text);
            nsurprises += !is_listed(f, code) || (code != NC_NOERR && text[0] == '\0');
        }
    }
    OK(nc_set_default_format(NC_FORMAT_NETCDF4, NULL));
    (void)nc_set_log_level(-1);
    (void)nc_set_chunk_cache(1 << 20, 100, 0.5F);
    return there;
}

/* Whether two parameters at a time have other values. In the short run they have in two states, in which all errors
 * come that need it, and of the others in half. */
static bool
takes_two(const function *f, base b)
{
    if (b == BASE_DATA)
        return true;
    if (few || b == BASE_DEFINE_3)
        return false;
    return b == BASE_DEFINE || test_drawn((size_t)(f - errors_functions) + (size_t)b, 2);
}

static void
call_all(const function *f, base b)
{
    bool  two = takes_two(f, b);
    value v;

    call_once(f, b, -1, 0, -1, 0);
    for (int i = 0; i < ERRORS_PARAMS && f->params[i] != NULL; i++)
        for (int k = 0; call_once(f, b, i, k, -1, 0); k++) {
            if ((f->kinds[i] != ARG_VARID && f->kinds[i] != ARG_TYPE) || !two)
                continue;
            (void)errors_other(f, i, k, &now, &v);
            for (int j = i + 1; j < ERRORS_PARAMS && f->params[j] != NULL; j++)
                if (go_together(f, i, j, &v))
                    for (int l = 0; call_once(f, b, i, k, j, l); l++)
                        continue;
        }
}

static const char *only;

/* Under sanitizers one type in the memory of a program stands for all numbers. */
static bool
is_left_out(const function *f)
{
    static const char *const types[] = {"uchar",  "schar", "short", "long",  "float",
                                        "double", "ubyte", "uint",  "ushort"};
    const char              *end = strrchr(f->name, '_');

    if (only != NULL)
        return strcmp(only, f->name) != 0;
    for (size_t i = 0; few && end != NULL && i < sizeof types / sizeof *types; i++)
        if (has_text(end, types[i]))
            return true;
    return false;
}

TEST(every_function_returns_what_is_listed)
{
    make_block("x.zip", 0, &blocks[BLOCK_V2]);
    make_block("file://x.zip#mode=nczarr,v3,zip", 0, &blocks[BLOCK_V3]);
    make_block("x.zip", NC_CLASSIC_MODEL, &blocks[BLOCK_CLASSIC]);
    for (const function *f = errors_functions; f->name != NULL; f++)
        if (!is_left_out(f))
            for (base b = 0; b < BASE_COUNT; b++)
                call_all(f, b);
    drop_open();
    for (int i = 0; i < BLOCK_COUNT; i++)
        free(blocks[i].memory);
    printf("%zu calls, %zu surprises\n", ncalls, nsurprises);
    assert_int_equal(nsurprises, 0);
}

/* A code's name is what the header calls it, and it has a text. */
TEST(every_code_has_a_name)
{
    size_t n = 0;

    for (const named_code *c = errors_codes; c->name != NULL; c++, n++) {
        assert_string_equal(nczarr_errname(c->code), c->name);
        assert_true(c->code == NC_EXDR || strcmp(nc_strerror(c->code), "Unknown Error") != 0);
    }
    assert_true(n > 80);
    assert_string_equal(nczarr_errname(NC_NOERR), "NC_NOERR");
    assert_string_equal(nczarr_errname(ENOSPC), "ENOSPC");
    assert_string_equal(nczarr_errname(99999), "errno");
    assert_string_equal(nczarr_errname(-99999), "unknown");
}

int
main(int argc, char **argv)
{
    const char *log = getenv("NCZARR_TEST_CALLS");

    ncopts = 0;
    errors_fill_arrays();
    only = argc > 1 ? argv[1] : NULL;
    verbose = only != NULL;
    few = getenv("NCZ_TEST_FEW") != NULL; /* under sanitizers: two other values together in one state alone */
    if (log != NULL)
        log_file = fopen(log, "a");
    if (log_file != NULL)
        (void)setvbuf(log_file, NULL, _IOLBF, 256); /* whole lines: other tests write there at the same time */
    return run_file_tests(NULL, NULL);
}
