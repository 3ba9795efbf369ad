/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Elements in heaps: texts that the map's user has one after the other, each with its length in front, and the file as
 * elements of variable length. They are read back, from the map and by the reader, after puts, commits and failures;
 * collections that nothing names any more give their room up.
 */
#include "container/container_help.h"
#include "hdf5/hdf5_json.h"
#include "support/failing_alloc.h"
#include "support/test.h"

#include <pthread.h>

enum { ELEMENTS = 12, CHUNKS = 30, TEXTS_MOST = 5000 };

static const ncz_container_commit_opts plain = {.durable = true}, last = {.last = true};

/* ---- the conversion ---- */

static int
texts_out(void *arg, const void *in, size_t n, ncz_container_heap *heap, ncz_buf *out)
{
    const char   *p = in, *end = p + n;
    unsigned char element[NCZ_CONTAINER_ELEMENT];
    int           rc = NC_NOERR;

    assert_true(arg == &plain);
    while (p < end && rc == NC_NOERR) {
        uint32_t len;

        memcpy(&len, p, sizeof len);
        if ((rc = ncz_container_heap_add(heap, p + sizeof len, len, len, element)) == NC_NOERR)
            rc = ncz_buf_append(out, element, sizeof element);
        p += sizeof len + len;
    }
    return rc;
}

static int
texts_in(void *arg, const void *bytes, size_t n, uint32_t mask, ncz_container_read *read, ncz_buf *out)
{
    int rc = NC_NOERR;

    assert_true(arg == &plain && mask == 0);
    for (size_t i = 0; i < n && rc == NC_NOERR; i += NCZ_CONTAINER_ELEMENT) {
        const unsigned char *data;
        uint32_t             nelems, written;
        size_t               len;

        if ((rc = ncz_container_heap_get(read, (const unsigned char *)bytes + i, &data, &len, &nelems)) != NC_NOERR)
            break;
        assert_true(nelems == len);
        written = (uint32_t)len;
        if ((rc = ncz_buf_append(out, &written, sizeof written)) == NC_NOERR)
            rc = ncz_buf_append(out, data, len);
    }
    return rc;
}

static const ncz_container_convert convert = {texts_out, texts_in};

/* ---- the arrays: 1 chunked, 2 contiguous in pieces of one row, 3 compact ---- */

static void
set_up(help_model *m, log_file *f, zmap **map)
{
    const ncz_container_array arrays[] = {
        {.uid = 1, .kind = NCZ_HDF5_CHUNKED, .rank = 1, .element = 16, .chunk = {ELEMENTS}},
        {.uid = 2,
         .kind = NCZ_HDF5_CONTIGUOUS,
         .rank = 2,
         .element = 16,
         .shape = {CHUNKS, ELEMENTS},
         .chunk = {1, ELEMENTS}},
        {.uid = 3, .kind = NCZ_HDF5_COMPACT, .rank = 1, .element = 16, .shape = {ELEMENTS}, .chunk = {ELEMENTS}},
    };
    zmap *file = NULL;

    *m = (help_model){.narrays = NCZ_LEN(arrays), .seed = 9};
    memcpy(m->arrays, arrays, sizeof arrays);
    for (size_t i = 0; i < m->narrays; i++) {
        m->arrays[i].convert = &convert;
        m->arrays[i].convert_arg = (void *)(uintptr_t)&plain;
    }
    *f = (log_file){.data = NULL};
    assert_int_equal(log_file_open(f, &file), NC_NOERR);
    assert_int_equal(ncz_container_create(file, 8, 0, map), NC_NOERR);
    help_set_arrays(m, *map);
}

static size_t
draw_texts(help_model *m, char *out)
{
    uint32_t most = help_draw(&m->seed, 6) == 0 ? TEXTS_MOST : 60;
    size_t   at = 0;

    for (unsigned i = 0; i < ELEMENTS; i++) {
        uint32_t len = help_draw(&m->seed, 3) == 0 ? 0 : help_draw(&m->seed, most);

        memcpy(out + at, &len, sizeof len);
        at += sizeof len;
        for (uint32_t k = 0; k < len; k++)
            out[at++] = (char)('a' + help_draw(&m->seed, 26));
    }
    return at;
}

static int
change(help_model *m, zmap *map)
{
    static char texts[ELEMENTS * (TEXTS_MOST + 4)];
    uint32_t    seed = m->seed;
    uint64_t    uid = 1 + help_draw(&m->seed, 3), at[4] = {0};
    const char *key;
    size_t      len;
    int         rc;

    at[0] = uid == 3 ? 0 : help_draw(&m->seed, CHUNKS);
    key = help_key(m, uid, at);
    if (help_draw(&m->seed, 12) == 0) {
        rc = zmap_del(map, &key, 1);
        len = 0;
    } else {
        len = draw_texts(m, texts);
        rc = zmap_put(map, key, texts, len);
    }
    if (rc == NC_NOERR)
        help_note(m, uid, at, len > 0 ? texts : NULL, len);
    else
        m->seed = seed;
    return rc;
}

/* ---- the file ---- */

typedef struct looking {
    help_model *m;
    ncz_hdf5   *f;
    const char *data;
    size_t      n;
} looking;

/* Elements of the file are the texts of an object; without one they have nothing. */
static void
check_elements(looking *l, uint64_t uid, const uint64_t *at, const unsigned char *elements)
{
    const help_object *x = help_find(l->m, uid, at);
    const char        *p = x != NULL ? x->bytes : NULL;

    for (unsigned i = 0; i < ELEMENTS; i++) {
        ncz_hdf5_heap_id     id;
        const unsigned char *bytes = NULL;
        size_t               n = 0;
        uint32_t             len = 0;

        ncz_hdf5_heap_id_get(l->f, elements + i * (size_t)16, &id);
        if (ncz_hdf5_heap_get(l->f, &id, &bytes, &n) != NC_NOERR)
            fail_msg("%s", ncz_err_text());
        if (p != NULL) {
            memcpy(&len, p, sizeof len);
            p += sizeof len;
        }
        assert_int_equal(n, len);
        if (len > 0)
            assert_memory_equal(bytes, p, len);
        p = p != NULL ? p + len : NULL;
    }
}

static int
look_at_chunk(void *arg, const ncz_hdf5_chunk *c)
{
    looking *l = arg;

    assert_true(help_find(l->m, 1, c->at) != NULL && c->len == ELEMENTS * 16);
    check_elements(l, 1, c->at, (const unsigned char *)l->data + c->addr);
    l->n++;
    return NC_NOERR;
}

static void
check_file(help_model *m, const log_file *file)
{
    hdf5_bytes      bytes = {.data = (const unsigned char *)file->data, .len = file->len};
    ncz_read_source source = hdf5_bytes_source(&bytes);
    looking         l = {.m = m, .data = file->data};
    ncz_hdf5_object o;
    uint64_t        addr, at[4] = {0};

    if (ncz_hdf5_open(&source, &ncz_limits_default, &l.f) != NC_NOERR)
        fail_msg("%s", ncz_err_text());
    for (unsigned uid = 1; uid <= 3; uid++) {
        const char name[] = {(char)('0' + uid), '\0'};

        ncz_hdf5_heap_begin(l.f);
        assert_int_equal(ncz_hdf5_find(l.f, ncz_hdf5_root(l.f), name, &addr), NC_NOERR);
        assert_int_equal(ncz_hdf5_object_read(l.f, addr, &o), NC_NOERR);
        if (uid == 1)
            assert_int_equal(ncz_hdf5_chunks(l.f, &o, NULL, NULL, look_at_chunk, &l, NULL), NC_NOERR);
        else if (uid == 3)
            check_elements(&l, 3, at, o.layout.data);
        for (at[0] = 0; uid == 2 && o.layout.addr != NCZ_HDF5_NONE && at[0] < CHUNKS; at[0]++)
            check_elements(&l, 2, at,
                           (const unsigned char *)file->data + o.layout.addr + at[0] * ELEMENTS * (uint64_t)16);
        at[0] = 0;
        ncz_hdf5_object_clear(&o);
    }
    ncz_hdf5_close(l.f);
}

/* ---- tests ---- */

TEST(texts_are_read_back_from_the_map_and_from_each_commit)
{
    static help_model m;
    log_file          f;
    zmap             *map = NULL;

    set_up(&m, &f, &map);
    for (unsigned i = 0; i < 30; i++) {
        for (unsigned k = 0; k < 15; k++)
            assert_int_equal(change(&m, map), NC_NOERR);
        help_check_map(&m, map);
        if (help_commit(&m, map, i == 29 ? &last : &plain) != NC_NOERR)
            fail_msg("%s", ncz_err_text());
        check_file(&m, &f);
        help_check_map(&m, map);
    }
    zmap_close(map, ZMAP_KEEP);
    help_model_clear(&m);
    log_file_clear(&f);
}

TEST(collections_that_nothing_names_give_their_room_up)
{
    static help_model  m;
    log_file           f;
    zmap              *map = NULL;
    ncz_container_sums before, after;

    set_up(&m, &f, &map);
    ncz_container_count(map, &before);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned k = 0; k < 300; k++)
            assert_int_equal(change(&m, map), NC_NOERR);
        for (uint64_t uid = 1; uid <= 3; uid++)
            assert_int_equal(ncz_container_drop(map, uid), NC_NOERR);
        help_model_clear(&m);
        help_set_arrays(&m, map);
        assert_int_equal(help_commit(&m, map, &plain), NC_NOERR);
        assert_int_equal(help_commit(&m, map, &plain), NC_NOERR);
        assert_int_equal(help_commit(&m, map, &last), NC_NOERR);
        ncz_container_count(map, &after);
        assert_true(after.lost == 0 && after.end < before.end + 4000);
    }
    zmap_close(map, ZMAP_KEEP);
    log_file_clear(&f);
}

TEST(a_long_text_has_a_collection_of_its_own)
{
    static help_model m;
    log_file          f;
    zmap             *map = NULL;
    const uint32_t    len = 3 << 20;
    char             *text = calloc(1, len + ELEMENTS * sizeof len);
    uint64_t          at[4] = {0};

    set_up(&m, &f, &map);
    memcpy(text, &len, sizeof len);
    memset(text + sizeof len, 'x', len);
    assert_int_equal(zmap_put(map, "1/0", text, len + ELEMENTS * sizeof len), NC_NOERR);
    help_note(&m, 1, at, text, len + ELEMENTS * sizeof len);
    assert_int_equal(help_commit(&m, map, &last), NC_NOERR);
    check_file(&m, &f);
    help_check_map(&m, map);
    free(text);
    zmap_close(map, ZMAP_KEEP);
    help_model_clear(&m);
    log_file_clear(&f);
}

static int
run_failing(size_t allocation, size_t fail_at, bool *failed)
{
    static help_model m;
    log_file          f;
    zmap             *map = NULL;
    int               rc, first = NC_NOERR;

    set_up(&m, &f, &map);
    f.fail_at = fail_at;
    f.fails = fail_at > 0;
    if (allocation > 0)
        fail_allocation(allocation);
    for (unsigned i = 0; i < 40; i++)
        while ((rc = change(&m, map)) != NC_NOERR)
            first = rc;
    while ((rc = help_commit(&m, map, &plain)) != NC_NOERR)
        first = rc;
    for (unsigned i = 0; i < 20; i++)
        while ((rc = change(&m, map)) != NC_NOERR)
            first = rc;
    while ((rc = help_commit(&m, map, &plain)) != NC_NOERR)
        first = rc;
    (void)end_failing();
    *failed = first != NC_NOERR;
    f.fail_at = 0;
    help_check_map(&m, map);
    check_file(&m, &f);
    zmap_close(map, ZMAP_KEEP);
    help_model_clear(&m);
    log_file_clear(&f);
    return first;
}

TEST(after_any_failure_the_same_call_can_be_made_again)
{
    bool failed = true;

    for (size_t i = 1; failed; i++)
        (void)run_failing(0, i, &failed);
    failed = true;
    for (size_t i = 1; failed; i++) {
        int rc = run_failing(i, 0, &failed);

        assert_int_equal(rc, failed ? NC_ENOMEM : NC_NOERR);
    }
}

TEST(a_damaged_collection_is_an_error)
{
    static help_model m;
    log_file          f;
    zmap             *map = NULL;
    ncz_buf           body = NCZ_BUF_INIT;
    char              text[4 + 3000] = {0};
    const uint32_t    len = 3000;
    size_t            at = 0;

    set_up(&m, &f, &map);
    memcpy(text, &len, sizeof len);
    assert_int_equal(zmap_put(map, "1/0", text, sizeof text), NC_NOERR);
    assert_int_equal(help_commit(&m, map, &plain), NC_NOERR);
    while (memcmp(f.data + at, "GCOL", 4) != 0)
        at++;
    memset(f.data + at + 8, 0xFF, 8); /* its size */
    assert_int_equal(zmap_get(map, "1/0", &body), NC_EHDFERR);
    memset(f.data + at + 8, 0, 8);
    f.data[at + 9] = 0x10;
    memset(f.data + at + 24, 0xFF, 8); /* the size of its first object */
    assert_int_equal(zmap_get(map, "1/0", &body), NC_EHDFERR);
    f.data[at] = 'X';
    assert_int_equal(zmap_get(map, "1/0", &body), NC_EHDFERR);
    assert_true(ncz_err_text()[0] != '\0');
    ncz_buf_clear(&body);
    zmap_close(map, ZMAP_KEEP);
    log_file_clear(&f);
}

/* ---- threads ---- */

enum { THREADS = 8, ROUNDS = 120 };

typedef struct worker {
    pthread_t thread;
    zmap     *map;
    uint32_t  number;
} worker;

/* Own chunks and rows; the open collection is everybody's. */
static void *
put_and_get(void *arg)
{
    worker    *w = arg;
    help_model m = {.seed = w->number};
    char      *texts = malloc(ELEMENTS * (TEXTS_MOST + 4));

    for (unsigned i = 0; i < ROUNDS; i++) {
        ncz_buf body = NCZ_BUF_INIT;
        char    key[40];
        size_t  len = draw_texts(&m, texts);
        bool    same;

        (void)snprintf(key, sizeof key, i % 2 == 0 ? "1/%u" : "2/%u.0", w->number + THREADS * (i % 3));
        if (zmap_put(w->map, key, texts, len) != NC_NOERR || zmap_get(w->map, key, &body) != NC_NOERR)
            return (void *)"a call failed";
        same = body.len == len && memcmp(body.data, texts, len) == 0;
        ncz_buf_clear(&body);
        if (!same)
            return (void *)"other texts than were put";
    }
    free(texts);
    return NULL;
}

TEST(eight_threads_put_and_get_texts)
{
    static help_model m;
    log_file          f;
    zmap             *map = NULL;
    worker            workers[THREADS];

    set_up(&m, &f, &map);
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (worker){.map = map, .number = i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, put_and_get, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        void *why = NULL;

        assert_int_equal(pthread_join(workers[i].thread, &why), 0);
        if (why != NULL)
            fail_msg("%s", (const char *)why);
    }
    assert_int_equal(help_commit(&m, map, &last), NC_NOERR);
    zmap_close(map, ZMAP_KEEP);
    log_file_clear(&f);
}
