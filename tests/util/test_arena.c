/* SPDX-License-Identifier: BSD-3-Clause */
/* An arena's memory is aligned and valid until the arena is cleared; NULL when memory has run out. */
#include "support/test.h"
#include "util/util.h"

enum { PIECES = 4000 };

TEST(pieces_stay)
{
    ncz_arena      arena = NCZ_ARENA_INIT, other = NCZ_ARENA_INIT;
    unsigned char *p[PIECES];
    char          *text[PIECES];

    for (size_t i = 0; i < PIECES; i++) {
        ncz_arena *from = i % 2 == 0 ? &arena : &other;

        p[i] = ncz_arena_get(from, i % 97);
        text[i] = ncz_arena_text(from, "0123456789", i % 11);
        assert_true(p[i] != NULL && text[i] != NULL && (uintptr_t)p[i] % 8 == 0);
        memset(p[i], (int)(i & 0xff), i % 97);
    }
    p[5] = ncz_arena_get(&arena, (size_t)1 << 20); /* more than a block */
    memset(p[5], 5, (size_t)1 << 20);
    ncz_arena_join(&arena, &other);
    ncz_arena_clear(&other); /* empty by now */
    for (size_t i = 0; i < PIECES; i++) {
        for (size_t k = 0; k < i % 97; k++)
            assert_int_equal(p[i][k], i & 0xff);
        assert_int_equal(strlen(text[i]), i % 11);
        assert_memory_equal(text[i], "0123456789", i % 11);
    }
    ncz_arena_clear(&arena);
    ncz_arena_clear(&arena);
}

TEST(there_is_no_memory)
{
    ncz_arena arena = NCZ_ARENA_INIT;

    assert_null(ncz_arena_get(&arena, SIZE_MAX));
    assert_null(ncz_arena_get(&arena, SIZE_MAX - 8));
    assert_null(ncz_arena_get_n(&arena, SIZE_MAX / 2, 3));
    assert_non_null(ncz_arena_get_n(&arena, 0, 8));
    ncz_arena_clear(&arena);
}
