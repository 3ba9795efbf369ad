/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdf4/bytes.h"
#include "support/scratch.h"
#include "support/test.h"

static int
read_ranges(void *arg, const ncz_read_range *ranges, size_t n)
{
    hdf4_bytes *b = arg;

    b->ncalls++;
    for (size_t i = 0; i < n; i++) {
        assert_true(ranges[i].at <= b->len && ranges[i].len <= b->len - ranges[i].at);
        memcpy(ranges[i].out, b->data + ranges[i].at, ranges[i].len);
        b->nbytes += ranges[i].len;
    }
    return NC_NOERR;
}

int
hdf4_open(hdf4_bytes *b, ncz_hdf4 **out)
{
    ncz_read_source source = {.read = read_ranges, .arg = b, .size = b->len, .far = b->far};

    return ncz_hdf4_open(&source, &ncz_limits_default, out);
}

void
hdf4_load(const char *name, ncz_buf *out)
{
    size_t n;
    char  *data = test_data(scratch_path("hdf4", name), &n);

    *out = NCZ_BUF_INIT;
    assert_int_equal(ncz_buf_append(out, data, n), NC_NOERR);
    free(data);
}

static int
count_chunk(void *arg, const ncz_hdf4_chunk *chunk)
{
    ++*(size_t *)arg;
    assert_true(chunk->lost != NULL || chunk->pieces->n > 0);
    return NC_NOERR;
}

/* What one variable lacks fails it alone. */
static int
walk_var(ncz_hdf4 *f, const ncz_hdf4_var *v, size_t *nchunks)
{
    ncz_hdf4_pieces pieces;
    int             rc;

    if (v->data.kind == NCZ_HDF4_CHUNKED)
        rc = ncz_hdf4_chunks(f, &v->data, count_chunk, nchunks);
    else {
        rc = ncz_hdf4_find_pieces(f, &v->data, &pieces);
        ncz_hdf4_pieces_clear(&pieces);
    }
    return rc == NC_EHDFERR || rc == NC_ENOTBUILT ? NC_NOERR : rc;
}

int
hdf4_walk(ncz_hdf4 *f, size_t *nvars, size_t *nchunks)
{
    ncz_hdf4_sd sd;
    int         rc = ncz_hdf4_sd_read(f, &sd);

    *nchunks = 0;
    *nvars = sd.nvars;
    for (size_t i = 0; i < sd.nvars && rc == NC_NOERR; i++)
        rc = walk_var(f, &sd.vars[i], nchunks);
    ncz_hdf4_sd_clear(&sd);
    return rc;
}
