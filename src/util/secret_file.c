/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * secret_file: small files that may hold a secret: read into one buffer of the greatest size, which never moves.
 */
#include "platform/platform.h"
#include "util/util.h"

#include <errno.h>

static int
read_to_end(int fd, const char *path, size_t most, ncz_buf *out)
{
    ssize_t n;
    int     rc;

    /* At once: a growing buffer would leave copies of a secret in freed memory. */
    if ((rc = ncz_buf_reserve(out, most)) != NC_NOERR)
        return rc;
    while (out->len < most) {
        n = read(fd, out->data + out->len, most - out->len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return ncz_fail_errno(errno, "%s", path);
        if (n == 0)
            break;
        out->len += (size_t)n;
    }
    out->data[out->len] = '\0';
    if (out->len == most)
        return ncz_fail(NC_EAUTH, "%s: more than %zu bytes", path, most - 1);
    return NC_NOERR;
}

int
ncz_read_secret_file(const char *path, size_t most, bool *absent, ncz_buf *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), rc;

    *absent = fd < 0 && (errno == ENOENT || errno == ENOTDIR);
    if (fd < 0)
        return *absent ? NC_NOERR : ncz_fail_errno(errno, "%s", path);
    rc = read_to_end(fd, path, most, out);
    close(fd);
    return rc;
}
