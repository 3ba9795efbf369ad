/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packed elements: each kind of part there and back, the bytes themselves, bytes that are cut, changed or that promise
 * more than they have, and memory that runs out.
 */
#include "grid_test.h"

#include "grid/grid_int.h"

#define OK(call) assert_int_equal((call), NC_NOERR)

typedef struct station {
    int8_t    id;
    char     *name;
    nc_vlen_t counts;
    double    place[2];
    char      code[3];
    char     *notes[2];
    uint8_t   raw[2];
} station;

typedef struct types {
    ncz_type       row, raw, words, all, station;
    ncz_type_field fields[7];
} types;

static const size_t two = 2, three = 3;

#define FIELD(member, t, n)                                                                                          \
    ((ncz_type_field){.name = #member,                                                                               \
                      .offset = offsetof(station, member),                                                           \
                      .type = (t),                                                                                   \
                      .rank = (n) > 1,                                                                               \
                      .shape = (n) == 2 ? &two : &three,                                                             \
                      .nelems = (n)})

static void
make_types(types *t)
{
    t->row = (ncz_type){.id = 32,
                        .class = NCZ_TYPE_VLEN,
                        .size = sizeof(nc_vlen_t),
                        .name = "row",
                        .owns = true,
                        .base = ncz_type_of(NC_SHORT)};
    t->raw = (ncz_type){.id = 33, .class = NCZ_TYPE_OPAQUE, .size = 2, .name = "raw"};
    t->fields[0] = FIELD(id, ncz_type_of(NC_BYTE), 1);
    t->fields[1] = FIELD(name, ncz_type_of(NC_STRING), 1);
    t->fields[2] = FIELD(counts, &t->row, 1);
    t->fields[3] = FIELD(place, ncz_type_of(NC_DOUBLE), 2);
    t->fields[4] = FIELD(code, ncz_type_of(NC_CHAR), 3);
    t->fields[5] = FIELD(notes, ncz_type_of(NC_STRING), 2);
    t->fields[6] = FIELD(raw, &t->raw, 1);
    t->station = (ncz_type){.id = 34,
                            .class = NCZ_TYPE_COMPOUND,
                            .size = sizeof(station),
                            .name = "station",
                            .owns = true,
                            .fields = t->fields,
                            .nfields = NCZ_LEN(t->fields)};
    t->row.packed_least = ncz_type_packed_least(&t->row);
    t->raw.packed_least = ncz_type_packed_least(&t->raw);
    t->station.packed_least = ncz_type_packed_least(&t->station);
    assert_int_equal(t->station.packed_least, 1 + 4 + 4 + 16 + 3 + 8 + 2);
    t->all = t->words = t->row;
    t->words.base = ncz_type_of(NC_STRING);
    t->words.id = 35;
    t->all.base = &t->station;
    t->all.id = 36;
    t->words.packed_least = ncz_type_packed_least(&t->words);
    t->all.packed_least = ncz_type_packed_least(&t->all);
}

static station
some(void)
{
    static int16_t counts[] = {1, -2};

    return (station){.id = 7,
                     .name = (char *)"ab",
                     .counts = {2, counts},
                     .place = {1, -2},
                     .code = {'x', 'y', 0},
                     .notes = {NULL, (char *)"n"},
                     .raw = {9, 8}};
}

/* The bytes of some(). */
static const unsigned char bytes_of_some[] = {7,   2,   0,   0, 0, 'a', 'b', 2,  0, 0, 0, 1, 0,   254, 255,
                                              0,   0,   0,   0, 0, 0,   240, 63, 0, 0, 0, 0, 0,   0,   0,
                                              192, 'x', 'y', 0, 0, 0,   0,   0,  1, 0, 0, 0, 'n', 9,   8};

static size_t
pack(const ncz_type *t, const void *elem, char **out)
{
    size_t        n;
    ncz_vlen_item item;
    char         *room;

    OK(ncz_vlen_item_of(t, elem, NULL, &item));
    n = item.len;
    assert_non_null(*out = room = malloc(n + 1));
    OK(ncz_vlen_item_of(t, elem, &room, &item));
    assert_true(item.s == *out && item.len == n && room == *out + n);
    return n;
}

TEST(types_that_own_memory_pack)
{
    types     t;
    ncz_type  wide, rows;
    ncz_dtype d;

    make_types(&t);
    assert_true(ncz_type_packs(&t.station) && ncz_type_packs(&t.words) && ncz_type_packs(&t.all));
    assert_false(ncz_type_packs(ncz_type_of(NC_STRING)) || ncz_type_packs(&t.raw));
    d = ncz_dtype_of(&t.station, false, 0);
    assert_true(d.kind == NCZ_KIND_OBJECT && d.size == NCZ_OBJECT_SIZE && d.items == &t.station);
    assert_true(ncz_dtype_is_packed(&d) && ncz_dtype_type(&d)->id == NC_NAT);
    OK(ncz_transfer_check(&d, &t.station));
    assert_int_equal(ncz_transfer_check(&d, &t.all), NC_EBADTYPE);
    d = ncz_dtype_of(&t.row, false, 0);
    assert_true(d.items == ncz_type_of(NC_SHORT) && !ncz_dtype_is_packed(&d));
    /* A sequence of elements that are mostly gaps. */
    wide = t.station;
    wide.size = 64 * 100;
    rows = t.all;
    rows.base = &wide;
    rows.packed_least = ncz_type_packed_least(&rows);
    assert_true(ncz_type_packs(&wide));
    assert_false(ncz_type_packs(&rows));
    d = ncz_dtype_of(&rows, false, 0);
    assert_true(d.kind == NCZ_KIND_OTHER && d.items == NULL);
}

TEST(packed_bytes_are_known)
{
    types         t;
    station       in = some(), out, none = {.id = 0};
    unsigned char unaligned[sizeof(station) + 1];
    char         *bytes;
    size_t        n;

    make_types(&t);
    n = pack(&t.station, &in, &bytes);
    assert_int_equal(n, sizeof bytes_of_some);
    assert_memory_equal(bytes, bytes_of_some, n);
    free(bytes);
    memcpy(unaligned + 1, &in, sizeof in);
    n = pack(&t.station, unaligned + 1, &bytes);
    assert_int_equal(n, sizeof bytes_of_some);
    assert_memory_equal(bytes, bytes_of_some, n);
    OK(ncz_grid_unpack(&t.station, bytes, n, unaligned + 1));
    OK(ncz_packed_check(&t.station, bytes, n));
    memcpy(&out, unaligned + 1, sizeof out);
    in.notes[0] = (char *)"";
    assert_true(ncz_type_equal_elems(&t.station, &in, &out, 1));
    ncz_type_free_elems(&t.station, &out, 1);
    free(bytes);
    OK(ncz_grid_unpack(&t.station, NULL, 0, &out)); /* never written */
    OK(ncz_type_fill_strings(&t.station, &none, 1));
    assert_true(ncz_type_equal_elems(&t.station, &none, &out, 1));
    ncz_type_free_elems(&t.station, &out, 1);
    ncz_type_free_elems(&t.station, &none, 1);
}

TEST(sequences_pack_and_unpack)
{
    types     t;
    station   two_of[2] = {some(), some()};
    char     *texts[] = {(char *)"a", (char *)""};
    nc_vlen_t all = {2, two_of}, words = {2, texts}, empty = {0, NULL}, bad = {3, NULL}, out;
    char     *bytes;
    size_t    n;

    make_types(&t);
    two_of[0].notes[0] = two_of[1].notes[0] = (char *)"";
    n = pack(&t.all, &all, &bytes);
    assert_int_equal(n, 4 + 2 * sizeof bytes_of_some);
    OK(ncz_grid_unpack(&t.all, bytes, n, &out));
    assert_true(ncz_type_equal_elems(&t.all, &all, &out, 1));
    ncz_type_free_elems(&t.all, &out, 1);
    free(bytes);
    n = pack(&t.words, &words, &bytes);
    assert_int_equal(n, 4 + 4 + 1 + 4);
    OK(ncz_grid_unpack(&t.words, bytes, n, &out));
    assert_true(ncz_type_equal_elems(&t.words, &words, &out, 1));
    ncz_type_free_elems(&t.words, &out, 1);
    free(bytes);
    n = pack(&t.words, &empty, &bytes);
    assert_int_equal(n, 4);
    OK(ncz_grid_unpack(&t.words, bytes, n, &out));
    assert_true(out.len == 0 && out.p == NULL);
    free(bytes);
    assert_int_equal(ncz_grid_packed_len(&t.words, &bad, &n), NC_EINVAL);
    two_of[1].counts = bad;
    assert_int_equal(ncz_grid_packed_len(&t.all, &all, &n), NC_EINVAL);
    bad = (nc_vlen_t){SIZE_MAX / 2, two_of};
    two_of[1].counts = bad;
    assert_int_equal(ncz_grid_packed_len(&t.all, &all, &n), NC_EFILTER);
}

static void
assert_refused(const ncz_type *t, const unsigned char *bytes, size_t n, size_t size)
{
    char *elem = malloc(size);

    assert_non_null(elem);
    memset(elem, 0xaa, size);
    assert_int_equal(ncz_grid_unpack(t, bytes, n, elem), NC_EFILTER);
    assert_int_equal(ncz_packed_check(t, bytes, n), NC_EFILTER);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(elem[i], 0);
    free(elem);
}

TEST(damaged_bytes_are_refused)
{
    types         t;
    unsigned char bytes[sizeof bytes_of_some + 1];

    make_types(&t);
    for (size_t n = 1; n < sizeof bytes_of_some; n++)
        assert_refused(&t.station, bytes_of_some, n, sizeof(station));
    memcpy(bytes, bytes_of_some, sizeof bytes_of_some);
    bytes[sizeof bytes_of_some] = 0;
    assert_refused(&t.station, bytes, sizeof bytes, sizeof(station)); /* one byte too many */
    for (size_t i = 0; i < 4; i++) {                                  /* lengths that are too large */
        bytes[1 + i] = 0xff;
        assert_refused(&t.station, bytes, sizeof bytes_of_some, sizeof(station));
        bytes[1 + i] = bytes_of_some[1 + i];
        bytes[7 + i] = 0xff;
        assert_refused(&t.station, bytes, sizeof bytes_of_some, sizeof(station));
        bytes[7 + i] = bytes_of_some[7 + i];
    }
    /* Counts that no memory is allocated for. */
    watch_allocations();
    assert_refused(&t.all, (const unsigned char *)"\377\377\377\377", 4, sizeof(nc_vlen_t));
    assert_refused(&t.words, (const unsigned char *)"\2\0\0\0\0\0\0\0", 8, sizeof(nc_vlen_t));
    assert_true(largest_allocation() < 1000); /* the text of the error */
    (void)end_failing();
    /* Whatever the bytes, they are refused, or what they give can be freed. */
    srand(1);
    for (int round = 0; round < 20000; round++) {
        station out;
        int     rc;

        memcpy(bytes, bytes_of_some, sizeof bytes_of_some);
        for (int i = 0; i < 2; i++)
            bytes[(size_t)rand() % sizeof bytes_of_some] = (unsigned char)rand();
        rc = ncz_packed_check(&t.station, bytes, sizeof bytes_of_some);
        assert_int_equal(ncz_grid_unpack(&t.station, bytes, sizeof bytes_of_some, &out), rc);
        if (rc == NC_NOERR)
            ncz_type_free_elems(&t.station, &out, 1);
    }
}

static int
unpack_some(void *arg)
{
    types  *t = arg;
    station out;
    int     rc = ncz_grid_unpack(&t->station, bytes_of_some, sizeof bytes_of_some, &out);

    assert_true(rc == NC_NOERR || (out.name == NULL && out.counts.p == NULL));
    ncz_type_free_elems(&t->station, &out, 1);
    if (rc == NC_NOERR && (rc = ncz_grid_unpack(&t->station, NULL, 0, &out)) == NC_NOERR)
        ncz_type_free_elems(&t->station, &out, 1);
    return rc;
}

TEST(every_allocation_fails_once)
{
    types t;

    make_types(&t);
    each_allocation_fails(unpack_some, &t);
}
