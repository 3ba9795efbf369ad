/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of kerchunk share.
 *
 *   kerchunk_scan.c      the document's text: where strings and values end
 *   kerchunk_template.c  templates: expressions in texts
 *   kerchunk_gen.c       the keys that a rule makes
 *   kerchunk_table.c     from the document to the table of references
 *   kerchunk.c           the store: finding a reference, lists
 */
#ifndef NCZ_KERCHUNK_INT_H
#define NCZ_KERCHUNK_INT_H

#include "json/json.h"
#include "kerchunk/kerchunk.h"

/* ---- kerchunk_scan.c: a cursor in the document -------------------------------------------------------------------
 *
 * The document of a million references is scanned once: what it says is left in place, and is parsed when it is asked
 * for. Texts of keys are decoded where they are.
 */
typedef struct ncz_kerchunk_scan {
    char       *text;
    size_t      len, at;
    const char *name; /* of the document */
} ncz_kerchunk_scan;

int  ncz_kerchunk_fail(const ncz_kerchunk_scan *s, const char *what); /* NC_EZARRMETA, with the position */
char ncz_kerchunk_peek(ncz_kerchunk_scan *s);                         /* after white space; NUL at the end */
int  ncz_kerchunk_expect(ncz_kerchunk_scan *s, char c);
/* Decodes a string in place; *out is followed by a NUL where the quotation mark was. */
int ncz_kerchunk_key(ncz_kerchunk_scan *s, char **out);
/* Goes behind a value, of which no more is checked than where it ends. */
int ncz_kerchunk_skip(ncz_kerchunk_scan *s);

/* ---- kerchunk_template.c ----------------------------------------------------------------------------------------- */

/* The value of a name. */
typedef struct ncz_kerchunk_value {
    const char *name;
    const char *text; /* or NULL: */
    int64_t     number;
    bool        called; /* the text has expressions, and is a template that is called; else it is never rendered */
} ncz_kerchunk_value;

typedef struct ncz_kerchunk_names {
    ncz_kerchunk_value              *v;
    size_t                           n;
    const struct ncz_kerchunk_names *outer; /* looked at after these; NULL: none */
} ncz_kerchunk_names;

/*
 * Appends the text with the values of its {{expressions}}: names, calls of templates with keywords, integers, texts in
 * quotation marks, + - * // % and parentheses. NC_ENOTBUILT: anything else; NC_EZARRMETA: a name that is not there, an
 * overflow, a division by 0; NC_ENOMEM: it is longer than the buffer's limit.
 */
int  ncz_kerchunk_render(const char *text, const ncz_kerchunk_names *names, ncz_buf *out);
bool ncz_kerchunk_has_expression(const char *text);

/* ---- kerchunk_gen.c ---------------------------------------------------------------------------------------------- */

enum {
    NCZ_KERCHUNK_DIMS = 16,      /* of one rule */
    NCZ_KERCHUNK_TEXT = 1 << 16, /* bytes of a text with expressions, and of what becomes of it */
};

/* A dimension: the numbers start, start + step ..., or the items of a list. */
typedef struct ncz_kerchunk_dim {
    const char     *name;
    int64_t         start, step;
    uint64_t        n;
    const ncz_json *list; /* or NULL */
} ncz_kerchunk_dim;

/* A rule of `gen`. Its texts are those of the document's JSON, which outlives it. */
typedef struct ncz_kerchunk_rule {
    const char      *key, *url, *offset, *length; /* the last two: NULL for whole objects */
    ncz_kerchunk_dim dims[NCZ_KERCHUNK_DIMS];
    size_t           ndims;
    uint64_t         n; /* keys: the product */
} ncz_kerchunk_rule;

int ncz_kerchunk_rule_parse(const ncz_json *json, ncz_kerchunk_rule *out);
/* The text `what` of the i-th combination, the last dimension runs fastest. */
int ncz_kerchunk_rule_render(const ncz_kerchunk_rule *r, const char *what, uint64_t i,
                             const ncz_kerchunk_names *templates, ncz_buf *out);

/* ---- kerchunk_table.c -------------------------------------------------------------------------------------------- */

typedef struct ncz_kerchunk_ref {
    const char *key;
    uint32_t    at;   /* where its value is in the text; or which combination of the rule */
    uint32_t    rule; /* 1 + the number of the rule; 0: it is in the text */
} ncz_kerchunk_ref;

typedef struct ncz_kerchunk_table {
    ncz_buf                  text;
    ncz_kerchunk_ref        *refs; /* sorted by segments */
    size_t                   n, cap;
    ncz_json                *templates_json, *gen_json;
    ncz_kerchunk_value      *templates;
    ncz_kerchunk_names       names; /* those */
    ncz_kerchunk_rule       *rules;
    size_t                   nrules;
    ncz_arena                keys;   /* of rules, and those that are completed */
    bool                     remote; /* an object may be on a server */
    ncz_kerchunk_document_fn is_document;
} ncz_kerchunk_table;

/* Takes the text, also on failure. */
int  ncz_kerchunk_table_make(ncz_buf *text, const char *name, ncz_kerchunk_document_fn is_document,
                             ncz_kerchunk_table *out);
void ncz_kerchunk_table_clear(ncz_kerchunk_table *t);
/* The first one at or behind key[0..len) in the order of the table. */
size_t ncz_kerchunk_table_seek(const ncz_kerchunk_table *t, const char *key, size_t len);

#endif /* NCZ_KERCHUNK_INT_H */
