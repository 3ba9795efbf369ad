/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Put and del of the zip store. A put reserves a place after the last entry under the lock, writes there without it,
 * and makes the name refer to the entry only when all is written. So any number of threads can put at once, and a put
 * that fails leaves dead bytes and the old object. A replaced entry also becomes dead bytes, until the archive is
 * repacked.
 *
 * Lock order: gate (shared), lock.
 */
#include "zip/zip_int.h"

#include <string.h>

/* Takes the gate, shared, unless changes are no longer possible. */
static int
enter_writer(zip_map *m)
{
    int rc;

    pthread_rwlock_rdlock(&m->gate);
    rc = m->taken ? ncz_fail(NC_EPERM, "the archive's memory was already taken by the caller")
                  : ncz_zip_check_failed(m);
    if (rc != NC_NOERR)
        pthread_rwlock_unlock(&m->gate);
    return rc;
}

/* Enters as a writer that finds m->src ready to be written. */
static int
enter_staged(zip_map *m)
{
    int rc;

    while ((rc = enter_writer(m)) == NC_NOERR && !m->staged) {
        pthread_rwlock_unlock(&m->gate);
        /* Staging needs the gate exclusively. A commit may come before the gate is shared again, so check again. */
        pthread_rwlock_wrlock(&m->gate);
        rc = ncz_zip_stage(m);
        pthread_rwlock_unlock(&m->gate);
        if (rc != NC_NOERR)
            break;
    }
    return rc;
}

/* Whether the object may be put at this name now. Call with the lock held. */
static int
check_put(const zip_map *m, const zmap_put_req *r, uint32_t at)
{
    if (r->when == ZMAP_IF_ABSENT && m->names.v[at].present)
        return ncz_fail(NC_EOBJECT, "%s: exists", r->key);
    return ncz_zip_names_place(&m->names, at);
}

/* Makes the name and reserves `nbytes` after the last entry. */
static int
reserve_entry(zip_map *m, const zmap_put_req *r, uint64_t nbytes, uint32_t *at, uint64_t *off)
{
    uint64_t end;
    int      rc;

    pthread_rwlock_wrlock(&m->lock);
    if ((rc = ncz_zip_names_make(&m->names, r->key, strlen(r->key), at)) != NC_NOERR ||
        (rc = check_put(m, r, *at)) != NC_NOERR)
        goto done;
    if (m->names.nobjects + m->nothers >= ZIP_ENTRIES_MAX) {
        rc = ncz_fail(NC_ENOMEM, "%s: more entries than the limit of %d", m->path, ZIP_ENTRIES_MAX);
        goto done;
    }
    if (!ncz_add64(m->end, nbytes, &end) || end > INT64_MAX) {
        rc = ncz_fail(NC_ENOMEM, "%s: no archive is that long", m->path);
        goto done;
    }
    /* Make the room now: the write itself, without the lock, must not move the block. */
    if ((rc = ncz_zip_source_room(m->src, end)) != NC_NOERR)
        goto done;
    *off = m->end;
    m->end = end;
done:
    pthread_rwlock_unlock(&m->lock);
    return rc;
}

/* Makes the name refer to what was written, unless a concurrent put now forbids that. Counts as dead what no name
 * refers to. */
static int
publish_entry(zip_map *m, const zmap_put_req *r, uint32_t at, const zip_object *o, int written)
{
    int      rc = written;
    uint64_t nbytes = o->head + o->csize;

    pthread_rwlock_wrlock(&m->lock);
    if (rc == NC_NOERR)
        rc = check_put(m, r, at);
    if (rc == NC_NOERR && m->names.v[at].present)
        nbytes = ncz_zip_entry_len(m, &m->names.v[at]);
    else if (rc == NC_NOERR)
        nbytes = 0;
    m->dead += nbytes;
    if (rc == NC_NOERR) {
        ncz_zip_names_set(&m->names, at, o);
        m->changed = true;
    }
    pthread_rwlock_unlock(&m->lock);
    return rc;
}

static int
put_one(zip_map *m, const zmap_put_req *r)
{
    zip_object o = {.csize = r->len, .size = r->len, .crc = ncz_zip_crc(r->data, r->len)};
    ncz_buf    head = NCZ_BUF_INIT;
    uint32_t   at;
    int        rc;

    if ((rc = ncz_zip_local_header(m, r->key, &o, &head)) != NC_NOERR)
        goto done;
    if ((rc = enter_staged(m)) != NC_NOERR)
        goto done;
    if ((rc = reserve_entry(m, r, o.head + o.csize, &at, &o.off)) == NC_NOERR) {
        struct iovec from[3] = {{head.data, head.len}, {(void *)(uintptr_t)r->data, r->len}, {NULL, 0}};

        rc = publish_entry(m, r, at, &o, ncz_zip_source_write3(m->src, from, o.off));
    }
    pthread_rwlock_unlock(&m->gate);
done:
    ncz_buf_clear(&head);
    return rc;
}

int
ncz_zip_put(zmap *m, zmap_put_req *reqs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        zmap_put_end(&reqs[i], put_one((zip_map *)m, &reqs[i]));
    return NC_NOERR;
}

/* Writes nothing: the bytes become dead, and the directory of the next commit omits the entry. */
static void
del_one(zip_map *m, const char *key)
{
    uint32_t at;

    pthread_rwlock_wrlock(&m->lock);
    at = ncz_zip_names_find(&m->names, key, strlen(key));
    if (at != 0 && m->names.v[at].present) {
        m->dead += ncz_zip_entry_len(m, &m->names.v[at]);
        ncz_zip_names_unset(&m->names, at);
        m->changed = true;
    }
    pthread_rwlock_unlock(&m->lock);
}

int
ncz_zip_del(zmap *map, const char *const *keys, size_t n)
{
    zip_map *m = (zip_map *)map;
    int      rc;

    if ((rc = enter_writer(m)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < n; i++)
        del_one(m, keys[i]);
    pthread_rwlock_unlock(&m->gate);
    return NC_NOERR;
}
