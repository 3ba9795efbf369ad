/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of a file that is put into a bucket. A part is full when about as many bytes have been written to it as it
 * has; what is written to it after that is not expected, but right: the part is sent again by the put. So what counts
 * is only what the temporary file has then.
 *
 * A writer notes its bytes after it has written them. A part is marked as being sent before its bytes are read. So if
 * they are read half written, the writer finds the mark, and the part goes out again.
 */
#include "zmap/zmap_s3_parts.h"

#include "platform/platform.h"

#include <string.h>

enum {
    AT_ONCE = 8, /* parts */
    GROWS = 8,   /* by this the parts are longer when there would be too many of them */
};
#define PART  ((size_t)8 << 20)
#define SLACK (PART / 16)          /* a part is full without so many bytes: there are gaps between chunks */
#define SMALL ((uint64_t)64 << 20) /* up to here a file is put at once; and so much memory is used, at most */

typedef enum part_state {
    OPEN, /* grows */
    FULL, /* may be sent */
    SENDING,
    SENT,
    AGAIN,  /* changed since it was read: the put sends it */
    STORED, /* as the object that is there has it: the server can copy it */
} part_state;

struct zmap_s3_part {
    part_state state;
    uint64_t   filled; /* bytes written while it was open */
    size_t     nsent;
    char       etag[NCZ_S3_VERSION];
};

int
zmap_s3_parts_init(zmap_s3_parts *p, ncz_s3 *client, const zmap_temp *file)
{
    *p = (zmap_s3_parts){.client = client, .file = file, .each = PART};
    return pthread_mutex_init(&p->lock, NULL);
}

/* Whether a process from which this one was forked has begun it. It goes on there. */
static bool
is_inherited(const zmap_s3_parts *p)
{
    return p->pid != 0 && p->pid != ncz_sys_pid();
}

/* Nothing is being sent any more. */
static void
join_sender(zmap_s3_parts *p)
{
    if (is_inherited(p))
        p->sending = p->started = false; /* its thread is not here */
    if (p->started)
        (void)pthread_join(p->thread, NULL);
    p->started = false;
}

/* What was sent counts no more. Aborts the upload, unless it is completed. */
static void
forget_sent(zmap_s3_parts *p)
{
    if (!is_inherited(p))
        ncz_s3_upload_end(p->upload);
    p->upload = NULL;
    p->pid = 0;
    p->nfull = 0;
    for (size_t i = 0; i < p->n; i++)
        if (p->v[i].state != OPEN && p->v[i].state != STORED)
            p->v[i].state = AGAIN;
}

void
zmap_s3_parts_clear(zmap_s3_parts *p)
{
    if (p->client == NULL)
        return;
    join_sender(p);
    forget_sent(p);
    ncz_free(p->v);
    (void)pthread_mutex_destroy(&p->lock);
    *p = (zmap_s3_parts){.client = NULL};
}

/* ---- what is written ---- */

/* There is an entry for each part of `size` bytes. False: there is no memory, and nothing is sent before the put. */
static bool
make_room(zmap_s3_parts *p, uint64_t size)
{
    uint64_t n = size / p->each + (size % p->each != 0);

    while (p->n < n) {
        if (ncz_make_room(&p->v, p->n, &p->cap, sizeof *p->v) != NC_NOERR)
            return false;
        p->v[p->n++] = (zmap_s3_part){.state = OPEN};
    }
    return true;
}

static void
fill_part(zmap_s3_parts *p, zmap_s3_part *part, uint64_t len)
{
    if (part->state == SENT || part->state == SENDING || part->state == STORED)
        part->state = AGAIN;
    if (part->state != OPEN)
        return;
    part->filled += len;
    if (part->filled + SLACK < p->each)
        return;
    part->state = FULL;
    if (part != p->v)
        p->nfull++;
}

static void
fill_parts(zmap_s3_parts *p, uint64_t off, uint64_t end)
{
    while (off < end) {
        size_t   i = (size_t)(off / p->each);
        uint64_t to = ((uint64_t)i + 1) * p->each;

        to = to < end ? to : end;
        if (i < p->n)
            fill_part(p, &p->v[i], to - off);
        off = to;
    }
}

/* ---- sending ---- */

static size_t
count_at_once(const zmap_s3_parts *p)
{
    return p->each <= SMALL / AT_ONCE ? AT_ONCE : p->each <= SMALL ? (size_t)SMALL / p->each : 1;
}

static size_t
find_len(const zmap_s3_parts *p, size_t i, uint64_t size)
{
    uint64_t left = size - (uint64_t)i * p->each;

    return left < p->each ? (size_t)left : p->each;
}

/* Longer parts, if there are too many. */
static void
lengthen_parts(zmap_s3_parts *p, uint64_t size)
{
    size_t each = p->each;

    while (size / each >= NCZ_S3_PARTS_MOST)
        each *= GROWS;
    if (each == p->each)
        return;
    forget_sent(p);
    p->each = each;
    p->n = 0;
    if (!make_room(p, size))
        p->waits = true;
    p->version[0] = '\0';
    for (size_t i = 0; i < p->n; i++)
        p->v[i].state = AGAIN;
}

/* Reads and puts the parts with these numbers from 0, which are marked, without the lock. */
static int
put_parts(zmap_s3_parts *p, const size_t *which, size_t n, uint64_t size, ncz_s3_part *parts)
{
    ncz_s3_part *all[AT_ONCE];
    char        *bytes = ncz_alloc(n * p->each), *at = bytes;
    int          rc = bytes != NULL ? NC_NOERR : ncz_fail_nomem(n * p->each);

    for (size_t i = 0; rc == NC_NOERR && i < n; i++) {
        parts[i] = (ncz_s3_part){.number = which[i] + 1, .data = at, .ndata = find_len(p, which[i], size)};
        all[i] = &parts[i];
        rc = zmap_temp_read(p->file, (uint64_t)which[i] * p->each, at, parts[i].ndata);
        at += parts[i].ndata;
    }
    if (rc == NC_NOERR)
        rc = ncz_s3_upload_put(p->upload, all, n);
    ncz_free(bytes);
    return rc;
}

static void
note_sent(zmap_s3_parts *p, const size_t *which, size_t n, const ncz_s3_part *parts, int rc)
{
    for (size_t i = 0; i < n; i++) {
        zmap_s3_part *part = which[i] < p->n ? &p->v[which[i]] : NULL;

        if (part == NULL || part->state != SENDING)
            continue;
        part->state = rc == NC_NOERR ? SENT : AGAIN;
        if (rc == NC_NOERR) {
            part->nsent = parts[i].ndata;
            memcpy(part->etag, parts[i].etag, sizeof part->etag);
        }
    }
}

/* The first parts that are full, but for the first of all: marks them. */
static size_t
take_full(zmap_s3_parts *p, size_t most, size_t *which)
{
    size_t n = 0;

    for (size_t i = 1; i < p->n && n < most; i++)
        if (p->v[i].state == FULL) {
            p->v[i].state = SENDING;
            which[n++] = i;
        }
    p->nfull -= n;
    return n;
}

/* Sends what is full, as long as there is enough of it. */
static void *
send_full(void *arg)
{
    zmap_s3_parts *p = arg;
    ncz_s3_part    parts[AT_ONCE];
    size_t         which[AT_ONCE], n;
    uint64_t       size;
    int            rc = NC_NOERR;

    (void)pthread_mutex_lock(&p->lock);
    while (rc == NC_NOERR && p->nfull >= count_at_once(p)) {
        n = take_full(p, count_at_once(p), which);
        size = p->size;
        (void)pthread_mutex_unlock(&p->lock);
        if (p->upload == NULL)
            rc = ncz_s3_upload_begin(p->client, "", &p->upload);
        if (rc == NC_NOERR)
            rc = put_parts(p, which, n, size, parts);
        if (rc != NC_NOERR)
            ncz_log(NCZ_LOG_WARN, "parts are put later: %s", ncz_err_text());
        (void)pthread_mutex_lock(&p->lock);
        note_sent(p, which, n, parts, rc);
    }
    p->waits = p->waits || rc != NC_NOERR;
    p->sending = false;
    (void)pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void *
send_beside(void *arg)
{
    (void)send_full(arg);
    ncz_err_clear();
    return NULL;
}

/* With the lock, which is free meanwhile where this thread sends. */
static void
begin_sending(zmap_s3_parts *p)
{
    ncz_err text;

    join_sender(p); /* the thread has ended, or is about to */
    p->sending = true;
    p->pid = ncz_sys_pid();
    p->started = ncz_pool_threads() > 1 && ncz_sys_thread_start(&p->thread, send_beside, p) == 0;
    if (p->started)
        return;
    (void)pthread_mutex_unlock(&p->lock);
    ncz_err_save(&text, NC_NOERR);
    (void)send_full(p);
    (void)ncz_err_adopt(&text);
    (void)pthread_mutex_lock(&p->lock);
}

void
zmap_s3_parts_wrote(zmap_s3_parts *p, uint64_t off, size_t len)
{
    uint64_t end = off + len;

    (void)pthread_mutex_lock(&p->lock);
    p->size = end > p->size ? end : p->size;
    p->waits = p->waits || !make_room(p, p->size);
    fill_parts(p, off, end);
    if (!p->sending && !p->waits && p->size > SMALL && !is_inherited(p)) {
        lengthen_parts(p, p->size);
        if (p->nfull >= count_at_once(p))
            begin_sending(p);
    }
    (void)pthread_mutex_unlock(&p->lock);
}

void
zmap_s3_parts_cut(zmap_s3_parts *p, uint64_t size)
{
    (void)pthread_mutex_lock(&p->lock);
    for (size_t i = (size_t)(size / p->each); size < p->size && i < p->n; i++) {
        p->nfull -= p->v[i].state == FULL && i > 0;
        p->v[i].state = AGAIN;
    }
    p->size = size;
    p->waits = p->waits || !make_room(p, size);
    (void)pthread_mutex_unlock(&p->lock);
}

/* ---- the put ---- */

static int
put_small(zmap_s3_parts *p, uint64_t size, ncz_s3_op *whole)
{
    char *bytes = ncz_alloc((size_t)size + (size == 0));
    int   rc = bytes != NULL ? zmap_temp_read(p->file, 0, bytes, (size_t)size) : ncz_fail_nomem((size_t)size);

    whole->verb = NCZ_S3_PUT;
    whole->data = bytes;
    whole->ndata = (size_t)size;
    if (rc == NC_NOERR)
        rc = ncz_s3_do(p->client, whole);
    ncz_free(bytes);
    return rc;
}

/* The server copies what is stored and has not changed. Where it cannot, all of it is sent. */
static void
copy_some(zmap_s3_parts *p, const size_t *which, size_t n)
{
    ncz_s3_part parts[AT_ONCE], *all[AT_ONCE];
    int         rc;

    for (size_t i = 0; i < n; i++) {
        parts[i] = (ncz_s3_part){.number = which[i] + 1, .ndata = p->v[which[i]].nsent, .version = p->version};
        parts[i].off = (uint64_t)which[i] * p->each;
        all[i] = &parts[i];
    }
    if ((rc = ncz_s3_upload_put(p->upload, all, n)) != NC_NOERR) {
        ncz_log(NCZ_LOG_INFO, "parts that have not changed are sent, since they cannot be copied: %s",
                ncz_err_text());
        ncz_err_clear();
        p->version[0] = '\0';
    }
    note_sent(p, which, n, parts, rc);
}

static void
copy_stored(zmap_s3_parts *p, uint64_t size)
{
    size_t which[AT_ONCE], n = 0;

    for (size_t i = 0; i < p->n; i++) {
        zmap_s3_part *part = &p->v[i];

        if (part->state == STORED && p->version[0] != '\0' && part->nsent == find_len(p, i, size)) {
            part->state = SENDING;
            which[n++] = i;
        }
        if (n == AT_ONCE || (n > 0 && i + 1 == p->n)) {
            copy_some(p, which, n);
            n = 0;
        }
    }
}

/* All that are not sent as they are now, the first one last. */
static int
send_rest(zmap_s3_parts *p, uint64_t size)
{
    ncz_s3_part parts[AT_ONCE];
    size_t      which[AT_ONCE], n = 0, most = count_at_once(p);
    int         rc = NC_NOERR;

    for (size_t i = 1; rc == NC_NOERR && i <= p->n; i++) {
        size_t        at = i % p->n;
        zmap_s3_part *part = &p->v[at];

        if (part->state != SENT || part->nsent != find_len(p, at, size)) {
            part->state = SENDING;
            which[n++] = at;
        }
        if (n == most || (n > 0 && (i == p->n || i + 1 == p->n))) {
            rc = put_parts(p, which, n, size, parts);
            note_sent(p, which, n, parts, rc);
            n = 0;
        }
    }
    return rc;
}

static int
complete(zmap_s3_parts *p, ncz_s3_op *whole)
{
    ncz_s3_part *parts = ncz_alloc_n(p->n, sizeof *parts);
    int          rc;

    if (parts == NULL)
        return ncz_fail_nomem(p->n * sizeof *parts);
    for (size_t i = 0; i < p->n; i++) {
        parts[i] = (ncz_s3_part){.number = i + 1};
        memcpy(parts[i].etag, p->v[i].etag, sizeof parts[i].etag);
    }
    rc = ncz_s3_upload_complete(p->upload, parts, p->n, whole);
    ncz_free(parts);
    return rc;
}

static int
put_large(zmap_s3_parts *p, uint64_t size, ncz_s3_op *whole)
{
    uint64_t n;
    int      rc = NC_NOERR;

    lengthen_parts(p, size);
    n = (size + p->each - 1) / p->each;
    if (!make_room(p, size))
        return ncz_fail_nomem((size_t)n * sizeof *p->v);
    p->n = (size_t)n; /* there may be more, of a file that was cut */
    if (p->upload == NULL)
        rc = ncz_s3_upload_begin(p->client, whole->key, &p->upload);
    if (rc == NC_NOERR) {
        copy_stored(p, size);
        if ((rc = send_rest(p, size)) == NC_NOERR)
            rc = complete(p, whole);
    }
    return rc;
}

void
zmap_s3_parts_stored(zmap_s3_parts *p, uint64_t size, const char *version)
{
    (void)pthread_mutex_lock(&p->lock);
    p->version[0] = '\0';
    if (size > SMALL && version[0] == '"') { /* what is put at once is not copied; no weak ETag ever matches */
        lengthen_parts(p, size);
        if (make_room(p, size))
            memcpy(p->version, version, strlen(version) + 1);
        for (size_t i = 0; i < p->n && (uint64_t)i * p->each < size; i++) {
            p->v[i].state = STORED;
            p->v[i].nsent = find_len(p, i, size);
        }
    }
    (void)pthread_mutex_unlock(&p->lock);
}

int
zmap_s3_parts_put(zmap_s3_parts *p, uint64_t size, ncz_s3_op *whole)
{
    int rc;

    join_sender(p);
    if (is_inherited(p))
        forget_sent(p);
    rc = size <= SMALL ? put_small(p, size, whole) : put_large(p, size, whole);
    forget_sent(p); /* keeps the text */
    if (rc == NC_NOERR)
        zmap_s3_parts_stored(p, size, whole->etag);
    p->waits = false;
    return rc;
}
