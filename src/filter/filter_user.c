/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * codec_user: gives the application's codecs the same table of functions as the built-in ones.
 *
 * The state is the JSON text of the configuration and the application's own state. Each configured codec holds a
 * reference to its table, so the table outlives its registration as long as a chain uses it. The application's
 * functions are called with at most one lock held, that of their own codec, and never with the registry's.
 */
#include "codecs/codec_int.h"
#include "filter/user_int.h"

#include <string.h>

#define CODEC_BYTES_0 (offsetof(nczarr_codec, release) + sizeof(void *)) /* size in the first nczarr_filter.h */
#define WORDS_TEXT    16384                                              /* room for the JSON of parameter words */

typedef struct user_state {
    ncz_user_codec *codec;
    char           *json;
    void           *opened; /* the application's state */
} user_state;

/* ---- calling the application --------------------------------------------------------------------------- */

/* Clears the error record, so that the text of a failure is the application's or none. */
static void
lock_codec(ncz_user_codec *o)
{
    ncz_err_clear();
    if ((o->c.flags & NCZARR_CODEC_THREADS) == 0)
        (void)pthread_mutex_lock(&o->lock);
}

static void
unlock_codec(ncz_user_codec *o)
{
    if ((o->c.flags & NCZARR_CODEC_THREADS) == 0)
        (void)pthread_mutex_unlock(&o->lock);
}

/* Replaces codes that have another meaning in this library. */
static int
finish_call(ncz_user_codec *o, int rc, const char *what)
{
    bool known = rc == NC_EFILTER || rc == NC_EINVAL || rc == NC_ENOMEM || rc == NC_ENOFILTER;

    unlock_codec(o);
    if (rc == NC_NOERR)
        return NC_NOERR;
    if (ncz_err_text()[0] != '\0')
        return ncz_fail(known ? rc : NC_EFILTER, "codec '%s': %s", o->id, ncz_err_text());
    return ncz_fail(known ? rc : NC_EFILTER, "codec '%s': %s failed with %d", o->id, what, rc);
}

static nczarr_codec_array
describe_array(const ncz_array_type *type)
{
    int endian = type->dtype.big ? NC_ENDIAN_BIG : NC_ENDIAN_LITTLE;

    return (nczarr_codec_array){
        .size = sizeof(nczarr_codec_array),
        .chunk_bytes = type->chunk_bytes,
        .element_size = type->bytes ? 1 : type->dtype.size,
        .type = type->bytes ? NC_NAT : ncz_dtype_type(&type->dtype)->id,
        .endian = type->bytes ? NC_ENDIAN_NATIVE : endian,
    };
}

/* ---- configurations ------------------------------------------------------------------------------------ */

/* Keeps the thread's error record, since closing is no failure. */
static void
user_free_state(void *state)
{
    user_state *s = state;
    ncz_err     kept;

    ncz_err_save(&kept, NC_NOERR);
    if (s->opened != NULL && s->codec->c.close != NULL) {
        lock_codec(s->codec);
        s->codec->c.close(s->codec->c.user, s->opened);
        unlock_codec(s->codec);
    }
    (void)ncz_err_adopt(&kept);
    ncz_free(s->json);
}

static ncz_user_codec *
user_codec_of(const ncz_codec_ops *ops)
{
    return (ncz_user_codec *)(uintptr_t)ops; /* `ops` is the first member */
}

static int
open_state(ncz_user_codec *o, const char *json, size_t len, const ncz_array_type *type, user_state *s)
{
    nczarr_codec_array array = describe_array(type);
    void              *opened = NULL;
    int                rc;

    s->codec = o;
    if ((s->json = ncz_strndup(json, len)) == NULL)
        return ncz_fail_nomem(len + 1);
    if (o->c.open == NULL)
        return NC_NOERR;
    lock_codec(o);
    rc = finish_call(o, o->c.open(o->c.user, s->json, &array, &opened), "its configuration");
    s->opened = rc == NC_NOERR ? opened : NULL;
    return rc;
}

int
ncz_codec_parse(const char *json, size_t len, ncz_json **out)
{
    ncz_json_opts opts = {
        .mode = NCZ_JSON_LENIENT, /* the mode for documents: a configuration is part of one */
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

static int
user_from_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, ncz_config_rules rules,
               void *state)
{
    size_t      len;
    const char *text = ncz_json_slice(config, &len);

    (void)rules;
    return open_state(user_codec_of(ops), text, len, in, state);
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

/* Wraps the application's members in the object that a document would have. */
static int
name_object(const char *id, const ncz_json *members, ncz_buf *out)
{
    ncz_jsonw w = ncz_jsonw_on(out);

    ncz_jsonw_open_object(&w);
    ncz_jsonw_key(&w, "id");
    ncz_jsonw_cstr(&w, id);
    write_members(members, &w);
    ncz_jsonw_close_object(&w);
    return ncz_jsonw_end(&w);
}

/* The application always gets numcodecs' spelling. */
static int
user_from_v3(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, void *state)
{
    ncz_buf json = NCZ_BUF_INIT;
    int     rc = name_object(ops->id, config, &json);

    if (rc == NC_NOERR)
        rc = open_state(user_codec_of(ops), json.data, json.len, in, state);
    ncz_buf_clear(&json);
    return rc;
}

static int
name_words(const char *id, const char *text, ncz_buf *out)
{
    ncz_json *config = NULL;
    int       rc;

    if ((rc = ncz_codec_parse(text, strlen(text), &config)) != NC_NOERR)
        return rc == NC_EFILTER ? ncz_fail(rc, "codec '%s': from its words: %s", id, ncz_err_text()) : rc;
    rc = name_object(id, config, out);
    ncz_json_free(config);
    return rc;
}

static int
user_from_words(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_array_type *in, void *state)
{
    ncz_user_codec *o = user_codec_of(ops);
    ncz_buf         json = NCZ_BUF_INIT;
    char           *text;
    int             rc;

    if ((rc = ncz_codec_nwords(o->id, n, 0, o->c.from_words != NULL ? NCZ_CODEC_WORDS : 0)) != NC_NOERR)
        return rc;
    if ((text = ncz_zalloc(WORDS_TEXT)) == NULL)
        return ncz_fail_nomem(WORDS_TEXT);
    if (o->c.from_words == NULL) {
        memcpy(text, "{}", sizeof "{}");
    } else {
        lock_codec(o);
        rc = finish_call(o, o->c.from_words(o->c.user, n, words, text, WORDS_TEXT), "reading its words");
        text[WORDS_TEXT - 1] = '\0';
    }
    if (rc == NC_NOERR && (rc = name_words(o->id, text, &json)) == NC_NOERR)
        rc = open_state(o, json.data, json.len, in, state);
    ncz_buf_clear(&json);
    ncz_free(text);
    return rc;
}

/* ---- the table ----------------------------------------------------------------------------------------- */

static void
user_describe(const void *state, ncz_jsonw *w)
{
    const user_state *s = state;
    ncz_json         *config = NULL;
    int               rc = ncz_codec_parse(s->json, strlen(s->json), &config);

    if (rc != NC_NOERR && w->status == NC_NOERR)
        w->status = rc;
    write_members(config, w);
    ncz_json_free(config);
}

static int
user_to_words(const void *state, const ncz_array_type *in, size_t *n, unsigned words[NCZ_CODEC_WORDS])
{
    const user_state *s = state;
    ncz_user_codec   *o = s->codec;
    size_t            got = 0;
    int               rc = NC_NOERR;

    (void)in;
    memset(words, 0, NCZ_CODEC_WORDS * sizeof *words);
    if (o->c.to_words != NULL) {
        lock_codec(o);
        rc = finish_call(o, o->c.to_words(o->c.user, s->json, &got, words), "writing its words");
    }
    if (rc == NC_NOERR && (rc = ncz_codec_nwords(o->id, got, 0, NCZ_CODEC_WORDS)) == NC_NOERR)
        *n = got;
    return rc;
}

static bool
user_bound(const void *state, size_t n, size_t *out)
{
    const user_state *s = state;
    ncz_user_codec   *o = s->codec;
    size_t            most = n;
    int               rc = NC_NOERR;

    if (o->c.bound != NULL) {
        lock_codec(o);
        rc = finish_call(o, o->c.bound(o->c.user, s->opened, n, &most), "its bound");
    }
    if (rc == NC_NOERR)
        *out = most;
    return rc == NC_NOERR;
}

static int
user_encode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
            size_t *used)
{
    nczarr_codec_array array = describe_array(type);
    const user_state  *s = state;
    ncz_user_codec    *o = s->codec;
    size_t             got = 0, most;
    int                rc;

    lock_codec(o);
    rc = finish_call(o, o->c.encode(o->c.user, s->opened, &array, in, n, out, cap, &got), "encoding");
    if (rc != NC_NOERR)
        return rc;
    if (got > cap)
        return ncz_fail(NC_EFILTER, "codec '%s': encodes to %zu bytes, its bound is %zu", o->id, got, cap);
    if (o->ops.fixed && (!user_bound(state, n, &most) || got != most))
        return ncz_fail(NC_EFILTER, "codec '%s': encodes to %zu bytes, which is not its fixed size", o->id, got);
    *used = got;
    return NC_NOERR;
}

static int
user_decode(const void *state, const ncz_array_type *type, const void *in, size_t n, void *out, size_t cap,
            bool exact, size_t *used)
{
    nczarr_codec_array array = describe_array(type);
    const user_state  *s = state;
    ncz_user_codec    *o = s->codec;
    size_t             most = *used < cap ? *used : cap, got = 0;
    int                rc;

    lock_codec(o);
    rc = finish_call(o, o->c.decode(o->c.user, s->opened, &array, in, n, out, most, &got), "decoding");
    if (rc == NC_NOERR)
        rc = ncz_codec_check_size(o->id, got, most, exact);
    if (rc == NC_NOERR)
        *used = got;
    return rc;
}

/* ---- creation and release --------------------------------------------------------------------------------- */

/* Copies a struct of any release. A shorter one lacks newer members; a longer one must have 0 in unknown members. */
static int
copy_struct(const nczarr_codec *codec, nczarr_codec *out)
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

static void
ref_table(const ncz_codec_ops *ops)
{
    atomic_fetch_add_explicit(&user_codec_of(ops)->refs, 1, memory_order_relaxed);
}

static void
unref_table(const ncz_codec_ops *ops)
{
    ncz_user_codec_unref(user_codec_of(ops));
}

int
ncz_user_codec_new(const nczarr_codec *codec, ncz_user_codec **out)
{
    nczarr_codec    c;
    ncz_user_codec *o;
    int             rc;

    if ((rc = copy_struct(codec, &c)) != NC_NOERR || (rc = check_struct(&c)) != NC_NOERR)
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
        .v3_name = o->id,
        .cls = NCZ_CODEC_BYTES_BYTES,
        .any_member = true,
        .any_error = true,
        .fixed = (c.flags & NCZARR_CODEC_FIXED) != 0,
        .state_size = sizeof(user_state),
        .config.from_json = user_from_json,
        .config.from_v3 = user_from_v3,
        .config.from_words = user_from_words,
        .config.free_state = user_free_state,
        .config.describe = user_describe,
        .config.to_words = user_to_words,
        .bound = user_bound,
        .encode = user_encode,
        .decode = user_decode,
        .ref_ops = ref_table,
        .unref_ops = unref_table,
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
