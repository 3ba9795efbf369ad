/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decoding of blosclz, blosc's own compressor: FastLZ's second format. A stream is a row of runs. Each begins with a
 * control byte: below 32 it says how many bytes (and one more) follow as they are; else its high three bits are a
 * length and its low five the high part of a distance back, with more bytes of either after it.
 *
 * Positions are counted, never pointed at, and each is checked before it is used: whatever the stream says, nothing
 * is read past its end and nothing written past the end of the output.
 */
#include "filter/blosc_int.h"

#include <string.h>

#define WINDOW     8191 /* the farthest back that the short form of a distance says; there it means: two more bytes */
#define LONG_MATCH 6    /* the length of which more bytes follow */

/* The stream: bytes past its end are 0, and it is then `cut`. */
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

/* The rest of a match's head. The length is below 2^32 times 255, the distance below 2^17. */
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

/* out[at - back ...] -> out[at ...], which may overlap: then what is copied repeats. */
static inline void
copy_match(unsigned char *out, size_t at, size_t back, size_t len)
{
    if (back == 1) {
        memset(out + at, out[at - 1], len);
        return;
    }
    while (back < len) { /* what is there twice over is copied at once the next time */
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
    unsigned       control = next(&s) & 31; /* the first run is never a match; its high bits name the format */

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
