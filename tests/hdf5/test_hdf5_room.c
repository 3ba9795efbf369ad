/* SPDX-License-Identifier: BSD-3-Clause */
/* The free room of a file against a map of its bytes: nothing is handed out twice, and what a commit names is not
 * handed out before the second commit after it was given up. */
#include "hdf5/hdf5_tree.h"
#include "support/failing_alloc.h"
#include "support/test.h"

enum { BYTES = 1 << 16, RANGES = 300, START = 100 };

/* State of each byte: 0 free; 1 taken; 2 given up, by the next commit; 3 by an earlier one. */
typedef struct model {
    unsigned char state[BYTES];
    struct {
        uint64_t addr, len;
        uint32_t stamp;
    } taken[RANGES];
    size_t   n;
    uint32_t seed;
} model;

static uint32_t
draw(model *m, uint32_t below)
{
    m->seed = m->seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)m->seed * below >> 32);
}

static uint64_t
first_fit(const model *m, uint64_t n, uint64_t align)
{
    for (uint64_t at = (START + align - 1) / align * align; at + n <= BYTES; at += align) {
        uint64_t i = 0;

        while (i < n && m->state[at + i] == 0)
            i++;
        if (i == n)
            return at;
    }
    return BYTES;
}

static void
take(model *m, ncz_hdf5_room *r)
{
    uint64_t n = 1 + draw(m, draw(m, 4) == 0 ? 900 : 60), align = draw(m, 2) == 0 ? 1 : 8, addr;

    assert_int_equal(ncz_hdf5_room_take(r, n, align, &addr), NC_NOERR);
    assert_true(addr % align == 0 && addr >= START && addr + n <= BYTES);
    assert_true(addr == first_fit(m, n, align));
    memset(m->state + addr, 1, (size_t)n);
    m->taken[m->n].addr = addr;
    m->taken[m->n].len = n;
    m->taken[m->n++].stamp = ncz_hdf5_room_stamp(r);
}

static void
give(model *m, ncz_hdf5_room *r)
{
    size_t i = draw(m, (uint32_t)m->n);
    bool   now = m->taken[i].stamp == ncz_hdf5_room_stamp(r);

    ncz_hdf5_room_give(r, m->taken[i].addr, m->taken[i].len, m->taken[i].stamp);
    memset(m->state + m->taken[i].addr, now ? 0 : 2, (size_t)m->taken[i].len);
    m->taken[i] = m->taken[--m->n];
}

static void
commit(model *m, ncz_hdf5_room *r, bool known)
{
    ncz_hdf5_room_publish(r);
    if (!known)
        return;
    ncz_hdf5_room_committed(r, 0, 0);
    for (size_t i = 0; i < BYTES; i++)
        m->state[i] = m->state[i] == 3 ? 0 : m->state[i] == 2 ? 3 : m->state[i];
}

static void
check_sums(const model *m, const ncz_hdf5_room *r)
{
    ncz_hdf5_room_sums s;
    uint64_t           free = 0, given = 0, end = START, live = START, found;

    for (uint64_t i = START; i < BYTES; i++) {
        end = m->state[i] != 0 ? i + 1 : end;
        live = m->state[i] == 1 ? i + 1 : live;
        given += m->state[i] > 1;
    }
    for (uint64_t i = START; i < end; i++)
        free += m->state[i] == 0;
    ncz_hdf5_room_count(r, &s);
    assert_true(s.free == free && s.given_up == given && s.lost == 0);
    assert_true(ncz_hdf5_room_end(r) == end);
    assert_int_equal(ncz_hdf5_room_live_end(r, &found), NC_NOERR);
    assert_true(found == live);
}

static void
cut(model *m, ncz_hdf5_room *r)
{
    uint64_t live;

    assert_int_equal(ncz_hdf5_room_live_end(r, &live), NC_NOERR);
    ncz_hdf5_room_cut(r, live);
    memset(m->state + live, 0, (size_t)(BYTES - live));
    check_sums(m, r);
}

TEST(room_is_that_of_a_map_of_all_bytes)
{
    static model m;

    for (uint32_t seed = 1; seed <= 20; seed++) {
        ncz_hdf5_room *r = NULL;

        m = (model){.seed = seed};
        assert_int_equal(ncz_hdf5_room_new(START, &r), NC_NOERR);
        for (unsigned i = 0; i < 1500; i++) {
            uint32_t what = draw(&m, 100);

            if (m.n < 8 || (what < 50 && m.n < 100))
                take(&m, r);
            else if (what < 94)
                give(&m, r);
            else if (what < 99)
                commit(&m, r, what < 98);
            else
                cut(&m, r);
            if (i % 50 == 0)
                check_sums(&m, r);
        }
        ncz_hdf5_room_free(r);
    }
}

TEST(room_waits_for_its_time)
{
    ncz_hdf5_room     *r = NULL;
    uint64_t           a, b;
    ncz_hdf5_room_sums s;

    assert_int_equal(ncz_hdf5_room_new(0, &r), NC_NOERR);
    assert_int_equal(ncz_hdf5_room_take(r, 10, 1, &a), NC_NOERR);
    assert_int_equal(ncz_hdf5_room_take(r, 10, 1, &b), NC_NOERR);
    ncz_hdf5_room_publish(r);
    ncz_hdf5_room_committed(r, 1000, 60);
    ncz_hdf5_room_give(r, a, 10, 1);
    for (int64_t now = 1010; now < 1090; now += 20) {
        ncz_hdf5_room_publish(r);
        ncz_hdf5_room_committed(r, now, now == 1030 ? -1 : 60);
        ncz_hdf5_room_count(r, &s);
        assert_int_equal(s.free, now < 1070 ? 0 : 10);
    }
    ncz_hdf5_room_hold(r, b, 10, 1090);
    ncz_hdf5_room_count(r, &s);
    assert_int_equal(s.given_up, 10);
    ncz_hdf5_room_committed(r, 1090, 0);
    assert_int_equal(ncz_hdf5_room_end(r), 0);
    ncz_hdf5_room_free(r);
}

TEST(no_file_is_longer_than_an_offset)
{
    ncz_hdf5_room *r = NULL;
    uint64_t       addr = 7;

    assert_int_equal(ncz_hdf5_room_new(INT64_MAX - 8, &r), NC_NOERR);
    assert_int_equal(ncz_hdf5_room_take(r, 16, 8, &addr), NC_ENOMEM);
    assert_int_equal(ncz_hdf5_room_take(r, UINT64_MAX, 1, &addr), NC_ENOMEM);
    assert_int_equal(addr, 7);
    assert_int_equal(ncz_hdf5_room_take(r, 8, 1, &addr), NC_NOERR);
    ncz_hdf5_room_free(r);
    ncz_hdf5_room_free(NULL);
}

TEST(without_memory_room_is_lost_and_counted)
{
    ncz_hdf5_room     *r = NULL;
    uint64_t           addr[200];
    ncz_hdf5_room_sums s;

    assert_int_equal(ncz_hdf5_room_new(0, &r), NC_NOERR);
    for (unsigned i = 0; i < 200; i++)
        assert_int_equal(ncz_hdf5_room_take(r, 2, 1, &addr[i]), NC_NOERR);
    ncz_hdf5_room_publish(r);
    fail_allocations_from(1);
    for (unsigned i = 0; i < 200; i++)
        ncz_hdf5_room_give(r, addr[i], 2, 1);
    assert_int_equal(ncz_hdf5_room_ready(r, 1), NC_ENOMEM);
    assert_true(end_failing());
    ncz_hdf5_room_count(r, &s);
    assert_true(s.given_up >= 2 * NCZ_HDF5_ROOM_READY && s.given_up + s.lost == 400);
    ncz_hdf5_room_free(r);
}
