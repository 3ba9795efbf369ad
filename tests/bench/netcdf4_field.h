/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * netcdf4_field: the values of the rows that write netCDF-4 files: a smooth field and fourteen bits of noise, in
 * steps of 1/1024, which shuffle and deflate halve. Integer arithmetic makes them.
 */
#ifndef BENCH_NETCDF4_FIELD_H
#define BENCH_NETCDF4_FIELD_H

#include <stddef.h>
#include <stdint.h>

enum { FIELD_Z = 128, FIELD_Y = 1024, FIELD_X = 1024 };

static inline size_t
field_planes(size_t divisor)
{
    return FIELD_Z / divisor > 2 ? FIELD_Z / divisor : 2;
}

static inline float
field_value(size_t i)
{
    uint32_t h = (uint32_t)i * 2654435761u;

    h ^= h >> 15;
    h *= 2246822519u;
    return (float)((int32_t)(i % 4096 * 16) + (int32_t)((h >> 16) & 16383) + 262144) / 1024;
}

static inline void
field_line(float *f, size_t n)
{
    for (size_t i = 0; i < n; i++)
        f[i] = field_value(i);
}

static inline void
field_make(float *f, size_t planes)
{
    field_line(f, planes * FIELD_Y * FIELD_X);
}

#endif /* BENCH_NETCDF4_FIELD_H */
