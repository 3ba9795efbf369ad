/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench: one workload, once, through the nc_* API: `bench WORKLOAD PATH [--scale 1/N] [--threads N] [--durable]`.
 * Prints one line of JSON; a wrong checksum is a failure. `bench describe - [--scale 1/N]` prints the sizes, for the
 * programs in other languages.
 *
 * Only netCDF's own functions are called, so that the same file measures netcdf-c when it is compiled with
 * -DBENCH_NETCDF and linked with that. Timed: open or create, the data calls, close; nothing else.
 */
#ifdef BENCH_NETCDF
#include <netcdf.h>
#include <netcdf_filter.h>
#else
#include "nczarr.h"
#endif

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workload.h"

#ifdef BENCH_NETCDF
static const bool is_netcdf = true;
#else
static const bool is_netcdf = false;
#endif

static const char *what; /* the call under way, for the message */

static void
check(int rc)
{
    if (rc == NC_NOERR)
        return;
#ifdef BENCH_NETCDF
    fprintf(stderr, "bench: %s: %s\n", what, nc_strerror(rc));
#else
    fprintf(stderr, "bench: %s: %s: %s\n", what, nc_strerror(rc), nczarr_errmsg());
#endif
    exit(rc == NC_ENOFILTER || rc == NC_ENOTBUILT ? EXIT_NOT_BUILT : 1);
}

#define CALL(f, ...) (what = #f, check(f(__VA_ARGS__)))

/* ---- the big arrays ---------------------------------------------------------------------------------------- */

static void
define_codec(int ncid, int varid, bench_codec codec)
{
    switch (codec) {
    case CODEC_NONE: break;
    case CODEC_BLOSC: CALL(nc_def_var_blosc, ncid, varid, 1 /* lz4 */, 5, 0, 1 /* byte shuffle */); break;
    case CODEC_DEFLATE: CALL(nc_def_var_deflate, ncid, varid, 1, 1, 1); break;
    case CODEC_ZSTD:
        CALL(nc_def_var_deflate, ncid, varid, 1, 0, 0); /* shuffle alone */
        CALL(nc_def_var_zstandard, ncid, varid, 1);
        break;
    case CODEC_ZSTD_ONLY: CALL(nc_def_var_zstandard, ncid, varid, 1); break;
    }
}

static void
define_array(int ncid, const workload *w, const layout *l, int *varid)
{
    const store_form *form = form_of(w->store);
    int               dimids[3];

    for (int d = 0; d < l->rank; d++)
        CALL(nc_def_dim, ncid, (const char *[]){"z", "y", "x"}[d],
             w->op == OP_APPEND && d == 0 ? NC_UNLIMITED : l->shape[d], &dimids[d]);
    CALL(nc_def_var, ncid, "field", w->store == STORE_SHORT ? NC_SHORT : NC_FLOAT, l->rank, dimids, varid);
    CALL(nc_def_var_chunking, ncid, *varid, NC_CHUNKED, l->chunk);
#ifndef BENCH_NETCDF
    if (form->sharded)
        CALL(nczarr_def_var_shards, ncid, *varid, l->shard);
#endif
    define_codec(ncid, *varid, form->codec);
    CALL(nc_enddef, ncid);
}

static void
write_array(const char *url, const workload *w, const sizes *s, const float *data)
{
    layout l = layout_of(w->store, s);
    size_t start[3] = {0, 0, 0}, count[3] = {1, l.shape[1], l.shape[2]};
    int    ncid, varid;

    CALL(nc_create, url, NC_CLOBBER | NC_NETCDF4, &ncid);
    define_array(ncid, w, &l, &varid);
    if (w->op == OP_WRITE)
        CALL(nc_put_var, ncid, varid, data);
    else
        for (; start[0] < l.shape[0]; start[0]++)
            CALL(nc_put_vara_float, ncid, varid, start, count, data + start[0] * count[1] * count[2]);
    CALL(nc_close, ncid);
}

static void
read_parts(int ncid, int varid, const layout *l, const size_t part[3], float *out)
{
    for (size_t i = 0; i < part_count(l, part); i++, out += part[0] * part[1] * part[2]) {
        size_t start[3];

        part_at(l, part, i, start);
        CALL(nc_get_vara_float, ncid, varid, start, part, out);
    }
}

static void
read_boxes(int ncid, int varid, const sizes *s, float *out)
{
    const size_t count[3] = {BOX, BOX, BOX};

    for (size_t i = 0; i < s->nboxes; i++) {
        size_t start[3];

        box_at(s, i, start);
        CALL(nc_get_vara_float, ncid, varid, start, count, out + i * BOX * BOX * BOX);
    }
}

static void
read_series(int ncid, int varid, const sizes *s, float *out)
{
    const size_t count[3] = {s->shape[0], 1, 1};

    for (size_t i = 0; i < s->nseries; i++) {
        size_t start[3] = {0, 0, 0};

        series_at(s, i, &start[1], &start[2]);
        CALL(nc_get_vara_float, ncid, varid, start, count, out + i * s->shape[0]);
    }
}

static void
read_steps(int ncid, int varid, const sizes *s, float *out)
{
    const size_t count[3] = {1, s->shape[1], s->shape[2]};

    for (size_t z = 0; z < s->shape[0]; z++) {
        const size_t start[3] = {z, 0, 0};

        CALL(nc_get_vara_float, ncid, varid, start, count, out + z * count[1] * count[2]);
    }
}

static void
read_strided(int ncid, int varid, const sizes *s, float *out)
{
    const size_t    start[3] = {0, 0, 0}, count[3] = {s->shape[0] / 2, s->shape[1] / 2, s->shape[2] / 2};
    const ptrdiff_t stride[3] = {2, 2, 2};

    CALL(nc_get_vars_float, ncid, varid, start, count, stride, out);
}

static void
read_array(const char *url, const workload *w, const sizes *s, void *out)
{
    layout l = layout_of(w->store, s);
    int    ncid, varid;

    CALL(nc_open, url, NC_NOWRITE, &ncid);
    CALL(nc_inq_varid, ncid, "field", &varid);
    switch (w->op) {
    case OP_SHARDS: read_parts(ncid, varid, &l, l.shard, out); break;
    case OP_CHUNKS: read_parts(ncid, varid, &l, l.chunk, out); break;
    case OP_BOXES: read_boxes(ncid, varid, s, out); break;
    case OP_SERIES: read_series(ncid, varid, s, out); break;
    case OP_STEPS: read_steps(ncid, varid, s, out); break;
    case OP_STRIDED: read_strided(ncid, varid, s, out); break;
    case OP_CONVERT: CALL(nc_get_var_double, ncid, varid, out); break;
    default: CALL(nc_get_var, ncid, varid, out); break;
    }
    CALL(nc_close, ncid);
}

/* ---- many small variables ---------------------------------------------------------------------------------- */

static void
define_attribute(int grpid, int varid, const attribute *a)
{
    int integer[4];

    for (size_t i = 0; i < a->n; i++)
        integer[i] = (int)a->number[i];
    if (a->text[0] != '\0')
        CALL(nc_put_att_text, grpid, varid, a->name, strlen(a->text), a->text);
    else if (a->integer)
        CALL(nc_put_att_int, grpid, varid, a->name, NC_INT, a->n, integer);
    else
        CALL(nc_put_att_double, grpid, varid, a->name, NC_DOUBLE, a->n, a->number);
}

static void
define_group(int ncid, size_t g)
{
    char name[32];
    int  grpid, dimids[2], varid;

    snprintf(name, sizeof name, "group%03zu", g);
    CALL(nc_def_grp, ncid, name, &grpid);
    CALL(nc_def_dim, grpid, "row", 4, &dimids[0]);
    CALL(nc_def_dim, grpid, "column", 8, &dimids[1]);
    for (size_t i = 0; i < META_VARS; i++) {
        size_t v = g * META_VARS + i;

        snprintf(name, sizeof name, "variable%02zu", i);
        CALL(nc_def_var, grpid, name, NC_DOUBLE, (int)variable_rank(v), dimids, &varid);
        for (size_t a = 0; a < META_ATTS; a++) {
            attribute att = attribute_of(v, a);

            define_attribute(grpid, varid, &att);
        }
    }
}

static void
define_all(const char *url, const sizes *s)
{
    int ncid;

    CALL(nc_create, url, NC_CLOBBER | NC_NETCDF4, &ncid);
    for (size_t g = 0; g < s->ngroups; g++)
        define_group(ncid, g);
    CALL(nc_enddef, ncid);
    CALL(nc_close, ncid);
}

static void
define_small_groups(int ncid, const sizes *s)
{
    for (size_t i = 0; i < s->nsmall; i++) {
        char name[32];
        int  grpid, dimid, varid;

        snprintf(name, sizeof name, "group%03zu", i);
        CALL(nc_def_grp, ncid, name, &grpid);
        CALL(nc_def_dim, grpid, "x", GROUP_LEN, &dimid);
        CALL(nc_def_var, grpid, "v", NC_DOUBLE, 1, &dimid, &varid);
        CALL(nc_put_att_text, grpid, varid, "units", 1, "m");
    }
    CALL(nc_enddef, ncid);
}

static void
define_scalars(int ncid, const sizes *s)
{
    char name[32];
    int  varid;

    for (size_t i = 0; i < s->nscalars; i++) {
        snprintf(name, sizeof name, "scalar%04zu", i);
        CALL(nc_def_var, ncid, name, NC_INT, 0, NULL, &varid);
    }
    CALL(nc_enddef, ncid);
    for (int i = 0; i < (int)s->nscalars; i++) {
        int value = i + 1;

        CALL(nc_put_var_int, ncid, i, &value);
    }
}

static void
define_small(const char *url, const workload *w, const sizes *s)
{
    int ncid;

    CALL(nc_create, url, NC_CLOBBER | NC_NETCDF4, &ncid);
    if (w->store == STORE_GROUPS)
        define_small_groups(ncid, s);
    else
        define_scalars(ncid, s);
    CALL(nc_close, ncid);
}

static void
inquire_scalars(const char *url, checksum *c)
{
    int ncid, n, value;

    CALL(nc_open, url, NC_NOWRITE, &ncid);
    CALL(nc_inq_nvars, ncid, &n);
    for (int i = 0; i < n; i++) {
        CALL(nc_get_var_int, ncid, i, &value);
        checksum_number(c, value);
    }
    CALL(nc_close, ncid);
}

static void
inquire_attribute(int grpid, int varid, int number, checksum *c)
{
    char    name[NC_MAX_NAME + 1], text[64];
    double  value[4];
    nc_type type;
    size_t  len;

    CALL(nc_inq_attname, grpid, varid, number, name);
    CALL(nc_inq_att, grpid, varid, name, &type, &len);
    if (name[0] == '_')
        return;
    if (len > (type == NC_CHAR ? sizeof text : 4)) {
        fprintf(stderr, "bench: attribute %s has %zu elements\n", name, len);
        exit(1);
    }
    if (type == NC_CHAR) {
        CALL(nc_get_att_text, grpid, varid, name, text);
        checksum_text(c, text, len);
        return;
    }
    CALL(nc_get_att_double, grpid, varid, name, value);
    for (size_t i = 0; i < len; i++)
        checksum_number(c, value[i]);
}

static void
inquire_group(int grpid, checksum *c)
{
    int nvars, natts;

    CALL(nc_inq_varids, grpid, &nvars, NULL);
    for (int v = 0; v < nvars; v++) {
        CALL(nc_inq_varnatts, grpid, v, &natts);
        for (int a = 0; a < natts; a++)
            inquire_attribute(grpid, v, a, c);
    }
}

static void
inquire_all(const char *url, bool attributes, checksum *c)
{
    int ncid, n, *grpids;

    CALL(nc_open, url, NC_NOWRITE, &ncid);
    if (attributes) {
        CALL(nc_inq_grps, ncid, &n, NULL);
        if ((grpids = malloc(((size_t)n + 1) * sizeof *grpids)) == NULL)
            check(NC_ENOMEM);
        CALL(nc_inq_grps, ncid, &n, grpids);
        for (int i = 0; i < n; i++)
            inquire_group(grpids[i], c);
        free(grpids);
    }
    CALL(nc_close, ncid);
}

/* ---- main -------------------------------------------------------------------------------------------------- */

static void
describe_shape(const char *name, int rank, const size_t shape[3])
{
    printf(", \"%s\": [%zu, %zu", name, shape[0], shape[1]);
    printf(rank > 2 ? ", %zu]" : "]", shape[2]);
}

static void
describe_workload(const workload *w, const sizes *s)
{
    static const char *const ops[] = {
        [OP_WRITE] = "write",     [OP_READ] = "read",       [OP_BOXES] = "boxes",   [OP_SERIES] = "series",
        [OP_STEPS] = "steps",     [OP_APPEND] = "append",   [OP_SHARDS] = "shards", [OP_CHUNKS] = "chunks",
        [OP_STRIDED] = "strided", [OP_CONVERT] = "convert", [OP_DEFINE] = "define", [OP_OPEN] = "open",
        [OP_INQUIRE] = "inquire"};
    const store_form *form = form_of(w->store);
    layout            l = layout_of(w->store, s);
    checksum          c = workload_expect(w, s);

    printf("\n  \"%s\": {\"store\": \"%s\", \"op\": \"%s\", \"codec\": %d, \"version\": %d, \"consolidated\": %s",
           w->name, form->name, ops[w->op], (int)form->codec, form->v3 ? 3 : 2,
           form->consolidated ? "true" : "false");
    if (!form->meta) {
        describe_shape("shape", l.rank, l.shape);
        describe_shape("chunk", l.rank, l.chunk);
        if (form->sharded)
            describe_shape("shard", l.rank, l.shard);
    }
    printf(", \"sum\": \"%016" PRIx64 "%016" PRIx64 "\"}", c.sum, c.of_sums);
}

static int
describe(const sizes *s)
{
    printf("{\"box\": %d, \"groups\": %zu, \"variables\": %d, \"attributes\": %d,\n \"boxes\": [", BOX, s->ngroups,
           META_VARS, META_ATTS);
    for (size_t i = 0; i < s->nboxes; i++) {
        size_t at[3];

        box_at(s, i, at);
        printf("%s[%zu, %zu, %zu]", i > 0 ? ", " : "", at[0], at[1], at[2]);
    }
    printf("],\n \"series\": [");
    for (size_t i = 0; i < s->nseries; i++) {
        size_t y, x;

        series_at(s, i, &y, &x);
        printf("%s[%zu, %zu]", i > 0 ? ", " : "", y, x);
    }
    printf("],\n \"workloads\": {");
    for (size_t i = 0; i < workload_count(); i++) {
        if (i > 0)
            printf(",");
        describe_workload(workload_at(i), s);
    }
    printf("}}\n");
    return 0;
}

/* Nobody syncs unless asked to: then like is compared with like. With --durable nc_close() does. */
static const char *
durability(int argc, char **argv)
{
    bool durable = argc > 3 && strcmp(argv[argc - 1], "--durable") == 0;

#ifdef BENCH_NETCDF
    durable = true; /* it has no such choice, and does not sync */
#endif
    return durable ? "" : "&durability=none";
}

static bool
writes_array(const workload *w)
{
    return w->op == OP_WRITE || w->op == OP_APPEND;
}

/* In an archive without NCZarr's directory, which zarr-python's ZipStore would not look into. */
static char *
make_url(const arguments *a, const char *more)
{
    const store_form *form = form_of(a->w->store);
    size_t            nbytes = strlen(a->path) + 96;
    char             *url = malloc(nbytes);

    if (url == NULL)
        check(NC_ENOMEM);
    snprintf(url, nbytes, "file://%s#mode=%s%s%s%s", a->path, a->w->store == STORE_ZIP ? "zarr,zip" : "nczarr,file",
             form->v3 ? ",v3" : "",
             form->consolidated && (!form->v3 || a->w->op == OP_DEFINE) ? "&consolidated=yes" : "", more);
    return url;
}

/* What is timed. `found`: of attributes and scalars. */
static void
run(const char *url, const arguments *a, void *data, checksum *found)
{
    const workload *w = a->w;

    if (writes_array(w))
        write_array(url, w, &a->s, data);
    else if (w->op == OP_DEFINE && (w->store == STORE_GROUPS || w->store == STORE_SCALARS))
        define_small(url, w, &a->s);
    else if (w->op == OP_DEFINE)
        define_all(url, &a->s);
    else if (w->store == STORE_SCALARS)
        inquire_scalars(url, found);
    else if (form_of(w->store)->meta)
        inquire_all(url, w->op == OP_INQUIRE, found);
    else
        read_array(url, w, &a->s, data);
}

int
main(int argc, char **argv)
{
    const store_form *form;
    arguments         a;
    stopwatch         t;
    checksum          found = {0, 0}, expected;
    char             *url, threads[16];
    void             *data;

    if (argc > 2 && strcmp(argv[1], "describe") == 0) {
        argv[1] = (char[]){"W1r"};
        return arguments_parse(argc, argv, &a) ? describe(&a.s) : 2;
    }
    if (!arguments_parse(argc, argv, &a))
        return 2;
    if (a.nthreads > 0) {
        snprintf(threads, sizeof threads, "%u", a.nthreads);
        setenv("NCZARR_THREADS", threads, 1);
    }
    form = form_of(a.w->store);
    if (is_netcdf && (form->v3 || (form->consolidated && a.w->op == OP_DEFINE)))
        return EXIT_NOT_BUILT;
    url = make_url(&a, durability(argc, argv));
    data = touched(workload_bytes(a.w, &a.s));
    if (writes_array(a.w) && a.w->store == STORE_SHORT)
        fill_shorts(&a.s, data);
    else if (writes_array(a.w))
        fill_floats(&a.s, a.w->store, data);

    stopwatch_start(&t);
    run(url, &a, data, &found);
    stopwatch_stop(&t);

    free(url);
    expected = workload_expect(a.w, &a.s);
    if (!writes_array(a.w) && !form->meta)
        checksum_words(&found, data, workload_bytes(a.w, &a.s));
    report(a.w->name, &t, &found);
    if (found.sum != expected.sum || found.of_sums != expected.of_sums) {
        fprintf(stderr, "bench: %s: wrong checksum\n", a.w->name);
        return 1;
    }
    return 0;
}
