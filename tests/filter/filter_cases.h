/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cases that another program made: a JSON list in tests/data/filter, with bytes in hexadecimal.
 */
#ifndef NCZ_FILTER_CASES_H
#define NCZ_FILTER_CASES_H

#include "filter_testing.h"

#include <stdio.h>

#define CASES_MOST (1 << 20)

static inline ncz_json *
read_cases(const char *path)
{
    ncz_json_opts opts = {.mode = NCZ_JSON_STRICT, .depth = 16, .nbytes = CASES_MOST};
    ncz_json     *doc = NULL;
    char         *text = malloc(CASES_MOST);
    FILE         *f = fopen(path, "rb");
    size_t        len;

    assert_non_null(text);
    assert_non_null(f);
    len = fread(text, 1, CASES_MOST, f);
    fclose(f);
    assert_int_equal(ncz_json_parse(text, len, &opts, &doc, NULL), NC_NOERR);
    free(text);
    return doc;
}

typedef struct bytes {
    unsigned char *p; /* to the byte */
    size_t         n;
} bytes;

static inline bytes
from_hex(const ncz_json *v)
{
    size_t      len;
    const char *s = ncz_json_str(v, &len);
    bytes       b = {malloc(len / 2 + (len == 0)), len / 2};

    assert_non_null(s);
    assert_non_null(b.p);
    for (size_t i = 0; i < b.n; i++) {
        unsigned byte;

        assert_int_equal(sscanf(s + 2 * i, "%2x", &byte), 1);
        b.p[i] = (unsigned char)byte;
    }
    return b;
}

#endif /* NCZ_FILTER_CASES_H */
