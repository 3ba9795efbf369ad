/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zstd frames of Icechunk's files. Most say no size: the memory grows with what comes out, so that a frame costs what
 * it holds and no more than its limit.
 */
#include "icechunk/icechunk_int.h"

#include <zstd.h>

#define OUT_FIRST  ((size_t)64 << 10)
#define WINDOW_LOG 27 /* of 128 MiB: no writer uses a larger one unasked */

static int
fail_zstd(const char *what, size_t zrc)
{
    return ncz_fail(NC_EZARRMETA, "%s: is damaged: zstd: %s", what, ZSTD_getErrorName(zrc));
}

static int
fail_size(const char *what, size_t most)
{
    return ncz_fail(NC_EZARRMETA, "%s: decompressed it has more than %zu bytes, too many for what is stored", what,
                    most);
}

/* How many bytes to have room for in the first place. */
static size_t
guess_size(const void *in, size_t n, size_t most)
{
    unsigned long long said = ZSTD_getFrameContentSize(in, n);
    size_t             guess = n < most / 4 ? n * 4 : most;

    if (said != ZSTD_CONTENTSIZE_UNKNOWN && said != ZSTD_CONTENTSIZE_ERROR && said <= most && said / 16 <= n)
        guess = (size_t)said;
    return guess > OUT_FIRST ? guess : OUT_FIRST < most ? OUT_FIRST : most;
}

/* One more byte of room than the limit shows that there is more to come. */
static int
stream_frame(ZSTD_DStream *z, const void *in, size_t n, size_t most, const char *what, ncz_buf *out)
{
    ZSTD_inBuffer from = {in, n, 0};
    size_t        zrc = 1, room = guess_size(in, n, most);
    int           rc;

    for (;;) {
        ZSTD_outBuffer to;

        if (room > most - out->len + 1)
            room = most - out->len + 1;
        if ((rc = ncz_buf_reserve(out, room)) != NC_NOERR)
            return rc;
        to = (ZSTD_outBuffer){out->data + out->len, room, 0};
        zrc = ZSTD_decompressStream(z, &to, &from);
        if (ZSTD_isError(zrc))
            return fail_zstd(what, zrc);
        out->len += to.pos;
        out->data[out->len] = '\0';
        if (out->len > most)
            return fail_size(what, most);
        if (zrc == 0)
            return from.pos == n ? NC_NOERR : ncz_ice_damaged(what, "bytes follow the zstd frame");
        if (from.pos == n && to.pos < room)
            return ncz_ice_damaged(what, "its zstd frame is cut short");
        room = out->len < OUT_FIRST ? OUT_FIRST : out->len;
    }
}

int
ncz_ice_unzstd(const void *in, size_t n, size_t most, const char *what, ncz_buf *out)
{
    ZSTD_DStream *z = ZSTD_createDStream();
    int           rc;

    if (z == NULL)
        return ncz_fail_nomem(0);
    (void)ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, WINDOW_LOG);
    rc = stream_frame(z, in, n, most, what, out);
    ZSTD_freeDStream(z);
    return rc;
}

/* ---- a dictionary ---------------------------------------------------------------------------------------------- */

struct ncz_ice_dictionary {
    ZSTD_DCtx  *context;
    ZSTD_DDict *dictionary;
};

int
ncz_ice_dictionary_new(const void *bytes, size_t n, ncz_ice_dictionary **out)
{
    ncz_ice_dictionary *d = ncz_zalloc(sizeof *d);

    if (d == NULL)
        return ncz_fail_nomem(sizeof *d);
    d->context = ZSTD_createDCtx();
    d->dictionary = ZSTD_createDDict(bytes, n);
    if (d->context == NULL || d->dictionary == NULL) {
        ncz_ice_dictionary_free(d);
        return ncz_fail_nomem(n);
    }
    *out = d;
    return NC_NOERR;
}

void
ncz_ice_dictionary_free(ncz_ice_dictionary *d)
{
    if (d == NULL)
        return;
    ZSTD_freeDCtx(d->context);
    ZSTD_freeDDict(d->dictionary);
    ncz_free(d);
}

int
ncz_ice_dictionary_use(ncz_ice_dictionary *d, const void *in, size_t n, size_t most, ncz_buf *out)
{
    size_t zrc;
    int    rc = ncz_buf_reserve(out, most);

    if (rc != NC_NOERR)
        return rc;
    zrc = ZSTD_decompress_usingDDict(d->context, out->data + out->len, most, in, n, d->dictionary);
    if (ZSTD_isError(zrc))
        return fail_zstd("a compressed location", zrc);
    out->len += zrc;
    out->data[out->len] = '\0';
    return NC_NOERR;
}
