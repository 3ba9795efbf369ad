/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The list of dialects, and queries over all of them, for callers that do not know the dialect of a dataset yet.
 * Tables only; any thread.
 */
#include "dialects/classic/classic.h"
#include "dialects/dialects_int.h"
#include "dialects/hdf4/hdf4sd.h"
#include "dialects/netcdf4/netcdf4.h"
#include "format/zarr2/zarr2.h"
#include "format/zarr3/zarr3.h"

#include <string.h>

const ncz_dialect_ops *const ncz_dialects[] = {&ncz_zarr3, &ncz_zarr2, &ncz_classic, &ncz_hdf4sd, &ncz_netcdf4, NULL};

/* The root's documents of all dialects are one request. */
_Static_assert(NCZ_ZARR2_ROOT_DOCS + NCZ_ZARR3_ROOT_DOCS <= NCZ_DOCS_MOST, "NCZ_DOCS_MOST is too small");

const ncz_dialect_ops *
ncz_dialects_find(int zarr_format)
{
    size_t i = 0;

    while (zarr_format != 0 && ncz_dialects[i] != NULL && ncz_format_zarr_version(ncz_dialects[i]) != zarr_format)
        i++;
    return zarr_format != 0 ? ncz_dialects[i] : &ncz_zarr2;
}

const ncz_dialect_ops *
ncz_dialects_of_version(int zarr_format)
{
    return zarr_format != 0 ? ncz_dialects_find(zarr_format) : NULL;
}

static bool
is_among(const char *name, const char *const *list)
{
    while (*list != NULL && strcmp(*list, name) != 0)
        list++;
    return *list != NULL;
}

const char *
ncz_dialects_document(const ncz_dialect_ops *dialect, size_t i)
{
    for (const char *const *mark = dialect->docs.marks; *mark != NULL; mark++)
        if (i-- == 0)
            return *mark;
    for (const char *const *name = dialect->docs.all; *name != NULL; name++)
        if (!is_among(*name, dialect->docs.marks) && i-- == 0)
            return *name;
    return NULL;
}

ncz_key_kind
ncz_dialects_parse_var_key(const ncz_dialect_ops *dialect, const ncz_var *v, const char *rest, uint64_t *index)
{
    if (ncz_var_has_text_rows(v))
        index[v->rank - 1] = 0;
    return ncz_dialects_parse_key(dialect, rest, ncz_var_key_rank(v), index);
}

ncz_key_kind
ncz_dialects_parse_key(const ncz_dialect_ops *dialect, const char *rest, size_t rank, uint64_t *index)
{
    if (dialect->keys.parse_key != NULL)
        return dialect->keys.parse_key(rest, rank, index);
    return is_among(rest, dialect->docs.all) ? NCZ_KEY_DOCUMENT : NCZ_KEY_FOREIGN;
}

const ncz_dialect_ops *
ncz_dialects_of_files(void)
{
    return &ncz_classic;
}

const ncz_dialect_ops *
ncz_dialects_of_netcdf4(void)
{
    return &ncz_netcdf4;
}

bool
ncz_dialects_is_file(const void *bytes, size_t n)
{
    for (size_t i = 0; ncz_dialects[i] != NULL; i++)
        if (ncz_dialects[i]->file != NULL && ncz_dialects[i]->file->is(bytes, n))
            return true;
    return false;
}

bool
ncz_dialects_follows_block(const void *bytes, size_t n)
{
    for (size_t i = 0; ncz_dialects[i] != NULL; i++)
        if (ncz_dialects[i]->file != NULL && ncz_dialects[i]->file->follows_block != NULL &&
            ncz_dialects[i]->file->follows_block(bytes, n))
            return true;
    return false;
}

bool
ncz_dialects_is_document(const char *name)
{
    for (size_t i = 0; ncz_dialects[i] != NULL; i++)
        if (ncz_dialects_parse_key(ncz_dialects[i], name, NCZ_RANK_ANY, NULL) == NCZ_KEY_DOCUMENT)
            return true;
    return false;
}

bool
ncz_dialects_is_member(const ncz_json *doc)
{
    for (size_t i = 0; ncz_json_is(doc, NCZ_JSON_OBJECT) && ncz_dialects[i] != NULL; i++)
        if (ncz_dialects[i]->keys.is_member != NULL && ncz_dialects[i]->keys.is_member(doc))
            return true;
    return false;
}

bool
ncz_dialects_may_have_tail(const char *key)
{
    const char *slash = strrchr(key, '/'), *name = slash != NULL ? slash + 1 : key;

    for (size_t i = 0; ncz_dialects[i] != NULL; i++)
        if (!ncz_dialects[i]->docs.stale_tails && is_among(name, ncz_dialects[i]->docs.all))
            return false;
    return true;
}

bool
ncz_dialects_owns_temporary(const char *name)
{
    for (size_t i = 0; ncz_dialects[i] != NULL; i++)
        if (ncz_dialects[i]->keys.owns_temporary != NULL && ncz_dialects[i]->keys.owns_temporary(name))
            return true;
    return false;
}

bool
ncz_dialects_is_top_document(const char *name, size_t len)
{
    for (size_t i = 0; ncz_dialects[i] != NULL; i++)
        for (const char *const *top = ncz_dialects[i]->docs.top; *top != NULL; top++)
            if (strlen(*top) == len && memcmp(*top, name, len) == 0)
                return true;
    return false;
}

size_t
ncz_dialects_longest_document(void)
{
    size_t most = 0;

    for (size_t i = 0; ncz_dialects[i] != NULL; i++)
        for (const char *const *doc = ncz_dialects[i]->docs.all; *doc != NULL; doc++)
            most = strlen(*doc) > most ? strlen(*doc) : most;
    return most;
}

const ncz_dialect_ops *
ncz_dialects_copies_inside(void)
{
    for (size_t i = 0; ncz_dialects[i] != NULL; i++)
        if (ncz_dialects[i]->copies.inside != NULL)
            return ncz_dialects[i];
    return NULL;
}

const ncz_dialect_copies *
ncz_dialects_copies(void)
{
    size_t i = 0;

    /* The last dialect serves if none has a consolidated document of its own, so the result is never NULL. */
    while (ncz_dialects[i + 1] != NULL && ncz_dialects[i]->copies.key == NULL)
        i++;
    return &ncz_dialects[i]->copies;
}

int
ncz_dialects_marks_text(ncz_buf *out)
{
    const char *comma = "";
    int         rc;

    for (size_t i = 0; ncz_dialects[i] != NULL; i++)
        for (const char *const *mark = ncz_dialects[i]->docs.marks; *mark != NULL; mark++) {
            if ((rc = ncz_buf_printf(out, "%s%s", comma, *mark)) != NC_NOERR)
                return rc;
            comma = ", ";
        }
    return NC_NOERR;
}

/* The document of a dataset's root that has the key `name`, while it is hidden or later. */
static const ncz_root_doc *
find_published(const char *name, bool hidden)
{
    for (size_t i = 0; ncz_dialects[i] != NULL; i++)
        for (const ncz_root_doc *d = ncz_dialects[i]->docs.published; d != NULL && d->key != NULL; d++)
            if (strcmp(hidden ? d->hidden : d->key, name) == 0)
                return d;
    return NULL;
}

const char *
ncz_dialects_hidden_key(const char *key)
{
    const ncz_root_doc *d = find_published(key, false);

    return d != NULL ? d->hidden : NULL;
}

const char *
ncz_dialects_shown_key(const char *hidden)
{
    const ncz_root_doc *d = find_published(hidden, true);

    return d != NULL ? d->key : NULL;
}

bool
ncz_dialects_is_wanted(const ncz_load_opts *wish, const ncz_dialect_ops *dialect)
{
    return wish->zarr_format == 0 || wish->zarr_format == ncz_format_zarr_version(dialect);
}
