/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether places are there, asked without reading: each once, however many chunks name it; what is missing, short or
 * refused is told, and does not hide the rest.
 */
#include "nczarr.h"
#include "nczarr_zmap.h"
#include "s3/stub.h"
#include "support/scratch.h"
#include "support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define HEAD                                                                                                         \
    "\".zgroup\":{\"zarr_format\":2},\"v/.zarray\":{\"zarr_format\":2,\"shape\":[200000],\"chunks\":[2],"            \
    "\"dtype\":\"|u1\",\"compressor\":null,\"filters\":null,\"fill_value\":9,\"order\":\"C\"},"                      \
    "\"v/.zattrs\":{\"_ARRAY_DIMENSIONS\":[\"x\"]}"

enum { CHUNKS = 100000 };

static unsigned asked, whole; /* requests; those that asked for more than a byte */

static void
answer(const stub_request *req, stub_reply *reply, void *arg)
{
    char *path = stub_path(req), *range = stub_header(req, "range");

    (void)arg;
    asked++;
    whole += range == NULL || strcmp(range, "bytes=0-0") != 0;
    if (strcmp(path, "/d/good.bin") == 0 || strcmp(path, "/d/short.bin") == 0) {
        stub_say(reply, 206, "x");
        stub_add(reply, "Content-Range", path[3] == 'g' ? "bytes 0-0/200000" : "bytes 0-0/10");
    } else {
        stub_say(reply, 404, "");
    }
    free(path);
    free(range);
}

static char folder[64], path[200];

static int
set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/ncz-places-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/set.json", folder);
    asked = whole = 0;
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    scratch_remove(folder);
    return 0;
}

typedef struct seen {
    size_t             all, good, gone, refused, bad_size;
    unsigned long long refs;
    char               last[300];
} seen;

static int
note(const nczarr_place_item *item, void *arg)
{
    seen *s = arg;

    s->all++;
    s->refs += item->count;
    s->good += item->status == NC_NOERR;
    s->gone += item->status == NC_ENOOBJECT;
    s->bad_size += item->status == NC_EINVAL;
    s->refused += item->status == NC_EAUTH;
    assert_true((item->why[0] == '\0') == (item->status == NC_NOERR));
    if (item->status != NC_NOERR)
        snprintf(s->last, sizeof s->last, "%s %s", item->place, item->why);
    return 0;
}

TEST_WITH(each_place_is_asked_once, set_up, tear_down)
{
    stub  *server = stub_start(answer, NULL);
    char  *text = malloc((size_t)CHUNKS * 100), *at, allow[300];
    seen   s = {.all = 0};
    int    ncid;
    size_t n = 0;

    assert_non_null(server);
    assert_non_null(text);
    at = text + sprintf(text, "{\"version\":1,\"refs\":{" HEAD);
    for (unsigned i = 0; i < CHUNKS; i++)
        at += sprintf(at, ",\"v/%u\":[\"http://127.0.0.1:%u/d/%s.bin\",%u,2]", i, stub_port(server),
                      i == 7    ? "none"
                      : i == 11 ? "short"
                                : "good",
                      i * 2);
    n = (size_t)(at - text) + (size_t)sprintf(at, ",\"v/0x\":[\"http://127.0.0.2:1/z\"]}}");
    scratch_write(path, text, n);
    free(text);
    snprintf(allow, sizeof allow, "%s#allow=http://127.0.0.1:%u/d", path, stub_port(server));
    if (nc_open(allow, NC_NOWRITE, &ncid) != NC_NOERR)
        fail_msg("%s", nczarr_errmsg());
    if (nczarr_check_places(ncid, note, &s) != NC_NOERR)
        fail_msg("%s", nczarr_errmsg());
    assert_int_equal(s.all, 4);
    assert_int_equal(s.refs, CHUNKS + 1);
    assert_int_equal(s.good, 1);
    assert_int_equal(s.gone, 1);
    assert_int_equal(s.bad_size, 1);
    assert_int_equal(s.refused, 1);
    assert_int_equal(asked, 3);
    assert_int_equal(whole, 0);
    assert_int_equal(nczarr_check_places(ncid, NULL, NULL), NC_EINVAL);
    assert_int_equal(nc_close(ncid), NC_NOERR);
    stub_stop(server);
}

/* ---- aggregations ---- */

static void
make_part(const char *name, int value)
{
    char file[200];
    int  ncid, dim, var;

    snprintf(file, sizeof file, "%s/%s", folder, name);
    assert_int_equal(nc_create(file, NC_CLASSIC_MODEL | NC_64BIT_OFFSET, &ncid), NC_NOERR);
    assert_int_equal(nc_def_dim(ncid, "t", NC_UNLIMITED, &dim), NC_NOERR);
    assert_int_equal(nc_def_var(ncid, "v", NC_INT, 1, &dim, &var), NC_NOERR);
    assert_int_equal(nc_enddef(ncid), NC_NOERR);
    assert_int_equal(nc_put_var1_int(ncid, var, &(size_t){0}, &value), NC_NOERR);
    assert_int_equal(nc_close(ncid), NC_NOERR);
}

TEST_WITH(fragments_are_asked_for, set_up, tear_down)
{
    seen s = {.all = 0};
    char pattern[200];
    int  ncid;

    make_part("p_1.nc", 1);
    make_part("p_2.nc", 2);
    make_part("p_3.nc", 3);
    snprintf(pattern, sizeof pattern, "%s/p_*.nc#mode=join", folder);
    if (nc_open(pattern, NC_NOWRITE, &ncid) != NC_NOERR)
        fail_msg("%s", nczarr_errmsg());
    assert_int_equal(nczarr_check_places(ncid, note, &s), NC_NOERR);
    assert_int_equal(s.good, 3);
    assert_int_equal(s.all, 3);
    snprintf(pattern, sizeof pattern, "%s/p_2.nc", folder);
    assert_int_equal(unlink(pattern), 0);
    s = (seen){.all = 0};
    assert_int_equal(nczarr_check_places(ncid, note, &s), NC_NOERR);
    assert_int_equal(s.all, 3);
    assert_int_equal(s.good, 2);
    assert_non_null(strstr(s.last, "p_2.nc"));
    assert_int_equal(nc_close(ncid), NC_NOERR);
}
