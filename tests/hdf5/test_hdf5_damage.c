/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Damaged files: cut, and with bytes changed, with checksums verified and without. What is found is an error with a
 * text, or right in form; time and memory are bounded by the file's size.
 *
 * usage: hdf5_damage [STRIDE]      every STRIDE-th byte; 1 is all of them
 */
#include "hdf5/golden.h"
#include "hdf5/hdf5_int.h"
#include "support/failing_alloc.h"
#include "support/test.h"

enum { MEMORY = 8 << 20, JSON = 4 << 20 };

static const char *const names[] = GOLDEN_FILES;
static size_t            stride = 211;

/* The codes that a reader may give. The last is that of a text that gets too long. */
static bool
is_expected(int rc)
{
    return rc == NC_NOERR || rc == NC_EHDFERR || rc == NC_ENOTBUILT || rc == NC_ENOTNC || rc == NC_ENOMEM;
}

static void
read_damaged(const char *data, size_t n, bool any_sum)
{
    hdf5_bytes      bytes = {.data = (const unsigned char *)data, .len = n};
    ncz_read_source source = hdf5_bytes_source(&bytes);
    ncz_buf         json = NCZ_BUF_INIT;
    ncz_hdf5       *f = NULL;
    int             rc;

    ncz_err_clear();
    watch_allocations();
    rc = ncz_hdf5_open(&source, &ncz_limits_default, &f);
    if (rc == NC_NOERR) {
        f->any_sum = any_sum;
        rc = hdf5_json(f, JSON, &json);
    }
    ncz_hdf5_close(f);
    ncz_buf_clear(&json);
    assert_true(is_expected(rc));
    assert_true(rc == NC_NOERR || ncz_err_text()[0] != 0);
    assert_true(largest_allocation() <= MEMORY);
    assert_true(bytes.nbytes <= 400 * n); /* of some 40 objects */
    (void)end_failing();
}

TEST(cut_files_do_no_harm)
{
    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        ncz_buf file;

        golden_load(names[i], &file);
        for (size_t n = 0; n < file.len; n += stride) {
            char *part = malloc(n + 1); /* of its own, so that a sanitizer sees a read past the end */

            assert_non_null(part);
            memcpy(part, file.data, n);
            read_damaged(part, n, false);
            free(part);
        }
        ncz_buf_clear(&file);
    }
}

TEST(changed_bytes_do_no_harm)
{
    static const unsigned char changes[] = {0xff, 0x01, 0x80};

    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        ncz_buf file;

        golden_load(names[i], &file);
        for (size_t at = 0; at < file.len; at += stride)
            for (size_t k = 0; k < NCZ_LEN(changes); k++) {
                file.data[at] = (char)(file.data[at] ^ changes[k]);
                read_damaged(file.data, file.len, k > 0);
                file.data[at] = (char)(file.data[at] ^ changes[k]);
            }
        ncz_buf_clear(&file);
    }
}

/* Several bytes at once, near each other, where structures are. */
TEST(scrambled_structures_do_no_harm)
{
    unsigned seed = 7;

    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        ncz_buf file, copy;

        golden_load(names[i], &file);
        golden_load(names[i], &copy);
        for (size_t run = 0; run < 60000 / stride; run++) {
            for (unsigned k = 0; k < 1 + run % 4; k++) {
                seed = seed * 1103515245u + 12345u;
                copy.data[(seed >> 8) % copy.len] = (char)(seed >> 4 & (k % 2 != 0 ? 0xff : 3));
            }
            read_damaged(copy.data, copy.len, true);
            memcpy(copy.data, file.data, file.len);
        }
        ncz_buf_clear(&copy);
        ncz_buf_clear(&file);
    }
}

/* A changed byte of a structure with a checksum is noticed: of the root's header. */
TEST(a_changed_byte_fails_its_checksum)
{
    ncz_buf    file;
    hdf5_bytes bytes;
    uint64_t   root;
    ncz_hdf5  *f;

    golden_load("v110.h5", &file);
    f = golden_open(&file, &bytes);
    root = ncz_hdf5_root(f);
    ncz_hdf5_close(f);
    for (size_t i = 8; i < 40; i++) {
        ncz_hdf5_object o;

        file.data[root + i] ^= 1;
        f = golden_open(&file, &bytes);
        assert_int_equal(ncz_hdf5_object_read(f, root, &o), NC_EHDFERR);
        assert_non_null(strstr(ncz_err_text(), "checksum"));
        ncz_hdf5_close(f);
        file.data[root + i] ^= 1;
    }
    ncz_buf_clear(&file);
}

int
main(int argc, char **argv)
{
    if (argc > 1)
        stride = strtoul(argv[1], NULL, 10);
    return stride > 0 ? run_file_tests(NULL, NULL) : 1;
}
