/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the codecs from array to array need: NumPy's type strings as parameters, and a run of elements that is loaded
 * from one type, worked on, and stored as another. No state.
 */
#include "filter/filter_int.h"
#include "util/rounding.h"

#include <string.h>

#define BLOCK 512 /* elements worked on at once: both their forms stay in the first-level cache */

/* ---- types as parameters ------------------------------------------------------------------------------- */

/* A type in one number; 0 is a signed byte, so that parameters of zeros are sound. */
static int64_t
type_pack(const ncz_dtype *t)
{
    int64_t log2 = t->size == 8 ? 3 : t->size == 4 ? 2 : t->size == 2 ? 1 : 0;

    return (int64_t)t->kind | (int64_t)t->big << 8 | log2 << 16;
}

ncz_dtype
ncz_codec_type(const ncz_codec_params *p, int place)
{
    int64_t v = p->v[place];

    return (ncz_dtype){.kind = (ncz_kind)(v & 0xff), .big = (v >> 8 & 1) != 0, .size = (size_t)1 << (v >> 16 & 3)};
}

/* The long names that people write by hand: "float32", in the machine's own order. */
static const struct {
    const char *name, *typestr;
} names[] = {
    {"bool", "|b1"},   {"int8", "|i1"},    {"int16", "=i2"},   {"int32", "=i4"},
    {"int64", "=i8"},  {"uint8", "|u1"},   {"uint16", "=u2"},  {"uint32", "=u4"},
    {"uint64", "=u8"}, {"float16", "=f2"}, {"float32", "=f4"}, {"float64", "=f8"},
};

static bool
host_big(void)
{
    const uint16_t one = 1;
    unsigned char  first;

    memcpy(&first, &one, 1);
    return first == 0;
}

/* `<i4`, `i4`, `|u1`: numbers of 1, 2, 4 and 8 bytes. False for all other types. */
static bool
type_parse(const char *s, ncz_dtype *out)
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
    out->big = size > 1 && (order == '>' || (order == '=' && host_big()));
    return true;
}

int
ncz_codec_type_configure(const ncz_json *config, const char *codec, const char *name, unsigned sorts, int64_t *v)
{
    const ncz_json *member = ncz_json_get(config, name);
    size_t          len;
    const char     *text = ncz_json_str(member, &len);
    ncz_dtype       t;

    if (ncz_json_is(member, NCZ_JSON_NULL) && (sorts & NCZ_TYPE_CLASS_OPTIONAL) != 0)
        return NC_NOERR;
    if (text == NULL || strlen(text) != len)
        return ncz_fail(NC_EFILTER, "codec '%s': \"%s\" is not a type", codec, name);
    if (!type_parse(text, &t) || (t.kind == NCZ_KIND_BOOL && (sorts & NCZ_TYPE_CLASS_BOOL) == 0) ||
        (t.kind == NCZ_KIND_FLOAT && t.size == 2 && (sorts & NCZ_TYPE_CLASS_HALF) == 0))
        return ncz_fail(NC_ENOFILTER, "codec '%s': \"%s\" of type '%.40s' is not built in", codec, name, text);
    *v = type_pack(&t);
    return NC_NOERR;
}

int
ncz_codec_types_configure(const ncz_json *config, const char *codec, unsigned sorts, ncz_codec_params *p)
{
    int64_t *dtype = &p->v[NCZ_CODEC_DTYPE], *astype = &p->v[NCZ_CODEC_ASTYPE];
    int      rc;

    if ((rc = ncz_codec_type_configure(config, codec, "dtype", sorts & ~NCZ_TYPE_CLASS_HALF, dtype)) != NC_NOERR)
        return rc;
    *astype = *dtype;
    return ncz_codec_type_configure(config, codec, "astype", sorts | NCZ_TYPE_CLASS_OPTIONAL, astype);
}

void
ncz_codec_type_describe(const ncz_codec_params *p, int place, const char *name, ncz_jsonw *w)
{
    ncz_dtype t = ncz_codec_type(p, place);
    char      text[4] = {'|', 'i', (char)('0' + t.size), '\0'};

    if (t.size > 1)
        text[0] = t.big ? '>' : '<';
    if (t.kind != NCZ_KIND_INT)
        text[1] = t.kind == NCZ_KIND_UINT ? 'u' : t.kind == NCZ_KIND_FLOAT ? 'f' : 'b';
    ncz_jsonw_key(w, name);
    ncz_jsonw_cstr(w, text);
}

bool
ncz_codec_types_bound(const ncz_codec_params *p, size_t n, size_t *out)
{
    size_t from = ncz_codec_type(p, NCZ_CODEC_DTYPE).size, to = ncz_codec_type(p, NCZ_CODEC_ASTYPE).size;

    return ncz_mul(n / from + (n % from != 0), to, out); /* a part of an element is refused where it is coded */
}

void
ncz_codec_types_becomes(const ncz_codec_params *p, ncz_codec_env *env)
{
    env->dtype = ncz_codec_type(p, NCZ_CODEC_ASTYPE);
}

/* ---- runs of elements ---------------------------------------------------------------------------------- */

static int
open_run(const char *codec, const ncz_run *r, size_t n, size_t most, bool exact, size_t *nelems, size_t *nout)
{
    *nelems = n / r->from.size;
    if (n % r->from.size != 0)
        return ncz_fail(NC_EFILTER, "codec '%s': %zu bytes are no whole number of elements of %zu bytes", codec, n,
                        r->from.size);
    if (!ncz_mul(*nelems, r->to.size, nout))
        return ncz_codec_too_long(codec, most);
    return ncz_codec_check_size(codec, *nout, most, exact);
}

static void
do_step(const ncz_run *r, void *block, size_t n)
{
    unsigned before = ncz_rounding_begin();

    r->step(block, n, r->arg);
    ncz_rounding_end(before);
}

/* What does not fit the type that it is stored as is stored all the same, as NumPy does: NC_ERANGE is no failure. */
int
ncz_codec_run(const char *codec, const ncz_run *r, const void *in, size_t n, void *out, size_t most, bool exact,
              size_t *used)
{
    const char *from = in;
    char       *to = out;
    size_t      left, nout;
    uint64_t    block[BLOCK];
    int         rc;

    if ((rc = open_run(codec, r, n, most, exact, &left, &nout)) != NC_NOERR)
        return rc;
    while (left > 0) {
        size_t now = left < BLOCK ? left : BLOCK;

        if ((rc = ncz_convert_out(&r->from, from, r->work, block, now, false)) != NC_NOERR && rc != NC_ERANGE)
            return rc;
        if (r->step != NULL)
            do_step(r, block, now);
        if ((rc = ncz_convert_in(r->work, block, &r->to, to, now, false)) != NC_NOERR && rc != NC_ERANGE)
            return rc;
        left -= now;
        from += now * r->from.size;
        to += now * r->to.size;
    }
    *used = nout;
    return NC_NOERR;
}
