/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * uri_rc_file: netCDF's rc files, read and looked up.
 */
#include "uri/uri_rc_file.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

#define RC_MOST ((size_t)1 << 20) /* bytes of one file */

void
ncz_rc_clear(ncz_rc *rc)
{
    for (size_t i = 0; i < rc->n; i++) {
        ncz_uri_free(rc->v[i].scope);
        ncz_free(rc->v[i].key);
        ncz_free_secret(rc->v[i].value);
    }
    for (size_t i = 0; i < rc->nfiles; i++)
        ncz_free(rc->files[i]);
    ncz_free(rc->v);
    ncz_free(rc->files);
    *rc = NCZ_RC_INIT;
}

/* ---- reading ---- */

static int
add_item(ncz_rc *rc, ncz_rc_item item)
{
    ncz_rc_item *v = ncz_grow(rc->v, rc->n + 1, sizeof *v);

    if (v == NULL || item.key == NULL || item.value == NULL) {
        if (v != NULL)
            rc->v = v;
        ncz_uri_free(item.scope);
        ncz_free(item.key);
        ncz_free_secret(item.value);
        return ncz_fail_nomem((rc->n + 1) * sizeof *v);
    }
    rc->v = v;
    v[rc->n++] = item;
    return NC_NOERR;
}

static char *
copy_upper(ncz_line t)
{
    char *text = ncz_strndup(t.s, t.len);

    for (char *c = text; c != NULL && *c != '\0'; c++)
        if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
    return text;
}

/* The URL of `[URL]`: whole, or a host with perhaps a port and a path. NULL with NC_NOERR: no URL. */
static int
parse_scope(const char *s, size_t len, ncz_uri **out)
{
    char *text = len < INT_MAX ? ncz_sprintf("https://%.*s", (int)len, s) : NULL,
         *own = text != NULL ? text + 8 : NULL;
    int rc;

    if (text == NULL)
        return ncz_fail_nomem(len);
    rc = ncz_uri_parse(strstr(own, "://") != NULL ? own : text, out);
    ncz_free(text);
    return rc == NC_ENOMEM ? rc : NC_NOERR;
}

static int
parse_line(ncz_rc *rc, ncz_line line, bool here)
{
    ncz_line    t = ncz_line_trim(line), key, value = {"1", 1}; /* as in netCDF, a key alone is a switch */
    const char *eq, *close;
    ncz_uri    *scope = NULL;
    int         status;

    if (t.len == 0 || t.s[0] == '#' || memchr(t.s, '\0', t.len) != NULL)
        return NC_NOERR;
    if (t.s[0] == '[') {
        if ((close = memchr(t.s, ']', t.len)) == NULL)
            return NC_NOERR;
        if ((status = parse_scope(t.s + 1, (size_t)(close - t.s - 1), &scope)) != NC_NOERR || scope == NULL)
            return status;
        t = (ncz_line){close + 1, t.len - (size_t)(close + 1 - t.s)};
    }
    eq = memchr(t.s, '=', t.len);
    key = ncz_line_trim((ncz_line){t.s, eq != NULL ? (size_t)(eq - t.s) : t.len});
    if (eq != NULL)
        value = ncz_line_trim((ncz_line){eq + 1, t.len - (size_t)(eq + 1 - t.s)});
    return add_item(rc, (ncz_rc_item){.scope = scope,
                                      .key = copy_upper(key),
                                      .value = ncz_strndup(value.s, value.len),
                                      .file = rc->nfiles - 1,
                                      .here = here});
}

int
ncz_rc_parse(ncz_rc *rc, const char *text, size_t len, const char *file, bool here)
{
    char   **files = ncz_grow(rc->files, rc->nfiles + 1, sizeof *files);
    ncz_line rest = {text, len}, line;
    int      status = NC_NOERR;

    if (files == NULL)
        return ncz_fail_nomem((rc->nfiles + 1) * sizeof *files);
    rc->files = files;
    if ((files[rc->nfiles] = ncz_strdup(file)) == NULL)
        return ncz_fail_nomem(strlen(file) + 1);
    rc->nfiles++;
    while (status == NC_NOERR && ncz_line_next(&rest, &line))
        status = parse_line(rc, line, here);
    return status;
}

/* Ignores a file that cannot be read: these files are optional. */
static int
load_file(ncz_rc *rc, const char *path, bool here)
{
    ncz_buf text = NCZ_BUF_LIMIT(RC_MOST);
    bool    absent = false;
    int     status = ncz_read_secret_file(path, RC_MOST, &absent, &text);

    if (status == NC_NOERR && !absent)
        status = ncz_rc_parse(rc, ncz_buf_str(&text), text.len, path, here);
    else if (status != NC_NOERR && status != NC_ENOMEM) {
        ncz_log(NCZ_LOG_WARN, "ignored: %s", ncz_err_text());
        status = NC_NOERR;
    }
    ncz_wipe(text.data, text.len);
    ncz_buf_clear(&text);
    return status;
}

static int
load_folder(ncz_rc *rc, const char *folder, bool here)
{
    static const char *const names[] = {".ncrc", ".dodsrc"};
    int                      status = NC_NOERR;

    for (size_t i = 0; i < NCZ_LEN(names) && status == NC_NOERR; i++) {
        char *path = ncz_sprintf("%s/%s", folder, names[i]);

        status = path != NULL ? load_file(rc, path, here) : ncz_fail_nomem(strlen(folder) + 10);
        ncz_free(path);
    }
    return status;
}

int
ncz_rc_load(const char *home, ncz_rc *out)
{
    ncz_rc rc = NCZ_RC_INIT;
    int    status = NC_NOERR;

    if (ncz_env("NCRCENV_HOME") != NULL)
        home = ncz_env("NCRCENV_HOME");
    if (ncz_env("NCRCENV_IGNORE") != NULL) {
        status = NC_NOERR;
    } else if (ncz_env("NCRCENV_RC") != NULL) {
        status = load_file(&rc, ncz_env("NCRCENV_RC"), false);
    } else {
        if (home != NULL)
            status = load_folder(&rc, home, false);
        if (status == NC_NOERR)
            status = load_folder(&rc, ".", true);
    }
    if (status != NC_NOERR) {
        ncz_rc_clear(&rc);
        return status;
    }
    *out = rc;
    return NC_NOERR;
}

/* ---- looking up ---- */

/* The length of a path without the slashes at its end. */
static size_t
measure_path(const char *path)
{
    size_t len = strlen(path);

    while (len > 0 && path[len - 1] == '/')
        len--;
    return len;
}

/* True if the host and port are the scope's, and the path begins with the names of its path. */
static bool
is_in_scope(const ncz_uri *scope, const ncz_uri *uri)
{
    size_t len;

    if (uri == NULL || uri->host == NULL || scope->host == NULL || strcasecmp(scope->host, uri->host) != 0)
        return false;
    if (scope->port != 0 && scope->port != uri->port)
        return false;
    len = measure_path(scope->path);
    return strncmp(uri->path, scope->path, len) == 0 && (uri->path[len] == '\0' || uri->path[len] == '/');
}

/* A file of the working directory may have come with somebody's data. */
static bool
is_believed(const ncz_rc_item *item)
{
    static const char *const not_here[] = {"HTTP.", "NCZARR.ALLOW", "NCZARR.HTTP.", "NCZARR.S3CREDENTIALS"};

    for (size_t i = 0; item->here && i < NCZ_LEN(not_here); i++)
        if (strncmp(item->key, not_here[i], strlen(not_here[i])) == 0)
            return false;
    return true;
}

const char *
ncz_rc_get(const ncz_rc *rc, const ncz_uri *uri, const char *key, const char **file)
{
    const ncz_rc_item *best = NULL;

    for (size_t i = 0; i < rc->n; i++) {
        const ncz_rc_item *item = &rc->v[i];

        if (strcmp(item->key, key) != 0 || !is_believed(item) ||
            (item->scope != NULL && !is_in_scope(item->scope, uri)))
            continue;
        if (best == NULL || best->scope == NULL || item->scope != NULL)
            best = item;
    }
    if (best != NULL)
        *file = rc->files[best->file];
    return best != NULL ? best->value : NULL;
}

static unsigned
port_of(const ncz_uri *u)
{
    return u->port != 0 ? u->port : strcmp(u->scheme, "http") == 0 ? 80 : 443;
}

const ncz_rc_item *
ncz_rc_next_secret(const ncz_rc *rc, const ncz_uri *uri, const char *key, size_t *at)
{
    while (*at < rc->n) {
        const ncz_rc_item *item = &rc->v[(*at)++];

        if (strcmp(item->key, key) != 0 || !is_believed(item))
            continue;
        if (item->scope == NULL)
            return item;
        if (is_in_scope(item->scope, uri) && item->scope->scheme != NULL && uri->scheme != NULL &&
            strcmp(item->scope->scheme, uri->scheme) == 0 && port_of(item->scope) == port_of(uri))
            return item;
    }
    return NULL;
}

size_t
ncz_rc_scope(const ncz_rc *rc, const ncz_uri *uri)
{
    size_t most = 0;

    for (size_t i = 0; i < rc->n; i++) {
        const ncz_uri *scope = rc->v[i].scope;
        size_t         len = scope != NULL ? measure_path(scope->path) : 0;

        if (len > most && is_in_scope(scope, uri))
            most = len;
    }
    return most;
}

bool
ncz_rc_has_host(const ncz_rc *rc, const char *host)
{
    for (size_t i = 0; i < rc->n; i++) {
        const ncz_uri *scope = rc->v[i].scope;

        if (!rc->v[i].here && scope != NULL && scope->host != NULL && strcasecmp(scope->host, host) == 0)
            return true;
    }
    return false;
}
