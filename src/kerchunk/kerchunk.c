/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The store of a set: finding a reference, lists. A value is parsed when its key is asked for, and an object's place is
 * looked for once.
 */
#include "kerchunk/kerchunk_int.h"
#include "references/references.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

enum { PLACES_KEPT = 100000 }; /* a set has a few objects and many ranges of each, or one for each key */

/* An object that was found. */
typedef struct place {
    zmap *store;
    char *object;
} place;

typedef struct set {
    ncz_kerchunk_table table;
    ncz_places        *places;
    char              *name;
    pthread_mutex_t    lock; /* guards what follows */
    ncz_names          urls; /* indexes of: */
    place             *found;
    size_t             n, cap;
    ncz_arena          texts;
} set;

/* What is asked of a reference: its bytes, or only where they are. */
typedef struct asked {
    set        *s;
    const char *key;
    ncz_arena  *room;
    ncz_found  *out;
    ncz_buf    *where; /* appended to, and nothing is looked for; NULL: the bytes are wanted */
} asked;

/* ---- where an object is ----------------------------------------------------------------------------------------- */

static void
keep_place(set *s, const char *url, place at)
{
    if (s->n == PLACES_KEPT || ncz_make_room(&s->found, s->n, &s->cap, sizeof *s->found) != NC_NOERR ||
        (at.object = ncz_arena_text(&s->texts, at.object, strlen(at.object))) == NULL)
        return; /* it is looked for again */
    if (ncz_names_put(&s->urls, url, s->n) == NC_NOERR)
        s->found[s->n++] = at;
}

static int
find_place(set *s, const char *url, ncz_arena *room, ncz_found *out)
{
    ncz_buf key = NCZ_BUF_INIT;
    place   at = {.store = NULL};
    size_t  i;
    bool    known;
    int     rc;

    (void)pthread_mutex_lock(&s->lock);
    if ((known = ncz_names_get(&s->urls, url, &i)))
        at = s->found[i];
    (void)pthread_mutex_unlock(&s->lock);
    out->store = at.store;
    out->object = at.object;
    if (known)
        return NC_NOERR;
    if ((rc = ncz_places_find(s->places, url, &out->store, &key)) == NC_NOERR &&
        (out->object = ncz_arena_text(room, key.data, key.len)) == NULL)
        rc = ncz_fail_nomem(key.len);
    if (rc == NC_NOERR) {
        (void)pthread_mutex_lock(&s->lock);
        keep_place(s, url, (place){.store = out->store, .object = key.data});
        (void)pthread_mutex_unlock(&s->lock);
    }
    ncz_buf_clear(&key);
    return rc;
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

static int
fail_value(const char *key, const char *what)
{
    return ncz_fail(NC_EZARRMETA, "%s: its reference is %s", key, what);
}

/* Base64, padded or not, with what a line may have at its end. */
static int
decode_base64(const asked *a, const char *text, size_t len)
{
    size_t n, at;
    char  *data;

    if (len % 4 != 0)
        return fail_value(a->key, "malformed base64: its length is no multiple of 4");
    n = len != 0 ? ncz_base64_bytes(text, len) : 0;
    if (n > ncz_limits_default.object_bytes)
        return ncz_fail(NC_ENOMEM, "%s: %zu bytes are more than the limit `object_bytes`", a->key, n);
    if ((data = ncz_arena_get(a->room, n != 0 ? n : 1)) == NULL)
        return ncz_fail_nomem(n);
    if (n != 0 && !ncz_base64_get(text, len, data, &at))
        return fail_value(a->key, "malformed base64");
    a->out->data = data;
    a->out->len = n;
    return NC_NOERR;
}

/* A text is its own bytes, if it does not say that it is base64. */
static int
take_text(const asked *a, const char *text, size_t len)
{
    static const char base64[] = "base64:";
    size_t            head = sizeof base64 - 1;

    if (a->where != NULL) /* here */
        return NC_NOERR;
    if (len >= head && memcmp(text, base64, head) == 0)
        return decode_base64(a, text + head, len - head);
    a->out->data = ncz_arena_text(a->room, text, len);
    a->out->len = len;
    return a->out->data != NULL ? NC_NOERR : ncz_fail_nomem(len);
}

/* An object of its own, or a range: offset and length, or neither. */
static int
take_object(const asked *a, const char *url, const uint64_t *range)
{
    uint64_t end;

    *a->out = (ncz_found){.len = ZMAP_WHOLE};
    if (range != NULL) {
        if (!ncz_add64(range[0], range[1], &end) || end > INT64_MAX)
            return fail_value(a->key, "a range that has no end");
        *a->out = (ncz_found){.off = range[0], .len = range[1], .cut = true};
    }
    return a->where != NULL ? ncz_places_show(a->s->places, url, a->where) : find_place(a->s, url, a->room, a->out);
}

/* The same of a URL that may have expressions. */
static int
take_template(const asked *a, const char *url, const uint64_t *range)
{
    ncz_buf text = NCZ_BUF_LIMIT(NCZ_KERCHUNK_TEXT);
    int     rc;

    if (a->s->table.templates == NULL || !ncz_kerchunk_has_expression(url))
        return take_object(a, url, range);
    if ((rc = ncz_kerchunk_render(url, &a->s->table.names, &text)) == NC_NOERR)
        rc = take_object(a, ncz_buf_str(&text), range);
    ncz_buf_clear(&text);
    return rc;
}

static int
take_list(const asked *a, const ncz_json *v)
{
    const char *url = ncz_json_cstr(ncz_json_at(v, 0));
    uint64_t    range[2];

    if (url == NULL)
        return fail_value(a->key, "a list that does not begin with a URL");
    if (ncz_json_len(v) == 1)
        return take_template(a, url, NULL);
    if (ncz_json_len(v) != 3 || !ncz_json_u64(ncz_json_at(v, 1), &range[0]) ||
        !ncz_json_u64(ncz_json_at(v, 2), &range[1]))
        return fail_value(a->key, "a list that is neither [url] nor [url, offset, length]");
    return take_template(a, url, range);
}

/* A value as JSON. An object is its own text. */
static int
take_json(const asked *a, const char *text, size_t len)
{
    ncz_json_opts opts = {.mode = NCZ_JSON_LENIENT, .depth = 8, .nbytes = len, .name = a->key};
    ncz_json     *v = NULL;
    const char   *str;
    size_t        n;
    int           rc = ncz_json_parse(text, len, &opts, &v, &n);

    if (rc == NC_NOERR && ncz_json_is(v, NCZ_JSON_ARRAY))
        rc = take_list(a, v);
    else if (rc == NC_NOERR && (str = ncz_json_str(v, &n)) != NULL)
        rc = take_text(a, str, n);
    else if (rc == NC_NOERR)
        rc = fail_value(a->key, "neither a text nor a list nor an object");
    ncz_json_free(v);
    return rc;
}

static int
find_in_text(const asked *a, const ncz_kerchunk_ref *ref)
{
    const set        *s = a->s;
    ncz_kerchunk_scan scan = {.text = s->table.text.data, .len = s->table.text.len, .at = ref->at, .name = s->name};
    const char       *text = scan.text + ref->at;
    size_t            len;
    int               rc = ncz_kerchunk_skip(&scan);

    if (rc != NC_NOERR)
        return rc;
    len = scan.at - ref->at;
    if (text[0] == '{')
        return take_text(a, text, len);
    if (text[0] == '"' && memchr(text, '\\', len) == NULL) /* large ones are not copied for that */
        return take_text(a, text + 1, len - 2);
    return take_json(a, text, len);
}

/* A number that a rule makes. */
static int
render_number(const set *s, const ncz_kerchunk_ref *ref, const char *what, uint64_t *out)
{
    ncz_buf     text = NCZ_BUF_LIMIT(64);
    const char *c;
    int         rc = ncz_kerchunk_rule_render(&s->table.rules[ref->rule - 1], what, ref->at, &s->table.names, &text);

    *out = 0;
    for (c = ncz_buf_str(&text); rc == NC_NOERR && *c >= '0' && *c <= '9'; c++)
        if (!ncz_mul64(*out, 10, out) || !ncz_add64(*out, (uint64_t)(*c - '0'), out))
            break;
    if (rc == NC_NOERR && (*c != '\0' || text.len == 0))
        rc = fail_value(ref->key, "made of an offset or length that is no number");
    ncz_buf_clear(&text);
    return rc;
}

static int
find_made(const asked *a, const ncz_kerchunk_ref *ref)
{
    const set               *s = a->s;
    const ncz_kerchunk_rule *r = &s->table.rules[ref->rule - 1];
    ncz_buf                  url = NCZ_BUF_LIMIT(NCZ_KERCHUNK_TEXT);
    uint64_t                 range[2];
    bool                     whole = r->offset == NULL;
    int                      rc = ncz_kerchunk_rule_render(r, r->url, ref->at, &s->table.names, &url);

    if (rc == NC_NOERR && !whole && (rc = render_number(s, ref, r->offset, &range[0])) == NC_NOERR)
        rc = render_number(s, ref, r->length, &range[1]);
    if (rc == NC_NOERR)
        rc = take_object(a, ncz_buf_str(&url), whole ? NULL : range);
    ncz_buf_clear(&url);
    return rc;
}

/* ---- the finder's entries --------------------------------------------------------------------------------------- */

/* A key without a reference: NC_EEMPTY, or NC_EACCESS if it is above or below others. */
static int
check_no_prefix(const ncz_kerchunk_table *t, const char *key, size_t at)
{
    size_t len = strlen(key);

    if (at < t->n && strncmp(t->refs[at].key, key, len) == 0 && t->refs[at].key[len] == '/')
        return ncz_fail(NC_EACCESS, "%s: is the prefix of other objects", key);
    for (size_t i = 0; i < len; i++)
        if (key[i] == '/') {
            at = ncz_kerchunk_table_seek(t, key, i);
            if (at < t->n && strncmp(t->refs[at].key, key, i) == 0 && t->refs[at].key[i] == '\0')
                return ncz_fail(NC_EACCESS, "%s: %.*s is an object, not a prefix", key, (int)i, key);
        }
    return NC_EEMPTY;
}

static int
answer(const asked *a)
{
    const ncz_kerchunk_table *t = &a->s->table;
    size_t                    at = ncz_kerchunk_table_seek(t, a->key, strlen(a->key));

    if (at == t->n || strcmp(t->refs[at].key, a->key) != 0)
        return check_no_prefix(t, a->key, at);
    return t->refs[at].rule != 0 ? find_made(a, &t->refs[at]) : find_in_text(a, &t->refs[at]);
}

static int
find_reference(void *arg, const char *key, ncz_arena *room, ncz_found *out)
{
    return answer(&(asked){.s = arg, .key = key, .room = room, .out = out});
}

static int
find_where(void *arg, const char *key, ncz_buf *text, uint64_t *off, uint64_t *len)
{
    ncz_found found = {.len = ZMAP_WHOLE};
    int       rc = answer(&(asked){.s = arg, .key = key, .out = &found, .where = text});

    *off = found.off;
    *len = found.len;
    return rc;
}

/* The first key behind all that are below key[0..len). */
static size_t
find_past(const ncz_kerchunk_table *t, const char *key, size_t len)
{
    size_t low = ncz_kerchunk_table_seek(t, key, len), high = t->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (strncmp(t->refs[mid].key, key, len) == 0 &&
            (t->refs[mid].key[len] == '/' || t->refs[mid].key[len] == '\0'))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static bool
is_below(const char *key, const char *prefix, size_t len)
{
    return len == 0 || (strncmp(key, prefix, len) == 0 && key[len] == '/');
}

static int
list_children(void *arg, const char *prefix, zmap_each_fn each, void *each_arg)
{
    const ncz_kerchunk_table *t = &((set *)arg)->table;
    size_t                    len = strlen(prefix), at = ncz_kerchunk_table_seek(t, prefix, len);
    int                       rc = 0;

    if (at < t->n && len > 0 && strcmp(t->refs[at].key, prefix) == 0)
        at++;
    while (rc == 0 && at < t->n && is_below(t->refs[at].key, prefix, len)) {
        const char *child = t->refs[at].key + len + (len > 0);
        size_t      n = strcspn(child, "/");
        bool        leaf = child[n] == '\0';
        char       *name = ncz_strndup(child, n);

        if (name == NULL)
            return ncz_fail_nomem(n);
        rc = each(name, leaf, each_arg);
        ncz_free(name);
        at = leaf ? at + 1 : find_past(t, t->refs[at].key, (size_t)(child + n - t->refs[at].key));
    }
    return rc;
}

/* Sizes are not looked for. */
static int
walk_keys(void *arg, const char *prefix, zmap_walk_fn each, void *each_arg)
{
    const ncz_kerchunk_table *t = &((set *)arg)->table;
    size_t                    len = strlen(prefix);
    int                       rc = 0;

    for (size_t at = ncz_kerchunk_table_seek(t, prefix, len); rc == 0 && at < t->n; at++) {
        if (strncmp(t->refs[at].key, prefix, len) != 0)
            break;
        if (is_below(t->refs[at].key, prefix, len))
            rc = each(t->refs[at].key, ZMAP_NO_SIZE, each_arg);
        else if (t->refs[at].key[len] != '\0')
            break;
    }
    return rc;
}

static void
add_stats(void *arg, zmap_stats *out)
{
    ncz_places_add_stats(((set *)arg)->places, out);
}

static int
close_set(void *arg)
{
    set *s = arg;

    ncz_places_unref(s->places);
    ncz_kerchunk_table_clear(&s->table);
    ncz_names_clear(&s->urls);
    ncz_free(s->found);
    ncz_arena_clear(&s->texts);
    ncz_free(s->name);
    (void)pthread_mutex_destroy(&s->lock);
    ncz_free(s);
    return NC_NOERR;
}

static const ncz_finder finder = {
    .name = "kerchunk",
    .find = find_reference,
    .list = list_children,
    .walk = walk_keys,
    .stats = add_stats,
    .close = close_set,
    .where = find_where,
};

/* ---- opening ---------------------------------------------------------------------------------------------------- */

bool
ncz_kerchunk_may_be(const char *head, size_t len)
{
    size_t i = len >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;

    while (i < len && (head[i] == ' ' || head[i] == '\n' || head[i] == '\r' || head[i] == '\t'))
        i++;
    return i < len && head[i] == '{';
}

int
ncz_kerchunk_open(ncz_buf *text, const char *name, ncz_kerchunk_document_fn is_document, ncz_places *places,
                  zmap **out)
{
    set *s = ncz_zalloc(sizeof *s);
    int  rc;

    if (s == NULL || (s->name = ncz_strdup(name)) == NULL) {
        ncz_free(s);
        ncz_buf_clear(text);
        return ncz_fail_nomem(sizeof *s);
    }
    (void)pthread_mutex_init(&s->lock, NULL); /* without attributes it cannot fail on Linux */
    s->places = ncz_places_ref(places);
    if ((rc = ncz_kerchunk_table_make(text, name, is_document, &s->table)) == NC_NOERR)
        rc = ncz_references_find(&finder, s, ncz_places_is_local(places) && !s->table.remote, out);
    if (rc != NC_NOERR)
        (void)close_set(s);
    else
        ncz_log(NCZ_LOG_INFO, "%s: a set of %zu references", name, s->table.n);
    return rc;
}
