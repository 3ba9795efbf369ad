/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Skipping Huffman of HDF4 files: the bytes of an element are coded by a tree each, which is splayed after each byte,
 * so that bytes which come often have few bits.
 *
 * Nodes 0 to 255 have two children each, nodes from 256 on are the bytes. Node 0 is the root.
 */
#include "codecs/codec_hdf5_int.h"

#include <string.h>

enum { INNER = 256, NODES = 513, TREES_MOST = 65535 };

typedef struct tree {
    uint16_t left[INNER], right[INNER], up[NODES];
} tree;

static int
huffman_from_words(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_array_type *in, void *state)
{
    int rc = ncz_hdf5_words_keep(ops->id, n, words, 1, 1, state);

    (void)in;
    if (rc == NC_NOERR && (words[0] == 0 || words[0] > TREES_MOST))
        return ncz_fail(NC_EFILTER, "codec '%s': %u trees", ops->id, words[0]);
    return rc;
}

static void
plant(tree *t)
{
    for (uint16_t i = 0; i < INNER; i++) {
        t->left[i] = (uint16_t)(2 * i);
        t->right[i] = (uint16_t)(2 * i + 1);
    }
    for (uint16_t i = 0; i < NODES; i++)
        t->up[i] = i / 2;
}

/* Brings what was just used nearer to the root. Each step is two nodes up, so it ends. */
static void
splay(tree *t, uint16_t a)
{
    uint16_t c;

    while ((c = t->up[a]) != 0) {
        uint16_t d = t->up[c], b = t->left[d];

        if (b == c) {
            b = t->right[d];
            t->right[d] = a;
        } else {
            t->left[d] = a;
        }
        if (t->left[c] == a)
            t->left[c] = b;
        else
            t->right[c] = b;
        t->up[a] = d;
        t->up[b] = c;
        a = d;
        if (a == 0)
            return;
    }
}

/* The next byte; false: the bits end. */
static bool
take_byte(tree *t, ncz_hdf5_bits *bits, size_t n, unsigned char *out)
{
    uint16_t a = 0;

    while (a < INNER) {
        if (bits->byte >= n)
            return false;
        a = ncz_hdf5_bits_take(bits, 1) != 0 ? t->right[a] : t->left[a];
    }
    *out = (unsigned char)(a - INNER);
    splay(t, a);
    return true;
}

static int
huffman_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
               bool exact, size_t *used)
{
    size_t         most = *used < cap ? *used : cap, ntrees = ((const ncz_hdf5_words *)state)->v[0];
    ncz_hdf5_bits  bits = {.data = in};
    unsigned char *o = out;
    tree          *trees;
    int            rc = NC_NOERR;

    (void)type;
    (void)exact;
    ntrees = ntrees < most ? ntrees : most;
    if ((trees = ncz_alloc_n(ntrees, sizeof *trees)) == NULL)
        return ncz_fail_nomem(ntrees * sizeof *trees);
    for (size_t i = 0; i < ntrees; i++)
        plant(&trees[i]);
    for (size_t i = 0; i < most && rc == NC_NOERR; i++)
        if (!take_byte(&trees[i % ntrees], &bits, n, &o[i]))
            rc = ncz_codec_cut_short("skipping huffman", n);
    ncz_free(trees);
    *used = most;
    return rc;
}

const ncz_codec_ops ncz_codec_hdf4_huffman = {
    .id = "skipping huffman",
    .hdf5_id = NCZ_HDF4_FILTER_HUFFMAN,
    .hdf5_only = true,
    .cls = NCZ_CODEC_BYTES_BYTES,
    .state_size = sizeof(ncz_hdf5_words),
    .config.from_words = huffman_from_words,
    .config.to_words = ncz_hdf5_words_give,
    .bound = ncz_hdf4_bound,
    .encode = ncz_hdf5_encode,
    .decode = huffman_decode,
};
