/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_verify.c: reads the target again, as anybody would, and compares all of it with the source: dimensions,
 * variables, attributes, data. Pure Zarr keeps no types of attributes, and reads characters as strings: there only
 * values are compared. In a classic file everything is in one group, and strings are characters.
 */
#include "copy_int.h"

#include "common/att_value.h"
#include "common/consolidated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct check {
    copy_state *r;
    int         root; /* of the target */
    size_t      wrong;
} check;

enum { WRONG_MAX = 20 };

static void
report_difference(check *c, const char *path, const char *what)
{
    if (++c->wrong <= WRONG_MAX)
        message_print("%s: %s differs from the source's", path, what);
}

/* ---- attributes ---- */

static bool
load_att(int grp, int varid, const char *name, att_value *a)
{
    return att_value_load(grp, varid, name, a) == NC_NOERR && a->val != NULL;
}

/* Of attributes: bit by bit, but that any NaN is a NaN, since JSON has only one. */
static bool
compare_floats(nc_type type, const void *a, const void *b, size_t n)
{
    size_t      size = (size_t)nctypelen(type);
    const char *p = a, *q = b;

    for (size_t i = 0; i < n; i++, p += size, q += size) {
        double x = type == NC_FLOAT ? (double)*(const float *)(const void *)p : *(const double *)(const void *)p;
        double y = type == NC_FLOAT ? (double)*(const float *)(const void *)q : *(const double *)(const void *)q;

        if (memcmp(p, q, size) != 0 && (x == x || y == y))
            return false;
    }
    return true;
}

static bool
compare_values(nc_type type, const void *a, const void *b, size_t n)
{
    const char *const *s = a, *const *t = b;

    if (type != NC_STRING)
        return memcmp(a, b, n * (size_t)nctypelen(type)) == 0;
    for (size_t i = 0; i < n; i++) /* an empty string is stored as none is */
        if (strcmp(s[i] != NULL ? s[i] : "", t[i] != NULL ? t[i] : "") != 0)
            return false;
    return true;
}

/* Of two types: a float's shortest digits read as a double are not the float's value, but nearest to it. */
static bool
compare_numbers(int in, int vin, int out, int vout, const char *name, size_t n)
{
    double *a = memory_alloc(n, sizeof *a), *b = memory_alloc(n, sizeof *b);
    bool same = nc_get_att_double(in, vin, name, a) == NC_NOERR && nc_get_att_double(out, vout, name, b) == NC_NOERR;

    for (size_t i = 0; same && i < n; i++)
        same = a[i] == b[i] || (float)a[i] == (float)b[i] || (a[i] != a[i] && b[i] != b[i]);
    free(a);
    free(b);
    return same;
}

static bool
is_number(nc_type type)
{
    return type != NC_CHAR && type < NC_STRING;
}

/* Pure Zarr keeps the _FillValue of a user-defined type, and Zarr v3 that of text, as the array's fill value only. That
 * of characters is a number there. */
static bool
is_array_fill(const att_value *a, int out, int vout, const char *name)
{
    int     no_fill = 1;
    size_t  size;
    nc_type type;
    void   *fill;
    bool    same = false;

    if (a->len != 1 || strcmp(name, "_FillValue") != 0 || nc_inq_vartype(out, vout, &type) != NC_NOERR ||
        copy_type_size(out, type, &size) != NC_NOERR)
        return false;
    fill = memory_alloc(1, size);
    if (nc_inq_var_fill(out, vout, &no_fill, fill) == NC_NOERR) {
        if (a->type == NC_CHAR && type == NC_UBYTE)
            same = no_fill == 0 && memcmp(a->val, fill, 1) == 0;
        else if (a->type < NC_STRING)
            same = no_fill == 0 && a->type == type && compare_values(type, a->val, fill, 1);
        else
            same = no_fill == 0 && copy_compare_user_values(&(copy_values){a->grp, a->type, a->val},
                                                            &(copy_values){out, type, fill}, 1);
        copy_free_values(out, type, fill, 1);
    }
    free(fill);
    return same;
}

/* Strings that became one text. */
static bool
compare_text(int in, int vin, const char *name, const att_value *b)
{
    char *text = b->type == NC_CHAR ? copy_att_text(in, vin, name) : NULL;
    bool  same = text != NULL && strlen(text) == b->len && memcmp(text, b->val, b->len) == 0;

    free(text);
    return same;
}

/* Pure Zarr has no place for the number of NULs at the end of a text. */
static void
drop_nuls(att_value *a)
{
    while (a->type == NC_CHAR && a->len > 0 && ((const char *)a->val)[a->len - 1] == '\0')
        a->len--;
}

/* `name_out`: in the target. */
static bool
compare_att(int in, int vin, const char *name, int out, int vout, const char *name_out, const copy_target *t)
{
    att_value a, b = {.val = NULL};
    bool      same = load_att(in, vin, name, &a);

    if (same && vout != NC_GLOBAL && nc_inq_attid(out, vout, name_out, NULL) != NC_NOERR) {
        same = is_array_fill(&a, out, vout, name_out);
        att_value_clear(&a);
        return same;
    }
    same = load_att(out, vout, name_out, &b) && same;
    if (same && !t->classic && !t->nczarr) {
        drop_nuls(&a);
        drop_nuls(&b);
        copy_mend_texts(a.type, &a.len, &a.val);
    }
    if (same && a.type > NC_MAX_ATOMIC_TYPE && (t->classic || b.type > NC_MAX_ATOMIC_TYPE))
        same = a.len == b.len &&
               copy_compare_user_values(&(copy_values){in, a.type, a.val}, &(copy_values){out, b.type, b.val}, a.len);
    else if (same && a.type == b.type)
        same = a.len == b.len &&
               (a.type == NC_FLOAT || a.type == NC_DOUBLE ? compare_floats(a.type, a.val, b.val, a.len)
                                                          : compare_values(a.type, a.val, b.val, a.len));
    else if (same && is_number(a.type) && is_number(b.type))
        same = a.len == b.len && compare_numbers(in, vin, out, vout, name, a.len);
    else if (same && a.type == NC_STRING)
        same = compare_text(in, vin, name, &b);
    att_value_clear(&a);
    att_value_clear(&b);
    return same;
}

/* `v` NULL: of the group. */
static void
compare_atts(check *c, size_t g, const copy_var *v, int out, int vout)
{
    const copy_group *grp = &c->r->s->groups[g];
    const char       *prefix = v == NULL && grp->prefix != NULL ? grp->prefix : "";
    const char       *path = v != NULL ? v->path : grp->path;
    char              name[NC_MAX_NAME + 1], *name_out, *what;
    int               n = 0, in = grp->in, vin = v != NULL ? v->in : NC_GLOBAL;

    if (nc_inq_varnatts(in, vin, &n) != NC_NOERR)
        report_difference(c, path, "the number of its attributes");
    for (int i = 0; i < n; i++) {
        bool same = nc_inq_attname(in, vin, i, name) == NC_NOERR;

        if (same && copy_is_lost(&c->r->s->losses, path, name))
            continue;
        name_out = memory_textf("%s%s", prefix, name);
        same = same && compare_att(in, vin, name, out, vout, name_out, c->r->t);
        free(name_out);
        if (same)
            continue;
        what = memory_textf("attribute %s", name);
        report_difference(c, path, what);
        free(what);
    }
}

/* ---- variables ---- */

/*
 * Pure Zarr has no characters: they become strings of one in v2, bytes in v3. A user-defined type becomes another one,
 * or an integer type, that holds the same values: comparing them shows whether it does.
 */
static bool
is_stored_type(nc_type in, nc_type out)
{
    return in == out || in > NC_MAX_ATOMIC_TYPE || (in == NC_CHAR && (out == NC_STRING || out == NC_UBYTE));
}

static bool
compare_dim(int out, int dimid, const char *name, size_t len)
{
    char   name_out[NC_MAX_NAME + 1];
    size_t len_out = 0;

    return nc_inq_dim(out, dimid, name_out, &len_out) == NC_NOERR && len_out == len && strcmp(name_out, name) == 0;
}

static bool
compare_shape(const copy_source *s, const copy_var *v, int out, int varid)
{
    nc_type type;
    int     rank = 0, more = v->text ? 1 : 0, *ids;
    bool    same = nc_inq_var(out, varid, NULL, &type, &rank, NULL, NULL) == NC_NOERR;

    if (!same || rank != v->rank + more || (s->cdf != 0 ? type != v->type_out : !is_stored_type(v->type, type)))
        return false;
    ids = memory_alloc((size_t)rank, sizeof *ids);
    same = nc_inq_vardimid(out, varid, ids) == NC_NOERR;
    for (int d = 0; same && d < v->rank; d++)
        same = compare_dim(out, ids[d], s->dims[v->dims[d]].name_out, v->shape[d]);
    if (same && v->text)
        same = compare_dim(out, ids[v->rank], s->texts[v->text_dim].name, v->text_len);
    free(ids);
    return same;
}

/* Characters that are strings of one on the other side. */
static bool
compare_chars(const char *a, const nc_vlen_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != (b[i].len > 0 ? *(const char *)b[i].p : '\0'))
            return false;
    return true;
}

/* Whole, also behind a NUL. */
static bool
compare_strings(const nc_vlen_t *a, const nc_vlen_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i].len != b[i].len || (a[i].len > 0 && memcmp(a[i].p, b[i].p, a[i].len) != 0))
            return false;
    return true;
}

/* Strings that are characters of a classic file: `b` has room for what the file has, and for what it should have. */
static int
compare_text_piece(const copy_pieces *p, int out, int varid, const char *a, char *b, bool *same)
{
    size_t len = p->v->text_len;
    char  *want = b + p->n * len;
    int    rc = nc_get_vara_text(out, varid, p->start, p->count, b);

    if (rc == NC_NOERR)
        *same =
            copy_pack_texts((const nc_vlen_t *)(const void *)a, p->n, len, want) && memcmp(b, want, p->n * len) == 0;
    return rc;
}

/* Reads a piece of the target and compares it. */
static int
compare_piece(const copy_pieces *p, int in, int out, int varid, nc_type type, const char *a, char *b, bool *same)
{
    const copy_var *v = p->v;
    hyperslab_var   there = {.ncid = out, .varid = varid, .type = type, .counted = type == NC_STRING};
    int             rc;

    if (v->text)
        return compare_text_piece(p, out, varid, a, b, same);
    if ((rc = hyperslab_get(&there, p->start, p->count, NULL, b)) != NC_NOERR)
        return rc;
    if (v->type > NC_MAX_ATOMIC_TYPE)
        *same = copy_compare_user_values(&(copy_values){in, v->type, a}, &(copy_values){out, type, b}, p->n);
    else if (type != NC_STRING)
        *same = memcmp(a, b, p->n * (size_t)nctypelen(type)) == 0;
    else
        *same = v->type == NC_STRING ? compare_strings((const void *)a, (const void *)b, p->n)
                                     : compare_chars(a, (const void *)b, p->n);
    hyperslab_free(&there, b, p->n);
    return NC_NOERR;
}

static int
compare_data(check *c, const copy_var *v, int in, int out, int varid)
{
    copy_pieces p;
    size_t      value = sizeof(nc_vlen_t);
    char       *a, *b;
    nc_type     type = NC_NAT;
    bool        same = true;
    int         rc = nc_inq_vartype(out, varid, &type);

    if (rc == NC_NOERR && type == NC_STRING)
        value = sizeof(nc_vlen_t);
    else if (rc == NC_NOERR)
        rc = copy_type_size(out, type, &value);
    if (value < v->value)
        value = v->value;
    if (v->text && value < 2 * v->text_len)
        value = 2 * v->text_len;
    copy_pieces_begin(&p, v, c->r->budget.slab / (v->partial ? 4 : 2));
    a = memory_need(malloc(p.n * v->value));
    b = memory_alloc(p.n, value);
    do {
        if (rc != NC_NOERR)
            break;
        if ((rc = copy_read_piece(in, v, c->r->fill, p.start, p.count, a)) != NC_NOERR) {
            (void)copy_fail_read(c->r, rc, v);
            goto done;
        }
        if (c->r->t->netcdf4 && v->type == NC_STRING)
            (void)copy_end_at_nuls((nc_vlen_t *)(void *)a, p.n); /* as it was copied */
        rc = compare_piece(&p, in, out, varid, type, a, b, &same);
        copy_free_piece(in, v, a, p.n);
        copy_progress_add(&c->r->progress, (double)p.n * (double)v->value, true, 0, v->path);
    } while (rc == NC_NOERR && same && copy_pieces_next(&p));
    if (rc != NC_NOERR)
        (void)message_fail(rc, v->path);
    else if (!same)
        report_difference(c, v->path, "its data");
done:
    copy_pieces_clear(&p);
    free(a);
    free(b);
    return rc;
}

/* A classic file has one for all. */
static bool
find_group(const check *c, const copy_group *g, int *grp)
{
    *grp = c->root;
    return c->r->s->cdf != 0 || nc_inq_grp_full_ncid(c->root, g->path, grp) == NC_NOERR;
}

static int
compare_var(check *c, const copy_var *v)
{
    const copy_source *s = c->r->s;
    const copy_group  *g = &s->groups[v->group];
    int                grp, varid;

    if (!find_group(c, g, &grp) || nc_inq_varid(grp, v->name_out, &varid) != NC_NOERR) {
        report_difference(c, v->path, "its presence");
        return NC_NOERR;
    }
    if (!compare_shape(s, v, grp, varid)) {
        report_difference(c, v->path, "its type, dimensions or shape");
        return NC_NOERR;
    }
    compare_atts(c, v->group, v, grp, varid);
    if (v->carried && v->data) {
        bool same = true;
        int  rc = copy_compare_raw(c->r, v, grp, varid, &same);

        if (!same)
            report_difference(c, v->path, "its data");
        return rc;
    }
    return v->data && v->nelems > 0 ? compare_data(c, v, g->in, grp, varid) : NC_NOERR;
}

/* Consolidated metadata are a copy of the documents, and may be stale: those of the target must not be. */
static void
report_target_difference(const char *text, void *arg)
{
    check *c = arg;

    if (++c->wrong <= WRONG_MAX)
        message_print("%s: %s", c->r->t->parts.shown != NULL ? c->r->t->parts.shown : c->r->o->in, text);
}

static void
report_source_difference(const char *text, void *arg)
{
    copy_state *r = arg;

    message_print("%s: %s: #consolidated=yes copies by the consolidated metadata, #consolidated=no by the documents",
                  r->o->in, text);
}

static int
compare_consolidated(check *c, const char *path)
{
    char why[ERROR_TEXT_SIZE];
    int  compared, rc;

    if (!c->r->o->in_place && consolidated_compare(c->r->o->in, report_source_difference, c->r, &compared, why) != 0)
        message_print("%s: its consolidated metadata are not compared with its documents: %s", c->r->o->in, why);
    if ((rc = consolidated_compare(path, report_target_difference, c, &compared, why)) != NC_NOERR)
        message_print("%s: %s", path, why);
    return rc;
}

int
copy_verify(copy_state *r)
{
    const char *path =
        r->t->temp_path != NULL ? r->t->work : r->t->url; /* elsewhere it has been closed, and is there */
    check c = {.r = r};
    int   rc;

    if ((rc = nc_open(path, NC_NOWRITE, &c.root)) != NC_NOERR)
        return message_fail(rc, path);
    copy_progress_begin(&r->progress, r->o, copy_data_bytes(r->s));
    r->progress.phase = "verify";
    for (size_t i = 0; i < r->s->ngroups; i++) {
        int grp;

        if (!find_group(&c, &r->s->groups[i], &grp))
            report_difference(&c, r->s->groups[i].path, "its presence");
        else
            compare_atts(&c, i, NULL, grp, NC_GLOBAL);
    }
    for (size_t i = 0; rc == NC_NOERR && i < r->s->nvars; i++)
        rc = compare_var(&c, &r->s->vars[i]);
    copy_progress_end(&r->progress, rc == NC_NOERR);
    (void)nc_close(c.root);
    if (rc == NC_NOERR && r->s->cdf == 0)
        rc = compare_consolidated(&c, path);
    if (rc == NC_NOERR && c.wrong > 0) {
        message_print("%s: %zu differences", path, c.wrong);
        rc = NC_EIO;
    }
    return rc;
}
