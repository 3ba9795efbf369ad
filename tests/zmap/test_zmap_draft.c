/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Drafts of a directory: written in place at any offsets, by two stores at once, seen by nobody before they are
 * published, on the conditions of a put; what is not published leaves nothing.
 */
#include "support/test.h"

#include "support/scratch.h"
#include "zmap/file/zmap_file.h"
#include "zmap/zmap_mem.h"
#include "zmap/zmap_sys.h"

#include <errno.h>
#include <string.h>

enum { SIZE = 100000 };

static zmap *
open_store(void)
{
    zmap *m = NULL;

    assert_int_equal(zmap_file_open(scratch_dir, ZMAP_OPEN_WRITE, &m), NC_NOERR);
    return m;
}

static int
empty_dir(void **state)
{
    (void)state;
    scratch_empty(scratch_dir);
    return 0;
}

static size_t
temporaries(void)
{
    return scratch_find(scratch_dir, ".nczarr-tmp-");
}

static zmap_draft *
begin(zmap *m)
{
    zmap_draft *d = NULL;

    assert_int_equal(zmap_draft_begin(m, "a/b/c", SIZE, &d), NC_NOERR);
    return d;
}

static void
expect_object(zmap *m, const void *data, size_t n)
{
    ncz_buf got = NCZ_BUF_INIT;

    assert_int_equal(zmap_get(m, "a/b/c", &got), NC_NOERR);
    assert_int_equal(got.len, n);
    assert_memory_equal(got.data, data, n);
    ncz_buf_clear(&got);
}

TEST_WITH(write_in_any_order, empty_dir, NULL)
{
    static char data[SIZE], got[SIZE];
    zmap       *m = open_store();
    zmap_draft *d = begin(m);
    const void *map;
    zmap_stats  stats;

    for (size_t i = 0; i < SIZE; i++)
        data[i] = i < 60000 || i >= 70000 ? (char)(i % 251) : '\0';
    assert_int_equal(zmap_draft_write(d, 70000, data + 70000, 30000), NC_NOERR);
    assert_int_equal(zmap_draft_write(d, 0, data, 60000), NC_NOERR);
    assert_int_equal(zmap_draft_write(d, SIZE, NULL, 0), NC_NOERR);
    assert_int_equal(zmap_draft_write(d, SIZE - 1, "xy", 2), NC_EINVAL);
    assert_int_equal(zmap_draft_write(d, UINT64_MAX, "xy", 2), NC_EINVAL);
    assert_int_equal(zmap_draft_read(d, 0, got, SIZE), NC_NOERR);
    assert_memory_equal(got, data, SIZE);
    assert_int_equal(zmap_draft_map(d, &map), NC_NOERR);
    assert_memory_equal(map, data, SIZE);
    assert_int_equal(zmap_len(m, "a/b/c", NULL), NC_EEMPTY);
    assert_int_equal(zmap_draft_publish(d, SIZE + 1, ZMAP_ALWAYS, NULL, NULL), NC_EINVAL);
    assert_int_equal(zmap_draft_publish(d, 99000, ZMAP_ALWAYS, NULL, NULL), NC_NOERR);
    expect_object(m, data, 99000);
    assert_int_equal(temporaries(), 0);
    assert_int_equal(zmap_draft_read(d, 500, got, 1000), NC_NOERR); /* still */
    assert_memory_equal(got, data + 500, 1000);
    assert_int_equal(zmap_draft_write(d, 0, data, 1), NC_EINVAL);
    assert_int_equal(zmap_draft_publish(d, 10, ZMAP_ALWAYS, NULL, NULL), NC_EINVAL);
    zmap_draft_end(d);
    zmap_stats_of(m, &stats);
    assert_int_equal(stats.puts, 1);
    assert_int_equal(stats.bytes_written, 99000);
    assert_int_equal(zmap_sync(m), NC_NOERR);
    expect_object(m, data, 99000);
    assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

TEST_WITH(drafts_are_published_on_conditions, empty_dir, NULL)
{
    zmap       *m = open_store();
    zmap_draft *d = begin(m);
    char        first[ZMAP_VERSION], second[ZMAP_VERSION];

    assert_int_equal(zmap_draft_write(d, 0, "one", 3), NC_NOERR);
    assert_int_equal(zmap_draft_publish(d, 3, ZMAP_IF_MATCH, "1-2-3", NULL), NC_ENOOBJECT);
    assert_int_equal(zmap_draft_publish(d, 3, ZMAP_IF_ABSENT, NULL, first), NC_NOERR);
    zmap_draft_end(d);
    expect_object(m, "one", 3);
    d = begin(m);
    assert_int_equal(zmap_draft_write(d, 0, "two", 3), NC_NOERR);
    assert_int_equal(zmap_draft_publish(d, 3, ZMAP_IF_ABSENT, NULL, NULL), NC_EOBJECT);
    expect_object(m, "one", 3);
    assert_int_equal(temporaries(), 1); /* and is published by the next */
    assert_int_equal(zmap_draft_publish(d, 3, ZMAP_IF_MATCH, first, second), NC_NOERR);
    assert_string_not_equal(first, second);
    zmap_draft_end(d);
    expect_object(m, "two", 3);
    assert_int_equal(temporaries(), 0);
    assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

TEST_WITH(abandoned_drafts_leave_nothing, empty_dir, NULL)
{
    size_t      open_files = scratch_open_files();
    zmap       *m = open_store(), *memory = NULL;
    zmap_draft *d = begin(m);

    zmap_draft_end(d);
    zmap_draft_end(NULL);
    assert_int_equal(scratch_count(scratch_dir), 0); /* nor directories */
    assert_int_equal(zmap_draft_begin(m, "a//b", 1, &d), NC_EINVAL);
    assert_int_equal(zmap_draft_begin(m, "a", UINT64_MAX, &d), NC_EINVAL);
    assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    assert_int_equal(zmap_mem_open(&memory), NC_NOERR);
    assert_int_equal(zmap_draft_begin(memory, "a", 1, &d), NC_ENOTBUILT);
    assert_int_equal(zmap_close(memory, ZMAP_KEEP), NC_NOERR);
    assert_int_equal(scratch_open_files(), open_files);
}

/* ---- a second store ---- */

static ncz_syscalls calls;
static int          nsyncs;
static bool         fails;

static int
counted_fsync(int fd)
{
    nsyncs++;
    if (fails) {
        errno = EIO;
        return -1;
    }
    return ncz_system.file.fsync(fd);
}

TEST_WITH(joined_drafts_write_one_object, empty_dir, NULL)
{
    size_t      open_files = scratch_open_files();
    zmap       *m = open_store(), *other = open_store();
    zmap_draft *d = begin(m), *second = NULL;
    char        byte;
    const void *map;

    calls = ncz_system;
    calls.file.fsync = counted_fsync;
    assert_int_equal(zmap_draft_join(other, "a/b/c", "../d", SIZE, &second), NC_EINVAL);
    assert_int_equal(zmap_draft_join(other, "a/b/c", ".nczarr-tmp-/../../x", SIZE, &second), NC_EINVAL);
    assert_int_equal(zmap_draft_join(other, "a/b/c", ".nczarr-tmp-none", SIZE, &second), ENOENT);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(zmap_draft_join(other, "a/b/c", zmap_draft_name(d), SIZE, &second), NC_NOERR);
        assert_int_equal(zmap_draft_write(second, (uint64_t)i, &"AB"[i], 1), NC_NOERR);
        assert_int_equal(zmap_draft_write(second, SIZE, "AB", 1), NC_EINVAL);
        assert_int_equal(zmap_draft_read(second, 0, &byte, 1), NC_EINVAL);
        assert_int_equal(zmap_draft_map(second, &map), NC_EINVAL);
        assert_int_equal(zmap_draft_publish(second, 1, ZMAP_ALWAYS, NULL, NULL), NC_EINVAL);
        zmap_draft_end(second);
    }
    assert_int_equal(temporaries(), 1); /* it is not the second's */
    assert_int_equal(zmap_draft_write(d, 2, "C", 1), NC_NOERR);
    assert_int_equal(zmap_draft_publish(d, 3, ZMAP_ALWAYS, NULL, NULL), NC_NOERR);
    zmap_draft_end(d);
    expect_object(m, "ABC", 3);
    zmap_file_use(&calls);
    assert_int_equal(zmap_sync(other), NC_NOERR); /* what it wrote, although the name is another one now */
    assert_int_equal(nsyncs, 2);
    assert_int_equal(zmap_sync(other), NC_NOERR);
    assert_int_equal(nsyncs, 2);
    d = begin(m);
    assert_int_equal(zmap_draft_join(other, "a/b/c", zmap_draft_name(d), SIZE, &second), NC_NOERR);
    zmap_draft_end(second);
    fails = true;
    assert_int_equal(zmap_sync(other), NC_EIO);
    assert_int_equal(zmap_sync(other), NC_EIO); /* for good */
    fails = false;
    zmap_file_use(NULL);
    zmap_draft_end(d);
    assert_int_equal(zmap_close(other, ZMAP_KEEP), NC_NOERR);
    assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    assert_int_equal(scratch_open_files(), open_files);
}

/* More than may wait for a sync are synced at once. */
TEST_WITH(joined_often, empty_dir, NULL)
{
    size_t      open_files = scratch_open_files();
    zmap       *m = open_store(), *other = open_store();
    zmap_draft *d = begin(m), *second = NULL;

    calls = ncz_system;
    calls.file.fsync = counted_fsync;
    nsyncs = 0;
    zmap_file_use(&calls);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(zmap_draft_join(other, "a/b/c", zmap_draft_name(d), SIZE, &second), NC_NOERR);
        zmap_draft_end(second);
    }
    assert_int_equal(nsyncs, 100 - 64);
    zmap_file_use(NULL);
    zmap_draft_end(d);
    assert_int_equal(zmap_close(other, ZMAP_KEEP), NC_NOERR);
    assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    assert_int_equal(scratch_open_files(), open_files);
}

/* Each call of the system that a draft makes fails in turn: it is told, and nothing is lost or left. */
static ssize_t
no_write(int fd, const struct iovec *from, int n, off_t off)
{
    (void)fd, (void)from, (void)n, (void)off;
    errno = ENOSPC;
    return -1;
}

static int
no_truncate(int fd, off_t len)
{
    (void)fd, (void)len;
    errno = EFBIG;
    return -1;
}

static int
no_rename(int from_dir, const char *from, int to_dir, const char *to)
{
    (void)from_dir, (void)from, (void)to_dir, (void)to;
    errno = EROFS;
    return -1;
}

TEST_WITH(failures_of_drafts_leave_nothing, empty_dir, NULL)
{
    zmap       *m = open_store();
    zmap_draft *d = NULL;
    char        got[3];

    calls = ncz_system;
    calls.file.ftruncate = no_truncate;
    zmap_file_use(&calls);
    assert_int_not_equal(zmap_draft_begin(m, "a/b/c", SIZE, &d), NC_NOERR);
    assert_int_equal(scratch_count(scratch_dir), 0);
    zmap_file_use(NULL);
    d = begin(m);
    assert_int_equal(zmap_draft_write(d, 0, "one", 3), NC_NOERR);
    calls = ncz_system;
    calls.file.pwritev = no_write;
    calls.name.renameat = no_rename;
    zmap_file_use(&calls);
    assert_int_equal(zmap_draft_write(d, 0, "two", 3), ENOSPC);
    assert_int_not_equal(zmap_draft_publish(d, 3, ZMAP_ALWAYS, NULL, NULL), NC_NOERR);
    zmap_file_use(NULL);
    assert_int_equal(zmap_draft_read(d, 0, got, 3), NC_NOERR);
    assert_memory_equal(got, "one", 3);
    assert_int_equal(zmap_draft_publish(d, 3, ZMAP_ALWAYS, NULL, NULL), NC_NOERR);
    zmap_draft_end(d);
    expect_object(m, "one", 3);
    assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

int
main(void)
{
    return run_file_tests(scratch_set_up, scratch_tear_down);
}
