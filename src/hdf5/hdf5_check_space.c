/* SPDX-License-Identifier: BSD-3-Clause */
/* Managers of free space (III.H): a header, and a list of sections, of which no reader has any use. */
#include "hdf5/hdf5_check_int.h"

#define HEADER "the header of the free-space manager"
#define LIST   "the sections of the free-space manager"

int
ncz_hdf5_check_free_space(ncz_hdf5 *f, uint64_t addr)
{
    /* Signature 4, version 1, client 1; 4 L: bytes, and sections in all, stored, and not; classes 2, percents 4, bits
     * 2; L: the largest; O: the list; 2 L: its size, and what is allocated for it; checksum 4 */
    uint64_t   n = 18 + 7 * (uint64_t)f->length_size + f->offset_size, list, used, allocated;
    ncz_buf    b = NCZ_BUF_INIT;
    ncz_cursor c;
    int        rc;

    ncz_hdf5_use(f, NCZ_HDF5_PART_FREE_SPACE, addr, n);
    if ((rc = ncz_hdf5_load_summed(f, addr, n, HEADER, &b)) != NC_NOERR)
        goto done;
    c = ncz_cursor_at(b.data, b.len);
    if ((rc = ncz_hdf5_start(&c, "FSHD", 0, HEADER, addr)) != NC_NOERR)
        goto done;
    (void)ncz_cursor_bytes(&c, 1 + 4 * (size_t)f->length_size + 2 + 4 + 2 + f->length_size);
    list = ncz_hdf5_offset(f, &c);
    used = ncz_hdf5_length(f, &c);
    allocated = ncz_hdf5_length(f, &c);
    if (list == NCZ_HDF5_NONE)
        goto done;
    if (used > allocated)
        ncz_hdf5_fault_at(f, addr,
                          HEADER " at address %" PRIu64 " has a list of %" PRIu64 " bytes in room for %" PRIu64, addr,
                          used, allocated);
    ncz_hdf5_use(f, NCZ_HDF5_PART_FREE_SPACE, list, allocated);
    if ((rc = ncz_hdf5_load_summed(f, list, used, LIST, &b)) != NC_NOERR)
        goto done;
    c = ncz_cursor_at(b.data, b.len);
    if ((rc = ncz_hdf5_start(&c, "FSSE", 0, LIST, list)) == NC_NOERR && ncz_hdf5_offset(f, &c) != addr)
        ncz_hdf5_fault_at(f, list, LIST " at address %" PRIu64 " belong to another one than that at %" PRIu64, list,
                          addr);
done:
    ncz_buf_clear(&b);
    return rc;
}
