/* SPDX-License-Identifier: BSD-3-Clause */
/* The checker of histories on small ones written by hand: what could have been, and what could not. */
#include "support/test.h"

#include "history.h"

enum { REGS = 4 };

/* One call: from, to, put or get, and the stamps of registers 0 to 3; NONE where it does not touch them. */
#define NONE UINT32_MAX
#define PUT  true
#define GET  false

typedef struct call {
    uint64_t from, to;
    bool     put;
    uint32_t stamp[REGS];
} call;

/* Registers 0 and 1 are of one chunk, 2 and 3 each of its own. */
static bool
possible(const call *c, size_t n)
{
    static const uint32_t chunk_of[REGS] = {0, 0, 1, 2};
    hist                  h[2] = {{.nops = 0}, {.nops = 0}};
    char                  why[200] = "";
    bool                  fine;

    for (size_t i = 0; i < n; i++) {
        hist    *one = &h[i % 2];
        uint32_t op = hist_begin(one);

        hist_end(one, op);
        one->ops[op] = (hist_op){c[i].from, c[i].to};
        for (uint32_t r = 0; r < REGS; r++)
            if (c[i].stamp[r] != NONE)
                hist_add(one, op, r, c[i].stamp[r], c[i].put);
    }
    fine = hist_check(h, 2, chunk_of, REGS, why, sizeof why);
    assert_int_equal(fine, why[0] == '\0');
    hist_clear(&h[0]);
    hist_clear(&h[1]);
    return fine;
}

#define CALLS(...)      (const call[]){__VA_ARGS__}, sizeof((const call[]){__VA_ARGS__}) / sizeof(call)
#define POSSIBLE(...)   assert_true(possible(CALLS(__VA_ARGS__)))
#define IMPOSSIBLE(...) assert_false(possible(CALLS(__VA_ARGS__)))

#define ONLY2(stamp)                                                                                                 \
    {                                                                                                                \
        NONE, NONE, stamp, NONE                                                                                      \
    }

TEST(one_register)
{
    POSSIBLE({1, 2, GET, ONLY2(0)}, {3, 4, PUT, ONLY2(7)}, {5, 6, GET, ONLY2(7)});
    IMPOSSIBLE({1, 2, GET, ONLY2(7)}, {3, 4, PUT, ONLY2(7)});
    IMPOSSIBLE({1, 2, PUT, ONLY2(7)}, {3, 4, GET, ONLY2(8)});
    IMPOSSIBLE({1, 2, PUT, ONLY2(7)}, {3, 4, GET, ONLY2(0)});
    IMPOSSIBLE({1, 2, PUT, ONLY2(7)}, {3, 4, PUT, ONLY2(8)}, {5, 6, GET, ONLY2(7)});
    IMPOSSIBLE({1, 2, PUT, ONLY2(7)}, {3, 4, PUT, ONLY2(7)});
}

TEST(calls_that_overlap)
{
    /* While a put is under way both values are possible, but once the new one was seen the old one is gone. */
    POSSIBLE({1, 10, PUT, ONLY2(7)}, {2, 3, GET, ONLY2(0)}, {4, 5, GET, ONLY2(7)});
    IMPOSSIBLE({1, 10, PUT, ONLY2(7)}, {2, 3, GET, ONLY2(7)}, {4, 5, GET, ONLY2(0)});
    /* Two puts side by side: either may be the last, for all alike. */
    POSSIBLE({1, 10, PUT, ONLY2(7)}, {2, 9, PUT, ONLY2(8)}, {11, 12, GET, ONLY2(7)}, {13, 14, GET, ONLY2(7)});
    POSSIBLE({1, 10, PUT, ONLY2(7)}, {2, 9, PUT, ONLY2(8)}, {11, 12, GET, ONLY2(8)});
    IMPOSSIBLE({1, 10, PUT, ONLY2(7)}, {2, 9, PUT, ONLY2(8)}, {11, 12, GET, ONLY2(7)}, {13, 14, GET, ONLY2(8)});
    /* A put within the stay of another value, which was never seen to go. */
    IMPOSSIBLE({1, 2, PUT, ONLY2(7)}, {3, 4, PUT, ONLY2(8)}, {3, 9, GET, ONLY2(7)}, {5, 6, GET, ONLY2(8)},
               {7, 8, GET, ONLY2(7)});
}

TEST(fill_again)
{
    POSSIBLE({1, 2, PUT, ONLY2(7)}, {3, 4, PUT, ONLY2(0)}, {5, 6, GET, ONLY2(0)}, {7, 8, PUT, ONLY2(9)},
             {8, 11, PUT, ONLY2(0)}, {9, 10, GET, ONLY2(9)}, {9, 12, GET, ONLY2(0)});
    IMPOSSIBLE({1, 2, PUT, ONLY2(0)}, {3, 4, PUT, ONLY2(7)}, {5, 6, GET, ONLY2(0)});
    IMPOSSIBLE({1, 2, PUT, ONLY2(7)}, {3, 4, PUT, ONLY2(0)}, {5, 6, GET, ONLY2(7)});
    IMPOSSIBLE({1, 2, PUT, ONLY2(0)}, {5, 6, GET, ONLY2(7)}, {7, 8, PUT, ONLY2(7)});
    IMPOSSIBLE({1, 2, PUT, ONLY2(0)}, {5, 6, GET, ONLY2(9)});
}

TEST(chunks_are_seen_whole)
{
    POSSIBLE({1, 10, PUT, {7, 7, NONE, NONE}}, {2, 9, GET, {7, 7, NONE, NONE}});
    IMPOSSIBLE({1, 10, PUT, {7, 7, NONE, NONE}}, {2, 9, GET, {7, 0, NONE, NONE}});
    IMPOSSIBLE({1, 10, PUT, {7, 7, NONE, NONE}}, {2, 9, GET, {0, 7, NONE, NONE}});
    /* Two puts of the whole chunk at once: not one half each. */
    IMPOSSIBLE({1, 10, PUT, {7, 7, NONE, NONE}}, {2, 9, PUT, {8, 8, NONE, NONE}}, {3, 12, GET, {7, 8, NONE, NONE}});
    /* A put of half a chunk beside one of all of it. */
    POSSIBLE({1, 10, PUT, {7, 7, NONE, NONE}}, {2, 9, PUT, {8, NONE, NONE, NONE}}, {3, 12, GET, {8, 7, NONE, NONE}});
    POSSIBLE({1, 10, PUT, {7, 7, NONE, NONE}}, {2, 9, PUT, {NONE, 8, NONE, NONE}}, {3, 12, GET, {7, 8, NONE, NONE}});
    IMPOSSIBLE({1, 2, PUT, {8, NONE, NONE, NONE}}, {3, 10, PUT, {7, 7, NONE, NONE}}, {4, 9, GET, {8, 7, NONE, NONE}});
    /* Fill over half a put, and none there at all. */
    POSSIBLE({1, 2, PUT, {7, 7, NONE, NONE}}, {3, 4, PUT, {NONE, 0, NONE, NONE}}, {5, 6, GET, {7, 0, NONE, NONE}});
    IMPOSSIBLE({1, 2, PUT, {NONE, 0, NONE, NONE}}, {3, 8, PUT, {7, 7, NONE, NONE}}, {5, 6, GET, {7, 0, NONE, NONE}});
    /* Registers of two chunks are two things. */
    POSSIBLE({1, 10, PUT, {NONE, NONE, 7, 7}}, {2, 9, GET, {NONE, NONE, 7, 0}});
}
