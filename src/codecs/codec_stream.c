/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a library that codes in steps over memory of any size. Such libraries count in unsigned int, so they see the
 * memory through windows. No state.
 */
#include "codecs/codec_int.h"
#include "codecs/stream_int.h"

int
ncz_codec_stream_encode(const ncz_stream *s, const char *codec, const void *in, size_t n, void *out, size_t cap,
                        size_t *used)
{
    ncz_stream_window w = {.in = in, .out = out};
    size_t            in_left = n, out_left = cap;
    ncz_stream_result r;

    do {
        if (w.nin == 0)
            w.nin = ncz_codec_take(&in_left);
        if (w.nout == 0)
            w.nout = ncz_codec_take(&out_left);
        r = s->step(s->library, &w, in_left == 0);
    } while (r == NCZ_STREAM_MORE && (w.nout > 0 || out_left > 0));
    if (r == NCZ_STREAM_MORE)
        return ncz_fail(NC_EFILTER, "codec '%s': does not fit into %zu bytes", codec, cap);
    if (r != NCZ_STREAM_END)
        return s->explain(s->library);
    *used = (size_t)(w.out - (unsigned char *)out);
    return NC_NOERR;
}

/* Sets *got, the bytes of output, and *tail, the bytes of input after the end. */
static int
decode_streams(const ncz_stream *s, const char *codec, const void *in, size_t n, void *out, size_t most, bool exact,
               size_t *got, size_t *tail)
{
    ncz_stream_window w = {.in = in, .out = out};
    size_t            in_left = n, out_left = most;
    unsigned char     spare; /* one byte after the output: a stream that writes it is too long */
    bool              full = false;

    for (;;) {
        ncz_stream_result r;

        if (w.nin == 0)
            w.nin = ncz_codec_take(&in_left);
        if (w.nout == 0 && (w.nout = ncz_codec_take(&out_left)) == 0) {
            full = true;
            w.out = &spare;
            w.nout = 1;
        }
        r = s->step(s->library, &w, in_left == 0);
        if (full && w.nout == 0)
            return ncz_codec_too_long(codec, most);
        if (r == NCZ_STREAM_END) {
            *got = full ? most : most - out_left - w.nout;
            *tail = w.nin + in_left;
            if (s->follows == NULL || (exact && *got == most) || !s->follows(w.in, *tail))
                return NC_NOERR;
            r = s->restart(s->library);
        } else if (w.nin == 0 && in_left == 0 && (r == NCZ_STREAM_STUCK || (r == NCZ_STREAM_MORE && w.nout > 0)))
            return ncz_codec_cut_short(codec, n);
        if (r != NCZ_STREAM_MORE)
            return s->explain(s->library);
    }
}

int
ncz_codec_stream_decode(const ncz_stream *s, const char *codec, const void *in, size_t n, void *out, size_t cap,
                        bool exact, size_t *used)
{
    size_t most = *used < cap ? *used : cap, got = 0, tail = 0;
    int    rc;

    if ((rc = decode_streams(s, codec, in, n, out, most, exact, &got, &tail)) != NC_NOERR)
        return rc;
    if (s->follows == NULL && tail > 0)
        return ncz_codec_trailing(codec, tail);
    return ncz_codec_stream_end(codec, got, tail, most, exact, used);
}

int
ncz_codec_stream_end(const char *codec, size_t got, size_t tail, size_t most, bool exact, size_t *used)
{
    int rc = ncz_codec_check_size(codec, got, most, exact);

    if (rc != NC_NOERR)
        return rc;
    ncz_codec_tail(codec, tail);
    *used = got;
    return NC_NOERR;
}
