/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The types section. No format of this library stores user-defined types, so their contents are checked and dropped.
 * The names are kept, so that the rest of the text can be parsed and the error can name the first declaration.
 */
#include "gen_int.h"

#include <string.h>

static int
add_type(gen_parser *p)
{
    const char *name;
    gen_pos     pos;
    gen_type   *t;
    int         rc;

    if ((rc = gen_take_name(p, "a type's name", &name, &pos)) != NC_NOERR)
        return rc;
    if (gen_names_get(&p->names, p->group, GEN_TYPE, name, strlen(name)) != NULL)
        return gen_error(p, pos, "type %s is declared twice", name);
    t = gen_alloc(&p->cdl->arena, sizeof *t);
    if (t == NULL || gen_names_put(&p->names, &p->cdl->arena, p->group, GEN_TYPE, name, t) != NC_NOERR)
        return gen_nomem(p);
    *t = (gen_type){.name = name, .pos = pos};
    *p->group->types_end = t;
    p->group->types_end = &t->next;
    if (p->cdl->first_type == NULL)
        p->cdl->first_type = t;
    return NC_NOERR;
}

static int
parse_integer(gen_parser *p, bool positive)
{
    uint64_t n = 1;

    if (p->tok.tok != GEN_T_CONST || (p->tok.c.kind != GEN_INT && p->tok.c.kind != GEN_HEX) ||
        (positive && (gen_convert(&p->tok.c, NC_UINT64, &n) != GEN_FITS || n == 0)))
        return gen_unexpected(p, positive ? "a positive integer" : "an integer");
    return gen_next(p);
}

/* After `enum`: NAME { a = 0, b = 1 } */
static int
parse_enum_type(gen_parser *p)
{
    const char *name;
    gen_pos     pos;
    bool        more = true;
    int         rc;

    if ((rc = add_type(p)) != NC_NOERR || (rc = gen_expect(p, '{')) != NC_NOERR)
        return rc;
    while (more)
        if ((rc = gen_take_name(p, "the name of an enum constant", &name, &pos)) != NC_NOERR ||
            (rc = gen_expect(p, '=')) != NC_NOERR || (rc = parse_integer(p, false)) != NC_NOERR ||
            (rc = gen_accept(p, ',', &more)) != NC_NOERR)
            return rc;
    return gen_expect(p, '}');
}

/* `type f1(2,3), f2;` */
static int
parse_fields(gen_parser *p)
{
    gen_typeref type;
    gen_ref     r;
    const char *name;
    gen_pos     pos;
    bool        more = true, dims;
    int         rc;

    if ((rc = gen_take_ref(p, &r)) != NC_NOERR)
        return rc;
    if (!gen_find_type(p, &r, &type))
        return gen_error(p, r.pos, "no type %s is declared above", r.text);
    while (more) {
        if ((rc = gen_take_name(p, "a field's name", &name, &pos)) != NC_NOERR ||
            (rc = gen_accept(p, '(', &dims)) != NC_NOERR)
            return rc;
        while (dims) {
            if ((rc = parse_integer(p, true)) != NC_NOERR || (rc = gen_accept(p, ',', &dims)) != NC_NOERR)
                return rc;
            if (!dims && (rc = gen_expect(p, ')')) != NC_NOERR)
                return rc;
        }
        if ((rc = gen_accept(p, ',', &more)) != NC_NOERR)
            return rc;
    }
    return gen_expect(p, ';');
}

/* After `compound`: NAME { fields } */
static int
parse_compound_type(gen_parser *p)
{
    int rc;

    if ((rc = add_type(p)) != NC_NOERR || (rc = gen_expect(p, '{')) != NC_NOERR)
        return rc;
    do {
        if ((rc = parse_fields(p)) != NC_NOERR)
            return rc;
    } while (!gen_at(p, '}'));
    return gen_next(p);
}

/* After `opaque` or a base type, at '(': (N) NAME or (*) NAME. */
static int
parse_sized_type(gen_parser *p, bool opaque)
{
    int rc = gen_expect(p, '(');

    if (rc == NC_NOERR)
        rc = opaque ? parse_integer(p, true) : gen_expect(p, '*');
    if (rc == NC_NOERR)
        rc = gen_expect(p, ')');
    return rc == NC_NOERR ? add_type(p) : rc;
}

static bool
is_compound_word(const gen_ref *r)
{
    return !r->path && !r->quoted &&
           (strcmp(r->name, "compound") == 0 || strcmp(r->name, "struct") == 0 || strcmp(r->name, "structure") == 0);
}

int
gen_type_statement(gen_parser *p)
{
    gen_typeref type;
    gen_ref     r;
    bool        found;
    int         rc;

    if ((rc = gen_take_ref(p, &r)) != NC_NOERR)
        return rc;
    if (gen_at_word(p, "enum")) {
        if (!gen_find_type(p, &r, &type) || type.user != NULL || type.type == NC_FLOAT || type.type == NC_DOUBLE ||
            type.type == NC_STRING || type.type == NC_CHAR)
            return gen_error(p, r.pos, "an enum's base is an integer type, not %s", r.text);
        rc = gen_next(p);
        if (rc == NC_NOERR)
            rc = parse_enum_type(p);
    } else if (is_compound_word(&r) && p->tok.tok == GEN_T_WORD) {
        rc = parse_compound_type(p);
    } else if (gen_at(p, '(')) {
        bool opaque = !r.path && !r.quoted && strcmp(r.name, "opaque") == 0;

        if (!opaque && !gen_find_type(p, &r, &type))
            return gen_error(p, r.pos, "no type %s is declared above", r.text);
        rc = parse_sized_type(p, opaque);
    } else {
        rc = gen_attr_after_ref(p, &r);
        return rc != NC_NOERR ? rc : gen_expect(p, ';');
    }
    return rc != NC_NOERR ? rc : gen_accept(p, ';', &found);
}
