/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libzip as the check: what we write it finds consistent, with the same names, sizes, checksums and bytes; what it
 * writes we read and change.
 */
#include "zmap/scratch.h"
#include "zmap/zmap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>
#include <zlib.h>
#include <cmocka.h>

enum { OBJECTS = 300 };

static const char *const prefixes[] = {"", "data", "d\xc3\xa9/p"};

/* An object's bytes follow from its number and generation. */
static size_t
bytes_of(int i, int generation, char *out)
{
    size_t len = (size_t)(i * i % 5000);

    for (size_t k = 0; k < len; k++)
        out[k] = (char)(i * 7 + generation * 31 + (int)(k / 13));
    return len;
}

static void
key_of(int i, char out[64])
{
    snprintf(out, 64, i % 3 == 0 ? "v%d/.zarray" : "v%d/sub \xe2\x82\xac/0.%d", i, i);
}

/* Of every object its generation now: a changed one is 1, a removed one gone. */
static int
generation_of(int i)
{
    return i % 10 == 4 ? 1 : i % 10 == 7 ? -1 : 0;
}

static void
check_with_libzip(const char *path, const char *prefix, bool changed)
{
    static char want[5000], got[5000];
    int         err = 0;
    size_t      n = 0;
    zip_t      *z = zip_open(path, ZIP_RDONLY | ZIP_CHECKCONS, &err);

    if (z == NULL)
        fail_msg("libzip: error %d", err);
    for (int i = 0; i < OBJECTS; i++) {
        int         generation = changed ? generation_of(i) : 0;
        char        key[64], name[128];
        zip_stat_t  st;
        zip_file_t *f;
        size_t      len = bytes_of(i, generation, want);

        key_of(i, key);
        snprintf(name, sizeof name, "%s%s%s", prefix, prefix[0] != '\0' ? "/" : "", key);
        if (generation < 0) {
            assert_int_equal(zip_name_locate(z, name, 0), -1);
            continue;
        }
        n++;
        assert_int_equal(zip_stat(z, name, 0, &st), 0);
        assert_int_equal(st.size, len);
        assert_int_equal(st.crc, len != 0 ? crc32(0, (const Bytef *)want, (uInt)len) : 0);
        assert_non_null(f = zip_fopen(z, name, 0));
        assert_int_equal(zip_fread(f, got, sizeof got), len);
        assert_memory_equal(got, want, len);
        zip_fclose(f);
    }
    assert_int_equal(zip_get_num_entries(z, 0), n);
    zip_discard(z);
}

static void
put_all(zmap *m, bool change)
{
    static char data[5000];

    for (int i = 0; i < OBJECTS; i++) {
        char        key[64];
        const char *k = key;
        int         generation = change ? generation_of(i) : 0;

        key_of(i, key);
        if (generation < 0)
            assert_int_equal(zmap_del(m, &k, 1), NC_NOERR);
        else if (!change || generation == 1)
            assert_int_equal(zmap_put(m, key, data, bytes_of(i, generation, data)), NC_NOERR);
    }
}

static void
check_with_us(const char *path, const char *prefix, bool changed)
{
    static char want[5000];
    zmap       *m = NULL;

    assert_int_equal(zmap_zip_open(path, ZMAP_OPEN_READ, &(zmap_zip_opts){.prefix = prefix}, &m), NC_NOERR);
    for (int i = 0; i < OBJECTS; i++) {
        int     generation = changed ? generation_of(i) : 0;
        ncz_buf body = NCZ_BUF_INIT;
        char    key[64];

        key_of(i, key);
        assert_int_equal(zmap_get(m, key, &body), generation < 0 ? NC_EEMPTY : NC_NOERR);
        if (generation >= 0) {
            assert_int_equal(body.len, bytes_of(i, generation, want));
            assert_memory_equal(body.data, want, body.len);
        }
        ncz_buf_clear(&body);
    }
    assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

static void
change(const char *path, const zmap_zip_opts *opts)
{
    zmap *m = NULL;

    assert_int_equal(zmap_zip_open(path, ZMAP_OPEN_WRITE, opts, &m), NC_NOERR);
    put_all(m, true);
    assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

static void
test_ours(void **state)
{
    char *dir = scratch_new();

    (void)state;
    for (size_t i = 0; i < NCZ_LEN(prefixes); i++)
        for (int sorted = 0; sorted < 2; sorted++) {
            zmap_zip_opts opts = {.prefix = prefixes[i], .sorted = sorted != 0, .replace = true};
            const char   *path = scratch_path(dir, "x.zip");
            zmap         *m = NULL;

            assert_int_equal(zmap_zip_open(path, ZMAP_CREATE_NEW, &opts, &m), NC_NOERR);
            put_all(m, false);
            assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
            check_with_libzip(path, prefixes[i], false);
            change(path, &opts);
            check_with_libzip(path, prefixes[i], true);
            check_with_us(path, prefixes[i], true);
        }
    scratch_free(dir);
}

static void
write_with_libzip(const char *path, const char *prefix, int method)
{
    int    err = 0;
    zip_t *z = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &err);

    assert_non_null(z);
    if (prefix[0] != '\0')
        assert_true(zip_dir_add(z, prefix, ZIP_FL_ENC_UTF_8) >= 0);
    for (int i = 0; i < OBJECTS; i++) {
        char          key[64], name[128], *data = malloc(5000);
        size_t        len = bytes_of(i, 0, data);
        zip_source_t *s = zip_source_buffer(z, len != 0 ? data : NULL, len, len != 0);
        zip_int64_t   at;

        if (len == 0)
            free(data);
        key_of(i, key);
        snprintf(name, sizeof name, "%s%s%s", prefix, prefix[0] != '\0' ? "/" : "", key);
        assert_true((at = zip_file_add(z, name, s, ZIP_FL_ENC_UTF_8)) >= 0);
        assert_int_equal(zip_set_file_compression(z, (zip_uint64_t)at, method, 0), 0);
    }
    assert_int_equal(zip_close(z), 0);
}

static void
test_theirs(void **state)
{
    static const int methods[] = {ZIP_CM_STORE, ZIP_CM_DEFLATE};
    char            *dir = scratch_new();

    (void)state;
    for (size_t i = 0; i < NCZ_LEN(prefixes); i++)
        for (size_t k = 0; k < NCZ_LEN(methods); k++)
            for (int sorted = 0; sorted < 2; sorted++) {
                const char   *path = scratch_path(dir, "x.zip");
                zmap_zip_opts opts = {.prefix = prefixes[i], .sorted = sorted != 0};

                write_with_libzip(path, prefixes[i], methods[k]);
                check_with_us(path, prefixes[i], false);
                change(path, &opts); /* with deflated entries that stay what they are */
                check_with_us(path, prefixes[i], true);
                check_with_libzip(path, prefixes[i], true);
            }
    scratch_free(dir);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ours), cmocka_unit_test(test_theirs)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
