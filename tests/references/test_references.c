/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A store of references: the contract of all maps for what it reads and lists; stores side by side, of which one fails
 * or waits; missing objects, ranges behind an end; which requests are merged; what is refused.
 */
#include "references/references.h"

#include "contract/store.h"
#include "support/failing_alloc.h"
#include "support/store_help.h"
#include "zmap/zmap_block.h"
#include "support/zmap_fault.h"
#include "zmap/file/zmap_file.h"
#include "zmap/zmap_int.h"
#include "zmap/zmap_mem.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include "support/test.h"

/* ---- the contract ---------------------------------------------------------------------------------------------- */

/*
 * A store whose puts go into another one, and whose gets and lists are those of references to what was put: in turn to
 * a range of a longer object, to a whole object, and to bytes. What was put before stays where it is.
 */
typedef struct put_map {
    zmap             base;
    zmap            *bytes;
    pthread_rwlock_t lock; /* guards what follows */
    ncz_reference   *refs;
    size_t           n;
    unsigned         nputs;
    bool             changed; /* since these were opened: */
    zmap            *references;
} put_map;

static void
free_reference(ncz_reference *r)
{
    free((char *)(uintptr_t)r->key);
    free((void *)(uintptr_t)r->data);
    free((char *)(uintptr_t)r->object);
    *r = (ncz_reference){.key = NULL};
}

static ncz_reference
put_bytes(put_map *s, const zmap_put_req *r)
{
    ncz_reference to = {.key = strdup(r->key), .len = r->len};
    char          name[32];

    snprintf(name, sizeof name, "pack/%u", s->nputs);
    if (s->nputs % 3 == 2) {
        to.data = malloc(r->len + 1);
        memcpy((void *)(uintptr_t)to.data, r->len != 0 ? r->data : "", r->len);
        return to;
    }
    to.object = strdup(name);
    if (s->nputs % 3 == 1) {
        to.len = ZMAP_WHOLE;
        assert_rc(zmap_put(s->bytes, name, r->data, r->len), NC_NOERR);
        return to;
    }
    to.off = 7;
    assert_rc(zmap_put_range(s->bytes, name, 7, r->data, r->len), NC_NOERR);
    assert_rc(zmap_resize(s->bytes, name, 7 + r->len + 5), NC_NOERR);
    return to;
}

static int
check_leaf(const put_map *s, const char *key)
{
    for (size_t i = 0; i < s->n; i++)
        if (zmap_key_below(s->refs[i].key, key, strlen(key)) ||
            zmap_key_below(key, s->refs[i].key, strlen(s->refs[i].key)))
            return ncz_fail(NC_EOBJECT, "%s: %s is above or below it", key, s->refs[i].key);
    return NC_NOERR;
}

static int
put_one(put_map *s, const zmap_put_req *r)
{
    size_t i = 0;
    int    rc;

    while (i < s->n && strcmp(s->refs[i].key, r->key) != 0)
        i++;
    if (i < s->n) {
        free_reference(&s->refs[i]);
    } else {
        if ((rc = check_leaf(s, r->key)) != NC_NOERR)
            return rc;
        s->refs = realloc(s->refs, ++s->n * sizeof *s->refs);
    }
    s->refs[i] = put_bytes(s, r);
    s->nputs++;
    s->changed = true;
    return NC_NOERR;
}

static int
put_objects(zmap *m, zmap_put_req *reqs, size_t n)
{
    put_map *s = (put_map *)m;

    pthread_rwlock_wrlock(&s->lock);
    for (size_t i = 0; i < n; i++) {
        reqs[i].err.code = put_one(s, &reqs[i]);
        if (reqs[i].err.code != NC_NOERR)
            ncz_err_save(&reqs[i].err, reqs[i].err.code);
    }
    pthread_rwlock_unlock(&s->lock);
    return NC_NOERR;
}

static int
delete_objects(zmap *m, const char *const *keys, size_t n)
{
    put_map *s = (put_map *)m;

    pthread_rwlock_wrlock(&s->lock);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < s->n; i++)
            if (strcmp(s->refs[i].key, keys[k]) == 0) {
                free_reference(&s->refs[i]);
                s->refs[i--] = s->refs[--s->n];
            }
    s->changed = true;
    pthread_rwlock_unlock(&s->lock);
    return NC_NOERR;
}

/* The references of now; a callback may put meanwhile. */
static zmap *
take_references(zmap *m)
{
    put_map *s = (put_map *)m;
    zmap    *now;

    pthread_rwlock_wrlock(&s->lock);
    if (s->changed) {
        (void)zmap_close(s->references, ZMAP_KEEP);
        assert_rc(ncz_references_open(&s->bytes, 1, s->refs, s->n, &s->references), NC_NOERR);
        (void)zmap_ref(s->bytes);
        s->changed = false;
    }
    now = zmap_ref(s->references);
    pthread_rwlock_unlock(&s->lock);
    return now;
}

static int
get_objects(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    zmap *now = take_references(m);
    int   rc = zmap_get_batch(now, reqs, n, done, arg);

    (void)zmap_close(now, ZMAP_KEEP);
    return rc;
}

static int
list_keys(zmap *m, const char *prefix, zmap_each_fn each, void *arg)
{
    zmap *now = take_references(m);
    int   rc = zmap_list(now, prefix, each, arg);

    (void)zmap_close(now, ZMAP_KEEP);
    return rc;
}

static int
walk_keys(zmap *m, const char *prefix, zmap_walk_fn each, void *arg)
{
    zmap *now = take_references(m);
    int   rc = zmap_walk(now, prefix, each, arg);

    (void)zmap_close(now, ZMAP_KEEP);
    return rc;
}

static int
find_len(zmap *m, const char *key, uint64_t *len)
{
    zmap *now = take_references(m);
    int   rc = zmap_len(now, key, len);

    (void)zmap_close(now, ZMAP_KEEP);
    return rc;
}

static int
close_store(zmap *m, zmap_end how)
{
    put_map *s = (put_map *)m;

    (void)zmap_close(s->references, how);
    (void)zmap_close(s->bytes, how);
    for (size_t i = 0; i < s->n; i++)
        free_reference(&s->refs[i]);
    free(s->refs);
    pthread_rwlock_destroy(&s->lock);
    free(s);
    return NC_NOERR;
}

static const zmap_ops put_ops = {.name = "references",
                                 .get = get_objects,
                                 .put = put_objects,
                                 .del = delete_objects,
                                 .list = list_keys,
                                 .walk = walk_keys,
                                 .len = find_len,
                                 .close = close_store};

/* `caps` are taken from the store that has the bytes, as if it were a network. */
static zmap *
make_store(unsigned without)
{
    put_map *s = calloc(1, sizeof *s);

    pthread_rwlock_init(&s->lock, NULL);
    assert_rc(zmap_mem_open(&s->bytes), NC_NOERR);
    s->bytes->caps &= ~without;
    assert_rc(ncz_references_open(&s->bytes, 1, NULL, 0, &s->references), NC_NOERR);
    (void)zmap_ref(s->bytes);
    s->base = (zmap){.ops = &put_ops,
                     .caps = s->references->caps | ZMAP_CAN_WRITE | ZMAP_CAN_REPLACE | ZMAP_KEEPS_LEAVES,
                     .refs = 1};
    return &s->base;
}

static zmap *
make_local(void *place)
{
    (void)place;
    return make_store(0);
}

static zmap *
make_network(void *place)
{
    (void)place;
    return make_store(ZMAP_FROM_WORKERS);
}

/* ---- what is read ---------------------------------------------------------------------------------------------- */

/* A memory with two objects. Without ZMAP_FROM_WORKERS as over a network. */
static zmap *
make_bytes(bool network)
{
    zmap *m = NULL;

    assert_rc(zmap_mem_open(&m), NC_NOERR);
    put_text(m, "a.nc", "0123456789");
    put_text(m, "d/b.nc", "abcdefghij");
    if (network)
        m->caps &= ~(unsigned)ZMAP_FROM_WORKERS;
    return m;
}

static zmap *
open_references(zmap **stores, size_t nstores, const ncz_reference *refs, size_t n)
{
    zmap *m = NULL;

    assert_rc(ncz_references_open(stores, nstores, refs, n, &m), NC_NOERR);
    return m;
}

static uint64_t
count_requests(const zmap *m)
{
    zmap_stats now;

    zmap_stats_of(m, &now);
    return now.gets;
}

TEST(references_of_every_kind_are_read)
{
    zmap         *stores[2] = {make_bytes(false), NULL}, *m;
    ncz_reference refs[] = {
        {.key = "v/0", .object = "a.nc", .off = 2, .len = 3},
        {.key = "v/1", .object = "d/b.nc", .len = ZMAP_WHOLE},
        {.key = "v/2", .store = 1, .object = "", .off = 1, .len = 4},
        {.key = ".zattrs", .data = "{}", .len = 2},
        {.key = "v/none", .data = "", .len = 0},
        {.key = "v/3", .object = "a.nc", .off = 10, .len = 0},
    };
    uint64_t len = 0;
    char     block[] = "UVWXYZ";

    assert_rc(zmap_block_open(block, 6, false, &stores[1]), NC_NOERR);
    m = open_references(stores, 2, refs, NCZ_LEN(refs));
    memset(refs, 0, sizeof refs); /* they were copied */
    expect_text(m, "v/0", "234");
    expect_text(m, "v/1", "abcdefghij");
    expect_text(m, "v/2", "VWXY");
    expect_text(m, ".zattrs", "{}");
    expect_text(m, "v/none", "");
    expect_text(m, "v/3", "");
    expect_absent(m, "v/4");
    expect_list(m, "", ".zattrs v/ ");
    expect_list(m, "v", "0 1 2 3 none ");
    expect_list(m, "w", "");
    assert_rc(zmap_len(m, "v/0", &len), NC_NOERR);
    assert_int_equal(len, 3);
    assert_rc(zmap_len(m, "v/1", &len), NC_NOERR);
    assert_int_equal(len, 10);
    assert_rc(zmap_put(m, "v/4", "x", 1), NC_EPERM);
    assert_rc(zmap_del(m, (const char *[]){"v/0"}, 1), NC_EPERM);
    assert_true((zmap_caps_of(m) & ZMAP_FROM_WORKERS) != 0);
    assert_string_equal(zmap_name(m), "references");
    assert_rc(zmap_close(m, ZMAP_DISCARD), NC_NOERR);
}

static int
note_size(const char *key, uint64_t size, void *arg)
{
    return ncz_buf_printf(arg, "%s=%lld ", key, (long long)size);
}

TEST(references_are_walked)
{
    zmap         *bytes = make_bytes(false), *m;
    ncz_reference refs[] = {{.key = "v/w/0", .object = "a.nc", .off = 2, .len = 3},
                            {.key = "v/1", .object = "d/b.nc", .len = ZMAP_WHOLE},
                            {.key = "v-", .data = "{}", .len = 2}};
    ncz_buf       text = NCZ_BUF_INIT;

    m = open_references(&bytes, 1, refs, 3);
    assert_rc(zmap_walk(m, "", note_size, &text), NC_NOERR);
    assert_string_equal(ncz_buf_str(&text), "v/1=-1 v/w/0=3 v-=2 ");
    ncz_buf_reset(&text);
    assert_rc(zmap_walk(m, "v/w", note_size, &text), NC_NOERR);
    assert_string_equal(ncz_buf_str(&text), "v/w/0=3 ");
    ncz_buf_clear(&text);
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

/* What is not there is an error, and never looks like an object that is absent. The text names both. */
static void
check_missing(bool network)
{
    zmap         *bytes = make_bytes(network), *m;
    ncz_reference refs[] = {{.key = "v/0", .object = "a.nc", .off = 2, .len = 3},
                            {.key = "v/1", .object = "gone.nc", .off = 2, .len = 3},
                            {.key = "v/2", .object = "a.nc", .off = 8, .len = 3},
                            {.key = "v/3", .object = "gone.nc", .len = ZMAP_WHOLE},
                            {.key = "v/4", .object = "a.nc", .off = 90, .len = 5},
                            {.key = "v/5", .object = "gone.nc", .off = 9, .len = 3}};
    zmap_get_req  r[7];
    ncz_buf       body = NCZ_BUF_INIT;

    m = open_references(&bytes, 1, refs, 6);
    assert_rc(zmap_get(m, "v/1", &body), NC_ENOOBJECT);
    assert_non_null(strstr(ncz_err_text(), "v/1: refers to \"gone.nc\""));
    assert_rc(zmap_get(m, "v/3", &body), NC_ENOOBJECT);
    assert_rc(zmap_len(m, "v/3", &(uint64_t){0}), NC_ENOOBJECT);
    assert_rc(zmap_get(m, "v/2", &body), NC_EINVAL);
    assert_non_null(strstr(ncz_err_text(), "v/2: refers to \"a.nc\""));
    for (int i = 0; i < 6; i++)
        r[i] = (zmap_get_req){.key = refs[i].key, .len = ZMAP_WHOLE};
    r[6] = (zmap_get_req){.key = "v/6", .len = ZMAP_WHOLE};
    assert_rc(zmap_get_batch(m, r, 7, NULL, NULL), NC_ENOOBJECT);
    assert_int_equal(r[0].err.code, NC_NOERR);
    assert_string_equal(ncz_buf_str(&r[0].body), "234");
    assert_int_equal(r[1].err.code, NC_ENOOBJECT);
    assert_int_equal(r[2].err.code, NC_EINVAL);
    assert_int_equal(r[3].err.code, NC_ENOOBJECT);
    assert_int_equal(r[4].err.code, NC_EINVAL);
    assert_int_equal(r[5].err.code, NC_ENOOBJECT);
    assert_int_equal(r[6].err.code, NC_EEMPTY);
    for (int i = 1; i < 7; i++)
        assert_int_equal(r[i].body.len, 0);
    for (int i = 0; i < 7; i++)
        ncz_buf_clear(&r[i].body);
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

TEST(missing_objects_are_as_said)
{
    check_missing(false);
    check_missing(true);
}

/* ---- batches --------------------------------------------------------------------------------------------------- */

#define FAR ((size_t)ZMAP_GAP_MOST + 100)

/* Five ranges of one object: three together, one after a gap that is too long, one over another. */
static void
check_runs(bool network, unsigned want)
{
    zmap         *bytes = make_bytes(network), *m;
    ncz_reference refs[] = {
        {.key = "v/3", .object = "big", .off = FAR, .len = 4}, {.key = "v/1", .object = "big", .off = 4, .len = 4},
        {.key = "v/0", .object = "big", .off = 0, .len = 4},   {.key = "v/2", .object = "big", .off = 20, .len = 4},
        {.key = "v/4", .object = "big", .off = 2, .len = 4},   {.key = "w", .object = "a.nc", .off = 2, .len = 4}};
    const char  *text[] = {"wxyz", "4567", "0123", "klmn", "2345", "2345"};
    zmap_get_req r[6];
    char         into[2][4] = {"", ""};
    uint64_t     before;

    assert_rc(zmap_put(bytes, "big", "0123456789abcdefghijklmn", 24), NC_NOERR);
    assert_rc(zmap_put_range(bytes, "big", FAR, "wxyz", 4), NC_NOERR);
    m = open_references(&bytes, 1, refs, 6);
    for (int i = 0; i < 6; i++)
        r[i] = (zmap_get_req){.key = refs[i].key, .len = ZMAP_WHOLE, .ask_version = true};
    r[1].into = into[0];
    r[1].into_cap = 4;
    before = count_requests(bytes);
    assert_rc(zmap_get_batch(m, r, 6, NULL, NULL), NC_NOERR);
    assert_int_equal(count_requests(bytes) - before, want);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(r[i].nread, 4);
        assert_int_equal(r[i].size, 4);
        assert_true(r[i].version[0] != '\0');
        assert_memory_equal(r[i].into != NULL ? r[i].into : r[i].body.data, text[i], 4);
        ncz_buf_clear(&r[i].body);
    }

    /* Parts of them. */
    r[0] = (zmap_get_req){.key = "v/0", .off = 1, .len = 2, .into = into[0], .into_cap = 4};
    r[1] = (zmap_get_req){.key = "v/1", .len = 2, .from_end = true, .into = into[1], .into_cap = 4};
    r[2] = (zmap_get_req){.key = "v/2", .off = 3, .len = 2};
    r[3] = (zmap_get_req){.key = "v/2", .off = 3, .len = 2, .cut = true};
    assert_rc(zmap_get_batch(m, r, 4, NULL, NULL), NC_EINVAL);
    assert_memory_equal(into[0], "12", 2);
    assert_memory_equal(into[1], "67", 2);
    assert_int_equal(r[2].err.code, NC_EINVAL); /* the object ends there, whatever follows in the other one */
    assert_string_equal(ncz_buf_str(&r[3].body), "n");
    ncz_buf_clear(&r[3].body);
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

TEST(neighbouring_ranges_are_merged)
{
    check_runs(true, 3);
    check_runs(false, 6);
}

/* A range of one version only is not merged, and says which version there is. */
TEST(ranges_of_one_version_are_not_merged)
{
    zmap         *bytes = make_bytes(true), *m;
    ncz_reference refs[] = {{.key = "v/0", .object = "a.nc", .off = 0, .len = 4},
                            {.key = "v/1", .object = "a.nc", .off = 4, .len = 4}};
    zmap_get_req  r[2];
    char          version[ZMAP_VERSION];

    m = open_references(&bytes, 1, refs, 2);
    r[0] = (zmap_get_req){.key = "v/0", .len = ZMAP_WHOLE, .ask_version = true};
    assert_rc(zmap_get_batch(m, r, 1, NULL, NULL), NC_NOERR);
    memcpy(version, r[0].version, sizeof version);
    ncz_buf_clear(&r[0].body);
    put_text(bytes, "a.nc", "another one");
    for (int i = 0; i < 2; i++)
        r[i] = (zmap_get_req){.key = refs[i].key, .len = ZMAP_WHOLE, .match = version, .ask_version = true};
    (void)zmap_get_batch(m, r, 2, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        assert_true(r[i].err.code == NC_EOBJECT || strcmp(r[i].version, version) != 0);
        ncz_buf_clear(&r[i].body);
    }
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

/* ---- stores side by side --------------------------------------------------------------------------------------- */

/* One store fails: what is in the other one comes. */
TEST(one_failing_store_fails_alone)
{
    zmap_fault_plan plan = {.nth = 1, .forever = true, .kind = ZMAP_FAULT_FAIL, .code = NC_ES3};
    zmap           *stores[2] = {make_bytes(true), NULL}, *m;
    ncz_reference   refs[] = {{.key = "v/0", .store = 1, .object = "a.nc", .off = 2, .len = 3},
                              {.key = "v/1", .store = 0, .object = "a.nc", .off = 5, .len = 3},
                              {.key = "v/2", .store = 1, .object = "a.nc", .off = 5, .len = 3},
                              {.key = "v/3", .store = 0, .object = "d/b.nc", .len = ZMAP_WHOLE}};
    zmap_get_req    r[4];

    assert_rc(zmap_fault_open(make_bytes(true), &plan, &stores[1]), NC_NOERR);
    m = open_references(stores, 2, refs, 4);
    for (int i = 0; i < 4; i++)
        r[i] = (zmap_get_req){.key = refs[i].key, .len = ZMAP_WHOLE};
    assert_rc(zmap_get_batch(m, r, 4, NULL, NULL), NC_ES3);
    assert_non_null(strstr(ncz_err_text(), "v/0: refers to \"a.nc\" of the fault store"));
    assert_int_equal(r[0].err.code, NC_ES3);
    assert_int_equal(r[2].err.code, NC_ES3);
    assert_string_equal(ncz_buf_str(&r[1].body), "567");
    assert_string_equal(ncz_buf_str(&r[3].body), "abcdefghij");
    for (int i = 0; i < 4; i++)
        ncz_buf_clear(&r[i].body);
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

/* A store that answers once a request of another one was answered. */
typedef struct slow_map {
    zmap            base;
    zmap           *inner;
    pthread_mutex_t lock;
    pthread_cond_t  changed;
    bool            others, busy; /* the others were answered; a callback runs */
    unsigned        done;
} slow_map;

static int
get_late(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    slow_map       *s = (slow_map *)m;
    struct timespec end;

    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 60;
    pthread_mutex_lock(&s->lock);
    while (!s->others)
        if (pthread_cond_timedwait(&s->changed, &s->lock, &end) != 0)
            fail_msg("the requests of the other store were not sent");
    pthread_mutex_unlock(&s->lock);
    return s->inner->ops->get(s->inner, reqs, n, done, arg);
}

static int
close_slow(zmap *m, zmap_end how)
{
    return zmap_close(((slow_map *)m)->inner, how);
}

static void
note_answer(zmap_get_req *r, void *arg)
{
    slow_map *s = arg;

    pthread_mutex_lock(&s->lock);
    assert_false(s->busy);
    s->busy = true;
    pthread_mutex_unlock(&s->lock);
    pthread_mutex_lock(&s->lock);
    s->busy = false;
    s->done++;
    s->others = s->others || strcmp(r->key, "v/1") == 0;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

TEST(one_slow_store_delays_nobody)
{
    static const zmap_ops slow_ops = {.name = "slow", .get = get_late, .close = close_slow};
    slow_map              slow = {.inner = make_bytes(true),
                                  .lock = PTHREAD_MUTEX_INITIALIZER,
                                  .changed = PTHREAD_COND_INITIALIZER,
                                  .base = {.ops = &slow_ops, .caps = ZMAP_CAN_RANGE, .refs = 1}};
    zmap                 *stores[2] = {&slow.base, make_bytes(true)}, *m;
    ncz_reference         refs[] = {{.key = "v/0", .store = 0, .object = "a.nc", .off = 2, .len = 3},
                                    {.key = "v/1", .store = 1, .object = "a.nc", .off = 5, .len = 3},
                                    {.key = "v/2", .store = 0, .object = "d/b.nc", .off = 5, .len = 3}};
    zmap_get_req          r[3];

    ncz_pool_set_threads(2);
    m = open_references(stores, 2, refs, 3);
    for (int i = 0; i < 3; i++)
        r[i] = (zmap_get_req){.key = refs[i].key, .len = ZMAP_WHOLE};
    assert_rc(zmap_get_batch(m, r, 3, note_answer, &slow), NC_NOERR);
    assert_int_equal(slow.done, 3);
    assert_string_equal(ncz_buf_str(&r[0].body), "234");
    assert_string_equal(ncz_buf_str(&r[1].body), "567");
    assert_string_equal(ncz_buf_str(&r[2].body), "fgh");
    for (int i = 0; i < 3; i++)
        ncz_buf_clear(&r[i].body);
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    ncz_pool_set_threads(0);
    ncz_pool_stop();
}

/* ---- a finder -------------------------------------------------------------------------------------------------- */

/* Keys "0" to "9" are the letters of an object, "inner" is bytes of the finder, "old", "new" and "tag" name versions.
 */
typedef struct finder_state {
    zmap       *bytes;
    int64_t     modified;
    const char *etag;
    unsigned    expected, found;
    bool        closed;
} finder_state;

static int
find_letter(void *arg, const char *key, ncz_arena *room, ncz_found *out)
{
    finder_state *s = arg;

    s->found++;
    if (strcmp(key, "inner") == 0) {
        *out = (ncz_found){.data = ncz_arena_text(room, "bytes", 5), .len = 5};
        return NC_NOERR;
    }
    *out = (ncz_found){.store = s->bytes, .object = ncz_arena_text(room, "a.nc", 4), .off = 0, .len = 1};
    if (strcmp(key, "old") == 0)
        out->modified = s->modified - 1;
    else if (strcmp(key, "new") == 0)
        out->modified = s->modified;
    else if (strcmp(key, "tag") == 0)
        out->etag = s->etag;
    else if (key[0] < '0' || key[0] > '9' || key[1] != '\0')
        return NC_EEMPTY;
    else
        out->off = (uint64_t)(key[0] - '0');
    return NC_NOERR;
}

static void
note_expected(void *arg, const zmap_get_req *reqs, size_t n)
{
    (void)reqs;
    ((finder_state *)arg)->expected += (unsigned)n;
}

static int
list_letters(void *arg, const char *prefix, zmap_each_fn each, void *each_arg)
{
    (void)arg, (void)prefix;
    return each("0", true, each_arg);
}

static int
walk_letters(void *arg, const char *prefix, zmap_walk_fn each, void *each_arg)
{
    (void)arg, (void)prefix;
    return each("0", 1, each_arg);
}

static int
close_finder(void *arg)
{
    finder_state *s = arg;

    s->closed = true;
    return zmap_close(s->bytes, ZMAP_KEEP);
}

static const ncz_finder letters = {.name = "letters",
                                   .find = find_letter,
                                   .expect = note_expected,
                                   .list = list_letters,
                                   .walk = walk_letters,
                                   .close = close_finder};

TEST(references_are_found_by_a_finder)
{
    finder_state s = {.bytes = make_bytes(true)};
    zmap        *m = NULL;
    zmap_get_req r[4];
    const char  *keys[] = {"7", "inner", "3", "none"}, *text[] = {"7", "bytes", "3", ""};
    uint64_t     before = count_requests(s.bytes), len = 0;

    assert_rc(ncz_references_find(&letters, &s, false, &m), NC_NOERR);
    for (int i = 0; i < 4; i++)
        r[i] = (zmap_get_req){.key = keys[i], .len = ZMAP_WHOLE};
    assert_rc(zmap_get_batch(m, r, 4, NULL, NULL), NC_NOERR);
    assert_int_equal(s.expected, 4);
    assert_int_equal(s.found, 4);
    assert_int_equal(count_requests(s.bytes) - before, 1); /* merged, by the text of the object's name */
    for (int i = 0; i < 4; i++) {
        assert_int_equal(r[i].err.code, i < 3 ? NC_NOERR : NC_EEMPTY);
        assert_string_equal(ncz_buf_str(&r[i].body), text[i]);
        ncz_buf_clear(&r[i].body);
    }
    expect_text(m, "5", "5");
    expect_absent(m, "none");
    expect_list(m, "", "0 ");
    assert_rc(zmap_len(m, "5", &len), NC_NOERR);
    assert_int_equal(len, 1);
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    assert_true(s.closed);
}

/* Gets "new", "old" and "tag", alone and together. */
static void
expect_versions(zmap *m, int want_old, int want_tag)
{
    const char  *keys[] = {"new", "old", "tag"};
    int          want[] = {NC_NOERR, want_old, want_tag};
    zmap_get_req r[3];

    for (int i = 0; i < 3; i++) {
        ncz_buf body = NCZ_BUF_INIT;

        assert_rc(ncz_buf_puts(&body, "before"), NC_NOERR);
        assert_rc(zmap_get(m, keys[i], &body), want[i]);
        assert_string_equal(ncz_buf_str(&body), want[i] == NC_NOERR ? "before0" : "before");
        ncz_buf_clear(&body);
        r[i] = (zmap_get_req){.key = keys[i], .len = ZMAP_WHOLE};
    }
    (void)zmap_get_batch(m, r, 3, NULL, NULL);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(r[i].err.code, want[i]);
        assert_int_equal(r[i].nread, want[i] == NC_NOERR ? 1 : 0);
        ncz_buf_clear(&r[i].body);
    }
}

/* A file in a directory of the test: its time, and its tag as Rust's object_store makes it. */
static void
check_versions(bool network)
{
    char         dir[] = "/tmp/references-XXXXXX", tag[100];
    finder_state s = {.etag = tag};
    zmap        *m = NULL;
    struct stat  st;

    assert_non_null(mkdtemp(dir));
    assert_rc(zmap_file_open(dir, ZMAP_OPEN_WRITE, &s.bytes), NC_NOERR);
    put_text(s.bytes, "a.nc", "0123456789");
    if (network)
        s.bytes->caps &= ~(unsigned)ZMAP_FROM_WORKERS;
    {
        char *path = ncz_sprintf("%s/a.nc", dir);

        assert_int_equal(stat(path, &st), 0);
        ncz_free(path);
    }
    s.modified = st.st_mtime;
    snprintf(tag, sizeof tag, "\"%llx-%llx-%llx\"", (unsigned long long)st.st_ino,
             (unsigned long long)st.st_mtim.tv_sec * 1000000 + (unsigned long long)st.st_mtim.tv_nsec / 1000,
             (unsigned long long)st.st_size);
    assert_rc(ncz_references_find(&letters, &s, !network, &m), NC_NOERR);
    expect_versions(m, NC_EIO, NC_NOERR);
    assert_rc(zmap_del(s.bytes, (const char *[]){"a.nc"}, 1), NC_NOERR);
    put_text(s.bytes, "a.nc", "0123456789 and more");
    s.modified += 1000; /* the tag alone tells */
    expect_versions(m, NC_NOERR, NC_EIO);
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    assert_rc(zmap_file_remove_all(dir), NC_NOERR);
}

TEST(an_object_that_was_changed_is_refused)
{
    check_versions(false);
    check_versions(true);
}

/* ---- what is refused ------------------------------------------------------------------------------------------- */

static void
refuse(const ncz_reference *refs, size_t n, int want, const char *text)
{
    zmap *bytes = make_bytes(false), *m = NULL;

    assert_rc(ncz_references_open(&bytes, 1, refs, n, &m), want);
    assert_null(m);
    if (strstr(ncz_err_text(), text) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", ncz_err_text(), text);
    assert_rc(zmap_close(bytes, ZMAP_KEEP), NC_NOERR); /* still the caller's */
}

TEST(bad_references_are_refused)
{
    const ncz_reference ok = {.key = "v/0", .object = "a.nc", .off = 2, .len = 3};
    ncz_reference       bad = ok;

    refuse((ncz_reference[]){ok, ok}, 2, NC_EINVAL, "v/0: has two references");
    bad.key = "v/0/1";
    refuse((ncz_reference[]){ok, bad}, 2, NC_EINVAL, "v/0: is an object, and the prefix of v/0/1");
    bad.key = "../v";
    refuse(&bad, 1, NC_EINVAL, "not a key");
    bad = ok;
    bad.store = 1;
    refuse(&bad, 1, NC_EINVAL, "store 1 of 1");
    bad = ok;
    bad.object = "";
    refuse(&bad, 1, NC_EINVAL, "not a key of the memory store");
    bad.object = NULL;
    refuse(&bad, 1, NC_EINVAL, "not a key of the memory store");
    bad = ok;
    bad.len = ZMAP_WHOLE;
    refuse(&bad, 1, NC_EINVAL, "no end");
    bad.len = UINT64_MAX - 1;
    refuse(&bad, 1, NC_EINVAL, "no end");
    bad = (ncz_reference){.key = "v", .data = "", .len = (uint64_t)1 << 40};
    refuse(&bad, 1, NC_ENOMEM, "object_bytes");
    refuse(&ok, ncz_limits_default.references + 1, NC_ENOMEM, "limit `references`");
}

/* Each allocation fails in turn: the store is not opened, or each request has its bytes or says why not. */
TEST(every_allocation_may_fail)
{
    zmap         *bytes = make_bytes(true), *m;
    ncz_reference refs[] = {{.key = "v/0", .object = "a.nc", .off = 2, .len = 3},
                            {.key = "v/1", .object = "a.nc", .off = 5, .len = 3},
                            {.key = "v/2", .data = "xyz", .len = 3}};
    const char   *text[] = {"234", "567", "xyz"};
    bool          met = true;

    for (size_t fail_at = 1; met; fail_at++) {
        zmap_get_req r[3];
        zmap_stats   stats;
        int          rc;

        m = NULL;
        for (int i = 0; i < 3; i++)
            r[i] = (zmap_get_req){.key = refs[i].key, .len = ZMAP_WHOLE};
        fail_allocation(fail_at);
        if ((rc = ncz_references_open(&bytes, 1, refs, 3, &m)) == NC_NOERR)
            rc = zmap_get_batch(zmap_ref(m), r, 3, NULL, NULL);
        met = end_failing();
        assert_true(rc == NC_NOERR || (rc == NC_ENOMEM && met));
        for (int i = 0; m != NULL && i < 3; i++) {
            if (r[i].err.code == NC_NOERR)
                assert_string_equal(ncz_buf_str(&r[i].body), text[i]);
            else
                assert_int_equal(r[i].err.code, NC_ENOMEM);
            ncz_buf_clear(&r[i].body);
        }
        if (m == NULL)
            continue;
        zmap_stats_of(m, &stats);
        assert_int_equal(stats.gets, 3);
        (void)zmap_ref(bytes);
        assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
        assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    }
    assert_rc(zmap_close(bytes, ZMAP_KEEP), NC_NOERR);
}

int
main(void)
{
    static const store_maker makers[] = {{.name = "references", .make = make_local},
                                         {.name = "references over a network", .make = make_network}};
    int                      failed = run_file_tests(NULL, NULL);

    for (size_t i = 0; i < NCZ_LEN(makers); i++)
        failed += store_contract(&makers[i]);
    return failed != 0;
}
