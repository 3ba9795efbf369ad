/* SPDX-License-Identifier: BSD-3-Clause */
/* layout_place: the place of a chunk by the layout that a dialect makes for an array. */
#ifndef LAYOUT_PLACE_H
#define LAYOUT_PLACE_H

#include "support/test.h"

#include "model/model.h"

static inline int
place_chunk(ncz_make_layout_fn make, const ncz_layout_shape *shape, ncz_key_encoding keys, const uint64_t *index,
            ncz_buf *key, ncz_chunk_addr *where)
{
    const ncz_var v = {.rank = shape->rank, .key_encoding = keys};
    ncz_spec      s = {.rank = shape->rank};
    int           rc;

    assert_int_equal(make(&v, shape, &s.layout), NC_NOERR);
    rc = ncz_spec_locate(&s, index, key, where);
    ncz_layout_unref(s.layout);
    return rc;
}

#endif /* LAYOUT_PLACE_H */
