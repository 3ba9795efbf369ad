/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * do_life: storing, closing and opening while others are at work; a second look at what is stored; datasets of a
 * thread's own; the number of the library's threads.
 */
#include <stdio.h>
#include <stdlib.h>

#include "world.h"

/* Everything that was put before the call began is stored when it is done. */
void
do_sync(actor *a)
{
    wset    *s = pick_set(a);
    uint64_t since = hist_tick();
    int      rc = nc_sync(now_open(s));

    if (gone(s, rc))
        return;
    ok(a, rc, "nc_sync");
    raise_to(&s->synced, since);
}

/* One at a time. The ncid is wrong from the moment that it is closed, for all. */
void
do_reopen(actor *a)
{
    wset    *s = &a->w->sets[CLOSING];
    int      ncid = now_open(s), id;
    uint64_t since;

    if (atomic_exchange_explicit(&s->busy, true, memory_order_relaxed))
        return;
    ncid = now_open(s);
    since = hist_tick();
    OK(nc_close(ncid));
    raise_to(&s->synced, since);
    if (nc_close(ncid) != NC_EBADID || nczarr_errmsg()[0] == '\0')
        fail(a, "closed twice: %s", nczarr_errmsg());
    OK(world_open(s, NC_WRITE, &ncid));
    for (int k = 0; k < VARS; k++) {
        OK(nc_inq_varid(ncid, s->vars[k].name, &id));
        if (id != s->vars[k].id)
            fail(a, "variable %s has another id", s->vars[k].name);
    }
    atomic_store_explicit(&s->ncid, ncid, memory_order_relaxed);
    atomic_store_explicit(&s->busy, false, memory_order_relaxed);
}

/* A netCDF-4 file that is committed between the first look at it and the lock says so: it is to be opened again. */
static int
open_to_look(const actor *a, const wset *s, int *ncid)
{
    int rc = world_open(s, NC_NOWRITE, ncid);

    for (int tries = 0; a->w->netcdf4 && rc == NC_EIO && tries < 100; tries++)
        rc = world_open(s, NC_NOWRITE, ncid);
    return rc;
}

/* Opens, for reading, a dataset that is being written: it holds at least what was stored before. */
void
do_look(actor *a)
{
    wset    *s = pick_set(a);
    uint64_t since = atomic_load_explicit(&s->synced, memory_order_relaxed);
    int      ncid;

    if (!a->w->lookers || since == 0)
        return;
    OK(open_to_look(a, s, &ncid));
    get_from(a, s, ncid, since);
    OK(nc_close(ncid));
}

/* While others are at work on data: what is under way ends first. */
void
do_threads(actor *a)
{
    if (one_in(a, 4))
        OK(nc_finalize());
    else
        OK(nczarr_set_threads(pick(a, 5)));
}

static void
fill_private(const actor *a, int ncid, int x)
{
    int    dim, var;
    size_t at = 3;

    OK(nc_def_dim(ncid, "x", 7, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &var));
    OK(nc_put_var1_int(ncid, var, &at, &x));
}

static void
check_private(const actor *a, int ncid, int x)
{
    int    have = 0;
    size_t at = 3;

    OK(nc_get_var1_int(ncid, 0, &at, &have));
    if (have != x)
        fail(a, "a dataset of its own holds %d, not %d", have, x);
    OK(nc_close(ncid));
}

/* Made, closed, opened, removed; or made and dropped. */
void
do_private(actor *a)
{
    char        path[300], url[400];
    int         ncid, x = pick(a, 1000000);
    nczarr_map *map;

    if (one_in(a, 2)) {
        OK(nczarr_map_memory(&map));
        OK(nczarr_create_map(map, NULL, NC_CLOBBER, &ncid));
        fill_private(a, ncid, x);
        OK(nc_close(ncid));
        OK(nczarr_open_map(map, NULL, NC_NOWRITE, &ncid));
        OK(nczarr_map_close(map));
        check_private(a, ncid, x);
        return;
    }
    snprintf(path, sizeof path, "%s/own%d.%s", a->w->dir, a->number, a->w->archive ? "zip" : "zarr");
    snprintf(url, sizeof url, "file://%s#mode=nczarr&durability=none", path);
    OK(nc_create(url, NC_NOCLOBBER, &ncid));
    fill_private(a, ncid, x);
    if (one_in(a, 3)) {
        OK(nc_abort(ncid));
        return;
    }
    OK(nc_close(ncid));
    OK(nc_open(path, NC_NOWRITE, &ncid));
    check_private(a, ncid, x);
    OK(nc_delete(path));
}
