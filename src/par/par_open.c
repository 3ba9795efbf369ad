/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * par_open: creates or opens a dataset on all ranks. Rank 0 does what nc_create() or nc_open() does; when it
 * succeeded, the others open the store. Its documents are read by rank 0 alone, which gives the bytes to all
 * (zmap_record.h): the store sees the requests of one process.
 */
#include "dataset/file/dataset_file.h"
#include "open/open_int.h"
#include "par/par_int.h"
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

static int
fail_netcdf4(const char *path)
{
    return ncz_fail(
        NC_ENOTBUILT,
        "%s: a netCDF-4 file has one writer: write Zarr (a name that ends in .zarr, #mode=nczarr, or "
        "NCZARR_NETCDF4=nczarr in the environment) or a classic file (NC_64BIT_DATA) in parallel, and make the file "
        "with nczcopy",
        path);
}

/* What is opened is found by its contents. */
static int
check_opened(const ncz_dataset *ds, bool writes)
{
    if (ds->kind == &ncz_nc4_session)
        return fail_netcdf4(ds->path);
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
    ncz_comm   *comm;
    ncz_opening own;
    int         version; /* of a file that is created, as of ncz_choose_format(); 0: none is */
} opening;

/* The last agreement, with this rank's result `rc`. If all ranks succeeded, the dataset gets the communicator and the
 * target's name, and becomes *out. */
static int
agree_opened(opening *o, ncz_comm_call call, int rc, ncz_dataset **out)
{
    ncz_dataset   *ds = o->own.ds;
    ncz_par_ranks *ranks = NULL;

    if (rc == NC_NOERR)
        rc = ncz_par_ranks_new(&ranks);
    if ((rc = ncz_comm_agree(o->comm, call, 0, rc)) != NC_NOERR) {
        ncz_free(ranks);
        return rc;
    }
    ds->home = NCZ_HOME_PATH;
    if (ds->given == NULL) {
        ds->given = o->own.target->canonical;
        o->own.target->canonical = NULL;
    }
    ranks->comm = o->comm;
    o->comm = NULL;
    ncz_par_share(ds, ranks);
    *out = ds;
    o->own.ds = NULL;
    return NC_NOERR;
}

/* Releases what agree_opened() has not passed on; returns `rc`. */
static int
end_opening(opening *o, int rc)
{
    ncz_err err;

    ncz_err_save(&err, rc);
    (void)zmap_close(o->own.documents, ZMAP_KEEP); /* a reference less */
    if (rc != NC_NOERR)
        (void)drop_dataset(o->own.ds, rc);
    (void)zmap_close(o->own.map, ZMAP_KEEP); /* it was only read */
    ncz_target_free(o->own.target);
    ncz_comm_free(o->comm);
    return ncz_err_adopt(&err);
}

/* ---- create ---- */

/* On the ranks but the first: the place exists, and holds a claim. */
static int
join_created(ncz_opening *o)
{
    int rc;

    if ((rc = ncz_store_open(o->target, true, &o->map)) != NC_NOERR ||
        (rc = ncz_dataset_create_on(o->map, o->target, o->path, o->mode, o->limits, &o->ds)) != NC_NOERR)
        return rc;
    o->map = NULL; /* the dataset's */
    o->ds->home = NCZ_HOME_PATH;
    return NC_NOERR;
}

/* Opens the classic file that rank 0 has created, which tells the others its name until it is complete. */
static int
join_file(opening *o)
{
    ncz_opening *own = &o->own;
    ncz_buf      name = NCZ_BUF_INIT;
    int          rc = ncz_par_share_name(o->comm, NCZ_COMM_CREATE, own->ds != NULL ? own->ds->map : NULL, &name);

    if (rc == NC_NOERR && !ncz_comm_first(o->comm))
        rc = ncz_file_join(own->target, own->mode, (unsigned)o->version, ncz_buf_str(&name), own->limits, &own->ds);
    ncz_buf_clear(&name);
    return rc;
}

int
ncz_par_create(const char *path, int cmode, int default_format, const struct nczarr_comm *table,
               const ncz_limits *limits, ncz_dataset **out)
{
    opening      o = {.own = {.mode = cmode & ~PARALLEL_FLAGS, .limits = limits}};
    ncz_opening *own = &o.own;
    int          rc;

    if ((rc = ncz_comm_new(table, NCZ_COMM_CREATE, &o.comm)) != NC_NOERR)
        return rc;
    ncz_pool_share((unsigned)table->node_ranks);
    if ((rc = ncz_dataset_check_mode(own->mode)) == NC_NOERR &&
        (rc = ncz_target_parse(path, true, &own->target)) == NC_NOERR &&
        (rc = ncz_store_follow(own->target)) == NC_NOERR &&
        (rc = ncz_choose_format(own->target, own->mode, default_format, &o.version)) == NC_NOERR &&
        (rc = o.version == NCZ_FILE_NETCDF4 ? fail_netcdf4(own->target->shown) : NC_NOERR) == NC_NOERR)
        rc = check_store(own->target, own->mode, true);
    if (rc == NC_NOERR && ncz_comm_first(o.comm))
        rc = ncz_dataset_create(path, own->mode, default_format, limits, &own->ds);
    if ((rc = ncz_comm_agree(o.comm, NCZ_COMM_CREATE, (uint64_t)o.version, rc)) != NC_NOERR)
        return end_opening(&o, rc);
    own->path = own->target->shown;
    if (o.version != 0 && own->ds != NULL) /* the ranks share it from now on */
        zmap_single_disown(own->ds->map);
    if (o.version != 0)
        rc = join_file(&o);
    else if (!ncz_comm_first(o.comm))
        rc = join_created(own);
    return end_opening(&o, agree_opened(&o, NCZ_COMM_CREATE, rc, out));
}

/* ---- open ---- */

/* Opens the dataset, and loads all of its metadata from o->documents: the store, recorded or replayed. */
static int
load_documents(ncz_opening *o)
{
    int rc = ncz_opening_load(o);

    return rc == NC_NOERR ? rc : ncz_claim_explain(o->map, o->path, ncz_store_missing(o->target, o->map, rc), NULL);
}

/* The same for a file: nobody else writes it, and the ranks share it. */
static int
check_writer(zmap *map)
{
    int rc = zmap_single_own(map, false);

    if (rc == NC_NOERR)
        zmap_single_disown(map);
    return rc;
}

/* On rank 0: opens the dataset and records its documents. */
static int
open_first(ncz_opening *o, ncz_buf *record)
{
    bool writes = ncz_opening_writes(o);
    int  rc;

    if ((rc = ncz_store_open(o->target, writes, &o->map)) != NC_NOERR)
        return rc;
    if ((!writes || (rc = check_writer(o->map)) == NC_NOERR) &&
        (rc = zmap_record_open(o->map, &o->documents)) == NC_NOERR && (rc = load_documents(o)) == NC_NOERR) {
        if ((rc = check_opened(o->ds, writes)) == NC_NOERR && o->ds->writable && ncz_file_ops_of(o->ds) != NULL)
            rc = ncz_file_cut(o->ds);
        if (rc == NC_NOERR)
            rc = zmap_record_take(o->documents, record);
    }
    if (rc != NC_NOERR) {
        rc = drop_dataset(o->ds, rc);
        o->ds = NULL;
    }
    return rc;
}

/* On the other ranks: opens the store, and takes the documents from the record. */
static int
open_other(ncz_opening *o, const ncz_buf *record)
{
    int rc;

    if ((rc = ncz_store_open(o->target, ncz_opening_writes(o), &o->map)) != NC_NOERR ||
        (rc = zmap_replay_open(o->map, ncz_buf_str(record), record->len, &o->documents)) != NC_NOERR)
        return rc;
    return load_documents(o);
}

int
ncz_par_open(const char *path, int omode, const struct nczarr_comm *table, const ncz_limits *limits,
             ncz_dataset **out)
{
    opening      o = {.own = {.mode = omode & ~PARALLEL_FLAGS, .limits = limits}};
    ncz_opening *own = &o.own;
    ncz_buf      record = NCZ_BUF_INIT;
    int          rc;

    if ((rc = ncz_comm_new(table, NCZ_COMM_OPEN, &o.comm)) != NC_NOERR)
        return rc;
    ncz_pool_share((unsigned)table->node_ranks);
    if ((rc = ncz_dataset_check_mode(own->mode)) == NC_NOERR &&
        (rc = ncz_target_parse(path, false, &own->target)) == NC_NOERR) {
        own->path = own->target->shown;
        rc = check_store(own->target, own->mode, ncz_opening_writes(own));
    }
    if (rc == NC_NOERR && ncz_comm_first(o.comm))
        rc = open_first(own, &record);
    if ((rc = ncz_comm_agree(o.comm, NCZ_COMM_OPEN, 0, rc)) == NC_NOERR &&
        (rc = ncz_comm_share(o.comm, NCZ_COMM_OPEN, &record)) == NC_NOERR) {
        if (!ncz_comm_first(o.comm))
            rc = open_other(own, &record);
        rc = agree_opened(&o, NCZ_COMM_OPEN, rc, out);
    }
    ncz_buf_clear(&record);
    return end_opening(&o, rc);
}

int
ncz_par_agree_opened(ncz_dataset *ds, int rc)
{
    return ncz_comm_agree(ncz_par_comm(ds), ds->created ? NCZ_COMM_CREATE : NCZ_COMM_OPEN, 0, rc);
}
