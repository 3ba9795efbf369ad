/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_width: the width of strings of fixed width: whether it may grow and must; the one that this process knows and
 * the one in the store; and chunks that are stored while other processes make it larger. How it grows is in
 * dataset_widen.c, and why nothing is lost.
 */
#include "dataset/data/width_int.h"

#include <string.h>

/* ---- is it needed ---------------------------------------------------------------------------------------------- */

/* The value of an attribute that sets a width; -1: it is absent. */
static int
asked_width(const ncz_att *a)
{
    return a != NULL && a->type->id == NC_INT && a->len == 1 ? *(const int *)a->data : -1;
}

/* True if the width was asked for: by this session, or by an attribute in the dataset. */
static bool
is_asked(const ncz_dataset *ds, const ncz_var *v)
{
    int own = asked_width(ncz_dataset_width_att(ds, v));

    if (v->width == NCZ_WIDTH_ASKED || own > 0)
        return true;
    return own < 0 && asked_width(ncz_dataset_width_att(ds, NULL)) > 0;
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

/* The length of one string, in bytes. UCS-4: in code points. */
static size_t
measure(const ncz_type *mem, const char *elem, bool points)
{
    const char *s;
    nc_vlen_t   counted;
    size_t      nbytes, len = 0;

    if (mem == &ncz_type_counted) {
        memcpy(&counted, elem, sizeof counted);
        s = counted.p;
        nbytes = s != NULL ? counted.len : 0;
    } else {
        memcpy(&s, elem, sizeof s);
        nbytes = s != NULL ? strlen(s) : 0;
    }
    for (size_t i = 0; i < nbytes; i++)
        len += !points || ((unsigned char)s[i] & 0xC0) != 0x80;
    return len;
}

/* The longest of the selected strings. */
static size_t
longest(const ncz_select *sel, bool points, const ncz_type *mem, const char *in, uint64_t *k)
{
    const ncz_box all = {.rank = sel->rank, .count = sel->count};
    size_t        most = 0;

    do {
        size_t len = measure(mem, in + ncz_select_place(sel, k) * (ptrdiff_t)mem->size, points);

        if (len > most)
            most = len;
    } while (ncz_box_next(&all, k));
    return most;
}

int
ncz_dataset_check_width(const ncz_dataset *ds, const ncz_var *v, const ncz_select *sel, const ncz_type *mem,
                        const void *in, size_t *need)
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
    most = longest(sel, points, mem, in, k.v);
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

ncz_width_state
ncz_width_save(const ncz_var *v)
{
    return (ncz_width_state){.spec = ncz_spec_ref(v->spec),
                             .chain = ncz_chain_ref(v->chain),
                             .dtype = v->dtype,
                             .maxstrlen = v->maxstrlen,
                             .earlier = v->earlier,
                             .widening = v->widening};
}

void
ncz_width_drop(ncz_width_state *s)
{
    ncz_spec_unref(s->spec);
    ncz_chain_unref(s->chain);
    *s = (ncz_width_state){.spec = NULL};
}

void
ncz_width_restore(ncz_var *v, const ncz_width_state *s)
{
    ncz_spec_unref(v->spec);
    ncz_chain_unref(v->chain);
    v->spec = ncz_spec_ref(s->spec);
    v->chain = ncz_chain_ref(s->chain);
    v->dtype = s->dtype;
    v->maxstrlen = s->maxstrlen;
    v->earlier = s->earlier;
    v->widening = s->widening;
}

/* ---- the width in memory --------------------------------------------------------------------------------------- */

ncz_widths
ncz_width_earlier(const ncz_var *v)
{
    ncz_widths earlier = v->earlier;

    ncz_widths_add(&earlier, v->dtype.size);
    return earlier;
}

int
ncz_width_set(ncz_dataset *ds, ncz_var *v, const ncz_string_width *to)
{
    ncz_width_state before = ncz_width_save(v);
    int             rc = ncz_var_widen(ds->model, v, to);

    if (rc == NC_NOERR && v->spec->unusable->code != NC_NOERR)
        rc = ncz_fail(v->spec->unusable->code,
                      "%s: a string of %zu bytes needs chunks that are too large; define smaller chunks", v->name,
                      to->nbytes);
    if (rc == NC_NOERR)
        rc = ncz_engine_widen(ds->engine, v->spec);
    if (rc != NC_NOERR)
        ncz_width_restore(v, &before);
    ncz_width_drop(&before);
    return rc;
}

/* Widths that chunks may have by what a document says, and this process does not say: processes that widen at once meet
 * different ones on their ways. What a writer takes without that (ncz_widths.any) is not what it says. */
static bool
says_width(const ncz_var *v, size_t width)
{
    ncz_widths said = v->earlier;

    said.any = false;
    return width == v->dtype.size || ncz_widths_has(&said, width);
}

static bool
says_all(const ncz_var *v, const ncz_string_width *theirs)
{
    bool all = says_width(v, theirs->nbytes);

    for (uint32_t i = 0; i < theirs->earlier.n && all; i++)
        all = says_width(v, theirs->earlier.v[i]);
    return all;
}

int
ncz_dataset_take_width(ncz_dataset *ds, ncz_var *v, const ncz_string_width *theirs)
{
    ncz_document_state document = v->document;
    ncz_string_width   to = *theirs;
    size_t             own = v->dtype.size;
    int                rc = NC_NOERR;

    if (to.nbytes == own)
        v->widening = v->widening && to.widening; /* another process may have done step 4 of dataset_widen.c */
    if (to.nbytes == 0 || (to.nbytes <= own && says_all(v, theirs)))
        return NC_NOERR;
    to.earlier = to.nbytes > own ? ncz_width_earlier(v) : v->earlier; /* this process has met or stored chunks, too */
    for (uint32_t i = theirs->earlier.n; i-- > 0;)                    /* theirs are newer */
        ncz_widths_add(&to.earlier, theirs->earlier.v[i]);
    if (to.nbytes < own)
        ncz_widths_add(&to.earlier, to.nbytes);
    if (to.nbytes <= own) {
        to.nbytes = own;
        to.widening = v->widening;
    }
    rc = ncz_width_set(ds, v, &to);
    v->document = document; /* the document has it, or is about to be put */
    return rc;
}

/* ---- the width in the store ------------------------------------------------------------------------------------ */

bool
ncz_width_is_followed(const ncz_dataset *ds, const ncz_var *v)
{
    return (ds->home == NCZ_HOME_PATH || ds->home == NCZ_HOME_CALLER) && ds->state != NCZ_DATASET_NEW &&
           !ds->root_deferred && (zmap_caps_of(ds->map) & ZMAP_COMMITS) == 0 && v->unusable->code == NC_NOERR &&
           may_widen(ds, v);
}

bool
ncz_dataset_has_followed(const ncz_dataset *ds)
{
    for (ncz_var *v = ncz_model_next_var(ds->model, NULL); v != NULL; v = ncz_model_next_var(ds->model, v))
        if (ncz_width_is_followed(ds, v))
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
read_width(ncz_dataset *ds, const ncz_var *v, ncz_string_width *out)
{
    const ncz_json_opts opts = {.mode = NCZ_JSON_LENIENT,
                                .depth = ds->limits.json_depth,
                                .nbytes = ds->limits.document_bytes,
                                .name = v->name};
    ncz_buf             key = NCZ_BUF_INIT, text = NCZ_BUF_LIMIT(ds->limits.document_bytes);
    ncz_json           *doc = NULL;
    int                 rc;

    *out = (ncz_string_width){.nbytes = 0};
    if ((rc = array_key(ds, v, &key)) != NC_NOERR || (rc = zmap_get(ds->map, ncz_buf_str(&key), &text)) != NC_NOERR)
        goto done;
    if (ncz_doc_cache_same(&ds->stored, ncz_buf_str(&key), ncz_buf_str(&text), text.len))
        goto done;
    if ((rc = ncz_json_parse(ncz_buf_str(&text), text.len, &opts, &doc, NULL)) == NC_NOERR)
        ds->model->dialect->string_width(doc, out);
done:
    ncz_json_free(doc);
    ncz_buf_clear(&text);
    ncz_buf_clear(&key);
    return rc == NC_EEMPTY ? NC_NOERR : rc;
}

void
ncz_width_forget(ncz_dataset *ds, const ncz_var *v)
{
    ncz_buf key = NCZ_BUF_INIT;

    if (array_key(ds, v, &key) == NC_NOERR)
        ncz_doc_cache_forget(&ds->stored, ncz_buf_str(&key));
    ncz_buf_clear(&key);
}

/* Calls `task` for each variable that others may widen, of one variable or (uid 0) of all. */
static int
each_followed(ncz_dataset *ds, uint64_t uid, int (*task)(ncz_dataset *ds, ncz_var *v))
{
    int rc = NC_NOERR;

    for (ncz_var *v = ncz_model_next_var(ds->model, NULL); rc == NC_NOERR && v != NULL;
         v = ncz_model_next_var(ds->model, v))
        if ((uid == 0 || v->uid == uid) && ncz_width_is_followed(ds, v))
            rc = task(ds, v);
    return rc;
}

int
ncz_width_follow(ncz_dataset *ds, ncz_var *v)
{
    ncz_string_width theirs;
    int              rc = read_width(ds, v, &theirs);

    return rc == NC_NOERR ? ncz_dataset_take_width(ds, v, &theirs) : rc;
}

/* NC_EOBJECT: the stored width is larger, or chunks may have widths that this process does not know. */
static int
check_width(ncz_dataset *ds, ncz_var *v)
{
    ncz_string_width theirs;

    if (read_width(ds, v, &theirs) != NC_NOERR || theirs.nbytes < v->dtype.size)
        return NC_NOERR;
    return theirs.nbytes > v->dtype.size || !says_all(v, &theirs) ? NC_EOBJECT : NC_NOERR;
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

int
ncz_width_spread(ncz_dataset *ds, const ncz_var *v)
{
    ncz_stored_chunks chunks = {.index = NULL};
    int               rc = ncz_dataset_list_chunks(ds, v, &chunks);

    if (rc == NC_NOERR && chunks.n > 0)
        rc = ncz_engine_widen_stored(ds->engine, v->spec, chunks.index, chunks.n);
    ncz_stored_chunks_clear(&chunks);
    return rc;
}

/* ---- processes that store chunks of strings -------------------------------------------------------------------- */

/* Takes a larger width over, and gives it to the chunks that were stored with the old one, a moment ago perhaps. */
static int
follow_and_spread(ncz_dataset *ds, ncz_var *v)
{
    ncz_spec *old = ncz_spec_ref(v->spec);
    size_t    width = v->dtype.size;
    int       rc = ncz_width_follow(ds, v);

    if (rc == NC_NOERR && atomic_load(&old->stored) && v->dtype.size > width &&
        (rc = ncz_width_spread(ds, v)) != NC_NOERR)
        atomic_store(&v->spec->stored, true);
    ncz_spec_unref(old);
    return rc;
}

/* After a flush, and evictions before it: what was stored with an older width gets the one in the store. */
static int
settle_width(ncz_dataset *ds, ncz_var *v)
{
    ncz_spec *spec = ncz_spec_ref(v->spec);
    int       rc = NC_NOERR;

    if (atomic_load(&spec->stored) && (rc = follow_and_spread(ds, v)) == NC_NOERR)
        atomic_store(&spec->stored, false);
    ncz_spec_unref(spec);
    return rc;
}

int
ncz_dataset_follow_widths(ncz_dataset *ds)
{
    return each_followed(ds, 0, follow_and_spread);
}

static int
prepare_width(ncz_dataset *ds, ncz_var *v)
{
    return ncz_engine_dirty_of(ds->engine, v->uid) ? follow_and_spread(ds, v) : NC_NOERR;
}

int
ncz_dataset_flush_chunks(ncz_dataset *ds, uint64_t uid)
{
    enum { TRIES = 16 };
    int rc = NC_NOERR, tries = 0;

    if (!ncz_dataset_has_followed(ds))
        return ncz_engine_flush(ds->engine, uid);
    ncz_engine_pause(ds->engine);
    do {
        if ((rc = each_followed(ds, uid, prepare_width)) == NC_NOERR)
            rc = ncz_engine_flush(ds->engine, uid);
        /* A chunk that was written in part may be wider by now, and could not be merged. */
    } while (rc != NC_NOERR && ++tries < TRIES && ncz_dataset_widths_are_old(ds, rc));
    if (rc == NC_NOERR)
        rc = each_followed(ds, uid, settle_width);
    ncz_engine_resume(ds->engine);
    return rc;
}
