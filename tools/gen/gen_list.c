/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of values, stored in the memory type of their variable or attribute while they are read.
 *
 * Characters: a string takes whole rows of `unit` characters, and the rest of its last row is fill; an empty one is a
 * row of fill. Where strings are no rows (unit 0), they are one text. Consecutive single characters make one string.
 * Fill elements are recorded as runs, because _FillValue may come later in the text.
 */
#include "gen_int.h"

#include <string.h>

gen_list *
gen_list_new(gen_cdl *cdl, const gen_typeref *type, gen_pos pos, size_t unit)
{
    gen_list *l = gen_alloc(&cdl->arena, sizeof *l);

    *l = (gen_list){.next = cdl->lists, .pos = pos, .type = *type, .item = gen_ref_size(type), .unit = unit};
    cdl->lists = l;
    return l;
}

void *
gen_list_reserve(gen_parser *p, gen_list *l, size_t n)
{
    size_t item = l->item, wanted = n > SIZE_MAX / 4 / item - l->nelems ? SIZE_MAX : l->nelems + n;

    gen_reserve(&p->cdl->arena, &l->values, &l->cap, wanted, item);
    l->nelems += n;
    return (char *)l->values + (l->nelems - n) * item;
}

static void
add_fill(gen_parser *p, gen_list *l, size_t n)
{
    gen_run *last = l->nfills > 0 ? &l->fills[l->nfills - 1] : NULL;
    size_t   start = l->nelems;

    if (n == 0)
        return;
    memset(gen_list_reserve(p, l, n), 0, n * l->item);
    if (last != NULL && last->at + last->n == start) {
        last->n += n;
        return;
    }
    gen_reserve(&p->cdl->arena, (void **)&l->fills, &l->fills_cap, l->nfills + 1, sizeof *l->fills);
    l->fills[l->nfills++] = (gen_run){start, n};
}

/* Fills to the end of the row. `whole`: fills an empty row, too. */
static void
end_row(gen_parser *p, gen_list *l, bool whole)
{
    size_t unit = l->unit != 0 ? l->unit : 1;
    size_t in_row = l->nelems % unit;

    l->chars = false;
    if (in_row != 0 || whole)
        add_fill(p, l, unit - in_row);
}

static void
add_text(gen_parser *p, gen_list *l, const char *s, size_t len)
{
    gen_list_end(p, l);
    if (len > 0)
        memcpy(gen_list_reserve(p, l, len), s, len);
    if (len > 0 || l->unit != 0)
        end_row(p, l, len == 0);
}

static int
add_char(gen_parser *p, gen_list *l, const gen_const *c)
{
    char value;

    switch (c->kind) {
    case GEN_STRING: add_text(p, l, c->s, c->len); return NC_NOERR;
    case GEN_FILL:
        gen_list_end(p, l);
        end_row(p, l, true);
        return NC_NOERR;
    case GEN_CHAR: value = (char)c->v.i; break;
    case GEN_INT:
        if (c->type == NC_BYTE || c->type == NC_UBYTE) {
            value = (char)(c->type == NC_BYTE ? c->v.i : (int64_t)c->v.u);
            break;
        }
        /* fallthrough */
    default: return gen_error(p, c->pos, "expected characters or a string for type char");
    }
    *(char *)gen_list_reserve(p, l, 1) = value;
    l->chars = true;
    return NC_NOERR;
}

static int
store_string(gen_parser *p, const gen_const *c, void *out)
{
    char *text = NULL;

    if (c->kind != GEN_STRING && c->kind != GEN_NIL)
        return gen_error(p, c->pos, "expected a string for type string");
    if (c->kind == GEN_STRING)
        text = gen_strndup(&p->cdl->arena, c->s, c->len);
    if (text != NULL && strlen(text) != c->len)
        gen_warn(p, c->pos, "a string ends at its first NUL character");
    memcpy(out, &text, sizeof text);
    return NC_NOERR;
}

static int
store_number(gen_parser *p, const gen_const *c, nc_type type, void *out)
{
    const char *name = gen_type_name(type);

    if (c->kind == GEN_STRING)
        return gen_error(p, c->pos, "a string where a number is expected, for type %s", name);
    if (c->kind == GEN_HEX && c->type == NC_NAT)
        return gen_error(p, c->pos, "the number needs more than 64 bits");
    switch (gen_convert(c, type, out)) {
    case GEN_NO_FIT: return gen_error(p, c->pos, "the value does not fit type %s", name);
    case GEN_WRAPS:
        if (gen_type_size(type) > 1) /* no warning for bytes: 200 as a byte is common in old files */
            gen_warn(p, c->pos, "the value does not fit type %s and becomes another number", name);
        break;
    case GEN_OVERFLOWS:
        gen_warn(p, c->pos, "the value is too large for type %s and becomes an infinity", name);
        break;
    case GEN_FITS: break;
    }
    return NC_NOERR;
}

/* One character: a string of one, too. */
static int
store_char(gen_parser *p, const gen_const *c, char *out)
{
    if (c->kind == GEN_STRING && c->len <= 1)
        *out = c->len == 1 ? c->s[0] : '\0';
    else if (c->kind == GEN_CHAR || (c->kind == GEN_INT && c->type == NC_BYTE))
        *out = (char)c->v.i;
    else if (c->kind == GEN_INT && c->type == NC_UBYTE)
        *out = (char)c->v.u;
    else
        return gen_error(p, c->pos, "expected one character for type char");
    return NC_NOERR;
}

static int
check_kind(gen_parser *p, const gen_const *c, nc_type type)
{
    if (c->kind == GEN_NAME)
        return gen_error(p, c->pos, "'%.*s' is no value of type %s", (int)(c->len > 60 ? 60 : c->len), c->s,
                         gen_type_name(type));
    if (c->kind == GEN_NIL && type != NC_STRING)
        return gen_error(p, c->pos, "NIL is a value of type string only");
    return NC_NOERR;
}

int
gen_store_const(gen_parser *p, const gen_const *c, nc_type type, void *out)
{
    int rc = check_kind(p, c, type);

    if (rc != NC_NOERR)
        return rc;
    return type == NC_CHAR     ? store_char(p, c, out)
           : type == NC_STRING ? store_string(p, c, out)
                               : store_number(p, c, type, out);
}

int
gen_list_add(gen_parser *p, gen_list *l, const gen_const *c)
{
    nc_type type = l->type.type;
    int     rc;

    if (c->kind == GEN_FILL && type != NC_CHAR) {
        add_fill(p, l, 1);
        return NC_NOERR;
    }
    if ((rc = check_kind(p, c, type)) != NC_NOERR)
        return rc;
    if (type == NC_CHAR)
        return add_char(p, l, c);
    if ((rc = gen_store_const(p, c, type, gen_list_reserve(p, l, 1))) != NC_NOERR)
        return rc;
    if (c->kind == GEN_STRING && c->len > l->longest) {
        l->longest = c->len;
        l->longest_pos = c->pos;
    }
    return NC_NOERR;
}

void
gen_list_end(gen_parser *p, gen_list *l)
{
    if (l->chars)
        end_row(p, l, false);
}

void
gen_list_add_sub(gen_parser *p, gen_list *l, gen_list *sub)
{
    gen_reserve(&p->cdl->arena, (void **)&l->subs, &l->subs_cap, l->nsubs + 1, sizeof *l->subs);
    l->subs[l->nsubs++] = sub;
}

/* Sets the fill elements of the list and its sublists to the fill value, which has the list's type. */
void
gen_list_fill(gen_list *l, const void *value)
{
    size_t item = l->item;

    for (size_t i = 0; i < l->nfills; i++)
        for (size_t k = 0; k < l->fills[i].n; k++)
            memcpy((char *)l->values + (l->fills[i].at + k) * item, value, item);
    for (size_t i = 0; i < l->nsubs; i++)
        if (l->subs[i] != NULL)
            gen_list_fill(l->subs[i], value);
}
