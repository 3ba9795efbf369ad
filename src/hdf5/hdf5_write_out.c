/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of structures, which are counted or written. */
#include "hdf5/hdf5_write_int.h"

#include <string.h>

void
ncz_hdf5_set_uint(unsigned char *at, uint64_t v, unsigned nbytes)
{
    for (unsigned i = 0; i < nbytes; i++, v >>= 8)
        at[i] = (unsigned char)v;
}

void
ncz_hdf5_out_set(ncz_hdf5_out *o, uint64_t at, uint64_t v, unsigned nbytes)
{
    if (o->bytes != NULL)
        ncz_hdf5_set_uint(o->bytes + at, v, nbytes);
}

void
ncz_hdf5_out_uint(ncz_hdf5_out *o, uint64_t v, unsigned nbytes)
{
    ncz_hdf5_out_set(o, o->n, v, nbytes);
    o->n += nbytes;
}

void
ncz_hdf5_out_bytes(ncz_hdf5_out *o, const void *bytes, size_t n)
{
    if (o->bytes != NULL && n > 0)
        memcpy(o->bytes + o->n, bytes, n);
    o->n += n;
}

void
ncz_hdf5_out_zeros(ncz_hdf5_out *o, uint64_t n)
{
    if (o->bytes != NULL && n > 0)
        memset(o->bytes + o->n, 0, (size_t)n);
    o->n += n;
}

void
ncz_hdf5_out_align(ncz_hdf5_out *o)
{
    ncz_hdf5_out_zeros(o, (8 - o->n % 8) % 8);
}

void
ncz_hdf5_out_start(ncz_hdf5_out *o, const char *signature, unsigned version)
{
    ncz_hdf5_out_bytes(o, signature, 4);
    ncz_hdf5_out_uint(o, version, 1);
}

void
ncz_hdf5_out_sum(ncz_hdf5_out *o, uint64_t from)
{
    ncz_hdf5_out_uint(o, o->bytes == NULL ? 0 : ncz_hdf5_checksum(o->bytes + from, (size_t)(o->n - from)), 4);
}
