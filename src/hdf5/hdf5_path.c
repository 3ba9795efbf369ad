/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths: names of links, separated by slashes. There is no `..`; `.` is the group itself. */
#include "hdf5/hdf5_int.h"

#include <string.h>

typedef struct walk {
    ncz_hdf5 *f;
    unsigned  left; /* soft links that may still be followed */
    uint64_t  at;   /* the group, or what was found in the end */
} walk;

static int follow_path(walk *w, const char *path);

/* The link of this name. What it has lies in the object's arena. */
static int
find_link(ncz_hdf5 *f, ncz_hdf5_object *group, const char *name, size_t len, const ncz_hdf5_link **out)
{
    int rc = ncz_hdf5_links(f, group);

    if (rc != NC_NOERR)
        return rc;
    for (size_t i = 0; i < group->nlinks; i++)
        if (strncmp(group->links[i].name, name, len) == 0 && group->links[i].name[len] == 0) {
            *out = &group->links[i];
            return NC_NOERR;
        }
    return ncz_fail(NC_ENOOBJECT, "the group at address %" PRIu64 " has no link %.*s", group->addr, (int)len, name);
}

/* One step: from the group at w->at to what the name leads to. */
static int
take_step(walk *w, const char *name, size_t len)
{
    const ncz_hdf5_link *l = NULL;
    ncz_hdf5_object      group;
    int                  rc = ncz_hdf5_object_read(w->f, w->at, &group);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = find_link(w->f, &group, name, len, &l)) != NC_NOERR)
        goto done;
    if (l->kind == NCZ_HDF5_HARD)
        w->at = l->addr;
    else if (l->kind != NCZ_HDF5_SOFT)
        rc = ncz_fail(NC_ENOOBJECT, "link %s leads to another file, %s, which is not read", l->name,
                      l->file != NULL ? l->file : "as an application decides");
    else if (w->left-- == 0)
        rc = ncz_fail(NC_EHDFERR, "soft link %s is one of more than %d that lead to each other", l->name,
                      NCZ_HDF5_SOFT_LINKS);
    else
        rc = follow_path(w, l->path);
done:
    ncz_hdf5_object_clear(&group);
    return rc;
}

static int
follow_path(walk *w, const char *path)
{
    int rc = NC_NOERR;

    if (path[0] == '/')
        w->at = w->f->root;
    while (rc == NC_NOERR && *path != 0) {
        size_t len = strcspn(path, "/");

        if (len > 0 && !(len == 1 && path[0] == '.'))
            rc = take_step(w, path, len);
        path += len + (path[len] == '/');
    }
    return rc;
}

int
ncz_hdf5_find(ncz_hdf5 *f, uint64_t group, const char *path, uint64_t *addr)
{
    walk w = {.f = f, .left = NCZ_HDF5_SOFT_LINKS, .at = group};
    int  rc = follow_path(&w, path);

    if (rc == NC_NOERR)
        *addr = w.at;
    return rc;
}
