/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames that c-blosc made, decoded by us and by c-blosc: the same bytes, whole and in part, whatever the compressor,
 * the order, the sizes. What is made of them by changing bytes is decoded to something, or refused, but never
 * believed.
 */
#include "filter_testing.h"

#include <blosc.h>

#include "codecs/blosc_int.h"

static const char *const cnames[] = {"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"};

typedef struct made {
    unsigned char *data, *frame, *back;
    size_t         n, used, type;
    const char    *cname;
} made;

/* Ever new data: smooth, noisy, constant, in turns. */
static void
fill(unsigned char *data, size_t n, size_t type, uint32_t *seed)
{
    uint32_t kind = 0, walk = 0;

    for (size_t i = 0; i < n; i++) {
        if (i % 300 == 0)
            kind = noise(seed) % 4;
        if (i % type == 0)
            walk += noise(seed) % 7;
        data[i] = (unsigned char)(kind == 0 ? noise(seed) : kind == 1 ? 0 : walk >> 8 * (i % type % 4));
    }
}

static bool
make(made *m, uint32_t *seed, size_t most)
{
    static const size_t types[] = {1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 40, 255};
    size_t              n = 1 + noise(seed) % most, block = noise(seed) % 3 == 0 ? noise(seed) % most : 0;
    size_t              type = types[noise(seed) % NCZ_LEN(types)];
    int                 clevel = (int)(noise(seed) % 10), shuffle = (int)(noise(seed) % 3), used;
    const char         *cname = cnames[noise(seed) % NCZ_LEN(cnames)];

    if (blosc_compname_to_compcode(cname) < 0)
        return false;
    *m = (made){.n = n, .type = type, .cname = cname, .data = malloc(n), .back = malloc(n)};
    m->frame = malloc(n + BLOSC_MAX_OVERHEAD);
    assert_true(m->data != NULL && m->back != NULL && m->frame != NULL);
    fill(m->data, n, type, seed);
    used = blosc_compress_ctx(clevel, shuffle, type, n, m->data, m->frame, n + BLOSC_MAX_OVERHEAD, cname, block, 1);
    assert_true(used > 0);
    m->used = (size_t)used;
    m->frame = realloc(m->frame, m->used); /* to the byte, so that a read behind it is seen */
    return true;
}

static void
unmake(made *m)
{
    free(m->data);
    free(m->frame);
    free(m->back);
}

static void
check_part(const made *m, const ncz_blosc_frame *f, size_t from, size_t to)
{
    ncz_byte_range part = {from, to};

    memset(m->back, 0x5c, m->n);
    assert_int_equal(ncz_blosc_decode(f, m->back, &part), NC_NOERR);
    assert_true(part.from <= from && part.to >= to && part.to <= m->n);
    assert_true(f->nblocks == 0 || from == to || (from - part.from < f->blocksize && part.to - to < f->blocksize));
    for (size_t i = 0; i < m->n; i++)
        assert_int_equal(m->back[i], i >= part.from && i < part.to ? m->data[i] : 0x5c);
}

TEST(frames_decode_as_by_the_library)
{
    uint32_t seed = 20261120;
    size_t   known = 0;

    for (int round = 0; round < 4000; round++) {
        ncz_blosc_frame f;
        made            m;

        if (!make(&m, &seed, round % 20 == 0 ? 300000 : 6000))
            continue;
        assert_int_equal(blosc_decompress_ctx(m.frame, m.back, m.n, 1), m.n);
        assert_memory_equal(m.back, m.data, m.n);
        assert_int_equal(ncz_blosc_open(m.frame, m.used, &f), NC_NOERR);
        if (ncz_blosc_knows(&f)) {
            size_t from = noise(&seed) % (m.n + 1), to = from + noise(&seed) % (m.n - from + 1);

            check_part(&m, &f, 0, m.n);
            check_part(&m, &f, from, to);
            known++;
        }
        unmake(&m);
    }
    assert_true(known > 500);
}

/* Frames of our own making: the library reads them, and so do we; none is larger than it may be. */
TEST(frames_made_here_are_read_by_the_library)
{
    uint32_t seed = 99;
    size_t   nmade = 0, nstored = 0;

    for (int round = 0; round < 600; round++) {
        size_t          type = (size_t)2 << noise(&seed) % 3, n, used = 0;
        int64_t         clevel = 1 + (int64_t)(noise(&seed) % 5);
        unsigned char  *data, *frame, *back;
        ncz_blosc_frame f;

        n = (4096 + noise(&seed) % (round % 10 == 0 ? 700000 : 9000)) / type * type + type;
        data = malloc(n);
        back = malloc(n);
        frame = malloc(n + NCZ_BLOSC_HEADER);
        assert_true(data != NULL && back != NULL && frame != NULL);
        fill(data, n, type, &seed);
        for (size_t i = 0; round % 7 == 0 && i < n; i++)
            data[i] = (unsigned char)noise(&seed);
        if (ncz_blosc_makes(NCZ_BLOSC_LZ4, clevel, 1, type, n)) {
            made m = {.n = n, .type = type, .data = data, .frame = frame, .back = back};

            assert_int_equal(ncz_blosc_make(data, n, type, clevel, frame, &used), NC_NOERR);
            assert_true(used <= n + NCZ_BLOSC_HEADER);
            assert_int_equal(blosc_decompress_ctx(frame, back, n, 1), n);
            assert_memory_equal(back, data, n);
            assert_int_equal(ncz_blosc_open(frame, used, &f), NC_NOERR);
            assert_int_equal(f.cbytes, used);
            check_part(&m, &f, 0, n);
            check_part(&m, &f, n / 3, n / 2);
            nmade++;
            nstored += f.nblocks == 0;
        }
        free(data);
        free(back);
        free(frame);
    }
    assert_true(nmade == 0 || nmade == 600);
    assert_true(nmade == 0 || (nstored > 20 && nstored < 300));
}

/* What is changed at random: what we decode, the library decodes to the same. */
TEST(changed_frames_decode_as_by_the_library)
{
    uint32_t seed = 7;

    for (int round = 0; round < 3000; round++) {
        made            m;
        ncz_blosc_frame f;

        if (!make(&m, &seed, 3000))
            continue;
        for (uint32_t k = 1 + noise(&seed) % 3; k > 0; k--)
            m.frame[noise(&seed) % 2 == 0 ? noise(&seed) % m.used : noise(&seed) % (m.used < 64 ? m.used : 64)] =
                (unsigned char)noise(&seed);
        if (ncz_blosc_open(m.frame, m.used, &f) == NC_NOERR && ncz_blosc_knows(&f) && f.nbytes <= 1 << 20) {
            unsigned char *ours = malloc(f.nbytes + 1), *theirs = malloc(f.nbytes + 1);
            ncz_byte_range all = {0, f.nbytes};

            assert_true(ours != NULL && theirs != NULL);
            if (ncz_blosc_decode(&f, ours, &all) == NC_NOERR) {
                if ((f.flags & 2) == 0) /* of stored data we need no block size */
                    assert_int_equal(blosc_decompress_ctx(m.frame, theirs, f.nbytes, 1), f.nbytes);
                else
                    memcpy(theirs, m.frame + NCZ_BLOSC_HEADER, f.nbytes);
                assert_memory_equal(ours, theirs, f.nbytes);
            }
            free(ours);
            free(theirs);
        }
        unmake(&m);
    }
}

/* Every beginning of a frame is refused; what stands behind it makes no difference. */
TEST(cut_frames_are_refused_and_tails_ignored)
{
    uint32_t seed = 99;

    for (int round = 0; round < 60; round++) {
        ncz_blosc_frame f;
        made            m;

        if (!make(&m, &seed, 1500))
            continue;
        for (size_t n = 0; n < m.used; n++) {
            unsigned char *cut = malloc(n + 1);

            assert_non_null(cut);
            memcpy(cut, m.frame, n);
            assert_int_equal(ncz_blosc_open(cut, n, &f), NC_EFILTER);
            free(cut);
        }
        m.frame = realloc(m.frame, m.used + 33);
        assert_non_null(m.frame);
        memset(m.frame + m.used, 0xa5, 33);
        assert_int_equal(ncz_blosc_open(m.frame, m.used + 33, &f), NC_NOERR);
        if (ncz_blosc_knows(&f))
            check_part(&m, &f, 0, m.n);
        unmake(&m);
    }
}

TEST(blosclz_blocks_decode)
{
    static const struct {
        const char *in;
        size_t      n;
        const char *out; /* NULL: refused */
        size_t      wanted;
    } cases[] = {
        {"\x02"
         "abc",
         4, "abc", 3},
        {"\x22"
         "abc",
         4, "abc", 3}, /* the first control byte's high bits are the format */
        {"\x02"
         "abc",
         4, NULL, 2},
        {"\x02"
         "abc",
         4, NULL, 4},
        {"\x02"
         "abc",
         3, NULL, 3},
        {"", 0, NULL, 1},
        {"\x00"
         "a\x20\x00",
         4, "aaaa", 4},
        {"\x02"
         "abc\x60\x02\x00z",
         8, "abcabcabz", 9},
        {"\x02"
         "abc\x60\x03\x00z",
         8, NULL, 9}, /* back before the beginning */
        {"\x02"
         "abc\x60\x02",
         6, "abcabcab", 8},
        {"\x02"
         "abc\x60\x02",
         6, NULL, 7},
        {"\x02"
         "abc\x60",
         5, NULL, 8},
        {"\x02"
         "abc\xe0\x00\x02",
         7, "abcabcabcabc", 12},
        {"\x02"
         "abc\xe0\xff",
         6, NULL, 300},
        {"\x02"
         "abc\x3f\xff\x00",
         7, NULL, 6},
    };
    char *out = malloc(400);

    assert_non_null(out);
    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        bool good = ncz_blosclz_decode(cases[i].in, cases[i].n, out, cases[i].wanted);

        assert_int_equal(good, cases[i].out != NULL);
        if (good)
            assert_memory_equal(out, cases[i].out, cases[i].wanted);
    }
    free(out);
}

/* A match from the far window, more than 8191 back: against the library, which writes such for data like these. */
TEST(far_matches_decode)
{
    size_t         n = 200000;
    unsigned char *data = malloc(n), *back = malloc(n), *frame = malloc(n + BLOSC_MAX_OVERHEAD);
    uint32_t       seed = 5;
    int            used;

    assert_true(data != NULL && back != NULL && frame != NULL);
    for (size_t i = 0; i < n; i++)
        data[i] = (unsigned char)(i < 50000 ? noise(&seed) : data[i - 50000]);
    for (int clevel = 1; clevel <= 9; clevel++) {
        ncz_byte_range  all = {0, n};
        ncz_blosc_frame f;

        used = blosc_compress_ctx(clevel, 0, 1, n, data, frame, n + BLOSC_MAX_OVERHEAD, "blosclz", n, 1);
        assert_true(used > 0);
        assert_int_equal(ncz_blosc_open(frame, (size_t)used, &f), NC_NOERR);
        assert_int_equal(ncz_blosc_decode(&f, back, &all), NC_NOERR);
        assert_memory_equal(back, data, n);
    }
    free(data);
    free(back);
    free(frame);
}
