/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libzip as the check: what we write it finds consistent, with the same names, sizes, checksums and bytes; what it
 * writes we read and change. And libzip as what reads entries for us that are encrypted or in other methods.
 */
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include "zmap/zmap.h"
#include "zip/zipdocs.h"
#include "zip/zip.h"

#include <pthread.h>
#include <unistd.h>
#include <zip.h>
#include <zlib.h>
#include "support/test.h"

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

    assert_int_equal(
        ncz_zip_open(path, ZMAP_OPEN_READ, &(ncz_zip_opts){.is_document = is_test_document, .prefix = prefix}, &m),
        NC_NOERR);
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
change(const char *path, const ncz_zip_opts *opts)
{
    zmap *m = NULL;

    assert_int_equal(ncz_zip_open(path, ZMAP_OPEN_WRITE, opts, &m), NC_NOERR);
    put_all(m, true);
    assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

TEST(libzip_reads_our_archives)
{
    char *dir = scratch_new();

    for (size_t i = 0; i < NCZ_LEN(prefixes); i++)
        for (int sorted = 0; sorted < 2; sorted++) {
            ncz_zip_opts opts = {
                .is_document = is_test_document, .prefix = prefixes[i], .sorted = sorted != 0, .replace = true};
            const char *path = scratch_path(dir, "x.zip");
            zmap       *m = NULL;

            assert_int_equal(ncz_zip_open(path, ZMAP_CREATE_NEW, &opts, &m), NC_NOERR);
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

TEST(archives_of_libzip_are_read)
{
    static const int methods[] = {ZIP_CM_STORE, ZIP_CM_DEFLATE};
    char            *dir = scratch_new();

    for (size_t i = 0; i < NCZ_LEN(prefixes); i++)
        for (size_t k = 0; k < NCZ_LEN(methods); k++)
            for (int sorted = 0; sorted < 2; sorted++) {
                const char  *path = scratch_path(dir, "x.zip");
                ncz_zip_opts opts = {.is_document = is_test_document, .prefix = prefixes[i], .sorted = sorted != 0};

                write_with_libzip(path, prefixes[i], methods[k]);
                check_with_us(path, prefixes[i], false);
                change(path, &opts); /* with deflated entries that stay what they are */
                check_with_us(path, prefixes[i], true);
                check_with_libzip(path, prefixes[i], true);
            }
    scratch_free(dir);
}

/* ---- entries that are read through libzip ---------------------------------------------------------------------- */

#define PASSWORD "correct horse"

typedef struct form {
    int method, encryption;
} form;

static const form forms[] = {
    {ZIP_CM_BZIP2, ZIP_EM_NONE},        {ZIP_CM_XZ, ZIP_EM_NONE},
    {ZIP_CM_LZMA, ZIP_EM_NONE},         {93, ZIP_EM_NONE}, /* zstd */
    {ZIP_CM_STORE, ZIP_EM_TRAD_PKWARE}, {ZIP_CM_DEFLATE, ZIP_EM_TRAD_PKWARE},
    {ZIP_CM_BZIP2, ZIP_EM_TRAD_PKWARE}, {ZIP_CM_STORE, ZIP_EM_AES_128},
    {ZIP_CM_DEFLATE, ZIP_EM_AES_192},   {ZIP_CM_BZIP2, ZIP_EM_AES_256},
    {ZIP_CM_STORE, ZIP_EM_AES_256},
};

static bool
known(const form *f)
{
    bool all = zip_compression_method_supported(f->method, 1) != 0 &&
               (f->encryption == ZIP_EM_NONE || zip_encryption_method_supported((zip_uint16_t)f->encryption, 1) != 0);

    assert_true(all || f->method != ZIP_CM_BZIP2 || f->encryption != ZIP_EM_NONE); /* every libzip has that */
    return all;
}

/* Adds an object; the libzip at hand is told what to do to its bytes when it closes the archive. */
static void
add_entry(zip_t *z, const char *name, const void *data, size_t len, const form *f)
{
    zip_source_t *s = zip_source_buffer(z, data, len, 0);
    zip_int64_t   at;

    assert_non_null(s);
    assert_true((at = zip_file_add(z, name, s, ZIP_FL_ENC_UTF_8 | ZIP_FL_OVERWRITE)) >= 0);
    assert_int_equal(zip_set_file_compression(z, (zip_uint64_t)at, f->method, 0), 0);
    if (f->encryption != ZIP_EM_NONE)
        assert_int_equal(zip_file_set_encryption(z, (zip_uint64_t)at, (zip_uint16_t)f->encryption, PASSWORD), 0);
}

enum { LONG = 300000 };

static char text[LONG];

/* Three objects of a form beside a stored one. */
static void
write_form(const char *path, const form *f)
{
    static const form stored = {ZIP_CM_STORE, ZIP_EM_NONE};
    int               err = 0;
    zip_t            *z = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &err);

    for (size_t i = 0; i < LONG; i++)
        text[i] = (char)('a' + i % 23 * (i / 1000 % 7) % 26);
    assert_non_null(z);
    add_entry(z, "v/long", text, LONG, f);
    add_entry(z, "plain", "plain", 5, &stored);
    add_entry(z, "v/short", "0123456789", 10, f);
    add_entry(z, "v/empty", "", 0, f);
    assert_int_equal(zip_close(z), 0);
}

static void
expect_object(zmap *m, const char *key, const void *want, size_t len)
{
    ncz_buf body = NCZ_BUF_INIT;
    int     rc = zmap_get(m, key, &body);

    if (rc != NC_NOERR)
        fail_msg("%s: %d %s", key, rc, ncz_err_text());
    assert_int_equal(body.len, len);
    if (len != 0)
        assert_memory_equal(body.data, want, len);
    ncz_buf_clear(&body);
}

static void
expect_form(zmap *m)
{
    zmap_get_req ranges[2] = {{.key = "v/long", .off = 299990, .len = 10}, {.key = "v/short", .off = 3, .len = 4}};

    expect_object(m, "v/long", text, LONG);
    expect_object(m, "v/short", "0123456789", 10);
    expect_object(m, "v/empty", "", 0);
    expect_object(m, "plain", "plain", 5);
    assert_int_equal(zmap_get_batch(m, ranges, 2, NULL, NULL), NC_NOERR);
    assert_memory_equal(ranges[0].body.data, text + 299990, 10);
    assert_memory_equal(ranges[1].body.data, "3456", 4);
    ncz_buf_clear(&ranges[0].body);
    ncz_buf_clear(&ranges[1].body);
}

static zmap *
open_to_read(const char *path)
{
    zmap *m = NULL;

    assert_int_equal(
        ncz_zip_open(path, ZMAP_OPEN_READ, &(ncz_zip_opts){.is_document = is_test_document, .prefix = ""}, &m),
        NC_NOERR);
    return m;
}

/* In a file, behind other bytes, and in a block of memory. */
TEST(every_form_of_entry_is_read)
{
    char *dir = scratch_new(), *path = strdup(scratch_path(dir, "f.zip"));

    setenv("NCZARR_ZIP_PASSWORD", PASSWORD, 1);
    for (size_t i = 0; i < NCZ_LEN(forms); i++) {
        zmap  *m;
        size_t len;
        char  *block, *behind;

        if (!known(&forms[i]))
            continue;
        write_form(path, &forms[i]);
        m = open_to_read(path);
        expect_form(m);
        assert_non_null(block = scratch_read(path, &len));
        assert_int_equal(unlink(path), 0); /* it is the open file that is read, and not what has its name */
        expect_form(m);
        assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);

        behind = malloc(len + 9);
        memcpy(behind, "#!/bin/x\n", 9);
        memcpy(behind + 9, block, len);
        scratch_write(path, behind, len + 9);
        m = open_to_read(path);
        expect_form(m);
        assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
        free(behind);
        assert_int_equal(ncz_zip_mem_open(block, len, ZMAP_OPEN_READ, &test_zip_opts, &m), NC_NOERR);
        expect_form(m);
        assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
        free(block);
    }
    free(path);
    scratch_free(dir);
}

/* Fails with one of two codes; the text names the entry and what helps, and never the password. */
static void
expect_failure(zmap *m, int code, int or_code, const char *says)
{
    ncz_buf body = NCZ_BUF_INIT;
    int     rc = zmap_get(m, "v/long", &body);

    if ((rc != code && rc != or_code) || strstr(ncz_err_text(), "v/long in ") == NULL ||
        strstr(ncz_err_text(), says) == NULL || strstr(ncz_err_text(), PASSWORD) != NULL ||
        strstr(ncz_err_text(), "battery staple") != NULL)
        fail_msg("%d %s, wanted %d and \"%s\"", rc, ncz_err_text(), code, says);
    ncz_buf_clear(&body);
}

TEST(passwords_are_asked_for)
{
    char *dir = scratch_new(), *path = strdup(scratch_path(dir, "f.zip"));

    for (size_t i = 0; i < NCZ_LEN(forms); i++) {
        zmap *m;

        if (!known(&forms[i]) || forms[i].encryption == ZIP_EM_NONE)
            continue;
        write_form(path, &forms[i]);
        m = open_to_read(path);
        unsetenv("NCZARR_ZIP_PASSWORD");
        expect_failure(m, NC_EAUTH, NC_EAUTH, "set NCZARR_ZIP_PASSWORD");
        setenv("NCZARR_ZIP_PASSWORD", "", 1);
        expect_failure(m, NC_EAUTH, NC_EAUTH, "set NCZARR_ZIP_PASSWORD");
        setenv("NCZARR_ZIP_PASSWORD", "battery staple", 1);
        expect_failure(m, NC_EAUTH, NC_EFILTER, "password"); /* a wrong one may look right for a while */
        expect_object(m, "plain", "plain", 5);
        setenv("NCZARR_ZIP_PASSWORD", PASSWORD, 1);
        expect_form(m);
        assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    }
    free(path);
    scratch_free(dir);
}

/* Where an entry's local header is in an archive, and where its bytes begin. */
static size_t
local_header(const char *data, size_t len, const char *name, size_t *bytes)
{
    size_t n = strlen(name);

    for (size_t i = 0; i + 30 + n < len; i++)
        if (memcmp(data + i, "PK\003\004", 4) == 0 && (unsigned char)data[i + 26] == n &&
            memcmp(data + i + 30, name, n) == 0) {
            *bytes = i + 30 + n + (unsigned char)data[i + 28] + 256U * (unsigned char)data[i + 29];
            return i;
        }
    fail_msg("%s: no local header", name);
    return 0;
}

static size_t
directory_record(const char *data, size_t len, const char *name)
{
    size_t n = strlen(name);

    for (size_t i = 0; i + 46 + n < len; i++)
        if (memcmp(data + i, "PK\001\002", 4) == 0 && (unsigned char)data[i + 28] == n &&
            memcmp(data + i + 46, name, n) == 0)
            return i;
    fail_msg("%s: no directory record", name);
    return 0;
}

static unsigned
number_at(const char *data, size_t at)
{
    const unsigned char *p = (const unsigned char *)data + at;

    return p[0] | (unsigned)p[1] << 8 | (unsigned)p[2] << 16 | (unsigned)p[3] << 24;
}

/* Every byte of a short entry changed, its lengths told wrong: an error, or the same bytes; never others. */
TEST(damaged_entries_never_give_other_bytes)
{
    char *dir = scratch_new(), *path = strdup(scratch_path(dir, "f.zip"));

    setenv("NCZARR_ZIP_PASSWORD", PASSWORD, 1);
    for (size_t i = 0; i < NCZ_LEN(forms); i++) {
        size_t len, at, record, csize, bad = 0;
        char  *data;

        if (!known(&forms[i]))
            continue;
        write_form(path, &forms[i]);
        data = scratch_read(path, &len);
        (void)local_header(data, len, "v/short", &at);
        record = directory_record(data, len, "v/short");
        csize = number_at(data, record + 20);
        for (size_t k = 0; k < csize + 2; k++) { /* then the size, one more and one less */
            size_t  place = k < csize ? at + k : record + 24;
            char    was = data[place];
            ncz_buf body = NCZ_BUF_LIMIT(1 << 20);
            zmap   *m = NULL;

            data[place] = (char)(k < csize ? was ^ 0x10 : k == csize ? was + 1 : was - 1);
            assert_int_equal(ncz_zip_mem_open(data, len, ZMAP_OPEN_READ, &test_zip_opts, &m), NC_NOERR);
            if (zmap_get(m, "v/short", &body) != NC_NOERR) {
                bad++;
            } else {
                assert_int_equal(body.len, 10);
                assert_memory_equal(body.data, "0123456789", 10);
                assert_true(k < csize &&
                            (forms[i].encryption == ZIP_EM_NONE || forms[i].encryption == ZIP_EM_TRAD_PKWARE));
            }
            expect_object(m, "v/long", text, LONG);
            assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
            ncz_buf_clear(&body);
            data[place] = was;
        }
        assert_true(bad > csize / 2);
        free(data);
    }
    free(path);
    scratch_free(dir);
}

/* A hundred bytes that tell of gigabytes, and one that tells of fewer than come: no more is decoded than was told of.
 */
TEST(bombs_are_not_decoded)
{
    static const form     bzip2 = {ZIP_CM_BZIP2, ZIP_EM_NONE};
    static const uint32_t told[] = {0xEFFFFFFF, 0x7FFFFFFF, 20000000, 10};
    char  *dir = scratch_new(), *path = strdup(scratch_path(dir, "f.zip")), *data, *zeros = calloc(10, 1000000);
    zip_t *z = zip_open(path, ZIP_CREATE, &(int){0});
    size_t len, record;
    char   into[10];

    add_entry(z, "v/long", zeros, 10000000, &bzip2);
    assert_int_equal(zip_close(z), 0);
    data = scratch_read(path, &len);
    assert_true(len < 1000);
    record = directory_record(data, len, "v/long");
    for (size_t i = 0; i < NCZ_LEN(told); i++) {
        zmap_get_req r = {.key = "v/long", .len = ZMAP_WHOLE, .into = into, .into_cap = sizeof into};
        ncz_buf      limited = NCZ_BUF_LIMIT(1 << 20);
        zmap        *m = NULL;

        for (int k = 0; k < 4; k++)
            data[record + 24 + (size_t)k] = (char)(told[i] >> 8 * k);
        assert_int_equal(ncz_zip_mem_open(data, len, ZMAP_OPEN_READ, &test_zip_opts, &m), NC_NOERR);
        assert_int_not_equal(zmap_get_batch(m, &r, 1, NULL, NULL), NC_NOERR);
        assert_int_not_equal(zmap_get(m, "v/long", &limited), NC_NOERR);
        if (told[i] == 20000000)
            expect_failure(m, NC_EFILTER, NC_EFILTER, "less than the 20000000 bytes");
        if (told[i] == 10)
            expect_failure(m, NC_EFILTER, NC_EFILTER, "more than the 10 bytes");
        assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
        ncz_buf_clear(&limited);
    }
    free(zeros);
    free(data);
    free(path);
    scratch_free(dir);
}

/* Written to and repacked: what we do not decode stays, byte for byte, and so does what it is read with. */
TEST(entries_not_decoded_stay_byte_for_byte)
{
    char *dir = scratch_new(), *path = strdup(scratch_path(dir, "f.zip")), *much = calloc(2, 1000000);

    setenv("NCZARR_ZIP_PASSWORD", PASSWORD, 1);
    for (size_t i = 0; i < NCZ_LEN(forms); i++)
        for (int sorted = 0; sorted < 2; sorted++) {
            ncz_zip_opts opts = {.is_document = is_test_document, .prefix = "", .sorted = sorted != 0};
            size_t       len, now_len, at, bytes, now_at, entry;
            char        *before, *now;
            const char  *gone = "w/1";
            zmap        *m = NULL;

            if (!known(&forms[i]))
                continue;
            write_form(path, &forms[i]);
            before = scratch_read(path, &len);
            unsetenv("NCZARR_ZIP_PASSWORD"); /* nobody needs it for that */
            for (int turn = 0; turn < 2; turn++) {
                assert_int_equal(ncz_zip_open(path, ZMAP_OPEN_WRITE, &opts, &m), NC_NOERR);
                assert_int_equal(turn == 0 ? zmap_put(m, "w/1", much, 2000000) : zmap_del(m, &gone, 1), NC_NOERR);
                assert_int_equal(zmap_put(m, "plain", "plain", 5), NC_NOERR);
                assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
            }
            setenv("NCZARR_ZIP_PASSWORD", PASSWORD, 1);
            now = scratch_read(path, &now_len);
            assert_true(now_len < len + 1000); /* it was repacked */
            at = local_header(before, len, "v/long", &bytes);
            now_at = local_header(now, now_len, "v/long", &entry);
            entry = bytes - at + number_at(before, directory_record(before, len, "v/long") + 20);
            assert_memory_equal(now + now_at, before + at, entry);
            m = open_to_read(path);
            expect_form(m);
            assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
            {
                zip_t *z = zip_open(path, ZIP_RDONLY | ZIP_CHECKCONS, &(int){0});
                char   got[11] = "";

                assert_non_null(z); /* and others read it as before */
                zip_file_t *f = zip_fopen_encrypted(z, "v/short", 0, PASSWORD);
                assert_non_null(f);
                assert_int_equal(zip_fread(f, got, 11), 10);
                assert_string_equal(got, "0123456789");
                zip_fclose(f);
                zip_discard(z);
            }
            free(before);
            free(now);
        }
    free(much);
    free(path);
    scratch_free(dir);
}

static void *
read_often(void *arg)
{
    for (int i = 0; i < 20; i++) {
        ncz_buf body = NCZ_BUF_INIT;

        if (zmap_get(arg, i % 2 != 0 ? "v/long" : "v/short", &body) != NC_NOERR ||
            body.len != (i % 2 != 0 ? LONG : 10) ||
            memcmp(body.data, i % 2 != 0 ? text : "0123456789", body.len) != 0)
            return arg;
        ncz_buf_clear(&body);
    }
    return NULL;
}

TEST(threads_read_encoded_entries)
{
    static const form used[] = {{ZIP_CM_BZIP2, ZIP_EM_NONE}, {ZIP_CM_DEFLATE, ZIP_EM_AES_256}};
    char             *dir = scratch_new(), *path = strdup(scratch_path(dir, "f.zip"));

    setenv("NCZARR_ZIP_PASSWORD", PASSWORD, 1);
    for (size_t i = 0; i < NCZ_LEN(used); i++) {
        pthread_t threads[8];
        zmap     *m;

        if (!known(&used[i]))
            continue;
        write_form(path, &used[i]);
        m = open_to_read(path);
        for (int k = 0; k < 8; k++)
            assert_int_equal(pthread_create(&threads[k], NULL, read_often, m), 0);
        for (int k = 0; k < 8; k++) {
            void *wrong;

            assert_int_equal(pthread_join(threads[k], &wrong), 0);
            assert_null(wrong);
        }
        assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    }
    free(path);
    scratch_free(dir);
}

/* Each allocation of ours fails once: NC_ENOMEM, nothing is lost, and the next read is as if nothing had been. */
TEST(every_allocation_may_fail)
{
    static const form used[] = {{ZIP_CM_BZIP2, ZIP_EM_NONE}, {ZIP_CM_DEFLATE, ZIP_EM_AES_256}};
    char             *dir = scratch_new(), *path = strdup(scratch_path(dir, "f.zip"));

    setenv("NCZARR_ZIP_PASSWORD", PASSWORD, 1);
    for (size_t i = 0; i < NCZ_LEN(used); i++) {
        zmap *m;
        int   rc = NC_ENOMEM, n = 0;

        if (!known(&used[i]))
            continue;
        write_form(path, &used[i]);
        m = open_to_read(path);
        for (; rc != NC_NOERR; n++) {
            ncz_buf body = NCZ_BUF_INIT;

            fail_allocations_from((size_t)n + 1);
            rc = zmap_get(m, "v/long", &body);
            fail_allocation(0);
            if (rc != NC_NOERR)
                assert_int_equal(rc, NC_ENOMEM);
            ncz_buf_clear(&body);
        }
        assert_true(n > 1);
        expect_form(m);
        assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    }
    free(path);
    scratch_free(dir);
}
