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
    doc = read_cases(NCZ_TEST_DATA "/filter/numcodecs/cases.json");
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

typedef struct golden {
    const ncz_json *v;
    bytes           data, encoded, decoded;
    ncz_array_type  env;
    bool            same;
    ncz_chain      *chain;
} golden;

static void
golden_init(golden *g, size_t i)
{
    size_t len;

    *g = (golden){.v = ncz_json_at(doc, i)};
    g->data = from_hex(ncz_json_get(g->v, "data"));
    g->encoded = from_hex(ncz_json_get(g->v, "encoded"));
    g->decoded = from_hex(ncz_json_get(g->v, ncz_json_get(g->v, "decoded") != NULL ? "decoded" : "data"));
    g->env = env_for(ncz_json_str(ncz_json_get(g->v, "dtype"), &len), g->data.n);
    assert_true(ncz_json_bool(ncz_json_get(g->v, "same"), &g->same));
    assert_int_equal(ncz_chain_parse(ncz_json_get(g->v, "filters"), ncz_json_get(g->v, "compressor"), &g->env,
                                     NCZ_CONFIG_CALLER, 32, &g->chain),
                     NC_NOERR);
}

static void
golden_clear(golden *g)
{
    free(g->data.p);
    free(g->encoded.p);
    free(g->decoded.p);
    ncz_chain_unref(g->chain);
}

/* Runs `check` over all cases that this build has the codecs for, and says which ones it failed. */
static void
each_case(bool (*check)(const golden *))
{
    size_t n = ncz_json_len(doc), run = 0, bad = 0;

    for (size_t i = 0; i < n; i++) {
        golden g;

        golden_init(&g, i);
        if (ncz_chain_usable(g.chain) == NC_NOERR) {
            run++;
            if (!check(&g)) {
                bad++;
                print_error("case %zu, line %zu of cases.json: %s\n", i, i + 2, ncz_err_text());
            }
        }
        golden_clear(&g);
    }
    assert_true(run >= 100);
    assert_int_equal(bad, 0);
}

static bool
is_nan(const unsigned char *e, const ncz_dtype *t)
{
    uint64_t bits = 0, infinity = t->size == 4 ? UINT64_C(0x7f800000) : UINT64_C(0x7ff0000000000000);

    for (size_t i = 0; i < t->size; i++)
        bits = bits << 8 | e[t->big ? i : t->size - 1 - i];
    return (bits & ~(UINT64_C(1) << (8 * t->size - 1))) > infinity;
}

/* Equal bytes; but one NaN is as good as another: the difference of two infinities has a sign of the processor's own. */
static bool
same(const golden *g, const unsigned char *a, const unsigned char *b, size_t n)
{
    const ncz_dtype *t = &g->env.dtype;

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
    return decodes_to(g, g->encoded.p, g->encoded.n, &g->decoded);
}

static void
test_reads(void **state)
{
    (void)state;
    each_case(reads);
}

static bool
writes(const golden *g)
{
    ncz_buf out = NCZ_BUF_INIT;
    bool    good = ncz_chain_encode(g->chain, NULL, g->data.p, g->data.n, &out) == NC_NOERR;

    if (good && g->same)
        good = out.len == g->encoded.n && same(g, (const unsigned char *)out.data, g->encoded.p, out.len);
    good = good && decodes_to(g, out.data, out.len, &g->decoded);
    ncz_buf_clear(&out);
    return good;
}

static void
test_writes(void **state)
{
    (void)state;
    each_case(writes);
}

static bool
ends_early(const golden *g)
{
    unsigned char *copy = malloc(g->encoded.n + 1);
    bool           good = true;

    assert_non_null(copy);
    for (size_t n = 0; n < g->encoded.n && good; n++) {
        memcpy(copy, g->encoded.p, n);
        good = !decodes_to(g, copy, n, &g->decoded);
    }
    free(copy);
    return good;
}

static void
test_cut(void **state)
{
    (void)state;
    each_case(ends_early);
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
           ncz_chain_parse(f, c, &g->env, NCZ_CONFIG_CALLER, 32, &again) == NC_NOERR &&
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

static void
test_documents(void **state)
{
    (void)state;
    each_case(document_stays);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads),
        cmocka_unit_test(test_writes),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_documents),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
