/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_spec: specs of arrays for tests, whose chunks are objects of their own.
 */
#ifndef NCZ_TESTS_TEST_SPEC_H
#define NCZ_TESTS_TEST_SPEC_H

#include "contract/host.h"
#include "support/test.h"

#include "model/model.h"

static inline int
test_locate(const ncz_layout *l, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where)
{
    int rc = ncz_buf_puts(key, l->path);

    for (size_t d = 0; d < l->rank && rc == NC_NOERR; d++)
        rc = ncz_buf_printf(key, "%c%llu", d == 0 ? '/' : '.', (unsigned long long)(index[d] / l->object[d]));
    if (rc == NC_NOERR && l->rank == 0)
        rc = ncz_buf_puts(key, "/0");
    where->key = ncz_buf_str(key);
    return rc;
}

static const ncz_layout_ops test_chunks = {.name = "test", .locate = test_locate};

/* A spec in one block with its arrays, as ncz_spec_unref() frees them. */
typedef struct test_spec_block {
    ncz_spec spec;
    uint64_t chunk[32], fill[32];
    unsigned order[32];
    char     path[24];
} test_spec_block;

/* `codec` NULL: none; "shuffle+zlib" and the like: a chain. `fill` may be NULL. */
static inline ncz_spec *
test_spec(size_t rank, const uint64_t *chunk, ncz_dtype dtype, const void *fill, const char *codec)
{
    test_spec_block *block = ncz_zalloc(sizeof *block);
    ncz_spec        *s = &block->spec;
    static size_t    uid;

    *s = (ncz_spec){.refs = 1,
                    .unusable = &ncz_err_none,
                    .uid = ++uid,
                    .rank = rank,
                    .type = ncz_dtype_type(&dtype),
                    .dtype = dtype};
    s->chunk = block->chunk;
    s->path = block->path;
    assert_true(rank <= 32 && (fill == NULL || dtype.size <= sizeof block->fill));
    if (rank > 0)
        memcpy(s->chunk, chunk, rank * sizeof *chunk);
    snprintf(s->path, sizeof block->path, "v%llu", (unsigned long long)s->uid);
    assert_int_equal(ncz_layout_new(&test_chunks, sizeof *s->layout,
                                    &(ncz_layout_shape){.rank = rank, .path = s->path}, &s->layout),
                     NC_NOERR);
    if (fill != NULL)
        s->fill = memcpy(block->fill, fill, dtype.size);
    assert_true(ncz_grid_nbytes(chunk, rank, dtype.size, &s->chunk_bytes));
    s->chunk_nelems = dtype.size > 0 ? s->chunk_bytes / dtype.size : 0;
    for (const char *at = codec; at != NULL && *at != '\0'; at += strcspn(at, "+"), at += *at == '+') {
        char                 name[32];
        unsigned             word = strncmp(at, "shuffle", 7) == 0 ? (unsigned)dtype.size : 1;
        ncz_array_type       type = ncz_spec_array_type(s);
        ncz_codec           *made;
        const ncz_codec_ops *ops;
        ncz_chain           *longer;

        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "+"), at);
        assert_non_null(ops = ncz_codec_by_id(name));
        assert_int_equal(ncz_codec_from_words(ops, 1, &word, &type, &made), NC_NOERR);
        assert_int_equal(ncz_chain_with(s->chain, made, &type, false, &longer), NC_NOERR);
        ncz_codec_unref(made);
        ncz_chain_unref(s->chain);
        s->chain = longer;
    }
    return s;
}

static inline void
set_fortran(ncz_spec *s, bool fortran)
{
    unsigned *order = NULL;

    if (!fortran)
        return;
    assert_int_equal(ncz_order_fortran(s->rank, &order), NC_NOERR);
    s->order = ((test_spec_block *)(void *)s)->order;
    memcpy(s->order, order, s->rank * sizeof *order);
    ncz_free(order);
}

#endif /* NCZ_TESTS_TEST_SPEC_H */
