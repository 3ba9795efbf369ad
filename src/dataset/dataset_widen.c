/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_widen: strings of fixed width get room for a longer string, where no width was asked for. All chunks of the
 * variable are rewritten, and no store replaces many objects at once. The order leaves every value readable after a
 * crash at any point:
 *
 *   1 flush, so that everything of the variable is stored; delete objects below it that are not its chunks
 *   2 put each chunk again, widened, under a key of its own that no document names
 *   3 flush: the document has the new width, and says by a filter of its own that the chunks are under those keys.
 *     zarr-python refuses the array from here on, because it does not know the filter; before, it is the old one
 *   4 copy each widened chunk to its usual key
 *   5 flush: the document without that filter: the array as others know it, complete
 *   6 delete the objects of step 2
 *
 * A failure of 1 or 2 changes nothing. After a failure or a crash in 4 to 6 the values are read from the keys of step
 * 2, and the next put to the variable, or the next opening for writing, continues with 4. A reader that opened the
 * dataset in between checks after each get that the document still says so, because step 6 would turn chunks into
 * fill. One that opened it before gets an error for each chunk whose size is not that of its document.
 */
#include "dataset/dataset_int.h"

#include <limits.h>
#include <string.h>

/* ---- is it needed ---------------------------------------------------------------------------------------------- */

/* The value of an attribute that sets a width; -1: it is absent. */
static int
asked_width(const ncz_atts *atts, const char *name)
{
    const ncz_att *a = ncz_atts_find(atts, name);

    return a != NULL && a->type->id == NC_INT && a->len == 1 ? *(const int *)a->data : -1;
}

/* True if the width was asked for: by this session, or by an attribute in the dataset. */
static bool
is_asked(const ncz_dataset *ds, const ncz_var *v)
{
    int own = asked_width(&v->atts, NCZ_WIDTH_ATT);

    if (v->width_asked || own > 0)
        return true;
    return own < 0 && asked_width(&ds->model->root->atts, NCZ_DEFAULT_WIDTH_ATT) > 0;
}

static bool
may_widen(const ncz_dataset *ds, const ncz_var *v)
{
    return v->dtype.kind == NCZ_KIND_BYTES && ds->model->dialect->is_widening != NULL && !is_asked(ds, v);
}

/* The longest of the selected strings, in bytes. UCS-4: in code points. */
static size_t
longest(const ncz_select *sel, bool points, const char *const *in, uint64_t *k)
{
    size_t most = 0;

    for (;;) {
        ptrdiff_t   at = 0;
        size_t      len = 0, d = sel->rank;
        const char *s;

        for (size_t i = 0; i < sel->rank; i++)
            at += (ptrdiff_t)k[i] * sel->imap[i];
        for (s = in[at]; s != NULL && *s != '\0'; s++)
            len += !points || ((unsigned char)*s & 0xC0) != 0x80;
        if (len > most)
            most = len;
        while (d > 0 && ++k[d - 1] == sel->count[d - 1])
            k[--d] = 0;
        if (d == 0)
            return most;
    }
}

int
ncz_dataset_check_width(const ncz_dataset *ds, const ncz_var *v, const ncz_select *sel, const void *in, size_t *need)
{
    bool     points = v->dtype.kind == NCZ_KIND_UCS4;
    uint64_t n = 0;
    size_t   most, room = points ? v->dtype.size / 4 : v->dtype.size;
    ncz_dims k;
    int      rc;

    *need = 0;
    if (v->type->class != NCZ_TYPE_STRING || v->dtype.kind == NCZ_KIND_OBJECT || !ncz_select_nelems(sel, &n) ||
        n == 0)
        return NC_NOERR;
    if ((rc = ncz_dims_init(&k, v->rank)) != NC_NOERR)
        return rc;
    for (size_t d = 0; d < v->rank; d++)
        k.v[d] = 0;
    most = longest(sel, points, in, k.v);
    ncz_dims_clear(&k);
    if (most <= room)
        return NC_NOERR;
    if (may_widen(ds, v))
        *need = most;
    else
        ncz_log(NCZ_LOG_WARN, "%s: strings of up to %zu %s are cut to its width of %zu", v->spec->path, most,
                points ? "characters" : "bytes", room);
    return NC_NOERR;
}

/* ---- the chunks ------------------------------------------------------------------------------------------------ */

/* Each chunk of the variable, from the keys and the width of one spec to those of another. */
typedef struct move {
    ncz_dataset    *ds;
    const ncz_spec *from, *to;
    ncz_buf         key, body, out;
    char           *narrow, *wide; /* a decoded chunk; NULL where the bytes are only copied */
} move;

static void
clear_move(move *mv)
{
    ncz_buf_clear(&mv->key);
    ncz_buf_clear(&mv->body);
    ncz_buf_clear(&mv->out);
    ncz_free(mv->narrow);
    ncz_free(mv->wide);
}

/* Decodes, widens and encodes what was got, into mv->out. */
static int
widen_chunk(move *mv, const char *key)
{
    size_t from = mv->from->dtype.size, to = mv->to->dtype.size;
    int    rc = ncz_chain_decode(mv->from->chain, NULL, ncz_buf_str(&mv->body), mv->body.len, mv->narrow,
                                 mv->from->chunk_bytes, false);

    if (rc != NC_NOERR)
        return ncz_fail(rc, "%s: %s", key, ncz_err_text());
    memset(mv->wide, 0, mv->to->chunk_bytes);
    for (size_t i = 0; i < mv->from->chunk_nelems; i++)
        memcpy(mv->wide + i * to, mv->narrow + i * from, from);
    return ncz_chain_encode(mv->to->chain, NULL, mv->wide, mv->to->chunk_bytes, &mv->out);
}

static int
move_chunk(move *mv, const uint64_t *index)
{
    const ncz_buf *out = mv->narrow != NULL ? &mv->out : &mv->body;
    ncz_chunk_addr where;
    int            rc;

    if ((rc = mv->from->locate(mv->from, index, &mv->key, &where)) != NC_NOERR)
        return rc;
    ncz_buf_reset(&mv->body);
    if ((rc = zmap_get(mv->ds->map, where.key, &mv->body)) != NC_NOERR)
        return rc == NC_EEMPTY ? NC_NOERR : rc; /* deleted since it was listed: fill, as before */
    if (mv->narrow != NULL && (rc = widen_chunk(mv, where.key)) != NC_NOERR)
        return rc;
    if ((rc = mv->to->locate(mv->to, index, &mv->key, &where)) != NC_NOERR)
        return rc;
    return zmap_put(mv->ds->map, where.key, ncz_buf_str(out), out->len);
}

/* Moves the `n` chunks at `index`. */
static int
move_chunks(ncz_dataset *ds, const ncz_spec *from, const ncz_spec *to, const uint64_t *index, size_t n)
{
    move   mv = {.ds = ds, .from = from, .to = to, .body = NCZ_BUF_LIMIT(ds->limits.object_bytes)};
    size_t width = from->rank == 0 ? 1 : from->rank;
    int    rc = NC_NOERR;

    if (from->dtype.size != to->dtype.size) {
        mv.narrow = ncz_alloc(from->chunk_bytes);
        mv.wide = ncz_alloc(to->chunk_bytes);
        if (mv.narrow == NULL || mv.wide == NULL)
            rc = ncz_fail_nomem(to->chunk_bytes);
    }
    for (size_t i = 0; rc == NC_NOERR && i < n; i++)
        rc = move_chunk(&mv, index + i * width);
    clear_move(&mv);
    return rc;
}

/* Deletes the objects of an unfinished widening, or of step 2. `rc` stays the result. */
static int
delete_widened(ncz_dataset *ds, const ncz_spec *at, const uint64_t *index, size_t n)
{
    size_t         width = at->rank == 0 ? 1 : at->rank;
    ncz_key_list   keys = NCZ_KEY_LIST_INIT;
    ncz_buf        key = NCZ_BUF_INIT;
    ncz_chunk_addr where;
    int            rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < n; i++)
        if ((rc = at->locate(at, index + i * width, &key, &where)) == NC_NOERR)
            rc = ncz_key_list_add(&keys, "", where.key);
    if (rc == NC_NOERR)
        rc = ncz_key_list_del(ds->map, &keys);
    ncz_buf_clear(&key);
    ncz_key_list_clear(&keys);
    return rc;
}

/* ---- what a failure restores ----------------------------------------------------------------------------------- */

typedef struct saved {
    ncz_spec  *spec;
    ncz_chain *chain;
    ncz_dtype  dtype;
    size_t     maxstrlen;
    bool       widening;
} saved;

static saved
save_var(const ncz_var *v)
{
    return (saved){.spec = ncz_spec_ref(v->spec),
                   .chain = ncz_chain_ref(v->chain),
                   .dtype = v->dtype,
                   .maxstrlen = v->maxstrlen,
                   .widening = v->widening};
}

static void
drop_saved(saved *s)
{
    ncz_spec_unref(s->spec);
    ncz_chain_unref(s->chain);
    *s = (saved){.spec = NULL};
}

static void
restore_var(ncz_var *v, const saved *s)
{
    ncz_spec_unref(v->spec);
    ncz_chain_unref(v->chain);
    v->spec = ncz_spec_ref(s->spec);
    v->chain = ncz_chain_ref(s->chain);
    v->dtype = s->dtype;
    v->maxstrlen = s->maxstrlen;
    v->widening = s->widening;
}

/* ---- the steps ------------------------------------------------------------------------------------------------- */

/* Stores everything that changed. A dataset that was never committed stays so. */
static int
store_state(ncz_dataset *ds, const ncz_var *v)
{
    int rc;

    if (!ncz_dataset_is_new(ds))
        return ncz_dataset_flush(ds, false);
    if ((rc = ncz_engine_flush(ds->engine, v->uid)) != NC_NOERR || ds->state != NCZ_DATASET_DOCUMENTED)
        return rc;
    return ncz_dataset_put_documents(ds, false);
}

/*
 * Steps 4 to 6. The document has the new width and the filter, if it is stored at all. In step 5 the copy in the
 * consolidated metadata comes first: a crash before the document itself leaves the filter there, and with it the rest
 * to do.
 */
static int
finish_widening(ncz_dataset *ds, ncz_var *v)
{
    saved             before = save_var(v);
    ncz_stored_chunks chunks = {.index = NULL};
    int               rc;

    if ((rc = ncz_dataset_list_chunks(ds, v, &chunks)) != NC_NOERR ||
        (rc = ncz_var_widen(ds->model, v, v->maxstrlen, false)) != NC_NOERR)
        goto done;
    if ((rc = move_chunks(ds, before.spec, v->spec, chunks.index, chunks.n)) != NC_NOERR) {
        restore_var(v, &before);
        goto done;
    }
    ncz_engine_forget(ds->engine, v->uid);
    ds->copies_first = true;
    rc = store_state(ds, v);
    ds->copies_first = false;
    if (rc == NC_NOERR)
        rc = delete_widened(ds, before.spec, chunks.index, chunks.n);
done:
    drop_saved(&before);
    ncz_stored_chunks_clear(&chunks);
    return rc;
}

/* Steps 3 to 6 of a widening that was interrupted. */
static int
resume_widening(ncz_dataset *ds, ncz_var *v)
{
    int rc;

    if (!v->widening || ds->comm != NULL)
        return NC_NOERR;
    /* A crash in step 3 may have left the consolidated metadata as they were. */
    v->dirty = true;
    if ((rc = ncz_format_check_rewritable(v)) != NC_NOERR || (rc = store_state(ds, v)) != NC_NOERR)
        return rc;
    return finish_widening(ds, v);
}

void
ncz_dataset_resume_widenings(ncz_dataset *ds)
{
    for (ncz_group *g = ncz_model_next_group(ds->model, NULL); g != NULL; g = ncz_model_next_group(ds->model, g))
        for (size_t i = 0; i < g->nvars; i++)
            if (g->vars[i]->widening && resume_widening(ds, g->vars[i]) != NC_NOERR) {
                ncz_log(NCZ_LOG_WARN, "%s: the widening of its strings is still not finished: %s", g->vars[i]->name,
                        ncz_err_text());
                ncz_err_clear();
            }
}

/*
 * The new width. A variable whose strings come one at a time would be rewritten for each that is longer than all
 * before, so from the second put on the width doubles at least, if a chunk has room.
 */
static size_t
choose_width(const ncz_dataset *ds, const ncz_var *v, size_t need)
{
    size_t twice, nbytes;

    if (!v->written || !ncz_mul(v->dtype.size, 2, &twice) || twice <= need || twice > INT_MAX ||
        !ncz_mul(v->spec->chunk_nelems, twice, &nbytes) || nbytes > ds->limits.chunk_bytes)
        return need;
    return twice;
}

/* Changes the width in memory. The variable stays as it was if one of its chunks would be too large. */
static int
set_width(ncz_dataset *ds, ncz_var *v, size_t width, bool widening)
{
    saved before = save_var(v);
    int   rc = ncz_var_widen(ds->model, v, width, widening);

    if (rc == NC_NOERR && v->spec->unusable->code != NC_NOERR) {
        rc = ncz_fail(v->spec->unusable->code,
                      "%s: a string of %zu bytes needs chunks that are too large; define smaller chunks", v->name,
                      width);
        restore_var(v, &before);
    }
    drop_saved(&before);
    return rc;
}

/* Step 2. Deletes first what earlier sessions left below the variable. */
static int
put_widened(ncz_dataset *ds, const ncz_spec *from, const ncz_spec *to, const uint64_t *index, size_t n)
{
    ncz_key_list   all = NCZ_KEY_LIST_INIT, mine = NCZ_KEY_LIST_INIT, stale = NCZ_KEY_LIST_INIT;
    size_t         width = from->rank == 0 ? 1 : from->rank, at;
    ncz_names      known = NCZ_NAMES_INIT;
    ncz_buf        key = NCZ_BUF_INIT;
    ncz_chunk_addr where;
    int            rc = ncz_owner_chunks_below(ds->map, ds->model->dialect, from->path, &all);

    for (size_t i = 0; rc == NC_NOERR && i < n; i++)
        if ((rc = from->locate(from, index + i * width, &key, &where)) == NC_NOERR &&
            (rc = ncz_key_list_add(&mine, "", where.key)) == NC_NOERR)
            rc = ncz_names_put(&known, mine.v[i], i);
    for (size_t i = 0; rc == NC_NOERR && i < all.n; i++)
        if (!ncz_names_get(&known, all.v[i], &at))
            rc = ncz_key_list_add(&stale, "", all.v[i]);
    if (rc == NC_NOERR)
        rc = ncz_key_list_del(ds->map, &stale);
    if (rc == NC_NOERR)
        rc = move_chunks(ds, from, to, index, n);
    ncz_names_clear(&known);
    ncz_buf_clear(&key);
    ncz_key_list_clear(&all);
    ncz_key_list_clear(&mine);
    ncz_key_list_clear(&stale);
    return rc;
}

/* Steps 1 to 6 for a variable that has chunks in the store, or may have. */
static int
widen_stored(ncz_dataset *ds, ncz_var *v, size_t width)
{
    saved             before = save_var(v);
    ncz_stored_chunks chunks = {.index = NULL};
    int               rc;

    if ((rc = store_state(ds, v)) != NC_NOERR || /* 1 */
        (rc = ncz_dataset_list_chunks(ds, v, &chunks)) != NC_NOERR)
        goto done;
    ncz_engine_forget(ds->engine, v->uid);
    if ((rc = set_width(ds, v, width, chunks.n > 0)) != NC_NOERR)
        goto done;
    if ((rc = put_widened(ds, before.spec, v->spec, chunks.index, chunks.n)) != NC_NOERR) { /* 2 */
        ncz_err first;

        ncz_err_save(&first, rc);
        (void)delete_widened(ds, v->spec, chunks.index, chunks.n);
        restore_var(v, &before);
        rc = ncz_err_adopt(&first);
        goto done;
    }
    if ((rc = store_state(ds, v)) == NC_NOERR && v->widening) /* 3 */
        rc = finish_widening(ds, v);
done:
    drop_saved(&before);
    ncz_stored_chunks_clear(&chunks);
    return rc;
}

int
ncz_dataset_widen(ncz_dataset *ds, ncz_var *v, size_t need)
{
    size_t width = choose_width(ds, v, need);
    int    rc;

    if (ds->comm != NULL)
        return ncz_fail(
            NC_ENOTBUILT,
            "%s: a string of %zu bytes needs a wider array, which several ranks cannot make; define it with "
            "nczarr_def_var_strlen()",
            v->name, need);
    if (need > INT_MAX)
        return ncz_fail(NC_EINVAL, "%s: a string of %zu bytes", v->name, need);
    if ((rc = ncz_format_check_rewritable(v)) != NC_NOERR || (rc = resume_widening(ds, v)) != NC_NOERR)
        return rc;
    if (need <= v->dtype.size)
        return NC_NOERR;
    if (v->written)
        return widen_stored(ds, v, width);
    /* Nothing is stored. The document comes before the first wide chunk nevertheless. */
    rc = set_width(ds, v, width, false);
    return rc == NC_NOERR ? store_state(ds, v) : rc;
}

/* ---- a reader in between --------------------------------------------------------------------------------------- */

int
ncz_dataset_check_widening(ncz_dataset *ds, const ncz_var *v)
{
    const ncz_json_opts opts = {.mode = NCZ_JSON_LENIENT,
                                .depth = ds->limits.json_depth,
                                .nbytes = ds->limits.document_bytes,
                                .name = v->name};
    ncz_buf             key = NCZ_BUF_INIT, text = NCZ_BUF_LIMIT(ds->limits.document_bytes);
    ncz_json           *doc = NULL;
    int                 rc;

    if (!v->widening || ds->writable)
        return NC_NOERR;
    if ((rc = ncz_var_key(v, &key)) != NC_NOERR || (rc = ncz_buf_putc(&key, '/')) != NC_NOERR ||
        (rc = ncz_buf_puts(&key, ds->model->dialect->docs.array)) != NC_NOERR)
        goto done;
    if ((rc = zmap_get(ds->map, ncz_buf_str(&key), &text)) != NC_NOERR ||
        (rc = ncz_json_parse(ncz_buf_str(&text), text.len, &opts, &doc, NULL)) != NC_NOERR)
        goto done;
    if (!ds->model->dialect->is_widening(doc))
        rc = ncz_fail(NC_EZARRMETA,
                      "%s: another process has changed the width of its strings: open the dataset again", v->name);
done:
    ncz_json_free(doc);
    ncz_buf_clear(&text);
    ncz_buf_clear(&key);
    return rc;
}
