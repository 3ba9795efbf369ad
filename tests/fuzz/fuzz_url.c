/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any text as a path or URL: its parts, what they mean to nc_open() and nc_create(), and the promise of
 * nczarr_path_split(): path, '#' and fragment name the same as the text.
 */
#include "uri/uri.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(truth)                                                                                                 \
    do {                                                                                                             \
        if (!(truth))                                                                                                \
            abort();                                                                                                 \
    } while (0)

static bool
same(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Each pair is decoded; written and read again it is the same. */
static void
check_pairs(const ncz_uri *u)
{
    for (size_t i = 0; i < u->nfrag; i++) {
        const char *value = u->frag[i].value;
        ncz_buf     text = NCZ_BUF_INIT;
        char       *back = NULL;

        CHECK(ncz_uri_frag(u, u->frag[i].key) != NULL);
        CHECK(ncz_uri_encode(&text, value, strlen(value), false) == NC_NOERR);
        CHECK(ncz_uri_decode(ncz_buf_str(&text), text.len, &back) == NC_NOERR);
        CHECK(same(value, back));
        ncz_free(back);
        ncz_buf_clear(&text);
    }
}

static void
check_uri(const char *text)
{
    ncz_uri *u = NULL;
    char    *decoded = NULL;

    if (ncz_uri_parse(text, &u) != NC_NOERR) {
        CHECK(u == NULL && ncz_err_text()[0] != '\0');
        return;
    }
    CHECK(u->path != NULL && u->body != NULL && u->port <= 65535);
    check_pairs(u);
    if (ncz_uri_decode(u->path, strlen(u->path), &decoded) == NC_NOERR)
        CHECK(strlen(decoded) <= strlen(u->path));
    ncz_free(decoded);
    ncz_uri_free(u);
}

static void
check_target(const char *text, bool for_create)
{
    ncz_target *t = NULL;

    if (ncz_target_parse(text, for_create, &t) != NC_NOERR) {
        CHECK(t == NULL && ncz_err_text()[0] != '\0');
        return;
    }
    CHECK(t->path != NULL && same(t->canonical, text) && t->shown != NULL && t->uri != NULL);
    CHECK(!for_create || t->store != NCZ_STORE_AUTO);
    ncz_target_free(t);
}

static void
check_split(const char *text)
{
    nczarr_path_parts a = {.size = sizeof a}, b = {.size = sizeof b};
    ncz_buf           again = NCZ_BUF_INIT;

    if (nczarr_path_split(text, &a) != NC_NOERR) {
        CHECK(nczarr_errmsg()[0] != '\0');
        return;
    }
    CHECK(ncz_buf_printf(&again, "%s%s%s", a.path, a.fragment[0] != '\0' ? "#" : "", a.fragment) == NC_NOERR);
    CHECK(nczarr_path_split(ncz_buf_str(&again), &b) == NC_NOERR);
    CHECK(same(a.path, b.path) && same(a.fragment, b.fragment) && same(a.local, b.local));
    CHECK(a.store == b.store && a.zarr_format == b.zarr_format && a.nczarr == b.nczarr && a.zarr == b.zarr);
    ncz_buf_clear(&again);
    nczarr_path_clear(&a);
    nczarr_path_clear(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = ncz_strndup((const char *)data, size); /* up to a NUL */

    CHECK(text != NULL);
    check_uri(text);
    check_target(text, false);
    check_target(text, true);
    check_split(text);
    ncz_log_set(NCZ_LOG_OFF); /* the key `log` raises it */
    ncz_free(text);
    return 0;
}
