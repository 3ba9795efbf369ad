/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_aux_list: lists of directories for plug-ins, of which this library has none, and the text of _NCProperties as a
 * list. What a list holds is from ncz_alloc(), which is malloc() outside of tests, so programs may free() it.
 */
#include "api/api_int.h"

#include "compat/netcdf_aux.h"

#include <string.h>

#define DEFAULT_SEPARATOR ':'

static char *
copy_text(const char *s, size_t len)
{
    char *copy = ncz_alloc(len + 1);

    if (copy != NULL) {
        memcpy(copy, s, len);
        copy[len] = '\0';
    }
    return copy;
}

static int
check_list(const NCPluginList *dirs)
{
    ncz_err_clear();
    if (dirs == NULL || (dirs->ndirs > 0 && dirs->dirs == NULL))
        return ncz_call_done(ncz_fail(NC_EINVAL, "no list of directories is given"));
    return NC_NOERR;
}

int
ncaux_plugin_path_clear(struct NCPluginList *dirs)
{
    if (dirs == NULL || dirs->dirs == NULL)
        return NC_NOERR;
    for (size_t i = 0; i < dirs->ndirs; i++)
        ncz_free(dirs->dirs[i]);
    ncz_free(dirs->dirs);
    *dirs = (NCPluginList){0, NULL};
    return NC_NOERR;
}

int
ncaux_plugin_path_reclaim(struct NCPluginList *dirs)
{
    int rc = ncaux_plugin_path_clear(dirs);

    ncz_free(dirs);
    return rc;
}

/* Where the caller gives an array, it must have room; otherwise one is made. */
int
ncaux_plugin_path_parsen(size_t pathlen, const char *pathlist, char sep, struct NCPluginList *dirs)
{
    const char *p = pathlist, *end;
    char      **names;
    size_t      n = 1;

    ncz_err_clear();
    if (dirs == NULL)
        return ncz_call_done(ncz_fail(NC_EINVAL, "no list of directories is given"));
    if (pathlen == 0 || pathlist == NULL) {
        dirs->ndirs = 0;
        return NC_NOERR;
    }
    if (sep == '\0')
        sep = DEFAULT_SEPARATOR;
    for (size_t i = 0; i < pathlen; i++)
        n += pathlist[i] == sep;
    if ((names = ncz_zalloc_n(n, sizeof *names)) == NULL)
        return ncz_call_done(ncz_fail_nomem(n * sizeof *names));
    for (size_t i = 0; i < n; i++, p = end + 1) {
        size_t left = (size_t)(pathlist + pathlen - p);

        if ((end = memchr(p, sep, left)) == NULL)
            end = p + left;
        if ((names[i] = copy_text(p, (size_t)(end - p))) == NULL) {
            (void)ncaux_plugin_path_clear(&(NCPluginList){i, names});
            return ncz_call_done(ncz_fail_nomem((size_t)(end - p) + 1));
        }
    }
    if (dirs->dirs == NULL) {
        dirs->dirs = names;
    } else {
        memcpy(dirs->dirs, names, n * sizeof *names);
        ncz_free(names);
    }
    dirs->ndirs = n;
    return NC_NOERR;
}

int
ncaux_plugin_path_parse(const char *pathlist, char sep, struct NCPluginList *dirs)
{
    return ncaux_plugin_path_parsen(pathlist != NULL ? strlen(pathlist) : 0, pathlist, sep, dirs);
}

int
ncaux_plugin_path_tostring(const struct NCPluginList *dirs, char sep, char **catp)
{
    ncz_buf text = NCZ_BUF_INIT;
    int     rc = check_list(dirs);

    for (size_t i = 0; rc == NC_NOERR && i < dirs->ndirs; i++) {
        if (i > 0)
            rc = ncz_buf_putc(&text, sep != '\0' ? sep : DEFAULT_SEPARATOR);
        if (rc == NC_NOERR && dirs->dirs[i] != NULL)
            rc = ncz_buf_puts(&text, dirs->dirs[i]);
    }
    if (rc == NC_NOERR && catp != NULL && (*catp = copy_text(ncz_buf_str(&text), text.len)) == NULL)
        rc = ncz_fail_nomem(text.len + 1);
    ncz_buf_clear(&text);
    return rc;
}

static int
insert_dir(NCPluginList *dirs, const char *dir, bool first)
{
    char **names, *copy;
    int    rc = check_list(dirs);

    if (rc != NC_NOERR)
        return rc;
    if (dir == NULL)
        return ncz_fail(NC_EINVAL, "no directory is given");
    if ((copy = ncz_strdup(dir)) == NULL)
        return ncz_fail_nomem(strlen(dir) + 1);
    if ((names = ncz_grow(dirs->dirs, dirs->ndirs + 1, sizeof *names)) == NULL) {
        ncz_free(copy);
        return ncz_fail_nomem((dirs->ndirs + 1) * sizeof *names);
    }
    if (first)
        memmove(names + 1, names, dirs->ndirs * sizeof *names);
    names[first ? 0 : dirs->ndirs] = copy;
    *dirs = (NCPluginList){dirs->ndirs + 1, names};
    return NC_NOERR;
}

int
ncaux_plugin_path_append(struct NCPluginList *dirs, const char *dir)
{
    return insert_dir(dirs, dir, false);
}

int
ncaux_plugin_path_prepend(struct NCPluginList *dirs, const char *dir)
{
    return insert_dir(dirs, dir, true);
}

/* ---- the search path itself: always empty ---- */

int
ncaux_plugin_path_stringlen(void)
{
    ncz_err_clear();
    return 0;
}

int
ncaux_plugin_path_stringget(int pathlen, char *path)
{
    ncz_err_clear();
    if (pathlen < 1 || path == NULL)
        return ncz_call_done(ncz_fail(NC_EINVAL, "no room for the search path is given"));
    path[0] = '\0';
    return NC_NOERR;
}

int
ncaux_plugin_path_stringset(int pathlen, const char *path)
{
    ncz_err_clear();
    return pathlen < 1 || path == NULL ? ncz_fail(NC_EINVAL, "no search path is given") : NC_NOERR;
}

/* ---- _NCProperties ---- */

/* Copies to `out` up to an unescaped character of `stops`, without the escaping backslashes. Gives what follows. */
static const char *
copy_unescaped(const char *p, const char *stops, char *out)
{
    while (*p != '\0' && strchr(stops, *p) == NULL) {
        if (*p == '\\' && p[1] != '\0')
            p++;
        *out++ = *p++;
    }
    *out = '\0';
    return p;
}

/* One pair into fresh memory; *p moves behind it. */
static int
parse_pair(const char **p, char **key, char **value)
{
    size_t most = strlen(*p) + 1;

    if ((*key = ncz_alloc(most)) == NULL || (*value = ncz_alloc(most)) == NULL)
        return ncz_fail_nomem(most);
    (*value)[0] = '\0';
    *p = copy_unescaped(*p, "=,|", *key);
    if (**p == '=')
        *p = copy_unescaped(*p + 1, ",|", *value);
    if ((*key)[0] == '\0')
        return ncz_fail(NC_EINVAL, "_NCProperties: a value without a name");
    return NC_NOERR;
}

int
ncaux_parse_provenance(const char *ncprop, char ***pairsp)
{
    const char *p = ncprop;
    char      **pairs;
    size_t      n = 1, i = 0;
    int         rc = NC_NOERR;

    ncz_err_clear();
    if (pairsp == NULL)
        return NC_NOERR;
    *pairsp = NULL;
    if (ncprop == NULL || ncprop[0] == '\0')
        return NC_NOERR;
    for (; *p != '\0'; p++)
        n += *p == ',' || *p == '|';
    if ((pairs = ncz_zalloc_n(n + 1, 2 * sizeof *pairs)) == NULL)
        return ncz_call_done(ncz_fail_nomem((n + 1) * 2 * sizeof *pairs));
    p = ncprop;
    do {
        rc = parse_pair(&p, &pairs[2 * i], &pairs[2 * i + 1]);
        i++;
    } while (rc == NC_NOERR && *p++ != '\0');
    if (rc == NC_NOERR) {
        *pairsp = pairs;
        return NC_NOERR;
    }
    for (size_t k = 0; k < 2 * i; k++)
        ncz_free(pairs[k]);
    ncz_free(pairs);
    return rc;
}
