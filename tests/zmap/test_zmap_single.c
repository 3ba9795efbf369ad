/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A store of one object: the contract of a store that is only read, over a store in memory, a file and an entry of an
 * archive; and of one that is changed in place, made, or replaced at once.
 */
#include "zmap/zmap_single.h"

#include "support/scratch.h"
#include "support/store_help.h"
#include "support/sysfault.h"
#include "zmap/file/zmap_file.h"
#include "zip/zip.h"
#include "support/zmap_fault.h"
#include "zmap/zmap_mem.h"
#include "zmap/zmap_ops.h"
#include "zmap/zmap_unfinished.h"

#include <unistd.h>
#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "support/test.h"

#define OK(call) assert_int_equal(call, NC_NOERR)

static const char object[] = "0123456789";

static void
count_done(zmap_get_req *r, void *arg)
{
    assert_string_equal(r->key, "");
    (*(int *)arg)++;
}

/* What holds of any of them. */
static void
check_store(zmap *m)
{
    char         into[4] = "";
    const char  *key = "";
    uint64_t     len = 0;
    ncz_buf      body = NCZ_BUF_INIT;
    int          done = 0;
    zmap_get_req reqs[] = {
        {.key = "", .off = 3, .len = 4, .into = into, .into_cap = sizeof into},
        {.key = "", .len = ZMAP_WHOLE, .body = NCZ_BUF_LIMIT(100)},
        {.key = "", .len = 2, .from_end = true, .body = NCZ_BUF_LIMIT(100)},
        {.key = "v", .len = ZMAP_WHOLE, .body = NCZ_BUF_LIMIT(100)},
        {.key = "", .off = 8, .len = 4, .body = NCZ_BUF_LIMIT(100)},
    };

    OK(zmap_len(m, "", &len));
    assert_int_equal(len, 10);
    assert_int_equal(zmap_len(m, "v", &len), NC_EINVAL);
    OK(zmap_get(m, "", &body));
    assert_string_equal(ncz_buf_str(&body), object);
    ncz_buf_clear(&body);

    assert_int_equal(zmap_get_batch(m, reqs, 3, count_done, &done), NC_NOERR);
    assert_int_equal(done, 3);
    assert_memory_equal(into, "3456", 4);
    assert_string_equal(ncz_buf_str(&reqs[1].body), object);
    assert_string_equal(ncz_buf_str(&reqs[2].body), "89");
    assert_int_equal(zmap_get_batch(m, &reqs[3], 2, NULL, NULL), NC_EINVAL);
    assert_int_equal(reqs[3].err.code, NC_EINVAL);
    assert_int_not_equal(reqs[4].err.code, NC_NOERR); /* past the end */
    for (int i = 0; i < 5; i++)
        ncz_buf_clear(&reqs[i].body);

    assert_string_equal(zmap_name(m), "single");
    assert_int_equal(zmap_put(m, "", "x", 1), NC_EPERM);
    assert_int_equal(zmap_put(m, "v", "x", 1), NC_EPERM);
    assert_int_not_equal(zmap_del(m, &key, 1), NC_NOERR);
    assert_int_equal(zmap_caps_of(m) & (ZMAP_CAN_WRITE | ZMAP_CAN_LIST), 0);
}

TEST(over_memory)
{
    zmap   *mem = NULL, *m = NULL;
    ncz_buf body = NCZ_BUF_INIT;

    OK(zmap_mem_open(&mem));
    assert_int_equal(zmap_single_open(mem, "../x", ZMAP_OPEN_READ, false, &m), NC_EINVAL);
    OK(zmap_single_open(zmap_ref(mem), "a/b.nc", ZMAP_OPEN_READ, false, &m));
    assert_int_equal(zmap_get(m, "", &body), NC_EEMPTY);
    assert_int_equal(zmap_len(m, "", NULL), NC_EEMPTY);
    OK(zmap_put(mem, "a/b.nc", object, 10));
    OK(zmap_put(mem, "v", "other", 5));
    check_store(m);
    OK(zmap_close(m, ZMAP_KEEP));
    OK(zmap_close(mem, ZMAP_KEEP));
    ncz_buf_clear(&body);
}

TEST(over_a_file)
{
    char *dir = scratch_new();
    zmap *m = NULL;

    scratch_write(scratch_path(dir, "f.nc"), object, 10);
    OK(zmap_single_file(scratch_path(dir, "f.nc"), ZMAP_OPEN_READ, false, &m));
    check_store(m);
    OK(zmap_close(m, ZMAP_KEEP));
    assert_int_equal(zmap_single_file(scratch_path(dir, "no/f.nc"), ZMAP_OPEN_READ, false, &m), NC_ENOOBJECT);
    assert_int_equal(zmap_single_file(scratch_path(dir, ""), ZMAP_OPEN_READ, false, &m), NC_EINVAL);
    scratch_free(dir);
}

/* ---- for writing ----------------------------------------------------------------------------------------------- */

/* A store in which an object is used as a dataset: memory, or a directory. */
typedef struct place {
    char *dir; /* NULL: memory */
    zmap *mem;
} place;

static place
new_place(bool in_memory)
{
    place p = {in_memory ? NULL : scratch_new(), NULL};

    if (in_memory)
        OK(zmap_mem_open(&p.mem));
    return p;
}

static void
free_place(place *p)
{
    OK(zmap_close(p->mem, ZMAP_KEEP));
    if (p->dir != NULL)
        scratch_free(p->dir);
}

static int
open_in(place *p, zmap_open_how how, bool replace, zmap **m)
{
    int rc;

    if (p->dir != NULL)
        return zmap_single_file(scratch_path(p->dir, "x.nc"), how, replace, m);
    if ((rc = zmap_single_open(zmap_ref(p->mem), "x.nc", how, replace, m)) != NC_NOERR)
        OK(zmap_close(p->mem, ZMAP_KEEP));
    return rc;
}

/* What others see. NULL: nothing. */
static void
expect_object_at(place *p, const char *want)
{
    zmap   *m = NULL;
    ncz_buf body = NCZ_BUF_INIT;

    OK(open_in(p, ZMAP_OPEN_READ, false, &m));
    assert_int_equal(zmap_get(m, "", &body), want != NULL ? NC_NOERR : NC_EEMPTY);
    assert_string_equal(ncz_buf_str(&body), want != NULL ? want : "");
    ncz_buf_clear(&body);
    OK(zmap_close(m, ZMAP_KEEP));
}

static int
count_child(const char *name, bool leaf, void *arg)
{
    (void)name, (void)leaf;
    ++*(size_t *)arg;
    return 0;
}

static size_t
count_objects(place *p)
{
    size_t n = 0;

    if (p->dir != NULL)
        return scratch_count(p->dir);
    OK(zmap_list(p->mem, "", count_child, &n));
    return n;
}

static void
check_writing(place *p)
{
    zmap       *m = NULL;
    uint64_t    len = 0;
    const char *key = "";

    assert_rc(open_in(p, ZMAP_OPEN_WRITE, false, &m), NC_ENOOBJECT);
    OK(open_in(p, ZMAP_CREATE_NEW, false, &m));
    expect_object_at(p, "");
    assert_rc(zmap_put_range(m, "", 2, "cd", 2), NC_NOERR);
    assert_rc(zmap_put_range(m, "", 0, "ab", 2), NC_NOERR);
    expect_object_at(p, "abcd");
    assert_rc(zmap_put_range(m, "x.nc", 0, "ab", 2), NC_EINVAL);
    assert_rc(zmap_put(m, "x.nc", "ab", 2), NC_EINVAL);
    assert_rc(zmap_rename(m, "", ""), NC_EINVAL);
    OK(zmap_sync(m));
    OK(zmap_close(m, ZMAP_KEEP));
    assert_rc(open_in(p, ZMAP_CREATE_NEW, false, &m), NC_EOBJECT);
    expect_object_at(p, "abcd");

    OK(open_in(p, ZMAP_OPEN_WRITE, false, &m));
    assert_int_not_equal(zmap_caps_of(m) & ZMAP_CAN_PUT_RANGE, 0);
    assert_rc(zmap_put_range(m, "", 4, "efgh", 4), NC_NOERR);
    OK(zmap_resize(m, "", 6));
    OK(zmap_len(m, "", &len));
    assert_int_equal(len, 6);
    OK(zmap_close(m, ZMAP_DISCARD)); /* not made by this session */
    expect_object_at(p, "abcdef");

    OK(open_in(p, ZMAP_OPEN_WRITE, false, &m));
    OK(zmap_put(m, "", "whole", 5));
    expect_object_at(p, "whole");
    OK(zmap_del(m, &key, 1));
    OK(zmap_close(m, ZMAP_KEEP));
    expect_object_at(p, NULL);

    OK(open_in(p, ZMAP_CREATE_NEW, false, &m));
    assert_rc(zmap_put_range(m, "", 0, "ab", 2), NC_NOERR);
    OK(zmap_close(m, ZMAP_DISCARD));
    assert_int_equal(count_objects(p), 0);
}

/* What is there stays until the first sync or close; then it is replaced at once. */
static void
check_replacing(place *p)
{
    zmap        *m = NULL;
    char         into[2] = "";
    int          done = 0;
    zmap_get_req r = {.key = "", .off = 1, .len = 2, .into = into, .into_cap = 2};

    OK(open_in(p, ZMAP_CREATE_NEW, true, &m)); /* nothing to replace */
    assert_rc(zmap_put_range(m, "", 0, "old one", 7), NC_NOERR);
    expect_object_at(p, NULL);
    OK(zmap_close(m, ZMAP_KEEP));
    expect_object_at(p, "old one");

    OK(open_in(p, ZMAP_CREATE_NEW, true, &m));
    assert_rc(zmap_put_range(m, "", 0, "new", 3), NC_NOERR);
    expect_object_at(p, "old one");
    assert_rc(zmap_get_batch(m, &r, 1, count_done, &done), NC_NOERR);
    assert_memory_equal(into, "ew", 2);
    assert_int_equal(done, 1);
    OK(zmap_sync(m));
    expect_object_at(p, "new");
    assert_rc(zmap_put_range(m, "", 3, "er", 2), NC_NOERR); /* in place, from now on */
    expect_object_at(p, "newer");
    OK(zmap_sync(m));
    assert_int_equal(count_objects(p), 1);
    OK(zmap_close(m, ZMAP_KEEP));

    OK(open_in(p, ZMAP_CREATE_NEW, true, &m));
    assert_rc(zmap_put_range(m, "", 0, "dropped", 7), NC_NOERR);
    OK(zmap_close(m, ZMAP_DISCARD));
    expect_object_at(p, "newer");
    assert_int_equal(count_objects(p), 1);
}

TEST(writes_memory)
{
    place p = new_place(true);

    check_writing(&p);
    check_replacing(&p);
    free_place(&p);
}

TEST(writes_a_file)
{
    place p = new_place(false);

    check_writing(&p);
    check_replacing(&p);
    free_place(&p);
}

/* A file's link is followed, and its mode stays, when the file is replaced. */
TEST(replaces_behind_a_link)
{
    char       *dir = scratch_new(), *file = strdup(scratch_path(dir, "there.nc"));
    struct stat st;
    zmap       *m = NULL;

    scratch_write(file, "old", 3);
    assert_int_equal(chmod(file, 0640), 0);
    assert_int_equal(mkdir(scratch_path(dir, "links"), 0777), 0);
    assert_int_equal(symlink("../there.nc", scratch_path(dir, "links/x.nc")), 0);
    OK(zmap_single_file(scratch_path(dir, "links/x.nc"), ZMAP_CREATE_NEW, true, &m));
    assert_rc(zmap_put_range(m, "", 0, "new", 3), NC_NOERR);
    OK(zmap_close(m, ZMAP_KEEP));
    assert_int_equal(lstat(scratch_path(dir, "links/x.nc"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    OK(zmap_single_file(file, ZMAP_OPEN_READ, false, &m));
    expect_text(m, "", "new");
    OK(zmap_close(m, ZMAP_KEEP));
    assert_int_equal(scratch_count(scratch_path(dir, "links")), 1);
    free(file);
    scratch_free(dir);
}

/* Ends a process that has begun to replace a file. */
static void
die_replacing(const char *path)
{
    pid_t child = fork();
    int   status = 0;

    if (child == 0) {
        zmap *m = NULL;

        _exit(zmap_single_file(path, ZMAP_CREATE_NEW, true, &m) != NC_NOERR);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* What a writer that died has left goes when the same file is replaced again; that of another file, and of a writer
 * that lives or is unknown, stays. */
TEST(removes_what_the_dead_left)
{
    char *dir = scratch_new(), *path = strdup(scratch_path(dir, "x.nc"));
    zmap *m = NULL, *beside = NULL;

    die_replacing(path);
    die_replacing(scratch_path(dir, "other.nc"));
    scratch_write(scratch_path(dir, ZMAP_UNFINISHED "0123456789abcdef"), "", 0);
    assert_int_equal(scratch_find(dir, ZMAP_UNFINISHED), 3);
    OK(zmap_single_file(path, ZMAP_CREATE_NEW, true, &m));
    assert_int_equal(scratch_find(dir, ZMAP_UNFINISHED), 3); /* its own came, and one went */
    OK(zmap_single_file(path, ZMAP_CREATE_NEW, true, &beside));
    assert_int_equal(scratch_find(dir, ZMAP_UNFINISHED), 4);
    OK(zmap_close(m, ZMAP_KEEP));
    OK(zmap_close(beside, ZMAP_KEEP));
    assert_int_equal(scratch_find(dir, ZMAP_UNFINISHED), 2);
    assert_true(scratch_exists(path));
    OK(zmap_single_file(scratch_path(dir, "other.nc"), ZMAP_CREATE_NEW, true, &m));
    OK(zmap_close(m, ZMAP_DISCARD));
    assert_int_equal(scratch_find(dir, ZMAP_UNFINISHED), 1);
    free(path);
    scratch_free(dir);
}

/* A file may be changed in a directory that admits no new one. */
TEST(writes_in_a_closed_directory)
{
    char *dir = scratch_new(), *sub = strdup(scratch_path(dir, "closed"));
    zmap *m = NULL;

    assert_int_equal(mkdir(sub, 0777), 0);
    scratch_write(scratch_path(dir, "closed/x.nc"), "old", 3);
    assert_int_equal(chmod(sub, 0555), 0);
    OK(zmap_single_file(scratch_path(dir, "closed/x.nc"), ZMAP_OPEN_WRITE, false, &m));
    assert_rc(zmap_put_range(m, "", 0, "new", 3), NC_NOERR);
    OK(zmap_sync(m));
    expect_text(m, "", "new");
    OK(zmap_close(m, ZMAP_KEEP));
    assert_int_equal(chmod(sub, 0777), 0);
    free(sub);
    scratch_free(dir);
}

TEST(refuses_files)
{
    char *dir = scratch_new();
    zmap *m = NULL;

    assert_int_equal(mkdir(scratch_path(dir, "d"), 0777), 0);
    scratch_write(scratch_path(dir, "d/below"), "x", 1);
    assert_int_equal(symlink("loop.nc", scratch_path(dir, "loop.nc")), 0);
    assert_rc(zmap_single_file(scratch_path(dir, "d"), ZMAP_OPEN_WRITE, false, &m), NC_EACCESS);
    assert_rc(zmap_single_file(scratch_path(dir, "d"), ZMAP_CREATE_NEW, false, &m), NC_EOBJECT);
    assert_rc(zmap_single_file(scratch_path(dir, "d"), ZMAP_CREATE_NEW, true, &m), NC_EACCESS);
    assert_rc(zmap_single_file(scratch_path(dir, "no/x.nc"), ZMAP_CREATE_NEW, true, &m), NC_ENOOBJECT);
    assert_rc(zmap_single_file(scratch_path(dir, "loop.nc"), ZMAP_CREATE_NEW, true, &m), ELOOP);
    assert_rc(zmap_single_file(scratch_path(dir, "x.partial"), ZMAP_CREATE_NEW, false, &m), NC_EINVAL);
    assert_rc(zmap_single_file("", ZMAP_OPEN_READ, false, &m), NC_EINVAL);
    assert_int_equal(scratch_count(dir), 2);
    scratch_free(dir);
}

/* What a link leads to is made there or replaced there, and the link stays. */
TEST(writes_through_links)
{
    char       *dir = scratch_new();
    struct stat st;
    zmap       *m = NULL;

    assert_int_equal(mkdir(scratch_path(dir, "d"), 0777), 0);
    assert_int_equal(symlink("d/other", scratch_path(dir, "one.nc")), 0);
    assert_int_equal(symlink("one.nc", scratch_path(dir, "two.nc")), 0);
    for (int replace = 0; replace < 2; replace++) {
        assert_rc(zmap_single_file(scratch_path(dir, "two.nc"), ZMAP_CREATE_NEW, replace, &m), NC_NOERR);
        assert_rc(zmap_put(m, "", "bytes", replace + 2), NC_NOERR);
        assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
        assert_int_equal(stat(scratch_path(dir, "d/other"), &st), 0);
        assert_int_equal(st.st_size, replace + 2);
        assert_int_equal(lstat(scratch_path(dir, "two.nc"), &st), 0);
        assert_true(S_ISLNK(st.st_mode));
    }
    assert_int_equal(scratch_count(scratch_path(dir, "d")), 1);
    scratch_free(dir);
}

/* Archives put whole objects, at the end. Their entries can be read. */
TEST(reads_an_entry)
{
    char *dir = scratch_new();
    zmap *zip = NULL, *m = NULL;

    OK(ncz_zip_open(scratch_path(dir, "a.zip"), ZMAP_CREATE_NEW, NULL, &zip));
    OK(zmap_put(zip, "in/x.nc", object, 10));
    assert_rc(zmap_single_open(zip, "in/x.nc", ZMAP_OPEN_WRITE, false, &m), NC_ENOTBUILT);
    OK(zmap_close(zip, ZMAP_KEEP));
    OK(ncz_zip_open(scratch_path(dir, "a.zip"), ZMAP_OPEN_READ, NULL, &zip));
    assert_rc(zmap_single_open(zip, "in/x.nc", ZMAP_OPEN_WRITE, false, &m), NC_EPERM);
    OK(zmap_single_open(zip, "in/x.nc", ZMAP_OPEN_READ, false, &m));
    check_store(m);
    OK(zmap_close(m, ZMAP_KEEP));
    scratch_free(dir);
}

/* Each step of a replacement may fail: the old object stays, or the new one is there. */
TEST(survives_faults)
{
    for (size_t nth = 1;; nth++) {
        zmap_fault_plan plan = {.nth = nth, .kind = ZMAP_FAULT_FAIL, .code = NC_EIO};
        zmap           *mem = NULL, *fault = NULL, *m = NULL;
        int             rc;

        OK(zmap_mem_open(&mem));
        OK(zmap_put(mem, "d/x.nc", "old", 3));
        OK(zmap_fault_open(zmap_ref(mem), &plan, &fault));
        plan.nth = nth;
        if ((rc = zmap_single_open(fault, "d/x.nc", ZMAP_CREATE_NEW, true, &m)) != NC_NOERR) {
            OK(zmap_close(fault, ZMAP_KEEP));
        } else {
            int put = zmap_put_range(m, "", 0, "new", 3);

            rc = put != NC_NOERR ? put : zmap_sync(m);
            if (rc != NC_NOERR)
                (void)zmap_close(m, ZMAP_DISCARD);
            else
                rc = zmap_close(m, ZMAP_KEEP);
        }
        if (rc == NC_NOERR) {
            expect_text(mem, "d/x.nc", "new");
            assert_true(nth > 5);
            assert_true(atomic_load(&plan.seen) < nth); /* no fault went unsaid */
        } else {
            assert_int_equal(rc, NC_EIO);
            expect_list(mem, "d", nth < 6 ? "x.nc " : "");
        }
        OK(zmap_close(mem, ZMAP_KEEP));
        if (rc == NC_NOERR)
            break;
    }
}

/* The store below: the object is renamed once somebody has chosen a name for it, and before the store looks for it. */
static const zmap_ops *real_ops;
static zmap           *to_rename;

static void
rename_now(void)
{
    zmap *m = to_rename;

    to_rename = NULL;
    if (m != NULL)
        OK(zmap_sync(m));
}

static int
get_late(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    rename_now();
    return real_ops->get(m, reqs, n, done, arg);
}

static int
len_late(zmap *m, const char *key, uint64_t *len)
{
    rename_now();
    return real_ops->len(m, key, len);
}

/* Who asks by the first name, and comes after the rename, gets what the last one leads to. */
TEST(renamed_under_way)
{
    zmap    *mem = NULL, *m = NULL;
    zmap_ops late;
    uint64_t len = 0;

    for (int asks = 0; asks < 2; asks++) {
        OK(zmap_mem_open(&mem));
        OK(zmap_put(mem, "x.nc", "old", 3));
        OK(zmap_single_open(zmap_ref(mem), "x.nc", ZMAP_CREATE_NEW, true, &m));
        assert_rc(zmap_put_range(m, "", 0, "newer", 5), NC_NOERR);
        real_ops = mem->ops;
        late = *real_ops;
        late.get = get_late;
        late.len = len_late;
        mem->ops = &late;
        to_rename = m;
        if (asks == 0) {
            OK(zmap_len(m, "", &len));
            assert_int_equal(len, 5);
        } else {
            expect_text(m, "", "newer");
        }
        assert_null(to_rename);
        mem->ops = real_ops;
        OK(zmap_close(m, ZMAP_KEEP));
        expect_text(mem, "x.nc", "newer");
        OK(zmap_close(mem, ZMAP_KEEP));
    }
}

/* ---- bytes that come from another store ---- */

enum { COPIED = 3000000 };

static const char *copied_from, *copied_to;

/* A file's middle, to the middle of another one. */
static int
copy_middle(void)
{
    zmap          *from = NULL, *to = NULL;
    zmap_source    source;
    zmap_range_req r = {.key = "", .off = 77, .len = COPIED - 1000, .from = &source};
    int            rc = zmap_single_file(copied_from, ZMAP_OPEN_READ, false, &from);

    if (rc == NC_NOERR && (rc = zmap_single_file(copied_to, ZMAP_OPEN_WRITE, false, &to)) == NC_NOERR) {
        source = (zmap_source){from, "", 1000};
        rc = zmap_put_range_batch(to, &r, 1);
    }
    (void)zmap_close(to, ZMAP_KEEP);
    (void)zmap_close(from, ZMAP_KEEP);
    return rc;
}

static void
check_middle(const char *data)
{
    size_t n;
    char  *got = scratch_read(copied_to, &n);

    assert_int_equal(n, 77 + COPIED - 1000);
    assert_memory_equal(got, "old", 3);
    assert_memory_equal(got + 77, data + 1000, COPIED - 1000);
    free(got);
}

/* What the system does not copy, is read and written. */
static bool
copies_with_failure(const void *arg, sysfault plan)
{
    int rc;

    scratch_write(copied_to, "old", 3);
    sysfault_start(plan);
    rc = copy_middle();
    sysfault_stop();
    if (rc == NC_NOERR)
        check_middle(arg);
    else if (sysfault_plan.hit != NULL && strcmp(sysfault_plan.hit, "copy_range") == 0 && !plan.forever)
        fail_msg("copy_range: %s", ncz_err_text());
    return sysfault_plan.hit != NULL;
}

TEST(copies_from_file_to_file)
{
    char *dir = scratch_new(), *data = malloc(COPIED);

    assert_non_null(data);
    for (size_t i = 0; i < COPIED; i++)
        data[i] = (char)(i * 7 + i / 251);
    copied_from = strdup(scratch_path(dir, "from.nc"));
    copied_to = strdup(scratch_path(dir, "to.nc"));
    scratch_write(copied_from, data, COPIED);
    scratch_write(copied_to, "old", 3);
    OK(copy_middle());
    check_middle(data);
    sysfault_each(copies_with_failure, data, 0, 5, 1);
    free((char *)(uintptr_t)copied_from);
    free((char *)(uintptr_t)copied_to);
    free(data);
    scratch_free(dir);
}

/* From each kind of store to each: through memory, if there is no other way. */
TEST(copies_between_stores)
{
    char       *dir = scratch_new();
    zmap       *m[3] = {NULL, NULL, NULL}, *single = NULL;
    ncz_buf     body = NCZ_BUF_INIT;
    const char *path = strdup(scratch_path(dir, "one.nc"));

    OK(zmap_mem_open(&m[0]));
    OK(zmap_file_open(scratch_path(dir, "a"), ZMAP_CREATE_NEW, &m[1]));
    OK(zmap_file_open(scratch_path(dir, "b"), ZMAP_CREATE_NEW, &m[2]));
    for (int i = 0; i < 3; i++)
        OK(zmap_put(m[i], "old", object, 10));
    for (int from = 0; from < 3; from++)
        for (int to = 0; to < 3; to++) {
            zmap_source source = {m[from], "old", 3};

            OK(zmap_copy(m[to], "d/new", &source, 4));
            OK(zmap_get(m[to], "d/new", &body));
            assert_string_equal(ncz_buf_str(&body), "3456");
            ncz_buf_clear(&body);
            source.off = 8;
            assert_int_equal(zmap_copy(m[to], "d/new", &source, 4), NC_ETRUNC);
            source.key = "none";
            assert_int_equal(zmap_copy(m[to], "d/new", &source, 4), NC_ETRUNC);
            OK(zmap_get(m[to], "d/new", &body)); /* a copy that fails leaves what is there */
            assert_string_equal(ncz_buf_str(&body), "3456");
            ncz_buf_clear(&body);
        }
    scratch_write(path, object, 10);
    OK(zmap_single_file(path, ZMAP_OPEN_READ, false, &single));
    for (int to = 0; to < 3; to++) {
        zmap_range_req reqs[3] = {{.key = "k", .data = "ab", .len = 2},
                                  {.key = "k", .off = 2, .len = 3, .from = &(zmap_source){single, "", 5}},
                                  {.key = "k", .off = 5, .data = "c", .len = 1}};

        OK(zmap_put_range_batch(m[to], reqs, 3));
        OK(zmap_get(m[to], "k", &body));
        assert_string_equal(ncz_buf_str(&body), "ab567c");
        ncz_buf_clear(&body);
    }
    OK(zmap_close(single, ZMAP_KEEP));
    for (int i = 0; i < 3; i++)
        OK(zmap_close(m[i], ZMAP_KEEP));
    free((char *)(uintptr_t)path);
    scratch_free(dir);
}

/* A file that was changed since it was opened is no source. */
TEST(copies_no_changed_file)
{
    char          *dir = scratch_new();
    const char    *path = strdup(scratch_path(dir, "from.nc"));
    zmap          *from = NULL, *to = NULL;
    zmap_source    source;
    zmap_range_req r = {.key = "", .len = 4, .from = &source};
    ncz_buf        body = NCZ_BUF_INIT;

    scratch_write(path, object, 10);
    OK(zmap_single_file(path, ZMAP_OPEN_READ, false, &from));
    zmap_pin(from);
    OK(zmap_get(from, "", &body));
    OK(zmap_single_file(scratch_path(dir, "to.nc"), ZMAP_CREATE_NEW, false, &to));
    source = (zmap_source){from, "", 2};
    OK(zmap_put_range_batch(to, &r, 1));
    scratch_write(path, "other by", 8);
    assert_int_equal(zmap_put_range_batch(to, &r, 1), NC_EIO);
    OK(zmap_close(to, ZMAP_KEEP));
    OK(zmap_close(from, ZMAP_KEEP));
    ncz_buf_clear(&body);
    free((char *)(uintptr_t)path);
    scratch_free(dir);
}
