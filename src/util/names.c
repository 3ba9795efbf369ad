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
#define INDEX_MOST  (UINT32_MAX >> 1)

typedef struct ncz_names_slot {
    const char *name; /* NULL when empty; `dead`: the slot held a name, so a search must go on after it */
    uint32_t    hash;
    uint32_t    index : 31;
    uint32_t    own : 1; /* the name is the table's */
} names_slot;

static const char dead[1];

static bool
is_live(const names_slot *s)
{
    return s->name != NULL && s->name != dead;
}

static void
free_name(names_slot *s)
{
    if (s->own)
        ncz_free((char *)s->name); /* what ncz_strndup() gave */
}

static names_slot *
find_slot(const ncz_names *t, const char *name, uint32_t hash)
{
    if (t->nslots == 0)
        return NULL;
    for (size_t i = hash & (t->nslots - 1);; i = (i + 1) & (t->nslots - 1)) {
        names_slot *s = &t->slots[i];

        if (s->name == NULL)
            return NULL;
        if (s->hash == hash && s->name != dead && strcmp(s->name, name) == 0)
            return s;
    }
}

static names_slot *
find_free_slot(names_slot *slots, size_t nslots, uint32_t hash)
{
    size_t i = hash & (nslots - 1);

    while (is_live(&slots[i]))
        i = (i + 1) & (nslots - 1);
    return &slots[i];
}

int
ncz_names_expect(ncz_names *t, size_t n)
{
    size_t      nslots = NAMES_FIRST;
    names_slot *slots;

    if (t->nslots != 0 && t->used + n <= t->nslots - t->nslots / 4)
        return NC_NOERR;
    while (t->live + n > nslots / 2)
        if (!ncz_mul(nslots, 2, &nslots))
            return ncz_fail_nomem(SIZE_MAX);
    if (nslots > INDEX_MOST || (slots = ncz_zalloc_n(nslots, sizeof *slots)) == NULL)
        return ncz_fail_nomem(nslots * sizeof *slots);

    for (size_t i = 0; i < t->nslots; i++)
        if (is_live(&t->slots[i]))
            *find_free_slot(slots, nslots, t->slots[i].hash) = t->slots[i];
    ncz_free(t->slots);
    t->slots = slots;
    t->nslots = (uint32_t)nslots;
    t->used = t->live;
    return NC_NOERR;
}

typedef enum put_mode {
    PUT_COPY,
    PUT_REFER,
    PUT_REFER_FIRST, /* an index that is there stays */
} put_mode;

static int
put_name(ncz_names *t, const char *name, size_t index, put_mode mode)
{
    size_t      len = strlen(name);
    uint32_t    hash = (uint32_t)ncz_hash(name, len);
    names_slot *s = find_slot(t, name, hash);
    int         rc;

    if (index > INDEX_MOST)
        return ncz_fail_nomem(SIZE_MAX);
    if (s != NULL) {
        if (mode == PUT_REFER && !s->own)
            s->name = name;
        s->index = mode == PUT_REFER_FIRST ? s->index : index & INDEX_MOST;
        return NC_NOERR;
    }
    if ((rc = ncz_names_expect(t, 1)) != NC_NOERR)
        return rc;
    if (mode == PUT_COPY && (name = ncz_strndup(name, len)) == NULL)
        return ncz_fail_nomem(len + 1);

    s = find_free_slot(t->slots, t->nslots, hash);
    if (s->name == NULL)
        t->used++;
    t->live++;
    t->copies = t->copies || mode == PUT_COPY;
    *s = (names_slot){.name = name, .hash = hash, .index = index & INDEX_MOST, .own = mode == PUT_COPY};
    return NC_NOERR;
}

int
ncz_names_put(ncz_names *t, const char *name, size_t index)
{
    return put_name(t, name, index, PUT_COPY);
}

int
ncz_names_refer(ncz_names *t, const char *name, size_t index)
{
    return put_name(t, name, index, PUT_REFER);
}

int
ncz_names_refer_first(ncz_names *t, const char *name, size_t index)
{
    return put_name(t, name, index, PUT_REFER_FIRST);
}

bool
ncz_names_get(const ncz_names *t, const char *name, size_t *index)
{
    const names_slot *s = t->live > 0 ? find_slot(t, name, (uint32_t)ncz_hash(name, strlen(name))) : NULL;

    if (s == NULL)
        return false;
    if (index != NULL)
        *index = s->index;
    return true;
}

void
ncz_names_del(ncz_names *t, const char *name)
{
    names_slot *s = find_slot(t, name, (uint32_t)ncz_hash(name, strlen(name)));

    if (s == NULL)
        return;
    free_name(s);
    *s = (names_slot){.name = dead};
    t->live--;
}

void
ncz_names_clear(ncz_names *t)
{
    for (size_t i = 0; t->copies && i < t->nslots; i++)
        free_name(&t->slots[i]);
    ncz_free(t->slots);
    *t = NCZ_NAMES_INIT;
}
