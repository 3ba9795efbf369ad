/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attribute declarations: infers the type of the values if it is not given, and adds the attribute.
 *
 * Inference is netCDF's. Text gives char; else any double gives double; else any float gives float. Of integers the
 * widest type wins, and of equally wide ones the later, unless a value does not fit it. 'a' alone counts as a byte.
 */
#include "gen_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static nc_type
find_const_type(const gen_const *c)
{
    return c->kind == GEN_STRING ? NC_CHAR : c->type;
}

/* Whether all of these integers keep their value in `type`. */
static bool
do_all_fit(const gen_attdecl *a, nc_type type)
{
    uint64_t scratch;

    for (size_t i = 0; i < a->n; i++)
        if (gen_convert(&a->values[i], type, &scratch) != GEN_FITS)
            return false;
    return true;
}

static nc_type
infer_integer_type(const gen_attdecl *a)
{
    static const nc_type wider[] = {NC_INT64, NC_UINT64};
    nc_type              type = NC_BYTE;

    for (size_t i = 0; i < a->n; i++)
        if (i == 0 || gen_type_size(a->values[i].type) >= gen_type_size(type))
            type = a->values[i].type;
    if (do_all_fit(a, type))
        return type;
    for (size_t i = 0; i < GEN_LEN(wider); i++)
        if (do_all_fit(a, wider[i]))
            return wider[i];
    return NC_NAT;
}

static int
infer_type(gen_parser *p, const gen_attdecl *a, nc_type *out)
{
    size_t strings = 0, texts = 0;
    bool   is_float = false, is_double = false;

    for (size_t i = 0; i < a->n; i++) {
        const gen_const *c = &a->values[i];

        if (c->kind == GEN_FILL)
            return gen_error(p, c->pos, "an attribute's values cannot be '_'");
        if (c->kind == GEN_NAME || c->kind == GEN_NIL || (c->kind == GEN_HEX && c->type == NC_NAT))
            return gen_error(p, c->pos, "an attribute with this value needs a type before its name");
        strings += c->kind == GEN_STRING;
        texts += c->kind == GEN_STRING || c->kind == GEN_CHAR;
        is_float = is_float || find_const_type(c) == NC_FLOAT;
        is_double = is_double || find_const_type(c) == NC_DOUBLE;
    }
    if (strings > 0 && texts != a->n)
        return gen_error(p, a->pos, "attribute %s mixes text and numbers", a->name);
    *out = a->n == 0 || strings > 0 ? NC_CHAR : is_double ? NC_DOUBLE : is_float ? NC_FLOAT : infer_integer_type(a);
    if (*out == NC_NAT)
        return gen_error(p, a->pos, "no integer type holds all values of attribute %s", a->name);
    return NC_NOERR;
}

static int
make_values(gen_parser *p, const gen_attdecl *a, nc_type type, gen_list **out)
{
    gen_typeref ref = {.type = type};
    gen_list   *l = gen_list_new(p->cdl, &ref, a->pos, 0);
    int         rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < a->n; i++) {
        if (a->values[i].kind == GEN_FILL)
            return gen_error(p, a->values[i].pos, "an attribute's values cannot be '_'");
        rc = gen_list_add(p, l, &a->values[i]);
    }
    if (rc == NC_NOERR)
        gen_list_end(p, l);
    if (rc == NC_NOERR && l->nelems == 0 && type != NC_CHAR)
        rc = gen_error(p, a->end, "attribute %s of type %s has no value", a->name, gen_type_name(type));
    *out = l;
    return rc;
}

/* Whether a number is one that the variable can have. A float is the nearest one. */
static bool
is_fill_of_type(const gen_const *c, nc_type type)
{
    uint8_t room[8];
    bool    integer = type != NC_FLOAT && type != NC_DOUBLE;
    gen_fit fit;

    if (c->kind == GEN_REAL && integer && c->v.d != trunc(c->v.d))
        return false;
    fit = gen_convert(c, type, room);
    return fit != GEN_NO_FIT && fit != GEN_OVERFLOWS;
}

static bool
is_number_type(nc_type type)
{
    return type >= NC_BYTE && type <= NC_UINT64 && type != NC_CHAR;
}

/* The number that a text spells, with blanks around it. */
static bool
read_number(gen_parser *p, const gen_const *text, gen_const *out)
{
    const char *s = text->s, *end = s + text->len, *why;
    char       *word;
    gen_fit     fit;

    while (s < end && *s == ' ')
        s++;
    while (end > s && end[-1] == ' ')
        end--;
    *out = (gen_const){.kind = GEN_NAME, .pos = text->pos};
    if (s == end)
        return false;
    word = gen_strndup(&p->cdl->arena, s, (size_t)(end - s));
    if (gen_find_named_real(word, out))
        return true;
    if (!gen_parse_number(word, strlen(word), out, &fit, &why) || fit != GEN_FITS)
        return false;
    if (out->kind == GEN_REAL) /* "-999.9f" of a double is not a float's nearest */
        out->v.d = strtod(word, NULL);
    return true;
}

/* A _FillValue that is text, of a variable of numbers, as files have it whose writer took one for the other: the number
 * that it spells, as ncgen has it. */
static void
convert_fill_text(gen_parser *p, gen_attdecl *a, gen_const *number)
{
    nc_type type = a->var->type.type;

    if (a->n != 1 || a->values[0].kind != GEN_STRING || a->var->type.user != NULL || !is_number_type(type) ||
        !read_number(p, &a->values[0], number) || !is_fill_of_type(number, type))
        return;
    gen_warn(p, a->pos, "_FillValue of %s is text, the variable has type %s: it is converted to the number",
             a->var->name, gen_type_name(type));
    a->values = number;
}

/*
 * Why a _FillValue is left out, or NULL. Files have such ones: NCO's packing leaves the type of the unpacked variable,
 * HDF5 takes whatever a program gives it.
 */
static const char *
find_fill_fault(const gen_attdecl *a)
{
    nc_type          type = a->var->type.user == NULL ? a->var->type.type : NC_NAT;
    const gen_const *c = a->values;

    if (a->n == 0)
        return "it has no value";
    if (a->n > 1)
        return "it has several values";
    if (type == NC_NAT || type == NC_CHAR || type == NC_STRING)
        return type == NC_CHAR && c->kind == GEN_STRING && c->len != 1 ? "it is no single character" : NULL;
    if (c->kind == GEN_STRING)
        return "it is text, and the variable has numbers";
    if ((c->kind == GEN_REAL || c->kind == GEN_INT) && !is_fill_of_type(c, type))
        return "it has another type than the variable, and does not fit";
    return NULL;
}

void
gen_attr_add_list(gen_parser *p, const gen_attdecl *a, gen_list *values)
{
    bool      is_fill = a->var != NULL && strcmp(a->name, "_FillValue") == 0;
    gen_att **end = a->var != NULL ? a->var->atts_end : p->group->atts_end;
    gen_att  *att;

    if (is_fill && values->nelems != 1) {
        gen_warn(p, a->pos, "_FillValue of %s is left out: it has %zu values", a->var->name, values->nelems);
        return;
    }
    att = gen_alloc(&p->cdl->arena, sizeof *att);
    *att = (gen_att){.name = a->name, .pos = a->pos, .values = values};
    if (is_fill)
        a->var->fill = values;
    *end = att;
    if (a->var != NULL)
        a->var->atts_end = &att->next;
    else
        p->group->atts_end = &att->next;
}

int
gen_attr_add(gen_parser *p, const gen_attdecl *decl)
{
    gen_attdecl own = *decl, *a = &own;
    gen_const   number;
    bool        taken = false, is_fill = a->var != NULL && strcmp(a->name, "_FillValue") == 0;
    const char *fault;
    nc_type     type = a->type != NULL ? a->type->type : NC_NAT;
    gen_list   *values = NULL;
    int         rc;

    if ((rc = gen_take_special_att(p, a, &taken)) != NC_NOERR || taken)
        return rc;
    if (is_fill)
        convert_fill_text(p, a, &number);
    if (is_fill && (fault = find_fill_fault(a)) != NULL) {
        gen_warn(p, a->pos, "_FillValue of %s is left out: %s", a->var->name, fault);
        return NC_NOERR;
    }
    if (is_fill)
        type = a->var->type.type;
    else if (type == NC_NAT && (rc = infer_type(p, a, &type)) != NC_NOERR)
        return rc;
    if ((rc = make_values(p, a, type, &values)) == NC_NOERR)
        gen_attr_add_list(p, a, values);
    return rc;
}
