/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tests of this module share: parsing with the usual options.
 */
#ifndef NCZ_TEST_JSON_HELP_H
#define NCZ_TEST_JSON_HELP_H

#include "support/failing_alloc.h"
#include "support/test.h"

#include "json/json.h"

static inline int
parse_n(const char *text, size_t len, ncz_json_mode mode, ncz_json **out, size_t *tail)
{
    ncz_json_opts opts = {.mode = mode, .depth = 128, .nbytes = (size_t)64 << 20, .name = "doc"};

    *out = NULL;
    return ncz_json_parse(text, len, &opts, out, tail);
}

static inline ncz_json *
parsed(const char *text, ncz_json_mode mode)
{
    ncz_json *v;

    assert_int_equal(parse_n(text, strlen(text), mode, &v, NULL), NC_NOERR);
    return v;
}

#endif /* NCZ_TEST_JSON_HELP_H */
