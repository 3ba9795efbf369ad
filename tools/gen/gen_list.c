/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of values, stored in the memory type of their variable or attribute while they are read.
 *
 * Characters: a string takes whole rows of `unit` characters, and the rest of its last row is fill. Consecutive
 * single characters make one string. Fill elements are recorded as runs, because _FillValue may come later in the
 * text.
 */
#include "gen_int.h"

#include <string.h>

gen_list *
gen_list_new(gen_cdl *cdl, nc_type type, gen_pos pos, size_t unit)
{
    gen_list *l = gen_alloc(&cdl->arena, sizeof *l);

    if (l == NULL)
        return NULL;
    *l = (gen_list){.next = cdl->lists, .pos = pos, .type = type, .unit = unit == 0 ? 1 : unit};
    cdl->lists = l;
    return l;
}

/* Makes room for `n` more elements. *at: their place. */
static int
reserve_values(gen_parser *p, gen_list *l, size_t n, void **at)
{
    size_t item = gen_type_size(l->type);

    if (n > SIZE_MAX / 4 / item - l->nelems || gen_reserve(&l->values, &l->cap, l->nelems + n, item) != NC_NOERR)
        return gen_nomem(p);
    *at = (char *)l->values + l->nelems * item;
    l->nelems += n;
    return NC_NOERR;
}

static int
add_fill(gen_parser *p, gen_list *l, size_t n)
{
    gen_run *last = l->nfills > 0 ? &l->fills[l->nfills - 1] : NULL;
    size_t   start = l->nelems;
    void    *at = NULL;
    int      rc;

    if (n == 0)
        return NC_NOERR;
    if ((rc = reserve_values(p, l, n, &at)) != NC_NOERR)
        return rc;
    memset(at, 0, n * gen_type_size(l->type));
    if (last != NULL && last->at + last->n == start) {
        last->n += n;
        return NC_NOERR;
    }
    if (gen_reserve((void **)&l->fills, &l->fills_cap, l->nfills + 1, sizeof *l->fills) != NC_NOERR)
        return gen_nomem(p);
    l->fills[l->nfills++] = (gen_run){start, n};
    return NC_NOERR;
}

/* Fills to the end of the row. `whole`: fills an empty row, too. */
static int
end_row(gen_parser *p, gen_list *l, bool whole)
{
    size_t in_row = l->nelems % l->unit;

    l->chars = false;
    if (in_row == 0 && !whole)
        return NC_NOERR;
    return add_fill(p, l, l->unit - in_row);
}

static int
add_text(gen_parser *p, gen_list *l, const char *s, size_t len)
{
    void *at = NULL;
    int   rc;

    if (l->chars && (rc = end_row(p, l, false)) != NC_NOERR)
        return rc;
    if (len == 0)
        return l->unit > 1 ? end_row(p, l, true) : NC_NOERR;
    if ((rc = reserve_values(p, l, len, &at)) != NC_NOERR)
        return rc;
    memcpy(at, s, len);
    return end_row(p, l, false);
}

static int
add_char(gen_parser *p, gen_list *l, const gen_const *c)
{
    void *at = NULL;
    char  value;
    int   rc;

    switch (c->kind) {
    case GEN_STRING: return add_text(p, l, c->s, c->len);
    case GEN_FILL:
        if (l->chars && (rc = end_row(p, l, false)) != NC_NOERR)
            return rc;
        return end_row(p, l, true);
    case GEN_CHAR: value = (char)c->v.i; break;
    case GEN_INT:
        if (c->type == NC_BYTE || c->type == NC_UBYTE) {
            value = (char)(c->type == NC_BYTE ? c->v.i : (int64_t)c->v.u);
            break;
        }
        /* fallthrough */
    default: return gen_error(p, c->pos, "expected characters or a string for type char");
    }
    if ((rc = reserve_values(p, l, 1, &at)) != NC_NOERR)
        return rc;
    *(char *)at = value;
    l->chars = true;
    return NC_NOERR;
}

static int
add_string(gen_parser *p, gen_list *l, const gen_const *c)
{
    char *text = NULL;
    void *at = NULL;
    int   rc;

    if (c->kind != GEN_STRING && c->kind != GEN_NIL)
        return gen_error(p, c->pos, "expected a string for type string");
    if (c->kind == GEN_STRING && (text = gen_strndup(&p->cdl->arena, c->s, c->len)) == NULL)
        return gen_nomem(p);
    if (text != NULL && strlen(text) != c->len)
        gen_warn(p, c->pos, "a string ends at its first NUL character");
    if ((rc = reserve_values(p, l, 1, &at)) == NC_NOERR)
        memcpy(at, &text, sizeof text);
    if (c->kind == GEN_STRING && c->len > l->longest) {
        l->longest = c->len;
        l->longest_pos = c->pos;
    }
    return rc;
}

static int
add_number(gen_parser *p, gen_list *l, const gen_const *c)
{
    const char *type = gen_type_name(l->type);
    void       *at = NULL;
    int         rc;

    if (c->kind == GEN_STRING)
        return gen_error(p, c->pos, "a string where a number is expected, for type %s", type);
    if (c->kind == GEN_HEX && c->type == NC_NAT)
        return gen_error(p, c->pos, "the number needs more than 64 bits");
    if ((rc = reserve_values(p, l, 1, &at)) != NC_NOERR)
        return rc;
    switch (gen_convert(c, l->type, at)) {
    case GEN_NO_FIT: return gen_error(p, c->pos, "the value does not fit type %s", type);
    case GEN_WRAPS:
        if (gen_type_size(l->type) > 1) /* no warning for bytes: 200 as a byte is common in old files */
            gen_warn(p, c->pos, "the value does not fit type %s and becomes another number", type);
        break;
    case GEN_OVERFLOWS:
        gen_warn(p, c->pos, "the value is too large for type %s and becomes an infinity", type);
        break;
    case GEN_FITS: break;
    }
    return NC_NOERR;
}

int
gen_list_add(gen_parser *p, gen_list *l, const gen_const *c)
{
    if (c->kind == GEN_NAME)
        return gen_error(p, c->pos, "'%.*s' is no value of type %s", (int)(c->len > 60 ? 60 : c->len), c->s,
                         gen_type_name(l->type));
    if (c->kind == GEN_NIL && l->type != NC_STRING)
        return gen_error(p, c->pos, "NIL is a value of type string only");
    if (l->type == NC_CHAR)
        return add_char(p, l, c);
    if (c->kind == GEN_FILL)
        return add_fill(p, l, 1);
    return l->type == NC_STRING ? add_string(p, l, c) : add_number(p, l, c);
}

int
gen_list_end(gen_parser *p, gen_list *l)
{
    return l->chars ? end_row(p, l, false) : NC_NOERR;
}

int
gen_list_add_sub(gen_parser *p, gen_list *l, gen_list *sub)
{
    if (gen_reserve((void **)&l->subs, &l->subs_cap, l->nsubs + 1, sizeof *l->subs) != NC_NOERR)
        return gen_nomem(p);
    l->subs[l->nsubs++] = sub;
    return NC_NOERR;
}

/* Sets the fill elements of the list and its sublists to the fill value, which has the list's type. */
void
gen_list_fill(gen_list *l, const void *value)
{
    size_t item = gen_type_size(l->type);

    for (size_t i = 0; i < l->nfills; i++)
        for (size_t k = 0; k < l->fills[i].n; k++)
            memcpy((char *)l->values + (l->fills[i].at + k) * item, value, item);
    for (size_t i = 0; i < l->nsubs; i++)
        if (l->subs[i] != NULL)
            gen_list_fill(l->subs[i], value);
}
