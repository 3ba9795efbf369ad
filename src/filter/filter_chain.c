/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A chain of codecs: what a document says of it, and back. Running one is in filter_chain_run.c.
 *
 * Immutable once made, and counted, so any thread may use one. An empty chain is NULL and never allocated.
 */
#include "filter/chain_int.h"
#include "filter/filter_int.h"

#include <string.h>

/* ---- making -------------------------------------------------------------------------------------------- */

static int
chain_new(size_t n, ncz_chain **out)
{
    ncz_chain *c = ncz_zalloc(sizeof *c);

    if (c == NULL)
        return ncz_fail_nomem(sizeof *c);
    if ((c->links = ncz_zalloc_n(n, sizeof *c->links)) == NULL) {
        ncz_free(c);
        return ncz_fail_nomem(n * sizeof *c->links);
    }
    c->n = n;
    atomic_init(&c->refs, 1);
    *out = c;
    return NC_NOERR;
}

ncz_chain *
ncz_chain_ref(ncz_chain *c)
{
    if (c != NULL)
        atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
    return c;
}

void
ncz_chain_unref(ncz_chain *c)
{
    if (c == NULL || atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < c->n; i++) {
        ncz_free(c->links[i].id);
        ncz_free(c->links[i].text);
        ncz_free(c->links[i].why);
        ncz_codec_params_clear(&c->links[i].params);
    }
    ncz_free(c->links);
    ncz_free(c);
}

static int
link_known(chain_link *to, const ncz_codec_ops *ops, const ncz_codec_params *p)
{
    if ((to->id = ncz_strdup(ops->id)) == NULL)
        return ncz_fail_nomem(strlen(ops->id) + 1);
    ncz_codec_params_keep(p); /* and with them the codec itself, where it is the application's */
    to->ops = ops;
    to->params = *p;
    return NC_NOERR;
}

#define NOT_KNOWN "codec '%s' is neither built in nor registered"

/* `why` NULL: nobody here knows it at all. */
static int
link_unknown(chain_link *to, const char *id, const char *text, size_t len, const char *why)
{
    to->id = ncz_strdup(id);
    to->text = ncz_strndup(text, len);
    to->why = why != NULL ? ncz_strdup(why) : ncz_sprintf(NOT_KNOWN, id);
    if (to->id == NULL || to->text == NULL || to->why == NULL)
        return ncz_fail_nomem(len);
    return NC_NOERR;
}

static int
link_copy(chain_link *to, const chain_link *from)
{
    if (from->ops != NULL)
        return link_known(to, from->ops, &from->params);
    return link_unknown(to, from->id, from->text, strlen(from->text), from->why);
}

/* One codec does both, objects and elements of fixed width. */
static bool
packs(const ncz_codec_ops *ops, const ncz_codec_params *p)
{
    return ops->cls == NCZ_CODEC_OBJECT || (ops->unpack != NULL && p->v[NCZ_CATEGORIZE_WIDTH] == 0);
}

bool
ncz_chain_link_packs(const chain_link *l)
{
    return l->ops != NULL && packs(l->ops, &l->params);
}

bool
ncz_chain_objects(const ncz_chain *c)
{
    return ncz_chain_len(c) > 0 && ncz_chain_link_packs(&c->links[0]);
}

/* An array of objects needs such a codec first; nothing else may have one. */
static int
check_place(const ncz_codec_ops *ops, const ncz_codec_params *p, bool first, const ncz_codec_env *env)
{
    bool objects = first && env->dtype.kind == NCZ_KIND_OBJECT;

    if (packs(ops, p) == objects)
        return NC_NOERR;
    return objects ? ncz_fail(NC_EFILTER, "codec '%s' cannot store objects: one that can (vlen-utf8) must come first",
                              ops->id)
                   : ncz_fail(NC_EFILTER, "codec '%s' stores objects: it needs an array of them, and to come first",
                              ops->id);
}

void
ncz_chain_pass(const chain_link *l, ncz_codec_env *env)
{
    if (l->ops == NULL || l->ops->cls != NCZ_CODEC_ARRAY) {
        env->bytes = true;
        return;
    }
    if (!ncz_chain_link_packs(l))
        (void)l->ops->bound(&l->params, env->chunk_bytes, &env->chunk_bytes);
    l->ops->becomes(&l->params, env);
    env->bytes = false;
}

/* What to say of a codec that is known, but will never be run; NULL: nobody here knows it at all. */
static const char *
refused(const char *id)
{
    return strcmp(id, "pickle") == 0
               ? "codec 'pickle' is refused: reading it would run code that stands in the dataset"
               : NULL;
}

static int
id_of(const ncz_json *v, const char **out)
{
    size_t      len;
    const char *id = ncz_json_str(ncz_json_get(v, "id"), &len);

    if (id == NULL || len == 0 || strlen(id) != len)
        return ncz_fail(NC_EFILTER, "a codec must be an object with an \"id\"");
    *out = id;
    return NC_NOERR;
}

static int
link_parse(chain_link *to, const ncz_json *v, bool first, const ncz_codec_env *env)
{
    size_t               len;
    const char          *id, *text = ncz_json_slice(v, &len);
    const ncz_codec_ops *ops;
    ncz_codec_params     params = {.own = NULL};
    int                  rc;

    if ((rc = id_of(v, &id)) != NC_NOERR)
        return rc;
    if ((ops = ncz_codec_by_id(id)) == NULL)
        return link_unknown(to, id, text, len, refused(id));
    if ((rc = ncz_codec_of_json(ops, v, env, &params)) == NC_NOERR &&
        (rc = check_place(ops, &params, first, env)) == NC_NOERR)
        rc = link_known(to, ops, &params);
    else if (rc == NC_ENOFILTER)
        rc = link_unknown(to, id, text, len, ncz_err_text());
    ncz_codec_params_clear(&params);
    ncz_codec_unref(ops);
    return rc;
}

int
ncz_chain_parse(const ncz_json *filters, const ncz_json *compressor, const ncz_codec_env *env, size_t limit,
                ncz_chain **out)
{
    bool          last = !ncz_json_is(compressor, NCZ_JSON_NULL);
    size_t        nfilters = ncz_json_len(filters), n = nfilters + last;
    ncz_codec_env at = *env;
    ncz_chain    *c = NULL;
    int           rc = NC_NOERR;

    if (!ncz_json_is(filters, NCZ_JSON_NULL) && !ncz_json_is(filters, NCZ_JSON_ARRAY))
        return ncz_fail(NC_EFILTER, "\"filters\" is neither null nor an array");
    if (n > limit)
        return ncz_fail(NC_EFILTER, "%zu codecs in a chain, the limit is %zu", n, limit);
    if (n > 0 && (rc = chain_new(n, &c)) != NC_NOERR)
        return rc;

    for (size_t i = 0; i < n; i++) {
        rc = link_parse(&c->links[i], i < nfilters ? ncz_json_at(filters, i) : compressor, i == 0, &at);
        if (rc != NC_NOERR)
            goto done;
        ncz_chain_pass(&c->links[i], &at);
    }
    *out = c;
    c = NULL;
done:
    ncz_chain_unref(c);
    return rc;
}

/* The first place for a codec from bytes to bytes. */
static size_t
front_of(const ncz_chain *c)
{
    size_t i = 0;

    while (i < ncz_chain_len(c) && c->links[i].ops != NULL && c->links[i].ops->cls != NCZ_CODEC_BYTES)
        i++;
    return i;
}

/* Where a codec comes to stand: in place of the first of the same id, else last, or where bytes begin. */
static size_t
place_of(const ncz_chain *base, const char *id, bool front)
{
    int found = ncz_chain_find(base, id);

    return found >= 0 ? (size_t)found : front ? front_of(base) : ncz_chain_len(base);
}

int
ncz_chain_with(const ncz_chain *base, const ncz_codec_ops *ops, const ncz_codec_params *p, bool front,
               ncz_chain **out)
{
    int        found = ncz_chain_find(base, ops->id);
    size_t     n = ncz_chain_len(base), at = place_of(base, ops->id, front);
    ncz_chain *c;
    int        rc;

    if ((rc = chain_new(n + (found < 0), &c)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < c->n && rc == NC_NOERR; i++) {
        if (i == at)
            rc = link_known(&c->links[i], ops, p);
        else
            rc = link_copy(&c->links[i], &base->links[i - (found < 0 && i > at)]);
    }
    if (rc == NC_NOERR)
        *out = c;
    else
        ncz_chain_unref(c);
    return rc;
}

/* categorize is for both, and says in its own "dtype" which it is. */
static bool
is_for_objects(const ncz_codec_ops *ops, const ncz_json *config)
{
    size_t      len;
    const char *dtype = ncz_json_str(ncz_json_get(config, "dtype"), &len);

    return ops->cls == NCZ_CODEC_OBJECT ||
           (ops->unpack != NULL && dtype != NULL && strchr("|O", dtype[0]) != NULL && dtype[0] != '\0');
}

/* First, in place of the one that was. A variable of strings becomes an array of objects by it. */
static int
with_object_codec(const ncz_chain *base, const ncz_codec_ops *ops, const ncz_json *config, const ncz_codec_env *env,
                  ncz_chain **out)
{
    bool             had = ncz_chain_objects(base);
    size_t           n = ncz_chain_len(base);
    ncz_codec_env    at = *env;
    ncz_codec_params params = {.own = NULL};
    ncz_chain       *c = NULL;
    int              rc;

    if (ncz_dtype_type(&env->dtype)->class != NCZ_TYPE_STRING)
        return ncz_fail(NC_EFILTER, "codec '%s' stores strings (NC_STRING) only", ops->id);
    if (n > 0 && !had && front_of(base) > 0)
        return ncz_fail(NC_EFILTER, "codec '%s': codec '%s' stands where it would go", ops->id, base->links[0].id);
    at.dtype = (ncz_dtype){.kind = NCZ_KIND_OBJECT, .size = NCZ_OBJECT_SIZE};
    if ((rc = ncz_codec_of_json(ops, config, &at, &params)) != NC_NOERR || (rc = chain_new(n + !had, &c)) != NC_NOERR)
        goto done;
    rc = link_known(&c->links[0], ops, &params);
    for (size_t i = 1; i < c->n && rc == NC_NOERR; i++)
        rc = link_copy(&c->links[i], &base->links[i - !had]);
    if (rc == NC_NOERR) {
        *out = c;
        c = NULL;
    }
done:
    ncz_chain_unref(c);
    ncz_codec_params_clear(&params);
    return rc;
}

int
ncz_chain_with_json(const ncz_chain *base, const ncz_json *config, const ncz_codec_env *env, ncz_chain **out)
{
    ncz_codec_params     params = {.own = NULL};
    ncz_codec_env        at = *env;
    const ncz_codec_ops *ops;
    const char          *id;
    bool                 front;
    int                  rc;

    if ((rc = id_of(config, &id)) != NC_NOERR)
        return rc;
    if ((ops = ncz_codec_by_id(id)) == NULL)
        return refused(id) == NULL ? ncz_fail(NC_ENOFILTER, NOT_KNOWN, id)
                                   : ncz_fail(NC_ENOFILTER, "%s", refused(id));

    if (is_for_objects(ops, config)) {
        rc = with_object_codec(base, ops, config, env, out);
        goto done;
    }
    front = ops->cls == NCZ_CODEC_ARRAY;
    for (size_t i = 0; i < place_of(base, id, front); i++)
        ncz_chain_pass(&base->links[i], &at);
    if ((rc = ncz_codec_of_json(ops, config, &at, &params)) == NC_NOERR)
        rc = ncz_chain_with(base, ops, &params, front, out);
done:
    ncz_codec_params_clear(&params);
    ncz_codec_unref(ops);
    return rc;
}

int
ncz_chain_without(const ncz_chain *base, const char *id, ncz_chain **out)
{
    ncz_chain *c = NULL;
    size_t     kept = 0;
    int        rc = NC_NOERR;

    for (size_t i = 0; i < ncz_chain_len(base); i++)
        kept += strcmp(base->links[i].id, id) != 0;
    if (kept > 0 && (rc = chain_new(kept, &c)) != NC_NOERR)
        return rc;
    for (size_t i = 0, to = 0; to < kept; i++) {
        if (strcmp(base->links[i].id, id) == 0)
            continue;
        if ((rc = link_copy(&c->links[to++], &base->links[i])) != NC_NOERR)
            goto done;
    }
    *out = c;
    c = NULL;
done:
    ncz_chain_unref(c);
    return rc;
}

/* ---- looking at ---------------------------------------------------------------------------------------- */

size_t
ncz_chain_len(const ncz_chain *c)
{
    return c != NULL ? c->n : 0;
}

const char *
ncz_chain_id(const ncz_chain *c, size_t i)
{
    return i < ncz_chain_len(c) ? c->links[i].id : NULL;
}

const ncz_codec_ops *
ncz_chain_ops(const ncz_chain *c, size_t i)
{
    return i < ncz_chain_len(c) ? c->links[i].ops : NULL;
}

const ncz_codec_params *
ncz_chain_params(const ncz_chain *c, size_t i)
{
    return i < ncz_chain_len(c) ? &c->links[i].params : NULL;
}

int
ncz_chain_find(const ncz_chain *c, const char *id)
{
    for (size_t i = 0; i < ncz_chain_len(c); i++)
        if (strcmp(c->links[i].id, id) == 0)
            return (int)i;
    return -1;
}

int
ncz_chain_usable(const ncz_chain *c)
{
    for (size_t i = 0; i < ncz_chain_len(c); i++)
        if (c->links[i].ops == NULL)
            return ncz_fail(NC_ENOFILTER, "%s", c->links[i].why);
    return NC_NOERR;
}

/* ---- writing ------------------------------------------------------------------------------------------- */

static void
write_link(const chain_link *l, ncz_jsonw *w)
{
    if (l->ops == NULL) {
        ncz_jsonw_raw(w, l->text, strlen(l->text));
        return;
    }
    ncz_jsonw_open_object(w);
    ncz_jsonw_key(w, "id");
    ncz_jsonw_cstr(w, l->id);
    l->ops->describe(&l->params, w);
    ncz_jsonw_close_object(w);
}

static int
write_links(const chain_link *links, size_t n, ncz_buf *out)
{
    ncz_jsonw w = ncz_jsonw_on(out);

    ncz_jsonw_open_array(&w);
    for (size_t i = 0; i < n; i++)
        write_link(&links[i], &w);
    ncz_jsonw_close_array(&w);
    return ncz_jsonw_end(&w);
}

int
ncz_chain_write(const ncz_chain *c, ncz_buf *filters, ncz_buf *compressor)
{
    size_t    n = ncz_chain_len(c), nfilters = n > 0 ? n - 1 : 0;
    ncz_jsonw w = ncz_jsonw_on(compressor);
    int       rc;

    if (n == 1 && ncz_chain_objects(c)) /* is looked for among the filters */
        nfilters = 1;
    if (nfilters > 0)
        rc = write_links(c->links, nfilters, filters);
    else
        rc = ncz_buf_puts(filters, "null");
    if (rc != NC_NOERR)
        return rc;
    if (n > nfilters)
        write_link(&c->links[n - 1], &w);
    else
        ncz_jsonw_null(&w);
    return ncz_jsonw_end(&w);
}

int
ncz_chain_write_list(const ncz_chain *c, ncz_buf *out)
{
    return write_links(c != NULL ? c->links : NULL, ncz_chain_len(c), out);
}
