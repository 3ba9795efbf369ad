/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The grammar of CDL, by recursive descent: groups, sections, dimensions, variables.
 *
 * A group's sections come in the order attributes, types, dimensions, variables, data, groups. Attributes may be
 * declared in all of them. Everything is declared before its use except for dimensions of other groups, which a path
 * may name earlier (gen_declare_ahead.c). The token after its first name identifies a statement: `=` a dimension or
 * data, `:` an attribute, another name a variable or a typed attribute.
 */
#include "gen_int.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef enum section { S_ATTRS, S_TYPES, S_DIMS, S_VARS, S_DATA, S_GROUPS, S_NONE } section;

static const char *const section_names[] = {"attributes", "types", "dimensions", "variables", "data", "group"};

/* ---- dimensions ------------------------------------------------------------------------------------------- */

static int
declare_dim(gen_parser *p, const char *name, gen_pos pos)
{
    gen_dim *d = gen_names_get(&p->names, p->group, GEN_DIM, name, strlen(name));
    bool     number = p->tok.tok == GEN_T_CONST;
    int      rc;

    if (d != NULL && !d->ahead)
        return gen_error(p, pos, "dimension %s is declared twice", name);
    if (d == NULL)
        d = gen_add_dim(p, name, pos);
    d->ahead = false;
    rc = gen_dim_size(p, d);
    if (rc == NC_NOERR && number && d->unlimited)
        gen_warn(p, pos, "dimension %s becomes unlimited: no other one can be made with length 0", name);
    return rc;
}

/* Parses `a = 4, b = unlimited`, after the first name. */
static int
parse_dims_statement(gen_parser *p, const gen_ref *first)
{
    const char *name = first->name;
    gen_pos     pos = first->pos;
    int         rc;

    if (first->path)
        return gen_error(p, pos, "a dimension is declared by its plain name");
    for (;;) {
        if ((rc = gen_expect(p, '=')) != NC_NOERR || (rc = declare_dim(p, name, pos)) != NC_NOERR || !gen_at(p, ','))
            return rc;
        if ((rc = gen_next(p)) != NC_NOERR || (rc = gen_take_name(p, "a dimension's name", &name, &pos)) != NC_NOERR)
            return rc;
    }
}

/* ---- variables -------------------------------------------------------------------------------------------- */

/* Parses `(d1, /g/d2)`, or nothing. */
static int
parse_var_dims(gen_parser *p, gen_var *v)
{
    gen_dim **dims = NULL, *d;
    gen_ref   r;
    bool      more, any;
    int       rc;

    if ((rc = gen_accept(p, '(', &any)) != NC_NOERR)
        return rc;
    for (more = any; more;) {
        if ((rc = gen_take_ref(p, &r)) != NC_NOERR)
            return rc;
        if (r.path && gen_find_outward(p, &r, GEN_DIM) == NULL && (rc = gen_declare_ahead(p)) != NC_NOERR)
            return rc;
        if (v->rank == NC_MAX_VAR_DIMS)
            return gen_error(p, r.pos, "more than %d dimensions", NC_MAX_VAR_DIMS);
        if ((d = gen_find_outward(p, &r, GEN_DIM)) == NULL)
            return gen_undefined(p, &r, "dimension");
        dims = gen_add_item(p, v->rank++, &d, sizeof(gen_dim *));
        if ((rc = gen_accept(p, ',', &more)) != NC_NOERR)
            return rc;
    }
    v->dims = gen_alloc(&p->cdl->arena, v->rank * sizeof(gen_dim *));
    if (any)
        memcpy(v->dims, dims, v->rank * sizeof(gen_dim *));
    return any ? gen_expect(p, ')') : NC_NOERR;
}

static int
add_var(gen_parser *p, const gen_typeref *type, const char *name, gen_pos pos)
{
    gen_group *g = p->group;
    gen_var   *v;
    int        rc;

    if (gen_names_get(&p->names, g, GEN_VAR, name, strlen(name)) != NULL)
        return gen_error(p, pos, "variable %s is declared twice", name);
    v = gen_alloc(&p->cdl->arena, sizeof *v);
    *v = (gen_var){.name = name, .pos = pos, .index = p->cdl->nvars, .type = *type};
    v->atts_end = &v->atts;
    if ((rc = parse_var_dims(p, v)) != NC_NOERR)
        return rc;
    gen_names_put(&p->names, &p->cdl->arena, g, GEN_VAR, name, v);
    p->cdl->nvars++;
    *g->vars_end = v;
    g->vars_end = &v->next;
    return NC_NOERR;
}

/* Parses `type a(x), b` or `type v:att = ...`, after the type. */
static int
parse_vars_statement(gen_parser *p, const gen_ref *first)
{
    gen_typeref type;
    gen_ref     r;
    const char *name;
    gen_pos     pos;
    int         rc;

    if (!gen_find_type(p, first, &type))
        return gen_undefined(p, first, "type");
    if ((rc = gen_take_ref(p, &r)) != NC_NOERR)
        return rc;
    if (gen_at(p, ':')) {
        gen_var *v = gen_find_var(p, &r);

        return v == NULL ? gen_undefined(p, &r, "variable") : gen_attr_after_colon(p, v, &type);
    }
    if (r.path)
        return gen_error(p, r.pos, "a variable is declared by its plain name");
    for (name = r.name, pos = r.pos;;) {
        if ((rc = add_var(p, &type, name, pos)) != NC_NOERR || !gen_at(p, ','))
            return rc;
        if ((rc = gen_next(p)) != NC_NOERR || (rc = gen_take_name(p, "a variable's name", &name, &pos)) != NC_NOERR)
            return rc;
    }
}

static int
parse_data_statement(gen_parser *p, const gen_ref *first)
{
    gen_var *v = gen_find_var(p, first);
    int      rc;

    if (v == NULL)
        return gen_undefined(p, first, "variable");
    if ((rc = gen_expect(p, '=')) != NC_NOERR)
        return rc;
    return gen_parse_data(p, v);
}

/* ---- groups and sections ---------------------------------------------------------------------------------- */

/*
 * The section that the current word opens: the word with its colon, without a blank between. A variable may have such
 * a name: then `data:units` is its attribute, and only `data:` followed by a blank opens a section.
 */
static section
find_section(const gen_parser *p)
{
    const gen_token *t = &p->tok;

    if (t->tok != GEN_T_WORD || t->quoted || p->src[t->end] != ':')
        return S_NONE;
    for (int s = S_TYPES; s <= S_GROUPS; s++)
        if (strcmp(t->text, section_names[s]) == 0) {
            bool var = gen_names_get(&p->names, p->group, GEN_VAR, t->text, t->len) != NULL;

            return var && !isspace((unsigned char)p->src[t->end + 1]) ? S_NONE : (section)s;
        }
    return S_NONE;
}

static int
parse_statement(gen_parser *p, section s)
{
    gen_ref first;
    int     rc;

    if (gen_at(p, ':')) {
        rc = gen_attr_after_colon(p, NULL, NULL);
    } else if (s == S_TYPES) {
        return gen_type_statement(p); /* its ';' is optional */
    } else if ((rc = gen_take_ref(p, &first)) == NC_NOERR) {
        if (s == S_DIMS && gen_at(p, '='))
            rc = parse_dims_statement(p, &first);
        else if (s == S_DATA && gen_at(p, '='))
            rc = parse_data_statement(p, &first);
        else if (s == S_VARS && !gen_at(p, ':') && (p->tok.tok == GEN_T_WORD || p->tok.tok == GEN_T_PATH))
            rc = parse_vars_statement(p, &first);
        else
            rc = gen_attr_after_ref(p, &first);
    }
    return rc != NC_NOERR ? rc : gen_expect(p, ';');
}

static int parse_group_body(gen_parser *p);

/* Parses `NAME { ... }` after `group:`. */
static int
parse_subgroup(gen_parser *p)
{
    gen_group  *outer = p->group, *g;
    const char *name;
    gen_pos     pos;
    int         rc;

    if ((rc = gen_take_name(p, "a group's name", &name, &pos)) != NC_NOERR)
        return rc;
    g = gen_names_get(&p->names, outer, GEN_GROUP, name, strlen(name));
    if (g != NULL && !g->ahead)
        return gen_error(p, pos, "group %s is declared twice", name);
    if (++p->depth > GEN_MAX_DEPTH)
        return gen_error(p, pos, "more than %d groups inside each other", GEN_MAX_DEPTH);
    if (g == NULL)
        g = gen_add_group(p, name, pos);
    g->ahead = false;
    p->group = g;
    rc = parse_group_body(p);
    p->group = outer;
    p->depth--;
    return rc;
}

/* Skips the word and colon that open section `s`, which must be allowed after section `was`. */
static int
open_section(gen_parser *p, section s, section was)
{
    int rc;

    if (s < was || (s == was && s != S_GROUPS))
        return gen_error(p, p->tok.pos, s == was ? "a second '%s:' section" : "'%s:' must come before '%s:'",
                         section_names[s], section_names[was]);
    if ((rc = gen_next(p)) != NC_NOERR)
        return rc;
    return gen_expect(p, ':');
}

/* Parses the `{ ... }` of a group. */
static int
parse_group_body(gen_parser *p)
{
    section now = S_ATTRS;
    gen_pos start = p->tok.pos;
    int     rc = gen_expect(p, '{');

    while (rc == NC_NOERR && !gen_at(p, '}')) {
        section s = find_section(p);

        if (p->tok.tok == GEN_T_END)
            return gen_error(p, p->tok.pos, "the '{' of line %u has no '}'", start.line);
        if (s == S_NONE) {
            rc = parse_statement(p, now);
            continue;
        }
        rc = open_section(p, s, now);
        now = s;
        if (rc == NC_NOERR && s == S_GROUPS)
            rc = parse_subgroup(p);
    }
    return rc != NC_NOERR ? rc : gen_next(p);
}

static int
parse_dataset(gen_parser *p)
{
    int rc;

    p->at = gen_text_start(p);
    if ((rc = gen_next(p)) != NC_NOERR)
        return rc;
    if (!gen_at_word(p, "netcdf") && !gen_at_word(p, "NETCDF") && !gen_at_word(p, "netCDF"))
        return gen_unexpected(p, "'netcdf NAME {'");
    if ((rc = gen_dataset_name(p)) != NC_NOERR || (rc = parse_group_body(p)) != NC_NOERR)
        return rc;
    if (p->tok.tok != GEN_T_END)
        return gen_unexpected(p, "nothing after the last '}'");
    gen_finish_tree(p);
    return NC_NOERR;
}

/* Makes the tree, or ends where memory does. */
static int
parse_text(gen_parser *p)
{
    static const gen_pos start = {1, 1};
    gen_cdl             *cdl = p->cdl;
    gen_report           report = p->report; /* a scan ahead has none */
    jmp_buf              out_of_memory;

    cdl->arena.out_of_memory = &out_of_memory;
    if (setjmp(out_of_memory) != 0) {
        gen_say(report, true, cdl->file, p->tok.pos, "out of memory");
        return NC_ENOMEM;
    }
    cdl->file = gen_strndup(&cdl->arena, cdl->file, strlen(cdl->file));
    p->group = cdl->root = gen_new_group(p, "/", start);
    return parse_dataset(p);
}

int
gen_parse(const char *file, const char *text, size_t len, gen_report report, gen_cdl **out)
{
    gen_cdl   *cdl = gen_grow(NULL, 1, sizeof *cdl);
    gen_parser p = {.cdl = cdl, .report = report, .src = text, .len = len, .line = 1};
    int        rc;

    if (cdl == NULL) {
        gen_say(report, true, file, (gen_pos){0, 0}, "out of memory");
        return NC_ENOMEM;
    }
    *cdl = (gen_cdl){.name = "", .file = file};
    if ((rc = parse_text(&p)) == NC_NOERR) {
        *out = cdl;
        cdl = NULL;
    }
    gen_names_clear(&p.names);
    free(p.buf);
    free(p.items);
    gen_free(cdl);
    return rc;
}

void
gen_free(gen_cdl *cdl)
{
    if (cdl == NULL)
        return;
    for (gen_list *l = cdl->lists; l != NULL; l = l->next) {
        free(l->values);
        free(l->fills);
        free(l->subs);
    }
    gen_arena_clear(&cdl->arena);
    free(cdl);
}

const char *
gen_name(const gen_cdl *cdl)
{
    return cdl->name;
}

const dataset_kind *
gen_format(const gen_cdl *cdl)
{
    return cdl->kind;
}

static bool
is_of_cdf5(const gen_typeref *t)
{
    return t->user == NULL && t->type >= NC_UBYTE && t->type <= NC_UINT64;
}

static bool
atts_need_cdf5(const gen_att *a)
{
    for (; a != NULL; a = a->next)
        if (is_of_cdf5(&a->values->type))
            return true;
    return false;
}

const dataset_kind *
gen_classic_kind(const gen_cdl *cdl)
{
    bool cdf5 = atts_need_cdf5(cdl->root->atts);

    for (const gen_var *v = cdl->root->vars; v != NULL && !cdf5; v = v->next)
        cdf5 = is_of_cdf5(&v->type) || atts_need_cdf5(v->atts);
    return dataset_kind_parse(cdf5 ? "cdf5" : "classic");
}

static bool
is_of_netcdf4(const gen_typeref *t)
{
    return t->user != NULL || t->type == NC_STRING;
}

/* One string becomes a text. */
static bool
atts_need_netcdf4(const gen_att *a)
{
    for (; a != NULL; a = a->next)
        if (is_of_netcdf4(&a->values->type) && (a->values->type.user != NULL || a->values->nelems != 1))
            return true;
    return false;
}

static bool
var_needs_netcdf4(const gen_var *v)
{
    static const gen_prop props[] = {GEN_CHUNKS,  GEN_SHARDS,   GEN_DEFLATE, GEN_SHUFFLE, GEN_FLETCHER,
                                     GEN_FILTERS, GEN_QUANTIZE, GEN_CODECS,  GEN_DTYPE};

    for (size_t i = 0; i < GEN_LEN(props); i++)
        if (v->props.pos[props[i]].line != 0)
            return true;
    for (size_t d = 1; d < v->rank; d++)
        if (v->dims[d]->unlimited)
            return true;
    return is_of_netcdf4(&v->type) || atts_need_netcdf4(v->atts);
}

const dataset_kind *
gen_file_kind(const gen_cdl *cdl)
{
    const gen_group *root = cdl->root;
    bool             more = root->groups != NULL || root->types != NULL || atts_need_netcdf4(root->atts);
    int              unlimited = 0;

    for (const gen_dim *d = root->dims; d != NULL; d = d->next)
        unlimited += d->unlimited;
    for (const gen_var *v = root->vars; v != NULL && !more; v = v->next)
        more = var_needs_netcdf4(v);
    return more || unlimited > 1 ? dataset_kind_parse("nc4") : gen_classic_kind(cdl);
}

int
gen_zarr_format(const gen_cdl *cdl)
{
    return cdl->zarr_format;
}
