/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the directory of a dataset in an archive: zip programs put everything below one directory, or several nested
 * ones; zarr-python puts it at the top. The documents, whose names the caller knows, identify it. Some programs mark a
 * directory by an entry of its name, most by an empty one: these do not count.
 */
#include "zip/zip_int.h"

#include <string.h>

bool
ncz_zip_is_document(const zip_map *m, const char *name, size_t len)
{
    size_t start = len;

    while (start > 0 && name[start - 1] != '/')
        start--;
    return m->is_document != NULL && m->is_document(name + start, len - start);
}

/* What a pass over the records has found. */
typedef struct search {
    const zip_map *m;
    char          *common; /* the directory that contains all objects, with its '/' */
    size_t         len;
    size_t         shallowest; /* 1 + bytes of the shortest directory that holds a document; 0: none */
    bool           any;
    char          *beside; /* an entry at the top that is no document */
    bool           more;   /* there is another one */
} search;

static size_t
dir_len(const char *name, size_t len)
{
    while (len > 0 && name[len - 1] != '/')
        len--;
    return len;
}

/* Entries that macOS adds to archives on its own. */
static bool
is_litter(const char *name, size_t len)
{
    return len >= 9 && memcmp(name, "__MACOSX/", 9) == 0;
}

static int
note_beside(search *s, const zip_record *r)
{
    if (s->beside != NULL) {
        s->more = s->more || strlen(s->beside) != r->name_len || memcmp(s->beside, r->name, r->name_len) != 0;
        return NC_NOERR;
    }
    return (s->beside = ncz_strndup(r->name, r->name_len)) != NULL ? NC_NOERR : ncz_fail_nomem(r->name_len + 1);
}

/* True if that entry has the name of the directory that all others are in, or there is none. */
static bool
is_mark(const search *s)
{
    size_t n = s->beside != NULL ? strlen(s->beside) : 0;

    return s->beside == NULL ||
           (!s->more && s->len > n && s->common[n] == '/' && memcmp(s->common, s->beside, n) == 0);
}

static int
search_record(const zip_record *r, const unsigned char *raw, void *arg)
{
    search *s = arg;
    size_t  len = dir_len(r->name, r->name_len), same = 0;

    (void)raw;
    if (r->name_len == 0 || len == r->name_len || is_litter(r->name, r->name_len)) /* a directory's own entry */
        return NC_NOERR;
    if (r->object.size == 0 && len > 0)
        return NC_NOERR;
    if (len == 0 && !ncz_zip_is_document(s->m, r->name, r->name_len))
        return note_beside(s, r);
    if (ncz_zip_is_document(s->m, r->name, r->name_len) && (s->shallowest == 0 || len + 1 < s->shallowest))
        s->shallowest = len + 1; /* 0 means none */
    if (!s->any) {
        s->any = true;
        s->len = len;
        return (s->common = ncz_strndup(r->name, len)) != NULL ? NC_NOERR : ncz_fail_nomem(len + 1);
    }
    while (same < s->len && same < len && s->common[same] == r->name[same])
        same++;
    s->len = dir_len(s->common, same);
    return NC_NOERR;
}

int
ncz_zip_find_prefix(const zip_map *m, const zip_end *end, char **out)
{
    search found = {.m = m};
    char  *prefix = NULL;
    int    rc;

    if ((rc = ncz_zip_each_record(m->src, end, search_record, &found)) != NC_NOERR)
        goto done;
    if (found.shallowest != found.len + 1 || !is_mark(&found))
        found.len = 0;
    if ((prefix = ncz_strndup(found.any ? found.common : "", found.len)) == NULL) {
        rc = ncz_fail_nomem(found.len + 1);
        goto done;
    }
    if (found.len > 0) { /* a directory whose name is not a key cannot be a prefix */
        prefix[found.len - 1] = '\0';
        prefix[found.len - 1] = zmap_key_valid(prefix) ? '/' : '\0';
        if (prefix[found.len - 1] == '\0')
            prefix[0] = '\0';
    }
    *out = prefix;
done:
    ncz_free(found.beside);
    ncz_free(found.common);
    return rc;
}
