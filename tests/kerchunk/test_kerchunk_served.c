/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A set of references on a web server: one request opens it, by its name, by a mode, or by what is there; chunks that
 * lie close to each other come with one request.
 */
#include "nczarr.h"
#include "s3/stub.h"
#include "support/test.h"

#include <stdlib.h>

static const char set[] =
    "{\"version\":1,\"refs\":{\".zgroup\":\"{\\\"zarr_format\\\":2}\",\".zmetadata\":{\"zarr_consolidated_format\":1,"
    "\"metadata\":{\".zgroup\":{\"zarr_format\":2},\"v/.zarray\":{\"zarr_format\":2,\"shape\":[8],\"chunks\":[2],"
    "\"dtype\":\"|u1\",\"compressor\":null,\"filters\":null,\"fill_value\":null,\"order\":\"C\"},"
    "\"v/.zattrs\":{\"_ARRAY_DIMENSIONS\":[\"x\"]}}},"
    "\"v/"
    ".zarray\":{\"zarr_format\":2,\"shape\":[8],\"chunks\":[2],\"dtype\":\"|u1\",\"compressor\":null,\"filters\":"
    "null,"
    "\"fill_value\":null,\"order\":\"C\"},\"v/.zattrs\":{\"_ARRAY_DIMENSIONS\":[\"x\"]},"
    "\"v/0\":[\"data.bin\",1,2],\"v/1\":[\"data.bin\",3,2],\"v/2\":[\"data.bin\",5,2],\"v/3\":[\"data.bin\",7,2]}}";

static void
answer(const stub_request *req, stub_reply *reply, void *arg)
{
    static const char data[] = "\0\1\2\3\4\5\6\7\10";
    char             *path = stub_path(req), *range = stub_header(req, "range");
    unsigned          first, last;
    char              text[100];

    (void)arg;
    if (strcmp(path, "/d/set.json") == 0 || strcmp(path, "/d/set") == 0) {
        stub_say(reply, 200, set);
    } else if (strcmp(path, "/d/data.bin") == 0 && range != NULL &&
               sscanf(range, "bytes=%u-%u", &first, &last) == 2) {
        last = last < sizeof data - 2 ? last : (unsigned)sizeof data - 2;
        reply->status = 206;
        reply->nbody = last - first + 1;
        reply->body = malloc(reply->nbody);
        memcpy(reply->body, data + first, reply->nbody);
        snprintf(text, sizeof text, "bytes %u-%u/%zu", first, last, sizeof data - 1);
        stub_add(reply, "Content-Range", text);
    } else {
        stub_say(reply, 404, "");
    }
    free(path);
    free(range);
}

static void
read_all(int ncid)
{
    unsigned char v[8];

    assert_int_equal(nc_get_var_uchar(ncid, 0, v), NC_NOERR);
    for (int i = 0; i < 8; i++)
        assert_int_equal(v[i], i + 1);
    assert_int_equal(nc_close(ncid), NC_NOERR);
}

TEST(one_request_opens_a_set)
{
    static const char *const paths[] = {"set.json", "set#mode=kerchunk", "set.json#mode=kerchunk"};
    stub                    *s = stub_start(answer, NULL);
    char                     url[200];
    unsigned                 before;
    int                      ncid, nvars;

    assert_non_null(s);
    for (size_t i = 0; i < 3; i++) {
        before = stub_requests(s);
        snprintf(url, sizeof url, "http://127.0.0.1:%u/d/%s", stub_port(s), paths[i]);
        if (nc_open(url, NC_NOWRITE, &ncid) != NC_NOERR)
            fail_msg("%s: %s", url, nczarr_errmsg());
        assert_int_equal(nc_inq_nvars(ncid, &nvars), NC_NOERR);
        assert_int_equal(nvars, 1);
        assert_int_equal(stub_requests(s) - before, 1);
        read_all(ncid);
        assert_int_equal(stub_requests(s) - before, 2); /* four ranges together */
    }
    snprintf(url, sizeof url, "http://127.0.0.1:%u/d/set", stub_port(s));
    if (nc_open(url, NC_NOWRITE, &ncid) != NC_NOERR)
        fail_msg("%s: %s", url, nczarr_errmsg());
    read_all(ncid);
    assert_int_equal(nc_open(url, NC_WRITE, &ncid), NC_EPERM);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/d/none.json#mode=kerchunk", stub_port(s));
    assert_int_equal(nc_open(url, NC_NOWRITE, &ncid), NC_ENOOBJECT);
    stub_stop(s);
}
