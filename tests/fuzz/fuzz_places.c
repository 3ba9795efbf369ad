/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any text as a place of a set, on a disk, a server and in a bucket: its normal form is one, names itself, and nothing
 * that the rule lets through is outside of what is allowed.
 */
#include "places/places_int.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(truth)                                                                                                 \
    do {                                                                                                             \
        if (!(truth))                                                                                                \
            abort();                                                                                                 \
    } while (0)

static void
check_path(const char *path)
{
    CHECK(path[0] == '/' && strstr(path, "//") == NULL && (path[1] == '\0' || path[strlen(path) - 1] != '/'));
    for (const char *s = path; (s = strchr(s, '/')) != NULL; s++) {
        size_t n = strcspn(s + 1, "/");

        CHECK(!(n == 1 && s[1] == '.') && !(n == 2 && s[1] == '.' && s[2] == '.'));
    }
    for (const char *s = path; *s != '\0'; s++)
        CHECK((unsigned char)*s >= 0x20 && *s != 0x7F && *s != '\\');
}

/* Written as a URL and read again it is the same place. */
static void
check_again(const ncz_place *p)
{
    ncz_place again;
    ncz_buf   url = NCZ_BUF_INIT;

    CHECK((ncz_place_is_local(p) ? ncz_buf_puts(&url, "file://") : NC_NOERR) == NC_NOERR);
    if (ncz_place_is_local(p))
        CHECK(ncz_uri_encode(&url, p->path, strlen(p->path), true) == NC_NOERR);
    else
        CHECK(ncz_place_url(p, strlen(p->path), &url) == NC_NOERR);
    CHECK(ncz_place_parse(url.data, NULL, &again) == NC_NOERR);
    CHECK(ncz_place_is_on(p, &again) && strcmp(p->path, again.path) == 0);
    ncz_place_clear(&again);
    ncz_buf_clear(&url);
}

static void
check_text(const char *text, const char *folder)
{
    ncz_place from, p;

    CHECK(ncz_place_parse(folder, NULL, &from) == NC_NOERR);
    if (ncz_place_parse(text, &from, &p) == NC_NOERR) {
        CHECK(strchr(p.host, '@') == NULL && strchr(p.host, '/') == NULL && p.port <= 65535);
        check_path(p.path);
        check_again(&p);
        if (ncz_place_is_within(&p, &from)) {
            size_t len = strlen(from.path);

            CHECK(strcmp(p.scheme, from.scheme) == 0 && strcmp(p.host, from.host) == 0);
            CHECK(strncmp(p.path, from.path, len) == 0 && (p.path[len] == '/' || p.path[len] == '\0'));
        }
        ncz_place_clear(&p);
    } else {
        CHECK(p.path == NULL && ncz_err_text()[0] != '\0');
    }
    ncz_place_clear(&from);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = ncz_strndup((const char *)data, size); /* up to a NUL */

    CHECK(text != NULL);
    check_text(text, "file:///data/sets");
    check_text(text, "https://h.example:8443/data/sets");
    check_text(text, "s3://bucket/data/sets");
    ncz_free(text);
    return 0;
}
