/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Answers that are kept and given again: what was read is what was there when it was recorded, whatever the store below
 * says since; what was not read comes from that store; failures keep their code and text; damaged records are refused.
 */
#include "zmap/zmap_record.h"

#include "support/failing_alloc.h"
#include "support/store_help.h"
#include "support/zmap_fault.h"
#include "zmap/zmap_mem.h"

#define OK(call) assert_rc(call, NC_NOERR)

static zmap *
new_store(const char *x)
{
    zmap *m = NULL;

    OK(zmap_mem_open(&m));
    put_text(m, "a/x", x);
    put_text(m, "a/b/y", "why");
    return m;
}

static void
count_done(zmap_get_req *r, void *arg)
{
    (void)r;
    (*(int *)arg)++;
}

/* All kinds of reads, behind bytes that are in the first body already. */
static void
read_all(zmap *m)
{
    char         into[8] = "";
    int          done = 0;
    zmap_get_req reqs[] = {
        {.key = "a/x", .len = ZMAP_WHOLE, .body = NCZ_BUF_LIMIT(100)},
        {.key = "a/x", .off = 2, .len = 3, .into = into, .into_cap = sizeof into},
        {.key = "a/x", .len = 2, .from_end = true, .body = NCZ_BUF_LIMIT(100)},
        {.key = "a/none", .len = ZMAP_WHOLE, .body = NCZ_BUF_LIMIT(100)},
    };

    OK(ncz_buf_append(&reqs[0].body, "> ", 2));
    OK(zmap_get_batch(m, reqs, 4, count_done, &done));
    assert_int_equal(done, 4);
    assert_string_equal(ncz_buf_str(&reqs[0].body), "> 0123456789");
    assert_int_equal(reqs[0].nread, 10);
    assert_int_equal(reqs[1].nread, 3);
    assert_memory_equal(into, "234", 4);
    assert_string_equal(ncz_buf_str(&reqs[2].body), "89");
    assert_int_equal(reqs[3].err.code, NC_EEMPTY);
    for (int i = 0; i < 4; i++)
        ncz_buf_clear(&reqs[i].body);
    expect_list(m, "a", "b/ x ");
    expect_list(m, "none", "");
}

/* The record of read_all() on a store of its own. */
static void
make_record(ncz_buf *out)
{
    zmap *inner = new_store("0123456789"), *m = NULL;

    OK(zmap_record_open(inner, &m));
    assert_string_equal(zmap_name(m), "record");
    read_all(m);
    read_all(m); /* the first answer stays; no second one */
    OK(zmap_record_take(m, out));
    assert_int_equal(ncz_buf_str(out)[0], 6);
    assert_int_equal(zmap_put(m, "a/x", "no", 2), NC_EPERM);
    OK(zmap_close(m, ZMAP_KEEP));
    expect_text(inner, "a/x", "0123456789");
    OK(zmap_close(inner, ZMAP_KEEP));
}

TEST(gives_what_was_recorded)
{
    ncz_buf      record = NCZ_BUF_INIT;
    zmap        *inner = new_store("changed since"), *m = NULL;
    char         into[2];
    zmap_get_req r = {.key = "a/x", .off = 2, .len = 3, .into = into, .into_cap = sizeof into};

    make_record(&record);
    put_text(inner, "a/none", "there now");
    put_text(inner, "a/later", "L");
    OK(zmap_replay_open(inner, ncz_buf_str(&record), record.len, &m));
    memset(record.data, 'x', record.len); /* it was copied */
    ncz_buf_clear(&record);
    read_all(m);
    expect_absent(m, "a/none");
    expect_text(m, "a/b/y", "why"); /* these three were not read then */
    expect_text(m, "a/later", "L");
    expect_list(m, "a/b", "y ");
    assert_int_equal(zmap_get_batch(m, &r, 1, NULL, NULL), NC_ETRUNC); /* less room than there was */
    assert_int_equal(zmap_put(m, "a/x", "no", 2), NC_EPERM);
    OK(zmap_close(m, ZMAP_KEEP));
    expect_text(inner, "a/x", "changed since");
    OK(zmap_close(inner, ZMAP_KEEP));
}

static int
stop_list(const char *name, bool leaf, void *arg)
{
    (void)name, (void)leaf;
    return ++*(int *)arg == 1 ? NC_ERANGE : NC_NOERR;
}

TEST(keeps_failures)
{
    zmap_fault_plan plan = {.nth = 1, .forever = true, .code = NC_EACCESS};
    ncz_buf         record = NCZ_BUF_INIT, body = NCZ_BUF_INIT;
    zmap           *faulty = NULL, *good = new_store("0123456789"), *m = NULL;
    char            text[512];
    int             calls = 0;

    OK(zmap_fault_open(new_store("0123456789"), &plan, &faulty));
    OK(zmap_record_open(faulty, &m));
    assert_int_equal(zmap_get(m, "a/x", &body), NC_EACCESS);
    snprintf(text, sizeof text, "%s", ncz_err_text());
    assert_int_equal(zmap_list(m, "a", note_child, NULL), NC_EACCESS);
    plan.nth = 0;
    assert_int_equal(zmap_list(m, "", stop_list, &calls), NC_ERANGE); /* by its reader: that is no answer */
    OK(zmap_record_take(m, &record));
    OK(zmap_close(m, ZMAP_KEEP));
    OK(zmap_close(faulty, ZMAP_KEEP));

    OK(zmap_replay_open(good, ncz_buf_str(&record), record.len, &m));
    assert_int_equal(zmap_get(m, "a/x", &body), NC_EACCESS);
    assert_string_equal(ncz_err_text(), text);
    assert_int_equal(zmap_list(m, "a", note_child, NULL), NC_EACCESS);
    expect_list(m, "", "a/ ");
    assert_int_equal(zmap_list(m, "", stop_list, &(int){0}), NC_ERANGE);
    OK(zmap_close(m, ZMAP_KEEP));
    OK(zmap_close(good, ZMAP_KEEP));
    ncz_buf_clear(&record);
    ncz_buf_clear(&body);
}

TEST(damaged_records_are_refused)
{
    ncz_buf record = NCZ_BUF_INIT;
    zmap   *inner = new_store("0123456789"), *m = NULL;

    make_record(&record);
    for (size_t len = 0; len < record.len; len++) {
        assert_int_equal(zmap_replay_open(inner, ncz_buf_str(&record), len, &m), NC_EINVAL);
        assert_non_null(strstr(ncz_err_text(), "record of documents is damaged"));
        assert_null(m);
    }
    record.data[7] = '\x7f'; /* so many answers are not there */
    assert_int_equal(zmap_replay_open(inner, record.data, record.len, &m), NC_EINVAL);
    record.data[7] = 0;
    for (size_t i = 8; i < 16; i++) /* nor so many bytes of the first one */
        record.data[i] = '\xff';
    assert_int_equal(zmap_replay_open(inner, record.data, record.len, &m), NC_EINVAL);
    ncz_buf_clear(&record);
    OK(zmap_close(inner, ZMAP_KEEP));
}

/* One answer whose version stamp has no room where stamps are kept. */
TEST(long_versions_are_refused)
{
    char    zeros[8] = "", version[ZMAP_VERSION];
    ncz_buf record = NCZ_BUF_INIT;
    zmap   *inner = new_store("0123456789"), *m = NULL;

    memset(version, 'v', sizeof version);
    OK(ncz_buf_append(&record, "\1\0\0\0\0\0\0\0", 8));
    for (int i = 0; i < 4; i++) /* request, code, text, size */
        OK(ncz_buf_append(&record, zeros, 8));
    OK(ncz_buf_append(&record, (char[]){sizeof version, 0, 0, 0, 0, 0, 0, 0}, 8));
    OK(ncz_buf_append(&record, version, sizeof version));
    OK(ncz_buf_append(&record, zeros, 8));
    assert_int_equal(zmap_replay_open(inner, record.data, record.len, &m), NC_EINVAL);
    assert_non_null(strstr(ncz_err_text(), "a version of 80 bytes"));
    ncz_buf_clear(&record);
    OK(zmap_close(inner, ZMAP_KEEP));
}

/* Records a read and a list, and reads again from the record; `arg`: the store below both. */
static int
record_and_replay(void *arg)
{
    ncz_buf record = NCZ_BUF_INIT, first = NCZ_BUF_INIT, again = NCZ_BUF_INIT;
    zmap   *m = NULL, *replay = NULL;
    int     rc;

    if ((rc = zmap_record_open(arg, &m)) == NC_NOERR && (rc = zmap_get(m, "a/x", &first)) == NC_NOERR) {
        assert_string_equal(ncz_buf_str(&first), "0123456789"); /* also where the answer cannot be kept */
        if ((rc = zmap_list(m, "a", note_child, NULL)) == NC_NOERR &&
            (rc = zmap_record_take(m, &record)) == NC_NOERR &&
            (rc = zmap_replay_open(arg, ncz_buf_str(&record), record.len, &replay)) == NC_NOERR &&
            (rc = zmap_get(replay, "a/x", &again)) == NC_NOERR) {
            assert_string_equal(ncz_buf_str(&again), "0123456789");
            rc = zmap_list(replay, "a", note_child, NULL);
        }
    }
    (void)zmap_close(replay, ZMAP_KEEP);
    (void)zmap_close(m, ZMAP_KEEP);
    ncz_buf_clear(&record);
    ncz_buf_clear(&first);
    ncz_buf_clear(&again);
    return rc;
}

TEST(without_memory)
{
    zmap  *inner = new_store("0123456789");
    bool   met = true;
    size_t refused = 0;

    for (size_t at = 1; met; at++) {
        int rc;

        fail_allocation(at);
        rc = record_and_replay(inner);
        met = end_failing();
        /* A replaying store that cannot look for an answer reads it from the store below. */
        assert_true(rc == NC_NOERR || (met && rc == NC_ENOMEM));
        refused += rc == NC_ENOMEM;
        assert_true(at < 1000);
    }
    assert_true(refused > 10);
    OK(zmap_close(inner, ZMAP_KEEP));
}
