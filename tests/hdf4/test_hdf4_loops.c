/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that lead in circles or claim too much, made here: blocks of descriptors, tables of linked blocks, members of
 * groups, counts at their ends.
 */
#include "hdf4/bytes.h"
#include "support/test.h"

/* A file that is made: descriptors in one block, then their bytes. */
typedef struct made {
    unsigned char bytes[8192];
    size_t        len, ndds;
} made;

enum { ROOM = 64, DDS_AT = 10, DATA_AT = DDS_AT + 12 * ROOM };

static void
put(unsigned char *to, uint64_t v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (unsigned char)(v >> 8 * (n - 1 - i));
}

static void
begin(made *m)
{
    memset(m, 0, sizeof *m);
    memcpy(m->bytes, "\x0e\x03\x13\x01", 4);
    put(m->bytes + 4, ROOM, 2);
    for (size_t i = 0; i < ROOM; i++)
        put(m->bytes + DDS_AT + 12 * i, 1, 2);
    m->len = DATA_AT;
}

/* An object of 2-byte numbers. */
static void
add(made *m, unsigned tag, unsigned ref, const unsigned *words, size_t n)
{
    unsigned char *dd = m->bytes + DDS_AT + 12 * m->ndds++;

    assert_true(m->ndds <= ROOM && m->len + 2 * n <= sizeof m->bytes);
    put(dd, tag, 2);
    put(dd + 2, ref, 2);
    put(dd + 4, m->len, 4);
    put(dd + 8, 2 * n, 4);
    for (size_t i = 0; i < n; i++, m->len += 2)
        put(m->bytes + m->len, words[i], 2);
}
#define ADD(m, tag, ref, ...)                                                                                        \
    add(m, tag, ref, (unsigned[]){__VA_ARGS__}, sizeof((unsigned[]){__VA_ARGS__}) / sizeof(unsigned))

static int
open_made(const made *m, hdf4_bytes *b, ncz_hdf4 **f)
{
    *b = (hdf4_bytes){.data = m->bytes, .len = m->len};
    return hdf4_open(b, f);
}

static int
find_pieces(const made *m, unsigned tag, unsigned ref)
{
    hdf4_bytes      b;
    ncz_hdf4       *f;
    ncz_arena       arena = NCZ_ARENA_INIT;
    ncz_hdf4_data   data;
    ncz_hdf4_pieces pieces = {.v = NULL};
    int             rc;

    assert_int_equal(open_made(m, &b, &f), NC_NOERR);
    if ((rc = ncz_hdf4_data_read(f, tag, ref, &arena, &data)) == NC_NOERR)
        rc = ncz_hdf4_find_pieces(f, &data, &pieces);
    ncz_hdf4_pieces_clear(&pieces);
    ncz_arena_clear(&arena);
    ncz_hdf4_close(f);
    return rc;
}

TEST(blocks_of_descriptors_in_a_circle)
{
    made       m;
    hdf4_bytes b;
    ncz_hdf4  *f;

    begin(&m);
    put(m.bytes + 6, 4, 4); /* the next block is this one */
    assert_int_equal(open_made(&m, &b, &f), NC_EHDFERR);
    assert_non_null(strstr(ncz_err_text(), "circle"));
    put(m.bytes + 6, 0x7fffffff, 4);
    assert_int_equal(open_made(&m, &b, &f), NC_EHDFERR);
    begin(&m);
    put(m.bytes + 4, 0xffff, 2); /* more descriptors than there are bytes */
    assert_int_equal(open_made(&m, &b, &f), NC_EHDFERR);
}

TEST(tables_of_blocks_in_a_circle)
{
    made m;

    begin(&m); /* 32 MiB in blocks of 2 bytes, of which the only table leads to itself */
    ADD(&m, 702 | 0x4000, 1, 1, 0x200, 0, 0, 2, 0, 1, 5);
    ADD(&m, 20, 5, 5, 6);
    ADD(&m, 20, 6, 7);
    assert_int_equal(find_pieces(&m, 702, 1), NC_EHDFERR);
    assert_non_null(strstr(ncz_err_text(), "circle"));
}

TEST(blocks_that_are_not_there)
{
    made m;

    begin(&m);
    ADD(&m, 702 | 0x4000, 1, 1, 0, 8, 0, 4, 0, 2, 5);
    ADD(&m, 20, 5, 0, 6, 7);
    ADD(&m, 20, 6, 1, 2);
    assert_int_equal(find_pieces(&m, 702, 1), NC_EHDFERR);
    assert_non_null(strstr(ncz_err_text(), "20/7"));
    begin(&m); /* no room in a block, no block in a table */
    ADD(&m, 702 | 0x4000, 1, 1, 0, 8, 0, 0, 0, 2, 5);
    assert_int_equal(find_pieces(&m, 702, 1), NC_EHDFERR);
    begin(&m);
    ADD(&m, 702 | 0x4000, 1, 1, 0, 8, 0, 4, 0, 0, 5);
    assert_int_equal(find_pieces(&m, 702, 1), NC_EHDFERR);
    begin(&m); /* blocks that were never written are zeros */
    ADD(&m, 702 | 0x4000, 1, 1, 0, 8, 0, 4, 0, 2, 5);
    ADD(&m, 20, 5, 0, 0, 0);
    assert_int_equal(find_pieces(&m, 702, 1), NC_NOERR);
    begin(&m); /* the tables end */
    ADD(&m, 702 | 0x4000, 1, 1, 0, 9, 0, 4, 0, 2, 5);
    ADD(&m, 20, 5, 0, 0, 0);
    assert_int_equal(find_pieces(&m, 702, 1), NC_EHDFERR);
}

TEST(special_elements_that_are_not_read)
{
    made m;

    begin(&m);
    ADD(&m, 702 | 0x4000, 1, 4, 0, 0);
    assert_int_equal(find_pieces(&m, 702, 1), NC_ENOTBUILT);
    begin(&m);
    ADD(&m, 702 | 0x4000, 1, 3, 0, 0);
    assert_int_equal(find_pieces(&m, 702, 1), NC_EHDFERR);
    begin(&m); /* compressed by model 9; bytes that are not there */
    ADD(&m, 702 | 0x4000, 1, 3, 0, 0, 4, 2, 9, 1);
    assert_int_equal(find_pieces(&m, 702, 1), NC_ENOTBUILT);
    begin(&m);
    ADD(&m, 702 | 0x4000, 1, 3, 0, 0, 4, 2, 0, 1);
    assert_int_equal(find_pieces(&m, 702, 1), NC_EHDFERR);
    assert_int_equal(find_pieces(&m, 702, 2), NC_NOERR); /* no such object: nothing */
}

/* Class names as words of two characters. */
#define CLASS_CDF 6, 0x4344, 0x4630, 0x2e30
#define CLASS_VAR 6, 0x5661, 0x7230, 0x2e30

static int
read_list(const made *m, ncz_hdf4_sd *sd)
{
    hdf4_bytes b;
    ncz_hdf4  *f;
    int        rc;

    assert_int_equal(open_made(m, &b, &f), NC_NOERR);
    rc = ncz_hdf4_sd_read(f, sd);
    ncz_hdf4_close(f);
    return rc;
}

/* The file's group has itself, a variable that is its own dimension, and objects that are not there. */
TEST(groups_in_groups)
{
    made        m;
    ncz_hdf4_sd sd;

    begin(&m);
    ADD(&m, 1965, 1, 4, 1965, 1965, 1965, 1962, 1, 2, 9, 9, 0, CLASS_CDF);
    ADD(&m, 1965, 2, 2, 1965, 1965, 2, 1, 2, 0x7631, CLASS_VAR);
    assert_int_equal(read_list(&m, &sd), NC_NOERR);
    assert_int_equal(sd.nvars, 0);
    assert_int_equal(sd.nlosses, 1); /* it has no number type */
    assert_non_null(strstr(sd.losses[0], "variable v1: it has no number type"));
    ncz_hdf4_sd_clear(&sd);
}

TEST(types_that_are_not_read)
{
    made        m;
    ncz_hdf4_sd sd;

    begin(&m); /* 64-bit integers; and numbers of a Cray, which are listed */
    ADD(&m, 1965, 1, 2, 1965, 1965, 2, 3, 0, CLASS_CDF);
    ADD(&m, 1965, 2, 1, 106, 7, 2, 0x7631, CLASS_VAR);
    ADD(&m, 1965, 3, 1, 106, 8, 2, 0x7632, CLASS_VAR);
    ADD(&m, 106, 7, 0x0100 | 26, 64 << 8 | 1);
    ADD(&m, 106, 8, 0x0100 | 5, 32 << 8 | 3);
    assert_int_equal(read_list(&m, &sd), NC_NOERR);
    assert_int_equal(sd.nvars, 1);
    assert_string_equal(sd.vars[0].name, "v2");
    assert_string_equal(sd.vars[0].type.foreign, "a Cray");
    assert_int_equal(sd.nlosses, 1);
    assert_non_null(strstr(sd.losses[0], "number type 26"));
    ncz_hdf4_sd_clear(&sd);
}

/* One damaged object costs itself: a group whose count is too large, a set without a shape. */
TEST(damage_costs_one_object)
{
    made        m;
    ncz_hdf4_sd sd;

    begin(&m);
    ADD(&m, 1965, 1, 2, 1965, 1965, 2, 3, 0, CLASS_CDF);
    ADD(&m, 1965, 2, 0xffff, 106, 7);
    ADD(&m, 1965, 3, 1, 106, 8, 2, 0x7632, CLASS_VAR);
    ADD(&m, 106, 8, 0x0100 | 5, 32 << 8 | 1);
    assert_int_equal(read_list(&m, &sd), NC_NOERR);
    assert_int_equal(sd.nvars, 1);
    assert_true(sd.nlosses >= 1);
    ncz_hdf4_sd_clear(&sd);

    begin(&m);
    ADD(&m, 720, 1, 702, 1);
    ADD(&m, 720, 2, 701, 2);
    ADD(&m, 701, 2, 33);
    assert_int_equal(read_list(&m, &sd), NC_NOERR);
    assert_int_equal(sd.nvars, 0);
    assert_int_equal(sd.nlosses, 2);
    ncz_hdf4_sd_clear(&sd);
}
