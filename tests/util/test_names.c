/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of names against a plain array, and the hash below it.
 */
#include "support/failing_alloc.h"
#include "support/test.h"
#include "util/util.h"

#include <stdio.h>
#include <time.h>

TEST(names_are_put_found_and_deleted)
{
    ncz_names t = NCZ_NAMES_INIT;
    size_t    i = 99;
    char      key[] = "copied";

    assert_false(ncz_names_get(&t, "a", &i));
    ncz_names_del(&t, "a");
    assert_int_equal(ncz_names_put(&t, "a", 1), NC_NOERR);
    assert_int_equal(ncz_names_put(&t, "", 2), NC_NOERR);
    assert_int_equal(ncz_names_put(&t, key, 3), NC_NOERR);
    key[0] = 'x';
    assert_true(ncz_names_get(&t, "a", &i) && i == 1);
    assert_true(ncz_names_get(&t, "", &i) && i == 2);
    assert_true(ncz_names_get(&t, "copied", &i) && i == 3);
    assert_true(ncz_names_get(&t, "a", NULL));
    assert_int_equal(ncz_names_put(&t, "a", 7), NC_NOERR);
    assert_true(ncz_names_get(&t, "a", &i) && i == 7);
    assert_int_equal(ncz_names_refer_first(&t, "a", 8), NC_NOERR);
    assert_true(ncz_names_get(&t, "a", &i) && i == 7);
    assert_int_equal(t.live, 3);
    assert_int_equal(ncz_names_refer_first(&t, "b", 9), NC_NOERR);
    assert_true(ncz_names_get(&t, "b", &i) && i == 9);
    ncz_names_del(&t, "b");
    assert_true(ncz_names_get(&t, "a", &i) && i == 7);
    ncz_names_del(&t, "a");
    assert_false(ncz_names_get(&t, "a", &i));
    assert_int_equal(i, 7);
    assert_int_equal(t.live, 2);
    ncz_names_clear(&t);
    ncz_names_clear(&t);
}

TEST(bytes_are_the_same_or_not)
{
    const char text[] = "abcdefghijklmnopqrstuvwxyz";
    char       other[sizeof text];

    for (size_t len = 0; len < sizeof text; len++) {
        memcpy(other, text, sizeof text);
        other[len] = '.'; /* beyond them */
        assert_true(ncz_same_bytes(text, other, len));
        for (size_t i = 0; i < len; i++) {
            memcpy(other, text, sizeof text);
            other[i] = '.';
            assert_false(ncz_same_bytes(text, other, len));
        }
    }
}

TEST(against_an_array)
{
    enum { N = 300 };
    ncz_names t = NCZ_NAMES_INIT;
    size_t    want[N], i, live = 0;
    uint64_t  seed = 1;
    char      name[16];

    memset(want, 0xFF, sizeof want);
    for (int step = 0; step < 200000; step++) {
        size_t k;

        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        k = (size_t)(seed >> 33) % N;
        snprintf(name, sizeof name, "n%zu", k);
        assert_int_equal(ncz_names_get(&t, name, &i), want[k] != SIZE_MAX);
        if (want[k] != SIZE_MAX)
            assert_int_equal(i, want[k]);
        if ((seed >> 20) % 3 == 0) {
            live -= want[k] != SIZE_MAX;
            want[k] = SIZE_MAX;
            ncz_names_del(&t, name);
        } else {
            live += want[k] == SIZE_MAX;
            want[k] = (size_t)step;
            assert_int_equal(ncz_names_put(&t, name, (size_t)step), NC_NOERR);
        }
        assert_int_equal(t.live, live);
    }
    assert_true(t.nslots <= 4 * N); /* what was deleted does not arena up */
    ncz_names_clear(&t);
}

TEST(many_names_are_found_fast)
{
    enum { N = 300000 };
    ncz_names t = NCZ_NAMES_INIT;
    char      name[16];
    size_t    i;
    clock_t   begin = clock();

    for (size_t k = 0; k < N; k++) {
        snprintf(name, sizeof name, "var_%zu", k);
        assert_int_equal(ncz_names_put(&t, name, k), NC_NOERR);
    }
    for (size_t k = 0; k < N; k++) {
        snprintf(name, sizeof name, "var_%zu", k);
        if (!ncz_names_get(&t, name, &i) || i != k)
            fail_msg("%s", name);
    }
    assert_false(ncz_names_get(&t, "var_", &i));
    ncz_names_clear(&t);
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 10.0);
}

TEST(out_of_memory)
{
    char name[16];

    for (size_t n = 1; n < 60; n++) {
        ncz_names t = NCZ_NAMES_INIT;
        size_t    i;

        fail_allocation(n);
        for (size_t k = 0; k < 50; k++) {
            snprintf(name, sizeof name, "n%zu", k);
            if (ncz_names_put(&t, name, k) != NC_NOERR) {
                assert_int_equal(ncz_names_put(&t, name, k), NC_NOERR); /* as if nothing had been */
            }
        }
        fail_allocation(0);
        for (size_t k = 0; k < 50; k++) {
            snprintf(name, sizeof name, "n%zu", k);
            assert_true(ncz_names_get(&t, name, &i) && i == k);
        }
        ncz_names_clear(&t);
    }
}

TEST(hashes_differ_by_bit_and_length)
{
    char     text[64];
    uint64_t seen[65];

    memset(text, 0, sizeof text);
    for (size_t len = 0; len <= 64; len++) {
        seen[len] = ncz_hash(text, len);
        assert_true(seen[len] == ncz_hash(text, len));
        for (size_t k = 0; k < len; k++)
            assert_true(seen[k] != seen[len]); /* zeros of another length are another key */
    }
    for (size_t i = 0; i < 64; i++) {
        text[i] ^= 1;
        assert_true(ncz_hash(text, 64) != seen[64]);
        text[i] ^= 1;
    }
}
