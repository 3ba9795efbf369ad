/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * open_on_store: creates or opens a dataset on a store. An existing dataset is loaded; a new one is empty and
 * in define mode.
 */
#include "dataset/file/dataset_file.h"
#include "dataset/netcdf4/dataset_netcdf4.h"
#include "open/open_int.h"
#include "nczarr_zmap.h"
#include "zmap/file/zmap_file.h"
#include "zip/zip.h"
#include "zmap/zmap_s3_file.h"
#include "zmap/zmap_single.h"

#include <string.h>

#define USER_FORMATS (NC_UDF0 | NC_UDF1 | 0x3F90000) /* NC_UDF0 to NC_UDF9 */

int
ncz_dataset_check_mode(int mode)
{
    int formats = mode & (NC_NETCDF4 | NC_64BIT_OFFSET | NC_64BIT_DATA);

    if ((mode & (NC_MMAP | NC_MPIIO | USER_FORMATS)) != 0)
        return ncz_fail(NC_EINVAL, "NC_MMAP, NC_MPIIO, NC_UDF0 to NC_UDF9: nczarr does not have these modes");
    if ((formats & (formats - 1)) != 0)
        return ncz_fail(NC_EINVAL, "NC_NETCDF4, NC_64BIT_OFFSET and NC_64BIT_DATA exclude each other");
    if ((mode & NC_DISKLESS) != 0 && (mode & NC_INMEMORY) != 0)
        return ncz_fail(NC_EDISKLESS, "NC_DISKLESS and NC_INMEMORY exclude each other");
    return NC_NOERR;
}

const ncz_session_ops *
ncz_dataset_choose_kind(const ncz_dataset *ds)
{
    const ncz_file_ops *file = ds->model->dialect->file;

    if (file != NULL && file->rewrite != NULL && ds->writable)
        return &ncz_nc4_session;
    if (file == NULL || file->lay_out == NULL) /* a file that is only read never changes */
        return &ncz_documents_session;
    return ncz_file_shares(ds) ? &ncz_file_shared_session : &ncz_file_session;
}

enum { BEHIND_COMMIT_MS = 60000 }; /* of what waits to be stored so much time is lost at most */

/* A netCDF-4 file has nothing of what was put before a commit. In a bucket each one puts all of it again: who wants
 * that must say it. */
static void
set_clock(ncz_dataset *ds, const ncz_settings *s)
{
    bool unsaid = s->commit_ms < 0, commits = ds->kind == &ncz_nc4_session && !zmap_s3_file_is(ds->map);

    ds->clock.interval = !unsaid ? s->commit_ms : s->behind && commits ? BEHIND_COMMIT_MS : 0;
    ds->clock.last = ds->clock.interval != 0 ? ncz_now_ms() : 0;
}

static int
set_durability(ncz_dataset *ds, ncz_durability durability)
{
    if (durability == NCZ_DURABLE_EACH)
        return zmap_file_sync_each(ds->map);
    if (durability == NCZ_DURABLE_NONE) {
        ds->durable = false;
        zmap_file_sync_never(ds->map);
        ncz_zip_sync_never(ds->map);
    }
    return NC_NOERR;
}

/* The common part of create and open. Takes the store on success. */
static int
start_dataset(zmap *map, const ncz_target *t, const ncz_settings *settings, const char *path,
              const ncz_limits *limits, ncz_dataset **out)
{
    ncz_dataset *ds = NULL;
    int          rc;

    if ((rc = ncz_dataset_new(map, limits, &ds)) != NC_NOERR)
        return rc;
    if ((ds->path = ncz_strdup(path)) == NULL)
        rc = ncz_fail_nomem(strlen(path) + 1);
    if (rc == NC_NOERR)
        rc = set_durability(ds, settings->durability);
    /* A store that commits as a whole is invisible until then anyway. */
    ds->root_deferred = settings->commit_at_close && (zmap_caps_of(ds->map) & ZMAP_COMMITS) == 0;
    ds->no_copies = t->consolidated == NCZ_NO;
    ds->nc4.front = settings->front;
    ds->nc4.fits = settings->front_fits;
    ds->nc4.never_reuse = settings->never_reuse;
    (void)ncz_engine_write_empty(ds->engine, t->write_empty == NCZ_YES);
    if (rc != NC_NOERR) {
        ncz_dataset_release(ds);
        ncz_dataset_free(ds);
        return rc;
    }
    *out = ds;
    return NC_NOERR;
}

/* ---- create ---- */

int
ncz_opening_give_up(zmap *map, int rc)
{
    ncz_err err;

    ncz_err_save(&err, rc);
    (void)zmap_close(map, ZMAP_DISCARD);
    return ncz_err_adopt(&err);
}

static ncz_format_opts
style_for(const ncz_target *t)
{
    ncz_format_opts s = ncz_format_new(ncz_dataset_choose_dialect(t), t->conventions);

    s.xarray = t->xarray;
    s.consolidated = t->consolidated == NCZ_YES;
    return s;
}

/* Prepares the empty model, with the text of _NCProperties. */
static int
start_model(ncz_dataset *ds)
{
    ncz_buf properties = NCZ_BUF_INIT;
    int     rc;

    if (ds->style.dialect->file != NULL && ds->style.dialect->file->rewrite == NULL)
        return ncz_dialects_create(ds->model, &ds->style, NULL);
    rc = ncz_format_properties(&ds->style, "libnczarr=" NCZARR_VERSION, &properties);

    if (rc == NC_NOERR)
        rc = ncz_dialects_create(ds->model, &ds->style, ncz_buf_str(&properties));
    ncz_buf_clear(&properties);
    return rc;
}

int
ncz_dataset_create_on(zmap *map, const ncz_target *t, const char *path, int cmode, const ncz_limits *limits,
                      ncz_dataset **out)
{
    ncz_format_opts style = style_for(t);

    style.classic = (cmode & NC_CLASSIC_MODEL) != 0;
    return ncz_dataset_create_as(map, t, path, cmode, &style, limits, out);
}

static bool
is_classic_file(const ncz_format_opts *style)
{
    return style->dialect->file != NULL && style->dialect->file->rewrite == NULL;
}

int
ncz_dataset_create_as(zmap *map, const ncz_target *t, const char *path, int cmode, const ncz_format_opts *style,
                      const ncz_limits *limits, ncz_dataset **out)
{
    ncz_dataset *ds = NULL;
    ncz_settings settings;
    int          rc;

    if ((rc = ncz_settings_find(t, true, &settings)) != NC_NOERR ||
        (rc = start_dataset(map, t, &settings, path, limits, &ds)) != NC_NOERR)
        return rc;
    ds->style = *style;
    ds->cmode = cmode;
    ds->mode = (cmode & ~(NC_NOCLOBBER | NCZARR_VERBATIM)) | (is_classic_file(style) ? 0 : NC_NETCDF4);
    if ((rc = start_model(ds)) != NC_NOERR) {
        ncz_dataset_release(ds);
        ncz_dataset_free(ds);
        return rc;
    }
    ncz_format_choose_keys(ds->model, t->separator, t->v2_keys == NCZ_YES);
    ds->writable = ds->created = ds->defining = true;
    ds->state = NCZ_DATASET_NEW;
    ncz_dataset_set_classic(ds, style->classic);
    ds->kind = ncz_dataset_choose_kind(ds);
    set_clock(ds, &settings);
    ds->verbatim = (cmode & NCZARR_VERBATIM) != 0;
    if (settings.behind && (rc = ncz_dataset_set_write(ds, true, settings.behind_bytes)) != NC_NOERR) {
        ncz_dataset_release(ds);
        ncz_dataset_free(ds);
        return rc;
    }
    ncz_dataset_log_open(ds, t);
    *out = ds;
    return NC_NOERR;
}

/* ---- open ---- */

/* Turns NC_ENOTZARR into NC_ENOTNC: for a netCDF program a store without a dataset is an unknown format. */
static int
as_unknown_format(int rc, const char *path)
{
    ncz_err err;

    if (rc != NC_ENOTZARR)
        return rc;
    ncz_err_save(&err, rc);
    return ncz_fail(NC_ENOTNC, "%s: %s", path, err.text);
}

/* A writer that keeps consolidated metadata needs all documents, since it copies them. */
static int
check_copyable(const ncz_dataset *ds)
{
    const ncz_var *v = NULL;

    while (ds->style.consolidated && (v = ncz_model_next_var(ds->model, v)) != NULL)
        if (ncz_format_is_unreadable(v->unusable->code))
            return ncz_err_adopt(v->unusable);
    return NC_NOERR;
}

/*
 * How the metadata are loaded. A reader loads only the root now; see dataset_lazy_load.c. A writer reads the documents
 * themselves, since it will overwrite them. It updates an existing consolidated document, and creates one on request;
 * on request, too, one that was written unasked loses its mark.
 */
static ncz_load_opts
loading_of(const ncz_opening *o)
{
    return (ncz_load_opts){.zarr_format = o->target->zarr_format,
                           .pure = o->target->conventions == NCZ_CONVENTIONS_ZARR,
                           .xarray = o->target->xarray,
                           .hdf5 = o->target->hdf5,
                           .look = !ncz_opening_writes(o),
                           .spelling = o->ds->verbatim,
                           .warnings = &o->ds->warnings};
}

static ncz_consolidated
copies_of(const ncz_opening *o)
{
    if (ncz_opening_writes(o))
        return NCZ_CONSOLIDATED_KNOW;
    if (o->ds->root_deferred)
        return NCZ_CONSOLIDATED_IGNORE;
    return o->target->consolidated == NCZ_YES     ? NCZ_CONSOLIDATED_MUST
           : o->target->consolidated == NCZ_UNSET ? NCZ_CONSOLIDATED_USE
                                                  : NCZ_CONSOLIDATED_IGNORE;
}

static int
set_view(ncz_opening *o)
{
    ncz_aggregation_opts opts = {.target = o->target,
                                 .depth = o->depth,
                                 .open = o->open_fragment,
                                 .files = o->files,
                                 .nfiles = o->nfiles,
                                 .opened = o->opened,
                                 .nopened = o->nopened,
                                 .limits = o->limits,
                                 .missing = o->settings.missing};

    return ncz_aggregation_new(&opts, &o->ds->view);
}

/* commit=close continues a session that was not closed. To the reader of a dataset that was, it says nothing. */
static int
check_deferred(ncz_opening *o)
{
    if (!o->ds->root_deferred || o->documents != NULL || (zmap_caps_of(o->map) & ZMAP_SINGLE) != 0 ||
        !ncz_deferred_is_closed(o->map))
        return NC_NOERR;
    if (ncz_opening_writes(o))
        return ncz_fail(NC_ENOOBJECT,
                        "%s: this dataset was closed, and commit=close continues one that was not: open it without "
                        "that key",
                        o->path);
    o->ds->root_deferred = false;
    return NC_NOERR;
}

/* Makes the dataset, without any metadata. */
static int
begin_opening(ncz_opening *o)
{
    bool writable = ncz_opening_writes(o);
    int  rc;

    if ((rc = ncz_settings_find(o->target, writable, &o->settings)) != NC_NOERR ||
        (rc = start_dataset(o->map, o->target, &o->settings, o->path, o->limits, &o->ds)) != NC_NOERR ||
        (rc = check_deferred(o)) != NC_NOERR)
        return rc;
    o->ds->verbatim = (o->mode & NCZARR_VERBATIM) != 0;
    o->ds->mode = (o->mode & ~NCZARR_VERBATIM) | ((zmap_caps_of(o->map) & ZMAP_SINGLE) != 0 ? 0 : NC_NETCDF4);
    o->ds->documents = o->documents;
    if (o->open_fragment != NULL && !writable && !o->settings.no_aggregation && (rc = set_view(o)) != NC_NOERR)
        return rc;
    return writable && o->documents == NULL ? zmap_single_own(o->map, (o->mode & NC_SHARE) != 0) : NC_NOERR;
}

/* After the root: all that a writer, or a rank, needs at once. */
static int
load_rest(ncz_opening *o)
{
    ncz_dataset *ds = o->ds;
    bool         asked = o->target->consolidated == NCZ_YES, found, unasked;
    int          rc;

    if (!ncz_opening_writes(o))
        return o->documents == NULL ? NC_NOERR : ncz_load_rest(ds);
    found = ncz_load_has_consolidated(ds, &unasked);
    if ((rc = ncz_load_rest(ds)) == NC_NOERR) {
        ds->style.consolidated = ds->style.consolidated || asked || found;
        ds->style.unasked = unasked && !asked;
        if (unasked && asked)
            ncz_document_change(&ds->model->root->document); /* the next flush stores it without the mark */
        ncz_dataset_note_lengths(ds);
        rc = check_copyable(ds);
    }
    return rc;
}

/* Datasets of old netCDF-C releases are read, never changed. Opening for writing fails at once, not at the first
 * put. */
static int
check_writable(const ncz_format_opts *style, const char *path)
{
    const char *by = ncz_format_old_writer(style);

    if (style->dialect->file != NULL && !ncz_format_is_written(style->dialect))
        return ncz_fail(style->dialect->file->refusal != 0 ? style->dialect->file->refusal : NC_EPERM,
                        "%s: %s files are read but not changed: copy it with nczcopy, to a Zarr dataset or a classic "
                        "file, and write into the copy",
                        path, style->dialect->name);
    if (by == NULL)
        return NC_NOERR;
    return ncz_fail(
        NC_EPERM,
        "%s: its metadata are those of netCDF-C %s, which are read but not changed: copy it with nczcopy, "
        "and write into the copy",
        path, by);
}

/* The metadata are loaded: what the session may do. */
static int
end_opening(ncz_opening *o)
{
    ncz_dataset *ds = o->ds;
    bool         writable = ncz_opening_writes(o);
    int          rc = writable ? check_writable(&ds->style, o->path) : NC_NOERR;

    ds->documents = NULL;
    if (rc != NC_NOERR)
        return rc;
    if (o->settings.missing != NCZ_MISSING_ZEROS)
        ncz_dataset_set_missing(ds, o->settings.missing);
    ds->writable = writable && !ds->style.readonly;
    if (writable && !ds->writable)
        ncz_log(NCZ_LOG_WARN, "%s: cannot be rewritten without loss: opened read-only", o->path);
    /* Read-ahead may return data that are slightly out of date, so it is off for writers, and for readers that expect
     * other writers (NC_SHARE). */
    ncz_engine_read_ahead(ds->engine, !ds->writable && (o->mode & NC_SHARE) == 0 && o->target->read_ahead != NCZ_NO);
    ncz_format_choose_keys(ds->model, o->target->separator, o->target->v2_keys == NCZ_YES);
    ncz_dataset_log_open(ds, o->target);
    if (ds->writable && o->settings.behind)
        rc = ncz_dataset_set_write(ds, true, o->settings.behind_bytes);
    ds->kind = ncz_dataset_choose_kind(ds);
    set_clock(ds, &o->settings);
    if (rc == NC_NOERR && ds->kind == &ncz_nc4_session)
        rc = ncz_nc4_begin(ds);
    if (rc == NC_NOERR && ds->writable && ncz_file_ops_of(ds) != NULL)
        rc = ncz_file_begin(ds);
    if (rc == NC_NOERR && ds->writable)
        ncz_dataset_resume_widenings(ds);
    return rc;
}

int
ncz_opening_load(ncz_opening *o)
{
    ncz_steady    steady;
    ncz_load_opts how;
    int           rc = begin_opening(o);

    if (rc == NC_NOERR) {
        how = loading_of(o);
        for (ncz_steady_begin(&steady, o->documents == NULL ? o->map : NULL); ncz_steady_next(&steady);)
            ncz_steady_note(&steady, ncz_load_root(o->ds, &how, copies_of(o)));
        rc = ncz_steady_end(&steady);
    }
    if (rc == NC_NOERR)
        rc = load_rest(o);
    if (o->ds != NULL && (rc = as_unknown_format(rc, o->path)) == NC_NOERR && (rc = end_opening(o)) == NC_NOERR) {
        o->map = NULL; /* the dataset's */
        return NC_NOERR;
    }
    if (o->ds != NULL)
        ncz_dataset_release(o->ds);
    ncz_dataset_free(o->ds);
    o->ds = NULL;
    return rc;
}
