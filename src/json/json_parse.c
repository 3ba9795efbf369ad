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

/* Each function that reads from `p` on returns where it ends, or NULL after a failure, with the status in ps->rc. */
static const char *parse_value(json_parser *ps, const char *p, size_t depth);

static const char *
fail(json_parser *ps, int rc)
{
    ps->rc = rc;
    return NULL;
}

static const char *
skip_space(const char *p)
{
    while ((unsigned char)*p <= ' ' && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
        p++;
    return p;
}

/* There is one value too many, or no room for it. */
static bool
reserve_more(json_parser *ps, const char *p)
{
    if (ps->values > ps->most_values)
        ps->rc = ncz_json_fail_at(ps, p, "more than %zu values, the most that the limit (document_bytes) allows",
                                  ps->most_values);
    else
        ps->rc = ncz_make_room(&ps->stack, ps->n, &ps->cap, sizeof *ps->stack);
    return ps->rc == NC_NOERR;
}

/* Reserves ps->stack[ps->n] for the value that begins at `p`. Who fills it increments n. */
static inline bool
reserve_value(json_parser *ps, const char *p)
{
    return (++ps->values <= ps->most_values && ps->n < ps->cap) || reserve_more(ps, p);
}

/* ---- strings ---- */

/* Most strings are short: a copy of a fixed length is one instruction, where both sides have room for it. */
#define SHORT_STRING ((size_t)16)

static inline char *
copy_string(json_parser *ps, const char *s, size_t len)
{
    bool  is_short = len < SHORT_STRING && (size_t)(ps->end - s) >= SHORT_STRING;
    char *str = ncz_json_arena_get(ps->doc, is_short ? SHORT_STRING : len + 1);

    if (str == NULL)
        return NULL;
    if (is_short)
        memcpy(str, s, SHORT_STRING);
    else
        memcpy(str, s, len);
    str[len] = '\0';
    return str;
}

/* Most strings have no escapes, and what is in them is not checked. */
static inline const char *
scan_string(json_parser *ps, const char *open, ncz_json *out)
{
    const char *mark = ncz_json_find_mark(open + 1, ps->end);
    size_t      len = (size_t)(mark - open - 1);
    char       *str;

    if (mark == ps->end || *mark != '"' || !ps->plain) {
        ps->rc = ncz_json_scan_checked(ps, open, mark, out);
        return ps->rc == NC_NOERR ? out->text + out->text_len : NULL;
    }
    if ((str = copy_string(ps, open + 1, len)) == NULL)
        return fail(ps, ncz_fail_nomem(len + 1));
    *out = (ncz_json){
        .text = open, .text_len = (uint32_t)len + 2, .type = NCZ_JSON_STRING, .len = (uint32_t)len, .u.str = str};
    return mark + 1;
}

static inline const char *
push_string(json_parser *ps, const char *p)
{
    if (!reserve_value(ps, p) || (p = scan_string(ps, p, &ps->stack[ps->n])) == NULL)
        return NULL;
    ps->n++;
    return p;
}

/* ---- words ---- */

static bool
take_word(const json_parser *ps, const char **p, const char *word)
{
    size_t len = strlen(word);

    if ((size_t)(ps->end - *p) < len || memcmp(*p, word, len) != 0)
        return false;
    *p += len;
    return true;
}

/* Where the word at `p` ends; NULL: there is none. */
static const char *
parse_literal(const json_parser *ps, const char *p, ncz_json *out)
{
    const char *start = p;
    bool        words = ps->mode != NCZ_JSON_STRICT;

    *out = (ncz_json){.text = start, .type = NCZ_JSON_NULL};
    if (take_word(ps, &p, "true"))
        *out = (ncz_json){.text = start, .type = NCZ_JSON_BOOL, .u.flag = true};
    else if (take_word(ps, &p, "false"))
        *out = (ncz_json){.text = start, .type = NCZ_JSON_BOOL, .u.flag = false};
    else if (words && take_word(ps, &p, "NaN"))
        *out = (ncz_json){.text = start, .type = NCZ_JSON_DOUBLE, .u.f64 = NAN};
    else if (words && take_word(ps, &p, "Infinity"))
        *out = (ncz_json){.text = start, .type = NCZ_JSON_DOUBLE, .u.f64 = INFINITY};
    else if (words && take_word(ps, &p, "-Infinity"))
        *out = (ncz_json){.text = start, .type = NCZ_JSON_DOUBLE, .u.f64 = -INFINITY};
    else if (!take_word(ps, &p, "null"))
        return NULL;
    out->text_len = (uint32_t)(p - start);
    return p;
}

/* ---- scalars ---- */

/* A number or a word. */
static const char *
parse_bare(json_parser *ps, const char *p, ncz_json *out)
{
    const char *end;

    if ((*p >= '0' && *p <= '9') || (*p == '-' && p[1] != 'I'))
        return ncz_json_scan_number(ps, p, out);
    if ((end = parse_literal(ps, p, out)) != NULL)
        return end;
    if (*p == '-')
        return ncz_json_scan_number(ps, p, out);
    if (p == ps->end)
        return fail(ps, ncz_json_fail_at(ps, p, "the text ends where a value is expected"));
    return fail(ps, ncz_json_fail_at(ps, p, "expected a value"));
}

static const char *
push_bare(json_parser *ps, const char *p)
{
    if (!reserve_value(ps, p) || (p = parse_bare(ps, p, &ps->stack[ps->n])) == NULL)
        return NULL;
    ps->n++;
    return p;
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
    if (table != 0)
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
    return a->len == b->len && ncz_same_bytes(a->u.str, b->u.str, a->len);
}

/* One bit of 64, the same for equal names. */
static uint64_t
name_bit(const ncz_json *name)
{
    unsigned char last = name->len > 0 ? (unsigned char)name->u.str[name->len - 1] : 0;

    return UINT64_C(1) << ((name->len * 5 + last + (unsigned char)name->u.str[0]) & 63);
}

/* Few members: compares each with those before it, if one of them has its bit. The last value wins and takes the place
 * of the first. */
static size_t
merge_few(ncz_json *members, size_t n)
{
    uint64_t bits = 0;
    size_t   kept = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t bit = name_bit(&members[2 * i]);
        size_t   at = (bits & bit) != 0 ? 0 : kept;

        bits |= bit;
        while (at < kept && !same_name(&members[2 * at], &members[2 * i]))
            at++;
        if (at != i) {
            members[2 * at] = members[2 * i];
            members[2 * at + 1] = members[2 * i + 1];
        }
        kept += at == kept;
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
static const char *
parse_name(json_parser *ps, const char *p)
{
    if (*p != '"')
        return fail(ps, ncz_json_fail_at(ps, p, "expected a member's name in quotes"));
    if ((p = push_string(ps, p)) == NULL)
        return NULL;
    p = skip_space(p);
    if (*p != ':')
        return fail(ps, ncz_json_fail_at(ps, p, "expected ':' after a member's name"));
    return skip_space(p + 1);
}

/* Pushes everything between the brackets onto the stack, and moves past the closing one. */
static const char *
parse_children(json_parser *ps, const char *p, size_t depth, char close)
{
    p = skip_space(p);
    if (*p == close)
        return p + 1;
    for (;;) {
        if (close == '}' && (p = parse_name(ps, p)) == NULL)
            return NULL;
        p = *p == '"' ? push_string(ps, p) : *p != '{' && *p != '[' ? push_bare(ps, p) : parse_value(ps, p, depth);
        if (p == NULL)
            return NULL;
        p = skip_space(p);
        if (*p == close)
            return p + 1;
        if (p == ps->end)
            return fail(ps,
                        ncz_json_fail_at(ps, p, "the text ends inside %s", close == '}' ? "an object" : "an array"));
        if (*p != ',')
            return fail(ps, ncz_json_fail_at(ps, p, "expected ',' or '%c'", close));
        p = skip_space(p + 1);
    }
}

/* Moves past the container's end, looking only at brackets and strings. Parsing the slice later ends at the same place,
 * or fails before it. */
static const char *
skip_container(json_parser *ps, const char *start, ncz_json *out)
{
    bool        quoted;
    const char *end = ncz_json_skip(start, ps->end, &quoted);

    if (end == NULL)
        return fail(ps, quoted ? ncz_json_fail_at(ps, start, "a string within it has no closing quote")
                               : ncz_json_fail_at(ps, start, "the text ends inside %s",
                                                  *start == '{' ? "an object" : "an array"));
    *out = (ncz_json){.text = start, .text_len = (uint32_t)(end - start), .type = NCZ_JSON_RAW};
    return end;
}

/* Puts a container at the place of its children, which go into the arena. */
static int
close_container(json_parser *ps, size_t first, const char *start, const char *end)
{
    ncz_json v = {.text = start, .text_len = (uint32_t)(end - start)};
    int      rc = *start == '{' ? close_object(ps, first, &v) : close_array(ps, first, &v);

    if (rc == NC_NOERR)
        ps->stack[ps->n] = v;
    return rc;
}

/* The children are at the container's own place until it closes. */
static const char *
parse_container(json_parser *ps, const char *start, size_t depth)
{
    size_t      first = ps->n;
    const char *end;

    if (depth >= ps->depth)
        return fail(ps, ncz_json_fail_at(ps, start, "nested deeper than the limit (json_depth) of %zu", ps->depth));
    if (depth >= ps->shallow)
        return skip_container(ps, start, &ps->stack[ps->n]);
    if ((end = parse_children(ps, start + 1, depth + 1, *start == '{' ? '}' : ']')) == NULL)
        return NULL;
    ps->rc = close_container(ps, first, start, end);
    return ps->rc == NC_NOERR ? end : NULL;
}

/* Pushes one value. */
static const char *
parse_value(json_parser *ps, const char *p, size_t depth)
{
    if (*p == '"')
        return push_string(ps, p);
    if (*p != '{' && *p != '[')
        return push_bare(ps, p);
    if (!reserve_value(ps, p) || (p = parse_container(ps, p, depth)) == NULL)
        return NULL;
    ps->n++;
    return p;
}

/* ---- documents ---- */

static int
parse_document(json_parser *ps, size_t *tail)
{
    const char *p = ps->text;
    size_t      trailing = 0;

    if (ps->mode == NCZ_JSON_LENIENT && ps->end - p >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0)
        p += 3; /* a byte-order mark, which editors write */
    if ((p = parse_value(ps, skip_space(p), 0)) == NULL)
        return ps->rc;
    ps->doc->root = ps->stack[0];
    for (p = skip_space(p); p < ps->end; p = skip_space(p + 1)) {
        if (ps->mode != NCZ_JSON_LENIENT)
            return ncz_json_fail_at(ps, p, "bytes after the value");
        trailing++;
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
                      .plain = opts->mode == NCZ_JSON_LENIENT && memchr(text, '\0', len) == NULL,
                      .doc = doc,
                      .text = text,
                      .end = text + len,
                      .depth = opts->depth < JSON_DEPTH_MOST ? opts->depth : JSON_DEPTH_MOST,
                      .shallow = opts->shallow != 0 ? opts->shallow : SIZE_MAX,
                      .most_values = most / JSON_DENSITY > JSON_VALUES_MIN ? most / JSON_DENSITY : JSON_VALUES_MIN,
                      .last = &kept->last,
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
