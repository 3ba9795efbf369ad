/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by the array-to-array codecs: NumPy's type strings as parameters, and runs of elements that are loaded from
 * one type, processed, and stored as another; floats that are scaled. No state.
 */
#include "codecs/codec_int.h"
#include "util/rounding.h"

#include <math.h>
#include <string.h>

#define BLOCK 512 /* elements processed at once: both forms fit the L1 cache */

/* ---- types as parameters ------------------------------------------------------------------------------- */

/* The long names that people write by hand, such as "float32", in the machine's byte order. */
static const struct {
    const char *name, *typestr;
} names[] = {
    {"bool", "|b1"},   {"int8", "|i1"},    {"int16", "=i2"},   {"int32", "=i4"},
    {"int64", "=i8"},  {"uint8", "|u1"},   {"uint16", "=u2"},  {"uint32", "=u4"},
    {"uint64", "=u8"}, {"float16", "=f2"}, {"float32", "=f4"}, {"float64", "=f8"},
};

static bool
is_host_big(void)
{
    const uint16_t one = 1;
    unsigned char  first;

    memcpy(&first, &one, 1);
    return first == 0;
}

/* `<i4`, `i4`, `|u1`: numbers of 1, 2, 4 and 8 bytes. False for all other types. */
static bool
parse_type(const char *s, ncz_dtype *out)
{
    static const char     kinds[] = "iufb";
    static const ncz_kind kind_of[] = {NCZ_KIND_INT, NCZ_KIND_UINT, NCZ_KIND_FLOAT, NCZ_KIND_BOOL};
    char                  order = '=';
    const char           *kind;
    size_t                size;

    for (size_t i = 0; i < NCZ_LEN(names); i++)
        if (strcmp(s, names[i].name) == 0)
            s = names[i].typestr;
    if (*s != '\0' && strchr("<>|=", *s) != NULL)
        order = *s++;
    kind = *s != '\0' ? strchr(kinds, *s) : NULL;
    if (kind == NULL || s[1] == '\0' || strchr("1248", s[1]) == NULL || s[2] != '\0')
        return false;
    size = (size_t)(s[1] - '0');
    if ((*kind == 'b' && size != 1) || (*kind == 'f' && size == 1) || (order == '|' && size != 1))
        return false;
    *out = (ncz_dtype){.kind = kind_of[kind - kinds], .size = size};
    out->big = size > 1 && (order == '>' || (order == '=' && is_host_big()));
    return true;
}

int
ncz_codec_read_type(const ncz_json *config, const char *codec, const char *name, unsigned classes, ncz_dtype *out)
{
    const ncz_json *member = ncz_json_get(config, name);
    size_t          len;
    const char     *text = ncz_json_str(member, &len);
    ncz_dtype       t;

    if (ncz_json_is(member, NCZ_JSON_NULL) && (classes & NCZ_TYPE_CLASS_OPTIONAL) != 0)
        return NC_NOERR;
    if (text == NULL || strlen(text) != len)
        return ncz_fail(NC_EFILTER, "codec '%s': \"%s\" is not a type", codec, name);
    if (!parse_type(text, &t) || (t.kind == NCZ_KIND_BOOL && (classes & NCZ_TYPE_CLASS_BOOL) == 0) ||
        (t.kind == NCZ_KIND_FLOAT && t.size == 2 && (classes & NCZ_TYPE_CLASS_HALF) == 0))
        return ncz_fail(NC_ENOFILTER, "codec '%s': \"%s\" of type '%.40s' is not built in", codec, name, text);
    *out = t;
    return NC_NOERR;
}

int
ncz_codec_read_types(const ncz_json *config, const char *codec, unsigned classes, ncz_type_pair *out)
{
    int rc;

    if ((rc = ncz_codec_read_type(config, codec, "dtype", classes & ~NCZ_TYPE_CLASS_HALF, &out->decoded)) != NC_NOERR)
        return rc;
    out->encoded = out->decoded;
    return ncz_codec_read_type(config, codec, "astype", classes | NCZ_TYPE_CLASS_OPTIONAL, &out->encoded);
}

void
ncz_codec_write_type(const ncz_dtype *type, const char *name, ncz_jsonw *w)
{
    char text[4] = {'|', 'i', (char)('0' + type->size), '\0'};

    if (type->size > 1)
        text[0] = type->big ? '>' : '<';
    if (type->kind != NCZ_KIND_INT)
        text[1] = type->kind == NCZ_KIND_UINT ? 'u' : type->kind == NCZ_KIND_FLOAT ? 'f' : 'b';
    ncz_jsonw_key(w, name);
    ncz_jsonw_cstr(w, text);
}

void
ncz_codec_write_types(const ncz_type_pair *types, ncz_jsonw *w)
{
    ncz_codec_write_type(&types->decoded, "dtype", w);
    ncz_codec_write_type(&types->encoded, "astype", w);
}

/* A partial element counts as a whole one here; encode and decode refuse it. */
bool
ncz_codec_types_bound(const void *state, size_t n, size_t *out)
{
    const ncz_type_pair *types = state;
    size_t               from = types->decoded.size;

    return ncz_mul(n / from + (n % from != 0), types->encoded.size, out);
}

void
ncz_codec_types_encoded(const void *state, ncz_array_type *type)
{
    const ncz_type_pair *types = state;

    type->dtype = types->encoded;
}

/* ---- runs of elements ---------------------------------------------------------------------------------- */

static int
check_run(const char *codec, const ncz_run *r, size_t n, size_t most, bool exact, size_t *nelems, size_t *nout)
{
    *nelems = n / r->from.size;
    if (n % r->from.size != 0)
        return ncz_fail(NC_EFILTER, "codec '%s': %zu bytes are not a whole number of elements of %zu bytes", codec, n,
                        r->from.size);
    if (!ncz_mul(*nelems, r->to.size, nout))
        return ncz_codec_too_long(codec, most);
    return ncz_codec_check_size(codec, *nout, most, exact);
}

static void
run_step(const ncz_run *r, void *block, size_t n)
{
    unsigned before = ncz_rounding_begin();

    r->step(block, n, r->arg);
    ncz_rounding_end(before);
}

/* Values that do not fit are still stored, as in NumPy, so NC_ERANGE is no failure. */
int
ncz_codec_run(const char *codec, const ncz_run *r, const void *in, size_t n, void *out, size_t most, bool exact,
              size_t *used)
{
    const ncz_type *made = r->made != NULL ? r->made : r->work;
    const char     *from = in;
    char           *to = out;
    size_t          left = 0, nout = 0;
    uint64_t        block[BLOCK];
    int             rc;

    if ((rc = check_run(codec, r, n, most, exact, &left, &nout)) != NC_NOERR)
        return rc;
    while (left > 0) {
        size_t now = left < BLOCK ? left : BLOCK;

        if ((rc = ncz_convert_out(&r->from, from, r->work, block, now, false)) != NC_NOERR && rc != NC_ERANGE)
            return rc;
        if (r->step != NULL)
            run_step(r, block, now);
        if ((rc = ncz_convert_in(made, block, &r->to, to, now, false)) != NC_NOERR && rc != NC_ERANGE)
            return rc;
        left -= now;
        from += now * r->from.size;
        to += now * r->to.size;
    }
    *used = nout;
    return NC_NOERR;
}

/* ---- scaling of floats --------------------------------------------------------------------------------- */

static void
scale_floats(void *block, size_t n, void *arg)
{
    const ncz_scaling *s = arg;
    float             *v = block, scale = (float)s->scale, offset = (float)s->offset;

    for (size_t i = 0; i < n; i++) {
        v[i] = ncz_as_float(ncz_as_float(v[i] - offset) * scale);
        if (s->round)
            v[i] = rintf(v[i]);
    }
}

static void
scale_doubles(void *block, size_t n, void *arg)
{
    const ncz_scaling *s = arg;
    double            *v = block;

    for (size_t i = 0; i < n; i++) {
        v[i] = ncz_as_double(ncz_as_double(v[i] - s->offset) * s->scale);
        if (s->round)
            v[i] = rint(v[i]);
    }
}

static void
unscale_floats(void *block, size_t n, void *arg)
{
    const ncz_scaling *s = arg;
    float             *v = block, scale = (float)s->scale, offset = (float)s->offset;

    for (size_t i = 0; i < n; i++)
        v[i] = ncz_as_float(v[i] / scale) + offset;
}

static void
unscale_doubles(void *block, size_t n, void *arg)
{
    const ncz_scaling *s = arg;
    double            *v = block;

    for (size_t i = 0; i < n; i++)
        v[i] = ncz_as_double(v[i] / s->scale) + s->offset;
}

ncz_step *
ncz_codec_scaler(const ncz_type *work)
{
    return work->id == NC_FLOAT ? scale_floats : scale_doubles;
}

ncz_step *
ncz_codec_unscaler(const ncz_type *work)
{
    return work->id == NC_FLOAT ? unscale_floats : unscale_doubles;
}
