/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_place.c: where the target is and how it is stored: what its path or URL and the options say, and for the rest as
 * the source is.
 */
#include "copy_int.h"

#include "common/path_parts.h"
#include "common/shell_word.h"

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

/* The target's path or URL with what the options say. */
static char *
add_options(const copy_opts *o)
{
    char *modes = memory_need(path_mode_keys(o->mode, o->zarr_format)), *keys, *url;

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

/* A directory or classic file is made beside its place: where the target is a link, beside what it leads to. */
static int
name_temp(const copy_opts *o, copy_target *t)
{
    size_t len = trim_slashes(t->parts.local);
    bool   linked;

    if (len == 0) {
        message_print("%s: no path", o->out);
        return NC_EINVAL;
    }
    if (ends_in_dots(t->parts.local, len)) {
        message_print("%s: give the directory by its name: a new one takes its place", o->out);
        return NC_EINVAL;
    }
    if (t->kind == COPY_CLASSIC && t->parts.local[len] != '\0') {
        message_print("%s: a name that ends in a slash is not the path of a file", o->out);
        return NC_EINVAL;
    }
    if ((t->path = ncz_sys_follow(t->parts.local)) == NULL) {
        message_print("%s: %s", o->out, strerror(errno));
        return NC_EINVAL;
    }
    linked = strncmp(t->path, t->parts.local, len) != 0 || t->path[len] != '\0';
    t->temp_path = memory_textf("%s" TEMP_SUFFIX, t->path);
    t->temp_place = linked ? memory_need(strdup(t->temp_path))
                           : memory_textf("%.*s" TEMP_SUFFIX, (int)trim_slashes(t->parts.path), t->parts.path);
    return NC_NOERR;
}

/* Of a URL. */
static int
check_remote_name(const copy_opts *o, const copy_target *t)
{
    const char *object = path_promises_object(&t->parts);

    if (t->classic && (o->kind_given || t->parts.classic != 0)) {
        message_print("%s: a classic file is made in a directory, not at a URL: copy to a disk and upload the file",
                      t->parts.shown);
        return NC_EINVAL;
    }
    if (o->kind_given || object == NULL)
        return NC_NOERR;
    message_print(PATH_REMOTE_NAME, t->parts.shown, object);
    return NC_EINVAL;
}

/* A name of another format's file would be that of a directory. */
static int
check_name(const copy_opts *o, const copy_target *t)
{
    const char *file = path_promises_file(&t->parts);
    char       *in, *out;

    if (t->kind == COPY_REMOTE)
        return check_remote_name(o, t);
    if (t->classic || file == NULL)
        return NC_NOERR;
    in = memory_need(shell_word(o->in));
    out = memory_need(shell_word(t->parts.path));
    message_print(
        "%s: this is the name of %s, and nczcopy writes Zarr and classic files. To make that file: "
        "LD_PRELOAD=libnczarr_netcdf.so.0 nccopy -M 0 -F '*,none' %s %s. To store Zarr under that name: --mode "
        "nczarr or --mode zarr. To make a classic netCDF file: -k nc5 or a name that ends in .nc",
        t->parts.shown, file, in, out);
    free(in);
    free(out);
    return NC_EINVAL;
}

/* A mode says so, or neither mode nor kind but the name. */
static bool
is_classic(const copy_opts *o, const nczarr_path_parts *parts)
{
    return parts->classic != 0 || (!o->kind_given && path_is_classic(parts));
}

static int
check_options(const copy_opts *o, const copy_target *t)
{
    const char *option = o->deflate >= 0   ? "-d"
                         : o->shuffle      ? "-s"
                         : o->nfilters > 0 ? "-F"
                         : o->chunks.n > 0 ? "-c"
                         : o->shards.n > 0 ? "--shards"
                         : o->consolidate  ? "--consolidate"
                         : o->resume       ? "--resume"
                                           : NULL;

    if (!t->classic && o->flatten) {
        message_print("--flatten: only for classic netCDF files: -k nc3, nc6 or nc5");
        return COPY_USAGE;
    }
    if (!t->classic || option == NULL)
        return NC_NOERR;
    if (o->resume)
        message_print("--resume: a classic file appears when it is complete; there is nothing to continue");
    else
        message_print("%s: a classic netCDF file has neither chunks nor compression nor documents of Zarr: leave it "
                      "out",
                      option);
    return COPY_USAGE;
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
    if (o->mode != NULL && t->parts.fragment[0] == '\0') {
        message_print(PATH_BAD_MODE, o->mode);
        return COPY_USAGE;
    }
    t->classic = is_classic(o, &t->parts);
    t->kind = kind_of(&t->parts);
    if (t->classic && t->kind != COPY_REMOTE)
        t->kind = COPY_CLASSIC;
    t->in_memory = o->memory_out;
    t->marks = (t->kind == COPY_DIR || t->kind == COPY_REMOTE) && !t->in_memory;
    if ((t->kind == COPY_DIR || t->kind == COPY_CLASSIC) && (rc = name_temp(o, t)) != NC_NOERR)
        return rc;
    return (rc = check_name(o, t)) != NC_NOERR ? rc : check_options(o, t);
}

int
copy_check_apart(const copy_opts *o, const copy_target *t)
{
    int one = 0, rc = nczarr_path_overlap(o->in, t->url, &one);

    if (rc == NC_NOERR && !one && t->temp_place != NULL) /* what an earlier copy left there is removed */
        rc = nczarr_path_overlap(o->in, t->temp_place, &one);
    if (rc != NC_NOERR)
        return message_fail(rc, o->out);
    if (!one)
        return NC_NOERR;
    message_print("%s and %s: source and target are one, or one is inside the other: nothing was changed", o->in,
                  o->out);
    return NC_EINVAL;
}

int
copy_check_stores(const copy_opts *o, const copy_target *t)
{
    int one = 0, rc = nczarr_path_probe(o->in, t->url, &one);

    if (rc != NC_NOERR)
        return message_fail(rc, t->parts.shown);
    if (!one)
        return NC_NOERR;
    message_print("%s and %s: what is put at the target is seen through the source: they are one place, or one is "
                  "inside the other: nothing was changed",
                  o->in, o->out);
    return NC_EINVAL;
}

/* The mode of a classic file, where the path has none. */
static char *
choose_classic(copy_target *t, const copy_source *s)
{
    t->nczarr = 1; /* characters are kept */
    return t->parts.classic != 0 ? memory_need(strdup("")) : memory_textf("mode=cdf%d", s->cdf);
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

int
copy_target_choose(const copy_opts *o, copy_target *t, const copy_source *s)
{
    char *keys = NULL, *url;
    int   rc = NC_NOERR;

    if (t->classic)
        keys = choose_classic(t, s);
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
    if (t->temp_place != NULL)
        t->work = memory_textf("%s%s%s", t->temp_place, t->parts.fragment[0] != '\0' ? "#" : "", t->parts.fragment);
    else
        t->work = memory_need(path_with_keys(&t->parts, t->marks ? "commit=close" : ""));
    return NC_NOERR;
}
