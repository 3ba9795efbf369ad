/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A change in place under a journal: whatever dies, readers see the old bytes or the new ones, and the next writer
 * finishes it. A journal that is of no use is ignored. The locks of writers, and the name of a file that is open.
 */
#include "zmap/zmap_journal.h"

#include <errno.h>
#include <unistd.h>
#include <sys/stat.h>

#include "support/kill.h"
#include "support/scratch.h"
#include "support/store_help.h"
#include "support/test.h"
#include "zmap/zmap_mem.h"
#include "zmap/zmap_single.h"
#include "zmap/zmap_unfinished.h"

#define OK(call) assert_int_equal(call, NC_NOERR)

enum { SIZE = 3000, AT = 700, LEN = 2600 }; /* the change makes the object longer */

static char old_bytes[SIZE], new_bytes[LEN];

/* The whole object after the change. */
static char changed[AT + LEN];

static void
make_bytes(void)
{
    for (size_t i = 0; i < SIZE; i++)
        old_bytes[i] = (char)('a' + i % 17);
    for (size_t i = 0; i < LEN; i++)
        new_bytes[i] = (char)('A' + i % 23);
    memcpy(changed, old_bytes, AT);
    memcpy(changed + AT, new_bytes, LEN);
}

static int
open_writer(const char *path, zmap **m)
{
    int rc = zmap_single_file(path, ZMAP_OPEN_WRITE, false, m);

    if (rc == NC_NOERR && (rc = zmap_single_own(*m, false)) != NC_NOERR)
        (void)zmap_close(*m, ZMAP_KEEP);
    return rc;
}

static bool
change(void *arg)
{
    zmap *m = NULL;

    if (open_writer(arg, &m) != NC_NOERR ||
        zmap_single_change(m, AT, old_bytes + AT, SIZE - AT, new_bytes, LEN, true) != NC_NOERR)
        return false;
    return zmap_close(m, ZMAP_KEEP) == NC_NOERR;
}

/* What a reader gets of it. */
static bool
reads(const char *path, const char *want, size_t len)
{
    zmap   *m = NULL;
    char    version[ZMAP_VERSION];
    ncz_buf body = NCZ_BUF_INIT;
    bool    same;

    OK(zmap_single_file(path, ZMAP_OPEN_READ, false, &m));
    OK(zmap_single_look(m, version));
    assert_true(version[0] != '\0');
    OK(zmap_get(m, "", &body));
    same = body.len == len && memcmp(body.data, want, len) == 0;
    ncz_buf_clear(&body);
    OK(zmap_close(m, ZMAP_KEEP));
    return same;
}

static bool
file_is(const char *path, const char *want, size_t len)
{
    size_t n = 0;
    char  *text = scratch_read(path, &n);
    bool   same = n == len && memcmp(text, want, len) == 0;

    free(text);
    return same;
}

/* At each call; and the file may end in the middle of what is new. */
TEST_WITH(a_death_at_any_call_leaves_old_or_new, scratch_set_up, scratch_tear_down)
{
    char *path = scratch_path(scratch_dir, "f.nc");
    long  mixed = 0;
    bool  through = false;

    make_bytes();
    for (long n = 1; !through; n++) {
        zmap *m = NULL;
        bool  old, new;

        scratch_empty(scratch_dir);
        scratch_write(path, old_bytes, SIZE);
        through = kill_at_call(n, KILL_AT_CHANGES, "journal", change, path);
        old = file_is(path, old_bytes, SIZE);
        new = file_is(path, changed, sizeof changed);
        mixed += !old && !new;
        if (old)
            assert_true(reads(path, old_bytes, SIZE));
        else if (new)
            assert_true(reads(path, changed, sizeof changed));
        else
            assert_true(reads(path, changed, SIZE)); /* as much as is there */
        OK(open_writer(path, &m));
        OK(zmap_close(m, ZMAP_KEEP));
        assert_true(old ? file_is(path, old_bytes, SIZE) : file_is(path, changed, sizeof changed));
        assert_int_equal(scratch_count(scratch_dir), 1);
    }
    assert_true(mixed >= 1);
}

/* A file that another program has changed since, and journals that are none. */
TEST_WITH(of_no_use, scratch_set_up, scratch_tear_down)
{
    char  *path = scratch_path(scratch_dir, "f.nc"), *name = zmap_unfinished_journal("f.nc"), *text;
    char  *journal = strdup(scratch_path(scratch_dir, name));
    size_t n = 0;
    bool   found = false;

    make_bytes();
    for (long k = 1; !found; k++) { /* one that died in the middle */
        scratch_empty(scratch_dir);
        scratch_write(path, old_bytes, SIZE);
        assert_false(kill_at_call(k, KILL_AT_CHANGES, "journal", change, path));
        found = !file_is(path, old_bytes, SIZE) && !file_is(path, changed, sizeof changed);
    }
    text = scratch_read(journal, &n);
    assert_non_null(text);
    for (int how = 0; how < 4; how++) {
        zmap  *m = NULL;
        size_t len = 0;
        char  *was = scratch_read(path, &len);

        scratch_write(journal, text, how == 1 ? n - 1 : how == 2 ? 5 : n);
        if (how == 3)
            scratch_write(journal, was, len);
        if (how == 0) { /* an attribute by netCDF-C, say */
            was[AT + 100] = '!';
            scratch_write(path, was, len);
        }
        assert_true(reads(path, was, len));
        OK(open_writer(path, &m));
        OK(zmap_close(m, ZMAP_KEEP));
        assert_true(file_is(path, was, len));
        assert_int_equal(scratch_count(scratch_dir), 1);
        free(was);
    }
    free(text);
    free(journal);
    ncz_free(name);
}

/* In memory, and of a file that is to replace another one, nothing is written beside it. */
TEST_WITH(without_a_journal, scratch_set_up, scratch_tear_down)
{
    zmap *mem = NULL, *m = NULL;

    make_bytes();
    OK(zmap_mem_open(&mem));
    OK(zmap_put(mem, "x", old_bytes, SIZE));
    OK(zmap_single_open(mem, "x", ZMAP_OPEN_WRITE, false, &m));
    OK(zmap_single_own(m, false));
    OK(zmap_single_change(m, AT, old_bytes + AT, SIZE - AT, new_bytes, LEN, true));
    assert_false(zmap_single_is_named(m));
    OK(zmap_close(m, ZMAP_KEEP));
    OK(zmap_single_file(scratch_path(scratch_dir, "new.nc"), ZMAP_CREATE_NEW, true, &m));
    OK(zmap_single_change(m, 0, NULL, 0, new_bytes, LEN, true));
    assert_false(zmap_single_is_named(m));
    assert_int_equal(scratch_count(scratch_dir), 1);
    OK(zmap_close(m, ZMAP_KEEP));
    assert_true(file_is(scratch_path(scratch_dir, "new.nc"), new_bytes, LEN));
}

/* One writer alone, or several that share it. */
TEST_WITH(one_writer_is_alone_or_several_share, scratch_set_up, scratch_tear_down)
{
    char *path = scratch_path(scratch_dir, "f.nc");
    zmap *a = NULL, *b = NULL;

    scratch_write(path, "old", 3);
    OK(open_writer(path, &a));
    OK(zmap_single_file(path, ZMAP_OPEN_WRITE, false, &b));
    assert_rc(zmap_single_own(b, false), NC_EACCESS);
    assert_rc(zmap_single_own(b, true), NC_EACCESS);
    zmap_single_disown(a);
    OK(zmap_single_own(b, true));
    OK(zmap_single_own(a, true));
    assert_rc(zmap_single_alone(a), NC_EACCESS);
    assert_rc(zmap_single_alone(b), NC_EACCESS);
    OK(zmap_close(b, ZMAP_KEEP));
    OK(zmap_single_alone(a));
    OK(zmap_single_file(path, ZMAP_OPEN_WRITE, false, &b));
    assert_rc(zmap_single_own(b, true), NC_EACCESS);
    zmap_single_share(a);
    OK(zmap_single_own(b, true));
    OK(zmap_single_lock(a)); /* growth is another matter */
    OK(zmap_single_unlock(a));
    OK(zmap_close(b, ZMAP_KEEP));
    OK(zmap_close(a, ZMAP_KEEP));
}

/* What the name of an open file leads to; a reader goes on with the new one. */
TEST_WITH(a_replaced_file_is_followed_by_name, scratch_set_up, scratch_tear_down)
{
    char *path = strdup(scratch_path(scratch_dir, "f.nc")), *other = strdup(scratch_path(scratch_dir, "g.nc"));
    zmap *m = NULL, *now = NULL;
    bool  replaced = true;
    char  into[3];

    zmap_get_req r = {.key = "", .len = 3, .into = into, .into_cap = sizeof into};

    scratch_write(path, "old", 3);
    OK(zmap_single_file(path, ZMAP_OPEN_READ, false, &m));
    OK(zmap_single_find(m, &replaced));
    assert_false(replaced);
    assert_int_equal(rename(path, other), 0);
    OK(zmap_single_find(m, &replaced)); /* it has another name */
    assert_false(replaced);
    scratch_write(path, "new", 3);
    OK(zmap_single_find(m, &replaced));
    assert_true(replaced);
    assert_rc(zmap_get_batch(m, &r, 1, NULL, NULL), NC_NOERR);
    assert_memory_equal(into, "old", 3);
    OK(zmap_single_reopen(m, &now));
    expect_text(now, "", "new");
    assert_int_equal(unlink(path), 0);
    OK(zmap_single_find(now, &replaced));
    assert_true(replaced);
    OK(zmap_close(now, ZMAP_KEEP));
    OK(zmap_close(m, ZMAP_KEEP));
    free(path);
    free(other);
}

static mode_t
mode_of(const char *name)
{
    struct stat st;

    assert_int_equal(stat(scratch_path(scratch_dir, name), &st), 0);
    return st.st_mode & 0777;
}

/* A file that is to replace a private one, and its journal, are private before they have a byte. */
TEST_WITH(private_files, scratch_set_up, scratch_tear_down)
{
    char *path = scratch_path(scratch_dir, "f.nc");
    zmap *m = NULL;

    (void)umask(022);
    scratch_write(path, "old", 3);
    assert_int_equal(chmod(path, 0600), 0);
    OK(zmap_single_file(path, ZMAP_CREATE_NEW, true, &m));
    assert_int_equal(mode_of(zmap_single_unfinished(m)), 0600);
    assert_rc(zmap_put_range(m, "", 0, "new", 3), NC_NOERR);
    OK(zmap_close(m, ZMAP_KEEP));
    assert_int_equal(mode_of("f.nc"), 0600);
    assert_int_equal(chmod(path, 0640), 0);
    OK(zmap_single_file(path, ZMAP_CREATE_NEW, true, &m));
    assert_int_equal(mode_of(zmap_single_unfinished(m)), 0640);
    OK(zmap_close(m, ZMAP_DISCARD));
    OK(zmap_single_file(scratch_path(scratch_dir, "g.nc"), ZMAP_CREATE_NEW, true, &m));
    assert_int_equal(mode_of(zmap_single_unfinished(m)), 0644);
    OK(zmap_close(m, ZMAP_DISCARD));
}

/* Only root gives a file to another user. */
TEST_WITH(a_journal_keeps_the_owner, scratch_set_up, scratch_tear_down)
{
    char       *path = scratch_path(scratch_dir, "f.nc");
    struct stat st;
    zmap       *m = NULL;

    scratch_write(path, "old", 3);
    if (geteuid() != 0 || chown(path, 12345, 23456) != 0)
        skip();
    assert_int_equal(chmod(path, 0660), 0);
    OK(zmap_single_file(path, ZMAP_CREATE_NEW, true, &m));
    assert_int_equal(stat(scratch_path(scratch_dir, zmap_single_unfinished(m)), &st), 0);
    assert_true(st.st_uid == 12345 && st.st_gid == 23456 && (st.st_mode & 0777) == 0660);
    OK(zmap_close(m, ZMAP_KEEP));
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_uid == 12345 && st.st_gid == 23456 && (st.st_mode & 0777) == 0660);
}
