/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts in pieces of the file store: the steps of a put (zmap_file_put.c), with the temporary open between them. It has
 * a name that readers ignore; a writer that dies leaves it, as a put does.
 */
#include "zmap/file/zmap_file_int.h"

typedef struct file_writer {
    file_dir *dir;
    file_temp temp;
} file_writer;

int
zmap_file_begin(zmap *m, zmap_writer *w)
{
    file_writer *fw = ncz_zalloc(sizeof *fw);
    int          rc;

    if (fw == NULL)
        return ncz_fail_nomem(sizeof *fw);
    if ((rc = zmap_file_temp_open((file_map *)m, w->key, &fw->dir, &fw->temp)) != NC_NOERR) {
        zmap_file_dir_close((file_map *)m, fw->dir);
        ncz_free(fw);
        return rc;
    }
    w->state = fw;
    return NC_NOERR;
}

int
zmap_file_append(zmap_writer *w, const void *data, size_t len)
{
    int err = zmap_file_write_full(((file_writer *)w->state)->temp.fd, data, len);

    return err == 0 ? NC_NOERR : zmap_file_fail((file_map *)w->m, err, w->key, "cannot be written");
}

static void
free_writer(zmap_writer *w)
{
    file_writer *fw = w->state;

    zmap_file_dir_close((file_map *)w->m, fw->dir);
    ncz_free(fw);
}

/* Nothing was changed, so a directory that stays empty is no failure. */
static void
remove_directory(zmap_writer *w)
{
    ncz_err text;

    ncz_err_save(&text, NC_EINVAL);
    (void)zmap_file_remove_empty((file_map *)w->m, w->key);
    (void)ncz_err_adopt(&text);
}

int
zmap_file_commit(zmap_writer *w, zmap_put_req *r)
{
    file_map    *f = (file_map *)w->m;
    file_writer *fw = w->state;
    int          rc = zmap_file_temp_end(f, fw->dir->fd, &fw->temp, r, 0);

    if (rc == NC_NOERR)
        rc = zmap_file_temp_publish(f, fw->dir, &fw->temp, r);
    free_writer(w);
    if (rc != NC_NOERR)
        remove_directory(w);
    return rc;
}

void
zmap_file_abandon(zmap_writer *w)
{
    file_writer *fw = w->state;

    zmap_sys()->file.close(fw->temp.fd);
    zmap_sys()->name.unlinkat(fw->dir->fd, fw->temp.name, 0);
    free_writer(w);
    remove_directory(w);
}
