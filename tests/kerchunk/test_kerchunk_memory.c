/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets in memory, which reach only what is allowed, and sets whose data are copied into memory. */
#include "nczarr.h"
#include "support/scratch.h"
#include "support/test.h"

#include <stdlib.h>
#include <unistd.h>

static char folder[64], path[200];

static int
set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/ncz-memory-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/set.json", folder);
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    scratch_remove(folder);
    return 0;
}

static const char small[] =
    "{\"version\":1,\"refs\":{\".zgroup\":{\"zarr_format\":2},\"v/.zarray\":{\"zarr_format\":2,"
    "\"shape\":[4],\"chunks\":[2],\"dtype\":\"|u1\",\"compressor\":null,\"filters\":null,"
    "\"fill_value\":9,\"order\":\"C\"},\"v/.zattrs\":{\"_ARRAY_DIMENSIONS\":[\"x\"]},"
    "\"v/0\":[\"data.bin\",0,2],\"v/1\":[\"data.bin\",2,2]}}";

static void
put_data(void)
{
    char file[200];

    snprintf(file, sizeof file, "%s/data.bin", folder);
    scratch_write(file, "\1\2\3\4", 4);
}

TEST_WITH(a_set_in_memory_reaches_what_is_allowed, set_up, tear_down)
{
    char          text[sizeof small], other[] = "text", where[400];
    NC_memio      block = {.size = sizeof small - 1, .memory = malloc(sizeof small)};
    unsigned char v[4];
    int           ncid;

    memcpy(text, small, sizeof small);
    put_data();
    if (nc_open_mem(path, NC_NOWRITE, sizeof small - 1, text, &ncid) != NC_NOERR)
        fail_msg("%s", nczarr_errmsg());
    assert_int_equal(nc_get_var_uchar(ncid, 0, v), NC_EAUTH); /* a relative place, too */
    assert_int_equal(nc_close(ncid), NC_NOERR);
    snprintf(where, sizeof where, "%s#allow=%s", path, folder);
    assert_int_equal(nc_open_mem(where, NC_NOWRITE, sizeof small - 1, text, &ncid), NC_NOERR);
    memset(text, 'x', sizeof text); /* it has been copied */
    if (nc_get_var_uchar(ncid, 0, v) != NC_NOERR)
        fail_msg("%s", nczarr_errmsg());
    assert_true(v[0] == 1 && v[3] == 4);
    assert_int_equal(nc_close(ncid), NC_NOERR);
    memcpy(text, small, sizeof small);
    assert_non_null(block.memory);
    memcpy(block.memory, small, sizeof small);
    assert_int_equal(nc_open_memio(where, NC_WRITE, &block, &ncid), NC_EPERM);
    free(block.memory); /* it is still the caller's */
    assert_int_equal(nc_open_mem("x#mode=kerchunk", NC_NOWRITE, 4, other, &ncid), NC_ENOTNC);
}

TEST_WITH(a_set_is_copied_into_memory_with_its_data, set_up, tear_down)
{
    unsigned char v[4];
    char          file[200];
    int           ncid;

    put_data();
    scratch_write(path, small, sizeof small - 1);
    assert_int_equal(nc_open(path, NC_DISKLESS | NC_WRITE, &ncid), NC_EPERM);
    if (nc_open(path, NC_DISKLESS, &ncid) != NC_NOERR)
        fail_msg("%s", nczarr_errmsg());
    snprintf(file, sizeof file, "%s/data.bin", folder);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(nc_get_var_uchar(ncid, 0, v), NC_NOERR);
    assert_true(v[0] == 1 && v[3] == 4);
    assert_int_equal(nc_close(ncid), NC_NOERR);
}
