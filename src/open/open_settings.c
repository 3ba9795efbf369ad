/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * open_settings: when data are written to the store and to the disk, and what NC_NETCDF4 makes, as the path, the
 * environment and netCDF's rc files say.
 */
#include "open/open_int.h"
#include "uri/uri_rc_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A setting and where it stands. */
typedef struct setting {
    const char *value; /* NULL: nowhere */
    const char *name, *file;
} setting;

/* The path's fragment precedes the environment, and that rc files. `key`: NULL where a path cannot say it. */
static setting
find_setting(const ncz_target *t, const ncz_rc *files, const char *key, const char *variable, const char *rc_key)
{
    setting s = {.value = t->uri != NULL && key != NULL ? ncz_uri_frag(t->uri, key) : NULL, .name = key};

    if (s.value == NULL)
        s = (setting){.value = ncz_env(variable), .name = variable};
    if (s.value == NULL) {
        s.name = rc_key;
        s.value = ncz_rc_get(files, t->uri, rc_key, &s.file);
    }
    return s;
}

static int
fail_setting(const setting *s, const char *why)
{
    bool in_file = s->file != NULL;

    return ncz_fail(NC_EINVAL, "%s%s%s=%.40s: %s", in_file ? s->file : "", in_file ? ": " : "", s->name, s->value,
                    why);
}

static int
parse_bytes(const setting *s, size_t *out)
{
    char              *end;
    unsigned long long n;

    errno = 0;
    n = strtoull(s->value, &end, 10);
    if (s->value[0] < '0' || s->value[0] > '9' || *end != '\0' || errno != 0 || n == 0 || n > SIZE_MAX / 2)
        return fail_setting(s, "not a number of bytes");
    *out = (size_t)n;
    return NC_NOERR;
}

static int
find_write(const ncz_target *t, const ncz_rc *files, ncz_settings *out)
{
    setting how = find_setting(t, files, "write", "NCZARR_WRITE", "NCZARR.WRITE");
    setting most = find_setting(t, files, "behind_bytes", "NCZARR_BEHIND_BYTES", "NCZARR.BEHIND_BYTES");

    if (how.value != NULL && strcmp(how.value, "behind") != 0 && strcmp(how.value, "through") != 0)
        return fail_setting(&how, "through or behind");
    out->behind = how.value != NULL && strcmp(how.value, "behind") == 0;
    return most.value != NULL ? parse_bytes(&most, &out->behind_bytes) : NC_NOERR;
}

/* A key of the path of which the value is one of `words`; *out: its place there, 0 when the path does not say it. */
static int
find_word(const ncz_target *t, const char *key, const char *const *words, size_t n, const char *why, size_t *out)
{
    const char *value = t->uri != NULL ? ncz_uri_frag(t->uri, key) : NULL;

    for (*out = 0; value != NULL && *out < n; ++*out)
        if (strcmp(value, words[*out]) == 0)
            return NC_NOERR;
    return value == NULL ? NC_NOERR : fail_setting(&(setting){value, key, NULL}, why);
}

enum { SECONDS_MOST = 1000000 };

/* `sync`, `close` or a number of seconds. */
static int
find_commit(const ncz_target *t, ncz_settings *out)
{
    const char   *value = t->uri != NULL ? ncz_uri_frag(t->uri, "commit") : NULL;
    const setting s = {.value = value, .name = "commit"};
    size_t        seconds = 0;

    out->commit_ms = -1;
    if (value == NULL)
        return NC_NOERR;
    out->commit_at_close = strcmp(value, "close") == 0;
    if (out->commit_at_close || strcmp(value, "sync") == 0) {
        out->commit_ms = 0;
        return NC_NOERR;
    }
    if (parse_bytes(&s, &seconds) != NC_NOERR || seconds > SECONDS_MOST)
        return fail_setting(&s, "sync, close or a number of seconds");
    out->commit_ms = (int64_t)seconds * 1000;
    return NC_NOERR;
}

/* What only netCDF-4 files have. */
static int
find_room(const ncz_target *t, ncz_settings *out)
{
    static const char *const reuse[] = {"readers", "never"};

    const setting front = {.value = t->uri != NULL ? ncz_uri_frag(t->uri, "front") : NULL, .name = "front"};
    size_t        nbytes = 0, word;
    bool          fits = front.value != NULL && strcmp(front.value, "auto") == 0;
    int           rc = front.value != NULL && !fits ? parse_bytes(&front, &nbytes) : NC_NOERR;

    if (rc == NC_NOERR)
        rc = find_word(t, "reuse", reuse, NCZ_LEN(reuse), "readers or never", &word);
    if (rc != NC_NOERR)
        return rc;
    out->front = nbytes;
    out->front_fits = fits;
    out->never_reuse = word == 1;
    return NC_NOERR;
}

/* What a reader sees. */
static int
find_view(const ncz_target *t, ncz_settings *out)
{
    static const char *const aggregation[] = {"yes", "no"}, *const missing[] = {"zeros", "fill", "error"};

    size_t word;
    int    rc = find_word(t, "aggregation", aggregation, NCZ_LEN(aggregation), "yes or no", &word);

    if (rc != NC_NOERR)
        return rc;
    out->no_aggregation = word == 1;
    if ((rc = find_word(t, "missing", missing, NCZ_LEN(missing), "zeros, fill or error", &word)) == NC_NOERR)
        out->missing = (ncz_missing)word;
    return rc;
}

int
ncz_settings_find(const ncz_target *t, bool writable, ncz_settings *out)
{
    static const char *const durability[] = {"sync", "each", "none"};

    ncz_rc files = NCZ_RC_INIT;
    size_t word;
    int    rc;

    *out = (ncz_settings){.durability = NCZ_DURABLE_SYNC};
    if ((rc = find_word(t, "durability", durability, NCZ_LEN(durability), "none, sync or each", &word)) != NC_NOERR)
        return rc;
    out->durability = (ncz_durability)word;
    if ((rc = find_commit(t, out)) != NC_NOERR || (rc = find_room(t, out)) != NC_NOERR ||
        (rc = find_view(t, out)) != NC_NOERR)
        return rc;
    if (writable)
        rc = ncz_rc_load(ncz_env("HOME"), &files);
    if (rc == NC_NOERR)
        rc = find_write(t, &files, out);
    ncz_rc_clear(&files);
    return rc;
}

/* The target, which says nothing of Zarr, gets what these words mean after `mode=`. */
static int
take_modes(ncz_target *t, const char *modes)
{
    char       *text = ncz_sprintf("file:///x#mode=%s", modes);
    ncz_target *said = NULL;
    int         rc = text != NULL ? ncz_target_parse(text, true, &said) : ncz_fail_nomem(0);

    ncz_free(text);
    if (rc != NC_NOERR)
        return rc;
    if (said->one_object != NCZ_NO || said->store != NCZ_STORE_FILE) {
        rc = ncz_fail(NC_EINVAL, "mode=%s is not Zarr in a directory", modes);
    } else {
        t->one_object = said->one_object;
        t->conventions = said->conventions;
        t->zarr_format = said->zarr_format;
        t->xarray = said->xarray;
        t->consolidated = said->consolidated;
    }
    ncz_target_free(said);
    return rc;
}

int
ncz_settings_netcdf4(ncz_target *t, bool *zarr)
{
    ncz_rc files = NCZ_RC_INIT;
    int    rc = ncz_rc_load(ncz_env("HOME"), &files);

    if (rc == NC_NOERR) {
        setting s = find_setting(t, &files, NULL, "NCZARR_NETCDF4", "NCZARR.NETCDF4");

        *zarr = s.value != NULL && strcmp(s.value, "file") != 0;
        if (*zarr && (rc = take_modes(t, s.value)) != NC_NOERR && rc != NC_ENOMEM)
            rc = fail_setting(&s, "file, or modes of Zarr: nczarr, zarr, v2, v3, noxarray, consolidated");
    }
    ncz_rc_clear(&files);
    return rc;
}

int
ncz_settings_check(const ncz_target *t)
{
    ncz_settings found;

    return ncz_settings_find(t, true, &found);
}
