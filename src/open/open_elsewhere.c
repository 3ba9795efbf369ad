/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * open_elsewhere: what lies at a place may say where data are, instead of being a dataset itself: an Icechunk
 * repository. It becomes a store over the place's store, and is opened as any other.
 */
#include "open/open_int.h"

#include "aggregation/aggregation.h"
#include "icechunk/icechunk.h"
#include "references/references.h"
#include "zmap/zmap_s3.h"

#include <string.h>

static ncz_icechunk_version
version_of(const ncz_target *t)
{
    return (ncz_icechunk_version){.branch = ncz_uri_frag(t->uri, "branch"),
                                  .tag = ncz_uri_frag(t->uri, "tag"),
                                  .snapshot = ncz_uri_frag(t->uri, "snapshot")};
}

int
ncz_elsewhere_fail_writing(const ncz_target *t)
{
    return ncz_fail(NC_EPERM,
                    "%s: an Icechunk repository is read, not changed: copy it with nczcopy, and write into the copy",
                    t->shown);
}

/* ---- redirects: icechunk's `redirect_storage` -------------------------------------------------------------------
 *
 * The URL of a repository may be one that a web server answers with a redirect to where the repository is: a bucket,
 * that everybody may read, or a place on a web server, whose scheme then is https+icechunk.
 */

/* The value of a name in the query of a URL; its length is *len. NULL: it is not there. */
static const char *
query_value(const char *url, const char *name, size_t *len)
{
    const char *s = strchr(url, '?');

    while (s != NULL && *s != '\0' && *s != '#') {
        size_t n = strcspn(++s, "&#"), own = strlen(name);

        if (n > own && strncmp(s, name, own) == 0 && s[own] == '=') {
            *len = n - own - 1;
            return s + own + 1;
        }
        s += n;
    }
    return NULL;
}

static bool
is_word(const char *s, size_t len, const char *more)
{
    for (size_t i = 0; i < len; i++)
        if (!((s[i] >= '0' && s[i] <= '9') || (s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z') ||
              strchr(more, s[i]) != NULL))
            return false;
    return len > 0;
}

/* Not a host, which any server could name: it would have a port or be an address. */
static bool
is_bucket(const char *s, size_t len)
{
    return is_word(s, len, "-_.") && strspn(s, "0123456789.") < len;
}

/* The text that opens it. NC_ENOTBUILT: a scheme that is not read. */
static int
write_place(const char *from, const char *url, ncz_buf *out)
{
    size_t      scheme = strcspn(url, ":"), len = 0, account = 0, at = scheme + 3, body = strcspn(url + at, "?#");
    const char *region = query_value(url, "region", &len), *id = query_value(url, "account_id", &account);
    bool        tls = scheme > 5 && strncmp(url, "https+", 6) == 0;
    bool        google = strncmp(url, "gs:", 3) == 0 || strncmp(url, "gcs:", 4) == 0;
    bool        r2 = strncmp(url, "r2:", 3) == 0 && id != NULL && is_word(id, account, "");
    int         rc;

    if (tls || strncmp(url, "http+", 5) == 0) {
        if (!tls && strncmp(from, "https:", 6) == 0)
            return ncz_fail(NC_EURL, "redirected from https to http: not followed");
        if (strncmp(url + 5 + tls, "icechunk:", 9) == 0 || strncmp(url + 5 + tls, "ic:", 3) == 0)
            return ncz_buf_printf(out, "%s://%.*s#mode=icechunk", tls ? "https" : "http", (int)body, url + at);
    }
    if (!google && !r2 && strncmp(url, "s3:", 3) != 0)
        return ncz_fail(NC_ENOTBUILT, "redirected to a repository of the scheme %.*s, which is not read",
                        (int)(scheme < 40 ? scheme : 40), url);
    if (!is_bucket(url + at, strcspn(url + at, "/?#")))
        return ncz_fail(NC_EURL, "redirected to %.*s://, with a host in place of a bucket: not followed", (int)scheme,
                        url);
    if (google)
        return ncz_buf_printf(out, "gs://%.*s#mode=icechunk&anon", (int)body, url + at);
    if (r2)
        return ncz_buf_printf(out, "https://%.*s.r2.cloudflarestorage.com/%.*s#mode=icechunk,s3&anon", (int)account,
                              id, (int)body, url + at);
    if ((rc = ncz_buf_printf(out, "s3a://%.*s#mode=icechunk&anon", (int)body, url + at)) == NC_NOERR &&
        region != NULL && (rc = ncz_buf_puts(out, "&region=")) == NC_NOERR)
        rc = ncz_uri_encode(out, region, len, true);
    return rc;
}

/* Opens the repository at a place that a redirect named, which leads no further. */
static int
open_place(const char *place, const ncz_icechunk_version *version, zmap **out)
{
    ncz_target *t = NULL;
    ncz_places *places = NULL;
    zmap       *map = NULL;
    ncz_err     err;
    int         rc = ncz_target_parse(place, false, &t);

    if (rc == NC_NOERR && (rc = ncz_store_open(t, false, &map)) == NC_NOERR &&
        (rc = zmap_http_distrust(map)) == NC_NOERR && (rc = ncz_places_open(t, &places)) == NC_NOERR) {
        ncz_places_distrust(places);
        if ((rc = ncz_icechunk_open(map, t->shown, version, places, out)) == NC_NOERR)
            map = NULL; /* now the store's */
    }
    if (rc == NC_EEMPTY)
        rc = ncz_fail(NC_ENOTNC, "%s: no Icechunk repository, to which a redirect leads", t->shown);
    ncz_err_save(&err, rc);
    if (map != NULL)
        (void)zmap_close(map, ZMAP_KEEP);
    ncz_places_unref(places);
    ncz_target_free(t);
    return rc == NC_NOERR ? rc : ncz_err_adopt(&err);
}

/* There was no repository at a URL, with the status `missing`: does the URL lead to one? */
static int
follow_redirect(const ncz_target *t, const ncz_icechunk_version *version, int missing, zmap **map)
{
    ncz_buf where = NCZ_BUF_INIT, place = NCZ_BUF_INIT;
    zmap   *there = NULL;
    ncz_err first;
    int     rc;

    ncz_err_save(&first, missing);
    rc = zmap_http_find_redirect(*map, &where);
    if (rc == NC_ENOMEM)
        goto done;
    if (rc != NC_NOERR || where.len == 0) { /* it leads nowhere else */
        rc = missing == NC_EEMPTY ? missing : ncz_err_adopt(&first);
        goto done;
    }
    if ((rc = write_place(t->uri->body, where.data, &place)) == NC_NOERR &&
        (rc = open_place(place.data, version, &there)) == NC_NOERR) {
        (void)zmap_close(*map, ZMAP_KEEP);
        *map = there;
    } else if (rc != NC_ENOMEM) {
        ncz_err_save(&first, rc);
        rc = ncz_fail(rc, "%s: %s", t->shown, first.text);
    }
done:
    ncz_buf_clear(&where);
    ncz_buf_clear(&place);
    return rc;
}

int
ncz_elsewhere_open(const ncz_target *t, bool in_memory, zmap **map)
{
    ncz_icechunk_version version = version_of(t);
    ncz_places          *places = NULL;
    int                  rc = in_memory ? NC_NOERR : ncz_places_open(t, &places);

    if (rc == NC_NOERR)
        rc = ncz_icechunk_open(*map, t->shown, &version, places, map);
    ncz_places_unref(places); /* the store has its own reference */
    if (t->icechunk && t->store == NCZ_STORE_HTTP && (rc == NC_EEMPTY || rc == NC_ECURL || rc == NC_ES3))
        rc = follow_redirect(t, &version, rc, map);
    if (rc == NC_EEMPTY && t->icechunk)
        rc = ncz_fail(NC_ENOTNC, "%s: no Icechunk repository (looked for repo, refs/branch.main/ref.json)", t->shown);
    return rc;
}

int
ncz_dataset_history(const char *path, ncz_icechunk_each_fn each, void *arg)
{
    ncz_icechunk_version version;
    ncz_target          *t = NULL;
    zmap                *map = NULL;
    int                  rc = ncz_target_parse(path, false, &t);

    if (rc != NC_NOERR)
        return rc;
    if (t->one_object == NCZ_UNSET)
        t->one_object = NCZ_NO;
    if ((rc = ncz_store_open(t, false, &map)) == NC_NOERR && (zmap_caps_of(map) & ZMAP_SINGLE) != 0)
        rc = NC_EEMPTY;
    version = version_of(t);
    if (rc == NC_NOERR)
        rc = ncz_icechunk_log(map, t->shown, &version, each, arg);
    if (rc == NC_EEMPTY || rc == NC_ENOTNC) /* a file of another format, too */
        rc = ncz_fail(NC_ENOTNC, "%s: no Icechunk repository, which alone has a history", t->shown);
    if (map != NULL)
        rc = ncz_opening_give_up(map, rc);
    ncz_target_free(t);
    return rc;
}

/* Whose name says what they are are asked for that first. */
static bool
is_named(const ncz_target *t)
{
    static const char suffix[] = ".icechunk";
    size_t            len = strlen(t->path), own = sizeof suffix - 1;

    while (len > 0 && t->path[len - 1] == '/')
        len--;
    return len > own && memcmp(t->path + len - own, suffix, own) == 0;
}

bool
ncz_elsewhere_first(const ncz_target *t)
{
    return t->icechunk || (t->zarr_format == 0 && t->conventions == NCZ_CONVENTIONS_AUTO &&
                           t->one_object == NCZ_UNSET && is_named(t));
}

/* A store of many objects whose documents were not found, or were not looked for: `missing`. */
static int
load_elsewhere(ncz_opening *o, bool in_memory, int missing)
{
    ncz_err first;
    int     rc;

    ncz_err_save(&first, missing);
    if ((rc = ncz_elsewhere_open(o->target, in_memory, &o->map)) == NC_EEMPTY)
        return missing == NC_NOERR ? NC_EEMPTY : ncz_err_adopt(&first);
    if (rc == NC_NOERR && ncz_opening_writes(o))
        rc = ncz_elsewhere_fail_writing(o->target);
    return rc == NC_NOERR ? ncz_opening_load(o) : rc;
}

int
ncz_opening_load_any(ncz_opening *o, bool in_memory)
{
    bool single = (zmap_caps_of(o->map) & ZMAP_SINGLE) != 0, first = !single && ncz_elsewhere_first(o->target);
    int  rc = NC_EEMPTY;

    if (o->target->icechunk && ncz_opening_writes(o))
        return ncz_elsewhere_fail_writing(o->target);
    if (first)
        rc = load_elsewhere(o, in_memory, NC_NOERR);
    if (rc == NC_EEMPTY)
        rc = ncz_opening_load(o);
    if (rc == NC_ENOTNC && !first && !single && o->target->zarr_format == 0 && !o->target->hdf5)
        rc = load_elsewhere(o, in_memory, rc);
    return rc;
}

/* ---- whether it is all there ------------------------------------------------------------------------------------ */

int
ncz_dataset_check_places(ncz_dataset *ds, zmap_place_fn each, void *arg)
{
    zmap *map = ncz_dataset_map(ds);
    int   rc = ncz_references_is(map) ? ncz_references_check(map, each, arg) : NC_NOERR;

    return rc == NC_NOERR && ds->view != NULL ? ncz_aggregation_check(ds->view, each, arg) : rc;
}
