/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_missing: what is at a place where no dataset was found, for the error's text: nothing, other objects, or
 * datasets further down. Few objects are listed for it. No state; any thread.
 */
#include "dataset/dataset_int.h"
#include "zip/zip.h"

#include <string.h>

enum { LISTED_MOST = 1000 };

typedef struct below {
    size_t n;
    char  *name; /* where the outermost dataset is that was found; NULL: none */
    int    rc;
} below;

static int
note_dataset(const char *key, uint64_t size, void *arg)
{
    below      *b = arg;
    const char *slash = strrchr(key, '/');
    size_t      len = slash != NULL ? (size_t)(slash - key) : 0;

    (void)size;
    if (len > 0 && ncz_dialects_is_top_document(slash + 1, strlen(slash + 1)) &&
        (b->name == NULL || (strncmp(b->name, key, len) == 0 && b->name[len] == '/'))) {
        ncz_free(b->name);
        if ((b->name = ncz_strndup(key, len)) == NULL)
            b->rc = ncz_fail_nomem(len + 1);
    }
    return ++b->n == LISTED_MOST || b->rc != NC_NOERR;
}

/* `listed`: what is at the place is known. */
static int
fail_missing(const ncz_target *t, const below *b, bool listed)
{
    ncz_buf marks = NCZ_BUF_INIT;
    int     rc = ncz_dialects_marks_text(&marks);

    if (rc == NC_NOERR && b->name != NULL)
        rc = ncz_fail(NC_ENOTNC, "%s: no dataset at this place, but there is one at %s below it", t->shown, b->name);
    else if (rc == NC_NOERR)
        rc = ncz_fail(NC_ENOTNC, "%s: %s (looked for %s)", t->shown,
                      !listed          ? "no dataset was found there"
                      : b->n > 0       ? "there are objects, but no dataset"
                      : !ncz_remote(t) ? "an empty directory"
                                       : "no objects",
                      ncz_buf_str(&marks));
    ncz_buf_clear(&marks);
    return rc;
}

int
ncz_store_missing(const ncz_target *t, zmap *map, int rc)
{
    below b = {.n = 0};
    bool  listed;

    if (rc != NC_ENOTNC || ncz_zip_prefix(map) != NULL || (zmap_caps_of(map) & ZMAP_CAN_LIST) == 0 ||
        (zmap_caps_of(map) & ZMAP_SINGLE) != 0)
        return rc;
    listed = zmap_walk(map, "", note_dataset, &b) == NC_NOERR || b.n > 0;
    if (b.rc != NC_NOERR)
        rc = b.rc;
    else if (ncz_remote(t) && listed && b.n == 0)
        rc = ncz_fail(NC_ENOOBJECT, "%s: no such object, and none below it; expected a netCDF file or Zarr documents",
                      t->shown);
    else if (t->zarr_format == 0 && !t->hdf5) /* what was asked for is said already */
        rc = fail_missing(t, &b, listed);
    ncz_free(b.name);
    return rc;
}
