/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Repositories of Icechunk's own writer (tests/data/icechunk) as stores: what is read and listed, versions, history;
 * each byte of each file changed; files that are missing, too large or of another kind; memory that runs out.
 */
#include "icechunk/icechunk_int.h"

#include "support/failing_alloc.h"
#include "support/store_help.h"
#include "references/references.h"
#include "zmap/file/zmap_file.h"
#include "zmap/zmap_mem.h"

#include <stdlib.h>
#include <string.h>
#include "support/test.h"

static zmap *
open_base(const char *name)
{
    char *path = ncz_sprintf("%s/icechunk/%s", NCZ_TEST_DATA, name);
    zmap *base = NULL;

    assert_rc(zmap_file_open(path, ZMAP_OPEN_READ, &base), NC_NOERR);
    ncz_free(path);
    return base;
}

static zmap *
open_version(const char *name, const ncz_icechunk_version *version)
{
    zmap *base = open_base(name), *m = NULL;

    assert_rc(ncz_icechunk_open(base, name, version, NULL, &m), NC_NOERR);
    return m;
}

static zmap *
open_store(const char *name)
{
    return open_version(name, &(ncz_icechunk_version){.branch = NULL});
}

static void
expect_chunk(zmap *m, const char *key, size_t len)
{
    ncz_buf  body = NCZ_BUF_INIT;
    uint64_t size = 0;

    assert_rc(zmap_get(m, key, &body), NC_NOERR);
    assert_int_equal(body.len, len);
    assert_rc(zmap_len(m, key, &size), NC_NOERR);
    assert_int_equal(size, len);
    ncz_buf_clear(&body);
}

/* ---- what is read ---------------------------------------------------------------------------------------------- */

static int
count_key(const char *key, uint64_t size, void *arg)
{
    (void)key, (void)size;
    ++*(size_t *)arg;
    return 0;
}

static size_t
count_keys(zmap *m, const char *prefix)
{
    size_t n = 0;

    assert_rc(zmap_walk(m, prefix, count_key, &n), NC_NOERR);
    return n;
}

TEST(documents_and_chunks_are_objects)
{
    static const char *const names[] = {"spec1", "spec2", "split"};

    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        zmap *m = open_store(names[i]);

        assert_string_equal(zmap_name(m), "icechunk");
        assert_true(ncz_icechunk_is(m));
        expect_list(m, "", "scalar/ small/ sub/ temp/ zarr.json ");
        expect_list(m, "sub", "deep/ zarr.json ");
        expect_list(m, "small", "c/ zarr.json ");
        expect_list(m, "small/c", "0 1 ");
        expect_list(m, "temp/c/2", "0 1 ");
        expect_list(m, "scalar", "c zarr.json ");
        expect_list(m, "su", "");
        assert_int_equal(count_keys(m, ""), 6 + 1 + 2 + 6 + 1);
        assert_int_equal(count_keys(m, "temp"), 7);
        assert_int_equal(count_keys(m, "temp/c/1"), 2);
        assert_int_equal(count_keys(m, "sub"), 3);
        expect_chunk(m, "scalar/c", 17);
        expect_absent(m, "temp/c/0/2");
        expect_absent(m, "temp/c/0");
        expect_absent(m, "temp/c/00/1");
        expect_absent(m, "temp/c/0/99999999999999999999");
        expect_absent(m, "sub/deep/c/1");
        expect_absent(m, "other/zarr.json");
        expect_absent(m, "zarr.json/zarr.json");
        assert_rc(zmap_get(m, "sub", &(ncz_buf){.data = NULL}), NC_EACCESS);
        assert_rc(zmap_put(m, "x", "y", 1), NC_EPERM);
        assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    }
}

TEST(a_batch_reads_its_manifests_together)
{
    zmap        *m = open_store("split");
    const char  *keys[] = {"temp/c/0/0", "temp/c/0/1", "temp/c/2/1", "small/c/1", "temp/c/1/1", "temp/c/0/2"};
    zmap_get_req r[NCZ_LEN(keys)];

    for (size_t i = 0; i < NCZ_LEN(keys); i++)
        r[i] = (zmap_get_req){.key = keys[i], .len = ZMAP_WHOLE};
    assert_rc(zmap_get_batch(m, r, NCZ_LEN(keys), NULL, NULL), NC_NOERR);
    for (size_t i = 0; i < NCZ_LEN(keys); i++) {
        assert_int_equal(r[i].err.code, i < 5 ? NC_NOERR : NC_EEMPTY);
        assert_true((r[i].body.len > 0) == (i < 5));
        ncz_buf_clear(&r[i].body);
    }
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

/* ---- versions -------------------------------------------------------------------------------------------------- */

static void
refuse_version(const char *name, ncz_icechunk_version version, int want)
{
    zmap *base = open_base(name), *m = NULL;

    assert_rc(ncz_icechunk_open(base, name, &version, NULL, &m), want);
    assert_null(m);
    assert_rc(zmap_close(base, ZMAP_KEEP), NC_NOERR);
}

/* The id of the tag "v1", and how many entries there are of each kind. */
typedef struct history {
    char     tagged[NCZ_ICE_ID_TEXT];
    unsigned n[3];
    ncz_buf  messages;
} history;

static int
note_entry(const ncz_icechunk_entry *e, void *arg)
{
    history *h = arg;

    h->n[e->kind]++;
    if (e->kind == NCZ_ICECHUNK_TAG) {
        assert_string_equal(e->name, "v1");
        memcpy(h->tagged, e->id, NCZ_ICE_ID_TEXT);
    }
    if (e->kind == NCZ_ICECHUNK_SNAPSHOT) {
        assert_true(e->time_us > 1700000000000000);
        return ncz_buf_printf(&h->messages, "%s;", e->message);
    }
    return 0;
}

TEST(versions_are_chosen)
{
    static const char *const names[] = {"spec1", "spec2"};

    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        zmap                *base = open_base(names[i]), *m;
        history              h = {.messages = NCZ_BUF_INIT};
        ncz_icechunk_version newest = {.branch = NULL};

        assert_rc(ncz_icechunk_log(base, names[i], &newest, note_entry, &h), NC_NOERR);
        assert_int_equal(h.n[NCZ_ICECHUNK_BRANCH], 2);
        assert_int_equal(h.n[NCZ_ICECHUNK_TAG], 1);
        assert_int_equal(h.n[NCZ_ICECHUNK_SNAPSHOT], 3);
        assert_string_equal(ncz_buf_str(&h.messages), "second;first;Repository initialized;");
        ncz_buf_clear(&h.messages);
        assert_rc(zmap_close(base, ZMAP_KEEP), NC_NOERR);
        m = open_version(names[i], &(ncz_icechunk_version){.snapshot = h.tagged});
        expect_chunk(m, "small/c/0", 17);
        assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
        m = open_version(names[i], &(ncz_icechunk_version){.branch = "dev"});
        assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
        m = open_version(names[i], &(ncz_icechunk_version){.tag = "v1"});
        assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
        refuse_version(names[i], (ncz_icechunk_version){.tag = "gone"}, NC_ENOOBJECT);
        refuse_version(names[i], (ncz_icechunk_version){.branch = "other"}, NC_ENOOBJECT);
        refuse_version(names[i], (ncz_icechunk_version){.branch = "../../x"}, NC_ENOOBJECT);
        refuse_version(names[i], (ncz_icechunk_version){.snapshot = "0000000000000000000G"}, NC_ENOOBJECT);
        refuse_version(names[i], (ncz_icechunk_version){.snapshot = "short"}, NC_EINVAL);
        refuse_version(names[i], (ncz_icechunk_version){.branch = "a", .tag = "b"}, NC_EINVAL);
    }
    refuse_version("..", (ncz_icechunk_version){.branch = NULL}, NC_EEMPTY);
    refuse_version("..", (ncz_icechunk_version){.tag = "v1"}, NC_EEMPTY);
}

/* ---- chunks that lie elsewhere --------------------------------------------------------------------------------- */

/* Locations are read, compressed ones too, and are told; in memory nothing may be reached. */
TEST(places_of_chunks_are_named)
{
    static const struct {
        const char *name, *key, *place, *url;
        uint64_t    off, len;
    } rows[] = {
        {"places", "v/c/0", "s3://some-bucket/data/file-0000.bin", "s3://some-bucket/data/file-0000.bin", 0, 8},
        {"places", "v/c/1198", "s3://some-bucket/data/file-1198.bin", "s3://some-bucket/data/file-1198.bin", 9584, 8},
        {"places", "v/c/1199", "vcc://bucket/file-1199.bin", "s3://some-bucket/data/file-1199.bin", 9592, 8},
        {"places1", "v/c/0", "s3://some-bucket/data/a.bin", "s3://some-bucket/data/a.bin", 4, 8}};

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        zmap    *m = open_store(rows[i].name);
        ncz_buf  body = NCZ_BUF_INIT, where = NCZ_BUF_INIT;
        uint64_t off, len;

        assert_rc(zmap_get(m, rows[i].key, &body), NC_EAUTH);
        if (strstr(ncz_err_text(), rows[i].place) == NULL)
            fail_msg("\"%s\" lacks %s", ncz_err_text(), rows[i].place);
        assert_rc(ncz_references_where(m, rows[i].key, &where, &off, &len), NC_NOERR);
        assert_string_equal(ncz_buf_str(&where), rows[i].url);
        assert_true(off == rows[i].off && len == rows[i].len);
        ncz_buf_clear(&where);
        assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    }
}

TEST(other_objects_have_no_place_elsewhere)
{
    static const struct {
        const char *name, *key;
        int         want;
    } rows[] = {{"spec2", "zarr.json", NC_NOERR},   {"spec2", "temp/c/0/1", NC_NOERR},
                {"spec2", "scalar/c", NC_NOERR},    {"spec2", "temp/c/9/9", NC_EEMPTY},
                {"spec2", "none", NC_EEMPTY},       {"spec2", "temp", NC_EACCESS},
                {"places", "v/zarr.json", NC_NOERR}};

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        zmap    *m = open_store(rows[i].name);
        ncz_buf  where = NCZ_BUF_INIT;
        uint64_t off, len;

        assert_rc(ncz_references_where(m, rows[i].key, &where, &off, &len), rows[i].want);
        assert_true(where.len == 0 && off == 0 && len == ZMAP_WHOLE);
        assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    }
}

/* What is read is counted, beside what is read elsewhere. */
TEST(what_is_read_is_counted)
{
    char       *path = ncz_sprintf("%s/icechunk/spec2", NCZ_TEST_DATA);
    zmap       *base = open_base("spec2"), *m = NULL;
    ncz_places *places = NULL;
    ncz_target *t = NULL;
    ncz_buf     body = NCZ_BUF_INIT;
    zmap_stats  stats;

    assert_rc(ncz_target_parse(path, false, &t), NC_NOERR);
    assert_rc(ncz_places_open(t, &places), NC_NOERR);
    assert_rc(ncz_icechunk_open(base, path, &(ncz_icechunk_version){.branch = NULL}, places, &m), NC_NOERR);
    ncz_places_unref(places);
    ncz_target_free(t);
    assert_rc(zmap_get(m, "zarr.json", &body), NC_NOERR);
    zmap_stats_of(m, &stats);
    assert_true(stats.gets == 1 && stats.bytes_read == body.len);
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    ncz_buf_clear(&body);
    ncz_free(path);
}

/* ---- damage ---------------------------------------------------------------------------------------------------- */

static int
copy_object(const char *key, uint64_t size, void *arg)
{
    zmap  **both = arg;
    ncz_buf body = NCZ_BUF_INIT;
    int     rc = zmap_get(both[0], key, &body);

    (void)size;
    if (rc == NC_NOERR)
        rc = zmap_put(both[1], key, ncz_buf_str(&body), body.len);
    ncz_buf_clear(&body);
    return rc;
}

/* A copy in memory whose files are not compressed, so that a byte that is changed gets through to the readers. */
static int
copy_plain(const char *key, uint64_t size, void *arg)
{
    static const struct {
        const char  *prefix;
        ncz_ice_kind kind;
    } kinds[] = {{"snapshots/", NCZ_ICE_SNAPSHOT}, {"manifests/", NCZ_ICE_MANIFEST}, {"repo", NCZ_ICE_REPO}};
    zmap       **both = arg;
    ncz_buf      raw = NCZ_BUF_INIT;
    ncz_ice_file file = NCZ_ICE_FILE_INIT;
    int          rc = copy_object(key, size, arg);

    for (size_t i = 0; i < NCZ_LEN(kinds); i++)
        if (strncmp(key, kinds[i].prefix, strlen(kinds[i].prefix)) == 0) {
            assert_rc(zmap_get(both[0], key, &raw), NC_NOERR);
            assert_rc(ncz_ice_file_read(&raw, kinds[i].kind, key, &file), NC_NOERR);
            raw.len = 39;
            raw.data[38] = 0;
            assert_rc(ncz_buf_append(&raw, file.bytes.data, file.bytes.len), NC_NOERR);
            rc = zmap_put(both[1], key, raw.data, raw.len);
            ncz_buf_clear(&raw);
            ncz_ice_file_clear(&file);
        }
    return rc;
}

static zmap *
copy_base(const char *name, zmap_walk_fn copy)
{
    zmap *both[2] = {open_base(name), NULL};

    assert_rc(zmap_mem_open(&both[1]), NC_NOERR);
    assert_rc(zmap_walk(both[0], "", copy, both), NC_NOERR);
    assert_rc(zmap_close(both[0], ZMAP_KEEP), NC_NOERR);
    return both[1];
}

static int
get_key(const char *key, uint64_t size, void *arg)
{
    ncz_buf body = NCZ_BUF_LIMIT(1 << 20);

    (void)size;
    (void)zmap_get(arg, key, &body);
    ncz_buf_clear(&body);
    return 0;
}

static int
ignore_entry(const ncz_icechunk_entry *e, void *arg)
{
    (void)e, (void)arg;
    return 0;
}

/* Reads all that there is, whatever comes of it. */
static void
read_all(zmap *base)
{
    static const ncz_icechunk_version newest = {.branch = NULL};
    zmap                             *m = NULL;

    if (ncz_icechunk_open(base, "changed", &newest, NULL, &m) == NC_NOERR) {
        (void)zmap_ref(base);
        (void)zmap_walk(m, "", get_key, m);
        (void)zmap_list(m, "temp", note_child, NULL);
        get_key("temp/c/0/0", 0, m);
        get_key("v/c/7", 0, m);
        (void)zmap_close(m, ZMAP_KEEP);
    }
    (void)ncz_icechunk_log(base, "changed", &newest, ignore_entry, NULL);
}

typedef struct changing {
    zmap    *base;
    unsigned step; /* between the bytes that are changed */
} changing;

static int
change_each_byte(const char *key, uint64_t size, void *arg)
{
    static const unsigned char with[] = {0xff, 0x01, 0x80};
    const changing            *c = arg;
    ncz_buf                    good = NCZ_BUF_INIT;

    (void)size;
    assert_rc(zmap_get(c->base, key, &good), NC_NOERR);
    for (size_t i = 0; i < good.len; i += c->step) {
        char was = good.data[i];

        good.data[i] = (char)((unsigned char)was ^ with[i % NCZ_LEN(with)]);
        assert_rc(zmap_put(c->base, key, good.data, good.len), NC_NOERR);
        read_all(c->base);
        good.data[i] = was;
    }
    for (size_t n = 0; n < good.len; n += 13 * c->step) {
        assert_rc(zmap_put(c->base, key, good.data, n), NC_NOERR);
        read_all(c->base);
    }
    assert_rc(zmap_put(c->base, key, good.data, good.len), NC_NOERR);
    ncz_buf_clear(&good);
    return 0;
}

static void
change_all(const char *name, zmap_walk_fn copy, unsigned step)
{
    changing c = {.base = copy_base(name, copy), .step = step};

    assert_rc(zmap_walk(c.base, "", change_each_byte, &c), NC_NOERR);
    assert_rc(zmap_close(c.base, ZMAP_KEEP), NC_NOERR);
}

TEST(no_changed_byte_is_read_past)
{
    change_all("spec1", copy_object, 1);
    change_all("spec2", copy_object, 1);
    change_all("spec1", copy_plain, 1);
    change_all("spec2", copy_plain, 1);
    change_all("split", copy_plain, 3);
    change_all("places1", copy_plain, 1);
}

static int
break_first(const char *key, uint64_t size, void *arg)
{
    (void)size;
    assert_rc(zmap_put(arg, key, "broken", 6), NC_NOERR);
    return 1;
}

/* Of "split", `temp` has several manifests. */
TEST(a_broken_manifest_costs_its_chunks_only)
{
    static const ncz_icechunk_version newest = {.branch = NULL};
    static const char *const          keys[] = {"temp/c/0/0", "temp/c/1/1", "temp/c/2/0",  "temp/c/2/1",
                                                "small/c/0",  "scalar/c",   "sub/deep/c/0"};
    zmap                             *base = copy_base("split", copy_object), *m = NULL;
    size_t                            good = 0;

    assert_int_equal(zmap_walk(base, "manifests", break_first, base), 1);
    assert_rc(ncz_icechunk_open(base, "broken", &newest, NULL, &m), NC_NOERR);
    for (size_t i = 0; i < NCZ_LEN(keys); i++) {
        ncz_buf body = NCZ_BUF_INIT;
        int     rc = zmap_get(m, keys[i], &body);

        good += rc == NC_NOERR;
        assert_true(rc == NC_NOERR || (rc == NC_EZARRMETA && strstr(ncz_err_text(), "broken: manifests/") != NULL));
        ncz_buf_clear(&body);
    }
    assert_true(good >= NCZ_LEN(keys) - 3);
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

static void
put2(ncz_buf *b, unsigned v)
{
    const char bytes[2] = {(char)v, (char)(v >> 8)};

    assert_rc(ncz_buf_append(b, bytes, 2), NC_NOERR);
}

static void
put4(ncz_buf *b, uint32_t v)
{
    put2(b, v & 0xFFFF);
    put2(b, v >> 16);
}

/* n offsets to what follows them. */
static void
put_list(ncz_buf *b, uint32_t n)
{
    put4(b, n);
    for (uint32_t i = 0; i < n; i++)
        put4(b, (n - i) * 4);
}

/*
 * A snapshot whose nodes are all one, and its manifests, too: 20,000 nodes with 20,000 manifests each in 160 kB.
 */
TEST(lists_that_overlap_are_refused)
{
    static const char head[] = "ICE\xF0\x9F\xA7\x8A"
                               "CHUNK"
                               "ic-2.3.0                ";
    const uint32_t    n = 20000;
    ncz_buf           b = NCZ_BUF_INIT;
    ncz_ice_file      file = NCZ_ICE_FILE_INIT;
    ncz_ice_snapshot  s;

    assert_rc(ncz_buf_append(&b, head, 36), NC_NOERR);
    assert_rc(ncz_buf_append(&b, "\2\1\0", 3), NC_NOERR);
    put4(&b, 48);                                                      /* root */
    put2(&b, 10), put2(&b, 20), put2(&b, 8), put2(&b, 0), put2(&b, 4); /* at 4: a snapshot's fields */
    put2(&b, 14), put2(&b, 28), put2(&b, 4), put2(&b, 12), put2(&b, 16), put2(&b, 24),
        put2(&b, 20);                                                      /* at 14: a node's */
    put2(&b, 10), put2(&b, 8), put2(&b, 0), put2(&b, 0), put2(&b, 4);      /* at 28: an array's */
    put2(&b, 6), put2(&b, 16), put2(&b, 4), put2(&b, 0), put2(&b, 0);      /* at 38: a manifest's */
    put4(&b, 48 - 4), put4(&b, 16), put4(&b, 1), put4(&b, 2), put4(&b, 3); /* at 48: the snapshot */
    put_list(&b, n);
    put4(&b, (uint32_t)b.len - 39 - 14), put4(&b, 1), put4(&b, 2); /* the node, its id */
    put4(&b, 16), put4(&b, 20), put4(&b, 24), put4(&b, 1);         /* path, document, array, kind */
    put4(&b, 2), put2(&b, 0x612F), put2(&b, 0);                    /* "/a" */
    put4(&b, 2), put2(&b, 0x7D7B), put2(&b, 0);                    /* "{}" */
    put4(&b, (uint32_t)b.len - 39 - 28), put4(&b, 4);              /* the array */
    put_list(&b, n);
    put4(&b, (uint32_t)b.len - 39 - 38), put4(&b, 1), put4(&b, 2), put4(&b, 3); /* the manifest, its id */
    assert_rc(ncz_ice_file_read(&b, NCZ_ICE_SNAPSHOT, "snapshot", &file), NC_NOERR);
    assert_rc(ncz_ice_snapshot_read(&file, "snapshot", &s), NC_EZARRMETA);
    if (strstr(ncz_err_text(), "overlap") == NULL)
        fail_msg("%s", ncz_err_text());
    ncz_buf_clear(&b);
}

/* A snapshot of a few kilobytes that claims to be 600 MiB of zeros: blocks of one repeated byte. */
TEST(a_file_that_grows_too_much_is_refused)
{
    static const unsigned char        frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58}; /* no size; a window of 2 MiB */
    static const unsigned char        zeros[] = {0x02, 0x00, 0x10, 0x00};             /* 128 KiB of one byte */
    static const ncz_icechunk_version newest = {.branch = NULL};
    zmap                             *base = copy_base("spec2", copy_object), *m = NULL;
    ncz_buf                           bomb = NCZ_BUF_INIT;

    assert_rc(zmap_get(base, "repo", &bomb), NC_NOERR);
    bomb.len = 39;
    assert_rc(ncz_buf_append(&bomb, frame, sizeof frame), NC_NOERR);
    for (size_t i = 0; i < 600 * 8; i++)
        assert_rc(ncz_buf_append(&bomb, zeros, sizeof zeros), NC_NOERR);
    assert_rc(zmap_put(base, "repo", bomb.data, bomb.len), NC_NOERR);
    assert_rc(ncz_icechunk_open(base, "bomb", &newest, NULL, &m), NC_EZARRMETA);
    assert_non_null(strstr(ncz_err_text(), "too many"));
    ncz_buf_clear(&bomb);
    assert_rc(zmap_close(base, ZMAP_KEEP), NC_NOERR);
}

static void
refuse_header(size_t at, char value, int want)
{
    static const ncz_icechunk_version newest = {.branch = NULL};
    zmap                             *base = copy_base("spec2", copy_object), *m = NULL;
    ncz_buf                           repo = NCZ_BUF_INIT;

    assert_rc(zmap_get(base, "repo", &repo), NC_NOERR);
    repo.data[at] = value;
    assert_rc(zmap_put(base, "repo", repo.data, repo.len), NC_NOERR);
    assert_rc(ncz_icechunk_open(base, "header", &newest, NULL, &m), want);
    ncz_buf_clear(&repo);
    assert_rc(zmap_close(base, ZMAP_KEEP), NC_NOERR);
}

TEST(unknown_versions_are_refused_by_name)
{
    refuse_header(36, 3, NC_ENOTBUILT);
    refuse_header(36, 0, NC_ENOTBUILT);
    refuse_header(37, 2, NC_EZARRMETA);
    refuse_header(38, 2, NC_ENOTBUILT);
    refuse_header(0, 'X', NC_EEMPTY); /* a file of that name that is something else */
}

/* Each allocation fails in turn. */
TEST(every_allocation_may_fail)
{
    static const ncz_icechunk_version newest = {.branch = NULL};
    zmap                             *base = copy_base("places", copy_object);
    bool                              met = true;

    for (size_t fail_at = 1; met; fail_at++) {
        zmap   *m = NULL;
        ncz_buf body = NCZ_BUF_INIT;
        int     rc;

        fail_allocation(fail_at);
        if ((rc = ncz_icechunk_open(base, "places", &newest, NULL, &m)) == NC_NOERR) {
            rc = zmap_get(m, "v/zarr.json", &body);
            if (rc == NC_NOERR)
                rc = zmap_get(m, "v/c/7", &body);
        }
        met = end_failing();
        assert_true(rc == NC_EAUTH || (rc == NC_ENOMEM && met));
        ncz_buf_clear(&body);
        if (m != NULL) {
            (void)zmap_ref(base);
            assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
        }
    }
    assert_rc(zmap_close(base, ZMAP_KEEP), NC_NOERR);
}
