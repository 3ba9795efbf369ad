/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_probe: whether two places that have different names are one, or one is inside the other. Names do not tell
 * it: one bucket has a host's name and its address, a web server shows a directory or a bucket, one file system is
 * mounted twice. So an object of a random name is put at the target and looked for through the source's own store:
 *
 *   at the source, and at each prefix above it          the target is the source, or has it inside
 *   below the source, at each end of the target's path  the target is inside the source
 *
 * A file is looked for where its directory is. Two places of one device are told apart by their inodes, so nothing is
 * put there. The probe is removed in any case. One that a killed process left belongs to the dataset there
 * (ncz_owner_is_root_key()), and goes with it.
 */
#include "dataset/dataset_int.h"
#include "platform/platform.h"
#include "zmap/file/zmap_file.h"
#include "zmap/zmap_s3.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIGITS = NCZ_PROBE_DIGITS,
    NAME_SIZE = sizeof NCZ_PROBE + DIGITS,
    TEXT_MOST = 4096, /* what a server answers for an object that it lacks may be longer */
};

/* A place, and the names of its path. */
typedef struct place {
    ncz_target *t;
    char       *path; /* absolute: of the file system, or of the URL */
    bool        file; /* not a prefix of objects */
} place;

typedef struct probe {
    char name[NAME_SIZE];
    char text[2 * DIGITS + 1];
} probe;

static void
clear_place(place *p)
{
    ncz_target_free(p->t);
    ncz_free(p->path);
}

/* Cuts the last name off; false: there is none. */
static bool
cut_name(char *path)
{
    size_t n = strlen(path);

    if (n == 0 || (n == 1 && path[0] == '/'))
        return false;
    while (n > 0 && path[n - 1] != '/')
        n--;
    while (n > 1 && path[n - 1] == '/')
        n--;
    path[n] = '\0';
    return true;
}

static int
find_path(place *p)
{
    ncz_stat st;
    size_t   len;
    char    *real;

    if (ncz_remote(p->t)) {
        p->file = ncz_store_is_one(p->t);
        for (len = strlen(p->t->uri->path); len > 0 && p->t->uri->path[len - 1] == '/'; len--)
            ;
        return ncz_uri_decode(p->t->uri->path, len, &p->path);
    }
    real = ncz_sys_realpath(p->t->path);
    p->file = real != NULL && ncz_system.name.fstatat(AT_FDCWD, real, &st, 0) == 0 && !S_ISDIR(st.st_mode);
    p->path = ncz_strdup(real != NULL ? real : "");
    free(real);
    return p->path != NULL ? NC_NOERR : ncz_fail_nomem(strlen(p->t->path));
}

static int
make_place(const char *text, place *out)
{
    place p = {.t = NULL};
    int   rc;

    if ((rc = ncz_target_parse(text, false, &p.t)) == NC_NOERR && (rc = find_path(&p)) == NC_NOERR)
        *out = p;
    else
        clear_place(&p);
    return rc;
}

/* The store of the objects below `path`, in the place's store. */
static int
open_at(const place *p, const char *path, zmap_open_how how, zmap **out)
{
    ncz_buf encoded = NCZ_BUF_INIT;
    ncz_uri uri;
    int     rc;

    if (!ncz_remote(p->t))
        return zmap_file_open(path, how, out);
    uri = *p->t->uri;
    if ((rc = ncz_uri_encode(&encoded, path, strlen(path), true)) == NC_NOERR) {
        uri.path = (char *)(uintptr_t)ncz_buf_str(&encoded);
        rc = p->t->store == NCZ_STORE_S3 ? zmap_s3_open(&uri, how, out) : zmap_http_open(&uri, how, out);
    }
    ncz_buf_clear(&encoded);
    return rc;
}

/* The prefix that a probe is put at, or looked for: of a file its directory. */
static char *
probe_path(const place *p)
{
    char *path = ncz_strdup(p->path);

    if (path != NULL && p->file)
        (void)cut_name(path);
    return path;
}

/* ---- the source ------------------------------------------------------------------------------------------------ */

/* Whether the probe is there, under a prefix ("": none) of the store. NC_NOERR also if it is not. */
static int
look(zmap *map, const char *prefix, const probe *pr, bool *seen)
{
    ncz_buf body = NCZ_BUF_LIMIT(TEXT_MOST);
    char   *key = ncz_sprintf("%s%s%s", prefix, prefix[0] != '\0' ? "/" : "", pr->name);
    int     rc;

    if (key == NULL)
        return ncz_fail_nomem(NAME_SIZE);
    rc = zmap_key_valid(key) ? zmap_get(map, key, &body) : NC_EEMPTY;
    *seen = rc == NC_NOERR && strcmp(ncz_buf_str(&body), pr->text) == 0;
    ncz_buf_clear(&body);
    ncz_free(key);
    return rc == NC_EEMPTY ? NC_NOERR : rc;
}

/* At one prefix of the source's store. */
static int
look_at(const place *s, const char *path, const probe *pr, bool *seen)
{
    zmap *map = NULL;
    int   rc = open_at(s, path, ZMAP_OPEN_READ, &map);

    if (rc != NC_NOERR)
        return rc;
    rc = look(map, "", pr, seen);
    (void)zmap_close(map, ZMAP_KEEP);
    return rc;
}

/* At the source itself (of a file in its directory) and, with `outward`, at each prefix above it, where a failure tells
 * nothing: servers refuse what is outside a dataset. */
static int
look_above(const place *s, bool outward, const probe *pr, bool *seen)
{
    char *path = probe_path(s);
    int   rc = path != NULL ? look_at(s, path, pr, seen) : ncz_fail_nomem(strlen(s->path));

    while (rc == NC_NOERR && outward && !*seen && cut_name(path))
        if (look_at(s, path, pr, seen) != NC_NOERR)
            ncz_err_clear();
    ncz_free(path);
    return rc;
}

/* Below the source, at each end of the target's path. */
static int
look_below(const place *s, const place *target, const probe *pr, bool *seen)
{
    const char *end = target->path + strlen(target->path);
    zmap       *map = NULL;
    int         rc = open_at(s, s->path, ZMAP_OPEN_READ, &map);

    while (rc == NC_NOERR && !*seen && end > target->path) {
        while (end > target->path && end[-1] == '/')
            end--;
        while (end > target->path && end[-1] != '/')
            end--;
        if (*end != '\0')
            rc = look(map, end, pr, seen);
    }
    if (map != NULL)
        (void)zmap_close(map, ZMAP_KEEP);
    return rc;
}

/* ---- the target ------------------------------------------------------------------------------------------------ */

static const char *
last_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

static void
make_probe(probe *pr)
{
    uint64_t r[3] = {0};

    (void)ncz_system.getrandom(r, sizeof r, 0);
    (void)snprintf(pr->name, sizeof pr->name, NCZ_PROBE "%016" PRIx64, r[0]);
    (void)snprintf(pr->text, sizeof pr->text, "%016" PRIx64 "%016" PRIx64, r[1], r[2]);
}

static int
ask_source(const place *s, const place *t, const probe *pr, bool *seen)
{
    int rc = NC_NOERR;

    if (!t->file) {
        if ((rc = look_above(s, true, pr, seen)) == NC_NOERR && !*seen && !s->file)
            rc = look_below(s, t, pr, seen);
    } else if (s->file && strcmp(last_name(s->path), last_name(t->path)) == 0) {
        rc = look_above(s, false, pr, seen);
    }
    /* That a server does not answer for a directory of this machine is no reason to doubt. */
    if (rc == NC_NOERR || rc == NC_ENOMEM || (ncz_remote(s->t) && ncz_remote(t->t)))
        return rc;
    ncz_err_clear();
    return NC_NOERR;
}

static int
fail_unknown(const place *s, const place *t)
{
    ncz_err err;

    ncz_err_save(&err, NC_EEXIST);
    return ncz_fail(NC_EEXIST,
                    "%s: whether it is the same place as %s cannot be found out, so nothing is replaced there: %s. "
                    "Remove what is at the target, or choose another one",
                    t->t->shown, s->t->shown, err.text);
}

static int
probe_target(const place *s, const place *t, bool *seen)
{
    char       *path = probe_path(t);
    zmap       *map = NULL;
    probe       pr;
    const char *key = pr.name;
    int         rc = path != NULL ? NC_NOERR : ncz_fail_nomem(strlen(t->path)), gone;

    make_probe(&pr);
    if (rc == NC_NOERR && (rc = open_at(t, path, ZMAP_OPEN_WRITE, &map)) == NC_NOERR &&
        (rc = zmap_put(map, pr.name, pr.text, strlen(pr.text))) == NC_NOERR) {
        ncz_err err;

        if ((rc = ask_source(s, t, &pr, seen)) != NC_NOERR && rc != NC_ENOMEM)
            rc = fail_unknown(s, t);
        ncz_err_save(&err, rc);
        gone = zmap_del(map, &key, 1);
        rc = rc != NC_NOERR ? ncz_err_adopt(&err) : gone;
    }
    if (map != NULL)
        (void)zmap_close(map, ZMAP_KEEP);
    ncz_free(path);
    return rc;
}

/* Names and inodes decide (ncz_path_overlap()). */
static bool
is_one_device(const place *a, const place *b)
{
    ncz_stat one, two;

    return !ncz_remote(a->t) && !ncz_remote(b->t) && ncz_system.name.fstatat(AT_FDCWD, a->path, &one, 0) == 0 &&
           ncz_system.name.fstatat(AT_FDCWD, b->path, &two, 0) == 0 && one.st_dev == two.st_dev && one.st_ino != 0;
}

int
ncz_place_overlap(const char *source, const char *target, bool *overlap)
{
    place s = {.t = NULL}, t = {.t = NULL};
    int   rc;

    *overlap = false;
    if ((rc = make_place(source, &s)) == NC_NOERR && (rc = make_place(target, &t)) == NC_NOERR && s.path[0] != '\0' &&
        (t.path[0] != '\0' || ncz_remote(t.t)) && !is_one_device(&s, &t))
        rc = probe_target(&s, &t, overlap);
    clear_place(&s);
    clear_place(&t);
    return rc;
}
