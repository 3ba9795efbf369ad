/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decodes blosclz, blosc's own compressor: FastLZ's second format. A stream is a sequence of runs. Each begins with a
 * control byte. Below 32, that many bytes plus one follow as literals. Otherwise its high three bits are the length
 * of a match and its low five bits the high part of a distance back; more bytes of either follow.
 *
 * Positions are indexes, not pointers, and each is checked before use. So no stream can cause a read past its end or
 * a write past the end of the output.
 */
#include "codecs/blosc_int.h"

#include <string.h>

#define WINDOW     8191 /* the largest short distance; this value means that two more bytes follow */
#define LONG_MATCH 6    /* the length after which more bytes follow */

/* The stream. Bytes past its end read as 0 and set `cut`. */
typedef struct source {
    const unsigned char *at;
    size_t               left;
    bool                 cut;
} source;

static inline unsigned
next(source *s)
{
    if (s->left == 0) {
        s->cut = true;
        return 0;
    }
    s->left--;
    return *s->at++;
}

/* Reads the rest of a match's head. The length is below 2^32 times 255, the distance below 2^17. */
static inline void
match_head(source *s, unsigned control, size_t *len, size_t *back)
{
    unsigned byte;
    size_t   n = (control >> 5) - 1, far = (size_t)(control & 31) << 8;

    if (n == LONG_MATCH)
        do {
            byte = next(s);
            n += byte;
        } while (byte == 255);
    far += next(s);
    if (far == WINDOW) {
        far += (size_t)next(s) << 8;
        far += next(s);
    }
    *len = n + 3;
    *back = far + 1;
}

/* Copies out[at - back ...] to out[at ...]. If they overlap, the copied bytes repeat. */
static inline void
copy_match(unsigned char *out, size_t at, size_t back, size_t len)
{
    if (back == 1) {
        memset(out + at, out[at - 1], len);
        return;
    }
    while (back < len) { /* the repeated part doubles, so the next copy can be twice as long */
        memcpy(out + at, out + at - back, back);
        at += back;
        len -= back;
        back *= 2;
    }
    memcpy(out + at, out + at - back, len);
}

bool
ncz_blosclz_decode(const void *in, size_t n, void *out, size_t wanted)
{
    source         s = {.at = in, .left = n};
    unsigned char *to = out;
    size_t         at = 0, len, back;
    unsigned       control = next(&s) & 31; /* the first run is never a match; its high bits are the format */

    while (!s.cut) {
        if (control >= 32) {
            match_head(&s, control, &len, &back);
            if (s.cut || back > at || len > wanted - at)
                return false;
            copy_match(to, at, back, len);
        } else {
            len = control + 1;
            if (len > s.left || len > wanted - at)
                return false;
            memcpy(to + at, s.at, len);
            s.at += len;
            s.left -= len;
        }
        at += len;
        if (s.left == 0)
            return at == wanted;
        control = next(&s);
    }
    return false;
}
