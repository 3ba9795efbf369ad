/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An ordered index of keys: a skip list. Heights come from a counter and do not depend on the keys, so that no choice
 * of keys makes it slow.
 *
 * Invariant: at each level the nodes are in key order, and a node of height h is in the levels 0 to h - 1.
 */
#include "zmap/zmap_int.h"

#include <string.h>

typedef enum where { BEFORE, SAME, BELOW, BEHIND } where;

/* The position of `key` relative to what[0..len). '/' sorts before every other byte, so that the keys below a key
 * follow it directly. */
static where
where_is(const char *key, const char *what, size_t len)
{
    size_t i = 0;

    while (i < len && key[i] == what[i])
        i++;
    if (i == len)
        return key[i] == '\0' ? SAME : key[i] == '/' || len == 0 ? BELOW : BEHIND;
    if (key[i] == '\0' || key[i] == '/')
        return BEFORE; /* what[i] is neither a NUL nor the same byte */
    return what[i] != '/' && (unsigned char)key[i] < (unsigned char)what[i] ? BEFORE : BEHIND;
}

bool
zmap_key_below(const char *key, const char *prefix, size_t len)
{
    return where_is(key, prefix, len) == BELOW;
}

/* Each further level has a chance of one in four. The mixing is splitmix64's. */
static unsigned
draw_height(zmap_index *ix)
{
    uint64_t x = (atomic_fetch_add_explicit(&ix->drawn, 1, memory_order_relaxed) + 1) * UINT64_C(0x9e3779b97f4a7c15);
    unsigned height = 1;

    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    x ^= x >> 31;
    for (; height < ZMAP_INDEX_HEIGHT && (x & 3) == 0; x >>= 2)
        height++;
    return height;
}

zmap_node *
zmap_node_new(zmap_index *ix, const char *key, size_t len, void *value)
{
    unsigned   height = draw_height(ix);
    size_t     links = sizeof(zmap_node) + height * sizeof(zmap_node *);
    zmap_node *node = ncz_zalloc(links + len + 1);

    if (node == NULL)
        return NULL;
    /* The key is in the same block of memory, after the links. */
    node->key = (char *)node + links;
    memcpy(node->key, key, len);
    node->value = value;
    node->height = height;
    return node;
}

void
zmap_node_free(zmap_node *node)
{
    ncz_free(node);
}

/* Returns the first node whose position relative to the key is after `last`. `links`, unless NULL, gets for each
 * level the link that would point to a node inserted there. */
static zmap_node *
search_index(const zmap_index *ix, const char *key, size_t len, where last, zmap_node ***links)
{
    zmap_node *const *level = ix->head;

    for (unsigned h = ZMAP_INDEX_HEIGHT; h-- > 0;) {
        while (level[h] != NULL && where_is(level[h]->key, key, len) <= last)
            level = level[h]->next;
        if (links != NULL)
            links[h] = (zmap_node **)&level[h];
    }
    return level[0];
}

bool
zmap_index_link(zmap_index *ix, zmap_node *node)
{
    zmap_node **links[ZMAP_INDEX_HEIGHT];
    size_t      len = strlen(node->key);
    zmap_node  *at = search_index(ix, node->key, len, BEFORE, links);

    if (at != NULL && where_is(at->key, node->key, len) == SAME)
        return false;
    for (unsigned h = 0; h < node->height; h++) {
        node->next[h] = *links[h];
        *links[h] = node;
    }
    ix->n++;
    return true;
}

zmap_node *
zmap_index_unlink(zmap_index *ix, const char *key, size_t len)
{
    zmap_node **links[ZMAP_INDEX_HEIGHT];
    zmap_node  *node = search_index(ix, key, len, BEFORE, links);

    if (node == NULL || where_is(node->key, key, len) != SAME)
        return NULL;
    for (unsigned h = 0; h < node->height; h++)
        *links[h] = node->next[h];
    ix->n--;
    return node;
}

zmap_node *
zmap_index_seek(const zmap_index *ix, const char *key, size_t len)
{
    return search_index(ix, key, len, BEFORE, NULL);
}

zmap_node *
zmap_index_past(const zmap_index *ix, const char *key, size_t len)
{
    return search_index(ix, key, len, BELOW, NULL);
}

zmap_node *
zmap_index_find(const zmap_index *ix, const char *key, size_t len)
{
    zmap_node *node = zmap_index_seek(ix, key, len);

    return node != NULL && where_is(node->key, key, len) == SAME ? node : NULL;
}

zmap_node *
zmap_index_drain(zmap_index *ix)
{
    zmap_node *chain = NULL;

    for (zmap_node *node = ix->head[0], *next; node != NULL; node = next) {
        next = node->next[0];
        node->next[0] = chain;
        chain = node;
    }
    memset(ix->head, 0, sizeof ix->head);
    ix->n = 0;
    return chain;
}

void
zmap_index_clear(zmap_index *ix)
{
    for (zmap_node *node = zmap_index_drain(ix), *next; node != NULL; node = next) {
        next = node->next[0];
        zmap_node_free(node);
    }
}

int
zmap_index_children(const zmap_index *ix, const char *prefix, zmap_children *out)
{
    size_t           len = strlen(prefix);
    size_t           skip = len != 0 ? len + 1 : 0;
    const zmap_node *node = zmap_index_seek(ix, prefix, len);
    int              rc;

    while (node != NULL && strcmp(node->key, prefix) == 0)
        node = node->next[0];
    while (node != NULL && zmap_key_below(node->key, prefix, len)) {
        const char *name = node->key + skip;
        size_t      name_len = strcspn(name, "/");
        bool        leaf = name[name_len] == '\0';

        if ((rc = zmap_children_add(out, name, name_len, leaf)) != NC_NOERR)
            return rc;
        /* The keys below an object, if there are any, follow it directly, and make its name a prefix, too. */
        node = leaf ? node->next[0] : zmap_index_past(ix, node->key, skip + name_len);
    }
    return NC_NOERR;
}
