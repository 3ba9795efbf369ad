/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of zmap.h. They check keys, ranges and abilities once, make up for what a store cannot do, and derive
 * the status of a batch from that of its requests. A store may trust the arguments that it gets from here.
 *
 * Holds no lock; safe from any thread as far as the store is.
 */
#include "zmap/zmap_int.h"

#include <inttypes.h>
#include <string.h>

bool
zmap_key_valid(const char *key)
{
    size_t start = 0, i = 0;

    if (key == NULL)
        return false;
    for (;; i++) {
        unsigned char c = (unsigned char)key[i];

        if (c == '/' || c == '\0') {
            size_t len = i - start;

            if (len == 0 || (key[start] == '.' && (len == 1 || (len == 2 && key[start + 1] == '.'))))
                return false;
            start = i + 1;
        }
        if (c == '\0')
            break;
        if (i == ZMAP_KEY_MAX || c < 0x20 || c == 0x7f || c == '\\')
            return false;
    }
    return ncz_utf8_valid(key, i);
}

/* An invalid key may contain any bytes. Only its printable start goes into the text. */
static int
fail_key(const char *key)
{
    size_t len = 0;

    while (key != NULL && len < 80 && key[len] >= 0x20 && key[len] < 0x7f)
        len++;
    return ncz_fail(NC_EINVAL, "\"%.*s\"%s is not a key", (int)len, key != NULL ? key : "",
                    key != NULL && key[len] != '\0' ? "..." : "");
}

bool
zmap_is_key_of(const zmap *m, const char *key)
{
    return (m->caps & ZMAP_SINGLE) != 0 ? key != NULL && key[0] == '\0' : zmap_key_valid(key);
}

int
zmap_fail_unable(const zmap *m, const char *what)
{
    return ncz_fail(NC_ENOTBUILT, "the %s store cannot %s", m->ops->name, what);
}

static int
fail_list(const zmap *m)
{
    if ((m->caps & ZMAP_SINGLE) != 0)
        return ncz_fail(NC_ENOTBUILT, "it is one file, without keys: nczdump shows what it holds");
    return zmap_fail_unable(m, "list its keys");
}

static int
check_write(const zmap *m)
{
    if ((m->caps & ZMAP_CAN_WRITE) == 0)
        return ncz_fail(NC_EPERM, "the %s store is open for reading only", m->ops->name);
    return NC_NOERR;
}

int
zmap_check_change(const zmap *m, const char *key)
{
    int rc = check_write(m);

    return rc == NC_NOERR && !zmap_is_key_of(m, key) ? fail_key(key) : rc;
}

const char *
zmap_name(const zmap *m)
{
    return m->ops->name;
}

unsigned
zmap_caps_of(const zmap *m)
{
    return m->caps;
}

static void
add_count(_Atomic uint64_t *n, uint64_t more)
{
    atomic_fetch_add_explicit(n, more, memory_order_relaxed);
}

/* ---- get ------------------------------------------------------------------------------------------------------- */

static int
check_get(const zmap *m, zmap_get_req *r)
{
    uint64_t end;

    r->nread = 0;
    r->size = ZMAP_NO_SIZE;
    r->version[0] = '\0';
    r->modified = 0;
    if (!zmap_is_key_of(m, r->key))
        return fail_key(r->key);
    if (r->from_end && (r->off != 0 || r->len == ZMAP_WHOLE))
        return ncz_fail(NC_EINVAL, "%s: the last bytes of an object have a length, and no offset", r->key);
    if (r->len != ZMAP_WHOLE && !ncz_add64(r->off, r->len, &end))
        return ncz_fail(NC_EINVAL, "%s: a range of %" PRIu64 " bytes from %" PRIu64, r->key, r->len, r->off);
    return NC_NOERR;
}

/* Whether the store cannot answer this request by itself. */
static bool
needs_help(const zmap *m, const zmap_get_req *r)
{
    if (r->off == 0 && r->len == ZMAP_WHOLE)
        return false;
    return (m->caps & ZMAP_CAN_RANGE) == 0 || ((r->from_end || r->ask_size) && (m->caps & ZMAP_CAN_FROM_END) == 0);
}

/* Reads the whole object, up to the limit of stored objects, and cuts the range out of it. */
static void
get_cut(zmap *m, zmap_get_req *r, zmap_done_fn done, void *arg)
{
    zmap_get_req whole = {.key = r->key,
                          .len = ZMAP_WHOLE,
                          .ask_version = r->ask_version,
                          .body = NCZ_BUF_LIMIT(ncz_limits_default.object_bytes)};
    int          rc;

    m->ops->get(m, &whole, 1, NULL, NULL);
    rc = whole.err.code;
    if (rc == NC_NOERR)
        rc = zmap_answer_bytes(r, whole.body.data, whole.body.len);
    else
        ncz_err_adopt(&whole.err);
    memcpy(r->version, whole.version, sizeof r->version);
    ncz_buf_clear(&whole.body);
    zmap_get_end(r, rc, done, arg);
}

/* Asks for the length, then for the range. If the object is replaced in between, the answer is an error or a range
 * computed from the old length: such a store has no versions that could reveal the change. */
static void
get_by_length(zmap *m, zmap_get_req *r, zmap_done_fn done, void *arg)
{
    zmap_get_req range = {
        .key = r->key, .ask_version = r->ask_version, .into = r->into, .into_cap = r->into_cap, .body = r->body};
    uint64_t size = 0;
    size_t   n;
    int      rc;

    if ((rc = m->ops->len(m, r->key, &size)) != NC_NOERR ||
        (rc = zmap_answer_range(r, size, &range.off, &n)) != NC_NOERR)
        goto done;
    range.len = n;
    m->ops->get(m, &range, 1, NULL, NULL);
    r->body = range.body;
    r->nread = range.nread;
    memcpy(r->version, range.version, sizeof r->version);
    /* NC_EEMPTY has no text to adopt. */
    rc = range.err.code == NC_EEMPTY ? NC_EEMPTY : ncz_err_adopt(&range.err);
done:
    zmap_get_end(r, rc, done, arg);
}

static void
emulate_get(zmap *m, zmap_get_req *r, zmap_done_fn done, void *arg)
{
    if ((m->caps & ZMAP_CAN_RANGE) != 0 && m->ops->len != NULL)
        get_by_length(m, r, done, arg);
    else
        get_cut(m, r, done, arg);
}

static void
count_gets(zmap *m, const zmap_get_req *reqs, size_t n)
{
    uint64_t nbytes = 0;

    for (size_t i = 0; i < n; i++)
        nbytes += reqs[i].nread;
    add_count(&m->done.gets, n);
    add_count(&m->done.bytes_read, nbytes);
}

/* The first failure of a batch; an absent object does not count as one. */
static int
get_status(const zmap_get_req *reqs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (reqs[i].err.code != NC_NOERR && reqs[i].err.code != NC_EEMPTY)
            return ncz_err_adopt(&reqs[i].err);
    return NC_NOERR;
}

/* The store gets the batch in runs that are as long as possible, because some stores send all requests of a call at
 * once. Only a request that is answered here ends a run. */
int
zmap_get_batch(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    zmap_log_batch log;

    if (zmap_is_logged(m)) {
        zmap_log_begin(&log, m, done, arg);
        done = zmap_log_get;
        arg = &log;
    }
    for (size_t i = 0; i < n;) {
        size_t end = i;
        int    rc = NC_NOERR;

        while (end < n && (rc = check_get(m, &reqs[end])) == NC_NOERR && !needs_help(m, &reqs[end]))
            end++;
        if (end > i) {
            m->ops->get(m, reqs + i, end - i, done, arg);
            i = end;
        } else {
            if (rc != NC_NOERR)
                zmap_get_end(&reqs[i], rc, done, arg);
            else
                emulate_get(m, &reqs[i], done, arg);
            i++;
        }
    }
    count_gets(m, reqs, n);
    return get_status(reqs, n);
}

int
zmap_get(zmap *m, const char *key, ncz_buf *body)
{
    zmap_get_req r = {.key = key, .len = ZMAP_WHOLE, .body = *body};

    zmap_get_batch(m, &r, 1, NULL, NULL);
    *body = r.body;
    if (r.err.code == NC_EEMPTY)
        return ncz_fail(NC_EEMPTY, "%s: no such object", key);
    return r.err.code;
}

static int
fail_range(const zmap_get_req *r)
{
    if (r->key[0] == '\0') /* of a store of one object */
        return ncz_fail(NC_ETRUNC, "the file ends within the %" PRIu64 " bytes at %" PRIu64, r->len, r->off);
    if (r->err.code == NC_EEMPTY)
        return ncz_fail(NC_ETRUNC, "%s: no such object", r->key);
    return ncz_fail(NC_ETRUNC, "%s: it ends within the %" PRIu64 " bytes at %" PRIu64, r->key, r->len, r->off);
}

int
zmap_get_ranges(zmap *m, const char *key, const ncz_read_range *ranges, size_t n)
{
    zmap_get_req *reqs = ncz_zalloc_n(n, sizeof *reqs);
    int           rc;

    if (reqs == NULL)
        return ncz_fail_nomem(n * sizeof *reqs);
    for (size_t i = 0; i < n; i++)
        reqs[i] = (zmap_get_req){.key = key,
                                 .off = ranges[i].at,
                                 .len = ranges[i].len,
                                 .cut = true,
                                 .into = ranges[i].out,
                                 .into_cap = ranges[i].len};
    rc = zmap_get_batch(m, reqs, n, NULL, NULL);
    for (size_t i = 0; i < n && rc == NC_NOERR; i++)
        if (reqs[i].nread != ranges[i].len || reqs[i].err.code == NC_EEMPTY)
            rc = fail_range(&reqs[i]);
    ncz_free(reqs);
    return rc;
}

int
zmap_load(const zmap_source *from, size_t len, void **out)
{
    ncz_read_range range = {.at = from->off, .len = len, .out = ncz_alloc(len > 0 ? len : 1)};
    int            rc;

    if (range.out == NULL)
        return ncz_fail_nomem(len);
    if (len > 0 && (rc = zmap_get_ranges(from->m, from->key, &range, 1)) != NC_NOERR) {
        ncz_free(range.out);
        return rc;
    }
    *out = range.out;
    return NC_NOERR;
}

/* A read of no bytes is enough to see whether the object exists. */
static int
is_there(zmap *m, const char *key)
{
    char         none[1];
    zmap_get_req r = {.key = key, .into = none};
    int          rc = zmap_get_batch(m, &r, 1, NULL, NULL);

    if (rc == NC_NOERR && r.err.code == NC_EEMPTY)
        return ncz_fail(NC_EEMPTY, "%s: no such object", key);
    return rc;
}

static int
note_child(const char *name, bool leaf, void *arg)
{
    (void)name;
    (void)leaf;
    *(bool *)arg = true;
    return 1; /* one child suffices: stop */
}

/* Whether there are objects below a key that a get has refused. */
static bool
is_prefix(zmap *m, const char *key)
{
    bool found = false;

    if ((m->caps & ZMAP_CAN_LIST) != 0)
        (void)m->ops->list(m, key, note_child, &found);
    return found;
}

int
zmap_len(zmap *m, const char *key, uint64_t *len)
{
    ncz_buf  body = NCZ_BUF_LIMIT(ncz_limits_default.object_bytes);
    uint64_t known = 0;
    int      rc;

    if (!zmap_is_key_of(m, key))
        return fail_key(key);
    if (m->ops->len != NULL) {
        zmap_log_batch log;
        bool           logged = zmap_is_logged(m);

        if (logged)
            zmap_log_begin(&log, m, NULL, NULL);
        rc = m->ops->len(m, key, &known);
        if (logged)
            zmap_log_other(&log, "length of", key, 1, rc);
        if (rc == NC_EEMPTY)
            rc = ncz_fail(NC_EEMPTY, "%s: no such object", key);
    } else if (len == NULL && (m->caps & ZMAP_CAN_RANGE) != 0) {
        rc = is_there(m, key);
    } else {
        rc = zmap_get(m, key, &body);
        known = body.len;
        ncz_buf_clear(&body);
    }
    if (rc == NC_NOERR && len != NULL)
        *len = known;
    if (rc == NC_EACCESS && m->ops->len == NULL && is_prefix(m, key))
        rc = ncz_fail(NC_EEMPTY, "%s: no such object", key);
    return rc;
}

/* ---- put and del ----------------------------------------------------------------------------------------------- */

int
zmap_check_put(const zmap *m, zmap_put_req *r)
{
    int rc;

    r->stored[0] = '\0';
    if ((rc = zmap_check_change(m, r->key)) != NC_NOERR)
        return rc;
    if (r->parts != NULL && (m->caps & ZMAP_CAN_PARTS) == 0)
        return zmap_fail_unable(m, "put bytes from several places");
    if (r->data == NULL && r->parts == NULL && r->from == NULL && r->len != 0)
        return ncz_fail(NC_EINVAL, "%s: no data", r->key);
    if (r->when == ZMAP_IF_ABSENT && (m->caps & ZMAP_CAN_IF_ABSENT) == 0)
        return zmap_fail_unable(m, "put only what is absent");
    if (r->when == ZMAP_IF_MATCH && (m->caps & ZMAP_CAN_IF_MATCH) == 0)
        return zmap_fail_unable(m, "put over one version only");
    if (r->when == ZMAP_IF_MATCH && (r->version == NULL || r->version[0] == '\0'))
        return ncz_fail(NC_EINVAL, "%s: no version to match", r->key);
    return NC_NOERR;
}

static void
count_puts(zmap *m, const zmap_put_req *reqs, size_t n)
{
    uint64_t nbytes = 0;

    for (size_t i = 0; i < n; i++)
        nbytes += reqs[i].err.code == NC_NOERR ? reqs[i].len : 0;
    add_count(&m->done.puts, n);
    add_count(&m->done.bytes_written, nbytes);
}

/* A put whose bytes are read into memory first. */
static void
put_loaded(zmap *m, zmap_put_req *r)
{
    zmap_put_req loaded = *r;
    void        *data = NULL;
    int          rc;

    if ((rc = zmap_check_put(m, r)) == NC_NOERR && (rc = zmap_load(r->from, r->len, &data)) == NC_NOERR) {
        loaded.from = NULL;
        loaded.data = data;
        m->ops->put(m, &loaded, 1);
        r->err = loaded.err;
        memcpy(r->stored, loaded.stored, sizeof r->stored);
    } else {
        zmap_put_end(r, rc);
    }
    ncz_free(data);
}

/* Invalid requests end here; the others go to the store in runs that are as long as possible. */
int
zmap_put_batch(zmap *m, zmap_put_req *reqs, size_t n)
{
    zmap_log_batch log;
    bool           logged = zmap_is_logged(m);

    if (logged)
        zmap_log_begin(&log, m, NULL, NULL);
    for (size_t i = 0; i < n;) {
        size_t end = i;
        int    rc = NC_NOERR;

        while (end < n && !zmap_must_load(m, reqs[end].from) && (rc = zmap_check_put(m, &reqs[end])) == NC_NOERR)
            end++;
        if (end > i)
            m->ops->put(m, reqs + i, end - i);
        else if (rc == NC_NOERR)
            put_loaded(m, &reqs[end++]);
        else
            zmap_put_end(&reqs[end++], rc);
        i = end;
    }
    count_puts(m, reqs, n);
    if (logged)
        zmap_log_puts(&log, reqs, n);
    for (size_t i = 0; i < n; i++)
        if (reqs[i].err.code != NC_NOERR)
            return ncz_err_adopt(&reqs[i].err);
    return NC_NOERR;
}

int
zmap_put(zmap *m, const char *key, const void *data, size_t len)
{
    zmap_put_req r = {.key = key, .data = data, .len = len, .when = ZMAP_ALWAYS};

    return zmap_put_batch(m, &r, 1);
}

int
zmap_copy(zmap *m, const char *key, const zmap_source *from, size_t len)
{
    zmap_put_req   r = {.key = key, .len = len, .from = from, .when = ZMAP_ALWAYS};
    char           none[1];
    ncz_read_range nothing = {.at = from->off, .out = none};
    int            rc;

    /* A copy of no bytes reads nothing. */
    if (len == 0 && (rc = zmap_get_ranges(from->m, from->key, &nothing, 1)) != NC_NOERR)
        return rc;
    return zmap_put_batch(m, &r, 1);
}

/* Tries all keys: a failure must not keep the other objects from being deleted. */
static int
delete_all(zmap *m, const char *const *keys, size_t n)
{
    ncz_err first = {.code = NC_NOERR};
    int     rc;

    add_count(&m->done.dels, n);
    for (size_t i = 0; i < n;) {
        size_t end = i;

        while (end < n && zmap_is_key_of(m, keys[end]))
            end++;
        rc = end > i ? m->ops->del(m, keys + i, end - i) : fail_key(keys[end++]);
        if (rc != NC_NOERR && first.code == NC_NOERR)
            ncz_err_save(&first, rc);
        i = end;
    }
    return first.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&first);
}

int
zmap_del(zmap *m, const char *const *keys, size_t n)
{
    zmap_log_batch log;
    bool           logged = n > 0 && zmap_is_logged(m);
    int            rc;

    if ((rc = check_write(m)) != NC_NOERR)
        return rc;
    if (logged)
        zmap_log_begin(&log, m, NULL, NULL);
    rc = delete_all(m, keys, n);
    if (logged)
        zmap_log_other(&log, "delete", keys[0], n, rc);
    return rc;
}

int
zmap_del_match(zmap *m, const char *key, const char *version)
{
    zmap_log_batch log;
    bool           logged = zmap_is_logged(m);
    int            rc;

    if ((rc = zmap_check_change(m, key)) != NC_NOERR)
        return rc;
    if ((m->caps & ZMAP_CAN_DEL_MATCH) == 0)
        return zmap_fail_unable(m, "delete one version only");
    if (version == NULL || version[0] == '\0')
        return ncz_fail(NC_EINVAL, "%s: no version to match", key);
    add_count(&m->done.dels, 1);
    if (logged)
        zmap_log_begin(&log, m, NULL, NULL);
    rc = m->ops->del_match(m, key, version);
    if (logged)
        zmap_log_other(&log, "delete if unchanged", key, 1, rc);
    return rc;
}

/* ---- the rest -------------------------------------------------------------------------------------------------- */

int
zmap_check_list(const zmap *m, const char *prefix)
{
    if ((m->caps & ZMAP_CAN_LIST) == 0)
        return fail_list(m);
    if (prefix == NULL || (prefix[0] != '\0' && !zmap_key_valid(prefix)))
        return fail_key(prefix);
    return NC_NOERR;
}

/* Passes on the children whose names are keys. */
typedef struct usable {
    zmap_each_fn each;
    void        *arg;
} usable;

static int
pass_usable(const char *name, bool leaf, void *arg)
{
    usable *u = arg;

    return zmap_key_valid(name) ? u->each(name, leaf, u->arg) : 0;
}

int
zmap_list(zmap *m, const char *prefix, zmap_each_fn each, void *arg)
{
    usable u = {each, arg};

    return zmap_list_names(m, prefix, pass_usable, &u);
}

int
zmap_list_names(zmap *m, const char *prefix, zmap_each_fn each, void *arg)
{
    zmap_log_batch log;
    bool           logged = zmap_is_logged(m);
    int            rc = zmap_check_list(m, prefix);

    if (rc != NC_NOERR)
        return rc;
    add_count(&m->done.lists, 1);
    if (logged)
        zmap_log_begin(&log, m, NULL, NULL);
    rc = m->ops->list(m, prefix, each, arg);
    if (logged)
        zmap_log_other(&log, "list", prefix, 1, NC_NOERR); /* a non-zero status may be the caller's, to stop */
    return rc;
}

void
zmap_stats_of(const zmap *m, zmap_stats *out)
{
    const zmap_counts *from = &m->done;

    *out = (zmap_stats){.gets = atomic_load_explicit(&from->gets, memory_order_relaxed),
                        .puts = atomic_load_explicit(&from->puts, memory_order_relaxed),
                        .dels = atomic_load_explicit(&from->dels, memory_order_relaxed),
                        .lists = atomic_load_explicit(&from->lists, memory_order_relaxed),
                        .bytes_read = atomic_load_explicit(&from->bytes_read, memory_order_relaxed),
                        .bytes_written = atomic_load_explicit(&from->bytes_written, memory_order_relaxed)};
    if (m->ops->stats != NULL)
        m->ops->stats(m, out);
}

void
zmap_stats_add_network(const zmap *below, zmap_stats *out)
{
    zmap_stats one;

    zmap_stats_of(below, &one);
    out->requests += one.requests;
    out->retries += one.retries;
    out->bytes_in += one.bytes_in;
    out->bytes_out += one.bytes_out;
    out->ms += one.ms;
}

int
zmap_sync(zmap *m)
{
    zmap_log_batch log;
    bool           logged = zmap_is_logged(m);
    int            rc;

    if ((m->caps & ZMAP_CAN_SYNC) == 0)
        return NC_NOERR;
    if (logged)
        zmap_log_begin(&log, m, NULL, NULL);
    rc = m->ops->sync(m);
    if (logged)
        zmap_log_other(&log, "sync", "", 1, rc);
    return rc;
}

zmap *
zmap_ref(zmap *m)
{
    atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed);
    return m;
}

int
zmap_close(zmap *m, zmap_end how)
{
    /* Acquire-release: the thread that closes sees what the others did before they dropped their references. */
    if (m == NULL || atomic_fetch_sub_explicit(&m->refs, 1, memory_order_acq_rel) != 1)
        return NC_NOERR;
    return m->ops->close(m, how);
}
