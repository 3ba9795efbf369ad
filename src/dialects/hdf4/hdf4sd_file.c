/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The open file. While it is loaded its bytes come from the source of documents, and from the engine's store when
 * chunks are looked up later, so each caller sets the reader for its call.
 */
#include "dialects/hdf4/hdf4sd.h"

/* What a file lacks that is being loaded is damage of its structure. */
static int
read_ranges(void *arg, const ncz_read_range *ranges, size_t n)
{
    const ncz_hdf4sd_file *file = arg;
    ncz_err                err;
    int                    rc = file->now.read(file->now.arg, ranges, n);

    if (rc != NC_ETRUNC || !file->now.loads)
        return rc;
    ncz_err_save(&err, NC_EHDFERR);
    return ncz_err_adopt(&err);
}

int
ncz_hdf4sd_file_open(ncz_loader *l, uint64_t size, ncz_hdf4sd_file **out)
{
    ncz_hdf4sd_file *file = ncz_zalloc(sizeof *file);
    ncz_read_source  source = {.read = read_ranges,
                               .arg = file,
                               .size = size,
                               .head = l->first.data,
                               .nhead = l->first.len,
                               .far = l->docs->far};
    int              rc;

    if (file == NULL)
        return ncz_fail_nomem(sizeof *file);
    file->part = NCZ_HDF4SD_FILE;
    file->size = size;
    file->far = l->docs->far;
    file->limits = l->m->limits;
    file->now = (ncz_hdf4sd_reader){.read = l->docs->read, .arg = l->docs->arg, .loads = true};
    if ((rc = pthread_mutex_init(&file->lock, NULL)) != 0) {
        ncz_free(file);
        return ncz_fail_errno(rc, "making a lock"); /* not covered: glibc makes every mutex */
    }
    l->m->format = file;
    *out = file;
    return ncz_hdf4_open(&source, &file->limits, &file->f);
}

void
ncz_hdf4sd_free(void *part)
{
    ncz_hdf4sd_file *file = part;

    if (*(const ncz_hdf4sd_part *)part == NCZ_HDF4SD_FILE) {
        ncz_hdf4_close(file->f);
        (void)pthread_mutex_destroy(&file->lock);
    }
    ncz_free(part);
}
