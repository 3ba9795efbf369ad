/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every pair of types against rules written a second time, in wider arithmetic; and the edges that were measured
 * on netCDF-C.
 */
#include "grid_test.h"
#include "contract/host.h"

#include <float.h>
#include <math.h>

/* Holds every value of every integer type: 64 bits of mantissa. */
typedef long double wide;
_Static_assert(LDBL_MANT_DIG >= 64, "long double holds all 8-byte integers");

static const nc_type numeric[] = {NC_BYTE,   NC_SHORT, NC_INT,    NC_INT64, NC_UBYTE,
                                  NC_USHORT, NC_UINT,  NC_UINT64, NC_FLOAT, NC_DOUBLE};

static bool
is_float(nc_type t)
{
    return t == NC_FLOAT || t == NC_DOUBLE;
}

static bool
is_unsigned(nc_type t)
{
    return t == NC_UBYTE || t == NC_USHORT || t == NC_UINT || t == NC_UINT64;
}

static wide
type_min(nc_type t)
{
    return is_unsigned(t) ? 0 : -ldexpl(1, 8 * (int)ncz_type_of(t)->size - 1);
}

static wide
type_max(nc_type t)
{
    return ldexpl(1, 8 * (int)ncz_type_of(t)->size - (is_unsigned(t) ? 0 : 1)) - 1;
}

/* A value of any type as we compute with it: an integer, or a double. */
typedef struct value {
    bool   fp;
    wide   i;
    double f;
} value;

/* Where in 8 bytes the low `size` ones begin. */
static size_t
low_bytes(size_t size)
{
    return HOST_BIG ? 8 - size : 0;
}

static value
load(nc_type t, const void *p)
{
    value    v = {.fp = is_float(t)};
    uint64_t bits = 0;
    size_t   size = ncz_type_of(t)->size;

    if (t == NC_FLOAT) {
        float f;

        memcpy(&f, p, sizeof f);
        v.f = f;
    } else if (t == NC_DOUBLE) {
        memcpy(&v.f, p, sizeof v.f);
    } else {
        memcpy((char *)&bits + low_bytes(size), p, size);
        v.i = (wide)bits;
        if (!is_unsigned(t) && v.i > type_max(t))
            v.i -= ldexpl(1, 8 * (int)size);
    }
    return v;
}

static void
store_bits(nc_type t, uint64_t bits, void *p)
{
    memcpy(p, (char *)&bits + low_bytes(ncz_type_of(t)->size), ncz_type_of(t)->size);
}

static void
store(nc_type t, wide v, void *p)
{
    store_bits(t, v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v, p);
}

/* Through 32 bits, or 64 where 32 are not enough; out of that: the smallest. */
static wide
truncated(nc_type to, double v)
{
    nc_type through = to == NC_UINT || to == NC_INT64 || to == NC_UINT64 ? NC_INT64 : NC_INT;

    if (isnan(v) || fabs(v) >= 0x1p64)
        return to == NC_UINT64 && !isnan(v) && v > 0 ? 0 : type_min(through);
    if (to == NC_UINT64 && v >= 0x1p63)
        return truncl(v);
    return truncl(v) >= type_min(through) && truncl(v) <= type_max(through) ? truncl(v) : type_min(through);
}

/* The expected bytes; true when the value is out of range. */
static bool
expect(nc_type from, const void *src, nc_type to, void *dst)
{
    value v = load(from, src);

    if (!is_float(to) && !v.fp) {
        store(to, v.i, dst);
        return v.i < type_min(to) || v.i > type_max(to);
    }
    if (!is_float(to)) {
        store(to, truncated(to, v.f), dst);
        if (isnan(v.f))
            return false;
        if (fabs(v.f) >= 0x1p64)
            return true;
        return v.f < (double)type_min(to) || v.f > type_max(to);
    }
    if (to == NC_DOUBLE) {
        double d = v.fp ? v.f : (double)v.i;

        memcpy(dst, &d, sizeof d);
        return false;
    }
    {
        float f = v.fp ? (float)v.f : (float)v.i;

        memcpy(dst, &f, sizeof f);
        return v.fp && fabs(v.f) > (double)FLT_MAX;
    }
}

static size_t
edges(nc_type t, unsigned char *out)
{
    static const double fs[] = {0.0,
                                -0.0,
                                0.5,
                                -0.5,
                                1.0,
                                1.9,
                                -1.9,
                                127.0,
                                127.5,
                                128.0,
                                -128.0,
                                -128.5,
                                -129.0,
                                255.0,
                                255.5,
                                256.0,
                                300.0,
                                32767.0,
                                32767.9,
                                32768.0,
                                -32768.0,
                                -32769.0,
                                65535.0,
                                65535.5,
                                65536.0,
                                1e5,
                                2147483647.0,
                                2147483647.5,
                                2147483648.0,
                                -2147483648.0,
                                -2147483648.9,
                                -2147483649.0,
                                4294967295.0,
                                4294967295.5,
                                4294967296.0,
                                5e9,
                                -5e9,
                                0x1p53,
                                0x1p63,
                                -0x1p63,
                                0x1.fffffffffffffp62,
                                0x1p64,
                                0x1.fffffffffffffp63,
                                -0x1.0000000000001p63,
                                1e20,
                                -1e20,
                                1e300,
                                -1e300,
                                1e-50,
                                5e-324,
                                3.4028234663852886e38,
                                3.4028235e38,
                                3.4028235677973362e38,
                                3.4028235677973366e38,
                                3.4028236e38,
                                1e39,
                                -1e39,
                                INFINITY,
                                -INFINITY,
                                NAN,
                                9.9692099683868690e+36};
    size_t              n = 0, size = ncz_type_of(t)->size;

    if (t == NC_DOUBLE) {
        memcpy(out, fs, sizeof fs);
        return NCZ_LEN(fs);
    }
    if (t == NC_FLOAT) {
        for (; n < NCZ_LEN(fs); n++) {
            float f = fabs(fs[n]) > (double)FLT_MAX && !isinf(fs[n]) ? FLT_MAX : (float)fs[n];

            memcpy(out + n * size, &f, size);
        }
        return n;
    }
    for (unsigned bit = 0; bit <= 8 * size; bit++) {
        for (int d = -2; d <= 2; d++) {
            uint64_t power = bit < 64 ? (uint64_t)1 << bit : 0;

            store_bits(t, power + (uint64_t)d, out + n++ * size);
            store_bits(t, (uint64_t)d - power, out + n++ * size);
        }
    }
    return n;
}

static void
one_pair(nc_type from, nc_type to)
{
    static unsigned char src[1024 * 8], got[1024 * 8], want[1024 * 8];
    size_t               n = edges(from, src), fs = ncz_type_of(from)->size, ts = ncz_type_of(to)->size;
    bool                 any = false;

    for (size_t i = 0; i < n; i++) {
        bool bad = expect(from, src + i * fs, to, want + i * ts);
        int  rc = ncz_convert(ncz_type_of(from), src + i * fs, ncz_type_of(to), got + i * ts, 1, false);

        any = any || bad;
        if (rc != (bad && from != to ? NC_ERANGE : NC_NOERR))
            fail_msg("%d to %d, value %zu: status %d", from, to, i, rc);
        if (is_float(to) && isnan(load(to, want + i * ts).f)) {
            assert_true(isnan(load(to, got + i * ts).f));
            memcpy(want + i * ts, got + i * ts, ts);
        }
        if (memcmp(got + i * ts, want + i * ts, ts) != 0)
            fail_msg("%d to %d, value %zu is wrong", from, to, i);
    }
    /* all at once, more than one block of them, and from an odd address */
    memset(got, 0xAA, sizeof got);
    {
        unsigned char *odd = malloc(n * fs * 5 + 1), *dst = malloc(n * ts * 5 + 3);

        for (int k = 0; k < 5; k++)
            memcpy(odd + 1 + (size_t)k * n * fs, src, n * fs);
        assert_int_equal(ncz_convert(ncz_type_of(from), odd + 1, ncz_type_of(to), dst + 3, 5 * n, false),
                         any && from != to ? NC_ERANGE : NC_NOERR);
        for (size_t i = 0; i < 5 * n; i++) {
            if (!is_float(to) || !isnan(load(to, want + i % n * ts).f))
                assert_memory_equal(dst + 3 + i * ts, want + i % n * ts, ts);
        }
        free(odd);
        free(dst);
    }
}

TEST(all_pairs)
{
    for (size_t i = 0; i < NCZ_LEN(numeric); i++) {
        for (size_t k = 0; k < NCZ_LEN(numeric); k++)
            one_pair(numeric[i], numeric[k]);
    }
}

TEST(reference_edges)
{
    static const struct {
        double v;
        int    rc, want;
    } to_int[] = {
        {1.9, 0, 1},
        {-0.5, 0, 0},
        {2147483647.0, 0, 2147483647},
        {2147483648.0, NC_ERANGE, INT32_MIN},
        {-2147483648.9, NC_ERANGE, INT32_MIN},
        {NAN, 0, INT32_MIN},
        {INFINITY, NC_ERANGE, INT32_MIN},
    };
    static const struct {
        double v;
        int    rc;
        float  want;
    } to_float[] = {
        {INFINITY, NC_ERANGE, INFINITY},
        {1e39, NC_ERANGE, INFINITY},
        {3.4028236e38, NC_ERANGE, INFINITY},
        {3.4028235e38, NC_ERANGE, FLT_MAX},
        {1e-50, 0, 0},
        {(double)FLT_MAX, 0, FLT_MAX},
    };
    double nan_in = NAN;
    float  f;

    for (size_t i = 0; i < NCZ_LEN(to_int); i++) {
        int got = 77;

        assert_int_equal(ncz_convert(ncz_type_of(NC_DOUBLE), &to_int[i].v, ncz_type_of(NC_INT), &got, 1, false),
                         to_int[i].rc);
        assert_int_equal(got, to_int[i].want);
    }
    for (size_t i = 0; i < NCZ_LEN(to_float); i++) {
        assert_int_equal(ncz_convert(ncz_type_of(NC_DOUBLE), &to_float[i].v, ncz_type_of(NC_FLOAT), &f, 1, false),
                         to_float[i].rc);
        assert_true(f == to_float[i].want);
    }
    assert_int_equal(ncz_convert(ncz_type_of(NC_DOUBLE), &nan_in, ncz_type_of(NC_FLOAT), &f, 1, false), 0);
    assert_true(isnan(f));
}

TEST(integers_wrap_and_report_it)
{
    const int     ints[] = {1, 2, 300, 200, -1};
    signed char   sc[5];
    unsigned char uc[5];

    assert_int_equal(ncz_convert(ncz_type_of(NC_INT), ints, ncz_type_of(NC_BYTE), sc, 5, false), NC_ERANGE);
    assert_int_equal(sc[2], 44);
    assert_int_equal(sc[3], -56);
    assert_int_equal(ncz_convert(ncz_type_of(NC_INT), ints, ncz_type_of(NC_UBYTE), uc, 5, false), NC_ERANGE);
    assert_int_equal(uc[4], 255);
}

TEST(classic_bytes)
{
    const signed char   sc[] = {-1, 5};
    const unsigned char uc[] = {200, 5};
    unsigned char       u[2];
    signed char         s[2];

    assert_int_equal(ncz_convert(ncz_type_of(NC_BYTE), sc, ncz_type_of(NC_UBYTE), u, 2, false), NC_ERANGE);
    assert_int_equal(ncz_convert(ncz_type_of(NC_BYTE), sc, ncz_type_of(NC_UBYTE), u, 2, true), NC_NOERR);
    assert_int_equal(u[0], 255);
    assert_int_equal(ncz_convert(ncz_type_of(NC_UBYTE), uc, ncz_type_of(NC_BYTE), s, 2, false), NC_ERANGE);
    assert_int_equal(ncz_convert(ncz_type_of(NC_UBYTE), uc, ncz_type_of(NC_BYTE), s, 2, true), NC_NOERR);
    assert_int_equal(s[0], -56);
    assert_int_equal(ncz_convert(ncz_type_of(NC_SHORT), (int16_t[]){300}, ncz_type_of(NC_BYTE), s, 1, true),
                     NC_ERANGE);
}

TEST(text_and_numbers)
{
    char        text[4] = "abc", out[4] = {0};
    const char *s = "x";
    char       *copy = NULL;
    int         i = 5;

    assert_int_equal(ncz_convert(ncz_type_of(NC_CHAR), text, ncz_type_of(NC_CHAR), out, 4, false), NC_NOERR);
    assert_string_equal(out, "abc");
    assert_int_equal(ncz_convert(ncz_type_of(NC_CHAR), text, ncz_type_of(NC_INT), &i, 1, false), NC_ECHAR);
    assert_int_equal(ncz_convert(ncz_type_of(NC_INT), &i, ncz_type_of(NC_CHAR), out, 1, false), NC_ECHAR);
    assert_int_equal(ncz_convert(ncz_type_of(NC_STRING), &s, ncz_type_of(NC_INT), &i, 1, false), NC_EBADTYPE);
    assert_int_equal(ncz_convert(ncz_type_of(NC_CHAR), text, ncz_type_of(NC_STRING), &s, 1, false), NC_EBADTYPE);
    assert_int_equal(ncz_convert(ncz_type_of(NC_STRING), &s, ncz_type_of(NC_STRING), &copy, 1, false), NC_NOERR);
    assert_string_equal(copy, "x");
    assert_ptr_not_equal(copy, s);
    ncz_free(copy);
    assert_int_equal(ncz_convert(ncz_type_of(NC_NAT), &i, ncz_type_of(NC_NAT), out, 1, false), NC_EBADTYPE);
    assert_int_equal(ncz_convert(ncz_type_of(NC_INT), &i, ncz_type_of(NC_NAT), out, 1, false), NC_EBADTYPE);
    assert_int_equal(ncz_convert(ncz_type_of(99), &i, ncz_type_of(NC_INT), out, 1, false), NC_EBADTYPE);
    assert_int_equal(i, 5);
    assert_string_equal(out, "abc");
}

/* Both byte orders of each stored type, to and from its own memory type and double. */
TEST(byte_orders)
{
    for (size_t k = 0; k < NCZ_LEN(numeric); k++) {
        nc_type t = numeric[k];
        size_t  size = ncz_type_of(t)->size;
        double  ds[600], back[600];
        char    le[600 * 8], be[600 * 8], again[2][600 * 8];

        for (size_t i = 0; i < 600; i++)
            ds[i] = (double)(i % 120);
        for (int big = 0; big < 2; big++) {
            ncz_dtype d = ncz_dtype_of(ncz_type_of(t), big != 0, 0);

            assert_int_equal(ncz_convert_in(ncz_type_of(NC_DOUBLE), ds, &d, big ? be : le, 600, false), NC_NOERR);
            assert_int_equal(ncz_convert_out(&d, big ? be : le, ncz_type_of(NC_DOUBLE), back, 600, false), NC_NOERR);
            assert_memory_equal(ds, back, sizeof ds);
            assert_int_equal(ncz_convert_out(&d, big ? be : le, ncz_type_of(t), again[big], 600, false), NC_NOERR);
            assert_int_equal(ncz_convert_in(ncz_type_of(t), again[big], &d, again[big], 0, false), NC_NOERR);
        }
        for (int big = 0; big < 2; big++)
            assert_memory_equal(again[big], HOST_BIG ? be : le, 600 * size);
        for (size_t i = 0; i < 600 * size; i++)
            assert_int_equal(be[i], le[i / size * size + (size - 1 - i % size)]);
    }
}
