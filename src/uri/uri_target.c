/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Targets: what a path or URL and its modes mean.
 *
 * Modes select the conventions and the store. Repeating one is allowed; two different ones are an error.
 */
#include "uri/uri_int.h"
#include "platform/platform.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

void
ncz_target_free(ncz_target *t)
{
    if (t == NULL)
        return;
    ncz_uri_free(t->uri);
    ncz_free(t->path);
    ncz_free(t->canonical);
    ncz_free(t->shown);
    ncz_free(t);
}

/* What modes and keys ask for, before the scheme is considered. */
typedef struct target_request {
    ncz_store       store; /* AUTO when none was named */
    bool            nczarr, zarr;
    ncz_conventions compat; /* AUTO when none was named */
} target_request;

/* ---- modes ---- */

static int
request_store(target_request *w, ncz_store store)
{
    if (w->store != NCZ_STORE_AUTO && w->store != store)
        return ncz_fail(NC_EINVAL, "two different stores in one mode");
    w->store = store;
    return NC_NOERR;
}

static int
request_version(ncz_target *t, int zarr_format)
{
    if (t->zarr_format != 0 && t->zarr_format != zarr_format)
        return ncz_fail(NC_EINVAL, "modes v2 and v3 exclude each other");
    t->zarr_format = zarr_format;
    return NC_NOERR;
}

static const char *
file_word(ncz_file_form form)
{
    switch (form) {
    case NCZ_FILE_CDF1: return "cdf1";
    case NCZ_FILE_CDF2: return "cdf2";
    case NCZ_FILE_CDF5: return "cdf5";
    case NCZ_FILE_NETCDF4: return "netcdf4";
    case NCZ_FILE_NONE:
    case NCZ_FILE_CLASSIC: break;
    }
    return "classic";
}

/* `classic` leaves the version open, so it agrees with each of them. */
static int
request_file(ncz_target *t, ncz_file_form form)
{
    bool open = t->file_form == NCZ_FILE_NONE || (t->file_form == NCZ_FILE_CLASSIC && form != NCZ_FILE_NETCDF4);

    t->one_object = NCZ_YES;
    if (open)
        t->file_form = form;
    else if (form != t->file_form && (form != NCZ_FILE_CLASSIC || t->file_form == NCZ_FILE_NETCDF4))
        return ncz_fail(NC_EINVAL, "modes %s and %s exclude each other", file_word(t->file_form), file_word(form));
    return NC_NOERR;
}

static int
fail_mode(const char *word, size_t len)
{
    char       *own = ncz_strndup(word, len);
    const char *near = NULL, *at;
    int         rc;

    if (own == NULL)
        return ncz_fail_nomem(len);
    for (size_t i = 0; (at = ncz_uri_mode_at(i)) != NULL; i++) {
        const char *pair[] = {near != NULL ? near : at, at};

        near = ncz_nearest(own, pair, NCZ_LEN(pair));
    }
    rc = near != NULL ? ncz_fail(NC_ENOTNC, "unknown mode \"%s\": did you mean %s?", own, near)
                      : ncz_fail(NC_ENOTNC, "unknown mode \"%s\": nczarr_url(7) lists the modes", own);
    ncz_free(own);
    return rc;
}

static int
apply_mode(ncz_target *t, target_request *w, const char *word, size_t len)
{
    switch (ncz_uri_mode(word, len)) {
    case MODE_NCZARR: w->nczarr = true; return NC_NOERR;
    case MODE_XARRAY:
    case MODE_ZARR: w->zarr = true; return NC_NOERR;
    case MODE_V2: return request_version(t, 2);
    case MODE_V3: return request_version(t, 3);
    case MODE_NOXARRAY: t->xarray = false; return NC_NOERR;
    case MODE_CONSOLIDATED: t->consolidated = NCZ_YES; return NC_NOERR;
    case MODE_FILE: return request_store(w, NCZ_STORE_FILE);
    case MODE_ZIP: return request_store(w, NCZ_STORE_ZIP);
    case MODE_S3: return request_store(w, NCZ_STORE_S3);
    case MODE_CLASSIC: return request_file(t, NCZ_FILE_CLASSIC);
    case MODE_CDF1: return request_file(t, NCZ_FILE_CDF1);
    case MODE_CDF2: return request_file(t, NCZ_FILE_CDF2);
    case MODE_CDF5: return request_file(t, NCZ_FILE_CDF5);
    case MODE_NETCDF4:
    case MODE_NETCDF_4: return request_file(t, NCZ_FILE_NETCDF4);
    case MODE_BYTES: t->one_object = NCZ_YES; return NC_NOERR;
    case MODE_HDF5: t->hdf5 = true; return NC_NOERR;
    case MODE_ICECHUNK: t->icechunk = true; return NC_NOERR;
    case MODE_KERCHUNK: t->kerchunk = true; return NC_NOERR;
    case MODE_JOIN: t->join = true; return NC_NOERR;
    case MODE_OTHER_FORMAT:
        return ncz_fail(NC_ENOTNC, "mode \"%.*s\" belongs to a format other than Zarr", (int)len, word);
    case MODE_UNKNOWN: break;
    }
    return fail_mode(word, len);
}

static int
apply_modes(ncz_target *t, target_request *w, const char *list)
{
    int rc;

    for (;;) {
        size_t      len = strcspn(list, ","), all = len;
        const char *word = list;

        for (; len > 0 && *word == ' '; len--)
            word++;
        while (len > 0 && word[len - 1] == ' ')
            len--;
        if (len > 0 && (rc = apply_mode(t, w, word, len)) != NC_NOERR)
            return rc;
        if (list[all] == '\0')
            return NC_NOERR;
        list += all + 1;
    }
}

/* ---- other keys ---- */

static int
apply_compat(target_request *w, const char *version)
{
    static const struct {
        const char     *version;
        ncz_conventions conventions;
    } rows[] = {
        {"4.8.1", NCZ_CONVENTIONS_NCZARR_490}, {"4.9.0", NCZ_CONVENTIONS_NCZARR_490},
        {"4.9.1", NCZ_CONVENTIONS_NCZARR_492}, {"4.9.2", NCZ_CONVENTIONS_NCZARR_492},
        {"4.9.3", NCZ_CONVENTIONS_NCZARR},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++)
        if (strcmp(version, rows[i].version) == 0) {
            w->compat = rows[i].conventions;
            return NC_NOERR;
        }
    return ncz_fail(NC_EINVAL, "compat=%s: only 4.8.1 to 4.9.3 are known", version);
}

static int
apply_tri(const char *key, const char *value, ncz_tri *out)
{
    static const char *const yes[] = {"", "yes", "true", "on", "1"}, *const no[] = {"no", "false", "off", "0"};

    for (size_t i = 0; i < NCZ_LEN(yes); i++)
        if (strcasecmp(value, yes[i]) == 0) {
            *out = NCZ_YES;
            return NC_NOERR;
        }
    for (size_t i = 0; i < NCZ_LEN(no); i++)
        if (strcasecmp(value, no[i]) == 0) {
            *out = NCZ_NO;
            return NC_NOERR;
        }
    return ncz_fail(NC_EINVAL, "%s=%s: neither yes nor no", key, value);
}

static int
apply_separator(ncz_target *t, const char *value)
{
    if (strcmp(value, ".") != 0 && strcmp(value, "/") != 0)
        return ncz_fail(NC_EINVAL, "dimension_separator=%s: neither . nor /", value);
    t->separator = value[0];
    return NC_NOERR;
}

static int
apply_chunk_keys(ncz_target *t, const char *value)
{
    if (strcmp(value, "v2") != 0 && strcmp(value, "default") != 0)
        return ncz_fail(NC_EINVAL, "chunk_keys=%s: neither v2 nor default", value);
    t->v2_keys = value[0] == 'v' ? NCZ_YES : NCZ_NO;
    return NC_NOERR;
}

static int
apply_replace(ncz_target *t, const char *value)
{
    if (strcmp(value, "all") != 0)
        return ncz_fail(NC_EINVAL,
                        "replace=%.40s: only all is known: what is there goes, also what is not a dataset's", value);
    t->replace_all = true;
    return NC_NOERR;
}

/* The log is the process's. It is raised here, so that it has all that follows, a failure of this path, too. */
static int
apply_log(const char *value)
{
    ncz_log_level level = NCZ_LOG_INFO;

    if (value[0] >= '0' && value[0] <= '9' && value[1] == '\0')
        level = value[0] < '0' + NCZ_LOG_CHUNK ? (ncz_log_level)(value[0] - '0') : NCZ_LOG_CHUNK;
    else if (value[0] != '\0' && strcmp(value, "stderr") != 0) /* netCDF's word */
        return ncz_fail(NC_EINVAL, "log=%.40s: not a level from 0 to 4", value);
    ncz_log_raise(level);
    return NC_NOERR;
}

static int
fail_key(const ncz_target *t, const char *key)
{
    const char *nearest = ncz_uri_key_nearest(key);

    if (ncz_uri_mode(key, strlen(key)) != MODE_UNKNOWN)
        return ncz_fail(NC_EINVAL, "%s: #%s= is a mode: write mode=%s", t->shown, key, key);
    if (nearest != NULL)
        return ncz_fail(NC_EINVAL, "%s: unknown key #%s=; did you mean %s=?", t->shown, key, nearest);
    return ncz_fail(NC_EINVAL,
                    "%s: unknown key #%s=; nczarr_url(7) lists the keys; in a URL, write a '#' of a name as %%23",
                    t->shown, key);
}

/* A state of an Icechunk repository: no other format has them. */
static bool
is_version(const char *key)
{
    return strcmp(key, "branch") == 0 || strcmp(key, "tag") == 0 || strcmp(key, "snapshot") == 0;
}

/* Other known keys belong to a store (aws.region), or to netCDF's other formats. */
static int
apply_pair(ncz_target *t, target_request *w, const ncz_uri_pair *p)
{
    if (is_version(p->key) && p->value[0] == '\0')
        return ncz_fail(NC_EINVAL, "#%s= has no value: %s=NAME selects a state of an Icechunk repository", p->key,
                        p->key);
    t->icechunk = t->icechunk || is_version(p->key);
    if (strcmp(p->key, "mode") == 0)
        return apply_modes(t, w, p->value);
    if (strcmp(p->key, "compat") == 0)
        return apply_compat(w, p->value);
    if (strcmp(p->key, "consolidated") == 0)
        return apply_tri(p->key, p->value, &t->consolidated);
    if (strcmp(p->key, "write_empty_chunks") == 0)
        return apply_tri(p->key, p->value, &t->write_empty);
    if (strcmp(p->key, "readahead") == 0)
        return apply_tri(p->key, p->value, &t->read_ahead);
    if (strcmp(p->key, "dimension_separator") == 0)
        return apply_separator(t, p->value);
    if (strcmp(p->key, "chunk_keys") == 0)
        return apply_chunk_keys(t, p->value);
    if (strcmp(p->key, "replace") == 0)
        return apply_replace(t, p->value);
    if (strcmp(p->key, "log") == 0)
        return apply_log(p->value);
    if (p->value[0] == '\0' && ncz_uri_mode(p->key, strlen(p->key)) != MODE_UNKNOWN)
        return apply_mode(t, w, p->key, strlen(p->key));
    else if (!ncz_uri_key_known(p->key, strlen(p->key)))
        return fail_key(t, p->key);
    return NC_NOERR;
}

/* ---- conventions and store ---- */

/* What only a dataset of Zarr has, if it is created: a store of many objects, and documents. Mode s3 says how a server
 * is talked to, not what is made there. */
static bool
asks_for_zarr(const ncz_target *t, const target_request *w)
{
    return w->store == NCZ_STORE_FILE || w->store == NCZ_STORE_ZIP || !t->xarray || t->consolidated == NCZ_YES ||
           t->separator != 0 || t->v2_keys != NCZ_UNSET || t->write_empty != NCZ_UNSET;
}

/* A repository is a store of many objects, and is only read. */
static int
check_icechunk(const ncz_target *t, bool for_create)
{
    if (t->icechunk && (t->one_object == NCZ_YES || t->hdf5))
        return ncz_fail(NC_EINVAL,
                        "modes icechunk and those of files (bytes, netcdf4, classic ...) exclude each other");
    if (t->icechunk && t->zarr_format == 2)
        return ncz_fail(NC_EINVAL, "modes icechunk and v2 exclude each other: repositories hold Zarr v3");
    if (t->icechunk && for_create)
        return ncz_fail(NC_ENOTNC, "mode icechunk is for opening: Icechunk repositories are read, not created");
    return NC_NOERR;
}

/* A dataset of Zarr is many objects; of other formats a file can be one. */
static int
choose_form(ncz_target *t, const target_request *w, bool for_create)
{
    bool zarr = w->zarr || w->nczarr || t->zarr_format != 0 || w->compat != NCZ_CONVENTIONS_AUTO ||
                (for_create && asks_for_zarr(t, w));

    if (t->hdf5 && t->file_form != NCZ_FILE_NONE && t->file_form != NCZ_FILE_NETCDF4)
        return ncz_fail(NC_EINVAL, "mode hdf5 and those of classic files (classic, cdf1 ...) exclude each other");
    if (t->kerchunk && (t->hdf5 || t->file_form != NCZ_FILE_NONE || zarr))
        return ncz_fail(NC_EINVAL, "mode kerchunk and other formats exclude each other");
    if (t->kerchunk && for_create)
        return ncz_fail(NC_ENOTNC, "mode kerchunk is for opening: sets of references are read");
    if (t->join && for_create)
        return ncz_fail(NC_EINVAL, "mode join is for opening: the files of a pattern are read as one dataset");
    if (t->hdf5 || t->kerchunk)
        t->one_object = NCZ_YES;
    if (t->one_object == NCZ_YES && for_create && w->store == NCZ_STORE_ZIP)
        return ncz_fail(
            NC_EINVAL,
            "an archive is written for a dataset of Zarr, not for a %s file: make the file in a directory, "
            "and put it into an archive with zip -0: it is read from there",
            t->file_form == NCZ_FILE_NETCDF4 ? "netCDF-4" : "classic");
    if (t->one_object == NCZ_YES && zarr)
        return ncz_fail(NC_EINVAL,
                        "modes of Zarr and those of files (bytes, netcdf4, classic ...) exclude each other");
    if (for_create && (t->hdf5 || (t->one_object == NCZ_YES && t->file_form == NCZ_FILE_NONE)))
        return ncz_fail(NC_ENOTNC, "mode %s is for opening; netcdf4, cdf1, cdf2 and cdf5 say which file to create",
                        t->hdf5 ? "hdf5" : "bytes");
    if (zarr || t->icechunk)
        t->one_object = NCZ_NO;
    return NC_NOERR;
}

/* `nczarr,zarr` is netCDF's spelling of pure Zarr. */
static int
choose_conventions(ncz_target *t, const target_request *w, bool for_create)
{
    if (w->zarr && w->compat != NCZ_CONVENTIONS_AUTO)
        return ncz_fail(NC_EINVAL, "compat= selects NCZarr metadata, which mode zarr does not write");
    if (t->zarr_format == 3 && w->compat != NCZ_CONVENTIONS_AUTO)
        return ncz_fail(NC_EINVAL, "compat= selects a form of Zarr v2: no release of netCDF-C reads v3");
    if (for_create && t->v2_keys == NCZ_NO && t->zarr_format != 3)
        return ncz_fail(NC_EINVAL, "chunk_keys=default names chunks as Zarr v3 does: it needs mode v3");
    if (w->zarr)
        t->conventions = NCZ_CONVENTIONS_ZARR;
    else if (w->compat != NCZ_CONVENTIONS_AUTO)
        t->conventions = w->compat;
    else
        t->conventions = w->nczarr || for_create ? NCZ_CONVENTIONS_NCZARR : NCZ_CONVENTIONS_AUTO;
    return NC_NOERR;
}

static int
choose_local(ncz_target *t, const target_request *w, bool for_create)
{
    size_t len = strlen(t->path);

    if (w->store == NCZ_STORE_S3)
        return ncz_fail(NC_EINVAL, "mode s3 needs an s3, http or https URL");
    if (w->store != NCZ_STORE_AUTO)
        t->store = w->store;
    else if (len > 4 && strcasecmp(t->path + len - 4, ".zip") == 0)
        t->store = NCZ_STORE_ZIP;
    else
        t->store = for_create ? NCZ_STORE_FILE : NCZ_STORE_AUTO;
    return NC_NOERR;
}

/* The hosts of Amazon's S3 have a label `s3` or `s3-...`; those of its web sites are plain HTTP. */
static bool
is_amazon_s3(const char *host)
{
    static const char *const domains[] = {".amazonaws.com", ".amazonaws.com.cn"};
    size_t                   len = strlen(host), head = 0;

    for (size_t i = 0; i < NCZ_LEN(domains); i++) {
        size_t n = strlen(domains[i]);

        if (len > n && strcmp(host + len - n, domains[i]) == 0)
            head = len - n;
    }
    for (size_t i = 0, n; i < head; i += n + 1) {
        const char *label = host + i;

        n = strcspn(label, ".");
        if (n == 2 && strncmp(label, "s3", 2) == 0)
            return true;
        if (n > 3 && (strncmp(label, "s3-", 3) == 0 || strncmp(label, "s3express-", 10) == 0))
            return strncmp(label, "s3-website", 10) != 0;
    }
    return false;
}

static int
choose_remote(ncz_target *t, const target_request *w, bool s3_scheme)
{
    if (w->store == NCZ_STORE_FILE || w->store == NCZ_STORE_ZIP)
        return ncz_fail(NC_EINVAL, "modes file and zip need a path or a file URL, not %s", t->uri->scheme);
    if (t->uri->host == NULL)
        return ncz_fail(NC_EURL, "a URL of the scheme %s needs a host", t->uri->scheme);
    t->store = s3_scheme || w->store == NCZ_STORE_S3 || is_amazon_s3(t->uri->host) ? NCZ_STORE_S3 : NCZ_STORE_HTTP;
    return NC_NOERR;
}

/* Hints for schemes of other programs. */
static int
fail_scheme(const char *scheme)
{
    static const struct {
        const char *scheme, *hint;
    } rows[] = {
        {"gcs", "write gs://bucket/key"},
        {"r2", "write https://ACCOUNT.r2.cloudflarestorage.com/bucket/key#mode=s3"},
        {"minio", "write http://host:port/bucket/key#mode=s3"},
        {"oss", "write https://bucket.oss-REGION.aliyuncs.com/key#mode=s3"},
        {"az", "Azure's blob storage has no S3 interface; its https URLs can be read"},
        {"abfs", "Azure's blob storage has no S3 interface; its https URLs can be read"},
        {"abfss", "Azure's blob storage has no S3 interface; its https URLs can be read"},
        {"wasb", "Azure's blob storage has no S3 interface; its https URLs can be read"},
        {"wasbs", "Azure's blob storage has no S3 interface; its https URLs can be read"},
    };
    const char *hint = "known are file, http, https, s3, s3a, s3n, gs and gs3";

    for (size_t i = 0; i < NCZ_LEN(rows); i++)
        if (strcmp(scheme, rows[i].scheme) == 0)
            hint = rows[i].hint;
    return ncz_fail(NC_EINVAL, "unknown scheme \"%s\": %s", scheme, hint);
}

static int
choose_store(ncz_target *t, const target_request *w, bool for_create)
{
    const char *scheme = t->uri->scheme;

    if (scheme == NULL || strcmp(scheme, "file") == 0)
        return choose_local(t, w, for_create);
    if (ncz_uri_scheme_s3(scheme) != NCZ_URI_NO_S3)
        return choose_remote(t, w, true);
    if (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0)
        return choose_remote(t, w, false);
    return fail_scheme(scheme);
}

static int
apply_fragment(ncz_target *t, bool for_create)
{
    target_request w = {.store = NCZ_STORE_AUTO, .compat = NCZ_CONVENTIONS_AUTO};
    int            rc;

    for (size_t i = 0; i < t->uri->nfrag; i++)
        if ((rc = apply_pair(t, &w, &t->uri->frag[i])) != NC_NOERR)
            return rc;
    if ((rc = choose_store(t, &w, for_create)) != NC_NOERR)
        return rc;
    if ((rc = check_icechunk(t, for_create)) != NC_NOERR || (rc = choose_form(t, &w, for_create)) != NC_NOERR)
        return rc;
    return choose_conventions(t, &w, for_create);
}

/* The name for messages: a URL without user, query and fragment, a path without a fragment that has a secret. NULL: out
 * of memory. */
static char *
redact_url(const ncz_uri *u, const char *text)
{
    bool v6 = u->host != NULL && strchr(u->host, ':') != NULL;
    char port[16] = "";

    if (u->host == NULL)
        return ncz_strdup(ncz_uri_frag_is_secret(u) ? u->body : text);
    if (u->port != 0)
        snprintf(port, sizeof port, ":%u", u->port);
    return ncz_sprintf("%s://%s%s%s%s%s", u->scheme, v6 ? "[" : "", u->host, v6 ? "]" : "", port, u->path);
}

static const char icechunk_scheme[] = "icechunk+";

static int
fail_no_url(ncz_uri *u)
{
    ncz_uri_free(u);
    return ncz_fail(NC_EURL,
                    "icechunk+ stands before a URL: icechunk+s3://bucket/prefix, icechunk+https://host/path");
}

int
ncz_target_parse(const char *text, bool for_create, ncz_target **out)
{
    const size_t head = text != NULL && strncasecmp(text, icechunk_scheme, sizeof icechunk_scheme - 1) == 0
                            ? sizeof icechunk_scheme - 1
                            : 0;
    ncz_target  *t = NULL;
    ncz_uri     *u = NULL;
    int          rc;

    if ((rc = ncz_uri_parse(head != 0 ? text + head : text, &u)) != NC_NOERR)
        return rc;
    if (head != 0 && u->scheme == NULL)
        return fail_no_url(u);
    if ((t = ncz_zalloc(sizeof *t)) == NULL) {
        ncz_uri_free(u);
        return ncz_fail_nomem(sizeof *t);
    }
    *t = (ncz_target){.xarray = true,
                      .uri = u,
                      .icechunk = head != 0,
                      .url = u->scheme != NULL,
                      .path = ncz_strdup(u->path),
                      .canonical = ncz_strdup(text)};
    t->shown = redact_url(u, text + head);
    if (t->path == NULL || t->canonical == NULL || t->shown == NULL) {
        rc = ncz_fail_nomem(strlen(text) + 1);
        goto done;
    }
    if (u->scheme == NULL || strcmp(u->scheme, "file") == 0)
        ncz_sys_tidy_path(t->path);
    if ((rc = apply_fragment(t, for_create)) != NC_NOERR)
        goto done;

    *out = t;
    t = NULL; /* now the caller's */
done:
    ncz_target_free(t);
    return rc;
}
