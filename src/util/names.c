/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A table from names to indexes: open addressing, linear probing, at most three quarters full.
 *
 * Invariant: nslots is 0 or a power of two; `used` counts slots that are not empty (live or dead), `live` those with
 * a name. A failed put changes nothing. Reading from many threads is safe while none writes.
 */
#include "util/util.h"

#include <string.h>

#define NAMES_FIRST 16

typedef struct ncz_names_slot {
    char    *name; /* NULL when empty or dead */
    uint64_t hash;
    size_t   index;
    bool     dead; /* the slot held a name: a search must go on after it */
} names_slot;

static names_slot *
find_slot(const ncz_names *t, const char *name, uint64_t hash)
{
    if (t->nslots == 0)
        return NULL;
    for (size_t i = (size_t)hash & (t->nslots - 1);; i = (i + 1) & (t->nslots - 1)) {
        names_slot *s = &t->slots[i];

        if (s->name == NULL && !s->dead)
            return NULL;
        if (s->name != NULL && s->hash == hash && strcmp(s->name, name) == 0)
            return s;
    }
}

static names_slot *
find_free_slot(names_slot *slots, size_t nslots, uint64_t hash)
{
    size_t i = (size_t)hash & (nslots - 1);

    while (slots[i].name != NULL)
        i = (i + 1) & (nslots - 1);
    return &slots[i];
}

/* Makes room for one more name. Drops dead slots, so that a table of few names stays small. */
static int
make_room(ncz_names *t)
{
    size_t      nslots = NAMES_FIRST;
    names_slot *slots;

    if (t->nslots != 0 && t->used < t->nslots - t->nslots / 4)
        return NC_NOERR;
    while (t->live >= nslots / 2)
        if (!ncz_mul(nslots, 2, &nslots))
            return ncz_fail_nomem(SIZE_MAX);
    if ((slots = ncz_zalloc_n(nslots, sizeof *slots)) == NULL)
        return ncz_fail_nomem(nslots * sizeof *slots);

    for (size_t i = 0; i < t->nslots; i++)
        if (t->slots[i].name != NULL)
            *find_free_slot(slots, nslots, t->slots[i].hash) = t->slots[i];
    ncz_free(t->slots);
    t->slots = slots;
    t->nslots = nslots;
    t->used = t->live;
    return NC_NOERR;
}

/* `keep`: an index that is there stays. */
static int
put_name(ncz_names *t, const char *name, size_t index, bool keep)
{
    size_t      len = strlen(name);
    uint64_t    hash = ncz_hash(name, len);
    names_slot *s = find_slot(t, name, hash);
    char       *copy;
    int         rc;

    if (s != NULL) {
        s->index = keep ? s->index : index;
        return NC_NOERR;
    }
    if ((rc = make_room(t)) != NC_NOERR)
        return rc;
    if ((copy = ncz_strndup(name, len)) == NULL)
        return ncz_fail_nomem(len + 1);

    s = find_free_slot(t->slots, t->nslots, hash);
    if (!s->dead)
        t->used++;
    t->live++;
    *s = (names_slot){.name = copy, .hash = hash, .index = index};
    return NC_NOERR;
}

int
ncz_names_put(ncz_names *t, const char *name, size_t index)
{
    return put_name(t, name, index, false);
}

int
ncz_names_put_first(ncz_names *t, const char *name, size_t index)
{
    return put_name(t, name, index, true);
}

bool
ncz_names_get(const ncz_names *t, const char *name, size_t *index)
{
    const names_slot *s = t->live > 0 ? find_slot(t, name, ncz_hash(name, strlen(name))) : NULL;

    if (s == NULL)
        return false;
    if (index != NULL)
        *index = s->index;
    return true;
}

void
ncz_names_del(ncz_names *t, const char *name)
{
    names_slot *s = find_slot(t, name, ncz_hash(name, strlen(name)));

    if (s == NULL)
        return;
    ncz_free(s->name);
    *s = (names_slot){.dead = true};
    t->live--;
}

void
ncz_names_clear(ncz_names *t)
{
    for (size_t i = 0; i < t->nslots; i++)
        ncz_free(t->slots[i].name);
    ncz_free(t->slots);
    *t = NCZ_NAMES_INIT;
}
