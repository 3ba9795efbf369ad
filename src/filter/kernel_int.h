/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The inner loops of src/filter that are worth a vector: elements into byte planes and back, bit planes back
 * into elements, the Fletcher checksum. Plain functions of memory to memory, that neither fail nor allocate; each
 * gives the same bytes on every machine.
 *
 * A plane is one byte of each of `count` elements. `in` and `out` must not overlap.
 */
#ifndef NCZ_FILTER_KERNEL_INT_H
#define NCZ_FILTER_KERNEL_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* count * size bytes of elements -> `size` planes, one after the other. */
void ncz_codec_spread(const void *in, size_t count, size_t size, void *out);

/* The way back. */
void ncz_codec_gather(const void *in, size_t count, size_t size, void *out);

/* The sizes that ncz_codec_gather_apart() takes. */
static inline bool
ncz_codec_gathers_apart(size_t size)
{
    return size == 2 || size == 4 || size == 8;
}

/* The way back from planes that stand anywhere. */
void ncz_codec_gather_apart(const unsigned char *const *planes, size_t count, size_t size, void *out);

/*
 * The way back from blosc's bit shuffle: of each byte of the elements eight planes of bits, lowest first, of which
 * each byte holds eight elements, the first in its lowest bit. `count` is a multiple of 8.
 */
void ncz_codec_gather_bits(const void *in, size_t count, size_t size, void *out);

/* HDF5's Fletcher checksum: words are pairs of bytes, the first the high half; an odd last byte is one by itself. */
uint32_t ncz_codec_sum_fletcher32(const void *data, size_t n);

#endif /* NCZ_FILTER_KERNEL_INT_H */
