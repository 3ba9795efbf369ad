/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * walk and move together against a model that takes one element at a time: random ranks, shapes, chunks, selections,
 * memory layouts, orders and types, in both directions.
 */
#include "grid_test.h"
#include "contract/host.h"

#include <math.h>

enum { MAX_RANK = 5 };

typedef struct trial {
    size_t    rank;
    uint64_t  shape[MAX_RANK], chunk[MAX_RANK], grid[MAX_RANK];
    uint64_t  start[MAX_RANK], count[MAX_RANK], stride[MAX_RANK];
    ptrdiff_t imap[MAX_RANK];
    ptrdiff_t lowest; /* of all memory places, <= 0 */
    size_t    places, nchunks, chunk_elems;
    uint64_t  nelems;
    ncz_dtype dtype;
    nc_type   mem;
    unsigned  order[MAX_RANK];
    bool      ordered; /* by `order`, else in C order */
    char     *stored;  /* all chunks, in grid order */
} trial;

static const nc_type mems[] = {NC_BYTE,   NC_SHORT, NC_INT,    NC_INT64, NC_UBYTE,
                               NC_USHORT, NC_UINT,  NC_UINT64, NC_FLOAT, NC_DOUBLE};

static void
pick_types(trial *t, uint64_t *seed)
{
    static const ncz_dtype dtypes[] = {
        {NCZ_KIND_INT, false, 1},   {NCZ_KIND_INT, false, 2},   {NCZ_KIND_INT, false, 4},   {NCZ_KIND_INT, false, 8},
        {NCZ_KIND_UINT, false, 1},  {NCZ_KIND_UINT, false, 2},  {NCZ_KIND_UINT, false, 4},  {NCZ_KIND_UINT, false, 8},
        {NCZ_KIND_FLOAT, false, 2}, {NCZ_KIND_FLOAT, false, 4}, {NCZ_KIND_FLOAT, false, 8}, {NCZ_KIND_BOOL, false, 1},
        {NCZ_KIND_CHAR, false, 1},
    };

    t->dtype = dtypes[rnd(seed, NCZ_LEN(dtypes))];
    t->dtype.big = rnd(seed, 2) == 0;
    t->mem = rnd(seed, 3) == 0 ? ncz_dtype_type(&t->dtype)->id : mems[rnd(seed, NCZ_LEN(mems))];
    if (t->dtype.kind == NCZ_KIND_CHAR)
        t->mem = NC_CHAR;
    t->ordered = rnd(seed, 3) == 0;
    for (size_t d = 0; d < t->rank; d++) {
        size_t k = rnd(seed, d + 1);

        t->order[d] = t->order[k];
        t->order[k] = (unsigned)d;
    }
}

/* A layout without overlap: dimensions packed in a random order, some backwards, with gaps. */
static void
pick_imap(trial *t, uint64_t *seed)
{
    size_t   order[MAX_RANK];
    uint64_t step = 1 + rnd(seed, 2) * rnd(seed, 3);

    for (size_t i = 0; i < t->rank; i++)
        order[i] = t->rank - 1 - i;
    if (rnd(seed, 2) == 0) {
        for (size_t i = t->rank; i > 1; i--) {
            size_t k = (size_t)rnd(seed, i), swap = order[k];

            order[k] = order[i - 1];
            order[i - 1] = swap;
        }
    }
    t->lowest = 0;
    t->places = 1;
    for (size_t i = 0; i < t->rank; i++) {
        size_t   d = order[i];
        uint64_t extent = t->count[d] > 0 ? (t->count[d] - 1) * step : 0;

        t->imap[d] = (ptrdiff_t)step;
        t->places += (size_t)extent;
        if (rnd(seed, 5) == 0) {
            t->imap[d] = -(ptrdiff_t)step;
            t->lowest -= (ptrdiff_t)extent;
        }
        step = step * (t->count[d] > 0 ? t->count[d] : 1) + rnd(seed, 2) * rnd(seed, 3);
    }
}

static void
trial_init(trial *t, uint64_t *seed)
{
    memset(t, 0, sizeof *t);
    t->rank = (size_t)rnd(seed, MAX_RANK + 1);
    t->nchunks = t->chunk_elems = 1;
    t->nelems = 1;
    for (size_t d = 0; d < t->rank; d++) {
        uint64_t most = t->rank > 3 ? 4 : 7;

        t->shape[d] = 1 + rnd(seed, most);
        t->chunk[d] = 1 + rnd(seed, most);
        t->grid[d] = (t->shape[d] + t->chunk[d] - 1) / t->chunk[d];
        t->stride[d] = rnd(seed, 2) == 0 ? 1 : 1 + rnd(seed, most);
        t->start[d] = rnd(seed, 2) == 0 ? 0 : rnd(seed, t->shape[d]);
        t->count[d] = (t->shape[d] - 1 - t->start[d]) / t->stride[d] + 1;
        if (rnd(seed, 3) == 0)
            t->count[d] = rnd(seed, t->count[d] + 1);
        t->nchunks *= (size_t)t->grid[d];
        t->chunk_elems *= (size_t)t->chunk[d];
        t->nelems *= t->count[d];
    }
    pick_types(t, seed);
    pick_imap(t, seed);
    t->stored = malloc(t->nchunks * t->chunk_elems * t->dtype.size);
    for (size_t i = 0; i < t->nchunks * t->chunk_elems * t->dtype.size; i++)
        t->stored[i] = (char)rnd(seed, 256);
}

static char *
chunk_at(const trial *t, const uint64_t *index)
{
    size_t n = 0;

    for (size_t d = 0; d < t->rank; d++)
        n = n * (size_t)t->grid[d] + (size_t)index[d];
    return t->stored + n * t->chunk_elems * t->dtype.size;
}

/* Where array position `pos` is stored. */
static char *
element_at(const trial *t, const uint64_t *pos)
{
    uint64_t index[MAX_RANK];
    size_t   off = 0;

    for (size_t d = 0; d < t->rank; d++)
        index[d] = pos[d] / t->chunk[d];
    for (size_t i = 0; i < t->rank; i++) {
        size_t d = t->ordered ? t->order[i] : i;

        off = off * (size_t)t->chunk[d] + (size_t)(pos[d] % t->chunk[d]);
    }
    return chunk_at(t, index) + off * t->dtype.size;
}

/* The i-th selected element: its position in the array, its place in memory. */
static ptrdiff_t
selected(const trial *t, uint64_t i, uint64_t *pos)
{
    ptrdiff_t place = -t->lowest;

    for (size_t d = t->rank; d-- > 0;) {
        uint64_t k = i % t->count[d];

        i /= t->count[d];
        pos[d] = t->start[d] + k * t->stride[d];
        place += (ptrdiff_t)k * t->imap[d];
    }
    return place;
}

/* NaNs need not keep their bits through conversion: any is as good. */
static bool
same(nc_type type, const char *a, const char *b, size_t size)
{
    double x, y;
    float  fx, fy;

    if (memcmp(a, b, size) == 0)
        return true;
    if (type == NC_FLOAT) {
        memcpy(&fx, a, sizeof fx);
        memcpy(&fy, b, sizeof fy);
        return isnan(fx) && isnan(fy);
    }
    if (type == NC_DOUBLE) {
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
        return isnan(x) && isnan(y);
    }
    return false;
}

static ncz_chunk_iter *
trial_walk(const trial *t)
{
    ncz_select      s = {.rank = t->rank, .start = t->start, .count = t->count, .stride = t->stride, .imap = t->imap};
    ncz_chunk_iter *w = NULL;

    assert_int_equal(ncz_chunk_iter_new(&s, t->shape, t->chunk, &w), NC_NOERR);
    return w;
}

static ncz_transfer
trial_move(const trial *t)
{
    return (ncz_transfer){
        .dtype = &t->dtype, .mem = ncz_type_of(t->mem), .chunk = t->chunk, .order = t->ordered ? t->order : NULL};
}

static size_t ndirect;

static void
read_trial(const trial *t)
{
    size_t          size = ncz_type_of(t->mem)->size;
    char           *got = malloc(t->places * size), *want = malloc(t->places * size);
    ncz_chunk_iter *w = trial_walk(t);
    ncz_transfer    m = trial_move(t);
    ncz_piece       p;
    bool            bad = false, want_bad = false;
    uint64_t        n = 0;

    m.stream = t->nelems % 2 != 0;
    memset(got, 0x5A, t->places * size);
    memset(want, 0x5A, t->places * size);
    while (ncz_chunk_iter_next(w, &p)) {
        int rc = ncz_transfer_out(&m, &p, chunk_at(t, p.index), got - t->lowest * (ptrdiff_t)size);

        assert_true(rc == NC_NOERR || rc == NC_ERANGE);
        bad = bad || rc == NC_ERANGE;
        n += p.nelems;
        if (ncz_transfer_direct(&m, &p)) {
            ndirect++;
            assert_memory_equal(chunk_at(t, p.index), got + (p.mem - t->lowest) * (ptrdiff_t)size,
                                t->chunk_elems * size);
        }
    }
    assert_true(n == t->nelems);
    for (uint64_t i = 0; i < t->nelems; i++) {
        uint64_t  pos[MAX_RANK];
        ptrdiff_t place = selected(t, i, pos);

        want_bad = ncz_convert_out(&t->dtype, element_at(t, pos), ncz_type_of(t->mem), want + place * (ptrdiff_t)size,
                                   1, false) == NC_ERANGE ||
                   want_bad;
    }
    assert_int_equal(bad, want_bad);
    for (size_t i = 0; i < t->places; i++)
        assert_true(same(t->mem, got + i * size, want + i * size, size));
    ncz_chunk_iter_free(w);
    free(got);
    free(want);
}

static void
write_trial(trial *t, uint64_t *seed)
{
    size_t          size = ncz_type_of(t->mem)->size, nbytes = t->nchunks * t->chunk_elems * t->dtype.size;
    char           *mem = malloc(t->places * size), *before = malloc(nbytes), *got = malloc(nbytes);
    ncz_chunk_iter *w = trial_walk(t);
    ncz_transfer    m = trial_move(t);
    ncz_piece       p;
    bool            bad = false, want_bad = false;

    for (size_t i = 0; i < t->places * size; i++)
        mem[i] = (char)rnd(seed, 256);
    memcpy(before, t->stored, nbytes);
    while (ncz_chunk_iter_next(w, &p)) {
        int rc = ncz_transfer_in(&m, &p, mem - t->lowest * (ptrdiff_t)size, chunk_at(t, p.index));

        assert_true(rc == NC_NOERR || rc == NC_ERANGE);
        bad = bad || rc == NC_ERANGE;
    }
    memcpy(got, t->stored, nbytes);
    memcpy(t->stored, before, nbytes);
    for (uint64_t i = 0; i < t->nelems; i++) {
        uint64_t  pos[MAX_RANK];
        ptrdiff_t place = selected(t, i, pos);

        want_bad = ncz_convert_in(ncz_type_of(t->mem), mem + place * (ptrdiff_t)size, &t->dtype, element_at(t, pos),
                                  1, false) == NC_ERANGE ||
                   want_bad;
    }
    assert_int_equal(bad, want_bad);
    assert_memory_equal(got, t->stored, nbytes);
    ncz_chunk_iter_free(w);
    free(mem);
    free(before);
    free(got);
}

/* `whole` exactly when every element of the chunk that lies inside the array is taken. */
static void
whole_trial(const trial *t)
{
    ncz_chunk_iter *w = trial_walk(t);
    ncz_piece       p;
    uint64_t       *taken = calloc(t->nchunks, sizeof *taken);

    while (ncz_chunk_iter_next(w, &p)) {
        uint64_t inside = 1, nelems = 1;

        for (size_t d = 0; d < t->rank; d++) {
            uint64_t left = t->shape[d] - p.index[d] * t->chunk[d];

            inside *= left < t->chunk[d] ? left : t->chunk[d];
            nelems *= p.n[d];
            assert_true(p.off[d] + (p.n[d] - 1) * p.stride[d] < t->chunk[d]);
        }
        assert_true(nelems == p.nelems);
        assert_int_equal(p.whole, inside == nelems);
        /* each chunk comes once */
        assert_true(taken[(size_t)(chunk_at(t, p.index) - t->stored) / (t->chunk_elems * t->dtype.size)]++ == 0);
    }
    free(taken);
    ncz_chunk_iter_free(w);
}

static void
fill_trial(const trial *t, uint64_t *seed)
{
    size_t          size = ncz_type_of(t->mem)->size;
    char           *got = malloc(t->places * size), *want = malloc(t->places * size);
    char            fill[8], *given = rnd(seed, 4) == 0 ? NULL : fill;
    ncz_chunk_iter *w = trial_walk(t);
    ncz_transfer    m = trial_move(t);
    ncz_piece       p;

    for (size_t i = 0; i < sizeof fill; i++)
        fill[i] = (char)rnd(seed, 256);
    memset(got, 0x5A, t->places * size);
    memset(want, 0x5A, t->places * size);
    while (ncz_chunk_iter_next(w, &p)) {
        int  rc = ncz_transfer_fill_out(&m, &p, given, got - t->lowest * (ptrdiff_t)size), want_rc;
        char value[8];

        if (given == NULL)
            memset(fill, 0, sizeof fill);
        want_rc = ncz_convert_out(&t->dtype, fill, ncz_type_of(t->mem), value, 1, false);
        assert_int_equal(rc, want_rc);
    }
    for (uint64_t i = 0; i < t->nelems; i++) {
        uint64_t pos[MAX_RANK];

        (void)ncz_convert_out(&t->dtype, fill, ncz_type_of(t->mem), want + selected(t, i, pos) * (ptrdiff_t)size, 1,
                              false);
    }
    for (size_t i = 0; i < t->places; i++)
        assert_true(same(t->mem, got + i * size, want + i * size, size));
    ncz_chunk_iter_free(w);
    free(got);
    free(want);
}

TEST(random_trials)
{
    uint64_t seed = 20;

    for (int i = 0; i < 8000; i++) {
        trial t;

        trial_init(&t, &seed);
        read_trial(&t);
        write_trial(&t, &seed);
        whole_trial(&t);
        fill_trial(&t, &seed);
        free(t.stored);
    }
    assert_true(ndirect > 100);
}

/* Runs of more than one block, both packed and strided. */
TEST(long_runs)
{
    enum { N = 1000 };
    const ncz_dtype be = {NCZ_KIND_INT, true, 2};
    uint64_t        n[] = {N}, off[] = {0}, one[] = {1};
    ptrdiff_t       imap[] = {3};
    ncz_transfer    m = {.dtype = &be, .mem = ncz_type_of(NC_DOUBLE), .chunk = n};
    ncz_piece       p = {.rank = 1, .index = off, .off = off, .n = n, .stride = one, .imap = imap, .nelems = N};
    unsigned char   stored[2 * N], back[2 * N];
    double         *mem = calloc(3 * N, sizeof *mem);

    for (size_t i = 0; i < N; i++) {
        stored[2 * i] = (unsigned char)(i >> 8);
        stored[2 * i + 1] = (unsigned char)i;
    }
    assert_int_equal(ncz_transfer_out(&m, &p, stored, mem), NC_NOERR);
    for (size_t i = 0; i < N; i++)
        assert_true(mem[3 * i] == (double)i && mem[3 * i + 1] == 0);
    assert_int_equal(ncz_transfer_in(&m, &p, mem, back), NC_NOERR);
    assert_memory_equal(stored, back, sizeof stored);
    free(mem);
}

TEST(types_that_do_not_fit_are_refused)
{
    static const struct {
        ncz_dtype t;
        nc_type   mem;
        int       rc;
    } rows[] = {
        {{NCZ_KIND_INT, false, 4}, NC_CHAR, NC_ECHAR},      {{NCZ_KIND_CHAR, false, 1}, NC_INT, NC_ECHAR},
        {{NCZ_KIND_BYTES, false, 4}, NC_CHAR, NC_EBADTYPE}, {{NCZ_KIND_CHAR, false, 1}, NC_STRING, NC_EBADTYPE},
        {{NCZ_KIND_UCS4, false, 4}, NC_INT, NC_EBADTYPE},   {{NCZ_KIND_FLOAT, false, 4}, NC_STRING, NC_EBADTYPE},
        {{NCZ_KIND_OTHER, false, 4}, NC_INT, NC_EBADTYPE},  {{NCZ_KIND_INT, false, 4}, NC_NAT, NC_EBADTYPE},
        {{NCZ_KIND_INT, false, 3}, NC_INT, NC_EBADTYPE},    {{NCZ_KIND_INT, false, 4}, NC_VLEN, NC_EBADTYPE},
    };
    ncz_piece p = {.rank = 0, .nelems = 1};
    char      mem[8] = "sevenby", chunk[8] = "sevenby";

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        ncz_transfer m = {.dtype = &rows[i].t, .mem = ncz_type_of(rows[i].mem)};

        assert_int_equal(ncz_transfer_check(&rows[i].t, ncz_type_of(rows[i].mem)), rows[i].rc);
        assert_int_equal(ncz_transfer_out(&m, &p, chunk, mem), rows[i].rc);
        assert_int_equal(ncz_transfer_in(&m, &p, mem, chunk), rows[i].rc);
        assert_int_equal(ncz_transfer_fill_out(&m, &p, chunk, mem), rows[i].rc);
        assert_string_equal(mem, "sevenby");
        assert_string_equal(chunk, "sevenby");
    }
}

/* 3 x 4 strings, a transposed memory layout. */
TEST(strings_move_to_transposed_memory)
{
    const ncz_dtype t = {NCZ_KIND_BYTES, false, 3};
    uint64_t        chunk[] = {3, 4}, n[] = {2, 2}, off[] = {1, 0}, stride[] = {1, 3}, index[] = {0, 0};
    ptrdiff_t       imap[] = {1, 2};
    ncz_transfer    m = {.dtype = &t, .mem = ncz_type_of(NC_STRING), .chunk = chunk};
    ncz_piece       p = {.rank = 2, .index = index, .off = off, .n = n, .stride = stride, .imap = imap, .nelems = 4};
    char            stored[36], back[36];
    char           *mem[4] = {NULL};
    size_t          at = 1;
    int             rc;

    for (size_t i = 0; i < 12; i++) {
        memset(stored + 3 * i, 0, 3);
        stored[3 * i] = (char)('a' + i);
    }
    do {
        fail_allocation(at++);
        rc = ncz_transfer_out(&m, &p, stored, mem);
        if (end_failing()) {
            assert_int_equal(rc, NC_ENOMEM);
            for (int i = 0; i < 4; i++)
                assert_null(mem[i]);
        }
    } while (rc != NC_NOERR);
    assert_string_equal(mem[0], "e");
    assert_string_equal(mem[1], "i");
    assert_string_equal(mem[2], "h");
    assert_string_equal(mem[3], "l");
    memset(back, 0, sizeof back);
    assert_int_equal(ncz_transfer_in(&m, &p, mem, back), NC_NOERR);
    assert_int_equal(back[12], 'e');
    assert_int_equal(back[33], 'l');
    for (int i = 0; i < 4; i++)
        ncz_free(mem[i]);

    assert_int_equal(ncz_transfer_fill_out(&m, &p, "xy", mem), NC_NOERR);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(mem[i], "xy");
        ncz_free(mem[i]);
    }
    assert_int_equal(ncz_transfer_fill_out(&m, &p, NULL, mem), NC_NOERR);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(mem[i], "");
        ncz_free(mem[i]);
    }
}

/* Rank 10: the scratch is on the heap, and each allocation of it fails once. */
TEST(high_rank)
{
    const ncz_dtype t = {NCZ_KIND_INT, HOST_BIG, 2};
    uint64_t        chunk[10], n[10], zero[10] = {0}, one[10];
    ptrdiff_t       imap[10];
    ncz_transfer    m = {.dtype = &t, .mem = ncz_type_of(NC_INT), .chunk = chunk};
    ncz_piece       p = {.rank = 10, .index = zero, .off = zero, .n = n, .stride = one, .imap = imap, .nelems = 1024};
    static int16_t  stored[1024];
    static int      mem[1024];
    size_t          at = 1;
    int             rc;

    for (size_t d = 0; d < 10; d++) {
        chunk[d] = n[d] = 2;
        one[d] = 1;
        imap[d] = (ptrdiff_t)1 << d; /* reversed */
    }
    for (int i = 0; i < 1024; i++)
        stored[i] = (int16_t)i;
    do {
        fail_allocation(at++);
        rc = ncz_transfer_out(&m, &p, stored, mem);
        assert_int_equal(rc, end_failing() ? NC_ENOMEM : NC_NOERR);
    } while (rc != NC_NOERR);
    assert_true(at > 5);
    for (int i = 0; i < 1024; i++) {
        int reversed = 0;

        for (int bit = 0; bit < 10; bit++)
            reversed |= (i >> bit & 1) << (9 - bit);
        assert_int_equal(mem[i], reversed);
    }
    at = 1;
    do {
        fail_allocation(at++);
        rc = ncz_transfer_fill_out(&m, &p, NULL, mem);
        assert_int_equal(rc, end_failing() ? NC_ENOMEM : NC_NOERR);
    } while (rc != NC_NOERR);
    assert_int_equal(mem[1023], 0);
}
