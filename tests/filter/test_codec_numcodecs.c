/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What numcodecs made of small arrays decodes to what numcodecs makes of it, and where a codec leaves no choice our
 * bytes are numcodecs' bytes. tests/data/filter/numcodecs/make_cases.py says how the cases came about.
 */
#include "filter_cases.h"

static ncz_json *doc;

static int
setup(void **state)
{
    (void)state;
    doc = read_cases("filter/numcodecs/cases.json");
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    ncz_json_free(doc);
    return 0;
}

static ncz_array_type
env_for(const char *dtype, size_t nbytes)
{
    ncz_dtype t = {.big = dtype[0] == '>', .size = (size_t)(dtype[2] - '0')};

    switch (dtype[1]) {
    case 'i': t.kind = NCZ_KIND_INT; break;
    case 'u': t.kind = NCZ_KIND_UINT; break;
    case 'f': t.kind = NCZ_KIND_FLOAT; break;
    default: t.kind = NCZ_KIND_BOOL; break;
    }
    return (ncz_array_type){.dtype = t, .chunk_bytes = nbytes};
}

static void
golden_init(golden *g)
{
    size_t len;

    g->data = bytes_of(ncz_json_get(g->v, "data"));
    g->stored = bytes_of(ncz_json_get(g->v, "encoded"));
    g->decoded = bytes_of(ncz_json_get(g->v, ncz_json_get(g->v, "decoded") != NULL ? "decoded" : "data"));
    g->type = env_for(ncz_json_str(ncz_json_get(g->v, "dtype"), &len), g->data.n);
    assert_int_equal(ncz_chain_parse(ncz_json_get(g->v, "filters"), ncz_json_get(g->v, "compressor"), &g->type,
                                     NCZ_CONFIG_CALLER, 32, &g->chain),
                     NC_NOERR);
}

static void
each(bool (*check)(const golden *))
{
    each_case(doc, 100, golden_init, check);
}

static bool
is_nan(const unsigned char *e, const ncz_dtype *t)
{
    uint64_t bits = 0, infinity = t->size == 4 ? UINT64_C(0x7f800000) : UINT64_C(0x7ff0000000000000);

    for (size_t i = 0; i < t->size; i++)
        bits = bits << 8 | e[t->big ? i : t->size - 1 - i];
    return (bits & ~(UINT64_C(1) << (8 * t->size - 1))) > infinity;
}

/* Equal bytes; but one NaN is as good as another: the difference of two infinities has a sign of the processor's own.
 */
static bool
same(const golden *g, const unsigned char *a, const unsigned char *b, size_t n)
{
    const ncz_dtype *t = &g->type.dtype;

    if (memcmp(a, b, n) == 0)
        return true;
    if (t->kind != NCZ_KIND_FLOAT || t->size < 4 || n % t->size != 0)
        return false;
    for (size_t i = 0; i < n; i += t->size)
        if (memcmp(a + i, b + i, t->size) != 0 && !(is_nan(a + i, t) && is_nan(b + i, t)))
            return false;
    return true;
}

static bool
decodes_to(const golden *g, const void *object, size_t n, const bytes *wanted)
{
    unsigned char *out = malloc(wanted->n + (wanted->n == 0));
    bool           good;

    assert_non_null(out);
    ncz_err_clear();
    good = ncz_chain_decode(g->chain, NULL, object, n, out, wanted->n, false) == NC_NOERR &&
           same(g, out, wanted->p, wanted->n);
    free(out);
    return good;
}

static bool
reads(const golden *g)
{
    return decodes_to(g, g->stored.p, g->stored.n, &g->decoded);
}

TEST(objects_of_numcodecs_are_read)
{
    each(reads);
}

static bool
writes(const golden *g)
{
    ncz_buf out = NCZ_BUF_INIT;
    bool    good = ncz_chain_encode(g->chain, NULL, g->data.p, g->data.n, &out) == NC_NOERR, no_choice;

    assert_true(ncz_json_bool(ncz_json_get(g->v, "same"), &no_choice));
    if (good && no_choice)
        good = out.len == g->stored.n && same(g, (const unsigned char *)out.data, g->stored.p, out.len);
    good = good && decodes_to(g, out.data, out.len, &g->decoded);
    ncz_buf_clear(&out);
    return good;
}

TEST(the_same_bytes_as_numcodecs_are_written)
{
    each(writes);
}

static bool
ends_early(const golden *g)
{
    unsigned char *copy = malloc(g->stored.n + 1);
    bool           good = true;

    assert_non_null(copy);
    for (size_t n = 0; n < g->stored.n && good; n++) {
        memcpy(copy, g->stored.p, n);
        good = !decodes_to(g, copy, n, &g->decoded);
    }
    free(copy);
    return good;
}

TEST(cut_objects_are_refused)
{
    each(ends_early);
}

static bool
same_codec(const ncz_codec *a, const ncz_codec *b)
{
    char *one = written_codec(a), *two = written_codec(b);
    bool  same = ncz_codec_ops_of(a) == ncz_codec_ops_of(b) && strcmp(one, two) == 0;

    ncz_free(one);
    ncz_free(two);
    return same;
}

/* The document that we write says the same as the one that we read. */
static bool
document_stays(const golden *g)
{
    ncz_json_opts opts = {.mode = NCZ_JSON_STRICT, .depth = 16, .nbytes = 1 << 16};
    ncz_buf       filters = NCZ_BUF_INIT, compressor = NCZ_BUF_INIT;
    ncz_json     *f = NULL, *c = NULL;
    ncz_chain    *again = NULL;
    bool          good;

    good = ncz_chain_write(g->chain, &filters, &compressor) == NC_NOERR &&
           ncz_json_parse(filters.data, filters.len, &opts, &f, NULL) == NC_NOERR &&
           ncz_json_parse(compressor.data, compressor.len, &opts, &c, NULL) == NC_NOERR &&
           ncz_chain_parse(f, c, &g->type, NCZ_CONFIG_CALLER, 32, &again) == NC_NOERR &&
           ncz_chain_len(again) == ncz_chain_len(g->chain);
    for (size_t i = 0; good && i < ncz_chain_len(again); i++)
        good = same_codec(ncz_chain_codec(again, i), ncz_chain_codec(g->chain, i));
    ncz_buf_clear(&filters);
    ncz_buf_clear(&compressor);
    ncz_json_free(f);
    ncz_json_free(c);
    ncz_chain_unref(again);
    return good;
}

TEST(documents_of_numcodecs_stay_as_they_are)
{
    each(document_stays);
}

int
main(void)
{
    return run_file_tests(setup, teardown);
}
