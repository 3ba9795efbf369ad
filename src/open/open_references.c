/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * open_references: a file, or an object at a URL, may be a set of references: it is read whole, and becomes the store
 * of what it names. It is recognised by its mode, its name or its first bytes.
 */
#include "kerchunk/kerchunk.h"
#include "open/open_int.h"
#include "platform/platform.h"
#include "zmap/zmap_single.h"

#include <string.h>
#include <strings.h>

enum { HEAD = 64 };

static bool
ends_in_json(const ncz_target *t)
{
    static const char suffix[] = ".json";
    size_t            len = strlen(t->path), own = sizeof suffix - 1;

    return len > own && strcasecmp(t->path + len - own, suffix) == 0;
}

/* A plain file whose first bytes are those of a JSON object. */
static bool
begins_as_json(const char *path)
{
    char     head[HEAD];
    ssize_t  n = -1;
    ncz_stat st;
    int      fd;

    if (ncz_system.name.fstatat(AT_FDCWD, path, &st, 0) != 0 || !S_ISREG(st.st_mode) ||
        (fd = ncz_system.name.openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)) < 0)
        return false;
    n = ncz_system.file.read(fd, head, sizeof head);
    (void)ncz_system.file.close(fd);
    return n > 0 && ncz_kerchunk_may_be(head, (size_t)n);
}

bool
ncz_reference_set_must(const ncz_target *t)
{
    if (t->kerchunk)
        return true;
    return t->one_object == NCZ_UNSET && !ncz_remote(t) && t->store == NCZ_STORE_AUTO && begins_as_json(t->path);
}

bool
ncz_reference_set_asked(const ncz_target *t)
{
    return ncz_reference_set_must(t) || (t->one_object == NCZ_UNSET && ncz_remote(t) && ends_in_json(t));
}

/* The object itself, whose key is "". */
static int
open_object(const ncz_target *t, zmap **out)
{
    ncz_target one = *t;

    one.one_object = NCZ_YES;
    return ncz_remote(t) ? ncz_remote_open(&one, false, out) : zmap_single_file(t->path, ZMAP_OPEN_READ, false, out);
}

/* The store of a set's text, which reaches the places that `open_places` permits. */
static int
open_text(const ncz_target *t, ncz_buf *text, int (*open_places)(const ncz_target *t, ncz_places **out), zmap **out)
{
    ncz_places *places = NULL;
    int         rc;

    if (!ncz_kerchunk_may_be(ncz_buf_str(text), text->len))
        return ncz_fail(NC_ENOTNC, "%s: not a set of references in JSON", t->shown);
    if ((rc = open_places(t, &places)) == NC_NOERR)
        rc = ncz_kerchunk_open(text, t->shown, ncz_dialects_is_top_document, places, out);
    ncz_places_unref(places); /* the store has its own reference */
    return rc;
}

/* Reads all of it with one request. */
static int
open_set(const ncz_target *t, zmap *object, zmap **out)
{
    ncz_buf text = NCZ_BUF_LIMIT(ncz_limits_default.object_bytes);
    int     rc = zmap_get(object, "", &text);

    if (rc == NC_EEMPTY)
        rc = ncz_fail(NC_ENOOBJECT, "%s: there is no such set of references", t->shown);
    if (rc == NC_NOERR)
        rc = open_text(t, &text, ncz_places_open, out);
    ncz_buf_clear(&text);
    return rc;
}

int
ncz_reference_set_open(const ncz_target *t, zmap **out)
{
    zmap   *object = NULL;
    ncz_err err;
    int     rc = open_object(t, &object);

    if (rc == NC_NOERR)
        rc = open_set(t, object, out);
    ncz_err_save(&err, rc);
    (void)zmap_close(object, ZMAP_KEEP);
    return ncz_err_adopt(&err);
}

bool
ncz_reference_set_in(const ncz_target *t, const void *bytes, size_t len)
{
    return t->kerchunk || (t->one_object == NCZ_UNSET && t->zarr_format == 0 && ncz_kerchunk_may_be(bytes, len));
}

int
ncz_reference_set_open_memory(const ncz_target *t, const void *bytes, size_t len, zmap **out)
{
    ncz_buf text = NCZ_BUF_INIT;
    int     rc = ncz_buf_append(&text, bytes, len);

    if (rc == NC_NOERR)
        rc = open_text(t, &text, ncz_places_open_memory, out);
    ncz_buf_clear(&text);
    return rc;
}

int
ncz_reference_set_fail_writing(const ncz_target *t)
{
    return ncz_fail(NC_EPERM,
                    "%s: a set of references is read, not changed: copy it with nczcopy, and write into the copy",
                    t->shown);
}

int
ncz_reference_set_load(ncz_opening *o, bool *none)
{
    int rc = ncz_opening_writes(o) ? ncz_reference_set_fail_writing(o->target)
                                   : ncz_reference_set_open(o->target, &o->map);

    *none = (rc == NC_ENOTNC || rc == NC_ENOOBJECT || ncz_opening_writes(o)) && !ncz_reference_set_must(o->target);
    if (rc == NC_NOERR && (rc = ncz_opening_load(o)) == NC_NOERR)
        o->ds->home = NCZ_HOME_PATH;
    return rc;
}

int
ncz_reference_set_load_object(ncz_opening *o, int rc)
{
    char         head[HEAD];
    zmap_get_req r = {.key = "", .len = HEAD, .cut = true, .into = head, .into_cap = HEAD};
    zmap        *object = o->map;
    ncz_err      first;

    if (rc != NC_ENOTNC || object == NULL || (zmap_caps_of(object) & ZMAP_SINGLE) == 0)
        return rc;
    ncz_err_save(&first, rc);
    if (zmap_get_batch(object, &r, 1, NULL, NULL) != NC_NOERR || !ncz_kerchunk_may_be(head, r.nread))
        return ncz_err_adopt(&first);
    o->map = NULL;
    rc = ncz_opening_writes(o) ? ncz_reference_set_fail_writing(o->target) : open_set(o->target, object, &o->map);
    if (rc == NC_NOERR)
        rc = ncz_opening_load(o);
    ncz_err_save(&first, rc);
    (void)zmap_close(object, ZMAP_KEEP);
    return ncz_err_adopt(&first);
}
