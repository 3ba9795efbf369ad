/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chunks that HDF5, h5py and hdf5plugin wrote decode to what HDF5 makes of them. tests/data/filter/hdf5/make_cases.py
 * says how the cases came about. Cut, extended and damaged ones end in an error or in other data, within their memory.
 */
#include "filter_cases.h"

static ncz_json *doc;

static int
setup(void **state)
{
    (void)state;
    doc = read_cases("filter/hdf5/cases.json");
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    ncz_json_free(doc);
    return 0;
}

#define FILTERS_MOST 4
#define WORDS_MOST   64

/* The filters of a case, as HDF5 has them. */
typedef struct hdf5_filters {
    uint32_t        mask;
    size_t          n;
    unsigned        words[FILTERS_MOST][WORDS_MOST];
    ncz_filter_spec v[FILTERS_MOST];
} hdf5_filters;

static uint64_t
number(const ncz_json *v)
{
    uint64_t n;

    assert_true(ncz_json_u64(v, &n));
    return n;
}

static void
read_filter(hdf5_filters *all, const ncz_json *v)
{
    const ncz_json  *words = ncz_json_at(v, 1);
    ncz_filter_spec *f = &all->v[all->n];

    *f = (ncz_filter_spec){
        .id = (unsigned)number(ncz_json_at(v, 0)), .nwords = ncz_json_len(words), .words = all->words[all->n]};
    assert_true(all->n < FILTERS_MOST && f->nwords <= WORDS_MOST);
    for (size_t i = 0; i < f->nwords; i++)
        all->words[all->n][i] = (unsigned)number(ncz_json_at(words, i));
    all->n++;
}

static void
golden_init(golden *g)
{
    const ncz_json *list = ncz_json_get(g->v, "filters");
    hdf5_filters   *f = calloc(1, sizeof *f);

    assert_non_null(g->own = f);
    g->stored = bytes_of(ncz_json_get(g->v, "stored"));
    g->data = bytes_of(ncz_json_get(g->v, "data"));
    f->mask = (uint32_t)number(ncz_json_get(g->v, "mask"));
    for (size_t k = 0; k < ncz_json_len(list); k++)
        read_filter(f, ncz_json_at(list, k));
    g->type = env_of(NCZ_KIND_BYTES, (size_t)number(ncz_json_get(g->v, "size")), g->data.n);
    assert_true(ncz_json_bool(ncz_json_get(g->v, "big"), &g->type.dtype.big));
    assert_int_equal(ncz_chain_from_filters(f->v, f->n, f->mask, &g->type, &g->chain), NC_NOERR);
}

static void
each(bool (*check)(const golden *))
{
    each_case(doc, 150, golden_init, check);
}

/* Decodes n bytes, from memory of just their size, into memory of just the wanted size. */
static int
decode(const golden *g, const unsigned char *object, size_t n, size_t wanted, bool *same)
{
    unsigned char *in = malloc(n + (n == 0)), *out = malloc(wanted + (wanted == 0));
    int            rc;

    assert_non_null(in);
    assert_non_null(out);
    memcpy(in, object, n);
    rc = ncz_chain_decode(g->chain, NULL, in, n, out, wanted, false);
    *same = rc == NC_NOERR && wanted == g->data.n && memcmp(out, g->data.p, wanted) == 0;
    free(in);
    free(out);
    return rc;
}

static bool
reads(const golden *g)
{
    bool same;

    return decode(g, g->stored.p, g->stored.n, g->data.n, &same) == NC_NOERR && same;
}

TEST(chunks_of_hdf5_are_read)
{
    each(reads);
}

/* HDF5 leaves a byte after bits that end with a byte, and libaec reads no more than it needs. */
static bool
refuses_cut(const golden *g)
{
    const hdf5_filters *f = g->own;

    for (size_t n = 0; n < g->stored.n; n++) {
        bool same;
        int  rc = decode(g, g->stored.p, n, g->data.n, &same);

        if (rc != NC_EFILTER && !same)
            return false;
        if (same && n + 2 < g->stored.n && f->v[0].id != 4)
            return false;
    }
    return true;
}

TEST(cut_chunks_are_refused)
{
    each(refuses_cut);
}

/* Those whose stored form marks its end may have bytes after it (docs/filters.md), and szip cannot tell. */
static bool
ends_by_itself(const golden *g)
{
    const hdf5_filters *f = g->own;
    size_t              last = f->n;

    while (last > 0 && (f->mask >> (last - 1) & 1) != 0)
        last--;
    switch (last > 0 ? f->v[last - 1].id : 0) {
    case 1:
    case 4:
    case 307:
    case 32001:
    case 32015: return true;
    default: return false;
    }
}

static bool
refuses_longer(const golden *g)
{
    unsigned char *longer = calloc(1, g->stored.n + 3);
    bool           same, good;

    assert_non_null(longer);
    memcpy(longer, g->stored.p, g->stored.n);
    good = decode(g, longer, g->stored.n + 3, g->data.n, &same) == NC_EFILTER || (same && ends_by_itself(g));
    free(longer);
    return good;
}

TEST(extended_chunks_are_refused)
{
    each(refuses_longer);
}

static bool
refuses_other_sizes(const golden *g)
{
    const size_t sizes[] = {0, g->data.n - 1, g->data.n + 1, g->data.n * 2};

    for (size_t i = 0; i < NCZ_LEN(sizes); i++) {
        bool same;

        if (sizes[i] != g->data.n && decode(g, g->stored.p, g->stored.n, sizes[i], &same) != NC_EFILTER)
            return false;
    }
    return true;
}

TEST(chunks_of_other_sizes_are_refused)
{
    each(refuses_other_sizes);
}

/* Damage is an error, or gives other data; with a checksum it is an error. */
static bool
survives_damage(const golden *g)
{
    const hdf5_filters *f = g->own;

    for (size_t at = 0; at < g->stored.n && at < 64; at++)
        for (unsigned bit = 0; bit < 9; bit++) {
            unsigned char was = g->stored.p[at];
            bool          same;
            int           rc;

            g->stored.p[at] = (unsigned char)(bit < 8 ? was ^ 1 << bit : ~was);
            rc = decode(g, g->stored.p, g->stored.n, g->data.n, &same);
            g->stored.p[at] = was;
            if (rc != NC_EFILTER && rc != NC_NOERR && rc != NC_ENOFILTER)
                return false;
            if (rc == NC_NOERR && f->n == 1 && f->v[0].id == 3)
                return false;
        }
    return true;
}

TEST(damaged_chunks_do_no_harm)
{
    each(survives_damage);
}

static int
make_and_decode(void *arg)
{
    const golden       *g = arg;
    const hdf5_filters *f = g->own;
    unsigned char      *out = malloc(g->data.n);
    ncz_chain          *chain = NULL;
    int                 rc = ncz_chain_from_filters(f->v, f->n, f->mask, &g->type, &chain);

    assert_non_null(out);
    if (rc == NC_NOERR)
        rc = ncz_chain_decode(chain, NULL, g->stored.p, g->stored.n, out, g->data.n, false);
    ncz_chain_unref(chain);
    free(out);
    return rc;
}

static bool
survives_lack_of_memory(const golden *g)
{
    golden copy = *g;

    each_allocation_fails(make_and_decode, &copy);
    return true;
}

TEST(every_allocation_fails_once)
{
    each(survives_lack_of_memory);
}

/* ---- words ----------------------------------------------------------------------------------------------- */

static int
chain_of(unsigned id, size_t n, const unsigned *words, ncz_chain **out)
{
    ncz_array_type  type = env_of(NCZ_KIND_INT, 4, 64);
    ncz_filter_spec f = {.id = id, .nwords = n, .words = words};

    return ncz_chain_from_filters(&f, 1, 0, &type, out);
}

/* What becomes of a filter with these words: an error, or NC_ENOFILTER when it is run. */
static int
words_are(unsigned id, size_t n, const unsigned *words)
{
    ncz_chain *chain = NULL;
    int        rc = chain_of(id, n, words, &chain);

    if (rc == NC_NOERR)
        rc = ncz_chain_usable(chain);
    ncz_chain_unref(chain);
    return rc;
}

#define WORDS(id, ...) words_are(id, NCZ_LEN(((const unsigned[]){__VA_ARGS__})), (const unsigned[]){__VA_ARGS__})

TEST(nbit_parameters_are_checked)
{
    unsigned deep[3 + 2 * 64 + 5] = {0, 0, 4};
    size_t   n = 3;

    assert_int_equal(WORDS(5, 8, 0, 4, 1, 4, 0, 9, 0), NC_NOERR);
    assert_int_equal(WORDS(5, 5, 1, 4), NC_NOERR); /* the data are as they are */
    assert_int_equal(WORDS(5, 8, 0), NC_EFILTER);
    assert_int_equal(WORDS(5, 8, 0, 4), NC_EFILTER);                /* no type */
    assert_int_equal(WORDS(5, 8, 0, 4, 1, 4, 0, 9), NC_EFILTER);    /* cut */
    assert_int_equal(WORDS(5, 8, 0, 4, 5, 4, 0, 9, 0), NC_EFILTER); /* no such kind */
    assert_int_equal(WORDS(5, 8, 0, 4, 0, 4, 0, 9, 0), NC_EFILTER);
    assert_int_equal(WORDS(5, 8, 0, 4, 1, 0, 0, 9, 0), NC_EFILTER);  /* no bytes */
    assert_int_equal(WORDS(5, 8, 0, 4, 1, 4, 2, 9, 0), NC_EFILTER);  /* no such byte order */
    assert_int_equal(WORDS(5, 8, 0, 4, 1, 4, 0, 0, 0), NC_EFILTER);  /* no bits */
    assert_int_equal(WORDS(5, 8, 0, 4, 1, 4, 0, 33, 0), NC_EFILTER); /* more bits than bytes hold */
    assert_int_equal(WORDS(5, 8, 0, 4, 1, 4, 0, 9, 24), NC_EFILTER); /* or at that offset */
    assert_int_equal(WORDS(5, 8, 0, 4, 1, 4, 0, 9, 0xffffffff), NC_EFILTER);
    assert_int_equal(WORDS(5, 0, 0, 4, 2, 8, 1, 4, 0, 9, 0), NC_NOERR);   /* an array */
    assert_int_equal(WORDS(5, 0, 0, 4, 2, 9, 1, 4, 0, 9, 0), NC_EFILTER); /* of 2 1/4 elements */
    assert_int_equal(WORDS(5, 0, 0, 4, 2, 8, 3), NC_EFILTER);
    assert_int_equal(WORDS(5, 0, 0, 4, 3, 8, 1, 4, 1, 4, 0, 9, 0), NC_NOERR);   /* a compound */
    assert_int_equal(WORDS(5, 0, 0, 4, 3, 8, 1, 5, 1, 4, 0, 9, 0), NC_EFILTER); /* whose member reaches out of it */
    assert_int_equal(WORDS(5, 0, 0, 4, 3, 8, 1, 0xfffffffe, 1, 4, 0, 9, 0), NC_EFILTER);
    assert_int_equal(WORDS(5, 0, 0, 4, 3, 8, 0, 4, 1, 4, 0, 9, 0), NC_EFILTER); /* or has none */
    assert_int_equal(WORDS(5, 0, 0, 4, 3, 8, 0xffffffff, 4, 1, 4, 0, 9, 0), NC_EFILTER);
    assert_int_equal(WORDS(5, 0, 0, 4, 4, 16), NC_NOERR); /* bytes */
    for (size_t i = 0; i < 64; i++, n += 2) {
        deep[n] = 2;
        deep[n + 1] = 4;
    }
    memcpy(deep + n, (const unsigned[]){1, 4, 0, 9, 0}, 5 * sizeof *deep);
    assert_int_equal(words_are(5, n + 5, deep), NC_EFILTER);
}

/* Members may share bytes, which HDF5 never writes, but have no more bits together than the compound. */
TEST(nbit_members_may_share_bytes)
{
    assert_int_equal(WORDS(5, 0, 0, 4, 3, 4, 2, 0, 1, 4, 0, 16, 0, 0, 1, 4, 0, 16, 8), NC_NOERR);
    assert_int_equal(WORDS(5, 0, 0, 4, 3, 4, 2, 0, 1, 4, 0, 17, 0, 0, 1, 4, 0, 16, 8), NC_EFILTER);
}

TEST(scaleoffset_parameters_are_checked)
{
    unsigned words[20] = {2, 0, 16, 0, 4, 1, 0, 1, 5};

    assert_int_equal(words_are(6, 20, words), NC_NOERR);
    assert_int_equal(words_are(6, 19, words), NC_EFILTER);
    words[4] = 3;
    assert_int_equal(words_are(6, 20, words), NC_ENOFILTER);
    words[4] = 0;
    assert_int_equal(words_are(6, 20, words), NC_ENOFILTER);
    words[4] = 4;
    words[0] = 0; /* decimal digits of integers */
    assert_int_equal(words_are(6, 20, words), NC_ENOFILTER);
    words[3] = 1;
    assert_int_equal(words_are(6, 20, words), NC_NOERR);
    words[0] = 1; /* binary digits of floats, which HDF5 never had */
    assert_int_equal(words_are(6, 20, words), NC_ENOFILTER);
    words[0] = 0;
    words[4] = 2;
    assert_int_equal(words_are(6, 20, words), NC_ENOFILTER);
    words[3] = 2;
    assert_int_equal(words_are(6, 20, words), NC_ENOFILTER);
}

TEST(szip_parameters_are_checked)
{
#ifdef NCZ_WITH_SZIP
    assert_int_equal(WORDS(4, 141, 8, 32, 100), NC_NOERR);
    assert_int_equal(WORDS(4, 141, 8), NC_NOERR); /* of a program, for a new array */
    assert_int_equal(WORDS(4, 141, 8, 32), NC_EFILTER);
    assert_int_equal(WORDS(4, 137, 8, 32, 100), NC_EINVAL); /* neither mask */
    assert_int_equal(WORDS(4, 141, 0, 32, 100), NC_EINVAL);
    assert_int_equal(WORDS(4, 141, 7, 32, 100), NC_EINVAL);
    assert_int_equal(WORDS(4, 141, 8, 0, 100), NC_EINVAL);
    assert_int_equal(WORDS(4, 141, 8, 25, 100), NC_EINVAL);
    assert_int_equal(WORDS(4, 141, 8, 65, 100), NC_EINVAL);
    assert_int_equal(WORDS(4, 141, 8, 32, 7), NC_EINVAL);
    assert_int_equal(WORDS(4, 141, 8, 32, 1025), NC_EINVAL);
#else
    (void)state;
    assert_int_equal(WORDS(4, 141, 8, 32, 100), NC_ENOFILTER);
#endif
}

TEST(bitshuffle_parameters_are_checked)
{
    assert_int_equal(WORDS(32008, 0, 4, 4), NC_NOERR);
    assert_int_equal(WORDS(32008, 0, 4), NC_EFILTER);
    assert_int_equal(WORDS(32008, 0, 4, 0), NC_EINVAL);
    assert_int_equal(WORDS(32008, 0, 4, 0xffffffff), NC_EINVAL);
    assert_int_equal(WORDS(32008, 0, 4, 4, 12), NC_EINVAL);
    assert_int_equal(WORDS(32008, 0, 4, 4, 16), NC_NOERR);
    assert_int_equal(WORDS(32008, 0, 4, 4, 16, 1), NC_ENOFILTER);
    assert_int_equal(WORDS(32008, 0, 4, 4, 16, 7), NC_ENOFILTER);
}

/* Levels are for encoders: files lack them, or have those of other libraries. */
TEST(parameters_of_encoders_do_not_matter)
{
    assert_int_equal(WORDS(1, 99), NC_NOERR);
    assert_int_equal(words_are(1, 0, NULL), NC_NOERR);
    assert_int_equal(words_are(2, 0, NULL), NC_NOERR);
    assert_int_equal(words_are(3, 0, NULL), NC_NOERR);
    assert_int_equal(words_are(32000, 0, NULL), NC_NOERR);
#ifdef NCZ_WITH_BZIP2
    assert_int_equal(words_are(307, 0, NULL), NC_NOERR);
#endif
#ifdef NCZ_WITH_ZSTD
    assert_int_equal(words_are(32015, 0, NULL), NC_NOERR);
#endif
#ifdef NCZ_WITH_BLOSC
    assert_int_equal(WORDS(32001, 2, 2, 4, 64), NC_NOERR);
#endif
}

/* Elements of one byte are not shuffled, whatever the array's type is. */
TEST(single_bytes_are_not_shuffled)
{
    static const unsigned one = 1;
    unsigned char         in[64], out[64];
    ncz_chain            *chain = NULL;

    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (unsigned char)i;
    assert_int_equal(chain_of(2, 1, &one, &chain), NC_NOERR);
    assert_int_equal(ncz_chain_decode(chain, NULL, in, sizeof in, out, sizeof out, false), NC_NOERR);
    assert_memory_equal(in, out, sizeof in);
    ncz_chain_unref(chain);
}

/* What each of many filters may add to a chunk would make a reader allocate a multiple of it. */
TEST(chains_that_may_grow_too_much_are_refused)
{
    static const unsigned words[] = {0, 4, 4, 8, 3};
    ncz_array_type        type = env_of(NCZ_KIND_INT, 4, 1 << 22);
    ncz_filter_spec       many[32];
    ncz_chain            *chain = NULL;

    for (size_t i = 0; i < NCZ_LEN(many); i++)
        many[i] = (ncz_filter_spec){.id = 32008, .nwords = NCZ_LEN(words), .words = words};
    assert_int_equal(ncz_chain_from_filters(many, 2, 0, &type, &chain), NC_NOERR);
    ncz_chain_unref(chain);
#ifdef NCZ_WITH_ZSTD
    assert_int_equal(ncz_chain_from_filters(many, NCZ_LEN(many), 0, &type, &chain), NC_EFILTER);
    assert_null(chain);
#endif
    assert_int_equal(ncz_chain_from_filters(many, NCZ_LEN(many), ~UINT32_C(1), &type, &chain), NC_NOERR);
    ncz_chain_unref(chain);
}

/* What a filter that rounds has written is the data. */
TEST(rounded_values_are_the_data)
{
    static const unsigned words[] = {3, 4, 0, 0, 0};
    unsigned char         in[64], out[64];

    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (unsigned char)i;
    for (unsigned id = 32022; id <= 32023; id++) {
        ncz_chain *chain = NULL;

        assert_int_equal(chain_of(id, NCZ_LEN(words), words, &chain), NC_NOERR);
        assert_int_equal(ncz_chain_decode(chain, NULL, in, sizeof in, out, sizeof out, false), NC_NOERR);
        assert_memory_equal(in, out, sizeof in);
        ncz_chain_unref(chain);
    }
}

/* ---- pipelines ------------------------------------------------------------------------------------------- */

TEST(unknown_filters_are_named)
{
    static const struct {
        unsigned    id;
        const char *name, *text;
    } cases[] = {
        {32013, NULL, "HDF5 filter 32013 (zfp) is not built in"},
        {32017, "SZ compressor", "HDF5 filter 32017 (sz) is not built in"},
        {32026, NULL, "HDF5 filter 32026 (blosc2) is not built in"},
        {40000, "mine", "HDF5 filter 40000 (mine) is not built in"},
        {40000, NULL, "HDF5 filter 40000 (unknown) is not built in"},
    };
    ncz_array_type type = env_of(NCZ_KIND_INT, 4, 8);
    unsigned char  in[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[8];

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        ncz_filter_spec f = {.id = cases[i].id, .name = cases[i].name};
        ncz_chain      *chain = NULL;

        assert_int_equal(ncz_chain_from_filters(&f, 1, 0, &type, &chain), NC_NOERR);
        assert_int_equal(ncz_chain_len(chain), 1);
        assert_int_equal(ncz_chain_decode(chain, NULL, in, 8, out, 8, false), NC_ENOFILTER);
        assert_ptr_equal(strstr(ncz_err_text(), cases[i].text), ncz_err_text());
        assert_non_null(strstr(ncz_err_text(), "h5repack"));
        ncz_chain_unref(chain);
        /* A chunk that it was not applied to can be read. */
        assert_int_equal(ncz_chain_from_filters(&f, 1, 1, &type, &chain), NC_NOERR);
        assert_int_equal(ncz_chain_decode(chain, NULL, in, 8, out, 8, false), NC_NOERR);
        assert_memory_equal(in, out, 8);
        ncz_chain_unref(chain);
    }
    assert_string_equal(ncz_filter_name(32000), "lzf");
    assert_null(ncz_filter_name(40000));
}

/* The cause is in the text, where the filter is known and its parameters are not. */
TEST(unknown_parameters_are_named)
{
    static const unsigned words[] = {0, 4, 4, 16, 7};
    ncz_chain            *chain = NULL;

    assert_int_equal(chain_of(32008, NCZ_LEN(words), words, &chain), NC_NOERR);
    assert_int_equal(ncz_chain_usable(chain), NC_ENOFILTER);
    assert_non_null(strstr(ncz_err_text(), "HDF5 filter 32008 (bitshuffle) is not built in: "));
    assert_non_null(strstr(ncz_err_text(), "compressor 7"));
    ncz_chain_unref(chain);
}

TEST(hdf5_only_codecs_stay_out_of_zarr)
{
    static const unsigned words[] = {4, 261, 64};
    unsigned              back[NCZ_CODEC_WORDS];
    ncz_array_type        type = env_of(NCZ_KIND_INT, 4, 64);
    const ncz_codec_ops  *ops = ncz_codec_by_hdf5(32000, NCZ_SPELLING_HDF5);
    ncz_chain            *chain = NULL;
    ncz_buf               out = NCZ_BUF_INIT, filters = NCZ_BUF_INIT;
    ncz_jsonw             w = ncz_jsonw_on(&filters);
    size_t                n = 0;

    assert_non_null(ops);
    assert_null(ncz_codec_by_hdf5(32000, NCZ_SPELLING_NUMCODECS));
    assert_null(ncz_codec_by_hdf5(32000, NCZ_SPELLING_V3));
    assert_null(ncz_codec_by_id("lzf"));
    assert_null(ncz_codec_by_v3_name("lzf"));
    assert_string_equal(ncz_codec_by_hdf5(1, NCZ_SPELLING_HDF5)->id, "zlib");
    assert_int_equal(chain_of(32000, NCZ_LEN(words), words, &chain), NC_NOERR);
    assert_int_equal(ncz_codec_hdf5_id(ncz_codec_ops_of(ncz_chain_codec(chain, 0)), NCZ_SPELLING_HDF5), 32000);
    assert_int_equal(ncz_codec_to_words(ncz_chain_codec(chain, 0), &type, &n, back), NC_NOERR);
    assert_int_equal(n, 3);
    assert_memory_equal(back, words, sizeof words);
    assert_int_equal(ncz_chain_check_spelling(chain, NCZ_SPELLING_HDF5), NC_NOERR);
    assert_int_equal(ncz_chain_check_spelling(chain, NCZ_SPELLING_NUMCODECS), NC_ENOFILTER);
    assert_int_equal(ncz_chain_check_spelling(chain, NCZ_SPELLING_V3), NC_ENOFILTER);
    assert_string_equal(ncz_err_text(), "HDF5's filter 'lzf' has no form in Zarr");
    assert_int_equal(ncz_chain_write(chain, &filters, &out), NC_ENOFILTER);
    assert_int_equal(ncz_codec_describe_v3(ncz_chain_codec(chain, 0), &type, &w), NC_ENOFILTER);
    ncz_buf_clear(&out);
    ncz_buf_clear(&filters);
    ncz_chain_unref(chain);
}

/* ---- in a copy ---- */

static ncz_array_type
ints(void)
{
    return (ncz_array_type){.dtype = ncz_dtype_of(ncz_type_of(NC_INT), false, 0), .chunk_bytes = 4096};
}

/* What a copy in Zarr has of these filters: "shuffle zlib". */
static void
check_copy(const ncz_filter_spec *filters, size_t n, const char *want)
{
    ncz_array_type type = ints();
    ncz_chain     *chain = NULL, *copy = NULL;
    char           got[100] = "";

    assert_int_equal(ncz_chain_from_filters(filters, n, 0, &type, &chain), NC_NOERR);
    assert_int_equal(ncz_chain_for_zarr(chain, &type, &copy), NC_NOERR);
    for (size_t i = 0; i < ncz_chain_len(copy); i++) {
        (void)strcat(got, i > 0 ? " " : "");
        (void)strcat(got, ncz_chain_id(copy, i));
    }
    assert_string_equal(got, want);
    assert_int_equal(ncz_chain_check_spelling(copy, NCZ_SPELLING_NUMCODECS), NC_NOERR);
    ncz_chain_unref(chain);
    ncz_chain_unref(copy);
}

TEST(filters_become_codecs_of_zarr)
{
    static const unsigned level[] = {6}, size[] = {4}, lzf[] = {4, 261, 4096};
    static const unsigned bits[] = {0, 4, 4, 0}, bits_lz4[] = {0, 4, 4, 0, 2}, bits_zstd[] = {0, 4, 4, 0, 3, 7};
    const ncz_filter_spec shuffle = {.id = 2, .nwords = 1, .words = size},
                          deflate = {.id = 1, .nwords = 1, .words = level}, sum = {.id = 3},
                          small = {.id = 32000, .nwords = 3, .words = lzf}, rounded = {.id = 32022},
                          other = {.id = 40001};

#define CHECK(want, ...)                                                                                             \
    check_copy((ncz_filter_spec[]){__VA_ARGS__}, sizeof((ncz_filter_spec[]){__VA_ARGS__}) / sizeof(ncz_filter_spec), \
               want)
    CHECK("shuffle zlib fletcher32", shuffle, deflate, sum);
    CHECK("shuffle zlib", small);
    CHECK("shuffle zlib fletcher32", shuffle, small, sum);
    CHECK("fletcher32 shuffle zlib", sum, small);
    CHECK("zlib", small, deflate);
    CHECK("shuffle", shuffle, rounded);
    CHECK("shuffle zlib", rounded, shuffle, deflate);
    CHECK("shuffle zlib", other);
    CHECK("", {.id = 32008, .nwords = 4, .words = bits});
    CHECK("zlib", {.id = 32008, .nwords = 4, .words = bits}, deflate);
    (void)bits_lz4;
    (void)bits_zstd;
#if defined(NCZ_WITH_BLOSC) && defined(NCZ_WITH_LZ4)
    CHECK("blosc", {.id = 32008, .nwords = 5, .words = bits_lz4});
#endif
#if defined(NCZ_WITH_BLOSC) && defined(NCZ_WITH_ZSTD)
    CHECK("blosc fletcher32", {.id = 32008, .nwords = 6, .words = bits_zstd}, sum);
#endif
#ifdef NCZ_WITH_LZ4
    CHECK("shuffle lz4", shuffle, {.id = 32004, .nwords = 1, .words = (const unsigned[]){1 << 20}});
#endif
#undef CHECK
}

/* Strings have no elements of one size to shuffle. */
TEST(copied_strings_are_not_shuffled)
{
    static const unsigned level[] = {6}, size[] = {16}, lzf[] = {4, 261, 4096};
    const ncz_filter_spec filters[] = {{.id = 2, .nwords = 1, .words = size}, {.id = 1, .nwords = 1, .words = level}};
    const ncz_filter_spec small = {.id = 32000, .nwords = 3, .words = lzf};
    ncz_array_type        stored = {.dtype = {.kind = NCZ_KIND_OTHER, .size = 16}, .chunk_bytes = 160};
    ncz_array_type        type = {.dtype = {.kind = NCZ_KIND_OBJECT, .size = NCZ_OBJECT_SIZE}};
    const ncz_json_opts   opts = {.mode = NCZ_JSON_STRICT, .depth = 4, .nbytes = 100, .name = "codecs"};
    ncz_json             *list = NULL;
    ncz_chain            *objects = NULL, *file = NULL, *joined = NULL, *copy = NULL;

    assert_int_equal(ncz_json_parse("[{\"id\":\"vlen-utf8\"}]", 20, &opts, &list, NULL), NC_NOERR);
    assert_int_equal(ncz_chain_parse(list, NULL, &type, NCZ_CONFIG_CALLER, 8, &objects), NC_NOERR);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ncz_chain_from_filters(i == 0 ? filters : &small, i == 0 ? 2 : 1, 0, &stored, &file),
                         NC_NOERR);
        assert_int_equal(ncz_chain_join(objects, file, &type, &joined), NC_NOERR);
        assert_int_equal(ncz_chain_for_zarr(joined, &type, &copy), NC_NOERR);
        assert_int_equal(ncz_chain_len(copy), 2);
        assert_string_equal(ncz_chain_id(copy, 0), "vlen-utf8");
        assert_string_equal(ncz_chain_id(copy, 1), "zlib");
        ncz_chain_unref(file);
        ncz_chain_unref(joined);
        ncz_chain_unref(copy);
    }
    ncz_chain_unref(objects);
    ncz_json_free(list);
}

int
main(void)
{
    return run_file_tests(setup, teardown);
}

/* ---- encoding ---- */

/* What the filter encodes it decodes again, whole blocks and what is left of them. */
static void
expect_round_trip(unsigned id, size_t nwords, const unsigned *words, size_t size, size_t nelems)
{
    const uint64_t  shape = nelems;
    ncz_array_type  in = {.dtype = {.kind = NCZ_KIND_UINT, .size = size},
                          .chunk_bytes = size * nelems,
                          .rank = 1,
                          .shape = &shape,
                          .row = nelems};
    ncz_filter_spec f = {.id = id, .nwords = nwords, .words = words};
    unsigned char  *data = malloc(size * nelems), *back = malloc(size * nelems);
    ncz_chain      *chain = NULL;
    ncz_buf         out = NCZ_BUF_INIT;

    for (size_t i = 0; i < size * nelems; i++)
        data[i] = (unsigned char)(i * i >> 4 ^ i / 7);
    assert_int_equal(ncz_chain_from_filters(&f, 1, 0, &in, &chain), NC_NOERR);
    assert_int_equal(ncz_chain_encode(chain, NULL, data, size * nelems, &out), NC_NOERR);
    assert_int_equal(ncz_chain_decode(chain, NULL, out.data, out.len, back, size * nelems, false), NC_NOERR);
    assert_memory_equal(back, data, size * nelems);
    ncz_chain_unref(chain);
    ncz_buf_clear(&out);
    free(data);
    free(back);
}

TEST(filters_of_new_files_encode)
{
    static const size_t lengths[] = {1, 7, 8, 100, 1024, 5003};

    for (size_t i = 0; i < NCZ_LEN(lengths); i++)
        for (unsigned size = 1; size <= 8; size *= 2) {
            expect_round_trip(32000, 3, (unsigned[]){4, 261, size * (unsigned)lengths[i]}, size, lengths[i]);
            expect_round_trip(32008, 3, (unsigned[]){0, 4, size}, size, lengths[i]);
            expect_round_trip(32008, 5, (unsigned[]){0, 4, size, 64, 0}, size, lengths[i]);
#ifdef NCZ_WITH_LZ4
            expect_round_trip(32004, 0, NULL, size, lengths[i]);
            expect_round_trip(32004, 1, (unsigned[]){100}, size, lengths[i]);
            expect_round_trip(32008, 5, (unsigned[]){0, 4, size, 0, 2}, size, lengths[i]);
            expect_round_trip(32008, 5, (unsigned[]){0, 4, size, 16, 2}, size, lengths[i]);
#endif
#ifdef NCZ_WITH_ZSTD
            expect_round_trip(32008, 6, (unsigned[]){0, 4, size, 0, 3, 5}, size, lengths[i]);
#endif
#ifdef NCZ_WITH_SZIP
            if (lengths[i] >= 8) {
                expect_round_trip(4, 2, (unsigned[]){32, 8}, size, lengths[i]);
                expect_round_trip(4, 2, (unsigned[]){4, 8}, size, lengths[i]);
            }
#endif
        }
}

TEST(filters_that_are_only_read_do_not_encode)
{
    static const uint64_t shape = 4;
    static const unsigned words[20] = {2, 0, 16, 0, 4, 1, 0, 1, 5};
    ncz_array_type in = {.dtype = {.kind = NCZ_KIND_FLOAT, .size = 4}, .chunk_bytes = 16, .rank = 1, .shape = &shape};
    ncz_filter_spec f = {.id = 6, .nwords = 20, .words = words};
    ncz_chain      *chain = NULL;
    ncz_buf         out = NCZ_BUF_INIT;

    assert_int_equal(ncz_chain_from_filters(&f, 1, 0, &in, &chain), NC_NOERR);
    assert_int_equal(ncz_chain_check_encodes(chain), NC_ENOFILTER);
    assert_int_equal(ncz_chain_encode(chain, NULL, words, 8, &out), NC_ENOFILTER);
    assert_non_null(strstr(ncz_err_text(), "decoded, not encoded"));
    ncz_chain_unref(chain);
    ncz_buf_clear(&out);
}

TEST(words_of_a_program_are_completed_for_the_file)
{
    const uint64_t shape[2] = {10, 40};
    ncz_array_type in = {
        .dtype = {.kind = NCZ_KIND_FLOAT, .size = 4}, .chunk_bytes = 1600, .rank = 2, .shape = shape};
    unsigned words[NCZ_CODEC_WORDS];

    assert_int_equal(ncz_filter_complete_words(32008, 2, (unsigned[]){0, 2}, &in, words), 5);
    assert_memory_equal(words, ((unsigned[]){0, 4, 4, 0, 2}), 5 * sizeof *words);
    assert_int_equal(ncz_filter_complete_words(32008, 5, (unsigned[]){0, 3, 4, 0, 2}, &in, words), 5);
    assert_memory_equal(words, ((unsigned[]){0, 3, 4, 0, 2}), 5 * sizeof *words);
    assert_int_equal(ncz_filter_complete_words(1, 1, (unsigned[]){6}, &in, words), 1);
#ifdef NCZ_WITH_SZIP
    {
        ncz_chain      *chain = NULL;
        ncz_filter_spec f = {.id = 4, .nwords = 2, .words = (unsigned[]){32, 8}}, got;

        assert_int_equal(ncz_chain_from_filters(&f, 1, 0, &in, &chain), NC_NOERR);
        assert_int_equal(ncz_chain_filter_at(chain, 0, &got, words), NC_NOERR);
        assert_int_equal(got.nwords, 4);
        assert_memory_equal(words, ((unsigned[]){32 | 128 | 8 | 1, 8, 32, 40}), 4 * sizeof *words);
        ncz_chain_unref(chain);
    }
#endif
}
