/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as an HDF5 file: all of its structure is read. Twice, the second time with checksums that are wrong taken,
 * since mutation hardly ever finds right ones.
 */
#include <stdint.h>
#include <stdlib.h>

#include "hdf5/hdf5_int.h"
#include "hdf5/hdf5_json.h"

enum { JSON = 1 << 20, NBYTES_TIMES = 4096, NBYTES_LEAST = 1 << 26 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
read_all(const uint8_t *data, size_t size, bool any_sum)
{
    hdf5_bytes      bytes = {.data = data, .len = size};
    ncz_read_source source = hdf5_bytes_source(&bytes);
    ncz_buf         json = NCZ_BUF_INIT;
    ncz_hdf5       *f = NULL;
    int             rc = ncz_hdf5_open(&source, &ncz_limits_default, &f);

    if (rc == NC_NOERR) {
        f->any_sum = any_sum;
        rc = hdf5_json(f, JSON, &json);
    }
    if (rc != NC_NOERR && ncz_err_text()[0] == 0)
        abort(); /* every failure says why */
    if (bytes.nbytes > NBYTES_LEAST + NBYTES_TIMES * size)
        abort();
    ncz_hdf5_close(f);
    ncz_buf_clear(&json);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_all(data, size, false);
    read_all(data, size, true);
    return 0;
}
