/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the places of chunks may be: ranges of one file, bytes that are at hand, codecs of their own, a last chunk that
 * ends early. All of it in one array, read near and far, whole and in parts.
 */
#include "chunk_test.h"

#include "chunk/chunk_engine.h"

enum { HEAD = 16, CHUNK = 8, CHUNK_BYTES = CHUNK * 4, NCHUNKS = 9, SIZE = NCHUNKS * CHUNK, TAIL = 5 };
enum { PACKED = 2, AT_HAND = 3, PACKED_AT_HAND = 4, LAST = NCHUNKS - 1 };

static const ncz_dtype i4 = {NCZ_KIND_INT, HOST_BIG, 4};
static const int32_t   fill = -7;

/* The array in a file: HEAD bytes, the chunks one after the other, and the packed chunk behind them. */
typedef struct file_layout {
    ncz_layout       base;
    const ncz_chain *codecs; /* of the packed chunks */
    const ncz_buf   *packed; /* chunk PACKED_AT_HAND, encoded */
    const int32_t   *values;
    uint64_t         packed_at, packed_len;
    ncz_chunk_addr   wrong;    /* with a length: the place of chunk 0 */
    unsigned         cut_tail; /* bytes that the last chunk lacks */
} file_layout;

static int
locate(const ncz_layout *l, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where)
{
    const file_layout *f = (const file_layout *)l;
    int                rc = ncz_buf_puts(key, "file.raw");

    where->key = ncz_buf_str(key);
    where->offset = HEAD + index[0] * CHUNK_BYTES;
    where->length = CHUNK_BYTES;
    if (index[0] == 0 && f->wrong.length != 0) {
        where->offset = f->wrong.offset;
        where->length = f->wrong.length;
    } else if (index[0] == PACKED) {
        where->offset = f->packed_at;
        where->length = f->packed_len;
        where->chain = f->codecs;
    } else if (index[0] == AT_HAND) {
        where->bytes = f->values + AT_HAND * CHUNK;
    } else if (index[0] == PACKED_AT_HAND) {
        where->bytes = ncz_buf_str(f->packed);
        where->length = f->packed->len;
        where->chain = f->codecs;
    } else if (index[0] == LAST) {
        where->tail = true;
        where->length = (TAIL - 1) * 4 - f->cut_tail;
    }
    return rc;
}

static const ncz_layout_ops file_ops = {.name = "file", .locate = locate};

typedef struct world {
    zmap_fault_plan plan; /* counts requests */
    zmap           *m;
    ncz_engine     *e;
    ncz_spec       *s, *packed; /* the array's, and one with codecs */
    int32_t         values[SIZE];
    ncz_buf         bytes[2];
} world;

static file_layout *
layout_of(world *w)
{
    return (file_layout *)w->s->layout;
}

static void
world_init(world *w, bool far, size_t cache)
{
    const uint64_t   chunk = CHUNK;
    char             file[HEAD + SIZE * 4 + 200] = {0};
    ncz_layout_shape shape = {.rank = 1, .path = "v"};

    *w = (world){.m = NULL};
    w->m = test_map(far, &w->plan);
    w->e = test_engine(w->m, cache);
    w->s = test_spec(1, &chunk, i4, &fill, NULL);
    w->packed = test_spec(1, &chunk, i4, &fill, "shuffle+zlib");
    for (int i = 0; i < SIZE; i++)
        w->values[i] = i < SIZE - CHUNK + TAIL - 1 ? 100 + i : fill; /* the last chunk ends early */
    for (int i = 0; i < 2; i++) {
        const char *from = (const char *)(w->values + (i == 0 ? PACKED : PACKED_AT_HAND) * CHUNK);

        assert_int_equal(ncz_chain_encode(w->packed->chain, NULL, from, CHUNK_BYTES, &w->bytes[i]), NC_NOERR);
    }
    ncz_layout_unref(w->s->layout);
    assert_int_equal(ncz_layout_new(&file_ops, sizeof(file_layout), &shape, &w->s->layout), NC_NOERR);
    layout_of(w)->codecs = w->packed->chain;
    layout_of(w)->packed = &w->bytes[1];
    layout_of(w)->values = w->values;
    layout_of(w)->packed_at = HEAD + SIZE * 4;
    layout_of(w)->packed_len = w->bytes[0].len;
    memcpy(file + HEAD, w->values, (SIZE - CHUNK + TAIL - 1) * 4);
    memset(file + HEAD + PACKED * CHUNK_BYTES, 0x55, 3 * CHUNK_BYTES); /* these chunks are elsewhere */
    assert_true(w->bytes[0].len < 200);
    memcpy(file + HEAD + SIZE * 4, ncz_buf_str(&w->bytes[0]), w->bytes[0].len);
    assert_int_equal(zmap_put(w->m, "file.raw", file, sizeof file), NC_NOERR);
    w->plan.seen = 0;
}

static void
world_clear(world *w)
{
    ncz_engine_free(w->e);
    ncz_spec_unref(w->s);
    ncz_spec_unref(w->packed);
    ncz_buf_clear(&w->bytes[0]);
    ncz_buf_clear(&w->bytes[1]);
    assert_int_equal(zmap_close(w->m, ZMAP_KEEP), NC_NOERR);
}

static int
read_some(world *w, uint64_t start, uint64_t count, uint64_t stride, int32_t *out)
{
    const uint64_t size = SIZE;
    request        r = test_request(1, &start, &count);
    ncz_plan       p;

    r.stride[0] = stride;
    p = test_plan(w->s, &size, &r, NC_INT);
    return ncz_engine_read(w->e, &p, out);
}

TEST(every_selection)
{
    static const size_t caches[] = {0, 100, 1 << 20};

    for (int far = 0; far < 2; far++)
        for (size_t c = 0; c < NCZ_LEN(caches); c++) {
            world   w;
            int32_t got[SIZE];

            world_init(&w, far == 1, caches[c]);
            for (uint64_t stride = 1; stride < 12; stride++)
                for (uint64_t start = 0; start < SIZE; start += stride < 3 ? 1 : 5)
                    for (uint64_t n = 1; n <= (SIZE - 1 - start) / stride + 1; n += 3) {
                        assert_int_equal(read_some(&w, start, n, stride, got), NC_NOERR);
                        for (uint64_t i = 0; i < n; i++)
                            assert_int_equal(got[i], w.values[start + i * stride]);
                    }
            world_clear(&w);
        }
}

/* Over a network neighbours in a file come with one request; bytes at hand take none. */
TEST(neighbours_come_with_one_request)
{
    world   w;
    int32_t got[SIZE];

    world_init(&w, true, 1 << 20);
    assert_int_equal(read_some(&w, 0, SIZE, 1, got), NC_NOERR);
    assert_int_equal(w.plan.seen, 1);
    assert_memory_equal(got, w.values, sizeof got);
    w.plan.seen = 0;
    assert_int_equal(read_some(&w, AT_HAND * CHUNK, 2 * CHUNK, 1, got), NC_NOERR);
    assert_int_equal(w.plan.seen, 0);
    world_clear(&w);
}

TEST(wrong_places)
{
    static const struct {
        uint64_t off, len;
        bool     tail;
        int      code;
    } rows[] = {
        {HEAD, CHUNK_BYTES + 4, false, NC_ETRUNC}, {HEAD, CHUNK_BYTES - 4, false, NC_ETRUNC},
        {UINT64_MAX - 3, 8, false, NC_EFILTER},    {1 << 20, CHUNK_BYTES, false, NC_ETRUNC},
        {HEAD, UINT64_MAX / 2, false, NC_ETRUNC},  {INT64_MAX, CHUNK_BYTES, false, NC_ETRUNC},
    };

    for (int far = 0; far < 2; far++)
        for (size_t i = 0; i < NCZ_LEN(rows); i++) {
            world   w;
            int32_t got[SIZE];
            int     rc;

            world_init(&w, far == 1, 1 << 20);
            layout_of(&w)->wrong.offset = rows[i].off;
            layout_of(&w)->wrong.length = rows[i].len;
            rc = read_some(&w, 0, 2 * CHUNK, 1, got);
            assert_true(rc != NC_NOERR);
            if (rows[i].off < 1 << 20 || rows[i].code == NC_EFILTER)
                assert_int_equal(rc, rows[i].code);
            assert_memory_equal(got + CHUNK, w.values + CHUNK, CHUNK_BYTES); /* the other chunk came */
            world_clear(&w);
        }
}

/* A last chunk that does not end with an element is damage, and so is a cut chunk with codecs of its own. */
TEST(cut_chunks)
{
    for (int far = 0; far < 2; far++) {
        world   w;
        int32_t got[SIZE];

        world_init(&w, far == 1, 0);
        layout_of(&w)->cut_tail = 2;
        layout_of(&w)->packed_len -= 3;
        assert_int_equal(read_some(&w, LAST * CHUNK, CHUNK, 1, got), NC_ETRUNC);
        assert_int_equal(read_some(&w, PACKED * CHUNK, CHUNK, 1, got), NC_EFILTER);
        layout_of(&w)->cut_tail = 4;
        w.values[LAST * CHUNK + TAIL - 2] = fill;
        assert_int_equal(read_some(&w, LAST * CHUNK, CHUNK, 1, got), NC_NOERR);
        assert_memory_equal(got, w.values + LAST * CHUNK, CHUNK_BYTES);
        world_clear(&w);
    }
}
