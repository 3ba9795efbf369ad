/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * docs: where a format gets its documents from: the map (docs_get.c), or the one consolidated document that holds
 * copies of all (copies.c). Each is asked for once, parsed where it arrives (on the workers, some nodes at a time, or
 * as a batch map hands it over), given to the format (hand.c), and let go of.
 */
#include "dataset/docs_int.h"

/* Nodes that one task fetches at most, so that what a reader of JSON needs is made once for them; and tasks for each
 * thread, so that all end at the same time. */
#define RUN_MOST 64
#define TASKS    8

/* ---- fetching ---- */

/* The requests of one task. */
static void
fetch_run(void *arg, size_t run, ncz_scratch *scratch)
{
    const ncz_fetching *f = arg;
    size_t              lo = run * f->run, hi = f->n - lo < f->run ? f->n : lo + f->run;
    ncz_buf             bodies[NCZ_DOCS_MOST];
    ncz_hand            h;
    int                 rc = ncz_hand_init(&h);

    (void)scratch;
    for (size_t k = 0; k < NCZ_DOCS_MOST; k++)
        bodies[k] = NCZ_BUF_LIMIT(f->s->limits->document_bytes);
    for (size_t i = lo; i < hi; i++) {
        if (rc != NC_NOERR) {
            ncz_docs_fail(f, i);
            continue;
        }
        ncz_hand_reset(&h);
        if (f->s->metadata != NULL)
            ncz_copies_answer(f, &h, i);
        else
            ncz_docs_get(f, &h, bodies, i);
        f->each(f->arg, i, h.got);
    }
    for (size_t k = 0; k < NCZ_DOCS_MOST; k++)
        ncz_buf_clear(&bodies[k]);
    ncz_hand_clear(&h);
}

static int
fetch(void *arg, const ncz_docs_req *reqs, size_t n, ncz_docs_fn each, void *each_arg)
{
    ncz_source  *s = arg;
    ncz_fetching f = {.s = s, .reqs = reqs, .n = n, .each = each, .arg = each_arg};
    bool         begun = s->begun;

    s->begun = true;
    if (s->metadata == NULL && !begun)
        return ncz_docs_get_root(&f);
    if (s->metadata == NULL && (zmap_caps_of(s->map) & ZMAP_FROM_WORKERS) == 0)
        return ncz_docs_get_all(&f);
    f.run = n / (ncz_pool_threads() * (size_t)TASKS) + 1;
    if (f.run > RUN_MOST)
        f.run = RUN_MOST;
    ncz_pool_each((n + f.run - 1) / f.run, SIZE_MAX, fetch_run, &f);
    return NC_NOERR;
}

static int
list_map(void *arg, const char *prefix, int (*each)(const char *name, bool leaf, void *arg), void *each_arg)
{
    ncz_source *s = arg;

    return zmap_list(s->map, prefix, each, each_arg);
}

/* ---- the source ---- */

int
ncz_source_init(ncz_source *s, zmap *map, const ncz_limits *limits, ncz_copies copies, ncz_stored *stored)
{
    int rc;

    *s = (ncz_source){.map = map, .limits = limits, .wish = copies, .stored = stored, .body = NCZ_BUF_INIT};
    atomic_init(&s->unsound, false);
    if ((rc = pthread_mutex_init(&s->lock, NULL)) != 0) {
        s->map = NULL;
        return ncz_fail_errno(rc, "making a lock");
    }
    return copies == NCZ_COPIES_USE || copies == NCZ_COPIES_MUST ? ncz_copies_init(s) : NC_NOERR;
}

ncz_docs
ncz_source_docs(ncz_source *s)
{
    bool can_list = s->metadata != NULL || (zmap_caps_of(s->map) & ZMAP_CAN_LIST) != 0;

    return (ncz_docs){.arg = s,
                      .fetch = fetch,
                      .list = !can_list             ? NULL
                              : s->metadata != NULL ? ncz_copies_list
                                                    : list_map};
}

void
ncz_source_clear(ncz_source *s)
{
    if (s->map == NULL)
        return;
    ncz_copies_clear(s);
    (void)pthread_mutex_destroy(&s->lock);
    s->map = NULL;
}
