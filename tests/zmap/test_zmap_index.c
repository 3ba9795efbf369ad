/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ordered index of keys, against a plain sorted array.
 */
#include "zmap/zmap_int.h"

#include "support/test.h"

static bool
add(zmap_index *ix, const char *key)
{
    zmap_node *node = zmap_node_new(ix, key, strlen(key), NULL);

    if (zmap_index_link(ix, node))
        return true;
    zmap_node_free(node);
    return false;
}

static const char *
seek(const zmap_index *ix, const char *key)
{
    const zmap_node *node = zmap_index_seek(ix, key, strlen(key));

    return node != NULL ? node->key : "";
}

static const char *
past(const zmap_index *ix, const char *key)
{
    const zmap_node *node = zmap_index_past(ix, key, strlen(key));

    return node != NULL ? node->key : "";
}

TEST(keys_are_in_order)
{
    static const char *const sorted[] = {"a", "a/b", "a/b/c", "a/bb", "a-b", "a.", "a0", "b", "\xc3\xa9"};
    zmap_index               ix = {.n = 0};
    size_t                   i = 0;

    for (size_t k = 0; k < NCZ_LEN(sorted); k++)
        assert_true(add(&ix, sorted[k * 4 % NCZ_LEN(sorted)]));
    assert_false(add(&ix, "a/b"));
    assert_int_equal(ix.n, NCZ_LEN(sorted));
    for (const zmap_node *node = ix.head[0]; node != NULL; node = node->next[0])
        assert_string_equal(node->key, sorted[i++]);
    assert_int_equal(i, NCZ_LEN(sorted));
    assert_string_equal(seek(&ix, "a/b"), "a/b");
    assert_string_equal(seek(&ix, "a/a"), "a/b");
    assert_string_equal(seek(&ix, "a/c"), "a-b");
    assert_string_equal(seek(&ix, "\xff"), "");
    assert_string_equal(seek(&ix, ""), "a");
    assert_string_equal(past(&ix, "a"), "a-b");
    assert_string_equal(past(&ix, "a/b"), "a/bb");
    assert_string_equal(past(&ix, "a0"), "b");
    assert_string_equal(past(&ix, ""), "");
    assert_string_equal(zmap_index_find(&ix, "a/bbb", 4)->key, "a/bb"); /* only what the length says is looked at */
    assert_null(zmap_index_find(&ix, "a/", 2));

    i = NCZ_LEN(sorted);
    for (zmap_node *node = zmap_index_drain(&ix), *next; node != NULL; node = next) {
        next = node->next[0];
        assert_string_equal(node->key, sorted[--i]);
        zmap_node_free(node);
    }
    assert_int_equal(i, 0);
    assert_null(ix.head[0]);
}

/* A key that is above others is a child twice. */
TEST(children_are_listed_once)
{
    static const char *const keys[] = {"w", "w/.zarray", "w/0", "x", "y/z", "y/z/a"};
    static const char *const wanted[] = {"w", "w/", "x", "y/"};
    zmap_index               ix = {.n = 0};
    zmap_children            found = {NULL, 0, 0};

    for (size_t k = 0; k < NCZ_LEN(keys); k++)
        assert_true(add(&ix, keys[k]));
    assert_int_equal(zmap_index_children(&ix, "", &found), NC_NOERR);
    assert_int_equal(found.n, NCZ_LEN(wanted));
    for (size_t i = 0; i < found.n; i++) {
        size_t len = strlen(found.items[i].name);

        assert_memory_equal(found.items[i].name, wanted[i], len);
        assert_string_equal(wanted[i] + len, found.items[i].leaf ? "" : "/");
    }
    zmap_children_clear(&found);
    zmap_index_clear(&ix);
}

TEST(keys_below_a_prefix_are_known)
{
    assert_true(zmap_key_below("a/b", "a", 1));
    assert_true(zmap_key_below("a/b/c", "a", 1));
    assert_true(zmap_key_below("a", "", 0));
    assert_false(zmap_key_below("a", "a", 1));
    assert_false(zmap_key_below("ab", "a", 1));
    assert_false(zmap_key_below("a", "a/b", 3));
    assert_false(zmap_key_below("", "", 0));
}

enum { KEYS = 2000, STEPS = 40000 };

TEST(random_changes_keep_the_index_right)
{
    zmap_index ix = {.n = 0};
    bool       there[KEYS] = {false};
    size_t     n = 0;
    unsigned   seed = 12345;

    for (int i = 0; i < STEPS; i++) {
        char       key[32];
        unsigned   k = (seed = seed * 1103515245 + 12345) / 65536 % KEYS;
        zmap_node *node;

        snprintf(key, sizeof key, "%u/%u.%u", k % 10, k, k * 7);
        if (seed & 0x8000) {
            assert_int_equal(add(&ix, key), !there[k]);
            n += !there[k];
            there[k] = true;
        } else {
            node = zmap_index_unlink(&ix, key, strlen(key));
            assert_int_equal(node != NULL, there[k]);
            n -= there[k];
            there[k] = false;
            zmap_node_free(node);
        }
        assert_int_equal(ix.n, n);
    }
    for (unsigned k = 0; k < KEYS; k++) {
        char key[32];

        snprintf(key, sizeof key, "%u/%u.%u", k % 10, k, k * 7);
        assert_int_equal(zmap_index_find(&ix, key, strlen(key)) != NULL, there[k]);
    }
    zmap_index_clear(&ix);
    zmap_index_clear(&ix);
}

/* Keys in order, as chunks often come, must not make a list of it. */
TEST(keys_in_order_stay_fast)
{
    zmap_index ix = {.n = 0};
    unsigned   most = 0;

    for (int i = 0; i < 200000; i++) {
        char key[16];

        snprintf(key, sizeof key, "c/%06d", i);
        assert_true(add(&ix, key));
    }
    for (const zmap_node *node = ix.head[0]; node != NULL; node = node->next[0])
        most = node->height > most ? node->height : most;
    assert_true(most >= 7 && most <= 14); /* log4 of 200000 is 8.8 */
    zmap_index_clear(&ix);
}
