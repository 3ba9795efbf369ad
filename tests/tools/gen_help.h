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

/* NULL when the text has an error; `h` starts anew. */
static gen_cdl *
read_cdl(const char *text, heard *h)
{
    gen_cdl *cdl = NULL;

    *h = (heard){.len = 0};
    gen_parse("t", text, strlen(text), (gen_report){hear, h}, &cdl);
    return cdl;
}

#endif /* GEN_HELP_H */
