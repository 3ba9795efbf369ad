/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json_skip_x86_64: skips over a container 64 bytes at a time, with instructions that every x86-64 has. Each byte of a
 * block has a bit; which bytes are between quotes follows from the quotes by a running exclusive or. Strings are
 * searched 16 bytes at a time.
 */
#include "json/json_int.h"

#include <emmintrin.h>

typedef struct marks {
    uint64_t quotes, escapes, opening, closing;
} marks;

static inline uint64_t
find_byte(__m128i bytes, char c)
{
    return (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)));
}

static inline marks
find_marks(const char *s)
{
    marks m = {.quotes = 0};

    for (unsigned i = 0; i < JSON_BLOCK; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(s + i));
        __m128i folded =
            _mm_or_si128(bytes, _mm_set1_epi8(0x20)); /* square brackets become curly ones, and no other */

        m.quotes |= find_byte(bytes, '"') << i;
        m.escapes |= find_byte(bytes, '\\') << i;
        m.opening |= find_byte(folded, '{') << i;
        m.closing |= find_byte(folded, '}') << i;
    }
    return m;
}

/* Each bit: whether an odd number of bits up to it is set. */
static inline uint64_t
running_xor(uint64_t bits)
{
    for (unsigned shift = 1; shift < 64; shift *= 2)
        bits ^= bits << shift;
    return bits;
}

/* Counts the brackets of a block, up to the one that ends the container. Returns the bytes up to that, with it. */
static inline size_t
count_brackets(size_t *depth, uint64_t opening, uint64_t closing)
{
    for (uint64_t left = opening | closing; left != 0; left &= left - 1) {
        if ((opening & left & (~left + 1)) != 0)
            ++*depth;
        else if (--*depth == 0)
            return (size_t)__builtin_ctzll(left) + 1;
    }
    return JSON_BLOCK;
}

const char *
ncz_json_skip_blocks(json_skip *k, const char *s, const char *end)
{
    while (k->depth > 0 && end - s >= JSON_BLOCK) {
        marks    m = find_marks(s);
        uint64_t inside = running_xor(m.quotes) ^ (k->quoted ? UINT64_MAX : 0);

        if (m.escapes != 0)
            break;
        s += count_brackets(&k->depth, m.opening & ~inside, m.closing & ~inside);
        k->quoted = k->depth > 0 && inside >> 63 != 0;
    }
    return s;
}

const char *
ncz_json_find_mark(const char *s, const char *end)
{
    for (; end - s >= 16; s += 16) {
        __m128i  bytes = _mm_loadu_si128((const __m128i *)(const void *)s);
        uint64_t found = find_byte(bytes, '"') | find_byte(bytes, '\\');

        if (found != 0)
            return s + (unsigned)__builtin_ctzll(found);
    }
    while (s < end && *s != '"' && *s != '\\')
        s++;
    return s;
}
