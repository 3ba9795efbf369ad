/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What threads keep between chunks: it changes no byte of what is encoded, survives failures, is no other thread's,
 * and is given back when the thread ends (leak checkers see to that).
 */
#include "filter_testing.h"

#include <pthread.h>

#include "codecs/thread_cache_int.h"

#define N 60000

static const char *const codecs[] = {
    "{\"id\": \"zstd\", \"level\": 1}",
    "{\"id\": \"zstd\", \"level\": 19}",
    "{\"id\": \"zlib\", \"level\": 1}",
    "{\"id\": \"gzip\", \"level\": 6}",
    "{\"id\": \"blosc\", \"cname\": \"lz4\", \"shuffle\": 1}",
    "{\"id\": \"blosc\", \"cname\": \"zstd\", \"shuffle\": 2}",
    "{\"id\": \"blosc\", \"cname\": \"zlib\", \"shuffle\": 1}",
};

static const ncz_array_type env = {.dtype = {.kind = NCZ_KIND_INT, .size = 4}, .chunk_bytes = N};

static ncz_chain *
chain_at(size_t i)
{
    ncz_json  *json = json_of(codecs[i]);
    ncz_chain *c = NULL;

    assert_int_equal(ncz_chain_parse(NULL, json, &env, NCZ_CONFIG_CALLER, 4, &c), NC_NOERR);
    ncz_json_free(json);
    return c;
}

static void
fill(unsigned char *data, uint32_t seed)
{
    uint32_t walk = seed;

    for (size_t i = 0; i < N; i++)
        data[i] = (unsigned char)(i % 4 < 2 ? (walk += noise(&seed) % 3) >> 8 * (i % 4) : i >> 12);
}

/* One thread: everything there and back, with objects cut short in between. No cmocka in here. */
static void *
work(void *arg)
{
    ncz_chain    **chains = arg;
    unsigned char *data = malloc(N), *back = malloc(N);
    ncz_buf        object = NCZ_BUF_INIT;
    size_t         wrong = data == NULL || back == NULL;

    for (size_t round = 0; wrong == 0 && round < 3 * NCZ_LEN(codecs); round++) {
        ncz_chain *c = chains[round % NCZ_LEN(codecs)];

        fill(data, (uint32_t)round + 1);
        if (ncz_chain_usable(c) != NC_NOERR)
            continue;
        wrong += ncz_chain_encode(c, NULL, data, N, &object) != NC_NOERR;
        wrong += ncz_chain_decode(c, NULL, object.data, object.len / 2, back, N, false) != NC_EFILTER;
        wrong += ncz_chain_decode(c, NULL, object.data, object.len, back, N, false) != NC_NOERR;
        wrong += memcmp(back, data, N) != 0;
    }
    ncz_buf_clear(&object);
    free(data);
    free(back);
    return (void *)(uintptr_t)wrong;
}

TEST(threads_encode_at_the_same_time)
{
    ncz_chain *chains[NCZ_LEN(codecs)];
    pthread_t  threads[6];

    for (size_t i = 0; i < NCZ_LEN(codecs); i++)
        chains[i] = chain_at(i);
    for (size_t i = 0; i < NCZ_LEN(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, chains), 0);
    for (size_t i = 0; i < NCZ_LEN(threads); i++) {
        void *wrong;

        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    for (size_t i = 0; i < NCZ_LEN(codecs); i++)
        ncz_chain_unref(chains[i]);
}

typedef struct encoding {
    ncz_chain           *chain;
    const unsigned char *data;
    ncz_buf              out;
    int                  rc;
} encoding;

static void *
encode_alone(void *arg)
{
    encoding *e = arg;

    e->rc = ncz_chain_encode(e->chain, NULL, e->data, N, &e->out);
    return NULL;
}

/* A thread that has encoded much else before gives the same bytes as one that has not. */
TEST(earlier_work_does_not_change_the_bytes)
{
    unsigned char *data = malloc(N), *other = malloc(N);
    ncz_buf        object = NCZ_BUF_INIT;

    assert_true(data != NULL && other != NULL);
    for (size_t i = 0; i < NCZ_LEN(codecs); i++) {
        encoding  e = {.chain = chain_at(i), .data = data, .out = NCZ_BUF_INIT};
        pthread_t thread;

        fill(data, 77);
        for (uint32_t seed = 1; seed < 5 && ncz_chain_usable(e.chain) == NC_NOERR; seed++) {
            fill(other, seed * 1000);
            assert_int_equal(ncz_chain_encode(e.chain, NULL, other, N / seed, &object), NC_NOERR);
        }
        assert_int_equal(pthread_create(&thread, NULL, encode_alone, &e), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(ncz_chain_encode(e.chain, NULL, data, N, &object), e.rc);
        assert_int_equal(object.len, e.out.len);
        assert_memory_equal(ncz_buf_str(&object), ncz_buf_str(&e.out), object.len);
        ncz_buf_clear(&e.out);
        ncz_chain_unref(e.chain);
    }
    ncz_buf_clear(&object);
    free(data);
    free(other);
}

static int made, dropped;

static void *
make_thing(void)
{
    made++;
    return malloc(1);
}

static void *
make_nothing(void)
{
    made++;
    return NULL;
}

static void
drop_thing(void *p)
{
    dropped++;
    free(p);
}

static void *
keep_things(void *arg)
{
    void *p = ncz_codec_thread_get(NCZ_SLOT_DEFLATER, make_nothing, drop_thing);

    if (p == NULL && (p = ncz_codec_thread_get(NCZ_SLOT_DEFLATER, make_thing, drop_thing)) != NULL &&
        p == ncz_codec_thread_get(NCZ_SLOT_DEFLATER, make_nothing, drop_thing))
        *(bool *)arg = true;
    ncz_codec_thread_free(NCZ_SLOT_DEFLATER);
    ncz_codec_thread_free(NCZ_SLOT_DEFLATER);
    return ncz_codec_thread_get(NCZ_SLOT_DEFLATER, make_thing, drop_thing);
}

TEST(kept_things_end_with_their_thread)
{
    pthread_t thread;
    bool      same = false;

    made = dropped = 0;
    assert_int_equal(pthread_create(&thread, NULL, keep_things, &same), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(same);
    assert_int_equal(made, 3);
    assert_int_equal(dropped, 2);
}

TEST(scratch_memory_is_kept_unless_large)
{
    unsigned char *p = ncz_codec_scratch(NCZ_SLOT_BLOSC_BLOCK, 1000);

    assert_non_null(p);
    memset(p, 1, 1000);
    ncz_codec_scratch_done(NCZ_SLOT_BLOSC_BLOCK);
    assert_ptr_equal(ncz_codec_scratch(NCZ_SLOT_BLOSC_BLOCK, 500), p);
    p = ncz_codec_scratch(NCZ_SLOT_BLOSC_BLOCK, NCZ_CODEC_SCRATCH_MAX + 1);
    assert_non_null(p);
    memset(p, 1, NCZ_CODEC_SCRATCH_MAX + 1);
    ncz_codec_scratch_done(NCZ_SLOT_BLOSC_BLOCK);
    fail_allocation(1);
    assert_null(ncz_codec_scratch(NCZ_SLOT_BLOSC_BLOCK, 1000));
    assert_true(end_failing());
    assert_non_null(ncz_codec_scratch(NCZ_SLOT_BLOSC_BLOCK, 10));
}
