/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Drafts of the file store: a temporary of its full size, beside the name that it is to have, whose ranges any threads
 * write. To publish it is the rest of a put (zmap_file_put.c). Readers ignore its name; a writer that dies leaves it,
 * as a put does. Of a process that forks only the parent publishes it or removes it.
 */
#include "zmap/file/zmap_file_int.h"

#include <errno.h>
#include <string.h>

typedef struct file_draft {
    file_dir *dir;
    file_temp temp; /* stays open, so that it can be read after it has its name */
    void     *map;  /* or NULL */
    size_t    nmap;
} file_draft;

static file_map *
map_of(const zmap_draft *d)
{
    return (file_map *)d->m;
}

/* Removes the directories that were made for it. Nothing was changed, so one that stays empty is no failure. */
static void
remove_temp(file_map *f, const char *key, file_draft *fd)
{
    zmap_sys()->name.unlinkat(fd->dir->fd, fd->temp.name, 0);
    zmap_file_dir_close(f, fd->dir);
    fd->dir = NULL;
    (void)zmap_file_remove_empty(f, key);
}

static int
begin_draft(zmap *m, zmap_draft *d)
{
    file_map   *f = (file_map *)m;
    file_draft *fd = ncz_alloc(sizeof *fd);
    int         rc;

    if (fd == NULL)
        return ncz_fail_nomem(sizeof *fd);
    *fd = (file_draft){.temp = {.fd = -1, .readable = true}};
    if ((rc = zmap_file_temp_open(f, d->key, &fd->dir, &fd->temp)) != NC_NOERR) {
        zmap_file_dir_close(f, fd->dir);
        ncz_free(fd);
        return rc;
    }
    if (zmap_sys()->file.ftruncate(fd->temp.fd, (off_t)d->size) != 0) {
        rc = zmap_file_fail(f, errno, d->key, "cannot get its size");
        zmap_sys()->file.close(fd->temp.fd);
        remove_temp(f, d->key, fd);
        ncz_free(fd);
        return rc;
    }
    d->state = fd;
    return NC_NOERR;
}

/* The name comes from another process: it must be one of a temporary. */
static int
join_draft(zmap *m, zmap_draft *d, const char *name)
{
    file_map   *f = (file_map *)m;
    size_t      parent_len;
    const char *leaf = zmap_file_leaf(d->key, &parent_len);
    file_draft *fd;
    int         dir, rc = zmap_file_check_put(f, d->key, leaf);

    if (rc != NC_NOERR)
        return rc;
    if (strncmp(name, ZMAP_FILE_TEMP, strlen(ZMAP_FILE_TEMP)) != 0 || strchr(name, '/') != NULL ||
        strlen(name) >= ZMAP_FILE_TEMP_NAME)
        return ncz_fail(NC_EINVAL, "%s/%s: \"%.64s\" is no name of a temporary file", f->dir, d->key, name);
    if ((fd = ncz_zalloc(sizeof *fd)) == NULL)
        return ncz_fail_nomem(sizeof *fd);
    if ((dir = zmap_file_beneath_part(f, d->key, parent_len, FILE_DIR_FLAGS)) >= 0) {
        memcpy(fd->temp.name, name, strlen(name) + 1);
        fd->temp.fd = zmap_file_open_retry(dir, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    }
    if (dir < 0 || fd->temp.fd < 0) {
        rc = zmap_file_fail(f, errno, d->key, "the temporary file of another process cannot be opened");
        ncz_free(fd);
    }
    if (dir >= 0)
        zmap_sys()->file.close(dir);
    if (rc == NC_NOERR)
        d->state = fd;
    return rc;
}

static const char *
name_draft(const zmap_draft *d)
{
    return ((const file_draft *)d->state)->temp.name;
}

static int
write_draft(zmap_draft *d, uint64_t off, const void *data, size_t len)
{
    const file_draft *fd = d->state;
    zmap_part         part = {data, len};
    int               err = zmap_file_write_parts(fd->temp.fd, &part, 1, (off_t)off);

    return err == 0 ? NC_NOERR : zmap_file_fail(map_of(d), err, d->key, "cannot be written");
}

static int
read_draft(zmap_draft *d, uint64_t off, void *into, size_t len)
{
    const file_draft *fd = d->state;
    size_t            n = 0;
    int               rc = zmap_file_read_full(map_of(d), d->key, fd->temp.fd, into, len, (off_t)off, &n);

    if (rc == NC_NOERR && n < len)
        rc = ncz_fail(NC_EIO, "%s/%s: ended %zu bytes early before it had its name", map_of(d)->dir, d->key, len - n);
    return rc;
}

static void
unmap_draft(file_draft *fd)
{
    if (fd->map != NULL)
        ncz_sys_unmap(fd->map, fd->nmap);
    fd->map = NULL;
}

static int
map_draft(zmap_draft *d, const void **out)
{
    file_draft *fd = d->state;

    if (fd->map == NULL) {
        if (d->size > SIZE_MAX || (fd->map = ncz_sys_map(fd->temp.fd, (size_t)d->size)) == NULL)
            return zmap_file_fail(map_of(d), d->size > SIZE_MAX ? ENOMEM : errno, d->key,
                                  "cannot be mapped before it has its name");
        fd->nmap = (size_t)d->size;
    }
    *out = fd->map;
    return NC_NOERR;
}

/*
 * Through a second descriptor, found by the name, since it must be closed before the file gets its name: some file
 * systems report only then that bytes could not be written. The first one is for those who still read.
 */
static int
publish_draft(zmap_draft *d, uint64_t size, zmap_put_req *r)
{
    file_map   *f = map_of(d);
    file_draft *fd = d->state;
    file_temp   again = fd->temp;
    int         err = 0;

    unmap_draft(fd);
    if ((again.fd = zmap_file_open_retry(fd->dir->fd, again.name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)) < 0)
        return zmap_file_fail(f, errno, r->key, "its temporary file cannot be opened again");
    if (size < d->size && zmap_sys()->file.ftruncate(again.fd, (off_t)size) != 0)
        err = errno;
    if ((err = zmap_file_temp_settle(f, &again, r, err)) != 0)
        return zmap_file_fail(f, err, r->key, "cannot be written");
    return zmap_file_temp_name(f, fd->dir, &again, r);
}

static void
end_draft(zmap_draft *d)
{
    file_map   *f = map_of(d);
    file_draft *fd = d->state;

    unmap_draft(fd);
    if (d->joined) {
        zmap_file_joined(f, fd->temp.fd);
        ncz_free(fd);
        return;
    }
    zmap_sys()->file.close(fd->temp.fd);
    if (!d->published && zmap_draft_is_own(d))
        remove_temp(f, d->key, fd);
    else
        zmap_file_dir_close(f, fd->dir);
    ncz_free(fd);
}

const zmap_draft_ops zmap_file_drafts = {
    .begin = begin_draft,
    .join = join_draft,
    .name = name_draft,
    .write = write_draft,
    .read = read_draft,
    .map = map_draft,
    .publish = publish_draft,
    .end = end_draft,
};
