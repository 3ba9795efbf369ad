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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codecs.h"
#include "limits.h"

_Noreturn void
die(const char *text)
{
    fprintf(stderr, "limits: %s: %s\n", text, strerror(errno));
    exit(1);
}

/* ---- jobs over threads ------------------------------------------------------------------------------------- */

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
make_folders(int dir, char *name)
{
    for (char *at = strchr(name, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        mkdirat(dir, name, 0777); /* it may be there */
        *at = '/';
    }
}

int
create_file(int dir, const char *name, char temp[96])
{
    int fd;

    snprintf(temp, 96, "%s.tmp", name);
    fd = openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == ENOENT) {
        make_folders(dir, temp);
        fd = openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    if (fd < 0)
        die(name);
    return fd;
}

void
finish_file(int dir, const char *name, const char *temp, int fd)
{
    if (close(fd) != 0 || renameat(dir, temp, dir, name) != 0)
        die(name);
}

static void
write_whole(int dir, const char *name, const char *data, size_t n)
{
    char temp[96];
    int  fd = create_file(dir, name, temp);

    if (write(fd, data, n) != (ssize_t)n)
        die(name);
    finish_file(dir, name, temp, fd);
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
chunk_name(const task *t, const size_t at[3], char name[64])
{
    snprintf(name, 64, t->form->v3 ? "c/%zu/%zu/%zu" : "%zu.%zu.%zu", at[0], at[1], at[2]);
}

static size_t
item_of(const task *t)
{
    return t->a->w->store == STORE_SHORT ? sizeof(short) : sizeof(float);
}

/* Where row (z, y) of a box lies in the whole array, in elements. */
static size_t
row_at(const layout *l, const size_t corner[3], size_t z, size_t y)
{
    return ((corner[0] + z) * l->shape[1] + corner[1] + y) * l->shape[2] + corner[2];
}

void
gather_box(const task *t, const size_t corner[3], const size_t count[3], char *packed)
{
    size_t item = item_of(t), n = count[2] * item;

    for (size_t z = 0; z < count[0]; z++) {
        for (size_t y = 0; y < count[1]; y++, packed += n)
            memcpy(packed, t->data + row_at(&t->l, corner, z, y) * item, n);
    }
}

void
place_box(const task *t, const size_t corner[3], const size_t count[3], const char *packed)
{
    size_t item = item_of(t), n = count[2] * item;

    for (size_t z = 0; z < count[0]; z++) {
        for (size_t y = 0; y < count[1]; y++, packed += n)
            memcpy(t->data + row_at(&t->l, corner, z, y) * item, packed, n);
    }
}

static void
job_read(const task *t, room *r, size_t i)
{
    size_t at[3], corner[3], n;
    char   name[64];

    chunk_at(&t->a->s, i, at);
    part_at(&t->l, t->l.chunk, i, corner);
    chunk_name(t, at, name);
    n = read_whole(t->dir, name, r->stored);
    place_box(t, corner, t->l.chunk,
              codec_decode(t->form->codec, r->stored, n, r->decoded, CHUNK_NELEMS * item_of(t), r->spare));
}

static void
job_write(const task *t, room *r, size_t i)
{
    size_t      at[3], corner[3], n;
    const char *data;
    char        name[64];

    chunk_at(&t->a->s, i, at);
    part_at(&t->l, t->l.chunk, i, corner);
    chunk_name(t, at, name);
    gather_box(t, corner, t->l.chunk, r->decoded);
    data = codec_encode(t->form->codec, r->decoded, CHUNK_NELEMS * item_of(t), r->stored, MOST_STORED, r->spare, &n);
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
    chunk_name(t, at, name);
    n = read_whole(t->dir, name, r->stored);
    data = (const float *)(const void *)codec_decode(t->form->codec, r->stored, n, r->decoded,
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
    const short *data = (const short *)(const void *)r->stored;
    size_t       at[3], corner[3];
    char         name[64];

    chunk_at(&t->a->s, i, at);
    part_at(&t->l, t->l.chunk, i, corner);
    chunk_name(t, at, name);
    read_whole(t->dir, name, r->stored);
    for (size_t z = 0; z < CHUNK; z++) {
        for (size_t y = 0; y < CHUNK; y++, data += CHUNK) {
            double *to = (double *)(void *)t->data + row_at(&t->l, corner, z, y);

            for (size_t x = 0; x < CHUNK; x++)
                to[x] = data[x];
        }
    }
}

/* ---- boxes and series: the needed part of every chunk they touch ------------------------------------------- */

void
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
load_part(const task *t, room *r, const size_t at[3], const size_t lo[3], const size_t hi[3])
{
    size_t plane = CHUNK * CHUNK * sizeof(float), rows = CHUNK * sizeof(float), n;
    char   name[64];
    int    fd;

    if (t->form->sharded)
        return load_sharded(t, r, at, lo[0] * CHUNK * CHUNK, (hi[0] - lo[0]) * CHUNK * CHUNK);
    chunk_name(t, at, name);
    if (t->form->codec != CODEC_NONE) {
        n = read_whole(t->dir, name, r->stored);
        return (const float *)(const void *)codec_decode_part(t->form->codec, r->stored, n, lo[0] * CHUNK * CHUNK,
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

    for (at[0] = start[0] / CHUNK; at[0] * CHUNK < start[0] + count[0]; at[0]++)
        for (at[1] = start[1] / CHUNK; at[1] * CHUNK < start[1] + count[1]; at[1]++)
            for (at[2] = start[2] / CHUNK; at[2] * CHUNK < start[2] + count[2]; at[2]++) {
                for (size_t d = 0; d < 3; d++) {
                    lo[d] = start[d] > at[d] * CHUNK ? start[d] - at[d] * CHUNK : 0;
                    hi[d] = least(start[d] + count[d] - at[d] * CHUNK, CHUNK);
                    first[d] = at[d] * CHUNK + lo[d] - start[d];
                }
                place_part(load_part(t, r, at, lo, hi), lo, hi,
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
        const char *data = codec_encode(CODEC_BLOSC, step, nbytes, r->stored, MOST_STORED, r->spare, &n);

        write_whole(t->dir, name, data, n);
        return;
    }
    n = read_whole(t->dir, name, r->stored);
    codec_decode(CODEC_BLOSC, r->stored, n, step, nbytes, r->spare);
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

/* The documents of a group and its variables, as many files as a dataset has. Written into one directory. */
static void
job_meta_v3(const task *t, room *r, size_t g)
{
    char name[64];

    for (size_t i = 0; i <= META_VARS; i++) {
        if (t->a->w->op == OP_DEFINE)
            snprintf(name, sizeof name, "%zu-%zu", g, i);
        else if (i == 0)
            snprintf(name, sizeof name, "group%03zu/zarr.json", g);
        else
            snprintf(name, sizeof name, "group%03zu/variable%02zu/zarr.json", g, i - 1);
        meta_file(t, r, name);
    }
}

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
    const char *name = t->form->v3 ? "zarr.json" : ".zmetadata";
    int         fd = openat(t->dir, name, O_RDONLY | O_CLOEXEC);
    ssize_t     n;

    (void)i;
    if (fd < 0)
        die(name);
    while ((n = read(fd, r->stored, MOST_STORED)) > 0)
        continue;
    if (n < 0)
        die(name);
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

    t->njobs = layout_nelems(&t->l) / CHUNK_NELEMS;
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
    case OP_APPEND:
    case OP_SHARDS:
    case OP_CHUNKS:
    case OP_STEPS: break;
    case OP_STRIDED: t->job = job_strided; break;
    case OP_CONVERT: t->job = job_convert; break;
    case OP_DEFINE:
    case OP_INQUIRE:
    case OP_OPEN:
        t->job = t->form->v3 ? job_meta_v3 : job_meta;
        t->njobs = s->ngroups;
        break;
    }
    if (t->form->consolidated && w->op == OP_INQUIRE) {
        t->job = job_copies;
        t->njobs = 1;
    }
    if (w->store == STORE_TINY) {
        t->job = job_tiny;
        t->njobs = (layout_nelems(&t->l) / TINY_CHUNK / TINY_CHUNK + 15) / 16;
    }
    if (w->store == STORE_GROUPS || w->store == STORE_SCALARS) {
        t->job = w->store == STORE_GROUPS ? job_groups : job_scalars;
        t->njobs = ((w->store == STORE_GROUPS ? s->nsmall : s->nscalars) + 7) / 8;
    }
    if (w->store == STORE_STEPS) {
        t->job = job_step;
        t->njobs = s->shape[0];
    }
    if (t->form->sharded && w->op != OP_BOXES)
        choose_shards(t);
    return w->store != STORE_ZIP && codec_present(t->form->codec);
}

/* The directory is made beforehand: that is nobody's limit. */
static int
open_dir(const arguments *a)
{
    size_t nbytes = strlen(a->path) + 16;
    char  *dir = malloc(nbytes);
    bool   writes = a->w->op == OP_WRITE || a->w->op == OP_APPEND;
    int    fd;

    if (dir == NULL)
        die("memory");
    if (writes || a->w->op == OP_DEFINE)
        mkdir(a->path, 0777);
    snprintf(dir, nbytes, "%s/%s", a->path, form_of(a->w->store)->meta ? "." : "field");
    if (writes)
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
    bool        writes;

    if (argc > 2 && strcmp(argv[1], "warm") == 0)
        return warm(argv[2]);
    if (!arguments_parse(argc, argv, &a))
        return 2;
    t.a = &a;
    t.form = form_of(a.w->store);
    t.l = layout_of(a.w->store, &a.s);
    writes = a.w->op == OP_WRITE || a.w->op == OP_APPEND;
    if (!choose(&t))
        return EXIT_NOT_BUILT;
    nthreads = a.nthreads < 1 ? 1 : a.nthreads > MOST_THREADS ? MOST_THREADS : a.nthreads;
    for (unsigned i = 0; i < nthreads; i++)
        t.rooms[i] = (room){touched(MOST_STORED), touched(MOST_STORED), touched(MOST_STORED)};
    t.data = touched(workload_bytes(a.w, &a.s));
    if (writes && a.w->store == STORE_SHORT)
        fill_shorts(&a.s, (short *)(void *)t.data);
    else if (writes)
        fill_floats(&a.s, a.w->store, (float *)(void *)t.data);
    t.dir = open_dir(&a);

    stopwatch_start(&clock);
    run_jobs(&t, nthreads);
    stopwatch_stop(&clock);

    expected = workload_expect(a.w, &a.s);
    if (t.form->meta)
        found = expected; /* files are read, nothing is understood */
    else if (!writes)
        checksum_words(&found, t.data, workload_bytes(a.w, &a.s));
    report(a.w->name, &clock, &found);
    if (found.sum != expected.sum || found.of_sums != expected.of_sums) {
        fprintf(stderr, "limits: %s: wrong checksum\n", a.w->name);
        return 1;
    }
    return 0;
}
