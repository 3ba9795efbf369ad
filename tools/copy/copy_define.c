/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_define.c: the target's groups, types, dimensions, variables and attributes, in the order of the source.
 *
 * The attribute that marks a variable as quantized is put after the data, together with the attributes that follow it.
 * Data that were rounded once must not be rounded again, which a resumed target would do.
 */
#include "copy_int.h"

#include <stdlib.h>
#include <string.h>

/* ---- attributes ---- */

static bool
is_quantize_att(const char *name)
{
    return strcmp(name, NC_QUANTIZE_BITGROOM_ATT_NAME) == 0 || strcmp(name, NC_QUANTIZE_GRANULARBR_ATT_NAME) == 0 ||
           strcmp(name, NC_QUANTIZE_BITROUND_ATT_NAME) == 0;
}

/* The attributes of a variable, or (`v` NULL) of a group: where they are on both sides. */
typedef struct att_place {
    const copy_var *v;
    const char     *path;
    int             in, varid_in, out, varid_out;
} att_place;

static att_place
find_place(const copy_source *s, size_t g, const copy_var *v)
{
    return (att_place){.v = v,
                       .path = v != NULL ? v->path : s->groups[g].path,
                       .in = s->groups[g].in,
                       .varid_in = v != NULL ? v->in : NC_GLOBAL,
                       .out = s->groups[g].out,
                       .varid_out = v != NULL ? v->out : NC_GLOBAL};
}

/* Attributes that the target cannot have are left out. */
static int
copy_one_att(copy_source *s, const att_place *p, const char *name)
{
    int rc = nc_copy_att(p->in, p->varid_in, name, p->out, p->varid_out);

    if (rc == NC_ENAMEINUSE) /* a foreign dataset may have attributes that the target's format reserves */
        copy_lose(&s->losses, p->path, name, "the format reserves that name");
    else if ((rc == NC_EBADTYPE || rc == NC_EINVAL) && p->v != NULL && strcmp(name, "_FillValue") == 0)
        /* In HDF5 it may be of another type, and have any number of elements. */
        copy_lose(&s->losses, p->path, name, nczarr_errmsg());
    else if (rc != NC_NOERR)
        return message_fail(rc, p->path);
    else
        copy_note_bytes(p->in, p->varid_in, name, p->out, p->path);
    return NC_NOERR;
}

/* A variable's fill value is never delayed: it must be set before the definition is final. */
static int
copy_atts(copy_source *s, const att_place *p, int *late)
{
    char name[NC_MAX_NAME + 1];
    int  n = 0, rc = nc_inq_varnatts(p->in, p->varid_in, &n);

    for (int i = 0; rc == NC_NOERR && i < n; i++) {
        if ((rc = nc_inq_attname(p->in, p->varid_in, i, name)) != NC_NOERR)
            break;
        if (late != NULL && *late < 0 && is_quantize_att(name))
            *late = i;
        if (late != NULL && *late >= 0 && strcmp(name, "_FillValue") != 0)
            continue;
        if ((rc = copy_one_att(s, p, name)) != NC_NOERR)
            return rc;
    }
    return rc == NC_NOERR ? rc : message_fail(rc, p->path);
}

int
copy_late_atts(copy_source *s)
{
    char name[NC_MAX_NAME + 1];
    int  n = 0, rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && s->cdf == 0 && i < s->nvars; i++) {
        const copy_var *v = &s->vars[i];
        const att_place p = find_place(s, v->group, v);

        if (v->late < 0)
            continue;
        (void)nc_redef(p.out); /* only the classic model needs it */
        rc = nc_inq_varnatts(p.in, v->in, &n);
        for (int a = v->late; rc == NC_NOERR && a < n; a++)
            if ((rc = nc_inq_attname(p.in, v->in, a, name)) == NC_NOERR && strcmp(name, "_FillValue") != 0)
                rc = copy_one_att(s, &p, name);
    }
    return rc;
}

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

        v->chunk_out[d] = ranges && wanted > v->chunk_in[d] ? wanted : v->chunk_in[d];
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

/* Stored as the source is, with the chunks and shards that were chosen. */
static int
define_storage(const copy_opts *o, const copy_source *s, const copy_var *v)
{
    int     in = s->groups[v->group].in, out = s->groups[v->group].out, flags = copy_codec_flags(o, v), rc;
    size_t *none = memory_alloc((size_t)v->rank, sizeof *none);

    memset(none, 0, (size_t)v->rank * sizeof *none);
    flags |= (o->in_place ? NCZARR_COPY_EXACT : 0) | (o->netcdf_types ? NCZARR_COPY_NETCDF_TYPES : 0);
    rc = nczarr_copy_var_storage(in, v->in, out, v->out, v->chunk_out, v->shard_out != NULL ? v->shard_out : none,
                                 flags);
    free(none);
    if (rc == NC_NOERR && flags == 0 && o->deflate < 0)
        copy_tell_lost_filters(s, v);
    return rc;
}

static int
define_var(const copy_opts *o, copy_source *s, copy_var *v)
{
    int       out = s->groups[v->group].out, rc;
    int      *ids;
    nc_type   type;
    att_place p;

    if ((rc = copy_map_type(s, v->type, &type)) != NC_NOERR) {
        message_print("%s: its type is of a group that is not copied", v->path);
        return rc;
    }
    ids = memory_alloc((size_t)v->rank, sizeof *ids);
    for (int d = 0; d < v->rank; d++)
        ids[d] = s->dims[v->dims[d]].out;
    rc = nc_def_var(out, v->name, type, v->rank, ids, &v->out);
    free(ids);
    if (rc != NC_NOERR)
        return message_fail(rc, v->path);
    choose_chunks(o, s, v);
    if ((rc = copy_choose_shards(o, s, v)) != NC_NOERR)
        return rc; /* it is reported */
    if ((rc = define_storage(o, s, v)) != NC_NOERR)
        return message_fail(rc, v->path);
    if ((rc = copy_define_codecs(o, s, v)) != NC_NOERR)
        return rc; /* it is reported */
    p = find_place(s, v->group, v);
    return copy_atts(s, &p, &v->late);
}

static int
define_group(copy_source *s, size_t g, int root)
{
    copy_group *grp = &s->groups[g];
    char       *slash = strrchr(grp->path, '/');
    int         parent = root, rc = NC_NOERR;

    if (strcmp(grp->path, "/") == 0) {
        grp->out = root;
        return NC_NOERR;
    }
    *slash = '\0';
    if (slash > grp->path)
        rc = nc_inq_grp_full_ncid(root, grp->path, &parent);
    *slash = '/';
    if (rc == NC_NOERR)
        rc = nc_def_grp(parent, slash + 1, &grp->out);
    return rc == NC_NOERR ? rc : message_fail(rc, grp->path);
}

int
copy_define(const copy_opts *o, copy_source *s, int out)
{
    int rc = NC_NOERR;

    if (s->cdf != 0)
        return copy_define_classic(s, out);
    for (size_t g = 0; g < s->ngroups; g++)
        if ((rc = define_group(s, g, out)) != NC_NOERR)
            return rc;
    if ((rc = copy_define_types(s)) != NC_NOERR)
        return rc;
    for (size_t g = 0; g < s->ngroups; g++) {
        const att_place p = find_place(s, g, NULL);

        if ((rc = copy_atts(s, &p, NULL)) != NC_NOERR)
            return rc;
        for (size_t d = 0; d < s->ndims; d++)
            if (s->dims[d].group == g &&
                (rc = nc_def_dim(s->groups[g].out, s->dims[d].name,
                                 s->dims[d].unlimited ? NC_UNLIMITED : s->dims[d].len, &s->dims[d].out)) != NC_NOERR)
                return message_fail(rc, s->dims[d].name);
    }
    for (size_t v = 0; rc == NC_NOERR && v < s->nvars; v++)
        rc = define_var(o, s, &s->vars[v]);
    return rc;
}

int
copy_grow_dims(const copy_opts *o, const copy_source *s, int out)
{
    int rc;

    for (size_t d = 0; d < s->ndims; d++)
        if (s->dims[d].unlimited && s->dims[d].len > 0 &&
            (rc = nczarr_grow_dim(out, s->dims[d].out, s->dims[d].len)) != NC_NOERR)
            return message_fail(rc, o->out);
    return NC_NOERR;
}

/* ---- a target that is resumed ---- */

static int
find_late_att(const copy_source *s, const copy_var *v)
{
    char name[NC_MAX_NAME + 1];
    int  n = 0;

    if (nc_inq_varnatts(s->groups[v->group].in, v->in, &n) != NC_NOERR)
        return -1;
    for (int i = 0; i < n; i++)
        if (nc_inq_attname(s->groups[v->group].in, v->in, i, name) == NC_NOERR && is_quantize_att(name))
            return i;
    return -1;
}

/* What the interrupted copy left out is left out again: that it is missing tells. */
static int
find_losses(copy_source *s, const att_place *p)
{
    char name[NC_MAX_NAME + 1];
    int  n = 0, rc = nc_inq_varnatts(p->in, p->varid_in, &n), end = n;

    if (p->v != NULL && p->v->late >= 0)
        end = p->v->late; /* these may be still to come */
    for (int i = 0; rc == NC_NOERR && i < end; i++)
        if ((rc = nc_inq_attname(p->in, p->varid_in, i, name)) == NC_NOERR &&
            nc_inq_attid(p->out, p->varid_out, name, NULL) != NC_NOERR)
            rc = copy_one_att(s, p, name);
    return rc == NC_NOERR ? rc : message_fail(rc, p->path);
}

int
copy_find_definitions(copy_source *s, int out)
{
    int rc = NC_NOERR, storage;

    for (size_t g = 0; rc == NC_NOERR && g < s->ngroups; g++) {
        s->groups[g].out = out;
        if (strcmp(s->groups[g].path, "/") != 0)
            rc = nc_inq_grp_full_ncid(out, s->groups[g].path, &s->groups[g].out);
        if (rc != NC_NOERR)
            return message_fail(rc, s->groups[g].path);
    }
    for (size_t d = 0; d < s->ndims; d++)
        if ((rc = nc_inq_dimid(s->groups[s->dims[d].group].out, s->dims[d].name, &s->dims[d].out)) != NC_NOERR)
            return message_fail(rc, s->dims[d].name);
    for (size_t i = 0; i < s->nvars; i++) {
        copy_var *v = &s->vars[i];

        if ((rc = nc_inq_varid(s->groups[v->group].out, v->name, &v->out)) != NC_NOERR ||
            (rc = nc_inq_var_chunking(s->groups[v->group].out, v->out, &storage, v->chunk_out)) != NC_NOERR ||
            (rc = var_shards(s->groups[v->group].out, v->out, &v->shard_out)) != NC_NOERR)
            return message_fail(rc, v->path);
        v->late = find_late_att(s, v);
    }
    for (size_t g = 0; rc == NC_NOERR && s->cdf == 0 && g < s->ngroups; g++) {
        const att_place p = find_place(s, g, NULL);

        rc = find_losses(s, &p);
    }
    for (size_t i = 0; rc == NC_NOERR && s->cdf == 0 && i < s->nvars; i++) {
        const att_place p = find_place(s, s->vars[i].group, &s->vars[i]);

        rc = find_losses(s, &p);
    }
    return rc;
}

/* ---- chunks that need no decoding ---- */

/* Length of the part that describes a chunk alone, without the objects that hold several. */
static size_t
measure_chunk_part(const char *encoding)
{
    static const char key[] = ", \"shards\": ";
    size_t            len = strlen(encoding) - 1; /* its closing brace */

    for (const char *p = encoding; (p = strstr(p, key)) != NULL; p++)
        len = (size_t)(p - encoding);
    return len;
}

/* True if a shard, which is moved through memory, is small enough for that. */
static bool
fits_memory(const copy_opts *o, const copy_var *v)
{
    size_t left = (o->memory != 0 ? o->memory : COPY_MEMORY) / v->item;

    for (int d = 0; d < v->rank; d++)
        left /= v->shard_in[d];
    return left > 0;
}

/* Other readers may learn the fill value of missing chunks from the copy; they must not lose it. */
void
copy_drop_fill_null(char *in, const char *out)
{
    static const char member[] = ", \"fill_null\": true";
    char             *at = strstr(in, member);

    if (at != NULL && strstr(out, member) == NULL)
        memmove(at, at + sizeof member - 1, strlen(at + sizeof member - 1) + 1);
}

/* Takes the member "fill", which is a number in hexadecimal or null, out of the text. */
static char *
take_fill(char *encoding)
{
    static const char name[] = "\"fill\": ";
    char             *at = strstr(encoding, name), *end = at != NULL ? strchr(at, ',') : NULL, *fill;

    if (end == NULL)
        return memory_textf("%s", "");
    fill = memory_textf("%.*s", (int)(end - at), at);
    memmove(at, end, strlen(end) + 1);
    return fill;
}

/*
 * Chunks of an HDF5 file: each is a range of it. Those that are not stored are missing in the copy, too, if they read
 * the same there.
 */
static void
choose_raw_ranges(const copy_source *s, copy_var *v, char *in, char *out)
{
    char *fill_in, *fill_out;

    copy_drop_fill_null(in, out);
    copy_drop_fill_null(out, in);
    fill_in = take_fill(in);
    fill_out = take_fill(out);
    v->raw = v->raw_ranges = strcmp(in, out) == 0 && copy_part_is_aligned(s, v, v->chunk_in);
    v->raw_gaps = v->raw && (strcmp(fill_in, fill_out) != 0 || strstr(fill_in, "null") != NULL);
    free(fill_in);
    free(fill_out);
}

/* A chunk cannot be put into a shard without the others, so the target's shards must be the source's. */
static void
choose_raw(const copy_opts *o, const copy_source *s, copy_var *v, char *in, const char *out)
{
    size_t n, m = measure_chunk_part(out);

    copy_drop_fill_null(in, out);
    n = measure_chunk_part(in);

    v->raw_objects =
        out[m] == ',' && strcmp(in, out) == 0 && fits_memory(o, v) && copy_part_is_aligned(s, v, v->shard_in);
    v->raw = v->raw_objects ||
             (out[m] == '}' && n == m && strncmp(in, out, n) == 0 && copy_part_is_aligned(s, v, v->chunk_in));
}

int
copy_find_raw(const copy_opts *o, copy_source *s)
{
    int version = 0;

    (void)nczarr_inq_zarr_format(s->ncid, &version, NULL);
    for (size_t i = 0; s->cdf == 0 && i < s->nvars; i++) {
        copy_var *v = &s->vars[i];
        char     *in = var_text(nczarr_inq_var_encoding, s->groups[v->group].in, v->in),
             *out = var_text(nczarr_inq_var_encoding, s->groups[v->group].out, v->out);
        int rc = NC_NOERR;

        v->raw = v->raw_objects = v->raw_ranges = v->raw_gaps = false;
        if (in != NULL && out != NULL && in[0] != '\0' && version == 0)
            choose_raw_ranges(s, v, in, out);
        else if (in != NULL && out != NULL && in[0] != '\0')
            choose_raw(o, s, v, in, out);
        if (in == NULL && v->data) /* its data cannot be read: fail now rather than after hours */
            rc = message_fail(nczarr_inq_var_encoding(s->groups[v->group].in, v->in, NULL, NULL), v->path);
        free(in);
        free(out);
        if (rc != NC_NOERR)
            return rc;
    }
    return NC_NOERR;
}
