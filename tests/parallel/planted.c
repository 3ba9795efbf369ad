/* SPDX-License-Identifier: BSD-3-Clause */
/* planted: see planted.h. The library's functions have other names here, and are called where nothing is planted. */
#define ncz_par_flush          real_par_flush
#define zmap_file_replace      real_file_replace
#define ncz_lengths_are_shared real_lengths_are_shared
#include "../../src/dataset/documents/dataset_lengths.c"
#include "../../src/par/par.c"
#include "../../src/zmap/file/zmap_file_match.c"
#undef ncz_par_flush
#undef zmap_file_replace
#undef ncz_lengths_are_shared

#include "planted.h"

bool ncz_lengths_are_shared(const ncz_dataset *ds);
int  ncz_par_flush(ncz_dataset *ds, ncz_comm_call call, int rc);
int  zmap_file_replace(file_map *f, int dir, const char *temp, const char *leaf, const zmap_put_req *r);

planted_fault planted;

bool
ncz_lengths_are_shared(const ncz_dataset *ds)
{
    return planted != PLANTED_LAST_LENGTH && real_lengths_are_shared(ds);
}

int
ncz_par_flush(ncz_dataset *ds, ncz_comm_call call, int rc)
{
    if (planted == PLANTED_DOCUMENTS_FIRST && rc == NC_NOERR &&
        (rc = ncz_par_run_on_first(ds, call, store_documents)) == NC_NOERR)
        ncz_dialects_mark_stored(ds->model);
    return real_par_flush(ds, call, rc);
}

int
zmap_file_replace(file_map *f, int dir, const char *temp, const char *leaf, const zmap_put_req *r)
{
    if (planted != PLANTED_NO_CONDITION)
        return real_file_replace(f, dir, temp, leaf, r);
    return zmap_sys()->name.renameat(dir, temp, dir, leaf) == 0 ? NC_NOERR : NC_EIO;
}
