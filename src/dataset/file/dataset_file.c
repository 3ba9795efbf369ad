/* SPDX-License-Identifier: BSD-3-Clause */
/* dataset_file: the life of a dataset that is one file: end of definitions, and growth. */
#include "dataset/file/dataset_file.h"
#include "zmap/zmap_single.h"

#include <string.h>

enum { AHEAD = 1 << 16 }; /* bytes of records that are made at once */

/* ---- definitions ---- */

/* Notes the places of the variables that have one. */
static int
note_places(const ncz_dataset *ds, ncz_file_places *out)
{
    const ncz_group *g = ds->model->root;

    *out = (ncz_file_places){.nrecords = ncz_file_records(ds)};
    if ((out->v = ncz_alloc_n(g->nvars + 1, sizeof *out->v)) == NULL) /* not NULL without variables, either */
        return ncz_fail_nomem(g->nvars * sizeof *out->v);
    while (out->n < g->nvars && ncz_file_ops_of(ds)->extent(g->vars[out->n], &out->v[out->n]))
        out->n++;
    return NC_NOERR;
}

/* Whether data are to lie elsewhere. Where there are no records their place is free. */
static bool
has_moved(const ncz_dataset *ds, const ncz_file_places *old)
{
    for (size_t i = 0; i < old->n; i++) {
        ncz_extent e;

        (void)ncz_file_ops_of(ds)->extent(ds->model->root->vars[i], &e);
        if (e.pitch != 0 && old->nrecords == 0)
            continue;
        if (e.begin != old->v[i].begin || (e.pitch != old->v[i].pitch && old->nrecords > 1))
            return true;
    }
    return false;
}

int
ncz_file_plan(ncz_dataset *ds, const ncz_file_room *room)
{
    int rc;

    if ((ds->file.before.v == NULL && (rc = note_places(ds, &ds->file.before)) != NC_NOERR) ||
        (rc = ncz_file_ops_of(ds)->lay_out(ds->model, ds->style.gen, room)) != NC_NOERR)
        return rc;
    ncz_file_ops_of(ds)->set_records(ds->model, ds->file.before.nrecords);
    ncz_engine_forget(ds->engine, 0); /* chunks may have other shapes now */
    return NC_NOERR;
}

/* The file `to`, in which all is written, in place of the dataset's: its data, what is new, and its head. */
static int
fill_file(ncz_dataset *ds, const ncz_file_places *old, zmap *from, bool whole)
{
    int rc = ncz_file_move(ds, old, from, ds->map);

    if (rc != NC_NOERR || !whole)
        return rc;
    if ((rc = ncz_file_fill_new(ds, old->n, 0)) == NC_NOERR) /* the records are filled */
        rc = ncz_file_store_head(ds);
    return rc;
}

/* The file has all: gives it the name of the one that it replaces, if others know that one. What was never made
 * durable need not be now. */
static int
show_file(ncz_dataset *ds, const zmap *from)
{
    if (!zmap_single_is_named(from))
        return NC_NOERR;
    return ds->durable && !ncz_dataset_is_new(ds) ? zmap_sync(ds->map) : zmap_single_show(ds->map);
}

/* A file that cannot be made beside the old one leaves all as it is. */
static int
begin_replacing(ncz_dataset *ds, zmap **to)
{
    int rc = zmap_single_again(ds->map, to);

    if (rc == NC_EACCESS || rc == NC_EPERM)
        rc = ncz_fail(
            rc,
            "%s: these definitions need room, so that all data go into a new file beside it, which cannot be "
            "made; nothing is changed (%s)",
            ds->path, ncz_err_text());
    return rc;
}

static void
use_map(ncz_dataset *ds, zmap *map, const ncz_buf *head)
{
    ds->map = map;
    ds->file.head = *head;
    ncz_engine_set_map(ds->engine, map);
}

/*
 * Copies all data to a new file, which becomes the dataset's. `whole`: with all that is new, and with the name of the
 * old one; else the caller does that. After a failure the old file is as it was, and is the dataset's.
 */
static int
replace_file(ncz_dataset *ds, const ncz_file_places *old, bool whole)
{
    const ncz_buf none = NCZ_BUF_INIT;
    ncz_buf       head = ds->file.head;
    zmap         *from = ds->map, *to = NULL;
    ncz_err       err;
    int           rc = begin_replacing(ds, &to);

    if (rc != NC_NOERR)
        return rc;
    use_map(ds, to, &none);
    if ((!whole || (rc = zmap_single_own(to, ncz_file_shares(ds))) == NC_NOERR) &&
        (rc = fill_file(ds, old, from, whole)) == NC_NOERR && whole)
        rc = show_file(ds, from);
    ncz_err_save(&err, rc);
    if (rc != NC_NOERR && zmap_single_is_named(to)) { /* its name is not durable yet: nothing more is certain */
        ncz_err_save(&ds->failed, rc);
    } else if (rc != NC_NOERR) {
        ncz_buf_clear(&ds->file.head);
        use_map(ds, from, &head);
        (void)zmap_close(to, ZMAP_DISCARD);
        return ncz_err_adopt(&err);
    }
    ncz_buf_clear(&head);
    /* What was never shown to others is not shown now. */
    (void)zmap_close(from, ncz_dataset_is_new(ds) && !zmap_single_is_named(from) ? ZMAP_DISCARD : ZMAP_KEEP);
    return ncz_err_adopt(&err);
}

/* Whether data are to lie in bytes of the stored head, which has got shorter: nothing is put there before that head
 * is replaced. */
static bool
overlaps_head(const ncz_dataset *ds)
{
    uint64_t fixed, records, end;

    if (ds->model->root->nvars == 0)
        return false;
    ncz_file_ops_of(ds)->sections(ds->model, 0, &fixed, &records, &end);
    return fixed < ds->file.head.len;
}

/* A new file has nothing to lose, and no head yet. */
static bool
needs_new(const ncz_dataset *ds, const ncz_file_places *old)
{
    return ds->file.head.len > 0 && (has_moved(ds, old) || overlaps_head(ds));
}

int
ncz_file_settle(ncz_dataset *ds)
{
    ncz_file_places *old = &ds->file.before;
    int              rc;

    if (needs_new(ds, old) && (rc = replace_file(ds, old, false)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < old->n; i++)
        (void)ncz_file_ops_of(ds)->extent(ds->model->root->vars[i], &old->v[i]);
    return NC_NOERR;
}

void
ncz_file_end_define(ncz_dataset *ds)
{
    ds->file.filled = ds->file.before.nrecords;
    ncz_free(ds->file.before.v);
    ds->file.before.v = NULL;
    if (ds->state == NCZ_DATASET_NEW)
        ds->state = NCZ_DATASET_DOCUMENTED;
}

static int
define(ncz_dataset *ds, const ncz_file_room *room)
{
    int rc;

    if ((rc = ncz_file_check(ds)) != NC_NOERR || (rc = ncz_dataset_flush_chunks(ds, 0)) != NC_NOERR ||
        (rc = ncz_file_plan(ds, room)) != NC_NOERR)
        return rc;
    ds->file.filled = ds->file.before.nrecords;
    if (needs_new(ds, &ds->file.before))
        return replace_file(ds, &ds->file.before, true);
    rc = ncz_file_fill_new(ds, ds->file.before.n, ds->file.before.nrecords);
    return rc == NC_NOERR ? ncz_file_store_head(ds) : rc;
}

/* After a failure `before` still says where data lie, and the same call, or closing, goes on from there. */
int
ncz_file_enddef(ncz_dataset *ds, const ncz_file_room *room)
{
    int rc = ncz_file_begin_alone(ds);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = define(ds, room)) == NC_NOERR)
        ncz_file_end_define(ds);
    ncz_file_end_alone(ds);
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
    const ncz_file_ops *ops = ncz_file_ops_of(ds);
    uint64_t            most = pitch < AHEAD && (ds->mode & NC_SHARE) == 0 ? n + AHEAD / pitch : n;
    uint64_t            fixed, records, none, end;

    ops->sections(ds->model, 0, &fixed, &records, &none);
    if (most > ops->most_records(ds->style.gen) || !ncz_mul64(most, pitch, &end) || !ncz_add64(end, records, &end) ||
        end > INT64_MAX)
        return n;
    return most;
}

/* Fills the records from `first` on, and gives the file their length: what is read before it is put must be there. */
static int
make_records(ncz_dataset *ds, const ncz_var *skip, uint64_t first, uint64_t n)
{
    uint64_t fixed, records, end;
    int      rc;

    ncz_engine_pause(ds->engine); /* it puts what lies between the rows of chunks, too */
    rc = ncz_file_fill_records(ds, skip, first, n);
    ncz_file_ops_of(ds)->sections(ds->model, n, &fixed, &records, &end);
    if (rc == NC_NOERR)
        rc = zmap_resize(ds->map, "", end);
    ncz_engine_resume(ds->engine);
    if (rc == NC_NOERR)
        ds->file.filled = n;
    return rc;
}

int
ncz_file_check_records(ncz_dataset *ds, const ncz_var *v, uint64_t n)
{
    const ncz_file_ops *ops = ncz_file_ops_of(ds);
    ncz_extent          e;
    uint64_t            end, last;

    (void)ops->extent(v, &e);
    if (n > ops->most_records(ds->style.gen) || !ncz_mul64(n, e.pitch, &end) || !ncz_add64(end, e.begin, &last) ||
        last > INT64_MAX)
        return ncz_fail(NC_EVARSIZE, "%s: so many records are more than a file can hold", v->name);
    return NC_NOERR;
}

/* How many whole records the file has room for. */
static int
count_room(ncz_dataset *ds, uint64_t pitch, uint64_t *out)
{
    uint64_t fixed, records, end, size = 0;
    int      rc = zmap_len(ds->map, "", &size);

    ncz_file_ops_of(ds)->sections(ds->model, 0, &fixed, &records, &end);
    *out = size > records ? (size - records) / pitch : 0;
    return rc;
}

/* How many records are made already; by others, too, who have not told their number yet. */
static int
find_made(ncz_dataset *ds, uint64_t *out)
{
    uint64_t there = 0;
    int      rc = NC_NOERR;

    if (ncz_file_shares(ds) && zmap_single_is_named(ds->map))
        rc = count_room(ds, ncz_file_pitch(ds), &there);
    *out = ds->file.filled > *out ? ds->file.filled : *out;
    *out = there > *out ? there : *out;
    return rc;
}

static int
grow(ncz_dataset *ds, const ncz_var *v, const ncz_select *sel, uint64_t n)
{
    uint64_t   now = ncz_file_records(ds), from = now, most;
    ncz_extent e;
    int        rc = NC_NOERR;

    if (n > now && (rc = find_made(ds, &from)) == NC_NOERR && n > from) {
        (void)ncz_file_ops_of(ds)->extent(v, &e);
        most = with_records_ahead(ds, e.pitch, n);
        /* its padding has fill values, too */
        rc = make_records(ds, most == n && e.padded == e.nbytes && sel != NULL && covers(v, sel, now) ? v : NULL,
                          from, most);
    }
    if (rc == NC_NOERR && n > now)
        ncz_file_ops_of(ds)->set_records(ds->model, n);
    return rc;
}

int
ncz_file_grow(ncz_dataset *ds, const ncz_var *v, const ncz_select *sel, uint64_t n)
{
    int rc;

    if ((rc = ncz_file_check_records(ds, v, n)) != NC_NOERR || (rc = ncz_file_begin_growth(ds)) != NC_NOERR)
        return rc;
    rc = grow(ds, v, sel, n);
    ncz_file_end_growth(ds);
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
ncz_file_grow_dim(ncz_dataset *ds, const ncz_dim *d, uint64_t n)
{
    const ncz_var *v = find_record_var(ds->model, d);

    if (v != NULL)
        return ncz_file_grow(ds, v, NULL, n);
    if (n > ncz_file_ops_of(ds)->most_records(ds->style.gen))
        return ncz_fail(NC_EVARSIZE, "%s: so many records are more than a file can hold", d->name);
    return NC_NOERR;
}

/* ---- growth by several ranks ---- */

/* Makes the records that nobody has made yet. */
static int
make_missing(ncz_dataset *ds, uint64_t n)
{
    uint64_t pitch = ncz_file_pitch(ds), there = 0, from = ncz_file_records(ds);
    int      rc = count_room(ds, pitch, &there);

    from = ds->file.filled > from ? ds->file.filled : from;
    from = there > from ? there : from;
    if (rc == NC_NOERR && n > from)
        return make_records(ds, NULL, from, with_records_ahead(ds, pitch, n));
    if (rc == NC_NOERR)
        ds->file.filled = from;
    return rc;
}

int
ncz_file_grow_shared(ncz_dataset *ds, uint64_t n, bool alone)
{
    int     rc, ended;
    ncz_err err;

    if (n <= ds->file.filled)
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
