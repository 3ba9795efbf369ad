/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts in pieces that do not end well: each of their steps fails, is torn or is the last one of the process, and the
 * system refuses a write. Readers see the old object or the new one, whole, and nothing else is left for them to see.
 */
#include "support/scratch.h"
#include "support/store_help.h"
#include "zmap/file/zmap_file.h"
#include "support/zmap_fault.h"
#include "zmap/zmap_mem.h"
#include "zmap/zmap_single.h"
#include "zmap/zmap_sys.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>
#include "support/test.h"

/* begin, append, append, commit */
enum { STEPS = 4 };

static int
put_in_pieces(zmap *m, const char *key)
{
    zmap_writer *w = NULL;
    int          rc = zmap_writer_begin(m, key, &w);

    if (rc != NC_NOERR)
        return rc;
    (void)zmap_writer_append(w, "new ", 4); /* a failure comes back in the commit */
    (void)zmap_writer_append(w, "text", 4);
    return zmap_writer_commit(w, ZMAP_ALWAYS, NULL, NULL);
}

static zmap *
open_dir(const char *dir, zmap_open_how how)
{
    zmap *m = NULL;

    assert_rc(zmap_file_open(scratch_path(dir, "store"), how, &m), NC_NOERR);
    return m;
}

/* A key that is new, and one that has an object. */
static void
check_faults(zmap *inner)
{
    static const zmap_fault_kind kinds[] = {ZMAP_FAULT_FAIL, ZMAP_FAULT_LIE, ZMAP_FAULT_TORN};

    put_text(inner, "d/old", "old");
    for (size_t k = 0; k < NCZ_LEN(kinds); k++)
        for (size_t nth = 1; nth <= STEPS; nth++) {
            zmap_fault_plan plan = {.nth = nth, .kind = kinds[k], .code = NC_EIO, .kept = 2};
            zmap           *m = NULL;
            bool            done = kinds[k] == ZMAP_FAULT_LIE && nth == STEPS;

            assert_rc(zmap_fault_open(zmap_ref(inner), &plan, &m), NC_NOERR);
            assert_rc(put_in_pieces(m, "d/old"), NC_EIO);
            assert_non_null(strstr(ncz_err_text(), "planned"));
            plan.seen = 0;
            assert_rc(put_in_pieces(m, "e/f/new"), NC_EIO);
            assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
            expect_text(inner, "d/old", done ? "new text" : "old");
            expect_list(inner, "d", "old ");
            if (!done) {
                expect_list(inner, "", "d/ ");
                continue;
            }
            expect_text(inner, "e/f/new", "new text");
            assert_rc(zmap_del(inner, (const char *[]){"e/f/new"}, 1), NC_NOERR);
            put_text(inner, "d/old", "old");
        }
    assert_rc(zmap_close(inner, ZMAP_KEEP), NC_NOERR);
}

TEST(faults_leave_no_part_of_an_object)
{
    char *dir = scratch_new();
    zmap *m = NULL;

    assert_rc(zmap_mem_open(&m), NC_NOERR);
    check_faults(m);
    check_faults(open_dir(dir, ZMAP_CREATE_NEW));
    scratch_free(dir);
}

/* The process ends at each step. */
TEST(a_death_leaves_no_part_of_an_object)
{
    for (size_t nth = 1; nth <= STEPS; nth++) {
        zmap_fault_plan plan = {.nth = nth, .kind = ZMAP_FAULT_DIE};
        char           *dir = scratch_new();
        zmap           *inner = open_dir(dir, ZMAP_CREATE_NEW), *m = NULL;
        int             status = 0;
        pid_t           child;

        put_text(inner, "d/old", "old");
        if ((child = fork()) == 0) {
            if (zmap_fault_open(inner, &plan, &m) == NC_NOERR)
                (void)put_in_pieces(m, "d/old");
            _exit(0);
        }
        assert_true(child > 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 137);
        expect_text(inner, "d/old", "old");
        expect_list(inner, "d", "old ");
        assert_rc(zmap_close(inner, ZMAP_KEEP), NC_NOERR);
        m = open_dir(dir, ZMAP_OPEN_WRITE);
        expect_list(m, "d", "old ");
        assert_rc(put_in_pieces(m, "d/old"), NC_NOERR);
        expect_text(m, "d/old", "new text");
        assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
        scratch_free(dir);
    }
}

static int writes_left;

static ssize_t
write_some(int fd, const void *data, size_t len)
{
    if (writes_left-- > 0)
        return ncz_system.file.write(fd, data, len);
    errno = ENOSPC;
    return -1;
}

TEST(a_full_disk_leaves_no_part_of_an_object)
{
    char        *dir = scratch_new();
    zmap        *m = open_dir(dir, ZMAP_CREATE_NEW);
    ncz_syscalls table = ncz_system;

    table.file.write = write_some;
    zmap_file_use(&table);
    for (int most = 0; most < 2; most++) {
        writes_left = most;
        assert_rc(put_in_pieces(m, "d/e/new"), ENOSPC);
        assert_non_null(strstr(ncz_err_text(), "d/e/new"));
        assert_int_equal(scratch_count(scratch_path(dir, "store")), 0); /* no temporary, no directory */
    }
    zmap_file_use(NULL);
    assert_rc(put_in_pieces(m, "d/e/new"), NC_NOERR);
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    scratch_free(dir);
}

/* One object of another store, also one that gets its key later. */
TEST(a_single_object_is_appended_to)
{
    zmap *mem = NULL, *m = NULL;

    assert_rc(zmap_mem_open(&mem), NC_NOERR);
    assert_rc(zmap_single_open(zmap_ref(mem), "a/f", ZMAP_CREATE_NEW, false, &m), NC_NOERR);
    assert_true((zmap_caps_of(m) & ZMAP_CAN_APPEND) != 0);
    assert_rc(put_in_pieces(m, ""), NC_NOERR);
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    expect_text(mem, "a/f", "new text");

    put_text(mem, "a/f", "old");
    for (int between = 0; between < 2; between++) {
        zmap_writer *w = NULL;

        put_text(mem, "a/f", "old");
        assert_rc(zmap_single_open(zmap_ref(mem), "a/f", ZMAP_CREATE_NEW, true, &m), NC_NOERR);
        assert_rc(zmap_writer_begin(m, "", &w), NC_NOERR);
        assert_rc(zmap_writer_append(w, "newer", 5), NC_NOERR);
        if (between == 1)
            assert_rc(zmap_sync(m), NC_NOERR); /* the object has its own key from here on */
        assert_rc(zmap_writer_commit(w, ZMAP_ALWAYS, NULL, NULL), NC_NOERR);
        expect_text(mem, "a/f", between == 1 ? "newer" : "old");
        assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
        expect_text(mem, "a/f", "newer");
        expect_list(mem, "a", "f ");
    }
    assert_rc(zmap_close(mem, ZMAP_KEEP), NC_NOERR);
}
