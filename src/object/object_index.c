/* SPDX-License-Identifier: BSD-3-Clause */
/* object_index: fetches the indexes of objects that hold several chunks, and publishes them to the tasks that wait. */
#include "object/object_index.h"
#include "object/object_requests.h"
#include "object/object_table.h"

#include <string.h>

int
ncz_object_index_range(const ncz_spec *spec, const char *key, size_t *nbytes, bool *at_end)
{
    if (!spec->layout->ops->needs(spec->layout, nbytes, at_end))
        return ncz_fail(NC_ENOMEM, "%s: the index of %zu chunks does not fit in memory", key, spec->layout->nslots);
    return NC_NOERR;
}

int
ncz_object_parse_index(const ncz_spec *spec, const char *key, const void *index, size_t nbytes, uint64_t size,
                       ncz_slot *slots)
{
    int rc = spec->layout->ops->learn(spec->layout, index, nbytes, slots);

    if (rc != NC_NOERR)
        return ncz_object_fail_key(key, rc);
    for (size_t i = 0; i < spec->layout->nslots; i++)
        ncz_slot_check(&slots[i], size);
    return NC_NOERR;
}

int
ncz_object_fail_slot(const char *key, ncz_slot slot, size_t i, uint64_t size)
{
    return ncz_object_fail_key(key, ncz_slot_fail(slot, i, size));
}

int
ncz_object_index_req(const ncz_spec *spec, const char *key, zmap_get_req *req)
{
    size_t nbytes;
    bool   at_end;
    int    rc;

    if ((rc = ncz_object_index_range(spec, key, &nbytes, &at_end)) != NC_NOERR)
        return rc;
    *req = (zmap_get_req){.key = key,
                          .len = nbytes,
                          .from_end = at_end,
                          .ask_size = true,
                          .ask_version = true,
                          .body = NCZ_BUF_LIMIT(nbytes)};
    return NC_NOERR;
}

int
ncz_object_read_index(const ncz_spec *spec, const zmap_get_req *req, ncz_slot *slots)
{
    if (req->err.code == NC_EEMPTY)
        return NC_EEMPTY;
    if (req->err.code == NC_EINVAL) /* the range is not in the object */
        return ncz_fail(NC_EFILTER, "%s: it is shorter than its index of %llu bytes", req->key,
                        (unsigned long long)req->len);
    if (req->err.code != NC_NOERR)
        return ncz_err_adopt(&req->err);
    if (req->nread < req->len)
        return ncz_fail(NC_EFILTER, "%s: %zu bytes, but its index alone has %llu", req->key, req->nread,
                        (unsigned long long)req->len);
    return ncz_object_parse_index(spec, req->key, ncz_buf_str(&req->body), req->nread, req->size, slots);
}

static int
prepare_fetch(const ncz_spec *spec, ncz_object_fetch *f, zmap_get_req *req)
{
    ncz_chunk_addr where;
    int            rc;

    if ((rc = ncz_spec_locate(spec, f->index, &f->key, &where)) != NC_NOERR ||
        (rc = ncz_object_index_req(spec, where.key, req)) != NC_NOERR)
        return rc;
    req->tag = f;
    f->slots = ncz_zalloc_n(spec->layout->nslots, sizeof *f->slots);
    return f->slots != NULL ? NC_NOERR : ncz_fail_nomem(spec->layout->nslots * sizeof *f->slots);
}

/* Returns NC_NOERR also when there is no such object; slots is NULL then. */
static int
take_index(const ncz_spec *spec, ncz_object_fetch *f, const zmap_get_req *req)
{
    int rc = ncz_object_read_index(spec, req, f->slots);

    if (rc != NC_NOERR)
        return rc == NC_EEMPTY ? NC_NOERR : rc;
    memcpy(f->object->version, req->version, sizeof req->version);
    f->object->size = req->size;
    f->object->slots = f->slots;
    f->slots = NULL;
    return NC_NOERR;
}

/* Publishes the index, or its failure, to all tasks that wait for it. */
static void
end_fetch(ncz_objects *objects, const ncz_spec *spec, const ncz_object_fetch *f, int rc)
{
    ncz_object *o = f->object;

    (void)pthread_mutex_lock(&objects->cells->lock);
    o->loading = false;
    o->whole = NULL;
    o->failed = rc;
    if (rc != NC_NOERR)
        o->why = ncz_err_keep(rc);
    if (!o->stale && o->slots != NULL)
        ncz_object_count_bytes(objects, o, spec->layout->nslots * sizeof *o->slots);
    if (rc != NC_NOERR && !o->storing)
        ncz_object_unlink(objects, o); /* the next request fetches it again; the tasks of this one keep the failure */
    (void)pthread_cond_broadcast(&objects->cells->changed);
    (void)pthread_mutex_unlock(&objects->cells->lock);
}

void
ncz_object_fetch_indexes(ncz_objects *objects, const ncz_spec *spec, ncz_object_fetch *fetches, size_t n)
{
    zmap_get_req *reqs = ncz_alloc_n(n, sizeof *reqs);
    size_t        nreqs = 0;

    for (size_t i = 0; i < n; i++) {
        int rc = reqs != NULL ? prepare_fetch(spec, &fetches[i], &reqs[nreqs]) : ncz_fail_nomem(n * sizeof *reqs);

        if (rc == NC_NOERR)
            nreqs++;
        else
            end_fetch(objects, spec, &fetches[i], rc);
    }
    if (nreqs > 0)
        (void)zmap_get_batch(objects->map, reqs, nreqs, NULL, NULL);
    for (size_t i = 0; i < nreqs; i++) {
        ncz_object_fetch *f = reqs[i].tag;

        end_fetch(objects, spec, f, take_index(spec, f, &reqs[i]));
        ncz_buf_clear(&reqs[i].body);
    }
    for (size_t i = 0; i < n; i++) {
        ncz_buf_clear(&fetches[i].key);
        ncz_free(fetches[i].slots);
    }
    ncz_free(reqs);
}

/* ---- indexes of objects that are got whole ---- */

/* Parses the index out of a whole object into newly allocated slots. */
static int
read_whole(const ncz_spec *spec, const zmap_get_req *req, ncz_slot **out)
{
    const ncz_buf *body = &req->body;
    ncz_slot      *slots;
    size_t         nbytes;
    bool           at_end;
    int            rc;

    if ((rc = ncz_object_index_range(spec, req->key, &nbytes, &at_end)) != NC_NOERR)
        return rc;
    if (body->len < nbytes)
        return ncz_fail(NC_EFILTER, "%s: %zu bytes, but its index alone has %zu", req->key, body->len, nbytes);
    if ((slots = ncz_zalloc_n(spec->layout->nslots, sizeof *slots)) == NULL)
        return ncz_fail_nomem(spec->layout->nslots * sizeof *slots);
    rc = ncz_object_parse_index(spec, req->key, ncz_buf_str(body) + (at_end ? body->len - nbytes : 0), nbytes,
                                body->len, slots);
    if (rc != NC_NOERR) {
        ncz_free(slots);
        return rc;
    }
    *out = slots;
    return NC_NOERR;
}

/* No index came. The tasks of the object see that it is stale, and ask for its index alone. */
static void
end_whole(ncz_objects *objects, ncz_object *o)
{
    (void)pthread_mutex_lock(&objects->cells->lock);
    o->whole = NULL;
    o->loading = false;
    ncz_object_unlink(objects, o);
    (void)pthread_cond_broadcast(&objects->cells->changed);
    (void)pthread_mutex_unlock(&objects->cells->lock);
}

void
ncz_object_publish_index(ncz_objects *objects, const ncz_spec *spec, ncz_object *o, const zmap_get_req *req)
{
    ncz_object_fetch f = {.object = o};
    int              rc = req->err.code;

    if (rc == NC_ENOMEM) {
        end_whole(objects, o);
        return;
    }
    if (rc == NC_NOERR)
        rc = read_whole(spec, req, &o->slots);
    else if (rc == NC_EEMPTY)
        rc = NC_NOERR;
    else
        rc = ncz_err_adopt(&req->err);
    memcpy(o->version, req->version, sizeof req->version);
    o->size = req->body.len;
    end_fetch(objects, spec, &f, rc);
}
