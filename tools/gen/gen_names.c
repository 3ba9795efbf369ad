/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of declared names: a chained hash table keyed by scope, kind and name, so that parsing ten thousand
 * variables takes linear time. The scope of a field or an enum's constant is its type; of anything else its group.
 * Entries are in the tree's arena; the table owns its slots.
 */
#include "gen_int.h"

#include <stdlib.h>
#include <string.h>

typedef struct gen_entry {
    struct gen_entry *next;
    const void       *scope;
    gen_name_kind     sort;
    const char       *name;
    void             *node;
    size_t            hash;
} gen_entry;

static size_t
hash_entry(const void *scope, gen_name_kind sort, const char *name, size_t len)
{
    uint64_t h = 14695981039346656037u ^ (uint64_t)(uintptr_t)scope ^ ((uint64_t)sort << 56);

    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)name[i]) * 1099511628211u;
    return (size_t)(h ^ h >> 29);
}

static void
resize_table(gen_names *t, gen_arena *a, size_t nslots)
{
    void       *room = NULL;
    size_t      cap = 0;
    gen_entry **slots;

    gen_reserve(a, &room, &cap, nslots, sizeof(gen_entry *));
    slots = room;
    memset(slots, 0, nslots * sizeof(gen_entry *));
    for (size_t i = 0; i < t->nslots; i++)
        for (gen_entry *e = t->slots[i], *next; e != NULL; e = next) {
            next = e->next;
            e->next = slots[e->hash & (nslots - 1)];
            slots[e->hash & (nslots - 1)] = e;
        }
    free(t->slots);
    t->slots = slots;
    t->nslots = nslots;
}

/* Does not copy `name`, which must live as long as the table. */
void
gen_names_put(gen_names *t, gen_arena *a, const void *scope, gen_name_kind sort, const char *name, void *node)
{
    gen_entry *e;

    if (t->used >= t->nslots)
        resize_table(t, a, t->nslots == 0 ? 64 : t->nslots * 2);
    e = gen_alloc(a, sizeof *e);
    *e = (gen_entry){.scope = scope,
                     .sort = sort,
                     .name = name,
                     .node = node,
                     .hash = hash_entry(scope, sort, name, strlen(name))};
    e->next = t->slots[e->hash & (t->nslots - 1)];
    t->slots[e->hash & (t->nslots - 1)] = e;
    t->used++;
}

void *
gen_names_get(const gen_names *t, const void *scope, gen_name_kind sort, const char *name, size_t len)
{
    size_t h = hash_entry(scope, sort, name, len);

    if (t->nslots == 0)
        return NULL;
    for (gen_entry *e = t->slots[h & (t->nslots - 1)]; e != NULL; e = e->next)
        if (e->hash == h && e->scope == scope && e->sort == sort && strncmp(e->name, name, len) == 0 &&
            e->name[len] == '\0')
            return e->node;
    return NULL;
}

void
gen_names_clear(gen_names *t)
{
    free(t->slots);
    *t = (gen_names){.slots = NULL};
}
