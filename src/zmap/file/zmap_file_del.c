/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deletes objects of a directory, and the directories that are empty then.
 */
#include "zmap/file/zmap_file_int.h"

#include <errno.h>
#include <string.h>

/*
 * Removes empty directories, from `path` upwards. It usually ends at one that is not empty, which is not a failure.
 */
static void
remove_empty(file_map *f, char *path)
{
    while (path[0] != '\0') {
        size_t      parent_len;
        const char *leaf = zmap_file_leaf(path, &parent_len);
        int         parent = zmap_file_beneath_part(f, path, parent_len, FILE_DIR_FLAGS);
        int         rc;

        if (parent < 0)
            return;
        /* The system refuses a directory that is not empty, so a put that runs at the same time loses nothing. */
        rc = zmap_sys()->name.unlinkat(parent, leaf, AT_REMOVEDIR);
        zmap_sys()->file.close(parent);
        if (rc != 0)
            return;
        zmap_file_made_forget(f, path, strlen(path));
        zmap_file_touch_dir(f, path, parent_len);
        path[parent_len] = '\0';
    }
}

int
zmap_file_remove_empty(file_map *f, const char *key)
{
    size_t parent_len;
    char  *parent;

    (void)zmap_file_leaf(key, &parent_len);
    if ((parent = ncz_strndup(key, parent_len)) == NULL)
        return ncz_fail_nomem(parent_len + 1);
    remove_empty(f, parent);
    ncz_free(parent);
    return NC_NOERR;
}

int
zmap_file_removed(file_map *f, const char *key)
{
    size_t parent_len;

    (void)zmap_file_leaf(key, &parent_len);
    zmap_file_made_forget(f, key, strlen(key));
    zmap_file_touch_dir(f, key, parent_len);
    return zmap_file_remove_empty(f, key);
}

/* Does nothing for a key that is absent or only a prefix of others. */
static int
del_one(file_map *f, const char *key)
{
    size_t      parent_len;
    const char *leaf = zmap_file_leaf(key, &parent_len);
    char       *parent = NULL;
    int         dir = -1, rc = NC_NOERR;

    if ((rc = zmap_file_check_failed(f)) != NC_NOERR || zmap_file_reserved(leaf))
        return rc;
    if ((parent = ncz_strndup(key, parent_len)) == NULL)
        return ncz_fail_nomem(parent_len + 1);
    if ((dir = zmap_file_beneath(f, parent, FILE_DIR_FLAGS)) < 0) {
        rc = zmap_file_means_absent(errno) ? NC_NOERR : zmap_file_fail(f, errno, key, "cannot be removed");
    } else if (zmap_sys()->name.unlinkat(dir, leaf, 0) == 0) {
        zmap_file_made_forget(f, key, strlen(key));
        zmap_file_touch_dir(f, key, parent_len);
        remove_empty(f, parent);
    } else if (errno != EISDIR && !zmap_file_means_absent(errno)) {
        rc = zmap_file_fail(f, errno, key, "cannot be removed");
    }
    if (dir >= 0)
        zmap_sys()->file.close(dir);
    ncz_free(parent);
    return rc;
}

int
zmap_file_del(zmap *m, const char *const *keys, size_t n)
{
    ncz_err first = {.code = NC_NOERR};

    for (size_t i = 0; i < n; i++) {
        int rc = del_one((file_map *)m, keys[i]);

        zmap_file_drop_held((file_map *)m, keys[i]);
        if (rc != NC_NOERR && first.code == NC_NOERR)
            ncz_err_save(&first, rc);
    }
    return first.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&first);
}
