/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * categorize as in numcodecs: each text is stored as the number of its label, counted from 1. 0 is any text without a
 * label, and reads as an empty one. The elements are objects, or fixed-width UCS-4.
 *
 * The labels are part of the state, as one vlen block.
 */
#include "codecs/codec_int.h"

#include <stdio.h>
#include <string.h>

typedef struct categorize_state {
    ncz_type_pair types;  /* decoded: objects, or fixed-width UCS-4 */
    char         *labels; /* a vlen block */
} categorize_state;

static const ncz_vlen_block *
labels_of(const categorize_state *s)
{
    return (const ncz_vlen_block *)(const void *)s->labels;
}

/* ---- configuration ------------------------------------------------------------------------------------- */

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
        const char *s = ncz_json_cstr(ncz_json_at(list, i));

        if (s == NULL)
            return ncz_fail(NC_EFILTER, "codec 'categorize': a label is not a string");
        rc = ncz_vlen_set(b, i, (ncz_vlen_item){s, strlen(s), NCZ_VLEN_STRING});
    }
    return rc;
}

static int
make_labels(const ncz_json *list, char **out)
{
    ncz_buf b = NCZ_BUF_INIT;
    int     rc = read_labels(list, &b);

    if (rc == NC_NOERR)
        rc = ncz_vlen_take(&b, out);
    ncz_buf_clear(&b);
    return rc;
}

/* "|O", "object", or `<U7`. */
static int
read_dtype(const ncz_json *config, const ncz_array_type *in, ncz_dtype *out)
{
    const char *s = ncz_json_cstr(ncz_json_get(config, "dtype"));
    unsigned    width = 0;
    char        end;

    if (s != NULL && (strcmp(s, "|O") == 0 || strcmp(s, "O") == 0 || strcmp(s, "object") == 0)) {
        if (in->dtype.kind != NCZ_KIND_OBJECT)
            return ncz_fail(NC_EFILTER, "codec 'categorize': its elements are objects, the array's are not");
        *out = (ncz_dtype){.kind = NCZ_KIND_OBJECT, .size = NCZ_OBJECT_SIZE};
        return NC_NOERR;
    }
    if (s == NULL || (s[0] != '<' && s[0] != '>') || s[1] != 'U' || sscanf(s + 2, "%7u%c", &width, &end) != 1 ||
        width == 0)
        return ncz_fail(NC_EFILTER, "codec 'categorize': \"dtype\" is neither objects nor UCS-4");
    if (in->dtype.kind != NCZ_KIND_UCS4 || in->dtype.size / 4 != width)
        return ncz_fail(NC_EFILTER, "codec 'categorize': its \"dtype\" %.40s is not that of the array", s);
    *out = (ncz_dtype){.kind = NCZ_KIND_UCS4, .big = s[0] == '>', .size = (size_t)width * 4};
    return NC_NOERR;
}

static int
categorize_from_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in,
                     ncz_config_rules rules, void *state)
{
    categorize_state *s = state;
    int               rc;

    (void)rules;
    s->types.encoded = (ncz_dtype){.kind = NCZ_KIND_UINT, .size = 1};
    if ((rc = read_dtype(config, in, &s->types.decoded)) != NC_NOERR)
        return rc;
    rc = ncz_codec_read_type(config, ops->id, "astype", NCZ_TYPE_CLASS_OPTIONAL, &s->types.encoded);
    return rc != NC_NOERR ? rc : make_labels(ncz_json_get(config, "labels"), &s->labels);
}

static void
categorize_free_state(void *state)
{
    categorize_state *s = state;

    ncz_free(s->labels);
}

static void
categorize_describe(const void *state, ncz_jsonw *w)
{
    const categorize_state *s = state;
    const ncz_vlen_block   *labels = labels_of(s);
    const ncz_dtype        *t = &s->types.decoded;
    char                    text[16] = "|O";

    ncz_jsonw_key(w, "labels");
    ncz_jsonw_open_array(w);
    for (size_t i = 0; i < ncz_vlen_len(labels); i++)
        ncz_jsonw_str(w, ncz_vlen_at(labels, i).s, ncz_vlen_at(labels, i).len);
    ncz_jsonw_close_array(w);
    if (t->kind == NCZ_KIND_UCS4)
        (void)snprintf(text, sizeof text, "%cU%u", t->big ? '>' : '<', (unsigned)(t->size / 4));
    ncz_jsonw_key(w, "dtype");
    ncz_jsonw_cstr(w, text);
    ncz_codec_write_type(&s->types.encoded, "astype", w);
}

/* ---- numbers and labels -------------------------------------------------------------------------------- */

/* Makes a lookup table of the labels. Of two equal labels the later one wins, as in numcodecs. */
static int
index_labels(const categorize_state *state, ncz_names *index)
{
    const ncz_vlen_block *labels = labels_of(state);
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
find_number(const ncz_names *index, const char *s)
{
    size_t i;

    return s != NULL && ncz_names_get(index, s, &i) ? (uint64_t)i + 1 : 0;
}

/* The index of the label, or SIZE_MAX. */
static size_t
find_label(const categorize_state *state, const ncz_dtype *t, const char *from)
{
    uint64_t v = 0;

    (void)ncz_convert_out(t, from, ncz_type_of(NC_UINT64), &v, 1,
                          false); /* a negative number becomes larger than any label's */
    return v > 0 && v <= ncz_vlen_len(labels_of(state)) ? (size_t)v - 1 : SIZE_MAX;
}

/* ---- objects ------------------------------------------------------------------------------------------- */

static int
categorize_encode_vlen(const void *state, const ncz_array_type *type, const ncz_vlen_block *in, ncz_buf *out)
{
    ncz_dtype t = ((const categorize_state *)state)->types.encoded;
    ncz_names index;
    int       rc = index_labels(state, &index);

    (void)type;
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
        v = text.what == NCZ_VLEN_NONE ? 0 : find_number(&index, s);
        ncz_free(s);
        (void)ncz_convert_in(ncz_type_of(NC_UINT64), &v, &t, elem, 1,
                             false); /* with too many labels the numbers wrap, as in numcodecs */
        rc = ncz_buf_append(out, elem, t.size);
    }
    ncz_names_clear(&index);
    return rc;
}

static int
categorize_decode_vlen(const void *state, const ncz_array_type *type, const void *in, size_t n, size_t nelems,
                       ncz_buf *out)
{
    ncz_dtype             t = ((const categorize_state *)state)->types.encoded;
    const ncz_vlen_block *labels = labels_of(state);
    size_t                nlabels = ncz_vlen_len(labels), *first;
    int                   rc;

    (void)type;
    if (n % t.size != 0)
        return ncz_codec_cut_short("categorize", n);
    if ((rc = ncz_codec_count("categorize", n / t.size, nelems)) != NC_NOERR ||
        (rc = ncz_vlen_begin(out, nelems)) != NC_NOERR)
        return rc;
    if ((first = ncz_zalloc_n(nlabels + 1, sizeof *first)) == NULL) /* per label: 1 + the element with its bytes */
        return ncz_fail_nomem(nlabels * sizeof *first);
    for (size_t i = 0; rc == NC_NOERR && i < nelems; i++) {
        size_t        at = find_label(state, &t, (const char *)in + i * t.size), k = at == SIZE_MAX ? nlabels : at;
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

/* ---- fixed width ---------------------------------------------------------------------------------------- */

static int
categorize_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                  size_t *used)
{
    const ncz_type_pair *types = state;
    ncz_dtype            from = types->decoded, to = types->encoded;
    size_t               most;
    ncz_names            index;
    int                  rc;

    (void)type;
    if (!ncz_codec_types_bound(state, n, &most) || n % from.size != 0)
        return ncz_fail(NC_EFILTER, "codec 'categorize': %zu bytes are not a whole number of elements", n);
    if (most > cap)
        return ncz_codec_too_long("categorize", cap);
    if ((rc = index_labels(state, &index)) != NC_NOERR)
        return rc;
    for (size_t i = 0; rc == NC_NOERR && i < n / from.size; i++) {
        char    *s = NULL;
        uint64_t v;

        if ((rc = ncz_convert_out(&from, (const char *)in + i * from.size, ncz_type_of(NC_STRING), &s, 1, false)) !=
            NC_NOERR)
            break;
        v = find_number(&index, s != NULL ? s : "");
        ncz_free(s);
        (void)ncz_convert_in(ncz_type_of(NC_UINT64), &v, &to, (char *)out + i * to.size, 1, false);
    }
    ncz_names_clear(&index);
    if (rc == NC_NOERR)
        *used = most;
    return rc;
}

static int
categorize_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
                  bool exact, size_t *used)
{
    const ncz_type_pair *types = state;
    ncz_dtype            from = types->encoded, to = types->decoded;
    size_t               most = *used < cap ? *used : cap, nout;
    int                  rc;

    (void)type;
    if (n % from.size != 0)
        return ncz_fail(NC_EFILTER, "codec 'categorize': %zu bytes are not a whole number of elements", n);
    if (!ncz_mul(n / from.size, to.size, &nout))
        return ncz_codec_too_long("categorize", most);
    if ((rc = ncz_codec_check_size("categorize", nout, most, exact)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < n / from.size; i++) {
        size_t      at = find_label(state, &from, (const char *)in + i * from.size);
        const char *place = at == SIZE_MAX ? "" : ncz_vlen_at(labels_of(state), at).s;
        char       *s = ncz_strndup(place, at == SIZE_MAX ? 0 : ncz_vlen_at(labels_of(state), at).len);

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
    .cls = NCZ_CODEC_ARRAY_ARRAY,
    .fixed = true,
    .state_size = sizeof(categorize_state),
    .config.from_json = categorize_from_json,
    .config.free_state = categorize_free_state,
    .config.describe = categorize_describe,
    .bound = ncz_codec_types_bound,
    .encoded_type = ncz_codec_types_encoded,
    .encode = categorize_encode,
    .decode = categorize_decode,
    .encode_vlen = categorize_encode_vlen,
    .decode_vlen = categorize_decode_vlen,
};
