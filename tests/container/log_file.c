/* SPDX-License-Identifier: BSD-3-Clause */
#include "container/log_file.h"
#include "support/test.h"
#include "zmap/zmap_int.h"

#include <errno.h>
#include <sched.h>

typedef struct log_map {
    zmap            base;
    log_file       *f;
    pthread_mutex_t lock;
} log_map;

static void
set_len(log_file *f, size_t len)
{
    if (len > f->cap) {
        f->cap = 2 * len;
        f->data = realloc(f->data, f->cap);
    }
    if (len > f->len)
        memset(f->data + f->len, 0, len - f->len);
    f->len = len;
}

void
log_file_apply(log_file *f, const log_change *x, size_t most)
{
    size_t n = x->len < most ? x->len : most;

    if (x->kind == LOG_RESIZE)
        set_len(f, (size_t)x->at);
    if (x->kind != LOG_PUT || n == 0)
        return;
    if (x->at + n > f->len)
        set_len(f, (size_t)x->at + n);
    memcpy(f->data + x->at, x->bytes, n);
}

/* True: it fails. */
static bool
change(log_file *f, const log_change *x)
{
    f->changes++;
    if (f->fail_at != 0 && f->changes >= f->fail_at && f->changes < f->fail_at + f->fails) {
        if (f->torn && x->at > 0) /* not a superblock */
            log_file_apply(f, x, x->len / 2);
        return true;
    }
    log_file_apply(f, x, SIZE_MAX);
    if (!f->logs)
        return false;
    if (f->n == f->nalloc) {
        f->nalloc = f->nalloc * 2 + 64;
        f->log = realloc(f->log, f->nalloc * sizeof *f->log);
    }
    f->log[f->n] = *x;
    if (x->len > 0)
        memcpy(f->log[f->n].bytes = malloc(x->len), x->bytes, x->len);
    f->n++;
    return false;
}

static int
change_locked(zmap *m, const log_change *x)
{
    log_map *s = (log_map *)m;
    bool     fails;

    (void)pthread_mutex_lock(&s->lock);
    fails = change(s->f, x);
    (void)pthread_mutex_unlock(&s->lock);
    return fails ? ncz_fail_errno(ENOSPC, "the file") : NC_NOERR;
}

static int
put_ranges(zmap *m, zmap_range_req *reqs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t     half = ((log_map *)m)->f->halves ? reqs[i].len / 2 : 0;
        char      *bytes = (char *)(uintptr_t)reqs[i].data;
        log_change first = {LOG_PUT, reqs[i].off, half, bytes};
        log_change rest = {LOG_PUT, reqs[i].off + half, reqs[i].len - half, bytes + half};
        int        rc = half > 0 ? change_locked(m, &first) : NC_NOERR;

        if (half > 0)
            (void)sched_yield();
        zmap_range_end(&reqs[i], rc == NC_NOERR ? change_locked(m, &rest) : rc);
    }
    return NC_NOERR;
}

static int
resize_file(zmap *m, const char *key, uint64_t size)
{
    (void)key;
    return change_locked(m, &(log_change){LOG_RESIZE, size, 0, NULL});
}

static int
sync_file(zmap *m)
{
    return change_locked(m, &(log_change){LOG_SYNC, 0, 0, NULL});
}

static int
get_ranges(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    log_map *s = (log_map *)m;

    for (size_t i = 0; i < n; i++) {
        int rc;

        (void)pthread_mutex_lock(&s->lock);
        rc = zmap_answer_bytes(&reqs[i], s->f->data, s->f->len);
        (void)pthread_mutex_unlock(&s->lock);
        zmap_get_end(&reqs[i], rc, done, arg);
    }
    return NC_NOERR;
}

static int
find_len(zmap *m, const char *key, uint64_t *len)
{
    (void)key;
    *len = ((log_map *)m)->f->len;
    return NC_NOERR;
}

static int
close_file(zmap *m, zmap_end how)
{
    log_map *s = (log_map *)m;

    if (how == ZMAP_DISCARD)
        s->f->len = 0;
    (void)pthread_mutex_destroy(&s->lock);
    free(s);
    return NC_NOERR;
}

static const zmap_ops log_ops = {
    .name = "log",
    .get = get_ranges,
    .put_range = put_ranges,
    .resize = resize_file,
    .sync = sync_file,
    .len = find_len,
    .close = close_file,
};

int
log_file_open(log_file *f, zmap **out)
{
    log_map *s = calloc(1, sizeof *s);

    s->base = (zmap){.ops = &log_ops,
                     .caps = ZMAP_CAN_RANGE | ZMAP_CAN_FROM_END | ZMAP_CAN_WRITE | ZMAP_CAN_PUT_RANGE |
                             ZMAP_CAN_SYNC | ZMAP_FROM_WORKERS | ZMAP_SINGLE,
                     .refs = 1};
    s->f = f;
    assert_int_equal(pthread_mutex_init(&s->lock, NULL), 0);
    *out = &s->base;
    return NC_NOERR;
}

void
log_file_clear(log_file *f)
{
    for (size_t i = 0; i < f->n; i++)
        free(f->log[i].bytes);
    free(f->log);
    free(f->data);
    *f = (log_file){.data = NULL};
}
