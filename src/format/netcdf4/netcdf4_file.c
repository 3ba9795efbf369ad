/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The open file. While it is loaded its bytes come from the source of documents, and from the engine's store when
 * chunks are looked up later, so each caller sets the reader for its call.
 */
#include "format/netcdf4/netcdf4.h"

#include <string.h>

static int
read_ranges(void *arg, const ncz_hdf5_range *ranges, size_t n)
{
    const ncz_netcdf4_file *file = arg;

    return file->now.read(file->now.arg, ranges, n);
}

/* ---- through the source of documents ---- */

typedef struct arrival {
    const ncz_read_range *ranges;
    ncz_err               err;
} arrival;

/* Each request has its own range; the first failure is kept. */
static void
take_bytes(void *arg, size_t i, const ncz_docs_got *got)
{
    arrival              *a = arg;
    const ncz_read_range *r = &a->ranges[i];
    int                   rc = NC_NOERR;

    if (got->err != NULL)
        rc = ncz_err_adopt(got->err);
    else if (got->bytes == NULL || got->len < r->len)
        rc = ncz_fail(NC_EHDFERR, "the file ends within the %zu bytes at %llu", r->len, (unsigned long long)r->at);
    else
        memcpy(r->out, got->bytes, r->len);
    if (rc != NC_NOERR)
        ncz_err_save(&a->err, rc);
}

static int
read_from_docs(void *arg, const ncz_read_range *ranges, size_t n)
{
    static const char *const key = "";
    const ncz_docs          *docs = arg;
    ncz_docs_req            *reqs = ncz_alloc_n(n, sizeof *reqs);
    arrival                  a = {.ranges = ranges, .err = {.code = NC_NOERR}};
    int                      rc;

    if (reqs == NULL)
        return ncz_fail_nomem(n * sizeof *reqs);
    for (size_t i = 0; i < n; i++)
        reqs[i] =
            (ncz_docs_req){.keys = &key, .n = 1, .as = NCZ_DOCS_BYTES, .off = ranges[i].at, .len = ranges[i].len};
    rc = docs->fetch(docs->arg, reqs, n, take_bytes, &a);
    ncz_free(reqs);
    return rc != NC_NOERR || a.err.code == NC_NOERR ? rc : ncz_err_adopt(&a.err);
}

/* ---- opening, and the end ---- */

enum { LEAST_BYTES = 64 << 20, BYTES_TIMES = 4 };

uint64_t
ncz_netcdf4_most_bytes(const ncz_netcdf4_file *file)
{
    uint64_t most = file->limits.object_bytes;

    if (file->size < most / BYTES_TIMES && file->size * BYTES_TIMES + LEAST_BYTES < most)
        most = file->size * BYTES_TIMES + LEAST_BYTES;
    return most;
}

int
ncz_netcdf4_file_open(ncz_loader *l, uint64_t size, ncz_netcdf4_file **out)
{
    ncz_netcdf4_file *file = ncz_zalloc(sizeof *file);
    ncz_hdf5_source   source = {.read = read_ranges, .arg = file, .size = size};
    int               rc;

    if (file == NULL)
        return ncz_fail_nomem(sizeof *file);
    file->part = NCZ_NETCDF4_FILE;
    file->size = size;
    file->limits = l->m->limits;
    file->now = (ncz_netcdf4_reader){read_from_docs, (void *)(uintptr_t)l->docs};
    if ((rc = pthread_mutex_init(&file->lock, NULL)) != 0) {
        ncz_free(file);
        return ncz_fail_errno(rc, "making a lock"); /* not covered: glibc makes every mutex */
    }
    l->m->format = file;
    *out = file;
    return ncz_hdf5_open(&source, &file->limits, &file->f);
}

void
ncz_netcdf4_free(void *part)
{
    ncz_netcdf4_file *file = part;

    if (*(const ncz_netcdf4_part *)part == NCZ_NETCDF4_FILE) {
        ncz_hdf5_close(file->f);
        (void)pthread_mutex_destroy(&file->lock);
    }
    ncz_free(part);
}
