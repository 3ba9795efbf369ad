/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The path of each object of a file, which is the value of a reference to it. Groups are gone through level by level,
 * so that the first path met is the shortest.
 */
#include "dialects/dialects.h"
#include "dialects/netcdf4/netcdf4.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct walk {
    ncz_loader       *l;
    ncz_netcdf4_file *file;
    ncz_netcdf4_path *v; /* of all objects met, in that order */
    size_t            n, cap;
    ncz_names         met; /* their addresses, as text */
    uint64_t          nbytes;
} walk;

static int
add_object(walk *w, uint64_t addr, const char *group, const char *name)
{
    size_t n = strlen(group), more = strlen(name), slash = n > 0 && group[n - 1] == '/' ? 0 : 1;
    char   key[24], *path;
    int    rc;

    (void)snprintf(key, sizeof key, "%" PRIx64, addr);
    if (ncz_names_get(&w->met, key, &(size_t){0}))
        return NC_NOERR;
    if (w->n >= w->l->m->limits.objects)
        return ncz_fail(NC_EHDFERR, "the file has more than %zu objects (limit `objects`)", w->l->m->limits.objects);
    if ((w->nbytes += n + more) > ncz_netcdf4_most_bytes(w->file))
        return ncz_fail(NC_EHDFERR, "the paths of the file's objects have more than %" PRIu64 " bytes",
                        ncz_netcdf4_most_bytes(w->file));
    if ((path = ncz_arena_get(&w->l->m->arena, n + slash + more + 1)) == NULL)
        return ncz_fail_nomem(n + slash + more + 1);
    memcpy(path, group, n);
    memset(path + n, '/', slash);
    memcpy(path + n + slash, name, more + 1);
    if ((rc = ncz_make_room(&w->v, w->n, &w->cap, sizeof *w->v)) != NC_NOERR ||
        (rc = ncz_names_put(&w->met, key, w->n)) != NC_NOERR)
        return rc;
    w->v[w->n++] = (ncz_netcdf4_path){.addr = addr, .path = path};
    return NC_NOERR;
}

/* Under the name that is shown. */
static int
add_link(walk *w, const char *group, const ncz_hdf5_link *link)
{
    const char *name;
    int         rc;

    if (link->kind != NCZ_HDF5_HARD)
        return NC_NOERR;
    rc = ncz_dialects_show_name(link->name, true, &w->l->m->arena, &name);
    if (rc == NC_NOERR)
        return add_object(w, link->addr, group, name);
    if (rc == NC_ENOMEM)
        return rc;
    ncz_err_clear(); /* it is told where objects are shown */
    return NC_NOERR;
}

static int
add_members(walk *w, const char *path, uint64_t addr)
{
    ncz_hdf5_object o;
    int             rc = ncz_hdf5_object_read(w->file->f, addr, &o);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_hdf5_links(w->file->f, &o)) == NC_NOERR)
        for (size_t i = 0; i < o.nlinks && rc == NC_NOERR; i++)
            rc = add_link(w, path, &o.links[i]);
    ncz_hdf5_object_clear(&o);
    return rc;
}

static int
compare_paths(const void *a, const void *b)
{
    uint64_t x = ((const ncz_netcdf4_path *)a)->addr, y = ((const ncz_netcdf4_path *)b)->addr;

    return x < y ? -1 : x > y;
}

/* Sorted, and as long as the model. */
static int
keep_paths(walk *w)
{
    ncz_netcdf4_path *kept = ncz_arena_get_n(&w->l->m->arena, w->n, sizeof *kept);

    if (kept == NULL)
        return ncz_fail_nomem(w->n * sizeof *kept);
    memcpy(kept, w->v, w->n * sizeof *kept);
    qsort(kept, w->n, sizeof *kept, compare_paths);
    w->file->paths = kept;
    w->file->npaths = w->n;
    return NC_NOERR;
}

int
ncz_netcdf4_paths_read(ncz_loader *l, ncz_netcdf4_file *file)
{
    walk w = {.l = l, .file = file, .met = NCZ_NAMES_INIT};
    int  rc = add_object(&w, ncz_hdf5_root(file->f), "/", "");

    for (size_t i = 0; i < w.n && rc == NC_NOERR; i++) {
        rc = add_members(&w, w.v[i].path, w.v[i].addr);
        if (rc == NC_ENOTBUILT || (rc == NC_EHDFERR && w.n < l->m->limits.objects)) {
            ncz_err_clear(); /* what is damaged is told when it is shown */
            rc = NC_NOERR;
        }
    }
    if (rc == NC_NOERR)
        rc = keep_paths(&w);
    ncz_names_clear(&w.met);
    ncz_free(w.v);
    return rc;
}

const char *
ncz_netcdf4_path_of(const ncz_netcdf4_file *file, uint64_t addr)
{
    const ncz_netcdf4_path wanted = {.addr = addr}, *found;

    found = file->npaths > 0 ? bsearch(&wanted, file->paths, file->npaths, sizeof *file->paths, compare_paths) : NULL;
    return found != NULL ? found->path : "";
}
