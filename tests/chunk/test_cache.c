/* SPDX-License-Identifier: BSD-3-Clause */
#include "chunk_test.h"

#include "chunk/chunk_int.h"

static const ncz_dtype i4 = { NCZ_KIND_INT, false, 4 };

static void
find_and_drop(void **state)
{
    ncz_chunk_cache cache;
    ncz_spec       *a = test_spec(2, (uint64_t[]){ 2, 2 }, i4, NULL, NULL);
    ncz_spec       *b = test_spec(2, (uint64_t[]){ 2, 2 }, i4, NULL, NULL);
    ncz_chunk      *chunk;

    (void)state;
    assert_int_equal(ncz_chunk_cache_init(&cache, 1000), NC_NOERR);
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t index[] = { i, i * i };

        assert_null(ncz_chunk_find(&cache, a, index));
        assert_int_equal(ncz_chunk_claim(&cache, a, index, &chunk), NC_NOERR);
        assert_ptr_equal(ncz_chunk_find(&cache, a, index), chunk);
        assert_null(ncz_chunk_find(&cache, b, index));
    }
    assert_int_equal(cache.n, 1000);
    assert_true(cache.nbuckets >= 1000);
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t index[] = { i, i * i };

        chunk = ncz_chunk_find(&cache, a, index);
        assert_true(chunk->index[0] == i && chunk->index[1] == i * i);
        if (i % 2 == 0)
            ncz_chunk_drop(&cache, chunk);
    }
    assert_int_equal(cache.n, 500);
    assert_null(ncz_chunk_find(&cache, a, (uint64_t[]){ 0, 0 }));
    assert_non_null(ncz_chunk_find(&cache, a, (uint64_t[]){ 1, 1 }));
    ncz_chunk_cache_clear(&cache);
    assert_int_equal(cache.used, 0);
    ncz_spec_unref(a);
    ncz_spec_unref(b);
}

static void
accounts(void **state)
{
    ncz_chunk_cache cache;
    ncz_spec       *s = test_spec(1, (uint64_t[]){ 25 }, i4, NULL, NULL);
    ncz_chunk      *chunk;
    size_t          slot;

    (void)state;
    assert_int_equal(ncz_chunk_cache_init(&cache, 1000), NC_NOERR);
    assert_int_equal(ncz_chunk_claim(&cache, s, (uint64_t[]){ 7 }, &chunk), NC_NOERR);
    assert_true(ncz_chunk_busy(chunk));
    slot = cache.used;
    ncz_chunk_set_data(&cache, chunk, ncz_alloc(100));
    assert_int_equal(cache.used, slot + 100);
    ncz_chunk_set_data(&cache, chunk, ncz_alloc(100));
    assert_int_equal(cache.used, slot + 100);
    ncz_chunk_set_state(&cache, chunk, NCZ_CHUNK_DIRTY);
    assert_false(ncz_chunk_busy(chunk));
    assert_int_equal(cache.nunstored, 1);
    assert_ptr_equal(ncz_chunk_of_dirty(cache.dirty.next), chunk);
    ncz_chunk_set_state(&cache, chunk, NCZ_CHUNK_STORING);
    assert_int_equal(cache.nunstored, 1);
    assert_ptr_equal(cache.dirty.next, &cache.dirty);
    ncz_chunk_set_state(&cache, chunk, NCZ_CHUNK_CLEAN);
    assert_int_equal(cache.nunstored, 0);
    ncz_chunk_set_data(&cache, chunk, NULL);
    assert_int_equal(cache.used, slot);
    ncz_chunk_drop(&cache, chunk);
    assert_int_equal(cache.used, 0);
    ncz_chunk_cache_clear(&cache);
    ncz_spec_unref(s);
}

static void
order_of_use(void **state)
{
    ncz_chunk_cache cache;
    ncz_spec       *s = test_spec(0, NULL, i4, NULL, NULL), *t = test_spec(0, NULL, i4, NULL, NULL);
    ncz_chunk      *first, *second;

    (void)state;
    assert_int_equal(ncz_chunk_cache_init(&cache, 1000), NC_NOERR);
    assert_int_equal(ncz_chunk_claim(&cache, s, NULL, &first), NC_NOERR);
    assert_int_equal(ncz_chunk_claim(&cache, t, NULL, &second), NC_NOERR);
    assert_ptr_equal(cache.lru.next, first);
    ncz_chunk_touch(&cache, first);
    assert_ptr_equal(cache.lru.next, second);
    assert_ptr_equal(ncz_chunk_find(&cache, s, NULL), first);
    ncz_chunk_cache_clear(&cache);
    ncz_spec_unref(s);
    ncz_spec_unref(t);
}

/* A table that cannot grow still finds everything. */
static void
without_memory(void **state)
{
    ncz_chunk_cache cache;
    ncz_spec       *s = test_spec(1, (uint64_t[]){ 1 }, i4, NULL, NULL);
    ncz_chunk      *chunk;

    (void)state;
    fail_use(1);
    assert_int_equal(ncz_chunk_cache_init(&cache, 1000), NC_ENOMEM);
    assert_true(fail_end());
    ncz_chunk_cache_clear(&cache);
    assert_int_equal(ncz_chunk_cache_init(&cache, 1000), NC_NOERR);
    for (uint64_t i = 0; i < 64; i++)
        assert_int_equal(ncz_chunk_claim(&cache, s, &i, &chunk), NC_NOERR);
    fail_use(1);
    assert_int_equal(ncz_chunk_claim(&cache, s, (uint64_t[]){ 64 }, &chunk), NC_ENOMEM);
    assert_true(fail_end());
    fail_use(2);
    assert_int_equal(ncz_chunk_claim(&cache, s, (uint64_t[]){ 64 }, &chunk), NC_NOERR);
    assert_true(fail_end());
    assert_int_equal(cache.nbuckets, 64);
    for (uint64_t i = 0; i < 65; i++)
        assert_non_null(ncz_chunk_find(&cache, s, &i));
    ncz_chunk_cache_clear(&cache);
    ncz_spec_unref(s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(find_and_drop),
        cmocka_unit_test(accounts),
        cmocka_unit_test(order_of_use),
        cmocka_unit_test(without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
