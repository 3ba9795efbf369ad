/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What paths, URLs and their modes mean.
 */
#include "support/failing_alloc.h"
#include "support/test.h"
#include "uri/uri.h"

#define AUTO   NCZ_STORE_AUTO
#define FILE_  NCZ_STORE_FILE
#define ZIP    NCZ_STORE_ZIP
#define S3     NCZ_STORE_S3
#define HTTP   NCZ_STORE_HTTP
#define ANY    NCZ_CONVENTIONS_AUTO
#define NCZARR NCZ_CONVENTIONS_NCZARR
#define G3     NCZ_CONVENTIONS_NCZARR_492
#define G2     NCZ_CONVENTIONS_NCZARR_490
#define ZARR   NCZ_CONVENTIONS_ZARR

/* As nc_open() sees them. */
static const struct {
    const char     *text;
    ncz_store       store;
    ncz_conventions conventions;
    const char     *path;
} good[] = {
    /* plain paths */
    {"x.zarr", AUTO, ANY, "x.zarr"},
    {"x", AUTO, ANY, "x"},
    {"/a/b c/x%20.zarr", AUTO, ANY, "/a/b c/x%20.zarr"},
    {"x.zip", ZIP, ANY, "x.zip"},
    {"/a/x.ZIP", ZIP, ANY, "/a/x.ZIP"},
    {".zip", AUTO, ANY, ".zip"},
    {"xzip", AUTO, ANY, "xzip"},
    {"x.zip/", AUTO, ANY, "x.zip/"},
    {"x.zip#mode=file", FILE_, ANY, "x.zip"},
    {"x#zip", ZIP, ANY, "x"},
    {"x#mode=nczarr", AUTO, NCZARR, "x"},
    {"x#mode=zarr,zip", ZIP, ZARR, "x"},
    {"x#nczarr", AUTO, NCZARR, "x"},
    {"x#zarr&file", FILE_, ZARR, "x"},
    {"data#1.zarr", AUTO, ANY, "data#1.zarr"},
    {"100%.zarr", AUTO, ANY, "100%.zarr"},
    {"s3:bucket", AUTO, ANY, "s3:bucket"},

    /* file: */
    {"file:///a/x.file#mode=nczarr,file", FILE_, NCZARR, "/a/x.file"},
    {"file:///a/x.zip#mode=nczarr,zip", ZIP, NCZARR, "/a/x.zip"},
    {"file:///a/x.any#mode=zip", ZIP, ANY, "/a/x.any"},
    {"file:///a/x.zip", ZIP, ANY, "/a/x.zip"},
    {"file:///a/x.zip#mode=zarr", ZIP, ZARR, "/a/x.zip"},
    {"file:///a/x.zip#mode=zarr,file", FILE_, ZARR, "/a/x.zip"},
    {"file:///a/x", AUTO, ANY, "/a/x"},
    {"file://rel/x#mode=nczarr", AUTO, NCZARR, "rel/x"},
    {"file://localhost/x#zarr", AUTO, ZARR, "/x"},
    {"file:///x#mode=nczarr,zarr", AUTO, ZARR, "/x"},
    {"file:///x#mode=zarr,nczarr", AUTO, ZARR, "/x"},
    {"file:///x#mode=nczarr,zarr,file,file", FILE_, ZARR, "/x"},
    {"file:///x#mode=xarray", AUTO, ZARR, "/x"},
    {"file:///x#xarray", AUTO, ZARR, "/x"},
    {"file:///x#mode=NCZarr,FILE", FILE_, NCZARR, "/x"},
    {"file:///x#Mode= nczarr , file ", FILE_, NCZARR, "/x"},
    {"file:///x#mode=nczarr&mode=file", FILE_, NCZARR, "/x"},
    {"file:///x#mode=", AUTO, ANY, "/x"},
    {"file:///x#mode=,,", AUTO, ANY, "/x"},
    {"file:///x#noprefetch&stringlength=80&maxstrlen=9", AUTO, ANY, "/x"}, /* of netCDF's other formats */
    {"runs#lr=0.1.zarr", AUTO, ANY, "runs#lr=0.1.zarr"},
    {"file:///x#mode=nczarr&show=fetch", AUTO, NCZARR, "/x"},
    {"[mode=nczarr]file:///x", AUTO, NCZARR, "/x"},

    /* compat */
    {"x#compat=4.9.2", AUTO, G3, "x"},
    {"x#compat=4.9.1", AUTO, G3, "x"},
    {"x#compat=4.9.0", AUTO, G2, "x"},
    {"x#compat=4.8.1", AUTO, G2, "x"},
    {"x#compat=4.9.3", AUTO, NCZARR, "x"},
    {"file:///x#mode=nczarr,file&compat=4.9.0", FILE_, G2, "/x"},

    /* s3 */
    {"s3://bucket/key", S3, ANY, "/key"},
    {"s3://bucket/key#mode=zarr", S3, ZARR, "/key"},
    {"s3://bucket/key#mode=nczarr,s3&aws.region=eu-west-1", S3, NCZARR, "/key"},
    {"s3://s3.us-west-1.amazonaws.com/datasetbucket", S3, ANY, "/datasetbucket"},
    {"s3://datasetbucket/rootkey#mode=nczarr,awsprofile=unidata", S3, NCZARR, "/rootkey"},
    {"gs3://bucket/key#mode=nczarr", S3, NCZARR, "/key"},
    {"gs://bucket/key", S3, ANY, "/key"},
    {"s3a://bucket/key#mode=zarr", S3, ZARR, "/key"},
    {"s3n://bucket/key", S3, ANY, "/key"},
    {"S3://bucket/x.zip", S3, ANY, "/x.zip"},
    {"https://s3.us-east-1.amazonaws.com/bucket/key", S3, ANY, "/bucket/key"},
    {"https://s3.amazonaws.com/bucket/key", S3, ANY, "/bucket/key"},
    {"https://s3-us-west-2.amazonaws.com/bucket/key", S3, ANY, "/bucket/key"},
    {"https://bucket.s3.eu-west-1.amazonaws.com/key", S3, ANY, "/key"},
    {"https://my.dotted.bucket.s3.amazonaws.com/key", S3, ANY, "/key"},
    {"https://bucket.s3.dualstack.eu-west-1.amazonaws.com/key", S3, ANY, "/key"},
    {"https://b.s3.cn-north-1.amazonaws.com.cn/key", S3, ANY, "/key"},
    {"https://b.s3express-use1-az4.us-east-1.amazonaws.com/key", S3, ANY, "/key"},
    {"https://b.s3-accelerate.amazonaws.com/key", S3, ANY, "/key"},
    {"https://BUCKET.S3.AMAZONAWS.COM/key", S3, ANY, "/key"},
    {"http://127.0.0.1:9000/bucket/key#mode=s3", S3, ANY, "/bucket/key"},
    {"https://storage.googleapis.com/b/k#mode=nczarr,gs3", S3, NCZARR, "/b/k"},
    {"https://host/bucket/key#s3", S3, ANY, "/bucket/key"},

    /* http */
    {"https://host/x.zarr", HTTP, ANY, "/x.zarr"},
    {"http://host:8080/x#mode=zarr", HTTP, ZARR, "/x"},
    {"https://b.s3-website-us-east-1.amazonaws.com/key", HTTP, ANY, "/key"},
    {"https://ec2.us-east-1.amazonaws.com/x", HTTP, ANY, "/x"},
    {"https://s3.amazonaws.com.evil.org/x", HTTP, ANY, "/x"},
    {"https://s3.evilamazonaws.com/x", HTTP, ANY, "/x"},
    {"https://amazonaws.com/x", HTTP, ANY, "/x"},
    {"https://s3.example.org/x", HTTP, ANY, "/x"},
    {"https://host/x?token=y", HTTP, ANY, "/x"},
};

/* Texts name a URL without what may be secret in it. */
TEST(texts_show_no_secrets)
{
    static const struct {
        const char *text, *shown;
    } rows[] = {
        {"dir/a.zarr#mode=zarr", "dir/a.zarr#mode=zarr"},
        {"file:///a.zip#zarr", "file:///a.zip#zarr"},
        {"s3://Bucket/a%20b#aws.secret_access_key=canary", "s3://Bucket/a%20b"},
        {"https://h:8443/b/k?X-Amz-Signature=canary#mode=s3", "https://h:8443/b/k"},
        {"[show=canary]http://me:canary@[::1]:9000/b/k#mode=s3", "http://[::1]:9000/b/k"},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        ncz_target *t = NULL;

        assert_int_equal(ncz_target_parse(rows[i].text, false, &t), NC_NOERR);
        assert_string_equal(t->shown, rows[i].shown);
        ncz_target_free(t);
    }
}

TEST(paths_and_urls_mean_stores)
{
    for (size_t i = 0; i < NCZ_LEN(good); i++) {
        ncz_target *t = NULL;

        if (ncz_target_parse(good[i].text, false, &t) != NC_NOERR)
            fail_msg("%s: %s", good[i].text, ncz_err_text());
        if (t->store != good[i].store || t->conventions != good[i].conventions || strcmp(t->path, good[i].path) != 0)
            fail_msg("%s: store %d, conventions %d, path %s", good[i].text, (int)t->store, (int)t->conventions,
                     t->path);
        assert_string_equal(t->canonical, good[i].text);
        assert_int_equal(t->url, t->uri->scheme != NULL);
        ncz_target_free(t);
    }
}

/* Creating decides what opening leaves to what is there. */
TEST(creating_decides_what_opening_finds)
{
    for (size_t i = 0; i < NCZ_LEN(good); i++) {
        ncz_target *t = NULL;

        assert_int_equal(ncz_target_parse(good[i].text, true, &t), NC_NOERR);
        assert_int_equal(t->store, good[i].store == AUTO ? FILE_ : good[i].store);
        assert_int_equal(t->conventions, good[i].conventions == ANY ? NCZARR : good[i].conventions);
        ncz_target_free(t);
    }
}

static const struct {
    const char *text;
    int         code;
    const char *word; /* stands in the text */
} bad[] = {
    {"", NC_EINVAL, "empty"},
    {NULL, NC_EINVAL, "empty"},
    {"gopher://host/x", NC_EINVAL, "gopher"},
    {"ftp:///x", NC_EINVAL, "ftp"},
    {"dods://host/x#mode=zarr", NC_EINVAL, "dods"},
    {"file:///x#unknown=1&other", NC_EINVAL, "#unknown="},
    {"file:///x#colour=red", NC_EINVAL, "#colour="},
    {"file:///x#zarr=1", NC_EINVAL, "mode=zarr"},
    {"file:///x#dimension_seperator=/", NC_EINVAL, "did you mean dimension_separator=?"},
    {"x.zarr#dimension_seperator=/", NC_EINVAL, "did you mean dimension_separator=?"},
    {"file:///x#compt=4.9.2", NC_EINVAL, "did you mean compat=?"},
    {"s3://bucket/x#aws.regoin=eu-west-1", NC_EINVAL, "did you mean region=?"},
    {"s3://bucket/x#aws.acess_key_id=a", NC_EINVAL, "did you mean access_key_id=?"},
    {"x#mode=foo", NC_ENOTNC, "\"foo\""},
    {"x#mode=nczarr,foo", NC_ENOTNC, "\"foo\""},
    {"x#mode=nczarrx", NC_ENOTNC, "\"nczarrx\""},
    {"x#mode=zar", NC_ENOTNC, "\"zar\""},
    {"file:///x#mode=dap2", NC_ENOTNC, "other than Zarr"},
    {"https://h/x#mode=dap2", NC_ENOTNC, "dap2"},
    {"https://h/x#dap4", NC_ENOTNC, "dap4"},
    {"https://h/x#bytes&mode=v3", NC_EINVAL, "exclude each other"},
    {"x#mode=netcdf-4,cdf5", NC_EINVAL, "netcdf4 and cdf5 exclude each other"},
    {"x#mode=classic,nc4", NC_EINVAL, "classic and netcdf4 exclude each other"},
    {"x#mode=nc4,netcdf-3", NC_EINVAL, "netcdf4 and classic exclude each other"},
    {"x#mode=bytes", NC_ENOTNC, "bytes"},
    {"x#mode=hdf5,v3", NC_EINVAL, "exclude each other"},
    {"x#mode=hdf5", NC_ENOTNC, "mode hdf5 is for opening"},
    {"x#mode=udf0", NC_ENOTNC, "udf0"},
    {"x#mode=udf", NC_ENOTNC, "unknown"},
    {"x#mode=file,zip", NC_EINVAL, "two different stores"},
    {"x#zip&mode=file", NC_EINVAL, "two different stores"},
    {"x#mode=s3", NC_EINVAL, "s3"},
    {"file:///x#mode=s3", NC_EINVAL, "s3"},
    {"gcs://bucket/x", NC_EINVAL, "gs://bucket/key"},
    {"abfs://bucket/x", NC_EINVAL, "no S3 interface"},
    {"ftp://host/x", NC_EINVAL, "known are file, http, https, s3"},
    {"s3://b/k#mode=file", NC_EINVAL, "file URL"},
    {"https://h/k#mode=zip", NC_EINVAL, "file URL"},
    {"s3:///k", NC_EURL, "host"},
    {"https:///k", NC_EURL, "host"},
    {"x#compat=4.8.0", NC_EINVAL, "4.8.0"},
    {"x#compat=", NC_EINVAL, "compat"},
    {"x#compat=4.9.2&mode=zarr", NC_EINVAL, "compat"},
    {"x#consolidated=maybe", NC_EINVAL, "maybe"},
    {"x#write_empty_chunks=maybe", NC_EINVAL, "write_empty_chunks=maybe"},
    {"x#readahead=sometimes", NC_EINVAL, "readahead=sometimes"},
    {"x#dimension_separator=-", NC_EINVAL, "separator"},
    {"x#dimension_separator=./", NC_EINVAL, "separator"},
    {"x#dimension_separator=", NC_EINVAL, "separator"},
    {"x#chunk_keys=v3", NC_EINVAL, "chunk_keys=v3"},
    {"x#chunk_keys=", NC_EINVAL, "chunk_keys="},
    {"x#chunk_key=v2", NC_EINVAL, "did you mean chunk_keys=?"},
    {"file:///a%zz", NC_EURL, "hexadecimal"},
    {"http://h:x/", NC_EURL, "port"},
    {"x#mode=v2,v3", NC_EINVAL, "v2 and v3"},
    {"x#mode=nczarr,v3&compat=4.9.3", NC_EINVAL, "no release of netCDF-C reads v3"},
    {"x#mode=v4", NC_ENOTNC, "v4"},
};

TEST(bad_targets_are_refused)
{
    for (size_t i = 0; i < NCZ_LEN(bad); i++) {
        ncz_target *t = NULL;
        int         rc;

        ncz_err_clear();
        rc = ncz_target_parse(bad[i].text, i % 2 == 0, &t);
        if (rc != bad[i].code || t != NULL || strstr(ncz_err_text(), bad[i].word) == NULL)
            fail_msg("%s: %d, %s", bad[i].text, rc, ncz_err_text());
    }
}

TEST(an_archive_is_created_for_zarr_alone)
{
    ncz_target *t = NULL;

    assert_int_equal(ncz_target_parse("x.zip#mode=zip,netcdf4", true, &t), NC_EINVAL);
    assert_non_null(strstr(ncz_err_text(), "not for a netCDF-4 file: make the file in a directory"));
    assert_int_equal(ncz_target_parse("x.zip#mode=zip,netcdf4", false, &t), NC_NOERR); /* an entry of one */
    ncz_target_free(t);
}

static ncz_target *
target(const char *text)
{
    ncz_target *t = NULL;

    assert_int_equal(ncz_target_parse(text, false, &t), NC_NOERR);
    return t;
}

/* To create a file, nothing that only Zarr has goes with the modes of files. */
TEST(modes_of_files)
{
    static const struct {
        const char   *text;
        ncz_file_form form;
        ncz_tri       one_object;
    } rows[] = {
        {"x", NCZ_FILE_NONE, NCZ_UNSET},
        {"x#mode=bytes", NCZ_FILE_NONE, NCZ_YES},
        {"x#mode=classic", NCZ_FILE_CLASSIC, NCZ_YES},
        {"x#netcdf-3", NCZ_FILE_CLASSIC, NCZ_YES},
        {"x#mode=cdf1", NCZ_FILE_CDF1, NCZ_YES},
        {"x#mode=CDF2,classic", NCZ_FILE_CDF2, NCZ_YES},
        {"x#mode=hdf5", NCZ_FILE_NONE, NCZ_YES},
        {"x#mode=bytes,hdf5", NCZ_FILE_NONE, NCZ_YES},
        {"x#cdf5", NCZ_FILE_CDF5, NCZ_YES},
        {"x#mode=netcdf4", NCZ_FILE_NETCDF4, NCZ_YES},
        {"x#NC4", NCZ_FILE_NETCDF4, NCZ_YES},
        {"x#netcdf4", NCZ_FILE_NETCDF4, NCZ_YES},
        {"x.zarr#mode=netcdf-4,enhanced", NCZ_FILE_NETCDF4, NCZ_YES},
        {"x#mode=netcdf4,hdf5", NCZ_FILE_NETCDF4, NCZ_YES},
        {"x#mode=zarr", NCZ_FILE_NONE, NCZ_NO},
    };
    static const char *const contrary[] = {
        "x#mode=cdf1,cdf2",
        "x#mode=cdf1,zarr",
        "x#mode=cdf1,hdf5",
        "x#mode=hdf5,zarr",
        "x#mode=classic,v3",
        "x#mode=cdf5,zip",
        "x#mode=netcdf4,zarr",
        "x#mode=netcdf4,v3",
        "x#mode=nc4&chunk_keys=v2",
        "x#mode=cdf5,file",
        "x#mode=cdf1,noxarray",
        "x#mode=cdf1&compat=4.9.2",
        "x#mode=cdf1&consolidated=yes",
        "x#mode=cdf1&dimension_separator=/",
        "x#mode=cdf1&write_empty_chunks=yes",
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        ncz_target *t = target(rows[i].text);

        if (t->file_form != rows[i].form || t->one_object != rows[i].one_object)
            fail_msg("%s", rows[i].text);
        ncz_target_free(t);
    }
    for (size_t i = 0; i < NCZ_LEN(contrary); i++) {
        ncz_target *t = NULL;

        if (ncz_target_parse(contrary[i], true, &t) != NC_EINVAL)
            fail_msg("%s", contrary[i]);
    }
}

TEST(words_of_the_fragment_are_flags)
{
    static const struct {
        const char *text;
        bool        xarray;
        ncz_tri     consolidated;
        char        separator;
    } rows[] = {
        {"x", true, NCZ_UNSET, 0},
        {"x#mode=nczarr,noxarray", false, NCZ_UNSET, 0},
        {"x#noxarray", false, NCZ_UNSET, 0},
        {"x#mode=zarr,noxarray,consolidated", false, NCZ_YES, 0},
        {"x#mode=consolidated", true, NCZ_YES, 0},
        {"x#consolidated", true, NCZ_YES, 0},
        {"x#consolidated=yes", true, NCZ_YES, 0},
        {"x#consolidated=True", true, NCZ_YES, 0},
        {"x#consolidated=1", true, NCZ_YES, 0},
        {"x#consolidated=no", true, NCZ_NO, 0},
        {"x#consolidated=OFF", true, NCZ_NO, 0},
        {"x#dimension_separator=/", true, NCZ_UNSET, '/'},
        {"x#dimension_separator=%2F", true, NCZ_UNSET, '/'},
        {"x#dimension_separator=.", true, NCZ_UNSET, '.'},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        ncz_target *t = target(rows[i].text);

        if (t->xarray != rows[i].xarray || t->consolidated != rows[i].consolidated ||
            t->separator != rows[i].separator)
            fail_msg("%s", rows[i].text);
        ncz_target_free(t);
    }
}

TEST(yes_or_no)
{
    static const struct {
        const char *text;
        ncz_tri     write_empty, read_ahead, v2_keys;
    } rows[] = {
        {"x", NCZ_UNSET, NCZ_UNSET},
        {"x#mode=zarr", NCZ_UNSET, NCZ_UNSET},
        {"x#write_empty_chunks=yes", NCZ_YES, NCZ_UNSET},
        {"x#mode=zarr&write_empty_chunks=true", NCZ_YES, NCZ_UNSET},
        {"x#write_empty_chunks", NCZ_YES, NCZ_UNSET},
        {"file:///x#write_empty_chunks=No", NCZ_NO, NCZ_UNSET},
        {"x#readahead=no", NCZ_UNSET, NCZ_NO},
        {"x#ReadAhead=off&write_empty_chunks", NCZ_YES, NCZ_NO},
        {"file:///x#mode=zarr&readahead=yes", NCZ_UNSET, NCZ_YES},
        {"x#chunk_keys=v2", NCZ_UNSET, NCZ_UNSET, NCZ_YES},
        {"x#chunk_keys=default&mode=v3", NCZ_UNSET, NCZ_UNSET, NCZ_NO},
        {"x#chunk_keys=default", NCZ_UNSET, NCZ_UNSET, NCZ_NO},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        ncz_target *t = target(rows[i].text);

        assert_int_equal(t->write_empty, rows[i].write_empty);
        assert_int_equal(t->read_ahead, rows[i].read_ahead);
        assert_int_equal(t->v2_keys, rows[i].v2_keys);
        assert_string_equal(t->path, t->url ? "/x" : "x");
        ncz_target_free(t);
    }
}

/* A new dataset of Zarr v2 has v2's names of chunks; opening, the version is not known yet. */
TEST(chunk_keys_of_a_version)
{
    ncz_target *t = NULL;

    assert_int_equal(ncz_target_parse("x#chunk_keys=default", true, &t), NC_EINVAL);
    assert_non_null(strstr(ncz_err_text(), "mode v3"));
    assert_int_equal(ncz_target_parse("x#chunk_keys=default&mode=v2", true, &t), NC_EINVAL);
    assert_int_equal(ncz_target_parse("x#mode=v3&chunk_keys=default", true, &t), NC_NOERR);
    ncz_target_free(t);
    t = NULL;
    assert_int_equal(ncz_target_parse("x#chunk_keys=v2", true, &t), NC_NOERR);
    ncz_target_free(t);
}

/* `noxarray` says nothing about the conventions: NCZarr stays NCZarr. */
TEST(noxarray_keeps_the_conventions)
{
    ncz_target *t = target("x#mode=nczarr,noxarray");

    assert_int_equal(t->conventions, NCZARR);
    ncz_target_free(t);
    t = target("x#mode=zarr,noxarray");
    assert_int_equal(t->conventions, ZARR);
    ncz_target_free(t);
    ncz_target_free(NULL);
}

TEST(versions_of_zarr)
{
    static const struct {
        const char     *text, *path;
        int             zarr_format;
        ncz_conventions conventions;
    } rows[] = {
        {"x", "x", 0, NCZ_CONVENTIONS_AUTO},
        {"x#mode=nczarr,v3", "x", 3, NCZARR},
        {"x#mode=zarr,V3", "x", 3, ZARR},
        {"x#mode=v3", "x", 3, NCZ_CONVENTIONS_AUTO},
        {"x#mode=v2,file,v2", "x", 2, NCZ_CONVENTIONS_AUTO},
        {"x#mode=v2&compat=4.9.2", "x", 2, NCZ_CONVENTIONS_NCZARR_492},
        {"file:///x#v3", "/x", 3, NCZ_CONVENTIONS_AUTO},
        {"run#v2", "run#v2", 0, NCZ_CONVENTIONS_AUTO}, /* a name */
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        ncz_target *t = target(rows[i].text);

        if (t->zarr_format != rows[i].zarr_format || t->conventions != rows[i].conventions ||
            strcmp(t->path, rows[i].path) != 0)
            fail_msg("%s: v%d, %s", rows[i].text, t->zarr_format, t->path);
        ncz_target_free(t);
    }
}

TEST(out_of_memory)
{
    int rc = NC_ENOMEM;

    for (size_t n = 1; rc != NC_NOERR; n++) {
        ncz_target *t = NULL;

        fail_allocation(n);
        rc = ncz_target_parse("https://bucket.s3.amazonaws.com/p?q#mode=zarr,s3&log", true, &t);
        fail_allocation(0);
        if (rc != NC_NOERR) {
            assert_int_equal(rc, NC_ENOMEM);
            assert_null(t);
        }
        ncz_target_free(t);
        assert_true(n < 100);
    }
}
