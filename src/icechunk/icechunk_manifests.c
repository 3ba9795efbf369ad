/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The manifests that are in memory: those last used, up to KEPT_MOST bytes, and those in use. A manifest that is read
 * by one thread is waited for by others that need it. Of one that is damaged or absent the error is kept in its place.
 */
#include "icechunk/icechunk_int.h"

#include <string.h>

#define KEPT_MOST     ((size_t)128 << 20)
#define TOGETHER_MOST 16 /* manifests that are read at once */
#define BUCKETS       1024

typedef struct entry entry;

struct entry {
    ncz_ice_manifest m; /* first: who has the manifest has the entry */
    unsigned char    id[NCZ_ICE_ID];
    unsigned         users;
    bool             loading, there; /* there: `m` is; else, when it is loaded, `err` says why not */
    ncz_err          err;
    size_t           nbytes;
    entry           *next;          /* of its bucket */
    entry           *newer, *older; /* in the order of use */
};

struct ncz_ice_manifests {
    zmap           *base;
    const char     *name;
    pthread_mutex_t lock; /* guards what follows, and the entries' state */
    pthread_cond_t  loaded;
    entry          *buckets[BUCKETS];
    entry          *newest, *oldest;
    size_t          nbytes;
};

/* ---- the table, under the lock --------------------------------------------------------------------------------- */

static entry **
bucket_of(ncz_ice_manifests *m, const unsigned char id[NCZ_ICE_ID])
{
    return &m->buckets[ncz_hash(id, NCZ_ICE_ID) % BUCKETS];
}

static entry *
find_entry(ncz_ice_manifests *m, const unsigned char id[NCZ_ICE_ID])
{
    entry *e = *bucket_of(m, id);

    while (e != NULL && memcmp(e->id, id, NCZ_ICE_ID) != 0)
        e = e->next;
    return e;
}

static void
unlink_use(ncz_ice_manifests *m, entry *e)
{
    *(e->newer != NULL ? &e->newer->older : &m->newest) = e->older;
    *(e->older != NULL ? &e->older->newer : &m->oldest) = e->newer;
}

static void
link_newest(ncz_ice_manifests *m, entry *e)
{
    e->newer = NULL;
    e->older = m->newest;
    *(m->newest != NULL ? &m->newest->newer : &m->oldest) = e;
    m->newest = e;
}

static void
remove_entry(ncz_ice_manifests *m, entry *e)
{
    entry **at = bucket_of(m, e->id);

    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    unlink_use(m, e);
    m->nbytes -= e->nbytes;
    if (e->there)
        ncz_ice_manifest_clear(&e->m);
    ncz_free(e);
}

/* Frees the least recently used ones that nobody uses. */
static void
make_room(ncz_ice_manifests *m)
{
    for (entry *e = m->oldest, *newer; e != NULL && m->nbytes > KEPT_MOST; e = newer) {
        newer = e->newer;
        if (e->users == 0 && !e->loading)
            remove_entry(m, e);
    }
}

/* An entry that its maker is to load. */
static entry *
add_entry(ncz_ice_manifests *m, const unsigned char id[NCZ_ICE_ID])
{
    entry *e = ncz_zalloc(sizeof *e), **bucket = bucket_of(m, id);

    if (e == NULL)
        return NULL;
    memcpy(e->id, id, NCZ_ICE_ID);
    e->loading = true;
    e->users = 1;
    e->next = *bucket;
    *bucket = e;
    link_newest(m, e);
    return e;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static void
key_of(const entry *e, char key[NCZ_ICE_KEY])
{
    memcpy(key, "manifests/", 10);
    ncz_ice_id_text(e->id, key + 10);
}

/* From what the store answered. */
static int
read_entry(const ncz_ice_manifests *m, entry *e, const zmap_get_req *r)
{
    ncz_ice_file file = NCZ_ICE_FILE_INIT;
    char         key[NCZ_ICE_KEY], *what;
    int          rc;

    key_of(e, key);
    if ((what = ncz_sprintf("%s: %s", m->name, key)) == NULL)
        return ncz_fail_nomem(0);
    if (r->err.code == NC_EEMPTY)
        rc =
            ncz_fail(NC_ENOOBJECT, "%s: the snapshot names this manifest, and the repository does not have it", what);
    else if (r->err.code != NC_NOERR)
        rc = ncz_err_adopt(&r->err);
    else if ((rc = ncz_ice_file_read(&r->body, NCZ_ICE_MANIFEST, what, &file)) == NC_NOERR)
        rc = ncz_ice_manifest_read(&file, what, &e->m);
    ncz_free(what);
    return rc;
}

/* Whether another try cannot succeed. */
static bool
is_lasting(int rc)
{
    return rc == NC_EZARRMETA || rc == NC_ENOOBJECT || rc == NC_ENOTBUILT;
}

/* The entry was read, with the status `rc`. It keeps its user. */
static void
end_loading(ncz_ice_manifests *m, entry *e, int rc)
{
    ncz_err_save(&e->err, rc);
    (void)pthread_mutex_lock(&m->lock);
    e->loading = false;
    e->there = rc == NC_NOERR;
    e->nbytes = sizeof *e + (e->there ? e->m.file.bytes.cap : 0);
    m->nbytes += e->nbytes;
    make_room(m);
    (void)pthread_cond_broadcast(&m->loaded);
    (void)pthread_mutex_unlock(&m->lock);
}

static zmap_get_req
request_of(const char *key)
{
    return (zmap_get_req){.key = key, .len = ZMAP_WHOLE, .body = NCZ_BUF_LIMIT(ncz_limits_default.index_bytes)};
}

static void
load(ncz_ice_manifests *m, entry *e)
{
    char         key[NCZ_ICE_KEY];
    zmap_get_req r;

    key_of(e, key);
    r = request_of(key);
    (void)zmap_get_batch(m->base, &r, 1, NULL, NULL);
    end_loading(m, e, read_entry(m, e, &r));
    ncz_buf_clear(&r.body);
}

/* Drops a use. An entry that failed and may succeed next time goes with its last one. */
static void
drop(ncz_ice_manifests *m, entry *e)
{
    e->users--;
    if (e->users == 0 && !e->there && !is_lasting(e->err.code))
        remove_entry(m, e);
    make_room(m);
}

int
ncz_ice_manifests_take(ncz_ice_manifests *m, const unsigned char id[NCZ_ICE_ID], ncz_ice_manifest **out)
{
    entry *e;
    int    rc;

    (void)pthread_mutex_lock(&m->lock);
    if ((e = find_entry(m, id)) != NULL) {
        e->users++;
        while (e->loading)
            (void)pthread_cond_wait(&m->loaded, &m->lock);
        unlink_use(m, e);
        link_newest(m, e);
    } else if ((e = add_entry(m, id)) != NULL) {
        (void)pthread_mutex_unlock(&m->lock);
        load(m, e);
        (void)pthread_mutex_lock(&m->lock);
    }
    if (e == NULL)
        rc = ncz_fail_nomem(sizeof *e);
    else if (e->there)
        rc = NC_NOERR;
    else {
        rc = ncz_err_adopt(&e->err);
        drop(m, e);
    }
    (void)pthread_mutex_unlock(&m->lock);
    if (rc == NC_NOERR)
        *out = &e->m;
    return rc;
}

void
ncz_ice_manifests_give(ncz_ice_manifests *m, ncz_ice_manifest *one)
{
    (void)pthread_mutex_lock(&m->lock);
    drop(m, (entry *)one);
    (void)pthread_mutex_unlock(&m->lock);
}

/* ---- several at once ------------------------------------------------------------------------------------------- */

typedef struct loading {
    ncz_ice_manifests *m;
    entry             *entries[TOGETHER_MOST];
    zmap_get_req       reqs[TOGETHER_MOST];
    char               keys[TOGETHER_MOST][NCZ_ICE_KEY];
} loading;

static void
read_one(void *arg, size_t i, ncz_scratch *scratch)
{
    loading *l = arg;

    (void)scratch;
    end_loading(l->m, l->entries[i], read_entry(l->m, l->entries[i], &l->reqs[i]));
    ncz_buf_clear(&l->reqs[i].body);
}

void
ncz_ice_manifests_expect(ncz_ice_manifests *m, const unsigned char *const *ids, size_t n)
{
    loading l = {.m = m};
    size_t  count = 0;

    (void)pthread_mutex_lock(&m->lock);
    for (size_t i = 0; i < n && count < TOGETHER_MOST; i++)
        if (find_entry(m, ids[i]) == NULL && (l.entries[count] = add_entry(m, ids[i])) != NULL)
            count++;
    (void)pthread_mutex_unlock(&m->lock);
    for (size_t i = 0; i < count; i++) {
        key_of(l.entries[i], l.keys[i]);
        l.reqs[i] = request_of(l.keys[i]);
    }
    if (count > 0)
        (void)zmap_get_batch(m->base, l.reqs, count, NULL, NULL);
    ncz_pool_each(count, SIZE_MAX, read_one, &l);
    (void)pthread_mutex_lock(&m->lock);
    for (size_t i = 0; i < count; i++)
        drop(m, l.entries[i]);
    (void)pthread_mutex_unlock(&m->lock);
    ncz_err_clear();
}

/* ---- opening and closing --------------------------------------------------------------------------------------- */

int
ncz_ice_manifests_new(zmap *base, const char *name, ncz_ice_manifests **out)
{
    ncz_ice_manifests *m = ncz_zalloc(sizeof *m);
    int                err;

    if (m == NULL)
        return ncz_fail_nomem(sizeof *m);
    m->base = base;
    m->name = name;
    if ((err = pthread_mutex_init(&m->lock, NULL)) != 0) {
        ncz_free(m);
        return ncz_fail_lock(err);
    }
    if ((err = pthread_cond_init(&m->loaded, NULL)) != 0) {
        (void)pthread_mutex_destroy(&m->lock);
        ncz_free(m);
        return ncz_fail_lock(err);
    }
    *out = m;
    return NC_NOERR;
}

void
ncz_ice_manifests_free(ncz_ice_manifests *m)
{
    if (m == NULL)
        return;
    while (m->oldest != NULL)
        remove_entry(m, m->oldest);
    (void)pthread_cond_destroy(&m->loaded);
    (void)pthread_mutex_destroy(&m->lock);
    ncz_free(m);
}
