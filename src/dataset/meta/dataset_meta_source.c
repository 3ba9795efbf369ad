/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_meta_source: the format's source of documents: the store (dataset_meta_from_store.c), or the consolidated
 * document, which holds copies of all (dataset_consolidated.c). Each document is requested once, parsed where it
 * arrives (on the workers, some nodes at a time, or as a store that takes batches delivers it), passed to the format
 * (dataset_doc_parse.c), and freed.
 */
#include "dataset/meta/meta_source_int.h"

/* The most nodes of one task, which share one JSON reader; and the tasks per thread, enough that all threads end at
 * about the same time. */
#define RUN_MOST 16
#define TASKS    32

/* ---- fetching ---- */

/* Fetches the requests of one task. */
static void
fetch_run(void *arg, size_t run, ncz_scratch *scratch)
{
    const ncz_meta_fetch *f = arg;
    size_t                lo = run * f->run, hi = f->n - lo < f->run ? f->n : lo + f->run;
    ncz_buf               bodies[NCZ_DOCS_MOST];
    zmap_get_req          gets[NCZ_DOCS_MOST];
    size_t                n;
    ncz_doc_set           h;
    int                   rc = ncz_doc_set_init(&h);

    (void)scratch;
    for (size_t k = 0; k < NCZ_DOCS_MOST; k++)
        bodies[k] = NCZ_BUF_LIMIT(f->s->limits->document_bytes);
    for (size_t i = lo; i < hi; i++) {
        if (rc != NC_NOERR) {
            ncz_meta_fail(f, i);
            continue;
        }
        ncz_doc_set_reset(&h);
        if (f->s->metadata != NULL && f->reqs[i].as == NCZ_DOCS_JSON) {
            ncz_consolidated_answer(f, &h, i);
        } else {
            n = ncz_meta_ask(f, i, bodies, gets);
            (void)zmap_get_batch(f->s->map, gets, n, NULL, NULL); /* each request has its own status */
            ncz_meta_take(f, i, &h, gets, bodies);
        }
        f->each(f->arg, i, h.got);
    }
    for (size_t k = 0; k < NCZ_DOCS_MOST; k++)
        ncz_buf_clear(&bodies[k]);
    ncz_doc_set_clear(&h);
}

static int
fetch_documents(void *arg, const ncz_docs_req *reqs, size_t n, ncz_docs_fn each, void *each_arg)
{
    ncz_meta_source *s = arg;
    ncz_meta_fetch   f = {.s = s, .reqs = reqs, .n = n, .each = each, .arg = each_arg};
    bool             begun = s->begun;

    s->begun = true;
    /* The first call requests the root's documents, which may need two steps. */
    if ((s->metadata == NULL || s->inside != NULL) && !begun)
        return ncz_meta_get_root(&f);
    if (s->metadata == NULL && (zmap_caps_of(s->map) & ZMAP_FROM_WORKERS) == 0)
        return ncz_meta_get_all(&f);
    f.run = n / (ncz_pool_threads() * (size_t)TASKS) + 1;
    if (f.run > RUN_MOST)
        f.run = RUN_MOST;
    if (n <= f.run)
        fetch_run(&f, 0, NULL);
    else
        ncz_pool_each((n + f.run - 1) / f.run, SIZE_MAX, fetch_run, &f);
    return NC_NOERR;
}

static int
read_object(void *arg, const ncz_read_range *ranges, size_t n)
{
    ncz_meta_source *s = arg;

    return zmap_get_ranges(s->map, "", ranges, n);
}

static int
list_map(void *arg, const char *prefix, int (*each)(const char *name, bool leaf, void *arg), void *each_arg)
{
    ncz_meta_source *s = arg;

    return zmap_list_names(s->map, prefix, each, each_arg);
}

/* ---- the source ---- */

int
ncz_meta_source_init(ncz_meta_source *s, zmap *map, const ncz_limits *limits, ncz_consolidated copies,
                     int zarr_format, ncz_doc_cache *stored, ncz_texts *warnings)
{
    bool one = (zmap_caps_of(map) & ZMAP_SINGLE) != 0; /* there are no documents */
    int  rc;

    copies = one ? NCZ_CONSOLIDATED_IGNORE : copies;
    *s = (ncz_meta_source){.map = map,
                           .limits = limits,
                           .wish = copies,
                           .stored = stored,
                           .warnings = warnings,
                           .begun = one,
                           .root = NCZ_BUF_INIT,
                           .body = NCZ_BUF_INIT};
    atomic_init(&s->unsound, false);
    if ((rc = pthread_mutex_init(&s->lock, NULL)) != 0) {
        s->map = NULL;
        return ncz_fail_errno(rc, "making a lock"); /* not covered: glibc makes every mutex */
    }
    return copies == NCZ_CONSOLIDATED_USE || copies == NCZ_CONSOLIDATED_MUST ? ncz_consolidated_init(s, zarr_format)
                                                                             : NC_NOERR;
}

ncz_docs
ncz_meta_source_docs(ncz_meta_source *s)
{
    bool can_list = s->metadata != NULL || (zmap_caps_of(s->map) & ZMAP_CAN_LIST) != 0;

    return (ncz_docs){.arg = s,
                      .one_object = (zmap_caps_of(s->map) & ZMAP_SINGLE) != 0,
                      .far = (zmap_caps_of(s->map) & ZMAP_FROM_WORKERS) == 0,
                      .fetch = fetch_documents,
                      .read = read_object,
                      .list = !can_list             ? NULL
                              : s->metadata != NULL ? ncz_consolidated_list
                                                    : list_map};
}

void
ncz_meta_source_clear(ncz_meta_source *s)
{
    if (s->map == NULL)
        return;
    ncz_consolidated_clear(s);
    ncz_buf_clear(&s->root);
    (void)pthread_mutex_destroy(&s->lock);
    s->map = NULL;
}
