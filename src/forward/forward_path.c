/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * forward_path: whose a path or URL is. This library's are URLs with a mode of Zarr, URLs of object stores, and, to
 * open, directories and zip archives: netCDF-C opens neither by a plain path. Every other path is libnetcdf's.
 */
#include "forward/forward_int.h"

#include "uri/uri.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum path_owner {
    OWNER_OURS,
    OWNER_THEIRS,
    OWNER_BY_CONTENT, /* a local path without a mode: what is there decides; *local is its path */
} path_owner;

static path_owner
owner_of(ncz_uri *u, char **local)
{
    switch (ncz_uri_mode_format(u)) {
    case NCZ_URI_FORMAT_ZARR:
    case NCZ_URI_FORMAT_FILE: return OWNER_OURS;
    case NCZ_URI_FORMAT_OTHER: return OWNER_THEIRS;
    case NCZ_URI_FORMAT_NONE: break;
    }
    if (u->scheme != NULL && strcmp(u->scheme, "file") != 0)
        return ncz_uri_scheme_s3(u->scheme) != NCZ_URI_NO_S3 ? OWNER_OURS : OWNER_THEIRS;
    *local = u->path;
    u->path = NULL;
    return OWNER_BY_CONTENT;
}

/* What cannot be parsed here may be a URL of libnetcdf's. A path that is too much for the memory is nobody's: the wrong
 * library would create something else at it. */
static int
find_owner(const char *path, path_owner *owner, char **local)
{
    ncz_uri *u = NULL;
    int      rc;

    *owner = OWNER_OURS; /* no path is refused by ours */
    if (path == NULL || path[0] == '\0')
        return NC_NOERR;
    if ((rc = ncz_uri_parse(path, &u)) == NC_NOERR) {
        *owner = owner_of(u, local);
    } else if (rc != NC_ENOMEM) {
        ncz_err_clear();
        *owner = OWNER_THEIRS;
        rc = NC_NOERR;
    }
    ncz_uri_free(u);
    return rc;
}

/* The first entry of a zip archive, or an archive without entries. */
static bool
begins_as_zip(const unsigned char *s, size_t n)
{
    return n >= 4 && s[0] == 'P' && s[1] == 'K' && ((s[2] == 3 && s[3] == 4) || (s[2] == 5 && s[3] == 6));
}

static bool
is_zip_file(const char *path)
{
    unsigned char head[4];
    ssize_t       n;
    int           fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (fd < 0)
        return false;
    n = read(fd, head, sizeof head);
    (void)close(fd);
    return n > 0 && begins_as_zip(head, (size_t)n);
}

/* A directory, or a zip archive. */
static bool
is_ours(const char *path)
{
    struct stat st;

    if (path == NULL || stat(path, &st) != 0)
        return false;
    return S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) && is_zip_file(path));
}

int
ncz_forward_create_path(const char *path, bool *theirs)
{
    char      *local = NULL;
    path_owner owner;
    int        rc = find_owner(path, &owner, &local);

    ncz_free(local);
    *theirs = owner != OWNER_OURS;
    return rc;
}

int
ncz_forward_open_path(const char *path, bool *theirs)
{
    char      *local = NULL;
    path_owner owner;
    int        rc = find_owner(path, &owner, &local);

    *theirs = owner == OWNER_THEIRS || (owner == OWNER_BY_CONTENT && !is_ours(local));
    ncz_free(local);
    return rc;
}

int
ncz_forward_block(const char *path, const void *memory, size_t nbytes, bool *theirs)
{
    *theirs = false;
    if (memory == NULL || begins_as_zip(memory, nbytes))
        return NC_NOERR;
    return ncz_forward_create_path(path, theirs);
}

int
ncz_forward_opened(int rc, int *ncidp)
{
    ncz_forward_fn close_it;

    if (rc != NC_NOERR || ncidp == NULL || *ncidp < NCZ_FORWARD_FIRST_ID)
        return rc;
    if ((close_it = ncz_forward_find(NCZ_FORWARD_nc_close)) != NULL)
        (void)((int (*)(int))close_it)(*ncidp);
    *ncidp = -1;
    return ncz_fail(NC_ENFILE, "libnetcdf has so many files open that its next ncid would be one of ours");
}
