/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_half: IEEE 754 half precision in integer arithmetic, so that neither the rounding mode nor flushing of
 * subnormals affects the stored bits. The input is double: each value close to a half is exact in a double.
 */
#include "grid/grid_int.h"

#include <math.h>
#include <string.h>

#define HALF_MAX 65504.0

static float
half_to_float(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, mantissa = h & 0x3ff, bits;
    float    v;

    if (exponent == 0) {
        v = (float)mantissa * 0x1p-24f;
        return sign != 0 ? -v : v;
    }
    bits = sign | (exponent == 31 ? 255 : exponent + 112) << 23 | mantissa << 13;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static uint16_t
double_to_half(double v)
{
    uint64_t bits, mantissa, q, rest, middle;
    unsigned sign, shift;
    int      exponent;

    memcpy(&bits, &v, sizeof bits);
    sign = (unsigned)(bits >> 48) & 0x8000;
    exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    mantissa = (bits & 0xfffffffffffff) | 0x10000000000000;
    if (exponent == 1024 && (bits & 0xfffffffffffff) != 0)
        return (uint16_t)(sign | 0x7e00 | (unsigned)(bits >> 42 & 0x3ff));
    if (exponent > 15)
        return (uint16_t)(sign | 0x7c00);
    if (exponent < -25)
        return (uint16_t)sign;

    shift = exponent >= -14 ? 42 : (unsigned)(42 - 14 - exponent);
    q = mantissa >> shift;
    rest = mantissa & ((UINT64_C(1) << shift) - 1);
    middle = UINT64_C(1) << (shift - 1);
    q += rest > middle || (rest == middle && (q & 1) != 0);
    /* q includes the leading one bit, which adds one to the exponent, as does a carry out of the mantissa */
    if (exponent >= -14)
        q += (uint64_t)(exponent + 14) << 10;
    return (uint16_t)(sign | (unsigned)q);
}

void
ncz_grid_half_out(const void *src, void *dst, size_t n)
{
    const char *s = src;
    char       *d = dst;

    for (size_t i = 0; i < n; i++) {
        uint16_t h;
        float    v;

        memcpy(&h, s + i * sizeof h, sizeof h);
        v = half_to_float(h);
        memcpy(d + i * sizeof v, &v, sizeof v);
    }
}

bool
ncz_grid_half_in(const void *src, void *dst, size_t n)
{
    const char *s = src;
    char       *d = dst;
    bool        bad = false;

    for (size_t i = 0; i < n; i++) {
        double   v;
        uint16_t h;

        memcpy(&v, s + i * sizeof v, sizeof v);
        bad = bad || (fabs(v) > HALF_MAX && !isinf(v)); /* a half can be infinite */
        h = double_to_half(v);
        memcpy(d + i * sizeof h, &h, sizeof h);
    }
    return bad;
}
