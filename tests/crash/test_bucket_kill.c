/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process that widens the strings of a variable in a bucket dies at each of its requests: the server kills it when
 * the n-th one comes, and does what that asks for, or not. Each string is the old one or the new one then; the same put
 * succeeds, and leaves the same objects as one that nothing has disturbed.
 */
#include "support/test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nczarr.h"
#include "nczarr_zmap.h"
#include "zmap/bucket.h"

enum { WORDS = 5, LONG_WORD = 300, LONG_ONE = 2, KEYS = 4096 };

static const char *const words[WORDS] = {"red", "green", "blue", "white", "black"};
static char              long_word[LONG_WORD + 1], url[200];

#define OK(call)                                                                                                     \
    do {                                                                                                             \
        int rc_ = (call);                                                                                            \
        if (rc_ != NC_NOERR)                                                                                         \
            print_error("%s: %d %s\n", #call, rc_, nczarr_errmsg());                                                 \
        assert_int_equal(rc_, NC_NOERR);                                                                             \
    } while (0)

/* The server's: at which request of the victim, and whether that is still done. */
typedef struct killer {
    pid_t    victim; /* 0: none yet, or none any more */
    unsigned requests, die_at;
    bool     armed, drop, dead;
} killer;

static bool
kill_at_request(const stub_request *req, stub_reply *reply, void *arg)
{
    killer *k = arg;
    pid_t   pid;

    (void)req;
    if (!__atomic_load_n(&k->armed, __ATOMIC_SEQ_CST))
        return false;
    if (k->dead) { /* what it had sent at the same time */
        reply->how = STUB_CLOSE;
        return true;
    }
    if (++k->requests != k->die_at)
        return false;
    while ((pid = __atomic_load_n(&k->victim, __ATOMIC_SEQ_CST)) == 0)
        usleep(100);
    (void)kill(pid, SIGKILL);
    k->dead = true;
    if (k->drop)
        reply->how = STUB_CLOSE;
    return k->drop;
}

static void
create(const char *name)
{
    int ncid, d, v;

    OK(nc_create(name, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "w", WORDS, &d));
    OK(nc_def_var(ncid, "words", NC_STRING, 1, &d, &v));
    OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){2}));
    OK(nc_put_var_string(ncid, v, (const char **)(uintptr_t)words));
    OK(nc_close(ncid));
}

static int
widen_to(const char *word)
{
    int ncid, v, rc, closed;

    if ((rc = nc_open(url, NC_WRITE, &ncid)) != NC_NOERR)
        return rc;
    if ((rc = nc_inq_varid(ncid, "words", &v)) == NC_NOERR)
        rc = nc_put_var1_string(ncid, v, (size_t[]){LONG_ONE}, &word);
    closed = nc_close(ncid);
    return rc != NC_NOERR ? rc : closed;
}

/* The strings, of which one may be the old one or, if `must`, is the new one. */
static void
check_words(bool must)
{
    char *got[WORDS];
    int   ncid, v;

    OK(nc_open(url, NC_NOWRITE, &ncid));
    OK(nc_inq_varid(ncid, "words", &v));
    OK(nc_get_var_string(ncid, v, got));
    for (int i = 0; i < WORDS; i++)
        if (i != LONG_ONE)
            assert_string_equal(got[i], words[i]);
        else if (must || strcmp(got[i], words[i]) != 0)
            assert_string_equal(got[i], long_word);
    OK(nc_free_string(WORDS, got));
    OK(nc_close(ncid));
}

static int
add_key(const char *name, int leaf, void *arg)
{
    char *keys = arg;

    (void)leaf;
    snprintf(keys + strlen(keys), KEYS - strlen(keys), "%s\n", name);
    return 0;
}

/* All the names below the dataset. */
static void
list_keys(char keys[KEYS])
{
    nczarr_map *map;

    keys[0] = '\0';
    OK(nczarr_map_open(url, NCZARR_MAP_READ, &map));
    OK(nczarr_map_search(map, "", add_key, keys));
    OK(nczarr_map_search(map, "words", add_key, keys));
    OK(nczarr_map_close(map));
}

/* True: the victim got through. */
static bool
die_once(killer *k, unsigned n, bool drop, const char *clean)
{
    char keys[KEYS];
    int  status;

    k->die_at = n;
    k->requests = 0;
    k->drop = drop;
    k->dead = false;
    __atomic_store_n(&k->victim, 0, __ATOMIC_SEQ_CST);
    __atomic_store_n(&k->armed, true, __ATOMIC_SEQ_CST);
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0)
        _exit(widen_to(long_word) == NC_NOERR ? 0 : 1);
    __atomic_store_n(&k->victim, pid, __ATOMIC_SEQ_CST);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    __atomic_store_n(&k->armed, false, __ATOMIC_SEQ_CST);
    if (WIFEXITED(status)) {
        assert_int_equal(WEXITSTATUS(status), 0);
        return true;
    }
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    check_words(false);
    OK(widen_to(long_word));
    check_words(true);
    list_keys(keys);
    assert_string_equal(keys, clean);
    OK(nc_delete(url));
    return false;
}

TEST(a_death_at_any_request_leaves_a_whole_dataset)
{
    killer   k = {.armed = false};
    bucket  *b = bucket_start(kill_at_request, &k);
    char     clean[KEYS];
    unsigned n = 0;

    assert_non_null(b);
    memset(long_word, 'L', LONG_WORD);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/buck/h.zarr#mode=nczarr,v2,s3&anon", stub_port(bucket_stub(b)));
    create(url);
    OK(widen_to(long_word));
    check_words(true);
    list_keys(clean);
    for (bool through = false; !through; n++) {
        create(url);
        through = die_once(&k, n + 1, false, clean);
        if (!through) {
            create(url);
            (void)die_once(&k, n + 1, true, clean);
        }
    }
    print_message("%u requests\n", n - 1);
    assert_true(n > 10);
    bucket_stop(b);
}
