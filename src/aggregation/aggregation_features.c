/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * aggregation_features: where the fragments of an aggregation lie, from the variables that its attribute names. Source:
 * CF-1.13, section 2.8.2. They are read once, all together, when a value is first asked for, so that a wrong one costs
 * its variable only.
 */
#include "aggregation/aggregation_int.h"

#include <string.h>

enum { FRAGMENTS_MOST = 1000000, FEATURE_BYTES = 64 << 20 };

/* ---- what missing values read as ---- */

int
ncz_aggregated_set_fill(ncz_aggregated *g)
{
    const ncz_var *v = g->v;
    const ncz_att *att = ncz_atts_find(&v->atts, "missing_value");
    const void    *value = ncz_aggregation_fill(v);

    if (value == NULL && att != NULL && att->len > 0 && att->type == v->type)
        value = att->data;
    else if (value == NULL)
        value = v->type->fill;
    return value != NULL ? ncz_type_dup_elems(v->type, value, 1, &g->fill) : NC_NOERR;
}

/* ---- reading a variable whole ---- */

static int
count_elements(const ncz_var *v, size_t item, size_t *n)
{
    size_t nbytes;

    *n = 1;
    for (size_t d = 0; d < v->rank; d++)
        if (v->dims[d]->len > SIZE_MAX || !ncz_mul(*n, (size_t)v->dims[d]->len, n))
            *n = SIZE_MAX;
    if (!ncz_mul(*n, item, &nbytes) || nbytes > FEATURE_BYTES)
        return ncz_fail(NC_EVARSIZE, "%s: more than %d MiB of one feature of an aggregation", v->name,
                        FEATURE_BYTES >> 20);
    return NC_NOERR;
}

/* All its values, as `mem`; the caller frees them with ncz_type_free_elems() and ncz_free(). */
static int
read_all(ncz_dataset *ds, ncz_var *v, const ncz_type *mem, void **out, size_t *n)
{
    ncz_dims   start, count, stride;
    ptrdiff_t *imap = ncz_alloc_n(v->rank + 1, sizeof *imap);
    ncz_select sel;
    int        rc;

    *out = NULL;
    start.v = count.v = stride.v = NULL;
    if (imap == NULL)
        return ncz_fail_nomem(v->rank);
    if ((rc = count_elements(v, mem->size, n)) != NC_NOERR || (rc = ncz_dims_init(&start, v->rank)) != NC_NOERR ||
        (rc = ncz_dims_init(&count, v->rank)) != NC_NOERR || (rc = ncz_dims_init(&stride, v->rank)) != NC_NOERR)
        goto done;
    for (size_t d = 0; d < v->rank; d++) {
        count.v[d] = v->dims[d]->len;
        stride.v[d] = 1;
    }
    sel = (ncz_select){.rank = v->rank, .start = start.v, .count = count.v, .stride = stride.v, .imap = imap};
    if ((*out = ncz_zalloc_n(*n, mem->size)) == NULL)
        rc = ncz_fail_nomem(*n);
    else if (*n > 0 && ncz_grid_packed_imap(count.v, v->rank, imap))
        rc = ncz_dataset_get(ds, v, &sel, mem, *out);
    if (rc != NC_NOERR) {
        ncz_free(*out);
        *out = NULL;
    }
done:
    ncz_dims_clear(&start);
    ncz_dims_clear(&count);
    ncz_dims_clear(&stride);
    ncz_free(imap);
    return rc;
}

/* ---- the map ---- */

void
ncz_fragment_map_clear(const ncz_var *v, ncz_fragment_map *m)
{
    for (size_t d = 0; m->start != NULL && d < m->rank; d++)
        ncz_free(m->start[d]);
    ncz_free(m->start);
    ncz_free(m->n);
    for (size_t i = 0; m->uris != NULL && i < m->total; i++)
        ncz_free(m->uris[i]);
    for (size_t i = 0; m->identifiers != NULL && i < (m->common ? 1 : m->total); i++)
        ncz_free(m->identifiers[i]);
    ncz_free(m->uris);
    ncz_free(m->identifiers);
    if (m->values != NULL)
        ncz_type_free_elems(v->type, m->values, m->total);
    ncz_free(m->values);
    ncz_free(m->absent);
    *m = (ncz_fragment_map){.rank = 0};
}

/* The value that pads the rows of a map: its fill value, or its type's. */
static int
find_padding(const ncz_var *map, int64_t *out)
{
    const void *fill = ncz_aggregation_fill(map);

    *out = INT64_MIN;
    if (fill == NULL)
        fill = map->type->fill;
    if (fill == NULL)
        return NC_NOERR;
    return ncz_convert(map->type, fill, ncz_type_of(NC_INT64), out, 1, false) == NC_ENOMEM ? NC_ENOMEM : NC_NOERR;
}

/* One row: the lengths of the fragments along dimension d, `n` numbers with padding. */
static int
take_row(ncz_aggregated *g, size_t d, const int64_t *row, size_t n, int64_t padding)
{
    const ncz_dim *dim = g->v->dims[d];
    uint64_t      *start = ncz_alloc_n(n + 1, sizeof *start), end = 0;
    size_t         used = 0;

    if (start == NULL)
        return ncz_fail_nomem(n);
    g->map.start[d] = start;
    for (; used < n && row[used] != padding; used++) {
        start[used] = end;
        if (row[used] < 1 || !ncz_add64(end, (uint64_t)row[used], &end))
            return ncz_fail(NC_EINVAL, "%s: its map %s has %lld as a fragment's length along %s", g->v->name,
                            g->features.map->name, (long long)row[used], dim->name);
    }
    start[used] = end;
    g->map.n[d] = used;
    if (end != dim->len)
        return ncz_fail(NC_EBADDIM, "%s: its map %s has %llu elements along %s, which is %llu long", g->v->name,
                        g->features.map->name, (unsigned long long)end, dim->name, (unsigned long long)dim->len);
    return NC_NOERR;
}

static int
count_fragments(ncz_aggregated *g)
{
    g->map.total = 1;
    for (size_t d = 0; d < g->map.rank; d++)
        if (!ncz_mul(g->map.total, g->map.n[d], &g->map.total) || g->map.total > FRAGMENTS_MOST)
            return ncz_fail(NC_EVARSIZE, "%s: more than %d fragments", g->v->name, FRAGMENTS_MOST);
    return NC_NOERR;
}

static int
read_map(ncz_aggregated *g)
{
    ncz_var *map = g->features.map;
    size_t   rank = g->v->rank, n, rows;
    int64_t *lengths = NULL, padding;
    void    *values = NULL;
    int      rc;

    g->map.rank = rank;
    if ((rc = find_padding(map, &padding)) != NC_NOERR ||
        (rc = read_all(g->of->ds, map, ncz_type_of(NC_INT64), &values, &n)) != NC_NOERR)
        return rc;
    lengths = values;
    g->map.n = ncz_zalloc_n(rank + 1, sizeof *g->map.n);
    g->map.start = ncz_zalloc_n(rank + 1, sizeof *g->map.start);
    rows = map->rank == 2 && map->dims[0]->len <= n ? (size_t)map->dims[0]->len : rank;
    if (g->map.n == NULL || g->map.start == NULL)
        rc = ncz_fail_nomem(rank);
    else if (rank == 0 && (n != 1 || lengths[0] != 1))
        rc = ncz_fail(NC_EINVAL, "%s: its map %s is not one 1, although it has no dimensions", g->v->name, map->name);
    else if (rank > 0 && ((map->rank != 2 && !(map->rank == 1 && rank == 1)) || rows != rank))
        rc = ncz_fail(NC_EINVAL, "%s: its map %s does not have one row for each of its %zu dimensions", g->v->name,
                      map->name, rank);
    for (size_t d = 0; d < rank && rc == NC_NOERR; d++)
        rc = take_row(g, d, lengths + d * (n / rank), n / rank, padding);
    ncz_free(values);
    return rc == NC_NOERR ? count_fragments(g) : rc;
}

/* ---- texts: strings, or characters with a last dimension for them ---- */

/* Texts of `width` characters each, without the NULs and blanks behind. */
static int
cut_texts(const char *chars, size_t n, size_t width, char **out)
{
    for (size_t i = 0; i < n; i++) {
        const char *s = chars + i * width;
        size_t      len = 0;

        while (len < width && s[len] != '\0')
            len++;
        while (len > 0 && s[len - 1] == ' ')
            len--;
        if ((out[i] = ncz_strndup(s, len)) == NULL)
            return ncz_fail_nomem(len + 1);
    }
    return NC_NOERR;
}

/* Whether the first `rank` dimensions of a feature are as long as there are fragments. */
static bool
has_shape(const ncz_aggregated *g, const ncz_var *f, size_t rank)
{
    if (rank != g->map.rank)
        return g->map.rank == 0 && g->map.total == 1 && rank == 1 && f->dims[0]->len == 1;
    for (size_t d = 0; d < rank; d++)
        if (f->dims[d]->len != g->map.n[d])
            return false;
    return true;
}

static void
free_texts(char **texts, size_t n)
{
    for (size_t i = 0; texts != NULL && i < n; i++)
        ncz_free(texts[i]);
    ncz_free(texts);
}

/* The texts of a feature: one for each fragment, or a single one (*common), where it may be so (`common` not NULL). */
static int
read_texts(ncz_aggregated *g, ncz_var *f, bool *common, char ***out)
{
    bool   chars = f->type->class == NCZ_TYPE_CHAR, single;
    size_t rank = f->rank - (chars && f->rank > 0), n, all;
    void  *values;
    int    rc;

    if (!chars && f->type->class != NCZ_TYPE_STRING)
        return ncz_fail(NC_EBADTYPE, "%s: its feature %s is of type %s, not of texts", g->v->name, f->name,
                        f->type->name);
    single = common != NULL && rank == 0;
    if (!single && !has_shape(g, f, rank))
        return ncz_fail(NC_EBADDIM, "%s: its feature %s does not have the shape of the fragments in its map %s",
                        g->v->name, f->name, g->features.map->name);
    if ((rc = read_all(g->of->ds, f, f->type, &values, &all)) != NC_NOERR)
        return rc;
    if (common != NULL)
        *common = single;
    if (!chars) {
        *out = values; /* strings of ncz_alloc(), as ours */
        return NC_NOERR;
    }
    n = single ? 1 : g->map.total;
    if ((*out = ncz_zalloc_n(n, sizeof **out)) == NULL)
        rc = ncz_fail_nomem(n);
    else if ((rc = cut_texts(values, n, n > 0 ? all / n : 0, *out)) != NC_NOERR) {
        free_texts(*out, n);
        *out = NULL;
    }
    ncz_free(values);
    return rc;
}

/* A text that is the variable's fill value stands for none. */
static void
drop_fill_texts(const ncz_var *f, char **texts, size_t n)
{
    const void *value = f->type->class == NCZ_TYPE_STRING ? ncz_aggregation_fill(f) : NULL;
    const char *fill = value != NULL ? *(char *const *)value : NULL;

    for (size_t i = 0; i < n && fill != NULL; i++)
        if (texts[i] != NULL && strcmp(texts[i], fill) == 0)
            texts[i][0] = '\0';
}

/* ---- unique values ---- */

/* An element of the feature is missing if it is a fill value or one of its missing values. */
static bool
is_missing(const ncz_var *f, const char *elem)
{
    const ncz_att *att = ncz_atts_find(&f->atts, "missing_value");
    const void    *fill = ncz_aggregation_fill(f);
    size_t         size = f->type->size;

    if (fill == NULL && size > 1)
        fill = f->type->fill;
    if (fill != NULL && ncz_type_equal_elems(f->type, elem, fill, 1))
        return true;
    for (size_t i = 0; att != NULL && att->type == f->type && i < att->len; i++)
        if (ncz_type_equal_elems(f->type, elem, (const char *)att->data + i * size, 1))
            return true;
    return false;
}

static int
read_values(ncz_aggregated *g)
{
    ncz_var        *f = g->features.unique_values;
    const ncz_type *type = g->v->type;
    void           *values;
    size_t          n;
    int             rc;

    if (!has_shape(g, f, f->rank))
        return ncz_fail(NC_EBADDIM, "%s: its feature %s does not have the shape of the fragments in its map %s",
                        g->v->name, f->name, g->features.map->name);
    if ((rc = read_all(g->of->ds, f, f->type, &values, &n)) != NC_NOERR)
        return rc;
    g->map.absent = ncz_zalloc_n(n, sizeof *g->map.absent);
    g->map.values = ncz_zalloc_n(n, type->size);
    if (g->map.absent == NULL || g->map.values == NULL)
        rc = ncz_fail_nomem(n * type->size);
    for (size_t i = 0; i < n && rc == NC_NOERR; i++) {
        const char *elem = (const char *)values + i * f->type->size;

        if (!(g->map.absent[i] = is_missing(f, elem)))
            rc = ncz_convert(f->type, elem, type, (char *)g->map.values + i * type->size, 1, false);
    }
    if (rc == NC_ECHAR || rc == NC_EBADTYPE)
        rc = ncz_fail(rc, "%s: its unique values %s are of type %s, which is not converted to %s", g->v->name,
                      f->name, f->type->name, type->name);
    else if (rc == NC_ERANGE)
        rc = ncz_fail(rc, "%s: one of its unique values %s does not fit type %s", g->v->name, f->name, type->name);
    ncz_type_free_elems(f->type, values, n);
    ncz_free(values);
    return rc;
}

/* ---- all of it ---- */

/* What says where values lie is stored: an aggregation could lead back to this one. */
static int
check_stored(const ncz_aggregated *g)
{
    const ncz_features *f = &g->features;
    const ncz_var      *vars[] = {f->map, f->uris, f->identifiers, f->unique_values};

    for (size_t i = 0; i < NCZ_LEN(vars); i++)
        if (vars[i] != NULL && vars[i]->source != NULL)
            return ncz_fail(NC_EINVAL, "%s: %s, which says where its values lie, is an aggregation itself",
                            g->v->name, vars[i]->name);
    return NC_NOERR;
}

static int
read_features(ncz_aggregated *g)
{
    ncz_fragment_map *m = &g->map;
    int               rc = check_stored(g);

    if (rc != NC_NOERR || (rc = read_map(g)) != NC_NOERR)
        return rc;
    if (g->features.unique_values != NULL)
        return read_values(g);
    if ((rc = read_texts(g, g->features.uris, NULL, &m->uris)) != NC_NOERR)
        return rc;
    drop_fill_texts(g->features.uris, m->uris, m->total);
    return read_texts(g, g->features.identifiers, &m->common, &m->identifiers);
}

int
ncz_features_read(ncz_aggregated *g)
{
    int rc = NC_NOERR;

    (void)pthread_mutex_lock(&g->lock);
    if (g->state == NCZ_FEATURES_WRONG) {
        rc = ncz_err_adopt(&g->wrong);
    } else if (g->state == NCZ_FEATURES_UNREAD) {
        if ((rc = read_features(g)) == NC_NOERR) {
            g->state = NCZ_FEATURES_READ;
        } else {
            ncz_fragment_map_clear(g->v, &g->map);
            /* A server that does not answer may answer later. */
            if (rc == NC_EINVAL || rc == NC_EBADDIM || rc == NC_EVARSIZE || rc == NC_EBADTYPE) {
                ncz_err_save(&g->wrong, rc);
                g->state = NCZ_FEATURES_WRONG;
            }
        }
    }
    (void)pthread_mutex_unlock(&g->lock);
    return rc;
}
