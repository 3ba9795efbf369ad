/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inflates entries through zlib: exactly as many bytes as the directory says, from exactly as many, or an error.
 * Needs only the caller's output and a small window of input, whatever the entry claims. No state; any thread.
 */
#include "zip/zip_int.h"

#include <inttypes.h>
#include <zlib.h>

#define WINDOW ((size_t)64 * 1024)

static void *
give_memory(void *opaque, unsigned n, unsigned item)
{
    (void)opaque;
    return ncz_alloc_n(n, item);
}

static void
take_memory(void *opaque, void *p)
{
    (void)opaque;
    ncz_free(p);
}

static int
fail_stream(const zip_object *o, const char *key, const z_stream *z, const char *why)
{
    return ncz_fail(NC_EFILTER, "%s: its %" PRIu64 " deflated bytes do not give %" PRIu64 ": %s", key, o->csize,
                    o->size, z->msg != NULL ? z->msg : why);
}

/* Reads the input window by window. The output is one block, passed to zlib 1 GiB at a time because its counters are
 * `unsigned`. */
static int
run_inflate(zip_source *s, uint64_t off, const zip_object *o, const char *key, unsigned char *out, z_stream *z,
            unsigned char *window)
{
    uint64_t left = o->csize, room = o->size;
    uint8_t  spare; /* one byte past the expected output, to detect an entry that gives more */
    int      rc, how = Z_OK;

    z->next_out = out;
    while (how != Z_STREAM_END) {
        if (z->avail_in == 0 && left != 0) {
            size_t n = left < WINDOW ? (size_t)left : WINDOW;

            if ((rc = ncz_zip_source_read(s, window, n, off)) != NC_NOERR)
                return rc;
            z->next_in = window;
            z->avail_in = (uInt)n;
            left -= n;
            off += n;
        }
        if (z->avail_out == 0) {
            if (room == 0)
                z->next_out = &spare;
            z->avail_out = room == 0 ? 1 : room < ((uint64_t)1 << 30) ? (uInt)room : (uInt)1 << 30;
            room -= room == 0 ? 0 : z->avail_out;
        }
        how = inflate(z, Z_NO_FLUSH);
        if (how == Z_MEM_ERROR)
            return ncz_fail_nomem(0);
        if (how != Z_OK && how != Z_STREAM_END)
            return fail_stream(o, key, z, how == Z_BUF_ERROR ? "they end early" : "they are broken");
        if (z->total_out > o->size)
            return fail_stream(o, key, z, "there are more");
    }
    if (z->total_out != o->size || left != 0 || z->avail_in != 0)
        return fail_stream(o, key, z, "another number comes out, or some are left over");
    return NC_NOERR;
}

int
ncz_zip_inflate(zip_source *s, uint64_t off, const zip_object *o, const char *key, void *out)
{
    z_stream       z = {.zalloc = give_memory, .zfree = take_memory};
    unsigned char *window = ncz_alloc(WINDOW);
    int            rc, how;

    if (window == NULL)
        return ncz_fail_nomem(WINDOW);
    if ((how = inflateInit2(&z, -MAX_WBITS)) != Z_OK) {
        ncz_free(window);
        return how == Z_MEM_ERROR ? ncz_fail_nomem(0) : ncz_fail(NC_EFILTER, "%s: zlib does not begin", key);
    }
    rc = run_inflate(s, off, o, key, out, &z, window);
    (void)inflateEnd(&z);
    ncz_free(window);
    return rc;
}
