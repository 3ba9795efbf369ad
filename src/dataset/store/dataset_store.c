/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_store: opens the store of a target (a parsed path or URL): finds which kind of store it is, whether
 * something exists there, and whether that may be replaced. Only what is recognisably a complete dataset is ever
 * removed.
 */
#include "dataset/dataset_int.h"
#include "platform/platform.h"
#include "zmap/file/zmap_file.h"
#include "zip/zip.h"
#include "zmap/zmap_block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef enum found {
    FOUND_NOTHING,
    FOUND_DIRECTORY,
    FOUND_FILE,
    FOUND_EMPTY, /* an empty file */
    FOUND_ZIP,
} found;

static int
look_at_path(const char *path, found *out)
{
    ncz_stat st;

    if (ncz_system.name.fstatat(AT_FDCWD, path, &st, 0) != 0) {
        if (errno != ENOENT && errno != ENOTDIR)
            return ncz_fail_errno(errno, "%s", path);
        *out = FOUND_NOTHING;
    } else if (S_ISDIR(st.st_mode)) {
        *out = FOUND_DIRECTORY;
    } else {
        *out = !S_ISREG(st.st_mode) || ncz_store_is_file(path) ? FOUND_FILE
               : ncz_zip_looks_like(path)                      ? FOUND_ZIP
               : st.st_size == 0                               ? FOUND_EMPTY
                                                               : FOUND_FILE;
    }
    return NC_NOERR;
}

/* ---- zip ---- */

static int
zip_options(const ncz_target *t, ncz_zip_opts *out)
{
    const char *order = ncz_uri_frag(t->uri, "zip.order");

    *out = (ncz_zip_opts){.prefix = ncz_uri_frag(t->uri, "zip.prefix"), .is_document = ncz_dialects_is_top_document};
    if (order != NULL && strcmp(order, "sorted") != 0 && strcmp(order, "any") != 0)
        return ncz_fail(NC_EINVAL, "zip.order=%s: sorted or any", order);
    out->sorted = order != NULL && strcmp(order, "sorted") == 0;
    return NC_NOERR;
}

static int
zip_open(const ncz_target *t, bool writable, zmap **out)
{
    ncz_zip_opts opts;
    int          rc;

    if ((rc = zip_options(t, &opts)) != NC_NOERR)
        return rc;
    return ncz_zip_open(t->path, writable ? ZMAP_OPEN_WRITE : ZMAP_OPEN_READ, &opts, out);
}

/* netCDF-C opens only archives whose contents are below one directory, named after the file; other readers want none.
 * *own is storage for the prefix, for ncz_free(). */
static int
zip_create_options(const ncz_target *t, ncz_zip_opts *out, char **own)
{
    const char *slash = strrchr(t->path, '/'), *name = slash != NULL ? slash + 1 : t->path;
    size_t      len = strlen(name);
    int         rc;

    if ((rc = zip_options(t, out)) != NC_NOERR || out->prefix != NULL || t->conventions == NCZ_CONVENTIONS_ZARR)
        return rc;
    if (len > 4 && strcasecmp(name + len - 4, ".zip") == 0)
        len -= 4;
    if ((*own = ncz_strndup(name, len)) == NULL)
        return ncz_fail_nomem(len + 1);
    /* A file's name need not be valid in a key. */
    out->prefix = zmap_key_valid(*own) ? *own : "data";
    return NC_NOERR;
}

static int
zip_create(const ncz_target *t, bool replace, zmap **out)
{
    ncz_zip_opts opts;
    char        *own = NULL;
    int          rc;

    if ((rc = zip_create_options(t, &opts, &own)) == NC_NOERR) {
        opts.replace = replace;
        rc = ncz_zip_open(t->path, ZMAP_CREATE_NEW, &opts, out);
    }
    ncz_free(own);
    return rc;
}

int
ncz_store_create_block(const ncz_target *t, size_t room, zmap **out)
{
    ncz_zip_opts opts;
    char        *own = NULL;
    int          rc;

    if ((rc = zip_create_options(t, &opts, &own)) == NC_NOERR)
        rc = ncz_zip_mem_open(NULL, room, ZMAP_CREATE_NEW, &opts, out);
    ncz_free(own);
    return rc;
}

int
ncz_store_open_block(const ncz_target *t, void *block, size_t len, bool locked, zmap **out)
{
    ncz_zip_opts opts;
    int          rc;

    if (ncz_dialects_is_file(block, len))
        return zmap_block_open(block, len, !locked, out);
    if ((rc = zip_options(t, &opts)) != NC_NOERR)
        return rc;
    return ncz_zip_mem_open(block, len, locked ? ZMAP_OPEN_READ : ZMAP_OPEN_WRITE, &opts, out);
}

int
ncz_store_take_block(zmap *map, void **block, size_t *len)
{
    return (zmap_caps_of(map) & ZMAP_SINGLE) != 0 ? zmap_block_take(map, block, len)
                                                  : ncz_zip_mem_take(map, block, len);
}

/*
 * Nothing is at the path. Where something is at the part before a '#', the rest was probably meant as a fragment: it
 * was taken for a part of the name since its key is unknown.
 */
static int
fail_nothing(const char *path)
{
    const char *hash = strchr(path, '#'), *nearest;
    found       what = FOUND_NOTHING;
    char       *before = NULL, *key = NULL;
    int         rc;

    for (; hash != NULL && what == FOUND_NOTHING; hash = strchr(hash + 1, '#')) {
        ncz_free(before);
        ncz_free(key);
        before = ncz_strndup(path, (size_t)(hash - path));
        key = ncz_strndup(hash + 1, strcspn(hash + 1, "=&,"));
        if (before == NULL || key == NULL || (before[0] != '\0' && look_at_path(before, &what) != NC_NOERR))
            break;
    }
    if (what == FOUND_NOTHING && ncz_name_is_file(path)) /* the system's code, as of netCDF-C */
        rc = ncz_fail(ENOENT, "%s: no such file", path);
    else if (what == FOUND_NOTHING)
        rc = ncz_fail(
            NC_ENOOBJECT,
            "%s: no file or directory; expected a directory or archive with Zarr documents, or a netCDF file", path);
    else if ((nearest = ncz_uri_key_nearest(key)) != NULL)
        rc = ncz_fail(NC_ENOOBJECT, "%s: no file or directory, but there is %s; unknown key #%s: did you mean %s=?",
                      path, before, key, nearest);
    else
        rc = ncz_fail(NC_ENOOBJECT,
                      "%s: no file or directory, but there is %s; unknown key #%s: nczarr_url(7) lists the keys",
                      path, before, key);
    ncz_free(before);
    ncz_free(key);
    return rc;
}

int
ncz_store_open(const ncz_target *t, bool writable, zmap **out)
{
    found what;
    int   rc;

    if (ncz_remote(t))
        return ncz_remote_open(t, writable, out);
    if ((rc = look_at_path(t->path, &what)) != NC_NOERR)
        return rc;
    switch (what) {
    case FOUND_NOTHING: return fail_nothing(t->path);
    case FOUND_ZIP: return zip_open(t, writable, out);
    case FOUND_EMPTY:
    case FOUND_FILE: return ncz_store_open_file(t->path, writable, out);
    case FOUND_DIRECTORY: break;
    }
    return zmap_file_open(t->path, writable ? ZMAP_OPEN_WRITE : ZMAP_OPEN_READ, out);
}

int
ncz_store_follow(ncz_target *t)
{
    char *real, *own;

    if (ncz_remote(t) || t->store == NCZ_STORE_ZIP) /* the store of an archive follows links itself */
        return NC_NOERR;
    if ((real = ncz_sys_follow(t->path)) == NULL)
        return ncz_fail_errno(errno, "%s", t->path);
    own = ncz_strdup(real);
    free(real);
    if (own == NULL)
        return ncz_fail_nomem(strlen(t->path));
    ncz_free(t->path);
    t->path = own;
    return NC_NOERR;
}

/* Checks that the store holds a dataset, or the remains of a writer that died, and nothing else, and that no running
 * process is creating one. *n: its objects. */
static int
check_all_dataset(zmap *map, const ncz_target *t, int refusal, size_t *n)
{
    ncz_owner_scope scope = ncz_owner_scope_of(t);
    ncz_key_list    keys = NCZ_KEY_LIST_INIT;
    int             rc = ncz_owner_all_keys(map, t->path, refusal, scope, &keys);

    if (rc == NC_NOERR && scope == NCZ_OWNER_DATASET && ncz_zip_others(map) != 0)
        rc = ncz_fail(NC_EEXIST, "%s holds entries that are not part of a dataset: nothing is removed", t->path);
    if (rc == NC_NOERR && keys.n > 0)
        rc = ncz_claim_check_free(map, t->path);
    *n = keys.n;
    ncz_key_list_clear(&keys);
    return rc;
}

/* Checks that the dataset at the path may be removed. */
static int
check_removable(const ncz_target *t, found what, int refusal, size_t *n)
{
    const ncz_zip_opts opts = {.is_document = ncz_dialects_is_top_document};
    zmap              *map = NULL;
    int                rc;

    rc = what == FOUND_ZIP ? ncz_zip_open(t->path, ZMAP_OPEN_READ, &opts, &map)
                           : zmap_file_open(t->path, ZMAP_OPEN_READ, &map);
    if (rc != NC_NOERR)
        return rc;
    if (!t->replace_all || what == FOUND_ZIP)
        rc = check_all_dataset(map, t, refusal, n);
    else if ((rc = zmap_file_count_all(t->path, n)) == NC_NOERR) /* what is there may be no object */
        rc = ncz_claim_check_free(map, t->path);
    (void)zmap_close(map, ZMAP_KEEP); /* it was only read */
    return rc;
}

/* Makes a new store in a directory that is empty, or holds what may be removed. */
static int
replace_directory(const ncz_target *t, zmap **out)
{
    size_t n;
    int    rc = zmap_file_open(t->path, ZMAP_CREATE_NEW, out);

    if (rc != NC_EOBJECT)
        return rc;
    if ((rc = check_removable(t, FOUND_DIRECTORY, NC_EEXIST, &n)) == NC_NOERR)
        rc = t->replace_all ? zmap_file_remove_all(t->path) : zmap_file_remove(t->path, ncz_dialects_owns_temporary);
    return rc == NC_NOERR ? zmap_file_open(t->path, ZMAP_CREATE_NEW, out) : rc;
}

/* An existing archive stays until the new one replaces it at the first commit. */
static int
create_archive(const ncz_target *t, found what, zmap **out)
{
    size_t n;
    int    rc;

    if (what == FOUND_DIRECTORY || (what == FOUND_FILE && !t->replace_all))
        return ncz_fail(NC_EEXIST, "%s is %s: it is not replaced by an archive", t->path,
                        what == FOUND_FILE ? "a file, but no archive" : "a directory");
    if (what == FOUND_ZIP && (rc = check_removable(t, what, NC_EEXIST, &n)) != NC_NOERR)
        return rc;
    return zip_create(t, what != FOUND_NOTHING, out);
}

/* Removes an empty file, which programs make to reserve a name, or one that is a dataset by itself. */
static int
remove_replaced_file(const char *path)
{
    ncz_stat st;

    if (ncz_system.name.fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return ncz_fail_errno(errno, "%s", path);
    if (!S_ISREG(st.st_mode))
        return ncz_fail(NC_EEXIST, "%s is not a plain file: it is not replaced by a directory", path);
    if (st.st_size != 0 && !ncz_store_is_file(path))
        return ncz_fail(NC_EEXIST, "%s is a file: it is not replaced by a directory", path);
    return ncz_system.name.unlinkat(AT_FDCWD, path, 0) == 0 ? NC_NOERR
                                                            : ncz_fail_errno(errno, "%s: replacing the file", path);
}

int
ncz_store_create(const ncz_target *t, int cmode, zmap **out)
{
    found what;
    int   rc;

    if (ncz_remote(t))
        return ncz_remote_create(t, out);
    if ((rc = look_at_path(t->path, &what)) != NC_NOERR)
        return rc;
    if (what != FOUND_NOTHING && (cmode & NC_NOCLOBBER) != 0)
        return ncz_fail(NC_EEXIST, "%s exists", t->path);
    if (t->store == NCZ_STORE_ZIP)
        return create_archive(t, what, out);
    if ((what == FOUND_EMPTY || what == FOUND_FILE) && (rc = remove_replaced_file(t->path)) != NC_NOERR)
        return rc;
    if (what == FOUND_ZIP)
        return ncz_fail(NC_EEXIST, "%s is a file: it is not replaced by a directory", t->path);
    if (what == FOUND_DIRECTORY)
        return replace_directory(t, out);
    return zmap_file_open(t->path, ZMAP_CREATE_NEW, out);
}

/* If another writer came first, the objects are his, and stay. */
int
ncz_store_create_claimed(const ncz_target *t, int cmode, zmap **out, char **claim)
{
    zmap *map = NULL;
    int   rc;

    if (ncz_remote(t))
        return ncz_remote_create_claimed(t, cmode, out, claim);
    if ((rc = ncz_store_create(t, cmode, &map)) != NC_NOERR)
        return rc;
    if ((rc = ncz_claim_put(map, ncz_dataset_choose_dialect(t), t->shown, claim)) != NC_NOERR) {
        ncz_err err;

        ncz_err_save(&err, rc);
        (void)zmap_close(map, rc == NC_EEXIST ? ZMAP_KEEP : ZMAP_DISCARD);
        return ncz_err_adopt(&err);
    }
    *out = map;
    return NC_NOERR;
}

int
ncz_store_check_vacant(const ncz_target *t, int cmode)
{
    found what;
    int   rc;

    if (ncz_remote(t)) /* checked at creation */
        return NC_NOERR;
    if ((rc = look_at_path(t->path, &what)) != NC_NOERR)
        return rc;
    if (what != FOUND_NOTHING && (cmode & NC_NOCLOBBER) != 0)
        return ncz_fail(NC_EEXIST, "%s exists", t->path);
    return NC_NOERR;
}

/* Checks the files of a directory that no list of objects shows. */
static int
check_files(const char *path)
{
    char *real = ncz_sys_follow(path);
    int   rc =
        real != NULL ? zmap_file_removable(real, ncz_dialects_owns_temporary) : ncz_fail_errno(errno, "%s", path);

    free(real);
    return rc;
}

/* Checks what nc_delete() does, and counts what would go. */
static int
check_place(const ncz_target *t, found *what, size_t *n)
{
    int rc = look_at_path(t->path, what);

    if (rc != NC_NOERR)
        return rc;
    if (*what == FOUND_NOTHING) /* of a file the system's code, as of netCDF-C */
        return ncz_fail(ncz_name_is_file(t->path) ? ENOENT : NC_ENOOBJECT,
                        "%s: no file or directory: nothing to delete", t->path);
    *n = 1;
    if (*what == FOUND_FILE)
        return ncz_store_is_file(t->path) ? NC_NOERR : ncz_fail(NC_ENOTNC, "%s is a file, not a dataset", t->path);
    if (*what == FOUND_EMPTY)
        return ncz_fail(NC_ENOTNC, "%s is a file, not a dataset", t->path);
    if ((rc = check_removable(t, *what, NC_ENOTNC, n)) != NC_NOERR || *what == FOUND_ZIP || t->replace_all)
        return rc;
    return check_files(t->path);
}

static bool
is_link(const char *path)
{
    ncz_stat st;

    return ncz_system.name.fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
}

/* Of a link the link goes, as with netCDF-C, and what it leads to stays. */
int
ncz_store_remove(const ncz_target *t)
{
    found  what;
    size_t n;
    int    rc;

    if (ncz_remote(t))
        return ncz_remote_remove(t);
    if ((rc = check_place(t, &what, &n)) != NC_NOERR)
        return rc;
    if (what == FOUND_FILE || is_link(t->path))
        return ncz_system.name.unlinkat(AT_FDCWD, t->path, 0) == 0
                   ? NC_NOERR
                   : ncz_fail_errno(errno, "%s: removing the file", t->path);
    if (what == FOUND_ZIP)
        return ncz_zip_remove(t->path);
    return t->replace_all ? zmap_file_remove_all(t->path) : zmap_file_remove(t->path, ncz_dialects_owns_temporary);
}

int
ncz_store_removable(const ncz_target *t, size_t *n)
{
    found what;

    return ncz_remote(t) ? ncz_remote_removable(t, n) : check_place(t, &what, n);
}
