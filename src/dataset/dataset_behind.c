/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_behind: whether puts wait for the store, as the path, the environment and the program say; and what a program
 * asks of data that wait.
 */
#include "dataset/dataset_int.h"
#include "zmap/file/zmap_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The value of a key of the path's fragment, or else of a variable of the environment. *name: which it was. */
static const char *
find_setting(const ncz_target *t, const char *key, const char *variable, const char **name)
{
    const char *value = t->uri != NULL ? ncz_uri_frag(t->uri, key) : NULL;

    *name = value != NULL ? key : variable;
    return value != NULL ? value : ncz_env(variable);
}

static int
parse_bytes(const char *name, const char *text, size_t *out)
{
    char              *end;
    unsigned long long n;

    errno = 0;
    n = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || n == 0 || n > SIZE_MAX / 2)
        return ncz_fail(NC_EINVAL, "%s=%.40s: not a number of bytes", name, text);
    *out = (size_t)n;
    return NC_NOERR;
}

int
ncz_dataset_choose_write(ncz_dataset *ds, const ncz_target *t)
{
    const char *name, *how = find_setting(t, "write", "NCZARR_WRITE", &name), *bytes_name, *text;
    size_t      nbytes = 0;
    int         rc;

    if (how != NULL && strcmp(how, "behind") != 0 && strcmp(how, "through") != 0)
        return ncz_fail(NC_EINVAL, "%s=%.40s: through or behind", name, how);
    text = find_setting(t, "behind_bytes", "NCZARR_BEHIND_BYTES", &bytes_name);
    if (text != NULL && (rc = parse_bytes(bytes_name, text, &nbytes)) != NC_NOERR)
        return rc;
    if (!ds->writable || how == NULL || strcmp(how, "through") == 0)
        return NC_NOERR;
    return ncz_dataset_set_write(ds, true, nbytes);
}

int
ncz_dataset_set_write(ncz_dataset *ds, bool behind, size_t nbytes)
{
    size_t most = nbytes != 0 ? nbytes : ncz_engine_limit(ds->engine);

    if (behind)
        ncz_log(NCZ_LOG_INFO, "%s: writes behind, up to %zu bytes wait", ds->path, most);
    zmap_file_write_early(ds->map, behind);
    return ncz_engine_write_behind(ds->engine, behind, most);
}

void
ncz_dataset_pending(ncz_dataset *ds, size_t *nbytes, size_t *nchunks)
{
    ncz_engine_pending(ds->engine, nbytes, nchunks);
}

int
ncz_dataset_begin_flush(ncz_dataset *ds)
{
    if (!ds->writable || (!ncz_dataset_has_followed(ds) && ncz_engine_begin_flush(ds->engine)))
        return NC_NOERR;
    return ncz_dataset_flush_chunks(ds, 0);
}

int
ncz_dataset_wait(ncz_dataset *ds)
{
    return ds->writable ? ncz_dataset_flush_chunks(ds, 0) : NC_NOERR;
}
