/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What opening asks of a store, counted by a map that answers in batches as an object store does, and by one that
 * workers read: no object twice, one batch for each level of groups, no more than that. And what happens when several
 * threads are the first to ask something of a dataset, when the rest of it cannot be had, and to consolidated copies
 * that are damaged or must be kept true.
 */
#include "dataset_test.h"
#include "zmap/zmap_mem.h"
#include "zmap/zmap_ops.h"
#include "support/zmap_fault.h"

#include <pthread.h>

#define ROOT_KEYS 7 /* the documents of the root, of all dialects */
#define FIRST     2 /* those that are asked for first: zarr.json, and .zmetadata or .zattrs */

/* ---- a map that counts ---- */

#define SEEN_MOST 512

typedef struct counts {
    size_t batches, gets, lists, others;
    size_t of_batch[32]; /* gets of each batch */
    char  *seen[SEEN_MOST];
    size_t nseen;
    bool   twice; /* some key was asked for twice */
} counts;

typedef struct counting_map {
    zmap            base;
    zmap           *inner;
    counts         *c;
    pthread_mutex_t lock;
} counting_map;

static void
note(counts *c, const char *key)
{
    for (size_t i = 0; i < c->nseen; i++)
        c->twice = c->twice || strcmp(c->seen[i], key) == 0;
    assert_true(c->nseen < SEEN_MOST);
    c->seen[c->nseen++] = strdup(key);
}

static int
counting_get(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    counting_map *s = (counting_map *)m;

    (void)pthread_mutex_lock(&s->lock);
    if (s->c->batches < NCZ_LEN(s->c->of_batch))
        s->c->of_batch[s->c->batches] = n;
    s->c->batches++;
    s->c->gets += n;
    for (size_t i = 0; i < n; i++)
        note(s->c, reqs[i].key);
    (void)pthread_mutex_unlock(&s->lock);
    return s->inner->ops->get(s->inner, reqs, n, done, arg);
}

static int
counting_put(zmap *m, zmap_put_req *reqs, size_t n)
{
    counting_map *s = (counting_map *)m;

    s->c->others += n;
    return s->inner->ops->put(s->inner, reqs, n);
}

static int
counting_del(zmap *m, const char *const *keys, size_t n)
{
    counting_map *s = (counting_map *)m;

    s->c->others += n;
    return s->inner->ops->del(s->inner, keys, n);
}

static int
counting_list(zmap *m, const char *prefix, zmap_each_fn each, void *arg)
{
    counting_map *s = (counting_map *)m;

    s->c->lists++;
    return s->inner->ops->list(s->inner, prefix, each, arg);
}

static int
counting_close(zmap *m, zmap_end how)
{
    counting_map *s = (counting_map *)m;
    int           rc = zmap_close(s->inner, how);

    (void)pthread_mutex_destroy(&s->lock);
    free(s);
    return rc;
}

static const zmap_ops counting_ops = {
    .name = "counting",
    .get = counting_get,
    .put = counting_put,
    .del = counting_del,
    .list = counting_list,
    .close = counting_close,
};

/* `batches`: it likes to be asked for all at once. */
static zmap *
counting(zmap *inner, counts *c, bool batches)
{
    counting_map *s = calloc(1, sizeof *s);

    assert_non_null(s);
    assert_int_equal(pthread_mutex_init(&s->lock, NULL), 0);
    s->base = (zmap){.ops = &counting_ops, .caps = inner->caps & ~(batches ? ZMAP_FROM_WORKERS : 0u), .refs = 1};
    s->inner = zmap_ref(inner);
    s->c = c;
    memset(c, 0, sizeof *c);
    return &s->base;
}

static void
forget(counts *c)
{
    for (size_t i = 0; i < c->nseen; i++)
        free(c->seen[i]);
    c->nseen = 0;
}

/* ---- a dataset of three levels: /v, /g0 ... /g2 each with v and w, /g0/deep with v ---- */

enum { GROUPS = 3 };

static zmap *
made(const char *mode)
{
    ncz_dataset *ds = NULL;
    ncz_dim     *x = NULL;
    ncz_group   *g[GROUPS], *deep = NULL;
    ncz_var     *v = NULL;
    zmap        *map = NULL;

    OK(zmap_mem_open(&map));
    OK(ncz_dataset_create_map(map, mode, NC_CLOBBER, NULL, &ds));
    OK(def_dim(ds, "x", 3, &x));
    OK(def_var(ds, NULL, "v", 1, &x, &v));
    for (int i = 0; i < GROUPS; i++) {
        OK(def_group(ds, (char[]){'g', (char)('0' + i), 0}, &g[i]));
        OK(def_var(ds, g[i], "v", 1, &x, &v));
        OK(def_var(ds, g[i], "w", 1, &x, &v));
    }
    OK(ncz_dataset_begin(ds, NCZ_USE_DEFINE));
    OK(ncz_dataset_end(ds, NCZ_USE_DEFINE, ncz_dataset_add_group(ds, g[0], "deep", &deep)));
    OK(def_var(ds, deep, "v", 1, &x, &v));
    OK(put_att(ds, "version", 1));
    OK(end(ds));
    return map;
}

static void
find_all(ncz_dataset *ds)
{
    static const char *const groups[] = {"/", "/g0", "/g1", "/g2", "/g0/deep"};

    assert_non_null(model_of(ds));
    for (size_t i = 0; i < NCZ_LEN(groups); i++)
        assert_non_null(var(ds, groups[i], "v"));
    assert_int_equal(att(ds, "version"), 1);
}

/* Opens through a counting map, has all of it loaded, and closes. */
static void
count(zmap *map, bool batches, const char *mode, int omode, counts *c)
{
    zmap        *m = counting(map, c, batches);
    ncz_dataset *ds = NULL;

    OK(ncz_dataset_open_map(m, mode, omode, NULL, &ds));
    find_all(ds);
    OK(end(ds));
    OK(zmap_close(m, ZMAP_KEEP));
    assert_false(c->twice);
    assert_int_equal(c->others, 0);
    forget(c);
}

TEST(what_opening_asks_for)
{
    /* .zgroup and .zattrs of 4 groups, .zarray and .zattrs of 8 variables. */
    const size_t level1 = 2 * (1 + GROUPS), level2 = 2 * (2 * GROUPS + 1), level3 = 2;
    zmap        *map = made("mode=nczarr"), *copies = made("mode=nczarr,consolidated"), *pure = made("mode=zarr");
    zmap        *older = made("mode=nczarr&compat=4.9.2");
    counts       c;

    /* One object has it all, and nothing else is asked for but the one that would have it in Zarr v3, at the same
     * time. */
    for (int batches = 0; batches < 2; batches++) {
        count(copies, batches == 1, NULL, NC_NOWRITE, &c);
        assert_true(c.gets == FIRST && c.lists == 0);
        count(copies, batches == 1, "consolidated=yes", NC_NOWRITE, &c);
        assert_true(c.gets == FIRST && c.lists == 0);
        count(copies, batches == 1, "mode=v2", NC_NOWRITE, &c);
        assert_true(c.gets == 1 && c.lists == 0);
    }

    /* NCZarr's lists: that document, which is absent; one of the root's, which says all; a batch for each level. */
    count(map, true, NULL, NC_NOWRITE, &c);
    assert_true(c.batches == 5 && c.lists == 0);
    assert_true(c.of_batch[0] == FIRST && c.of_batch[1] == 1 && c.of_batch[2] == level1);
    assert_true(c.of_batch[3] == level2 && c.of_batch[4] == level3);
    count(map, true, "consolidated=no", NC_NOWRITE, &c);
    assert_true(c.batches == 4 && c.of_batch[0] == FIRST && c.lists == 0);
    count(map, true, NULL, NC_WRITE, &c); /* a writer knows then too whether there is a copy to keep true */
    assert_true(c.batches == 4 && c.of_batch[0] == 1 + ROOT_KEYS && c.lists == 0);
    count(copies, true, NULL, NC_WRITE, &c);
    assert_true(c.batches == 4 && c.lists == 0);
    count(map, false, NULL, NC_NOWRITE, &c); /* .zgroup, too, which is only checked */
    assert_int_equal(c.gets, FIRST + 1 + 1 + level1 + level2 + level3);
    assert_int_equal(c.lists, 0);

    /* Where the lists stand in an older place, the root's other documents are wanted, too. */
    count(older, true, NULL, NC_NOWRITE, &c);
    assert_true(c.batches == 6 && c.lists == 0);
    assert_true(c.of_batch[1] == 1 && c.of_batch[2] == ROOT_KEYS - FIRST && c.of_batch[3] == level1);

    /* Pure Zarr is listed: each group, and what may be one. What it is takes one document more. */
    count(pure, true, NULL, NC_NOWRITE, &c);
    assert_true(c.batches == 6 && c.of_batch[1] == 1 && c.of_batch[2] == ROOT_KEYS - FIRST);
    assert_true(c.of_batch[3] == level1 / 2 * 3 && c.of_batch[4] == level2 / 2 * 3);
    assert_int_equal(c.of_batch[5], level3 / 2 * 3);
    assert_int_equal(c.lists, 1 + GROUPS + 1);

    OK(zmap_close(map, ZMAP_KEEP));
    OK(zmap_close(copies, ZMAP_KEEP));
    OK(zmap_close(pure, ZMAP_KEEP));
    OK(zmap_close(older, ZMAP_KEEP));
}

/* Opening and closing alone touches the root and nothing below it. */
TEST(a_reader_looks_at_the_root_alone)
{
    zmap        *map = made("mode=nczarr"), *m;
    ncz_dataset *ds = NULL;
    counts       c;

    m = counting(map, &c, true);
    OK(ncz_dataset_open_map(m, NULL, NC_NOWRITE, NULL, &ds));
    OK(end(ds));
    assert_true(c.batches == 2 && c.gets == FIRST + 1);
    forget(&c);
    OK(zmap_close(m, ZMAP_KEEP));
    OK(zmap_close(map, ZMAP_KEEP));
}

/* ---- threads ---- */

enum { THREADS = 6, OPENS = 40 };

typedef struct asker {
    pthread_t    thread;
    ncz_dataset *ds;
    int          rc;
    size_t       found;
} asker;

static void *
ask(void *arg)
{
    asker     *a = arg;
    ncz_model *m;

    if ((a->rc = ncz_dataset_begin(a->ds, NCZ_USE_LOOK)) != NC_NOERR)
        return NULL;
    m = ncz_dataset_model(a->ds);
    for (ncz_group *g = ncz_model_next_group(m, NULL); g != NULL; g = ncz_model_next_group(m, g))
        a->found += g->nvars;
    a->rc = ncz_dataset_end(a->ds, NCZ_USE_LOOK, NC_NOERR);
    return NULL;
}

TEST(several_ask_first)
{
    const char *const modes[] = {"mode=nczarr", "mode=nczarr,consolidated"};

    for (size_t m = 0; m < NCZ_LEN(modes); m++) {
        zmap *map = made(modes[m]);

        for (int i = 0; i < OPENS; i++) {
            asker        a[THREADS];
            ncz_dataset *ds = NULL;
            counts       c;
            zmap        *counted = counting(map, &c, i % 2 == 0);

            OK(ncz_dataset_open_map(counted, NULL, NC_NOWRITE, NULL, &ds));
            for (int t = 0; t < THREADS; t++) {
                a[t] = (asker){.ds = ds};
                assert_int_equal(pthread_create(&a[t].thread, NULL, ask, &a[t]), 0);
            }
            if (i % 8 == 7) /* and one closes it meanwhile: they find all or that it is closed */
                OK(ncz_dataset_close(ds));
            for (int t = 0; t < THREADS; t++) {
                assert_int_equal(pthread_join(a[t].thread, NULL), 0);
                assert_true(a[t].rc == NC_NOERR || (a[t].rc == NC_EBADID && i % 8 == 7));
                assert_true(a[t].rc != NC_NOERR || a[t].found == 2 + 2 * GROUPS);
            }
            if (i % 8 != 7)
                OK(ncz_dataset_close(ds));
            ncz_dataset_free(ds);
            assert_false(c.twice); /* loaded once, whoever came first */
            forget(&c);
            OK(zmap_close(counted, ZMAP_KEEP));
        }
        OK(zmap_close(map, ZMAP_KEEP));
    }
}

/* ---- what goes wrong ---- */

/* The first failure is that of every call, and the close is fine. */
TEST(the_rest_cannot_be_had)
{
    zmap_fault_plan plan = {.nth = 0};
    zmap           *map = made("mode=nczarr"), *m = NULL;
    ncz_dataset    *ds = NULL;

    OK(zmap_fault_open(zmap_ref(map), &plan, &m));
    OK(ncz_dataset_open_map(m, NULL, NC_NOWRITE, NULL, &ds));
    plan = (zmap_fault_plan){.nth = plan.seen + 5, .kind = ZMAP_FAULT_FAIL, .code = NC_ES3, .seen = plan.seen};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ncz_dataset_begin(ds, i == 0 ? NCZ_USE_LOOK : NCZ_USE_TUNE), NC_ES3);
        assert_true(strlen(ncz_err_text()) > 0);
        ncz_err_clear();
    }
    OK(end(ds));
    OK(zmap_close(m, ZMAP_KEEP));
    OK(zmap_close(map, ZMAP_KEEP));
}

/* One object is broken: its node is, and nothing else. */
TEST(one_odd_array)
{
    static const char *const keys[] = {"g1/w/.zarray", "g1/w/.zattrs"};

    for (int batches = 0; batches < 2; batches++)
        for (size_t k = 0; k < NCZ_LEN(keys); k++) {
            zmap        *map = made("mode=nczarr"), *m;
            ncz_dataset *ds = NULL;
            counts       c;

            OK(zmap_put(map, keys[k], "{\"shape\": [", 11));
            m = counting(map, &c, batches == 1);
            OK(ncz_dataset_open_map(m, NULL, NC_NOWRITE, NULL, &ds));
            find_all(ds);
            assert_int_equal(var(ds, "/g1", "w")->unusable->code, k == 0 ? NC_EZARRMETA : NC_NOERR);
            assert_int_equal(var(ds, "/g1", "w")->atts.n, 0);
            assert_false(c.twice);
            forget(&c);
            OK(end(ds));
            OK(zmap_close(m, ZMAP_KEEP));
            OK(zmap_close(map, ZMAP_KEEP));
        }
}

/* ---- memory ---- */

static size_t in_use, most_in_use; /* atomic */

static void
count_bytes(size_t more, size_t less)
{
    size_t now = __atomic_add_fetch(&in_use, more - less, __ATOMIC_RELAXED);
    size_t most = __atomic_load_n(&most_in_use, __ATOMIC_RELAXED);

    while (now > most && now < SIZE_MAX / 2 &&
           !__atomic_compare_exchange_n(&most_in_use, &most, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* Each piece has its size in front. */
static void *
counted_resize(void *p, size_t nbytes)
{
    size_t *old = p == NULL ? NULL : (size_t *)p - 2, before = old != NULL ? *old : 0;
    size_t *q = realloc(old, nbytes + 2 * sizeof *q);

    if (q == NULL)
        return NULL;
    *q = nbytes;
    count_bytes(nbytes, before);
    return q + 2;
}

static void *
counted_get(size_t nbytes)
{
    return counted_resize(NULL, nbytes);
}

static void
counted_put(void *p)
{
    count_bytes(0, ((size_t *)p)[-2]);
    free((size_t *)p - 2);
}

/* 500 variables with ten attributes each: what one of them takes in a dataset that is open to be read, and at most
 * while it is loaded. The documents of one are some 1300 bytes. */
TEST(memory_of_a_variable)
{
    enum { VARS = 500, ATTS = 10 };
    static const ncz_alloc_table counted = {.get = counted_get, .resize = counted_resize, .put = counted_put};
    zmap                        *map = NULL;
    ncz_dataset                 *ds = NULL;
    ncz_dim                     *x[2] = {NULL, NULL};
    size_t                       before;

    ncz_pool_stop(); /* nobody keeps what another table gave */
    ncz_alloc_use(&counted);
    OK(zmap_mem_open(&map));
    OK(ncz_dataset_create_map(map, "mode=nczarr", NC_CLOBBER, NULL, &ds));
    OK(def_dim(ds, "row", 4, &x[0]));
    OK(def_dim(ds, "column", 8, &x[1]));
    for (int i = 0; i < VARS; i++) {
        const char *text = "a text as long as that of a usual attribute";
        char        name[32];
        ncz_var    *v = NULL;

        snprintf(name, sizeof name, "variable%03d", i);
        OK(def_var(ds, NULL, name, 2, x, &v));
        OK(ncz_dataset_begin(ds, NCZ_USE_CHANGE));
        for (int a = 0; a < ATTS; a++) {
            snprintf(name, sizeof name, "attribute%02d", a);
            OK(ncz_atts_set(ncz_dataset_model(ds), &v->atts, name, ncz_type_of(NC_CHAR), strlen(text), text, NULL));
        }
        OK(ncz_dataset_end(ds, NCZ_USE_CHANGE, NC_NOERR));
    }
    OK(end(ds));
    before = most_in_use = in_use;
    OK(ncz_dataset_open_map(map, NULL, NC_NOWRITE, NULL, &ds));
    assert_non_null(model_of(ds));
    print_message("a variable with %d attributes: %zu bytes, %zu while it is loaded\n", ATTS,
                  (in_use - before) / VARS, (most_in_use - before) / VARS);
    assert_true(in_use - before < (size_t)VARS * 3000);
    assert_true(most_in_use - before < (size_t)VARS * 5000);
    OK(end(ds));
    assert_int_equal(in_use, before);
    OK(zmap_close(map, ZMAP_KEEP));
    ncz_pool_stop();
    ncz_alloc_use(NULL);
}

/* ---- consolidated copies ---- */

static void
replace(zmap *map, const char *key, const char *from, const char *to)
{
    ncz_buf doc = NCZ_BUF_INIT;
    char   *at;

    OK(zmap_get(map, key, &doc));
    at = strstr(doc.data, from);
    assert_non_null(at);
    assert_int_equal(strlen(from), strlen(to));
    memcpy(at, to, strlen(to));
    OK(zmap_put(map, key, doc.data, doc.len));
    ncz_buf_clear(&doc);
}

/* A copy that is no JSON: the documents themselves are read. Asked for by name, it is what there is. */
TEST(a_damaged_copy)
{
    static const char *const parts[] = {"\"g1/w/.zarray\": {\"zarr_format\":", "\".zgroup\": {\"zarr_format\":"};
    static const char *const broken[] = {"\"g1/w/.zarray\": {\"zarr_format\"!", "\".zgroup\": {\"zarr_format\"!"};

    for (int batches = 0; batches < 2; batches++)
        for (size_t i = 0; i < NCZ_LEN(parts); i++) {
            zmap        *map = made("mode=nczarr,consolidated"), *m;
            ncz_dataset *ds = NULL;
            counts       c;

            replace(map, ".zmetadata", parts[i], broken[i]);
            m = counting(map, &c, batches == 1);
            OK(ncz_dataset_open_map(m, NULL, NC_NOWRITE, NULL, &ds));
            find_all(ds);
            assert_int_equal(var(ds, "/g1", "w")->unusable->code, NC_NOERR);
            OK(end(ds));
            if (i == 0) {
                OK(ncz_dataset_open_map(m, "consolidated=yes", NC_NOWRITE, NULL, &ds));
                find_all(ds);
                assert_int_equal(var(ds, "/g1", "w")->unusable->code, NC_EZARRMETA);
                OK(end(ds));
            }
            forget(&c);
            OK(zmap_close(m, ZMAP_KEEP));
            OK(zmap_close(map, ZMAP_KEEP));
        }
}

/* Part of the lists in the newest place, the rest in the older one only: both documents are read. */
TEST(lists_in_two_places)
{
    zmap        *map = made("mode=nczarr"), *m;
    ncz_dataset *ds = NULL;
    counts       c;

    replace(map, ".zattrs", "\"groups\"", "\"grapes\"");
    m = counting(map, &c, true);
    OK(ncz_dataset_open_map(m, NULL, NC_NOWRITE, NULL, &ds));
    find_all(ds);
    assert_true(c.of_batch[1] == 1 && c.of_batch[2] == ROOT_KEYS - FIRST && !c.twice);
    OK(end(ds));
    forget(&c);
    OK(zmap_close(m, ZMAP_KEEP));
    OK(zmap_close(map, ZMAP_KEEP));
}

/* A writer that cannot be told whether there are copies would leave them behind. */
TEST(copies_that_cannot_be_asked_for)
{
    zmap_fault_plan plan = {.nth = ROOT_KEYS + 1, .kind = ZMAP_FAULT_FAIL, .code = NC_EIO};
    zmap           *map = made("mode=nczarr,consolidated"), *m = NULL;
    ncz_dataset    *ds = NULL;

    OK(zmap_fault_open(zmap_ref(map), &plan, &m));
    assert_int_equal(ncz_dataset_open_map(m, NULL, NC_WRITE, NULL, &ds), NC_EIO);
    assert_true(strlen(ncz_err_text()) > 0);
    ncz_err_clear();
    OK(zmap_close(m, ZMAP_KEEP));
    OK(zmap_close(map, ZMAP_KEEP));
}

/* Every copy says what the document says. */
static void
copies_are_true(zmap *map)
{
    const ncz_json_opts opts = {.mode = NCZ_JSON_STRICT, .depth = 100, .nbytes = (size_t)1 << 20};
    ncz_buf             body = NCZ_BUF_INIT;
    ncz_json           *all = NULL;
    const ncz_json     *copies;

    OK(zmap_get(map, ".zmetadata", &body));
    OK(ncz_json_parse(body.data, body.len, &opts, &all, NULL));
    copies = ncz_json_get(all, "metadata");
    assert_true(ncz_json_len(copies) >= 2);
    for (size_t i = 0; i < ncz_json_len(copies); i++) {
        ncz_json *one = NULL;

        ncz_buf_reset(&body);
        OK(zmap_get(map, ncz_json_key(copies, i), &body));
        OK(ncz_json_parse(body.data, body.len, &opts, &one, NULL));
        assert_true(ncz_json_equal(one, ncz_json_at(copies, i)));
        ncz_json_free(one);
    }
    ncz_json_free(all);
    ncz_buf_clear(&body);
}

/* Whoever writes, and however it was opened, a copy that is there says what the documents say, after each flush. */
TEST(copies_are_kept_true)
{
    const char *const created[] = {"mode=nczarr,consolidated", "mode=zarr,consolidated", "mode=nczarr"};
    const char *const opened[] = {NULL, "consolidated=no", "mode=consolidated"};

    for (size_t i = 0; i < NCZ_LEN(created); i++)
        for (size_t k = 0; k < NCZ_LEN(opened); k++) {
            zmap        *map = made(created[i]);
            ncz_dataset *ds = NULL;
            ncz_dim     *n = NULL;
            ncz_group   *g = NULL;
            ncz_var     *v = NULL;
            int          data[4] = {1, 2, 3, 4};
            bool         copies = i < 2 || k == 2;

            OK(ncz_dataset_open_map(map, opened[k], NC_WRITE, NULL, &ds));
            OK(put_att(ds, "version", 2));
            OK(def_dim(ds, "n", 0, &n));
            OK(def_group(ds, "late", &g));
            OK(def_var(ds, g, "grows", 1, &n, &v));
            OK(ncz_dataset_sync(ds));
            if (copies)
                copies_are_true(map);
            OK(put(ds, v, 0, 4, data)); /* the array's shape changes, and the root's dimension */
            OK(ncz_dataset_sync(ds));
            if (copies)
                copies_are_true(map);
            OK(ncz_dataset_begin(ds, NCZ_USE_CHANGE));
            OK(ncz_dataset_end(ds, NCZ_USE_CHANGE, ncz_dataset_rename_group(ds, g, "renamed")));
            OK(end(ds));
            if (copies)
                copies_are_true(map);
            else
                assert_int_equal(zmap_len(map, ".zmetadata", NULL), NC_EEMPTY);
            OK(ncz_dataset_open_map(map, NULL, NC_NOWRITE, NULL, &ds));
            assert_non_null(model_of(ds));
            assert_non_null(var(ds, "/renamed", "grows"));
            assert_int_equal(att(ds, "version"), 2);
            assert_int_equal(var(ds, "/renamed", "grows")->dims[0]->len, 4);
            OK(end(ds));
            OK(zmap_close(map, ZMAP_KEEP));
        }
}
