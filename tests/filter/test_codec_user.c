/* SPDX-License-Identifier: BSD-3-Clause */
/* Codecs of an application's own: what may be registered, how long one lives, what is believed of what it says. */
#include "filter_testing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static const ncz_array_type env = {.dtype = {.kind = NCZ_KIND_INT, .size = 4}, .chunk_bytes = 64};

/* ---- a codec that turns each byte with its key, and lies where a test asks it to ---- */

typedef struct turner {
    int         opened, closed;
    atomic_int  released;
    int         fail; /* what encode and decode return */
    const char *text; /* and say */
    size_t      encoded_extra, decoded_extra;
    size_t      nwords; /* not 0: what to_words says */
    const char *json;   /* not NULL: what from_words gives */
    atomic_int  inside, most_inside;
} turner;

typedef struct turner_state {
    unsigned char key;
} turner_state;

static void
come(turner *t)
{
    int now = atomic_fetch_add(&t->inside, 1) + 1, most = atomic_load(&t->most_inside);

    while (now > most && !atomic_compare_exchange_weak(&t->most_inside, &most, now))
        ;
}

static void
go(turner *t)
{
    atomic_fetch_sub(&t->inside, 1);
}

static int
turn_open(void *user, const char *json, const nczarr_codec_array *array, void **statep)
{
    turner       *t = user;
    ncz_json     *config = NULL;
    turner_state *s;
    int64_t       key = 1;
    int           rc;

    assert_int_equal(array->size, sizeof *array);
    if ((rc = ncz_codec_parse(json, strlen(json), &config)) != NC_NOERR)
        return rc;
    assert_true(ncz_codec_get_int(config, "key", &key));
    assert_true(ncz_json_str_is(ncz_json_get(config, "id"), "turn"));
    ncz_json_free(config);
    if (key == 666)
        return ncz_fail(NC_ENOFILTER, "key 666 is not for sale");
    if (key > 255)
        return NC_EFILTER;
    if ((s = ncz_alloc(sizeof *s)) == NULL)
        return NC_ENOMEM;
    s->key = (unsigned char)key;
    *statep = s;
    t->opened++;
    return NC_NOERR;
}

static void
turn_close(void *user, void *state)
{
    ((turner *)user)->closed++;
    ncz_free(state);
}

static int
turn_from_words(void *user, size_t n, const unsigned *words, char *json, size_t cap)
{
    turner *t = user;

    if (n != 1)
        return NC_EINVAL;
    if (t->json != NULL)
        snprintf(json, cap, "%s", t->json);
    else
        snprintf(json, cap, "{\"key\": %u}", words[0]);
    return NC_NOERR;
}

static int
turn_to_words(void *user, const char *json, size_t *n, unsigned *words)
{
    turner   *t = user;
    ncz_json *config = NULL;
    int64_t   key = 1;
    int       rc;

    if ((rc = ncz_codec_parse(json, strlen(json), &config)) != NC_NOERR)
        return rc;
    assert_true(ncz_codec_get_int(config, "key", &key));
    ncz_json_free(config);
    words[0] = (unsigned)key;
    *n = t->nwords != 0 ? t->nwords : 1;
    return NC_NOERR;
}

static int
turn(turner *t, const turner_state *s, int by, const void *in, size_t n, void *out, size_t cap)
{
    const unsigned char *from = in;
    unsigned char       *to = out;

    come(t);
    for (size_t i = 0; i < n && i < cap; i++)
        to[i] = (unsigned char)(from[i] + by * (s != NULL ? s->key : 1));
    if (t->fail != NC_NOERR && t->text != NULL)
        ncz_fail(t->fail, "%s", t->text);
    go(t);
    return t->fail;
}

static int
turn_encode(void *user, void *state, const nczarr_codec_array *array, const void *in, size_t n, void *out, size_t cap,
            size_t *used)
{
    turner *t = user;

    (void)array;
    *used = n + t->encoded_extra;
    return turn(t, state, 1, in, n, out, cap);
}

static int
turn_decode(void *user, void *state, const nczarr_codec_array *array, const void *in, size_t n, void *out, size_t cap,
            size_t *used)
{
    turner *t = user;

    (void)array;
    *used = n + t->decoded_extra;
    return turn(t, state, -1, in, n, out, cap);
}

static void
turn_release(void *user)
{
    ((turner *)user)->released++;
}

static nczarr_codec
turn_codec(turner *t)
{
    return (nczarr_codec){
        .size = sizeof(nczarr_codec),
        .id = "turn",
        .hdf5_id = 40000,
        .user = t,
        .open = turn_open,
        .close = turn_close,
        .from_words = turn_from_words,
        .to_words = turn_to_words,
        .encode = turn_encode,
        .decode = turn_decode,
        .release = turn_release,
    };
}

static int
parse(const char *filters, const char *compressor, ncz_chain **out)
{
    ncz_json *f = json_of(filters), *c = json_of(compressor);
    int       rc = ncz_chain_parse(f, c, &env, NCZ_CONFIG_CALLER, 8, out);

    ncz_json_free(f);
    ncz_json_free(c);
    return rc;
}

/* ---- registering ---- */

TEST(bad_registrations_are_refused)
{
    struct {
        nczarr_codec c;
        char         later[8];
    } longer = {.later = {0}};
    turner       t = {0};
    nczarr_codec c = turn_codec(&t);
    char         id[400];

    assert_int_equal(ncz_codec_register(NULL), NC_EINVAL);
    c.size = sizeof(void *);
    assert_int_equal(ncz_codec_register(&c), NC_EINVAL);
    c = turn_codec(&t);
    c.id = NULL;
    assert_int_equal(ncz_codec_register(&c), NC_EINVAL);
    c.id = "";
    assert_int_equal(ncz_codec_register(&c), NC_EINVAL);
    c.id = "\xff";
    assert_int_equal(ncz_codec_register(&c), NC_EINVAL);
    memset(id, 'x', sizeof id);
    id[sizeof id - 1] = '\0';
    c.id = id;
    assert_int_equal(ncz_codec_register(&c), NC_EINVAL);
    c = turn_codec(&t);
    c.flags = 0x80;
    assert_int_equal(ncz_codec_register(&c), NC_EINVAL);
    c = turn_codec(&t);
    c.encode = NULL;
    assert_int_equal(ncz_codec_register(&c), NC_EINVAL);
    c = turn_codec(&t);
    c.decode = NULL;
    assert_int_equal(ncz_codec_register(&c), NC_EINVAL);
    c = turn_codec(&t);
    c.to_words = NULL;
    assert_int_equal(ncz_codec_register(&c), NC_EINVAL);

    longer.c = turn_codec(&t);
    longer.c.size = sizeof longer;
    longer.later[7] = 1; /* a later release's member, and in use */
    assert_int_equal(ncz_codec_register(&longer.c), NC_ENOTBUILT);
    longer.later[7] = 0;
    assert_int_equal(ncz_codec_register(&longer.c), NC_NOERR);
    assert_int_equal(ncz_codec_unregister("turn"), NC_NOERR);
    assert_int_equal(t.released, 1); /* by the one that was taken */
    assert_int_equal(ncz_codec_unregister("turn"), NC_ENOFILTER);
    assert_int_equal(ncz_codec_unregister("zlib"), NC_ENOFILTER);
}

TEST(names_and_numbers_are_given_once)
{
    turner       t = {0};
    nczarr_codec c = turn_codec(&t);

    c.id = "zlib";
    assert_int_equal(ncz_codec_register(&c), NC_ENAMEINUSE);
    c = turn_codec(&t);
    c.hdf5_id = 1;
    assert_int_equal(ncz_codec_register(&c), NC_ENAMEINUSE);
    c = turn_codec(&t);
    assert_int_equal(ncz_codec_register(&c), NC_NOERR);
    assert_int_equal(ncz_codec_register(&c), NC_ENAMEINUSE);
    c.id = "other";
    assert_int_equal(ncz_codec_register(&c), NC_ENAMEINUSE); /* the number */
    c.hdf5_id = 0;
    assert_int_equal(ncz_codec_register(&c), NC_NOERR);
    c.id = "third";
    assert_int_equal(ncz_codec_register(&c), NC_NOERR); /* no number clashes with no number */
    assert_int_equal(t.released, 0);
    assert_int_equal(ncz_codec_unregister("turn"), NC_NOERR);
    assert_int_equal(ncz_codec_unregister("third"), NC_NOERR);
    assert_int_equal(ncz_codec_unregister("other"), NC_NOERR);
    assert_int_equal(t.released, 3);
    assert_null(ncz_codec_by_id("turn"));
    assert_null(ncz_codec_by_hdf5(40000, NCZ_SPELLING_NUMCODECS));
}

/* ---- life ---- */

TEST(an_unregistered_codec_lives_while_used)
{
    static const char    text[] = "{\"key\":\"7\",\"id\":\"turn\",\"note\":[1,{}]}";
    turner               t = {0};
    nczarr_codec         c = turn_codec(&t);
    char                 id[] = "turn";
    const ncz_codec_ops *ops;
    ncz_chain           *chain = NULL, *longer = NULL, *again = NULL;
    unsigned char        data[64] = {1, 2, 3}, back[64];
    unsigned             words[NCZ_CODEC_WORDS];
    ncz_buf              out = NCZ_BUF_INIT;
    size_t               n;

    c.id = id;
    assert_int_equal(ncz_codec_register(&c), NC_NOERR);
    id[0] = 'x'; /* the name was copied */
    assert_int_equal(parse("null", text, &chain), NC_NOERR);
    ops = ncz_codec_ops_of(ncz_chain_codec(chain, 0));
    assert_ptr_equal(ncz_codec_by_hdf5(40000, NCZ_SPELLING_NUMCODECS), ops);
    ncz_codec_ops_unref(ops);
    assert_int_equal(ncz_codec_unregister("turn"), NC_NOERR);
    assert_null(ncz_codec_by_id("turn"));
    assert_int_equal(t.released, 0);

    /* The chain runs on, and what is made of it shares the configuration. */
    assert_int_equal(chain_with(chain, "zlib", "{\"level\": 1}", &env, false, &longer), NC_NOERR);
    ncz_chain_unref(chain);
    assert_int_equal(t.opened, 1);
    assert_int_equal(t.closed, 0);
    assert_int_equal(ncz_chain_encode(longer, NULL, data, sizeof data, &out), NC_NOERR);
    assert_int_equal(ncz_chain_decode(longer, NULL, out.data, out.len, back, sizeof back, false), NC_NOERR);
    assert_memory_equal(back, data, sizeof data);
    assert_int_equal(ncz_codec_to_words(ncz_chain_codec(longer, 0), &env, &n, words), NC_NOERR);
    assert_true(n == 1 && words[0] == 7);

    /* In a document members keep their order behind the name. */
    ncz_buf_reset(&out);
    assert_int_equal(ncz_chain_write_list(longer, &out), NC_NOERR);
    assert_string_equal(ncz_buf_str(&out), "[{\"id\": \"turn\", \"key\": \"7\", \"note\": [1,{}]},"
                                           "{\"id\": \"zlib\", \"level\": 1}]");
    assert_int_equal(ncz_chain_without(longer, "zlib", &again), NC_NOERR);
    ncz_chain_unref(longer);
    assert_int_equal(t.closed, 0);
    ncz_fail(NC_EPERM, "still to be told");
    ncz_chain_unref(again);
    assert_string_equal(ncz_err_text(), "still to be told");
    assert_int_equal(t.closed, 1);
    assert_int_equal(t.released, 1);
    ncz_buf_clear(&out);
}

TEST(configurations_are_checked_by_the_codec)
{
    turner       t = {0};
    nczarr_codec c = turn_codec(&t);
    ncz_chain   *chain = NULL;

    assert_int_equal(ncz_codec_register(&c), NC_NOERR);
    assert_int_equal(parse("null", "{\"id\": \"turn\", \"key\": 256}", &chain), NC_EFILTER);
    assert_string_equal(ncz_err_text(), "codec 'turn': its configuration failed with -132");
    /* Sound, but not to be had: the chain keeps it, and says why when it is to run. */
    assert_int_equal(parse("null", "{\"id\": \"turn\", \"key\": 666}", &chain), NC_NOERR);
    assert_null(ncz_codec_ops_of(ncz_chain_codec(chain, 0)));
    assert_int_equal(ncz_chain_usable(chain), NC_ENOFILTER);
    assert_string_equal(ncz_err_text(), "codec 'turn': key 666 is not for sale");
    ncz_chain_unref(chain);
    assert_int_equal(t.opened, 0);
    assert_int_equal(ncz_codec_unregister("turn"), NC_NOERR);
    assert_int_equal(t.released, 1);
}

/* A filter of an HDF5 file that is not built in is the codec that has its number; its words must be the codec's. */
TEST(hdf5_filters_are_found_by_number)
{
    turner          t = {0};
    nczarr_codec    c = turn_codec(&t);
    unsigned        word = 9;
    ncz_filter_spec f = {.id = 40000, .nwords = 1, .words = &word};
    ncz_chain      *chain = NULL;
    unsigned char   in[64], back[64];
    ncz_buf         out = NCZ_BUF_INIT;

    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (unsigned char)i;
    assert_int_equal(ncz_codec_register(&c), NC_NOERR);
    assert_int_equal(ncz_chain_from_filters(&f, 1, 0, &env, &chain), NC_NOERR);
    assert_string_equal(ncz_chain_id(chain, 0), "turn");
    assert_int_equal(ncz_chain_encode(chain, NULL, in, sizeof in, &out), NC_NOERR);
    assert_int_equal(ncz_chain_decode(chain, NULL, out.data, out.len, back, sizeof back, false), NC_NOERR);
    assert_memory_equal(in, back, sizeof in);
    ncz_chain_unref(chain);
    f.nwords = 2;
    assert_int_equal(ncz_chain_from_filters(&f, 1, 0, &env, &chain), NC_EINVAL);
    assert_null(chain);
    ncz_buf_clear(&out);
    assert_int_equal(ncz_codec_unregister("turn"), NC_NOERR);
    assert_int_equal(t.released, 1);
}

TEST(parameters_become_a_configuration)
{
    static const char *const bad[] = {"", "7", "{", "{} {}", "[]"};
    turner                   t = {0};
    nczarr_codec             c = turn_codec(&t);
    const ncz_codec_ops     *ops;
    ncz_codec               *p = NULL;
    unsigned                 words[NCZ_CODEC_WORDS + 1] = {9};
    size_t                   n;

    assert_int_equal(ncz_codec_register(&c), NC_NOERR);
    assert_non_null(ops = ncz_codec_by_hdf5(40000, NCZ_SPELLING_NUMCODECS));
    assert_int_equal(ncz_codec_from_words(ops, 2, words, &env, &p), NC_EINVAL);
    assert_int_equal(ncz_codec_from_words(ops, NCZ_CODEC_WORDS + 1, words, &env, &p), NC_EFILTER);
    assert_null(p);
    for (size_t i = 0; i < NCZ_LEN(bad); i++) {
        t.json = bad[i];
        assert_int_equal(ncz_codec_from_words(ops, 1, words, &env, &p), NC_EFILTER);
        assert_non_null(strstr(ncz_err_text(), "codec 'turn'"));
    }
    t.json = NULL;
    assert_int_equal(ncz_codec_from_words(ops, 1, words, &env, &p), NC_NOERR);
    check_codec(p, "{\"id\": \"turn\", \"key\": 9}");
    t.nwords = NCZ_CODEC_WORDS + 1;
    assert_int_equal(ncz_codec_to_words(p, &env, &n, words), NC_EFILTER);
    t.nwords = 0;
    assert_int_equal(ncz_codec_to_words(p, &env, &n, words), NC_NOERR);
    assert_true(n == 1 && words[0] == 9);
    ncz_codec_unref(p);
    ncz_codec_ops_unref(ops);
    assert_int_equal(ncz_codec_unregister("turn"), NC_NOERR);

    /* A filter without words takes none. */
    c.from_words = NULL;
    c.to_words = NULL;
    c.open = NULL;
    assert_int_equal(ncz_codec_register(&c), NC_NOERR);
    assert_non_null(ops = ncz_codec_by_hdf5(40000, NCZ_SPELLING_NUMCODECS));
    assert_int_equal(ncz_codec_from_words(ops, 1, words, &env, &p), NC_EFILTER);
    assert_int_equal(ncz_codec_from_words(ops, 0, NULL, &env, &p), NC_NOERR);
    assert_int_equal(ncz_codec_to_words(p, &env, &n, words), NC_NOERR);
    assert_int_equal(n, 0);
    ncz_codec_unref(p);
    ncz_codec_ops_unref(ops);
    assert_int_equal(ncz_codec_unregister("turn"), NC_NOERR);
    assert_int_equal(t.released, 2);
    assert_int_equal(t.opened, t.closed);
}

/* ---- what it says is checked ---- */

TEST(lies_of_a_codec_are_noticed)
{
    turner        t = {0};
    nczarr_codec  c = turn_codec(&t);
    ncz_chain    *chain = NULL;
    unsigned char data[64] = {0}, back[64];
    ncz_buf       out = NCZ_BUF_INIT;

    c.flags = NCZARR_CODEC_FIXED;
    assert_int_equal(ncz_codec_register(&c), NC_NOERR);
    assert_int_equal(parse("null", "{\"id\": \"turn\"}", &chain), NC_NOERR);
    t.encoded_extra = 1;
    assert_int_equal(ncz_chain_encode(chain, NULL, data, 64, &out), NC_EFILTER);
    t.encoded_extra = (size_t)-1;
    assert_int_equal(ncz_chain_encode(chain, NULL, data, 64, &out), NC_EFILTER);
    assert_string_equal(ncz_err_text(), "codec 'turn': encodes to 63 bytes, which is not its fixed size");
    t.encoded_extra = 0;
    assert_int_equal(ncz_chain_encode(chain, NULL, data, 64, &out), NC_NOERR);
    t.decoded_extra = 1;
    assert_int_equal(ncz_chain_decode(chain, NULL, out.data, 64, back, 64, false), NC_EFILTER);
    t.decoded_extra = (size_t)-1;
    assert_int_equal(ncz_chain_decode(chain, NULL, out.data, 64, back, 64, false), NC_EFILTER);
    t.decoded_extra = 0;
    assert_int_equal(ncz_chain_decode(chain, NULL, out.data, 63, back, 64, false), NC_EFILTER);
    assert_string_equal(ncz_err_text(), "codec 'turn': decodes to 63 bytes, 64 are wanted");

    /* Codes that mean something to the library are not the codec's to give. */
    t.fail = NC_EEMPTY;
    assert_int_equal(ncz_chain_decode(chain, NULL, out.data, 64, back, 64, false), NC_EFILTER);
    assert_string_equal(ncz_err_text(), "codec 'turn': decoding failed with -139");
    t.fail = NC_ENOMEM;
    t.text = "no room";
    assert_int_equal(ncz_chain_encode(chain, NULL, data, 64, &out), NC_ENOMEM);
    assert_string_equal(ncz_err_text(), "codec 'turn': no room");
    ncz_chain_unref(chain);
    ncz_buf_clear(&out);
    assert_int_equal(ncz_codec_unregister("turn"), NC_NOERR);
}

/* ---- by JSON, and the array codecs' place ---- */

TEST(registered_codecs_join_chains)
{
    static const char *const steps[] = {"{\"id\": \"zlib\", \"level\": 2}", "{\"id\": \"turn\", \"key\": 5}",
                                        "{\"id\": \"delta\", \"dtype\": \"<i4\"}", "{\"id\": \"turn\", \"key\": 6}"};
    turner                   t = {0};
    nczarr_codec             c = turn_codec(&t);
    ncz_chain               *chain = NULL, *next = NULL;
    ncz_buf                  out = NCZ_BUF_INIT;
    ncz_json                *doc;

    assert_int_equal(ncz_codec_register(&c), NC_NOERR);
    for (size_t i = 0; i < NCZ_LEN(steps); i++) {
        doc = json_of(steps[i]);
        assert_int_equal(ncz_chain_with_json(chain, doc, &env, &next), NC_NOERR);
        ncz_json_free(doc);
        ncz_chain_unref(chain);
        chain = next;
    }
    assert_int_equal(ncz_chain_write_list(chain, &out), NC_NOERR);
    assert_string_equal(ncz_buf_str(&out), "[{\"id\": \"delta\", \"dtype\": \"<i4\", \"astype\": \"<i4\"},"
                                           "{\"id\": \"zlib\", \"level\": 2},{\"id\": \"turn\", \"key\": 6}]");
    doc = json_of("{\"id\": \"pcodec\"}");
    assert_int_equal(ncz_chain_with_json(chain, doc, &env, &next), NC_ENOFILTER);
    ncz_json_free(doc);
    doc = json_of("{\"id\": \"pickle\"}");
    assert_int_equal(ncz_chain_with_json(chain, doc, &env, &next), NC_ENOFILTER);
    assert_non_null(strstr(ncz_err_text(), "refused"));
    ncz_json_free(doc);
    doc = json_of("{\"id\": 3}");
    assert_int_equal(ncz_chain_with_json(chain, doc, &env, &next), NC_EFILTER);
    ncz_json_free(doc);
    ncz_chain_unref(chain);
    ncz_buf_clear(&out);
    assert_int_equal(ncz_codec_unregister("turn"), NC_NOERR);
    assert_int_equal(t.opened, 2);
    assert_int_equal(t.closed, 2);
}

/* ---- threads ---- */

static void *
turns(void *arg)
{
    unsigned char data[64], back[64];
    ncz_buf       out = NCZ_BUF_INIT;
    int           bad = 0;

    memset(data, 42, sizeof data);
    for (int i = 0; i < 500; i++) {
        bad += ncz_chain_encode(arg, NULL, data, sizeof data, &out) != NC_NOERR;
        bad += ncz_chain_decode(arg, NULL, out.data, out.len, back, sizeof back, false) != NC_NOERR;
        bad += memcmp(data, back, sizeof back) != 0;
    }
    ncz_buf_clear(&out);
    return bad == 0 ? NULL : arg;
}

TEST(one_call_runs_at_a_time_unless_threads_are_allowed)
{
    turner       t = {0};
    nczarr_codec c = turn_codec(&t);
    ncz_chain   *chain = NULL;
    pthread_t    thread[4];
    void        *bad;

    for (int flags = 0; flags <= (int)NCZARR_CODEC_THREADS; flags++) {
        c.flags = (unsigned)flags;
        assert_int_equal(ncz_codec_register(&c), NC_NOERR);
        assert_int_equal(parse("[{\"id\": \"shuffle\"}]", "{\"id\": \"turn\", \"key\": 3}", &chain), NC_NOERR);
        for (size_t i = 0; i < NCZ_LEN(thread); i++)
            assert_int_equal(pthread_create(&thread[i], NULL, turns, chain), 0);
        for (size_t i = 0; i < NCZ_LEN(thread); i++) {
            assert_int_equal(pthread_join(thread[i], &bad), 0);
            assert_null(bad);
        }
        if (flags == 0)
            assert_int_equal(atomic_load(&t.most_inside), 1);
        ncz_chain_unref(chain);
        assert_int_equal(ncz_codec_unregister("turn"), NC_NOERR);
    }
    assert_int_equal(t.opened, t.closed);
    assert_int_equal(t.released, 2);
}

/* Registering, looking up and unregistering from all sides. */
static void *
comes_and_goes(void *arg)
{
    turner       *t = arg;
    nczarr_codec  c = turn_codec(t);
    ncz_json     *doc = json_of("{\"id\": \"turn\", \"key\": 3}");
    unsigned char data[64] = {0};
    ncz_buf       out = NCZ_BUF_INIT;

    c.open = NULL;
    for (int i = 0; i < 300; i++) {
        ncz_chain *chain = NULL;

        (void)ncz_codec_register(&c);
        if (ncz_chain_with_json(NULL, doc, &env, &chain) == NC_NOERR)
            (void)ncz_chain_encode(chain, NULL, data, sizeof data, &out);
        (void)ncz_codec_unregister("turn");
        ncz_chain_unref(chain);
    }
    ncz_buf_clear(&out);
    ncz_json_free(doc);
    return NULL;
}

TEST(threads_register_and_unregister)
{
    turner    t = {0};
    pthread_t thread[4];

    for (size_t i = 0; i < NCZ_LEN(thread); i++)
        assert_int_equal(pthread_create(&thread[i], NULL, comes_and_goes, &t), 0);
    for (size_t i = 0; i < NCZ_LEN(thread); i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_null(ncz_codec_by_id("turn"));
}

/* ---- memory ---- */

static int
whole_life(void *arg)
{
    turner              *t = arg;
    nczarr_codec         c = turn_codec(t);
    const ncz_codec_ops *ops = NULL;
    ncz_codec           *p = NULL;
    ncz_chain           *chain = NULL;
    unsigned char        data[64] = {0};
    ncz_buf              out = NCZ_BUF_INIT;
    int                  rc;

    if ((rc = ncz_codec_register(&c)) != NC_NOERR)
        return rc;
    ops = ncz_codec_by_id("turn");
    if ((rc = ncz_codec_from_words(ops, 1, (unsigned[]){4}, &env, &p)) != NC_NOERR ||
        (rc = ncz_chain_with(NULL, p, &env, false, &chain)) != NC_NOERR ||
        (rc = ncz_chain_encode(chain, NULL, data, sizeof data, &out)) != NC_NOERR)
        goto done;
    ncz_buf_reset(&out);
    rc = ncz_chain_write_list(chain, &out);
done:
    ncz_buf_clear(&out);
    ncz_codec_unref(p);
    ncz_codec_ops_unref(ops);
    ncz_chain_unref(chain);
    assert_int_equal(ncz_codec_unregister("turn"), NC_NOERR);
    return rc;
}

TEST(every_allocation_fails_once)
{
    turner t = {0};

    each_allocation_fails(whole_life, &t);
    assert_int_equal(t.opened, t.closed);
}
