/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * References to declared names, and attribute declarations.
 *
 * The plain name of a dimension or a type is looked up in its group and the enclosing groups; a type's name then in
 * the whole tree. A variable's name is looked up in its group only. Paths are absolute and may lead to later groups.
 */
#include "gen_int.h"

#include <string.h>

/* ---- references ------------------------------------------------------------------------------------------- */

/* Resolves the group and the last name of /g1/g2/name. `path` must not be the current token's text. */
static int
resolve_path(gen_parser *p, gen_ref *r, const char *path, const char *end)
{
    const char *s = path;
    size_t      len;
    int         rc;

    r->group = p->cdl->root;
    for (;;) {
        const char *e = gen_word_end(s + 1, end);

        len = gen_word_text(p, s + 1, e);
        if (e == end)
            break;
        r->group = gen_names_get(&p->names, r->group, GEN_GROUP, p->buf, len);
        if (r->group == NULL && !p->scanned)
            return (rc = gen_declare_ahead(p)) != NC_NOERR ? rc : resolve_path(p, r, path, end);
        if (r->group == NULL)
            return gen_error(p, r->pos, "no group %s is declared", p->buf);
        s = e;
    }
    r->name = gen_strndup(&p->cdl->arena, p->buf, len);
    return NC_NOERR;
}

int
gen_take_ref(gen_parser *p, gen_ref *out)
{
    const gen_token *t = &p->tok;
    int              rc;

    if (t->tok != GEN_T_WORD && t->tok != GEN_T_PATH)
        return gen_unexpected(p, "a name");
    *out = (gen_ref){.pos = t->pos,
                     .group = p->group,
                     .path = t->tok == GEN_T_PATH,
                     .quoted = t->quoted,
                     .tight = p->src[t->end] == ':'};
    out->text = out->name = gen_strndup(&p->cdl->arena, t->text, t->len);
    if (out->path && (rc = resolve_path(p, out, out->text, out->text + t->len)) != NC_NOERR)
        return rc;
    return gen_next(p);
}

/* NC_NAT when it names none. */
static nc_type
find_primitive(const char *word)
{
    static const struct {
        const char *word;
        nc_type     type;
    } known[] = {
        {"byte", NC_BYTE},     {"char", NC_CHAR},     {"short", NC_SHORT}, {"int", NC_INT},       {"long", NC_INT},
        {"integer", NC_INT},   {"float", NC_FLOAT},   {"real", NC_FLOAT},  {"double", NC_DOUBLE}, {"ubyte", NC_UBYTE},
        {"ushort", NC_USHORT}, {"uint", NC_UINT},     {"ulong", NC_UINT},  {"uinteger", NC_UINT}, {"int64", NC_INT64},
        {"uint64", NC_UINT64}, {"string", NC_STRING},
    };

    for (size_t i = 0; i < GEN_LEN(known); i++)
        if (strcmp(word, known[i].word) == 0)
            return known[i].type;
    return NC_NAT;
}

/* Looks a name up in its group and, for a plain name, in the enclosing groups. */
void *
gen_find_outward(const gen_parser *p, const gen_ref *r, gen_name_kind sort)
{
    for (const gen_group *g = r->group; g != NULL; g = r->path ? NULL : g->parent) {
        void *node = gen_names_get(&p->names, g, sort, r->name, strlen(r->name));

        if (node != NULL)
            return node;
    }
    return NULL;
}

/* The first type of that name in the whole tree, parents first. */
static const gen_type *
find_type_below(const gen_parser *p, const gen_group *g, const char *name)
{
    const gen_type *t = gen_names_get(&p->names, g, GEN_TYPE, name, strlen(name));

    for (const gen_group *sub = g->groups; t == NULL && sub != NULL; sub = sub->next)
        t = find_type_below(p, sub, name);
    return t;
}

bool
gen_find_type(const gen_parser *p, const gen_ref *r, gen_typeref *out)
{
    *out = (gen_typeref){.type = r->path || r->quoted ? NC_NAT : find_primitive(r->name)};
    if (out->type != NC_NAT)
        return true;
    out->user = gen_find_outward(p, r, GEN_TYPE);
    if (out->user == NULL && !r->path)
        out->user = find_type_below(p, p->cdl->root, r->name);
    return out->user != NULL;
}

gen_var *
gen_find_var(const gen_parser *p, const gen_ref *r)
{
    return gen_names_get(&p->names, r->group, GEN_VAR, r->name, strlen(r->name));
}

/* ---- attributes ------------------------------------------------------------------------------------------- */

static int
parse_values(gen_parser *p, gen_attdecl *a)
{
    gen_const c;
    bool      more = !gen_at(p, ';');
    int       rc;

    for (; more; a->n++) {
        if (gen_at(p, '{'))
            return gen_error(p, p->tok.pos, "braces enclose only values of user-defined types");
        if ((rc = gen_take_const(p, &c)) != NC_NOERR || (rc = gen_accept(p, ',', &more)) != NC_NOERR)
            return rc;
        a->values = gen_add_item(p, a->n, &c, sizeof c);
    }
    return NC_NOERR;
}

/* The values of an attribute of a user-defined type: their form follows from the type. */
static int
parse_user_att(gen_parser *p, const gen_attdecl *a)
{
    gen_list *l = gen_list_new(p->cdl, a->type, a->pos, 0);
    int       rc;

    if ((rc = gen_parse_items(p, l)) != NC_NOERR)
        return rc;
    if (l->nfills > 0)
        return gen_error(p, a->end, "an attribute's values cannot be '_'");
    gen_attr_add_list(p, a, l);
    return NC_NOERR;
}

int
gen_attr_after_colon(gen_parser *p, gen_var *var, const gen_typeref *type)
{
    gen_attdecl a = {.var = var, .type = type};
    int         rc;

    if ((rc = gen_expect(p, ':')) != NC_NOERR ||
        (rc = gen_take_name(p, "an attribute's name", &a.name, &a.pos)) != NC_NOERR ||
        (rc = gen_expect(p, '=')) != NC_NOERR)
        return rc;
    a.end = p->tok.pos;
    if (var != NULL && var->type.user != NULL && strcmp(a.name, "_FillValue") == 0)
        a.type = &var->type;
    if (a.type != NULL && a.type->user != NULL)
        return parse_user_att(p, &a);
    rc = parse_values(p, &a);
    return rc == NC_NOERR ? gen_attr_add(p, &a) : rc;
}

int
gen_undefined(gen_parser *p, const gen_ref *r, const char *what)
{
    return gen_error(p, r->pos, "no %s %s is declared above", what, r->text);
}

/* `x :a = ...` is a group attribute of type x; `x:a` belongs to variable x, even if x is a type such as `int`. */
static int
parse_attr_of(gen_parser *p, const gen_ref *r)
{
    gen_var    *v = gen_find_var(p, r);
    gen_typeref type;
    bool        is_type = gen_find_type(p, r, &type);

    if (v != NULL && (r->tight || !is_type || type.user != NULL))
        return gen_attr_after_colon(p, v, NULL);
    return is_type ? gen_attr_after_colon(p, NULL, &type) : gen_undefined(p, r, "variable or type");
}

int
gen_attr_after_ref(gen_parser *p, const gen_ref *first)
{
    gen_typeref type;
    gen_ref     second;
    gen_var    *v;
    int         rc;

    if (gen_at(p, ':'))
        return parse_attr_of(p, first);
    if (p->tok.tok != GEN_T_WORD && p->tok.tok != GEN_T_PATH)
        return gen_unexpected(p, "':'");
    if (!gen_find_type(p, first, &type))
        return gen_undefined(p, first, "type");
    if ((rc = gen_take_ref(p, &second)) != NC_NOERR)
        return rc;
    v = gen_find_var(p, &second);
    if (v == NULL)
        return gen_undefined(p, &second, "variable");
    return gen_attr_after_colon(p, v, &type);
}
