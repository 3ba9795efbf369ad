/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_chunks: a variable's chunks as objects of the store: their keys, which of them exist, and how they are encoded.
 * It serves programs that move chunks without decoding them.
 */
#include "nczarr_zmap.h"

#include "api/api_int.h"
#include "zmap/zmap.h"

#include <stdio.h>
#include <string.h>

int
nczarr_inq_map(int ncid, nczarr_map **mapp)
{
    ncz_call c;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if (mapp == NULL)
        rc = ncz_fail(NC_EINVAL, "nczarr_inq_map: no pointer for the store");
    else
        *mapp = zmap_ref(ncz_dataset_map(c.ds));
    return ncz_call_leave(&c, rc);
}

/* ---- encoding ---- */

/* numpy's text for the stored type, with its true byte order if it has one. 'C' is our own kind, for NC_CHAR; an object
 * that is a sequence has the type of its numbers, too. */
static void
write_dtype(const ncz_dtype *t, ncz_jsonw *w)
{
    static const char letters[] = {
        [NCZ_KIND_INT] = 'i',    [NCZ_KIND_UINT] = 'u',  [NCZ_KIND_FLOAT] = 'f', [NCZ_KIND_BOOL] = 'b',
        [NCZ_KIND_CHAR] = 'C',   [NCZ_KIND_BYTES] = 'S', [NCZ_KIND_UCS4] = 'U',  [NCZ_KIND_OTHER] = 'V',
        [NCZ_KIND_OBJECT] = 'O', [NCZ_KIND_RAW] = 'V',   [NCZ_KIND_RECORD] = 'V'};
    bool ordered = t->size > 1 && t->kind != NCZ_KIND_BYTES && t->kind != NCZ_KIND_CHAR &&
                   t->kind != NCZ_KIND_OBJECT && t->kind != NCZ_KIND_RAW && t->kind != NCZ_KIND_RECORD;
    char text[40];

    (void)snprintf(text, sizeof text, "%c%c%zu%s%s",
                   !ordered ? '|'
                   : t->big ? '>'
                            : '<',
                   letters[t->kind], t->size, t->items != NULL ? " of " : "", t->items != NULL ? t->items->name : "");
    ncz_jsonw_cstr(w, text);
}

/* What a packed element consists of: a compound is a list of fields, each a list of its type and its number of
 * elements; a sequence is an object with the type of its elements. Names do not matter. */
static void
write_packed(const ncz_type *t, ncz_jsonw *w)
{
    char text[40];

    if (t->class == NCZ_TYPE_VLEN) {
        ncz_jsonw_open_object(w);
        ncz_jsonw_key(w, "of");
        write_packed(t->base, w);
        ncz_jsonw_close_object(w);
    } else if (t->class == NCZ_TYPE_COMPOUND) {
        ncz_jsonw_open_array(w);
        for (size_t i = 0; i < t->nfields; i++) {
            ncz_jsonw_open_array(w);
            write_packed(t->fields[i].type, w);
            ncz_jsonw_u64(w, t->fields[i].nelems);
            ncz_jsonw_close_array(w);
        }
        ncz_jsonw_close_array(w);
    } else if (t->class == NCZ_TYPE_OPAQUE) {
        (void)snprintf(text, sizeof text, "opaque %zu", t->size);
        ncz_jsonw_cstr(w, text);
    } else {
        ncz_jsonw_cstr(w, ncz_type_value(t)->name);
    }
}

/* A record is an object: its size, and of each field type, place and number of elements. Names do not matter. */
static void
write_type(const ncz_dtype *t, ncz_jsonw *w)
{
    if (ncz_dtype_is_packed(t)) {
        write_packed(t->items, w);
        return;
    }
    if (t->kind != NCZ_KIND_RECORD) {
        write_dtype(t, w);
        return;
    }
    ncz_jsonw_open_object(w);
    ncz_jsonw_key(w, "size");
    ncz_jsonw_u64(w, t->size);
    ncz_jsonw_key(w, "fields");
    ncz_jsonw_open_array(w);
    for (size_t i = 0; i < t->record->nfields; i++) {
        const ncz_record_field *f = &t->record->fields[i];

        ncz_jsonw_open_array(w);
        write_type(&f->dtype, w);
        ncz_jsonw_u64(w, f->offset);
        ncz_jsonw_u64(w, f->nelems);
        ncz_jsonw_close_array(w);
    }
    ncz_jsonw_close_array(w);
    ncz_jsonw_close_object(w);
}

/* What chunks that are not stored have: the fill element; for variable-length strings its bytes. */
static ncz_vlen_item
fill_of(const ncz_spec *s)
{
    if (s->fill != NULL && s->dtype.kind == NCZ_KIND_OBJECT)
        return ncz_vlen_at(s->fill, 0);
    return (ncz_vlen_item){
        .s = s->fill, .len = s->dtype.size, .what = s->fill != NULL ? NCZ_VLEN_STRING : NCZ_VLEN_NONE};
}

static int
write_fill(const ncz_spec *s, ncz_buf *hex, ncz_jsonw *w)
{
    ncz_vlen_item fill = fill_of(s);
    int           rc = NC_NOERR;

    if (s->layout->zeros)
        fill.what = NCZ_VLEN_NONE;
    for (size_t i = 0; rc == NC_NOERR && i < s->dtype.size && s->layout->zeros; i++)
        rc = ncz_buf_puts(hex, "00");
    for (size_t i = 0; rc == NC_NOERR && fill.what != NCZ_VLEN_NONE && i < fill.len; i++)
        rc = ncz_buf_printf(hex, "%02x", (unsigned char)fill.s[i]);
    if (rc != NC_NOERR)
        return rc;
    if (fill.what != NCZ_VLEN_NONE || s->layout->zeros)
        ncz_jsonw_str(w, ncz_buf_str(hex), hex->len);
    else
        ncz_jsonw_null(w);
    return NC_NOERR;
}

/* "C", "F", or the dimensions in storage order. */
static void
write_order(const ncz_spec *s, ncz_jsonw *w)
{
    if (s->order == NULL || ncz_order_is_fortran(s->order, s->rank)) {
        ncz_jsonw_cstr(w, s->order == NULL ? "C" : "F");
        return;
    }
    ncz_jsonw_open_array(w);
    for (size_t d = 0; d < s->rank; d++)
        ncz_jsonw_u64(w, s->order[d]);
    ncz_jsonw_close_array(w);
}

/* The objects that hold several chunks. It comes last, so that the text before it describes a chunk alone. */
static void
write_shards(const ncz_var *v, ncz_jsonw *w)
{
    const ncz_spec *s = v->spec;

    ncz_jsonw_key(w, "shards");
    ncz_jsonw_open_object(w);
    ncz_jsonw_key(w, "shape");
    ncz_jsonw_open_array(w);
    for (size_t d = 0; d < s->rank; d++)
        ncz_jsonw_u64(w, s->layout->object[d] * s->chunk[d]);
    ncz_jsonw_close_array(w);
    ncz_jsonw_key(w, "index_location");
    ncz_jsonw_cstr(w, v->shard_layout.at_start ? "start" : "end");
    ncz_jsonw_key(w, "index_endian");
    ncz_jsonw_cstr(w, v->shard_layout.big ? "big" : "little");
    ncz_jsonw_key(w, "index_checksum");
    ncz_jsonw_bool(w, !v->shard_layout.no_checksum);
    ncz_jsonw_close_object(w);
}

static int
write_encoding(const ncz_var *v, ncz_buf *out)
{
    const ncz_spec *s = v->spec;
    ncz_jsonw       w = ncz_jsonw_on(out);
    ncz_buf         text = NCZ_BUF_INIT;
    int             rc;

    ncz_jsonw_open_object(&w);
    ncz_jsonw_key(&w, "type");
    ncz_jsonw_i64(&w, s->type->id);
    ncz_jsonw_key(&w, "dtype");
    write_type(&s->dtype, &w);
    ncz_jsonw_key(&w, "order");
    write_order(s, &w);
    ncz_jsonw_key(&w, "chunks");
    ncz_jsonw_open_array(&w);
    for (size_t d = 0; d < s->rank; d++)
        ncz_jsonw_u64(&w, s->chunk[d]);
    ncz_jsonw_close_array(&w);
    ncz_jsonw_key(&w, "fill");
    if ((rc = write_fill(s, &text, &w)) != NC_NOERR)
        goto done;
    if (s->fill_null) { /* only this library reads a missing chunk as the fill value */
        ncz_jsonw_key(&w, "fill_null");
        ncz_jsonw_bool(&w, true);
    }
    if (v->earlier.n > 0) { /* a chunk may have another width than its type */
        ncz_jsonw_key(&w, "narrower");
        ncz_jsonw_bool(&w, true);
    }
    ncz_buf_reset(&text);
    if (s->chain == NULL)
        rc = ncz_buf_puts(&text, "[]");
    else
        rc = ncz_chain_write_list(s->chain, &text);
    if (rc != NC_NOERR)
        goto done;
    ncz_jsonw_key(&w, "codecs");
    ncz_jsonw_raw(&w, ncz_buf_str(&text), text.len);
    if (ncz_layout_has_index(s->layout))
        write_shards(v, &w);
    ncz_jsonw_close_object(&w);
    rc = ncz_jsonw_end(&w);
done:
    ncz_buf_clear(&text);
    return rc;
}

static bool
has_stored_chunks(const ncz_layout *l)
{
    return l->ops->as_stored != NULL && l->ops->as_stored(l);
}

int
nczarr_inq_var_encoding(int ncid, int varid, size_t *lenp, char *text)
{
    ncz_call c;
    ncz_var *v = NULL;
    ncz_buf  out = NCZ_BUF_INIT;
    int      rc = ncz_call_enter_var(ncid, varid, NCZ_USE_LOOK, NULL, &c, &v);

    if (rc != NC_NOERR)
        return rc;
    if (v->spec->unusable->code != NC_NOERR)
        rc = ncz_err_adopt(v->spec->unusable);
    /* Chunks of different lengths or codecs cannot be copied one for one: the text stays empty. */
    if (rc == NC_NOERR && !ncz_spec_differ(v->spec) &&
        (!v->spec->layout->ops->complete || has_stored_chunks(v->spec->layout)))
        rc = write_encoding(v, &out);
    return ncz_call_leave_text(&c, rc, &out, lenp, text);
}

int
nczarr_inq_var_typename(int ncid, int varid, size_t *lenp, char *name)
{
    ncz_call c;
    ncz_var *v = NULL;
    ncz_buf  out = NCZ_BUF_INIT;
    int      rc = ncz_call_enter_var(ncid, varid, NCZ_USE_LOOK, NULL, &c, &v);

    if (rc != NC_NOERR)
        return rc;
    rc = ncz_format_type_name(c.m, v, &out);
    return ncz_call_leave_text(&c, rc, &out, lenp, name);
}

/* ---- keys ---- */

/* Gives the address of a chunk within the variable's shape. `key` owns where->key. */
static int
locate_chunk(ncz_dataset *ds, const ncz_var *v, const size_t *indexp, bool range, ncz_buf *key, ncz_chunk_addr *where)
{
    ncz_dims index;
    int      rc;

    if (v->rank > 0 && indexp == NULL)
        return ncz_fail(NC_EINVAL, "%s: no index", v->name);
    if ((rc = ncz_dims_init(&index, v->rank)) != NC_NOERR)
        return rc;
    for (size_t d = 0; rc == NC_NOERR && d < v->rank; d++) {
        uint64_t n = ncz_spec_count_chunks(v->spec, d, v->dims[d]->len);

        index.v[d] = indexp[d];
        if (indexp[d] >= n)
            rc = ncz_fail(NC_EINVALCOORDS, "%s: chunk %zu of dimension %zu, which has %llu", v->name, indexp[d], d,
                          (unsigned long long)n);
    }
    if (rc == NC_NOERR)
        rc = ncz_dataset_locate_chunk(ds, v, index.v, range, key, where);
    if (rc == NC_NOERR && where->lost != NULL)
        rc = ncz_fail(where->code, "%s", where->lost);
    ncz_dims_clear(&index);
    return rc;
}

/* The bytes of a chunk itself: what lies between its rows is not its own. */
static uint64_t
own_length(const ncz_chunk_addr *where)
{
    uint64_t rest;

    if (where->pitch == 0)
        return where->nfrom > 0 ? where->nfrom : where->length;
    rest = where->length % where->pitch;
    return where->length / where->pitch * where->row + (rest < where->row ? rest : where->row);
}

int
nczarr_inq_var_chunk_key(int ncid, int varid, const size_t *indexp, size_t *keylenp, char *key,
                         unsigned long long *offsetp, unsigned long long *lengthp)
{
    ncz_call       c;
    ncz_chunk_addr where;
    ncz_var       *v = NULL;
    ncz_buf        own = NCZ_BUF_INIT;
    int            rc = ncz_call_enter_var(ncid, varid, NCZ_USE_LOOK, NULL, &c, &v);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = locate_chunk(c.ds, v, indexp, offsetp != NULL || lengthp != NULL, &own, &where)) == NC_NOERR) {
        if (offsetp != NULL)
            *offsetp = where.nfrom > 0 ? where.from : where.offset;
        if (lengthp != NULL)
            *lengthp = own_length(&where);
    }
    return ncz_call_leave_text(&c, rc, &own, keylenp, key);
}

int
nczarr_inq_var_chunk_mask(int ncid, int varid, const size_t *indexp, unsigned int *maskp)
{
    ncz_call       c;
    ncz_chunk_addr where;
    ncz_var       *v = NULL;
    ncz_buf        own = NCZ_BUF_INIT;
    bool           own_chunks;
    int            rc = ncz_call_enter_var(ncid, varid, NCZ_USE_LOOK, NULL, &c, &v);

    if (rc != NC_NOERR)
        return rc;
    own_chunks = v->spec->layout->ops->own_chunks;
    if ((rc = locate_chunk(c.ds, v, indexp, own_chunks, &own, &where)) == NC_NOERR && maskp != NULL)
        *maskp = own_chunks ? where.mask : 0;
    ncz_buf_clear(&own);
    return ncz_call_leave(&c, rc);
}

int
nczarr_inq_var_chunk_rows(int ncid, int varid, const size_t *indexp, unsigned long long *rowp,
                          unsigned long long *pitchp)
{
    ncz_call       c;
    ncz_chunk_addr where;
    ncz_var       *v = NULL;
    ncz_buf        own = NCZ_BUF_INIT;
    int            rc = ncz_call_enter_var(ncid, varid, NCZ_USE_LOOK, NULL, &c, &v);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = locate_chunk(c.ds, v, indexp, true, &own, &where)) == NC_NOERR) {
        if (rowp != NULL)
            *rowp = where.pitch != 0 ? where.row : 0;
        if (pitchp != NULL)
            *pitchp = where.pitch;
    }
    ncz_buf_clear(&own);
    return ncz_call_leave(&c, rc);
}

/* ---- the grid ---- */

static int
give_grid(const ncz_var *v, size_t d, size_t *np, size_t *lengths)
{
    uint64_t              n = ncz_spec_count_chunks(v->spec, d, v->dims[d]->len), at = 0;
    ncz_rectilinear_chunk c;

    if (n > SIZE_MAX)
        return ncz_fail(NC_EDIMSIZE, "%s: the number of its chunks does not fit this machine's size_t", v->name);
    if (np != NULL)
        *np = (size_t)n;
    for (size_t i = 0; lengths != NULL && i < n; i++, at += c.len) {
        if (!ncz_spec_find_chunk(v->spec, d, at, &c))
            return ncz_fail(NC_EZARRMETA, "%s: its chunk grid ends before chunk %zu of dimension %zu", v->name, i, d);
        lengths[i] = (size_t)c.len;
    }
    return NC_NOERR;
}

int
nczarr_inq_var_chunk_lengths(int ncid, int varid, int dim, size_t *nchunksp, size_t *lengths)
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter_var(ncid, varid, NCZ_USE_LOOK, NULL, &c, &v);

    if (rc != NC_NOERR)
        return rc;
    if (dim < 0 || (size_t)dim >= v->rank)
        rc = ncz_fail(NC_EINVAL, "%s: %d is not one of its %zu dimensions", v->name, dim, v->rank);
    else
        rc = give_grid(v, (size_t)dim, nchunksp, lengths);
    return ncz_call_leave(&c, rc);
}

/* ---- stored chunks ---- */

typedef struct listing {
    ncz_stored_chunks chunks;
    size_t            rank;
    ncz_spec         *spec;
} listing;

/* Lists the chunks under the dataset's lock. The list stays valid after it is released. */
static int
list_chunks(int ncid, int varid, listing *l)
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter_var(ncid, varid, NCZ_USE_LOOK, NULL, &c, &v);

    if (rc != NC_NOERR)
        return rc;
    l->rank = v->rank;
    l->spec = ncz_spec_ref(v->spec);
    rc = ncz_dataset_list_chunks(c.ds, v, &l->chunks);
    return ncz_call_leave(&c, rc);
}

/* The address of chunk i. `key` owns where->key. */
static int
locate_listed(const listing *l, size_t i, ncz_buf *key, ncz_chunk_addr *where)
{
    size_t          w = l->rank == 0 ? 1 : l->rank;
    const uint64_t *index = l->chunks.index + i * w;
    ncz_dims        first;
    int             rc;

    if (l->chunks.in_file) {
        *where =
            (ncz_chunk_addr){.key = "", .offset = l->chunks.ranges[i].offset, .length = l->chunks.ranges[i].length};
        return NC_NOERR;
    }
    if (l->chunks.objects == NULL) {
        rc = ncz_spec_locate(l->spec, index, key, where);
    } else { /* objects may differ in length: the key is that of the object's place */
        if ((rc = ncz_dims_init(&first, w)) != NC_NOERR)
            return rc;
        if (!ncz_layout_slot_chunk(l->spec->layout, l->chunks.objects + i * w, 0, first.v))
            rc = ncz_fail(NC_EINTERNAL, "%s: an object beyond its grid was found", l->spec->path);
        else
            rc = ncz_spec_locate(l->spec, first.v, key, where);
        ncz_dims_clear(&first);
    }
    if (rc == NC_NOERR && l->chunks.ranges != NULL) {
        where->offset = l->chunks.ranges[i].offset;
        where->length = l->chunks.ranges[i].length;
        where->nfrom = 0;
    }
    return rc;
}

int
nczarr_list_var_chunks(int ncid, int varid, nczarr_chunk_each each, void *arg)
{
    listing        l = {.rank = 0};
    ncz_buf        key = NCZ_BUF_INIT;
    ncz_chunk_addr where;
    size_t        *index = NULL, wide;
    int            rc;

    ncz_err_clear();
    if (each == NULL)
        return ncz_call_done(ncz_fail(NC_EINVAL, "nczarr_list_var_chunks: no function to call"));
    if ((rc = list_chunks(ncid, varid, &l)) != NC_NOERR)
        goto done;
    wide = l.rank == 0 ? 1 : l.rank;
    if ((index = ncz_alloc_n(wide, sizeof *index)) == NULL) {
        rc = ncz_fail_nomem(wide * sizeof *index);
        goto done;
    }
    for (size_t i = 0; rc == NC_NOERR && i < l.chunks.n; i++) {
        for (size_t d = 0; d < wide; d++) {
            if (l.chunks.index[i * wide + d] > SIZE_MAX)
                rc = ncz_fail(NC_EDIMSIZE, "%s: the number of a chunk does not fit this machine's size_t",
                              l.spec->path);
            index[d] = (size_t)l.chunks.index[i * wide + d];
        }
        if (rc != NC_NOERR || (rc = locate_listed(&l, i, &key, &where)) != NC_NOERR)
            break;
        if ((rc = each(index, where.key, where.offset, own_length(&where), arg)) != 0)
            break; /* stop with the caller's own code and text */
    }
done:
    ncz_stored_chunks_clear(&l.chunks);
    ncz_free(index);
    ncz_spec_unref(l.spec);
    ncz_buf_clear(&key);
    return rc;
}

/* ---- values in other datasets ---- */

typedef struct part {
    uint64_t *start; /* rank numbers, then as many counts */
    char     *path, *name;
} part;

typedef struct parts {
    part  *v;
    size_t n, cap, rank;
} parts;

static int
note_part(const uint64_t *start, const uint64_t *count, const char *path, const char *name, void *arg)
{
    parts *p = arg;
    part   one = {.start = ncz_alloc_n(2 * p->rank + 1, sizeof *one.start)};
    int    rc;

    if (one.start == NULL)
        return ncz_fail_nomem(2 * p->rank * sizeof *one.start);
    if ((rc = ncz_make_room(&p->v, p->n, &p->cap, sizeof *p->v)) != NC_NOERR) {
        ncz_free(one.start);
        return rc;
    }
    memcpy(one.start, start, p->rank * sizeof *start);
    memcpy(one.start + p->rank, count, p->rank * sizeof *count);
    one.path = path != NULL ? ncz_strdup(path) : NULL;
    one.name = path != NULL ? ncz_strdup(name) : NULL;
    p->v[p->n++] = one;
    return path == NULL || (one.path != NULL && one.name != NULL) ? NC_NOERR : ncz_fail_nomem(strlen(path));
}

static void
clear_parts(parts *p)
{
    for (size_t i = 0; i < p->n; i++) {
        ncz_free(p->v[i].start);
        ncz_free(p->v[i].path);
        ncz_free(p->v[i].name);
    }
    ncz_free(p->v);
}

/* Under the dataset's lock, as list_chunks(). */
static int
list_parts(int ncid, int varid, parts *p)
{
    ncz_call c;
    ncz_var *v = NULL;
    int      rc = ncz_call_enter_var(ncid, varid, NCZ_USE_LOOK, NULL, &c, &v);

    if (rc != NC_NOERR)
        return rc;
    p->rank = v->rank;
    if (v->source != NULL && v->source->list != NULL)
        rc = v->source->list(v->source, note_part, p);
    return ncz_call_leave(&c, rc);
}

int
nczarr_open_fragment(int ncid, const char *path, int *ncidp)
{
    ncz_call     c;
    ncz_dataset *ds = NULL;
    int          rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if (path == NULL || ncidp == NULL)
        rc = ncz_fail(NC_EINVAL, "nczarr_open_fragment: no %s", path == NULL ? "path" : "pointer for the ncid");
    else
        ds = ncz_dataset_take_open(c.ds, path);
    if ((rc = ncz_call_leave(&c, rc)) != NC_NOERR)
        return rc;
    return ncz_call_done(ds != NULL ? ncz_api_publish(ds, ncidp) : ncz_api_open(path, NC_NOWRITE, ncidp));
}

int
nczarr_list_var_fragments(int ncid, int varid, nczarr_fragment_each each, void *arg)
{
    parts   p = {.n = 0};
    size_t *start;
    int     rc;

    ncz_err_clear();
    if (each == NULL)
        return ncz_call_done(ncz_fail(NC_EINVAL, "nczarr_list_var_fragments: no function to call"));
    if ((rc = list_parts(ncid, varid, &p)) == NC_NOERR && p.n > 0) {
        if ((start = ncz_alloc_n(2 * p.rank + 1, sizeof *start)) == NULL)
            rc = ncz_call_done(ncz_fail_nomem(2 * p.rank * sizeof *start));
        for (size_t i = 0; i < p.n && rc == NC_NOERR; i++) {
            for (size_t d = 0; d < 2 * p.rank; d++)
                start[d] = (size_t)p.v[i].start[d]; /* the variable's elements are counted in a size_t */
            rc = each(start, start + p.rank, p.v[i].path, p.v[i].name, arg);
        }
        ncz_free(start);
    }
    clear_parts(&p);
    return rc;
}
