/* SPDX-License-Identifier: BSD-3-Clause */
/* Chunks and shards for blocks: lengths worked by hand, and what must hold for any blocks. */
#include "grid_test.h"

#include <stdlib.h>

#define MIB ((uint64_t)1 << 20)

typedef struct row {
    size_t   rank, n, item;
    uint64_t shape[3];
    bool     unlimited[3];
    uint64_t box[8][6]; /* lo, hi of each dimension */
    uint64_t object_bytes, chunk_bytes;
    uint64_t object[3], chunk[3];
    double   objects, shared;
    uint64_t writers;
} row;

static const row rows[] = {
    /* equal blocks, the last one shorter */
    {1, 4, 8, {10}, {0}, {{0, 3}, {3, 6}, {6, 9}, {9, 10}}, MIB, MIB, {3}, {3}, 4, 0, 1},
    /* a rank without a block */
    {1, 3, 8, {10}, {0}, {{0, 5}, {0, 0}, {5, 10}}, MIB, MIB, {5}, {5}, 2, 0, 1},
    /* nobody divides the dimension */
    {1, 1, 8, {10}, {0}, {{0, 10}}, MIB, MIB, {10}, {10}, 1, 0, 1},
    /* 3, 3, 2, 2: single elements fit, and are not far shorter than the blocks */
    {1, 4, 8, {10}, {0}, {{0, 3}, {3, 6}, {6, 8}, {8, 10}}, MIB, MIB, {1}, {1}, 10, 0, 1},
    /* 334, 333, 333: an eighth of a block; two of 24 are shared */
    {1, 3, 8, {1000}, {0}, {{0, 334}, {334, 667}, {667, 1000}}, MIB, MIB, {42}, {42}, 24, 2, 2},
    /* all meet in one */
    {1, 3, 8, {9}, {0}, {{0, 1}, {1, 2}, {2, 9}}, MIB, MIB, {1}, {1}, 9, 0, 1},
    /* records of an unlimited dimension, and 2 x 2 blocks in each */
    {3,
     4,
     4,
     {0, 100, 60},
     {1, 0, 0},
     {{5, 6, 0, 50, 0, 30}, {5, 6, 0, 50, 30, 60}, {5, 6, 50, 100, 0, 30}, {5, 6, 50, 100, 30, 60}},
     MIB,
     MIB,
     {1, 50, 30},
     {1, 50, 30},
     4,
     0,
     1},
    /* blocks of steps */
    {2, 2, 8, {0, 7}, {1, 0}, {{0, 10, 0, 7}, {10, 20, 0, 7}}, MIB, MIB, {10, 7}, {10, 7}, 2, 0, 1},
    /* too large for a chunk: the slowest dimension is divided, and still divides the block: 1200 x 1024 of 8 bytes */
    {2,
     2,
     8,
     {2400, 1024},
     {0},
     {{0, 1200, 0, 1024}, {1200, 2400, 0, 1024}},
     MIB,
     MIB,
     {120, 1024},
     {120, 1024},
     20,
     0,
     1},
    /* a prime: parts of single rows fit, and are large enough */
    {2,
     2,
     8,
     {2018, 16384},
     {0},
     {{0, 1009, 0, 16384}, {1009, 2018, 0, 16384}},
     MIB,
     MIB,
     {1, 16384},
     {1, 16384},
     2018,
     0,
     1},
    /* a prime in one dimension: single elements do not do */
    {1, 2, 8, {2000006}, {0}, {{0, 1000003}, {1000003, 2000006}}, MIB, MIB, {125001}, {125001}, 16, 1, 2},
    /* shards: 1200 x 1024 of 8 bytes in 2 MiB, in chunks of 64 KiB that divide them */
    {2,
     2,
     8,
     {2400, 1024},
     {0},
     {{0, 1200, 0, 1024}, {1200, 2400, 0, 1024}},
     2 * MIB,
     MIB / 16,
     {240, 1024},
     {8, 1024},
     10,
     0,
     1},
    /* no cuts: the shard is rounded up to whole chunks */
    {1, 1, 8, {1000}, {0}, {{0, 1000}}, MIB, 3000, {999 + 3}, {334}, 1, 0, 1},
};

TEST(blocks_choose_the_chunks_of_the_table)
{
    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        const row       *r = &rows[i];
        uint64_t         box[8 * 6], object[3], chunk[3];
        ncz_blocks       b = {r->rank, r->n, r->item, r->shape, r->unlimited, box};
        ncz_blocks_price price;

        for (size_t k = 0; k < r->n; k++)
            memcpy(box + k * 2 * r->rank, r->box[k], 2 * r->rank * sizeof *box);
        assert_int_equal(ncz_blocks_choose(&b, r->object_bytes, r->chunk_bytes, object, chunk), NC_NOERR);
        assert_int_equal(ncz_blocks_count_shared(&b, object, &price), NC_NOERR);
        for (size_t d = 0; d < r->rank; d++)
            if (object[d] != r->object[d] || chunk[d] != r->chunk[d])
                fail_msg("row %zu dimension %zu: %llu in %llu", i, d, (unsigned long long)chunk[d],
                         (unsigned long long)object[d]);
        if ((uint64_t)price.objects != (uint64_t)r->objects || (uint64_t)price.shared != (uint64_t)r->shared ||
            price.writers != r->writers)
            fail_msg("row %zu: %.0f of %.0f objects, %llu writers", i, price.shared, price.objects,
                     (unsigned long long)price.writers);
    }
}

/* How many objects of a dimension are in more than one block, counted one by one, and the most blocks in one. */
static uint64_t
count_shared(const ncz_blocks *b, uint64_t object, uint64_t *most)
{
    uint64_t shared = 0;

    *most = 1;
    for (uint64_t lo = 0; lo < b->shape[0]; lo += object) {
        uint64_t in = 0;

        for (size_t i = 0; i < b->n; i++)
            in += b->box[2 * i] < lo + object && b->box[2 * i + 1] > lo && b->box[2 * i] < b->box[2 * i + 1];
        shared += in > 1;
        *most = in > *most ? in : *most;
    }
    return shared;
}

/* Any division of a dimension: lengths of at least one that divide the object; the price is what counting gives. */
TEST(any_division)
{
    static const bool fixed = false;
    uint64_t          seed = 7;

    for (int round = 0; round < 5000; round++) {
        uint64_t         box[16], len = 1 + rnd(&seed, 2000), at = 0, object, chunk, most;
        ncz_blocks       b = {1, 1 + rnd(&seed, 8), 8, &len, &fixed, box};
        ncz_blocks_price price;

        for (size_t i = 0; i < b.n; i++) {
            box[2 * i] = at;
            at = i + 1 == b.n ? len : at + rnd(&seed, len - at + 1);
            box[2 * i + 1] = at;
        }
        assert_int_equal(ncz_blocks_choose(&b, 64 + rnd(&seed, 4000), 64 + rnd(&seed, 400), &object, &chunk),
                         NC_NOERR);
        assert_true(chunk >= 1 && object >= chunk && object % chunk == 0);
        assert_int_equal(ncz_blocks_count_shared(&b, &object, &price), NC_NOERR);
        assert_int_equal((uint64_t)price.objects, (len + object - 1) / object);
        assert_int_equal((uint64_t)price.shared, count_shared(&b, object, &most));
        assert_int_equal(price.writers, most);
    }
}

/* Lengths near the largest ones neither overflow nor take long. */
TEST(huge_lengths_neither_overflow_nor_take_long)
{
    static const bool     unlimited[] = {true, false};
    static const uint64_t shape[] = {0, UINT64_MAX / 4};
    const uint64_t        most = (uint64_t)1 << 62;
    uint64_t         box[] = {most - 3, most, 0, UINT64_MAX / 4, 0, most, 1, UINT64_MAX / 4}, object[2], chunk[2];
    ncz_blocks       b = {2, 2, 8, shape, unlimited, box};
    ncz_blocks_price price;

    assert_int_equal(ncz_blocks_choose(&b, 16 * MIB, MIB, object, chunk), NC_NOERR);
    assert_true(object[0] >= 1 && object[1] >= 1 && object[1] <= 2 * MIB);
    assert_int_equal(ncz_blocks_count_shared(&b, object, &price), NC_NOERR);
}

TEST(without_memory)
{
    const row       *r = &rows[0];
    uint64_t         object[3], chunk[3], box[8];
    ncz_blocks       b = {r->rank, r->n, r->item, r->shape, r->unlimited, box};
    ncz_blocks_price price;

    for (size_t k = 0; k < r->n; k++)
        memcpy(box + k * 2, r->box[k], 2 * sizeof *box);
    assert_int_equal(ncz_blocks_choose(&b, MIB, MIB, object, chunk), NC_NOERR);
    fail_allocation(1);
    assert_int_equal(ncz_blocks_count_shared(&b, object, &price), NC_ENOMEM);
    assert_true(end_failing());
}
