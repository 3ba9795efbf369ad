/* SPDX-License-Identifier: BSD-3-Clause */
/* The open file, whose bytes come from the reader of the call under way (dialects_reader.h). */
#include "dialects/hdf4/hdf4sd.h"

int
ncz_hdf4sd_file_open(ncz_loader *l, uint64_t size, ncz_hdf4sd_file **out)
{
    ncz_hdf4sd_file *file = ncz_zalloc(sizeof *file);
    ncz_read_source  source;
    int              rc;

    if (file == NULL)
        return ncz_fail_nomem(sizeof *file);
    file->part = NCZ_HDF4SD_FILE;
    file->size = size;
    file->far = l->docs->far;
    file->limits = l->m->limits;
    source = ncz_dialects_source(l, size, &file->now);
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
