/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_narrow: chunks of fixed-width strings that are narrower than their array says. The width of an array may grow
 * (dataset_widen.c), and a process that has not seen it grow stores its chunks at the width that it knows. Such a chunk
 * has as many elements as the array's chunks and a smaller width, which its decoded length tells. It is read as if
 * each of its strings ended in so many more NULs.
 *
 * In an array that was never widened no chunk is narrower, and a shorter one has lost its end: an error, as for other
 * types. In another one a string never has bytes after its first NUL. Of a chunk that lost its end, and has such a
 * length by chance, most strings do.
 */
#include "chunk/chunk_narrow.h"

#include <string.h>

bool
ncz_chunk_may_be_narrow(const ncz_spec *spec)
{
    return spec->dtype.kind == NCZ_KIND_BYTES && spec->type->class == NCZ_TYPE_STRING && spec->chunk_nelems > 0 &&
           (spec->earlier.n > 0 || spec->earlier.any);
}

/* The width of a chunk of so many bytes; 0: it is not a narrower one. */
static size_t
width_of(const ncz_spec *spec, size_t nbytes)
{
    size_t width = nbytes < spec->chunk_bytes && nbytes % spec->chunk_nelems == 0 ? nbytes / spec->chunk_nelems : 0;

    return width > 0 && ncz_widths_has(&spec->earlier, width) ? width : 0;
}

static bool
is_padded(const char *s, size_t width)
{
    const char *end = memchr(s, '\0', width);

    while (end != NULL && end < s + width && *end == '\0')
        end++;
    return end == NULL || end == s + width;
}

/* Moves strings of `width` bytes apart, from the last one on; `to` may be where they are. False: no such strings. */
static bool
spread_strings(const char *from, size_t width, char *to, size_t wider, size_t n)
{
    for (size_t i = n; i-- > 0;) {
        if (!is_padded(from + i * width, width))
            return false;
        memmove(to + i * wider, from + i * width, width);
        memset(to + i * wider + width, 0, wider - width);
    }
    return true;
}

/* Once for each dataset. */
static void
log_narrow(ncz_engine *e, const ncz_spec *spec, const char *key, size_t width)
{
    if (!atomic_exchange(&e->narrow_told, true))
        ncz_log(NCZ_LOG_WARN,
                "%s: is read as strings of %zu bytes, though its array has %zu: a process has stored it that did not "
                "know of the longer ones, or its end is lost",
                key, width, spec->dtype.size);
}

int
ncz_chunk_spread_narrow(ncz_engine *e, const ncz_spec *spec, const char *key, size_t nbytes, char *data)
{
    size_t width = ncz_chunk_may_be_narrow(spec) ? width_of(spec, nbytes) : 0;

    if (width == 0 || !spread_strings(data, width, data, spec->dtype.size, spec->chunk_nelems))
        return ncz_fail(NC_ETRUNC, "%s: %zu bytes, but its chunk has %zu", key, nbytes, spec->chunk_bytes);
    log_narrow(e, spec, key, width);
    return NC_NOERR;
}

/* Decodes strings of `width` bytes with the codecs that the array had for them. */
static int
decode_at_width(const ncz_spec *spec, size_t width, ncz_scratch *scratch, const void *bytes, size_t n, char *narrow)
{
    ncz_array_type type = ncz_spec_array_type(spec);
    ncz_chain     *fitted = NULL, *chain = NULL;
    int            rc;

    type.dtype.size = width;
    type.chunk_bytes = width * spec->chunk_nelems;
    type.fill = NULL;
    if ((rc = ncz_chain_fit_width(spec->chain, &type, &fitted)) == NC_NOERR &&
        (rc = ncz_chain_retype(fitted, &type, &chain)) == NC_NOERR)
        rc = ncz_chain_decode(chain, scratch, bytes, n, narrow, type.chunk_bytes, false);
    ncz_chain_unref(chain);
    ncz_chain_unref(fitted);
    return rc;
}

int
ncz_chunk_decode_narrow(ncz_engine *e, const ncz_spec *spec, const char *key, ncz_scratch *scratch, const void *bytes,
                        size_t n, char *to)
{
    size_t  len = 0, width = 0;
    char   *narrow = NULL;
    ncz_err first;
    int     rc;

    ncz_err_save(&first, NC_EFILTER);
    if (!ncz_chunk_may_be_narrow(spec) || spec->chain == NULL)
        return NC_EFILTER;
    if ((rc = ncz_chain_decoded_len(spec->chain, scratch, bytes, n, spec->chunk_bytes, &len)) == NC_NOERR &&
        (width = width_of(spec, len)) > 0) {
        if ((narrow = ncz_alloc(len)) == NULL)
            return ncz_fail_nomem(len);
        if ((rc = decode_at_width(spec, width, scratch, bytes, n, narrow)) == NC_NOERR &&
            !spread_strings(narrow, width, to, spec->dtype.size, spec->chunk_nelems))
            width = 0;
        ncz_free(narrow);
    }
    if (rc == NC_ENOMEM)
        return rc;
    if (rc != NC_NOERR || width == 0)
        return ncz_err_adopt(&first);
    log_narrow(e, spec, key, width);
    return NC_NOERR;
}

/* ---- the strings of an array get longer ------------------------------------------------------------------------ */

/* The dirty chunks of a variable, and memory for each at the new width. */
typedef struct wider {
    ncz_chunk **chunk;
    char      **data;
    size_t      n;
} wider;

static void
clear_wider(wider *w)
{
    for (size_t i = 0; w->data != NULL && i < w->n; i++)
        ncz_free(w->data[i]);
    ncz_free(w->chunk);
    ncz_free(w->data);
}

/* Waits until no thread uses a chunk of the variable, and drops those that need no storing. */
static void
drop_clean_chunks(ncz_engine *e, uint64_t uid)
{
    bool busy;

    do {
        ncz_chunk *chunk = ncz_chunk_next(&e->cache, NULL), *next;

        busy = false;
        for (; chunk != NULL; chunk = next) {
            next = ncz_chunk_next(&e->cache, chunk);
            if (chunk->spec->uid != uid)
                continue;
            if (ncz_chunk_busy(chunk))
                busy = true;
            else if (chunk->state != NCZ_CHUNK_DIRTY)
                ncz_chunk_drop(&e->cache, chunk);
        }
        if (busy)
            (void)pthread_cond_wait(&e->changed, &e->lock);
    } while (busy);
}

static int
make_wider(const ncz_engine *e, const ncz_spec *spec, wider *w)
{
    size_t most = e->cache.nunstored;

    *w = (wider){.chunk = ncz_alloc_n(most, sizeof(ncz_chunk *)), .data = ncz_alloc_n(most, sizeof(char *))};
    if (w->chunk == NULL || w->data == NULL)
        return ncz_fail_nomem(most * sizeof(char *));
    for (ncz_chunk *c = ncz_chunk_next(&e->cache, NULL); c != NULL; c = ncz_chunk_next(&e->cache, c)) {
        if (c->spec->uid != spec->uid)
            continue;
        w->chunk[w->n] = c;
        w->data[w->n++] = NULL;
        if (c->data != NULL && (w->data[w->n - 1] = ncz_alloc(spec->chunk_bytes)) == NULL)
            return ncz_fail_nomem(spec->chunk_bytes);
    }
    return NC_NOERR;
}

static void
swap_in(ncz_engine *e, ncz_spec *spec, ncz_chunk *chunk, char *data)
{
    size_t from = chunk->spec->dtype.size, to = spec->dtype.size;

    for (size_t i = 0; data != NULL && i < spec->chunk_nelems; i++) {
        memcpy(data + i * to, chunk->data + i * from, from);
        memset(data + i * to + from, 0, to - from);
    }
    ncz_chunk_set_data(&e->cache, chunk, NULL);
    ncz_spec_unref(chunk->spec);
    chunk->spec = ncz_spec_ref(spec);
    ncz_chunk_set_data(&e->cache, chunk, data);
}

int
ncz_engine_widen(ncz_engine *e, ncz_spec *spec)
{
    wider w = {.n = 0};
    int   rc = NC_NOERR;

    (void)pthread_mutex_lock(&e->lock);
    ncz_chunk_forget_streams(e, spec->uid);
    drop_clean_chunks(e, spec->uid);
    if (e->cache.nunstored > 0)
        rc = make_wider(e, spec, &w);
    for (size_t i = 0; rc == NC_NOERR && i < w.n; i++) {
        swap_in(e, spec, w.chunk[i], w.data[i]);
        w.data[i] = NULL;
    }
    (void)pthread_mutex_unlock(&e->lock);
    clear_wider(&w);
    return rc;
}

bool
ncz_engine_dirty_of(ncz_engine *e, uint64_t uid)
{
    bool found = false;

    (void)pthread_mutex_lock(&e->lock);
    for (const ncz_chunk_link *l = e->cache.dirty.next; !found && l != &e->cache.dirty; l = l->next)
        found = ncz_chunk_from_link((ncz_chunk_link *)(uintptr_t)l)->spec->uid == uid;
    found = found || (e->queue.len > 0 && uid >= e->queue.first && uid <= e->queue.last);
    (void)pthread_mutex_unlock(&e->lock);
    return found;
}

/* ---- a stored chunk -------------------------------------------------------------------------------------------- */

int
ncz_chunk_widen(ncz_engine *e, const ncz_spec *spec, const char *key, ncz_scratch *scratch, const void *bytes,
                size_t n, char *to, bool *narrow)
{
    int rc = NC_NOERR;

    if (spec->chain == NULL) {
        if ((*narrow = width_of(spec, n) > 0)) {
            memcpy(to, bytes, n);
            rc = ncz_chunk_spread_narrow(e, spec, key, n, to);
        }
    } else {
        rc = ncz_chain_decode(spec->chain, scratch, bytes, n, to, spec->chunk_bytes, false);
        if ((*narrow = rc == NC_EFILTER))
            rc = ncz_chunk_decode_narrow(e, spec, key, scratch, bytes, n, to);
    }
    if (rc != NC_EFILTER && rc != NC_ETRUNC)
        return rc;
    *narrow = false;
    ncz_log(NCZ_LOG_INFO, "%s stays as it is: %s", key, ncz_err_text());
    ncz_err_clear();
    return NC_NOERR;
}
