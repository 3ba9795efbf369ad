/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_one_object: stores of datasets that are one object: a plain file, an object at a URL, an entry of an archive.
 * The format says by its first bytes that it is such a one.
 */
#include "dataset/dataset_int.h"
#include "platform/platform.h"
#include "zip/zip.h"
#include "zmap/zmap_block.h"
#include "zmap/zmap_mem.h"
#include "zmap/zmap_single.h"

#include <errno.h>
#include <string.h>

enum {
    SIGNATURE = 8,
    HEAD = 4096 + SIGNATURE,        /* bytes that show the format of a file: an HDF5 superblock may be at 4096, */
    ENTRY_HEAD = 65536 + SIGNATURE, /* or at any double of that. Of an entry the first ones are looked at */
};

/* Does the format's head follow a block of the user that is longer than what was read? */
static bool
follows_block(int fd)
{
    char     bytes[SIGNATURE];
    uint64_t at = 8192;

    while (at <= INT64_MAX / 2 &&
           ncz_system.file.pread(fd, bytes, sizeof bytes, (off_t)at) == (ssize_t)sizeof bytes) {
        if (ncz_dialects_follows_block(bytes, sizeof bytes))
            return true;
        at *= 2;
    }
    return false;
}

bool
ncz_store_is_file(const char *path)
{
    char    head[HEAD];
    ssize_t n = -1;
    bool    is = false;
    int     fd = ncz_system.name.openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);

    if (fd >= 0) {
        n = ncz_system.file.read(fd, head, sizeof head);
        is = n > 0 && (ncz_dialects_is_file(head, (size_t)n) || (n == HEAD && follows_block(fd)));
        (void)ncz_system.file.close(fd);
    }
    return is;
}

/* ---- files of other formats that netCDF users know, for error texts ---- */

enum { LOOKED_AT = 512 };

/* The first bytes of a file, and how many there are; -1: it cannot be read. */
static ssize_t
read_head(const char *path, unsigned char head[LOOKED_AT])
{
    ssize_t n = -1;
    int     fd = ncz_system.name.openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);

    if (fd >= 0) {
        n = ncz_system.file.read(fd, head, LOOKED_AT);
        (void)ncz_system.file.close(fd);
    }
    return n;
}

int
ncz_fail_other_format(const char *path)
{
    unsigned char head[LOOKED_AT];
    ssize_t       n = read_head(path, head);
    const char   *other = n >= 0 ? ncz_dialects_name_other(head, (size_t)n) : NULL;

    if (other != NULL)
        return ncz_fail(NC_ENOTNC, "%s: %s", path, other);
    return ncz_fail(NC_ENOTNC,
                    "%s: a file, but not a zip archive; a dataset is a directory or archive with Zarr "
                    "documents, or a netCDF file",
                    path);
}

int
ncz_store_open_file(const char *path, bool writable, zmap **out)
{
    return ncz_store_is_file(path) ? zmap_single_file(path, writable ? ZMAP_OPEN_WRITE : ZMAP_OPEN_READ, false, out)
                                   : ncz_fail_other_format(path);
}

int
ncz_store_open_copy(const void *bytes, size_t len, zmap **out)
{
    zmap   *inner = NULL;
    ncz_err err;
    int     rc = zmap_mem_open(&inner);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = zmap_put(inner, "data", bytes, len)) == NC_NOERR &&
        (rc = zmap_single_open(inner, "data", ZMAP_OPEN_WRITE, false, out)) == NC_NOERR)
        return rc;
    ncz_err_save(&err, rc);
    (void)zmap_close(inner, ZMAP_DISCARD);
    return ncz_err_adopt(&err);
}

static bool
ends_in_one(const char *path, const char *const *endings, size_t n)
{
    size_t len = strlen(path);

    for (size_t i = 0; i < n; i++) {
        size_t end = strlen(endings[i]);

        if (len > end && strcasecmp(path + len - end, endings[i]) == 0)
            return true;
    }
    return false;
}

bool
ncz_name_is_file(const char *path)
{
    static const char *const endings[] = {".nc", ".nc3", ".nc4", ".cdf", ".h5", ".hdf5", ".he5"};

    return ends_in_one(path, endings, NCZ_LEN(endings));
}

/* Files that are read, but not made. */
static bool
is_hdf4_name(const char *path)
{
    static const char *const endings[] = {".hdf", ".hdf4"};

    return ends_in_one(path, endings, NCZ_LEN(endings));
}

bool
ncz_store_is_one(const ncz_target *t)
{
    return t->one_object == NCZ_YES ||
           (t->one_object == NCZ_UNSET && (ncz_name_is_file(t->path) || is_hdf4_name(t->path)));
}

/* ---- an entry of an archive ---- */

enum { DATASETS_MOST = 4 }; /* that a text names */

typedef struct entries {
    const char *wanted; /* NULL: any */
    char       *key;    /* the first one found */
    char       *named;  /* the first one whose name is that of a file */
    size_t      n;
    char       *datasets[DATASETS_MOST]; /* directories of datasets, those that are in no other one */
    size_t      ndatasets;
    int         rc;
} entries;

/* Notes the directory of a document. A walk comes to upper ones first. */
static void
note_dataset(entries *e, const char *key)
{
    const char *slash = strrchr(key, '/');
    size_t      len = slash != NULL ? (size_t)(slash - key) : 0;

    if (len == 0 || e->ndatasets == DATASETS_MOST || !ncz_dialects_is_top_document(slash + 1, strlen(slash + 1)))
        return;
    for (size_t i = 0; i < e->ndatasets; i++) {
        size_t n = strlen(e->datasets[i]);

        if (strncmp(key, e->datasets[i], n) == 0 && key[n] == '/')
            return;
    }
    if ((e->datasets[e->ndatasets] = ncz_strndup(key, len)) != NULL)
        e->ndatasets++;
    else
        e->rc = ncz_fail_nomem(len + 1);
}

static int
note_entry(const char *key, uint64_t size, void *arg)
{
    entries *e = arg;

    (void)size;
    if (strncmp(key, "__MACOSX/", 9) == 0)
        return 0;
    note_dataset(e, key);
    if (e->rc != NC_NOERR || (e->wanted != NULL && strcmp(key, e->wanted) != 0))
        return e->rc != NC_NOERR;
    if (e->n++ == 0 && (e->key = ncz_strdup(key)) == NULL)
        e->rc = ncz_fail_nomem(strlen(key) + 1);
    if (e->named == NULL && ncz_name_is_file(key) && (e->named = ncz_strdup(key)) == NULL)
        e->rc = ncz_fail_nomem(strlen(key) + 1);
    return (e->n > 1 && e->named != NULL) || e->rc != NC_NOERR;
}

/* Explains an archive without a dataset at its top. Returns NC_ENOTNC without a text where there is nothing to say. */
static int
explain_entries(const zmap *archive, const char *path, const entries *e)
{
    ncz_buf others = NCZ_BUF_INIT;
    int     rc = NC_NOERR;

    if (ncz_zip_backslashes(archive))
        return ncz_fail(
            NC_ENOTNC,
            "%s: the names of its entries have '\\' for '/', as old versions of PowerShell write them: unpack "
            "it, and pack it again",
            path);
    if (e->ndatasets == 0 && (e->n <= 1 || e->named == NULL))
        return NC_ENOTNC;
    for (size_t i = 1; rc == NC_NOERR && i < e->ndatasets; i++)
        rc = ncz_buf_printf(&others, "%s%s", i == 1 ? "; it has " : ", ", e->datasets[i]);
    if (rc == NC_NOERR && others.len > 0)
        rc = ncz_buf_puts(&others, e->ndatasets == DATASETS_MOST ? " and perhaps others, too" : ", too");
    if (rc == NC_NOERR && e->ndatasets > 0)
        rc = ncz_fail(NC_ENOTNC,
                      "%s: its dataset is beside other entries: name it as in file://%s#mode=zip&zip.prefix=%s%s",
                      path, path, e->datasets[0], ncz_buf_str(&others));
    else if (rc == NC_NOERR)
        rc = ncz_fail(NC_ENOTNC, "%s: it has several entries: name one as in file://%s#mode=zip&zip.prefix=%s", path,
                      path, e->named);
    ncz_buf_clear(&others);
    return rc;
}

static int
is_dataset(zmap *archive, const char *key, bool *is)
{
    zmap_get_req r = {.key = key, .len = ENTRY_HEAD, .cut = true};
    int          rc;

    (void)zmap_get_batch(archive, &r, 1, NULL, NULL);
    rc = r.err.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&r.err);
    *is = rc == NC_NOERR && ncz_dialects_is_file(r.body.data, r.body.len);
    ncz_buf_clear(&r.body);
    return rc;
}

/* A compressed entry is read once, into memory. */
static int
read_entry(zmap *archive, const char *key, zmap **out)
{
    ncz_buf body = NCZ_BUF_LIMIT(ncz_limits_default.object_bytes);
    int     rc = zmap_get(archive, key, &body);

    if (rc == NC_NOERR && (rc = zmap_block_open(body.data, body.len, true, out)) == NC_NOERR)
        (void)zmap_close(archive, ZMAP_KEEP); /* it was only read */
    else
        ncz_buf_clear(&body);
    return rc;
}

int
ncz_store_open_entry(const ncz_target *t, zmap **out)
{
    const ncz_zip_opts opts = {.prefix = ""};
    entries            e = {.wanted = t->uri != NULL ? ncz_uri_frag(t->uri, "zip.prefix") : NULL};
    zmap              *archive = NULL;
    bool               is = false;
    int                rc;

    if ((rc = ncz_zip_open(t->path, ZMAP_OPEN_READ, &opts, &archive)) != NC_NOERR)
        return rc;
    (void)zmap_walk(archive, "", note_entry, &e);
    rc = e.rc;
    if (rc == NC_NOERR && e.n == 1)
        rc = is_dataset(archive, e.key, &is);
    ncz_err_clear();
    if (rc == NC_NOERR && !is)
        rc = explain_entries(archive, t->path, &e);
    if (rc == NC_NOERR)
        rc = ncz_zip_in_ranges(archive, e.key) ? zmap_single_open(archive, e.key, ZMAP_OPEN_READ, false, out)
                                               : read_entry(archive, e.key, out);
    if (rc != NC_NOERR)
        (void)zmap_close(archive, ZMAP_KEEP); /* it was only read */
    ncz_free(e.key);
    ncz_free(e.named);
    for (size_t i = 0; i < e.ndatasets; i++)
        ncz_free(e.datasets[i]);
    return rc;
}
