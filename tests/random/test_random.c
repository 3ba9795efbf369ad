/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random programs over the nc_* API against the naive model of shadow.h: define, rename, put and get in all shapes,
 * attributes, sync, redefine, close and reopen. Any difference ends the run with the seed and the step.
 *
 * usage: test_random [SEED [STEPS [file|memory|zip|nc|diskless|URL [MODE]]]]      without arguments: the seeds of the
 * regular run; below a URL there must be nothing. nc, diskless: a classic file, with the modes cdf1, cdf2 or cdf5.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nczarr.h"
#include "nczarr_zmap.h"
#include "shadow.h"

typedef struct run {
    shadow      s;
    uint64_t    state, seed;
    int         step;
    const char *what;
    const char *store; /* "memory", "file", "zip", "nc", "diskless" */
    nczarr_map *map;   /* of memory */
    char        path[256];
    bool        remote; /* the path is a URL with a fragment */
    const char *mode;
    int         ncid;
    int         cdf;      /* the version of a classic file; 0: Zarr */
    bool        defining; /* a classic file is in define mode */
    int         flags;    /* with which a classic file is opened, NC_SHARE or NC_DISKLESS */
    int         reader;   /* of a classic file, which follows it; 0: none is open */
    bool        writable;
    long        ops;
} run;

/* ---- chance ---------------------------------------------------------------------------------------------------- */

static uint64_t
rnd(run *r)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return r->state * 0x2545F4914F6CDD1DULL >> 11;
}

static int
pick(run *r, int n)
{
    return n <= 0 ? 0 : (int)(rnd(r) % (uint64_t)n);
}

/* ---- failing --------------------------------------------------------------------------------------------------- */

__attribute__((noreturn, format(printf, 2, 3))) static void
fail(run *r, const char *fmt, ...)
{
    va_list args;

    fprintf(stderr, "[  FAILED  ] random seed %" PRIu64 " %s %s, step %d (%s): ", r->seed, r->store,
            r->mode ? r->mode : "", r->step, r->what);
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

static void
ok(run *r, int rc, const char *call)
{
    if (rc != NC_NOERR)
        fail(r, "%s: %d %s: %s", call, rc, nc_strerror(rc), nczarr_errmsg());
}

#define OK(call) ok(r, (call), #call)

/* ---- values ---------------------------------------------------------------------------------------------------- */

static size_t
size_of(nc_type t)
{
    static const size_t size[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8, sizeof(char *)};

    return size[t];
}

static shadow_cell
default_fill(nc_type t)
{
    shadow_cell        c = {{0}};
    signed char        b = NC_FILL_BYTE;
    short              s = NC_FILL_SHORT;
    int                i = NC_FILL_INT;
    float              f = NC_FILL_FLOAT;
    double             d = NC_FILL_DOUBLE;
    unsigned char      ub = NC_FILL_UBYTE;
    unsigned short     us = NC_FILL_USHORT;
    unsigned           ui = NC_FILL_UINT;
    long long          ll = NC_FILL_INT64;
    unsigned long long ull = NC_FILL_UINT64;
    const void        *at[] = {NULL, &b, NULL, &s, &i, &f, &d, &ub, &us, &ui, &ll, &ull};

    if (t != NC_CHAR && t != NC_STRING)
        memcpy(c.b, at[t], size_of(t));
    return c;
}

static shadow_cell
random_cell(run *r, nc_type t)
{
    static const char *words[] = {"a", "zarr", "caf\xc3\xa9", "x y", "0123456789abcdef", "\xe2\x9c\x93"};
    shadow_cell        c;
    uint64_t           bits = rnd(r) ^ rnd(r) << 40;

    memset(&c, 0, sizeof c);
    if (t == NC_STRING)
        strcpy(c.s, words[pick(r, 6)]);
    else if (t == NC_CHAR)
        c.b[0] = (unsigned char)(' ' + pick(r, 94));
    else if (t == NC_FLOAT) {
        float f = (float)pick(r, 2000001) / 64 - 9999;
        memcpy(c.b, &f, sizeof f);
    } else if (t == NC_DOUBLE) {
        double d = (double)(int64_t)(rnd(r)) / 1048576.0 - 1e6;
        memcpy(c.b, &d, sizeof d);
    } else
        memcpy(c.b, &bits, size_of(t));
    return c;
}

static void
random_name(run *r, char *out)
{
    static const char *heads[] = {"a", "temp", "x1", "T_", "na\xc3\xafve", "9z"};
    static const char *tails[] = {"", ".b", " c", "+d", "@e", "_f", "%20"};

    snprintf(out, SHADOW_NAME, "%s%d%s", heads[pick(r, 6)], pick(r, 40), tails[pick(r, 7)]);
}

static bool
name_taken(const run *r, int group, const char *name)
{
    for (int i = 1; i < r->s.ngroups; i++)
        if (r->s.groups[i].parent == group && strcmp(r->s.groups[i].name, name) == 0)
            return true;
    for (int i = 0; i < r->s.nvars; i++)
        if (r->s.vars[i].group == group && strcmp(r->s.vars[i].name, name) == 0)
            return true;
    return false;
}

static bool
dim_taken(const run *r, int group, const char *name)
{
    for (int i = 0; i < r->s.ndims; i++)
        if (r->s.dims[i].group == group && strcmp(r->s.dims[i].name, name) == 0)
            return true;
    return false;
}

/* ---- finding ids by name, as a program that has just opened the dataset must ----------------------------------- */

static int
group_id(run *r, int group)
{
    int id;

    if (group == 0)
        return r->ncid;
    OK(nc_inq_grp_ncid(group_id(r, r->s.groups[group].parent), r->s.groups[group].name, &id));
    return id;
}

static int
var_id(run *r, const shadow_var *v, int *grp)
{
    int id;

    *grp = group_id(r, v->group);
    OK(nc_inq_varid(*grp, v->name, &id));
    return id;
}

static int
dim_id(run *r, int dim)
{
    int id;

    OK(nc_inq_dimid(group_id(r, r->s.dims[dim].group), r->s.dims[dim].name, &id));
    return id;
}

static bool
is_ancestor(const run *r, int ancestor, int group)
{
    for (; group >= 0; group = r->s.groups[group].parent)
        if (group == ancestor)
            return true;
    return false;
}

/* ---- comparing ------------------------------------------------------------------------------------------------- */

static void
check_atts(run *r, int grp, int varid, shadow_atts *atts, const char *owner)
{
    int n;

    if (varid == NC_GLOBAL)
        OK(nc_inq_natts(grp, &n));
    else
        OK(nc_inq_varnatts(grp, varid, &n));
    if (n != atts->n)
        fail(r, "%s: %d attributes, not %d", owner, n, atts->n);
    for (int i = 0; i < n; i++) {
        char        name[NC_MAX_NAME + 1];
        shadow_att *a;
        nc_type     type;
        size_t      len;

        OK(nc_inq_attname(grp, varid, i, name));
        if ((a = shadow_att_find(atts, name)) == NULL)
            fail(r, "%s: attribute '%s' should not be", owner, name);
        OK(nc_inq_att(grp, varid, name, &type, &len));
        if (type != a->type || len != a->len)
            fail(r, "%s:%s is type %d length %zu, not %d, %zu", owner, name, type, len, a->type, a->len);
        if (type == NC_STRING) {
            char *s[8] = {NULL};

            OK(nc_get_att_string(grp, varid, name, s));
            for (size_t k = 0; k < len; k++)
                if (strcmp(s[k] ? s[k] : "", a->strings[k]) != 0)
                    fail(r, "%s:%s[%zu] is \"%s\", not \"%s\"", owner, name, k, s[k], a->strings[k]);
            OK(nc_free_string(len, s));
        } else {
            unsigned char data[64];

            OK(nc_get_att(grp, varid, name, data));
            if (memcmp(data, a->data, len * size_of(type)) != 0)
                fail(r, "%s:%s has other values (%.*s, not %.*s)", owner, name, (int)len, (char *)data, (int)len,
                     (char *)a->data);
        }
    }
}

/* Compares memory of the variable's own type with the cells of a strided box. */
static void
check_box(run *r, const shadow_var *v, const size_t *start, const size_t *count, const ptrdiff_t *stride,
          const ptrdiff_t *imap, const void *got)
{
    size_t n = shadow_nelems(count, v->rank), index[SHADOW_RANK];

    for (size_t i = 0; i < n; i++) {
        size_t             rest = i;
        ptrdiff_t          at = 0;
        const shadow_cell *want;

        for (int d = v->rank - 1; d >= 0; d--) {
            size_t k = rest % count[d];

            rest /= count[d];
            index[d] = start[d] + k * (size_t)stride[d];
            at += (ptrdiff_t)k * imap[d];
        }
        want = shadow_at(v, index);
        if (v->type == NC_STRING) {
            const char *s = ((char *const *)got)[at];

            if (strcmp(s ? s : "", want->s) != 0)
                fail(r, "%s: element %zu is \"%s\", not \"%s\"", v->name, i, s ? s : "(null)", want->s);
        } else if (memcmp((const char *)got + (size_t)at * size_of(v->type), want->b, size_of(v->type)) != 0)
            fail(r, "%s: element %zu of a box is %02x…, not %02x…", v->name, i,
                 ((const unsigned char *)got)[(size_t)at * size_of(v->type)], want->b[0]);
    }
}

static void
packed(const size_t *count, int rank, ptrdiff_t *imap)
{
    ptrdiff_t n = 1;

    for (int d = rank - 1; d >= 0; d--) {
        imap[d] = n;
        n *= (ptrdiff_t)count[d];
    }
}

/* A box within the variable, strided one time in three; false when the variable has no element. */
static bool
random_box(run *r, shadow_var *v, size_t *start, size_t *count, ptrdiff_t *stride)
{
    bool strided = pick(r, 3) == 0;

    for (int d = 0; d < v->rank; d++) {
        size_t len = v->shape[d];

        if (len == 0)
            return false;
        stride[d] = strided ? 1 + pick(r, 4) : 1;
        start[d] = (size_t)pick(r, (int)len);
        count[d] = 1 + (size_t)pick(r, (int)((len - start[d] - 1) / (size_t)stride[d] + 1));
    }
    return true;
}

static void
get_box(run *r, shadow_var *v)
{
    size_t    start[SHADOW_RANK], count[SHADOW_RANK], n;
    ptrdiff_t stride[SHADOW_RANK], imap[SHADOW_RANK];
    int       grp, varid = var_id(r, v, &grp);
    void     *got;

    if (!shadow_fit(&r->s, v))
        fail(r, "out of memory");
    if (!random_box(r, v, start, count, stride))
        return;
    n = shadow_nelems(count, v->rank);
    got = calloc(n + 1, 8);
    packed(count, v->rank, imap);
    if (v->rank >= 2 && pick(r, 4) == 0) { /* transposed in memory: the first dimension varies fastest */
        ptrdiff_t at = 1;

        for (int d = 0; d < v->rank; d++) {
            imap[d] = at;
            at *= (ptrdiff_t)count[d];
        }
        OK(nc_get_varm(grp, varid, start, count, stride, imap, got));
    } else
        OK(nc_get_vars(grp, varid, start, count, stride, got));
    check_box(r, v, start, count, stride, imap, got);
    if (v->type == NC_STRING)
        OK(nc_free_string(n, got));
    free(got);
}

static void
check_var(run *r, shadow_var *v)
{
    size_t    zero[SHADOW_RANK] = {0}, n;
    ptrdiff_t one[SHADOW_RANK] = {1, 1, 1, 1}, imap[SHADOW_RANK];
    int       grp, varid = var_id(r, v, &grp), ndims, dimids[NC_MAX_VAR_DIMS];
    nc_type   type;
    void     *got;

    OK(nc_inq_var(grp, varid, NULL, &type, &ndims, dimids, NULL));
    if (type != v->type || ndims != v->rank)
        fail(r, "%s: type %d rank %d, not %d, %d", v->name, type, ndims, v->type, v->rank);
    for (int d = 0; d < ndims; d++) {
        size_t len;

        OK(nc_inq_dimlen(grp, dimids[d], &len));
        if (dimids[d] != dim_id(r, v->dims[d]) || len != r->s.dims[v->dims[d]].len)
            fail(r, "%s: dimension %d is not %s of length %zu", v->name, d, r->s.dims[v->dims[d]].name,
                 r->s.dims[v->dims[d]].len);
    }
    check_atts(r, grp, varid, &v->atts, v->name);
    if (!shadow_fit(&r->s, v))
        fail(r, "out of memory");
    n = shadow_nelems(v->shape, v->rank);
    got = calloc(n + 1, 8);
    OK(nc_get_var(grp, varid, got));
    packed(v->shape, v->rank, imap);
    check_box(r, v, zero, v->shape, one, imap, got);
    if (v->type == NC_STRING)
        OK(nc_free_string(n, got));
    free(got);
}

static void
check_all(run *r)
{
    for (int g = 0; g < r->s.ngroups; g++) {
        int id = group_id(r, g), nvars, ndims, ngrps, want_vars = 0, want_dims = 0, want_grps = 0;

        for (int i = 0; i < r->s.nvars; i++)
            want_vars += r->s.vars[i].group == g;
        for (int i = 0; i < r->s.ndims; i++)
            want_dims += r->s.dims[i].group == g;
        for (int i = 1; i < r->s.ngroups; i++)
            want_grps += r->s.groups[i].parent == g;
        OK(nc_inq(id, &ndims, &nvars, NULL, NULL));
        OK(nc_inq_grps(id, &ngrps, NULL));
        if (nvars != want_vars || ndims != want_dims || ngrps != want_grps)
            fail(r, "group %s: %d variables, %d dimensions, %d groups, not %d, %d, %d", r->s.groups[g].name, nvars,
                 ndims, ngrps, want_vars, want_dims, want_grps);
        check_atts(r, id, NC_GLOBAL, &r->s.groups[g].atts, r->s.groups[g].name);
    }
    for (int i = 0; i < r->s.nvars; i++)
        check_var(r, &r->s.vars[i]);
}

/* ---- steps: defining ------------------------------------------------------------------------------------------- */

static void
step_group(run *r)
{
    shadow_group *g = &r->s.groups[r->s.ngroups];
    int           parent = pick(r, r->s.ngroups);

    if (r->cdf != 0) {
        if (nc_def_grp(r->ncid, "g", NULL) != NC_ENOTNC4)
            fail(r, "a classic file has a group");
        return;
    }
    if (r->s.ngroups == 8)
        return;
    memset(g, 0, sizeof *g);
    random_name(r, g->name);
    if (name_taken(r, parent, g->name)) {
        if (nc_def_grp(group_id(r, parent), g->name, NULL) != NC_ENAMEINUSE)
            fail(r, "a second '%s' was accepted", g->name);
        return;
    }
    g->parent = parent;
    OK(nc_def_grp(group_id(r, parent), g->name, NULL));
    r->s.ngroups++;
}

/* The unlimited dimension of a classic file; -1: there is none. */
static int
record_dim(const run *r)
{
    for (int i = 0; i < r->s.ndims; i++)
        if (r->s.dims[i].unlimited)
            return i;
    return -1;
}

static void
step_dim(run *r)
{
    shadow_dim *d = &r->s.dims[r->s.ndims];
    int         group = pick(r, r->s.ngroups);

    if (r->s.ndims == SHADOW_MOST - 1)
        return;
    memset(d, 0, sizeof *d);
    random_name(r, d->name);
    d->group = group;
    d->unlimited = pick(r, r->cdf != 0 ? 2 : 4) == 0;
    if (r->cdf != 0 && d->unlimited && record_dim(r) >= 0) {
        if (nc_def_dim(r->ncid, d->name, NC_UNLIMITED, NULL) != NC_EUNLIMIT)
            fail(r, "a second record dimension was accepted");
        return;
    }
    d->len = d->unlimited ? 0 : 1 + (size_t)pick(r, 9);
    if (dim_taken(r, group, d->name)) {
        if (nc_def_dim(group_id(r, group), d->name, 3, NULL) != NC_ENAMEINUSE)
            fail(r, "a second dimension '%s' was accepted", d->name);
        return;
    }
    OK(nc_def_dim(group_id(r, group), d->name, d->unlimited ? NC_UNLIMITED : d->len, NULL));
    r->s.ndims++;
}

/* Whether a classic file in data mode has room for an attribute. */
static bool
att_fits(const run *r, const shadow_att *old, const shadow_att *a)
{
    if (r->cdf == 0 || r->defining)
        return true;
    return old != NULL && (a->len * size_of(a->type) + 3) / 4 <= (old->len * size_of(old->type) + 3) / 4;
}

/* Whether a classic file in data mode has room for a name. */
static bool
name_fits(const run *r, const char *old, const char *name)
{
    return r->cdf == 0 || r->defining || strlen(name) <= strlen(old);
}

static void
put_shadow_att(shadow_atts *atts, const shadow_att *a)
{
    shadow_att *old = shadow_att_find(atts, a->name);

    if (old != NULL)
        *old = *a;
    else
        atts->v[atts->n++] = *a;
}

/* Zarr v3: objects of up to four chunks in each dimension. */
static void
define_shards(run *r, const shadow_var *v, int grp, int varid)
{
    size_t chunk[SHADOW_RANK];

    OK(nc_inq_var_chunking(grp, varid, NULL, chunk));
    for (int d = 0; d < v->rank; d++)
        chunk[d] *= 1 + (size_t)pick(r, 4);
    OK(nczarr_def_var_shards(grp, varid, chunk));
}

static void
define_storage(run *r, shadow_var *v, int grp, int varid)
{
    size_t chunk[SHADOW_RANK];

    if (r->cdf != 0) {
        if (nc_def_var_deflate(grp, varid, 0, 1, 1) != NC_ENOTNC4)
            fail(r, "a classic file is compressed");
        return;
    }
    for (int d = 0; d < v->rank; d++) {
        const shadow_dim *dim = &r->s.dims[v->dims[d]];

        chunk[d] = 1 + (size_t)pick(r, dim->unlimited ? 5 : (int)dim->len);
    }
    if (v->rank > 0 && pick(r, 3) != 0)
        OK(nc_def_var_chunking(grp, varid, NC_CHUNKED, chunk));
    if (v->rank > 0 && r->mode != NULL && strstr(r->mode, "v3") != NULL && pick(r, 2) == 0)
        define_shards(r, v, grp, varid);
    if (v->rank > 0 && v->type != NC_STRING && pick(r, 2) == 0)
        OK(nc_def_var_deflate(grp, varid, pick(r, 2), 1, 1 + pick(r, 9)));
    if (v->rank > 0 && v->type != NC_STRING && pick(r, 5) == 0)
        OK(nc_def_var_fletcher32(grp, varid, NC_FLETCHER32));
    if (v->type != NC_CHAR && v->type != NC_STRING && pick(r, 3) == 0)
        OK(nc_def_var_endian(grp, varid, 1 + pick(r, 2)));
}

static void
define_fill(run *r, shadow_var *v, int grp, int varid)
{
    shadow_att a = {.type = v->type, .len = 1};

    v->fill = default_fill(v->type);
    if (v->type == NC_STRING || v->type == NC_CHAR || pick(r, 3) != 0)
        return;
    if (r->cdf == 0 && pick(r, 4) == 0) { /* what a classic file has there is not said */
        OK(nc_def_var_fill(grp, varid, NC_NOFILL, NULL));
        memset(&v->fill, 0, sizeof v->fill);
        return;
    }
    v->fill = random_cell(r, v->type);
    strcpy(a.name, "_FillValue");
    memcpy(a.data, v->fill.b, size_of(v->type));
    OK(nc_put_att(grp, varid, "_FillValue", v->type, 1, v->fill.b));
    put_shadow_att(&v->atts, &a);
}

/* Types 1 to this one are in the dataset's format. */
static int
ntypes(const run *r)
{
    return r->cdf == 0 ? NC_STRING : r->cdf == 5 ? NC_UINT64 : NC_DOUBLE;
}

static void
step_var(run *r)
{
    shadow_var *v = &r->s.vars[r->s.nvars];
    int         group = pick(r, r->s.ngroups), seen[SHADOW_MOST], nseen = 0, dimids[SHADOW_RANK], grp, varid;

    if (r->s.nvars == SHADOW_MOST - 1)
        return;
    memset(v, 0, sizeof *v);
    random_name(r, v->name);
    if (name_taken(r, group, v->name))
        return;
    for (int i = 0; i < r->s.ndims; i++)
        if (is_ancestor(r, r->s.dims[i].group, group))
            seen[nseen++] = i;
    v->group = group;
    v->type = 1 + pick(r, ntypes(r));
    v->rank = nseen == 0 ? 0 : pick(r, SHADOW_RANK);
    for (int d = 0; d < v->rank; d++) {
        v->dims[d] = seen[pick(r, nseen)];
        dimids[d] = dim_id(r, v->dims[d]);
    }
    grp = group_id(r, group);
    for (int d = 1; r->cdf != 0 && d < v->rank; d++)
        if (r->s.dims[v->dims[d]].unlimited) {
            if (nc_def_var(grp, v->name, v->type, v->rank, dimids, &varid) != NC_EUNLIMPOS)
                fail(r, "the record dimension is not the first one");
            return;
        }
    OK(nc_def_var(grp, v->name, v->type, v->rank, dimids, &varid));
    define_storage(r, v, grp, varid);
    define_fill(r, v, grp, varid);
    r->s.nvars++;
    if (!shadow_fit(&r->s, v))
        fail(r, "out of memory");
}

/* ---- steps: attributes ----------------------------------------------------------------------------------------- */

static shadow_atts *
random_owner(run *r, int *grp, int *varid)
{
    if (r->s.nvars > 0 && pick(r, 2) == 0) {
        shadow_var *v = &r->s.vars[pick(r, r->s.nvars)];

        *varid = var_id(r, v, grp);
        return &v->atts;
    }
    *varid = NC_GLOBAL;
    {
        int g = pick(r, r->s.ngroups);

        *grp = group_id(r, g);
        return &r->s.groups[g].atts;
    }
}

static void
random_text(run *r, shadow_att *a)
{
    static const char *texts[] = {"kelvin",
                                  "",
                                  "17",
                                  "true",
                                  "null",
                                  "{\"a\": 1, \"b\": [1,2]}",
                                  "[1, 2,3 ]",
                                  "\"q\"",
                                  " 5",
                                  "line\nbreak\ttab",
                                  "caf\xc3\xa9",
                                  "back\\slash",
                                  "-1.5e3",
                                  "[",
                                  "{}",
                                  "NaN",
                                  "days since 2000-01-01",
                                  "\001",
                                  "{\"k\": \"\xe2\x9c\x93\"}"};
    const char        *t = texts[pick(r, (int)(sizeof texts / sizeof *texts))];

    a->type = NC_CHAR;
    a->len = strlen(t);
    memcpy(a->data, t, a->len);
}

static void
step_put_att(run *r)
{
    static const char *words[] = {"", "a", "[1]", "two words", "\xc3\xa9", "{\"k\": 2}"};
    shadow_att         a;
    int                grp, varid;
    shadow_atts       *atts = random_owner(r, &grp, &varid);

    if (atts->n == SHADOW_MOST - 2)
        return;
    memset(&a, 0, sizeof a);
    random_name(r, a.name);
    if (!r->defining && r->cdf != 0 && atts->n > 0 && pick(r, 2) == 0) /* most names are new, and those are refused */
        strcpy(a.name, atts->v[pick(r, atts->n)].name);
    if (strcmp(a.name, "_FillValue") == 0)
        return;
    switch (r->cdf != 0 ? 3 * pick(r, 2) : pick(r, 4)) {
    case 0: random_text(r, &a); break;
    case 1: {
        const char *s[3];

        a.type = NC_STRING;
        a.len = 1 + (size_t)pick(r, 3);
        for (size_t i = 0; i < a.len; i++) {
            strcpy(a.strings[i], words[pick(r, 6)]);
            s[i] = a.strings[i];
        }
        OK(nc_put_att_string(grp, varid, a.name, a.len, s));
        put_shadow_att(atts, &a);
        return;
    }
    default:
        do
            a.type = 1 + pick(r, r->cdf == 0 ? 11 : ntypes(r));
        while (a.type == NC_CHAR);
        a.len = 1 + (size_t)pick(r, 4);
        for (size_t i = 0; i < a.len; i++) {
            shadow_cell c = random_cell(r, a.type);

            memcpy(a.data + i * size_of(a.type), c.b, size_of(a.type));
        }
    }
    if (!att_fits(r, shadow_att_find(atts, a.name), &a)) {
        if (nc_put_att(grp, varid, a.name, a.type, a.len, a.data) != NC_ENOTINDEFINE)
            fail(r, "an attribute grew in data mode");
        return;
    }
    OK(nc_put_att(grp, varid, a.name, a.type, a.len, a.data));
    put_shadow_att(atts, &a);
}

static void
step_del_att(run *r)
{
    int          grp, varid, i;
    shadow_atts *atts = random_owner(r, &grp, &varid);

    if (r->cdf != 0 && !r->defining) {
        if (nc_del_att(grp, varid, "none") != NC_ENOTINDEFINE)
            fail(r, "an attribute is deleted in data mode");
        return;
    }
    if (atts->n == 0) {
        if (nc_del_att(grp, varid, "none") != NC_ENOTATT)
            fail(r, "deleting what is not there succeeded");
        return;
    }
    i = pick(r, atts->n);
    if (strcmp(atts->v[i].name, "_FillValue") == 0)
        return;
    OK(nc_del_att(grp, varid, atts->v[i].name));
    memmove(&atts->v[i], &atts->v[i + 1], (size_t)(atts->n - i - 1) * sizeof atts->v[0]);
    atts->n--;
}

static void
step_rename_att(run *r)
{
    char         name[SHADOW_NAME];
    int          grp, varid, i;
    shadow_atts *atts = random_owner(r, &grp, &varid);

    if (atts->n == 0)
        return;
    i = pick(r, atts->n);
    random_name(r, name);
    if (strcmp(atts->v[i].name, "_FillValue") == 0 || shadow_att_find(atts, name) != NULL)
        return;
    if (!name_fits(r, atts->v[i].name, name)) {
        if (nc_rename_att(grp, varid, atts->v[i].name, name) != NC_ENOTINDEFINE)
            fail(r, "an attribute's name grew in data mode");
        return;
    }
    OK(nc_rename_att(grp, varid, atts->v[i].name, name));
    strcpy(atts->v[i].name, name);
}

/* ---- steps: renaming ------------------------------------------------------------------------------------------- */

static void
step_rename(run *r)
{
    char name[SHADOW_NAME];
    int  grp;

    random_name(r, name);
    switch (pick(r, 3)) {
    case 0:
        if (r->s.nvars > 0) {
            shadow_var *v = &r->s.vars[pick(r, r->s.nvars)];
            int         varid = var_id(r, v, &grp);

            if (name_taken(r, v->group, name)) {
                if (strcmp(name, v->name) != 0 && name_fits(r, v->name, name) &&
                    nc_rename_var(grp, varid, name) != NC_ENAMEINUSE)
                    fail(r, "renaming to a taken name succeeded");
                return;
            }
            if (!name_fits(r, v->name, name)) {
                if (nc_rename_var(grp, varid, name) != NC_ENOTINDEFINE)
                    fail(r, "a variable's name grew in data mode");
                return;
            }
            OK(nc_rename_var(grp, varid, name));
            strcpy(v->name, name);
        }
        return;
    case 1:
        if (r->s.ndims > 0) {
            int d = pick(r, r->s.ndims);

            if (dim_taken(r, r->s.dims[d].group, name))
                return;
            if (!name_fits(r, r->s.dims[d].name, name)) {
                if (nc_rename_dim(r->ncid, dim_id(r, d), name) != NC_ENOTINDEFINE)
                    fail(r, "a dimension's name grew in data mode");
                return;
            }
            OK(nc_rename_dim(group_id(r, r->s.dims[d].group), dim_id(r, d), name));
            strcpy(r->s.dims[d].name, name);
        }
        return;
    default:
        if (r->s.ngroups > 1) {
            int g = 1 + pick(r, r->s.ngroups - 1);

            if (name_taken(r, r->s.groups[g].parent, name))
                return;
            OK(nc_rename_grp(group_id(r, g), name));
            strcpy(r->s.groups[g].name, name);
        }
    }
}

/* ---- steps: data ----------------------------------------------------------------------------------------------- */

/* A box that may reach beyond the current length of unlimited dimensions; false when no box is possible. */
static bool
put_box(run *r, shadow_var *v, size_t *start, size_t *count, ptrdiff_t *stride)
{
    bool   strided = pick(r, 3) == 0;
    size_t total = 1;

    for (int d = 0; d < v->rank; d++) {
        const shadow_dim *dim = &r->s.dims[v->dims[d]];
        size_t            len = dim->unlimited && pick(r, 3) == 0 ? dim->len + (size_t)pick(r, 4) : dim->len;

        if (len > 14)
            len = dim->len;
        if (len == 0)
            return false;
        stride[d] = strided ? 1 + pick(r, 3) : 1;
        start[d] = (size_t)pick(r, (int)len);
        count[d] = 1 + (size_t)pick(r, (int)((len - start[d] - 1) / (size_t)stride[d] + 1));
        total *= count[d];
    }
    return total < SHADOW_ELEMS;
}

/* Puts random values; unlimited dimensions grow as need be. `stride` NULL: next to each other. */
static void
put_values(run *r, shadow_var *v, const size_t *start, const size_t *count, const ptrdiff_t *stride)
{
    size_t    index[SHADOW_RANK], n;
    ptrdiff_t imap[SHADOW_RANK];
    void     *data;
    int       grp, varid;

    for (int d = 0; d < v->rank; d++) {
        size_t end = start[d] + (count[d] - 1) * (stride != NULL ? (size_t)stride[d] : 1) + 1;

        if (end > r->s.dims[v->dims[d]].len)
            r->s.dims[v->dims[d]].len = end;
    }
    if (!shadow_fit(&r->s, v))
        fail(r, "out of memory");
    n = shadow_nelems(count, v->rank);
    data = calloc(n + 1, 8);
    packed(count, v->rank, imap);
    for (size_t i = 0; i < n; i++) {
        size_t       rest = i;
        shadow_cell *c;

        for (int d = v->rank - 1; d >= 0; d--) {
            index[d] = start[d] + rest % count[d] * (stride != NULL ? (size_t)stride[d] : 1);
            rest /= count[d];
        }
        c = shadow_at(v, index);
        *c = random_cell(r, v->type);
        if (v->type == NC_STRING)
            ((char **)data)[i] = c->s;
        else
            memcpy((char *)data + i * size_of(v->type), c->b, size_of(v->type));
    }
    varid = var_id(r, v, &grp);
    OK(stride != NULL ? nc_put_vars(grp, varid, start, count, stride, data)
                      : nc_put_vara(grp, varid, start, count, data));
    free(data);
}

static void
step_put(run *r)
{
    size_t      start[SHADOW_RANK] = {0}, count[SHADOW_RANK] = {0};
    ptrdiff_t   stride[SHADOW_RANK];
    shadow_var *v;

    if (r->s.nvars == 0)
        return;
    v = &r->s.vars[pick(r, r->s.nvars)];
    if (put_box(r, v, start, count, stride))
        put_values(r, v, start, count, stride);
}

/* As a model does: one small record after the other, of a variable or of two in turn, and a sync now and then. */
static void
step_append(run *r)
{
    enum { LONGEST = 60 };
    size_t first = 0, n = 4 + (size_t)pick(r, 20);
    int    from, dim = -1;

    if (r->s.nvars == 0)
        return;
    from = pick(r, r->s.nvars);
    for (size_t k = 0; k < n; k++)
        for (int i = from; i < r->s.nvars && i < from + 2; i++) {
            shadow_var *v = &r->s.vars[i];
            size_t      start[SHADOW_RANK] = {0}, count[SHADOW_RANK] = {1};

            if (v->rank == 0 || !r->s.dims[v->dims[0]].unlimited || (dim >= 0 && v->dims[0] != dim))
                continue;
            if (dim < 0)
                first = r->s.dims[dim = v->dims[0]].len;
            for (int d = 1; d < v->rank; d++)
                count[d] = v->dims[d] == dim ? 0 : r->s.dims[v->dims[d]].len;
            start[0] = first + k;
            if (start[0] >= LONGEST || shadow_nelems(count, v->rank) == 0 ||
                shadow_nelems(count, v->rank) * LONGEST > SHADOW_ELEMS)
                return;
            put_values(r, v, start, count, NULL);
            if (pick(r, 6) == 0)
                OK(nc_sync(r->ncid));
        }
}

/* Small whole numbers through another memory type: conversion both ways is exact. */
static void
step_convert(run *r)
{
    size_t      index[SHADOW_RANK] = {0};
    shadow_var *v;
    int         grp, varid;
    long long   value = pick(r, 100), back;
    double      back_double;

    if (r->s.nvars == 0)
        return;
    v = &r->s.vars[pick(r, r->s.nvars)];
    varid = var_id(r, v, &grp);
    if (!shadow_fit(&r->s, v) || shadow_nelems(v->shape, v->rank) == 0)
        return;
    if (v->type == NC_CHAR || v->type == NC_STRING) {
        int rc = nc_put_var1_longlong(grp, varid, index, &value);

        if (rc != (v->type == NC_CHAR ? NC_ECHAR : NC_EBADTYPE))
            fail(r, "%s: a number into text gave %d", v->name, rc);
        return;
    }
    for (int d = 0; d < v->rank; d++)
        index[d] = (size_t)pick(r, (int)v->shape[d]);
    OK(nc_put_var1_longlong(grp, varid, index, &value));
    OK(nc_get_var1_longlong(grp, varid, index, &back));
    OK(nc_get_var1_double(grp, varid, index, &back_double));
    if (back != value || back_double != (double)value)
        fail(r, "%s: put %lld, got %lld and %g", v->name, value, back, back_double);
    OK(nc_get_var1(grp, varid, index, shadow_at(v, index)->b));
}

static void
step_get(run *r)
{
    if (r->s.nvars > 0)
        get_box(r, &r->s.vars[pick(r, r->s.nvars)]);
}

/* ---- steps: the dataset's life --------------------------------------------------------------------------------- */

static void
open_it(run *r, int omode)
{
    char url[400];

    if (r->map != NULL)
        OK(nczarr_open_map(r->map, NULL, omode, &r->ncid));
    else {
        snprintf(url, sizeof url, "%s%s", pick(r, 2) && !r->remote ? "file://" : "", r->path);
        if (r->cdf != 0 && strcmp(r->store, "nc") == 0)
            r->flags = pick(r, 3) == 0 ? NC_SHARE : 0;
        OK(nc_open(url, omode | (omode == NC_WRITE ? r->flags : 0), &r->ncid));
    }
    r->writable = omode == NC_WRITE;
    r->defining = false;
}

/* A classic file is brought into define mode, or out of it, as a step needs it. */
static void
set_mode(run *r, bool define)
{
    if (r->cdf == 0 || r->defining == define)
        return;
    if (define)
        OK(nc_redef(r->ncid));
    else if (pick(r, 3) == 0)
        OK(nc__enddef(r->ncid, (size_t)pick(r, 300), (size_t)4 << pick(r, 8), (size_t)pick(r, 300),
                      (size_t)4 << pick(r, 8)));
    else
        OK(nc_enddef(r->ncid));
    r->defining = define;
}

/* Another session sees what the writer has put, with NC_SHARE at once, else after nc_sync(). */
static void
check_beside(run *r)
{
    int writer = r->ncid;

    if (strcmp(r->store, "nc") != 0)
        return;
    if ((r->flags & NC_SHARE) == 0 || pick(r, 2) == 0)
        OK(nc_sync(writer));
    OK(nc_open(r->path, NC_NOWRITE, &r->ncid));
    check_all(r);
    OK(nc_close(r->ncid));
    r->ncid = writer;
}

/* A reader that stays open sees what there is after its nc_sync(), whatever was defined, moved or opened again. */
static void
step_follow(run *r)
{
    int writer = r->ncid;

    if (strcmp(r->store, "nc") != 0)
        return;
    OK(nc_sync(writer));
    if (r->reader == 0)
        OK(nc_open(r->path, pick(r, 2) == 0 ? NC_NOWRITE : NC_SHARE, &r->reader));
    OK(nc_sync(r->reader));
    r->ncid = r->reader;
    check_all(r);
    r->ncid = writer;
    if (pick(r, 5) == 0) {
        OK(nc_close(r->reader));
        r->reader = 0;
    }
}

/* A second writer: refused, or where both share the file what it puts is there. */
static void
step_second_writer(run *r)
{
    int writer = r->ncid, flags = pick(r, 3) != 0 ? NC_SHARE : 0, rc;

    if (strcmp(r->store, "nc") != 0)
        return;
    OK(nc_sync(writer));
    rc = nc_open(r->path, NC_WRITE | flags, &r->ncid);
    if ((flags & r->flags & NC_SHARE) != 0) {
        ok(r, rc, "nc_open of a second writer");
        for (int i = pick(r, 4); i >= 0; i--)
            step_put(r);
        if (pick(r, 2) == 0)
            OK(nc_sync(r->ncid));
        OK(nc_close(r->ncid));
    } else if (rc != NC_EACCESS) {
        fail(r, "a second writer is not refused: %d", rc);
    }
    r->ncid = writer;
    OK(nc_sync(writer));
}

static void
step_reopen(run *r)
{
    OK(nc_close(r->ncid));
    open_it(r, NC_NOWRITE);
    check_all(r);
    if (pick(r, 2) == 0 && (r->cdf != 0 ? nc_redef(r->ncid) : nc_def_dim(r->ncid, "no", 1, NULL)) != NC_EPERM)
        fail(r, "a read-only dataset was changed");
    OK(nc_close(r->ncid));
    open_it(r, NC_WRITE);
    if (pick(r, 4) == 0)
        check_all(r);
}

static void
step_abort(run *r)
{
    if (strcmp(r->store, "diskless") == 0) /* what is aborted is not kept */
        return;
    OK(nc_sync(r->ncid));
    set_mode(r, true);
    OK(nc_put_att_text(r->ncid, NC_GLOBAL, "never", 3, "abc"));
    OK(nc_abort(r->ncid));
    open_it(r, NC_WRITE);
    check_all(r);
}

static void
step_mode(run *r)
{
    int rc;

    if (r->cdf != 0) {
        if ((r->defining ? nc_redef(r->ncid) : nc_enddef(r->ncid)) != (r->defining ? NC_EINDEFINE : NC_ENOTINDEFINE))
            fail(r, "define mode began or ended twice");
        set_mode(r, !r->defining);
        if (!r->defining)
            check_beside(r);
        else if (nc_sync(r->ncid) != NC_EINDEFINE)
            fail(r, "nc_sync() in define mode");
        return;
    }
    switch (pick(r, 3)) {
    case 0: OK(nc_sync(r->ncid)); return;
    case 1:
        rc = nc_enddef(r->ncid);
        if (rc != NC_NOERR && rc != NC_ENOTINDEFINE)
            ok(r, rc, "nc_enddef");
        return;
    default:
        rc = nc_redef(r->ncid);
        if (rc != NC_NOERR && rc != NC_EINDEFINE)
            ok(r, rc, "nc_redef");
    }
}

/* In which mode of a classic file a step is made: either, define mode, data mode. */
typedef enum needs { EITHER, DEFINE, DATA } needs;

static const struct {
    const char *name;
    void (*go)(run *r);
    int   weight;
    needs needs;
} steps[] = {
    {"def_grp", step_group, 2, DEFINE},   {"def_dim", step_dim, 6, DEFINE},
    {"def_var", step_var, 8, DEFINE},     {"put_att", step_put_att, 10, EITHER},
    {"del_att", step_del_att, 3, EITHER}, {"rename_att", step_rename_att, 2, EITHER},
    {"rename", step_rename, 3, EITHER},   {"put", step_put, 30, DATA},
    {"append", step_append, 8, DATA},     {"get", step_get, 25, DATA},
    {"convert", step_convert, 6, DATA},   {"mode", step_mode, 3, EITHER},
    {"reopen", step_reopen, 2, EITHER},   {"abort", step_abort, 1, DATA},
    {"follow", step_follow, 3, DATA},     {"second_writer", step_second_writer, 3, DATA},
};

/* A classic file in a fresh directory, on the disk or in memory until it is closed. */
static void
make_file(run *r, const char *place, char *dir)
{
    char url[400];

    if (mkdtemp(dir) == NULL)
        fail(r, "no temporary directory");
    r->cdf = r->mode != NULL ? atoi(r->mode + strcspn(r->mode, "0123456789")) : 1;
    r->flags = strcmp(place, "diskless") == 0 ? NC_DISKLESS | NC_PERSIST : pick(r, 3) == 0 ? NC_SHARE : 0;
    r->defining = true;
    snprintf(r->path, sizeof r->path, "%s/d.nc", dir);
    snprintf(url, sizeof url, "%s#mode=cdf%d", r->path, r->cdf);
    OK(nc_create(url, r->flags, &r->ncid));
}

/* `place`: a word of the usage, for a fresh directory, or a URL below which a dataset is made. */
static void
make_place(run *r, const char *place, char *dir)
{
    char url[400];

    if (strcmp(place, "memory") == 0) {
        OK(nczarr_map_memory(&r->map));
        OK(nczarr_create_map(r->map, r->mode, NC_NETCDF4, &r->ncid));
        return;
    }
    if (strcmp(place, "nc") == 0 || strcmp(place, "diskless") == 0) {
        make_file(r, place, dir);
        return;
    }
    r->remote = strcmp(place, "file") != 0 && strcmp(place, "zip") != 0;
    if (!r->remote && mkdtemp(dir) == NULL)
        fail(r, "no temporary directory");
    if (r->remote)
        snprintf(r->path, sizeof r->path, "%s/random-%" PRIu64 ".zarr#mode=s3", place, r->seed);
    else
        snprintf(r->path, sizeof r->path, "%s/d.%s", dir, strcmp(place, "zip") == 0 ? "zip" : "zarr");
    snprintf(url, sizeof url, "%s%s%s", r->path,
             r->mode == NULL ? ""
             : r->remote     ? "&"
                             : "#",
             r->mode ? r->mode : "");
    OK(nc_create(url, NC_NETCDF4, &r->ncid));
}

static void
remove_place(run *r, const char *dir)
{
    int ncid;

    if (r->reader != 0)
        OK(nc_close(r->reader));
    OK(nc_close(r->ncid));
    if (r->map != NULL) {
        OK(nczarr_map_close(r->map));
        return;
    }
    OK(nc_delete(r->path));
    if (r->remote ? nc_open(r->path, NC_NOWRITE, &ncid) == NC_NOERR : access(r->path, F_OK) == 0)
        fail(r, "nc_delete left %s", r->path);
    if (!r->remote && rmdir(dir) != 0)
        fail(r, "something is left in %s", dir);
}

/* Every second program's puts do not wait for the store; of some of these hardly anything may wait. */
static void
choose_write(uint64_t seed)
{
    static const char *const bytes[] = {"60000000", "20000", "1"};

    setenv("NCZARR_WRITE", seed % 2 == 0 ? "behind" : "through", 1);
    setenv("NCZARR_BEHIND_BYTES", bytes[seed / 2 % 3], 1);
}

static long
run_program(uint64_t seed, int nsteps, const char *place, const char *mode)
{
    static run it;
    run       *r = &it;
    int        total = 0;
    char       dir[64];

    *r = (run){
        .seed = seed, .store = place, .state = seed * 0x9E3779B97F4A7C15ULL + 1, .mode = mode, .what = "create"};
    shadow_init(&r->s);
    choose_write(seed);
    snprintf(dir, sizeof dir, "%s/nczarr-random-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        total += steps[i].weight;
    make_place(r, place, dir);
    for (r->step = 1; r->step <= nsteps; r->step++) {
        int    at = pick(r, total);
        size_t i = 0;

        while (at >= steps[i].weight)
            at -= steps[i++].weight;
        r->what = steps[i].name;
        if (steps[i].needs != EITHER)
            set_mode(r, steps[i].needs == DEFINE);
        steps[i].go(r);
        r->ops++;
    }
    r->what = "end";
    step_reopen(r);
    remove_place(r, dir);
    shadow_clear(&r->s);
    return r->ops;
}

static const struct {
    const char *place, *mode;
    uint64_t    first, seeds;
    int         steps;
} regular[] = {
    {"memory", NULL, 1, 24, 400},
    {"file", NULL, 101, 12, 300},
    {"zip", NULL, 201, 12, 300},
    {"memory", "mode=nczarr,v3", 301, 12, 400},
    {"file", "mode=nczarr,v3,consolidated", 401, 6, 300},
    {"zip", "mode=nczarr,v3", 501, 6, 300},
    {"nc", "cdf1", 601, 12, 400},
    {"nc", "cdf2", 701, 12, 400},
    {"nc", "cdf5", 801, 12, 400},
    {"diskless", "cdf1", 901, 4, 300},
    {"diskless", "cdf5", 951, 8, 300},
};

int
main(int argc, char **argv)
{
    const char *drawn = getenv("NCZARR_TEST_SEED"); /* other programs than those of the same numbers without it */
    uint64_t    more = drawn != NULL ? 1000 * strtoull(drawn, NULL, 10) : 0;
    uint64_t    parts = getenv("NCZARR_TEST_SHORT") != NULL ? 2 : 1; /* other commits draw others */
    long        ops = 0;

    if (argc > 1) {
        ops = run_program(strtoull(argv[1], NULL, 10), argc > 2 ? atoi(argv[2]) : 400, argc > 3 ? argv[3] : "file",
                          argc > 4 ? argv[4] : NULL);
        printf("%ld operations\n", ops);
        return 0;
    }
    for (size_t i = 0; i < sizeof regular / sizeof *regular; i++) {
        ops = 0;
        for (uint64_t seed = regular[i].first; seed < regular[i].first + regular[i].seeds / parts; seed++)
            ops += run_program(more + seed, regular[i].steps, regular[i].place, regular[i].mode);
        printf("[       OK ] random programs: %s %s, %ld operations\n", regular[i].place,
               regular[i].mode != NULL ? regular[i].mode : "", ops);
    }
    return 0;
}
