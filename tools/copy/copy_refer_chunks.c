/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_refer_chunks.c: the references to chunks, from the addresses that the library has of them: no chunk is read.
 * Several files are looked at side by side; what they give is written in their order.
 */
#include "copy_int.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_WRITTEN = 1 << 20, TEXT_MOST = 16 << 20 };

/* A part of a variable that is in one file. */
typedef struct job {
    const copy_var        *v;
    const copy_refer_part *part;
} job;

typedef struct refer {
    job              *jobs;  /* by file, */
    size_t           *first; /* ... of each the first, and the end */
    copy_state       *r;
    copy_refer_files *f;
    copy_refer_out   *out;
    nczarr_map       *to;
    pthread_mutex_t   lock; /* of what is below, and of the output */
    pthread_cond_t    turned;
    size_t            next, turn;
    int               rc;
} refer;

/* What one thread has of a file. */
typedef struct worker {
    refer           *all;
    copy_refer_file *file;
    size_t           i; /* its number */
    text_buf         text;
    text_buf         url, other; /* the file as the set has it; another place */
    size_t           references;

    /* The present variable, and the part of it that is in the file. */
    const copy_var        *v;
    const copy_refer_part *part;
    int                    grp, varid;
    bool                   masks;
    text_buf               prefix; /* of its chunks' keys */
    size_t                *index;
} worker;

/* ---- text ---- */

/* Writes the text if it is long, in the file's turn. */
static int
flush_text(worker *w, size_t most)
{
    refer *a = w->all;
    int    rc = NC_NOERR;

    if (w->text.len <= most)
        return NC_NOERR;
    (void)pthread_mutex_lock(&a->lock);
    while (a->turn != w->i && a->rc == NC_NOERR && (most == 0 || w->text.len > TEXT_MOST))
        (void)pthread_cond_wait(&a->turned, &a->lock);
    if (a->rc != NC_NOERR)
        rc = a->rc;
    else if (a->turn == w->i)
        rc = copy_refer_write(a->out, &w->text);
    (void)pthread_mutex_unlock(&a->lock);
    return rc;
}

/* The key of the chunk of the set with the worker's index. */
static void
add_key(worker *w)
{
    copy_refer_chunk_key(&w->text, &w->prefix, w->index, w->v->rank);
}

/* ---- one chunk ---- */

/* Bytes that are in the set itself. `len` NCZARR_MAP_WHOLE: the whole object. */
static int
put_bytes(worker *w, const char *from, unsigned long long off, unsigned long long len)
{
    void  *data = NULL;
    size_t n = (size_t)len;
    int    rc;

    if (len == NCZARR_MAP_WHOLE) {
        rc = nczarr_map_get(w->file->map, from, &data, &n);
    } else {
        data = memory_alloc(n, 1);
        rc = nczarr_map_read(w->file->map, from, off, n, data);
    }
    if (rc == NC_NOERR) {
        add_key(w);
        copy_refer_bytes(&w->text, data, n);
    }
    free(data);
    if (rc != NC_NOERR)
        return message_fail(rc, w->v->path);
    return NC_NOERR;
}

/* A range of the file itself, or of something else. */
static void
put_range(worker *w, const text_buf *quoted, unsigned long long off, unsigned long long len)
{
    add_key(w);
    copy_refer_range(&w->text, quoted, off, len);
    w->references++;
}

static int
put_other(worker *w, const char *url, unsigned long long off, unsigned long long len)
{
    int rc = copy_refer_quote(&w->other, url);

    if (rc == NC_NOERR)
        put_range(w, &w->other, off, len);
    return rc;
}

/* A chunk at a place that the source's own map refers to. */
static int
put_place(worker *w, const char *from, unsigned long long off, unsigned long long len)
{
    unsigned long long start, length;
    char              *place = NULL, *url;
    int                rc = nczarr_map_place(w->file->map, from, &place, &start, &length);

    if (rc != NC_NOERR)
        return message_fail(rc, w->v->path);
    if (place == NULL)
        return put_bytes(w, from, off, len);
    if (len != NCZARR_MAP_WHOLE) { /* a part of the object */
        start = length == NCZARR_MAP_WHOLE ? off : start + off;
        length = len;
    }
    url = copy_refer_url(w->all->f, place);
    rc = put_other(w, url, start, length);
    free(url);
    free(place);
    return rc;
}

/* The chunk at the worker's index is `len` bytes of the object `from`. */
static int
put_chunk(worker *w, const char *from, unsigned long long off, unsigned long long len)
{
    char *url;
    int   rc = NC_NOERR;

    atomic_fetch_add(&w->v->refer->stored, 1);
    if (len != NCZARR_MAP_WHOLE && len <= w->all->r->o->inlined)
        return put_bytes(w, from, off, len);
    if (w->file->set) {
        rc = put_place(w, from, off, len);
    } else if (w->file->one) {
        put_range(w, &w->url, off, len);
    } else {
        url = memory_textf("%s%s", w->file->url, from);
        rc = put_other(w, url, off, len);
        free(url);
    }
    return rc == NC_NOERR ? flush_text(w, TEXT_WRITTEN) : rc;
}

/* A chunk that skips filters: its values are encoded anew, and are in the set. */
static int
put_values(worker *w)
{
    atomic_fetch_add(&w->v->refer->stored, 1);
    return copy_unit_values(w->all->r, w->v, w->v->chunk_out, w->all->to, w->index);
}

static int
each_chunk(const size_t *index, const char *key, unsigned long long off, unsigned long long len, void *arg)
{
    worker         *w = arg;
    const copy_var *v = w->v;
    unsigned        mask = 0;
    int             rc;

    for (int d = 0; d < v->rank; d++) {
        if (index[d] * v->chunk_out[d] >= w->part->count[d])
            return 0; /* beyond the part */
        w->index[d] = index[d] + w->part->start[d] / v->chunk_out[d];
    }
    if (!copy_part_index(v, v->chunk_out, w->index))
        return 0;
    if (w->masks && (rc = nczarr_inq_var_chunk_mask(w->grp, w->varid, index, &mask)) != NC_NOERR)
        return message_fail(rc, v->path);
    return mask != 0 ? put_values(w) : put_chunk(w, key, off, len);
}

/* ---- one variable of one file ---- */

/* Of a part that is one range, or one for each record. */
static int
put_ranges(worker *w)
{
    const copy_var    *v = w->v;
    size_t            *zero = memory_alloc((size_t)v->rank, sizeof *zero), n = 1;
    unsigned long long off = 0, len = 0, pitch = 0, have = 0, row = strtoull(v->refer->dtype + 2, NULL, 10), chunk;
    int                rc;

    for (int d = 1; d < v->rank; d++)
        row *= v->chunk_out[d];
    chunk = v->rank > 0 ? row * v->chunk_out[0] : row;
    if ((rc = nczarr_inq_var_chunk_key(w->grp, w->varid, zero, NULL, NULL, &off, &len)) != NC_NOERR ||
        (rc = copy_refer_pitch(w->grp, w->varid, row, &pitch)) != NC_NOERR ||
        (rc = nczarr_map_len(w->file->map, "", &have)) != NC_NOERR)
        (void)message_fail(rc, v->path);
    if (v->rank > 0)
        n = w->part->count[0] / v->chunk_out[0];
    for (size_t i = 0; rc == NC_NOERR && len > 0 && i < n; i++) {
        unsigned long long at = off + i * pitch * (v->rank > 0 ? v->chunk_out[0] : 1);

        for (int d = 0; d < v->rank; d++)
            w->index[d] = w->part->start[d] / v->chunk_out[d] + (d == 0 ? i : 0);
        if (!copy_part_index(v, v->chunk_out, w->index))
            continue;
        if (at + chunk > have) {
            message_print("%s: %s ends before its values do: without --references they are copied, as missing",
                          w->file->path, v->path);
            rc = NC_ETRUNC;
        } else {
            rc = put_chunk(w, "", at, chunk);
        }
    }
    free(zero);
    return rc;
}

/* Chunks of all files have to be encoded as those of the first. */
static int
check_encoding(const worker *w)
{
    const copy_refer *r = w->v->refer;
    char             *text;
    int               storage = NC_CONTIGUOUS;
    bool              same;

    if (r->nparts < 2)
        return NC_NOERR;
    text = var_text(r->ranges ? nczarr_inq_var_dtype : nczarr_inq_var_encoding, w->grp, w->varid);
    if (r->ranges)
        (void)nc_inq_var_chunking(w->grp, w->varid, &storage, NULL);
    same = text != NULL && storage == NC_CONTIGUOUS && strcmp(text, r->ranges ? r->dtype : r->encoding) == 0;
    free(text);
    if (same)
        return NC_NOERR;
    return message_error(
        NC_ENOTBUILT,
        "%s: %s is stored in other chunks, or by another encoding, than in the first file, so they cannot be "
        "one array: -V leaves it out, and without --references the values are copied",
        w->file->path, w->v->path);
}

static int
put_part(worker *w)
{
    size_t filters = 0;
    int    rc = group_find_var(w->file->ncid, w->part->name, &w->grp, &w->varid);

    if (rc != NC_NOERR)
        return message_fail(rc, w->file->path);
    if ((rc = check_encoding(w)) != NC_NOERR)
        return rc;
    if (w->v->refer->ranges)
        return put_ranges(w);
    (void)nc_inq_var_filter_ids(w->grp, w->varid, &filters, NULL);
    w->masks = w->file->one && filters > 0;
    return nczarr_list_var_chunks(w->grp, w->varid, each_chunk, w);
}

static int
put_file(worker *w)
{
    const refer *a = w->all;
    int          rc = NC_NOERR;

    if (w->file->one && w->file->url != NULL)
        rc = copy_refer_quote(&w->url, w->file->url);
    for (size_t k = a->first[w->i]; k < a->first[w->i + 1] && rc == NC_NOERR; k++) {
        w->v = a->jobs[k].v;
        w->part = a->jobs[k].part;
        copy_refer_prefix(&w->prefix, w->v->path + 1);
        w->index = memory_alloc((size_t)w->v->rank, sizeof *w->index);
        if ((rc = copy_check_interrupt()) == NC_NOERR)
            rc = put_part(w);
        free(w->index);
    }
    return rc;
}

/* ---- all files ---- */

/* Counts the jobs of each file (`fill` false), or fills them in. */
static void
visit_parts(refer *a, size_t *at, bool fill)
{
    const copy_source *s = a->r->s;

    for (size_t k = 0; k < s->nvars; k++) {
        const copy_refer *r = s->vars[k].refer;

        for (size_t p = 0; p < r->nparts && s->vars[k].data && !r->inlined; p++) {
            size_t i = r->parts[p].file;

            if (i == COPY_NOWHERE)
                continue;
            if (fill)
                a->jobs[at[i]] = (job){.v = &s->vars[k], .part = &r->parts[p]};
            at[i]++;
        }
    }
}

static void
list_jobs(refer *a)
{
    size_t  n = a->f->n;
    size_t *at = memory_alloc(n + 1, sizeof *at);

    a->first = memory_alloc(n + 1, sizeof *a->first);
    visit_parts(a, at, false);
    for (size_t i = 0; i < n; i++) {
        a->first[i + 1] = a->first[i] + at[i];
        at[i] = a->first[i];
    }
    a->jobs = memory_alloc(a->first[n] + 1, sizeof *a->jobs);
    visit_parts(a, at, true);
    free(at);
}

static int
run_file(refer *a, size_t i)
{
    worker w = {.all = a, .file = &a->f->v[i], .i = i};
    bool   open = w.file->ncid >= 0;
    int    rc = NC_NOERR;

    if (a->first[i] < a->first[i + 1]) {
        if (!open)
            rc = copy_refer_file_open(a->f, w.file, -1);
        if (rc == NC_NOERR && w.file->why != NULL) {
            message_print("%s: %s", w.file->path, w.file->why);
            rc = NC_ENOTBUILT;
        }
        if (rc == NC_NOERR)
            rc = put_file(&w);
        if (!open)
            copy_refer_file_close(w.file);
    }
    if (rc == NC_NOERR)
        rc = flush_text(&w, 0);
    (void)pthread_mutex_lock(&a->lock);
    while (rc == NC_NOERR && a->turn != i && a->rc == NC_NOERR)
        (void)pthread_cond_wait(&a->turned, &a->lock);
    if (rc != NC_NOERR && a->rc == NC_NOERR)
        a->rc = rc;
    a->turn = i + 1;
    a->out->references += w.references;
    (void)pthread_cond_broadcast(&a->turned);
    (void)pthread_mutex_unlock(&a->lock);
    text_clear(&w.text);
    text_clear(&w.url);
    text_clear(&w.other);
    text_clear(&w.prefix);
    return rc;
}

static void *
run_files(void *arg)
{
    refer *a = arg;

    for (;;) {
        size_t i;
        bool   more;

        (void)pthread_mutex_lock(&a->lock);
        i = a->next++;
        more = i < a->f->n && a->rc == NC_NOERR;
        (void)pthread_mutex_unlock(&a->lock);
        if (!more)
            return NULL;
        (void)run_file(a, i);
    }
}

int
copy_refer_chunks(copy_state *r, copy_refer_files *f, copy_refer_out *out)
{
    enum { THREADS = 32 };
    refer     a = {.r = r, .f = f, .out = out};
    pthread_t threads[THREADS];
    size_t    n = 0, most = ncz_sys_cpus();

    if (pthread_mutex_init(&a.lock, NULL) != 0 || pthread_cond_init(&a.turned, NULL) != 0)
        return NC_ENOMEM;
    list_jobs(&a);
    most = most < f->n ? most : f->n;
    for (; n + 1 < most && n < THREADS; n++)
        if (ncz_sys_thread_start(&threads[n], run_files, &a) != 0)
            break;
    (void)run_files(&a);
    for (size_t i = 0; i < n; i++)
        (void)pthread_join(threads[i], NULL);
    (void)pthread_cond_destroy(&a.turned);
    (void)pthread_mutex_destroy(&a.lock);
    free(a.jobs);
    free(a.first);
    return a.rc;
}
