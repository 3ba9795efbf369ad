/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a set of references: it is refused, or is a store whose lists and gets agree. Nothing outside of the
 * working directory is read.
 */
#include "kerchunk/kerchunk.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(truth)                                                                                                 \
    do {                                                                                                             \
        if (!(truth))                                                                                                \
            abort();                                                                                                 \
    } while (0)

enum { KEYS_MOST = 200 };

static bool
is_document(const char *name, size_t len)
{
    (void)name;
    return len > 0;
}

typedef struct walked {
    zmap  *m;
    size_t n;
    char  *before;
} walked;

static int
get_one(const char *key, uint64_t size, void *arg)
{
    walked *w = arg;
    ncz_buf body = NCZ_BUF_LIMIT(1 << 20);
    int     rc;

    (void)size;
    CHECK(zmap_key_valid(key));
    CHECK(w->before == NULL || strcmp(w->before, key) != 0);
    free(w->before);
    w->before = strdup(key);
    rc = zmap_get(w->m, key, &body);
    CHECK(rc != NC_EEMPTY && (rc != NC_EACCESS || strstr(ncz_err_text(), "refers to") != NULL)); /* to a folder */
    CHECK(rc == NC_NOERR || ncz_err_text()[0] != '\0');
    ncz_buf_clear(&body);
    return ++w->n == KEYS_MOST;
}

static int
count_child(const char *name, bool leaf, void *arg)
{
    (void)leaf;
    CHECK(name[0] != '\0' && strchr(name, '/') == NULL);
    return ++*(size_t *)arg == KEYS_MOST;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ncz_target *t = NULL;
    ncz_places *p = NULL;
    ncz_buf     text = NCZ_BUF_INIT;
    walked      w = {.m = NULL};
    size_t      n = 0;

    CHECK(ncz_target_parse("corpus-of-no-set", false, &t) == NC_NOERR && ncz_places_open(t, &p) == NC_NOERR);
    CHECK(ncz_buf_append(&text, data, size) == NC_NOERR);
    if (ncz_kerchunk_open(&text, "set", is_document, p, &w.m) == NC_NOERR) {
        (void)zmap_walk(w.m, "", get_one, &w);
        (void)zmap_list(w.m, "", count_child, &n);
        CHECK(w.n == 0 || n > 0);
        (void)zmap_close(w.m, ZMAP_KEEP);
    } else {
        CHECK(ncz_err_text()[0] != '\0');
    }
    free(w.before);
    ncz_buf_clear(&text);
    ncz_places_unref(p);
    ncz_target_free(t);
    return 0;
}
