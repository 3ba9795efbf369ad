/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records: the stored form of compounds, both ways, in runs with gaps, in either byte order, with strings and records
 * in them; and what does not convert.
 */
#include "grid_test.h"

typedef struct inner {
    int16_t x;
    double  y;
} inner;

typedef struct outer {
    int8_t tag;
    float  grid[2][2];
    inner  in[2];
    char   text[3];
} outer;

static const size_t         two = 2, three = 3, two_by_two[] = {2, 2};
static const ncz_type_field inner_fields[] = {
    {.name = "x", .offset = offsetof(inner, x), .type = &ncz_type_atomic[NC_SHORT], .nelems = 1},
    {.name = "y", .offset = offsetof(inner, y), .type = &ncz_type_atomic[NC_DOUBLE], .nelems = 1},
};

typedef struct types {
    ncz_type       in, out;
    ncz_record    *in_record, *record;
    ncz_type_field fields[4];
} types;

/* The nodes as the model makes them: each with its record. */
static void
make_types(types *t)
{
    t->in = (ncz_type){.id = 32,
                       .class = NCZ_TYPE_COMPOUND,
                       .size = sizeof(inner),
                       .name = "inner",
                       .fields = inner_fields,
                       .nfields = 2};
    assert_int_equal(ncz_record_make(&t->in, false, &t->in_record), NC_NOERR);
    t->in.record = t->in_record;
    t->fields[0] =
        (ncz_type_field){.name = "tag", .offset = offsetof(outer, tag), .type = ncz_type_of(NC_BYTE), .nelems = 1};
    t->fields[1] = (ncz_type_field){.name = "grid",
                                    .offset = offsetof(outer, grid),
                                    .type = ncz_type_of(NC_FLOAT),
                                    .rank = 2,
                                    .shape = two_by_two,
                                    .nelems = 4};
    t->fields[2] = (ncz_type_field){
        .name = "in", .offset = offsetof(outer, in), .type = &t->in, .rank = 1, .shape = &two, .nelems = 2};
    t->fields[3] = (ncz_type_field){.name = "text",
                                    .offset = offsetof(outer, text),
                                    .type = ncz_type_of(NC_CHAR),
                                    .rank = 1,
                                    .shape = &three,
                                    .nelems = 3};
    t->out = (ncz_type){.id = 33,
                        .class = NCZ_TYPE_COMPOUND,
                        .size = sizeof(outer),
                        .name = "outer",
                        .fields = t->fields,
                        .nfields = 4};
    assert_int_equal(ncz_record_make(&t->out, false, &t->record), NC_NOERR);
    t->out.record = t->record;
}

static void
drop_types(types *t)
{
    ncz_free(t->in_record);
    ncz_free(t->record);
}

static outer
make_outer(int i)
{
    outer o;

    memset(&o, 0, sizeof o);
    o.tag = (int8_t)-i;
    for (int k = 0; k < 4; k++)
        o.grid[k / 2][k % 2] = (float)i + (float)k / 4;
    for (int k = 0; k < 2; k++)
        o.in[k] = (inner){.x = (int16_t)(300 * i + k), .y = i / 8.0 - k};
    memcpy(o.text, "ab", 2);
    o.text[2] = (char)('0' + i);
    return o;
}

TEST(packed_forms)
{
    types         t;
    outer         in[3], out[3];
    unsigned char stored[3 * 40];
    ncz_dtype     d;

    make_types(&t);
    assert_int_equal(t.in_record->size, 10); /* no padding */
    assert_int_equal(t.record->size, 1 + 16 + 20 + 3);
    assert_int_equal(t.record->fields[2].offset, 17);
    d = ncz_dtype_of(&t.out, false, 0);
    assert_true(d.kind == NCZ_KIND_RECORD && d.size == 40 && d.record == t.record);
    for (int i = 0; i < 3; i++)
        in[i] = make_outer(i + 1);
    assert_int_equal(ncz_convert_in(&t.out, in, &d, stored, 3, false), NC_NOERR);
    assert_memory_equal(stored, "\xff\0\0\x80\x3f", 5);   /* tag, 1.0f: little-endian on every machine */
    assert_memory_equal(stored + 40 + 17, "\x58\x02", 2); /* the second record's in[0].x, 600 */
    assert_memory_equal(stored + 2 * 40 + 37, "ab3", 3);
    memset(out, 0x55, sizeof out);
    assert_int_equal(ncz_convert_out(&d, stored, &t.out, out, 3, false), NC_NOERR);
    assert_true(ncz_type_equal_elems(&t.out, in, out, 3));
    drop_types(&t);
}

/* Fields in another byte order and with gaps, as other writers have them. */
TEST(foreign_forms)
{
    const ncz_record_field fields[] = {
        {.name = "x", .offset = 1, .dtype = {.kind = NCZ_KIND_INT, .big = true, .size = 2}, .nelems = 1},
        {.name = "y", .offset = 4, .dtype = {.kind = NCZ_KIND_FLOAT, .big = true, .size = 4}, .nelems = 1},
    };
    const ncz_record    r = {.size = 9, .nfields = 2, .fields = fields};
    const ncz_dtype     d = {.kind = NCZ_KIND_RECORD, .size = 9, .record = &r};
    const unsigned char stored[] = {9, 1, 2, 9, 0x3f, 0x80, 0, 0, 9, 9, 0xff, 0xff, 9, 0xc0, 0x20, 0, 0, 9};
    unsigned char       back[18];
    inner               out[2];
    types               t;

    make_types(&t);
    assert_int_equal(ncz_convert_out(&d, stored, &t.in, out, 2, false), NC_NOERR);
    assert_true(out[0].x == 258 && out[0].y == 1 && out[1].x == -1 && out[1].y == -2.5);
    memset(back, 9, sizeof back); /* gaps keep what was there */
    assert_int_equal(ncz_convert_in(&t.in, out, &d, back, 2, false), NC_NOERR);
    assert_memory_equal(back, stored, sizeof stored);
    out[1].y = 1e300;
    assert_int_equal(ncz_convert_in(&t.in, out, &d, back, 2, false), NC_ERANGE);
    drop_types(&t);
}

/* A piece of a chunk, with strides on the side of memory. */
TEST(pieces_of_records_move_with_strides)
{
    const uint64_t  chunk = 5, index = 0, off = 1, n = 3, stride = 1;
    const ptrdiff_t imap = -2;
    ncz_piece       p = {
              .rank = 1, .index = &index, .off = &off, .n = &n, .stride = &stride, .imap = &imap, .mem = 4, .nelems = 3};
    inner         mem[5], in[5];
    unsigned char stored[50];
    ncz_dtype     d;
    types         t;

    make_types(&t);
    d = ncz_dtype_of(&t.in, false, 0);
    for (int i = 0; i < 5; i++)
        in[i] = (inner){.x = (int16_t)i, .y = -i};
    assert_int_equal(ncz_convert_in(&t.in, in, &d, stored, 5, false), NC_NOERR);
    memset(mem, 0, sizeof mem);
    {
        ncz_transfer m = {.dtype = &d, .mem = &t.in, .chunk = &chunk};

        assert_false(ncz_transfer_direct(&m, &p));
        assert_int_equal(ncz_transfer_out(&m, &p, stored, mem), NC_NOERR);
        assert_true(mem[4].x == 1 && mem[2].x == 2 && mem[0].x == 3 && mem[0].y == -3 && mem[1].x == 0);
        mem[2].x = 77;
        assert_int_equal(ncz_transfer_in(&m, &p, mem, stored), NC_NOERR);
        assert_int_equal(ncz_transfer_fill_out(&m, &p, stored + 40, mem), NC_NOERR);
        assert_true(mem[4].x == 4 && mem[2].y == -4 && mem[3].x == 0);
    }
    assert_int_equal(ncz_convert_out(&d, stored, &t.in, in, 5, false), NC_NOERR);
    assert_true(in[1].x == 1 && in[2].x == 77 && in[3].x == 3 && in[4].x == 4);
    drop_types(&t);
}

typedef struct named {
    char   *name;
    int32_t n;
} named;

/* Strings of fixed width, which records of other writers have: made all, or none. */
TEST(strings_in_records_are_made_all_or_none)
{
    const ncz_record_field fields[] = {
        {.name = "name", .dtype = {.kind = NCZ_KIND_BYTES, .size = 4}, .nelems = 1},
        {.name = "n", .offset = 4, .dtype = {.kind = NCZ_KIND_INT, .size = 4}, .nelems = 1},
    };
    const ncz_type_field own[] = {
        {.name = "name", .offset = offsetof(named, name), .type = &ncz_type_atomic[NC_STRING], .nelems = 1},
        {.name = "n", .offset = offsetof(named, n), .type = &ncz_type_atomic[NC_INT], .nelems = 1},
    };
    const ncz_record r = {.size = 8, .nfields = 2, .fields = fields};
    const ncz_dtype  d = {.kind = NCZ_KIND_RECORD, .size = 8, .record = &r};
    const ncz_type   t = {.id = 32,
                          .class = NCZ_TYPE_COMPOUND,
                          .size = sizeof(named),
                          .name = "named",
                          .owns = true,
                          .fields = own,
                          .nfields = 2};
    ncz_record      *none;
    named            out[3];
    char             back[24];

    assert_int_equal(ncz_record_make(&t, false, &none), NC_NOERR);
    assert_null(none); /* new arrays cannot hold them */
    assert_int_equal(ncz_convert_out(&d, "ab\0\0\1\0\0\0\0\0\0\0\2\0\0\0abcd\3\0\0\0", &t, out, 3, false), NC_NOERR);
    assert_string_equal(out[0].name, "ab");
    assert_string_equal(out[1].name, "");
    assert_true(strcmp(out[2].name, "abcd") == 0 && out[2].n == 3);
    assert_int_equal(ncz_convert_in(&t, out, &d, back, 3, false), NC_NOERR);
    assert_memory_equal(back, "ab\0\0\1\0\0\0\0\0\0\0\2\0\0\0abcd\3\0\0\0", 24);
    ncz_type_free_elems(&t, out, 3);
    for (size_t n = 1; n <= 2; n++) {
        memset(out, 0x55, sizeof out);
        fail_allocation(n);
        assert_int_equal(ncz_convert_out(&d, "ab\0\0\1\0\0\0\0\0\0\0\2\0\0\0abcd\3\0\0\0", &t, out, 3, false),
                         NC_ENOMEM);
        assert_true(end_failing());
        for (int i = 0; i < 3; i++)
            assert_null(out[i].name);
    }
}

TEST(records_that_do_not_fit_are_refused)
{
    types      t;
    ncz_dtype  d, other;
    ncz_record fewer;

    make_types(&t);
    d = ncz_dtype_of(&t.out, false, 0);
    assert_int_equal(ncz_transfer_check(&d, &t.out), NC_NOERR);
    assert_int_equal(ncz_transfer_check(&d, &t.in), NC_EBADTYPE);
    assert_int_equal(ncz_transfer_check(&d, ncz_type_of(NC_INT)), NC_EBADTYPE);
    assert_int_equal(ncz_transfer_check(&d, ncz_type_of(NC_STRING)), NC_EBADTYPE);
    other = ncz_dtype_of(ncz_type_of(NC_INT), false, 0);
    assert_int_equal(ncz_transfer_check(&other, &t.in), NC_EBADTYPE);
    fewer = *t.record;
    fewer.nfields--;
    d.record = &fewer;
    assert_int_equal(ncz_transfer_check(&d, &t.out), NC_EBADTYPE);
    t.fields[3].nelems = 2;
    d.record = t.record;
    assert_int_equal(ncz_transfer_check(&d, &t.out), NC_EBADTYPE);
    fail_allocation(1);
    assert_int_equal(ncz_record_make(&t.in, false, &(ncz_record *){NULL}), NC_ENOMEM);
    assert_true(end_failing());
    drop_types(&t);
}
