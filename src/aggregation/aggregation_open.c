/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * aggregation_open: the fragments of an aggregation that are open. Each is opened once, at its first use, and stays
 * open until others need its room.
 */
#include "aggregation/aggregation_int.h"
#include "platform/platform.h"

#include <stdlib.h>
#include <string.h>

/* Of the files that the process may have open a quarter are for fragments that are kept; a dataset has up to two. And
 * each takes memory, some 10 KiB for a variable. */
enum { SHARE = 4, FILES_EACH = 2, OPEN_LEAST = 8, OPEN_MOST = 512, OPEN_FEW = 64, VARS_MOST = 1 << 14 };

size_t
ncz_aggregation_open_most(size_t nvars)
{
    size_t n = ncz_sys_files_most() / (SHARE * FILES_EACH), by_vars = VARS_MOST / (nvars + 1);

    by_vars = by_vars < OPEN_FEW ? OPEN_FEW : by_vars > OPEN_MOST ? OPEN_MOST : by_vars;
    return n < OPEN_LEAST ? OPEN_LEAST : n < by_vars ? n : by_vars;
}

struct ncz_fragment {
    char           *path;
    unsigned        users; /* under the set's lock, like `used` */
    uint64_t        used;
    pthread_mutex_t lock; /* held while it is opened */
    ncz_dataset    *ds;   /* NULL: not opened yet, or that failed */
};

int
ncz_fragment_set_init(ncz_fragment_set *s)
{
    int err = pthread_mutex_init(&s->lock, NULL);

    s->most = OPEN_LEAST;
    return err == 0 ? NC_NOERR : ncz_fail_lock(err);
}

static void
free_fragment(ncz_fragment *f)
{
    if (f == NULL)
        return;
    if (f->ds != NULL)
        (void)ncz_dataset_close(f->ds); /* it was only read */
    ncz_dataset_free(f->ds);
    (void)pthread_mutex_destroy(&f->lock);
    ncz_free(f->path);
    ncz_free(f);
}

void
ncz_fragment_set_clear(ncz_fragment_set *s)
{
    for (size_t i = 0; i < s->n; i++)
        free_fragment(s->v[i]);
    ncz_free(s->v);
    (void)pthread_mutex_destroy(&s->lock);
}

static int
new_fragment(const char *path, ncz_fragment **out)
{
    ncz_fragment *f = ncz_zalloc(sizeof *f);
    int           err;

    if (f == NULL || (f->path = ncz_strdup(path)) == NULL) {
        ncz_free(f);
        return ncz_fail_nomem(sizeof *f);
    }
    if ((err = pthread_mutex_init(&f->lock, NULL)) != 0) {
        ncz_free(f->path);
        ncz_free(f);
        return ncz_fail_lock(err);
    }
    *out = f;
    return NC_NOERR;
}

/* Takes the one out that has not been used for longest, where there are many. NULL: none can go. */
static ncz_fragment *
take_oldest(ncz_fragment_set *s)
{
    size_t        at = s->n;
    ncz_fragment *f;

    for (size_t i = 0; i < s->n && s->n >= s->most; i++)
        if (s->v[i]->users == 0 && (at == s->n || s->v[i]->used < s->v[at]->used))
            at = i;
    if (at == s->n)
        return NULL;
    f = s->v[at];
    s->v[at] = s->v[--s->n];
    return f;
}

/* Finds it or adds it, under the set's lock. *old: what had to go, which the caller frees without the lock. */
static int
find_or_add(ncz_fragment_set *s, const char *path, ncz_fragment **out, ncz_fragment **old)
{
    int rc;

    *out = NULL;
    for (size_t i = 0; i < s->n && *out == NULL; i++)
        if (strcmp(s->v[i]->path, path) == 0)
            *out = s->v[i];
    if (*out == NULL) {
        *old = take_oldest(s);
        if ((rc = ncz_make_room(&s->v, s->n, &s->cap, sizeof *s->v)) != NC_NOERR ||
            (rc = new_fragment(path, out)) != NC_NOERR)
            return rc;
        s->v[s->n++] = *out;
    }
    (*out)->users++;
    return NC_NOERR;
}

/* The file that a place is the number of; NULL: none. */
static const char *
find_file(const ncz_aggregation *a, const char *uri)
{
    char              *end;
    unsigned long long i = strtoull(uri, &end, 10);

    return *end == '\0' && i < a->nfiles ? a->files[i] : NULL;
}

int
ncz_fragment_path(const ncz_aggregation *a, const char *uri, ncz_buf *out)
{
    const char *file = find_file(a, uri);

    if (file == NULL)
        return ncz_places_resolve(a->places, uri, out);
    ncz_buf_reset(out);
    return ncz_buf_puts(out, file);
}

const char *
ncz_fragment_name(const ncz_aggregation *a, const char *uri)
{
    const char *file = find_file(a, uri);

    return file != NULL ? file : uri;
}

/* The fragment at a place, open or not, until it is released. */
static int
take_into_use(ncz_aggregation *a, const char *uri, ncz_fragment **out)
{
    ncz_buf       path = NCZ_BUF_INIT;
    ncz_fragment *old = NULL;
    int           rc = ncz_fragment_path(a, uri, &path);

    if (rc == NC_NOERR) {
        (void)pthread_mutex_lock(&a->fragments.lock);
        rc = find_or_add(&a->fragments, ncz_buf_str(&path), out, &old);
        (void)pthread_mutex_unlock(&a->fragments.lock);
        free_fragment(old);
    }
    ncz_buf_clear(&path);
    return rc;
}

int
ncz_fragment_open(ncz_aggregation *a, const char *uri, ncz_fragment **out)
{
    ncz_fragment *f;
    int           rc = take_into_use(a, uri, &f);

    if (rc == NC_NOERR) {
        (void)pthread_mutex_lock(&f->lock);
        if (f->ds == NULL) /* after a failure it is tried again */
            rc = a->open(f->path, a->depth + 1, &a->limits, &f->ds);
        (void)pthread_mutex_unlock(&f->lock);
        if (rc == NC_NOERR)
            *out = f;
        else
            ncz_fragment_release(a, f);
    }
    return rc;
}

int
ncz_fragment_try(const ncz_aggregation *a, const char *uri)
{
    ncz_buf      path = NCZ_BUF_INIT;
    ncz_dataset *ds = NULL;
    int          rc = ncz_fragment_path(a, uri, &path);

    if (rc == NC_NOERR && (rc = a->open(ncz_buf_str(&path), a->depth + 1, &a->limits, &ds)) == NC_NOERR)
        (void)ncz_dataset_close(ds); /* it was only read */
    ncz_dataset_free(ds);
    ncz_buf_clear(&path);
    return rc;
}

int
ncz_fragment_add(ncz_aggregation *a, const char *uri, ncz_dataset **ds)
{
    ncz_fragment *f;
    int           rc = take_into_use(a, uri, &f);

    if (rc == NC_NOERR && f->ds == NULL) {
        f->ds = *ds;
        *ds = NULL;
    }
    if (rc == NC_NOERR)
        ncz_fragment_release(a, f);
    return rc;
}

ncz_dataset *
ncz_fragment_take(ncz_aggregation *a, const char *path)
{
    ncz_fragment_set *s = &a->fragments;
    ncz_dataset      *ds = NULL;

    (void)pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->n && ds == NULL; i++)
        if (s->v[i]->users == 0 && strcmp(s->v[i]->path, path) == 0) {
            ds = s->v[i]->ds;
            s->v[i]->ds = NULL; /* it is opened again when it is used */
        }
    (void)pthread_mutex_unlock(&s->lock);
    return ds;
}

void
ncz_fragment_release(ncz_aggregation *a, ncz_fragment *f)
{
    (void)pthread_mutex_lock(&a->fragments.lock);
    f->users--;
    f->used = ++a->fragments.clock;
    (void)pthread_mutex_unlock(&a->fragments.lock);
}

ncz_dataset *
ncz_fragment_dataset(const ncz_fragment *f)
{
    return f->ds;
}
