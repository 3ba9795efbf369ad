/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_place.c: where the target is and how it is stored: what its path or URL and the options say, and for the rest as
 * the source is.
 */
#include "copy_int.h"

#include "common/path_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEMP_SUFFIX ".nczcopy"

static int
split(const char *text, nczarr_path_parts *parts)
{
    int rc;

    *parts = (nczarr_path_parts){.size = sizeof *parts};
    rc = nczarr_path_split(text, parts);
    return rc == NC_NOERR ? rc : message_fail(rc, text);
}

char *
copy_add_keys(const char *url, const char *keys)
{
    nczarr_path_parts parts;
    char             *text;

    if (split(url, &parts) != NC_NOERR)
        return NULL;
    text = memory_need(path_with_keys(&parts, keys));
    nczarr_path_clear(&parts);
    return text;
}

/* The mode that --mode or -k asks for; NULL: none. */
static const char *
choose_mode(const copy_opts *o)
{
    nczarr_path_parts parts = {.size = sizeof parts};
    bool              file = o->netcdf4 && o->mode == NULL && o->zarr_format == 0;

    if (!file || nczarr_path_split(o->out, &parts) != NC_NOERR) /* that is reported later */
        return o->mode;
    file = !path_is_zarr(&parts) || path_promises_object(&parts) != NULL;
    nczarr_path_clear(&parts);
    return file ? "netcdf4" : NULL;
}

/* The target's path or URL with what the options say. */
static char *
add_options(const copy_opts *o)
{
    char *modes = memory_need(path_mode_keys(choose_mode(o), o->zarr_format)), *keys, *url;

    keys = memory_textf("%s%s%s%s%s", modes, modes[0] != '\0' && (o->consolidate || o->replace_all) ? "&" : "",
                        o->consolidate ? "consolidated=yes" : "", o->consolidate && o->replace_all ? "&" : "",
                        o->replace_all ? "replace=all" : "");
    url = copy_add_keys(o->out, keys);
    free(modes);
    free(keys);
    return url;
}

static copy_target_kind
kind_of(const nczarr_path_parts *parts)
{
    return parts->local == NULL ? COPY_REMOTE : parts->store == NCZARR_STORE_ARCHIVE ? COPY_ARCHIVE : COPY_DIR;
}

/* The length without the slashes at its end. */
static size_t
trim_slashes(const char *path)
{
    size_t n = strlen(path);

    while (n > 0 && ncz_sys_is_slash(path[n - 1]))
        n--;
    return n;
}

/* Whether a path of `len` bytes ends in "." or "..", which name a place by where one is. */
static bool
ends_in_dots(const char *path, size_t len)
{
    size_t n = 0;

    while (n < len && !ncz_sys_is_slash(path[len - n - 1]))
        n++;
    return (n == 1 || n == 2) && memcmp(path + len - n, "..", n) == 0;
}

int
copy_name_beside(const copy_opts *o, copy_target *t)
{
    if ((t->path = ncz_sys_follow(t->parts.local)) == NULL)
        return message_error(NC_EINVAL, "%s: %s", o->out, strerror(errno));
    t->temp_path = memory_textf("%s" TEMP_SUFFIX, t->path);
    return NC_NOERR;
}

/* A directory or file is made beside its place: where the target is a link, beside what it leads to. */
static int
name_temp(const copy_opts *o, copy_target *t)
{
    size_t len = trim_slashes(t->parts.local);
    bool   linked;
    int    rc;

    if (len == 0)
        return message_error(NC_EINVAL, "%s: no path", o->out);
    if (ends_in_dots(t->parts.local, len))
        return message_error(NC_EINVAL, "%s: give the directory by its name: a new one takes its place", o->out);
    if (t->kind == COPY_FILE && t->parts.local[len] != '\0')
        return message_error(NC_EINVAL, "%s: a name that ends in a slash is not the path of a file", o->out);
    if ((rc = copy_name_beside(o, t)) != NC_NOERR)
        return rc;
    linked = strncmp(t->path, t->parts.local, len) != 0 || t->path[len] != '\0';
    t->temp_place = linked ? memory_need(strdup(t->temp_path))
                           : memory_textf("%.*s" TEMP_SUFFIX, (int)trim_slashes(t->parts.path), t->parts.path);
    return NC_NOERR;
}

int
copy_check_format(const copy_target *t)
{
    const char *file = path_other_format(&t->parts);

    return file == NULL ? NC_NOERR : message_error(NC_EINVAL, PATH_OTHER_FORMAT, t->parts.shown, file);
}

/* Of a URL. */
static int
check_remote(const copy_opts *o, const copy_target *t)
{
    const char *object = path_promises_object(&t->parts);

    if (t->classic)
        return message_error(
            NC_EINVAL,
            "%s: a classic file is made in a directory, not at a URL: copy to a disk and upload the file, or "
            "make a netCDF-4 file (-k nc4)",
            t->parts.shown);
    if (o->kind_given || t->netcdf4 || object == NULL)
        return NC_NOERR;
    return message_error(NC_EINVAL, PATH_REMOTE_NAME, t->parts.shown, object);
}

/* Whether the target is a file, and of which kind: a mode says so, or else the name. */
static void
choose_file(const copy_opts *o, copy_target *t)
{
    path_name name = path_is_zarr(&t->parts) ? PATH_NAME_ANY : path_name_of(&t->parts);

    t->classic = t->parts.classic != 0;
    t->netcdf4 = t->parts.netcdf4 != 0;
    if (!t->classic && !t->netcdf4) {
        t->classic = name == PATH_NAME_CLASSIC || (name == PATH_NAME_FILE && o->flatten);
        t->netcdf4 = name == PATH_NAME_NETCDF4;
        t->by_source = name == PATH_NAME_FILE && !o->flatten;
    }
    if (t->kind != COPY_REMOTE && (t->classic || t->netcdf4 || t->by_source))
        t->kind = COPY_FILE;
}

/* What a classic file cannot have. */
static const char *
storage_option(const copy_opts *o)
{
    return o->deflate >= 0 ? "-d" : o->shuffle ? "-s" : o->nfilters > 0 ? "-F" : o->chunks.n > 0 ? "-c" : NULL;
}

static int
fail_option(const char *kind, const char *lacks, const char *option)
{
    return message_error(COPY_USAGE, "%s: a %s file has neither %s: leave it out", option, kind, lacks);
}

static int
check_options(const copy_opts *o, const copy_target *t)
{
    const char *zarr = o->shards.n > 0 ? "--shards" : o->consolidate ? "--consolidate" : NULL;

    if (!t->classic && o->flatten)
        return message_error(COPY_USAGE, "--flatten: only for classic netCDF files: -k nc3, nc6 or nc5");
    if (t->kind != COPY_FILE && !t->netcdf4)
        return NC_NOERR;
    if (o->resume)
        return message_error(COPY_USAGE,
                             "--resume: a file appears when it is complete; there is nothing to continue");
    if (t->classic && (storage_option(o) != NULL || zarr != NULL))
        return fail_option("classic netCDF", "chunks nor compression nor documents of Zarr",
                           storage_option(o) != NULL ? storage_option(o) : zarr);
    return zarr != NULL ? fail_option("netCDF-4", "shards nor documents of Zarr", zarr) : NC_NOERR;
}

/* A classic file of which the options ask for no more than one can have stays one. */
int
copy_target_settle(const copy_opts *o, copy_target *t, int source)
{
    int format = NC_FORMAT_NETCDF4, rc = NC_NOERR;

    if (!t->by_source)
        return NC_NOERR;
    if ((rc = nc_inq_format(source, &format)) != NC_NOERR)
        return message_fail(rc, o->in);
    t->netcdf4 = format == NC_FORMAT_NETCDF4 || format == NC_FORMAT_NETCDF4_CLASSIC || storage_option(o) != NULL;
    t->classic = !t->netcdf4;
    if (t->netcdf4 && (nc_inq_format_extended(source, &format, NULL) != NC_NOERR || format != NC_FORMATX_NC_HDF5))
        message_print("%s: becomes a netCDF-4 file; -k nc5, nc6 or nc3 makes a classic one, --mode nczarr Zarr",
                      t->parts.shown);
    return check_options(o, t);
}

int
copy_target_name(const copy_opts *o, copy_target *t)
{
    int rc;

    *t = (copy_target){.ncid = -1, .lock = -1, .parts.size = sizeof t->parts};
    if ((t->url = add_options(o)) == NULL)
        return COPY_USAGE; /* it is reported */
    if ((rc = split(t->url, &t->parts)) != NC_NOERR)
        return rc == NC_ENOMEM ? rc : COPY_USAGE; /* without the options it is a path */
    if (o->mode != NULL && t->parts.fragment[0] == '\0')
        return message_error(COPY_USAGE, PATH_BAD_MODE, o->mode);
    t->kind = kind_of(&t->parts);
    choose_file(o, t);
    if ((rc = copy_check_format(t)) != NC_NOERR)
        return rc;
    t->in_memory = o->memory_out;
    t->marks = (t->kind == COPY_DIR || (t->kind == COPY_REMOTE && !t->netcdf4)) && !t->in_memory;
    if ((t->kind == COPY_DIR || t->kind == COPY_FILE) && (rc = name_temp(o, t)) != NC_NOERR)
        return rc;
    if (t->kind == COPY_REMOTE && (rc = check_remote(o, t)) != NC_NOERR)
        return rc;
    return t->by_source ? NC_NOERR : check_options(o, t);
}

int
copy_check_apart(const copy_opts *o, const copy_target *t)
{
    int one = 0, rc = copy_overlaps(o, t->url, false, &one);

    if (rc == NC_NOERR && !one && t->temp_place != NULL) /* what an earlier copy left there is removed */
        rc = copy_overlaps(o, t->temp_place, false, &one);
    if (rc != NC_NOERR)
        return message_fail(rc, o->out);
    if (!one)
        return NC_NOERR;
    return message_error(NC_EINVAL,
                         "%s and %s: source and target are one, or one is inside the other: nothing was changed",
                         o->in, o->out);
}

int
copy_check_stores(const copy_opts *o, const copy_target *t)
{
    int one = 0, rc = copy_overlaps(o, t->url, true, &one);

    if (rc != NC_NOERR)
        return message_fail(rc, t->parts.shown);
    if (!one)
        return NC_NOERR;
    return message_error(
        NC_EINVAL,
        "%s and %s: what is put at the target is seen through the source: they are one place, or one is "
        "inside the other: nothing was changed",
        o->in, o->out);
}

/* The mode of a classic file, where the path has none. */
static char *
choose_classic(copy_target *t, const copy_source *s)
{
    t->nczarr = 1; /* characters are kept */
    return t->parts.classic != 0 ? memory_need(strdup("")) : memory_textf("mode=cdf%d", s->cdf);
}

static char *
choose_netcdf4(copy_target *t)
{
    t->nczarr = 1;
    return memory_need(strdup(t->parts.netcdf4 ? "" : "mode=netcdf4"));
}

/* As the options and the fragment say, else as the source is. */
static int
choose_zarr(const copy_opts *o, copy_target *t, int source, char **keys)
{
    int version = ZARR_VERSION_DEFAULT, nczarr = 1, rc = nczarr_inq_zarr_format(source, &version, &nczarr);

    if (rc != NC_NOERR)
        return message_fail(rc, o->in);
    if (version == 0) { /* of another format: the usual form */
        version = ZARR_VERSION_DEFAULT;
        nczarr = 1;
    }
    t->version_given = t->parts.zarr_format != 0;
    t->nczarr_given = t->parts.nczarr >= 0;
    t->zarr_format = t->version_given ? t->parts.zarr_format : version;
    t->nczarr = t->nczarr_given ? t->parts.nczarr : nczarr;
    *keys =
        memory_need(path_mode_keys(t->nczarr_given || t->nczarr ? NULL : "zarr",
                                   !t->version_given && zarr_version_is_said(t->zarr_format) ? t->zarr_format : 0));
    return NC_NOERR;
}

/* All that the file will have is known before its first chunk, so its metadata get room in front, unless the fragment
 * says otherwise. It has one commit. */
static char *
name_netcdf4(const copy_target *t)
{
    bool front = strstr(t->parts.fragment, "front=") == NULL, commit = strstr(t->parts.fragment, "commit=") == NULL;
    const char *keys = front && commit ? "front=auto&commit=close"
                       : front         ? "front=auto"
                       : commit        ? "commit=close"
                                       : "";

    if (t->temp_place == NULL)
        return memory_need(path_with_keys(&t->parts, keys));
    return memory_textf("%s#%s%s%s", t->temp_place, t->parts.fragment, keys[0] != '\0' ? "&" : "", keys);
}

int
copy_target_choose(const copy_opts *o, copy_target *t, const copy_source *s)
{
    char *keys = NULL, *url;
    int   rc = NC_NOERR;

    if (t->classic)
        keys = choose_classic(t, s);
    else if (t->netcdf4)
        keys = choose_netcdf4(t);
    else
        rc = choose_zarr(o, t, s->ncid, &keys);
    if (rc != NC_NOERR)
        return rc;
    url = memory_need(path_with_keys(&t->parts, keys));
    free(keys);
    free(t->url);
    t->url = url;
    nczarr_path_clear(&t->parts);
    if ((rc = split(url, &t->parts)) != NC_NOERR)
        return rc;
    if (t->netcdf4)
        t->work = name_netcdf4(t);
    else if (t->temp_place != NULL)
        t->work = memory_textf("%s%s%s", t->temp_place, t->parts.fragment[0] != '\0' ? "#" : "", t->parts.fragment);
    else
        t->work = memory_need(path_with_keys(&t->parts, t->marks ? "commit=close" : ""));
    return NC_NOERR;
}
