/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checked arithmetic on sizes. The result is written only when it fits.
 */
#include "util/util.h"

bool
ncz_mul(size_t a, size_t b, size_t *out)
{
    size_t r;

    if (__builtin_mul_overflow(a, b, &r))
        return false;
    *out = r;
    return true;
}

bool
ncz_add(size_t a, size_t b, size_t *out)
{
    size_t r;

    if (__builtin_add_overflow(a, b, &r))
        return false;
    *out = r;
    return true;
}

bool
ncz_mul64(uint64_t a, uint64_t b, uint64_t *out)
{
    uint64_t r;

    if (__builtin_mul_overflow(a, b, &r))
        return false;
    *out = r;
    return true;
}

bool
ncz_add64(uint64_t a, uint64_t b, uint64_t *out)
{
    uint64_t r;

    if (__builtin_add_overflow(a, b, &r))
        return false;
    *out = r;
    return true;
}
