/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions for every codec: integers from JSON, checks of counts and ranges, and one text for each kind of failure.
 * No state.
 */
#include "codecs/codec_int.h"

#include <inttypes.h>
#include <string.h>

/* Parses digits with an optional minus sign. All of s[0..len) must match. */
static bool
parse_int(const char *s, size_t len, int64_t *out)
{
    bool    negative = len > 0 && s[0] == '-';
    int64_t v = 0;

    if (len == (size_t)negative)
        return false;
    for (size_t i = (size_t)negative; i < len; i++) {
        int digit = s[i] - '0';

        if (digit < 0 || digit > 9 || v > (INT64_MAX - digit) / 10)
            return false;
        v = v * 10 + digit;
    }
    *out = negative ? -v : v;
    return true;
}

bool
ncz_codec_get_int(const ncz_json *config, const char *name, int64_t *v)
{
    const ncz_json *member = ncz_json_get(config, name);
    const char     *text;
    size_t          len;

    if (ncz_json_is(member, NCZ_JSON_NULL))
        return true;
    text = ncz_json_str(member, &len);
    return text != NULL ? parse_int(text, len, v) : ncz_json_i64(member, v);
}

int
ncz_codec_int(const ncz_json *config, const char *codec, const char *name, int64_t least, int64_t most, int64_t *v)
{
    int64_t n = 0;

    if (ncz_json_is(ncz_json_get(config, name), NCZ_JSON_NULL))
        return NC_NOERR;
    if (!ncz_codec_get_int(config, name, &n))
        return ncz_fail(NC_EFILTER, "codec '%s': \"%s\" is not an integer", codec, name);
    if (n < least || n > most)
        return ncz_fail(NC_EFILTER, "codec '%s': \"%s\" is %" PRId64 ", not within %" PRId64 " to %" PRId64, codec,
                        name, n, least, most);
    *v = n;
    return NC_NOERR;
}

bool
ncz_codec_always_describes_itself(const ncz_json *config)
{
    (void)config;
    return true;
}

int
ncz_codec_nwords(const char *codec, size_t n, size_t least, size_t most)
{
    if (n >= least && n <= most)
        return NC_NOERR;
    if (least == most)
        return ncz_fail(NC_EFILTER, "codec '%s': %zu parameters, it has %zu", codec, n, least);
    return ncz_fail(NC_EFILTER, "codec '%s': %zu parameters, it has %zu to %zu", codec, n, least, most);
}

int
ncz_codec_range(const char *codec, const char *what, int64_t v, int64_t least, int64_t most)
{
    if (v >= least && v <= most)
        return NC_NOERR;
    return ncz_fail(NC_EINVAL, "codec '%s': %s %" PRId64 " is not within %" PRId64 " to %" PRId64, codec, what, v,
                    least, most);
}

/* ---- level ------------------------------------------------------------------------------------------- */

int
ncz_codec_level_read(const char *codec, const ncz_json *config, int64_t least, int64_t most, ncz_level *out)
{
    out->level = 1;
    return ncz_codec_int(config, codec, "level", least, most, &out->level);
}

int
ncz_codec_level_words(const char *codec, size_t n, const unsigned *words, int64_t least, int64_t most, ncz_level *out)
{
    int rc;

    if ((rc = ncz_codec_nwords(codec, n, 1, 1)) != NC_NOERR)
        return rc;
    out->level = words[0];
    return ncz_codec_range(codec, "level", out->level, least, most);
}

void
ncz_codec_level_describe(const void *state, ncz_jsonw *w)
{
    const ncz_level *s = state;

    ncz_jsonw_key(w, "level");
    ncz_jsonw_i64(w, s->level);
}

int
ncz_codec_level_to_words(const void *state, const ncz_array_type *in, size_t *n, unsigned words[NCZ_CODEC_WORDS])
{
    const ncz_level *s = state;

    (void)in;
    words[0] = s->level < 0 ? 6 : (unsigned)s->level;
    *n = 1;
    return NC_NOERR;
}

/* ---- failures ---------------------------------------------------------------------------------------- */

#define TOO_LONG "': decodes to more than "

int
ncz_codec_too_long(const char *codec, size_t most)
{
    return ncz_fail(NC_EFILTER, "codec '%s" TOO_LONG "%zu bytes", codec, most);
}

/* Only the text identifies this failure. A registered codec has texts of its own, so this never matches them. */
bool
ncz_codec_was_too_long(void)
{
    return strstr(ncz_err_text(), TOO_LONG) != NULL;
}

int
ncz_codec_cut_short(const char *codec, size_t n)
{
    return ncz_fail(NC_EFILTER, "codec '%s': its %zu encoded bytes end too early", codec, n);
}

int
ncz_codec_trailing(const char *codec, size_t extra)
{
    return ncz_fail(NC_EFILTER, "codec '%s': %zu bytes after the end of the encoded data", codec, extra);
}

void
ncz_codec_tail(const char *codec, size_t extra)
{
    if (extra > 0)
        ncz_log(NCZ_LOG_CHUNK, "codec '%s': %zu bytes after the end of the encoded data are ignored", codec, extra);
}

int
ncz_codec_check_size(const char *codec, size_t got, size_t wanted, bool exact)
{
    if (got > wanted)
        return ncz_codec_too_long(codec, wanted);
    if (exact && got < wanted)
        return ncz_fail(NC_EFILTER, "codec '%s': decodes to %zu bytes, %zu are wanted", codec, got, wanted);
    return NC_NOERR;
}
