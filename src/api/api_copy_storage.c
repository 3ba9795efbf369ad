/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_copy_storage: makes a new variable stored as another one is: stored type, width of strings, fill, byte order,
 * chunks, shards, codecs. nc_copy_var() and nczcopy use it. What only one dialect has becomes what the other has for
 * it. One dataset is locked at a time, so both may be the same.
 */
#include "api/api_int.h"

#include "dialects/dialects.h"
#include "nczarr_filter.h"

#include <string.h>

/* The source and the new variable, and what one look at each tells. */
typedef struct copying {
    int                    in, varid_in, out, varid_out, flags;
    const ncz_dialect_ops *from, *to;
    const ncz_type        *type; /* valid as long as the source is open */
    size_t                 rank, width;
    size_t                *chunks;    /* the source's, */
    size_t                *fitting;   /* ... and these within its dimensions: a foreign chunk may be longer */
    bool                   plain;     /* the source has no metadata of netCDF's own */
    bool                   fixed;     /* strings of a fixed width */
    bool                   objects;   /* elements of any length, which their codec makes */
    bool                   elsewhere; /* strings in other datasets, of any length */
    bool                   shown;     /* it has the attribute _FillValue */
    bool                   null_fill; /* other readers do not know its fill value */
    bool                   remade;    /* the source's format has no chunks of its own, so the copy chooses them */
    bool                   one_piece; /* the source is contiguous or compact, if only by its keys */
    bool                   same;      /* the copy has the source's chunks */
    ncz_key_encoding       keys;      /* how the source's chunks are named */
    bool                   to_file; /* the copy is in a classic file, which has no choice but whether it is filled */
    bool                   to_hdf5; /* ... in a netCDF-4 file, which has filters in place of codecs */
    ncz_buf                codecs;  /* of the source, a list in the spelling that both can read */
} copying;

/* ---- a look at both -------------------------------------------------------------------------------------------- */

static bool
is_exact(const copying *c)
{
    return (c->flags & NCZARR_COPY_EXACT) != 0;
}

/* Numcodecs' spelling where both have it; else that of v3, which also says the order of elements. */
static ncz_codec_spelling
choose_spelling(const copying *c)
{
    return c->from->traits.spelling == c->to->traits.spelling ? c->from->traits.spelling : NCZ_SPELLING_V3;
}

static int
take_chunks(copying *c, const ncz_var *v)
{
    int rc;

    c->chunks = ncz_zalloc_n(v->rank, sizeof *c->chunks);
    c->fitting = ncz_zalloc_n(v->rank, sizeof *c->fitting);
    if (c->chunks == NULL || c->fitting == NULL)
        return ncz_fail_nomem(v->rank * sizeof *c->chunks);
    if ((rc = ncz_api_give_lengths(v, "chunks", v->spec->chunk, v->rank, c->chunks)) != NC_NOERR)
        return rc;
    for (size_t d = 0; d < v->rank; d++) {
        c->fitting[d] = c->chunks[d];
        if (!is_exact(c) && !v->dims[d]->unlimited && c->chunks[d] > v->dims[d]->len)
            c->fitting[d] = (size_t)v->dims[d]->len;
    }
    return NC_NOERR;
}

static int
look_at_target(copying *c)
{
    ncz_call call;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter(c->out, NCZ_USE_DEFINE, &call);

    if (rc != NC_NOERR)
        return rc;
    c->to = call.m->dialect;
    c->to_file = ncz_dataset_cdf(call.ds) != 0;
    c->to_hdf5 = c->to->traits.spelling == NCZ_SPELLING_HDF5;
    rc = ncz_call_open_var(&call, c->varid_out, &v);
    if (rc == NC_NOERR && (v->type->class != c->type->class || v->type->size != c->type->size))
        rc = ncz_fail(NC_EBADTYPE, "%s: the copy has type %s, and the variable %s", v->name, v->type->name,
                      c->type->name);
    if (rc == NC_NOERR && v->rank != c->rank)
        rc = ncz_fail(NC_EINVAL, "%s: the copy has %zu dimensions, and the variable %zu", v->name, v->rank, c->rank);
    if (rc == NC_NOERR && c->from == c->to && c->to->zarr != NULL && !call.m->keys_chosen)
        rc = ncz_var_set_keys(call.m, v, c->keys);
    return ncz_call_leave(&call, rc);
}

static int
look_at_source(copying *c)
{
    ncz_call call;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter_var(c->in, c->varid_in, NCZ_USE_LOOK, NULL, &call, &v);

    if (rc != NC_NOERR)
        return rc;
    if (v->type->class == NCZ_TYPE_NONE)
        rc = ncz_fail(NC_EBADTYPE, "%s: its stored type has no netCDF meaning", v->name);
    if (rc == NC_NOERR) {
        c->from = call.m->dialect;
        c->type = v->type;
        c->rank = v->rank;
        c->plain = !ncz_dataset_is_nczarr(call.ds);
        c->elsewhere = v->source != NULL && v->type->class == NCZ_TYPE_STRING;
        c->fixed = v->type->class == NCZ_TYPE_STRING && v->dtype.kind == NCZ_KIND_BYTES && !c->elsewhere;
        c->objects = v->dtype.kind == NCZ_KIND_OBJECT || c->elsewhere;
        c->width = v->type->class == NCZ_TYPE_STRING && !c->objects ? v->dtype.size : 0;
        c->shown = ncz_atts_find(&v->atts, "_FillValue") != NULL;
        c->null_fill = v->spec->fill_null;
        c->keys = v->key_encoding;
        c->remade = v->spec->layout->ops->find != NULL ? v->storage != NC_CHUNKED : v->spec->layout->ops->complete;
        c->one_piece = v->storage != NC_CHUNKED;
        rc = take_chunks(c, v);
    }
    return ncz_call_leave(&call, rc);
}

/* The source's codecs; of an HDF5 file those that Zarr has for its filters. */
static int
write_codecs(copying *c, const ncz_var *v)
{
    ncz_array_type in = ncz_spec_array_type(v->spec);
    ncz_var        plain = *v;
    int            rc;

    if (c->from->traits.spelling != NCZ_SPELLING_HDF5)
        return ncz_api_write_codecs(v, choose_spelling(c), &c->codecs);
    if ((rc = ncz_chain_for_zarr(v->chain, &in, &plain.chain)) == NC_NOERR)
        rc = ncz_api_write_codecs(&plain, choose_spelling(c), &c->codecs);
    ncz_chain_unref(plain.chain);
    return rc;
}

static int
read_codecs(copying *c)
{
    ncz_call call;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter_var(c->in, c->varid_in, NCZ_USE_LOOK, NULL, &call, &v);

    if (rc != NC_NOERR)
        return rc;
    rc = write_codecs(c, v);
    return ncz_call_leave(&call, rc);
}

/* ---- elements -------------------------------------------------------------------------------------------------- */

/* Whether strings of a fixed width have it because a program asked for it. */
static bool
chose_width(const copying *c)
{
    return c->from->traits.only_objects && c->from->traits.spelling != NCZ_SPELLING_HDF5;
}

/*
 * The stored type. A dialect that lacks it gets netCDF's default. Strings of a fixed width become those of any length
 * where the copy's dialect has these: few readers know the others there.
 */
static int
copy_dtype(const copying *c)
{
    bool   any = c->to->traits.only_objects; /* strings of any length */
    size_t len = 0;
    char  *text;
    int    rc;

    if (c->to_hdf5 || c->type->class == NCZ_TYPE_CHAR || c->type->id > NC_MAX_ATOMIC_TYPE || c->objects ||
        (c->flags & NCZARR_COPY_NETCDF_TYPES) != 0 || (c->fixed && !any) ||
        (c->fixed && !chose_width(c) && !is_exact(c)))
        return NC_NOERR;
    if ((rc = nczarr_inq_var_dtype(c->in, c->varid_in, &len, NULL)) != NC_NOERR)
        return rc;
    if ((text = ncz_alloc(len + 1)) == NULL)
        return ncz_call_done(ncz_fail_nomem(len + 1));
    if ((rc = nczarr_inq_var_dtype(c->in, c->varid_in, NULL, text)) == NC_NOERR)
        rc = nczarr_def_var_dtype(c->out, c->varid_out, text);
    ncz_free(text);
    return rc == NC_EBADTYPE && !is_exact(c) ? ncz_call_done(NC_NOERR) : rc;
}

/* A fill value that is not the missing value is no attribute: what is not stored must read the same in the copy. */
static int
copy_silent_fill(const copying *c)
{
    unsigned char value[8];
    int           rc;

    if (c->type->id >= NC_STRING || c->shown || c->to_file || c->to->traits.fill_is_missing ||
        (c->from->traits.fill_is_missing && !is_exact(c)))
        return NC_NOERR;
    if ((rc = nc_inq_var_fill(c->in, c->varid_in, NULL, value)) != NC_NOERR)
        return rc;
    return nczarr_def_var_fill(c->out, c->varid_out, value);
}

/* Pure Zarr gives some types no fill value (ncz_unmasked_fill), but a source in it may have the default as one. */
static int
keep_default_fill(const copying *c)
{
    uint64_t value = 0; /* as long as the longest number */
    int      none = 0, rc = nc_inq_var_fill(c->out, c->varid_out, &none, NULL);

    if (rc == NC_NOERR && none && c->type->id < NC_STRING) {
        rc = nc_inq_var_fill(c->in, c->varid_in, NULL, &value);
        if (rc != NC_NOERR || memcmp(&value, c->type->fill, c->type->size) != 0) /* a boolean's, which is false */
            return rc;
    }
    if (rc != NC_NOERR || !none || !c->plain || !c->from->traits.fill_is_missing || !c->to->traits.fill_is_missing ||
        c->null_fill)
        return rc;
    return nc_def_var_fill(c->out, c->varid_out, 0, NULL);
}

static int
copy_fill(const copying *c)
{
    int no_fill = 0, rc = nc_inq_var_fill(c->in, c->varid_in, &no_fill, NULL);

    if (rc != NC_NOERR)
        return rc;
    if (no_fill != 0 && c->to_hdf5 && c->type->class == NCZ_TYPE_STRING)
        return NC_NOERR; /* HDF5 needs one */
    if (no_fill != 0)
        return nc_def_var_fill(c->out, c->varid_out, no_fill, NULL);
    return (rc = copy_silent_fill(c)) == NC_NOERR ? keep_default_fill(c) : rc;
}

static int
copy_elements(const copying *c)
{
    int endian = NC_ENDIAN_NATIVE, rc;

    if ((c->width > 0 && !c->to_hdf5 && (rc = nczarr_def_var_strlen(c->out, c->varid_out, c->width)) != NC_NOERR) ||
        (rc = copy_dtype(c)) != NC_NOERR || (rc = copy_fill(c)) != NC_NOERR)
        return rc;
    rc = nc_inq_var_endian(c->in, c->varid_in, &endian);
    if (rc != NC_NOERR)
        return rc == NC_ENOTNC4 ? ncz_call_done(NC_NOERR) : rc; /* of a classic file it is no choice */
    return endian != NC_ENDIAN_NATIVE && ncz_type_is_number(c->type) ? nc_def_var_endian(c->out, c->varid_out, endian)
                                                                     : NC_NOERR;
}

/* ---- chunks and shards ----------------------------------------------------------------------------------------- */

static int
define_chunks(copying *c, const size_t *chunks)
{
    if (c->rank == 0 || (chunks == NULL && (c->remade || (c->to_hdf5 && c->one_piece))))
        return NC_NOERR;
    if (chunks == NULL)
        chunks = c->fitting;
    c->same = memcmp(chunks, c->chunks, c->rank * sizeof *chunks) == 0;
    if (is_exact(c))
        return nczarr_def_var_chunks(c->out, c->varid_out, chunks);
    return nc_def_var_chunking(c->out, c->varid_out, NC_CHUNKED, chunks);
}

/* The copy has no shards where its dialect lacks them, or where its chunks had to be made shorter. */
static int
copy_shards(const copying *c)
{
    int     sharded = 0, rc;
    size_t *shards = ncz_zalloc_n(c->rank, sizeof *shards);

    if (shards == NULL)
        return ncz_call_done(ncz_fail_nomem(c->rank * sizeof *shards));
    if ((rc = nczarr_inq_var_shards(c->in, c->varid_in, &sharded, shards)) == NC_NOERR && sharded) {
        rc = nczarr_def_var_shards(c->out, c->varid_out, shards);
        if (rc == NC_EINVAL || rc == NC_EBADCHUNK)
            rc = ncz_call_done(NC_NOERR);
    }
    ncz_free(shards);
    return rc;
}

static int
define_shards(const copying *c, const size_t *shards)
{
    bool any = false;

    if (c->rank == 0 || c->to_hdf5)
        return NC_NOERR;
    if (shards == NULL)
        return copy_shards(c);
    for (size_t d = 0; d < c->rank; d++)
        any = any || shards[d] != 0;
    return any ? nczarr_def_var_shards(c->out, c->varid_out, shards) : NC_NOERR;
}

/* ---- codecs ---------------------------------------------------------------------------------------------------- */

static bool
is_shard(const ncz_json *codec)
{
    return ncz_json_str_is(ncz_json_get(codec, "name"), "sharding_indexed");
}

/*
 * A shard inside the codecs of a chunk has inner chunks that divide it, so it is for chunks of one shape. For chunks of
 * another one, or without shards, the codecs of its inner chunks take its place. A lone one would be an object.
 */
static bool
must_flatten(const copying *c, const ncz_json *list)
{
    return !c->to->traits.has_shards || !c->same || (c->flags & NCZARR_COPY_FLAT_CODECS) != 0 ||
           (ncz_json_len(list) == 1 && is_shard(ncz_json_at(list, 0)));
}

/* Strings of any length are no elements of one size: other readers refuse to shuffle them. */
static bool
is_shuffle(const ncz_json *codec)
{
    return ncz_json_str_is(ncz_json_get(codec, "name"), "numcodecs.shuffle");
}

static void
write_list(const ncz_json *list, size_t first, bool flat, bool strings, ncz_jsonw *w)
{
    for (size_t i = first; i < ncz_json_len(list); i++) {
        const ncz_json *codec = ncz_json_at(list, i);

        if (flat && is_shard(codec)) /* as deep as the parser let them be */
            write_list(ncz_json_get(ncz_json_get(codec, "configuration"), "codecs"), 0, flat, strings, w);
        else if (!strings || !is_shuffle(codec))
            ncz_jsonw_value(w, codec);
    }
}

/* What makes bytes of characters, or texts of their rows: the copy's own is chosen when it is defined. */
static bool
makes_bytes(const ncz_json *codec)
{
    const ncz_json *name = ncz_json_get(codec, "name");

    return ncz_json_str_is(name, "vlen-utf8") || ncz_json_str_is(name, "bytes");
}

/* The first codec is another one where a dialect has its own for such elements. */
static int
translate_codecs(const copying *c, const ncz_json *list, ncz_buf *out)
{
    bool other = c->from != c->to && !is_exact(c);
    bool strings = other && c->fixed && !c->from->traits.only_objects && c->to->traits.only_objects &&
                   ncz_json_str_is(ncz_json_get(ncz_json_at(list, 0), "name"), "bytes");
    bool      sequences = other && c->type->class == NCZ_TYPE_VLEN;
    bool      rows = c->type->class == NCZ_TYPE_CHAR && !is_exact(c) && makes_bytes(ncz_json_at(list, 0));
    ncz_jsonw w = ncz_jsonw_on(out);

    ncz_jsonw_open_array(&w);
    if ((c->flags & NCZARR_COPY_NO_CODECS) != 0) {
        ncz_jsonw_value(&w, ncz_json_at(list, 0)); /* what makes bytes of the objects */
        ncz_jsonw_close_array(&w);
        return ncz_jsonw_end(&w);
    }
    if (strings) {
        ncz_jsonw_open_object(&w);
        ncz_jsonw_key(&w, "name");
        ncz_jsonw_cstr(&w, "vlen-utf8");
        ncz_jsonw_close_object(&w);
    }
    write_list(list, strings || sequences || rows ? 1 : 0, must_flatten(c, list), strings, &w);
    ncz_jsonw_close_array(&w);
    return ncz_jsonw_end(&w);
}

/* Without codecs what makes bytes of strings of any length stays, as they would become others without it. */
static int
copy_codecs(copying *c)
{
    const ncz_json_opts opts = {.mode = NCZ_JSON_LENIENT, .depth = 32, .nbytes = (size_t)1 << 20, .name = "codecs"};
    ncz_json           *list = NULL;
    ncz_buf             text = NCZ_BUF_INIT;
    int                 rc;

    if ((c->flags & NCZARR_COPY_NO_CODECS) != 0 && (!c->objects || c->type->class != NCZ_TYPE_STRING))
        return NC_NOERR;
    if (c->elsewhere)
        rc = ncz_buf_puts(&c->codecs, "[{\"name\": \"vlen-utf8\"}]");
    else
        rc = read_codecs(c);
    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_json_parse(ncz_buf_str(&c->codecs), c->codecs.len, &opts, &list, NULL)) == NC_NOERR &&
        (rc = translate_codecs(c, list, &text)) == NC_NOERR && strcmp(ncz_buf_str(&text), "[]") != 0)
        rc = nczarr_def_var_codecs(c->out, c->varid_out, ncz_buf_str(&text));
    if (rc == NC_EBADTYPE && (c->flags & NCZARR_COPY_NO_CODECS) != 0)
        rc = ncz_call_done(NC_NOERR); /* the target is for a netCDF-C that has strings of a fixed width only */
    ncz_json_free(list);
    ncz_buf_clear(&text);
    return rc;
}

/* ---- filters ---- */

static int
read_filters(const copying *c, ncz_filter_words **filters, size_t *n)
{
    ncz_array_type in;
    ncz_call       call;
    ncz_var       *v = NULL;
    int            rc = ncz_call_enter_var(c->in, c->varid_in, NCZ_USE_LOOK, NULL, &call, &v);

    if (rc != NC_NOERR)
        return rc;
    in = ncz_spec_array_type(v->spec);
    rc = ncz_chain_filters(v->chain, &in, filters, n);
    return ncz_call_leave(&call, rc);
}

/* A filter that this build cannot apply is left out. */
static int
copy_filters(const copying *c)
{
    ncz_filter_words *filters = NULL;
    size_t            n = 0;
    int               rc = NC_NOERR;

    if (c->rank == 0 || (c->flags & NCZARR_COPY_NO_CODECS) != 0)
        return NC_NOERR;
    rc = read_filters(c, &filters, &n);
    for (size_t i = 0; rc == NC_NOERR && i < n; i++) {
        rc = nc_def_var_filter(c->out, c->varid_out, filters[i].id, filters[i].n, filters[i].words);
        if (rc == NC_ENOFILTER)
            rc = ncz_call_done(NC_NOERR);
    }
    ncz_free(filters);
    return rc;
}

static int
copy_all(copying *c, const size_t *chunks, const size_t *shards)
{
    int rc;

    if ((rc = copy_elements(c)) == NC_NOERR && (rc = define_chunks(c, chunks)) == NC_NOERR &&
        (rc = define_shards(c, shards)) == NC_NOERR)
        rc = c->to_hdf5 ? copy_filters(c) : copy_codecs(c);
    return rc;
}

int
nczarr_copy_var_storage(int ncid_in, int varid_in, int ncid_out, int varid_out, const size_t *chunks,
                        const size_t *shards, int flags)
{
    copying c = {.in = ncid_in,
                 .varid_in = varid_in,
                 .out = ncid_out,
                 .varid_out = varid_out,
                 .flags = flags,
                 .same = true,
                 .codecs = NCZ_BUF_INIT};
    int     rc;

    if ((flags & ~(NCZARR_COPY_EXACT | NCZARR_COPY_NETCDF_TYPES | NCZARR_COPY_FLAT_CODECS | NCZARR_COPY_NO_CODECS)) !=
        0)
        rc = ncz_fail(NC_EINVAL, "nczarr_copy_var_storage: unknown flags 0x%x", (unsigned)flags);
    else if ((rc = look_at_source(&c)) == NC_NOERR && (rc = look_at_target(&c)) == NC_NOERR)
        rc = c.to_file ? copy_fill(&c) : copy_all(&c, chunks, shards);
    ncz_free(c.chunks);
    ncz_free(c.fitting);
    ncz_buf_clear(&c.codecs);
    return ncz_call_done(rc);
}
