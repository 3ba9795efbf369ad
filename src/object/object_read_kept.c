/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_read_kept: gets what an object of several chunks keeps when others of its chunks are stored, still encoded. A
 * small object is got whole. Of one that is larger than `keep_whole`:
 *
 *  1. get the index
 *  2. join the chunks that are kept to runs of neighbours
 *  3. get the runs in ranges of at most `keep_range` bytes, few at once, into a temporary file; or into memory, if they
 *     are small or there is no room for a file
 *
 * So the memory is bounded, however large the object is. All ranges must be of the version that the index is of. Of
 * another one the object is read again from its index on.
 */
#include "object/object_index.h"
#include "object/object_put.h"

#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 4 }; /* ranges */

/* Chunks that so few bytes separate are one run: another request takes longer. */
#define GAP_MOST ((uint64_t)64 << 10)

/* A chunk whose place is not known cannot be kept, and leaving it out would hide the damage. */
static int
check_kept(const ncz_object_put *o, uint64_t size)
{
    ncz_err why;

    for (size_t i = 0; i < o->nslots; i++)
        if (ncz_object_put_keeps(o, i) && ncz_slot_is_bad(o->slots[i])) {
            ncz_err_save(&why, ncz_object_fail_slot(o->key, o->slots[i], i, size));
            return ncz_fail(why.code, "%s; it is not stored again until all of that chunk is written", why.text);
        }
    return NC_NOERR;
}

/* ---- small objects, whole ---- */

/* Whether the object's chunks are known to make it large, decoded. Strings may have any length, and one chunk that is
 * the object is wanted whole. */
static bool
is_large(const ncz_object_put *o)
{
    size_t nbytes;

    return !o->plain && !ncz_cell_is_vlen(o->spec) &&
           (!ncz_mul(o->nslots, o->spec->chunk_bytes, &nbytes) || nbytes > o->objects->keep_whole);
}

static int
parse_old(ncz_object_put *o)
{
    const ncz_spec *spec = o->spec;
    size_t          nbytes;
    bool            at_end;
    int             rc;

    o->kept = ncz_buf_str(&o->old);
    o->slots[0] = (ncz_slot){0, o->old.len};
    if (o->plain)
        return o->old.len > 0 || o->item == NULL ? NC_NOERR
                                                 : ncz_fail(NC_ETRUNC, "%s: has no bytes, but holds a chunk", o->key);
    if ((rc = ncz_object_index_range(spec, o->key, &nbytes, &at_end)) != NC_NOERR)
        return rc;
    if (o->old.len < nbytes)
        return ncz_fail(NC_EFILTER, "%s: %zu bytes, but its index alone has %zu", o->key, o->old.len, nbytes);
    rc = ncz_object_parse_index(spec, o->key, o->kept + (at_end ? o->old.len - nbytes : 0), nbytes, o->old.len,
                                o->slots);
    return rc == NC_NOERR ? check_kept(o, o->old.len) : rc;
}

static void
keep_old(ncz_object_put *o, zmap_get_req *req)
{
    int rc = req->err.code;

    o->old = req->body;
    o->there = rc == NC_NOERR;
    if ((o->large = rc == NC_ENOMEM && !o->plain)) /* it exceeds the limit of the body */
        return;
    memset(o->slots, 0, o->nslots * sizeof *o->slots);
    memcpy(o->version, req->version, sizeof o->version);
    if (rc == NC_NOERR)
        rc = parse_old(o);
    else if (rc != NC_EEMPTY)
        rc = ncz_err_adopt(&req->err);
    if (rc != NC_NOERR && rc != NC_EEMPTY)
        ncz_object_put_fail(o, rc);
}

/* ---- large objects, in ranges ---- */

/* Bytes of the object that are kept, and their place among all that is kept. */
typedef struct run {
    uint64_t off, len, at;
} run;

typedef struct keeping {
    ncz_object_put *o;
    run            *runs;
    size_t          nruns;
    uint64_t        nbytes; /* of all runs */
    bool            memory; /* they go to o->old, not to the file */
    char           *room;   /* for AT_ONCE ranges that go to the file */
} keeping;

/* Gets the index. *n: how many chunks are kept. */
static int
get_index(ncz_object_put *o, size_t *n)
{
    zmap_get_req req;
    int          rc;

    memset(o->slots, 0, o->nslots * sizeof *o->slots);
    if ((rc = ncz_object_index_req(o->spec, o->key, &req)) != NC_NOERR)
        return rc;
    (void)zmap_get_batch(o->objects->map, &req, 1, NULL, NULL);
    memcpy(o->version, req.version, sizeof o->version);
    rc = ncz_object_read_index(o->spec, &req, o->slots);
    ncz_buf_clear(&req.body);
    o->there = rc == NC_NOERR;
    *n = 0;
    if (rc == NC_EEMPTY)
        return NC_NOERR;
    if (rc != NC_NOERR || (rc = check_kept(o, req.size)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < o->nslots; i++)
        *n += ncz_object_put_keeps(o, i);
    return NC_NOERR;
}

static int
compare_runs(const void *a, const void *b)
{
    uint64_t x = ((const run *)a)->off, y = ((const run *)b)->off;

    return x < y ? -1 : x > y;
}

static const run *
run_of(const keeping *k, uint64_t off)
{
    size_t lo = 0, hi = k->nruns;

    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;

        *(k->runs[mid].off <= off ? &lo : &hi) = mid;
    }
    return &k->runs[lo];
}

/* Joins the chunks to runs, and makes each slot's offset its place among what is kept. No sum overflows: each slot lies
 * in the object. */
static void
join_runs(keeping *k, size_t n)
{
    ncz_object_put *o = k->o;
    size_t          last = 0;

    qsort(k->runs, n, sizeof *k->runs, compare_runs);
    for (size_t i = 1; i < n; i++) {
        run     *r = &k->runs[last];
        uint64_t end = r->off + r->len, more = k->runs[i].off + k->runs[i].len;

        if (k->runs[i].off > end && k->runs[i].off - end > GAP_MOST)
            k->runs[++last] = k->runs[i];
        else if (more > end)
            r->len = more - r->off;
    }
    k->nruns = last + 1;
    for (size_t i = 0; i < k->nruns; i++) {
        k->runs[i].at = k->nbytes;
        k->nbytes += k->runs[i].len;
    }
    for (size_t i = 0; i < o->nslots; i++)
        if (ncz_object_put_keeps(o, i)) {
            const run *r = run_of(k, o->slots[i].offset);

            o->slots[i].offset = r->at + (o->slots[i].offset - r->off);
        }
}

static int
list_runs(keeping *k, size_t n)
{
    const ncz_object_put *o = k->o;

    if ((k->runs = ncz_alloc_n(n, sizeof *k->runs)) == NULL)
        return ncz_fail_nomem(n * sizeof *k->runs);
    n = 0;
    for (size_t i = 0; i < o->nslots; i++)
        if (ncz_object_put_keeps(o, i))
            k->runs[n++] = (run){o->slots[i].offset, o->slots[i].length, 0};
    join_runs(k, n);
    return NC_NOERR;
}

/* Memory for all that is kept, or for some ranges of it on their way to the file. */
static int
make_room(keeping *k)
{
    ncz_object_put *o = k->o;
    size_t          nbytes = SIZE_MAX;

    k->memory = o->no_temp || k->nbytes <= o->objects->keep_whole;
    if (k->memory && k->nbytes <= o->objects->limits.object_bytes) {
        o->old.limit = o->objects->limits.object_bytes;
        ncz_buf_reset(&o->old);
        return ncz_buf_reserve(&o->old, (size_t)k->nbytes);
    }
    if (k->memory)
        return ncz_fail(NC_ENOMEM,
                        "%s: without room for a temporary file its other chunks cannot be kept: %llu bytes", o->key,
                        (unsigned long long)k->nbytes);
    ncz_buf_clear(&o->old);
    if (!ncz_mul(o->objects->keep_range, AT_ONCE, &nbytes) || (k->room = ncz_alloc(nbytes)) == NULL)
        return ncz_fail_nomem(nbytes);
    return NC_NOERR;
}

/* The next ranges, from `done` bytes of runs[*i] on. */
static size_t
next_ranges(const keeping *k, size_t *i, uint64_t *done, zmap_get_req *reqs, uint64_t *at)
{
    ncz_object_put *o = k->o;
    size_t          n = 0;

    for (; n < AT_ONCE && *i < k->nruns; n++) {
        const run *r = &k->runs[*i];
        size_t     most = o->objects->keep_range, len = r->len - *done < most ? (size_t)(r->len - *done) : most;

        at[n] = r->at + *done;
        reqs[n] = (zmap_get_req){.key = o->key,
                                 .off = r->off + *done,
                                 .len = len,
                                 .ask_version = true,
                                 .match = o->version[0] != '\0' ? o->version : NULL,
                                 .into = k->memory ? o->old.data + at[n] : k->room + n * most,
                                 .into_cap = len};
        *done += len;
        if (*done == r->len) {
            *done = 0;
            ++*i;
        }
    }
    return n;
}

/* NC_NOERR also where the object was found changed. */
static int
take_range(ncz_object_put *o, const zmap_get_req *req)
{
    int rc = req->err.code;

    if (rc == NC_EEMPTY || rc == NC_EINVAL || rc == NC_EOBJECT)
        o->changed = true;
    else if (rc != NC_NOERR)
        return ncz_err_adopt(&req->err);
    else if (req->nread != req->len || strcmp(req->version, o->version) != 0)
        o->changed = true;
    return NC_NOERR;
}

/* Reads all runs. *full: the file has no room. */
static int
read_runs(const keeping *k, bool *full)
{
    ncz_object_put *o = k->o;
    zmap_get_req    reqs[AT_ONCE];
    uint64_t        at[AT_ONCE], done = 0;
    size_t          i = 0, n;
    int             rc = NC_NOERR;

    *full = false;
    while (rc == NC_NOERR && !*full && !o->changed && (n = next_ranges(k, &i, &done, reqs, at)) > 0) {
        (void)zmap_get_batch(o->objects->map, reqs, n, NULL, NULL);
        for (size_t r = 0; r < n && rc == NC_NOERR && !*full && !o->changed; r++)
            if ((rc = take_range(o, &reqs[r])) == NC_NOERR && !o->changed && !k->memory)
                *full = !ncz_object_spill_write(&o->carried.file, reqs[r].into, reqs[r].nread, at[r]);
    }
    return rc;
}

/* Steps 2 and 3. */
static int
keep_chunks(keeping *k, size_t n)
{
    ncz_object_put *o = k->o;
    bool            full;
    int             rc;

    if (n == 0)
        return NC_NOERR;
    if ((rc = list_runs(k, n)) != NC_NOERR || (rc = make_room(k)) != NC_NOERR)
        return rc;
    rc = read_runs(k, &full);
    if (rc == NC_NOERR && full) {
        o->no_temp = true;
        if ((rc = make_room(k)) == NC_NOERR)
            rc = read_runs(k, &full);
    }
    if (rc != NC_NOERR || o->changed)
        return rc;
    if (!k->memory && (rc = ncz_object_temp_map(&o->carried, k->nbytes)) != NC_NOERR)
        return rc;
    o->kept = k->memory ? o->old.data : o->carried.mapped;
    return NC_NOERR;
}

static void
read_ranges(ncz_object_put *o)
{
    keeping k = {.o = o};
    size_t  n;
    int     rc = get_index(o, &n);

    if (rc == NC_NOERR)
        rc = keep_chunks(&k, n);
    if (rc != NC_NOERR)
        ncz_object_put_fail(o, rc);
    ncz_free(k.runs);
    ncz_free(k.room);
}

/* ---- all ---- */

void
ncz_object_read_kept(ncz_objects *objects, ncz_object_put *puts, size_t n, zmap_get_req *reqs)
{
    size_t nreqs = 0;

    for (size_t i = 0; i < n; i++) {
        ncz_object_put *o = &puts[i];

        o->changed = false;
        if (!o->pending || !o->read || (o->large = o->large || is_large(o)))
            continue;
        ncz_buf_reset(&o->old);
        o->old.limit = o->plain ? objects->limits.object_bytes : objects->keep_whole;
        reqs[nreqs++] =
            (zmap_get_req){.key = o->key, .len = ZMAP_WHOLE, .ask_version = true, .body = o->old, .tag = o};
    }
    if (nreqs > 0)
        (void)zmap_get_batch(objects->map, reqs, nreqs, NULL, NULL);
    for (size_t i = 0; i < nreqs; i++)
        keep_old(reqs[i].tag, &reqs[i]);
    for (size_t i = 0; i < n; i++)
        if (puts[i].pending && puts[i].read && puts[i].large)
            read_ranges(&puts[i]);
}
