/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdf5/written.h"

#include <stdio.h>
#include <string.h>

enum { DATA_AT = 64, DATA_BYTES = 64, IMAGE_AT = DATA_AT + DATA_BYTES, REFERENCE = 8, ELEMENT = 16 };

/* ---- types ---- */

#define INTEGER(bytes, is, o)                                                                                        \
    {                                                                                                                \
        .class = NCZ_HDF5_INTEGER, .size = (bytes), .committed = NCZ_HDF5_NONE, .order = (o), .is_signed = (is),     \
        .precision = 8 * (bytes)                                                                                     \
    }

const ncz_hdf5_type written_int = INTEGER(4, true, NCZ_HDF5_LITTLE);

static const ncz_hdf5_type
    byte_type = INTEGER(1, true, NCZ_HDF5_LITTLE),
    ubyte_type = INTEGER(1, false, NCZ_HDF5_LITTLE), short_type = INTEGER(2, true, NCZ_HDF5_BIG),
    ulong_type = INTEGER(8, false, NCZ_HDF5_LITTLE),
    float_type = {.class = NCZ_HDF5_FLOAT,
                  .size = 4,
                  .committed = NCZ_HDF5_NONE,
                  .precision = 32,
                  .exponent_at = 23,
                  .exponent_bits = 8,
                  .mantissa_bits = 23,
                  .exponent_bias = 127,
                  .sign_at = 31,
                  .implied_bit = 2},
    double_type = {.class = NCZ_HDF5_FLOAT,
                   .size = 8,
                   .committed = NCZ_HDF5_NONE,
                   .order = NCZ_HDF5_BIG,
                   .precision = 64,
                   .exponent_at = 52,
                   .exponent_bits = 11,
                   .mantissa_bits = 52,
                   .exponent_bias = 1023,
                   .sign_at = 63,
                   .implied_bit = 2},
    text_type = {.class = NCZ_HDF5_STRING, .size = 7, .committed = NCZ_HDF5_NONE},
    opaque_type = {.class = NCZ_HDF5_OPAQUE, .size = 5, .committed = NCZ_HDF5_NONE, .tag = ""},
    tagged_type = {.class = NCZ_HDF5_OPAQUE, .size = 5, .committed = NCZ_HDF5_NONE, .tag = "a tag of 18 chars."},
    bits_type = {.class = NCZ_HDF5_BITFIELD, .size = 2, .committed = NCZ_HDF5_NONE, .precision = 16},
    reference_type = {.class = NCZ_HDF5_REFERENCE, .size = REFERENCE, .committed = NCZ_HDF5_NONE},
    character_type = {.class = NCZ_HDF5_STRING, .size = 1, .committed = NCZ_HDF5_NONE},
    string_type = {.class = NCZ_HDF5_VLEN,
                   .size = ELEMENT,
                   .committed = NCZ_HDF5_NONE,
                   .is_string = true,
                   .utf8 = true,
                   .base = &ubyte_type},
    ints_type = {.class = NCZ_HDF5_VLEN, .size = ELEMENT, .committed = NCZ_HDF5_NONE, .base = &written_int},
    references_type = {.class = NCZ_HDF5_VLEN, .size = ELEMENT, .committed = NCZ_HDF5_NONE, .base = &reference_type};

static const ncz_hdf5_member colors[] = {
    {.name = "red", .value = (const unsigned char *)"\1"},
    {.name = "green", .value = (const unsigned char *)"\2"},
    {.name = "a longer name of a color", .value = (const unsigned char *)"\377"}};
static const ncz_hdf5_type   enum_type = {.class = NCZ_HDF5_ENUM,
                                          .size = 1,
                                          .committed = NCZ_HDF5_NONE,
                                          .base = &byte_type,
                                          .members = colors,
                                          .nmembers = NCZ_LEN(colors)};
static const uint64_t        two_by_three[] = {2, 3};
static const ncz_hdf5_type   array_type = {.class = NCZ_HDF5_ARRAY,
                                           .size = 12,
                                           .committed = NCZ_HDF5_NONE,
                                           .base = &short_type,
                                           .rank = 2,
                                           .shape = two_by_three};
static const ncz_hdf5_member fields[] = {{.name = "i", .offset = 0, .type = &written_int},
                                         {.name = "matrix", .offset = 4, .type = &array_type},
                                         {.name = "color", .offset = 16, .type = &enum_type},
                                         {.name = "d", .offset = 24, .type = &double_type}};
static const ncz_hdf5_type   compound_type = {.class = NCZ_HDF5_COMPOUND,
                                              .size = 32,
                                              .committed = NCZ_HDF5_NONE,
                                              .members = fields,
                                              .nmembers = NCZ_LEN(fields)};
static const ncz_hdf5_type   compounds_type = {
      .class = NCZ_HDF5_VLEN, .size = ELEMENT, .committed = NCZ_HDF5_NONE, .base = &compound_type};
static const ncz_hdf5_member uses[] = {{.name = "dataset", .offset = 0, .type = &reference_type},
                                       {.name = "dimension", .offset = 8, .type = &written_int}};
static const ncz_hdf5_type   use_type = {
      .class = NCZ_HDF5_COMPOUND, .size = 16, .committed = NCZ_HDF5_NONE, .members = uses, .nmembers = 2};

/* Of elements that need no heap. */
static const struct {
    const char          *name;
    const ncz_hdf5_type *type;
} plain[] = {{"byte", &byte_type},     {"ubyte", &ubyte_type},      {"short", &short_type},   {"int", &written_int},
             {"ulong", &ulong_type},   {"float", &float_type},      {"double", &double_type}, {"text", &text_type},
             {"opaque", &opaque_type}, {"tagged", &tagged_type},    {"bits", &bits_type},     {"enum", &enum_type},
             {"array", &array_type},   {"compound", &compound_type}};

/* ---- describing ---- */

/* A part of the arena, or NC_ENOMEM. */
static int
take(written *w, size_t n, size_t item, void *out)
{
    void *p = ncz_arena_get_n(&w->arena, n, item);

    if (p == NULL)
        return ncz_fail_nomem(n * item);
    memset(p, 0, n * item);
    memcpy(out, &p, sizeof p);
    return NC_NOERR;
}

int
written_number(written *w, size_t *number)
{
    int rc;

    if ((rc = ncz_make_room(&w->objects, w->n, &w->cap, sizeof *w->objects)) != NC_NOERR ||
        (rc = ncz_hdf5_image_number(w->img, number)) != NC_NOERR)
        return rc;
    w->objects[w->n++] = (ncz_hdf5_object){.kind = NCZ_HDF5_OTHER};
    return NC_NOERR;
}

int
written_describe(written *w, size_t number, const ncz_hdf5_object *o)
{
    w->objects[number] = *o;
    return ncz_hdf5_image_describe(w->img, number, o);
}

/* Room for so many attributes, and links, at most. */
static int
make_lists(written *w, size_t nattributes, size_t nlinks, ncz_hdf5_object *o)
{
    int rc;

    if ((rc = take(w, nattributes, sizeof *o->attributes, &o->attributes)) != NC_NOERR)
        return rc;
    return take(w, nlinks, sizeof *o->links, &o->links);
}

/* Values that differ from byte to byte; of an enum or a compound with one, values that the enum has. */
static void
fill_bytes(const ncz_hdf5_type *t, unsigned char *data, size_t len, unsigned start)
{
    for (size_t i = 0; i < len; i++)
        data[i] = t->class == NCZ_HDF5_ENUM     ? (unsigned char)(1 + i % 2)
                  : t->class == NCZ_HDF5_STRING ? (unsigned char)('a' + (i + start) % 26)
                                                : (unsigned char)((i * 7 + start) % 100);
    for (size_t i = 16; t == &compound_type && i < len; i += t->size)
        data[i] = 2;
}

static ncz_hdf5_space
simple(uint64_t n)
{
    return (ncz_hdf5_space){.kind = NCZ_HDF5_SIMPLE, .rank = 1, .shape = {n}, .most = {n}};
}

/* Its data, all 0, are returned, to be filled. n: SIZE_MAX a scalar, 0 none. */
static int
add_attribute(written *w, ncz_hdf5_object *o, const char *name, const ncz_hdf5_type *type, size_t n,
              unsigned char **data)
{
    ncz_hdf5_attribute *a = &o->attributes[o->nattributes];
    unsigned char      *bytes;
    uint64_t           *shape;
    size_t              len = (n == SIZE_MAX ? 1 : n) * type->size;
    int                 rc = take(w, len, 1, &bytes);

    if (rc != NC_NOERR)
        return rc;
    *a = (ncz_hdf5_attribute){
        .name = name, .order = (int64_t)o->nattributes++, .type = type, .data = bytes, .len = len};
    a->space = (ncz_hdf5_shape){.kind = n == SIZE_MAX ? NCZ_HDF5_SCALAR : n == 0 ? NCZ_HDF5_NULL : NCZ_HDF5_SIMPLE};
    if (a->space.kind == NCZ_HDF5_SIMPLE) {
        if ((rc = take(w, 1, sizeof *shape, &shape)) != NC_NOERR)
            return rc;
        *shape = n;
        a->space.rank = 1;
        a->space.shape = a->space.most = shape;
    }
    if (data != NULL)
        *data = bytes;
    else
        fill_bytes(type, bytes, len, (unsigned)o->nattributes);
    return NC_NOERR;
}

static void
add_link(ncz_hdf5_object *o, const char *name, size_t number)
{
    o->links[o->nlinks] =
        (ncz_hdf5_link){.name = name, .kind = NCZ_HDF5_HARD, .order = (int64_t)o->nlinks, .addr = number};
    o->nlinks++;
}

/* A name with a number. */
static int
make_name(written *w, const char *format, size_t n, const char **out)
{
    char name[300];
    int  len = snprintf(name, sizeof name, format, n);

    *out = ncz_arena_text(&w->arena, name, (size_t)len);
    return *out != NULL ? NC_NOERR : ncz_fail_nomem((size_t)len);
}

static ncz_hdf5_object
dataset_of(const ncz_hdf5_type *type, const ncz_hdf5_space *space)
{
    return (ncz_hdf5_object){
        .kind = NCZ_HDF5_DATASET, .type = type, .space = *space, .layout = {.version = 3, .addr = NCZ_HDF5_NONE}};
}

/* Bytes of the heap, named by `element`. */
static int
add_heap(written *w, const void *bytes, size_t len, uint32_t nelems, unsigned char *element, unsigned char **copy)
{
    int rc = ncz_make_room(&w->elements, w->nelements, &w->cap_elements, sizeof *w->elements);

    if (rc == NC_NOERR)
        w->elements[w->nelements++] = (written_element){.element = element, .bytes = bytes, .len = len};
    return rc == NC_NOERR ? ncz_hdf5_image_heap(w->img, bytes, len, nelems, element, copy) : rc;
}

static int
add_reference(written *w, unsigned char *at, size_t number)
{
    int rc = ncz_make_room(&w->references, w->nreferences, &w->cap_references, sizeof *w->references);

    if (rc == NC_NOERR)
        w->references[w->nreferences++] = (written_reference){.at = at, .number = number};
    return rc == NC_NOERR ? ncz_hdf5_image_refer(w->img, at, number) : rc;
}

/* From the copy of the element that was added last. */
static int
refer_from_heap(written *w, unsigned char *copy, size_t number)
{
    w->elements[w->nelements - 1].refers = true;
    w->elements[w->nelements - 1].number = number;
    return ncz_hdf5_image_refer(w->img, copy, number);
}

/* ---- cases ---- */

/* Each type: a committed one, an attribute of the root, a compact dataset with a fill value. */
static int
describe_types(written *w, size_t n)
{
    enum { TYPES = NCZ_LEN(plain) };
    ncz_hdf5_object root = {.kind = NCZ_HDF5_GROUP};
    size_t          number;
    const char     *name;
    unsigned char  *data;
    int             rc;

    if ((rc = written_number(w, &number)) != NC_NOERR ||
        (rc = make_lists(w, TYPES, (size_t)2 * TYPES, &root)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < TYPES; i++) {
        const ncz_hdf5_type *t = plain[i].type;
        ncz_hdf5_space       space = simple(n);
        ncz_hdf5_object      o = dataset_of(t, &space), type = {.kind = NCZ_HDF5_COMMITTED, .type = t};

        if ((rc = add_attribute(w, &root, plain[i].name, t, n, NULL)) != NC_NOERR ||
            (rc = take(w, n + 1, t->size, &data)) != NC_NOERR)
            return rc;
        fill_bytes(t, data, (n + 1) * t->size, 5);
        o.layout = (ncz_hdf5_layout){.version = 3, .kind = NCZ_HDF5_COMPACT, .size = n * t->size, .data = data};
        o.fill = (ncz_hdf5_fill){.state = NCZ_HDF5_FILL_USER, .value = data + n * t->size, .len = t->size};
        if ((rc = written_number(w, &number)) != NC_NOERR || (rc = written_describe(w, number, &o)) != NC_NOERR)
            return rc;
        add_link(&root, plain[i].name, number);
        if ((rc = written_number(w, &number)) != NC_NOERR || (rc = written_describe(w, number, &type)) != NC_NOERR ||
            (rc = make_name(w, "type %zu", i, &name)) != NC_NOERR)
            return rc;
        add_link(&root, name, number);
    }
    return written_describe(w, 0, &root);
}

/* One dataset of each layout and fill, with filters. */
static int
describe_layouts(written *w, size_t n)
{
    static const uint32_t  level[] = {4}, values[] = {1, 2, 3};
    static ncz_hdf5_filter filters[] = {
        {.id = 2, .optional = true, .values = level, .nvalues = 1},
        {.id = 1, .optional = true, .values = level, .nvalues = 1},
        {.id = 3},
        {.id = 32015, .optional = true, .name = "a filter", .values = values, .nvalues = 3}};
    static const char *const names[] = {"contiguous", "unwritten", "chunked", "scalar", "no fill", "compact scalar"};
    ncz_hdf5_object          root = {.kind = NCZ_HDF5_GROUP};
    size_t                   number;
    int                      rc;

    (void)n;
    if ((rc = written_number(w, &number)) != NC_NOERR || (rc = make_lists(w, 0, NCZ_LEN(names), &root)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        ncz_hdf5_space  space = {.kind = NCZ_HDF5_SIMPLE, .rank = 2, .shape = {2, 8}, .most = {2, 8}};
        ncz_hdf5_object o = dataset_of(&written_int, &space);

        o.layout.kind = NCZ_HDF5_CONTIGUOUS;
        o.layout.size = 64;
        if (i == 0)
            o.layout.addr = DATA_AT;
        if (i == 2) {
            o.space.most[0] = NCZ_HDF5_NONE;
            o.layout = (ncz_hdf5_layout){.version = 3,
                                         .kind = NCZ_HDF5_CHUNKED,
                                         .addr = NCZ_HDF5_NONE,
                                         .rank = 2,
                                         .chunk = {1, 4},
                                         .element = 4};
            o.layout.chunk_bytes = 16;
            o.filters = filters;
            o.nfilters = 3 + (n > 0);
        }
        if (i == 3) {
            o.space = (ncz_hdf5_space){.kind = NCZ_HDF5_SCALAR};
            o.layout.size = 4;
        }
        if (i == 4)
            o.fill.never = true;
        if (i == 5) {
            o.space = (ncz_hdf5_space){.kind = NCZ_HDF5_SCALAR};
            o.layout = (ncz_hdf5_layout){
                .version = 3, .kind = NCZ_HDF5_COMPACT, .size = 4, .data = (const unsigned char *)"\1\2\3\4"};
        }
        if ((rc = written_number(w, &number)) != NC_NOERR || (rc = written_describe(w, number, &o)) != NC_NOERR)
            return rc;
        add_link(&root, names[i], number);
    }
    return written_describe(w, 0, &root);
}

/* A group with n links, to the one dataset and to the root, a soft one among them. */
static int
describe_links(written *w, size_t n)
{
    static const char *const formats[] = {"link %zu", "gr\303\274n %zu", "%0255zu", "%0256zu"};
    ncz_hdf5_object          root = {.kind = NCZ_HDF5_GROUP}, group = root,
                    o = dataset_of(&written_int, &(ncz_hdf5_space){.kind = NCZ_HDF5_SCALAR});
    size_t      number;
    const char *name;
    int         rc;

    o.layout.kind = NCZ_HDF5_CONTIGUOUS;
    o.layout.size = 4;
    if ((rc = written_number(w, &number)) != NC_NOERR || (rc = written_number(w, &number)) != NC_NOERR ||
        (rc = written_number(w, &number)) != NC_NOERR || (rc = make_lists(w, 0, 2, &root)) != NC_NOERR ||
        (rc = make_lists(w, 0, n, &group)) != NC_NOERR)
        return rc;
    add_link(&root, "many", 1);
    add_link(&root, "one", 2);
    for (size_t i = 0; i < n; i++) {
        if ((rc = make_name(w,
                            formats[i % 50 < 3 || n > 10000 ? 0
                                    : i % 50 < 47           ? 0
                                                            : i % 50 - 46],
                            i, &name)) != NC_NOERR)
            return rc;
        add_link(&group, name, i == 1 ? 0 : 2);
        if (i == 2) {
            group.links[i].kind = NCZ_HDF5_SOFT;
            group.links[i].path = "/one";
            group.links[i].addr = NCZ_HDF5_NONE;
        }
    }
    if ((rc = written_describe(w, 0, &root)) != NC_NOERR || (rc = written_describe(w, 1, &group)) != NC_NOERR)
        return rc;
    return written_describe(w, 2, &o);
}

/* A group with n attributes, and a few of other sizes: of no bytes, for a heap, too large for a header. */
static int
describe_attributes(written *w, size_t n)
{
    static const size_t sizes[] = {0, 1, 4000, 5000, 70000};
    ncz_hdf5_object     root = {.kind = NCZ_HDF5_GROUP};
    size_t              number;
    const char         *name;
    int                 rc;

    if ((rc = written_number(w, &number)) != NC_NOERR ||
        (rc = make_lists(w, n + NCZ_LEN(sizes), 0, &root)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < n; i++)
        if ((rc = make_name(w, i % 7 == 3 ? "attribut\303\251 %zu" : "attribute %zu", i, &name)) != NC_NOERR ||
            (rc = add_attribute(w, &root, name, plain[i % NCZ_LEN(plain)].type, i % 3 == 0 ? SIZE_MAX : i % 5,
                                NULL)) != NC_NOERR)
            return rc;
    for (size_t i = 0; i < NCZ_LEN(sizes) - (n == 0); i++)
        if ((rc = make_name(w, "%zu bytes", sizes[i], &name)) != NC_NOERR ||
            (rc = add_attribute(w, &root, name, &byte_type, sizes[i], NULL)) != NC_NOERR)
            return rc;
    return written_describe(w, 0, &root);
}

/* Groups in groups. */
static int
describe_groups(written *w, size_t n)
{
    size_t      number;
    const char *name;
    int         rc = NC_NOERR;

    for (size_t i = 0; i < n && rc == NC_NOERR; i++)
        rc = written_number(w, &number);
    for (size_t i = 0; i < n && rc == NC_NOERR; i++) {
        ncz_hdf5_object group = {.kind = NCZ_HDF5_GROUP};

        if ((rc = make_lists(w, 1, 12, &group)) != NC_NOERR ||
            (rc = add_attribute(w, &group, "number", &written_int, SIZE_MAX, NULL)) != NC_NOERR)
            break;
        for (size_t k = 1; k <= 10 && i * 10 + k < n; k++) {
            if ((rc = make_name(w, "g%zu", k, &name)) != NC_NOERR)
                return rc;
            add_link(&group, name, i * 10 + k);
        }
        rc = written_describe(w, i, &group);
    }
    return rc;
}

/* netCDF's view: a scale, n variables that use it; strings, and elements of variable length. */
static int
describe_netcdf(written *w, size_t n)
{
    ncz_hdf5_object            root = {.kind = NCZ_HDF5_GROUP}, scale;
    ncz_hdf5_space             space = simple(5), one = simple(1);
    unsigned char             *list, *element, *copy;
    static const unsigned char none[REFERENCE];
    static const int           ints[] = {1, 2, 3};
    unsigned char             *compounds;
    size_t                     number;
    const char                *name;
    int                        rc;

    if ((rc = written_number(w, &number)) != NC_NOERR || (rc = written_number(w, &number)) != NC_NOERR ||
        (rc = make_lists(w, 4, n + 1, &root)) != NC_NOERR)
        return rc;
    scale = dataset_of(&float_type, &space);
    scale.layout.kind = NCZ_HDF5_CONTIGUOUS;
    scale.layout.size = 20;
    add_link(&root, "x", 1);
    if ((rc = make_lists(w, 3, 0, &scale)) != NC_NOERR ||
        (rc = add_attribute(w, &scale, "CLASS", &text_type, SIZE_MAX, NULL)) != NC_NOERR ||
        (rc = add_attribute(w, &scale, "REFERENCE_LIST", &use_type, n, &list)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < n; i++) {
        ncz_hdf5_object v = dataset_of(&string_type, &one);

        v.layout.kind = NCZ_HDF5_CONTIGUOUS;
        v.layout.size = ELEMENT;
        if ((rc = written_number(w, &number)) != NC_NOERR || (rc = make_name(w, "v%zu", i, &name)) != NC_NOERR ||
            (rc = make_lists(w, 2, 0, &v)) != NC_NOERR ||
            (rc = add_attribute(w, &v, "DIMENSION_LIST", &references_type, 1, &element)) != NC_NOERR ||
            (rc = add_heap(w, none, REFERENCE, 1, element, &copy)) != NC_NOERR ||
            (rc = refer_from_heap(w, copy, 1)) != NC_NOERR ||
            (rc = add_reference(w, list + i * use_type.size, number)) != NC_NOERR ||
            (rc = add_attribute(w, &v, "long_name", &string_type, 1, &element)) != NC_NOERR ||
            (rc = add_heap(w, name, strlen(name), (uint32_t)strlen(name), element, NULL)) != NC_NOERR)
            return rc;
        if (i == 0) { /* a fill value that lies in the heap */
            if ((rc = take(w, 1, ELEMENT, &element)) != NC_NOERR ||
                (rc = add_heap(w, "none", 4, 4, element, NULL)) != NC_NOERR)
                return rc;
            v.fill = (ncz_hdf5_fill){.state = NCZ_HDF5_FILL_USER, .value = element, .len = ELEMENT};
        }
        add_link(&root, name, number);
        if ((rc = written_describe(w, number, &v)) != NC_NOERR)
            return rc;
    }
    if ((rc = take(w, 3000, compound_type.size, &compounds)) != NC_NOERR)
        return rc;
    fill_bytes(&compound_type, compounds, 3000 * compound_type.size, 1);
    if ((rc = add_attribute(w, &root, "ints", &ints_type, 3, &element)) != NC_NOERR ||
        (rc = add_heap(w, ints, sizeof ints, 3, element, NULL)) != NC_NOERR ||
        (rc = add_heap(w, ints, 4, 1, element + ELEMENT, NULL)) != NC_NOERR ||
        (rc = add_heap(w, NULL, 0, 0, element + (size_t)2 * ELEMENT, NULL)) != NC_NOERR ||
        (rc = add_attribute(w, &root, "empty string", &string_type, SIZE_MAX, &element)) != NC_NOERR ||
        (rc = add_heap(w, "", 0, 0, element, NULL)) != NC_NOERR ||
        (rc = add_attribute(w, &root, "compounds", &compounds_type, SIZE_MAX, &element)) != NC_NOERR ||
        (rc = add_heap(w, compounds, 3000 * compound_type.size, 3000, element, NULL)) != NC_NOERR ||
        (rc = add_attribute(w, &root, "character", &character_type, 0, NULL)) != NC_NOERR ||
        (rc = written_describe(w, 1, &scale)) != NC_NOERR)
        return rc;
    return written_describe(w, 0, &root);
}

const written_case written_cases[] = {{"types", describe_types, 2},
                                      {"layouts", describe_layouts, 0},
                                      {"foreign", describe_layouts, 1},
                                      {"nolinks", describe_links, 0},
                                      {"links8", describe_links, 8},
                                      {"links9", describe_links, 9},
                                      {"links60", describe_links, 60},
                                      {"links3000", describe_links, 3000},
                                      {"links25000", describe_links, 25000},
                                      {"attributes0", describe_attributes, 0},
                                      {"attributes2", describe_attributes, 2},
                                      {"attributes9", describe_attributes, 9},
                                      {"attributes400", describe_attributes, 400},
                                      {"attributes20000", describe_attributes, 20000},
                                      {"groups1", describe_groups, 1},
                                      {"groups500", describe_groups, 500},
                                      {"netcdf3", describe_netcdf, 3},
                                      {"netcdf5000", describe_netcdf, 5000},
                                      {NULL, NULL, 0}};

/* ---- a file ---- */

/* The superblock, an extension with the usual number, the data of one dataset, the image. */
static int
make_file(written *w)
{
    unsigned char superblock[NCZ_HDF5_SUPERBLOCK];
    ncz_buf       image = NCZ_BUF_INIT;
    uint64_t      root;
    int           rc = ncz_hdf5_image_make(w->img, w->at = IMAGE_AT, &image, &root);

    if (rc != NC_NOERR || (rc = ncz_buf_reserve(&w->file, IMAGE_AT + image.len)) != NC_NOERR)
        goto done;
    ncz_hdf5_superblock_make(root, IMAGE_AT + image.len, NCZ_HDF5_NONE, superblock);
    memset(w->file.data, 0, IMAGE_AT);
    memcpy(w->file.data, superblock, sizeof superblock);
    for (unsigned i = 0; i < DATA_BYTES; i++)
        w->file.data[DATA_AT + i] = (char)(i % 4 == 0 ? i : 0);
    memcpy(w->file.data + IMAGE_AT, image.data, image.len);
    w->file.len = IMAGE_AT + image.len;
done:
    ncz_buf_clear(&image);
    return rc;
}

int
written_make(const written_case *c, written *w)
{
    int rc;

    *w = (written){.arena = NCZ_ARENA_INIT, .file = NCZ_BUF_INIT};
    if ((rc = ncz_hdf5_image_new(&w->img)) != NC_NOERR || (rc = c->describe(w, c->n)) != NC_NOERR)
        return rc;
    return make_file(w);
}

void
written_clear(written *w)
{
    ncz_hdf5_image_free(w->img);
    ncz_free(w->objects);
    ncz_free(w->elements);
    ncz_free(w->references);
    ncz_buf_clear(&w->file);
    ncz_arena_clear(&w->arena);
    *w = (written){.arena = NCZ_ARENA_INIT, .file = NCZ_BUF_INIT};
}
