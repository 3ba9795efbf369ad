/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A set's places: what it may reach, and a store for each server, bucket or folder, opened when it is first needed.
 *
 * A local place is checked as text, and again with its links resolved; the store then is that of the folder that is
 * allowed, which never leads out of it. Redirects of a web server are judged as places are. The store of a bucket or
 * server begins where the lines of an rc file begin to hold, so that these apply.
 */
#include "places/places_int.h"
#include "platform/platform.h"
#include "s3/settings/s3_settings.h"
#include "zmap/file/zmap_file.h"
#include "zmap/zmap_s3.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { STORES_MOST = 4096 };

typedef struct opened {
    char *root; /* its URL with its query, or its folder */
    zmap *map;
} opened;

struct ncz_places {
    atomic_uint    refs;
    ncz_place      folder;       /* what relative texts are relative to; its query is sent to the own server */
    bool           memory;       /* the set is in memory, and has no place of its own */
    bool           by_s3;        /* that one speaks S3, though its scheme is http or https */
    bool           bucket_first; /* ... and its paths begin with a bucket */
    bool           wary;         /* a server chose the set's place: ncz_places_distrust() */
    ncz_place_list allowed;
    size_t         given;                 /* of `allowed`: from here on those of the fragment */
    ncz_buf        keys, web_keys, allow; /* of the fragment: of stores, of those with a host in their URL; `allow` */
    ncz_buf        secrets;               /* of the fragment, for the own server and those of `allow` */
    ncz_rc         rc;
    pthread_mutex_t lock; /* guards what follows */
    opened         *stores;
    size_t          nstores, cap;
};

/* ---- opening: the set's own place ------------------------------------------------------------------------------- */

static int
add_place(ncz_places *p, const ncz_place *place)
{
    int rc = ncz_make_room(&p->allowed.v, p->allowed.n, &p->allowed.cap, sizeof *p->allowed.v);

    if (rc == NC_NOERR && (rc = ncz_place_copy(place, &p->allowed.v[p->allowed.n])) == NC_NOERR)
        p->allowed.n++;
    return rc;
}

/* The folder of a file, in normal form. */
static int
leave_name(ncz_place *place)
{
    const char *slash = strrchr(place->path, '/');

    return ncz_place_set_path(place, "", place->path, (size_t)(slash - place->path));
}

/* The length of a path without its last name, and of one that ends in slashes without these. 0: it is a name alone. */
static size_t
cut_name(const char *path)
{
    size_t len = strlen(path);

    while (len > 1 && path[len - 1] == '/')
        len--;
    while (len > 0 && path[len - 1] != '/')
        len--;
    return len;
}

/* The folder with its links resolved. A file that is a link is where its name is. */
static int
begin_local(ncz_places *p, const ncz_target *base, bool beside)
{
    bool  folder = !beside && ncz_sys_is_folder(base->path);
    char *own = ncz_strndup(base->path, folder ? strlen(base->path) : cut_name(base->path)), *real;
    int   rc;

    if (own == NULL)
        return ncz_fail_nomem(strlen(base->path));
    real = ncz_sys_realpath(own[0] != '\0' ? own : ".");
    rc = real != NULL ? ncz_place_parse("file:///", NULL, &p->folder) : ncz_fail_errno(errno, "%s", base->path);
    if (rc == NC_NOERR)
        rc = ncz_place_set_path(&p->folder, "", real, strlen(real));
    free(real);
    ncz_free(own);
    return rc == NC_NOERR && !p->memory ? add_place(p, &p->folder) : rc;
}

/* Does the path of a place on a server begin with a bucket? */
static bool
has_bucket(const ncz_places *p, const ncz_place *place)
{
    if (place->scheme[0] == 'h')
        return (p->by_s3 && ncz_place_is_on(place, &p->folder)) ? p->bucket_first
                                                                : ncz_s3_host_has_buckets(place->host);
    return place->port != 0 || strchr(place->host, '.') != NULL; /* s3://server/bucket/key, perhaps */
}

/* The own server, or the bucket there. */
static int
begin_remote(ncz_places *p, const ncz_target *base, bool beside)
{
    const char *path = base->uri->path;
    bool        folder = path[0] == '\0' || (!beside && path[strlen(path) - 1] == '/');
    ncz_place   own = {.scheme = NULL};
    int         rc;

    if ((rc = ncz_place_parse(base->uri->body, NULL, &p->folder)) != NC_NOERR)
        return rc;
    p->by_s3 = base->store == NCZ_STORE_S3 && p->folder.scheme[0] == 'h';
    if (p->by_s3 && (rc = ncz_s3_bucket_in_path(base->uri, &p->bucket_first)) != NC_NOERR)
        return rc;
    if ((rc = ncz_place_copy(&p->folder, &own)) == NC_NOERR &&
        (rc = ncz_place_set_path(&own, "", own.path, has_bucket(p, &own) ? ncz_place_first(&own) : 0)) == NC_NOERR &&
        !p->memory)
        rc = add_place(p, &own);
    ncz_place_clear(&own);
    return rc == NC_NOERR && !folder ? leave_name(&p->folder) : rc;
}

/* ---- opening: what is allowed beside it -------------------------------------------------------------------------- */

static int
add_allowed(ncz_places *p, const ncz_target *base)
{
    const char *file, *value;
    int         rc = ncz_place_list_add_process(&p->allowed);

    if (rc == NC_NOERR && (value = ncz_rc_get(&p->rc, base->uri, "NCZARR.ALLOW", &file)) != NULL)
        rc = ncz_place_list_add(&p->allowed, value);
    p->given = p->allowed.n;
    for (size_t i = 0; rc == NC_NOERR && i < base->uri->nfrag; i++) {
        const ncz_uri_pair *pair = &base->uri->frag[i];

        if (strcmp(pair->key, "allow") != 0)
            continue;
        if ((rc = ncz_place_list_add(&p->allowed, pair->value)) == NC_NOERR)
            rc = ncz_buf_printf(&p->allow, "%s%s", p->allow.len > 0 ? "," : "", pair->value);
    }
    return rc;
}

static void
free_places(ncz_places *p)
{
    for (size_t i = 0; i < p->nstores; i++) {
        (void)zmap_close(p->stores[i].map, ZMAP_KEEP);
        ncz_free_secret(p->stores[i].root);
    }
    ncz_free(p->stores);
    ncz_place_clear(&p->folder);
    ncz_place_list_clear(&p->allowed);
    ncz_wipe(p->keys.data, p->keys.len); /* may hold credentials */
    ncz_wipe(p->web_keys.data, p->web_keys.len);
    ncz_wipe(p->secrets.data, p->secrets.len);
    ncz_buf_clear(&p->keys);
    ncz_buf_clear(&p->web_keys);
    ncz_buf_clear(&p->secrets);
    ncz_buf_clear(&p->allow);
    ncz_rc_clear(&p->rc);
    (void)pthread_mutex_destroy(&p->lock);
    ncz_free(p);
}

static int
open_places(const ncz_target *base, bool beside, bool memory, ncz_places **out)
{
    bool        remote = base->store == NCZ_STORE_S3 || base->store == NCZ_STORE_HTTP;
    ncz_places *p = ncz_zalloc(sizeof *p);
    int         rc;

    if (p == NULL)
        return ncz_fail_nomem(sizeof *p);
    atomic_init(&p->refs, 1);
    p->memory = memory;
    (void)pthread_mutex_init(&p->lock, NULL); /* without attributes it cannot fail on Linux */
    if ((rc = ncz_rc_load(ncz_env("HOME"), &p->rc)) == NC_NOERR)
        rc = remote ? begin_remote(p, base, beside) : begin_local(p, base, beside);
    if (rc == NC_NOERR && (rc = add_allowed(p, base)) == NC_NOERR &&
        (rc = ncz_uri_frag_stores(base->uri, true, &p->keys)) == NC_NOERR)
        rc = ncz_uri_frag_stores(base->uri, false, &p->web_keys);
    if (rc == NC_NOERR)
        rc = ncz_uri_frag_secrets(base->uri, &p->secrets);
    if (rc != NC_NOERR) {
        free_places(p);
        return rc;
    }
    *out = p;
    return NC_NOERR;
}

int
ncz_places_open(const ncz_target *base, ncz_places **out)
{
    return open_places(base, false, false, out);
}

int
ncz_places_open_beside(const ncz_target *base, ncz_places **out)
{
    return open_places(base, true, false, out);
}

int
ncz_places_open_memory(const ncz_target *base, ncz_places **out)
{
    return open_places(base, false, true, out);
}

ncz_places *
ncz_places_ref(ncz_places *p)
{
    atomic_fetch_add(&p->refs, 1);
    return p;
}

void
ncz_places_distrust(ncz_places *p)
{
    p->wary = true;
}

bool
ncz_places_is_local(const ncz_places *p)
{
    return ncz_place_is_local(&p->folder);
}

void
ncz_places_unref(ncz_places *p)
{
    if (p != NULL && atomic_fetch_sub(&p->refs, 1) == 1)
        free_places(p);
}

/* ---- the rule --------------------------------------------------------------------------------------------------- */

/* The longest prefix that a place is within; NULL: it may not be reached. */
static const ncz_place *
find_prefix(const ncz_places *p, const ncz_place *place)
{
    const ncz_place *best = NULL;

    for (size_t i = 0; i < p->allowed.n; i++) {
        const ncz_place *one = &p->allowed.v[i];

        if (ncz_place_is_local(one) && !ncz_place_is_local(&p->folder))
            continue; /* never from a server or bucket */
        if (ncz_place_is_within(place, one) && (best == NULL || strlen(one->path) > strlen(best->path)))
            best = one;
    }
    return best;
}

/* What would allow it: its folder, its bucket or its server. */
static int
put_hint(const ncz_places *p, const ncz_place *place, ncz_buf *out)
{
    const char *slash = strrchr(place->path, '/');
    size_t      folder = slash != place->path ? (size_t)(slash - place->path) : 1;

    return ncz_place_show(place,
                          ncz_place_is_local(place) ? folder
                          : has_bucket(p, place)    ? ncz_place_first(place)
                                                    : 0,
                          out);
}

static int
refuse(const ncz_places *p, const ncz_place *place)
{
    ncz_buf name = NCZ_BUF_INIT, hint = NCZ_BUF_INIT;
    int     rc;

    if ((rc = ncz_place_show(place, strlen(place->path), &name)) == NC_NOERR &&
        (rc = put_hint(p, place, &hint)) == NC_NOERR) {
        if (ncz_place_is_local(place) && !ncz_place_is_local(&p->folder))
            rc = ncz_fail(NC_EAUTH, "%.200s: a local file, which a set of references on a server never reaches",
                          name.data);
        else
            rc =
                ncz_fail(NC_EAUTH,
                         "%.200s: this set of references may not reach it. If you trust the set, add allow=%.150s to "
                         "the fragment of its path (or set NCZARR.ALLOW in ~/.ncrc, or call nczarr_allow())",
                         name.data, hint.data);
    }
    ncz_buf_clear(&name);
    ncz_buf_clear(&hint);
    return rc;
}

/* With the set's name in front; a URL that cannot be parsed may hold a secret, and is not shown. */
static int
parse_place(const ncz_places *p, const char *url, ncz_place *out)
{
    int rc = ncz_place_parse(url, &p->folder, out);

    if (rc == NC_NOERR && out->query == NULL && p->folder.query != NULL && ncz_place_is_on(out, &p->folder) &&
        (out->query = ncz_strdup(p->folder.query)) == NULL) {
        ncz_place_clear(out);
        rc = ncz_fail_nomem(strlen(p->folder.query) + 1);
    }
    return rc;
}

/* Of a local place with its links resolved, if it is there. */
static int
resolve_links(ncz_place *place)
{
    char *path = ncz_strdup(place->path), *real;
    int   rc = path != NULL ? NC_NOERR : ncz_fail_nomem(strlen(place->path) + 1);

    if (rc != NC_NOERR)
        return rc;
    ncz_sys_tidy_path(path);
    if ((real = ncz_sys_realpath(path)) != NULL)
        rc = ncz_place_set_path(place, "", real, strlen(real));
    free(real);
    ncz_free(path);
    return rc;
}

/* Parses a text, and applies the rule. *prefix: what it is within. */
static int
admit(ncz_places *p, const char *url, ncz_place *place, const ncz_place **prefix)
{
    int rc = parse_place(p, url, place);

    if (rc != NC_NOERR)
        return rc;
    if ((*prefix = find_prefix(p, place)) == NULL)
        rc = refuse(p, place);
    else if (ncz_place_is_local(place) && (rc = resolve_links(place)) == NC_NOERR &&
             (*prefix = find_prefix(p, place)) == NULL)
        rc = refuse(p, place);
    if (rc != NC_NOERR)
        ncz_place_clear(place);
    return rc;
}

/* ---- stores ----------------------------------------------------------------------------------------------------- */

/* Whether a web server's redirect may be followed. */
static int
judge_redirect(const char *url, void *arg)
{
    ncz_places *p = arg;
    ncz_place   place;
    int         rc = ncz_place_parse(url, NULL, &place);

    if (rc != NC_NOERR)
        return rc;
    if (find_prefix(p, &place) == NULL) {
        ncz_buf name = NCZ_BUF_INIT;

        rc = put_hint(p, &place, &name);
        if (rc == NC_NOERR)
            rc = ncz_fail(NC_EAUTH,
                          "redirected to %.200s, where this set of references may not go. If you trust it, add "
                          "allow=%.150s to the fragment of the set's path",
                          name.data, name.data);
        ncz_buf_clear(&name);
    }
    ncz_place_clear(&place);
    return rc;
}

/* Is this a server that the set's path names, itself or in `allow`? Only those get the headers and the token of the
 * path: not what the set, or all sets, may reach besides. */
static bool
is_named(const ncz_places *p, const ncz_place *place)
{
    if (place->scheme[0] != 'h')
        return false;
    if (ncz_place_is_on(place, &p->folder))
        return true;
    for (size_t i = p->given; i < p->allowed.n; i++)
        if (ncz_place_is_on(place, &p->allowed.v[i]))
            return true;
    return false;
}

/* The keys of a store's fragment, behind what is there already. */
static int
put_keys(const ncz_places *p, const ncz_place *place, ncz_buf *out)
{
    const ncz_buf *keys = place->scheme[0] == 'h' ? &p->web_keys : &p->keys;
    int            rc = NC_NOERR;

    if (keys->len > 0)
        rc = ncz_buf_printf(out, "%s%s", out->len > 0 ? "&" : "", keys->data);
    if (rc == NC_NOERR && p->secrets.len > 0 && is_named(p, place))
        rc = ncz_buf_printf(out, "%s%s", out->len > 0 ? "&" : "", p->secrets.data);
    return rc;
}

/* The fragment of a store. */
static int
put_store_fragment(const ncz_places *p, const ncz_place *place, ncz_buf *out)
{
    int rc = p->by_s3 && ncz_place_is_on(place, &p->folder) ? ncz_buf_puts(out, "mode=s3") : NC_NOERR;

    return rc == NC_NOERR ? put_keys(p, place, out) : rc;
}

static int
open_remote(ncz_places *p, const ncz_place *place, const char *root, zmap **out)
{
    ncz_target *t = NULL;
    ncz_buf     text = NCZ_BUF_INIT, fragment = NCZ_BUF_INIT;
    int         rc;

    if ((rc = put_store_fragment(p, place, &fragment)) == NC_NOERR)
        rc = ncz_buf_printf(&text, "%s#%s", root, ncz_buf_str(&fragment));
    if (rc == NC_NOERR && (rc = ncz_target_parse(text.data, false, &t)) == NC_NOERR) {
        rc = t->store == NCZ_STORE_S3 ? zmap_s3_open(t->uri, ZMAP_OPEN_READ, out)
                                      : zmap_http_open(t->uri, ZMAP_OPEN_READ, out);
        if (rc == NC_NOERR) {
            zmap_http_follow(*out, judge_redirect, p);
            if (p->wary && (rc = zmap_http_distrust(*out)) != NC_NOERR)
                (void)zmap_close(*out, ZMAP_KEEP); /* it has done nothing */
        }
    }
    ncz_target_free(t);
    ncz_wipe(text.data, text.len);
    ncz_wipe(fragment.data, fragment.len);
    ncz_buf_clear(&text);
    ncz_buf_clear(&fragment);
    return rc;
}

static int
open_root(ncz_places *p, const ncz_place *place, const char *root, opened *to)
{
    int rc;

    *to = (opened){.root = ncz_strdup(root)};
    if (to->root == NULL)
        return ncz_fail_nomem(strlen(root) + 1);
    if (ncz_place_is_local(place))
        rc = zmap_file_open(root, ZMAP_OPEN_READ, &to->map);
    else
        rc = open_remote(p, place, root, &to->map);
    if (rc != NC_NOERR)
        ncz_free_secret(to->root);
    return rc;
}

/* The store of a root, under the lock. */
static int
take_store(ncz_places *p, const ncz_place *place, const char *root, zmap **out)
{
    int rc;

    for (size_t i = 0; i < p->nstores; i++)
        if (strcmp(p->stores[i].root, root) == 0) {
            *out = p->stores[i].map;
            return NC_NOERR;
        }
    if (p->nstores == STORES_MOST)
        return ncz_fail(NC_ENOTBUILT, "a set of references to more than %d servers, buckets and folders",
                        STORES_MOST);
    if ((rc = ncz_make_room(&p->stores, p->nstores, &p->cap, sizeof *p->stores)) != NC_NOERR ||
        (rc = open_root(p, place, root, &p->stores[p->nstores])) != NC_NOERR)
        return rc;
    *out = p->stores[p->nstores++].map;
    return NC_NOERR;
}

/* Where the keys of a place's store begin in its path. */
static size_t
measure_root(const ncz_places *p, const ncz_place *place, const ncz_place *prefix)
{
    size_t        bucket = has_bucket(p, place) ? ncz_place_first(place) : 0;
    const ncz_uri uri = {.scheme = place->scheme, .host = place->host, .port = place->port, .path = place->path};
    size_t        len = strlen(place->path), root;

    if (ncz_place_is_local(place))
        root = strlen(prefix->path) > 1 ? strlen(prefix->path) : 0;
    else
        root = ncz_rc_scope(&p->rc, &uri);
    root = root > bucket ? root : bucket;
    if (root == len && root > bucket) /* the prefix is the place itself: its folder's store */
        root = (size_t)(strrchr(place->path, '/') - place->path);
    return root;
}

static int
put_root(const ncz_place *place, size_t len, ncz_buf *out)
{
    int rc;

    if (ncz_place_is_local(place)) {
        rc = ncz_buf_append(out, len > 0 ? place->path : "/", len > 0 ? len : 1);
        if (rc == NC_NOERR)
            ncz_sys_tidy_path(out->data);
        return rc;
    }
    if ((rc = ncz_place_url(place, len, out)) == NC_NOERR && place->query != NULL)
        rc = ncz_buf_printf(out, "?%s", place->query);
    return rc;
}

static int
find_store(ncz_places *p, const ncz_place *place, const ncz_place *prefix, zmap **store, ncz_buf *key)
{
    size_t  len = measure_root(p, place, prefix);
    ncz_buf root = NCZ_BUF_INIT;
    int     rc;

    ncz_buf_reset(key);
    rc = ncz_buf_puts(key, place->path + len + (place->path[len] == '/'));
    if (rc == NC_NOERR && !zmap_key_valid(ncz_buf_str(key)))
        rc = ncz_fail(NC_EINVAL, "%.200s: a set of references names it, and no store has an object of that name",
                      place->path);
    if (rc == NC_NOERR && (rc = put_root(place, len, &root)) == NC_NOERR) {
        (void)pthread_mutex_lock(&p->lock);
        rc = take_store(p, place, root.data, store);
        (void)pthread_mutex_unlock(&p->lock);
    }
    ncz_wipe(root.data, root.len);
    ncz_buf_clear(&root);
    return rc;
}

/* ---- what others ask -------------------------------------------------------------------------------------------- */

int
ncz_places_find(ncz_places *p, const char *url, zmap **store, ncz_buf *key)
{
    const ncz_place *prefix;
    ncz_place        place;
    int              rc = admit(p, url, &place, &prefix);

    if (rc != NC_NOERR)
        return rc;
    rc = find_store(p, &place, prefix, store, key);
    ncz_place_clear(&place);
    return rc;
}

/* A path in which nothing is taken for a fragment or a prefix of one. */
static int
put_local(const ncz_place *place, ncz_buf *out)
{
    int rc;

    if (strchr(place->path, '#') == NULL) {
        if ((rc = ncz_buf_puts(out, place->path)) == NC_NOERR)
            ncz_sys_tidy_path(out->data);
        return rc;
    }
    return (rc = ncz_buf_puts(out, "file://")) == NC_NOERR
               ? ncz_uri_encode(out, place->path, strlen(place->path), true)
               : rc;
}

/* The keys of stores go with it, and what is allowed, since the dataset may be a set of references, too. */
static int
put_fragment(const ncz_places *p, const ncz_place *place, ncz_buf *out)
{
    ncz_buf fragment = NCZ_BUF_INIT;
    int     rc = ncz_place_is_local(place) ? NC_NOERR : put_store_fragment(p, place, &fragment);

    if (rc == NC_NOERR && fragment.len > 0)
        rc = ncz_buf_printf(out, "#%s", fragment.data);
    if (rc == NC_NOERR && p->allow.len > 0 &&
        (rc = ncz_buf_puts(out, fragment.len > 0 ? "&allow=" : "#allow=")) == NC_NOERR)
        rc = ncz_uri_encode(out, p->allow.data, p->allow.len, true);
    ncz_wipe(fragment.data, fragment.len);
    ncz_buf_clear(&fragment);
    return rc;
}

int
ncz_places_resolve(ncz_places *p, const char *url, ncz_buf *out)
{
    const ncz_place *prefix;
    ncz_place        place;
    int              rc = admit(p, url, &place, &prefix);

    if (rc != NC_NOERR)
        return rc;
    ncz_buf_reset(out);
    rc = ncz_place_is_local(&place) ? put_local(&place, out) : put_root(&place, strlen(place.path), out);
    if (rc == NC_NOERR)
        rc = put_fragment(p, &place, out);
    ncz_place_clear(&place);
    return rc;
}

int
ncz_places_show(ncz_places *p, const char *url, ncz_buf *out)
{
    ncz_place place;
    int       rc = ncz_place_parse(url, &p->folder, &place);

    if (rc != NC_NOERR)
        return rc;
    ncz_buf_reset(out);
    rc = ncz_place_show(&place, strlen(place.path), out);
    ncz_place_clear(&place);
    return rc;
}

void
ncz_places_add_stats(ncz_places *p, zmap_stats *out)
{
    (void)pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < p->nstores; i++)
        zmap_stats_add_network(p->stores[i].map, out);
    (void)pthread_mutex_unlock(&p->lock);
}
