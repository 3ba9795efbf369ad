/* SPDX-License-Identifier: BSD-3-Clause */
/* nczcopy's engine inside: how an array is cut into pieces, how memory is divided, what the options' texts mean. */
#include "support/test.h"

#include "copy/copy_int.h"

enum { RANK = 3 };

typedef struct array {
    copy_var v;
    size_t   shape[RANK], in[RANK], out[RANK], step[RANK];
} array;

static void
array_make(array *a, int rank)
{
    a->v = (copy_var){.rank = rank, .item = 4, .value = 4, .nelems = 1};
    a->v.shape = a->shape;
    a->v.chunk_in = a->in;
    a->v.chunk_out = a->out;
    for (int d = 0; d < rank; d++)
        a->v.nelems *= a->shape[d];
}

/* Times that a source chunk is touched by a piece, over all pieces; each element must lie in one piece. */
static size_t
touches(array *a, size_t room)
{
    copy_pieces p;
    size_t      n = 0, elems = 0, puts = 0, whole = 1;

    copy_pieces_begin(&p, &a->v, room);
    do {
        size_t chunks = 1;

        elems += p.n;
        for (int d = 0; d < a->v.rank; d++)
            chunks *= (p.start[d] + p.count[d] - 1) / a->in[d] - p.start[d] / a->in[d] + 1;
        n += chunks;
        puts += copy_pieces_chunks(&p);
    } while (copy_pieces_next(&p));
    copy_pieces_clear(&p);
    for (int d = 0; d < a->v.rank; d++)
        whole *= (a->shape[d] - 1) / a->out[d] + 1;
    assert_int_equal(elems, a->v.nelems);
    assert_int_equal(puts, whole);
    return n;
}

static size_t
product(const size_t *n, int rank)
{
    size_t p = 4;

    for (int d = 0; d < rank; d++)
        p *= n[d];
    return p;
}

static uint32_t
draw(uint32_t *seed, uint32_t most)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % most + 1;
}

/* Whatever the shapes: pieces are whole target chunks, within the room, and are worth their memory. */
TEST(pieces_are_whole_target_chunks_within_the_room)
{
    uint32_t seed = 1;

    for (int i = 0; i < 2000; i++) {
        array  a;
        int    rank = (int)draw(&seed, RANK);
        size_t room = (size_t)1 << (4 + draw(&seed, 14)), one = 4, least = 1, many;

        for (int d = 0; d < rank; d++) {
            a.shape[d] = draw(&seed, 60);
            a.in[d] = draw(&seed, (uint32_t)a.shape[d]);
            a.out[d] = draw(&seed, (uint32_t)a.shape[d]);
        }
        array_make(&a, rank);
        copy_plan_pieces(&a.v, room, a.step);
        for (int d = 0; d < rank; d++) {
            assert_true(a.step[d] % a.out[d] == 0 || a.step[d] == a.shape[d]);
            assert_true(a.step[d] >= 1 && a.step[d] <= a.shape[d]);
            one *= a.out[d];
            least *= (a.shape[d] - 1) / a.in[d] + 1;
        }
        assert_true(product(a.step, rank) <= (room > one ? room : one));
        many = touches(&a, room);
        assert_true(many >= least);
        if (product(a.shape, rank) <= room)
            assert_int_equal(many, least);   /* there is room for all: nothing is read twice */
        assert_true(many <= touches(&a, 1)); /* never worse than chunk by chunk */
    }
}

/* Planes into pencils: a bar of pencils as thick as the room allows, and not longer ones of each plane. */
TEST(planes_to_pencils)
{
    array a = {.shape = {300, 512, 512}, .in = {1, 512, 512}, .out = {300, 16, 32}};

    array_make(&a, 3);
    copy_plan_pieces(&a.v, (size_t)10 << 20, a.step);
    assert_int_equal(a.step[0], 300);
    assert_true(touches(&a, (size_t)10 << 20) <= 300 * 32); /* 32 pieces of 8 MiB or so, each of all planes */
}

TEST(scalars_and_nothing)
{
    array       a = {.shape = {0, 5}, .in = {1, 5}, .out = {1, 5}};
    copy_pieces p;

    array_make(&a, 0);
    copy_pieces_begin(&p, &a.v, 1);
    assert_int_equal(p.n, 1);
    assert_int_equal(copy_pieces_chunks(&p), 1);
    assert_false(copy_pieces_next(&p));
    copy_pieces_clear(&p);
    array_make(&a, 2);
    copy_plan_pieces(&a.v, 1 << 20, a.step); /* nothing to divide by */
}

TEST(memory_is_divided)
{
    const size_t mib = (size_t)1 << 20;
    copy_opts    o = COPY_OPTS_INIT;
    copy_budget  b;
    size_t       wanted = 0;

    assert_int_equal(nczarr_set_threads(8), NC_NOERR);
    o.memory = 64 * mib;
    assert_true(copy_divide_memory(&o, mib, mib, 0, &b, &wanted));
    assert_true(b.threads >= 4 && b.threads <= 8);
    assert_true(b.slab >= mib && b.slab + 2 * b.cache + 3 * mib * (size_t)b.threads <= o.memory);
    o.memory = 4 * mib; /* three for a codec's work and one for the piece: not quite enough */
    assert_false(copy_divide_memory(&o, mib, mib, 0, &b, &wanted));
    assert_true(wanted > 4 * mib && wanted <= 6 * mib);
    o.memory = wanted;
    assert_true(copy_divide_memory(&o, mib, mib, 0, &b, &wanted));
    assert_int_equal(b.threads, 1);
    o.memory = 0; /* not asked for: what is needed is taken */
    assert_true(copy_divide_memory(&o, 200 * mib, 200 * mib, 0, &b, &wanted));
    assert_true(b.slab >= 200 * mib);
    o.memory = 10 * mib; /* chunks that go as they are: as many at once as there is room for */
    assert_true(copy_divide_memory(&o, 0, 0, 3 * mib, &b, &wanted));
    assert_int_equal(b.movers, 3);
    assert_false(copy_divide_memory(&o, 0, 0, 11 * mib, &b, &wanted));
    o.buffer = mib;
    assert_true(copy_divide_memory(&o, mib / 4, mib / 4, 0, &b, &wanted));
    assert_int_equal(b.slab, mib);
    assert_int_equal(nczarr_set_threads(0), NC_NOERR);
}

TEST(sizes_are_parsed)
{
    static const struct {
        const char *text;
        size_t      n;
    } good[] = {{"1", 1},        {"4096", 4096},    {"2K", 2048},
                {"3m", 3 << 20}, {"1.5M", 3 << 19}, {"2GiB", (size_t)2 << 30},
                {"1KB", 1024}};
    static const char *const bad[] = {"", "0", "-1", "K", "1X", "1KK", "inf", "nan", "1e40", " 5", "5 "};
    size_t                   n;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(size_parse(good[i].text, &n));
        assert_int_equal(n, good[i].n);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(size_parse(bad[i], &n));
}

TEST(names_in_options_are_matched)
{
    name_list list = {.n = 0};
    copy_opts o = COPY_OPTS_INIT;

    assert_true(name_list_add_all(&list, "a,b\\,c,/g/d"));
    assert_int_equal(list.n, 3);
    assert_string_equal(list.name[1], "b,c");
    assert_true(name_list_match(&list, "/g/a"));
    assert_true(name_list_match(&list, "/b,c"));
    assert_true(name_list_match(&list, "/g/d"));
    assert_false(name_list_match(&list, "/h/g/d"));
    assert_false(name_list_match(&list, "/ga"));
    o.vars = list;
    assert_true(copy_parse_chunks(&o, "t/5,lat/"));
    assert_true(copy_parse_chunks(&o, "g/v:1,2"));
    assert_int_equal(o.chunks.n, 3);
    assert_string_equal(o.chunks.v[2].var, "g/v");
    assert_int_equal(o.chunks.v[2].len[1], 2);
    assert_true(copy_parse_filters(&o, "a&b,zstd,3|fletcher32"));
    assert_int_equal(o.filters[0].vars.n, 2);
    assert_string_equal(o.filters[0].spec, "zstd,3|fletcher32");
    copy_opts_clear(&o);
}

/* A set of chunks, larger than its table was at first. */
TEST(chunk_sets)
{
    array          a = {.shape = {100, 100}, .in = {10, 3}, .out = {10, 3}};
    copy_chunk_set set = {.n = 0};
    size_t         of = 0;

    array_make(&a, 2);
    assert_int_equal(copy_grid_size(&a.v, a.in), 10 * 34);
    assert_false(copy_chunk_set_has(&set, &a.v, a.in, (size_t[]){3, 4}));
    assert_int_equal(copy_chunk_set_count(&set, &a.v, a.in, (size_t[]){5, 2}, (size_t[]){10, 2}, &of), 0);
    assert_int_equal(of, 4);
    copy_chunk_set_clear(&set);
}
