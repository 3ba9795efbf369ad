/* SPDX-License-Identifier: BSD-3-Clause */
/* What the reader finds in a file, as JSON. usage: hdf5_dump [-r] FILE ...; exit status 1 if something cannot be
 * read. -r: instead, how many requests that took, and their bytes. */
#include "hdf5/hdf5_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
load_file(const char *path, ncz_buf *out)
{
    FILE  *f = fopen(path, "rb");
    size_t n = 1;

    if (f == NULL)
        return ncz_fail(NC_EIO, "cannot open %s", path);
    while (n > 0 && ncz_buf_reserve(out, 1 << 20) == NC_NOERR) {
        n = fread(out->data + out->len, 1, 1 << 20, f);
        out->len += n;
    }
    (void)fclose(f);
    return NC_NOERR;
}

static int
dump_file(const char *path, bool requests)
{
    ncz_buf         file = NCZ_BUF_INIT, json = NCZ_BUF_INIT;
    hdf5_bytes      bytes;
    ncz_read_source source;
    ncz_hdf5       *f = NULL;
    int             rc = load_file(path, &file);

    bytes = (hdf5_bytes){.data = (const unsigned char *)ncz_buf_str(&file), .len = file.len};
    source = hdf5_bytes_source(&bytes);
    if (rc == NC_NOERR && (rc = ncz_hdf5_open(&source, &ncz_limits_default, &f)) == NC_NOERR)
        rc = hdf5_json(f, 0, &json);
    if (requests)
        (void)printf("%s: %zu requests, %zu bytes\n", path, bytes.reads, bytes.nbytes);
    else
        (void)fputs(ncz_buf_str(&json), stdout);
    if (rc != NC_NOERR)
        (void)fprintf(stderr, "%s: %s\n", path, ncz_err_text());
    ncz_hdf5_close(f);
    ncz_buf_clear(&json);
    ncz_buf_clear(&file);
    return rc;
}

int
main(int argc, char **argv)
{
    bool requests = argc > 1 && strcmp(argv[1], "-r") == 0;
    int  failed = 0;

    for (int i = requests ? 2 : 1; i < argc; i++)
        failed |= dump_file(argv[i], requests) != NC_NOERR;
    return failed;
}
