/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HDF5's n-bit: of each number only the bits that its type uses, one after another.
 *
 * The words describe the type of an element as a tree, in prefix order: a number (bytes, byte order, bits that are
 * used, the lowest of them), an array of one such node, a compound of several, or bytes that are kept whole. The tree
 * is checked when the codec is made, so decoding trusts it: each node has a size, its members lie inside it and
 * have no more bits than it has, and each leaf has at least one, so that the work is bounded by the input.
 */
#include "codecs/codec_hdf5_int.h"

#include <string.h>

#define DEPTH_MOST 32
#define WORDS_MOST 16384 /* a message of HDF5's headers holds no more */

enum { NUMBER = 1, ARRAY = 2, COMPOUND = 3, BYTES = 4 }; /* kinds of nodes */
enum { WORD_PLAIN = 1, WORD_NELEMS = 2, WORD_TREE = 3 };

typedef struct nbit_state {
    size_t    n;
    unsigned *words;
    bool      plain; /* the data are unchanged */
    size_t    nelems, size;
    uint64_t  bits; /* of an encoded element */
} nbit_state;

/* ---- the tree -------------------------------------------------------------------------------------------- */

static int
fail_tree(void)
{
    return ncz_fail(NC_EFILTER, "codec 'nbit': its parameters describe no type");
}

static bool
is_number(const unsigned *w)
{
    uint64_t bits = 8 * (uint64_t)w[1];

    return w[2] <= 1 && w[3] > 0 && w[3] <= bits && w[4] <= bits - w[3];
}

static int check_node(const nbit_state *s, size_t *at, unsigned depth, uint64_t *bits);

/* The members of a compound, which begins at the word `node`. */
static int
check_members(const nbit_state *s, size_t node, size_t *at, unsigned depth, uint64_t *bits)
{
    unsigned size = s->words[node + 1], n = s->words[node + 2];
    int      rc;

    *bits = 0;
    for (unsigned i = 0; i < n; i++) {
        size_t   offset = *at;
        uint64_t member;

        if (s->n - *at < 3) /* an offset, and the least node */
            return fail_tree();
        *at += 1;
        if ((rc = check_node(s, at, depth + 1, &member)) != NC_NOERR)
            return rc;
        if (s->words[offset] > size || s->words[offset + 2] > size - s->words[offset] ||
            !ncz_add64(*bits, member, bits))
            return fail_tree();
    }
    return n > 0 && *bits <= 8 * (uint64_t)size ? NC_NOERR : fail_tree();
}

/* Checks the node at the word *at, and sets *at behind it and *bits to the bits that it is encoded in. */
static int
check_node(const nbit_state *s, size_t *at, unsigned depth, uint64_t *bits)
{
    static const size_t heads[] = {[NUMBER] = 5, [ARRAY] = 2, [COMPOUND] = 3, [BYTES] = 2}; /* words */
    const unsigned     *w = s->words + *at;
    size_t              node = *at;
    int                 rc;

    if (depth > DEPTH_MOST || s->n - *at < 2 || w[0] < NUMBER || w[0] > BYTES || s->n - *at < heads[w[0]] ||
        w[1] == 0)
        return fail_tree();
    *at += heads[w[0]];
    switch (w[0]) {
    case NUMBER: *bits = w[3]; return is_number(w) ? NC_NOERR : fail_tree();
    case BYTES: *bits = 8 * (uint64_t)w[1]; return NC_NOERR;
    case COMPOUND: return check_members(s, node, at, depth, bits);
    default: break;
    }
    if ((rc = check_node(s, at, depth + 1, bits)) != NC_NOERR)
        return rc;
    return w[1] % w[3] == 0 && ncz_mul64(*bits, w[1] / w[3], bits) ? NC_NOERR : fail_tree();
}

static int
nbit_from_words(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_array_type *in, void *state)
{
    nbit_state *s = state;
    size_t      at = WORD_TREE;
    int         rc;

    (void)in;
    if ((rc = ncz_codec_nwords(ops->id, n, WORD_TREE, WORDS_MOST)) != NC_NOERR)
        return rc;
    if ((s->words = ncz_dup(words, n * sizeof *words)) == NULL)
        return ncz_fail_nomem(n * sizeof *words);
    s->n = n;
    s->plain = words[WORD_PLAIN] != 0;
    s->nelems = words[WORD_NELEMS];
    if (s->plain)
        return NC_NOERR;
    if ((rc = check_node(s, &at, 0, &s->bits)) != NC_NOERR)
        return rc;
    s->size = words[WORD_TREE + 1];
    return NC_NOERR;
}

static void
nbit_free(void *state)
{
    nbit_state *s = state;

    ncz_free(s->words);
}

static int
nbit_to_words(const void *state, const ncz_array_type *in, size_t *n, unsigned words[NCZ_CODEC_WORDS])
{
    const nbit_state *s = state;

    (void)in;
    if (s->n > NCZ_CODEC_WORDS)
        return ncz_fail(NC_EFILTER, "codec 'nbit': %zu parameters, more than %d", s->n, NCZ_CODEC_WORDS);
    *n = s->n;
    memcpy(words, s->words, s->n * sizeof *words);
    return NC_NOERR;
}

/* HDF5 begins a byte more than it needs. */
static bool
nbit_bound(const void *state, size_t n, size_t *out)
{
    (void)state;
    return ncz_add(n, 1, out);
}

/* ---- decoding -------------------------------------------------------------------------------------------- */

/* Byte b of a number, from its lowest one on, has the bits [8 b, 8 b + 8), of which some are used. */
static void
restore_number(const unsigned *w, ncz_hdf5_bits *bits, unsigned char *out)
{
    uint64_t size = w[1], from = w[4], to = from + w[3];

    for (uint64_t b = (to - 1) / 8 + 1; b-- > from / 8;) {
        uint64_t low = from > 8 * b ? from - 8 * b : 0, high = to < 8 * b + 8 ? to - 8 * b : 8;
        uint64_t v = ncz_hdf5_bits_take(bits, (unsigned)(high - low));

        out[w[2] != 0 ? size - 1 - b : b] = (unsigned char)(v << low);
    }
}

/* Restores what the node at `w` describes. Returns the words behind it. */
static const unsigned *
restore_node(const unsigned *w, ncz_hdf5_bits *bits, unsigned char *out)
{
    const unsigned *next = w + 2;

    switch (w[0]) {
    case NUMBER: restore_number(w, bits, out); return w + 5;
    case BYTES:
        for (size_t i = 0; i < w[1]; i++)
            out[i] = (unsigned char)ncz_hdf5_bits_take(bits, 8);
        return next;
    case ARRAY:
        for (size_t at = 0; at < w[1]; at += w[3])
            next = restore_node(w + 2, bits, out + at);
        return next;
    default:
        next = w + 3;
        for (unsigned i = 0; i < w[2]; i++)
            next = restore_node(next + 1, bits, out + next[0]);
        return next;
    }
}

/* HDF5 leaves up to one byte after the last bits. */
static int
check_length(const nbit_state *s, size_t n)
{
    uint64_t bits, nbytes;

    if (!ncz_mul64(s->nelems, s->bits, &bits))
        return ncz_codec_cut_short("nbit", n);
    nbytes = bits / 8 + (bits % 8 != 0);
    if (nbytes > n)
        return ncz_codec_cut_short("nbit", n);
    return n - nbytes > 1 ? ncz_codec_trailing("nbit", (size_t)(n - nbytes)) : NC_NOERR;
}

static int
nbit_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
            bool exact, size_t *used)
{
    const nbit_state *s = state;
    ncz_hdf5_bits     bits = {.data = in};
    size_t            len = n;
    int               rc;

    (void)type;
    if (!s->plain && !ncz_mul(s->nelems, s->size, &len))
        return ncz_codec_too_long("nbit", *used);
    if ((rc = ncz_codec_check_size("nbit", len, *used < cap ? *used : cap, exact)) != NC_NOERR)
        return rc;
    if (s->plain) {
        if (n > 0)
            memcpy(out, in, n);
    } else {
        if ((rc = check_length(s, n)) != NC_NOERR)
            return rc;
        if (len > 0)
            memset(out, 0, len);
        for (size_t i = 0; i < s->nelems; i++)
            (void)restore_node(s->words + WORD_TREE, &bits, (unsigned char *)out + i * s->size);
    }
    *used = len;
    return NC_NOERR;
}

const ncz_codec_ops ncz_codec_hdf5_nbit = {
    .id = "nbit",
    .hdf5_id = 5,
    .hdf5_only = true,
    .cls = NCZ_CODEC_BYTES_BYTES,
    .state_size = sizeof(nbit_state),
    .config.from_words = nbit_from_words,
    .config.free_state = nbit_free,
    .config.to_words = nbit_to_words,
    .bound = nbit_bound,
    .encode = ncz_hdf5_encode,
    .decode = nbit_decode,
};
