/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The documents of a dataset as a tree of nodes, fetched level by level: all documents of all nodes of one level are
 * one batch. Children come from NCZarr's lists where a group has them, else from listing.
 *
 * A document that cannot be parsed spoils its own node and no other. Names are checked here, as one segment of a key:
 * a name that is none is left out with a line in the log. Nodes stand in the array by level; parents before children.
 */
#include "format/format_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KEY_MOST 1024 /* bytes of the longest key that a store takes */
#define KEY_TAIL 10   /* "/.nczarray" */

/* ---- nodes ---------------------------------------------------------------------------------------------------- */

static int
node_add(ncz_loader *l, size_t parent, const char *name, ncz_node_kind kind)
{
    ncz_node *n;

    if (l->nnodes > l->m->limits.objects)
        return ncz_fail(NC_EZARRMETA, "more than %zu groups and variables (limit `objects`)", l->m->limits.objects);
    if (l->nnodes == l->cap) {
        size_t    cap = l->cap == 0 ? 16 : l->cap * 2;
        ncz_node *v = ncz_grow(l->nodes, cap, sizeof *v);

        if (v == NULL)
            return ncz_fail_nomem(cap * sizeof *v);
        l->nodes = v;
        l->cap = cap;
    }
    n = &l->nodes[l->nnodes];
    *n = (ncz_node){ .name = ncz_strdup(name), .parent = parent, .kind = kind };
    if (n->name == NULL)
        return ncz_fail_nomem(strlen(name));
    n->depth = l->nnodes == 0 ? 0 : l->nodes[parent].depth + 1;
    l->nnodes++;
    return NC_NOERR;
}

void
ncz_format_fetch_clear(ncz_loader *l)
{
    for (size_t i = 0; i < l->nnodes; i++) {
        ncz_free(l->nodes[i].name);
        ncz_free(l->nodes[i].broken);
    }
    ncz_free(l->nodes);
    l->nodes = NULL;
    l->nnodes = l->cap = 0;
}

static int
path_upto(const ncz_loader *l, size_t i, size_t depth, ncz_buf *out)
{
    int rc = NC_NOERR;

    /* Depth is small (limit group_depth), so finding the ancestor anew for each segment is cheap. */
    for (size_t d = 1; d <= depth && rc == NC_NOERR; d++) {
        size_t k = i;

        while (l->nodes[k].depth > d)
            k = l->nodes[k].parent;
        if (d > 1)
            rc = ncz_buf_putc(out, '/');
        if (rc == NC_NOERR)
            rc = ncz_buf_puts(out, l->nodes[k].name);
    }
    return rc;
}

int
ncz_format_node_path(const ncz_loader *l, size_t i, ncz_buf *out)
{
    return path_upto(l, i, l->nodes[i].depth, out);
}

static size_t
path_len(const ncz_loader *l, size_t i)
{
    size_t len = 0;

    for (; l->nodes[i].depth > 0; i = l->nodes[i].parent)
        len += strlen(l->nodes[i].name) + 1;
    return len;
}

/* ---- one batch of documents ----------------------------------------------------------------------------------- */

typedef struct batch {
    ncz_buf          text; /* the keys, each with its NUL */
    size_t           n, cap;
    size_t          *at; /* where in `text` each begins */
    size_t          *node;
    ncz_doc         *doc;
    const char     **keys; /* for one call */
    const ncz_json **got;
} batch;

static void
batch_clear(batch *b)
{
    ncz_buf_clear(&b->text);
    ncz_free(b->at);
    ncz_free(b->node);
    ncz_free(b->doc);
    ncz_free(b->keys);
    ncz_free(b->got);
    *b = (batch){ .text = NCZ_BUF_INIT };
}

static int
batch_room(batch *b)
{
    size_t   cap = b->cap == 0 ? 32 : b->cap * 2;
    size_t  *at, *node;
    ncz_doc *doc;

    if (b->n < b->cap)
        return NC_NOERR;
    if ((at = ncz_grow(b->at, cap, sizeof *at)) != NULL)
        b->at = at;
    if ((node = ncz_grow(b->node, cap, sizeof *node)) != NULL)
        b->node = node;
    if ((doc = ncz_grow(b->doc, cap, sizeof *doc)) != NULL)
        b->doc = doc;
    if (at == NULL || node == NULL || doc == NULL)
        return ncz_fail_nomem(cap * sizeof *at);
    b->cap = cap;
    return NC_NOERR;
}

/* Adds the documents `want` (bits) of node i. */
static int
batch_add(batch *b, const ncz_loader *l, size_t i, unsigned want)
{
    int rc = NC_NOERR;

    for (int d = 0; d < NCZ_DOC_COUNT && rc == NC_NOERR; d++) {
        if ((want & NCZ_DOC_BIT(d)) == 0)
            continue;
        if ((rc = batch_room(b)) != NC_NOERR)
            return rc;
        b->at[b->n] = b->text.len;
        b->node[b->n] = i;
        b->doc[b->n] = (ncz_doc)d;
        if ((rc = ncz_format_node_path(l, i, &b->text)) != NC_NOERR ||
            (l->nodes[i].depth > 0 && (rc = ncz_buf_putc(&b->text, '/')) != NC_NOERR) ||
            (rc = ncz_buf_puts(&b->text, ncz_format_doc_names[d])) != NC_NOERR ||
            (rc = ncz_buf_putc(&b->text, '\0')) != NC_NOERR)
            return rc;
        b->n++;
    }
    return rc;
}

/* Is this failure the fault of one key, so that the others should be asked for without it? */
static bool
is_own_fault(int rc)
{
    return rc == NC_EZARRMETA || rc == NC_EINVAL || rc == ENAMETOOLONG;
}

static int
spoil_node(ncz_node *n, int rc)
{
    if (n->broken == NULL && (n->broken = ncz_alloc(sizeof *n->broken)) != NULL)
        ncz_err_save(n->broken, rc);
    else if (n->broken == NULL)
        return ncz_fail_nomem(sizeof *n->broken);
    ncz_log(NCZ_LOG_WARN, "%s", ncz_err_text());
    ncz_err_clear();
    return NC_NOERR;
}

/*
 * Fetches all keys of a batch. A source answers for a batch as a whole, so when one document in it is broken the
 * range is halved until the broken one stands alone: n log n documents at worst.
 */
static int
fetch_all(ncz_loader *l, batch *b)
{
    struct {
        size_t lo, n;
    } todo[2 * 64];
    size_t ntodo = 1;
    int    rc;

    todo[0].lo = 0;
    todo[0].n = b->n;
    while (ntodo > 0) {
        size_t lo = todo[--ntodo].lo, n = todo[ntodo].n;

        rc = l->docs->fetch(l->docs->arg, b->keys + lo, n, b->got + lo);
        if (rc == NC_NOERR)
            continue;
        if (!is_own_fault(rc))
            return rc;
        for (size_t i = lo; i < lo + n; i++)
            b->got[i] = NULL;
        if (n == 1) {
            if ((rc = spoil_node(&l->nodes[b->node[lo]], rc)) != NC_NOERR)
                return rc;
            continue;
        }
        /* The second half waits below the first: never more than one waiting range for each halving. */
        todo[ntodo].lo = lo + n / 2;
        todo[ntodo++].n = n - n / 2;
        todo[ntodo].lo = lo;
        todo[ntodo++].n = n / 2;
    }
    return NC_NOERR;
}

static int
batch_fetch(ncz_loader *l, batch *b)
{
    int rc;

    if (b->n == 0)
        return NC_NOERR;
    b->keys = ncz_alloc_n(b->n, sizeof *b->keys);
    b->got = ncz_zalloc_n(b->n, sizeof *b->got);
    if (b->keys == NULL || b->got == NULL)
        return ncz_fail_nomem(b->n * sizeof *b->keys);
    for (size_t i = 0; i < b->n; i++)
        b->keys[i] = b->text.data + b->at[i];
    if ((rc = fetch_all(l, b)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < b->n; i++)
        if (ncz_json_is(b->got[i], NCZ_JSON_OBJECT)) {
            l->nodes[b->node[i]].doc[b->doc[i]] = b->got[i];
        } else if (b->got[i] != NULL) {
            (void)ncz_fail(NC_EZARRMETA, "%s: not a JSON object", b->keys[i]);
            if ((rc = spoil_node(&l->nodes[b->node[i]], NC_EZARRMETA)) != NC_NOERR)
                return rc;
        }
    return NC_NOERR;
}

/* ---- children ------------------------------------------------------------------------------------------------- */

static int
kid_add(ncz_loader *l, size_t parent, const char *name, size_t len, ncz_node_kind kind)
{
    if (!ncz_format_segment_ok(name, len, l->m->limits.name_bytes) ||
        path_len(l, parent) + len + KEY_TAIL > KEY_MOST) {
        ncz_log(NCZ_LOG_WARN, "'%.80s' in group '/%.80s' cannot be part of a key: left out", name,
                l->nodes[parent].name);
        return NC_NOERR;
    }
    return node_add(l, parent, name, kind);
}

/* `seen` has the names so far: variables and groups share one name space, the first of a name stands. */
static int
kids_from_list(ncz_loader *l, size_t i, const ncz_json *list, ncz_node_kind kind, ncz_names *seen)
{
    int rc = NC_NOERR;

    for (size_t k = 0; k < ncz_json_len(list) && rc == NC_NOERR; k++) {
        size_t      len, at;
        const char *name = ncz_json_str(ncz_json_at(list, k), &len);

        if (name == NULL)
            continue;
        if (ncz_names_get(seen, name, &at))
            ncz_log(NCZ_LOG_WARN, "'%.80s' is listed twice in group '/%.80s': the first counts", name,
                    l->nodes[i].name);
        else if ((rc = ncz_names_put(seen, name, k)) == NC_NOERR)
            rc = kid_add(l, i, name, strlen(name) == len ? len : 0, kind);
    }
    return rc;
}

static int
kids_from_lists(ncz_loader *l, size_t i)
{
    const ncz_json *arrays = ncz_format_info(&l->nodes[i], NCZ_INFO_GROUP, "arrays", "vars");
    const ncz_json *groups = ncz_format_info(&l->nodes[i], NCZ_INFO_GROUP, "groups", "groups");
    ncz_names       seen = NCZ_NAMES_INIT;
    int             rc = kids_from_list(l, i, arrays, NCZ_NODE_ARRAY, &seen);

    if (rc == NC_NOERR)
        rc = kids_from_list(l, i, groups, NCZ_NODE_GROUP, &seen);
    ncz_names_clear(&seen);
    return rc;
}

typedef struct listing {
    char **v;
    size_t n, cap, most;
} listing;

/* Directories only: leaves are documents and chunks. A dot begins no node's name. */
static int
note_name(const char *name, bool leaf, void *arg)
{
    listing *ls = arg;

    if (leaf || name[0] == '.' || strcmp(name, "__MACOSX") == 0)
        return NC_NOERR;
    if (ls->n >= ls->most)
        return ncz_fail(NC_EZARRMETA, "more than %zu groups and variables (limit `objects`)", ls->most);
    if (ls->n == ls->cap) {
        size_t cap = ls->cap == 0 ? 16 : ls->cap * 2;
        char **v = ncz_grow(ls->v, cap, sizeof *v);

        if (v == NULL)
            return ncz_fail_nomem(cap * sizeof *v);
        ls->v = v;
        ls->cap = cap;
    }
    if ((ls->v[ls->n] = ncz_strdup(name)) == NULL)
        return ncz_fail_nomem(strlen(name));
    ls->n++;
    return NC_NOERR;
}

static int
by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int
kids_from_listing(ncz_loader *l, size_t i)
{
    listing ls = { .most = l->m->limits.objects };
    ncz_buf path = NCZ_BUF_INIT;
    int     rc;

    if (l->docs->list == NULL) {
        if (i == 0)
            return ncz_fail(NC_EZARRMETA,
                            "this Zarr dataset has no list of its contents (no NCZarr lists, no .zmetadata), "
                            "and its store cannot be listed");
        return NC_NOERR;
    }
    if ((rc = ncz_format_node_path(l, i, &path)) != NC_NOERR)
        goto done;
    rc = l->docs->list(l->docs->arg, ncz_buf_str(&path), note_name, &ls);
    if (rc == NC_EEMPTY || rc == NC_ENOOBJECT)
        rc = NC_NOERR;
    if (ls.n > 1)
        qsort(ls.v, ls.n, sizeof *ls.v, by_bytes);
    for (size_t k = 0; k < ls.n && rc == NC_NOERR; k++)
        if (k == 0 || strcmp(ls.v[k - 1], ls.v[k]) != 0)
            rc = kid_add(l, i, ls.v[k], strlen(ls.v[k]), NCZ_NODE_DIR);
done:
    for (size_t k = 0; k < ls.n; k++)
        ncz_free(ls.v[k]);
    ncz_free(ls.v);
    ncz_buf_clear(&path);
    return rc;
}

/* Finds the children of group i and puts them at the end of the tree. */
static int
expand(ncz_loader *l, size_t i)
{
    const ncz_node *n = &l->nodes[i];
    size_t          first = l->nnodes;
    int             rc;

    if (n->depth > l->m->limits.group_depth) {
        if (n->kind == NCZ_NODE_DIR)
            return NC_NOERR; /* some directory, deeper than groups may be */
        return ncz_fail(NC_EZARRMETA, "groups nested deeper than %zu (limit `group_depth`)",
                        l->m->limits.group_depth);
    }
    rc = l->nczarr && ncz_format_info_any(n, NCZ_INFO_GROUP) ? kids_from_lists(l, i) : kids_from_listing(l, i);
    l->nodes[i].kid = first;
    l->nodes[i].nkids = l->nnodes - first;
    return rc;
}

/* ---- levels --------------------------------------------------------------------------------------------------- */

static unsigned
wanted_docs(const ncz_loader *l, ncz_node_kind kind)
{
    static const unsigned by_kind[] = {
        [NCZ_NODE_GROUP] = NCZ_DOC_BIT(NCZ_DOC_ZGROUP) | NCZ_DOC_BIT(NCZ_DOC_ZATTRS),
        [NCZ_NODE_ARRAY] = NCZ_DOC_BIT(NCZ_DOC_ZARRAY) | NCZ_DOC_BIT(NCZ_DOC_ZATTRS),
        [NCZ_NODE_DIR] = NCZ_DOC_BIT(NCZ_DOC_ZGROUP) | NCZ_DOC_BIT(NCZ_DOC_ZARRAY) | NCZ_DOC_BIT(NCZ_DOC_ZATTRS),
        [NCZ_NODE_NONE] = 0,
    };
    static const unsigned oldest[] = {
        [NCZ_NODE_GROUP] = NCZ_DOC_BIT(NCZ_DOC_NCZGROUP) | NCZ_DOC_BIT(NCZ_DOC_NCZATTR),
        [NCZ_NODE_ARRAY] = NCZ_DOC_BIT(NCZ_DOC_NCZVAR) | NCZ_DOC_BIT(NCZ_DOC_NCZARRAY) | NCZ_DOC_BIT(NCZ_DOC_NCZATTR),
        [NCZ_NODE_DIR] = 0,
        [NCZ_NODE_NONE] = 0,
    };

    return by_kind[kind] | (l->gen == NCZ_GEN_1 ? oldest[kind] : 0);
}

/* What a listed directory turned out to be. A node that is both is an array. */
static void
settle(ncz_loader *l, ncz_node *n)
{
    bool array = n->doc[NCZ_DOC_ZARRAY] != NULL;

    if (n->kind == NCZ_NODE_DIR) {
        if (array && n->doc[NCZ_DOC_ZGROUP] != NULL)
            ncz_log(NCZ_LOG_WARN, "'%s' is an array and a group: taken as an array", n->name);
        n->kind = array ? NCZ_NODE_ARRAY : n->doc[NCZ_DOC_ZGROUP] != NULL ? NCZ_NODE_GROUP : NCZ_NODE_DIR;
        if (n->kind == NCZ_NODE_DIR && n->broken != NULL)
            n->kind = NCZ_NODE_ARRAY; /* one of its documents stands there, unreadable: listed, never touched */
    }
    if (n->kind == NCZ_NODE_GROUP && n->broken != NULL)
        l->damaged = true;
}

/* A directory without documents of its own is a group when an array lies below it. */
static void
prune(ncz_loader *l)
{
    for (size_t i = l->nnodes; i-- > 0;) {
        ncz_node *n = &l->nodes[i];
        bool      holds = false;

        if (n->kind != NCZ_NODE_DIR)
            continue;
        for (size_t k = 0; k < n->nkids; k++)
            holds = holds || l->nodes[n->kid + k].kind != NCZ_NODE_NONE;
        n->kind = holds ? NCZ_NODE_GROUP : NCZ_NODE_NONE;
    }
}

static int
fetch_level(ncz_loader *l, size_t lo, size_t hi)
{
    batch b = { .text = NCZ_BUF_INIT };
    int   rc = NC_NOERR;

    for (size_t i = lo; i < hi && rc == NC_NOERR; i++)
        rc = batch_add(&b, l, i, wanted_docs(l, l->nodes[i].kind));
    if (rc == NC_NOERR)
        rc = batch_fetch(l, &b);
    for (size_t i = lo; i < hi && rc == NC_NOERR; i++)
        settle(l, &l->nodes[i]);
    batch_clear(&b);
    return rc;
}

int
ncz_format_fetch_tree(ncz_loader *l)
{
    size_t lo = 0, hi = 1;
    int    rc;

    while (lo < hi) {
        if (lo > 0 && (rc = fetch_level(l, lo, hi)) != NC_NOERR)
            return rc;
        for (size_t i = lo; i < hi; i++)
            if ((l->nodes[i].kind == NCZ_NODE_GROUP || l->nodes[i].kind == NCZ_NODE_DIR) &&
                (rc = expand(l, i)) != NC_NOERR)
                return rc;
        lo = hi;
        hi = l->nnodes;
    }
    prune(l);
    return NC_NOERR;
}

int
ncz_format_fetch_root(ncz_loader *l, bool *v3)
{
    static const ncz_doc wanted[] = { NCZ_DOC_ZGROUP, NCZ_DOC_ZATTRS,   NCZ_DOC_ZARRAY,
                                      NCZ_DOC_NCZARR, NCZ_DOC_NCZGROUP, NCZ_DOC_NCZATTR };
    const char          *keys[NCZ_LEN(wanted) + 1];
    const ncz_json      *got[NCZ_LEN(wanted) + 1] = { NULL };
    int                  rc;

    for (size_t i = 0; i < NCZ_LEN(wanted); i++)
        keys[i] = ncz_format_doc_names[wanted[i]];
    keys[NCZ_LEN(wanted)] = "zarr.json";
    if ((rc = node_add(l, 0, "", NCZ_NODE_GROUP)) != NC_NOERR)
        return rc;
    rc = l->docs->fetch(l->docs->arg, keys, NCZ_LEN(keys), got);
    if (is_own_fault(rc)) { /* zarr.json is none of our documents: it may be broken */
        got[NCZ_LEN(wanted)] = NULL;
        rc = l->docs->fetch(l->docs->arg, keys, NCZ_LEN(wanted), got);
    }
    if (rc != NC_NOERR)
        return rc;
    *v3 = got[NCZ_LEN(wanted)] != NULL;
    for (size_t i = 0; i < NCZ_LEN(wanted); i++) {
        if (got[i] != NULL && !ncz_json_is(got[i], NCZ_JSON_OBJECT))
            return ncz_fail(NC_EZARRMETA, "%s: not a JSON object", keys[i]);
        l->nodes[0].doc[wanted[i]] = got[i];
    }
    return NC_NOERR;
}
