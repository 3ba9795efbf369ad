/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_codec: the registry of nczarr_filter.h, and the functions that a codec may call. The latter do not touch the
 * thread's error text when they succeed, because they run in the middle of another call.
 */
#include "api/api_int.h"
#include "nczarr_filter.h"

#include <stdarg.h>
#include <string.h>

int
nczarr_filter_register(const nczarr_codec *codec)
{
    ncz_err_clear();
    return ncz_codec_register(codec);
}

int
nczarr_filter_unregister(const char *id)
{
    ncz_err_clear();
    return id != NULL ? ncz_codec_unregister(id) : ncz_fail(NC_EINVAL, "no codec is named");
}

int
nczarr_filter_avail(const char *id)
{
    const ncz_codec_ops *ops;

    ncz_err_clear();
    if (id == NULL || ((ops = ncz_codec_by_id(id)) == NULL && (ops = ncz_codec_by_v3_name(id)) == NULL))
        return ncz_call_done(ncz_codec_fail_unknown(id != NULL ? id : ""));
    ncz_codec_ops_unref(ops);
    return NC_NOERR;
}

/* ---- inside a codec's functions ---- */

int
nczarr_codec_fail(int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)ncz_fail_args(code, format, args);
    va_end(args);
    return code;
}

int
nczarr_codec_get_int(const char *json, const char *name, long long *valuep)
{
    ncz_json *config = NULL;
    int64_t   v = *valuep;
    int       rc = ncz_codec_parse(json, strlen(json), &config);

    if (rc != NC_NOERR)
        return rc;
    if (ncz_codec_get_int(config, name, &v))
        *valuep = v;
    else
        rc = ncz_fail(NC_EFILTER, "\"%s\" is not an integer", name);
    ncz_json_free(config);
    return rc;
}

int
nczarr_codec_get_double(const char *json, const char *name, double *valuep)
{
    ncz_json *config = NULL;
    int       rc = ncz_codec_parse(json, strlen(json), &config);

    if (rc != NC_NOERR)
        return rc;
    if (!ncz_json_is(ncz_json_get(config, name), NCZ_JSON_NULL) && !ncz_json_f64(ncz_json_get(config, name), valuep))
        rc = ncz_fail(NC_EFILTER, "\"%s\" is not a number", name);
    ncz_json_free(config);
    return rc;
}

/* Copies the member's bytes into text[0..cap), with a NUL. An absent member leaves it unchanged. */
static int
copy_text(const ncz_json *member, const char *name, char *text, size_t cap)
{
    size_t      len;
    const char *s = ncz_json_str(member, &len);

    if (ncz_json_is(member, NCZ_JSON_NULL))
        return NC_NOERR;
    if (s == NULL || strlen(s) != len)
        return ncz_fail(NC_EFILTER, "\"%s\" is not a text", name);
    if (len >= cap)
        return ncz_fail(NC_EFILTER, "\"%s\" has %zu bytes, %zu are taken", name, len, cap > 0 ? cap - 1 : 0);
    memcpy(text, s, len + 1);
    return NC_NOERR;
}

int
nczarr_codec_get_text(const char *json, const char *name, char *text, size_t cap)
{
    ncz_json *config = NULL;
    int       rc = ncz_codec_parse(json, strlen(json), &config);

    if (rc == NC_NOERR)
        rc = copy_text(ncz_json_get(config, name), name, text, cap);
    ncz_json_free(config);
    return rc;
}
