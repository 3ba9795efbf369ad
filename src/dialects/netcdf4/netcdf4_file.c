/* SPDX-License-Identifier: BSD-3-Clause */
/* The open file, whose bytes come from the reader of the call under way (dialects_reader.h). */
#include "dialects/netcdf4/netcdf4.h"
#include "dialects/netcdf4/netcdf4_write_int.h"

#include <string.h>

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
    ncz_read_source   source;
    int               rc;

    if (file == NULL)
        return ncz_fail_nomem(sizeof *file);
    file->part = NCZ_NETCDF4_FILE;
    file->size = size;
    file->limits = l->m->limits;
    source = ncz_dialects_source(l, size, &file->now);
    if ((rc = pthread_mutex_init(&file->lock, NULL)) != 0) {
        ncz_free(file);
        return ncz_fail_errno(rc, "making a lock"); /* not covered: glibc makes every mutex */
    }
    l->m->format = file;
    *out = file;
    return ncz_hdf5_open(&source, &file->limits, &file->f);
}

static void
free_keeping(ncz_netcdf4_keeping *k)
{
    if (k == NULL)
        return;
    while (k->all != NULL) {
        ncz_netcdf4_kept *next = k->all->next;

        ncz_hdf5_object_clear(&k->all->o);
        ncz_free(k->all);
        k->all = next;
    }
    ncz_free(k->groups);
    ncz_free(k->types);
    ncz_free(k->scales);
    ncz_free(k);
}

void
ncz_netcdf4_free(void *part)
{
    ncz_netcdf4_file *file = part;

    if (*(const ncz_netcdf4_part *)part == NCZ_NETCDF4_FILE) {
        free_keeping(file->keeping);
        ncz_hdf5_close(file->f);
        (void)pthread_mutex_destroy(&file->lock);
    }
    ncz_free(part);
}
