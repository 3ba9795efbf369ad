/* SPDX-License-Identifier: BSD-3-Clause */
/* dataset_file_share: what other processes see of a dataset that is one file, and what this one sees of theirs,
 * and of what is missing. */
#include "dataset/file/dataset_file.h"
#include "zmap/zmap_single.h"

#include <string.h>

#define HDF5_SIGNATURE "\x89HDF\r\n\x1a\n"

enum {
    HEAD_OF_RECORDS = 16, /* bytes that have their number */
    LOOKS_MOST = 8,       /* in a row that a writer was at work in */
};

void
ncz_dataset_set_missing(ncz_dataset *ds, ncz_missing how)
{
    const ncz_file_ops *ops = ncz_file_ops_of(ds);

    if (ds->view != NULL && ds->view->set_missing != NULL)
        ds->view->set_missing(ds->view, how);
    if (ops == NULL || ops->set_missing == NULL || ds->writable)
        return;
    ops->set_missing(ds->model, how);
    ncz_engine_forget(ds->engine, 0); /* chunks that were read otherwise */
}

ncz_dataset *
ncz_dataset_take_open(ncz_dataset *ds, const char *path)
{
    return ds->view != NULL && ds->view->take != NULL ? ds->view->take(ds->view, path) : NULL;
}

int
ncz_file_publish(ncz_dataset *ds)
{
    int rc;

    if ((rc = ncz_file_check(ds)) == NC_NOERR && (rc = ncz_dataset_flush_chunks(ds, 0)) == NC_NOERR &&
        (rc = ncz_file_store_head(ds)) == NC_NOERR)
        rc = ncz_file_check_name(ds, ds->map);
    return rc;
}

/* ---- a reader's definitions ------------------------------------------------------------------------------------- */

/* A writer of such a file knows the lock of the whole file. */
static bool
is_hdf5(zmap *map)
{
    char           bytes[sizeof HDF5_SIGNATURE - 1];
    ncz_read_range r = {.at = 0, .len = sizeof bytes, .out = bytes};

    if (map == NULL || !zmap_single_is_named(map) || (zmap_caps_of(map) & ZMAP_CAN_WRITE) != 0)
        return false;
    if (zmap_get_ranges(map, "", &r, 1) == NC_NOERR)
        return memcmp(bytes, HDF5_SIGNATURE, sizeof bytes) == 0;
    ncz_err_clear(); /* who loads it finds what is wrong */
    return false;
}

void
ncz_steady_begin(ncz_steady *s, zmap *map)
{
    if (is_hdf5(map))
        zmap_single_settle(map);
    *s = (ncz_steady){.map = map, .err = {.code = NC_NOERR}};
}

void
ncz_steady_note(ncz_steady *s, int rc)
{
    ncz_err_save(&s->err, rc);
}

int
ncz_steady_end(const ncz_steady *s)
{
    return ncz_err_adopt(&s->err);
}

/* What was read may be a part of one head and a part of another, also where that failed. */
static bool
has_changed(const ncz_steady *s)
{
    char now[ZMAP_VERSION];

    return s->map != NULL && s->version[0] != '\0' && !zmap_single_is_settled(s->map) &&
           zmap_single_look(s->map, now) == NC_NOERR && strcmp(s->version, now) != 0;
}

bool
ncz_steady_next(ncz_steady *s)
{
    int rc;

    if (s->tries == LOOKS_MOST || (s->tries > 0 && !has_changed(s)))
        return false;
    if (s->tries > 0)
        zmap_single_settle(s->map);
    s->tries++;
    if (s->map == NULL || (rc = zmap_single_look(s->map, s->version)) == NC_NOERR)
        return true;
    ncz_steady_note(s, rc);
    return false;
}

/* The bytes that the head has in the store. Those of another writer may be padded. */
static int
read_head(ncz_dataset *ds, ncz_buf *out)
{
    ncz_buf      ours = NCZ_BUF_INIT;
    zmap_get_req r = {.key = "", .cut = true};
    int          rc = ncz_file_ops_of(ds)->write_head(ds->model, ds->style.gen, &ours);

    r.len = ours.len;
    ncz_buf_clear(&ours);
    if (rc != NC_NOERR)
        return rc;
    (void)zmap_get_batch(ds->map, &r, 1, NULL, NULL);
    rc = r.err.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&r.err);
    *out = r.body;
    return rc;
}

/* What a reader goes on with, if all that it knows is in it. */
typedef struct reloaded {
    ncz_model      *model;
    ncz_format_opts style;
} reloaded;

static int
load_again(ncz_dataset *ds, reloaded *l)
{
    const ncz_load_opts wish = {.look = true};
    ncz_meta_source     source = {.map = NULL};
    ncz_docs            docs;
    int                 rc;

    ncz_model_free(l->model);
    l->model = NULL;
    if ((rc = ncz_model_new(&ds->limits, &l->model)) != NC_NOERR)
        return rc;
    if ((rc = ncz_meta_source_init(&source, ds->map, &ds->limits, NCZ_CONSOLIDATED_IGNORE, 0, NULL, NULL)) ==
        NC_NOERR) {
        docs = ncz_meta_source_docs(&source);
        rc = ncz_dialects_load(&docs, &wish, l->model, &l->style);
    }
    ncz_meta_source_clear(&source);
    return rc;
}

static bool
same_dims(const ncz_group *a, const ncz_group *b)
{
    for (size_t i = 0; i < a->ndims; i++)
        if (i >= b->ndims || a->dims[i]->unlimited != b->dims[i]->unlimited ||
            (!a->dims[i]->unlimited && a->dims[i]->len != b->dims[i]->len))
            return false;
    return true;
}

/* Whether all that a program knows by a number is there, with the same number; names and attributes may differ. */
static bool
has_all_of(const ncz_group *b, const ncz_group *a)
{
    if (!same_dims(a, b) || b->nvars < a->nvars)
        return false;
    for (size_t i = 0; i < a->nvars; i++) {
        const ncz_var *v = a->vars[i], *w = b->vars[i];

        if (v->type != w->type || v->rank != w->rank)
            return false;
        for (size_t d = 0; d < v->rank; d++)
            if (v->dims[d]->id != w->dims[d]->id)
                return false;
    }
    return true;
}

/* Goes on with other definitions, whose numbers are those that the program knows. */
static void
take_definitions(ncz_dataset *ds, reloaded *l)
{
    ncz_model *old = ds->model;

    ncz_engine_forget(ds->engine, 0);
    ds->model = l->model;
    ds->style = l->style;
    l->model = NULL;
    ncz_dataset_set_classic(ds, ds->style.classic || (ds->mode & NC_CLASSIC_MODEL) != 0);
    ncz_model_free(old);
}

static int
reload(ncz_dataset *ds)
{
    reloaded   l = {.model = NULL};
    ncz_steady steady;
    int        rc;

    for (ncz_steady_begin(&steady, ds->map); ncz_steady_next(&steady);)
        ncz_steady_note(&steady, load_again(ds, &l));
    rc = ncz_steady_end(&steady);
    if (rc == NC_NOERR && (l.style.dialect != ds->style.dialect || !has_all_of(l.model->root, ds->model->root)))
        rc = ncz_fail(
            NC_EIO,
            "%s: it is another file than the one that was opened: variables or dimensions are others; open it "
            "again",
            ds->path);
    if (rc == NC_NOERR) {
        take_definitions(ds, &l);
        ncz_buf_clear(&ds->file.head);
        rc = read_head(ds, &ds->file.head);
    }
    ncz_model_free(l.model);
    return rc;
}

/* The file that has the name now. After a failure the reader goes on with the old one. */
static int
follow_name(ncz_dataset *ds)
{
    zmap    *from = ds->map, *to = NULL;
    uint64_t size;
    int      rc = zmap_single_reopen(from, &to);

    if (rc != NC_NOERR)
        return rc;
    if (zmap_len(to, "", &size) == NC_EEMPTY) { /* it only lost its name: it is read on */
        ncz_err_clear();
        return zmap_close(to, ZMAP_KEEP);
    }
    ds->map = to;
    ncz_engine_set_map(ds->engine, to);
    if ((rc = reload(ds)) != NC_NOERR) {
        ncz_err err;

        ncz_err_save(&err, rc);
        ds->map = from;
        ncz_engine_set_map(ds->engine, from);
        from = to;
        rc = ncz_err_adopt(&err);
    }
    (void)zmap_close(from, ZMAP_KEEP); /* it was only read */
    return rc;
}

/* A reader's: a file that is another one by now, or that has another head, is looked at again. *done: it was. */
static int
follow_file(ncz_dataset *ds, bool *done)
{
    ncz_buf now = NCZ_BUF_INIT;
    bool    replaced = false;
    int     rc;

    *done = false;
    if (ds->writable || !zmap_single_is_named(ds->map))
        return NC_NOERR;
    *done = true;
    if ((rc = zmap_single_find(ds->map, &replaced)) != NC_NOERR || replaced)
        return rc == NC_NOERR ? follow_name(ds) : rc;
    if (ds->file.head.len == 0)
        return reload(ds);
    if ((rc = read_head(ds, &now)) == NC_NOERR) {
        *done = !ncz_file_is_head(ds, &now);
        rc = *done ? reload(ds) : NC_NOERR;
    }
    ncz_buf_clear(&now);
    return rc;
}

int
ncz_file_refresh(ncz_dataset *ds)
{
    zmap_get_req r = {.key = "", .len = HEAD_OF_RECORDS, .cut = true};
    bool         done = false;
    int          rc = follow_file(ds, &done);

    if (rc == NC_NOERR && !done) {
        if ((rc = zmap_get_batch(ds->map, &r, 1, NULL, NULL)) == NC_NOERR)
            ncz_file_take_records(ds, &r.body);
        ncz_buf_clear(&r.body);
    }
    ncz_engine_forget(ds->engine, 0);
    return rc;
}
