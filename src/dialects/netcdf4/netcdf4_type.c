/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HDF5's types as netCDF shows them: numbers, characters and strings; user-defined types, of which those without a
 * name get one, as netCDF-C names them; and what netCDF has no type for.
 */
#include "dialects/netcdf4/netcdf4.h"

#include <stdio.h>
#include <string.h>

/* `name`: of a committed type; NULL: of another. */
static int map_type(ncz_netcdf4_types *t, ncz_group *g, const char *name, const ncz_hdf5_type *from, unsigned depth,
                    ncz_netcdf4_type *out);

void
ncz_netcdf4_types_clear(ncz_netcdf4_types *t)
{
    ncz_free(t->addrs);
    ncz_free(t->types);
}

/* ---- numbers and text ------------------------------------------------------------------------------------- */

static int
refuse_type(ncz_netcdf4_type *out, const char *why)
{
    out->type = ncz_type_of(NC_NAT);
    out->dtype = (ncz_dtype){.kind = NCZ_KIND_OTHER, .size = out->size};
    out->why = why;
    return NC_NOERR;
}

/* A type with another one in it, which is the reason: "compounds with field 'x' of references". */
static int
refuse_part(ncz_netcdf4_types *t, ncz_netcdf4_type *out, const char *what, const char *name, const char *why)
{
    char *text = name == NULL ? ncz_sprintf("%s %s", what, why) : ncz_sprintf("%s '%.80s' of %s", what, name, why);
    char *kept = text != NULL ? ncz_arena_text(t->arena, text, strlen(text)) : NULL;

    ncz_free(text);
    return kept != NULL ? refuse_type(out, kept) : ncz_fail_nomem(strlen(why));
}

static int
set_number(ncz_netcdf4_type *out, ncz_kind kind, bool big, nc_type id)
{
    out->type = ncz_type_of(id);
    out->dtype = (ncz_dtype){.kind = kind, .big = big && out->size > 1, .size = out->size};
    out->endian = big ? NC_ENDIAN_BIG : NC_ENDIAN_LITTLE;
    return NC_NOERR;
}

static int
map_integer(const ncz_hdf5_type *from, ncz_netcdf4_type *out)
{
    static const nc_type types[2][4] = {{NC_UBYTE, NC_USHORT, NC_UINT, NC_UINT64},
                                        {NC_BYTE, NC_SHORT, NC_INT, NC_INT64}};
    unsigned             i = from->size == 1 ? 0 : from->size == 2 ? 1 : from->size == 4 ? 2 : 3;

    if (from->size != (size_t)1 << i || from->order == NCZ_HDF5_VAX)
        return refuse_type(out, "integers of that size");
    if (from->precision == 0 || from->bit_offset > 8 * from->size ||
        from->precision > 8 * from->size - from->bit_offset)
        return refuse_type(out, "integers with more bits than their bytes have");
    if (from->precision < 8 * from->size) {
        out->bits = from->precision;
        out->shift = from->bit_offset;
        out->is_signed = from->is_signed;
    }
    return set_number(out, from->is_signed ? NCZ_KIND_INT : NCZ_KIND_UINT, from->order == NCZ_HDF5_BIG,
                      types[from->is_signed][i]);
}

/* Do numbers with so many bits fit one whose mantissa has that many, and whose powers of two go that far? */
static bool
fits_float(const ncz_netcdf4_float *f, unsigned mantissa, int64_t highest, int64_t lowest)
{
    unsigned stored = f->mantissa_bits - !f->implied;
    int64_t  bias = f->bias;

    return stored <= mantissa && ((int64_t)1 << f->exponent_bits) - 2 - bias <= highest &&
           1 - bias - (int64_t)stored >= lowest;
}

/* Any other form (n-bit, bfloat16), as the smaller of netCDF's types that has its bits and all of its values. */
static int
map_odd_float(const ncz_hdf5_type *from, ncz_netcdf4_type *out)
{
    ncz_netcdf4_float f = {.exponent_at = from->exponent_at,
                           .exponent_bits = from->exponent_bits,
                           .mantissa_at = from->mantissa_at,
                           .mantissa_bits = from->mantissa_bits,
                           .sign_at = from->sign_at,
                           .bias = from->exponent_bias,
                           .implied = from->implied_bit == 2};
    unsigned          nbits = 8 * (unsigned)(from->size <= 8 ? from->size : 0);
    bool              single;

    if (from->order == NCZ_HDF5_VAX || from->implied_bit < 1 || from->implied_bit > 2 || f.mantissa_bits == 0 ||
        f.exponent_bits == 0 || f.exponent_bits > 11 || f.exponent_at + f.exponent_bits > nbits ||
        f.mantissa_at + f.mantissa_bits > nbits || f.sign_at >= nbits || !fits_float(&f, 52, 1023, -1074))
        return refuse_type(out, "floating-point numbers that neither float nor double can hold");
    single = from->precision <= 32 && fits_float(&f, 23, 127, -149);
    out->odd_float = true;
    out->bits = from->precision;
    out->form = f;
    out->type = ncz_type_of(single ? NC_FLOAT : NC_DOUBLE);
    out->dtype = (ncz_dtype){.kind = NCZ_KIND_FLOAT, .big = from->order == NCZ_HDF5_BIG, .size = single ? 4 : 8};
    out->endian = out->dtype.big ? NC_ENDIAN_BIG : NC_ENDIAN_LITTLE;
    return NC_NOERR;
}

/* IEEE's forms of 2, 4 and 8 bytes. */
static int
map_float(const ncz_hdf5_type *from, ncz_netcdf4_type *out)
{
    static const struct {
        size_t   size;
        unsigned exponent, mantissa;
        uint32_t bias;
    } forms[] = {{2, 5, 10, 15}, {4, 8, 23, 127}, {8, 11, 52, 1023}};

    for (size_t i = 0; i < NCZ_LEN(forms) && from->order != NCZ_HDF5_VAX; i++)
        if (from->size == forms[i].size && from->bit_offset == 0 && from->precision == 8 * from->size &&
            from->exponent_bits == forms[i].exponent && from->mantissa_bits == forms[i].mantissa &&
            from->exponent_bias == forms[i].bias && from->mantissa_at == 0 &&
            from->exponent_at == forms[i].mantissa && from->sign_at == 8 * from->size - 1)
            return set_number(out, NCZ_KIND_FLOAT, from->order == NCZ_HDF5_BIG,
                              from->size == 8 ? NC_DOUBLE : NC_FLOAT);
    return map_odd_float(from, out);
}

/* One character is a character, several are a string. */
static int
map_text(const ncz_hdf5_type *from, ncz_netcdf4_type *out)
{
    bool one = from->size == 1;

    out->type = ncz_type_of(one ? NC_CHAR : NC_STRING);
    out->dtype = (ncz_dtype){.kind = one ? NCZ_KIND_CHAR : NCZ_KIND_BYTES, .size = from->size};
    return NC_NOERR;
}

/* Numbers without a sign, where all is shown. */
static int
map_bits(const ncz_hdf5_type *from, ncz_netcdf4_type *out)
{
    ncz_hdf5_type integer = *from;

    integer.is_signed = false;
    return map_integer(&integer, out);
}

/* The path of what it refers to, where all is shown: objects (kind 0), parts of datasets (1). */
static int
map_reference(const ncz_hdf5_type *from, ncz_netcdf4_type *out)
{
    if (from->reference > 1)
        return refuse_type(out, "references of HDF5 1.12");
    out->heap = out->refers = true;
    out->region = from->reference == 1;
    out->type = ncz_type_of(NC_STRING);
    out->dtype = (ncz_dtype){.kind = NCZ_KIND_OBJECT, .size = NCZ_OBJECT_SIZE};
    return NC_NOERR;
}

/* ---- user-defined types ------------------------------------------------------------------------------------ */

/* What a type is to be, before it is known whether netCDF has one like it already. */
typedef struct draft {
    ncz_type_class class;
    size_t                  size; /* of an opaque type */
    const ncz_type         *base;
    size_t                  n; /* fields or members */
    const char            **names;
    const ncz_netcdf4_type *fields;
    const unsigned char    *values; /* of members, as they are in memory */
} draft;

static bool
is_field_like(const ncz_type_field *f, const char *name, const ncz_netcdf4_type *like)
{
    if (strcmp(f->name, name) != 0 || f->type != like->type || f->rank != like->rank)
        return false;
    for (size_t d = 0; d < f->rank; d++)
        if (f->shape[d] != like->shape[d])
            return false;
    return true;
}

static bool
is_like(const ncz_type *t, const draft *d)
{
    if (t->class != d->class || t->base != d->base || (d->class == NCZ_TYPE_OPAQUE && t->size != d->size) ||
        d->n != (d->class == NCZ_TYPE_COMPOUND ? t->nfields : t->nmembers))
        return false;
    for (size_t i = 0; i < d->n; i++)
        if (d->class == NCZ_TYPE_COMPOUND ? !is_field_like(&t->fields[i], d->names[i], &d->fields[i])
                                          : strcmp(t->members[i].name, d->names[i]) != 0 ||
                                                memcmp(t->members[i].value, d->values + i * t->size, t->size) != 0)
            return false;
    return true;
}

/* A type of this group, or of one around it, that is the same. */
static ncz_user_type *
find_like(const ncz_group *g, const draft *d)
{
    for (; g != NULL; g = g->parent)
        for (size_t i = 0; i < g->ntypes; i++)
            if (is_like(&g->types[i]->node, d))
                return g->types[i];
    return NULL;
}

static int
add_fields(ncz_model *m, ncz_user_type *u, const draft *d)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < d->n && rc == NC_NOERR; i++) {
        const ncz_netcdf4_type *f = &d->fields[i];
        size_t                  shape[NCZ_HDF5_MAX_RANK + 1];

        for (size_t k = 0; k < f->rank; k++)
            shape[k] = (size_t)f->shape[k]; /* their product fits */
        rc = ncz_model_append_field(m, u, d->names[i], f->type, f->rank, shape);
    }
    return rc;
}

static int
make_type(ncz_netcdf4_types *t, ncz_group *g, const char *name, const draft *d, ncz_user_type **out)
{
    ncz_model *m = t->l->m;
    int        rc;

    if ((rc = ncz_model_add_type(m, g, name, d->class, d->class == NCZ_TYPE_COMPOUND ? 1 : d->size, d->base, out)) !=
        NC_NOERR)
        return rc;
    if (d->class == NCZ_TYPE_COMPOUND)
        rc = add_fields(m, *out, d);
    for (size_t i = 0; d->class == NCZ_TYPE_ENUM && i < d->n && rc == NC_NOERR; i++)
        rc = ncz_model_insert_member(*out, d->names[i], d->values + i * (*out)->node.size);
    return rc == NC_NOERR ? ncz_model_use_type(m, &(*out)->node) : rc;
}

/* The type of that name, or one like the draft, or a new one with the name that netCDF-C gives it. */
static int
choose_type(ncz_netcdf4_types *t, ncz_group *g, const char *name, const draft *d, ncz_user_type **out)
{
    static const char *const words[] = {[NCZ_TYPE_ENUM] = "Enum",
                                        [NCZ_TYPE_OPAQUE] = "Opaque",
                                        [NCZ_TYPE_VLEN] = "Vlen",
                                        [NCZ_TYPE_COMPOUND] = "Compound"};
    char                     made[48];

    if (name == NULL && (*out = find_like(g, d)) != NULL)
        return NC_NOERR;
    if (name == NULL) {
        (void)snprintf(made, sizeof made, "_Anonymous%s%u", words[d->class], ++t->nanonymous);
        name = made;
    }
    return make_type(t, g, name, d, out);
}

static int
take_room(ncz_netcdf4_types *t, size_t n, size_t item, void *out)
{
    void *room = ncz_arena_get_n(t->arena, n == 0 ? 1 : n, item);

    if (room == NULL)
        return ncz_fail_nomem(n * item);
    memset(room, 0, (n == 0 ? 1 : n) * item);
    memcpy(out, &room, sizeof room);
    return NC_NOERR;
}

/* ---- enumerations ---- */

static int
read_members(ncz_netcdf4_types *t, const ncz_hdf5_type *from, const ncz_netcdf4_type *base, draft *d)
{
    unsigned char *values;
    int            rc;

    if ((rc = take_room(t, from->nmembers, sizeof *d->names, &d->names)) != NC_NOERR ||
        (rc = take_room(t, from->nmembers, base->type->size, &values)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < from->nmembers && rc == NC_NOERR; i++) {
        d->names[i] = from->members[i].name;
        rc = ncz_netcdf4_read_values(NULL, base, from->members[i].value, 1, values + i * base->type->size);
    }
    d->n = from->nmembers;
    d->values = values;
    return rc;
}

static int
map_enum(ncz_netcdf4_types *t, ncz_group *g, const char *name, const ncz_hdf5_type *from, ncz_netcdf4_type *out)
{
    ncz_netcdf4_type base = {.size = from->base->size, .nelems = 1};
    draft            d = {.class = NCZ_TYPE_ENUM};
    ncz_user_type   *u = NULL;
    int              rc;

    if (from->base->class != NCZ_HDF5_INTEGER || (rc = map_integer(from->base, &base)) != NC_NOERR ||
        base.type->class == NCZ_TYPE_NONE || base.bits != 0)
        return refuse_type(out, "enumerations of such values");
    for (size_t i = 0; i < from->nmembers; i++)
        if (strlen(from->members[i].name) > NC_MAX_NAME)
            return refuse_type(out, "enumerations with a name that netCDF has no room for");
    d.base = base.type;
    if ((rc = read_members(t, from, &base, &d)) != NC_NOERR || (rc = choose_type(t, g, name, &d, &u)) != NC_NOERR)
        return rc;
    out->type = &u->node;
    out->dtype = base.dtype;
    out->endian = base.endian;
    return NC_NOERR;
}

/* ---- sequences, bytes ---- */

static int
map_sequence(ncz_netcdf4_types *t, ncz_group *g, const char *name, const ncz_hdf5_type *from, unsigned depth,
             ncz_netcdf4_type *out)
{
    draft             d = {.class = NCZ_TYPE_VLEN};
    ncz_netcdf4_type *base;
    ncz_user_type    *u = NULL;
    int               rc;

    out->heap = true;
    if (from->is_string) {
        out->type = ncz_type_of(NC_STRING);
        out->dtype = (ncz_dtype){.kind = NCZ_KIND_OBJECT, .size = NCZ_OBJECT_SIZE};
        return NC_NOERR;
    }
    if ((rc = take_room(t, 1, sizeof *base, &base)) != NC_NOERR ||
        (rc = map_type(t, g, NULL, from->base, depth + 1, base)) != NC_NOERR)
        return rc;
    if (base->type->class == NCZ_TYPE_NONE || base->rank > 0)
        return refuse_part(t, out, "sequences of", NULL, base->rank > 0 ? "arrays" : base->why);
    out->base = base;
    d.base = base->type;
    if ((rc = choose_type(t, g, name, &d, &u)) != NC_NOERR)
        return rc;
    out->type = &u->node;
    out->dtype = ncz_dtype_of(out->type, false, 1);
    return NC_NOERR;
}

static int
map_opaque(ncz_netcdf4_types *t, ncz_group *g, const char *name, const ncz_hdf5_type *from, ncz_netcdf4_type *out)
{
    draft          d = {.class = NCZ_TYPE_OPAQUE, .size = from->size};
    ncz_user_type *u = NULL;
    int            rc;

    if (from->size > NCZ_TYPE_BYTES)
        return refuse_type(out, "elements of so many bytes");
    if ((rc = choose_type(t, g, name, &d, &u)) != NC_NOERR)
        return rc;
    out->type = &u->node;
    out->dtype = (ncz_dtype){.kind = NCZ_KIND_RAW, .size = from->size};
    return NC_NOERR;
}

/* ---- compounds ---- */

/* A text of fixed length is an array of characters: as a string it would end at its first NUL. */
static int
text_to_chars(ncz_netcdf4_types *t, ncz_netcdf4_type *f)
{
    uint64_t *shape;
    int       rc;

    if (f->dtype.kind != NCZ_KIND_BYTES)
        return NC_NOERR;
    if ((rc = take_room(t, f->rank + 1, sizeof *shape, &shape)) != NC_NOERR)
        return rc;
    for (size_t d = 0; d < f->rank; d++)
        shape[d] = f->shape[d];
    shape[f->rank++] = f->size;
    f->shape = shape;
    f->nelems *= f->size;
    f->type = ncz_type_of(NC_CHAR);
    f->dtype = (ncz_dtype){.kind = NCZ_KIND_CHAR, .size = 1};
    f->size = 1;
    return NC_NOERR;
}

/* The fields as they are stored, for elements whose bytes are all in one place. */
static int
make_record(ncz_netcdf4_types *t, const ncz_hdf5_type *from, const ncz_netcdf4_type *fields, ncz_record **out)
{
    ncz_record_field *to;
    ncz_record       *r;
    int               rc;

    if ((rc = take_room(t, 1, sizeof *r, &r)) != NC_NOERR ||
        (rc = take_room(t, from->nmembers, sizeof *to, &to)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < from->nmembers; i++) {
        const char *name = from->members[i].name; /* which goes with what was read of the file */
        size_t     *shape;

        if ((name = ncz_arena_text(t->arena, name, strlen(name))) == NULL)
            return ncz_fail_nomem(strlen(from->members[i].name));
        if ((rc = take_room(t, fields[i].rank, sizeof *shape, &shape)) != NC_NOERR)
            return rc;
        for (size_t d = 0; d < fields[i].rank; d++)
            shape[d] = (size_t)fields[i].shape[d];
        to[i] = (ncz_record_field){.name = name,
                                   .offset = from->members[i].offset,
                                   .dtype = fields[i].dtype,
                                   .rank = fields[i].rank,
                                   .shape = shape,
                                   .nelems = fields[i].nelems};
    }
    *r = (ncz_record){.size = from->size, .nfields = from->nmembers, .fields = to};
    *out = r;
    return NC_NOERR;
}

static int
map_fields(ncz_netcdf4_types *t, ncz_group *g, const ncz_hdf5_type *from, unsigned depth, ncz_netcdf4_type *out,
           draft *d)
{
    ncz_netcdf4_type *fields;
    size_t           *offsets;
    int               rc;

    if ((rc = take_room(t, from->nmembers, sizeof *fields, &fields)) != NC_NOERR ||
        (rc = take_room(t, from->nmembers, sizeof *offsets, &offsets)) != NC_NOERR ||
        (rc = take_room(t, from->nmembers, sizeof *d->names, &d->names)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < from->nmembers; i++) {
        const ncz_hdf5_member *member = &from->members[i];
        size_t                 end;

        if (strlen(member->name) > NC_MAX_NAME)
            return refuse_part(t, out, "compounds with field", member->name, "a name that netCDF has no room for");
        if ((rc = map_type(t, g, NULL, member->type, depth + 1, &fields[i])) != NC_NOERR ||
            (rc = text_to_chars(t, &fields[i])) != NC_NOERR)
            return rc;
        if (fields[i].type->class == NCZ_TYPE_NONE)
            return refuse_part(t, out, "compounds with field", member->name, fields[i].why);
        if (!ncz_add(member->offset, fields[i].size * fields[i].nelems, &end) || end > from->size)
            return ncz_fail(NC_EHDFERR, "field '%s' ends beyond the %zu bytes of its compound", member->name,
                            from->size);
        offsets[i] = member->offset;
        d->names[i] = member->name;
        out->heap = out->heap || fields[i].heap || fields[i].bits != 0;
    }
    out->fields = d->fields = fields;
    out->offsets = offsets;
    d->n = from->nmembers;
    return NC_NOERR;
}

static int
map_compound(ncz_netcdf4_types *t, ncz_group *g, const char *name, const ncz_hdf5_type *from, unsigned depth,
             ncz_netcdf4_type *out)
{
    draft          d = {.class = NCZ_TYPE_COMPOUND};
    ncz_user_type *u = NULL;
    ncz_record    *record = NULL;
    int            rc;

    if (from->nmembers == 0)
        return refuse_type(out, "compounds without fields");
    if ((rc = map_fields(t, g, from, depth, out, &d)) != NC_NOERR || out->why != NULL)
        return rc;
    if ((rc = choose_type(t, g, name, &d, &u)) != NC_NOERR)
        return rc;
    out->type = &u->node;
    if (out->heap) {
        out->dtype = ncz_dtype_of(out->type, false, 1);
        return NC_NOERR;
    }
    if ((rc = make_record(t, from, out->fields, &record)) != NC_NOERR)
        return rc;
    out->dtype = (ncz_dtype){.kind = NCZ_KIND_RECORD, .size = from->size, .record = record};
    return NC_NOERR;
}

/* ---- any type ---- */

/* Elements that are arrays: the type of their items, and the shape in front of what that type has itself. */
static int
map_array(ncz_netcdf4_types *t, ncz_group *g, const ncz_hdf5_type *from, unsigned depth, ncz_netcdf4_type *out)
{
    ncz_netcdf4_type item;
    uint64_t        *shape;
    size_t           n = 1;
    int              rc;

    if ((rc = map_type(t, g, NULL, from->base, depth + 1, &item)) != NC_NOERR)
        return rc;
    if (item.rank + from->rank > NCZ_HDF5_MAX_RANK)
        return refuse_type(out, "arrays of so many dimensions");
    if ((rc = take_room(t, from->rank + item.rank, sizeof *shape, &shape)) != NC_NOERR)
        return rc;
    for (size_t d = 0; d < from->rank; d++) {
        shape[d] = from->shape[d];
        if (shape[d] == 0 || shape[d] > SIZE_MAX || !ncz_mul(n, (size_t)shape[d], &n))
            return refuse_type(out, "arrays of no or too many elements");
    }
    for (size_t d = 0; d < item.rank; d++)
        shape[from->rank + d] = item.shape[d];
    if (!ncz_mul(item.nelems, n, &n) || !ncz_mul(n, item.size, &(size_t){0}) || n * item.size != from->size)
        return refuse_type(out, "arrays whose elements have gaps");
    *out = item;
    out->rank = from->rank + item.rank;
    out->nelems = n;
    out->shape = shape;
    return NC_NOERR;
}

/* The type of an object with that address, if it is one of netCDF's. */
static ncz_user_type *
find_committed(const ncz_netcdf4_types *t, uint64_t addr)
{
    for (size_t i = 0; addr != NCZ_HDF5_NONE && i < t->n; i++)
        if (t->addrs[i] == addr)
            return t->types[i];
    return NULL;
}

static int
map_type(ncz_netcdf4_types *t, ncz_group *g, const char *name, const ncz_hdf5_type *from, unsigned depth,
         ncz_netcdf4_type *out)
{
    bool                 all = t->l->wish.hdf5;
    const ncz_user_type *committed = name == NULL ? find_committed(t, from->committed) : NULL;

    *out = (ncz_netcdf4_type){.size = from->size, .nelems = 1};
    if (depth > NCZ_TYPE_DEPTH)
        return refuse_type(out, "types nested so deep");
    if (committed != NULL) {
        g = committed->group; /* where it is found again, by what it is */
    }
    switch (from->class) {
    case NCZ_HDF5_INTEGER: return map_integer(from, out);
    case NCZ_HDF5_FLOAT: return map_float(from, out);
    case NCZ_HDF5_STRING: return map_text(from, out);
    case NCZ_HDF5_ENUM: return map_enum(t, g, name, from, out);
    case NCZ_HDF5_VLEN: return map_sequence(t, g, name, from, depth, out);
    case NCZ_HDF5_OPAQUE: return map_opaque(t, g, name, from, out);
    case NCZ_HDF5_COMPOUND: return map_compound(t, g, name, from, depth, out);
    case NCZ_HDF5_ARRAY: return map_array(t, g, from, depth, out);
    case NCZ_HDF5_REFERENCE: return all ? map_reference(from, out) : refuse_type(out, "references");
    case NCZ_HDF5_BITFIELD: return all ? map_bits(from, out) : refuse_type(out, "bit fields");
    case NCZ_HDF5_TIME: return refuse_type(out, "times");
    case NCZ_HDF5_COMPLEX: return refuse_type(out, "complex numbers");
    default: return refuse_type(out, "elements of an unknown class");
    }
}

int
ncz_netcdf4_type_of(ncz_netcdf4_types *t, ncz_group *g, const ncz_hdf5_type *from, ncz_netcdf4_type *out)
{
    return map_type(t, g, NULL, from, 0, out);
}

int
ncz_netcdf4_type_commit(ncz_netcdf4_types *t, ncz_group *g, const char *name, uint64_t addr,
                        const ncz_hdf5_type *from)
{
    ncz_netcdf4_type type;
    ncz_user_type   *u;
    int              rc;

    if ((rc = map_type(t, g, name, from, 0, &type)) != NC_NOERR)
        return rc;
    if (type.type->id <= NC_MAX_ATOMIC_TYPE) {
        ncz_log(NCZ_LOG_INFO, "%s: a type of %s, which netCDF does not show", name,
                type.why != NULL ? type.why : type.type->name);
        return NC_NOERR;
    }
    if ((rc = ncz_make_room(&t->addrs, t->n, &t->cap, sizeof *t->addrs)) != NC_NOERR ||
        (rc = ncz_make_room(&t->types, t->n, &t->types_cap, sizeof(ncz_user_type *))) != NC_NOERR)
        return rc;
    u = ncz_model_user_type(t->l->m, type.type->id);
    t->addrs[t->n] = addr;
    t->types[t->n++] = u;
    return NC_NOERR;
}
