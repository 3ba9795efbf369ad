/* SPDX-License-Identifier: BSD-3-Clause */
/* Rounding: how far each algorithm may move a value, what it leaves alone, and that bits really become zero. */
#include "dataset_test.h"
#include "zmap/zmap_mem.h"

#include <math.h>

#include "dataset/dataset_int.h"

enum { N = 2000 };

/* Values over many magnitudes, both signs, the same in each run. */
static void
values(double *v)
{
    uint64_t seed = 12345;

    for (int i = 0; i < N; i++) {
        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
        v[i] = ldexp((double)(seed >> 11) + 1, (int)(seed % 60) - 80) * (i % 2 == 0 ? 1 : -1);
    }
}

TEST(digits_are_kept)
{
    static double v[N], q[N];
    const double  fill = 1e300;

    values(v);
    for (int mode = NC_QUANTIZE_BITGROOM; mode <= NC_QUANTIZE_GRANULARBR; mode++)
        for (int nsd = 1; nsd <= NC_QUANTIZE_MAX_DOUBLE_NSD; nsd++) {
            memcpy(q, v, sizeof q);
            ncz_dataset_quantize(mode, nsd, ncz_type_of(NC_DOUBLE), q, N, &fill, 0);
            for (int i = 0; i < N; i++) { /* half a unit of the last digit that is kept; BitGroom a whole one */
                double unit = pow(10, floor(log10(fabs(v[i]))) + 1 - nsd);

                assert_true(fabs(q[i] - v[i]) <= unit * (mode == NC_QUANTIZE_BITGROOM ? 1 : 0.5000001));
            }
        }
}

TEST(bits_are_kept)
{
    static double v[N];
    static float  f[N];
    const float   fill = 1e30f;

    for (int keep = 1; keep <= NC_QUANTIZE_MAX_FLOAT_NSB; keep++) {
        values(v);
        for (int i = 0; i < N; i++)
            f[i] = (float)v[i];
        ncz_dataset_quantize(NC_QUANTIZE_BITROUND, keep, ncz_type_of(NC_FLOAT), f, N, &fill, 0);
        for (int i = 0; i < N; i++) {
            uint32_t bits;

            memcpy(&bits, &f[i], sizeof bits);
            assert_int_equal(bits & ((1u << (23 - keep)) - 1), 0);
            assert_true(fabs((double)f[i] - (double)(float)v[i]) <= ldexp(fabs(v[i]), -keep - 1) * 1.0000001);
        }
    }
}

TEST(some_stay_as_they_are)
{
    const float fill = 3.3333333f;
    float       v[6] = {3.3333333f, 0.0f, -0.0f, INFINITY, -INFINITY, NAN}, q[6];

    for (int mode = NC_QUANTIZE_BITGROOM; mode <= NC_QUANTIZE_BITROUND; mode++) {
        memcpy(q, v, sizeof q);
        ncz_dataset_quantize(mode, 1, ncz_type_of(NC_FLOAT), q, 6, &fill, 0);
        assert_memory_equal(q, v, sizeof q);
    }
}

/* ---- bit for bit what netCDF-C 4.9.0 and 4.9.3 make of these values ---- */

enum { NVALUES = 12 };

static const double known[NVALUES] = {
    1, 10, 100, 1000, 1e4, 1e5, 0.1, 0.001, 3.14159265358979, -2.71828182845905, 123456.789, 0.5};

static const struct {
    int      mode, nsd;
    uint32_t bits[NVALUES];
} known_floats[] = {
    {NC_QUANTIZE_BITGROOM,
     1,
     {0x3f800000, 0x4123ffff, 0x42c80000, 0x447bffff, 0x461c0000, 0x47c3ffff, 0x3dcc0000, 0x3a83ffff, 0x40480000,
      0xc02fffff, 0x47f00000, 0x3f03ffff}},
    {NC_QUANTIZE_BITGROOM,
     4,
     {0x3f800000, 0x412000ff, 0x42c80000, 0x447a00ff, 0x461c4000, 0x47c350ff, 0x3dcccc00, 0x3a8312ff, 0x40490f00,
      0xc02df8ff, 0x47f12000, 0x3f0000ff}},
    {NC_QUANTIZE_GRANULARBR,
     1,
     {0x3f800000, 0x41200000, 0x42d00000, 0x44800000, 0x46200000, 0x47c00000, 0x3e000000, 0x3a800000, 0x40400000,
      0xc0400000, 0x48000000, 0x3f000000}},
    {NC_QUANTIZE_GRANULARBR,
     2,
     {0x3f800000, 0x41200000, 0x42c80000, 0x447a0000, 0x461c0000, 0x47c30000, 0x3dd00000, 0x3a800000, 0x40480000,
      0xc02c0000, 0x47f00000, 0x3f000000}},
    {NC_QUANTIZE_GRANULARBR,
     3,
     {0x3f800000, 0x41200000, 0x42c80000, 0x447a0000, 0x461c4000, 0x47c36000, 0x3dcc0000, 0x3a830000, 0x40490000,
      0xc02e0000, 0x47f10000, 0x3f000000}},
    {NC_QUANTIZE_GRANULARBR,
     5,
     {0x3f800000, 0x41200000, 0x42c80000, 0x447a0000, 0x461c4000, 0x47c35000, 0x3dcccc00, 0x3a831200, 0x40491000,
      0xc02df800, 0x47f12000, 0x3f000000}},
    {NC_QUANTIZE_BITROUND,
     3,
     {0x3f800000, 0x41200000, 0x42d00000, 0x44800000, 0x46200000, 0x47c00000, 0x3dd00000, 0x3a800000, 0x40500000,
      0xc0300000, 0x47f00000, 0x3f000000}},
    {NC_QUANTIZE_BITROUND,
     12,
     {0x3f800000, 0x41200000, 0x42c80000, 0x447a0000, 0x461c4000, 0x47c35000, 0x3dccd000, 0x3a831000, 0x40491000,
      0xc02df800, 0x47f12000, 0x3f000000}},
};

static const struct {
    int      mode, nsd;
    uint64_t bits[NVALUES];
} known_doubles[] = {
    {NC_QUANTIZE_BITGROOM,
     1,
     {0x3ff0000000000000, 0x40247fffffffffff, 0x4059000000000000, 0x408f7fffffffffff, 0x40c3800000000000,
      0x40f87fffffffffff, 0x3fb9800000000000, 0x3f507fffffffffff, 0x4009000000000000, 0xc005ffffffffffff,
      0x40fe000000000000, 0x3fe07fffffffffff}},
    {NC_QUANTIZE_BITGROOM,
     4,
     {0x3ff0000000000000, 0x4024001fffffffff, 0x4059000000000000, 0x408f401fffffffff, 0x40c3880000000000,
      0x40f86a1fffffffff, 0x3fb9998000000000, 0x3f50625fffffffff, 0x400921e000000000, 0xc005bf1fffffffff,
      0x40fe240000000000, 0x3fe0001fffffffff}},
    {NC_QUANTIZE_GRANULARBR,
     1,
     {0x3ff0000000000000, 0x4024000000000000, 0x405a000000000000, 0x4090000000000000, 0x40c4000000000000,
      0x40f8000000000000, 0x3fc0000000000000, 0x3f50000000000000, 0x4008000000000000, 0xc008000000000000,
      0x4100000000000000, 0x3fe0000000000000}},
    {NC_QUANTIZE_GRANULARBR,
     2,
     {0x3ff0000000000000, 0x4024000000000000, 0x4059000000000000, 0x408f400000000000, 0x40c3800000000000,
      0x40f8600000000000, 0x3fba000000000000, 0x3f50000000000000, 0x4009000000000000, 0xc005800000000000,
      0x40fe000000000000, 0x3fe0000000000000}},
    {NC_QUANTIZE_GRANULARBR,
     3,
     {0x3ff0000000000000, 0x4024000000000000, 0x4059000000000000, 0x408f400000000000, 0x40c3880000000000,
      0x40f86c0000000000, 0x3fb9800000000000, 0x3f50600000000000, 0x4009200000000000, 0xc005c00000000000,
      0x40fe200000000000, 0x3fe0000000000000}},
    {NC_QUANTIZE_GRANULARBR,
     5,
     {0x3ff0000000000000, 0x4024000000000000, 0x4059000000000000, 0x408f400000000000, 0x40c3880000000000,
      0x40f86a0000000000, 0x3fb9998000000000, 0x3f50624000000000, 0x4009220000000000, 0xc005bf0000000000,
      0x40fe240000000000, 0x3fe0000000000000}},
    {NC_QUANTIZE_BITROUND,
     3,
     {0x3ff0000000000000, 0x4024000000000000, 0x405a000000000000, 0x4090000000000000, 0x40c4000000000000,
      0x40f8000000000000, 0x3fba000000000000, 0x3f50000000000000, 0x400a000000000000, 0xc006000000000000,
      0x40fe000000000000, 0x3fe0000000000000}},
    {NC_QUANTIZE_BITROUND,
     12,
     {0x3ff0000000000000, 0x4024000000000000, 0x4059000000000000, 0x408f400000000000, 0x40c3880000000000,
      0x40f86a0000000000, 0x3fb99a0000000000, 0x3f50620000000000, 0x4009220000000000, 0xc005bf0000000000,
      0x40fe240000000000, 0x3fe0000000000000}},
};

TEST(bits_are_those_of_netcdf_c)
{
    const float  float_fill = NC_FILL_FLOAT;
    const double fill = NC_FILL_DOUBLE;
    float        f[NVALUES];
    double       d[NVALUES];

    for (size_t r = 0; r < NCZ_LEN(known_floats); r++) {
        for (int i = 0; i < NVALUES; i++)
            f[i] = (float)known[i];
        ncz_dataset_quantize(known_floats[r].mode, known_floats[r].nsd, ncz_type_of(NC_FLOAT), f, NVALUES,
                             &float_fill, 0);
        assert_memory_equal(f, known_floats[r].bits, sizeof f);
        memcpy(d, known, sizeof d);
        ncz_dataset_quantize(known_doubles[r].mode, known_doubles[r].nsd, ncz_type_of(NC_DOUBLE), d, NVALUES, &fill,
                             0);
        assert_memory_equal(d, known_doubles[r].bits, sizeof d);
    }
}

/* ---- more than is rounded at once ---- */

enum { ROWS = 900, COLUMNS = 1500, CHUNK_ROWS = 64, CHUNK_COLUMNS = 70 };

static ncz_dataset *
with_quantized(int mode, uint64_t rows, uint64_t columns, const uint64_t *chunk, ncz_var **v)
{
    ncz_dataset *ds = NULL;
    ncz_dim     *d[2];
    ncz_model   *m;
    zmap        *map = NULL;

    OK(zmap_mem_open(&map));
    OK(ncz_dataset_create_map(map, "mode=nczarr", NC_CLOBBER, NULL, &ds));
    OK(zmap_close(map, ZMAP_KEEP));
    OK(def_dim(ds, "y", rows, &d[0]));
    OK(def_dim(ds, "x", columns, &d[1]));
    OK(ncz_dataset_begin(ds, NCZ_USE_DEFINE));
    m = ncz_dataset_model(ds);
    OK(ncz_dataset_add_var(ds, m->root, "v", ncz_type_of(NC_DOUBLE), 2, d, v));
    OK(ncz_var_set_chunks(m, *v, NC_CHUNKED, chunk));
    OK(ncz_dataset_set_quantize(ds, *v, mode, 3));
    OK(ncz_dataset_end(ds, NCZ_USE_DEFINE, NC_NOERR));
    return ds;
}

/* What is put in slabs is what it would be if it were rounded as a whole, transposed in memory or not. */
TEST(slabs_are_as_one)
{
    static const uint64_t chunks[][2] = {{CHUNK_ROWS, CHUNK_COLUMNS}, {ROWS, 1}, {1, COLUMNS}, {ROWS, COLUMNS}};
    const double          fill = NC_FILL_DOUBLE;
    const size_t          n = (size_t)ROWS * COLUMNS;
    double *in = malloc(n * sizeof *in), *want = malloc(n * sizeof *want), *out = malloc(n * sizeof *out);

    assert_true(in != NULL && want != NULL && out != NULL);
    for (int mode = NC_QUANTIZE_BITGROOM; mode <= NC_QUANTIZE_BITROUND; mode++)
        for (size_t c = 0; c < 2 * NCZ_LEN(chunks); c++) {
            const bool       across = c >= NCZ_LEN(chunks);
            const uint64_t   start[2] = {0, 0}, one[2] = {1, 1}, count[2] = {ROWS, COLUMNS};
            const ptrdiff_t  down[2] = {COLUMNS, 1}, turned[2] = {1, ROWS};
            const ncz_select from = {.rank = 2, .start = start, .count = count, .stride = one, .imap = down};
            const ncz_select to = {
                .rank = 2, .start = start, .count = count, .stride = one, .imap = across ? turned : down};
            ncz_var     *v = NULL;
            ncz_dataset *ds = with_quantized(mode, ROWS, COLUMNS, chunks[c % NCZ_LEN(chunks)], &v);

            for (size_t y = 0; y < ROWS; y++)
                for (size_t x = 0; x < COLUMNS; x++) {
                    want[y * COLUMNS + x] = 1.0 / (double)(y * COLUMNS + x + 3);
                    in[across ? x * ROWS + y : y * COLUMNS + x] = want[y * COLUMNS + x];
                }
            ncz_dataset_quantize(mode, 3, ncz_type_of(NC_DOUBLE), want, n, &fill, 0);
            OK(ncz_dataset_begin(ds, NCZ_USE_PUT_ALONE));
            OK(ncz_dataset_end(ds, NCZ_USE_PUT_ALONE, ncz_dataset_put(ds, v, &to, ncz_type_of(NC_DOUBLE), in)));
            OK(ncz_dataset_begin(ds, NCZ_USE_LOOK));
            OK(ncz_dataset_end(ds, NCZ_USE_LOOK, ncz_dataset_get(ds, v, &from, ncz_type_of(NC_DOUBLE), out)));
            assert_memory_equal(out, want, n * sizeof *out);
            OK(end(ds));
        }
    free(in);
    free(want);
    free(out);
}

/* Every third row and second column, from another type. */
TEST(slabs_with_strides)
{
    const uint64_t   chunk[2] = {70, 90}, start[2] = {1, 2}, stride[2] = {3, 2}, count[2] = {800, 1450};
    const ptrdiff_t  imap[2] = {(ptrdiff_t)count[1], 1};
    const ncz_select sel = {.rank = 2, .start = start, .count = count, .stride = stride, .imap = imap};
    const size_t     n = (size_t)(count[0] * count[1]);
    const double     fill = NC_FILL_DOUBLE;
    int64_t         *in = malloc(n * sizeof *in);
    double          *want = malloc(n * sizeof *want), *out = malloc(n * sizeof *out);
    ncz_var         *v = NULL;
    ncz_dataset     *ds = with_quantized(NC_QUANTIZE_BITGROOM, 2400, 2903, chunk, &v);

    assert_true(in != NULL && want != NULL && out != NULL);
    for (size_t i = 0; i < n; i++) {
        in[i] = (int64_t)(i * 7919 + 1);
        want[i] = (double)in[i];
    }
    ncz_dataset_quantize(NC_QUANTIZE_BITGROOM, 3, ncz_type_of(NC_DOUBLE), want, n, &fill, 0);
    OK(ncz_dataset_begin(ds, NCZ_USE_PUT_ALONE));
    OK(ncz_dataset_end(ds, NCZ_USE_PUT_ALONE, ncz_dataset_put(ds, v, &sel, ncz_type_of(NC_INT64), in)));
    OK(ncz_dataset_begin(ds, NCZ_USE_LOOK));
    OK(ncz_dataset_end(ds, NCZ_USE_LOOK, ncz_dataset_get(ds, v, &sel, ncz_type_of(NC_DOUBLE), out)));
    assert_memory_equal(out, want, n * sizeof *out);
    OK(end(ds));
    free(in);
    free(want);
    free(out);
}
