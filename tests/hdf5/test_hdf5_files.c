/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that HDF5 wrote: what is found in them is what tests/hdf5/compare.py found equal to h5py's view; behind a block
 * of the user; in how many requests.
 */
#include "hdf5/golden.h"
#include "support/failing_alloc.h"
#include "support/test.h"

static const char *const names[] = GOLDEN_FILES;

static void
load_expected(const char *name, ncz_buf *out)
{
    char json[64];

    (void)snprintf(json, sizeof json, "%.*s.json", (int)(strchr(name, '.') - name), name);
    golden_load(json, out);
}

/* Its bytes behind `before` zeros. */
static void
shift_file(const ncz_buf *file, size_t before, ncz_buf *out)
{
    *out = NCZ_BUF_INIT;
    assert_int_equal(ncz_buf_reserve(out, before + file->len), NC_NOERR);
    memset(out->data, 0, before);
    memcpy(out->data + before, file->data, file->len);
    out->len = before + file->len;
}

TEST(contents_of_golden_files_are_as_expected)
{
    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        ncz_buf    file, expected, json;
        hdf5_bytes bytes;
        ncz_hdf5  *f;

        golden_load(names[i], &file);
        load_expected(names[i], &expected);
        f = golden_open(&file, &bytes);
        assert_int_equal(hdf5_json(f, 0, &json), NC_NOERR);
        assert_string_equal(ncz_buf_str(&json), ncz_buf_str(&expected));
        assert_int_equal(bytes.reads, 1); /* all of its structure comes with the opening */
        ncz_hdf5_close(f);
        ncz_buf_clear(&json);
        ncz_buf_clear(&expected);
        ncz_buf_clear(&file);
    }
}

TEST(user_block)
{
    static const size_t before[] = {512, 1024, 4096, 4 << 20};

    for (size_t i = 0; i < NCZ_LEN(names) * NCZ_LEN(before); i++) {
        const char *name = names[i / NCZ_LEN(before)];
        ncz_buf     file, shifted, expected, json;
        hdf5_bytes  bytes;
        ncz_hdf5   *f;

        golden_load(name, &file);
        load_expected(name, &expected);
        shift_file(&file, before[i % NCZ_LEN(before)], &shifted);
        f = golden_open(&shifted, &bytes);
        assert_int_equal(hdf5_json(f, 0, &json), NC_NOERR);
        assert_string_equal(ncz_buf_str(&json), ncz_buf_str(&expected));
        assert_true(bytes.reads < 12);
        ncz_hdf5_close(f);
        ncz_buf_clear(&json);
        ncz_buf_clear(&expected);
        ncz_buf_clear(&shifted);
        ncz_buf_clear(&file);
    }
}

/* Of a file on disk only what is around the structure is read. */
TEST(a_near_file_is_read_where_its_structure_is)
{
    enum { BEFORE = 4 << 20, AROUND = 1 << 18 };

    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        ncz_buf         file, shifted, expected, json;
        hdf5_bytes      bytes;
        ncz_read_source source;
        ncz_hdf5       *f = NULL;

        golden_load(names[i], &file);
        load_expected(names[i], &expected);
        shift_file(&file, BEFORE, &shifted);
        bytes = (hdf5_bytes){.data = (const unsigned char *)shifted.data, .len = shifted.len};
        source = hdf5_bytes_source(&bytes);
        source.far = false;
        assert_int_equal(ncz_hdf5_open(&source, &ncz_limits_default, &f), NC_NOERR);
        assert_int_equal(hdf5_json(f, 0, &json), NC_NOERR);
        assert_string_equal(ncz_buf_str(&json), ncz_buf_str(&expected));
        assert_true(bytes.nbytes < file.len + AROUND);
        ncz_hdf5_close(f);
        ncz_buf_clear(&json);
        ncz_buf_clear(&expected);
        ncz_buf_clear(&shifted);
        ncz_buf_clear(&file);
    }
}

TEST(other_files)
{
    ncz_buf         file, shifted;
    hdf5_bytes      bytes = {.data = NULL};
    ncz_read_source source = hdf5_bytes_source(&bytes);
    ncz_hdf5       *f = NULL;

    assert_int_equal(ncz_hdf5_open(&source, &ncz_limits_default, &f), NC_ENOTNC); /* nothing */
    golden_load("netcdf.nc", &file);
    shift_file(&file, 513, &shifted);
    bytes = (hdf5_bytes){.data = (const unsigned char *)shifted.data, .len = shifted.len};
    source = hdf5_bytes_source(&bytes);
    assert_int_equal(ncz_hdf5_open(&source, &ncz_limits_default, &f), NC_ENOTNC); /* not at a place of its own */
    source.size = UINT64_MAX;
    assert_int_equal(ncz_hdf5_open(&source, &ncz_limits_default, &f), NC_EINVAL);
    ncz_buf_clear(&shifted);
    ncz_buf_clear(&file);
}

/* The superblock's version is at byte 8, its root's address before the checksum. */
TEST(damaged_superblocks_are_refused)
{
    ncz_buf         file;
    hdf5_bytes      bytes;
    ncz_read_source source;
    ncz_hdf5       *f = NULL;

    golden_load("v110.h5", &file);
    bytes = (hdf5_bytes){.data = (const unsigned char *)file.data, .len = file.len};
    source = hdf5_bytes_source(&bytes);
    file.data[8] = 4;
    assert_int_equal(ncz_hdf5_open(&source, &ncz_limits_default, &f), NC_ENOTBUILT);
    assert_non_null(strstr(ncz_err_text(), "version 4"));
    file.data[8] = 3;
    file.data[40] ^= 1;
    assert_int_equal(ncz_hdf5_open(&source, &ncz_limits_default, &f), NC_EHDFERR);
    assert_non_null(strstr(ncz_err_text(), "checksum"));
    file.data[40] ^= 1;
    file.data[9] = 16;
    assert_int_equal(ncz_hdf5_open(&source, &ncz_limits_default, &f), NC_ENOTBUILT);
    file.data[9] = 3;
    assert_int_equal(ncz_hdf5_open(&source, &ncz_limits_default, &f), NC_EHDFERR);
    ncz_buf_clear(&file);

    golden_load("earliest.h5", &file);
    bytes = (hdf5_bytes){.data = (const unsigned char *)file.data, .len = file.len};
    source = hdf5_bytes_source(&bytes);
    file.data[48] = 0; /* the address of a driver's block */
    assert_int_equal(ncz_hdf5_open(&source, &ncz_limits_default, &f), NC_ENOTBUILT);
    assert_non_null(strstr(ncz_err_text(), "several"));
    ncz_buf_clear(&file);
}

/* What is rare is refused by name: when the file is opened, or what needs it is read. */
TEST(rare_features_are_refused_by_name)
{
    static const struct {
        const char *name, *text;
    } cases[] = {
        {"refused_family.h5", "several"},
        {"refused_family_new.h5", "several"},
        {"refused_image.h5", "image of HDF5's metadata cache"},
        {"refused_sohm.h5", "table of shared ones"},
        {"refused_heap_filter.h5", "compressed"},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        ncz_buf         file, json = NCZ_BUF_INIT;
        hdf5_bytes      bytes;
        ncz_read_source source;
        ncz_hdf5       *f = NULL;
        int             rc;

        golden_load(cases[i].name, &file);
        bytes = (hdf5_bytes){.data = (const unsigned char *)file.data, .len = file.len};
        source = hdf5_bytes_source(&bytes);
        if ((rc = ncz_hdf5_open(&source, &ncz_limits_default, &f)) == NC_NOERR)
            rc = hdf5_json(f, 0, &json);
        assert_int_equal(rc, NC_ENOTBUILT);
        assert_non_null(strstr(ncz_err_text(), cases[i].text));
        ncz_hdf5_close(f);
        ncz_buf_clear(&json);
        ncz_buf_clear(&file);
    }
}

static int
read_all(void *arg)
{
    hdf5_bytes      bytes = {.data = (const unsigned char *)((ncz_buf *)arg)->data, .len = ((ncz_buf *)arg)->len};
    ncz_read_source source = hdf5_bytes_source(&bytes);
    ncz_buf         json = NCZ_BUF_INIT;
    ncz_hdf5       *f = NULL;
    int             rc = ncz_hdf5_open(&source, &ncz_limits_default, &f);

    if (rc == NC_NOERR)
        rc = hdf5_json(f, 0, &json);
    ncz_hdf5_close(f);
    ncz_buf_clear(&json);
    return rc;
}

TEST(no_memory)
{
    for (size_t i = 1; i < NCZ_LEN(names); i++) {
        ncz_buf file;

        golden_load(names[i], &file);
        for (size_t nth = next_allocation(0);; nth = next_allocation(nth)) {
            int rc;

            fail_allocation(nth);
            rc = read_all(&file);
            if (!end_failing()) {
                assert_int_equal(rc, NC_NOERR);
                break;
            }
            assert_int_equal(rc, NC_ENOMEM);
        }
        ncz_buf_clear(&file);
    }
}
