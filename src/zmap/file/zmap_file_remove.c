/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zmap_file_remove(): removes a directory tree after checking all of it. Follows no link and does not leave the file
 * system it began on. The tree is renamed first, so that a process that dies half-way leaves no dataset with holes
 * under the old name.
 */
#include "zmap/file/zmap_file_int.h"

#include <errno.h>
#include <string.h>

#define DEPTH_MOST 256 /* each level holds one descriptor and one stack frame */

typedef enum remove_pass { LOOK, REMOVE } remove_pass;

typedef struct remover {
    const char *dir; /* for error texts */
    dev_t       dev;
    remove_pass pass;
    bool        all;                        /* also what is not a dataset's */
    size_t     *found;                      /* counts what is not a directory; NULL: nobody asks */
    bool (*is_temporary)(const char *name); /* another writer's temporary */
} remover;

static int
remove_fail(const remover *r, const char *name)
{
    return ncz_fail_errno(errno, "%s: \"%.80s\" in it cannot be removed", r->dir, name);
}

static int remove_below(const remover *r, int dir, unsigned depth, bool *any);

/* Removes a directory from the bottom up. On some file systems a pass may miss entries that its own deletions moved,
 * so a pass that found entries is repeated while the directory is not empty. */
static int
remove_dir(const remover *r, int parent, const char *name, unsigned depth)
{
    int  fd, rc;
    bool any = true;

    do {
        if ((fd = zmap_sys()->name.openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)) < 0)
            return remove_fail(r, name);
        if ((rc = remove_below(r, fd, depth + 1, &any)) != NC_NOERR || r->pass == LOOK)
            return rc;
        if (zmap_sys()->name.unlinkat(parent, name, AT_REMOVEDIR) == 0)
            return NC_NOERR;
    } while (any && (errno == ENOTEMPTY || errno == EEXIST));
    return remove_fail(r, name);
}

static bool
is_temporary(const remover *r, const char *name)
{
    if (strncmp(name, ZMAP_FILE_TEMP, strlen(ZMAP_FILE_TEMP)) == 0)
        return true;
    return r->is_temporary != NULL && r->is_temporary(name);
}

/* Lists show neither temporaries nor names that are not keys, so no caller has checked these files. */
static int
check_unlisted(const remover *r, const char *name)
{
    if (zmap_key_valid(name) && (!zmap_file_reserved(name) || is_temporary(r, name)))
        return NC_NOERR;
    return ncz_fail(NC_EOBJECT, "%s: \"%.80s\" in it is not part of a dataset: nothing is removed", r->dir, name);
}

static int
remove_entry(const remover *r, int dir, const char *name, unsigned depth)
{
    ncz_stat st;

    if (zmap_sys()->name.fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? NC_NOERR : remove_fail(r, name);
    if (st.st_dev != r->dev)
        return ncz_fail(NC_EOBJECT, "%s: \"%.80s\" in it is another file system: nothing is removed", r->dir, name);
    if (S_ISDIR(st.st_mode))
        return remove_dir(r, dir, name, depth);
    if (!S_ISREG(st.st_mode) && !r->all)
        return ncz_fail(NC_EOBJECT,
                        "%s: \"%.80s\" in it is neither a regular file nor a directory: nothing is removed", r->dir,
                        name);
    if (r->pass == LOOK && r->found != NULL)
        ++*r->found;
    if (r->pass == LOOK)
        return r->all ? NC_NOERR : check_unlisted(r, name);
    if (zmap_sys()->name.unlinkat(dir, name, 0) != 0 && errno != ENOENT)
        return remove_fail(r, name);
    return NC_NOERR;
}

/* Closes the descriptor `dir`. *any: the directory had an entry. */
static int
remove_below(const remover *r, int dir, unsigned depth, bool *any)
{
    const ncz_dirent *e;
    ncz_dir          *d;
    int               rc = NC_NOERR;

    *any = false;
    if (depth > DEPTH_MOST || (d = zmap_sys()->dir.fdopendir(dir)) == NULL) {
        rc = depth > DEPTH_MOST ? ncz_fail(NC_EOBJECT, "%s: more than %d directories deep", r->dir, DEPTH_MOST)
                                : remove_fail(r, ".");
        zmap_sys()->file.close(dir);
        return rc;
    }
    for (;;) {
        errno = 0;
        if ((e = zmap_sys()->dir.readdir(d)) == NULL) {
            if (errno != 0)
                rc = remove_fail(r, ".");
            break;
        }
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        *any = true;
        if ((rc = remove_entry(r, dir, e->d_name, depth)) != NC_NOERR)
            break;
    }
    zmap_sys()->dir.closedir(d);
    return rc;
}

/* Renames the tree. If that fails (a mount point, a name too long), the tree is removed in place. */
static int
set_aside(char **path)
{
    uint64_t chance = 0;
    char    *aside;

    (void)zmap_sys()->getrandom(&chance, sizeof chance, 0);
    if ((aside = ncz_sprintf("%s.removed-%016llx", *path, (unsigned long long)chance)) == NULL)
        return ncz_fail_nomem(strlen(*path) + 32);
    if (zmap_sys()->name.rename_new(AT_FDCWD, *path, AT_FDCWD, aside) != 0) {
        ncz_free(aside);
        return NC_NOERR;
    }
    ncz_free(*path);
    *path = aside;
    return NC_NOERR;
}

/* Checks the whole tree. If `last` is REMOVE, and nothing foreign is there, removes it. */
static int
take_tree(const char *dir, remover r, remove_pass last)
{
    ncz_stat st;
    char    *path = NULL;
    size_t   len;
    int      rc;

    if (dir == NULL || dir[0] == '\0')
        return ncz_fail(NC_EINVAL, "a directory without a name");
    for (len = strlen(dir); len > 1 && dir[len - 1] == '/'; len--)
        ; /* "link/" would be the target of the link */
    if ((path = ncz_strndup(dir, len)) == NULL)
        return ncz_fail_nomem(len + 1);

    if (zmap_sys()->name.fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        rc = errno == ENOENT || errno == ENOTDIR ? ncz_fail(NC_ENOOBJECT, "%s: no such directory", dir)
                                                 : ncz_fail_errno(errno, "%s: cannot be inspected", dir);
        goto done;
    }
    if (!S_ISDIR(st.st_mode)) {
        rc = ncz_fail(NC_EOBJECT, "%s: is not a directory", dir);
        goto done;
    }
    r.dev = st.st_dev;
    /* The first pass only looks: one foreign file, and nothing is renamed or removed. */
    if ((rc = remove_dir(&r, AT_FDCWD, path, 0)) == NC_NOERR && last == REMOVE &&
        (rc = set_aside(&path)) == NC_NOERR) {
        r.pass = REMOVE;
        rc = remove_dir(&r, AT_FDCWD, path, 0);
    }
done:
    ncz_free(path);
    return rc;
}

int
zmap_file_remove(const char *dir, bool (*is_other)(const char *name))
{
    return take_tree(dir, (remover){.dir = dir, .pass = LOOK, .is_temporary = is_other}, REMOVE);
}

int
zmap_file_remove_all(const char *dir)
{
    return take_tree(dir, (remover){.dir = dir, .pass = LOOK, .all = true}, REMOVE);
}

int
zmap_file_count_all(const char *dir, size_t *n)
{
    *n = 0;
    return take_tree(dir, (remover){.dir = dir, .pass = LOOK, .all = true, .found = n}, LOOK);
}

int
zmap_file_removable(const char *dir, bool (*is_other)(const char *name))
{
    return take_tree(dir, (remover){.dir = dir, .pass = LOOK, .is_temporary = is_other}, LOOK);
}
