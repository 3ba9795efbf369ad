/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * toy_shard: a layout of objects with several chunks for tests. The chunks' bytes follow each other; the index has 16
 * bytes a slot (offset and length, little-endian) and a checksum of 8, and is at the end of the object, or the start.
 */
#ifndef TOY_SHARD_H
#define TOY_SHARD_H

#include "chunk_test.h"

typedef struct toy_form {
    bool at_end;
} toy_form;

typedef struct toy_layout {
    ncz_layout base;
    toy_form   form;
} toy_layout;

static const toy_form toy_end = {true}, toy_start = {false};

static inline bool
toy_at_end(const ncz_layout *l)
{
    return ((const toy_layout *)l)->form.at_end;
}

static inline bool
toy_needs(const ncz_layout *l, size_t *nbytes, bool *at_end)
{
    *nbytes = l->nslots * 16 + 8;
    *at_end = toy_at_end(l);
    return true;
}

static inline uint64_t
toy_get(const unsigned char *p)
{
    uint64_t v = 0;

    for (int i = 8; i-- > 0;)
        v = v << 8 | p[i];
    return v;
}

static inline void
toy_put(unsigned char *p, uint64_t v)
{
    for (int i = 0; i < 8; i++, v >>= 8)
        p[i] = (unsigned char)v;
}

static inline int
toy_learn(const ncz_layout *l, const void *index, size_t nbytes, ncz_slot *slots)
{
    const unsigned char *p = index;
    size_t               nslots = l->nslots;

    if (nbytes != nslots * 16 + 8 || toy_get(p + nslots * 16) != ncz_hash(p, nslots * 16))
        return ncz_fail(NC_EFILTER, "the index is damaged");
    for (size_t i = 0; i < nslots; i++)
        slots[i] = (ncz_slot){toy_get(p + i * 16), toy_get(p + i * 16 + 8)};
    return NC_NOERR;
}

static inline int
toy_assemble(const ncz_layout *l, const ncz_slot_bytes *parts, ncz_buf *out)
{
    size_t         nslots = l->nslots, nindex = nslots * 16 + 8;
    bool           at_end = toy_at_end(l);
    unsigned char *index = ncz_zalloc(nindex);
    uint64_t       at = at_end ? 0 : nindex;
    int            rc = NC_NOERR;

    if (index == NULL)
        return ncz_fail_nomem(nindex);
    for (size_t i = 0; i < nslots; i++) {
        if (parts[i].data == NULL)
            continue;
        toy_put(index + i * 16, at);
        toy_put(index + i * 16 + 8, parts[i].nbytes);
        at += parts[i].nbytes;
    }
    toy_put(index + nslots * 16, ncz_hash(index, nslots * 16));
    if (!at_end)
        rc = ncz_buf_append(out, index, nindex);
    for (size_t i = 0; i < nslots && rc == NC_NOERR; i++)
        if (parts[i].data != NULL)
            rc = ncz_buf_append(out, parts[i].data, parts[i].nbytes);
    if (rc == NC_NOERR && at_end)
        rc = ncz_buf_append(out, index, nindex);
    ncz_free(index);
    return rc;
}

/* The slots of an object are in C order. */
static inline int
toy_locate(const ncz_layout *l, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where)
{
    where->slot = ncz_layout_slot(l, index);
    return test_locate(l, index, key, where);
}

static const ncz_layout_ops toy_ops = {
    .name = "toy", .locate = toy_locate, .needs = toy_needs, .learn = toy_learn, .assemble = toy_assemble};

/* Gives a spec a layout of `nbytes` bytes for objects of object[d] chunks in each dimension. */
static inline void
share_objects(ncz_spec *s, const uint64_t *object, const ncz_layout_ops *ops, size_t nbytes)
{
    ncz_layout_shape shape = {.rank = s->rank, .path = s->path, .object = object, .nslots = 1};

    for (size_t d = 0; d < s->rank; d++)
        shape.nslots *= (size_t)object[d];
    ncz_layout_unref(s->layout);
    assert_int_equal(ncz_layout_new(ops, nbytes, &shape, &s->layout), NC_NOERR);
}

/* Makes the chunks of a spec share objects, of object[d] chunks in each dimension. */
static inline void
toy_share(ncz_spec *s, const uint64_t *object, const toy_form *form)
{
    share_objects(s, object, &toy_ops, sizeof(toy_layout));
    ((toy_layout *)s->layout)->form = *form;
}

#endif /* TOY_SHARD_H */
