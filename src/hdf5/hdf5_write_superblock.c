/* SPDX-License-Identifier: BSD-3-Clause */
/* The superblock, version 2 (II.A), and its extension (II.C), an object header with one message. */
#include "hdf5/hdf5_write_int.h"

enum {
    MSG_TREE_K = 19, /* half the children of nodes of version 1 B-trees (IV.A.2.t) */
    TREE_K_BYTES = 7,
    GROUP_K = 16, /* as without the message: there are no such groups */
    LEAF_K = 4,
    FLAGS_CONSTANT_OWN = 5, /* of a message: it is constant, and not to be shared */
};

void
ncz_hdf5_superblock_make(uint64_t root, uint64_t end, uint64_t extension, unsigned char out[NCZ_HDF5_SUPERBLOCK])
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    ncz_hdf5_out               o = {.bytes = out};

    ncz_hdf5_out_bytes(&o, signature, sizeof signature);
    ncz_hdf5_out_uint(&o, 2, 1); /* version */
    ncz_hdf5_out_uint(&o, 8, 1); /* bytes of an address, */
    ncz_hdf5_out_uint(&o, 8, 1); /* of a length */
    ncz_hdf5_out_uint(&o, 0, 1); /* flags */
    ncz_hdf5_out_uint(&o, 0, 8); /* base address */
    ncz_hdf5_out_uint(&o, extension, 8);
    ncz_hdf5_out_uint(&o, end, 8);
    ncz_hdf5_out_uint(&o, root, 8);
    ncz_hdf5_out_sum(&o, 0);
}

int
ncz_hdf5_extension_make(unsigned k, ncz_buf *out)
{
    unsigned char bytes[32];
    ncz_hdf5_out  o = {.bytes = bytes};

    ncz_hdf5_out_start(&o, "OHDR", 2);
    ncz_hdf5_out_uint(&o, 0, 1);                /* flags: the size of the messages has 1 byte */
    ncz_hdf5_out_uint(&o, 4 + TREE_K_BYTES, 1); /* type 1, length 2, flags 1, and the message itself */
    ncz_hdf5_message_head(MSG_TREE_K, TREE_K_BYTES, FLAGS_CONSTANT_OWN, false, 0, &o);
    ncz_hdf5_out_uint(&o, 0, 1); /* version */
    ncz_hdf5_out_uint(&o, k, 2);
    ncz_hdf5_out_uint(&o, GROUP_K, 2);
    ncz_hdf5_out_uint(&o, LEAF_K, 2);
    ncz_hdf5_out_sum(&o, 0);
    return ncz_buf_append(out, bytes, (size_t)o.n);
}
