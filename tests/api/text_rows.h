/* SPDX-License-Identifier: BSD-3-Clause */
/* What an array of Zarr v3 says of its characters: its codecs, and its document. */
#ifndef NCZ_TEST_TEXT_ROWS_H
#define NCZ_TEST_TEXT_ROWS_H

#include "api_test.h"

#include <nczarr_filter.h>

#include <stdio.h>
#include <string.h>

/* Whether its rows are stored as texts. */
static inline bool
has_rows(int grp, int var)
{
    char   text[400];
    size_t len = 0;

    OK(nczarr_inq_var_codecs(grp, var, 3, &len, NULL));
    assert_true(len < sizeof text);
    OK(nczarr_inq_var_codecs(grp, var, 3, &len, text));
    return strstr(text, "vlen-utf8") != NULL;
}

/* The document of `name` has the text `want`. */
static inline void
check_document(const place *p, const char *name, const char *want)
{
    char  path[400], text[4000] = "";
    FILE *f;

    snprintf(path, sizeof path, "%s/%s/zarr.json", p->path, name);
    assert_non_null(f = fopen(path, "r"));
    assert_true(fread(text, 1, sizeof text - 1, f) > 0);
    fclose(f);
    if (strstr(text, want) == NULL)
        fail_msg("no %s in %s", want, text);
}

#endif
