/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings: the files that contain them, the lookup of one, its origin and its value.
 */
#include "s3/config/s3_setting_lookup.h"
#include "s3/protocol/s3_hash.h"

#include <string.h>
#include <strings.h>

/* ---- files ---- */

char *
ncz_s3_expand_home(const char *path, const char *home)
{
    if (path[0] == '~' && (path[1] == '/' || path[1] == '\0') && home != NULL)
        return ncz_sprintf("%s%s", home, path + 1);
    return ncz_strdup(path);
}

/* The path of one of the two files; *path stays NULL when neither a variable nor the home directory is known. */
static int
find_path(const char *variable, const char *name, const char *home, char **path)
{
    const char *value = ncz_env(variable), *aws_home = ncz_env("NC_TEST_AWS_DIR"); /* set by netCDF's tests */

    if (value != NULL)
        *path = ncz_s3_expand_home(value, home);
    else if (aws_home != NULL || home != NULL)
        *path = ncz_sprintf("%s/.aws/%s", aws_home != NULL ? aws_home : home, name);
    else
        return NC_NOERR;
    return *path != NULL ? NC_NOERR : ncz_fail_nomem(strlen(name));
}

static int
load_ini(const char *path, bool credentials, ncz_s3_ini *out)
{
    ncz_buf text = NCZ_BUF_INIT;
    bool    absent = false;
    int     rc;

    if (path == NULL)
        return NC_NOERR;
    if ((rc = ncz_read_secret_file(path, NCZ_S3_INI_MOST, &absent, &text)) == NC_NOERR && !absent)
        rc = ncz_s3_ini_parse(ncz_buf_str(&text), text.len, path, credentials, out);
    ncz_wipe(text.data, text.cap);
    ncz_buf_clear(&text);
    return rc == NC_NOERR || rc == NC_ENOMEM ? rc : NC_EAUTH;
}

void
ncz_s3_files_clear(ncz_s3_files *f)
{
    ncz_free(f->home);
    ncz_free(f->config_path);
    ncz_free(f->credentials_path);
    ncz_s3_ini_clear(&f->config);
    ncz_s3_ini_clear(&f->credentials);
    *f = (ncz_s3_files){.home = NULL};
}

int
ncz_s3_files_load(ncz_s3_files *out)
{
    ncz_s3_files f = {.home = NULL};
    const char  *home = ncz_env("HOME");
    int          rc = NC_NOERR;

    if (home != NULL && (f.home = ncz_strdup(home)) == NULL)
        return ncz_fail_nomem(strlen(home) + 1);
    if ((rc = find_path("AWS_CONFIG_FILE", "config", f.home, &f.config_path)) != NC_NOERR)
        goto done;
    if ((rc = find_path("AWS_SHARED_CREDENTIALS_FILE", "credentials", f.home, &f.credentials_path)) != NC_NOERR)
        goto done;
    if ((rc = load_ini(f.config_path, false, &f.config)) != NC_NOERR)
        goto done;
    if ((rc = load_ini(f.credentials_path, true, &f.credentials)) != NC_NOERR)
        goto done;
    *out = f;
    f = (ncz_s3_files){.home = NULL}; /* now the caller's */
done:
    ncz_s3_files_clear(&f);
    return rc;
}

bool
ncz_s3_profile_exists(const ncz_s3_files *f, const char *profile)
{
    return ncz_s3_ini_has(&f->config, NCZ_S3_INI_PROFILE, profile) ||
           ncz_s3_ini_has(&f->credentials, NCZ_S3_INI_PROFILE, profile);
}

/* ---- lookups ---- */

static ncz_s3_setting
make_setting(ncz_s3_source source, const char *value, const char *name)
{
    if (value == NULL || value[0] == '\0')
        return (ncz_s3_setting){.source = NCZ_S3_FROM_NOWHERE};
    return (ncz_s3_setting){.source = source, .value = value, .name = name};
}

/* `alone`: the value of a key without one. */
static ncz_s3_setting
lookup_url(const ncz_s3_lookup *l, const char *key, const char *alone)
{
    for (size_t i = l->uri->nfrag; i-- > 0;) {
        const ncz_uri_pair *p = &l->uri->frag[i];
        const char         *name = strncmp(p->key, "aws.", 4) == 0 ? p->key + 4 : p->key;

        if (strcmp(name, key) == 0)
            return make_setting(NCZ_S3_FROM_URL, p->value[0] != '\0' ? p->value : alone, p->key);
    }
    return make_setting(NCZ_S3_FROM_URL, NULL, key);
}

ncz_s3_setting
ncz_s3_setting_url(const ncz_s3_lookup *l, const char *key)
{
    return lookup_url(l, key, NULL);
}

ncz_s3_setting
ncz_s3_setting_url_switch(const ncz_s3_lookup *l, const char *key)
{
    return lookup_url(l, key, "yes");
}

ncz_s3_setting
ncz_s3_setting_env(const char *name)
{
    return make_setting(NCZ_S3_FROM_ENV, ncz_env(name), name);
}

ncz_s3_setting
ncz_s3_setting_rc(const ncz_s3_lookup *l, const char *key)
{
    const char    *file = NULL, *value = ncz_rc_get(l->rc, l->uri, key, &file);
    ncz_s3_setting s = make_setting(NCZ_S3_FROM_RC, value, key);

    s.file = file;
    return s;
}

ncz_s3_setting
ncz_s3_setting_default(const char *value)
{
    return make_setting(NCZ_S3_FROM_DEFAULT, value, NULL);
}

static ncz_s3_setting
lookup_ini(const ncz_s3_ini *ini, ncz_s3_ini_kind kind, const char *section, const char *block, const char *key)
{
    ncz_s3_setting s = make_setting(NCZ_S3_FROM_PROFILE, ncz_s3_ini_get(ini, kind, section, block, key), key);

    s.section = section;
    s.file = ini->file;
    return s;
}

ncz_s3_setting
ncz_s3_setting_profile(const ncz_s3_files *f, const char *profile, const char *block, const char *key)
{
    ncz_s3_setting s;

    if (profile == NULL)
        return make_setting(NCZ_S3_FROM_PROFILE, NULL, key);
    s = lookup_ini(&f->credentials, NCZ_S3_INI_PROFILE, profile, block, key);
    return s.value != NULL ? s : lookup_ini(&f->config, NCZ_S3_INI_PROFILE, profile, block, key);
}

ncz_s3_setting
ncz_s3_setting_service(const ncz_s3_files *f, const char *profile, const char *service, const char *key)
{
    ncz_s3_setting section = ncz_s3_setting_profile(f, profile, NULL, "services");

    if (section.value == NULL)
        return section;
    return lookup_ini(&f->config, NCZ_S3_INI_SERVICES, section.value, service, key);
}

ncz_s3_setting
ncz_s3_setting_first(const ncz_s3_setting *all, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (all[i].value != NULL)
            return all[i];
    return (ncz_s3_setting){.source = NCZ_S3_FROM_NOWHERE};
}

/* ---- values ---- */

int
ncz_s3_setting_origin(const ncz_s3_setting *s, char **out)
{
    char *text = NULL;

    switch (s->source) {
    case NCZ_S3_FROM_URL: text = ncz_sprintf("#%s of the URL", s->name); break;
    case NCZ_S3_FROM_HOST: text = ncz_strdup("the URL's host"); break;
    case NCZ_S3_FROM_ENV: text = ncz_strdup(s->name); break;
    case NCZ_S3_FROM_PROFILE: text = ncz_sprintf("%s of profile %s in %s", s->name, s->section, s->file); break;
    case NCZ_S3_FROM_RC: text = ncz_sprintf("%s in %s", s->name, s->file); break;
    case NCZ_S3_FROM_NOWHERE:
    case NCZ_S3_FROM_DEFAULT: text = ncz_strdup("default"); break;
    }
    *out = text;
    return text != NULL ? NC_NOERR : ncz_fail_nomem(64);
}

/* `wanted`: what the value must be. */
static int
fail_value(const ncz_s3_setting *s, const char *wanted)
{
    char *from = NULL;

    if (ncz_s3_setting_origin(s, &from) == NC_NOERR)
        ncz_fail(NC_EINVAL, "%s: \"%s\" is not %s", from, s->value, wanted);
    ncz_free(from);
    return NC_EINVAL;
}

int
ncz_s3_setting_bool(const ncz_s3_setting *s, bool *out)
{
    static const char *const yes[] = {"true", "yes", "on", "1", "y", "t"};
    static const char *const no[NCZ_LEN(yes)] = {"false", "no", "off", "0", "n", "f"};

    if (s->value == NULL)
        return NC_NOERR;
    for (size_t i = 0; i < NCZ_LEN(yes); i++) {
        if (strcasecmp(s->value, yes[i]) == 0) {
            *out = true;
            return NC_NOERR;
        }
        if (strcasecmp(s->value, no[i]) == 0) {
            *out = false;
            return NC_NOERR;
        }
    }
    return fail_value(s, "a truth value (yes or no)");
}

int
ncz_s3_setting_number(const ncz_s3_setting *s, int64_t least, int64_t most, int64_t *out)
{
    int64_t n = 0;

    if (s->value == NULL)
        return NC_NOERR;
    for (const char *c = s->value; *c != '\0'; c++) {
        if (*c < '0' || *c > '9' || n > most)
            return fail_value(s, "a number in its range");
        n = n * 10 + (*c - '0');
    }
    if (n < least || n > most)
        return fail_value(s, "a number in its range");
    *out = n;
    return NC_NOERR;
}

int
ncz_s3_setting_seconds(const ncz_s3_setting *s, int64_t most, int64_t *ms)
{
    const char *c = s->value;
    int64_t     n = 0, unit = 1000;
    bool        more = false;

    if (c == NULL)
        return NC_NOERR;
    if (*c < '0' || *c > '9')
        return fail_value(s, "a number of seconds");
    for (; *c >= '0' && *c <= '9' && n <= most * 1000; c++)
        n = n * 10 + (*c - '0') * 1000;
    if (*c == '.')
        for (c++; *c >= '0' && *c <= '9'; c++) {
            n += (*c - '0') * (unit /= 10);
            more = more || *c != '0';
        }
    if (*c != '\0' || n > most * 1000)
        return fail_value(s, "a number of seconds in its range");
    *ms = n == 0 && more ? 1 : n; /* not 0, which means no limit */
    return NC_NOERR;
}
