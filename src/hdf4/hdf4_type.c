/* SPDX-License-Identifier: BSD-3-Clause */
/* Number types (6, DFTAG_NT). */
#include "hdf4/hdf4_int.h"

bool
ncz_hdf4_type_make(unsigned code, bool little, ncz_hdf4_type *out)
{
    static const unsigned char sizes[] = {
        [NCZ_HDF4_UCHAR] = 1, [NCZ_HDF4_CHAR] = 1,  [NCZ_HDF4_FLOAT32] = 4, [NCZ_HDF4_FLOAT64] = 8,
        [NCZ_HDF4_INT8] = 1,  [NCZ_HDF4_UINT8] = 1, [NCZ_HDF4_INT16] = 2,   [NCZ_HDF4_UINT16] = 2,
        [NCZ_HDF4_INT32] = 4, [NCZ_HDF4_UINT32] = 4};

    if (code >= NCZ_LEN(sizes) || sizes[code] == 0)
        return false;
    *out = (ncz_hdf4_type){.code = (ncz_hdf4_code)code, .size = sizes[code], .little = little};
    return true;
}

/* Classes of the fourth byte: 0 and 1 are IEEE's form, big-endian. */
static const char *
name_class(unsigned class_number)
{
    switch (class_number) {
    case 0:
    case 1:
    case 4: return NULL;
    case 2: return "a VAX";
    case 3: return "a Cray";
    case 5: return "a Convex";
    case 6: return "a VP";
    default: return "an unknown machine";
    }
}

/* Version, type, bits, class (6, DFTAG_NT). */
int
ncz_hdf4_type_read(ncz_hdf4 *f, unsigned ref, ncz_hdf4_type *out)
{
    ncz_buf    bytes = NCZ_BUF_INIT;
    ncz_cursor c;
    unsigned   code, class_number;
    int        rc = ncz_hdf4_load_element(f, NCZ_HDF4_TAG_TYPE, ref, &bytes);

    c = ncz_cursor_at(bytes.data, bytes.len);
    (void)ncz_cursor_u8(&c);
    code = ncz_cursor_u8(&c);
    (void)ncz_cursor_u8(&c);
    class_number = ncz_cursor_u8(&c);
    if (rc == NC_NOERR && !c.good)
        rc = ncz_hdf4_cut_short("the number type", NCZ_HDF4_TAG_TYPE, ref);
    if (rc == NC_NOERR && !ncz_hdf4_type_make(code, class_number == 4, out))
        rc = ncz_fail(NC_ENOTBUILT, "number type %u of object %u/%u, which no library has", code, NCZ_HDF4_TAG_TYPE,
                      ref);
    if (rc == NC_NOERR)
        out->foreign = name_class(class_number);
    ncz_buf_clear(&bytes);
    return rc;
}
