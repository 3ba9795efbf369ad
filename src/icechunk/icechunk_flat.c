/* SPDX-License-Identifier: BSD-3-Clause */
#include "icechunk/icechunk_flat.h"
#include "icechunk/icechunk_int.h"

int
ncz_ice_damaged(const char *what, const char *cause)
{
    return ncz_fail(NC_EZARRMETA, "%s: is damaged: %s", what, cause);
}

/* Whether `n` bytes lie at `at`. */
static bool
holds(const ncz_flat *in, size_t at, size_t n)
{
    return at <= in->len && n <= in->len - at;
}

static unsigned
read_u16(const ncz_flat *in, size_t at)
{
    return (unsigned)in->data[at] | (unsigned)in->data[at + 1] << 8;
}

/* Where the offset that stands at `at` leads. */
static bool
follow(const ncz_flat *in, size_t at, size_t *out)
{
    uint32_t step;

    if (!holds(in, at, 4) || (step = ncz_flat_u32(in->data + at)) == 0 || !holds(in, at, step))
        return false;
    *out = at + step;
    return true;
}

/* The table at `at`. Before it, or behind, stands the list of the fields' places. */
static bool
open_table(const ncz_flat *in, size_t at, ncz_flat_table *out)
{
    int64_t slots;
    size_t  size, nbytes;

    if (!holds(in, at, 4))
        return false;
    slots = (int64_t)at - (int32_t)ncz_flat_u32(in->data + at);
    if (slots < 0 || !holds(in, (size_t)slots, 4))
        return false;
    nbytes = read_u16(in, (size_t)slots);
    size = read_u16(in, (size_t)slots + 2);
    if (nbytes < 4 || nbytes % 2 != 0 || !holds(in, (size_t)slots, nbytes) || size < 4 || !holds(in, at, size))
        return false;
    *out = (ncz_flat_table){
        .in = in, .at = at, .size = size, .slots = (size_t)slots + 4, .nslots = (unsigned)(nbytes / 2 - 2)};
    return true;
}

bool
ncz_flat_root(const ncz_flat *in, ncz_flat_table *out)
{
    size_t at;

    return follow(in, 0, &at) && open_table(in, at, out);
}

/* The place of a field of `size` bytes; 0: it is absent. */
static bool
find_field(const ncz_flat_table *t, unsigned field, size_t size, size_t *out)
{
    size_t at = field < t->nslots ? read_u16(t->in, t->slots + 2 * (size_t)field) : 0;

    if (at != 0 && (at < 4 || at > t->size || size > t->size - at))
        return false;
    *out = at != 0 ? t->at + at : 0;
    return true;
}

bool
ncz_flat_number(const ncz_flat_table *t, unsigned field, size_t size, uint64_t absent, uint64_t *out)
{
    uint64_t value = 0;
    size_t   at;

    if (!find_field(t, field, size, &at))
        return false;
    for (size_t i = size; at != 0 && i > 0; i--)
        value = value << 8 | t->in->data[at + i - 1];
    *out = at != 0 ? value : absent;
    return true;
}

bool
ncz_flat_struct(const ncz_flat_table *t, unsigned field, size_t size, const unsigned char **out)
{
    size_t at;

    if (!find_field(t, field, size, &at))
        return false;
    *out = at != 0 ? t->in->data + at : NULL;
    return true;
}

bool
ncz_flat_vector_of(const ncz_flat_table *t, unsigned field, size_t item, ncz_flat_vector *out)
{
    size_t at, nbytes, n;

    if (!find_field(t, field, 4, &at))
        return false;
    if (at == 0) {
        *out = (ncz_flat_vector){.in = t->in, .item = item};
        return true;
    }
    if (!follow(t->in, at, &at) || !holds(t->in, at, 4))
        return false;
    n = ncz_flat_u32(t->in->data + at);
    if (!ncz_mul(n, item, &nbytes) || !holds(t->in, at + 4, nbytes))
        return false;
    *out = (ncz_flat_vector){.in = t->in, .data = t->in->data + at + 4, .n = n, .item = item};
    return true;
}

bool
ncz_flat_tables(const ncz_flat_table *t, unsigned field, ncz_flat_vector *out)
{
    return ncz_flat_vector_of(t, field, 4, out);
}

bool
ncz_flat_text(const ncz_flat_table *t, unsigned field, ncz_line *out)
{
    ncz_flat_vector v;

    if (!ncz_flat_vector_of(t, field, 1, &v))
        return false;
    *out = (ncz_line){.s = (const char *)v.data, .len = v.n};
    return true;
}

bool
ncz_flat_child(const ncz_flat_table *t, unsigned field, bool *there, ncz_flat_table *out)
{
    size_t at;

    if (!find_field(t, field, 4, &at) || (at != 0 && (!follow(t->in, at, &at) || !open_table(t->in, at, out))))
        return false;
    *there = at != 0;
    return true;
}

bool
ncz_flat_item(const ncz_flat_vector *v, size_t i, ncz_flat_table *out)
{
    size_t at;

    return follow(v->in, (size_t)(v->data - v->in->data) + 4 * i, &at) && open_table(v->in, at, out);
}
