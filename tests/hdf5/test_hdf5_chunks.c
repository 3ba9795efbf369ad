/* SPDX-License-Identifier: BSD-3-Clause */
/* Chunks of a part of the grid: those of the whole grid that lie in it, whatever the index. */
#include "hdf5/golden.h"
#include "support/test.h"

#define PLACES 512

typedef struct found {
    unsigned rank;
    size_t   n;
    struct {
        uint64_t at[NCZ_HDF5_MAX_RANK], addr, len;
    } v[PLACES];
} found;

static int
take_chunk(void *arg, const ncz_hdf5_chunk *c)
{
    found *x = arg;

    assert_true(x->n < PLACES);
    memcpy(x->v[x->n].at, c->at, x->rank * sizeof *c->at);
    x->v[x->n].addr = c->addr;
    x->v[x->n++].len = c->len;
    return NC_NOERR;
}

static bool
is_in(const found *x, size_t i, const uint64_t *first, const uint64_t *last)
{
    for (unsigned d = 0; d < x->rank; d++)
        if (x->v[i].at[d] < first[d] || x->v[i].at[d] > last[d])
            return false;
    return true;
}

static void
check_part(ncz_hdf5 *f, const ncz_hdf5_object *o, const found *all, const uint64_t *first, const uint64_t *last)
{
    static found part;
    size_t       n = 0;

    part.rank = all->rank;
    part.n = 0;
    assert_int_equal(ncz_hdf5_chunks(f, o, first, last, take_chunk, &part, NULL), NC_NOERR);
    for (size_t i = 0; i < all->n; i++)
        if (is_in(all, i, first, last)) {
            assert_true(n < part.n);
            assert_int_equal(part.v[n].addr, all->v[i].addr);
            assert_int_equal(part.v[n].len, all->v[i].len);
            assert_memory_equal(part.v[n++].at, all->v[i].at, all->rank * sizeof *first);
        }
    assert_int_equal(part.n, n);
}

static unsigned
draw(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed >> 16 & 0x7fff;
}

static int
stop(void *arg, const ncz_hdf5_chunk *c)
{
    (void)c;
    ++*(int *)arg;
    return NC_ERANGE;
}

static void
check_dataset(ncz_hdf5 *f, const ncz_hdf5_object *o)
{
    static found all;
    uint64_t     first[NCZ_HDF5_MAX_RANK], last[NCZ_HDF5_MAX_RANK];
    unsigned     seed = 1;
    int          calls = 0;

    all.rank = o->layout.rank;
    all.n = 0;
    assert_int_equal(ncz_hdf5_chunks(f, o, NULL, NULL, take_chunk, &all, NULL), NC_NOERR);
    assert_true(all.n > 0);
    for (size_t i = 0; i < all.n; i++)
        check_part(f, o, &all, all.v[i].at, all.v[i].at);
    for (unsigned i = 0; i < 200; i++) {
        for (unsigned d = 0; d < all.rank; d++) {
            uint64_t n = ncz_count_parts(o->space.shape[d], o->layout.chunk[d]);

            first[d] = draw(&seed) % (n + 1);
            last[d] = first[d] + draw(&seed) % (n + 2);
        }
        check_part(f, o, &all, first, last);
    }
    assert_int_equal(ncz_hdf5_chunks(f, o, NULL, NULL, stop, &calls, NULL), NC_ERANGE);
    assert_int_equal(calls, 1);
}

/* All indexes are there. */
TEST(every_index_of_chunks_is_read)
{
    static const char *const names[] = {"earliest.h5", "v110.h5", "v200.h5"};
    unsigned                 seen = 0;

    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        ncz_buf         file;
        hdf5_bytes      bytes;
        ncz_hdf5_object data, o;
        uint64_t        addr;
        ncz_hdf5       *f;

        golden_load(names[i], &file);
        f = golden_open(&file, &bytes);
        assert_int_equal(ncz_hdf5_find(f, ncz_hdf5_root(f), "data", &addr), NC_NOERR);
        assert_int_equal(ncz_hdf5_object_read(f, addr, &data), NC_NOERR);
        assert_int_equal(ncz_hdf5_links(f, &data), NC_NOERR);
        for (size_t k = 0; k < data.nlinks; k++) {
            assert_int_equal(ncz_hdf5_object_read(f, data.links[k].addr, &o), NC_NOERR);
            if (o.layout.kind == NCZ_HDF5_CHUNKED) {
                check_dataset(f, &o);
                seen |= 1u << o.layout.index;
            } else {
                assert_int_equal(ncz_hdf5_chunks(f, &o, NULL, NULL, take_chunk, NULL, NULL), NC_EINVAL);
            }
            ncz_hdf5_object_clear(&o);
        }
        ncz_hdf5_object_clear(&data);
        ncz_hdf5_close(f);
        ncz_buf_clear(&file);
    }
    assert_int_equal(seen, 63);
}
