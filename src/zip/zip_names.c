/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The names of an archive: a tree of segments in one array, and a hash table of whole names over it. Built for
 * archives of millions of entries.
 *
 * Invariant: `live` of a name counts one for its object, one for its link and one for each child whose `live` is not 0.
 * So `live` is 0 only if no object or link is at or below the name, which distinguishes a removed name from a prefix. A
 * name stays until all are cleared.
 *
 * No locks of its own.
 */
#include "zip/zip_int.h"

#include <string.h>

#define BLOCK_LEN   ((size_t)64 * 1024)
#define FIRST_CAP   64
#define FIRST_SLOTS 256

struct zip_block {
    zip_block *before;
    char       bytes[];
};

int
ncz_zip_names_init(zip_names *t)
{
    *t = (zip_names){.v = ncz_zalloc_n(FIRST_CAP, sizeof(zip_name)),
                     .slots = ncz_zalloc_n(FIRST_SLOTS, sizeof(uint32_t)),
                     .n = 1,
                     .cap = FIRST_CAP,
                     .nslots = FIRST_SLOTS};
    if (t->v != NULL && t->slots != NULL) {
        t->v[0].key = "";
        return NC_NOERR;
    }
    ncz_zip_names_clear(t);
    return ncz_fail_nomem(FIRST_CAP * sizeof(zip_name));
}

void
ncz_zip_names_clear(zip_names *t)
{
    for (zip_block *b = t->blocks, *before; b != NULL; b = before) {
        before = b->before;
        ncz_free(b);
    }
    ncz_free(t->v);
    ncz_free(t->slots);
    *t = (zip_names){.v = NULL};
}

static uint32_t
hash_of(const char *key, size_t len)
{
    return (uint32_t)ncz_hash(key, len);
}

static uint32_t
find_name(const zip_names *t, const char *key, size_t len, uint32_t hash)
{
    for (uint32_t i = hash & (t->nslots - 1); t->slots[i] != 0; i = (i + 1) & (t->nslots - 1)) {
        const zip_name *n = &t->v[t->slots[i]];

        if (n->hash == hash && n->len == len && memcmp(n->key, key, len) == 0)
            return t->slots[i];
    }
    return 0;
}

uint32_t
ncz_zip_names_find(const zip_names *t, const char *key, size_t len)
{
    return len != 0 ? find_name(t, key, len, hash_of(key, len)) : 0;
}

/* ---- growing ---- */

static void
place_name(zip_names *t, uint32_t at)
{
    uint32_t i = t->v[at].hash & (t->nslots - 1);

    while (t->slots[i] != 0)
        i = (i + 1) & (t->nslots - 1);
    t->slots[i] = at;
}

/* Makes room for one more name and keeps at most two slots of three taken. */
static int
grow_table(zip_names *t)
{
    int rc = ncz_make_room(&t->v, t->n, &t->cap, sizeof *t->v);

    if (rc != NC_NOERR)
        return rc;
    if (t->n >= t->nslots / 3 * 2) {
        uint32_t *slots = ncz_zalloc_n((size_t)t->nslots * 2, sizeof *slots);

        if (slots == NULL)
            return ncz_fail_nomem((size_t)t->nslots * 2 * sizeof *slots);
        ncz_free(t->slots);
        t->slots = slots;
        t->nslots *= 2;
        for (uint32_t at = 1; at < t->n; at++)
            place_name(t, at);
    }
    return NC_NOERR;
}

/* Copies a key to memory that lives as long as the table. No key is longer than ZMAP_KEY_MAX, so each fits in a
 * block. */
static const char *
keep_key(zip_names *t, const char *key, size_t len)
{
    char *kept;

    if (t->blocks == NULL || len > BLOCK_LEN - t->block_used) {
        zip_block *b = ncz_alloc(sizeof *b + BLOCK_LEN);

        if (b == NULL)
            return NULL;
        b->before = t->blocks;
        t->blocks = b;
        t->block_used = 0;
    }
    kept = t->blocks->bytes + t->block_used;
    memcpy(kept, key, len);
    t->block_used += len;
    return kept;
}

/* Adds a name. `key` must stay valid, and the parent must exist. */
static int
add_name(zip_names *t, const char *key, size_t len, uint32_t hash, uint32_t parent, uint32_t *at)
{
    int rc;

    if (t->n > ZIP_ENTRIES_MAX * 2u)
        return ncz_fail(NC_ENOMEM, "more names than the limit of %u in one archive", ZIP_ENTRIES_MAX * 2u);
    if ((rc = grow_table(t)) != NC_NOERR)
        return rc;
    *at = t->n++;
    t->v[*at] =
        (zip_name){.key = key, .len = (uint32_t)len, .hash = hash, .parent = parent, .sibling = t->v[parent].child};
    t->v[parent].child = *at;
    place_name(t, *at);
    return NC_NOERR;
}

/* Adds names from the top down. New names share the bytes of the whole key. */
int
ncz_zip_names_make(zip_names *t, const char *key, size_t len, uint32_t *at)
{
    uint32_t    parent = 0, hash = hash_of(key, len), there;
    const char *kept;
    size_t      above = len;
    int         rc;

    if ((*at = find_name(t, key, len, hash)) != 0)
        return NC_NOERR;
    if ((kept = keep_key(t, key, len)) == NULL)
        return ncz_fail_nomem(len);
    while (above > 0 && key[above - 1] != '/') /* the parent mostly exists */
        above--;
    if (above > 0 && (there = ncz_zip_names_find(t, key, above - 1)) != 0)
        return add_name(t, kept, len, hash, there, at);
    for (size_t i = 1; i < above; i++) {
        if (key[i] != '/')
            continue;
        if ((there = ncz_zip_names_find(t, key, i)) == 0 &&
            (rc = add_name(t, kept, i, hash_of(key, i), parent, &there)) != NC_NOERR)
            return rc;
        parent = there;
    }
    return add_name(t, kept, len, hash, parent, at);
}

/* ---- objects ---- */

/* The parent's count changes only when `live` leaves 0. */
static void
count_live(zip_names *t, uint32_t at)
{
    zip_name *n = &t->v[at];

    while (n->live++ == 0 && at != 0) {
        at = n->parent;
        n = &t->v[at];
    }
}

void
ncz_zip_names_set(zip_names *t, uint32_t at, const zip_object *o)
{
    zip_name *n = &t->v[at];

    n->object = *o;
    if (n->present)
        return;
    n->present = true;
    t->nobjects++;
    count_live(t, at);
}

void
ncz_zip_names_set_other(zip_names *t, uint32_t at, zip_other other)
{
    zip_name *n = &t->v[at];

    if (n->other == ZIP_LINK || n->other == ZIP_NO_KEY)
        return;
    n->other = other;
    if (other == ZIP_LINK)
        t->nlinks++;
    if (other != ZIP_DIRECTORY)
        count_live(t, at);
}

void
ncz_zip_names_unset(zip_names *t, uint32_t at)
{
    zip_name *n = &t->v[at];

    if (!n->present)
        return;
    n->present = false;
    t->nobjects--;
    /* The parent's count changes only when `live` reaches 0. */
    while (--n->live == 0 && at != 0) {
        at = n->parent;
        n = &t->v[at];
    }
}

/* An object with others below it is not: other programs mark a prefix by an object of its name. */
static bool
is_in_the_way(const zip_name *n)
{
    return n->other == ZIP_LINK || (n->present && !ncz_zip_names_below(n));
}

int
ncz_zip_names_place(const zip_names *t, uint32_t at)
{
    const zip_name *n = &t->v[at], *above = n;

    while (above->parent != 0) {
        above = &t->v[above->parent];
        if (is_in_the_way(above))
            return ncz_fail(NC_EOBJECT, "%.*s: %.*s is %s, not a prefix", (int)n->len, n->key, (int)above->len,
                            above->key, above->other == ZIP_LINK ? "a link" : "an object");
    }
    if (n->other == ZIP_LINK)
        return ncz_fail(NC_EOBJECT, "%.*s: is a link", (int)n->len, n->key);
    if (n->live != 0 && !n->present)
        return ncz_fail(NC_EOBJECT, "%.*s: is the prefix of other objects", (int)n->len, n->key);
    return NC_NOERR;
}

/* What is above a key without a name, or at it: only prefixes may be. */
static const zip_name *
find_in_the_way(const zip_names *t, const char *key)
{
    size_t len = strlen(key);

    for (size_t i = 1; i <= len; i++) {
        uint32_t at = key[i] == '/' || key[i] == '\0' ? ncz_zip_names_find(t, key, i) : 0;

        if (at != 0 && is_in_the_way(&t->v[at]))
            return &t->v[at];
    }
    return NULL;
}

int
ncz_zip_names_absent(const zip_names *t, const char *what, const char *key)
{
    uint32_t        at = ncz_zip_names_find(t, key, strlen(key));
    const zip_name *n = find_in_the_way(t, key);

    if (n != NULL && n->other == ZIP_LINK)
        return ncz_fail(NC_EACCESS, "%s: %s: %.*s is a link, which an archive's reader does not follow", what, key,
                        (int)n->len, n->key);
    if (n != NULL)
        return ncz_fail(NC_EACCESS, "%s: %s: %.*s is an object, not a prefix", what, key, (int)n->len, n->key);
    if (at != 0 && (t->v[at].live != 0 || t->v[at].other == ZIP_DIRECTORY))
        return ncz_fail(NC_EACCESS, "%s: %s: is a directory, where a file should be", what, key);
    return NC_EEMPTY;
}

uint64_t
ncz_zip_entry_len(const zip_map *m, const zip_name *name)
{
    uint32_t head = atomic_load_explicit(&name->object.head, memory_order_relaxed);

    return (head != 0 ? head : ZIP_LOCAL_LEN + name->object.lead + m->prefix_len + name->len) + name->object.csize;
}
