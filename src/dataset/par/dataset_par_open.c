/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_par_open: creates or opens a dataset on all ranks. Rank 0 does what nc_create() or nc_open() does; when it
 * succeeded, the others open the store. Its documents are read by rank 0 alone, which gives the bytes to all
 * (zmap_record.h): the store sees the requests of one process.
 */
#include "dataset/file/dataset_file.h"
#include "dataset/par/dataset_par.h"
#include "zmap/zmap_record.h"
#include "zmap/zmap_single.h"

#include <string.h>

/* Flags of old programs that ask for parallel access, which these calls are. */
#define PARALLEL_FLAGS NC_MPIIO

/* Checks that the store can have several writers. */
static int
check_store(const ncz_target *t, int mode, bool writes)
{
    const char *commit = t->uri != NULL ? ncz_uri_frag(t->uri, "commit") : NULL;

    if ((mode & (NC_DISKLESS | NC_INMEMORY)) != 0)
        return ncz_fail(
            NC_ENOPAR,
            "%s: memory belongs to one process: NC_DISKLESS and NC_INMEMORY have no parallel access; use a "
            "directory or a bucket",
            t->shown);
    if (!writes)
        return NC_NOERR;
    if (t->store == NCZ_STORE_ZIP)
        return ncz_fail(NC_ENOPAR,
                        "%s: an archive has one writer: write a directory or a bucket in parallel, and make the "
                        "archive with nczcopy",
                        t->shown);
    if (commit != NULL && strcmp(commit, "close") == 0)
        return ncz_fail(NC_ENOTBUILT, "%s: commit=close is not built for parallel access", t->shown);
    return NC_NOERR;
}

/* An archive that is opened is found by its contents. */
static int
check_opened(const ncz_dataset *ds, bool writes)
{
    if (writes && (zmap_caps_of(ds->map) & ZMAP_COMMITS) != 0)
        return ncz_fail(NC_ENOPAR,
                        "%s: an archive has one writer: copy it to a directory or a bucket with nczcopy, and write "
                        "there in parallel",
                        ds->path);
    return NC_NOERR;
}

/* Ends a dataset that was opened or created on this rank, but failed on another. `rc` stays the error. */
static int
drop_dataset(ncz_dataset *ds, int rc)
{
    ncz_err err;

    ncz_err_save(&err, rc);
    if (ds != NULL)
        (void)ncz_dataset_abort(ds);
    ncz_dataset_free(ds);
    return ncz_err_adopt(&err);
}

/* What a rank has while the dataset is created or opened. */
typedef struct opening {
    ncz_comm    *comm;
    ncz_target  *target;
    ncz_dataset *ds;
    int          version; /* of a classic file that is created; 0: none is */
} opening;

/* The last agreement, with this rank's result `rc`. If all ranks succeeded, the dataset gets the communicator and the
 * target's name, and becomes *out. */
static int
agree_opened(opening *o, ncz_comm_call call, int rc, ncz_dataset **out)
{
    ncz_dataset *ds = o->ds;

    if ((rc = ncz_comm_agree(o->comm, call, 0, rc)) != NC_NOERR)
        return rc;
    ds->home = NCZ_HOME_PATH;
    if (ds->given == NULL) {
        ds->given = o->target->canonical;
        o->target->canonical = NULL;
    }
    ds->par.comm = o->comm;
    o->comm = NULL;
    if (ds->writable && ncz_file_ops_of(ds) != NULL)
        ncz_engine_share_ranges(ds->engine);
    *out = ds;
    o->ds = NULL;
    return NC_NOERR;
}

/* Releases what agree_opened() has not passed on; returns `rc`. */
static int
end_opening(opening *o, int rc)
{
    if (rc != NC_NOERR)
        rc = drop_dataset(o->ds, rc);
    ncz_target_free(o->target);
    ncz_comm_free(o->comm);
    return rc;
}

/* ---- create ---- */

/* On the ranks but the first: the place exists, and holds a claim. */
static int
join_created(const ncz_target *t, int cmode, const ncz_limits *limits, ncz_dataset **out)
{
    zmap *map = NULL;
    int   rc;

    if ((rc = ncz_store_open(t, true, &map)) != NC_NOERR)
        return rc;
    if ((rc = ncz_dataset_create_on(map, t, t->shown, cmode, limits, out)) == NC_NOERR)
        (*out)->home = NCZ_HOME_PATH;
    else
        (void)zmap_close(map, ZMAP_KEEP); /* nothing was put; the text stays */
    return rc;
}

/* Opens the classic file that rank 0 has created, which tells the others its name until it is complete. */
static int
join_file(opening *o, int cmode, const ncz_limits *limits)
{
    ncz_buf name = NCZ_BUF_INIT;
    int     rc = ncz_par_share_name(o->comm, NCZ_COMM_CREATE, o->ds != NULL ? o->ds->map : NULL, &name);

    if (rc == NC_NOERR && !ncz_comm_first(o->comm))
        rc = ncz_file_join(o->target, cmode, (unsigned)o->version, ncz_buf_str(&name), limits, &o->ds);
    ncz_buf_clear(&name);
    return rc;
}

int
ncz_dataset_create_par(const char *path, int cmode, int default_format, const struct nczarr_comm *table,
                       const ncz_limits *limits, ncz_dataset **out)
{
    opening o = {.comm = NULL};
    int     rc;

    cmode &= ~PARALLEL_FLAGS;
    if ((rc = ncz_comm_new(table, NCZ_COMM_CREATE, &o.comm)) != NC_NOERR)
        return rc;
    ncz_pool_share((unsigned)table->node_ranks);
    if ((rc = ncz_dataset_check_mode(cmode)) == NC_NOERR &&
        (rc = ncz_target_parse(path, true, &o.target)) == NC_NOERR && (rc = ncz_store_follow(o.target)) == NC_NOERR &&
        (rc = ncz_choose_format(o.target, cmode, default_format, &o.version)) == NC_NOERR)
        rc = check_store(o.target, cmode, true);
    if (rc == NC_NOERR && ncz_comm_first(o.comm))
        rc = ncz_dataset_create(path, cmode, default_format, limits, &o.ds);
    if ((rc = ncz_comm_agree(o.comm, NCZ_COMM_CREATE, (uint64_t)o.version, rc)) != NC_NOERR)
        goto done;
    if (o.version != 0 && o.ds != NULL) /* the ranks share it from now on */
        zmap_single_disown(o.ds->map);
    if (o.version != 0)
        rc = join_file(&o, cmode, limits);
    else if (!ncz_comm_first(o.comm))
        rc = join_created(o.target, cmode, limits, &o.ds);
    rc = agree_opened(&o, NCZ_COMM_CREATE, rc, out);
done:
    return end_opening(&o, rc);
}

/* ---- open ---- */

/* Opens the dataset, and loads all of its metadata from `documents`: the store, recorded or replayed. */
static int
open_with(zmap *map, zmap *documents, const ncz_target *t, int omode, const ncz_limits *limits, ncz_dataset **out)
{
    int rc = ncz_dataset_open_from(map, documents, t, t->shown, omode, limits, out);

    return rc == NC_NOERR ? rc : ncz_claim_explain(map, t->shown, ncz_store_missing(t, map, rc), NULL);
}

/* On rank 0: opens the dataset and records its documents. */
static int
open_first(const ncz_target *t, int omode, const ncz_limits *limits, ncz_buf *record, ncz_dataset **out)
{
    ncz_dataset *ds = NULL;
    zmap        *map = NULL, *recorder = NULL;
    int          rc;

    if ((rc = ncz_store_open(t, (omode & NC_WRITE) != 0, &map)) != NC_NOERR)
        return rc;
    if ((omode & NC_WRITE) != 0 && (rc = zmap_single_own(map, false)) == NC_NOERR) /* nobody else writes it */
        zmap_single_disown(map);                                                   /* the ranks share it */
    if (rc == NC_NOERR && (rc = zmap_record_open(map, &recorder)) == NC_NOERR &&
        (rc = open_with(map, recorder, t, omode, limits, &ds)) == NC_NOERR) {
        map = NULL; /* the dataset's */
        if ((rc = check_opened(ds, (omode & NC_WRITE) != 0)) == NC_NOERR && ds->writable &&
            ncz_file_ops_of(ds) != NULL)
            rc = ncz_file_cut(ds);
        if (rc == NC_NOERR)
            rc = zmap_record_take(recorder, record);
    }
    if (rc == NC_NOERR) {
        *out = ds;
        ds = NULL;
    }
    (void)drop_dataset(ds, rc);
    (void)zmap_close(recorder, ZMAP_KEEP); /* a reference less */
    (void)zmap_close(map, ZMAP_KEEP);      /* it was only read */
    return rc;
}

/* On the other ranks: opens the store, and takes the documents from the record. */
static int
open_other(const ncz_target *t, int omode, const ncz_limits *limits, const ncz_buf *record, ncz_dataset **out)
{
    zmap *map = NULL, *replay = NULL;
    int   rc;

    if ((rc = ncz_store_open(t, (omode & NC_WRITE) != 0, &map)) != NC_NOERR)
        return rc;
    if ((rc = zmap_replay_open(map, ncz_buf_str(record), record->len, &replay)) == NC_NOERR &&
        (rc = open_with(map, replay, t, omode, limits, out)) == NC_NOERR)
        map = NULL; /* the dataset's */
    (void)zmap_close(replay, ZMAP_KEEP);
    (void)zmap_close(map, ZMAP_KEEP);
    return rc;
}

int
ncz_dataset_open_par(const char *path, int omode, const struct nczarr_comm *table, const ncz_limits *limits,
                     ncz_dataset **out)
{
    ncz_buf record = NCZ_BUF_INIT;
    opening o = {.comm = NULL};
    int     rc;

    omode &= ~PARALLEL_FLAGS;
    if ((rc = ncz_comm_new(table, NCZ_COMM_OPEN, &o.comm)) != NC_NOERR)
        return rc;
    ncz_pool_share((unsigned)table->node_ranks);
    if ((rc = ncz_dataset_check_mode(omode)) == NC_NOERR &&
        (rc = ncz_target_parse(path, false, &o.target)) == NC_NOERR)
        rc = check_store(o.target, omode, (omode & NC_WRITE) != 0);
    if (rc == NC_NOERR && ncz_comm_first(o.comm))
        rc = open_first(o.target, omode, limits, &record, &o.ds);
    if ((rc = ncz_comm_agree(o.comm, NCZ_COMM_OPEN, 0, rc)) != NC_NOERR ||
        (rc = ncz_comm_share(o.comm, NCZ_COMM_OPEN, &record)) != NC_NOERR)
        goto done;
    if (!ncz_comm_first(o.comm))
        rc = open_other(o.target, omode, limits, &record, &o.ds);
    rc = agree_opened(&o, NCZ_COMM_OPEN, rc, out);
done:
    ncz_buf_clear(&record);
    return end_opening(&o, rc);
}

int
ncz_dataset_agree_opened(ncz_dataset *ds, int rc)
{
    return ncz_comm_agree(ds->par.comm, ds->created ? NCZ_COMM_CREATE : NCZ_COMM_OPEN, 0, rc);
}
