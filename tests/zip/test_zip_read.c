/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading archives: everything that archivers write is read, and everything that liars write gives an error that
 * says what is wrong, or is not seen; never other bytes than were stored.
 */
#include "support/store_help.h"
#include "zip/zipmake.h"
#include "zmap/zmap.h"
#include "zip/zipdocs.h"
#include "zip/zip.h"

#include "support/test.h"

static zmap *
open_made(const zipmake *z, const char *prefix)
{
    zmap *m = NULL;
    int   rc = ncz_zip_mem_open(z->data, z->len, ZMAP_OPEN_READ,
                                &(ncz_zip_opts){.is_document = is_test_document, .prefix = prefix}, &m);

    if (rc != NC_NOERR)
        fail_msg("%d: %s", rc, ncz_err_text());
    return m;
}

static void
expect_failure(zmap *m, const char *key, int want, const char *says)
{
    ncz_buf body = NCZ_BUF_INIT;
    int     rc = zmap_get(m, key, &body);

    if (rc != want || (says != NULL && (strstr(ncz_err_text(), says) == NULL || strstr(ncz_err_text(), key) == NULL)))
        fail_msg("%s: %d %s, wanted %d and \"%s\"", key, rc, ncz_err_text(), want, says != NULL ? says : "");
    assert_int_equal(body.len, 0);
    ncz_buf_clear(&body);
}

/* ---- what archivers write -------------------------------------------------------------------------------------- */

static unsigned char big[300000];

static void
fill_big(void)
{
    for (size_t i = 0; i < sizeof big; i++)
        big[i] = (unsigned char)(i % 251 + i / 4000);
}

/* Every way to write one entry, each followed by another, which an error in lengths would shift. */
TEST(every_form_of_entry_is_read)
{
    static const zipmake_entry forms[] = {
        {.name = "stored"},
        {.name = "deflated", .deflate = true},
        {.name = "late", .late = true},
        {.name = "late, deflated", .late = true, .deflate = true},
        {.name = "wide", .wide = true},
        {.name = "wide, deflated", .wide = true, .deflate = true},
        {.name = "extra", .local_extra = 28},
        {.name = "extra, deflated", .local_extra = 9, .deflate = true},
        {.name = "much extra", .local_extra = 60000},
        {.name = "a/file", .mode = 0100600},
        {.name = "\xc3\xa9", .flags = 0x800},
    };
    fill_big();
    for (int wide = 0; wide < 2; wide++)
        for (size_t i = 0; i < NCZ_LEN(forms); i++) {
            zipmake       z = {0};
            zmap         *m;
            zipmake_entry e = forms[i];
            zmap_get_req  ranges[3] = {{.key = e.name, .off = 5, .len = 11},
                                       {.key = e.name, .off = 299990, .len = 10},
                                       {.key = e.name, .off = 299990, .len = 11}};

            e.data = big;
            e.len = sizeof big;
            zipmake_text(&z, "before", "first");
            zipmake_add(&z, e);
            zipmake_text(&z, "behind", "last");
            zipmake_end(&z, wide != 0, wide != 0 ? "a comment" : "");
            m = open_made(&z, NULL);
            expect_bytes(m, e.name, big, sizeof big);
            expect_bytes(m, e.name, big, sizeof big); /* with what is known by then */
            expect_text(m, "before", "first");
            expect_text(m, "behind", "last");
            assert_int_equal(zmap_get_batch(m, ranges, 3, NULL, NULL), NC_EINVAL);
            assert_memory_equal(ranges[0].body.data, big + 5, 11);
            assert_memory_equal(ranges[1].body.data, big + 299990, 10);
            assert_int_equal(ranges[2].err.code, NC_EINVAL);
            for (int k = 0; k < 3; k++)
                ncz_buf_clear(&ranges[k].body);
            assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
            zipmake_clear(&z);
        }
}

TEST(a_range_may_be_read_first)
{
    zipmake      z = {0};
    zmap        *m;
    char         into[4];
    zmap_get_req r = {.key = "k", .off = 2, .len = 4, .into = into, .into_cap = 4};

    zipmake_add(&z, (zipmake_entry){.name = "k", .data = "0123456789", .len = 10, .local_extra = 12});
    zipmake_end(&z, false, "");
    m = open_made(&z, NULL);
    assert_int_equal(zmap_get_batch(m, &r, 1, NULL, NULL), NC_NOERR);
    assert_memory_equal(into, "2345", 4);
    zmap_close(m, ZMAP_KEEP);
    zipmake_clear(&z);
}

TEST(empty_archives_and_entries_are_read)
{
    zipmake z = {0};
    zmap   *m;

    zipmake_end(&z, false, "");
    assert_int_equal(z.len, 22);
    m = open_made(&z, NULL);
    expect_list(m, "", "");
    expect_failure(m, "x", NC_EEMPTY, NULL);
    zmap_close(m, ZMAP_KEEP);
    zipmake_clear(&z);

    zipmake_add(&z, (zipmake_entry){.name = "e", .data = "", .len = 0});
    zipmake_add(&z, (zipmake_entry){.name = "d", .data = "", .len = 0, .deflate = true});
    zipmake_end(&z, false, "");
    m = open_made(&z, NULL);
    expect_text(m, "e", "");
    expect_text(m, "d", "");
    zmap_close(m, ZMAP_KEEP);
    zipmake_clear(&z);
}

/* The last entry of a name counts, as in Python. */
TEST(the_last_entry_of_a_name_counts)
{
    zipmake z = {0};
    zmap   *m;

    zipmake_text(&z, "a/k", "old");
    zipmake_text(&z, "b", "b");
    zipmake_text(&z, "a/k", "newer");
    zipmake_end(&z, false, "");
    m = open_made(&z, NULL);
    expect_text(m, "a/k", "newer");
    expect_list(m, "a", "k ");
    zmap_close(m, ZMAP_KEEP);
    zipmake_clear(&z);
}

TEST(bytes_around_an_archive_do_not_matter)
{
    zipmake z = {0}, front = {0};
    zmap   *m;

    zipmake_text(&z, "k", "text");
    zipmake_add(&z, (zipmake_entry){.name = "w", .data = "wide", .len = 4, .wide = true});
    zipmake_end(&z, true, "");
    zipmake_raw(&front, "#!/bin/sh\nexit\n", 15); /* a program before it */
    zipmake_raw(&front, z.data, z.len);
    m = open_made(&front, NULL);
    expect_text(m, "k", "text");
    expect_text(m, "w", "wide");
    zmap_close(m, ZMAP_KEEP);
    zipmake_raw(&z, "garbage behind it", 17);
    m = open_made(&z, NULL);
    expect_text(m, "k", "text");
    zmap_close(m, ZMAP_KEEP);
    zipmake_clear(&z);
    zipmake_clear(&front);

    zipmake_text(&z, "k", "text"); /* a comment that looks like the end of another archive */
    zipmake_end(&z, false, "PK\005\006 is how an archive ends, more or less");
    m = open_made(&z, NULL);
    expect_text(m, "k", "text");
    zmap_close(m, ZMAP_KEEP);
    zipmake_clear(&z);
}

/* ---- the prefix ------------------------------------------------------------------------------------------------ */

static const struct {
    const char *names[6];
    const char *prefix;
} prefixes[] = {
    {{".zgroup", "v/.zarray"}, ""},
    {{"d/.zgroup", "d/v/.zarray"}, "d/"},
    {{"d/", "d/.zgroup", "d/v/", "d/v/.zarray"}, "d/"},
    {{"path/to/d.zarr/.zgroup", "path/to/d.zarr/v/0"}, "path/to/d.zarr/"},
    {{"d/.zattrs", "d/.zgroup", "other/x"}, ""},
    {{"g/v/.zarray", "g/v/0"}, "g/v/"},   /* a lone array */
    {{"g/v/.zarray", "g/w/.zarray"}, ""}, /* groups of which no document speaks: one of them may be the root */
    {{"d/x", "d/y"}, ""},
    {{"d/zarr.json", "d/c/0"}, "d/"},
    {{"__MACOSX/d/._x", "d/.zgroup"}, "d/"},
    {{"d/.zgroup", "readme"}, ""},
    {{"../.zgroup"}, ""},
    {{"/.zgroup"}, ""},
    {{"d//.zgroup"}, ""},
};

TEST(the_prefix_of_the_dataset_is_found)
{
    for (size_t i = 0; i < NCZ_LEN(prefixes); i++) {
        zipmake z = {0};
        zmap   *m;

        for (size_t k = 0; k < 6 && prefixes[i].names[k] != NULL; k++)
            zipmake_text(&z, prefixes[i].names[k],
                         prefixes[i].names[k][strlen(prefixes[i].names[k]) - 1] == '/' ? "" : "x");
        zipmake_end(&z, false, "");
        m = open_made(&z, NULL);
        if (strcmp(ncz_zip_prefix(m), prefixes[i].prefix) != 0)
            fail_msg("%s: prefix %s, wanted %s", prefixes[i].names[0], ncz_zip_prefix(m), prefixes[i].prefix);
        zmap_close(m, ZMAP_KEEP);
        zipmake_clear(&z);
    }
}

TEST(another_dataset_can_be_chosen)
{
    zipmake z = {0};
    zmap   *m = NULL;

    zipmake_text(&z, "a/.zgroup", "A");
    zipmake_text(&z, "b/.zgroup", "B");
    zipmake_text(&z, "b/c/.zgroup", "C");
    zipmake_end(&z, false, "");
    m = open_made(&z, "b");
    expect_text(m, ".zgroup", "B");
    expect_list(m, "", ".zgroup c/ ");
    assert_int_equal(ncz_zip_others(m), 1);
    zmap_close(m, ZMAP_KEEP);
    m = open_made(&z, "b/c");
    expect_text(m, ".zgroup", "C");
    zmap_close(m, ZMAP_KEEP);
    m = open_made(&z, "");
    expect_list(m, "", "a/ b/ ");
    zmap_close(m, ZMAP_KEEP);
    assert_int_equal(ncz_zip_mem_open(z.data, z.len, ZMAP_OPEN_READ,
                                      &(ncz_zip_opts){.is_document = is_test_document, .prefix = "../b"}, &m),
                     NC_EINVAL);
    assert_int_equal(ncz_zip_mem_open(NULL, 0, ZMAP_OPEN_READ, &test_zip_opts, &m), NC_EINVAL);
    zipmake_clear(&z);
}

/* ---- liars ----------------------------------------------------------------------------------------------------- */

/* Of names that lead elsewhere or are no names nothing is seen. A link is seen, and never read. */
TEST(names_that_are_no_keys_are_not_seen)
{
    static const char *const names[] = {"../x",     "/etc/passwd", "a/../../x", "a\\b",  "..\\x", "C:\\x",
                                        "a//b",     ".",           "..",        "a/./b", "\x01",  "a\nb",
                                        "\xff\xfe", "\xc0\xaf",    "a/b/..",    "/"};
    zipmake                  z = {0};
    zmap                    *m;
    ncz_buf                  seen = NCZ_BUF_INIT;

    for (size_t i = 0; i < NCZ_LEN(names); i++)
        zipmake_text(&z, names[i], "evil");
    zipmake_add(&z, (zipmake_entry){.name = "nul\0inside", .name_len = 10, .data = "evil", .len = 4});
    zipmake_add(&z, (zipmake_entry){.name = "link", .data = "/etc/passwd", .len = 11, .mode = 0120777});
    zipmake_add(&z, (zipmake_entry){.name = "good", .data = "good", .len = 4, .mode = 0100644});
    zipmake_end(&z, false, "");
    m = open_made(&z, "");
    expect_list(m, "", "a/ good link/ "); /* the link may lead to a directory */
    expect_list(m, "a", "");
    assert_rc(zmap_list_names(m, "", note_child, &seen), NC_NOERR); /* that something is below them is seen */
    assert_string_equal(ncz_buf_str(&seen), "../ a/ good link/ ");
    ncz_buf_clear(&seen);
    expect_text(m, "good", "good");
    expect_failure(m, "nul", NC_EEMPTY, NULL);
    expect_failure(m, "link", NC_EACCESS, "link is a link, which an archive's reader does not follow");
    expect_failure(m, "link/.zarray", NC_EACCESS, "link/.zarray: link is a link");
    zmap_close(m, ZMAP_KEEP);
    zipmake_clear(&z);
}

/* Other software marks a directory by an object of its name, most of them empty. */
TEST(markers_of_directories_are_passed_over)
{
    zipmake z = {0};
    zmap   *m = NULL;
    void   *block;
    size_t  len;

    zipmake_text(&z, "d", "mark");
    zipmake_text(&z, "d/w", "");
    zipmake_text(&z, "d/w/.zarray", "document");
    zipmake_text(&z, "d/w/0", "chunk");
    zipmake_text(&z, "d/.zgroup", "root");
    zipmake_end(&z, false, "");
    m = open_made(&z, NULL); /* which finds d */
    assert_string_equal(ncz_zip_prefix(m), "d/");
    expect_list(m, "", ".zgroup w w/ ");
    expect_list(m, "w", ".zarray 0 ");
    expect_text(m, "w", "");
    expect_text(m, "w/.zarray", "document");
    expect_failure(m, "w/1", NC_EEMPTY, NULL);
    expect_failure(m, "w/0/1", NC_EACCESS, "w/0 is an object, not a prefix");
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);

    /* What is below can be changed; nothing can be put below an object that stands alone. */
    assert_non_null(block = malloc(z.len));
    memcpy(block, z.data, z.len);
    assert_rc(ncz_zip_mem_open(block, z.len, ZMAP_OPEN_WRITE, &(ncz_zip_opts){.prefix = "d"}, &m), NC_NOERR);
    put_text(m, "w/1", "new");
    assert_int_equal(zmap_put(m, "w/0/1", "x", 1), NC_EOBJECT);
    assert_rc(ncz_zip_mem_take(m, &block, &len), NC_NOERR);
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    assert_rc(ncz_zip_mem_open(block, len, ZMAP_OPEN_READ, &(ncz_zip_opts){.prefix = "d"}, &m), NC_NOERR);
    expect_list(m, "w", ".zarray 0 1 ");
    expect_text(m, "w/1", "new");
    expect_text(m, "w/.zarray", "document");
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    free(block);
    zipmake_clear(&z);
}

/* The names of a directory's entries, as they are stored. */
static bool
directory_has(const void *archive, size_t len, const char *name)
{
    char   record[128] = "";
    size_t n = strlen(name);

    for (const unsigned char *p = archive, *end = p + len - 46; p < end; p++)
        if (memcmp(p, "PK\001\002", 4) == 0 && (size_t)(p[28] | p[29] << 8) == n && p + 46 + n <= end + 46) {
            memcpy(record, p + 46, n < sizeof record ? n : sizeof record - 1);
            if (strncmp(record, name, n) == 0)
                return true;
        }
    return false;
}

/* Archivers that pack "." write "./" before each name. An entry keeps it when the archive is changed. */
TEST(names_that_begin_with_a_dot_are_kept)
{
    zipmake z = {0};
    zmap   *m = NULL;
    void   *block;
    size_t  len;

    zipmake_text(&z, "./", "");
    zipmake_text(&z, "./d/.zgroup", "root");
    zipmake_add(&z, (zipmake_entry){.name = "./d/w/.zarray", .data = "document", .len = 8, .deflate = true});
    zipmake_text(&z, "././d/w/0", "chunk");
    zipmake_text(&z, "d/w/2", "without");
    zipmake_end(&z, false, "");
    m = open_made(&z, NULL);
    assert_string_equal(ncz_zip_prefix(m), "d/");
    expect_list(m, "w", ".zarray 0 2 ");
    expect_text(m, "w/.zarray", "document");
    expect_text(m, "w/0", "chunk");
    expect_text(m, "w/2", "without");
    assert_int_equal(ncz_zip_others(m), 0);
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);

    assert_non_null(block = malloc(z.len));
    memcpy(block, z.data, z.len);
    assert_rc(ncz_zip_mem_open(block, z.len, ZMAP_OPEN_WRITE, &(ncz_zip_opts){.prefix = "d"}, &m), NC_NOERR);
    put_text(m, "w/1", "new");
    put_text(m, ".zgroup", "another");
    assert_rc(ncz_zip_mem_take(m, &block, &len), NC_NOERR);
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    assert_true(directory_has(block, len, "./d/w/.zarray"));
    assert_true(directory_has(block, len, "././d/w/0"));
    assert_true(directory_has(block, len, "d/.zgroup"));
    assert_true(directory_has(block, len, "d/w/1"));
    assert_rc(ncz_zip_mem_open(block, len, ZMAP_OPEN_READ, &(ncz_zip_opts){.prefix = "d"}, &m), NC_NOERR);
    expect_list(m, "", ".zgroup w/ ");
    expect_text(m, "w/0", "chunk");
    expect_text(m, "w/1", "new");
    expect_text(m, ".zgroup", "another");
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    free(block);
    zipmake_clear(&z);
}

/* Only where nothing is an object is absent. */
TEST(only_what_is_missing_is_absent)
{
    zipmake  z = {0};
    zmap    *m;
    uint64_t len;

    zipmake_text(&z, "v/", "");
    zipmake_text(&z, "v/0.0/", "");
    zipmake_text(&z, "v/0.1/x", "below");
    zipmake_text(&z, "v/0.2", "chunk");
    zipmake_end(&z, false, "");
    m = open_made(&z, "");
    expect_failure(m, "v/0.0", NC_EACCESS, "v/0.0: is a directory, where a file should be");
    expect_failure(m, "v/0.1", NC_EACCESS, "v/0.1: is a directory, where a file should be");
    expect_failure(m, "v/0.2/0", NC_EACCESS, "v/0.2 is an object, not a prefix");
    expect_failure(m, "v/0.3", NC_EEMPTY, NULL);
    assert_int_equal(zmap_len(m, "v", &len), NC_EEMPTY); /* a question, not a read */
    assert_int_equal(zmap_len(m, "v/0.0", &len), NC_EEMPTY);
    assert_int_equal(zmap_len(m, "v/0.2", &len), NC_NOERR);
    assert_int_equal(len, 5);
    expect_list(m, "v", "0.0/ 0.1/ 0.2 ");
    zmap_close(m, ZMAP_KEEP);
    zipmake_clear(&z);
}

/* One entry that lies; the archive opens, the entry does not read, the others do. */
TEST(entries_that_lie_are_not_read)
{
    static const struct {
        zipmake_entry e;
        int           rc;
        const char   *says;
    } lies[] = {
        {{.name = "crc", .crc_off = 1}, NC_EFILTER, "CRC"},
        {{.name = "crc, deflated", .crc_off = 1, .deflate = true}, NC_EFILTER, "CRC"},
        {{.name = "longer", .size_off = 1}, NC_EFILTER, "says"},
        {{.name = "longer, deflated", .size_off = 1, .deflate = true}, NC_EFILTER, "deflated"},
        {{.name = "shorter, deflated", .size_off = -1, .deflate = true}, NC_EFILTER, "there are more"},
        {{.name = "half, deflated", .csize_off = -20, .deflate = true}, NC_EFILTER, "end early"},
        {{.name = "bomb", .size_off = 3000000000, .deflate = true}, NC_EFILTER, "says"},
        {{.name = "broken, deflated", .method = 8}, NC_EFILTER, "deflated"},
        {{.name = "encrypted", .flags = 1}, WITH_LIBZIP ? NC_EAUTH : NC_ENOTBUILT, "encrypted (PKWARE)"},
        {{.name = "strongly", .flags = 0x41}, NC_ENOTBUILT, "encrypted (PKWARE's strong"},
        {{.name = "bzip2", .method = 12}, WITH_LIBZIP ? NC_EFILTER : NC_ENOTBUILT, "bzip2 (method 12)"},
        {{.name = "ppmd", .method = 98}, NC_ENOTBUILT, "ppmd (method 98)"},
        {{.name = "unknown", .method = 77}, NC_ENOTBUILT, "method 77"},
        {{.name = "aes", .method = 99}, NC_ENOTBUILT, "method 99"},
        {{.name = "called a", .local_name = "called b"}, NC_ENOTNC, "another name"},
        {{.name = "called", .local_name = "called longer"}, NC_ENOTNC, "another name"},
        {{.name = "elsewhere", .place_off = -1}, NC_ENOTNC, "no entry"},
        {{.name = "nearly there", .place_off = 1, .csize_off = -1, .size_off = -1}, NC_ENOTNC, "no entry"},
    };

    fill_big();
    assert_int_equal(unsetenv("NCZARR_ZIP_PASSWORD"), 0);
    for (size_t i = 0; i < NCZ_LEN(lies); i++) {
        zipmake       z = {0};
        zmap         *m;
        zipmake_entry e = lies[i].e;
        char          into[4];
        zmap_get_req  r = {.key = e.name, .off = 100, .len = 4, .into = into, .into_cap = 4};

        e.data = big;
        e.len = 4000;
        zipmake_raw(&z, "gap", 3);
        zipmake_add(&z, e);
        zipmake_raw(&z, "gap", 3);
        zipmake_text(&z, "other", "still there");
        zipmake_end(&z, false, "");
        m = open_made(&z, NULL);
        expect_failure(m, e.name, lies[i].rc, lies[i].says);
        if (e.crc_off == 0 || e.deflate) /* of a range of stored bytes no checksum speaks */
            assert_int_equal(zmap_get_batch(m, &r, 1, NULL, NULL), lies[i].rc);
        expect_text(m, "other", "still there");
        zmap_close(m, ZMAP_KEEP);
        zipmake_clear(&z);
    }
}

static void
expect_refusal(const zipmake *z, int want, const char *says)
{
    zmap *m = NULL;
    int   rc = ncz_zip_mem_open(z->data, z->len, ZMAP_OPEN_READ, &test_zip_opts, &m);

    if (rc != want || strstr(ncz_err_text(), says) == NULL)
        fail_msg("%d %s, wanted %d and \"%s\"", rc, ncz_err_text(), want, says);
}

TEST(overlapping_entries_are_refused)
{
    zipmake z = {0};

    fill_big();
    for (int i = 0; i < 50; i++) { /* all lead to one kernel, as in the bombs */
        char name[16];

        snprintf(name, sizeof name, "b/%d", i);
        if (i == 0)
            zipmake_add(&z, (zipmake_entry){.name = name, .data = big, .len = sizeof big, .deflate = true});
        else
            zipmake_add(&z, (zipmake_entry){.name = name, .data = "", .len = 0, .place_off = -(int64_t)z.len});
    }
    zipmake_end(&z, false, "");
    expect_refusal(&z, NC_ENOTNC, "overlap");
    zipmake_clear(&z);

    zipmake_text(&z, "a", "0123456789");
    zipmake_add(&z, (zipmake_entry){.name = "b", .data = "x", .len = 1, .place_off = -5});
    zipmake_end(&z, false, "");
    expect_refusal(&z, NC_ENOTNC, "overlap");
    zipmake_clear(&z);
}

/* Python rewrites names in the directory alone: how long an entry is, its local header says. */
TEST(the_local_header_tells_the_length)
{
    zipmake z = {0};
    zmap   *m;

    zipmake_text(&z, "first", "one");
    zipmake_add(&z, (zipmake_entry){.name = "a/much/longer/name", .local_name = "b", .data = "two", .len = 3});
    zipmake_text(&z, "third", "three");
    zipmake_add(&z, (zipmake_entry){.name = "another/longer/name", .local_name = "c", .data = "four", .len = 4});
    zipmake_end(&z, false, "");
    m = open_made(&z, "");
    expect_text(m, "first", "one");
    expect_text(m, "third", "three");
    expect_failure(m, "a/much/longer/name", NC_ENOTNC, "another name");
    expect_failure(m, "another/longer/name", NC_ENOTNC, "another name");
    zmap_close(m, ZMAP_KEEP);
    zipmake_clear(&z);

    zipmake_add(&z, (zipmake_entry){.name = "longer", .local_name = "b", .data = "two", .len = 3, .csize_off = 1});
    zipmake_text(&z, "next", "x");
    zipmake_end(&z, false, "");
    expect_refusal(&z, NC_ENOTNC, "overlap");
    zipmake_clear(&z);
    zipmake_add(&z, (zipmake_entry){.name = "longer", .local_name = "b", .data = "two", .len = 3, .csize_off = 1});
    zipmake_end(&z, false, "");
    expect_refusal(&z, NC_ENOTNC, "not inside");
    z.data[0] = 'Q'; /* no local header that could say */
    expect_refusal(&z, NC_ENOTNC, "not inside");
    zipmake_clear(&z);
}

/* In the directory the name is in UTF-8, before the bytes still in a code page. */
TEST(names_in_code_pages_are_read)
{
    static const struct {
        const char *name, *local_name;
        bool        utf8; /* the local header says so, too */
        bool        same;
    } cases[] = {
        {"temp\xc3\xa9rature/0", "temp\x82rature/0", false, true},
        {"\xc3\xa9\xc3\xa9", "\x82\x82", false, true},
        {"temp\xc3\xa9rature/0", "temp\x82rature/1", false, false},
        {"temp\xc3\xa9rature/0", "temp\x82rature/", false, false},
        {"temp\xc3\xa9rature/0", "temp\x82rature/0", true, false},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        zipmake z = {0};
        zmap   *m;

        zipmake_add(
            &z,
            (zipmake_entry){
                .name = cases[i].name, .local_name = cases[i].local_name, .data = "text", .len = 4, .flags = 0x800});
        if (!cases[i].utf8)
            z.data[7] = 0; /* of its flags */
        zipmake_end(&z, false, "");
        m = open_made(&z, "");
        if (cases[i].same)
            expect_text(m, cases[i].name, "text");
        else
            expect_failure(m, cases[i].name, NC_ENOTNC, "another name");
        zmap_close(m, ZMAP_KEEP);
        zipmake_clear(&z);
    }
}

/* Numbers of disks that are too wide for their fields: the wider records have them. */
TEST(archives_of_several_disks_are_refused)
{
    static const struct {
        bool        wide_end, wide_entry;
        size_t      at; /* from the end record, or of the directory record */
        bool        of_end;
        const char *says; /* NULL: it is read */
    } cases[] = {
        {true, false, 4, true, NULL},
        {true, false, 6, true, NULL},
        {false, false, 4, true, "several parts"},
        {false, false, 6, true, "several parts"},
        {false, true, 34, false, NULL},
        {false, false, 34, false, NULL},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        zipmake z = {0};
        zmap   *m;
        size_t  at;

        zipmake_add(&z, (zipmake_entry){.name = "k", .data = "text", .len = 4, .wide = cases[i].wide_entry});
        at = cases[i].of_end ? 0 : z.len + cases[i].at;
        zipmake_end(&z, cases[i].wide_end, "");
        if (cases[i].of_end)
            at = z.len - 22 + cases[i].at;
        z.data[at] = z.data[at + 1] = 0xFF;
        if (cases[i].says != NULL) {
            expect_refusal(&z, NC_ENOTNC, cases[i].says);
        } else {
            m = open_made(&z, NULL);
            expect_text(m, "k", "text");
            zmap_close(m, ZMAP_KEEP);
        }
        z.data[at] = 1;
        z.data[at + 1] = 0;
        expect_refusal(&z, NC_ENOTNC, cases[i].of_end ? "several parts" : "broken");
        zipmake_clear(&z);
    }
}

TEST(entries_outside_the_archive_are_refused)
{
    static const zipmake_entry lies[] = {
        {.name = "k", .data = "x", .len = 1, .csize_off = 60},
        {.name = "k", .data = "x", .len = 1, .csize_off = UINT32_MAX - 10},
        {.name = "k", .data = "x", .len = 1, .place_off = 10},
        {.name = "k", .data = "x", .len = 1, .place_off = UINT32_MAX - 10},
        {.name = "k", .data = "x", .len = 1, .wide = true, .place_off = -1},
        {.name = "k", .data = "x", .len = 1, .wide = true, .csize_off = -2},
        {.name = "k", .data = "x", .len = 1, .wide = true, .csize_off = INT64_MAX},
    };

    for (size_t i = 0; i < NCZ_LEN(lies); i++) {
        zipmake z = {0};

        zipmake_add(&z, lies[i]);
        zipmake_end(&z, false, "");
        expect_refusal(&z, NC_ENOTNC, "not inside");
        zipmake_clear(&z);
    }
}

/* Offset and length of the directory in the end record: it ends where the record begins. Earlier is what prepended
 * bytes do; one byte later is impossible. */
TEST(a_directory_beyond_its_record_is_refused)
{
    static const size_t places[] = {12, 16}; /* length, offset */

    for (size_t i = 0; i < NCZ_LEN(places); i++) {
        zipmake        z = {0};
        unsigned char *field;

        zipmake_text(&z, "k", "x");
        zipmake_end(&z, false, "");
        field = z.data + z.len - 22 + places[i];
        field[0]++;
        expect_refusal(&z, NC_ENOTNC, "not at the offset");
        field[0]--;
        field[3] = 0xFE;
        expect_refusal(&z, NC_ENOTNC, "not at the offset");
        zipmake_clear(&z);
    }
}

/* Cut anywhere, an archive has lost its end. */
TEST(cut_archives_are_refused)
{
    zipmake z = {0}, cut;
    zmap   *m = NULL;

    zipmake_text(&z, "a", "some text");
    zipmake_text(&z, "b", "more of it");
    zipmake_end(&z, true, "with a comment");
    cut = z;
    for (cut.len = 0; cut.len < z.len - 14; cut.len++) {
        /* An own block, so that a read past its end is seen. */
        void *block = malloc(cut.len != 0 ? cut.len : 1);

        memcpy(block, z.data, cut.len);
        assert_int_equal(ncz_zip_mem_open(block, cut.len, ZMAP_OPEN_READ, &test_zip_opts, &m), NC_ENOTNC);
        free(block);
    }
    zipmake_clear(&z);
}

/* Each byte of an archive changed: an error, or the same bytes, or (in a name, or what nobody looks at) other names.
 */
TEST(changed_bytes_never_give_other_bytes)
{
    zipmake z = {0};
    size_t  same = 0, refused = 0, bad = 0;

    zipmake_text(&z, "a", "some text");
    zipmake_add(&z, (zipmake_entry){.name = "b", .data = "more of it, and more of it", .len = 26, .deflate = true});
    zipmake_add(&z, (zipmake_entry){.name = "c", .data = "wide", .len = 4, .wide = true});
    zipmake_end(&z, true, "");
    for (size_t i = 0; i < z.len; i++)
        for (int bit = 0; bit < 8; bit++) {
            zmap *m = NULL;

            z.data[i] ^= (unsigned char)(1 << bit);
            if (ncz_zip_mem_open(z.data, z.len, ZMAP_OPEN_READ, &test_zip_opts, &m) == NC_NOERR) {
                static const char *const keys[] = {"a", "b", "c"};
                static const char *const texts[] = {"some text", "more of it, and more of it", "wide"};

                for (size_t k = 0; k < 3; k++) {
                    ncz_buf body = NCZ_BUF_LIMIT(1 << 20);

                    if (zmap_get(m, keys[k], &body) != NC_NOERR)
                        bad++;
                    else if (strcmp(ncz_buf_str(&body), texts[k]) != 0)
                        fail_msg("byte %zu bit %d: %s reads as \"%s\"", i, bit, keys[k], ncz_buf_str(&body));
                    else
                        same++;
                    ncz_buf_clear(&body);
                }
                zmap_close(m, ZMAP_KEEP);
            } else {
                refused++;
            }
            z.data[i] ^= (unsigned char)(1 << bit);
        }
    assert_true(same > 100 && refused > 100 && bad > 100);
    zipmake_clear(&z);
}

TEST(counts_that_lie_are_refused)
{
    zipmake z = {0};

    for (int n = -1; n < 2; n += 2) {
        zipmake_text(&z, "a", "x");
        zipmake_text(&z, "b", "x");
        z.count += (uint64_t)(int64_t)n;
        zipmake_end(&z, true, "");
        expect_refusal(&z, NC_ENOTNC, "entries");
        zipmake_clear(&z);
    }
    zipmake_text(&z, "a", "x");
    z.count = 20000000;
    zipmake_end(&z, true, "");
    expect_refusal(&z, NC_ENOTNC, "more entries than its directory can hold");
    zipmake_clear(&z);
}
