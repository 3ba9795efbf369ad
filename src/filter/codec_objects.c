/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the codecs for arrays of objects share: counts, texts as JSON and as UTF-8, and the order of elements. No
 * state.
 */
#include "filter/filter_int.h"

#include <inttypes.h>

int
ncz_codec_objects_configure(const ncz_json *config, const ncz_codec_env *env, ncz_codec_params *out)
{
    (void)config;
    (void)env;
    *out = (ncz_codec_params){.v = {0}};
    return NC_NOERR;
}

int
ncz_codec_count(const char *codec, uint64_t got, size_t wanted)
{
    if (got == wanted)
        return NC_NOERR;
    return ncz_fail(NC_EFILTER, "codec '%s': decodes to %" PRIu64 " elements, %zu are wanted", codec, got, wanted);
}

int
ncz_codec_text_json(const char *codec, ncz_vlen_item text, ncz_json **out)
{
    /* A value takes two bytes at least; the parser takes one for each eight of what it is allowed. */
    size_t        most = text.len < SIZE_MAX / 8 ? text.len * 4 + 64 : SIZE_MAX;
    ncz_json_opts opts = {.mode = NCZ_JSON_LENIENT, .depth = ncz_limits_default.json_depth, .nbytes = most};
    size_t        tail = 0;
    int           rc = ncz_json_parse(text.s, text.len, &opts, out, &tail);

    if (rc == NC_NOERR && tail > 0) {
        ncz_json_free(*out);
        *out = NULL;
        rc = NC_EZARRMETA;
    }
    if (rc != NC_NOERR && rc != NC_ENOMEM)
        return ncz_fail(NC_EFILTER, "codec '%s': %.*s is no JSON value", codec, (int)(text.len > 40 ? 40 : text.len),
                        text.s);
    return rc;
}

int
ncz_codec_append_utf8(ncz_buf *out, const char *s, size_t len)
{
    int rc;

    if (ncz_utf8_valid(s, len))
        return ncz_buf_append(out, s, len);
    for (size_t i = 0, n; i < len; i += n) {
        unsigned char first = (unsigned char)s[i];
        bool          good;

        n = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
        good = n <= len - i && ncz_utf8_valid(s + i, n);
        n = good ? n : 1;
        rc = good ? ncz_buf_append(out, s + i, n) : ncz_buf_puts(out, "\xEF\xBF\xBD");
        if (rc != NC_NOERR)
            return rc;
    }
    return NC_NOERR;
}

size_t
ncz_codec_f_place(size_t i, const uint64_t *v, size_t rank)
{
    size_t place = 0, step = 1;

    for (size_t d = 0; d < rank; d++)
        step *= (size_t)v[d];
    while (rank-- > 0) { /* from the fastest of C order, which is the slowest of the other */
        step /= (size_t)v[rank];
        place += i % (size_t)v[rank] * step;
        i /= (size_t)v[rank];
    }
    return place;
}
