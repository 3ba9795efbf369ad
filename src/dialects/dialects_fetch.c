/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tree of a dataset's nodes. All documents of one level are fetched in one batch; the dialect parses those of a
 * node as they arrive, on any thread, and they are not kept. Children come from NCZarr's lists if a group has them,
 * else from listing the store.
 *
 * An unparsable document spoils its own node only. A name that cannot be a segment of a key is skipped with a log
 * line. The array of nodes is sorted by level, parents before children. During a batch the array does not move, and
 * each thread touches its own node only.
 */
#include "dialects/dialects_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_MOST 1024 /* bytes of the longest key that a store accepts */

/* ---- nodes ---------------------------------------------------------------------------------------------------- */

static int
node_add(ncz_loader *l, size_t parent, const char *name, size_t len, ncz_node_kind kind)
{
    ncz_node *n;
    int       rc;

    if (l->nnodes > l->m->limits.objects)
        return ncz_fail(NC_EZARRMETA, "more than %zu groups and variables (limit `objects`)", l->m->limits.objects);
    if ((rc = ncz_make_room(&l->nodes, l->nnodes, &l->cap, sizeof *l->nodes)) != NC_NOERR)
        return rc;
    n = &l->nodes[l->nnodes];
    *n = (ncz_node){.name = ncz_arena_text(&l->names, name, len), .parent = parent, .kind = kind};
    if (n->name == NULL)
        return ncz_fail_nomem(len);
    n->depth = l->nnodes == 0 ? 0 : l->nodes[parent].depth + 1;
    l->nnodes++;
    return NC_NOERR;
}

void
ncz_dialects_fetch_clear(ncz_loader *l)
{
    for (size_t i = 0; i < l->nnodes; i++) {
        ncz_free(l->nodes[i].err);
        ncz_format_node_meta_clear(l->nodes[i].said);
    }
    ncz_arena_clear(&l->names);
    ncz_free(l->nodes);
    l->nodes = NULL;
    l->nnodes = l->cap = 0;
}

static int
path_upto(const ncz_loader *l, size_t i, size_t depth, ncz_buf *out)
{
    int rc = NC_NOERR;

    /* The depth is small (limit group_depth), so searching the ancestor for each segment is cheap. */
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
ncz_dialects_node_path(const ncz_loader *l, size_t i, ncz_buf *out)
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

/* ---- errors of a node ----------------------------------------------------------------------------------------- */

/* Reports a node's recorded error, back on the caller's thread. */
static int
node_status(const ncz_node *n)
{
    if (n->rc != NC_NOERR)
        return n->err != NULL ? ncz_err_adopt(n->err) : ncz_fail_nomem(sizeof *n->err);
    if (n->err != NULL)
        ncz_log(NCZ_LOG_WARN, "%s", n->err->text);
    return NC_NOERR;
}

/* ---- one batch of documents ----------------------------------------------------------------------------------- */

typedef struct wanted {
    size_t node;
    size_t path;  /* offset of its path in the batch's text */
    size_t first; /* index of its first key */
} wanted;

typedef struct batch {
    ncz_loader   *l;
    ncz_buf       text; /* paths and keys, each with its NUL */
    wanted       *want;
    ncz_docs_req *reqs;
    size_t        n;
    size_t       *at;  /* of each key, its offset in `text` */
    unsigned     *doc; /* of each key, the document's number */
    const char  **keys;
    size_t        nkeys;
} batch;

static void
batch_clear(batch *b)
{
    ncz_buf_clear(&b->text);
    ncz_free(b->want);
    ncz_free(b->reqs);
    ncz_free(b->at);
    ncz_free(b->doc);
    ncz_free(b->keys);
}

static int
batch_init(batch *b, ncz_loader *l, size_t n, size_t nkeys)
{
    *b = (batch){.l = l, .text = NCZ_BUF_INIT};
    b->want = ncz_alloc_n(n, sizeof *b->want);
    b->reqs = ncz_alloc_n(n, sizeof *b->reqs);
    b->at = ncz_alloc_n(nkeys, sizeof *b->at);
    b->doc = ncz_alloc_n(nkeys, sizeof *b->doc);
    b->keys = ncz_alloc_n(nkeys, sizeof *b->keys);
    if (b->want == NULL || b->reqs == NULL || b->at == NULL || b->doc == NULL || b->keys == NULL) {
        batch_clear(b);
        return ncz_fail_nomem(nkeys * sizeof *b->keys);
    }
    return NC_NOERR;
}

/* Adds the documents `want` (a bit for each number) of node i. Keys are kept as offsets, since `text` may move. */
static int
batch_add(batch *b, size_t i, unsigned want)
{
    size_t path = b->text.len, len;
    int    rc;

    b->want[b->n++] = (wanted){.node = i, .path = path, .first = b->nkeys};
    if ((rc = ncz_dialects_node_path(b->l, i, &b->text)) != NC_NOERR ||
        (rc = ncz_buf_putc(&b->text, '\0')) != NC_NOERR)
        return rc;
    len = b->text.len - path - 1;
    for (unsigned d = 0; want >> d != 0; d++) {
        const char *name = b->l->dialect->docs.all[d];

        if ((want >> d & 1) == 0)
            continue;
        b->at[b->nkeys] = b->text.len;
        b->doc[b->nkeys++] = d;
        /* Reserve first: the append copies from this buffer, which must not move meanwhile. */
        if ((rc = ncz_buf_reserve(&b->text, len + 1)) != NC_NOERR ||
            (rc = ncz_buf_append(&b->text, b->text.data + path, len)) != NC_NOERR ||
            (len > 0 && (rc = ncz_buf_putc(&b->text, '/')) != NC_NOERR) ||
            (rc = ncz_buf_append(&b->text, name, strlen(name) + 1)) != NC_NOERR)
            return rc;
    }
    return NC_NOERR;
}

/* A writer must know every group: it would have to leave the whole dataset alone. */
static bool
is_too_much(const ncz_loader *l, const ncz_node *n, const ncz_err *err)
{
    return !l->wish.look && n->kind == NCZ_NODE_GROUP && ncz_format_is_unreadable(err->code);
}

/* Receives the documents of one node, and parses them. */
static void
arrived(void *arg, size_t i, const ncz_docs_got *got)
{
    batch        *b = arg;
    wanted        w = b->want[i];
    ncz_node     *n = &b->l->nodes[w.node];
    ncz_node_docs docs = {.doc = {NULL}};
    int           rc;

    for (size_t k = 0; k < b->reqs[i].n; k++) {
        n->lost = n->lost || got[k].err != NULL;
        if (got[k].err != NULL && is_too_much(b->l, n, got[k].err)) {
            (void)ncz_err_adopt(got[k].err);
            ncz_format_node_fail(n, got[k].err->code);
        } else if (got[k].err != NULL) {
            ncz_format_node_fault(n, got[k].err);
        } else if (ncz_json_is(got[k].doc, NCZ_JSON_OBJECT)) {
            docs.doc[b->doc[w.first + k]] = got[k].doc;
        } else if (got[k].doc != NULL) {
            n->lost = true;
            ncz_format_node_spoil(n, ncz_fail(NC_EZARRMETA, "%s: not a JSON object", b->reqs[i].keys[k]));
        }
    }
    if (n->rc == NC_NOERR &&
        (rc = b->l->dialect->reader.parse_node(b->l, n, &docs, b->text.data + w.path)) != NC_NOERR)
        ncz_format_node_fail(n, rc);
}

static int
batch_fetch(batch *b)
{
    ncz_loader *l = b->l;
    int         rc;

    for (size_t k = 0; k < b->nkeys; k++)
        b->keys[k] = b->text.data + b->at[k];
    for (size_t i = 0; i < b->n; i++) {
        size_t end = i + 1 < b->n ? b->want[i + 1].first : b->nkeys;

        b->reqs[i] = (ncz_docs_req){.keys = b->keys + b->want[i].first, .n = end - b->want[i].first};
    }
    if (b->n > 0 && (rc = l->docs->fetch(l->docs->arg, b->reqs, b->n, arrived, b)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < b->n; i++) {
        const ncz_node *n = &l->nodes[b->want[i].node];

        if ((rc = node_status(n)) != NC_NOERR)
            return rc;
        /* A writer must not overwrite a group's document that could not be read. */
        if (n->kind == NCZ_NODE_GROUP && n->err != NULL)
            l->damaged = true;
        if (n->kind == NCZ_NODE_GROUP && n->lost && (rc = ncz_format_warn(l, n->err->text)) != NC_NOERR)
            return rc;
    }
    return NC_NOERR;
}

/* ---- children ------------------------------------------------------------------------------------------------- */

/* The first bytes of a name, those that are not printable text as \xHH. */
static void
show_name(const char *name, size_t len, char out[4 * 80 + 1])
{
    bool text = ncz_utf8_valid(name, len);

    len = len > 80 ? text ? ncz_utf8_cut(name, len, 80) : 80 : len;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)name[i];

        if (c < 0x20 || c == 0x7f || (c >= 0x80 && !text))
            out += snprintf(out, 5, "\\x%02x", c);
        else
            *out++ = (char)c;
    }
    *out = '\0';
}

/* A name in a list of children. */
static int
leave_out(ncz_loader *l, size_t parent, const char *name, size_t len)
{
    char  shown[4 * 80 + 1];
    char *why;
    int   rc;

    show_name(name, len, shown);
    why = ncz_sprintf("'%s' in the list of group '/%.80s' cannot be part of a key%s: left out", shown,
                      l->nodes[parent].name, ncz_utf8_valid(name, len) ? "" : ", since it is not UTF-8");
    if (why == NULL)
        return ncz_fail_nomem(len);
    ncz_log(NCZ_LOG_WARN, "%s", why);
    rc = ncz_format_warn(l, why);
    ncz_free(why);
    return rc;
}

/* The most bytes that the name of a child may have: the keys of its documents have them, too. */
static size_t
longest_name(const ncz_loader *l, size_t parent)
{
    size_t rest = path_len(l, parent) + 1 + ncz_dialects_longest_document();
    size_t most = rest < KEY_MOST ? KEY_MOST - rest : 0;

    return most < l->m->limits.name_bytes ? most : l->m->limits.name_bytes;
}

/* `most`: of longest_name(). */
static int
kid_add(ncz_loader *l, size_t parent, const char *name, size_t most, ncz_node_kind kind)
{
    size_t len = strlen(name);

    if (!ncz_format_segment_ok(name, len, most))
        return leave_out(l, parent, name, len);
    return node_add(l, parent, name, len, kind);
}

/* `seen` holds the names so far: variables and groups share one name space, and the first use of a name counts. */
static int
kids_from_list(ncz_loader *l, size_t i, const ncz_string_list *list, ncz_node_kind kind, ncz_names *seen)
{
    size_t most = longest_name(l, i);
    int    rc = NC_NOERR;

    for (size_t k = 0; k < list->n && rc == NC_NOERR; k++) {
        const char *name = list->v[k];
        size_t      before = seen->live;

        if (name == NULL)
            continue;
        if ((rc = ncz_names_refer_first(seen, name, k)) == NC_NOERR && seen->live == before)
            ncz_log(NCZ_LOG_WARN, "'%.80s' is listed twice in group '/%.80s': the first counts", name,
                    l->nodes[i].name);
        else if (rc == NC_NOERR)
            rc = kid_add(l, i, name, most, kind);
    }
    return rc;
}

static int
kids_from_lists(ncz_loader *l, size_t i)
{
    const ncz_node_meta *said = l->nodes[i].said;
    ncz_names            seen = NCZ_NAMES_INIT;
    int                  rc = kids_from_list(l, i, &said->arrays, NCZ_NODE_ARRAY, &seen);

    if (rc == NC_NOERR)
        rc = kids_from_list(l, i, &said->groups, NCZ_NODE_GROUP, &seen);
    ncz_names_clear(&seen);
    return rc;
}

typedef struct listing {
    const ncz_dialect_ops *dialect;
    char                 **v;
    size_t                 n, cap, most;
} listing;

/* Names that no node has: of the dialect's documents, of what this library keeps beside them while it writes
 * (`.nczarr-...`), and of what macOS adds to archives. */
static bool
is_reserved(const ncz_dialect_ops *dialect, const char *name)
{
    return ncz_dialects_parse_key(dialect, name, NCZ_RANK_ANY, NULL) == NCZ_KEY_DOCUMENT ||
           strncmp(name, ".nczarr-", 8) == 0 || strcmp(name, "__MACOSX") == 0;
}

/* Takes prefixes only: objects are documents and chunks, or mark a prefix that has their name. */
static int
note_name(const char *name, bool leaf, void *arg)
{
    listing *ls = arg;
    int      rc;

    if (leaf || is_reserved(ls->dialect, name))
        return NC_NOERR;
    if (ls->n >= ls->most)
        return ncz_fail(NC_EZARRMETA, "more than %zu groups and variables (limit `objects`)", ls->most);
    if ((rc = ncz_make_room(&ls->v, ls->n, &ls->cap, sizeof *ls->v)) != NC_NOERR)
        return rc;
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
lose_children(ncz_loader *l, size_t i, int rc)
{
    ncz_format_node_spoil(&l->nodes[i], rc);
    l->damaged = true;
    ncz_log(NCZ_LOG_WARN, "%s", l->nodes[i].err->text);
    return ncz_format_warn(l, l->nodes[i].err->text);
}

static int
kids_from_listing(ncz_loader *l, size_t i)
{
    listing ls = {.dialect = l->dialect, .most = l->m->limits.objects};
    ncz_buf path = NCZ_BUF_INIT;
    size_t  most = longest_name(l, i);
    int     rc;

    if (l->docs->list == NULL) {
        if (i == 0)
            return ncz_fail(
                NC_EZARRMETA,
                "this Zarr dataset has no list of its contents (no NCZarr lists, no consolidated metadata), "
                "and its store cannot be listed");
        return NC_NOERR;
    }
    if ((rc = ncz_dialects_node_path(l, i, &path)) != NC_NOERR)
        goto done;
    rc = l->docs->list(l->docs->arg, ncz_buf_str(&path), note_name, &ls);
    /* A group without children is valid. One that cannot be listed is a broken one. */
    if (rc == NC_EEMPTY || rc == NC_ENOOBJECT)
        rc = NC_NOERR;
    else if (i > 0 && l->wish.look && ncz_format_is_unreadable(rc))
        rc = lose_children(l, i, rc);
    if (ls.n > 1)
        qsort(ls.v, ls.n, sizeof *ls.v, by_bytes);
    for (size_t k = 0; k < ls.n && rc == NC_NOERR; k++)
        if (k == 0 || strcmp(ls.v[k - 1], ls.v[k]) != 0)
            rc = kid_add(l, i, ls.v[k], most, NCZ_NODE_DIR);
done:
    for (size_t k = 0; k < ls.n; k++)
        ncz_free(ls.v[k]);
    ncz_free(ls.v);
    ncz_buf_clear(&path);
    return rc;
}

/* Finds the children of group i and puts them at the end of the tree. Directories such as `.git`, `.snapshot` and
 * `.Trash-1000` are no groups because of what lies in them. */
static int
expand(ncz_loader *l, size_t i)
{
    const ncz_node *n = &l->nodes[i];
    size_t          first = l->nnodes;
    int             rc;

    if (n->kind == NCZ_NODE_DIR && n->name[0] == '.')
        return NC_NOERR;
    if (n->depth > l->m->limits.group_depth) {
        if (n->kind == NCZ_NODE_DIR)
            return NC_NOERR; /* an unrelated directory, deeper than groups may be */
        return ncz_fail(NC_EZARRMETA, "groups nested deeper than %zu (limit `group_depth`)",
                        l->m->limits.group_depth);
    }
    rc = n->said->lists ? kids_from_lists(l, i) : kids_from_listing(l, i);
    l->nodes[i].kid = first;
    l->nodes[i].nkids = l->nnodes - first;
    return rc;
}

/* ---- levels --------------------------------------------------------------------------------------------------- */

/* A directory without documents of its own is a group if an array lies below it. Children come after their parents in
 * the array, so one backward pass decides all. */
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

/* The documents of a node to fetch, one bit for each; 0: it is passed over. */
static unsigned
choose_docs(const ncz_loader *l, const ncz_node *n)
{
    return l->names_only && n->kind == NCZ_NODE_ARRAY ? 0 : l->dialect->reader.wanted_docs(l, n->kind);
}

static int
fetch_level(ncz_loader *l, size_t lo, size_t hi)
{
    size_t   nkeys = 0;
    unsigned docs;
    batch    b;
    int      rc;

    for (size_t i = lo; i < hi; i++)
        for (unsigned want = choose_docs(l, &l->nodes[i]); want != 0; want &= want - 1)
            nkeys++;
    if ((rc = batch_init(&b, l, hi - lo, nkeys)) != NC_NOERR)
        return rc;
    for (size_t i = lo; i < hi && rc == NC_NOERR; i++)
        if ((docs = choose_docs(l, &l->nodes[i])) != 0)
            rc = batch_add(&b, i, docs);
    if (rc == NC_NOERR)
        rc = batch_fetch(&b);
    batch_clear(&b);
    return rc;
}

int
ncz_dialects_fetch_tree(ncz_loader *l)
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

/* The number of documents that a dialect's root may have. */
static size_t
count_root_docs(const ncz_dialect_ops *d)
{
    size_t n = 0;

    while (d->docs.root[n] != NULL)
        n++;
    return n;
}

/* True if a dialect's first document identifies the dataset, and a reader needs no other document of the root. */
static bool
suffices(const ncz_docs_got *got, const void *arg)
{
    const ncz_load_opts *wish = arg;

    for (size_t i = 0; ncz_dialects[i] != NULL; i++) {
        const ncz_dialect_docs *docs = &ncz_dialects[i]->docs;
        size_t                  n = count_root_docs(ncz_dialects[i]);

        /* One of several documents suffices because of NCZarr's lists, which plain Zarr has not. */
        if (ncz_dialects_is_wanted(wish, ncz_dialects[i]) && got->doc != NULL && docs->enough != NULL &&
            (n == 1 || !wish->pure) && docs->enough(got->doc))
            return true;
        got += n;
    }
    return false;
}

int
ncz_dialects_fetch_root(ncz_loader *l, ncz_docs_fn each)
{
    const char  *keys[NCZ_DOCS_MOST];
    ncz_docs_req req = {.keys = keys, .arg = &l->wish};
    int          rc;

    for (size_t i = 0; ncz_dialects[i] != NULL; i++) {
        if (ncz_dialects[i]->docs.root[0] != NULL)
            req.first = req.n + 1;
        for (const char *const *doc = ncz_dialects[i]->docs.root; *doc != NULL && req.n < NCZ_DOCS_MOST; doc++)
            keys[req.n++] = *doc;
    }
    if (l->wish.look)
        req.enough = suffices;
    if ((rc = node_add(l, 0, "", 0, NCZ_NODE_GROUP)) != NC_NOERR ||
        (rc = l->docs->fetch(l->docs->arg, &req, 1, each, l)) != NC_NOERR)
        return rc;
    if ((rc = node_status(&l->nodes[0])) == NC_NOERR && l->nodes[0].err != NULL)
        l->damaged = true;
    return rc;
}
