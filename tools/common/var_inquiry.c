/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/var_inquiry.h"
#include "common/memory.h"

#include <nczarr.h>
#include <nczarr_zmap.h>
#include <stdlib.h>

char *
var_text(var_text_inquiry inquire, int ncid, int varid)
{
    size_t len = 0;
    char  *text;

    if (inquire(ncid, varid, &len, NULL) != NC_NOERR)
        return NULL;
    text = memory_alloc(len + 1, 1);
    if (inquire(ncid, varid, NULL, text) == NC_NOERR)
        return text;
    free(text);
    return NULL;
}

char *
var_chunk_key(int ncid, int varid, const size_t *index)
{
    size_t len = 0;
    char  *key;

    if (nczarr_inq_var_chunk_key(ncid, varid, index, &len, NULL, NULL, NULL) != NC_NOERR)
        return NULL;
    key = memory_alloc(len + 1, 1);
    if (nczarr_inq_var_chunk_key(ncid, varid, index, NULL, key, NULL, NULL) == NC_NOERR)
        return key;
    free(key);
    return NULL;
}

int
var_shards(int ncid, int varid, size_t **out)
{
    int rank = 0, sharded = 0, rc = nczarr_inq_var_shards(ncid, varid, &sharded, NULL);

    *out = NULL;
    if (rc != NC_NOERR || !sharded || (rc = nc_inq_varndims(ncid, varid, &rank)) != NC_NOERR)
        return rc;
    *out = memory_alloc((size_t)rank, sizeof **out);
    return nczarr_inq_var_shards(ncid, varid, NULL, *out);
}

bool
var_has_equal_chunks(int ncid, int varid)
{
    size_t len = 1;

    return nczarr_inq_var_encoding(ncid, varid, &len, NULL) != NC_NOERR || len > 0;
}
