/* SPDX-License-Identifier: BSD-3-Clause */
/* What of a map is a dataset's: whole maps with and without strangers. */
#include "dataset_test.h"
#include "zmap/zmap_mem.h"

#include "dataset/dataset_int.h"

static void
whole_maps(void **state)
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
        {{"v/.zarray", "v/0"}, false, NC_ENOTNC}, /* may be one of several datasets in a folder */
        {{"a.zarr/.zgroup", "b.zarr/.zgroup"}, false, NC_ENOTNC},
        {{"inbox/1", "inbox/2", "sent/1"}, false, NC_ENOTNC}, /* mail */
        {{"0", "1", "2"}, false, NC_ENOTNC},
        {{"photos/0", "photos/1", "photos/cat.jpg"}, false, NC_ENOTNC},
        {{"log/0", "log/0.1"}, false, NC_ENOTNC},
    };

    (void)state;
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
        assert_int_equal(ncz_owner_all_keys(map, "it", NC_ENOTNC, &keys), rows[i].rc);
        assert_int_equal(keys.n, n);
        ncz_key_list_clear(&keys);
        OK(zmap_close(map, ZMAP_KEEP));
    }
}

static void
chunks_below_a_variable(void **state)
{
    ncz_key_list keys = NCZ_KEY_LIST_INIT;
    zmap        *map = NULL;

    (void)state;
    OK(zmap_mem_open(&map));
    OK(zmap_put(map, "v/0.0", "x", 1));
    OK(zmap_put(map, "v/1/2", "x", 1));
    OK(zmap_put(map, "v/.zarray", "x", 1));
    OK(zmap_put(map, "v/mine", "x", 1));
    OK(zmap_put(map, "vv/0.0", "x", 1));
    OK(ncz_owner_chunks_below(map, ncz_format_dialect(2), "v", &keys));
    assert_int_equal(keys.n, 2);
    assert_true(ncz_key_list_has(&keys, "v/0.0") && ncz_key_list_has(&keys, "v/1/2"));
    OK(ncz_key_list_del(map, &keys));
    assert_int_equal(zmap_len(map, "v/0.0", NULL), NC_EEMPTY);
    OK(zmap_len(map, "vv/0.0", NULL));
    ncz_key_list_clear(&keys);
    OK(zmap_close(map, ZMAP_KEEP));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_maps),
        cmocka_unit_test(chunks_below_a_variable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
