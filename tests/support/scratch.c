/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/scratch.h"
#include "support/peak.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

/* A test whose scratch does not work proves nothing. */
static void
must(bool good, const char *what)
{
    if (!good) {
        fprintf(stderr, "scratch: %s: %s\n", what, strerror(errno));
        exit(99);
    }
}

/* Without $TMPDIR in memory, where there is such a place: thousands of small stores would make a disk busy for long.
 */
char *
scratch_new(void)
{
    const char *tmp = getenv("TMPDIR");
    char       *dir = NULL;

    if (tmp == NULL)
        tmp = access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp";
    must(asprintf(&dir, "%s/nczarr-test-XXXXXX", tmp) > 0 && mkdtemp(dir) != NULL, "mkdtemp");
    return dir;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

static int
remove_below(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type;
    return at->level == 0 ? 0 : remove(path);
}

void
scratch_remove(const char *path)
{
    (void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void
scratch_empty(const char *dir)
{
    must(nftw(dir, remove_below, 16, FTW_DEPTH | FTW_PHYS) == 0, dir);
}

void
scratch_free(char *dir)
{
    scratch_remove(dir);
    free(dir);
}

char *scratch_dir;

int
scratch_set_up(void **state)
{
    (void)state;
    scratch_dir = scratch_new();
    return 0;
}

int
scratch_tear_down(void **state)
{
    (void)state;
    scratch_free(scratch_dir);
    scratch_dir = NULL;
    return 0;
}

char *
scratch_path(const char *dir, const char *name)
{
    static char     buffers[8][4096];
    static unsigned turn;
    char           *path = buffers[turn++ % 8];

    must(snprintf(path, sizeof buffers[0], "%s/%s", dir, name) < (int)sizeof buffers[0], name);
    return path;
}

void
scratch_write(const char *path, const void *data, size_t len)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    must(fd >= 0 && write(fd, data, len) == (ssize_t)len, path);
    close(fd);
}

char *
scratch_read(const char *path, size_t *len)
{
    int     fd = open(path, O_RDONLY);
    ssize_t n;
    char   *data = NULL;

    if (fd < 0)
        return NULL;
    *len = 0;
    do {
        data = realloc(data, *len + 65537);
        must((n = read(fd, data + *len, 65536)) >= 0, path);
        *len += (size_t)n;
    } while (n > 0);
    data[*len] = '\0';
    close(fd);
    return data;
}

char *
test_data(const char *name, size_t *len)
{
    const char *path = scratch_path(NCZ_TEST_DATA, name);
    char       *data = scratch_read(path, len);

    must(data != NULL, path);
    return data;
}

bool
scratch_exists(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

size_t
scratch_count(const char *dir)
{
    DIR   *d = opendir(dir);
    size_t n = 0;

    must(d != NULL, dir);
    while (readdir(d) != NULL)
        n++;
    closedir(d);
    return n - 2;
}

static const char *find_prefix;
static size_t      nfound;

static int
find_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type;
    nfound += strncmp(path + at->base, find_prefix, strlen(find_prefix)) == 0;
    return 0;
}

size_t
scratch_find(const char *dir, const char *prefix)
{
    find_prefix = prefix;
    nfound = 0;
    must(nftw(dir, find_one, 16, FTW_PHYS) == 0, dir);
    return nfound;
}

size_t
scratch_open_files(void)
{
    return scratch_count("/proc/self/fd");
}

unsigned long
test_seed(void)
{
    const char *seed = getenv("NCZARR_TEST_SEED");

    return seed == NULL ? 0 : strtoul(seed, NULL, 10) % 1000000;
}

bool
test_drawn(size_t i, unsigned long parts)
{
    return getenv("NCZARR_TEST_SHORT") == NULL || (i + test_seed()) % parts == 0;
}

bool
test_drawn_sanitized(size_t i, unsigned long parts)
{
    return !PEAK_SANITIZED || test_drawn(i, parts);
}
