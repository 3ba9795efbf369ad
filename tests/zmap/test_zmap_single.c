/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A store of one object: the contract of a store that is only read, over a store in memory and over a file.
 */
#include "zmap/zmap_single.h"

#include "support/scratch.h"
#include "zmap/zmap_mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

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

static void
over_memory(void **state)
{
    zmap   *mem = NULL, *m = NULL;
    ncz_buf body = NCZ_BUF_INIT;

    (void)state;
    OK(zmap_mem_open(&mem));
    assert_int_equal(zmap_single_open(mem, "../x", &m), NC_EINVAL);
    OK(zmap_single_open(zmap_ref(mem), "a/b.nc", &m));
    assert_int_equal(zmap_get(m, "", &body), NC_EEMPTY);
    assert_int_equal(zmap_len(m, "", NULL), NC_EEMPTY);
    OK(zmap_put(mem, "a/b.nc", object, 10));
    OK(zmap_put(mem, "v", "other", 5));
    check_store(m);
    OK(zmap_close(m, ZMAP_KEEP));
    OK(zmap_close(mem, ZMAP_KEEP));
    ncz_buf_clear(&body);
}

static void
over_a_file(void **state)
{
    char *dir = scratch_new();
    zmap *m = NULL;

    (void)state;
    scratch_write(scratch_path(dir, "f.nc"), object, 10);
    OK(zmap_single_file(scratch_path(dir, "f.nc"), &m));
    check_store(m);
    OK(zmap_close(m, ZMAP_KEEP));
    assert_int_equal(zmap_single_file(scratch_path(dir, "no/f.nc"), &m), NC_ENOOBJECT);
    assert_int_equal(zmap_single_file(scratch_path(dir, ""), &m), NC_EINVAL);
    scratch_free(dir);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(over_memory),
        cmocka_unit_test(over_a_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
