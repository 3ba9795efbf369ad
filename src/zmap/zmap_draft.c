/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Drafts: the functions of zmap.h for stores with ZMAP_CAN_DRAFT. They check the key and the ranges once. Nothing makes
 * up for the ability where it is missing: the caller then puts whole objects.
 *
 * Holds no lock; safe from any thread as zmap.h says.
 */
#include "platform/platform.h"
#include "zmap/zmap_int.h"

#include <inttypes.h>
#include <string.h>

/* `name`: of the one that is joined, or NULL. */
static int
new_draft(zmap *m, const char *key, const char *name, uint64_t size, zmap_draft **out)
{
    int         rc = zmap_check_change(m, key);
    size_t      nkey = rc == NC_NOERR ? strlen(key) + 1 : 0;
    zmap_draft *d;

    if (rc != NC_NOERR)
        return rc;
    if ((m->caps & ZMAP_CAN_DRAFT) == 0)
        return zmap_fail_unable(m, "write an object in place before it has its name");
    if (size > INT64_MAX)
        return ncz_fail(NC_EINVAL, "%s: more bytes than an object can have", key);
    if ((d = ncz_alloc(sizeof *d + nkey)) == NULL)
        return ncz_fail_nomem(sizeof *d + nkey);
    *d = (zmap_draft){.m = m, .size = size, .pid = ncz_sys_pid(), .joined = name != NULL};
    memcpy(d->key, key, nkey);
    rc = name != NULL ? m->ops->drafts->join(m, d, name) : m->ops->drafts->begin(m, d);
    if (rc != NC_NOERR) {
        ncz_free(d);
        return rc;
    }
    *out = d;
    return NC_NOERR;
}

int
zmap_draft_begin(zmap *m, const char *key, uint64_t size, zmap_draft **out)
{
    return new_draft(m, key, NULL, size, out);
}

int
zmap_draft_join(zmap *m, const char *key, const char *name, uint64_t size, zmap_draft **out)
{
    return new_draft(m, key, name, size, out);
}

const char *
zmap_draft_name(const zmap_draft *d)
{
    return d->m->ops->drafts->name(d);
}

bool
zmap_draft_is_own(const zmap_draft *d)
{
    return d->pid == ncz_sys_pid();
}

static int
check_range(const zmap_draft *d, uint64_t off, const void *data, size_t len)
{
    if (data == NULL && len != 0)
        return ncz_fail(NC_EINVAL, "%s: no data", d->key);
    if (off > d->size || len > d->size - off)
        return ncz_fail(NC_EINVAL, "%s: %zu bytes at %" PRIu64 " end behind its %" PRIu64 " bytes", d->key, len, off,
                        d->size);
    return NC_NOERR;
}

static int
check_unfinished(const zmap_draft *d)
{
    if (d->published)
        return ncz_fail(NC_EINVAL, "%s: has its name already", d->key);
    if (!zmap_draft_is_own(d))
        return ncz_fail(NC_EINVAL, "%s: was begun by the process that this one was forked from", d->key);
    return NC_NOERR;
}

int
zmap_draft_write(zmap_draft *d, uint64_t off, const void *data, size_t len)
{
    int rc = check_range(d, off, data, len);

    if (rc == NC_NOERR)
        rc = check_unfinished(d);
    return rc != NC_NOERR || len == 0 ? rc : d->m->ops->drafts->write(d, off, data, len);
}

int
zmap_draft_read(zmap_draft *d, uint64_t off, void *into, size_t len)
{
    int rc = d->joined ? ncz_fail(NC_EINVAL, "%s: is only written here", d->key) : check_range(d, off, into, len);

    return rc != NC_NOERR || len == 0 ? rc : d->m->ops->drafts->read(d, off, into, len);
}

int
zmap_draft_map(zmap_draft *d, const void **out)
{
    return d->joined ? ncz_fail(NC_EINVAL, "%s: is only written here", d->key) : d->m->ops->drafts->map(d, out);
}

static int
publish(zmap_draft *d, uint64_t size, zmap_put_req *r)
{
    zmap          *m = d->m;
    zmap_log_batch log;
    bool           logged = zmap_is_logged(m);

    if (logged)
        zmap_log_begin(&log, m, NULL, NULL);
    zmap_put_end(r, m->ops->drafts->publish(d, size, r));
    r->len = (size_t)size; /* for the log */
    atomic_fetch_add_explicit(&m->done.puts, 1, memory_order_relaxed);
    if (r->err.code == NC_NOERR)
        atomic_fetch_add_explicit(&m->done.bytes_written, size, memory_order_relaxed);
    if (logged)
        zmap_log_puts(&log, r, 1);
    return r->err.code;
}

int
zmap_draft_publish(zmap_draft *d, uint64_t size, zmap_when when, const char *version, char stored[ZMAP_VERSION])
{
    zmap_put_req r = {.key = d->key, .when = when, .version = version};
    int          rc = zmap_check_put(d->m, &r);

    if (rc == NC_NOERR && d->joined)
        rc = ncz_fail(NC_EINVAL, "%s: is only written here", d->key);
    if (rc == NC_NOERR && size > d->size)
        rc = ncz_fail(NC_EINVAL, "%s: %" PRIu64 " bytes are more than its %" PRIu64, d->key, size, d->size);
    if (rc == NC_NOERR)
        rc = check_unfinished(d);
    if (rc == NC_NOERR && (rc = publish(d, size, &r)) == NC_NOERR)
        d->published = true;
    if (stored != NULL)
        memcpy(stored, r.stored, ZMAP_VERSION);
    return rc;
}

void
zmap_draft_end(zmap_draft *d)
{
    ncz_err text;

    if (d == NULL)
        return;
    ncz_err_save(&text, NC_EINVAL); /* any code: only the text counts */
    d->m->ops->drafts->end(d);
    (void)ncz_err_adopt(&text);
    ncz_free(d);
}
