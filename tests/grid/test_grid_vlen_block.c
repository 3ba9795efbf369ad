/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks of texts: built, looked at, moved to memory, and changed by puts.
 */
#include "grid_test.h"

static const ncz_dtype object = {.kind = NCZ_KIND_OBJECT, .size = NCZ_OBJECT_SIZE};

static ncz_vlen_item
text(const char *s)
{
    return s != NULL ? (ncz_vlen_item){s, strlen(s), NCZ_VLEN_STRING} : (ncz_vlen_item){.what = NCZ_VLEN_NONE};
}

static ncz_buf
block_of(const char *const *v, size_t n)
{
    ncz_buf b = NCZ_BUF_INIT;

    assert_int_equal(ncz_vlen_begin(&b, n), NC_NOERR);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(ncz_vlen_set(&b, i, text(v[i])), NC_NOERR);
    return b;
}

static void
check(const ncz_buf *b, const char *const *want, size_t n)
{
    const ncz_vlen_block *t = ncz_vlen_in(b);

    assert_int_equal(ncz_vlen_len(t), n);
    assert_int_equal(ncz_vlen_nbytes(t), b->len);
    for (size_t i = 0; i < n; i++) {
        ncz_vlen_item got = ncz_vlen_at(t, i);

        assert_int_equal(got.what, want[i] != NULL ? NCZ_VLEN_STRING : NCZ_VLEN_NONE);
        assert_int_equal(got.len, want[i] != NULL ? strlen(want[i]) : 0);
        if (got.len > 0)
            assert_memory_equal(got.s, want[i], got.len);
    }
}

TEST(blocks_are_built_and_bounded)
{
    static const char *const v[] = {"a", NULL, "", "bcd"};
    ncz_buf                  b = block_of(v, 4), fill = block_of(v, 1);
    size_t                   nbytes;
    char                    *taken;

    check(&b, v, 4);
    assert_true(ncz_vlen_bound(4, &nbytes));
    assert_int_equal(b.len, nbytes + 4);
    assert_false(ncz_vlen_bound(SIZE_MAX / 4, &nbytes));
    ncz_vlen_share(&b, 1, 0);
    assert_false(ncz_vlen_all(ncz_vlen_in(&b), ncz_vlen_in(&fill)));
    ncz_vlen_share(&b, 2, 1);
    ncz_vlen_share(&b, 3, 0);
    assert_true(ncz_vlen_all(ncz_vlen_in(&b), ncz_vlen_in(&fill)));
    assert_int_equal(ncz_vlen_take(&b, &taken), NC_NOERR);
    assert_int_equal(ncz_vlen_at((const ncz_vlen_block *)(const void *)taken, 3).s[0], 'a');
    ncz_free(taken);
    assert_int_equal(ncz_vlen_begin(&b, 0), NC_NOERR); /* the buffer serves again */
    assert_true(ncz_vlen_all(ncz_vlen_in(&b), ncz_vlen_in(&fill)));
    b.limit = b.len + 2;
    assert_int_equal(ncz_vlen_begin(&b, 0), NC_NOERR);
    assert_int_equal(ncz_vlen_begin(&b, 1), NC_ENOMEM);
    ncz_buf_clear(&b);
    ncz_buf_clear(&fill);
}

/* The box [1, 3) x [0, 2) of a chunk of 3 x 2, in either order, at places with gaps between. */
static const unsigned  fortran[] = {1, 0};
static const uint64_t  chunk_shape[] = {3, 2}, off[] = {1, 0}, counts[] = {2, 2}, strides[] = {1, 1};
static const ptrdiff_t imap[] = {4, 2};

static ncz_piece
piece(void)
{
    return (ncz_piece){.rank = 2, .off = off, .n = counts, .stride = strides, .imap = imap, .mem = 1, .nelems = 4};
}

TEST(moving_out)
{
    static const char *const v[] = {"0", "1", "2", NULL, "", "5"};
    ncz_buf                  b = block_of(v, 6);
    ncz_piece                p = piece();

    for (int f = 0; f < 2; f++) {
        ncz_transfer m = {
            .dtype = &object, .mem = ncz_type_of(NC_STRING), .chunk = chunk_shape, .order = f != 0 ? fortran : NULL};
        char *got[8] = {NULL};

        assert_false(ncz_transfer_direct(&m, &p));
        assert_int_equal(ncz_transfer_out(&m, &p, b.data, got), NC_NOERR);
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 2; k++) {
                const char *want = v[f != 0 ? (i + 1) + 3 * k : 2 * (i + 1) + k];
                char       *s = got[1 + 4 * i + 2 * k];

                assert_non_null(s);
                assert_string_equal(s, want != NULL ? want : "");
                ncz_free(s);
            }
        assert_null(got[0]);
        memset(got, 0, sizeof got);
        assert_int_equal(ncz_transfer_fill_out(&m, &p, b.data, got), NC_NOERR); /* its first text everywhere */
        for (int i = 0; i < 4; i++) {
            assert_string_equal(got[1 + 2 * i], "0");
            ncz_free(got[1 + 2 * i]);
            got[1 + 2 * i] = got[0] = (char *)&b;
        }
        assert_int_equal(ncz_transfer_fill_out(&m, &p, NULL, got), NC_NOERR);
        for (int i = 0; i < 4; i++) {
            assert_string_equal(got[1 + 2 * i], "");
            ncz_free(got[1 + 2 * i]);
        }
        assert_ptr_equal(got[0], &b);
        assert_int_equal(ncz_transfer_in(&m, &p, got, b.data), NC_EINTERNAL);
        assert_int_equal(ncz_transfer_check(&object, ncz_type_of(NC_INT)), NC_EBADTYPE);
    }
    ncz_buf_clear(&b);
}

TEST(strings_are_put_into_blocks)
{
    static const char *const v[] = {"0", "1", "2", NULL, "", "5"}, *const fills[] = {"fill"};
    static const char *const c[] = {"0", "1", "A", NULL, "", "D"}, *const f[] = {"0", "A", "", NULL, NULL, "D"};
    static const char *const n[] = {"fill", "fill", "A", NULL, "", "D"};
    static const char *const z[] = {"", "", "A", NULL, "", "D"};
    const char              *mem[] = {NULL, "A", NULL, NULL, NULL, "", NULL, "D"};
    ncz_buf                  old = block_of(v, 6), fill = block_of(fills, 1), out = NCZ_BUF_INIT;
    ncz_piece                p = piece();
    ncz_transfer             m = {.dtype = &object, .mem = ncz_type_of(NC_STRING), .chunk = chunk_shape};

    assert_int_equal(ncz_vlen_put(&m, &p, 6, ncz_vlen_in(&old), ncz_vlen_in(&fill), mem, &out), NC_NOERR);
    check(&out, c, 6);
    assert_int_equal(ncz_vlen_put(&m, &p, 6, NULL, ncz_vlen_in(&fill), mem, &out), NC_NOERR);
    check(&out, n, 6);
    assert_int_equal(ncz_vlen_put(&m, &p, 6, NULL, NULL, mem, &out), NC_NOERR);
    check(&out, z, 6);
    m.order = fortran;
    assert_int_equal(ncz_vlen_put(&m, &p, 6, ncz_vlen_in(&old), NULL, mem, &out), NC_NOERR);
    check(&out, f, 6);
    p.nelems = 0;
    assert_int_equal(ncz_vlen_put(&m, &p, 6, ncz_vlen_in(&old), NULL, mem, &out), NC_NOERR);
    check(&out, v, 6);
    ncz_buf_clear(&old);
    ncz_buf_clear(&fill);
    ncz_buf_clear(&out);
}

/* Many puts leave nothing behind, and fill takes its bytes once. */
TEST(staying_small)
{
    static const char *const fills[] = {"a fill value that is rather long"};
    static const uint64_t    shape[] = {100}, one[] = {1};
    ncz_buf                  fill = block_of(fills, 1), a = NCZ_BUF_INIT, b = NCZ_BUF_INIT;
    ncz_transfer             m = {.dtype = &object, .mem = ncz_type_of(NC_STRING), .chunk = shape};
    size_t                   table;

    assert_true(ncz_vlen_bound(100, &table));
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t    at = i % 100 / 2 * 2;
        ptrdiff_t   step = 1;
        const char *word = "word";
        ncz_piece   p = {.rank = 1, .off = &at, .n = one, .stride = one, .imap = &step, .nelems = 1};

        assert_int_equal(ncz_vlen_put(&m, &p, 100, i > 0 ? ncz_vlen_in(&a) : NULL, ncz_vlen_in(&fill), &word, &b),
                         NC_NOERR);
        ncz_buf_clear(&a);
        a = b;
        b = NCZ_BUF_INIT;
    }
    assert_int_equal(a.len, table + strlen(fills[0]) + 50 * strlen("word"));
    ncz_buf_clear(&fill);
    ncz_buf_clear(&a);
}

/* A few elements are changed in the block itself, which grows by what they have, and a quarter now and then. */
TEST(changing_a_few)
{
    static const uint64_t shape[] = {8, 10}, boxes[] = {2, 3}, ones[] = {1, 1};
    ncz_transfer          m = {.dtype = &object, .mem = ncz_type_of(NC_STRING), .chunk = shape};
    char                  shadow[80][16] = {""}, *block = NULL;
    ncz_buf               b = NCZ_BUF_INIT;
    uint64_t              seed = 3;
    size_t                rebuilt = 0;

    assert_int_equal(ncz_vlen_begin(&b, 80), NC_NOERR);
    for (size_t i = 0; i < 80; i++)
        assert_int_equal(ncz_vlen_set(&b, i, text("")), NC_NOERR);
    assert_int_equal(ncz_vlen_take(&b, &block), NC_NOERR);
    for (int round = 0; round < 2000; round++) {
        uint64_t    at[2] = {rnd(&seed, 7), rnd(&seed, 8)};
        ptrdiff_t   steps[2] = {3, 1};
        const char *mem[6];
        ncz_piece   p = {.rank = 2, .off = at, .n = boxes, .stride = ones, .imap = steps, .nelems = 6};

        m.order = round % 2 != 0 ? fortran : NULL;
        for (size_t i = 0; i < 6; i++) {
            size_t y = at[0] + i / 3, x = at[1] + i % 3, k = m.order != NULL ? y + 8 * x : 10 * y + x;

            memset(shadow[k], 'a' + (int)rnd(&seed, 26), 15);
            shadow[k][rnd(&seed, 16)] = '\0';
            shadow[k][15] = '\0';
            mem[i] = shadow[k];
        }
        if (ncz_vlen_few((const ncz_vlen_block *)(const void *)block, &p)) {
            assert_int_equal(ncz_vlen_change(&m, &p, mem, &block), NC_NOERR);
        } else {
            assert_int_equal(ncz_vlen_put(&m, &p, 80, (const ncz_vlen_block *)(const void *)block, NULL, mem, &b),
                             NC_NOERR);
            ncz_free(block);
            assert_int_equal(ncz_vlen_take(&b, &block), NC_NOERR);
            rebuilt++;
        }
        for (size_t i = 0; i < 80; i++) {
            ncz_vlen_item got = ncz_vlen_at((const ncz_vlen_block *)(const void *)block, i);

            assert_int_equal(got.len, strlen(shadow[i]));
            if (got.len > 0)
                assert_memory_equal(got.s, shadow[i], got.len);
        }
        assert_true(ncz_vlen_nbytes((const ncz_vlen_block *)(const void *)block) < 10000);
    }
    assert_true(rebuilt > 0 && rebuilt < 200);
    ncz_free(block);
}

/* Without memory the block is as it was. */
TEST(changing_without_memory)
{
    static const char *const v[20] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    static const uint64_t    shape[] = {20}, one[] = {1};
    uint64_t                 at = 4;
    ptrdiff_t                step = 1;
    const char              *mem[] = {"another"};
    ncz_transfer             m = {.dtype = &object, .mem = ncz_type_of(NC_STRING), .chunk = shape};
    ncz_piece                p = {.rank = 1, .off = &at, .n = one, .stride = one, .imap = &step, .nelems = 1};
    ncz_buf                  b = block_of(v, 20);
    int                      rc;

    assert_true(ncz_vlen_few(ncz_vlen_in(&b), &p));
    for (size_t n = 1;; n++) {
        fail_allocation(n);
        rc = ncz_vlen_change(&m, &p, mem, &b.data);
        if (!end_failing())
            break;
        assert_int_equal(rc, NC_ENOMEM);
        check(&b, v, 20);
    }
    assert_int_equal(rc, NC_NOERR);
    assert_int_equal(ncz_vlen_at(ncz_vlen_in(&b), 4).len, 7);
    ncz_free(b.data);
}
