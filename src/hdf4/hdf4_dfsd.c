/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scientific datasets of the older interface, DFSD: numeric data groups, and of the oldest files scientific data groups
 * (4, Scientific Data Sets; 6, DFTAG_NDG, DFTAG_SDG, DFTAG_SDD and those that follow). Their variables and dimensions
 * have no names, and get those that the SD interface makes up.
 */
#include "hdf4/hdf4_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS = 3, MAX_NAME = 32, LIMITS = 2, CALIBRATION_DOUBLES = 36, CALIBRATION_FLOATS = 18 };

/* One set: what its group names. A reference of 0: it has none. */
typedef struct dataset {
    unsigned      tag, ref;
    unsigned      sdd, data, scales, texts[TEXTS];
    size_t        rank;
    uint64_t      shape[NCZ_HDF4_MAX_RANK];
    ncz_hdf4_type type, scale_types[NCZ_HDF4_MAX_RANK];
    ncz_hdf4_var  v; /* with the attributes so far */
    size_t        cap;
} dataset;

static const char *const text_names[TEXTS] = {"long_name", "units", "format"};
static const unsigned    text_tags[TEXTS] = {NCZ_HDF4_TAG_LABELS, NCZ_HDF4_TAG_UNITS, NCZ_HDF4_TAG_FORMATS};

/* ---- attributes ---- */

/* `data` is copied. */
static int
add_att(ncz_hdf4_reading *r, ncz_hdf4_var *v, size_t *cap, const char *name, const ncz_hdf4_type *type,
        const void *data, size_t n)
{
    unsigned char *copy = ncz_arena_get(&r->sd->arena, n * type->size + 1);
    char          *own = ncz_arena_text(&r->sd->arena, name, strlen(name));
    int            rc;

    if (copy == NULL || own == NULL)
        return ncz_fail_nomem(n * type->size);
    if (v->natts >= r->f->limits.attributes)
        return ncz_fail(NC_EHDFERR, "it has more than %zu attributes (limit `attributes`)", v->natts);
    if (n > 0)
        memcpy(copy, data, n * type->size);
    if ((rc = ncz_make_room((void *)&v->atts, v->natts, cap, sizeof *v->atts)) == NC_NOERR)
        v->atts[v->natts++] = (ncz_hdf4_attribute){.name = own, .type = *type, .n = n, .data = copy};
    return rc;
}

static int
add_text_att(ncz_hdf4_reading *r, ncz_hdf4_var *v, size_t *cap, const char *name, const char *text, size_t n)
{
    const ncz_hdf4_type type = {.code = NCZ_HDF4_CHAR, .size = 1};

    return n == 0 ? NC_NOERR : add_att(r, v, cap, name, &type, text, n);
}

/* Bytes of a text before its NUL, or all. */
static size_t
text_length(const char *s, size_t most)
{
    const char *end = most > 0 ? memchr(s, '\0', most) : NULL;

    return end != NULL ? (size_t)(end - s) : most;
}

/* String number `at` of an element of such: that of the data, then one for each dimension. False: it has no such. */
static bool
find_text(const ncz_buf *bytes, size_t at, const char **text, size_t *n)
{
    const char *s = ncz_buf_str(bytes), *end = s + bytes->len;

    for (size_t i = 0; i < at && s < end; i++)
        s += text_length(s, (size_t)(end - s)) + 1;
    if (s >= end)
        return false;
    *text = s;
    *n = text_length(s, (size_t)(end - s));
    return true;
}

static int
add_texts(ncz_hdf4_reading *r, const dataset *d, size_t at, ncz_hdf4_var *v, size_t *cap)
{
    ncz_buf     bytes = NCZ_BUF_INIT;
    const char *text;
    size_t      n;
    int         rc = NC_NOERR;

    for (size_t i = 0; i < TEXTS && rc == NC_NOERR; i++) {
        if (d->texts[i] == 0)
            continue;
        rc = ncz_hdf4_load_element(r->f, text_tags[i], d->texts[i], &bytes);
        if (rc == NC_NOERR && find_text(&bytes, at, &text, &n))
            rc = add_text_att(r, v, cap, text_names[i], text, n);
        rc = ncz_hdf4_sd_lose(r->sd, &r->losses_cap, rc, text_names[i], "");
    }
    ncz_buf_clear(&bytes);
    return rc;
}

/* Greatest and least value, of the data's type. */
static int
add_limits(ncz_hdf4_reading *r, dataset *d, const ncz_buf *bytes)
{
    int rc;

    if (bytes->len < LIMITS * d->type.size)
        return ncz_fail(NC_EHDFERR, "object %u/%u: its limits are cut", d->tag, d->ref);
    if ((rc = add_att(r, &d->v, &d->cap, "valid_max", &d->type, bytes->data, 1)) == NC_NOERR)
        rc = add_att(r, &d->v, &d->cap, "valid_min", &d->type, bytes->data + d->type.size, 1);
    return rc;
}

/* Four doubles and a number of 4 bytes; of old files floats, and one of 2. */
static int
add_calibration(ncz_hdf4_reading *r, dataset *d, const ncz_buf *bytes)
{
    static const char *const names[] = {"scale_factor", "scale_factor_err", "add_offset", "add_offset_err"};
    const ncz_hdf4_type      number = {.code = NCZ_HDF4_INT32, .size = 4};
    bool                     old = bytes->len < CALIBRATION_DOUBLES;
    ncz_hdf4_type            type = {.code = old ? NCZ_HDF4_FLOAT32 : NCZ_HDF4_FLOAT64, .size = old ? 4 : 8};
    unsigned char            code[4] = {0};
    int                      rc = NC_NOERR;

    if (bytes->len < CALIBRATION_FLOATS)
        return ncz_fail(NC_EHDFERR, "object %u/%u: its calibration is cut", d->tag, d->ref);
    for (size_t i = 0; i < NCZ_LEN(names) && rc == NC_NOERR; i++)
        rc = add_att(r, &d->v, &d->cap, names[i], &type, bytes->data + i * type.size, 1);
    memcpy(code + (old ? 2 : 0), bytes->data + NCZ_LEN(names) * type.size, old ? 2 : 4);
    return rc == NC_NOERR ? add_att(r, &d->v, &d->cap, "calibrated_nt", &number, code, 1) : rc;
}

static int
add_member_atts(ncz_hdf4_reading *r, dataset *d, const ncz_hdf4_member *m)
{
    ncz_buf bytes = NCZ_BUF_INIT;
    int     rc;

    if (m->tag != NCZ_HDF4_TAG_COORDSYS && m->tag != NCZ_HDF4_TAG_RANGE && m->tag != NCZ_HDF4_TAG_CALIBRATION)
        return NC_NOERR;
    if ((rc = ncz_hdf4_load_element(r->f, m->tag, m->ref, &bytes)) == NC_NOERR) {
        if (m->tag == NCZ_HDF4_TAG_COORDSYS)
            rc = add_text_att(r, &d->v, &d->cap, "coordsys", ncz_buf_str(&bytes),
                              text_length(ncz_buf_str(&bytes), bytes.len));
        else
            rc = m->tag == NCZ_HDF4_TAG_RANGE ? add_limits(r, d, &bytes) : add_calibration(r, d, &bytes);
    }
    ncz_buf_clear(&bytes);
    return ncz_hdf4_sd_lose(r->sd, &r->losses_cap, rc, "an attribute of", d->v.name);
}

/* Annotations name the object that they are about (5, Object Annotations). */
static int
add_annotations(ncz_hdf4_reading *r, dataset *d, unsigned tag, const char *name)
{
    const ncz_hdf4_dd *end, *dd = ncz_hdf4_first(r->f, tag, &end);
    ncz_buf            bytes = NCZ_BUF_INIT;
    unsigned           n = 0;
    int                rc = NC_NOERR;

    for (; dd != end && rc == NC_NOERR; dd++) {
        char       text[MAX_NAME];
        ncz_cursor c;

        if (dd->at == NCZ_HDF4_NONE ||
            (rc = ncz_hdf4_load(r->f, dd->at, dd->len, "an annotation", &bytes)) != NC_NOERR)
            continue;
        c = ncz_cursor_at(bytes.data, bytes.len);
        if (ncz_cursor_be(&c, 2) != d->tag || ncz_cursor_be(&c, 2) != d->ref || !c.good)
            continue;
        (void)snprintf(text, sizeof text, "%s-%u", name, ++n);
        rc = add_text_att(r, &d->v, &d->cap, text, bytes.data + c.pos, bytes.len - c.pos);
    }
    ncz_buf_clear(&bytes);
    return ncz_hdf4_sd_lose(r->sd, &r->losses_cap, rc, "an annotation of", d->v.name);
}

/* ---- shape and scales ---- */

static int
read_type(ncz_hdf4_reading *r, ncz_cursor *c, ncz_hdf4_type *out)
{
    unsigned tag = (unsigned)ncz_cursor_be(c, 2), ref = (unsigned)ncz_cursor_be(c, 2);

    (void)ncz_hdf4_type_make(NCZ_HDF4_FLOAT32, false, out);
    return c->good && tag == NCZ_HDF4_TAG_TYPE && ref != 0 ? ncz_hdf4_type_read(r->f, ref, out) : NC_NOERR;
}

/* Rank, lengths, and the number types of the data and of each scale (6, DFTAG_SDD). */
static int
read_shape(ncz_hdf4_reading *r, dataset *d)
{
    ncz_buf    bytes = NCZ_BUF_INIT;
    ncz_cursor c;
    int        rc = ncz_hdf4_load_element(r->f, NCZ_HDF4_TAG_SDD, d->sdd, &bytes);

    c = ncz_cursor_at(bytes.data, bytes.len);
    d->rank = (size_t)ncz_cursor_be(&c, 2);
    if (rc == NC_NOERR && (d->rank > NCZ_HDF4_MAX_RANK || d->rank > r->f->limits.rank))
        rc = ncz_fail(NC_EHDFERR, "object %u/%u has %zu dimensions", d->tag, d->ref, d->rank);
    for (size_t i = 0; i < d->rank && rc == NC_NOERR; i++)
        if ((d->shape[i] = ncz_cursor_u32be(&c)) > INT32_MAX)
            rc = ncz_fail(NC_EHDFERR, "object %u/%u has a negative length", d->tag, d->ref);
    if (rc == NC_NOERR && !c.good)
        rc = ncz_hdf4_cut_short("the shape", NCZ_HDF4_TAG_SDD, d->sdd);
    if (rc == NC_NOERR)
        rc = read_type(r, &c, &d->type);
    for (size_t i = 0; i < d->rank && rc == NC_NOERR; i++)
        rc = read_type(r, &c, &d->scale_types[i]);
    ncz_buf_clear(&bytes);
    return rc;
}

/* The variable of a dimension: of one that has a scale, `offset` bytes from the start of the scales; and, as the
 * library has it, of one that has neither a scale nor texts, without data. */
static int
add_scale(ncz_hdf4_reading *r, const dataset *d, size_t dim, bool has, size_t *number, uint64_t offset)
{
    const ncz_hdf4_dd *dd = ncz_hdf4_find(r->f, NCZ_HDF4_TAG_SCALES, d->scales);
    ncz_hdf4_var v = {.name = r->sd->dims[*number].name, .type = d->scale_types[dim], .rank = 1, .dims = number};
    size_t       cap = 0;
    int          rc = add_texts(r, d, dim + 1, &v, &cap);

    v.data.at = NCZ_HDF4_NONE;
    if (rc == NC_NOERR && !has && v.natts > 0)
        goto done;
    if (rc == NC_NOERR && has && (dd == NULL || ncz_hdf4_is_special(dd) || dd->at == NCZ_HDF4_NONE))
        rc = ncz_hdf4_note_lost(r, &v, ncz_fail(NC_ENOTBUILT, "its values are no plain object"));
    else if (rc == NC_NOERR && has)
        v.data = (ncz_hdf4_data){.kind = NCZ_HDF4_PLAIN,
                                 .tag = NCZ_HDF4_TAG_SCALES,
                                 .ref = d->scales,
                                 .at = dd->at + offset,
                                 .len = d->shape[dim] * v.type.size};
    if (rc == NC_NOERR && has && v.lost == NULL && offset + v.data.len > dd->len)
        rc = ncz_hdf4_note_lost(r, &v, ncz_hdf4_cut_short("its scale", NCZ_HDF4_TAG_SCALES, d->scales));
    if (rc == NC_NOERR && (rc = ncz_hdf4_add_var(r, &v)) == NC_NOERR)
        return rc;
done:
    ncz_free(v.atts);
    return rc;
}

/* A byte for each dimension that says whether it has a scale; then the scales (6, DFTAG_SDS). */
static int
add_scales(ncz_hdf4_reading *r, const dataset *d, size_t *dims)
{
    ncz_buf  bytes = NCZ_BUF_INIT;
    uint64_t offset = d->rank;
    int      rc = NC_NOERR;

    if (d->scales != 0)
        rc = ncz_hdf4_load_element(r->f, NCZ_HDF4_TAG_SCALES, d->scales, &bytes);
    if (rc == NC_NOERR && d->scales != 0 && bytes.len < d->rank)
        rc = ncz_hdf4_cut_short("the scales", NCZ_HDF4_TAG_SCALES, d->scales);
    for (size_t i = 0; i < d->rank && rc == NC_NOERR; i++) {
        bool has = d->scales != 0 && bytes.data[i] != 0;

        rc = add_scale(r, d, i, has, &dims[i], offset);
        offset += has ? d->shape[i] * d->scale_types[i].size : 0;
    }
    ncz_buf_clear(&bytes);
    return ncz_hdf4_sd_lose(r->sd, &r->losses_cap, rc, "the scales of", d->v.name);
}

static int
name_dims(ncz_hdf4_reading *r, const dataset *d, size_t *dims)
{
    char  text[MAX_NAME];
    char *name;
    int   rc = NC_NOERR;

    for (size_t i = 0; i < d->rank && rc == NC_NOERR; i++) {
        (void)snprintf(text, sizeof text, "fakeDim%zu", r->sd->ndims);
        if ((name = ncz_arena_text(&r->sd->arena, text, strlen(text))) == NULL)
            return ncz_fail_nomem(sizeof text);
        rc = ncz_hdf4_add_dim(r, name, d->shape[i], false, &dims[i]);
    }
    return rc;
}

/* ---- sets ---- */

static void
note_member(dataset *d, const ncz_hdf4_member *m)
{
    if (m->tag == NCZ_HDF4_TAG_SDD)
        d->sdd = m->ref;
    else if (m->tag == NCZ_HDF4_TAG_SD)
        d->data = m->ref;
    else if (m->tag == NCZ_HDF4_TAG_SCALES)
        d->scales = m->ref;
    for (size_t i = 0; i < TEXTS; i++)
        if (m->tag == text_tags[i])
            d->texts[i] = m->ref;
}

static int
read_variable(ncz_hdf4_reading *r, dataset *d, const ncz_hdf4_member *members, size_t n)
{
    size_t *dims;
    int     rc;

    for (size_t i = 0; i < n; i++)
        note_member(d, &members[i]);
    if ((rc = read_shape(r, d)) != NC_NOERR)
        return rc;
    if ((dims = ncz_arena_get_n(&r->sd->arena, d->rank + 1, sizeof *dims)) == NULL)
        return ncz_fail_nomem(d->rank * sizeof *dims);
    d->v.rank = d->rank;
    d->v.dims = dims;
    d->v.type = d->type;
    if ((rc = name_dims(r, d, dims)) != NC_NOERR || (rc = add_scales(r, d, dims)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < n && rc == NC_NOERR; i++)
        rc = add_member_atts(r, d, &members[i]);
    if (rc == NC_NOERR && (rc = add_annotations(r, d, NCZ_HDF4_TAG_DESCRIPTION, "remarks")) == NC_NOERR &&
        (rc = add_annotations(r, d, NCZ_HDF4_TAG_LABEL, "anno_label")) == NC_NOERR)
        rc = add_texts(r, d, 0, &d->v, &d->cap);
    if (rc == NC_NOERR && d->data != 0)
        rc = ncz_hdf4_note_lost(r, &d->v,
                                ncz_hdf4_data_read(r->f, NCZ_HDF4_TAG_SD, d->data, &r->sd->arena, &d->v.data));
    return rc == NC_NOERR ? ncz_hdf4_add_var(r, &d->v) : rc;
}

/* The members of a group: tag and reference each. */
static int
load_members(ncz_hdf4 *f, unsigned tag, unsigned ref, ncz_hdf4_member **out, size_t *n)
{
    ncz_buf    bytes = NCZ_BUF_INIT;
    ncz_cursor c;
    int        rc = ncz_hdf4_load_element(f, tag, ref, &bytes);

    *out = NULL;
    *n = bytes.len / 4;
    c = ncz_cursor_at(bytes.data, bytes.len);
    if (rc == NC_NOERR && (*out = ncz_alloc_n(*n, sizeof **out)) == NULL)
        rc = ncz_fail_nomem(*n * sizeof **out);
    for (size_t i = 0; i < *n && rc == NC_NOERR; i++) {
        (*out)[i].tag = (uint16_t)ncz_cursor_be(&c, 2);
        (*out)[i].ref = (uint16_t)ncz_cursor_be(&c, 2);
    }
    ncz_buf_clear(&bytes);
    return rc;
}

/* A link names a numeric data group, and the older group that stands for the same set. */
static int
note_links(ncz_hdf4_reading *r, const ncz_hdf4_member *members, size_t n, bool *linked)
{
    ncz_buf    bytes = NCZ_BUF_INIT;
    ncz_cursor c;
    int        rc = NC_NOERR;

    for (size_t i = 0; i < n && rc == NC_NOERR; i++) {
        if (members[i].tag != NCZ_HDF4_TAG_LINK)
            continue;
        rc = ncz_hdf4_load_element(r->f, NCZ_HDF4_TAG_LINK, members[i].ref, &bytes);
        c = ncz_cursor_at(bytes.data, bytes.len);
        (void)ncz_cursor_u32be(&c);
        if (rc == NC_NOERR && ncz_cursor_be(&c, 2) == NCZ_HDF4_TAG_SDG)
            linked[ncz_cursor_be(&c, 2)] = true;
        rc = ncz_hdf4_sd_lose(r->sd, &r->losses_cap, rc, "a link", "");
    }
    ncz_buf_clear(&bytes);
    return rc;
}

static int
add_set(ncz_hdf4_reading *r, const ncz_hdf4_dd *dd, bool *linked)
{
    dataset          d = {.tag = dd->tag & ~(unsigned)NCZ_HDF4_SPECIAL, .ref = dd->ref};
    ncz_hdf4_member *members = NULL;
    size_t           n = 0;
    char             name[MAX_NAME];
    int              rc;

    (void)snprintf(name, sizeof name, "Data-Set-%u", d.ref);
    if ((d.v.name = ncz_arena_text(&r->sd->arena, name, strlen(name))) == NULL)
        return ncz_fail_nomem(sizeof name);
    d.v.data.at = NCZ_HDF4_NONE;
    if ((rc = load_members(r->f, d.tag, d.ref, &members, &n)) == NC_NOERR && d.tag == NCZ_HDF4_TAG_NDG)
        rc = note_links(r, members, n, linked);
    if (rc == NC_NOERR)
        rc = read_variable(r, &d, members, n);
    ncz_free(members);
    if (rc != NC_NOERR)
        ncz_free(d.v.atts);
    return ncz_hdf4_sd_lose(r->sd, &r->losses_cap, rc, "variable", name);
}

static int
compare_orders(const void *a, const void *b)
{
    uint32_t x = ((const ncz_hdf4_dd *)a)->order, y = ((const ncz_hdf4_dd *)b)->order;

    return x < y ? -1 : x > y;
}

/* All groups of a tag in the order of the file. */
static int
add_sets(ncz_hdf4_reading *r, unsigned tag, bool *linked)
{
    const ncz_hdf4_dd *end, *first = ncz_hdf4_first(r->f, tag, &end);
    size_t             n = first == end ? 0 : (size_t)(end - first);
    ncz_hdf4_dd       *dds;
    int                rc = NC_NOERR;

    if (n == 0)
        return NC_NOERR;
    if ((dds = ncz_dup(first, n * sizeof *dds)) == NULL)
        return ncz_fail_nomem(n * sizeof *dds);
    qsort(dds, n, sizeof *dds, compare_orders);
    for (size_t i = 0; i < n && rc == NC_NOERR; i++)
        if (tag == NCZ_HDF4_TAG_NDG || !linked[dds[i].ref])
            rc = add_set(r, &dds[i], linked);
    ncz_free(dds);
    return rc;
}

int
ncz_hdf4_dfsd_read(ncz_hdf4_reading *r)
{
    bool *linked = ncz_zalloc(NCZ_HDF4_REFS * sizeof *linked);
    int   rc;

    if (linked == NULL)
        return ncz_fail_nomem(NCZ_HDF4_REFS);
    if ((rc = add_sets(r, NCZ_HDF4_TAG_NDG, linked)) == NC_NOERR)
        rc = add_sets(r, NCZ_HDF4_TAG_SDG, linked);
    ncz_free(linked);
    return rc;
}
