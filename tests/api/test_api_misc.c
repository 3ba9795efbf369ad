/* SPDX-License-Identifier: BSD-3-Clause */
/* The library itself, error texts, types, values in memory, nc_copy_var, user-defined types. */
#include "api_test.h"

#include "nczarr_filter.h"
#include "nczarr_zmap.h"
#include "compat/netcdf_aux.h"

#include <errno.h>

TEST(error_texts)
{
    assert_string_equal(nc_strerror(0), "No error");
    assert_string_equal(nc_strerror(NC_EBADID), "NetCDF: Not a valid ID");
    assert_string_equal(nc_strerror(NC_EEXIST), "NetCDF: File exists && NC_NOCLOBBER");
    assert_string_equal(nc_strerror(NC_ENCZARR), "NetCDF: NCZarr error");
    assert_string_equal(nc_strerror(NC_ENOTZARR), "NetCDF: Not a Zarr dataset");
    assert_string_equal(nc_strerror(NC_EZARRMETA), "NetCDF: Malformed or missing Zarr metadata");
    assert_string_equal(
        nc_strerror(NC_ECANTEXTEND),
        "NetCDF: Attempt to extend dataset during NC_INDEPENDENT I/O operation. Use nc_var_par_access "
        "to set mode NC_COLLECTIVE before extending variable.");
    assert_string_equal(nc_strerror(-9999), "Unknown Error");
    assert_string_equal(nc_strerror(ENOSPC), strerror(ENOSPC));
    assert_string_equal(nc_strerror(NC2_ERR), "Unknown Error");
}

/* Each codec of the list can be used; what all builds have is there once. */
static void
check_features(void)
{
    static const char *const all[][2] = {{"codec", "zlib"}, {"codec", "packbits"}, {"store", "directory"},
                                         {"store", "zip"},  {"store", "memory"},   {"mode", "consolidated"}};
    const char              *kind = NULL, *name;
    int                      seen[6] = {0}, s3 = 0;
    size_t                   n = 0;

    for (; (name = nczarr_feature(n, &kind)) != NULL; n++) {
        assert_string_equal(nczarr_feature(n, NULL), name);
        assert_true(strcmp(kind, "codec") == 0 || strcmp(kind, "store") == 0 || strcmp(kind, "library") == 0 ||
                    strcmp(kind, "mode") == 0);
        if (strcmp(kind, "codec") == 0)
            OK(nczarr_filter_avail(name));
        for (int i = 0; i < 6; i++)
            seen[i] += strcmp(kind, all[i][0]) == 0 && strcmp(name, all[i][1]) == 0;
        s3 += strcmp(kind, "store") == 0 && strcmp(name, "s3") == 0;
    }
    for (int i = 0; i < 6; i++)
        assert_int_equal(seen[i], 1);
    assert_int_equal(s3, TEST_S3);
    assert_null(nczarr_feature(n, &kind));
    assert_null(nczarr_feature(SIZE_MAX, NULL));
}

/* The documents of each version, what makes a dataset first; none of another version. */
static void
check_documents(void)
{
    static const struct {
        int         zarr_format;
        const char *names;
    } all[] = {
        {2, ".zgroup+0 .zarray+1 .zmetadata+2 .nczarr+0 .zattrs+0 .nczgroup+0 .nczvar+0 .nczarray+0 .nczattr+0 "},
        {3, "zarr.json+1 "},
        {0, ""},
        {4, ""},
    };
    const char *name;
    char        names[256];
    int         kind;

    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        names[0] = '\0';
        for (size_t i = 0; (name = nczarr_document(all[k].zarr_format, i, &kind)) != NULL; i++) {
            assert_string_equal(nczarr_document(all[k].zarr_format, i, NULL), name);
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s+%d ", name, kind);
        }
        assert_string_equal(names, all[k].names);
        assert_int_equal(kind, 0);
    }
}

TEST(the_library_tells_its_version_and_settings)
{
    size_t size, nelems;
    float  pre;
    int    old;
    char   text[64];

    snprintf(text, sizeof text, "%d.%d.%d", NCZARR_VERSION_MAJOR, NCZARR_VERSION_MINOR, NCZARR_VERSION_PATCH);
    assert_string_equal(NCZARR_VERSION, text);
#if NCZARR_VERSION_NUMBER < NCZARR_MAKE_VERSION(0, 1, 0) || NCZARR_VERSION_NUMBER >= NCZARR_MAKE_VERSION(1000, 0, 0)
    fail();
#endif
    assert_string_equal(nczarr_version(), NCZARR_VERSION);
    assert_non_null(strstr(nc_inq_libvers(), NCZARR_VERSION));
    check_features();
    check_documents();
    OK(nc_initialize());
    OK(nc_finalize());
    OK(nc_set_default_format(NC_FORMAT_CLASSIC, &old));
    assert_int_equal(old, NC_FORMAT_NETCDF4);
    FAILS(NC_EINVAL, nc_set_default_format(99, &old));
    OK(nc_set_default_format(NC_FORMAT_NETCDF4, NULL));
    OK(nc_get_chunk_cache(&size, &nelems, &pre));
    assert_true(size > 0 && nelems == 1000 && pre == 0.75f);
    FAILS(NC_EINVAL, nc_set_chunk_cache(1, 1, -1.0f));
    OK(nc_set_chunk_cache(1 << 20, 100, 0.5f));
    OK(nc_get_chunk_cache(&size, &nelems, &pre));
    assert_true(size == 1 << 20 && nelems == 100 && pre == 0.5f);
    OK(nc_set_log_level(-1));
    OK(nc_set_alignment(1024, 4096));
    OK(nc_get_alignment(&old, NULL));
    assert_int_equal(old, 1024);
    OK(nc_get_alignment(NULL, &old));
    assert_int_equal(old, 4096);
    OK(nc_set_meta_block_size(77));
    OK(nc_get_meta_block_size(&size));
    assert_int_equal(size, 77);
    OK(nc_inq_type(-1, NC_SHORT, text, &size)); /* of an atomic type: no dataset is needed */
    assert_true(strcmp(text, "short") == 0 && size == 2);
    FAILS(NC_EBADTYPE, nc_inq_type(-1, 33, text, &size));
    OK(nc_inq_type_equal(0, NC_INT, 1, NC_INT, &old));
    assert_int_equal(old, 1);
    assert_int_equal(nctypelen(NC_DOUBLE), 8);
    assert_int_equal(nctypelen(77), -1);
}

TEST(rc_settings_are_set_and_read)
{
    char *value;

    assert_null(nc_rc_get("HTTP.SSL.CAINFO"));
    assert_null(nc_rc_get(NULL));
    OK(nc_rc_set("HTTP.SSL.CAINFO", "/etc/one.pem"));
    OK(nc_rc_set("OTHER", ""));
    OK(nc_rc_set("HTTP.SSL.CAINFO", "/etc/two.pem"));
    value = nc_rc_get("HTTP.SSL.CAINFO");
    assert_string_equal(value, "/etc/two.pem");
    free(value);
    value = nc_rc_get("OTHER");
    assert_string_equal(value, "");
    free(value);
    FAILS(NC_EINVAL, nc_rc_set(NULL, "x"));
    FAILS(NC_EINVAL, nc_rc_set("", "x"));
    FAILS(NC_EINVAL, nc_rc_set("x", NULL));
}

/* The default format counts where the mode asks for none. */
TEST(default_format)
{
    static const struct {
        int format, mode, want;
    } cases[] = {
        {NC_FORMAT_NETCDF4_CLASSIC, NC_CLOBBER, NC_FORMAT_NETCDF4_CLASSIC},
        {NC_FORMAT_NETCDF4_CLASSIC, NC_NETCDF4, NC_FORMAT_NETCDF4},
        {NC_FORMAT_NETCDF4_CLASSIC, NC_NETCDF4 | NC_CLASSIC_MODEL, NC_FORMAT_NETCDF4_CLASSIC},
        {NC_FORMAT_CLASSIC, NC_CLOBBER, NC_FORMAT_CLASSIC},
        {NC_FORMAT_CDF5, NC_CLOBBER, NC_FORMAT_CDF5},
        {NC_FORMAT_CDF5, NC_NETCDF4, NC_FORMAT_NETCDF4},
        {NC_FORMAT_NETCDF4, NC_CLOBBER, NC_FORMAT_NETCDF4},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        place p;
        int   ncid, format;

        place_make(&p, false);
        snprintf(p.path, sizeof p.path, "%.200s/data", p.dir);
        OK(nc_set_default_format(cases[i].format, NULL));
        OK(place_create(&p, NULL, cases[i].mode, &ncid));
        OK(nc_inq_format(ncid, &format));
        assert_int_equal(format, cases[i].want);
        OK(nc_close(ncid));
        place_drop(&p);
    }
    OK(nc_set_default_format(NC_FORMAT_NETCDF4, NULL));
}

TEST_IN_EACH_PLACE(atomic_types_have_names_and_sizes)
{
    static const char *const names[] = {"byte",  "char",   "short", "int",   "float",  "double",
                                        "ubyte", "ushort", "uint",  "int64", "uint64", "string"};
    char                     name[NC_MAX_NAME + 1];
    size_t                   size;
    nc_type                  t;
    int                      ncid, equal;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    for (nc_type i = NC_BYTE; i <= NC_STRING; i++) {
        OK(nc_inq_type(ncid, i, name, &size));
        assert_string_equal(name, names[i - 1]);
        assert_int_equal(size, nctypelen(i));
        OK(nc_inq_typeid(ncid, name, &t));
        assert_int_equal(t, i);
    }
    FAILS(NC_EBADTYPE, nc_inq_type(ncid, 13, name, &size));
    FAILS(NC_EBADTYPE, nc_inq_type(ncid, NC_NAT, name, &size));
    FAILS(NC_EBADTYPE, nc_inq_typeid(ncid, "integer", &t));
    FAILS(NC_EBADTYPE, nc_inq_user_type(ncid, 33, name, &size, &t, NULL, NULL));
    OK(nc_inq_type_equal(ncid, NC_INT, ncid, NC_INT, &equal));
    assert_int_equal(equal, 1);
    OK(nc_inq_type_equal(ncid, NC_INT, ncid, NC_UINT, &equal));
    assert_int_equal(equal, 0);
    FAILS(NC_EBADTYPE, nc_inq_enum_ident(ncid, 32, 1, name));
    FAILS(NC_EBADID, nc_def_opaque(1, 8, "o", &t));
    OK(nc_close(ncid));
}

TEST_IN_EACH_PLACE(copies_of_values_are_deep)
{
    char     *in[2] = {(char *)"one", NULL}, **copy = NULL, *flat[2];
    int      *ints = NULL;
    nc_vlen_t vl = {3, malloc(12)};
    int       ncid;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_copy_data_all(ncid, NC_STRING, in, 2, (void **)&copy));
    assert_string_equal(copy[0], "one");
    assert_null(copy[1]);
    OK(nc_reclaim_data_all(ncid, NC_STRING, copy, 2));
    OK(nc_copy_data(ncid, NC_STRING, in, 2, flat));
    OK(nc_reclaim_data(ncid, NC_STRING, flat, 2));
    OK(nc_copy_data_all(ncid, NC_INT, (int[]){4, 5}, 2, (void **)&ints));
    assert_int_equal(ints[1], 5);
    OK(nc_reclaim_data_all(ncid, NC_INT, ints, 2));
    FAILS(NC_EBADTYPE, nc_reclaim_data(ncid, 99, in, 1));
    FAILS(NC_EINVAL, nc_copy_data(ncid, NC_INT, NULL, 1, flat));
    OK(nc_free_vlen(&vl));
    assert_null(vl.p);
    OK(nc_free_string(0, NULL));
    FAILS(NC_EINVAL, nc_free_string(2, NULL));
    OK(nc_close(ncid));
}

/* Freeing memory keeps the text of the failure before it; a failure of its own replaces the text. */
TEST_IN_EACH_PLACE(free_keeps_text)
{
    char     *strings[1] = {strdup("one")}, *more[1] = {strdup("two")}, **all = malloc(sizeof *all), text[512];
    nc_vlen_t vl = {3, malloc(12)};
    void     *tag = NULL;
    int       ncid;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    FAILS(NC_ENOTVAR, nc_inq_varid(ncid, "absent", &(int){0}));
    snprintf(text, sizeof text, "%s", nczarr_errmsg());
    assert_non_null(strstr(text, "absent"));
    assert_int_equal(nc_free_string(1, strings), NC_NOERR);
    assert_string_equal(nczarr_errmsg(), text);
    assert_int_equal(nc_free_vlen(&vl), NC_NOERR);
    assert_int_equal(nc_free_vlens(1, &vl), NC_NOERR);
    assert_string_equal(nczarr_errmsg(), text);
    assert_int_equal(nc_reclaim_data(ncid, NC_STRING, more, 1), NC_NOERR);
    assert_string_equal(nczarr_errmsg(), text);
    assert_int_equal(ncaux_begin_compound(ncid, "c", 0, &tag), NC_NOERR);
    FAILS(NC_ENOTVAR, nc_inq_varid(ncid, "absent", &(int){0}));
    assert_int_equal(ncaux_abort_compound(tag), NC_NOERR);
    assert_int_equal(ncaux_plugin_path_clear(&(NCPluginList){0, NULL}), NC_NOERR);
    assert_string_equal(nczarr_errmsg(), text);
    all[0] = strdup("three");
    assert_int_equal(nc_reclaim_data_all(ncid, NC_STRING, all, 1), NC_NOERR);
    assert_string_equal(nczarr_errmsg(), text);
    FAILS(NC_EBADTYPE, nc_reclaim_data(ncid, 99, more, 1));
    assert_null(strstr(nczarr_errmsg(), "absent"));
    OK(nc_close(ncid));
    assert_string_equal(nczarr_errmsg(), "");
}

TEST_IN_EACH_PLACE(copy_var)
{
    const char *text[3] = {"a", "bb", "ccc"};
    place       q;
    char       *s[3];
    size_t      chunk[2], len;
    int         in, out, t, x, v, w, id, level, data[12], fill, no_fill;

    place_make(&q, p->memory);
    OK(place_create(p, NULL, NC_CLOBBER, &in));
    OK(nc_def_dim(in, "t", NC_UNLIMITED, &t));
    OK(nc_def_dim(in, "x", 3, &x));
    OK(nc_def_var(in, "v", NC_INT, 2, (int[]){t, x}, &v));
    OK(nc_def_var_chunking(in, v, NC_CHUNKED, (size_t[]){2, 2}));
    OK(nc_def_var_deflate(in, v, 1, 1, 3));
    OK(nc_def_var_fill(in, v, 0, &(int){-1}));
    OK(nc_put_att_text(in, v, "units", 1, "m"));
    OK(nc_def_var(in, "s", NC_STRING, 1, &x, &w));
    for (int i = 0; i < 12; i++)
        data[i] = i;
    OK(nc_put_vara_int(in, v, (size_t[]){0, 0}, (size_t[]){4, 3}, data));
    OK(nc_put_var_string(in, w, text));

    OK(place_create(&q, NULL, NC_CLOBBER, &out));
    OK(nc_def_dim(out, "x", 3, &id));
    OK(nc_copy_var(in, v, out));
    OK(nc_copy_var(in, w, out));
    FAILS(NC_ENAMEINUSE, nc_copy_var(in, w, out));
    FAILS(NC_ENOTVAR, nc_copy_var(in, 7, out));
    FAILS(NC_EBADID, nc_copy_var(in, w, 5));
    OK(nc_close(out));
    OK(nc_close(in));

    OK(place_open(&q, NULL, NC_NOWRITE, &out));
    OK(nc_inq_varid(out, "v", &v));
    memset(data, 0, sizeof data);
    OK(nc_get_var_int(out, v, data));
    assert_int_equal(data[11], 11);
    OK(nc_inq_var_chunking(out, v, NULL, chunk));
    assert_int_equal(chunk[1], 2);
    OK(nc_inq_var_deflate(out, v, &id, NULL, &level));
    assert_true(id == 1 && level == 3);
    OK(nc_inq_var_fill(out, v, &no_fill, &fill));
    assert_int_equal(fill, -1);
    OK(nc_inq_attlen(out, v, "units", &len));
    OK(nc_inq_unlimdim(out, &id));
    assert_true(id >= 0);
    OK(nc_inq_varid(out, "s", &w));
    OK(nc_get_var_string(out, w, s));
    assert_string_equal(s[2], "ccc");
    OK(nc_free_string(3, s));
    OK(nc_close(out));
    place_drop(&q);
}

TEST(stats_of_what_was_done)
{
    struct {
        nczarr_counts n;
        char          grown[64]; /* a later release's */
    } big;
    nczarr_counts n = {.size = sizeof n};
    int           ncid, dim, var, data[4] = {1, 2, 3, 4};

    OK(nc_create("x", NC_DISKLESS, &ncid));
    OK(nc_def_dim(ncid, "x", 4, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &var));
    OK(nc_put_var_int(ncid, var, data));
    OK(nc_sync(ncid));
    OK(nczarr_stats(ncid, &n));
    assert_int_equal(n.size, sizeof n);
    assert_true(n.puts >= 4); /* a chunk and the documents */
    assert_true(n.bytes_written > sizeof data);
    assert_int_equal(n.requests, 0);
    memset(&big, 0xff, sizeof big);
    big.n.size = sizeof big;
    OK(nczarr_stats(ncid, &big.n));
    assert_int_equal(big.n.size, sizeof big);
    assert_int_equal(big.n.puts, n.puts);
    assert_int_equal(big.grown[0], 0);
    n.size--;
    FAILS(NC_EINVAL, nczarr_stats(ncid, &n));
    FAILS(NC_EINVAL, nczarr_stats(ncid, NULL));
    n.size = sizeof n;
    OK(nc_close(ncid));
    FAILS(NC_EBADID, nczarr_stats(ncid, &n));
}
