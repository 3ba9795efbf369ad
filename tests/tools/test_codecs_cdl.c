/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every codec through nczdump -s and nczgen: the second dataset has the same chain and the same values.
 */
#include "support/test.h"

#include "dump/dump.h"
#include "gen/gen.h"
#include "nczarr.h"
#include "nczarr_filter.h"
#include "nczarr_zmap.h"

#define N          16
#define LEN(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
    nc_type     type;
    const char *codecs[3];
} chains[] = {
    {NC_INT, {"{\"id\": \"zlib\", \"level\": 3}"}},
    {NC_INT, {"{\"id\": \"gzip\", \"level\": 7}"}},
    {NC_INT, {"{\"id\": \"shuffle\", \"elementsize\": 4}", "{\"id\": \"zlib\", \"level\": 1}"}},
    {NC_INT, {"{\"id\": \"fletcher32\"}", "{\"id\": \"bz2\", \"level\": 2}"}},
    {NC_INT, {"{\"id\": \"szip\", \"mask\": 4, \"pixels-per-block\": 16}"}},
    {NC_INT, {"{\"id\": \"zstd\", \"level\": -3}"}},
    {NC_INT, {"{\"id\": \"zstd\", \"level\": 4, \"checksum\": true}"}},
    {NC_INT, {"{\"id\": \"blosc\", \"clevel\": 7, \"blocksize\": 512, \"cname\": \"zstd\", \"shuffle\": 2}"}},
    {NC_UBYTE, {"{\"id\": \"blosc\", \"clevel\": 5, \"blocksize\": 0, \"cname\": \"lz4\", \"shuffle\": -1}"}},
    {NC_INT, {"{\"id\": \"lz4\", \"acceleration\": 2}"}},
    {NC_INT, {"{\"id\": \"lzma\", \"format\": 1, \"check\": 4, \"preset\": 2}"}},
    {NC_INT,
     {"{\"id\": \"lzma\", \"format\": 3, "
      "\"filters\": [{\"id\": 3, \"dist\": 4}, {\"id\": 33, \"preset\": 1}]}"}},
    {NC_INT, {"{\"id\": \"crc32\", \"location\": \"end\"}", "{\"id\": \"adler32\"}"}},
    {NC_INT, {"{\"id\": \"crc32c\"}", "{\"id\": \"jenkins_lookup3\", \"initval\": 5}", "{\"id\": \"base64\"}"}},
    {NC_SHORT, {"{\"id\": \"delta\", \"dtype\": \"<i2\", \"astype\": \"<i4\"}", "{\"id\": \"zlib\"}"}},
    {NC_DOUBLE,
     {"{\"id\": \"fixedscaleoffset\", \"scale\": 10, \"offset\": 0.5, "
      "\"dtype\": \"<f8\", \"astype\": \"<i4\"}"}},
    {NC_DOUBLE, {"{\"id\": \"quantize\", \"digits\": 3, \"dtype\": \"<f8\"}", "{\"id\": \"zlib\"}"}},
    {NC_FLOAT, {"{\"id\": \"bitround\", \"keepbits\": 9}", "{\"id\": \"zlib\"}"}},
    {NC_UBYTE, {"{\"id\": \"packbits\"}"}},
    {NC_INT, {"{\"id\": \"astype\", \"encode_dtype\": \"<i2\", \"decode_dtype\": \"<i4\"}"}},
    {NC_STRING, {"{\"id\": \"vlen-utf8\"}", "{\"id\": \"zlib\"}"}},
    {NC_STRING, {"{\"id\": \"vlen-bytes\"}"}},
    {NC_STRING, {"{\"id\": \"json2\"}"}},
    {NC_STRING, {"{\"id\": \"msgpack2\"}"}},
    {NC_STRING, {"{\"id\": \"categorize\", \"labels\": [\"a \\\"b\\\"\", \"{c\", \"1\"], \"dtype\": \"|O\"}"}},
    {NC_STRING, {"{\"id\": \"vlen-array\", \"dtype\": \"<f4\"}"}},
};

static void
say(void *ctx, bool is_error, const char *text)
{
    (void)ctx;
    if (is_error)
        print_error("%s\n", text);
}

static char *
dump(int ncid)
{
    dump_opts opts = DUMP_OPTS_INIT;
    char     *text = NULL;
    size_t    len;
    FILE     *out = open_memstream(&text, &len);

    opts.special = true;
    assert_int_equal(dump_run(ncid, "same", &opts, out), 0);
    fclose(out);
    return text;
}

/* False where this build lacks one of the codecs. */
static bool
define(int ncid, size_t i, int x)
{
    static const char *const texts[] = {"a \"b\"", "{c", "1"}, *const lists[] = {"[1,2.5]", "[]", "[\"NaN\"]"};
    static const int numbers[N] = {1, 0, 1, 1};
    int              v, rc;

    assert_int_equal(nc_def_var(ncid, "v", chains[i].type, 1, &x, &v), NC_NOERR);
    for (size_t k = 0; k < LEN(chains[i].codecs) && chains[i].codecs[k] != NULL; k++) {
        if ((rc = nczarr_def_var_codec(ncid, v, chains[i].codecs[k])) == NC_ENOFILTER)
            return false;
        if (rc != NC_NOERR)
            print_error("%s: %s\n", chains[i].codecs[k], nczarr_errmsg());
        assert_int_equal(rc, NC_NOERR);
    }
    if (chains[i].type != NC_STRING)
        assert_int_equal(nc_put_var_int(ncid, v, numbers), NC_NOERR);
    else if (strstr(chains[i].codecs[0], "vlen-array") != NULL)
        assert_int_equal(nc_put_vara_string(ncid, v, &(size_t){0}, &(size_t){3}, (const char **)lists), NC_NOERR);
    else
        assert_int_equal(nc_put_vara_string(ncid, v, &(size_t){0}, &(size_t){3}, (const char **)texts), NC_NOERR);
    return true;
}

static char *
reopened(nczarr_map *map)
{
    int   ncid;
    char *text;

    assert_int_equal(nczarr_open_map(map, NULL, NC_NOWRITE, &ncid), NC_NOERR);
    text = dump(ncid);
    assert_int_equal(nc_close(ncid), NC_NOERR);
    assert_int_equal(nczarr_map_close(map), NC_NOERR);
    return text;
}

static char *
regenerated(const char *cdl_text, const char *mode)
{
    gen_opts    opts = {.report = {.say = say}};
    gen_cdl    *cdl = NULL;
    nczarr_map *map;
    int         ncid;

    assert_int_equal(gen_parse("same", cdl_text, strlen(cdl_text), opts.report, &cdl), NC_NOERR);
    assert_int_equal(nczarr_map_memory(&map), NC_NOERR);
    assert_int_equal(nczarr_create_map(map, mode, NC_NETCDF4, &ncid), NC_NOERR);
    assert_int_equal(gen_write(cdl, ncid, &opts), NC_NOERR);
    assert_int_equal(nc_close(ncid), NC_NOERR);
    gen_free(cdl);
    return reopened(map);
}

static void
codecs_survive(const char *mode)
{
    for (size_t i = 0; i < LEN(chains); i++) {
        nczarr_map *map;
        int         ncid, x;
        bool        have;

        assert_int_equal(nczarr_map_memory(&map), NC_NOERR);
        assert_int_equal(nczarr_create_map(map, mode, NC_NETCDF4, &ncid), NC_NOERR);
        assert_int_equal(nc_def_dim(ncid, "x", N, &x), NC_NOERR);
        have = define(ncid, i, x);
        assert_int_equal(nc_close(ncid), NC_NOERR);
        if (have) {
            char *a = reopened(map), *b = regenerated(a, mode);

            assert_non_null(strstr(a, "v:_Codecs = "));
            assert_string_equal(a, b);
            free(a);
            free(b);
        } else {
            assert_int_equal(nczarr_map_close(map), NC_NOERR);
        }
    }
}

TEST(codecs_survive_in_nczarr)
{
    codecs_survive("mode=nczarr");
}

TEST(codecs_survive_in_zarr)
{
    codecs_survive("mode=zarr");
}
