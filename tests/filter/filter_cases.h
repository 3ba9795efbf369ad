/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cases that another program made: a JSON list in tests/data/filter, with bytes in hexadecimal.
 */
#ifndef NCZ_FILTER_CASES_H
#define NCZ_FILTER_CASES_H

#include "filter_testing.h"

#define CASES_MOST (1 << 20)

static inline ncz_json *
read_cases(const char *name)
{
    ncz_json_opts opts = {.mode = NCZ_JSON_STRICT, .depth = 16, .nbytes = CASES_MOST};
    ncz_json     *doc = NULL;
    size_t        len;
    char         *text = test_data(name, &len);

    assert_int_equal(ncz_json_parse(text, len, &opts, &doc, NULL), NC_NOERR);
    free(text);
    return doc;
}

typedef struct bytes {
    unsigned char *p; /* to the byte */
    size_t         n;
} bytes;

static inline bytes
bytes_of(const ncz_json *v)
{
    size_t      len;
    const char *s = ncz_json_str(v, &len);
    bytes       b = {malloc(len / 2 + (len == 0)), len / 2};

    assert_non_null(s);
    assert_non_null(b.p);
    assert_int_equal(from_hex(s, b.p), b.n);
    return b;
}

typedef struct golden {
    const ncz_json *v; /* the case */
    bytes           data, stored, decoded;
    ncz_array_type  type;
    ncz_chain      *chain;
    void           *own; /* the test's: malloc, or NULL */
} golden;

/* Runs `check` on the cases that this build has the codecs for, at least so many, and says which ones it failed. `init`
 * makes one of its text. */
static inline void
each_case(const ncz_json *doc, size_t least, void (*init)(golden *g), bool (*check)(const golden *g))
{
    size_t run = 0, bad = 0;

    for (size_t i = 0; i < ncz_json_len(doc); i++) {
        golden g = {.v = ncz_json_at(doc, i)};

        init(&g);
        if (ncz_chain_usable(g.chain) == NC_NOERR) {
            run++;
            ncz_err_clear();
            if (!check(&g)) {
                bad++;
                print_error("case %zu, line %zu of cases.json: %s\n", i, i + 2, ncz_err_text());
            }
        }
        free(g.data.p);
        free(g.stored.p);
        free(g.decoded.p);
        free(g.own);
        ncz_chain_unref(g.chain);
    }
    assert_true(run >= least);
    assert_int_equal(bad, 0);
}

#endif /* NCZ_FILTER_CASES_H */
