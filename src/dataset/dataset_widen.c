/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_widen: strings of fixed width get room for a longer string, where no width was asked for. All chunks of the
 * variable are rewritten, and no store replaces many objects at once. So a chunk may be narrower than the document says
 * (chunk_narrow.c), and never wider:
 *
 *   1 flush, so that everything of the variable is stored
 *   2 put the document with the new width, and with a filter of its own by which other programs refuse the array: it
 *     has chunks of both widths from here on
 *   3 replace each chunk that is narrower, on condition that it still is the one that was read
 *   4 put the document without that filter
 *
 * A failure or a crash leaves every value readable. After one in 3 or 4 the next put that needs more width, or the next
 * opening for writing, continues with 3.
 *
 * Other processes may write, and widen, at the same time. Each document is put in place of the one that was read
 * (dataset_flush.c), and takes over a larger width that it finds there; so the width never shrinks. A process that
 * stores chunks reads the document before and after (ncz_dataset_flush_chunks()). Before: it mostly sees a new width,
 * and encodes its chunks for it. After: another one may have put a new width since. That one lists the chunks after it
 * has put the width, this one reads the width after it has put the chunks; so the one sees the chunks, or the other
 * sees the width, and does step 3, too. No chunk stays narrow. Step 3 loses nothing that is stored meanwhile: the
 * condition fails then, and the chunk is read again. Nor does it matter who does it, or if several do. The filter goes
 * with the first that has done step 3 for this width, since all chunks are wide then, but those that their writers are
 * about to find.
 *
 * A process that finds a chunk wider than it knows reads the document, and takes over its width
 * (ncz_dataset_follow_widths()): for a flush here, for a get and a put in api_var_data.c.
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

bool
ncz_dataset_has_width(const ncz_dataset *ds, const ncz_var *v)
{
    return v->type->class == NCZ_TYPE_STRING && v->dtype.kind == NCZ_KIND_BYTES &&
           ds->model->dialect->string_width != NULL;
}

static bool
may_widen(const ncz_dataset *ds, const ncz_var *v)
{
    return ncz_dataset_has_width(ds, v) && !is_asked(ds, v);
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

/* ---- the width in memory --------------------------------------------------------------------------------------- */

/* Changes the width in the model and in the cache. All stays as it was if a chunk would be too large. */
static int
set_width(ncz_dataset *ds, ncz_var *v, size_t width, bool widening)
{
    saved before = save_var(v);
    int   rc = ncz_var_widen(ds->model, v, width, widening);

    if (rc == NC_NOERR && v->spec->unusable->code != NC_NOERR)
        rc = ncz_fail(v->spec->unusable->code,
                      "%s: a string of %zu bytes needs chunks that are too large; define smaller chunks", v->name,
                      width);
    if (rc == NC_NOERR)
        rc = ncz_engine_widen(ds->engine, v->spec);
    if (rc != NC_NOERR)
        restore_var(v, &before);
    drop_saved(&before);
    return rc;
}

int
ncz_dataset_take_width(ncz_dataset *ds, ncz_var *v, size_t width, bool widening)
{
    bool dirty = v->dirty;
    int  rc = NC_NOERR;

    if (width == v->dtype.size)
        v->widening = v->widening && widening; /* another process may have done step 4 */
    if (width <= v->dtype.size)
        return NC_NOERR;
    rc = set_width(ds, v, width, widening);
    v->dirty = dirty; /* the document has it */
    return rc;
}

/* ---- the width in the store ------------------------------------------------------------------------------------ */

/* True if other processes may widen the variable, too. */
static bool
is_followed(const ncz_dataset *ds, const ncz_var *v)
{
    return (ds->home == NCZ_HOME_PATH || ds->home == NCZ_HOME_CALLER) && ds->state != NCZ_DATASET_NEW &&
           !ds->root_deferred && (zmap_caps_of(ds->map) & ZMAP_COMMITS) == 0 && v->unusable->code == NC_NOERR &&
           may_widen(ds, v);
}

bool
ncz_dataset_has_followed(const ncz_dataset *ds)
{
    for (ncz_group *g = ncz_model_next_group(ds->model, NULL); g != NULL; g = ncz_model_next_group(ds->model, g))
        for (size_t i = 0; i < g->nvars; i++)
            if (is_followed(ds, g->vars[i]))
                return true;
    return false;
}

static int
array_key(const ncz_dataset *ds, const ncz_var *v, ncz_buf *key)
{
    int rc = ncz_var_key(v, key);

    if (rc == NC_NOERR && (rc = ncz_buf_putc(key, '/')) == NC_NOERR)
        rc = ncz_buf_puts(key, ds->model->dialect->docs.array);
    return rc;
}

/* The width in the stored document. 0: the document is the one that this process knows, or says nothing. */
static int
read_width(ncz_dataset *ds, const ncz_var *v, size_t *width, bool *widening)
{
    const ncz_json_opts opts = {.mode = NCZ_JSON_LENIENT,
                                .depth = ds->limits.json_depth,
                                .nbytes = ds->limits.document_bytes,
                                .name = v->name};
    ncz_buf             key = NCZ_BUF_INIT, text = NCZ_BUF_LIMIT(ds->limits.document_bytes);
    ncz_json           *doc = NULL;
    int                 rc;

    *width = 0;
    *widening = false;
    if ((rc = array_key(ds, v, &key)) != NC_NOERR || (rc = zmap_get(ds->map, ncz_buf_str(&key), &text)) != NC_NOERR)
        goto done;
    if (ncz_doc_cache_same(&ds->stored, ncz_buf_str(&key), ncz_buf_str(&text), text.len))
        goto done;
    if ((rc = ncz_json_parse(ncz_buf_str(&text), text.len, &opts, &doc, NULL)) == NC_NOERR)
        *width = ds->model->dialect->string_width(doc, widening);
done:
    ncz_json_free(doc);
    ncz_buf_clear(&text);
    ncz_buf_clear(&key);
    return rc == NC_EEMPTY ? NC_NOERR : rc;
}

/* Calls `task` for each variable that others may widen, of one variable or (uid 0) of all. */
static int
each_followed(ncz_dataset *ds, uint64_t uid, int (*task)(ncz_dataset *ds, ncz_var *v))
{
    int rc = NC_NOERR;

    for (ncz_group *g = ncz_model_next_group(ds->model, NULL); g != NULL; g = ncz_model_next_group(ds->model, g))
        for (size_t i = 0; rc == NC_NOERR && i < g->nvars; i++)
            if ((uid == 0 || g->vars[i]->uid == uid) && is_followed(ds, g->vars[i]))
                rc = task(ds, g->vars[i]);
    return rc;
}

static int
follow_width(ncz_dataset *ds, ncz_var *v)
{
    size_t width;
    bool   widening;
    int    rc = read_width(ds, v, &width, &widening);

    return rc == NC_NOERR ? ncz_dataset_take_width(ds, v, width, widening) : rc;
}

int
ncz_dataset_follow_widths(ncz_dataset *ds)
{
    return each_followed(ds, 0, follow_width);
}

/* NC_EOBJECT: the stored width is larger. */
static int
check_width(ncz_dataset *ds, ncz_var *v)
{
    size_t width;
    bool   widening;

    return read_width(ds, v, &width, &widening) == NC_NOERR && width > v->dtype.size ? NC_EOBJECT : NC_NOERR;
}

bool
ncz_dataset_widths_are_old(ncz_dataset *ds, int rc)
{
    ncz_err first;
    bool    old;

    if (rc != NC_ETRUNC && rc != NC_EFILTER)
        return false;
    ncz_err_save(&first, rc);
    old = each_followed(ds, 0, check_width) == NC_EOBJECT;
    (void)ncz_err_adopt(&first);
    return old;
}

/* ---- the steps ------------------------------------------------------------------------------------------------- */

/* Step 3. */
static int
widen_chunks(ncz_dataset *ds, const ncz_var *v)
{
    ncz_stored_chunks chunks = {.index = NULL};
    size_t            n = v->rank == 0 ? 1 : v->rank;
    int               rc = ncz_dataset_list_chunks(ds, v, &chunks);

    for (size_t i = 0; rc == NC_NOERR && i < chunks.n; i++)
        rc = ncz_engine_widen_stored(ds->engine, v->spec, chunks.index + i * n);
    ncz_stored_chunks_clear(&chunks);
    return rc;
}

/* Stores everything that changed. A dataset that was never committed stays so. */
static int
store_state(ncz_dataset *ds, const ncz_var *v)
{
    int rc;

    if (!ncz_dataset_is_new(ds))
        return ncz_dataset_flush(ds, false);
    if ((rc = ncz_dataset_flush_chunks(ds, v->uid)) != NC_NOERR || ds->state != NCZ_DATASET_DOCUMENTED)
        return rc;
    return ncz_dataset_put_documents(ds, false);
}

/*
 * Steps 3 and 4. In step 4 the copy in the consolidated metadata comes first: a crash before the document itself
 * leaves the filter there, and with it the rest to do.
 */
static int
finish_widening(ncz_dataset *ds, ncz_var *v)
{
    int rc = widen_chunks(ds, v);

    if (rc != NC_NOERR || !v->widening)
        return rc;
    v->widening = false;
    v->dirty = true;
    ds->copies_first = true;
    if ((rc = store_state(ds, v)) != NC_NOERR)
        v->widening = true;
    ds->copies_first = false;
    return rc;
}

/* Steps 2 to 4 of a widening that was interrupted. */
static int
resume_widening(ncz_dataset *ds, ncz_var *v)
{
    int rc;

    if (!v->widening || ds->comm != NULL)
        return NC_NOERR;
    /* A crash in step 2 may have left the consolidated metadata as they were. */
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

    if (!v->written || !ncz_mul(v->dtype.size, 2, &twice) || twice <= need || twice > ds->limits.element_bytes ||
        !ncz_mul(v->spec->chunk_nelems, twice, &nbytes) || nbytes > ds->limits.chunk_bytes)
        return need;
    return twice;
}

/* After a failure of step 2 the document may have the new width or the old one: it counts when it is read again. */
static int
take_back(ncz_dataset *ds, ncz_var *v, const saved *before, bool dirty, int rc)
{
    ncz_buf key = NCZ_BUF_INIT;
    ncz_err first;

    ncz_err_save(&first, rc);
    ncz_engine_forget(ds->engine, v->uid); /* step 1 has stored what was dirty */
    restore_var(v, before);
    v->dirty = dirty;
    if (array_key(ds, v, &key) == NC_NOERR)
        ncz_doc_cache_forget(&ds->stored, ncz_buf_str(&key));
    ncz_buf_clear(&key);
    return ncz_err_adopt(&first);
}

/* Steps 1 to 4. Without chunks of this process the first document is the last one, too: other programs may read it. */
static int
widen_stored(ncz_dataset *ds, ncz_var *v, size_t need)
{
    saved before;
    bool  dirty;
    int   rc = store_state(ds, v); /* 1 */

    if (rc != NC_NOERR || need <= v->dtype.size) /* it has met another process's width */
        return rc;
    before = save_var(v);
    dirty = v->dirty;
    if ((rc = set_width(ds, v, choose_width(ds, v, need), v->written)) == NC_NOERR &&
        (rc = store_state(ds, v)) != NC_NOERR) /* 2 */
        rc = take_back(ds, v, &before, dirty, rc);
    if (rc == NC_NOERR)
        rc = finish_widening(ds, v);
    drop_saved(&before);
    return rc;
}

/* No document of the dataset is stored, so nobody sees it. */
static int
widen_unseen(ncz_dataset *ds, ncz_var *v, size_t need)
{
    int rc = ncz_engine_flush(ds->engine, v->uid);

    if (rc == NC_NOERR && (rc = set_width(ds, v, choose_width(ds, v, need), false)) == NC_NOERR && v->written)
        rc = widen_chunks(ds, v);
    return rc;
}

int
ncz_dataset_widen(ncz_dataset *ds, ncz_var *v, size_t need)
{
    int rc = is_followed(ds, v) ? follow_width(ds, v) : NC_NOERR;

    if (rc != NC_NOERR)
        return rc;
    if (ds->comm != NULL && need > v->dtype.size)
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
    return ds->state == NCZ_DATASET_NEW ? widen_unseen(ds, v, need) : widen_stored(ds, v, need);
}

/* ---- processes that store chunks of strings -------------------------------------------------------------------- */

/* What was stored while the width was the old one: of a chunk, and by evictions too. */
static int
settle_width(ncz_dataset *ds, ncz_var *v)
{
    ncz_spec *spec = ncz_spec_ref(v->spec);
    int       rc = NC_NOERR;

    if (atomic_exchange(&spec->stored, false)) {
        size_t width = v->dtype.size;

        rc = follow_width(ds, v);
        if (rc == NC_NOERR && v->dtype.size > width)
            rc = widen_chunks(ds, v);
        if (rc != NC_NOERR)
            atomic_store(&v->spec->stored, true);
    }
    ncz_spec_unref(spec);
    return rc;
}

static int
prepare_width(ncz_dataset *ds, ncz_var *v)
{
    size_t width = v->dtype.size;
    bool   stored = atomic_load(&v->spec->stored);
    int    rc = ncz_engine_dirty_of(ds->engine, v->uid) ? follow_width(ds, v) : NC_NOERR;

    if (rc == NC_NOERR && stored && v->dtype.size > width && (rc = widen_chunks(ds, v)) != NC_NOERR)
        atomic_store(&v->spec->stored, true);
    return rc;
}

int
ncz_dataset_flush_chunks(ncz_dataset *ds, uint64_t uid)
{
    enum { TRIES = 16 };
    int rc = NC_NOERR, tries = 0;

    if (!ncz_dataset_has_followed(ds))
        return ncz_engine_flush(ds->engine, uid);
    do {
        if ((rc = each_followed(ds, uid, prepare_width)) != NC_NOERR)
            return rc;
        rc = ncz_engine_flush(ds->engine, uid);
        /* A chunk that was written in part may be wider by now, and could not be merged. */
    } while (rc != NC_NOERR && ++tries < TRIES && ncz_dataset_widths_are_old(ds, rc));
    return rc == NC_NOERR ? each_followed(ds, uid, settle_width) : rc;
}
