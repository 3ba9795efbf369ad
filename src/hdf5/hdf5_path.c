/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Paths: names of links, separated by slashes. There is no `..`; `.` is the group itself.
 *
 * The links of groups that paths lead through are kept, since thousands of soft links can lead through one group. What
 * all paths of a file may cost is bounded by its size: a few steps for each of its bytes.
 */
#include "hdf5/hdf5_int.h"

#include <stdio.h>
#include <string.h>

enum {
    KEPT_LINKS = 1 << 18, /* of all groups that are kept; then they are read again */
    STEPS_LEAST = 1 << 20,
    STEPS_TIMES = 4,
};

/* A group: its object has the links, whose indexes `names` has. */
typedef struct table {
    uint64_t        addr;
    ncz_hdf5_object group;
    ncz_names       names;
} table;

struct ncz_hdf5_tables {
    table   **v;
    size_t    n, cap, nlinks;
    ncz_names addrs; /* of groups, as text -> number */
    uint64_t  steps; /* links that were followed or read so far */
};

typedef struct walk {
    ncz_hdf5 *f;
    unsigned  left; /* soft links that may still be followed */
    uint64_t  at;   /* the group, or what was found in the end */
} walk;

static int follow_path(walk *w, const char *path);

static void
clear_tables(ncz_hdf5_tables *all)
{
    for (size_t i = 0; i < all->n; i++) {
        ncz_names_clear(&all->v[i]->names);
        ncz_hdf5_object_clear(&all->v[i]->group);
        ncz_free(all->v[i]);
    }
    ncz_names_clear(&all->addrs);
    all->n = all->nlinks = 0;
}

void
ncz_hdf5_tables_free(ncz_hdf5_tables *all)
{
    if (all == NULL)
        return;
    clear_tables(all);
    ncz_free(all->v);
    ncz_free(all);
}

static int
count_steps(ncz_hdf5 *f, uint64_t n)
{
    f->tables->steps += n;
    if (f->tables->steps <= STEPS_LEAST + f->size * STEPS_TIMES)
        return NC_NOERR;
    return ncz_fail(NC_EHDFERR,
                    "the soft links of the file lead through more links than a file of %" PRIu64 " bytes has",
                    f->size);
}

static int
load_table(ncz_hdf5 *f, uint64_t addr, table *t)
{
    int rc = ncz_hdf5_object_read(f, addr, &t->group);

    if (rc != NC_NOERR || (rc = ncz_hdf5_links(f, &t->group)) != NC_NOERR)
        return rc;
    ncz_hdf5_object_drop_header(&t->group);
    t->addr = addr;
    for (size_t i = 0; i < t->group.nlinks && rc == NC_NOERR; i++)
        rc = ncz_names_refer_first(&t->names, t->group.links[i].name, i);
    return rc;
}

/* Puts it among those that are kept, which then own it. */
static int
keep_table(ncz_hdf5_tables *all, const char *key, table *t)
{
    int rc;

    if (all->nlinks + t->group.nlinks > KEPT_LINKS)
        clear_tables(all);
    if ((rc = ncz_make_room(&all->v, all->n, &all->cap, sizeof(table *))) != NC_NOERR ||
        (rc = ncz_names_put(&all->addrs, key, all->n)) != NC_NOERR)
        return rc;
    all->nlinks += t->group.nlinks + 1;
    all->v[all->n++] = t;
    return NC_NOERR;
}

static int
find_table(ncz_hdf5 *f, uint64_t addr, const table **out)
{
    ncz_hdf5_tables *all = f->tables;
    table           *t;
    char             key[24];
    size_t           i;
    int              rc;

    (void)snprintf(key, sizeof key, "%" PRIx64, addr);
    if (ncz_names_get(&all->addrs, key, &i)) {
        *out = all->v[i];
        return NC_NOERR;
    }
    if ((t = ncz_zalloc(sizeof *t)) == NULL)
        return ncz_fail_nomem(sizeof *t);
    t->group.arena = NCZ_ARENA_INIT;
    if ((rc = load_table(f, addr, t)) == NC_NOERR && (rc = count_steps(f, t->group.nlinks)) == NC_NOERR &&
        (rc = keep_table(all, key, t)) == NC_NOERR) {
        *out = t;
        return NC_NOERR;
    }
    ncz_names_clear(&t->names);
    ncz_hdf5_object_clear(&t->group);
    ncz_free(t);
    return rc;
}

static int
find_link(ncz_hdf5 *f, uint64_t group, const char *name, size_t len, const ncz_hdf5_link **out)
{
    const table *t = NULL;
    char        *key;
    size_t       i;
    bool         found;
    int          rc = find_table(f, group, &t);

    if (rc != NC_NOERR || (rc = count_steps(f, 1)) != NC_NOERR)
        return rc;
    if ((key = ncz_strndup(name, len)) == NULL)
        return ncz_fail_nomem(len + 1);
    found = ncz_names_get(&t->names, key, &i);
    ncz_free(key);
    if (!found)
        return ncz_fail(NC_ENOOBJECT, "the group at address %" PRIu64 " has no link %.*s", group, (int)len, name);
    *out = &t->group.links[i];
    return NC_NOERR;
}

/* The path is in a table, which another one may take the place of. */
static int
follow_soft_link(walk *w, const char *path)
{
    char *copy = ncz_strdup(path);
    int   rc;

    if (copy == NULL)
        return ncz_fail_nomem(strlen(path) + 1);
    rc = follow_path(w, copy);
    ncz_free(copy);
    return rc;
}

/* One step: from the group at w->at to what the name leads to. */
static int
take_step(walk *w, const char *name, size_t len)
{
    const ncz_hdf5_link *l = NULL;
    int                  rc = find_link(w->f, w->at, name, len, &l);

    if (rc != NC_NOERR)
        return rc;
    switch (l->kind) {
    case NCZ_HDF5_HARD: w->at = l->addr; return NC_NOERR;
    case NCZ_HDF5_LOST_LINK: return ncz_fail(NC_ENOOBJECT, "link %s cannot be read: %s", l->name, l->path);
    case NCZ_HDF5_SOFT: break;
    default:
        return ncz_fail(NC_ENOOBJECT, "link %s leads to another file, %s, which is not read", l->name,
                        l->file != NULL ? l->file : "as an application decides");
    }
    if (w->left-- == 0)
        return ncz_fail(NC_EHDFERR, "soft link %s is one of more than %d that lead to each other", l->name,
                        NCZ_HDF5_SOFT_LINKS);
    return follow_soft_link(w, l->path);
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
    int  rc;

    if (f->tables == NULL) {
        if ((f->tables = ncz_zalloc(sizeof *f->tables)) == NULL)
            return ncz_fail_nomem(sizeof *f->tables);
        f->tables->addrs = NCZ_NAMES_INIT;
    }
    if ((rc = follow_path(&w, path)) == NC_NOERR)
        *addr = w.at;
    return rc;
}

void
ncz_hdf5_forget_paths(ncz_hdf5 *f)
{
    ncz_hdf5_tables_free(f->tables);
    f->tables = NULL;
}
