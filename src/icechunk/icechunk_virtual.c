/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chunks that lie elsewhere. A location is a URL, or `vcc://NAME/rest`, whose name the configuration turns into the
 * beginning of one; both are put together as they are. Who may reach it src/places says, of the whole. Since thousands
 * of chunks lie in one file, the last locations are remembered.
 */
#include "icechunk/icechunk_int.h"

#include <string.h>

#define KNOWN_MOST 4096

typedef struct known {
    zmap       *store;
    const char *object;
} known;

struct ncz_ice_virtual {
    ncz_places        *places;
    ncz_ice_containers containers;
    pthread_mutex_t    lock; /* guards what follows */
    ncz_names          names;
    ncz_arena          texts;
    known             *known;
    size_t             n;
};

int
ncz_ice_virtual_new(ncz_places *places, ncz_ice_containers *containers, ncz_ice_virtual **out)
{
    ncz_ice_virtual *v = ncz_zalloc(sizeof *v);
    int              err;

    if (v == NULL)
        return ncz_fail_nomem(sizeof *v);
    if ((v->known = ncz_alloc_n(KNOWN_MOST, sizeof *v->known)) == NULL) {
        ncz_free(v);
        return ncz_fail_nomem(KNOWN_MOST * sizeof *v->known);
    }
    if ((err = pthread_mutex_init(&v->lock, NULL)) != 0) {
        ncz_free(v->known);
        ncz_free(v);
        return ncz_fail_lock(err);
    }
    v->names = NCZ_NAMES_INIT;
    v->places = places != NULL ? ncz_places_ref(places) : NULL;
    v->containers = *containers;
    *containers = (ncz_ice_containers){.v = NULL};
    *out = v;
    return NC_NOERR;
}

void
ncz_ice_virtual_free(ncz_ice_virtual *v)
{
    if (v == NULL)
        return;
    ncz_names_clear(&v->names);
    ncz_arena_clear(&v->texts);
    ncz_ice_containers_clear(&v->containers);
    ncz_places_unref(v->places);
    (void)pthread_mutex_destroy(&v->lock);
    ncz_free(v->known);
    ncz_free(v);
}

/* ---- vcc:// ---------------------------------------------------------------------------------------------------- */

static const char *
prefix_of(const ncz_ice_virtual *v, const char *name, size_t len)
{
    for (size_t i = 0; i < v->containers.n; i++) {
        const ncz_ice_container *c = &v->containers.v[i];

        if (c->name != NULL && strlen(c->name) == len && memcmp(c->name, name, len) == 0)
            return c->prefix;
    }
    return NULL;
}

/* The URL of a location. */
static int
expand(const ncz_ice_virtual *v, const char *key, ncz_line location, ncz_buf *url)
{
    static const char scheme[] = "vcc://";
    const size_t      head = sizeof scheme - 1;
    const char       *name, *slash, *prefix;
    int               rc;

    if (location.len < head || memcmp(location.s, scheme, head) != 0)
        return ncz_buf_append(url, location.s, location.len);
    name = location.s + head;
    slash = memchr(name, '/', location.len - head);
    if (slash == NULL || slash == name || (prefix = prefix_of(v, name, (size_t)(slash - name))) == NULL)
        return ncz_fail(NC_EZARRMETA,
                        "%s: lies at \"%.*s\", a place that the repository's configuration does not name", key,
                        (int)(location.len < 200 ? location.len : 200), location.s);
    if ((rc = ncz_buf_puts(url, prefix)) != NC_NOERR)
        return rc;
    return ncz_buf_append(url, slash + 1, location.len - head - (size_t)(slash + 1 - name));
}

/* ---- finding --------------------------------------------------------------------------------------------------- */

/* A text of both, or a failure: locations have no NULs. */
static int
check_location(const char *key, ncz_line location)
{
    if (memchr(location.s, 0, location.len) != NULL || !ncz_utf8_valid(location.s, location.len))
        return ncz_fail(NC_EZARRMETA, "%s: its location is no text", key);
    return NC_NOERR;
}

static int
ask_places(ncz_ice_virtual *v, const char *key, ncz_line location, zmap **store, ncz_buf *object)
{
    ncz_buf url = NCZ_BUF_INIT;
    ncz_err err;
    int     rc;

    if (v->places == NULL)
        return ncz_fail(NC_EAUTH,
                        "%s: lies outside of the repository, at \"%.*s\", and a repository in memory reaches "
                        "no other place",
                        key, (int)(location.len < 200 ? location.len : 200), location.s);
    if ((rc = expand(v, key, location, &url)) == NC_NOERR &&
        (rc = ncz_places_find(v->places, ncz_buf_str(&url), store, object)) != NC_NOERR) {
        ncz_err_save(&err, rc);
        rc = ncz_fail(rc, "%s: %s", key, err.text);
    }
    ncz_buf_clear(&url);
    return rc;
}

/* Under the lock. What does not fit into memory is not remembered. */
static void
remember(ncz_ice_virtual *v, const char *location, zmap *store, const char *object)
{
    char *own;

    if (v->n == KNOWN_MOST) {
        ncz_names_clear(&v->names);
        ncz_arena_clear(&v->texts);
        v->names = NCZ_NAMES_INIT;
        v->n = 0;
    }
    if ((own = ncz_arena_text(&v->texts, object, strlen(object))) == NULL ||
        ncz_names_put(&v->names, location, v->n) != NC_NOERR)
        return;
    v->known[v->n++] = (known){.store = store, .object = own};
}

int
ncz_ice_virtual_find(ncz_ice_virtual *v, const char *key, ncz_line location, ncz_arena *room, zmap **store,
                     const char **object)
{
    char   *text;
    ncz_buf found = NCZ_BUF_INIT;
    size_t  i;
    bool    there;
    int     rc = check_location(key, location);

    if (rc != NC_NOERR)
        return rc;
    if ((text = ncz_arena_text(room, location.s, location.len)) == NULL)
        return ncz_fail_nomem(location.len);
    (void)pthread_mutex_lock(&v->lock);
    if ((there = ncz_names_get(&v->names, text, &i))) {
        *store = v->known[i].store;
        *object = ncz_arena_text(room, v->known[i].object, strlen(v->known[i].object));
    }
    (void)pthread_mutex_unlock(&v->lock);
    if (!there) {
        if ((rc = ask_places(v, key, location, store, &found)) == NC_NOERR) {
            *object = ncz_arena_text(room, ncz_buf_str(&found), found.len);
            (void)pthread_mutex_lock(&v->lock);
            remember(v, text, *store, ncz_buf_str(&found));
            (void)pthread_mutex_unlock(&v->lock);
        }
        ncz_buf_clear(&found);
    }
    return rc == NC_NOERR && *object == NULL ? ncz_fail_nomem(0) : rc;
}

int
ncz_ice_virtual_show(const ncz_ice_virtual *v, const char *key, ncz_line location, ncz_buf *out)
{
    ncz_buf url = NCZ_BUF_INIT;
    int     rc = check_location(key, location);

    if (rc == NC_NOERR && (rc = expand(v, key, location, &url)) == NC_NOERR)
        rc = v->places != NULL ? ncz_places_show(v->places, ncz_buf_str(&url), out)
                               : ncz_buf_puts(out, ncz_buf_str(&url));
    ncz_buf_clear(&url);
    return rc;
}

bool
ncz_ice_virtual_is_remote(const ncz_ice_virtual *v)
{
    for (size_t i = 0; i < v->containers.n; i++)
        if (strncmp(v->containers.v[i].prefix, "file:", 5) != 0)
            return true;
    return false;
}

void
ncz_ice_virtual_add_stats(const ncz_ice_virtual *v, zmap_stats *out)
{
    if (v->places != NULL)
        ncz_places_add_stats(v->places, out);
}
