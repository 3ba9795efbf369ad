/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_file_head: the head of a dataset that is one file, as it is stored. Other data are stored before it. It
 * is put in place, under a journal where others know the file (zmap_journal.h): whatever dies leaves the old head
 * or the new one.
 */
#include "dataset/file/dataset_file.h"
#include "zmap/zmap_single.h"

#include <string.h>

enum { RECORDS_END = 16 }; /* bytes of a head that have the number of records */

uint64_t
ncz_file_records(const ncz_dataset *ds)
{
    for (size_t i = 0; i < ds->model->root->ndims; i++)
        if (ds->model->root->dims[i]->unlimited)
            return ds->model->root->dims[i]->len;
    return 0;
}

/* Gives the file its size: records that were made ahead go. `grow`: also if it is shorter. */
static int
set_size(ncz_dataset *ds, bool grow)
{
    uint64_t fixed, records, end, size = 0;
    int      rc = zmap_len(ds->map, "", &size);
    bool     ahead = ds->file.filled > ncz_file_records(ds) && !ncz_file_shares(ds); /* others may have put there */

    if (rc != NC_NOERR && rc != NC_EEMPTY)
        return rc;
    ncz_file_ops_of(ds)->sections(ds->model, ncz_file_records(ds), &fixed, &records, &end);
    if (ds->ranks != NULL || !grow) /* others may have made some */
        ahead = size > end && ncz_file_pitch(ds) != 0;
    return (grow && size < end) || ahead ? zmap_resize(ds->map, "", end) : NC_NOERR;
}

/* Puts the number of records, if it has changed. */
static int
put_records(ncz_dataset *ds)
{
    char     bytes[8];
    uint64_t off;
    size_t   n = ncz_file_ops_of(ds)->write_records(ds->style.gen, ncz_file_records(ds), bytes, &off);
    int      rc = NC_NOERR;

    if (memcmp(ds->file.head.data + off, bytes, n) != 0 &&
        (rc = zmap_put_range(ds->map, "", off, bytes, n)) == NC_NOERR)
        memcpy(ds->file.head.data + off, bytes, n);
    return rc;
}

/* Stores what a head tells of records, while the rest of it is as it was stored. */
static int
store_records(ncz_dataset *ds)
{
    int rc = ncz_file_begin_growth(ds);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = set_size(ds, true)) == NC_NOERR) {
        ds->file.filled = ncz_file_records(ds);
        rc = put_records(ds);
    }
    ncz_file_end_growth(ds);
    return rc;
}

/* ---- changes of the head ---------------------------------------------------------------------------------------- */

/* The bytes that are there, up to `n`. */
static int
read_bytes(ncz_dataset *ds, size_t n, ncz_buf *out)
{
    zmap_get_req r = {.key = "", .len = n, .cut = true, .body = NCZ_BUF_LIMIT(n)};
    int          rc;

    (void)zmap_get_batch(ds->map, &r, 1, NULL, NULL);
    rc = r.err.code == NC_NOERR || r.err.code == NC_EEMPTY ? NC_NOERR : ncz_err_adopt(&r.err);
    *out = r.body;
    return rc;
}

/* What gets shorter leaves zeros. */
static int
pad_head(ncz_buf *head, size_t len)
{
    int rc = head->len < len ? ncz_buf_reserve(head, len - head->len) : NC_NOERR;

    if (rc == NC_NOERR && head->len < len) {
        memset(head->data + head->len, 0, len - head->len);
        head->len = len;
    }
    return rc;
}

/* Puts the bytes that differ from those that are there. */
static int
put_difference(ncz_dataset *ds, const ncz_buf *head)
{
    ncz_buf now = NCZ_BUF_INIT;
    size_t  from = 0, to = head->len, most;
    int     rc = zmap_single_is_named(ds->map) ? read_bytes(ds, head->len, &now) : NC_NOERR;

    most = now.len < head->len ? now.len : head->len;
    while (from < most && now.data[from] == head->data[from])
        from++;
    while (now.len >= head->len && to > from && now.data[to - 1] == head->data[to - 1])
        to--;
    if (rc == NC_NOERR && to > from)
        rc = zmap_single_change(ds->map, from, now.len > from ? now.data + from : NULL,
                                now.len <= from ? 0 : (now.len < to ? now.len : to) - from, head->data + from,
                                to - from, ds->durable && !ncz_dataset_is_new(ds));
    ncz_buf_clear(&now);
    return rc;
}

/* Writers that share a file take what is behind the records for records: a longer head may have left it. */
static int
cut_rest(ncz_dataset *ds)
{
    return ncz_file_shares(ds) && ncz_file_pitch(ds) != 0 ? ncz_file_cut(ds) : NC_NOERR;
}

/* `head`, as the model has it, becomes the stored one. */
static int
put_head(ncz_dataset *ds, ncz_buf *head)
{
    size_t len = head->len;
    int    rc = pad_head(head, ds->file.head.len);

    if (rc != NC_NOERR || (rc = set_size(ds, true)) != NC_NOERR || (rc = cut_rest(ds)) != NC_NOERR)
        return rc;
    ds->file.filled = ncz_file_records(ds);
    if ((rc = put_difference(ds, head)) != NC_NOERR)
        return rc;
    ncz_buf_clear(&ds->file.head);
    ds->file.head = *head;
    ds->file.head.len = len;
    ds->file.stale = false;
    *head = NCZ_BUF_INIT;
    return NC_NOERR;
}

/* Other ranks define, too. */
static bool
is_stored(const ncz_dataset *ds, const ncz_buf *head)
{
    return ds->ranks == NULL && ds->file.head.len >= RECORDS_END && head->len == ds->file.head.len &&
           ncz_file_is_head(ds, head);
}

int
ncz_file_store_head(ncz_dataset *ds)
{
    ncz_buf head = NCZ_BUF_INIT;
    int     rc;

    if (ds->file.head.len >= RECORDS_END && !ds->file.stale && ds->ranks == NULL)
        return store_records(ds);
    if ((rc = ncz_file_ops_of(ds)->write_head(ds->model, ds->style.gen, &head)) != NC_NOERR)
        goto done;
    if (is_stored(ds, &head)) {
        ds->file.stale = false;
        rc = store_records(ds);
    } else if ((rc = ncz_file_begin_alone(ds)) == NC_NOERR) {
        rc = put_head(ds, &head);
        ncz_file_end_alone(ds);
    }
done:
    ncz_buf_clear(&head);
    return rc;
}

int
ncz_file_sync(ncz_dataset *ds)
{
    return ds->durable ? ncz_dataset_sync_map(ds) : zmap_single_show(ds->map);
}

int
ncz_file_store(ncz_dataset *ds)
{
    int rc;

    if ((rc = ncz_file_store_head(ds)) != NC_NOERR || (rc = ncz_file_sync(ds)) != NC_NOERR)
        return rc;
    ncz_dialects_mark_stored(ds->model);
    ds->state = NCZ_DATASET_STORED;
    return NC_NOERR;
}

int
ncz_file_cut(ncz_dataset *ds)
{
    return set_size(ds, false);
}

/* ---- the head of a file that is there ------------------------------------------------------------------------ */

/* Whether the records are the last of the file. */
static bool
in_order(const ncz_dataset *ds)
{
    const ncz_file_ops *ops = ncz_file_ops_of(ds);
    const ncz_group    *g = ds->model->root;
    uint64_t            fixed, records, end, one;

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
    int          rc = ncz_file_ops_of(ds)->write_head(ds->model, ds->style.gen, &ours);

    r.len = ours.len;
    ncz_buf_clear(&ours);
    if (rc == NC_NOERR && (rc = zmap_get_batch(ds->map, &r, 1, NULL, NULL)) == NC_NOERR) {
        ds->file.head = r.body;
        r.body = NCZ_BUF_INIT;
    }
    ncz_buf_clear(&r.body);
    return rc;
}

int
ncz_file_begin(ncz_dataset *ds)
{
    const ncz_file_ops *ops = ncz_file_ops_of(ds);
    int                 rc;

    if (!in_order(ds))
        return ncz_fail(
            NC_EPERM,
            "%s: a variable lies behind the records, which could not grow: copy it with nczcopy, and change "
            "the copy",
            ds->path);
    ds->file.filled = ncz_file_records(ds);
    ops->set_records(ds->model, ds->file.filled);
    ncz_engine_in_place(ds->engine);
    if ((rc = read_head(ds)) != NC_NOERR || !ncz_file_shares(ds))
        return rc;
    ncz_engine_share_ranges(ds->engine);
    /* What lies behind the records is not taken for records that others make: the first of them cuts it off. */
    if ((rc = zmap_single_alone(ds->map)) == NC_EACCESS) {
        ncz_err_clear();
        return NC_NOERR;
    }
    if (rc == NC_NOERR)
        rc = ncz_file_cut(ds);
    ncz_file_end_alone(ds);
    return rc;
}

/* ---- writers that share a file ---------------------------------------------------------------------------------- */

int
ncz_file_begin_alone(ncz_dataset *ds)
{
    int rc;

    if (!ncz_file_shares(ds) || ncz_dataset_is_new(ds))
        return NC_NOERR;
    return (rc = zmap_single_alone(ds->map)) == NC_NOERR ? ncz_file_check(ds) : rc;
}

void
ncz_file_end_alone(ncz_dataset *ds)
{
    if (ncz_file_shares(ds))
        zmap_single_share(ds->map);
}

int
ncz_file_begin_growth(ncz_dataset *ds)
{
    ncz_buf now = NCZ_BUF_INIT;
    int     rc;

    if (!ncz_file_shares(ds) || !zmap_single_is_named(ds->map))
        return NC_NOERR;
    if ((rc = zmap_single_lock(ds->map)) == NC_ENOTBUILT)
        ncz_err_clear(); /* it has no locks, as the log says */
    else if (rc != NC_NOERR)
        return rc;
    if ((rc = read_bytes(ds, RECORDS_END, &now)) == NC_NOERR)
        ncz_file_take_records(ds, &now);
    ncz_buf_clear(&now);
    if (rc != NC_NOERR)
        ncz_file_end_growth(ds);
    return rc;
}

void
ncz_file_end_growth(ncz_dataset *ds)
{
    if (ncz_file_shares(ds) && zmap_single_is_named(ds->map))
        (void)zmap_single_unlock(ds->map); /* it ends with the file, at the latest */
}

/* ---- other writers ---------------------------------------------------------------------------------------------- */

/* What cannot be stored any more fails from now on. */
static int
fail_for_good(ncz_dataset *ds, int rc)
{
    ncz_err_save(&ds->failed, rc);
    return ncz_err_adopt(&ds->failed);
}

int
ncz_file_check_name(ncz_dataset *ds, zmap *file)
{
    bool replaced = false;
    int  rc;

    if ((rc = zmap_single_find(file, &replaced)) != NC_NOERR || !replaced)
        return rc;
    return fail_for_good(ds,
                         ncz_fail(NC_EIO,
                                  "%s: another program has replaced or removed it since it was opened: what was put "
                                  "since the last nc_sync() is not in it; open it again",
                                  ds->path));
}

bool
ncz_file_is_head(const ncz_dataset *ds, const ncz_buf *now)
{
    char     number[8];
    uint64_t off;
    size_t   n = ncz_file_ops_of(ds)->write_records(ds->style.gen, 0, number, &off), end = (size_t)off + n;

    return now->len >= ds->file.head.len && memcmp(now->data, ds->file.head.data, (size_t)off) == 0 &&
           memcmp(now->data + end, ds->file.head.data + end, ds->file.head.len - end) == 0;
}

void
ncz_file_take_records(ncz_dataset *ds, const ncz_buf *now)
{
    uint64_t n;

    if (!ncz_file_ops_of(ds)->read_records(ds->style.gen, now->data, now->len, &n) || n <= ncz_file_records(ds))
        return;
    for (size_t i = 0; i < ds->model->root->ndims; i++)
        if (ds->model->root->dims[i]->unlimited)
            ds->model->root->dims[i]->len = n;
    ncz_file_ops_of(ds)->set_records(ds->model, n);
}

int
ncz_file_check(ncz_dataset *ds)
{
    ncz_buf now = NCZ_BUF_INIT;
    int     rc;

    if (ds->failed.code != NC_NOERR)
        return ncz_err_adopt(&ds->failed);
    if (!zmap_single_is_named(ds->map) || ds->file.head.len < RECORDS_END)
        return NC_NOERR;
    if ((rc = ncz_file_check_name(ds, ds->map)) != NC_NOERR ||
        (rc = read_bytes(ds, ds->file.head.len, &now)) != NC_NOERR)
        goto done;
    if (!ncz_file_is_head(ds, &now))
        rc = fail_for_good(ds, ncz_fail(NC_EIO,
                                        "%s: another program has changed its definitions since it was opened: what "
                                        "was put since the last nc_sync() is not stored; open it again",
                                        ds->path));
    else
        ncz_file_take_records(ds, &now);
done:
    ncz_buf_clear(&now);
    return rc;
}
