/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * netcdf4_limit: the limit of rows N1 and N2, what the machine allows by plain means: threads that take one chunk after
 * the other from memory, encode it by the codec's own library and write it behind those before it. There are no
 * metadata.
 *
 *     netcdf4_limit N11|N14|N2n|N2c|N2z|N2b PATH DIVISOR THREADS
 */
#include "codecs.h"
#include "netcdf4_field.h"
#include "stopwatch.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SIDE_Y = FIELD_Y / 2,
    SIDE_X = FIELD_X / 2,
    NBYTES = SIDE_Y * SIDE_X * 4,
    ROOM = 2 * NBYTES,
    THREADS_MOST = 64
};

static int           fd;
static bench_codec   codec;
static float        *field;
static size_t        nchunks;
static atomic_size_t next;
static atomic_size_t end = 4096;

/* Chunk i of the field, in C order: its rows one after the other. */
static void
gather(size_t i, char *to)
{
    const float *from = field + i / 4 * FIELD_Y * FIELD_X + i / 2 % 2 * SIDE_Y * FIELD_X + i % 2 * SIDE_X;

    for (size_t y = 0; y < SIDE_Y; y++)
        memcpy(to + y * SIDE_X * 4, from + y * FIELD_X, SIDE_X * 4);
}

static void *
work(void *arg)
{
    char  *memory = malloc(2 * NBYTES + ROOM);
    size_t i, n;

    (void)arg;
    if (memory == NULL)
        exit(1);
    codecs_begin();
    while ((i = atomic_fetch_add(&next, 1)) < nchunks) {
        const char *stored;

        gather(i, memory);
        stored = codec_encode(codec, memory, NBYTES, memory + 2 * NBYTES, ROOM, memory + NBYTES, &n);
        if (pwrite(fd, stored, n, (off_t)atomic_fetch_add(&end, n)) != (ssize_t)n)
            exit(1);
    }
    codecs_end();
    free(memory);
    return NULL;
}

static bool
choose_codec(const char *name)
{
    codec = name[0] == 'z'                     ? CODEC_ZSTD
            : name[0] == 'b'                   ? CODEC_BLOSC
            : name[0] >= '1' && name[0] <= '9' ? CODEC_DEFLATE
                                               : CODEC_NONE;
    if (codec == CODEC_DEFLATE)
        codecs_set_deflate_level(name[0] - '0');
    return codec_present(codec);
}

int
main(int argc, char **argv)
{
    pthread_t threads[THREADS_MOST];
    int       nthreads = argc == 5 ? atoi(argv[4]) : 0;
    size_t    divisor = argc == 5 ? strtoul(argv[3], NULL, 10) : 0, planes;
    stopwatch watch;

    if (nthreads < 1 || nthreads > THREADS_MOST || divisor < 1 || strlen(argv[1]) != 3)
        return 2;
    if (!choose_codec(argv[1] + 2))
        return 77;
    planes = field_planes(divisor);
    nchunks = planes * 4;
    if ((field = malloc(planes * FIELD_Y * FIELD_X * sizeof *field)) == NULL)
        return 1;
    field_make(field, planes);
    stopwatch_start(&watch);
    if ((fd = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0666)) < 0)
        return 1;
    for (int i = 1; i < nthreads; i++)
        if (pthread_create(&threads[i], NULL, work, NULL) != 0)
            return 1;
    (void)work(NULL);
    for (int i = 1; i < nthreads; i++)
        pthread_join(threads[i], NULL);
    close(fd);
    stopwatch_stop(&watch);
    printf("{\"seconds\": %.9f, \"cpu\": %.9f, \"extra_kb\": %ld, \"sum\": null}\n", watch.wall, watch.cpu,
           watch.rss_kb);
    free(field);
    return 0;
}
