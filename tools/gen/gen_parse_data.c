/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The data of variables, and what depends on the whole text: fill values and the sizes of unlimited dimensions.
 *
 * A variable's dimensions form groups: a new one starts at each unlimited dimension except the first dimension. All
 * groups but the last are lists of braces; the last has the values.
 */
#include "gen_int.h"

#include <string.h>

/* ---- data of one variable --------------------------------------------------------------------------------- */

/* The end of the group of dimensions that starts at `d`: the next unlimited dimension, or the rank. */
size_t
gen_group_end(const gen_var *v, size_t d)
{
    size_t end = d + 1;

    while (end < v->rank && !v->dims[end]->unlimited)
        end++;
    return end < v->rank ? end : v->rank;
}

/* The capacity in elements of the dimensions [d, end). SIZE_MAX: the first is unlimited, or overflow. */
static size_t
count_capacity(const gen_var *v, size_t d, size_t end)
{
    size_t n = 1;

    for (size_t i = d; i < end; i++) {
        if (v->dims[i]->unlimited || v->dims[i]->size > SIZE_MAX / n)
            return SIZE_MAX;
        n *= (size_t)v->dims[i]->size;
    }
    return n;
}

/* The characters in a row: the last dimension, unless it is the only one or unlimited (0). */
static size_t
find_row_unit(const gen_var *v)
{
    const gen_dim *last = v->rank > 1 ? v->dims[v->rank - 1] : NULL;

    return v->type.type != NC_CHAR || last == NULL || last->unlimited || last->size > SIZE_MAX / 8
               ? 0
               : (size_t)last->size;
}

static int
check_leaf(gen_parser *p, const gen_var *v, gen_list *l, size_t cap)
{
    if (l->nelems <= cap)
        return NC_NOERR;
    if (v->rank == 0 && v->type.type != NC_CHAR)
        return gen_error(p, l->pos, "%s is a scalar and has one value, not %zu", v->name, l->nelems);
    gen_warn(p, l->pos, "%zu values for %s, which has room for %zu: the rest is ignored", l->nelems, v->name, cap);
    l->nelems = cap;
    while (l->nfills > 0 && l->fills[l->nfills - 1].at + l->fills[l->nfills - 1].n > cap) {
        gen_run *last = &l->fills[l->nfills - 1];

        last->n = last->at < cap ? cap - last->at : 0;
        l->nfills -= last->n == 0;
    }
    return NC_NOERR;
}

static int
parse_leaf(gen_parser *p, const gen_var *v, size_t d, gen_list *l)
{
    int rc;

    if (gen_at(p, ';') || gen_at(p, '}'))
        return NC_NOERR;
    if ((rc = gen_parse_items(p, l)) != NC_NOERR)
        return rc;
    return check_leaf(p, v, l, v->rank == 0 ? 1 : count_capacity(v, d, v->rank));
}

static int parse_level(gen_parser *p, const gen_var *v, size_t d, gen_list **out);

/* Parses one item of a level of braces: `{ ... }`, or `_` for a record of fill only. */
static int
parse_record(gen_parser *p, const gen_var *v, size_t next, gen_list *l)
{
    gen_list *sub = NULL;
    int       rc;

    if (gen_at_word(p, "_")) {
        rc = gen_next(p);
    } else if (!gen_at(p, '{')) {
        rc = gen_error(p, p->tok.pos, "expected '{': each record along the unlimited dimension %s of %s is in braces",
                       v->dims[next]->name, v->name);
    } else if ((rc = gen_next(p)) == NC_NOERR && (rc = parse_level(p, v, next, &sub)) == NC_NOERR) {
        rc = gen_expect(p, '}');
    }
    if (rc == NC_NOERR)
        gen_list_add_sub(p, l, sub);
    return rc;
}

static int
parse_level(gen_parser *p, const gen_var *v, size_t d, gen_list **out)
{
    size_t    next = v->rank == 0 ? 0 : gen_group_end(v, d);
    gen_list *l = gen_list_new(p->cdl, &v->type, p->tok.pos, find_row_unit(v));
    int       rc;

    *out = l;
    if (next == v->rank)
        return parse_leaf(p, v, d, l);
    l->nested = true;
    if (gen_at(p, ';') || gen_at(p, '}'))
        return NC_NOERR;
    for (;;) {
        if ((rc = parse_record(p, v, next, l)) != NC_NOERR || !gen_at(p, ','))
            break;
        if ((rc = gen_next(p)) != NC_NOERR)
            return rc;
    }
    if (rc == NC_NOERR && l->nsubs > count_capacity(v, d, next))
        rc = gen_error(p, l->pos, "%zu records for %s, which has room for %zu", l->nsubs, v->name,
                       count_capacity(v, d, next));
    return rc;
}

int
gen_parse_data(gen_parser *p, gen_var *v)
{
    gen_list *l = NULL;
    int       rc;

    if (v->data != NULL)
        gen_warn(p, p->tok.pos, "second data for %s: they replace the first", v->name);
    if ((rc = parse_level(p, v, 0, &l)) == NC_NOERR)
        v->data = l;
    return rc;
}

/* ---- the end of the text ---------------------------------------------------------------------------------- */

/* Without a _FillValue, a user-defined type's is zero, as it is in the dataset. */
void
gen_var_fill(const gen_var *v, void *out)
{
    if (v->fill != NULL)
        memcpy(out, v->fill->values, v->fill->item);
    else if (v->type.user != NULL)
        memset(out, 0, v->type.user->size);
    else
        gen_default_fill(&v->type, out);
}

/* Enlarges the unlimited dimensions from `d` on to the lengths that `l` needs. */
static void
enlarge_unlimited(const gen_var *v, size_t d, const gen_list *l)
{
    size_t   next = gen_group_end(v, d);
    size_t   first = v->dims[d]->unlimited ? d + 1 : d;
    uint64_t n = l->nested ? l->nsubs : l->nelems;
    uint64_t rows = 1;

    for (size_t i = first; i < next; i++) /* a huge product saturates and gives one record */
        rows = v->dims[i]->size > UINT64_MAX / rows ? UINT64_MAX : rows * v->dims[i]->size;
    n = n / rows + (n % rows != 0);
    if (v->dims[d]->unlimited && v->dims[d]->size < n)
        v->dims[d]->size = n;
    for (size_t i = 0; i < l->nsubs; i++)
        if (l->subs[i] != NULL)
            enlarge_unlimited(v, next, l->subs[i]);
}

static void
finish_group(gen_parser *p, const gen_group *g)
{
    for (const gen_var *v = g->vars; v != NULL; v = v->next) {
        void *fill;

        if (v->data == NULL)
            continue;
        fill = gen_alloc(&p->cdl->arena, gen_ref_size(&v->type));
        gen_var_fill(v, fill);
        gen_list_fill(v->data, fill);
        if (v->rank > 0)
            enlarge_unlimited(v, 0, v->data);
    }
    for (const gen_group *sub = g->groups; sub != NULL; sub = sub->next)
        finish_group(p, sub);
}

void
gen_finish_tree(gen_parser *p)
{
    finish_group(p, p->cdl->root);
}
