/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by the codecs for arrays of objects: counts, items as JSON and as UTF-8, and the order of elements. No
 * state.
 */
#include "codecs/codec_int.h"

#include <inttypes.h>

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
    /* The parser needs a budget of eight bytes per value, and a value takes at least two bytes of text. */
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
        return ncz_fail(NC_EFILTER, "codec '%s': %.*s is not a JSON value", codec,
                        (int)(text.len > 40 ? 40 : text.len), text.s);
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

/* ---- nested lists -------------------------------------------------------------------------------------- */

int
ncz_nested_init(ncz_nested *s, const char *codec, size_t rank)
{
    *s = (ncz_nested){.codec = codec, .rank = rank};
    return ncz_dims_init(&s->shape, rank);
}

void
ncz_nested_clear(ncz_nested *s)
{
    ncz_dims_clear(&s->shape);
}

int
ncz_nested_check(ncz_nested *s, const ncz_array_type *type, size_t nelems)
{
    uint64_t n = 1;

    for (size_t d = 0; d < s->rank; d++)
        if (!ncz_mul64(n, s->shape.v[d], &n))
            return ncz_fail(NC_EFILTER, "codec '%s': its shape is not a list of lengths", s->codec);
    if (type->order != NULL && type->rank == s->rank)
        s->order = type->order; /* a flat list is already in storage order */
    return ncz_codec_count(s->codec, n, nelems);
}

/* The place in storage order of the i-th element in C order. */
static size_t
find_place(const ncz_nested *s, size_t i)
{
    size_t place = 0, step = 1;

    for (size_t k = s->rank; k-- > 0;) { /* from the fastest-varying dimension in storage */
        size_t d = s->order[k], below = 1;

        for (size_t e = d + 1; e < s->rank; e++)
            below *= (size_t)s->shape.v[e];
        place += i / below % (size_t)s->shape.v[d] * step;
        step *= (size_t)s->shape.v[d];
    }
    return place;
}

size_t
ncz_nested_next(ncz_nested *s)
{
    size_t i = s->next++;

    return s->order != NULL ? find_place(s, i) : i;
}

int
ncz_nested_misfit(const ncz_nested *s)
{
    return ncz_fail(NC_EFILTER, "codec '%s': its lists do not fit its shape", s->codec);
}
