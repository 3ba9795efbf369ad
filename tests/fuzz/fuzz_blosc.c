/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target: blosc frames. Four bytes say which part is wanted; the rest is the frame. It is decoded whole and in
 * part into memory of just its size: the part must be the same bytes as in the whole, and the rest untouched.
 * c-blosc, where it takes the frame too, must say the same. Frames whose header does not fit are also tried with one
 * that does, so that the streams are reached.
 */
#include "codecs/blosc_int.h"

#include <blosc.h>

#include <stdlib.h>
#include <string.h>

#define MOST (1u << 18)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(bool good)
{
    if (!good)
        abort();
}

static void
check_part(const ncz_blosc_frame *f, const unsigned char *whole, const uint8_t *seed)
{
    unsigned char *out = malloc(f->nbytes + 1);
    size_t         a = f->nbytes * (size_t)(seed[0] | seed[1] << 8) / 65535;
    size_t         b = f->nbytes * (size_t)(seed[2] | seed[3] << 8) / 65535;
    ncz_byte_range part = {a < b ? a : b, a < b ? b : a}, want = part;

    check(out != NULL);
    memset(out, 0x3c, f->nbytes);
    check(ncz_blosc_decode(f, out, &part) == NC_NOERR);
    check(part.from <= want.from && part.to >= want.to && part.to <= f->nbytes);
    check(memcmp(out + part.from, whole + part.from, part.to - part.from) == 0);
    for (size_t i = 0; i < f->nbytes; i++)
        check((i >= part.from && i < part.to) || out[i] == 0x3c);
    free(out);
}

static void
check_library(const ncz_blosc_frame *f, const unsigned char *whole)
{
    unsigned char *out = malloc(f->nbytes + 1);

    check(out != NULL);
    if (blosc_decompress_ctx(f->data, out, f->nbytes, 1) == (int)f->nbytes)
        check(memcmp(out, whole, f->nbytes) == 0);
    free(out);
}

static void
one_frame(const unsigned char *frame, size_t n, const uint8_t *seed)
{
    ncz_blosc_frame f;
    unsigned char  *out;
    ncz_byte_range  all;

    if (ncz_blosc_open(frame, n, &f) != NC_NOERR || !ncz_blosc_knows(&f) || f.nbytes > MOST)
        return;
    if ((out = malloc(f.nbytes != 0 ? f.nbytes : 1)) == NULL)
        return;
    all = (ncz_byte_range){0, f.nbytes};
    if (ncz_blosc_decode(&f, out, &all) == NC_NOERR) {
        check(all.from == 0 && all.to == f.nbytes);
        check_part(&f, out, seed);
        check_library(&f, out);
    } else {
        all = (ncz_byte_range){f.nbytes / 3, f.nbytes / 2};
        ncz_blosc_decode(&f, out, &all);
    }
    free(out);
}

static void
put32(unsigned char *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(v >> 8 * i);
}

/* The same bytes behind a header that holds: one to eight blocks, all of them beginning behind the offsets. */
static void
mended_frame(const uint8_t *data, size_t n, const uint8_t *seed)
{
    size_t         nblocks = 1 + data[0] % 8, head = NCZ_BLOSC_HEADER + 4 * nblocks;
    uint32_t       blocksize = 1 + (data[1] | (uint32_t)data[2] << 8) % (MOST / 8);
    unsigned char *frame;

    if (n < 8 + 4 || (frame = malloc(head + n - 8)) == NULL)
        return;
    memcpy(frame, "\x02\x01", 2);
    frame[2] = (unsigned char)((data[3] & ~0x0au) % 0xa0);
    frame[2] = (unsigned char)(frame[2] & ~0x0au);
    frame[3] = data[4] != 0 ? data[4] : 1;
    put32(frame + 4, (uint32_t)(blocksize * (nblocks - 1) + 1 + (data[5] | (uint32_t)data[6] << 8) % blocksize));
    put32(frame + 8, nblocks > 1 ? blocksize : 1 + (data[5] | (uint32_t)data[6] << 8) % blocksize);
    put32(frame + 12, (uint32_t)(head + n - 8));
    for (size_t i = 0; i < nblocks; i++)
        put32(frame + NCZ_BLOSC_HEADER + 4 * i, (uint32_t)(head + (n - 8 - 4) * i / nblocks * (data[7] & 1)));
    memcpy(frame + head, data + 8, n - 8);
    one_frame(frame, head + n - 8, seed);
    free(frame);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4)
        return 0;
    one_frame(data + 4, size - 4, data);
    if (size >= 4 + 8)
        mended_frame(data + 4, size - 4, data);
    return 0;
}
