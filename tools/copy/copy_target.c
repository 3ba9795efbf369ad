/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_target.c: creates and publishes the target, so that an interrupted copy does no harm.
 *
 * A directory is created as PATH.nczcopy and renamed when it is complete and closed, so that PATH is absent, old or
 * new. It is locked meanwhile: a second nczcopy is refused.
 * An archive: the library lets it appear when it is closed; there is nothing to resume. Elsewhere (S3): in its place,
 * where commit=close keeps it from being seen before it is complete, and the library lets one writer do it.
 *
 * The attribute first says that nothing is complete. A second commit, once everything is defined, makes it identify the
 * copy: only then can it be resumed, and no other copy by mistake.
 */
#include "copy_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEMP_SUFFIX ".nczcopy"
#define BEGUN       "copy by nczcopy, not complete and not resumable: start it again"

/* ---- names ---- */

/* Where the fragment begins: the library takes the '#' of a plain path for one only before words that it knows. */
size_t
copy_find_fragment(const char *url)
{
    static const char *const words[] = {"mode=",       "compat=",    "consolidated", "dimension_separator=",
                                        "durability=", "nczarr",     "zarr",         "xarray",
                                        "noxarray",    "file",       "zip",          "s3",
                                        "log",         "readahead=", "commit=",      "chunk_keys="};
    bool                     scheme = strstr(url, "://") != NULL;

    for (const char *hash = strchr(url, '#'); hash != NULL; hash = strchr(hash + 1, '#')) {
        if (scheme)
            return (size_t)(hash - url);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strncmp(hash + 1, words[i], strlen(words[i])) == 0)
                return (size_t)(hash - url);
    }
    return strlen(url);
}

static char *
add_modes(const copy_opts *o)
{
    bool        has = o->out[copy_find_fragment(o->out)] == '#';
    const char *mode = o->mode != NULL ? o->mode : "";
    const char *version = o->zarr_format == 3 ? "v3" : o->zarr_format == 2 ? "v2" : "";
    bool        modes = mode[0] != '\0' || version[0] != '\0';

    return copy_textf("%s%s%s%s%s%s", o->out,
                      !modes ? ""
                      : has  ? "&mode="
                             : "#mode=",
                      mode, mode[0] != '\0' && version[0] != '\0' ? "," : "", version,
                      !o->consolidate ? ""
                      : has || modes  ? "&consolidated=yes"
                                      : "#consolidated=yes");
}

static int
parse_hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* %41 -> A, in place. */
static void
decode_percent(char *s)
{
    char *to = s;

    for (; *s != '\0'; s++) {
        if (s[0] == '%' && parse_hex_digit(s[1]) >= 0 && parse_hex_digit(s[2]) >= 0) {
            *to++ = (char)(parse_hex_digit(s[1]) * 16 + parse_hex_digit(s[2]));
            s += 2;
        } else {
            *to++ = *s;
        }
    }
    *to = '\0';
}

static bool
has_word(const char *fragment, const char *word)
{
    size_t n = strlen(word);

    for (const char *p = fragment; (p = strstr(p, word)) != NULL; p += n)
        if (p > fragment && strchr("#=,&", p[-1]) != NULL && (p[n] == '\0' || strchr(",&", p[n]) != NULL))
            return true;
    return false;
}

static copy_target_kind
classify_place(const char *url, size_t frag)
{
    static const char zip[] = ".zip";
    const char       *scheme = strstr(url, "://");

    if ((scheme != NULL && strncmp(url, "file:", 5) != 0) || url[0] == '[')
        return COPY_REMOTE;
    if (has_word(url + frag, "zip") ||
        (frag > 4 && strncasecmp(url + frag - 4, zip, 4) == 0 && !has_word(url + frag, "file")))
        return COPY_ARCHIVE;
    return COPY_DIR;
}

int
copy_target_name(const copy_opts *o, copy_target *t)
{
    size_t frag, end, begin;

    *t = (copy_target){.url = add_modes(o), .ncid = -1, .lock = -1};
    frag = copy_find_fragment(t->url);
    t->kind = classify_place(t->url, frag);
    t->zarr_format = has_word(t->url + frag, "v3") ? 3 : 2;
    t->marks = t->kind != COPY_ARCHIVE && !o->memory_out;
    if (t->kind != COPY_DIR) {
        t->work = copy_textf("%s%s", t->url,
                             !t->marks             ? ""
                             : t->url[frag] == '#' ? "&commit=close"
                                                   : "#commit=close");
        return NC_NOERR;
    }
    begin = strncmp(t->url, "file://", 7) == 0 ? 7 : 0;
    for (end = frag; end > begin + 1 && t->url[end - 1] == '/';)
        end--;
    if (end == begin) {
        copy_say("%s: no path", o->out);
        return NC_EINVAL;
    }
    t->path = copy_need(strndup(t->url + begin, end - begin));
    if (begin > 0)
        decode_percent(t->path);
    ncz_sys_tidy_path(t->path);
    t->temp_path = copy_textf("%s" TEMP_SUFFIX, t->path);
    t->work = copy_textf("%.*s" TEMP_SUFFIX "%s", (int)end, t->url, t->url + frag);
    return NC_NOERR;
}

/* ---- not into itself ---- */

/* The real path of a path or URL, without its fragment and slashes at its end. Of a path that does not exist yet: the
 * real path of its folder, and its name. Of a remote one: the URL. */
static char *
resolve_path(const char *url)
{
    size_t begin = strncmp(url, "file://", 7) == 0 ? 7 : 0, end = copy_find_fragment(url);
    char  *path, *real, *slash, *joined, *folder;

    while (end > begin + 1 && url[end - 1] == '/')
        end--;
    path = copy_need(strndup(url + begin, end - begin));
    if (begin > 0)
        decode_percent(path);
    if (begin == 0 && strstr(path, "://") != NULL)
        return path;
    ncz_sys_tidy_path(path);
    if ((real = ncz_sys_realpath(path)) == NULL) {
        slash = strrchr(path, '/');
        joined = slash == NULL ? copy_need(strdup(".")) : copy_need(strndup(path, (size_t)(slash - path) + 1));
        if ((folder = ncz_sys_realpath(joined)) != NULL)
            real = copy_textf("%s/%s", folder, slash == NULL ? path : slash + 1);
        free(joined);
        free(folder);
    }
    if (real == NULL)
        return path;
    free(path);
    return real;
}

/* True if `path` is the folder, or below it. */
static bool
is_below(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    return strncmp(path, folder, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

bool
copy_into_itself(const char *in, const char *out)
{
    char *a = resolve_path(in), *b = resolve_path(out);
    bool  into = is_below(b, a) || is_below(a, b);

    free(a);
    free(b);
    return into;
}

/* ---- creation ---- */

static bool
inspect(const char *path, ncz_stat *st)
{
    return ncz_system.fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool
exists(const char *path)
{
    ncz_stat st;

    return ncz_system.fstatat(AT_FDCWD, path, &st, 0) == 0;
}

static int
fail_removal(const char *path)
{
    copy_say("%s: cannot remove what an earlier copy left: %s", path, strerror(errno));
    return NC_ECANTREMOVE;
}

/* Locks the directory at `path`; the lock ends with the process. NC_EEXIST: another process holds it; NC_ENOOBJECT:
 * there is no directory (any more). On file systems without locks it succeeds. */
static int
lock_directory(const char *path, bool wait, int *fd)
{
    ncz_stat here, there;
    int      d;

    if ((d = ncz_system.openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)) < 0)
        return NC_ENOOBJECT;
    while (ncz_system.flock(d, wait ? LOCK_EX : LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) {
            (void)ncz_system.close(d);
            return NC_EEXIST;
        }
        if (errno != EINTR)
            break;
    }
    if (ncz_system.fstat(d, &here) != 0 || !inspect(path, &there) || here.st_ino != there.st_ino ||
        here.st_dev != there.st_dev) { /* renamed or removed while we waited */
        (void)ncz_system.close(d);
        return NC_ENOOBJECT;
    }
    *fd = d;
    return NC_NOERR;
}

/* Creates and locks the directory of the copy, which may contain what an earlier copy left. */
static int
lock_temp(copy_target *t)
{
    ncz_stat st;
    int      rc = NC_ENOOBJECT;

    for (int tries = 0; rc == NC_ENOOBJECT && tries < 100; tries++) {
        if (inspect(t->temp_path, &st) && !S_ISDIR(st.st_mode) && ncz_system.unlinkat(AT_FDCWD, t->temp_path, 0) != 0)
            return fail_removal(t->temp_path);
        if (ncz_system.mkdirat(AT_FDCWD, t->temp_path, 0777) != 0 && errno != EEXIST) {
            copy_say("%s: cannot be created: %s", t->temp_path, strerror(errno));
            return NC_ECANTCREATE;
        }
        rc = lock_directory(t->temp_path, false, &t->lock);
    }
    if (rc != NC_NOERR)
        copy_say("%s: another nczcopy is creating it", t->temp_path);
    return rc == NC_NOERR ? rc : NC_EEXIST;
}

/* Removes what an earlier copy left in it. */
static int
empty_temp(const copy_target *t)
{
    return copy_remove_below(t->temp_path, NULL) ? NC_NOERR : fail_removal(t->temp_path);
}

/* True if there is a dataset, even one that this library cannot open. */
static bool
has_root_document(const char *path)
{
    static const char *const names[] = {".zgroup", ".zarray", ".zattrs", ".zmetadata", ".nczarr", "zarr.json"};
    bool                     has = false;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *file = copy_textf("%s/%s", path, names[i]);

        has = has || exists(file);
        free(file);
    }
    return has;
}

/* May the existing path be replaced? Only a dataset, an empty directory, or the remains of an interrupted writer,
 * which are deleted at once. */
static int
check_replaceable(const copy_opts *o, const copy_target *t)
{
    ncz_stat st;
    int      ncid, rc;

    if (!inspect(t->path, &st))
        return NC_NOERR;
    if (o->keep) {
        copy_say("%s: exists", t->path);
        return NC_EEXIST;
    }
    rc = nc_open(t->url, NC_NOWRITE, &ncid);
    if (rc == NC_ENOTNC) /* it may be of another version of Zarr than the copy */
        rc = nc_open(o->out, NC_NOWRITE, &ncid);
    if (rc == NC_NOERR)
        return nc_close(ncid);
    if (rc == NC_ENOTNC && S_ISDIR(st.st_mode) && !has_root_document(t->path)) {
        if (nc_delete(t->url) == NC_NOERR)
            return NC_NOERR;
        copy_say("%s: exists and is not replaced: %s", t->path, nczarr_errmsg());
        return NC_EEXIST;
    }
    copy_say("%s: exists and is not a dataset: it is not replaced", t->path);
    return NC_EEXIST;
}

/* What the mark of an open dataset says; NULL: it is absent. */
static char *
read_marker(int ncid)
{
    size_t len = 0;
    char  *text;

    if (nc_inq_attlen(ncid, NC_GLOBAL, UNFINISHED_ATT, &len) != NC_NOERR)
        return NULL;
    text = copy_alloc(len + 1, 1);
    if (nc_get_att_text(ncid, NC_GLOBAL, UNFINISHED_ATT, text) != NC_NOERR)
        text[0] = '\0';
    return text;
}

/* Where the unfinished copy is. */
static const char *
unfinished_path(const copy_target *t)
{
    return t->kind == COPY_DIR ? t->temp_path : t->url;
}

/* Opens what an interrupted copy left. NC_ENOTFOUND: nothing that could be continued. */
static int
open_unfinished(copy_target *t)
{
    char *mark;
    int   rc;

    if (!t->marks)
        return NC_ENOTFOUND;
    rc = nc_open(t->work, NC_WRITE, &t->ncid);
    if (rc == NC_ENOTNC || rc == NC_ENOOBJECT || rc == NC_EEMPTY)
        return NC_ENOTFOUND;
    if (rc != NC_NOERR) /* it may exist: a failing server or disk must not cost what was copied */
        return copy_fail(rc, unfinished_path(t));
    mark = read_marker(t->ncid);
    rc = mark == NULL || strcmp(mark, BEGUN) == 0 ? NC_ENOTFOUND
         : strcmp(mark, t->marker) == 0           ? NC_NOERR
                                                  : NC_EEXIST;
    free(mark);
    if (rc != NC_NOERR)
        (void)nc_close(t->ncid);
    if (rc == NC_EEXIST)
        copy_say("%s: an interrupted copy of something else, or with other options; without --resume it is replaced",
                 unfinished_path(t));
    return rc;
}

static int
put_marker(const copy_target *t, const char *text)
{
    int rc = nc_put_att_text(t->ncid, NC_GLOBAL, UNFINISHED_ATT, strlen(text), text);

    return rc == NC_NOERR ? rc : copy_fail(rc, t->url);
}

int
copy_target_open(const copy_opts *o, copy_target *t)
{
    int mode = (o->keep && t->kind != COPY_DIR ? NC_NOCLOBBER : NC_CLOBBER) | (o->classic ? NC_CLASSIC_MODEL : 0);
    int rc;

    mode |= o->memory_out ? NC_DISKLESS | NC_PERSIST : 0;
    if (t->kind == COPY_DIR && ((rc = check_replaceable(o, t)) != NC_NOERR || (rc = lock_temp(t)) != NC_NOERR))
        return rc;
    if (o->resume && (rc = open_unfinished(t)) != NC_ENOTFOUND) {
        t->open = t->resumed = t->resumable = rc == NC_NOERR;
        if (t->resumed && t->kind == COPY_DIR)
            (void)copy_remove_below(t->temp_path, ".nczarr-tmp-"); /* of the library */
        if (t->resumed)
            copy_set_unfinished(unfinished_path(t));
        return rc;
    }
    if (t->kind == COPY_DIR && (rc = empty_temp(t)) != NC_NOERR)
        return rc;
    if ((rc = nc_create(t->work, mode, &t->ncid)) != NC_NOERR)
        return copy_fail(rc, t->url);
    t->open = true;
    return t->marks ? put_marker(t, BEGUN) : NC_NOERR;
}

int
copy_target_begin(copy_target *t)
{
    int rc;

    if (!t->marks)
        return NC_NOERR;
    if ((rc = nc_sync(t->ncid)) != NC_NOERR)
        return copy_fail(rc, t->url);
    (void)nc_redef(t->ncid); /* the classic model needs it for a longer text */
    if ((rc = put_marker(t, t->marker)) != NC_NOERR)
        return rc;
    (void)nc_enddef(t->ncid);
    if ((rc = nc_sync(t->ncid)) != NC_NOERR)
        return copy_fail(rc, t->url);
    copy_set_unfinished(unfinished_path(t));
    t->resumable = true;
    return NC_NOERR;
}

/* ---- completion ---- */

int
copy_target_finish(copy_target *t)
{
    int rc = NC_NOERR;

    if (t->marks) {
        (void)nc_redef(t->ncid); /* the classic model needs it */
        rc = nc_del_att(t->ncid, NC_GLOBAL, UNFINISHED_ATT);
        if (rc == NC_NOERR)
            rc = nc_enddef(t->ncid);
    }
    if (rc != NC_NOERR)
        return copy_fail(rc, t->url);
    t->open = false;
    if ((rc = nc_close(t->ncid)) != NC_NOERR)
        return copy_fail(rc, t->url);
    copy_set_unfinished(NULL);
    return NC_NOERR;
}

/* Makes the new name durable. */
static void
sync_parent(const char *path)
{
    const char *slash = strrchr(path, '/');
    char       *dir = slash == NULL ? copy_need(strdup(".")) : copy_need(strndup(path, (size_t)(slash - path) + 1));
    int         fd = ncz_system.openat(AT_FDCWD, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

    if (fd >= 0) {
        (void)ncz_system.fsync(fd);
        (void)ncz_system.close(fd);
    }
    free(dir);
}

/* The new dataset has its final name: releases the lock. */
static int
finish_publish(copy_target *t)
{
    sync_parent(t->path);
    if (t->lock >= 0)
        (void)ncz_system.close(t->lock);
    t->lock = -1;
    return NC_NOERR;
}

/* One step where the system can exchange names. The old dataset is locked before it gets the name that ours had, so
 * that no other nczcopy begins in it while it is removed. */
static bool
exchange_names(copy_target *t, int *rc)
{
    int old = -1;

    (void)lock_directory(t->path, true, &old);
    if (ncz_system.rename_swap(AT_FDCWD, t->temp_path, AT_FDCWD, t->path) != 0) {
        if (old >= 0)
            (void)ncz_system.close(old);
        return false;
    }
    *rc = finish_publish(t);
    if (empty_temp(t) != NC_NOERR || ncz_system.unlinkat(AT_FDCWD, t->temp_path, AT_REMOVEDIR) != 0)
        *rc = NC_ECANTREMOVE;
    if (old >= 0)
        (void)ncz_system.close(old);
    return true;
}

static int
replace_target(copy_target *t)
{
    int rc;

    if (exchange_names(t, &rc))
        return rc;
    if ((rc = nc_delete(t->url)) != NC_NOERR)
        return copy_fail(rc, t->url);
    if (ncz_system.renameat(AT_FDCWD, t->temp_path, AT_FDCWD, t->path) != 0) {
        copy_say("%s: cannot be renamed to %s: %s", t->temp_path, t->path, strerror(errno));
        return NC_ECANTCREATE;
    }
    return finish_publish(t);
}

int
copy_target_publish(const copy_opts *o, copy_target *t)
{
    int rc;

    if (t->kind != COPY_DIR)
        return NC_NOERR;
    if (exists(t->path)) /* it may have been created meanwhile */
        return (rc = check_replaceable(o, t)) != NC_NOERR ? rc
               : !exists(t->path)                         ? copy_target_publish(o, t)
                                                          : replace_target(t);
    if (ncz_system.renameat(AT_FDCWD, t->temp_path, AT_FDCWD, t->path) != 0) {
        copy_say("%s: cannot be renamed to %s: %s", t->temp_path, t->path, strerror(errno));
        return NC_ECANTCREATE;
    }
    return finish_publish(t);
}

void
copy_target_clear(copy_target *t)
{
    /* What is copied, but in the cache alone, need not be copied again. In a bucket it may be somebody else's by
     * now. */
    if (t->open && t->resumable && t->kind == COPY_DIR)
        (void)nc_sync(t->ncid);
    if (t->open)
        (void)nc_abort(t->ncid);
    if (t->lock >= 0) {
        (void)ncz_system.unlinkat(AT_FDCWD, t->temp_path, AT_REMOVEDIR); /* if nothing is in it */
        (void)ncz_system.close(t->lock);
    }
    free(t->url);
    free(t->path);
    free(t->temp_path);
    free(t->work);
    free(t->marker);
    *t = (copy_target){.ncid = -1, .lock = -1};
}
