/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Damaged files: cut, and with bytes changed. What is found is an error with a text, or right in form; time and memory
 * are bounded by the file's size.
 *
 * usage: hdf4_damage [STRIDE]      every STRIDE-th byte; 1 is all of them
 */
#include "hdf4/bytes.h"
#include "support/failing_alloc.h"
#include "support/test.h"

enum { MEMORY = 8 << 20, BYTES_TIMES = 400, BYTES_LEAST = 8 << 20 };

static const char *const names[] = HDF4_FILES;
static size_t            stride = 97;

static void
read_damaged(const char *data, size_t n)
{
    hdf4_bytes b = {.data = (const unsigned char *)data, .len = n};
    ncz_hdf4  *f = NULL;
    size_t     nvars = 0, nchunks = 0;
    int        rc;

    ncz_err_clear();
    watch_allocations();
    rc = hdf4_open(&b, &f);
    if (rc == NC_NOERR)
        rc = hdf4_walk(f, &nvars, &nchunks);
    ncz_hdf4_close(f);
    assert_true(rc == NC_NOERR || rc == NC_EHDFERR || rc == NC_ENOTBUILT || rc == NC_ENOTNC);
    assert_true(rc == NC_NOERR || ncz_err_text()[0] != 0);
    assert_true(largest_allocation() <= MEMORY);
    assert_true(b.nbytes <= BYTES_LEAST + BYTES_TIMES * n);
    (void)end_failing();
}

TEST(cut_files_do_no_harm)
{
    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        ncz_buf file;

        hdf4_load(names[i], &file);
        for (size_t n = 0; n < file.len; n += stride) {
            char *part = malloc(n + 1); /* of its own, so that a sanitizer sees a read past the end */

            assert_non_null(part);
            memcpy(part, file.data, n);
            read_damaged(part, n);
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

        hdf4_load(names[i], &file);
        for (size_t at = 0; at < file.len; at += stride)
            for (size_t k = 0; k < NCZ_LEN(changes); k++) {
                file.data[at] = (char)(file.data[at] ^ changes[k]);
                read_damaged(file.data, file.len);
                file.data[at] = (char)(file.data[at] ^ changes[k]);
            }
        ncz_buf_clear(&file);
    }
}

/* Several bytes at once. */
TEST(scrambled_structures_do_no_harm)
{
    unsigned seed = 7;

    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        ncz_buf file, copy;

        hdf4_load(names[i], &file);
        hdf4_load(names[i], &copy);
        for (size_t run = 0; run < 30000 / stride; run++) {
            for (unsigned k = 0; k < 1 + run % 4; k++) {
                seed = seed * 1103515245u + 12345u;
                copy.data[(seed >> 8) % copy.len] = (char)(seed >> 4 & (k % 2 != 0 ? 0xff : 3));
            }
            read_damaged(copy.data, copy.len);
            memcpy(copy.data, file.data, file.len);
        }
        ncz_buf_clear(&copy);
        ncz_buf_clear(&file);
    }
}

int
main(int argc, char **argv)
{
    if (argc > 1)
        stride = strtoul(argv[1], NULL, 10);
    return stride > 0 ? run_file_tests(NULL, NULL) : 1;
}
