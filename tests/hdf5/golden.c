/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdf5/golden.h"
#include "support/scratch.h"
#include "support/test.h"

void
golden_load(const char *name, ncz_buf *out)
{
    size_t n;
    char  *data = test_data(scratch_path("hdf5", name), &n);

    *out = NCZ_BUF_INIT;
    assert_int_equal(ncz_buf_append(out, data, n), NC_NOERR);
    free(data);
}

ncz_hdf5 *
golden_open(const ncz_buf *file, hdf5_bytes *bytes)
{
    ncz_read_source source;
    ncz_hdf5       *f = NULL;

    *bytes = (hdf5_bytes){.data = (const unsigned char *)file->data, .len = file->len};
    source = hdf5_bytes_source(bytes);
    assert_int_equal(ncz_hdf5_open(&source, &ncz_limits_default, &f), NC_NOERR);
    return f;
}
