/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The frame around each file of a repository, and ids as text. A file is: 12 bytes that all begin with, 24 of the
 * writer's name, spec version, kind of file, compression; then one FlatBuffer, mostly as one zstd frame.
 */
#include "icechunk/icechunk_int.h"

#include <string.h>

enum { AT_SPEC = 36, AT_KIND = 37, AT_COMPRESSION = 38, HEADER = 39, SPEC_NEWEST = 2 };

#define PLAIN_MOST ((size_t)16 << 20) /* what a file may have decompressed, however short it is */
#define RATIO_MOST 512                /* real files have less than 200 */

static const unsigned char magic[] = {0x49, 0x43, 0x45, 0xF0, 0x9F, 0xA7, 0x8A, 0x43, 0x48, 0x55, 0x4E, 0x4B};

static const char digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"; /* Crockford's base 32 */

/* Five bits a digit, from the left; the last digit has zeros at the right. */
void
ncz_ice_id_text(const unsigned char id[NCZ_ICE_ID], char out[NCZ_ICE_ID_TEXT])
{
    for (size_t i = 0; i < NCZ_ICE_ID_TEXT - 1; i++) {
        size_t   bit = 5 * i, at = bit / 8;
        unsigned pair = (unsigned)id[at] << 8 | (at + 1 < NCZ_ICE_ID ? id[at + 1] : 0);

        out[i] = digits[pair >> (11 - bit % 8) & 31];
    }
    out[NCZ_ICE_ID_TEXT - 1] = '\0';
}

bool
ncz_ice_id_valid(const char *text)
{
    return strlen(text) == NCZ_ICE_ID_TEXT - 1 && strspn(text, digits) == NCZ_ICE_ID_TEXT - 1;
}

bool
ncz_ice_file_looks_like(const void *bytes, size_t n)
{
    return n >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

static int
check_header(const unsigned char *head, size_t n, ncz_ice_kind kind, const char *what)
{
    if (!ncz_ice_file_looks_like(head, n) || n < HEADER)
        return ncz_fail(NC_EZARRMETA, "%s: is no file of Icechunk: it does not begin like one", what);
    if (head[AT_SPEC] == 0 || head[AT_SPEC] > SPEC_NEWEST)
        return ncz_fail(NC_ENOTBUILT, "%s: has version %d of Icechunk's format; 1 and 2 are read", what,
                        head[AT_SPEC]);
    if (head[AT_KIND] != kind)
        return ncz_ice_damaged(what, "it is a file of another kind");
    if (head[AT_COMPRESSION] > 1)
        return ncz_fail(NC_ENOTBUILT, "%s: has compression %d, which is not known", what, head[AT_COMPRESSION]);
    return NC_NOERR;
}

/* The most bytes that a file of `n` may have. */
static size_t
most_of(size_t n)
{
    size_t most = n < SIZE_MAX / RATIO_MOST ? n * RATIO_MOST : SIZE_MAX;

    if (most < PLAIN_MOST)
        most = PLAIN_MOST;
    return most < ncz_limits_default.index_bytes ? most : ncz_limits_default.index_bytes;
}

int
ncz_ice_file_read(const ncz_buf *raw, ncz_ice_kind kind, const char *what, ncz_ice_file *out)
{
    const unsigned char *head = (const unsigned char *)ncz_buf_str(raw);
    ncz_buf              bytes = NCZ_BUF_INIT;
    int                  rc = check_header(head, raw->len, kind, what);

    if (rc == NC_NOERR && head[AT_COMPRESSION] == 0)
        rc = ncz_buf_append(&bytes, raw->data + HEADER, raw->len - HEADER);
    else if (rc == NC_NOERR)
        rc = ncz_ice_unzstd(raw->data + HEADER, raw->len - HEADER, most_of(raw->len - HEADER), what, &bytes);
    if (rc != NC_NOERR) {
        ncz_buf_clear(&bytes);
        return rc;
    }
    *out = (ncz_ice_file){
        .bytes = bytes, .flat = {.data = (const unsigned char *)bytes.data, .len = bytes.len}, .spec = head[AT_SPEC]};
    return NC_NOERR;
}

int
ncz_ice_file_get(zmap *base, const char *key, ncz_ice_kind kind, const char *name, ncz_ice_file *out)
{
    ncz_buf raw = NCZ_BUF_LIMIT(ncz_limits_default.index_bytes);
    char   *what = ncz_sprintf("%s: %s", name, key);
    int     rc = what != NULL ? zmap_get(base, key, &raw) : ncz_fail_nomem(0);

    if (rc == NC_EEMPTY)
        rc = ncz_fail(NC_ENOOBJECT, "%s: the repository names this file, and does not have it", what);
    else if (rc == NC_NOERR)
        rc = ncz_ice_file_read(&raw, kind, what, out);
    ncz_buf_clear(&raw);
    ncz_free(what);
    return rc;
}

void
ncz_ice_file_clear(ncz_ice_file *f)
{
    ncz_buf_clear(&f->bytes);
    *f = NCZ_ICE_FILE_INIT;
}
