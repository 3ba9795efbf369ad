/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * codec_user: codecs of the application's own, behind the same table of functions as the built-in ones.
 *
 * A configuration is its JSON text, and the state that the application made of it. It is counted and holds the codec,
 * and chains hold configurations: so a codec outlives its registration for as long as anybody runs it. The
 * application's functions are called with one lock held at most, their own codec's, and never with the registry's.
 */
#include "filter/filter_int.h"
#include "filter/codec_user_int.h"

#include <string.h>

#define CODEC_BYTES_0 (offsetof(nczarr_codec, release) + sizeof(void *)) /* of the first nczarr_filter.h */
#define WORDS_TEXT    16384                                              /* room for the JSON of parameter words */

struct ncz_user_config {
    atomic_size_t   refs;
    ncz_user_codec *codec;
    char           *json;
    void           *state;
};

/* ---- calling the application --------------------------------------------------------------------------- */

/* The text of a failure is then the application's own, or none. */
static void
enter(ncz_user_codec *o)
{
    ncz_err_clear();
    if ((o->c.flags & NCZARR_CODEC_THREADS) == 0)
        (void)pthread_mutex_lock(&o->lock);
}

static void
unlock(ncz_user_codec *o)
{
    if ((o->c.flags & NCZARR_CODEC_THREADS) == 0)
        (void)pthread_mutex_unlock(&o->lock);
}

/* Codes that mean something else to the library are not let through. */
static int
leave(ncz_user_codec *o, int rc, const char *what)
{
    bool known = rc == NC_EFILTER || rc == NC_EINVAL || rc == NC_ENOMEM || rc == NC_ENOFILTER;

    unlock(o);
    if (rc == NC_NOERR)
        return NC_NOERR;
    if (ncz_err_text()[0] != '\0')
        return ncz_fail(known ? rc : NC_EFILTER, "codec '%s': %s", o->id, ncz_err_text());
    return ncz_fail(known ? rc : NC_EFILTER, "codec '%s': %s failed with %d", o->id, what, rc);
}

static nczarr_codec_array
array_of(const ncz_codec_env *env)
{
    int endian = env->dtype.big ? NC_ENDIAN_BIG : NC_ENDIAN_LITTLE;

    return (nczarr_codec_array){
        .size = sizeof(nczarr_codec_array),
        .chunk_bytes = env->chunk_bytes,
        .element_size = env->bytes ? 1 : env->dtype.size,
        .type = env->bytes ? NC_NAT : ncz_dtype_type(&env->dtype)->id,
        .endian = env->bytes ? NC_ENDIAN_NATIVE : endian,
    };
}

/* ---- configurations ------------------------------------------------------------------------------------ */

/* Ends are no failures: a text that is waiting to be told stays. */
static void
conf_unref(ncz_user_config *conf)
{
    ncz_err kept;

    if (conf == NULL || atomic_fetch_sub_explicit(&conf->refs, 1, memory_order_acq_rel) != 1)
        return;
    ncz_err_save(&kept, NC_NOERR);
    if (conf->state != NULL && conf->codec->c.close != NULL) {
        enter(conf->codec);
        conf->codec->c.close(conf->codec->c.user, conf->state);
        unlock(conf->codec);
    }
    (void)ncz_err_adopt(&kept);
    ncz_user_codec_unref(conf->codec);
    ncz_free(conf->json);
    ncz_free(conf);
}

static int
conf_new(ncz_user_codec *o, const char *json, size_t len, const ncz_codec_env *env, ncz_codec_params *out)
{
    nczarr_codec_array array = array_of(env);
    ncz_user_config   *conf = ncz_zalloc(sizeof *conf);
    int                rc = NC_NOERR;

    if (conf == NULL)
        return ncz_fail_nomem(sizeof *conf);
    atomic_init(&conf->refs, 1);
    atomic_fetch_add_explicit(&o->refs, 1, memory_order_relaxed);
    conf->codec = o;
    if ((conf->json = ncz_strndup(json, len)) == NULL)
        rc = ncz_fail_nomem(len + 1);
    if (rc == NC_NOERR && o->c.open != NULL) {
        void *state = NULL;

        enter(o);
        rc = leave(o, o->c.open(o->c.user, conf->json, &array, &state), "its configuration");
        conf->state = rc == NC_NOERR ? state : NULL;
    }
    if (rc == NC_NOERR)
        *out = (ncz_codec_params){.own = conf};
    else
        conf_unref(conf);
    return rc;
}

void
ncz_codec_params_keep(const ncz_codec_params *p)
{
    if (p->own != NULL)
        atomic_fetch_add_explicit(&p->own->refs, 1, memory_order_relaxed);
    ncz_codec_labels_keep(p->labels);
}

void
ncz_codec_params_clear(ncz_codec_params *p)
{
    conf_unref(p->own);
    ncz_codec_labels_drop(p->labels);
    p->own = NULL;
    p->labels = NULL;
}

int
ncz_codec_parse(const char *json, size_t len, ncz_json **out)
{
    ncz_json_opts opts = {
        .mode = NCZ_JSON_LENIENT, /* as documents are read: a configuration is a slice of one */
        .depth = ncz_limits_default.json_depth,
        .nbytes = ncz_limits_default.document_bytes,
        .name = "the configuration",
    };
    size_t tail;
    int    rc = ncz_json_parse(json, len, &opts, out, &tail);

    if (rc == NC_NOERR && tail == 0 && ncz_json_is(*out, NCZ_JSON_OBJECT))
        return NC_NOERR;
    if (rc == NC_NOERR)
        rc = ncz_fail(NC_EFILTER, "the configuration is not one JSON object");
    else if (rc == NC_EZARRMETA)
        rc = ncz_fail(NC_EFILTER, "%s", ncz_err_text());
    ncz_json_free(*out);
    *out = NULL;
    return rc;
}

int
ncz_user_codec_of_json(ncz_user_codec *o, const ncz_json *config, const ncz_codec_env *env, ncz_codec_params *out)
{
    size_t      len;
    const char *text = ncz_json_slice(config, &len);

    return conf_new(o, text, len, env, out);
}

static void
write_members(const ncz_json *config, ncz_jsonw *w)
{
    for (size_t i = 0; i < ncz_json_len(config); i++) {
        if (strcmp(ncz_json_key(config, i), "id") == 0)
            continue;
        ncz_jsonw_key(w, ncz_json_key(config, i));
        ncz_jsonw_value(w, ncz_json_at(config, i));
    }
}

/* The application's text becomes the object that would stand in a document. */
static int
named(const char *id, const char *text, ncz_buf *out)
{
    ncz_jsonw w = ncz_jsonw_on(out);
    ncz_json *config = NULL;
    int       rc;

    if ((rc = ncz_codec_parse(text, strlen(text), &config)) != NC_NOERR)
        return rc == NC_EFILTER ? ncz_fail(rc, "codec '%s': of its words: %s", id, ncz_err_text()) : rc;
    ncz_jsonw_open_object(&w);
    ncz_jsonw_key(&w, "id");
    ncz_jsonw_cstr(&w, id);
    write_members(config, &w);
    ncz_jsonw_close_object(&w);
    ncz_json_free(config);
    return ncz_jsonw_end(&w);
}

int
ncz_user_codec_of_words(ncz_user_codec *o, size_t n, const unsigned *words, const ncz_codec_env *env,
                        ncz_codec_params *out)
{
    ncz_buf json = NCZ_BUF_INIT;
    char   *text;
    int     rc;

    if ((rc = ncz_codec_nwords(o->id, n, 0, o->c.from_words != NULL ? NCZ_CODEC_WORDS : 0)) != NC_NOERR)
        return rc;
    if ((text = ncz_zalloc(WORDS_TEXT)) == NULL)
        return ncz_fail_nomem(WORDS_TEXT);
    if (o->c.from_words == NULL) {
        memcpy(text, "{}", sizeof "{}");
    } else {
        enter(o);
        rc = leave(o, o->c.from_words(o->c.user, n, words, text, WORDS_TEXT), "reading its words");
        text[WORDS_TEXT - 1] = '\0';
    }
    if (rc == NC_NOERR && (rc = named(o->id, text, &json)) == NC_NOERR)
        rc = conf_new(o, json.data, json.len, env, out);
    ncz_buf_clear(&json);
    ncz_free(text);
    return rc;
}

/* ---- the table ----------------------------------------------------------------------------------------- */

static void
own_describe(const ncz_codec_params *p, ncz_jsonw *w)
{
    ncz_json *config = NULL;
    int       rc = ncz_codec_parse(p->own->json, strlen(p->own->json), &config);

    if (rc != NC_NOERR && w->status == NC_NOERR)
        w->status = rc;
    write_members(config, w);
    ncz_json_free(config);
}

static int
own_to_words(const ncz_codec_params *p, const ncz_codec_env *env, size_t *n, unsigned words[NCZ_CODEC_WORDS])
{
    ncz_user_codec *o = p->own->codec;
    size_t          got = 0;
    int             rc = NC_NOERR;

    (void)env;
    memset(words, 0, NCZ_CODEC_WORDS * sizeof *words);
    if (o->c.to_words != NULL) {
        enter(o);
        rc = leave(o, o->c.to_words(o->c.user, p->own->json, &got, words), "telling its words");
    }
    if (rc == NC_NOERR && (rc = ncz_codec_nwords(o->id, got, 0, NCZ_CODEC_WORDS)) == NC_NOERR)
        *n = got;
    return rc;
}

static bool
own_bound(const ncz_codec_params *p, size_t n, size_t *out)
{
    ncz_user_codec *o = p->own->codec;
    size_t          most = n;
    int             rc = NC_NOERR;

    if (o->c.bound != NULL) {
        enter(o);
        rc = leave(o, o->c.bound(o->c.user, p->own->state, n, &most), "its bound");
    }
    if (rc == NC_NOERR)
        *out = most;
    return rc == NC_NOERR;
}

static int
own_encode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
           size_t *used)
{
    nczarr_codec_array array = array_of(env);
    ncz_user_codec    *o = p->own->codec;
    size_t             got = 0, most;
    int                rc;

    enter(o);
    rc = leave(o, o->c.encode(o->c.user, p->own->state, &array, in, n, out, cap, &got), "encoding");
    if (rc != NC_NOERR)
        return rc;
    if (got > cap)
        return ncz_fail(NC_EFILTER, "codec '%s': encodes to %zu bytes, its bound is %zu", o->id, got, cap);
    if (o->ops.fixed && (!own_bound(p, n, &most) || got != most))
        return ncz_fail(NC_EFILTER, "codec '%s': encodes to %zu bytes, which is not its fixed size", o->id, got);
    *used = got;
    return NC_NOERR;
}

static int
own_decode(const ncz_codec_params *p, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
           bool exact, size_t *used)
{
    nczarr_codec_array array = array_of(env);
    ncz_user_codec    *o = p->own->codec;
    size_t             most = *used < cap ? *used : cap, got = 0;
    int                rc;

    enter(o);
    rc = leave(o, o->c.decode(o->c.user, p->own->state, &array, in, n, out, most, &got), "decoding");
    if (rc == NC_NOERR)
        rc = ncz_codec_check_size(o->id, got, most, exact);
    if (rc == NC_NOERR)
        *used = got;
    return rc;
}

/* ---- making and ending --------------------------------------------------------------------------------- */

/* A struct of another release: shorter ones lack what came later, longer ones may not use what we do not have. */
static int
take_struct(const nczarr_codec *codec, nczarr_codec *out)
{
    const unsigned char *bytes = (const unsigned char *)codec;
    size_t               have = sizeof *out;

    if (codec == NULL || codec->size < CODEC_BYTES_0)
        return ncz_fail(NC_EINVAL, "a codec's struct begins with its size");
    for (size_t i = have; i < codec->size; i++)
        if (bytes[i] != 0)
            return ncz_fail(NC_ENOTBUILT, "the codec uses members that this release of the library does not know");
    *out = (nczarr_codec){.size = 0};
    memcpy(out, codec, codec->size < have ? codec->size : have);
    return NC_NOERR;
}

static int
check_struct(const nczarr_codec *c)
{
    size_t len = c->id != NULL ? strlen(c->id) : 0;

    if (len == 0 || len > NC_MAX_NAME || !ncz_utf8_valid(c->id, len))
        return ncz_fail(NC_EINVAL, "a codec's id is 1 to %d bytes of UTF-8", NC_MAX_NAME);
    if ((c->flags & ~(NCZARR_CODEC_THREADS | NCZARR_CODEC_FIXED)) != 0)
        return ncz_fail(NC_EINVAL, "codec '%s': unknown flags 0x%x", c->id, c->flags);
    if (c->encode == NULL || c->decode == NULL)
        return ncz_fail(NC_EINVAL, "codec '%s': it has to encode and to decode", c->id);
    if ((c->from_words == NULL) != (c->to_words == NULL))
        return ncz_fail(NC_EINVAL, "codec '%s': words in one direction only", c->id);
    return NC_NOERR;
}

int
ncz_user_codec_new(const nczarr_codec *codec, ncz_user_codec **out)
{
    nczarr_codec    c;
    ncz_user_codec *o;
    int             rc;

    if ((rc = take_struct(codec, &c)) != NC_NOERR || (rc = check_struct(&c)) != NC_NOERR)
        return rc;
    if ((o = ncz_zalloc(sizeof *o)) == NULL)
        return ncz_fail_nomem(sizeof *o);
    if ((o->id = ncz_strdup(c.id)) == NULL || pthread_mutex_init(&o->lock, NULL) != 0) {
        ncz_free(o->id);
        ncz_free(o);
        return ncz_fail_nomem(sizeof *o);
    }
    atomic_init(&o->refs, 1);
    o->c = c;
    o->c.id = o->id;
    o->ops = (ncz_codec_ops){
        .id = o->id,
        .hdf5_id = c.hdf5_id,
        .cls = NCZ_CODEC_BYTES,
        .fixed = (c.flags & NCZARR_CODEC_FIXED) != 0,
        .own = o,
        .describe = own_describe,
        .to_words = own_to_words,
        .bound = own_bound,
        .encode = own_encode,
        .decode = own_decode,
    };
    *out = o;
    return NC_NOERR;
}

void
ncz_user_codec_unref(ncz_user_codec *o)
{
    ncz_err kept;

    if (o == NULL || atomic_fetch_sub_explicit(&o->refs, 1, memory_order_acq_rel) != 1)
        return;
    ncz_err_save(&kept, NC_NOERR);
    if (o->c.release != NULL)
        o->c.release(o->c.user);
    (void)ncz_err_adopt(&kept);
    (void)pthread_mutex_destroy(&o->lock);
    ncz_free(o->id);
    ncz_free(o);
}
