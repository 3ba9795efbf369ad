/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the tree to a dataset: data. A list of values is put in as few boxes as row-major order allows, straight from
 * the tree's memory. Values that the text omits are not written, because they read as fill. Only for a variable that
 * is not pre-filled is fill written, in pieces of limited size.
 */
#include "gen_int.h"

#include "common/var_inquiry.h"

#include <stdlib.h>
#include <string.h>

#define FILL_BYTES ((size_t)1 << 20)

/* The current place in one variable. */
typedef struct place {
    gen_writer    *w;
    const gen_var *v;
    size_t        *start, *count; /* rank entries each */
    char          *fill;          /* a run of fill values; NULL until it is needed */
    size_t         fill_n;
    bool           nofill;
} place;

static int
put_box(place *pl, const void *values)
{
    const gen_writer *w = pl->w;
    const gen_var    *v = pl->v;
    int               ncid = w->grpids[v->index], varid = w->varids[v->index];
    int               rc;

    rc = v->rank == 0 ? nc_put_var(ncid, varid, values) : nc_put_vara(ncid, varid, pl->start, pl->count, values);
    return rc == NC_NOERR ? NC_NOERR : gen_nc_error(w, rc, v->pos, "data of variable", v->name);
}

/*
 * Sets the largest box of at most `most` elements at the `at`-th element of the dimensions [d, rank): whole inner
 * dimensions while they fit, then as much as possible of the next one. Returns its size in elements.
 */
static size_t
set_box(place *pl, size_t d, size_t at, size_t most)
{
    const gen_var *v = pl->v;
    size_t         box = 1, k, room;

    for (k = v->rank - 1; k > d; k--) {
        pl->start[k] = at % (size_t)v->dims[k]->size;
        at /= (size_t)v->dims[k]->size;
        pl->count[k] = 1;
    }
    pl->start[d] = at;
    pl->count[d] = 1;
    for (k = v->rank - 1; k > d && pl->start[k] == 0 && v->dims[k]->size <= most / box; k--) {
        pl->count[k] = (size_t)v->dims[k]->size;
        box *= pl->count[k];
    }
    room = k == d && v->dims[k]->unlimited ? SIZE_MAX : (size_t)v->dims[k]->size - pl->start[k];
    pl->count[k] = most / box < room ? most / box : room;
    return box * pl->count[k];
}

/* Puts the elements [at, at + n) of the dimensions [d, rank) in row-major order. `values` NULL: fill. */
static int
put_range(place *pl, size_t d, size_t at, size_t n, const char *values)
{
    size_t item = gen_ref_size(&pl->v->type);
    size_t cap = pl->w->opts->put_bytes == 0 ? SIZE_MAX : pl->w->opts->put_bytes / item + 1;
    int    rc = NC_NOERR;

    if (pl->v->rank == 0)
        return n == 0 ? NC_NOERR : put_box(pl, values != NULL ? values : pl->fill);
    if (values == NULL && cap > pl->fill_n)
        cap = pl->fill_n;
    while (rc == NC_NOERR && n > 0) {
        size_t box = set_box(pl, d, at, n < cap ? n : cap);

        if (pl->w->opts->stop != NULL && pl->w->opts->stop())
            return GEN_STOPPED;
        rc = put_box(pl, values != NULL ? values : pl->fill);
        values = values != NULL ? values + box * item : NULL;
        at += box;
        n -= box;
    }
    return rc;
}

/* A run of as many fill values as will be put at once, of `n` in all. */
static int
make_fill(place *pl, size_t n)
{
    size_t item = gen_ref_size(&pl->v->type), most = item < FILL_BYTES ? FILL_BYTES / item : 1;
    char  *run;

    n = n < most ? n : most;
    if (n <= pl->fill_n)
        return NC_NOERR;
    if ((run = gen_grow(pl->fill, n, item)) == NULL)
        return gen_nc_error(pl->w, NC_ENOMEM, pl->v->pos, "data of variable", pl->v->name);
    pl->fill = run;
    gen_var_fill(pl->v, run);
    for (size_t have = 1; have < n; have *= 2)
        memcpy(run + have * item, run, (have < n - have ? have : n - have) * item);
    pl->fill_n = n;
    return NC_NOERR;
}

/* The number of elements of the dimensions [d, end); unlimited ones are as long as the data need. */
static size_t
count_elements(const gen_var *v, size_t d, size_t end)
{
    size_t n = 1;

    for (size_t i = d; i < end; i++)
        n = v->dims[i]->size != 0 && n > SIZE_MAX / (size_t)v->dims[i]->size ? SIZE_MAX
                                                                             : n * (size_t)v->dims[i]->size;
    return n;
}

static int
put_fill(place *pl, size_t d, size_t at, size_t n)
{
    int rc = n == 0 ? NC_NOERR : make_fill(pl, n);

    return rc != NC_NOERR || n == 0 ? rc : put_range(pl, d, at, n, NULL);
}

static bool
has_values(const gen_list *l)
{
    return l != NULL && (l->nested ? l->nsubs > 0 && has_values(l->subs[l->nsubs - 1]) : l->nelems > 0);
}

static int put_list(place *pl, size_t d, const gen_list *l);

/*
 * Puts the records of a level of braces. A last record without values gets one fill element, so that its dimension
 * gets the length that the text gives it.
 */
static int
put_records(place *pl, size_t d, size_t next, const gen_list *l)
{
    const gen_var *v = pl->v;
    size_t         given = l->nsubs, all = pl->nofill ? count_elements(v, d, next) : given;
    int            rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < all; i++) {
        const gen_list *sub = i < given ? l->subs[i] : NULL;
        size_t          at = i;

        for (size_t k = next - 1; k > d; k--) {
            pl->start[k] = at % (size_t)v->dims[k]->size;
            at /= (size_t)v->dims[k]->size;
        }
        pl->start[d] = at;
        for (size_t k = d; k < next; k++)
            pl->count[k] = 1;
        if (sub != NULL || pl->nofill)
            rc = put_list(pl, next, sub);
        if (rc == NC_NOERR && i + 1 == given && !has_values(sub) && count_elements(v, next, v->rank) > 0)
            rc = put_fill(pl, next, 0, 1);
    }
    return rc;
}

/* Puts the values for the dimensions [d, rank); earlier ones are set already. `l` NULL: fill only. */
static int
put_list(place *pl, size_t d, const gen_list *l)
{
    const gen_var *v = pl->v;
    size_t         next = v->rank == 0 ? 0 : gen_group_end(v, d);
    size_t         n = l == NULL ? 0 : l->nelems, all;
    int            rc = NC_NOERR;

    if (next < v->rank && l != NULL)
        return put_records(pl, d, next, l);
    if (n > 0)
        rc = put_range(pl, d, 0, n, l->values);
    all = count_elements(v, d, v->rank);
    if (rc == NC_NOERR && pl->nofill && all > n)
        rc = put_fill(pl, d, n, all - n);
    return rc;
}

/* The list with the longest string, among `l` and the lists below it. */
static const gen_list *
find_longest(const gen_list *l)
{
    const gen_list *best = l;

    for (size_t i = 0; i < l->nsubs; i++) {
        const gen_list *sub = l->subs[i] != NULL ? find_longest(l->subs[i]) : best;

        best = sub->longest > best->longest ? sub : best;
    }
    return best;
}

/* True if an attribute asks for the width of a variable's strings. Others are as wide as they must be. */
static bool
width_is_asked(const gen_writer *w, const gen_var *v)
{
    int own = -1, all = -1;

    if (nc_get_att_int(w->grpids[v->index], w->varids[v->index], NCZARR_MAXSTRLEN_ATT, &own) == NC_NOERR)
        return own > 0;
    return nc_get_att_int(w->ncid, NC_GLOBAL, NCZARR_DEFAULT_MAXSTRLEN_ATT, &all) == NC_NOERR && all > 0;
}

/* Warns of cut strings: the library logs that it cuts them, but does not know their position. */
static void
warn_of_truncation(const gen_writer *w, const gen_var *v, const gen_list *l)
{
    const gen_list *longest = l != NULL ? find_longest(l) : NULL;
    size_t          width;

    if (longest == NULL || v->type.type != NC_STRING ||
        nczarr_inq_var_strlen(w->grpids[v->index], w->varids[v->index], &width) != NC_NOERR || width == 0 ||
        longest->longest <= width || !width_is_asked(w, v))
        return;
    gen_say(w->opts->report, false, w->cdl->file, longest->longest_pos,
            "a string of %zu bytes is cut: %s has room for %zu (its attribute " NCZARR_MAXSTRLEN_ATT
            " says how many)",
            longest->longest, v->name, width);
}

static int
put_var(gen_writer *w, const gen_var *v)
{
    const gen_props *p = &v->props;
    place            pl = {.w = w, .v = v};
    int              rc = NC_ENOMEM;

    warn_of_truncation(w, v, v->data);
    warn_of_truncation(w, v, v->fill);
    pl.nofill = p->pos[GEN_NOFILL].line != 0 ? p->value[GEN_NOFILL] != 0 : w->opts->nofill;
    pl.start = gen_grow(NULL, v->rank, sizeof(size_t));
    pl.count = gen_grow(NULL, v->rank, sizeof(size_t));
    if (pl.start != NULL && pl.count != NULL)
        rc = put_list(&pl, 0, v->data);
    else
        gen_nc_error(w, rc, v->pos, "data of variable", v->name);
    free(pl.fill);
    free(pl.start);
    free(pl.count);
    return rc;
}

int
gen_write_data(gen_writer *w, const gen_group *g)
{
    int rc = NC_NOERR;

    for (const gen_var *v = g->vars; rc == NC_NOERR && v != NULL; v = v->next)
        if (v->data != NULL && (v->data->nelems > 0 || v->data->nsubs > 0))
            rc = put_var(w, v);
    for (const gen_group *sub = g->groups; rc == NC_NOERR && sub != NULL; sub = sub->next)
        rc = gen_write_data(w, sub);
    return rc;
}
