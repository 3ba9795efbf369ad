/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values of user-defined types, and the items of a list.
 *
 * A compound or a vlen is in braces, and so are the values of a field with dimensions, all of them in one pair. What
 * a compound's text omits at its end is default fill, as netCDF's ncgen has it. An enum's value is the name of a
 * constant; an integer, which nczdump prints for a value that has no name, is accepted, too.
 */
#include "gen_int.h"

#include <ctype.h>
#include <string.h>

static int
parse_primitive(gen_parser *p, nc_type type, void *out)
{
    gen_const c;
    int       rc;

    if (gen_at(p, '{'))
        return gen_error(p, p->tok.pos, "no braces here: expected one value of type %s", gen_type_name(type));
    if ((rc = gen_peek_const(p, &c)) != NC_NOERR || (rc = gen_store_const(p, &c, type, out)) != NC_NOERR)
        return rc;
    return gen_next(p);
}

/* The constant of the enum `t` with the current token's name, which may have the type's name before it: t.name */
static const gen_member *
find_constant(const gen_parser *p, const gen_type *t)
{
    size_t            n = strlen(t->name);
    const gen_token  *tok = &p->tok;
    const gen_member *m;

    if (tok->tok != GEN_T_WORD)
        return NULL;
    m = gen_names_get(&p->names, t, GEN_MEMBER, tok->text, tok->len);
    if (m == NULL && tok->len > n && memcmp(tok->text, t->name, n) == 0 && tok->text[n] == '.')
        m = gen_names_get(&p->names, t, GEN_MEMBER, tok->text + n + 1, tok->len - n - 1);
    return m;
}

static int
parse_enum_value(gen_parser *p, const gen_type *t, void *out)
{
    const gen_member *m = find_constant(p, t);
    const gen_token  *tok = &p->tok;

    if (m != NULL) {
        memcpy(out, m->value, t->size);
        return gen_next(p);
    }
    if (tok->tok == GEN_T_WORD)
        return gen_error(p, tok->pos, "type %s has no constant %s", t->name, tok->text);
    if (tok->tok != GEN_T_CONST || (tok->c.kind != GEN_INT && tok->c.kind != GEN_HEX))
        return gen_unexpected(p, "the name of an enum constant");
    if ((tok->c.kind == GEN_HEX && tok->c.type == NC_NAT) || gen_convert(&tok->c, t->base.type, out) != GEN_FITS)
        return gen_error(p, tok->pos, "the value does not fit the base of type %s, %s", t->name,
                         gen_ref_name(&t->base));
    return gen_next(p);
}

/* Bytes that the digits omit are zero; so is the second half of the last byte. */
static int
parse_opaque_value(gen_parser *p, const gen_type *t, unsigned char *out)
{
    const gen_const *c = &p->tok.c;

    if (p->tok.tok != GEN_T_CONST || c->kind != GEN_HEX)
        return gen_unexpected(p, "an opaque value, 0X and hexadecimal digits");
    if (c->len > t->size * 2)
        return gen_error(p, p->tok.pos, "%zu digits for type %s, which has %zu bytes", c->len, t->name, t->size);
    memset(out, 0, t->size);
    for (size_t i = 0; i < c->len; i++) {
        int      ch = tolower((unsigned char)c->s[i]);
        unsigned digit = (unsigned)(ch <= '9' ? ch - '0' : ch - 'a' + 10);

        out[i / 2] |= (unsigned char)(i % 2 == 0 ? digit << 4 : digit);
    }
    return gen_next(p);
}

/* Parses `{ ... }` as a list of its own. */
static int
parse_braced_list(gen_parser *p, const gen_typeref *type, size_t unit, gen_list **out)
{
    gen_list *l = gen_list_new(p->cdl, type, p->tok.pos, unit);
    void     *fill;
    int       rc;

    if ((rc = gen_expect(p, '{')) != NC_NOERR || (!gen_at(p, '}') && (rc = gen_parse_items(p, l)) != NC_NOERR))
        return rc;
    if (l->nfills > 0) {
        fill = gen_alloc(&p->cdl->arena, l->item);
        gen_default_fill(type, fill);
        gen_list_fill(l, fill);
    }
    *out = l;
    return gen_expect(p, '}');
}

static int
parse_vlen_value(gen_parser *p, const gen_type *t, void *out)
{
    gen_list *l = NULL;
    nc_vlen_t v;
    int       rc = parse_braced_list(p, &t->base, 0, &l);

    if (rc != NC_NOERR)
        return rc;
    v = (nc_vlen_t){.len = l->nelems, .p = l->nelems > 0 ? l->values : NULL};
    memcpy(out, &v, sizeof v);
    return NC_NOERR;
}

/* ---- compound ----------------------------------------------------------------------------------------------- */

/* Parses one value to `out`, which is zeroed. What it points to belongs to the tree. */
static int parse_value(gen_parser *p, const gen_typeref *t, void *out);

static int
fail_too_many(gen_parser *p, gen_pos pos, const gen_member *m)
{
    return gen_error(p, pos, "field %s has room for %zu values", m->name, m->count);
}

/* Characters, as in a variable: with several dimensions a string begins a row. What is omitted is NUL. */
static int
parse_char_field(gen_parser *p, const gen_member *m, char *out)
{
    size_t    unit = m->ndims > 1 ? (size_t)m->dims[m->ndims - 1] : 0;
    gen_list *l = NULL;
    int       rc = parse_braced_list(p, &m->type, unit, &l);

    if (rc != NC_NOERR)
        return rc;
    if (l->nelems > m->count)
        return fail_too_many(p, l->pos, m);
    if (l->nelems > 0)
        memcpy(out, l->values, l->nelems);
    return NC_NOERR;
}

/* The values of a field with dimensions, without braces for the rows. */
static int
parse_array_field(gen_parser *p, const gen_member *m, char *out)
{
    size_t item = gen_ref_size(&m->type), n = 0;
    bool   more;
    int    rc;

    if (!gen_at(p, '{'))
        return gen_error(p, p->tok.pos, "the values of field %s, which has dimensions, are in braces", m->name);
    if (m->type.type == NC_CHAR)
        return parse_char_field(p, m, out);
    if ((rc = gen_next(p)) != NC_NOERR)
        return rc;
    for (more = !gen_at(p, '}'); more; n++) {
        if (n == m->count)
            return fail_too_many(p, p->tok.pos, m);
        if ((rc = parse_value(p, &m->type, out + n * item)) != NC_NOERR ||
            (rc = gen_accept(p, ',', &more)) != NC_NOERR)
            return rc;
    }
    for (; n < m->count; n++)
        gen_default_fill(&m->type, out + n * item);
    return gen_expect(p, '}');
}

static int
parse_compound_value(gen_parser *p, const gen_typeref *ref, char *out)
{
    const gen_type   *t = ref->user;
    const gen_member *m = t->members;
    bool              more;
    int               rc;

    if (!gen_at(p, '{'))
        return gen_error(p, p->tok.pos, "a value of type %s is in braces", t->name);
    if ((rc = gen_next(p)) != NC_NOERR)
        return rc;
    gen_default_fill(ref, out);
    for (more = !gen_at(p, '}'); more; m = m->next) {
        if (m == NULL)
            return gen_error(p, p->tok.pos, "more values than type %s has fields", t->name);
        if (m->ndims > 0 && !gen_at_word(p, "_"))
            rc = parse_array_field(p, m, out + m->offset);
        else if (m->ndims > 0)
            rc = gen_next(p); /* it is default fill already */
        else
            rc = parse_value(p, &m->type, out + m->offset);
        if (rc != NC_NOERR || (rc = gen_accept(p, ',', &more)) != NC_NOERR)
            return rc;
    }
    return gen_expect(p, '}');
}

/* ---- any value ---------------------------------------------------------------------------------------------- */

static int
parse_value(gen_parser *p, const gen_typeref *t, void *out)
{
    if (gen_at_word(p, "_")) {
        gen_default_fill(t, out);
        return gen_next(p);
    }
    if (t->user == NULL)
        return parse_primitive(p, t->type, out);
    switch (t->user->class) {
    case NC_ENUM: return parse_enum_value(p, t->user, out);
    case NC_OPAQUE: return parse_opaque_value(p, t->user, out);
    case NC_VLEN: return parse_vlen_value(p, t->user, out);
    default: return parse_compound_value(p, t, out);
    }
}

static int
parse_item(gen_parser *p, gen_list *l)
{
    gen_const c;
    int       rc;

    if (l->type.user != NULL && !gen_at_word(p, "_"))
        return parse_value(p, &l->type, memset(gen_list_reserve(p, l, 1), 0, l->item));
    if (gen_at(p, '{'))
        return gen_error(p, p->tok.pos,
                         "no braces here: they enclose values of user-defined types, and records of unlimited "
                         "dimensions after the first dimension");
    if ((rc = gen_peek_const(p, &c)) != NC_NOERR || (rc = gen_list_add(p, l, &c)) != NC_NOERR)
        return rc;
    return gen_next(p);
}

int
gen_parse_items(gen_parser *p, gen_list *l)
{
    bool more = true;
    int  rc;

    while (more)
        if ((rc = parse_item(p, l)) != NC_NOERR || (rc = gen_accept(p, ',', &more)) != NC_NOERR)
            return rc;
    gen_list_end(p, l);
    return NC_NOERR;
}
