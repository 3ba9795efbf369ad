/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of versions that no library of today writes, and of ones that are not known, made by hand. */
#include "hdf5/hdf5_int.h"
#include "support/test.h"

enum { ROOM = 512 };

typedef struct message {
    ncz_hdf5         f;
    ncz_arena        arena;
    unsigned char    bytes[ROOM];
    ncz_hdf5_message m;
} message;

static void
begin(message *x, unsigned type)
{
    ncz_arena_clear(&x->arena);
    *x = (message){.f = {.offset_size = 8, .length_size = 8, .size = 1 << 20, .limits = ncz_limits_default},
                   .arena = NCZ_ARENA_INIT};
    x->m = (ncz_hdf5_message){.type = type, .data = x->bytes, .addr = 4242, .order = -1};
}

static void
put(message *x, uint64_t v, unsigned n)
{
    assert_true(x->m.len + n <= ROOM);
    for (unsigned i = 0; i < n; i++)
        x->bytes[x->m.len++] = (unsigned char)(i < 8 ? v >> (8 * i) : 0);
}

static void
put_name(message *x, const char *name, unsigned n)
{
    assert_true(x->m.len + n <= ROOM && strlen(name) <= n);
    memcpy(x->bytes + x->m.len, name, strlen(name));
    x->m.len += n;
}

static void
put_int(message *x)
{
    put(x, 0x10 | 8 << 8, 4); /* version 1, class 0, signed */
    put(x, 4, 4);
    put(x, 32 << 16, 4);
}

/* Cut anywhere a message is an error; so is any longer rest of memory that it does not have. */
static void
check_cut(message *x, int (*parse)(message *x))
{
    size_t len = x->m.len;

    assert_int_equal(parse(x), NC_NOERR);
    for (x->m.len = 0; x->m.len < len; x->m.len++) {
        unsigned char *copy = malloc(x->m.len + 1);

        assert_non_null(copy);
        memcpy(copy, x->bytes, x->m.len);
        x->m.data = copy;
        ncz_err_clear();
        if (parse(x) == NC_NOERR)
            fail_msg("%zu of %zu bytes are enough", x->m.len, len);
        assert_true(ncz_err_text()[0] != 0);
        free(copy);
    }
    x->m.data = x->bytes;
}

/* ---- types ---- */

static int
parse_type(message *x)
{
    ncz_hdf5_type *t;

    return ncz_hdf5_type_parse(&x->f, &x->m, &x->arena, &t);
}

/* A field of version 1 has its own dimensions. */
TEST(compound_1)
{
    static message x;
    ncz_hdf5_type *t;

    begin(&x, NCZ_HDF5_MSG_TYPE);
    put(&x, 0x16 | 2 << 8, 4);
    put(&x, 28, 4);
    put_name(&x, "a", 8);
    put(&x, 0, 4);
    put(&x, 0, 28);
    put_int(&x);
    put_name(&x, "a matrix", 16);
    put(&x, 4, 4);
    put(&x, 2, 12);
    put(&x, 2 | (uint64_t)3 << 32, 16);
    put_int(&x);
    assert_int_equal(ncz_hdf5_type_parse(&x.f, &x.m, &x.arena, &t), NC_NOERR);
    assert_int_equal(t->nmembers, 2);
    assert_string_equal(t->members[1].name, "a matrix");
    assert_int_equal(t->members[1].offset, 4);
    assert_int_equal(t->members[1].type->class, NCZ_HDF5_ARRAY);
    assert_int_equal(t->members[1].type->size, 24);
    assert_int_equal(t->members[1].type->shape[1], 3);
    check_cut(&x, parse_type);
    x.bytes[4] = 27; /* the second field does not fit any more */
    assert_int_equal(parse_type(&x), NC_EHDFERR);
    ncz_arena_clear(&x.arena);
}

TEST(odd_types)
{
    static message x;
    ncz_hdf5_type *t;

    begin(&x, NCZ_HDF5_MSG_TYPE); /* an array of version 2, with a permutation */
    put(&x, 0x2a, 4);
    put(&x, 24, 4);
    put(&x, 2, 4);
    put(&x, 2 | (uint64_t)3 << 32, 8);
    put(&x, 0, 8);
    put_int(&x);
    assert_int_equal(ncz_hdf5_type_parse(&x.f, &x.m, &x.arena, &t), NC_NOERR);
    assert_int_equal(t->shape[1], 3);
    check_cut(&x, parse_type);
    x.bytes[4] = 25;
    assert_int_equal(parse_type(&x), NC_EHDFERR);

    begin(&x, NCZ_HDF5_MSG_TYPE); /* complex: two of its base */
    put(&x, 0x5b, 4);
    put(&x, 8, 4);
    put_int(&x);
    assert_int_equal(ncz_hdf5_type_parse(&x.f, &x.m, &x.arena, &t), NC_NOERR);
    assert_int_equal(t->class, NCZ_HDF5_COMPLEX);
    x.bytes[0] = 0x5c;
    assert_int_equal(parse_type(&x), NC_ENOTBUILT);
    x.bytes[0] = 0x6b;
    assert_int_equal(parse_type(&x), NC_ENOTBUILT);

    begin(&x, NCZ_HDF5_MSG_TYPE); /* VAX's order */
    put(&x, 0x31 | 0x41 << 8 | 31 << 16, 4);
    put(&x, 4, 4);
    put(&x, (uint64_t)32 << 16, 4);
    put(&x, 23 | 8 << 8 | 0 << 16 | 23 << 24, 4);
    put(&x, 127, 4);
    assert_int_equal(ncz_hdf5_type_parse(&x.f, &x.m, &x.arena, &t), NC_NOERR);
    assert_int_equal(t->order, NCZ_HDF5_VAX);
    assert_int_equal(t->exponent_bits, 8);
    check_cut(&x, parse_type);
    x.bytes[10] = 33; /* more bits than bytes have */
    assert_int_equal(parse_type(&x), NC_EHDFERR);
    ncz_arena_clear(&x.arena);
}

/* ---- layouts ---- */

static int
parse_layout(message *x)
{
    ncz_hdf5_layout l;

    return ncz_hdf5_layout_parse(&x->f, &x->m, &l);
}

TEST(old_layouts)
{
    static message  x;
    ncz_hdf5_layout l;

    for (unsigned version = 1; version <= 2; version++) {
        begin(&x, NCZ_HDF5_MSG_LAYOUT); /* contiguous */
        put(&x, version | 2 << 8 | 1 << 16, 8);
        put(&x, 5000, 8);
        put(&x, 3 | (uint64_t)4 << 32, 8);
        assert_int_equal(ncz_hdf5_layout_parse(&x.f, &x.m, &l), NC_NOERR);
        assert_int_equal(l.kind, NCZ_HDF5_CONTIGUOUS);
        assert_int_equal(l.addr, 5000);
        check_cut(&x, parse_layout);

        begin(&x, NCZ_HDF5_MSG_LAYOUT); /* chunked: the last length is an element's size */
        put(&x, version | 3 << 8 | 2 << 16, 8);
        put(&x, 5000, 8);
        put(&x, 3 | (uint64_t)4 << 32, 8);
        put(&x, 2, 4);
        assert_int_equal(ncz_hdf5_layout_parse(&x.f, &x.m, &l), NC_NOERR);
        assert_int_equal(l.kind, NCZ_HDF5_CHUNKED);
        assert_int_equal(l.rank, 2);
        assert_int_equal(l.chunk[1], 4);
        assert_int_equal(l.element, 2);
        assert_int_equal(l.chunk_bytes, 24);
        check_cut(&x, parse_layout);

        begin(&x, NCZ_HDF5_MSG_LAYOUT); /* compact */
        put(&x, version | 1 << 8, 8);
        put(&x, 3, 4);
        put(&x, 3, 4);
        put(&x, 0x30201, 3);
        assert_int_equal(ncz_hdf5_layout_parse(&x.f, &x.m, &l), NC_NOERR);
        assert_int_equal(l.size, 3);
        assert_int_equal(l.data[2], 3);
        check_cut(&x, parse_layout);
    }
    x.bytes[2] = 3;
    assert_int_equal(parse_layout(&x), NC_EHDFERR);
    x.bytes[0] = 6;
    assert_int_equal(parse_layout(&x), NC_ENOTBUILT);
}

TEST(bad_chunks)
{
    static message x;

    begin(&x, NCZ_HDF5_MSG_LAYOUT);
    put(&x, 4 | 2 << 8, 3); /* version 4, chunked, no flags */
    put(&x, 2 | 4 << 8, 2); /* rank 1, 4 bytes each */
    put(&x, 10 | (uint64_t)2 << 32, 8);
    put(&x, 1, 1); /* a single chunk */
    put(&x, 5000, 8);
    check_cut(&x, parse_layout);
    x.bytes[13] = 6;
    assert_int_equal(parse_layout(&x), NC_ENOTBUILT); /* an unknown index */
    x.bytes[13] = 1;
    x.bytes[5] = 0;
    assert_int_equal(parse_layout(&x), NC_EHDFERR); /* of length 0 */
    x.bytes[5] = 10;
    x.bytes[9] = 0;
    assert_int_equal(parse_layout(&x), NC_EHDFERR); /* of elements of no bytes */
    x.bytes[9] = 2;
    x.bytes[4] = 9;
    assert_int_equal(parse_layout(&x), NC_EHDFERR); /* widths */
    x.bytes[4] = 4;
    x.bytes[3] = 1;
    assert_int_equal(parse_layout(&x), NC_EHDFERR); /* ranks */
    x.bytes[3] = 34;
    assert_int_equal(parse_layout(&x), NC_EHDFERR);
    x.bytes[1] = 4;
    assert_int_equal(parse_layout(&x), NC_ENOTBUILT);
}

/* ---- links, shared messages ---- */

/* A link whose name or path is too long is lost, and says why; its group is not. */
TEST(long_links)
{
    static message x;
    ncz_hdf5_link  l;

    begin(&x, NCZ_HDF5_MSG_LINK);
    put(&x, 1, 2); /* version 1, no flags: a hard link, a length of one byte */
    put(&x, 3, 1);
    put_name(&x, "abc", 3);
    put(&x, 800, 8);
    assert_int_equal(ncz_hdf5_link_parse(&x.f, &x.m, &x.arena, &l), NC_NOERR);
    assert_int_equal(l.kind, NCZ_HDF5_HARD);
    x.f.limits.name_bytes = 2;
    assert_int_equal(ncz_hdf5_link_parse(&x.f, &x.m, &x.arena, &l), NC_NOERR);
    assert_int_equal(l.kind, NCZ_HDF5_LOST_LINK);
    assert_string_equal(l.name, "abc");
    assert_non_null(strstr(l.path, "limit `name_bytes`"));

    begin(&x, NCZ_HDF5_MSG_LINK);
    put(&x, 1 | 8 << 8, 2); /* its kind is there */
    put(&x, 1, 1);
    put(&x, 1, 1);
    put_name(&x, "s", 1);
    put(&x, 300, 2);
    put(&x, 0, 300); /* a path with a NUL */
    assert_int_equal(ncz_hdf5_link_parse(&x.f, &x.m, &x.arena, &l), NC_NOERR);
    assert_int_equal(l.kind, NCZ_HDF5_LOST_LINK);
    memset(x.bytes + 7, 'p', 300);
    x.f.limits.name_bytes = 2; /* of names */
    assert_int_equal(ncz_hdf5_link_parse(&x.f, &x.m, &x.arena, &l), NC_NOERR);
    assert_int_equal(l.kind, NCZ_HDF5_SOFT);
    assert_int_equal(strlen(l.path), 300);
    ncz_arena_clear(&x.arena);
}

static int
find_home(message *x)
{
    uint64_t home;

    return ncz_hdf5_message_home(&x->f, &x->m, &home);
}

/* Version 1 has six reserved bytes and the offset of a name before the address. */
TEST(shared_messages)
{
    static message x;
    uint64_t       home = 0;

    for (unsigned version = 1; version <= 3; version++) {
        begin(&x, NCZ_HDF5_MSG_TYPE);
        put(&x, version | 2 << 8, 2);
        if (version == 1) {
            put(&x, 0, 6);
            put(&x, 16, 8);
        }
        put(&x, 4000, 8);
        assert_int_equal(ncz_hdf5_message_home(&x.f, &x.m, &home), NC_NOERR);
        assert_int_equal(home, 4000);
        check_cut(&x, find_home);
    }
    x.bytes[0] = 4;
    assert_int_equal(find_home(&x), NC_EHDFERR);
}

/* ---- fill values, filters, dataspaces ---- */

static int
parse_fill(message *x)
{
    ncz_hdf5_fill fill;

    return ncz_hdf5_fill_parse(&x->m, &fill);
}

TEST(fill_values)
{
    static message x;
    ncz_hdf5_fill  fill;

    for (unsigned version = 1; version <= 2; version++) {
        begin(&x, NCZ_HDF5_MSG_FILL);
        put(&x, version | 2 << 8 | 2 << 16 | 1 << 24, 4);
        put(&x, 2, 4);
        put(&x, 0x0909, 2);
        assert_int_equal(ncz_hdf5_fill_parse(&x.m, &fill), NC_NOERR);
        assert_int_equal(fill.state, NCZ_HDF5_FILL_USER);
        assert_int_equal(fill.len, 2);
        check_cut(&x, parse_fill);
        put(&x, 0, 1); /* what is behind does not matter */
        memset(x.bytes + 4, 0xff, 4);
        assert_int_equal(ncz_hdf5_fill_parse(&x.m, &fill), NC_NOERR);
        assert_int_equal(fill.state, NCZ_HDF5_FILL_UNDEFINED);
    }
    x.bytes[3] = 0;
    x.m.len = 4;
    assert_int_equal(ncz_hdf5_fill_parse(&x.m, &fill), NC_NOERR);
    assert_int_equal(fill.state, NCZ_HDF5_FILL_UNDEFINED);
    x.bytes[0] = 4;
    assert_int_equal(parse_fill(&x), NC_ENOTBUILT);

    begin(&x, NCZ_HDF5_MSG_OLD_FILL);
    put(&x, 0, 4);
    assert_int_equal(ncz_hdf5_fill_parse(&x.m, &fill), NC_NOERR);
    assert_int_equal(fill.state, NCZ_HDF5_FILL_DEFAULT);
}

static int
parse_filters(message *x)
{
    ncz_hdf5_filter *v;
    size_t           n;

    return ncz_hdf5_filters_parse(&x->m, &x->arena, &v, &n);
}

TEST(filter_messages_are_parsed)
{
    static message   x;
    ncz_hdf5_filter *v;
    size_t           n;

    begin(&x, NCZ_HDF5_MSG_FILTERS);
    put(&x, 2 | 2 << 8, 2); /* two of version 2: one of HDF5's own has no name */
    put(&x, 1, 2);
    put(&x, 1, 2);
    put(&x, 1, 2);
    put(&x, 9, 4);
    put(&x, 32015, 2);
    put(&x, 5, 2);
    put(&x, 0, 2);
    put(&x, 2, 2);
    put_name(&x, "zstd", 5);
    put(&x, 3 | (uint64_t)4 << 32, 8);
    assert_int_equal(ncz_hdf5_filters_parse(&x.m, &x.arena, &v, &n), NC_NOERR);
    assert_int_equal(n, 2);
    assert_null(v[0].name);
    assert_true(v[0].optional);
    assert_int_equal(v[0].values[0], 9);
    assert_string_equal(v[1].name, "zstd");
    assert_false(v[1].optional);
    assert_int_equal(v[1].values[1], 4);
    check_cut(&x, parse_filters);
    x.bytes[1] = 33;
    assert_int_equal(parse_filters(&x), NC_EHDFERR);
    x.bytes[0] = 3;
    assert_int_equal(parse_filters(&x), NC_ENOTBUILT);
    ncz_arena_clear(&x.arena);
}

static int
parse_space(message *x)
{
    ncz_hdf5_space s;

    return ncz_hdf5_space_parse(&x->f, &x->m, &s);
}

TEST(space_messages_are_parsed)
{
    static message x;
    ncz_hdf5_space s = {.kind = NCZ_HDF5_SIMPLE, .rank = 3, .shape = {1 << 30, 1 << 30, 1 << 30}};
    ncz_hdf5_shape e = ncz_hdf5_shape_of(&s);
    uint64_t       n;

    assert_false(ncz_hdf5_count_elements(&e, &n));
    s.shape[2] = 0;
    assert_true(ncz_hdf5_count_elements(&e, &n));
    assert_int_equal(n, 0);

    begin(&x, NCZ_HDF5_MSG_SPACE);
    put(&x, 2 | 1 << 8 | 1 << 16 | 1 << 24, 4);
    put(&x, 5, 8);
    put(&x, UINT64_MAX, 8);
    check_cut(&x, parse_space);
    assert_int_equal(ncz_hdf5_space_parse(&x.f, &x.m, &s), NC_NOERR);
    assert_int_equal(s.shape[0], 5);
    assert_true(s.most[0] == NCZ_HDF5_NONE);
    memset(x.bytes + 12, 0, 8);
    assert_int_equal(parse_space(&x), NC_EHDFERR); /* longer than it may be */
    x.bytes[3] = 3;
    assert_int_equal(parse_space(&x), NC_EHDFERR);
    x.bytes[3] = 2;
    assert_int_equal(parse_space(&x), NC_EHDFERR); /* no elements, but a dimension */
    x.bytes[0] = 3;
    assert_int_equal(parse_space(&x), NC_ENOTBUILT);
    begin(&x, NCZ_HDF5_MSG_SPACE);
    put(&x, 1 | 2 << 8 | 2 << 16, 8);
    put(&x, 5, 16);
    assert_int_equal(parse_space(&x), NC_ENOTBUILT); /* permuted */
    x.bytes[1] = 33;
    x.bytes[2] = 0;
    assert_int_equal(parse_space(&x), NC_EHDFERR);
}
