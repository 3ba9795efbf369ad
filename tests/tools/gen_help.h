/* SPDX-License-Identifier: BSD-3-Clause */
/* For the tests of the generator: parsing a text and keeping what is said about it. */
#ifndef GEN_HELP_H
#define GEN_HELP_H

#include "gen/gen_int.h"

#include <stdio.h>
#include <string.h>

typedef struct heard {
    char   text[4096]; /* all messages, one a line */
    size_t len;
    int    errors, warnings;
} heard;

static void
hear(void *ctx, bool is_error, const char *text)
{
    heard *h = ctx;
    int    n = snprintf(h->text + h->len, sizeof h->text - h->len, "%s\n", text);

    if (n > 0 && h->len + (size_t)n < sizeof h->text)
        h->len += (size_t)n;
    h->errors += is_error;
    h->warnings += !is_error;
}

/* NULL when the text has an error; `h` starts again. */
static gen_cdl *
read_cdl(const char *text, heard *h)
{
    gen_cdl *cdl = NULL;

    *h = (heard){.len = 0};
    gen_parse("t", text, strlen(text), (gen_report){hear, h}, &cdl);
    return cdl;
}

/* Parses a text with an error at its end, each time with one allocation more that succeeds: NC_ENOMEM with one message
 * until that error is reached. Returns the number of allocations. */
static inline long
fail_each_allocation(const char *text)
{
    long n = 0;
    int  rc;

    do {
        heard    h = {.len = 0};
        gen_cdl *cdl = NULL;

        gen_mem_fail_at(n++);
        rc = gen_parse("t", text, strlen(text), (gen_report){hear, &h}, &cdl);
        gen_mem_fail_at(-1);
        assert_null(cdl);
        assert_int_equal(h.errors, 1);
    } while (rc == NC_ENOMEM);
    assert_int_equal(rc, NC_EINVAL);
    return n;
}

#endif /* GEN_HELP_H */
