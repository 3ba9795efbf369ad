/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_quantize: lossy rounding of floating-point values for better compression. Three published algorithms:
 * BitGroom (Zender 2016), Granular BitRound (after Delaunay et al. 2019), BitRound (Kloewer et al. 2021). Values
 * equal to the fill value, zeros, NaN and infinities are unchanged. Pure functions; any thread.
 */
#include "dataset/dataset_int.h"
#include "util/rounding.h"

#include <math.h>
#include <string.h>

#define MANTISSA_FLOAT  23
#define MANTISSA_DOUBLE 52

/* Used as factors, never as divisors: powers of ten are exactly on an edge, where the rounding must match other
 * writers'. */
static const double log2_of_10 = 3.3219280948873626;  /* 2.302585092994046 / 0.6931471805599453 */
static const double log10_of_2 = 0.30102999566398114; /* 0.6931471805599453 / 2.302585092994046 */

/* Rounds to `keep` of `all` explicit mantissa bits: adds half of the last kept bit, and clears the rest. */
static uint64_t
round_bits(uint64_t bits, int all, int keep)
{
    int zero = all - keep;

    if (zero <= 0)
        return bits;
    bits += (uint64_t)1 << (zero - 1);
    return bits & ~(((uint64_t)1 << zero) - 1);
}

/* Clears the low bits at even positions and sets them at odd ones, so that means are preserved. */
static uint64_t
groom_bits(uint64_t bits, int all, int keep, uint64_t place)
{
    uint64_t low;

    if (keep >= all)
        return bits;
    low = ((uint64_t)1 << (all - keep)) - 1;
    return place % 2 == 0 ? bits & ~low : bits | low;
}

/*
 * The mantissa bits that keep `nsd` decimal digits of this value. It is in [2^(e-1), 2^e), with `digits` digits
 * before the point. With k bits kept neighbours are 2^(e-1-k) apart, which must not exceed 10^(digits - nsd).
 */
static int
bits_for_digits(double value, int nsd)
{
    int    e, digits, keep;
    double mantissa = frexp(fabs(value), &e), log = ncz_as_double(log10(mantissa));

    digits = (int)floor(ncz_as_double(ncz_as_double(e * log10_of_2) + log)) + 1;
    keep = (int)floor(ncz_as_double(e - ncz_as_double(log2_of_10 * log))) - 1 -
           (int)floor(ncz_as_double((digits - nsd) * log2_of_10));
    return keep < 0 ? 0 : keep;
}

static uint64_t
quantize_bits(uint64_t bits, double value, int mode, int nsd, int all, uint64_t place)
{
    switch (mode) {
    case NC_QUANTIZE_BITROUND: return round_bits(bits, all, nsd);
    case NC_QUANTIZE_GRANULARBR: return round_bits(bits, all, bits_for_digits(value, nsd));
    case NC_QUANTIZE_BITGROOM: return groom_bits(bits, all, (int)ceil(ncz_as_double(nsd * log2_of_10)) + 1, place);
    default: return bits;
    }
}

static void
quantize_floats(int mode, int nsd, float *v, size_t n, float fill, uint64_t place)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;

        if (v[i] == fill || v[i] == 0 || !isfinite(v[i]))
            continue;
        memcpy(&bits, &v[i], sizeof bits);
        bits = (uint32_t)quantize_bits(bits, v[i], mode, nsd, MANTISSA_FLOAT, place + i);
        memcpy(&v[i], &bits, sizeof bits);
    }
}

static void
quantize_doubles(int mode, int nsd, double *v, size_t n, double fill, uint64_t place)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;

        if (v[i] == fill || v[i] == 0 || !isfinite(v[i]))
            continue;
        memcpy(&bits, &v[i], sizeof bits);
        bits = quantize_bits(bits, v[i], mode, nsd, MANTISSA_DOUBLE, place + i);
        memcpy(&v[i], &bits, sizeof bits);
    }
}

void
ncz_dataset_quantize(int mode, int nsd, const ncz_type *type, void *data, size_t n, const void *fill, uint64_t place)
{
    unsigned before = ncz_rounding_begin();

    if (type->id == NC_FLOAT)
        quantize_floats(mode, nsd, data, n, *(const float *)fill, place);
    else if (type->id == NC_DOUBLE)
        quantize_doubles(mode, nsd, data, n, *(const double *)fill, place);
    ncz_rounding_end(before);
}
