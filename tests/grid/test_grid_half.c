/* SPDX-License-Identifier: BSD-3-Clause */
/* All 65536 halves, and every midpoint between two of them. */
#include "grid_test.h"
#include "contract/host.h"

#include <math.h>

static const ncz_dtype half = {NCZ_KIND_FLOAT, HOST_BIG, 2};
static const ncz_dtype half_swapped = {NCZ_KIND_FLOAT, !HOST_BIG, 2};

static double
by_definition(uint16_t h)
{
    int    exponent = h >> 10 & 31, mantissa = h & 0x3ff;
    double v;

    if (exponent == 31)
        v = mantissa != 0 ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        v = ldexp(mantissa, -24);
    else
        v = ldexp(1024 + mantissa, exponent - 25);
    return (h & 0x8000) != 0 ? -v : v;
}

TEST(all_out_and_back)
{
    for (unsigned i = 0; i < 65536; i++) {
        uint16_t h = (uint16_t)i, swapped = (uint16_t)(i << 8 | i >> 8), back = 0;
        double   want = by_definition(h), d = 0;
        float    f = 0, f2 = 0;

        assert_int_equal(ncz_convert_out(&half, &h, ncz_type_of(NC_FLOAT), &f, 1, false), NC_NOERR);
        assert_int_equal(ncz_convert_out(&half_swapped, &swapped, ncz_type_of(NC_FLOAT), &f2, 1, false), NC_NOERR);
        assert_int_equal(ncz_convert_out(&half, &h, ncz_type_of(NC_DOUBLE), &d, 1, false), NC_NOERR);
        if (isnan(want)) {
            assert_true(isnan(f) && isnan(f2) && isnan(d));
            assert_int_equal(ncz_convert_in(ncz_type_of(NC_FLOAT), &f, &half, &back, 1, false), NC_NOERR);
            assert_true(isnan(by_definition(back)));
            continue;
        }
        assert_true((double)f == want && (double)f2 == want && d == want && (signbit(d) != 0) == (h >> 15));
        assert_int_equal(ncz_convert_in(ncz_type_of(NC_FLOAT), &f, &half, &back, 1, false), NC_NOERR);
        assert_int_equal(back, h);
        assert_int_equal(ncz_convert_in(ncz_type_of(NC_DOUBLE), &d, &half_swapped, &back, 1, false), NC_NOERR);
        assert_int_equal(back, swapped);
    }
}

static uint16_t
in(double v, int rc)
{
    uint16_t h = 0;

    assert_int_equal(ncz_convert_in(ncz_type_of(NC_DOUBLE), &v, &half, &h, 1, false), rc);
    return h;
}

TEST(halves_round_to_even)
{
    for (uint16_t h = 0; h < 0x7bff; h++) {
        double middle = (by_definition(h) + by_definition((uint16_t)(h + 1))) / 2;

        assert_int_equal(in(middle, NC_NOERR), h % 2 == 0 ? h : h + 1);
        assert_int_equal(in(nextafter(middle, 0), NC_NOERR), h);
        assert_int_equal(in(nextafter(middle, 1e9), NC_NOERR), h + 1);
        assert_int_equal(in(-middle, NC_NOERR), (h % 2 == 0 ? h : h + 1) | 0x8000);
    }
    assert_int_equal(in(65504.0, NC_NOERR), 0x7bff);
    assert_int_equal(in(65519.9, NC_ERANGE), 0x7bff);
    assert_int_equal(in(65520.0, NC_ERANGE), 0x7c00);
    assert_int_equal(in(-1e300, NC_ERANGE), 0xfc00);
    assert_int_equal(in(5e-324, NC_NOERR), 0);
    assert_int_equal(in(-5e-324, NC_NOERR), 0x8000);
}

TEST(integers_become_halves_and_come_back)
{
    const int64_t big = INT64_C(9007199254740993);
    const int     many[] = {0, 1, 2049, 70000};
    uint16_t      h[4];
    int           back[4];

    assert_int_equal(ncz_convert_in(ncz_type_of(NC_INT64), &big, &half, h, 1, false), NC_ERANGE);
    assert_int_equal(h[0], 0x7c00);
    assert_int_equal(ncz_convert_in(ncz_type_of(NC_INT), many, &half, h, 3, false), NC_NOERR);
    assert_int_equal(ncz_convert_out(&half, h, ncz_type_of(NC_INT), back, 3, false), NC_NOERR);
    assert_int_equal(back[2], 2048);
    assert_int_equal(ncz_convert_in(ncz_type_of(NC_INT), many, &half, h, 4, false), NC_ERANGE);
    assert_int_equal(ncz_convert_out(&half, h, ncz_type_of(NC_INT), back, 4, false), NC_ERANGE);
    assert_int_equal(back[3], INT32_MIN);
}
