/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Texts that are collected for somebody to read. No lock of its own.
 */
#include "util/util.h"

#include <string.h>

#define TEXTS_MOST 100 /* what is wrong in so many places is wrong in all of them */

static bool
has_text(const ncz_texts *t, const char *text)
{
    size_t i = 0;

    while (i < t->n && strcmp(t->v[i], text) != 0)
        i++;
    return i < t->n;
}

int
ncz_texts_add(ncz_texts *t, const char *text)
{
    int rc;

    if (t->n > TEXTS_MOST || has_text(t, text))
        return NC_NOERR;
    if (t->n == TEXTS_MOST)
        text = "there are more of this kind";
    if ((rc = ncz_make_room(&t->v, t->n, &t->cap, sizeof *t->v)) != NC_NOERR)
        return rc;
    if ((t->v[t->n] = ncz_strdup(text)) == NULL)
        return ncz_fail_nomem(strlen(text) + 1);
    t->n++;
    return NC_NOERR;
}

void
ncz_texts_clear(ncz_texts *t)
{
    for (size_t i = 0; i < t->n; i++)
        ncz_free(t->v[i]);
    ncz_free(t->v);
    *t = NCZ_TEXTS_INIT;
}
