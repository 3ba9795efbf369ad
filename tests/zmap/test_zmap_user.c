/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps of an application's own: the contract with and without ranges and threads, and answers that are wrong. */
#include "nczarr_zmap.h"
#include "zmap/zmap_mem.h"
#include "zmap/zmap_user.h"

#include "contract/store.h"

#include <errno.h>
#include "support/test.h"

/* ---- a sound one, over a map in memory ---- */

static int
sound_get(void *user, const char *key, unsigned long long start, unsigned long long count, nczarr_map_reply *reply)
{
    ncz_buf body = NCZ_BUF_LIMIT(1 << 30);
    size_t  n;
    int     rc = zmap_get(user, key, &body);

    if (rc == NC_NOERR && start > body.len)
        rc = NC_EINVAL;
    n = rc == NC_NOERR ? body.len - (size_t)start : 0;
    if (rc == NC_NOERR && count != NCZARR_MAP_WHOLE && count > n)
        rc = NC_EINVAL;
    if (count != NCZARR_MAP_WHOLE)
        n = (size_t)count;
    if (rc == NC_NOERR && (rc = nczarr_map_answer(reply, body.data + start, n / 2)) == NC_NOERR) /* in two pieces */
        rc = nczarr_map_answer(reply, body.data + start + n / 2, n - n / 2);
    ncz_buf_clear(&body);
    return rc;
}

static int
sound_len(void *user, const char *key, unsigned long long *lenp)
{
    uint64_t len = 0;
    int      rc = zmap_len(user, key, &len);

    *lenp = len;
    return rc;
}

static int
sound_put(void *user, const char *key, const void *data, size_t count)
{
    return zmap_put(user, key, data, count);
}

static int
sound_del(void *user, const char *key)
{
    return zmap_del(user, &key, 1);
}

typedef struct passing {
    nczarr_map_each each;
    void           *arg;
} passing;

static int
pass_twice(const char *name, bool leaf, void *arg)
{
    passing *p = arg;
    int      rc = p->each(name, leaf, p->arg);

    return rc != 0 ? rc : p->each(name, leaf, p->arg); /* that does no harm */
}

static int
sound_list(void *user, const char *prefix, nczarr_map_each each, void *arg)
{
    passing p = {each, arg};

    return zmap_list(user, prefix, pass_twice, &p);
}

static int
sound_close(void *user, int keep)
{
    return zmap_close(user, keep ? ZMAP_KEEP : ZMAP_DISCARD);
}

static const nczarr_map_ops sound = {.size = sizeof sound,
                                     .name = "sound",
                                     .get = sound_get,
                                     .len = sound_len,
                                     .put = sound_put,
                                     .del = sound_del,
                                     .list = sound_list,
                                     .close = sound_close};

static zmap *
make(unsigned flags)
{
    nczarr_map_ops ops = sound;
    zmap          *inner = NULL, *m = NULL;

    ops.flags = flags;
    if (zmap_mem_open(&inner) != NC_NOERR || zmap_user_open(&ops, inner, &m) != NC_NOERR)
        return NULL;
    return m;
}

static zmap *
make_plain(void *place)
{
    (void)place;
    return make(0);
}

static zmap *
make_able(void *place)
{
    (void)place;
    return make(NCZARR_MAP_THREADS | NCZARR_MAP_CAN_RANGE);
}

/* ---- wrong ones ---- */

typedef struct wrong {
    int         rc, closed, kept;
    const char *text, *child;
    size_t      give; /* bytes answered, whatever was asked for */
} wrong;

static int
wrong_get(void *user, const char *key, unsigned long long start, unsigned long long count, nczarr_map_reply *reply)
{
    const wrong *w = user;
    char         bytes[64] = "";

    (void)key;
    (void)start;
    (void)count;
    if (w->rc != NC_NOERR && w->text != NULL)
        return nczarr_map_fail(w->rc, "%s", w->text);
    if (w->rc != NC_NOERR)
        return w->rc;
    (void)nczarr_map_answer(reply, bytes, w->give); /* what it says is not looked at */
    return NC_NOERR;
}

static int
wrong_list(void *user, const char *prefix, nczarr_map_each each, void *arg)
{
    (void)prefix;
    (void)each(((wrong *)user)->child, 1, arg);
    return NC_NOERR;
}

static int
wrong_close(void *user, int keep)
{
    wrong *w = user;

    w->closed++;
    w->kept = keep;
    return w->rc;
}

/* nczarr_map_fail() is the api module's; here a stand-in with the same meaning. */
int
nczarr_map_fail(int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)ncz_fail(code, "%s", va_arg(args, const char *));
    va_end(args);
    return code;
}

static const nczarr_map_ops wrong_ops = {.size = sizeof wrong_ops,
                                         .name = "wrong",
                                         .flags = NCZARR_MAP_CAN_RANGE,
                                         .get = wrong_get,
                                         .list = wrong_list,
                                         .close = wrong_close};

static int
get_range(zmap *m, size_t len, size_t cap)
{
    char         into[64];
    zmap_get_req r = {.key = "k", .len = len, .into = into, .into_cap = cap};

    (void)zmap_get_batch(m, &r, 1, NULL, NULL);
    return r.err.code;
}

TEST(wrong_answers_of_a_store_are_refused)
{
    wrong   w = {.give = 8};
    zmap   *m;
    ncz_buf body = NCZ_BUF_LIMIT(7);

    assert_int_equal(zmap_user_open(&wrong_ops, &w, &m), NC_NOERR);
    assert_int_equal(get_range(m, 8, 64), NC_NOERR);
    assert_int_equal(get_range(m, 9, 64), NC_EINVAL);     /* too little came */
    assert_int_equal(get_range(m, 7, 64), NC_EINVAL);     /* too much */
    assert_int_equal(zmap_get(m, "k", &body), NC_ENOMEM); /* above the ceiling */
    assert_int_equal(body.len, 0);
    w.rc = NC_EEMPTY;
    assert_int_equal(get_range(m, 8, 64), NC_EEMPTY);
    w.rc = EBUSY;
    assert_int_equal(get_range(m, 8, 64), EBUSY);
    assert_non_null(strstr(ncz_err_text(), "wrong: getting k"));
    w.rc = NC_EACCESS;
    w.text = "the archive is locked";
    assert_int_equal(get_range(m, 8, 64), NC_EACCESS);
    assert_string_equal(ncz_err_text(), "wrong: the archive is locked");
    assert_int_equal(zmap_put(m, "k", "x", 1), NC_EPERM); /* it has no put */
    assert_int_equal(zmap_close(m, ZMAP_DISCARD), NC_EACCESS);
    assert_int_equal(w.closed, 1);
    assert_int_equal(w.kept, 0);
    ncz_buf_clear(&body);
}

static int
count_children(const char *name, bool leaf, void *arg)
{
    (void)name;
    (void)leaf;
    ++*(size_t *)arg;
    return 0;
}

TEST(wrong_children_of_a_store_are_refused)
{
    static const char *const bad[] = {"", "a/b", "..", ".", "a\nb", "\xff"};
    wrong                    w = {.child = "good"};
    size_t                   n = 0;
    zmap                    *m;

    assert_int_equal(zmap_user_open(&wrong_ops, &w, &m), NC_NOERR);
    assert_int_equal(zmap_list(m, "", count_children, &n), NC_NOERR);
    assert_int_equal(n, 1);
    for (size_t i = 0; i < NCZ_LEN(bad); i++) {
        w.child = bad[i];
        assert_int_equal(zmap_list(m, "", count_children, &n), NC_EINVAL);
    }
    assert_int_equal(n, 1);
    assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    assert_int_equal(w.kept, 1);
}

TEST(bad_tables_of_a_store_are_refused)
{
    struct {
        nczarr_map_ops ops;
        void          *newer;
    } future = {.ops = sound, .newer = NULL};
    nczarr_map_ops ops = sound;
    zmap          *m = NULL;

    ops.size = 8;
    assert_int_equal(zmap_user_open(&ops, NULL, &m), NC_EINVAL);
    ops = sound;
    ops.get = NULL;
    assert_int_equal(zmap_user_open(&ops, NULL, &m), NC_EINVAL);
    ops = sound;
    ops.name = "";
    assert_int_equal(zmap_user_open(&ops, NULL, &m), NC_EINVAL);
    ops = sound;
    ops.del = NULL;
    assert_int_equal(zmap_user_open(&ops, NULL, &m), NC_EINVAL);
    ops = sound;
    ops.flags = 0x4000;
    assert_int_equal(zmap_user_open(&ops, NULL, &m), NC_EINVAL);
    assert_null(m);

    future.ops.size = sizeof future;
    future.newer = &future;
    assert_int_equal(zmap_user_open(&future.ops, NULL, &m), NC_ENOTBUILT);
    future.newer = NULL; /* a newer header, but nothing asked of it */
    future.ops.close = NULL;
    assert_int_equal(zmap_user_open(&future.ops, NULL, &m), NC_NOERR);
    assert_string_equal(zmap_name(m), "sound");
    assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

int
main(void)
{
    static const store_maker plain = {.name = "own", .make = make_plain};
    static const store_maker able = {.name = "own, threads and ranges", .make = make_able};
    int                      failed = store_contract(&plain) + store_contract(&able);

    return failed + run_file_tests(NULL, NULL);
}
