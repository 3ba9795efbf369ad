/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rounding after every operation, so that every machine gets the same bits. Compilers may keep intermediate
 * results with more precision than their type has (FLT_EVAL_METHOD): gcc computes floats as doubles on s390x, and both
 * gcc and clang use x87's 80 bits for i386 without SSE2.
 */
#ifndef NCZ_ROUNDING_H
#define NCZ_ROUNDING_H

#include <float.h>

/* The value rounded to its type. With excess precision it goes through memory: a cast is not enough for clang. */
static inline float
ncz_as_float(float v)
{
#if FLT_EVAL_METHOD == 0
    return v;
#else
    volatile float rounded = v;

    return rounded;
#endif
}

static inline double
ncz_as_double(double v)
{
#if FLT_EVAL_METHOD == 0
    return v;
#else
    volatile double rounded = v;

    return rounded;
#endif
}

/*
 * x87 rounds to 64 bits of mantissa, and storing a double rounds a second time, which can go the wrong way. Between
 * these two calls x87 rounds to a double's 53 bits; for floats 53 are so many more than 24 that two roundings agree
 * with one. The state belongs to the calling thread.
 */
static inline unsigned
ncz_rounding_begin(void)
{
#if defined(__i386__) && !defined(__SSE2_MATH__)
    unsigned short before, narrow;

    __asm__ volatile("fnstcw %0" : "=m"(before) : : "memory");
    narrow = (unsigned short)((before & ~0x300u) | 0x200u);
    __asm__ volatile("fldcw %0" : : "m"(narrow) : "memory");
    return before;
#else
    return 0;
#endif
}

static inline void
ncz_rounding_end(unsigned before)
{
#if defined(__i386__) && !defined(__SSE2_MATH__)
    unsigned short word = (unsigned short)before;

    __asm__ volatile("fldcw %0" : : "m"(word) : "memory");
#else
    (void)before;
#endif
}

#endif /* NCZ_ROUNDING_H */
