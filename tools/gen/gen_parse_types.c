/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The types section: enum, opaque, vlen and compound types.
 *
 * A type gets its name when it is complete, so that it can contain earlier types only and never itself. Sizes are
 * limited here, since a few characters of text can ask for any amount of memory.
 */
#include "gen_int.h"

#include <limits.h>
#include <string.h>

#define TYPE_BYTES_MOST ((size_t)64 << 20)

static int
begin_type(gen_parser *p, int class, gen_type **out)
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
    *t = (gen_type){.name = name, .pos = pos, .class = class, .align = 1, .depth = 1};
    t->members_end = &t->members;
    *out = t;
    return NC_NOERR;
}

static int
end_type(gen_parser *p, gen_type *t)
{
    if (t->depth > GEN_MAX_DEPTH)
        return gen_error(p, t->pos, "type %s has more than %d types inside each other", t->name, GEN_MAX_DEPTH);
    gen_names_put(&p->names, &p->cdl->arena, p->group, GEN_TYPE, t->name, t);
    t->index = p->cdl->ntypes++;
    *p->group->types_end = t;
    p->group->types_end = &t->next;
    return NC_NOERR;
}

/* Counts the types inside each other: `t` has one inside it. */
static void
count_depth(gen_type *t, const gen_typeref *inner)
{
    if (inner->user != NULL && inner->user->depth >= t->depth)
        t->depth = inner->user->depth + 1;
}

static int
parse_size(gen_parser *p, uint64_t *out)
{
    if (p->tok.tok != GEN_T_CONST || (p->tok.c.kind != GEN_INT && p->tok.c.kind != GEN_HEX) ||
        (p->tok.c.kind == GEN_HEX && p->tok.c.type == NC_NAT) || gen_convert(&p->tok.c, NC_UINT64, out) != GEN_FITS ||
        *out == 0)
        return gen_unexpected(p, "a positive integer");
    return gen_next(p);
}

/* A constant of an enum or a field of a compound, in its type's order and under its own name. */
static int
add_member(gen_parser *p, gen_type *t, const gen_member *m)
{
    gen_member *copy = gen_alloc(&p->cdl->arena, sizeof *copy);

    if (gen_names_get(&p->names, t, GEN_MEMBER, m->name, strlen(m->name)) != NULL)
        return gen_error(p, m->pos, "%s is declared twice in type %s", m->name, t->name);
    gen_names_put(&p->names, &p->cdl->arena, t, GEN_MEMBER, m->name, copy);
    *copy = *m;
    *t->members_end = copy;
    t->members_end = &copy->next;
    return NC_NOERR;
}

/* ---- enum --------------------------------------------------------------------------------------------------- */

static int
parse_constant(gen_parser *p, gen_type *t)
{
    gen_member m = {.count = 1};
    int        rc;

    if ((rc = gen_take_name(p, "the name of an enum constant", &m.name, &m.pos)) != NC_NOERR ||
        (rc = gen_expect(p, '=')) != NC_NOERR)
        return rc;
    if (p->tok.tok != GEN_T_CONST || (p->tok.c.kind != GEN_INT && p->tok.c.kind != GEN_HEX))
        return gen_unexpected(p, "an integer");
    if ((p->tok.c.kind == GEN_HEX && p->tok.c.type == NC_NAT) ||
        gen_convert(&p->tok.c, t->base.type, m.value) != GEN_FITS)
        return gen_error(p, p->tok.pos, "the value of %s does not fit the base of type %s, %s", m.name, t->name,
                         gen_ref_name(&t->base));
    return (rc = gen_next(p)) != NC_NOERR ? rc : add_member(p, t, &m);
}

/* After `enum`: NAME { a = 0, b = 1 } */
static int
parse_enum_type(gen_parser *p, nc_type base)
{
    gen_type *t = NULL;
    bool      more = true;
    int       rc;

    if ((rc = begin_type(p, NC_ENUM, &t)) != NC_NOERR || (rc = gen_expect(p, '{')) != NC_NOERR)
        return rc;
    t->base.type = base;
    t->size = t->align = gen_type_size(base);
    while (more)
        if ((rc = parse_constant(p, t)) != NC_NOERR || (rc = gen_accept(p, ',', &more)) != NC_NOERR)
            return rc;
    return (rc = gen_expect(p, '}')) != NC_NOERR ? rc : end_type(p, t);
}

/* ---- compound ----------------------------------------------------------------------------------------------- */

/* Parses `(2,3)` of a field, or nothing. */
static int
parse_field_dims(gen_parser *p, gen_member *m)
{
    uint64_t n;
    bool     more;
    int      rc, *dims = NULL;

    m->count = 1;
    if ((rc = gen_accept(p, '(', &more)) != NC_NOERR || !more)
        return rc;
    while (more) {
        gen_pos pos = p->tok.pos;

        if ((rc = parse_size(p, &n)) != NC_NOERR || (rc = gen_accept(p, ',', &more)) != NC_NOERR)
            return rc;
        if (m->ndims == NC_MAX_VAR_DIMS)
            return gen_error(p, pos, "more than %d dimensions", NC_MAX_VAR_DIMS);
        if (n > TYPE_BYTES_MOST / m->count)
            return gen_error(p, pos, "field %s is too large: a type has at most %zu bytes", m->name, TYPE_BYTES_MOST);
        m->count *= (size_t)n;
        dims = gen_add_item(p, (size_t)m->ndims++, &(int){(int)n}, sizeof *dims);
    }
    m->dims = gen_alloc(&p->cdl->arena, (size_t)m->ndims * sizeof *dims);
    memcpy(m->dims, dims, (size_t)m->ndims * sizeof *dims);
    return gen_expect(p, ')');
}

/* Places the field after those before it, as a C compiler does. */
static int
place_field(gen_parser *p, gen_type *t, gen_member *m)
{
    size_t item = gen_ref_size(&m->type), align = gen_ref_align(&m->type);

    m->offset = (t->size + align - 1) / align * align;
    if (m->offset > TYPE_BYTES_MOST || m->count > (TYPE_BYTES_MOST - m->offset) / item)
        return gen_error(p, m->pos, "field %s is too large: a type has at most %zu bytes", m->name, TYPE_BYTES_MOST);
    t->size = m->offset + m->count * item;
    if (t->align < align)
        t->align = align;
    count_depth(t, &m->type);
    return NC_NOERR;
}

/* `type f1(2,3), f2;` */
static int
parse_fields(gen_parser *p, gen_type *t)
{
    gen_typeref type;
    gen_ref     r;
    bool        more = true;
    int         rc;

    if ((rc = gen_take_ref(p, &r)) != NC_NOERR)
        return rc;
    if (!gen_find_type(p, &r, &type))
        return gen_undefined(p, &r, "type");
    while (more) {
        gen_member m = {.type = type};

        if ((rc = gen_take_name(p, "a field's name", &m.name, &m.pos)) != NC_NOERR ||
            (rc = parse_field_dims(p, &m)) != NC_NOERR || (rc = place_field(p, t, &m)) != NC_NOERR ||
            (rc = add_member(p, t, &m)) != NC_NOERR || (rc = gen_accept(p, ',', &more)) != NC_NOERR)
            return rc;
    }
    return gen_expect(p, ';');
}

/* After `compound`: NAME { fields } */
static int
parse_compound_type(gen_parser *p)
{
    gen_type *t = NULL;
    int       rc;

    if ((rc = begin_type(p, NC_COMPOUND, &t)) != NC_NOERR || (rc = gen_expect(p, '{')) != NC_NOERR)
        return rc;
    do {
        if ((rc = parse_fields(p, t)) != NC_NOERR)
            return rc;
    } while (!gen_at(p, '}'));
    t->size = (t->size + t->align - 1) / t->align * t->align;
    return (rc = gen_next(p)) != NC_NOERR ? rc : end_type(p, t);
}

/* ---- opaque and vlen ---------------------------------------------------------------------------------------- */

/* After `opaque`: (N) NAME */
static int
parse_opaque_type(gen_parser *p)
{
    gen_type *t = NULL;
    gen_pos   pos;
    uint64_t  n = 1;
    int       rc;

    if ((rc = gen_expect(p, '(')) != NC_NOERR)
        return rc;
    pos = p->tok.pos;
    if ((rc = parse_size(p, &n)) != NC_NOERR || (rc = gen_expect(p, ')')) != NC_NOERR ||
        (rc = begin_type(p, NC_OPAQUE, &t)) != NC_NOERR)
        return rc;
    if (n > TYPE_BYTES_MOST)
        return gen_error(p, pos, "type %s is too large: a type has at most %zu bytes", t->name, TYPE_BYTES_MOST);
    t->size = (size_t)n;
    return end_type(p, t);
}

/* After the base: (*) NAME */
static int
parse_vlen_type(gen_parser *p, const gen_typeref *base)
{
    gen_type *t = NULL;
    int       rc;

    if ((rc = gen_expect(p, '(')) != NC_NOERR || (rc = gen_expect(p, '*')) != NC_NOERR ||
        (rc = gen_expect(p, ')')) != NC_NOERR || (rc = begin_type(p, NC_VLEN, &t)) != NC_NOERR)
        return rc;
    t->base = *base;
    t->size = sizeof(nc_vlen_t);
    t->align = sizeof(void *);
    count_depth(t, base);
    return end_type(p, t);
}

/* ---- statements --------------------------------------------------------------------------------------------- */

static bool
is_compound_word(const gen_ref *r)
{
    return !r->path && !r->quoted &&
           (strcmp(r->name, "compound") == 0 || strcmp(r->name, "struct") == 0 || strcmp(r->name, "structure") == 0);
}

static bool
is_integer_type(const gen_typeref *t)
{
    return t->user == NULL && t->type != NC_FLOAT && t->type != NC_DOUBLE && t->type != NC_STRING &&
           t->type != NC_CHAR;
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
        if (!gen_find_type(p, &r, &type) || !is_integer_type(&type))
            return gen_error(p, r.pos, "an enum's base is an integer type, not %s", r.text);
        if ((rc = gen_next(p)) == NC_NOERR)
            rc = parse_enum_type(p, type.type);
    } else if (is_compound_word(&r) && p->tok.tok == GEN_T_WORD) {
        rc = parse_compound_type(p);
    } else if (gen_at(p, '(') && !r.path && !r.quoted && strcmp(r.name, "opaque") == 0) {
        rc = parse_opaque_type(p);
    } else if (gen_at(p, '(')) {
        if (!gen_find_type(p, &r, &type))
            return gen_undefined(p, &r, "type");
        rc = parse_vlen_type(p, &type);
    } else {
        rc = gen_attr_after_ref(p, &r);
        return rc != NC_NOERR ? rc : gen_expect(p, ';');
    }
    return rc != NC_NOERR ? rc : gen_accept(p, ';', &found);
}
