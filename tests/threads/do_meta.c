/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * do_meta: definitions, inquiries, failing calls. What a thread defines has its own names, and only it uses it, so
 * that it knows what must be there; all of it stands in the same two datasets that the others read and write.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world.h"

/* ---- definitions ----------------------------------------------------------------------------------------------- */

/* A thread's n-th name in a dataset: never the same again. */
static void
new_name(const actor *a, own *o, char kind, char *name)
{
    snprintf(name, 40, "%c%d_%d", kind, a->number, o->serial++);
}

static int
group_ncid(const actor *a, const wset *s, const own *o, int group)
{
    int ncid = now_open(s);

    if (group >= 0)
        OK(nc_inq_grp_ncid(now_open(s), o->groups[group], &ncid));
    return ncid;
}

/* An other thread's put may end define mode at any moment: then how the variable is stored is final already. */
static void
ok_or_late(const actor *a, int rc)
{
    if (rc != NC_ELATEDEF)
        ok(a, rc, "defining how a variable is stored");
}

static void
define_var(actor *a, wset *s, own *o)
{
    own_var *v = &o->vars[o->nvars];
    size_t   chunk = 4;
    int      ncid, dim, id;

    v->group = o->ngroups > 0 && one_in(a, 2) ? pick(a, o->ngroups) : -1;
    new_name(a, o, 'v', v->name);
    ncid = group_ncid(a, s, o, v->group);
    OK(nc_inq_dimid(ncid, "own", &dim));
    OK(nc_def_var(ncid, v->name, NC_INT, 1, &dim, &id));
    ok_or_late(a, nc_def_var_chunking(ncid, id, NC_CHUNKED, &chunk));
    if (one_in(a, 2))
        ok_or_late(a, nc_def_var_deflate(ncid, id, 0, 1, 1));
    for (int i = 0; i < OWN_DIM; i++)
        v->data[i] = NC_FILL_INT;
    o->nvars++;
}

static void
define_group(actor *a, wset *s, own *o)
{
    new_name(a, o, 'g', o->groups[o->ngroups]);
    OK(nc_def_grp(now_open(s), o->groups[o->ngroups], NULL));
    o->ngroups++;
}

static void
define_dim(actor *a, wset *s, own *o)
{
    char   name[40], other[40];
    size_t len = 1 + (size_t)pick(a, 9), have;
    int    id;

    new_name(a, o, 'd', name);
    OK(nc_def_dim(now_open(s), name, len, &id));
    o->ndims++;
    if (one_in(a, 2)) {
        new_name(a, o, 'd', other);
        OK(nc_rename_dim(now_open(s), id, other));
        OK(nc_inq_dim(now_open(s), id, name, &have));
        if (strcmp(name, other) != 0 || have != len)
            fail(a, "dimension %s of length %zu became %s of length %zu", other, len, name, have);
    }
}

static void
define_attribute(actor *a, wset *s, own *o)
{
    char name[40], other[40], text[40] = "";

    new_name(a, o, 'a', name);
    new_name(a, o, 'a', other);
    OK(nc_put_att_text(now_open(s), NC_GLOBAL, name, strlen(name), name));
    OK(nc_rename_att(now_open(s), NC_GLOBAL, name, other));
    OK(nc_get_att_text(now_open(s), NC_GLOBAL, other, text));
    if (strcmp(text, name) != 0)
        fail(a, "attribute %s holds %s, not %s", other, text, name);
    if (one_in(a, 4))
        OK(nc_copy_att(now_open(s), NC_GLOBAL, other, now_open(&a->w->sets[s->number == 0]), 0));
    if (o->natts < OWN_MOST)
        o->natts++;
    else
        OK(nc_del_att(now_open(s), NC_GLOBAL, other));
}

/* ---- what stands in a thread's own variables ------------------------------------------------------------------- */

static void
put_own(actor *a, wset *s, own *o)
{
    own_var *v = &o->vars[pick(a, o->nvars)];
    size_t   start = (size_t)pick(a, OWN_DIM), count = 1 + (size_t)pick(a, OWN_DIM - (int)start);
    int      id, ncid = group_ncid(a, s, o, v->group);

    for (size_t i = start; i < start + count; i++)
        v->data[i] = pick(a, 1000000);
    OK(nc_inq_varid(ncid, v->name, &id));
    OK(nc_put_vara_int(ncid, id, &start, &count, v->data + start));
}

/* Reads as its thread has put it; `a` looks, at what another has made, too. */
static void
check_var(const actor *a, const wset *s, const own *o, const own_var *v)
{
    int data[OWN_DIM], id, ncid = group_ncid(a, s, o, v->group);

    OK(nc_inq_varid(ncid, v->name, &id));
    OK(nc_get_var_int(ncid, id, data));
    for (int i = 0; i < OWN_DIM; i++)
        if (data[i] != v->data[i])
            fail(a, "%s[%d] is %d, not %d", v->name, i, data[i], v->data[i]);
}

void
check_own(actor *a, const actor *maker, int set)
{
    const own *o = &maker->own[set];

    for (int i = 0; i < o->nvars; i++)
        check_var(a, &a->w->sets[set], o, &o->vars[i]);
}

static void
rename_own(actor *a, wset *s, own *o)
{
    char name[40];
    int  id, ncid;

    if (o->ngroups > 0 && one_in(a, 3)) {
        int g = pick(a, o->ngroups);

        new_name(a, o, 'g', name);
        OK(nc_rename_grp(group_ncid(a, s, o, g), name));
        memcpy(o->groups[g], name, sizeof name);
    } else {
        own_var *v = &o->vars[pick(a, o->nvars)];

        new_name(a, o, 'v', name);
        ncid = group_ncid(a, s, o, v->group);
        OK(nc_inq_varid(ncid, v->name, &id));
        OK(nc_rename_var(ncid, id, name));
        memcpy(v->name, name, sizeof name);
    }
}

/* Either succeeds or is where it wanted to be: others go in and out of define mode all the time. */
static void
change_mode(actor *a, wset *s)
{
    int rc = one_in(a, 2) ? nc_redef(now_open(s)) : nc_enddef(now_open(s));

    if (rc != NC_EINDEFINE && rc != NC_ENOTINDEFINE)
        ok(a, rc, "redef or enddef");
}

void
do_define(actor *a)
{
    wset *s = &a->w->sets[pick(a, CLOSING)];
    own  *o = &a->own[s->number];
    int   what = pick(a, 12);

    if (what == 0 && o->ngroups < OWN_MOST)
        define_group(a, s, o);
    else if (what <= 1 && o->ndims < OWN_MOST)
        define_dim(a, s, o);
    else if (o->nvars == 0 || (what <= 3 && o->nvars < OWN_MOST))
        define_var(a, s, o);
    else if (what <= 5)
        define_attribute(a, s, o);
    else if (what <= 7)
        put_own(a, s, o);
    else if (what <= 9)
        check_var(a, s, o, &o->vars[pick(a, o->nvars)]);
    else if (what == 10 && a->w->renames)
        rename_own(a, s, o);
    else
        change_mode(a, s);
}

/* ---- inquiries ------------------------------------------------------------------------------------------------- */

static int
inquire_var(const actor *a, const wset *s, int ncid, const wvar *v)
{
    char    name[NC_MAX_NAME + 1] = "";
    nc_type type = NC_NAT;
    size_t  chunk[2] = {0, 0};
    int     rank = 0, id = -1, storage = -1, rc, kept = v->contiguous ? NC_CONTIGUOUS : NC_CHUNKED;
    double  fill = 0;

    if ((rc = nc_inq_var(ncid, v->id, name, &type, &rank, NULL, NULL)) != NC_NOERR ||
        (rc = nc_inq_varid(ncid, v->name, &id)) != NC_NOERR ||
        (rc = nc_inq_var_chunking(ncid, v->id, &storage, chunk)) != NC_NOERR ||
        (rc = nc_get_att_double(ncid, v->id, "_FillValue", &fill)) != NC_NOERR)
        return rc;
    if (strcmp(name, v->name) != 0 || type != v->type || rank != 2 || id != v->id || storage != kept ||
        (!v->contiguous && memcmp(chunk, v->chunk, sizeof chunk) != 0) || fill != FILL)
        fail(a, "set %d, %s: its definition is another now", s->number, v->name);
    return NC_NOERR;
}

static int
inquire_rows(const actor *a, wset *s, int ncid)
{
    uint64_t known = atomic_load_explicit(&s->grown, memory_order_relaxed);
    size_t   len = 0;
    int      dim = -1, rc;

    if ((rc = nc_inq_unlimdim(ncid, &dim)) != NC_NOERR || (rc = nc_inq_dimlen(ncid, dim, &len)) != NC_NOERR)
        return rc;
    if (len < known || len > atomic_load_explicit(&s->growing, memory_order_relaxed))
        fail(a, "set %d has %zu rows; put before were %llu", s->number, len, (unsigned long long)known);
    return NC_NOERR;
}

static int
inquire_groups(const actor *a, int ncid)
{
    char name[NC_MAX_NAME + 1];
    int  ids[OWN_MOST * ACTORS], n = 0, rc;

    if ((rc = nc_inq_grps(ncid, &n, ids)) != NC_NOERR)
        return rc;
    for (int i = 0; i < n; i++) {
        if ((rc = nc_inq_grpname(ids[i], name)) != NC_NOERR)
            return rc;
        if (name[0] != 'g')
            fail(a, "a group is called %s", name);
    }
    return NC_NOERR;
}

static int
inquire_counts(const actor *a, int ncid)
{
    char   path[400];
    int    nvars = 0, natts = 0, ndims = 0, rc;
    size_t len;

    if ((rc = nc_inq(ncid, &ndims, &nvars, &natts, NULL)) != NC_NOERR ||
        (rc = nc_inq_path(ncid, &len, path)) != NC_NOERR)
        return rc;
    if (nvars < VARS || ndims < VARS || strlen(path) != len)
        fail(a, "%d dimensions and %d variables; its path is %s", ndims, nvars, path);
    return nc_inq_varids(ncid, &nvars, NULL);
}

void
do_inquire(actor *a)
{
    wset *s = pick_set(a);
    int   what = pick(a, 5), ncid = now_open(s), rc;

    if (what <= 1)
        rc = inquire_var(a, s, ncid, pick_var(a, s));
    else if (what == 2)
        rc = inquire_rows(a, s, ncid);
    else if (what == 3 && !a->w->classic)
        rc = inquire_groups(a, ncid);
    else
        rc = inquire_counts(a, ncid);
    if (!gone(s, rc))
        ok(a, rc, "inquiring");
}

/* A call that fails says so to its own thread, in its own words, and changes nothing. */
void
do_error(actor *a)
{
    wset  *s = pick_set(a);
    char   name[40];
    size_t start[2] = {0, 1000000}, count[2] = {1, 1};
    int    rc, x = 1, id;

    snprintf(name, sizeof name, "no-such-%d-%d", a->number, pick(a, 1000));
    rc = nc_inq_varid(now_open(s), name, &id);
    if (!gone(s, rc) && (rc != NC_ENOTVAR || strstr(nczarr_errmsg(), name) == NULL))
        fail(a, "inquiring about %s: %d, %s", name, rc, nczarr_errmsg());
    rc = nc_put_vara_int(now_open(s), s->vars[0].id, start, count, &x);
    if (!gone(s, rc) && (rc != NC_EINVALCOORDS || strstr(nczarr_errmsg(), s->vars[0].name) == NULL))
        fail(a, "putting where there is nothing: %d, %s", rc, nczarr_errmsg());
}
