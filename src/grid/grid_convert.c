/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_convert: kernels from each numeric type to each other, on packed native elements. Their body is
 * convert_from.inc.
 *
 * The rules are netCDF's on x86. Integers wrap. Floating to integer truncates. A value that does not fit a 32-bit
 * integer (for 8, 16 and 32 bits) or a 64-bit one becomes the smallest such integer, of which the low bits are kept.
 * The range check compares before truncation, so 255.5 is out of range for a ubyte, and NaN is never out of range.
 * The code implements all of this explicitly: no cast depends on the machine's behaviour for a value that does not
 * fit.
 */
#include "grid/grid_int.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Casting a double to an integer type is undefined unless the truncated value fits, so select first, then cast. */
static inline int32_t
trunc32(double v)
{
    return (int32_t)(v > -2147483649.0 && v < 2147483648.0 ? v : -2147483648.0);
}

static inline int64_t
trunc64(double v)
{
    return (int64_t)(v >= -0x1p63 && v < 0x1p63 ? v : -0x1p63);
}

static inline uint64_t
truncu64(double v)
{
    if (v >= 0x1p63)
        return (uint64_t)(v < 0x1p64 ? v : 0);
    return (uint64_t)trunc64(v);
}

/* FLT_MAX + half a unit: the smallest value that rounds to infinity. */
#define FLOAT_HALFWAY 0x1.ffffffp127

static inline float
narrow_double(double v, unsigned *bad)
{
    double a = fabs(v);

    *bad |= a > FLT_MAX; /* not NC_MAX_FLOAT: its fewer digits differ under excess precision */
    a = a >= FLOAT_HALFWAY ? (double)INFINITY : a > FLT_MAX ? (double)FLT_MAX : a;
    return (float)copysign(a, v);
}

/* Limits of the integer types as doubles. A maximum above 2^53 is no double, so its limit is one higher. */
#define LOW_i1      -128.0
#define LOW_i2      -32768.0
#define LOW_i4      -2147483648.0
#define LOW_i8      -0x1p63
#define LOW_u1      0.0
#define LOW_u2      0.0
#define LOW_u4      0.0
#define LOW_u8      0.0
#define ABOVE_i1(x) ((x) > 127.0)
#define ABOVE_i2(x) ((x) > 32767.0)
#define ABOVE_i4(x) ((x) > 2147483647.0)
#define ABOVE_i8(x) ((x) >= 0x1p63)
#define ABOVE_u1(x) ((x) > 255.0)
#define ABOVE_u2(x) ((x) > 65535.0)
#define ABOVE_u4(x) ((x) > 4294967295.0)
#define ABOVE_u8(x) ((x) >= 0x1p64)
#define TRUNC_i1    trunc32
#define TRUNC_i2    trunc32
#define TRUNC_i4    trunc32
#define TRUNC_i8    trunc64
#define TRUNC_u1    trunc32
#define TRUNC_u2    trunc32
#define TRUNC_u4    trunc64
#define TRUNC_u8    truncu64
#define NEG_i1(v)   ((v) < 0)
#define NEG_i2(v)   ((v) < 0)
#define NEG_i4(v)   ((v) < 0)
#define NEG_i8(v)   ((v) < 0)
#define NEG_u1(v)   false
#define NEG_u2(v)   false
#define NEG_u4(v)   false
#define NEG_u8(v)   false

/* Converts one element v (of type FROM_T) to w, by the classes of the two types; see convert_from.inc. */
#define INT_TO_INT(to, to_t)                                                                                         \
    do {                                                                                                             \
        w = (to_t)v;                                                                                                 \
        bad |= (unsigned)((FROM_T)w != v) | (unsigned)(NEG_##to(w) != NCZ_PASTE(NEG_, FROM)(v));                     \
    } while (0)
#define INT_TO_FLT(to, to_t) (w = (to_t)v)
#define FLT_TO_INT(to, to_t)                                                                                         \
    do {                                                                                                             \
        double x = (double)v;                                                                                        \
                                                                                                                     \
        bad |= (unsigned)(x < LOW_##to) | (unsigned)ABOVE_##to(x);                                                   \
        w = (to_t)TRUNC_##to(x);                                                                                     \
    } while (0)
#define FLT_TO_FLT(to, to_t) NARROW_##to()
#define NARROW_f4()          (w = narrow_double((double)v, &bad))
#define NARROW_f8()          (w = (double)v)

#define NCZ_PASTE(a, b)  NCZ_PASTE2(a, b)
#define NCZ_PASTE2(a, b) a##b

#define FROM       i1
#define FROM_T     int8_t
#define FROM_CLASS INT
#include "grid/convert_from.inc"
#define FROM       i2
#define FROM_T     int16_t
#define FROM_CLASS INT
#include "grid/convert_from.inc"
#define FROM       i4
#define FROM_T     int32_t
#define FROM_CLASS INT
#include "grid/convert_from.inc"
#define FROM       i8
#define FROM_T     int64_t
#define FROM_CLASS INT
#include "grid/convert_from.inc"
#define FROM       u1
#define FROM_T     uint8_t
#define FROM_CLASS INT
#include "grid/convert_from.inc"
#define FROM       u2
#define FROM_T     uint16_t
#define FROM_CLASS INT
#include "grid/convert_from.inc"
#define FROM       u4
#define FROM_T     uint32_t
#define FROM_CLASS INT
#include "grid/convert_from.inc"
#define FROM       u8
#define FROM_T     uint64_t
#define FROM_CLASS INT
#include "grid/convert_from.inc"
#define FROM       f4
#define FROM_T     float
#define FROM_CLASS FLT
#include "grid/convert_from.inc"
#define FROM       f8
#define FROM_T     double
#define FROM_CLASS FLT
#include "grid/convert_from.inc"

#define ROW(from)                                                                                                    \
    {                                                                                                                \
        [NC_BYTE] = from##_to_i1, [NC_SHORT] = from##_to_i2, [NC_INT] = from##_to_i4, [NC_INT64] = from##_to_i8,     \
        [NC_UBYTE] = from##_to_u1, [NC_USHORT] = from##_to_u2, [NC_UINT] = from##_to_u4, [NC_UINT64] = from##_to_u8, \
        [NC_FLOAT] = from##_to_f4, [NC_DOUBLE] = from##_to_f8,                                                       \
    }

static const ncz_conv_fn table[NC_STRING + 1][NC_STRING + 1] = {
    [NC_BYTE] = ROW(i1),   [NC_SHORT] = ROW(i2), [NC_INT] = ROW(i4),    [NC_INT64] = ROW(i8), [NC_UBYTE] = ROW(u1),
    [NC_USHORT] = ROW(u2), [NC_UINT] = ROW(u4),  [NC_UINT64] = ROW(u8), [NC_FLOAT] = ROW(f4), [NC_DOUBLE] = ROW(f8),
};

/* Shorts of floating numbers, as packed variables have them: compilers make no vectors of that. */
static bool
f8_to_i2_wide(const void *restrict src, void *restrict dst, size_t n)
{
    bool   bad = false;
    size_t done = ncz_vector_to_short(src, sizeof(double), dst, n, &bad);

    return f8_to_i2((const double *)src + done, (int16_t *)dst + done, n - done) || bad;
}

static bool
f4_to_i2_wide(const void *restrict src, void *restrict dst, size_t n)
{
    bool   bad = false;
    size_t done = ncz_vector_to_short(src, sizeof(float), dst, n, &bad);

    return f4_to_i2((const float *)src + done, (int16_t *)dst + done, n - done) || bad;
}

/* Floats of doubles: wide registers take those that fit, and of the others come a few at a time. */
static bool
f8_to_f4_wide(const void *restrict src, void *restrict dst, size_t n)
{
    const double *from = src;
    float        *to = dst;
    bool          bad = false;

    for (size_t done = 0, some; done < n; done += some) {
        done += ncz_vector_to_float(from + done, to + done, n - done);
        some = n - done < 64 ? n - done : 64;
        bad = f8_to_f4(from + done, to + done, some) || bad;
    }
    return bad;
}

ncz_conv_fn
ncz_grid_conv(const ncz_type *from, const ncz_type *to)
{
    if (to->id == NC_FLOAT && from->id == NC_DOUBLE)
        return f8_to_f4_wide;
    if (to->id == NC_SHORT && (from->id == NC_DOUBLE || from->id == NC_FLOAT))
        return from->id == NC_DOUBLE ? f8_to_i2_wide : f4_to_i2_wide;
    return ncz_type_is_number(from) && ncz_type_is_number(to) ? table[from->id][to->id] : NULL;
}
