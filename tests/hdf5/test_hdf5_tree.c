/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trees of chunks that are written: random changes against a plain list, with a write now and then, read back by the
 * reader; nodes that a write names are not overwritten by the next one.
 */
#include "hdf5/hdf5_int.h"
#include "hdf5/hdf5_json.h"
#include "hdf5/hdf5_tree.h"
#include "support/failing_alloc.h"
#include "support/test.h"

enum { CHUNKS = 4000, START = 64 };

/* ---- a file in memory ---- */

typedef struct disk {
    unsigned char *data;
    size_t         len, cap;
    unsigned       writes, fail_at; /* the write that fails; 0: none */
} disk;

static int
write_disk(void *arg, uint64_t addr, const void *bytes, size_t len)
{
    disk *d = arg;

    if (++d->writes == d->fail_at)
        return ncz_fail(NC_EIO, "no more");
    if (addr + len > d->cap) {
        d->cap = (size_t)(addr + len) * 2;
        d->data = realloc(d->data, d->cap);
    }
    if (addr + len > d->len) {
        memset(d->data + d->len, 0xEE, (size_t)(addr + len) - d->len);
        d->len = (size_t)(addr + len);
    }
    memcpy(d->data + addr, bytes, len);
    return NC_NOERR;
}

static void
put_u64(unsigned char *p, uint64_t v)
{
    for (unsigned i = 0; i < 8; i++)
        p[i] = (unsigned char)(v >> (8 * i));
}

/* A superblock of version 2 (II.A), so that the reader opens the file. */
static void
begin_disk(disk *d)
{
    unsigned char head[START] = "\x89HDF\r\n\x1a\n\x02\x08\x08";
    uint32_t      sum;

    put_u64(head + 20, NCZ_HDF5_NONE);
    put_u64(head + 28, START);
    put_u64(head + 36, 48);
    sum = ncz_hdf5_checksum(head, 44);
    for (unsigned i = 0; i < 4; i++)
        head[44 + i] = (unsigned char)(sum >> (8 * i));
    *d = (disk){.data = NULL};
    assert_int_equal(write_disk(d, 0, head, sizeof head), NC_NOERR);
    d->writes = 0;
}

/* ---- the model: a list ---- */

typedef struct item {
    uint64_t       at[NCZ_HDF5_MAX_RANK];
    ncz_hdf5_place place;
    bool           there;
} item;

typedef struct model {
    unsigned rank;
    uint64_t grid; /* places along each dimension */
    item     items[CHUNKS];
    size_t   n, nthere;
    uint32_t seed;
} model;

static uint32_t
draw(model *m, uint32_t below)
{
    m->seed = m->seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)m->seed * below >> 32);
}

static item *
find_item(model *m, const uint64_t *at)
{
    for (size_t i = 0; i < m->n; i++)
        if (memcmp(m->items[i].at, at, m->rank * sizeof *at) == 0)
            return &m->items[i];
    assert_true(m->n < CHUNKS);
    m->items[m->n] = (item){.there = false};
    memcpy(m->items[m->n].at, at, m->rank * sizeof *at);
    return &m->items[m->n++];
}

static void
assert_same_place(const ncz_hdf5_place *a, const ncz_hdf5_place *b)
{
    assert_true(a->addr == b->addr && a->len == b->len && a->mask == b->mask && a->stamp == b->stamp &&
                a->tag == b->tag);
}

static void
change_chunk(model *m, ncz_hdf5_tree *t, uint32_t how)
{
    uint64_t       at[NCZ_HDF5_MAX_RANK];
    ncz_hdf5_place old = {.addr = 1}, place;
    item          *x;

    for (unsigned d = 0; d < m->rank; d++)
        at[d] = draw(m, (uint32_t)m->grid);
    x = find_item(m, at);
    if (how < 30) {
        bool gone = ncz_hdf5_tree_del(t, at, &old);

        assert_int_equal(gone, x->there);
        if (gone)
            assert_same_place(&old, &x->place);
        m->nthere -= x->there;
        x->there = false;
        return;
    }
    place = (ncz_hdf5_place){1 + draw(m, START - 2), 1, draw(m, 7), draw(m, 5), draw(m, 9)};
    assert_int_equal(ncz_hdf5_tree_set(t, at, &place, &old), NC_NOERR);
    if (x->there)
        assert_same_place(&old, &x->place);
    else
        assert_true(old.addr == NCZ_HDF5_NONE);
    m->nthere += !x->there;
    x->place = place;
    x->there = true;
}

/* ---- comparing ---- */

typedef struct seen {
    model   *m;
    size_t   n;
    uint64_t last[NCZ_HDF5_MAX_RANK];
} seen;

static void
see(seen *s, const uint64_t *at)
{
    for (unsigned d = 0; s->n > 0 && d < s->m->rank; d++) {
        assert_true(at[d] >= s->last[d]);
        if (at[d] > s->last[d])
            break;
        assert_true(d + 1 < s->m->rank);
    }
    memcpy(s->last, at, s->m->rank * sizeof *at);
    s->n++;
}

static int
see_in_tree(void *arg, const uint64_t *at, const ncz_hdf5_place *place)
{
    seen *s = arg;
    item *x = find_item(s->m, at);

    see(s, at);
    assert_true(x->there);
    assert_same_place(place, &x->place);
    return NC_NOERR;
}

static int
see_in_file(void *arg, const ncz_hdf5_chunk *c)
{
    seen *s = arg;
    item *x = find_item(s->m, c->at);

    see(s, c->at);
    assert_true(x->there && c->addr == x->place.addr && c->len == x->place.len && c->mask == x->place.mask);
    return NC_NOERR;
}

static void
check_tree(model *m, const ncz_hdf5_tree *t)
{
    ncz_hdf5_place p;
    seen           s = {.m = m};

    assert_true(ncz_hdf5_tree_count(t) == m->nthere);
    assert_int_equal(ncz_hdf5_tree_each(t, see_in_tree, &s), NC_NOERR);
    assert_int_equal(s.n, m->nthere);
    for (size_t i = 0; i < m->n; i++)
        assert_int_equal(ncz_hdf5_tree_get(t, m->items[i].at, &p), m->items[i].there);
}

static uint64_t
get_number(const unsigned char *p, unsigned nbytes)
{
    uint64_t v = 0;

    for (unsigned i = 0; i < nbytes; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

/* The key behind a node's last child, which the reader passes over, begins what follows. `next`: the first key behind
 * the node; NULL: there is none. */
static void
check_last_keys(const model *m, const disk *d, uint64_t addr, const unsigned char *next)
{
    size_t               key = 16 + 8 * (size_t)m->rank, n = (size_t)get_number(d->data + addr + 6, 2);
    const unsigned char *keys = d->data + addr + 24, *last = keys + n * (key + 8);

    assert_true(n > 0);
    if (next != NULL)
        assert_memory_equal(last + 8, next + 8, key - 8);
    for (unsigned i = 0; next == NULL && i < (d->data[addr + 5] > 0 ? 1 : m->rank); i++)
        assert_true(get_number(last + 8 + 8 * i, 8) > get_number(last - key - 8 + 8 + 8 * i, 8));
    for (size_t i = 0; d->data[addr + 5] > 0 && i < n; i++)
        check_last_keys(m, d, get_number(keys + i * (key + 8) + key, 8),
                        i + 1 < n ? keys + (i + 1) * (key + 8) : next);
}

/* A dataset whose header says that its chunks are in that tree. */
static ncz_hdf5_object
describe_dataset(const model *m, const uint64_t *chunk, uint64_t root)
{
    ncz_hdf5_object o = {.kind = NCZ_HDF5_DATASET};

    o.space = (ncz_hdf5_space){.kind = NCZ_HDF5_SIMPLE, .rank = m->rank};
    o.layout = (ncz_hdf5_layout){.kind = NCZ_HDF5_CHUNKED, .index = NCZ_HDF5_INDEX_BTREE1, .rank = m->rank};
    o.layout.element = 4;
    o.layout.addr = root;
    for (unsigned i = 0; i < m->rank; i++) {
        o.layout.chunk[i] = chunk[i];
        o.space.shape[i] = o.space.most[i] = m->grid * chunk[i];
    }
    return o;
}

static ncz_hdf5 *
open_disk(const disk *d, hdf5_bytes *bytes)
{
    ncz_read_source source;
    ncz_hdf5       *f = NULL;

    *bytes = (hdf5_bytes){.data = d->data, .len = d->len};
    source = hdf5_bytes_source(bytes);
    assert_int_equal(ncz_hdf5_open(&source, &ncz_limits_default, &f), NC_NOERR);
    return f;
}

/* The reader checks signatures, levels and the order of the keys. */
static void
check_file(model *m, const disk *d, const uint64_t *chunk, uint64_t root)
{
    hdf5_bytes      bytes;
    ncz_hdf5       *f = open_disk(d, &bytes);
    ncz_hdf5_object o = describe_dataset(m, chunk, root);
    seen            s = {.m = m};

    if (ncz_hdf5_chunks(f, &o, NULL, NULL, see_in_file, &s, NULL) != NC_NOERR)
        fail_msg("%s", ncz_err_text());
    assert_int_equal(s.n, m->nthere);
    ncz_hdf5_close(f);
    if (root != NCZ_HDF5_NONE)
        check_last_keys(m, d, root, NULL);
}

/* The tree as another session finds it in the file, with 2 * k children to a node. */
static void
load_again(model *m, const disk *d, const uint64_t *chunk, uint64_t root, unsigned k, ncz_hdf5_tree **t)
{
    hdf5_bytes      bytes;
    ncz_hdf5       *f = open_disk(d, &bytes);
    ncz_hdf5_object o = describe_dataset(m, chunk, root);

    ncz_hdf5_tree_free(*t);
    assert_int_equal(ncz_hdf5_tree_new(m->rank, chunk, 4, k, t), NC_NOERR);
    if (ncz_hdf5_tree_load(*t, f, &o) != NC_NOERR)
        fail_msg("%s", ncz_err_text());
    for (size_t i = 0; i < m->n; i++)
        m->items[i].place.stamp = m->items[i].place.tag = 0;
    ncz_hdf5_close(f);
    check_tree(m, *t);
}

/* ---- the last commit ---- */

typedef struct snapshot {
    model    m;
    uint64_t root;
} snapshot;

static void
commit(ncz_hdf5_room *room, const model *m, uint64_t root, snapshot *s)
{
    ncz_hdf5_room_publish(room);
    ncz_hdf5_room_committed(room, 0, 0);
    *s = (snapshot){.m = *m, .root = root};
}

static void
run_random(unsigned rank, unsigned k, uint32_t seed)
{
    static model    m;
    static snapshot last;
    uint64_t        chunk[NCZ_HDF5_MAX_RANK], root = NCZ_HDF5_NONE;
    ncz_hdf5_tree  *t = NULL;
    ncz_hdf5_room  *room = NULL;
    disk            d;

    m = (model){.rank = rank, .grid = rank == 1 ? 1500 : rank == 2 ? 40 : rank < 5 ? 8 : 3, .seed = seed};
    for (unsigned i = 0; i < rank; i++)
        chunk[i] = i + 1;
    begin_disk(&d);
    assert_int_equal(ncz_hdf5_room_new(START, &room), NC_NOERR);
    assert_int_equal(ncz_hdf5_tree_new(rank, chunk, 4, k, &t), NC_NOERR);
    commit(room, &m, root, &last);
    for (unsigned round = 0; round < 14; round++) {
        uint32_t deletes = round % 6 == 5 ? 90 : 20; /* of a hundred */

        for (unsigned i = 0; i < 80; i++)
            change_chunk(&m, t, draw(&m, 100) < deletes ? 0 : 50);
        check_tree(&m, t);
        if (round % 7 == 3)
            assert_int_equal(ncz_hdf5_tree_pack(t), NC_NOERR);
        assert_int_equal(ncz_hdf5_tree_write(t, room, write_disk, &d, &root), NC_NOERR);
        assert_false(ncz_hdf5_tree_changed(t));
        assert_true((root == NCZ_HDF5_NONE) == (m.nthere == 0));
        check_file(&m, &d, chunk, root);
        check_file(&last.m, &d, chunk, last.root);
        if (round % 4 != 2)
            commit(room, &m, root, &last);
        if (round % 3 == 1)
            load_again(&m, &d, chunk, root, round == 10 && k > 1 ? k - 1 : k, &t);
    }
    ncz_hdf5_tree_free(t);
    ncz_hdf5_room_free(room);
    free(d.data);
}

TEST(random_changes_of_a_tree_are_read_back_and_the_last_commit_stays)
{
    static const unsigned ranks[] = {1, 2, 3, 4, 7, 31}, ks[] = {1, 2, 4, 8, 32};

    for (size_t i = 0; i < NCZ_LEN(ranks); i++)
        for (size_t k = 0; k < NCZ_LEN(ks); k++)
            run_random(ranks[i], ks[k], (uint32_t)(i * 100 + k));
}

TEST(all_chunks_can_be_removed)
{
    static model   m;
    const uint64_t chunk[] = {3};
    uint64_t       root = 0;
    ncz_hdf5_tree *t = NULL;
    ncz_hdf5_room *room = NULL;
    disk           d;

    m = (model){.rank = 1, .grid = 300, .seed = 5};
    begin_disk(&d);
    assert_int_equal(ncz_hdf5_room_new(START, &room), NC_NOERR);
    assert_int_equal(ncz_hdf5_tree_new(1, chunk, 4, 2, &t), NC_NOERR);
    for (unsigned i = 0; i < 400; i++)
        change_chunk(&m, t, 50);
    assert_int_equal(ncz_hdf5_tree_write(t, room, write_disk, &d, &root), NC_NOERR);
    for (size_t i = 0; i < m.n; i++) {
        ncz_hdf5_place old;

        assert_true(ncz_hdf5_tree_del(t, m.items[i].at, &old));
        m.items[i].there = false;
        m.nthere--;
        check_tree(&m, t);
    }
    assert_int_equal(ncz_hdf5_tree_write(t, room, write_disk, &d, &root), NC_NOERR);
    assert_true(root == NCZ_HDF5_NONE);
    assert_true(ncz_hdf5_room_end(room) == START); /* no commit named its nodes */
    ncz_hdf5_tree_free(t);
    ncz_hdf5_room_free(room);
    free(d.data);
}

/* ---- appending ---- */

typedef struct appended {
    ncz_hdf5_tree *t;
    ncz_hdf5_room *room;
    disk           d;
    uint64_t       root;
} appended;

static void
append_chunks(appended *a, uint64_t from, uint64_t n)
{
    for (uint64_t i = from; i < from + n; i++) {
        ncz_hdf5_place place = {.addr = 8, .len = 1}, old;

        assert_int_equal(ncz_hdf5_tree_set(a->t, &i, &place, &old), NC_NOERR);
    }
}

TEST(a_dataset_in_order_has_full_nodes_and_an_append_writes_one_of_each_level)
{
    const uint64_t chunk[] = {1};
    appended       a = {.t = NULL};
    uint64_t       bound, before;

    begin_disk(&a.d);
    assert_int_equal(ncz_hdf5_room_new(START, &a.room), NC_NOERR);
    assert_int_equal(ncz_hdf5_tree_new(1, chunk, 8, 8, &a.t), NC_NOERR);
    append_chunks(&a, 0, 1000);
    assert_true(ncz_hdf5_tree_bound(1, 8, 1000, &bound));
    assert_true(ncz_hdf5_tree_bytes(a.t) == bound);
    assert_int_equal(ncz_hdf5_tree_write(a.t, a.room, write_disk, &a.d, &a.root), NC_NOERR);
    assert_int_equal(a.d.writes, 1);
    assert_true(ncz_hdf5_room_end(a.room) == START + bound);
    ncz_hdf5_room_publish(a.room);
    ncz_hdf5_room_committed(a.room, 0, 0);
    before = ncz_hdf5_room_end(a.room);
    append_chunks(&a, 1000, 1);
    assert_int_equal(ncz_hdf5_tree_write(a.t, a.room, write_disk, &a.d, &a.root), NC_NOERR);
    assert_true(ncz_hdf5_tree_bound(1, 8, 1, &bound));
    assert_true(ncz_hdf5_room_end(a.room) == before + 3 * bound);
    assert_int_equal(ncz_hdf5_tree_write(a.t, a.room, write_disk, &a.d, &a.root), NC_NOERR);
    assert_true(ncz_hdf5_room_end(a.room) == before + 3 * bound);
    ncz_hdf5_tree_free(a.t);
    ncz_hdf5_room_free(a.room);
    free(a.d.data);
}

TEST(a_tree_that_is_packed_has_full_nodes_whatever_the_order_was)
{
    const uint64_t chunk[] = {1};
    ncz_hdf5_tree *t = NULL;
    uint64_t       bound;

    assert_int_equal(ncz_hdf5_tree_new(1, chunk, 8, 8, &t), NC_NOERR);
    assert_int_equal(ncz_hdf5_tree_pack(t), NC_NOERR);
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t       at = i * 387 % 1000;
        ncz_hdf5_place place = {.addr = at * 8, .len = 8}, old;

        assert_int_equal(ncz_hdf5_tree_set(t, &at, &place, &old), NC_NOERR);
    }
    assert_true(ncz_hdf5_tree_bound(1, 8, 1000, &bound));
    assert_true(ncz_hdf5_tree_bytes(t) > bound);
    assert_int_equal(ncz_hdf5_tree_pack(t), NC_NOERR);
    assert_true(ncz_hdf5_tree_bytes(t) == bound);
    assert_true(ncz_hdf5_tree_count(t) == 1000);
    for (uint64_t at = 0; at < 1000; at++) {
        ncz_hdf5_place place;

        assert_true(ncz_hdf5_tree_get(t, &at, &place));
        assert_true(place.addr == at * 8);
    }
    ncz_hdf5_tree_free(t);
}

static uint64_t
unused(const ncz_hdf5_room *room)
{
    ncz_hdf5_room_sums s;

    ncz_hdf5_room_count(room, &s);
    return s.free + s.given_up;
}

/* A tree of three levels. */
TEST(of_a_tree_that_is_loaded_only_what_changes_is_written_unless_it_has_siblings)
{
    static model   m;
    const uint64_t chunk[] = {1};
    appended       a = {.t = NULL};
    uint64_t       node, before;

    begin_disk(&a.d);
    m = (model){.rank = 1, .grid = 1500};
    assert_int_equal(ncz_hdf5_room_new(START, &a.room), NC_NOERR);
    assert_int_equal(ncz_hdf5_tree_new(1, chunk, 4, 4, &a.t), NC_NOERR);
    append_chunks(&a, 0, 500);
    assert_int_equal(ncz_hdf5_tree_write(a.t, a.room, write_disk, &a.d, &a.root), NC_NOERR);
    ncz_hdf5_room_publish(a.room);
    assert_true(ncz_hdf5_tree_bound(1, 4, 1, &node));
    for (unsigned siblings = 0; siblings < 2; siblings++) {
        hdf5_bytes      bytes;
        ncz_hdf5       *f;
        ncz_hdf5_object o = describe_dataset(&m, chunk, a.root);

        if (siblings == 1) /* of the first leaf */
            put_u64(a.d.data + get_number(a.d.data + get_number(a.d.data + a.root + 48, 8) + 48, 8) + 16, START);
        f = open_disk(&a.d, &bytes);
        ncz_hdf5_tree_free(a.t);
        a.t = NULL;
        assert_int_equal(ncz_hdf5_tree_new(1, chunk, 4, 4, &a.t), NC_NOERR);
        assert_int_equal(ncz_hdf5_tree_load(a.t, f, &o), NC_NOERR);
        ncz_hdf5_close(f);
        assert_false(ncz_hdf5_tree_changed(a.t));
        append_chunks(&a, 500 + siblings, 1);
        before = unused(a.room);
        assert_int_equal(ncz_hdf5_tree_write(a.t, a.room, write_disk, &a.d, &a.root), NC_NOERR);
        assert_true(unused(a.room) - before == (siblings == 0 ? 3 : 5) * node);
    }
    ncz_hdf5_tree_free(a.t);
    ncz_hdf5_room_free(a.room);
    free(a.d.data);
}

TEST(a_damaged_tree_is_not_loaded)
{
    static model   m;
    const uint64_t chunk[] = {1}, other[] = {2};
    appended       a = {.t = NULL};

    begin_disk(&a.d);
    m = (model){.rank = 1, .grid = 1500};
    assert_int_equal(ncz_hdf5_room_new(START, &a.room), NC_NOERR);
    assert_int_equal(ncz_hdf5_tree_new(1, chunk, 4, 4, &a.t), NC_NOERR);
    append_chunks(&a, 0, 30);
    assert_int_equal(ncz_hdf5_tree_write(a.t, a.room, write_disk, &a.d, &a.root), NC_NOERR);
    for (size_t i = 0; i <= a.d.len - START; i++) {
        unsigned char  *byte = a.d.data + START + i, was = i < a.d.len - START ? *byte : 0;
        hdf5_bytes      bytes;
        ncz_hdf5       *f;
        ncz_hdf5_object o = describe_dataset(&m, i < a.d.len - START ? chunk : other, a.root);
        int             rc;

        if (i < a.d.len - START)
            *byte = (unsigned char)(was ^ 0xFF);
        f = open_disk(&a.d, &bytes);
        ncz_hdf5_tree_free(a.t);
        a.t = NULL;
        assert_int_equal(ncz_hdf5_tree_new(1, chunk, 4, 4, &a.t), NC_NOERR);
        rc = ncz_hdf5_tree_load(a.t, f, &o);
        assert_true(rc == NC_NOERR || rc == NC_EHDFERR || rc == NC_ENOTBUILT || rc == NC_EINVAL);
        assert_true(rc == NC_NOERR || ncz_err_text()[0] != '\0');
        ncz_hdf5_close(f);
        if (i < a.d.len - START)
            *byte = was;
    }
    ncz_hdf5_tree_free(a.t);
    ncz_hdf5_room_free(a.room);
    free(a.d.data);
}

TEST(a_write_that_fails_changes_nothing_and_can_be_made_again)
{
    const uint64_t chunk[] = {1};
    appended       a = {.t = NULL};
    uint64_t       end;

    begin_disk(&a.d);
    assert_int_equal(ncz_hdf5_room_new(START, &a.room), NC_NOERR);
    assert_int_equal(ncz_hdf5_tree_new(1, chunk, 8, 4, &a.t), NC_NOERR);
    append_chunks(&a, 0, 500);
    end = ncz_hdf5_room_end(a.room);
    a.d.fail_at = 1;
    assert_int_equal(ncz_hdf5_tree_write(a.t, a.room, write_disk, &a.d, &a.root), NC_EIO);
    assert_true(ncz_hdf5_room_end(a.room) == end && ncz_hdf5_tree_changed(a.t));
    assert_int_equal(ncz_hdf5_tree_write(a.t, a.room, write_disk, &a.d, &a.root), NC_NOERR);
    assert_true(ncz_hdf5_room_end(a.room) == START + ncz_hdf5_tree_bytes(a.t));
    ncz_hdf5_tree_give(a.t, a.room);
    assert_true(ncz_hdf5_room_end(a.room) == START);
    ncz_hdf5_tree_free(a.t);
    ncz_hdf5_room_free(a.room);
    free(a.d.data);
}

/* ---- failures ---- */

static int
use_without_memory(disk *d)
{
    const uint64_t chunk[] = {1, 1};
    ncz_hdf5_tree *t = NULL;
    ncz_hdf5_room *room = NULL;
    uint64_t       root, n = 0;
    int            rc, failed = NC_NOERR;

    if ((rc = ncz_hdf5_room_new(START, &room)) == NC_NOERR)
        rc = ncz_hdf5_tree_new(2, chunk, 8, 2, &t);
    for (uint64_t i = 0; i < 60 && rc == NC_NOERR; i++) {
        uint64_t       at[] = {i * 7 % 60, i % 3};
        ncz_hdf5_place place = {.addr = 8, .len = 1}, old;
        int            set = ncz_hdf5_tree_set(t, at, &place, &old);

        failed = set != NC_NOERR ? set : failed;
        n += set == NC_NOERR;
        assert_true(ncz_hdf5_tree_count(t) == n);
    }
    if (rc == NC_NOERR && (rc = ncz_hdf5_tree_write(t, room, write_disk, d, &root)) == NC_NOERR)
        assert_true(ncz_hdf5_room_end(room) == START + ncz_hdf5_tree_bytes(t));
    else if (room != NULL)
        assert_true(ncz_hdf5_room_end(room) == START);
    ncz_hdf5_tree_free(t);
    ncz_hdf5_room_free(room);
    return failed != NC_NOERR ? failed : rc;
}

TEST(each_allocation_may_fail)
{
    disk d;
    bool more = true;

    begin_disk(&d);
    for (size_t nth = 1; more; nth++) {
        int rc;

        fail_allocation(nth);
        rc = use_without_memory(&d);
        more = end_failing();
        assert_int_equal(rc, more ? NC_ENOMEM : NC_NOERR);
    }
    free(d.data);
}

TEST(what_no_tree_can_be_is_refused)
{
    const uint64_t none[] = {0}, chunk[] = {1 << 20}, far[] = {(uint64_t)INT64_MAX >> 20};
    ncz_hdf5_place place = {.addr = 8, .len = 1}, old;
    ncz_hdf5_tree *t = NULL;
    uint64_t       bytes;

    assert_int_equal(ncz_hdf5_tree_new(0, none, 4, 4, &t), NC_EINVAL);
    assert_int_equal(ncz_hdf5_tree_new(1, none, 4, 4, &t), NC_EINVAL);
    assert_int_equal(ncz_hdf5_tree_new(1, chunk, 4, 0, &t), NC_EINVAL);
    assert_int_equal(ncz_hdf5_tree_new(33, chunk, 4, 4, &t), NC_EINVAL);
    assert_int_equal(ncz_hdf5_tree_new(1, chunk, 4, 4, &t), NC_NOERR);
    assert_int_equal(ncz_hdf5_tree_set(t, far, &place, &old), NC_EINVAL);
    assert_true(ncz_hdf5_tree_count(t) == 0);
    ncz_hdf5_tree_free(t);
    ncz_hdf5_tree_free(NULL);
    assert_false(ncz_hdf5_tree_bound(3, 1, UINT64_MAX, &bytes));
    assert_true(ncz_hdf5_tree_bound(3, 1, 0, &bytes) && bytes == 0);
}
