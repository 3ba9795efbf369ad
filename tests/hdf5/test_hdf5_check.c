/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The check of a whole file: files of libhdf5 have no fault, and each range of bytes is in use once; damage is a fault,
 * whatever it is, within bounds of time and memory.
 *
 * usage: hdf5_check [STRIDE]      every STRIDE-th byte; 1 is all of them
 */
#include "hdf5/golden.h"
#include "hdf5/hdf5_check.h"
#include "hdf5/hdf5_int.h"
#include "support/failing_alloc.h"
#include "support/test.h"

#include <stdlib.h>

enum { MEMORY = 8 << 20 };

static const char *const names[] = GOLDEN_FILES;
static size_t            stride = 211;

typedef struct found {
    size_t   nfaults, nextents;
    uint64_t end, bytes; /* of ranges */
    bool     ordered;
} found;

static int
count_fault(void *arg, const ncz_hdf5_fault *fault)
{
    found *f = arg;

    f->nfaults++;
    assert_true(fault->text[0] != 0);
    return NC_NOERR;
}

static int
count_extent(void *arg, const ncz_hdf5_extent *e)
{
    found *f = arg;

    f->nextents++;
    f->ordered &= e->addr >= f->end;
    f->end = e->addr + e->len;
    f->bytes += e->len;
    return NC_NOERR;
}

static int
check(ncz_hdf5 *f, found *out)
{
    ncz_hdf5_checker c = {.fault = count_fault, .extent = count_extent, .arg = out};

    *out = (found){.ordered = true};
    return ncz_hdf5_check(f, &c);
}

TEST(files_of_libhdf5_have_no_fault_and_use_each_byte_once)
{
    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        ncz_buf    file;
        hdf5_bytes bytes;
        ncz_hdf5  *f;
        found      what;

        golden_load(names[i], &file);
        f = golden_open(&file, &bytes);
        assert_int_equal(check(f, &what), NC_NOERR);
        assert_int_equal(what.nfaults, 0);
        assert_true(what.ordered);
        assert_true(what.end <= file.len && what.bytes > file.len / 3);
        ncz_hdf5_close(f);
        ncz_buf_clear(&file);
    }
}

static int
stop(void *arg, const ncz_hdf5_extent *e)
{
    (void)e;
    return --*(int *)arg == 0 ? NC_EINVAL : NC_NOERR;
}

TEST(what_a_callback_returns_ends_the_check)
{
    ncz_buf          file;
    hdf5_bytes       bytes;
    ncz_hdf5        *f;
    int              left = 3;
    ncz_hdf5_checker c = {.extent = stop, .arg = &left};

    golden_load(names[0], &file);
    f = golden_open(&file, &bytes);
    assert_int_equal(ncz_hdf5_extents(f, &c), NC_EINVAL);
    assert_int_equal(left, 0);
    ncz_hdf5_close(f);
    ncz_buf_clear(&file);
}

/* True: it is noticed. */
static bool
check_damaged(const char *data, size_t n, bool any_sum)
{
    hdf5_bytes      bytes = {.data = (const unsigned char *)data, .len = n};
    ncz_read_source source = hdf5_bytes_source(&bytes);
    ncz_hdf5       *f = NULL;
    found           what = {.nfaults = 0};
    int             rc;

    ncz_err_clear();
    watch_allocations();
    rc = ncz_hdf5_open(&source, &ncz_limits_default, &f);
    if (rc == NC_NOERR) {
        f->any_sum = any_sum;
        rc = check(f, &what);
        assert_int_equal(rc, NC_NOERR);
    }
    ncz_hdf5_close(f);
    assert_true(largest_allocation() <= MEMORY);
    assert_true(bytes.nbytes <= 400 * n);
    (void)end_failing();
    return rc != NC_NOERR || what.nfaults > 0;
}

/* The bytes that the structure takes. */
static int
mark(void *arg, const ncz_hdf5_extent *e)
{
    char *marks = arg;

    if (e->part < NCZ_HDF5_PART_CHUNK && e->part != NCZ_HDF5_PART_COLLECTION)
        for (uint64_t i = 0; i < e->len; i++)
            marks[e->addr + i] = 1;
    return NC_NOERR;
}

TEST(changed_bytes_of_structures_with_checksums_are_noticed_each)
{
    static const char *const summed[] = {"v110.h5", "v200.h5", "edges.h5"};

    for (size_t i = 0; i < NCZ_LEN(summed); i++) {
        ncz_buf          file;
        hdf5_bytes       bytes;
        ncz_hdf5        *f;
        char            *marks;
        ncz_hdf5_checker c = {.extent = mark};
        size_t           n = 0, noticed = 0;

        golden_load(summed[i], &file);
        marks = calloc(file.len, 1);
        c.arg = marks;
        f = golden_open(&file, &bytes);
        assert_int_equal(ncz_hdf5_extents(f, &c), NC_NOERR);
        ncz_hdf5_close(f);
        for (size_t at = 0; at < file.len; at += stride) {
            if (!marks[at])
                continue;
            file.data[at] = (char)(file.data[at] ^ 0x10);
            n++;
            noticed += check_damaged(file.data, file.len, false);
            file.data[at] = (char)(file.data[at] ^ 0x10);
        }
        print_message("%s: %zu of %zu changes of a byte are noticed\n", summed[i], noticed, n);
        assert_true(noticed > 0 && noticed <= n);
        free(marks);
        ncz_buf_clear(&file);
    }
}

TEST(changed_bytes_behind_checksums_do_no_harm)
{
    static const unsigned char changes[] = {0xff, 0x01, 0x80};

    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        ncz_buf file;

        golden_load(names[i], &file);
        for (size_t at = 0; at < file.len; at += stride)
            for (size_t k = 0; k < NCZ_LEN(changes); k++) {
                file.data[at] = (char)(file.data[at] ^ changes[k]);
                (void)check_damaged(file.data, file.len, true);
                file.data[at] = (char)(file.data[at] ^ changes[k]);
            }
        ncz_buf_clear(&file);
    }
}

TEST(cut_files_are_faults)
{
    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        ncz_buf file;

        golden_load(names[i], &file);
        for (size_t n = 0; n < file.len; n += stride) {
            char *part = malloc(n + 1); /* of its own, so that a sanitizer sees a read past the end */

            assert_non_null(part);
            memcpy(part, file.data, n);
            assert_true(check_damaged(part, n, false));
            free(part);
        }
        ncz_buf_clear(&file);
    }
}

typedef struct one_file {
    ncz_buf    file;
    hdf5_bytes bytes;
    found      what;
} one_file;

static int
check_once(void *arg)
{
    one_file       *o = arg;
    ncz_read_source source = hdf5_bytes_source(&o->bytes);
    ncz_hdf5       *f = NULL;
    int             rc = ncz_hdf5_open(&source, &ncz_limits_default, &f);

    if (rc == NC_NOERR)
        rc = check(f, &o->what);
    ncz_hdf5_close(f);
    return rc;
}

TEST(an_allocation_that_fails_is_an_error_of_the_check)
{
    one_file o;

    golden_load("heap.h5", &o.file);
    o.bytes = (hdf5_bytes){.data = (const unsigned char *)o.file.data, .len = o.file.len};
    each_allocation_fails(check_once, &o);
    assert_int_equal(o.what.nfaults, 0);
    ncz_buf_clear(&o.file);
}

int
main(int argc, char **argv)
{
    if (argc > 1)
        stride = strtoul(argv[1], NULL, 10);
    return stride > 0 ? run_file_tests(NULL, NULL) : 1;
}
