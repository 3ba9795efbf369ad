/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A call leaves the caller's processor state as it was: the upper halves of the vector registers clean, the rounding
 * mode and all else of the floating-point mode unchanged. With every codec, on directories, in memory and in
 * archives, with workers and without. And what one codec of a chain leaves behind is gone before the next one runs,
 * on workers too.
 */
#include "api_test.h"
#include "nczarr_filter.h"

#include <pthread.h>
#include <time.h>

#include "contract/cpu_state.h"

enum { CHUNKS = 8, CHUNK = 8192 };

static const char *const chains[] = {
    "[]",
    "[{\"id\": \"zlib\", \"level\": 1}]",
    "[{\"id\": \"shuffle\", \"elementsize\": 4}, {\"id\": \"zlib\", \"level\": 1}]",
    "[{\"id\": \"zlib\", \"level\": 2}]",
    "[{\"id\": \"zlib\", \"level\": 3}]",
    "[{\"id\": \"zlib\", \"level\": 5}]",
    "[{\"id\": \"zlib\", \"level\": 9}]",
    "[{\"id\": \"gzip\", \"level\": 1}]",
    "[{\"id\": \"zstd\", \"level\": 1}]",
    "[{\"id\": \"lz4\"}]",
    "[{\"id\": \"lzma\", \"format\": 1, \"preset\": 0}]",
    "[{\"id\": \"bz2\", \"level\": 1}]",
    "[{\"id\": \"szip\", \"mask\": 32, \"pixels-per-block\": 16}]",
    "[{\"id\": \"blosc\", \"cname\": \"blosclz\", \"clevel\": 5, \"shuffle\": 2}]",
    "[{\"id\": \"blosc\", \"cname\": \"lz4\", \"clevel\": 5, \"shuffle\": 1}]",
    "[{\"id\": \"blosc\", \"cname\": \"zstd\", \"clevel\": 1, \"shuffle\": 2}]",
    "[{\"id\": \"blosc\", \"cname\": \"zlib\", \"clevel\": 1, \"shuffle\": 1}]",
    "[{\"id\": \"fletcher32\"}]",
    "[{\"id\": \"crc32c\"}]",
    "[{\"id\": \"crc32\"}, {\"id\": \"adler32\"}, {\"id\": \"jenkins_lookup3\"}, {\"id\": \"base64\"}]",
    "[{\"id\": \"fixedscaleoffset\", \"scale\": 8, \"offset\": 0, \"dtype\": \"<f4\", \"astype\": \"<i4\"}]",
    "[{\"id\": \"quantize\", \"digits\": 2, \"dtype\": \"<f4\"}]",
    "[{\"id\": \"bitround\", \"keepbits\": 7}]",
    "[{\"id\": \"delta\", \"dtype\": \"<f4\"}]",
    "[{\"id\": \"astype\", \"encode_dtype\": \"<f8\", \"decode_dtype\": \"<f4\"}]",
};

static cpu_mode mode; /* the caller's */
static bool     upper_known;

/* A call that succeeds and leaves the state as it was. */
#define SAME(call)                                                                                                   \
    do {                                                                                                             \
        if (upper_known)                                                                                             \
            cpu_state_clean();                                                                                       \
        OK(call);                                                                                                    \
        if (upper_known && cpu_state_upper() != 0)                                                                   \
            fail_msg("%s leaves the upper halves of vector registers in use", #call);                                \
        if (!cpu_mode_same(cpu_mode_now(), mode))                                                                    \
            fail_msg("%s changes the floating-point mode", #call);                                                   \
    } while (0)

/* Without the codecs where this build lacks one. */
static void
define(int ncid, const char *chain, int *varid)
{
    const size_t chunk = CHUNK;
    int          dim, rc;

    SAME(nc_def_dim(ncid, "x", (size_t)CHUNKS * CHUNK, &dim));
    SAME(nc_def_var(ncid, "v", NC_FLOAT, 1, &dim, varid));
    SAME(nc_def_var_chunking(ncid, *varid, NC_CHUNKED, &chunk));
    rc = nczarr_def_var_codecs(ncid, *varid, chain);
    if (rc != NC_ENOFILTER)
        RC(NC_NOERR, rc);
    SAME(nc_put_att_double(ncid, *varid, "scale", NC_FLOAT, 1, (const double[]){0.1}));
    SAME(nc_enddef(ncid));
}

static void
round_trip(place *p, const char *chain)
{
    const size_t start = 100, count = (size_t)CHUNKS * CHUNK - 200, some = 1000;
    double      *data = malloc(count * sizeof *data), *back = malloc(count * sizeof *back);
    int          ncid, v;

    for (size_t i = 0; i < count; i++)
        data[i] = (double)(i % 61);
    SAME(place_create(p, "mode=nczarr&durability=none", NC_CLOBBER, &ncid));
    define(ncid, chain, &v);
    SAME(nc_put_vara_double(ncid, v, &start, &count, data)); /* whole chunks, and parts of two */
    SAME(nc_put_vara_double(ncid, v, &start, &some, data));
    SAME(nc_sync(ncid));
    SAME(nc_get_vara_double(ncid, v, &start, &some, back));
    SAME(nc_close(ncid));
    SAME(place_open(p, NULL, NC_NOWRITE, &ncid));
    SAME(nc_get_vara_double(ncid, v, &start, &some, back));
    SAME(nc_get_vara_double(ncid, v, &start, &count, back));
    SAME(nc_close(ncid));
    free(data);
    free(back);
}

static void
all_chains_on(place *p)
{
    char text[600];

    for (size_t i = 0; i < NCZ_LEN(chains); i++)
        round_trip(p, chains[i]);
    place_text(p, NULL, text, sizeof text);
    if (!p->memory)
        SAME(nc_delete(text));
}

static void
with_threads(unsigned n)
{
    upper_known = cpu_state_unknown() == NULL;
    OK(nczarr_set_threads(n));
    cpu_mode_unusual();
    mode = cpu_mode_now();
    in_each_place(all_chains_on);
    cpu_mode_usual();
    mode = cpu_mode_now();
    in_each_place(all_chains_on);
    OK(nczarr_set_threads(0));
}

/* Says honestly when only half of it was looked at. */
static void
end_checked(void)
{
    if (!upper_known) {
        print_message("vector state not checked: %s\n", cpu_state_unknown());
        skip();
    }
}

TEST(one_thread_keeps_the_callers_state)
{
    with_threads(1);
    end_checked();
}

TEST(workers_keep_the_callers_state)
{
    with_threads(2);
    end_checked();
}

/* ---- between two codecs, on all threads ---- */

/* A codec that looks at the state in which it is called. */
typedef struct watcher {
    pthread_mutex_t lock;
    pthread_cond_t  change;
    pthread_t       main;
    bool            on_worker; /* was it called on one? */
    unsigned        ndirty, ncalls;
} watcher;

/* The first call on the main thread waits until a worker has come, which takes the next chunk. */
static void
watch(watcher *w)
{
    bool            dirty = cpu_state_upper() != 0;
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    pthread_mutex_lock(&w->lock);
    w->ncalls++;
    w->ndirty += dirty ? 1 : 0;
    if (!pthread_equal(pthread_self(), w->main)) {
        w->on_worker = true;
        pthread_cond_signal(&w->change);
    }
    while (!w->on_worker && pthread_cond_timedwait(&w->change, &w->lock, &until) == 0)
        ;
    pthread_mutex_unlock(&w->lock);
}

static int
watch_copy(void *user, void *own, const nczarr_codec_array *array, const void *in, size_t n, void *out, size_t cap,
           size_t *used)
{
    (void)own, (void)array;
    watch(user);
    if (n > cap)
        return NC_EFILTER;
    memcpy(out, in, n);
    *used = n;
    cpu_state_dirty(); /* what comes next must not find it */
    return NC_NOERR;
}

TEST(the_state_is_clean_between_codecs)
{
    static const char chain[] = "[{\"id\": \"zlib\", \"level\": 1}, {\"id\": \"test.watch\"},"
                                " {\"id\": \"gzip\", \"level\": 1}, {\"id\": \"test.watch.too\"}]";
    const size_t      start = 0, count = (size_t)CHUNKS * CHUNK;
    watcher           w = {.main = pthread_self()};
    nczarr_codec      codec = {.size = sizeof codec,
                               .id = "test.watch",
                               .flags = NCZARR_CODEC_THREADS,
                               .user = &w,
                               .encode = watch_copy,
                               .decode = watch_copy};
    nczarr_codec      too = codec;
    float            *data = calloc(count, sizeof *data);
    place             p;
    int               ncid, v;

    CPU_STATE_NEEDED();
    upper_known = true;
    mode = cpu_mode_now();
    too.id = "test.watch.too";
    pthread_mutex_init(&w.lock, NULL);
    pthread_cond_init(&w.change, NULL);
    OK(nczarr_filter_register(&codec));
    OK(nczarr_filter_register(&too));
    OK(nczarr_set_threads(2));
    place_make(&p, true);
    for (size_t i = 0; i < count; i++)
        data[i] = (float)(i % 7);
    OK(place_create(&p, NULL, NC_CLOBBER, &ncid));
    define(ncid, chain, &v);
    SAME(nc_put_vara_float(ncid, v, &start, &count, data));
    assert_true(w.on_worker);
    w.on_worker = false;
    SAME(nc_get_vara_float(ncid, v, &start, &count, data));
    assert_true(w.on_worker);
    SAME(nc_close(ncid));
    assert_int_equal(w.ncalls, 4 * CHUNKS);
    assert_int_equal(w.ndirty, 0);
    place_drop(&p);
    OK(nczarr_set_threads(0));
    OK(nczarr_filter_unregister("test.watch"));
    OK(nczarr_filter_unregister("test.watch.too"));
    pthread_mutex_destroy(&w.lock);
    pthread_cond_destroy(&w.change);
    free(data);
}
