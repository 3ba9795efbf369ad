/* SPDX-License-Identifier: BSD-3-Clause */
/* dataset_object: the life of a dataset that is one object: end of definitions, growth, its head. */
#include "dataset/object/dataset_object.h"
#include "zmap/zmap_single.h"

#include <string.h>

enum {
    AHEAD = 1 << 16,         /* bytes of records that are made at once */
    RECORDS_END = 16,        /* bytes of a head that have the number of records */
    SMALL_OBJECT = 64 << 20, /* bytes that are copied rather than that a head is put in place */
};

uint64_t
ncz_object_records(const ncz_dataset *ds)
{
    for (size_t i = 0; i < ds->model->root->ndims; i++)
        if (ds->model->root->dims[i]->unlimited)
            return ds->model->root->dims[i]->len;
    return 0;
}

/* ---- a new object ---- */

/* Notes the places of the variables that have one. */
static int
note_places(const ncz_dataset *ds, ncz_object_places *out)
{
    const ncz_group *g = ds->model->root;

    *out = (ncz_object_places){.nrecords = ncz_object_records(ds)};
    if ((out->v = ncz_alloc_n(g->nvars + 1, sizeof *out->v)) == NULL) /* not NULL without variables, either */
        return ncz_fail_nomem(g->nvars * sizeof *out->v);
    while (out->n < g->nvars && ncz_object_ops_of(ds)->extent(g->vars[out->n], &out->v[out->n]))
        out->n++;
    return NC_NOERR;
}

/* Copies all data to a new object, which becomes the dataset's. */
static int
move_data(ncz_dataset *ds, const ncz_object_places *old)
{
    zmap *to = NULL, *from = ds->map;
    int   rc = zmap_single_again(ds->map, &to); /* replaces the old one at the first sync */

    if (rc == NC_NOERR && (rc = ncz_object_move(ds, old, to)) == NC_NOERR) {
        ds->map = to;
        ncz_engine_set_map(ds->engine, to);
        ncz_buf_reset(&ds->head); /* nothing of it is there yet */
        /* What was never shown to others is not shown now. */
        (void)zmap_close(from, ncz_dataset_is_new(ds) ? ZMAP_DISCARD : ZMAP_KEEP);
        return NC_NOERR;
    }
    if (to != NULL) {
        ncz_err err;

        ncz_err_save(&err, rc);
        (void)zmap_close(to, ZMAP_DISCARD);
        rc = ncz_err_adopt(&err);
    }
    return rc;
}

/* ---- the head ---- */

/* Puts the bytes that differ from those that are there. */
static int
put_difference(ncz_dataset *ds, const ncz_buf *head)
{
    const ncz_buf *old = &ds->head;
    size_t         from = 0, to = head->len;

    while (from < old->len && from < head->len && old->data[from] == head->data[from])
        from++;
    while (old->len == head->len && to > from && old->data[to - 1] == head->data[to - 1])
        to--;
    return to > from ? zmap_put_range(ds->map, "", from, head->data + from, to - from) : NC_NOERR;
}

/* All after what got smaller lies elsewhere in the head: half of a new one before half of the old one would be none. It
 * goes into a new object with all data, as definitions do. */
static int
avoid_shift(ncz_dataset *ds, const ncz_buf *head)
{
    ncz_object_places now = {.v = NULL};
    uint64_t          size = 0;
    int               rc;

    if (head->len >= ds->head.len || ds->par.comm != NULL) /* other ranks have the object open */
        return NC_NOERR;
    if ((rc = zmap_len(ds->map, "", &size)) == NC_NOERR && size <= SMALL_OBJECT &&
        (rc = note_places(ds, &now)) == NC_NOERR)
        rc = move_data(ds, &now);
    ncz_free(now.v);
    return rc;
}

/* Gives the object its size: records that were made ahead go. `grow`: also if it is shorter. */
static int
set_size(ncz_dataset *ds, bool grow)
{
    uint64_t fixed, records, end, size = 0;
    int      rc = zmap_len(ds->map, "", &size);
    bool     ahead = ds->filled > ncz_object_records(ds);

    if (rc != NC_NOERR && rc != NC_EEMPTY)
        return rc;
    ncz_object_ops_of(ds)->sections(ds->model, ncz_object_records(ds), &fixed, &records, &end);
    if (ds->par.comm != NULL || !grow) /* other ranks may have made some */
        ahead = size > end && ncz_object_pitch(ds) != 0;
    return (grow && size < end) || ahead ? zmap_resize(ds->map, "", end) : NC_NOERR;
}

/* Puts the number of records, if it has changed. */
static int
put_records(ncz_dataset *ds)
{
    char     bytes[8];
    uint64_t off;
    size_t   n = ncz_object_ops_of(ds)->write_records(ds->style.gen, ncz_object_records(ds), bytes, &off);
    int      rc = NC_NOERR;

    if (memcmp(ds->head.data + off, bytes, n) != 0 && (rc = zmap_put_range(ds->map, "", off, bytes, n)) == NC_NOERR)
        memcpy(ds->head.data + off, bytes, n);
    return rc;
}

/* Stores what a head tells of records, while the rest of it is as it was stored. */
static int
store_records(ncz_dataset *ds)
{
    int rc = set_size(ds, true);

    if (rc == NC_NOERR)
        ds->filled = ncz_object_records(ds);
    return rc == NC_NOERR ? put_records(ds) : rc;
}

int
ncz_object_store_head(ncz_dataset *ds)
{
    const ncz_object_ops *ops = ncz_object_ops_of(ds);
    ncz_buf               head = NCZ_BUF_INIT;
    int                   rc;

    if (ds->head.len >= RECORDS_END && !ds->head_stale && ds->par.comm == NULL) /* other ranks define, too */
        return store_records(ds);
    if ((rc = ops->write_head(ds->model, ds->style.gen, &head)) != NC_NOERR ||
        (rc = avoid_shift(ds, &head)) != NC_NOERR)
        goto done;
    if ((rc = set_size(ds, true)) == NC_NOERR)
        ds->filled = ncz_object_records(ds);
    if (rc == NC_NOERR && (rc = put_difference(ds, &head)) == NC_NOERR) {
        ncz_buf_clear(&ds->head);
        ds->head = head;
        ds->head_stale = false;
        head = NCZ_BUF_INIT;
    }
done:
    ncz_buf_clear(&head);
    return rc;
}

int
ncz_object_cut(ncz_dataset *ds)
{
    return set_size(ds, false);
}

/* Whether the records are the last of the object. */
static bool
in_order(const ncz_dataset *ds)
{
    const ncz_object_ops *ops = ncz_object_ops_of(ds);
    const ncz_group      *g = ds->model->root;
    uint64_t              fixed, records, end, one;

    ops->sections(ds->model, 0, &fixed, &records, &end);
    ops->sections(ds->model, 1, &fixed, &records, &one);
    for (size_t i = 0; i < g->nvars && one > end; i++) {
        ncz_extent e;

        (void)ops->extent(g->vars[i], &e);
        if (e.pitch == 0 && e.begin > records)
            return false;
    }
    return true;
}

/* The bytes of the head as another writer may have them: with other padding, or without the number of records. */
static int
read_head(ncz_dataset *ds)
{
    ncz_buf      ours = NCZ_BUF_INIT;
    zmap_get_req r = {.key = "", .cut = true};
    int          rc = ncz_object_ops_of(ds)->write_head(ds->model, ds->style.gen, &ours);

    r.len = ours.len;
    ncz_buf_clear(&ours);
    if (rc == NC_NOERR && (rc = zmap_get_batch(ds->map, &r, 1, NULL, NULL)) == NC_NOERR) {
        ds->head = r.body;
        r.body = NCZ_BUF_INIT;
    }
    ncz_buf_clear(&r.body);
    return rc;
}

int
ncz_object_begin(ncz_dataset *ds)
{
    const ncz_object_ops *ops = ncz_object_ops_of(ds);

    if (!in_order(ds))
        return ncz_fail(
            NC_EPERM,
            "%s: a variable lies behind the records, which could not grow: copy it with nczcopy, and change "
            "the copy",
            ds->path);
    ds->filled = ncz_object_records(ds);
    ops->set_records(ds->model, ds->filled);
    ncz_engine_in_place(ds->engine);
    return read_head(ds);
}

/* ---- definitions ---- */

static bool
has_moved(const ncz_dataset *ds, const ncz_object_places *old)
{
    for (size_t i = 0; i < old->n; i++) {
        ncz_extent e;

        (void)ncz_object_ops_of(ds)->extent(ds->model->root->vars[i], &e);
        if (e.begin != old->v[i].begin || (e.pitch != old->v[i].pitch && old->nrecords > 1))
            return true;
    }
    return false;
}

/* Whether the data are copied into a new object: those that have other places; and those of a small one, so that its
 * head is never half an old and half a new one. The head of a large one with room for it is put in place. */
static int
needs_new(const ncz_dataset *ds, const ncz_object_places *old, bool *out)
{
    uint64_t size = 0;
    int      rc = zmap_len(ds->map, "", &size);

    *out = ds->head.len > 0 && (has_moved(ds, old) || size <= SMALL_OBJECT);
    return rc == NC_EEMPTY ? NC_NOERR : rc;
}

int
ncz_object_plan(ncz_dataset *ds, const ncz_file_room *room)
{
    int rc;

    if ((ds->before.v == NULL && (rc = note_places(ds, &ds->before)) != NC_NOERR) ||
        (rc = ncz_object_ops_of(ds)->lay_out(ds->model, ds->style.gen, room)) != NC_NOERR)
        return rc;
    ncz_object_ops_of(ds)->set_records(ds->model, ds->before.nrecords);
    ncz_engine_forget(ds->engine, 0); /* chunks may have other shapes now */
    return NC_NOERR;
}

int
ncz_object_settle(ncz_dataset *ds)
{
    ncz_object_places *old = &ds->before;
    bool               moves = false;
    int                rc;

    if ((rc = needs_new(ds, old, &moves)) != NC_NOERR || (moves && (rc = move_data(ds, old)) != NC_NOERR))
        return rc;
    for (size_t i = 0; i < old->n; i++)
        (void)ncz_object_ops_of(ds)->extent(ds->model->root->vars[i], &old->v[i]);
    return NC_NOERR;
}

void
ncz_object_end_define(ncz_dataset *ds)
{
    ds->filled = ds->before.nrecords;
    ncz_free(ds->before.v);
    ds->before.v = NULL;
    if (ds->state == NCZ_DATASET_NEW)
        ds->state = NCZ_DATASET_DOCUMENTED;
}

/* After a failure `before` still says where data lie, and the same call, or closing, goes on from there. */
int
ncz_object_enddef(ncz_dataset *ds, const ncz_file_room *room)
{
    int rc;

    if ((rc = ncz_dataset_flush_chunks(ds, 0)) != NC_NOERR || (rc = ncz_object_plan(ds, room)) != NC_NOERR ||
        (rc = ncz_object_settle(ds)) != NC_NOERR ||
        (rc = ncz_object_fill_new(ds, ds->before.n, ds->before.nrecords)) != NC_NOERR)
        return rc;
    ds->filled = ds->before.nrecords;
    if ((rc = ncz_object_store_head(ds)) == NC_NOERR)
        ncz_object_end_define(ds);
    return rc;
}

/* ---- growth ---- */

/* Whether a put writes all of the new records of its variable. */
static bool
covers(const ncz_var *v, const ncz_select *sel, uint64_t from)
{
    for (size_t d = 0; d < v->rank; d++)
        if (sel->stride[d] != 1 ||
            (d == 0 ? sel->start[0] > from : sel->start[d] != 0 || sel->count[d] != v->dims[d]->len))
            return false;
    return true;
}

/* How many records are made when `n` are asked for: many small ones cost as little as one; but with NC_SHARE those that
 * are not there yet go at once again. A file can hold all that are made, so that a put into one need not ask. */
static uint64_t
with_records_ahead(const ncz_dataset *ds, uint64_t pitch, uint64_t n)
{
    const ncz_object_ops *ops = ncz_object_ops_of(ds);
    uint64_t              most = pitch < AHEAD && (ds->mode & NC_SHARE) == 0 ? n + AHEAD / pitch : n;
    uint64_t              fixed, records, none, end;

    ops->sections(ds->model, 0, &fixed, &records, &none);
    if (most > ops->most_records(ds->style.gen) || !ncz_mul64(most, pitch, &end) || !ncz_add64(end, records, &end) ||
        end > INT64_MAX)
        return n;
    return most;
}

/* Fills the records from `first` on, and gives the object their length: what is read before it is put must be there. */
static int
make_records(ncz_dataset *ds, const ncz_var *skip, uint64_t first, uint64_t n)
{
    uint64_t fixed, records, end;
    int      rc;

    ncz_engine_pause(ds->engine); /* it puts what lies between the rows of chunks, too */
    rc = ncz_object_fill_records(ds, skip, first, n);
    ncz_object_ops_of(ds)->sections(ds->model, n, &fixed, &records, &end);
    if (rc == NC_NOERR)
        rc = zmap_resize(ds->map, "", end);
    ncz_engine_resume(ds->engine);
    if (rc == NC_NOERR)
        ds->filled = n;
    return rc;
}

int
ncz_object_check_records(ncz_dataset *ds, const ncz_var *v, uint64_t n)
{
    const ncz_object_ops *ops = ncz_object_ops_of(ds);
    ncz_extent            e;
    uint64_t              end, last;

    (void)ops->extent(v, &e);
    if (n > ops->most_records(ds->style.gen) || !ncz_mul64(n, e.pitch, &end) || !ncz_add64(end, e.begin, &last) ||
        last > INT64_MAX)
        return ncz_fail(NC_EVARSIZE, "%s: so many records are more than a file can hold", v->name);
    return NC_NOERR;
}

int
ncz_object_grow(ncz_dataset *ds, const ncz_var *v, const ncz_select *sel, uint64_t n)
{
    uint64_t   from = ncz_object_records(ds), most;
    ncz_extent e;
    int        rc = ncz_object_check_records(ds, v, n);

    if (rc == NC_NOERR && n > ds->filled) {
        (void)ncz_object_ops_of(ds)->extent(v, &e);
        most = with_records_ahead(ds, e.pitch, n);
        /* its padding has fill values, too */
        rc = make_records(ds, most == n && e.padded == e.nbytes && sel != NULL && covers(v, sel, from) ? v : NULL,
                          ds->filled > from ? ds->filled : from, most);
    }
    if (rc == NC_NOERR)
        ncz_object_ops_of(ds)->set_records(ds->model, n);
    return rc;
}

/* A variable with records. */
static const ncz_var *
find_record_var(const ncz_model *m, const ncz_dim *d)
{
    for (size_t i = 0; i < m->root->nvars; i++)
        if (m->root->vars[i]->rank > 0 && m->root->vars[i]->dims[0] == d)
            return m->root->vars[i];
    return NULL;
}

int
ncz_object_grow_dim(ncz_dataset *ds, const ncz_dim *d, uint64_t n)
{
    const ncz_var *v = find_record_var(ds->model, d);

    if (v != NULL)
        return ncz_object_grow(ds, v, NULL, n);
    if (n > ncz_object_ops_of(ds)->most_records(ds->style.gen))
        return ncz_fail(NC_EVARSIZE, "%s: so many records are more than a file can hold", d->name);
    return NC_NOERR;
}

/* ---- growth by several ranks ---- */

/* How many whole records the object has room for. */
static int
count_room(ncz_dataset *ds, uint64_t pitch, uint64_t *out)
{
    uint64_t fixed, records, end, size = 0;
    int      rc = zmap_len(ds->map, "", &size);

    ncz_object_ops_of(ds)->sections(ds->model, 0, &fixed, &records, &end);
    *out = size > records ? (size - records) / pitch : 0;
    return rc;
}

/* Makes the records that nobody has made yet. */
static int
make_missing(ncz_dataset *ds, uint64_t n)
{
    uint64_t pitch = ncz_object_pitch(ds), there = 0, from = ncz_object_records(ds);
    int      rc = count_room(ds, pitch, &there);

    from = ds->filled > from ? ds->filled : from;
    from = there > from ? there : from;
    if (rc == NC_NOERR && n > from)
        return make_records(ds, NULL, from, with_records_ahead(ds, pitch, n));
    if (rc == NC_NOERR)
        ds->filled = from;
    return rc;
}

int
ncz_object_grow_shared(ncz_dataset *ds, uint64_t n, bool alone)
{
    int     rc, ended;
    ncz_err err;

    if (n <= ds->filled)
        return NC_NOERR;
    if ((rc = zmap_single_lock(ds->map)) == NC_ENOTBUILT)
        return alone ? make_missing(ds, n)
                     : ncz_fail(NC_ECANTEXTEND,
                                "%s: its file system has no locks: only a collective put can add records", ds->path);
    if (rc != NC_NOERR)
        return rc;
    rc = make_missing(ds, n);
    ncz_err_save(&err, rc);
    ended = zmap_single_unlock(ds->map);
    return rc != NC_NOERR ? ncz_err_adopt(&err) : ended;
}
