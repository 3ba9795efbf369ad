/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether the places that a store refers to are there. Its keys are walked, and each object in another store is noted
 * once, with how far it must reach and the version that it must be. Then all are asked for at once, without their data:
 * a request of no bytes tells size and version.
 */
#include "references/references_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NOTED_MOST = 1 << 18, /* before they are asked for; one that comes again later is asked for again */
    BATCH = 4096,
};

/* An object that others refer to. */
typedef struct noted {
    ncz_found   ref;   /* len: how far it must reach, from 0 on; ZMAP_WHOLE: it must be there */
    uint64_t    reach; /* how far ranges go that may end before */
    const char *key;   /* the first that refers to it */
    const char *place; /* as people read it; NULL: its object's name */
    uint64_t    nkeys;
    ncz_err    *failed; /* it was not found: refused, or malformed */
} noted;

typedef struct checking {
    const references_map *s;
    zmap_place_fn         each;
    void                 *arg;
    ncz_arena             texts;
    ncz_names             names; /* indexes of: */
    noted                *v;
    size_t                n, cap;
    bool                  ended; /* by what `each` returned */
} checking;

static void
clear_noted(checking *c)
{
    for (size_t i = 0; i < c->n; i++)
        ncz_free(c->v[i].failed);
    ncz_names_clear(&c->names);
    ncz_arena_clear(&c->texts);
    c->names = NCZ_NAMES_INIT;
    c->texts = NCZ_ARENA_INIT;
    c->n = 0;
}

/* ---- asking ----------------------------------------------------------------------------------------------------- */

static int
check_answer(const noted *p, const zmap_get_req *answer)
{
    int rc;

    if (answer->err.code != NC_NOERR)
        return ncz_references_fail(p->key, &p->ref, &answer->err);
    if ((rc = ncz_references_check_version(p->key, &p->ref, answer)) != NC_NOERR || p->ref.len == ZMAP_WHOLE ||
        answer->size == ZMAP_NO_SIZE || answer->size >= p->ref.len)
        return rc;
    return ncz_fail(NC_EINVAL, "%s: refers to bytes up to %" PRIu64 " of \"%s\", which has %" PRIu64, p->key,
                    p->ref.len, p->ref.object, answer->size);
}

/* Tells of one; its failure is in the thread's record. */
static int
tell(checking *c, const noted *p, const zmap_get_req *answer, int rc)
{
    bool             passes = rc == NC_NOERR && answer->size != ZMAP_NO_SIZE && answer->size < p->reach;
    const zmap_place place = {.place = p->place != NULL ? p->place : p->ref.object,
                              .key = p->key,
                              .nrefs = p->nkeys,
                              .status = rc,
                              .why = rc != NC_NOERR ? ncz_err_text() : "",
                              .end = passes ? answer->size : UINT64_MAX};

    rc = c->each(&place, c->arg);
    c->ended = rc != 0;
    return rc;
}

/* What a store is asked for, some of its objects at a time. */
typedef struct group {
    noted        *v;
    size_t        n;
    zmap_get_req *reqs;
} group;

static void
ask_group(void *arg, size_t i, ncz_scratch *scratch)
{
    group *g = &((group *)arg)[i];

    (void)scratch;
    for (size_t at = 0; at < g->n; at += BATCH)
        (void)zmap_get_batch(g->v[at].ref.store, &g->reqs[at], g->n - at < BATCH ? g->n - at : BATCH, NULL, NULL);
    ncz_err_clear(); /* each request has its own text */
}

static int
compare_noted(const void *a, const void *b)
{
    const noted *x = a, *y = b;

    if (x->ref.store != y->ref.store)
        return (uintptr_t)x->ref.store < (uintptr_t)y->ref.store ? -1 : 1;
    return x->key < y->key ? -1 : x->key > y->key; /* in the arena; any order */
}

static size_t
make_groups(const checking *c, zmap_get_req *reqs, group *groups)
{
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++) {
        noted *p = &c->v[i];

        reqs[i] = (zmap_get_req){.key = p->ref.object,
                                 .ask_size = true,
                                 .ask_version = p->ref.etag != NULL || p->ref.modified != 0,
                                 .body = NCZ_BUF_LIMIT(1)};
        if (p->ref.store == NULL)
            continue;
        if (i == 0 || p->ref.store != c->v[i - 1].ref.store)
            groups[n++] = (group){.v = p, .reqs = &reqs[i]};
        groups[n - 1].n++;
    }
    return n;
}

/* Asks for all that are noted, those of each store side by side, and the stores, too; and tells what they said. */
static int
ask_noted(checking *c)
{
    zmap_get_req *reqs = ncz_alloc_n(c->n > 0 ? c->n : 1, sizeof *reqs);
    group        *groups = ncz_alloc_n(c->n > 0 ? c->n : 1, sizeof *groups);
    int           rc = NC_NOERR;

    if (reqs == NULL || groups == NULL) {
        rc = ncz_fail_nomem(c->n * sizeof *reqs);
    } else {
        qsort(c->v, c->n, sizeof *c->v, compare_noted);
        ncz_pool_each(make_groups(c, reqs, groups), SIZE_MAX, ask_group, groups);
        for (size_t i = 0; i < c->n; i++) {
            noted *p = &c->v[i];

            if (rc == NC_NOERR)
                rc = tell(c, p, &reqs[i], p->failed != NULL ? ncz_err_adopt(p->failed) : check_answer(p, &reqs[i]));
            ncz_buf_clear(&reqs[i].body);
        }
        ncz_err_clear();
    }
    ncz_free(reqs);
    ncz_free(groups);
    clear_noted(c);
    return rc;
}

/* ---- noting ----------------------------------------------------------------------------------------------------- */

static const char *
keep_text(checking *c, const char *text)
{
    return text != NULL ? ncz_arena_text(&c->texts, text, strlen(text)) : NULL;
}

/* The place as people read it; nothing: the store has it itself. */
static int
find_where(const checking *c, const char *key, ncz_buf *out)
{
    uint64_t off, len;

    return c->s->finder->where(c->s->arg, key, out, &off, &len);
}

/* Has the store the bytes itself: in its own text, or, as an Icechunk repository, in its own objects? */
static bool
is_own(const checking *c, const char *key)
{
    ncz_buf where = NCZ_BUF_INIT;
    bool    own = find_where(c, key, &where) == NC_NOERR && where.len == 0;

    ncz_buf_clear(&where);
    return own;
}

/* One more that refers to it. */
static void
extend(noted *p, const ncz_found *ref)
{
    uint64_t end = 0;

    if (ref->len != ZMAP_WHOLE && !ncz_add64(ref->off, ref->len, &end))
        end = ZMAP_WHOLE - 1; /* further than any object */
    p->nkeys++;
    if (ref->cut && ref->len > 0) { /* something must be there */
        p->reach = end > p->reach ? end : p->reach;
        end = ref->off + 1;
    }
    if (end > 0 && (p->ref.len == ZMAP_WHOLE || end > p->ref.len))
        p->ref.len = end;
    if (ref->modified != 0 && (p->ref.modified == 0 || ref->modified < p->ref.modified))
        p->ref.modified = ref->modified;
}

static int
add_noted(checking *c, const char *name, const char *key, const ncz_found *ref, int failed)
{
    ncz_buf where = NCZ_BUF_INIT;
    noted  *p;
    ncz_err err;
    int     rc;

    ncz_err_save(&err, failed);
    if ((rc = ncz_make_room(&c->v, c->n, &c->cap, sizeof *c->v)) != NC_NOERR)
        return rc;
    p = &c->v[c->n];
    *p = (noted){.ref = *ref};
    p->ref.len = ZMAP_WHOLE;
    if (find_where(c, key, &where) == NC_NOERR && where.len > 0)
        p->place = keep_text(c, where.data);
    p->key = keep_text(c, key);
    p->ref.object = ref->object != NULL ? keep_text(c, ref->object) : "";
    p->ref.etag = keep_text(c, ref->etag);
    if (failed != NC_NOERR && (p->failed = ncz_alloc(sizeof *p->failed)) != NULL)
        *p->failed = err;
    ncz_buf_clear(&where);
    c->n++; /* clear_noted() frees what it has */
    if (p->key == NULL || p->ref.object == NULL || (ref->etag != NULL && p->ref.etag == NULL) ||
        (failed != NC_NOERR && p->failed == NULL))
        return ncz_fail_nomem(sizeof *p);
    if ((rc = ncz_names_put(&c->names, name, c->n - 1)) == NC_NOERR)
        extend(p, ref);
    return rc;
}

/* What tells two of them apart: the store, the object and its version; or, of one that is not found, where it would
 * be. */
static int
name_of(const checking *c, const char *key, const ncz_found *ref, int failed, ncz_buf *out)
{
    if (failed == NC_NOERR)
        return ncz_buf_printf(out, "%p %s %s", (const void *)ref->store, ref->object,
                              ref->etag != NULL ? ref->etag : "");
    if (find_where(c, key, out) == NC_NOERR && out->len > 0)
        return NC_NOERR;
    ncz_buf_reset(out);
    return ncz_buf_printf(out, "? %s", key);
}

static int
note_key(const char *key, uint64_t size, void *arg)
{
    checking *c = arg;
    ncz_arena room = NCZ_ARENA_INIT;
    ncz_buf   name = NCZ_BUF_INIT;
    ncz_found ref = {.data = NULL};
    ncz_err   err;
    size_t    at;
    int       failed, rc = NC_NOERR;

    (void)size;
    if (is_own(c, key))
        return NC_NOERR;
    failed = c->s->finder->find(c->s->arg, key, &room, &ref);
    if (failed == NC_ENOMEM || failed == NC_EEMPTY || (failed == NC_NOERR && ref.data != NULL)) {
        ncz_arena_clear(&room);
        return failed == NC_ENOMEM ? failed : NC_NOERR;
    }
    ncz_err_save(&err, failed);
    if (failed != NC_NOERR)
        ref = (ncz_found){.len = ZMAP_WHOLE};
    if ((rc = name_of(c, key, &ref, failed, &name)) == NC_NOERR) {
        (void)ncz_err_adopt(&err);
        if (ncz_names_get(&c->names, ncz_buf_str(&name), &at))
            extend(&c->v[at], &ref);
        else
            rc = add_noted(c, ncz_buf_str(&name), key, &ref, failed);
    }
    ncz_buf_clear(&name);
    ncz_arena_clear(&room);
    if (rc == NC_NOERR && c->n >= NOTED_MOST)
        rc = ask_noted(c);
    return rc;
}

bool
ncz_references_is(const zmap *m)
{
    return m->ops->get == ncz_references_get;
}

int
ncz_references_check(zmap *m, zmap_place_fn each, void *arg)
{
    checking c = {.s = (const references_map *)m, .each = each, .arg = arg};
    ncz_err  err;
    int      rc;

    if (c.s->finder->where == NULL) /* it does not tell what is elsewhere */
        return NC_NOERR;
    c.names = NCZ_NAMES_INIT;
    c.texts = NCZ_ARENA_INIT;
    rc = c.s->finder->walk(c.s->arg, "", note_key, &c);
    ncz_err_save(&err, rc);
    if (rc != NC_ENOMEM && !c.ended && (rc = ask_noted(&c)) == NC_NOERR) /* also if the walk failed */
        rc = ncz_err_adopt(&err);
    clear_noted(&c);
    ncz_free(c.v);
    return rc;
}
