/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hash table of objects that hold several chunks: it keeps what it is given, and it grows and shrinks, so that few
 * entries share a bucket; with less memory it works, too.
 */
#include "support/failing_alloc.h"
#include "support/test.h"

#include "object/object_hash.h"
#include "util/util.h"

enum { MANY = 100000, LONGEST = 16 };

static uint64_t
hash_of(size_t i)
{
    return ncz_hash(&i, sizeof i);
}

static bool
is_in(const ncz_object_hash *t, const ncz_object_entry *e)
{
    const ncz_object_entry *at = ncz_object_hash_first(t, e->hash);

    while (at != NULL && at != e)
        at = at->beside;
    return at != NULL;
}

static size_t
longest_bucket(const ncz_object_hash *t)
{
    size_t most = 0;

    for (size_t b = 0; b < t->nbuckets; b++) {
        size_t n = 0;

        for (const ncz_object_entry *e = t->buckets[b]; e != NULL; e = e->beside)
            n++;
        most = n > most ? n : most;
    }
    return most;
}

TEST(many_entries)
{
    ncz_object_hash   t = {.buckets = NULL};
    ncz_object_entry *e = calloc(MANY, sizeof *e), *one = calloc(1, sizeof *one);

    assert_null(ncz_object_hash_first(&t, 0));
    for (size_t i = 0; i < MANY; i++)
        assert_int_equal(ncz_object_hash_add(&t, &e[i], hash_of(i)), NC_NOERR);
    assert_int_equal(t.n, MANY);
    assert_true(t.nbuckets >= t.n);
    assert_true(longest_bucket(&t) <= LONGEST);
    for (size_t i = 0; i < MANY; i++)
        assert_true(is_in(&t, &e[i]));
    for (size_t i = 1; i < MANY; i++)
        ncz_object_hash_del(&t, &e[i]);
    assert_true(is_in(&t, &e[0]));
    assert_false(is_in(&t, &e[1]));
    for (size_t i = 0; i < 64; i++) { /* nearly empty: each further entry halves it */
        assert_int_equal(ncz_object_hash_add(&t, one, hash_of(MANY)), NC_NOERR);
        assert_true(is_in(&t, one) && is_in(&t, &e[0]));
        ncz_object_hash_del(&t, one);
    }
    assert_int_equal(t.nbuckets, 64);
    ncz_object_hash_del(&t, &e[0]);
    assert_int_equal(t.n, 0);
    ncz_object_hash_clear(&t);
    free(e);
    free(one);
}

TEST(without_memory)
{
    enum { SOME = 1000 };
    static ncz_object_entry e[SOME];
    ncz_object_hash         t = {.buckets = NULL};

    fail_allocation(1);
    assert_int_equal(ncz_object_hash_add(&t, &e[0], hash_of(0)), NC_ENOMEM);
    assert_true(end_failing());
    assert_int_equal(t.n, 0);
    ncz_err_clear();
    for (size_t i = 0; i < SOME; i++) {
        if (i > 0)
            fail_allocation(1);
        assert_int_equal(ncz_object_hash_add(&t, &e[i], hash_of(i)), NC_NOERR); /* it does not grow, but works */
        (void)end_failing();
    }
    assert_int_equal(t.nbuckets, 64);
    for (size_t i = 0; i < SOME; i++)
        assert_true(is_in(&t, &e[i]));
    for (size_t i = 0; i < SOME; i++)
        ncz_object_hash_del(&t, &e[i]);
    ncz_object_hash_clear(&t);
}
