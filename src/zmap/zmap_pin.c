/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zmap_pin: an object of which all reads must be of the version that was read first: a mixture of two would be neither.
 * Versions are told apart by the store's stamps and by sizes, as far as it has them.
 */
#include "zmap/zmap_int.h"

#include <string.h>

int
zmap_pin_init(zmap_pinned *p)
{
    *p = (zmap_pinned){.size = ZMAP_NO_SIZE};
    return pthread_mutex_init(&p->lock, NULL);
}

void
zmap_pin_clear(zmap_pinned *p)
{
    (void)pthread_mutex_destroy(&p->lock);
}

void
zmap_pin_set(zmap_pinned *p)
{
    atomic_store_explicit(&p->on, true, memory_order_release);
}

void
zmap_pin_grows(zmap_pinned *p)
{
    atomic_store_explicit(&p->grows, true, memory_order_release);
}

void
zmap_pin_forget(zmap_pinned *p)
{
    (void)pthread_mutex_lock(&p->lock);
    atomic_store(&p->on, false);
    atomic_store(&p->grows, false);
    atomic_store(&p->known, false);
    (void)pthread_mutex_unlock(&p->lock);
}

bool
zmap_pin_is_held(const zmap_pinned *p)
{
    return atomic_load(&p->on) && atomic_load(&p->grows);
}

bool
zmap_pin_asks(const zmap_pinned *p)
{
    return atomic_load_explicit(&p->on, memory_order_relaxed) ||
           !atomic_load_explicit(&p->known, memory_order_relaxed);
}

/* Notes the first version that is read, and compares others with it. */
static bool
is_first_version(zmap_pinned *p, const zmap_get_req *r, int rc)
{
    bool same = true;

    (void)pthread_mutex_lock(&p->lock);
    if (!atomic_load_explicit(&p->known, memory_order_relaxed) && rc == NC_NOERR) {
        memcpy(p->version, r->version, sizeof p->version);
        p->size = r->size;
        atomic_store_explicit(&p->known, true, memory_order_relaxed);
    }
    if (atomic_load_explicit(&p->grows, memory_order_acquire)) {
        same = p->size == ZMAP_NO_SIZE || r->size == ZMAP_NO_SIZE || r->size >= p->size;
    } else {
        if (p->version[0] != '\0' && r->version[0] != '\0')
            same = strcmp(p->version, r->version) == 0;
        if (p->size != ZMAP_NO_SIZE && r->size != ZMAP_NO_SIZE)
            same = same && p->size == r->size;
    }
    (void)pthread_mutex_unlock(&p->lock);
    return same;
}

int
zmap_pin_check(zmap_pinned *p, zmap_get_req *r, int rc, const char *place)
{
    if (is_first_version(p, r, rc) || !atomic_load_explicit(&p->on, memory_order_acquire))
        return rc;
    if (r->into == NULL)
        r->body.len -= r->nread;
    r->nread = 0;
    return ncz_fail(NC_EIO, "%s: the file was replaced or changed since it was opened; open it again", place);
}

void
zmap_pin(zmap *m)
{
    if (m->ops->pin != NULL)
        m->ops->pin(m);
}
