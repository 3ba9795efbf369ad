/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of this module share: the value, its document with the arena, and the parser's state.
 *
 * A value has 32 bytes, because a document of n bytes can contain n / 2 values. The children of a container are one
 * array; a member is two values, its name and its value.
 */
#ifndef NCZ_JSON_INT_H
#define NCZ_JSON_INT_H

#include "json/json.h"

#define JSON_DEPTH_MOST 1024 /* parsing recurses: never deeper, whatever a caller allows */
#define JSON_BYTES_MOST (UINT32_MAX - 1)
#define JSON_VALUES_MIN ((size_t)1 << 20)
#define JSON_DENSITY    8  /* a document limited to n bytes may have n / 8 values, or JSON_VALUES_MIN */
#define JSON_LINEAR     16 /* objects up to this many members are searched without a table */

struct ncz_json {
    const char *text; /* the slice in the document's copy */
    uint32_t    text_len;
    uint32_t    len;       /* bytes of a string, items, or members */
    uint8_t     type;      /* ncz_json_type */
    uint8_t     table_log; /* objects: 0, or a table of 2^table_log uint32_t is just before `items` */
    bool        has_nul;   /* a string with a NUL in it */
    union {
        bool            flag;
        int64_t         i64;
        uint64_t        u64;
        double          f64;
        const char     *str;
        const ncz_json *items;
    } u;
};

typedef struct json_block {
    struct json_block *next;
    size_t             used, size; /* of mem */
    _Alignas(ncz_json) unsigned char mem[];
} json_block;

/* The root comes first, so that its address is the document's. */
typedef struct ncz_json_doc {
    ncz_json    root;
    json_block *blocks; /* newest first */
    char       *text;   /* the copy, followed by a NUL */
} ncz_json_doc;

#define JSON_NUMBER_SLOW 16 /* characters: shorter texts are read in a few steps */

/* A number and its text: the fill values of a dataset's variables are the same number of many digits. */
typedef struct json_number {
    size_t len; /* 0: none yet */
    char   text[32];
    double value;
} json_number;

/* A reader's document has no copy of the text. */
struct ncz_json_reader {
    ncz_json_doc doc;
    ncz_json    *stack; /* the parser's, kept */
    size_t       cap;
    json_number  last;
};

#define JSON_ALIGN _Alignof(ncz_json)

void *ncz_json_arena_more(ncz_json_doc *doc, size_t nbytes); /* in a new block */

/* Memory that lives as long as the document, aligned for values; NULL when out of memory. The free rest of a block is
 * always a multiple of the alignment. */
static inline void *
ncz_json_arena_get(ncz_json_doc *doc, size_t nbytes)
{
    json_block *b = doc->blocks;
    void       *mem;

    if (b == NULL || b->size - b->used < nbytes)
        return ncz_json_arena_more(doc, nbytes);
    mem = b->mem + b->used;
    b->used += (nbytes + JSON_ALIGN - 1) / JSON_ALIGN * JSON_ALIGN;
    return mem;
}

void ncz_json_arena_free(ncz_json_doc *doc);
void ncz_json_arena_reset(ncz_json_doc *doc); /* keeps the newest block, the largest, for the next document */

/* The parser. *end may be read but is not part of the document. Where it is in the text is not here: that stays in a
 * register. */
typedef struct json_parser {
    const char   *name;
    ncz_json_mode mode;
    bool          plain;          /* strings are not checked, and have no NULs but by escapes */
    size_t        depth, shallow; /* as in ncz_json_opts; shallow SIZE_MAX: never */
    ncz_json_doc *doc;
    json_number  *last; /* the number that was read last of those that are slow to read */
    const char   *text, *end;
    ncz_json     *stack; /* values whose container is not closed yet */
    size_t        n, cap;
    size_t        values, most_values; /* count so far, and its limit: a value takes 16 times its shortest text */
    int           rc;                  /* of the failure that ended it */
} json_parser;

int ncz_json_fail_at(const json_parser *ps, const char *at, const char *fmt, ...) NCZ_PRINTF(3, 4);

/* Reads the number at `p` into *out, and returns its end; NULL after a failure, with the status in ps->rc. */
const char *ncz_json_scan_number(json_parser *ps, const char *p, ncz_json *out);
/* Reads a string with escapes, or one that is checked. `mark`: its first escape, or its closing quote. */
int ncz_json_scan_checked(json_parser *ps, const char *open, const char *mark, ncz_json *out);

/* ---- json_skip.c ---- */

/* The end of the container whose opening bracket is at `s`, past the closing one; or NULL, with whether the text ends
 * inside a string. */
const char *ncz_json_skip(const char *s, const char *end, bool *quoted);

#define JSON_BLOCK 64 /* bytes */

/* Where skipping has got to: open brackets, and whether it is inside a string. */
typedef struct json_skip {
    size_t depth;
    bool   quoted;
} json_skip;

/* Moves over whole blocks, up to one with a backslash in it, or past the container's end. */
const char *ncz_json_skip_blocks(json_skip *k, const char *s, const char *end);
/* The first quote or backslash, or the end. */
const char *ncz_json_find_mark(const char *s, const char *end);

/* The slot of a name (holding its index + 1), or the free one where it belongs (holding 0). */
uint32_t *ncz_json_slot(uint32_t *table, unsigned table_log, const ncz_json *members, const char *name, size_t len);

#endif /* NCZ_JSON_INT_H */
