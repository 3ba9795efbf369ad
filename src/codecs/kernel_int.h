/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The inner loops of src/filter that are worth vectorising: elements to byte planes and to bit planes, and
 * back, and the Fletcher checksum. They are pure functions on memory, which neither fail nor allocate. Each gives
 * the same bytes on every machine.
 *
 * A plane is one byte of each of `count` elements. `in` and `out` must not overlap.
 */
#ifndef NCZ_FILTER_KERNEL_INT_H
#define NCZ_FILTER_KERNEL_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Splits count * size bytes of elements into `size` planes, one after the other. */
void ncz_codec_spread(const void *in, size_t count, size_t size, void *out);

/* The inverse of ncz_codec_spread(). */
void ncz_codec_gather(const void *in, size_t count, size_t size, void *out);

/* The element sizes that ncz_codec_gather_apart() supports. */
static inline bool
ncz_codec_gathers_apart(size_t size)
{
    return size == 2 || size == 4 || size == 8;
}

/* The inverse of ncz_codec_spread(), for planes at any addresses. */
void ncz_codec_gather_apart(const unsigned char *const *planes, size_t count, size_t size, void *out);

/*
 * The inverse of blosc's bit shuffle. The input has eight bit planes for each byte of the elements, lowest bit first.
 * Each byte of a plane has the bits of eight elements, the first in its lowest bit. `count` is a multiple of 8.
 */
void ncz_codec_gather_bits(const void *in, size_t count, size_t size, void *out);

/* The reverse: bit planes from `count` elements, a multiple of 8. */
void ncz_codec_spread_bits(const void *in, size_t count, size_t size, void *out);

/* HDF5's Fletcher checksum. Words are big-endian pairs of bytes; an odd last byte is a word by itself. */
uint32_t ncz_codec_sum_fletcher32(const void *data, size_t n);

#endif /* NCZ_FILTER_KERNEL_INT_H */
