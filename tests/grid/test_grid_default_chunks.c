/* SPDX-License-Identifier: BSD-3-Clause */
/* Expected lengths: what netCDF-C main gives for the same variables, and its rule worked by hand. */
#include "grid_test.h"

typedef struct row {
    size_t   rank, item;
    uint64_t shape[4];
    bool     unlimited[4];
    uint64_t want[4];
} row;

static const row rows[] = {
    /* one unlimited dimension: 4096 bytes, then shortened to what is there */
    {1, 8, {0}, {true}, {512}},
    {1, 4, {0}, {true}, {1024}},
    {1, 1, {0}, {true}, {4096}},
    {1, 4, {5}, {true}, {5}},
    {1, 4, {1500}, {true}, {750}},
    /* all unlimited: the root of 16 MiB */
    {2, 4, {0, 0}, {true, true}, {2048, 2048}},
    {3, 8, {0, 0, 0}, {true, true, true}, {127, 127, 127}}, /* floor of the floating root, just below 128 */
    {2, 8, {0, 0}, {true, true}, {1448, 1448}},
    /* small ones are one chunk */
    {1, 4, {10}, {false}, {10}},
    {2, 4, {0, 360}, {true, false}, {1, 360}},
    {2, 8, {7, 9}, {false, false}, {7, 9}},
    {1, 1, {1}, {false}, {1}},
    /* larger ones are cut, evenly */
    {2, 8, {1000, 3000}, {false, false}, {500, 1500}},
    {1, 4, {10000000}, {false}, {3333334}},
    {0, 8, {0}, {false}, {0}},
};

TEST(shapes_choose_the_chunks_of_the_table)
{
    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        uint64_t chunk[4] = {0};

        ncz_grid_default_chunks(rows[i].shape, rows[i].unlimited, rows[i].rank, rows[i].item, NCZ_DEFAULT_CHUNK_BYTES,
                                chunk);
        for (size_t d = 0; d < rows[i].rank; d++) {
            if (chunk[d] != rows[i].want[d])
                fail_msg("row %zu dimension %zu: %llu", i, d, (unsigned long long)chunk[d]);
        }
    }
}

/* Any shape gives lengths of at least one, in a chunk that netCDF allows, no longer than a fixed dimension. */
TEST(any_shape_gives_allowed_chunks)
{
    uint64_t seed = 1;

    for (int round = 0; round < 20000; round++) {
        uint64_t shape[6], chunk[6];
        bool     unlimited[6];
        size_t   rank = rnd(&seed, 7), item = (size_t)1 << rnd(&seed, 4);
        double   nbytes = (double)item;

        for (size_t d = 0; d < rank; d++) {
            shape[d] = rnd_next(&seed) >> rnd(&seed, 64);
            if (rnd(&seed, 8) == 0)
                shape[d] = rnd(&seed, 2) == 0 ? 0 : UINT64_MAX;
            unlimited[d] = rnd(&seed, 3) == 0;
        }
        ncz_grid_default_chunks(shape, unlimited, rank, item, NCZ_DEFAULT_CHUNK_BYTES, chunk);
        for (size_t d = 0; d < rank; d++) {
            assert_true(chunk[d] >= 1);
            assert_true(unlimited[d] || chunk[d] <= shape[d] || shape[d] == 0);
            nbytes *= (double)chunk[d];
        }
        assert_true(nbytes <= 4294967295.0);
    }
}
