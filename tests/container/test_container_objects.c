/* SPDX-License-Identifier: BSD-3-Clause */
/* The map without commits: keys, puts and gets of each kind of array, lists, threads, and room that is free at once. */
#include "container/container_help.h"
#include "support/test.h"
#include "zmap/zmap_mem.h"

#include <pthread.h>

static zmap *
open_map(log_file *f, help_model *m)
{
    zmap *file = NULL, *map = NULL;

    help_arrays(m);
    assert_int_equal(log_file_open(f, &file), NC_NOERR);
    assert_int_equal(ncz_container_create(file, 8, 0, &map), NC_NOERR);
    assert_true(ncz_container_is(map) && !ncz_container_is(file) && ncz_container_file(map) == file);
    help_set_arrays(m, map);
    return map;
}

TEST(random_puts_and_dels_are_read_back)
{
    static help_model m;
    log_file          f = {.data = NULL};
    zmap             *map = open_map(&f, &m);

    for (unsigned i = 0; i < 3000; i++) {
        assert_int_equal(help_change(&m, map), NC_NOERR);
        if (i % 300 == 0)
            help_check_map(&m, map);
    }
    help_check_map(&m, map);
    assert_true(ncz_container_changed(map));
    assert_int_equal(zmap_close(map, ZMAP_KEEP), NC_NOERR);
    assert_int_equal(f.len, 0); /* a file without a commit is none */
    help_model_clear(&m);
    log_file_clear(&f);
}

TEST(keys_that_are_no_place_of_an_array_have_no_object)
{
    static const char *const keys[] = {"1",      "1/0",   "1/0.0.0", "1/00.0",  "1/0.",   "1/.0",
                                       "01/0.0", "7/0.0", "1/0.0/1", "a/0.0",   "3/3.0",  "3/0.1",
                                       "4/1",    "5/1",   "5/0.0",   ".zgroup", "1/0.-1", "1/0.99999999999999999999"};
    static help_model        m;
    log_file                 f = {.data = NULL};
    zmap                    *map = open_map(&f, &m);
    ncz_buf                  body = NCZ_BUF_INIT;
    uint64_t                 len;

    for (size_t i = 0; i < NCZ_LEN(keys); i++) {
        assert_int_equal(zmap_get(map, keys[i], &body), NC_EEMPTY);
        assert_int_equal(zmap_len(map, keys[i], &len), NC_EEMPTY);
        if (zmap_put(map, keys[i], "0123456789abcdef01234567", 24) != NC_EINVAL)
            fail_msg("%s was put", keys[i]);
        assert_true(ncz_err_text()[0] != '\0');
        assert_int_equal(zmap_del(map, &keys[i], 1), NC_NOERR);
    }
    assert_int_equal(zmap_put(map, "1/0.0", "", 0), NC_EINVAL);
    assert_int_equal(zmap_put(map, "3/0.0", "12", 2), NC_EINVAL);
    assert_false(ncz_container_changed(map));
    ncz_buf_clear(&body);
    zmap_close(map, ZMAP_KEEP);
    log_file_clear(&f);
}

TEST(parts_of_objects_are_read)
{
    static help_model m;
    log_file          f = {.data = NULL};
    zmap             *map = open_map(&f, &m);
    char              bytes[24], last[4];
    zmap_get_req      reqs[] = {
             {.key = "1/0.0", .off = 3, .len = 4, .into = bytes, .into_cap = 24},
             {.key = "1/0.0", .len = 4, .from_end = true, .into = last, .into_cap = 4, .ask_size = true},
             {.key = "1/0.0", .off = 20, .len = 9},
             {.key = "3/0.0", .off = 6, .len = 2, .into = bytes + 8, .into_cap = 16}};
    uint64_t len;

    assert_int_equal(zmap_put(map, "1/0.0", "abcdefghijklmnopqrstuvw", 23), NC_NOERR);
    assert_int_equal(zmap_put(map, "3/0.0", "ABCDEFGHIJKLMNOPQRSTUVWX", 24), NC_NOERR);
    assert_int_equal(zmap_get_batch(map, reqs, 4, NULL, NULL), NC_EINVAL);
    assert_memory_equal(bytes, "defg", 4);
    assert_memory_equal(last, "tuvw", 4);
    assert_true(reqs[1].size == 23);
    assert_int_equal(reqs[2].err.code, NC_EINVAL);
    assert_memory_equal(bytes + 8, "GH", 2);
    assert_int_equal(zmap_len(map, "1/0.0", &len), NC_NOERR);
    assert_true(len == 23);
    zmap_close(map, ZMAP_KEEP);
    log_file_clear(&f);
}

typedef struct replacing {
    zmap       *map;
    const char *by;
    size_t      len;
} replacing;

static void
replace(zmap_get_req *r, void *arg)
{
    const replacing *p = arg;

    assert_int_equal(r->err.code, NC_NOERR);
    assert_int_equal(zmap_put(p->map, r->key, p->by, p->len), NC_NOERR);
}

/* Each object is put again when the first of its ranges is there. */
TEST(ranges_of_an_object_come_from_one_version_of_it)
{
    enum { LARGE = 60000 };
    static const struct {
        const char *key;
        size_t      len;
    } objects[] = {{"1/0.0", 24}, {"1/0.0", LARGE}, {"3/0.0", 24}, {"4/0", 9}};
    static help_model m;
    log_file          f = {.data = NULL};
    zmap             *map = open_map(&f, &m);
    char             *old = malloc(LARGE), *now = malloc(LARGE), into[3];

    assert_true(old != NULL && now != NULL);
    memset(old, 'a', LARGE);
    memset(now, 'b', LARGE);
    for (size_t i = 0; i < NCZ_LEN(objects); i++) {
        zmap_get_req reqs[3];
        replacing    p = {map, now, objects[i].len};

        for (size_t k = 0; k < 3; k++)
            reqs[k] = (zmap_get_req){.key = objects[i].key, .off = 3 * k, .len = 1, .into = &into[k], .into_cap = 1};
        assert_int_equal(zmap_put(map, objects[i].key, old, objects[i].len), NC_NOERR);
        assert_int_equal(zmap_get_batch(map, reqs, 3, replace, &p), NC_NOERR);
        assert_memory_equal(into, "aaa", 3);
        assert_int_equal(zmap_get_batch(map, reqs, 3, NULL, NULL), NC_NOERR);
        assert_memory_equal(into, "bbb", 3);
    }
    free(old);
    free(now);
    zmap_close(map, ZMAP_KEEP);
    help_model_clear(&m);
    log_file_clear(&f);
}

TEST(the_last_piece_of_an_array_may_be_short_and_is_whole_in_a_get)
{
    static help_model m;
    log_file          f = {.data = NULL};
    zmap             *map = open_map(&f, &m);
    ncz_buf           body = NCZ_BUF_INIT;
    uint64_t          len;

    assert_int_equal(zmap_put(map, "3/2.0", "abcdefghijkl", 12), NC_NOERR); /* rows 8 and 9 of 10 */
    assert_int_equal(zmap_get(map, "3/2.0", &body), NC_NOERR);
    assert_int_equal(body.len, 24);
    assert_memory_equal(body.data, "abcdefghijkl\7\7\7\7\7\7\7\7\7\7\7\7", 24);
    assert_int_equal(zmap_len(map, "3/2.0", &len), NC_NOERR);
    assert_true(len == 24);
    ncz_buf_clear(&body);
    zmap_close(map, ZMAP_KEEP);
    log_file_clear(&f);
}

static int
note_name(const char *name, bool leaf, void *arg)
{
    ncz_buf *b = arg;

    return ncz_buf_printf(b, "%s%s ", name, leaf ? "" : "/");
}

TEST(arrays_and_their_objects_are_listed)
{
    static help_model m;
    log_file          f = {.data = NULL};
    zmap             *map = open_map(&f, &m);
    ncz_buf           names = NCZ_BUF_INIT;

    assert_int_equal(zmap_list(map, "", note_name, &names), NC_NOERR);
    assert_string_equal(ncz_buf_str(&names), "");
    assert_int_equal(zmap_put(map, "1/0.10", "x", 1), NC_NOERR);
    assert_int_equal(zmap_put(map, "1/0.2", "x", 1), NC_NOERR);
    assert_int_equal(zmap_put(map, "5/0", "12345678", 8), NC_NOERR);
    assert_int_equal(zmap_put(map, "3/1.0", "012345678901234567890123", 24), NC_NOERR);
    assert_int_equal(zmap_list(map, "", note_name, &names), NC_NOERR);
    assert_int_equal(zmap_list(map, "1", note_name, &names), NC_NOERR);
    assert_int_equal(zmap_list(map, "3", note_name, &names), NC_NOERR);
    assert_int_equal(zmap_list(map, "5", note_name, &names), NC_NOERR);
    assert_int_equal(zmap_list(map, "20", note_name, &names), NC_NOERR);
    assert_int_equal(zmap_list(map, "x", note_name, &names), NC_NOERR);
    assert_string_equal(ncz_buf_str(&names), "1/ 3/ 5/ 0.10 0.2 1.0 0 ");
    ncz_buf_clear(&names);
    zmap_close(map, ZMAP_KEEP);
    log_file_clear(&f);
}

TEST(arrays_that_hdf5_cannot_have_are_refused)
{
    static help_model         m;
    log_file                  f = {.data = NULL};
    zmap                     *map = open_map(&f, &m);
    const ncz_container_array bad[] = {
        {.uid = 9, .kind = NCZ_HDF5_CHUNKED, .rank = 0, .element = 1},
        {.uid = 9, .kind = NCZ_HDF5_CHUNKED, .rank = 1, .element = 1, .chunk = {0}},
        {.uid = 9, .kind = NCZ_HDF5_CHUNKED, .rank = 1, .element = 0, .chunk = {1}},
        {.uid = 9, .kind = NCZ_HDF5_CHUNKED, .rank = 2, .element = 8, .chunk = {1 << 20, 1 << 10}},
        {.uid = 9, .kind = NCZ_HDF5_CHUNKED, .rank = 33, .element = 1},
        {.uid = 9, .kind = NCZ_HDF5_VIRTUAL, .rank = 1, .element = 1, .chunk = {1}},
        {.uid = 9, .kind = NCZ_HDF5_CONTIGUOUS, .rank = 2, .element = 1, .shape = {4, 4}, .chunk = {2, 2}},
        {.uid = 9, .kind = NCZ_HDF5_CONTIGUOUS, .rank = 1, .element = 1, .shape = {4}, .chunk = {0}},
        {.uid = 9,
         .kind = NCZ_HDF5_CONTIGUOUS,
         .rank = 2,
         .element = 8,
         .shape = {UINT64_MAX / 2, 4},
         .chunk = {1, 4}},
        {.uid = 9, .kind = NCZ_HDF5_COMPACT, .rank = 1, .element = 1, .shape = {70000}, .chunk = {70000}},
    };

    for (size_t i = 0; i < NCZ_LEN(bad); i++)
        if (ncz_container_set(map, &bad[i]) != NC_EINVAL || ncz_err_text()[0] == '\0')
            fail_msg("array %zu was added", i);
    assert_false(ncz_container_has(map, 9));
    assert_int_equal(zmap_put(map, "1/0.0", "x", 1), NC_NOERR);
    assert_int_equal(ncz_container_set(map, &m.arrays[0]), NC_EINVAL); /* it has a chunk */
    assert_int_equal(ncz_container_set(map, &m.arrays[1]), NC_NOERR);
    zmap_close(map, ZMAP_KEEP);
    log_file_clear(&f);
}

TEST(room_of_what_no_commit_names_is_free_at_once)
{
    static help_model  m;
    log_file           f = {.data = NULL};
    zmap              *map = open_map(&f, &m);
    ncz_container_sums before, after;

    ncz_container_count(map, &before);
    for (unsigned i = 0; i < 1000; i++)
        assert_int_equal(help_change(&m, map), NC_NOERR);
    for (size_t i = 0; i < m.narrays; i++)
        assert_int_equal(ncz_container_drop(map, m.arrays[i].uid), NC_NOERR);
    assert_int_equal(ncz_container_drop(map, 77), NC_NOERR);
    assert_false(ncz_container_has(map, 1));
    ncz_container_count(map, &after);
    assert_true(after.end == before.end && after.free == before.free && after.given_up == 0 && after.lost == 0);
    help_model_clear(&m);
    zmap_close(map, ZMAP_KEEP);
    log_file_clear(&f);
}

TEST(many_arrays_are_found_and_removed)
{
    static help_model   m;
    log_file            f = {.data = NULL};
    zmap               *map = open_map(&f, &m);
    ncz_container_array a = {.kind = NCZ_HDF5_CHUNKED, .rank = 1, .element = 1, .chunk = {4}};

    for (a.uid = 100; a.uid < 1100; a.uid++)
        assert_int_equal(ncz_container_set(map, &a), NC_NOERR);
    for (uint64_t uid = 100; uid < 1100; uid += 3)
        assert_int_equal(ncz_container_drop(map, uid), NC_NOERR);
    for (uint64_t uid = 100; uid < 1100; uid++)
        assert_int_equal(ncz_container_has(map, uid), (uid - 100) % 3 != 0);
    zmap_close(map, ZMAP_KEEP);
    log_file_clear(&f);
}

/* ---- threads ---- */

enum { THREADS = 8, ROUNDS = 300, OWN = 12 };

typedef struct worker {
    pthread_t thread;
    zmap     *map;
    unsigned  number;
} worker;

/* All bytes of an object are the same, and say who wrote it. */
static void *
put_and_get(void *arg)
{
    worker  *w = arg;
    uint32_t seed = w->number;
    char    *bytes = malloc(70000);

    for (unsigned i = 0; i < ROUNDS; i++) {
        size_t  len = 1 + help_draw(&seed, i % 5 == 0 ? 70000 : 300);
        ncz_buf body = NCZ_BUF_INIT;
        char    key[40];

        /* Of one object all threads write. */
        (void)snprintf(key, sizeof key, "1/%u.%u", i % 7 == 0 ? 99 : w->number, i % 7 == 0 ? 0 : i % OWN);
        memset(bytes, (int)w->number + 1, len);
        if (zmap_put(w->map, key, bytes, len) != NC_NOERR || zmap_get(w->map, key, &body) != NC_NOERR)
            return (void *)"a call failed";
        for (size_t k = 1; k < body.len; k++)
            if (body.data[k] != body.data[0])
                return (void *)"an object has bytes of two puts";
        if (i % 7 != 0 && (body.len != len || body.data[0] != bytes[0]))
            return (void *)"an object is not the one that was put";
        ncz_buf_clear(&body);
    }
    free(bytes);
    return NULL;
}

TEST(eight_threads_put_and_get)
{
    static help_model m;
    log_file          f = {.data = NULL};
    zmap             *map = open_map(&f, &m);
    worker            workers[THREADS];
    size_t            n = 0;

    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (worker){.map = map, .number = i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, put_and_get, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        void *why = NULL;

        assert_int_equal(pthread_join(workers[i].thread, &why), 0);
        if (why != NULL)
            fail_msg("%s", (const char *)why);
    }
    for (unsigned i = 0; i < THREADS; i++)
        for (uint64_t k = 0; k < OWN; k++) {
            char     key[40];
            uint64_t len;

            (void)snprintf(key, sizeof key, "1/%u.%u", i, (unsigned)k);
            assert_int_equal(zmap_len(map, key, &len), NC_NOERR);
            n++;
        }
    assert_int_equal(n, THREADS * OWN);
    zmap_close(map, ZMAP_KEEP);
    log_file_clear(&f);
}

static void *
put_and_get_one_piece(void *arg)
{
    worker *w = arg;
    char   *bytes = malloc(30000);

    memset(bytes, (int)w->number + 1, 30000);
    for (unsigned i = 0; i < ROUNDS; i++) {
        ncz_buf body = NCZ_BUF_INIT;

        if ((i % 2 == 0 && zmap_put(w->map, "6/1", bytes, 30000) != NC_NOERR) ||
            zmap_get(w->map, "6/1", &body) != NC_NOERR)
            return (void *)"a call failed";
        for (size_t k = 1; k < body.len; k++)
            if (body.data[k] != body.data[0])
                return (void *)"a piece has bytes of two puts";
        ncz_buf_clear(&body);
    }
    free(bytes);
    return NULL;
}

/* The file takes each put in two halves, and lets others run in between. */
TEST(a_get_sees_no_half_of_a_piece_that_is_put_in_place)
{
    static help_model m;
    log_file          f = {.halves = true};
    zmap             *map = open_map(&f, &m);
    worker            workers[THREADS];

    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (worker){.map = map, .number = i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, put_and_get_one_piece, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        void *why = NULL;

        assert_int_equal(pthread_join(workers[i].thread, &why), 0);
        if (why != NULL)
            fail_msg("%s", (const char *)why);
    }
    zmap_close(map, ZMAP_KEEP);
    help_model_clear(&m);
    log_file_clear(&f);
}

/* Chunks that come from another store: small ones wait, large ones lie as they do in the source's pages. */
TEST(chunks_come_from_another_store)
{
    static help_model m;
    enum { LARGE = 300000 };
    log_file        f = {.data = NULL};
    zmap           *map = open_map(&f, &m), *from = NULL;
    char           *bytes = malloc(LARGE + 5000);
    ncz_buf         body = NCZ_BUF_INIT;
    const size_t    lens[] = {100, 20000, LARGE};
    ncz_hdf5_layout layout;

    assert_non_null(bytes);
    for (size_t i = 0; i < LARGE + 5000; i++)
        bytes[i] = (char)(i * 3 + i / 255);
    assert_int_equal(zmap_mem_open(&from), NC_NOERR);
    assert_int_equal(zmap_put(from, "k", bytes, LARGE + 5000), NC_NOERR);
    for (size_t i = 0; i < NCZ_LEN(lens); i++) {
        const uint64_t at[] = {i, 0};
        zmap_source    source = {from, "k", 1234};

        assert_int_equal(zmap_copy(map, help_key(&m, 1, at), &source, lens[i]), NC_NOERR);
        assert_int_equal(zmap_get(map, help_key(&m, 1, at), &body), NC_NOERR);
        assert_int_equal(body.len, lens[i]);
        assert_memory_equal(body.data, bytes + 1234, lens[i]);
        ncz_buf_reset(&body);
        source.off = LARGE + 4990;
        assert_int_equal(zmap_copy(map, help_key(&m, 1, at), &source, lens[i]), NC_ETRUNC);
        assert_int_equal(zmap_get(map, help_key(&m, 1, at), &body), NC_NOERR); /* it is still there */
        assert_int_equal(body.len, lens[i]);
        ncz_buf_reset(&body);
    }
    assert_int_equal(ncz_container_layout(map, 1, &layout), NC_NOERR);
    assert_int_equal(zmap_close(from, ZMAP_KEEP), NC_NOERR);
    assert_int_equal(zmap_close(map, ZMAP_KEEP), NC_NOERR);
    ncz_buf_clear(&body);
    free(bytes);
    help_model_clear(&m);
    log_file_clear(&f);
}
