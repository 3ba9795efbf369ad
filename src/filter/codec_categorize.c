/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * categorize as numcodecs has it: each text is stored as the number of its label, counted from 1; 0 is any text that
 * is no label, and reads as an empty one. The elements are objects, or of fixed width in UCS-4.
 *
 * Labels are a parameter: one block of texts, counted, never changed.
 */
#include "filter/filter_int.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct ncz_labels {
    atomic_size_t refs;
    char         *texts; /* a block */
};

void
ncz_codec_labels_keep(ncz_labels *l)
{
    if (l != NULL)
        atomic_fetch_add_explicit(&l->refs, 1, memory_order_relaxed);
}

void
ncz_codec_labels_drop(ncz_labels *l)
{
    if (l == NULL || atomic_fetch_sub_explicit(&l->refs, 1, memory_order_acq_rel) != 1)
        return;
    ncz_free(l->texts);
    ncz_free(l);
}

static const ncz_vlen_block *
labels_of(const ncz_codec_params *p)
{
    return (const ncz_vlen_block *)(const void *)p->labels->texts;
}

/* ---- parameters ---------------------------------------------------------------------------------------- */

static int
read_labels(const ncz_json *list, ncz_buf *b)
{
    size_t n = ncz_json_len(list);
    int    rc;

    if (!ncz_json_is(list, NCZ_JSON_ARRAY))
        return ncz_fail(NC_EFILTER, "codec 'categorize': \"labels\" is not a list");
    if ((rc = ncz_vlen_begin(b, n)) != NC_NOERR)
        return rc;
    for (size_t i = 0; rc == NC_NOERR && i < n; i++) {
        size_t      len;
        const char *s = ncz_json_str(ncz_json_at(list, i), &len);

        if (s == NULL || strlen(s) != len)
            return ncz_fail(NC_EFILTER, "codec 'categorize': a label is not a text");
        rc = ncz_vlen_set(b, i, (ncz_vlen_item){s, len, NCZ_VLEN_STRING});
    }
    return rc;
}

static int
make_labels(const ncz_json *list, ncz_labels **out)
{
    ncz_labels *l = ncz_zalloc(sizeof *l);
    ncz_buf     b = NCZ_BUF_INIT;
    int         rc;

    if (l == NULL)
        return ncz_fail_nomem(sizeof *l);
    atomic_init(&l->refs, 1);
    if ((rc = read_labels(list, &b)) == NC_NOERR && (rc = ncz_vlen_take(&b, &l->texts)) == NC_NOERR) {
        *out = l;
        l = NULL;
    }
    ncz_buf_clear(&b);
    ncz_codec_labels_drop(l);
    return rc;
}

/* "|O", "object", or `<U7`. */
static int
read_dtype(const ncz_json *config, const ncz_codec_env *env, ncz_codec_params *p)
{
    size_t      len;
    const char *s = ncz_json_str(ncz_json_get(config, "dtype"), &len);
    unsigned    width = 0;
    char        end;

    if (s != NULL && (strcmp(s, "|O") == 0 || strcmp(s, "O") == 0 || strcmp(s, "object") == 0)) {
        if (env->dtype.kind != NCZ_KIND_OBJECT)
            return ncz_fail(NC_EFILTER, "codec 'categorize': its elements are objects, the array's are not");
        return NC_NOERR;
    }
    if (s == NULL || (s[0] != '<' && s[0] != '>') || s[1] != 'U' || sscanf(s + 2, "%7u%c", &width, &end) != 1 ||
        width == 0)
        return ncz_fail(NC_EFILTER, "codec 'categorize': \"dtype\" is neither objects nor UCS-4");
    if (env->dtype.kind != NCZ_KIND_UCS4 || env->dtype.size / 4 != width)
        return ncz_fail(NC_EFILTER, "codec 'categorize': its \"dtype\" %.40s is not that of the array", s);
    p->v[NCZ_CATEGORIZE_WIDTH] = (int64_t)width;
    p->v[NCZ_CATEGORIZE_BIG] = s[0] == '>';
    return NC_NOERR;
}

static int
categorize_configure(const ncz_json *config, const ncz_codec_env *env, ncz_codec_params *out)
{
    ncz_codec_params p = {.v = {[NCZ_CODEC_ASTYPE] = NCZ_KIND_UINT}}; /* of one byte */
    int              rc;

    if ((rc = read_dtype(config, env, &p)) != NC_NOERR ||
        (rc = ncz_codec_type_configure(config, "categorize", "astype", NCZ_TYPE_CLASS_OPTIONAL,
                                       &p.v[NCZ_CODEC_ASTYPE])) != NC_NOERR ||
        (rc = make_labels(ncz_json_get(config, "labels"), &p.labels)) != NC_NOERR)
        return rc;
    *out = p;
    return NC_NOERR;
}

static void
categorize_describe(const ncz_codec_params *p, ncz_jsonw *w)
{
    const ncz_vlen_block *labels = labels_of(p);
    char                  text[16] = "|O";

    ncz_jsonw_key(w, "labels");
    ncz_jsonw_open_array(w);
    for (size_t i = 0; i < ncz_vlen_len(labels); i++)
        ncz_jsonw_str(w, ncz_vlen_at(labels, i).s, ncz_vlen_at(labels, i).len);
    ncz_jsonw_close_array(w);
    if (p->v[NCZ_CATEGORIZE_WIDTH] != 0)
        (void)snprintf(text, sizeof text, "%cU%u", p->v[NCZ_CATEGORIZE_BIG] != 0 ? '>' : '<',
                       (unsigned)p->v[NCZ_CATEGORIZE_WIDTH]);
    ncz_jsonw_key(w, "dtype");
    ncz_jsonw_cstr(w, text);
    ncz_codec_type_describe(p, NCZ_CODEC_ASTYPE, "astype", w);
}

static ncz_dtype
decoded_type(const ncz_codec_params *p)
{
    return (ncz_dtype){
        .kind = NCZ_KIND_UCS4, .big = p->v[NCZ_CATEGORIZE_BIG] != 0, .size = (size_t)p->v[NCZ_CATEGORIZE_WIDTH] * 4};
}

/* ---- numbers and labels -------------------------------------------------------------------------------- */

/* A table of the labels: of two that are the same, the later one counts, as in numcodecs. */
static int
index_labels(const ncz_codec_params *p, ncz_names *index)
{
    const ncz_vlen_block *labels = labels_of(p);
    char                 *s = NULL;
    int                   rc = NC_NOERR;

    *index = NCZ_NAMES_INIT;
    for (size_t i = 0; rc == NC_NOERR && i < ncz_vlen_len(labels); i++) {
        ncz_vlen_item text = ncz_vlen_at(labels, i);

        if ((s = ncz_strndup(text.s, text.len)) == NULL)
            rc = ncz_fail_nomem(text.len);
        else
            rc = ncz_names_put(index, s, i);
        ncz_free(s);
    }
    if (rc != NC_NOERR)
        ncz_names_clear(index);
    return rc;
}

static uint64_t
number_of(const ncz_names *index, const char *s)
{
    size_t i;

    return s != NULL && ncz_names_get(index, s, &i) ? (uint64_t)i + 1 : 0;
}

/* The label's place, or SIZE_MAX. */
static size_t
label_at(const ncz_codec_params *p, const ncz_dtype *t, const char *from)
{
    uint64_t v = 0;

    (void)ncz_convert_out(t, from, ncz_type_of(NC_UINT64), &v, 1,
                          false); /* a negative one becomes larger than any label's */
    return v > 0 && v <= ncz_vlen_len(labels_of(p)) ? (size_t)v - 1 : SIZE_MAX;
}

/* ---- objects ------------------------------------------------------------------------------------------- */

static int
categorize_pack(const ncz_codec_params *p, const ncz_codec_env *env, const ncz_vlen_block *in, ncz_buf *out)
{
    ncz_dtype t = ncz_codec_type(p, NCZ_CODEC_ASTYPE);
    ncz_names index;
    int       rc = index_labels(p, &index);

    (void)env;
    if (rc != NC_NOERR)
        return rc;
    for (size_t i = 0; rc == NC_NOERR && i < ncz_vlen_len(in); i++) {
        ncz_vlen_item text = ncz_vlen_at(in, i);
        char         *s = ncz_strndup(text.s, text.len), elem[8];
        uint64_t      v;

        if (s == NULL) {
            rc = ncz_fail_nomem(text.len);
            break;
        }
        v = text.what == NCZ_VLEN_NONE ? 0 : number_of(&index, s);
        ncz_free(s);
        (void)ncz_convert_in(ncz_type_of(NC_UINT64), &v, &t, elem, 1,
                             false); /* too many labels wrap, as in numcodecs */
        rc = ncz_buf_append(out, elem, t.size);
    }
    ncz_names_clear(&index);
    return rc;
}

static int
categorize_unpack(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, size_t nelems,
                  ncz_buf *out)
{
    ncz_dtype             t = ncz_codec_type(p, NCZ_CODEC_ASTYPE);
    const ncz_vlen_block *labels = labels_of(p);
    size_t                nlabels = ncz_vlen_len(labels), *first;
    int                   rc;

    (void)env;
    if (n % t.size != 0)
        return ncz_codec_cut_short("categorize", n);
    if ((rc = ncz_codec_count("categorize", n / t.size, nelems)) != NC_NOERR ||
        (rc = ncz_vlen_begin(out, nelems)) != NC_NOERR)
        return rc;
    if ((first = ncz_zalloc_n(nlabels + 1, sizeof *first)) == NULL) /* 1 + the element that has each label's bytes */
        return ncz_fail_nomem(nlabels * sizeof *first);
    for (size_t i = 0; rc == NC_NOERR && i < nelems; i++) {
        size_t        at = label_at(p, &t, (const char *)in + i * t.size), k = at == SIZE_MAX ? nlabels : at;
        ncz_vlen_item empty = {"", 0, NCZ_VLEN_STRING};

        if (first[k] != 0) {
            ncz_vlen_share(out, i, first[k] - 1);
            continue;
        }
        rc = ncz_vlen_set(out, i, k == nlabels ? empty : ncz_vlen_at(labels, k));
        first[k] = i + 1;
    }
    ncz_free(first);
    return rc;
}

/* ---- fixed width --------------------------------------------------------------------------------------- */

static bool
categorize_bound(const ncz_codec_params *p, size_t n, size_t *out)
{
    size_t from = decoded_type(p).size;

    return from > 0 && ncz_mul(n / from + (n % from != 0), ncz_codec_type(p, NCZ_CODEC_ASTYPE).size, out);
}

static int
categorize_encode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out,
                  size_t cap, size_t *used)
{
    ncz_dtype from = decoded_type(p), to = ncz_codec_type(p, NCZ_CODEC_ASTYPE);
    size_t    most;
    ncz_names index;
    int       rc;

    (void)env;
    if (!categorize_bound(p, n, &most) || n % from.size != 0)
        return ncz_fail(NC_EFILTER, "codec 'categorize': %zu bytes are no whole number of elements", n);
    if (most > cap)
        return ncz_codec_too_long("categorize", cap);
    if ((rc = index_labels(p, &index)) != NC_NOERR)
        return rc;
    for (size_t i = 0; rc == NC_NOERR && i < n / from.size; i++) {
        char    *s = NULL;
        uint64_t v;

        if ((rc = ncz_convert_out(&from, (const char *)in + i * from.size, ncz_type_of(NC_STRING), &s, 1, false)) !=
            NC_NOERR)
            break;
        v = number_of(&index, s != NULL ? s : "");
        ncz_free(s);
        (void)ncz_convert_in(ncz_type_of(NC_UINT64), &v, &to, (char *)out + i * to.size, 1, false);
    }
    ncz_names_clear(&index);
    if (rc == NC_NOERR)
        *used = most;
    return rc;
}

static int
categorize_decode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out,
                  size_t cap, bool exact, size_t *used)
{
    ncz_dtype from = ncz_codec_type(p, NCZ_CODEC_ASTYPE), to = decoded_type(p);
    size_t    most = *used < cap ? *used : cap, nout;
    int       rc;

    (void)env;
    if (n % from.size != 0)
        return ncz_fail(NC_EFILTER, "codec 'categorize': %zu bytes are no whole number of elements", n);
    if (to.size == 0 || !ncz_mul(n / from.size, to.size, &nout))
        return ncz_codec_too_long("categorize", most);
    if ((rc = ncz_codec_check_size("categorize", nout, most, exact)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < n / from.size; i++) {
        size_t      at = label_at(p, &from, (const char *)in + i * from.size);
        const char *place = at == SIZE_MAX ? "" : ncz_vlen_at(labels_of(p), at).s;
        char       *s = ncz_strndup(place, at == SIZE_MAX ? 0 : ncz_vlen_at(labels_of(p), at).len);

        if (s == NULL)
            return ncz_fail_nomem(to.size);
        (void)ncz_convert_in(ncz_type_of(NC_STRING), &s, &to, (char *)out + i * to.size, 1, false);
        ncz_free(s);
    }
    *used = nout;
    return NC_NOERR;
}

const ncz_codec_ops ncz_codec_categorize = {
    .id = "categorize",
    .members = {"labels", "dtype", "astype"},
    .cls = NCZ_CODEC_ARRAY,
    .fixed = true,
    .configure = categorize_configure,
    .describe = categorize_describe,
    .from_words = ncz_codec_from_no_words,
    .to_words = ncz_codec_to_no_words,
    .bound = categorize_bound,
    .becomes = ncz_codec_types_becomes,
    .encode = categorize_encode,
    .decode = categorize_decode,
    .pack = categorize_pack,
    .unpack = categorize_unpack,
};
