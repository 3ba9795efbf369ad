/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * par_file: datasets that are one file, a classic netCDF file, which several ranks change. Each puts the
 * bytes of its own elements where they lie; nobody reads, changes and puts what is another's. Rank 0 alone puts the
 * head, and moves data.
 *
 * New records: the length of the file says which ones have been made. A rank that needs more makes them under the
 * file's lock, with fill values, and puts its data afterwards. So no fill value replaces data, whichever rank puts
 * first, and a put needs no other rank. How many records there are all ranks agree on in the next collective call.
 */
#include "dataset/file/dataset_file.h"
#include "par/par_int.h"
#include "zmap/zmap_single.h"

#include <string.h>

int
ncz_par_share_name(ncz_comm *c, ncz_comm_call call, const zmap *map, ncz_buf *name)
{
    const char *unfinished = ncz_comm_first(c) && map != NULL ? zmap_single_unfinished(map) : NULL;
    int         rc = unfinished != NULL ? ncz_buf_puts(name, unfinished) : NC_NOERR;

    rc = ncz_comm_agree(c, call, 0, rc);
    return rc == NC_NOERR ? ncz_comm_share(c, call, name) : rc;
}

/* On the ranks but the first, which may have made a new file: goes on with that one. */
static int
follow_map(ncz_dataset *ds, const char *unfinished)
{
    const char *ours = zmap_single_unfinished(ds->map);
    zmap       *to = NULL;
    int         rc;

    if (unfinished[0] == '\0' || (ours != NULL && strcmp(ours, unfinished) == 0))
        return NC_NOERR;
    if ((rc = zmap_single_join_again(ds->map, unfinished, &to)) != NC_NOERR)
        return rc;
    (void)zmap_close(ds->map, ZMAP_KEEP); /* all of it was flushed, and what rank 0 copied is all that counts */
    ds->map = to;
    ncz_engine_set_map(ds->engine, to);
    return NC_NOERR;
}

/* nc__enddef() chooses room for what comes later, which must be the same on all ranks. */
static int
compare_room(ncz_dataset *ds, const ncz_file_room *room)
{
    const uint64_t asked[] = {room->header_free, room->align, room->fixed_free, room->record_align};
    uint64_t       v[2 * NCZ_LEN(asked)]; /* each number, and what tells the smallest */
    bool           same = true;
    int            rc;

    for (size_t i = 0; i < NCZ_LEN(asked); i++) {
        v[2 * i] = asked[i] < INT64_MAX ? asked[i] : INT64_MAX;
        v[2 * i + 1] = INT64_MAX - v[2 * i];
    }
    if ((rc = ncz_comm_max(ncz_par_comm(ds), v, NCZ_LEN(v))) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < NCZ_LEN(asked); i++)
        same = same && v[2 * i] == INT64_MAX - v[2 * i + 1];
    return same ? NC_NOERR : ncz_fail(NC_EINVAL, "%s: ranks ask nc__enddef() for different room", ds->path);
}

/* Data lie where the model has them afterwards, on all ranks. What rank 0 has made is shared even if it failed: another
 * nc_enddef() goes on from there. */
static int
settle_on_all(ncz_dataset *ds)
{
    ncz_comm *c = ncz_par_comm(ds);
    ncz_buf   name = NCZ_BUF_INIT;
    ncz_err   own;
    int       rc = ncz_comm_first(c) ? ncz_file_settle(ds) : NC_NOERR, shared;

    ncz_err_save(&own, rc);
    if ((shared = ncz_par_share_name(c, NCZ_COMM_ENDDEF, ds->map, &name)) != NC_NOERR) {
        ncz_buf_clear(&name);
        return shared;
    }
    rc = ncz_comm_first(c) ? ncz_err_adopt(&own) : follow_map(ds, ncz_buf_str(&name));
    ncz_buf_clear(&name);
    if ((rc = ncz_comm_agree(c, NCZ_COMM_ENDDEF, 0, rc)) != NC_NOERR)
        return rc;
    rc = ncz_file_fill_share(ds, (size_t)ncz_comm_rank(c), ncz_comm_size(c));
    return ncz_comm_agree(c, NCZ_COMM_ENDDEF, 0, rc);
}

int
ncz_par_file_enddef(ncz_dataset *ds, const ncz_file_room *room)
{
    ncz_comm *c = ncz_par_comm(ds);
    int       rc = ncz_comm_agree(c, NCZ_COMM_ENDDEF, 0, ncz_dataset_flush_chunks(ds, 0));

    if (rc != NC_NOERR || (rc = compare_room(ds, room)) != NC_NOERR || (rc = ncz_par_agree_lengths(ds)) != NC_NOERR ||
        (rc = ncz_par_compare(ds, NCZ_COMM_ENDDEF)) != NC_NOERR ||
        (rc = ncz_comm_agree(c, NCZ_COMM_ENDDEF, 0, ncz_file_plan(ds, room))) != NC_NOERR ||
        (rc = settle_on_all(ds)) != NC_NOERR)
        return rc;
    rc = ncz_comm_first(c) ? ncz_file_store_head(ds) : NC_NOERR;
    if ((rc = ncz_comm_agree(c, NCZ_COMM_ENDDEF, 0, rc)) == NC_NOERR)
        ncz_file_end_define(ds);
    return rc;
}

/* ---- records ---- */

int
ncz_par_file_grow(ncz_dataset *ds, const ncz_var *v, uint64_t *shape)
{
    uint64_t need[2];
    int      rc;

    if (!ncz_var_has_records(v))
        return NC_NOERR;
    need[0] = shape[0] < INT64_MAX ? shape[0] : INT64_MAX;
    need[1] = shape[0] > ds->file.filled; /* a rank that it is false for knows that the records are there */
    if ((rc = ncz_comm_max(ncz_par_comm(ds), need, 2)) != NC_NOERR)
        return rc;
    shape[0] = need[0];
    if (need[1] != 0) {
        if ((rc = ncz_file_check_records(ds, v, need[0])) == NC_NOERR && ncz_comm_first(ncz_par_comm(ds)))
            rc = ncz_file_grow_shared(ds, need[0], true);
        if ((rc = ncz_comm_agree(ncz_par_comm(ds), NCZ_COMM_PUT, ncz_par_tag(v), rc)) != NC_NOERR)
            return rc;
    }
    ds->file.filled = need[0] > ds->file.filled ? need[0] : ds->file.filled;
    if (need[0] > ncz_file_records(ds))
        ncz_file_ops_of(ds)->set_records(ds->model, need[0]);
    return NC_NOERR;
}

int
ncz_par_file_grow_alone(ncz_dataset *ds, const ncz_var *v, const uint64_t *shape)
{
    int rc;

    if (!ncz_var_has_records(v) || shape[0] <= v->dims[0]->len)
        return NC_NOERR;
    if ((rc = ncz_file_check_records(ds, v, shape[0])) == NC_NOERR &&
        (rc = ncz_file_grow_shared(ds, shape[0], false)) == NC_NOERR)
        ncz_file_ops_of(ds)->set_records(ds->model, shape[0]);
    return rc;
}

/* ---- store ---- */

/* Its lengths are in its head, and ranks may have grown alone. */
int
ncz_par_file_flush(ncz_dataset *ds, ncz_comm_call call, int rc)
{
    if ((rc = ncz_par_store_data(ds, call, rc)) != NC_NOERR || (rc = ncz_par_agree_lengths(ds)) != NC_NOERR ||
        (rc = ncz_par_compare(ds, call)) != NC_NOERR ||
        (rc = ncz_par_run_on_first(ds, call, ncz_file_store)) != NC_NOERR)
        return rc;
    zmap_single_follow(ds->map);
    ds->file.filled = ncz_file_records(ds);
    ncz_file_ops_of(ds)->set_records(ds->model, ds->file.filled);
    ncz_par_end_flush(ds);
    return NC_NOERR;
}
