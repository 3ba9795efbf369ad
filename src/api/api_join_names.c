/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_join_names: which files a list or a pattern means. A list is a text with a path or URL in each line; empty lines
 * and those that begin with '#' are left out. A pattern has '*', '?' or '[...]' in its last segment, and means what is
 * in that folder, bucket or archive.
 */
#include "api/api_join.h"
#include "open/open.h"
#include "platform/platform.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LIST_BYTES = 64 << 20, FILES_MOST = 1000000 };

static void
close_file(ncz_dataset *ds)
{
    ncz_err err; /* of the call that ends */

    if (ds == NULL)
        return;
    ncz_err_save(&err, NC_NOERR);
    (void)ncz_dataset_close(ds); /* it was only read */
    ncz_dataset_free(ds);
    (void)ncz_err_adopt(&err);
}

void
ncz_join_files_clear(ncz_join_files *f)
{
    for (size_t i = 0; i < f->n; i++) {
        close_file(f->v[i].ds);
        ncz_free(f->v[i].path);
        ncz_free(f->v[i].uri);
    }
    ncz_free(f->v);
    *f = (ncz_join_files){.n = 0};
}

int
ncz_join_files_add(ncz_join_files *f, const char *path, const char *uri)
{
    ncz_join_file file = {.len = 0};
    int           rc;

    if (f->n == FILES_MOST)
        return ncz_fail(NC_EINVAL, "more than %d files to be joined", FILES_MOST);
    if ((rc = ncz_make_room(&f->v, f->n, &f->cap, sizeof *f->v)) != NC_NOERR)
        return rc;
    file.path = ncz_strdup(path);
    file.uri = ncz_strdup(uri);
    f->v[f->n++] = file;
    return file.path != NULL && file.uri != NULL ? NC_NOERR : ncz_fail_nomem(strlen(path));
}

/* ---- whether several are meant ---- */

static bool
has_mode(const ncz_uri *u)
{
    const char *mode = ncz_uri_frag(u, "mode");

    for (; mode != NULL && *mode != '\0'; mode += strcspn(mode, ","), mode += *mode == ',')
        if (strcspn(mode, ",") == 4 && strncasecmp(mode, "join", 4) == 0)
            return true;
    return false;
}

bool
ncz_join_is_meant(const char *path)
{
    ncz_uri *u = NULL;
    ncz_stat st;
    bool     is;

    if (path == NULL) /* an error of the call */
        return false;
    if (path[0] == '@')
        return ncz_system.name.fstatat(AT_FDCWD, path, &st, 0) != 0;
    if (strchr(path, '#') == NULL && path[0] != '[') /* there is no mode */
        return false;
    if (ncz_uri_parse(path, &u) != NC_NOERR) {
        ncz_err_clear(); /* nc_open() says what is wrong */
        return false;
    }
    is = has_mode(u);
    ncz_uri_free(u);
    return is;
}

/* ---- a pattern ---- */

/* Whether a character is in a set "[a-z]" or "[!a-z]"; *end: behind it. NULL: it is not closed. */
static bool
in_set(const char *set, char c, const char **end)
{
    bool not = set[1] == '!' || set[1] == '^', in = false;

    for (set += 1 + not, *end = NULL; *set != '\0'; set++) {
        if (set[1] == '-' && set[2] != ']' && set[2] != '\0') {
            in = in || ((unsigned char)c >= (unsigned char)set[0] && (unsigned char)c <= (unsigned char)set[2]);
            set += 2;
        } else {
            in = in || *set == c;
        }
        if (set[1] == ']') {
            *end = set + 2;
            break;
        }
    }
    return in != not ;
}

/* As a shell has it. After a failed try the last '*' takes one character more, so that no pattern takes long. */
static bool
matches(const char *pattern, const char *name)
{
    const char *star = NULL, *from = NULL, *next;

    if (name[0] == '.' && pattern[0] != '.')
        return false;
    for (;;) {
        if (*pattern == '*') {
            star = pattern++;
            from = name;
            continue;
        }
        if (*name == '\0' && *pattern == '\0')
            return true;
        if (*name != '\0' && *pattern == '[') {
            bool in = in_set(pattern, *name, &next);

            if (next == NULL ? *name == '[' : in) {
                pattern = next == NULL ? pattern + 1 : next;
                name++;
                continue;
            }
        } else if (*name != '\0' && (*pattern == '?' || (*pattern == *name && *pattern != '\0'))) {
            pattern++;
            name++;
            continue;
        }
        if (star == NULL || *from == '\0')
            return false;
        pattern = star + 1;
        name = ++from;
    }
}

/* Names that match, in a folder. */
typedef struct found {
    const char     *pattern, *folder, *fragment;
    ncz_join_files *files;
} found;

static int
take_name(const char *name, bool leaf, void *arg)
{
    const found *f = arg;
    char        *path;
    int          rc;

    (void)leaf; /* Zarr's are directories */
    if (!matches(f->pattern, name))
        return NC_NOERR;
    if ((path = ncz_sprintf("%s%s%s%s", f->folder, name, f->fragment[0] != '\0' ? "#" : "", f->fragment)) == NULL)
        return ncz_fail_nomem(strlen(name));
    rc = ncz_join_files_add(f->files, path, name);
    ncz_free(path);
    return rc;
}

/* Numbers within names count as such: x2 before x10. */
static int
compare_names(const char *a, const char *b)
{
    while (*a != '\0' && *b != '\0') {
        if (*a >= '0' && *a <= '9' && *b >= '0' && *b <= '9') {
            size_t na, nb;
            int    order;

            a += strspn(a, "0");
            b += strspn(b, "0");
            na = strspn(a, "0123456789");
            nb = strspn(b, "0123456789");
            if (na != nb)
                return na < nb ? -1 : 1;
            if ((order = strncmp(a, b, na)) != 0)
                return order;
            a += na;
            b += nb;
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return *a != '\0' ? 1 : *b != '\0' ? -1 : 0;
}

static int
compare_uris(const void *a, const void *b)
{
    const ncz_join_file *x = a, *y = b;
    int                  order = compare_names(x->uri, y->uri);

    return order != 0 ? order : strcmp(x->uri, y->uri);
}

/* Files without an element come last; of equal ones, as their names do. */
static int
compare_starts(const void *a, const void *b)
{
    const ncz_join_file *x = a, *y = b;

    if ((x->len == 0) != (y->len == 0))
        return x->len == 0 ? 1 : -1;
    if (x->len != 0 && x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return compare_uris(a, b);
}

static int
compare_descending(const void *a, const void *b)
{
    const ncz_join_file *x = a, *y = b;

    return x->len != 0 && y->len != 0 && x->start != y->start ? compare_starts(b, a) : compare_starts(a, b);
}

void
ncz_join_files_sort(ncz_join_files *f)
{
    size_t up = 0, down = 0; /* files in which coordinates go so */

    for (size_t i = 0; i < f->n; i++) {
        if (f->v[i].len != 0 && isnan(f->v[i].start))
            return;
        up += f->v[i].len != 0 && f->v[i].end > f->v[i].start;
        down += f->v[i].len != 0 && f->v[i].end < f->v[i].start;
    }
    if (up == 0 || down == 0)
        qsort(f->v, f->n, sizeof *f->v, down > 0 ? compare_descending : compare_starts);
}

/* The folder's text, up to and with its last '/'; "./" for a name alone. */
static char *
folder_of(const char *body)
{
    const char *slash = strrchr(body, '/');

    return slash == NULL ? ncz_strdup("./") : ncz_strndup(body, (size_t)(slash - body) + 1);
}

static int
find_by_pattern(const char *body, const char *folder, const char *fragment, ncz_join_files *files)
{
    const char *slash = strrchr(body, '/');
    found f = {.pattern = slash != NULL ? slash + 1 : body, .folder = folder, .fragment = fragment, .files = files};
    zmap *map = NULL;
    char *store = ncz_sprintf("%s%s%s", folder, fragment[0] != '\0' ? "#" : "", fragment);
    int   rc = store != NULL ? ncz_dataset_store(store, ZMAP_OPEN_READ, &map) : ncz_fail_nomem(strlen(folder));

    ncz_free(store);
    if (rc == NC_NOERR)
        rc = zmap_list(map, "", take_name, &f);
    if (map != NULL)
        (void)zmap_close(map, ZMAP_KEEP);
    if (rc == NC_NOERR && files->n == 0)
        rc = ncz_fail(NC_ENOOBJECT, "%s: no file has such a name", body);
    if (rc == NC_NOERR)
        qsort(files->v, files->n, sizeof *files->v, compare_uris);
    return rc;
}

/* ---- a list ---- */

static int
take_line(ncz_line line, const char *folder, ncz_join_files *files)
{
    char *uri, *path;
    int   rc;

    line = ncz_line_trim(line);
    if (line.len == 0 || line.s[0] == '#')
        return NC_NOERR;
    uri = ncz_strndup(line.s, line.len);
    path = uri == NULL ? NULL : ncz_sprintf("%s%s", uri[0] == '/' || strstr(uri, "://") != NULL ? "" : folder, uri);
    rc = path != NULL ? ncz_join_files_add(files, path, uri) : ncz_fail_nomem(line.len);
    ncz_free(path);
    ncz_free(uri);
    return rc;
}

/* A '#' whose key is unknown was taken for a part of the list's name. */
static int
fail_absent(const char *path)
{
    const char *hash = strrchr(path, '#'), *nearest;
    char       *before = hash != NULL ? ncz_strndup(path, (size_t)(hash - path)) : NULL;
    char       *key = hash != NULL ? ncz_strndup(hash + 1, strcspn(hash + 1, "=&,")) : NULL;
    ncz_stat    st;
    int         rc;

    if (before == NULL || key == NULL || ncz_system.name.fstatat(AT_FDCWD, before, &st, 0) != 0)
        rc = ncz_fail_errno(ENOENT, "%s: a list of files to be joined", path);
    else if ((nearest = ncz_uri_key_nearest(key)) != NULL)
        rc = ncz_fail(ENOENT, "%s: no such list, but there is %s; unknown key #%s: did you mean %s=?", path, before,
                      key, nearest);
    else
        rc = ncz_fail(ENOENT, "%s: no such list, but there is %s; unknown key #%s: nczarr_url(7) lists the keys",
                      path, before, key);
    ncz_free(before);
    ncz_free(key);
    return rc;
}

static int
read_list(const char *path, const char *folder, ncz_join_files *files)
{
    ncz_buf  text = NCZ_BUF_INIT;
    ncz_line rest, line;
    bool     absent;
    int      rc;

    if (path[0] == '\0')
        return ncz_fail(NC_EINVAL, "@: a list of files to be joined is named behind it");
    rc = ncz_read_secret_file(path, LIST_BYTES, &absent, &text);
    if (rc == NC_NOERR && absent)
        rc = fail_absent(path);
    rest = (ncz_line){.s = ncz_buf_str(&text), .len = text.len};
    while (rc == NC_NOERR && ncz_line_next(&rest, &line))
        rc = take_line(line, folder, files);
    if (rc == NC_NOERR && files->n == 0)
        rc = ncz_fail(NC_EINVAL, "%s: a list without a file", path);
    ncz_buf_clear(&text);
    return rc;
}

/* ---- both ---- */

/* What of the fragment counts for the files: all but the words of this. */
static int
rest_of_fragment(ncz_uri *u, ncz_buf *out)
{
    size_t kept = 0;

    for (size_t i = 0; i < u->nfrag; i++) {
        bool mode = strcmp(u->frag[i].key, "mode") == 0 && strcasecmp(u->frag[i].value, "join") == 0;

        if (mode || strcmp(u->frag[i].key, "along") == 0) {
            ncz_free(u->frag[i].key);
            ncz_free(u->frag[i].value);
        } else {
            u->frag[kept++] = u->frag[i];
        }
    }
    u->nfrag = kept;
    return ncz_uri_frag_text(u, out);
}

int
ncz_join_find_files(const char *path, ncz_join_files *files, char **along, char **place, bool *sorted)
{
    ncz_uri    *u = NULL;
    ncz_buf     fragment = NCZ_BUF_INIT;
    char       *folder = NULL;
    const char *body, *said;
    int         rc = ncz_uri_parse(path, &u);

    if (rc != NC_NOERR)
        return rc;
    body = u->body[0] == '@' ? u->body + 1 : u->body;
    *sorted = body == u->body;
    if ((said = ncz_uri_frag(u, "along")) != NULL && (*along = ncz_strdup(said)) == NULL)
        rc = ncz_fail_nomem(strlen(said));
    if (rc == NC_NOERR && (rc = rest_of_fragment(u, &fragment)) == NC_NOERR && (folder = folder_of(body)) == NULL)
        rc = ncz_fail_nomem(strlen(body));
    if (rc == NC_NOERR)
        rc = *sorted ? find_by_pattern(body, folder, ncz_buf_str(&fragment), files) : read_list(body, folder, files);
    if (rc == NC_NOERR && (*place = ncz_sprintf("%sjoined.nc%s%s", folder, fragment.len > 0 ? "#" : "",
                                                ncz_buf_str(&fragment))) == NULL)
        rc = ncz_fail_nomem(strlen(folder));
    ncz_free(folder);
    ncz_buf_clear(&fragment);
    ncz_uri_free(u);
    return rc;
}
