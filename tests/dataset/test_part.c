/* SPDX-License-Identifier: BSD-3-Clause */
/* What of a map is a dataset's: chunks' keys, and whole maps with and without strangers. */
#include "dataset_test.h"

#include "dataset/dataset_int.h"

static void
chunk_keys(void **state)
{
    static const struct {
        const char *rest;
        bool        is;
    } rows[] = {{"0", true},   {"12", true},       {"0.0", true},   {"3/14/0", true}, {"", false},
                {".0", false}, {"0.", false},      {"0..1", false}, {"a", false},     {"0.a", false},
                {"0/", false}, {".zarray", false}, {"-1", false},   {"1 ", false}};

    (void)state;
    for (size_t i = 0; i < NCZ_LEN(rows); i++)
        assert_int_equal(ncz_part_chunk(rows[i].rest), rows[i].is);
}

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
        {{".zgroup", "v/0.0"}, true, NC_EEXIST}, /* a chunk of nothing */
        {{".zgroup", "v/.zarray", "v/notes.txt"}, true, NC_EEXIST},
        {{".zgroup", "README"}, true, NC_EEXIST},
        {{".zgroup", "2024/data"}, true, NC_EEXIST},
        {{"v/.zarray", "v/0"}, false, NC_NOERR},
        {{NULL}, false, NC_NOERR},
    };

    (void)state;
    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        ncz_keys keys = NCZ_KEYS_INIT;
        zmap    *map = NULL;
        bool     is = false, empty = false;
        size_t   n = 0;

        OK(zmap_mem_open(&map));
        for (; n < 6 && rows[i].keys[n] != NULL; n++)
            OK(zmap_put(map, rows[i].keys[n], "x", 1));
        OK(ncz_part_is_dataset(map, &is));
        assert_int_equal(is, rows[i].dataset);
        OK(ncz_part_empty(map, &empty));
        assert_int_equal(empty, n == 0);
        assert_int_equal(ncz_part_all(map, "it", &keys), rows[i].rc);
        assert_int_equal(keys.n, n);
        ncz_keys_clear(&keys);
        OK(zmap_close(map, ZMAP_KEEP));
    }
}

static void
chunks_below_a_variable(void **state)
{
    ncz_keys keys = NCZ_KEYS_INIT;
    zmap    *map = NULL;

    (void)state;
    OK(zmap_mem_open(&map));
    OK(zmap_put(map, "v/0.0", "x", 1));
    OK(zmap_put(map, "v/1/2", "x", 1));
    OK(zmap_put(map, "v/.zarray", "x", 1));
    OK(zmap_put(map, "v/mine", "x", 1));
    OK(zmap_put(map, "vv/0.0", "x", 1));
    OK(ncz_part_chunks(map, "v", &keys));
    assert_int_equal(keys.n, 2);
    assert_true(ncz_keys_has(&keys, "v/0.0") && ncz_keys_has(&keys, "v/1/2"));
    OK(ncz_keys_del(map, &keys));
    assert_int_equal(zmap_len(map, "v/0.0", NULL), NC_EEMPTY);
    OK(zmap_len(map, "vv/0.0", NULL));
    ncz_keys_clear(&keys);
    OK(zmap_close(map, ZMAP_KEEP));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunk_keys),
        cmocka_unit_test(whole_maps),
        cmocka_unit_test(chunks_below_a_variable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
