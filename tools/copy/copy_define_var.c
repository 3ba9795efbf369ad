/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_define_var.c: a variable of the target: by the document of the source where nothing is changed, or else with the
 * chunks and codecs that the options and the source ask for.
 */
#include "copy_int.h"

#include "common/error_text.h"

#include <nczarr_filter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- chunks ---- */

static size_t
limit_chunk(const copy_source *s, const copy_var *v, int d, size_t len)
{
    bool unlimited = s->dims[v->dims[d]].unlimited;

    if (len == 0)
        len = v->shape[d];
    if (!unlimited && len > v->shape[d]) /* a foreign chunk may be longer than its dimension */
        len = v->shape[d];
    return len > 0 ? len : 1;
}

static size_t
find_dim_chunk(const copy_opts *o, const copy_dim *dim, bool *found)
{
    const copy_lengths *c = copy_lengths_of_dim(&o->chunks, dim->name);

    *found = c != NULL;
    return c != NULL ? c->len[0] : 0;
}

/*
 * The source's chunks. Where it has none they are ranges of a file, such as a single row: then as many rows as make
 * about OWN_BYTES, so that the copy does not consist of small objects.
 */
static void
take_chunks(const copy_source *s, copy_var *v)
{
    enum { OWN_BYTES = 1 << 20 };
    int    version = 0, storage = NC_CHUNKED;
    bool   ranges;
    size_t nbytes = v->item;

    (void)nczarr_inq_zarr_format(s->ncid, &version, NULL);
    (void)nc_inq_var_chunking(s->groups[v->group].in, v->in, &storage, NULL);
    ranges = version == 0 && storage != NC_CHUNKED;
    for (int d = v->rank - 1; d >= 0; d--) {
        size_t most = nbytes < OWN_BYTES ? OWN_BYTES / nbytes : 1, wanted = v->shape[d] < most ? v->shape[d] : most;

        v->chunk_out[d] = v->packed != NULL                   ? v->packed[d]
                          : ranges && wanted > v->chunk_in[d] ? wanted
                                                              : v->chunk_in[d];
        nbytes = v->chunk_out[d] < OWN_BYTES / nbytes ? nbytes * v->chunk_out[d] : OWN_BYTES;
    }
}

/* The chunks that the options and the source ask for. */
static void
choose_chunks(const copy_opts *o, const copy_source *s, copy_var *v)
{
    const copy_lengths *own = copy_lengths_of_var(&o->chunks, v->path), *all = copy_lengths_of_all(&o->chunks);
    bool                small = copy_is_small(o, s, v);

    take_chunks(s, v);
    for (int d = 0; !o->in_place && d < v->rank; d++) {
        bool   found = false;
        size_t len = find_dim_chunk(o, &s->dims[v->dims[d]], &found);

        if (own != NULL)
            len = own->n == 0 ? 0 : own->len[d];
        else if (!found || small)
            len = all != NULL ? 0 : v->chunk_out[d];
        v->chunk_out[d] = limit_chunk(s, v, d, len);
    }
}

/* ---- variables ---- */

/* A variable without chunks has none in a netCDF-4 file, or that format's usual ones where it needs some, unless -c
 * says some. */
static bool
has_own_chunks(const copy_opts *o, const copy_source *s, const copy_var *v)
{
    int storage = NC_CHUNKED;

    (void)nc_inq_var_chunking(s->groups[v->group].in, v->in, &storage, NULL);
    return !o->netcdf4 || storage == NC_CHUNKED || o->chunks.n > 0;
}

/* Stored as the source is, with the chunks and shards that were chosen. */
static int
define_storage(const copy_opts *o, const copy_source *s, const copy_var *v)
{
    int     in = s->groups[v->group].in, out = s->groups[v->group].out, flags = copy_codec_flags(o, v), rc;
    size_t *none = memory_alloc((size_t)v->rank, sizeof *none);

    flags |= (o->in_place ? NCZARR_COPY_EXACT : 0) | (o->netcdf_types ? NCZARR_COPY_NETCDF_TYPES : 0);
    rc = nczarr_copy_var_storage(in, v->in, out, v->out, has_own_chunks(o, s, v) ? v->chunk_out : NULL,
                                 v->shard_out != NULL ? v->shard_out : none, flags);
    free(none);
    if (rc == NC_NOERR && o->netcdf4 && v->rank > 0)
        rc = nc_inq_var_chunking(out, v->out, &(int){NC_CHUNKED}, v->chunk_out);
    if (rc == NC_NOERR && flags == 0 && o->deflate < 0)
        copy_tell_lost_filters(s, v);
    return rc;
}

/* Does an option ask for something else than the source has of what its document says? */
static bool
changes_storage(const copy_opts *o, const copy_var *v)
{
    size_t nbytes = (size_t)v->rank * sizeof *v->chunk_in;
    bool   shards = v->shard_in != NULL || v->shard_out != NULL;

    return copy_codec_flags(o, v) != 0 || o->netcdf_types || memcmp(v->chunk_in, v->chunk_out, nbytes) != 0 ||
           (shards &&
            (v->shard_in == NULL || v->shard_out == NULL || memcmp(v->shard_in, v->shard_out, nbytes) != 0));
}

/* Both of plain Zarr: documents say all there is. */
static bool
are_plain(int in, int out)
{
    int nczarr_in = 1, nczarr_out = 1;

    return nczarr_inq_zarr_format(in, NULL, &nczarr_in) == NC_NOERR && nczarr_in == 0 &&
           nczarr_inq_zarr_format(out, NULL, &nczarr_out) == NC_NOERR && nczarr_out == 0;
}

/* The options' chunks, shards and codecs, in place of those of the document. */
static int
change_storage(const copy_opts *o, const copy_source *s, const copy_var *v)
{
    int out = s->groups[v->group].out, rc = NC_NOERR;

    if (v->rank > 0)
        rc = nc_def_var_chunking(out, v->out, NC_CHUNKED, v->chunk_out);
    if (rc == NC_NOERR && v->shard_out != NULL)
        rc = nczarr_def_var_shards(out, v->out, v->shard_out);
    if (rc == NC_NOERR && (copy_codec_flags(o, v) & NCZARR_COPY_NO_CODECS) != 0)
        rc = nczarr_def_var_codecs(out, v->out, "[]");
    return rc;
}

/* By the document of the source. NC_ENOTBUILT: the target is of another version of Zarr. */
static int
define_by_document(const copy_opts *o, const copy_source *s, copy_var *v, nc_type type, const int *ids)
{
    int in = s->groups[v->group].in, out = s->groups[v->group].out;
    int rc = nczarr_copy_var_document(in, v->in, out, v->type != NC_NAT ? type : NC_NAT, ids, &v->out);

    return rc == NC_NOERR && !v->carried && changes_storage(o, v) ? change_storage(o, s, v) : rc;
}

/*
 * Without a change the document of the source is that of the copy. Where netCDF has no form for the variable (records
 * with text in plain Zarr) it is the document with the changes.
 */
static int
define_one(const copy_opts *o, const copy_source *s, copy_var *v, nc_type type, const int *ids)
{
    int in = s->groups[v->group].in, out = s->groups[v->group].out, rc = NC_ENOTBUILT, first;

    if (v->carried || (!o->in_place && !changes_storage(o, v) && are_plain(in, out)))
        rc = define_by_document(o, s, v, type, ids);
    if (rc != NC_ENOTBUILT || v->carried)
        return rc;
    rc = nc_def_var(out, v->name, type, v->rank, ids, &v->out);
    if (rc == NC_NOERR)
        return define_storage(o, s, v);
    if (o->in_place || (rc != NC_ENOTBUILT && rc != NC_EBADTYPE))
        return rc;
    first = rc;
    if ((rc = define_by_document(o, s, v, type, ids)) == NC_ENOTBUILT)
        rc = nc_def_var(out, v->name, type, v->rank, ids, &v->out); /* for its text */
    return rc == NC_NOERR || rc != first ? rc : first;
}

/* The ids of its dimensions in the target, in new memory; NULL: one of them is left out. */
static int *
find_ids(const copy_source *s, const copy_var *v)
{
    int *ids = memory_alloc((size_t)v->rank, sizeof *ids);

    for (int d = 0; d < v->rank; d++) {
        ids[d] = s->dims[v->dims[d]].out;
        if (s->dims[v->dims[d]].group != COPY_NOWHERE)
            continue;
        free(ids);
        return NULL;
    }
    return ids;
}

/* *left: the options leave out a variable that the target cannot have: nothing of it is there. */
static int
leave_out(const copy_opts *o, copy_source *s, const copy_var *v, int rc, bool *left)
{
    char text[ERROR_TEXT_SIZE];

    error_text(rc, v->name, text);
    if (v->type > NC_MAX_ATOMIC_TYPE && v->out < 0 && copy_map_type(s, v->type, &(nc_type){NC_NAT}) != NC_NOERR)
        snprintf(text, sizeof text, "its type is not copied, or of a group that is not copied");
    if (rc == NC_EBADDIM)
        snprintf(text, sizeof text, "one of its dimensions is left out");
    if (v->out >= 0 && s->cdf == 0)
        (void)nczarr_undef_var(s->groups[v->group].out, v->out);
    rc = copy_leave_out(o, s, rc, v->path, text);
    *left = rc == NC_NOERR;
    return rc;
}

static int
define_var(const copy_opts *o, copy_source *s, copy_var *v, bool *left)
{
    nc_type type = NC_NAT;
    int    *ids, rc;

    v->out = -1;
    *left = false;
    if (v->type != NC_NAT && (rc = copy_map_type(s, v->type, &type)) != NC_NOERR)
        return leave_out(o, s, v, rc, left);
    if (!o->references) {
        choose_chunks(o, s, v);
        if ((rc = copy_choose_shards(o, s, v)) != NC_NOERR)
            return rc; /* it is reported */
    }
    if ((ids = find_ids(s, v)) == NULL)
        return leave_out(o, s, v, NC_EBADDIM, left);
    rc = o->references ? copy_refer_define(o, s, v, type, ids) : define_one(o, s, v, type, ids);
    free(ids);
    if (rc != NC_NOERR)
        return leave_out(o, s, v, rc, left);
    if (!v->carried && !o->references && (rc = copy_define_codecs(o, s, v)) != NC_NOERR)
        return rc; /* it is reported */
    return copy_atts(s, v->group, v);
}

int
copy_define_vars(const copy_opts *o, copy_source *s)
{
    bool left;
    int  rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < s->nvars;)
        if ((rc = define_var(o, s, &s->vars[i], &left)) == NC_NOERR && left)
            copy_drop_var(s, i);
        else
            i++;
    return rc;
}
