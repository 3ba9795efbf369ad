/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A snapshot as a store of Zarr v3: "a/b/zarr.json" is the document of the node "a/b", what lies below an array by
 * numbers is a chunk. Only the numbers count: they are the chunk's place in the grid, whatever stands between them.
 */
#include "icechunk/icechunk_int.h"

#include "json/json.h"
#include "references/references.h"
#include "zmap/zmap_int.h"

#include <string.h>

#define DOCUMENT "zarr.json"
#define RANK_FEW 16 /* of indexes on the stack */

typedef struct icechunk_store {
    zmap              *base;
    char              *name;
    ncz_ice_snapshot   snapshot;
    ncz_ice_manifests *manifests;
    ncz_ice_virtual   *elsewhere;
} icechunk_store;

/* ---- keys ------------------------------------------------------------------------------------------------------ */

/* A chunk of an array. */
typedef struct place {
    const ncz_ice_node *array;
    const char         *rest; /* of the key, behind the array's path and its '/' */
} place;

/* The path of the node whose document this is. */
static bool
is_document(const char *key, size_t *len)
{
    size_t all = strlen(key), own = sizeof DOCUMENT - 1;

    if (all < own || strcmp(key + all - own, DOCUMENT) != 0 || (all > own && key[all - own - 1] != '/'))
        return false;
    *len = all > own ? all - own - 1 : 0;
    return true;
}

/* The array that a key is below; NULL: none. */
static place
find_place(const icechunk_store *s, const char *key)
{
    const ncz_ice_node *node = ncz_ice_snapshot_find(&s->snapshot, "", 0);

    if (node != NULL && node->array)
        return (place){node, key};
    for (const char *slash = strchr(key, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        node = ncz_ice_snapshot_find(&s->snapshot, key, (size_t)(slash - key));
        if (node == NULL)
            break;
        if (node->array)
            return (place){node, slash + 1};
    }
    return (place){.array = NULL};
}

static bool
read_index(const char **text, uint32_t *out)
{
    uint64_t    value = 0;
    const char *at = *text;

    if (*at < '0' || *at > '9' || (*at == '0' && at[1] >= '0' && at[1] <= '9'))
        return false;
    for (; *at >= '0' && *at <= '9' && value <= UINT32_MAX; at++)
        value = value * 10 + (uint64_t)(*at - '0');
    *text = at;
    *out = (uint32_t)value;
    return value <= UINT32_MAX;
}

/* The indexes in the rest of a key: "c/0/1", "c.0.1", "0/1" or "0.1"; of a scalar "c" or "0". */
static bool
read_indexes(const char *text, size_t rank, uint32_t *out)
{
    if (rank == 0)
        return strcmp(text, "c") == 0 || strcmp(text, "0") == 0;
    if (text[0] == 'c' && (text[1] == '/' || text[1] == '.'))
        text += 2;
    for (size_t d = 0; d < rank; d++) {
        if (d > 0 && *text != '/' && *text != '.')
            return false;
        text += d > 0;
        if (!read_index(&text, &out[d]))
            return false;
    }
    return *text == '\0';
}

static bool
contains(const ncz_ice_part *part, const uint32_t *index, size_t rank)
{
    for (size_t d = 0; d < rank; d++)
        if (index[d] < ncz_flat_u32(part->extents + 8 * d) || index[d] >= ncz_flat_u32(part->extents + 8 * d + 4))
            return false;
    return true;
}

/* ---- finding --------------------------------------------------------------------------------------------------- */

/* What is asked of a key: its bytes, or only where they are. */
typedef struct asked {
    const icechunk_store *s;
    const char           *key;
    ncz_arena            *room;
    ncz_found            *out;
    ncz_buf              *where; /* appended to if they are elsewhere, and nothing is looked for; NULL: the bytes */
} asked;

/* An object of the repository. */
static int
find_native(const asked *a, const ncz_ice_chunk *c)
{
    char *key = ncz_arena_get(a->room, NCZ_ICE_KEY);

    if (key == NULL)
        return ncz_fail_nomem(NCZ_ICE_KEY);
    memcpy(key, "chunks/", 7);
    ncz_ice_id_text(c->id, key + 7);
    *a->out = (ncz_found){.store = a->s->base, .object = key, .off = c->off, .len = c->len};
    return NC_NOERR;
}

/* A range of an object elsewhere. */
static int
find_elsewhere(const asked *a, ncz_ice_manifest *m, const ncz_ice_chunk *c)
{
    ncz_found *out = a->out;
    ncz_buf    unpacked = NCZ_BUF_INIT;
    ncz_line   location = c->location;
    int        rc = NC_NOERR;

    *out = (ncz_found){.off = c->off, .len = c->len, .modified = c->modified};
    if (location.s == NULL) {
        rc = ncz_ice_manifest_unpack(m, c->packed, &unpacked);
        location = (ncz_line){.s = ncz_buf_str(&unpacked), .len = unpacked.len};
    }
    if (rc == NC_NOERR)
        rc = a->where != NULL
                 ? ncz_ice_virtual_show(a->s->elsewhere, a->key, location, a->where)
                 : ncz_ice_virtual_find(a->s->elsewhere, a->key, location, a->room, &out->store, &out->object);
    if (rc == NC_NOERR && c->etag.len != 0 && (out->etag = ncz_arena_text(a->room, c->etag.s, c->etag.len)) == NULL)
        rc = ncz_fail_nomem(c->etag.len);
    ncz_buf_clear(&unpacked);
    return rc;
}

static int
find_inline(const asked *a, const ncz_ice_chunk *c)
{
    char *data = ncz_arena_text(a->room, (const char *)c->bytes.data, c->bytes.n);

    *a->out = (ncz_found){.data = data, .len = c->bytes.n};
    return data != NULL ? NC_NOERR : ncz_fail_nomem(c->bytes.n);
}

/* Looks for a chunk in one manifest. */
static int
find_in_part(const asked *a, const place *at, const ncz_ice_part *part, const uint32_t *index)
{
    ncz_ice_manifest *m;
    ncz_ice_chunk     chunk;
    bool              here;
    int               rc = ncz_ice_manifests_take(a->s->manifests, part->id, &m);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_ice_manifest_find(m, at->array, index, &chunk)) == NC_NOERR) {
        here = chunk.bytes.data != NULL || chunk.id != NULL;
        if (!here)
            rc = find_elsewhere(a, m, &chunk);
        else if (a->where == NULL)
            rc = chunk.bytes.data != NULL ? find_inline(a, &chunk) : find_native(a, &chunk);
    }
    ncz_ice_manifests_give(a->s->manifests, m);
    return rc;
}

static int
find_chunk(const asked *a, const place *at)
{
    uint32_t  few[RANK_FEW], *index = few;
    size_t    rank = at->array->rank;
    const int absent = NC_EEMPTY;
    int       rc = absent;

    if (rank > RANK_FEW && (index = ncz_arena_get_n(a->room, rank, sizeof *index)) == NULL)
        return ncz_fail_nomem(rank * sizeof *index);
    if (!read_indexes(at->rest, rank, index))
        return absent;
    for (size_t i = 0; rc == absent && i < at->array->nparts; i++) {
        const ncz_ice_part *part = &a->s->snapshot.parts[at->array->first + i];

        if (contains(part, index, rank))
            rc = find_in_part(a, at, part, index);
    }
    return rc;
}

static int
answer(const asked *a)
{
    const ncz_ice_snapshot *snapshot = &a->s->snapshot;
    const ncz_ice_node     *node;
    place                   at;
    size_t                  len;

    if (is_document(a->key, &len) && (node = ncz_ice_snapshot_find(snapshot, a->key, len)) != NULL) {
        if (a->where == NULL)
            *a->out = (ncz_found){.data = node->document.s, .len = node->document.len};
        return NC_NOERR;
    }
    if (ncz_ice_snapshot_find(snapshot, a->key, strlen(a->key)) != NULL)
        return ncz_fail(NC_EACCESS, "%s: is a group or array", a->key);
    at = find_place(a->s, a->key);
    return at.array != NULL ? find_chunk(a, &at) : NC_EEMPTY;
}

static int
find(void *arg, const char *key, ncz_arena *room, ncz_found *out)
{
    return answer(&(asked){.s = arg, .key = key, .room = room, .out = out});
}

static int
find_where(void *arg, const char *key, ncz_buf *text, uint64_t *off, uint64_t *len)
{
    ncz_arena room = NCZ_ARENA_INIT;
    ncz_found found = {.len = ZMAP_WHOLE};
    int       rc = answer(&(asked){.s = arg, .key = key, .room = &room, .out = &found, .where = text});

    *off = found.off;
    *len = found.len;
    ncz_arena_clear(&room);
    return rc;
}

/* ---- what will be needed --------------------------------------------------------------------------------------- */

enum { EXPECT_MOST = 16 };

static void
note_part(const unsigned char *id, const unsigned char **ids, size_t *n)
{
    for (size_t i = 0; i < *n; i++)
        if (memcmp(ids[i], id, NCZ_ICE_ID) == 0)
            return;
    if (*n < EXPECT_MOST)
        ids[(*n)++] = id;
}

static void
expect(void *arg, const zmap_get_req *reqs, size_t n)
{
    const icechunk_store *s = arg;
    const unsigned char  *ids[EXPECT_MOST];
    uint32_t              index[RANK_FEW];
    size_t                count = 0;

    for (size_t i = 0; i < n && count < EXPECT_MOST; i++) {
        place at = find_place(s, reqs[i].key);

        if (at.array == NULL || at.array->rank > RANK_FEW || !read_indexes(at.rest, at.array->rank, index))
            continue;
        for (size_t k = 0; k < at.array->nparts; k++)
            if (contains(&s->snapshot.parts[at.array->first + k], index, at.array->rank))
                note_part(s->snapshot.parts[at.array->first + k].id, ids, &count);
    }
    if (count > 1)
        ncz_ice_manifests_expect(s->manifests, ids, count);
}

/* ---- keys of chunks, for lists --------------------------------------------------------------------------------- */

/* How the document of an array names its chunks. */
typedef struct naming {
    bool plain; /* without the "c" in front */
    char separator;
} naming;

static naming
naming_of(const icechunk_store *s, const ncz_ice_node *array)
{
    const ncz_json_opts opts = {.mode = NCZ_JSON_LENIENT,
                                .depth = ncz_limits_default.json_depth,
                                .nbytes = ncz_limits_default.document_bytes,
                                .name = s->name};
    naming              n = {.separator = '/'};
    ncz_json           *json = NULL;
    const ncz_json     *encoding;
    const char         *text;

    if (ncz_json_parse(array->document.s, array->document.len, &opts, &json, NULL) != NC_NOERR) {
        ncz_err_clear();
        return n;
    }
    encoding = ncz_json_get(json, "chunk_key_encoding");
    n.plain = ncz_json_str_is(ncz_json_get(encoding, "name"), "v2");
    text = ncz_json_cstr(ncz_json_get(ncz_json_get(encoding, "configuration"), "separator"));
    n.separator = text != NULL && text[0] == '.' ? '.' : text != NULL || !n.plain ? '/' : '.';
    ncz_json_free(json);
    return n;
}

static int
write_key(const ncz_ice_node *array, naming n, const ncz_ice_chunk *c, ncz_buf *out)
{
    int rc;

    ncz_buf_reset(out);
    rc = ncz_buf_append(out, array->path, array->len);
    if (rc == NC_NOERR && array->len != 0)
        rc = ncz_buf_putc(out, '/');
    if (rc == NC_NOERR && (!n.plain || array->rank == 0))
        rc = ncz_buf_putc(out, n.plain ? '0' : 'c');
    for (size_t d = 0; rc == NC_NOERR && d < c->index.n; d++) {
        if (d > 0 || !n.plain)
            rc = ncz_buf_putc(out, n.separator);
        if (rc == NC_NOERR)
            rc = ncz_buf_printf(out, "%u", (unsigned)ncz_flat_u32(c->index.data + 4 * d));
    }
    return rc;
}

typedef struct walking {
    const ncz_ice_node *array;
    naming              how;
    const char         *prefix;
    ncz_buf             key;
    zmap_walk_fn        each;
    void               *arg;
} walking;

static int
walk_chunk(const ncz_ice_chunk *c, void *arg)
{
    walking *w = arg;
    int      rc = write_key(w->array, w->how, c, &w->key);

    if (rc != NC_NOERR || !zmap_key_below(ncz_buf_str(&w->key), w->prefix, strlen(w->prefix)))
        return rc;
    return w->each(ncz_buf_str(&w->key), c->len, w->arg);
}

/* The chunks of an array whose keys are below the prefix. */
static int
walk_array(const icechunk_store *s, const ncz_ice_node *array, const char *prefix, zmap_walk_fn each, void *arg)
{
    walking w = {.array = array, .how = naming_of(s, array), .prefix = prefix, .each = each, .arg = arg};
    int     rc = 0;

    for (size_t i = 0; rc == 0 && i < array->nparts; i++) {
        ncz_ice_manifest *m;

        if ((rc = ncz_ice_manifests_take(s->manifests, s->snapshot.parts[array->first + i].id, &m)) != NC_NOERR)
            break;
        rc = ncz_ice_manifest_each(m, array, walk_chunk, &w);
        ncz_ice_manifests_give(s->manifests, m);
    }
    ncz_buf_clear(&w.key);
    return rc;
}

/* ---- lists ----------------------------------------------------------------------------------------------------- */

static int
walk_node(const icechunk_store *s, const ncz_ice_node *node, const char *prefix, zmap_walk_fn each, void *arg)
{
    ncz_buf key = NCZ_BUF_INIT;
    int     rc = ncz_buf_append(&key, node->path, node->len);

    if (rc == NC_NOERR)
        rc = ncz_buf_puts(&key, node->len != 0 ? "/" DOCUMENT : DOCUMENT);
    if (rc == NC_NOERR)
        rc = each(ncz_buf_str(&key), node->document.len, arg);
    ncz_buf_clear(&key);
    return rc == 0 && node->array ? walk_array(s, node, prefix, each, arg) : rc;
}

/* Whether a node is the prefix, or below it. */
static bool
is_within(const ncz_ice_node *node, const char *prefix, size_t len)
{
    return len == 0 ||
           (node->len >= len && memcmp(node->path, prefix, len) == 0 && (node->len == len || node->path[len] == '/'));
}

static int
walk(void *arg, const char *prefix, zmap_walk_fn each, void *each_arg)
{
    const icechunk_store *s = arg;
    size_t                len = strlen(prefix);
    place                 at = find_place(s, prefix);
    int                   rc = 0;

    if (at.array != NULL && len != 0)
        return walk_array(s, at.array, prefix, each, each_arg);
    for (size_t i = ncz_ice_snapshot_seek(&s->snapshot, prefix, len); rc == 0 && i < s->snapshot.nnodes; i++) {
        const ncz_ice_node *node = &s->snapshot.nodes[i];

        if (node->len < len || memcmp(node->path, prefix, len) != 0)
            break;
        if (is_within(node, prefix, len))
            rc = walk_node(s, node, prefix, each, each_arg);
    }
    return rc;
}

/* The segment of a key behind a prefix. */
static int
add_child(zmap_children *c, const char *key, size_t len, size_t prefix)
{
    size_t      from = prefix != 0 ? prefix + 1 : 0;
    const char *slash = memchr(key + from, '/', len - from);

    return zmap_children_add(c, key + from, slash != NULL ? (size_t)(slash - key) - from : len - from, slash == NULL);
}

typedef struct listing {
    zmap_children children;
    size_t        prefix;
} listing;

static int
note_child(const char *key, uint64_t size, void *arg)
{
    listing *l = arg;

    (void)size;
    return add_child(&l->children, key, strlen(key), l->prefix);
}

/* The chunks right below an array. Where they lie in a folder of their own, no manifest is asked. */
static int
list_array(const icechunk_store *s, const ncz_ice_node *array, const char *prefix, listing *l)
{
    naming how = naming_of(s, array);

    if (strlen(prefix) != array->len || how.plain || how.separator != '/' || array->rank == 0)
        return walk_array(s, array, prefix, note_child, l);
    return array->nparts != 0 ? zmap_children_add(&l->children, "c", 1, false) : NC_NOERR;
}

/* The nodes right below a group. Those below them are passed over: their paths begin with the child's and '/', and '0'
 * follows '/'. */
static int
list_group(const icechunk_store *s, const char *prefix, size_t len, listing *l)
{
    ncz_buf path = NCZ_BUF_INIT;
    size_t  i, from = len != 0 ? len + 1 : 0;
    int     rc = ncz_buf_append(&path, prefix, len);

    if (rc == NC_NOERR && len != 0)
        rc = ncz_buf_putc(&path, '/');
    i = rc == NC_NOERR ? ncz_ice_snapshot_seek(&s->snapshot, ncz_buf_str(&path), path.len) : 0;
    while (rc == NC_NOERR && i < s->snapshot.nnodes) {
        const ncz_ice_node *node = &s->snapshot.nodes[i];
        const char         *slash;

        if (node->len < from || memcmp(node->path, ncz_buf_str(&path), from) != 0)
            break;
        slash = memchr(node->path + from, '/', node->len - from);
        i++;
        if (node->len == from)
            continue; /* the root */
        if ((rc = zmap_children_add(&l->children, node->path + from,
                                    slash != NULL ? (size_t)(slash - node->path) - from : node->len - from, false)) ==
                NC_NOERR &&
            slash != NULL) {
            path.len = from;
            if ((rc = ncz_buf_append(&path, node->path + from, (size_t)(slash - node->path) - from)) == NC_NOERR &&
                (rc = ncz_buf_putc(&path, '0')) == NC_NOERR)
                i = ncz_ice_snapshot_seek(&s->snapshot, ncz_buf_str(&path), path.len);
        }
    }
    ncz_buf_clear(&path);
    return rc;
}

static int
list(void *arg, const char *prefix, zmap_each_fn each, void *each_arg)
{
    const icechunk_store *s = arg;
    size_t                len = strlen(prefix);
    const ncz_ice_node   *node = ncz_ice_snapshot_find(&s->snapshot, prefix, len);
    place                 at = {.array = NULL};
    listing               l = {.prefix = len};
    int                   rc = NC_NOERR;

    if (node == NULL)
        at = find_place(s, prefix);
    else
        rc = zmap_children_add(&l.children, DOCUMENT, sizeof DOCUMENT - 1, true);
    if (rc == NC_NOERR && node != NULL && node->array)
        rc = list_array(s, node, prefix, &l);
    else if (rc == NC_NOERR && node != NULL)
        rc = list_group(s, prefix, len, &l);
    else if (rc == NC_NOERR && at.array != NULL)
        rc = list_array(s, at.array, prefix, &l);
    if (rc == NC_NOERR)
        rc = zmap_children_each(&l.children, each, each_arg);
    zmap_children_clear(&l.children);
    return rc;
}

/* ---- opening and closing --------------------------------------------------------------------------------------- */

static void
add_stats(void *arg, zmap_stats *out)
{
    const icechunk_store *s = arg;

    zmap_stats_add_network(s->base, out);
    ncz_ice_virtual_add_stats(s->elsewhere, out);
}

static void
free_store(icechunk_store *s)
{
    ncz_ice_manifests_free(s->manifests);
    ncz_ice_virtual_free(s->elsewhere);
    ncz_ice_snapshot_clear(&s->snapshot);
    ncz_free(s->name);
    ncz_free(s);
}

static int
close_store(void *arg)
{
    icechunk_store *s = arg;
    int             rc = zmap_close(s->base, ZMAP_KEEP);

    free_store(s);
    return rc;
}

static const ncz_finder icechunk_finder = {
    .name = "icechunk",
    .find = find,
    .expect = expect,
    .list = list,
    .walk = walk,
    .stats = add_stats,
    .close = close_store,
    .where = find_where,
};

bool
ncz_icechunk_is(const zmap *m)
{
    return strcmp(zmap_name(m), icechunk_finder.name) == 0;
}

/* The configuration of spec 1 is an object of its own, and asked for together with the snapshot. */
static int
get_snapshot(const ncz_ice_repo *repo, icechunk_store *s, const char *id, ncz_ice_containers *containers)
{
    char         key[NCZ_ICE_KEY] = "snapshots/", *what;
    ncz_ice_file file = NCZ_ICE_FILE_INIT;
    zmap_get_req r[2] = {
        {.key = key, .len = ZMAP_WHOLE, .body = NCZ_BUF_LIMIT(ncz_limits_default.index_bytes)},
        {.key = "config.yaml", .len = ZMAP_WHOLE, .body = NCZ_BUF_LIMIT(ncz_limits_default.document_bytes)}};
    int rc;

    memcpy(key + strlen(key), id, NCZ_ICE_ID_TEXT);
    if ((what = ncz_sprintf("%s: %s", s->name, key)) == NULL)
        return ncz_fail_nomem(0);
    (void)zmap_get_batch(s->base, r, repo->spec == 1 ? 2 : 1, NULL, NULL);
    if (r[0].err.code == NC_EEMPTY)
        rc = ncz_fail(NC_ENOOBJECT, "%s: the repository does not have this snapshot", what);
    else if (r[0].err.code != NC_NOERR)
        rc = ncz_err_adopt(&r[0].err);
    else if ((rc = ncz_ice_file_read(&r[0].body, NCZ_ICE_SNAPSHOT, what, &file)) == NC_NOERR)
        rc = ncz_ice_snapshot_read(&file, what, &s->snapshot);
    if (rc == NC_NOERR && repo->spec == 1 && r[1].err.code != NC_NOERR && r[1].err.code != NC_EEMPTY)
        rc = ncz_err_adopt(&r[1].err);
    else if (rc == NC_NOERR && repo->spec == 1 && r[1].err.code == NC_NOERR)
        rc = ncz_ice_config_yaml(ncz_buf_str(&r[1].body), r[1].body.len, containers);
    else if (rc == NC_NOERR && repo->spec != 1)
        rc = ncz_ice_repo_config(repo, containers);
    ncz_buf_clear(&r[0].body);
    ncz_buf_clear(&r[1].body);
    ncz_free(what);
    return rc;
}

static int
fill_store(icechunk_store *s, const ncz_icechunk_version *version, ncz_places *places)
{
    ncz_ice_containers containers = {.v = NULL};
    ncz_ice_repo       repo = {.file = NCZ_ICE_FILE_INIT};
    char               id[NCZ_ICE_ID_TEXT];
    int                rc = ncz_ice_repo_open(s->base, s->name, version, &repo, id);

    if (rc == NC_NOERR)
        rc = get_snapshot(&repo, s, id, &containers);
    if (rc == NC_NOERR)
        rc = ncz_ice_virtual_new(places, &containers, &s->elsewhere);
    if (rc == NC_NOERR)
        rc = ncz_ice_manifests_new(s->base, s->name, &s->manifests);
    if (rc == NC_NOERR)
        ncz_log(NCZ_LOG_INFO, "%s: Icechunk repository, spec %u, snapshot %s", s->name, repo.spec, id);
    ncz_ice_containers_clear(&containers);
    ncz_ice_repo_clear(&repo);
    return rc;
}

int
ncz_icechunk_open(zmap *base, const char *name, const ncz_icechunk_version *version, ncz_places *places, zmap **out)
{
    icechunk_store *s = ncz_zalloc(sizeof *s);
    bool            from_workers = (zmap_caps_of(base) & ZMAP_FROM_WORKERS) != 0;
    int             rc;

    if (s == NULL)
        return ncz_fail_nomem(sizeof *s);
    s->base = base;
    if ((s->name = ncz_strdup(name)) == NULL)
        rc = ncz_fail_nomem(strlen(name));
    else if ((rc = fill_store(s, version, places)) == NC_NOERR)
        rc = ncz_references_find(&icechunk_finder, s, from_workers && !ncz_ice_virtual_is_remote(s->elsewhere), out);
    if (rc != NC_NOERR)
        free_store(s);
    return rc;
}
