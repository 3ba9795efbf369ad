/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_join_write: the aggregation that joins files. Source: CF-1.13, section 2.8. Each variable of the first file is an
 * aggregation: along the dimension one fragment for each file, else one in the first file. Variables with the same
 * dimensions share their map and URIs; a text that names the variable is each one's own.
 */
#include "api/api_join.h"

#include <stdio.h>
#include <string.h>

/* What variables with the same dimensions share. */
typedef struct shape {
    const ncz_join_var *like;
    char                map[40], uris[40];
    int                 map_id, uris_id;
} shape;

typedef struct writing {
    const ncz_join *j;
    int             ncid;
    int             values;  /* joined files, whose coordinates are stored; -1: nothing is stored, but for us */
    bool            classic; /* a classic file: it has no strings, and no integers of 8 bytes */
    size_t          total;   /* the length of the joined dimension */
    size_t          nfull;   /* files that have something along it: a fragment is not empty */
    shape          *shapes;
    size_t          nshapes, cap;
    int            *identifiers; /* of each variable */
} writing;

/* Is it for any reader? */
static bool
stores(const writing *w)
{
    return w->values >= 0;
}

/* ---- groups, dimensions, attributes ---- */

/* What an attribute of packed values is that says nothing of unpacked ones. */
static bool
is_of_packed(const char *name)
{
    static const char *const names[] = {"scale_factor",  "add_offset",  "_Unsigned", "_FillValue",
                                        "missing_value", "valid_range", "valid_min", "valid_max"};

    for (size_t i = 0; i < NCZ_LEN(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* `unpacked`: of a variable that is so here. */
static int
copy_atts(int from, int from_var, int to, int to_var, bool unpacked)
{
    char name[NC_MAX_NAME + 1];
    int  n, rc = from_var == NC_GLOBAL ? nc_inq_natts(from, &n) : nc_inq_varnatts(from, from_var, &n);

    for (int i = 0; i < n && rc == NC_NOERR; i++)
        if ((rc = nc_inq_attname(from, from_var, i, name)) == NC_NOERR && strcmp(name, "_NCProperties") != 0 &&
            !(unpacked && is_of_packed(name)))
            rc = nc_copy_att(from, from_var, name, to, to_var);
    return rc;
}

static int
define_dims(const writing *w, int from, int to)
{
    char   name[NC_MAX_NAME + 1];
    size_t len;
    int    n, *ids, rc = nc_inq_dimids(from, &n, NULL, 0);

    if (rc != NC_NOERR || n == 0)
        return rc;
    if ((ids = ncz_alloc_n((size_t)n, sizeof *ids)) == NULL)
        return ncz_fail_nomem((size_t)n * sizeof *ids);
    rc = nc_inq_dimids(from, NULL, ids, 0);
    for (int i = 0; i < n && rc == NC_NOERR; i++)
        if ((rc = nc_inq_dim(from, ids[i], name, &len)) == NC_NOERR) {
            if (strcmp(name, w->j->along) == 0)
                len = w->total;
            rc = nc_def_dim(to, name, len, NULL); /* 0: an unlimited one, without an element */
        }
    ncz_free(ids);
    return rc;
}

static int
define_group(const writing *w, int from, int to)
{
    char name[NC_MAX_NAME + 1];
    int  n = 0, *ids, child, rc;

    if ((rc = define_dims(w, from, to)) != NC_NOERR ||
        (rc = copy_atts(from, NC_GLOBAL, to, NC_GLOBAL, false)) != NC_NOERR)
        return rc;
    if ((rc = nc_inq_grps(from, &n, NULL)) != NC_NOERR || n == 0)
        return rc == NC_ENOTNC4 ? NC_NOERR : rc; /* a classic file has none */
    if ((ids = ncz_alloc_n((size_t)n, sizeof *ids)) == NULL)
        return ncz_fail_nomem((size_t)n * sizeof *ids);
    rc = nc_inq_grps(from, NULL, ids);
    for (int i = 0; i < n && rc == NC_NOERR; i++)
        if ((rc = nc_inq_grpname(ids[i], name)) == NC_NOERR && (rc = nc_def_grp(to, name, &child)) == NC_NOERR)
            rc = define_group(w, ids[i], child);
    ncz_free(ids);
    return rc;
}

/* ---- variables ---- */

static bool
same_shape(const ncz_join_var *a, const ncz_join_var *b)
{
    if (a->rank != b->rank || a->at != b->at)
        return false;
    for (int d = 0; d < a->rank; d++)
        if (d != a->at && a->lens[d] != b->lens[d])
            return false;
    return true;
}

/* A dimension for something of that length, with a name of its own. */
static int
define_length(const writing *w, const char *prefix, size_t len, int *dimid)
{
    char name[NC_MAX_NAME + 1];

    snprintf(name, sizeof name, "%s_%zu", prefix, len);
    return nc_inq_dimid(w->ncid, name, dimid) == NC_NOERR ? NC_NOERR : nc_def_dim(w->ncid, name, len, dimid);
}

/* Defines a variable of n texts of at most `most` bytes, along these dimensions and, of characters, one more, which the
 * array has room for. */
static int
define_texts(const writing *w, const char *name, int rank, int *dims, size_t most, int *varid)
{
    int rc;

    if (!w->classic)
        return nc_def_var(w->ncid, name, NC_STRING, rank, dims, varid);
    if ((rc = define_length(w, "fragment_letters", most > 0 ? most : 1, &dims[rank])) != NC_NOERR)
        return rc;
    return nc_def_var(w->ncid, name, NC_CHAR, rank + 1, dims, varid);
}

static int
put_texts(const writing *w, int varid, const char *const *texts, size_t n, size_t most)
{
    char *rows;
    int   rc;

    if (!w->classic) {
        const char **own = ncz_alloc_n(n + 1, sizeof *own); /* of a type without const */

        if (own == NULL)
            return ncz_fail_nomem(n * sizeof *own);
        memcpy(own, texts, n * sizeof *own);
        rc = nc_put_var_string(w->ncid, varid, own);
        ncz_free(own);
        return rc;
    }
    most = most > 0 ? most : 1;
    if ((rows = ncz_zalloc_n(n, most)) == NULL)
        return ncz_fail_nomem(n * most);
    for (size_t i = 0; i < n; i++)
        memcpy(rows + i * most, texts[i], strlen(texts[i]));
    rc = nc_put_var_text(w->ncid, varid, rows);
    ncz_free(rows);
    return rc;
}

/* The longest place. */
static size_t
measure_uris(const writing *w)
{
    size_t most = 0;

    for (size_t i = 0; i < w->j->files.n; i++) {
        size_t len = strlen(w->j->files.v[i].uri);

        most = len > most ? len : most;
    }
    return most;
}

static size_t
fragments_of(const writing *w, const ncz_join_var *v)
{
    return v->at == NCZ_JOIN_FIXED ? 1 : w->nfull;
}

/* Its map has a row for each dimension, its URIs a dimension for each. */
static int
define_shape(writing *w, const ncz_join_var *v, shape *s)
{
    int dims[2], rank = v->rank, rc = NC_NOERR, one = 0, all = 0, *ids = ncz_alloc_n((size_t)rank + 2, sizeof *ids);

    if (ids == NULL)
        return ncz_fail_nomem((size_t)rank);
    *s = (shape){.like = v};
    snprintf(s->map, sizeof s->map, "fragment_map_%zu", w->nshapes);
    snprintf(s->uris, sizeof s->uris, "fragment_uris_%zu", w->nshapes);
    if (rank > (v->at != NCZ_JOIN_FIXED)) /* a dimension that no variable had would be seen */
        rc = define_length(w, "fragments", 1, &one);
    if (rc == NC_NOERR && rank > 0 && (rc = define_length(w, "fragments", fragments_of(w, v), &all)) == NC_NOERR)
        rc = define_length(w, "fragment_rows", (size_t)rank, &dims[0]);
    dims[1] = all;
    for (int d = 0; d < rank; d++)
        ids[d] = d == v->at ? all : one;
    if (rc == NC_NOERR && (rc = nc_def_var(w->ncid, s->map, w->classic ? NC_INT : NC_INT64, rank > 0 ? 2 : 0, dims,
                                           &s->map_id)) == NC_NOERR)
        rc = define_texts(w, s->uris, rank, ids, measure_uris(w), &s->uris_id);
    ncz_free(ids);
    return rc;
}

static int
find_shape(writing *w, const ncz_join_var *v, const shape **out)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < w->nshapes; i++)
        if (same_shape(w->shapes[i].like, v)) {
            *out = &w->shapes[i];
            return NC_NOERR;
        }
    if ((rc = ncz_make_room(&w->shapes, w->nshapes, &w->cap, sizeof *w->shapes)) == NC_NOERR &&
        (rc = define_shape(w, v, &w->shapes[w->nshapes])) == NC_NOERR)
        *out = &w->shapes[w->nshapes++];
    return rc;
}

static int
find_group(int ncid, const ncz_join_var *v, int *grp)
{
    *grp = ncid;
    return strcmp(v->group, "/") != 0 ? nc_inq_grp_full_ncid(ncid, v->group, grp) : NC_NOERR;
}

static int
put_aggregation(int grp, int varid, const ncz_join_var *v, const shape *s, const char *identifiers)
{
    ncz_buf dims = NCZ_BUF_INIT, data = NCZ_BUF_INIT;
    int     rc = NC_NOERR;

    for (int d = 0; d < v->rank && rc == NC_NOERR; d++)
        rc = ncz_buf_printf(&dims, "%s%s", d > 0 ? " " : "", v->dims[d]);
    if (rc == NC_NOERR)
        rc = ncz_buf_printf(&data, "map: /%s uris: /%s identifiers: /%s", s->map, s->uris, identifiers);
    if (rc == NC_NOERR &&
        (rc = nc_put_att_text(grp, varid, "aggregated_dimensions", dims.len, ncz_buf_str(&dims))) == NC_NOERR)
        rc = nc_put_att_text(grp, varid, "aggregated_data", data.len, ncz_buf_str(&data));
    ncz_buf_clear(&dims);
    ncz_buf_clear(&data);
    return rc;
}

/* A variable's path, in new memory. */
static char *
path_of(const ncz_join_var *v)
{
    return ncz_sprintf("%s%s%s", v->group, v->group[1] != '\0' ? "/" : "", v->name);
}

/* Is it unpacked here? Where all files pack alike, what is stored stays as it is, for this library alone. */
static bool
is_unpacked(const writing *w, size_t i)
{
    return w->j->vars[i].packed && (stores(w) || atomic_load(&w->j->differs[i]));
}

static nc_type
unsigned_type(nc_type type)
{
    switch (type) {
    case NC_BYTE: return NC_UBYTE;
    case NC_SHORT: return NC_USHORT;
    case NC_INT: return NC_UINT;
    case NC_INT64: return NC_UINT64;
    default: return type;
    }
}

/* The type of unpacked values: that of the scale, or of the offset, or the unsigned one. */
static nc_type
choose_type(int grp, int varid, nc_type stored)
{
    nc_type scale = NC_NAT, offset = NC_NAT;

    if (nc_inq_atttype(grp, varid, "scale_factor", &scale) != NC_NOERR)
        scale = NC_NAT;
    if (nc_inq_atttype(grp, varid, "add_offset", &offset) != NC_NOERR)
        offset = NC_NAT;
    ncz_err_clear();
    if (scale == NC_NAT && offset == NC_NAT)
        return unsigned_type(stored);
    return (scale == NC_FLOAT || scale == NC_NAT) && (offset == NC_FLOAT || offset == NC_NAT) ? NC_FLOAT : NC_DOUBLE;
}

static int
put_as_stored(const writing *w, size_t i, int grp, int varid)
{
    const signed char yes = 1;

    if (stores(w) || atomic_load(&w->j->differs[i]))
        return NC_NOERR;
    return nc_put_att_schar(grp, varid, NCZ_AGGREGATED_AS_STORED, NC_BYTE, 1, &yes);
}

/* Unpacked values that are missing are marked, if the stored ones were. */
static int
put_missing(int from, int from_var, int to, int to_var)
{
    const float  single = NC_FILL_FLOAT;
    const double number = NC_FILL_DOUBLE;
    nc_type      type;
    int          id, rc = nc_inq_vartype(to, to_var, &type);
    bool         marked = nc_inq_attid(from, from_var, "_FillValue", &id) == NC_NOERR ||
                  nc_inq_attid(from, from_var, "missing_value", &id) == NC_NOERR;

    if (!marked)
        ncz_err_clear();
    if (rc != NC_NOERR || !marked || (type != NC_FLOAT && type != NC_DOUBLE))
        return rc;
    return type == NC_FLOAT ? nc_put_att_float(to, to_var, "_FillValue", type, 1, &single)
                            : nc_put_att_double(to, to_var, "_FillValue", type, 1, &number);
}

static int
define_var(writing *w, size_t i)
{
    const ncz_join_var *v = &w->j->vars[i];
    const shape        *s = NULL;
    bool                unpacked = is_unpacked(w, i);
    char                identifiers[48], *path;
    int                 dims[1];
    int                 from, from_var, to, to_var, rc;

    snprintf(identifiers, sizeof identifiers, "fragment_name_%zu", i);
    if ((rc = find_shape(w, v, &s)) != NC_NOERR || (rc = find_group(w->j->ncid, v, &from)) != NC_NOERR ||
        (rc = nc_inq_varid(from, v->name, &from_var)) != NC_NOERR || (rc = find_group(w->ncid, v, &to)) != NC_NOERR ||
        (rc = nc_def_var(to, v->name, unpacked ? choose_type(from, from_var, v->type) : v->type, 0, NULL, &to_var)) !=
            NC_NOERR ||
        (rc = copy_atts(from, from_var, to, to_var, unpacked)) != NC_NOERR ||
        (unpacked && (rc = put_missing(from, from_var, to, to_var)) != NC_NOERR) ||
        (rc = put_as_stored(w, i, to, to_var)) != NC_NOERR || (path = path_of(v)) == NULL)
        return rc != NC_NOERR ? rc : ncz_fail_nomem(1);
    rc = define_texts(w, identifiers, 0, dims, strlen(path), &w->identifiers[i]);
    ncz_free(path);
    if (rc != NC_NOERR)
        return rc;
    return put_aggregation(to, to_var, v, s, identifiers);
}

/* ---- what is stored with its values ---- */

enum { VALUES_MOST = 1 << 20 }; /* bytes of a variable that files share */

/* Elements; SIZE_MAX: too many to be stored. */
static size_t
count_values(const writing *w, const ncz_join_var *v)
{
    size_t n = 1;

    for (int d = 0; d < v->rank; d++)
        if (!ncz_mul(n, d == v->at ? w->total : v->lens[d], &n))
            return SIZE_MAX;
    return n;
}

/* Coordinates, and what is small and not joined: readers that know nothing of aggregations need these, and cfdm fails
 * on characters that are aggregated. */
static bool
has_values(const writing *w, size_t i)
{
    const ncz_join_var *v = &w->j->vars[i];
    size_t              n = count_values(w, v);

    if (!stores(w) || n > SIZE_MAX / 64 || (v->packed && atomic_load(&w->j->differs[i])))
        return false;
    return v->coordinate || (v->at == NCZ_JOIN_FIXED && n <= VALUES_MOST / 8);
}

/* With its own dimensions. */
static int
define_values(const writing *w, const ncz_join_var *v)
{
    int from, from_var, to, to_var, rc, *dims = ncz_alloc_n((size_t)v->rank + 1, sizeof *dims);

    if (dims == NULL)
        return ncz_fail_nomem((size_t)v->rank * sizeof *dims);
    if ((rc = find_group(w->j->ncid, v, &from)) == NC_NOERR &&
        (rc = nc_inq_varid(from, v->name, &from_var)) == NC_NOERR)
        rc = find_group(w->ncid, v, &to);
    for (int d = 0; d < v->rank && rc == NC_NOERR; d++)
        rc = nc_inq_dimid(to, v->dims[d], &dims[d]);
    if (rc == NC_NOERR && (rc = nc_def_var(to, v->name, v->type, v->rank, dims, &to_var)) == NC_NOERR)
        rc = copy_atts(from, from_var, to, to_var, false);
    ncz_free(dims);
    return rc;
}

static int
put_values(const writing *w, const ncz_join_var *v)
{
    size_t size, n = count_values(w, v);
    int    from, from_var, to, to_var, rc;
    char  *values;

    if ((rc = find_group(w->values, v, &from)) != NC_NOERR ||
        (rc = nc_inq_varid(from, v->name, &from_var)) != NC_NOERR || (rc = find_group(w->ncid, v, &to)) != NC_NOERR ||
        (rc = nc_inq_varid(to, v->name, &to_var)) != NC_NOERR ||
        (rc = nc_inq_type(w->ncid, v->type, NULL, &size)) != NC_NOERR || n == 0)
        return rc;
    if ((values = ncz_zalloc_n(n, size)) == NULL)
        return ncz_fail_nomem(n * size);
    if ((rc = nc_get_var(from, from_var, values)) == NC_NOERR)
        rc = nc_put_var(to, to_var, values);
    if (v->type == NC_STRING)
        (void)nc_free_string(n, (char **)(void *)values);
    ncz_free(values);
    return rc;
}

/* ---- what the variables say ---- */

/* A row for each dimension: its fragments' lengths, then fill values. */
static int
put_map(const writing *w, const shape *s)
{
    const ncz_join_var *v = s->like;
    size_t              n = fragments_of(w, v), rank = (size_t)v->rank, at = 0;
    long long          *map = ncz_alloc_n(rank * n + 1, sizeof *map);
    int                 rc;

    if (map == NULL)
        return ncz_fail_nomem(rank * n * sizeof *map);
    map[0] = 1;
    for (size_t i = 0; i < rank * n; i++)
        map[i] = w->classic ? NC_FILL_INT : NC_FILL_INT64;
    for (int d = 0; d < v->rank; d++)
        if (d != v->at)
            map[(size_t)d * n] = (long long)v->lens[d];
    for (size_t i = 0; i < w->j->files.n && v->at != NCZ_JOIN_FIXED; i++)
        if (w->j->files.v[i].len > 0)
            map[(size_t)v->at * n + at++] = (long long)w->j->files.v[i].len;
    rc = nc_put_var_longlong(w->ncid, s->map_id, map);
    ncz_free(map);
    return rc;
}

static int
put_uris(const writing *w, const shape *s)
{
    const ncz_join_files *f = &w->j->files;
    const char          **texts = ncz_alloc_n(f->n, sizeof *texts);
    size_t                n = 0;
    int                   rc;

    if (texts == NULL)
        return ncz_fail_nomem(f->n * sizeof *texts);
    texts[0] = f->v[0].uri;
    for (size_t i = 0; i < f->n && s->like->at != NCZ_JOIN_FIXED; i++)
        if (w->j->files.v[i].len > 0)
            texts[n++] = f->v[i].uri;
    rc = put_texts(w, s->uris_id, texts, s->like->at == NCZ_JOIN_FIXED ? 1 : n, measure_uris(w));
    ncz_free(texts);
    return rc;
}

static int
put_identifier(const writing *w, size_t i)
{
    char *text = path_of(&w->j->vars[i]);
    int   rc = text != NULL ? put_texts(w, w->identifiers[i], (const char *const *)&text, 1, strlen(text))
                            : ncz_fail_nomem(1);

    ncz_free(text);
    return rc;
}

static int
put_all(const writing *w)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < w->nshapes && rc == NC_NOERR; i++)
        if ((rc = put_map(w, &w->shapes[i])) == NC_NOERR)
            rc = put_uris(w, &w->shapes[i]);
    for (size_t i = 0; i < w->j->nvars && rc == NC_NOERR; i++)
        rc = has_values(w, i) ? put_values(w, &w->j->vars[i]) : put_identifier(w, i);
    return rc;
}

static void
count_elements(writing *w)
{
    for (size_t i = 0; i < w->j->files.n; i++) {
        w->total += w->j->files.v[i].len; /* of files that are there: no sum of them overflows */
        w->nfull += w->j->files.v[i].len > 0;
    }
}

int
ncz_join_write(const ncz_join *j, int ncid, int values)
{
    writing w = {.j = j, .ncid = ncid, .values = values};
    int     format = NC_FORMAT_NETCDF4, rc;

    count_elements(&w);
    if (w.nfull == 0)
        return ncz_fail(NC_EBADDIM, "none of the files has an element along %s", j->along);
    if ((w.identifiers = ncz_alloc_n(j->nvars + 1, sizeof *w.identifiers)) == NULL)
        return ncz_fail_nomem(j->nvars * sizeof *w.identifiers);
    if ((rc = nc_inq_format(ncid, &format)) == NC_NOERR) {
        w.classic = format != NC_FORMAT_NETCDF4 && format != NC_FORMAT_NETCDF4_CLASSIC;
        rc = define_group(&w, j->ncid, ncid);
    }
    for (size_t i = 0; i < j->nvars && rc == NC_NOERR; i++)
        rc = has_values(&w, i) ? define_values(&w, &j->vars[i]) : define_var(&w, i);
    if (rc == NC_NOERR && (rc = nc_enddef(ncid)) == NC_NOERR)
        rc = put_all(&w);
    ncz_free(w.shapes);
    ncz_free(w.identifiers);
    return rc;
}
