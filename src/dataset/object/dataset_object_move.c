/* SPDX-License-Identifier: BSD-3-Clause */
/* dataset_object_move: what is done to many bytes of an object at once: moving data, and writing fill values. */
#include "dataset/object/dataset_object.h"

#include <string.h>

enum { AT_ONCE = 1 << 20 }; /* bytes */

/* ---- fill ---- */

static bool
is_filled(const ncz_dataset *ds, const ncz_var *v)
{
    return v->fill_mode != NCZ_FILL_NONE && !ds->model->nofill;
}

/* Each element has the fill value, and so has the padding. `nbytes` is a multiple of an element's. */
static int
fill_range(zmap *map, const ncz_var *v, uint64_t at, uint64_t nbytes)
{
    size_t n = nbytes < AT_ONCE ? (size_t)nbytes : AT_ONCE;
    char  *pattern = ncz_alloc(n);
    int    rc = NC_NOERR;

    if (pattern == NULL)
        return ncz_fail_nomem(n);
    ncz_fill_elems(pattern, n / v->dtype.size, v->spec->fill, v->dtype.size);
    for (uint64_t done = 0; rc == NC_NOERR && done < nbytes; done += n)
        rc = zmap_put_range(map, "", at + done, pattern, nbytes - done < n ? (size_t)(nbytes - done) : n);
    ncz_free(pattern);
    return rc;
}

int
ncz_object_fill(ncz_dataset *ds, const ncz_var *v, uint64_t first, uint64_t n)
{
    ncz_extent e;
    int        rc = NC_NOERR;

    if (!is_filled(ds, v))
        return NC_NOERR;
    (void)ncz_object_ops_of(ds)->extent(v, &e);
    if (e.pitch == 0)
        return fill_range(ds->map, v, e.begin, e.padded);
    if (e.pitch == e.padded) /* its slabs follow each other */
        return fill_range(ds->map, v, e.begin + first * e.pitch, (n - first) * e.padded);
    for (; rc == NC_NOERR && first < n; first++)
        rc = fill_range(ds->map, v, e.begin + first * e.pitch, e.padded);
    return rc;
}

/* Bytes that follow each other and go to the object together. */
typedef struct run_of_bytes {
    zmap    *map;
    uint64_t at; /* where the first one goes */
    ncz_buf  room;
} run_of_bytes;

static int
put_run(run_of_bytes *r)
{
    int rc = r->room.len > 0 ? zmap_put_range(r->map, "", r->at, r->room.data, r->room.len) : NC_NOERR;

    ncz_buf_reset(&r->room);
    return rc;
}

/* Adds the fill values of a small variable without records. */
static int
add_fill(run_of_bytes *r, const ncz_var *v, const ncz_extent *e)
{
    int rc = NC_NOERR;

    if (r->room.len > 0 && (e->begin != r->at + r->room.len || e->padded > AT_ONCE - r->room.len))
        rc = put_run(r);
    if (rc != NC_NOERR || (rc = ncz_buf_reserve(&r->room, (size_t)e->padded)) != NC_NOERR)
        return rc;
    if (r->room.len == 0)
        r->at = e->begin;
    ncz_fill_elems(r->room.data + r->room.len, (size_t)e->padded / v->dtype.size, v->spec->fill, v->dtype.size);
    r->room.len += (size_t)e->padded;
    return rc;
}

int
ncz_object_fill_new(ncz_dataset *ds, size_t first, uint64_t nrecords)
{
    const ncz_group *g = ds->model->root;
    run_of_bytes     r = {.map = ds->map};
    int              rc = NC_NOERR;

    for (size_t i = first; rc == NC_NOERR && i < g->nvars; i++) {
        ncz_extent e;

        (void)ncz_object_ops_of(ds)->extent(g->vars[i], &e);
        if (e.pitch != 0 || e.padded > AT_ONCE)
            rc = ncz_object_fill(ds, g->vars[i], 0, nrecords);
        else if (is_filled(ds, g->vars[i]))
            rc = add_fill(&r, g->vars[i], &e);
    }
    if (rc == NC_NOERR)
        rc = put_run(&r);
    ncz_buf_clear(&r.room);
    return rc;
}

/* The beginning of a part. */
static uint64_t
part_of(uint64_t n, size_t part, size_t nparts)
{
    return n / nparts * part + n % nparts * part / nparts;
}

/* A part of the first `n` records, or of all of the variable, of `nparts` about equal ones. */
static int
fill_part(ncz_dataset *ds, const ncz_var *v, uint64_t n, size_t part, size_t nparts)
{
    ncz_extent e;
    uint64_t   from, to, blocks;

    (void)ncz_object_ops_of(ds)->extent(v, &e);
    if (e.pitch != 0) {
        from = part_of(n, part, nparts);
        to = part_of(n, part + 1, nparts);
        return from < to ? ncz_object_fill(ds, v, from, to) : NC_NOERR;
    }
    if (!is_filled(ds, v))
        return NC_NOERR;
    blocks = e.padded / AT_ONCE + (e.padded % AT_ONCE != 0);
    from = part_of(blocks, part, nparts) * AT_ONCE;
    to = part_of(blocks, part + 1, nparts) * AT_ONCE;
    to = to < e.padded ? to : e.padded;
    return from < to ? fill_range(ds->map, v, e.begin + from, to - from) : NC_NOERR;
}

int
ncz_object_fill_share(ncz_dataset *ds, size_t part, size_t nparts)
{
    const ncz_object_places *old = &ds->before;
    const ncz_group         *g = ds->model->root;
    int                      rc = NC_NOERR;

    for (size_t i = old->n; rc == NC_NOERR && i < g->nvars; i++)
        rc = fill_part(ds, g->vars[i], old->nrecords, part, nparts);
    return rc;
}

static bool
fills_records(const ncz_dataset *ds, const ncz_var *v, const ncz_var *skip)
{
    return ncz_var_has_records(v) && v != skip && is_filled(ds, v);
}

static bool
fills_any(const ncz_dataset *ds, const ncz_var *skip)
{
    const ncz_group *g = ds->model->root;

    for (size_t i = 0; i < g->nvars; i++)
        if (fills_records(ds, g->vars[i], skip))
            return true;
    return false;
}

/* Makes `nrecords` records in `room`, of `pitch` bytes from `records` on. */
static void
make_records(const ncz_dataset *ds, const ncz_var *skip, uint64_t records, size_t pitch, size_t nrecords, char *room)
{
    const ncz_group *g = ds->model->root;

    memset(room, 0, pitch * nrecords);
    for (size_t i = 0; i < g->nvars; i++) {
        const ncz_var *v = g->vars[i];
        ncz_extent     e;

        if (!fills_records(ds, v, skip))
            continue;
        (void)ncz_object_ops_of(ds)->extent(v, &e);
        for (size_t k = 0; k < nrecords; k++)
            ncz_fill_elems(room + k * pitch + (size_t)(e.begin - records), (size_t)e.padded / v->dtype.size,
                           v->spec->fill, v->dtype.size);
    }
}

/* Small records: each put has many of them. */
static int
fill_small(ncz_dataset *ds, const ncz_var *skip, uint64_t records, size_t pitch, uint64_t first, uint64_t n)
{
    size_t each = n - first < AT_ONCE / pitch ? (size_t)(n - first) : AT_ONCE / pitch;
    char  *room;
    int    rc = NC_NOERR;

    if (!fills_any(ds, skip))
        return NC_NOERR;
    if ((room = ncz_alloc(each * pitch)) == NULL)
        return ncz_fail_nomem(each * pitch);
    make_records(ds, skip, records, pitch, each, room);
    for (; rc == NC_NOERR && first < n; first += each)
        rc = zmap_put_range(ds->map, "", records + first * pitch, room,
                            (n - first < each ? (size_t)(n - first) : each) * pitch);
    ncz_free(room);
    return rc;
}

int
ncz_object_fill_records(ncz_dataset *ds, const ncz_var *skip, uint64_t first, uint64_t n)
{
    const ncz_group *g = ds->model->root;
    uint64_t         fixed, records, end, pitch = ncz_object_pitch(ds);
    int              rc = NC_NOERR;

    ncz_object_ops_of(ds)->sections(ds->model, 0, &fixed, &records, &end);
    if (pitch > 0 && pitch <= AT_ONCE && g->nvars > 1)
        return fill_small(ds, skip, records, (size_t)pitch, first, n);
    for (size_t i = 0; rc == NC_NOERR && i < g->nvars; i++)
        if (ncz_var_has_records(g->vars[i]) && g->vars[i] != skip)
            rc = ncz_object_fill(ds, g->vars[i], first, n);
    return rc;
}

/* ---- move ---- */

static int
copy_range(zmap *from, uint64_t off, zmap *to, uint64_t at, uint64_t nbytes, ncz_buf *room)
{
    int rc = NC_NOERR;

    for (uint64_t done = 0; rc == NC_NOERR && done < nbytes; done += AT_ONCE) {
        uint64_t     left = nbytes - done;
        zmap_get_req r = {.key = "", .off = off + done, .len = left < AT_ONCE ? left : AT_ONCE, .cut = true};

        ncz_buf_reset(room);
        r.body = *room;
        rc = zmap_get_batch(from, &r, 1, NULL, NULL);
        *room = r.body;
        if (rc == NC_NOERR && r.nread > 0)
            rc = zmap_put_range(to, "", at + done, room->data, r.nread);
        if (r.nread < r.len) /* the object ends there */
            break;
    }
    return rc;
}

int
ncz_object_move(ncz_dataset *ds, const ncz_object_places *old, zmap *to)
{
    ncz_buf room = NCZ_BUF_LIMIT(AT_ONCE);
    int     rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < old->n; i++) {
        const ncz_extent *from = &old->v[i];
        ncz_extent        e;
        uint64_t          nbytes, times = from->pitch == 0 ? 1 : old->nrecords;

        (void)ncz_object_ops_of(ds)->extent(ds->model->root->vars[i], &e);
        nbytes = from->padded < e.padded ? from->padded : e.padded;
        for (uint64_t k = 0; rc == NC_NOERR && k < times; k++)
            rc = copy_range(ds->map, from->begin + k * from->pitch, to, e.begin + k * e.pitch, nbytes, &room);
    }
    ncz_buf_clear(&room);
    return rc;
}
