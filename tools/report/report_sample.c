/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_sample.c: some of a variable's values, from few chunks: a chunk costs the same however little of it is used,
 * and in a bucket it is a request.
 */
#include "report_int.h"

#include "common/chunk_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CHUNK_BYTES ((double)(256 << 20)) /* larger chunks are not read */

/* ---- meaning -------------------------------------------------------------------------------------------------- */

static const nc_type signed_types[] = {NC_BYTE, NC_SHORT, NC_INT, NC_INT64};
static const nc_type unsigned_types[] = {NC_UBYTE, NC_USHORT, NC_UINT, NC_UINT64};

static bool
find_type(const nc_type list[4], nc_type type, size_t *at)
{
    for (*at = 0; *at < 4; ++*at)
        if (list[*at] == type)
            return true;
    return false;
}

/* By Unidata's _Unsigned: classic files have no unsigned types, and OPeNDAP has no signed byte. */
static nc_type
find_meant_type(const dump_var *v)
{
    text_buf t = TEXT_BUF_INIT;
    nc_type  type = v->type;
    size_t   i;

    if (report_add_att(&t, v->grp, v->id, "_Unsigned", 8)) {
        if (strcasecmp(t.s, "true") == 0 && find_type(signed_types, v->type, &i))
            type = unsigned_types[i];
        if (strcasecmp(t.s, "false") == 0 && find_type(unsigned_types, v->type, &i))
            type = signed_types[i];
    }
    text_clear(&t);
    return type;
}

/* An integer of another type than the variable's, which holds the same number. */
static double
change_sign(const report_meaning *m, double value)
{
    double half = ldexp(1, 8 * (int)dump_type_size(m->stored) - 1);
    size_t i;

    if (find_type(unsigned_types, m->type, &i))
        return value < 0 && value >= -half ? value + 2 * half : value;
    return value >= half && value < 2 * half ? value - 2 * half : value;
}

double
report_meaning_att(const report_meaning *m, const dump_att *a, size_t i)
{
    const char *p = (const char *)a->val + i * dump_type_size(a->type);
    double      value = dump_value_double(a->type == m->stored ? m->type : a->type, p);
    bool        other = m->type != m->stored && a->type != m->stored && a->type != m->type && a->type != NC_FLOAT &&
                 a->type != NC_DOUBLE;

    return other ? change_sign(m, value) : value;
}

/* `m` NULL: no value of the variable. */
static bool
load_number(const dump_var *v, const report_meaning *m, const char *name, size_t i, double *out)
{
    static const report_meaning plain;
    dump_att                    a;
    bool has = dump_att_load_named(v->grp, v->id, name, &a) == NC_NOERR && a.val != NULL && a.len > i &&
               a.user == NULL && a.type != NC_CHAR && a.type != NC_STRING;

    if (has)
        *out = report_meaning_att(m != NULL ? m : &plain, &a, i);
    /* Some writers give a float's few digits, such as 1e20, where no type says that it is one. */
    if (has && m != NULL && m->type == NC_FLOAT)
        *out = (double)(float)*out;
    dump_att_clear(&a);
    return has;
}

void
report_meaning_load(const dump_var *v, report_meaning *m)
{
    size_t n = 0;

    *m = (report_meaning){.scale = 1, .valid_min = -INFINITY, .valid_max = INFINITY, .stored = v->type};
    m->type = find_meant_type(v);
    dump_fill_load(v, &m->fill);
    m->packed = load_number(v, NULL, "scale_factor", 0, &m->scale);
    m->packed = load_number(v, NULL, "add_offset", 0, &m->offset) || m->packed;
    if (!load_number(v, m, "valid_range", 0, &m->valid_min) || !load_number(v, m, "valid_range", 1, &m->valid_max)) {
        (void)load_number(v, m, "valid_min", 0, &m->valid_min);
        (void)load_number(v, m, "valid_max", 0, &m->valid_max);
    }
    if (nc_inq_attlen(v->grp, v->id, "missing_value", &n) == NC_NOERR && n > 0 && n < 100) {
        m->missing = memory_alloc(n, sizeof *m->missing);
        while (m->nmissing < n && load_number(v, m, "missing_value", m->nmissing, &m->missing[m->nmissing]))
            m->nmissing++;
    }
}

void
report_meaning_clear(report_meaning *m)
{
    dump_fill_clear(&m->fill);
    free(m->missing);
    m->missing = NULL;
}

bool
report_is_numeric(const dump_var *v)
{
    return v->user == NULL && v->size > 0 && v->type != NC_CHAR && v->type != NC_STRING;
}

static double
value_of(const report_meaning *m, const void *p)
{
    double value = dump_value_double(m->type, p);
    bool   missing = value < m->valid_min || value > m->valid_max || (m->fill.has && dump_fill_matches(&m->fill, p));

    for (size_t i = 0; i < m->nmissing; i++)
        missing = missing || value == m->missing[i];
    return missing ? NAN : value * m->scale + m->offset;
}

/* ---- which indices -------------------------------------------------------------------------------------------- */

static double
product_of(const size_t *n, int ndims)
{
    double product = 1;

    for (int i = 0; i < ndims; i++)
        product *= (double)n[i];
    return product;
}

/* Halves the largest until the product is at most `most`. */
static void
reduce(size_t *n, int ndims, double most)
{
    while (product_of(n, ndims) > most) {
        int largest = 0;

        for (int i = 1; i < ndims; i++)
            if (n[i] > n[largest])
                largest = i;
        if (n[largest] <= 1)
            return;
        n[largest] = dump_divide_up(n[largest], 2);
    }
}

size_t
report_index_in_dim(const hyperslab_dim *part, size_t index)
{
    const hyperslab_run *run = part != NULL ? part->runs : NULL;

    if (run == NULL)
        return index;
    while (index >= run->count)
        index -= run++->count;
    return run->start + index * run->step;
}

/* Of a part of a dimension: its indices in the dataset, and runs of them that one request can name. */
static void
translate_indices(report_axis *a, const hyperslab_dim *part)
{
    a->source = memory_alloc(a->n, sizeof *a->source);
    for (size_t i = 0; i < a->n; i++)
        a->source[i] = report_index_in_dim(part, a->index[i]);
    if (part == NULL)
        return;
    free(a->run);
    a->run = memory_alloc(a->n + 1, sizeof *a->run);
    a->nruns = 0;
    for (size_t first = 0, end; first < a->n; first = end) {
        for (end = first + 1; end < a->n && a->source[end] > a->source[end - 1] &&
                              a->source[end] - a->source[end - 1] == a->source[first + 1] - a->source[first];)
            end++;
        a->run[a->nruns++] = first;
    }
    a->run[a->nruns] = a->n;
}

/* `chunks` of the chunks, evenly spaced, and about `points` indices in each. */
static void
choose_indices(report_axis *a, size_t chunks, size_t points)
{
    size_t grid = dump_divide_up(a->len, a->chunk);

    a->index = memory_alloc(chunks * points + 1, sizeof *a->index);
    a->run = memory_alloc(chunks + 1, sizeof *a->run);
    for (size_t c = 0; c < chunks; c++) {
        size_t first = (chunks > 1 ? (size_t)((double)c * (double)(grid - 1) / (double)(chunks - 1)) : 0) * a->chunk;
        size_t len = a->len - first < a->chunk ? a->len - first : a->chunk;
        size_t stride = dump_divide_up(len, points);

        a->run[a->nruns++] = a->n;
        for (size_t i = 0; i < len; i += stride)
            a->index[a->n++] = first + i;
    }
    a->run[a->nruns] = a->n;
}

static bool
load_chunk_shape(const dump_var *v, size_t *chunk)
{
    int storage = NC_CONTIGUOUS;

    if (v->ndims > 0 && nc_inq_var_chunking(v->grp, v->id, &storage, chunk) != NC_NOERR)
        return false;
    for (int i = 0; i < v->ndims; i++)
        if (storage != NC_CHUNKED || chunk[i] == 0 || chunk[i] > v->shape[i])
            chunk[i] = v->shape[i];
    return true;
}

/* False: too much would have to be decoded. */
static bool
plan_sample(report_page *p, const dump_var *v, const size_t *at, int free_dims, size_t most, report_sample *s)
{
    int     n = v->ndims;
    size_t *chunk = memory_alloc((size_t)n, sizeof *chunk), *count = memory_alloc((size_t)n, sizeof *count),
           *points = memory_alloc((size_t)n, sizeof *points);
    double bytes, chunks;
    bool   fits = load_chunk_shape(v, chunk);

    bytes = product_of(chunk, n) * (double)v->size;
    fits = fits && bytes <= CHUNK_BYTES;
    chunks = bytes > 0 && p->limits.var_bytes / bytes < p->limits.chunks ? floor(p->limits.var_bytes / bytes)
                                                                         : p->limits.chunks;
    for (int i = 0; i < n; i++) {
        bool fixed = at != NULL && i < n - free_dims;

        count[i] = fixed ? 1 : dump_divide_up(v->shape[i], chunk[i]);
        points[i] = fixed ? 1 : chunk[i];
    }
    reduce(count, n, chunks > 1 ? chunks : 1);
    reduce(points, n, (double)most / product_of(count, n));
    bytes *= product_of(count, n);
    fits = fits && p->decoded + bytes <= p->limits.bytes;
    *s = (report_sample){.ndims = n, .axis = memory_alloc((size_t)n, sizeof *s->axis), .n = 1, .all = true};
    for (int i = 0; fits && i < n; i++) {
        report_axis *a = &s->axis[i];
        bool         fixed = at != NULL && i < n - free_dims;

        *a = (report_axis){.len = v->shape[i], .chunk = chunk[i]};
        choose_indices(a, count[i], points[i]);
        if (fixed)
            a->index[0] = at[i];
        translate_indices(a, v->part[i]);
        s->n *= a->n;
        s->all = s->all && (fixed || a->n == a->len);
    }
    if (fits)
        p->decoded += bytes;
    free(chunk);
    free(count);
    free(points);
    return fits;
}

/* ---- reading -------------------------------------------------------------------------------------------------- */

typedef struct reading {
    const dump_var       *v;
    const report_meaning *m;
    report_sample        *s;
    size_t               *run; /* of each dimension: the run that is read now */
    size_t               *start, *count, *place;
    ptrdiff_t            *stride;
    char                 *buf;
    damage_log           *damage; /* damaged chunks */
    chunk_grid            grid;   /* once there are some */
    size_t                nread;  /* values that are not in these */
} reading;

/* Reads the box. What is in damaged chunks is missing, and *damaged then says that there are some. */
static int
read_values(reading *r, bool *damaged)
{
    const dump_var *v = r->v;
    hyperslab_var   var = {
          .ncid = v->grp, .varid = v->id, .rank = v->ndims, .type = v->type, .size = v->size, .damage = r->damage};
    int rc = nc_get_vars(v->grp, v->id, r->start, r->count, r->stride, r->buf);

    *damaged = rc != NC_NOERR;
    if (rc == NC_NOERR || (rc = damage_read(&var, rc, r->start, r->count, r->stride, r->buf)) != NC_NOERR)
        return rc;
    return r->grid.rank > 0 || v->ndims == 0 ? NC_NOERR : chunk_grid_load(v->grp, v->id, &r->grid);
}

/* Is the value at this place in the sample in a damaged chunk? */
static bool
is_damaged(const reading *r)
{
    size_t *chunk = memory_alloc(r->grid.rank + 1, sizeof *chunk);
    bool    is;

    for (size_t d = 0; d < r->grid.rank; d++)
        chunk[d] = chunk_grid_find(&r->grid, d, r->s->axis[d].source[r->place[d]]);
    is = damage_log_has(r->damage, r->v->grp, r->v->id, chunk_grid_place(&r->grid, chunk));
    free(chunk);
    return is;
}

/* Where the element with this place in each dimension's list of indices is in the sample. */
static size_t
offset_of(const report_sample *s, const size_t *place)
{
    size_t at = 0;

    for (int i = 0; i < s->ndims; i++)
        at = at * s->axis[i].n + place[i];
    return at;
}

/* Reads the box of the current run of each dimension, and puts the values where they belong. */
static int
read_box(reading *r)
{
    const report_sample *s = r->s;
    size_t               n = 1;
    bool                 damaged;
    int                  rc;

    for (int i = 0; i < s->ndims; i++) {
        const report_axis *a = &s->axis[i];
        size_t             first = a->run[r->run[i]], end = a->run[r->run[i] + 1];

        r->start[i] = a->source[first];
        r->count[i] = end - first;
        r->stride[i] = end - first > 1 ? (ptrdiff_t)(a->source[first + 1] - a->source[first]) : 1;
        r->place[i] = first;
        n *= r->count[i];
    }
    if ((rc = read_values(r, &damaged)) != NC_NOERR)
        return rc;
    for (size_t k = 0; k < n; k++) {
        bool lost = damaged && is_damaged(r);

        s->value[offset_of(s, r->place)] = lost ? NAN : value_of(r->m, r->buf + k * r->v->size);
        r->nread += !lost;
        for (int i = s->ndims - 1; i >= 0; i--) {
            const report_axis *a = &s->axis[i];

            if (++r->place[i] < a->run[r->run[i] + 1])
                break;
            r->place[i] = a->run[r->run[i]];
        }
    }
    return NC_NOERR;
}

static int
read_boxes(reading *r)
{
    for (;;) {
        int i, rc = read_box(r);

        if (rc != NC_NOERR)
            return rc;
        for (i = r->s->ndims - 1; i >= 0 && ++r->run[i] == r->s->axis[i].nruns; i--)
            r->run[i] = 0;
        if (i < 0)
            return NC_NOERR;
    }
}

/* All of them, or those that are not damaged; a failure if there are none. */
static int
read_sample(reading *r)
{
    int rc = read_boxes(r);

    if (rc == NC_NOERR && r->nread == 0 && r->s->n > 0) /* again, for its text */
        rc = nc_get_vars(r->v->grp, r->v->id, r->start, r->count, r->stride, r->buf);
    chunk_grid_clear(&r->grid);
    return rc;
}

int
report_sample_try(report_page *p, const dump_var *v, const report_meaning *m, const size_t *at, int free_dims,
                  size_t most, report_sample *s, const char **why)
{
    size_t  n = (size_t)v->ndims;
    reading r = {.v = v, .m = m, .s = s, .damage = &p->d.damage};
    int     rc;

    *s = (report_sample){.n = 0};
    *why = v->empty ? "no values: a dimension has length 0" : "not read: the chunks are too large to be drawn from";
    if (v->empty || !plan_sample(p, v, at, free_dims, most, s))
        return NC_EINVAL;
    s->value = memory_alloc(s->n, sizeof *s->value);
    r.run = memory_alloc(n, sizeof *r.run);
    r.start = memory_alloc(n, sizeof *r.start);
    r.count = memory_alloc(n, sizeof *r.count);
    r.place = memory_alloc(n, sizeof *r.place);
    r.stride = memory_alloc(n, sizeof *r.stride);
    r.buf = memory_alloc(s->n, v->size);
    if ((rc = read_sample(&r)) != NC_NOERR)
        *why = NULL;
    free(r.run);
    free(r.start);
    free(r.count);
    free(r.place);
    free(r.stride);
    free(r.buf);
    return rc;
}

bool
report_sample_read(report_page *p, const dump_var *v, const report_meaning *m, const size_t *at, int free_dims,
                   size_t most, report_sample *s, text_buf *why)
{
    const char *reason;
    int         rc = report_sample_try(p, v, m, at, free_dims, most, s, &reason);

    if (rc != NC_NOERR && reason != NULL)
        text_add(why, reason);
    if (rc != NC_NOERR && reason == NULL) {
        dump_add_error(why, rc, v->name);
        dump_fail(&p->d.report, rc, v->name);
    }
    return rc == NC_NOERR;
}

void
report_sample_clear(report_sample *s)
{
    for (int i = 0; s->axis != NULL && i < s->ndims; i++) {
        free(s->axis[i].index);
        free(s->axis[i].source);
        free(s->axis[i].run);
    }
    free(s->axis);
    free(s->value);
    *s = (report_sample){.n = 0};
}
