/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files of 180 drawn programs (classic_calls.c) are those that netCDF-C 4.9.0 makes of the same calls: their sizes
 * and sums are in tests/data/classic/sums.txt, which tests/programs/classic_bytes.py wrote. That script compares many
 * more, byte by byte, with netCDF-C itself.
 */
#include "api_test.h"

#include "classic_calls.h"
#include "support/scratch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static uint64_t
sum(const char *bytes, size_t n)
{
    uint64_t h = 0xcbf29ce484222325ULL; /* FNV-1a */

    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)bytes[i]) * 0x100000001b3ULL;
    return h;
}

TEST(same_sums)
{
    char  *dir = scratch_new(), *path = scratch_path(dir, "f.nc"), name[300], line[200];
    FILE  *f;
    size_t n = 0;

    snprintf(name, sizeof name, "%s/classic/sums.txt", NCZ_TEST_DATA);
    assert_non_null(f = fopen(name, "r"));
    while (fgets(line, sizeof line, f) != NULL) {
        int           version;
        unsigned long seed;
        size_t        size, len = 0;
        uint64_t      want;
        const char   *failed = "";
        char         *got;

        if (line[0] == '#')
            continue;
        assert_int_equal(sscanf(line, "%d %lu %zu %" SCNx64, &version, &seed, &size, &want), 4);
        scratch_empty(dir);
        if (classic_calls(path, version, seed, &failed) != NC_NOERR)
            fail_msg("CDF-%d, %lu: %s: %s", version, seed, failed, nczarr_errmsg());
        assert_non_null(got = scratch_read(path, &len));
        if (len != size || sum(got, len) != want)
            fail_msg("CDF-%d, %lu: %zu bytes, not the %zu of netCDF-C's file, or others", version, seed, len, size);
        free(got);
        n++;
    }
    assert_int_equal(fclose(f), 0);
    assert_true(n >= 150);
    scratch_free(dir);
}

int
main(void)
{
    if (access("/dev/shm", W_OK | X_OK) == 0)
        (void)setenv("TMPDIR", "/dev/shm", 0);
    return run_file_tests(NULL, NULL);
}
