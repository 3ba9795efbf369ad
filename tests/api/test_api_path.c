/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nczarr_path_split() and nczarr_path_overlap(): the parts of paths and URLs, and places with two names.
 */
#include "api_test.h"

#include <sys/stat.h>

static const struct {
    const char *text, *path, *fragment, *local, *shown;
    int         store, zarr_format, nczarr, zarr, classic;
} good[] = {
    {"a.zarr", "a.zarr", "", "a.zarr", "a.zarr", NCZARR_STORE_DIRECTORY, 0, -1, 0},
    {"a.zarr/", "a.zarr/", "", "a.zarr/", "a.zarr/", NCZARR_STORE_DIRECTORY, 0, -1, 0},
    {"a#b", "a#b", "", "a#b", "a#b", NCZARR_STORE_DIRECTORY, 0, -1, 0},
    {"a.ZIP", "a.ZIP", "", "a.ZIP", "a.ZIP", NCZARR_STORE_ARCHIVE, 0, -1, 0},
    {"a.zip#file", "a.zip", "mode=file", "a.zip", "a.zip#file", NCZARR_STORE_DIRECTORY, 0, -1, 0},
    {"a#zip&NCZarr", "a", "mode=zip,nczarr", "a", "a#zip&NCZarr", NCZARR_STORE_ARCHIVE, 0, 1, 1},
    {"a#b#Mode=Zarr&mode=v3", "a#b", "mode=Zarr,v3", "a#b", "a#b#Mode=Zarr&mode=v3", NCZARR_STORE_DIRECTORY, 3, 0, 1},
    {"a#mode#mode=", "a#mode", "mode=", "a#mode", "a#mode#mode=", NCZARR_STORE_DIRECTORY, 0, -1, 0},
    {"a#zip#aws.region=eu", "a#zip", "mode=", "a#zip", "a#zip#aws.region=eu", NCZARR_STORE_DIRECTORY, 0, -1, 0},
    {"a#m#mode=v2", "a#m", "mode=v2", "a#m", "a#m#mode=v2", NCZARR_STORE_DIRECTORY, 2, -1, 1},
    {"a#compat=4.9.2&zip.prefix=x%26y", "a", "compat=4.9.2&zip.prefix=x%26y", "a", "a#compat=4.9.2&zip.prefix=x%26y",
     NCZARR_STORE_DIRECTORY, 2, 1, 0},
    {"a#aws.region=eu", "a", "", "a", "a#aws.region=eu", NCZARR_STORE_DIRECTORY, 0, -1, 0},
    {"a#show=fetch&consolidated", "a", "mode=consolidated", "a", "a#show=fetch&consolidated", NCZARR_STORE_DIRECTORY,
     0, -1, 1},
    {"a#dimension_separator=/&consolidated=no", "a", "dimension_separator=/&consolidated=no", "a",
     "a#dimension_separator=/&consolidated=no", NCZARR_STORE_DIRECTORY, 0, -1, 0},
    {"file:///x/a%23zip%20b#mode=xarray", "file:///x/a%23zip%20b", "mode=xarray", "/x/a#zip b",
     "file:///x/a%23zip%20b#mode=xarray", NCZARR_STORE_DIRECTORY, 0, 0, 1},
    {"file://rel", "file://rel", "", "rel", "file://rel", NCZARR_STORE_DIRECTORY, 0, -1, 0},
    {"[mode=zarr,zip][show=x]file:///a#v2", "file:///a", "mode=zarr,zip,v2", "/a",
     "[mode=zarr,zip][show=x]file:///a#v2", NCZARR_STORE_ARCHIVE, 2, 0, 1},
    {"s3://b/k#aws.region=eu&mode=nczarr,v3", "s3://b/k", "mode=nczarr,v3&aws.region=eu", NULL, "s3://b/k",
     NCZARR_STORE_BUCKET, 3, 1, 1},
    {"https://u:p@h:8/b/k?q=1#mode=s3&aws.endpoint=http://x", "https://u:p@h:8/b/k?q=1",
     "mode=s3&aws.endpoint=http://x", NULL, "https://h:8/b/k", NCZARR_STORE_BUCKET, 0, -1, 0},
    {"http://h/k?q", "http://h/k?q", "", NULL, "http://h/k", NCZARR_STORE_WEB, 0, -1, 0},
    {"a.nc", "a.nc", "", "a.nc", "a.nc", NCZARR_STORE_DIRECTORY, 0, -1, 0},
    {"a#mode=classic", "a", "mode=classic", "a", "a#mode=classic", NCZARR_STORE_DIRECTORY, 0, -1, 0, 1},
    {"a#cdf2", "a", "mode=cdf2", "a", "a#cdf2", NCZARR_STORE_DIRECTORY, 0, -1, 0, 2},
    {"a.zarr#mode=cdf5", "a.zarr", "mode=cdf5", "a.zarr", "a.zarr#mode=cdf5", NCZARR_STORE_DIRECTORY, 0, -1, 0, 5},
    {"http://h/k#mode=bytes", "http://h/k", "mode=bytes", NULL, "http://h/k", NCZARR_STORE_WEB, 0, -1, 0},
};

static void
check_text(const char *text, const char *what, const char *got, const char *want)
{
    if ((got == NULL) != (want == NULL) || (got != NULL && strcmp(got, want) != 0))
        fail_msg("%s: %s is \"%s\", not \"%s\"", text, what, got ? got : "NULL", want ? want : "NULL");
}

TEST(paths_are_split_into_their_parts)
{
    for (size_t i = 0; i < NCZ_LEN(good); i++) {
        nczarr_path_parts p = {.size = sizeof p};

        if (nczarr_path_split(good[i].text, &p) != NC_NOERR)
            fail_msg("%s: %s", good[i].text, nczarr_errmsg());
        check_text(good[i].text, "path", p.path, good[i].path);
        check_text(good[i].text, "fragment", p.fragment, good[i].fragment);
        check_text(good[i].text, "local", p.local, good[i].local);
        check_text(good[i].text, "shown", p.shown, good[i].shown);
        if (p.store != good[i].store || p.zarr_format != good[i].zarr_format || p.nczarr != good[i].nczarr ||
            p.zarr != good[i].zarr || p.classic != good[i].classic)
            fail_msg("%s: store %d, version %d, nczarr %d, zarr %d, classic %d", good[i].text, p.store, p.zarr_format,
                     p.nczarr, p.zarr, p.classic);
        assert_int_equal(p.size, sizeof p);
        nczarr_path_clear(&p);
        assert_null(p.path);
        nczarr_path_clear(&p);
    }
}

/* PATH#FRAGMENT&more keys is what the text was, with these keys. */
TEST(joined_again)
{
    for (size_t i = 0; i < NCZ_LEN(good); i++) {
        nczarr_path_parts one = {.size = sizeof one}, two = {.size = sizeof two};
        char              text[300];
        const char       *kept;
        size_t            own;

        OK(nczarr_path_split(good[i].text, &one));
        kept = strcmp(one.fragment, "mode=") != 0 ? one.fragment : ""; /* there to end the path, if nothing else is */
        snprintf(text, sizeof text, "%s#%s%sreadahead=no", one.path, one.fragment,
                 one.fragment[0] != '\0' ? "&" : "");
        OK(nczarr_path_split(text, &two));
        check_text(text, "path", two.path, one.path);
        check_text(text, "local", two.local, one.local);
        assert_int_equal(two.store, one.store);
        assert_int_equal(two.zarr_format, one.zarr_format);
        assert_int_equal(two.nczarr, one.nczarr);
        /* Keys of stores come last. */
        own = strstr(kept, "&aws.") != NULL ? (size_t)(strstr(kept, "&aws.") - kept) : strlen(kept);
        snprintf(text, sizeof text, "%.*s%sreadahead=no%s", (int)own, kept, own > 0 ? "&" : "", kept + own);
        check_text(good[i].text, "fragment", two.fragment, text);
        nczarr_path_clear(&one);
        nczarr_path_clear(&two);
    }
}

/* A program that was built before the last member was added has less room. */
TEST(earlier_release)
{
    nczarr_path_parts p = {.size = offsetof(nczarr_path_parts, classic), .classic = 77};

    OK(nczarr_path_split("a#mode=cdf5", &p));
    assert_int_equal(p.classic, 77);
    assert_int_equal(p.size, offsetof(nczarr_path_parts, classic));
    nczarr_path_clear(&p);
}

TEST(mistakes_in_paths_are_named)
{
    nczarr_path_parts p = {.size = sizeof p}, small = {.size = offsetof(nczarr_path_parts, zarr)};
    int               overlap = 7;

    FAILS(NC_EINVAL, nczarr_path_split(NULL, &p));
    FAILS(NC_EINVAL, nczarr_path_split("", &p));
    FAILS(NC_EINVAL, nczarr_path_split("a", NULL));
    FAILS(NC_EINVAL, nczarr_path_split("a", &small));
    FAILS(NC_EINVAL, nczarr_path_split("gopher://x", &p));
    FAILS(NC_EINVAL, nczarr_path_split("a#mode=v2,v3", &p));
    FAILS(NC_EINVAL, nczarr_path_split("a#dimension_seperator=/", &p));
    FAILS(NC_ENOTNC, nczarr_path_split("a#mode=dap2", &p));
    FAILS(NC_EURL, nczarr_path_split("file:///a%zz", &p));
    assert_null(p.path);
    FAILS(NC_EINVAL, nczarr_path_overlap("a", NULL, &overlap));
    FAILS(NC_EURL, nczarr_path_overlap("file:///a%zz", "a", &overlap));
    assert_int_equal(overlap, 7);
    OK(nczarr_path_overlap("a", "a", NULL));
}

static int
overlaps(const char *a, const char *b)
{
    int one = -1, two = -2;

    OK(nczarr_path_overlap(a, b, &one));
    OK(nczarr_path_overlap(b, a, &two));
    assert_int_equal(one, two);
    return one;
}

TEST(local_places)
{
    char  dir[300], link[400], inside[500], other[400], url[600];
    place p;

    place_make(&p, false);
    snprintf(dir, sizeof dir, "%s/there", p.dir);
    snprintf(link, sizeof link, "%s/link", p.dir);
    snprintf(other, sizeof other, "%s/there2", p.dir);
    assert_int_equal(mkdir(dir, 0777), 0);
    assert_int_equal(symlink("there", link), 0);
    assert_true(overlaps(dir, dir));
    assert_true(overlaps(dir, link));
    assert_true(overlaps(dir, p.dir));
    assert_true(overlaps("/", link));
    assert_false(overlaps(dir, other));
    snprintf(url, sizeof url, "file://%s/%%74here/#mode=zip,v3", p.dir);
    assert_true(overlaps(url, link));
    snprintf(inside, sizeof inside, "%s/not/yet#log", link);
    assert_true(overlaps(inside, dir));
    assert_false(overlaps(inside, other));
    snprintf(inside, sizeof inside, "%s/not/../../there2/./x", link); /* what does not exist has no links */
    assert_true(overlaps(inside, other));
    assert_true(overlaps("not/there", "./not//there/"));
    assert_false(overlaps("not/there", "not/theres"));
    assert_false(overlaps("a.zarr", "s3://a.zarr"));
    assert_int_equal(unlink(link), 0);
    assert_int_equal(rmdir(dir), 0);
    place_drop(&p);
}
