/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid_test.h"

#include <math.h>

/* ---- user-defined types, made by hand -------------------------------------------------------------------------- */

static const int32_t         low = 0, high = 7;
static const ncz_type_member level_members[] = {{"low", &low}, {"high", &high}};
static const ncz_type        level = {.id = NC_FIRSTUSERTYPEID,
                                      .class = NCZ_TYPE_ENUM,
                                      .size = 4,
                                      .name = "level",
                                      .base = &ncz_type_atomic[NC_INT],
                                      .members = level_members,
                                      .nmembers = 2};
static const ncz_type blob = {.id = NC_FIRSTUSERTYPEID + 1, .class = NCZ_TYPE_OPAQUE, .size = 11, .name = "blob"};

static const ncz_type words = {.id = NC_FIRSTUSERTYPEID + 2,
                               .class = NCZ_TYPE_VLEN,
                               .size = sizeof(nc_vlen_t),
                               .name = "words",
                               .owns = true,
                               .base = &ncz_type_atomic[NC_STRING]};

/* Padding after `grade`; holds nothing of its own. */
typedef struct plain {
    char   grade;
    double value[2][3];
} plain;

static const size_t         value_shape[] = {2, 3};
static const ncz_type_field plain_fields[] = {
    {.name = "grade", .offset = offsetof(plain, grade), .type = &ncz_type_atomic[NC_CHAR], .nelems = 1},
    {.name = "value",
     .offset = offsetof(plain, value),
     .type = &ncz_type_atomic[NC_DOUBLE],
     .rank = 2,
     .shape = value_shape,
     .nelems = 6},
};
static const ncz_type plain_type = {.id = NC_FIRSTUSERTYPEID + 3,
                                    .class = NCZ_TYPE_COMPOUND,
                                    .size = sizeof(plain),
                                    .name = "plain",
                                    .fields = plain_fields,
                                    .nfields = 2};

/* Packed, so that its pointers are not aligned: char, sequence of strings, two strings, a compound, an enumeration. */
enum {
    STATION_WORDS = 1,
    STATION_NAMES = STATION_WORDS + sizeof(nc_vlen_t),
    STATION_PLAIN = STATION_NAMES + 2 * sizeof(char *)
};
enum { STATION_LEVEL = STATION_PLAIN + sizeof(plain), STATION_SIZE = STATION_LEVEL + 4 };

static const size_t         names_shape[] = {2};
static const ncz_type_field station_fields[] = {
    {.name = "code", .offset = 0, .type = &ncz_type_atomic[NC_CHAR], .nelems = 1},
    {.name = "words", .offset = STATION_WORDS, .type = &words, .nelems = 1},
    {.name = "names",
     .offset = STATION_NAMES,
     .type = &ncz_type_atomic[NC_STRING],
     .rank = 1,
     .shape = names_shape,
     .nelems = 2},
    {.name = "plain", .offset = STATION_PLAIN, .type = &plain_type, .nelems = 1},
    {.name = "level", .offset = STATION_LEVEL, .type = &level, .nelems = 1},
};
static const ncz_type station = {.id = NC_FIRSTUSERTYPEID + 4,
                                 .class = NCZ_TYPE_COMPOUND,
                                 .size = STATION_SIZE,
                                 .name = "station",
                                 .owns = true,
                                 .fields = station_fields,
                                 .nfields = 5};

static char *
text(const char *s)
{
    char *copy = ncz_strdup(s);

    assert_non_null(copy);
    return copy;
}

/* A station with `nwords` words, all in memory of its own. */
static void
make_station(char *elem, size_t nwords)
{
    char     *names[2] = {text("north"), NULL};
    nc_vlen_t v = {.len = nwords, .p = nwords > 0 ? ncz_alloc_n(nwords, sizeof(char *)) : NULL};
    plain     p;

    memset(&p, 0x5a, sizeof p);
    p.grade = 'A';
    for (int i = 0; i < 6; i++)
        p.value[i / 3][i % 3] = i / 4.0;
    for (size_t i = 0; i < nwords; i++)
        ((char **)v.p)[i] = i == 1 ? NULL : text("word");
    elem[0] = 'S';
    memcpy(elem + STATION_WORDS, &v, sizeof v);
    memcpy(elem + STATION_NAMES, names, sizeof names);
    memcpy(elem + STATION_PLAIN, &p, sizeof p);
    memcpy(elem + STATION_LEVEL, &high, sizeof high);
}

/* ---- tests ----------------------------------------------------------------------------------------------------- */

TEST(atomic_nodes)
{
    static const struct {
        const char *name;
        ncz_type_class class;
        size_t size;
    } want[] = {{"", NCZ_TYPE_NONE, 0},
                {"byte", NCZ_TYPE_INT, 1},
                {"char", NCZ_TYPE_CHAR, 1},
                {"short", NCZ_TYPE_INT, 2},
                {"int", NCZ_TYPE_INT, 4},
                {"float", NCZ_TYPE_FLOAT, 4},
                {"double", NCZ_TYPE_FLOAT, 8},
                {"ubyte", NCZ_TYPE_UINT, 1},
                {"ushort", NCZ_TYPE_UINT, 2},
                {"uint", NCZ_TYPE_UINT, 4},
                {"int64", NCZ_TYPE_INT, 8},
                {"uint64", NCZ_TYPE_UINT, 8},
                {"string", NCZ_TYPE_STRING, sizeof(char *)}};

    for (nc_type id = NC_NAT; id < (nc_type)NCZ_LEN(want); id++) {
        const ncz_type *t = ncz_type_of(id);

        assert_int_equal(t->id, id);
        assert_string_equal(t->name, want[id].name);
        assert_int_equal(t->class, want[id].class);
        assert_int_equal(t->size, want[id].size);
        assert_int_equal(t->owns, id == NC_STRING);
        assert_int_equal(t->fill == NULL, id == NC_NAT);
        assert_int_equal(ncz_type_is_number(t), id != NC_NAT && id != NC_CHAR && id != NC_STRING);
        assert_null(t->base);
        assert_int_equal(t->nfields + t->nmembers, 0);
    }
    assert_ptr_equal(ncz_type_of(-1), ncz_type_of(NC_NAT));
    assert_ptr_equal(ncz_type_of(NC_MAX_ATOMIC_TYPE + 1), ncz_type_of(NC_NAT));
    assert_ptr_equal(ncz_type_of(NC_FIRSTUSERTYPEID), ncz_type_of(NC_NAT));
    assert_false(ncz_type_is_number(&level));
}

TEST(numbers_are_copied_and_compared_by_bits)
{
    const ncz_type *t = ncz_type_of(NC_DOUBLE);
    const double    from[] = {1.5, NAN, -0.0}, other[] = {1.5, NAN, 0.0};
    double          to[3];
    void           *copy;

    assert_int_equal(ncz_type_copy_elems(t, from, 3, to), NC_NOERR);
    assert_memory_equal(to, from, sizeof from);
    assert_true(ncz_type_equal_elems(t, from, to, 3));
    assert_true(ncz_type_equal_elems(t, from, other, 2));
    assert_false(ncz_type_equal_elems(t, from, other, 3));
    ncz_type_free_elems(t, to, 3); /* nothing to free: the values are as they were */
    assert_memory_equal(to, from, sizeof from);
    assert_int_equal(ncz_type_dup_elems(t, from, 3, &copy), NC_NOERR);
    assert_memory_equal(copy, from, sizeof from);
    ncz_type_drop_elems(t, copy, 3);
    assert_int_equal(ncz_type_dup_elems(t, NULL, 0, &copy), NC_NOERR);
    assert_non_null(copy);
    ncz_type_drop_elems(t, copy, 0);
    assert_int_equal(ncz_type_dup_elems(t, from, SIZE_MAX / 4, &copy), NC_ENOMEM);
    assert_true(ncz_type_equal_elems(t, NULL, NULL, 0));
    assert_int_equal(ncz_type_copy_elems(t, NULL, 0, NULL), NC_NOERR);
}

TEST(strings_are_copied_deep)
{
    const ncz_type *t = ncz_type_of(NC_STRING);
    const char     *from[] = {"one", NULL, ""}, *other[] = {"one", "", ""};
    char           *to[3];

    assert_int_equal(ncz_type_copy_elems(t, from, 3, to), NC_NOERR);
    assert_string_equal(to[0], "one");
    assert_ptr_not_equal(to[0], from[0]);
    assert_null(to[1]);
    assert_string_equal(to[2], "");
    assert_true(ncz_type_equal_elems(t, from, to, 3));
    assert_false(ncz_type_equal_elems(t, from, other, 3)); /* none is not empty */
    assert_true(ncz_type_equal_elems(t, from + 2, other + 1, 1));
    ncz_type_free_elems(t, to, 3);
    for (int i = 0; i < 3; i++)
        assert_null(to[i]);
    ncz_type_free_elems(t, to, 3); /* may be called twice */
    ncz_type_free_elems(t, NULL, 3);
    ncz_type_drop_elems(t, NULL, 3);
}

TEST(enumerations_and_opaque_bytes)
{
    const int32_t levels[] = {0, 7, 3};
    int32_t       copied[3];
    const char   *bytes = "hello world, hello there", *same = "hello world";
    char          blobs[22];

    assert_int_equal(ncz_type_copy_elems(&level, levels, 3, copied), NC_NOERR);
    assert_true(ncz_type_equal_elems(&level, levels, copied, 3));
    assert_int_equal(copied[1], high);
    assert_int_equal(ncz_type_copy_elems(&blob, bytes, 2, blobs), NC_NOERR);
    assert_memory_equal(blobs, bytes, 22);
    assert_true(ncz_type_equal_elems(&blob, blobs, same, 1));
    assert_false(ncz_type_equal_elems(&blob, blobs, bytes + 11, 1));
}

TEST(compounds_compare_without_padding)
{
    plain a[2], b[2];

    memset(a, 0x11, sizeof a);
    memset(b, 0xee, sizeof b);
    for (int i = 0; i < 2; i++) {
        a[i].grade = b[i].grade = 'B';
        for (int k = 0; k < 6; k++)
            a[i].value[k / 3][k % 3] = b[i].value[k / 3][k % 3] = k;
    }
    assert_true(ncz_type_equal_elems(&plain_type, a, b, 2));
    assert_int_equal(ncz_type_copy_elems(&plain_type, a, 2, b), NC_NOERR);
    assert_memory_equal(a, b, sizeof a); /* bytes, padding too: nothing is owned */
    b[1].value[1][2] = 17;
    assert_false(ncz_type_equal_elems(&plain_type, a, b, 2));
    assert_true(ncz_type_equal_elems(&plain_type, a, b, 1));
}

TEST(sequences_are_copied_deep)
{
    const char     *one[] = {"a", NULL, "c"}, *two[] = {"a", NULL, "d"};
    const nc_vlen_t from[] = {{3, one}, {0, NULL}}, other[] = {{3, two}, {0, NULL}},
                    shorter[] = {{2, one}, {0, NULL}};
    nc_vlen_t to[2];

    assert_int_equal(ncz_type_copy_elems(&words, from, 2, to), NC_NOERR);
    assert_int_equal(to[0].len, 3);
    assert_ptr_not_equal(to[0].p, one);
    assert_string_equal(((char **)to[0].p)[2], "c");
    assert_int_equal(to[1].len, 0);
    assert_null(to[1].p);
    assert_true(ncz_type_equal_elems(&words, from, to, 2));
    assert_false(ncz_type_equal_elems(&words, from, other, 2));
    assert_false(ncz_type_equal_elems(&words, from, shorter, 2));
    ncz_type_free_elems(&words, to, 2);
    assert_int_equal(to[0].len, 0);
    assert_null(to[0].p);
}

TEST(nested_compounds)
{
    char  from[2 * STATION_SIZE];
    char *name;
    void *copy;

    make_station(from, 3);
    make_station(from + STATION_SIZE, 0);
    assert_int_equal(ncz_type_dup_elems(&station, from, 2, &copy), NC_NOERR);
    assert_true(ncz_type_equal_elems(&station, from, copy, 2));
    assert_false(ncz_type_equal_elems(&station, from, (char *)copy + STATION_SIZE, 1));
    memcpy(&name, (char *)copy + STATION_NAMES, sizeof name);
    name[0] = 'N';
    assert_false(ncz_type_equal_elems(&station, from, copy, 1));
    ncz_type_drop_elems(&station, copy, 2);
    ncz_type_free_elems(&station, from, 2);
    memcpy(&name, from + STATION_NAMES, sizeof name);
    assert_null(name);
}

/* Whichever allocation fails, nothing is left: a leak checker watches. */
TEST(out_of_memory)
{
    char   from[2 * STATION_SIZE], to[2 * STATION_SIZE];
    size_t at = 0;
    int    rc;

    make_station(from, 3);
    make_station(from + STATION_SIZE, 2);
    do {
        memset(to, 0x77, sizeof to);
        fail_allocation(++at);
        rc = ncz_type_copy_elems(&station, from, 2, to);
        assert_int_equal(rc, end_failing() ? NC_ENOMEM : NC_NOERR);
        for (size_t i = 0; rc != NC_NOERR && i < sizeof to; i++)
            assert_int_equal(to[i], 0);
    } while (rc != NC_NOERR);
    assert_true(at > 6);
    assert_true(ncz_type_equal_elems(&station, from, to, 2));
    ncz_type_free_elems(&station, to, 2);
    ncz_type_free_elems(&station, from, 2);
}
