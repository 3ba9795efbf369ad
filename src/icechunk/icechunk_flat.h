/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * icechunk_flat: reads FlatBuffers. Nothing is copied, and every offset and count is checked where it is used: each
 * function says false if the bytes are damaged, and its outputs are then unchanged. Numbers are little-endian, and need
 * not be aligned.
 *
 * Format: https://flatbuffers.dev/internals. What a table's fields are only its user knows.
 */
#ifndef NCZ_ICECHUNK_FLAT_H
#define NCZ_ICECHUNK_FLAT_H

#include "util/util.h"

typedef struct ncz_flat {
    const unsigned char *data;
    size_t               len;
} ncz_flat;

typedef struct ncz_flat_table {
    const ncz_flat *in;
    size_t          at, size; /* the table; the bytes of its fields */
    size_t          slots;    /* where the fields' places are */
    unsigned        nslots;
} ncz_flat_table;

/* Items that follow each other: numbers and structs lie there, of tables and strings offsets do. */
typedef struct ncz_flat_vector {
    const ncz_flat      *in;
    const unsigned char *data; /* the first item; NULL: the field is absent */
    size_t               n, item;
} ncz_flat_vector;

bool ncz_flat_root(const ncz_flat *in, ncz_flat_table *out);

/* A field that is a number of `size` bytes, or its default. */
bool ncz_flat_number(const ncz_flat_table *t, unsigned field, size_t size, uint64_t absent, uint64_t *out);
/* A struct of `size` bytes, inside of the table; NULL: absent. */
bool ncz_flat_struct(const ncz_flat_table *t, unsigned field, size_t size, const unsigned char **out);
bool ncz_flat_vector_of(const ncz_flat_table *t, unsigned field, size_t item, ncz_flat_vector *out);
bool ncz_flat_tables(const ncz_flat_table *t, unsigned field, ncz_flat_vector *out); /* or of strings */
bool ncz_flat_text(const ncz_flat_table *t, unsigned field, ncz_line *out);          /* s NULL: absent */
bool ncz_flat_child(const ncz_flat_table *t, unsigned field, bool *there, ncz_flat_table *out);

/* Of a vector of tables; `i` is less than its n. */
bool ncz_flat_item(const ncz_flat_vector *v, size_t i, ncz_flat_table *out);

static inline uint32_t
ncz_flat_u32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

#endif /* NCZ_ICECHUNK_FLAT_H */
