/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Access to parsed values, and the arena that holds them. Nothing here changes a document that was handed out.
 */
#include "json/json_int.h"

#include <string.h>

/* ---- the arena ---- */

#define BLOCK_FIRST ((size_t)4 << 10)
#define BLOCK_MOST  ((size_t)1 << 20)

static json_block *
block_new(const json_block *last, size_t nbytes)
{
    size_t      size = last == NULL ? BLOCK_FIRST : last->size < BLOCK_MOST / 2 ? last->size * 2 : BLOCK_MOST;
    size_t      total;
    json_block *b;

    if (size < nbytes)
        size = nbytes;
    if (!ncz_add(size, sizeof *b, &total) || (b = ncz_alloc(total)) == NULL)
        return NULL;
    *b = (json_block){.size = size};
    return b;
}

void *
ncz_json_arena_more(ncz_json_doc *doc, size_t nbytes)
{
    json_block *b;

    if (!ncz_add(nbytes, JSON_ALIGN - 1, &nbytes))
        return NULL;
    nbytes -= nbytes % JSON_ALIGN;
    if ((b = block_new(doc->blocks, nbytes)) == NULL)
        return NULL;
    b->next = doc->blocks;
    b->used = nbytes;
    doc->blocks = b;
    return b->mem;
}

static void
free_blocks(json_block *b)
{
    while (b != NULL) {
        json_block *next = b->next;

        ncz_free(b);
        b = next;
    }
}

void
ncz_json_arena_free(ncz_json_doc *doc)
{
    free_blocks(doc->blocks);
    doc->blocks = NULL;
}

void
ncz_json_arena_reset(ncz_json_doc *doc)
{
    if (doc->blocks == NULL)
        return;
    free_blocks(doc->blocks->next);
    doc->blocks->next = NULL;
    doc->blocks->used = 0;
}

void
ncz_json_free(ncz_json *root)
{
    ncz_json_doc *doc = (ncz_json_doc *)root;

    if (doc == NULL)
        return;
    ncz_json_arena_free(doc);
    ncz_free(doc->text);
    ncz_free(doc);
}

/* ---- kinds and children ---- */

ncz_json_type
ncz_json_kind(const ncz_json *v)
{
    return v != NULL ? (ncz_json_type)v->type : NCZ_JSON_NULL;
}

bool
ncz_json_is(const ncz_json *v, ncz_json_type t)
{
    return ncz_json_kind(v) == t;
}

size_t
ncz_json_len(const ncz_json *v)
{
    return ncz_json_is(v, NCZ_JSON_ARRAY) || ncz_json_is(v, NCZ_JSON_OBJECT) ? v->len : 0;
}

const ncz_json *
ncz_json_at(const ncz_json *v, size_t i)
{
    if (i >= ncz_json_len(v))
        return NULL;
    return v->type == NCZ_JSON_ARRAY ? &v->u.items[i] : &v->u.items[2 * i + 1];
}

const char *
ncz_json_key(const ncz_json *v, size_t i)
{
    return ncz_json_is(v, NCZ_JSON_OBJECT) && i < v->len ? v->u.items[2 * i].u.str : NULL;
}

bool
ncz_json_key_whole(const ncz_json *v, size_t i)
{
    return ncz_json_is(v, NCZ_JSON_OBJECT) && i < v->len && !v->u.items[2 * i].has_nul;
}

const char *
ncz_json_name(const ncz_json *v, size_t i, size_t *len)
{
    if (!ncz_json_is(v, NCZ_JSON_OBJECT) || i >= v->len)
        return NULL;
    *len = v->u.items[2 * i].len;
    return v->u.items[2 * i].u.str;
}

ncz_json_member
ncz_json_member_at(const ncz_json *v, size_t i)
{
    const ncz_json *name = &v->u.items[2 * i];

    return (ncz_json_member){.name = name->u.str, .len = name->len, .has_nul = name->has_nul, .value = name + 1};
}

static bool
name_is(const ncz_json *member, const char *name, size_t len)
{
    return member->len == len && member->u.str[0] == name[0] && ncz_same_bytes(member->u.str, name, len);
}

uint32_t *
ncz_json_slot(uint32_t *table, unsigned table_log, const ncz_json *members, const char *name, size_t len)
{
    size_t mask = ((size_t)1 << table_log) - 1;
    size_t i = (size_t)ncz_hash(name, len) & mask;

    while (table[i] != 0 && !name_is(&members[2 * (size_t)(table[i] - 1)], name, len))
        i = (i + 1) & mask;
    return &table[i];
}

static const ncz_json *
find_member(const ncz_json *v, const char *name, size_t len)
{
    uint32_t *table;
    uint32_t  at;

    if (!ncz_json_is(v, NCZ_JSON_OBJECT))
        return NULL;
    if (v->table_log == 0) {
        for (size_t i = 0; i < v->len; i++)
            if (name_is(&v->u.items[2 * i], name, len))
                return &v->u.items[2 * i + 1];
        return NULL;
    }
    table = (uint32_t *)(uintptr_t)v->u.items - ((size_t)1 << v->table_log); /* only read */
    at = *ncz_json_slot(table, v->table_log, v->u.items, name, len);
    return at != 0 ? &v->u.items[2 * (size_t)(at - 1) + 1] : NULL;
}

const ncz_json *
ncz_json_get_n(const ncz_json *v, const char *name, size_t len)
{
    return find_member(v, name, len);
}

const ncz_json *
ncz_json_get_near(const ncz_json *v, const char *name, size_t len, size_t i)
{
    if (i < ncz_json_len(v) && v->type == NCZ_JSON_OBJECT && name_is(&v->u.items[2 * i], name, len))
        return &v->u.items[2 * i + 1];
    return find_member(v, name, len);
}

/* ---- scalars ---- */

const char *
ncz_json_str(const ncz_json *v, size_t *len)
{
    if (!ncz_json_is(v, NCZ_JSON_STRING))
        return NULL;
    if (len != NULL)
        *len = v->len;
    return v->u.str;
}

const char *
ncz_json_cstr(const ncz_json *v)
{
    return ncz_json_is(v, NCZ_JSON_STRING) && !v->has_nul ? v->u.str : NULL;
}

bool
ncz_json_str_is_n(const ncz_json *v, const char *s, size_t len)
{
    return ncz_json_is(v, NCZ_JSON_STRING) && name_is(v, s, len);
}

bool
ncz_json_bool(const ncz_json *v, bool *out)
{
    if (!ncz_json_is(v, NCZ_JSON_BOOL))
        return false;
    *out = v->u.flag;
    return true;
}

bool
ncz_json_i64(const ncz_json *v, int64_t *out)
{
    if (!ncz_json_is(v, NCZ_JSON_INT))
        return false;
    *out = v->u.i64;
    return true;
}

bool
ncz_json_u64(const ncz_json *v, uint64_t *out)
{
    if (ncz_json_is(v, NCZ_JSON_UINT))
        *out = v->u.u64;
    else if (ncz_json_is(v, NCZ_JSON_INT) && v->u.i64 >= 0)
        *out = (uint64_t)v->u.i64;
    else
        return false;
    return true;
}

bool
ncz_json_f64(const ncz_json *v, double *out)
{
    switch (ncz_json_kind(v)) {
    case NCZ_JSON_INT: *out = (double)v->u.i64; return true;
    case NCZ_JSON_UINT: *out = (double)v->u.u64; return true;
    case NCZ_JSON_DOUBLE: *out = v->u.f64; return true;
    default: return false;
    }
}

const char *
ncz_json_slice(const ncz_json *v, size_t *len)
{
    if (len != NULL)
        *len = v == NULL ? 0 : v->text_len;
    return v == NULL ? NULL : v->text;
}

/* ---- equality ---- */

static bool
children_equal(const ncz_json *a, const ncz_json *b)
{
    if (a->len != b->len)
        return false;
    for (size_t i = 0; i < a->len; i++) {
        const ncz_json *name = a->type == NCZ_JSON_OBJECT ? &a->u.items[2 * i] : NULL;
        const ncz_json *other = name != NULL ? find_member(b, name->u.str, name->len) : &b->u.items[i];

        if (other == NULL || !ncz_json_equal(ncz_json_at(a, i), other))
            return false;
    }
    return true;
}

bool
ncz_json_equal(const ncz_json *a, const ncz_json *b)
{
    if (ncz_json_kind(a) != ncz_json_kind(b))
        return false;
    switch (ncz_json_kind(a)) {
    case NCZ_JSON_NULL: return true;
    case NCZ_JSON_BOOL: return a->u.flag == b->u.flag;
    case NCZ_JSON_INT: return a->u.i64 == b->u.i64;
    case NCZ_JSON_UINT: return a->u.u64 == b->u.u64;
    case NCZ_JSON_DOUBLE:
        return memcmp(&a->u.f64, &b->u.f64, sizeof a->u.f64) == 0; /* NaN equals itself, 0.0 is not -0.0 */
    case NCZ_JSON_STRING: return a->len == b->len && memcmp(a->u.str, b->u.str, a->len) == 0;
    case NCZ_JSON_ARRAY:
    case NCZ_JSON_OBJECT: return children_equal(a, b);
    case NCZ_JSON_RAW: return a->text_len == b->text_len && memcmp(a->text, b->text, a->text_len) == 0;
    }
    return false;
}
