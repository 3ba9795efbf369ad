/* SPDX-License-Identifier: BSD-3-Clause */
/* dataset_file_move: what is done to many bytes of a file at once: moving data, and writing fill values. */
#include "dataset/file/dataset_file.h"

#include <string.h>

enum { AT_ONCE = 1 << 20, COPIED_AT_ONCE = 4 << 20 }; /* bytes */

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
ncz_file_fill(ncz_dataset *ds, const ncz_var *v, uint64_t first, uint64_t n)
{
    ncz_extent e;
    int        rc = NC_NOERR;

    if (!is_filled(ds, v))
        return NC_NOERR;
    (void)ncz_file_ops_of(ds)->extent(v, &e);
    if (e.pitch == 0)
        return fill_range(ds->map, v, e.begin, e.padded);
    if (e.pitch == e.padded) /* its slabs follow each other */
        return fill_range(ds->map, v, e.begin + first * e.pitch, (n - first) * e.padded);
    for (; rc == NC_NOERR && first < n; first++)
        rc = fill_range(ds->map, v, e.begin + first * e.pitch, e.padded);
    return rc;
}

/* Bytes that follow each other and go to the file together. */
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

/* Of the variables from the `first` on. */
static int
fill_new_fixed(ncz_dataset *ds, size_t first)
{
    const ncz_group *g = ds->model->root;
    run_of_bytes     r = {.map = ds->map};
    int              rc = NC_NOERR;

    for (size_t i = first; rc == NC_NOERR && i < g->nvars; i++) {
        ncz_extent e;

        (void)ncz_file_ops_of(ds)->extent(g->vars[i], &e);
        if (e.pitch != 0)
            continue;
        if (e.padded > AT_ONCE)
            rc = ncz_file_fill(ds, g->vars[i], 0, 0);
        else if (is_filled(ds, g->vars[i]))
            rc = add_fill(&r, g->vars[i], &e);
    }
    if (rc == NC_NOERR)
        rc = put_run(&r);
    ncz_buf_clear(&r.room);
    return rc;
}

int
ncz_file_fill_new(ncz_dataset *ds, size_t first, uint64_t nrecords)
{
    const ncz_group *g = ds->model->root;
    bool             all = true; /* there was none with records */
    int              rc = fill_new_fixed(ds, first);

    for (size_t i = 0; i < first; i++)
        all = all && !ncz_var_has_records(g->vars[i]);
    if (rc == NC_NOERR && nrecords > 0 && all)
        return ncz_file_fill_records(ds, NULL, 0, nrecords);
    for (size_t i = first; rc == NC_NOERR && nrecords > 0 && i < g->nvars; i++)
        if (ncz_var_has_records(g->vars[i]))
            rc = ncz_file_fill(ds, g->vars[i], 0, nrecords);
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

    (void)ncz_file_ops_of(ds)->extent(v, &e);
    if (e.pitch != 0) {
        from = part_of(n, part, nparts);
        to = part_of(n, part + 1, nparts);
        return from < to ? ncz_file_fill(ds, v, from, to) : NC_NOERR;
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
ncz_file_fill_share(ncz_dataset *ds, size_t part, size_t nparts)
{
    const ncz_file_places *old = &ds->file.before;
    const ncz_group       *g = ds->model->root;
    int                    rc = NC_NOERR;

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

/* Makes `nrecords` records in `room`, of `pitch` bytes from `records` on, of the variables from the `first` on. */
static void
make_records(const ncz_dataset *ds, size_t first, const ncz_var *skip, uint64_t records, size_t pitch,
             size_t nrecords, char *room)
{
    const ncz_group *g = ds->model->root;

    memset(room, 0, pitch * nrecords);
    for (size_t i = first; i < g->nvars; i++) {
        const ncz_var *v = g->vars[i];
        ncz_extent     e;

        if (!fills_records(ds, v, skip))
            continue;
        (void)ncz_file_ops_of(ds)->extent(v, &e);
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
    make_records(ds, 0, skip, records, pitch, each, room);
    for (; rc == NC_NOERR && first < n; first += each)
        rc = zmap_put_range(ds->map, "", records + first * pitch, room,
                            (n - first < each ? (size_t)(n - first) : each) * pitch);
    ncz_free(room);
    return rc;
}

int
ncz_file_fill_records(ncz_dataset *ds, const ncz_var *skip, uint64_t first, uint64_t n)
{
    const ncz_group *g = ds->model->root;
    uint64_t         fixed, records, end, pitch = ncz_file_pitch(ds);
    int              rc = NC_NOERR;

    ncz_file_ops_of(ds)->sections(ds->model, 0, &fixed, &records, &end);
    if (pitch > 0 && pitch <= AT_ONCE && g->nvars > 1)
        return fill_small(ds, skip, records, (size_t)pitch, first, n);
    for (size_t i = 0; rc == NC_NOERR && i < g->nvars; i++)
        if (ncz_var_has_records(g->vars[i]) && g->vars[i] != skip)
            rc = ncz_file_fill(ds, g->vars[i], first, n);
    return rc;
}

/* ---- move ---- */

/* From one file to another, or from a place to another one. */
typedef struct moving {
    ncz_dataset           *ds;
    const ncz_file_places *old;
    zmap                  *from, *to;
    ncz_buf                room;
} moving;

/* Reads into the room; what the file lacks at its end is zeros. *n: how many bytes there were. */
static int
read_room(moving *m, uint64_t off, size_t nbytes, size_t *n)
{
    zmap_get_req r = {.key = "", .off = off, .len = nbytes, .cut = true};
    int          rc;

    ncz_buf_reset(&m->room);
    r.body = m->room;
    (void)zmap_get_batch(m->from, &r, 1, NULL, NULL);
    rc = r.err.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&r.err);
    m->room = r.body;
    *n = r.nread;
    if (rc == NC_NOERR && r.nread < nbytes && (rc = ncz_buf_reserve(&m->room, nbytes - r.nread)) == NC_NOERR)
        memset(m->room.data + r.nread, 0, nbytes - r.nread);
    return rc;
}

static int
copy_range(moving *m, uint64_t off, uint64_t at, uint64_t nbytes)
{
    int rc = NC_NOERR;

    for (uint64_t done = 0; rc == NC_NOERR && done < nbytes; done += COPIED_AT_ONCE) {
        size_t want = nbytes - done < COPIED_AT_ONCE ? (size_t)(nbytes - done) : COPIED_AT_ONCE, n = 0;

        if ((rc = read_room(m, off + done, want, &n)) == NC_NOERR && n > 0)
            rc = zmap_put_range(m->to, "", at + done, m->room.data, n);
        if (n < want) /* the file ends there */
            break;
    }
    return rc;
}

/* Fixed variables that lie one behind the other before and after go together. */
static int
copy_fixed(moving *m)
{
    const ncz_extent *old = m->old->v;
    uint64_t          off = 0, at = 0, run = 0;
    int               rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < m->old->n; i++) {
        ncz_extent e;
        uint64_t   nbytes;

        if (old[i].pitch != 0)
            continue;
        (void)ncz_file_ops_of(m->ds)->extent(m->ds->model->root->vars[i], &e);
        nbytes = old[i].padded < e.padded ? old[i].padded : e.padded;
        if (run > 0 && (old[i].begin != off + run || e.begin != at + run)) {
            rc = copy_range(m, off, at, run);
            run = 0;
        }
        if (run == 0) {
            off = old[i].begin;
            at = e.begin;
        }
        run += nbytes;
    }
    return rc == NC_NOERR && run > 0 ? copy_range(m, off, at, run) : rc;
}

/* The records before and after: where they begin, and the bytes from one to the next. */
typedef struct record_places {
    uint64_t off, at;
    uint64_t from_pitch, to_pitch;
    size_t   n;    /* variables that had some */
    bool     same; /* they lie in a record as before, and nothing else does */
} record_places;

static record_places
find_records(const moving *m)
{
    uint64_t      fixed, end;
    record_places r = {.off = UINT64_MAX, .same = true};

    ncz_file_ops_of(m->ds)->sections(m->ds->model, 0, &fixed, &r.at, &end);
    r.to_pitch = ncz_file_pitch(m->ds);
    for (size_t i = 0; i < m->old->n; i++)
        if (m->old->v[i].pitch != 0) {
            r.from_pitch = m->old->v[i].pitch;
            r.off = m->old->v[i].begin < r.off ? m->old->v[i].begin : r.off;
            r.n++;
        }
    for (size_t i = 0; i < m->old->n; i++) {
        ncz_extent e;

        (void)ncz_file_ops_of(m->ds)->extent(m->ds->model->root->vars[i], &e);
        if (m->old->v[i].pitch != 0 && e.begin - r.at != m->old->v[i].begin - r.off)
            r.same = false;
    }
    r.same = r.same && r.from_pitch == r.to_pitch;
    return r;
}

/* Puts `n` old records, which are in the room, and the fill values of new variables. */
static int
put_records(moving *m, const record_places *r, uint64_t first, size_t n, char *out)
{
    make_records(m->ds, m->old->n, NULL, r->at, (size_t)r->to_pitch, n, out);
    for (size_t i = 0; i < m->old->n; i++) {
        const ncz_extent *old = &m->old->v[i];
        ncz_extent        e;
        size_t            nbytes;

        if (old->pitch == 0)
            continue;
        (void)ncz_file_ops_of(m->ds)->extent(m->ds->model->root->vars[i], &e);
        nbytes = (size_t)(old->padded < e.padded ? old->padded : e.padded);
        for (size_t k = 0; k < n; k++)
            memcpy(out + k * r->to_pitch + (e.begin - r->at),
                   m->room.data + k * r->from_pitch + (old->begin - r->off), nbytes);
    }
    return zmap_put_range(m->to, "", r->at + first * r->to_pitch, out, n * (size_t)r->to_pitch);
}

/* Many records at once, in memory. */
static int
copy_small_records(moving *m, const record_places *r)
{
    uint64_t pitch = r->from_pitch > r->to_pitch ? r->from_pitch : r->to_pitch;
    size_t   each = (size_t)(COPIED_AT_ONCE / pitch), n = 0;
    char    *out = ncz_alloc(each * (size_t)r->to_pitch);
    int      rc = NC_NOERR;

    if (out == NULL)
        return ncz_fail_nomem(each * (size_t)r->to_pitch);
    for (uint64_t first = 0; rc == NC_NOERR && first < m->old->nrecords; first += each) {
        size_t some = m->old->nrecords - first < each ? (size_t)(m->old->nrecords - first) : each;

        if ((rc = read_room(m, r->off + first * r->from_pitch, some * (size_t)r->from_pitch, &n)) == NC_NOERR)
            rc = put_records(m, r, first, some, out);
    }
    ncz_free(out);
    return rc;
}

/* Large slabs go one by one. */
static int
copy_large_records(moving *m)
{
    int rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < m->old->n; i++) {
        const ncz_extent *old = &m->old->v[i];
        ncz_extent        e;

        (void)ncz_file_ops_of(m->ds)->extent(m->ds->model->root->vars[i], &e);
        for (uint64_t k = 0; rc == NC_NOERR && old->pitch != 0 && k < m->old->nrecords; k++)
            rc = copy_range(m, old->begin + k * old->pitch, e.begin + k * e.pitch,
                            old->padded < e.padded ? old->padded : e.padded);
    }
    return rc == NC_NOERR ? ncz_file_fill_new(m->ds, m->old->n, m->old->nrecords) : rc;
}

static int
copy_records(moving *m)
{
    record_places r = find_records(m);

    if (m->old->nrecords == 0)
        return NC_NOERR;
    if (r.n == 0)
        return ncz_file_fill_new(m->ds, m->old->n, m->old->nrecords);
    if (r.same)
        return copy_range(m, r.off, r.at, m->old->nrecords * r.to_pitch);
    return r.from_pitch <= COPIED_AT_ONCE && r.to_pitch <= COPIED_AT_ONCE ? copy_small_records(m, &r)
                                                                          : copy_large_records(m);
}

int
ncz_file_move(ncz_dataset *ds, const ncz_file_places *old, zmap *from, zmap *to)
{
    moving m = {.ds = ds, .old = old, .from = from, .to = to, .room = NCZ_BUF_LIMIT(COPIED_AT_ONCE)};
    int    rc = copy_fixed(&m);

    if (rc == NC_NOERR)
        rc = copy_records(&m);
    ncz_buf_clear(&m.room);
    return rc;
}
