/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a zip archive in memory: opened as a map, listed, each object read whole, by its parts and into
 * memory of another size, in other methods than ours through libzip; then changed, taken out and opened again: what
 * we wrote opens, and holds what was put.
 */
#include <stdlib.h>
#include <string.h>

#include "zip/zipdocs.h"
#include "zmap/zmap.h"
#include "zip/zip.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST ((size_t)1 << 20) /* of one object; deflated ones can say that they are 1000 times the input */

typedef struct visit {
    zmap  *m;
    char  *prefix;
    bool   parts; /* read each object by its parts, too */
    size_t left;  /* objects that are still to be looked at */
} visit;

/* Any parts of what is read whole are parts of `body`. */
static void
read_parts(zmap *m, const char *key, int rc, const ncz_buf *body)
{
    char         into[16];
    zmap_get_req parts[3] = {{.key = key, .off = 0, .len = 1, .body = NCZ_BUF_LIMIT(MOST)},
                             {.key = key, .off = 3, .len = ZMAP_WHOLE, .body = NCZ_BUF_LIMIT(MOST)},
                             {.key = key, .off = 0, .len = ZMAP_WHOLE, .into = into, .into_cap = sizeof into}};

    (void)zmap_get_batch(m, parts, 3, NULL, NULL);
    if (rc == NC_NOERR && parts[1].err.code == NC_NOERR &&
        (parts[1].nread + 3 != body->len || memcmp(parts[1].body.data, body->data + 3, parts[1].nread) != 0))
        abort();
    if (rc == NC_NOERR && body->len <= sizeof into &&
        (parts[2].err.code != NC_NOERR || parts[2].nread != body->len ||
         (body->len != 0 && memcmp(into, body->data, body->len) != 0)))
        abort();
    ncz_buf_clear(&parts[0].body);
    ncz_buf_clear(&parts[1].body);
}

static void
read_object(const visit *v, const char *key)
{
    ncz_buf body = NCZ_BUF_LIMIT(MOST);
    int     rc = zmap_get(v->m, key, &body);

    if (rc == NC_EEMPTY)
        abort(); /* it was listed */
    if (v->parts)
        read_parts(v->m, key, rc, &body);
    ncz_buf_clear(&body);
}

static int
visit_child(const char *name, bool leaf, void *arg)
{
    visit *v = arg;
    visit  below = *v;
    int    rc;

    below.prefix = ncz_sprintf("%s%s%s", v->prefix, v->prefix[0] != '\0' ? "/" : "", name);
    if (!zmap_key_valid(below.prefix))
        abort();
    if (leaf)
        read_object(v, below.prefix);
    rc = v->left-- == 0 ? 1 : 0;
    below.left = v->left;
    if (rc == 0 && !leaf)
        rc = zmap_list(v->m, below.prefix, visit_child, &below);
    v->left = below.left;
    ncz_free(below.prefix);
    return rc;
}

static void
look(zmap *m, bool parts)
{
    visit v = {m, (char[]){""}, parts, 200};

    (void)zmap_list(m, "", visit_child, &v);
}

static void
expect(zmap *m, const char *key, const char *text)
{
    ncz_buf body = NCZ_BUF_INIT;

    if (zmap_get(m, key, &body) != NC_NOERR || strcmp(ncz_buf_str(&body), text) != 0)
        abort();
    ncz_buf_clear(&body);
}

/* `taken` is the block, for free(). */
static void
change(zmap *m, void **taken, size_t *len)
{
    const char *gone = "a";
    bool        put = zmap_put(m, "fuzz/0", "new", 3) == NC_NOERR; /* not where an object stands at "fuzz" */

    (void)zmap_del(m, &gone, 1);
    (void)zmap_put(m, ".zgroup", "{}", 2);
    if (ncz_zip_mem_take(m, taken, len) != NC_NOERR)
        abort();
    (void)zmap_close(m, ZMAP_KEEP);
    if (ncz_zip_mem_open(*taken, *len, ZMAP_OPEN_READ, &(ncz_zip_opts){.prefix = ""}, &m) != NC_NOERR)
        abort();
    if (put)
        expect(m, "fuzz/0", "new");
    look(m, false);
    (void)zmap_close(m, ZMAP_KEEP);
}

/* Entries that are encrypted are read, too: those of the corpus with this. */
int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return setenv("NCZARR_ZIP_PASSWORD", "fuzz", 1);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    void *block = malloc(size != 0 ? size : 1); /* its own, so that a read past its end is seen */
    zmap *m = NULL;

    if (block == NULL)
        return 0;
    if (size != 0)
        memcpy(block, data, size);
    if (ncz_zip_mem_open(block, size, ZMAP_OPEN_READ, &test_zip_opts, &m) == NC_NOERR) {
        look(m, true);
        (void)zmap_close(m, ZMAP_KEEP);
    }
    if (ncz_zip_mem_open(block, size, ZMAP_OPEN_WRITE, &(ncz_zip_opts){.prefix = ""}, &m) == NC_NOERR)
        change(m, &block, &size);
    free(block);
    return 0;
}
