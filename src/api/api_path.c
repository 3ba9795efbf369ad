/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_path: the parts of a path or URL, and whether two of them name one place.
 */
#include "api/api_join.h"
#include "s3/settings/s3_settings.h"
#include "uri/uri.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- parts ---- */

/* A text that the program frees. `s` NULL: none. */
static int
give_copy(const char *s, char **out)
{
    *out = NULL;
    if (s != NULL && (*out = strdup(s)) == NULL)
        return ncz_fail_nomem(strlen(s) + 1);
    return NC_NOERR;
}

static bool
is_local(const ncz_target *t)
{
    return t->uri->host == NULL;
}

static int
store_number(const ncz_target *t)
{
    switch (t->store) {
    case NCZ_STORE_ZIP: return NCZARR_STORE_ARCHIVE;
    case NCZ_STORE_S3: return NCZARR_STORE_BUCKET;
    case NCZ_STORE_HTTP: return NCZARR_STORE_WEB;
    case NCZ_STORE_AUTO:
    case NCZ_STORE_FILE: break;
    }
    return NCZARR_STORE_DIRECTORY;
}

/* Of compat=, which Zarr v2 alone has. */
static bool
is_old_form(ncz_conventions c)
{
    return c == NCZ_CONVENTIONS_NCZARR_490 || c == NCZ_CONVENTIONS_NCZARR_492;
}

static int
classic_version(const ncz_target *t)
{
    switch (t->file_form) {
    case NCZ_FILE_CDF1:
    case NCZ_FILE_CDF2:
    case NCZ_FILE_CDF5: return (int)t->file_form;
    case NCZ_FILE_CLASSIC: return 1;
    case NCZ_FILE_NETCDF4:
    case NCZ_FILE_NONE: break;
    }
    return 0;
}

static int
fill_parts(const ncz_target *t, nczarr_path_parts *p)
{
    ncz_buf fragment = NCZ_BUF_INIT;
    int     rc = ncz_uri_frag_text(t->uri, &fragment);

    if (rc != NC_NOERR || (rc = give_copy(ncz_buf_str(&fragment), &p->fragment)) != NC_NOERR ||
        (rc = give_copy(t->uri->body, &p->path)) != NC_NOERR ||
        (rc = give_copy(is_local(t) ? t->path : NULL, &p->local)) != NC_NOERR ||
        (rc = give_copy(t->shown, &p->shown)) != NC_NOERR)
        goto done;
    p->store = store_number(t);
    p->zarr_format = is_old_form(t->conventions) ? 2 : t->zarr_format;
    p->nczarr = t->conventions == NCZ_CONVENTIONS_AUTO ? -1 : t->conventions != NCZ_CONVENTIONS_ZARR;
    p->zarr = ncz_uri_mode_format(t->uri) == NCZ_URI_FORMAT_ZARR;
    p->classic = classic_version(t);
    p->netcdf4 = t->file_form == NCZ_FILE_NETCDF4;
done:
    ncz_buf_clear(&fragment);
    return rc;
}

static int
split_text(const char *text, nczarr_path_parts *parts)
{
    nczarr_path_parts p = {.size = sizeof p};
    ncz_target       *t = NULL;
    int               rc;

    if (parts == NULL || parts->size < offsetof(nczarr_path_parts, zarr) + sizeof parts->zarr)
        return ncz_fail(NC_EINVAL, "nczarr_path_split: %s",
                        parts == NULL ? "no struct for the parts" : "the caller must set the size of the struct");
    if ((rc = ncz_target_parse(text, false, &t)) == NC_NOERR)
        rc = fill_parts(t, &p);
    ncz_target_free(t);
    if (rc != NC_NOERR) {
        nczarr_path_clear(&p);
        return rc;
    }
    p.size = parts->size;
    memcpy(parts, &p, p.size < sizeof p ? p.size : sizeof p); /* a program of an earlier release has fewer members */
    return NC_NOERR;
}

int
nczarr_path_split(const char *text, nczarr_path_parts *parts)
{
    ncz_err_clear();
    return ncz_call_done(split_text(text, parts));
}

void
nczarr_path_clear(nczarr_path_parts *parts)
{
    if (parts == NULL)
        return;
    free(parts->path);
    free(parts->fragment);
    free(parts->local);
    free(parts->shown);
    parts->path = parts->fragment = parts->local = parts->shown = NULL;
}

/* ---- one place ---- */

/* A bucket that is read as a web server is still the bucket, if the URL could be that of one. */
static int
compare_remote(const ncz_target *a, const ncz_target *b, bool *overlap)
{
    int rc;

    if (a->store != NCZ_STORE_S3 && b->store != NCZ_STORE_S3)
        return NC_NOERR; /* nobody writes to web servers */
    rc = ncz_s3_overlap(a->uri, b->uri, overlap);
    if (rc != NC_NOERR && rc != NC_ENOMEM && a->store != b->store) {
        ncz_err_clear();
        return NC_NOERR;
    }
    return rc;
}

/* An archive is made in a file of another name. */
static int
compare_local(const ncz_target *a, const ncz_target *b, bool *overlap)
{
    int rc = b->store == NCZ_STORE_ZIP ? ncz_archive_overlap(a->path, b->path, overlap)
                                       : ncz_path_overlap(a->path, b->path, overlap);

    return rc == NC_NOERR && !*overlap && a->store == NCZ_STORE_ZIP ? ncz_archive_overlap(b->path, a->path, overlap)
                                                                    : rc;
}

static int
compare_places(const char *text_a, const char *text_b, bool *overlap)
{
    ncz_target *a = NULL, *b = NULL;
    int         rc;

    if ((rc = ncz_target_parse(text_a, false, &a)) != NC_NOERR ||
        (rc = ncz_target_parse(text_b, false, &b)) != NC_NOERR)
        goto done;
    if (is_local(a) && is_local(b))
        rc = compare_local(a, b, overlap);
    else if (!is_local(a) && !is_local(b))
        rc = compare_remote(a, b, overlap);
done:
    ncz_target_free(a);
    ncz_target_free(b);
    return rc;
}

/* Several files, as nc_open() reads them: each. */
static int
compare_files(const char *several, const char *b, bool *overlap)
{
    ncz_join_files files = {.n = 0};
    char          *along = NULL, *place = NULL;
    bool           sorted;
    int            rc = ncz_join_find_files(several, &files, &along, &place, &sorted);

    if (rc == NC_ENOOBJECT) /* none has such a name */
        rc = NC_NOERR;
    for (size_t i = 0; i < files.n && rc == NC_NOERR && !*overlap; i++)
        rc = compare_places(files.v[i].path, b, overlap);
    ncz_free(along);
    ncz_free(place);
    ncz_join_files_clear(&files);
    return rc;
}

int
nczarr_path_overlap(const char *a, const char *b, int *overlapp)
{
    bool overlap = false;
    int  rc;

    ncz_err_clear();
    rc = ncz_join_is_meant(a)   ? compare_files(a, b, &overlap)
         : ncz_join_is_meant(b) ? compare_files(b, a, &overlap)
                                : compare_places(a, b, &overlap);
    if (rc == NC_NOERR && overlapp != NULL)
        *overlapp = overlap;
    return ncz_call_done(rc);
}

int
nczarr_path_probe(const char *source, const char *target, int *overlapp)
{
    bool overlap = false;
    int  rc;

    ncz_err_clear();
    if ((rc = ncz_place_overlap(source, target, &overlap)) == NC_NOERR && overlapp != NULL)
        *overlapp = overlap;
    return ncz_call_done(rc);
}
