/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * classic_limit: the limit of rows C1 to C3, what the machine allows by plain means: threads that swap bytes, and
 * convert, while they copy pieces of 1 MiB between a file and memory. The array is the last thing in a file that is
 * known.
 *
 *     classic_limit C1f|C1d|C2f|C2d|C3r|C3w PATH DIVISOR THREADS
 */
#include "stopwatch.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { Z = 64, PLANE = 1024 * 1024, PIECE = 1 << 20, THREADS_MOST = 64 };

static int    fd;
static bool   writes, doubles, wide; /* wide: the elements of the file have 8 bytes, `doubles`: those of memory */
static size_t n, offset;
static char  *memory;
static atomic_size_t next;

static void
swap4(const char *from, char *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t v;

        memcpy(&v, from + i * 4, 4);
        v = __builtin_bswap32(v);
        memcpy(to + i * 4, &v, 4);
    }
}

static void
swap8(const char *from, char *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t v;

        memcpy(&v, from + i * 8, 8);
        v = __builtin_bswap64(v);
        memcpy(to + i * 8, &v, 8);
    }
}

static void
widen(const char *from, double *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t v;
        float    f;

        memcpy(&v, from + i * 4, 4);
        v = __builtin_bswap32(v);
        memcpy(&f, &v, 4);
        to[i] = f;
    }
}

static void
narrow(const double *from, char *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float    f = (float)from[i];
        uint32_t v;

        memcpy(&v, &f, 4);
        v = __builtin_bswap32(v);
        memcpy(to + i * 4, &v, 4);
    }
}

static void
move(char *piece, size_t first, size_t count)
{
    char *place = memory + first * (doubles ? 8 : 4);

    if (wide)
        swap8(writes ? place : piece, writes ? piece : place, count);
    else if (!doubles)
        swap4(writes ? place : piece, writes ? piece : place, count);
    else if (writes)
        narrow((const double *)(void *)place, piece, count);
    else
        widen(piece, (double *)(void *)place, count);
}

static void *
work(void *arg)
{
    size_t item = wide ? 8 : 4, each = PIECE / item, first;
    char  *piece = malloc(PIECE);

    (void)arg;
    if (piece == NULL)
        exit(1);
    while ((first = atomic_fetch_add(&next, each)) < n) {
        size_t count = n - first < each ? n - first : each, nbytes = count * item;
        off_t  at = (off_t)(offset + first * item);

        if (writes)
            move(piece, first, count);
        if ((writes ? pwrite(fd, piece, nbytes, at) : pread(fd, piece, nbytes, at)) != (ssize_t)nbytes)
            exit(1);
        if (!writes)
            move(piece, first, count);
    }
    free(piece);
    return NULL;
}

static double
checksum(void)
{
    double sum = 0;

    for (size_t i = 0; i < n && !writes; i++)
        sum += (double)(float)(doubles ? ((double *)(void *)memory)[i] : ((float *)(void *)memory)[i]) *
               (double)(1 + i % 31);
    return sum;
}

int
main(int argc, char **argv)
{
    pthread_t   threads[THREADS_MOST];
    int         nthreads = argc == 5 ? atoi(argv[4]) : 0;
    size_t      divisor = argc == 5 ? strtoul(argv[3], NULL, 10) : 0, planes;
    struct stat st;
    stopwatch   watch;

    if (nthreads < 1 || nthreads > THREADS_MOST || divisor < 1 || strlen(argv[1]) != 3)
        return 2;
    writes = strcmp(argv[1], "C2f") == 0 || strcmp(argv[1], "C2d") == 0 || strcmp(argv[1], "C3w") == 0;
    wide = argv[1][2] == 'd';
    doubles = wide || argv[1][1] == '3';
    planes = Z / divisor > 1 ? Z / divisor : 2;
    n = planes * PLANE / (wide ? 2 : 1);
    if ((memory = malloc(n * (doubles ? 8 : 4))) == NULL)
        return 1;
    memset(memory, 1, n * (doubles ? 8 : 4));
    stopwatch_start(&watch);
    fd = open(argv[2], writes ? O_RDWR | O_CREAT | O_TRUNC : O_RDONLY, 0666);
    if (fd < 0 || fstat(fd, &st) != 0)
        return 1;
    offset = writes ? 256 : (size_t)st.st_size - n * (wide ? 8 : 4);
    for (int i = 1; i < nthreads; i++)
        if (pthread_create(&threads[i], NULL, work, NULL) != 0)
            return 1;
    (void)work(NULL);
    for (int i = 1; i < nthreads; i++)
        pthread_join(threads[i], NULL);
    close(fd);
    stopwatch_stop(&watch);
    stopwatch_print(&watch, checksum());
    return 0;
}
