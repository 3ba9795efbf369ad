/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parser: one pass over the text, or over a copy of it that lives as long as the values.
 *
 * Children are collected on a stack and moved into the arena when their container closes; so no allocation depends on
 * a count that the text claims. The caller's depth and JSON_DEPTH_MOST bound the recursion.
 */
#include "json/json_int.h"

#include <math.h>
#include <string.h>

static int parse_value(json_parser *ps, size_t depth);

static void
skip_space(json_parser *ps)
{
    while (*ps->p == ' ' || *ps->p == '\t' || *ps->p == '\n' || *ps->p == '\r')
        ps->p++;
}

/* Reserves ps->stack[ps->n] for the value that begins here. Who fills it increments n. */
static int
reserve_value(json_parser *ps)
{
    if (++ps->values > ps->most_values)
        return ncz_json_fail_at(ps, ps->p, "more than %zu values, the most that the limit (document_bytes) allows",
                                ps->most_values);
    return ps->n < ps->cap ? NC_NOERR : ncz_make_room(&ps->stack, ps->n, &ps->cap, sizeof *ps->stack);
}

/* ---- words ---- */

static bool
skip_word(json_parser *ps, const char *word)
{
    size_t len = strlen(word);

    if ((size_t)(ps->end - ps->p) < len || memcmp(ps->p, word, len) != 0)
        return false;
    ps->p += len;
    return true;
}

static bool
parse_literal(json_parser *ps, ncz_json *out)
{
    const char *start = ps->p;
    bool        words = ps->mode != NCZ_JSON_STRICT;

    *out = (ncz_json){.text = start, .type = NCZ_JSON_NULL};
    if (skip_word(ps, "true"))
        *out = (ncz_json){.text = start, .type = NCZ_JSON_BOOL, .u.flag = true};
    else if (skip_word(ps, "false"))
        *out = (ncz_json){.text = start, .type = NCZ_JSON_BOOL, .u.flag = false};
    else if (words && skip_word(ps, "NaN"))
        *out = (ncz_json){.text = start, .type = NCZ_JSON_DOUBLE, .u.f64 = NAN};
    else if (words && skip_word(ps, "Infinity"))
        *out = (ncz_json){.text = start, .type = NCZ_JSON_DOUBLE, .u.f64 = INFINITY};
    else if (words && skip_word(ps, "-Infinity"))
        *out = (ncz_json){.text = start, .type = NCZ_JSON_DOUBLE, .u.f64 = -INFINITY};
    else if (!skip_word(ps, "null"))
        return false;
    out->text_len = (uint32_t)(ps->p - start);
    return true;
}

/* ---- containers ---- */

/* Moves the values from `first` on into the arena; `table_log` puts a table of zeros before them. */
static int
move_items(json_parser *ps, size_t first, unsigned table_log, const ncz_json **out)
{
    size_t n = ps->n - first;
    size_t table = table_log != 0 ? ((size_t)1 << table_log) * sizeof(uint32_t) : 0;
    size_t nbytes;
    char  *mem;

    if (!ncz_mul(n, sizeof(ncz_json), &nbytes) || !ncz_add(nbytes, table, &nbytes))
        return ncz_fail_nomem(SIZE_MAX);
    if ((mem = ncz_json_arena_get(ps->doc, nbytes)) == NULL)
        return ncz_fail_nomem(nbytes);
    memset(mem, 0, table);
    if (n != 0)
        memcpy(mem + table, ps->stack + first, n * sizeof(ncz_json));
    *out = (const ncz_json *)(mem + table);
    ps->n = first;
    return NC_NOERR;
}

static int
close_array(json_parser *ps, size_t first, ncz_json *out)
{
    out->type = NCZ_JSON_ARRAY;
    out->len = (uint32_t)(ps->n - first);
    return move_items(ps, first, 0, &out->u.items);
}

static bool
same_name(const ncz_json *a, const ncz_json *b)
{
    return a->len == b->len && memcmp(a->u.str, b->u.str, a->len) == 0;
}

/* Few members: compares each with those before it. The last value wins and takes the place of the first. */
static size_t
merge_few(ncz_json *members, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        size_t at = 0;

        while (at < kept && !same_name(&members[2 * at], &members[2 * i]))
            at++;
        if (at == kept)
            members[2 * kept++] = members[2 * i];
        members[2 * at + 1] = members[2 * i + 1];
    }
    return kept;
}

/* Many members: the same with the table for look-ups, in time linear in n. */
static size_t
merge_many(ncz_json *members, size_t n, uint32_t *table, unsigned table_log)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        const ncz_json *name = &members[2 * i];
        uint32_t       *slot = ncz_json_slot(table, table_log, members, name->u.str, name->len);

        if (*slot == 0) {
            members[2 * kept] = *name;
            *slot = (uint32_t)++kept;
        }
        members[2 * (size_t)(*slot - 1) + 1] = members[2 * i + 1];
    }
    return kept;
}

static int
close_object(json_parser *ps, size_t first, ncz_json *out)
{
    size_t    n = (ps->n - first) / 2;
    unsigned  table_log = 0;
    ncz_json *members;
    int       rc;

    if (n > JSON_LINEAR)
        for (table_log = 5; (size_t)1 << table_log < 2 * n;)
            table_log++;
    if ((rc = move_items(ps, first, table_log, &out->u.items)) != NC_NOERR)
        return rc;

    members = (ncz_json *)(uintptr_t)out->u.items; /* still writable: the document is not handed out yet */
    if (table_log == 0)
        n = merge_few(members, n);
    else
        n = merge_many(members, n, (uint32_t *)(void *)members - ((size_t)1 << table_log), table_log);
    out->type = NCZ_JSON_OBJECT;
    out->table_log = (uint8_t)table_log;
    out->len = (uint32_t)n;
    return NC_NOERR;
}

/* A member's name and colon. */
static int
parse_name(json_parser *ps)
{
    int rc;

    if (*ps->p != '"')
        return ncz_json_fail_at(ps, ps->p, "expected a member's name in quotes");
    if ((rc = reserve_value(ps)) != NC_NOERR || (rc = ncz_json_scan_string(ps, &ps->stack[ps->n])) != NC_NOERR)
        return rc;
    ps->n++;
    skip_space(ps);
    if (*ps->p != ':')
        return ncz_json_fail_at(ps, ps->p, "expected ':' after a member's name");
    ps->p++;
    skip_space(ps);
    return NC_NOERR;
}

/* Pushes everything between the brackets onto the stack, and moves past the closing one. */
static int
parse_children(json_parser *ps, size_t depth, char close)
{
    int rc;

    skip_space(ps);
    if (*ps->p == close) {
        ps->p++;
        return NC_NOERR;
    }
    for (;;) {
        if (close == '}' && (rc = parse_name(ps)) != NC_NOERR)
            return rc;
        if ((rc = parse_value(ps, depth)) != NC_NOERR)
            return rc;
        skip_space(ps);
        if (*ps->p == close) {
            ps->p++;
            return NC_NOERR;
        }
        if (ps->p == ps->end)
            return ncz_json_fail_at(ps, ps->p, "the text ends inside %s", close == '}' ? "an object" : "an array");
        if (*ps->p != ',')
            return ncz_json_fail_at(ps, ps->p, "expected ',' or '%c'", close);
        ps->p++;
        skip_space(ps);
    }
}

/* Moves past the container's end, looking only at brackets and strings. Parsing the slice later ends at the same place,
 * or fails before it. */
static int
skip_container(json_parser *ps, ncz_json *out)
{
    const char *start = ps->p;
    bool        quoted;

    if ((ps->p = ncz_json_skip(start, ps->end, &quoted)) == NULL) {
        ps->p = start;
        return quoted
                   ? ncz_json_fail_at(ps, start, "a string within it has no closing quote")
                   : ncz_json_fail_at(ps, start, "the text ends inside %s", *start == '{' ? "an object" : "an array");
    }
    *out = (ncz_json){.text = start, .text_len = (uint32_t)(ps->p - start), .type = NCZ_JSON_RAW};
    return NC_NOERR;
}

static int
parse_container(json_parser *ps, size_t depth, ncz_json *out)
{
    const char *start = ps->p;
    size_t      first = ps->n;
    char        close = *start == '{' ? '}' : ']';
    int         rc;

    if (depth >= ps->depth)
        return ncz_json_fail_at(ps, start, "nested deeper than the limit (json_depth) of %zu", ps->depth);
    if (depth >= ps->shallow)
        return skip_container(ps, out);
    ps->p++;
    if ((rc = parse_children(ps, depth + 1, close)) != NC_NOERR)
        return rc;
    *out = (ncz_json){.text = start, .text_len = (uint32_t)(ps->p - start)};
    return close == '}' ? close_object(ps, first, out) : close_array(ps, first, out);
}

static int
parse_scalar(json_parser *ps, ncz_json *out)
{
    if (*ps->p == '"')
        return ncz_json_scan_string(ps, out);
    if ((*ps->p >= '0' && *ps->p <= '9') || (*ps->p == '-' && ps->p[1] != 'I'))
        return ncz_json_scan_number(ps, out);
    if (parse_literal(ps, out))
        return NC_NOERR;
    if (*ps->p == '-')
        return ncz_json_scan_number(ps, out);
    if (ps->p == ps->end)
        return ncz_json_fail_at(ps, ps->p, "the text ends where a value is expected");
    return ncz_json_fail_at(ps, ps->p, "expected a value");
}

/* Pushes one value. The children of a container are at the container's own place until it closes. */
static int
parse_value(json_parser *ps, size_t depth)
{
    ncz_json v;
    int      rc;

    if ((rc = reserve_value(ps)) != NC_NOERR)
        return rc;
    if (*ps->p != '{' && *ps->p != '[') {
        rc = parse_scalar(ps, &ps->stack[ps->n]);
    } else if ((rc = parse_container(ps, depth, &v)) == NC_NOERR) {
        ps->stack[ps->n] = v;
    }
    ps->n += rc == NC_NOERR;
    return rc;
}

/* ---- documents ---- */

static int
parse_document(json_parser *ps, size_t *tail)
{
    size_t trailing = 0;
    int    rc;

    if (ps->mode == NCZ_JSON_LENIENT && ps->end - ps->p >= 3 && memcmp(ps->p, "\xEF\xBB\xBF", 3) == 0)
        ps->p += 3; /* a byte-order mark, which editors write */
    skip_space(ps);
    if ((rc = parse_value(ps, 0)) != NC_NOERR)
        return rc;
    ps->doc->root = ps->stack[0];
    for (skip_space(ps); ps->p < ps->end; skip_space(ps)) {
        if (ps->mode != NCZ_JSON_LENIENT)
            return ncz_json_fail_at(ps, ps->p, "bytes after the value");
        trailing++;
        ps->p++;
    }
    if (tail != NULL)
        *tail = trailing;
    return NC_NOERR;
}

/* Parses text[0..len) into `doc`. `kept` holds the parser's stack, for the next document. */
static int
parse_text(ncz_json_doc *doc, ncz_json_reader *kept, const char *text, size_t len, const ncz_json_opts *opts,
           size_t *tail)
{
    size_t      most = opts->nbytes < JSON_BYTES_MOST ? opts->nbytes : JSON_BYTES_MOST;
    json_parser ps = {.name = opts->name != NULL ? opts->name : "JSON",
                      .mode = opts->mode,
                      .doc = doc,
                      .text = text,
                      .p = text,
                      .end = text + len,
                      .depth = opts->depth < JSON_DEPTH_MOST ? opts->depth : JSON_DEPTH_MOST,
                      .shallow = opts->shallow != 0 ? opts->shallow : SIZE_MAX,
                      .most_values = most / JSON_DENSITY > JSON_VALUES_MIN ? most / JSON_DENSITY : JSON_VALUES_MIN,
                      .stack = kept->stack,
                      .cap = kept->cap};
    int         rc = parse_document(&ps, tail);

    kept->stack = ps.stack;
    kept->cap = ps.cap;
    return rc;
}

static int
check_length(size_t len, const ncz_json_opts *opts)
{
    size_t most = opts->nbytes < JSON_BYTES_MOST ? opts->nbytes : JSON_BYTES_MOST;

    if (len > most)
        return ncz_fail(NC_EZARRMETA, "%s: %zu bytes exceed the limit (document_bytes) of %zu",
                        opts->name != NULL ? opts->name : "JSON", len, most);
    return NC_NOERR;
}

int
ncz_json_parse(const char *text, size_t len, const ncz_json_opts *opts, ncz_json **out, size_t *tail)
{
    ncz_json_reader kept = {.stack = NULL};
    ncz_json_doc   *doc = NULL;
    int             rc;

    if ((rc = check_length(len, opts)) != NC_NOERR)
        return rc;
    if ((doc = ncz_zalloc(sizeof *doc)) == NULL)
        return ncz_fail_nomem(sizeof *doc);
    if ((doc->text = ncz_strndup(text, len)) == NULL) {
        rc = ncz_fail_nomem(len + 1);
        goto done;
    }
    if ((rc = parse_text(doc, &kept, doc->text, len, opts, tail)) != NC_NOERR)
        goto done;

    *out = &doc->root;
    doc = NULL; /* now the caller's */
done:
    ncz_free(kept.stack);
    ncz_json_free(doc != NULL ? &doc->root : NULL);
    return rc;
}

/* ---- many documents ---- */

int
ncz_json_reader_new(ncz_json_reader **out)
{
    ncz_json_reader *r = ncz_zalloc(sizeof *r);

    if (r == NULL)
        return ncz_fail_nomem(sizeof *r);
    *out = r;
    return NC_NOERR;
}

void
ncz_json_reader_reset(ncz_json_reader *r)
{
    ncz_json_arena_reset(&r->doc);
}

void
ncz_json_reader_free(ncz_json_reader *r)
{
    if (r == NULL)
        return;
    ncz_json_arena_free(&r->doc);
    ncz_free(r->stack);
    ncz_free(r);
}

int
ncz_json_read(ncz_json_reader *r, const char *text, size_t len, const ncz_json_opts *opts, const ncz_json **out,
              size_t *tail)
{
    ncz_json *root;
    int       rc;

    if ((rc = check_length(len, opts)) != NC_NOERR ||
        (rc = parse_text(&r->doc, r, text, len, opts, tail)) != NC_NOERR)
        return rc;
    if ((root = ncz_json_arena_get(&r->doc, sizeof *root)) == NULL)
        return ncz_fail_nomem(sizeof *root);
    *root = r->doc.root;
    *out = root;
    return NC_NOERR;
}
