/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing archives: what stands where and when, who is kept away, what a change costs, and what stays when a session
 * is dropped.
 */
#include "support/scratch.h"
#include "zmap/file/zmap_file.h"
#include "zip/zipdocs.h"
#include "zip/zip.h"
#include "support/sysfault.h"
#include "zip/zipmake.h"

#include <errno.h>
#include <unistd.h>
#include <sys/stat.h>
#include "support/test.h"

static char *dir, *path;

static int
set_up(void **state)
{
    (void)state;
    dir = scratch_new();
    path = strdup(scratch_path(dir, "d.zip"));
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    zmap_file_use(NULL);
    free(path);
    scratch_free(dir);
    return 0;
}

static const ncz_zip_opts at_top = {.is_document = is_test_document, .prefix = ""};

#define OK(call)                                                                                                     \
    do {                                                                                                             \
        int rc_ = (call);                                                                                            \
        if (rc_ != NC_NOERR)                                                                                         \
            fail_msg("%s: %d (%s)", #call, rc_, ncz_err_text());                                                     \
    } while (0)

static zmap *
open_zip(zmap_open_how how, const ncz_zip_opts *opts)
{
    zmap *m = NULL;

    OK(ncz_zip_open(path, how, opts, &m));
    return m;
}

static void
put(zmap *m, const char *key, const char *text)
{
    OK(zmap_put(m, key, text, strlen(text)));
}

static void
expect(zmap *m, const char *key, const char *text)
{
    ncz_buf body = NCZ_BUF_INIT;

    if (text == NULL) {
        assert_int_equal(zmap_get(m, key, &body), NC_EEMPTY);
    } else {
        OK(zmap_get(m, key, &body));
        assert_string_equal(ncz_buf_str(&body), text);
    }
    ncz_buf_clear(&body);
}

/* What somebody else would read now. */
static void
expect_seen(const char *key, const char *text)
{
    zmap *m = open_zip(ZMAP_OPEN_READ, &at_top);

    expect(m, key, text);
    OK(zmap_close(m, ZMAP_KEEP));
}

/* An archive of three objects, committed. */
static void
make_old(void)
{
    zmap *m = open_zip(ZMAP_CREATE_NEW, &at_top);

    put(m, "a", "old a");
    put(m, "b", "old b");
    put(m, "g/c", "old c");
    OK(zmap_close(m, ZMAP_KEEP));
    assert_int_equal(scratch_count(dir), 1);
}

/* ---- layout ---- */

/* The names in the order of the directory, each with a space. */
static char *
names_in(void)
{
    size_t len, at;
    char  *data = scratch_read(path, &len);
    char  *out = calloc(1, len + 1);

    assert_non_null(data);
    for (at = 0; at + 46 <= len; at++) {
        size_t n;

        if (memcmp(data + at, "PK\001\002", 4) != 0)
            continue;
        n = (unsigned char)data[at + 28];
        strncat(out, data + at + 46, n);
        strcat(out, " ");
    }
    free(data);
    return out;
}

TEST_WITH(documents_are_laid_out_as_asked, set_up, tear_down)
{
    zmap *m = open_zip(ZMAP_CREATE_NEW, &(ncz_zip_opts){.is_document = is_test_document, .prefix = "top"});
    char *names;

    put(m, "v/10", "x");
    put(m, "v/.zarray", "{}");
    put(m, "g/h/.zgroup", "{}");
    put(m, "v/9", "x");
    put(m, ".zgroup", "{}");
    put(m, ".zattrs", "{}");
    put(m, "v/9", "xx");
    OK(zmap_close(m, ZMAP_KEEP));
    names = names_in();
    assert_string_equal(names, "top/.zattrs top/.zgroup top/v/.zarray top/g/h/.zgroup top/v/10 top/v/9 ");
    free(names);
    m = open_zip(ZMAP_OPEN_READ, &test_zip_opts); /* the prefix is found */
    expect(m, "v/9", "xx");
    OK(zmap_close(m, ZMAP_KEEP));
}

static void
write_in_turn(const char *const *keys, size_t n, const ncz_zip_opts *opts)
{
    zmap *m = open_zip(ZMAP_CREATE_NEW, opts);

    for (size_t i = 0; i < n; i++)
        put(m, keys[i], keys[i]);
    OK(zmap_close(m, ZMAP_KEEP));
}

/* Same calls, same bytes; and sorted: same objects, same bytes. */
TEST_WITH(the_same_calls_give_the_same_bytes, set_up, tear_down)
{
    static const char *const one[] = {"a", "b/c", ".zgroup", "b/d", "e", "a"};
    static const char *const two[] = {"e", ".zgroup", "b/d", "b/c", "a"};
    ncz_zip_opts             sorted = {.is_document = is_test_document, .prefix = "p", .sorted = true};
    size_t                   len[3];
    char                    *bytes[3];

    for (int k = 0; k < 2; k++) {
        write_in_turn(one, 6, &at_top);
        bytes[k] = scratch_read(path, &len[k]);
        OK(ncz_zip_remove(path));
    }
    assert_int_equal(len[0], len[1]);
    assert_memory_equal(bytes[0], bytes[1], len[0]);
    free(bytes[0]);
    free(bytes[1]);
    write_in_turn(one, 6, &sorted);
    bytes[0] = scratch_read(path, &len[0]);
    OK(ncz_zip_remove(path));
    write_in_turn(two, 5, &sorted);
    bytes[1] = scratch_read(path, &len[1]);
    assert_int_equal(len[0], len[1]);
    assert_memory_equal(bytes[0], bytes[1], len[0]);
    free(bytes[0]);
    free(bytes[1]);
    expect_seen("p/b/c", "b/c");
    assert_int_equal(scratch_count(dir), 1);
}

TEST_WITH(an_empty_archive_is_an_archive, set_up, tear_down)
{
    size_t len;
    char  *bytes;

    OK(zmap_close(open_zip(ZMAP_CREATE_NEW, NULL), ZMAP_KEEP));
    bytes = scratch_read(path, &len);
    assert_int_equal(len, 22);
    free(bytes);
    assert_true(ncz_zip_looks_like(path));
    OK(zmap_close(open_zip(ZMAP_OPEN_READ, &test_zip_opts), ZMAP_KEEP));
}

/* ---- when it is seen ---- */

TEST_WITH(a_commit_shows_all_changes_at_once, set_up, tear_down)
{
    zmap *m = open_zip(ZMAP_CREATE_NEW, &at_top);

    put(m, "a", "1");
    assert_false(scratch_exists(path));
    OK(zmap_sync(m));
    expect_seen("a", "1");
    assert_int_equal(scratch_count(dir), 1);
    put(m, "a", "2");
    put(m, "b", "2");
    expect_seen("a", "1");
    expect_seen("b", NULL);
    expect(m, "a", "2");
    OK(zmap_sync(m));
    OK(zmap_sync(m)); /* nothing to do */
    expect_seen("a", "2");
    OK(zmap_del(m, &(const char *){"a"}, 1));
    expect_seen("a", "2");
    OK(zmap_sync(m)); /* a removal alone */
    expect_seen("a", NULL);
    put(m, "c", "3");
    OK(zmap_close(m, ZMAP_KEEP));
    expect_seen("c", "3");
    expect_seen("b", "2");
    assert_int_equal(scratch_count(dir), 1);
}

TEST_WITH(reverting_goes_back_to_the_last_commit, set_up, tear_down)
{
    zmap *m;

    make_old();
    m = open_zip(ZMAP_OPEN_WRITE, &at_top);
    put(m, "a", "new");
    OK(zmap_del(m, &(const char *){"b"}, 1));
    OK(zmap_close(m, ZMAP_REVERT));
    expect_seen("a", "old a");
    expect_seen("b", "old b");
    assert_int_equal(scratch_count(dir), 1);

    m = open_zip(ZMAP_OPEN_WRITE, &at_top); /* back to the last commit, not further */
    put(m, "a", "new");
    OK(zmap_sync(m));
    put(m, "a", "newest");
    OK(zmap_close(m, ZMAP_REVERT));
    expect_seen("a", "new");

    m = open_zip(ZMAP_CREATE_NEW, &(ncz_zip_opts){.is_document = is_test_document, .prefix = "", .replace = true});
    expect(m, "a", NULL);
    put(m, "n", "n");
    expect_seen("a", "new"); /* it stands until the commit */
    OK(zmap_close(m, ZMAP_DISCARD));
    expect_seen("a", "new");
    m = open_zip(ZMAP_CREATE_NEW, &(ncz_zip_opts){.is_document = is_test_document, .prefix = "", .replace = true});
    put(m, "n", "n");
    OK(zmap_close(m, ZMAP_KEEP));
    expect_seen("a", NULL);
    expect_seen("n", "n");

    OK(ncz_zip_remove(path));
    m = open_zip(ZMAP_CREATE_NEW, &at_top);
    put(m, "n", "n");
    OK(zmap_sync(m));
    OK(zmap_close(m, ZMAP_DISCARD)); /* what this session made goes */
    assert_int_equal(scratch_count(dir), 0);
}

/* A reader that has the old archive open goes on reading it. */
TEST_WITH(a_reader_keeps_the_old_archive, set_up, tear_down)
{
    zmap *m, *reader;

    make_old();
    reader = open_zip(ZMAP_OPEN_READ, &at_top);
    m = open_zip(ZMAP_OPEN_WRITE, &at_top);
    put(m, "a", "new");
    OK(zmap_close(m, ZMAP_KEEP));
    expect(reader, "a", "old a");
    expect(reader, "g/c", "old c");
    OK(zmap_close(reader, ZMAP_KEEP));
}

static size_t ncopied;

static ssize_t
count_copies(int from, off_t *from_off, int to, off_t *to_off, size_t len)
{
    ssize_t n = ncz_system.file.copy_range(from, from_off, to, to_off, len);

    ncopied += n > 0 ? (size_t)n : 0;
    return n;
}

static int
no_clone(int from, int to)
{
    (void)from, (void)to;
    errno = EOPNOTSUPP;
    return -1;
}

/* From the third on a sync copies what is new, not the archive; but not while somebody reads the file that this would
 * change. `reader`: whether somebody opens the archive after each sync and keeps it open. */
static size_t
sync_often(bool reader)
{
    enum { N = 8, LEN = 100000 };
    ncz_syscalls table = ncz_system;
    char        *data = malloc(LEN), key[8];
    zmap        *m = open_zip(ZMAP_CREATE_NEW, &at_top), *readers[N];

    ncopied = 0;
    table.file.copy_range = count_copies;
    table.file.clone = no_clone;
    zmap_file_use(&table);
    for (int i = 0; i < N; i++) {
        memset(data, 'a' + i, LEN);
        snprintf(key, sizeof key, "k%d", i);
        OK(zmap_put(m, key, data, LEN));
        put(m, "last", key);
        OK(zmap_sync(m));
        readers[i] = open_zip(ZMAP_OPEN_READ, &at_top);
        expect(readers[i], "last", key);
        if (!reader)
            OK(zmap_close(readers[i], ZMAP_KEEP));
    }
    OK(zmap_close(m, ZMAP_KEEP));
    zmap_file_use(NULL);
    for (int i = 0; i < N && reader; i++) {
        snprintf(key, sizeof key, "k%d", i);
        expect(readers[i], "last", key);
        for (int k = 0; k < N; k++) {
            ncz_buf body = NCZ_BUF_INIT;

            snprintf(key, sizeof key, "k%d", k);
            assert_int_equal(zmap_get(readers[i], key, &body), k <= i ? NC_NOERR : NC_EEMPTY);
            assert_true(k > i || (body.len == LEN && body.data[0] == 'a' + k && body.data[LEN - 1] == 'a' + k));
            ncz_buf_clear(&body);
        }
        OK(zmap_close(readers[i], ZMAP_KEEP));
    }
    assert_int_equal(scratch_count(dir), 1);
    OK(ncz_zip_remove(path));
    free(data);
    return ncopied / LEN;
}

TEST_WITH(many_syncs_write_little, set_up, tear_down)
{
    assert_int_equal(sync_often(true), 1 + 2 + 3 + 4 + 5 + 6 + 7);
    if (ncz_system.lock.sole(-1) != 0 && errno != ENOSYS) { /* where it can be known that nobody reads */
        size_t n = sync_often(false);

        assert_true(n == 1 + 6 || n == 1 + 2 + 3 + 4 + 5 + 6 + 7); /* not all file systems know */
    }
}

/* ---- changing what others wrote ---- */

TEST_WITH(foreign_archives_are_changed, set_up, tear_down)
{
    zipmake z = {0};
    zmap   *m;
    char    text[4000];

    memset(text, 't', sizeof text);
    zipmake_text(&z, "d/", "");
    zipmake_text(&z, "d/.zgroup", "{}");
    zipmake_add(&z,
                (zipmake_entry){.name = "d/v/0", .data = text, .len = sizeof text, .deflate = true, .late = true});
    zipmake_add(&z, (zipmake_entry){.name = "d/v/1", .data = text, .len = 3000, .local_extra = 28});
    zipmake_text(&z, "../evil", "stays as it is");
    zipmake_text(&z, "d/v/2", "two");
    zipmake_end(&z, false, "a comment goes");
    scratch_write(path, z.data, z.len);
    chmod(path, 0640);
    m = open_zip(ZMAP_OPEN_WRITE, &(ncz_zip_opts){.is_document = is_test_document, .prefix = "d"});
    put(m, "v/2", "another two");
    put(m, "w/0", "w");
    OK(zmap_close(m, ZMAP_KEEP));
    zipmake_clear(&z);

    m = open_zip(ZMAP_OPEN_READ, &(ncz_zip_opts){.is_document = is_test_document, .prefix = "d"});
    for (int i = 0; i < 2; i++) {
        ncz_buf body = NCZ_BUF_INIT;

        OK(zmap_get(m, i == 0 ? "v/0" : "v/1", &body));
        assert_int_equal(body.len, i == 0 ? sizeof text : 3000);
        assert_memory_equal(body.data, text, body.len);
        ncz_buf_clear(&body);
    }
    expect(m, "v/2", "another two");
    expect(m, "w/0", "w");
    assert_int_equal(ncz_zip_others(m), 1);
    OK(zmap_close(m, ZMAP_KEEP));
    {
        struct stat st;
        char       *names = names_in();

        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_mode & 07777, 0640);
        assert_non_null(strstr(names, "../evil "));
        free(names);
    }
}

/* Bytes before an archive count for places; what is written then has them right. */
TEST_WITH(bytes_before_an_archive_stay, set_up, tear_down)
{
    zipmake z = {0}, front = {0};
    zmap   *m = NULL;

    zipmake_text(&z, "k", "text");
    zipmake_add(&z, (zipmake_entry){.name = "../x", .data = "x", .len = 1});
    zipmake_end(&z, false, "");
    zipmake_raw(&front, "before", 6);
    zipmake_raw(&front, z.data, z.len);
    scratch_write(path, front.data, front.len);
    assert_true(ncz_zip_looks_like(path));
    m = open_zip(ZMAP_OPEN_WRITE, &at_top);
    assert_int_equal(ncz_zip_others(m), 2);
    put(m, "l", "more");
    OK(zmap_close(m, ZMAP_KEEP));
    expect_seen("k", "text");
    expect_seen("l", "more");
    assert_true(ncz_zip_looks_like(path));
    zipmake_clear(&z);
    zipmake_clear(&front);
}

/* They are not ours: whoever would remove the archive must see that, and dead bytes do not make them go. */
TEST_WITH(bytes_before_an_archive_survive_a_repack, set_up, tear_down)
{
    size_t  len = 2000000, front_len = 0;
    char   *data = calloc(1, len), *now;
    zipmake z = {0};
    zmap   *m;

    zipmake_raw(&z, "#!/bin/sh\n", 10);
    scratch_write(path, z.data, z.len);
    assert_false(ncz_zip_looks_like(path));
    zipmake_add(&z, (zipmake_entry){.name = "k", .data = data, .len = len}); /* at its true place, as Python has it */
    zipmake_end(&z, false, "");
    scratch_write(path, z.data, z.len);
    assert_true(ncz_zip_looks_like(path));
    m = open_zip(ZMAP_OPEN_WRITE, &at_top);
    assert_int_equal(ncz_zip_others(m), 1);
    put(m, "k", "small");
    OK(zmap_close(m, ZMAP_KEEP));
    expect_seen("k", "small");
    assert_non_null(now = scratch_read(path, &front_len));
    assert_memory_equal(now, "#!/bin/sh\nPK\003\004", 14);
    free(now);
    free(data);
    zipmake_clear(&z);
}

static size_t
size_of(void)
{
    struct stat st;

    assert_int_equal(stat(path, &st), 0);
    return (size_t)st.st_size;
}

/* Dead bytes stay until they are a third of the archive. */
TEST_WITH(a_third_of_dead_bytes_repacks, set_up, tear_down)
{
    size_t len = 400000, before;
    char  *data = malloc(len);
    zmap  *m;
    char   key[16];

    memset(data, 'd', len);
    m = open_zip(ZMAP_CREATE_NEW, &at_top);
    for (int i = 0; i < 10; i++) {
        snprintf(key, sizeof key, "v/%d", i);
        OK(zmap_put(m, key, data, len));
    }
    put(m, "small", "one");
    OK(zmap_close(m, ZMAP_KEEP));
    before = size_of();
    m = open_zip(ZMAP_OPEN_WRITE, &at_top);
    OK(zmap_put(m, "v/0", data, len - 1));
    OK(zmap_close(m, ZMAP_KEEP));
    assert_int_equal(size_of(), before + len - 1 + 30 + 3);
    m = open_zip(ZMAP_OPEN_WRITE, &at_top);
    for (int i = 1; i < 7; i++) {
        snprintf(key, sizeof key, "v/%d", i);
        memset(data, 'a' + i, len);
        OK(zmap_put(m, key, data, len));
    }
    OK(zmap_sync(m)); /* not now: more may come */
    assert_true(size_of() > before + 6 * len);
    put(m, "small", "two");
    OK(zmap_close(m, ZMAP_KEEP));
    assert_int_equal(size_of(), before - 1);
    m = open_zip(ZMAP_OPEN_READ, &at_top);
    for (int i = 1; i < 7; i++) {
        ncz_buf body = NCZ_BUF_INIT;

        snprintf(key, sizeof key, "v/%d", i);
        OK(zmap_get(m, key, &body));
        memset(data, 'a' + i, len);
        assert_int_equal(body.len, len);
        assert_memory_equal(body.data, data, len);
        ncz_buf_clear(&body);
    }
    expect(m, "small", "two");
    OK(zmap_close(m, ZMAP_KEEP));
    assert_int_equal(scratch_count(dir), 1);
    free(data);
}

/* ---- who is kept away ---- */

TEST_WITH(only_one_writer_opens_an_archive, set_up, tear_down)
{
    zmap *m, *other = NULL;

    m = open_zip(ZMAP_CREATE_NEW, &at_top); /* nothing is there yet but the wish */
    assert_int_equal(ncz_zip_open(path, ZMAP_CREATE_NEW, &at_top, &other), NC_EACCESS);
    assert_non_null(strstr(ncz_err_text(), "written already"));
    put(m, "a", "1");
    OK(zmap_sync(m));
    for (int turn = 0; turn < 2; turn++) { /* committed, and with changes that are not */
        assert_int_equal(ncz_zip_open(path, ZMAP_OPEN_WRITE, &test_zip_opts, &other), NC_EACCESS);
        assert_int_equal(ncz_zip_open(path, ZMAP_CREATE_NEW,
                                      &(ncz_zip_opts){.is_document = is_test_document, .replace = true}, &other),
                         NC_EACCESS);
        assert_int_equal(ncz_zip_remove(path), NC_EACCESS);
        expect_seen("a", "1");
        put(m, "b", "2");
    }
    OK(zmap_close(m, ZMAP_KEEP));
    m = open_zip(ZMAP_OPEN_WRITE, &at_top);
    assert_int_equal(ncz_zip_open(path, ZMAP_OPEN_WRITE, &test_zip_opts, &other), NC_EACCESS);
    OK(zmap_close(m, ZMAP_KEEP));
    OK(ncz_zip_remove(path));
}

TEST_WITH(what_is_there_decides_how_it_opens, set_up, tear_down)
{
    zmap *m = NULL;
    char *link = strdup(scratch_path(dir, "link.zip"));

    assert_int_equal(ncz_zip_open(path, ZMAP_OPEN_READ, &test_zip_opts, &m), NC_ENOOBJECT);
    assert_int_equal(ncz_zip_open(path, ZMAP_OPEN_WRITE, &test_zip_opts, &m), NC_ENOOBJECT);
    assert_int_equal(ncz_zip_open(scratch_path(dir, "no/x.zip"), ZMAP_CREATE_NEW, &test_zip_opts, &m), NC_ENOOBJECT);
    assert_int_equal(ncz_zip_open(dir, ZMAP_OPEN_READ, &test_zip_opts, &m), NC_ENOTNC);
    assert_int_equal(ncz_zip_open(dir, ZMAP_CREATE_NEW, &test_zip_opts, &m), NC_EOBJECT);
    assert_int_equal(ncz_zip_open("", ZMAP_OPEN_READ, &test_zip_opts, &m), NC_EINVAL);
    assert_int_equal(ncz_zip_open(NULL, ZMAP_OPEN_READ, &test_zip_opts, &m), NC_EINVAL);
    assert_int_equal(ncz_zip_open("/dev/null", ZMAP_OPEN_READ, &test_zip_opts, &m), NC_ENOTNC);
    assert_int_equal(ncz_zip_remove(path), NC_ENOOBJECT);
    assert_int_equal(scratch_count(dir), 0);
    make_old();
    assert_int_equal(ncz_zip_open(path, ZMAP_CREATE_NEW, &test_zip_opts, &m), NC_EOBJECT);
    expect_seen("a", "old a");

    assert_int_equal(symlink("d.zip", link), 0); /* the file goes on, the link stays one */
    OK(ncz_zip_open(link, ZMAP_OPEN_WRITE, &at_top, &m));
    put(m, "a", "through the link");
    OK(zmap_close(m, ZMAP_KEEP));
    expect_seen("a", "through the link");
    assert_int_equal(ncz_zip_remove(link), NC_EOBJECT);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(scratch_count(dir), 1);

    m = open_zip(ZMAP_CREATE_NEW, &(ncz_zip_opts){.is_document = is_test_document, .replace = true});
    OK(ncz_zip_mem_take(m, NULL, NULL) == NC_ENOTBUILT ? NC_NOERR : NC_EINVAL);
    OK(zmap_close(m, ZMAP_REVERT));
    scratch_write(path, "no archive at all", 17);
    assert_false(ncz_zip_looks_like(path));
    assert_int_equal(ncz_zip_open(path, ZMAP_OPEN_READ, &test_zip_opts, &m), NC_ENOTNC);
    assert_int_equal(ncz_zip_open(path, ZMAP_OPEN_WRITE, &test_zip_opts, &m), NC_ENOTNC);
    assert_int_equal(scratch_count(dir), 1); /* and no partial file is left */
    free(link);
}

/* Somebody else's file appears where a new archive was to be: it is not replaced. */
TEST_WITH(a_file_that_appears_is_not_replaced, set_up, tear_down)
{
    zmap *m = open_zip(ZMAP_CREATE_NEW, &at_top);

    put(m, "a", "1");
    scratch_write(path, "mine", 4);
    assert_int_equal(zmap_sync(m), NC_EOBJECT);
    expect(m, "a", "1");
    assert_int_equal(unlink(path), 0);
    OK(zmap_sync(m)); /* the same session goes on */
    expect_seen("a", "1");
    OK(zmap_close(m, ZMAP_KEEP));
}

/* What a killed writer left is in nobody's way. */
TEST_WITH(leftovers_of_a_killed_writer_do_not_matter, set_up, tear_down)
{
    zmap *m;

    make_old();
    scratch_write(scratch_path(dir, "d.zip.nczarr.partial"), "PK\3\4x", 5);
    scratch_write(scratch_path(dir, "d.zip.nczarr-repack.partial"), path, 5);
    m = open_zip(ZMAP_OPEN_WRITE, &(ncz_zip_opts){.is_document = is_test_document, .prefix = "", .sorted = true});
    put(m, "a", "new");
    OK(zmap_close(m, ZMAP_KEEP));
    expect_seen("a", "new");
    expect_seen("g/c", "old c");
    assert_int_equal(scratch_count(dir), 1);
}

/* A file of that name that no writer of an archive left stays, whatever is opened or made beside it. */
TEST_WITH(files_of_others_stay, set_up, tear_down)
{
    static const struct {
        const char *bytes;
        size_t      len;
        bool        ours;
    } rows[] = {{"mine", 4, false}, {"CDF\1", 4, false}, {"", 0, true}, {"\0\0\0\0\0", 5, true}, {"PK\5\6", 4, true}};
    zmap  *m;
    size_t len;
    char  *bytes;

    make_old();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int how = 0; how < 2; how++) {
            const ncz_zip_opts opts = {.is_document = is_test_document, .prefix = "", .replace = true};
            int                rc;

            scratch_write(scratch_path(dir, "d.zip.nczarr.partial"), rows[i].bytes, rows[i].len);
            rc = ncz_zip_open(path, how == 0 ? ZMAP_OPEN_WRITE : ZMAP_CREATE_NEW, &opts, &m);
            assert_int_equal(rc, rows[i].ours ? NC_NOERR : NC_EEXIST);
            if (rc == NC_NOERR) {
                OK(zmap_close(m, ZMAP_DISCARD));
                continue;
            }
            bytes = scratch_read(scratch_path(dir, "d.zip.nczarr.partial"), &len);
            assert_int_equal(len, rows[i].len);
            assert_memory_equal(bytes, rows[i].bytes, len);
            free(bytes);
            assert_int_equal(unlink(scratch_path(dir, "d.zip.nczarr.partial")), 0);
            expect_seen("g/c", "old c");
        }
}

/* ---- many and large ---- */

TEST_WITH(many_entries_need_the_wide_records, set_up, tear_down)
{
    enum { N = 70001 };
    zmap  *m = open_zip(ZMAP_CREATE_NEW, &at_top);
    char   key[32];
    size_t len;
    char  *bytes;

    for (int i = 0; i < N; i++) {
        snprintf(key, sizeof key, "v/%d.%d", i / 300, i % 300);
        put(m, key, key);
    }
    OK(zmap_close(m, ZMAP_KEEP));
    bytes = scratch_read(path, &len); /* more entries than the old end record can count */
    assert_memory_equal(bytes + len - 22 - 20 - 56, "PK\006\006", 4);
    free(bytes);
    m = open_zip(ZMAP_OPEN_WRITE, &at_top);
    for (int i = 0; i < N; i += 97) {
        snprintf(key, sizeof key, "v/%d.%d", i / 300, i % 300);
        expect(m, key, key);
    }
    put(m, "v/0.0", "new");
    OK(zmap_close(m, ZMAP_KEEP));
    expect_seen("v/0.0", "new");
    expect_seen("v/233.100", "v/233.100");
}

/* Copies of nothing: a hole stays a hole, whatever the file system does. */
static ssize_t
copy_hole(int from, off_t *from_off, int to, off_t *to_off, size_t len)
{
    (void)from, (void)from_off, (void)to, (void)to_off;
    return (ssize_t)len;
}

/* Places past 4 GiB: an archive that begins with a hole of 5 GiB. */
TEST_WITH(places_past_4_gib_are_written, set_up, tear_down)
{
    static const char end[] = "PK\005\006\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    ncz_syscalls      table = ncz_system;
    FILE             *f = fopen(path, "wb");
    zmap             *m;
    struct stat       st;

    assert_int_equal(fseeko(f, (off_t)5 << 30, SEEK_SET), 0);
    assert_int_equal(fwrite(end, 1, 22, f), 22);
    assert_int_equal(fclose(f), 0);
    table.file.copy_range = copy_hole;
    zmap_file_use(&table);
    m = open_zip(ZMAP_OPEN_WRITE, &at_top);
    put(m, "far", "away");
    put(m, "v/0", "too");
    expect(m, "far", "away");
    OK(zmap_sync(m));
    zmap_file_use(NULL);
    OK(zmap_close(m, ZMAP_REVERT));
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_size > (off_t)5 << 30);
    expect_seen("far", "away");
    expect_seen("v/0", "too");
}

/* ---- memory ---- */

TEST_WITH(an_archive_in_memory_is_taken, set_up, tear_down)
{
    zmap  *m = NULL;
    void  *block = NULL, *again = NULL;
    size_t len = 0, again_len = 0;

    OK(ncz_zip_mem_open(NULL, 100, ZMAP_CREATE_NEW, &at_top, &m));
    put(m, "a", "1");
    put(m, "b/c", "2");
    OK(zmap_sync(m));
    OK(ncz_zip_mem_take(m, &block, &len));
    assert_int_equal(zmap_put(m, "late", "x", 1), NC_EPERM);
    assert_int_equal(ncz_zip_mem_take(m, &again, &again_len), NC_EPERM);
    OK(zmap_close(m, ZMAP_KEEP));

    OK(ncz_zip_mem_open(block, len, ZMAP_OPEN_READ, &at_top, &m));
    expect(m, "b/c", "2");
    OK(ncz_zip_mem_take(m, &again, &again_len));
    assert_ptr_equal(again, block);
    assert_int_equal(again_len, len);
    OK(zmap_close(m, ZMAP_KEEP));

    OK(ncz_zip_mem_open(block, len, ZMAP_OPEN_WRITE, &at_top, &m)); /* the map's now */
    OK(ncz_zip_mem_take(m, &block, &again_len));
    assert_int_equal(again_len, len); /* unchanged */
    OK(zmap_close(m, ZMAP_KEEP));

    OK(ncz_zip_mem_open(block, len, ZMAP_OPEN_WRITE, &at_top, &m));
    put(m, "d", "4");
    expect(m, "a", "1");
    OK(ncz_zip_mem_take(m, &block, &len));
    OK(zmap_close(m, ZMAP_KEEP));
    scratch_write(path, block, len);
    free(block);
    expect_seen("d", "4");
    expect_seen("b/c", "2");

    block = calloc(1, 100);
    assert_int_equal(ncz_zip_mem_open(block, 100, ZMAP_OPEN_WRITE, &at_top, &m), NC_ENOTNC);
    free(block); /* it was not taken */
}
