/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * limits: what this machine allows. Each workload is done by the shortest means there are: the chunks' files are
 * known beforehand, opened, read into reused buffers, decoded by the codec's own library and copied, by N threads;
 * no metadata, no checks of input, no cache, no dataset. The line it prints is that of `bench`, checksum and all, so
 * a limit is a figure for the same bytes. `limits warm PATH` only reads a store into the page cache.
 *
 * It reads the stores that `bench` wrote and trusts them. Writers write files without metadata.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codecs.h"
#include "workload.h"

enum { MOST_THREADS = 64, CHUNK_NELEMS = CHUNK * CHUNK * CHUNK, MOST_STORED = 2 << 20 };

static void
die(const char *text)
{
    fprintf(stderr, "limits: %s: %s\n", text, strerror(errno));
    exit(1);
}

/* ---- jobs over threads ------------------------------------------------------------------------------------- */

typedef struct task task;

/* What a thread works in. */
typedef struct room {
    char *stored, *decoded, *spare;
} room;

struct task {
    const arguments *a;
    int              dir; /* of the array, or of all when there are many */
    char            *data;
    void (*job)(const task *t, room *r, size_t i);
    size_t        njobs;
    atomic_size_t next;
    room          rooms[MOST_THREADS];
    atomic_uint   taken;
};

static void *
work(void *arg)
{
    task  *t = arg;
    room  *r = &t->rooms[atomic_fetch_add(&t->taken, 1)];
    size_t i;

    codecs_begin();
    while ((i = atomic_fetch_add(&t->next, 1)) < t->njobs)
        t->job(t, r, i);
    codecs_end();
    return NULL;
}

static void
run_jobs(task *t, unsigned n)
{
    pthread_t threads[MOST_THREADS];

    for (unsigned i = 1; i < n; i++) {
        if (pthread_create(&threads[i], NULL, work, t) != 0)
            die("thread");
    }
    work(t);
    for (unsigned i = 1; i < n; i++)
        pthread_join(threads[i], NULL);
}

/* ---- files ------------------------------------------------------------------------------------------------- */

static size_t
read_whole(int dir, const char *name, char *to)
{
    int     fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
    ssize_t n = -1;

    if (fd < 0 || (n = read(fd, to, MOST_STORED)) < 0)
        die(name);
    close(fd);
    return (size_t)n;
}

static void
write_whole(int dir, const char *name, const char *data, size_t n)
{
    char temp[96];
    int  fd;

    snprintf(temp, sizeof temp, ".tmp-%s", name);
    fd = openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 || write(fd, data, n) != (ssize_t)n || close(fd) != 0 || renameat(dir, temp, dir, name) != 0)
        die(name);
}

/* ---- the big array ----------------------------------------------------------------------------------------- */

static void
chunk_at(const sizes *s, size_t i, size_t at[3])
{
    size_t ny = s->shape[1] / CHUNK, nx = s->shape[2] / CHUNK;

    at[0] = i / nx / ny;
    at[1] = i / nx % ny;
    at[2] = i % nx;
}

static void
chunk_name(const size_t at[3], char name[64])
{
    snprintf(name, 64, "%zu.%zu.%zu", at[0], at[1], at[2]);
}

static size_t
item_of(const task *t)
{
    return t->a->w->store == STORE_SHORT ? sizeof(short) : sizeof(float);
}

/* Where row (z, y) of a chunk lies in the whole array, in elements. */
static size_t
row_at(const sizes *s, const size_t at[3], size_t z, size_t y)
{
    return ((at[0] * CHUNK + z) * s->shape[1] + at[1] * CHUNK + y) * s->shape[2] + at[2] * CHUNK;
}

static void
job_read(const task *t, room *r, size_t i)
{
    const sizes *s = &t->a->s;
    size_t       at[3], item = item_of(t), n;
    const char  *data;
    char         name[64];

    chunk_at(s, i, at);
    chunk_name(at, name);
    n = read_whole(t->dir, name, r->stored);
    data = codec_decode(t->a->w->store, r->stored, n, r->decoded, CHUNK_NELEMS * item, r->spare);
    for (size_t z = 0; z < CHUNK; z++) {
        for (size_t y = 0; y < CHUNK; y++, data += CHUNK * item)
            memcpy(t->data + row_at(s, at, z, y) * item, data, CHUNK * item);
    }
}

static void
job_write(const task *t, room *r, size_t i)
{
    const sizes *s = &t->a->s;
    size_t       at[3], item = item_of(t), n;
    const char  *data;
    char         name[64], *to = r->decoded;

    chunk_at(s, i, at);
    chunk_name(at, name);
    for (size_t z = 0; z < CHUNK; z++) {
        for (size_t y = 0; y < CHUNK; y++, to += CHUNK * item)
            memcpy(to, t->data + row_at(s, at, z, y) * item, CHUNK * item);
    }
    data = codec_encode(t->a->w->store, r->decoded, CHUNK_NELEMS * item, r->stored, MOST_STORED, r->spare, &n);
    write_whole(t->dir, name, data, n);
}

static void
job_strided(const task *t, room *r, size_t i)
{
    const sizes *s = &t->a->s;
    size_t       at[3], n;
    const float *data;
    char         name[64];

    chunk_at(s, i, at);
    chunk_name(at, name);
    n = read_whole(t->dir, name, r->stored);
    data = (const float *)(const void *)codec_decode(t->a->w->store, r->stored, n, r->decoded,
                                                     CHUNK_NELEMS * sizeof *data, r->spare);
    for (size_t z = 0; z < CHUNK; z += 2) {
        for (size_t y = 0; y < CHUNK; y += 2) {
            const float *from = data + (z * CHUNK + y) * CHUNK;
            size_t       row = (at[0] * CHUNK + z) / 2 * (s->shape[1] / 2) + (at[1] * CHUNK + y) / 2;
            float       *to = (float *)(void *)t->data + row * (s->shape[2] / 2) + at[2] * CHUNK / 2;

            for (size_t x = 0; x < CHUNK / 2; x++)
                to[x] = from[2 * x];
        }
    }
}

static void
job_convert(const task *t, room *r, size_t i)
{
    const sizes *s = &t->a->s;
    const short *data = (const short *)(const void *)r->stored;
    size_t       at[3];
    char         name[64];

    chunk_at(s, i, at);
    chunk_name(at, name);
    read_whole(t->dir, name, r->stored);
    for (size_t z = 0; z < CHUNK; z++) {
        for (size_t y = 0; y < CHUNK; y++, data += CHUNK) {
            double *to = (double *)(void *)t->data + row_at(s, at, z, y);

            for (size_t x = 0; x < CHUNK; x++)
                to[x] = data[x];
        }
    }
}

/* ---- boxes and series: the needed part of every chunk they touch ------------------------------------------- */

/* Copies the part [lo, hi) of a chunk, of which planes from lo[0] on are in `data`, to its place in a packed box. */
static void
place_part(const float *data, const size_t lo[3], const size_t hi[3], float *to, size_t row, size_t plane)
{
    for (size_t z = lo[0]; z < hi[0]; z++) {
        for (size_t y = lo[1]; y < hi[1]; y++)
            memcpy(to + (z - lo[0]) * plane + (y - lo[1]) * row, data + ((z - lo[0]) * CHUNK + y) * CHUNK + lo[2],
                   (hi[2] - lo[2]) * sizeof *to);
    }
}

/* Raw: only the rows that are needed of each plane. Compressed: the blocks that hold the planes that are. */
static const float *
load_part(const task *t, room *r, const char *name, const size_t lo[3], const size_t hi[3])
{
    size_t plane = CHUNK * CHUNK * sizeof(float), rows = CHUNK * sizeof(float), n;
    int    fd;

    if (t->a->w->store != STORE_RAW) {
        n = read_whole(t->dir, name, r->stored);
        return (const float *)(const void *)codec_decode_part(t->a->w->store, r->stored, n, lo[0] * CHUNK * CHUNK,
                                                              (hi[0] - lo[0]) * CHUNK * CHUNK, r->decoded, r->spare);
    }
    if ((fd = openat(t->dir, name, O_RDONLY | O_CLOEXEC)) < 0)
        die(name);
    for (size_t z = lo[0]; z < hi[0]; z++) {
        char  *to = r->decoded + (z - lo[0]) * plane + lo[1] * rows;
        size_t first = lo[2] * sizeof(float);

        n = hi[1] - lo[1] == 1 ? (hi[2] - lo[2]) * sizeof(float) : (hi[1] - lo[1]) * rows - first;
        if (pread(fd, to + first, n, (off_t)(z * plane + lo[1] * rows + first)) != (ssize_t)n)
            die(name);
    }
    close(fd);
    return (const float *)(const void *)r->decoded;
}

static size_t
least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* One box [start, start + count) of the array, packed at `out`. */
static void
load_box(const task *t, room *r, const size_t start[3], const size_t count[3], float *out)
{
    size_t at[3], lo[3], hi[3], first[3];
    char   name[64];

    for (at[0] = start[0] / CHUNK; at[0] * CHUNK < start[0] + count[0]; at[0]++)
        for (at[1] = start[1] / CHUNK; at[1] * CHUNK < start[1] + count[1]; at[1]++)
            for (at[2] = start[2] / CHUNK; at[2] * CHUNK < start[2] + count[2]; at[2]++) {
                for (size_t d = 0; d < 3; d++) {
                    lo[d] = start[d] > at[d] * CHUNK ? start[d] - at[d] * CHUNK : 0;
                    hi[d] = least(start[d] + count[d] - at[d] * CHUNK, CHUNK);
                    first[d] = at[d] * CHUNK + lo[d] - start[d];
                }
                chunk_name(at, name);
                place_part(load_part(t, r, name, lo, hi), lo, hi,
                           out + (first[0] * count[1] + first[1]) * count[2] + first[2], count[2],
                           count[1] * count[2]);
            }
}

static void
job_box(const task *t, room *r, size_t i)
{
    const size_t count[3] = {BOX, BOX, BOX};
    size_t       start[3];

    box_at(&t->a->s, i, start);
    load_box(t, r, start, count, (float *)(void *)t->data + i * BOX * BOX * BOX);
}

static void
job_series(const task *t, room *r, size_t i)
{
    const sizes *s = &t->a->s;
    const size_t count[3] = {s->shape[0], 1, 1};
    size_t       start[3] = {0, 0, 0};

    series_at(s, i, &start[1], &start[2]);
    load_box(t, r, start, count, (float *)(void *)t->data + i * s->shape[0]);
}

/* ---- a chunk for each step ---------------------------------------------------------------------------------- */

static void
job_step(const task *t, room *r, size_t i)
{
    size_t nbytes = t->a->s.shape[1] * t->a->s.shape[2] * sizeof(float), n;
    char   name[64], *step = t->data + i * nbytes;

    snprintf(name, sizeof name, "%zu.0.0", i);
    if (t->a->w->op == OP_WRITE) {
        const char *data = codec_encode(STORE_BLOSC, step, nbytes, r->stored, MOST_STORED, r->spare, &n);

        write_whole(t->dir, name, data, n);
        return;
    }
    n = read_whole(t->dir, name, r->stored);
    codec_decode(STORE_BLOSC, r->stored, n, step, nbytes, r->spare);
}

/* ---- many small files -------------------------------------------------------------------------------------- */

/* 16 chunks, so that threads do not meet at the counter all the time. */
static void
job_tiny(const task *t, room *r, size_t i)
{
    const sizes *s = &t->a->s;
    size_t       nx = s->tiny[1] / TINY_CHUNK, n = s->tiny[0] / TINY_CHUNK * nx;
    bool         write = t->a->w->op == OP_WRITE;

    for (size_t c = 16 * i; c < 16 * (i + 1) && c < n; c++) {
        float *array = (float *)(void *)t->data + c / nx * TINY_CHUNK * s->tiny[1] + c % nx * TINY_CHUNK;
        float *chunk = (float *)(void *)r->decoded;
        char   name[64];

        snprintf(name, sizeof name, "%zu.%zu", c / nx, c % nx);
        if (!write)
            read_whole(t->dir, name, r->decoded);
        for (size_t y = 0; y < TINY_CHUNK; y++, array += s->tiny[1], chunk += TINY_CHUNK)
            memcpy(write ? chunk : array, write ? array : chunk, TINY_CHUNK * sizeof *array);
        if (write)
            write_whole(t->dir, name, r->decoded, TINY_CHUNK * TINY_CHUNK * sizeof(float));
    }
}

static void
meta_file(const task *t, room *r, const char *name)
{
    if (t->a->w->op == OP_DEFINE)
        write_whole(t->dir, name, r->stored, 500);
    else
        read_whole(t->dir, name, r->stored);
}

/* The four documents of a group and a variable, as many files as a dataset has. Written into one directory. */
static void
job_meta(const task *t, room *r, size_t g)
{
    const char *const documents[] = {".zgroup", ".zattrs", ".zarray", ".zattrs"};
    char              name[64];

    for (size_t i = 0; i < 2 + 2 * META_VARS; i++) {
        size_t kind = i < 2 ? i : 2 + i % 2;

        if (t->a->w->op == OP_DEFINE)
            snprintf(name, sizeof name, "%zu-%zu", g, i);
        else if (i < 2)
            snprintf(name, sizeof name, "group%03zu/%s", g, documents[kind]);
        else
            snprintf(name, sizeof name, "group%03zu/variable%02zu/%s", g, (i - 2) / 2, documents[kind]);
        meta_file(t, r, name);
    }
}

/* ---- many small directories --------------------------------------------------------------------------------- */

static int
sub_dir(const task *t, int in, const char *name)
{
    int fd;

    if (t->a->w->op == OP_DEFINE && mkdirat(in, name, 0777) != 0)
        die(name);
    if ((fd = openat(in, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
        die(name);
    return fd;
}

static void
small_file(const task *t, room *r, int dir, const char *name, size_t n)
{
    if (t->a->w->op == OP_DEFINE)
        write_whole(dir, name, r->stored, n);
    else
        read_whole(dir, name, r->stored);
}

/* A group and its variable, with the documents of both; 8 of them, so that threads do not meet at the counter. */
static void
job_groups(const task *t, room *r, size_t i)
{
    for (size_t g = 8 * i; g < 8 * (i + 1) && g < t->a->s.nsmall; g++) {
        char name[32];
        int  group, var;

        snprintf(name, sizeof name, "group%03zu", g);
        group = sub_dir(t, t->dir, name);
        var = sub_dir(t, group, "v");
        small_file(t, r, var, ".zattrs", 300);
        small_file(t, r, var, ".zarray", 300);
        close(var);
        small_file(t, r, group, ".zattrs", 150);
        small_file(t, r, group, ".zgroup", 150);
        close(group);
    }
}

static void
job_scalars(const task *t, room *r, size_t i)
{
    for (size_t v = 8 * i; v < 8 * (i + 1) && v < t->a->s.nscalars; v++) {
        char name[32];
        int  var;

        snprintf(name, sizeof name, "scalar%04zu", v);
        var = sub_dir(t, t->dir, name);
        small_file(t, r, var, ".zattrs", 200);
        small_file(t, r, var, ".zarray", 300);
        small_file(t, r, var, "0", sizeof(int));
        close(var);
    }
}

/* The one document that has them all. */
static void
job_copies(const task *t, room *r, size_t i)
{
    int     fd = openat(t->dir, ".zmetadata", O_RDONLY | O_CLOEXEC);
    ssize_t n;

    (void)i;
    if (fd < 0)
        die(".zmetadata");
    while ((n = read(fd, r->stored, MOST_STORED)) > 0)
        continue;
    if (n < 0)
        die(".zmetadata");
    close(fd);
}

/* ---- the page cache ---------------------------------------------------------------------------------------- */

static int
warm_file(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    static char buffer[1 << 20];
    int         fd;

    (void)st;
    (void)at;
    if (kind != FTW_F || (fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
        return 0;
    while (read(fd, buffer, sizeof buffer) > 0)
        continue;
    close(fd);
    return 0;
}

/* Reads every file beneath `path` once: a machine that takes idle pages back must not decide who is fast. */
static int
warm(const char *path)
{
    return nftw(path, warm_file, 16, FTW_PHYS) != 0;
}

/* ---- main -------------------------------------------------------------------------------------------------- */

static bool
choose(task *t)
{
    const workload *w = t->a->w;
    const sizes    *s = &t->a->s;

    t->njobs = array_nelems(s) / CHUNK_NELEMS;
    switch (w->op) {
    case OP_WRITE: t->job = job_write; break;
    case OP_READ: t->job = job_read; break;
    case OP_BOXES:
        t->job = job_box;
        t->njobs = s->nboxes;
        break;
    case OP_SERIES:
        t->job = job_series;
        t->njobs = s->nseries;
        break;
    case OP_STEPS: break;
    case OP_STRIDED: t->job = job_strided; break;
    case OP_CONVERT: t->job = job_convert; break;
    case OP_DEFINE:
    case OP_INQUIRE:
    case OP_OPEN:
        t->job = job_meta;
        t->njobs = s->ngroups;
        break;
    }
    if (w->store == STORE_COPIES && w->op == OP_INQUIRE) {
        t->job = job_copies;
        t->njobs = 1;
    }
    if (w->store == STORE_TINY) {
        t->job = job_tiny;
        t->njobs = (tiny_nelems(s) / TINY_CHUNK / TINY_CHUNK + 15) / 16;
    }
    if (w->store == STORE_GROUPS || w->store == STORE_SCALARS) {
        t->job = w->store == STORE_GROUPS ? job_groups : job_scalars;
        t->njobs = ((w->store == STORE_GROUPS ? s->nsmall : s->nscalars) + 7) / 8;
    }
    if (w->store == STORE_STEPS) {
        t->job = job_step;
        t->njobs = s->shape[0];
        return codec_present(STORE_BLOSC);
    }
    return w->store != STORE_ZIP && codec_present(w->store);
}

/* The directory is made beforehand: that is nobody's limit. */
static int
open_dir(const arguments *a)
{
    size_t nbytes = strlen(a->path) + 16;
    char  *dir = malloc(nbytes);
    int    fd;

    if (dir == NULL)
        die("memory");
    if (a->w->op == OP_WRITE || a->w->op == OP_DEFINE)
        mkdir(a->path, 0777);
    snprintf(dir, nbytes, "%s/%s", a->path, store_is_meta(a->w->store) ? "." : "field");
    if (a->w->op == OP_WRITE)
        mkdir(dir, 0777);
    if ((fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
        die(dir);
    free(dir);
    return fd;
}

int
main(int argc, char **argv)
{
    static task t;
    arguments   a;
    stopwatch   clock;
    checksum    found = {0, 0}, expected;
    unsigned    nthreads;

    if (argc > 2 && strcmp(argv[1], "warm") == 0)
        return warm(argv[2]);
    if (!arguments_parse(argc, argv, &a))
        return 2;
    t.a = &a;
    if (!choose(&t))
        return EXIT_NOT_BUILT;
    nthreads = a.nthreads < 1 ? 1 : a.nthreads > MOST_THREADS ? MOST_THREADS : a.nthreads;
    for (unsigned i = 0; i < nthreads; i++)
        t.rooms[i] = (room){touched(MOST_STORED), touched(MOST_STORED), touched(MOST_STORED)};
    t.data = touched(workload_bytes(a.w, &a.s));
    if (a.w->op == OP_WRITE && a.w->store == STORE_SHORT)
        fill_shorts(&a.s, (short *)(void *)t.data);
    else if (a.w->op == OP_WRITE)
        fill_floats(&a.s, a.w->store == STORE_TINY, (float *)(void *)t.data);
    t.dir = open_dir(&a);

    stopwatch_start(&clock);
    run_jobs(&t, nthreads);
    stopwatch_stop(&clock);

    expected = workload_expect(a.w, &a.s);
    if (store_is_meta(a.w->store))
        found = expected; /* files are read, nothing is understood */
    else if (a.w->op != OP_WRITE)
        checksum_words(&found, t.data, workload_bytes(a.w, &a.s));
    report(a.w->name, &clock, &found);
    if (found.sum != expected.sum || found.of_sums != expected.of_sums) {
        fprintf(stderr, "limits: %s: wrong checksum\n", a.w->name);
        return 1;
    }
    return 0;
}
