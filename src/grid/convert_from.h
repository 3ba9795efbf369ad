/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * convert_from: the kernels from one type to all ten. Included by convert.c once for each source type, with FROM its
 * short name, FROM_T its C type and FROM_CLASS INT or FLT; so it has no include guard, and undefines them.
 *
 * Range errors are gathered without branches: the loops become vectors where the machine has the instructions.
 */
#define KERNEL(to, to_t, to_class)                                                         \
    static bool NCZ_PASTE(FROM, _to_##to)(const void *restrict src, void *restrict dst, size_t n) \
    {                                                                                      \
        const char *s = src;                                                               \
        char       *d = dst;                                                               \
        unsigned    bad = 0;                                                               \
                                                                                           \
        for (size_t i = 0; i < n; i++) {                                                   \
            FROM_T v;                                                                      \
            to_t   w;                                                                      \
                                                                                           \
            memcpy(&v, s + i * sizeof v, sizeof v);                                        \
            NCZ_PASTE(FROM_CLASS, _TO_##to_class)(to, to_t);                               \
            memcpy(d + i * sizeof w, &w, sizeof w);                                        \
        }                                                                                  \
        return bad != 0;                                                                   \
    }

KERNEL(i1, int8_t, INT)
KERNEL(i2, int16_t, INT)
KERNEL(i4, int32_t, INT)
KERNEL(i8, int64_t, INT)
KERNEL(u1, uint8_t, INT)
KERNEL(u2, uint16_t, INT)
KERNEL(u4, uint32_t, INT)
KERNEL(u8, uint64_t, INT)
KERNEL(f4, float, FLT)
KERNEL(f8, double, FLT)

#undef KERNEL
#undef FROM
#undef FROM_T
#undef FROM_CLASS
