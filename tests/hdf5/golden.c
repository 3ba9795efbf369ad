/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdf5/golden.h"
#include "support/test.h"

void
golden_load(const char *name, ncz_buf *out)
{
    char  path[1024];
    FILE *f;
    long  n;

    (void)snprintf(path, sizeof path, "%s/hdf5/%s", NCZ_TEST_DATA, name);
    f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    n = ftell(f);
    assert_true(n > 0);
    rewind(f);
    *out = NCZ_BUF_INIT;
    assert_int_equal(ncz_buf_reserve(out, (size_t)n), NC_NOERR);
    assert_int_equal(fread(out->data, 1, (size_t)n, f), n);
    out->len = (size_t)n;
    out->data[n] = 0;
    (void)fclose(f);
}

ncz_hdf5 *
golden_open(const ncz_buf *file, hdf5_bytes *bytes)
{
    ncz_hdf5_source source;
    ncz_hdf5       *f = NULL;

    *bytes = (hdf5_bytes){.data = (const unsigned char *)file->data, .len = file->len};
    source = hdf5_bytes_source(bytes);
    assert_int_equal(ncz_hdf5_open(&source, &ncz_limits_default, &f), NC_NOERR);
    return f;
}
