/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the document to the table of references: 16 bytes for each, beside the document itself. Values stay text.
 *
 * Invariant: sorted by segments, so that a key is directly followed by those below it; no key is given twice, or is
 * above another one.
 */
#include "kerchunk/kerchunk_int.h"
#include "zmap/zmap.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void
ncz_kerchunk_table_clear(ncz_kerchunk_table *t)
{
    ncz_buf_clear(&t->text);
    ncz_free(t->refs);
    ncz_json_free(t->templates_json);
    ncz_json_free(t->gen_json);
    ncz_free(t->templates);
    ncz_free(t->rules);
    ncz_arena_clear(&t->keys);
    *t = (ncz_kerchunk_table){.n = 0};
}

/* ---- the order -------------------------------------------------------------------------------------------------- */

/* By segments: '/' comes before all other characters. */
static int
compare_keys(const char *a, const char *b)
{
    unsigned char x, y;

    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    x = (unsigned char)(*a == '/' ? 1 : *a);
    y = (unsigned char)(*b == '/' ? 1 : *b);
    return (x > y) - (x < y);
}

/* Of equal keys the later one is the first. */
static int
compare_refs(const void *a, const void *b)
{
    const ncz_kerchunk_ref *x = a, *y = b;
    int                     order = compare_keys(x->key, y->key);

    if (order != 0)
        return order;
    if (x->rule != y->rule)
        return x->rule > y->rule ? -1 : 1;
    return (x->at < y->at) - (x->at > y->at);
}

static bool
is_sorted(const ncz_kerchunk_table *t)
{
    for (size_t i = 1; i < t->n; i++)
        if (compare_keys(t->refs[i - 1].key, t->refs[i].key) >= 0)
            return false;
    return true;
}

static bool
is_below(const char *key, const char *prefix)
{
    size_t len = strlen(prefix);

    return strncmp(key, prefix, len) == 0 && key[len] == '/';
}

/* Of equal keys the last in the document counts, as in Python. */
static int
sort(ncz_kerchunk_table *t, const char *name)
{
    size_t n = 0;

    if (!is_sorted(t))
        qsort(t->refs, t->n, sizeof *t->refs, compare_refs);
    for (size_t i = 0; i < t->n; i++)
        if (n == 0 || strcmp(t->refs[n - 1].key, t->refs[i].key) != 0)
            t->refs[n++] = t->refs[i];
    t->n = n;
    for (size_t i = 1; i < n; i++)
        if (is_below(t->refs[i].key, t->refs[i - 1].key))
            return ncz_fail(NC_EZARRMETA, "%s: %.200s is an object, and the prefix of %.200s", name,
                            t->refs[i - 1].key, t->refs[i].key);
    return NC_NOERR;
}

size_t
ncz_kerchunk_table_seek(const ncz_kerchunk_table *t, const char *key, size_t len)
{
    size_t low = 0, high = t->n;

    while (low < high) {
        size_t      mid = low + (high - low) / 2, i = 0;
        const char *s = t->refs[mid].key;

        while (i < len && s[i] == key[i])
            i++;
        if (i < len && (s[i] == '/' ? 1 : (unsigned char)s[i]) < (key[i] == '/' ? 1 : (unsigned char)key[i]))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* ---- references ------------------------------------------------------------------------------------------------- */

/* VirtualiZarr writes the chunk of a scalar as "name/"; its key in Zarr v2 is "name/0". */
static int
complete_key(ncz_kerchunk_table *t, const char **key)
{
    size_t len = strlen(*key);
    char  *whole;

    if (len < 2 || (*key)[len - 1] != '/')
        return NC_NOERR;
    if ((whole = ncz_arena_get(&t->keys, len + 2)) == NULL)
        return ncz_fail_nomem(len + 2);
    memcpy(whole, *key, len);
    memcpy(whole + len, "0", 2);
    *key = whole;
    return NC_NOERR;
}

static int
add_ref(ncz_kerchunk_table *t, const char *name, ncz_kerchunk_ref ref)
{
    int rc = complete_key(t, &ref.key);

    if (rc != NC_NOERR)
        return rc;
    if (!zmap_key_valid(ref.key))
        return ncz_fail(NC_EZARRMETA, "%s: \"%.200s\" is not a key", name, ref.key);
    if (t->n == ncz_limits_default.references)
        return ncz_fail(NC_ENOMEM, "%s: more references than the limit `references` of %zu", name,
                        ncz_limits_default.references);
    if ((rc = ncz_make_room(&t->refs, t->n, &t->cap, sizeof *t->refs)) == NC_NOERR)
        t->refs[t->n++] = ref;
    return rc;
}

/* Does a text in quotation marks begin with the scheme of a server? */
static bool
is_remote(const char *s)
{
    return strncasecmp(s, "http", 4) == 0 || strncasecmp(s, "s3", 2) == 0 || strncasecmp(s, "gs", 2) == 0;
}

/* [url ...]: whether the store is one of batches. */
static void
note_url(ncz_kerchunk_table *t, const ncz_kerchunk_scan *s)
{
    size_t at = s->at + 1;

    while (at < s->len && (s->text[at] == ' ' || s->text[at] == '\n' || s->text[at] == '\t' || s->text[at] == '\r'))
        at++;
    if (!t->remote && at + 8 < s->len && s->text[at] == '"' && is_remote(s->text + at + 1))
        t->remote = true;
}

/* The members of an object are references. */
static int
scan_refs(ncz_kerchunk_table *t, ncz_kerchunk_scan *s)
{
    int rc = ncz_kerchunk_expect(s, '{');

    if (rc != NC_NOERR || ncz_kerchunk_peek(s) == '}')
        return rc == NC_NOERR ? ncz_kerchunk_expect(s, '}') : rc;
    for (;;) {
        char *key;

        if ((rc = ncz_kerchunk_key(s, &key)) != NC_NOERR || (rc = ncz_kerchunk_expect(s, ':')) != NC_NOERR)
            return rc;
        if (ncz_kerchunk_peek(s) == '[')
            note_url(t, s);
        if ((rc = add_ref(t, s->name, (ncz_kerchunk_ref){.key = key, .at = (uint32_t)s->at})) != NC_NOERR ||
            (rc = ncz_kerchunk_skip(s)) != NC_NOERR)
            return rc;
        if (ncz_kerchunk_peek(s) != ',')
            return ncz_kerchunk_expect(s, '}');
        s->at++;
    }
}

/* ---- templates and rules ---------------------------------------------------------------------------------------- */

static int
take_templates(ncz_kerchunk_table *t, const char *name)
{
    size_t n = ncz_json_len(t->templates_json);

    if (!ncz_json_is(t->templates_json, NCZ_JSON_OBJECT))
        return ncz_fail(NC_EZARRMETA, "%s: `templates` is no object", name);
    if ((t->templates = ncz_alloc_n(n, sizeof *t->templates)) == NULL)
        return ncz_fail_nomem(n * sizeof *t->templates);
    for (size_t i = 0; i < n; i++) {
        const char *text = ncz_json_cstr(ncz_json_at(t->templates_json, i));

        if (text == NULL)
            return ncz_fail(NC_EZARRMETA, "%s: the template \"%.100s\" is no text", name,
                            ncz_json_key(t->templates_json, i));
        t->templates[i] = (ncz_kerchunk_value){
            .name = ncz_json_key(t->templates_json, i), .text = text, .called = ncz_kerchunk_has_expression(text)};
        t->remote = t->remote || is_remote(text);
    }
    t->names = (ncz_kerchunk_names){.v = t->templates, .n = n};
    return NC_NOERR;
}

static int
add_made(ncz_kerchunk_table *t, const char *name, size_t rule)
{
    const ncz_kerchunk_rule *r = &t->rules[rule];
    ncz_buf                  key = NCZ_BUF_LIMIT(ZMAP_KEY_MAX);
    int                      rc = NC_NOERR;

    for (uint64_t i = 0; rc == NC_NOERR && i < r->n; i++) {
        const char *own;

        ncz_buf_reset(&key);
        if ((rc = ncz_kerchunk_rule_render(r, r->key, i, &t->names, &key)) != NC_NOERR)
            break;
        if ((own = ncz_arena_text(&t->keys, ncz_buf_str(&key), key.len)) == NULL)
            rc = ncz_fail_nomem(key.len);
        else
            rc = add_ref(t, name, (ncz_kerchunk_ref){.key = own, .at = (uint32_t)i, .rule = (uint32_t)rule + 1});
    }
    ncz_buf_clear(&key);
    t->remote = t->remote || is_remote(r->url);
    return rc;
}

static int
take_rules(ncz_kerchunk_table *t, const char *name)
{
    size_t n = ncz_json_len(t->gen_json);
    int    rc = NC_NOERR;

    if (!ncz_json_is(t->gen_json, NCZ_JSON_ARRAY))
        return ncz_fail(NC_EZARRMETA, "%s: `gen` is no list", name);
    if ((t->rules = ncz_alloc_n(n, sizeof *t->rules)) == NULL)
        return ncz_fail_nomem(n * sizeof *t->rules);
    for (t->nrules = 0; rc == NC_NOERR && t->nrules < n; t->nrules++)
        if ((rc = ncz_kerchunk_rule_parse(ncz_json_at(t->gen_json, t->nrules), &t->rules[t->nrules])) == NC_NOERR)
            rc = add_made(t, name, t->nrules);
    return rc;
}

/* ---- the document ----------------------------------------------------------------------------------------------- */

/* Where the members of version 1 are; 0: not there. */
typedef struct members {
    size_t version, templates, gen, refs;
} members;

static size_t *
member_of(members *m, const char *name, size_t len)
{
    const struct {
        const char *name;
        size_t     *at;
    } rows[] = {{"version", &m->version}, {"templates", &m->templates}, {"gen", &m->gen}, {"refs", &m->refs}};

    for (size_t i = 0; i < NCZ_LEN(rows); i++)
        if (strlen(rows[i].name) == len && memcmp(rows[i].name, name, len) == 0)
            return rows[i].at;
    return NULL;
}

enum { OTHERS_MOST = 8 }; /* so many other members show that it is version 0, whose members are keys */

static int
find_members(ncz_kerchunk_scan *s, members *m)
{
    size_t others = 0;
    int    rc = ncz_kerchunk_expect(s, '{');

    if (rc != NC_NOERR || ncz_kerchunk_peek(s) == '}')
        return rc;
    while (others < OTHERS_MOST) {
        size_t begin, *found;

        if (ncz_kerchunk_peek(s) != '"')
            return ncz_kerchunk_fail(s, "a name in quotation marks is expected");
        begin = s->at + 1;
        if ((rc = ncz_kerchunk_skip(s)) != NC_NOERR)
            return rc;
        found = member_of(m, s->text + begin, s->at - 1 - begin);
        others += found == NULL;
        if ((rc = ncz_kerchunk_expect(s, ':')) != NC_NOERR)
            return rc;
        (void)ncz_kerchunk_peek(s);
        if (found != NULL)
            *found = s->at;
        if ((rc = ncz_kerchunk_skip(s)) != NC_NOERR)
            return rc;
        if (ncz_kerchunk_peek(s) != ',')
            return ncz_kerchunk_expect(s, '}');
        s->at++;
    }
    return NC_NOERR;
}

/* A small member as JSON; its strings are decoded into memory of its own. */
static int
parse_member(const ncz_kerchunk_scan *s, size_t at, const char *what, ncz_json **out)
{
    ncz_kerchunk_scan part = *s;
    ncz_json_opts     opts = {.mode = NCZ_JSON_LENIENT,
                              .depth = ncz_limits_default.json_depth,
                              .nbytes = ncz_limits_default.document_bytes,
                              .name = what};
    size_t            tail;
    int               rc;

    part.at = at;
    if ((rc = ncz_kerchunk_skip(&part)) != NC_NOERR)
        return rc;
    return ncz_json_parse(s->text + at, part.at - at, &opts, out, &tail);
}

static int
check_version(const ncz_kerchunk_scan *s, size_t at)
{
    ncz_json *json = NULL;
    int64_t   version = -1;
    int       rc = parse_member(s, at, s->name, &json);

    if (rc == NC_NOERR && (!ncz_json_i64(json, &version) || version != 1))
        rc = ncz_fail(NC_ENOTBUILT, "%s: a set of references of a version that is not known; known are 0 and 1",
                      s->name);
    ncz_json_free(json);
    return rc;
}

static int
read_version_1(ncz_kerchunk_table *t, ncz_kerchunk_scan *s, const members *m)
{
    int rc = check_version(s, m->version);

    if (rc == NC_NOERR && m->templates != 0 &&
        (rc = parse_member(s, m->templates, "templates", &t->templates_json)) == NC_NOERR)
        rc = take_templates(t, s->name);
    if (rc == NC_NOERR && m->gen != 0 && (rc = parse_member(s, m->gen, "gen", &t->gen_json)) == NC_NOERR)
        rc = take_rules(t, s->name);
    if (rc == NC_NOERR && m->refs != 0) {
        s->at = m->refs;
        rc = scan_refs(t, s);
    }
    return rc;
}

/* Is there a document of Zarr? Other JSON is nothing of ours. */
static bool
has_document(const ncz_kerchunk_table *t)
{
    for (size_t i = 0; i < t->n; i++) {
        const char *slash = strrchr(t->refs[i].key, '/'), *last = slash != NULL ? slash + 1 : t->refs[i].key;

        if (t->is_document(last, strlen(last)))
            return true;
    }
    return false;
}

static int
fail_other(const char *name)
{
    return ncz_fail(NC_ENOTNC,
                    "%s: JSON, but not a set of references: it has neither `version` and `refs` nor a key "
                    "of a Zarr document",
                    name);
}

static int
read_document(ncz_kerchunk_table *t, ncz_kerchunk_scan *s)
{
    size_t  begin = s->len >= 3 && memcmp(s->text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    members m = {.version = 0};
    int     rc;

    s->at = begin;
    if ((rc = find_members(s, &m)) != NC_NOERR)
        return rc;
    if (m.version != 0 && (m.refs != 0 || m.gen != 0))
        return read_version_1(t, s, &m);
    s->at = begin;
    rc = scan_refs(t, s);
    return rc == NC_EZARRMETA && !has_document(t) ? fail_other(s->name) : rc;
}

int
ncz_kerchunk_table_make(ncz_buf *text, const char *name, ncz_kerchunk_document_fn is_document,
                        ncz_kerchunk_table *out)
{
    ncz_kerchunk_scan s;
    int               rc;

    *out = (ncz_kerchunk_table){.text = *text, .is_document = is_document};
    *text = NCZ_BUF_INIT;
    s = (ncz_kerchunk_scan){.text = out->text.data, .len = out->text.len, .name = name};
    if (s.len >= UINT32_MAX)
        rc = ncz_fail(NC_ENOMEM, "%s: a set of references of 4 GiB or more", name);
    else
        rc = s.len == 0 ? fail_other(name) : read_document(out, &s);
    if (rc == NC_NOERR && (rc = sort(out, name)) == NC_NOERR && !has_document(out))
        rc = fail_other(name);
    if (rc != NC_NOERR)
        ncz_kerchunk_table_clear(out);
    return rc;
}
