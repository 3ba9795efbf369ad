/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * limits_shards: the limit of shards. To read a chunk: open the shard, read the two numbers of its index, read the
 * chunk. To write one: encode it, take the next bytes of the shard's file; who is last writes the index, and no
 * checksum.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codecs.h"
#include "limits.h"

enum { MOST_SHARDS = 64, MOST_INNER = 64, CHECKSUM_BYTES = 4 };

/* A shard that is being written. */
typedef struct shard_file {
    int           fd; /* 0: not yet open */
    char          temp[96];
    atomic_size_t at, done;
    uint64_t      index[MOST_INNER][2];
} shard_file;

static shard_file      files[MOST_SHARDS];
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

static size_t
inner_count(const layout *l)
{
    return l->shard[0] / l->chunk[0] * (l->shard[1] / l->chunk[1]) * (l->shard[2] / l->chunk[2]);
}

static void
shard_name(const layout *l, const size_t corner[3], char name[64])
{
    snprintf(name, 64, "c/%zu/%zu/%zu", corner[0] / l->shard[0], corner[1] / l->shard[1], corner[2] / l->shard[2]);
}

/* Where the numbers of the chunk at `corner` are in the index. */
static size_t
slot_of(const layout *l, const size_t corner[3])
{
    size_t slot = 0;

    for (int d = 0; d < 3; d++)
        slot = slot * (l->shard[d] / l->chunk[d]) + corner[d] % l->shard[d] / l->chunk[d];
    return slot;
}

/* Chunk i in the order of shards, and in each shard in C order. */
static void
chunk_of_shard(const layout *l, size_t i, size_t corner[3])
{
    size_t inner[3], n = inner_count(l);
    layout shard = {.rank = 3, .shape = {l->shard[0], l->shard[1], l->shard[2]}};

    part_at(l, l->shard, i / n, corner);
    part_at(&shard, l->chunk, i % n, inner);
    for (int d = 0; d < 3; d++)
        corner[d] += inner[d];
}

static size_t
chunk_bytes(const layout *l)
{
    return l->chunk[0] * l->chunk[1] * l->chunk[2] * sizeof(float);
}

static size_t
read_stored(const task *t, const size_t corner[3], char *to)
{
    uint64_t    entry[2]; /* offset and length; the machine is little-endian, as the file */
    char        name[64];
    struct stat st;
    off_t       at;
    int         fd;

    shard_name(&t->l, corner, name);
    if ((fd = openat(t->dir, name, O_RDONLY | O_CLOEXEC)) < 0 || fstat(fd, &st) != 0)
        die(name);
    at = st.st_size - CHECKSUM_BYTES - (off_t)((inner_count(&t->l) - slot_of(&t->l, corner)) * sizeof entry);
    if (pread(fd, entry, sizeof entry, at) != sizeof entry || entry[1] > MOST_STORED ||
        pread(fd, to, entry[1], (off_t)entry[0]) != (ssize_t)entry[1])
        die(name);
    close(fd);
    return (size_t)entry[1];
}

/* Straight to the part's own place where parts are packed, one after the other. */
static void
place_chunk(const task *t, const size_t corner[3], const char *data)
{
    const layout *l = &t->l;
    size_t        nbytes = chunk_bytes(l), first = 0, inner[3];

    if (t->a->w->op == OP_READ) {
        place_box(t, corner, l->chunk, data);
        return;
    }
    if (t->a->w->op == OP_CHUNKS) {
        for (int d = 0; d < 3; d++)
            first = first * (l->shape[d] / l->chunk[d]) + corner[d] / l->chunk[d];
        memcpy(t->data + first * nbytes, data, nbytes);
        return;
    }
    for (int d = 0; d < 3; d++) {
        first = first * (l->shape[d] / l->shard[d]) + corner[d] / l->shard[d];
        inner[d] = corner[d] % l->shard[d];
    }
    first = first * inner_count(l) * CHUNK_NELEMS + (inner[0] * l->shard[1] + inner[1]) * l->shard[2] + inner[2];
    place_part((const float *)(const void *)data, (const size_t[3]){0, 0, 0}, l->chunk,
               (float *)(void *)t->data + first, l->shard[2], l->shard[1] * l->shard[2]);
}

static void
job_read(const task *t, room *r, size_t i)
{
    size_t corner[3], n;

    chunk_of_shard(&t->l, i, corner);
    n = read_stored(t, corner, r->stored);
    place_chunk(t, corner, codec_decode(t->form->codec, r->stored, n, r->decoded, chunk_bytes(&t->l), r->spare));
}

const float *
load_sharded(const task *t, room *r, const size_t chunk[3], size_t first, size_t count)
{
    const size_t corner[3] = {chunk[0] * CHUNK, chunk[1] * CHUNK, chunk[2] * CHUNK};
    size_t       n = read_stored(t, corner, r->stored);

    return (const float *)(const void *)codec_decode_part(t->form->codec, r->stored, n, first, count, r->decoded,
                                                          r->spare);
}

static shard_file *
open_shard(const task *t, size_t shard, const char *name)
{
    shard_file *f = &files[shard];

    pthread_mutex_lock(&opening);
    if (f->fd == 0)
        f->fd = create_file(t->dir, name, f->temp);
    pthread_mutex_unlock(&opening);
    return f;
}

static void
job_write(const task *t, room *r, size_t i)
{
    const layout *l = &t->l;
    size_t        corner[3], n, at, nbytes = chunk_bytes(l), ninner = inner_count(l);
    const char   *data;
    shard_file   *f;
    uint64_t     *entry;
    char          name[64];

    chunk_of_shard(l, i, corner);
    shard_name(l, corner, name);
    gather_box(t, corner, l->chunk, r->decoded);
    data = codec_encode(t->form->codec, r->decoded, nbytes, r->stored, MOST_STORED, r->spare, &n);
    f = open_shard(t, i / ninner, name);
    at = atomic_fetch_add(&f->at, n);
    if (pwrite(f->fd, data, n, (off_t)at) != (ssize_t)n)
        die(name);
    entry = f->index[slot_of(l, corner)];
    entry[0] = at;
    entry[1] = n;
    if (atomic_fetch_add(&f->done, 1) + 1 < ninner)
        return;
    n = ninner * sizeof f->index[0];
    if (pwrite(f->fd, f->index, n, (off_t)atomic_load(&f->at)) != (ssize_t)n)
        die(name);
    finish_file(t->dir, name, f->temp, f->fd);
}

void
choose_shards(task *t)
{
    bool writes = t->a->w->op == OP_WRITE || t->a->w->op == OP_APPEND;

    t->job = writes ? job_write : job_read;
    t->njobs = part_count(&t->l, t->l.chunk);
    if (inner_count(&t->l) > MOST_INNER || part_count(&t->l, t->l.shard) > MOST_SHARDS)
        die("too many chunks in a shard, or shards");
}
