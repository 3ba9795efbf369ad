/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who writes a file that is a dataset, and what those do who read it meanwhile: locks, the name that leads to the file,
 * changes that are whole or not there.
 */
#include "zmap/zmap_single_int.h"

#include "platform/platform.h"
#include "zmap/file/zmap_file.h"
#include "zmap/zmap_unfinished.h"

#include <string.h>

/* Whether the object is a file that others can open by its name. */
static bool
is_named_file(const single_map *s)
{
    return s->base.ops == &zmap_single_ops && zmap_is_file(s->inner) && zmap_single_key(s) == s->key;
}

int
zmap_single_own(zmap *m, bool shared)
{
    single_map    *s = (single_map *)m;
    zmap_held_name name;
    int            rc;

    if (m->ops != &zmap_single_ops || (rc = zmap_file_own(s->inner, shared)) != NC_NOERR)
        return m->ops != &zmap_single_ops ? NC_NOERR : rc;
    s->owner = ncz_sys_pid();
    if (!is_named_file(s))
        return NC_NOERR;
    if ((rc = zmap_file_find_held(s->inner, s->key, &name)) == NC_NOERR && name == ZMAP_HELD_REPLACED)
        rc = ncz_fail(NC_EACCESS, "%s: another writer has just replaced it: open it again", s->key);
    if (rc == NC_NOERR && (!shared || zmap_file_alone(s->inner) == NC_NOERR)) {
        if ((rc = zmap_journal_finish(s->inner, s->key)) == NC_NOERR)
            zmap_unfinished_remove(s->inner, s->key);
        if (shared)
            (void)zmap_file_own(s->inner, true);
    }
    if (rc != NC_NOERR)
        zmap_single_disown(m);
    return rc;
}

int
zmap_single_alone(zmap *m)
{
    return is_named_file((single_map *)m) ? zmap_file_alone(((single_map *)m)->inner) : NC_NOERR;
}

void
zmap_single_share(zmap *m)
{
    if (is_named_file((single_map *)m))
        (void)zmap_file_own(((single_map *)m)->inner, true); /* not refused: it has the lock */
}

int
zmap_single_find(zmap *m, bool *replaced)
{
    single_map    *s = (single_map *)m;
    zmap_held_name name = ZMAP_HELD_NAMED;
    int            rc = is_named_file(s) ? zmap_file_find_held(s->inner, s->key, &name) : NC_NOERR;

    *replaced = name == ZMAP_HELD_REPLACED;
    return rc;
}

bool
zmap_single_is_named(const zmap *m)
{
    return is_named_file((const single_map *)m);
}

int
zmap_single_guard(zmap *m, bool *held)
{
    *held = false;
    return m->ops == &zmap_single_ops ? zmap_file_guard(((single_map *)m)->inner, held) : NC_NOERR;
}

int
zmap_single_guard_shared(zmap *m, bool *shared)
{
    *shared = false;
    return is_named_file((single_map *)m) ? zmap_file_guard_shared(((single_map *)m)->inner, shared) : NC_NOERR;
}

int
zmap_single_look(zmap *m, char version[ZMAP_VERSION])
{
    single_map  *s = (single_map *)m;
    char         none[1];
    zmap_get_req r = {.key = "", .into = none, .ask_version = true};
    int          rc;

    version[0] = '\0';
    if (!is_named_file(s) || (s->base.caps & ZMAP_CAN_WRITE) != 0)
        return NC_NOERR;
    ncz_buf_clear(&s->patch.bytes);
    if ((rc = zmap_get_batch(m, &r, 1, NULL, NULL)) != NC_NOERR)
        return NC_NOERR; /* who reads it finds what is wrong */
    memcpy(version, r.version, ZMAP_VERSION);
    return zmap_journal_look(s->inner, s->key, &s->patch);
}

int
zmap_single_change(zmap *m, uint64_t at, const void *old, size_t nold, const void *bytes, size_t len, bool durable)
{
    single_map *s = (single_map *)m;

    return is_named_file(s) ? zmap_journal_change(s->inner, s->key, at, old, nold, bytes, len, durable)
                            : zmap_put_range(m, "", at, bytes, len);
}
