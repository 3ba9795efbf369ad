/* SPDX-License-Identifier: BSD-3-Clause */
/* The model as netCDF-4's objects in HDF5: a file with its metadata alone is read again, and has the same model. */
#include "fixture.h"

#include "dialects/netcdf4/netcdf4.h"
#include "dialects/netcdf4/netcdf4_write_int.h"
#include "hdf5/hdf5_write.h"
#include "support/scratch.h"

#include <stdio.h>

/* ---- a file in memory ---- */

typedef struct image_file {
    ncz_buf bytes;
} image_file;

static int
no_data(void *arg, const ncz_var *v, ncz_hdf5_layout *out)
{
    ncz_arena         arena = NCZ_ARENA_INIT;
    ncz_netcdf4_facts f;
    int               rc = ncz_netcdf4_array_of(arg, v, &arena, &f);

    if (rc == NC_NOERR) {
        *out = (ncz_hdf5_layout){.kind = f.kind,
                                 .version = 3,
                                 .addr = NCZ_HDF5_NONE,
                                 .rank = f.rank,
                                 .element = f.element,
                                 .size = f.element,
                                 .index = NCZ_HDF5_INDEX_BTREE1,
                                 .chunk_bytes = f.element};
        for (unsigned d = 0; d < f.rank; d++) {
            out->chunk[d] = f.chunk[d];
            out->chunk_bytes *= f.chunk[d];
            out->size *= f.shape[d];
        }
        ncz_netcdf4_convert_free(f.convert);
        if (f.kind == NCZ_HDF5_COMPACT)
            out->data = (const unsigned char *)"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    }
    ncz_arena_clear(&arena);
    return rc;
}

static void
write_with(const ncz_model *m, int form, int (*layout)(void *arg, const ncz_var *v, ncz_hdf5_layout *out),
           image_file *f)
{
    ncz_arena              arena = NCZ_ARENA_INIT;
    ncz_hdf5_image        *image = NULL;
    ncz_netcdf4_describing how = {.arena = &arena, .layout = layout, .arg = (void *)(uintptr_t)m, .references = true};
    ncz_buf                block = NCZ_BUF_INIT;
    unsigned char          super[NCZ_HDF5_SUPERBLOCK];
    uint64_t               size, root;

    assert_int_equal(ncz_hdf5_image_new(&image), NC_NOERR);
    how.image = image;
    if (ncz_netcdf4_describe(m, form, &how) != NC_NOERR)
        fail_msg("describe: %s", ncz_err_text());
    assert_int_equal(ncz_hdf5_image_measure(image, &size), NC_NOERR);
    assert_int_equal(ncz_hdf5_image_make(image, NCZ_HDF5_SUPERBLOCK, &block, &root), NC_NOERR);
    assert_int_equal(block.len, size);
    ncz_hdf5_superblock_make(root, NCZ_HDF5_SUPERBLOCK + size, NCZ_HDF5_NONE, super);
    f->bytes = NCZ_BUF_INIT;
    assert_int_equal(ncz_buf_append(&f->bytes, super, sizeof super), NC_NOERR);
    assert_int_equal(ncz_buf_append(&f->bytes, block.data, block.len), NC_NOERR);
    ncz_buf_clear(&block);
    ncz_hdf5_image_free(image);
    ncz_arena_clear(&arena);
    if (getenv("NCZ_KEEP") != NULL) { /* for other readers */
        static int n;
        char       path[200];
        FILE      *out;

        (void)snprintf(path, sizeof path, "%s/%d.nc", getenv("NCZ_KEEP"), ++n);
        if ((out = fopen(path, "wb")) != NULL) {
            (void)fwrite(f->bytes.data, 1, f->bytes.len, out);
            (void)fclose(out);
        }
    }
}

static void
write_file(const ncz_model *m, int form, image_file *f)
{
    write_with(m, form, no_data, f);
}

static int
fetch(void *arg, const ncz_docs_req *reqs, size_t n, ncz_docs_fn each, void *each_arg)
{
    const image_file *f = arg;

    for (size_t i = 0; i < n; i++) {
        ncz_docs_got got[NCZ_DOCS_MOST] = {{.doc = NULL}};
        size_t       off = reqs[i].off < f->bytes.len ? (size_t)reqs[i].off : f->bytes.len, left = f->bytes.len - off;

        if (reqs[i].as == NCZ_DOCS_BYTES && reqs[i].keys[0][0] == '\0')
            got[0] = (ncz_docs_got){.bytes = f->bytes.data + off,
                                    .len = reqs[i].len == 0 || reqs[i].len > left ? left : (size_t)reqs[i].len,
                                    .size = f->bytes.len};
        each(each_arg, i, got);
    }
    return NC_NOERR;
}

static int
read_ranges(void *arg, const ncz_read_range *ranges, size_t n)
{
    const image_file *f = arg;

    for (size_t i = 0; i < n; i++) {
        if (ranges[i].at > f->bytes.len || ranges[i].len > f->bytes.len - ranges[i].at)
            return ncz_fail(NC_ETRUNC, "the file ends before");
        memcpy(ranges[i].out, f->bytes.data + ranges[i].at, ranges[i].len);
    }
    return NC_NOERR;
}

static ncz_model *
read_file(image_file *f, ncz_format_opts *style)
{
    ncz_docs   docs = {.arg = f, .one_object = true, .fetch = fetch, .read = read_ranges};
    ncz_model *m = NULL;

    assert_int_equal(ncz_model_new(&ncz_limits_default, &m), NC_NOERR);
    if (ncz_dialects_load(&docs, &wish_default, m, style) != NC_NOERR)
        fail_msg("load: %s", ncz_err_text());
    return m;
}

/* ---- models ---- */

static ncz_model *
new_netcdf4(void)
{
    ncz_model *m;

    assert_int_equal(ncz_model_new(&ncz_limits_default, &m), NC_NOERR);
    m->dialect = &ncz_netcdf4;
    m->make_layout = ncz_netcdf4.make_layout;
    m->format_free = ncz_netcdf4_free;
    m->unmasked_fill = NCZ_UNMASKED_DEFAULT;
    ncz_netcdf4.file->rewrite(m);
    return m;
}

static ncz_group *
add_group(ncz_model *m, ncz_group *parent, const char *name)
{
    ncz_group *g;

    assert_int_equal(ncz_model_add_group(m, parent, name, &g), NC_NOERR);
    return g;
}

/* One element, of a type that owns nothing or is a string. */
static const void *
fill_of(const ncz_var *v)
{
    return v->fill_mode == NCZ_FILL_VALUE ? v->fill : v->type->fill;
}

static void
expect_same_var(const ncz_var *a, const ncz_var *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->storage, b->storage);
    assert_int_equal(a->fill_mode == NCZ_FILL_NONE, b->fill_mode == NCZ_FILL_NONE);
    if (a->fill_mode != NCZ_FILL_NONE)
        assert_true(ncz_type_equal_elems(b->type, fill_of(a), fill_of(b), 1));
    assert_int_equal(a->dtype.kind, b->dtype.kind);
    assert_int_equal(a->dtype.size, b->dtype.size);
    if (a->type->size > 1)
        assert_int_equal(a->endian == NC_ENDIAN_BIG, b->dtype.big);
    assert_int_equal(ncz_chain_len(a->chain), ncz_chain_len(b->chain));
    for (size_t d = 0; d < a->rank; d++) {
        assert_int_equal(a->dims[d]->id, b->dims[d]->id);
        assert_int_equal(a->chunk[d], b->chunk[d]);
    }
}

/* The file of a model has the same model. */
static void
expect_same(const ncz_model *m)
{
    image_file      f;
    ncz_format_opts style;
    ncz_model      *again;
    char           *a = cdl_header(m), *b;

    write_file(m, NCZ_NETCDF4_FORM, &f);
    again = read_file(&f, &style);
    b = cdl_header(again);
    assert_string_equal(a, b);
    for (const ncz_var *v = ncz_model_next_var(m, NULL), *w = ncz_model_next_var(again, NULL); v != NULL;
         v = ncz_model_next_var(m, v), w = ncz_model_next_var(again, w))
        expect_same_var(v, w);
    assert_int_equal(style.gen, NCZ_NETCDF4_FORM);
    free(a);
    free(b);
    ncz_model_free(again);
    ncz_buf_clear(&f.bytes);
}

TEST(an_empty_model_is_read_again)
{
    ncz_model *m = new_netcdf4();

    expect_same(m);
    ncz_model_free(m);
}

TEST(dimensions_keep_their_order_with_and_without_variables)
{
    ncz_model *m = new_netcdf4();
    ncz_dim   *bnds = add_dim(m, m->root, "bnds", 2, false), *lat = add_dim(m, m->root, "lat", 3, false);
    ncz_dim   *lon = add_dim(m, m->root, "lon", 4, false), *time = add_dim(m, m->root, "time", 5, true);
    ncz_dim   *other = add_dim(m, m->root, "other", 7, true);

    (void)add_var(m, m->root, "f", NC_FLOAT, 3, (ncz_dim *[]){time, lat, lon});
    (void)add_var(m, m->root, "lon", NC_DOUBLE, 1, &lon);
    (void)add_var(m, m->root, "time", NC_INT, 1, &time);
    (void)add_var(m, m->root, "time_bnds", NC_INT, 2, (ncz_dim *[]){time, bnds});
    (void)add_var(m, m->root, "lat", NC_DOUBLE, 2, (ncz_dim *[]){lat, lon});
    (void)add_var(m, m->root, "bnds", NC_SHORT, 1, &lat);
    (void)add_var(m, m->root, "o", NC_CHAR, 1, &other);
    (void)add_var(m, m->root, "scalar", NC_UINT64, 0, NULL);
    expect_same(m);
    ncz_model_free(m);
}

TEST(groups_nest_and_their_variables_use_dimensions_around_them)
{
    ncz_model *m = new_netcdf4();
    ncz_dim   *x = add_dim(m, m->root, "x", 3, false), *inner, *shadow;
    ncz_group *a = add_group(m, m->root, "a"), *b = add_group(m, a, "b"), *c = add_group(m, m->root, "c");

    inner = add_dim(m, a, "y", 2, false);
    shadow = add_dim(m, b, "x", 5, false);
    (void)add_var(m, a, "v", NC_INT, 2, (ncz_dim *[]){x, inner});
    (void)add_var(m, b, "x", NC_FLOAT, 1, &x);
    (void)add_var(m, b, "w", NC_FLOAT, 2, (ncz_dim *[]){shadow, inner});
    put_text(m, &c->atts, "title", "a group");
    expect_same(m);
    ncz_model_free(m);
}

TEST(attributes_have_their_types_and_lengths)
{
    static const double  d[3] = {1, 2.5, -3};
    static const int64_t l[2] = {INT64_MIN, INT64_MAX};
    const char          *s[3] = {"one", "", "t\303\244xt"};
    ncz_model           *m = new_netcdf4();
    ncz_dim             *x = add_dim(m, m->root, "x", 3, false);
    ncz_var             *v = add_var(m, m->root, "v", NC_INT, 1, &x);

    put_text(m, &m->root->atts, "text", "some text");
    put_text(m, &m->root->atts, "empty", "");
    put(m, &m->root->atts, "no numbers", NC_FLOAT, 0, d);
    put(m, &v->atts, "doubles", NC_DOUBLE, 3, d);
    put(m, &v->atts, "long", NC_INT64, 2, l);
    put(m, &v->atts, "strings", NC_STRING, 3, s);
    put(m, &v->atts, "no strings", NC_STRING, 0, s);
    for (int i = 0; i < 20; i++) {
        char name[20];

        (void)snprintf(name, sizeof name, "att%d", i);
        put(m, &v->atts, name, NC_INT, 1, &i);
    }
    expect_same(m);
    ncz_model_free(m);
}

TEST(each_type_has_its_fill_value_its_order_of_bytes_and_its_storage)
{
    static const nc_type types[] = {NC_BYTE,  NC_CHAR,   NC_SHORT, NC_INT,   NC_FLOAT, NC_DOUBLE,
                                    NC_UBYTE, NC_USHORT, NC_UINT,  NC_INT64, NC_UINT64};
    ncz_model           *m = new_netcdf4();
    ncz_dim             *x = add_dim(m, m->root, "x", 3, false), *t = add_dim(m, m->root, "t", 4, true);
    const float          value = 7;
    const uint64_t       chunk[2] = {2, 3};
    ncz_var             *v;

    for (size_t i = 0; i < NCZ_LEN(types); i++) {
        char name[20];

        (void)snprintf(name, sizeof name, "v%zu", i);
        v = add_var(m, m->root, name, types[i], i % 2 + 1, (ncz_dim *[]){i % 2 == 0 ? x : t, x});
        if (types[i] != NC_CHAR && i % 3 == 0)
            assert_int_equal(ncz_var_set_endian(m, v, NC_ENDIAN_BIG), NC_NOERR);
    }
    v = add_var(m, m->root, "filled", NC_FLOAT, 2, (ncz_dim *[]){t, x});
    assert_int_equal(ncz_var_set_fill(m, v, NCZ_FILL_VALUE, &value), NC_NOERR);
    assert_int_equal(ncz_var_set_chunks(m, v, NC_CHUNKED, chunk), NC_NOERR);
    v = add_var(m, m->root, "unfilled", NC_INT, 1, &x);
    assert_int_equal(ncz_var_set_fill(m, v, NCZ_FILL_NONE, NULL), NC_NOERR);
    v = add_var(m, m->root, "chunked", NC_INT, 1, &x);
    assert_int_equal(ncz_var_set_chunks(m, v, NC_CHUNKED, NULL), NC_NOERR);
    assert_int_equal(v->storage, NC_CHUNKED);
    v = add_var(m, m->root, "compact", NC_INT, 1, &x);
    assert_int_equal(ncz_var_set_chunks(m, v, NC_COMPACT, NULL), NC_NOERR);
    expect_same(m);
    ncz_model_free(m);
}

TEST(storage_and_default_chunks_are_those_of_netcdf_c)
{
    ncz_model *m = new_netcdf4();
    ncz_dim   *t = add_dim(m, m->root, "t", 0, true), *u = add_dim(m, m->root, "u", 0, true);
    ncz_dim   *x = add_dim(m, m->root, "x", 4000, false), *y = add_dim(m, m->root, "y", 5000, false);
    ncz_var   *v = add_var(m, m->root, "fixed", NC_FLOAT, 2, (ncz_dim *[]){x, y});

    assert_int_equal(v->storage, NC_CONTIGUOUS);
    assert_int_equal(ncz_var_set_chunks(m, v, NC_CHUNKED, NULL), NC_NOERR);
    assert_int_equal(v->chunk[0], 800); /* as nc_inq_var_chunking() of netCDF-C 4.9.0 tells */
    assert_int_equal(v->chunk[1], 1000);
    v = add_var(m, m->root, "records", NC_DOUBLE, 1, &t);
    assert_int_equal(v->storage, NC_CHUNKED);
    assert_int_equal(v->chunk[0], 512);
    v = add_var(m, m->root, "both", NC_SHORT, 2, (ncz_dim *[]){t, u});
    assert_int_equal(v->chunk[0], 1448);
    v = add_var(m, m->root, "field", NC_FLOAT, 3, (ncz_dim *[]){t, x, y});
    assert_int_equal(v->chunk[0], 1);
    assert_int_equal(v->chunk[1], 800);
    ncz_model_free(m);
}

TEST(compact_storage_is_for_little_data)
{
    ncz_model *m = new_netcdf4();
    ncz_dim   *x = add_dim(m, m->root, "x", 70000, false);
    ncz_var   *v = add_var(m, m->root, "v", NC_BYTE, 1, &x);

    assert_int_equal(ncz_var_set_chunks(m, v, NC_COMPACT, NULL), NC_EVARSIZE);
    assert_int_equal(v->storage, NC_CONTIGUOUS);
    ncz_model_free(m);
}

TEST(the_classic_model_is_told)
{
    ncz_model      *m = new_netcdf4(), *again;
    image_file      f;
    ncz_format_opts style;

    write_file(m, NCZ_NETCDF4_CLASSIC_FORM, &f);
    again = read_file(&f, &style);
    assert_int_equal(style.gen, NCZ_NETCDF4_CLASSIC_FORM);
    ncz_model_free(again);
    ncz_model_free(m);
    ncz_buf_clear(&f.bytes);
}

/* ---- user-defined types, strings, filters ---- */

static ncz_user_type *
add_type(ncz_model *m, const char *name, ncz_type_class class, size_t size, const ncz_type *base)
{
    ncz_user_type *t;

    assert_int_equal(ncz_model_add_type(m, m->root, name, class, size, base, &t), NC_NOERR);
    return t;
}

static void
add_field(ncz_model *m, ncz_user_type *t, const char *name, size_t offset, const ncz_type *type, size_t n)
{
    assert_int_equal(ncz_model_insert_field(m, t, name, offset, type, n > 1 ? 1 : 0, &n), NC_NOERR);
}

/* A variable as a dataset would add it: with the codec for elements of any length, and deflate behind that. */
static ncz_var *
add_typed(ncz_model *m, const char *name, const ncz_type *type, bool filtered, ncz_dim *dim)
{
    static const unsigned level = 4;
    ncz_var              *v;
    ncz_chain            *objects = NULL, *filters = NULL, *all = NULL;
    ncz_array_type        in;

    assert_int_equal(ncz_model_add_var(m, m->root, name, type, 1, &dim, &v), NC_NOERR);
    in = ncz_spec_array_type(v->spec);
    if (type->class == NCZ_TYPE_STRING || v->dtype.kind == NCZ_KIND_OBJECT) {
        in.dtype = (ncz_dtype){.kind = NCZ_KIND_OBJECT, .size = NCZ_OBJECT_SIZE, .items = in.dtype.items};
        assert_int_equal(ncz_netcdf4_make_object_chain(&m->limits, &in, &objects), NC_NOERR);
    }
    if (filtered)
        assert_int_equal(
            ncz_chain_from_filters(&(ncz_filter_spec){.id = 1, .nwords = 1, .words = &level}, 1, 0, &in, &filters),
            NC_NOERR);
    if (objects != NULL)
        assert_int_equal(ncz_chain_join(objects, filters, &in, &all), NC_NOERR);
    assert_int_equal(ncz_var_set_chain(m, v, objects != NULL ? all : filters), NC_NOERR);
    ncz_chain_unref(objects);
    ncz_chain_unref(filters);
    ncz_chain_unref(all);
    return v;
}

typedef struct particle {
    double      where[3];
    int         id;
    const char *name;
    int8_t      kind;
    int64_t     when;
} particle;

typedef struct track {
    nc_vlen_t steps;
    particle  first;
} track;

/* All of them, with variables and attributes of each. */
static void
add_types(ncz_model *m, ncz_dim *x)
{
    static const int8_t water = 1, land = 2;
    static const int    numbers[2] = {-1, 7};
    ncz_user_type      *e = add_type(m, "surface", NCZ_TYPE_ENUM, 1, ncz_type_of(NC_BYTE));
    ncz_user_type      *o = add_type(m, "blob", NCZ_TYPE_OPAQUE, 5, NULL);
    ncz_user_type      *s = add_type(m, "row", NCZ_TYPE_VLEN, 0, ncz_type_of(NC_INT));
    ncz_user_type      *g = add_type(m, "gaps", NCZ_TYPE_COMPOUND, 24, NULL);
    ncz_user_type      *p = add_type(m, "particle", NCZ_TYPE_COMPOUND, sizeof(particle), NULL);
    ncz_user_type      *t = add_type(m, "track", NCZ_TYPE_COMPOUND, sizeof(track), NULL);
    ncz_user_type      *w = add_type(m, "words", NCZ_TYPE_VLEN, 0, ncz_type_of(NC_STRING));
    nc_vlen_t           row = {.len = 2, .p = (void *)(uintptr_t)numbers};
    const char         *texts[2] = {"a", "bc"};
    nc_vlen_t           lines = {.len = 2, .p = texts};
    track               one = {.steps = row, .first = {.where = {1, 2, 3}, .id = 9, .name = "nine", .when = -1}};

    assert_int_equal(ncz_model_insert_member(e, "water", &water), NC_NOERR);
    assert_int_equal(ncz_model_insert_member(e, "land", &land), NC_NOERR);
    add_field(m, g, "b", 8, ncz_type_of(NC_SHORT), 1);
    add_field(m, g, "a", 2, ncz_type_of(NC_CHAR), 3);
    add_field(m, p, "where", offsetof(particle, where), ncz_type_of(NC_DOUBLE), 3);
    add_field(m, p, "id", offsetof(particle, id), ncz_type_of(NC_INT), 1);
    add_field(m, p, "name", offsetof(particle, name), ncz_type_of(NC_STRING), 1);
    assert_int_equal(ncz_model_use_type(m, &e->node), NC_NOERR);
    add_field(m, p, "kind", offsetof(particle, kind), &e->node, 1);
    add_field(m, p, "when", offsetof(particle, when), ncz_type_of(NC_INT64), 1);
    add_field(m, t, "steps", offsetof(track, steps), &s->node, 1);
    add_field(m, t, "first", offsetof(track, first), &p->node, 1);
    (void)add_typed(m, "e", &e->node, false, x);
    (void)add_typed(m, "o", &o->node, true, x);
    (void)add_typed(m, "s", &s->node, true, x);
    (void)add_typed(m, "g", &g->node, true, x);
    (void)add_typed(m, "p", &p->node, false, x);
    (void)add_typed(m, "t", &t->node, true, x);
    (void)add_typed(m, "text", ncz_type_of(NC_STRING), true, x);
    assert_int_equal(ncz_atts_set(m, &m->root->atts, "surface", &e->node, 1, &land, NULL), NC_NOERR);
    assert_int_equal(ncz_atts_set(m, &m->root->atts, "blob", &o->node, 1, "12345", NULL), NC_NOERR);
    assert_int_equal(ncz_atts_set(m, &m->root->atts, "row", &s->node, 1, &row, NULL), NC_NOERR);
    assert_int_equal(ncz_atts_set(m, &m->root->atts, "track", &t->node, 1, &one, NULL), NC_NOERR);
    assert_int_equal(ncz_atts_set(m, &m->root->atts, "lines", &w->node, 1, &lines, NULL), NC_NOERR);
}

/* Elements of a type have the same fields in memory, wherever they are. */
static void
expect_same_values(const ncz_model *a, const ncz_model *b)
{
    for (size_t i = 0; i < a->root->atts.n; i++) {
        const ncz_att *x = &a->root->atts.v[i], *y = att_at(&b->root->atts, x->name);

        assert_int_equal(x->type->class, y->type->class);
        assert_int_equal(x->len, y->len);
        if (x->type->class == NCZ_TYPE_VLEN) {
            const nc_vlen_t *u = x->data, *v = y->data;

            assert_int_equal(u->len, v->len);
            assert_true(ncz_type_equal_elems(x->type->base, u->p, v->p, u->len));
        } else if (x->type->class == NCZ_TYPE_COMPOUND) {
            assert_true(ncz_type_equal_elems(x->type, x->data, y->data, 1));
        }
    }
}

TEST(user_defined_types_are_stored_with_the_offsets_of_the_program)
{
    ncz_model      *m = new_netcdf4(), *again;
    ncz_dim        *x = add_dim(m, m->root, "x", 3, false);
    image_file      f;
    ncz_format_opts style;
    ncz_var        *v;

    add_types(m, x);
    write_file(m, NCZ_NETCDF4_FORM, &f);
    again = read_file(&f, &style);
    assert_int_equal(again->ntypes, m->ntypes);
    for (size_t i = 0; i < m->ntypes; i++) {
        assert_string_equal(again->types[i]->node.name, m->types[i]->node.name);
        assert_int_equal(again->types[i]->node.class, m->types[i]->node.class);
        assert_int_equal(again->types[i]->node.nfields, m->types[i]->node.nfields);
    }
    v = var_at(again, "g");
    assert_int_equal(v->dtype.size, 24);
    assert_int_equal(v->dtype.record->fields[0].offset, 8);
    assert_int_equal(v->dtype.record->fields[1].offset, 2);
    assert_int_equal(ncz_chain_len(v->chain), 1);
    assert_int_equal(ncz_chain_len(var_at(again, "text")->chain), 2);
    assert_int_equal(var_at(again, "text")->storage, NC_CHUNKED);
    assert_int_equal(var_at(again, "p")->storage, NC_CONTIGUOUS);
    expect_same_values(m, again);
    ncz_model_free(again);
    ncz_model_free(m);
    ncz_buf_clear(&f.bytes);
}

/* ---- elements in the heap ---- */

/* A heap that is a list. */
typedef struct list_heap {
    struct {
        unsigned char bytes[64];
        size_t        len;
        uint32_t      nelems;
    } v[64];
    size_t n;
} list_heap;

static int
add_to_list(void *arg, const void *bytes, size_t len, uint32_t nelems, unsigned char *element)
{
    list_heap *h = arg;

    assert_true(len <= sizeof h->v[0].bytes && h->n < NCZ_LEN(h->v));
    if (len > 0)
        memcpy(h->v[h->n].bytes, bytes, len);
    h->v[h->n].len = len;
    h->v[h->n++].nelems = nelems;
    memset(element, 0, NCZ_NETCDF4_IN_HEAP);
    element[12] = (unsigned char)h->n;
    return NC_NOERR;
}

static int
get_of_list(void *arg, const unsigned char *element, const unsigned char **data, size_t *len, uint32_t *nelems)
{
    list_heap *h = arg;

    *data = NULL;
    if (element[12] == 0)
        return NC_NOERR;
    *data = h->v[element[12] - 1].bytes;
    *len = h->v[element[12] - 1].len;
    *nelems = h->v[element[12] - 1].nelems;
    return NC_NOERR;
}

/* A chunk of three elements goes to the file and comes back as it was. */
static void
expect_converted(const ncz_model *m, const ncz_var *v, const void *values)
{
    list_heap               heap = {.n = 0};
    ncz_netcdf4_heap        to = {.add = add_to_list, .arg = &heap};
    ncz_netcdf4_heap_reader from = {.get = get_of_list, .arg = &heap};
    ncz_netcdf4_convert    *c = NULL;
    ncz_buf                 block = NCZ_BUF_INIT, chunk = NCZ_BUF_INIT, file = NCZ_BUF_INIT, again = NCZ_BUF_INIT;
    const uint64_t          three = 3, none = 0, one = 1;
    const ptrdiff_t         step = 1;
    ncz_piece    piece = {.rank = 1, .index = &none, .off = &none, .n = &three, .stride = &one, .imap = &step};
    ncz_transfer move = {.dtype = &v->dtype, .mem = v->type, .chunk = &three};

    piece.nelems = 3;
    piece.whole = true;
    assert_int_equal(ncz_vlen_put(&move, &piece, 3, NULL, NULL, values, &block), NC_NOERR);
    assert_int_equal(ncz_chain_encode_vlen(v->spec->chain, NULL, ncz_vlen_in(&block), &chunk), NC_NOERR);
    assert_int_equal(ncz_netcdf4_convert_new(m, v, &c), NC_NOERR);
    assert_int_equal(ncz_netcdf4_convert_out(c, chunk.data, chunk.len, &to, &file), NC_NOERR);
    assert_true(heap.n > 0);
    assert_int_equal(ncz_netcdf4_convert_in(c, file.data, file.len, 0, &from, &again), NC_NOERR);
    assert_int_equal(again.len, chunk.len);
    assert_memory_equal(again.data, chunk.data, chunk.len);
    ncz_netcdf4_convert_free(c);
    ncz_buf_clear(&block);
    ncz_buf_clear(&chunk);
    ncz_buf_clear(&file);
    ncz_buf_clear(&again);
}

TEST(elements_in_the_heap_are_converted_both_ways)
{
    static const int numbers[3] = {5, -6, 7};
    ncz_model       *m = new_netcdf4();
    ncz_dim         *x = add_dim(m, m->root, "x", 3, false);
    const char      *texts[3] = {"one", "", "three \303\244"};
    nc_vlen_t        rows[3] = {{3, (void *)(uintptr_t)numbers}, {0, NULL}, {1, (void *)(uintptr_t)(numbers + 1)}};
    particle         ps[3] = {{.name = "a", .id = 1}, {.name = "", .where = {1, 2, 3}}, {.name = "ccc", .when = 4}};
    track ts[3] = {{.steps = rows[0], .first = ps[0]}, {.first = ps[1]}, {.steps = rows[2], .first = ps[2]}};

    add_types(m, x);
    expect_converted(m, var_at(m, "text"), texts);
    expect_converted(m, var_at(m, "s"), rows);
    expect_converted(m, var_at(m, "p"), ps);
    expect_converted(m, var_at(m, "t"), ts);
    ncz_model_free(m);
}

/* ---- files that are there ---- */

static ncz_layout_source
source_of(image_file *f)
{
    return (ncz_layout_source){.read = read_ranges, .arg = f};
}

/* Where the data of a variable are: as they were. */
static int
kept_data(void *arg, const ncz_var *v, ncz_hdf5_layout *out)
{
    ncz_arena         arena = NCZ_ARENA_INIT;
    ncz_netcdf4_facts f;
    int               rc = ncz_netcdf4_array_of(arg, v, &arena, &f);

    if (rc == NC_NOERR && !f.is_there)
        rc = no_data(arg, v, out);
    else if (rc == NC_NOERR)
        *out = f.kept;
    ncz_netcdf4_convert_free(f.convert);
    ncz_arena_clear(&arena);
    return rc;
}

/* Opens the file to change it, changes its model, and writes that again. */
static void
rewrite_file(image_file *f, void (*change)(ncz_model *m), image_file *again)
{
    ncz_format_opts        style;
    ncz_model             *m = read_file(f, &style);
    ncz_layout_source      source = source_of(f);
    ncz_netcdf4_superblock superblock;

    if (ncz_netcdf4_begin_writing(m, &source) != NC_NOERR)
        fail_msg("begin_writing: %s", ncz_err_text());
    ncz_netcdf4_superblock_of(m, &superblock);
    assert_int_equal(superblock.end, f->bytes.len);
    assert_int_equal(superblock.chunk_k, 32);
    assert_true(superblock.extension == NCZ_HDF5_NONE);
    change(m);
    write_with(m, style.gen, kept_data, again);
    ncz_model_free(m);
}

static void
change_nothing(ncz_model *m)
{
    (void)m;
}

TEST(a_file_that_is_opened_to_be_changed_is_written_as_it_was)
{
    ncz_model      *m = new_netcdf4(), *a, *b;
    ncz_dim        *x = add_dim(m, m->root, "x", 3, false), *t = add_dim(m, m->root, "time", 0, true);
    ncz_group      *g = add_group(m, m->root, "sub");
    const char     *words[2] = {"one", ""};
    image_file      first, second;
    ncz_format_opts style;
    char           *one, *two;

    add_types(m, x);
    (void)add_var(m, m->root, "time", NC_DOUBLE, 1, &t);
    (void)add_var(m, g, "w", NC_SHORT, 2, (ncz_dim *[]){t, x});
    put(m, &g->atts, "words", NC_STRING, 2, words);
    put(m, &g->atts, "numbers", NC_INT, 3, (int[]){1, 2, 3});
    write_file(m, NCZ_NETCDF4_CLASSIC_FORM, &first);
    rewrite_file(&first, change_nothing, &second);
    a = read_file(&first, &style);
    b = read_file(&second, &style);
    assert_int_equal(style.gen, NCZ_NETCDF4_CLASSIC_FORM);
    one = model_text(a);
    two = model_text(b);
    assert_string_equal(one, two);
    free(one);
    free(two);
    ncz_model_free(a);
    ncz_model_free(b);
    ncz_model_free(m);
    ncz_buf_clear(&first.bytes);
    ncz_buf_clear(&second.bytes);
}

static void
change_much(ncz_model *m)
{
    ncz_dim *d = ncz_group_find_dim(m->root, "x"), *added = add_dim(m, m->root, "y", 2, false);

    assert_int_equal(ncz_model_rename_dim(m, d, "z"), NC_NOERR);
    put(m, &m->root->atts, "numbers", NC_INT, 2, (int[]){7, 8});
    (void)add_var(m, m->root, "y", NC_INT, 2, (ncz_dim *[]){added, d});
}

TEST(what_is_changed_of_a_file_is_written)
{
    ncz_model      *m = new_netcdf4(), *again;
    ncz_dim        *x = add_dim(m, m->root, "x", 3, false);
    image_file      first, second;
    ncz_format_opts style;

    (void)add_var(m, m->root, "x", NC_DOUBLE, 1, &x);
    put(m, &m->root->atts, "numbers", NC_INT, 3, (int[]){1, 2, 3});
    write_file(m, NCZ_NETCDF4_FORM, &first);
    rewrite_file(&first, change_much, &second);
    again = read_file(&second, &style);
    assert_int_equal(again->ndims, 2);
    assert_string_equal(again->dims[0]->name, "z");
    assert_ptr_equal(var_at(again, "x")->dims[0], again->dims[0]);
    assert_ptr_equal(var_at(again, "y")->dims[0], again->dims[1]);
    assert_int_equal(att_at(&again->root->atts, "numbers")->len, 2);
    ncz_model_free(again);
    ncz_model_free(m);
    ncz_buf_clear(&first.bytes);
    ncz_buf_clear(&second.bytes);
}

/* A file of the tests' data is not changed, for a reason that the text has. */
static void
expect_refused(const char *name, int code, const char *reason)
{
    ncz_format_opts   style;
    size_t            len;
    image_file        f = {.bytes = NCZ_BUF_INIT};
    char             *bytes = test_data(name, &len);
    ncz_layout_source source = source_of(&f);
    ncz_model        *m;

    assert_non_null(bytes);
    assert_int_equal(ncz_buf_append(&f.bytes, bytes, len), NC_NOERR);
    m = read_file(&f, &style);
    assert_int_equal(ncz_netcdf4_begin_writing(m, &source), code);
    if (strstr(ncz_err_text(), reason) == NULL)
        fail_msg("%s: %s", name, ncz_err_text());
    ncz_model_free(m);
    ncz_buf_clear(&f.bytes);
    free(bytes);
}

TEST(what_cannot_be_kept_is_refused_by_name)
{
    expect_refused("hdf5/v110.h5", NC_ENOTBUILT, "/circle: it has a soft link");
    expect_refused("hdf5/heap.h5", NC_ENOTBUILT, "a second link");
    expect_refused("hdf5/narrow.h5", NC_ENOTBUILT, "addresses of less than 8 bytes");
    expect_refused("netcdf4/refused.h5", NC_ENOTBUILT, "/external");
    expect_refused("netcdf4/view.h5", NC_ENOTBUILT, "an attribute 'reference' with references");
    expect_refused("netcdf4/filters.h5", NC_ENOTBUILT, "/bits");
}
