/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The zip store: opening, closing, listing, and the table. zip_int.h lists the other files.
 *
 * A store that was opened for reading never changes and takes no lock. Any thread may use any store at any time.
 */
#include "zip/zip_int.h"

#include <stdlib.h>
#include <string.h>

/* Visits only the children of the prefix. */
static int
collect_children(const zip_names *t, const char *prefix, zmap_children *out)
{
    size_t   len = strlen(prefix), skip = len != 0 ? len + 1 : 0;
    uint32_t at = ncz_zip_names_find(t, prefix, len);
    int      rc;

    if (at == 0 && len != 0)
        return NC_NOERR;
    for (at = t->v[at].child; at != 0; at = t->v[at].sibling) {
        const zip_name *n = &t->v[at];
        const char     *name = n->key + skip;
        bool            above = ncz_zip_names_below(n) || (n->other != ZIP_NO_ENTRY && !n->present);

        if (n->present && (rc = zmap_children_add(out, name, n->len - skip, true)) != NC_NOERR)
            return rc;
        if (above && (rc = zmap_children_add(out, name, n->len - skip, false)) != NC_NOERR)
            return rc;
    }
    return NC_NOERR;
}

static int
zip_list(zmap *map, const char *prefix, zmap_each_fn each, void *arg)
{
    zip_map      *m = (zip_map *)map;
    zmap_children children = {NULL, 0, 0};
    int           rc;

    if (m->writable)
        pthread_rwlock_rdlock(&m->lock);
    rc = collect_children(&m->names, prefix, &children);
    if (m->writable)
        pthread_rwlock_unlock(&m->lock);
    if (rc == NC_NOERR)
        rc = zmap_children_each(&children, each, arg);
    zmap_children_clear(&children);
    return rc;
}

static int
zip_sync(zmap *map)
{
    zip_map *m = (zip_map *)map;
    int      rc;

    pthread_rwlock_wrlock(&m->gate);
    rc = ncz_zip_commit(m, false);
    pthread_rwlock_unlock(&m->gate);
    return rc;
}

/* Releases everything; a descriptor or pointer that was not set is -1 or NULL. */
static void
zip_free(zip_map *m)
{
    ncz_zip_source_unref(m->src);
    ncz_zip_source_unref(m->at.partial);
    ncz_zip_source_unref(m->at.old);
    ncz_zip_source_unref(m->at.spare);
    if (m->at.dir >= 0)
        zmap_sys()->file.close(m->at.dir);
    ncz_free(m->at.name);
    ncz_free(m->at.part);
    ncz_free(m->at.repack);
    ncz_zip_names_clear(&m->names);
    ncz_buf_clear(&m->others);
    pthread_rwlock_destroy(&m->gate);
    pthread_rwlock_destroy(&m->lock);
    ncz_free(m->path);
    ncz_free(m->prefix);
    ncz_free(m);
}

static int
zip_close(zmap *map, zmap_end how)
{
    zip_map *m = (zip_map *)map;
    int      rc = m->writable ? ncz_zip_stage_close(m, how) : NC_NOERR;

    zip_free(m);
    return rc;
}

static const zmap_ops zip_ops = {
    .name = "zip",
    .get = ncz_zip_get,
    .put = ncz_zip_put,
    .del = ncz_zip_del,
    .list = zip_list,
    .sync = zip_sync,
    .close = zip_close,
    .len = ncz_zip_len,
};

/* ---- opening ---- */

static int
make_locks(zip_map *m)
{
    int err;

    if ((err = pthread_rwlock_init(&m->gate, NULL)) != 0)
        return ncz_fail_lock(err);
    if ((err = pthread_rwlock_init(&m->lock, NULL)) != 0) {
        pthread_rwlock_destroy(&m->gate);
        return ncz_fail_lock(err);
    }
    return NC_NOERR;
}

/* NULL: not given; found in the archive later. */
static int
set_prefix(zip_map *m, const char *prefix)
{
    if (prefix == NULL)
        return NC_NOERR;
    if (prefix[0] != '\0' && !zmap_key_valid(prefix))
        return ncz_fail(NC_EINVAL, "the prefix of an archive must be a key, or empty");
    m->prefix_len = prefix[0] != '\0' ? strlen(prefix) + 1 : 0;
    m->prefix = ncz_sprintf("%s%s", prefix, prefix[0] != '\0' ? "/" : "");
    return m->prefix != NULL ? NC_NOERR : ncz_fail_nomem(m->prefix_len + 1);
}

static int
zip_new(const char *path, zmap_open_how how, const ncz_zip_opts *opts, zip_map **out)
{
    zip_map *m = ncz_zalloc(sizeof *m);
    int      rc;

    if (m == NULL)
        return ncz_fail_nomem(sizeof *m);
    *m = (zip_map){.base = {.ops = &zip_ops,
                            .caps = ZMAP_CAN_RANGE | ZMAP_CAN_FROM_END | ZMAP_CAN_LIST | ZMAP_FROM_WORKERS,
                            .refs = 1},
                   .writable = how != ZMAP_OPEN_READ,
                   .made = how == ZMAP_CREATE_NEW,
                   .is_document = opts->is_document,
                   .replace = opts->replace,
                   .sorted = opts->sorted,
                   .others = NCZ_BUF_INIT,
                   .at = {.dir = -1}};
    if (m->writable)
        m->base.caps |= ZMAP_CAN_WRITE | ZMAP_CAN_REPLACE | ZMAP_CAN_IF_ABSENT | ZMAP_KEEPS_LEAVES;
    if ((rc = make_locks(m)) != NC_NOERR) {
        ncz_free(m);
        return rc;
    }
    if ((m->path = ncz_strdup(path)) == NULL)
        rc = ncz_fail_nomem(strlen(path) + 1);
    if (rc == NC_NOERR && (rc = set_prefix(m, opts->prefix)) == NC_NOERR)
        rc = ncz_zip_names_init(&m->names);
    if (rc != NC_NOERR) {
        zip_free(m);
        return rc;
    }
    *out = m;
    return NC_NOERR;
}

/* Reads the names of m->src. */
static int
load_archive(zip_map *m)
{
    zip_end end;
    bool    starts = true;
    int     rc;

    if ((rc = ncz_zip_read_end(m->src, &end)) != NC_NOERR || (rc = ncz_zip_starts(m->src, &starts)) != NC_NOERR)
        return rc;
    m->front = !starts;
    if (m->prefix == NULL) {
        if ((rc = ncz_zip_find_prefix(m, &end, &m->prefix)) != NC_NOERR)
            return rc;
        m->prefix_len = strlen(m->prefix);
    }
    return ncz_zip_read_names(m, &end);
}

/* The common end of opening: reads an existing archive, or sets the prefix of a new one. Takes the store. */
static int
begin_archive(zip_map *m, zmap_open_how how, int rc, zmap **out)
{
    ncz_err err;

    if (rc == NC_NOERR)
        rc = how == ZMAP_CREATE_NEW ? (m->prefix == NULL ? set_prefix(m, "") : NC_NOERR) : load_archive(m);
    if (rc == NC_NOERR) {
        *out = &m->base;
        return NC_NOERR;
    }
    ncz_err_save(&err, rc);
    if (m->writable)
        (void)ncz_zip_stage_close(m, ZMAP_REVERT); /* removes the partial file */
    zip_free(m);
    return ncz_err_adopt(&err);
}

int
ncz_zip_open(const char *path, zmap_open_how how, const ncz_zip_opts *opts, zmap **out)
{
    static const ncz_zip_opts defaults = {.prefix = NULL};
    zip_map                  *m = NULL;
    int                       rc;

    if (path == NULL || path[0] == '\0')
        return ncz_fail(NC_EINVAL, "an archive without a name");
    if ((rc = zip_new(path, how, opts != NULL ? opts : &defaults, &m)) != NC_NOERR)
        return rc;
    if (m->writable)
        m->base.caps |= ZMAP_CAN_SYNC | ZMAP_COMMITS;
    return begin_archive(m, how, ncz_zip_stage_open(m, path, how), out);
}

/* ---- in memory ---- */

int
ncz_zip_mem_open(void *block, size_t len, zmap_open_how how, const ncz_zip_opts *opts, zmap **out)
{
    static const ncz_zip_opts defaults = {.prefix = NULL};
    zip_map                  *m = NULL;
    int                       rc;

    if (how != ZMAP_CREATE_NEW && block == NULL)
        return ncz_fail(NC_EINVAL, "no block of memory");
    if ((rc = zip_new("the archive in memory", how, opts != NULL ? opts : &defaults, &m)) != NC_NOERR)
        return rc;
    rc = ncz_zip_source_memory(how == ZMAP_CREATE_NEW ? NULL : block, how == ZMAP_CREATE_NEW ? 0 : len, false,
                               &m->src);
    if (rc == NC_NOERR && how == ZMAP_CREATE_NEW) {
        m->staged = m->src->owned = true;
        rc = ncz_zip_source_room(m->src, len);
    }
    if ((rc = begin_archive(m, how, rc, out)) == NC_NOERR && how == ZMAP_OPEN_WRITE)
        m->src->owned = true; /* only now: after a failure the block remains the caller's */
    return rc;
}

int
ncz_zip_mem_take(zmap *map, void **block, size_t *len)
{
    zip_map *m = (zip_map *)map;
    uint64_t size;
    int      rc = NC_NOERR;

    if (map->ops != &zip_ops || m->src->fd >= 0)
        return ncz_fail(NC_ENOTBUILT, "the %s store is not in a block of memory", map->ops->name);
    if (!m->writable) {
        *block = m->src->mem;
        *len = m->src->cap;
        return NC_NOERR;
    }
    pthread_rwlock_wrlock(&m->gate);
    pthread_rwlock_wrlock(&m->lock);
    if (m->taken)
        rc = ncz_fail(NC_EPERM, "the archive's memory was already taken by the caller");
    else if (!m->changed && !m->made)
        size = m->src->size; /* unchanged since it was opened */
    else
        rc = ncz_zip_write_directory(m, m->src, &size);
    if (rc == NC_NOERR) {
        *block = m->src->mem;
        *len = (size_t)size;
        m->src->mem = NULL;
        m->src->cap = 0;
        m->taken = true;
    }
    pthread_rwlock_unlock(&m->lock);
    pthread_rwlock_unlock(&m->gate);
    return rc;
}

/* ---- the rest ---- */

void
ncz_zip_sync_never(zmap *m)
{
    if (m->ops == &zip_ops)
        atomic_store_explicit(&((zip_map *)m)->sync_never, true, memory_order_relaxed);
}

const char *
ncz_zip_prefix(const zmap *m)
{
    return m->ops == &zip_ops ? ((const zip_map *)m)->prefix : NULL;
}

bool
ncz_zip_backslashes(const zmap *m)
{
    return m->ops == &zip_ops && ((const zip_map *)m)->backslashes;
}

uint64_t
ncz_zip_others(const zmap *m)
{
    const zip_map *z = (const zip_map *)m;

    return m->ops == &zip_ops ? z->nothers + z->front : 0;
}

/* The first bytes decide for most files. The end is read only if they are not an archive's. */
bool
ncz_zip_looks_like(const char *path)
{
    int         fd = zmap_sys()->name.openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
    zip_source *s = NULL;
    ncz_stat    st;
    bool        zip = false;

    if (fd < 0)
        return false;
    if (zmap_sys()->file.fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        zmap_sys()->file.close(fd);
        return false;
    }
    if (ncz_zip_source_file(fd, path, (uint64_t)st.st_size, &s) != NC_NOERR) {
        zmap_sys()->file.close(fd);
        return true; /* out of memory: opening the file will report that */
    }
    if (ncz_zip_starts(s, &zip) == NC_NOERR && !zip)
        zip = ncz_zip_has_directory(s);
    ncz_err_clear(); /* a file that is not an archive is not a failure here */
    ncz_zip_source_unref(s);
    return zip;
}
