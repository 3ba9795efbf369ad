/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * toy_shard: a layout of objects with several chunks for tests. The chunks' bytes follow each other; the index has 16
 * bytes a slot (offset and length, little-endian) and a checksum of 8, and is at the end of the object, or the start.
 */
#ifndef TOY_SHARD_H
#define TOY_SHARD_H

#include "chunk_test.h"

typedef struct toy_layout {
    bool at_end;
} toy_layout;

static const toy_layout toy_end = {true}, toy_start = {false};

static inline bool
toy_index_range(const void *layout, size_t nslots, size_t *nbytes, bool *at_end)
{
    *nbytes = nslots * 16 + 8;
    *at_end = ((const toy_layout *)layout)->at_end;
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
toy_parse_index(const void *layout, const void *index, size_t nbytes, ncz_slot *slots, size_t nslots)
{
    const unsigned char *p = index;

    (void)layout;
    if (nbytes != nslots * 16 + 8 || toy_get(p + nslots * 16) != ncz_hash(p, nslots * 16))
        return ncz_fail(NC_EFILTER, "the index is damaged");
    for (size_t i = 0; i < nslots; i++)
        slots[i] = (ncz_slot){toy_get(p + i * 16), toy_get(p + i * 16 + 8)};
    return NC_NOERR;
}

static inline int
toy_assemble(const void *layout, const ncz_slot_bytes *parts, size_t nslots, ncz_buf *out)
{
    size_t         nindex = nslots * 16 + 8;
    bool           at_end = ((const toy_layout *)layout)->at_end;
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

static const ncz_object_ops toy_ops = {"toy", toy_index_range, toy_parse_index, toy_assemble};

/* The slots of an object are in C order. */
static inline int
toy_locate(const ncz_spec *spec, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where)
{
    uint64_t object[MAX_RANK] = {0}, slot = 0;
    int      rc;

    for (size_t d = 0; d < spec->rank; d++) {
        object[d] = index[d] / spec->object[d];
        slot = slot * spec->object[d] + index[d] % spec->object[d];
    }
    if ((rc = test_locate(spec, object, key, where)) != NC_NOERR)
        return rc;
    where->slot = slot;
    return NC_NOERR;
}

/* Makes the chunks of a spec share objects, of object[d] chunks in each dimension. */
static inline void
toy_share(ncz_spec *s, const uint64_t *object, const toy_layout *layout)
{
    s->object = ncz_dup(object, s->rank * sizeof *object);
    s->object_chunks = 1;
    for (size_t d = 0; d < s->rank; d++)
        s->object_chunks *= (size_t)object[d];
    s->object_ops = &toy_ops;
    s->object_layout = layout;
    s->locate = toy_locate;
}

#endif /* TOY_SHARD_H */
