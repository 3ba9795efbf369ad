/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Resolves a path below the root to a descriptor without ever leaving the root. Links are followed as long as they
 * stay below it: openat2() ensures that, or zmap_file_resolve() where the system lacks it. Names temporary files.
 */
#include "zmap/file/zmap_file_int.h"

#include <errno.h>
#include <string.h>

#define AGAIN_MOST 64 /* retries of EAGAIN: a rename raced with a ".." in a link */

/* Whether the error means that the system has no such call; some sandboxes report EPERM for that. */
static bool
not_there(int err)
{
    return err == ENOSYS || err == EPERM;
}

int
zmap_file_beneath(file_map *f, const char *path, int flags)
{
    int fd, tries = 0;

    /* openat2() does not accept an empty path. */
    if (path[0] == '\0')
        return zmap_file_open_retry(f->root, ".", flags);
    if (!atomic_load_explicit(&f->no_beneath, memory_order_relaxed)) {
        do
            fd = zmap_sys()->name.open_beneath(f->root, path, flags);
        while (fd < 0 && (errno == EINTR || (errno == EAGAIN && ++tries < AGAIN_MOST)));
        if (fd >= 0 || !not_there(errno))
            return fd;
        /* The call is missing: do not try it again. */
        atomic_store_explicit(&f->no_beneath, true, memory_order_relaxed);
    }
    return zmap_file_resolve(f->root, path, flags);
}

int
zmap_file_beneath_part(file_map *f, const char *path, size_t len, int flags)
{
    char *part = ncz_strndup(path, len);
    int   fd, err;

    if (part == NULL) {
        errno = ENOMEM;
        return -1;
    }
    fd = zmap_file_beneath(f, part, flags);
    err = errno;
    ncz_free(part);
    errno = err;
    return fd;
}

bool
zmap_file_means_absent(int err)
{
    return err == ENOENT || err == ENOTDIR || err == ENAMETOOLONG;
}

int
zmap_file_fail(const file_map *f, int err, const char *path, const char *what)
{
    const char *slash = path[0] != '\0' ? "/" : "";

    if (err == EXDEV)
        return ncz_fail(NC_EACCESS, "%s%s%s: a link leads out of the dataset", f->dir, slash, path);
    if (err == ELOOP)
        return ncz_fail(NC_EACCESS, "%s%s%s: too many links, or links that lead in a circle", f->dir, slash, path);
    if (err == NCZ_SYS_ECASE)
        return ncz_fail(NC_EOBJECT,
                        "%s%s%s: another name in this directory differs from it in case only, which "
                        "Windows ignores; rename one, or store the dataset as an archive",
                        f->dir, slash, path);
    return ncz_fail_errno(err, "%s%s%s: %s", f->dir, slash, path, what);
}

bool
zmap_file_reserved(const char *name)
{
    static const char theirs[] = ".partial"; /* zarr-python's temporaries */
    size_t            len = strlen(name);

    return strncmp(name, ZMAP_FILE_TEMP, strlen(ZMAP_FILE_TEMP)) == 0 ||
           (len >= strlen(theirs) && strcmp(name + len - strlen(theirs), theirs) == 0);
}

const char *
zmap_file_leaf(const char *key, size_t *parent_len)
{
    const char *slash = strrchr(key, '/');

    *parent_len = slash != NULL ? (size_t)(slash - key) : 0;
    return slash != NULL ? slash + 1 : key;
}

/* ---- temporary files ---- */

/* Appends `v` in hexadecimal, with at least `least` digits. */
static char *
add_hex(char *at, uint64_t v, unsigned least)
{
    unsigned n = 16;

    while (n > least && v >> (4 * (n - 1)) == 0)
        n--;
    while (n-- > 0)
        *at++ = "0123456789abcdef"[v >> (4 * n) & 15];
    return at;
}

void
zmap_file_name_temp(file_map *f, char name[ZMAP_FILE_TEMP_NAME])
{
    char *at = name + strlen(ZMAP_FILE_TEMP);

    memcpy(name, ZMAP_FILE_TEMP, strlen(ZMAP_FILE_TEMP));
    at = add_hex(at, f->tag, 16);
    *at++ = '-';
    at = add_hex(at, atomic_fetch_add_explicit(&f->ntemps, 1, memory_order_relaxed), 1);
    *at = '\0';
}
