/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A codec with its configuration: a pointer to its table, and the state. Both are in one counted allocation. The
 * state is made once, from any spelling, and lives as long as a chain uses it.
 */
#include "filter/chain_int.h"
#include "codecs/codec_int.h"

#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#define STATE_OFFSET ((sizeof(ncz_codec) + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t))

/* ---- creation ---------------------------------------------------------------------------------------------- */

int
ncz_codec_new(const ncz_codec_ops *ops, ncz_codec **out)
{
    ncz_codec *c = ncz_zalloc(STATE_OFFSET + ops->state_size);

    if (c == NULL)
        return ncz_fail_nomem(STATE_OFFSET + ops->state_size);
    atomic_init(&c->refs, 1);
    c->ops = ops;
    c->state = ops->state_size > 0 ? (char *)c + STATE_OFFSET : NULL;
    if (ops->ref_ops != NULL)
        ops->ref_ops(ops);
    *out = c;
    return NC_NOERR;
}

static int
finish_codec(ncz_codec *c, int rc, ncz_codec **out)
{
    if (rc == NC_NOERR)
        *out = c;
    else
        ncz_codec_unref(c);
    return rc;
}

int
ncz_codec_unknown(const char *id, const char *text, size_t len, const char *why, bool from_v3, ncz_codec **out)
{
    ncz_codec *c = ncz_zalloc(sizeof *c);

    if (c == NULL)
        return ncz_fail_nomem(sizeof *c);
    atomic_init(&c->refs, 1);
    c->from_v3 = from_v3;
    c->id = ncz_strdup(id);
    c->text = ncz_strndup(text, len);
    c->why = why != NULL ? ncz_strdup(why) : ncz_sprintf(NCZ_CODEC_NOT_KNOWN, id);
    if (c->id == NULL || c->text == NULL || c->why == NULL)
        return finish_codec(c, ncz_fail_nomem(len), out);
    *out = c;
    return NC_NOERR;
}

const char *
ncz_codec_explain_refused(const char *id)
{
    return strcmp(id, "pickle") == 0 ? "codec 'pickle' is refused: reading it would run code from the dataset" : NULL;
}

ncz_codec *
ncz_codec_ref(ncz_codec *c)
{
    if (c != NULL)
        atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
    return c;
}

void
ncz_codec_unref(ncz_codec *c)
{
    if (c == NULL || atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (c->ops != NULL && c->ops->config.free_state != NULL)
        c->ops->config.free_state(c->state);
    ncz_codec_ops_unref(c->ops);
    ncz_free(c->id);
    ncz_free(c->text);
    ncz_free(c->why);
    ncz_free(c);
}

/* ---- the spellings --------------------------------------------------------------------------------------- */

/* Fails with the list of allowed members, such as "level, checksum". */
static int
fail_member(const ncz_codec_ops *ops, size_t n, const char *member)
{
    const char *nearest = ncz_nearest(member, ops->members, n);
    ncz_buf     list = NCZ_BUF_INIT;
    int         rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < n; i++)
        rc = ncz_buf_printf(&list, "%s%s", i > 0 ? ", " : "", ops->members[i]);
    if (rc == NC_NOERR && nearest != NULL)
        rc = ncz_fail(NC_EFILTER, "codec '%s': unknown parameter \"%.40s\"; did you mean \"%s\"?", ops->id, member,
                      nearest);
    else if (rc == NC_NOERR)
        rc = ncz_fail(NC_EFILTER, "codec '%s': unknown parameter \"%.40s\"; it has %s", ops->id, member,
                      n > 0 ? ncz_buf_str(&list) : "none");
    ncz_buf_clear(&list);
    return rc;
}

/* Unknown members are an error: they may change the meaning of the bytes. `own`: the name member. */
static int
check_members(const ncz_codec_ops *ops, const ncz_json *config, const char *own)
{
    size_t n = 0;

    if (ops->any_member)
        return NC_NOERR;
    while (n < NCZ_CODEC_MEMBERS && ops->members[n] != NULL)
        n++;
    for (size_t i = 0; i < ncz_json_len(config); i++) {
        const char *member = ncz_json_key(config, i);
        bool        whole = ncz_json_key_whole(config, i), known = whole && own != NULL && strcmp(member, own) == 0;

        for (size_t k = 0; !known && k < n; k++)
            known = whole && strcmp(member, ops->members[k]) == 0;
        if (!known)
            return fail_member(ops, n, member);
    }
    return NC_NOERR;
}

/* What a caller defines is checked in full: a misspelt member would be lost. What is stored can be decoded without
 * it. */
static bool
is_passed_over(const ncz_codec_ops *ops, const ncz_json *config, ncz_config_rules rules, int rc)
{
    if ((rc != NC_EFILTER && rc != NC_EINVAL) || rules == NCZ_CONFIG_CALLER || ops->config.describes_itself == NULL ||
        !ops->config.describes_itself(config))
        return false;
    ncz_log(NCZ_LOG_WARN, "%s: passed over, since it matters for encoding alone", ncz_err_text());
    ncz_err_clear();
    return true;
}

static int
read_config(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, ncz_config_rules rules,
            void *state)
{
    int rc = ops->config.from_json(ops, config, in, rules, state);

    if (!is_passed_over(ops, config, rules, rc))
        return rc;
    memset(state, 0, ops->state_size);
    return ops->config.from_json(ops, NULL, in, rules, state);
}

int
ncz_codec_from_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in,
                    ncz_config_rules rules, ncz_codec **out)
{
    ncz_codec *c = NULL;
    int        rc = check_members(ops, config, "id");

    if (rc != NC_NOERR && !is_passed_over(ops, config, rules, rc))
        return rc;
    if ((rc = ncz_codec_new(ops, &c)) != NC_NOERR)
        return rc;
    if (ops->config.from_json != NULL)
        rc = read_config(ops, config, in, rules, c->state);
    return finish_codec(c, rc, out);
}

/*
 * netCDF-C's branch for v3 writes a codec's id alone. Its configurations then follow the rules of its documents for
 * v2, for shuffle's element size. Codecs whose id is their name in v3 have no such case.
 */
static ncz_config_rules
find_rules(const ncz_json *config, const ncz_codec_ops *ops)
{
    const ncz_json *name = ncz_json_is(config, NCZ_JSON_STRING) ? config : ncz_json_get(config, "name");

    return ncz_json_str_is(name, ops->id) ? NCZ_CONFIG_NETCDF : NCZ_CONFIG_NUMCODECS;
}

int
ncz_codec_check_v3(const ncz_codec_ops *ops, const ncz_json *config, const ncz_json **members)
{
    *members = ncz_json_get(config, "configuration");
    if (!ncz_json_is(*members, NCZ_JSON_NULL) && !ncz_json_is(*members, NCZ_JSON_OBJECT))
        return ncz_fail(NC_EFILTER, "codec '%s': its \"configuration\" is not an object", ops->id);
    return check_members(ops, *members, NULL);
}

int
ncz_codec_from_v3(const ncz_codec_ops *ops, const ncz_json *config, const ncz_array_type *in, ncz_codec **out)
{
    const ncz_json *members;
    ncz_codec      *c = NULL;
    int             rc;

    if ((rc = ncz_codec_check_v3(ops, config, &members)) != NC_NOERR || (rc = ncz_codec_new(ops, &c)) != NC_NOERR)
        return rc;
    if (ops->config.from_v3 != NULL)
        rc = ops->config.from_v3(ops, members, in, c->state);
    else if (ops->config.from_json != NULL)
        rc = ops->config.from_json(ops, members, in, find_rules(config, ops), c->state);
    return finish_codec(c, rc, out);
}

int
ncz_codec_retype(ncz_codec *c, const ncz_array_type *in, ncz_codec **out)
{
    ncz_codec *made = NULL;
    int        rc;

    if (c->ops == NULL || c->ops->config.retype == NULL) {
        *out = ncz_codec_ref(c);
        return NC_NOERR;
    }
    if ((rc = ncz_codec_new(c->ops, &made)) != NC_NOERR)
        return rc;
    return finish_codec(made, c->ops->config.retype(c->ops, c->state, in, made->state), out);
}

int
ncz_codec_from_words(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_array_type *in,
                     ncz_codec **out)
{
    ncz_codec *c = NULL;
    int        rc;

    if (ops->config.from_words == NULL)
        return ncz_fail(NC_EFILTER, "codec '%s' is not an HDF5 filter", ops->id);
    if ((rc = ncz_codec_new(ops, &c)) != NC_NOERR)
        return rc;
    return finish_codec(c, ops->config.from_words(ops, n, words, in, c->state), out);
}

void
ncz_codec_describe(const ncz_codec *c, ncz_jsonw *w)
{
    if (c->ops == NULL) {
        ncz_jsonw_raw(w, c->text, strlen(c->text));
        return;
    }
    ncz_jsonw_open_object(w);
    ncz_jsonw_key(w, "id");
    ncz_jsonw_cstr(w, c->ops->id);
    if (c->ops->config.describe != NULL)
        c->ops->config.describe(c->state, w);
    ncz_jsonw_close_object(w);
}

/* Writes the text that an unknown codec was read with: a name alone as an object. */
static int
write_unknown_v3(const ncz_codec *c, ncz_jsonw *w)
{
    if (!c->from_v3)
        return ncz_fail(NC_ENOFILTER, "%s; its form in Zarr v3 is not known", c->why);
    if (c->text[0] == '"') {
        ncz_jsonw_open_object(w);
        ncz_jsonw_key(w, "name");
    }
    ncz_jsonw_raw(w, c->text, strlen(c->text));
    if (c->text[0] == '"')
        ncz_jsonw_close_object(w);
    return w->status;
}

static void
write_v3_name(const ncz_codec *c, ncz_jsonw *w)
{
    char name[sizeof NCZ_NUMCODECS + NC_MAX_NAME];
    bool core = c->ops->v3_name != NULL && (c->ops->config.is_core == NULL || c->ops->config.is_core(c->state));

    (void)snprintf(name, sizeof name, NCZ_NUMCODECS "%s", c->ops->id);
    ncz_jsonw_key(w, "name");
    ncz_jsonw_cstr(w, core ? c->ops->v3_name : name);
}

/* Always writes "configuration": some readers require it although v3 does not. */
int
ncz_codec_describe_v3(const ncz_codec *c, const ncz_array_type *in, ncz_jsonw *w)
{
    if (c->ops == NULL)
        return write_unknown_v3(c, w);
    if (c->ops->hdf5_only)
        return ncz_fail(NC_ENOFILTER, "HDF5's filter '%s' has no form in Zarr", c->ops->id);
    ncz_jsonw_open_object(w);
    write_v3_name(c, w);
    ncz_jsonw_key(w, "configuration");
    ncz_jsonw_open_object(w);
    if (c->ops->config.describe_v3 != NULL)
        c->ops->config.describe_v3(c->state, in, w);
    else if (c->ops->config.describe != NULL)
        c->ops->config.describe(c->state, w);
    ncz_jsonw_close_object(w);
    ncz_jsonw_close_object(w);
    return w->status;
}

int
ncz_codec_to_words(const ncz_codec *c, const ncz_array_type *in, size_t *n, unsigned words[NCZ_CODEC_WORDS])
{
    if (c->ops == NULL)
        return ncz_fail(NC_ENOFILTER, "%s", c->why);
    if (c->ops->config.to_words == NULL)
        return ncz_fail(NC_EFILTER, "codec '%s' is not an HDF5 filter", c->ops->id);
    return c->ops->config.to_words(c->state, in, n, words);
}

/* ---- queries ------------------------------------------------------------------------------------------ */

const char *
ncz_codec_id(const ncz_codec *c)
{
    return c->ops != NULL ? c->ops->id : c->id;
}

const ncz_codec_ops *
ncz_codec_ops_of(const ncz_codec *c)
{
    return c != NULL ? c->ops : NULL;
}
