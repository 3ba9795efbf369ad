/* SPDX-License-Identifier: BSD-3-Clause */
/* What is described is read again as it was described; what HDF5 cannot say is refused. */
#include "hdf5/hdf5_check.h"
#include "hdf5/hdf5_json.h"
#include "hdf5/hdf5_write_int.h"
#include "hdf5/written.h"
#include "support/failing_alloc.h"
#include "support/test.h"

/* ---- what is read against what was described ---- */

typedef struct check {
    const written  *w;
    const char     *name;
    ncz_read_source source;
    ncz_hdf5       *f;
    uint64_t       *addrs; /* of the objects, by their numbers; 0: not met */
    size_t          met;
    uint64_t        end; /* of what the checker has found in the image */
} check;

static void
same_text(const char *a, const char *b)
{
    assert_string_equal(a == NULL ? "" : a, b == NULL ? "" : b);
}

static void
same_type(const ncz_hdf5_type *want, const ncz_hdf5_type *got)
{
    assert_int_equal(got->class, want->class);
    assert_int_equal(got->size, want->size);
    assert_int_equal(got->order, want->order);
    assert_int_equal(got->is_signed, want->is_signed);
    assert_int_equal(got->bit_offset, want->bit_offset);
    assert_int_equal(got->precision, want->precision);
    assert_int_equal(got->exponent_at, want->exponent_at);
    assert_int_equal(got->exponent_bits, want->exponent_bits);
    assert_int_equal(got->mantissa_at, want->mantissa_at);
    assert_int_equal(got->mantissa_bits, want->mantissa_bits);
    assert_int_equal(got->exponent_bias, want->exponent_bias);
    assert_int_equal(got->sign_at, want->sign_at);
    assert_int_equal(got->implied_bit, want->implied_bit);
    assert_int_equal(got->padding, want->padding);
    assert_int_equal(got->utf8, want->utf8);
    assert_int_equal(got->is_string, want->is_string);
    assert_int_equal(got->reference, want->reference);
    same_text(got->tag, want->tag);
    assert_int_equal(got->rank, want->rank);
    for (unsigned d = 0; d < want->rank; d++)
        assert_int_equal(got->shape[d], want->shape[d]);
    assert_int_equal(got->nmembers, want->nmembers);
    for (size_t i = 0; i < want->nmembers; i++) {
        same_text(got->members[i].name, want->members[i].name);
        assert_int_equal(got->members[i].offset, want->members[i].offset);
        if (want->class == NCZ_HDF5_COMPOUND)
            same_type(want->members[i].type, got->members[i].type);
        else
            assert_memory_equal(got->members[i].value, want->members[i].value, want->size);
    }
    assert_int_equal(got->base != NULL, want->base != NULL);
    if (want->base != NULL)
        same_type(want->base, got->base);
}

static void
same_space(const ncz_hdf5_shape *want, const ncz_hdf5_shape *got)
{
    assert_int_equal(got->kind, want->kind);
    assert_int_equal(got->rank, want->rank);
    for (unsigned d = 0; d < want->rank; d++) {
        assert_int_equal(got->shape[d], want->shape[d]);
        assert_int_equal(got->most[d], want->most[d]);
    }
}

static void
same_filters(const ncz_hdf5_object *want, const ncz_hdf5_object *got)
{
    assert_int_equal(got->nfilters, want->nfilters);
    for (size_t i = 0; i < want->nfilters; i++) {
        assert_int_equal(got->filters[i].id, want->filters[i].id);
        assert_int_equal(got->filters[i].optional, want->filters[i].optional);
        same_text(got->filters[i].name, want->filters[i].name);
        assert_int_equal(got->filters[i].nvalues, want->filters[i].nvalues);
        for (size_t k = 0; k < want->filters[i].nvalues; k++)
            assert_int_equal(got->filters[i].values[k], want->filters[i].values[k]);
    }
}

static void
same_dataset(const ncz_hdf5_object *want, const ncz_hdf5_object *got)
{
    const ncz_hdf5_layout *l = &want->layout;
    const ncz_hdf5_shape   wanted = ncz_hdf5_shape_of(&want->space), found = ncz_hdf5_shape_of(&got->space);

    same_space(&wanted, &found);
    assert_int_equal(got->fill.state, want->fill.state);
    assert_int_equal(got->fill.never, want->fill.never);
    assert_int_equal(got->fill.len, want->fill.len);
    if (want->fill.len > 0)
        assert_memory_equal(got->fill.value, want->fill.value, want->fill.len);
    same_filters(want, got);
    assert_int_equal(got->layout.version, 3);
    assert_int_equal(got->layout.kind, l->kind);
    assert_int_equal(got->layout.rank, l->rank);
    if (l->kind == NCZ_HDF5_COMPACT)
        assert_memory_equal(got->layout.data, l->data, l->size);
    else
        assert_true(got->layout.addr == l->addr);
    if (l->kind != NCZ_HDF5_CHUNKED)
        assert_int_equal(got->layout.size, l->size);
    for (unsigned d = 0; d < l->rank; d++)
        assert_int_equal(got->layout.chunk[d], l->chunk[d]);
}

static void
same_attributes(const ncz_hdf5_object *want, const ncz_hdf5_object *got)
{
    assert_null(got->attributes_lost);
    assert_int_equal(got->nattributes, want->nattributes);
    for (size_t i = 0; i < want->nattributes; i++) {
        const ncz_hdf5_attribute *a = &want->attributes[i], *b = &got->attributes[i];

        assert_null(b->lost);
        assert_string_equal(b->name, a->name);
        assert_int_equal(b->order, a->order);
        same_type(a->type, b->type);
        same_space(&a->space, &b->space);
        assert_int_equal(b->len, a->len);
        assert_memory_equal(b->data, a->data, a->len);
    }
}

static void check_object(check *c, size_t number, uint64_t addr);

static void
same_links(check *c, const ncz_hdf5_object *want, const ncz_hdf5_object *got)
{
    assert_null(got->links_lost);
    assert_int_equal(got->nlinks, want->nlinks);
    for (size_t i = 0; i < want->nlinks; i++) {
        const ncz_hdf5_link *a = &want->links[i], *b = &got->links[i];

        assert_string_equal(b->name, a->name);
        assert_int_equal(b->kind, a->kind);
        assert_int_equal(b->order, a->order);
        same_text(b->path, a->path);
        if (a->kind == NCZ_HDF5_HARD)
            check_object(c, (size_t)a->addr, b->addr);
    }
}

/* The object and what it leads to, each once. */
static void
check_object(check *c, size_t number, uint64_t addr)
{
    const ncz_hdf5_object *want = &c->w->objects[number];
    ncz_hdf5_object        got;

    if (c->addrs[number] != 0) {
        assert_true(c->addrs[number] == addr);
        return;
    }
    c->addrs[number] = addr;
    c->met++;
    if (ncz_hdf5_object_read(c->f, addr, &got) != NC_NOERR)
        fail_msg("%s: object %zu: %s", c->name, number, ncz_err_text());
    assert_int_equal(got.kind, want->kind);
    if (want->type != NULL)
        same_type(want->type, got.type);
    if (want->kind == NCZ_HDF5_DATASET)
        same_dataset(want, &got);
    assert_int_equal(ncz_hdf5_attributes(c->f, &got), NC_NOERR);
    same_attributes(want, &got);
    assert_int_equal(ncz_hdf5_links(c->f, &got), NC_NOERR);
    same_links(c, want, &got);
    ncz_hdf5_object_clear(&got);
}

static void
check_elements(const check *c)
{
    ncz_hdf5_heap_begin(c->f);
    for (size_t i = 0; i < c->w->nelements; i++) {
        const written_element *e = &c->w->elements[i];
        const unsigned char   *data;
        ncz_hdf5_heap_id       id;
        size_t                 len;
        uint64_t               addr;

        ncz_hdf5_heap_id_get(c->f, e->element, &id);
        assert_int_equal(id.addr == NCZ_HDF5_NONE, e->bytes == NULL);
        if (e->bytes == NULL)
            continue;
        assert_int_equal(ncz_hdf5_heap_get(c->f, &id, &data, &len), NC_NOERR);
        assert_int_equal(len, e->len);
        if (!e->refers)
            assert_memory_equal(data, e->bytes, len);
        else {
            assert_int_equal(ncz_hdf5_reference(c->f, data, len, &addr), NC_NOERR);
            assert_true(addr == c->addrs[e->number]);
        }
    }
}

static void
check_references(const check *c)
{
    for (size_t i = 0; i < c->w->nreferences; i++) {
        uint64_t addr;

        assert_int_equal(ncz_hdf5_reference(c->f, c->w->references[i].at, 8, &addr), NC_NOERR);
        assert_true(addr == c->addrs[c->w->references[i].number]);
    }
}

static int
take_fault(void *arg, const ncz_hdf5_fault *fault)
{
    const check *c = arg;

    fail_msg("%s: %s: %s", c->name, fault->path, fault->text);
    return NC_NOERR;
}

/* What lies between is less than 8 bytes, to align. */
static int
take_extent(void *arg, const ncz_hdf5_extent *extent)
{
    check *c = arg;

    if (extent->addr >= c->w->at && (extent->addr < c->end || extent->addr - c->end >= 8))
        fail_msg("%s: a gap from %d to %d", c->name, (int)c->end, (int)extent->addr);
    if (extent->addr >= c->w->at)
        c->end = extent->addr + extent->len;
    return NC_NOERR;
}

/* All structures are sound, and the image has nothing else. */
static void
check_structure(check *c)
{
    ncz_hdf5_checker checker = {.fault = take_fault, .extent = take_extent, .arg = c};

    c->end = c->w->at;
    if (ncz_hdf5_check(c->f, &checker) != NC_NOERR)
        fail_msg("%s: %s", c->name, ncz_err_text());
    if (c->w->file.len - c->end >= 8)
        fail_msg("%s: a gap from %d to the end at %d", c->name, (int)c->end, (int)c->w->file.len);
}

static void
check_file(const written *w, const char *name)
{
    hdf5_bytes bytes = {.data = (const unsigned char *)w->file.data, .len = w->file.len};
    check      c = {.w = w, .name = name, .source = hdf5_bytes_source(&bytes)};

    assert_int_equal(ncz_hdf5_open(&c.source, &ncz_limits_default, &c.f), NC_NOERR);
    assert_int_equal(ncz_hdf5_superblock_version(c.f), 2);
    assert_int_equal(ncz_hdf5_said_size(c.f), w->file.len);
    c.addrs = calloc(w->n, sizeof *c.addrs);
    assert_non_null(c.addrs);
    check_object(&c, 0, ncz_hdf5_root(c.f));
    assert_int_equal(c.met, w->n);
    check_elements(&c);
    check_references(&c);
    check_structure(&c);
    free(c.addrs);
    ncz_hdf5_close(c.f);
}

TEST(what_is_described_is_read_again)
{
    for (const written_case *x = written_cases; x->name != NULL; x++) {
        written w;

        if (written_make(x, &w) != NC_NOERR)
            fail_msg("%s: %s", x->name, ncz_err_text());
        check_file(&w, x->name);
        written_clear(&w);
    }
}

TEST(an_image_is_the_same_whenever_it_is_made)
{
    for (const written_case *x = written_cases; x->name != NULL; x++) {
        written  w, again;
        ncz_buf  image = NCZ_BUF_INIT;
        uint64_t size, root, far;

        assert_int_equal(written_make(x, &w), NC_NOERR);
        assert_int_equal(written_make(x, &again), NC_NOERR);
        assert_int_equal(w.file.len, again.file.len);
        assert_memory_equal(w.file.data, again.file.data, w.file.len);
        /* elsewhere, and at its place again */
        assert_int_equal(ncz_hdf5_image_measure(w.img, &size), NC_NOERR);
        assert_int_equal(size, w.file.len - w.at);
        assert_int_equal(ncz_hdf5_image_make(w.img, (uint64_t)1 << 40, &image, &root), NC_NOERR);
        assert_int_equal(image.len, size);
        far = root;
        assert_int_equal(ncz_hdf5_image_make(w.img, w.at, &image, &root), NC_NOERR);
        assert_memory_equal(image.data, w.file.data + w.at, image.len);
        assert_true(far - root == ((uint64_t)1 << 40) - w.at);
        assert_int_equal(ncz_hdf5_image_make(w.img, w.at + 4, &image, &root), NC_EINTERNAL);
        ncz_buf_clear(&image);
        written_clear(&w);
        written_clear(&again);
    }
}

static int
make_and_forget(void *arg)
{
    written w;
    int     rc = written_make(arg, &w);

    written_clear(&w);
    return rc;
}

TEST(without_memory_nothing_is_made)
{
    static const char *const cases[] = {"types", "layouts", "links60", "attributes9", "netcdf3", "groups1"};

    for (const written_case *x = written_cases; x->name != NULL; x++)
        for (size_t i = 0; i < NCZ_LEN(cases); i++)
            if (strcmp(x->name, cases[i]) == 0) {
                written_case own = *x;

                each_allocation_fails(make_and_forget, &own);
            }
}

/* ---- objects of other forms ---- */

/* Makes the one object, the root, a group; compares what is read. */
static void
check_root(const ncz_hdf5_object *root)
{
    written       w = {.arena = NCZ_ARENA_INIT, .file = NCZ_BUF_INIT};
    unsigned char superblock[NCZ_HDF5_SUPERBLOCK];
    ncz_buf       image = NCZ_BUF_INIT, extension = NCZ_BUF_INIT;
    size_t        number;
    uint64_t      at;

    assert_int_equal(ncz_hdf5_image_new(&w.img), NC_NOERR);
    assert_int_equal(written_number(&w, &number), NC_NOERR);
    assert_int_equal(number, 0);
    assert_int_equal(written_describe(&w, 0, root), NC_NOERR);
    assert_int_equal(ncz_hdf5_extension_make(8, &extension), NC_NOERR);
    w.at = (NCZ_HDF5_SUPERBLOCK + extension.len + 7) / 8 * 8;
    assert_int_equal(ncz_hdf5_image_make(w.img, w.at, &image, &at), NC_NOERR);
    ncz_hdf5_superblock_make(at, w.at + image.len, NCZ_HDF5_SUPERBLOCK, superblock);
    assert_int_equal(ncz_buf_append(&w.file, superblock, sizeof superblock), NC_NOERR);
    assert_int_equal(ncz_buf_append(&w.file, extension.data, extension.len), NC_NOERR);
    assert_int_equal(ncz_buf_append(&w.file, "\0\0\0\0\0\0\0", w.at - w.file.len), NC_NOERR);
    assert_int_equal(ncz_buf_append(&w.file, image.data, image.len), NC_NOERR);
    check_file(&w, "root");
    ncz_buf_clear(&image);
    ncz_buf_clear(&extension);
    written_clear(&w);
}

/* The checker has a fault for the attribute info of an object without attributes, at which libhdf5 asserts. */
TEST(an_object_without_attributes_has_no_attribute_info)
{
    static ncz_hdf5_attribute attribute = {
        .name = "a", .order = 3, .type = &written_int, .data = (const unsigned char *)"\1\2\3\4", .len = 4};
    ncz_hdf5_object root = {.kind = NCZ_HDF5_GROUP};

    check_root(&root);
    root.attributes = &attribute;
    root.nattributes = 1;
    check_root(&root);
}

TEST(what_does_not_track_an_order_stays_so)
{
    enum { MANY = 40 };
    static ncz_hdf5_link       links[MANY];
    static ncz_hdf5_attribute  attributes[MANY];
    static char                names[MANY][8];
    ncz_hdf5_object            root = {.kind = NCZ_HDF5_GROUP, .links = links, .attributes = attributes};
    static const unsigned char value[4] = {1, 2, 3, 4};

    /* in the order of names, in which links that are not tracked are read */
    for (size_t i = 0; i < MANY; i++) {
        (void)snprintf(names[i], sizeof names[i], "n%02zu", i);
        links[i] = (ncz_hdf5_link){.name = names[i], .kind = NCZ_HDF5_HARD, .order = -1};
        attributes[i] =
            (ncz_hdf5_attribute){.name = names[i], .order = -1, .type = &written_int, .data = value, .len = 4};
    }
    root.nlinks = root.nattributes = 5;
    check_root(&root);
    root.nlinks = MANY;
    root.nattributes = 0;
    check_root(&root);
    for (size_t i = 0; i < MANY; i++) /* an order with gaps, and from the last to the first */
        links[i].order = attributes[i].order = (int64_t)(i * 1000);
    root.nattributes = MANY;
    check_root(&root);
    root.nattributes = 7;
    check_root(&root);
}

/* 65,000 bytes are the most that a header takes: at each size around it, and around what a heap's block takes. */
TEST(attributes_of_any_size)
{
    static const size_t  sizes[] = {0, 1, 4000, 4096, 64900, 65535, 65536, 200000};
    static unsigned char bytes[200100];
    ncz_hdf5_type        type = written_int;

    type.class = NCZ_HDF5_STRING;
    type.is_signed = false;
    type.precision = 0;
    memset(bytes, 'x', sizeof bytes);
    for (size_t i = 0; i < NCZ_LEN(sizes); i++)
        for (size_t k = 1; k <= 100; k += i == 0 ? 1 : 3) {
            ncz_hdf5_attribute v[2] = {{.name = "a", .type = &written_int, .data = bytes, .len = 4},
                                       {.name = "b", .order = 1, .type = &type, .data = bytes}};
            ncz_hdf5_object    root = {.kind = NCZ_HDF5_GROUP, .attributes = v, .nattributes = 2};

            v[1].len = type.size = sizes[i] + k;
            check_root(&root);
        }
}

TEST(a_layout_of_a_later_version_is_taken_over)
{
    /* version 4, chunked, no flags, rank 2, lengths of 1 byte, an extensible array's parameters, its address */
    static const unsigned char raw[] = {4,  2,  0,   2,   1,   5,   4,   4,   32,  4,  4,
                                        16, 10, 255, 255, 255, 255, 255, 255, 255, 255};
    ncz_hdf5_message           m = {.type = NCZ_HDF5_MSG_LAYOUT, .data = raw, .len = sizeof raw};
    ncz_hdf5_object            o = {.kind = NCZ_HDF5_DATASET,
                                    .type = &written_int,
                                    .space = {.kind = NCZ_HDF5_SIMPLE, .rank = 1, .shape = {7}, .most = {NCZ_HDF5_NONE}},
                                    .layout = {.version = 4, .kind = NCZ_HDF5_CHUNKED, .rank = 1, .element = 4}};
    ncz_hdf5_drawn             d;
    ncz_arena                  arena = NCZ_ARENA_INIT;

    assert_int_equal(ncz_hdf5_object_draw(&o, &arena, &d), NC_ENOTBUILT);
    o.messages = &m;
    o.nmessages = 1;
    assert_int_equal(ncz_hdf5_object_draw(&o, &arena, &d), NC_NOERR);
    assert_memory_equal(d.fixed + d.nfixed - sizeof raw, raw, sizeof raw);
    ncz_arena_clear(&arena);
}

/* ---- what cannot be said ---- */

static void
check_refused(const ncz_hdf5_object *o, int code, const char *word)
{
    ncz_arena      arena = NCZ_ARENA_INIT;
    ncz_hdf5_drawn d = {.described = false};

    ncz_err_clear();
    assert_int_equal(ncz_hdf5_object_draw(o, &arena, &d), code);
    if (strstr(ncz_err_text(), word) == NULL)
        fail_msg("\"%s\" is not in: %s", word, ncz_err_text());
    assert_false(d.described);
    ncz_arena_clear(&arena);
}

TEST(datasets_that_hdf5_cannot_have_are_refused)
{
    static unsigned char bytes[70000];
    ncz_hdf5_object      good =
                        {.kind = NCZ_HDF5_DATASET,
                         .type = &written_int,
                         .space = {.kind = NCZ_HDF5_SIMPLE, .rank = 1, .shape = {7}, .most = {7}},
                         .layout = {.version = 3, .kind = NCZ_HDF5_CHUNKED, .rank = 1, .chunk = {7}, .element = 4}},
                    o = good;
    ncz_hdf5_filter filters[33] = {{.id = 2}};
    ncz_hdf5_type   type = written_int;

    o.kind = NCZ_HDF5_OTHER;
    check_refused(&o, NC_ENOTBUILT, "no group, dataset or type");
    o = good;
    o.layout.chunk[0] = (uint64_t)1 << 32;
    check_refused(&o, NC_EBADCHUNK, "4 GiB");
    o.layout.chunk[0] = (uint64_t)1 << 30;
    check_refused(&o, NC_EBADCHUNK, "4 GiB");
    o.layout.chunk[0] = 0;
    check_refused(&o, NC_EBADCHUNK, "4 GiB");
    o = good;
    o.layout.rank = 2;
    check_refused(&o, NC_EBADCHUNK, "2 dimensions");
    o = good;
    o.external = true;
    check_refused(&o, NC_ENOTBUILT, "other files");
    o = good;
    o.layout = (ncz_hdf5_layout){.kind = NCZ_HDF5_COMPACT, .size = 65532, .data = bytes};
    check_refused(&o, NC_EBADCHUNK, "compact");
    o = good;
    o.layout.kind = NCZ_HDF5_VIRTUAL;
    check_refused(&o, NC_ENOTBUILT, "layouts");
    o = good;
    o.fill = (ncz_hdf5_fill){.state = NCZ_HDF5_FILL_USER, .value = bytes, .len = 3};
    check_refused(&o, NC_EINVAL, "fill value of 3");
    type.class = NCZ_HDF5_OPAQUE;
    type.size = 66000;
    o.type = &type;
    o.layout.kind = NCZ_HDF5_CONTIGUOUS;
    o.fill.len = 66000;
    check_refused(&o, NC_EBADTYPE, "66006");
    o = good;
    o.filters = filters;
    o.nfilters = 33;
    check_refused(&o, NC_EFILTER, "at most 32");
    o.nfilters = 1;
    filters[0].nvalues = 65536;
    check_refused(&o, NC_EFILTER, "filter 2");
    filters[0].nvalues = 0;
    filters[0].id = 65536;
    check_refused(&o, NC_EFILTER, "filter 65536");
}

TEST(types_that_hdf5_cannot_have_are_refused)
{
    static char           tag[300];
    ncz_hdf5_type         deep[40], type = {.class = NCZ_HDF5_OPAQUE, .size = 4, .tag = tag};
    static const uint64_t none[] = {0};
    ncz_hdf5_object       o = {.kind = NCZ_HDF5_COMMITTED, .type = &type};

    memset(tag, 't', sizeof tag - 1);
    check_refused(&o, NC_EBADTYPE, "tag");
    type = (ncz_hdf5_type){.class = NCZ_HDF5_COMPOUND, .size = 4};
    check_refused(&o, NC_EBADTYPE, "0 members");
    type = (ncz_hdf5_type){.class = NCZ_HDF5_ENUM, .size = 4, .base = &written_int, .nmembers = 65536};
    check_refused(&o, NC_EBADTYPE, "65536 members");
    type = (ncz_hdf5_type){.class = NCZ_HDF5_ARRAY, .size = 4, .base = &written_int};
    check_refused(&o, NC_EMAXDIMS, "0 dimensions");
    type.rank = 1;
    type.shape = none;
    check_refused(&o, NC_EDIMSIZE, "length 0");
    type = (ncz_hdf5_type){.class = NCZ_HDF5_REFERENCE, .size = 18, .reference = 2};
    check_refused(&o, NC_ENOTBUILT, "1.12");
    type = (ncz_hdf5_type){.class = NCZ_HDF5_COMPLEX, .size = 8, .base = &written_int};
    check_refused(&o, NC_ENOTBUILT, "class 11");
    type = (ncz_hdf5_type){.class = NCZ_HDF5_STRING};
    check_refused(&o, NC_EBADTYPE, "0 bytes");
    for (size_t i = 0; i < NCZ_LEN(deep); i++)
        deep[i] = (ncz_hdf5_type){
            .class = NCZ_HDF5_VLEN, .size = 16, .base = i + 1 < NCZ_LEN(deep) ? &deep[i + 1] : &written_int};
    o.type = &deep[0];
    check_refused(&o, NC_EBADTYPE, "deep");
}

TEST(links_and_attributes_that_hdf5_cannot_have_are_refused)
{
    static char          name[70000];
    static ncz_hdf5_link links[10];
    ncz_hdf5_attribute   a = {.name = "a", .type = &written_int, .data = (const unsigned char *)name, .len = 4},
                       good = a;
    ncz_hdf5_object o = {.kind = NCZ_HDF5_GROUP, .links = links, .nlinks = 1};
    ncz_arena       arena = NCZ_ARENA_INIT;
    ncz_hdf5_drawn  d;
    ncz_hdf5_out    out = {.bytes = NULL};
    uint64_t        at;

    memset(name, 'n', sizeof name - 1);
    links[0] = (ncz_hdf5_link){.name = "l", .kind = NCZ_HDF5_EXTERNAL};
    check_refused(&o, NC_ENOTBUILT, "another file");
    links[0] = (ncz_hdf5_link){.name = name, .kind = NCZ_HDF5_HARD};
    check_refused(&o, NC_EBADNAME, "69999");
    links[0] = (ncz_hdf5_link){.name = "l", .kind = NCZ_HDF5_SOFT, .path = name};
    check_refused(&o, NC_EBADNAME, "70000");
    o = (ncz_hdf5_object){.kind = NCZ_HDF5_GROUP, .attributes = &a, .nattributes = 1};
    a.len = 5;
    check_refused(&o, NC_EINVAL, "5 bytes");
    a = good;
    a.lost = "it is damaged";
    check_refused(&o, NC_EHDFERR, "it is damaged");
    a = good;
    a.name = name;
    check_refused(&o, NC_EMAXNAME, "69999");
    a = good;
    a.order = 65535;
    check_refused(&o, NC_EINVAL, "65535");
    /* two of the same name, and two at one place in the order, are found where there are many */
    o = (ncz_hdf5_object){.kind = NCZ_HDF5_GROUP, .links = links, .nlinks = 10};
    for (int k = 0; k < 2; k++) {
        static char names[10][4];
        ncz_buf     bytes = NCZ_BUF_INIT;

        for (size_t i = 0; i < 10; i++) {
            (void)snprintf(names[i], sizeof names[i], "%zu", k == 0 && i == 9 ? 3 : i);
            links[i] = (ncz_hdf5_link){
                .name = names[i], .kind = NCZ_HDF5_HARD, .order = (int64_t)(k == 1 && i == 9 ? 4 : i)};
        }
        assert_int_equal(ncz_hdf5_object_draw(&o, &arena, &d), NC_NOERR);
        out = (ncz_hdf5_out){.bytes = NULL};
        assert_int_equal(ncz_hdf5_object_put(&d, 0, &out, &at), NC_NOERR);
        assert_int_equal(ncz_buf_reserve(&bytes, (size_t)out.n), NC_NOERR);
        out = (ncz_hdf5_out){.bytes = (unsigned char *)bytes.data};
        assert_int_equal(ncz_hdf5_object_put(&d, 0, &out, &at), NC_ENAMEINUSE);
        ncz_buf_clear(&bytes);
    }
    ncz_arena_clear(&arena);
}

TEST(an_image_names_only_what_is_described)
{
    ncz_hdf5_link   l = {.name = "l", .kind = NCZ_HDF5_HARD, .addr = 1};
    ncz_hdf5_object root = {.kind = NCZ_HDF5_GROUP, .links = &l, .nlinks = 1}, other = {.kind = NCZ_HDF5_GROUP};
    ncz_hdf5_image *img;
    unsigned char   at[8];
    size_t          number;
    uint64_t        size;

    assert_int_equal(ncz_hdf5_image_new(&img), NC_NOERR);
    assert_int_equal(ncz_hdf5_image_measure(img, &size), NC_EINTERNAL);
    assert_int_equal(ncz_hdf5_image_describe(img, 0, &root), NC_EINTERNAL);
    assert_int_equal(ncz_hdf5_image_number(img, &number), NC_NOERR);
    assert_int_equal(ncz_hdf5_image_describe(img, 0, &root), NC_NOERR);
    assert_int_equal(ncz_hdf5_image_measure(img, &size), NC_EINTERNAL);
    assert_int_equal(ncz_hdf5_image_refer(img, at, 1), NC_EINTERNAL);
    assert_int_equal(ncz_hdf5_image_number(img, &number), NC_NOERR);
    assert_int_equal(ncz_hdf5_image_measure(img, &size), NC_EINTERNAL);
    assert_int_equal(ncz_hdf5_image_describe(img, 1, &other), NC_NOERR);
    assert_int_equal(ncz_hdf5_image_measure(img, &size), NC_NOERR);
    assert_int_equal(size % 8, 0);
    ncz_hdf5_image_free(img);
    ncz_hdf5_image_free(NULL);
}

/* ---- collections ---- */

TEST(a_collection_is_filled_to_the_last_byte)
{
    static const unsigned char bytes[4096];
    ncz_hdf5_collection        c;
    unsigned char             *at;
    uint32_t                   index;
    size_t                     size, n = 0;

    assert_int_equal(ncz_hdf5_collection_begin(&c, 1), NC_NOERR);
    assert_int_equal(c.bytes.len, NCZ_HDF5_COLLECTION_LEAST);
    while (ncz_hdf5_collection_add(&c, bytes, 8, &index, &at)) {
        assert_int_equal(index, ++n);
        memset(at, (int)(n % 256), 8);
        ncz_hdf5_collection_end(&c); /* whole after each */
    }
    assert_int_equal(n, (4096 - 16) / 24);
    assert_true(ncz_hdf5_collection_add(&c, "", 0, &index, NULL) == ((4096 - 16) % 24 >= 16));
    ncz_hdf5_collection_clear(&c);
    ncz_hdf5_collection_clear(&c);

    assert_true(ncz_hdf5_collection_size(0, &size) && size == 4096);
    assert_true(ncz_hdf5_collection_size(4096 - 32, &size) && size == 4096);
    assert_true(ncz_hdf5_collection_size(4096 - 31, &size) && size == 4104);
    assert_false(ncz_hdf5_collection_size(SIZE_MAX - 20, &size));
    assert_true(ncz_hdf5_collection_size(100001, &size));
    assert_int_equal(ncz_hdf5_collection_begin(&c, size), NC_NOERR);
    assert_false(ncz_hdf5_collection_add(&c, bytes, size - 31, &index, NULL));
    assert_true(ncz_hdf5_collection_add(&c, bytes, 4000, &index, NULL));
    ncz_hdf5_collection_cut(&c);
    assert_int_equal(c.bytes.len, 4096);
    assert_int_equal((unsigned char)c.bytes.data[8] + 256 * (unsigned char)c.bytes.data[9], 4096);
    ncz_hdf5_collection_clear(&c);
}

TEST(a_collection_has_at_most_65535_objects)
{
    ncz_hdf5_collection c;
    uint32_t            index;
    size_t              n = 0;

    assert_int_equal(ncz_hdf5_collection_begin(&c, 4 << 20), NC_NOERR);
    while (ncz_hdf5_collection_add(&c, "", 0, &index, NULL))
        n++;
    assert_int_equal(n, 65535);
    ncz_hdf5_collection_clear(&c);
}
