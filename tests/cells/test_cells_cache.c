/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/failing_alloc.h"
#include "test_spec.h"

#include "cells/cells_cache.h"

static const ncz_dtype i4 = {NCZ_KIND_INT, HOST_BIG, 4};

TEST(find_and_drop)
{
    ncz_cells_cache cache;
    ncz_spec       *a = test_spec(2, (uint64_t[]){2, 2}, i4, NULL, NULL);
    ncz_spec       *b = test_spec(2, (uint64_t[]){2, 2}, i4, NULL, NULL);
    ncz_cell       *chunk;

    assert_int_equal(ncz_cells_cache_init(&cache, 1000), NC_NOERR);
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t index[] = {i, i * i};

        assert_null(ncz_cells_find(&cache, a, index));
        assert_int_equal(ncz_cells_claim(&cache, a, index, &chunk), NC_NOERR);
        assert_ptr_equal(ncz_cells_find(&cache, a, index), chunk);
        assert_null(ncz_cells_find(&cache, b, index));
    }
    assert_int_equal(cache.n, 1000);
    assert_true(cache.nbuckets >= 1000);
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t index[] = {i, i * i};

        chunk = ncz_cells_find(&cache, a, index);
        assert_true(chunk->index[0] == i && chunk->index[1] == i * i);
        if (i % 2 == 0)
            ncz_cells_drop(&cache, chunk);
    }
    assert_int_equal(cache.n, 500);
    assert_null(ncz_cells_find(&cache, a, (uint64_t[]){0, 0}));
    assert_non_null(ncz_cells_find(&cache, a, (uint64_t[]){1, 1}));
    ncz_cells_cache_clear(&cache);
    assert_int_equal(cache.used, 0);
    ncz_spec_unref(a);
    ncz_spec_unref(b);
}

TEST(the_cache_accounts_for_its_memory)
{
    ncz_cells_cache cache;
    ncz_spec       *s = test_spec(1, (uint64_t[]){25}, i4, NULL, NULL);
    ncz_cell       *chunk;
    size_t          slot;

    assert_int_equal(ncz_cells_cache_init(&cache, 1000), NC_NOERR);
    assert_int_equal(ncz_cells_claim(&cache, s, (uint64_t[]){7}, &chunk), NC_NOERR);
    assert_true(ncz_cell_is_busy(chunk));
    slot = cache.used;
    ncz_cell_set_data(&cache, chunk, ncz_alloc(100));
    assert_int_equal(cache.used, slot + 100);
    ncz_cell_set_data(&cache, chunk, ncz_alloc(100));
    assert_int_equal(cache.used, slot + 100);
    ncz_cell_set_state(&cache, chunk, NCZ_CELL_DIRTY);
    assert_false(ncz_cell_is_busy(chunk));
    assert_int_equal(cache.nunstored, 1);
    assert_ptr_equal(ncz_cell_from_link(cache.dirty.next), chunk);
    ncz_cell_set_state(&cache, chunk, NCZ_CELL_STORING);
    assert_int_equal(cache.nunstored, 1);
    assert_ptr_equal(cache.dirty.next, &cache.dirty);
    ncz_cell_set_state(&cache, chunk, NCZ_CELL_CLEAN);
    assert_int_equal(cache.nunstored, 0);
    ncz_cell_set_data(&cache, chunk, NULL);
    assert_int_equal(cache.used, slot);
    ncz_cells_drop(&cache, chunk);
    assert_int_equal(cache.used, 0);
    ncz_cells_cache_clear(&cache);
    ncz_spec_unref(s);
}

TEST(what_goes)
{
    ncz_cells_cache cache;
    ncz_spec       *s = test_spec(1, (uint64_t[]){25}, i4, NULL, NULL);
    ncz_cell       *chunk[4];

    assert_int_equal(ncz_cells_cache_init(&cache, 1000), NC_NOERR);
    assert_null(ncz_cells_victim(&cache));
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(ncz_cells_claim(&cache, s, &i, &chunk[i]), NC_NOERR);
    assert_null(ncz_cells_victim(&cache)); /* all are being loaded */
    for (int i = 0; i < 4; i++)
        ncz_cell_set_state(&cache, chunk[i], NCZ_CELL_CLEAN);
    assert_int_equal(cache.nidle, 4);
    assert_ptr_equal(ncz_cells_victim(&cache), chunk[0]);
    ncz_cell_touch(&cache, chunk[0]);
    assert_ptr_equal(ncz_cells_victim(&cache), chunk[1]);
    chunk[1]->pins = 1;
    assert_ptr_equal(ncz_cells_victim(&cache), chunk[2]);
    ncz_cell_set_state(&cache, chunk[2], NCZ_CELL_DIRTY);
    assert_ptr_equal(ncz_cells_victim(&cache), chunk[3]);
    ncz_cell_set_state(&cache, chunk[3], NCZ_CELL_PARTIAL);
    assert_ptr_equal(ncz_cells_victim(&cache), chunk[3]);
    ncz_cell_set_state(&cache, chunk[0], NCZ_CELL_DIRTY);
    ncz_cell_set_state(&cache, chunk[2], NCZ_CELL_DIRTY); /* changed again: last now */
    assert_ptr_equal(ncz_cell_from_link(cache.dirty.next), chunk[0]);
    ncz_cells_drop(&cache, chunk[3]);
    assert_null(ncz_cells_victim(&cache));
    chunk[1]->pins = 0;
    assert_int_equal(cache.nidle, 1);
    ncz_cells_cache_clear(&cache);
    ncz_spec_unref(s);
}

/* A loop over a fifth more than fits finds most of it, and what is used all the time outlives a scan. */
TEST(no_cliff)
{
    ncz_cells_cache cache;
    ncz_spec       *s = test_spec(1, (uint64_t[]){25}, i4, NULL, NULL);
    ncz_cell       *chunk;
    size_t          hits = 0, hot = 0, cold = 0;

    assert_int_equal(ncz_cells_cache_init(&cache, 1000), NC_NOERR);
    for (uint64_t i = 0; i < 20 * 120; i++) {
        uint64_t index = i % 120;

        if ((chunk = ncz_cells_find(&cache, s, &index)) != NULL) {
            ncz_cell_touch(&cache, chunk);
            hits++;
            continue;
        }
        if (cache.n == 100)
            assert_true(ncz_cells_make_room(&cache));
        assert_int_equal(ncz_cells_claim(&cache, s, &index, &chunk), NC_NOERR);
        ncz_cell_set_state(&cache, chunk, NCZ_CELL_CLEAN);
    }
    assert_true(hits > 20 * 120 / 3);
    for (uint64_t i = 0; i < 5000; i++) {
        uint64_t index = i % 2 == 0 ? i % 20 : 1000 + i; /* one of ten, then one of the scan */

        if ((chunk = ncz_cells_find(&cache, s, &index)) != NULL) {
            ncz_cell_touch(&cache, chunk);
            hot++;
            continue;
        }
        cold += i % 2 == 0;
        assert_true(ncz_cells_make_room(&cache));
        assert_int_equal(ncz_cells_claim(&cache, s, &index, &chunk), NC_NOERR);
        ncz_cell_set_state(&cache, chunk, NCZ_CELL_CLEAN);
    }
    assert_true(hot > 2400 && cold < 100);
    ncz_cells_cache_clear(&cache);
    ncz_spec_unref(s);
}

/* The order of use is kept until what went comes back; a chunk that went long ago is no reason to leave it. */
TEST(order_of_use)
{
    ncz_cells_cache cache;
    ncz_spec       *s = test_spec(1, (uint64_t[]){25}, i4, NULL, NULL);
    ncz_cell       *chunk;

    assert_int_equal(ncz_cells_cache_init(&cache, 1000), NC_NOERR);
    for (uint64_t i = 0; i < 1000; i++) {
        if (cache.n == 10)
            assert_true(ncz_cells_make_room(&cache));
        assert_int_equal(ncz_cells_claim(&cache, s, &i, &chunk), NC_NOERR);
        ncz_cell_set_state(&cache, chunk, NCZ_CELL_CLEAN);
    }
    for (uint64_t i = 990; i < 1000; i++)
        assert_non_null(ncz_cells_find(&cache, s, &i));
    assert_true(ncz_cells_make_room(&cache));
    assert_int_equal(ncz_cells_claim(&cache, s, (uint64_t[]){3}, &chunk), NC_NOERR);
    assert_int_equal(cache.random_evictions, 0);
    ncz_cell_set_state(&cache, chunk, NCZ_CELL_CLEAN);
    assert_true(ncz_cells_make_room(&cache));
    assert_int_equal(ncz_cells_claim(&cache, s, (uint64_t[]){991}, &chunk), NC_NOERR);
    assert_true(cache.random_evictions > 0);
    ncz_cells_cache_clear(&cache);
    ncz_spec_unref(s);
}

TEST(spare_memory_is_given_again)
{
    ncz_cells_cache cache;
    char           *a = ncz_alloc(40000), *b = ncz_alloc(50000);

    assert_int_equal(ncz_cells_cache_init(&cache, 1 << 20), NC_NOERR);
    ncz_cells_spares_keep(&cache, 2);
    assert_null(ncz_cells_spare_take(&cache, 40000));
    ncz_cells_spare_give(&cache, a, 40000);
    ncz_cells_spare_give(&cache, b, 50000);
    ncz_cells_spare_give(&cache, ncz_alloc(10), 10); /* freed */
    assert_int_equal(cache.nspares, 2);
    assert_ptr_equal(ncz_cells_spare_take(&cache, 40000), a);
    assert_null(ncz_cells_spare_take(&cache, 40000));
    ncz_cells_spare_give(&cache, a, 40000);
    ncz_cells_spare_give(&cache, ncz_alloc(60000), 60000); /* in place of b */
    assert_null(ncz_cells_spare_take(&cache, 50000));
    assert_int_equal(cache.nspares, 2);
    ncz_cells_cache_clear(&cache);
}

/* The bound changes with each call of a program: a call of many threads is followed by calls of one. */
TEST(fewer_spares)
{
    ncz_cells_cache cache;

    assert_int_equal(ncz_cells_cache_init(&cache, 1 << 20), NC_NOERR);
    ncz_cells_spares_keep(&cache, 1000);
    for (size_t i = 0; i < 40; i++)
        ncz_cells_spare_give(&cache, ncz_alloc(40000), 40000);
    assert_int_equal(cache.nspares, NCZ_CELLS_SPARES);
    ncz_cells_spares_keep(&cache, 3);
    for (size_t i = 0; i < 40; i++) {
        ncz_cells_spare_give(&cache, ncz_alloc(50000), 50000);
        assert_int_equal(cache.nspares, 3);
    }
    assert_null(ncz_cells_spare_take(&cache, 40000)); /* the oldest went first */
    ncz_cells_cache_clear(&cache);
}

/* A table that cannot grow still finds everything. */
TEST(without_memory)
{
    ncz_cells_cache cache;
    ncz_spec       *s = test_spec(1, (uint64_t[]){1}, i4, NULL, NULL);
    ncz_cell       *chunk;

    fail_allocation(1);
    assert_int_equal(ncz_cells_cache_init(&cache, 1000), NC_ENOMEM);
    assert_true(end_failing());
    ncz_cells_cache_clear(&cache);
    assert_int_equal(ncz_cells_cache_init(&cache, 1000), NC_NOERR);
    for (uint64_t i = 0; i < 64; i++)
        assert_int_equal(ncz_cells_claim(&cache, s, &i, &chunk), NC_NOERR);
    fail_allocation(1);
    assert_int_equal(ncz_cells_claim(&cache, s, (uint64_t[]){64}, &chunk), NC_ENOMEM);
    assert_true(end_failing());
    fail_allocation(2);
    assert_int_equal(ncz_cells_claim(&cache, s, (uint64_t[]){64}, &chunk), NC_NOERR);
    assert_true(end_failing());
    assert_int_equal(cache.nbuckets, 64);
    for (uint64_t i = 0; i < 65; i++)
        assert_non_null(ncz_cells_find(&cache, s, &i));
    ncz_cells_cache_clear(&cache);
    ncz_spec_unref(s);
}
