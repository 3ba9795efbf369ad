/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * codecs.c: which codecs a build has. Those that it should have write and read a chunk; the others are refused, when
 * one is defined and when the data of another build are read, by code and by name.
 *
 * usage: codecs write|read FOLDER [CODEC ...]     the codecs that the build should have, besides zlib and gzip
 */
#include "nczarr.h"
#include "nczarr_filter.h"

#include <stdio.h>
#include <string.h>

#define LENGTH 4096

static const struct {
    const char *id, *json;
} CODECS[] = {
    {"zlib", "{\"id\": \"zlib\", \"level\": 1}"},
    {"gzip", "{\"id\": \"gzip\", \"level\": 6}"},
    {"blosc", "{\"id\": \"blosc\", \"cname\": \"lz4\", \"clevel\": 5, \"shuffle\": 1, \"blocksize\": 0}"},
    {"zstd", "{\"id\": \"zstd\", \"level\": 3}"},
    {"lz4", "{\"id\": \"lz4\", \"acceleration\": 1}"},
    {"lzma", "{\"id\": \"lzma\", \"format\": 1, \"check\": -1, \"preset\": 1, \"filters\": null}"},
    {"bz2", "{\"id\": \"bz2\", \"level\": 1}"},
    {"szip", "{\"id\": \"szip\", \"mask\": 141, \"pixels-per-block\": 32}"},
    {"zfpy", "{\"id\": \"zfpy\", \"mode\": 4, \"tolerance\": 0.0}"},
};

static int failures;

static void
fail(const char *id, const char *what, int rc)
{
    printf("%s: %s: %s: %s\n", id, what, nc_strerror(rc), nczarr_errmsg());
    failures++;
}

static double
value(size_t i)
{
    return 280.0 + (double)(i % 64) / 8;
}

/* True if the call failed as it does for a codec that is not built in: the text names the codec. */
static int
refused(const char *id, int rc)
{
    return rc == NC_ENOFILTER && strstr(nczarr_errmsg(), id) != NULL;
}

static void
write_dataset(const char *path, const char *id, const char *json, int has)
{
    double data[LENGTH];
    size_t chunk = LENGTH;
    int    ncid, dim, var, rc;

    for (size_t i = 0; i < LENGTH; i++)
        data[i] = value(i);
    if ((rc = nc_create(path, NC_CLOBBER | NC_NETCDF4, &ncid)) != NC_NOERR) {
        fail(id, "nc_create", rc);
        return;
    }
    if ((rc = nc_def_dim(ncid, "x", LENGTH, &dim)) != NC_NOERR ||
        (rc = nc_def_var(ncid, "v", NC_DOUBLE, 1, &dim, &var)) != NC_NOERR ||
        (rc = nc_def_var_chunking(ncid, var, NC_CHUNKED, &chunk)) != NC_NOERR)
        fail(id, "definition of the variable", rc);
    rc = nczarr_def_var_codec(ncid, var, json);
    if (has ? rc != NC_NOERR : !refused(id, rc))
        fail(id, has ? "nczarr_def_var_codec" : "nczarr_def_var_codec did not refuse it", rc);
    if (has && (rc = nc_put_var_double(ncid, var, data)) != NC_NOERR)
        fail(id, "nc_put_var_double", rc);
    if ((rc = nc_close(ncid)) != NC_NOERR)
        fail(id, "nc_close", rc);
}

static void
read_dataset(const char *path, const char *id, int has)
{
    double data[LENGTH];
    int    ncid, var, rc;

    if ((rc = nc_open(path, NC_NOWRITE, &ncid)) != NC_NOERR) {
        fail(id, "nc_open", rc);
        return;
    }
    if ((rc = nc_inq_varid(ncid, "v", &var)) != NC_NOERR)
        fail(id, "nc_inq_varid", rc);
    rc = nc_get_var_double(ncid, var, data);
    if (has ? rc != NC_NOERR : !refused(id, rc))
        fail(id, has ? "nc_get_var_double" : "nc_get_var_double did not refuse it", rc);
    for (size_t i = 0; has && rc == NC_NOERR && i < LENGTH; i++)
        if (data[i] != value(i)) {
            fail(id, "other values", NC_NOERR);
            break;
        }
    if ((rc = nc_close(ncid)) != NC_NOERR)
        fail(id, "nc_close", rc);
}

int
main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    for (size_t i = 0; i < sizeof CODECS / sizeof CODECS[0]; i++) {
        char path[4096];
        int  has = i < 2; /* zlib and gzip, always */

        snprintf(path, sizeof path, "%s/%s.zarr", argv[2], CODECS[i].id);
        for (int a = 3; a < argc; a++)
            has |= strcmp(argv[a], CODECS[i].id) == 0;
        if (strcmp(argv[1], "write") == 0)
            write_dataset(path, CODECS[i].id, CODECS[i].json, has);
        if (has || strcmp(argv[1], "read") == 0)
            read_dataset(path, CODECS[i].id, has);
    }
    return failures != 0;
}
