/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding a reference, and get of the store of references. A batch goes in these steps:
 *
 *  1. let the finder prepare; find each request's reference; answer those that need no other store
 *  2. sort the others by store, and by object and place in it where the store's requests are merged
 *  3. make runs: ranges of one object that are close together are one request
 *  4. get the runs of each store in one batch, all stores at the same time; cut each request's bytes out of its run
 *
 * Requests of one key that follow each other stay so, with one key pointer: they are answered from one version.
 */
#include "references/references_int.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A request that another store answers. */
typedef struct part {
    zmap_get_req *req; /* the caller's */
    ncz_found     ref;
    zmap_get_req  own;    /* the request of the other store, if it is alone */
    size_t        at;     /* its place in the batch */
    bool          merges; /* with others */
} part;

/* One request of another store, which brings the bytes of several parts. */
typedef struct run {
    part    *parts;
    size_t   n;
    uint64_t off, end; /* with several parts: the range of them all */
} run;

typedef struct getting {
    const references_map *s;
    zmap_done_fn          done; /* the caller's */
    void                 *arg;
    ncz_arena             room;      /* of what was found */
    pthread_mutex_t       answering; /* `done` is not called twice at once */
    part                 *parts;
    size_t                nparts;
    run                  *runs;
    zmap_get_req         *reqs; /* of the runs */
    size_t                nruns;
    size_t               *groups; /* the first run of each store; then nruns */
    size_t                ngroups;
} getting;

/* ---- one request ----------------------------------------------------------------------------------------------- */

/* An absent object here must not look like a chunk that was never written. */
int
ncz_references_fail(const char *key, const ncz_found *ref, const ncz_err *err)
{
    if (err->code == NC_EEMPTY)
        return ncz_fail(NC_ENOOBJECT, "%s: refers to \"%s\" of the %s store, which has no such object", key,
                        ref->object, zmap_name(ref->store));
    return ncz_fail(err->code, "%s: refers to \"%s\" of the %s store: %s", key, ref->object, zmap_name(ref->store),
                    err->text);
}

/*
 * A file's version is its device, inode, size and time in hexadecimal (zmap_file_stamp()); Rust's object_store, which
 * makes such references, says inode, microseconds and size of a file.
 */
static bool
is_file_tag(const char *etag, size_t len, const char *version)
{
    unsigned long long dev, inode, size, sec;
    unsigned long      nsec;
    char               text[ZMAP_VERSION];

    if (sscanf(version, "%llx.%llx.%llx.%llx.%lx", &dev, &inode, &size, &sec, &nsec) != 5)
        return false;
    snprintf(text, sizeof text, "%llx-%llx-%llx", inode, sec * 1000000 + nsec / 1000, size);
    return strlen(text) == len && memcmp(text, etag, len) == 0;
}

/* An ETag without what may stand around it. */
static const char *
bare_etag(const char *etag, size_t *len)
{
    if (strncmp(etag, "W/", 2) == 0)
        etag += 2;
    *len = strlen(etag);
    if (*len >= 2 && etag[0] == '"' && etag[*len - 1] == '"') {
        etag++;
        *len -= 2;
    }
    return etag;
}

static bool
is_version(const char *etag, const char *version)
{
    size_t      n, len;
    const char *want = bare_etag(etag, &n), *have = bare_etag(version, &len);

    return (n == len && memcmp(want, have, n) == 0) || is_file_tag(want, n, have);
}

int
ncz_references_check_version(const char *key, const ncz_found *ref, const zmap_get_req *answer)
{
    if (ref->etag != NULL && answer->version[0] != '\0' && !is_version(ref->etag, answer->version))
        return ncz_fail(NC_EIO,
                        "%s: refers to \"%s\" of the %s store as of another version: it has been replaced since", key,
                        ref->object, zmap_name(ref->store));
    if (ref->modified != 0 && answer->modified > ref->modified)
        return ncz_fail(NC_EIO, "%s: refers to \"%s\" of the %s store, which has been changed since", key,
                        ref->object, zmap_name(ref->store));
    return NC_NOERR;
}

static bool
names_version(const ncz_found *ref)
{
    return ref->etag != NULL || ref->modified != 0;
}

/* Makes the request of the other store. A request of a whole object goes as it is; of another one the range is known,
 * and is checked here. */
static int
make_own(zmap_get_req *r, const ncz_found *ref, zmap_get_req *own)
{
    uint64_t off;
    size_t   n;
    int      rc;

    *own = *r;
    own->key = ref->object;
    own->ask_version = r->ask_version || names_version(ref);
    if (ref->len == ZMAP_WHOLE)
        return NC_NOERR;
    if ((rc = zmap_answer_range(r, ref->len, &off, &n)) != NC_NOERR)
        return rc;
    own->off = ref->off + off;
    own->len = n;
    own->from_end = own->ask_size = false;
    own->cut = ref->cut && off == 0 && n == ref->len;
    return NC_NOERR;
}

/* Completes the caller's request by the answer to its own one. */
static int
take_own(zmap_get_req *r, const ncz_found *ref, zmap_get_req *own)
{
    int rc = own->err.code == NC_NOERR ? ncz_references_check_version(r->key, ref, own) : own->err.code;

    if (rc != NC_NOERR && own->body.len > r->body.len) { /* not what was asked for: the body is as it was */
        own->body.len = r->body.len;
        own->body.data[own->body.len] = '\0';
    }
    r->body = own->body;
    own->body = NCZ_BUF_INIT;
    r->nread = rc == NC_NOERR ? own->nread : 0;
    r->size = ref->len != ZMAP_WHOLE ? ref->len : own->size;
    r->modified = own->modified;
    memcpy(r->version, own->version, sizeof r->version);
    return own->err.code == NC_NOERR ? rc : ncz_references_fail(r->key, ref, &own->err);
}

/* Finds the reference. *here: the request needs no other store, and its status is the result. */
static int
prepare(const references_map *s, zmap_get_req *r, ncz_arena *room, ncz_found *ref, zmap_get_req *own, bool *here)
{
    int rc;

    *ref = (ncz_found){.data = NULL};
    rc = s->finder->find(s->arg, r->key, room, ref);
    *here = rc != NC_NOERR || ref->data != NULL;
    if (*here)
        return rc != NC_NOERR ? rc : zmap_answer_bytes(r, ref->data, (size_t)ref->len);
    rc = make_own(r, ref, own);
    *here = rc != NC_NOERR;
    return rc;
}

static void
get_alone(const references_map *s, zmap_get_req *r, zmap_done_fn done, void *arg)
{
    ncz_arena    room = NCZ_ARENA_INIT;
    ncz_found    ref;
    zmap_get_req own;
    bool         here;
    int          rc = prepare(s, r, &room, &ref, &own, &here);

    if (!here) {
        (void)zmap_get_batch(ref.store, &own, 1, NULL, NULL);
        rc = take_own(r, &ref, &own);
    }
    ncz_arena_clear(&room);
    zmap_get_end(r, rc, done, arg);
}

/* ---- 1. the parts ---------------------------------------------------------------------------------------------- */

static void
make_parts(getting *g, zmap_get_req *reqs, size_t n)
{
    if (g->s->finder->expect != NULL)
        g->s->finder->expect(g->s->arg, reqs, n);
    for (size_t i = 0; i < n; i++) {
        part *p = &g->parts[g->nparts];
        bool  here;
        int   rc = prepare(g->s, &reqs[i], &g->room, &p->ref, &p->own, &here);

        if (here) {
            zmap_get_end(&reqs[i], rc, g->done, g->arg);
            continue;
        }
        p->req = &reqs[i];
        p->at = i;
        g->nparts++;
    }
}

/* ---- 2. and 3. runs -------------------------------------------------------------------------------------------- */

/* A range of a version that the caller names is not merged: another version is an answer to it alone. */
static bool
can_merge(const part *p)
{
    return p->ref.len != ZMAP_WHOLE && p->own.match == NULL && p->own.len > 0 &&
           (zmap_caps_of(p->ref.store) & ZMAP_FROM_WORKERS) == 0;
}

/* The objects of two references to one store. */
static int
compare_objects(const ncz_found *a, const ncz_found *b)
{
    return a->object == b->object ? 0 : strcmp(a->object, b->object);
}

static int
compare_parts(const void *a, const void *b)
{
    const part *x = a, *y = b;
    int         order;

    if (x->ref.store != y->ref.store)
        return (uintptr_t)x->ref.store < (uintptr_t)y->ref.store ? -1 : 1;
    if (x->merges != y->merges)
        return x->merges ? -1 : 1;
    if (x->merges && (order = compare_objects(&x->ref, &y->ref)) != 0)
        return order;
    if (x->merges && x->own.off != y->own.off)
        return x->own.off < y->own.off ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Whether the bytes of a part come with those of the run. No sum overflows: the range is checked when the store is
 * opened. */
static bool
joins(const run *r, const part *p)
{
    uint64_t end = p->own.off + p->own.len;

    return p->merges && r->parts[0].merges && p->ref.store == r->parts[0].ref.store &&
           compare_objects(&p->ref, &r->parts[0].ref) == 0 &&
           (p->own.off <= r->end || p->own.off - r->end <= ZMAP_GAP_MOST) &&
           (end <= r->end || end - r->off <= ZMAP_RUN_MOST);
}

static void
make_runs(getting *g)
{
    qsort(g->parts, g->nparts, sizeof *g->parts, compare_parts);
    for (size_t i = 0; i < g->nparts; i++) {
        part    *p = &g->parts[i];
        run     *r = g->nruns > 0 ? &g->runs[g->nruns - 1] : NULL;
        uint64_t end = p->own.off + p->own.len;

        if (r == NULL || !joins(r, p)) {
            if (r == NULL || p->ref.store != r->parts[0].ref.store)
                g->groups[g->ngroups++] = g->nruns;
            r = &g->runs[g->nruns++];
            *r = (run){.parts = p, .off = p->own.off, .end = end};
        }
        r->n++;
        r->end = end > r->end ? end : r->end;
    }
    g->groups[g->ngroups] = g->nruns;
}

/* The bytes that are there, if the object ends within the run: a part behind its end must not fail the others. */
static zmap_get_req
request_run(run *r)
{
    zmap_get_req req = {.key = r->parts[0].ref.object,
                        .off = r->off,
                        .len = r->end - r->off,
                        .cut = true,
                        .body = NCZ_BUF_LIMIT((size_t)(r->end - r->off))};

    if (r->n == 1)
        req = r->parts[0].own;
    for (size_t i = 0; i < r->n; i++)
        req.ask_version = req.ask_version || r->parts[i].own.ask_version;
    req.tag = r;
    return req;
}

/* ---- 4. the answers -------------------------------------------------------------------------------------------- */

/* Takes a part's bytes out of its run. */
static int
take_bytes(const run *r, part *p, const ncz_buf *bytes)
{
    uint64_t at = p->own.off - r->off;
    size_t   n = (size_t)p->own.len;
    int      rc = NC_NOERR;

    if (p->own.cut && n > bytes->len - (at < bytes->len ? at : bytes->len)) {
        at = at < bytes->len ? at : bytes->len;
        n = bytes->len - (size_t)at;
    }
    if (at > bytes->len || n > bytes->len - at)
        return ncz_fail(NC_EINVAL, "%s: refers to bytes %" PRIu64 " to %" PRIu64 " of \"%s\", which has %" PRIu64,
                        p->req->key, p->own.off, p->own.off + n, p->ref.object, r->off + bytes->len);
    if (p->req->into == NULL)
        rc = ncz_buf_append(&p->req->body, bytes->data + at, n);
    else
        memcpy(p->req->into, bytes->data + at, n);
    if (rc == NC_NOERR)
        p->req->nread = n;
    return rc;
}

static int
take_part(const run *r, part *p, zmap_get_req *answer)
{
    int rc;

    if (r->n == 1)
        return take_own(p->req, &p->ref, answer);
    p->req->size = p->ref.len;
    p->req->modified = answer->modified;
    memcpy(p->req->version, answer->version, sizeof p->req->version);
    if (answer->err.code != NC_NOERR)
        return ncz_references_fail(p->req->key, &p->ref, &answer->err);
    if ((rc = ncz_references_check_version(p->req->key, &p->ref, answer)) != NC_NOERR)
        return rc;
    return take_bytes(r, p, &answer->body);
}

static void
take_run(zmap_get_req *answer, void *arg)
{
    getting *g = arg;
    run     *r = answer->tag;

    (void)pthread_mutex_lock(&g->answering);
    for (size_t i = 0; i < r->n; i++)
        zmap_get_end(r->parts[i].req, take_part(r, &r->parts[i], answer), g->done, g->arg);
    (void)pthread_mutex_unlock(&g->answering);
    ncz_buf_clear(&answer->body); /* of a part alone, the caller has it */
}

static void
get_group(void *arg, size_t i, ncz_scratch *scratch)
{
    getting *g = arg;
    size_t   first = g->groups[i];

    (void)scratch;
    (void)zmap_get_batch(g->runs[first].parts[0].ref.store, &g->reqs[first], g->groups[i + 1] - first, take_run, g);
    ncz_err_clear(); /* each request has its own text */
}

static bool
make_tables(getting *g, size_t n)
{
    g->parts = ncz_alloc_n(n, sizeof *g->parts);
    g->runs = ncz_alloc_n(n, sizeof *g->runs);
    g->reqs = ncz_alloc_n(n, sizeof *g->reqs);
    g->groups = ncz_alloc_n(n + 1, sizeof *g->groups);
    return g->parts != NULL && g->runs != NULL && g->reqs != NULL && g->groups != NULL;
}

static void
get_together(getting *g, zmap_get_req *reqs, size_t n)
{
    make_parts(g, reqs, n);
    for (size_t i = 0; i < g->nparts; i++)
        g->parts[i].merges = can_merge(&g->parts[i]);
    make_runs(g);
    for (size_t i = 0; i < g->nruns; i++)
        g->reqs[i] = request_run(&g->runs[i]);
    ncz_pool_each(g->ngroups, SIZE_MAX, get_group, g);
}

int
ncz_references_get(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    getting g = {.s = (const references_map *)m, .done = done, .arg = arg, .room = NCZ_ARENA_INIT};
    bool    ready = n > 1 && make_tables(&g, n);
    int     err = ready ? pthread_mutex_init(&g.answering, NULL) : 0;

    if (ready && err == 0) {
        get_together(&g, reqs, n);
        (void)pthread_mutex_destroy(&g.answering);
    } else {
        for (size_t i = 0; i < n; i++) /* one request; or there is no memory to do better */
            get_alone(g.s, &reqs[i], done, arg);
    }
    ncz_arena_clear(&g.room);
    ncz_free(g.parts);
    ncz_free(g.runs);
    ncz_free(g.reqs);
    ncz_free(g.groups);
    return NC_NOERR;
}
