/* SPDX-License-Identifier: BSD-3-Clause */
/* What of a map is a dataset's: whole maps with and without strangers. */
#include "dataset_test.h"
#include "zmap/zmap_mem.h"

#include "dataset/dataset_int.h"

#include <string.h>

TEST(whole_maps)
{
    static const struct {
        const char *keys[6];
        bool        dataset; /* its root says so */
        int         rc;      /* of its parts */
    } rows[] = {
        {{".zgroup", ".zattrs", "v/.zarray", "v/.zattrs", "v/0.0"}, true, NC_NOERR},
        {{".zgroup", "g/.zgroup", "g/v/.zarray", "g/v/3/4/5"}, true, NC_NOERR},
        {{".zarray", "0", "1"}, true, NC_NOERR},
        {{".zgroup", ".nczarr", ".nczgroup", "v/.zarray", "v/.nczvar", "v/0"}, true, NC_NOERR},
        {{"zarr.json", "v/zarr.json", "v/c/0/1"}, true, NC_NOERR},
        {{".zgroup", "v/notes.txt", "v/.zarray"}, true, NC_EEXIST},
        {{".zgroup", "README"}, true, NC_EEXIST},
        {{".zgroup", "2024/data"}, true, NC_EEXIST},
        {{NULL}, false, NC_NOERR},

        /* What a writer leaves when it dies: chunks before their variable's documents, documents before the root's. */
        {{".zgroup", "v/0.0"}, true, NC_NOERR},
        {{".zgroup", "g/.zgroup", "g/v/0.0", "g/v/0.11", "w/7"}, true, NC_NOERR},
        {{".nczarr-writer"}, false, NC_NOERR},
        {{".nczarr-writer", "v/.zattrs", "g/.zgroup", "g/v/.zarray", "g/v/1/2"}, false, NC_NOERR},
        {{".nczarr-writer", "v/3/1", "v/10/0"}, false, NC_NOERR},
        {{".nczarr-writer", "notes.txt"}, false, NC_EEXIST},
        {{".nczarr-writer", "v/.nczarr-writer"}, false, NC_EEXIST},
        {{"v/0", "v/1", "g/w/0.0"}, false, NC_NOERR}, /* of the first version's writer */
        {{"v/0/0", "v/0/1"}, false, NC_NOERR},

        /* What is somebody's own. */
        {{".zgroup", "0"}, true, NC_EEXIST},
        {{".zgroup", "v/007"}, true, NC_EEXIST},
        {{".zgroup", "v/0.0", "v/0.1.2"}, true, NC_EEXIST},
        {{".zgroup", "v/0", "v/1.txt"}, true, NC_EEXIST},
        {{".zgroup", "nczarr-probe-0123456789abcdef"}, true, NC_NOERR}, /* a copy that was killed left it */
        {{".zgroup", "nczarr-probe-0123456789abcdeg"}, true, NC_EEXIST},
        {{".zgroup", "v/nczarr-probe-0123456789abcdef"}, true, NC_EEXIST},
        {{"v/.zarray", "v/0"}, false, NC_ENOTNC}, /* may be one of several datasets in a folder */
        {{"a.zarr/.zgroup", "b.zarr/.zgroup"}, false, NC_ENOTNC},
        {{"inbox/1", "inbox/2", "sent/1"}, false, NC_ENOTNC}, /* mail */
        {{"0", "1", "2"}, false, NC_ENOTNC},
        {{"photos/0", "photos/1", "photos/cat.jpg"}, false, NC_ENOTNC},
        {{"log/0", "log/0.1"}, false, NC_ENOTNC},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        ncz_key_list keys = NCZ_KEY_LIST_INIT;
        zmap        *map = NULL;
        bool         is = false, empty = false;
        size_t       n = 0;

        OK(zmap_mem_open(&map));
        for (; n < 6 && rows[i].keys[n] != NULL; n++)
            OK(zmap_put(map, rows[i].keys[n], "x", 1));
        OK(ncz_owner_is_dataset(map, &is));
        assert_int_equal(is, rows[i].dataset);
        OK(ncz_owner_store_empty(map, &empty));
        assert_int_equal(empty, n == 0);
        assert_int_equal(ncz_owner_all_keys(map, "it", NC_ENOTNC, NCZ_OWNER_DATASET, &keys), rows[i].rc);
        assert_int_equal(keys.n, n);
        ncz_key_list_clear(&keys);
        OK(zmap_close(map, ZMAP_KEEP));
    }
}

/* A dataset that lists what it has: documents of another one below it are not its own. */
TEST(datasets_inside)
{
#define V2_ROOT "{\"zarr_format\": 2}"
#define V2_ARRAY                                                                                                     \
    "{\"zarr_format\": 2, \"shape\": [1], \"chunks\": [1], \"dtype\": \"<i4\", \"fill_value\": 0, \"order\": "       \
    "\"C\", "                                                                                                        \
    "\"compressor\": null, \"filters\": null}"
#define LISTS                                                                                                        \
    "{\"_nczarr_superblock\": {\"version\": \"2.0.0\"}, \"_nczarr_group\": {\"dimensions\": {\"x\": 1}, "            \
    "\"arrays\": [\"v\"], \"groups\": []}}"
#define MEMBER "{\"_nczarr_array\": {\"dimension_references\": [\"/x\"], \"storage\": \"chunked\"}}"
#define CONSOLIDATED                                                                                                 \
    "{\"zarr_consolidated_format\": 1, \"metadata\": {\".zgroup\": " V2_ROOT ", \"v/.zarray\": " V2_ARRAY "}}"
    static const struct {
        const char *keys[9][2];
        int         rc;
    } rows[] = {
        /* NCZarr's lists */
        {{{".zgroup", V2_ROOT}, {".zattrs", LISTS}, {"v/.zarray", V2_ARRAY}, {"v/.zattrs", MEMBER}, {"v/0", "xxxx"}},
         NC_NOERR},
        {{{".zgroup", V2_ROOT},
          {".zattrs", LISTS},
          {"v/.zarray", V2_ARRAY},
          {"v/.zattrs", MEMBER},
          {"o/.zgroup", V2_ROOT}},
         NC_EEXIST},
        {{{".zgroup", V2_ROOT},
          {".zattrs", LISTS},
          {"v/.zarray", V2_ARRAY},
          {"v/.zattrs", MEMBER},
          {"v/o/.zarray", V2_ARRAY}},
         NC_EEXIST},
        {{{".zgroup", V2_ROOT},
          {".zattrs", LISTS},
          {"o/.zgroup", V2_ROOT},
          {"o/.zattrs", LISTS},
          {"o/v/.zarray", V2_ARRAY}},
         NC_EEXIST},
        /* what a writer stored before the list */
        {{{".zgroup", V2_ROOT}, {".zattrs", LISTS}, {"w/.zarray", V2_ARRAY}, {"w/.zattrs", MEMBER}, {"w/0", "xxxx"}},
         NC_NOERR},
        {{{".zgroup", V2_ROOT}, {".zattrs", LISTS}, {"w/.zattrs", MEMBER}}, NC_NOERR},
        /* consolidated metadata */
        {{{".zgroup", V2_ROOT}, {".zmetadata", CONSOLIDATED}, {"v/.zarray", V2_ARRAY}, {"v/0", "xxxx"}}, NC_NOERR},
        {{{".zgroup", V2_ROOT}, {".zmetadata", CONSOLIDATED}, {"v/.zarray", V2_ARRAY}, {"o/.zgroup", V2_ROOT}},
         NC_EEXIST},
        /* neither: whatever is found belongs to it */
        {{{".zgroup", V2_ROOT}, {"v/.zarray", V2_ARRAY}, {"o/.zgroup", V2_ROOT}, {"o/v/.zarray", V2_ARRAY}},
         NC_NOERR},
        /* nothing says what a damaged one has */
        {{{".zgroup", V2_ROOT}, {".zattrs", "{"}, {"v/.zarray", V2_ARRAY}, {"o/.zgroup", V2_ROOT}}, NC_NOERR},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        ncz_key_list keys = NCZ_KEY_LIST_INIT;
        zmap        *map = NULL;
        int          rc;

        OK(zmap_mem_open(&map));
        for (size_t n = 0; n < 9 && rows[i].keys[n][0] != NULL; n++)
            OK(zmap_put(map, rows[i].keys[n][0], rows[i].keys[n][1], strlen(rows[i].keys[n][1])));
        if ((rc = ncz_owner_all_keys(map, "it", NC_ENOTNC, NCZ_OWNER_DATASET, &keys)) != rows[i].rc)
            fail_msg("row %zu: %d %s", i, rc, ncz_err_text());
        ncz_key_list_clear(&keys);
        OK(ncz_owner_all_keys(map, "it", NC_ENOTNC, NCZ_OWNER_ALL, &keys));
        ncz_key_list_clear(&keys);
        OK(zmap_close(map, ZMAP_KEEP));
    }
}

TEST(chunks_below_a_variable)
{
    ncz_key_list keys = NCZ_KEY_LIST_INIT;
    zmap        *map = NULL;

    OK(zmap_mem_open(&map));
    OK(zmap_put(map, "v/0.0", "x", 1));
    OK(zmap_put(map, "v/1/2", "x", 1));
    OK(zmap_put(map, "v/.zarray", "x", 1));
    OK(zmap_put(map, "v/mine", "x", 1));
    OK(zmap_put(map, "vv/0.0", "x", 1));
    OK(ncz_owner_chunks_below(map, ncz_dialects_find(2), "v", &keys));
    assert_int_equal(keys.n, 2);
    assert_true(ncz_key_list_has(&keys, "v/0.0") && ncz_key_list_has(&keys, "v/1/2"));
    OK(ncz_key_list_del(map, &keys));
    assert_int_equal(zmap_len(map, "v/0.0", NULL), NC_EEMPTY);
    OK(zmap_len(map, "vv/0.0", NULL));
    ncz_key_list_clear(&keys);
    OK(zmap_close(map, ZMAP_KEEP));
}
